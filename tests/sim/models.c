#include "tests/sim/models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/sim/model_parts.h"

static const char *const axis_names[MODEL_AXES_MAX] = {"x", "y", "z"};

int model_below(model_t *model, int bound) {
  return (int)pod_random_below(&model->random, (uint64_t)bound);
}

bool model_chance(model_t *model, int percent) {
  return model_below(model, 100) < percent;
}

int64_t model_size(model_t *model) {
  static const int64_t even[] = {2, 4, 4, 6, 8}, uneven[] = {1, 2, 3, 3, 4, 5, 5, 6, 7};
  return model->is_uneven ? uneven[model_below(model, (int)POD_COUNT_OF(uneven))]
                          : even[model_below(model, (int)POD_COUNT_OF(even))];
}

// ---- Types and shardings.

model_type_t model_type(const char *dtype, int rank, const int64_t *dims) {
  model_type_t type = {.dtype = dtype, .rank = rank};
  POD_CHECK(rank <= MODEL_RANK_MAX);
  memcpy(type.dims, dims, (size_t)rank * sizeof(dims[0]));
  return type;
}

void model_add_type(pod_text_t *text, const model_type_t *type) {
  pod_text_add(text, "tensor<");
  for (int d = 0; d < type->rank; d++) {
    pod_text_printf(text, "%lldx", (long long)type->dims[d]);
  }
  pod_text_printf(text, "%s>", type->dtype);
}

void model_add_sharding(model_t *model, pod_text_t *text, const model_type_t *type) {
  bool is_used[MODEL_AXES_MAX] = {false};
  pod_text_add(text, "@mesh, [");
  for (int d = 0; d < type->rank; d++) {
    int64_t left = type->dims[d];
    bool is_any = false;
    pod_text_add(text, d > 0 ? ", {" : "{");
    for (int tries = 0; tries < 2; tries++) {
      const int axis = model_below(model, model->axis_count);
      const int64_t size = model->axes[axis];
      const bool divides = left % size == 0;
      if (!is_used[axis] && (divides || (model->is_uneven && left > 1)) &&
          model_chance(model, 45)) {
        is_used[axis] = true;
        left /= divides ? size : 1;
        pod_text_printf(text, "%s\"%s\"", is_any ? ", " : "", axis_names[axis]);
        is_any = true;
      }
    }
    pod_text_add(text, model_chance(model, 25) ? (is_any ? ", ?}" : "?}") : "}");
  }
  pod_text_add(text, "]");
}

// ---- Values.

static model_value_t new_value(model_t *model, model_type_t type) {
  model_value_t value = {.type = type};
  snprintf(value.name, sizeof(value.name), "%%v%d", model->value_count++);
  return value;
}

model_value_t model_begin(model_t *model, model_type_t type) {
  const model_value_t value = new_value(model, type);
  pod_text_printf(&model->body, "    %s = ", value.name);
  return value;
}

void model_end(model_t *model, const model_value_t *result, int operand_count,
               const model_value_t *operands) {
  pod_text_add(&model->body, " : (");
  for (int i = 0; i < operand_count; i++) {
    pod_text_add(&model->body, i > 0 ? ", " : "");
    model_add_type(&model->body, &operands[i].type);
  }
  pod_text_add(&model->body, ") -> ");
  model_add_type(&model->body, &result->type);
  pod_text_add(&model->body, "\n");
}

static model_value_t end_simple(model_t *model, model_value_t value) {
  pod_text_add(&model->body, " : ");
  model_add_type(&model->body, &value.type);
  pod_text_add(&model->body, "\n");
  return value;
}

static model_value_t argument(model_t *model, model_type_t type) {
  model_value_t value = {.type = type};
  POD_CHECK(!model->is_manual);
  snprintf(value.name, sizeof(value.name), "%%arg%d", model->argument_count);
  pod_text_printf(&model->arguments, "%s%s: ", model->argument_count > 0 ? ", " : "",
                  value.name);
  model->argument_count++;
  model_add_type(&model->arguments, &type);
  if (model_chance(model, 70)) {
    pod_text_add(&model->arguments, " {sdy.sharding = #sdy.sharding<");
    model_add_sharding(model, &model->arguments, &type);
    pod_text_add(&model->arguments, ">}");
  }
  return value;
}

