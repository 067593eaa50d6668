// passes: lower
// As XLA writes the input_output_alias of an HLO module.
module @step attributes {mhlo.input_output_alias = [{alias = {kind = "may_alias", parameter_index = array<i64>, parameter_number = 1 : i64}, output_index = array<i64: 0>}]} {
  func.func public @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
    %1 = stablehlo.negate %arg0 : tensor<8x8xf32>
    return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// -----
program step on 1 chips, temporaries 0 B, argument 1 lies in result 0
entry @main(%0 f32[8,8] argument 0, %1 f32[8,8] argument 1) {
  add.0: %2 f32[8,8] result 0 = add(%0 f32[8,8] argument 0, %2 f32[8,8] result 0)  // lower_donation_hlo.mlir:5:10
  negate.0: %3 f32[8,8] result 1 = negate(%0 f32[8,8] argument 0)  // lower_donation_hlo.mlir:6:10
  return %2 f32[8,8] result 0, %3 f32[8,8] result 1
}
