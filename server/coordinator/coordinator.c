// Wires the parts: loop, server, registry, store, queues. What is decided is decided in
// core/ and services/.

#include "server/coordinator/coordinator.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/access/place.h"
#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/metrics/metrics.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/coordinator/authorize.h"
#include "server/coordinator/chip_call.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/jobs.h"
#include "server/coordinator/page/view.h"
#include "server/coordinator/same_program.h"

enum {
  SIMULATION_THREADS = 2,         // So that one session never holds up all others.
  FREED_PER_CALL_MAX = 1 << 16,   // Array ids in one FreeArrays.
  DRAIN_END_MS = 500,             // For the last answers to go out.
  CONNECTIONS_OF_CLIENTS = 1024,  // Besides those of workers.
};

// --- What is to be freed on the chips ---

static void send_freed(coordinator_t *coordinator, uint64_t *ids, size_t count) {
  Podium__V1__FreeArraysRequest request = PODIUM__V1__FREE_ARRAYS_REQUEST__INIT;
  request.arrays = ids;
  request.n_arrays = count;
  const int32_t chips = registry_places(coordinator->registry)->count;
  for (int32_t chip = 0; chip < chips; chip++) {
    chip_call_tell(coordinator->registry, chip, "/podium.v1.Worker/FreeArrays",
                   &request.base);
  }
}

void coordinator_free_in_turn(coordinator_t *coordinator) {
  const size_t in_turn = (size_t)coordinator->freed_in_turn.count;
  for (size_t at = 0; at < in_turn; at += FREED_PER_CALL_MAX) {
    const size_t left = in_turn - at;
    chip_runs_free_arrays(coordinator->runs, coordinator->freed_in_turn.items + at,
                          left < FREED_PER_CALL_MAX ? left : FREED_PER_CALL_MAX);
  }
  pod_list_clear(&coordinator->freed_in_turn);
}

void coordinator_flush_freed(coordinator_t *coordinator) {
  const size_t count = (size_t)coordinator->freed.count;
  for (size_t at = 0; at < count; at += FREED_PER_CALL_MAX) {
    const size_t left = count - at;
    send_freed(coordinator, coordinator->freed.items + at,
               left < FREED_PER_CALL_MAX ? left : FREED_PER_CALL_MAX);
  }
  pod_list_clear(&coordinator->freed);
  coordinator_free_in_turn(coordinator);
}

static coordinator_t *owner_of_free_arrays(later_item_t *item) {
  return (coordinator_t *)(void *)((char *)item - offsetof(coordinator_t, free_arrays));
}

static void flush_freed_later(later_item_t *item) {
  coordinator_flush_freed(owner_of_free_arrays(item));
}

// Many are freed at once as a rule, so that they are gathered first. When nothing runs,
// those that may go at once go by the streams of executions too, which need no new call,
// and with the next execution, if it has come already.
static void array_gone(void *context, uint64_t array, bool in_turn) {
  coordinator_t *coordinator = context;
  if (in_turn || coordinator->running_count == 0) {
    *pod_list_add(&coordinator->freed_in_turn) = array;
  } else {
    *pod_list_add(&coordinator->freed) = array;
  }
  later_post(coordinator->later, &coordinator->free_arrays, flush_freed_later);
}

static void executable_gone(void *context, uint64_t executable, int32_t chip_count,
                            const int32_t *chips) {
  coordinator_t *coordinator = context;
  Podium__V1__UnloadProgramRequest request = PODIUM__V1__UNLOAD_PROGRAM_REQUEST__INIT;
  request.program = executable;
  for (int32_t i = 0; i < chip_count; i++) {
    chip_call_tell(coordinator->registry, chips[i], "/podium.v1.Worker/UnloadProgram",
                   &request.base);
  }
}

static void session_gone(void *context, uint64_t session) {
  coordinator_t *coordinator = context;
  pod_log_fields(POD_LOG_INFO,
                 POD_LOG_FIELDS({"event", .text = "session_end"},
                                {"session", .number = (int64_t)session}),
                 "session %" PRIu64 " has ended", session);
  Podium__V1__CloseSessionRequest request = PODIUM__V1__CLOSE_SESSION_REQUEST__INIT;
  request.session = session;
  dispatches_close(coordinator, &session,
                   pod_error(POD_CANCELLED, "the session has ended"));
  const int32_t chips = registry_places(coordinator->registry)->count;
  for (int32_t chip = 0; chip < chips; chip++) {
    chip_call_tell(coordinator->registry, chip, "/podium.v1.Worker/CloseSession",
                   &request.base);
  }
}

// --- The pod ---

