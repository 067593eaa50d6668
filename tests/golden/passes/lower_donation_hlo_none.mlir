// passes: lower
module @step attributes {mhlo.input_output_alias = [{alias = {kind = "must_alias", parameter_index = array<i64>, parameter_number = 1 : i64}, output_index = array<i64: 2>}]} {
  func.func public @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// -----
INVALID_ARGUMENT: lower_donation_hlo_none.mlir: 'func.func': an entry of the module's mhlo.input_output_alias names no argument (parameter_number, of 2) and result (output_index, of 1)
