// constraints: 0

// -----
// accepted: tiles
// topology: 2x2
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// accepted: tiles of which some are alike
// topology: 2x2
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// accepted: devices in another order
// topology: 2x2
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0)}"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// accepted: a list of devices
// topology: 2x2
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]0,1,2,3}"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// accepted: everywhere
// topology: 2x2
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{replicated}"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// T: a sharding is a list in braces
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error@+1 {{'func.func': sharding "devices=[2,2]<=[4]": expected { at character 0}}
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "devices=[2,2]<=[4]"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// T: as many tiles as devices
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error@+1 {{'func.func': sharding "{devices=[2,2]<=[8]}": as many devices as the tiles need must stand at character 19}}
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]<=[8]}"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// T: a list of devices has one for each tile
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error@+1 {{'func.func': sharding "{devices=[2,2]0,1,2}": as many devices as the tiles need must stand at character 19}}
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]0,1,2}"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// T: devices are listed once
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error@+1 {{'func.func': sharding "{devices=[2,2]0,1,2,2}": names device 2 twice}}
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]0,1,2,2}"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// T: as many tile sizes as dimensions
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error@+1 {{'func.func': its sharding has 1 dimensions, what it is for has 2}}
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// T: a transposition is a permutation
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error@+1 {{'func.func': sharding "{devices=[2,2]<=[2,2]T(1,1)}": expected a permutation at character 27}}
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,1)}"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// T: nothing unknown
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error@+1 {{'func.func': sharding "{tiled}": expected devices=[…], replicated, manual, unknown or maximal device=… at character 1}}
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{tiled}"}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
}

// -----
// T: is a string
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error@+1 {{'func.func': 'mhlo.sharding' must be a string}}
  func.func @main(%a: tensor<8xf32> {mhlo.sharding = 1 : i64}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}
