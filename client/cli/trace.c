// The profile as a Chrome trace (the "Trace Event Format"), which Perfetto and
// chrome://tracing open.
//
// Device time: a process per class of chips, named after one of them; its threads are the
// core, the DMA queue, and the links that leave the chip. Slices of a thread must nest,
// and messages that share a link overlap: those go to further lanes of the link, which
// are threads of their own. A flow leads from a message to what received it. Counters
// show the HBM in use and how many of the chip's links are busy.
//
// Host time has another clock and is thousands of times as long, so that on one axis with
// device time nothing of that would be seen: it is a trace, and a file, of its own, with
// a process per chip.

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/output.h"
#include "client/cli/trace_writer.h"
#include "client/profile/counters.h"
#include "client/profile/sums.h"
#include "common/base/memory.h"
#include "common/base/text.h"

enum {
  THREAD_CORE = 1,
  THREAD_LANES = 1000,  // From one kind of thread to the next.
  DMA = 0,              // Kinds of lanes: this and 1 + direction.
  LANE_KINDS = 1 + PODIUM_LINK_COUNT,
  CLASSES_MAX = 256,  // That get a process.
};

typedef struct writer_t {
  pod_arena_t *arena;  // Of names.
  trace_writer_t events;
  const podium_program_info_t *info;
  const podium_profile_t *profile;
  int64_t flow;  // The next flow's id.
  int64_t lanes_dropped;
} writer_t;

// --- Tasks ---

static const char *category_of(podium_task_kind_t kind) {
  static const char *const names[] = {
      "compute",         "collective",     "collective start",
      "collective done", "prefetch start", "prefetch done",
      "while",           "branch",         "transfer start",
      "transfer done"};
  return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "task";
}

static void add_count(cJSON *args, const char *key, int64_t value) {
  if (value != 0) {
    cJSON_AddNumberToObject(args, key, (double)value);
  }
}

static void add_task_args(cJSON *event, const podium_task_t *task) {
  cJSON *args = cJSON_AddObjectToObject(event, "args");
  cJSON_AddStringToObject(args, "op", task->op);
  cJSON_AddStringToObject(args, "shape", task->shape);
  if (*task->source != '\0') {
    cJSON_AddStringToObject(args, "source", task->source);
  }
  cJSON_AddStringToObject(args, "bound", podium_bound_name(task->bound));
  add_count(args, "flops", task->mxu_flop);
  add_count(args, "mxu_busy_flops", task->mxu_busy_flop);
  add_count(args, "vpu_ops", task->vpu_op);
  add_count(args, "hbm_read_bytes", task->hbm_read_bytes);
  add_count(args, "hbm_written_bytes", task->hbm_written_bytes);
  add_count(args, "vmem_bytes", task->vmem_bytes);
  add_count(args, "hbm_in_use_bytes", task->hbm_live_bytes);
}

static int lane_thread(int kind, int lane) {
  return (kind + 1) * THREAD_LANES + lane;
}

static void write_core(writer_t *writer, int index, trace_lanes_t *dma) {
  const podium_chip_class_t *class = &writer->profile->classes[index];
  for (int i = 0; i < class->event_count; i++) {
    const podium_task_event_t *from = &class->events[i];
    const podium_task_t *task = &writer->profile->tasks[from->task];
    const char *title = profile_task_title(writer->arena, writer->info, task);
    cJSON *event = trace_event("X", title, class->representative + 1, THREAD_CORE);
    cJSON_AddStringToObject(event, "cat", category_of(task->kind));
    trace_add_time(event, "ts", from->start_ps, 1000000);
    trace_add_time(event, "dur", from->duration_ps, 1000000);
    add_task_args(event, task);
    trace_write(&writer->events, event);
    const bool is_transfer = task->kind == PODIUM_TASK_TRANSFER_START;
    if (task->kind != PODIUM_TASK_PREFETCH_START && !is_transfer) {
      continue;
    }
    const int lane =
        trace_find_lane(dma, from->start_ps, from->start_ps + from->flight_ps);
    writer->lanes_dropped += lane < 0;
    if (lane >= 0) {
      event = trace_event("X", title, class->representative + 1, lane_thread(DMA, lane));
      cJSON_AddStringToObject(event, "cat", is_transfer ? "transfer" : "prefetch");
      trace_add_time(event, "ts", from->start_ps, 1000000);
      trace_add_time(event, "dur", from->flight_ps, 1000000);
      add_task_args(event, task);
      trace_write(&writer->events, event);
    }
  }
}

