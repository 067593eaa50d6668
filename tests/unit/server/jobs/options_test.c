// Compile options of a job: as text they come back as they were, and what is none is
// refused.

#include "server/jobs/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"

static job_sharding_t in_shardings[] = {{"params['w']", "P('x', None)"},
                                        {"a 3:b\nmesh", "P()"}};
static job_sharding_t out_shardings[] = {{"0", "P(('x', 'y'))"}};
static int64_t order[] = {3, 0, 2, 1};

static job_options_t all(void) {
  return (job_options_t){.algorithms = "all_reduce=ring",
                         .collectives = "off",
                         .mesh = "x=2,y=2",
                         .propagation = "shardy",
                         .donate = "cache, 3\n",
                         .in_count = 2,
                         .in_shardings = in_shardings,
                         .out_count = 1,
                         .out_shardings = out_shardings,
                         .order_count = 4,
                         .order = order};
}

static char *printed(const job_options_t *options) {
  pod_text_t text = {0};
  job_options_print(options, &text);
  return pod_text_take(&text);
}

static void test_all_options_come_back_as_they_were(void **state) {
  (void)state;
  const job_options_t options = all();
  char *text = printed(&options);
  job_options_t read, copy;
  assert_null(job_options_read(text, &read));
  job_options_copy(&read, &copy);
  job_options_deinit(&read);
  assert_string_equal(copy.algorithms, options.algorithms);
  assert_string_equal(copy.collectives, options.collectives);
  assert_string_equal(copy.mesh, options.mesh);
  assert_string_equal(copy.propagation, options.propagation);
  assert_string_equal(copy.donate, options.donate);
  assert_int_equal(copy.in_count, 2);
  assert_string_equal(copy.in_shardings[1].name, in_shardings[1].name);
  assert_string_equal(copy.in_shardings[0].spec, in_shardings[0].spec);
  assert_int_equal(copy.out_count, 1);
  assert_string_equal(copy.out_shardings[0].spec, out_shardings[0].spec);
  assert_int_equal(copy.order_count, 4);
  assert_memory_equal(copy.order, order, sizeof(order));
  job_options_deinit(&copy);
  free(text);
}

static void test_none_is_no_text(void **state) {
  (void)state;
  char *text = printed(&(job_options_t){.mesh = ""});
  assert_string_equal(text, "");
  job_options_t read;
  assert_null(job_options_read(text, &read));
  assert_string_equal(read.mesh, "");
  assert_int_equal(read.in_count + read.out_count + read.order_count, 0);
  job_options_deinit(&read);
  free(text);
}

static void test_what_is_cut_or_unknown_is_refused(void **state) {
  (void)state;
  const job_options_t options = all();
  char *text = printed(&options);
  const size_t length = strlen(text);
  for (size_t cut = 1; cut < length; cut++) {
    if (text[cut - 1] == '\n') {
      continue;  // A whole line less is text of other options, or cut within a text.
    }
    char *part = pod_strdup(text);
    part[cut] = '\0';
    job_options_t read;
    const pod_status_t status = job_options_read(part, &read);
    if (pod_status_code(status) != POD_INVALID_ARGUMENT) {
      fail_msg("\"%s\" is read", part);
    }
    pod_status_free(status);
    free(part);
  }
  free(text);
  static const char *const wrong[] = {"\n",
                                      "mesh\n",
                                      "mesh 3:ab\n",
                                      "mesh -1:\n",
                                      "mesh 1:ab\n",
                                      "unknown 1:a\n",
                                      "device-order x\n",
                                      "in-sharding 1:a\n",
                                      "mesh 99999999999:a\n",
                                      "device-order 12345678901\n"};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    job_options_t read;
    const pod_status_t status = job_options_read(wrong[i], &read);
    if (pod_status_code(status) != POD_INVALID_ARGUMENT) {
      fail_msg("\"%s\" is read", wrong[i]);
    }
    pod_status_free(status);
  }
}

static void test_what_is_too_long_is_refused_by_its_name(void **state) {
  (void)state;
  char *text = pod_alloc(JOB_OPTION_BYTES_MAX + 2);
  memset(text, 'a', JOB_OPTION_BYTES_MAX);
  assert_null(job_options_check(&(job_options_t){.mesh = text}));
  text[JOB_OPTION_BYTES_MAX] = 'a';
  pod_status_t status = job_options_check(&(job_options_t){.donate = text});
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_non_null(strstr(pod_status_message(status), "--donate"));
  pod_status_free(status);
  text[JOB_OPTION_BYTES_MAX] = '\0';
  job_sharding_t many[JOB_OPTIONS_BYTES_MAX / JOB_OPTION_BYTES_MAX];
  for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
    many[i] = (job_sharding_t){"0", text};
  }
  status = job_options_check(
      &(job_options_t){.in_count = sizeof(many) / sizeof(many[0]), .in_shardings = many});
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_options_come_back_as_they_were),
      cmocka_unit_test(test_none_is_no_text),
      cmocka_unit_test(test_what_is_cut_or_unknown_is_refused),
      cmocka_unit_test(test_what_is_too_long_is_refused_by_its_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
