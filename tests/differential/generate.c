#include "tests/differential/generate.h"
#include "server/compiler/dialect/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"

extern const generate_row_t generate_elementwise_rows[];
extern const generate_row_t generate_indexing_rows[];
extern const generate_row_t generate_ragged_rows[];
extern const generate_row_t generate_random_rows[];
extern const generate_row_t generate_chlo_rows[];
extern const generate_row_t generate_control_rows[];
extern const generate_row_t generate_custom_rows[];
extern const generate_row_t generate_linear_rows[];
extern const generate_row_t generate_window_rows[];
extern const generate_row_t generate_contraction_rows[];
extern const generate_row_t generate_movement_rows[];

// All operations, group by group.
static const generate_row_t *const groups[] = {
    // clang-format off
    generate_chlo_rows,
    generate_contraction_rows,
    generate_control_rows,
    generate_custom_rows,
    generate_elementwise_rows,
    generate_indexing_rows,
    generate_ragged_rows,
    generate_random_rows,
    generate_linear_rows,
    generate_movement_rows,
    generate_window_rows,
    // clang-format on
};

const generate_row_t *generate_row(int index) {
  for (size_t i = 0; i < POD_COUNT_OF(groups); i++) {
    for (const generate_row_t *row = groups[i]; row->name != NULL; row++) {
      if (index-- == 0) {
        return row;
      }
    }
  }
  return NULL;
}

int generate_row_count(void) {
  int count = 0;
  while (generate_row(count) != NULL) {
    count++;
  }
  return count;
}

static const generate_row_t *find_row(const char *name) {
  for (int i = generate_row_count() - 1; i >= 0; i--) {
    if (strcmp(generate_row(i)->name, name) == 0) {
      return generate_row(i);
    }
  }
  return NULL;
}

bool generate_has_row(const char *name) {
  return find_row(name) != NULL;
}

void generate_append(generate_t *g, const char *name) {
  const generate_row_t *row = find_row(name);
  POD_CHECK(row != NULL);
  row->append(g, row->name);
}

// --- Chance ---

int generate_below(generate_t *g, int bound) {
  return (int)pod_random_below(&g->random, (uint64_t)bound);
}

int generate_between(generate_t *g, int low, int high) {
  return low + generate_below(g, high - low + 1);
}

bool generate_chance(generate_t *g, int percent) {
  return generate_below(g, 100) < percent;
}

const char *generate_word(generate_t *g, int count, const char *const *words) {
  return words[generate_below(g, count)];
}

// --- Types ---

unsigned generate_class(tensor_dtype_t dtype) {
  if (dtype == TENSOR_PRED) {
    return GENERATE_PRED;
  }
  if (tensor_dtype_is_integer(dtype)) {
    return tensor_dtype_is_signed(dtype) ? GENERATE_SIGNED : GENERATE_UNSIGNED;
  }
  return tensor_dtype_is_complex(dtype)         ? GENERATE_COMPLEX
         : tensor_dtype_device_bits(dtype) <= 8 ? GENERATE_TINY
                                                : GENERATE_FLOATS;
}

tensor_dtype_t generate_dtype(generate_t *g, unsigned classes) {
  // First the class, so that the many tiny floats do not outweigh the rest.
  unsigned class;
  do {
    class = 1u << generate_below(g, 6);
  } while ((class & classes) == 0);
  tensor_dtype_t dtype;
  do {
    dtype = (tensor_dtype_t)generate_between(g, 1, TENSOR_DTYPE_COUNT - 1);
  } while (generate_class(dtype) != class);
  return dtype;
}

int64_t generate_dim(generate_t *g) {
  static const int64_t dims[] = {1, 2, 3, 5, 7, 11, 13, 1, 2, 3, 4, 8, 17, 37};
  static const int64_t divisible[] = {2, 4, 6, 8, 12, 16};
  if (!g->is_alone && generate_chance(g, 75)) {
    return divisible[generate_below(g, (int)POD_COUNT_OF(divisible))];
  }
  return generate_chance(g, 3) ? 0 : dims[generate_below(g, (int)POD_COUNT_OF(dims))];
}

tensor_shape_t generate_shape(generate_t *g, tensor_dtype_t dtype, int rank_min) {
  static const int ranks[] = {0, 1, 1, 2, 2, 2, 3, 3, 4, 5};
  int rank;
  if (rank_min == 0 && generate_chance(g, g->scalar_percent)) {
    return generate_scalar_shape(dtype);
  }
  do {
    rank = ranks[generate_below(g, (int)POD_COUNT_OF(ranks))];
  } while (rank < rank_min);
  int64_t dims[GENERATE_RANK_MAX];
  int64_t elements = 1;
  for (int d = 0; d < rank; d++) {
    dims[d] = generate_dim(g);
    if (elements * dims[d] > GENERATE_ELEMENTS_MAX) {
      dims[d] = generate_between(g, 1, 2);
    }
    elements *= dims[d] > 0 ? dims[d] : 1;
  }
  return tensor_shape_make(dtype, rank, dims);
}

