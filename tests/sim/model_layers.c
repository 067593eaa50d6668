// Layers as models have them, forward and some of them backward.

#include "common/base/check.h"
#include "tests/sim/model_parts.h"

enum { BATCH = 0, SEQUENCE = 1, WIDTH = 2 };

static const int only_0[] = {0}, only_2[] = {2}, first_two[] = {0, 1};
static const int first_three[] = {0, 1, 2};

static model_value_t relu(model_t *model, model_value_t a) {
  return model_with(model, "maximum", a, 0);
}

static model_value_t add_residual(model_t *model, model_value_t x, model_value_t y) {
  return model_wrap(model, model_binary(model, "add", x, model_wrap(model, y)));
}

// a / b rounded down, so that it stays exact.
static model_value_t quotient(model_t *model, model_value_t a, model_value_t b) {
  return model_unary(model, "floor", model_binary(model, "divide", a, b));
}

// ---- An optimizer: two moments of a parameter's gradient, and the step that they make.

static void update(model_t *model, model_value_t parameter, model_value_t gradient) {
  if (model->turns > 0) {
    return;  // Its parameter is a part of a stack.
  }
  const model_value_t g = model_constrain(model, model_wrap(model, gradient));
  const model_value_t first = model_parameter(model, parameter.type);
  const model_value_t moment = quotient(
      model, model_binary(model, "add", model_with(model, "multiply", first, 3), g),
      model_splat(model, g.type, 4));
  const model_value_t second = model_parameter(model, parameter.type);
  const model_value_t square = model_binary(model, "multiply", g, g);
  const model_value_t variance = quotient(
      model, model_binary(model, "add", model_with(model, "multiply", second, 3), square),
      model_splat(model, g.type, 4));
  const model_value_t scale =
      model_with(model, "add", model_with(model, "maximum", variance, 0), 1);
  const model_value_t step =
      quotient(model, model_with(model, "multiply", moment, 8), scale);
  const model_value_t stepped = model_binary(model, "subtract", parameter, step);
  model_return(model, &stepped);
  model_return(model, &moment);
  model_return(model, &variance);
}

// ---- MLP.

// The gradients of both weights and the bias, with y for the gradient of what it gives.
static void step_mlp(model_t *model, model_value_t x, model_value_t hidden,
                     model_value_t active, model_value_t y,
                     const model_value_t weights[3]) {
  update(model, weights[2], model_dot(model, active, y, "", "", "01", "01"));
  const model_value_t back =
      model_wrap(model, model_dot(model, y, weights[2], "", "", "2", "1"));
  const model_value_t zero = model_splat(model, back.type, 0);
  const model_value_t through =
      model_select(model, model_compare(model, "GT", hidden, zero), back, zero);
  update(model, weights[0], model_dot(model, x, through, "", "", "01", "01"));
  update(model, weights[1], model_reduce(model, "add", through, 3));
}

model_value_t model_mlp(model_t *model, model_value_t x) {
  const int64_t width = x.type.dims[WIDTH], inner = model_size(model);
  const model_value_t weights[] = {model_parameter(model, MODEL_F32(width, inner)),
                                   model_parameter(model, MODEL_F32(inner)),
                                   model_parameter(model, MODEL_F32(inner, width))};
  model_value_t hidden =
      model_wrap(model, model_dot(model, x, weights[0], "", "", "2", "0"));
  hidden = model_binary(model, "add", hidden,
                        model_broadcast(model, weights[1], hidden.type, only_2));
  model_value_t active = relu(model, hidden);
  if (model_chance(model, 30)) {  // A gate.
    const model_value_t gate = model_parameter(model, MODEL_F32(width, inner));
    active = model_wrap(
        model,
        model_binary(model, "multiply", active,
                     model_wrap(model, model_dot(model, x, gate, "", "", "2", "0"))));
  }
  active = model_constrain(model, active);
  const model_value_t y =
      model_wrap(model, model_dot(model, active, weights[2], "", "", "2", "0"));
  if (model->turns == 0 && model_chance(model, 40)) {
    step_mlp(model, x, hidden, active, y, weights);
  }
  return add_residual(model, x, y);
}

// ---- Normalization over the width.

