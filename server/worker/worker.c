// The states of worker.h as a table; every event of membership, links, compute thread
// and signals is one function that looks at the state first. A place is taken down in
// reverse order of its making.

#include "server/worker/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/access/access.h"
#include "common/access/place.h"
#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/state_machine.h"
#include "common/digest/digest.h"
#include "common/rpc/rpc.h"
#include "common/shared/host_identity.h"
#include "server/chip/spec.h"
#include "server/worker/chip_host.h"
#include "server/worker/collective_runner.h"
#include "server/worker/host_memory.h"
#include "server/worker/host_room.h"
#include "server/worker/kernels/combine.h"
#include "server/worker/membership.h"
#include "server/worker/own_host.h"
#include "server/worker/service.h"
#include "server/worker/shard_transfers.h"
#include "server/worker/socket_folder.h"

typedef enum worker_state_t {
  WORKER_JOINING = 0,
  WORKER_HOSTING,
  WORKER_RESETTING,  // Waits for the compute thread to let go of the old place.
  WORKER_DRAINING,   // Waits for executions, and for the coordinator to let go.
  WORKER_STOPPING,   // Waits for the last calls and the compute thread.
  WORKER_ENDED,
  WORKER_STATE_COUNT,
} worker_state_t;

enum { SHUTDOWN_GRACE_MS = 1000 };

struct worker_t {
  rpc_loop_t *loop;
  worker_options_t options;
  pod_state_machine_t machine;
  rpc_server_t *server;
  char *address;
  char *own_host;  // NULL: it is not needed.
  char *ici_host;  // NULL: links on ipc:// only.
  service_t *service;
  socket_folder_t *folder;
  shard_transfers_t *transfers;  // NULL: no memory is shared with clients.
  pod_text_t host_identity;
  Podium__V1__Register registration;
  Podium__V1__Coords coords;
  Podium__V1__HostPlace host_place;
  // What it had last, to be asked for again.
  Podium__V1__Coords former_coords;
  int32_t former[TORUS_PLACE_NUMBERS];
  membership_t *membership;
  rpc_timer_t *drain_timer;
  rpc_timer_t *memory_timer;
  uint32_t memory_looks;  // Of the timer.
  // What the coordinator shows in its calls, once it has been given it.
  uint8_t call_token[ACCESS_SECRET_BYTES];
  bool has_given_token;
  bool has_left;  // While draining: the coordinator has let go.
  // Of the place, while there is one.
  chip_host_t *host;
  ici_node_t *node;
  chip_spec_t
      *own_spec;  // When the chip is none of the kinds: what host and service use.
  uint64_t epoch;
  pod_status_t end_status;  // What `ended` will be told.
  worker_ended_fn_t ended;
  void *context;
};

static const pod_state_t states[WORKER_STATE_COUNT] = {
    [WORKER_JOINING] = {"joining", POD_TO(WORKER_HOSTING) | POD_TO(WORKER_DRAINING) |
                                       POD_TO(WORKER_STOPPING)},
    [WORKER_HOSTING] = {"hosting", POD_TO(WORKER_RESETTING) | POD_TO(WORKER_DRAINING) |
                                       POD_TO(WORKER_STOPPING)},
    [WORKER_RESETTING] = {"resetting", POD_TO(WORKER_JOINING) | POD_TO(WORKER_STOPPING)},
    [WORKER_DRAINING] = {"draining", POD_TO(WORKER_STOPPING)},
    [WORKER_STOPPING] = {"stopping", POD_TO(WORKER_ENDED)},
    [WORKER_ENDED] = {"ended", 0},
};

static void move(worker_t *worker, worker_state_t state) {
  pod_state_machine_move(&worker->machine, state);
}

static worker_state_t state_of(const worker_t *worker) {
  return (worker_state_t)pod_state_of(&worker->machine);
}

static void set_serving(worker_t *worker, bool serving) {
  rpc_server_set_serving(worker->server, SERVICE_NAME, serving);
  rpc_server_set_serving(worker->server, "", serving);
}

// --- Links ---

// What a thread of the links has to say, on its way to the loop.
typedef struct link_news_t {
  worker_t *worker;
  uint64_t epoch;
  ici_link_event_t event;
  char *url, *reason;
} link_news_t;

