// What goes between slices takes the time that is published of the data-centre network.

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/server/simulator/world.h"

enum { US = 1000000 };

static simulator_result_t *run_one(const chip_spec_t *spec, const torus_t *torus,
                                   world_t *world, int32_t instruction) {
  world_task(world, 0, CHIP_TASK_COLLECTIVE, instruction, (chip_work_t){0});
  chip_program_t *program = world_end(world);
  simulator_options_t options = world_options(torus);
  options.spec = spec;
  simulator_result_t *result = world_run(program, &options);
  chip_program_destroy(program);
  return result;
}

// "How to Scale Your Model", on training: what crosses the network takes its bytes over
// the chips of a slice and the rate of each, 2 (s - 1) / s of the operand of an
// all_reduce over s slices; all hosts work all the time.
static void test_gradients_cross_slices_at_the_rate_of_all_hosts(void **state) {
  (void)state;
  static const struct {
    const char *kind, *topology;
  } pods[] = {{"v4", "2*4x4x4"}, {"v5e", "2*8x8"},      {"v5e", "4*4x4"},
              {"v5p", "3*4x4"},  {"v6e", "2*4x4"},      {"v7x", "2*2x2x2"},
              {"v5e", "2*2x2"},  {"v7x-cores", "2*2x2"}};
  for (size_t i = 0; i < sizeof(pods) / sizeof(pods[0]); i++) {
    const chip_spec_t *spec = chip_spec_find(pods[i].kind);
    torus_t torus;
    assert_null(torus_parse(pods[i].topology, spec, &torus, NULL));
    const int32_t chips = torus_chip_count(&torus), slices = torus.slice_count;
    const int32_t elements = 192 << 18;
    world_t world;
    world_begin(&world, chips);
    program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
    simulator_result_t *result =
        run_one(spec, &torus, &world, world_all_reduce(&world, elements, chips, 1));
    const double roofline_ps = 2.0 * (slices - 1) / slices * elements * 4.0 /
                               (chips / slices) / spec->dcn_bytes_per_s * 1e12;
    const simulator_link_t *out = &world_chip(result, 0)->links[SIMULATOR_DCN_OUT];
    const simulator_link_t *in = &world_chip(result, 0)->links[SIMULATOR_DCN_IN];
    const double ratio = (double)out->busy_ps / roofline_ps;
    if (ratio < 0.999 || ratio > 1.2) {
      fail_msg("%s %s: busy for %.3f of the roofline", pods[i].kind, pods[i].topology,
               ratio);
    }
    assert_int_equal(out->bytes, in->bytes);
    // Inside the slices the rest is done, before and after; chips of a host that come
    // late to a message leave room to nobody.
    assert_true(result->step_ps > out->busy_ps + spec->dcn_latency_ps);
    simulator_result_destroy(result);
  }
}

// Four chips of a host to another slice.
static int64_t exchange_ps(int32_t senders) {
  chip_spec_t spec = world_spec;
  memcpy(spec.chips_per_host, (int32_t[]){2, 2, 1}, sizeof(spec.chips_per_host));
  const torus_t torus = {.size = {4, 2, 1}, .slice_count = 2};
  world_t world;
  world_begin(&world, 16);
  program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  static const int32_t of_one_host[] = {0, 1, 4, 5};
  int32_t permute = -1;
  const int32_t *c = of_one_host;
  switch (senders) {
    case 1:
      permute = world_permute(&world, 1000000, 0, 8, -1);
      break;
    case 2:
      permute = world_permute(&world, 1000000, c[0], 8, c[1], 9, -1);
      break;
    case 4:
      permute = world_permute(&world, 1000000, c[0], 8, c[1], 9, c[2], 12, c[3], 13, -1);
      break;
    default:  // Of two hosts.
      permute = world_permute(&world, 1000000, 0, 8, 2, 10, -1);
  }
  simulator_result_t *result = run_one(&spec, &torus, &world, permute);
  const int64_t ps = result->step_ps - WORLD_BEGIN_PS - WORLD_DCN_PS;
  simulator_result_destroy(result);
  return ps;
}

static void test_the_chips_of_a_host_share_its_interface(void **state) {
  (void)state;
  // 4 MB each over 4 · 0.125 bytes per picosecond.
  assert_int_equal(exchange_ps(1), 8 * US);
  assert_int_equal(exchange_ps(2), 16 * US);
  assert_int_equal(exchange_ps(4), 32 * US);
  assert_int_equal(exchange_ps(0), 8 * US);
}

static int64_t overlapped_ps(bool has_sparse_core, bool is_reduction) {
  chip_spec_t spec = world_spec;
  spec.overlaps_reductions = has_sparse_core;
  const torus_t torus = {.size = {4, 1, 1}, .wraps = {true, false, false}};
  world_t world;
  world_begin(&world, 4);
  program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  const int32_t any = world_any(&world);
  const int32_t collective =
      is_reduction ? world_all_reduce(&world, 4096, 4, 1)
                   : world_permute(&world, 4096, 0, 1, 1, 2, 2, 3, 3, 0, -1);
  const int32_t start =
      world_task(&world, 0, CHIP_TASK_COLLECTIVE_START, collective, (chip_work_t){0});
  world_compute(&world, 0, any, 900 * (int64_t)US, 0);
  const int32_t done =
      world_task(&world, 0, CHIP_TASK_COLLECTIVE_DONE, collective, (chip_work_t){0});
  world_pair(&world, start, done);
  chip_program_t *program = world_end(&world);
  simulator_options_t options = world_options(&torus);
  options.spec = &spec;
  simulator_result_t *result = world_run(program, &options);
  const int64_t ps = result->step_ps;
  simulator_result_destroy(result);
  chip_program_destroy(program);
  return ps;
}

static void test_what_a_sparse_core_has_costs_the_core_neither_start_nor_end(
    void **state) {
  (void)state;
  const int64_t with = overlapped_ps(true, true), without = overlapped_ps(false, true);
  assert_int_equal(without - with, world_spec.async_start_ps + world_spec.async_done_ps);
  assert_int_equal(overlapped_ps(true, false), overlapped_ps(false, false));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gradients_cross_slices_at_the_rate_of_all_hosts),
      cmocka_unit_test(test_the_chips_of_a_host_share_its_interface),
      cmocka_unit_test(test_what_a_sparse_core_has_costs_the_core_neither_start_nor_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
