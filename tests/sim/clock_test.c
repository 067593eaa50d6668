// The programs of tests/programs under the clock, at their full size and without a
// daemon: what a user decides by. How chips wait for one another, which links carry what,
// and that the same is told in every run.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/compiler/compiler.h"
#include "server/simulator/simulator.h"
#include "tests/file.h"

enum { RUNS = 100 };

typedef struct timed_t {
  compiler_result_t *compiled;
  simulator_result_t *result;
} timed_t;

static void must(const char *name, pod_status_t status) {
  if (status != NULL) {
    fail_msg("%s: %s", name, pod_status_message(status));
  }
}

static compiler_result_t *compile_program(const char *name, const char *kind,
                                          torus_t *out_torus,
                                          const chip_spec_t **out_spec) {
  const char *topology = strcmp(kind, "v4") == 0         ? "2x2x1"
                         : strstr(name, ".2x4.") != NULL ? "2x4"
                         : strstr(name, ".1.") != NULL   ? "1x1"
                                                         : "2x2";
  compiler_options_t options = {.file_name = name, .spec = chip_spec_find(kind)};
  must(name, torus_parse(topology, options.spec, &options.torus, out_spec));
  char path[512];
  snprintf(path, sizeof(path), "%s/%s", PROGRAMS_FOLDER, name);
  char *text = read_text(path);
  compiler_result_t *compiled = NULL;
  must(name, compiler_compile(text, (int64_t)strlen(text), &options, &compiled));
  free(text);
  *out_torus = options.torus;
  *out_spec = options.spec;
  return compiled;
}

static timed_t run_clock(const char *name, const char *kind, bool ignores_symmetry) {
  torus_t torus;
  const chip_spec_t *spec;
  timed_t timed = {.compiled = compile_program(name, kind, &torus, &spec)};
  pod_arena_t *arena = pod_arena_create();
  // A loop whose turns depend on the values of an argument takes one.
  const simulator_turns_t turns = {.instruction = NULL, .turns = 1};
  simulator_options_t options = {.spec = spec,
                                 .torus = &torus,
                                 .ignores_symmetry = ignores_symmetry,
                                 .events_max = 1 << 16};
  must(name, simulator_trace(timed.compiled->program, (int32_t)torus_chip_count(&torus),
                             &turns, 1, arena, &options.traces));
  must(name, simulator_run(timed.compiled->program, &options, &timed.result));
  pod_arena_destroy(arena);
  return timed;
}

static void timed_deinit(timed_t *timed) {
  simulator_result_destroy(timed->result);
  compiler_result_destroy(timed->compiled);
}

static int64_t step_ps(const char *name, const char *kind) {
  timed_t timed = run_clock(name, kind, false);
  const int64_t step = timed.result->step_ps;
  timed_deinit(&timed);
  return step;
}

static const simulator_chip_t *class_of(const simulator_result_t *result, int32_t chip) {
  return &result->classes[result->class_of_chip[chip]];
}

static void test_every_program_takes_the_same_time_with_and_without_symmetry(
    void **state) {
  (void)state;
  struct dirent **entries = NULL;
  const int count = scandir(PROGRAMS_FOLDER, &entries, NULL, alphasort);
  int programs = 0;
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    const char *dot = strrchr(name, '.');
    if (dot != NULL && strcmp(dot, ".mlir") == 0) {
      timed_t whole = run_clock(name, "v5e", true);
      timed_t classes = run_clock(name, "v5e", false);
      assert_true(whole.result->step_ps > 0);
      for (int32_t chip = 0; chip < whole.result->chip_count; chip++) {
        const int64_t one = class_of(whole.result, chip)->end_ps;
        const int64_t other = class_of(classes.result, chip)->end_ps;
        if (one != other) {
          fail_msg("%s: chip %d ends at %lld, with symmetry at %lld", name, chip,
                   (long long)one, (long long)other);
        }
      }
      print_message("%-50s %12.2f us\n", name, (double)whole.result->step_ps / 1e6);
      timed_deinit(&whole);
      timed_deinit(&classes);
      programs++;
    }
    free(entries[i]);
  }
  free(entries);
  assert_true(programs >= 130);
}

static void test_a_hundred_runs_take_the_same_time(void **state) {
  (void)state;
  static const char *const names[] = {"matmul_allgather_overlapped_bidi.4.mlir",
                                      "transformer_block_overlapped.2x4.mlir",
                                      "moe_all_to_all.2x4.mlir"};
  for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
    timed_t first = run_clock(names[n], "v5e", false);
    for (int run = 1; run < RUNS; run++) {
      timed_t again = run_clock(names[n], "v5e", false);
      for (int32_t chip = 0; chip < first.result->chip_count; chip++) {
        const simulator_chip_t *a = class_of(first.result, chip);
        const simulator_chip_t *b = class_of(again.result, chip);
        assert_int_equal(a->end_ps, b->end_ps);
        assert_int_equal(a->waiting_ps, b->waiting_ps);
        assert_memory_equal(a->links, b->links, sizeof(a->links));
      }
      timed_deinit(&again);
    }
    timed_deinit(&first);
  }
}

