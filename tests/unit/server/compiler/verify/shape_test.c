// Each row is an operation that breaks one rule of the StableHLO specification; the first
// column is the specification's name of the constraint.

#include "server/compiler/dialect/kinds.h"
#include "server/compiler/verify/verify.h"
#include "tests/unit/server/compiler/shape_rows.h"

static void test_elementwise_operations(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"add", "%a: tensor<2x3xf32>", "%0 = stablehlo.add %a, %a : tensor<2x3xf32>", NULL},
      {"add C5", "%a: tensor<2x3xf32>, %b: tensor<2x4xf32>",
       "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2x3xf32>, tensor<2x4xf32>) -> "
       "tensor<2x3xf32>",
       "operands 0 and 1 must have the same type: tensor<2x3xf32> and tensor<2x4xf32>"},
      {"add C5", "%a: tensor<2x3xf32>",
       "%0 = \"stablehlo.add\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
       "tensor<2x4xf32>",
       "result 0 is declared as tensor<2x4xf32>, but it is tensor<2x3xf32>: dimension 1 "
       "is "
       "3, not 4"},
      {"add arity", "%a: tensor<f32>",
       "%0 = \"stablehlo.add\"(%a) : (tensor<f32>) -> tensor<f32>",
       "has 1 operands; it takes 2"},
      {"subtract I1", "%a: tensor<i1>", "%0 = stablehlo.subtract %a, %a : tensor<i1>",
       "is not defined for elements of type i1"},
      {"tanh I1", "%a: tensor<i32>", "%0 = stablehlo.tanh %a : tensor<i32>",
       "is not defined for elements of type i32"},
      {"shift_left I1", "%a: tensor<f32>",
       "%0 = stablehlo.shift_left %a, %a : tensor<f32>",
       "is not defined for elements of type f32"},
      {"not I1", "%a: tensor<i1>", "%0 = stablehlo.not %a : tensor<i1>", NULL},
      {"abs C2", "%a: tensor<2xcomplex<f32>>",
       "%0 = stablehlo.abs %a : (tensor<2xcomplex<f32>>) -> tensor<2xf32>", NULL},
      {"is_finite C1", "%a: tensor<2xf32>",
       "%0 = stablehlo.is_finite %a : (tensor<2xf32>) -> tensor<2xi1>", NULL},
      {"is_finite C1", "%a: tensor<2xf32>",
       "%0 = stablehlo.is_finite %a : (tensor<2xf32>) -> tensor<2xf32>",
       "declared as tensor<2xf32>, but it is tensor<2xi1>"},
      {"convert C1", "%a: tensor<2xf32>",
       "%0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<3xf32>",
       "dimension 0 is 2, not 3"},
      {"compare C1", "%a: tensor<2xf32>, %b: tensor<2xi32>",
       "%0 = stablehlo.compare EQ, %a, %b : (tensor<2xf32>, tensor<2xi32>) -> "
       "tensor<2xi1>",
       "must have the same type"},
      {"compare C2", "%a: tensor<2xf32>",
       "%0 = stablehlo.compare EQ, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<3xi1>",
       "dimension 0 is 2, not 3"},
      {"compare C3", "%a: tensor<2xf32>",
       "%0 = stablehlo.compare EQ, %a, %a, SIGNED : (tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<2xi1>",
       "'compare_type' SIGNED does not fit elements of type f32"},
      {"compare C3", "%a: tensor<2xui8>",
       "%0 = stablehlo.compare LT, %a, %a, UNSIGNED : (tensor<2xui8>, tensor<2xui8>) -> "
       "tensor<2xi1>",
       NULL},
      {"compare complex", "%a: tensor<complex<f32>>",
       "%0 = stablehlo.compare LT, %a, %a : (tensor<complex<f32>>, tensor<complex<f32>>) "
       "-> tensor<i1>",
       "complex elements have no order"},
      {"select C1", "%p: tensor<3xi1>, %a: tensor<2xf32>",
       "%0 = stablehlo.select %p, %a, %a : tensor<3xi1>, tensor<2xf32>",
       "the predicate is tensor<3xi1>"},
      {"select C1", "%p: tensor<i1>, %a: tensor<2xf32>",
       "%0 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<2xf32>", NULL},
      {"clamp C1", "%m: tensor<3xf32>, %a: tensor<2xf32>",
       "%0 = \"stablehlo.clamp\"(%m, %a, %a) : (tensor<3xf32>, tensor<2xf32>, "
       "tensor<2xf32>) -> tensor<2xf32>",
       "the minimum is tensor<3xf32>"},
      {"clamp C2", "%m: tensor<f32>, %a: tensor<2xf32>",
       "%0 = \"stablehlo.clamp\"(%m, %a, %m) : (tensor<f32>, tensor<2xf32>, tensor<f32>) "
       "-> tensor<2xf32>",
       NULL},
  };
  CHECK_ROWS(rows);
}

