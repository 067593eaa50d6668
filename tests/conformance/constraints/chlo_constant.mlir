// constraints: 0

// -----
// accepted
func.func @main() {
  %0 = "chlo.constant"() <{value = dense<1.0> : tensor<3xf32>}> : () -> tensor<3xf32>
  return
}

// -----
// T: type(result) = type(value)
func.func @main() {
  // expected-error@+1 {{tensor<4xf32>}}
  %0 = "chlo.constant"() <{value = dense<1.0> : tensor<3xf32>}> : () -> tensor<4xf32>
  return
}

// -----
// T: has value
func.func @main() {
  // expected-error@+1 {{its 'value' must be dense}}
  %0 = "chlo.constant"() : () -> tensor<3xf32>
  return
}

// -----
// T: value is dense
func.func @main() {
  // expected-error@+1 {{'value'}}
  %0 = "chlo.constant"() <{value = 1.0 : f32}> : () -> tensor<3xf32>
  return
}
