// Profiles on the wire: chip_profile_t and podium.v1.ChipProfile.
//
// Ownership: what packing returns lives in the arena.
// Threading: pure.

#ifndef SERVER_WIRE_PROFILE_H_
#define SERVER_WIRE_PROFILE_H_

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "proto/podium/v1/profile.pb-c.h"
#include "server/chip/profile.h"

// Totals of the instructions that ran, links that carried something, and single events
// when `with_events`.
Podium__V1__ChipProfile *wire_profile_pack(pod_arena_t *arena,
                                           const chip_profile_t *profile,
                                           bool with_events);

// `program` is the one that ran. INVALID_ARGUMENT when the profile is not one of it: an
// instruction or link that does not exist, too many events. The result is owned
// (chip_profile_deinit).
POD_MUST_USE pod_status_t wire_profile_unpack(const Podium__V1__ChipProfile *message,
                                              const chip_program_t *program,
                                              chip_profile_t *out_profile);

#endif  // SERVER_WIRE_PROFILE_H_
