// Layers with bodies: a scan, and a computation that is manual over some axes.

#include <string.h>

#include "common/base/check.h"
#include "tests/sim/model_parts.h"

static const char *const axis_names[MODEL_AXES_MAX] = {"x", "y", "z"};

// ---- Scan: a layer turned with stacked parameters, what each turn gives kept.

// "    stablehlo.return a, b : types"
static void end_body(model_t *model, const char *name, int count,
                     const model_value_t *values) {
  pod_text_printf(&model->body, "    %s ", name);
  for (int i = 0; i < count; i++) {
    pod_text_printf(&model->body, "%s%s", i > 0 ? ", " : "", values[i].name);
  }
  pod_text_add(&model->body, " : ");
  for (int i = 0; i < count; i++) {
    pod_text_add(&model->body, i > 0 ? ", " : "");
    model_add_type(&model->body, &values[i].type);
  }
  pod_text_add(&model->body, "\n");
}

static model_value_t named(model_t *model, const char *kind, model_type_t type) {
  model_value_t value = {.type = type};
  snprintf(value.name, sizeof(value.name), "%%%s%d", kind, model->value_count++);
  return value;
}

// With the turn's values put into those of all turns.
static model_value_t keep_turn(model_t *model, model_value_t all, model_value_t one) {
  model_type_t row = all.type;
  row.dims[0] = 1;
  const model_value_t put = model_reshape(model, one, row);
  const model_value_t zero = model_splat(model, (model_type_t){.dtype = "i32"}, 0);
  const model_value_t value = model_begin(model, all.type);
  const model_value_t operands[] = {all, put, model->turn, zero, zero, zero};
  pod_text_printf(&model->body, "stablehlo.dynamic_update_slice %s, %s, %s, %s, %s, %s",
                  all.name, put.name, model->turn.name, zero.name, zero.name, zero.name);
  model_end(model, &value, 6, operands);
  return value;
}

static void write_turns(model_t *model, const model_value_t *carried, int64_t turns) {
  static const model_layer_t layers[] = {model_mlp, model_norm, model_attention,
                                         model_experts, model_convolution};
  pod_text_add(&model->body, "     cond {\n");
  const model_value_t limit = model_splat(model, carried[0].type, (int)turns);
  const model_value_t more = model_compare(model, "LT", carried[0], limit);
  end_body(model, "stablehlo.return", 1, &more);
  pod_text_add(&model->body, "     } do {\n");
  model->turns = turns;
  model->turn = carried[0];
  model_value_t x = carried[1];
  const int count = 1 + model_below(model, 2);
  for (int i = 0; i < count; i++) {
    x = layers[model_below(model, (int)POD_COUNT_OF(layers))](model, x);
  }
  x = model_constrain(model, x);
  const model_value_t next[] = {model_with(model, "add", carried[0], 1), x,
                                keep_turn(model, carried[2], carried[1])};
  model->turns = 0;
  end_body(model, "stablehlo.return", 3, next);
  pod_text_add(&model->body, "    }\n");
}

model_value_t model_scan(model_t *model, model_value_t x) {
  const int64_t turns = 2 + model_below(model, 3);
  const model_type_t all =
      MODEL_F32(turns, x.type.dims[0], x.type.dims[1], x.type.dims[2]);
  const model_type_t counter = {.dtype = "i32"};
  const model_value_t from[] = {model_splat(model, counter, 0), x,
                                model_splat(model, all, 0)};
  const model_value_t carried[] = {named(model, "i", counter), named(model, "x", x.type),
                                   named(model, "ys", all)};
  const model_value_t scan = named(model, "scan", x.type);
  pod_text_printf(&model->body,
                  "    %s:3 = stablehlo.while(%s = %s, %s = %s, %s = %s) : ", scan.name,
                  carried[0].name, from[0].name, carried[1].name, from[1].name,
                  carried[2].name, from[2].name);
  for (int i = 0; i < 3; i++) {
    pod_text_add(&model->body, i > 0 ? ", " : "");
    model_add_type(&model->body, &carried[i].type);
  }
  pod_text_add(&model->body, "\n");
  write_turns(model, carried, turns);
  model_value_t results[2] = {{.type = x.type}, {.type = all}};
  for (int i = 0; i < 2; i++) {
    snprintf(results[i].name, sizeof(results[i].name), "%.12s#%d", scan.name, i + 1);
  }
  model_return(model, &results[1]);
  return results[0];
}

