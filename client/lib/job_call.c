// See jobs.h.

#include <time.h>

#include "client/lib/jobs.h"
#include "common/base/clock.h"

enum { PAUSE_MS = 100, PAUSE_MAX_MS = 2000, DOUBLED_MAX = 5, REFUSALS_MAX = 5 };

// --- One call ---

static void on_message(rpc_call_t *rpc, const void *message, void *context) {
  lib_job_call_t *call = context;
  call->has_message = true;
  if (call->take != NULL && !call->is_enough && !call->take(call->context, message)) {
    call->is_enough = true;
    rpc_call_cancel(rpc);
  }
}

static void on_writable(rpc_call_t *rpc, void *context) {
  lib_job_call_t *call = context;
  if (call->send != NULL) {
    call->send(rpc, call->context);
  }
}

static void on_end(rpc_call_t *rpc, pod_status_t status, void *context) {
  (void)rpc;
  lib_job_call_t *call = context;
  if (call->is_enough) {
    pod_status_free(status);
    status = NULL;
  }
  lib_wait_finish(&call->wait, status);
}

static void start(void *context) {
  lib_job_call_t *call = context;
  const rpc_call_events_t events = {
      .on_message = on_message, .on_writable = on_writable, .on_end = on_end};
  if (call->session->channel == NULL) {
    lib_wait_finish(&call->wait, pod_error(POD_UNAVAILABLE, "no connection to %s",
                                           call->session->address));
    return;
  }
  rpc_call_t *rpc =
      rpc_call_start(call->session->channel, call->path, call->response, &events, call,
                     &(rpc_call_options_t){.timeout_ms = call->timeout_ms});
  rpc_call_send(rpc, call->request);
  if (call->send == NULL) {
    rpc_call_half_close(rpc);
  } else {
    call->send(rpc, call->context);
  }
}

// --- Again ---

typedef struct notice_t {
  lib_wait_t wait;
  podium_session_t *session;
  const char *for_what;
  bool renews;
} notice_t;

// A coordinator that was started anew may want another token. Only where no session hangs
// on the channel.
static void give_notice(void *context) {
  notice_t *notice = context;
  podium_session_t *session = notice->session;
  pod_status_t status = NULL;
  if (session->on_waiting != NULL) {
    session->on_waiting(session->on_waiting_context, notice->for_what);
  }
  if (notice->renews && session->options.only_looks && session->channel != NULL &&
      rpc_channel_state(session->channel) != RPC_CHANNEL_READY) {
    rpc_channel_destroy(session->channel);
    session->channel = NULL;
    status = lib_create_channel(session);
  }
  lib_wait_finish(&notice->wait, status);
}

static pod_status_t tell(podium_session_t *session, const char *for_what, bool renews) {
  notice_t notice = {.session = session, .for_what = for_what, .renews = renews};
  return lib_wait_run(session, &notice.wait, give_notice, &notice);
}

static void pause(int tries, int64_t deadline_ns) {
  const int doubled = tries < DOUBLED_MAX ? tries : DOUBLED_MAX;
  int64_t ms = (int64_t)PAUSE_MS << doubled;
  const int64_t left_ms = lib_left_ms(deadline_ns);
  ms = ms < PAUSE_MAX_MS ? ms : PAUSE_MAX_MS;
  ms = left_ms > 0 && left_ms < ms ? left_ms : ms;
  const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  (void)nanosleep(&time, NULL);
}

static bool is_passing(const podium_session_t *session, int tries, pod_status_t status) {
  switch (pod_status_code(status)) {
    case POD_UNAVAILABLE:
      return true;
    case POD_CANCELLED:  // Its channel was made anew for another call.
      return !atomic_load(&session->is_closing);
    case POD_UNAUTHENTICATED:
      return tries > 0 && tries < REFUSALS_MAX && session->options.only_looks;
    default:
      return false;
  }
}

// Takes `why`; the status that ends the waiting, or NULL.
static pod_status_t wait_for_more(const lib_job_call_t *call, int tries, int64_t since_ns,
                                  int64_t deadline_ns, pod_status_t why) {
  podium_session_t *session = call->session;
  const int64_t bound_ms =
      session->options.retry_ms > 0 ? session->options.retry_ms : LIB_RETRY_GIVE_UP_MS;
  if ((pod_clock_now_ns() - since_ns) / 1000000 >= bound_ms ||
      lib_left_ms(deadline_ns) < 0) {
    return why;
  }
  pod_text_t text = {0};
  pod_text_printf(&text, "for the coordinator at %s, which was lost: %s",
                  session->address, pod_status_message(why));
  pause(tries, deadline_ns);
  const pod_status_t status = tell(session, text.bytes, true);
  pod_text_deinit(&text);
  pod_status_free(why);
  return status;
}

pod_status_t lib_job_call(lib_job_call_t *call, int64_t deadline_ns) {
  podium_session_t *session = call->session;
  int64_t since_ns = pod_clock_now_ns();
  POD_TRY(lib_check_open(session));
  for (int tries = 0;; tries++) {
    POD_TRY(lib_retry_wait(session, deadline_ns));
    const int64_t left_ms = lib_left_ms(deadline_ns);
    call->timeout_ms = left_ms < 0 ? 1 : left_ms;
    call->attempts++;
    call->has_message = false;
    pod_status_t status = lib_wait_run(session, &call->wait, start, call);
    if (call->has_message) {
      since_ns = pod_clock_now_ns();
      tries = 0;
    }
    if (status == NULL || !is_passing(session, tries, status)) {
      if (call->attempts > 1) {
        pod_status_free(tell(session, "", false));
      }
      return status;
    }
    POD_TRY(wait_for_more(call, tries, since_ns, deadline_ns, status));
    if (call->again != NULL) {
      POD_TRY(call->again(call->context));
    }
  }
}
