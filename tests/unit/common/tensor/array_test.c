#include "common/tensor/array.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"

static void assert_fails(pod_status_t status, pod_code_t code, const char *message) {
  assert_string_equal(pod_status_message(status), message);
  assert_int_equal(pod_status_code(status), code);
  pod_status_free(status);
}

static tensor_shape_t shape2(tensor_dtype_t dtype, int64_t a, int64_t b) {
  const int64_t dims[] = {a, b};
  return tensor_shape_make(dtype, 2, dims);
}

// A .npy image: version 1.0, a header, and elements.
static void make_npy(pod_text_t *text, const char *header, const void *data,
                     size_t data_bytes) {
  pod_text_clear(text);
  pod_text_add_bytes(text, "\x93NUMPY\x01\x00", 8);
  const unsigned char length[2] = {(unsigned char)(strlen(header) & 0xff),
                                   (unsigned char)(strlen(header) >> 8)};
  pod_text_add_bytes(text, length, 2);
  pod_text_add(text, header);
  pod_text_add_bytes(text, data, data_bytes);
}

static void test_what_was_written_is_read_back_for_every_type(void **state) {
  (void)state;
  char path[] = "/tmp/pod_array_test_XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  for (int i = 1; i < TENSOR_DTYPE_COUNT; i++) {
    const tensor_shape_t shape = shape2((tensor_dtype_t)i, 3, 5);
    tensor_array_t array = {0}, back = {0};
    assert_null(tensor_array_init(&array, &shape));
    assert_null(tensor_fill("random:42", &array));
    assert_null(tensor_npy_write(path, &array));
    assert_null(tensor_npy_read(path, &shape, &back));
    assert_true(tensor_shape_equal(&back.shape, &shape));
    assert_memory_equal(back.data, array.data, (size_t)tensor_shape_bytes(&shape));
    tensor_array_deinit(&array);
    tensor_array_deinit(&back);
  }
  unlink(path);
}

static void test_shapes_of_any_rank_survive_a_file(void **state) {
  (void)state;
  char path[] = "/tmp/pod_array_test_XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  const int64_t dims[TENSOR_RANK_MAX] = {1, 2, 1, 3, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1};
  for (int rank = 0; rank <= TENSOR_RANK_MAX; rank++) {
    const tensor_shape_t shape = tensor_shape_make(TENSOR_S16, rank, dims);
    tensor_array_t array = {0}, back = {0};
    assert_null(tensor_array_init(&array, &shape));
    assert_null(tensor_fill("iota", &array));
    assert_null(tensor_npy_write(path, &array));
    assert_null(tensor_npy_read(path, NULL, &back));
    assert_true(tensor_shape_equal(&back.shape, &shape));
    assert_memory_equal(back.data, array.data, (size_t)tensor_shape_bytes(&shape));
    tensor_shape_t alone;
    assert_null(tensor_npy_shape(path, &alone));
    assert_true(tensor_shape_equal(&alone, &shape));
    tensor_array_deinit(&array);
    tensor_array_deinit(&back);
  }
  unlink(path);
}

static void test_fortran_order_and_big_endian_are_turned(void **state) {
  (void)state;
  // 2 x 3 of s16, column by column, most significant byte first.
  const unsigned char data[] = {0, 0, 0, 3, 0, 1, 0, 4, 0, 2, 1, 5};
  pod_text_t file = {0};
  make_npy(&file, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n", data,
           sizeof(data));
  tensor_array_t array = {0};
  assert_null(tensor_npy_parse("t.npy", file.bytes, file.length, NULL, &array));
  const int16_t expected[] = {0, 1, 2, 3, 4, 261};
  assert_memory_equal(array.data, expected, sizeof(expected));
  tensor_array_deinit(&array);
  const unsigned char complex[] = {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0};
  make_npy(&file, "{'shape': (1,), 'fortran_order': False, \"descr\": \">c8\"}", complex,
           sizeof(complex));
  assert_null(tensor_npy_parse("t.npy", file.bytes, file.length, NULL, &array));
  const float one_two[] = {1, 2};
  assert_memory_equal(array.data, one_two, sizeof(one_two));
  tensor_array_deinit(&array);
  pod_text_deinit(&file);
}

