// Modules that nobody means well with: the whole compiler answers each with an error that
// is short, or compiles it, in memory that is in proportion to the text. Every module is
// compiled in a process of its own, whose memory is limited.

#include "server/compiler/compiler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/text.h"

enum {
  MILLION = 1000000,
  DEADLINE_S = 300,  // Generous: a machine may be slow.
  MESSAGE_BYTES_MAX = 10000,
};

#define F32 "tensor<f32>"
#define HUGE_I32 "tensor<1099511627776xi32>"

static pod_text_t text;

static void repeat(int count, const char *part) {
  for (int i = 0; i < count; i++) {
    pod_text_add(&text, part);
  }
}

static void nest(int count, const char *open, const char *inner, const char *close) {
  repeat(count, open);
  pod_text_add(&text, inner);
  repeat(count, close);
}

static void begin_main(const char *arguments, const char *result) {
  pod_text_printf(&text, "func.func public @main(%s) -> %s {\n", arguments, result);
}

static void end_main(const char *value, const char *type) {
  pod_text_printf(&text, "  return %s : %s\n}\n", value, type);
}

// --- In a process of its own ---

// The address space that is there already, and what is in proportion to the text.
static void limit_memory(void) {
#ifndef __SANITIZE_ADDRESS__
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld", &pages) != 1) {
    _exit(3);
  }
  fclose(file);
  const rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) +
                       ((rlim_t)64 << 20) + 32 * (rlim_t)text.length;
  const struct rlimit limit = {bytes, bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) {
    _exit(3);
  }
#endif
}

static int compile(const char *topology, const char *part) {
  compiler_options_t options = {.file_name = "hostile.mlir",
                                .spec = chip_spec_find("v5e")};
  if (torus_parse(topology, options.spec, &options.torus, NULL) != NULL) {
    return 3;
  }
  compiler_result_t *result = NULL;
  const pod_status_t status =
      compiler_compile(text.bytes, (int64_t)text.length, &options, &result);
  const char *message = status == NULL ? "" : pod_status_message(status);
  const bool is_expected =
      part == NULL ? status == NULL
                   : strstr(message, part) != NULL && strlen(message) < MESSAGE_BYTES_MAX;
  if (!is_expected) {
    fprintf(stderr, "expected: %s\ncame: %.2000s\n", part == NULL ? "success" : part,
            message);
  }
  pod_status_free(status);
  compiler_result_destroy(result);
  return is_expected ? 0 : 1;
}

// Compiles `text`, and expects an error that holds `part`, or success with NULL. Forgets
// the text.
static void expect(const char *topology, const char *part) {
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(DEADLINE_S);
    limit_memory();
    _exit(compile(topology, part));
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  char start[300];
  snprintf(start, sizeof(start), "%s", text.bytes);
  pod_text_deinit(&text);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fail_msg("status %d for: %s", status, start);
  }
}

// --- Nesting ---

static void test_a_million_levels_of_anything_are_an_error(void **state) {
  (void)state;
  static const struct {
    const char *before, *open, *inner, *close, *after;
  } cases[] = {
      {"func.func @main(%a: ", "tuple<", F32, ">", ") { return }"},
      {"\"t.o\"() : ", "(", "i1", ") -> i1", " -> ()"},
      {"\"t.o\"() {a = ", "[", "", "]", "} : () -> ()"},
      {"\"t.o\"() {a = ", "{a = ", "1", "}", "} : () -> ()"},
      {"\"t.o\"() {a = #a.b<", "<", "", ">", ">} : () -> ()"},
      {"\"t.o\"() : () -> () loc(", "\"a\"(", "unknown", ")", ")"},
      {"#a = #a.b<", "<[({", "", "})]>", ">"},
      {"", "module {", "", "}", ""},
      {"", "\"t.o\"() ({", "", "}) : () -> ()", ""},
      {"func.func @main(%a: tensor<i1>) {", "\"stablehlo.if\"(%a) ({ ", "",
       "}) : (tensor<i1>) -> ()", "return }"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    for (int levels = 10000; levels <= MILLION; levels *= 100) {
      pod_text_add(&text, cases[i].before);
      nest(levels, cases[i].open, cases[i].inner, cases[i].close);
      pod_text_add(&text, cases[i].after);
      expect("1x1", "nested more than 256 levels deep");
    }
  }
}

static void test_a_million_levels_that_do_not_end_are_an_error(void **state) {
  (void)state;
  static const char *const parts[] = {"(",      "[",        "{",   "<", "\"t.o\"() ({",
                                      "#a = [", "module {", "loc("};
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
    repeat(MILLION, parts[i]);
    expect("1x1", "hostile.mlir:1:");
  }
  pod_text_add(&text, "\"t.o\"() {a = dense<");
  nest(MILLION, "[", "1", "]");
  pod_text_add(&text, "> : tensor<1xi32>} : () -> ()");
  expect("1x1", "hostile.mlir:1:");
}