// ---- Manual over some axes: an MLP as shard_map writes it, each device with a part of
// the inner dimension along one of them, perhaps of the batch along another.

typedef struct manual_t {
  bool is_manual[MODEL_AXES_MAX];
  int axis;        // Which cuts the weights.
  int batch_axis;  // Which cuts the batch; -1: none.
} manual_t;

static int64_t stride_of(const model_t *model, int axis) {
  int64_t stride = 1;
  for (int i = axis + 1; i < model->axis_count; i++) {
    stride *= model->axes[i];
  }
  return stride;
}

static void add_axes(model_t *model, const bool *has, bool what) {
  bool is_any = false;
  pod_text_add(&model->body, "manual_axes={");
  for (int i = 0; i < model->axis_count; i++) {
    if (has[i] == what) {
      pod_text_printf(&model->body, "%s\"%s\"", is_any ? ", " : "", axis_names[i]);
      is_any = true;
    }
  }
  pod_text_add(&model->body, "}");
}

static model_value_t place_along(model_t *model, int axis) {
  const model_type_t type = {.dtype = "ui32"};
  const model_value_t id = model_begin(model, type);
  pod_text_add(&model->body, "stablehlo.partition_id : tensor<ui32>\n");
  return model_with(model, "remainder",
                    model_with(model, "divide", id, (int)stride_of(model, axis)),
                    (int)model->axes[axis]);
}

// Where this device is along the axis. JAX asks for it in another computation, which is
// manual over the axes left.
static model_value_t axis_index(model_t *model, const manual_t *manual) {
  bool is_whole = true;
  for (int i = 0; i < model->axis_count; i++) {
    is_whole = is_whole && manual->is_manual[i];
  }
  if (is_whole) {
    return model_convert(model, place_along(model, manual->axis), "f32");
  }
  const model_type_t type = {.dtype = "ui32"};
  const model_value_t index = model_begin(model, type);
  pod_text_add(&model->body,
               "sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] ");
  add_axes(model, manual->is_manual, false);
  pod_text_add(&model->body, " () {\n");
  const model_value_t place = place_along(model, manual->axis);
  end_body(model, "sdy.return", 1, &place);
  pod_text_add(&model->body, "    }");
  model_end(model, &index, 0, NULL);
  return model_convert(model, index, "f32");
}

static void add_groups(model_t *model, int axis) {
  const int64_t size = model->axes[axis], stride = stride_of(model, axis);
  int64_t devices = stride_of(model, -1), count = 0;
  pod_text_add(&model->body, "dense<[");
  for (int64_t first = 0; first < devices; first++) {
    if (first / stride % size != 0) {
      continue;
    }
    pod_text_add(&model->body, count++ > 0 ? ", [" : "[");
    for (int64_t i = 0; i < size; i++) {
      pod_text_printf(&model->body, "%s%lld", i > 0 ? ", " : "",
                      (long long)(first + i * stride));
    }
    pod_text_add(&model->body, "]");
  }
  pod_text_printf(&model->body, "]> : tensor<%lldx%lldxi64>", (long long)count,
                  (long long)size);
}

static model_value_t sum_along(model_t *model, int axis, model_value_t a) {
  const model_value_t sum = model_begin(model, a.type);
  pod_text_printf(&model->body,
                  "\"stablehlo.all_reduce\"(%s) <{channel_handle = "
                  "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = ",
                  a.name);
  add_groups(model, axis);
  pod_text_add(&model->body,
               ", use_global_device_ids}> ({\n"
               "    ^bb0(%old: tensor<f32>, %new: tensor<f32>):\n"
               "      %sum = stablehlo.add %old, %new : tensor<f32>\n"
               "      stablehlo.return %sum : tensor<f32>\n"
               "    })");
  model_end(model, &sum, 1, &a);
  return sum;
}