static void report_link(void *context) {
  link_news_t *news = context;
  worker_t *worker = news->worker;
  if (state_of(worker) == WORKER_HOSTING && worker->epoch == news->epoch) {
    const bool is_up = news->event.state == ICI_LINK_UP;
    pod_log(is_up ? POD_LOG_DEBUG : POD_LOG_WARNING, "link to chip %d at %s is %s%s%s",
            news->event.peer, news->url, is_up ? "up" : "down",
            news->reason[0] == '\0' ? "" : ": ", news->reason);
    membership_send_link(worker->membership, &news->event);
  }
  free(news->url);
  free(news->reason);
  free(news);
}

static void on_link(void *context, const ici_link_event_t *event) {
  worker_t *worker = context;
  link_news_t *news = pod_alloc(sizeof(*news));
  *news = (link_news_t){.worker = worker,
                        .epoch = worker->epoch,
                        .event = *event,
                        .url = pod_strdup(event->url),
                        .reason = pod_strdup(event->reason)};
  news->event.url = news->url;
  news->event.reason = news->reason;
  rpc_loop_post(worker->loop, report_link, news);
}

// --- The place ---

// A kind of ours, or what the coordinator says of another.
static pod_status_t read_spec(worker_t *worker, const Podium__V1__Assignment *assignment,
                              const chip_spec_t **out_spec) {
  chip_spec_destroy(
      worker->own_spec);  // Of the place before, which nothing uses anymore.
  worker->own_spec = NULL;
  if (assignment->chip_spec[0] != '\0') {
    POD_TRY(chip_spec_parse("its chip", assignment->chip_spec,
                            strlen(assignment->chip_spec), &worker->own_spec));
    *out_spec = worker->own_spec;
    return NULL;
  }
  *out_spec = chip_spec_find(assignment->chip_kind);
  if (*out_spec == NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "its chip kind \"%s\" is unknown here",
                     assignment->chip_kind);
  }
  return NULL;
}

static pod_status_t read_assignment(worker_t *worker,
                                    const Podium__V1__Assignment *assignment,
                                    service_chip_t *out_chip) {
  const chip_spec_t *spec;
  POD_TRY(read_spec(worker, assignment, &spec));
  if (assignment->n_topology != TORUS_DIMENSIONS) {
    return pod_error(POD_INVALID_ARGUMENT, "its topology has %zu sizes",
                     assignment->n_topology);
  }
  pod_text_t text = {0};
  if (assignment->slice_count > 1) {
    pod_text_printf(&text, "%d*", assignment->slice_count);
  }
  for (int i = 0; i < spec->torus_dimensions; i++) {
    pod_text_printf(&text, "%s%d", i == 0 ? "" : "x", assignment->topology[i]);
  }
  service_chip_t chip = {
      .spec = spec, .chip = assignment->chip, .process = assignment->process_index};
  const pod_status_t status = torus_parse(text.bytes, spec, &chip.torus, NULL);
  pod_text_deinit(&text);
  POD_TRY(status);
  if (chip.chip < 0 || chip.chip >= torus_chip_count(&chip.torus)) {
    return pod_error(POD_INVALID_ARGUMENT, "chip %d is not in its topology", chip.chip);
  }
  *out_chip = chip;
  return NULL;
}

static int64_t hbm_bytes_of(const worker_t *worker,
                            const Podium__V1__Assignment *assignment,
                            const chip_spec_t *spec) {
  if (worker->options.hbm_bytes > 0) {
    return worker->options.hbm_bytes;
  }
  return assignment->hbm_bytes > 0 ? assignment->hbm_bytes
                                   : chip_spec_hbm_usable_bytes(spec);
}

// The thread cannot be ended by itself. Who supervises the process starts another, which
// has a chip that computes; what this one had is lost either way.
static void on_stuck(const char *program, void *context) {
  (void)context;
  pod_log(POD_LOG_ERROR,
          "%s was cancelled and computes on: this worker ends, so that another can take "
          "its place",
          program);
  _exit(WORKER_STUCK_STATUS);
}

// NULL: the coordinator is none that gives one.
static const uint8_t *link_secret_of(const Podium__V1__Assignment *assignment) {
  return assignment->link_secret.len == ICI_SECRET_BYTES ? assignment->link_secret.data
                                                         : NULL;
}

// A coordinator that starts anew, and knows nothing, gives it again.
static void remember_place(worker_t *worker, const torus_t *torus, int32_t chip) {
  torus_coords_put(torus_coords(torus, chip), worker->former);
  podium__v1__coords__init(&worker->former_coords);
  worker->former_coords.n_at = POD_COUNT_OF(worker->former);
  worker->former_coords.at = worker->former;
  worker->registration.former_coords = &worker->former_coords;
}

