// constraints: 9

// -----
// accepted: one partition with the next
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
    return
  }
}

// -----
// accepted: two operands
func.func @main(%a: tensor<4x2xf32>, %b: tensor<6x5xi8>) {
  %0:2 = "stablehlo.all_to_all"(%a, %b) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>, tensor<6x5xi8>) -> (tensor<2x4xf32>, tensor<3x10xi8>)
  return
}

// -----
// accepted: along one dimension
func.func @main(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C1: 0 <= split_dimension
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'split_dimension' is -1, which is not in [0, 2)}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = -1 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// C1: split_dimension < rank(operands...)
func.func @main(%a: tensor<4x2xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'split_dimension' is 1, which is not in [0, 1)}}
  %0:2 = "stablehlo.all_to_all"(%a, %b) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>, tensor<4xf32>) -> (tensor<8x1xf32>, tensor<4xf32>)
  return
}

// -----
// C2: dim(operands..., split_dimension) % split_count = 0
func.func @main(%a: tensor<5x2xf32>) {
  // expected-error@+1 {{dimension 0 has size 5, which 'split_count' 2 does not divide}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<5x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// C3: 0 <= concat_dimension
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'concat_dimension' is -1, which is not in [0, 2)}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = -1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// C3: concat_dimension < rank(operands...)
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'concat_dimension' is 2, which is not in [0, 2)}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// C4: 0 < split_count
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'split_count' is 0, which is not in [1, }}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// C5: is_unique(replica_groups)
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{1 is in the groups twice}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// C6: size(replica_groups) = num_replicas if cross_replica is used
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{name 2 replicas, and there are 4}}
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
    return
  }
}

// -----
// C6: size(replica_groups) = num_partitions if cross_partition is used
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{name 2 partitions, and there are 4}}
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
    return
  }
}

// -----
// C7: replica_groups < size(replica_groups)
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'replica_groups' names 5; the 2 replicas have the ids 0 to 1}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 5]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// C7: 0 <= replica_groups
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'replica_groups' names -2}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// I5: tensor of rank 2
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected replica groups as dense}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// I5: tensor of type si64
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected replica groups as dense}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0.0, 1.0]]> : tensor<1x2xf32>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// I5: ReplicaGroupMeshAxes names axes of its mesh
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{"z"}}
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "z">]>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
    return
  }
}

// -----
// T: has replica_groups
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{lacks the attribute 'replica_groups'}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// C8: dim(replica_groups, 1) = split_count
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'split_count' is 4, the groups have 2 members}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<1x8xf32>
  return
}

// -----
// C8: dim(replica_groups, 1) = split_count, also when all are in one group
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{'split_count' is 2, the groups have 4 members}}
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
    return
  }
}

// -----
// C9: dim(results..., split_dimension) = dim(operands..., split_dimension) / split_count
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{but it is tensor<2x4xf32>: dimension 0 is 2, not 4}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return
}

// -----
// C9: dim(results..., concat_dimension) = dim(operands..., concat_dimension) * split_count
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{but it is tensor<2x4xf32>: dimension 1 is 4, not 2}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----
// C9: type(results...) = type(operands...) when split_dimension = concat_dimension
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{but it is tensor<4x2xf32>: dimension 1 is 2, not 4}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return
}

// -----
// C9: element_type(results...) = element_type(operands...)
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{declared as tensor<2x4xi32>, but it is tensor<2x4xf32>}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xi32>
  return
}

// -----
// I1: variadic number of tensors
// unimplemented
func.func @main(%a: !stablehlo.token) {
  // expected-error@+1 {{operand 0 is !stablehlo.token; only tensors}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----
// I2: constant of type si64
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'split_dimension' is no integer}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = "1", concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// T: has split_dimension
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{lacks the attribute 'split_dimension'}}
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// I3: constant of type si64
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'concat_dimension' is no integer}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = "1", split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// T: has concat_dimension
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{lacks the attribute 'concat_dimension'}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// I4: constant of type si64
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'split_count' is no integer}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = "1", replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// T: has split_count
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{lacks the attribute 'split_count'}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// I6: constant of type si64
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{channel_handle}}
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = 7 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// T: a result for every operand
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----
// T: has operands
func.func @main() {
  // expected-error@+1 {{has no operands}}
  "stablehlo.all_to_all"() <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> ()
  return
}
