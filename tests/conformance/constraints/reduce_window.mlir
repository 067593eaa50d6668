// constraints: 16

// -----
// accepted: dilations, strides and padding
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// accepted: only a window
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<3x7xf32>
  return
}

// -----
// accepted: padding that takes away, a window that fits nowhere
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[-2, 0], [0, -6]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<4x0xf32>
  return
}

// -----
// accepted: two inputs
func.func @main(%a: tensor<4x9xf32>, %b: tensor<4x9xi8>, %v: tensor<f32>, %w: tensor<i8>) {
  %0:2 = "stablehlo.reduce_window"(%a, %b, %v, %w) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i8>, %p: tensor<f32>, %q: tensor<i8>):
    stablehlo.return %p, %q : tensor<f32>, tensor<i8>
  }) : (tensor<4x9xf32>, tensor<4x9xi8>, tensor<f32>, tensor<i8>) -> (tensor<7x4xf32>, tensor<7x4xi8>)
  return
}

// -----
// C1: 0 < size(inputs)
func.func @main() {
  // expected-error@+1 {{has 0 operands; it takes as many initial values as inputs}}
  "stablehlo.reduce_window"() <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : () -> ()
  return
}

// -----
// C1: size(inputs) = size(init_values)
func.func @main(%a: tensor<4x9xf32>, %b: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{has 3 operands; it takes as many initial values as inputs}}
  %0 = "stablehlo.reduce_window"(%a, %b, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C1: size(inputs) = size(results)
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> (tensor<7x4xf32>, tensor<7x4xf32>)
  return
}

// -----
// C2: same(shape(inputs...))
func.func @main(%a: tensor<4x9xf32>, %b: tensor<4x8xi8>, %v: tensor<f32>, %w: tensor<i8>) {
  // expected-error@+1 {{operand 1 is tensor<4x8xi8>, operand 0 tensor<4x9xf32>; they must have one size}}
  %0:2 = "stablehlo.reduce_window"(%a, %b, %v, %w) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i8>, %p: tensor<f32>, %q: tensor<i8>):
    stablehlo.return %p, %q : tensor<f32>, tensor<i8>
  }) : (tensor<4x9xf32>, tensor<4x8xi8>, tensor<f32>, tensor<i8>) -> (tensor<7x4xf32>, tensor<7x4xi8>)
  return
}

// -----
// C3: element_type(inputs...) = element_type(init_values...)
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f64>) {
  // expected-error@+1 {{initial value 0 is tensor<f64>; it must be tensor<f32>}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f64>) -> tensor<7x4xf32>
  return
}

// -----
// C4: size(window_dimensions) = rank
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dimensions' has 1 values; 2 are needed}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 1>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C5: 0 < window_dimensions
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dimensions' is 0 in dimension 1; it must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 1, 0>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C5: 0 < window_dimensions: none is negative
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dimensions' is -2 in dimension 0; it must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: -2, 1>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C6: size(window_strides) = rank
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_strides' has 1 values; 2 are needed}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C7: 0 < window_strides
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_strides' is 0 in dimension 1; it must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 0>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C7: 0 < window_strides: none is negative
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_strides' is -2 in dimension 0; it must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: -2, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C8: size(base_dilations) = rank
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'base_dilations' has 1 values; 2 are needed}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C9: 0 < base_dilations
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'base_dilations' is 0 in dimension 1; it must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 1, 0>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C9: 0 < base_dilations: none is negative
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'base_dilations' is -2 in dimension 0; it must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: -2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C10: size(window_dilations) = rank
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dilations' has 1 values; 2 are needed}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C11: 0 < window_dilations
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dilations' is 0 in dimension 1; it must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 0>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C11: 0 < window_dilations: none is negative
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dilations' is -2 in dimension 0; it must be positive}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: -2, 1>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C12: shape(padding) = [rank(inputs[0]), 2]: rows
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'padding' is tensor<1x2xi64>; it must be 2x2}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C12: shape(padding) = [rank(inputs[0]), 2]: columns
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'padding' is tensor<2x1xi64>; it must be 2x2}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1], [0]]> : tensor<2x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C12: shape(padding) = [rank(inputs[0]), 2]: not flat
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'padding' is tensor<4xi64>; it must be 2x2}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[1, 0, 0, 2]> : tensor<4xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// accepted: computed in a wider type
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.maximum %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf64>
  return
}

