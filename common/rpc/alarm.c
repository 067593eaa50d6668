// Deadlines in a heap. A call sets and cancels one in a few nanoseconds, which a libuv
// timer with its deferred close does not allow.

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/rpc/loop_internal.h"

enum { NS_PER_MS = 1000000 };

static void note_place(uintptr_t item, int32_t at) {
  ((rpc_alarm_t *)item)->slot = at + 1;
}

void rpc_alarms_init(pod_heap_t *alarms) {
  *alarms = (pod_heap_t){.placed = note_place};
}

void rpc_alarm_set(rpc_loop_t *loop, rpc_alarm_t *alarm, int64_t at_ns) {
  rpc_alarm_cancel(loop, alarm);
  pod_heap_push(&loop->alarms, at_ns, (uintptr_t)alarm);
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
  pod_heap_remove(&loop->alarms, alarm->slot - 1);
  alarm->slot = 0;
}

rpc_alarm_t *rpc_alarm_first(const rpc_loop_t *loop, int64_t *out_at_ns) {
  if (pod_heap_count(&loop->alarms) == 0) {
    return NULL;
  }
  const pod_heap_entry_t first = pod_heap_first(&loop->alarms);
  *out_at_ns = first.key;
  return (rpc_alarm_t *)first.item;
}
