// constraints: 1

// -----
// accepted: several values; none
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.optimization_barrier"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<i32>)
  "stablehlo.optimization_barrier"() : () -> ()
  func.return
}

// -----
// C1: type(operand...) = type(result...)
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  // expected-error@+1 {{result 1 is declared as tensor<i64>, but it is tensor<i32>}}
  %0:2 = "stablehlo.optimization_barrier"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<i64>)
  func.return
}

// -----
// C1: size(operand) = size(result)
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  // expected-error@+1 {{has 1 results; it gives 2}}
  %0 = "stablehlo.optimization_barrier"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  func.return
}

// -----
// T: no regions, also where only tokens pass
func.func @main(%a: !stablehlo.token) {
  // expected-error@+1 {{has 1 regions; it takes 0}}
  %0 = "stablehlo.optimization_barrier"(%a) ({
    "stablehlo.return"() : () -> ()
  }) : (!stablehlo.token) -> !stablehlo.token
  func.return
}

// -----
// T: no regions
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{has 1 regions; it takes 0}}
  %0 = "stablehlo.optimization_barrier"(%a) ({
    "stablehlo.return"() : () -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}
