// constraints: 4

// -----
// accepted: two branches, one, no results
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  %0 = "stablehlo.case"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i32>) -> tensor<2xf32>
  "stablehlo.case"(%a) ({
    "stablehlo.return"() : () -> ()
  }) : (tensor<i32>) -> ()
  func.return
}

// -----
// C1: 0 < size(branches)
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{has no branches}}
  %0 = "stablehlo.case"(%a) : (tensor<i32>) -> tensor<2xf32>
  func.return
}

// -----
// C2: input_types(branches...) = []
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{its branch has 1 arguments; it needs 0}}
  %0 = "stablehlo.case"(%a) ({
  ^bb0(%p: tensor<2xf32>):
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i32>) -> tensor<2xf32>
  func.return
}

// -----
// C2: input_types(branches...) = []
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{its branch has 1 arguments; it needs 0}}
  %0 = "stablehlo.case"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
  ^bb0(%p: tensor<2xf32>):
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i32>) -> tensor<2xf32>
  func.return
}

// -----
// C3: same(output_types(branches...))
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  %0 = "stablehlo.case"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    // expected-error@+1 {{branch 1 returns tensor<i32> as value 0, branch 0 returns tensor<2xf32>}}
    "stablehlo.return"(%a) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<2xf32>
  func.return
}

// -----
// C3: same(output_types(branches...)), the number
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  %0 = "stablehlo.case"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    // expected-error@+1 {{returns 2 values; the branch of stablehlo.case needs 1}}
    "stablehlo.return"(%b, %b) : (tensor<2xf32>, tensor<2xf32>) -> ()
  }) : (tensor<i32>) -> tensor<2xf32>
  func.return
}

// -----
// C4: type(results...) = output_types(branches[0])
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.case"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i32>) -> tensor<3xf32>
  func.return
}

// -----
// C4: type(results...) = output_types(branches[0]), the number
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.case"(%a) ({
    // expected-error@+1 {{returns 1 values; the branch of stablehlo.case needs 2}}
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}

// -----
// I1: index is a 0-dimensional tensor of type i32
func.func @main(%a: tensor<i64>, %b: tensor<2xf32>) {
  // expected-error@+1 {{the index is tensor<i64>; it must be tensor<i32>}}
  %0 = "stablehlo.case"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i64>) -> tensor<2xf32>
  func.return
}

// -----
// I1: index is a 0-dimensional tensor of type i32
func.func @main(%a: tensor<1xi32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{the index is tensor<1xi32>; it must be tensor<i32>}}
  %0 = "stablehlo.case"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<1xi32>) -> tensor<2xf32>
  func.return
}

// -----
// T: a branch is empty
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{its branch is empty}}
  %0 = "stablehlo.case"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
  }) : (tensor<i32>) -> tensor<2xf32>
  func.return
}

// -----
// T: one operand
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.case"(%a, %b) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}
