// What the control flow of an execution did on a chip: how often each loop turned, which
// branch each case took. Workers record it; for time-only runs the simulator computes it
// from the program's scalars. It is all that the clock needs to know of the values.
//
// Threading: one thread at a time. Ownership: a trace owns its runs.

#ifndef SERVER_PROGRAM_TRACE_H_
#define SERVER_PROGRAM_TRACE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/list.h"
#include "common/base/status.h"
#include "server/program/program.h"

enum { CHIP_TRACE_RUNS_MAX = 1 << 20 };  // Of one chip, all instructions together.

// `repeat` executions in a row of the instruction had `value`: turns of a while, index of
// the branch taken.
typedef struct chip_trace_run_t {
  int64_t value;
  int64_t repeat;
} chip_trace_run_t;

typedef POD_LIST(chip_trace_run_t) chip_trace_list_t;

// By instruction of the program; lists of other instructions than WHILE, IF and CASE are
// empty. An instruction's executions are in the order in which they ended, which is that
// in which they began.
typedef struct chip_trace_t {
  int32_t instruction_count, run_count;
  chip_trace_list_t *lists;
} chip_trace_t;

void chip_trace_init(chip_trace_t *trace, const chip_program_t *program);
void chip_trace_deinit(chip_trace_t *trace);

// Appends one execution. False: CHIP_TRACE_RUNS_MAX is reached; nothing was added.
bool chip_trace_add(chip_trace_t *trace, int32_t instruction, int64_t value);

bool chip_trace_equal(const chip_trace_t *a, const chip_trace_t *b);

// Reads a list from its beginning, an execution at a time.
typedef struct chip_trace_cursor_t {
  int32_t run;
  int64_t used;
} chip_trace_cursor_t;

// The next value of the list. False: there is none.
bool chip_trace_next(const chip_trace_list_t *list, chip_trace_cursor_t *cursor,
                     int64_t *out_value);

#endif  // SERVER_PROGRAM_TRACE_H_
