// What the files of the models share: the text of a module, value by value. Private to
// them.

#ifndef TESTS_SIM_MODEL_PARTS_H_
#define TESTS_SIM_MODEL_PARTS_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/random.h"
#include "common/base/text.h"

enum { MODEL_RANK_MAX = 5, MODEL_AXES_MAX = 3, MODEL_RESULTS_MAX = 40 };

typedef struct model_type_t {
  const char *dtype;
  int rank;
  int64_t dims[MODEL_RANK_MAX];
} model_type_t;

typedef struct model_value_t {
  model_type_t type;
  char name[16];
} model_value_t;

typedef struct model_t {
  pod_random_t random;
  pod_text_t arguments, body;
  int argument_count, value_count, result_count;
  model_value_t results[MODEL_RESULTS_MAX];
  int axis_count;
  int64_t axes[MODEL_AXES_MAX];  // Their sizes.
  bool is_uneven;                // Axes need not divide what they shard.
  bool is_manual;                // Within a manual computation: no shardings, arguments.
  int64_t turns;                 // Of the scan around; 0: there is none.
  model_value_t turn;            // Its counter, s32.
} model_t;

// ---- models.c: values.

int model_below(model_t *model, int bound);
bool model_chance(model_t *model, int percent);
// A size of a dimension.
int64_t model_size(model_t *model);

model_type_t model_type(const char *dtype, int rank, const int64_t *dims);
#define MODEL_F32(...) \
  model_type("f32", sizeof((int64_t[]){__VA_ARGS__}) / 8, (int64_t[]){__VA_ARGS__})
void model_add_type(pod_text_t *text, const model_type_t *type);
// "@mesh, [{"x"}, {?}]": axes drawn at random for the dimensions.
void model_add_sharding(model_t *model, pod_text_t *text, const model_type_t *type);

// An argument of @main; under a scan the turn's part of one that has a dimension more.
model_value_t model_parameter(model_t *model, model_type_t type);
void model_return(model_t *model, const model_value_t *value);

// Opens a line: "%v7 = ", for what the caller prints to model->body; and a value's name.
model_value_t model_begin(model_t *model, model_type_t type);
// Ends it: " : (operands) -> result".
void model_end(model_t *model, const model_value_t *result, int operand_count,
               const model_value_t *operands);

model_value_t model_splat(model_t *model, model_type_t type, int value);
model_value_t model_binary(model_t *model, const char *name, model_value_t a,
                           model_value_t b);
// With a number in the place of the second.
model_value_t model_with(model_t *model, const char *name, model_value_t a, int value);
model_value_t model_unary(model_t *model, const char *name, model_value_t a);
model_value_t model_convert(model_t *model, model_value_t a, const char *dtype);
model_value_t model_compare(model_t *model, const char *direction, model_value_t a,
                            model_value_t b);
model_value_t model_select(model_t *model, model_value_t chosen, model_value_t a,
                           model_value_t b);
model_value_t model_iota(model_t *model, model_type_t type, int dim);
model_value_t model_reshape(model_t *model, model_value_t a, model_type_t type);
model_value_t model_transpose(model_t *model, model_value_t a, const int *permutation);
// Dimension d of `a` is dimension places[d] of the result.
model_value_t model_broadcast(model_t *model, model_value_t a, model_type_t type,
                              const int *places);
// "add" or "maximum", over dimensions whose bit is set.
model_value_t model_reduce(model_t *model, const char *name, model_value_t a,
                           unsigned dims);
// Lists of dimensions as digits: "02".
model_value_t model_dot(model_t *model, model_value_t a, model_value_t b,
                        const char *a_batching, const char *b_batching,
                        const char *a_contracting, const char *b_contracting);
// The remainder by 7, so that numbers stay small.
model_value_t model_wrap(model_t *model, model_value_t a);
// Sometimes with a constraint of its sharding, a reshard or a barrier.
model_value_t model_constrain(model_t *model, model_value_t a);

// ---- model_layers.c: of x, batch by sequence by width, another one of its shape.

typedef model_value_t (*model_layer_t)(model_t *model, model_value_t x);

model_value_t model_mlp(model_t *model, model_value_t x);
model_value_t model_norm(model_t *model, model_value_t x);
model_value_t model_attention(model_t *model, model_value_t x);
model_value_t model_experts(model_t *model, model_value_t x);
model_value_t model_convolution(model_t *model, model_value_t x);
model_value_t model_embedding(model_t *model, model_value_t x);

// ---- model_control.c: what has a body.

model_value_t model_scan(model_t *model, model_value_t x);
model_value_t model_manual(model_t *model, model_value_t x);

#endif  // TESTS_SIM_MODEL_PARTS_H_
