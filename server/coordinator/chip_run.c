// A stream belongs to one worker, told by its epoch: the next worker of the place gets a
// new one. A run that is cancelled ends here at once, whatever its worker still does.

#include "server/coordinator/chip_run.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/rpc/rpc.h"
#include "server/coordinator/chip_call.h"

enum { FREED_UNHEARD_MAX = 1 << 16 };  // Arrays.

struct chip_stream_t {
  chip_runs_t *runs;
  int32_t chip;
  uint64_t epoch;
  rpc_call_t *rpc;
  chip_run_t *first;  // Open ones; the last started comes first.
  // Arrays to be freed that the worker may not have heard of; and how many it has.
  POD_LIST(uint64_t) freed;
  uint64_t heard_count;
};

struct chip_runs_t {
  registry_t *registry;
  int32_t chip_count;
  chip_stream_t **streams;  // By chip: the last that was begun, or NULL.
};

chip_runs_t *chip_runs_create(registry_t *registry, int32_t chip_count) {
  chip_runs_t *runs = pod_alloc(sizeof(*runs));
  *runs =
      (chip_runs_t){.registry = registry,
                    .chip_count = chip_count,
                    .streams = pod_alloc((size_t)chip_count * sizeof(*runs->streams))};
  return runs;
}

void chip_runs_destroy(chip_runs_t *runs) {
  if (runs != NULL) {
    free(runs->streams);
    free(runs);
  }
}

// --- Ends ---

static void take_out(chip_run_t *run) {
  chip_stream_t *stream = run->stream;
  if (stream == NULL) {
    return;
  }
  if (run->previous != NULL) {
    run->previous->next = run->next;
  } else {
    stream->first = run->next;
  }
  if (run->next != NULL) {
    run->next->previous = run->previous;
  }
  run->stream = NULL;
}

pod_status_t chip_run_check_alive(const chip_run_t *run) {
  return chip_worker_check(run->registry, run->chip, run->epoch);
}

static void note_pause(chip_run_t *run) {
  if (run->owes_pause) {
    run->owes_pause = false;
    run->events->on_paused(run);
  }
}

// Takes `status`.
static void end(chip_run_t *run, pod_status_t status) {
  take_out(run);
  note_pause(run);
  run->is_open = false;
  bool is_lost = false;
  if (status != NULL && !run->is_cancelled) {
    status = chip_worker_explain(run->registry, run->chip, run->epoch, status, &is_lost);
  }
  run->events->on_end(run, status, is_lost);
}

static void end_later(later_item_t *item) {
  chip_run_t *run = (chip_run_t *)item;
  end(run, run->is_cancelled
               ? pod_error(POD_CANCELLED, "cancelled")
               : pod_error(POD_UNAVAILABLE, "chip %d has no worker", (int)run->chip));
}

// What the execution's answer came after: the worker takes what the stream brings in
// order.
static void note_heard(chip_stream_t *stream, const chip_run_t *run) {
  if (run->freed_before <= stream->heard_count) {
    return;
  }
  const int32_t heard = (int32_t)(run->freed_before - stream->heard_count);
  const int32_t left = stream->freed.count - heard;
  memmove(stream->freed.items, stream->freed.items + heard,
          (size_t)left * sizeof(*stream->freed.items));
  stream->freed.count = left;
  stream->heard_count = run->freed_before;
}

// The stream has broken, and the worker is still there.
static void tell_freed(const chip_stream_t *stream) {
  const place_t *place = &registry_places(stream->runs->registry)->at[stream->chip];
  if (stream->freed.count == 0 || place->epoch != stream->epoch) {
    return;
  }
  Podium__V1__FreeArraysRequest request = PODIUM__V1__FREE_ARRAYS_REQUEST__INIT;
  request.arrays = stream->freed.items;
  request.n_arrays = (size_t)stream->freed.count;
  chip_call_tell(stream->runs->registry, stream->chip, "/podium.v1.Worker/FreeArrays",
                 &request.base);
}

// No execution has come for long: tells it all by a call that is answered.
static void be_heard(chip_stream_t *stream) {
  tell_freed(stream);
  stream->heard_count += (uint64_t)stream->freed.count;
  pod_list_clear(&stream->freed);
}

static chip_run_t *find(const chip_stream_t *stream, uint64_t execution) {
  chip_run_t *run = stream->first;
  while (run != NULL && run->execution != execution) {
    run = run->next;
  }
  return run;
}

static pod_status_t status_of(const Podium__V1__RunResponse *response) {
  if (response->code == 0) {
    return NULL;
  }
  const bool is_known = response->code > 0 && response->code < POD_CODE_COUNT;
  return pod_error_text(__FILE__, __LINE__,
                        is_known ? (pod_code_t)response->code : POD_UNKNOWN,
                        response->message);
}

static void on_message(rpc_call_t *rpc, const void *data, void *context) {
  (void)rpc;
  chip_stream_t *stream = context;
  const Podium__V1__RunResponse *response = data;
  chip_run_t *run = find(stream, response->execution);
  if (run == NULL) {
    return;  // It was cancelled.
  }
  note_heard(stream, run);
  if (response->part != NULL) {
    run->events->on_part(run, response->part);
  }
  if (response->has_paused) {
    note_pause(run);
  }
  if (response->lacks_room) {
    run->events->on_lacks_room(run);
  }
  if (response->has_ended) {
    end(run, status_of(response));
  }
}

