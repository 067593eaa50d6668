#include "common/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_a_text_grows_by_what_is_added(void **state) {
  (void)state;
  pod_text_t text = {0};
  for (int i = 0; i < 1000; i++) {
    pod_text_printf(&text, "%03d,", i);
  }
  assert_int_equal(text.length, 4000);
  assert_memory_equal(text.bytes + 4 * 517, "517,", 4);
  assert_int_equal(strlen(text.bytes), 4000);
  pod_text_deinit(&text);
  assert_null(text.bytes);
}

static void test_bytes_may_hold_nul(void **state) {
  (void)state;
  pod_text_t text = {0};
  pod_text_add_bytes(&text, "a\0b", 3);
  pod_text_add_bytes(&text, NULL, 0);
  pod_text_add(&text, "c");
  assert_int_equal(text.length, 4);
  assert_memory_equal(text.bytes, "a\0bc", 5);
  pod_text_deinit(&text);
}

static void test_clear_keeps_the_memory_and_take_hands_it_on(void **state) {
  (void)state;
  pod_text_t text = {0};
  pod_text_clear(&text);
  pod_text_add(&text, "first");
  const char *bytes = text.bytes;
  pod_text_clear(&text);
  assert_int_equal(text.length, 0);
  assert_string_equal(text.bytes, "");
  pod_text_add(&text, "next");
  assert_ptr_equal(text.bytes, bytes);
  char *taken = pod_text_take(&text);
  assert_string_equal(taken, "next");
  free(taken);
  taken = pod_text_take(&text);
  assert_string_equal(taken, "");
  free(taken);
}

static void test_sizes_are_in_units_of_1024(void **state) {
  (void)state;
  pod_text_t text = {0};
  const unsigned long long sizes[] = {0, 1023, 1024, 1536, 16ull << 30, ~0ull};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    pod_text_add_size(&text, sizes[i]);
    pod_text_add(&text, ";");
  }
  assert_string_equal(text.bytes, "0 B;1023 B;1.0 KiB;1.5 KiB;16.0 GiB;16.0 EiB;");
  pod_text_deinit(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_text_grows_by_what_is_added),
      cmocka_unit_test(test_bytes_may_hold_nul),
      cmocka_unit_test(test_clear_keeps_the_memory_and_take_hands_it_on),
      cmocka_unit_test(test_sizes_are_in_units_of_1024),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
