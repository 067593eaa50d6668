// constraints: 3

// -----
// accepted: two branches, no results
func.func @main(%a: tensor<i1>, %b: tensor<2xf32>) {
  %0 = "stablehlo.if"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  "stablehlo.if"(%a) ({
    "stablehlo.return"() : () -> ()
  }, {
    "stablehlo.return"() : () -> ()
  }) : (tensor<i1>) -> ()
  func.return
}

// -----
// C1: input_types(true_branch) = []
func.func @main(%a: tensor<i1>, %b: tensor<2xf32>) {
  // expected-error@+1 {{its branch has 1 arguments; it needs 0}}
  %0 = "stablehlo.if"(%a) ({
  ^bb0(%p: tensor<2xf32>):
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return
}

// -----
// C1: input_types(false_branch) = []
func.func @main(%a: tensor<i1>, %b: tensor<2xf32>) {
  // expected-error@+1 {{its branch has 1 arguments; it needs 0}}
  %0 = "stablehlo.if"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
  ^bb0(%p: tensor<2xf32>):
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return
}

// -----
// C2: output_types(true_branch) = output_types(false_branch)
func.func @main(%a: tensor<i1>, %b: tensor<2xf32>) {
  %0 = "stablehlo.if"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    // expected-error@+1 {{branch 1 returns tensor<i1> as value 0, branch 0 returns tensor<2xf32>}}
    "stablehlo.return"(%a) : (tensor<i1>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return
}

// -----
// C2: output_types(true_branch) = output_types(false_branch), the number
func.func @main(%a: tensor<i1>, %b: tensor<2xf32>) {
  %0 = "stablehlo.if"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    // expected-error@+1 {{returns 2 values; the branch of stablehlo.if needs 1}}
    "stablehlo.return"(%b, %b) : (tensor<2xf32>, tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return
}

// -----
// C3: type(results...) = output_types(true_branch)
func.func @main(%a: tensor<i1>, %b: tensor<2xf32>) {
  // expected-error@+1 {{dimension 0 is 2, not 3}}
  %0 = "stablehlo.if"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<3xf32>
  func.return
}

// -----
// C3: type(results...) = output_types(true_branch), the number
func.func @main(%a: tensor<i1>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.if"(%a) ({
    // expected-error@+1 {{returns 1 values; the branch of stablehlo.if needs 2}}
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}

// -----
// I1: pred is a 0-dimensional tensor of type i1
func.func @main(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{the predicate is tensor<i32>; it must be tensor<i1>}}
  %0 = "stablehlo.if"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i32>) -> tensor<2xf32>
  func.return
}

// -----
// I1: pred is a 0-dimensional tensor of type i1
func.func @main(%a: tensor<1xi1>, %b: tensor<2xf32>) {
  // expected-error@+1 {{the predicate is tensor<1xi1>; it must be tensor<i1>}}
  %0 = "stablehlo.if"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<1xi1>) -> tensor<2xf32>
  func.return
}

// -----
// I3: false_branch is missing
func.func @main(%a: tensor<i1>, %b: tensor<2xf32>) {
  // expected-error@+1 {{has 1 regions; it takes 2}}
  %0 = "stablehlo.if"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return
}

// -----
// T: a branch is empty
func.func @main(%a: tensor<i1>, %b: tensor<2xf32>) {
  // expected-error@+1 {{its branch is empty}}
  %0 = "stablehlo.if"(%a) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return
}

// -----
// T: one operand
func.func @main(%a: tensor<i1>, %b: tensor<2xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.if"(%a, %b) ({
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}
