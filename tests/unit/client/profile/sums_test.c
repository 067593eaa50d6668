#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/profile/sums.h"

// A product fused with an add, two adds on one line, a loop around them; on two of the
// three chips of a pod of two classes.
static const podium_instruction_t instructions[] = {
    {.name = "dot_general.0", .op = "dot_general"},
    {.name = "add.0", .op = "add"},
};
static const int members[] = {0, 1};
static const podium_task_t tasks[] = {
    {.name = "fusion.0",
     .op = "add",
     .source = "f.py:3:1",
     .member_count = 2,
     .members = members,
     .mxu_flop = 1000,
     .mxu_busy_flop = 1600,
     .hbm_read_bytes = 60,
     .hbm_written_bytes = 40},
    {.name = "add.1", .op = "add", .source = "f.py:3:9", .hbm_read_bytes = 10},
    {.name = "add.2", .op = "add", .source = "f.py:4:9"},
    {.name = "while.0", .op = "while", .source = "", .kind = PODIUM_TASK_WHILE},
};
static const podium_task_total_t totals[] = {
    {.task = 0, .run_count = 2, .duration_ps = 100},
    {.task = 1, .run_count = 1, .duration_ps = 30, .waiting_ps = 5, .ici_bytes = 7},
    {.task = 2, .run_count = 4, .duration_ps = 80},
    {.task = 3, .run_count = 1, .duration_ps = 999},
};
static const podium_chip_class_t classes[] = {
    {.chip_count = 1, .end_ps = 500, .total_count = 1, .totals = totals},
    {.chip_count = 2, .end_ps = 1000, .total_count = 4, .totals = totals},
};
static const podium_profile_t profile = {.step_ps = 1000,
                                         .chip_count = 3,
                                         .class_count = 2,
                                         .task_count = 4,
                                         .bf16_flop_per_s = 1e13,
                                         .classes = classes,
                                         .tasks = tasks};
static const podium_program_info_t info = {.instruction_count = 2,
                                           .instructions = instructions};

static void test_hfu_counts_what_all_chips_execute_without_padding(void **state) {
  (void)state;
  const profile_sums_t sums = profile_sums_of(&profile);
  assert_true(sums.flop == 6000);
  assert_true(sums.busy_flop == 9600);
  assert_true(sums.hbm_bytes == 3 * 200 + 2 * 10);
  assert_ptr_equal(sums.slowest, &classes[1]);
  assert_true(fabs(sums.hfu - 0.2) < 1e-9);  // Of 10,000 FLOP a chip.
}

static void test_mfu_counts_what_the_model_needs(void **state) {
  (void)state;
  assert_true(fabs(profile_mfu(&profile, 3000) - 0.1) < 1e-9);
  const podium_profile_t empty = {.chip_count = 1};
  assert_true(profile_mfu(&empty, 3000) == 0);
}

static void test_mfu_leaves_out_what_is_computed_again(void **state) {
  (void)state;
  podium_task_t named[] = {{.name = "forward", .mxu_flop = 300},
                           {.name = "again", .mxu_flop = 200, .recomputed_flop = 150}};
  const podium_task_total_t runs[] = {{.task = 0, .run_count = 2},
                                      {.task = 1, .run_count = 1}};
  const podium_chip_class_t chips = {
      .chip_count = 2, .end_ps = 1000, .total_count = 2, .totals = runs};
  const podium_profile_t step = {.step_ps = 1000,
                                 .chip_count = 2,
                                 .class_count = 1,
                                 .task_count = 2,
                                 .bf16_flop_per_s = 1e13,
                                 .classes = &chips,
                                 .tasks = named};
  assert_true(fabs(profile_sums_of(&step).hfu - 0.08) < 1e-9);
  assert_true(profile_sums_of(&step).model_flop == 1300);
  assert_true(fabs(profile_mfu(&step, 0) - 0.065) < 1e-9);
  assert_true(fabs(profile_mfu(&step, 1000) - 0.05) < 1e-9);  // Who says it knows better.
  named[0].recomputed_flop = -1;
  assert_true(profile_mfu(&step, 0) < 0);
}

