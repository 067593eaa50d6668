// A long-lived stream to the coordinator with heartbeats; what fails is tried again after
// a pause that grows.

#include "server/worker/membership.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/access/attach.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/state_machine.h"
#include "common/digest/digest.h"

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
  bool is_believed;  // The coordinator, in this attempt.
  bool has_given_token, has_former_token;
  uint8_t former_token[ACCESS_SECRET_BYTES];  // The last that was given before.
  uint8_t nonce[ACCESS_NONCE_BYTES];
  access_secret_t secret;  // When options.secret is not NULL.
  pod_status_t refusal;    // Ours, of this coordinator; NULL: it is not refused.
};

// Longer than a coordinator that is suspended for a moment, or a switch, is silent: who
// gives up loses all its arrays. A coordinator that has ended is known at once.
enum { KEEPALIVE_MS = 15000, KEEPALIVE_TIMEOUT_MS = 15000 };

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
  int64_t sent_bytes[TORUS_LINKS];
  membership->options.events.link_sent_bytes(sent_bytes, membership->options.context);
  heartbeat.n_link_sent_bytes = TORUS_LINKS;
  heartbeat.link_sent_bytes = sent_bytes;
  Podium__V1__WorkerMessage message = PODIUM__V1__WORKER_MESSAGE__INIT;
  message.message_case = PODIUM__V1__WORKER_MESSAGE__MESSAGE_HEARTBEAT;
  message.heartbeat = &heartbeat;
  // A coordinator that does not read is not helped by more heartbeats in the queue.
  if (rpc_call_is_writable(membership->call)) {
    send_message(membership, &message);
  }
}

// --- Who the coordinator is ---

// By the kernel, by TLS, or because somebody said that it does not matter. A worker's
// certificate is good for servers too, and is no coordinator's.
static bool is_known(const membership_t *membership, const rpc_call_t *call) {
  const rpc_peer_t peer = rpc_call_peer(call);
  const bool is_certified =
      peer.is_encrypted && (peer.certificate_role == NULL ||
                            strcmp(peer.certificate_role, "coordinator") == 0);
  return peer.is_own_user || is_certified ||
         (membership->options.is_insecure && membership->options.secret == NULL);
}

// Takes `status`, with which the attempt ends.
static void refuse(membership_t *membership, pod_status_t status) {
  if (membership->refusal != NULL) {
    pod_status_free(status);
    return;
  }
  membership->refusal = status;
  rpc_call_cancel(membership->call);
}

static void refuse_unknown(membership_t *membership) {
  refuse(
      membership,
      pod_error(POD_UNAUTHENTICATED,
                "it has not shown that it is the pod's coordinator: it is not of this "
                "user on this host, has no certificate that is asked for (--tls-ca), and "
                "%s; or say --insecure",
                membership->options.secret == NULL
                    ? "no secret can be proved (--secret-file)"
                    : "has not proved the pod's secret"));
}

static void on_challenge(membership_t *membership, const rpc_call_t *call,
                         const Podium__V1__Challenge *challenge) {
  if (state_of(membership) != MEMBERSHIP_ATTACHING || membership->refusal != NULL) {
    return;
  }
  const char *address = membership->options.registration->address;
  const access_attach_t said = {
      .worker_nonce = {membership->nonce, sizeof(membership->nonce)},
      .coordinator_nonce = {challenge->nonce.data, challenge->nonce.len},
      .address = {address, strlen(address)},
      .call_token = {membership->options.call_token,
                     sizeof(membership->options.call_token)}};
  const access_part_t shown = {challenge->proof.data, challenge->proof.len};
  const bool has_secret = membership->options.secret != NULL;
  const bool is_proven = has_secret && challenge->nonce.len == ACCESS_NONCE_BYTES &&
                         access_is_coordinator(&membership->secret, &said, shown);
  if (has_secret && !is_proven && shown.size_bytes > 0) {
    refuse(membership, pod_error(POD_UNAUTHENTICATED,
                                 "it does not know the pod's secret: this worker's "
                                 "--secret-file is not the coordinator's"));
    return;
  }
  if (!is_proven && !is_known(membership, call)) {
    refuse_unknown(membership);
    return;
  }
  membership->is_believed = true;
  membership->options.events.on_token_given(membership->options.context);
  uint8_t proof[ACCESS_PROOF_BYTES];
  Podium__V1__Proof answer = PODIUM__V1__PROOF__INIT;
  answer.call_token = (ProtobufCBinaryData){sizeof(membership->options.call_token),
                                            membership->options.call_token};
  if (membership->has_former_token) {
    answer.former_call_token =
        (ProtobufCBinaryData){sizeof(membership->former_token), membership->former_token};
  }
  membership->has_given_token = true;
  if (is_proven) {
    access_prove_worker(&membership->secret, &said, proof);
    answer.proof = (ProtobufCBinaryData){sizeof(proof), proof};
  }
  Podium__V1__WorkerMessage message = PODIUM__V1__WORKER_MESSAGE__INIT;
  message.message_case = PODIUM__V1__WORKER_MESSAGE__MESSAGE_PROOF;
  message.proof = &answer;
  send_message(membership, &message);
}

