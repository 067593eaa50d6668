#include "server/chip/torus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static torus_t parse(const char *text, const char *kind) {
  const chip_spec_t *spec = kind == NULL ? NULL : chip_spec_find(kind);
  torus_t torus;
  assert_null(torus_parse(text, spec, &torus, NULL));
  return torus;
}

static void assert_parses(const char *text, const char *kind, const char *topology,
                          const char *wraps) {
  const torus_t torus = parse(text, kind);
  pod_text_t printed = {0};
  torus_print(&printed, &torus);
  assert_string_equal(printed.bytes, topology);
  pod_text_deinit(&printed);
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    assert_int_equal(torus.wraps[d], wraps[d] == 'w');
  }
}

static void test_sizes_and_accelerator_names_give_a_topology(void **state) {
  (void)state;
  assert_parses("2x2", "v5e", "2x2", "...");
  assert_parses("4x2", "v5e", "4x2", "...");
  assert_parses("16x16", "v5e", "16x16", "ww.");
  assert_parses("8x16", "v6e", "8x16", ".w.");
  assert_parses("2x2x4", "v4", "2x2x4", "...");
  assert_parses("4x4x8", "v4", "4x4x8", "www");
  assert_parses("2x2x1", "v5p", "2x2", "...");
  assert_parses("v5litepod-1", NULL, "1x1", "...");
  assert_parses("v5litepod-4", NULL, "2x2", "...");
  assert_parses("v5litepod-8", NULL, "4x2", "...");
  assert_parses("v5e-256", NULL, "16x16", "ww.");
  assert_parses("v6e-8", "v6e", "4x2", "...");
  assert_parses("v4-8", NULL, "2x2", "...");
  assert_parses("v4-32", NULL, "2x2x4", "...");
  assert_parses("v5p-128", NULL, "4x4x4", "www");
  assert_parses("v3-32", NULL, "4x4", "ww.");
  assert_parses("tpu7x-16", NULL, "2x2x2", "...");
  assert_parses("3x5x7", NULL, "3x5x7", "...");
  assert_parses("v5litepod-16", NULL, "4x4", "...");
  assert_parses("v5litepod-128", NULL, "8x16", ".w.");
  assert_parses("v6e-256", NULL, "16x16", "ww.");
  assert_parses("v2-512", NULL, "16x16", "ww.");
  assert_parses("v3-2048", NULL, "32x32", "ww.");
  assert_parses("v4-4096", NULL, "8x16x16", "www");
  assert_parses("v5p-16", NULL, "2x2x2", "...");
  assert_parses("v5p-12288", NULL, "16x16x24", "www");
  assert_parses("tpu7x-128", NULL, "4x4x4", "www");
  assert_parses("v7c-4", NULL, "2x2", "...");
  assert_parses("4x4x2", "v5p", "4x4x2", "...");
  assert_parses("16x20x28", "v5p", "16x20x28", "www");
  assert_parses("24x16x24", "v7x", "24x16x24", "www");
}

static void test_an_accelerator_name_tells_the_kind(void **state) {
  (void)state;
  torus_t torus;
  const chip_spec_t *spec = NULL;
  assert_null(torus_parse("v5litepod-4", NULL, &torus, &spec));
  assert_string_equal(spec->name, "v5e");
  assert_null(torus_parse("2x2", NULL, &torus, &spec));
  assert_null(spec);
}

static void assert_refused(const char *text, const char *kind, const char *part) {
  torus_t torus;
  const pod_status_t status =
      torus_parse(text, kind == NULL ? NULL : chip_spec_find(kind), &torus, NULL);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_non_null(strstr(pod_status_message(status), part));
  pod_status_free(status);
}

static void test_a_bad_topology_is_refused_with_what_is_possible(void **state) {
  (void)state;
  assert_refused("", NULL, "2x2");
  assert_refused("4", NULL, "2x2");
  assert_refused("0x2", NULL, "2x2");
  assert_refused("2x", NULL, "2x2");
  assert_refused("x2", NULL, "2x2");
  assert_refused("2x2x2x2", NULL, "2x2");
  assert_refused("-2x2", NULL, "no accelerator");
  assert_refused("2x2 ", NULL, "2x2");
  assert_refused("99999999999999999999x2", NULL, "2x2");
  assert_refused("1000000x1000000", NULL, "65536");
  assert_refused("2x2x2", "v5e", "two");
  assert_refused("32x4", "v5e", "16x16x1");
  assert_refused("v5litepod-5", NULL, "v5litepod-4");
  assert_refused("v5litepod-512", NULL, "v5litepod-256");
  assert_refused("20x20x20", "v5p", "16x20x28");
  assert_refused("v4-12288", NULL, "v4-8192");
  assert_refused("v5litepod-", NULL, "count");
  assert_refused("v5litepod-4x", NULL, "count");
  assert_refused("v9-4", NULL, "v5litepod");
  assert_refused("v4-8", "v5e", "v4");
}

