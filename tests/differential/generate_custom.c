// Custom calls, and what orders operations and takes no part in their results: tokens and
// futures.

#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate_region.h"

// --- Values that stay as they are ---

static void generate_identity_call(generate_t *g, const char *name) {
  mlir_value_t *x = generate_any(g, GENERATE_ANY, 0, GENERATE_CLOSE, GENERATE_SPECIALS);
  const tensor_shape_t shape = *generate_shape_of(x);
  mlir_op_t *op = generate_custom_call(g, name, 1, &x, 1, &shape);
  bool is_on_host = strcmp(name, "@MoveToHost") == 0;
  if (strcmp(name, "@annotate_device_placement") == 0) {
    is_on_host = generate_chance(g, 50);
    const mlir_named_attr_t place = {
        mlir_intern(g->module, "_xla_buffer_placement"),
        mlir_attr_string(g->module, is_on_host ? "pinned_host" : "device")};
    generate_flag(g, op, "has_side_effect", true);
    mlir_op_set_attr(g->module, op, "mhlo.frontend_attributes",
                     mlir_attr_dictionary(g->module, 1, &place));
  }
  // A program returns what is on the device.
  if (is_on_host) {
    mlir_value_t *moved = &op->results[0];
    op = generate_custom_call(g, "@MoveToDevice", 1, &moved, 1, &shape);
  }
  generate_keep_as(g, op, 0, x);
}

// Nobody knows what a buffer holds, but which of two is selected.
static void generate_buffer(generate_t *g, const char *name) {
  mlir_value_t *x = generate_any(g, GENERATE_ANY, 0, GENERATE_CLOSE, GENERATE_SPECIALS);
  const tensor_shape_t shape = *generate_shape_of(x);
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  const bool is_true = true;
  mlir_value_t *operands[] = {
      generate_given(g, &flag, &is_true), x,
      &generate_custom_call(g, name, 0, NULL, 1, &shape)->results[0]};
  mlir_op_t *op = generate_op(g, "stablehlo.select", 3, operands, 1, &shape, 0);
  generate_keep_as(g, op, 0, x);
}

// A call that gives nothing.
static void generate_sink(generate_t *g, const char *name) {
  mlir_value_t *x = generate_any(g, GENERATE_ANY, 0, GENERATE_CLOSE, GENERATE_SPECIALS);
  mlir_op_t *op = generate_custom_call(g, name, 1, &x, 0, NULL);
  generate_flag(g, op, "has_side_effect", true);
}

static void generate_assertion(generate_t *g, const char *name) {
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  const bool holds = true;
  mlir_value_t *operands[] = {generate_given(g, &flag, &holds),
                              generate_constant_integer(g, TENSOR_S32, 7)};
  mlir_op_t *op =
      generate_custom_call(g, name, generate_between(g, 1, 2), operands, 0, NULL);
  mlir_op_set_attr(g->module, op, "error_message",
                   mlir_attr_string(g->module, "Expected {0}"));
  generate_flag(g, op, "has_side_effect", true);
}

// --- The largest ---

static void generate_largest_call(generate_t *g, const char *name) {
  tensor_shape_t shape = generate_shape(g, generate_dtype(g, GENERATE_REAL), 1);
  mlir_value_t *operands[] = {generate_keys(g, &shape, true), NULL};
  int64_t *last = &shape.dims[shape.rank - 1];
  *last = (int64_t)pod_random_below(&g->random, (uint64_t)*last + 1);
  tensor_shape_t results[] = {shape, shape};
  results[1].dtype = TENSOR_S32;
  const bool is_dynamic = strcmp(name, "@stablehlo.dynamic_top_k") == 0;
  if (is_dynamic) {
    operands[1] = generate_constant_integer(g, TENSOR_S32, *last);
  }
  mlir_op_t *op = generate_custom_call(g, name, is_dynamic ? 2 : 1, operands, 2, results);
  if (!is_dynamic) {
    const mlir_named_attr_t attrs[] = {
        {mlir_intern(g->module, "k"), mlir_attr_integer(g->module, *last, TENSOR_S64)},
        {mlir_intern(g->module, "largest"), mlir_attr_bool(g->module, true)}};
    mlir_op_set_attr(g->module, op, "mhlo.attributes",
                     mlir_attr_dictionary(g->module, 2, attrs));
    generate_integer(g, op, "mhlo.version", 1);
  }
  generate_keep(g, op, 0, GENERATE_BITS, 0);
  generate_keep(g, op, 1, GENERATE_BITS, 0);
}

