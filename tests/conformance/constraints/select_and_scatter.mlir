// constraints: 12

// -----
// accepted: strides and padding
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// accepted: only a window
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C1: element_type(operand) = element_type(source)
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf64>, %v: tensor<f32>) {
  // expected-error@+1 {{the source is tensor<2x2xf64>; the window has tensor<2x2xf32> places}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf64>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C2: shape(source) = num_windows
func.func @main(%a: tensor<4x2xf32>, %s: tensor<3x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{the source is tensor<3x2xf32>; the window has tensor<2x2xf32> places}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C2: num_windows = 0 if is_empty_window
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{the window has tensor<0x2xf32> places}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 6, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C3: element_type(init_value) = element_type(operand)
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f64>) {
  // expected-error@+1 {{the initial value is tensor<f64>; it must be tensor<f32>}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f64>) -> tensor<4x2xf32>
  return
}

// -----
// C4: size(window_dimensions) = rank
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dimensions' has 1 values; 2 are needed}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C5: 0 < window_dimensions
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dimensions' is 0 in dimension 1; it must be positive}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 1, 0>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C5: 0 < window_dimensions: none is negative
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dimensions' is -2 in dimension 0; it must be positive}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: -2, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C6: size(window_strides) = rank
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_strides' has 1 values; 2 are needed}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C7: 0 < window_strides
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_strides' is 0 in dimension 1; it must be positive}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 0>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C7: 0 < window_strides: none is negative
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_strides' is -2 in dimension 0; it must be positive}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: -2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C8: shape(padding) = [rank(operand), 2]: rows
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'padding' is tensor<1x2xi64>; it must be 2x2}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C8: shape(padding) = [rank(operand), 2]: columns
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'padding' is tensor<2x1xi64>; it must be 2x2}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1], [0]]> : tensor<2x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C9: select takes two values
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{its selection has 1 arguments; it needs 2}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i1>):
    stablehlo.return %x : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C9: select takes E = element_type(operand)
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{its selection must take two tensor<f32> and return tensor<i1>}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C9: select takes scalars
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{its selection must take two tensor<f32> and return tensor<i1>}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<2xf32>):
    %z = stablehlo.compare GE, %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C9: select returns tensor<i1>
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{its selection must take two tensor<f32> and return tensor<i1>}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C9: select returns one value
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      // expected-error@+1 {{returns 2 values; the selection}}
    stablehlo.return %z, %z : tensor<i1>, tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C10: scatter takes two values
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{its scatter has 1 arguments; it needs 2}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C10: is_promotable(element_type(operand), E)
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{its scatter must take two tensor<f32> and return tensor<f32>}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.maximum %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C10: scatter returns what it takes
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{its scatter must take two tensor<f32> and return tensor<f32>}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// C11: shape(operand) = shape(result)
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{declared as tensor<5x2xf32>, but it is tensor<4x2xf32>: dimension 0 is 4, not 5}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<5x2xf32>
  return
}

// -----
// C12: element_type(result) = E
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{declared as tensor<4x2xf64>, but it is tensor<4x2xf32>}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf64>
  return
}

// -----
// T: has window_dimensions
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{lacks the attribute 'window_dimensions'}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// accepted: a scatter over a wider type
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.maximum %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf64>
  return
}

// -----
// I3: 0-dimensional tensor
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<1xf32>) {
  // expected-error@+1 {{the initial value is tensor<1xf32>; it must be tensor<f32>}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<1xf32>) -> tensor<4x2xf32>
  return
}

// -----
// I4: 1-dimensional tensor constant of type si64
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_dimensions' is no list of integers}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = "1", window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// I5: 1-dimensional tensor constant of type si64
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'window_strides' is no list of integers}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = "1", padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// I6: 2-dimensional tensor constant of type si64
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'padding' is no list of integers}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// I7: function
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{has 1 regions; it takes 2}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %v) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return
}

// -----
// T: three operands
func.func @main(%a: tensor<4x2xf32>, %s: tensor<2x2xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 3}}
  %0 = "stablehlo.select_and_scatter"(%a, %s) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  return
}
