// Workers that a podium-host runs get the blocks that real slices give to hosts.

#include "server/coordinator/core/places_hosts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static places_t *make_pod(const char *kind, const char *topology) {
  const chip_spec_t *spec = chip_spec_find(kind);
  assert_non_null(spec);
  torus_t torus;
  assert_null(torus_parse(topology, spec, &torus, NULL));
  return places_create(spec, &torus);
}

// Worker `index` of a host.
typedef struct wish_t {
  const char *host;
  int32_t chips, rank, index;
  const torus_coords_t *former;
} wish_t;

static int number_of_next = 5000;

static pod_status_t claim(places_t *places, const wish_t *wish, int32_t *out_chip) {
  char address[32];
  snprintf(address, sizeof(address), "127.0.0.1:%d", number_of_next++);
  const place_claim_t claim = {
      .address = address,
      .host = wish->host,
      .version = "1",
      .chip_kind = "",
      .pid = 100,
      .host_chips = wish->chips,
      .host_rank = wish->rank,
      .host_index = wish->index,
      .had_coords = wish->former != NULL,
      .former = wish->former == NULL ? (torus_coords_t){.at = {0}} : *wish->former};
  return places_claim(places, &claim, 0, out_chip);
}

static int32_t place(places_t *places, const wish_t *wish) {
  int32_t chip = -1;
  const pod_status_t status = claim(places, wish, &chip);
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
  return chip;
}

static void assert_refused(places_t *places, const wish_t *wish, pod_code_t code,
                           const char *part) {
  int32_t chip = -1;
  const pod_status_t status = claim(places, wish, &chip);
  assert_int_equal(pod_status_code(status), code);
  if (strstr(pod_status_message(status), part) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", pod_status_message(status), part);
  }
  assert_int_equal(chip, -1);
  pod_status_free(status);
}

static void assert_at(const places_t *places, int32_t chip, int32_t x, int32_t y,
                      int32_t z) {
  const torus_coords_t coords = torus_coords(&places->torus, chip);
  assert_int_equal(coords.at[0], x);
  assert_int_equal(coords.at[1], y);
  assert_int_equal(coords.at[2], z);
}

// ---- Blocks.

static void assert_box(const char *kind, const char *topology, int32_t chips, int32_t x,
                       int32_t y, int32_t z) {
  places_t *places = make_pod(kind, topology);
  (void)place(places, &(wish_t){"a", chips, 0, 0, NULL});
  assert_int_equal(places->hosts.box[0], x);
  assert_int_equal(places->hosts.box[1], y);
  assert_int_equal(places->hosts.box[2], z);
  places_destroy(places);
}

static void test_hosts_have_the_blocks_of_real_slices(void **state) {
  (void)state;
  assert_box("v5e", "16x16", 8, 4, 2, 1);
  assert_box("v5e", "4x4", 4, 2, 2, 1);
  assert_box("v5e", "2x2", 1, 1, 1, 1);
  assert_box("v5e", "2x2", 4, 2, 2, 1);
  assert_box("v5e", "2x4", 8, 2, 4, 1);
  assert_box("v6e", "8x8", 8, 4, 2, 1);
  assert_box("v4", "4x4x4", 4, 2, 2, 1);
  assert_box("v5p", "2x2x4", 4, 2, 2, 1);
  assert_box("v2", "4x4", 4, 2, 2, 1);
  assert_box("v3", "8x8", 4, 2, 2, 1);
}

static void test_a_machine_of_any_size_has_the_most_compact_block(void **state) {
  (void)state;
  assert_box("v5e", "16x16", 16, 4, 4, 1);
  assert_box("v5e", "16x16", 256, 16, 16, 1);
  assert_box("v4", "4x4x4", 8, 2, 2, 2);
}