model_value_t model_norm(model_t *model, model_value_t x) {
  const model_value_t gain = model_parameter(model, MODEL_F32(x.type.dims[WIDTH]));
  const model_value_t squares =
      model_reduce(model, "add", model_binary(model, "multiply", x, x), 1u << WIDTH);
  const model_value_t root = model_unary(
      model, "floor", model_unary(model, "sqrt", model_with(model, "add", squares, 1)));
  const model_value_t scaled = quotient(model, model_with(model, "multiply", x, 8),
                                        model_broadcast(model, root, x.type, first_two));
  return model_wrap(model, model_binary(model, "multiply", scaled,
                                        model_broadcast(model, gain, x.type, only_2)));
}

// ---- Attention.

// Batch, heads, from, to: what comes later than `from` is not looked at.
static model_value_t mask(model_t *model, model_value_t scores) {
  model_type_t square = {
      .dtype = "i32", .rank = 2, .dims = {scores.type.dims[2], scores.type.dims[3]}};
  const model_value_t allowed = model_compare(model, "GE", model_iota(model, square, 0),
                                              model_iota(model, square, 1));
  model_type_t whole = scores.type;
  static const int places[] = {2, 3};
  whole.dtype = "i1";
  return model_select(model, model_broadcast(model, allowed, whole, places), scores,
                      model_splat(model, scores.type, -9));
}

// 64 for each row, by powers of two.
static model_value_t softmax(model_t *model, model_value_t scores) {
  const model_value_t peak = model_reduce(model, "maximum", scores, 1u << 3);
  const model_value_t below = model_binary(
      model, "subtract", scores, model_broadcast(model, peak, scores.type, first_three));
  const model_value_t powers =
      model_binary(model, "power", model_splat(model, below.type, 2), below);
  const model_value_t sum = model_reduce(model, "add", powers, 1u << 3);
  return quotient(model, model_with(model, "multiply", powers, 64),
                  model_broadcast(model, sum, powers.type, first_three));
}

// Batch, sequence, heads, their width.
static model_value_t project(model_t *model, model_value_t x, int64_t heads,
                             int64_t width) {
  const model_value_t weight =
      model_parameter(model, MODEL_F32(x.type.dims[WIDTH], heads, width));
  return model_wrap(model, model_dot(model, x, weight, "", "", "2", "0"));
}

model_value_t model_attention(model_t *model, model_value_t x) {
  const int64_t heads = 1 + model_below(model, 4), width = model_size(model);
  const model_value_t query = project(model, x, heads, width);
  const model_value_t key = model_constrain(model, project(model, x, heads, width));
  const model_value_t value = project(model, x, heads, width);
  model_value_t scores =
      model_wrap(model, model_dot(model, query, key, "02", "02", "3", "3"));
  if (model_chance(model, 70)) {
    scores = mask(model, scores);
  }
  const model_value_t weights = model_constrain(model, softmax(model, scores));
  const model_value_t mixed =
      model_wrap(model, model_dot(model, weights, value, "01", "02", "3", "1"));
  static const int back[] = {0, 2, 1, 3};
  const model_value_t out = model_transpose(model, mixed, back);
  const model_value_t joined =
      model_parameter(model, MODEL_F32(heads, width, x.type.dims[WIDTH]));
  return add_residual(model, x, model_dot(model, out, joined, "", "", "23", "01"));
}

// ---- Mixture of experts.

// Tokens by experts, 1 where a token goes there (to more than one when they are equal).
static model_value_t route(model_t *model, model_value_t tokens, int64_t experts) {
  const model_value_t router =
      model_parameter(model, MODEL_F32(tokens.type.dims[1], experts));
  const model_value_t logits =
      model_wrap(model, model_dot(model, tokens, router, "", "", "1", "0"));
  const model_value_t peak = model_reduce(model, "maximum", logits, 2);
  const model_value_t chosen = model_compare(
      model, "EQ", logits, model_broadcast(model, peak, logits.type, only_0));
  return model_convert(model, chosen, "f32");
}

// All tokens by all experts, of which the chosen ones count.
static model_value_t mix_densely(model_t *model, model_value_t tokens,
                                 model_value_t chosen, model_value_t up,
                                 model_value_t down) {
  const model_value_t hidden =
      relu(model, model_wrap(model, model_dot(model, tokens, up, "", "", "1", "1")));
  const model_value_t each =  // Experts, tokens, width.
      model_wrap(model, model_dot(model, hidden, down, "1", "0", "2", "1"));
  static const int turned[] = {1, 0};
  const model_value_t weights = model_broadcast(
      model, model_transpose(model, chosen, turned), each.type, first_two);
  return model_reduce(model, "add", model_binary(model, "multiply", each, weights), 1);
}

