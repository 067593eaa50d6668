#include "server/chip/spec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "server/chip/figures.h"
#include "server/chip/torus.h"

static chip_spec_t *parse(const char *text) {
  chip_spec_t *spec = NULL;
  const pod_status_t status = chip_spec_parse("my.chip", text, strlen(text), &spec);
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
  return spec;
}

static void assert_refused_bytes(const char *text, size_t size_bytes, const char *part) {
  chip_spec_t *spec = NULL;
  const pod_status_t status = chip_spec_parse("my.chip", text, size_bytes, &spec);
  assert_null(spec);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  if (strstr(pod_status_message(status), part) == NULL) {
    fail_msg("'%s' is not in: %s", part, pod_status_message(status));
  }
  pod_status_free(status);
}

static void assert_refused(const char *text, const char *part) {
  assert_refused_bytes(text, strlen(text), part);
}

static void assert_same(const chip_spec_t *a, const chip_spec_t *b) {
  chip_spec_t with_the_same_names = *b;
  assert_string_equal(a->name, b->name);
  assert_string_equal(a->accelerator, b->accelerator);
  with_the_same_names.name = a->name;
  with_the_same_names.accelerator = a->accelerator;
  with_the_same_names.device_kind = a->device_kind;
  pod_text_t left = {0}, right = {0};
  chip_spec_print(&left, a);
  chip_spec_print(&right, &with_the_same_names);
  assert_string_equal(left.bytes, right.bytes);
  pod_text_deinit(&left);
  pod_text_deinit(&right);
}

// A figure that is missing from a row is 0 without anyone saying so.
static void test_every_figure_of_every_kind_has_a_source(void **state) {
  (void)state;
  for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
    for (size_t i = 0; i < CHIP_FIGURE_COUNT; i++) {
      const char *source = chip_spec_source(*row, chip_figures[i].key);
      if (source == NULL || strlen(source) < 6) {
        fail_msg("%s: %s has no source", (*row)->name, chip_figures[i].key);
      }
    }
    assert_null(chip_spec_source(*row, "cores"));
  }
  chip_spec_t *own = parse("base = v5e");
  assert_null(chip_spec_source(own, "hbm_bytes"));
  chip_spec_destroy(own);
}

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; at++) {
    count++;
  }
  return count;
}

static void test_the_list_has_every_kind_with_every_figure_unit_and_source(void **state) {
  (void)state;
  pod_text_t list = {0};
  chip_spec_list(&list);
  int kinds = 0;
  while (chip_spec_all()[kinds] != NULL) {
    kinds++;
  }
  assert_int_equal(count_of(list.bytes, "\"accelerator\""), kinds);
  assert_int_equal(count_of(list.bytes, "\"source\": \""), kinds * CHIP_FIGURE_COUNT);
  assert_int_equal(count_of(list.bytes, "\\"), 0);  // Nothing to escape.
  assert_non_null(strstr(list.bytes,
                         "{\"name\": \"hbm_bytes\", \"value\": 17179869184, \"unit\": "
                         "\"B\", \"says\": \"HBM\", \"source\": \""));
  assert_non_null(strstr(list.bytes, "\"value\": [2, 2, 1]"));
  pod_text_deinit(&list);
}

// "Ran out of memory in memory space hbm. Used 18.2G of 15.75G hbm": what XLA has.
static void test_programs_get_what_xla_says_of_the_hbm(void **state) {
  (void)state;
  const struct {
    const char *kind;
    double gib;
  } cases[] = {{"v2c", 7.48}, {"v3c", 15.48}, {"v4", 30.75},  {"v5e", 15.75},
               {"v5p", 95.0}, {"v6e", 31.25}, {"v7c", 94.75}, {"v7x", 2 * 94.75}};
  for (size_t i = 0; i < POD_COUNT_OF(cases); i++) {
    const chip_spec_t *spec = chip_spec_find(cases[i].kind);
    const double usable =
        (double)chip_spec_hbm_usable_bytes(spec) / (double)((int64_t)1 << 30);
    assert_true(fabs(usable - cases[i].gib) < 0.005);
  }
}

