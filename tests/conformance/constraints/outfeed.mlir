// constraints: 0

// -----
// accepted: what a cell writes
module {
  func.func @cell(%a: tensor<2xf32>, %t: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
  func.func @main(%a: tensor<2xf32>) {
    %t = stablehlo.create_token : !stablehlo.token
    %0 = "interpreter.run_parallel"(%a, %t) {programs = [[@cell]]} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return
  }
}

// -----
// I1: variadic number of tensors
func.func @main(%a: !stablehlo.token, %t: !stablehlo.token) {
  // expected-error@+1 {{operand 0 is !stablehlo.token; it must be a tensor}}
  %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// I2: token
func.func @main(%a: tensor<2xf32>, %t: tensor<2xf32>) {
  // expected-error@+1 {{operand 1 is tensor<2xf32>; it must be a token}}
  %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<2xf32>, tensor<2xf32>) -> !stablehlo.token
  return
}

// -----
// I3: constant of type string
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{'outfeed_config' is no string}}
  %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = 1 : i64}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// T: result is a token
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{result 0 is tensor<2xf32>; it must be a token}}
  %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> tensor<2xf32>
  return
}

// -----
// T: has a token
func.func @main() {
  // expected-error@+1 {{has no operands; it needs a token as its last}}
  %0 = "stablehlo.outfeed"() <{outfeed_config = ""}> : () -> !stablehlo.token
  return
}

// -----
// T: one result
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{has 0 results; it gives 1}}
  "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> ()
  return
}