// --- What it says ---

static void on_assignment(membership_t *membership, const rpc_call_t *call,
                          const Podium__V1__Assignment *assignment) {
  if (state_of(membership) != MEMBERSHIP_ATTACHING || membership->refusal != NULL) {
    return;  // Leaving, or a second one.
  }
  if (!membership->is_believed && !is_known(membership, call)) {
    refuse_unknown(membership);
    return;
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
  membership_t *membership = context;
  const Podium__V1__CoordinatorMessage *message = bytes;
  const membership_events_t *events = &membership->options.events;
  switch (message->message_case) {
    case PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_ASSIGNMENT:
      on_assignment(membership, call, message->assignment);
      break;
    case PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_CHALLENGE:
      on_challenge(membership, call, message->challenge);
      break;
    case PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_CONNECT_LINK:
      if (state_of(membership) == MEMBERSHIP_MEMBER) {
        events->on_connect_link(message->connect_link, membership->options.context);
      }
      break;
    case PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_DRAIN:
      if (state_of(membership) == MEMBERSHIP_MEMBER) {
        events->on_drain(membership->options.context);
      }
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
  if (membership->refusal != NULL) {
    pod_status_free(status);
    status = membership->refusal;
    membership->refusal = NULL;
  }
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
  membership->is_believed = false;
  digest_random(membership->nonce, sizeof(membership->nonce));
  Podium__V1__Register registration = *membership->options.registration;
  registration.nonce =
      (ProtobufCBinaryData){sizeof(membership->nonce), membership->nonce};
  Podium__V1__WorkerMessage message = PODIUM__V1__WORKER_MESSAGE__INIT;
  message.message_case = PODIUM__V1__WORKER_MESSAGE__MESSAGE_REGISTER;
  message.register_ = &registration;
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

void membership_set_secret(membership_t *membership, const access_secret_t *secret) {
  membership->secret = *secret;
}

pod_status_t membership_create(rpc_loop_t *loop, const membership_options_t *options,
                               membership_t **out_membership) {
  membership_t *membership = pod_alloc(sizeof(*membership));
  pod_state_machine_init(&membership->machine, "membership", (uint64_t)getpid(), states,
                         MEMBERSHIP_STATE_COUNT, MEMBERSHIP_DETACHED);
  membership->loop = loop;
  membership->options = *options;
  if (options->secret != NULL) {
    membership->secret = *options->secret;
  }
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
  pod_status_free(membership->refusal);
  explicit_bzero(membership, sizeof(*membership));
  free(membership);
}

void membership_renew_call_token(membership_t *membership,
                                 const uint8_t token[ACCESS_SECRET_BYTES]) {
  POD_CHECK(state_of(membership) == MEMBERSHIP_DETACHED);
  if (membership->has_given_token) {
    memcpy(membership->former_token, membership->options.call_token,
           sizeof(membership->former_token));
    membership->has_former_token = true;
    membership->has_given_token = false;
  }
  memcpy(membership->options.call_token, token, sizeof(membership->options.call_token));
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
  Podium__V1__LinkAddress links[TORUS_LINKS];
  Podium__V1__LinkAddress *list[TORUS_LINKS];
  char *urls[TORUS_LINKS][2];
  Podium__V1__LinksListening listening = PODIUM__V1__LINKS_LISTENING__INIT;
  listening.links = list;
  for (int direction = 0; direction < TORUS_LINKS; direction++) {
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