// --- Messages ---

// What on the receiver's core takes a message of `task` in, and when: the first of its
// waits that ends behind the arrival. NULL: it is not in the trace.
static const podium_task_event_t *find_receiver(const writer_t *writer,
                                                const podium_message_t *message,
                                                int64_t *out_at_ps) {
  const podium_profile_t *profile = writer->profile;
  const int index = profile->class_of_chip[message->to];
  if (index >= CLASSES_MAX) {
    return NULL;
  }
  const podium_chip_class_t *class = &profile->classes[index];
  const int partner = profile->tasks[message->task].partner;
  const int waits = partner >= 0 ? partner : message->task;
  const int64_t arrival_ps = message->start_ps + message->duration_ps;
  // Events are in order of start, and those of one task in order of end too.
  int low = 0, high = class->event_count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (class->events[middle].start_ps < message->start_ps) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  // A wait may have begun before the message did.
  for (;
       low > 0 && class->events[low - 1].start_ps + class->events[low - 1].duration_ps >=
                      message->start_ps;
       low--) {
  }
  enum { LOOK_AHEAD = 4096 };
  for (int i = low; i < class->event_count && i < low + LOOK_AHEAD; i++) {
    const podium_task_event_t *event = &class->events[i];
    const int64_t end_ps = event->start_ps + event->duration_ps;
    if (event->task == waits && end_ps >= message->start_ps) {
      int64_t at_ps = arrival_ps < event->start_ps ? event->start_ps : arrival_ps;
      at_ps = at_ps > end_ps ? end_ps : at_ps;
      if (at_ps >= message->start_ps) {
        *out_at_ps = at_ps;
        return event;
      }
    }
  }
  return NULL;
}

static void write_flow(writer_t *writer, const podium_message_t *message, int process,
                       int thread) {
  const podium_profile_t *profile = writer->profile;
  int64_t at_ps;
  if (find_receiver(writer, message, &at_ps) == NULL) {
    return;
  }
  const int receiver =
      profile->classes[profile->class_of_chip[message->to]].representative + 1;
  cJSON *event = trace_event("s", "message", process, thread);
  cJSON_AddStringToObject(event, "cat", "ICI");
  cJSON_AddNumberToObject(event, "id", (double)writer->flow);
  trace_add_time(event, "ts", message->start_ps, 1000000);
  trace_write(&writer->events, event);
  event = trace_event("f", "message", receiver, THREAD_CORE);
  cJSON_AddStringToObject(event, "cat", "ICI");
  cJSON_AddStringToObject(event, "bp", "e");
  cJSON_AddNumberToObject(event, "id", (double)writer->flow);
  trace_add_time(event, "ts", at_ps, 1000000);
  trace_write(&writer->events, event);
  writer->flow++;
}

