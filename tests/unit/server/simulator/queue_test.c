// Events come out by time, and those of a time together.

#include "server/simulator/queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_events_come_out_by_time(void **state) {
  (void)state;
  simulator_queue_t queue;
  simulator_queue_init(&queue);
  enum { COUNT = 5000, TIMES = 700 };
  uint32_t seed = 1;
  int32_t expected[TIMES] = {0};
  for (int32_t i = 0; i < COUNT; i++) {
    seed = seed * 1664525u + 1013904223u;
    const int32_t time = (int32_t)((seed >> 8) % TIMES);
    expected[time]++;
    simulator_queue_push(&queue, (int64_t)time * 1000003,
                         (simulator_queue_event_t){.kind = 1, .a = time, .b = i});
  }
  int64_t next_ps;
  int64_t last_ps = -1;
  while (simulator_queue_next_time(&queue, &next_ps)) {
    assert_true(next_ps > last_ps);
    last_ps = next_ps;
    const simulator_batch_t batch = simulator_queue_take(&queue);
    assert_int_equal(batch.time_ps, next_ps);
    int32_t before = -1;
    for (int32_t i = 0; i < batch.events.count; i++) {
      assert_int_equal((int64_t)batch.events.items[i].a * 1000003, next_ps);
      assert_true(batch.events.items[i].b > before);
      before = batch.events.items[i].b;
    }
    assert_int_equal(batch.events.count, expected[next_ps / 1000003]);
    expected[next_ps / 1000003] = 0;
  }
  for (int32_t i = 0; i < TIMES; i++) {
    assert_int_equal(expected[i], 0);
  }
  simulator_queue_deinit(&queue);
}

static void test_events_for_now_come_after_the_batch_that_is_out(void **state) {
  (void)state;
  simulator_queue_t queue;
  simulator_queue_init(&queue);
  simulator_queue_push(&queue, 5, (simulator_queue_event_t){.a = 1});
  const simulator_batch_t first = simulator_queue_take(&queue);
  for (int32_t i = 0; i < 100; i++) {
    simulator_queue_push(&queue, 5 + i % 3, (simulator_queue_event_t){.a = 2});
  }
  assert_int_equal(first.events.count, 1);
  assert_int_equal(first.events.items[0].a, 1);
  const simulator_batch_t second = simulator_queue_take(&queue);
  assert_int_equal(second.time_ps, 5);
  assert_int_equal(second.events.count, 34);
  simulator_queue_deinit(&queue);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_events_come_out_by_time),
      cmocka_unit_test(test_events_for_now_come_after_the_batch_that_is_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
