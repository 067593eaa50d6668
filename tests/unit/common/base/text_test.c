#include "common/base/text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"

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

static void test_times_are_in_the_unit_that_fits(void **state) {
  (void)state;
  pod_text_t text = {0};
  const int64_t times[] = {0, 350000, 12340000, 88300000000, 2500000000000};
  for (size_t i = 0; i < POD_COUNT_OF(times); i++) {
    pod_text_add_time(&text, times[i]);
    pod_text_add(&text, ";");
  }
  assert_string_equal(text.bytes, "0.0 ns;350.0 ns;12.34 us;88.300 ms;2.500 s;");
  pod_text_deinit(&text);
}

static void test_what_is_formatted_may_be_of_any_length(void **state) {
  (void)state;
  char expected[301];
  for (int length = 0; length < 300; length++) {
    pod_text_t text = {0};
    memset(expected, 'x', sizeof(expected));
    expected[length] = '\0';
    pod_text_printf(&text, "%s", expected);
    pod_text_printf(&text, "plain%%");
    assert_int_equal(text.length, length + 6);
    assert_memory_equal(text.bytes, expected, (size_t)length);
    assert_string_equal(text.bytes + length, "plain%");
    pod_text_deinit(&text);
  }
}

static void test_integers_are_added_in_decimal(void **state) {
  (void)state;
  const int64_t values[] = {0, 7, -7, 1234567890123, INT64_MAX, INT64_MIN};
  pod_text_t text = {0};
  for (size_t i = 0; i < POD_COUNT_OF(values); i++) {
    pod_text_add_int(&text, values[i]);
    pod_text_add(&text, ";");
  }
  assert_string_equal(text.bytes,
                      "0;7;-7;1234567890123;9223372036854775807;-9223372036854775808;");
  pod_text_deinit(&text);
}

static void test_reserved_room_lets_a_text_repeat_a_part_of_itself(void **state) {
  (void)state;
  pod_text_t text = {0};
  pod_text_add(&text, "tensor<f32>");
  for (int i = 0; i < 100; i++) {
    pod_text_reserve(&text, 11);
    pod_text_add_bytes(&text, text.bytes, 11);
  }
  assert_int_equal(text.length, 101 * 11);
  for (size_t i = 0; i < text.length; i += 11) {
    assert_memory_equal(text.bytes + i, "tensor<f32>", 11);
  }
  pod_text_deinit(&text);
}

static void test_a_descriptor_is_read_to_its_end_and_no_further_than_allowed(
    void **state) {
  (void)state;
  enum { BYTES = 50000, MOST = 30000 };
  char path[] = "/tmp/podium-text-XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(unlink(path), 0);
  char *bytes = malloc(BYTES);
  assert_non_null(bytes);
  memset(bytes, 'x', BYTES);
  assert_int_equal(write(fd, bytes, BYTES), BYTES);
  pod_text_t text = {0};
  pod_text_add(&text, "head:");
  assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
  assert_int_equal(pod_text_add_to_end(&text, fd, BYTES), 0);
  assert_int_equal(text.length, 5 + BYTES);
  assert_memory_equal(text.bytes + 5, bytes, BYTES);
  assert_int_equal(text.bytes[text.length], '\0');
  assert_int_equal(pod_text_add_to_end(&text, fd, 0), 0);  // Nothing is left.
  assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
  assert_int_equal(pod_text_add_to_end(&text, fd, MOST), EFBIG);
  assert_int_equal(close(fd), 0);
  assert_int_equal(pod_text_add_to_end(&text, fd, BYTES), EBADF);
  pod_text_deinit(&text);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_text_grows_by_what_is_added),
      cmocka_unit_test(test_bytes_may_hold_nul),
      cmocka_unit_test(test_clear_keeps_the_memory_and_take_hands_it_on),
      cmocka_unit_test(test_sizes_are_in_units_of_1024),
      cmocka_unit_test(test_times_are_in_the_unit_that_fits),
      cmocka_unit_test(test_what_is_formatted_may_be_of_any_length),
      cmocka_unit_test(test_integers_are_added_in_decimal),
      cmocka_unit_test(test_reserved_room_lets_a_text_repeat_a_part_of_itself),
      cmocka_unit_test(test_a_descriptor_is_read_to_its_end_and_no_further_than_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
