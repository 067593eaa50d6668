#include "client/lib/session.h"

typedef struct owned_profile_t {
  podium_profile_t profile;
  pod_arena_t *arena;
} owned_profile_t;

typedef struct chip_node_t {
  podium_chip_profile_t chip;
  struct chip_node_t *next;
} chip_node_t;

typedef struct profile_call_t {
  lib_wait_t wait;
  podium_session_t *session;
  uint64_t execution;
  int64_t timeout_ms;
  pod_arena_t *arena;
  chip_node_t *first, **last;
  int chip_count;
} profile_call_t;

static podium_instruction_total_t *convert_totals(
    pod_arena_t *arena, const Podium__V1__ChipProfile *message) {
  podium_instruction_total_t *totals =
      pod_arena_array(arena, message->n_totals, sizeof(*totals));
  const Podium__V1__Cost no_cost = PODIUM__V1__COST__INIT;
  for (size_t i = 0; i < message->n_totals; i++) {
    const Podium__V1__InstructionTotal *from = message->totals[i];
    const Podium__V1__Cost *cost = from->cost == NULL ? &no_cost : from->cost;
    totals[i] = (podium_instruction_total_t){
        .instruction = from->index,
        .run_count = from->run_count,
        .duration_ps = from->duration_ps,
        .host_ns = from->host_ns,
        .mxu_flop = cost->mxu_flop,
        .vpu_op = cost->vpu_op,
        .hbm_bytes = cost->hbm_bytes,
        .ici_bytes = cost->ici_bytes,
        .bound = (podium_bound_t)cost->bound,
    };
  }
  return totals;
}

static podium_event_t *convert_events(pod_arena_t *arena,
                                      const Podium__V1__ChipProfile *message) {
  podium_event_t *events = pod_arena_array(arena, message->n_events, sizeof(*events));
  for (size_t i = 0; i < message->n_events; i++) {
    const Podium__V1__InstructionEvent *from = message->events[i];
    events[i] = (podium_event_t){
        .instruction = from->index,
        .start_ps = from->start_ps,
        .duration_ps = from->duration_ps,
        .host_start_ns = from->host_start_ns,
        .host_ns = from->host_ns,
    };
  }
  return events;
}

static podium_link_total_t *convert_links(pod_arena_t *arena,
                                          const Podium__V1__ChipProfile *message) {
  podium_link_total_t *links = pod_arena_array(arena, message->n_links, sizeof(*links));
  for (size_t i = 0; i < message->n_links; i++) {
    links[i] = (podium_link_total_t){
        .direction = message->links[i]->direction,
        .bytes_sent = message->links[i]->bytes_sent,
        .frames_sent = message->links[i]->frames_sent,
    };
  }
  return links;
}

static void on_chip(rpc_call_t *call, const void *response, void *context) {
  (void)call;
  profile_call_t *profile = context;
  const Podium__V1__ChipProfile *message = response;
  chip_node_t *node = pod_arena_alloc(profile->arena, sizeof(*node));
  node->chip = (podium_chip_profile_t){
      .chip = message->chip,
      .end_ps = message->end_ps,
      .host_ns = message->host_ns,
      .hbm_peak_bytes = message->hbm_peak_bytes,
      .events_dropped = message->events_dropped,
      .total_count = (int)message->n_totals,
      .event_count = (int)message->n_events,
      .link_count = (int)message->n_links,
      .totals = convert_totals(profile->arena, message),
      .events = convert_events(profile->arena, message),
      .links = convert_links(profile->arena, message),
  };
  *profile->last = node;
  profile->last = &node->next;
  profile->chip_count++;
}

static void on_profile_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  lib_wait_finish(&((profile_call_t *)context)->wait, status);
}

static void start_profile(void *context) {
  profile_call_t *profile = context;
  const rpc_call_events_t events = {.on_message = on_chip, .on_end = on_profile_end};
  rpc_call_t *call =
      rpc_call_start(profile->session->channel, "/podium.v1.Podium/GetProfile",
                     &podium__v1__chip_profile__descriptor, &events, profile,
                     &(rpc_call_options_t){.timeout_ms = profile->timeout_ms});
  Podium__V1__GetProfileRequest request = PODIUM__V1__GET_PROFILE_REQUEST__INIT;
  request.session = profile->session->id;
  request.execution = profile->execution;
  rpc_call_send(call, &request.base);
  rpc_call_half_close(call);
}

podium_status_t *podium_profile(podium_execution_t *execution, int64_t timeout_ms,
                                podium_profile_t **out_profile) {
  const lib_handle_t *handle = (const lib_handle_t *)execution;
  profile_call_t call = {.session = handle->session,
                         .execution = handle->id,
                         .timeout_ms = timeout_ms,
                         .arena = pod_arena_create()};
  call.last = &call.first;
  const pod_status_t status =
      lib_wait_run(handle->session, &call.wait, start_profile, &call);
  if (status != NULL) {
    pod_arena_destroy(call.arena);
    return lib_status(status);
  }
  owned_profile_t *owned = pod_arena_alloc(call.arena, sizeof(*owned));
  podium_chip_profile_t *chips =
      pod_arena_array(call.arena, (size_t)call.chip_count, sizeof(*chips));
  int count = 0;
  for (const chip_node_t *node = call.first; node != NULL; node = node->next) {
    chips[count++] = node->chip;
  }
  *owned = (owned_profile_t){.profile = {.chip_count = count, .chips = chips},
                             .arena = call.arena};
  *out_profile = &owned->profile;
  return NULL;
}

void podium_profile_free(podium_profile_t *profile) {
  if (profile != NULL) {
    pod_arena_destroy(((owned_profile_t *)profile)->arena);
  }
}
