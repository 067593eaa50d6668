// ragged_all_to_all, a custom call: of its operand every chip sends the rows from
// input_offsets[j] on, send_sizes[j] of them, to chip j of its group, where they lie from
// output_offsets[j] on; what nobody sends to keeps the rows of `output`. recv_sizes says
// the same from the other side.
//
// What is sent depends on values, so that nobody knows how much: all have all rows of the
// group, and take what is sent to them.

#include <string.h>

#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/legalize/expander.h"

enum { OPERAND, OUTPUT, INPUT_OFFSETS, SEND_SIZES, OUTPUT_OFFSETS, OPERAND_COUNT = 6 };

// Of one call.
typedef struct exchange_t {
  expander_t *expander;
  expand_groups_t groups;
  const mlir_attr_t *groups_attr;
  int64_t rows_sent, rows;  // Of the operand, of the output.
  mlir_value_t *place;      // This chip's in its group.
} exchange_t;

// --- What is asked for ---

static pod_status_t refuse(const expander_t *expander, const char *why) {
  return mlir_op_error(expander->module, expander->op, POD_INVALID_ARGUMENT,
                       "target @ragged_all_to_all %s", why);
}

static bool have_like_rows(const tensor_shape_t *a, const tensor_shape_t *b) {
  bool same = a->rank == b->rank && a->rank > 0 && a->dtype == b->dtype;
  for (int d = 1; same && d < a->rank; d++) {
    same = a->dims[d] == b->dims[d];
  }
  return same;
}

static pod_status_t check_operands(const expander_t *expander) {
  const mlir_op_t *op = expander->op;
  if (op->operand_count != OPERAND_COUNT || op->result_count != 1 ||
      !mlir_type_equal(op->operands[OUTPUT]->type, op->results[0].type) ||
      !have_like_rows(&op->operands[OPERAND]->type->shape,
                      &op->operands[OUTPUT]->type->shape)) {
    return refuse(expander,
                  "takes an operand, an output with rows like its, which is the result's "
                  "type, input_offsets, send_sizes, output_offsets and recv_sizes");
  }
  return NULL;
}

static pod_status_t check_lists(const exchange_t *exchange) {
  const mlir_op_t *op = exchange->expander->op;
  for (int i = INPUT_OFFSETS; i < OPERAND_COUNT; i++) {
    const tensor_shape_t *shape = &op->operands[i]->type->shape;
    if (shape->rank != 1 || !tensor_dtype_is_integer(shape->dtype)) {
      return refuse(exchange->expander, "takes offsets and sizes as lists of integers");
    }
    if (shape->dims[0] != exchange->groups.size) {
      // Several for each would be no mistake.
      const bool is_multiple = shape->dims[0] % exchange->groups.size == 0;
      return mlir_op_error(exchange->expander->module, op,
                           is_multiple ? POD_UNIMPLEMENTED : POD_INVALID_ARGUMENT,
                           "target @ragged_all_to_all takes one offset and size for each "
                           "chip of a group of %lld, got %lld",
                           (long long)exchange->groups.size, (long long)shape->dims[0]);
    }
  }
  return NULL;
}

// In the typed configuration.
static pod_status_t read_groups(exchange_t *exchange) {
  expander_t *expander = exchange->expander;
  const mlir_attr_t *config = mlir_op_attr(expander->op, "backend_config");
  const mlir_attr_t *groups = mlir_attr_is(config, MLIR_ATTR_DICTIONARY)
                                  ? mlir_attr_get(config, "replica_groups")
                                  : NULL;
  if (groups == NULL) {
    return refuse(expander, "needs 'replica_groups' in its 'backend_config'");
  }
  expand_set_attr(expander, expander->op, "replica_groups", groups);
  POD_TRY(expand_groups(expander, &exchange->groups));
  if (exchange->groups.named != exchange->groups.count * exchange->groups.size) {
    return refuse(expander, "takes groups of one size");
  }
  exchange->groups_attr =
      compiler_make_replica_groups(expander->module, exchange->groups.count,
                                   exchange->groups.size, exchange->groups.ids);
  return NULL;
}

