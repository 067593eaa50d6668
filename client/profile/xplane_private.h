// What the files of the trace share. Not for others.

#ifndef CLIENT_PROFILE_XPLANE_PRIVATE_H_
#define CLIENT_PROFILE_XPLANE_PRIVATE_H_

#include "client/profile/xplane.h"
#include "common/base/arena.h"
#include "common/base/list.h"
#include "proto/xplane/xplane.pb-c.h"

typedef Tensorflow__Profiler__XSpace message_t;
typedef Tensorflow__Profiler__XPlane xplane_t;
typedef Tensorflow__Profiler__XLine xline_t;
typedef Tensorflow__Profiler__XEvent xevent_t;
typedef Tensorflow__Profiler__XStat xstat_t;
typedef Tensorflow__Profiler__XPlane__EventMetadataEntry event_entry_t;
typedef Tensorflow__Profiler__XPlane__StatMetadataEntry stat_entry_t;

enum {
  LINE_STEPS,
  LINE_MODULES,
  LINE_OPS,
  LINE_ASYNC,
  LINE_LINKS,  // And the direction.
  LINE_COUNTERS = LINE_LINKS + PODIUM_LINK_COUNT,
  LINE_COUNT,
};

// Metadata of events that no program has.
enum {
  EVENT_HBM = 1,
  EVENT_BUSY_LINKS,
  EVENT_ALLOCATION,
  EVENT_DEALLOCATION,
};
#define EVENT_STEPS (INT64_C(1) << 56)  // And the number of the step.

// The module of a program, or one of its tasks.
static inline int64_t xplane_module_metadata(int64_t program) {
  return program << 24;
}

static inline int64_t xplane_task_metadata(int64_t program, int task) {
  return xplane_module_metadata(program) + 1 + task;
}

// Stats by name; their ids are 1 + these.
enum {
  STAT_GROUP_ID = 0,
  STAT_RUN_ID,
  STAT_PROGRAM_ID,
  STAT_SYMBOL_ID,
  STAT_HLO_CATEGORY,
  STAT_TF_OP,
  STAT_FLOPS,
  STAT_MODEL_FLOPS,
  STAT_BYTES_ACCESSED,
  STAT_SHAPE,
  STAT_SOURCE,
  STAT_BYTES_TRANSFERRED,
  STAT_DEVICE_TYPE,
  STAT_PEAK_TERAFLOPS,
  STAT_PEAK_HBM,
  STAT_MEMORY_SIZE,
  STAT_HBM_IN_USE,
  STAT_BYTES,
  STAT_LINKS,
  STAT_ALLOCATOR,
  STAT_BYTES_RESERVED,
  STAT_BYTES_ALLOCATED,
  STAT_BYTES_AVAILABLE,
  STAT_FRAGMENTATION,
  STAT_PEAK_BYTES,
  STAT_REQUESTED_BYTES,
  STAT_ALLOCATION_BYTES,
  STAT_ADDRESS,
  STAT_REGION_TYPE,
  STAT_TENSOR_SHAPE,
  STAT_MEMORY_ACCESS,
  STAT_CONSUMER_TYPE,
  STAT_CONSUMER,
  STAT_DEVICE_OFFSET,
  STAT_DEVICE_DURATION,
  STAT_MXU_UTILIZATION,
  STAT_HBM_UTILIZATION,
  STAT_COUNT,
};

typedef struct program_t {
  event_entry_t **entries;
  int count;
} program_t;

// A line in the making: not in the plane before it has an event.
typedef struct line_t {
  xline_t *message;
  POD_LIST(xevent_t *) events;
} line_t;

typedef struct plane_t {
  int chip;
  xplane_t *message;
  line_t lines[LINE_COUNT];
  POD_LIST(int64_t) programs;  // That ran on the chip.
  POD_LIST(int64_t) steps;     // Whose names it needs.
} plane_t;

// The allocations of a chip.
typedef struct allocations_t {
  int chip;
  line_t line;
} allocations_t;

struct xplane_space_t {
  pod_arena_t *arena;
  int64_t begin_ns;
  xplane_steps_t steps;
  double mxu_percent, hbm_percent;
  stat_entry_t **stat_entries;  // Of those that this space has.
  size_t stat_count;
  POD_LIST(program_t) programs;
  POD_LIST(plane_t *) planes;
  POD_LIST(allocations_t *) allocations;
  POD_LIST(const char *) warnings;
  int64_t events_max, event_count, dropped;
};

// A stat with a value; a text is borrowed.
xstat_t *xplane_text_stat(pod_arena_t *arena, int stat, const char *text);
xstat_t *xplane_count_stat(pod_arena_t *arena, int stat, int64_t value);
xstat_t *xplane_int_stat(pod_arena_t *arena, int stat, int64_t value);
xstat_t *xplane_double_stat(pod_arena_t *arena, int stat, double value);

// The names of the stats of a space.
void xplane_make_stat_entries(xplane_space_t *space);

// Metadata of an event; the texts are borrowed.
event_entry_t *xplane_make_event_entry(pod_arena_t *arena, int64_t id, const char *name,
                                       const char *display_name, size_t stat_count,
                                       xstat_t **stats);

// A text that a message holds and does not change.
static inline char *xplane_borrow(const char *text) {
  return (char *)(uintptr_t)text;
}

#endif  // CLIENT_PROFILE_XPLANE_PRIVATE_H_
