// while, if and case, calls, and collectives among a single chip.

#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate_region.h"

enum { CARRIED_MAX = 4, DEPTH_MAX = 2, TRIPS_MAX = 5, STEPS_MAX = 5 };

// Values that a body works on, one for each that it returns.
typedef struct state_t {
  int count;
  mlir_value_t *values[CARRIED_MAX];
} state_t;

static bool same_type(const mlir_value_t *a, const mlir_value_t *b) {
  return tensor_shape_equal(generate_shape_of(a), generate_shape_of(b));
}

// A value of the type of `like`: of the state, or, in one of three, of the function's.
static mlir_value_t *partner(generate_t *g, const state_t *state, mlir_value_t *like,
                             bool may_capture) {
  for (int i = 0; may_capture && i < 8 && generate_chance(g, 30); i++) {
    const generate_value_t *known = &g->values[generate_below(g, g->value_count)];
    if (known->exactness >= GENERATE_EXACT &&
        known->value->type->kind == MLIR_TYPE_TENSOR && same_type(known->value, like)) {
      return known->value;
    }
  }
  const int start = generate_below(g, state->count);
  for (int i = 0; i < state->count; i++) {
    mlir_value_t *value = state->values[(start + i) % state->count];
    if (same_type(value, like)) {
      return value;
    }
  }
  return like;
}

// A flag that follows from the first element of a value.
static mlir_value_t *flag_of(generate_t *g, mlir_value_t *value) {
  static const char *const directions[] = {"EQ", "NE"};
  const tensor_shape_t *shape = generate_shape_of(value);
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  if (tensor_shape_elements(shape) == 0) {
    const bool is_true = generate_chance(g, 50);
    return generate_constant(g, &flag, &is_true);
  }
  int64_t zeros[TENSOR_RANK_MAX] = {0}, ones[TENSOR_RANK_MAX];
  for (int d = 0; d < shape->rank; d++) {
    ones[d] = 1;
  }
  const tensor_shape_t first = tensor_shape_make(shape->dtype, shape->rank, ones);
  const tensor_shape_t scalar = generate_scalar_shape(shape->dtype);
  mlir_op_t *slice = generate_op(g, "stablehlo.slice", 1, &value, 1, &first, 0);
  generate_list(g, slice, "start_indices", shape->rank, zeros);
  generate_list(g, slice, "limit_indices", shape->rank, ones);
  generate_list(g, slice, "strides", shape->rank, ones);
  mlir_value_t *sides[2] = {&slice->results[0], NULL};
  sides[0] = &generate_op(g, "stablehlo.reshape", 1, sides, 1, &scalar, 0)->results[0];
  char element[16];
  generate_fill(g, shape->dtype, GENERATE_UNITS, 1, element);
  sides[1] = generate_constant(g, &scalar, element);
  mlir_op_t *compare = generate_op(g, "stablehlo.compare", 2, sides, 1, &flag, 0);
  generate_enum(g, compare, "comparison_direction", "comparison_direction",
                generate_word(g, 2, directions));
  return &compare->results[0];
}

static void generate_steps(generate_t *g, state_t *state, int depth, bool may_capture);

// Returns the state as a few steps leave it. The types stay.
static void generate_branch(generate_t *g, mlir_op_t *op, int region, state_t state,
                            int depth, bool may_capture) {
  mlir_block_t *outer = generate_region(g, op, region, 0, NULL);
  generate_steps(g, &state, depth, may_capture);
  generate_return(g, state.count, state.values);
  generate_region_end(g, outer);
}

static void shapes_of(const state_t *state, tensor_shape_t *out_shapes) {
  for (int i = 0; i < state->count; i++) {
    out_shapes[i] = *generate_shape_of(state->values[i]);
  }
}

static void take_results(state_t *state, mlir_op_t *op) {
  for (int i = 0; i < state->count; i++) {
    state->values[i] = &op->results[i];
  }
}

static void generate_inner_if(generate_t *g, state_t *state, int depth,
                              bool may_capture) {
  tensor_shape_t shapes[CARRIED_MAX];
  shapes_of(state, shapes);
  mlir_value_t *flag = flag_of(g, state->values[generate_below(g, state->count)]);
  mlir_op_t *op = generate_op(g, "stablehlo.if", 1, &flag, state->count, shapes, 2);
  generate_branch(g, op, 0, *state, depth - 1, may_capture);
  generate_branch(g, op, 1, *state, depth - 1, may_capture);
  take_results(state, op);
}