static void test_leaves_and_movement(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"iota C1", "", "%0 = stablehlo.iota dim = 2 : tensor<2x3xi32>",
       "'iota_dimension' is 2, which is not in [0, 2)"},
      {"iota C1", "", "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>", NULL},
      {"partition_id", "", "%0 = stablehlo.partition_id : tensor<ui32>", NULL},
      {"broadcast_in_dim C2", "%a: tensor<2x3xf32>",
       "%0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2x3xf32>) -> "
       "tensor<2x3xf32>",
       "'broadcast_dimensions' has 1 values; 2 are needed"},
      {"broadcast_in_dim C3", "%a: tensor<3xf32>",
       "%0 = stablehlo.broadcast_in_dim %a, dims = [2] : (tensor<3xf32>) -> "
       "tensor<2x3xf32>",
       "'broadcast_dimensions' names dimension 2 of a tensor of rank 2"},
      {"broadcast_in_dim C4", "%a: tensor<3x3xf32>",
       "%0 = stablehlo.broadcast_in_dim %a, dims = [1, 1] : (tensor<3x3xf32>) -> "
       "tensor<3x3xf32>",
       "names dimension 1 twice"},
      {"broadcast_in_dim C5", "%a: tensor<4xf32>",
       "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> "
       "tensor<2x3xf32>",
       "dimension 0 of the operand, 4, becomes dimension 1 of the result, 3"},
      {"reshape C2", "%a: tensor<4xf32>",
       "%0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x3xf32>",
       "tensor<4xf32> has 4 elements, tensor<2x3xf32> has 6"},
      {"transpose C2", "%a: tensor<2x3xf32>",
       "%0 = stablehlo.transpose %a, dims = [1, 1] : (tensor<2x3xf32>) -> "
       "tensor<3x2xf32>",
       "'permutation' names dimension 1 twice"},
      {"transpose C3", "%a: tensor<2x3xf32>",
       "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> "
       "tensor<2x3xf32>",
       "dimension 0 is 3, not 2"},
      {"slice C3", "%a: tensor<4xf32>",
       "%0 = stablehlo.slice %a [2:5] : (tensor<4xf32>) -> tensor<3xf32>",
       "takes [2, 5) of dimension 0, which has size 4"},
      {"slice C3", "%a: tensor<4xf32>",
       "%0 = stablehlo.slice %a [3:2] : (tensor<4xf32>) -> tensor<0xf32>",
       "takes [3, 2) of dimension 0"},
      {"slice C4", "%a: tensor<4xf32>",
       "%0 = stablehlo.slice %a [0:4:0] : (tensor<4xf32>) -> tensor<4xf32>",
       "the stride of dimension 0 is 0; it must be positive"},
      {"slice C5", "%a: tensor<5xf32>",
       "%0 = stablehlo.slice %a [0:5:2] : (tensor<5xf32>) -> tensor<3xf32>", NULL},
      {"dynamic_slice C2", "%a: tensor<4x4xf32>, %i: tensor<i32>",
       "%0 = stablehlo.dynamic_slice %a, %i, sizes = [2, 2] : (tensor<4x4xf32>, "
       "tensor<i32>) -> tensor<2x2xf32>",
       "has 2 operands; it takes 3"},
      {"dynamic_slice C3", "%a: tensor<4x4xf32>, %i: tensor<i32>, %j: tensor<i64>",
       "%0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 2] : (tensor<4x4xf32>, "
       "tensor<i32>, tensor<i64>) -> tensor<2x2xf32>",
       "start index 1 is tensor<i64>, start index 0 tensor<i32>"},
      {"dynamic_slice I2", "%a: tensor<4xf32>, %i: tensor<1xi32>",
       "%0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xf32>, "
       "tensor<1xi32>) "
       "-> tensor<2xf32>",
       "start index 0 is tensor<1xi32>; it must be a scalar integer"},
      {"dynamic_slice C4", "%a: tensor<4xf32>, %i: tensor<i32>",
       "%0 = stablehlo.dynamic_slice %a, %i, sizes = [5] : (tensor<4xf32>, tensor<i32>) "
       "-> "
       "tensor<5xf32>",
       "takes 5 of dimension 0, which has size 4"},
      {"dynamic_update_slice C3", "%a: tensor<4xf32>, %u: tensor<f32>, %i: tensor<i32>",
       "%0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<f32>, "
       "tensor<i32>) -> tensor<4xf32>",
       "the update is tensor<f32>"},
      {"dynamic_update_slice C6", "%a: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i32>",
       "%0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<5xf32>, "
       "tensor<i32>) -> tensor<4xf32>",
       "dimension 0 of the update has size 5, of the operand 4"},
      {"concatenate C2", "%a: tensor<2x3xf32>, %b: tensor<2x4xf32>",
       "%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) "
       "-> tensor<4x3xf32>",
       "operand 1 is tensor<2x4xf32>, operand 0 is tensor<2x3xf32>; they may differ only "
       "in "
       "dimension 0"},
      {"concatenate C4", "%a: tensor<2xf32>",
       "%0 = stablehlo.concatenate %a, dim = 1 : (tensor<2xf32>) -> tensor<2xf32>",
       "'dimension' is 1, which is not in [0, 1)"},
      {"concatenate C6", "%a: tensor<2xf32>",
       "%0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<3xf32>",
       "dimension 0 is 4, not 3"},
      {"pad C1", "%a: tensor<2xf32>, %v: tensor<i32>",
       "%0 = stablehlo.pad %a, %v, low = [1], high = [1], interior = [0] : "
       "(tensor<2xf32>, tensor<i32>) -> tensor<4xf32>",
       "the padding value is tensor<i32>; it must be tensor<f32>"},
      {"pad C3", "%a: tensor<2xf32>, %v: tensor<f32>",
       "%0 = stablehlo.pad %a, %v, low = [1], high = [1], interior = [-1] : "
       "(tensor<2xf32>, tensor<f32>) -> tensor<4xf32>",
       "the interior padding of dimension 0 is -1"},
      {"pad C4", "%a: tensor<3xf32>, %v: tensor<f32>",
       "%0 = stablehlo.pad %a, %v, low = [1], high = [-1], interior = [2] : "
       "(tensor<3xf32>, tensor<f32>) -> tensor<7xf32>",
       NULL},
      {"pad C4", "%a: tensor<1xf32>, %v: tensor<f32>",
       "%0 = stablehlo.pad %a, %v, low = [-1], high = [-1], interior = [0] : "
       "(tensor<1xf32>, tensor<f32>) -> tensor<0xf32>",
       "has no size that is possible"},
      {"reverse C3", "%a: tensor<2xf32>",
       "%0 = stablehlo.reverse %a, dims = [1] : tensor<2xf32>",
       "'dimensions' names dimension 1 of a tensor of rank 1"},
  };
  CHECK_ROWS(rows);
}