tensor_shape_t generate_large_shape(generate_t *g, tensor_dtype_t dtype) {
  static const int64_t large[] = {4099, 1031, 2048, 257, 127, 67, 64, 16, 3, 2};
  int64_t dims[3];
  int rank = 0;
  for (int64_t left = GENERATE_LARGE; rank < 3 && left > 1;) {
    dims[rank] = large[generate_below(g, (int)POD_COUNT_OF(large))];
    dims[rank] = dims[rank] > left ? left : dims[rank];
    left /= dims[rank++];
  }
  return tensor_shape_make(dtype, rank, dims);
}

tensor_shape_t generate_any_size(generate_t *g, tensor_dtype_t dtype, int rank_min) {
  return generate_chance(g, 5) ? generate_large_shape(g, dtype)
                               : generate_shape(g, dtype, rank_min);
}

tensor_shape_t generate_scalar_shape(tensor_dtype_t dtype) {
  return tensor_shape_make(dtype, 0, NULL);
}

// --- Operands ---

static void add_value(generate_t *g, mlir_value_t *value, generate_exactness_t exactness,
                      double ulps) {
  if (g->block == g->main && g->value_count < GENERATE_VALUES_MAX) {
    const unsigned class = value->type->kind == MLIR_TYPE_TENSOR
                               ? generate_class(value->type->shape.dtype)
                               : GENERATE_FLOAT;
    if ((class & (GENERATE_PRED | GENERATE_INTEGER)) != 0 &&
        exactness == GENERATE_EXACT) {
      exactness = GENERATE_BITS;
    }
    g->values[g->value_count++] = (generate_value_t){value, exactness, ulps};
  }
}

mlir_value_t *generate_constant(generate_t *g, const tensor_shape_t *shape,
                                const void *elements) {
  mlir_op_t *op = generate_op(g, "stablehlo.constant", 0, NULL, 1, shape, 0);
  mlir_op_set_attr(g->module, op, "value",
                   mlir_attr_dense(g->module, shape, elements, false));
  add_value(g, &op->results[0], GENERATE_BITS, 0);
  return &op->results[0];
}

mlir_value_t *generate_constant_integers(generate_t *g, tensor_dtype_t dtype,
                                         int64_t count, const int64_t *values) {
  const tensor_shape_t shape = tensor_shape_make(dtype, 1, &count);
  reference_value_t array = reference_make(g->arena, &shape);
  for (int64_t i = 0; i < count; i++) {
    tensor_element_from_int64(dtype, values[i],
                              array.data + (size_t)i * tensor_dtype_bytes(dtype));
  }
  return generate_constant(g, &shape, array.data);
}

mlir_value_t *generate_constant_integer(generate_t *g, tensor_dtype_t dtype,
                                        int64_t value) {
  const tensor_shape_t shape = generate_scalar_shape(dtype);
  char element[16];
  tensor_element_from_int64(dtype, value, element);
  return generate_constant(g, &shape, element);
}

mlir_value_t *generate_given(generate_t *g, const tensor_shape_t *shape,
                             const void *elements) {
  if (g->argument_count == GENERATE_VALUES_MAX ||
      generate_chance(g, g->constant_percent)) {
    return generate_constant(g, shape, elements);
  }
  mlir_value_t *value =
      mlir_block_add_argument(g->module, g->main, mlir_type_tensor(g->module, shape));
  g->arguments[g->argument_count++] =
      pod_arena_copy(g->arena, elements, (size_t)tensor_shape_bytes(shape));
  add_value(g, value, GENERATE_BITS, 0);
  return value;
}

mlir_value_t *generate_fresh(generate_t *g, const tensor_shape_t *shape,
                             generate_data_t data) {
  const reference_value_t array = reference_make(g->arena, shape);
  generate_fill(g, shape->dtype, data, array.count, array.data);
  return generate_given(g, shape, array.data);
}

mlir_value_t *generate_operand(generate_t *g, const tensor_shape_t *shape,
                               generate_exactness_t exactness, generate_data_t data) {
  // Only special values may come from anywhere.
  const int tries = data == GENERATE_SPECIALS && generate_chance(g, 75) ? 24 : 0;
  for (int i = 0; i < tries && g->value_count > 0; i++) {
    const generate_value_t *known = &g->values[generate_below(g, g->value_count)];
    if (known->exactness >= exactness && known->value->type->kind == MLIR_TYPE_TENSOR &&
        tensor_shape_equal(generate_shape_of(known->value), shape)) {
      return known->value;
    }
  }
  return generate_fresh(g, shape, data);
}

