// constraints: 0

// -----
// accepted: axes, open dimensions, priorities
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {"y", ?}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// accepted: sub-axes
// topology: 2x4
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y":(2)2}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// accepted: axes that are replicated
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}], replicated={"y"}>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// accepted: results of operations
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// T: the mesh is in the module
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{the module has no mesh @other}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@other, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: the axis is in the mesh
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{mesh @mesh has no axis "z"; it has "x", "y"}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: as many dimensions as the tensor
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{'func.func': argument 0: a sharding of 1 dimensions on f32[8,8] of rank 2}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: an axis is used once: two dimensions
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{axis "x" is used twice}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: an axis is used once: replicated
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{axis "x" is used twice}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], replicated={"x"}>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: a sub-axis does not overlap another
// topology: 2x4
sdy.mesh @mesh = <["x"=8]>
// expected-error@+1 {{axis "x" is used twice}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(1)4}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: a sub-axis is within its axis
// topology: 2x4
sdy.mesh @mesh = <["x"=8]>
// expected-error@+1 {{(4)4 is no part of axis "x" of size 8}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(4)4}, {}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: what stands before a sub-axis divides the axis
// topology: 2x4
sdy.mesh @mesh = <["x"=8]>
// expected-error@+1 {{(3)2 is no part of axis "x" of size 8}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(3)2}, {}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: the size of a sub-axis is more than 1
// topology: 2x4
sdy.mesh @mesh = <["x"=8]>
// expected-error@+1 {{(2)1 is no part of axis "x" of size 8}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)1}, {}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: a priority is p and a number
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{expected a priority, as p1}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}q1, {}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: a priority has no leading zero
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{expected a priority, as p1}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p01, {}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: an empty closed dimension has no priority
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{a dimension without axes that is closed has no priority}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}p1]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: a list of dimensions is closed
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{expected ']' before this}}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}

// -----
// T: a sharding for each result
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{'stablehlo.negate': expected 1 shardings in sdy.sharding, found 2}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// T: the sharding of a result has its rank
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{'stablehlo.negate': result 0: a sharding of 1 dimensions on f32[8,8] of rank 2}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// T: is a sharding
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{expected a 'sharding' attribute}}
func.func @main(%a: tensor<8xf32> {sdy.sharding = "x"}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----
// accepted: the last parts of what its axes do not divide are padding
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<6x8xf32> {
  return %a : tensor<6x8xf32>
}