static void test_every_kind_is_complete(void **state) {
  (void)state;
  for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
    const chip_spec_t *spec = *row;
    assert_ptr_equal(chip_spec_find(spec->name), spec);
    assert_true(spec->torus_dimensions == 2 || spec->torus_dimensions == 3);
    assert_true(spec->wraparound > 0 && spec->cores_per_chip > 0);
    assert_true(spec->hbm_bytes > spec->vmem_bytes && spec->vmem_bytes > 0);
    assert_true(spec->vmem_bytes_per_s > spec->hbm_bytes_per_s);
    assert_true(spec->hbm_bytes_per_s > spec->ici_bytes_per_s);
    assert_true(spec->bf16_flop_per_s > spec->vpu_op_per_s && spec->vpu_op_per_s > 0);
    assert_true(spec->hbm_fraction > 0.8 && spec->hbm_fraction < 1);
    assert_true(spec->mxu_fraction > 0.8 && spec->mxu_fraction < 1);
    assert_true(spec->launch_ps > 0 && spec->kernel_ps > 0 && spec->loop_turn_ps >= 0 &&
                spec->dma_latency_ps > 0);
    assert_true(spec->ici_hop_ps > 0 && spec->collective_startup_ps > 0);
    assert_true(spec->async_start_ps > 0 && spec->async_done_ps > 0);
    assert_true(!spec->is_megacore || spec->cores_per_chip == 2);
  }
  assert_null(chip_spec_find("v1"));
  assert_ptr_equal(chip_spec_find("V5E"), chip_spec_find("v5e"));
}

static void test_a_core_is_half_of_its_chip(void **state) {
  (void)state;
  static const char *const names[][2] = {{"v2", "v2c"}, {"v3", "v3c"}, {"v7x", "v7c"}};
  for (size_t i = 0; i < 3; i++) {
    const chip_spec_t *chip = chip_spec_find(names[i][0]);
    const chip_spec_t *core = chip_spec_find(names[i][1]);
    assert_int_equal(core->cores_per_chip, 1);
    assert_int_equal(chip->hbm_bytes, 2 * core->hbm_bytes);
    assert_int_equal(chip->vmem_bytes, 2 * core->vmem_bytes);
    assert_true(chip->bf16_flop_per_s == 2 * core->bf16_flop_per_s);
    assert_true(chip->hbm_bytes_per_s == 2 * core->hbm_bytes_per_s);
    assert_true(chip->vpu_op_per_s == 2 * core->vpu_op_per_s);
    assert_true(chip->ici_bytes_per_s == 2 * core->ici_bytes_per_s);
    assert_true(chip->hbm_fraction == core->hbm_fraction);
    assert_true(chip->mxu_fraction == core->mxu_fraction);
    assert_int_equal(chip->launch_ps, core->launch_ps);
    assert_int_equal(chip->kernel_ps, core->kernel_ps);
    assert_int_equal(chip->collective_startup_ps, core->collective_startup_ps);
  }
}

static void test_devices_of_a_chip_share_its_links_and_halve_the_rest(void **state) {
  (void)state;
  static const char *const names[][2] = {
      {"v2", "v2-cores"}, {"v3", "v3-cores"}, {"v7x", "v7x-cores"}};
  for (size_t i = 0; i < 3; i++) {
    const chip_spec_t *chip = chip_spec_find(names[i][0]);
    const chip_spec_t *device = chip_spec_find(names[i][1]);
    assert_int_equal(device->devices_per_chip, 2);
    assert_string_equal(chip->device_kind, device->device_kind);
    assert_int_equal(chip->hbm_bytes, 2 * device->hbm_bytes);
    assert_true(chip->bf16_flop_per_s == 2 * device->bf16_flop_per_s);
    assert_true(chip->hbm_bytes_per_s == 2 * device->hbm_bytes_per_s);
    assert_true(chip->pcie_bytes_per_s == 2 * device->pcie_bytes_per_s);
    assert_true(chip->dcn_bytes_per_s == 2 * device->dcn_bytes_per_s);
    assert_true(chip->ici_bytes_per_s == device->ici_bytes_per_s);
    assert_true(device->die_bytes_per_s == 6 * device->ici_bytes_per_s);
  }
}

