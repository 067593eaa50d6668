// What is parked, and how the pod is waited for; see retry.h.

#include "client/lib/retry.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/random.h"

enum { NS_PER_MS = 1000000, REFUSALS_MAX = 5, DOUBLED_MAX = 6 };

typedef enum state_t {
  STEADY,
  DRAINING,
  PAUSING,
  OPENING,
  LOOKING,
  REMAKING,
  CLOSED
} state_t;

struct lib_retry_t {
  podium_session_t *session;
  int64_t give_up_ms, keep_bytes_max;
  int depth_max;
  atomic_int_fast64_t kept_bytes;
  // Loop thread.
  state_t state;
  int flying;         // Operations.
  uint64_t sequence;  // Of the last operation.
  int tries;          // Since an operation last went well.
  int refusals;       // Of our credentials, in a row.
  bool is_told;       // The user, that something is waited for.
  int64_t since_ns;   // When the loss was noticed.
  pod_status_t why;
  rpc_timer_t *timer;
  pod_random_t random;
  lib_op_t parked;  // Head of a ring, by sequence.
  lib_open_t open;
  lib_remake_t *remake;
};

// --- Making ---

static lib_retry_t *make(podium_session_t *session,
                         const podium_connect_options_t *options) {
  lib_retry_t *retry = pod_alloc(sizeof(*retry));
  retry->session = session;
  retry->give_up_ms = options->retry_ms > 0 ? options->retry_ms : LIB_RETRY_GIVE_UP_MS;
  retry->keep_bytes_max =
      options->keep_bytes == 0 ? PODIUM_KEEP_BYTES : options->keep_bytes;
  retry->depth_max =
      options->remake_depth == 0 ? LIB_RETRY_DEPTH_MAX : options->remake_depth;
  retry->random.state = (uint64_t)pod_clock_now_ns();
  retry->parked.next = retry->parked.previous = &retry->parked;
  return retry;
}

pod_status_t lib_retry_create(podium_session_t *session,
                              const podium_connect_options_t *options,
                              lib_retry_t **out_retry) {
  if (options->retries < 0) {
    return pod_error(POD_INVALID_ARGUMENT, "%d retries", options->retries);
  }
  if (options->retries == 0 || options->only_looks) {
    return NULL;
  }
  if (options->group != NULL) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a session of a group cannot retry by itself: the others would have "
                     "to begin anew too");
  }
  *out_retry = make(session, options);
  return NULL;
}

void lib_retry_destroy(lib_retry_t *retry) {
  if (retry != NULL) {
    pod_status_free(retry->why);
    free(retry);
  }
}

bool lib_is_loss(pod_status_t status) {
  return pod_status_code(status) == POD_UNAVAILABLE;
}

bool lib_retry_is_steady(const podium_session_t *session) {
  return session->retry->state == STEADY;
}

int lib_retry_depth_max(const podium_session_t *session) {
  return session->retry->depth_max;
}

bool lib_retry_take_room(podium_session_t *session, int64_t size_bytes) {
  lib_retry_t *retry = session->retry;
  const int64_t before = atomic_fetch_add(&retry->kept_bytes, size_bytes);
  if (size_bytes > retry->keep_bytes_max || before > retry->keep_bytes_max - size_bytes) {
    atomic_fetch_sub(&retry->kept_bytes, size_bytes);
    return false;
  }
  return true;
}

void lib_retry_give_room(podium_session_t *session, int64_t size_bytes) {
  atomic_fetch_sub(&session->retry->kept_bytes, size_bytes);
}

// --- What is parked ---

static void unpark(lib_op_t *op) {
  op->previous->next = op->next;
  op->next->previous = op->previous;
  op->is_parked = false;
  rpc_timer_destroy(op->timer);
  op->timer = NULL;
}

static void on_parked_too_long(void *context) {
  lib_op_t *op = context;
  const lib_retry_t *retry = op->session->retry;
  const pod_status_t why = pod_error(
      POD_DEADLINE_EXCEEDED, "the deadline passed while the pod at %s was waited for: %s",
      op->session->address,
      retry->why == NULL ? "it was lost" : pod_status_message(retry->why));
  unpark(op);
  op->end(op, why);
}

// In its place by sequence.
static void park(lib_retry_t *retry, lib_op_t *op) {
  lib_op_t *before = retry->parked.previous;
  while (before != &retry->parked && before->sequence > op->sequence) {
    before = before->previous;
  }
  op->previous = before;
  op->next = before->next;
  before->next->previous = op;
  before->next = op;
  op->is_parked = true;
  if (op->deadline_ns != 0 && op->deadline_ns != INT64_MAX) {
    const int64_t left_ms = lib_left_ms(op->deadline_ns);
    op->timer = rpc_timer_create(retry->session->loop, on_parked_too_long, op);
    rpc_timer_start(op->timer, left_ms < 0 ? 0 : (uint64_t)left_ms, 0);
  }
}

