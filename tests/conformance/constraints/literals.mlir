// constraints: 0

// -----
// accepted: every kind of constant
func.func @main() {
  %0 = "stablehlo.constant"() {value = dense<[127, -128, 0x7F]> : tensor<3xi8>} : () -> tensor<3xi8>
  %1 = "stablehlo.constant"() {value = dense<255> : tensor<ui8>} : () -> tensor<ui8>
  %2 = "stablehlo.constant"() {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
  %3 = "stablehlo.constant"() {value = dense<[1.0, -2.5e-3, 1e10, 0x7F800000]> : tensor<4xf32>} : () -> tensor<4xf32>
  %4 = "stablehlo.constant"() {value = dense<0x3C00> : tensor<f16>} : () -> tensor<f16>
  %5 = "stablehlo.constant"() {value = dense<[(1.0, 0.0), (0.0, -1.0)]> : tensor<2xcomplex<f32>>} : () -> tensor<2xcomplex<f32>>
  %6 = "stablehlo.constant"() {value = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>} : () -> tensor<2x3xi32>
  %7 = "stablehlo.constant"() {value = dense<"0x0000803F00000040"> : tensor<2xf32>} : () -> tensor<2xf32>
  %8 = "stablehlo.constant"() {value = dense<> : tensor<0x3xf32>} : () -> tensor<0x3xf32>
  %9 = "stablehlo.constant"() {value = dense<7> : tensor<2x3xi64>} : () -> tensor<2x3xi64>
  func.return
}

// -----
// T: integer constants, C1: is_wellformed(integer_literal, integer_type), too large
func.func @main() {
  // expected-error@+1 {{i8}}
  %0 = "stablehlo.constant"() {value = dense<256> : tensor<i8>} : () -> tensor<i8>
  func.return
}

// -----
// T: integer constants, C1: too small
func.func @main() {
  // expected-error@+1 {{i8}}
  %0 = "stablehlo.constant"() {value = dense<-129> : tensor<i8>} : () -> tensor<i8>
  func.return
}

// -----
// T: integer constants, C1: an unsigned one is not negative
func.func @main() {
  // expected-error@+1 {{ui8}}
  %0 = "stablehlo.constant"() {value = dense<-1> : tensor<ui8>} : () -> tensor<ui8>
  func.return
}

// -----
// T: integer constants, C1: no fraction
func.func @main() {
  // expected-error@+1 {{i32}}
  %0 = "stablehlo.constant"() {value = dense<1.5> : tensor<i32>} : () -> tensor<i32>
  func.return
}

// -----
// T: boolean constants: true or false
func.func @main() {
  // expected-error@+1 {{i1}}
  %0 = "stablehlo.constant"() {value = dense<2> : tensor<i1>} : () -> tensor<i1>
  func.return
}

// -----
// T: floating-point constants, C1: is_wellformed(float_literal, float_type)
func.func @main() {
  // expected-error@+1 {{f32}}
  %0 = "stablehlo.constant"() {value = dense<true> : tensor<f32>} : () -> tensor<f32>
  func.return
}

// -----
// T: floating-point constants, C1: with a point or an exponent
func.func @main() {
  // expected-error@+1 {{write 1.0, not 1}}
  %0 = "stablehlo.constant"() {value = dense<1> : tensor<f32>} : () -> tensor<f32>
  func.return
}

// -----
// T: floating-point constants, C2: size(hexadecimal_digits) = num_bits(float_type) / 4
func.func @main() {
  // expected-error@+1 {{f32}}
  %0 = "stablehlo.constant"() {value = dense<0x7F8000000> : tensor<f32>} : () -> tensor<f32>
  func.return
}

// -----
// T: complex constants, C1: is_wellformed(real_part, complex_element_type(complex_type))
func.func @main() {
  // expected-error@+1 {{a boolean among elements of type f32}}
  %0 = "stablehlo.constant"() {value = dense<(true, 0.0)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
  func.return
}

// -----
// T: complex constants, C2: is_wellformed(imaginary_part, complex_element_type(complex_type))
func.func @main() {
  // expected-error@+1 {{a boolean among elements of type f32}}
  %0 = "stablehlo.constant"() {value = dense<(1.0, true)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
  func.return
}

// -----
// T: complex constants: two parts
func.func @main() {
  // expected-error@+1 {{expected '('}}
  %0 = "stablehlo.constant"() {value = dense<1.0> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
  func.return
}

// -----
// T: tensor constants, C1: has_syntax(tensor_literal, element_type(tensor_type))
func.func @main() {
  // expected-error@+1 {{not a value of type i32}}
  %0 = "stablehlo.constant"() {value = dense<[1, 2.5]> : tensor<2xi32>} : () -> tensor<2xi32>
  func.return
}

// -----
// T: tensor constants, C2: has_shape(tensor_literal, shape(tensor_type)), the size
func.func @main() {
  // expected-error@+1 {{dimension 0 has more than the 2 elements of the type}}
  %0 = "stablehlo.constant"() {value = dense<[1, 2, 3]> : tensor<2xi32>} : () -> tensor<2xi32>
  func.return
}

// -----
// T: tensor constants, C2: the size within
func.func @main() {
  // expected-error@+1 {{dimension 1 has 1 elements here, the type has 2 of them}}
  %0 = "stablehlo.constant"() {value = dense<[[1, 2], [3]]> : tensor<2x2xi32>} : () -> tensor<2x2xi32>
  func.return
}

// -----
// T: tensor constants, C2: the rank
func.func @main() {
  // expected-error@+1 {{expected '['}}
  %0 = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<1x2xi32>} : () -> tensor<1x2xi32>
  func.return
}

// -----
// T: tensor constants, C2: nothing is no splat
func.func @main() {
  // expected-error@+1 {{dense<> is empty, its type has 2 elements}}
  %0 = "stablehlo.constant"() {value = dense<> : tensor<2xi32>} : () -> tensor<2xi32>
  func.return
}

// -----
// T: tensor constants: bytes in hexadecimal, as many as the elements take
func.func @main() {
  // expected-error@+1 {{6 bytes where the type takes 8}}
  %0 = "stablehlo.constant"() {value = dense<"0x0000803F0000"> : tensor<2xf32>} : () -> tensor<2xf32>
  func.return
}

// -----
// T: string constants end
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{string}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: enum constants are of their kind
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'comparison_direction' must be one of}}
  %0 = "stablehlo.compare"(%a, %a) {comparison_direction = "LT"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  func.return
}
