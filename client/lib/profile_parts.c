// Puts the parts of a profile together: lists grow with every part; every index is
// checked against the header, and at the end that nothing is missing.

#include <string.h>

#include "client/lib/profile.h"

enum { CHIPS_MAX = 1 << 20, TASKS_MAX = 1 << 24 };

// Room for `count` more; returns the first of them.
static void *list_add(pod_arena_t *arena, lib_list_t *list, size_t count,
                      size_t item_bytes) {
  if ((size_t)(list->capacity - list->count) < count) {
    const size_t capacity = 2 * (size_t)list->capacity + count;
    void *items = pod_arena_array(arena, capacity, item_bytes);
    if (list->count > 0) {
      memcpy(items, list->items, (size_t)list->count * item_bytes);
    }
    list->items = items;
    list->capacity = (int)capacity;
  }
  void *first = (char *)list->items + (size_t)list->count * item_bytes;
  list->count += (int)count;
  return first;
}

static pod_status_t check_index(const char *what, int64_t index, int64_t count) {
  return index >= 0 && index < count
             ? NULL
             : pod_error(POD_INTERNAL, "the coordinator's profile names %s %lld of %lld",
                         what, (long long)index, (long long)count);
}

// --- Header ---

static pod_status_t add_header(lib_profile_builder_t *builder,
                               const Podium__V1__ProfileHeader *header) {
  if (builder->has_header) {
    return pod_error(POD_INTERNAL, "the coordinator's profile has two headers");
  }
  POD_TRY(check_index("chips", header->chip_count, CHIPS_MAX));
  POD_TRY(check_index("tasks", header->task_count, TASKS_MAX));
  POD_TRY(check_index("classes", header->class_count, (int64_t)header->chip_count + 1));
  POD_TRY(check_index("chip", header->chip_count,
                      header->n_class_of_chip == (size_t)header->chip_count
                          ? (int64_t)header->chip_count + 1
                          : 0));
  for (size_t i = 0; i < header->n_class_of_chip; i++) {
    POD_TRY(check_index("class", header->class_of_chip[i], header->class_count));
  }
  pod_arena_t *arena = builder->arena;
  builder->has_header = true;
  builder->profile = (podium_profile_t){
      .program = pod_arena_strdup(arena, header->program),
      .chip_kind = pod_arena_strdup(arena, header->chip_kind),
      .device_kind = pod_arena_strdup(arena, header->device_kind),
      .traceparent = pod_arena_strdup(arena, header->traceparent),
      .topology_name = pod_arena_strdup(arena, header->topology_name),
      .topology = {1, 1, 1},
      .step_ps = header->step_ps,
      .dispatch_ps = header->dispatch_ps,
      .low_ps = header->low_ps,
      .high_ps = header->high_ps,
      .rests_on = pod_arena_strdup(arena, header->rests_on),
      .hbm_peak_bytes = header->hbm_peak_bytes,
      .hbm_bytes = header->hbm_bytes,
      .bf16_flop_per_s = header->bf16_flop_per_s,
      .vpu_op_per_s = header->vpu_op_per_s,
      .hbm_bytes_per_s = header->hbm_bytes_per_s,
      .ici_bytes_per_s = header->ici_bytes_per_s,
      .dcn_bytes_per_s = header->dcn_bytes_per_s,
      .slice_count = header->slice_count > 1 ? header->slice_count : 1,
      .core_count = header->core_count > 1 ? header->core_count : 1,
      .steps_simulated = header->steps_simulated,
      .chip_count = header->chip_count,
      .class_count = header->class_count,
      .task_count = header->task_count,
      .class_of_chip =
          pod_arena_copy(arena, header->class_of_chip,
                         header->n_class_of_chip * sizeof(*header->class_of_chip)),
  };
  for (size_t i = 0; i < 3; i++) {
    builder->profile.topology[i] = i < header->n_topology ? header->topology[i] : 1;
    builder->profile.wraps[i] = i < header->n_wraps && header->wraps[i];
  }
  builder->tasks =
      pod_arena_array(arena, (size_t)header->task_count, sizeof(*builder->tasks));
  builder->classes =
      pod_arena_array(arena, (size_t)header->class_count, sizeof(*builder->classes));
  builder->hosts =
      pod_arena_array(arena, (size_t)header->chip_count, sizeof(lib_host_t *));
  return NULL;
}

