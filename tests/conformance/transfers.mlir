// What a program takes from its infeed comes in order; what it feeds out leaves it.
module @feeds {
  func.func @first() -> (tensor<2xi32>, tensor<f32>) {
    %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %1 = stablehlo.constant dense<0.5> : tensor<f32>
    return %0, %1 : tensor<2xi32>, tensor<f32>
  }
  func.func @second() -> tensor<2xi32> {
    %0 = stablehlo.constant dense<[30, 40]> : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @program(%x: tensor<2xi32>, %token: !stablehlo.token) -> (tensor<2xi32>, tensor<f32>, !stablehlo.token) {
    %a:3 = "stablehlo.infeed"(%token) {infeed_config = ""}
      : (!stablehlo.token) -> (tensor<2xi32>, tensor<f32>, !stablehlo.token)
    %b:2 = "stablehlo.infeed"(%a#2) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    %c = stablehlo.add %a#0, %b#0 : tensor<2xi32>
    %d = stablehlo.add %c, %x : tensor<2xi32>
    %e = "stablehlo.outfeed"(%d, %b#1) {outfeed_config = ""}
      : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    return %d, %a#1, %e : tensor<2xi32>, tensor<f32>, !stablehlo.token
  }
  func.func @main() {
    %x = stablehlo.constant dense<100> : tensor<2xi32>
    %token = stablehlo.create_token : !stablehlo.token
    %results:3 = "interpreter.run_parallel"(%x, %token) {
      infeed = [@first, @second],
      programs = [[@program]]
    } : (tensor<2xi32>, !stablehlo.token) -> (tensor<2xi32>, tensor<f32>, !stablehlo.token)
    check.expect_eq_const %results#0, dense<[131, 142]> : tensor<2xi32>
    check.expect_eq_const %results#1, dense<0.5> : tensor<f32>
    return
  }
}

// -----

// Values go there and back between two programs, one of which has a loop between.
module @there_and_back {
  func.func @asks(%x: tensor<2xf32>, %token: !stablehlo.token) -> tensor<2xf32> {
    %0 = stablehlo.negate %x : tensor<2xf32>
    %1 = "stablehlo.send"(%0, %x, %token) {
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}
      : (tensor<2xf32>, tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %2:2 = "stablehlo.recv"(%1) {
      channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}
      : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    %3 = stablehlo.add %2#0, %0 : tensor<2xf32>
    return %3 : tensor<2xf32>
  }
  func.func @answers(%token: !stablehlo.token) -> (tensor<i32>, tensor<2xf32>) {
    %a:3 = "stablehlo.recv"(%token) {
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}
      : (!stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>, !stablehlo.token)
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %n, %sum = stablehlo.while(%i = %zero, %s = %a#0) : tensor<i32>, tensor<2xf32>
    cond {
      %less = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %t = stablehlo.add %s, %a#1 : tensor<2xf32>
      stablehlo.return %j, %t : tensor<i32>, tensor<2xf32>
    }
    %b = "stablehlo.send"(%sum, %a#2) {
      channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}
      : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %n, %sum : tensor<i32>, tensor<2xf32>
  }
  func.func @main() -> tensor<2xf32> {
    %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %token = stablehlo.after_all : !stablehlo.token
    %results:3 = "interpreter.run_parallel"(%token, %x, %token) {
      programs = [[@answers, @asks]]
    } : (!stablehlo.token, tensor<2xf32>, !stablehlo.token) -> (tensor<i32>, tensor<2xf32>, tensor<2xf32>)
    check.expect_eq_const %results#0, dense<3> : tensor<i32>
    check.expect_eq_const %results#1, dense<[2.0, 4.0]> : tensor<2xf32>
    check.expect_eq_const %results#2, dense<[1.0, 2.0]> : tensor<2xf32>
    return %results#2 : tensor<2xf32>
  }
}

// -----

// One program for all cells: each sends to the next, the first receives nothing.
module @chain {
  func.func @program(%x: tensor<3xi16>) -> tensor<3xi16> {
    %token = stablehlo.create_token : !stablehlo.token
    %0 = "stablehlo.send"(%x, %token) {
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false,
      source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}
      : (tensor<3xi16>, !stablehlo.token) -> !stablehlo.token
    %1:2 = "stablehlo.recv"(%0) {
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false,
      source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}
      : (!stablehlo.token) -> (tensor<3xi16>, !stablehlo.token)
    return %1#0 : tensor<3xi16>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi16>
    %b = stablehlo.constant dense<[4, 5, 6]> : tensor<3xi16>
    %c = stablehlo.constant dense<[7, 8, 9]> : tensor<3xi16>
    %results:3 = "interpreter.run_parallel"(%a, %b, %c) {
      programs = [[@program, @program, @program]]
    } : (tensor<3xi16>, tensor<3xi16>, tensor<3xi16>) -> (tensor<3xi16>, tensor<3xi16>, tensor<3xi16>)
    check.expect_eq_const %results#0, dense<0> : tensor<3xi16>
    check.expect_eq_const %results#1, dense<[1, 2, 3]> : tensor<3xi16>
    check.expect_eq_const %results#2, dense<[4, 5, 6]> : tensor<3xi16>
    return
  }
}

// -----

// A probe keeps what a value was in every iteration of the loops around it.
func.func @probes() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %x = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf64>
  %y = interpreter.probe %x, probe_id = "before" : tensor<2xf64>
  interpreter.print %y : tensor<2xf64>
  %n, %last = stablehlo.while(%i = %zero, %s = %zero) : tensor<i32>, tensor<i32>
  cond {
    %less = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %m, %t = stablehlo.while(%j = %zero, %u = %s) : tensor<i32>, tensor<i32>
    cond {
      %inner = stablehlo.compare LT, %j, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %inner : tensor<i1>
    } do {
      %v = stablehlo.add %u, %two : tensor<i32>
      %w = interpreter.probe %v, probe_id = "inner" : tensor<i32>
      %k = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %k, %w : tensor<i32>, tensor<i32>
    }
    %l = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %l, %t : tensor<i32>, tensor<i32>
  }
  check.expect_serialized_eq %x, probe_id = "before" : tensor<2xf64>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %eight = stablehlo.constant dense<8> : tensor<i32>
  check.expect_serialized_eq %two, probe_id = "inner", iter = 0 : tensor<i32>
  check.expect_serialized_eq %four, probe_id = "inner", iter = 1 : tensor<i32>
  check.expect_serialized_eq %eight, probe_id = "inner", iter = 3 : tensor<i32>
  check.expect_eq_const %last, dense<8> : tensor<i32>
  return
}

// -----

// Programs of JAX with ordered effects take a token and return one.
func.func @main(%token: !stablehlo.token {jax.token = true}, %x: tensor<2xf32> {jax.arg_info = "x"})
    -> (!stablehlo.token {jax.token = true}, tensor<2xf32> {jax.result_info = "y"}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n, %t = stablehlo.while(%i = %zero, %s = %token) : tensor<i32>, !stablehlo.token
  cond {
    %done = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %done : tensor<i1>
  } do {
    %both = stablehlo.after_all %s, %token : !stablehlo.token
    stablehlo.return %i, %both : tensor<i32>, !stablehlo.token
  }
  %y:2 = stablehlo.optimization_barrier %t, %x : !stablehlo.token, tensor<2xf32>
  check.expect_eq %y#1, %x : tensor<2xf32>
  return %y#0, %y#1 : !stablehlo.token, tensor<2xf32>
}