#define DOT "%0 = stablehlo.dot_general %a, %b, "

static void test_contractions_and_reductions(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"dot_general C10", "%a: tensor<8x2048xbf16>, %b: tensor<1024x4xbf16>",
       DOT "contracting_dims = [1] x [0] : (tensor<8x2048xbf16>, tensor<1024x4xbf16>) -> "
           "tensor<8x4xbf16>",
       "contracting dimensions differ: 2048 of lhs dimension 1, 1024 of rhs dimension 0"},
      {"dot_general C9", "%a: tensor<2x4xf32>, %b: tensor<3x4xf32>",
       DOT "batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x4xf32>, "
           "tensor<3x4xf32>) -> tensor<2xf32>",
       "batching dimensions differ: 2 of lhs dimension 0, 3 of rhs dimension 0"},
      {"dot_general C2", "%a: tensor<2x4xf32>, %b: tensor<4x2xf32>",
       DOT "contracting_dims = [1, 0] x [0] : (tensor<2x4xf32>, tensor<4x2xf32>) -> "
           "tensor<2xf32>",
       "2 contracting dimensions of lhs, 1 of rhs"},
      {"dot_general C3", "%a: tensor<4x4xf32>, %b: tensor<4x4xf32>",
       DOT "batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<4x4xf32>, "
           "tensor<4x4xf32>) -> tensor<4x4xf32>",
       "dimension 0 of lhs is named twice"},
      {"dot_general C8", "%a: tensor<4x4xf32>, %b: tensor<4x4xf32>",
       DOT "contracting_dims = [1] x [2] : (tensor<4x4xf32>, tensor<4x4xf32>) -> "
           "tensor<4x4xf32>",
       "contracting dimension 2 of rhs, which has rank 2"},
      {"dot_general C12", "%a: tensor<3x2x4xf32>, %b: tensor<3x5x4xf32>",
       DOT "batching_dims = [0] x [0], contracting_dims = [2] x [2] : "
           "(tensor<3x2x4xf32>, tensor<3x5x4xf32>) -> tensor<3x2x5xf32>",
       NULL},
      {"dot_general C12", "%a: tensor<3x2x4xf32>, %b: tensor<3x5x4xf32>",
       DOT "batching_dims = [0] x [0], contracting_dims = [2] x [2] : "
           "(tensor<3x2x4xf32>, tensor<3x5x4xf32>) -> tensor<2x3x5xf32>",
       "dimension 0 is 3, not 2"},
      {"dot_general C13", "%a: tensor<2xbf16>, %b: tensor<2xf32>",
       DOT "contracting_dims = [0] x [0] : (tensor<2xbf16>, tensor<2xf32>) -> "
           "tensor<bf16>",
       "element types differ: bf16 of lhs, f32 of rhs"},
      {"dot_general of floats and integers", "%a: tensor<2xi32>, %b: tensor<2xf32>",
       DOT "contracting_dims = [0] x [0] : (tensor<2xi32>, tensor<2xf32>) -> "
           "tensor<f32>",
       NULL},
      {"dot_general result type", "%a: tensor<2xbf16>, %b: tensor<2xbf16>",
       DOT "contracting_dims = [0] x [0] : (tensor<2xbf16>, tensor<2xbf16>) -> "
           "tensor<f32>",
       NULL},
      {"reduce C2", "%a: tensor<2x3xf32>, %i: tensor<i32>",
       "%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] "
       ": "
       "(tensor<2x3xf32>, tensor<i32>) -> tensor<2xf32>",
       "initial value 0 is tensor<i32>; it must be tensor<f32>"},
      {"reduce C4", "%a: tensor<2x3xf32>, %i: tensor<f32>",
       "%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [2] "
       ": "
       "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
       "'dimensions' names dimension 2"},
      {"reduce C5", "%a: tensor<2x3xf32>, %i: tensor<f32>",
       "%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0, "
       "0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>",
       "'dimensions' names dimension 0 twice"},
      {"reduce C7", "%a: tensor<2x3xf32>, %i: tensor<f32>",
       "%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] "
       ": "
       "(tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>",
       "dimension 0 is 2, not 3"},
      {"reduce C6", "%a: tensor<2x3xf32>, %i: tensor<f32>",
       "%0 = \"stablehlo.reduce\"(%a, %i) <{dimensions = array<i64: 1>}> ({\n"
       "    ^bb0(%x: tensor<f32>):\n      stablehlo.return %x : tensor<f32>\n  }) : "
       "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
       "its reduction has 1 arguments; it needs 2"},
  };
  CHECK_ROWS(rows);
}