// The first of each line by a function that compares two keys; with where they stood.
static void generate_sorted_part(generate_t *g, const char *name) {
  static const char *const directions[] = {"GT", "LT"};
  const tensor_dtype_t dtype = generate_dtype(g, GENERATE_REAL);
  tensor_shape_t shapes[] = {generate_shape(g, dtype, 1), {.rank = 0}};
  shapes[1] = shapes[0];
  shapes[1].dtype = TENSOR_S32;
  const tensor_shape_t scalars[] = {
      generate_scalar_shape(dtype), generate_scalar_shape(dtype),
      generate_scalar_shape(TENSOR_S32), generate_scalar_shape(TENSOR_S32)};
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  const int dimension = generate_below(g, shapes[0].rank);
  // NaN, which some types have for what is below 0, has no place in the order.
  const generate_data_t data =
      dtype == TENSOR_F8E8M0FNU ? GENERATE_POSITIVE : GENERATE_FINITE;
  mlir_value_t *operands[5] = {
      generate_operand(g, &shapes[0], GENERATE_EXACT, data),
      generate_operand(g, &shapes[1], GENERATE_BITS, GENERATE_SPECIALS),
      generate_operand(g, &scalars[0], GENERATE_EXACT, GENERATE_FINITE),
      generate_constant_integer(g, TENSOR_S32, -1)};
  const int64_t kept =
      (int64_t)pod_random_below(&g->random, (uint64_t)shapes[0].dims[dimension] + 1);
  shapes[0].dims[dimension] = shapes[1].dims[dimension] = kept;
  const bool is_dynamic = strcmp(name, "@stablehlo.dynamic_approx_top_k") == 0;
  if (is_dynamic) {
    operands[4] = generate_constant_integer(g, TENSOR_S32, kept);
  }
  const generate_function_t function = generate_function_start(g, 4, scalars);
  mlir_op_t *compare =
      generate_op(g, "stablehlo.compare", 2, g->block->arguments, 1, &flag, 0);
  generate_enum(g, compare, "comparison_direction", "comparison_direction",
                generate_word(g, 2, directions));
  mlir_value_t *result = &compare->results[0];
  const char *callee = generate_function_end(g, &function, 1, &result);
  mlir_op_t *op = generate_custom_call(g, name, is_dynamic ? 5 : 4, operands, 2, shapes);
  generate_called(g, op, callee);
  const mlir_named_attr_t config[] = {
      {mlir_intern(g->module, "reduction_dim"),
       mlir_attr_integer(g->module, dimension, TENSOR_S64)},
      {mlir_intern(g->module, "recall_target"),
       mlir_attr_float(g->module, 0.95f, TENSOR_F32)},
      {mlir_intern(g->module, "top_k"), mlir_attr_integer(g->module, kept, TENSOR_S64)}};
  mlir_op_set_attr(g->module, op, "mhlo.backend_config",
                   mlir_attr_dictionary(g->module, 3, config));
  generate_keep(g, op, 0, GENERATE_BITS, 0);
  generate_keep(g, op, 1, GENERATE_BITS, 0);
}

// --- Operations under another name ---

// An operation of a row, written as a call: it is the last of the block.
static void generate_renamed(generate_t *g, const char *name) {
  const char *word = name + strlen("@mhlo.");
  const char *full = strcmp(word, "tan") == 0
                         ? "stablehlo.tan"
                         : pod_arena_printf(g->module->arena, "chlo.%s", word);
  generate_append(g, full);
  mlir_op_t *op = g->block->last;
  POD_CHECK(strcmp(op->name, full) == 0);
  op->name = mlir_intern(g->module, "stablehlo.custom_call");
  mlir_op_set_attr(g->module, op, "call_target_name",
                   mlir_attr_string(g->module, name + 1));
  generate_integer(g, op, "mhlo.version", 1);
}

