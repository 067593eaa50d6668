// constraints: 4

// -----
// accepted: a collective
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
// accepted: a slice, of what the body sees itself
func.func @main(%a: tensor<8x2xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
    %1 = stablehlo.slice %a [0:8, 0:1] : (tensor<8x2xf32>) -> tensor<8x1xf32>
    stablehlo.return %1 : tensor<8x1xf32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x1xf32>>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8x1xf32>>) -> tensor<8x1xf32>
  return
}

// -----
// C1: body must contain a single operation and a return: two
func.func @main(%a: tensor<8x2xf32>) {
  // expected-error@+1 {{its body must be one operation and a return}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xf32>):
    %1 = stablehlo.slice %x [0:8, 0:1] : (tensor<8x2xf32>) -> tensor<8x1xf32>
    %2 = stablehlo.slice %1 [0:4, 0:1] : (tensor<8x1xf32>) -> tensor<4x1xf32>
    stablehlo.return %2 : tensor<4x1xf32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<4x1xf32>>
  return
}

// -----
// C1: body must contain a single operation and a return: none
func.func @main(%a: tensor<8x2xf32>) {
  // expected-error@+1 {{its body must be one operation and a return}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xf32>):
    stablehlo.return %x : tensor<8x2xf32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x2xf32>>
  return
}

// -----
// C2: the operation in body can only be a collective or a slice
func.func @main(%a: tensor<8x2xf32>) {
  // expected-error@+1 {{'stablehlo.negate' in its body is neither a collective nor a slice}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xf32>):
    %1 = stablehlo.negate %x : tensor<8x2xf32>
    stablehlo.return %1 : tensor<8x2xf32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x2xf32>>
  return
}

// -----
// C3: the arguments to async_start must match the ones passed to the operation in body: their types
func.func @main(%a: tensor<8x2xf32>) {
  // expected-error@+1 {{argument 0 of its body is tensor<8x2xi32>, operand 0 is tensor<8x2xf32>}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xi32>):
    %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x2xi32>) -> tensor<8x4xi32>
    stablehlo.return %1 : tensor<8x4xi32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x4xi32>>
  return
}

// -----
// C3: the arguments to async_start must match the ones passed to the operation in body: their number
func.func @main(%a: tensor<8x2xf32>, %b: tensor<8x2xf32>) {
  // expected-error@+1 {{its body has 1 arguments for 2 operands}}
  %0 = "stablehlo.async_start"(%a, %b) ({
  ^bb0(%x: tensor<8x2xf32>):
    %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }) : (tensor<8x2xf32>, tensor<8x2xf32>) -> !stablehlo.future<tensor<8x4xf32>>
  return
}

// -----
// C3: the arguments to async_start must match the ones passed to the operation in body: which they are
func.func @main(%a: tensor<8x2xf32>, %b: tensor<8x2xf32>) {
  // expected-error@+1 {{must take its 1 operands in their order}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xf32>):
    %1 = "stablehlo.all_gather"(%b) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x4xf32>>
  return
}

// -----
// C4: async_start returns future<T>
func.func @main(%a: tensor<8x2xf32>) {
  // expected-error@+1 {{is declared as !stablehlo.future<tensor<8x8xf32>>, but it is !stablehlo.future<tensor<8x4xf32>>}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xf32>):
    %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x8xf32>>
  return
}

// -----
// C4: async_start returns a future
func.func @main(%a: tensor<8x2xf32>) {
  // expected-error@+1 {{is declared as tensor<8x4xf32>, but it is !stablehlo.future<tensor<8x4xf32>>}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xf32>):
    %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }) : (tensor<8x2xf32>) -> tensor<8x4xf32>
  return
}

// -----
// T: body returns what its operation returns
func.func @main(%a: tensor<8x2xf32>) {
  // expected-error@+1 {{must return the results of}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<8x2xf32>):
    %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
    stablehlo.return %x : tensor<8x2xf32>
  }) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x2xf32>>
  return
}

// -----
// I1: variadic number of tensors
func.func @main(%a: !stablehlo.token) {
  // expected-error@+1 {{operand 0 is !stablehlo.token; it must be a tensor}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: !stablehlo.token):
    stablehlo.return %x : !stablehlo.token
  }) : (!stablehlo.token) -> !stablehlo.future<tensor<8x4xf32>>
  return
}

// -----
// I2: a region
func.func @main(%a: tensor<8x2xf32>) {
  // expected-error@+1 {{has 0 regions; it takes 1}}
  %0 = "stablehlo.async_start"(%a) : (tensor<8x2xf32>) -> !stablehlo.future<tensor<8x4xf32>>
  return
}