// Takes `status`.
static void end_parked(lib_retry_t *retry, pod_status_t status) {
  while (retry->parked.next != &retry->parked) {
    lib_op_t *op = retry->parked.next;
    unpark(op);
    op->end(op, pod_status_copy(status));
  }
  pod_status_free(status);
}

// --- The way back ---

static void pause(lib_retry_t *retry);
static void go_on(void *context);

static void tell(lib_retry_t *retry, const char *what) {
  const podium_session_t *session = retry->session;
  retry->is_told = *what != '\0';
  if (session->on_waiting != NULL) {
    session->on_waiting(session->on_waiting_context, what);
  }
}

// Takes `status`. What is asked next finds the pod as it is.
static void give_up(lib_retry_t *retry, pod_status_t status) {
  retry->state = STEADY;
  retry->tries = 0;
  if (retry->is_told) {
    tell(retry, "");
  }
  end_parked(retry, status);
  lib_remake_free_unheld(retry->session);
}

static void resume(lib_retry_t *retry) {
  lib_remake_destroy(retry->remake);
  retry->remake = NULL;
  retry->state = STEADY;
  tell(retry, "");
  while (retry->state == STEADY && retry->parked.next != &retry->parked) {
    lib_op_t *op = retry->parked.next;
    unpark(op);
    op->is_flying = true;
    retry->flying++;
    op->send(op);
  }
  if (retry->state == STEADY) {
    lib_remake_free_unheld(retry->session);
  }
}

// Takes `status`: a loss.
static void try_again(lib_retry_t *retry, pod_status_t status) {
  pod_status_free(retry->why);
  retry->why = status;
  const int64_t away_ms = (pod_clock_now_ns() - retry->since_ns) / NS_PER_MS;
  if (away_ms >= retry->give_up_ms) {
    give_up(
        retry,
        pod_error(POD_UNAVAILABLE, "the pod at %s has not come back within %lld s: %s",
                  retry->session->address, (long long)(retry->give_up_ms / 1000),
                  pod_status_message(status)));
  } else {
    pause(retry);
  }
}

static void on_remade(void *context, pod_status_t status) {
  lib_retry_t *retry = context;
  if (status == NULL) {
    resume(retry);
    return;
  }
  lib_remake_destroy(retry->remake);
  retry->remake = NULL;
  try_again(retry, status);
}

static void remake(lib_retry_t *retry, bool is_new) {
  retry->state = REMAKING;
  retry->refusals = 0;
  retry->remake =
      lib_remake_start(retry->session, is_new, &retry->parked, on_remade, retry);
  pod_text_t text = {0};
  pod_text_printf(&text, "for the pod at %s, which is there again, to make ",
                  retry->session->address);
  lib_remake_print(retry->remake, &text);
  tell(retry, text.bytes);
  pod_text_deinit(&text);
}

// Credentials may be refused while a new coordinator is about to write its token.
static bool is_passing(lib_retry_t *retry, pod_status_t status) {
  switch (pod_status_code(status)) {
    case POD_UNAVAILABLE:
    case POD_DEADLINE_EXCEEDED:
    case POD_RESOURCE_EXHAUSTED:
    case POD_CANCELLED:
      return true;
    case POD_UNAUTHENTICATED:
    case POD_PERMISSION_DENIED:
      return ++retry->refusals < REFUSALS_MAX;
    default:
      return false;
  }
}

static void on_opened(lib_open_t *open, pod_status_t status) {
  lib_retry_t *retry = open->context;
  if (retry->state == CLOSED) {
    pod_status_free(status);
  } else if (status == NULL) {
    podium_session_t *session = retry->session;
    pod_status_free(session->dispatch_end);
    session->dispatch_end = NULL;
    session->dispatched = 0;
    session->cannot_share = false;
    remake(retry, true);
  } else if (is_passing(retry, status)) {
    try_again(retry, status);
  } else {
    give_up(retry, status);
  }
}