static pod_status_t add_task(lib_profile_builder_t *builder,
                             const Podium__V1__TaskInfo *from) {
  pod_arena_t *arena = builder->arena;
  const int count = builder->profile.task_count;
  POD_TRY(check_index("task", from->index, count));
  if (from->partner != -1) {
    POD_TRY(check_index("partner", from->partner, count));
  }
  builder->tasks_there++;
  builder->tasks[from->index] = (podium_task_t){
      .name = pod_arena_strdup(arena, from->name),
      .op = pod_arena_strdup(arena, from->op),
      .shape = pod_arena_strdup(arena, from->shape),
      .source = pod_arena_strdup(arena, from->source),
      .kind = (podium_task_kind_t)from->kind,
      .partner = from->partner,
      .member_count = (int)from->n_members,
      .members = from->n_members == 0
                     ? NULL
                     : pod_arena_copy(arena, from->members,
                                      from->n_members * sizeof(*from->members)),
      .mxu_flop = from->mxu_flop,
      .mxu_busy_flop = from->mxu_busy_flop,
      .recomputed_flop = from->recomputed_flop,
      .vpu_op = from->vpu_op,
      .hbm_read_bytes = from->hbm_read_bytes,
      .hbm_written_bytes = from->hbm_written_bytes,
      .vmem_bytes = from->vmem_bytes,
      .hbm_live_bytes = from->hbm_live_bytes,
      .duration_ps = from->duration_ps,
      .bound = (podium_bound_t)from->bound,
      .low_ps = from->low_ps,
      .high_ps = from->high_ps,
      .backing = (podium_backing_t)from->backing,
  };
  return NULL;
}

// --- Classes ---

static void begin_class(lib_class_t *class, const Podium__V1__ChipClass *from) {
  class->is_there = true;
  class->info = (podium_chip_class_t){
      .representative = from->representative,
      .chip_count = from->chip_count,
      .end_ps = from->end_ps,
      .compute_ps = from->compute_ps,
      .waiting_ps = from->waiting_ps,
      .overlapped_ps = from->overlapped_ps,
      .mxu_ps = from->mxu_ps,
      .vpu_ps = from->vpu_ps,
      .hbm_ps = from->hbm_ps,
      .dma_ps = from->dma_ps,
      .ici_ps = from->ici_ps,
      .events_dropped = from->events_dropped,
      .messages_dropped = from->messages_dropped,
  };
}

static pod_status_t add_totals(lib_profile_builder_t *builder, lib_class_t *class,
                               const Podium__V1__ChipClass *from) {
  podium_task_total_t *totals =
      list_add(builder->arena, &class->totals, from->n_totals, sizeof(*totals));
  for (size_t i = 0; i < from->n_totals; i++) {
    const Podium__V1__TaskTotal *total = from->totals[i];
    POD_TRY(check_index("task", total->task, builder->profile.task_count));
    totals[i] = (podium_task_total_t){.task = total->task,
                                      .bound = (podium_bound_t)total->bound,
                                      .run_count = total->run_count,
                                      .start_ps = total->start_ps,
                                      .duration_ps = total->duration_ps,
                                      .waiting_ps = total->waiting_ps,
                                      .flight_ps = total->flight_ps,
                                      .ici_bytes = total->ici_bytes};
  }
  return NULL;
}

static pod_status_t add_events(lib_profile_builder_t *builder, lib_class_t *class,
                               const Podium__V1__ChipClass *from) {
  podium_task_event_t *events =
      list_add(builder->arena, &class->events, from->n_events, sizeof(*events));
  for (size_t i = 0; i < from->n_events; i++) {
    const Podium__V1__TaskEvent *event = from->events[i];
    POD_TRY(check_index("task", event->task, builder->profile.task_count));
    events[i] = (podium_task_event_t){.task = event->task,
                                      .start_ps = event->start_ps,
                                      .duration_ps = event->duration_ps,
                                      .flight_ps = event->flight_ps};
  }
  return NULL;
}

static pod_status_t add_messages(lib_profile_builder_t *builder, lib_class_t *class,
                                 const Podium__V1__ChipClass *from) {
  const podium_profile_t *profile = &builder->profile;
  podium_message_t *messages =
      list_add(builder->arena, &class->messages, from->n_messages, sizeof(*messages));
  for (size_t i = 0; i < from->n_messages; i++) {
    const Podium__V1__LinkMessage *message = from->messages[i];
    POD_TRY(check_index("task", message->task, profile->task_count));
    POD_TRY(check_index("chip", message->from, profile->chip_count));
    POD_TRY(check_index("chip", message->to, profile->chip_count));
    POD_TRY(check_index("direction", message->direction, PODIUM_LINK_COUNT));
    messages[i] = (podium_message_t){.task = message->task,
                                     .from = message->from,
                                     .to = message->to,
                                     .direction = message->direction,
                                     .start_ps = message->start_ps,
                                     .duration_ps = message->duration_ps,
                                     .size_bytes = message->size_bytes};
  }
  return NULL;
}