static void test_a_void_type_is_what_is_expected(void **state) {
  (void)state;
  const unsigned char data[] = {0x80, 0x3f, 0, 0x40};
  pod_text_t file = {0};
  tensor_array_t array = {0};
  make_npy(&file, "{'descr': '<V2', 'fortran_order': False, 'shape': (1, 2), }", data, 4);
  assert_null(tensor_npy_parse("t.npy", file.bytes, file.length, NULL, &array));
  assert_int_equal(array.shape.dtype, TENSOR_BF16);
  tensor_array_deinit(&array);
  const tensor_shape_t half = shape2(TENSOR_F16, 1, 2);
  assert_fails(tensor_npy_parse("t.npy", file.bytes, file.length, &half, &array),
               POD_INVALID_ARGUMENT,
               "t.npy holds invalid[1,2] with an unnamed type of 2 bytes, expected was "
               "f16[1,2]");
  make_npy(&file, "{'descr': '|V1', 'fortran_order': False, 'shape': (2, 2), }", data, 4);
  assert_fails(
      tensor_npy_parse("t.npy", file.bytes, file.length, NULL, &array),
      POD_INVALID_ARGUMENT,
      "t.npy holds invalid[2,2] with an unnamed type of 1 bytes, say what it is");
  const tensor_shape_t nibbles = shape2(TENSOR_S4, 2, 2);
  assert_null(tensor_npy_parse("t.npy", file.bytes, file.length, &nibbles, &array));
  const int8_t low_bits[] = {0, -1, 0, 0};
  assert_memory_equal(array.data, low_bits, 4);
  tensor_array_deinit(&array);
  make_npy(&file, "{'descr': 'bfloat16', 'fortran_order': False, 'shape': (2,), }", data,
           4);
  assert_null(tensor_npy_parse("t.npy", file.bytes, file.length, NULL, &array));
  assert_int_equal(array.shape.dtype, TENSOR_BF16);
  tensor_array_deinit(&array);
  pod_text_deinit(&file);
}

static void test_bools_from_outside_become_0_or_1(void **state) {
  (void)state;
  pod_text_t file = {0};
  tensor_array_t array = {0};
  make_npy(&file, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", "\0\1\xff",
           3);
  assert_null(tensor_npy_parse("t.npy", file.bytes, file.length, NULL, &array));
  assert_memory_equal(array.data, "\0\1\1", 3);
  tensor_array_deinit(&array);
  pod_text_deinit(&file);
}

typedef struct {
  const char *header, *message;
} refusal_t;

static void test_malformed_headers_are_refused(void **state) {
  (void)state;
  const refusal_t refusals[] = {
      {"", "t.npy is no .npy file: its header is no dictionary"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
       "t.npy is no .npy file: its header does not end"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2",
       "t.npy is no .npy file: its shape does not end"},
      {"{'descr': '<f4', 'fortran_order': False}",
       "t.npy is no .npy file: its header lacks descr, fortran_order or shape"},
      {"{'descr': '<f4', 'fortran_order': 1, 'shape': ()}",
       "t.npy is no .npy file: fortran_order is neither True nor False"},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (-1,)}",
       "t.npy is no .npy file: its shape holds something else than sizes"},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (99999999999999999999,)}",
       "t.npy is no .npy file: a size in its header exceeds 2^63 - 1"},
      {"{'descr': [('a', '<f4')], 'fortran_order': True, 'shape': ()}",
       "t.npy is no .npy file: its header has no text where one is expected "
       "(structured types are not supported)"},
      {"{'descr': '<U8', 'fortran_order': True, 'shape': ()}",
       "t.npy holds elements of type \"<U8\", which has no counterpart here"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
       "t.npy announces f32[3], which is 12 bytes, but holds 8"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
       "t.npy announces f32[1], which is 4 bytes, but holds 8"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2000000000000000000, 9)}",
       "t.npy: f32[2000000000000000000,9]: the size in bytes exceeds 2^63 - 1"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': "
       "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
       "t.npy has more than 16 dimensions"},
      {"{'what': '<f4'}", "t.npy is no .npy file: its header has a key of its own"},
  };
  pod_text_t file = {0};
  tensor_array_t array = {0};
  for (size_t i = 0; i < POD_COUNT_OF(refusals); i++) {
    make_npy(&file, refusals[i].header, "12345678", 8);
    if (i == 0) {
      file.length = 10;
    }
    assert_fails(tensor_npy_parse("t.npy", file.bytes, file.length, NULL, &array),
                 POD_INVALID_ARGUMENT, refusals[i].message);
    assert_null(array.data);
  }
  pod_text_deinit(&file);
}

