// Programs on some chips of a pod under the clock: where the chips are a block of the
// torus they take the time of a pod of just that size; wherever they are, every run tells
// the same, with and without symmetry, and the other chips only pass messages on.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/random.h"
#include "server/compiler/compiler.h"
#include "server/simulator/simulator.h"
#include "tests/file.h"

enum { CHIPS_MAX = 64, LISTS = 24 };

static const char *const programs[] = {
    "matmul_allgather_overlapped_bidi.4.mlir",
    "transformer_block_overlapped.2x4.mlir",
    "moe_all_to_all.2x4.mlir",
};

typedef struct place_t {
  const char *kind, *topology;
  int64_t count;
  const int64_t *chips;  // By device; count 0: the pod is just as large.
} place_t;

typedef struct timed_t {
  torus_t torus;
  compiler_result_t *compiled;
  simulator_result_t *result;
} timed_t;

static void must(const char *name, pod_status_t status) {
  if (status != NULL) {
    fail_msg("%s: %s", name, pod_status_message(status));
  }
}

static void compile_program(const char *name, const place_t *place,
                            const chip_spec_t **out_spec, timed_t *timed) {
  compiler_options_t options = {.file_name = name,
                                .spec = chip_spec_find(place->kind),
                                .device_order_count = place->count,
                                .device_order = place->chips};
  must(name, torus_parse(place->topology, options.spec, &options.torus, out_spec));
  char path[512];
  snprintf(path, sizeof(path), "%s/%s", PROGRAMS_FOLDER, name);
  char *text = read_text(path);
  must(name, compiler_compile(text, (int64_t)strlen(text), &options, &timed->compiled));
  free(text);
  timed->torus = options.torus;
}

static timed_t run_clock(const char *name, const place_t *place, bool ignores_symmetry) {
  timed_t timed;
  const chip_spec_t *spec;
  compile_program(name, place, &spec, &timed);
  pod_arena_t *arena = pod_arena_create();
  const simulator_turns_t turns = {.instruction = NULL, .turns = 1};
  simulator_options_t options = {
      .spec = spec, .torus = &timed.torus, .ignores_symmetry = ignores_symmetry};
  must(name, simulator_trace(timed.compiled->program, torus_chip_count(&timed.torus),
                             &turns, 1, arena, &options.traces));
  must(name, simulator_run(timed.compiled->program, &options, &timed.result));
  pod_arena_destroy(arena);
  return timed;
}

static void timed_deinit(timed_t *timed) {
  simulator_result_destroy(timed->result);
  compiler_result_destroy(timed->compiled);
}

static const simulator_chip_t *class_of(const timed_t *timed, int64_t chip) {
  return &timed->result->classes[timed->result->class_of_chip[chip]];
}

static int64_t devices_of(const char *name) {
  return strstr(name, ".2x4.") != NULL ? 8 : 4;
}

static void test_a_block_takes_the_time_of_a_pod_of_its_size(void **state) {
  (void)state;
  const int32_t corners[][2] = {{0, 0}, {1, 1}, {2, 0}, {0, 2}};
  for (size_t n = 0; n < sizeof(programs) / sizeof(programs[0]); n++) {
    const int64_t count = devices_of(programs[n]);
    const int32_t height = count == 8 ? 4 : 2;
    const place_t alone = {.kind = "v5e", .topology = count == 8 ? "2x4" : "2x2"};
    timed_t expected = run_clock(programs[n], &alone, false);
    for (size_t c = 0; c < sizeof(corners) / sizeof(corners[0]); c++) {
      const torus_t torus = {.size = {8, 8, 1}};
      int64_t chips[CHIPS_MAX];
      for (int32_t d = 0; d < count; d++) {
        const torus_coords_t at = {
            .at = {corners[c][0] + d % 2, corners[c][1] + d / 2, 0}};
        chips[d] = torus_chip_at(&torus, at);
      }
      assert_true(corners[c][1] + height <= 8);
      const place_t part = {
          .kind = "v5e", .topology = "8x8", .count = count, .chips = chips};
      timed_t found = run_clock(programs[n], &part, false);
      assert_int_equal(found.result->step_ps, expected.result->step_ps);
      for (int32_t d = 0; d < count; d++) {
        assert_int_equal(class_of(&found, chips[d])->end_ps,
                         class_of(&expected, d)->end_ps);
      }
      assert_int_equal(found.compiled->collective_count,
                       expected.compiled->collective_count);
      for (int32_t i = 0; i < found.compiled->collective_count; i++) {
        const compiler_collective_t *a = &found.compiled->collectives[i];
        const compiler_collective_t *b = &expected.compiled->collectives[i];
        assert_int_equal(a->ici_bytes, b->ici_bytes);
        assert_string_equal(a->axes, b->axes);
      }
      timed_deinit(&found);
    }
    timed_deinit(&expected);
  }
}