static void test_ranks_count_blocks_and_indices_chips_with_x_fastest(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "8x4");
  assert_at(places, place(places, &(wish_t){"a", 8, 0, 0, NULL}), 0, 0, 0);
  assert_at(places, place(places, &(wish_t){"a", 8, 0, 3, NULL}), 3, 0, 0);
  assert_at(places, place(places, &(wish_t){"a", 8, 0, 4, NULL}), 0, 1, 0);
  assert_at(places, place(places, &(wish_t){"b", 8, 1, 0, NULL}), 4, 0, 0);
  assert_at(places, place(places, &(wish_t){"c", 8, 2, 5, NULL}), 1, 3, 0);
  places_destroy(places);
  places = make_pod("v4", "2x2x4");
  assert_at(places, place(places, &(wish_t){"a", 4, 3, 2, NULL}), 0, 1, 3);
  places_destroy(places);
}

// Ranks go through a slice before the next one; a machine may have several whole ones.
static void test_no_host_has_parts_of_two_slices(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "2*4x4");
  const int32_t last = place(places, &(wish_t){"a", 8, 3, 7, NULL});
  assert_int_equal(last, 31);
  assert_at(places, last, 3, 3, 0);
  assert_int_equal(place(places, &(wish_t){"b", 8, 2, 0, NULL}), 16);
  assert_int_equal(places_process(places, 16), 2);
  places_destroy(places);
  places = make_pod("v5e", "4*2x2");
  assert_int_equal(place(places, &(wish_t){"a", 8, 1, 5, NULL}), 13);
  assert_int_equal(places_process(places, 13), 1);
  assert_int_equal(places_process(places, 7), 0);
  places_destroy(places);
  places = make_pod("v5e", "3*2x2");
  assert_refused(places, &(wish_t){"a", 6, 0, 0, NULL}, POD_INVALID_ARGUMENT,
                 "3 slices of 4 chips cannot be shared by 2 processes");
  places_destroy(places);
}

static void test_the_process_of_a_chip_is_the_rank_of_its_host(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "8x4");
  for (int32_t rank = 0; rank < 4; rank++) {
    char host[2] = {(char)('a' + rank), '\0'};
    for (int32_t index = 0; index < 8; index++) {
      const int32_t chip = place(places, &(wish_t){host, 8, rank, index, NULL});
      assert_int_equal(places_process(places, chip), rank);
      assert_int_equal(torus_host(&places->torus, places->spec, chip), rank);
    }
  }
  assert_true(places_are_taken(places));
  places_destroy(places);
}

static void test_one_machine_of_all_chips_is_one_process(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "4x4");
  for (int32_t chip = 0; chip < 16; chip++) {
    assert_int_equal(place(places, &(wish_t){"a", 16, -1, chip, NULL}), chip);
    assert_int_equal(places_process(places, chip), 0);
  }
  places_destroy(places);
}

static void test_without_hosts_the_process_is_that_of_a_real_slice(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "4x4");
  assert_int_equal(place(places, &(wish_t){"a", 0, 0, 0, NULL}), 0);
  assert_int_equal(places_process(places, 15), 1);
  places_destroy(places);
}

// ---- Ranks that are learnt.

static void test_hosts_without_rank_get_blocks_in_the_order_of_their_coming(
    void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "8x2");
  assert_at(places, place(places, &(wish_t){"b", 8, -1, 6, NULL}), 2, 1, 0);
  assert_at(places, place(places, &(wish_t){"a", 8, -1, 0, NULL}), 4, 0, 0);
  assert_at(places, place(places, &(wish_t){"b", 8, -1, 0, NULL}), 0, 0, 0);
  assert_refused(places, &(wish_t){"c", 8, -1, 0, NULL}, POD_RESOURCE_EXHAUSTED,
                 "all 2 hosts of 8 chips");
  places_destroy(places);
}