// Counts to `trips`; the counter comes last.
static mlir_op_t *generate_loop(generate_t *g, const char *name, const state_t *state,
                                tensor_dtype_t dtype, int64_t trips, int depth,
                                bool may_capture) {
  const int count = state->count + 1;
  tensor_shape_t shapes[CARRIED_MAX + 1];
  mlir_value_t *start[CARRIED_MAX + 1];
  shapes_of(state, shapes);
  memcpy(start, state->values, sizeof(state->values));
  shapes[state->count] = generate_scalar_shape(dtype);
  start[state->count] = generate_constant_integer(g, dtype, 0);
  mlir_op_t *op = generate_op(g, name, count, start, count, shapes, 2);
  mlir_block_t *outer = generate_region(g, op, 0, count, shapes);
  mlir_value_t *sides[] = {g->block->arguments[state->count], NULL};
  sides[1] = generate_constant_integer(g, dtype, trips);
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  mlir_op_t *compare = generate_op(g, "stablehlo.compare", 2, sides, 1, &flag, 0);
  generate_enum(g, compare, "comparison_direction", "comparison_direction", "LT");
  mlir_value_t *result = &compare->results[0];
  generate_return(g, 1, &result);
  g->block = outer;
  generate_region(g, op, 1, count, shapes);
  state_t inside = {.count = state->count};
  memcpy(inside.values, g->block->arguments,
         (size_t)state->count * sizeof(inside.values[0]));
  mlir_value_t *step[] = {g->block->arguments[state->count], NULL};
  step[1] = generate_constant_integer(g, dtype, 1);
  generate_steps(g, &inside, depth, may_capture);
  mlir_value_t *results[CARRIED_MAX + 1];
  memcpy(results, inside.values, sizeof(inside.values));
  results[state->count] =
      &generate_op(g, "stablehlo.add", 2, step, 1, &shapes[state->count], 0)->results[0];
  generate_return(g, count, results);
  generate_region_end(g, outer);
  return op;
}

static void generate_steps(generate_t *g, state_t *state, int depth, bool may_capture) {
  static const char *const words[] = {"stablehlo.add", "stablehlo.subtract",
                                      "stablehlo.maximum", "stablehlo.minimum",
                                      "stablehlo.multiply"};
  static const char *const flags[] = {"stablehlo.and", "stablehlo.or", "stablehlo.xor"};
  for (int left = generate_below(g, STEPS_MAX); left > 0; left--) {
    const int kind = generate_below(g, 10);
    mlir_value_t **value = &state->values[generate_below(g, state->count)];
    const tensor_shape_t shape = *generate_shape_of(*value);
    if (kind == 0 && depth > 0) {
      generate_inner_if(g, state, depth, may_capture);
    } else if (kind == 1 && depth > 0) {
      take_results(state, generate_loop(g, "stablehlo.while", state, TENSOR_S32,
                                        generate_below(g, 3), depth - 1, may_capture));
    } else if (kind == 2) {  // What is carried changes places.
      mlir_value_t **other = &state->values[generate_below(g, state->count)];
      if (same_type(*value, *other)) {
        mlir_value_t *swapped = *value;
        *value = *other;
        *other = swapped;
      }
    } else if (kind == 3) {
      mlir_value_t *choice[] = {flag_of(g, *value), *value,
                                partner(g, state, *value, may_capture)};
      *value = &generate_op(g, "stablehlo.select", 3, choice, 1, &shape, 0)->results[0];
    } else {
      mlir_value_t *sides[] = {*value, partner(g, state, *value, may_capture)};
      const unsigned class = generate_class(shape.dtype);
      const char *name = class == GENERATE_PRED
                             ? generate_word(g, 3, flags)
                             : generate_word(g, class == GENERATE_COMPLEX ? 2 : 5, words);
      *value = &generate_op(g, name, 2, sides, 1, &shape, 0)->results[0];
    }
  }
}