static void on_lost(void *context, int32_t chip, const char *reason) {
  coordinator_t *coordinator = context;
  losses_add(&coordinator->losses, chip, -1, view_unix_us(), reason);
  store_lose_chip(coordinator->store, chip, reason);
  executions_lose_chip(coordinator, chip, reason);
  pod_text_t message = {0};
  pod_text_printf(&message, "lost %s", reason);
  sessions_changed(coordinator, message.bytes);
  pod_text_deinit(&message);
}

static void on_joined(void *context, int32_t chip) {
  coordinator_t *coordinator = context;
  losses_back(&coordinator->losses, chip, -1, view_unix_us());
}

// Of a chip that is lost its links are lost with it: only what both ends outlive is told.
static void on_link(void *context, int32_t chip, int32_t neighbour, bool is_up) {
  coordinator_t *coordinator = context;
  if (is_up) {
    losses_back(&coordinator->losses, chip, neighbour, view_unix_us());
    return;
  }
  pod_text_t why = {0};
  pod_text_printf(&why, "the link between chip %" PRId32 " and chip %" PRId32 " is down",
                  chip, neighbour);
  losses_add(&coordinator->losses, chip, neighbour, view_unix_us(), why.bytes);
  pod_text_deinit(&why);
}

static void on_change(void *context) {
  coordinator_t *coordinator = context;
  if (coordinator->is_destroyed) {
    return;
  }
  const bool is_ready = places_are_ready(registry_places(coordinator->registry));
  if (is_ready != coordinator->is_serving) {
    coordinator->is_serving = is_ready;
    pod_log(POD_LOG_INFO, "the pod is %sready", is_ready ? "" : "not ");
    rpc_server_set_serving(coordinator->server, "podium.v1.Podium", is_ready);
    if (is_ready) {
      sessions_changed(coordinator, "the pod is ready");
    }
  }
  executions_pump(coordinator);
  jobs_pod_changed(coordinator->jobs);
  coordinator_settle(coordinator);
}

// --- Draining ---
//
//   serving ──SIGTERM──> finishing what runs ──> ending sessions and workers ──> done
//                              └────grace────────────^

static void drain_over(void *context) {
  coordinator_t *coordinator = context;
  if (coordinator->drain_done != NULL) {
    const rpc_fn_t done = coordinator->drain_done;
    coordinator->drain_done = NULL;
    done(coordinator->drain_context);
  }
}

// The streams that live as long as their peers want are what is left. Their ends, and the
// last answers, get a moment to go out; peers may keep others open (health).
static void end_streams(coordinator_t *coordinator) {
  if (coordinator->has_ended_streams) {
    return;
  }
  coordinator->has_ended_streams = true;
  sessions_close(coordinator);
  registry_close(coordinator->registry);
  rpc_timer_start(coordinator->end_timer, DRAIN_END_MS, 0);
}

static void grace_is_over(void *context) {
  coordinator_t *coordinator = context;
  pod_log(POD_LOG_WARNING, "stopping what still runs after the time of grace");
  store_stop_operations(coordinator->store);
  end_streams(coordinator);
}

void coordinator_settle(coordinator_t *coordinator) {
  if (coordinator->is_destroyed) {
    return;
  }
  if (executions_are_idle(coordinator)) {
    registry_release_draining(coordinator->registry);
  }
  if (coordinator->is_draining && store_operation_count(coordinator->store) == 0 &&
      jobs_are_settled(coordinator->jobs)) {
    rpc_timer_stop(coordinator->drain_timer);
    end_streams(coordinator);
  }
}

void coordinator_drain(coordinator_t *coordinator, int64_t grace_ms, rpc_fn_t done,
                       void *context) {
  coordinator->is_draining = true;
  coordinator->drain_done = done;
  coordinator->drain_context = context;
  const int32_t left = store_operation_count(coordinator->store);
  pod_log(POD_LOG_INFO, "going down; %" PRId32 " calls may finish within %" PRId64 " ms",
          left, grace_ms);
  rpc_server_shutdown(coordinator->server, (uint64_t)(grace_ms + DRAIN_END_MS),
                      drain_over, coordinator);
  rpc_timer_start(coordinator->drain_timer, (uint64_t)grace_ms, 0);
  jobs_drain(coordinator->jobs);
  coordinator_settle(coordinator);
}

// --- The whole ---

static char *make_pod_id(void) {
  uint64_t random = 0;
  // Fails only before the system has seeded its generator; getrandom then waits.
  POD_CHECK(getrandom(&random, sizeof(random), 0) == sizeof(random));
  char text[32];
  snprintf(text, sizeof(text), "pod-%016" PRIx64, random);
  return pod_strdup(text);
}

