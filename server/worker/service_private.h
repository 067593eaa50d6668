// What the files of the worker's port share. Not for others.

#ifndef SERVER_WORKER_SERVICE_PRIVATE_H_
#define SERVER_WORKER_SERVICE_PRIVATE_H_

#include "server/worker/service.h"

typedef struct open_call_t open_call_t;
typedef struct run_t run_t;

// A program that is being loaded outlives its call if the peer hangs up.
typedef struct load_t {
  open_call_t *call;  // NULL: the peer has gone.
} load_t;

struct open_call_t {
  open_call_t *previous, *next;
  service_t *service;
  rpc_call_t *call;
  bool is_answered;  // A reply or status was given; messages that still come are ignored.
  bool has_header;
  hbm_array_t *array;          // PutShard, FetchShard.
  shard_transfer_t *transfer;  // Its bytes go by shared memory; NULL: by this call.
  int64_t moved_bytes;         // Received or sent of it.
  int64_t chunk_bytes;         // FetchShard.
  uint8_t *bytes;              // LoadProgram.
  size_t size_bytes;           // Announced.
  size_t received_bytes;
  uint64_t session, program;
  load_t *load;
  bool is_run;
  run_t *runs;  // Run: executions that have not ended.
};

struct service_t {
  bool has_chip;
  service_chip_t chip;
  pod_status_t no_chip_reason;  // Owned; NULL before the first chip.
  open_call_t *calls;
  shard_transfers_t *transfers;  // NULL: there is no other way.
};

// Ends the call with an error, or with OK after what was sent. Takes `status`.
void service_finish(open_call_t *open, pod_status_t status);

// UNAVAILABLE when the worker has lost its place since the call began.
POD_MUST_USE pod_status_t service_check_chip(const open_call_t *open);

// The stream Run. Its end cancels what it has begun.
void service_run_message(rpc_call_t *call, const void *message, void *context);
void service_run_half_close(rpc_call_t *call, void *context);
void service_run_end(open_call_t *open);

#endif  // SERVER_WORKER_SERVICE_PRIVATE_H_
