// What the chips do while somebody looks: every execution of this process, whoever
// dispatched it, with its predicted profile, and every buffer on a chip.
//
// Any number may be on at a time. While none is, what is told here costs a load.
//
// Threading: any thread. Ownership: a recording is the caller's.

#ifndef CLIENT_PJRT_RECORDING_H_
#define CLIENT_PJRT_RECORDING_H_

#include "client/pjrt/plugin.h"
#include "client/profile/xplane.h"

typedef struct recording_t recording_t;

// `steps`: see xplane.h.
recording_t *recording_start(xplane_steps_t steps);

// Nothing that follows is in it. Again: nothing.
void recording_stop(recording_t *recording);

// Stops it, and waits no more than so long for each execution that has not ended: those
// are left out.
void recording_give_up(recording_t *recording, int64_t timeout_ms);

// Stops it, waits for the executions in it to end and for their profiles, and returns an
// XSpace (client/profile/xplane.h). Owned. `host` may be NULL.
uint8_t *recording_pack(recording_t *recording, const char *host, const char *host_plane,
                        size_t *out_size);

// Stops it, and waits for what it uses. Accepts NULL.
void recording_destroy(recording_t *recording);

// An execution has been dispatched. `extension`: of the call, by
// which JAX says what the call is in its own profile.
void recording_add_execution(const PJRT_LoadedExecutable *loaded,
                             pjrt_execution_t *execution,
                             const PJRT_Extension_Base *extension);

// A buffer on a chip has come (size_bytes > 0) or gone; `in_use_bytes` are on its chip
// now.
void recording_add_change(const PJRT_Buffer *buffer, int64_t size_bytes,
                          int64_t in_use_bytes);

// Begins that of the whole process, once, when PODIUM_PROFILE asks for it
// (run_profile.c).
void pjrt_run_profile_start(void);

#endif  // CLIENT_PJRT_RECORDING_H_
