// Attributes of StableHLO and Shardy as C values: what a pass asks of an operation
// without reading text itself.
//
// Every function takes the attribute in any form MLIR writes it, from the pretty or the
// generic form of its operation, or made by a pass. `attr` may be NULL: an attribute that
// is absent is INVALID_ARGUMENT unless said otherwise.
//
// Threading: pure.
// Ownership: lists are in the arena given, or else in the module's.
// Errors: INVALID_ARGUMENT with file:line:column and a caret inside the attribute;
// UNIMPLEMENTED, likewise, for forms that are valid but not supported.

#ifndef SERVER_COMPILER_DIALECT_ATTRIBUTES_H_
#define SERVER_COMPILER_DIALECT_ATTRIBUTES_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "common/tensor/sharding.h"
#include "server/program/indexing.h"
#include "server/program/window.h"

// The attribute of a collective that the partitioner put in: the mesh axes it runs over,
// "y" or "x,y". What the user wrote does not have it.
#define COMPILER_AXES_ATTR "podium.axes"

// The attribute of a collective that overlaps with what follows, up to the
// podium.async_done that names its results.
#define COMPILER_ASYNC_ATTR "podium.async"

// The attribute of a slice of, or an update into, an array in the host's memory, and of a
// broadcast that makes one there (server/compiler/placement).
#define COMPILER_HOST_ATTR "podium.host"

// --- Enumerators ---

// "LT" of #stablehlo<comparison_direction LT>; NULL when `attr` is absent or no
// enumerator. `name` is the attribute's without its dialect: "comparison_direction".
const char *stablehlo_word(const mlir_attr_t *attr, const char *name);

// The index of the word in `words` (NULL-terminated), which the error lists.
POD_MUST_USE pod_status_t stablehlo_enum(mlir_module_t *module, const mlir_op_t *op,
                                         const char *attr_name, const char *enum_name,
                                         const char *const *words, int *out_index);

// In the order of chip_comparison_t: EQ, NE, GE, GT, LE, LT.
POD_MUST_USE pod_status_t stablehlo_comparison_direction(mlir_module_t *module,
                                                         const mlir_op_t *op, int *out);
// NOTYPE (also when absent), FLOAT, TOTALORDER, SIGNED, UNSIGNED as 0 … 4.
POD_MUST_USE pod_status_t stablehlo_comparison_type(mlir_module_t *module,
                                                    const mlir_op_t *op, int *out);

// chip_fft_t, chip_transpose_t (absent: NO_TRANSPOSE) and chip_rng_algorithm_t.
POD_MUST_USE pod_status_t stablehlo_fft_type(mlir_module_t *module, const mlir_op_t *op,
                                             int *out);
POD_MUST_USE pod_status_t stablehlo_transpose(mlir_module_t *module, const mlir_op_t *op,
                                              int *out);
POD_MUST_USE pod_status_t stablehlo_rng_algorithm(mlir_module_t *module,
                                                  const mlir_op_t *op, int *out);

// #dialect<name WORD>, with the dialect of `op`.
const mlir_attr_t *stablehlo_make_enum(mlir_module_t *module, const mlir_op_t *op,
                                       const char *name, const char *word);

// --- Dimension numbers ---

typedef struct stablehlo_dims_t {
  int64_t count;
  const int64_t *values;
} stablehlo_dims_t;

typedef struct stablehlo_dot_t {
  stablehlo_dims_t lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
} stablehlo_dot_t;

// #stablehlo.dot<…>. Does not check them against any shape.
POD_MUST_USE pod_status_t stablehlo_dot_dimensions(mlir_module_t *module,
                                                   const mlir_attr_t *attr,
                                                   stablehlo_dot_t *out_dot);

typedef struct stablehlo_ragged_dot_t {
  stablehlo_dot_t dot;
  stablehlo_dims_t lhs_ragged, rhs_group;
} stablehlo_ragged_dot_t;

// #chlo.ragged_dot<…>. Does not check them against any shape.
POD_MUST_USE pod_status_t stablehlo_ragged_dot_dimensions(mlir_module_t *module,
                                                          const mlir_attr_t *attr,
                                                          stablehlo_ragged_dot_t *out);
const mlir_attr_t *stablehlo_make_dot(mlir_module_t *module, const stablehlo_dot_t *dot);