static void add_services(coordinator_t *coordinator) {
  rpc_method_t *methods = coordinator->methods;
  session_methods(methods);
  rpc_method_t *next = methods + SESSION_METHODS;
  *next++ = compile_method();
  *next++ = put_method();
  *next++ = put_shared_method();
  *next++ = fetch_method();
  *next++ = execute_method();
  *next++ = dispatch_method();
  *next++ = profile_method();
  *next++ = simulate_method();
  *next++ = slice_method();
  *next = (rpc_method_t){0};
  rpc_server_add_service(coordinator->server, "podium.v1.Podium", methods, coordinator);
  rpc_server_add_service(coordinator->server, "podium.v1.Registry", registry_methods(),
                         coordinator->registry);
  jobs_methods(coordinator->job_methods);
  rpc_server_add_service(coordinator->server, "podium.v1.Jobs", coordinator->job_methods,
                         coordinator);
  rpc_server_set_serving(coordinator->server, "podium.v1.Podium", false);
  rpc_server_set_authorizer(coordinator->server, authorize_call,
                            (void *)(uintptr_t)coordinator->access);
}

static void serve_metrics_text(rpc_http_exchange_t *exchange,
                               const http_request_t *request, void *context) {
  (void)request;
  pod_text_t body = {0};
  coordinator_metrics_write(((const coordinator_t *)context)->metrics, &body);
  rpc_http_answer(exchange, &(http_answer_t){.content_type = METRICS_CONTENT_TYPE,
                                             .body = body.bytes,
                                             .body_bytes = body.length});
  pod_text_deinit(&body);
}

static pod_status_t serve_metrics(coordinator_t *coordinator) {
  static const rpc_http_route_t routes[] = {{HTTP_GET, "/metrics", serve_metrics_text},
                                            {0}};
  const coordinator_options_t *options = &coordinator->options;
  POD_TRY(access_check_metrics(options->metrics_listen, options->is_insecure));
  return pod_status_context(
      rpc_http_listen(coordinator->loop,
                      &(rpc_http_options_t){.address = options->metrics_listen,
                                            .routes = routes,
                                            .context = coordinator},
                      &coordinator->web, &coordinator->metrics_address),
      "--metrics-listen");
}

static registry_t *create_registry(coordinator_t *coordinator) {
  return registry_create(
      &(registry_options_t){.loop = coordinator->loop,
                            .later = coordinator->later,
                            .spec = coordinator->options.spec,
                            .torus = coordinator->options.torus,
                            .pod_id = coordinator->pod_id,
                            .hbm_bytes = coordinator->options.hbm_bytes,
                            .heartbeat_ms = coordinator->options.heartbeat_ms,
                            .timeout_ms = coordinator->options.timeout_ms,
                            .credentials = coordinator->options.worker_credentials,
                            .access = coordinator->access,
                            .secret = coordinator->options.secret,
                            .on_lost = on_lost,
                            .on_joined = on_joined,
                            .on_link = on_link,
                            .on_change = on_change,
                            .context = coordinator});
}

static pod_status_t create_server(coordinator_t *coordinator) {
  // Every chip may have a worker attached and one that replaces it, besides the clients.
  const uint32_t of_workers = 2 * (uint32_t)registry_places(coordinator->registry)->count;
  const rpc_server_options_t server_options = {
      .message_bytes_max = COORDINATOR_MESSAGE_BYTES_MAX,
      .connections_max = CONNECTIONS_OF_CLIENTS + of_workers,
      .connections_reserved = CONNECTIONS_OF_CLIENTS / 8 + of_workers,
      .credentials = coordinator->options.port_credentials};
  return rpc_server_create(coordinator->loop, &server_options, &coordinator->server);
}