// The turn's part of what is stacked.
static model_value_t part_of_turn(model_t *model, model_value_t stack,
                                  model_type_t type) {
  model_type_t one = stack.type;
  one.dims[0] = 1;
  const model_type_t index = {.dtype = "i32"};
  const model_value_t zero = model_splat(model, index, 0);
  const model_value_t part = model_begin(model, one);
  model_value_t operands[1 + MODEL_RANK_MAX] = {stack, model->turn};
  pod_text_printf(&model->body, "stablehlo.dynamic_slice %s, %s", stack.name,
                  model->turn.name);
  for (int d = 1; d < one.rank; d++) {
    operands[1 + d] = zero;
    pod_text_printf(&model->body, ", %s", zero.name);
  }
  pod_text_add(&model->body, ", sizes = [1");
  for (int d = 1; d < one.rank; d++) {
    pod_text_printf(&model->body, ", %lld", (long long)one.dims[d]);
  }
  pod_text_add(&model->body, "]");
  model_end(model, &part, 1 + one.rank, operands);
  return model_reshape(model, part, type);
}

model_value_t model_parameter(model_t *model, model_type_t type) {
  if (model->turns == 0) {
    return argument(model, type);
  }
  model_type_t stacked = type;
  POD_CHECK(type.rank < MODEL_RANK_MAX);
  memmove(stacked.dims + 1, type.dims, (size_t)type.rank * sizeof(type.dims[0]));
  stacked.dims[0] = model->turns;
  stacked.rank++;
  return part_of_turn(model, argument(model, stacked), type);
}

void model_return(model_t *model, const model_value_t *value) {
  if (model->result_count < MODEL_RESULTS_MAX) {
    model->results[model->result_count++] = *value;
  }
}

model_value_t model_splat(model_t *model, model_type_t type, int value) {
  const bool is_whole = type.dtype[0] != 'f';
  const model_value_t splat = model_begin(model, type);
  pod_text_printf(&model->body, "stablehlo.constant dense<%d%s>", value,
                  is_whole ? "" : ".0");
  return end_simple(model, splat);
}

model_value_t model_binary(model_t *model, const char *name, model_value_t a,
                           model_value_t b) {
  const model_value_t value = model_begin(model, a.type);
  pod_text_printf(&model->body, "stablehlo.%s %s, %s", name, a.name, b.name);
  return end_simple(model, value);
}

model_value_t model_with(model_t *model, const char *name, model_value_t a, int value) {
  return model_binary(model, name, a, model_splat(model, a.type, value));
}

model_value_t model_unary(model_t *model, const char *name, model_value_t a) {
  const model_value_t value = model_begin(model, a.type);
  pod_text_printf(&model->body, "stablehlo.%s %s", name, a.name);
  return end_simple(model, value);
}

model_value_t model_convert(model_t *model, model_value_t a, const char *dtype) {
  model_type_t type = a.type;
  type.dtype = dtype;
  const model_value_t value = model_begin(model, type);
  pod_text_printf(&model->body, "stablehlo.convert %s", a.name);
  model_end(model, &value, 1, &a);
  return value;
}

model_value_t model_compare(model_t *model, const char *direction, model_value_t a,
                            model_value_t b) {
  model_type_t type = a.type;
  type.dtype = "i1";
  const model_value_t value = model_begin(model, type);
  const model_value_t operands[] = {a, b};
  pod_text_printf(&model->body, "stablehlo.compare %s, %s, %s", direction, a.name,
                  b.name);
  model_end(model, &value, 2, operands);
  return value;
}

model_value_t model_select(model_t *model, model_value_t chosen, model_value_t a,
                           model_value_t b) {
  const model_value_t value = model_begin(model, a.type);
  pod_text_printf(&model->body, "stablehlo.select %s, %s, %s : ", chosen.name, a.name,
                  b.name);
  model_add_type(&model->body, &chosen.type);
  pod_text_add(&model->body, ", ");
  model_add_type(&model->body, &a.type);
  pod_text_add(&model->body, "\n");
  return value;
}

model_value_t model_iota(model_t *model, model_type_t type, int dim) {
  const model_value_t value = model_begin(model, type);
  pod_text_printf(&model->body, "stablehlo.iota dim = %d", dim);
  return end_simple(model, value);
}

