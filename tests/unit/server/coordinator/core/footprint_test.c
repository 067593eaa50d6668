#include "server/coordinator/core/footprint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A program on these chips whose only collective is over one group of `group` or sends
// along `pairs`; NULL, 0: none.
typedef struct scene_t {
  int64_t count;
  const int64_t *chips;
  int32_t group_count, pair_count;  // Ids.
  const int64_t *group, *pairs;
} scene_t;

static uint16_t *footprint(const torus_t *torus, const scene_t *scene) {
  pod_arena_t *arena = pod_arena_create();
  const mesh_axis_t axis = {"x", scene->count};
  const mesh_t *mesh;
  assert_null(mesh_make(arena, "mesh", 1, &axis, scene->chips, &mesh));
  const int64_t size = scene->group_count;
  const chip_attr_t attrs[] = {
      {CHIP_ATTR_REPLICA_GROUPS, scene->group_count, scene->group},
      {CHIP_ATTR_GROUP_SIZE, 1, &size}};
  const chip_attr_t pairs = {CHIP_ATTR_SOURCE_TARGET_PAIRS, scene->pair_count,
                             scene->pairs};
  const chip_instruction_t instructions[] = {
      {.op = CHIP_OP_TANH},
      {.op = scene->pair_count > 0 ? CHIP_OP_COLLECTIVE_PERMUTE : CHIP_OP_ALL_REDUCE,
       .attr_count = scene->pair_count > 0 ? 1 : 2,
       .attrs = scene->pair_count > 0 ? &pairs : attrs}};
  const bool has_collective = scene->group_count + scene->pair_count > 0;
  const chip_program_t program = {.name = "f",
                                  .mesh = mesh,
                                  .instruction_count = has_collective ? 2 : 1,
                                  .instructions = instructions};
  uint16_t *made = footprint_of(&program, torus);
  pod_arena_destroy(arena);
  return made;
}

static const torus_t square = {.size = {2, 2, 1}};

static void test_a_program_on_all_chips_needs_the_whole_pod(void **state) {
  (void)state;
  const int64_t chips[] = {3, 0, 1, 2};
  uint16_t *made = footprint(&square, &(scene_t){.count = 4, .chips = chips});
  assert_null(made);
  assert_true(footprint_has(made, 2));
}

static void test_a_program_without_collectives_needs_its_chips_only(void **state) {
  (void)state;
  const int64_t chips[] = {3, 1};
  uint16_t *made = footprint(&square, &(scene_t){.count = 2, .chips = chips});
  const uint16_t expected[] = {0, FOOTPRINT_RUNS, 0, FOOTPRINT_RUNS};
  assert_memory_equal(made, expected, sizeof(expected));
  assert_false(footprint_has(made, 0));
  assert_true(footprint_has(made, 3));
  free(made);
}

// Along x first: from chip 0 to 3 through 1, back through 2.
static void test_messages_need_the_chips_and_links_on_their_way(void **state) {
  (void)state;
  const int64_t chips[] = {0, 3};
  const scene_t scenes[] = {
      {.count = 2, .chips = chips, .group_count = 2, .group = chips},
      {.count = 2, .chips = chips, .pair_count = 2, .pairs = chips}};
  for (int i = 0; i < 2; i++) {
    uint16_t *made = footprint(&square, &scenes[i]);
    uint16_t expected[4] = {FOOTPRINT_RUNS, FOOTPRINT_PASSES, FOOTPRINT_PASSES,
                            FOOTPRINT_RUNS};
    for (int32_t from = 0, to = 3; from != to;) {
      const torus_direction_t out = torus_next_hop(&square, from, to);
      expected[from] |= (uint16_t)(1 << out);
      from = torus_neighbour(&square, from, out);
    }
    for (int32_t from = 3, to = 0; from != to;) {
      const torus_direction_t out = torus_next_hop(&square, from, to);
      expected[from] |= (uint16_t)(1 << out);
      from = torus_neighbour(&square, from, out);
    }
    assert_memory_equal(made, expected, sizeof(expected));
    free(made);
  }
}

