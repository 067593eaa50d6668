// constraints: 5

// -----
// accepted
func.func @main(%a: tensor<4x5xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// accepted: two inputs, a dimension counted from the end
func.func @main(%a: tensor<4x5xf32>, %b: tensor<4x5xi8>) {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = -2 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i8>, %q: tensor<i8>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>, tensor<4x5xi8>) -> (tensor<4x5xf32>, tensor<4x5xi8>)
  return
}

// -----
// C1: 0 < size(inputs)
func.func @main() {
  // expected-error@+1 {{has no inputs}}
  "stablehlo.sort"() <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : () -> ()
  return
}

// -----
// C2: type(inputs...) = type(results...): the element type
func.func @main(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{declared as tensor<4x5xf64>, but it is tensor<4x5xf32>}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf64>
  return
}

// -----
// C2: type(inputs...) = type(results...): the number
func.func @main(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>)
  return
}

// -----
// C3: same(shape(inputs...))
func.func @main(%a: tensor<4x5xf32>, %b: tensor<5x4xi8>) {
  // expected-error@+1 {{operand 1 is tensor<5x4xi8>, operand 0 tensor<4x5xf32>; they must have one size}}
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i8>, %q: tensor<i8>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>, tensor<5x4xi8>) -> (tensor<4x5xf32>, tensor<5x4xi8>)
  return
}

// -----
// C3: same(shape(inputs...) + shape(results...))
func.func @main(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{but it is tensor<4x5xf32>: dimension 0 is 4, not 5}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<5x4xf32>
  return
}

// -----
// C4: -R <= dimension
func.func @main(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{'dimension' is -3, which is not in [-2, 2)}}
  %0 = "stablehlo.sort"(%a) <{dimension = -3 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// C4: dimension < R
func.func @main(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{'dimension' is 2, which is not in [-2, 2)}}
  %0 = "stablehlo.sort"(%a) <{dimension = 2 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// C5: comparator takes two values for each input
func.func @main(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{its comparator has 1 arguments; it needs 2}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i1>):
    stablehlo.return %x : tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// C5: comparator takes scalars
func.func @main(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{argument 1 of its comparator must be tensor<f32>}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<5xf32>):
    %z = stablehlo.compare LT, %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// C5: comparator takes Ei = element_type(inputs[i])
func.func @main(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{argument 0 of its comparator must be tensor<f32>}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// C5: comparator takes two of each input after each other
func.func @main(%a: tensor<4x5xf32>, %b: tensor<4x5xi8>) {
  // expected-error@+1 {{argument 1 of its comparator must be tensor<f32>}}
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i8>, %p: tensor<f32>, %q: tensor<i8>):
    %z = stablehlo.compare LT, %x, %p : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>, tensor<4x5xi8>) -> (tensor<4x5xf32>, tensor<4x5xi8>)
  return
}

// -----
// C5: comparator returns tensor<i1>: the element type
func.func @main(%a: tensor<4x5xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      // expected-error@+1 {{its comparator must return tensor<i1>}}
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// C5: comparator returns tensor<i1>: a scalar
func.func @main(%a: tensor<4x5xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.constant dense<true> : tensor<2xi1>
      // expected-error@+1 {{its comparator must return tensor<i1>}}
    stablehlo.return %z : tensor<2xi1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// C5: comparator returns one value
func.func @main(%a: tensor<4x5xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      // expected-error@+1 {{returns 2 values; the comparator}}
    stablehlo.return %z, %z : tensor<i1>, tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// I1: variadic number of tensors
// unimplemented
func.func @main(%a: !stablehlo.token) {
  // expected-error@+1 {{operand 0 is !stablehlo.token; only tensors}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----
// I2: constant of type si64
func.func @main(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{'dimension' is no integer}}
  %0 = "stablehlo.sort"(%a) <{dimension = "1", is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// I3: constant of type i1
func.func @main(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{'is_stable' is neither true nor false}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// I4: function
func.func @main(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{has 0 regions; it takes 1}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}