model_value_t model_reshape(model_t *model, model_value_t a, model_type_t type) {
  const model_value_t value = model_begin(model, type);
  pod_text_printf(&model->body, "stablehlo.reshape %s", a.name);
  model_end(model, &value, 1, &a);
  return value;
}

static void add_list(pod_text_t *text, int count, const int *values) {
  pod_text_add(text, "[");
  for (int i = 0; i < count; i++) {
    pod_text_printf(text, "%s%d", i > 0 ? ", " : "", values[i]);
  }
  pod_text_add(text, "]");
}

model_value_t model_transpose(model_t *model, model_value_t a, const int *permutation) {
  model_type_t type = a.type;
  for (int d = 0; d < type.rank; d++) {
    type.dims[d] = a.type.dims[permutation[d]];
  }
  const model_value_t value = model_begin(model, type);
  pod_text_printf(&model->body, "stablehlo.transpose %s, dims = ", a.name);
  add_list(&model->body, type.rank, permutation);
  model_end(model, &value, 1, &a);
  return value;
}

model_value_t model_broadcast(model_t *model, model_value_t a, model_type_t type,
                              const int *places) {
  const model_value_t value = model_begin(model, type);
  pod_text_printf(&model->body, "stablehlo.broadcast_in_dim %s, dims = ", a.name);
  add_list(&model->body, a.type.rank, places);
  model_end(model, &value, 1, &a);
  return value;
}

model_value_t model_reduce(model_t *model, const char *name, model_value_t a,
                           unsigned dims) {
  model_type_t type = {.dtype = a.type.dtype};
  int reduced[MODEL_RANK_MAX], count = 0;
  for (int d = 0; d < a.type.rank; d++) {
    if ((dims & 1u << d) != 0) {
      reduced[count++] = d;
    } else {
      type.dims[type.rank++] = a.type.dims[d];
    }
  }
  const model_type_t scalar = {.dtype = a.type.dtype};
  const model_value_t init =
      model_splat(model, scalar, strcmp(name, "add") == 0 ? 0 : -1000);
  const model_value_t value = model_begin(model, type);
  const model_value_t operands[] = {a, init};
  pod_text_printf(&model->body,
                  "stablehlo.reduce(%s init: %s) applies stablehlo.%s across "
                  "dimensions = ",
                  a.name, init.name, name);
  add_list(&model->body, count, reduced);
  model_end(model, &value, 2, operands);
  return value;
}

static void add_digits(pod_text_t *text, const char *digits) {
  pod_text_add(text, "[");
  for (const char *at = digits; *at != '\0'; at++) {
    pod_text_printf(text, "%s%c", at > digits ? ", " : "", *at);
  }
  pod_text_add(text, "]");
}

static bool has_digit(const char *digits, int d) {
  return strchr(digits, '0' + d) != NULL;
}

model_value_t model_dot(model_t *model, model_value_t a, model_value_t b,
                        const char *a_batching, const char *b_batching,
                        const char *a_contracting, const char *b_contracting) {
  model_type_t type = {.dtype = a.type.dtype};
  for (const char *at = a_batching; *at != '\0'; at++) {
    type.dims[type.rank++] = a.type.dims[*at - '0'];
  }
  for (int d = 0; d < a.type.rank; d++) {
    if (!has_digit(a_batching, d) && !has_digit(a_contracting, d)) {
      type.dims[type.rank++] = a.type.dims[d];
    }
  }
  for (int d = 0; d < b.type.rank; d++) {
    if (!has_digit(b_batching, d) && !has_digit(b_contracting, d)) {
      type.dims[type.rank++] = b.type.dims[d];
    }
  }
  POD_CHECK(type.rank <= MODEL_RANK_MAX);
  const model_value_t value = model_begin(model, type);
  const model_value_t operands[] = {a, b};
  pod_text_printf(&model->body, "stablehlo.dot_general %s, %s, ", a.name, b.name);
  if (a_batching[0] != '\0') {
    pod_text_add(&model->body, "batching_dims = ");
    add_digits(&model->body, a_batching);
    pod_text_add(&model->body, " x ");
    add_digits(&model->body, b_batching);
    pod_text_add(&model->body, ", ");
  }
  pod_text_add(&model->body, "contracting_dims = ");
  add_digits(&model->body, a_contracting);
  pod_text_add(&model->body, " x ");
  add_digits(&model->body, b_contracting);
  model_end(model, &value, 2, operands);
  return value;
}

