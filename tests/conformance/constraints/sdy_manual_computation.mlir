// constraints: 0

// -----
// accepted: one axis is manual
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// accepted: an axis that is not manual follows
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: an in_sharding for each operand
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation': expected 1 shardings in in_shardings, found 2}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: an out_sharding for each result
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation': expected 1 shardings in out_shardings, found 0}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[] manual_axes={"x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: in_shardings have the ranks of the operands
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation': operand 0: a sharding of 1 dimensions on f32[8,8] of rank 2}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: out_shardings have the ranks of the results
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation': result 0: a sharding of 1 dimensions on f32[8,8] of rank 2}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: in_shardings are of a mesh of the module
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{the module has no mesh @other}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@other, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: manual_axes are axes of the mesh
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{mesh @mesh has no axis "z"; it has "x", "y"}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"z"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: manual_axes are named once
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{axis "x" is used twice}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: arguments are shards of the operands
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation': operand 0: tensor<8x8xf32> inside is not the part that a device holds of tensor<8x8xf32>}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<8x8xf32>) {
    sdy.return %x : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: results are made of the shards that are returned
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation': result 0: tensor<4x8xf32> inside is not the part that a device holds of tensor<4x8xf32>}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return
}

// -----
// T: manual axes come before others in a dimension
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation': operand 0: the manual axes of dimension 0 must come before the other ones}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y", "x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// T: sizes inside that are left open are those of the part
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<7x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation': dimension 0 of operand 0 is 7, which is not for 2 devices}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<?x8xf32>) {
    sdy.return %x : tensor<?x8xf32>
  } : (tensor<7x8xf32>) -> tensor<7x8xf32>
  return
}

// -----
// T: sizes inside that follow from nothing are refused
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation': operand 0: tensor<?xf32> inside is not the part that a device holds of tensor<8x8xf32>}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%x: tensor<?xf32>) {
    sdy.return %x : tensor<?xf32>
  } : (tensor<8x8xf32>) -> tensor<8xf32>
  return
}

// -----
// T: manual axes divide their dimensions
// topology: 2x2
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // expected-error@+1 {{'sdy.manual_computation': operand 0: dimension 0 of 6 does not divide into 4 pieces over its manual axes, which must not introduce padding (sdy.manual_computation); pad it before, or shard another dimension}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<2x8xf32>) {
    sdy.return %x : tensor<2x8xf32>
  } : (tensor<6x8xf32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