pod_status_t coordinator_create(rpc_loop_t *loop, const coordinator_options_t *options,
                                coordinator_t **out_coordinator) {
  coordinator_t *coordinator = pod_alloc(sizeof(*coordinator));
  coordinator->loop = loop;
  coordinator->options = *options;
  coordinator->access = options->access;
  if (options->access == NULL) {
    coordinator->access = coordinator->own_access = access_create();
  }
  coordinator->pod_id = make_pod_id();
  coordinator->last_running = &coordinator->first_running;
  coordinator->executions = pod_map_create();
  coordinator->later = later_create(loop);
  coordinator->gangs = gang_groups_create(same_program);
  coordinator->compile_cache =
      compile_cache_create(COMPILE_CACHE_ENTRIES_MAX, COMPILE_CACHE_BYTES_MAX);
  coordinator->drain_timer = rpc_timer_create(loop, grace_is_over, coordinator);
  coordinator->end_timer = rpc_timer_create(loop, drain_over, coordinator);
  const int32_t chip_count = torus_chip_count(&options->torus);
  coordinator->turns = turns_create(chip_count);
  coordinator->accounts = account_book_create(&options->limits, chip_count);
  coordinator->store = store_create(&(store_events_t){.array_gone = array_gone,
                                                      .executable_gone = executable_gone,
                                                      .session_gone = session_gone,
                                                      .context = coordinator});
  coordinator->registry = create_registry(coordinator);
  coordinator->metrics = coordinator_metrics_create(coordinator);
  coordinator->runs = chip_runs_create(coordinator->registry,
                                       registry_places(coordinator->registry)->count);
  const int32_t compiles = options->compile_pool != NULL ? options->compile_slots : 1;
  pod_status_t status =
      job_queue_create(loop, "compiles", compiles, &coordinator->compiles);
  if (status == NULL) {
    status = job_queue_create(loop, "simulations", SIMULATION_THREADS,
                              &coordinator->simulations);
  }
  if (status == NULL) {
    status = create_server(coordinator);
  }
  if (status == NULL) {
    add_services(coordinator);
    status = access_check_listen("the coordinator", options->listen,
                                 options->port_credentials != NULL, options->is_insecure);
  }
  if (status == NULL) {
    status =
        rpc_server_listen(coordinator->server, options->listen, &coordinator->address);
  }
  if (status == NULL && options->jobs.folder != NULL) {
    status = jobs_create(coordinator, &coordinator->jobs);
  }
  if (status == NULL && options->metrics_listen != NULL) {
    status = serve_metrics(coordinator);
  }
  if (status == NULL && options->page_listen != NULL) {
    status = page_create(coordinator, &coordinator->page);
  }
  if (status != NULL) {
    coordinator_destroy(coordinator);
    return status;
  }
  coordinator->options.listen = coordinator->address;
  *out_coordinator = coordinator;
  return NULL;
}

void coordinator_set_secret(coordinator_t *coordinator, const access_secret_t *secret) {
  registry_set_secret(coordinator->registry, secret);
}

const char *coordinator_address(const coordinator_t *coordinator) {
  return coordinator->address;
}

const char *coordinator_metrics_address(const coordinator_t *coordinator) {
  return coordinator->metrics_address;
}

void coordinator_forget_visitors(coordinator_t *coordinator) {
  if (coordinator->page != NULL) {
    page_forget_tokens(coordinator->page);
  }
}

const char *coordinator_page_url(const coordinator_t *coordinator) {
  return coordinator->page != NULL ? page_url(coordinator->page) : NULL;
}

bool coordinator_is_compiling(const coordinator_t *coordinator) {
  const bool is_held_up = coordinator->options.compile_pool == NULL &&
                          job_queue_is_running(coordinator->compiles);
  return is_held_up || job_queue_is_running(coordinator->simulations);
}

static void stop_compiles(coordinator_t *coordinator) {
  if (coordinator->options.compile_pool != NULL) {
    compile_pool_stop(coordinator->options.compile_pool, NULL);
  }
}

void coordinator_destroy(coordinator_t *coordinator) {
  if (coordinator == NULL) {
    return;
  }
  coordinator->is_destroyed = true;
  rpc_http_destroy(coordinator->web);
  page_destroy(coordinator->page);
  coordinator->page = NULL;
  // In this order every operation finds its way to its end: the clients' calls end, which
  // stops what they asked for; the compiler's jobs; then the calls to the workers.
  rpc_server_destroy(coordinator->server);
  stop_compiles(coordinator);
  jobs_stop(coordinator->jobs);
  job_queue_destroy(coordinator->compiles);
  job_queue_destroy(coordinator->simulations);
  store_stop_operations(coordinator->store);
  later_run(coordinator->later);
  registry_destroy(coordinator->registry);
  chip_runs_destroy(coordinator->runs);
  later_destroy(coordinator->later);
  jobs_destroy(coordinator->jobs);
  store_destroy(coordinator->store);
  account_book_destroy(coordinator->accounts);
  turns_destroy(coordinator->turns);
  gang_groups_destroy(coordinator->gangs);
  pod_map_destroy(coordinator->executions);
  compile_cache_destroy(coordinator->compile_cache);
  rpc_timer_destroy(coordinator->drain_timer);
  rpc_timer_destroy(coordinator->watch_timer);
  rpc_timer_destroy(coordinator->slice_timer);
  rpc_timer_destroy(coordinator->end_timer);
  pod_list_deinit(&coordinator->freed);
  pod_list_deinit(&coordinator->freed_in_turn);
  access_destroy(coordinator->own_access);
  coordinator_metrics_destroy(coordinator->metrics);
  losses_deinit(&coordinator->losses);
  free(coordinator->pod_id);
  free(coordinator->address);
  free(coordinator->metrics_address);
  free(coordinator);
}
