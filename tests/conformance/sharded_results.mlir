// Reductions and scatters of several results, each made of its own operand: every chip has partial results, of a sum here and of a
// maximum there, which are reduced each in its own way; what the last chip has behind the end is padding, and counts nowhere.
module @sharded_results attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main() {
    %n = stablehlo.iota dim = 0 : tensor<1025xi32>
    %m = sdy.sharding_constraint %n <@mesh, [{"x"}]> : tensor<1025xi32>
    %three = stablehlo.constant dense<3> : tensor<1025xi32>
    %k = stablehlo.and %m, %three : tensor<1025xi32>
    %f = stablehlo.convert %k : (tensor<1025xi32>) -> tensor<1025xf32>
    %negated = stablehlo.negate %m : tensor<1025xi32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<-100> : tensor<i32>
    %0:2 = stablehlo.reduce(%f init: %zero), (%negated init: %least) across dimensions = [0] : (tensor<1025xf32>, tensor<1025xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
      reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
      %sum = stablehlo.add %c, %a : tensor<f32>
      %larger = stablehlo.maximum %b, %d : tensor<i32>
      stablehlo.return %sum, %larger : tensor<f32>, tensor<i32>
    }
    check.expect_eq_const %0#0, dense<1536.0> : tensor<f32>
    check.expect_eq_const %0#1, dense<0> : tensor<i32>

    // Each chip scatters its updates into both.
    %places = stablehlo.reshape %k : (tensor<1025xi32>) -> tensor<1025x1xi32>
    %ones = stablehlo.constant dense<1> : tensor<1025xi32>
    %counts = stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
    %halves = stablehlo.constant dense<[0.5, 0.5, 0.5, 0.5]> : tensor<4xf32>
    %1:2 = "stablehlo.scatter"(%counts, %halves, %places, %ones, %f) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<f32>):
      %first = stablehlo.add %a, %c : tensor<i32>
      %second = stablehlo.add %d, %b : tensor<f32>
      stablehlo.return %first, %second : tensor<i32>, tensor<f32>
    }) : (tensor<4xi32>, tensor<4xf32>, tensor<1025x1xi32>, tensor<1025xi32>, tensor<1025xf32>) -> (tensor<4xi32>, tensor<4xf32>)
    check.expect_eq_const %1#0, dense<[267, 276, 286, 296]> : tensor<4xi32>
    check.expect_eq_const %1#1, dense<[0.5, 256.5, 512.5, 768.5]> : tensor<4xf32>

    // What depends on other operands stays whole: the place of the largest.
    %low = stablehlo.slice %n [0:5] : (tensor<1025xi32>) -> tensor<5xi32>
    %odd = stablehlo.constant dense<[3, 9, 1, 9, 4]> : tensor<5xi32>
    %values = sdy.sharding_constraint %odd <@mesh, [{"y"}]> : tensor<5xi32>
    %none = stablehlo.constant dense<-1> : tensor<i32>
    %2:2 = stablehlo.reduce(%values init: %least), (%low init: %none) across dimensions = [0] : (tensor<5xi32>, tensor<5xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
      reducer(%a: tensor<i32>, %c: tensor<i32>) (%b: tensor<i32>, %d: tensor<i32>) {
      %more = stablehlo.compare GT, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %same = stablehlo.compare EQ, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %earlier = stablehlo.compare LT, %b, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tied = stablehlo.and %same, %earlier : tensor<i1>
      %chosen = stablehlo.or %more, %tied : tensor<i1>
      %largest = stablehlo.maximum %a, %c : tensor<i32>
      %place = stablehlo.select %chosen, %b, %d : tensor<i1>, tensor<i32>
      stablehlo.return %largest, %place : tensor<i32>, tensor<i32>
    }
    check.expect_eq_const %2#0, dense<9> : tensor<i32>
    check.expect_eq_const %2#1, dense<1> : tensor<i32>
    return
  }
}