static void generate_dynamic_bits(generate_t *g, const char *name) {
  static const tensor_dtype_t dtypes[] = {TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_U64};
  static const char *const algorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
  const int64_t words = 2;
  const tensor_shape_t results[] = {tensor_shape_make(TENSOR_U64, 1, &words),
                                    generate_shape(g, dtypes[generate_below(g, 4)], 1)};
  mlir_value_t *operands[] = {
      generate_operand(g, &results[0], GENERATE_BITS, GENERATE_SPECIALS),
      generate_constant_integers(g, TENSOR_S32, results[1].rank, results[1].dims)};
  mlir_op_t *op = generate_custom_call(g, name, 2, operands, 2, results);
  generate_enum(g, op, "rng_algorithm", "rng_algorithm", generate_word(g, 3, algorithms));
  generate_keep(g, op, 0, GENERATE_BITS, 0);
  generate_keep(g, op, 1, GENERATE_BITS, 0);
}

// --- Tokens ---

static mlir_value_t *generate_token_op(generate_t *g, const char *name, int count,
                                       mlir_value_t *const *tokens) {
  const mlir_type_t *type = mlir_type_simple(g->module, MLIR_TYPE_TOKEN);
  mlir_op_t *op = mlir_op_create(g->module, name, count, tokens, 1, &type, 0);
  mlir_block_append(g->block, op);
  return &op->results[0];
}

// An operation that takes a token and a value, and gives both: a barrier, a branch that
// returns them, or a loop without a turn that carries them.
static mlir_op_t *generate_carrier(generate_t *g, mlir_value_t **operands) {
  const mlir_type_t *types[] = {operands[0]->type, operands[1]->type};
  const int kind = generate_below(g, 3);
  if (kind == 0) {
    mlir_op_t *op = mlir_op_create(g->module, "stablehlo.optimization_barrier", 2,
                                   operands, 2, types, 0);
    mlir_block_append(g->block, op);
    return op;
  }
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  const bool is_loop = kind == 1, holds = !is_loop && generate_chance(g, 50);
  mlir_value_t *predicate = generate_given(g, &flag, &holds);
  mlir_op_t *op =
      is_loop ? mlir_op_create(g->module, "stablehlo.while", 2, operands, 2, types, 2)
              : mlir_op_create(g->module, "stablehlo.if", 1, &predicate, 2, types, 2);
  mlir_block_append(g->block, op);
  for (int region = 0; region < 2; region++) {
    mlir_block_t *outer = generate_region(g, op, region, 0, NULL);
    for (int i = 0; i < 2 && is_loop; i++) {
      mlir_block_add_argument(g->module, g->block, types[i]);
    }
    if (is_loop && region == 0) {
      generate_return(g, 1, &predicate);
    } else {
      generate_return(g, 2, is_loop ? g->block->arguments : operands);
    }
    generate_region_end(g, outer);
  }
  return op;
}

// Tokens, joined, and a value that goes with them.
static void generate_tokens(generate_t *g, const char *name) {
  (void)name;
  mlir_value_t *tokens[3];
  const int count = generate_between(g, 0, 2);
  for (int i = 0; i < count; i++) {
    tokens[i] = generate_token_op(g, "stablehlo.create_token", 0, NULL);
  }
  mlir_value_t *x = generate_any(g, GENERATE_ANY, 0, GENERATE_CLOSE, GENERATE_SPECIALS);
  mlir_value_t *operands[] = {generate_token_op(g, "stablehlo.after_all", count, tokens),
                              x};
  mlir_op_t *op = generate_carrier(g, operands);
  generate_keep_as(g, op, 1, x);
  if (generate_chance(g, 30)) {
    mlir_value_t *both[] = {&op->results[0], operands[0]};
    generate_token_op(g, "stablehlo.after_all", 2, both);
  }
}

// --- Futures ---

static const mlir_type_t *future_of(generate_t *g, const mlir_op_t *op) {
  pod_text_t text = {0};
  pod_text_add(&text, "!stablehlo.future<");
  for (int i = 0; i < op->result_count; i++) {
    pod_text_add(&text, i > 0 ? ", " : "");
    mlir_type_print(&text, op->results[i].type);
  }
  pod_text_add(&text, ">");
  mlir_type_t *type = pod_arena_alloc(g->module->arena, sizeof(*type));
  *type = (mlir_type_t){.kind = MLIR_TYPE_OPAQUE,
                        .text = pod_arena_strdup(g->module->arena, text.bytes),
                        .height = 1,
                        .weight = 1};
  pod_text_deinit(&text);
  return type;
}