// -----
// C13: is_promotable(element_type(inputs[i]), Ei): no narrower type
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{argument 0 of its reduction}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f16>, %y: tensor<f16>):
    %z = stablehlo.maximum %x, %y : tensor<f16>
    stablehlo.return %z : tensor<f16>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf16>
  return
}

// -----
// C13: body takes two values for each input
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{its reduction has 1 arguments; it needs 2}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C13: body takes scalars
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{argument 1 of its reduction}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<2xf32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C13: body takes one element type
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{argument 1 of its reduction}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C13: body returns what it takes
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      // expected-error@+1 {{value 0 must be tensor<f32>}}
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C13: body returns one value for each input
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      // expected-error@+1 {{returns 2 values; the reduction}}
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C13: is_promotable(element_type(inputs[i]), Ei)
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{argument 0 of its reduction}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C14: same(shape(results...))
func.func @main(%a: tensor<4x9xf32>, %b: tensor<4x9xi8>, %v: tensor<f32>, %w: tensor<i8>) {
  // expected-error@+1 {{result 1 is declared as tensor<7x5xi8>, but it is tensor<7x4xi8>: dimension 1 is 4, not 5}}
  %0:2 = "stablehlo.reduce_window"(%a, %b, %v, %w) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i8>, %p: tensor<f32>, %q: tensor<i8>):
    stablehlo.return %p, %q : tensor<f32>, tensor<i8>
  }) : (tensor<4x9xf32>, tensor<4x9xi8>, tensor<f32>, tensor<i8>) -> (tensor<7x4xf32>, tensor<7x5xi8>)
  return
}

// -----
// C15: shape(results[0]) = num_windows
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{declared as tensor<8x4xf32>, but it is tensor<7x4xf32>: dimension 0 is 7, not 8}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<8x4xf32>
  return
}

// -----
// C15: num_windows = 0 if is_empty_window
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{but it is tensor<7x0xf32>: dimension 1 is 0, not 1}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 7>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x1xf32>
  return
}

// -----
// C15: a window of this size is none
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{is too large}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 9223372036854775807>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// C16: element_type(results[i]) = Ei
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{declared as tensor<7x4xf64>, but it is tensor<7x4xf32>}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf64>
  return
}

// -----
// I1: variadic number of tensors
// unimplemented
func.func @main(%a: !stablehlo.token, %v: tensor<f32>) {
  // expected-error@+1 {{operand 0 is !stablehlo.token; only tensors}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (!stablehlo.token, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// I2: variadic number of 0-dimensional tensors
func.func @main(%a: tensor<4x9xf32>, %v: tensor<1xf32>) {
  // expected-error@+1 {{initial value 0 is tensor<1xf32>; it must be tensor<f32>}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<1xf32>) -> tensor<7x4xf32>
  return
}

// -----
// I3: 1-dimensional tensor constant of type si64
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dimensions' is no list of integers}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = "1", window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// I4: 1-dimensional tensor constant of type si64
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_strides' is no list of integers}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = "1", base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// I5: 1-dimensional tensor constant of type si64
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'base_dilations' is no list of integers}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = "1", window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// I6: 1-dimensional tensor constant of type si64
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dilations' is no list of integers}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = "1", padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// I7: 2-dimensional tensor constant of type si64
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'padding' is no list of integers}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// I8: function
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{has 0 regions; it takes 1}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----
// T: has window_dimensions
func.func @main(%a: tensor<4x9xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{lacks the attribute 'window_dimensions'}}
  %0 = "stablehlo.reduce_window"(%a, %v) <{window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}
