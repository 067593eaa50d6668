#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/coordinator/core/given_slice.h"

static torus_t torus_of(const char *text) {
  torus_t torus;
  const chip_spec_t *spec = NULL;
  assert_null(torus_parse(text, NULL, &torus, &spec));
  return torus;
}

static void test_a_slice_is_read_as_it_was_printed(void **state) {
  (void)state;
  const torus_t torus = torus_of("4x4");
  const torus_slice_t given = {.size = {2, 1, 1}, .origin = {1, 3, 0}, .core_count = 1};
  pod_text_t text = {0};
  given_slice_print(&text, &torus, &given);
  assert_string_equal(text.bytes, "2x1x1 at 1,3,0 core 0 of 1, slice 0 of 4x4");
  torus_slice_t read;
  bool is_here = false;
  assert_true(given_slice_read(text.bytes, &torus, &read, &is_here));
  assert_true(is_here);
  assert_memory_equal(&read, &given, sizeof(given));
  pod_text_deinit(&text);
}

static void test_a_slice_of_another_pod_is_none_of_this_one(void **state) {
  (void)state;
  const torus_t torus = torus_of("2x2");
  torus_slice_t read;
  bool is_here = true;
  assert_true(given_slice_read("4x2x1 at 0,0,0 core 0 of 1, slice 0 of 4x4", &torus,
                               &read, &is_here));
  assert_false(is_here);
  assert_int_equal(read.size[0], 4);
}

// Chips are counted by it: what a spoilt record says must not lead out of the pod.
static void test_what_is_no_slice_of_the_pod_is_not_here(void **state) {
  (void)state;
  const torus_t torus = torus_of("2x2");
  static const char *const texts[] = {
      "4x1x1 at 0,0,0 core 0 of 1, slice 0 of 2x2",
      "1x1x1 at 2,0,0 core 0 of 1, slice 0 of 2x2",
      "1x1x0 at 0,0,0 core 0 of 1, slice 0 of 2x2",
      "1x1x1 at 0,0,0 core 1 of 1, slice 0 of 2x2",
      "1x1x1 at 0,0,0 core 0 of 2, slice 0 of 2x2",
      "1x1x1 at 0,0,0 core 0 of 1, slice 1 of 2x2",
  };
  torus_slice_t read;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    bool is_here = true;
    assert_true(given_slice_read(texts[i], &torus, &read, &is_here));
    assert_false(is_here);
  }
}

static void test_other_texts_are_no_slices(void **state) {
  (void)state;
  const torus_t torus = torus_of("2x2");
  static const char *const texts[] = {
      "",
      "2x2",
      "-1x1x1 at 0,0,0 core 0 of 1, slice 0 of 2x2",
      "99999999999999999999x1x1 at 0,0,0 core 0 of 1, slice 0 of 2x2",
      "1x1x1 at 0,0 core 0 of 1, slice 0 of 2x2",
      "1x1x1 at 0,0,0 core 0 of 1, slice 0"};
  torus_slice_t read;
  bool is_here;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_false(given_slice_read(texts[i], &torus, &read, &is_here));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_slice_is_read_as_it_was_printed),
      cmocka_unit_test(test_a_slice_of_another_pod_is_none_of_this_one),
      cmocka_unit_test(test_what_is_no_slice_of_the_pod_is_not_here),
      cmocka_unit_test(test_other_texts_are_no_slices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