static void test_what_is_printed_is_read_back_to_the_bit(void **state) {
  (void)state;
  for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
    pod_text_t text = {0};
    chip_spec_t renamed = **row;
    renamed.name = "mine";
    chip_spec_print(&text, &renamed);
    chip_spec_t *spec = parse(text.bytes);
    assert_same(spec, &renamed);
    chip_spec_destroy(spec);
    pod_text_deinit(&text);
  }
}

static void test_every_field_is_optional(void **state) {
  (void)state;
  chip_spec_t *spec = parse("");
  chip_spec_t expected = *chip_spec_find("v5e");
  expected.name = "custom";
  assert_same(spec, &expected);
  chip_spec_destroy(spec);
  spec = parse("base = v4\n");
  expected = *chip_spec_find("v4");
  expected.name = "custom";
  assert_same(spec, &expected);
  chip_spec_destroy(spec);
}

static void test_fields_replace_those_of_the_base(void **state) {
  (void)state;
  chip_spec_t *spec = parse(
      "# A chip that nobody sells.\r\n"
      "base = v5e\r\n"
      "\t name=v5e-fat  # with a comment\n"
      "\n"
      "hbm_bytes = 32 GiB\n"
      "vmem_bytes = 1.5MiB\n"
      "ici_bytes_per_s = 90e9\n"
      "chips_per_host = 2x2\n"
      "is_megacore = true\n"
      "ici_hop_ps = 500000");
  assert_string_equal(spec->name, "v5e-fat");
  assert_string_equal(spec->accelerator, "v5litepod");
  assert_true(spec->hbm_bytes == (int64_t)32 << 30);
  assert_int_equal(spec->vmem_bytes, 3 << 19);
  assert_true(spec->ici_bytes_per_s == 90e9);
  assert_int_equal(spec->chips_per_host[1], 2);
  assert_int_equal(spec->chips_per_host[2], 1);
  assert_true(spec->is_megacore);
  assert_int_equal(spec->ici_hop_ps, 500000);
  assert_true(spec->bf16_flop_per_s == chip_spec_find("v5e")->bf16_flop_per_s);
  chip_spec_destroy(spec);
}

static void test_a_broken_description_is_refused_with_file_line_and_key(void **state) {
  (void)state;
  assert_refused("base = v5e\n\nhbm_byte = 5\n", "my.chip:3: hbm_byte: is no key; there");
  assert_refused("base = v9\n",
                 "my.chip:1: base: there is no chip 'v9'; there are v2 v3");
  assert_refused("name = a\nbase = v4\n", "my.chip:2: base: must be the first key");
  assert_refused("name = v4\n", "my.chip:1: name: 'v4' is the name of a chip");
  assert_refused("name = a b\n", "my.chip:1: name: 'a b' is no name");
  assert_refused("name = a/b\n", "is no name");
  assert_refused("name = 0123456789012345678901234567890123456789\n", "is no name");
  assert_refused("hbm_bytes = 1 GiB\nhbm_bytes = 2 GiB\n",
                 "my.chip:2: hbm_bytes: is given");
  assert_refused("name = a\nname = b\n", "my.chip:2: name: is given twice");
  assert_refused("hbm_bytes\n", "my.chip:1: 'hbm_bytes' is not of the form key = value");
  assert_refused("hbm_bytes =\n", "my.chip:1: hbm_bytes: has no value");
  assert_refused("= 5\n", "is no key");
  assert_refused("hbm_bytes = 128 MiB\n",
                 "my.chip: hbm_reserved_bytes = 268435456 leaves nothing of hbm_bytes = "
                 "134217728");
  assert_refused("hbm_bytes = 5 GB\n", "my.chip:1: hbm_bytes: '5 GB' is no size");
  assert_refused("hbm_bytes = 0\n", "my.chip:1: hbm_bytes: 0 is not from 1048576 to");
  assert_refused("hbm_bytes = -1 GiB\n", "is not from");
  assert_refused("hbm_bytes = 1e300 GiB\n", "is not from");
  assert_refused("hbm_bytes = 1048576.5\n", "is no whole number");
  assert_refused("mxu_fraction = 1.1\n", "my.chip:1: mxu_fraction: 1.1 is not from 0.01");
  assert_refused("mxu_fraction = nan\n", "is no number");
  assert_refused("mxu_fraction = 0x1p-1\n", "is no number");
  assert_refused("mxu_fraction = 1e999\n", "is no number");
  assert_refused("mxu_fraction = 0.5x\n", "is no number");
  assert_refused("ici_bytes_per_s = 0\n", "is not from");
  assert_refused("ici_hop_ps = 1e13\n", "is not from");
  assert_refused("wraparound = 1.5\n", "is no whole number");
  assert_refused("is_megacore = yes\n", "'yes' is neither true nor false");
  assert_refused("chips_per_host = 4\n", "my.chip:1: chips_per_host: '4' is no list");
  assert_refused("chips_per_host = 4x\n", "is no list of sizes");
  assert_refused("chips_per_host = 2x2x2x2\n", "is no list of sizes");
  assert_refused("chips_per_host = 0x2\n", "is not from");
  assert_refused("chips_per_host = 64x64\n", "4096 chips, more than 64");
  assert_refused("largest_slice = 99999999999999999999x2\n", "is not from");
  assert_refused("largest_slice = 4x4x4\n", "torus_dimensions = 2, but largest_slice");
  assert_refused("torus_dimensions = 4\n", "is not from 2 to 3");
  assert_refused_bytes("name = a\0b", 10, "my.chip:1: a byte of 0");
}

