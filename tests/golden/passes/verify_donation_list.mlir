// passes: inline
module @step attributes {mhlo.input_output_alias = 3} {
  func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// -----
INVALID_ARGUMENT: verify_donation_list.mlir:2:52: the module's mhlo.input_output_alias must be a list of dictionaries (alias, output_index), got 3 : i64
  module @step attributes {mhlo.input_output_alias = 3} {
                                                     ^