static void write_messages(writer_t *writer, int index, trace_lanes_t *lanes) {
  const podium_chip_class_t *class = &writer->profile->classes[index];
  const int process = class->representative + 1;
  for (int i = 0; i < class->message_count; i++) {
    const podium_message_t *message = &class->messages[i];
    const podium_task_t *task = &writer->profile->tasks[message->task];
    const int kind = 1 + message->direction;
    const int lane = trace_find_lane(&lanes[kind], message->start_ps,
                                     message->start_ps + message->duration_ps);
    if (lane < 0) {
      writer->lanes_dropped++;
      continue;
    }
    const int thread = lane_thread(kind, lane);
    cJSON *event = trace_event("X", profile_task_title(writer->arena, writer->info, task),
                               process, thread);
    cJSON_AddStringToObject(event, "cat", "ICI");
    trace_add_time(event, "ts", message->start_ps, 1000000);
    trace_add_time(event, "dur", message->duration_ps, 1000000);
    cJSON *args = cJSON_AddObjectToObject(event, "args");
    cJSON_AddNumberToObject(args, "from", message->from);
    cJSON_AddNumberToObject(args, "to", message->to);
    cJSON_AddNumberToObject(args, "bytes", (double)message->size_bytes);
    trace_write(&writer->events, event);
    write_flow(writer, message, process, thread);
  }
}

// --- Counters ---

static void write_counter(writer_t *writer, const char *name, int process, int64_t at_ps,
                          const char *unit, int64_t value) {
  cJSON *event = trace_event("C", name, process, 0);
  trace_add_time(event, "ts", at_ps, 1000000);
  cJSON *args = cJSON_AddObjectToObject(event, "args");
  cJSON_AddNumberToObject(args, unit, (double)value);
  trace_write(&writer->events, event);
}

static void write_points(writer_t *writer, const char *name, int process,
                         const char *unit, const profile_counter_t *counter) {
  for (int i = 0; i < counter->count; i++) {
    write_counter(writer, name, process, counter->points[i].at_ps, unit,
                  counter->points[i].value);
  }
}

static void write_counters(writer_t *writer, const podium_chip_class_t *class,
                           int process) {
  const profile_counter_t hbm = profile_count_hbm(writer->arena, writer->profile, class);
  write_points(writer, "HBM in use", process, "bytes", &hbm);
  const profile_counter_t links = profile_count_busy_links(writer->arena, class);
  write_points(writer, "links busy", process, "links", &links);
}

// --- Processes ---

static void write_lane_names(writer_t *writer, int process, const trace_lanes_t *lanes) {
  static const char *const names[LANE_KINDS] = {
      "DMA",     "link +x", "link -x", "link +y", "link -y",
      "link +z", "link -z", "die",     "DCN out", "DCN in"};
  for (int kind = 0; kind < LANE_KINDS; kind++) {
    for (int lane = 0; lane < lanes[kind].count; lane++) {
      char name[64];
      if (lane == 0) {
        snprintf(name, sizeof(name), "%s", names[kind]);
      } else {
        snprintf(name, sizeof(name), "%s (%d)", names[kind], lane + 1);
      }
      const int thread = lane_thread(kind, lane);
      trace_write_name(&writer->events, "thread_name", process, thread, name, thread);
    }
  }
}

static void write_class(writer_t *writer, int index) {
  const podium_profile_t *profile = writer->profile;
  const podium_chip_class_t *class = &profile->classes[index];
  const int process = class->representative + 1;
  pod_text_t name = {0};
  const int x = profile->topology[0], y = profile->topology[1], z = profile->topology[2];
  const int place = class->representative / profile->core_count;
  pod_text_printf(&name, "chip %d (%d,%d,%d)", class->representative, place % x,
                  place / x % y, place / x / y % z);
  if (profile->core_count > 1) {
    pod_text_printf(&name, " core %d", class->representative % profile->core_count);
  }
  if (profile->slice_count > 1) {
    pod_text_printf(&name, " of slice %d", place / x / y / z);
  }
  pod_text_add(&name, ": predicted");
  if (class->chip_count > 1) {
    pod_text_printf(&name, ", like %d more", class->chip_count - 1);
  }
  trace_write_name(&writer->events, "process_name", process, 0, name.bytes, 0);
  trace_write_name(&writer->events, "thread_name", process, THREAD_CORE, "core",
                   THREAD_CORE);
  pod_text_deinit(&name);
  trace_lanes_t *lanes = pod_alloc(LANE_KINDS * sizeof(*lanes));
  write_core(writer, index, &lanes[DMA]);
  write_messages(writer, index, lanes);
  write_lane_names(writer, process, lanes);
  write_counters(writer, class, process);
  free(lanes);
}