static void test_a_description_is_bounded(void **state) {
  (void)state;
  char *text = malloc(CHIP_SPEC_TEXT_MAX + 1);
  memset(text, '\n', CHIP_SPEC_TEXT_MAX + 1);
  assert_refused_bytes(text, CHIP_SPEC_TEXT_MAX + 1, "at most 65536 bytes");
  memset(text, 'a', CHIP_SPEC_TEXT_MAX);
  assert_refused_bytes(text, CHIP_SPEC_TEXT_MAX, "is not of the form key = value");
  memcpy(text, "name = ", 7);
  assert_refused_bytes(text, CHIP_SPEC_TEXT_MAX, "more than 127 bytes");
  free(text);
}

static void test_a_described_chip_makes_tori_by_its_own_rules(void **state) {
  (void)state;
  chip_spec_t *spec = parse("base = v5e\nwraparound = 4\nlargest_slice = 32x32\n");
  torus_t torus;
  const chip_spec_t *used = NULL;
  assert_null(torus_parse("v5litepod-16", spec, &torus, &used));
  assert_ptr_equal(used, spec);
  assert_true(torus.wraps[0] && torus.wraps[1]);
  assert_null(torus_parse("32x32", spec, &torus, &used));
  chip_spec_destroy(spec);
  spec = parse("wraparound = 0\n");
  assert_null(torus_parse("16x16", spec, &torus, NULL));
  assert_false(torus.wraps[0] || torus.wraps[1]);
  chip_spec_destroy(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_figure_of_every_kind_has_a_source),
      cmocka_unit_test(test_the_list_has_every_kind_with_every_figure_unit_and_source),
      cmocka_unit_test(test_programs_get_what_xla_says_of_the_hbm),
      cmocka_unit_test(test_every_kind_is_complete),
      cmocka_unit_test(test_a_core_is_half_of_its_chip),
      cmocka_unit_test(test_devices_of_a_chip_share_its_links_and_halve_the_rest),
      cmocka_unit_test(test_what_is_printed_is_read_back_to_the_bit),
      cmocka_unit_test(test_every_field_is_optional),
      cmocka_unit_test(test_fields_replace_those_of_the_base),
      cmocka_unit_test(test_a_broken_description_is_refused_with_file_line_and_key),
      cmocka_unit_test(test_a_description_is_bounded),
      cmocka_unit_test(test_a_described_chip_makes_tori_by_its_own_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