static void test_a_host_that_comes_again_has_the_block_that_it_had(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "8x2");
  const int32_t first = place(places, &(wish_t){"a", 8, -1, 0, NULL});
  const int32_t second = place(places, &(wish_t){"b", 8, -1, 3, NULL});
  places_lose(places, first, "gone");
  places_lose(places, second, "gone");
  assert_int_equal(place(places, &(wish_t){"b", 8, -1, 3, NULL}), second);
  assert_int_equal(place(places, &(wish_t){"a", 8, -1, 0, NULL}), first);
  places_destroy(places);
}

static void test_another_host_gets_the_block_of_one_that_has_left(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "8x2");
  const int32_t first = place(places, &(wish_t){"a", 8, -1, 0, NULL});
  (void)place(places, &(wish_t){"b", 8, -1, 0, NULL});
  places_lose(places, first, "gone");
  assert_int_equal(place(places, &(wish_t){"c", 8, -1, 0, NULL}), first);
  places_destroy(places);
}

static void test_a_coordinator_that_knows_nothing_learns_the_blocks_from_the_workers(
    void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "8x2");
  assert_at(places,
            place(places, &(wish_t){"b", 8, -1, 5, &(torus_coords_t){.at = {5, 1, 0}}}),
            5, 1, 0);
  // Of the same host, one that was started again and knows nothing either.
  assert_at(places, place(places, &(wish_t){"b", 8, -1, 0, NULL}), 4, 0, 0);
  assert_at(places, place(places, &(wish_t){"a", 8, -1, 1, NULL}), 1, 0, 0);
  places_destroy(places);
}

static void test_a_former_place_that_is_not_of_the_index_is_forgotten(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "8x2");
  assert_at(places,
            place(places, &(wish_t){"b", 8, -1, 5, &(torus_coords_t){.at = {4, 0, 0}}}),
            1, 1, 0);
  assert_at(places,
            place(places, &(wish_t){"a", 8, -1, 0, &(torus_coords_t){.at = {40, 0, 0}}}),
            4, 0, 0);
  places_destroy(places);
}

static void test_workers_without_an_index_fill_the_block_of_their_host(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "4x2");
  assert_at(places, place(places, &(wish_t){"a", 4, 1, -1, NULL}), 2, 0, 0);
  assert_at(places,
            place(places, &(wish_t){"a", 4, 1, -1, &(torus_coords_t){.at = {3, 1, 0}}}),
            3, 1, 0);
  assert_at(places, place(places, &(wish_t){"a", 4, 1, -1, NULL}), 3, 0, 0);
  assert_at(places, place(places, &(wish_t){"a", 4, 1, -1, NULL}), 2, 1, 0);
  assert_refused(places, &(wish_t){"a", 4, 1, -1, NULL}, POD_RESOURCE_EXHAUSTED,
                 "has its 4 workers");
  places_destroy(places);
}

static void test_a_worker_alone_gets_the_place_that_it_had_while_nobody_has_it(
    void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "2x2");
  const torus_coords_t former = {.at = {1, 1, 0}};
  assert_int_equal(place(places, &(wish_t){"a", 0, 0, 0, &former}), 3);
  assert_int_equal(place(places, &(wish_t){"a", 0, 0, 0, &former}), 0);
  places_destroy(places);
}

// ---- Conflicts.

static void test_two_hosts_of_one_rank_are_refused_by_name(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "8x2");
  (void)place(places, &(wish_t){"a", 8, 1, 0, NULL});
  assert_refused(places, &(wish_t){"b", 8, 1, 1, NULL}, POD_ALREADY_EXISTS,
                 "another host has rank 1, that of chip 4 (4,0,0) at 127.0.0.1:");
  assert_refused(places, &(wish_t){"a", 8, 1, 0, NULL}, POD_ALREADY_EXISTS,
                 "has this place already");
  places_destroy(places);
}

