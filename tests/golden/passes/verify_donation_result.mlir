// passes: inline
func.func public @main(%a: tensor<8xf32> {tf.aliasing_output = "x"}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
// -----
INVALID_ARGUMENT: verify_donation_result.mlir:2:64: tf.aliasing_output of argument 0 must be the number of one of the 1 results, got "x"
  func.func public @main(%a: tensor<8xf32> {tf.aliasing_output = "x"}) -> tensor<8xf32> {
                                                                 ^
