func.func @f(%a: tensor<4xf32>, %p: tensor<4xi1>, %i: tensor<i32>, %k: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %2 = stablehlo.select %p, %a, %a : tensor<4xi1>, tensor<4xf32>
  %3 = stablehlo.complex %a, %a : tensor<4xcomplex<f32>>
  %4 = stablehlo.dynamic_slice %0, %i, %i, sizes = [1, 2] : (tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %5 = stablehlo.concatenate %a, %2, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %6 = stablehlo.convolution(%k, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], reverse = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
  %7:2 = chlo.top_k(%a, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  %8 = stablehlo.custom_call @"odd name"(%a) {api_version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %9 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>
  %10 = stablehlo.tuple %a, %i : tuple<tensor<4xf32>, tensor<i32>>
  %11 = stablehlo.get_tuple_element %10[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
  %12:2 = stablehlo.optimization_barrier %a, %i : tensor<4xf32>, tensor<i32>
  %13 = stablehlo.iota dim = 0 : tensor<4xi32>
  %14 = sdy.all_reduce max {"x"} %a out_sharding=<mesh<["x"=2]>, [{}]> : tensor<4xf32>
  %15 = sdy.named_computation<"b">(%a) (%x: tensor<4xf32>) {
    sdy.return %x : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %16 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>
  return
}