// A channel of its own, for the token of a coordinator that has been started anew.
static void open_again(lib_retry_t *retry) {
  podium_session_t *session = retry->session;
  rpc_channel_destroy(session->channel);
  session->channel = NULL;
  const pod_status_t status = lib_create_channel(session);
  if (status != NULL) {
    give_up(retry, status);
    return;
  }
  retry->state = OPENING;
  retry->open = (lib_open_t){.session = session,
                             .options = &session->options,
                             .timeout_ms = LIB_RETRY_LOOK_MS,
                             .done = on_opened,
                             .context = retry};
  lib_open(&retry->open);
}

static bool is_ready(const lib_retry_t *retry, const Podium__V1__Pod *pod) {
  if (!retry->session->options.do_not_wait) {
    return pod->ready;
  }
  for (size_t i = 0; i < pod->n_devices; i++) {
    if (strcmp(pod->devices[i]->state, "lost") == 0 ||
        strcmp(pod->devices[i]->state, "joining") == 0) {
      return false;
    }
  }
  return true;
}

static void on_looked(const void *response, pod_status_t status, void *context) {
  lib_retry_t *retry = context;
  if (retry->state == CLOSED) {
    pod_status_free(status);
  } else if (status != NULL) {
    try_again(retry, status);
  } else if (!is_ready(retry, response)) {
    try_again(retry, pod_error(POD_UNAVAILABLE, "not all of its chips are there"));
  } else {
    remake(retry, false);
  }
}

static void look(lib_retry_t *retry) {
  const Podium__V1__GetPodRequest request = PODIUM__V1__GET_POD_REQUEST__INIT;
  retry->state = LOOKING;
  rpc_unary(retry->session->channel, "/podium.v1.Podium/GetPod", &request.base,
            &podium__v1__pod__descriptor,
            &(rpc_call_options_t){.timeout_ms = LIB_RETRY_LOOK_MS}, on_looked, retry);
}

static void go_on(void *context) {
  lib_retry_t *retry = context;
  pod_text_t text = {0};
  pod_text_printf(&text, "for the pod at %s, of which something was lost: %s",
                  retry->session->address, pod_status_message(retry->why));
  tell(retry, text.bytes);
  pod_text_deinit(&text);
  if (lib_is_lost(retry->session)) {
    open_again(retry);
  } else {
    look(retry);
  }
}

// Longer each time, and by chance, so that many who lost the same do not come back at
// once.
static void pause(lib_retry_t *retry) {
  const int doubled = retry->tries < DOUBLED_MAX ? retry->tries : DOUBLED_MAX;
  int64_t pause_ms = (int64_t)LIB_RETRY_PAUSE_MS << doubled;
  pause_ms = pause_ms < LIB_RETRY_PAUSE_MAX_MS ? pause_ms : LIB_RETRY_PAUSE_MAX_MS;
  retry->state = PAUSING;
  retry->tries++;
  if (retry->timer == NULL) {
    retry->timer = rpc_timer_create(retry->session->loop, go_on, retry);
  }
  rpc_timer_start(
      retry->timer,
      (uint64_t)((double)pause_ms * (0.5 + pod_random_uniform(&retry->random) / 2)), 0);
}

static void go_when_drained(lib_retry_t *retry) {
  if (retry->state == DRAINING && retry->flying == 0) {
    pause(retry);
  }
}

// Takes `why`.
static void begin(lib_retry_t *retry, pod_status_t why) {
  pod_status_free(retry->why);
  retry->why = why;
  retry->since_ns = pod_clock_now_ns();
  retry->state = DRAINING;
}

void lib_retry_close(lib_retry_t *retry) {
  if (retry != NULL) {
    retry->state = CLOSED;
    rpc_timer_destroy(retry->timer);
    retry->timer = NULL;
    lib_remake_destroy(retry->remake);
    retry->remake = NULL;
    rpc_timer_destroy(retry->open.timer);
    retry->open.timer = NULL;
    end_parked(retry, pod_error(POD_CANCELLED, "the session was closed"));
  }
}

// --- Operations ---

void lib_op_start(lib_op_t *op) {
  lib_retry_t *retry = op->session->retry;
  if (retry == NULL) {
    op->send(op);
    return;
  }
  op->sequence = ++retry->sequence;
  if (retry->state == CLOSED) {
    op->end(op, pod_error(POD_CANCELLED, "the session was closed"));
    return;
  }
  if (retry->state == STEADY && !lib_is_lost(op->session)) {
    op->is_flying = true;
    retry->flying++;
    op->send(op);
    return;
  }
  park(retry, op);
  if (retry->state == STEADY) {
    begin(retry, pod_error(POD_UNAVAILABLE, "the coordinator has ended the session"));
    go_when_drained(retry);
  }
}

