// From MLIR attributes to the lists of int64 that instructions have
// (server/program/program.h), by the attributes that the row names.

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/dialect/rule.h"
#include "server/compiler/lower/lower.h"
#include "server/compiler/verify/shape.h"

// The attributes of one instruction while they are gathered.
typedef struct gatherer_t {
  lower_t *lower;
  const mlir_op_t *op;
  pod_arena_t *arena;
  chip_attr_t attrs[CHIP_ATTR_KEY_COUNT];
  int32_t count;
} gatherer_t;

static void add_list(gatherer_t *gatherer, chip_attr_key_t key, int64_t count,
                     const int64_t *values) {
  POD_CHECK(gatherer->count < CHIP_ATTR_KEY_COUNT && count <= INT32_MAX);
  gatherer->attrs[gatherer->count++] = (chip_attr_t){
      .key = key,
      .count = (int32_t)count,
      .values = pod_arena_copy(gatherer->arena, values, (size_t)count * sizeof(*values))};
}

static void add_one(gatherer_t *gatherer, chip_attr_key_t key, int64_t value) {
  add_list(gatherer, key, 1, &value);
}

static void add_dims(gatherer_t *gatherer, chip_attr_key_t key,
                     const stablehlo_dims_t *dims) {
  add_list(gatherer, key, dims->count, dims->values);
}

// The verifier has seen that the attribute is there.
static pod_status_t copy_list(gatherer_t *gatherer, const char *name,
                              chip_attr_key_t key) {
  int64_t count;
  const int64_t *values;
  if (!mlir_attr_as_i64s(gatherer->lower->module, mlir_op_attr(gatherer->op, name),
                         &count, &values)) {
    return mlir_op_error(gatherer->lower->module, gatherer->op, POD_INVALID_ARGUMENT,
                         "lacks the list '%s'", name);
  }
  add_list(gatherer, key, count, values);
  return NULL;
}

static pod_status_t copy_one(gatherer_t *gatherer, const char *name,
                             chip_attr_key_t key) {
  const mlir_attr_t *attr = mlir_op_attr(gatherer->op, name);
  if (!mlir_attr_is(attr, MLIR_ATTR_INTEGER)) {
    return mlir_op_error(gatherer->lower->module, gatherer->op, POD_INVALID_ARGUMENT,
                         "lacks the integer '%s'", name);
  }
  add_one(gatherer, key, attr->integer);
  return NULL;
}

static pod_status_t attrs_dot_general(gatherer_t *gatherer) {
  mlir_module_t *module = gatherer->lower->module;
  stablehlo_dot_t dot;
  POD_TRY(stablehlo_dot_dimensions(
      module, mlir_op_attr(gatherer->op, "dot_dimension_numbers"), &dot));
  add_dims(gatherer, CHIP_ATTR_LHS_BATCHING_DIMENSIONS, &dot.lhs_batching);
  add_dims(gatherer, CHIP_ATTR_RHS_BATCHING_DIMENSIONS, &dot.rhs_batching);
  add_dims(gatherer, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, &dot.lhs_contracting);
  add_dims(gatherer, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, &dot.rhs_contracting);
  int64_t precision[2];
  POD_TRY(stablehlo_precision(module, mlir_op_attr(gatherer->op, "precision_config"),
                              precision));
  add_list(gatherer, CHIP_ATTR_PRECISION, 2, precision);
  return NULL;
}

// Known when the pass that follows kernels has run.
static pod_status_t attrs_kernel(gatherer_t *gatherer) {
  return mlir_op_attr(gatherer->op, "work") == NULL
             ? NULL
             : copy_list(gatherer, "work", CHIP_ATTR_KERNEL_WORK);
}

static pod_status_t attrs_compare(gatherer_t *gatherer) {
  mlir_module_t *module = gatherer->lower->module;
  enum { TOTALORDER = 2 };
  int direction, type;
  POD_TRY(stablehlo_comparison_direction(module, gatherer->op, &direction));
  POD_TRY(stablehlo_comparison_type(module, gatherer->op, &type));
  add_one(gatherer, CHIP_ATTR_COMPARISON_DIRECTION, direction);
  add_one(gatherer, CHIP_ATTR_COMPARE_TYPE,
          type == TOTALORDER ? CHIP_COMPARE_TOTAL_ORDER : CHIP_COMPARE_BY_DTYPE);
  return NULL;
}

// --- Collectives ---

