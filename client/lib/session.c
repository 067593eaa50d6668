// A thread runs the session's event loop; a blocking call posts its work there and waits
// on a semaphore until it is done, or the session ends.

#include "client/lib/session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/lib/retry.h"
#include "client/lib/sharing.h"
#include "common/access/file.h"
#include "common/access/local_token.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"

enum { NS_PER_MS = 1000000 };

// --- After a fork ---

// Kept: every call asks for it, and asking the kernel made a call a third dearer.
static pid_t this_process;

static void learn_process(void) {
  this_process = getpid();
}

static void watch_forks(void) {
  learn_process();
  POD_CHECK(pthread_atfork(NULL, NULL, learn_process) == 0);
}

bool lib_is_forked(const podium_session_t *session) {
  return session->process != this_process;
}

pod_status_t lib_check_open(const podium_session_t *session) {
  if (lib_is_forked(session)) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "process %d was forked from process %d, whose session with %s this "
                     "is: sessions are not inherited; connect in the new process, or "
                     "start it afresh (Python: multiprocessing's \"spawn\")",
                     (int)this_process, (int)session->process, session->address);
  }
  if (atomic_load(&session->is_closing)) {
    return pod_error(POD_CANCELLED, "the session is closing");
  }
  return NULL;
}

// --- A session that is lost ---

bool lib_is_lost(const podium_session_t *session) {
  return session->id.len > 0 && session->call == NULL;
}

// Whoever is there now may also have another token than the one before had.
pod_status_t lib_call_status(const podium_session_t *session, pod_status_t status) {
  const pod_code_t code = pod_status_code(status);
  if (!lib_is_lost(session) || (code != POD_NOT_FOUND && code != POD_UNAUTHENTICATED &&
                                code != POD_PERMISSION_DENIED)) {
    return status;
  }
  const pod_status_t lost = pod_error(POD_UNAVAILABLE, "the session with %s was lost: %s",
                                      session->address, pod_status_message(status));
  pod_status_free(status);
  return lost;
}

// --- Waiting ---

void lib_wait_begin(lib_wait_t *wait, podium_session_t *session) {
  wait->session = session;
  wait->status = NULL;
  POD_CHECK(sem_init(&wait->is_done, 0, 0) == 0);
}

pod_status_t lib_wait_end(lib_wait_t *wait) {
  while (sem_wait(&wait->is_done) != 0) {
    POD_CHECK(errno == EINTR);
  }
  sem_destroy(&wait->is_done);
  return wait->status;
}

void lib_wait_done(void *context, podium_status_t *status) {
  lib_wait_finish(context, (pod_status_t)status);
}

pod_status_t lib_wait_run(podium_session_t *session, lib_wait_t *wait, rpc_fn_t start,
                          void *context) {
  if (lib_is_forked(session)) {
    return lib_check_open(session);
  }
  lib_wait_begin(wait, session);
  rpc_loop_post(session->loop, start, context);
  return lib_wait_end(wait);
}

void lib_wait_finish(lib_wait_t *wait, pod_status_t status) {
  wait->status = status;
  POD_CHECK(sem_post(&wait->is_done) == 0);
}

// --- Unary calls ---

typedef struct unary_t {
  lib_wait_t wait;
  podium_session_t *session;
  const char *path;
  const ProtobufCMessage *request;
  const ProtobufCMessageDescriptor *response;
  int64_t timeout_ms;
  lib_convert_fn_t convert;
  void *context;
} unary_t;

static void on_unary_done(const void *response, pod_status_t status, void *context) {
  unary_t *unary = context;
  if (status == NULL && unary->convert != NULL) {
    unary->convert(response, unary->context);
  }
  lib_wait_finish(&unary->wait, status);
}

static void start_unary(void *context) {
  unary_t *unary = context;
  rpc_unary(unary->session->channel, unary->path, unary->request, unary->response,
            &(rpc_call_options_t){.timeout_ms = unary->timeout_ms}, on_unary_done, unary);
}

