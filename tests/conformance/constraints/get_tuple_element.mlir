// constraints: 2

// -----
// accepted: of both values
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  %t = "stablehlo.tuple"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> tuple<tensor<2xf32>, tensor<i32>>
  %0 = "stablehlo.get_tuple_element"(%t) {index = 0 : i32} : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  %1 = "stablehlo.get_tuple_element"(%t) {index = 1 : i32} : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
  func.return
}

// -----
// C1: index < size(operand)
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  %t = "stablehlo.tuple"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> tuple<tensor<2xf32>, tensor<i32>>
  // expected-error@+1 {{'index' is 2, which is not in [0, 2)}}
  %0 = "stablehlo.get_tuple_element"(%t) {index = 2 : i32} : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  func.return
}

// -----
// C1: 0 <= index
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  %t = "stablehlo.tuple"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> tuple<tensor<2xf32>, tensor<i32>>
  // expected-error@+1 {{'index' is -1, which is not in [0, 2)}}
  %0 = "stablehlo.get_tuple_element"(%t) {index = -1 : i32} : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  func.return
}

// -----
// C2: type(result) = tuple_element_types(operand)[index]
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  %t = "stablehlo.tuple"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> tuple<tensor<2xf32>, tensor<i32>>
  // expected-error@+1 {{result 0 is declared as tensor<2xf32>, but it is tensor<i32>}}
  %0 = "stablehlo.get_tuple_element"(%t) {index = 1 : i32} : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  func.return
}

// -----
// I1: operand is a tuple
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  // expected-error@+1 {{takes an element of a tuple; its operand is none}}
  %0 = "stablehlo.get_tuple_element"(%a) {index = 0 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I2: index is of type si32
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  %t = "stablehlo.tuple"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> tuple<tensor<2xf32>, tensor<i32>>
  // expected-error@+1 {{'index' is of type i64; it must be i32}}
  %0 = "stablehlo.get_tuple_element"(%t) {index = 0 : i64} : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  func.return
}

// -----
// I2: index is missing
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  %t = "stablehlo.tuple"(%a, %b) : (tensor<2xf32>, tensor<i32>) -> tuple<tensor<2xf32>, tensor<i32>>
  // expected-error@+1 {{lacks the attribute 'index'}}
  %0 = "stablehlo.get_tuple_element"(%t) : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  func.return
}

// -----
// T: one operand
func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) {
  // expected-error@+1 {{has 0 operands; it takes 1}}
  %0 = "stablehlo.get_tuple_element"() {index = 0 : i32} : () -> tensor<2xf32>
  func.return
}
