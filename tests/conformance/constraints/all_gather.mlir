// constraints: 6

// -----
// accepted: groups of ids of all processes, two operands
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4x2xf32>, %b: tensor<3x2xi8>) -> (tensor<4x4xf32>, tensor<3x4xi8>) {
    %0:2 = "stablehlo.all_gather"(%a, %b) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4x2xf32>, tensor<3x2xi8>) -> (tensor<4x4xf32>, tensor<3x4xi8>)
    return %0#0, %0#1 : tensor<4x4xf32>, tensor<3x4xi8>
  }
}

// -----
// accepted: groups as axes of a mesh
// topology: 2x2
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----
// accepted: replicas that take part with all their partitions
// topology: 2x2
module {
  func.func @cell(%a: tensor<4x2xf32>) -> tensor<4x8xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x2xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func @main(%a: tensor<4x2xf32>) {
    %0:4 = "interpreter.run_parallel"(%a, %a, %a, %a) {programs = [[@cell, @cell], [@cell, @cell]]} : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
    return
  }
}

// -----
// C1: 0 <= all_gather_dim
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'all_gather_dim' is -1, which is not in [0, 2)}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// C1: all_gather_dim < rank(operands...)
func.func @main(%a: tensor<4x2xf32>, %b: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<8xf32>) {
  // expected-error@+1 {{'all_gather_dim' is 1, which is not in [0, 1)}}
  %0:2 = "stablehlo.all_gather"(%a, %b) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<8xf32>
}

// -----
// C2: is_unique(replica_groups)
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{1 is in the groups twice}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// C3: size(replica_groups) = num_replicas if cross_replica is used
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
    // expected-error@+1 {{name 2 replicas, and there are 4}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----
// C3: size(replica_groups) = num_replicas if cross_replica_and_partition is used
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4x2xf32>) -> tensor<4x16xf32> {
    // expected-error@+1 {{name 4 replicas, and there are 2}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x2xf32>) -> tensor<4x16xf32>
    return %0 : tensor<4x16xf32>
  }
}

// -----
// C3: size(replica_groups) = num_processes if flattened_ids is used
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
    // expected-error@+1 {{name 2 processes, and there are 4}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----
// C3: size(replica_groups) = num_replicas of the grid that runs the program
module {
  func.func @cell(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
    // expected-error@+1 {{name 2 replicas, and there are 3}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func @main(%a: tensor<4x2xf32>) {
    %0:3 = "interpreter.run_parallel"(%a, %a, %a) {programs = [[@cell], [@cell], [@cell]]} : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
    return
  }
}

// -----
// C4: 0 <= replica_groups
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'replica_groups' names -2}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// C4: replica_groups < size(replica_groups)
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'replica_groups' names 5}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1], [2, 5]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// C5: If use_global_device_ids = true, then channel_id > 0
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{use_global_device_ids needs a channel_handle above 0}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// C6: type(results...) = type(operands...) except dimension all_gather_dim
func.func @main(%a: tensor<4x2xf32>) -> tensor<5x4xf32> {
  // expected-error@+1 {{it is tensor<4x4xf32>: dimension 0 is 4, not 5}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----
// C6: dim(results..., all_gather_dim) = dim(operands..., all_gather_dim) * dim(process_groups, 1)
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x6xf32> {
  // expected-error@+1 {{it is tensor<4x4xf32>: dimension 1 is 4, not 6}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----
// C6: a group of cross_replica_and_partition has num_partitions members for each id
module {
  func.func @cell(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
    // expected-error@+1 {{it is tensor<4x8xf32>: dimension 1 is 8, not 4}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func @main(%a: tensor<4x2xf32>) {
    %0:4 = "interpreter.run_parallel"(%a, %a, %a, %a) {programs = [[@cell, @cell], [@cell, @cell]]} : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
    return
  }
}

// -----
// C6: the result of one group of all is a multiple of the operand
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{is declared as tensor<4x3xf32>}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<4x2xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----
// C6: element_type(results...) = element_type(operands...)
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf16> {
  // expected-error@+1 {{is declared as tensor<4x4xf16>, but it is tensor<4x4xf32>}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// -----
// I1: variadic number of tensors
func.func @main(%a: !stablehlo.token) {
  // unimplemented
  // expected-error@+1 {{operand 0 is !stablehlo.token; only tensors}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----
// I2: constant of type si64
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'all_gather_dim' is no integer}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = "1", replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// I3: 2-dimensional tensor constant
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{expected replica groups as dense}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// I3: of type si64
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{expected replica groups as dense}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0.0, 1.0]]> : tensor<1x2xf32>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// I3: ReplicaGroupMeshAxes names axes of its mesh
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
    // expected-error@+1 {{axis "z"}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "z">]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----
// I4: constant of type si64
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{channel_handle}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = 7 : i64}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// I5: constant of type i1
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'use_global_device_ids' is neither true nor false}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids = 3.0 : f32}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// T: a result for every operand
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return
}

// -----
// T: has operands
func.func @main() {
  // expected-error@+1 {{has no operands}}
  "stablehlo.all_gather"() <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> ()
  return
}

// -----
// T: has all_gather_dim
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{lacks the attribute 'all_gather_dim'}}
  %0 = "stablehlo.all_gather"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// T: has replica_groups
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{lacks the attribute 'replica_groups'}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
