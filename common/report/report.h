// A program and its profile as JSON, and as a page that shows it. README.md has the
// format.
//
//   pod_text_t json = {0}, html = {0};
//   report_write_json(&input, &json);                        // A job keeps this,
//   report_write_html(json.bytes, json.length, &html);       // and this is what people
//   open.
//
// The input is plain structs, so that clients and servers can fill them alike: from
// libpodium's by client/profile/report.h (command line, runner of jobs).
//
// Units: bytes, picoseconds of predicted time, nanoseconds where measured.
// Cost: linear in the events. The JSON is a few MB at most, whatever the program: what is
// more is put together or left out, and the JSON says so. Determinism: the same input,
// the same bytes. Threading: pure. Ownership: everything is borrowed for the call.
// Errors: none, but for report_write_html of what is no JSON object.

#ifndef COMMON_REPORT_REPORT_H_
#define COMMON_REPORT_REPORT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"

enum { REPORT_RANK_MAX = 16, REPORT_ICI_DIRECTIONS = 6, REPORT_DIRECTIONS = 9 };

// Texts may be NULL, which is "".

// --- Arrays ---

// An axis (or sub-axis) that cuts a dimension: the device at position p of the mesh has
// the digit p / stride % size.
typedef struct report_axis_t {
  const char *name;
  int64_t stride, size;
} report_axis_t;

typedef struct report_axes_t {
  int count;
  const report_axis_t *axes;  // Major to minor.
} report_axes_t;

typedef struct report_array_t {
  bool is_result;
  // Of a value within the program, what makes it and where; NULL of the others.
  const char *op, *source;
  const char *name, *dtype, *sharding;
  int rank;
  int64_t dims[REPORT_RANK_MAX], local_dims[REPORT_RANK_MAX];
  int64_t bytes, local_bytes;
  report_axes_t spec[REPORT_RANK_MAX], unreduced;
  const int64_t *positions;  // By device; NULL: its number.
  int alias;                 // Of an argument, the result in its memory; -1: none.
  bool has_no_spec;          // How it is cut is not known, but for `sharding` as text.
} report_array_t;

// --- The program ---

typedef struct report_collective_t {
  const char *name, *op, *source, *axes, *operand, *result;
  const char *why;      // For people: what such a collective is there for.
  const char *because;  // Why the partitioner put this one in; "": it did not say.
  int64_t group_count, group_size, ici_bytes, dcn_bytes;
  int64_t link_bytes, alone_ps;  // Of one run: on the busiest link, and by itself.
  bool in_loop, inserted, asynchronous;
  int task;  // Of the tasks; -1: none.
  // Of a step on the class that ends last, when there is a task.
  int64_t run_count, total_ps, exposed_ps;
  const char *behind;  // What hides the rest, for people; NULL: nothing does.
} report_collective_t;

// What is in a chip's HBM when most is.
typedef struct report_buffer_t {
  const char *kind, *name, *op, *shape, *source;
  int64_t bytes;
} report_buffer_t;

typedef struct report_memory_t {
  int64_t hbm_bytes, hbm_peak_bytes, argument_bytes, result_bytes, constant_bytes,
      temp_bytes, alias_bytes;
  const char *peak_at, *peak_source;
  int buffer_count;
  const report_buffer_t *buffers;  // In any order.
  // Of what the caller has not listed.
  int64_t buffers_left_out, left_out_bytes;
} report_memory_t;

// --- Times ---

typedef enum report_kind_t {
  REPORT_COMPUTE = 0,
  REPORT_COLLECTIVE,
  REPORT_START,
  REPORT_DONE,
  REPORT_PREFETCH,
  REPORT_PREFETCHED,
  REPORT_WHILE,
  REPORT_BRANCH,
  REPORT_TRANSFER,  // Between HBM and the host's memory.
  REPORT_TRANSFERRED,
} report_kind_t;

typedef struct report_task_t {
  const char *name, *op, *shape, *source, *bound;  // "MXU".
  report_kind_t kind;
  int partner;
  int64_t flop, busy_flop, vpu_op, hbm_bytes, vmem_bytes, hbm_live_bytes;  // Of one run.
  // Sums over the step on the class that ends last; all 0 when it did not run there.
  int64_t runs, start_ps, duration_ps, waiting_ps, flight_ps, ici_bytes;
} report_task_t;

typedef struct report_event_t {
  int task;
  int64_t start_ps, duration_ps, flight_ps;
} report_event_t;

typedef struct report_message_t {
  int direction;  // Below REPORT_DIRECTIONS: podium.h names them.
  int64_t start_ps, duration_ps;
} report_message_t;

typedef struct report_point_t {
  int64_t at_ps, bytes;
} report_point_t;

typedef struct report_link_t {
  int64_t bytes, busy_ps, messages;
} report_link_t;

typedef struct report_class_t {
  int representative, chip_count;
  int64_t end_ps, compute_ps, waiting_ps, overlapped_ps;
  int64_t mxu_ps, vpu_ps, hbm_ps, dma_ps, ici_ps;
  report_link_t links[REPORT_DIRECTIONS];
  int event_count, message_count, hbm_count;
  const report_event_t *events;  // In order of start.
  const report_message_t *messages;
  const report_point_t *hbm;  // In order of time.
  int64_t events_dropped, messages_dropped;
} report_class_t;

typedef struct report_wait_t {
  const char *name;
  int64_t duration_ps;
} report_wait_t;

typedef struct report_times_t {
  int64_t step_ps;
  int64_t low_ps, high_ps;  // How far it may be off; 0: not known.
  const char *rests_on;     // What backs it, in words; NULL: nothing is known.
  int chips_running;
  int64_t dispatch_ps;  // Of a call on the host that waits for its result, beside a step.
  double hfu, flop_per_chip, hbm_traffic_bytes_per_chip;
  double mfu;  // -1: not known.
  int wait_count, task_count, class_count, chip_count;
  const report_wait_t *waits;
  const report_task_t *tasks;
  const report_class_t *classes;
  const int *class_of_chip;  // chip_count of them.
  int slowest;               // Of the classes.
} report_times_t;

// --- The whole ---

typedef struct report_pod_t {
  const char *chip_kind, *device_kind, *topology_name;
  int topology[3];
  bool wraps[3];
  int chip_count;
  double bf16_flop_per_s, vpu_op_per_s, hbm_bytes_per_s, ici_bytes_per_s;
} report_pod_t;

typedef struct report_input_t {
  const char *version;  // Podium's.
  const char *made_by;  // "run", "simulate", "compile", "explain", "job".
  const char *program, *file;
  int device_count;
  const int64_t *chips;  // By device; NULL: its number.
  int note_count, mesh_axis_count, array_count, value_count, collective_count;
  const char *const *notes;
  const report_axis_t *mesh;  // Strides are not looked at.
  const report_array_t *arrays;
  const report_array_t *values;  // Within the program, in its order.
  const report_collective_t *collectives;
  report_memory_t memory;
  const report_pod_t *pod;      // NULL: not known.
  const report_times_t *times;  // NULL: `no_times` says why.
  const char *no_times;
  const char *traceparent;  // "" or NULL: none.
  int64_t host_ns;          // 0: nothing was measured.
} report_input_t;

// Adds the JSON to `out`.
void report_write_json(const report_input_t *input, pod_text_t *out);

// Adds a page that needs nothing else, of what report_write_json wrote. INVALID_ARGUMENT
// when `json` does not begin as that does.
POD_MUST_USE pod_status_t report_write_html(const char *json, size_t length,
                                            pod_text_t *out);

#endif  // COMMON_REPORT_REPORT_H_
