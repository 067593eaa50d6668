// chlo.scan: a loop over one dimension of its inputs, which carries values along and
// collects what its body returns. It becomes a stablehlo.while whose state is the number
// of steps done, the carries, and the outputs so far.

#include "server/compiler/legalize/scan.h"

#include <inttypes.h>
#include <string.h>

#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/verify/shape.h"
#include "server/program/program.h"

typedef struct scan_t {
  mlir_module_t *module;
  mlir_op_t *op;
  int64_t dimension, length;
  bool is_reverse;
  int inputs, carries, outputs;
} scan_t;

static pod_status_t bad(const scan_t *scan, const char *what) {
  return mlir_op_error(scan->module, scan->op, POD_INVALID_ARGUMENT, "%s", what);
}

// --- Making operations at the end of a block ---

static mlir_op_t *append(scan_t *scan, mlir_block_t *block, const char *name, int count,
                         mlir_value_t *const *operands, const mlir_type_t *type) {
  mlir_op_t *op = mlir_op_create(scan->module, mlir_intern(scan->module, name), count,
                                 operands, type == NULL ? 0 : 1, &type, 0);
  op->position = scan->op->position;
  op->location = scan->op->location;
  mlir_block_append(block, op);
  return op;
}

static const mlir_type_t *index_type(scan_t *scan) {
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 0, NULL);
  return mlir_type_tensor(scan->module, &shape);
}

static void set_constant(scan_t *scan, mlir_op_t *op, int64_t value) {
  const tensor_shape_t *shape = &op->results[0].type->shape;
  unsigned char element[16] = {0};
  tensor_element_from_int64(shape->dtype, value, element);
  mlir_op_set_attr(scan->module, op, mlir_intern(scan->module, "value"),
                   mlir_attr_dense(scan->module, shape, element, true));
}

static mlir_value_t *append_index(scan_t *scan, mlir_block_t *block, int64_t value) {
  mlir_op_t *op = append(scan, block, "stablehlo.constant", 0, NULL, index_type(scan));
  set_constant(scan, op, value);
  return &op->results[0];
}

static mlir_value_t *append_binary(scan_t *scan, mlir_block_t *block, const char *name,
                                   mlir_value_t *a, mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  return &append(scan, block, name, 2, operands, a->type)->results[0];
}

static mlir_value_t *append_reshape(scan_t *scan, mlir_block_t *block,
                                    mlir_value_t *value, const mlir_type_t *type) {
  return &append(scan, block, "stablehlo.reshape", 1, &value, type)->results[0];
}

// The start of step `at`: zeros but for the scanned dimension.
static void starts_of(scan_t *scan, mlir_block_t *block, mlir_value_t *at, int rank,
                      mlir_value_t **out_starts) {
  mlir_value_t *zero = rank > 1 ? append_index(scan, block, 0) : NULL;
  for (int d = 0; d < rank; d++) {
    out_starts[d] = d == scan->dimension ? at : zero;
  }
}

static const mlir_type_t *slice_type(scan_t *scan, const mlir_type_t *whole) {
  tensor_shape_t shape = whole->shape;
  shape.dims[scan->dimension] = 1;
  return mlir_type_tensor(scan->module, &shape);
}

static mlir_value_t *take_slice(scan_t *scan, mlir_block_t *block, mlir_value_t *whole,
                                mlir_value_t *at, const mlir_type_t *type) {
  mlir_value_t *operands[1 + TENSOR_RANK_MAX] = {whole};
  const int rank = whole->type->shape.rank;
  starts_of(scan, block, at, rank, operands + 1);
  const mlir_type_t *piece = slice_type(scan, whole->type);
  mlir_op_t *slice =
      append(scan, block, "stablehlo.dynamic_slice", 1 + rank, operands, piece);
  mlir_op_set_attr(scan->module, slice, mlir_intern(scan->module, "slice_sizes"),
                   mlir_attr_i64_array(scan->module, rank, piece->shape.dims));
  return append_reshape(scan, block, &slice->results[0], type);
}

