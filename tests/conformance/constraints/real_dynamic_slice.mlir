// constraints: 0

// -----
// accepted: bounds that are constant
func.func @main(%a: tensor<3x8xf32>) {
  %l = "stablehlo.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "stablehlo.real_dynamic_slice"(%a, %l, %h, %i) : (tensor<3x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
  func.return
}

// -----
// T: size(start_indices) = rank(operand)
func.func @main(%a: tensor<3x8xf32>, %b: tensor<1xi64>) {
  %l = "stablehlo.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 1 is tensor<1xi64>; it must be a vector of 2 integers, one for each dimension}}
  %0 = "stablehlo.real_dynamic_slice"(%a, %b, %h, %i) : (tensor<3x8xf32>, tensor<1xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
  func.return
}

// -----
// T: size(limit_indices) = rank(operand)
func.func @main(%a: tensor<3x8xf32>, %b: tensor<1xi64>) {
  %l = "stablehlo.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 2 is tensor<1xi64>; it must be a vector of 2 integers, one for each dimension}}
  %0 = "stablehlo.real_dynamic_slice"(%a, %l, %b, %i) : (tensor<3x8xf32>, tensor<2xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<1x2xf32>
  func.return
}

// -----
// T: size(strides) = rank(operand)
func.func @main(%a: tensor<3x8xf32>, %b: tensor<1xi64>) {
  %l = "stablehlo.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 3 is tensor<1xi64>; it must be a vector of 2 integers, one for each dimension}}
  %0 = "stablehlo.real_dynamic_slice"(%a, %l, %h, %b) : (tensor<3x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<1xi64>) -> tensor<1x2xf32>
  func.return
}

// -----
// T: 0 <= start_indices <= limit_indices <= shape(operand)
func.func @main(%a: tensor<3x8xf32>) {
  %l = "stablehlo.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 9]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{takes [4, 9) of dimension 1, which has size 8}}
  %0 = "stablehlo.real_dynamic_slice"(%a, %l, %h, %i) : (tensor<3x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
  func.return
}

// -----
// T: 0 < strides
func.func @main(%a: tensor<3x8xf32>) {
  %l = "stablehlo.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[0, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{the stride of dimension 0 is 0; it must be positive}}
  %0 = "stablehlo.real_dynamic_slice"(%a, %l, %h, %i) : (tensor<3x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
  func.return
}

// -----
// T: shape(result)
func.func @main(%a: tensor<3x8xf32>) {
  %l = "stablehlo.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{dimension 1 is 2, not 3}}
  %0 = "stablehlo.real_dynamic_slice"(%a, %l, %h, %i) : (tensor<3x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x3xf32>
  func.return
}

// -----
// T: element_type(result)
func.func @main(%a: tensor<3x8xf32>) {
  %l = "stablehlo.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{result 0 is declared as tensor<1x2xi32>, but it is tensor<1x2xf32>}}
  %0 = "stablehlo.real_dynamic_slice"(%a, %l, %h, %i) : (tensor<3x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xi32>
  func.return
}

// -----
// T: bounds that stay unknown
// unimplemented
func.func @main(%a: tensor<3x8xf32>, %b: tensor<2xi64>) {
  %l = "stablehlo.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %h = "stablehlo.constant"() {value = dense<[2, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
  %i = "stablehlo.constant"() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{operand 2 is no constant: export the function for concrete sizes}}
  %0 = "stablehlo.real_dynamic_slice"(%a, %l, %b, %i) : (tensor<3x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
  func.return
}