// --- Calls ---

static void write_doubling_calls(const char *call, const char *close) {
  pod_text_add(&text,
               "func.func private @f0(%a: " F32 ") -> " F32 " { return %a : " F32 " }\n");
  for (int i = 1; i <= 60; i++) {
    pod_text_printf(&text, "func.func private @f%d(%%a: " F32 ") -> " F32 " {\n", i);
    for (int k = 0; k < 2; k++) {
      pod_text_printf(&text, call, k, i - 1, k == 0 ? "%a" : "%0");
      pod_text_add(&text, close);
    }
    pod_text_add(&text, "  return %1 : " F32 "\n}\n");
  }
  begin_main("%a: " F32, F32);
  pod_text_printf(&text, call, 2, 60, "%a");
  pod_text_add(&text, close);
  end_main("%2", F32);
}

static void test_calls_that_double_sixty_times_are_refused(void **state) {
  (void)state;
  write_doubling_calls("  %%%d = func.call @f%d(%s)", " : (" F32 ") -> " F32 "\n");
  // Empty functions: no operation is left, but the copies would never end.
  expect("1x1", "once calls are inlined");
}

static void test_calls_in_a_circle_are_refused(void **state) {
  (void)state;
  const int count = 10000;
  for (int i = 0; i < count; i++) {
    pod_text_printf(&text,
                    "func.func private @f%d(%%a: " F32 ") -> " F32
                    " {\n"
                    "  %%0 = func.call @f%d(%%a) : (" F32 ") -> " F32
                    "\n"
                    "  return %%0 : " F32 "\n}\n",
                    i, (i + 1) % count);
  }
  begin_main("%a: " F32, F32);
  pod_text_add(&text, "  %0 = func.call @f0(%a) : (" F32 ") -> " F32 "\n");
  end_main("%0", F32);
  expect("1x1", "recursion is not possible");
}

static void test_a_hundred_thousand_functions_are_none_too_many(void **state) {
  (void)state;
  for (int i = 0; i < 100000; i++) {
    pod_text_printf(
        &text,
        "func.func private @f%d(%%a: " F32 ") -> " F32 " { return %%a : " F32 " }\n", i);
  }
  begin_main("%a: " F32, F32);
  end_main("%a", F32);
  expect("1x1", NULL);
}

// --- Sizes ---