static pod_status_t check_devices(gatherer_t *gatherer, const compiler_groups_t *groups) {
  const mesh_t *mesh = gatherer->lower->partitioned->mesh;
  const int64_t devices = mesh->device_count;
  const int64_t named = groups->group_count * groups->group_size;
  for (int64_t i = 0; i < named; i++) {
    if (mesh_position(mesh, groups->ids[i]) < 0) {
      return mlir_op_error(gatherer->lower->module, gatherer->op, POD_INVALID_ARGUMENT,
                           "'replica_groups' names device %" PRId64
                           "; the mesh has %" PRId64 " devices",
                           groups->ids[i], devices);
    }
  }
  if (named != devices) {  // They are distinct, so that all are there if as many are.
    return mlir_op_error(gatherer->lower->module, gatherer->op, POD_INVALID_ARGUMENT,
                         "'replica_groups' names %" PRId64 " of the mesh's %" PRId64
                         " devices; every device must be in a group",
                         named, devices);
  }
  return NULL;
}

// Everyone in one group.
static void group_all(gatherer_t *gatherer, compiler_groups_t *groups) {
  const int64_t devices = gatherer->lower->partitioned->mesh->device_count;
  int64_t *ids = pod_arena_array(gatherer->arena, (size_t)devices, sizeof(*ids));
  for (int64_t i = 0; i < devices; i++) {
    ids[i] = i;
  }
  *groups = (compiler_groups_t){.group_count = 1, .group_size = devices, .ids = ids};
}

// What the rules of shapes could not know of a group of everyone: how many these are.
static pod_status_t check_everyone(const gatherer_t *gatherer, int64_t devices) {
  const mlir_op_t *op = gatherer->op;
  const mlir_attr_t *split = mlir_op_attr(op, "split_count");
  bool fits = split == NULL || split->integer == devices;
  if (op->kind == CHIP_OP_ALL_GATHER || op->kind == CHIP_OP_REDUCE_SCATTER) {
    const bool gathers = op->kind == CHIP_OP_ALL_GATHER;
    const int64_t dim =
        mlir_op_attr(op, gathers ? "all_gather_dim" : "scatter_dimension")->integer;
    for (int i = 0; i < op->operand_count; i++) {
      const int64_t from = op->operands[i]->type->shape.dims[dim];
      const int64_t to = op->results[i].type->shape.dims[dim];
      int64_t all;
      fits &= !__builtin_mul_overflow(gathers ? from : to, devices, &all) &&
              all == (gathers ? to : from);
    }
  }
  return fits ? NULL
              : mlir_op_error(gatherer->lower->module, op, POD_INVALID_ARGUMENT,
                              "without 'replica_groups' all %" PRId64
                              " devices are one group, and its sizes are for a group of "
                              "another size",
                              devices);
}

static pod_status_t gather_channel(gatherer_t *gatherer) {
  int64_t handle, type;
  POD_TRY(stablehlo_channel_handle(gatherer->lower->module,
                                   mlir_op_attr(gatherer->op, "channel_handle"), &handle,
                                   &type));
  if (handle != 0) {
    add_one(gatherer, CHIP_ATTR_CHANNEL, handle);
  }
  return NULL;
}

static pod_status_t gather_groups(gatherer_t *gatherer) {
  compiler_groups_t groups;
  POD_TRY(shape_groups(gatherer->lower->module, gatherer->op, &groups));
  if (groups.group_count == 0 || groups.group_size == 0) {
    group_all(gatherer, &groups);
    POD_TRY(check_everyone(gatherer, groups.group_size));
  }
  POD_TRY(check_devices(gatherer, &groups));
  add_list(gatherer, CHIP_ATTR_REPLICA_GROUPS, groups.group_count * groups.group_size,
           groups.ids);
  add_one(gatherer, CHIP_ATTR_GROUP_SIZE, groups.group_size);
  return gather_channel(gatherer);
}

static pod_status_t gather_permute(gatherer_t *gatherer) {
  int64_t count;
  const int64_t *pairs;
  POD_TRY(stablehlo_source_target_pairs(gatherer->lower->module,
                                        mlir_op_attr(gatherer->op, "source_target_pairs"),
                                        &count, &pairs));
  const mesh_t *mesh = gatherer->lower->partitioned->mesh;
  for (int64_t i = 0; i < 2 * count; i++) {
    if (mesh_position(mesh, pairs[i]) < 0) {  // (C4)
      return mlir_op_error(gatherer->lower->module, gatherer->op, POD_INVALID_ARGUMENT,
                           "'source_target_pairs' names device %" PRId64
                           "; the mesh has %" PRId64 " devices",
                           pairs[i], mesh->device_count);
    }
  }
  add_list(gatherer, CHIP_ATTR_SOURCE_TARGET_PAIRS, 2 * count, pairs);
  return gather_channel(gatherer);
}