static pod_status_t add_class(lib_profile_builder_t *builder,
                              const Podium__V1__ChipClass *from) {
  POD_TRY(check_index("class", from->index, builder->profile.class_count));
  lib_class_t *class = &builder->classes[from->index];
  if (!class->is_there) {
    POD_TRY(check_index("chip", from->representative, builder->profile.chip_count));
    begin_class(class, from);
    for (size_t i = 0; i < from->n_links; i++) {
      const Podium__V1__LinkUse *link = from->links[i];
      POD_TRY(check_index("direction", link->direction, PODIUM_LINK_COUNT));
      class->info.links[link->direction] = (podium_link_t){
          .bytes = link->bytes, .busy_ps = link->busy_ps, .messages = link->messages};
    }
  }
  POD_TRY(add_totals(builder, class, from));
  POD_TRY(add_events(builder, class, from));
  return add_messages(builder, class, from);
}

// --- Hosts ---

static pod_status_t add_host(lib_profile_builder_t *builder,
                             const Podium__V1__HostProfile *from) {
  POD_TRY(check_index("chip", from->chip, builder->profile.chip_count));
  lib_host_t *host = builder->hosts[from->chip];
  if (host == NULL) {
    host = builder->hosts[from->chip] = pod_arena_alloc(builder->arena, sizeof(*host));
    builder->profile.host_count++;
    host->info = (podium_host_profile_t){.chip = from->chip,
                                         .host_ns = from->host_ns,
                                         .hbm_peak_bytes = from->hbm_peak_bytes,
                                         .events_dropped = from->events_dropped};
  }
  podium_host_total_t *totals =
      list_add(builder->arena, &host->totals, from->n_totals, sizeof(*totals));
  for (size_t i = 0; i < from->n_totals; i++) {
    totals[i] = (podium_host_total_t){.instruction = from->totals[i]->instruction,
                                      .run_count = from->totals[i]->run_count,
                                      .host_ns = from->totals[i]->host_ns};
  }
  podium_host_event_t *events =
      list_add(builder->arena, &host->events, from->n_events, sizeof(*events));
  for (size_t i = 0; i < from->n_events; i++) {
    events[i] = (podium_host_event_t){.instruction = from->events[i]->instruction,
                                      .start_ns = from->events[i]->start_ns,
                                      .host_ns = from->events[i]->host_ns};
  }
  return NULL;
}

// --- The whole ---

pod_status_t lib_profile_add(lib_profile_builder_t *builder,
                             const Podium__V1__ProfilePart *part) {
  if (part->header != NULL) {
    POD_TRY(add_header(builder, part->header));
  }
  if (!builder->has_header) {
    return pod_error(POD_INTERNAL, "the coordinator's profile has no header");
  }
  for (size_t i = 0; i < part->n_tasks; i++) {
    POD_TRY(add_task(builder, part->tasks[i]));
  }
  if (part->chip_class != NULL) {
    POD_TRY(add_class(builder, part->chip_class));
  }
  return part->host == NULL ? NULL : add_host(builder, part->host);
}

static void finish_hosts(lib_profile_builder_t *builder) {
  podium_profile_t *profile = &builder->profile;
  podium_host_profile_t *hosts =
      pod_arena_array(builder->arena, (size_t)profile->host_count, sizeof(*hosts));
  int count = 0;
  for (int chip = 0; chip < profile->chip_count; chip++) {
    lib_host_t *host = builder->hosts[chip];
    if (host != NULL) {
      host->info.totals = host->totals.items;
      host->info.total_count = host->totals.count;
      host->info.events = host->events.items;
      host->info.event_count = host->events.count;
      hosts[count++] = host->info;
    }
  }
  profile->hosts = hosts;
}

pod_status_t lib_profile_finish(lib_profile_builder_t *builder,
                                podium_profile_t **out_profile) {
  podium_profile_t *profile = &builder->profile;
  if (!builder->has_header || builder->tasks_there != profile->task_count) {
    return pod_error(POD_INTERNAL, "the coordinator's profile has %d of %d tasks",
                     builder->tasks_there, profile->task_count);
  }
  podium_chip_class_t *classes =
      pod_arena_array(builder->arena, (size_t)profile->class_count, sizeof(*classes));
  for (int i = 0; i < profile->class_count; i++) {
    lib_class_t *class = &builder->classes[i];
    if (!class->is_there) {
      return pod_error(POD_INTERNAL, "the coordinator's profile lacks class %d of %d", i,
                       profile->class_count);
    }
    class->info.totals = class->totals.items;
    class->info.total_count = class->totals.count;
    class->info.events = class->events.items;
    class->info.event_count = class->events.count;
    class->info.messages = class->messages.items;
    class->info.message_count = class->messages.count;
    classes[i] = class->info;
  }
  profile->tasks = builder->tasks;
  profile->classes = classes;
  finish_hosts(builder);
  *out_profile = profile;
  return NULL;
}
