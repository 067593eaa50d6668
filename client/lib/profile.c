// podium_profile and podium_simulate: the call, and what is asked for in it.

#include "client/lib/profile.h"

#include "client/lib/retry.h"

typedef struct owned_profile_t {
  podium_profile_t profile;  // First.
  pod_arena_t *arena;
} owned_profile_t;

typedef struct profile_call_t {
  lib_wait_t wait;
  lib_after_t after;
  podium_session_t *session;
  bool is_simulate;
  uint64_t id;  // Of the execution, or the executable.
  const podium_profile_options_t *options;
  lib_profile_builder_t builder;
  pod_status_t status;  // Of the first part that is no good.
  // NULL: they are put together.
  void (*part)(void *context, const void *packed, size_t size_bytes);
  void *part_context;
} profile_call_t;

// A coordinator that knows of no slices takes ends without one.
static size_t put_end(pod_arena_t *arena, const int coords[3], int slice,
                      int32_t **out_end) {
  const int32_t end[] = {coords[0], coords[1], coords[2], slice};
  *out_end = pod_arena_copy(arena, end, sizeof(end));
  return slice == 0 ? 3 : 4;
}

static Podium__V1__SimulationOptions *options_message(
    pod_arena_t *arena, const podium_profile_options_t *options) {
  Podium__V1__SimulationOptions *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__simulation_options__init(message);
  message->events_max = options->events_max;
  message->ignores_symmetry = options->ignores_symmetry;
  message->n_slow_chips = (size_t)options->slow_chip_count;
  message->slow_chips = pod_arena_array(arena, message->n_slow_chips, sizeof(void *));
  for (size_t i = 0; i < message->n_slow_chips; i++) {
    Podium__V1__SlowChip *chip = pod_arena_alloc(arena, sizeof(*chip));
    podium__v1__slow_chip__init(chip);
    chip->chip = options->slow_chips[i].chip;
    chip->factor = options->slow_chips[i].factor;
    message->slow_chips[i] = chip;
  }
  message->n_slow_links = (size_t)options->slow_link_count;
  message->slow_links = pod_arena_array(arena, message->n_slow_links, sizeof(void *));
  for (size_t i = 0; i < message->n_slow_links; i++) {
    const podium_slow_link_t *from = &options->slow_links[i];
    Podium__V1__SlowLink *link = pod_arena_alloc(arena, sizeof(*link));
    podium__v1__slow_link__init(link);
    link->n_from = put_end(arena, from->from, from->slice_index, &link->from);
    link->n_to = put_end(arena, from->to, from->slice_index, &link->to);
    link->factor = from->factor;
    message->slow_links[i] = link;
  }
  message->n_turns = (size_t)options->turns_count;
  message->turns = pod_arena_array(arena, message->n_turns, sizeof(void *));
  for (size_t i = 0; i < message->n_turns; i++) {
    const podium_turns_t *from = &options->turns[i];
    Podium__V1__LoopTurns *turns = pod_arena_alloc(arena, sizeof(*turns));
    podium__v1__loop_turns__init(turns);
    turns->instruction =
        pod_arena_strdup(arena, from->instruction == NULL ? "" : from->instruction);
    turns->turns = from->turns;
    message->turns[i] = turns;
  }
  return message;
}

static void on_packed_part(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  const profile_call_t *profile = context;
  const rpc_bytes_t *packed = message;
  profile->part(profile->part_context, packed->data, packed->size_bytes);
}

static void on_part(rpc_call_t *call, const void *response, void *context) {
  profile_call_t *profile = context;
  if (profile->status != NULL) {
    return;
  }
  profile->status = lib_profile_add(&profile->builder, response);
  if (profile->status != NULL) {
    rpc_call_cancel(call);
  }
}

static void on_profile_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  profile_call_t *profile = context;
  if (profile->status != NULL) {
    pod_status_free(status);
    status = profile->status;
  }
  lib_wait_finish(&profile->wait, lib_call_status(profile->session, status));
}

static void start_profile(void *context) {
  profile_call_t *profile = context;
  const podium_profile_options_t *options = profile->options;
  const bool is_packed = profile->part != NULL;
  const rpc_call_events_t events = {.on_message = is_packed ? on_packed_part : on_part,
                                    .on_end = on_profile_end};
  rpc_call_t *call =
      rpc_call_start(profile->session->channel,
                     profile->is_simulate ? "/podium.v1.Podium/Simulate"
                                          : "/podium.v1.Podium/GetProfile",
                     is_packed ? NULL : &podium__v1__profile_part__descriptor, &events,
                     profile, &(rpc_call_options_t){.timeout_ms = options->timeout_ms});
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__SimulationOptions *wanted = options_message(arena, options);
  if (profile->is_simulate) {
    Podium__V1__SimulateRequest request = PODIUM__V1__SIMULATE_REQUEST__INIT;
    request.session = profile->session->id;
    request.executable = profile->id;
    request.options = wanted;
    rpc_call_send(call, &request.base);
  } else {
    Podium__V1__GetProfileRequest request = PODIUM__V1__GET_PROFILE_REQUEST__INIT;
    request.session = profile->session->id;
    request.execution = profile->id;
    request.options = wanted;
    rpc_call_send(call, &request.base);
  }
  pod_arena_destroy(arena);
  rpc_call_half_close(call);
}

