// A long-lived stream to the coordinator with heartbeats; what fails is tried again after
// a pause that grows.

#include "server/worker/membership.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/state_machine.h"

typedef enum membership_state_t {
  MEMBERSHIP_DETACHED = 0,
  MEMBERSHIP_WAITING,
  MEMBERSHIP_ATTACHING,
  MEMBERSHIP_MEMBER,
  MEMBERSHIP_LEAVING,
  MEMBERSHIP_STATE_COUNT,
} membership_state_t;

struct membership_t {
  rpc_loop_t *loop;
  membership_options_t options;
  pod_state_machine_t machine;
  rpc_channel_t *channel;
  rpc_call_t *call;  // ATTACHING, MEMBER, LEAVING.
  rpc_timer_t *pause, *heartbeat;
  uint64_t pause_ms;  // Before the next attempt.
  int64_t member_since_ns;
  bool told_of_waiting;
};

enum { KEEPALIVE_MS = 5000, KEEPALIVE_TIMEOUT_MS = 5000 };

static const pod_state_t states[MEMBERSHIP_STATE_COUNT] = {
    [MEMBERSHIP_DETACHED] = {"detached",
                             POD_TO(MEMBERSHIP_WAITING) | POD_TO(MEMBERSHIP_ATTACHING)},
    [MEMBERSHIP_WAITING] = {"waiting", POD_TO(MEMBERSHIP_ATTACHING)},
    [MEMBERSHIP_ATTACHING] = {"attaching", POD_TO(MEMBERSHIP_MEMBER) |
                                               POD_TO(MEMBERSHIP_LEAVING) |
                                               POD_TO(MEMBERSHIP_DETACHED)},
    [MEMBERSHIP_MEMBER] = {"member",
                           POD_TO(MEMBERSHIP_LEAVING) | POD_TO(MEMBERSHIP_DETACHED)},
    [MEMBERSHIP_LEAVING] = {"leaving", POD_TO(MEMBERSHIP_DETACHED)},
};

static void move(membership_t *membership, membership_state_t state) {
  pod_state_machine_move(&membership->machine, state);
}

static membership_state_t state_of(const membership_t *membership) {
  return (membership_state_t)pod_state_of(&membership->machine);
}

static void send_message(membership_t *membership, Podium__V1__WorkerMessage *message) {
  rpc_call_send(membership->call, &message->base);
}

static void on_heartbeat(void *context) {
  membership_t *membership = context;
  Podium__V1__Heartbeat heartbeat = PODIUM__V1__HEARTBEAT__INIT;
  heartbeat.hbm_used_bytes =
      membership->options.events.hbm_used_bytes(membership->options.context);
  Podium__V1__WorkerMessage message = PODIUM__V1__WORKER_MESSAGE__INIT;
  message.message_case = PODIUM__V1__WORKER_MESSAGE__MESSAGE_HEARTBEAT;
  message.heartbeat = &heartbeat;
  // A coordinator that does not read is not helped by more heartbeats in the queue.
  if (rpc_call_is_writable(membership->call)) {
    send_message(membership, &message);
  }
}

static void on_assignment(membership_t *membership,
                          const Podium__V1__Assignment *assignment) {
  if (state_of(membership) != MEMBERSHIP_ATTACHING) {
    return;  // Leaving, or a second one.
  }
  move(membership, MEMBERSHIP_MEMBER);
  membership->member_since_ns = pod_clock_now_ns();
  const int64_t heartbeat_ms = assignment->heartbeat_ms;
  if (heartbeat_ms > 0) {
    rpc_timer_start(membership->heartbeat, (uint64_t)heartbeat_ms,
                    (uint64_t)heartbeat_ms);
  }
  membership->options.events.on_assignment(assignment, membership->options.context);
}

static void on_message(rpc_call_t *call, const void *bytes, void *context) {
  (void)call;
  membership_t *membership = context;
  const Podium__V1__CoordinatorMessage *message = bytes;
  const membership_events_t *events = &membership->options.events;
  switch (message->message_case) {
    case PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_ASSIGNMENT:
      on_assignment(membership, message->assignment);
      break;
    case PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_CONNECT_LINK:
      if (state_of(membership) == MEMBERSHIP_MEMBER) {
        events->on_connect_link(message->connect_link, membership->options.context);
      }
      break;
    case PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_DRAIN:
      events->on_drain(membership->options.context);
      break;
    default:
      break;  // A newer coordinator may say more.
  }
}

static void on_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  membership_t *membership = context;
  const bool was_member = state_of(membership) == MEMBERSHIP_MEMBER;
  membership->call = NULL;
  rpc_timer_stop(membership->heartbeat);
  const int64_t lasted_ns = pod_clock_now_ns() - membership->member_since_ns;
  if (was_member && lasted_ns >= (int64_t)MEMBERSHIP_LASTED_MS * 1000000) {
    membership->pause_ms = MEMBERSHIP_PAUSE_MS_MIN;
  }
  move(membership, MEMBERSHIP_DETACHED);
  membership->options.events.on_end(status, was_member, membership->options.context);
}

static void attach_now(void *context) {
  static const rpc_call_events_t events = {.on_message = on_message, .on_end = on_end};
  membership_t *membership = context;
  move(membership, MEMBERSHIP_ATTACHING);
  const rpc_call_options_t options = {.wait_for_ready = true};
  membership->call = rpc_call_start(membership->channel, "/podium.v1.Registry/Attach",
                                    &podium__v1__coordinator_message__descriptor, &events,
                                    membership, &options);
  Podium__V1__WorkerMessage message = PODIUM__V1__WORKER_MESSAGE__INIT;
  message.message_case = PODIUM__V1__WORKER_MESSAGE__MESSAGE_REGISTER;
  message.register_ = (Podium__V1__Register *)membership->options.registration;
  send_message(membership, &message);
}