static mlir_value_t *put_slice(scan_t *scan, mlir_block_t *block, mlir_value_t *whole,
                               mlir_value_t *at, mlir_value_t *value) {
  const int rank = whole->type->shape.rank;
  mlir_value_t *operands[2 + TENSOR_RANK_MAX] = {
      whole, append_reshape(scan, block, value, slice_type(scan, whole->type))};
  starts_of(scan, block, at, rank, operands + 2);
  return &append(scan, block, "stablehlo.dynamic_update_slice", 2 + rank, operands,
                 whole->type)
              ->results[0];
}

// --- Reading the operation ---

// Two sizes that add up to `total`; without the attribute all are of the first kind but
// for `rest`.
static pod_status_t segments(scan_t *scan, const char *name, int total, int *out_first) {
  int64_t count;
  const int64_t *sizes;
  if (!mlir_attr_as_i64s(scan->module, mlir_op_attr(scan->op, name), &count, &sizes) ||
      count != 2 || sizes[0] < 0 || sizes[1] < 0 || sizes[0] + sizes[1] != total) {
    return mlir_op_error(scan->module, scan->op, POD_INVALID_ARGUMENT,
                         "'%s' does not add up to %d", name, total);
  }
  *out_first = (int)sizes[0];
  return NULL;
}

// Without the scanned dimension.
static tensor_shape_t slice_of(const scan_t *scan, const tensor_shape_t *whole) {
  tensor_shape_t slice = *whole;
  slice.rank--;
  for (int d = (int)scan->dimension; d < slice.rank; d++) {
    slice.dims[d] = whole->dims[d + 1];
  }
  slice.dims[slice.rank] = 0;
  return slice;
}

// An input or an output: `part` is what the body takes or returns of `whole`.
static pod_status_t check_slice(const scan_t *scan, const char *what, int index,
                                const mlir_type_t *whole, const char *part_name,
                                const mlir_type_t *part) {
  mlir_module_t *module = scan->module;
  const mlir_op_t *op = scan->op;
  if (whole->kind != MLIR_TYPE_TENSOR || part->kind != MLIR_TYPE_TENSOR ||
      !tensor_shape_is_static(&whole->shape)) {
    return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                         "%s %d: only tensors of static sizes are supported", what,
                         index);
  }
  if (scan->dimension >= whole->shape.rank ||
      whole->shape.dims[scan->dimension] != scan->length) {
    return SHAPE_ERROR(
        "%s %d is %s; it must have size %" PRId64 " in the scanned dimension %" PRId64,
        what, index, shape_text(module, &whole->shape), scan->length, scan->dimension);
  }
  const tensor_shape_t slice = slice_of(scan, &whole->shape);
  if (!tensor_shape_equal(&slice, &part->shape)) {
    return SHAPE_ERROR(
        "%s %d of its body is %s; a slice of %s %d along dimension %" PRId64 " is %s",
        part_name, index, shape_text(module, &part->shape), what, index, scan->dimension,
        shape_text(module, &slice));
  }
  return NULL;
}

static pod_status_t check_carry(const scan_t *scan, const char *part_name, int part_index,
                                const mlir_type_t *part, const char *what, int index,
                                const mlir_type_t *carry) {
  mlir_module_t *module = scan->module;
  const mlir_op_t *op = scan->op;
  return carry->kind == MLIR_TYPE_TENSOR && mlir_type_equal(part, carry)
             ? NULL
             : SHAPE_ERROR("%s %d of its body is %s; %s %d is %s", part_name, part_index,
                           shape_text(module, &part->shape), what, index,
                           shape_text(module, &carry->shape));
}

