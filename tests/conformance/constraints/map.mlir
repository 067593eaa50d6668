// constraints: 4

// -----
// accepted: two inputs of different element types; of a scalar
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>, %c: tensor<f32>) {
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>):
    %1 = "stablehlo.convert"(%p) : (tensor<f32>) -> tensor<i32>
    %2 = "stablehlo.add"(%1, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%2) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %3 = "stablehlo.map"(%c) ({
  ^bb0(%p: tensor<f32>):
    "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) {dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----
// C1: shape(inputs...) are the same
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x4xi32>) {
  // expected-error@+1 {{operand 1 is tensor<2x4xi32>, operand 0 tensor<2x3xf32>; they must have one size}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>):
    %1 = "stablehlo.convert"(%p) : (tensor<f32>) -> tensor<i32>
    %2 = "stablehlo.add"(%1, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%2) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x4xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C1: shape(inputs...) = shape(result)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>):
    %1 = "stablehlo.convert"(%p) : (tensor<f32>) -> tensor<i32>
    %2 = "stablehlo.add"(%1, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%2) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<3x2xi32>
  func.return
}

// -----
// C2: 0 < size(inputs)
func.func @main() {
  // expected-error@+1 {{has no operands}}
  %0 = "stablehlo.map"() ({
  ^bb0():
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64>} : () -> tensor<f32>
  func.return
}

// -----
// C3: dimensions = range(rank(inputs[0])), the order
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{'dimensions' must name all dimensions in order}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>):
    %1 = "stablehlo.convert"(%p) : (tensor<f32>) -> tensor<i32>
    %2 = "stablehlo.add"(%1, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%2) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 1, 0>} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C3: dimensions = range(rank(inputs[0])), the size
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{'dimensions' has 1 values; 2 are needed}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>):
    %1 = "stablehlo.convert"(%p) : (tensor<f32>) -> tensor<i32>
    %2 = "stablehlo.add"(%1, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%2) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C4: computation has an argument for each input
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{its computation has 1 arguments; it needs 2}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<f32>):
    "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C4: the arguments of computation have the element types of inputs
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{argument 1 of its computation must be tensor<i32>}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C4: the arguments of computation are 0-dimensional
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{argument 0 of its computation must be tensor<f32>}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<3xf32>, %q: tensor<i32>):
    "stablehlo.return"(%q) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C4: computation returns one value
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>):
    // expected-error@+1 {{returns 2 values; the computation of stablehlo.map needs 1}}
    "stablehlo.return"(%q, %q) : (tensor<i32>, tensor<i32>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C4: computation returns a 0-dimensional tensor
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{its computation must return a scalar}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>):
    %1 = "stablehlo.reshape"(%q) : (tensor<i32>) -> tensor<1xi32>
    "stablehlo.return"(%1) : (tensor<1xi32>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// C4: element_type(result) is what computation returns
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x3xf32>, but it is tensor<2x3xi32>}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>):
    %1 = "stablehlo.convert"(%p) : (tensor<f32>) -> tensor<i32>
    %2 = "stablehlo.add"(%1, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%2) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  func.return
}

// -----
// I2: dimensions is missing
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{lacks the attribute 'dimensions'}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>):
    %1 = "stablehlo.convert"(%p) : (tensor<f32>) -> tensor<i32>
    %2 = "stablehlo.add"(%1, %q) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%2) : (tensor<i32>) -> ()
  }) : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----
// I3: computation is missing
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@+1 {{has 0 regions; it takes 1}}
  %0 = "stablehlo.map"(%a, %b) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}