#define BODY                                         \
  " ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n" \
  "    %z = stablehlo.add %x, %y : tensor<f32>\n"    \
  "    stablehlo.return %z : tensor<f32>\n  }) "

static void test_collectives(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"all_gather C1", "%a: tensor<2xf32>",
       "%0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 1 : i64, replica_groups = "
       "dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>",
       "'all_gather_dim' is 1"},
      {"all_gather C5", "%a: tensor<2xf32>",
       "%0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, replica_groups = "
       "dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> "
       "tensor<4xf32>",
       "needs a channel_handle"},
      {"all_gather C6", "%a: tensor<2xf32>",
       "%0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, replica_groups = "
       "dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<2xf32>) -> tensor<4xf32>",
       "dimension 0 is 6, not 4"},
      {"all_reduce C5", "%a: tensor<2xf64>",
       "%0 = \"stablehlo.all_reduce\"(%a) <{replica_groups = dense<[[0, 1]]> : "
       "tensor<1x2xi64>}>" BODY ": (tensor<2xf64>) -> tensor<2xf64>",
       "argument 0 of its reduction must be tensor<f64>"},
      {"all_reduce C6", "%a: tensor<2xf32>",
       "%0 = \"stablehlo.all_reduce\"(%a) <{replica_groups = dense<[[0, 1]]> : "
       "tensor<1x2xi64>}>" BODY ": (tensor<2xf32>) -> tensor<3xf32>",
       "dimension 0 is 2, not 3"},
      {"reduce_scatter C1", "%a: tensor<3xf32>",
       "%0 = \"stablehlo.reduce_scatter\"(%a) <{scatter_dimension = 0 : i64, "
       "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>" BODY
       ": (tensor<3xf32>) -> tensor<1xf32>",
       "dimension 0 has size 3, which groups of 2 do not divide"},
      {"reduce_scatter C1", "%a: tensor<0xf32>",
       "%0 = \"stablehlo.reduce_scatter\"(%a) <{scatter_dimension = 0 : i64, "
       "replica_groups = dense<> : tensor<0x0xi64>}> ({\n"
       "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
       "stablehlo.return %x : tensor<f32>\n}) : (tensor<0xf32>) -> tensor<4xf32>",
       "dimension 0 is 0, not 4"},
      {"reduce_scatter C8", "%a: tensor<4xf32>",
       "%0 = \"stablehlo.reduce_scatter\"(%a) <{scatter_dimension = 0 : i64, "
       "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>" BODY
       ": (tensor<4xf32>) -> tensor<2xf32>",
       NULL},
      {"all_to_all C2", "%a: tensor<3x4xf32>",
       "%0 = \"stablehlo.all_to_all\"(%a) <{split_dimension = 0 : i64, concat_dimension "
       "= "
       "1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : "
       "tensor<1x2xi64>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>",
       "'split_count' 2 does not divide"},
      {"all_to_all C8", "%a: tensor<4x4xf32>",
       "%0 = \"stablehlo.all_to_all\"(%a) <{split_dimension = 0 : i64, concat_dimension "
       "= "
       "1 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : "
       "tensor<1x2xi64>}> : (tensor<4x4xf32>) -> tensor<1x16xf32>",
       "'split_count' is 4, the groups have 2 members"},
      {"all_to_all C9", "%a: tensor<4x4xf32>",
       "%0 = \"stablehlo.all_to_all\"(%a) <{split_dimension = 0 : i64, concat_dimension "
       "= "
       "1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : "
       "tensor<1x2xi64>}> : (tensor<4x4xf32>) -> tensor<2x8xf32>",
       NULL},
      {"collective_permute C2", "%a: tensor<4xf32>",
       "%0 = \"stablehlo.collective_permute\"(%a) <{source_target_pairs = dense<[[0, 1], "
       "[0, 2]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>",
       "source 0 appears twice"},
      {"collective_permute C3", "%a: tensor<4xf32>",
       "%0 = \"stablehlo.collective_permute\"(%a) <{source_target_pairs = dense<[[0, 1], "
       "[2, 1]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>",
       "target 1 appears twice"},
  };
  CHECK_ROWS(rows);
}