static void test_every_prefix_of_a_file_is_refused(void **state) {
  (void)state;
  pod_text_t file = {0};
  tensor_array_t array = {0};
  make_npy(&file, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "12345678",
           8);
  for (size_t length = 0; length < file.length; length++) {
    char *exact = malloc(length + 1);  // So that a sanitizer sees what is read behind it.
    memcpy(exact, file.bytes, length);
    const pod_status_t status = tensor_npy_parse("t.npy", exact, length, NULL, &array);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    pod_status_free(status);
    free(exact);
  }
  pod_text_deinit(&file);
}

static void test_reading_says_which_file_and_why(void **state) {
  (void)state;
  tensor_array_t array = {0};
  assert_fails(tensor_npy_read("/nonexistent/x.npy", NULL, &array), POD_NOT_FOUND,
               "cannot open /nonexistent/x.npy: No such file or directory");
  tensor_shape_t found;
  assert_fails(tensor_npy_shape("/nonexistent/x.npy", &found), POD_NOT_FOUND,
               "cannot open /nonexistent/x.npy: No such file or directory");
  assert_fails(tensor_npy_check("/nonexistent/x.npy", NULL), POD_NOT_FOUND,
               "cannot open /nonexistent/x.npy: No such file or directory");
  assert_fails(tensor_npy_read("/tmp", NULL, &array), POD_INVALID_ARGUMENT,
               "/tmp is not a regular file");
  const tensor_shape_t shape = shape2(TENSOR_F32, 1, 1);
  assert_null(tensor_array_init(&array, &shape));
  assert_null(tensor_fill("ones", &array));
  assert_fails(tensor_npy_write("/nonexistent/x.npy", &array), POD_NOT_FOUND,
               "cannot write /nonexistent/x.npy: No such file or directory");
  tensor_array_deinit(&array);
}

static void test_an_array_that_does_not_fit_is_refused_with_its_size(void **state) {
  (void)state;
  tensor_array_t array = {0};
  const int64_t dims[] = {(int64_t)1 << 58};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 1, dims);
  assert_fails(tensor_array_init(&array, &shape), POD_RESOURCE_EXHAUSTED,
               "f32[288230376151711744] takes 1.0 EiB, the host has no memory for it");
  const int64_t none[] = {0};
  const tensor_shape_t empty = tensor_shape_make(TENSOR_F32, 1, none);
  assert_null(tensor_array_init(&array, &empty));
  assert_non_null(array.data);
  tensor_array_deinit(&array);
}

static double element(const tensor_array_t *array, int64_t index) {
  const size_t bytes = tensor_dtype_bytes(array->shape.dtype);
  return tensor_element_as_double(array->shape.dtype,
                                  (const char *)array->data + (size_t)index * bytes);
}

