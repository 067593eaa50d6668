// THREE_FRY: every shard draws what the whole array has there; the state goes on as by the whole.
func.func public @main() -> (tensor<16x24xui32>, tensor<7x9x5xui32>, tensor<5x6xui64>, tensor<40xui8>, tensor<3x8x2xui16>, tensor<13xui32>, tensor<9x1x4xf32>, tensor<2xui64>) {
  %s0 = stablehlo.constant dense<[7, 18446744073709551613]> : tensor<2xui64>
  %s1, %r0 = stablehlo.rng_bit_generator %s0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<16x24xui32>)
  %s2, %r1 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x9x5xui32>)
  %s3, %r2 = stablehlo.rng_bit_generator %s2, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x6xui64>)
  %s4, %r3 = stablehlo.rng_bit_generator %s3, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<40xui8>)
  %s5, %r4 = stablehlo.rng_bit_generator %s4, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x8x2xui16>)
  %s6, %r5 = stablehlo.rng_bit_generator %s5, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<13xui32>)
  %s7, %r6 = stablehlo.rng_bit_generator %s6, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<9x1x4xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %s7 : tensor<16x24xui32>, tensor<7x9x5xui32>, tensor<5x6xui64>, tensor<40xui8>, tensor<3x8x2xui16>, tensor<13xui32>, tensor<9x1x4xf32>, tensor<2xui64>
}

// -----

// PHILOX: every shard draws what the whole array has there; the state goes on as by the whole.
func.func public @main() -> (tensor<16x24xui32>, tensor<7x9x5xui32>, tensor<5x6xui64>, tensor<40xui8>, tensor<3x8x2xui16>, tensor<13xui32>, tensor<9x1x4xf32>, tensor<3xui64>) {
  %s0 = stablehlo.constant dense<[7, 18446744073709551613, 5]> : tensor<3xui64>
  %s1, %r0 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<16x24xui32>)
  %s2, %r1 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7x9x5xui32>)
  %s3, %r2 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5x6xui64>)
  %s4, %r3 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<40xui8>)
  %s5, %r4 = stablehlo.rng_bit_generator %s4, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x8x2xui16>)
  %s6, %r5 = stablehlo.rng_bit_generator %s5, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<13xui32>)
  %s7, %r6 = stablehlo.rng_bit_generator %s6, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<9x1x4xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %s7 : tensor<16x24xui32>, tensor<7x9x5xui32>, tensor<5x6xui64>, tensor<40xui8>, tensor<3x8x2xui16>, tensor<13xui32>, tensor<9x1x4xf32>, tensor<3xui64>
}

// -----

// PHILOX: every shard draws what the whole array has there; the state goes on as by the whole.
func.func public @main() -> (tensor<16x24xui32>, tensor<7x9x5xui32>, tensor<5x6xui64>, tensor<40xui8>, tensor<3x8x2xui16>, tensor<13xui32>, tensor<9x1x4xf32>, tensor<2xui64>) {
  %s0 = stablehlo.constant dense<[18446744073709551610, 3]> : tensor<2xui64>
  %s1, %r0 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<16x24xui32>)
  %s2, %r1 = stablehlo.rng_bit_generator %s1, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x9x5xui32>)
  %s3, %r2 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x6xui64>)
  %s4, %r3 = stablehlo.rng_bit_generator %s3, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<40xui8>)
  %s5, %r4 = stablehlo.rng_bit_generator %s4, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x8x2xui16>)
  %s6, %r5 = stablehlo.rng_bit_generator %s5, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<13xui32>)
  %s7, %r6 = stablehlo.rng_bit_generator %s6, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<9x1x4xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %s7 : tensor<16x24xui32>, tensor<7x9x5xui32>, tensor<5x6xui64>, tensor<40xui8>, tensor<3x8x2xui16>, tensor<13xui32>, tensor<9x1x4xf32>, tensor<2xui64>
}

// -----

// DEFAULT: every shard draws what the whole array has there; the state goes on as by the whole.
func.func public @main() -> (tensor<16x24xui32>, tensor<7x9x5xui32>, tensor<5x6xui64>, tensor<40xui8>, tensor<3x8x2xui16>, tensor<13xui32>, tensor<9x1x4xf32>, tensor<2xui64>) {
  %s0 = stablehlo.constant dense<[3, 9]> : tensor<2xui64>
  %s1, %r0 = stablehlo.rng_bit_generator %s0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<16x24xui32>)
  %s2, %r1 = stablehlo.rng_bit_generator %s1, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7x9x5xui32>)
  %s3, %r2 = stablehlo.rng_bit_generator %s2, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x6xui64>)
  %s4, %r3 = stablehlo.rng_bit_generator %s3, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<40xui8>)
  %s5, %r4 = stablehlo.rng_bit_generator %s4, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x8x2xui16>)
  %s6, %r5 = stablehlo.rng_bit_generator %s5, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<13xui32>)
  %s7, %r6 = stablehlo.rng_bit_generator %s6, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<9x1x4xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %s7 : tensor<16x24xui32>, tensor<7x9x5xui32>, tensor<5x6xui64>, tensor<40xui8>, tensor<3x8x2xui16>, tensor<13xui32>, tensor<9x1x4xf32>, tensor<2xui64>
}