// Some have one type, so that they can meet.
static state_t choose_state(generate_t *g) {
  state_t state = {.count = generate_between(g, 1, CARRIED_MAX)};
  for (int i = 0; i < state.count; i++) {
    if (i > 0 && generate_chance(g, 50)) {
      const tensor_shape_t shape = *generate_shape_of(state.values[i - 1]);
      state.values[i] = generate_operand(g, &shape, GENERATE_EXACT, GENERATE_SPECIALS);
    } else {
      state.values[i] =
          generate_any(g, GENERATE_ANY, 0, GENERATE_EXACT, GENERATE_SPECIALS);
    }
  }
  return state;
}

static void keep_all(generate_t *g, mlir_op_t *op, int count) {
  for (int i = 0; i < count; i++) {
    generate_keep(g, op, i, GENERATE_EXACT, 0);
  }
}

static void generate_while(generate_t *g, const char *name) {
  const state_t state = choose_state(g);
  const tensor_dtype_t dtype = generate_chance(g, 70) ? TENSOR_S32 : TENSOR_U8;
  mlir_op_t *op = generate_loop(g, name, &state, dtype, generate_below(g, TRIPS_MAX + 1),
                                DEPTH_MAX, true);
  keep_all(g, op, state.count + 1);
}

static void generate_if(generate_t *g, const char *name) {
  const state_t state = choose_state(g);
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  tensor_shape_t shapes[CARRIED_MAX];
  shapes_of(&state, shapes);
  mlir_value_t *predicate = generate_operand(g, &flag, GENERATE_BITS, GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 1, &predicate, state.count, shapes, 2);
  generate_branch(g, op, 0, state, DEPTH_MAX, true);
  generate_branch(g, op, 1, state, DEPTH_MAX, true);
  keep_all(g, op, state.count);
}

// What is no branch is the last one.
static void generate_case_row(generate_t *g, const char *name) {
  const state_t state = choose_state(g);
  const int branches = generate_between(g, 1, 4);
  const tensor_shape_t scalar = generate_scalar_shape(TENSOR_S32);
  tensor_shape_t shapes[CARRIED_MAX];
  shapes_of(&state, shapes);
  const int32_t near = generate_between(g, -1, branches);
  mlir_value_t *index =
      generate_chance(g, 60)
          ? generate_given(g, &scalar, &near)
          : generate_operand(g, &scalar, GENERATE_BITS, GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 1, &index, state.count, shapes, branches);
  for (int i = 0; i < branches; i++) {
    generate_branch(g, op, i, state, DEPTH_MAX, true);
  }
  keep_all(g, op, state.count);
}

// A loop over one dimension of some inputs, which carries some of the state; the rest is
// collected.
static void generate_scan(generate_t *g, const char *name) {
  const state_t state = choose_state(g);
  const int inputs = generate_between(g, 1, state.count);
  const int64_t length = generate_chance(g, 10) ? 0 : generate_between(g, 1, 5);
  int rank_min = GENERATE_RANK_MAX;
  for (int i = 0; i < inputs; i++) {
    const int rank = generate_shape_of(state.values[i])->rank;
    rank_min = rank < rank_min ? rank : rank_min;
  }
  const int dimension = generate_below(g, rank_min + 1);
  mlir_value_t *operands[CARRIED_MAX];
  tensor_shape_t slices[CARRIED_MAX], wholes[CARRIED_MAX];
  for (int i = 0; i < state.count; i++) {
    slices[i] = wholes[i] = *generate_shape_of(state.values[i]);
    operands[i] = state.values[i];
    if (i < inputs) {
      memmove(wholes[i].dims + dimension + 1, wholes[i].dims + dimension,
              (size_t)(wholes[i].rank - dimension) * sizeof(wholes[i].dims[0]));
      wholes[i].dims[dimension] = length;
      wholes[i].rank++;
      operands[i] = generate_operand(g, &wholes[i], GENERATE_EXACT, GENERATE_SPECIALS);
    }
  }
  mlir_op_t *op = generate_op(g, name, state.count, operands, state.count, wholes, 1);
  const int64_t segments[] = {inputs, state.count - inputs};
  generate_integer(g, op, "dimension", dimension);
  mlir_op_set_attr(g->module, op, "operandSegmentSizes",
                   mlir_attr_integer_array(g->module, TENSOR_S32, 2, segments));
  mlir_op_set_attr(g->module, op, "resultSegmentSizes",
                   mlir_attr_integer_array(g->module, TENSOR_S32, 2, segments));
  if (generate_chance(g, 40)) {
    generate_flag(g, op, "is_reverse", true);
  }
  mlir_block_t *outer = generate_region(g, op, 0, state.count, slices);
  state_t inside = {.count = state.count};
  memcpy(inside.values, g->block->arguments,
         (size_t)state.count * sizeof(inside.values[0]));
  generate_steps(g, &inside, 1, false);
  generate_return(g, inside.count, inside.values);
  generate_region_end(g, outer);
  keep_all(g, op, state.count);
}