model_value_t model_wrap(model_t *model, model_value_t a) {
  return model_with(model, "remainder", a, 7);
}

model_value_t model_constrain(model_t *model, model_value_t a) {
  const int kind = model_below(model, 10);
  if (kind > 3 || model->is_manual) {
    return a;
  }
  const model_value_t value = model_begin(model, a.type);
  if (kind == 0) {
    pod_text_printf(&model->body, "stablehlo.optimization_barrier %s", a.name);
  } else {
    pod_text_printf(&model->body, "sdy.%s %s <",
                    kind == 1 ? "reshard" : "sharding_constraint", a.name);
    model_add_sharding(model, &model->body, &a.type);
    pod_text_add(&model->body, ">");
  }
  return end_simple(model, value);
}

// ---- The module.

static void pick_mesh(model_t *model) {
  static const int64_t meshes[][MODEL_AXES_MAX] = {{2},    {4},    {2, 2},   {2, 4},
                                                   {3, 2}, {4, 2}, {2, 2, 2}};
  const int64_t *sizes = meshes[model_below(model, (int)POD_COUNT_OF(meshes))];
  for (int i = 0; i < MODEL_AXES_MAX && sizes[i] != 0; i++) {
    model->axes[model->axis_count++] = sizes[i];
  }
}

static void append_layers(model_t *model) {
  static const model_layer_t layers[] = {
      model_mlp,       model_mlp,     model_norm,        model_attention,
      model_attention, model_experts, model_convolution, model_embedding,
      model_scan,      model_manual,  model_manual};
  model_value_t x = argument(
      model,
      MODEL_F32(1 + model_below(model, 4), 1 + model_size(model), 1 + model_size(model)));
  const int count = 1 + model_below(model, 4);
  for (int i = 0; i < count; i++) {
    x = model_constrain(model,
                        layers[model_below(model, (int)POD_COUNT_OF(layers))](model, x));
  }
  model_return(model, &x);
  const model_value_t loss = model_wrap(model, model_reduce(model, "add", x, 7));
  model_return(model, &loss);
}

static void add_results(model_t *model, pod_text_t *text) {
  pod_text_add(text, ") -> (");
  for (int i = 0; i < model->result_count; i++) {
    const model_type_t *type = &model->results[i].type;
    pod_text_add(text, i > 0 ? ", " : "");
    model_add_type(text, type);
    if (type->rank > 0 && model_chance(model, 60)) {
      pod_text_add(text, " {sdy.sharding = #sdy.sharding<");
      model_add_sharding(model, text, type);
      pod_text_add(text, ">}");
    }
  }
  pod_text_add(text, ") {\n");
}

static void add_return(const model_t *model, pod_text_t *text) {
  pod_text_add(text, "    return ");
  for (int i = 0; i < model->result_count; i++) {
    pod_text_printf(text, "%s%s", i > 0 ? ", " : "", model->results[i].name);
  }
  pod_text_add(text, " : ");
  for (int i = 0; i < model->result_count; i++) {
    pod_text_add(text, i > 0 ? ", " : "");
    model_add_type(text, &model->results[i].type);
  }
  pod_text_add(text, "\n  }\n}\n");
}

char *model_text(uint64_t seed, int64_t *out_device_count) {
  model_t model = {.random = {.state = seed}};
  pick_mesh(&model);
  model.is_uneven = model_chance(&model, 60);
  append_layers(&model);
  pod_text_t text = {0};
  *out_device_count = 1;
  pod_text_add(&text, "module @model {\n  sdy.mesh @mesh = <[");
  for (int i = 0; i < model.axis_count; i++) {
    *out_device_count *= model.axes[i];
    pod_text_printf(&text, "%s\"%s\"=%lld", i > 0 ? ", " : "", axis_names[i],
                    (long long)model.axes[i]);
  }
  pod_text_printf(&text, "]>\n  func.func public @main(%s", model.arguments.bytes);
  add_results(&model, &text);
  pod_text_add(&text, model.body.bytes);
  add_return(&model, &text);
  pod_text_deinit(&model.arguments);
  pod_text_deinit(&model.body);
  return pod_text_take(&text);
}
