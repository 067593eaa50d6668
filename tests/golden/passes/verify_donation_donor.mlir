// passes: inline
func.func public @main(%a: tensor<8xf32> {jax.buffer_donor = true}, %b: tensor<8xf32> {jax.buffer_donor = 1 : i32}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
// -----
INVALID_ARGUMENT: verify_donation_donor.mlir:2:107: jax.buffer_donor of argument 1 must be true or false, got 1 : i32
  ... tensor<8xf32> {jax.buffer_donor = true}, %b: tensor<8xf32> {jax.buffer_donor = 1 : i32}) -> tensor<8xf32> {
                                                                                     ^
