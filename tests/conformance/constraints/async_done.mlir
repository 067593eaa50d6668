// constraints: 1

// -----
// accepted
func.func @main(%a: tensor<8x2xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xf32>):
    %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x4xf32>>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8x4xf32>>) -> tensor<8x4xf32>
  return
}

// -----
// C1: if async_done receives a future<T>, then async_done returns T: the shape
func.func @main(%a: tensor<8x2xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xf32>):
    %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x4xf32>>
  // expected-error@+1 {{returns tensor<4x8xf32> for !stablehlo.future<tensor<8x4xf32>>}}
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8x4xf32>>) -> tensor<4x8xf32>
  return
}

// -----
// C1: if async_done receives a future<T>, then async_done returns T: the element type
func.func @main(%a: tensor<8x2xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xf32>):
    %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x4xf32>>
  // expected-error@+1 {{returns tensor<8x4xi32> for !stablehlo.future<tensor<8x4xf32>>}}
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8x4xf32>>) -> tensor<8x4xi32>
  return
}

// -----
// C1: if async_done receives a future<T>, then async_done returns T: one
func.func @main(%a: tensor<8x2xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xf32>):
    %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x4xf32>>
  // expected-error@+1 {{returns tensor<8x4xf32>,tensor<8x4xf32> for !stablehlo.future<tensor<8x4xf32>>}}
  %2:2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8x4xf32>>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  return
}

// -----
// I1: a tensor future
func.func @main(%a: tensor<8x2xf32>) {
  // expected-error@+1 {{operand 0 is tensor<8x2xf32>; it must be a !stablehlo.future}}
  %2 = "stablehlo.async_done"(%a) : (tensor<8x2xf32>) -> tensor<8x2xf32>
  return
}

// -----
// T: one operand
func.func @main(%a: tensor<8x2xf32>) {
  // expected-error@+1 {{has 0 operands; it takes 1}}
  %2 = "stablehlo.async_done"() : () -> tensor<8x2xf32>
  return
}
