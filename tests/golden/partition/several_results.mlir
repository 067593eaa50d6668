// devices: 4
// A reduction and a scatter of several results, each made of its own operand: partial results of all, reduced each in its own way.
module @jit_several_results {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<64x16xi32>, %u: tensor<512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %i: tensor<512x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<16xf32>, tensor<16xi32>, tensor<8xf32>, tensor<8xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<-2147483648> : tensor<i32>
    %0:2 = stablehlo.reduce(%a init: %zero), (%b init: %least) across dimensions = [0] : (tensor<64x16xf32>, tensor<64x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<16xf32>, tensor<16xi32>)
      reducer(%c: tensor<f32>, %d: tensor<f32>) (%e: tensor<i32>, %f: tensor<i32>) {
      %2 = stablehlo.add %c, %d : tensor<f32>
      %3 = stablehlo.maximum %f, %e : tensor<i32>
      stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
    }
    %z = stablehlo.constant dense<0.0> : tensor<8xf32>
    %1:2 = "stablehlo.scatter"(%z, %z, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%c: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>, %f: tensor<f32>):
      %2 = stablehlo.add %c, %e : tensor<f32>
      %3 = stablehlo.add %d, %f : tensor<f32>
      stablehlo.return %2, %3 : tensor<f32>, tensor<f32>
    }) : (tensor<8xf32>, tensor<8xf32>, tensor<512x1xi32>, tensor<512xf32>, tensor<512xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    return %0#0, %0#1, %1#0, %1#1 : tensor<16xf32>, tensor<16xi32>, tensor<8xf32>, tensor<8xf32>
  }
}