// Of what the operation uses, something was not there, or is not any more.
static bool lacks_something(const lib_op_t *op) {
  if (op->origin != NULL) {
    return !op->origin->is_made || lib_origin_can_be_made(op->origin);
  }
  for (size_t i = 0; op->run != NULL && i < op->run->argument_count; i++) {
    const lib_origin_t *argument = op->run->arguments[i];
    if (!argument->is_made || lib_origin_can_be_made(argument)) {
      return true;
    }
  }
  return false;
}

// A loss shows as UNAVAILABLE where it happens, as DATA_LOSS where an array is used that
// lay there, as CANCELLED where a put was given up for it, and as NOT_FOUND where a
// coordinator that was started anew is asked for the session of the one before.
static bool is_by_loss(const lib_retry_t *retry, const lib_op_t *op,
                       pod_status_t status) {
  switch (pod_status_code(status)) {
    case POD_UNAVAILABLE:
      return true;
    case POD_DATA_LOSS:
      return lacks_something(op);
    case POD_CANCELLED:
      return retry->state != STEADY && lacks_something(op);
    case POD_NOT_FOUND:
      return lib_is_lost(op->session);
    default:
      return false;
  }
}

bool lib_op_fails(lib_op_t *op, pod_status_t status) {
  lib_retry_t *retry = op->session->retry;
  if (retry == NULL || retry->state == CLOSED || !op->is_flying || op->is_once ||
      op->attempts >= retry->session->options.retries || !is_by_loss(retry, op, status)) {
    return false;
  }
  op->attempts++;
  op->is_flying = false;
  retry->flying--;
  park(retry, op);
  if (retry->state == STEADY) {
    begin(retry, status);
  } else {
    pod_status_free(status);
  }
  go_when_drained(retry);
  return true;
}

void lib_op_over(lib_op_t *op) {
  lib_retry_t *retry = op->session->retry;
  if (retry == NULL) {
    return;
  }
  if (op->is_parked) {
    unpark(op);
  }
  if (op->is_flying) {
    op->is_flying = false;
    retry->flying--;
    if (retry->state == STEADY && (op->run != NULL || op->origin != NULL)) {
      retry->tries = 0;
    }
    go_when_drained(retry);
  }
}

// --- Calls that block ---

typedef struct gate_t {
  lib_op_t op;  // First.
  lib_wait_t wait;
  pod_status_t loss;  // What the call has failed with; NULL: it has not been made.
} gate_t;

static void pass_gate(lib_op_t *op) {
  lib_op_over(op);
  lib_wait_finish(&((gate_t *)op)->wait, NULL);
}

static void end_gate(lib_op_t *op, pod_status_t status) {
  lib_wait_finish(&((gate_t *)op)->wait, status);
}

static void start_gate(void *context) {
  gate_t *gate = context;
  lib_retry_t *retry = gate->op.session->retry;
  if (pod_status_code(gate->loss) == POD_NOT_FOUND && retry->state == STEADY &&
      !lib_is_lost(gate->op.session)) {
    end_gate(&gate->op, gate->loss);
    return;
  }
  if (gate->loss == NULL || retry->state != STEADY) {
    pod_status_free(gate->loss);
    lib_op_start(&gate->op);
    return;
  }
  gate->op.sequence = ++retry->sequence;
  park(retry, &gate->op);
  begin(retry, gate->loss);
  go_when_drained(retry);
}

// Takes `loss`.
static pod_status_t wait_at_gate(podium_session_t *session, int64_t deadline_ns,
                                 pod_status_t loss) {
  gate_t gate = {.op = {.session = session,
                        .deadline_ns = deadline_ns,
                        .send = pass_gate,
                        .end = end_gate},
                 .loss = loss};
  return lib_wait_run(session, &gate.wait, start_gate, &gate);
}

pod_status_t lib_retry_wait(podium_session_t *session, int64_t deadline_ns) {
  if (session->retry == NULL) {
    return NULL;
  }
  POD_TRY(lib_check_open(session));
  return wait_at_gate(session, deadline_ns, NULL);
}

bool lib_retry_again(podium_session_t *session, int *attempts, int64_t deadline_ns,
                     pod_status_t *inout_status) {
  const lib_retry_t *retry = session->retry;
  const pod_code_t code = pod_status_code(*inout_status);
  if (retry == NULL ||
      (code != POD_UNAVAILABLE && code != POD_CANCELLED && code != POD_NOT_FOUND) ||
      atomic_load(&session->is_closing) || *attempts >= retry->session->options.retries) {
    return false;
  }
  (*attempts)++;
  *inout_status = wait_at_gate(session, deadline_ns, *inout_status);
  return *inout_status == NULL;
}