pod_status_t lib_unary(podium_session_t *session, const char *path,
                       const ProtobufCMessage *request,
                       const ProtobufCMessageDescriptor *response, int64_t timeout_ms,
                       lib_convert_fn_t convert, void *context) {
  unary_t unary = {.session = session,
                   .path = path,
                   .request = request,
                   .response = response,
                   .timeout_ms = timeout_ms,
                   .convert = convert,
                   .context = context};
  const int64_t deadline_ns = lib_deadline_in(timeout_ms);
  int attempts = 0;
  pod_status_t status;
  POD_TRY(lib_retry_wait(session, deadline_ns));
  do {
    status = lib_wait_run(session, &unary.wait, start_unary, &unary);
  } while (lib_retry_again(session, &attempts, deadline_ns, &status));
  return status;
}

// --- Deadlines ---

int64_t lib_deadline_in(int64_t timeout_ms) {
  return timeout_ms <= 0 || timeout_ms > INT64_MAX / NS_PER_MS / 2
             ? INT64_MAX
             : pod_clock_now_ns() + timeout_ms * NS_PER_MS;
}

int64_t lib_left_ms(int64_t deadline_ns) {
  if (deadline_ns == INT64_MAX) {
    return 0;
  }
  const int64_t left_ns = deadline_ns - pod_clock_now_ns();
  return left_ns <= 0 ? -1 : (left_ns - 1) / NS_PER_MS + 1;
}

// --- Handles ---

void lib_handle_add(podium_session_t *session, lib_handle_t *handle,
                    void (*free)(lib_handle_t *)) {
  handle->session = session;
  handle->free = free;
  pthread_mutex_lock(&session->mutex);
  handle->previous = session->handles.previous;
  handle->next = &session->handles;
  handle->previous->next = handle;
  session->handles.previous = handle;
  pthread_mutex_unlock(&session->mutex);
}

void lib_handle_remove(lib_handle_t *handle) {
  if (lib_is_forked(handle->session)) {
    return;  // The mutex may be held by a thread that is not here; nobody walks the list.
  }
  pthread_mutex_lock(&handle->session->mutex);
  handle->previous->next = handle->next;
  handle->next->previous = handle->previous;
  pthread_mutex_unlock(&handle->session->mutex);
}

pod_status_t lib_new_id(podium_session_t *session, uint64_t *out_id) {
  POD_TRY(lib_check_open(session));
  const uint64_t id = atomic_fetch_add(&session->next_id, 1);
  if (id > atomic_load(&session->last_id)) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "the session has no handles left: open another one");
  }
  *out_id = id;
  return NULL;
}

typedef struct free_request_t {
  podium_session_t *session;
  uint64_t array, executable;
} free_request_t;

void lib_free_now(podium_session_t *session, uint64_t array, uint64_t executable) {
  if (array == 0 && executable == 0) {
    return;
  }
  Podium__V1__FreeHandlesRequest request = PODIUM__V1__FREE_HANDLES_REQUEST__INIT;
  request.n_arrays = array != 0;
  request.arrays = &array;
  request.n_executables = executable != 0;
  request.executables = &executable;
  Podium__V1__DispatchRequest message = PODIUM__V1__DISPATCH_REQUEST__INIT;
  message.what_case = PODIUM__V1__DISPATCH_REQUEST__WHAT_FREE;
  message.free = &request;
  lib_dispatch(session, &message);
}

static void start_free(void *context) {
  free_request_t *freed = context;
  lib_free_now(freed->session, freed->array, freed->executable);
  free(freed);
}

void lib_free_remote(podium_session_t *session, uint64_t array, uint64_t executable) {
  if (lib_is_forked(session)) {
    return;
  }
  free_request_t *freed = pod_alloc(sizeof(*freed));
  *freed = (free_request_t){.session = session, .array = array, .executable = executable};
  lib_dispatch_run(session, 0, start_free, freed);
}

