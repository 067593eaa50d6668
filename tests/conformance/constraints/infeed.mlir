// constraints: 3

// -----
// accepted: what a queue has
module {
  func.func @cell(%t: !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token) {
    %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    return %0#0, %0#1 : tensor<2xf32>, !stablehlo.token
  }
  func.func @queue() -> tensor<2xf32> {
    %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @main() {
    %t = stablehlo.create_token : !stablehlo.token
    %0:2 = "interpreter.run_parallel"(%t) {infeed = [@queue], programs = [[@cell]]} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    return
  }
}

// -----
// C1: 0 < size(results)
func.func @main(%t: !stablehlo.token) {
  // expected-error@+1 {{has no results; it needs a token as its last}}
  "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> ()
  return
}

// -----
// C2: is_tensor(type(results[:-1]))
func.func @main(%t: !stablehlo.token) {
  // expected-error@+1 {{result 0 is !stablehlo.token; it must be a tensor}}
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----
// C3: is_token(type(results[-1]))
func.func @main(%t: !stablehlo.token) {
  // expected-error@+1 {{result 1 is tensor<2xf32>; it must be a token}}
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----
// I1: token
func.func @main(%t: tensor<2xf32>) {
  // expected-error@+1 {{operand 0 is tensor<2xf32>; it must be a token}}
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (tensor<2xf32>) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----
// I2: constant of type string
func.func @main(%t: !stablehlo.token) {
  // expected-error@+1 {{'infeed_config' is no string}}
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = 1 : i64}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----
// T: one operand
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0:2 = "stablehlo.infeed"(%a, %t) <{infeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----
// T: a layout for every tensor
func.func @main(%t: !stablehlo.token) {
  // expected-error@+1 {{'layout' must be an array of 1 lists}}
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0], [0]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----
// T: a layout is an array
func.func @main(%t: !stablehlo.token) {
  // expected-error@+1 {{'layout' must be an array of 1 lists}}
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = "0"}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----
// T: a layout is a list of dimensions
func.func @main(%t: !stablehlo.token) {
  // expected-error@+1 {{element 0 of 'layout' is no list of integers}}
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [["0"]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}
