// constraints: 5

// -----
// accepted: to the host
// topology: 2x1
module {
  func.func @sender(%a: tensor<2xf32>, %t: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
  func.func @receiver(%t: !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token) {
    %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    return %0#0, %0#1 : tensor<2xf32>, !stablehlo.token
  }
  func.func @main(%a: tensor<2xf32>) {
    %t = stablehlo.create_token : !stablehlo.token
    %0:3 = "interpreter.run_parallel"(%a, %t, %t) {programs = [[@sender], [@receiver]]} : (tensor<2xf32>, !stablehlo.token, !stablehlo.token) -> (!stablehlo.token, tensor<2xf32>, !stablehlo.token)
    return
  }
}

// -----
// C1: dim(source_target_pairs, 1) = 2
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{expected pairs of source and target}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// C2: is_unique(source_target_pairs[:, 0])
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{source 0 appears twice in 'source_target_pairs'}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// C3: is_unique(source_target_pairs[:, 1])
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{target 1 appears twice in 'source_target_pairs'}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// C4: 0 <= source_target_pairs: sources
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{source -1 in 'source_target_pairs' is below 0}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[-1, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// C4: 0 <= source_target_pairs: targets
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{target -1 in 'source_target_pairs' is below 0}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[1, -1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// C4: source_target_pairs < num_replicas if cross_replica is used
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
    // expected-error@+1 {{'source_target_pairs' names 5; the 4 replicas have the ids 0 to 3}}
    %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 5]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return
  }
}

// -----
// C4: source_target_pairs < num_partitions if cross_partition is used
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
    // expected-error@+1 {{'source_target_pairs' names 5; the 4 partitions have the ids 0 to 3}}
    %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[5, 0]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return
  }
}

// -----
// I6: 2-dimensional tensor constant
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{expected pairs of source and target}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[0, 1]> : tensor<2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// I6: of type si64
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{expected pairs of source and target}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0.0, 1.0]]> : tensor<1x2xf32>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// C5: channel_type = DEVICE_TO_HOST if is_host_transfer = true
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{is_host_transfer = true needs 2, DEVICE_TO_HOST}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// C5: channel_type = DEVICE_TO_DEVICE otherwise
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{is_host_transfer = false needs 1, DEVICE_TO_DEVICE}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// I1: variadic number of tensors
func.func @main(%a: !stablehlo.token, %t: !stablehlo.token) {
  // expected-error@+1 {{operand 0 is !stablehlo.token; it must be a tensor}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// I2: token
func.func @main(%a: tensor<2xf32>, %t: tensor<2xf32>) {
  // expected-error@+1 {{operand 1 is tensor<2xf32>; it must be a token}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, tensor<2xf32>) -> !stablehlo.token
  return
}

// -----
// I3: constant of type si64
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{channel_handle}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = 1 : i64, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// I4: enum of DEVICE_TO_DEVICE and DEVICE_TO_HOST
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{its channel is of type 7}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 7>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// I5: constant of type i1
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{'is_host_transfer' is neither true nor false}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = 1 : i64, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// T: result is a token
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{result 0 is tensor<2xf32>; it must be a token}}
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> tensor<2xf32>
  return
}

// -----
// T: has a token
func.func @main() {
  // expected-error@+1 {{has no operands; it needs a token as its last}}
  %0 = "stablehlo.send"() <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> !stablehlo.token
  return
}

// -----
// T: one result
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{has 0 results; it gives 1}}
  "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> ()
  return
}

// -----
// T: has a channel
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{lacks the attribute 'channel_handle'}}
  %0 = "stablehlo.send"(%a, %t) <{is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
