module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x1024x4096xbf16> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4x1024x8x128xbf16> {tf.aliasing_output = 1 : i32}, %arg2: tensor<4x4096x1024xbf16> {tf.aliasing_output = 2 : i32}, %arg3: tensor<4x8x128x1024xbf16> {tf.aliasing_output = 3 : i32}, %arg4: tensor<4x1024x8x128xbf16> {tf.aliasing_output = 4 : i32}, %arg5: tensor<4x1024x8x128xbf16> {tf.aliasing_output = 5 : i32}, %arg6: tensor<16x512x1024xbf16>, %arg7: tensor<16x512x1024xbf16>) -> (tensor<4x1024x4096xbf16> {jax.result_info = "result[0]['in']"}, tensor<4x1024x8x128xbf16> {jax.result_info = "result[0]['key']"}, tensor<4x4096x1024xbf16> {jax.result_info = "result[0]['out']"}, tensor<4x8x128x1024xbf16> {jax.result_info = "result[0]['project']"}, tensor<4x1024x8x128xbf16> {jax.result_info = "result[0]['query']"}, tensor<4x1024x8x128xbf16> {jax.result_info = "result[0]['value']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<4x16x512x1024xbf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<4x16x512x8x128xbf16>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<4x16x512x8x128xbf16>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x16x8x512x512xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x16x8x512x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x16x8x512x1xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %6 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<bf16>) -> tensor<4x16x8x512x512xbf16>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<bf16>) -> tensor<4x16x512x8x128xbf16>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %8 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<bf16>) -> tensor<4x16x512x8x128xbf16>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %9 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<bf16>) -> tensor<4x16x512x1024xbf16>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<4x16x512x4096xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %11 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<bf16>) -> tensor<4x16x512x4096xbf16>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %12:20 = stablehlo.while(%iterArg = %arg0, %iterArg_29 = %arg1, %iterArg_30 = %arg2, %iterArg_31 = %arg3, %iterArg_32 = %arg4, %iterArg_33 = %arg5, %iterArg_34 = %c_10, %iterArg_35 = %arg6, %iterArg_36 = %0, %iterArg_37 = %1, %iterArg_38 = %2, %iterArg_39 = %3, %iterArg_40 = %4, %iterArg_41 = %5, %iterArg_42 = %6, %iterArg_43 = %7, %iterArg_44 = %8, %iterArg_45 = %9, %iterArg_46 = %10, %iterArg_47 = %11) : tensor<4x1024x4096xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x4096x1024xbf16>, tensor<4x8x128x1024xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x1024x8x128xbf16>, tensor<i32>, tensor<16x512x1024xbf16>, tensor<4x16x512x1024xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x8x512x512xf32>, tensor<4x16x8x512x1xf32>, tensor<4x16x8x512x1xf32>, tensor<4x16x8x512x512xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x512x1024xbf16>, tensor<4x16x512x4096xi1>, tensor<4x16x512x4096xbf16>
    cond {
      %c_48 = stablehlo.constant dense<4> : tensor<i32>
      %49 = stablehlo.compare LT, %iterArg_34, %c_48, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %49 : tensor<i1>
    } do {
      %49 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_34) : (tensor<4x1024x4096xbf16>, tensor<i32>) -> tensor<1024x4096xbf16>
      %50 = func.call @dynamic_index_in_dim_0(%iterArg_29, %iterArg_34) : (tensor<4x1024x8x128xbf16>, tensor<i32>) -> tensor<1024x8x128xbf16>
      %51 = func.call @dynamic_index_in_dim_1(%iterArg_30, %iterArg_34) : (tensor<4x4096x1024xbf16>, tensor<i32>) -> tensor<4096x1024xbf16>
      %52 = func.call @dynamic_index_in_dim_2(%iterArg_31, %iterArg_34) : (tensor<4x8x128x1024xbf16>, tensor<i32>) -> tensor<8x128x1024xbf16>
      %53 = func.call @dynamic_index_in_dim_0(%iterArg_32, %iterArg_34) : (tensor<4x1024x8x128xbf16>, tensor<i32>) -> tensor<1024x8x128xbf16>
      %54 = func.call @dynamic_index_in_dim_0(%iterArg_33, %iterArg_34) : (tensor<4x1024x8x128xbf16>, tensor<i32>) -> tensor<1024x8x128xbf16>
      %55:13 = func.call @closed_call(%iterArg_35, %49, %50, %51, %52, %53, %54) : (tensor<16x512x1024xbf16>, tensor<1024x4096xbf16>, tensor<1024x8x128xbf16>, tensor<4096x1024xbf16>, tensor<8x128x1024xbf16>, tensor<1024x8x128xbf16>, tensor<1024x8x128xbf16>) -> (tensor<16x512x1024xbf16>, tensor<16x512x1024xbf16>, tensor<16x512x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<16x8x512x512xf32>, tensor<16x8x512x1xf32>, tensor<16x8x512x1xf32>, tensor<16x8x512x512xbf16>, tensor<16x512x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<16x512x1024xbf16>, tensor<16x512x4096xi1>, tensor<16x512x4096xbf16>)
      %56 = func.call @dynamic_update_index_in_dim(%iterArg_36, %55#1, %iterArg_34) : (tensor<4x16x512x1024xbf16>, tensor<16x512x1024xbf16>, tensor<i32>) -> tensor<4x16x512x1024xbf16>
      %57 = func.call @dynamic_update_index_in_dim_3(%iterArg_37, %55#2, %iterArg_34) : (tensor<4x16x512x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<i32>) -> tensor<4x16x512x8x128xbf16>
      %58 = func.call @dynamic_update_index_in_dim_3(%iterArg_38, %55#3, %iterArg_34) : (tensor<4x16x512x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<i32>) -> tensor<4x16x512x8x128xbf16>
      %59 = func.call @dynamic_update_index_in_dim_4(%iterArg_39, %55#4, %iterArg_34) : (tensor<4x16x8x512x512xf32>, tensor<16x8x512x512xf32>, tensor<i32>) -> tensor<4x16x8x512x512xf32>
      %60 = func.call @dynamic_update_index_in_dim_5(%iterArg_40, %55#5, %iterArg_34) : (tensor<4x16x8x512x1xf32>, tensor<16x8x512x1xf32>, tensor<i32>) -> tensor<4x16x8x512x1xf32>
      %61 = func.call @dynamic_update_index_in_dim_5(%iterArg_41, %55#6, %iterArg_34) : (tensor<4x16x8x512x1xf32>, tensor<16x8x512x1xf32>, tensor<i32>) -> tensor<4x16x8x512x1xf32>
      %62 = func.call @dynamic_update_index_in_dim_6(%iterArg_42, %55#7, %iterArg_34) : (tensor<4x16x8x512x512xbf16>, tensor<16x8x512x512xbf16>, tensor<i32>) -> tensor<4x16x8x512x512xbf16>
      %63 = func.call @dynamic_update_index_in_dim_3(%iterArg_43, %55#8, %iterArg_34) : (tensor<4x16x512x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<i32>) -> tensor<4x16x512x8x128xbf16>
      %64 = func.call @dynamic_update_index_in_dim_3(%iterArg_44, %55#9, %iterArg_34) : (tensor<4x16x512x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<i32>) -> tensor<4x16x512x8x128xbf16>
      %65 = func.call @dynamic_update_index_in_dim(%iterArg_45, %55#10, %iterArg_34) : (tensor<4x16x512x1024xbf16>, tensor<16x512x1024xbf16>, tensor<i32>) -> tensor<4x16x512x1024xbf16>
      %66 = func.call @dynamic_update_index_in_dim_7(%iterArg_46, %55#11, %iterArg_34) : (tensor<4x16x512x4096xi1>, tensor<16x512x4096xi1>, tensor<i32>) -> tensor<4x16x512x4096xi1>
      %67 = func.call @dynamic_update_index_in_dim_8(%iterArg_47, %55#12, %iterArg_34) : (tensor<4x16x512x4096xbf16>, tensor<16x512x4096xbf16>, tensor<i32>) -> tensor<4x16x512x4096xbf16>
      %c_48 = stablehlo.constant dense<1> : tensor<i32>
      %68 = stablehlo.add %iterArg_34, %c_48 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_29, %iterArg_30, %iterArg_31, %iterArg_32, %iterArg_33, %68, %55#0, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67 : tensor<4x1024x4096xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x4096x1024xbf16>, tensor<4x8x128x1024xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x1024x8x128xbf16>, tensor<i32>, tensor<16x512x1024xbf16>, tensor<4x16x512x1024xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x8x512x512xf32>, tensor<4x16x8x512x1xf32>, tensor<4x16x8x512x1xf32>, tensor<4x16x8x512x512xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x512x1024xbf16>, tensor<4x16x512x4096xi1>, tensor<4x16x512x4096xbf16>
    }
    %13 = stablehlo.subtract %12#7, %arg7 : tensor<16x512x1024xbf16>
    %14 = stablehlo.convert %13 : (tensor<16x512x1024xbf16>) -> tensor<16x512x1024xf32>
    %15 = stablehlo.multiply %14, %14 : tensor<16x512x1024xf32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<16x512x1024xf32>
    %17 = stablehlo.multiply %16, %14 : tensor<16x512x1024xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%15 init: %cst_12) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<16x512x1024xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<0x4B000000> : tensor<f32>
    %19 = stablehlo.divide %18, %cst_13 : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_15 = stablehlo.constant dense<0x4B000000> : tensor<f32>
    %20 = stablehlo.divide %cst_14, %cst_15 : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<16x512x1024xf32>
    %22 = stablehlo.multiply %21, %17 : tensor<16x512x1024xf32>
    %23 = stablehlo.convert %22 : (tensor<16x512x1024xf32>) -> tensor<16x512x1024xbf16>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %24 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<bf16>) -> tensor<4x1024x4096xbf16>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %25 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<bf16>) -> tensor<4x1024x8x128xbf16>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %26 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<bf16>) -> tensor<4x4096x1024xbf16>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %27 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<bf16>) -> tensor<4x8x128x1024xbf16>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %28 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<bf16>) -> tensor<4x1024x8x128xbf16>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %29 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<bf16>) -> tensor<4x1024x8x128xbf16>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %30:26 = stablehlo.while(%iterArg = %arg4, %iterArg_29 = %12#8, %iterArg_30 = %arg1, %iterArg_31 = %arg5, %iterArg_32 = %12#9, %iterArg_33 = %12#10, %iterArg_34 = %12#11, %iterArg_35 = %12#12, %iterArg_36 = %12#13, %iterArg_37 = %12#14, %iterArg_38 = %12#15, %iterArg_39 = %arg3, %iterArg_40 = %12#16, %iterArg_41 = %arg0, %iterArg_42 = %12#17, %iterArg_43 = %12#18, %iterArg_44 = %arg2, %iterArg_45 = %12#19, %iterArg_46 = %c_22, %iterArg_47 = %23, %iterArg_48 = %24, %iterArg_49 = %25, %iterArg_50 = %26, %iterArg_51 = %27, %iterArg_52 = %28, %iterArg_53 = %29) : tensor<4x1024x8x128xbf16>, tensor<4x16x512x1024xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x8x512x512xf32>, tensor<4x16x8x512x1xf32>, tensor<4x16x8x512x1xf32>, tensor<4x16x8x512x512xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x8x128x1024xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x1024x4096xbf16>, tensor<4x16x512x1024xbf16>, tensor<4x16x512x4096xi1>, tensor<4x4096x1024xbf16>, tensor<4x16x512x4096xbf16>, tensor<i32>, tensor<16x512x1024xbf16>, tensor<4x1024x4096xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x4096x1024xbf16>, tensor<4x8x128x1024xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x1024x8x128xbf16>
    cond {
      %c_54 = stablehlo.constant dense<4> : tensor<i32>
      %49 = stablehlo.compare LT, %iterArg_46, %c_54, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %49 : tensor<i1>
    } do {
      %c_54 = stablehlo.constant dense<4> : tensor<i32>
      %49 = stablehlo.subtract %c_54, %iterArg_46 : tensor<i32>
      %c_55 = stablehlo.constant dense<1> : tensor<i32>
      %50 = stablehlo.subtract %49, %c_55 : tensor<i32>
      %51 = func.call @dynamic_index_in_dim_0(%iterArg, %50) : (tensor<4x1024x8x128xbf16>, tensor<i32>) -> tensor<1024x8x128xbf16>
      %52 = func.call @dynamic_index_in_dim_9(%iterArg_29, %50) : (tensor<4x16x512x1024xbf16>, tensor<i32>) -> tensor<16x512x1024xbf16>
      %53 = func.call @dynamic_index_in_dim_0(%iterArg_30, %50) : (tensor<4x1024x8x128xbf16>, tensor<i32>) -> tensor<1024x8x128xbf16>
      %54 = func.call @dynamic_index_in_dim_0(%iterArg_31, %50) : (tensor<4x1024x8x128xbf16>, tensor<i32>) -> tensor<1024x8x128xbf16>
      %55 = func.call @dynamic_index_in_dim_10(%iterArg_32, %50) : (tensor<4x16x512x8x128xbf16>, tensor<i32>) -> tensor<16x512x8x128xbf16>
      %56 = func.call @dynamic_index_in_dim_10(%iterArg_33, %50) : (tensor<4x16x512x8x128xbf16>, tensor<i32>) -> tensor<16x512x8x128xbf16>
      %57 = func.call @dynamic_index_in_dim_11(%iterArg_34, %50) : (tensor<4x16x8x512x512xf32>, tensor<i32>) -> tensor<16x8x512x512xf32>
      %58 = func.call @dynamic_index_in_dim_12(%iterArg_35, %50) : (tensor<4x16x8x512x1xf32>, tensor<i32>) -> tensor<16x8x512x1xf32>
      %59 = func.call @dynamic_index_in_dim_12(%iterArg_36, %50) : (tensor<4x16x8x512x1xf32>, tensor<i32>) -> tensor<16x8x512x1xf32>
      %60 = func.call @dynamic_index_in_dim_13(%iterArg_37, %50) : (tensor<4x16x8x512x512xbf16>, tensor<i32>) -> tensor<16x8x512x512xbf16>
      %61 = func.call @dynamic_index_in_dim_10(%iterArg_38, %50) : (tensor<4x16x512x8x128xbf16>, tensor<i32>) -> tensor<16x512x8x128xbf16>
      %62 = func.call @dynamic_index_in_dim_2(%iterArg_39, %50) : (tensor<4x8x128x1024xbf16>, tensor<i32>) -> tensor<8x128x1024xbf16>
      %63 = func.call @dynamic_index_in_dim_10(%iterArg_40, %50) : (tensor<4x16x512x8x128xbf16>, tensor<i32>) -> tensor<16x512x8x128xbf16>
      %64 = func.call @dynamic_index_in_dim(%iterArg_41, %50) : (tensor<4x1024x4096xbf16>, tensor<i32>) -> tensor<1024x4096xbf16>
      %65 = func.call @dynamic_index_in_dim_9(%iterArg_42, %50) : (tensor<4x16x512x1024xbf16>, tensor<i32>) -> tensor<16x512x1024xbf16>
      %66 = func.call @dynamic_index_in_dim_14(%iterArg_43, %50) : (tensor<4x16x512x4096xi1>, tensor<i32>) -> tensor<16x512x4096xi1>
      %67 = func.call @dynamic_index_in_dim_1(%iterArg_44, %50) : (tensor<4x4096x1024xbf16>, tensor<i32>) -> tensor<4096x1024xbf16>
      %68 = func.call @dynamic_index_in_dim_15(%iterArg_45, %50) : (tensor<4x16x512x4096xbf16>, tensor<i32>) -> tensor<16x512x4096xbf16>
      %69:7 = func.call @closed_call_16(%iterArg_47, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68) : (tensor<16x512x1024xbf16>, tensor<1024x8x128xbf16>, tensor<16x512x1024xbf16>, tensor<1024x8x128xbf16>, tensor<1024x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<16x8x512x512xf32>, tensor<16x8x512x1xf32>, tensor<16x8x512x1xf32>, tensor<16x8x512x512xbf16>, tensor<16x512x8x128xbf16>, tensor<8x128x1024xbf16>, tensor<16x512x8x128xbf16>, tensor<1024x4096xbf16>, tensor<16x512x1024xbf16>, tensor<16x512x4096xi1>, tensor<4096x1024xbf16>, tensor<16x512x4096xbf16>) -> (tensor<16x512x1024xbf16>, tensor<1024x4096xbf16>, tensor<1024x8x128xbf16>, tensor<4096x1024xbf16>, tensor<8x128x1024xbf16>, tensor<1024x8x128xbf16>, tensor<1024x8x128xbf16>)
      %70 = func.call @dynamic_update_index_in_dim_17(%iterArg_48, %69#1, %50) : (tensor<4x1024x4096xbf16>, tensor<1024x4096xbf16>, tensor<i32>) -> tensor<4x1024x4096xbf16>
      %71 = func.call @dynamic_update_index_in_dim_18(%iterArg_49, %69#2, %50) : (tensor<4x1024x8x128xbf16>, tensor<1024x8x128xbf16>, tensor<i32>) -> tensor<4x1024x8x128xbf16>
      %72 = func.call @dynamic_update_index_in_dim_19(%iterArg_50, %69#3, %50) : (tensor<4x4096x1024xbf16>, tensor<4096x1024xbf16>, tensor<i32>) -> tensor<4x4096x1024xbf16>
      %73 = func.call @dynamic_update_index_in_dim_20(%iterArg_51, %69#4, %50) : (tensor<4x8x128x1024xbf16>, tensor<8x128x1024xbf16>, tensor<i32>) -> tensor<4x8x128x1024xbf16>
      %74 = func.call @dynamic_update_index_in_dim_18(%iterArg_52, %69#5, %50) : (tensor<4x1024x8x128xbf16>, tensor<1024x8x128xbf16>, tensor<i32>) -> tensor<4x1024x8x128xbf16>
      %75 = func.call @dynamic_update_index_in_dim_18(%iterArg_53, %69#6, %50) : (tensor<4x1024x8x128xbf16>, tensor<1024x8x128xbf16>, tensor<i32>) -> tensor<4x1024x8x128xbf16>
      %c_56 = stablehlo.constant dense<1> : tensor<i32>
      %76 = stablehlo.add %iterArg_46, %c_56 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_29, %iterArg_30, %iterArg_31, %iterArg_32, %iterArg_33, %iterArg_34, %iterArg_35, %iterArg_36, %iterArg_37, %iterArg_38, %iterArg_39, %iterArg_40, %iterArg_41, %iterArg_42, %iterArg_43, %iterArg_44, %iterArg_45, %76, %69#0, %70, %71, %72, %73, %74, %75 : tensor<4x1024x8x128xbf16>, tensor<4x16x512x1024xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x16x8x512x512xf32>, tensor<4x16x8x512x1xf32>, tensor<4x16x8x512x1xf32>, tensor<4x16x8x512x512xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x8x128x1024xbf16>, tensor<4x16x512x8x128xbf16>, tensor<4x1024x4096xbf16>, tensor<4x16x512x1024xbf16>, tensor<4x16x512x4096xi1>, tensor<4x4096x1024xbf16>, tensor<4x16x512x4096xbf16>, tensor<i32>, tensor<16x512x1024xbf16>, tensor<4x1024x4096xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x4096x1024xbf16>, tensor<4x8x128x1024xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x1024x8x128xbf16>
    }
    %cst_23 = stablehlo.constant dense<1.000980e-02> : tensor<bf16>
    %31 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<bf16>) -> tensor<4x1024x4096xbf16>
    %32 = stablehlo.multiply %31, %30#20 : tensor<4x1024x4096xbf16>
    %33 = stablehlo.subtract %arg0, %32 : tensor<4x1024x4096xbf16>
    %cst_24 = stablehlo.constant dense<1.000980e-02> : tensor<bf16>
    %34 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<bf16>) -> tensor<4x1024x8x128xbf16>
    %35 = stablehlo.multiply %34, %30#21 : tensor<4x1024x8x128xbf16>
    %36 = stablehlo.subtract %arg1, %35 : tensor<4x1024x8x128xbf16>
    %cst_25 = stablehlo.constant dense<1.000980e-02> : tensor<bf16>
    %37 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<bf16>) -> tensor<4x4096x1024xbf16>
    %38 = stablehlo.multiply %37, %30#22 : tensor<4x4096x1024xbf16>
    %39 = stablehlo.subtract %arg2, %38 : tensor<4x4096x1024xbf16>
    %cst_26 = stablehlo.constant dense<1.000980e-02> : tensor<bf16>
    %40 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<bf16>) -> tensor<4x8x128x1024xbf16>
    %41 = stablehlo.multiply %40, %30#23 : tensor<4x8x128x1024xbf16>
    %42 = stablehlo.subtract %arg3, %41 : tensor<4x8x128x1024xbf16>
    %cst_27 = stablehlo.constant dense<1.000980e-02> : tensor<bf16>
    %43 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<bf16>) -> tensor<4x1024x8x128xbf16>
    %44 = stablehlo.multiply %43, %30#24 : tensor<4x1024x8x128xbf16>
    %45 = stablehlo.subtract %arg4, %44 : tensor<4x1024x8x128xbf16>
    %cst_28 = stablehlo.constant dense<1.000980e-02> : tensor<bf16>
    %46 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<bf16>) -> tensor<4x1024x8x128xbf16>
    %47 = stablehlo.multiply %46, %30#25 : tensor<4x1024x8x128xbf16>
    %48 = stablehlo.subtract %arg5, %47 : tensor<4x1024x8x128xbf16>
    return %33, %36, %39, %42, %45, %48, %19 : tensor<4x1024x4096xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x4096x1024xbf16>, tensor<4x8x128x1024xbf16>, tensor<4x1024x8x128xbf16>, tensor<4x1024x8x128xbf16>, tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x1024x4096xbf16>, %arg1: tensor<i32>) -> tensor<1024x4096xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 1024, 4096] : (tensor<4x1024x4096xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x1024x4096xbf16>) -> tensor<1024x4096xbf16>
    return %1 : tensor<1024x4096xbf16>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<4x1024x8x128xbf16>, %arg1: tensor<i32>) -> tensor<1024x8x128xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 1024, 8, 128] : (tensor<4x1024x8x128xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x8x128xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x1024x8x128xbf16>) -> tensor<1024x8x128xbf16>
    return %1 : tensor<1024x8x128xbf16>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<4x4096x1024xbf16>, %arg1: tensor<i32>) -> tensor<4096x1024xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4096, 1024] : (tensor<4x4096x1024xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4096x1024xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x4096x1024xbf16>) -> tensor<4096x1024xbf16>
    return %1 : tensor<4096x1024xbf16>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<4x8x128x1024xbf16>, %arg1: tensor<i32>) -> tensor<8x128x1024xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 128, 1024] : (tensor<4x8x128x1024xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128x1024xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x8x128x1024xbf16>) -> tensor<8x128x1024xbf16>
    return %1 : tensor<8x128x1024xbf16>
  }
  func.func private @closed_call(%arg0: tensor<16x512x1024xbf16>, %arg1: tensor<1024x4096xbf16>, %arg2: tensor<1024x8x128xbf16>, %arg3: tensor<4096x1024xbf16>, %arg4: tensor<8x128x1024xbf16>, %arg5: tensor<1024x8x128xbf16>, %arg6: tensor<1024x8x128xbf16>) -> (tensor<16x512x1024xbf16>, tensor<16x512x1024xbf16>, tensor<16x512x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<16x8x512x512xf32>, tensor<16x8x512x1xf32>, tensor<16x8x512x1xf32>, tensor<16x8x512x512xbf16>, tensor<16x512x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<16x512x1024xbf16>, tensor<16x512x4096xi1>, tensor<16x512x4096xbf16>) {
    %0 = stablehlo.dot_general %arg0, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x512x1024xbf16>, tensor<1024x8x128xbf16>) -> tensor<16x512x8x128xbf16>
    %1 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x512x1024xbf16>, tensor<1024x8x128xbf16>) -> tensor<16x512x8x128xbf16>
    %2 = stablehlo.dot_general %arg0, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x512x1024xbf16>, tensor<1024x8x128xbf16>) -> tensor<16x512x8x128xbf16>
    %3 = stablehlo.dot_general %0, %1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<16x512x8x128xbf16>, tensor<16x512x8x128xbf16>) -> tensor<16x8x512x512xbf16>
    %4 = stablehlo.convert %3 : (tensor<16x8x512x512xbf16>) -> tensor<16x8x512x512xf32>
    %cst = stablehlo.constant dense<11.3137083> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x8x512x512xf32>
    %6 = stablehlo.divide %4, %5 : tensor<16x8x512x512xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.maximum across dimensions = [3] : (tensor<16x8x512x512xf32>, tensor<f32>) -> tensor<16x8x512xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x8x512xf32>
    %9 = stablehlo.maximum %8, %7 : tensor<16x8x512xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<16x8x512xf32>) -> tensor<16x8x512x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<16x8x512x1xf32>) -> tensor<16x8x512x512xf32>
    %12 = stablehlo.subtract %6, %11 : tensor<16x8x512x512xf32>
    %13 = stablehlo.exponential %12 : tensor<16x8x512x512xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<16x8x512x512xf32>, tensor<f32>) -> tensor<16x8x512xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<16x8x512xf32>) -> tensor<16x8x512x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<16x8x512x1xf32>) -> tensor<16x8x512x512xf32>
    %17 = stablehlo.divide %13, %16 : tensor<16x8x512x512xf32>
    %18 = stablehlo.multiply %15, %15 : tensor<16x8x512x1xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x8x512x1xf32>
    %20 = stablehlo.divide %19, %18 : tensor<16x8x512x1xf32>
    %21 = stablehlo.convert %17 : (tensor<16x8x512x512xf32>) -> tensor<16x8x512x512xbf16>
    %22 = stablehlo.dot_general %2, %21, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<16x512x8x128xbf16>, tensor<16x8x512x512xbf16>) -> tensor<16x8x128x512xbf16>
    %23 = stablehlo.transpose %22, dims = [0, 3, 1, 2] : (tensor<16x8x128x512xbf16>) -> tensor<16x512x8x128xbf16>
    %24 = stablehlo.dot_general %23, %arg4, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x512x8x128xbf16>, tensor<8x128x1024xbf16>) -> tensor<16x512x1024xbf16>
    %25 = stablehlo.add %arg0, %24 : tensor<16x512x1024xbf16>
    %26 = stablehlo.dot_general %25, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x512x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<16x512x4096xbf16>
    %27 = call @relu(%26) : (tensor<16x512x4096xbf16>) -> tensor<16x512x4096xbf16>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %28 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<16x512x4096xbf16>
    %29 = stablehlo.compare GT, %26, %28, FLOAT : (tensor<16x512x4096xbf16>, tensor<16x512x4096xbf16>) -> tensor<16x512x4096xi1>
    %30 = stablehlo.dot_general %27, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x512x4096xbf16>, tensor<4096x1024xbf16>) -> tensor<16x512x1024xbf16>
    %31 = stablehlo.add %25, %30 : tensor<16x512x1024xbf16>
    return %31, %arg0, %1, %0, %13, %15, %20, %21, %2, %23, %25, %29, %27 : tensor<16x512x1024xbf16>, tensor<16x512x1024xbf16>, tensor<16x512x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<16x8x512x512xf32>, tensor<16x8x512x1xf32>, tensor<16x8x512x1xf32>, tensor<16x8x512x512xbf16>, tensor<16x512x8x128xbf16>, tensor<16x512x8x128xbf16>, tensor<16x512x1024xbf16>, tensor<16x512x4096xi1>, tensor<16x512x4096xbf16>
  }
  func.func private @relu(%arg0: tensor<16x512x4096xbf16>) -> tensor<16x512x4096xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<16x512x4096xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<16x512x4096xbf16>
    return %1 : tensor<16x512x4096xbf16>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x16x512x1024xbf16>, %arg1: tensor<16x512x1024xbf16>, %arg2: tensor<i32>) -> tensor<4x16x512x1024xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<16x512x1024xbf16>) -> tensor<1x16x512x1024xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<4x16x512x1024xbf16>, tensor<1x16x512x1024xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x16x512x1024xbf16>
    return %1 : tensor<4x16x512x1024xbf16>
  }
  func.func private @dynamic_update_index_in_dim_3(%arg0: tensor<4x16x512x8x128xbf16>, %arg1: tensor<16x512x8x128xbf16>, %arg2: tensor<i32>) -> tensor<4x16x512x8x128xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<16x512x8x128xbf16>) -> tensor<1x16x512x8x128xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<4x16x512x8x128xbf16>, tensor<1x16x512x8x128xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x16x512x8x128xbf16>
    return %1 : tensor<4x16x512x8x128xbf16>
  }
  func.func private @dynamic_update_index_in_dim_4(%arg0: tensor<4x16x8x512x512xf32>, %arg1: tensor<16x8x512x512xf32>, %arg2: tensor<i32>) -> tensor<4x16x8x512x512xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<16x8x512x512xf32>) -> tensor<1x16x8x512x512xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<4x16x8x512x512xf32>, tensor<1x16x8x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x16x8x512x512xf32>
    return %1 : tensor<4x16x8x512x512xf32>
  }
  func.func private @dynamic_update_index_in_dim_5(%arg0: tensor<4x16x8x512x1xf32>, %arg1: tensor<16x8x512x1xf32>, %arg2: tensor<i32>) -> tensor<4x16x8x512x1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<16x8x512x1xf32>) -> tensor<1x16x8x512x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<4x16x8x512x1xf32>, tensor<1x16x8x512x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x16x8x512x1xf32>
    return %1 : tensor<4x16x8x512x1xf32>
  }
  func.func private @dynamic_update_index_in_dim_6(%arg0: tensor<4x16x8x512x512xbf16>, %arg1: tensor<16x8x512x512xbf16>, %arg2: tensor<i32>) -> tensor<4x16x8x512x512xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<16x8x512x512xbf16>) -> tensor<1x16x8x512x512xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<4x16x8x512x512xbf16>, tensor<1x16x8x512x512xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x16x8x512x512xbf16>
    return %1 : tensor<4x16x8x512x512xbf16>
  }
  func.func private @dynamic_update_index_in_dim_7(%arg0: tensor<4x16x512x4096xi1>, %arg1: tensor<16x512x4096xi1>, %arg2: tensor<i32>) -> tensor<4x16x512x4096xi1> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<16x512x4096xi1>) -> tensor<1x16x512x4096xi1>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<4x16x512x4096xi1>, tensor<1x16x512x4096xi1>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x16x512x4096xi1>
    return %1 : tensor<4x16x512x4096xi1>
  }
  func.func private @dynamic_update_index_in_dim_8(%arg0: tensor<4x16x512x4096xbf16>, %arg1: tensor<16x512x4096xbf16>, %arg2: tensor<i32>) -> tensor<4x16x512x4096xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<16x512x4096xbf16>) -> tensor<1x16x512x4096xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<4x16x512x4096xbf16>, tensor<1x16x512x4096xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x16x512x4096xbf16>
    return %1 : tensor<4x16x512x4096xbf16>
  }
  func.func private @dynamic_index_in_dim_9(%arg0: tensor<4x16x512x1024xbf16>, %arg1: tensor<i32>) -> tensor<16x512x1024xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 16, 512, 1024] : (tensor<4x16x512x1024xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x512x1024xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x16x512x1024xbf16>) -> tensor<16x512x1024xbf16>
    return %1 : tensor<16x512x1024xbf16>
  }
  func.func private @dynamic_index_in_dim_10(%arg0: tensor<4x16x512x8x128xbf16>, %arg1: tensor<i32>) -> tensor<16x512x8x128xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 16, 512, 8, 128] : (tensor<4x16x512x8x128xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x512x8x128xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x16x512x8x128xbf16>) -> tensor<16x512x8x128xbf16>
    return %1 : tensor<16x512x8x128xbf16>
  }
  func.func private @dynamic_index_in_dim_11(%arg0: tensor<4x16x8x512x512xf32>, %arg1: tensor<i32>) -> tensor<16x8x512x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 16, 8, 512, 512] : (tensor<4x16x8x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x8x512x512xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16x8x512x512xf32>) -> tensor<16x8x512x512xf32>
    return %1 : tensor<16x8x512x512xf32>
  }
  func.func private @dynamic_index_in_dim_12(%arg0: tensor<4x16x8x512x1xf32>, %arg1: tensor<i32>) -> tensor<16x8x512x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 16, 8, 512, 1] : (tensor<4x16x8x512x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x8x512x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16x8x512x1xf32>) -> tensor<16x8x512x1xf32>
    return %1 : tensor<16x8x512x1xf32>
  }
  func.func private @dynamic_index_in_dim_13(%arg0: tensor<4x16x8x512x512xbf16>, %arg1: tensor<i32>) -> tensor<16x8x512x512xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 16, 8, 512, 512] : (tensor<4x16x8x512x512xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x8x512x512xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x16x8x512x512xbf16>) -> tensor<16x8x512x512xbf16>
    return %1 : tensor<16x8x512x512xbf16>
  }
  func.func private @dynamic_index_in_dim_14(%arg0: tensor<4x16x512x4096xi1>, %arg1: tensor<i32>) -> tensor<16x512x4096xi1> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 16, 512, 4096] : (tensor<4x16x512x4096xi1>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x512x4096xi1>
    %1 = stablehlo.reshape %0 : (tensor<1x16x512x4096xi1>) -> tensor<16x512x4096xi1>
    return %1 : tensor<16x512x4096xi1>
  }
  func.func private @dynamic_index_in_dim_15(%arg0: tensor<4x16x512x4096xbf16>, %arg1: tensor<i32>) -> tensor<16x512x4096xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 16, 512, 4096] : (tensor<4x16x512x4096xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x512x4096xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x16x512x4096xbf16>) -> tensor<16x512x4096xbf16>
    return %1 : tensor<16x512x4096xbf16>
  }
  func.func private @closed_call_16(%arg0: tensor<16x512x1024xbf16>, %arg1: tensor<1024x8x128xbf16>, %arg2: tensor<16x512x1024xbf16>, %arg3: tensor<1024x8x128xbf16>, %arg4: tensor<1024x8x128xbf16>, %arg5: tensor<16x512x8x128xbf16>, %arg6: tensor<16x512x8x128xbf16>, %arg7: tensor<16x8x512x512xf32>, %arg8: tensor<16x8x512x1xf32>, %arg9: tensor<16x8x512x1xf32>, %arg10: tensor<16x8x512x512xbf16>, %arg11: tensor<16x512x8x128xbf16>, %arg12: tensor<8x128x1024xbf16>, %arg13: tensor<16x512x8x128xbf16>, %arg14: tensor<1024x4096xbf16>, %arg15: tensor<16x512x1024xbf16>, %arg16: tensor<16x512x4096xi1>, %arg17: tensor<4096x1024xbf16>, %arg18: tensor<16x512x4096xbf16>) -> (tensor<16x512x1024xbf16>, tensor<1024x4096xbf16>, tensor<1024x8x128xbf16>, tensor<4096x1024xbf16>, tensor<8x128x1024xbf16>, tensor<1024x8x128xbf16>, tensor<1024x8x128xbf16>) {
    %0 = stablehlo.dot_general %arg0, %arg18, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x512x1024xbf16>, tensor<16x512x4096xbf16>) -> tensor<1024x4096xbf16>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<1024x4096xbf16>) -> tensor<4096x1024xbf16>
    %2 = stablehlo.dot_general %arg0, %arg17, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x512x1024xbf16>, tensor<4096x1024xbf16>) -> tensor<16x512x4096xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<16x512x4096xbf16>
    %4 = stablehlo.select %arg16, %2, %3 : tensor<16x512x4096xi1>, tensor<16x512x4096xbf16>
    %5 = stablehlo.dot_general %4, %arg15, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x512x4096xbf16>, tensor<16x512x1024xbf16>) -> tensor<4096x1024xbf16>
    %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<4096x1024xbf16>) -> tensor<1024x4096xbf16>
    %7 = stablehlo.dot_general %4, %arg14, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x512x4096xbf16>, tensor<1024x4096xbf16>) -> tensor<16x512x1024xbf16>
    %8 = stablehlo.add %arg0, %7 : tensor<16x512x1024xbf16>
    %9 = stablehlo.dot_general %8, %arg13, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x512x1024xbf16>, tensor<16x512x8x128xbf16>) -> tensor<1024x8x128xbf16>
    %10 = stablehlo.transpose %9, dims = [1, 2, 0] : (tensor<1024x8x128xbf16>) -> tensor<8x128x1024xbf16>
    %11 = stablehlo.dot_general %8, %arg12, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x512x1024xbf16>, tensor<8x128x1024xbf16>) -> tensor<16x512x8x128xbf16>
    %12 = stablehlo.transpose %11, dims = [0, 2, 3, 1] : (tensor<16x512x8x128xbf16>) -> tensor<16x8x128x512xbf16>
    %13 = stablehlo.dot_general %12, %arg11, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<16x8x128x512xbf16>, tensor<16x512x8x128xbf16>) -> tensor<16x8x512x512xbf16>
    %14 = stablehlo.dot_general %12, %arg10, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x8x128x512xbf16>, tensor<16x8x512x512xbf16>) -> tensor<16x8x128x512xbf16>
    %15 = stablehlo.transpose %14, dims = [0, 3, 1, 2] : (tensor<16x8x128x512xbf16>) -> tensor<16x512x8x128xbf16>
    %16 = stablehlo.convert %13 : (tensor<16x8x512x512xbf16>) -> tensor<16x8x512x512xf32>
    %17 = stablehlo.broadcast_in_dim %arg9, dims = [0, 1, 2, 3] : (tensor<16x8x512x1xf32>) -> tensor<16x8x512x512xf32>
    %18 = stablehlo.multiply %16, %17 : tensor<16x8x512x512xf32>
    %19 = stablehlo.multiply %18, %arg7 : tensor<16x8x512x512xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<16x8x512x512xf32>, tensor<f32>) -> tensor<16x8x512xf32>
    %21 = stablehlo.reshape %20 : (tensor<16x8x512xf32>) -> tensor<16x8x512x1xf32>
    %22 = stablehlo.negate %21 : tensor<16x8x512x1xf32>
    %23 = stablehlo.broadcast_in_dim %arg8, dims = [0, 1, 2, 3] : (tensor<16x8x512x1xf32>) -> tensor<16x8x512x512xf32>
    %24 = stablehlo.divide %16, %23 : tensor<16x8x512x512xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%22 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<16x8x512x1xf32>, tensor<f32>) -> tensor<16x8x512xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<16x8x512xf32>) -> tensor<16x8x512x512xf32>
    %27 = stablehlo.add %24, %26 : tensor<16x8x512x512xf32>
    %28 = stablehlo.multiply %27, %arg7 : tensor<16x8x512x512xf32>
    %cst_2 = stablehlo.constant dense<11.3137083> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x8x512x512xf32>
    %30 = stablehlo.divide %28, %29 : tensor<16x8x512x512xf32>
    %31 = stablehlo.convert %30 : (tensor<16x8x512x512xf32>) -> tensor<16x8x512x512xbf16>
    %32 = stablehlo.dot_general %31, %arg6, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x8x512x512xbf16>, tensor<16x512x8x128xbf16>) -> tensor<16x8x512x128xbf16>
    %33 = stablehlo.transpose %32, dims = [0, 2, 1, 3] : (tensor<16x8x512x128xbf16>) -> tensor<16x512x8x128xbf16>
    %34 = stablehlo.dot_general %31, %arg5, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x8x512x512xbf16>, tensor<16x512x8x128xbf16>) -> tensor<16x8x512x128xbf16>
    %35 = stablehlo.transpose %34, dims = [0, 2, 1, 3] : (tensor<16x8x512x128xbf16>) -> tensor<16x512x8x128xbf16>
    %36 = stablehlo.dot_general %15, %arg2, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x512x8x128xbf16>, tensor<16x512x1024xbf16>) -> tensor<8x128x1024xbf16>
    %37 = stablehlo.transpose %36, dims = [2, 0, 1] : (tensor<8x128x1024xbf16>) -> tensor<1024x8x128xbf16>
    %38 = stablehlo.dot_general %15, %arg4, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<16x512x8x128xbf16>, tensor<1024x8x128xbf16>) -> tensor<16x512x1024xbf16>
    %39 = stablehlo.add %8, %38 : tensor<16x512x1024xbf16>
    %40 = stablehlo.dot_general %33, %arg2, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x512x8x128xbf16>, tensor<16x512x1024xbf16>) -> tensor<8x128x1024xbf16>
    %41 = stablehlo.transpose %40, dims = [2, 0, 1] : (tensor<8x128x1024xbf16>) -> tensor<1024x8x128xbf16>
    %42 = stablehlo.dot_general %33, %arg3, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<16x512x8x128xbf16>, tensor<1024x8x128xbf16>) -> tensor<16x512x1024xbf16>
    %43 = stablehlo.add %39, %42 : tensor<16x512x1024xbf16>
    %44 = stablehlo.dot_general %35, %arg2, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x512x8x128xbf16>, tensor<16x512x1024xbf16>) -> tensor<8x128x1024xbf16>
    %45 = stablehlo.transpose %44, dims = [2, 0, 1] : (tensor<8x128x1024xbf16>) -> tensor<1024x8x128xbf16>
    %46 = stablehlo.dot_general %35, %arg1, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<16x512x8x128xbf16>, tensor<1024x8x128xbf16>) -> tensor<16x512x1024xbf16>
    %47 = stablehlo.add %43, %46 : tensor<16x512x1024xbf16>
    return %47, %6, %41, %1, %10, %45, %37 : tensor<16x512x1024xbf16>, tensor<1024x4096xbf16>, tensor<1024x8x128xbf16>, tensor<4096x1024xbf16>, tensor<8x128x1024xbf16>, tensor<1024x8x128xbf16>, tensor<1024x8x128xbf16>
  }
  func.func private @dynamic_update_index_in_dim_17(%arg0: tensor<4x1024x4096xbf16>, %arg1: tensor<1024x4096xbf16>, %arg2: tensor<i32>) -> tensor<4x1024x4096xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<1024x4096xbf16>) -> tensor<1x1024x4096xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<4x1024x4096xbf16>, tensor<1x1024x4096xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x1024x4096xbf16>
    return %1 : tensor<4x1024x4096xbf16>
  }
  func.func private @dynamic_update_index_in_dim_18(%arg0: tensor<4x1024x8x128xbf16>, %arg1: tensor<1024x8x128xbf16>, %arg2: tensor<i32>) -> tensor<4x1024x8x128xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<1024x8x128xbf16>) -> tensor<1x1024x8x128xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<4x1024x8x128xbf16>, tensor<1x1024x8x128xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x1024x8x128xbf16>
    return %1 : tensor<4x1024x8x128xbf16>
  }
  func.func private @dynamic_update_index_in_dim_19(%arg0: tensor<4x4096x1024xbf16>, %arg1: tensor<4096x1024xbf16>, %arg2: tensor<i32>) -> tensor<4x4096x1024xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<4096x1024xbf16>) -> tensor<1x4096x1024xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<4x4096x1024xbf16>, tensor<1x4096x1024xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x4096x1024xbf16>
    return %1 : tensor<4x4096x1024xbf16>
  }
  func.func private @dynamic_update_index_in_dim_20(%arg0: tensor<4x8x128x1024xbf16>, %arg1: tensor<8x128x1024xbf16>, %arg2: tensor<i32>) -> tensor<4x8x128x1024xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x128x1024xbf16>) -> tensor<1x8x128x1024xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<4x8x128x1024xbf16>, tensor<1x8x128x1024xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x128x1024xbf16>
    return %1 : tensor<4x8x128x1024xbf16>
  }
}