static pod_status_t check_types(const scan_t *scan) {
  const mlir_op_t *op = scan->op;
  const mlir_block_t *body = mlir_op_block(op, 0);
  mlir_value_t *const *returned = body->last->operands;
  for (int i = 0; i < scan->inputs; i++) {
    POD_TRY(check_slice(scan, "operand", i, op->operands[i]->type, "argument",
                        body->arguments[i]->type));
  }
  for (int i = 0; i < scan->outputs; i++) {
    POD_TRY(
        check_slice(scan, "result", i, op->results[i].type, "value", returned[i]->type));
  }
  for (int i = 0; i < scan->carries; i++) {
    const int in = scan->inputs + i, out = scan->outputs + i;
    const mlir_type_t *type = op->operands[in]->type;
    POD_TRY(check_carry(scan, "argument", in, body->arguments[in]->type, "operand", in,
                        type));
    POD_TRY(check_carry(scan, "value", out, returned[out]->type, "operand", in, type));
    POD_TRY(check_carry(scan, "value", out, returned[out]->type, "result", out,
                        op->results[out].type));
  }
  return NULL;
}

static pod_status_t read_scan(scan_t *scan) {
  mlir_module_t *module = scan->module;
  const mlir_op_t *op = scan->op;
  POD_TRY(shape_arity(module, op, SHAPE_ANY, SHAPE_ANY, 1));
  POD_TRY(shape_region(module, op, 0, "body", op->operand_count, op->result_count));
  POD_TRY(shape_flag(module, op, "is_reverse"));
  POD_TRY(segments(scan, "operandSegmentSizes", op->operand_count, &scan->inputs));
  POD_TRY(segments(scan, "resultSegmentSizes", op->result_count, &scan->outputs));
  scan->carries = op->operand_count - scan->inputs;
  const mlir_type_t *first = scan->inputs > 0    ? op->operands[0]->type
                             : scan->outputs > 0 ? op->results[0].type
                                                 : NULL;
  if (scan->carries != op->result_count - scan->outputs) {
    return SHAPE_ERROR("has %d initial values and %d carries; they must be as many",
                       scan->carries, op->result_count - scan->outputs);
  }
  if (first == NULL || first->kind != MLIR_TYPE_TENSOR) {
    return bad(scan, "needs an input or an output");
  }
  POD_TRY(shape_i64(module, op, "dimension", 0, first->shape.rank, &scan->dimension));
  const mlir_attr_t *reverse = mlir_op_attr(op, "is_reverse");
  scan->length = first->shape.dims[scan->dimension];
  if (mlir_op_attr(op, "scan_dim_size") != NULL) {
    int64_t size;
    POD_TRY(shape_i64(module, op, "scan_dim_size", 0, INT64_MAX, &size));
    if (size != scan->length) {
      return SHAPE_ERROR("'scan_dim_size' is %" PRId64
                         ", the scanned dimension has size %" PRId64,
                         size, scan->length);
    }
  }
  scan->is_reverse = mlir_attr_is(reverse, MLIR_ATTR_UNIT) ||
                     (mlir_attr_is(reverse, MLIR_ATTR_BOOL) && reverse->integer != 0);
  return check_types(scan);
}

// --- The loop: state 0 is the step, then carries, then outputs ---

static void fill_condition(scan_t *scan, mlir_op_t *loop) {
  mlir_block_t *block = mlir_op_block(loop, 0);
  const tensor_shape_t flag = tensor_shape_make(TENSOR_PRED, 0, NULL);
  mlir_value_t *operands[] = {block->arguments[0],
                              append_index(scan, block, scan->length)};
  mlir_op_t *compare = append(scan, block, "stablehlo.compare", 2, operands,
                              mlir_type_tensor(scan->module, &flag));
  mlir_op_set_attr(
      scan->module, compare, mlir_intern(scan->module, "comparison_direction"),
      stablehlo_make_enum(scan->module, compare, "comparison_direction", "LT"));
  mlir_value_t *goes_on = &compare->results[0];
  append(scan, block, "stablehlo.return", 1, &goes_on, NULL);
}

