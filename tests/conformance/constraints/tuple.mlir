// constraints: 1

// -----
// accepted: of two values, of none, of tuples
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.tuple"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> tuple<tensor<2xf32>, tensor<i32>>
  %1 = "stablehlo.tuple"() : () -> tuple<>
  %2 = "stablehlo.tuple"(%0) : (tuple<tensor<2xf32>, tensor<i32>>) -> tuple<tuple<tensor<2xf32>, tensor<i32>>>
  func.return
}

// -----
// C1: result has type tuple<E0, ..., EN-1> where Ei = type(val[i])
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  // expected-error@+1 {{result 0 is declared as tuple<tensor<2xf32>, tensor<i64>>, but it is tuple<tensor<2xf32>, tensor<i32>>}}
  %0 = "stablehlo.tuple"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> tuple<tensor<2xf32>, tensor<i64>>
  func.return
}

// -----
// C1: result has as many elements as there are values
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  // expected-error@+1 {{result 0 is declared as tuple<tensor<2xf32>>, but it is tuple<tensor<2xf32>, tensor<i32>>}}
  %0 = "stablehlo.tuple"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> tuple<tensor<2xf32>>
  func.return
}

// -----
// C1: result is a tuple
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2xf32>, but it is tuple<tensor<2xf32>>}}
  %0 = "stablehlo.tuple"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: one result
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{has 0 results; it gives 1}}
  "stablehlo.tuple"(%a) : (tensor<2xf32>) -> ()
  func.return
}