static pod_status_t take_place(worker_t *worker,
                               const Podium__V1__Assignment *assignment) {
  service_chip_t chip;
  POD_TRY(read_assignment(worker, assignment, &chip));
  worker->epoch = assignment->epoch;  // Before the links, whose events carry it.
  const ici_node_config_t links = {.pod = assignment->pod,
                                   .chip = chip.chip,
                                   .torus = chip.torus,
                                   .epoch = assignment->epoch,
                                   .link_secret = link_secret_of(assignment),
                                   .ipc_directory = socket_folder_path(worker->folder),
                                   .tcp_host = worker->ici_host,
                                   .tls = worker->options.link_files,
                                   .use_shared_memory = true,
                                   .combine = kernel_combine_arrays,
                                   .on_link = on_link,
                                   .context = worker};
  POD_TRY(ici_node_create(&links, &worker->node));
  const chip_host_options_t options = {
      .executor = {.spec = chip.spec,
                   .torus = chip.torus,
                   .chip = chip.chip,
                   .runner = collective_runner_of_node(worker->node)},
      .hbm_bytes = hbm_bytes_of(worker, assignment, chip.spec),
      .stuck = on_stuck};
  POD_TRY(chip_host_create(worker->loop, &options, &worker->host));
  chip.host = worker->host;
  chip.node = worker->node;
  service_set_chip(worker->service, &chip, NULL);
  remember_place(worker, &chip.torus, chip.chip);
  return NULL;
}

static void stop(worker_t *worker);
static void shut_down(worker_t *worker);
static void check_drained(void *context);

// Gives the place back: executions end, arrays and programs go; `next` comes when the
// compute thread has let go.
static void leave_place(worker_t *worker, const char *why, rpc_fn_t next) {
  set_serving(worker, false);
  service_set_chip(worker->service, NULL, pod_error(POD_UNAVAILABLE, "%s", why));
  if (worker->host == NULL) {
    rpc_loop_post(worker->loop, next, worker);
    return;
  }
  chip_host_t *host = worker->host;
  worker->host = NULL;
  chip_host_stop(host, pod_error(POD_UNAVAILABLE, "%s", why), next, worker);
}

static void close_links(worker_t *worker) {
  ici_node_destroy(worker->node);
  worker->node = NULL;
}

static void join_again(void *context) {
  worker_t *worker = context;
  close_links(worker);
  if (state_of(worker) == WORKER_RESETTING) {
    move(worker, WORKER_JOINING);
    // Calls of the membership before may still be on their way: they come too late.
    digest_random(worker->call_token, sizeof(worker->call_token));
    membership_renew_call_token(worker->membership, worker->call_token);
    membership_attach(worker->membership);
  } else {
    shut_down(worker);
  }
}

// --- Membership ---

static void on_assignment(const Podium__V1__Assignment *assignment, void *context) {
  worker_t *worker = context;
  if (state_of(worker) != WORKER_JOINING) {
    return;
  }
  const pod_status_t status = take_place(worker, assignment);
  if (status != NULL) {
    worker->end_status =
        pod_status_context(status, "cannot take the place that the coordinator gave");
    stop(worker);
    return;
  }
  move(worker, WORKER_HOSTING);
  pod_log(POD_LOG_INFO, "chip %d of pod %s (%s), serving at %s", assignment->chip,
          assignment->pod, assignment->chip_kind, worker->address);
  membership_send_listening(worker->membership, worker->node);
  set_serving(worker, true);
}

static void on_connect_link(const Podium__V1__ConnectLink *connect, void *context) {
  worker_t *worker = context;
  if (state_of(worker) != WORKER_HOSTING) {
    return;
  }
  const pod_status_t status =
      ici_node_dial(worker->node, connect->direction, connect->url);
  if (status != NULL) {
    pod_log(POD_LOG_ERROR, "cannot dial chip %d: %s", connect->chip,
            pod_status_message(status));
    pod_status_free(status);
  }
}

static void on_drain(void *context) {
  worker_drain(context);
}

// A refusal that another attempt would meet again.
static bool is_final(pod_status_t status) {
  switch (pod_status_code(status)) {
    case POD_INVALID_ARGUMENT:
    case POD_ALREADY_EXISTS:
    case POD_FAILED_PRECONDITION:
    case POD_RESOURCE_EXHAUSTED:
    case POD_PERMISSION_DENIED:
    case POD_UNAUTHENTICATED:
    case POD_UNIMPLEMENTED:
      return true;
    default:
      return false;
  }
}