// --- Opening and closing ---

// The stream outlives the call that opened it: `context` is the session, and `opening`
// stands only until the first event.
typedef struct stream_t {
  podium_session_t *session;
  lib_open_t *opening;
} stream_t;

static void answer(stream_t *stream, pod_status_t status) {
  lib_open_t *open = stream->opening;
  stream->opening = NULL;
  rpc_timer_destroy(open->timer);
  open->timer = NULL;
  open->done(open, status);
}

static void take_owners(podium_session_t *session,
                        const Podium__V1__SessionEvent *event) {
  if (event->n_owners > 0) {
    const size_t size = event->n_owners * sizeof(*session->owners);
    session->owners = pod_alloc(size);
    session->owner_count = event->n_owners;
    memcpy(session->owners, event->owners, size);
  }
}

int lib_owner(const podium_session_t *session, int64_t chip) {
  return chip >= 0 && (size_t)chip < session->owner_count ? session->owners[chip] : 0;
}

// Where the session was opened before, over the same range: not what has been used.
static void take_range(podium_session_t *session, const Podium__V1__SessionEvent *event) {
  const uint64_t last_id = event->first_id + event->id_count - 1;
  const uint64_t next_id = atomic_load(&session->next_id);
  if (next_id <= event->first_id || next_id > last_id) {
    atomic_store(&session->next_id, event->first_id);
  }
  atomic_store(&session->last_id, last_id);
}

static bool take_handle(podium_session_t *session,
                        const Podium__V1__SessionEvent *event) {
  const size_t size_bytes = event->session.len;
  if (size_bytes == 0 || size_bytes > sizeof(session->handle)) {
    return false;
  }
  memcpy(session->handle, event->session.data, size_bytes);
  session->id = (ProtobufCBinaryData){.len = size_bytes, .data = session->handle};
  return true;
}

static void on_session_event(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  stream_t *stream = context;
  const Podium__V1__SessionEvent *event = message;
  if (event->session.len != 0 && event->waiting == NULL) {
    stream->session->may_share = event->may_share;
  }
  if (stream->opening != NULL && take_handle(stream->session, event)) {
    take_range(stream->session, event);
    take_owners(stream->session, event);
    answer(stream, NULL);
  }
  if (event->waiting != NULL && stream->session->on_waiting != NULL) {
    stream->session->on_waiting(stream->session->on_waiting_context,
                                event->waiting->for_what);
  }
}

static void on_session_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  stream_t *stream = context;
  stream->session->call = NULL;
  if (stream->opening != NULL) {
    if (status == NULL) {
      status = pod_error(POD_UNAVAILABLE, "the coordinator at %s closed the session",
                         stream->session->address);
    }
    answer(stream, status);
  } else {
    pod_status_free(status);
  }
  free(stream);
}

static void on_connect_timeout(void *context) {
  stream_t *stream = context;
  podium_session_t *session = stream->session;
  const bool connected = rpc_channel_state(session->channel) == RPC_CHANNEL_READY;
  const int64_t timeout_ms = stream->opening->timeout_ms;
  answer(
      stream,
      pod_error(connected ? POD_DEADLINE_EXCEEDED : POD_UNAVAILABLE,
                connected ? "the pod of the coordinator at %s was not ready within %lld "
                            "ms: `podium devices` shows which chips are missing"
                          : "the coordinator at %s did not answer within %lld ms",
                session->address, (long long)timeout_ms));
  rpc_call_cancel(session->call);
}

// --- Only looking ---

static void on_look(const void *pod, pod_status_t status, void *context) {
  (void)pod;
  lib_open_t *open = context;
  if (pod_status_code(status) == POD_DEADLINE_EXCEEDED) {
    pod_status_free(status);
    status =
        pod_error(POD_UNAVAILABLE, "the coordinator at %s did not answer within %lld ms",
                  open->session->address, (long long)open->timeout_ms);
  }
  open->done(open, status);
}