static void test_a_twisted_torus_is_not_implemented(void **state) {
  (void)state;
  torus_t torus;
  const pod_status_t status =
      torus_parse("4x4x8_twisted", chip_spec_find("v4"), &torus, NULL);
  assert_int_equal(pod_status_code(status), POD_UNIMPLEMENTED);
  assert_non_null(strstr(pod_status_message(status), "such as '4x4x8'"));
  pod_status_free(status);
  assert_parses("4x4x8_untwisted", "v4", "4x4x8", "www");
  assert_refused("4x4x8_", "v4", "2x2");
  assert_refused("4_twisted", "v4", "2x2");
}

static void test_coordinates_count_x_fastest(void **state) {
  (void)state;
  const torus_t torus = parse("4x2x3", NULL);
  assert_int_equal(torus_chip_count(&torus), 24);
  const torus_coords_t coords = torus_coords(&torus, 4 + 1 + 8);
  assert_int_equal(coords.at[0], 1);
  assert_int_equal(coords.at[1], 1);
  assert_int_equal(coords.at[2], 1);
  for (int32_t chip = 0; chip < 24; chip++) {
    assert_int_equal(torus_chip_at(&torus, torus_coords(&torus, chip)), chip);
  }
}

static void test_an_axis_of_two_has_one_link(void **state) {
  (void)state;
  torus_t torus = parse("2x1", NULL);
  torus.wraps[0] = true;
  assert_int_equal(torus_neighbour(&torus, 0, 0), 1);
  assert_int_equal(torus_neighbour(&torus, 0, 1), -1);
  assert_int_equal(torus_neighbour(&torus, 1, 0), -1);
  assert_int_equal(torus_neighbour(&torus, 1, 1), 0);
  assert_int_equal(torus_neighbour(&torus, 0, 2), -1);
}

// Every pair, on tori with and without wraparound: the hops lead there, in dimension
// order, over real links, and there are torus_distance of them.
static void check_routes(const torus_t *torus) {
  const int32_t count = torus_chip_count(torus);
  for (int32_t pair = 0; pair < count * count; pair++) {
    const int32_t to = pair % count;
    int32_t at = pair / count;
    int32_t hops = 0;
    torus_direction_t last = 0;
    int32_t left[TORUS_LINKS];
    (void)torus_hops(torus, at, to, left);
    while (at != to) {
      const torus_direction_t direction = torus_next_hop(torus, at, to);
      assert_true(direction / 2 >= last / 2);
      last = direction;
      left[direction]--;
      const int32_t next = torus_neighbour(torus, at, direction);
      assert_true(next >= 0);
      assert_int_equal(torus_neighbour(torus, next, direction ^ 1), at);
      assert_int_equal(torus_distance(torus, at, to),
                       torus_distance(torus, next, to) + 1);
      at = next;
      hops++;
    }
    assert_int_equal(hops, torus_distance(torus, pair / count, to));
    for (int d = 0; d < TORUS_LINKS; d++) {
      assert_int_equal(left[d], 0);
    }
    assert_int_equal(torus_next_hop(torus, to, to), -1);
  }
}

static void test_routes_lead_there_in_dimension_order(void **state) {
  (void)state;
  static const char *const sizes[] = {"1x1", "2x2", "4x2", "3x5", "2x2x4", "4x4x4"};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    for (int wraps = 0; wraps < 8; wraps++) {
      torus_t torus = parse(sizes[i], NULL);
      for (int d = 0; d < TORUS_DIMENSIONS; d++) {
        torus.wraps[d] = (wraps >> d & 1) != 0;
      }
      check_routes(&torus);
    }
  }
}

static void test_the_shorter_way_round_is_taken_and_a_tie_goes_up(void **state) {
  (void)state;
  torus_t torus = parse("4x1", NULL);
  torus.wraps[0] = true;
  assert_int_equal(torus_next_hop(&torus, 0, 3), 1);
  assert_int_equal(torus_next_hop(&torus, 0, 2), 0);
  assert_int_equal(torus_next_hop(&torus, 2, 0), 0);
  torus.wraps[0] = false;
  assert_int_equal(torus_next_hop(&torus, 0, 3), 0);
}