static pod_status_t attrs_collective(gatherer_t *gatherer) {
  switch (gatherer->op->kind) {
    case CHIP_OP_ALL_REDUCE:
      add_one(gatherer, CHIP_ATTR_REDUCER, compiler_reducer(gatherer->op));
      break;
    case CHIP_OP_ALL_GATHER:
      POD_TRY(copy_one(gatherer, "all_gather_dim", CHIP_ATTR_DIMENSION));
      break;
    case CHIP_OP_REDUCE_SCATTER:
      POD_TRY(copy_one(gatherer, "scatter_dimension", CHIP_ATTR_DIMENSION));
      add_one(gatherer, CHIP_ATTR_REDUCER, compiler_reducer(gatherer->op));
      break;
    case CHIP_OP_ALL_TO_ALL:
      POD_TRY(copy_one(gatherer, "split_dimension", CHIP_ATTR_SPLIT_DIMENSION));
      POD_TRY(copy_one(gatherer, "concat_dimension", CHIP_ATTR_CONCAT_DIMENSION));
      POD_TRY(copy_one(gatherer, "split_count", CHIP_ATTR_SPLIT_COUNT));
      break;
    default:
      return gather_permute(gatherer);
  }
  return gather_groups(gatherer);
}

// --- Indexing and windows ---

static void add_indexing(gatherer_t *gatherer, const chip_indexing_t *indexing) {
  const struct {
    chip_attr_key_t key;
    const chip_dims_t *dims;
  } lists[] = {{CHIP_ATTR_WINDOW_DIMS, &indexing->window},
               {CHIP_ATTR_DROPPED_DIMS, &indexing->dropped},
               {CHIP_ATTR_ARRAY_BATCHING_DIMS, &indexing->array_batching},
               {CHIP_ATTR_INDICES_BATCHING_DIMS, &indexing->indices_batching},
               {CHIP_ATTR_INDEX_MAP, &indexing->index_map}};
  for (size_t i = 0; i < POD_COUNT_OF(lists); i++) {
    add_list(gatherer, lists[i].key, lists[i].dims->count, lists[i].dims->values);
  }
  add_one(gatherer, CHIP_ATTR_INDEX_VECTOR_DIM, indexing->index_vector_dim);
}

static pod_status_t attrs_indexing(gatherer_t *gatherer) {
  chip_indexing_t indexing;
  POD_TRY(stablehlo_indexing(gatherer->lower->module, gatherer->op, &indexing));
  add_indexing(gatherer, &indexing);
  if (gatherer->op->kind == CHIP_OP_GATHER) {
    return copy_list(gatherer, "slice_sizes", CHIP_ATTR_SLICE_SIZES);
  }
  add_one(gatherer, CHIP_ATTR_REDUCER, compiler_reducer(gatherer->op));
  return NULL;
}

static void add_window(gatherer_t *gatherer, const chip_window_t *window) {
  add_list(gatherer, CHIP_ATTR_STRIDES, window->rank, window->strides);
  add_list(gatherer, CHIP_ATTR_BASE_DILATIONS, window->rank, window->base_dilations);
  add_list(gatherer, CHIP_ATTR_WINDOW_DILATIONS, window->rank, window->window_dilations);
  add_list(gatherer, CHIP_ATTR_EDGE_PADDING_LOW, window->rank, window->low);
  add_list(gatherer, CHIP_ATTR_EDGE_PADDING_HIGH, window->rank, window->high);
}

static pod_status_t attrs_window(gatherer_t *gatherer) {
  const mlir_op_t *op = gatherer->op;
  chip_window_t window;
  POD_TRY(stablehlo_window(gatherer->lower->module, op, op->operands[0]->type->shape.rank,
                           &window));
  add_list(gatherer, CHIP_ATTR_WINDOW_DIMENSIONS, window.rank, window.sizes);
  add_window(gatherer, &window);
  if (op->kind == CHIP_OP_REDUCE_WINDOW) {
    add_one(gatherer, CHIP_ATTR_REDUCER, compiler_reducer(op));
  }
  return NULL;
}