static void test_control(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"while C1", "%a: tensor<i32>",
       "%0 = stablehlo.while(%i = %a) : tensor<i32> cond {\n"
       "    stablehlo.return %i : tensor<i32>\n  } do {\n"
       "    stablehlo.return %i : tensor<i32>\n  }",
       NULL},
      {"if C2", "%p: tensor<i1>, %a: tensor<i32>",
       "%0 = \"stablehlo.if\"(%p) ({\n    stablehlo.return %a : tensor<i32>\n  }, {\n"
       "    stablehlo.return %p : tensor<i1>\n  }) : (tensor<i1>) -> tensor<i32>",
       NULL},
      {"if I1", "%a: tensor<i32>",
       "%0 = \"stablehlo.if\"(%a) ({\n    stablehlo.return %a : tensor<i32>\n  }, {\n"
       "    stablehlo.return %a : tensor<i32>\n  }) : (tensor<i32>) -> tensor<i32>",
       "the predicate is tensor<i32>; it must be tensor<i1>"},
      {"case I1", "%p: tensor<i1>",
       "%0 = \"stablehlo.case\"(%p) ({\n    stablehlo.return %p : tensor<i1>\n  }) : "
       "(tensor<i1>) -> tensor<i1>",
       "the index is tensor<i1>; it must be tensor<i32>"},
      {"case C4", "%i: tensor<i32>",
       "%0 = \"stablehlo.case\"(%i) ({\n    stablehlo.return %i : tensor<i32>\n  }) : "
       "(tensor<i32>) -> tensor<i64>",
       "declared as tensor<i64>, but it is tensor<i32>"},
  };
  // The first two report where the value is returned, on a later line.
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    if (rows[i].message != NULL) {
      check_rows(&rows[i], 1);
    }
  }
  mlir_module_t *module = module_of(&rows[0]);
  assert_error(compiler_verify(module), POD_INVALID_ARGUMENT,
               "test.mlir:3:5: 'stablehlo.return': the condition returns tensor<i32>; it "
               "must return tensor<i1>");
  mlir_module_destroy(module);
  module = module_of(&rows[1]);
  assert_error(compiler_verify(module), POD_INVALID_ARGUMENT,
               "branch 1 returns tensor<i1> as value 0, branch 0 returns tensor<i32>");
  mlir_module_destroy(module);
}

