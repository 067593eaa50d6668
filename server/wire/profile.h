// What an execution leaves behind on a worker, on the wire: chip_profile_t as pieces of
// the answer of podium.v1.Worker/Run.
//
// Ownership: what packing returns lives in the arena.
// Threading: pure.

#ifndef SERVER_WIRE_PROFILE_H_
#define SERVER_WIRE_PROFILE_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/program/profile.h"

// Entries of lists in one piece: it then stays below 4 MiB, which every gRPC peer takes.
enum { WIRE_PIECE_ENTRIES = 1 << 15 };

// Totals of the instructions that ran, the trace, and single events when `with_events`.
// *out_count pieces, at least one.
Podium__V1__WorkerExecuteResponse **wire_profile_pack(pod_arena_t *arena,
                                                      const chip_profile_t *profile,
                                                      bool with_events,
                                                      size_t *out_count);

// Adds a piece to `trace`, which chip_trace_init has made for `program`.
// INVALID_ARGUMENT when it is of another program or longer than a trace gets;
// RESOURCE_EXHAUSTED when the worker had to cut it.
POD_MUST_USE pod_status_t wire_trace_add(const Podium__V1__ControlTrace *message,
                                         const chip_program_t *program,
                                         chip_trace_t *trace);

#endif  // SERVER_WIRE_PROFILE_H_