static void test_types_that_no_memory_holds_are_an_error(void **state) {
  (void)state;
  static const struct {
    const char *type, *part;
  } cases[] = {
      {"1099511627776xf32", "of HBM per chip"},
      {"4611686018427387904xi1", "of HBM per chip"},
      {"4611686018427387904xf32", "do not fit 64 bits"},
      {"3037000500x3037000500xi8", "do not fit 64 bits"},
      {"9223372036854775807xi8", "does not fit 64 bits"},
      {"99999999999999999999xi8", "does not fit 64 bits"},
      {"0x4611686018427387904xf32", "do not fit 64 bits"},
      {"1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32", "more than 16 dimensions"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    pod_text_printf(&text,
                    "func.func @main(%%a: tensor<%s>) -> tensor<%s> {\n"
                    "  return %%a : tensor<%s>\n}\n",
                    cases[i].type, cases[i].type, cases[i].type);
    expect("1x1", cases[i].part);
  }
  pod_text_add(&text, "func.func @main(%a: tensor<");
  repeat(MILLION, "1x");
  pod_text_add(&text, "f32>) { return }");
  expect("1x1", "more than 16 dimensions");
}

// Nothing that is folded or simplified is written out.
static void test_huge_values_of_short_texts_are_never_made(void **state) {
  (void)state;
  static const struct {
    const char *body, *result, *part;
  } cases[] = {
      {"%0 = stablehlo.constant dense<3> : " HUGE_I32 "\n", "%0", "of HBM per chip"},
      {"%0 = stablehlo.constant dense<3> : " HUGE_I32 "\n"
       "%1 = stablehlo.constant dense<4> : " HUGE_I32 "\n"
       "%2 = stablehlo.add %0, %1 : " HUGE_I32 "\n"
       "%3 = stablehlo.negate %2 : " HUGE_I32 "\n",
       "%3", "of HBM per chip"},
      {"%0 = stablehlo.iota dim = 0 : " HUGE_I32 "\n"
       "%1 = stablehlo.add %0, %0 : " HUGE_I32 "\n",
       "%1", "of HBM per chip"},
      {"%0 = stablehlo.constant dense<1> : tensor<i32>\n"
       "%1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> "
       "tensor<1048576xi32>\n"
       "%2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<1048576xi32>) -> "
       "tensor<1048576x1048576xi32>\n"
       "%3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<1048576x1048576xi32>) -> "
       "tensor<1048576x1048576xi32>\n"
       "%4 = stablehlo.reshape %3 : (tensor<1048576x1048576xi32>) -> " HUGE_I32 "\n",
       "%4", "of HBM per chip"},
      {"%0 = stablehlo.constant dense<1> : tensor<1xi32>\n"
       "%p = stablehlo.constant dense<0> : tensor<i32>\n"
       "%1 = stablehlo.pad %0, %p, low = [0], high = [1099511627775], interior = [0] : "
       "(tensor<1xi32>, tensor<i32>) -> " HUGE_I32 "\n",
       "%1", "of HBM per chip"},
      {"%0 = stablehlo.constant dense<1> : tensor<4xi32>\n"
       "%p = stablehlo.constant dense<0> : tensor<i32>\n"
       "%1 = stablehlo.pad %0, %p, low = [4611686018427387904], high = "
       "[4611686018427387904], interior = [9223372036854775807] : (tensor<4xi32>, "
       "tensor<i32>) -> " HUGE_I32 "\n",
       "%1", "no size that is possible"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    for (int sharded = 0; sharded < 2; sharded++) {
      begin_main("", HUGE_I32);
      pod_text_add(&text, cases[i].body);
      end_main(cases[i].result, HUGE_I32);
      expect(sharded ? "2x2" : "1x1", cases[i].part);
    }
  }
}

static void test_a_slice_of_a_huge_splat_costs_nothing(void **state) {
  (void)state;
  begin_main("", "tensor<1xi32>");
  pod_text_add(&text,
               "  %0 = stablehlo.constant dense<7> : " HUGE_I32
               "\n  %1 = stablehlo.slice %0 [5:6] : (" HUGE_I32 ") -> tensor<1xi32>\n");
  end_main("%1", "tensor<1xi32>");
  expect("1x1", NULL);
}

// --- Many of one kind ---

static void test_a_loop_may_carry_ten_thousand_values(void **state) {
  (void)state;
  const int count = 10000;
  begin_main("%a: " F32, F32);
  pod_text_printf(&text,
                  "  %%c = stablehlo.constant dense<true> : tensor<i1>\n"
                  "  %%w:%d = stablehlo.while(",
                  count);
  for (int i = 0; i < count; i++) {
    pod_text_printf(&text, "%s%%x%d = %%a", i > 0 ? ", " : "", i);
  }
  pod_text_add(&text, ") : " F32);
  repeat(count - 1, ", " F32);
  pod_text_add(&text,
               "\n cond { stablehlo.return %c : tensor<i1> }\n do {\n"
               " stablehlo.return ");
  for (int i = 0; i < count; i++) {
    pod_text_printf(&text, "%s%%x%d", i > 0 ? ", " : "", (i + 1) % count);
  }
  pod_text_add(&text, " : " F32);
  repeat(count - 1, ", " F32);
  pod_text_add(&text, "\n }\n");
  end_main("%w#0", F32);
  expect("1x1", NULL);
}

static void test_groups_of_a_million_devices_are_refused(void **state) {
  (void)state;
  static const char *const forms[] = {"dense<0> : tensor<1048576x1048576xi64>", NULL};
  for (size_t i = 0; i < 2; i++) {
    begin_main("%a: " F32, F32);
    pod_text_add(&text, "  %0 = \"stablehlo.all_reduce\"(%a) ({^bb0(%x: " F32 ", %y: " F32
                        "):\n  %s = stablehlo.add %x, %y : " F32
                        "\n stablehlo.return %s : " F32 "\n}) {replica_groups = ");
    if (forms[i] != NULL) {
      pod_text_add(&text, forms[i]);
    } else {
      pod_text_add(&text, "dense<[[0");
      for (int id = 1; id < MILLION; id++) {
        pod_text_printf(&text, ",%d", id);
      }
      pod_text_printf(&text, "]]> : tensor<1x%dxi64>", MILLION);
    }
    pod_text_add(&text, "} : (" F32 ") -> " F32 "\n");
    end_main("%0", F32);
    expect("2x2", "of at most 65536 devices");
  }
}

static void test_pairs_of_a_million_devices_are_refused(void **state) {
  (void)state;
  begin_main("%a: " F32, F32);
  pod_text_add(
      &text,
      "  %0 = \"stablehlo.collective_permute\"(%a) {source_target_pairs = dense<[");
  for (int id = 0; id < MILLION; id++) {
    pod_text_printf(&text, "%s[%d,%d]", id > 0 ? "," : "", id, id + 1);
  }
  pod_text_printf(&text, "]> : tensor<%dx2xi64>} : (" F32 ") -> " F32 "\n", MILLION);
  end_main("%0", F32);
  expect("2x2", "hostile.mlir");
}

static void test_meshes_beyond_all_pods_are_refused(void **state) {
  (void)state;
  pod_text_add(&text, "sdy.mesh @m = <[\"x\"=1099511627776, \"y\"=1099511627776]>\n");
  begin_main("%a: " F32, F32);
  end_main("%a", F32);
  expect("1x1", "more than 65536 devices");
}

// --- Bytes ---

static void test_texts_that_are_none_are_an_error(void **state) {
  (void)state;
  pod_text_add_bytes(&text, "\0\0\0", 3);
  expect("1x1", "NUL");
  pod_text_add_bytes(&text, "module attributes {x = \"a\0b\"} {}", 32);
  expect("1x1", "NUL");
  pod_text_add(&text, "func.func @main(%\xff\xfe: " F32 ") { return }");
  expect("1x1", "expected a value");
  pod_text_add(&text, "\xc0\x80\xed\xa0\x80\xf8");
  expect("1x1", "expected an operation");
  pod_text_add(&text, "module attributes {x = \"a");
  expect("1x1", "has no end");
  pod_text_add(&text, "module attributes {x = \"a\\");
  expect("1x1", "has no end");
}

// Strings hold any bytes but NUL: they go through.
static void test_a_string_need_not_be_utf_8(void **state) {
  (void)state;
  pod_text_add(&text, "module @\"\xff\xc0\x80\" attributes {x = \"\xed\xa0\x80\"} {\n");
  begin_main("%a: " F32, F32);
  end_main("%a", F32);
  pod_text_add(&text, "}\n");
  expect("1x1", NULL);
}

static void test_lines_of_megabytes_make_short_errors(void **state) {
  (void)state;
  static const struct {
    const char *before, *part, *error;
  } cases[] = {
      {"", "xxxxxxxx", "more than 4096 letters"},
      {"\"", "xxxxxxxx", "has no end"},
      {"module attributes {x = \"", "xxxxxxxx", "has no end"},
      {"func.func @main(%a: tensor<i32>) { return %", "xxxxxxxx", "value %xxxx"},
      {"func.func @", "xxxxxxxx", "expected"},
      {"#", "xxxxxxxx", "expected '='"},
      {"\"t.o\"() {x = #", "xxxxxxxx", "unknown attribute"},
      {"\"t.o\"() {x = !", "xxxxxxxx", "unknown type"},
      {"\"t.o\"() : () -> () loc(#", "xxxxxxxx", "expected ')'"},
      {"func.func @main(%a: tensor<", "xxxxxxxx", "unknown element type"},
      {"func.func @main(%a: tensor<", "11111111", "does not fit 64 bits"},
      {"\"t.o\"() {x = ", "11111111", "hostile.mlir"},
      {"\"t.o\"() {x = dense<", "11111111", "hostile.mlir"},
      {"\"t.o\"() {x = dense<\"0x", "11111111", "has no end"},
      {"func.func @main(%a: " F32 " {mhlo.sharding = \"{devices=[1]<=", "[[[[[[[[",
       "has no end"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    pod_text_add(&text, cases[i].before);
    repeat(MILLION, cases[i].part);
    expect("1x1", cases[i].error);
  }
  pod_text_add(&text, "func.func @main(%a: " F32 " {mhlo.sharding = \"{devices=[1]<=");
  repeat(MILLION, "[[[[[[[[");
  pod_text_add(&text, "}\"}) -> " F32 " {\n");
  end_main("%a", F32);
  expect("1x1", "sharding");
}

static void test_a_million_arguments_are_refused_before_anything_is_made_of_them(
    void **state) {
  (void)state;
  pod_text_add(&text, "func.func public @main(");
  for (int i = 0; i < MILLION; i++) {
    pod_text_printf(&text, "%s%%arg%d: " F32, i == 0 ? "" : ", ", i);
  }
  pod_text_add(&text, ") -> " F32 " {\n");
  end_main("%arg0", F32);
  expect("1x1", "@main has 1000000 arguments; at most 65536 can be passed");
  pod_text_add(&text, "func.func public @main(%a: " F32 ") -> (");
  for (int part = 0; part < 3; part++) {
    const char *before = part == 1 ? "%a" : F32;
    for (int i = 0; i < 70000; i++) {
      pod_text_printf(&text, "%s%s", i == 0 ? "" : ", ", before);
    }
    pod_text_add(&text, part == 0 ? ") {\n  return " : part == 1 ? " : " : "\n}\n");
  }
  expect("1x1", "@main has 70000 results; at most 65536");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_million_levels_of_anything_are_an_error),
      cmocka_unit_test(test_a_million_levels_that_do_not_end_are_an_error),
      cmocka_unit_test(
          test_a_million_arguments_are_refused_before_anything_is_made_of_them),
      cmocka_unit_test(test_calls_that_double_sixty_times_are_refused),
      cmocka_unit_test(test_calls_in_a_circle_are_refused),
      cmocka_unit_test(test_a_hundred_thousand_functions_are_none_too_many),
      cmocka_unit_test(test_types_that_no_memory_holds_are_an_error),
      cmocka_unit_test(test_huge_values_of_short_texts_are_never_made),
      cmocka_unit_test(test_a_slice_of_a_huge_splat_costs_nothing),
      cmocka_unit_test(test_a_loop_may_carry_ten_thousand_values),
      cmocka_unit_test(test_groups_of_a_million_devices_are_refused),
      cmocka_unit_test(test_pairs_of_a_million_devices_are_refused),
      cmocka_unit_test(test_meshes_beyond_all_pods_are_refused),
      cmocka_unit_test(test_texts_that_are_none_are_an_error),
      cmocka_unit_test(test_a_string_need_not_be_utf_8),
      cmocka_unit_test(test_lines_of_megabytes_make_short_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
