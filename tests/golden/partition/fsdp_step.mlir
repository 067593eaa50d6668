// devices: 8
// Fully sharded data parallelism with a model axis: weights are gathered over data where
// they are used, their gradients scattered over data.
module @jit_step {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func public @main(%x: tensor<512x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w1: tensor<256x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}, %w2: tensor<1024x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {"data"}]>}) -> (tensor<256x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}, tensor<1024x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {"data"}]>}, tensor<f32>) {
    %h = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x1024xf32>) -> tensor<512x1024xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<512x1024xf32>
    %a = stablehlo.maximum %h, %zeros : tensor<512x1024xf32>
    %y = stablehlo.dot_general %a, %w2, contracting_dims = [1] x [0] : (tensor<512x1024xf32>, tensor<1024x256xf32>) -> tensor<512x256xf32>
    %d = stablehlo.subtract %y, %x : tensor<512x256xf32>
    %s = stablehlo.multiply %d, %d : tensor<512x256xf32>
    %loss = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<f32>
    %gw2 = stablehlo.dot_general %a, %d, contracting_dims = [0] x [0] : (tensor<512x1024xf32>, tensor<512x256xf32>) -> tensor<1024x256xf32>
    %ga = stablehlo.dot_general %d, %w2, contracting_dims = [1] x [1] : (tensor<512x256xf32>, tensor<1024x256xf32>) -> tensor<512x1024xf32>
    %mask = stablehlo.compare GT, %h, %zeros : (tensor<512x1024xf32>, tensor<512x1024xf32>) -> tensor<512x1024xi1>
    %gh = stablehlo.select %mask, %ga, %zeros : tensor<512x1024xi1>, tensor<512x1024xf32>
    %gw1 = stablehlo.dot_general %x, %gh, contracting_dims = [0] x [0] : (tensor<512x256xf32>, tensor<512x1024xf32>) -> tensor<256x1024xf32>
    return %gw1, %gw2, %loss : tensor<256x1024xf32>, tensor<1024x256xf32>, tensor<f32>
  }
}