// Chunks that travel both ways round in the order of the devices' ids cross the diagonal
// of the 2x2 by way of the links along x, which carry their own as well; in the order of
// the ring every link carries the same.
static void test_in_device_order_the_links_along_x_carry_double(void **state) {
  (void)state;
  const int64_t half_chunk = 2048 / 2 * 1024 * 2, steps = 3;
  for (int is_ring = 0; is_ring < 2; is_ring++) {
    const char *name = is_ring ? "matmul_allgather_overlapped_bidi.4ring.mlir"
                               : "matmul_allgather_overlapped_bidi.4.mlir";
    timed_t timed = run_clock(name, "v5e", false);
    for (int32_t chip = 0; chip < 4; chip++) {
      const simulator_link_t *links = class_of(timed.result, chip)->links;
      const int64_t along_x = links[0].bytes + links[1].bytes;
      const int64_t along_y = links[2].bytes + links[3].bytes;
      assert_int_equal(along_x, (is_ring ? 1 : 2) * steps * half_chunk);
      assert_int_equal(along_y, steps * half_chunk);
    }
    timed_deinit(&timed);
  }
}

// Both ways round in ring order all permutes hide behind the products; in device order
// those that share a link do not. One way round no link carries two.
static void test_the_order_of_the_mesh_decides_what_overlap_brings(void **state) {
  (void)state;
  static const char *const names[] = {"matmul_allgather_overlapped_bidi",
                                      "matmul_allgather_overlapped_bidi_padded"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char device_order[128], ring_order[128];
    snprintf(device_order, sizeof(device_order), "%s.4.mlir", names[i]);
    snprintf(ring_order, sizeof(ring_order), "%s.4ring.mlir", names[i]);
    timed_t device = run_clock(device_order, "v5e", false);
    timed_t ring = run_clock(ring_order, "v5e", false);
    const simulator_chip_t *shared = class_of(device.result, 0);
    const simulator_chip_t *alone = class_of(ring.result, 0);
    assert_true(alone->waiting_ps < alone->compute_ps / 20);
    assert_true(shared->waiting_ps > shared->compute_ps / 5);
    assert_true(device.result->step_ps > ring.result->step_ps * 6 / 5);
    timed_deinit(&device);
    timed_deinit(&ring);
  }
  assert_true(step_ps("matmul_allgather_overlapped.4ring.mlir", "v5e") <
              step_ps("matmul_allgather_overlapped.4.mlir", "v5e"));
}

static void test_of_the_weights_only_the_first_is_waited_for(void **state) {
  (void)state;
  static const char *const names[] = {"layerwise_matmul.4.mlir",
                                      "layerwise_matmul_shard_map.4.mlir"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    timed_t timed = run_clock(names[i], "v4", false);
    const simulator_chip_t *chip = class_of(timed.result, 0);
    int64_t first_ps = 0;
    for (int64_t e = 0; e < chip->event_count && first_ps == 0; e++) {
      first_ps = chip->events[e].flight_ps;
    }
    assert_true(first_ps > 0);
    assert_true(chip->waiting_ps < first_ps + first_ps / 20);
    assert_true(chip->overlapped_ps > 2 * first_ps);
    timed_deinit(&timed);
  }
}

static void test_nothing_to_gather_is_faster_than_gathering(void **state) {
  (void)state;
  const int64_t whole = step_ps("matmul_contracting_whole.2x4.mlir", "v5e");
  assert_true(whole < step_ps("matmul_allgather_first.2x4.mlir", "v5e"));
  assert_true(whole < step_ps("collective_matmul_unrolled.2x4.mlir", "v5e"));
}

static void test_four_chips_take_a_quarter_of_the_time_for_sin(void **state) {
  (void)state;
  const int64_t one = step_ps("sin.1.mlir", "v5e"), four = step_ps("sin.2x2.mlir", "v5e");
  // But for what every operation costs.
  assert_true(four > one / 4 && four < one / 4 + 5000000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_program_takes_the_same_time_with_and_without_symmetry),
      cmocka_unit_test(test_a_hundred_runs_take_the_same_time),
      cmocka_unit_test(test_in_device_order_the_links_along_x_carry_double),
      cmocka_unit_test(test_the_order_of_the_mesh_decides_what_overlap_brings),
      cmocka_unit_test(test_of_the_weights_only_the_first_is_waited_for),
      cmocka_unit_test(test_nothing_to_gather_is_faster_than_gathering),
      cmocka_unit_test(test_four_chips_take_a_quarter_of_the_time_for_sin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