typedef struct stablehlo_gather_t {
  stablehlo_dims_t offset, collapsed_slice, operand_batching, start_indices_batching,
      start_index_map;
  int64_t index_vector_dim;
} stablehlo_gather_t;
POD_MUST_USE pod_status_t stablehlo_gather_dimensions(mlir_module_t *module,
                                                      const mlir_attr_t *attr,
                                                      stablehlo_gather_t *out_gather);

typedef struct stablehlo_scatter_t {
  stablehlo_dims_t update_window, inserted_window, input_batching,
      scatter_indices_batching, scatter_to_operand;
  int64_t index_vector_dim;
} stablehlo_scatter_t;
POD_MUST_USE pod_status_t stablehlo_scatter_dimensions(mlir_module_t *module,
                                                       const mlir_attr_t *attr,
                                                       stablehlo_scatter_t *out_scatter);

// Where in the shapes of input, kernel and output the dimensions stand.
typedef struct stablehlo_conv_t {
  int64_t input_batch, input_feature;
  int64_t kernel_input_feature, kernel_output_feature;
  int64_t output_batch, output_feature;
  stablehlo_dims_t input_spatial, kernel_spatial, output_spatial;
} stablehlo_conv_t;
POD_MUST_USE pod_status_t stablehlo_conv_dimensions(mlir_module_t *module,
                                                    const mlir_attr_t *attr,
                                                    stablehlo_conv_t *out_conv);

// The indexing of a gather or a scatter, from its dimension numbers, which it borrows.
POD_MUST_USE pod_status_t stablehlo_indexing(mlir_module_t *module, const mlir_op_t *op,
                                             chip_indexing_t *out_indexing);

// The window of a reduce_window, select_and_scatter or convolution over `rank`
// dimensions: what the operation does not say is as chip_window_make has it, also the
// sizes of a convolution's window. Checks that lists have as many values as they should.
POD_MUST_USE pod_status_t stablehlo_window(mlir_module_t *module, const mlir_op_t *op,
                                           int rank, chip_window_t *out_window);

// The window's low and high padding as the operation's, in place of what it has.
void stablehlo_set_padding(mlir_module_t *module, mlir_op_t *op,
                           const chip_window_t *window);

// Dimension numbers, groups and window of a convolution with a kernel of that shape.
// INVALID_ARGUMENT unless the dimension numbers are permutations of its rank.
POD_MUST_USE pod_status_t stablehlo_convolution(mlir_module_t *module,
                                                const mlir_op_t *op,
                                                const tensor_shape_t *kernel,
                                                chip_convolution_t *out_convolution);

// --- Precision ---

// DEFAULT, HIGH, HIGHEST as 0, 1, 2 (chip_precision_t) for lhs and rhs; both 0 when
// absent.
POD_MUST_USE pod_status_t stablehlo_precision(mlir_module_t *module,
                                              const mlir_attr_t *attr,
                                              int64_t out_precision[2]);

typedef struct stablehlo_dot_algorithm_t {
  const mlir_type_t *lhs_precision, *rhs_precision, *accumulation;
  int64_t lhs_component_count, rhs_component_count, num_primitive_operations;
  bool allow_imprecise_accumulation;
} stablehlo_dot_algorithm_t;
// #stablehlo.result_accuracy<…>: `mode` is one of DEFAULT, HIGHEST, TOLERANCE.
typedef struct stablehlo_accuracy_t {
  double atol, rtol;
  int64_t ulps;
  const char *mode;
} stablehlo_accuracy_t;
POD_MUST_USE pod_status_t stablehlo_result_accuracy(mlir_module_t *module,
                                                    const mlir_attr_t *attr,
                                                    stablehlo_accuracy_t *out);

// #stablehlo.dot_algorithm<…>.
POD_MUST_USE pod_status_t stablehlo_dot_algorithm(mlir_module_t *module,
                                                  const mlir_attr_t *attr,
                                                  stablehlo_dot_algorithm_t *out);

// --- Collectives ---

// #stablehlo.channel_handle<handle = 1, type = 0>; 0, 0 when absent.
POD_MUST_USE pod_status_t stablehlo_channel_handle(mlir_module_t *module,
                                                   const mlir_attr_t *attr,
                                                   int64_t *out_handle,
                                                   int64_t *out_type);

// dense<[[0, 1], …]> : tensor<nx2xi64> as 2n values.
POD_MUST_USE pod_status_t stablehlo_source_target_pairs(mlir_module_t *module,
                                                        const mlir_attr_t *attr,
                                                        int64_t *out_pair_count,
                                                        const int64_t **out_pairs);

