// What jax.export wrote, given as FILE, and what is left of it when bytes are missing.

#include "common/mlir/jax_export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "common/mlir/bytecode.h"
#include "tests/file.h"

static pod_text_t file;

static void test_the_function_and_its_vjp_are_found(void **state) {
  (void)state;
  const void *bytes[2];
  int64_t length[2];
  assert_true(mlir_is_jax_export(file.bytes, (int64_t)file.length));
  for (int order = 0; order < 2; order++) {
    assert_null(mlir_jax_export_module("f.export", file.bytes, (int64_t)file.length,
                                       order, &bytes[order], &length[order]));
    assert_true(mlir_is_bytecode(bytes[order], length[order]));
  }
  assert_ptr_not_equal(bytes[0], bytes[1]);
}

static void test_an_order_that_is_missing_is_told(void **state) {
  (void)state;
  const void *bytes;
  int64_t length;
  const pod_status_t status = mlir_jax_export_module(
      "f.export", file.bytes, (int64_t)file.length, 2, &bytes, &length);
  assert_int_equal(pod_status_code(status), POD_NOT_FOUND);
  assert_non_null(strstr(pod_status_message(status), "serialize(vjp_order=2)"));
  pod_status_free(status);
}

static void test_other_files_are_told_apart(void **state) {
  (void)state;
  static const char *const others[] = {"", "ML\xefR\x0dstable", "module {}",
                                       "\4\0\0\0\0\0\0\0", "\xff\xff\xff\xff\xff\xff"};
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
    assert_false(mlir_is_jax_export(others[i], (int64_t)strlen(others[i])));
  }
}

// In memory of exactly that size, so that a sanitizer sees every byte too many.
static void test_no_prefix_and_no_changed_byte_leads_out_of_the_file(void **state) {
  (void)state;
  for (size_t length = 0; length < file.length; length += 1 + length / 64) {
    char *cut = malloc(length + 1);
    memcpy(cut, file.bytes, length);
    for (size_t at = 0; at < length && at < 256; at++) {
      const void *bytes;
      int64_t inside;
      cut[at] = (char)~cut[at];
      pod_status_free(
          mlir_jax_export_module("cut", cut, (int64_t)length, 1, &bytes, &inside));
      cut[at] = (char)~cut[at];
    }
    free(cut);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_function_and_its_vjp_are_found),
      cmocka_unit_test(test_an_order_that_is_missing_is_told),
      cmocka_unit_test(test_other_files_are_told_apart),
      cmocka_unit_test(test_no_prefix_and_no_changed_byte_leads_out_of_the_file),
  };
  if (argc != 2 || !read_file(argv[1], &file)) {
    fprintf(stderr, "usage: jax_export FILE\n");
    return 2;
  }
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  pod_text_deinit(&file);
  return failed;
}