// An operation of a row that may be asynchronous moves into a body; what it gave is given
// by the operation that waits for it.
static void generate_asynchronous(generate_t *g, const char *name) {
  static const char *const names[] = {
      "stablehlo.slice",          "stablehlo.dynamic_slice",
      "stablehlo.slice",          "stablehlo.dynamic_update_slice",
      "stablehlo.all_gather",     "stablehlo.all_reduce",
      "stablehlo.all_to_all",     "stablehlo.collective_permute",
      "stablehlo.reduce_scatter", "stablehlo.collective_broadcast"};
  const char *inner_name =
      generate_word(g, g->is_alone ? (int)POD_COUNT_OF(names) : 4, names);
  generate_append(g, inner_name);
  mlir_op_t *inner = g->block->last;
  POD_CHECK(strcmp(inner->name, inner_name) == 0);
  tensor_shape_t shapes[8];
  const int count = inner->operand_count;
  const int result_count = inner->result_count;
  POD_CHECK(count <= 8 && result_count <= 8);
  for (int i = 0; i < count; i++) {
    shapes[i] = *generate_shape_of(inner->operands[i]);
  }
  mlir_op_unlink(inner);
  const mlir_type_t *future = future_of(g, inner);
  mlir_op_t *start =
      mlir_op_create(g->module, name, count, inner->operands, 1, &future, 1);
  mlir_block_append(g->block, start);
  mlir_block_t *outer = generate_region(g, start, 0, count, shapes);
  mlir_block_append(g->block, inner);
  for (int i = 0; i < count; i++) {
    inner->operands[i] = g->block->arguments[i];
  }
  mlir_value_t *given[8];
  tensor_shape_t results[8];
  for (int i = 0; i < result_count; i++) {
    given[i] = &inner->results[i];
    results[i] = *generate_shape_of(given[i]);
  }
  generate_return(g, result_count, given);
  generate_region_end(g, outer);
  mlir_value_t *waited = &start->results[0];
  mlir_op_t *done =
      generate_op(g, "stablehlo.async_done", 1, &waited, result_count, results, 0);
  for (int i = 0; i < g->value_count; i++) {
    if (g->values[i].value->op == inner) {
      g->values[i].value = &done->results[g->values[i].value->index];
    }
  }
}

const generate_row_t generate_custom_rows[] = {
    {"@AllocateBuffer", generate_buffer},
    {"@ApproxTopK", generate_sorted_part},
    {"@InspectSharding", generate_sink},
    {"@LayoutConstraint", generate_identity_call},
    {"@MoveToDevice", generate_identity_call},
    {"@MoveToHost", generate_identity_call},
    {"@PartialReduce", generate_sorted_part},
    {"@annotate_device_placement", generate_identity_call},
    {"@dce_sink", generate_sink},
    {"@mhlo.acos", generate_renamed},
    {"@mhlo.acosh", generate_renamed},
    {"@mhlo.asin", generate_renamed},
    {"@mhlo.asinh", generate_renamed},
    {"@mhlo.atan", generate_renamed},
    {"@mhlo.atanh", generate_renamed},
    {"@mhlo.cosh", generate_renamed},
    {"@mhlo.erf", generate_renamed},
    {"@mhlo.erf_inv", generate_renamed},
    {"@mhlo.sinh", generate_renamed},
    {"@mhlo.tan", generate_renamed},
    {"@mhlo.topk", generate_largest_call},
    {"@shape_assertion", generate_assertion},
    {"@stablehlo.dynamic_approx_top_k", generate_sorted_part},
    {"@stablehlo.dynamic_rng_bit_generator", generate_dynamic_bits},
    {"@stablehlo.dynamic_top_k", generate_largest_call},
    {"stablehlo.after_all", generate_tokens},
    {"stablehlo.async_start", generate_asynchronous},
    {NULL, NULL},
};
