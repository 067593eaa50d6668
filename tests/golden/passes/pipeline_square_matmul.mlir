// passes: inline partition=4 simplify verify lower
module @jit_matmul_square attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["X"=2, "Y"=2]>
  func.func public @main(%In: tensor<8x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {"Y"}]>}, %W: tensor<2048x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"Y"}, {}]>}) -> (tensor<8x8192xbf16> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"X"}, {}]>}) {
    %0 = call @square(%In) : (tensor<8x2048xbf16>) -> tensor<8x2048xbf16>
    %1 = stablehlo.dot_general %0, %W, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x2048xbf16>, tensor<2048x8192xbf16>) -> tensor<8x8192xbf16>
    return %1 : tensor<8x8192xbf16>
  }
  func.func private @square(%x: tensor<8x2048xbf16>) -> tensor<8x2048xbf16> {
    %0 = chlo.square %x : tensor<8x2048xbf16> -> tensor<8x2048xbf16>
    return %0 : tensor<8x2048xbf16>
  }
}
// -----
program jit_matmul_square on 4 chips, temporaries 72.0 KiB
entry @main(%0 bf16[4,1024] argument 0, %1 bf16[1024,8192] argument 1) {
  multiply.0: %3 bf16[4,1024] temp+0 = multiply(%0 bf16[4,1024] argument 0, %0 bf16[4,1024] argument 0)  // pipeline_square_matmul.mlir:10:10
  dot_general.0: %4 bf16[4,8192] temp+8192 = dot_general(%3 bf16[4,1024] temp+0, %1 bf16[1024,8192] argument 1) {lhs_batching_dimensions=[], rhs_batching_dimensions=[], lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], precision=[0,0]}  // pipeline_square_matmul.mlir:6:10
  all_reduce.0: %2 bf16[4,8192] result 0 = all_reduce(%4 bf16[4,8192] temp+8192) {reducer=[1], replica_groups=[0,1,2,3], group_size=[2], channel=[1]}  // pipeline_square_matmul.mlir:6:10
  return %2 bf16[4,8192] result 0
}
