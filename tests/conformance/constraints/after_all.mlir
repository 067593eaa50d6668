// constraints: 0

// -----
// accepted: of none, of two
func.func @main() {
  %0 = "stablehlo.after_all"() : () -> !stablehlo.token
  %1 = "stablehlo.after_all"(%0, %0) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  func.return
}

// -----
// I1: inputs are tokens
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{takes only tokens, and gives one}}
  %0 = "stablehlo.after_all"(%a) : (tensor<2xf32>) -> !stablehlo.token
  func.return
}

// -----
// T: result is a token
func.func @main() {
  // expected-error@+1 {{takes only tokens, and gives one}}
  %0 = "stablehlo.after_all"() : () -> tensor<2xf32>
  func.return
}

// -----
// T: one result
func.func @main() {
  // expected-error@+1 {{takes only tokens, and gives one}}
  "stablehlo.after_all"() : () -> ()
  func.return
}
