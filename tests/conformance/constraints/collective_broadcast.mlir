// constraints: 6

// -----
// accepted: a group that leaves out replicas
func.func @main(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[2, 0]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// accepted: roots that the program computes
func.func @main(%a: tensor<4x2xf32>, %b: tensor<3xi8>, %roots: tensor<2xi32>) {
  %0:2 = "stablehlo.collective_broadcast"(%a, %b, %roots) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<4x2xf32>, tensor<3xi8>, tensor<2xi32>) -> (tensor<4x2xf32>, tensor<3xi8>)
  return
}

// -----
// C1: is_unique(replica_groups)
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{1 is in the groups twice}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C2: replica_groups < num_replicas if cross_replica is used
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{'replica_groups' names 5; the 4 replicas have the ids 0 to 3}}
    %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 5]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return
  }
}

// -----
// C2: replica_groups < num_partitions if cross_partition is used
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{'replica_groups' names 5; the 4 partitions have the ids 0 to 3}}
    %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 5]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return
  }
}

// -----
// C2: 0 <= replica_groups
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'replica_groups' names -2}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// I2: tensor of rank 2
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected replica groups as dense}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// I2: tensor of type si64
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected replica groups as dense}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0.0, 1.0]]> : tensor<1x2xf32>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// I2: ReplicaGroupMeshAxes names axes of its mesh
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{"z"}}
    %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "z">]>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return
  }
}

// -----
// T: has replica_groups
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{lacks the attribute 'replica_groups'}}
  %0 = "stablehlo.collective_broadcast"(%a) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C3: size(operands) >= 1
func.func @main() {
  // expected-error@+1 {{has no operands}}
  "stablehlo.collective_broadcast"() <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> ()
  return
}

// -----
// C3: type(results[j]) = type(operands[j]): the shape
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{declared as tensor<2x4xf32>, but it is tensor<4x2xf32>}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// C3: type(results[j]) = type(operands[j]): the element type
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{declared as tensor<4x2xi32>, but it is tensor<4x2xf32>}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xi32>
  return
}

// -----
// C4: size(operands) >= 2
func.func @main(%roots: tensor<1xi32>) {
  // expected-error@+1 {{needs operands before the roots}}
  "stablehlo.collective_broadcast"(%roots) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<1xi32>) -> ()
  return
}

// -----
// C4: type(operands[size(operands)-1]) = tensor<[size(operands)-1]xi32>: its size
func.func @main(%a: tensor<4x2xf32>, %roots: tensor<2xi32>) {
  // expected-error@+1 {{the roots are tensor<2xi32>; they must be tensor<1xi32>}}
  %0 = "stablehlo.collective_broadcast"(%a, %roots) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<4x2xf32>, tensor<2xi32>) -> tensor<4x2xf32>
  return
}

// -----
// C4: type(operands[size(operands)-1]) = tensor<[size(operands)-1]xi32>: its element type
func.func @main(%a: tensor<4x2xf32>, %roots: tensor<1xi64>) {
  // expected-error@+1 {{the roots are tensor<1xi64>; they must be tensor<1xi32>}}
  %0 = "stablehlo.collective_broadcast"(%a, %roots) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<4x2xf32>, tensor<1xi64>) -> tensor<4x2xf32>
  return
}

// -----
// C4: type(results[j]) = type(operands[j])
func.func @main(%a: tensor<4x2xf32>, %roots: tensor<1xi32>) {
  // expected-error@+1 {{declared as tensor<2x4xf32>, but it is tensor<4x2xf32>}}
  %0 = "stablehlo.collective_broadcast"(%a, %roots) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<4x2xf32>, tensor<1xi32>) -> tensor<2x4xf32>
  return
}

// -----
// C5: size(results) = size(operands)
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return
}

// -----
// C5: size(results) = size(operands) - 1 if has_dynamic_root
func.func @main(%a: tensor<4x2xf32>, %roots: tensor<1xi32>) {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "stablehlo.collective_broadcast"(%a, %roots) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<4x2xf32>, tensor<1xi32>) -> (tensor<4x2xf32>, tensor<1xi32>)
  return
}

// -----
// I1: variadic number of tensors
// unimplemented
func.func @main(%a: !stablehlo.token) {
  // expected-error@+1 {{operand 0 is !stablehlo.token; only tensors}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----
// C6: 0 <= operands[size(operands)-1]
func.func @main(%a: tensor<4x2xf32>) {
  %roots = stablehlo.constant dense<-1> : tensor<1xi32>
  // expected-error@+1 {{root 0 is -1; a group has 2 members, from 0 on}}
  %0 = "stablehlo.collective_broadcast"(%a, %roots) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<4x2xf32>, tensor<1xi32>) -> tensor<4x2xf32>
  return
}

// -----
// C6: operands[size(operands)-1] < shape(replica_groups)[1]
func.func @main(%a: tensor<4x2xf32>) {
  %roots = stablehlo.constant dense<2> : tensor<1xi32>
  // expected-error@+1 {{root 0 is 2; a group has 2 members, from 0 on}}
  %0 = "stablehlo.collective_broadcast"(%a, %roots) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<4x2xf32>, tensor<1xi32>) -> tensor<4x2xf32>
  return
}

// -----
// I3: constant of type si64
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{channel_handle}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = 7 : i64}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// I4: constant of type i1
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'has_dynamic_root' is neither true nor false}}
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = 1.0 : f32}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