// A place for a token with its expert, as long as there are some: tokens, experts,
// places.
static model_value_t places_of(model_t *model, model_value_t chosen, int64_t capacity) {
  const int64_t count = chosen.type.dims[0];
  const model_type_t square = {.dtype = "i32", .rank = 2, .dims = {count, count}};
  const model_value_t before =
      model_convert(model,
                    model_compare(model, "GE", model_iota(model, square, 0),
                                  model_iota(model, square, 1)),
                    "f32");
  const model_value_t rank = model_dot(model, before, chosen, "", "", "1", "0");
  const model_type_t type = MODEL_F32(count, chosen.type.dims[1], capacity);
  const model_value_t number = model_with(model, "add", model_iota(model, type, 2), 1);
  const model_value_t taken = model_convert(
      model,
      model_compare(model, "EQ", number, model_broadcast(model, rank, type, first_two)),
      "f32");
  return model_binary(model, "multiply", taken,
                      model_broadcast(model, chosen, type, first_two));
}

static model_value_t mix_by_places(model_t *model, model_value_t tokens,
                                   model_value_t chosen, model_value_t up,
                                   model_value_t down) {
  const model_value_t places =
      model_constrain(model, places_of(model, chosen, 1 + model_below(model, 4)));
  const model_value_t sent = model_constrain(  // Experts, places, width.
      model, model_dot(model, places, tokens, "", "", "0", "0"));
  const model_value_t hidden =
      relu(model, model_wrap(model, model_dot(model, sent, up, "0", "0", "2", "1")));
  const model_value_t each =
      model_wrap(model, model_dot(model, hidden, down, "0", "0", "2", "1"));
  return model_dot(model, places, each, "", "", "12", "01");
}

model_value_t model_experts(model_t *model, model_value_t x) {
  const int64_t width = x.type.dims[WIDTH], inner = model_size(model);
  const int64_t experts = 1 + model_size(model);
  const model_value_t tokens = model_constrain(
      model, model_reshape(model, x,
                           MODEL_F32(x.type.dims[BATCH] * x.type.dims[SEQUENCE], width)));
  const model_value_t chosen = route(model, tokens, experts);
  const model_value_t up = model_parameter(model, MODEL_F32(experts, width, inner));
  const model_value_t down = model_parameter(model, MODEL_F32(experts, inner, width));
  const model_value_t mixed = model_chance(model, 50)
                                  ? mix_densely(model, tokens, chosen, up, down)
                                  : mix_by_places(model, tokens, chosen, up, down);
  return add_residual(model, x, model_reshape(model, mixed, x.type));
}

// ---- Convolutions over the sequence.

typedef struct window_t {
  int64_t stride, low, high, spread, dilation;
} window_t;

static model_value_t convolve(model_t *model, model_value_t x, model_value_t kernel,
                              const char *numbers, const window_t *window, int64_t groups,
                              model_type_t type) {
  const model_value_t value = model_begin(model, type);
  const model_value_t operands[] = {x, kernel};
  pod_text_printf(
      &model->body,
      "stablehlo.convolution(%s, %s) dim_numbers = %s, window = {stride = [%lld], pad = "
      "[[%lld, %lld]], lhs_dilate = [%lld], rhs_dilate = [%lld]} {batch_group_count = 1 "
      ": i64, feature_group_count = %lld : i64}",
      x.name, kernel.name, numbers, (long long)window->stride, (long long)window->low,
      (long long)window->high, (long long)window->spread, (long long)window->dilation,
      (long long)groups);
  model_end(model, &value, 2, operands);
  return value;
}

// Half as long, and as long again by another one.
static model_value_t down_and_up(model_t *model, model_value_t x, int64_t taps) {
  const int64_t width = x.type.dims[WIDTH], length = x.type.dims[SEQUENCE];
  const window_t down = {2, 0, taps - 1, 1, 1};
  model_type_t half = x.type;
  half.dims[SEQUENCE] = (length - 1) / 2 + 1;
  const model_value_t first = model_parameter(model, MODEL_F32(taps, width, width));
  const model_value_t small = model_constrain(
      model, model_wrap(model, convolve(model, x, first, "[b, 0, f]x[0, i, o]->[b, 0, f]",
                                        &down, 1, half)));
  // Spread to 2 * half - 1 elements, of which, padded, as many windows are as wanted.
  const int64_t spread = 2 * half.dims[SEQUENCE] - 1;
  const window_t up = {1, taps - 1, length - spread, 2, 1};
  const model_value_t second = model_parameter(model, MODEL_F32(taps, width, width));
  return convolve(model, small, second, "[b, 0, f]x[0, i, o]->[b, 0, f]", &up, 1, x.type);
}