static void draw_chips(pod_random_t *random, int64_t chip_count, int64_t count,
                       int64_t *out_chips) {
  int64_t all[CHIPS_MAX];
  for (int64_t i = 0; i < chip_count; i++) {
    all[i] = i;
  }
  for (int64_t i = 0; i < count; i++) {
    const int64_t at = i + (int64_t)pod_random_below(random, (uint64_t)(chip_count - i));
    out_chips[i] = all[at];
    all[at] = all[i];
  }
}

// Whether the chip is one of the list.
static bool is_listed(const place_t *place, int64_t chip) {
  bool is_found = false;
  for (int64_t d = 0; d < place->count; d++) {
    is_found |= place->chips[d] == chip;
  }
  return is_found;
}

static void compare(const char *name, const place_t *place) {
  timed_t classes = run_clock(name, place, false);
  timed_t again = run_clock(name, place, false);
  timed_t whole = run_clock(name, place, true);
  assert_true(classes.result->step_ps > 0);
  for (int64_t chip = 0; chip < torus_chip_count(&classes.torus); chip++) {
    const simulator_chip_t *one = class_of(&classes, chip);
    const simulator_chip_t *same = class_of(&again, chip);
    const simulator_chip_t *own = class_of(&whole, chip);
    assert_int_equal(one->end_ps, own->end_ps);
    assert_int_equal(one->end_ps, same->end_ps);
    assert_int_equal(one->waiting_ps, own->waiting_ps);
    assert_memory_equal(one->links, same->links, sizeof(one->links));
    for (int d = 0; d < SIMULATOR_CHANNELS; d++) {
      assert_int_equal(one->links[d].bytes, own->links[d].bytes);
    }
    if (is_listed(place, chip)) {
      assert_true(one->end_ps > 0);
    } else {
      assert_int_equal(one->end_ps, 0);
      assert_int_equal(one->compute_ps, 0);
      assert_int_equal(one->event_count, 0);
    }
  }
  timed_deinit(&classes);
  timed_deinit(&again);
  timed_deinit(&whole);
}

static void test_any_chips_in_any_order_tell_one_time(void **state) {
  (void)state;
  static const struct {
    const char *kind, *topology;
    int64_t chips;
  } pods[] = {
      {"v5e", "4x4", 16}, {"v5e", "1x8", 8}, {"v5p", "4x4x4", 64}, {"v4", "2x2x4", 16}};
  pod_random_t random = {.state = 4711};
  for (size_t p = 0; p < sizeof(pods) / sizeof(pods[0]); p++) {
    for (int i = 0; i < LISTS; i++) {
      const char *name = programs[i % (int)(sizeof(programs) / sizeof(programs[0]))];
      int64_t chips[CHIPS_MAX];
      const place_t place = {.kind = pods[p].kind,
                             .topology = pods[p].topology,
                             .count = devices_of(name),
                             .chips = chips};
      draw_chips(&random, pods[p].chips, place.count, chips);
      compare(name, &place);
    }
  }
}

// A ring of four far corners has longer ways than one of neighbours: it takes longer, and
// its bytes cross the links of chips that take no part.
static void test_ways_through_other_chips_cost_their_links(void **state) {
  (void)state;
  const char *name = "matmul_allgather.4.mlir";
  const int64_t near[] = {0, 1, 5, 4}, far[] = {0, 3, 15, 12};
  const place_t places[] = {{.kind = "v5e", .topology = "4x4", .count = 4, .chips = near},
                            {.kind = "v5e", .topology = "4x4", .count = 4, .chips = far}};
  timed_t close = run_clock(name, &places[0], false);
  timed_t apart = run_clock(name, &places[1], false);
  assert_true(apart.result->step_ps > close.result->step_ps);
  const simulator_chip_t *between = class_of(&apart, 1);
  assert_int_equal(between->end_ps, 0);
  int64_t passed = 0;
  for (int d = 0; d < SIMULATOR_CHANNELS; d++) {
    passed += between->links[d].bytes;
    assert_int_equal(class_of(&close, 10)->links[d].bytes, 0);
  }
  assert_true(passed > 0);
  timed_deinit(&close);
  timed_deinit(&apart);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_block_takes_the_time_of_a_pod_of_its_size),
      cmocka_unit_test(test_any_chips_in_any_order_tell_one_time),
      cmocka_unit_test(test_ways_through_other_chips_cost_their_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