// --- Operations ---

static const mlir_type_t *type_of(const exchange_t *exchange, tensor_dtype_t dtype,
                                  int rank, const int64_t *dims) {
  const tensor_shape_t shape = tensor_shape_make(dtype, rank, dims);
  return mlir_type_tensor(exchange->expander->module, &shape);
}

static mlir_value_t *emit_place(const exchange_t *exchange) {
  const expand_groups_t *groups = &exchange->groups;
  int64_t *places = pod_arena_array(exchange->expander->module->arena,
                                    (size_t)groups->chips, sizeof(*places));
  for (int64_t i = 0; i < groups->count * groups->size; i++) {
    places[groups->ids[i]] = i % groups->size;
  }
  return expand_emit_lookup_i64(exchange->expander, groups->chips, places);
}

// A list of every chip of the group as i64, [chip][entry].
static mlir_value_t *emit_lists(const exchange_t *exchange, int operand) {
  mlir_value_t *list = exchange->expander->op->operands[operand];
  const int64_t dims[] = {exchange->groups.size};
  if (list->type->shape.dtype != TENSOR_S64) {
    list = expand_emit_unary(exchange->expander, "stablehlo.convert", list,
                             type_of(exchange, TENSOR_S64, 1, dims));
  }
  return expand_emit_gather_group(exchange->expander, exchange->groups.size,
                                  exchange->groups_attr, list);
}

// What sender `sender` says of this chip, for every row.
static mlir_value_t *emit_said(const exchange_t *exchange, mlir_value_t *lists,
                               mlir_value_t *sender) {
  mlir_value_t *at[] = {sender, exchange->place};
  mlir_value_t *said = expand_emit_pick(exchange->expander, lists, 2, at,
                                        type_of(exchange, TENSOR_S64, 0, NULL));
  return expand_emit_broadcast(exchange->expander, said,
                               type_of(exchange, TENSOR_S64, 1, &exchange->rows), 0,
                               NULL);
}

static mlir_value_t *emit_compare(const exchange_t *exchange, mlir_value_t *a,
                                  mlir_value_t *b, const char *direction) {
  expander_t *expander = exchange->expander;
  mlir_value_t *operands[] = {a, b};
  mlir_op_t *compare = expand_emit(expander, "stablehlo.compare", 2, operands,
                                   type_of(exchange, TENSOR_PRED, 1, &exchange->rows));
  expand_set_attr(
      expander, compare, "comparison_direction",
      stablehlo_make_enum(expander->module, compare, "comparison_direction", direction));
  return &compare->results[0];
}

// For every row of the output the one of the group's that it is, and whether it is any.
typedef struct sources_t {
  mlir_value_t *rows, *are_sent;
} sources_t;

static mlir_value_t *emit_iota(const exchange_t *exchange) {
  mlir_op_t *iota = expand_emit(exchange->expander, "stablehlo.iota", 0, NULL,
                                type_of(exchange, TENSOR_S64, 1, &exchange->rows));
  expand_set_attr(exchange->expander, iota, "iota_dimension",
                  mlir_attr_integer(exchange->expander->module, 0, TENSOR_S64));
  return &iota->results[0];
}

