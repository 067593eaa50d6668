// Events of a Chrome trace, one after the other, and the lanes of what overlaps.
//
// Threading: one thread.

#ifndef CLIENT_CLI_TRACE_WRITER_H_
#define CLIENT_CLI_TRACE_WRITER_H_

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "client/cli/output.h"

// Between the brackets of "traceEvents".
typedef struct trace_writer_t {
  cli_output_t *output;
  bool has_event;
} trace_writer_t;

// Takes the object.
void trace_write(trace_writer_t *writer, cJSON *event);

// A new event; `phase`: "X", "C" …
cJSON *trace_event(const char *phase, const char *name, int process, int thread);

// Microseconds with all digits: a double would let slices that touch overlap. `value` has
// `per_us` of its units in one: 1000000 or 1000.
void trace_add_time(cJSON *event, const char *key, int64_t value, int64_t per_us);

// What a process (thread 0) or a thread is called, and where it stands among others.
void trace_write_name(trace_writer_t *writer, const char *kind, int process, int thread,
                      const char *name, int order);

// Slices of a thread must nest: those that overlap get lanes, threads of their own.
enum { TRACE_LANES_MAX = 64 };
typedef struct trace_lanes_t {
  int count;
  int64_t free_ps[TRACE_LANES_MAX];  // When the last slice of each ends.
} trace_lanes_t;

// The first lane that is free by then; -1: none.
int trace_find_lane(trace_lanes_t *lanes, int64_t start_ps, int64_t end_ps);

#endif  // CLIENT_CLI_TRACE_WRITER_H_
