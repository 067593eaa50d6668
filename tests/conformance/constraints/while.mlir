// constraints: 3

// -----
// accepted: two values; none
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    "stablehlo.return"(%p, %q) : (tensor<i32>, tensor<2xf32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  "stablehlo.while"() ({
    %2 = "stablehlo.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
    "stablehlo.return"(%2) : (tensor<i1>) -> ()
  }, {
    "stablehlo.return"() : () -> ()
  }) : () -> ()
  func.return
}

// -----
// C1: cond takes as many values as there are operands
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{its condition has 1 arguments; it needs 2}}
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    "stablehlo.return"(%p, %q) : (tensor<i32>, tensor<2xf32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  func.return
}

// -----
// C1: cond takes values of the types of operands
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{argument of the condition 1 is tensor<3xf32>; operand 1 of stablehlo.while is tensor<2xf32>}}
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<3xf32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    "stablehlo.return"(%p, %q) : (tensor<i32>, tensor<2xf32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  func.return
}

// -----
// C1: cond returns one value
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    // expected-error@+1 {{returns 2 values; the condition of stablehlo.while needs 1}}
    "stablehlo.return"(%1, %1) : (tensor<i1>, tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    "stablehlo.return"(%p, %q) : (tensor<i32>, tensor<2xf32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  func.return
}

// -----
// C1: cond returns an i1
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    // expected-error@+1 {{the condition returns tensor<i32>; it must return tensor<i1>}}
    "stablehlo.return"(%p) : (tensor<i32>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    "stablehlo.return"(%p, %q) : (tensor<i32>, tensor<2xf32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  func.return
}

// -----
// C1: cond returns a 0-dimensional tensor
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    %1 = "stablehlo.constant"() {value = dense<true> : tensor<1xi1>} : () -> tensor<1xi1>
    // expected-error@+1 {{the condition returns tensor<1xi1>; it must return tensor<i1>}}
    "stablehlo.return"(%1) : (tensor<1xi1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    "stablehlo.return"(%p, %q) : (tensor<i32>, tensor<2xf32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  func.return
}

// -----
// C2: body takes as many values as there are operands
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{its body has 1 arguments; it needs 2}}
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>):
    "stablehlo.return"(%p, %b) : (tensor<i32>, tensor<2xf32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  func.return
}

// -----
// C2: body takes values of the types of operands
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{argument of the body 1 is tensor<2xf64>; operand 1 of stablehlo.while is tensor<2xf32>}}
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<2xf64>):
    "stablehlo.return"(%p, %b) : (tensor<i32>, tensor<2xf32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  func.return
}

// -----
// C2: body returns as many values as there are operands
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    // expected-error@+1 {{returns 1 values; the body of stablehlo.while needs 2}}
    "stablehlo.return"(%p) : (tensor<i32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  func.return
}

// -----
// C2: body returns values of the types of operands
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    // expected-error@+1 {{value 1 is tensor<i32>; operand 1 of stablehlo.while is tensor<2xf32>}}
    "stablehlo.return"(%p, %p) : (tensor<i32>, tensor<i32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  func.return
}

// -----
// C3: size(results) = size(operand)
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{has 1 results; it gives 2}}
  %0 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    "stablehlo.return"(%p, %q) : (tensor<i32>, tensor<2xf32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> tensor<i32>
  func.return
}

// -----
// C3: type(results...) = type(operand...)
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{result 1 is declared as tensor<3xf32>, but it is tensor<2xf32>: dimension 0 is 2, not 3}}
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    "stablehlo.return"(%p, %q) : (tensor<i32>, tensor<2xf32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<3xf32>)
  func.return
}

// -----
// I2: body is missing
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{has 1 regions; it takes 2}}
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  func.return
}

// -----
// I3: body is empty
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{its body is empty}}
  %0:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%p: tensor<i32>, %q: tensor<2xf32>):
    %1 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  func.return
}
