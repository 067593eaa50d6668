// xplane, the trace format that TensorBoard's profile plugin and XProf read: an XSpace in
// the making.
//
// As on a TPU there is a plane per chip, "/device:TPU:3", with the lines "Steps", "XLA
// Modules", "XLA Ops" and "Async XLA Ops", the links that leave the chip, and counters;
// and one of the host, with what was allocated on the chips and when.
//
// Units: picoseconds since the space's beginning; bytes.
// Threading: one thread at a time. Ownership: the space is the caller's; what it is given
// is copied but for profiles, which must stay until it is packed.

#ifndef CLIENT_PROFILE_XPLANE_H_
#define CLIENT_PROFILE_XPLANE_H_

#include <stddef.h>
#include <stdint.h>

#include "client/lib/podium.h"

typedef struct xplane_space_t xplane_space_t;

enum { XPLANE_NO_STEP = -1, XPLANE_NO_LINK = -1 };

// How who reads the space knows to which step something belongs.
typedef enum xplane_steps_t {
  // By the numbers that executions are given.
  XPLANE_STEPS_NUMBERED,
  // By the host's plane, which comes from elsewhere: what was dispatched within one
  // jax.profiler.StepTraceAnnotation is a step; without any each execution is.
  XPLANE_STEPS_LINKED,
} xplane_steps_t;

// `begin_ns`: what the host's clock says at the beginning, since 1970; 0 for a time of
// its own. What comes behind `events_max` events is left out.
xplane_space_t *xplane_create(int64_t begin_ns, int64_t events_max, xplane_steps_t steps);
void xplane_destroy(xplane_space_t *space);  // Accepts NULL.

// A program and the tasks of its profiles. Returns its number, by which executions name
// it: 1, 2, …
int64_t xplane_add_program(xplane_space_t *space, const podium_program_info_t *info,
                           const podium_profile_t *profile);

typedef struct xplane_execution_t {
  int64_t program;
  const podium_profile_t *profile;
  int chip;
  int64_t start_ps;
  int64_t step;     // Which it is; XPLANE_NO_STEP: none.
  int64_t run;      // A number of its own.
  int64_t link;     // The dispatch in the host's plane; XPLANE_NO_LINK: none.
  int64_t busy_ps;  // What the chip had been busy before.
} xplane_execution_t;

// What the chip did during an execution. Those of a chip come in the order of their
// starts, and do not overlap.
void xplane_add_execution(xplane_space_t *space, const xplane_execution_t *execution);

// HBM of a chip that was allocated (size_bytes > 0) or freed, and how it was then.
typedef struct xplane_memory_t {
  int chip;
  int64_t at_ps, size_bytes;
  uint64_t address;         // The same when it is allocated and when it is freed.
  const char *name, *kind;  // "jit_step", "output"
  const char *shape;        // "f32[4,8]", or "".
  int64_t allocated_bytes;  // By buffers.
  int64_t reserved_bytes;   // By a program that runs.
  int64_t peak_bytes;       // The most there were of both.
  int64_t hbm_bytes;        // What the chip has.
  int64_t step;
} xplane_memory_t;

// Those of a chip come in order of time.
void xplane_add_memory(xplane_space_t *space, const xplane_memory_t *memory);

// Of all executions together, 0 to 100, by the nominal peaks.
void xplane_set_utilization(xplane_space_t *space, double mxu_percent,
                            double hbm_percent);

// A remark that the profile pages show.
void xplane_add_warning(xplane_space_t *space, const char *text);

// How many events were left out.
int64_t xplane_dropped(const xplane_space_t *space);

// The bytes of the XSpace. Owned. `host` may be NULL: whoever reads it knows.
// `host_plane`: the name of the host's plane.
uint8_t *xplane_pack(xplane_space_t *space, const char *host, const char *host_plane,
                     size_t *out_size);

#endif  // CLIENT_PROFILE_XPLANE_H_