mlir_value_t *generate_any(generate_t *g, unsigned classes, int rank_min,
                           generate_exactness_t exactness, generate_data_t data) {
  const int tries = data == GENERATE_SPECIALS && generate_chance(g, 75) ? 24 : 0;
  for (int i = 0; i < tries && g->value_count > 0; i++) {
    const generate_value_t *known = &g->values[generate_below(g, g->value_count)];
    const tensor_shape_t *shape = generate_shape_of(known->value);
    if (known->exactness >= exactness && known->value->type->kind == MLIR_TYPE_TENSOR &&
        shape->rank >= rank_min && shape->rank <= GENERATE_RANK_MAX &&
        tensor_shape_elements(shape) <= 2 * GENERATE_ELEMENTS_MAX &&
        (generate_class(shape->dtype) & classes) != 0) {
      return known->value;
    }
  }
  const tensor_shape_t shape = generate_shape(g, generate_dtype(g, classes), rank_min);
  return generate_fresh(g, &shape, data);
}

generate_value_t generate_known(generate_t *g, const mlir_value_t *value) {
  for (int i = 0; i < g->value_count; i++) {
    if (g->values[i].value == value) {
      return g->values[i];
    }
  }
  return (generate_value_t){NULL, GENERATE_EXACT, 0};
}

// --- Operations ---

mlir_op_t *generate_op(generate_t *g, const char *name, int operand_count,
                       mlir_value_t *const *operands, int result_count,
                       const tensor_shape_t *results, int region_count) {
  const mlir_type_t *types[32] = {NULL};
  POD_CHECK(result_count <= (int)POD_COUNT_OF(types));
  for (int i = 0; i < result_count; i++) {
    types[i] = mlir_type_tensor(g->module, &results[i]);
  }
  mlir_op_t *op = mlir_op_create(g->module, name, operand_count, operands, result_count,
                                 types, region_count);
  mlir_block_append(g->block, op);
  return op;
}

void generate_keep(generate_t *g, mlir_op_t *op, int result,
                   generate_exactness_t exactness, double ulps) {
  add_value(g, &op->results[result], exactness, ulps);
}

void generate_keep_as(generate_t *g, mlir_op_t *op, int result,
                      const mlir_value_t *from) {
  const generate_value_t known = generate_known(g, from);
  add_value(g, &op->results[result], known.exactness, known.ulps);
}

void generate_integer(generate_t *g, mlir_op_t *op, const char *name, int64_t value) {
  mlir_op_set_attr(g->module, op, name, mlir_attr_integer(g->module, value, TENSOR_S64));
}

void generate_flag(generate_t *g, mlir_op_t *op, const char *name, bool value) {
  mlir_op_set_attr(g->module, op, name, mlir_attr_bool(g->module, value));
}

void generate_list(generate_t *g, mlir_op_t *op, const char *name, int64_t count,
                   const int64_t *values) {
  mlir_op_set_attr(g->module, op, name, mlir_attr_i64_array(g->module, count, values));
}

void generate_enum(generate_t *g, mlir_op_t *op, const char *attr, const char *name,
                   const char *word) {
  generate_body(g, op, attr, name, "%s", word);
}

void generate_body(generate_t *g, mlir_op_t *op, const char *attr, const char *name,
                   const char *format, ...) {
  pod_text_t text = {0};
  va_list args;
  va_start(args, format);
  pod_text_vprintf(&text, format, args);
  va_end(args);
  char *full_name = pod_arena_printf(g->module->arena, "stablehlo.%s", name);
  mlir_op_set_attr(
      g->module, op, attr,
      mlir_attr_dialect(
          g->module, full_name,
          pod_arena_strdup(g->module->arena, text.bytes != NULL ? text.bytes : "")));
  pod_text_deinit(&text);
}

mlir_block_t *generate_region(generate_t *g, mlir_op_t *op, int region,
                              int argument_count, const tensor_shape_t *arguments) {
  mlir_block_t *outer = g->block;
  g->block = mlir_block_create(g->module, &op->regions[region]);
  for (int i = 0; i < argument_count; i++) {
    mlir_block_add_argument(g->module, g->block,
                            mlir_type_tensor(g->module, &arguments[i]));
  }
  return outer;
}

void generate_return(generate_t *g, int count, mlir_value_t *const *values) {
  generate_op(g, "stablehlo.return", count, values, 0, NULL, 0);
}

void generate_region_end(generate_t *g, mlir_block_t *outer) {
  g->block = outer;
}

