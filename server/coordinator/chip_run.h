// Executions on chips, given to each in one order over one stream (podium.v1.Worker/Run),
// which begins with the first of them and lives as long as the worker. What chip_call.h
// is for other calls: errors name the worker, and say whether it was lost.
//
// Callbacks: on_end comes exactly once for every start, never inside it, also when nobody
// has the place.
// Errors: as with chip_call_t.
// Threading: the loop thread.
// Ownership: a run is embedded in its owner, which lives until on_end.

#ifndef SERVER_COORDINATOR_CHIP_RUN_H_
#define SERVER_COORDINATOR_CHIP_RUN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/coordinator/later.h"
#include "server/coordinator/registry.h"

typedef struct chip_runs_t chip_runs_t;
typedef struct chip_run_t chip_run_t;
typedef struct chip_stream_t chip_stream_t;

typedef struct chip_run_events_t {
  // Borrowed.
  void (*on_part)(chip_run_t *run, const Podium__V1__WorkerExecuteResponse *part);
  // It stands still, or ends. Once for each chip_run_pause that said so.
  void (*on_paused)(chip_run_t *run);
  // It does not begin beside those that are paused on its chip.
  void (*on_lacks_room)(chip_run_t *run);
  // Takes `status`.
  void (*on_end)(chip_run_t *run, pod_status_t status, bool is_lost);
} chip_run_events_t;

struct chip_run_t {
  later_item_t later;  // First, so that the item finds its run.
  const chip_run_events_t *events;
  void *owner;
  registry_t *registry;
  chip_stream_t *stream;  // NULL: nobody to ask, or it has ended.
  chip_run_t *previous, *next;
  uint64_t execution;
  uint64_t freed_before;  // Arrays, by the same stream.
  int32_t chip;
  uint64_t epoch;  // Of the worker that was asked.
  bool is_open;    // on_end is owed.
  bool is_cancelled;
  bool owes_pause;  // on_paused is owed.
};

chip_runs_t *chip_runs_create(registry_t *registry, int32_t chip_count);

// Nothing is open any more. Accepts NULL.
void chip_runs_destroy(chip_runs_t *runs);

// `events` is borrowed until on_end.
void chip_run_start(chip_runs_t *runs, chip_run_t *run, int32_t chip,
                    Podium__V1__WorkerExecuteRequest *request,
                    const chip_run_events_t *events, void *owner);

// UNAVAILABLE with the reason when the worker that was asked has gone since.
POD_MUST_USE pod_status_t chip_run_check_alive(const chip_run_t *run);

// To what the execution has asked of its host. Borrowed.
void chip_run_answer(const chip_run_t *run, Podium__V1__HostAnswer *answer);

// Has its chip do something else. True: on_paused follows; false: there it has ended.
POD_MUST_USE bool chip_run_pause(chip_run_t *run);

// What was paused, and has said so, goes on after what the chip was given meanwhile.
void chip_run_resume(const chip_run_t *run);

// on_end follows with CANCELLED, or with what came before. Idempotent.
void chip_run_cancel(chip_run_t *run);

// Frees arrays on all chips, when what was started before has ended there.
void chip_runs_free_arrays(chip_runs_t *runs, uint64_t *ids, size_t count);

#endif  // SERVER_COORDINATOR_CHIP_RUN_H_
