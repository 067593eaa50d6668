// The texts of gRPC's headers.

#include "common/rpc/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/random.h"

static void test_timeouts_are_read_in_every_unit(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t ns;
  } cases[] = {
      {"1n", 1},
      {"2u", 2000},
      {"3m", 3000000},
      {"4S", 4000000000},
      {"5M", 300000000000},
      {"6H", 21600000000000},
      {"0m", 0},
      {"99999999n", 99999999},
      {"99999999H", INT64_MAX},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    int64_t ns = -1;
    assert_true(rpc_timeout_parse(cases[i].text, strlen(cases[i].text), &ns));
    assert_int_equal(ns, cases[i].ns);
  }
}

static void test_what_is_no_timeout_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"",    "m",          "1",   "1x",
                                      "-1m", "123456789m", "1 m", "1.5S"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    int64_t ns = -1;
    assert_false(rpc_timeout_parse(texts[i], strlen(texts[i]), &ns));
  }
}

static void test_content_types_of_grpc_are_told_from_those_that_begin_alike(
    void **state) {
  (void)state;
  static const char *const are[] = {"application/grpc", "application/grpc+proto",
                                    "application/grpc;charset=utf-8"};
  static const char *const are_not[] = {"application/grpcfoo", "application/grpc-web",
                                        "application/grp", "application/json", ""};
  for (size_t i = 0; i < sizeof(are) / sizeof(are[0]); i++) {
    assert_true(rpc_content_type_is_grpc(are[i], strlen(are[i])));
  }
  for (size_t i = 0; i < sizeof(are_not) / sizeof(are_not[0]); i++) {
    assert_false(rpc_content_type_is_grpc(are_not[i], strlen(are_not[i])));
  }
}

static void test_a_timeout_written_is_read_as_the_same_or_little_more(void **state) {
  (void)state;
  pod_random_t random = {.state = 7};
  for (int i = 0; i < 20000; i++) {
    const int64_t ns = 1 + (int64_t)(pod_random_next(&random) >> (1 + i % 60));
    char text[RPC_TIMEOUT_TEXT_BYTES];
    const size_t length = rpc_timeout_format(ns, text);
    assert_in_range(length, 2, 9);
    int64_t back = 0;
    assert_true(rpc_timeout_parse(text, length, &back));
    assert_true(back >= ns);
    assert_true(ns < 100000000 ? back == ns : (double)back <= (double)ns * 1.00001);
  }
}

static void test_messages_survive_percent_encoding(void **state) {
  (void)state;
  pod_random_t random = {.state = 3};
  for (int i = 0; i < 2000; i++) {
    char text[64];
    const size_t length = (size_t)pod_random_below(&random, sizeof(text));
    for (size_t j = 0; j < length; j++) {
      text[j] = (char)(1 + pod_random_below(&random, 255));
    }
    text[length] = '\0';
    char *encoded = rpc_percent_encode(text, 1000);
    for (const char *byte = encoded; *byte != '\0'; byte++) {
      assert_in_range(*byte, 0x20, 0x7e);
    }
    char *decoded = rpc_percent_decode(encoded, strlen(encoded));
    assert_string_equal(decoded, text);
    free(decoded);
    free(encoded);
  }
}

static void test_a_long_message_is_cut_between_characters(void **state) {
  (void)state;
  char *encoded = rpc_percent_encode("abc\xc3\xbc\xc3\xbc\xc3\xbc", 15);
  assert_string_equal(encoded, "abc%C3%BC...");
  free(encoded);
  encoded = rpc_percent_encode("abcdef", 5);
  assert_string_equal(encoded, "ab...");
  free(encoded);
  encoded = rpc_percent_encode("abcdef", 6);
  assert_string_equal(encoded, "abcdef");
  free(encoded);
}

static void test_bad_escapes_are_kept_as_they_stand(void **state) {
  (void)state;
  static const char text[] = "100% %zz %4 %00 %41";
  char *decoded = rpc_percent_decode(text, strlen(text));
  assert_string_equal(decoded, "100% %zz %4 %00 A");
  free(decoded);
}

static void test_bytes_survive_base64_with_and_without_padding(void **state) {
  (void)state;
  pod_random_t random = {.state = 11};
  for (size_t size = 0; size < 100; size++) {
    uint8_t bytes[100];
    for (size_t i = 0; i < size; i++) {
      bytes[i] = (uint8_t)pod_random_next(&random);
    }
    size_t length = 0;
    char *text = rpc_base64_encode(bytes, size, &length);
    assert_null(strchr(text, '='));
    char padded[200];
    memcpy(padded, text, length);
    size_t padded_length = length;
    while (padded_length % 4 != 0) {
      padded[padded_length++] = '=';
    }
    for (int i = 0; i < 2; i++) {
      size_t back_size = 0;
      uint8_t *back = i == 0 ? rpc_base64_decode(text, length, &back_size)
                             : rpc_base64_decode(padded, padded_length, &back_size);
      assert_non_null(back);
      assert_int_equal(back_size, size);
      assert_memory_equal(back, bytes, size);
      free(back);
    }
    free(text);
  }
}

static void test_what_is_not_base64_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"A", "AB!D", "A=BC", "AAAAA", "Zg==\n"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    size_t size = 0;
    assert_null(rpc_base64_decode(texts[i], strlen(texts[i]), &size));
  }
}

static void test_codes_are_read_and_mapped_as_grpc_says(void **state) {
  (void)state;
  assert_int_equal(rpc_code_parse("0", 1), POD_OK);
  assert_int_equal(rpc_code_parse("16", 2), POD_UNAUTHENTICATED);
  assert_int_equal(rpc_code_parse("17", 2), POD_UNKNOWN);
  assert_int_equal(rpc_code_parse("-1", 2), POD_UNKNOWN);
  assert_int_equal(rpc_code_parse("", 0), POD_UNKNOWN);
  assert_int_equal(rpc_code_of_http_status(404), POD_UNIMPLEMENTED);
  assert_int_equal(rpc_code_of_http_status(503), POD_UNAVAILABLE);
  assert_int_equal(rpc_code_of_http_status(200), POD_UNKNOWN);
  assert_int_equal(rpc_code_of_http2_error(0x7), POD_UNAVAILABLE);
  assert_int_equal(rpc_code_of_http2_error(0x8), POD_CANCELLED);
  assert_int_equal(rpc_code_of_http2_error(0xb), POD_RESOURCE_EXHAUSTED);
  assert_int_equal(rpc_code_of_http2_error(0x1), POD_INTERNAL);
  assert_int_equal(rpc_code_of_http2_error(0xffff), POD_INTERNAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_timeouts_are_read_in_every_unit),
      cmocka_unit_test(test_what_is_no_timeout_is_refused),
      cmocka_unit_test(test_content_types_of_grpc_are_told_from_those_that_begin_alike),
      cmocka_unit_test(test_a_timeout_written_is_read_as_the_same_or_little_more),
      cmocka_unit_test(test_messages_survive_percent_encoding),
      cmocka_unit_test(test_a_long_message_is_cut_between_characters),
      cmocka_unit_test(test_bad_escapes_are_kept_as_they_stand),
      cmocka_unit_test(test_bytes_survive_base64_with_and_without_padding),
      cmocka_unit_test(test_what_is_not_base64_is_refused),
      cmocka_unit_test(test_codes_are_read_and_mapped_as_grpc_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