static void assert_device(const torus_t *torus, const char *kind, int32_t chip,
                          const char *expected) {
  pod_text_t text = {0};
  torus_print_device(&text, torus, torus_host(torus, chip_spec_find(kind), chip), chip);
  assert_string_equal(text.bytes, expected);
  pod_text_deinit(&text);
}

static void test_slices_come_before_the_star_and_their_chips_behind_one_another(
    void **state) {
  (void)state;
  assert_parses("2*16x16", "v5e", "2*16x16", "ww.");
  assert_parses("4*v5p-8", NULL, "4*2x2", "...");
  assert_parses("1*4x2", "v6e", "4x2", "...");
  assert_refused("*4x2", "v5e", "number of slices");
  assert_refused("0*4x2", "v5e", "number of slices");
  assert_refused("2*2*4x2", "v5e", "no topology");
  assert_refused("-1*4x2", "v5e", "number of slices");
  assert_refused("300*16x16", "v5e", "more than 65536 chips");
  assert_refused("1000000*16x16", "v5e", "more than 65536 chips");
  const torus_t torus = parse("3*4x2", "v5e");
  assert_int_equal(torus_chip_count(&torus), 24);
  assert_int_equal(torus_slice_of(&torus, 15), 1);
  assert_int_equal(torus_neighbour(&torus, 15, TORUS_DCN_UP), 23);
  assert_int_equal(torus_neighbour(&torus, 23, TORUS_DCN_UP), 7);
  assert_int_equal(torus_neighbour(&torus, 7, TORUS_DCN_DOWN), 23);
  assert_int_equal(torus_neighbour(&torus, 7, 2), -1);  // No link to the next slice.
  assert_int_equal(torus_host(&torus, chip_spec_find("v5e"), 9), 1);
  assert_int_equal(torus_host_first(&torus, chip_spec_find("v5e"), 13), 8);
  check_routes(&torus);
  const torus_t pair = parse("2*2x2", "v5e");
  assert_int_equal(torus_neighbour(&pair, 1, TORUS_DCN_UP), 5);
  assert_int_equal(torus_neighbour(&pair, 1, TORUS_DCN_DOWN), -1);
  assert_int_equal(torus_neighbour(&pair, 5, TORUS_DCN_UP), -1);
  assert_int_equal(torus_neighbour(&pair, 5, TORUS_DCN_DOWN), 1);
}

static void test_cores_of_a_chip_count_fastest_and_share_its_place(void **state) {
  (void)state;
  torus_t torus = parse("2*2x2", NULL);
  torus.core_count = 2;
  assert_int_equal(torus_chip_count(&torus), 16);
  for (int32_t chip = 0; chip < 16; chip++) {
    const torus_coords_t at = torus_coords(&torus, chip);
    assert_int_equal(at.core, chip % 2);
    assert_int_equal(at.at[0], chip / 2 % 2);
    assert_int_equal(at.slice, chip / 8);
    assert_int_equal(torus_chip_at(&torus, at), chip);
  }
  assert_int_equal(torus_neighbour(&torus, 2, TORUS_DIE_UP), 3);
  assert_int_equal(torus_neighbour(&torus, 3, TORUS_DIE_DOWN), 2);
  assert_int_equal(torus_neighbour(&torus, 3, TORUS_DIE_UP), -1);
  check_routes(&torus);
}

static void test_a_kind_with_a_device_per_core_has_two_at_each_place(void **state) {
  (void)state;
  const torus_t torus = parse("2*tpu7x-16", "v7x-cores");  // Names count cores.
  assert_int_equal(torus_slice_chip_count(&torus), 16);
  assert_int_equal(torus_chip_count(&torus), 32);
  assert_int_equal(torus_core_total(&torus), 2);
  const torus_t one = parse("v3-8", "v3-cores");
  assert_int_equal(torus_chip_count(&one), 8);
  assert_int_equal(torus_host(&one, chip_spec_find("v3-cores"), 7), 0);
}

