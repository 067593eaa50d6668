// constraints: 2

// -----
// accepted: THREE_FRY
func.func @main(%s: tensor<2xui64>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return
}

// -----
// accepted: PHILOX of three words, as floats
func.func @main(%s: tensor<3xui64>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xf32>)
  return
}

// -----
// accepted: PHILOX of two words
func.func @main(%s: tensor<2xui64>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return
}

// -----
// accepted: DEFAULT
func.func @main(%s: tensor<2xui64>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return
}

// -----
// C1: type(initial_state) = type(output_state)
func.func @main(%s: tensor<2xui64>) {
  // expected-error@+1 {{but it is tensor<2xui64>: dimension 0 is 2, not 3}}
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<3xui64>, tensor<3x4xui32>)
  return
}

// -----
// C2: size(initial_state) = 2 if rng_algorithm = THREE_FRY
func.func @main(%s: tensor<3xui64>) {
  // expected-error@+1 {{its state is tensor<3xui64>; it must be tensor<2xui64>}}
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x4xui32>)
  return
}

// -----
// C2: size(initial_state) = 2 or 3 if rng_algorithm = PHILOX
func.func @main(%s: tensor<4xui64>) {
  // expected-error@+1 {{its state is tensor<4xui64>; it must be tensor<2xui64>}}
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<4xui64>) -> (tensor<4xui64>, tensor<3x4xui32>)
  return
}

// -----
// C2: size(initial_state) is implementation-defined if rng_algorithm = DEFAULT
func.func @main(%s: tensor<1xui64>) {
  // expected-error@+1 {{its state is tensor<1xui64>}}
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<1xui64>) -> (tensor<1xui64>, tensor<3x4xui32>)
  return
}

// -----
// I1: enum of DEFAULT, THREE_FRY, and PHILOX
func.func @main(%s: tensor<2xui64>) {
  // expected-error@+1 {{rng_algorithm}}
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm MT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return
}

// -----
// I2: 1-dimensional tensor
func.func @main(%s: tensor<1x2xui64>) {
  // expected-error@+1 {{its state is tensor<1x2xui64>}}
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<1x2xui64>) -> (tensor<1x2xui64>, tensor<3x4xui32>)
  return
}

// -----
// I2: tensor of type ui64
func.func @main(%s: tensor<2xi64>) {
  // expected-error@+1 {{its state is tensor<2xi64>}}
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xi64>) -> (tensor<2xi64>, tensor<3x4xui32>)
  return
}

// -----
// T: output is a tensor of integer or floating-point type
func.func @main(%s: tensor<2xui64>) {
  // expected-error@+1 {{makes integers and floats, not tensor<3x4xi1>}}
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xi1>)
  return
}

// -----
// T: output is a tensor of integer or floating-point type: not complex
func.func @main(%s: tensor<2xui64>) {
  // expected-error@+1 {{makes integers and floats, not tensor<3xcomplex<f32>>}}
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xcomplex<f32>>)
  return
}

// -----
// T: two results
func.func @main(%s: tensor<2xui64>) {
  // expected-error@+1 {{has 1 results; it gives 2}}
  %0 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> tensor<2xui64>
  return
}

// -----
// T: one operand
func.func @main(%s: tensor<2xui64>, %t: tensor<2xui64>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0:2 = "stablehlo.rng_bit_generator"(%s, %t) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>, tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return
}

// -----
// T: has rng_algorithm
func.func @main(%s: tensor<2xui64>) {
  // expected-error@+1 {{rng_algorithm}}
  %0:2 = "stablehlo.rng_bit_generator"(%s) : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return
}