static void on_end(rpc_call_t *rpc, pod_status_t status, void *context) {
  (void)rpc;
  chip_stream_t *stream = context;
  stream->rpc = NULL;
  if (stream->runs->streams[stream->chip] == stream) {
    stream->runs->streams[stream->chip] = NULL;
  }
  if (status == NULL) {
    status = pod_error(POD_UNAVAILABLE, "it takes no executions any more");
  }
  while (stream->first != NULL) {
    // The oldest first: what comes after it may have failed for it.
    chip_run_t *run = stream->first;
    while (run->next != NULL) {
      run = run->next;
    }
    end(run, pod_status_copy(status));
  }
  pod_status_free(status);
  tell_freed(stream);
  pod_list_deinit(&stream->freed);
  free(stream);
}

// --- Asking ---

// NULL when nobody has the place.
static chip_stream_t *stream_to(chip_runs_t *runs, int32_t chip) {
  static const rpc_call_events_t events = {.on_message = on_message, .on_end = on_end};
  const uint64_t epoch = registry_places(runs->registry)->at[chip].epoch;
  rpc_channel_t *channel = registry_channel(runs->registry, chip);
  chip_stream_t *stream = runs->streams[chip];
  if (channel == NULL || (stream != NULL && stream->epoch == epoch)) {
    return channel == NULL ? NULL : stream;
  }
  stream = pod_alloc(sizeof(*stream));
  *stream = (chip_stream_t){.runs = runs, .chip = chip, .epoch = epoch};
  // A worker that has just joined may not be connected yet; if it cannot be, it is lost.
  const rpc_call_options_t options = {.wait_for_ready = true};
  stream->rpc =
      rpc_call_start(channel, "/podium.v1.Worker/Run",
                     &podium__v1__run_response__descriptor, &events, stream, &options);
  runs->streams[chip] = stream;
  return stream;
}

void chip_run_start(chip_runs_t *runs, chip_run_t *run, int32_t chip,
                    Podium__V1__WorkerExecuteRequest *request,
                    const chip_run_events_t *events, void *owner) {
  chip_stream_t *stream = stream_to(runs, chip);
  *run = (chip_run_t){.events = events,
                      .owner = owner,
                      .registry = runs->registry,
                      .stream = stream,
                      .execution = request->execution,
                      .chip = chip,
                      .epoch = registry_places(runs->registry)->at[chip].epoch,
                      .is_open = true};
  if (stream != NULL) {
    run->freed_before = stream->heard_count + (uint64_t)stream->freed.count;
  }
  if (stream == NULL) {
    later_post(registry_later(runs->registry), &run->later, end_later);
    return;
  }
  run->next = stream->first;
  if (run->next != NULL) {
    run->next->previous = run;
  }
  stream->first = run;
  Podium__V1__RunRequest message = PODIUM__V1__RUN_REQUEST__INIT;
  message.what_case = PODIUM__V1__RUN_REQUEST__WHAT_EXECUTE;
  message.execute = request;
  rpc_call_send(stream->rpc, &message.base);
}

void chip_run_answer(const chip_run_t *run, Podium__V1__HostAnswer *answer) {
  if (run->stream != NULL) {
    Podium__V1__RunRequest message = PODIUM__V1__RUN_REQUEST__INIT;
    message.what_case = PODIUM__V1__RUN_REQUEST__WHAT_HOST_ANSWER;
    message.host_answer = answer;
    rpc_call_send(run->stream->rpc, &message.base);
  }
}

static void send(const chip_run_t *run, Podium__V1__RunRequest__WhatCase what) {
  Podium__V1__RunRequest message = PODIUM__V1__RUN_REQUEST__INIT;
  message.what_case = what;
  message.pause = run->execution;  // A union: whichever it is.
  rpc_call_send(run->stream->rpc, &message.base);
}

bool chip_run_pause(chip_run_t *run) {
  if (!run->is_open || run->is_cancelled || run->stream == NULL) {
    return false;
  }
  run->owes_pause = true;
  send(run, PODIUM__V1__RUN_REQUEST__WHAT_PAUSE);
  return true;
}

void chip_run_resume(const chip_run_t *run) {
  if (run->is_open && !run->is_cancelled && run->stream != NULL) {
    send(run, PODIUM__V1__RUN_REQUEST__WHAT_RESUME);
  }
}

void chip_run_cancel(chip_run_t *run) {
  if (!run->is_open || run->is_cancelled) {
    return;
  }
  run->is_cancelled = true;
  if (run->stream != NULL) {
    Podium__V1__RunRequest message = PODIUM__V1__RUN_REQUEST__INIT;
    message.what_case = PODIUM__V1__RUN_REQUEST__WHAT_CANCEL;
    message.cancel = run->execution;
    rpc_call_send(run->stream->rpc, &message.base);
    take_out(run);
  }
  later_post(registry_later(run->registry), &run->later, end_later);
}

void chip_runs_free_arrays(chip_runs_t *runs, uint64_t *ids, size_t count) {
  Podium__V1__FreeArraysRequest request = PODIUM__V1__FREE_ARRAYS_REQUEST__INIT;
  request.arrays = ids;
  request.n_arrays = count;
  Podium__V1__RunRequest message = PODIUM__V1__RUN_REQUEST__INIT;
  message.what_case = PODIUM__V1__RUN_REQUEST__WHAT_FREE;
  message.free = &request;
  for (int32_t chip = 0; chip < runs->chip_count; chip++) {
    chip_stream_t *stream = stream_to(runs, chip);
    if (stream == NULL) {
      continue;
    }
    rpc_call_send(stream->rpc, &message.base);
    for (size_t i = 0; i < count; i++) {
      *pod_list_add(&stream->freed) = ids[i];
    }
    if (stream->freed.count > FREED_UNHEARD_MAX) {
      be_heard(stream);
    }
  }
}
