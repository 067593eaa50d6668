// A LoadProgram stream to every chip that lacks the program, in pieces as its queue
// takes them; a chip that is lost meanwhile counts as one that lacks it, and is loaded
// when it is back.

#include "server/coordinator/load.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/coordinator/chip_call.h"
#include "server/coordinator/core/fanout.h"

typedef struct chip_load_t {
  chip_call_t call;  // First, so that the call finds its load.
  size_t sent_bytes;
  bool is_all_sent;
} chip_load_t;

struct load_t {
  coordinator_t *coordinator;
  store_executable_t *executable;
  load_done_fn_t done;
  void *context;
  fanout_t fanout;
  // By index of the executable's chips; those that have it already are never opened.
  chip_load_t *chips;
};

// What is another member's it loads itself, with its own executable of the program.
static bool lacks(const coordinator_t *coordinator, const store_executable_t *executable,
                  int32_t index) {
  const place_t *place =
      &registry_places(coordinator->registry)->at[executable->chips[index]];
  return executable->own_index[index] >= 0 && place_is_taken(place) &&
         executable->loaded_epochs[index] != place->epoch;
}

bool load_is_needed(const coordinator_t *coordinator,
                    const store_executable_t *executable) {
  for (int32_t i = 0; i < executable->chip_count; i++) {
    if (lacks(coordinator, executable, i)) {
      return true;
    }
  }
  return false;
}

static void send_while_writable(chip_call_t *call) {
  chip_load_t *chip = (chip_load_t *)call;
  const load_t *load = call->owner;
  const store_executable_t *executable = load->executable;
  while (!chip->is_all_sent && chip_call_is_writable(call)) {
    const size_t left = executable->compiled->packed_bytes - chip->sent_bytes;
    Podium__V1__LoadProgramRequest message = PODIUM__V1__LOAD_PROGRAM_REQUEST__INIT;
    if (chip->sent_bytes == 0) {
      message.session = executable->session->id;
      message.program = executable->id;
      message.size_bytes = (int64_t)executable->compiled->packed_bytes;
    }
    message.data.data = executable->compiled->packed + chip->sent_bytes;
    message.data.len = left < COORDINATOR_PIECE_BYTES ? left : COORDINATOR_PIECE_BYTES;
    chip_call_send(call, &message.base);
    chip->sent_bytes += message.data.len;
    if (chip->sent_bytes == executable->compiled->packed_bytes) {
      chip->is_all_sent = true;
      chip_call_half_close(call);
    }
  }
}

static void cancel_calls(load_t *load) {
  for (int32_t i = 0; i < load->executable->chip_count; i++) {
    chip_call_cancel(&load->chips[i].call);
  }
}

// A cancelled load may have arrived whole all the same.
static void unload(const chip_call_t *call) {
  const load_t *load = call->owner;
  Podium__V1__UnloadProgramRequest request = PODIUM__V1__UNLOAD_PROGRAM_REQUEST__INIT;
  request.program = load->executable->id;
  chip_call_tell(call->registry, call->chip, "/podium.v1.Worker/UnloadProgram",
                 &request.base);
}

static void on_end(chip_call_t *call, pod_status_t status, bool is_lost) {
  load_t *load = call->owner;
  if (pod_status_code(status) == POD_ALREADY_EXISTS) {
    // A load that was cancelled had arrived whole. Ids name one program for ever.
    pod_status_free(status);
    status = NULL;
  }
  if (status == NULL) {
    load->executable->loaded_epochs[(chip_load_t *)call - load->chips] = call->epoch;
  } else if (!is_lost) {
    unload(call);
  }
  if (fanout_ended(&load->fanout, status, is_lost)) {
    cancel_calls(load);
  }
  if (!fanout_is_over(&load->fanout)) {
    return;
  }
  const pod_status_t cause = pod_status_context(fanout_take(&load->fanout),
                                                "cannot load %s", load->executable->name);
  const load_done_fn_t done = load->done;
  void *context = load->context;
  fanout_deinit(&load->fanout);
  free(load->chips);
  free(load);
  done(context, cause);
}

load_t *load_start(coordinator_t *coordinator, store_executable_t *executable,
                   load_done_fn_t done, void *context) {
  static const chip_call_events_t events = {.on_writable = send_while_writable,
                                            .on_end = on_end};
  load_t *load = pod_alloc(sizeof(*load));
  *load = (load_t){.coordinator = coordinator,
                   .executable = executable,
                   .done = done,
                   .context = context};
  load->chips = pod_alloc((size_t)executable->chip_count * sizeof(*load->chips));
  int32_t count = 0;
  for (int32_t i = 0; i < executable->chip_count; i++) {
    count += lacks(coordinator, executable, i);
  }
  fanout_begin(&load->fanout, count);
  for (int32_t i = 0; i < executable->chip_count; i++) {
    if (lacks(coordinator, executable, i)) {
      chip_call_start(&load->chips[i].call, coordinator->registry, executable->chips[i],
                      "/podium.v1.Worker/LoadProgram",
                      &podium__v1__load_program_response__descriptor, &events, load);
      send_while_writable(&load->chips[i].call);
    }
  }
  return load;
}

void load_cancel(load_t *load, pod_status_t status) {
  if (fanout_stop(&load->fanout, FANOUT_CALLER, status)) {
    cancel_calls(load);
  }
}