static void test_what_is_not_supported_is_unimplemented_with_its_place(void **state) {
  (void)state;
  static const row_t rows[] = {
      {"unknown", "%a: tensor<4xf32>",
       "%0 = \"stablehlo.made_up\"(%a) : (tensor<4xf32>) -> tensor<4xf32>",
       "test.mlir:2:8: 'stablehlo.made_up': this operation is not supported"},
      {"gspmd", "%a: tensor<4xf32>",
       "%0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = \"{replicated}\"} : "
       "(tensor<4xf32>) -> tensor<4xf32>",
       "is how GSPMD marks shardings"},
      {"custom_call", "%a: tensor<4xf32>",
       "%0 = stablehlo.custom_call @my_kernel(%a) : (tensor<4xf32>) -> tensor<4xf32>",
       "target @my_kernel is not supported"},
      {"custom_call of Pallas for GPUs", "%a: tensor<4xf32>",
       "%0 = stablehlo.custom_call @__gpu$xla.gpu.triton(%a) : (tensor<4xf32>) -> "
       "tensor<4xf32>",
       "with pallas_call(..., interpret=True) JAX lowers it to operations that run here"},
      {"custom_call of another platform", "%a: tensor<4xf32>",
       "%0 = stablehlo.custom_call @lapack_sgeev_ffi(%a) : (tensor<4xf32>) -> "
       "tensor<4xf32>",
       "lower for TPUs"},
      {"podium", "%a: tensor<4xf32>",
       "%0 = \"podium.copy\"(%a) : (tensor<4xf32>) -> tensor<4xf32>",
       "this operation is not supported"},
      {"infeed", "%t: !stablehlo.token",
       "%0:2 = \"stablehlo.infeed\"(%t) : (!stablehlo.token) -> (tensor<4xf32>, "
       "!stablehlo.token)",
       "test.mlir:2:10: 'stablehlo.infeed': a program takes what it reads as arguments"},
      {"send", "%a: tensor<4xf32>, %t: !stablehlo.token",
       "%0 = \"stablehlo.send\"(%a, %t) {channel_handle = "
       "#stablehlo.channel_handle<handle "
       "= 1, type = 1>, is_host_transfer = false} : (tensor<4xf32>, !stablehlo.token) -> "
       "!stablehlo.token",
       "test.mlir:2:8: 'stablehlo.send': a program gives what it writes as results"},
      {"dynamic", "%a: tensor<?xf32>", "%0 = stablehlo.add %a, %a : tensor<?xf32>",
       "only tensors of static sizes are supported"},
      {"argument", "%a: tensor<?xf32>", "",
       "'func.func': argument 0 is tensor<?xf32>; only tensors of static sizes"},
      {"token", "%a: !stablehlo.token",
       "%0 = \"stablehlo.add\"(%a, %a) : (!stablehlo.token, !stablehlo.token) -> "
       "!stablehlo.token",
       "operand 0 is !stablehlo.token; only tensors are supported"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    mlir_module_t *module = module_of(&rows[i]);
    assert_error(compiler_verify(module), POD_UNIMPLEMENTED, rows[i].message);
    mlir_module_destroy(module);
  }
}

static void test_sizes_beyond_int64_are_refused(void **state) {
  (void)state;
  const row_t row = {
      "pad", "%a: tensor<2xf32>, %v: tensor<f32>",
      "%0 = stablehlo.pad %a, %v, low = [9223372036854775807], high = [1], "
      "interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>",
      "has no size that is possible"};
  check_rows(&row, 1);
}

static void test_a_pass_gets_the_types_of_what_it_makes(void **state) {
  (void)state;
  mlir_module_t *module = mlir_module_create("");
  compiler_set_kinds(module);
  const tensor_shape_t shape = {.dtype = TENSOR_F32, .rank = 2, .dims = {2, 3}};
  const mlir_type_t *type = mlir_type_tensor(module, &shape);
  mlir_block_t *block = mlir_op_block(module->op, 0);
  mlir_value_t *value = mlir_block_add_argument(module, block, type);
  mlir_op_t *op = mlir_op_create(module, "stablehlo.transpose", 1, &value, 1, &type, 0);
  const int64_t permutation[] = {1, 0};
  mlir_op_set_attr(module, op, "permutation",
                   mlir_attr_i64_array(module, 2, permutation));
  assert_ok(compiler_set_types(module, op));
  assert_int_equal(op->results[0].type->shape.dims[0], 3);
  assert_int_equal(op->kind, CHIP_OP_TRANSPOSE);
  mlir_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elementwise_operations),
      cmocka_unit_test(test_leaves_and_movement),
      cmocka_unit_test(test_contractions_and_reductions),
      cmocka_unit_test(test_collectives),
      cmocka_unit_test(test_control),
      cmocka_unit_test(test_what_is_not_supported_is_unimplemented_with_its_place),
      cmocka_unit_test(test_sizes_beyond_int64_are_refused),
      cmocka_unit_test(test_a_pass_gets_the_types_of_what_it_makes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