static void on_membership_end(pod_status_t status, bool was_member, void *context) {
  worker_t *worker = context;
  switch (state_of(worker)) {
    case WORKER_JOINING:
      if (!was_member && is_final(status)) {
        worker->end_status = pod_status_context(status, "the coordinator at %s refuses",
                                                worker->options.coordinator);
        stop(worker);
        return;
      }
      pod_log(POD_LOG_WARNING, "not attached (%s), trying again",
              pod_status_message(status));
      membership_attach(worker->membership);
      break;
    case WORKER_HOSTING:
      pod_log(POD_LOG_WARNING, "lost the coordinator (%s), starting over",
              status == NULL ? "it ended the membership" : pod_status_message(status));
      move(worker, WORKER_RESETTING);
      leave_place(worker, "the worker has lost its coordinator and left the pod",
                  join_again);
      break;
    case WORKER_DRAINING:
      worker->has_left = true;
      check_drained(worker);
      break;
    default:
      break;
  }
  pod_status_free(status);
}

static int64_t hbm_used(void *context) {
  const worker_t *worker = context;
  return worker->host == NULL ? 0 : hbm_used_bytes(chip_host_hbm(worker->host));
}

static void link_sent(int64_t out_bytes[TORUS_LINKS], void *context) {
  const worker_t *worker = context;
  chip_link_total_t totals[TORUS_LINKS] = {0};
  if (worker->node != NULL) {
    ici_node_totals(worker->node, totals);
  }
  for (int d = 0; d < TORUS_LINKS; d++) {
    out_bytes[d] = totals[d].bytes_sent;
  }
}

// --- The end ---

static void report_end(void *context) {
  worker_t *worker = context;
  move(worker, WORKER_ENDED);
  const pod_status_t status = worker->end_status;
  worker->end_status = NULL;
  worker->ended(status, worker->context);
}

// What the links had to say before they were closed is still on its way to the loop, and
// needs the worker; the end comes behind it.
static void end_links(void *context) {
  worker_t *worker = context;
  close_links(worker);
  rpc_loop_post(worker->loop, report_end, worker);
}

static void on_shut_down(void *context) {
  leave_place(context, "the worker has left the pod", end_links);
}

// Lets calls finish that are nearly done, then ends the rest.
static void shut_down(worker_t *worker) {
  (void)membership_leave(worker->membership);
  rpc_server_shutdown(worker->server, SHUTDOWN_GRACE_MS, on_shut_down, worker);
}

static void stop(worker_t *worker) {
  const bool is_resetting = state_of(worker) == WORKER_RESETTING;
  move(worker, WORKER_STOPPING);
  rpc_timer_stop(worker->drain_timer);
  if (!is_resetting) {  // Else the reset goes on to there.
    shut_down(worker);
  }
}

// While draining: all that was begun has ended, and the coordinator knows.
static void check_drained(void *context) {
  worker_t *worker = context;
  if (state_of(worker) == WORKER_DRAINING && worker->has_left &&
      chip_host_is_idle(worker->host)) {
    stop(worker);
  }
}

static void on_drain_timeout(void *context) {
  worker_t *worker = context;
  if (state_of(worker) == WORKER_DRAINING) {
    pod_log(POD_LOG_WARNING, "executions still run after %d ms, ending them",
            WORKER_DRAIN_MS);
    stop(worker);
  }
}

void worker_drain(worker_t *worker) {
  switch (state_of(worker)) {
    case WORKER_HOSTING:
      pod_log(POD_LOG_INFO, "leaving the pod");
      move(worker, WORKER_DRAINING);
      chip_host_on_idle(worker->host, check_drained, worker);
      rpc_timer_start(worker->drain_timer, WORKER_DRAIN_MS, 0);
      (void)membership_leave(worker->membership);
      break;
    case WORKER_JOINING:
    case WORKER_RESETTING:
      stop(worker);
      break;
    default:
      break;
  }
}

// --- The whole ---

