// constraints: 0

// -----
// accepted: a sharding of its rank
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  %0 = "sdy.reshard"(%a) {sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: the mesh is in the module
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{the module has no mesh @other}}
  %0 = "sdy.reshard"(%a) {sharding = #sdy.sharding<@other, [{"x"}, {}]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: as many dimensions as the tensor
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.reshard': result 0: a sharding of 1 dimensions on f32[8,8] of rank 2}}
  %0 = "sdy.reshard"(%a) {sharding = #sdy.sharding<@mesh, [{"x"}]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: operand and result are of one type
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.reshard': its operand and its result have different types}}
  %0 = "sdy.reshard"(%a) {sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} : (tensor<8x8xf32>) -> tensor<8x4xf32>
  return
}

// -----
// T: has a sharding
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.reshard': lacks the attribute 'sharding'}}
  %0 = "sdy.reshard"(%a) {} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: one operand
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.reshard': has 2 operands; it takes 1}}
  %0 = "sdy.reshard"(%a, %a) {sharding = #sdy.sharding<@mesh, [{}]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}
