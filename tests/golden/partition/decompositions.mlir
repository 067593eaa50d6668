// devices: 4
// Every chip decomposes the matrices of its part of the batch; a matrix that is divided comes together first.
module @jit_decompositions {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8x5x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %b: tensor<8x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x5x5xf32>, tensor<8x5xf32>, tensor<8x5xi32>, tensor<8x5xf32>) {
    %0:2 = stablehlo.custom_call @Qr(%a) {backend_config = ""} : (tensor<8x5x5xf32>) -> (tensor<8x5x5xf32>, tensor<8x5xf32>)
    %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1) {backend_config = ""} : (tensor<8x5x5xf32>, tensor<8x5xf32>) -> tensor<8x5x5xf32>
    %2:3 = stablehlo.custom_call @LuDecomposition(%a) {api_version = 2 : i32, backend_config = ""} : (tensor<8x5x5xf32>) -> (tensor<8x5x5xf32>, tensor<8x5xi32>, tensor<8x5xi32>)
    %3:2 = stablehlo.custom_call @Eigh(%1) {backend_config = "1,1,100,1e-6"} : (tensor<8x5x5xf32>) -> (tensor<8x5x5xf32>, tensor<8x5xf32>)
    %4:2 = stablehlo.custom_call @Qr(%b) {backend_config = ""} : (tensor<8x5xf32>) -> (tensor<8x5xf32>, tensor<5xf32>)
    return %3#0, %3#1, %2#2, %4#0 : tensor<8x5x5xf32>, tensor<8x5xf32>, tensor<8x5xi32>, tensor<8x5xf32>
  }
}
