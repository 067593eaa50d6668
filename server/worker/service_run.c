// The coordinator's stream of executions: orders come in by it, and what became of them
// goes out, in pieces.

#include <stdlib.h>

#include "common/base/memory.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/wire/profile.h"
#include "server/worker/service_private.h"

// An execution that came by a Run, and has not ended.
struct run_t {
  struct run_t *previous, *next;
  open_call_t *stream;
  uint64_t id;
  bool wants_events;
  chip_host_execution_t *execution;
};

static void remove_run(run_t *run) {
  if (run->previous != NULL) {
    run->previous->next = run->next;
  } else {
    run->stream->runs = run->next;
  }
  if (run->next != NULL) {
    run->next->previous = run->previous;
  }
  free(run);
}

// Borrows from the request.
static chip_host_execute_t execute_of(const Podium__V1__WorkerExecuteRequest *request) {
  return (chip_host_execute_t){
      .session = request->session,
      .program = request->program,
      .execution = request->execution,
      .arguments = request->arguments,
      .argument_count = request->n_arguments,
      .results = request->results,
      .result_count = request->n_results,
      .kept = request->kept,
      .kept_count = request->n_kept,
  };
}

// Takes `status`.
static void send_end(const open_call_t *open, uint64_t execution, pod_status_t status) {
  if (open->is_answered) {
    pod_status_free(status);
    return;
  }
  Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
  response.execution = execution;
  response.has_ended = true;
  if (status != NULL) {
    response.code = (int32_t)pod_status_code(status);
    response.message = (char *)(uintptr_t)pod_status_message(status);
  }
  rpc_call_send(open->call, &response.base);
  pod_status_free(status);
}

// The profile's parts; the last one says that it has ended.
static void send_parts(const run_t *run, const chip_profile_t *profile) {
  pod_arena_t *arena = pod_arena_create();
  size_t count;
  Podium__V1__WorkerExecuteResponse **pieces =
      wire_profile_pack(arena, profile, run->wants_events, &count);
  for (size_t i = 0; i < count && !run->stream->is_answered; i++) {
    Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
    response.execution = run->id;
    response.part = pieces[i];
    response.has_ended = i + 1 == count;
    rpc_call_send(run->stream->call, &response.base);
  }
  pod_arena_destroy(arena);
}

// There is one part at least.
static void run_done(const chip_profile_t *profile, pod_status_t status, void *context) {
  run_t *run = context;
  if (status == NULL) {
    send_parts(run, profile);
  } else {
    send_end(run->stream, run->id, status);
  }
  remove_run(run);
}

static void run_consumed(void *context) {
  const run_t *run = context;
  Podium__V1__WorkerExecuteResponse part = PODIUM__V1__WORKER_EXECUTE_RESPONSE__INIT;
  part.consumed = true;
  Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
  response.execution = run->id;
  response.part = &part;
  if (!run->stream->is_answered) {
    rpc_call_send(run->stream->call, &response.base);
  }
}

static void tell(const run_t *run, bool has_paused, bool lacks_room) {
  Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
  response.execution = run->id;
  response.has_paused = has_paused;
  response.lacks_room = lacks_room;
  if (!run->stream->is_answered) {
    rpc_call_send(run->stream->call, &response.base);
  }
}

static void run_paused(void *context) {
  tell(context, true, false);
}

static void run_lacks_room(void *context) {
  tell(context, false, true);
}

// host_ask_fn_t
static void run_ask(const host_piece_t *piece, void *context) {
  const run_t *run = context;
  if (run->stream->is_answered) {
    return;
  }
  const executor_transfer_t *transfer = piece->transfer;
  Podium__V1__HostTransfer message = PODIUM__V1__HOST_TRANSFER__INIT;
  message.channel = transfer->channel;
  message.is_receive = transfer->is_receive;
  message.is_shared = transfer->is_shared;
  message.size_bytes = transfer->size_bytes;
  message.offset = piece->offset;
  message.piece_bytes = piece->size_bytes;
  if (!transfer->is_receive) {
    message.data.data = transfer->data + piece->offset;
    message.data.len = (size_t)piece->size_bytes;
  }
  Podium__V1__WorkerExecuteResponse part = PODIUM__V1__WORKER_EXECUTE_RESPONSE__INIT;
  part.host_transfer = &message;
  Podium__V1__RunResponse response = PODIUM__V1__RUN_RESPONSE__INIT;
  response.execution = run->id;
  response.part = &part;
  rpc_call_send(run->stream->call, &response.base);
}