// --- Functions ---

// A private function of the state's types.
static const char *generate_callee(generate_t *g, const state_t *state) {
  tensor_shape_t shapes[CARRIED_MAX];
  shapes_of(state, shapes);
  const generate_function_t function = generate_function_start(g, state->count, shapes);
  state_t inside = {.count = state->count};
  memcpy(inside.values, g->block->arguments,
         (size_t)state->count * sizeof(inside.values[0]));
  generate_steps(g, &inside, DEPTH_MAX, false);
  return generate_function_end(g, &function, inside.count, inside.values);
}

static void generate_call(generate_t *g, const char *name) {
  state_t state = choose_state(g);
  const char *callee = generate_callee(g, &state);
  const bool is_composite = strcmp(name, "stablehlo.composite") == 0;
  tensor_shape_t shapes[CARRIED_MAX];
  shapes_of(&state, shapes);
  for (int calls = generate_between(g, 1, 2); calls > 0; calls--) {
    mlir_op_t *op =
        generate_op(g, name, state.count, state.values, state.count, shapes, 0);
    mlir_op_set_attr(g->module, op, is_composite ? "decomposition" : "callee",
                     mlir_attr_symbol(g->module, callee));
    if (is_composite) {
      mlir_op_set_attr(g->module, op, "name", mlir_attr_string(g->module, "random.f"));
      if (generate_chance(g, 50)) {
        const mlir_named_attr_t attrs[] = {
            {mlir_intern(g->module, "axis"), mlir_attr_integer(g->module, 1, TENSOR_S64)},
            {mlir_intern(g->module, "kind"), mlir_attr_string(g->module, "\"f\\")}};
        mlir_op_set_attr(g->module, op, "composite_attributes",
                         mlir_attr_dictionary(g->module, 2, attrs));
        mlir_op_set_attr(g->module, op, "version",
                         mlir_attr_integer(g->module, 3, TENSOR_S32));
      }
    }
    keep_all(g, op, state.count);
    take_results(&state, op);
  }
}

// --- Collectives of one chip ---

// A group of one, named in one of the ways there are.
static void generate_group(generate_t *g, mlir_op_t *op, bool has_ids) {
  const int64_t dims[] = {1, 1}, zero = 0;
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, dims);
  mlir_op_set_attr(g->module, op, "replica_groups",
                   mlir_attr_dense(g->module, &shape, &zero, false));
  const int mode = generate_below(g, 3);
  if (mode > 0) {
    generate_body(g, op, "channel_handle", "channel_handle", "handle = 1, type = 1");
  }
  if (mode > 1 && has_ids) {
    mlir_op_set_attr(g->module, op, "use_global_device_ids", mlir_attr_unit(g->module));
  }
}

enum { COLLECTIVE_MAX = 3 };

// Values of a collective: of any shapes, but of one type where it reduces.
static int draw_values(generate_t *g, bool is_variadic, bool is_reduction,
                       mlir_value_t **out_values) {
  const int count = is_variadic ? generate_between(g, 1, COLLECTIVE_MAX) : 1;
  for (int i = 0; i < count; i++) {
    if (i > 0 && is_reduction) {
      const tensor_shape_t shape =
          generate_shape(g, generate_shape_of(out_values[0])->dtype, 1);
      out_values[i] = generate_operand(g, &shape, GENERATE_EXACT, GENERATE_SPECIALS);
    } else {
      out_values[i] = generate_any(g, GENERATE_ANY, 1, GENERATE_EXACT, GENERATE_SPECIALS);
    }
  }
  return count;
}