static void test_processes_share_slices_whole_or_in_equal_parts(void **state) {
  (void)state;
  const chip_spec_t *v5e = chip_spec_find("v5e");
  const torus_t torus = parse("4*4x4", "v5e");
  static const int32_t parts[] = {1, 2, 4, 8, 16};
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
    int32_t box[TORUS_DIMENSIONS], counts[16] = {0};
    assert_null(torus_cut(&torus, v5e, parts[i], box));
    for (int32_t chip = 0; chip < 64; chip++) {
      counts[torus_part(&torus, box, parts[i], chip)]++;
    }
    for (int32_t p = 0; p < parts[i]; p++) {
      assert_int_equal(counts[p], 64 / parts[i]);
    }
  }
  int32_t box[TORUS_DIMENSIONS];
  const pod_status_t status = torus_cut(&torus, v5e, 3, box);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_non_null(strstr(pod_status_message(status), "4 slices of 16 chips"));
  pod_status_free(status);
}

static void test_devices_print_as_in_jax(void **state) {
  (void)state;
  const torus_t one_host = parse("4x2", "v5e");
  assert_device(&one_host, "v5e", 0,
                "TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0)");
  assert_device(&one_host, "v5e", 5,
                "TpuDevice(id=5, process_index=0, coords=(1,1,0), core_on_chip=0)");
  const torus_t four_hosts = parse("4x4x1", "v4");
  assert_device(&four_hosts, "v4", 15,
                "TpuDevice(id=15, process_index=3, coords=(3,3,0), core_on_chip=0)");
}

static void assert_cut(const char *kind, const char *topology, int32_t parts, int32_t x,
                       int32_t y, int32_t z) {
  const chip_spec_t *spec = chip_spec_find(kind);
  torus_t torus;
  int32_t box[TORUS_DIMENSIONS];
  assert_null(torus_parse(topology, spec, &torus, NULL));
  assert_null(torus_cut(&torus, spec, parts, box));
  assert_int_equal(box[0], x);
  assert_int_equal(box[1], y);
  assert_int_equal(box[2], z);
  // Every box has the same number of chips.
  int32_t *counts = calloc((size_t)parts, sizeof(*counts));
  for (int32_t chip = 0; chip < torus_chip_count(&torus); chip++) {
    const int32_t at = torus_box(&torus, box, chip);
    assert_in_range(at, 0, parts - 1);
    counts[at]++;
  }
  for (int32_t part = 0; part < parts; part++) {
    assert_int_equal(counts[part], torus_chip_count(&torus) / parts);
  }
  free(counts);
}

static void test_processes_share_a_torus_in_boxes_as_hosts_do(void **state) {
  (void)state;
  assert_cut("v5e", "4x2", 1, 4, 2, 1);
  assert_cut("v5e", "4x2", 2, 2, 2, 1);
  assert_cut("v5e", "4x2", 4, 2, 1, 1);
  assert_cut("v5e", "4x2", 8, 1, 1, 1);
  assert_cut("v5e", "4x4", 2, 4, 2, 1);
  assert_cut("v5e", "4x4", 4, 2, 2, 1);
  assert_cut("v5e", "8x8", 8, 4, 2, 1);
  assert_cut("v4", "2x2x4", 4, 2, 2, 1);
  assert_cut("v5p", "4x4x4", 16, 2, 2, 1);
  assert_cut("v5p", "4x4x4", 8, 2, 2, 2);
  assert_cut("v5e", "3x2", 3, 1, 2, 1);
  const torus_t torus = parse("2x2", "v5e");
  int32_t box[TORUS_DIMENSIONS];
  for (int32_t parts = 0; parts < 9; parts += 3) {
    const pod_status_t status = torus_cut(&torus, chip_spec_find("v5e"), parts, box);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    pod_status_free(status);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes_and_accelerator_names_give_a_topology),
      cmocka_unit_test(test_an_accelerator_name_tells_the_kind),
      cmocka_unit_test(test_a_bad_topology_is_refused_with_what_is_possible),
      cmocka_unit_test(test_coordinates_count_x_fastest),
      cmocka_unit_test(test_an_axis_of_two_has_one_link),
      cmocka_unit_test(test_routes_lead_there_in_dimension_order),
      cmocka_unit_test(test_the_shorter_way_round_is_taken_and_a_tie_goes_up),
      cmocka_unit_test(
          test_slices_come_before_the_star_and_their_chips_behind_one_another),
      cmocka_unit_test(test_cores_of_a_chip_count_fastest_and_share_its_place),
      cmocka_unit_test(test_a_kind_with_a_device_per_core_has_two_at_each_place),
      cmocka_unit_test(test_processes_share_slices_whole_or_in_equal_parts),
      cmocka_unit_test(test_devices_print_as_in_jax),
      cmocka_unit_test(test_a_twisted_torus_is_not_implemented),
      cmocka_unit_test(test_processes_share_a_torus_in_boxes_as_hosts_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
