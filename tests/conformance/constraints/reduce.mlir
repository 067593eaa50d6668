// constraints: 8

// -----
// accepted: one of two dimensions; two inputs; all dimensions; none
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>, %c: tensor<f32>, %d: tensor<i32>) {
  %10 = "stablehlo.reduce"(%a, %c) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %11:2 = "stablehlo.reduce"(%a, %b, %c, %d) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
    %1 = "stablehlo.add"(%p, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.add"(%q, %s) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%1, %2) : (tensor<f32>, tensor<i32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  %12 = "stablehlo.reduce"(%a, %c) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1, 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  %13 = "stablehlo.reduce"(%a, %c) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return
}

// -----
// C1: same(shape(inputs...))
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x4xi32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{input 1 is tensor<2x4xi32>, input 0 is tensor<2x3xf32>; their sizes must be the same}}
  %0:2 = "stablehlo.reduce"(%a, %b, %c, %d) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
    %1 = "stablehlo.add"(%p, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.add"(%q, %s) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%1, %2) : (tensor<f32>, tensor<i32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<4xi32>)
  func.return
}

// -----
// C2: element_type(inputs...) = element_type(init_values...)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f64>) {
  // expected-error@+1 {{initial value 0 is tensor<f64>; it must be tensor<f32>}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f64>) -> tensor<2xf32>
  func.return
}

// -----
// C3: 0 < size(inputs)
func.func @main() {
  // expected-error@+1 {{has 0 operands; it takes inputs and as many initial values}}
  "stablehlo.reduce"() ({
  ^bb0():
    "stablehlo.return"() : () -> ()
  }) {dimensions = array<i64: 0>} : () -> ()
  func.return
}

// -----
// C3: size(inputs) = size(init_values)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>, %c: tensor<f32>) {
  // expected-error@+1 {{has 3 operands; it takes inputs and as many initial values}}
  %0 = "stablehlo.reduce"(%a, %b, %c) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// C3: size(inputs) = size(results)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}

// -----
// C4: dimensions < rank(inputs[0])
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'dimensions' names dimension 2 of a tensor of rank 2}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// C4: 0 <= dimensions
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'dimensions' names dimension -1 of a tensor of rank 2}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: -1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// C5: is_unique(dimensions)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'dimensions' names dimension 1 twice}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// C6: body has two arguments for each input
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{its reduction has 1 arguments; it needs 2}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>):
    "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// C6: body returns a value for each input
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    // expected-error@+1 {{returns 2 values; the reduction of stablehlo.reduce needs 1}}
    "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// C6: the arguments of body are 0-dimensional
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{argument 0 of its reduction must be tensor<f32>}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<2xf32>, %q: tensor<2xf32>):
    "stablehlo.return"(%p) : (tensor<2xf32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// C6: the arguments of body have the element types of the inputs
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{argument 1 of its reduction must be tensor<f32>}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>):
    "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// C6: body returns what it takes
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.convert"(%p) : (tensor<f32>) -> tensor<i32>
    // expected-error@+1 {{value 0 must be tensor<f32>}}
    "stablehlo.return"(%1) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// C6: is_promotable(element_type(inputs[i]), Ei)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{argument 0 of its reduction must be tensor<f32>}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    "stablehlo.return"(%p) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xi32>
  func.return
}

// -----
// accepted: Ei is wider than element_type(inputs[i])
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    "stablehlo.return"(%p) : (tensor<f64>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf64>
  func.return
}

// -----
// C7: shape(results...) = shape(inputs...) without dimensions
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  func.return
}

// -----
// C7: rank(results...)
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2x1xf32>, but it is tensor<2xf32>}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x1xf32>
  func.return
}

// -----
// C8: element_type(results[i]) = Ei
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{result 0 is declared as tensor<2xf64>, but it is tensor<2xf32>}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf64>
  func.return
}

// -----
// I2: init_values are 0-dimensional
func.func @main(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // expected-error@+1 {{initial value 0 is tensor<1xf32>; it must be tensor<f32>}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I3: dimensions is missing
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{lacks the attribute 'dimensions'}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// I4: body is empty
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{its reduction is empty}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// T: there is a body
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{has 0 regions; it takes 1}}
  %0 = "stablehlo.reduce"(%a, %b) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----
// T: body ends with stablehlo.return
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{its reduction does not end with stablehlo.return}}
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}
