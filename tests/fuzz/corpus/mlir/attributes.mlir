#map = {a = 1 : i32, "odd name" = [2.5, 0x7FC00000 : f32, -1 : i8]}
!t = tuple<tensor<2xi1>, tuple<>, !stablehlo.token>
"t.o"() <{d = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>}> ({
^bb0(%a: i1, %b: !t):
  "t.p"(%a) ({
  }) : (i1) -> ()
^bb1:
}) {m = #map, s = @a::@"b c", t = !t, u, v = array<i1: true, false>, w = #d<e {"f"}>, x = "q\22\0Az", r = dense_resource<k> : tensor<2xi8>, e = dense<> : tensor<0x3xf32>, i = dense<[1, 0]> : tensor<2xindex>, c = dense<(1.0,2.0)> : tensor<2xcomplex<f32>>, f = affine_map<(d0) -> (d0)>, l = loc(fused["a", callsite("b":1:2 at unknown)])} : () -> ()
{-# dialect_resources: { builtin: { k: "0x010000000102" } } #-}