// The body's operations move into the loop's.
static void fill_body(scan_t *scan, mlir_op_t *loop, mlir_replacements_t *replacements) {
  mlir_block_t *block = mlir_op_block(loop, 1), *from = mlir_op_block(scan->op, 0);
  mlir_value_t *step = block->arguments[0], *at = step;
  if (scan->is_reverse) {
    at = append_binary(scan, block, "stablehlo.subtract",
                       append_index(scan, block, scan->length - 1), step);
  }
  for (int i = 0; i < scan->inputs; i++) {
    mlir_replacements_put(
        replacements, from->arguments[i],
        take_slice(scan, block, scan->op->operands[i], at, from->arguments[i]->type));
  }
  for (int i = 0; i < scan->carries; i++) {
    mlir_replacements_put(replacements, from->arguments[scan->inputs + i],
                          block->arguments[1 + i]);
  }
  const mlir_op_t *end = from->last;
  while (from->first != end) {
    mlir_op_t *inner = from->first;
    mlir_op_unlink(inner);
    mlir_block_append(block, inner);
  }
  mlir_value_t **state =
      pod_arena_array(scan->module->arena, (size_t)loop->operand_count, sizeof(state[0]));
  state[0] =
      append_binary(scan, block, "stablehlo.add", step, append_index(scan, block, 1));
  for (int i = 0; i < scan->carries; i++) {
    state[1 + i] =
        mlir_replacements_resolve(replacements, end->operands[scan->outputs + i]);
  }
  for (int i = 0; i < scan->outputs; i++) {
    state[1 + scan->carries + i] =
        put_slice(scan, block, block->arguments[1 + scan->carries + i], at,
                  mlir_replacements_resolve(replacements, end->operands[i]));
  }
  append(scan, block, "stablehlo.return", loop->operand_count, state, NULL);
}

// An operation of one result before the scan.
static mlir_value_t *constant_before(scan_t *scan, const mlir_type_t *type) {
  mlir_op_t *op =
      mlir_op_create(scan->module, mlir_intern(scan->module, "stablehlo.constant"), 0,
                     NULL, 1, &type, 0);
  op->position = scan->op->position;
  op->location = scan->op->location;
  set_constant(scan, op, 0);
  mlir_block_insert_before(scan->op, op);
  return &op->results[0];
}

// Without a step: there is not even a slice of size 1 to take.
static void skip_loop(scan_t *scan, mlir_value_t **out_results) {
  for (int i = 0; i < scan->outputs; i++) {
    out_results[i] = constant_before(scan, scan->op->results[i].type);
  }
  for (int i = 0; i < scan->carries; i++) {
    out_results[scan->outputs + i] = scan->op->operands[scan->inputs + i];
  }
}

pod_status_t expand_scan(mlir_module_t *module, mlir_op_t *op,
                         mlir_replacements_t *replacements, mlir_value_t **out_results) {
  scan_t scan = {.module = module, .op = op};
  POD_TRY(read_scan(&scan));
  if (scan.length == 0) {
    skip_loop(&scan, out_results);
    return NULL;
  }
  const int count = 1 + scan.carries + scan.outputs;
  mlir_value_t **starts =
      pod_arena_array(module->arena, (size_t)count, sizeof(starts[0]));
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)count, sizeof(types[0]));
  starts[0] = constant_before(&scan, index_type(&scan));
  for (int i = 0; i < scan.carries; i++) {
    starts[1 + i] = op->operands[scan.inputs + i];
  }
  for (int i = 0; i < scan.outputs; i++) {
    starts[1 + scan.carries + i] = constant_before(&scan, op->results[i].type);
  }
  for (int i = 0; i < count; i++) {
    types[i] = starts[i]->type;
  }
  mlir_op_t *loop = mlir_op_create(module, mlir_intern(module, "stablehlo.while"), count,
                                   starts, count, types, 2);
  loop->position = op->position;
  loop->location = op->location;
  for (int r = 0; r < 2; r++) {
    mlir_block_t *block = mlir_block_create(module, &loop->regions[r]);
    for (int i = 0; i < count; i++) {
      mlir_block_add_argument(module, block, types[i]);
    }
  }
  mlir_block_insert_before(op, loop);
  fill_condition(&scan, loop);
  fill_body(&scan, loop, replacements);
  for (int i = 0; i < scan.outputs; i++) {
    out_results[i] = &loop->results[1 + scan.carries + i];
  }
  for (int i = 0; i < scan.carries; i++) {
    out_results[scan.outputs + i] = &loop->results[1 + i];
  }
  return NULL;
}