// --- Meshes and shardings ---

// The meshes of a module's symbol table, sdy.mesh.
typedef struct compiler_meshes_t compiler_meshes_t;

// Reads every sdy.mesh. In `arena`, which must live as long as what is parsed with it.
POD_MUST_USE pod_status_t compiler_meshes_collect(mlir_module_t *module,
                                                  pod_arena_t *arena,
                                                  compiler_meshes_t **out_meshes);
// NULL when there is none.
const mesh_t *compiler_meshes_find(const compiler_meshes_t *meshes, const char *name);
// In source order.
int compiler_meshes_count(const compiler_meshes_t *meshes);
const mesh_t *compiler_meshes_at(const compiler_meshes_t *meshes, int index);

// A DIALECT sdy.mesh, `["x"=2, "y"=4], device_ids=[…]`, or stablehlo.mesh. A maximal mesh
// (one device, `[], device_ids=[3]`) is read as one without axes.
POD_MUST_USE pod_status_t compiler_parse_mesh(mlir_module_t *module,
                                              const mlir_attr_t *attr, const char *name,
                                              pod_arena_t *arena,
                                              const mesh_t **out_mesh);

// #sdy.mesh<…> of a mesh.
const mlir_attr_t *compiler_make_mesh(mlir_module_t *module, const mesh_t *mesh);

// #sdy.sharding<@mesh, [{"x"}, {?}], replicated={…}, unreduced={…}>, sub-axes "x":(1)2,
// priorities p1, mesh<…> in place of @mesh. Axes must be known to the mesh and be used
// once; a sub-axis must fit its axis. The rank is what the text says: sharding_check
// compares it with a shape. A #sdy.sharding_per_value<[…]> of one sharding is read as
// that one.
POD_MUST_USE pod_status_t compiler_parse_sharding(mlir_module_t *module,
                                                  const mlir_attr_t *attr,
                                                  const compiler_meshes_t *meshes,
                                                  pod_arena_t *arena,
                                                  sharding_t **out_sharding);

// #sdy.sharding_per_value<[…]>, one for each operand or result; also a single
// #sdy.sharding.
POD_MUST_USE pod_status_t compiler_parse_shardings(mlir_module_t *module,
                                                   const mlir_attr_t *attr,
                                                   const compiler_meshes_t *meshes,
                                                   pod_arena_t *arena, int64_t *out_count,
                                                   sharding_t ***out_shardings);

// #sdy.sharding<…>, and #sdy.sharding_per_value<[…]>.
const mlir_attr_t *compiler_make_sharding(mlir_module_t *module,
                                          const sharding_t *sharding);
const mlir_attr_t *compiler_make_shardings(mlir_module_t *module, int64_t count,
                                           const sharding_t *const *shardings);

// manual_axes={"x", "y"} of sdy.manual_computation as indexes of the mesh's axes.
POD_MUST_USE pod_status_t compiler_parse_manual_axes(mlir_module_t *module,
                                                     const mlir_attr_t *attr,
                                                     const mesh_t *mesh,
                                                     pod_arena_t *arena, int *out_count,
                                                     int **out_axes);

// Who takes part in a collective with whom.
typedef struct compiler_groups_t {
  int64_t group_count, group_size;  // 0, 0 for dense<> : all devices in one group.
  const int64_t *ids;               // group_count · group_size, group by group.
  const mesh_t *mesh;               // NULL unless it was given as axes of a mesh.
  axis_list_t axes;
} compiler_groups_t;

// replica_groups, as dense<…> : tensor<groups x size x i64>, or as
// #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name =
// "x">]>. UNIMPLEMENTED for groups of different sizes (padded with -1); ids must be
// distinct and not negative.
POD_MUST_USE pod_status_t compiler_parse_replica_groups(mlir_module_t *module,
                                                        const mlir_attr_t *attr,
                                                        const compiler_meshes_t *meshes,
                                                        pod_arena_t *arena,
                                                        compiler_groups_t *out_groups);

// dense<…> of groups.
const mlir_attr_t *compiler_make_replica_groups(mlir_module_t *module,
                                                int64_t group_count, int64_t group_size,
                                                const int64_t *ids);

#endif  // SERVER_COMPILER_DIALECT_ATTRIBUTES_H_
