// constraints: 0

// -----
// accepted
func.func @main() {
  %0 = "stablehlo.partition_id"() : () -> tensor<ui32>
  return
}

// -----
// I1: result is a 0-dimensional tensor
func.func @main() {
  // expected-error@+1 {{declared as tensor<1xui32>, but it is tensor<ui32>}}
  %0 = "stablehlo.partition_id"() : () -> tensor<1xui32>
  return
}

// -----
// I1: result is of type ui32
func.func @main() {
  // expected-error@+1 {{declared as tensor<i32>, but it is tensor<ui32>}}
  %0 = "stablehlo.partition_id"() : () -> tensor<i32>
  return
}

// -----
// T: no operands
func.func @main(%a: tensor<i32>) {
  // expected-error@+1 {{has 1 operands; it takes 0}}
  %0 = "stablehlo.partition_id"(%a) : (tensor<i32>) -> tensor<ui32>
  return
}

// -----
// T: one result
func.func @main() {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "stablehlo.partition_id"() : () -> (tensor<ui32>, tensor<ui32>)
  return
}
