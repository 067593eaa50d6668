// What coordinator and runner say to each other, whatever stands in it.

#include "server/jobs/orders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"

static pod_status_t read_all(const char *text, job_orders_t *orders) {
  char *copy = pod_strdup(text), *rest = copy;
  bool is_all = false;
  pod_status_t status = NULL;
  while (status == NULL && !is_all && rest != NULL) {
    status = job_orders_read(strsep(&rest, "\n"), orders, &is_all);
  }
  free(copy);
  return status;
}

static void test_orders_come_as_they_went(void **state) {
  (void)state;
  job_array_t inputs[] = {
      {.name = "a b%\n\xc3\xa9", .dtype = "bf16", .rank = 2, .dims = {3, 0}},
      {.name = "", .dtype = "f32", .rank = 0, .data = {.digest = {7}, .size_bytes = 4}}};
  int64_t chips[] = {0, 1, 4, 5};
  job_sharding_t in_shardings[] = {{"a b\n%", "P('x', None)"}};
  const job_orders_t orders = {.id = 1234567890123,
                               .attempt = 3,
                               .address = "unix:/a folder/of\tours",
                               .token = "0123",
                               .folder = "",
                               .name = "%-",
                               .file_name = "f%20.mlir",
                               .module = {.digest = {1, 2, 255}, .size_bytes = 99},
                               .input_count = 2,
                               .inputs = inputs,
                               .chip_count = 4,
                               .chips = chips,
                               .wants_profile = true,
                               .options = {.mesh = "x=2,y=2",
                                           .collectives = "off",
                                           .in_count = 1,
                                           .in_shardings = in_shardings}};
  pod_text_t text = {0};
  job_orders_print(&orders, &text);
  job_orders_t read = {0};
  assert_null(read_all(text.bytes, &read));
  assert_int_equal(read.id, orders.id);
  assert_int_equal(read.attempt, 3);
  assert_true(read.wants_profile);
  assert_string_equal(read.address, orders.address);
  assert_string_equal(read.folder, "");
  assert_string_equal(read.name, "%-");
  assert_string_equal(read.file_name, orders.file_name);
  assert_true(job_blob_equal(&read.module, &orders.module));
  assert_int_equal(read.input_count, 2);
  assert_string_equal(read.inputs[0].name, inputs[0].name);
  assert_int_equal(read.inputs[0].dims[0], 3);
  assert_int_equal(read.inputs[1].data.size_bytes, 4);
  assert_int_equal(read.chip_count, 4);
  assert_memory_equal(read.chips, chips, sizeof(chips));
  assert_string_equal(read.options.mesh, "x=2,y=2");
  assert_string_equal(read.options.collectives, "off");
  assert_int_equal(read.options.in_count, 1);
  assert_string_equal(read.options.in_shardings[0].name, in_shardings[0].name);
  assert_string_equal(read.options.in_shardings[0].spec, in_shardings[0].spec);
  pod_text_deinit(&text);
  job_orders_deinit(&read);
}

static void expect_told(const job_told_t *told) {
  pod_text_t text = {0};
  job_told_print(told, &text);
  assert_int_equal(text.bytes[text.length - 1], '\n');
  text.bytes[text.length - 1] = '\0';
  assert_null(strchr(text.bytes, '\n'));
  job_told_t read;
  assert_null(job_told_read(text.bytes, &read));
  assert_int_equal(read.word, told->word);
  assert_int_equal(read.code, told->code);
  if (told->text != NULL) {
    assert_string_equal(read.text, told->text);
  }
  assert_int_equal(read.array.rank, told->array.rank);
  assert_int_equal(read.blob.size_bytes, told->blob.size_bytes);
  pod_text_deinit(&text);
  job_told_deinit(&read);
}

static void test_what_is_told_comes_as_it_went(void **state) {
  (void)state;
  expect_told(&(job_told_t){.word = JOB_WORD_PROGRESS, .text = "running 3 of 8\nfast"});
  expect_told(&(job_told_t){.word = JOB_WORD_PROGRESS, .text = ""});
  expect_told(&(job_told_t){.word = JOB_WORD_DONE});
  expect_told(&(job_told_t){
      .word = JOB_WORD_FAILED, .code = POD_UNAVAILABLE, .text = "chip 3 %00 is gone"});
  expect_told(&(job_told_t){.word = JOB_WORD_PROFILE, .blob = {.size_bytes = 12}});
  expect_told(
      &(job_told_t){.word = JOB_WORD_RESULT,
                    .array = {.name = "r", .dtype = "f32", .rank = 1, .dims = {5}}});
}

static void test_what_is_no_such_line_is_refused(void **state) {
  (void)state;
  static const char digest[] =
      "0000000000000000000000000000000000000000000000000000000000000000";
  char many[256];
  snprintf(many, sizeof(many), "result r f32 %s 4 17", digest);
  const char *const wrong[] = {"",
                               "don",
                               "done done",
                               "failed 0 well",
                               "failed 99 x",
                               "failed 14",
                               "failed -1 x",
                               "progress a%",
                               "progress a%zz",
                               "progress %00",
                               "profile abc 3",
                               "result r f32",
                               many,
                               "report",
                               "  done"};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    char *line = pod_strdup(wrong[i]);
    job_told_t told;
    const pod_status_t status = job_told_read(line, &told);
    if (pod_status_code(status) != POD_INVALID_ARGUMENT) {
      fail_msg("\"%s\" is read", wrong[i]);
    }
    pod_status_free(status);
    free(line);
  }
  static const char *const no_orders[] = {
      "chip",    "chip -1", "chip 99999999", "job 1",        "job 1 2 3",
      "nothing", "run now", "options",       "options mesh", "options mesh%203:ab%0a"};
  for (size_t i = 0; i < sizeof(no_orders) / sizeof(no_orders[0]); i++) {
    job_orders_t orders = {0};
    const pod_status_t status = read_all(no_orders[i], &orders);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    pod_status_free(status);
    job_orders_deinit(&orders);
  }
}

// Lines of random words: nothing is read beyond its end (with the sanitizers).
static void test_random_lines_do_no_harm(void **state) {
  (void)state;
  static const char letters[] = "progesultdnfai%0 1234567890-";
  unsigned seed = 99;
  for (int round = 0; round < 20000; round++) {
    char line[64];
    const size_t length = (size_t)(rand_r(&seed) % 63);
    for (size_t i = 0; i < length; i++) {
      line[i] = letters[(size_t)rand_r(&seed) % (sizeof(letters) - 1)];
    }
    line[length] = '\0';
    if (round % 3 == 0 && length > 9) {
      memcpy(line, "progress ", 9);
    }
    char *copy = pod_strdup(line);
    job_told_t told;
    const pod_status_t status = job_told_read(copy, &told);
    if (status == NULL) {
      job_told_deinit(&told);
    }
    pod_status_free(status);
    free(copy);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders_come_as_they_went),
      cmocka_unit_test(test_what_is_told_comes_as_it_went),
      cmocka_unit_test(test_what_is_no_such_line_is_refused),
      cmocka_unit_test(test_random_lines_do_no_harm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
