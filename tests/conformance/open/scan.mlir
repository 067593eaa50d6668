// A scan over layers with a batch of any size, as jax.export writes it: each turn takes a slice of symbolic
// sizes (real_dynamic_slice) that begins where the loop's counter says.
module @scan attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<?x8xf32>) {
    %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %three = stablehlo.constant dense<3> : tensor<1xi32>
    %eight = stablehlo.constant dense<8> : tensor<1xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %stack_shape = stablehlo.concatenate %three, %n1, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %stack = stablehlo.dynamic_iota %stack_shape, dim = 0 : (tensor<3xi32>) -> tensor<3x?x8xf32>
    %shape = stablehlo.concatenate %n1, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %float_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dynamic_broadcast_in_dim %float_zero, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>

    // 10 * sum + layer, from the last layer to the first: 2, 21, 210.
    %r:2 = stablehlo.while(%i = %zero, %sum = %first) : tensor<i32>, tensor<?x8xf32>
    cond {
      %end = stablehlo.constant dense<3> : tensor<i32>
      %go = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %last = stablehlo.constant dense<2> : tensor<i32>
      %layer = stablehlo.subtract %last, %i : tensor<i32>
      %x = func.call @layer(%n, %stack, %layer) : (tensor<i32>, tensor<3x?x8xf32>, tensor<i32>) -> tensor<?x8xf32>
      %ten = stablehlo.constant dense<10.0> : tensor<f32>
      %tens = stablehlo.dynamic_broadcast_in_dim %ten, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
      %more = stablehlo.multiply %sum, %tens : tensor<?x8xf32>
      %next = stablehlo.add %more, %x : tensor<?x8xf32>
      %step = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %step : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<?x8xf32>
    }
    %expected = stablehlo.constant dense<210.0> : tensor<8x8xf32>
    %static = stablehlo.constant dense<8> : tensor<2xi32>
    %all = stablehlo.dynamic_reshape %r#1, %static : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<8x8xf32>
    check.expect_eq %all, %expected : tensor<8x8xf32>, tensor<8x8xf32>

    // Starts in one list, and none that are clamped before: rows 1 to 4 of columns 2 to 7.
    %starts = stablehlo.iota dim = 0 : tensor<2xi32>
    %far = stablehlo.constant dense<1> : tensor<2xi32>
    %from = stablehlo.add %starts, %far : tensor<2xi32>
    %opaque = stablehlo.optimization_barrier %from : tensor<2xi32>
    %sizes = stablehlo.constant dense<[4, 6]> : tensor<2xi32>
    %to = stablehlo.add %sizes, %opaque : tensor<2xi32>
    %columns = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x8xf32>
    %part = stablehlo.real_dynamic_slice %columns, %opaque, %to, %far : (tensor<?x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x6xf32>
    %part_shape = stablehlo.constant dense<[4, 6]> : tensor<2xi32>
    %part_static = stablehlo.dynamic_reshape %part, %part_shape : (tensor<?x6xf32>, tensor<2xi32>) -> tensor<4x6xf32>
    %wanted = stablehlo.constant dense<[[2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]]> : tensor<4x6xf32>
    check.expect_eq %part_static, %wanted : tensor<4x6xf32>, tensor<4x6xf32>
    return
  }
  func.func private @layer(%n: tensor<i32>, %stack: tensor<3x?x8xf32>, %i: tensor<i32>) -> tensor<?x8xf32> {
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %three = stablehlo.constant dense<3> : tensor<1xi32>
    %eight = stablehlo.constant dense<8> : tensor<1xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %none = stablehlo.constant dense<0> : tensor<3xi32>
    %ones = stablehlo.constant dense<1> : tensor<3xi32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %sizes = stablehlo.concatenate %one, %n1, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %i1 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %zero1 = stablehlo.reshape %zero : (tensor<i32>) -> tensor<1xi32>
    %starts = stablehlo.concatenate %i1, %zero1, %zero1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %whole = stablehlo.concatenate %three, %n1, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %most = stablehlo.subtract %whole, %sizes : tensor<3xi32>
    %clamped = stablehlo.clamp %none, %starts, %most : tensor<3xi32>
    %limits = stablehlo.add %clamped, %sizes : tensor<3xi32>
    %slice = stablehlo.real_dynamic_slice %stack, %clamped, %limits, %ones : (tensor<3x?x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x?x8xf32>
    %shape = stablehlo.concatenate %n1, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %layer = stablehlo.dynamic_reshape %slice, %shape : (tensor<1x?x8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    return %layer : tensor<?x8xf32>
  }
}