static pod_status_t attrs_convolution(gatherer_t *gatherer) {
  mlir_module_t *module = gatherer->lower->module;
  const mlir_op_t *op = gatherer->op;
  const tensor_shape_t *kernel = &op->operands[1]->type->shape;
  chip_convolution_t convolution;
  POD_TRY(stablehlo_convolution(module, op, kernel, &convolution));
  add_list(gatherer, CHIP_ATTR_INPUT_DIMS, kernel->rank, convolution.input);
  add_list(gatherer, CHIP_ATTR_KERNEL_DIMS, kernel->rank, convolution.kernel);
  add_list(gatherer, CHIP_ATTR_OUTPUT_DIMS, kernel->rank, convolution.output);
  add_one(gatherer, CHIP_ATTR_FEATURE_GROUP_COUNT, convolution.feature_group_count);
  add_one(gatherer, CHIP_ATTR_BATCH_GROUP_COUNT, convolution.batch_group_count);
  add_window(gatherer, &convolution.window);
  int64_t reversal[TENSOR_RANK_MAX];
  for (int d = 0; d < convolution.window.rank; d++) {
    reversal[d] = convolution.window.is_reversed[d];
  }
  add_list(gatherer, CHIP_ATTR_WINDOW_REVERSAL, convolution.window.rank, reversal);
  int64_t precision[2];
  POD_TRY(stablehlo_precision(module, mlir_op_attr(op, "precision_config"), precision));
  add_list(gatherer, CHIP_ATTR_PRECISION, 2, precision);
  return NULL;
}

// --- Linear algebra, transforms, random numbers ---

static void add_flag(gatherer_t *gatherer, const char *name, chip_attr_key_t key) {
  const mlir_attr_t *attr = mlir_op_attr(gatherer->op, name);
  add_one(gatherer, key, mlir_attr_is(attr, MLIR_ATTR_BOOL) && attr->integer != 0);
}

static pod_status_t attrs_solve(gatherer_t *gatherer) {
  int transpose;
  POD_TRY(stablehlo_transpose(gatherer->lower->module, gatherer->op, &transpose));
  add_flag(gatherer, "left_side", CHIP_ATTR_LEFT_SIDE);
  add_flag(gatherer, "lower", CHIP_ATTR_LOWER);
  add_flag(gatherer, "unit_diagonal", CHIP_ATTR_UNIT_DIAGONAL);
  add_one(gatherer, CHIP_ATTR_TRANSPOSE_A, transpose);
  return NULL;
}

static pod_status_t attrs_fft(gatherer_t *gatherer) {
  int type;
  POD_TRY(stablehlo_fft_type(gatherer->lower->module, gatherer->op, &type));
  add_one(gatherer, CHIP_ATTR_FFT_TYPE, type);
  return copy_list(gatherer, "fft_length", CHIP_ATTR_FFT_LENGTH);
}

static pod_status_t attrs_rng(gatherer_t *gatherer) {
  int algorithm;
  POD_TRY(stablehlo_rng_algorithm(gatherer->lower->module, gatherer->op, &algorithm));
  add_one(gatherer, CHIP_ATTR_RNG_ALGORITHM, algorithm);
  return mlir_op_attr(gatherer->op, RANDOM_WHOLE_ATTR) == NULL
             ? NULL
             : copy_list(gatherer, RANDOM_WHOLE_ATTR, CHIP_ATTR_LIMIT_INDICES);
}

// --- The rest ---

static pod_status_t attrs_check(gatherer_t *gatherer) {
  const mlir_attr_t *tolerance = mlir_op_attr(gatherer->op, "tolerance");
  if (mlir_attr_is(tolerance, MLIR_ATTR_FLOAT)) {
    int64_t bits;
    memcpy(&bits, &tolerance->real, sizeof(bits));
    add_one(gatherer, CHIP_ATTR_TOLERANCE, bits);
  }
  const mlir_attr_t *least = mlir_op_attr(gatherer->op, "min_ulp_difference"),
                    *most = mlir_op_attr(gatherer->op, "max_ulp_difference");
  if (mlir_attr_is(least, MLIR_ATTR_INTEGER)) {
    add_one(gatherer, CHIP_ATTR_ULP_MIN, least->integer);
  }
  if (mlir_attr_is(most, MLIR_ATTR_INTEGER)) {
    add_one(gatherer, CHIP_ATTR_ULP_MAX, most->integer);
  }
  return NULL;
}

