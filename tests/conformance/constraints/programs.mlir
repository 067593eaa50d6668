// constraints: 0

// -----
// accepted: functions that call one another, in any order
func.func @main(%a: tensor<2xf32>, %0: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %1 = func.call @half(%a) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %1, %0 : tensor<2xf32>, tensor<2xf32>
}
func.func private @half(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.constant"() {value = dense<0.5> : tensor<2xf32>} : () -> tensor<2xf32>
  %1 = "stablehlo.multiply"(%a, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  "func.return"(%1) : (tensor<2xf32>) -> ()
}

// -----
// accepted: one function of another name
func.func @f() {
  func.return
}

// -----
// T: a function returns as many values as its type says
func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // expected-error@+1 {{returns 1 values; the function's type has 2}}
  func.return %a : tensor<2xf32>
}

// -----
// T: a function returns values of the types that its type says
func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{value 0 is tensor<2xf32>; the function returns tensor<3xf32>}}
  func.return %a : tensor<2xf32>
}

// -----
// T: a function ends with func.return
// expected-error@+1 {{its body does not end with func.return}}
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}

// -----
// T: nothing stands behind func.return
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{stands before the end of its block}}
  "func.return"() : () -> ()
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: the arguments of a function are those of its type
// expected-error@+1 {{argument 0 differs from the function's type}}
"func.func"() ({
^bb0(%a: tensor<2xf32>):
  "func.return"() : () -> ()
}) {sym_name = "main", function_type = (tensor<3xf32>) -> ()} : () -> ()

// -----
// T: a function has as many arguments as its type says
// expected-error@+1 {{its body has 1 arguments, its type 0}}
"func.func"() ({
^bb0(%a: tensor<2xf32>):
  "func.return"() : () -> ()
}) {sym_name = "main", function_type = () -> ()} : () -> ()

// -----
// T: a function has a type
// expected-error@+1 {{a function needs a name, a type and one body}}
"func.func"() ({
  "func.return"() : () -> ()
}) {sym_name = "main"} : () -> ()

// -----
// T: a value is defined before it is used
func.func @main() {
  // expected-error@+1 {{%a}}
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: a value is not seen outside of its region
func.func @main(%p: tensor<i1>) -> tensor<i32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    "stablehlo.return"(%1) : (tensor<i32>) -> ()
  }, {
    // expected-error@+1 {{%1}}
    "stablehlo.return"(%1) : (tensor<i32>) -> ()
  }) : (tensor<i1>) -> tensor<i32>
  func.return %0 : tensor<i32>
}

// -----
// T: a value is defined once
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{%a}}
  %a = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: a value has one type
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{%a is tensor<2xf32> where it is defined, tensor<3xf32> here}}
  %0 = "stablehlo.abs"(%a) : (tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----
// T: the signature of an operation has all of its operands
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{operand}}
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: the signature of an operation has all of its results
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{result}}
  %0:2 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: a function that is called is there
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{calls @f, but the module has no such function}}
  %0 = func.call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: an assertion gives no results
func.func @main(%a: tensor<i1>) {
  // expected-error@+1 {{gives no results}}
  %0 = stablehlo.custom_call @shape_assertion(%a) : (tensor<i1>) -> tensor<i32>
  func.return
}

// -----
// T: a function that is called is there, before shapes are refined too
func.func @main(%a: tensor<2xf32>) {
  %0 = stablehlo.custom_call @mystery(%a) : (tensor<2xf32>) -> tensor<?xf32>
  // expected-error@+1 {{calls @f, but the module has no such function}}
  %1 = func.call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: a function that is called has a body
func.func private @f(tensor<2xf32>) -> tensor<2xf32>
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{calls @f, which has no body}}
  %0 = func.call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: a function is called with values of the types that it takes
func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  func.return %a : tensor<2xf32>
}
func.func @main(%a: tensor<3xf32>) {
  // expected-error@+1 {{operand 0 is tensor<3xf32>; @f takes tensor<2xf32>}}
  %0 = func.call @f(%a) : (tensor<3xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: a function that nothing calls calls one that is there
func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{calls @g, but the module has no such function}}
  %0 = func.call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main() {
  func.return
}

// -----
// T: a function is called with as many values as it takes
func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  func.return %a : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{has 2 operands and 1 results; @f has 1 and 1}}
  %0 = func.call @f(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: a function gives values of the types that it returns
func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  func.return %a : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{result 0 is tensor<3xf32>; @f returns tensor<2xf32>}}
  %0 = func.call @f(%a) : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}

// -----
// T: a call names a function
func.func @main() {
  // expected-error@+1 {{'callee' names no function}}
  "func.call"() {callee = "f"} : () -> ()
  func.return
}

// -----
// T: stablehlo.return ends regions, not functions
// expected-error@+1 {{its body does not end with func.return}}
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
}

// -----
// T: nothing stands behind stablehlo.return
func.func @main(%p: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }, {
    // expected-error@+1 {{stands before the end of its block}}
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----
// T: func.return ends functions, not regions
func.func @main(%p: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{its branch does not end with stablehlo.return}}
  %0 = "stablehlo.if"(%p) ({
    "func.return"(%a) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----
// T: stablehlo.return gives no results
func.func @main(%p: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.if"(%p) ({
    // expected-error@+1 {{has 1 results; it gives 0}}
    %1 = "stablehlo.return"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  }, {
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----
// T: a region has one block
// unimplemented
func.func @main(%p: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{its branch has several blocks}}
  %0 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  ^bb1:
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----
// T: an older operation, and what stands for it
// unimplemented
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{write it as stablehlo.dot_general}}
  %0 = "stablehlo.einsum"(%a, %b) {einsum_config = "ab,bc->ac"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----
// T: an array of bounded size
// unimplemented
func.func @main(%a: tensor<4xf32>, %n: tensor<i32>) {
  // expected-error@+1 {{arrays of bounded dynamic sizes are not supported}}
  %0 = "stablehlo.set_dimension_size"(%a, %n) {dimension = 0 : i64} : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  func.return
}

// -----
// T: no function calls itself
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{calls @main, which is what calls it: recursion is not possible}}
  %0 = func.call @main(%a) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----
// T: two functions have two names
func.func @main() {
  func.return
}
// expected-error@+1 {{another function is called @main}}
func.func @main() {
  func.return
}

// -----
// T: a function is one block: StableHLO does not jump
// unimplemented
// expected-error@+1 {{functions of several blocks are not supported}}
func.func @main(%a: tensor<2xf32>) {
  func.return
^bb1:
  func.return
}

// -----
// T: an operation is one of StableHLO
// unimplemented
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{this operation is not supported}}
  %0 = "stablehlo.halve"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: an attribute of an operation stands there once
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{dimensions}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 0>, dimensions = array<i64>} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: FuncId: a function has a name that begins with a letter
// expected-error@+1 {{expected a name after '@'}}
func.func @1f() {
  func.return
}

// -----
// T: FuncId: the name of a function begins with @
// expected-error@+1 {{expected a symbol, as @name}}
func.func main() {
  func.return
}

// -----
// T: ValueId: a value has a name
// expected-error@+1 {{expected a value, as %0}}
func.func @main(%: tensor<2xf32>) {
  func.return
}

// -----
// T: OpInputAttrName: an attribute has a name that begins with a letter
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected an identifier}}
  %0 = "stablehlo.abs"(%a) {1st = 2 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: OpSignature: types of operands and of results
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected '->'}}
  %0 = "stablehlo.abs"(%a) : (tensor<2xf32>) "func.return"() : () -> ()
}