static void run_execute(open_call_t *open,
                        const Podium__V1__WorkerExecuteRequest *request) {
  chip_host_execute_t execute = execute_of(request);
  execute.consumed = run_consumed;
  execute.ask = run_ask;
  execute.paused = run_paused;
  execute.lacks_room = run_lacks_room;
  run_t *run = pod_alloc(sizeof(*run));
  *run = (run_t){.stream = open,
                 .id = request->execution,
                 .wants_events = request->profile,
                 .next = open->runs};
  const pod_status_t status = chip_host_execute(open->service->chip.host, &execute,
                                                run_done, run, &run->execution);
  if (status != NULL) {
    free(run);
    send_end(open, request->execution, status);
    return;
  }
  if (run->next != NULL) {
    run->next->previous = run;
  }
  open->runs = run;
}

static run_t *find_run(const open_call_t *open, uint64_t execution) {
  run_t *run = open->runs;
  while (run != NULL && run->id != execution) {
    run = run->next;
  }
  return run;
}

static void run_answer(const open_call_t *open, const Podium__V1__HostAnswer *answer) {
  const run_t *run = find_run(open, answer->execution);
  if (run == NULL) {
    return;
  }
  pod_status_t status = NULL;
  if (answer->code != 0) {
    const bool is_known = answer->code > 0 && answer->code < POD_CODE_COUNT;
    status = pod_error_text(__FILE__, __LINE__,
                            is_known ? (pod_code_t)answer->code : POD_UNKNOWN,
                            answer->message);
  }
  chip_host_execution_answer(run->execution, answer->data.data, answer->data.len, status);
}

// One that has ended has told so.
static void run_pause(const open_call_t *open, uint64_t execution) {
  const run_t *run = find_run(open, execution);
  if (run != NULL && chip_host_execution_pause(run->execution)) {
    run_paused((void *)(uintptr_t)run);
  }
}

static void run_resume(const open_call_t *open, uint64_t execution) {
  const run_t *run = find_run(open, execution);
  if (run != NULL) {
    chip_host_execution_resume(run->execution);
  }
}

static void run_cancel(open_call_t *open, uint64_t execution) {
  run_t *run = find_run(open, execution);
  if (run != NULL) {
    chip_host_execution_cancel(run->execution);
    send_end(open, execution, pod_error(POD_CANCELLED, "the execution was cancelled"));
    remove_run(run);
  }
}

void service_run_end(open_call_t *open) {
  while (open->runs != NULL) {
    run_t *run = open->runs;
    chip_host_execution_cancel(run->execution);
    remove_run(run);
  }
}

void service_run_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  open_call_t *open = context;
  const Podium__V1__RunRequest *request = message;
  if (open->is_answered) {
    return;
  }
  open->is_run = true;
  const pod_status_t status = service_check_chip(open);
  if (status != NULL) {
    service_finish(open, status);
    return;
  }
  switch (request->what_case) {
    case PODIUM__V1__RUN_REQUEST__WHAT_EXECUTE:
      run_execute(open, request->execute);
      break;
    case PODIUM__V1__RUN_REQUEST__WHAT_CANCEL:
      run_cancel(open, request->cancel);
      break;
    case PODIUM__V1__RUN_REQUEST__WHAT_FREE:
      chip_host_free_arrays(open->service->chip.host, request->free->arrays,
                            request->free->n_arrays);
      break;
    case PODIUM__V1__RUN_REQUEST__WHAT_HOST_ANSWER:
      run_answer(open, request->host_answer);
      break;
    case PODIUM__V1__RUN_REQUEST__WHAT_PAUSE:
      run_pause(open, request->pause);
      break;
    case PODIUM__V1__RUN_REQUEST__WHAT_RESUME:
      run_resume(open, request->resume);
      break;
    default:
      break;
  }
}

void service_run_half_close(rpc_call_t *call, void *context) {
  (void)call;
  service_finish(context, NULL);
}