// The last dimension when it does not say; counted from behind when it is negative.
static pod_status_t attrs_sort(gatherer_t *gatherer) {
  const mlir_attr_t *attr = mlir_op_attr(gatherer->op, "dimension");
  const int rank = gatherer->op->operands[0]->type->shape.rank;
  const int64_t dimension = mlir_attr_is(attr, MLIR_ATTR_INTEGER) ? attr->integer : -1;
  add_one(gatherer, CHIP_ATTR_DIMENSION, dimension < 0 ? dimension + rank : dimension);
  return NULL;
}

static pod_status_t attrs_precision(gatherer_t *gatherer) {
  POD_TRY(copy_one(gatherer, "exponent_bits", CHIP_ATTR_EXPONENT_BITS));
  return copy_one(gatherer, "mantissa_bits", CHIP_ATTR_MANTISSA_BITS);
}

static pod_status_t attrs_slice(gatherer_t *gatherer) {
  POD_TRY(copy_list(gatherer, "start_indices", CHIP_ATTR_START_INDICES));
  POD_TRY(copy_list(gatherer, "limit_indices", CHIP_ATTR_LIMIT_INDICES));
  return copy_list(gatherer, "strides", CHIP_ATTR_STRIDES);
}

static pod_status_t attrs_pad(gatherer_t *gatherer) {
  POD_TRY(copy_list(gatherer, "edge_padding_low", CHIP_ATTR_EDGE_PADDING_LOW));
  POD_TRY(copy_list(gatherer, "edge_padding_high", CHIP_ATTR_EDGE_PADDING_HIGH));
  return copy_list(gatherer, "interior_padding", CHIP_ATTR_INTERIOR_PADDING);
}

static pod_status_t attrs_reduce(gatherer_t *gatherer) {
  add_one(gatherer, CHIP_ATTR_REDUCER, compiler_reducer(gatherer->op));
  return copy_list(gatherer, "dimensions", CHIP_ATTR_DIMENSIONS);
}

static pod_status_t attrs_iota(gatherer_t *gatherer) {
  return copy_one(gatherer, "iota_dimension", CHIP_ATTR_DIMENSION);
}

static pod_status_t attrs_concatenate(gatherer_t *gatherer) {
  return copy_one(gatherer, "dimension", CHIP_ATTR_DIMENSION);
}

static pod_status_t attrs_broadcast_in_dim(gatherer_t *gatherer) {
  return copy_list(gatherer, "broadcast_dimensions", CHIP_ATTR_DIMENSIONS);
}

static pod_status_t attrs_transpose(gatherer_t *gatherer) {
  return copy_list(gatherer, "permutation", CHIP_ATTR_DIMENSIONS);
}

static pod_status_t attrs_reverse(gatherer_t *gatherer) {
  return copy_list(gatherer, "dimensions", CHIP_ATTR_DIMENSIONS);
}

static pod_status_t attrs_dynamic_slice(gatherer_t *gatherer) {
  return copy_list(gatherer, "slice_sizes", CHIP_ATTR_SLICE_SIZES);
}

static pod_status_t attrs_cholesky(gatherer_t *gatherer) {
  add_flag(gatherer, "lower", CHIP_ATTR_LOWER);
  return NULL;
}

static pod_status_t attrs_eigh(gatherer_t *gatherer) {
  add_flag(gatherer, "lower", CHIP_ATTR_LOWER);
  add_flag(gatherer, "sorted", CHIP_ATTR_SORTED);
  return NULL;
}

static pod_status_t attrs_host_transfer(gatherer_t *gatherer) {
  add_flag(gatherer, "each_device", CHIP_ATTR_EACH_DEVICE);
  return copy_one(gatherer, "channel", CHIP_ATTR_CHANNEL);
}

typedef pod_status_t (*attrs_fn_t)(gatherer_t *gatherer);

#define attrs_none NULL
static const attrs_fn_t rules[CHIP_OP_COUNT] = {
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = attrs_##attrs,
#include "server/program/operations.def"
#undef OPERATION
};

pod_status_t lower_attrs(lower_t *lower, const mlir_op_t *op, pod_arena_t *arena,
                         int32_t *out_count, const chip_attr_t **out_attrs) {
  gatherer_t gatherer = {.lower = lower, .op = op, .arena = arena};
  if (rules[op->kind] != NULL) {
    POD_TRY(rules[op->kind](&gatherer));
  }
  *out_count = gatherer.count;
  *out_attrs = pod_arena_copy(arena, gatherer.attrs,
                              (size_t)gatherer.count * sizeof(gatherer.attrs[0]));
  return NULL;
}
