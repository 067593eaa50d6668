#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/simulation/machine.h"
#include "tests/simulation/plan.h"

enum { SEEDS = 500, NEIGHBOURS = 16, LEAST_WAIT_NS = MS / 4 };

static plan_t plans[SEEDS + NEIGHBOURS];

// Waits are drawn among hundreds of thousands of lengths, but for the least one.
static bool is_same_work(const plan_item_t *a, const plan_item_t *b) {
  return a->wait_ns == b->wait_ns && a->wait_ns != LEAST_WAIT_NS &&
         a->program == b->program && a->count == b->count;
}

static int count_same(const plan_t *a, const plan_t *b, int *out_pairs) {
  int same = 0;
  for (int i = 0; i < a->item_count; i++) {
    for (int j = 0; j < b->item_count; j++) {
      if (!plan_is_fault(&a->items[i]) && !plan_is_fault(&b->items[j])) {
        (*out_pairs)++;
        same += is_same_work(&a->items[i], &b->items[j]);
      }
    }
  }
  return same;
}

static void test_a_seed_s_work_is_not_that_of_its_neighbours(void **state) {
  (void)state;
  int pairs = 0, same = 0;
  for (int i = 0; i < SEEDS + NEIGHBOURS; i++) {
    plan_make((uint64_t)i + 1, &plans[i]);
  }
  for (int i = 0; i < SEEDS; i++) {
    for (int j = 1; j <= NEIGHBOURS; j++) {
      same += count_same(&plans[i], &plans[i + j], &pairs);
    }
  }
  assert_true(pairs > SEEDS * NEIGHBOURS);
  assert_in_range(same, 0, pairs / 10000);
}

static void test_a_seed_means_the_same_plan_every_time(void **state) {
  (void)state;
  plan_make(7, &plans[0]);
  plan_make(7, &plans[1]);
  assert_memory_equal(&plans[0], &plans[1], sizeof(plans[0]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_seed_s_work_is_not_that_of_its_neighbours),
      cmocka_unit_test(test_a_seed_means_the_same_plan_every_time),
  };
  return cmocka_run_group_tests_name("simulation/plan", tests, NULL, NULL);
}
