// constraints: 7

// -----
// accepted: ids of all processes
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return
  }
}

// -----
// accepted: two operands of different shapes
func.func @main(%a: tensor<4x2xf32>, %b: tensor<3xf32>) {
  %0:2 = "stablehlo.all_reduce"(%a, %b) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<3xf32>) -> (tensor<4x2xf32>, tensor<3xf32>)
  return
}

// -----
// accepted: one group of all
func.func @main(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C1: is_unique(replica_groups)
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{1 is in the groups twice}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C2: size(replica_groups) = num_replicas if cross_replica is used
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{name 2 replicas, and there are 4}}
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return
  }
}

// -----
// C2: size(replica_groups) = num_replicas if cross_replica_and_partition is used
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{name 2 replicas, and there are 1}}
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return
  }
}

// -----
// C2: size(replica_groups) = num_processes if flattened_ids is used
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{name 2 processes, and there are 4}}
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return
  }
}

// -----
// C2: size(replica_groups) = num_processes, of which there are some
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{needs 'replica_groups' that name the processes}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<> : tensor<0x0xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C3: replica_groups < size(replica_groups)
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'replica_groups' names 5; the 2 replicas have the ids 0 to 1}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 5]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C3: 0 <= replica_groups
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'replica_groups' names -2}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// I2: tensor of rank 2
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected replica groups as dense}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[0, 1]> : tensor<2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// I2: tensor of type si64
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected replica groups as dense}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0.0, 1.0]]> : tensor<1x2xf32>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// I2: ReplicaGroupMeshAxes names axes of its mesh
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<4x2xf32>) {
    // expected-error@+1 {{"z"}}
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "z">]>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return
  }
}

// -----
// T: has replica_groups
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{lacks the attribute 'replica_groups'}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C4: If use_global_device_ids = true, then channel_id > 0
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{use_global_device_ids needs a channel_handle above 0}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// I3: constant of type si64
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{channel_handle}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = 7 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// I4: constant of type i1
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{'use_global_device_ids' is neither true nor false}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids = 3.0 : f32}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// accepted: a sum in a wider type
func.func @main(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf64>
  return
}

// -----
// C5: is_promotable(element_type(operand), E): no narrower type
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{argument 0 of its reduction}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f16>, %y: tensor<f16>):
    %z = stablehlo.add %x, %y : tensor<f16>
    stablehlo.return %z : tensor<f16>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf16>
  return
}

// -----
// C7: element_type(result) = E, which is a wider type
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{declared as}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C5: computation has type (tensor<E>, tensor<E>) -> tensor<E>: two arguments
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{its reduction has 1 arguments; it needs 2}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C5: computation has type (tensor<E>, tensor<E>) -> tensor<E>: of rank 0
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{argument 1 of its reduction}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<2xf32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C5: computation has type (tensor<E>, tensor<E>) -> tensor<E>: of one element type
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{argument 1 of its reduction}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C5: computation has type (tensor<E>, tensor<E>) -> tensor<E>: returns what it takes
func.func @main(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      // expected-error@+1 {{value 0 must be tensor<f32>}}
    stablehlo.return %z : tensor<i1>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C5: computation has type (tensor<E>, tensor<E>) -> tensor<E>: returns one value
func.func @main(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      // expected-error@+1 {{returns 2 values; the reduction}}
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C5: computation has type (tensor<E>, tensor<E>) -> tensor<E> where is_promotable(element_type(operand), E)
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{argument 0 of its reduction}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// C6: shape(results...) = shape(operands...)
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{declared as tensor<4x3xf32>, but it is tensor<4x2xf32>: dimension 1 is 2, not 3}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x3xf32>
  return
}

// -----
// C7: element_type(results...) = E
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{declared as tensor<4x2xf64>, but it is tensor<4x2xf32>}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf64>
  return
}

// -----
// I1: variadic number of tensors
// unimplemented
func.func @main(%a: !stablehlo.token) {
  // expected-error@+1 {{operand 0 is !stablehlo.token; only tensors}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----
// I5: function
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{has 0 regions; it takes 1}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// T: a result for every operand
func.func @main(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{has 2 results; it gives 1}}
  %0:2 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return
}

// -----
// T: has operands
func.func @main() {
  // expected-error@+1 {{has no operands}}
  "stablehlo.all_reduce"() <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : () -> ()
  return
}
