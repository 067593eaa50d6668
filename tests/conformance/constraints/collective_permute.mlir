// constraints: 5

// -----
// accepted: every partition to the next
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return
  }
}

// -----
// accepted: one replica to another, which sends nothing
func.func @main(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// accepted: nothing
func.func @main(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C1: dim(source_target_pairs, 1) = 2
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected pairs of source and target}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C2: is_unique(source_target_pairs[:, 0])
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{source 0 appears twice in 'source_target_pairs'}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C3: is_unique(source_target_pairs[:, 1])
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{target 1 appears twice in 'source_target_pairs'}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C4: 0 <= source_target_pairs: sources
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{source -1 in 'source_target_pairs' is below 0}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[-1, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C4: 0 <= source_target_pairs: targets
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{target -1 in 'source_target_pairs' is below 0}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[1, -1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C4: source_target_pairs < num_replicas if cross_replica is used
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{'source_target_pairs' names 5; the 4 replicas have the ids 0 to 3}}
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 5]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return
  }
}

// -----
// C4: source_target_pairs < num_partitions if cross_partition is used
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{'source_target_pairs' names 5; the 4 partitions have the ids 0 to 3}}
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[5, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return
  }
}

// -----
// I2: 2-dimensional tensor constant
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected pairs of source and target}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// I2: of type si64
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected pairs of source and target}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0.0, 1.0]]> : tensor<1x2xf32>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C5: type(result) = type(operand): the shape
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{but it is tensor<4x2xf32>: dimension 0 is 4, not 2}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// C5: type(result) = type(operand): the element type
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{declared as tensor<4x2xi32>, but it is tensor<4x2xf32>}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xi32>
  return
}

// -----
// I1: tensor
// unimplemented
func.func @main(%a: !stablehlo.token) {
  // expected-error@+1 {{operand 0 is !stablehlo.token; only tensors}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----
// I3: constant of type si64
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{channel_handle}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = 7 : i64}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// T: has source_target_pairs
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{lacks the attribute 'source_target_pairs'}}
  %0 = "stablehlo.collective_permute"(%a) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// T: one operand
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{has 2 operands; it takes 1}}
  %0 = "stablehlo.collective_permute"(%a, %b) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