static void fill_registration(worker_t *worker) {
  const worker_options_t *options = &worker->options;
  podium__v1__register__init(&worker->registration);
  host_identity_print(&worker->host_identity);
  worker->registration.address = worker->address;
  worker->registration.host = worker->host_identity.bytes;
  worker->registration.transfer_socket =
      worker->transfers == NULL ? (char *)""
                                : (char *)shard_transfers_path(worker->transfers);
  worker->registration.pid = getpid();
  worker->registration.version = (char *)options->version;
  if (options->has_coords) {
    podium__v1__coords__init(&worker->coords);
    worker->coords.n_at = POD_COUNT_OF(options->coords);
    worker->coords.at = worker->options.coords;
    worker->registration.coords = &worker->coords;
  } else if (options->host_chips > 0) {
    podium__v1__host_place__init(&worker->host_place);
    worker->host_place.chips = options->host_chips;
    worker->host_place.rank = options->host_rank;
    worker->host_place.index = options->host_index;
    worker->registration.host_place = &worker->host_place;
  }
}

// --- Who may call ---

static bool shows_call_token(const worker_t *worker, const rpc_call_t *call) {
  const rpc_metadata_t *shown = rpc_call_peer_metadata(call, "authorization", false);
  size_t size_bytes = 0;
  const char *token =
      shown == NULL ? NULL : access_bearer(shown->value, shown->size_bytes, &size_bytes);
  char expected[ACCESS_TOKEN_TEXT_BYTES];
  access_print_hex(worker->call_token, expected);
  return token != NULL && size_bytes == sizeof(expected) - 1 &&
         digest_equal(token, expected, size_bytes);
}

// Health is for everybody; what only tells, for our own user too.
static pod_status_t authorize(rpc_call_t *call, const char *path, void *context) {
  static const char reflection[] = "/grpc.reflection.";
  const worker_t *worker = context;
  if (strcmp(path, "/grpc.health.v1.Health/Check") == 0 ||
      shows_call_token(worker, call)) {
    return NULL;
  }
  const bool only_tells = strcmp(path, "/podium.v1.Worker/GetStatus") == 0 ||
                          strcmp(path, "/grpc.health.v1.Health/Watch") == 0 ||
                          strncmp(path, reflection, sizeof(reflection) - 1) == 0;
  if (rpc_call_peer(call).is_own_user && (only_tells || !worker->has_given_token)) {
    return NULL;
  }
  return pod_error(POD_UNAUTHENTICATED,
                   "%s: a worker obeys its coordinator only; call that", path);
}

static void on_token_given(void *context) {
  worker_t *worker = context;
  worker->has_given_token = true;
}

static pod_status_t listen_at(worker_t *worker, const char *address) {
  POD_TRY(access_check_listen("the worker", address,
                              worker->options.port_credentials != NULL,
                              worker->options.is_insecure));
  return rpc_server_listen(worker->server, address, &worker->address);
}

static pod_status_t listen_for_calls(worker_t *worker) {
  const worker_options_t *options = &worker->options;
  // One coordinator calls here; who else comes only asks how it is.
  const rpc_server_options_t server = {.credentials = options->port_credentials,
                                       .connections_max = 256,
                                       .connections_per_peer_max = 64};
  POD_TRY(rpc_server_create(worker->loop, &server, &worker->server));
  rpc_server_add_service(worker->server, SERVICE_NAME, service_methods(),
                         worker->service);
  rpc_server_set_authorizer(worker->server, authorize, worker);
  set_serving(worker, false);
  if (options->listen != NULL) {
    return listen_at(worker, options->listen);
  }
  char *listen = own_host_replace(":0", worker->own_host);
  const pod_status_t status = listen_at(worker, listen);
  free(listen);
  return status;
}

// What others are told: an address that they can call, for calls and for links.
static pod_status_t choose_addresses(worker_t *worker) {
  const worker_options_t *options = &worker->options;
  if (own_host_is_wildcard(worker->address) && worker->own_host == NULL) {
    // The address was written in a way of its own, "0:7402".
    POD_TRY(own_host_wait_toward(options->coordinator, &worker->own_host));
  }
  if (own_host_is_wildcard(worker->address)) {
    char *address = own_host_replace(worker->address, worker->own_host);
    free(worker->address);
    worker->address = address;
  }
  if (options->ici_host != NULL && !own_host_is_wildcard(options->ici_host)) {
    worker->ici_host = pod_strdup(options->ici_host);
  } else if (options->ici_host != NULL) {
    worker->ici_host = pod_strdup(worker->own_host);
  } else if (!own_host_is_loopback(worker->address)) {
    worker->ici_host = own_host_of(worker->address);
  }
  if (options->advertise != NULL) {
    free(worker->address);
    worker->address = pod_strdup(options->advertise);
  }
  if (worker->ici_host != NULL) {
    return access_check_listen("the worker's links", worker->ici_host,
                               options->link_files != NULL, options->is_insecure);
  }
  return NULL;
}