static void claim(places_t *places, int32_t chip) {
  char address[32];
  snprintf(address, sizeof(address), "127.0.0.1:%d", 4000 + chip);
  const place_claim_t worker = {.address = address,
                                .host = "h",
                                .version = "",
                                .chip_kind = "",
                                .wants_coords = true,
                                .coords = torus_coords(&places->torus, chip)};
  int32_t given;
  assert_null(places_claim(places, &worker, 0, &given));
  assert_int_equal(given, chip);
  for (int d = 0; d < TORUS_LINKS; d++) {
    if (places->at[chip].links[d].neighbour >= 0) {
      assert_null(
          places_listening(places, chip, 1, &d, (const char *const[]){"ipc:///x"}));
    }
  }
}

static void link_up(places_t *places, int32_t from, int32_t to) {
  for (int d = 0; d < TORUS_LINKS; d++) {
    if (torus_neighbour(&places->torus, from, d) == to) {
      assert_null(places_link(places, from, d, to, true));
    }
    if (torus_neighbour(&places->torus, to, d) == from) {
      assert_null(places_link(places, to, d, from, true));
    }
  }
}

static void assert_missing(const uint16_t *made, const places_t *places,
                           const char *what) {
  const pod_status_t status = footprint_check(made, places, "jit_f");
  assert_int_equal(pod_status_code(status), POD_UNAVAILABLE);
  if (strstr(pod_status_message(status), what) == NULL) {
    fail_msg("\"%s\" is not in: %s", what, pod_status_message(status));
  }
  pod_status_free(status);
}

static void test_what_is_missing_elsewhere_does_not_count(void **state) {
  (void)state;
  places_t *places = places_create(chip_spec_find("v5e"), &square);
  const int64_t near[] = {0, 1}, far[] = {0, 3};
  uint16_t *alone = footprint(&square, &(scene_t){.count = 1, .chips = near});
  uint16_t *pair = footprint(
      &square, &(scene_t){.count = 2, .chips = near, .group_count = 2, .group = near});
  uint16_t *corners = footprint(
      &square, &(scene_t){.count = 2, .chips = far, .group_count = 2, .group = far});
  assert_missing(alone, places, "what jit_f needs of the pod is not ready: chip 0");
  claim(places, 0);
  assert_null(footprint_check(alone, places, "jit_f"));
  assert_missing(pair, places, "chip 1 (1,0,0) is missing");
  claim(places, 1);
  assert_missing(pair, places, "the link from chip 0 to chip 1 is down");
  link_up(places, 0, 1);
  assert_null(footprint_check(pair, places, "jit_f"));
  claim(places, 3);
  link_up(places, 1, 3);
  assert_missing(corners, places, "chip 2 (0,1,0) is missing");
  claim(places, 2);
  link_up(places, 0, 2);
  assert_missing(corners, places, "the link from chip ");
  link_up(places, 2, 3);
  assert_null(footprint_check(corners, places, "jit_f"));
  assert_null(footprint_check(NULL, places, "jit_f"));
  places_lose(places, 2, "it is gone");
  assert_missing(NULL, places, "the pod is not ready: chip 0");
  assert_missing(corners, places, "it is gone");
  assert_null(footprint_check(pair, places, "jit_f"));
  places_drain(places, 1);
  assert_missing(pair, places, "chip 1 (1,0,0) at 127.0.0.1:4001 is draining");
  assert_null(footprint_check(alone, places, "jit_f"));
  free(alone);
  free(pair);
  free(corners);
  places_destroy(places);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_program_on_all_chips_needs_the_whole_pod),
      cmocka_unit_test(test_a_program_without_collectives_needs_its_chips_only),
      cmocka_unit_test(test_messages_need_the_chips_and_links_on_their_way),
      cmocka_unit_test(test_what_is_missing_elsewhere_does_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