// An execution has a profile when it has ended.
static void start_when_ended(void *context) {
  profile_call_t *profile = context;
  profile->after = (lib_after_t){.fn = start_profile, .context = profile};
  lib_dispatch_await(profile->session, profile->id, &profile->after);
}

static pod_status_t check_options(const podium_profile_options_t *options) {
  POD_TRY(lib_check_list("slow chips", options->slow_chip_count, options->slow_chips));
  POD_TRY(lib_check_list("slow links", options->slow_link_count, options->slow_links));
  return lib_check_list("turns of loops", options->turns_count, options->turns);
}

pod_status_t lib_profile_give(lib_profile_builder_t *builder,
                              podium_profile_t **out_profile) {
  podium_profile_t *profile = NULL;
  POD_TRY(lib_profile_finish(builder, &profile));
  owned_profile_t *owned = pod_arena_alloc(builder->arena, sizeof(*owned));
  *owned = (owned_profile_t){.profile = *profile, .arena = builder->arena};
  *out_profile = &owned->profile;
  return NULL;
}

static pod_status_t fetch_once(const lib_handle_t *handle, bool is_simulate,
                               const podium_profile_options_t *options,
                               podium_profile_t **out_profile) {
  profile_call_t call = {.session = handle->session,
                         .id = handle->id,
                         .is_simulate = is_simulate,
                         .options = options,
                         .builder.arena = pod_arena_create()};
  pod_status_t status =
      lib_wait_run(handle->session, &call.wait, start_when_ended, &call);
  if (status == NULL) {
    status = lib_profile_give(&call.builder, out_profile);
  }
  if (status != NULL) {
    pod_arena_destroy(call.builder.arena);
  }
  return status;
}

// The profile of an execution that is lost is lost too, but a simulation can be told
// again.
static podium_status_t *fetch(const lib_handle_t *handle, bool is_simulate,
                              const podium_profile_options_t *given,
                              podium_profile_t **out_profile) {
  const podium_profile_options_t *options = LIB_OPTIONS(podium_profile_options_t, given);
  podium_session_t *session = handle->session;
  const int64_t deadline_ns = lib_deadline_in(options->timeout_ms);
  int attempts = 0;
  pod_status_t status = check_options(options);
  if (status == NULL) {
    status = lib_retry_wait(session, deadline_ns);
  }
  if (status != NULL) {
    return lib_status(status);
  }
  do {
    status = fetch_once(handle, is_simulate, options, out_profile);
  } while (is_simulate && lib_retry_again(session, &attempts, deadline_ns, &status));
  return lib_status(status);
}

podium_status_t *lib_profile_parts(
    podium_execution_t *execution, const podium_profile_options_t *given,
    void (*part)(void *context, const void *packed, size_t size_bytes), void *context) {
  const lib_handle_t *handle = (const lib_handle_t *)execution;
  const podium_profile_options_t *options = LIB_OPTIONS(podium_profile_options_t, given);
  pod_status_t status = check_options(options);
  if (status == NULL) {
    profile_call_t call = {.session = handle->session,
                           .id = handle->id,
                           .options = options,
                           .part = part,
                           .part_context = context};
    status = lib_wait_run(handle->session, &call.wait, start_when_ended, &call);
  }
  return lib_status(status);
}

podium_status_t *podium_profile(podium_execution_t *execution,
                                const podium_profile_options_t *options,
                                podium_profile_t **out_profile) {
  LIB_REQUIRE(execution);
  LIB_REQUIRE(out_profile);
  return fetch((const lib_handle_t *)execution, false, options, out_profile);
}

podium_status_t *podium_simulate(podium_executable_t *executable,
                                 const podium_profile_options_t *options,
                                 podium_profile_t **out_profile) {
  LIB_REQUIRE(executable);
  LIB_REQUIRE(out_profile);
  return fetch(&executable->handle, true, options, out_profile);
}

void podium_profile_free(podium_profile_t *profile) {
  if (profile != NULL) {
    pod_arena_destroy(((owned_profile_t *)profile)->arena);
  }
}
