// Custom calls of JAX that mean what other operations do.
module @custom_calls {
  func.func private @top_k_gt_f32_comparator(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func private @sum(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %0 : tensor<i32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[[3.0, 1.0, 2.0], [5.0, 9.0, 7.0]]> : tensor<2x3xf32>
    %0 = stablehlo.custom_call @annotate_device_placement(%x) {api_version = 1 : i32, has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.custom_call @LayoutConstraint(%0) {api_version = 1 : i32, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    check.expect_eq %1, %x : tensor<2x3xf32>
    %iota = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %none = stablehlo.constant dense<-1> : tensor<i32>
    %2:2 = stablehlo.custom_call @ApproxTopK(%x, %iota, %low, %none) {api_version = 1 : i32, called_computations = [@top_k_gt_f32_comparator], mhlo.backend_config = {aggregate_to_topk = true, recall_target = 9.500000e-01 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
    check.expect_eq_const %2#0, dense<[[3.0, 2.0], [9.0, 7.0]]> : tensor<2x2xf32>
    check.expect_eq_const %2#1, dense<[[0, 2], [1, 2]]> : tensor<2x2xi32>
    %three = stablehlo.constant dense<1> : tensor<i32>
    %3:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %three) : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x1xf32>, tensor<2x1xi32>)
    check.expect_eq_const %3#0, dense<[[3.0], [9.0]]> : tensor<2x1xf32>
    %4:2 = "stablehlo.custom_call"(%x) {call_target_name = "mhlo.topk", mhlo.attributes = {k = 1 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xi32>)
    check.expect_eq_const %4#1, dense<[[0], [1]]> : tensor<2x1xi32>
    %9 = stablehlo.constant dense<[1.0, 0x7FC00000, -0.0, 0.0, 0xFF800000]> : tensor<5xf32>
    %10:2 = "stablehlo.custom_call"(%9) {call_target_name = "mhlo.topk", mhlo.attributes = {k = 4 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<5xf32>) -> (tensor<4xf32>, tensor<4xi32>)
    check.expect_eq_const %10#0, dense<[0xFF800000, -0.0, 0.0, 1.0]> : tensor<4xf32>
    check.expect_eq_const %10#1, dense<[4, 2, 3, 0]> : tensor<4xi32>
    %11 = stablehlo.constant dense<[5, 200, 0, 5]> : tensor<4xui8>
    %12:2 = "stablehlo.custom_call"(%11) {call_target_name = "mhlo.topk", mhlo.attributes = {k = 3 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<4xui8>) -> (tensor<3xui8>, tensor<3xi32>)
    check.expect_eq_const %12#0, dense<[0, 5, 5]> : tensor<3xui8>
    check.expect_eq_const %12#1, dense<[2, 0, 3]> : tensor<3xi32>
    stablehlo.custom_call @dce_sink(%x) {api_version = 4 : i32, has_side_effect = true} : (tensor<2x3xf32>) -> ()
    %5 = stablehlo.custom_call @mhlo.sinh(%low) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<f32>) -> tensor<f32>
    check.expect_eq %5, %low : tensor<f32>
    %true = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.custom_call @shape_assertion(%true, %none) {error_message = "Expected {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()

    // Sums of two neighbours in a row, with a column of zeros before.
    %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %ones = stablehlo.constant dense<1> : tensor<2xi32>
    %padding = stablehlo.constant dense<[[0, 0], [1, 0]]> : tensor<2x2xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%iota, %zero, %sizes, %ones, %ones, %ones, %padding) {called_computations = [@sum]} : (tensor<2x3xi32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<2x3xi32>
    check.expect_eq_const %6, dense<[[0, 1, 3], [0, 1, 3]]> : tensor<2x3xi32>
    %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
    %shape = stablehlo.constant dense<[4]> : tensor<1xi32>
    %7:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<4xui32>)
    %8:2 = "stablehlo.rng_bit_generator"(%state) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    check.expect_eq %7#1, %8#1 : tensor<4xui32>
    check.expect_eq %7#0, %8#0 : tensor<2xui64>
    return
  }
}
