// A value for no elements is not what comes back from the pretty form.
func.func @main(%a: tensor<9x6xf32>, %b: tensor<6x8xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64>, padding = dense<1> : tensor<0x2xi64>, dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<9x6xf32>, tensor<6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

// A comment within an attribute's body, and one before its end.
func.func @main(%a: tensor<9x6xf32>, %b: tensor<6x8xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64>, padding = dense<> : tensor<0x2xi64>, dimension_numbers = #stablehlo.conv<[b, f]x[i, o] // >
  ->[b, f] // ]
  >, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<9x6xf32>, tensor<6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

// Comments before and behind the name within angles.
func.func @main(%s: tensor<2xui64>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo< // >
  rng_algorithm // <
  MT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xf64>)
  %1:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo< // >
  rng_algorithm // <
  <DEFAULT> // >
  >}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xf64>)
  return
}