static model_value_t convolve_along(model_t *model, model_value_t x, int64_t taps) {
  const int64_t width = x.type.dims[WIDTH];
  const int64_t dilation = 1 + model_below(model, 2), reach = dilation * (taps - 1);
  const int64_t low = model_chance(model, 50) ? reach : reach / 2;  // Causal or not.
  const window_t window = {1, low, reach - low, 1, dilation};
  const bool is_by_channel = model_chance(model, 30);
  const model_value_t kernel =
      model_parameter(model, MODEL_F32(taps, is_by_channel ? 1 : width, width));
  const model_value_t y =
      model_wrap(model, convolve(model, x, kernel, "[b, 0, f]x[0, i, o]->[b, 0, f]",
                                 &window, is_by_channel ? width : 1, x.type));
  if (model->turns == 0 && !is_by_channel && model_chance(model, 40)) {
    const window_t over = {dilation, low, reach - low, 1, 1};
    update(
        model, kernel,
        convolve(model, x, y, "[f, 0, b]x[i, 0, o]->[0, b, f]", &over, 1, kernel.type));
  }
  return y;
}

model_value_t model_convolution(model_t *model, model_value_t x) {
  const int64_t taps = 1 + model_below(model, 3);
  return add_residual(model, x,
                      model_chance(model, 30) ? down_and_up(model, x, taps)
                                              : convolve_along(model, x, taps));
}

// ---- Embedding.

// Of the first element of each token, a row of a table of so many.
static model_value_t token_ids(model_t *model, model_value_t x, int64_t rows) {
  model_type_t one = x.type;
  one.dims[WIDTH] = 1;
  const model_value_t first = model_begin(model, one);
  pod_text_printf(&model->body, "stablehlo.slice %s [0:%lld, 0:%lld, 0:1]", x.name,
                  (long long)one.dims[BATCH], (long long)one.dims[SEQUENCE]);
  model_end(model, &first, 1, &x);
  const model_value_t ids = model_with(
      model, "remainder",
      model_with(model, "multiply", model_unary(model, "abs", first), 3), (int)rows);
  return model_convert(model, ids, "i32");
}

static model_value_t look_up(model_t *model, model_value_t table, model_value_t ids,
                             model_type_t type) {
  const model_value_t value = model_begin(model, type);
  const model_value_t operands[] = {table, ids};
  pod_text_printf(
      &model->body,
      "\"stablehlo.gather\"(%s, %s) <{dimension_numbers = #stablehlo.gather<offset_dims "
      "= [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, "
      "indices_are_sorted = false, slice_sizes = array<i64: 1, %lld>}>",
      table.name, ids.name, (long long)type.dims[WIDTH]);
  model_end(model, &value, 2, operands);
  return value;
}

static model_value_t add_at(model_t *model, model_value_t table, model_value_t ids,
                            model_value_t updates) {
  const model_value_t value = model_begin(model, table.type);
  const model_value_t operands[] = {table, ids, updates};
  pod_text_printf(
      &model->body,
      "\"stablehlo.scatter\"(%s, %s, %s) <{indices_are_sorted = false, "
      "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], "
      "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim "
      "= 2>, unique_indices = false}> ({\n"
      "    ^bb0(%%old: tensor<f32>, %%new: tensor<f32>):\n"
      "      %%sum = stablehlo.add %%old, %%new : tensor<f32>\n"
      "      stablehlo.return %%sum : tensor<f32>\n"
      "    })",
      table.name, ids.name, updates.name);
  model_end(model, &value, 3, operands);
  return value;
}

model_value_t model_embedding(model_t *model, model_value_t x) {
  const int64_t rows = 2 + model_size(model);
  const model_value_t table = model_parameter(model, MODEL_F32(rows, x.type.dims[WIDTH]));
  const model_value_t ids = token_ids(model, x, rows);
  const model_value_t found = model_constrain(model, look_up(model, table, ids, x.type));
  if (model->turns == 0 && model_chance(model, 60)) {
    update(model, table, add_at(model, model_splat(model, table.type, 0), ids, x));
  }
  return add_residual(model, x, found);
}
