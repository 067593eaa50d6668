// A binary heap of deadlines. A call sets and cancels one in a few nanoseconds, which a
// libuv timer with its deferred close does not allow.

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/rpc/loop_internal.h"

enum { NS_PER_MS = 1000000 };

static void put(rpc_loop_t *loop, size_t index, rpc_alarm_t *alarm) {
  loop->alarms[index] = alarm;
  alarm->slot = index + 1;
}

static void sift_up(rpc_loop_t *loop, size_t index) {
  rpc_alarm_t *alarm = loop->alarms[index];
  while (index > 0) {
    const size_t parent = (index - 1) / 2;
    if (loop->alarms[parent]->at_ns <= alarm->at_ns) {
      break;
    }
    put(loop, index, loop->alarms[parent]);
    index = parent;
  }
  put(loop, index, alarm);
}

static void sift_down(rpc_loop_t *loop, size_t index) {
  rpc_alarm_t *alarm = loop->alarms[index];
  for (;;) {
    size_t child = 2 * index + 1;
    if (child >= loop->alarm_count) {
      break;
    }
    if (child + 1 < loop->alarm_count &&
        loop->alarms[child + 1]->at_ns < loop->alarms[child]->at_ns) {
      child++;
    }
    if (alarm->at_ns <= loop->alarms[child]->at_ns) {
      break;
    }
    put(loop, index, loop->alarms[child]);
    index = child;
  }
  put(loop, index, alarm);
}

void rpc_alarm_set(rpc_loop_t *loop, rpc_alarm_t *alarm, int64_t at_ns) {
  rpc_alarm_cancel(loop, alarm);
  if (loop->alarm_count == loop->alarm_capacity) {
    loop->alarm_capacity = loop->alarm_capacity == 0 ? 64 : 2 * loop->alarm_capacity;
    loop->alarms = pod_grow(loop->alarms, loop->alarm_capacity, sizeof(loop->alarms[0]));
  }
  alarm->at_ns = at_ns;
  put(loop, loop->alarm_count++, alarm);
  sift_up(loop, loop->alarm_count - 1);
}

void rpc_alarm_set_in_ms(rpc_loop_t *loop, rpc_alarm_t *alarm, uint64_t delay_ms) {
  const int64_t now_ns = pod_clock_now_ns();
  const uint64_t farthest_ms = (uint64_t)(INT64_MAX - now_ns) / NS_PER_MS - 1;
  const uint64_t bounded_ms = delay_ms < farthest_ms ? delay_ms : farthest_ms;
  rpc_alarm_set(loop, alarm, now_ns + (int64_t)bounded_ms * NS_PER_MS);
}

void rpc_alarm_cancel(rpc_loop_t *loop, rpc_alarm_t *alarm) {
  if (alarm->slot == 0) {
    return;
  }
  const size_t index = alarm->slot - 1;
  POD_CHECK(index < loop->alarm_count && loop->alarms[index] == alarm);
  alarm->slot = 0;
  rpc_alarm_t *last = loop->alarms[--loop->alarm_count];
  if (last != alarm) {
    put(loop, index, last);
    sift_up(loop, index);
    sift_down(loop, last->slot - 1);
  }
}
