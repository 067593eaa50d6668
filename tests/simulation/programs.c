// The modules as jax.jit(f).lower(...).as_text() prints them, cut to the essential.

#include "tests/simulation/programs.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

enum { LOOP_TURNS = 60 };

static const char sharded[] =
    "tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}";

static void begin(pod_text_t *text, const char *name, int x, int y, int arguments) {
  pod_text_printf(text,
                  "module @%s attributes {mhlo.num_partitions = %d : i32, "
                  "mhlo.num_replicas = 1 : i32} {\n"
                  "  sdy.mesh @mesh = <[\"x\"=%d, \"y\"=%d]>\n"
                  "  func.func public @main(",
                  name, x * y, x, y);
  for (int i = 0; i < arguments; i++) {
    pod_text_printf(text, "%s%%arg%d: %s", i == 0 ? "" : ", ", i, sharded);
  }
  pod_text_printf(text, ") -> (%s) {\n", sharded);
}

static char *end(pod_text_t *text, const char *result) {
  pod_text_printf(text, "    return %s : tensor<8x16xi32>\n  }\n}\n", result);
  return pod_text_take(text);
}

// What is added to every element is the sum of all, which the chips tell each other.
static void add_total(pod_text_t *text, const char *of, const char *to,
                      const char *prefix) {
  pod_text_printf(text,
                  "    %%%sz = stablehlo.constant dense<0> : tensor<i32>\n"
                  "    %%%st = stablehlo.reduce(%s init: %%%sz) applies stablehlo.add "
                  "across dimensions = [0, 1] : (tensor<8x16xi32>, tensor<i32>) -> "
                  "tensor<i32>\n"
                  "    %%%sb = stablehlo.broadcast_in_dim %%%st, dims = [] : "
                  "(tensor<i32>) -> tensor<8x16xi32>\n"
                  "    %%%sr = stablehlo.add %s, %%%sb : tensor<8x16xi32>\n",
                  prefix, prefix, of, prefix, prefix, prefix, prefix, to, prefix);
}

static uint32_t total_of(const int32_t *values) {
  uint32_t total = 0;
  for (int i = 0; i < PROGRAM_ELEMENTS; i++) {
    total += (uint32_t)values[i];
  }
  return total;
}

// --- x + x * x: no chip needs another ---

static char *local_text(int x, int y) {
  pod_text_t text = {0};
  begin(&text, "local", x, y, 1);
  pod_text_add(&text,
               "    %0 = stablehlo.multiply %arg0, %arg0 : tensor<8x16xi32>\n"
               "    %1 = stablehlo.add %0, %arg0 : tensor<8x16xi32>\n");
  return end(&text, "%1");
}

static void local_expect(const int32_t *const *arguments, int32_t *out_result) {
  for (int i = 0; i < PROGRAM_ELEMENTS; i++) {
    const uint32_t x = (uint32_t)arguments[0][i];
    out_result[i] = (int32_t)(x * x + x);
  }
}

// --- x + sum(x) ---

static char *total_text(int x, int y) {
  pod_text_t text = {0};
  begin(&text, "total", x, y, 1);
  add_total(&text, "%arg0", "%arg0", "a");
  return end(&text, "%ar");
}

static void total_expect(const int32_t *const *arguments, int32_t *out_result) {
  const uint32_t total = total_of(arguments[0]);
  for (int i = 0; i < PROGRAM_ELEMENTS; i++) {
    out_result[i] = (int32_t)((uint32_t)arguments[0][i] + total);
  }
}

// --- x * y + sum(y) ---

static char *two_text(int x, int y) {
  pod_text_t text = {0};
  begin(&text, "two", x, y, 2);
  pod_text_add(&text, "    %0 = stablehlo.multiply %arg0, %arg1 : tensor<8x16xi32>\n");
  add_total(&text, "%arg1", "%0", "a");
  return end(&text, "%ar");
}

static void two_expect(const int32_t *const *arguments, int32_t *out_result) {
  const uint32_t total = total_of(arguments[1]);
  for (int i = 0; i < PROGRAM_ELEMENTS; i++) {
    out_result[i] =
        (int32_t)((uint32_t)arguments[0][i] * (uint32_t)arguments[1][i] + total);
  }
}

// --- LOOP_TURNS times x + sum(x): takes a while, so that it can be stopped within ---

static char *loop_text(int x, int y) {
  pod_text_t text = {0};
  begin(&text, "loop", x, y, 1);
  pod_text_printf(
      &text,
      "    %%c = stablehlo.constant dense<0> : tensor<i32>\n"
      "    %%n = stablehlo.constant dense<%d> : tensor<i32>\n"
      "    %%one = stablehlo.constant dense<1> : tensor<i32>\n"
      "    %%w:2 = stablehlo.while(%%i = %%c, %%v = %%arg0) : tensor<i32>, "
      "tensor<8x16xi32>\n"
      "    cond {\n"
      "      %%p = stablehlo.compare LT, %%i, %%n, SIGNED : (tensor<i32>, tensor<i32>) "
      "-> tensor<i1>\n"
      "      stablehlo.return %%p : tensor<i1>\n"
      "    } do {\n",
      LOOP_TURNS);
  add_total(&text, "%v", "%v", "a");
  pod_text_add(&text,
               "      %j = stablehlo.add %i, %one : tensor<i32>\n"
               "      stablehlo.return %j, %ar : tensor<i32>, tensor<8x16xi32>\n"
               "    }\n");
  return end(&text, "%w#1");
}

static void loop_expect(const int32_t *const *arguments, int32_t *out_result) {
  for (int i = 0; i < PROGRAM_ELEMENTS; i++) {
    out_result[i] = arguments[0][i];
  }
  for (int turn = 0; turn < LOOP_TURNS; turn++) {
    const uint32_t total = total_of(out_result);
    for (int i = 0; i < PROGRAM_ELEMENTS; i++) {
      out_result[i] = (int32_t)((uint32_t)out_result[i] + total);
    }
  }
}

// --- y transposed into x's place: everything moves ---

static char *mirror_text(int x, int y) {
  pod_text_t text = {0};
  begin(&text, "mirror", x, y, 2);
  pod_text_add(&text,
               "    %0 = stablehlo.reverse %arg1, dims = [0, 1] : tensor<8x16xi32>\n"
               "    %1 = stablehlo.subtract %arg0, %0 : tensor<8x16xi32>\n");
  return end(&text, "%1");
}

static void mirror_expect(const int32_t *const *arguments, int32_t *out_result) {
  for (int i = 0; i < PROGRAM_ELEMENTS; i++) {
    out_result[i] = (int32_t)((uint32_t)arguments[0][i] -
                              (uint32_t)arguments[1][PROGRAM_ELEMENTS - 1 - i]);
  }
}

// --- x + sum(x) again, in the place of x, which is consumed ---

static char *donate_text(int x, int y) {
  char *text = total_text(x, y);
  pod_text_t donated = {0};
  const char *at = strstr(text, "sdy.sharding = #");
  pod_text_add_bytes(&donated, text, (size_t)(at - text));
  pod_text_add(&donated, "tf.aliasing_output = 0 : i32, ");
  pod_text_add(&donated, at);
  free(text);
  return pod_text_take(&donated);
}

const program_t programs[PROGRAM_COUNT] = {
    {"local", 1, local_text, local_expect},    {"total", 1, total_text, total_expect},
    {"two", 2, two_text, two_expect},          {"loop", 1, loop_text, loop_expect},
    {"mirror", 2, mirror_text, mirror_expect}, {"donate", 1, donate_text, total_expect},
};