static void on_state(rpc_channel_t *channel, rpc_channel_state_t state, pod_status_t why,
                     void *context) {
  (void)channel;
  membership_t *membership = context;
  if (state == RPC_CHANNEL_FAILED && state_of(membership) == MEMBERSHIP_ATTACHING) {
    // Loud once: it may be a mistake in the address, or a coordinator that comes later.
    pod_log(membership->told_of_waiting ? POD_LOG_DEBUG : POD_LOG_INFO,
            "waiting for the coordinator: %s", pod_status_message(why));
    membership->told_of_waiting = true;
  } else if (state == RPC_CHANNEL_READY) {
    membership->told_of_waiting = false;
  }
}

pod_status_t membership_create(rpc_loop_t *loop, const membership_options_t *options,
                               membership_t **out_membership) {
  membership_t *membership = pod_alloc(sizeof(*membership));
  pod_state_machine_init(&membership->machine, "membership", (uint64_t)getpid(), states,
                         MEMBERSHIP_STATE_COUNT, MEMBERSHIP_DETACHED);
  membership->loop = loop;
  membership->options = *options;
  const rpc_channel_options_t channel = {.keepalive_ms = KEEPALIVE_MS,
                                         .keepalive_timeout_ms = KEEPALIVE_TIMEOUT_MS,
                                         .on_state = on_state,
                                         .context = membership,
                                         .credentials = options->credentials};
  const pod_status_t status =
      rpc_channel_create(loop, options->coordinator, &channel, &membership->channel);
  if (status != NULL) {
    free(membership);
    return status;
  }
  membership->pause = rpc_timer_create(loop, attach_now, membership);
  membership->heartbeat = rpc_timer_create(loop, on_heartbeat, membership);
  *out_membership = membership;
  return NULL;
}

static void ignore_end(pod_status_t status, bool was_member, void *context) {
  (void)was_member;
  (void)context;
  pod_status_free(status);
}

void membership_destroy(membership_t *membership) {
  if (membership == NULL) {
    return;
  }
  membership->options.events.on_end = ignore_end;
  rpc_channel_destroy(membership->channel);  // Ends the call.
  rpc_timer_destroy(membership->pause);
  rpc_timer_destroy(membership->heartbeat);
  free(membership);
}

void membership_attach(membership_t *membership) {
  const uint64_t pause_ms = membership->pause_ms;
  move(membership, MEMBERSHIP_WAITING);
  rpc_timer_start(membership->pause, pause_ms, 0);
  if (pause_ms == 0) {
    membership->pause_ms = MEMBERSHIP_PAUSE_MS_MIN;
  } else if (pause_ms < MEMBERSHIP_PAUSE_MS_MAX) {
    const uint64_t doubled = 2 * pause_ms;
    membership->pause_ms =
        doubled < MEMBERSHIP_PAUSE_MS_MAX ? doubled : MEMBERSHIP_PAUSE_MS_MAX;
  }
}

void membership_send_listening(membership_t *membership, const ici_node_t *node) {
  if (state_of(membership) != MEMBERSHIP_MEMBER) {
    return;
  }
  Podium__V1__LinkAddress links[TORUS_DIRECTIONS];
  Podium__V1__LinkAddress *list[TORUS_DIRECTIONS];
  char *urls[TORUS_DIRECTIONS][2];
  Podium__V1__LinksListening listening = PODIUM__V1__LINKS_LISTENING__INIT;
  listening.links = list;
  for (int direction = 0; direction < TORUS_DIRECTIONS; direction++) {
    const char *const found[] = {ici_node_ipc_url(node, direction),
                                 ici_node_tcp_url(node, direction)};
    Podium__V1__LinkAddress *link = &links[listening.n_links];
    podium__v1__link_address__init(link);
    link->direction = direction;
    link->urls = urls[direction];
    for (size_t i = 0; i < POD_COUNT_OF(found); i++) {
      if (found[i] != NULL) {
        link->urls[link->n_urls++] = (char *)found[i];
      }
    }
    if (link->n_urls > 0) {
      list[listening.n_links++] = link;
    }
  }
  Podium__V1__WorkerMessage message = PODIUM__V1__WORKER_MESSAGE__INIT;
  message.message_case = PODIUM__V1__WORKER_MESSAGE__MESSAGE_LINKS_LISTENING;
  message.links_listening = &listening;
  send_message(membership, &message);
}

void membership_send_link(membership_t *membership, const ici_link_event_t *event) {
  if (state_of(membership) != MEMBERSHIP_MEMBER) {
    return;
  }
  Podium__V1__LinkStatus link = PODIUM__V1__LINK_STATUS__INIT;
  link.direction = event->direction;
  link.neighbour = event->peer;
  link.up = event->state == ICI_LINK_UP;
  link.url = (char *)event->url;
  Podium__V1__WorkerMessage message = PODIUM__V1__WORKER_MESSAGE__INIT;
  message.message_case = PODIUM__V1__WORKER_MESSAGE__MESSAGE_LINK;
  message.link = &link;
  send_message(membership, &message);
}

bool membership_leave(membership_t *membership) {
  switch (state_of(membership)) {
    case MEMBERSHIP_MEMBER:
      rpc_timer_stop(membership->heartbeat);
      move(membership, MEMBERSHIP_LEAVING);
      rpc_call_half_close(membership->call);
      return true;
    case MEMBERSHIP_ATTACHING:
      move(membership, MEMBERSHIP_LEAVING);
      rpc_call_cancel(membership->call);
      return true;
    case MEMBERSHIP_LEAVING:
      return true;
    default:
      rpc_timer_stop(membership->pause);
      return false;
  }
}
