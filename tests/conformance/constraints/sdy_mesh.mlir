// constraints: 0

// -----
// accepted: axes in their order
// topology: 2x2
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}

// -----
// accepted: devices in another order
// topology: 2x2
module {
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 0, 2]>
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}

// -----
// T: names of axes are not empty
// topology: 2x1
module {
  // expected-error@+1 {{axis 0 of mesh @mesh has no name}}
  sdy.mesh @mesh = <[""=2]>
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}

// -----
// T: axes have different names
// topology: 2x1
module {
  // expected-error@+1 {{mesh @mesh has two axes named "x"}}
  sdy.mesh @mesh = <["x"=2, "x"=2]>
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}

// -----
// T: sizes of axes are positive
// topology: 2x1
module {
  // expected-error@+1 {{axis "x" of mesh @mesh has size 0, at least 1 is needed}}
  sdy.mesh @mesh = <["x"=0]>
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}

// -----
// T: device_ids has an id for each device
// topology: 2x2
module {
  // expected-error@+1 {{3 device ids for a mesh of 4 devices}}
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[0, 1, 2]>
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}

// -----
// T: device_ids are all devices
// topology: 2x2
module {
  // expected-error@+1 {{mesh @mesh lists device 4, its devices are 0 to 3}}
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[0, 1, 2, 4]>
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}

// -----
// T: device_ids are different
// topology: 2x2
module {
  // expected-error@+1 {{mesh @mesh lists device 2 twice}}
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[0, 1, 2, 2]>
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}

// -----
// T: device_ids are not negative
// topology: 2x2
module {
  // expected-error@+1 {{mesh @mesh lists device -1, its devices are 0 to 3}}
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[0, 1, 2, -1]>
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}