// Finds out whether there is a pod, and whether it lets us look.
static void start_look(void *context) {
  lib_open_t *open = context;
  const Podium__V1__GetPodRequest request = PODIUM__V1__GET_POD_REQUEST__INIT;
  rpc_unary(open->session->channel, "/podium.v1.Podium/GetPod", &request.base,
            &podium__v1__pod__descriptor,
            &(rpc_call_options_t){.timeout_ms = open->timeout_ms}, on_look, open);
}

// --- Opening ---

void lib_open(lib_open_t *open) {
  podium_session_t *session = open->session;
  stream_t *stream = pod_alloc(sizeof(*stream));
  *stream = (stream_t){.session = session, .opening = open};
  const rpc_call_events_t events = {.on_message = on_session_event,
                                    .on_end = on_session_end};
  session->call =
      rpc_call_start(session->channel, "/podium.v1.Podium/OpenSession",
                     &podium__v1__session_event__descriptor, &events, stream, NULL);
  Podium__V1__OpenSessionRequest request = PODIUM__V1__OPEN_SESSION_REQUEST__INIT;
  const podium_connect_options_t *options = open->options;
  request.client =
      (char *)(options->client_name != NULL ? options->client_name : "libpodium");
  request.wait_for_pod = !options->do_not_wait;
  Podium__V1__Group group = PODIUM__V1__GROUP__INIT;
  if (options->group != NULL) {
    group.name = (char *)(uintptr_t)options->group;
    group.process = options->process;
    group.process_count = options->process_count;
    request.group = &group;
    session->member = options->process;
  }
  request.host = lib_sharing_host();
  rpc_call_send(session->call, &request.base);
  free(request.host);
  rpc_call_half_close(session->call);
  open->timer = rpc_timer_create(session->loop, on_connect_timeout, stream);
  rpc_timer_start(open->timer, (uint64_t)open->timeout_ms, 0);
}

static void start_open(void *context) {
  lib_open(context);
}

static void on_first_open(lib_open_t *open, pod_status_t status) {
  lib_wait_finish(open->context, status);
}

static void destroy(podium_session_t *session) {
  rpc_channel_destroy(session->channel);
  lib_sharing_close(session);
  rpc_loop_destroy(session->loop);
  lib_retry_destroy(session->retry);
  rpc_credentials_destroy(session->credentials);
  pod_map_destroy(session->executions);
  pod_status_free(session->dispatch_end);
  pthread_mutex_destroy(&session->mutex);
  free(session->address);
  pod_arena_destroy(session->arena);
  free(session->owners);
  free(session);
}

// Its loop has ended.
static void end_session(podium_session_t *session) {
  for (lib_handle_t *handle = session->handles.next; handle != &session->handles;) {
    lib_handle_t *next = handle->next;
    handle->free(handle);
    handle = next;
  }
  session->handles.next = session->handles.previous = &session->handles;
  destroy(session);
}

// The program's signals are not for this thread, and a server that hangs up is an error
// of a write here, no SIGPIPE for the program.
static void *run_loop(void *context) {
  podium_session_t *session = context;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  rpc_loop_run(session->loop);
  if (session->ends_itself) {
    end_session(session);
  }
  return NULL;
}

static void start_close(void *context) {
  podium_session_t *session = context;
  lib_retry_close(session->retry);
  lib_dispatch_close(session, pod_error(POD_CANCELLED, "the session was closed"));
  rpc_channel_destroy(session->channel);
  session->channel = NULL;
  rpc_loop_stop(session->loop);
}