void generate_reducer(generate_t *g, mlir_op_t *op, int region, tensor_dtype_t dtype,
                      const char *name) {
  const tensor_shape_t shapes[] = {generate_scalar_shape(dtype),
                                   generate_scalar_shape(dtype)};
  mlir_block_t *outer = generate_region(g, op, region, 2, shapes);
  mlir_op_t *combine = generate_op(g, name, 2, g->block->arguments, 1, shapes, 0);
  mlir_value_t *result = &combine->results[0];
  generate_return(g, 1, &result);
  generate_region_end(g, outer);
}

// --- Modules ---

void generate_finish(mlir_module_t *module, mlir_block_t *block, int count,
                     mlir_value_t *const *results) {
  mlir_op_t *function = block->region->op;
  mlir_block_append(block,
                    mlir_op_create(module, "func.return", count, results, 0, NULL, 0));
  const mlir_type_t *inputs[GENERATE_VALUES_MAX], *outputs[GENERATE_RESULTS_MAX];
  POD_CHECK(block->argument_count <= GENERATE_VALUES_MAX &&
            count <= GENERATE_RESULTS_MAX);
  for (int i = 0; i < block->argument_count; i++) {
    inputs[i] = block->arguments[i]->type;
  }
  for (int i = 0; i < count; i++) {
    outputs[i] = results[i]->type;
  }
  mlir_op_set_attr(module, function, "sym_name", mlir_attr_string(module, "main"));
  mlir_op_set_attr(
      module, function, "function_type",
      mlir_attr_type(module, mlir_type_function(module, block->argument_count, inputs,
                                                count, outputs)));
}

// What nothing reads is returned, and some of the rest.
static int choose_results(generate_t *g, generate_case_t *generated,
                          mlir_value_t **out_results) {
  bool *is_used = pod_arena_array(g->arena, g->module->value_count, sizeof(bool));
  for (const mlir_op_t *op = g->main->first; op != NULL; op = op->next) {
    for (int i = 0; i < op->operand_count; i++) {
      is_used[op->operands[i]->id] = true;
    }
  }
  int count = 0;
  for (int i = 0; i < g->value_count && count < GENERATE_RESULTS_MAX; i++) {
    const generate_value_t *known = &g->values[i];
    if (known->value->type->kind == MLIR_TYPE_TENSOR &&
        (!is_used[known->value->id] || generate_chance(g, 15))) {
      generated->results[count] = *known;
      out_results[count++] = known->value;
    }
  }
  return count;
}

static void append_ops(generate_t *g, int op_count, const char *name) {
  const int row_count = generate_row_count();
  for (int i = 0; i < op_count; i++) {
    generate_append(
        g, name != NULL ? name : generate_row(generate_below(g, row_count))->name);
  }
}

generate_case_t *generate_case(uint64_t seed, int op_count, const char *name,
                               bool is_alone) {
  generate_t g = {
      .random = {.state = seed}, .is_alone = is_alone, .constant_percent = 25};
  if (generate_chance(&g, 12)) {
    g.constant_percent = 90;
    g.scalar_percent = 60;
  }
  g.module = mlir_module_create("random.mlir");
  compiler_set_kinds(g.module);
  g.arena = pod_arena_create();
  mlir_op_t *function = mlir_op_create(g.module, "func.func", 0, NULL, 0, NULL, 1);
  mlir_block_append(mlir_op_block(g.module->op, 0), function);
  g.block = g.main = mlir_block_create(g.module, &function->regions[0]);
  append_ops(&g, op_count, name);
  generate_case_t *generated = pod_arena_alloc(g.arena, sizeof(*generated));
  generated->module = g.module;
  generated->arena = g.arena;
  generated->value_count = g.value_count;
  generated->values =
      pod_arena_copy(g.arena, g.values, (size_t)g.value_count * sizeof(g.values[0]));
  mlir_value_t *results[GENERATE_RESULTS_MAX];
  generated->result_count = choose_results(&g, generated, results);
  generate_finish(g.module, g.main, generated->result_count, results);
  generated->argument_count = g.argument_count;
  generated->arguments =
      pod_arena_array(g.arena, (size_t)g.argument_count, sizeof(generated->arguments[0]));
  for (int i = 0; i < g.argument_count; i++) {
    generated->arguments[i] =
        reference_make(g.arena, generate_shape_of(g.main->arguments[i]));
    memcpy(generated->arguments[i].data, g.arguments[i],
           (size_t)tensor_shape_bytes(&generated->arguments[i].shape));
  }
  return generated;
}

void generate_case_destroy(generate_case_t *generated) {
  if (generated != NULL) {
    mlir_module_destroy(generated->module);
    pod_arena_destroy(generated->arena);
  }
}
