// constraints: 0

// -----
// accepted
func.func @main() {
  %0 = "stablehlo.replica_id"() : () -> tensor<ui32>
  return
}

// -----
// I1: result is a 0-dimensional tensor
func.func @main() {
  // expected-error@+1 {{declared as tensor<1xui32>, but it is tensor<ui32>}}
  %0 = "stablehlo.replica_id"() : () -> tensor<1xui32>
  return
}

// -----
// I1: result is of type ui32
func.func @main() {
  // expected-error@+1 {{declared as tensor<i32>, but it is tensor<ui32>}}
  %0 = "stablehlo.replica_id"() : () -> tensor<i32>
  return
}

// -----
// T: no operands
func.func @main(%a: tensor<i32>) {
  // expected-error@+1 {{has 1 operands; it takes 0}}
  %0 = "stablehlo.replica_id"(%a) : (tensor<i32>) -> tensor<ui32>
  return
}

// -----
// T: one result
func.func @main() {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "stablehlo.replica_id"() : () -> (tensor<ui32>, tensor<ui32>)
  return
}

// -----
// T: no regions, in a grid of programs
module {
  func.func @p(%a: tensor<i1>) -> tensor<ui32> {
    // expected-error@+1 {{has 1 regions; it takes 0}}
    %0 = "stablehlo.replica_id"() ({
    ^bb0(%x: tensor<i1>):
      stablehlo.return %x : tensor<i1>
    }) : () -> tensor<ui32>
    return %0 : tensor<ui32>
  }
  func.func @main(%a: tensor<i1>) {
    %0 = "interpreter.run_parallel"(%a) <{programs = [[@p]]}> : (tensor<i1>) -> tensor<ui32>
    return
  }
}
