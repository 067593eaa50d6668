#include "server/wire/profile.h"

static Podium__V1__Cost *cost_pack(pod_arena_t *arena, const chip_cost_t *cost) {
  Podium__V1__Cost *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__cost__init(message);
  message->mxu_flop = cost->mxu_flop;
  message->vpu_op = cost->vpu_op;
  message->hbm_bytes = cost->hbm_bytes;
  message->ici_bytes = cost->ici_bytes;
  message->duration_ps = cost->duration_ps;
  message->bound = (Podium__V1__Bound)cost->bound;
  return message;
}

static void totals_pack(pod_arena_t *arena, const chip_profile_t *profile,
                        Podium__V1__ChipProfile *message) {
  message->totals =
      pod_arena_array(arena, (size_t)profile->total_count, sizeof(*message->totals));
  for (int32_t i = 0; i < profile->total_count; i++) {
    const chip_total_t *total = &profile->totals[i];
    if (total->run_count == 0) {
      continue;
    }
    Podium__V1__InstructionTotal *entry = pod_arena_alloc(arena, sizeof(*entry));
    podium__v1__instruction_total__init(entry);
    entry->index = i;
    entry->run_count = total->run_count;
    entry->duration_ps = total->duration_ps;
    entry->host_ns = total->host_ns;
    entry->cost = cost_pack(arena, &total->cost);
    message->totals[message->n_totals++] = entry;
  }
}

static void events_pack(pod_arena_t *arena, const chip_profile_t *profile,
                        Podium__V1__ChipProfile *message) {
  message->n_events = (size_t)profile->event_count;
  message->events = pod_arena_array(arena, message->n_events, sizeof(*message->events));
  for (size_t i = 0; i < message->n_events; i++) {
    const chip_event_t *event = &profile->events[i];
    Podium__V1__InstructionEvent *entry = pod_arena_alloc(arena, sizeof(*entry));
    podium__v1__instruction_event__init(entry);
    entry->index = event->instruction;
    entry->start_ps = event->start_ps;
    entry->duration_ps = event->duration_ps;
    entry->host_start_ns = event->host_start_ns;
    entry->host_ns = event->host_ns;
    message->events[i] = entry;
  }
}

static void links_pack(pod_arena_t *arena, const chip_profile_t *profile,
                       Podium__V1__ChipProfile *message) {
  message->links = pod_arena_array(arena, TORUS_DIRECTIONS, sizeof(*message->links));
  for (int direction = 0; direction < TORUS_DIRECTIONS; direction++) {
    const chip_link_total_t *link = &profile->links[direction];
    if (link->frames_sent == 0) {
      continue;
    }
    Podium__V1__LinkTotal *entry = pod_arena_alloc(arena, sizeof(*entry));
    podium__v1__link_total__init(entry);
    entry->direction = direction;
    entry->bytes_sent = link->bytes_sent;
    entry->frames_sent = link->frames_sent;
    message->links[message->n_links++] = entry;
  }
}

Podium__V1__ChipProfile *wire_profile_pack(pod_arena_t *arena,
                                           const chip_profile_t *profile,
                                           bool with_events) {
  Podium__V1__ChipProfile *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__chip_profile__init(message);
  message->chip = profile->chip;
  message->end_ps = profile->end_ps;
  message->host_ns = profile->host_ns;
  message->hbm_peak_bytes = profile->hbm_peak_bytes;
  totals_pack(arena, profile, message);
  if (with_events) {
    events_pack(arena, profile, message);
    message->events_dropped = profile->events_dropped;
  }
  links_pack(arena, profile, message);
  return message;
}

static pod_status_t cost_unpack(const Podium__V1__Cost *message, chip_cost_t *out_cost) {
  if (message == NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "a total of a profile has no cost");
  }
  if ((int)message->bound < CHIP_BOUND_NONE || (int)message->bound > CHIP_BOUND_FIXED) {
    return pod_error(POD_INVALID_ARGUMENT, "bound %d of a cost does not exist",
                     (int)message->bound);
  }
  *out_cost = (chip_cost_t){
      .mxu_flop = message->mxu_flop,
      .vpu_op = message->vpu_op,
      .hbm_bytes = message->hbm_bytes,
      .ici_bytes = message->ici_bytes,
      .duration_ps = message->duration_ps,
      .bound = (chip_bound_t)message->bound,
  };
  return NULL;
}

static pod_status_t check_index(int32_t index, int32_t count) {
  if (index < 0 || index >= count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a profile names instruction %d of a program that has %d", index,
                     count);
  }
  return NULL;
}

static pod_status_t lists_unpack(const Podium__V1__ChipProfile *message,
                                 chip_profile_t *profile) {
  for (size_t i = 0; i < message->n_events; i++) {
    const Podium__V1__InstructionEvent *entry = message->events[i];
    POD_TRY(check_index(entry->index, profile->total_count));
    const chip_event_t event = {
        .instruction = entry->index,
        .start_ps = entry->start_ps,
        .duration_ps = entry->duration_ps,
        .host_start_ns = entry->host_start_ns,
        .host_ns = entry->host_ns,
    };
    chip_profile_add(profile, &event, NULL);
  }
  // What the events added to the totals is replaced: they also count what was not kept.
  for (int32_t i = 0; i < profile->total_count; i++) {
    profile->totals[i] = (chip_total_t){0};
  }
  for (size_t i = 0; i < message->n_totals; i++) {
    const Podium__V1__InstructionTotal *entry = message->totals[i];
    POD_TRY(check_index(entry->index, profile->total_count));
    chip_total_t *total = &profile->totals[entry->index];
    POD_TRY(cost_unpack(entry->cost, &total->cost));
    total->run_count = entry->run_count;
    total->duration_ps = entry->duration_ps;
    total->host_ns = entry->host_ns;
  }
  for (size_t i = 0; i < message->n_links; i++) {
    const Podium__V1__LinkTotal *entry = message->links[i];
    if (entry->direction < 0 || entry->direction >= TORUS_DIRECTIONS) {
      return pod_error(POD_INVALID_ARGUMENT, "a profile names link %d", entry->direction);
    }
    profile->links[entry->direction] =
        (chip_link_total_t){entry->bytes_sent, entry->frames_sent};
  }
  return NULL;
}

pod_status_t wire_profile_unpack(const Podium__V1__ChipProfile *message,
                                 const chip_program_t *program,
                                 chip_profile_t *out_profile) {
  if (message->n_events > CHIP_EVENTS_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a profile has %zu events, at most %d are kept", message->n_events,
                     CHIP_EVENTS_MAX);
  }
  chip_profile_t profile;
  chip_profile_init(&profile, program, message->chip);
  profile.end_ps = message->end_ps;
  profile.host_ns = message->host_ns;
  profile.hbm_peak_bytes = message->hbm_peak_bytes;
  profile.events_dropped = message->events_dropped;
  const pod_status_t status = lists_unpack(message, &profile);
  if (status != NULL) {
    chip_profile_deinit(&profile);
    return status;
  }
  *out_profile = profile;
  return NULL;
}