static void write_host(writer_t *writer, const podium_host_profile_t *host) {
  const int process = host->chip + 1;
  char name[64];
  snprintf(name, sizeof(name), "chip %d: measured on its host", host->chip);
  trace_write_name(&writer->events, "process_name", process, 0, name, 0);
  trace_write_name(&writer->events, "thread_name", process, THREAD_CORE, "compute thread",
                   1);
  for (int i = 0; i < host->event_count; i++) {
    const podium_host_event_t *from = &host->events[i];
    const bool is_known =
        from->instruction >= 0 && from->instruction < writer->info->instruction_count;
    cJSON *event = trace_event(
        "X",
        is_known ? writer->info->instructions[from->instruction].name : "instruction",
        process, THREAD_CORE);
    cJSON_AddStringToObject(event, "cat", "host");
    trace_add_time(event, "ts", from->start_ns, 1000);
    trace_add_time(event, "dur", from->host_ns, 1000);
    trace_write(&writer->events, event);
  }
}

// --- The whole ---

static void write_end(const writer_t *writer) {
  const podium_profile_t *profile = writer->profile;
  int64_t dropped = writer->lanes_dropped;
  for (int i = 0; i < profile->class_count; i++) {
    const podium_chip_class_t *class = &profile->classes[i];
    dropped += class->events_dropped + class->messages_dropped;
    if (i >= CLASSES_MAX) {  // Without a process.
      dropped += class->event_count + class->message_count;
    }
  }
  cJSON *other = cJSON_CreateObject();
  cJSON_AddStringToObject(other, "program", profile->program);
  cJSON_AddStringToObject(other, "chip_kind", profile->chip_kind);
  cJSON_AddStringToObject(other, "topology", profile->topology_name);
  cJSON_AddNumberToObject(other, "chips", profile->chip_count);
  cJSON_AddNumberToObject(other, "events_left_out", (double)dropped);
  char *text = cJSON_PrintUnformatted(other);
  cli_output_add(writer->events.output, "\n],\"displayTimeUnit\":\"ns\",\"otherData\":");
  cli_output_add(writer->events.output, text);
  cli_output_add(writer->events.output, "}\n");
  free(text);
  cJSON_Delete(other);
}

// Writes what is between the brackets of a trace.
typedef void (*body_fn_t)(writer_t *writer);

static void write_classes(writer_t *writer) {
  const podium_profile_t *profile = writer->profile;
  for (int i = 0; i < profile->class_count && i < CLASSES_MAX; i++) {
    write_class(writer, i);
  }
}

static void write_hosts(writer_t *writer) {
  for (int i = 0; i < writer->profile->host_count; i++) {
    write_host(writer, &writer->profile->hosts[i]);
  }
}

static pod_status_t write_trace(const char *path, bool is_gzip,
                                const podium_program_info_t *info,
                                const podium_profile_t *profile, body_fn_t write_body) {
  writer_t writer = {.info = info, .profile = profile, .flow = 1};
  POD_TRY(cli_output_open(path, is_gzip, &writer.events.output));
  writer.arena = pod_arena_create();
  cli_output_add(writer.events.output, "{\"traceEvents\":[");
  write_body(&writer);
  write_end(&writer);
  pod_arena_destroy(writer.arena);
  return cli_output_close(writer.events.output);
}

pod_status_t cli_write_trace(const char *path, bool is_gzip,
                             const podium_program_info_t *info,
                             const podium_profile_t *profile) {
  return write_trace(path, is_gzip, info, profile, write_classes);
}

pod_status_t cli_write_host_trace(const char *path, const podium_program_info_t *info,
                                  const podium_profile_t *profile) {
  return write_trace(path, false, info, profile, write_hosts);
}
