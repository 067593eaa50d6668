// Where on the host's time axis predicted executions lie.
//
// The host dispatches at times that its clock measured; how long the chips then take is
// predicted. An execution begins when it has been dispatched and its chips are done with
// what they were given before; all of its chips begin at once, as its profile has it.
//
// Threading: pure.

#ifndef CLIENT_PJRT_TIMELINE_H_
#define CLIENT_PJRT_TIMELINE_H_

#include "client/lib/podium.h"
#include "client/profile/xplane.h"

typedef struct timeline_program_t {
  int64_t number;  // Of xplane_add_program.
  const char *name;
  int64_t temp_bytes;  // On a chip while it runs, beside arguments and results.
  int device_count;
  const int *devices;  // That run it; of this process.
} timeline_program_t;

typedef struct timeline_execution_t {
  const timeline_program_t *program;
  const podium_profile_t *profile;
  int64_t at_ns;  // When it was dispatched.
  int64_t link;   // XPLANE_NO_LINK, or the dispatch in JAX's own plane.
} timeline_execution_t;

// A buffer that is there from now on, or not any more.
typedef struct timeline_change_t {
  int chip;
  int64_t at_ns;
  int64_t size_bytes;    // Less than 0: it was freed.
  int64_t in_use_bytes;  // On the chip after it.
  int64_t hbm_bytes;     // What the chip has.
  uint64_t address;      // Of those that are there at a time, its own.
  char shape[48];
} timeline_change_t;

typedef struct timeline_t {
  int64_t begin_ns;
  xplane_steps_t steps;  // The space's.
  int execution_count, change_count;
  const timeline_execution_t *executions;  // In the order of their dispatch.
  const timeline_change_t *changes;        // Likewise in order.
} timeline_t;

// Adds all of it to the space. Numbered steps are the executions of that program on which
// the chips spent most time; linked ones are all that ran on as many chips as any did,
// for others would be steps of some chips alone, of which XProf makes nothing.
void timeline_lay_out(const timeline_t *timeline, xplane_space_t *space);

#endif  // CLIENT_PJRT_TIMELINE_H_