static void test_hosts_of_other_sizes_are_refused(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "4x4");
  assert_refused(places, &(wish_t){"a", 32, 0, 0, NULL}, POD_INVALID_ARGUMENT,
                 "has 32 chips: the 16 of the pod's torus of 4x4");
  assert_refused(places, &(wish_t){"a", 3, 0, 0, NULL}, POD_INVALID_ARGUMENT,
                 "the number has to divide");
  const int32_t chip = place(places, &(wish_t){"a", 8, 0, 0, NULL});
  assert_refused(places, &(wish_t){"b", 4, 1, 0, NULL}, POD_FAILED_PRECONDITION,
                 "has 4 chips, but that of chip 0 (0,0,0) at 127.0.0.1:");
  places_lose(places, chip, "gone");
  assert_at(places, place(places, &(wish_t){"b", 4, 1, 0, NULL}), 2, 0, 0);
  places_destroy(places);
}

static void test_ranks_and_indices_that_there_are_not_are_refused(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "4x4");
  assert_refused(places, &(wish_t){"a", 8, 2, 0, NULL}, POD_INVALID_ARGUMENT,
                 "hosts of 8 chips have ranks 0 to 1 in a torus of 4x4");
  assert_refused(places, &(wish_t){"a", 8, 0, 8, NULL}, POD_INVALID_ARGUMENT,
                 "whose 8 chips are 0 to 7");
  places_destroy(places);
}

static void test_a_rival_is_who_has_the_place_or_the_rank(void **state) {
  (void)state;
  places_t *places = make_pod("v5e", "8x2");
  const int32_t chip = place(places, &(wish_t){"a", 8, 1, 0, NULL});
  place_claim_t next = {.address = "127.0.0.1:1",
                        .host = "a",
                        .host_chips = 8,
                        .host_rank = 1,
                        .host_index = 0};
  assert_int_equal(places_host_rival(places, &next), chip);
  next.host_rank = -1;
  assert_int_equal(places_host_rival(places, &next), chip);
  next.host_index = 1;
  assert_int_equal(places_host_rival(places, &next), -1);
  next.host = "b";
  assert_int_equal(places_host_rival(places, &next), -1);
  next.host_rank = 1;
  assert_int_equal(places_host_rival(places, &next), chip);
  next.host_rank = 2;
  assert_int_equal(places_host_rival(places, &next), -1);
  next.host_chips = 0;
  assert_int_equal(places_host_rival(places, &next), -1);
  places_destroy(places);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hosts_have_the_blocks_of_real_slices),
      cmocka_unit_test(test_a_machine_of_any_size_has_the_most_compact_block),
      cmocka_unit_test(test_ranks_count_blocks_and_indices_chips_with_x_fastest),
      cmocka_unit_test(test_no_host_has_parts_of_two_slices),
      cmocka_unit_test(test_the_process_of_a_chip_is_the_rank_of_its_host),
      cmocka_unit_test(test_one_machine_of_all_chips_is_one_process),
      cmocka_unit_test(test_without_hosts_the_process_is_that_of_a_real_slice),
      cmocka_unit_test(test_hosts_without_rank_get_blocks_in_the_order_of_their_coming),
      cmocka_unit_test(test_a_host_that_comes_again_has_the_block_that_it_had),
      cmocka_unit_test(test_another_host_gets_the_block_of_one_that_has_left),
      cmocka_unit_test(
          test_a_coordinator_that_knows_nothing_learns_the_blocks_from_the_workers),
      cmocka_unit_test(test_a_former_place_that_is_not_of_the_index_is_forgotten),
      cmocka_unit_test(test_workers_without_an_index_fill_the_block_of_their_host),
      cmocka_unit_test(
          test_a_worker_alone_gets_the_place_that_it_had_while_nobody_has_it),
      cmocka_unit_test(test_two_hosts_of_one_rank_are_refused_by_name),
      cmocka_unit_test(test_hosts_of_other_sizes_are_refused),
      cmocka_unit_test(test_ranks_and_indices_that_there_are_not_are_refused),
      cmocka_unit_test(test_a_rival_is_who_has_the_place_or_the_rank),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
