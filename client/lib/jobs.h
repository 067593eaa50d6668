// Calls of podium.v1.Jobs: asked for again when the coordinator is lost.
//
// Threading: lib_job_call is for any thread but the loop's; what it calls back is on the
// loop.

#ifndef CLIENT_LIB_JOBS_H_
#define CLIENT_LIB_JOBS_H_

#include "client/lib/podium_jobs.h"
#include "client/lib/retry.h"
#include "proto/podium/v1/jobs.pb-c.h"

// One call, of whatever kind. The rest is 0 at first.
typedef struct lib_job_call_t {
  podium_session_t *session;
  const char *path;
  const ProtobufCMessage *request;  // The first message; the last one without `send`.
  const ProtobufCMessageDescriptor *response;
  // Borrows the message. False: it is enough, and the call ends well. May be NULL.
  bool (*take)(void *context, const void *message);
  // Sends what comes behind the request, as long as the call is writable, and then
  // half-closes. NULL: nothing does.
  void (*send)(rpc_call_t *call, void *context);
  // Before it is asked for again; an error ends it. May be NULL.
  pod_status_t (*again)(void *context);
  void *context;
  int attempts;  // How often it was asked for.
  // Its own.
  lib_wait_t wait;
  int64_t timeout_ms;
  bool is_enough, has_message;
} lib_job_call_t;

// Blocks until it has ended well, or with what is no loss, or too late.
POD_MUST_USE pod_status_t lib_job_call(lib_job_call_t *call, int64_t deadline_ns);

// In the arena.
void lib_job_convert(pod_arena_t *arena, const Podium__V1__Job *message,
                     podium_job_t *out_job);

#endif  // CLIENT_LIB_JOBS_H_