static void test_generators_fill_every_type(void **state) {
  (void)state;
  for (int i = 1; i < TENSOR_DTYPE_COUNT; i++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)i;
    const tensor_shape_t shape = shape2(dtype, 7, 11);
    tensor_array_t array = {0};
    assert_null(tensor_array_init(&array, &shape));
    assert_null(tensor_fill("ones", &array));
    char one[16];
    tensor_element_from_int64(dtype, 1, one);
    for (size_t e = 0; e < 77; e++) {
      const size_t bytes = tensor_dtype_bytes(dtype);
      assert_memory_equal((char *)array.data + e * bytes, one, bytes);
    }
    assert_null(tensor_fill("iota", &array));
    assert_true(dtype == TENSOR_F8E8M0FNU || element(&array, 1) == 1.0);
    assert_null(tensor_fill("random:9", &array));
    const bool is_integer = tensor_dtype_is_integer(dtype) || dtype == TENSOR_PRED;
    double lowest = INFINITY, highest = -INFINITY;
    for (int64_t e = 0; e < 77; e++) {
      lowest = fmin(lowest, element(&array, e));
      highest = fmax(highest, element(&array, e));
      assert_true(element(&array, e) == element(&array, e));
    }
    const double top = dtype == TENSOR_F8E8M0FNU ? 1.0 : 0x1.fffffffffffffp-1;
    assert_true(highest <= (is_integer ? 7 : top));
    assert_true(lowest >= (dtype == TENSOR_S2 ? -2 : is_integer ? 0 : -1));
    assert_true(highest > lowest);
    tensor_array_deinit(&array);
  }
}

static void test_random_numbers_are_the_same_everywhere(void **state) {
  (void)state;
  const tensor_shape_t shape = shape2(TENSOR_F32, 1, 3);
  tensor_array_t array = {0};
  assert_null(tensor_array_init(&array, &shape));
  assert_null(tensor_fill("random:0", &array));
  // The first outputs of SplitMix64 for the seed 0: e220a8397b1dcdaf, 6e789e6aa1b965f4,
  // 06c45d188009454f; their highest 25 bits less 2^24, over 2^24.
  assert_true(element(&array, 0) == (double)(0x1c44150 - 0x1000000) / 0x1p24);
  assert_true(element(&array, 1) == (double)(0x0dcf13c - 0x1000000) / 0x1p24);
  assert_true(element(&array, 2) == (double)(0x00d88ba - 0x1000000) / 0x1p24);
  tensor_array_deinit(&array);
}

static void test_constants_are_numbers_or_truths(void **state) {
  (void)state;
  const tensor_shape_t shape = shape2(TENSOR_S64, 1, 2);
  tensor_array_t array = {0};
  assert_null(tensor_array_init(&array, &shape));
  assert_null(tensor_fill("const:9007199254740993", &array));
  assert_true(((const int64_t *)array.data)[1] == 9007199254740993);
  assert_null(tensor_fill("const:1e3", &array));
  assert_true(((const int64_t *)array.data)[0] == 1000);
  assert_null(tensor_fill("const:true", &array));
  assert_true(((const int64_t *)array.data)[0] == 1);
  assert_fails(tensor_fill("const:one", &array), POD_INVALID_ARGUMENT,
               "const:one: that is no number");
  assert_fails(tensor_fill("random:-1", &array), POD_INVALID_ARGUMENT,
               "random:-1: the seed is a whole number from 0 to 2^64 - 1");
  assert_fails(tensor_fill("noise", &array), POD_INVALID_ARGUMENT,
               "there is no generator \"noise\"; there are zeros, ones, iota, "
               "random:SEED and const:VALUE");
  tensor_array_deinit(&array);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_was_written_is_read_back_for_every_type),
      cmocka_unit_test(test_shapes_of_any_rank_survive_a_file),
      cmocka_unit_test(test_fortran_order_and_big_endian_are_turned),
      cmocka_unit_test(test_a_void_type_is_what_is_expected),
      cmocka_unit_test(test_bools_from_outside_become_0_or_1),
      cmocka_unit_test(test_malformed_headers_are_refused),
      cmocka_unit_test(test_every_prefix_of_a_file_is_refused),
      cmocka_unit_test(test_reading_says_which_file_and_why),
      cmocka_unit_test(test_an_array_that_does_not_fit_is_refused_with_its_size),
      cmocka_unit_test(test_generators_fill_every_type),
      cmocka_unit_test(test_random_numbers_are_the_same_everywhere),
      cmocka_unit_test(test_constants_are_numbers_or_truths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