static sources_t emit_sources(const exchange_t *exchange) {
  expander_t *expander = exchange->expander;
  mlir_value_t *inputs = emit_lists(exchange, INPUT_OFFSETS);
  mlir_value_t *sizes = emit_lists(exchange, SEND_SIZES);
  mlir_value_t *outputs = emit_lists(exchange, OUTPUT_OFFSETS);
  mlir_value_t *row = emit_iota(exchange);
  mlir_value_t *zeros = expand_emit_binary(expander, "stablehlo.subtract", row, row);
  sources_t sources = {.rows = zeros,
                       .are_sent = emit_compare(exchange, zeros, zeros, "LT")};
  for (int64_t s = 0; s < exchange->groups.size; s++) {
    mlir_value_t *sender = expand_emit_i64(expander, s);
    mlir_value_t *behind = expand_emit_binary(expander, "stablehlo.subtract", row,
                                              emit_said(exchange, outputs, sender));
    mlir_value_t *first = expand_emit_broadcast(
        expander, expand_emit_i64(expander, s * exchange->rows_sent), row->type, 0, NULL);
    mlir_value_t *source =
        expand_emit_binary(expander, "stablehlo.add", emit_said(exchange, inputs, sender),
                           expand_emit_binary(expander, "stablehlo.add", first, behind));
    mlir_value_t *is_sent = expand_emit_binary(
        expander, "stablehlo.and", emit_compare(exchange, behind, zeros, "GE"),
        emit_compare(exchange, behind, emit_said(exchange, sizes, sender), "LT"));
    sources.rows = expand_emit_choice(expander, is_sent, source, sources.rows);
    sources.are_sent =
        expand_emit_binary(expander, "stablehlo.or", sources.are_sent, is_sent);
  }
  return sources;
}

// The rows of all operands of the group with these numbers.
static mlir_value_t *emit_taken(const exchange_t *exchange, mlir_value_t *numbers) {
  expander_t *expander = exchange->expander;
  mlir_module_t *module = expander->module;
  mlir_value_t *operand = expander->op->operands[OPERAND];
  tensor_shape_t shape = operand->type->shape;
  shape.dims[0] = exchange->groups.size * exchange->rows_sent;
  mlir_value_t *operands[] = {
      expand_emit_unary(expander, "stablehlo.reshape",
                        expand_emit_gather_group(expander, exchange->groups.size,
                                                 exchange->groups_attr, operand),
                        mlir_type_tensor(module, &shape)),
      numbers};
  pod_text_t text = {0};
  pod_text_add(&text, "offset_dims = [");
  for (int d = 1; d < shape.rank; d++) {
    pod_text_printf(&text, "%s%d", d == 1 ? "" : ", ", d);
  }
  pod_text_add(
      &text,
      "], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1");
  mlir_op_t *gather = expand_emit(expander, "stablehlo.gather", 2, operands,
                                  expander->op->results[0].type);
  expand_set_attr(expander, gather, "dimension_numbers",
                  mlir_attr_dialect(module, "stablehlo.gather", text.bytes));
  pod_text_deinit(&text);
  shape.dims[0] = 1;
  expand_set_attr(expander, gather, "slice_sizes",
                  mlir_attr_i64_array(module, shape.rank, shape.dims));
  return &gather->results[0];
}

pod_status_t expand_ragged_all_to_all(expander_t *expander, mlir_value_t **out_results) {
  POD_TRY(check_operands(expander));
  const mlir_op_t *op = expander->op;
  exchange_t exchange = {.expander = expander,
                         .rows_sent = op->operands[OPERAND]->type->shape.dims[0],
                         .rows = op->operands[OUTPUT]->type->shape.dims[0]};
  POD_TRY(read_groups(&exchange));
  POD_TRY(check_lists(&exchange));
  if (exchange.rows_sent == 0) {  // Nothing to send.
    out_results[0] = op->operands[OUTPUT];
    return NULL;
  }
  exchange.place = emit_place(&exchange);
  const sources_t sources = emit_sources(&exchange);
  tensor_shape_t flags = op->results[0].type->shape;
  flags.dtype = TENSOR_PRED;
  const int64_t rows_dim = 0;
  mlir_value_t *are_sent =
      expand_emit_broadcast(expander, sources.are_sent,
                            mlir_type_tensor(expander->module, &flags), 1, &rows_dim);
  out_results[0] = expand_emit_choice(
      expander, are_sent, emit_taken(&exchange, sources.rows), op->operands[OUTPUT]);
  return NULL;
}