static void test_a_fusion_is_what_its_product_is(void **state) {
  (void)state;
  assert_string_equal(profile_task_operation(&info, &tasks[0]), "dot_general");
  assert_string_equal(profile_task_operation(&info, &tasks[1]), "add");
  pod_arena_t *arena = pod_arena_create();
  assert_string_equal(profile_task_title(arena, &info, &tasks[0]),
                      "fusion.0 dot_general");
  assert_string_equal(profile_task_title(arena, &info, &tasks[1]), "add.1");
  pod_arena_destroy(arena);
}

static void test_tasks_are_summed_by_operation_without_loops(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  int count;
  const profile_sum_t *sums = profile_sum_tasks(arena, &info, &profile, &classes[1],
                                                PROFILE_BY_OPERATION, &count);
  assert_int_equal(count, 2);
  assert_string_equal(sums[0].name, "add");
  assert_int_equal(sums[0].task_count, 2);
  assert_int_equal(sums[0].run_count, 5);
  assert_int_equal(sums[0].duration_ps, 110);
  assert_int_equal(sums[0].waiting_ps, 5);
  assert_int_equal(sums[0].ici_bytes, 7);
  assert_string_equal(sums[1].name, "dot_general");
  assert_true(sums[1].flop == 2000 && sums[1].hbm_bytes == 200);
  pod_arena_destroy(arena);
}

static void test_tasks_are_summed_by_the_line_of_their_source(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  int count;
  const profile_sum_t *sums =
      profile_sum_tasks(arena, &info, &profile, &classes[1], PROFILE_BY_SOURCE, &count);
  assert_int_equal(count, 2);
  assert_string_equal(sums[0].name, "f.py:3");
  assert_int_equal(sums[0].duration_ps, 130);
  assert_string_equal(sums[1].name, "f.py:4");
  assert_string_equal(profile_source_line(arena, "f.py:12"), "f.py:12");
  assert_string_equal(profile_source_line(arena, "-:12:7"), "-:12");
  assert_string_equal(profile_source_line(arena, ""), "");
  pod_arena_destroy(arena);
}

static void test_the_time_of_a_chip_is_told_by_what_it_waited_for(void **state) {
  (void)state;
  static const podium_task_t some[] = {
      {.name = "dot_general.0"},
      {.name = "all_reduce_done.0", .kind = PODIUM_TASK_COLLECTIVE_DONE},
      {.name = "prefetch_done.0", .kind = PODIUM_TASK_PREFETCH_DONE},
      {.name = "while.0", .kind = PODIUM_TASK_WHILE}};
  static const podium_task_total_t done[] = {
      {.task = 0, .bound = PODIUM_BOUND_MXU, .duration_ps = 100},
      {.task = 1, .bound = PODIUM_BOUND_VPU, .duration_ps = 50, .waiting_ps = 40},
      {.task = 2, .bound = PODIUM_BOUND_NONE, .duration_ps = 7, .waiting_ps = 6},
      {.task = 3, .bound = PODIUM_BOUND_HBM, .duration_ps = 1000}};
  const podium_chip_class_t class = {.total_count = 4, .totals = done};
  const podium_profile_t all = {.tasks = some, .task_count = 4};
  int64_t ps[PROFILE_WAIT_COUNT];
  profile_waits_of(&all, &class, ps);
  assert_int_equal(ps[PROFILE_WAIT_MXU], 100);
  assert_int_equal(ps[PROFILE_WAIT_VPU], 10);
  assert_int_equal(ps[PROFILE_WAIT_HBM], 0);  // The loop is what is in it.
  assert_int_equal(ps[PROFILE_WAIT_ICI], 40);
  assert_int_equal(ps[PROFILE_WAIT_DMA], 6);
  assert_int_equal(ps[PROFILE_WAIT_FIXED], 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hfu_counts_what_all_chips_execute_without_padding),
      cmocka_unit_test(test_mfu_counts_what_the_model_needs),
      cmocka_unit_test(test_mfu_leaves_out_what_is_computed_again),
      cmocka_unit_test(test_a_fusion_is_what_its_product_is),
      cmocka_unit_test(test_tasks_are_summed_by_operation_without_loops),
      cmocka_unit_test(test_tasks_are_summed_by_the_line_of_their_source),
      cmocka_unit_test(test_the_time_of_a_chip_is_told_by_what_it_waited_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