// The coordinator hears of the end from start_close; callbacks that are left come from
// the loop. In a callback, the thread cannot wait for itself, and ends the session as the
// last thing that it does.
void podium_close(podium_session_t *session) {
  if (session == NULL || lib_is_forked(session)) {
    return;  // After a fork the session is the other process', and so is its thread.
  }
  const pthread_t thread = session->thread;
  atomic_store(&session->is_closing, true);
  if (pthread_equal(pthread_self(), thread) != 0) {
    session->ends_itself = true;
    pthread_detach(thread);
    rpc_loop_post(session->loop, start_close, session);
    return;
  }
  rpc_loop_post(session->loop, start_close, session);
  pthread_join(thread, NULL);
  end_session(session);
}

pod_status_t lib_create_channel(podium_session_t *session) {
  const podium_connect_options_t *options = &session->options;
  char *token;
  rpc_credentials_destroy(session->credentials);
  session->credentials = NULL;
  POD_TRY(lib_tls_credentials(options, &session->credentials));
  POD_TRY(access_client_token(session->address, options->token_file,
                              session->credentials != NULL, &token));
  const rpc_channel_options_t channel = {.message_bytes_max = 64 << 20,
                                         .bearer_token = token,
                                         .traceparent = getenv("TRACEPARENT"),
                                         .credentials = session->credentials};
  const pod_status_t status =
      rpc_channel_create(session->loop, session->address, &channel, &session->channel);
  access_forget(token);
  return status;
}

static const char *keep_text(pod_arena_t *arena, const char *text) {
  return text == NULL ? NULL : pod_arena_strdup(arena, text);
}

static void keep_options(podium_session_t *session,
                         const podium_connect_options_t *options) {
  pod_arena_t *arena = pod_arena_create();
  session->arena = arena;
  session->options = *options;
  session->options.client_name = keep_text(arena, options->client_name);
  session->options.token_file = keep_text(arena, options->token_file);
  session->options.tls_ca = keep_text(arena, options->tls_ca);
  session->options.tls_certificate = keep_text(arena, options->tls_certificate);
  session->options.tls_key = keep_text(arena, options->tls_key);
  session->options.group = NULL;
}

podium_status_t *podium_connect(const char *address,
                                const podium_connect_options_t *given,
                                podium_session_t **out_session) {
  LIB_REQUIRE(address);
  LIB_REQUIRE(out_session);
  const podium_connect_options_t *options = LIB_OPTIONS(podium_connect_options_t, given);
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  podium_session_t *session = pod_alloc(sizeof(*session));
  session->address = pod_strdup(address);
  keep_options(session, options);
  session->process = this_process;
  session->executions = pod_map_create();
  session->puts =
      (lib_turns_t){.running_max = LIB_PUTS_MAX, .last = &session->puts.first};
  session->fetches =
      (lib_turns_t){.running_max = LIB_FETCHES_MAX, .last = &session->fetches.first};
  session->handles.next = session->handles.previous = &session->handles;
  session->on_waiting = options->on_waiting;
  session->on_waiting_context = options->on_waiting_context;
  pthread_mutex_init(&session->mutex, NULL);
  pod_status_t status = rpc_loop_create(&session->loop);
  if (status == NULL) {
    status = lib_create_channel(session);
  }
  if (status == NULL) {
    status = lib_retry_create(session, options, &session->retry);
  }
  if (status == NULL && pthread_create(&session->thread, NULL, run_loop, session) != 0) {
    status = pod_error(POD_RESOURCE_EXHAUSTED, "no thread for the session's loop");
  }
  if (status != NULL) {
    destroy(session);
    return lib_status(status);
  }
  lib_wait_t wait;
  lib_open_t open = {
      .session = session, .options = options, .done = on_first_open, .context = &wait};
  open.timeout_ms =
      options->timeout_ms > 0 ? options->timeout_ms : LIB_CONNECT_TIMEOUT_MS;
  status =
      lib_wait_run(session, &wait, options->only_looks ? start_look : start_open, &open);
  if (status != NULL) {
    podium_close(session);
    return lib_status(status);
  }
  *out_session = session;
  return NULL;
}