static manual_t pick_manual(model_t *model, const model_value_t *x) {
  manual_t manual = {.axis = model_below(model, model->axis_count), .batch_axis = -1};
  for (int i = 0; i < model->axis_count; i++) {
    manual.is_manual[i] = i == manual.axis || model_chance(model, 40);
    if (i != manual.axis && manual.is_manual[i] &&
        x->type.dims[0] % model->axes[i] == 0 && model_chance(model, 70)) {
      manual.batch_axis = i;
    }
  }
  return manual;
}

// "<@mesh, [{"x"}, {?}, {}]>" of x and of what the body gives.
static void add_batch_sharding(model_t *model, const manual_t *manual) {
  pod_text_add(&model->body, "<@mesh, [{");
  if (manual->batch_axis >= 0) {
    pod_text_printf(&model->body, "\"%s\"", axis_names[manual->batch_axis]);
  }
  pod_text_add(&model->body,
               manual->batch_axis >= 0 ? ", ?}, {?}, {?}]>" : "?}, {?}, {?}]>");
}

static void add_shardings(model_t *model, const manual_t *manual) {
  const char *axis = axis_names[manual->axis];
  pod_text_add(&model->body, "in_shardings=[");
  add_batch_sharding(model, manual);
  pod_text_printf(&model->body,
                  ", <@mesh, [{?}, {\"%s\", ?}]>, <@mesh, [{\"%s\", ?}, {?}]>] "
                  "out_shardings=[",
                  axis, axis);
  add_batch_sharding(model, manual);
  pod_text_add(&model->body, "] ");
  add_axes(model, manual->is_manual, true);
}

static void write_manual_body(model_t *model, const manual_t *manual,
                              const model_value_t *parts) {
  const model_value_t index = axis_index(model, manual);
  model_value_t hidden =
      model_wrap(model, model_dot(model, parts[0], parts[1], "", "", "2", "0"));
  hidden = model_binary(model, "add", hidden,
                        model_broadcast(model, index, hidden.type, NULL));
  hidden = model_with(model, "maximum", hidden, 0);
  const model_value_t y =
      model_wrap(model, model_dot(model, hidden, parts[2], "", "", "2", "0"));
  const model_value_t sum = model_wrap(model, sum_along(model, manual->axis, y));
  const model_value_t out = model_wrap(model, model_binary(model, "add", parts[0], sum));
  end_body(model, "sdy.return", 1, &out);
}

model_value_t model_manual(model_t *model, model_value_t x) {
  const manual_t manual = pick_manual(model, &x);
  const int64_t parts_count = model->axes[manual.axis], width = x.type.dims[2];
  const int64_t inner = 1 + model_below(model, 3);
  const model_value_t operands[] = {
      x, model_parameter(model, MODEL_F32(width, inner * parts_count)),
      model_parameter(model, MODEL_F32(inner * parts_count, width))};
  model_type_t local = x.type;
  local.dims[0] /= manual.batch_axis >= 0 ? model->axes[manual.batch_axis] : 1;
  const model_value_t parts[] = {named(model, "x", local),
                                 named(model, "up", MODEL_F32(width, inner)),
                                 named(model, "down", MODEL_F32(inner, width))};
  const model_value_t result = model_begin(model, x.type);
  pod_text_printf(&model->body, "sdy.manual_computation(%s, %s, %s) ", operands[0].name,
                  operands[1].name, operands[2].name);
  add_shardings(model, &manual);
  pod_text_add(&model->body, " (");
  for (int i = 0; i < 3; i++) {
    pod_text_printf(&model->body, "%s%s: ", i > 0 ? ", " : "", parts[i].name);
    model_add_type(&model->body, &parts[i].type);
  }
  pod_text_add(&model->body, ") {\n");
  const bool was_manual = model->is_manual;
  model->is_manual = true;
  write_manual_body(model, &manual, parts);
  model->is_manual = was_manual;
  pod_text_add(&model->body, "    }");
  model_end(model, &result, 3, operands);
  return result;
}