// What is given comes back, of a wider type perhaps.
static void generate_collective(generate_t *g, const char *name) {
  if (!g->is_alone) {
    return;
  }
  const bool is_reduction = strstr(name, "reduce") != NULL;
  const bool is_rooted = strstr(name, "collective_") != NULL;
  mlir_value_t *operands[COLLECTIVE_MAX + 1];
  const int count = draw_values(g, strcmp(name, "stablehlo.reduce_scatter") != 0,
                                is_reduction, operands);
  const tensor_dtype_t dtype = generate_shape_of(operands[0])->dtype;
  const tensor_dtype_t wide = is_reduction ? generate_promoted(g, dtype) : dtype;
  tensor_shape_t results[COLLECTIVE_MAX];
  int rank = TENSOR_RANK_MAX;
  for (int i = 0; i < count; i++) {
    results[i] = *generate_shape_of(operands[i]);
    results[i].dtype = is_reduction ? wide : results[i].dtype;
    rank = results[i].rank < rank ? results[i].rank : rank;
  }
  // The first of the group is the root of all, however that is said.
  const bool names_roots = is_rooted && generate_chance(g, 40);
  if (names_roots) {
    const int64_t roots[COLLECTIVE_MAX] = {0};
    operands[count] = generate_constant_integers(g, TENSOR_S32, count, roots);
  }
  mlir_op_t *op = generate_op(g, name, count + (names_roots ? 1 : 0), operands, count,
                              results, is_reduction ? 1 : 0);
  if (names_roots) {
    generate_flag(g, op, "has_dynamic_root", true);
  }
  const int dimension = generate_below(g, rank);
  generate_data_t data;
  generate_group(
      g, op, (is_reduction && !is_rooted) || strcmp(name, "stablehlo.all_gather") == 0);
  if (is_reduction) {
    generate_reducer(g, op, 0, wide, generate_reduction(g, dtype, &data));
  }
  if (strcmp(name, "stablehlo.all_gather") == 0) {
    generate_integer(g, op, "all_gather_dim", dimension);
  } else if (strcmp(name, "stablehlo.reduce_scatter") == 0) {
    generate_integer(g, op, "scatter_dimension", dimension);
  } else if (strcmp(name, "stablehlo.all_to_all") == 0) {
    generate_integer(g, op, "split_dimension", dimension);
    generate_integer(g, op, "concat_dimension", generate_below(g, rank));
    generate_integer(g, op, "split_count", 1);
  }
  for (int i = 0; i < count; i++) {
    if (wide == dtype) {
      generate_keep_as(g, op, i, operands[i]);
    } else {
      generate_keep(g, op, i, GENERATE_EXACT, 0);
    }
  }
}

// To itself, or from nobody.
static void generate_permute(generate_t *g, const char *name) {
  if (!g->is_alone) {
    return;
  }
  mlir_value_t *x = generate_any(g, GENERATE_ANY, 0, GENERATE_EXACT, GENERATE_SPECIALS);
  const tensor_shape_t shape = *generate_shape_of(x);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &shape, 0);
  const int64_t dims[] = {generate_chance(g, 80) ? 1 : 0, 2}, pairs[2] = {0};
  const tensor_shape_t list = tensor_shape_make(TENSOR_S64, 2, dims);
  mlir_op_set_attr(g->module, op, "source_target_pairs",
                   mlir_attr_dense(g->module, &list, pairs, false));
  if (generate_chance(g, 50)) {
    generate_body(g, op, "channel_handle", "channel_handle", "handle = 1, type = 1");
  }
  generate_keep_as(g, op, 0, x);
}

static void generate_id(generate_t *g, const char *name) {
  if (!g->is_alone) {
    return;
  }
  const tensor_shape_t shape = generate_scalar_shape(TENSOR_U32);
  generate_keep(g, generate_op(g, name, 0, NULL, 1, &shape, 0), 0, GENERATE_BITS, 0);
}

const generate_row_t generate_control_rows[] = {
    {"stablehlo.while", generate_while},
    {"stablehlo.if", generate_if},
    {"stablehlo.case", generate_case_row},
    {"chlo.scan", generate_scan},
    {"func.call", generate_call},
    {"stablehlo.composite", generate_call},
    {"stablehlo.all_gather", generate_collective},
    {"stablehlo.all_reduce", generate_collective},
    {"stablehlo.all_to_all", generate_collective},
    {"stablehlo.collective_broadcast", generate_collective},
    {"stablehlo.collective_permute", generate_permute},
    {"stablehlo.collective_reduce", generate_collective},
    {"stablehlo.partition_id", generate_id},
    {"stablehlo.reduce_scatter", generate_collective},
    {"stablehlo.replica_id", generate_id},
    {NULL, NULL},
};