// Where nothing else says at which interface others reach it.
static pod_status_t find_own_host(worker_t *worker) {
  const worker_options_t *options = &worker->options;
  const bool is_needed =
      options->listen == NULL || own_host_is_wildcard(options->listen) ||
      (options->ici_host != NULL && own_host_is_wildcard(options->ici_host));
  return is_needed ? own_host_wait_toward(options->coordinator, &worker->own_host) : NULL;
}

static void look_at_memory(void *context) {
  worker_t *worker = context;
  host_room_look();
  if (++worker->memory_looks % (HOST_MEMORY_TRIM_MS / HOST_ROOM_LOOK_MS) == 0) {
    host_memory_trim();
  }
}

pod_status_t worker_create(rpc_loop_t *loop, const worker_options_t *options,
                           worker_ended_fn_t ended, void *context,
                           worker_t **out_worker) {
  worker_t *worker = pod_alloc(sizeof(*worker));
  pod_state_machine_init(&worker->machine, "worker", (uint64_t)getpid(), states,
                         WORKER_STATE_COUNT, WORKER_JOINING);
  worker->loop = loop;
  worker->options = *options;
  worker->ended = ended;
  worker->context = context;
  worker->service = service_create();
  worker->drain_timer = rpc_timer_create(loop, on_drain_timeout, worker);
  worker->memory_timer = rpc_timer_create(loop, look_at_memory, worker);
  rpc_timer_start(worker->memory_timer, HOST_ROOM_LOOK_MS, HOST_ROOM_LOOK_MS);
  const pod_status_t status = find_own_host(worker);
  if (status != NULL) {
    worker_destroy(worker);
    return status;
  }
  *out_worker = worker;
  return NULL;
}

// A worker that cannot serves all the same, by gRPC.
static void share_memory(worker_t *worker) {
  const char *wanted = getenv("PODIUM_SHARED_MEMORY");
  if (wanted != NULL && strcmp(wanted, "0") == 0) {
    return;
  }
  const pod_status_t status = shard_transfers_create(
      worker->loop, socket_folder_path(worker->folder), &worker->transfers);
  if (status != NULL) {
    pod_log(POD_LOG_WARNING, "no memory is shared with clients: %s",
            pod_status_message(status));
    pod_status_free(status);
  }
  service_set_transfers(worker->service, worker->transfers);
}

pod_status_t worker_start(worker_t *worker) {
  POD_TRY(socket_folder_create(&worker->folder));
  share_memory(worker);
  POD_TRY(listen_for_calls(worker));
  POD_TRY(choose_addresses(worker));
  fill_registration(worker);
  digest_random(worker->call_token, sizeof(worker->call_token));
  membership_options_t membership = {
      .coordinator = worker->options.coordinator,
      .registration = &worker->registration,
      .secret = worker->options.secret,
      .is_insecure = worker->options.is_insecure,
      .events = {.on_assignment = on_assignment,
                 .on_connect_link = on_connect_link,
                 .on_drain = on_drain,
                 .on_end = on_membership_end,
                 .hbm_used_bytes = hbm_used,
                 .link_sent_bytes = link_sent,
                 .on_token_given = on_token_given},
      .context = worker,
      .credentials = worker->options.coordinator_credentials};
  memcpy(membership.call_token, worker->call_token, sizeof(worker->call_token));
  POD_TRY(membership_create(worker->loop, &membership, &worker->membership));
  membership_attach(worker->membership);
  return NULL;
}

pod_status_t worker_renew(worker_t *worker, const access_secret_t *secret) {
  if (secret != NULL && worker->membership != NULL) {
    membership_set_secret(worker->membership, secret);
  }
  return worker->node != NULL ? ici_node_renew_tls(worker->node) : NULL;
}

void worker_destroy(worker_t *worker) {
  if (worker == NULL) {
    return;
  }
  POD_CHECK(worker->host == NULL && worker->node == NULL);
  membership_destroy(worker->membership);
  rpc_server_destroy(worker->server);
  service_destroy(worker->service);
  shard_transfers_destroy(worker->transfers);
  socket_folder_destroy(worker->folder);
  rpc_timer_destroy(worker->drain_timer);
  rpc_timer_destroy(worker->memory_timer);
  chip_spec_destroy(worker->own_spec);
  pod_text_deinit(&worker->host_identity);
  free(worker->own_host);
  free(worker->ici_host);
  free(worker->address);
  free(worker);
}

const char *worker_address(const worker_t *worker) {
  return worker->address;
}
