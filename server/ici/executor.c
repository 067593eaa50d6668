// A state per lane: it waits for lanes before it, stands at a transfer, or is done.
// Local steps run as soon as what they wait for is there, in the order of the schedule,
// so that a reduction's order never depends on arrival.

#include "server/ici/executor.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"

enum {
  BOUNCE_BYTES = 4096,
  ALIGNMENT = 16,
  PART_BYTES = 1 << 20,  // Of a local step, between two looks.
};

static const uint8_t *readable(const collective_executor_t *executor, uint8_t buffer) {
  switch (buffer) {
    case COLLECTIVE_INPUT:
      return executor->buffers.input;
    case COLLECTIVE_OUTPUT:
      return executor->buffers.output;
    default:
      return executor->buffers.scratch;
  }
}

static uint8_t *writable(const collective_executor_t *executor, uint8_t buffer) {
  POD_CHECK(buffer != COLLECTIVE_INPUT);
  return buffer == COLLECTIVE_OUTPUT ? executor->buffers.output
                                     : executor->buffers.scratch;
}

static const collective_step_t *step_of(const collective_executor_t *executor,
                                        int32_t lane) {
  return &executor->schedule->steps[executor->lanes[lane].step];
}

static void reduce(const collective_executor_t *executor, void *target, const void *a,
                   const void *b, int64_t size_bytes) {
  const collective_schedule_t *schedule = executor->schedule;
  POD_CHECK(executor->combine != NULL);
  executor->combine(schedule->reducer, schedule->dtype, target, a, b,
                    size_bytes / (int64_t)tensor_dtype_bytes(schedule->dtype));
}

static int32_t first_index(const collective_reorder_t *by, int32_t i) {
  if (by->turn == 0) {
    return i;
  }
  return (by->first + (by->is_descending ? by->turn - i : i)) % by->turn;
}

// Where a row of pieces lies among the blocks: those of the last count.
typedef struct row_t {
  const collective_reorder_t *by;
  int32_t first;  // Of the blocks.
} row_t;

static row_t row_at(const collective_reorder_t *by, int64_t index) {
  const int32_t i = first_index(by, (int32_t)(index / by->count[1]));
  const int32_t j = (int32_t)(index % by->count[1]);
  return (row_t){by, i * by->stride[0] + j * by->stride[1]};
}

static int64_t place_of(const row_t *row, int64_t k) {
  const int32_t at = row->first + (int32_t)k * row->by->stride[2];
  const int64_t block = row->by->members == NULL ? at : row->by->members[at];
  return block * row->by->block_bytes + row->by->piece_offset;
}

// The packed bytes from `done` to `end`.
static void reorder(const collective_reorder_t *by, uint8_t *target,
                    const uint8_t *source, int64_t done, int64_t end) {
  const int64_t row_bytes = by->count[2] * by->piece_bytes;
  while (done < end) {
    const row_t row = row_at(by, done / row_bytes);
    const int64_t row_end = (done / row_bytes + 1) * row_bytes;
    int64_t k = done % row_bytes / by->piece_bytes;
    int64_t within = done % by->piece_bytes;
    for (int64_t bytes; done < row_end && done < end; done += bytes, k++, within = 0) {
      bytes =
          by->piece_bytes - within < end - done ? by->piece_bytes - within : end - done;
      const int64_t place = place_of(&row, k) + within;
      memcpy(target + (by->unpacks ? place : done), source + (by->unpacks ? done : place),
             (size_t)bytes);
    }
  }
}

static void run_part(const collective_executor_t *executor, const collective_step_t *step,
                     int64_t done, int64_t end) {
  uint8_t *target = writable(executor, step->target_buffer) + step->target_offset;
  if (step->kind == COLLECTIVE_ZERO) {
    memset(target + done, 0, (size_t)(end - done));
    return;
  }
  const uint8_t *source = readable(executor, step->source_buffer) + step->source_offset;
  if (step->kind == COLLECTIVE_COPY) {
    memmove(target + done, source + done, (size_t)(end - done));
    return;
  }
  if (step->kind == COLLECTIVE_REORDER) {
    reorder(&executor->schedule->reorders[step->with_offset], target, source, done, end);
    return;
  }
  const uint8_t *with = readable(executor, step->with_buffer) + step->with_offset;
  reduce(executor, target + done, source + done, with + done, end - done);
}

static bool is_called(const collective_executor_t *executor) {
  return executor->call.is_wanted != NULL &&
         executor->call.is_wanted(executor->call.context);
}

// One that overlaps what it is copied to is moved whole.
static int64_t part_bytes(const collective_step_t *step) {
  const bool overlaps = step->kind == COLLECTIVE_COPY &&
                        step->target_buffer == step->source_buffer &&
                        step->target_offset < step->source_offset + step->target_bytes &&
                        step->source_offset < step->target_offset + step->target_bytes;
  return overlaps ? step->target_bytes : PART_BYTES;
}

// False: it has been left.
static bool run_local(const collective_executor_t *executor,
                      const collective_step_t *step, collective_progress_t *progress) {
  const int64_t size_bytes = step->target_bytes, most = part_bytes(step);
  while (progress->done_bytes < size_bytes) {
    const int64_t left = size_bytes - progress->done_bytes;
    const int64_t end = progress->done_bytes + (left < most ? left : most);
    run_part(executor, step, progress->done_bytes, end);
    progress->done_bytes = end;
    if (end < size_bytes && is_called(executor)) {
      return false;
    }
  }
  progress->done_bytes = 0;
  return true;
}

static bool is_finished(const collective_step_t *step,
                        const collective_progress_t *progress) {
  const bool is_sent =
      step->send_to == COLLECTIVE_NONE || progress->sent_bytes == step->source_bytes;
  const bool is_received = step->receive_from == COLLECTIVE_NONE ||
                           progress->received_bytes == step->target_bytes;
  return is_sent && is_received;
}

// Runs a lane's local steps until it stands at an unfinished transfer or at its end, or
// the thread is called.
static void advance(collective_executor_t *executor, int32_t lane) {
  const collective_lane_t *range = &executor->schedule->lanes[lane];
  collective_progress_t *progress = &executor->lanes[lane];
  const int32_t end = range->first_step + range->step_count;
  while (progress->step < end) {
    const collective_step_t *step = step_of(executor, lane);
    if (step->kind == COLLECTIVE_TRANSFER ? !is_finished(step, progress)
                                          : !run_local(executor, step, progress)) {
      return;
    }
    progress->step++;
    progress->sent_bytes = 0;
    progress->received_bytes = 0;
  }
  progress->state = COLLECTIVE_LANE_DONE;
  executor->lanes_left--;
}

static bool may_start(const collective_executor_t *executor, int32_t lane) {
  for (int i = 0; i < COLLECTIVE_AFTER_MAX; i++) {
    const int32_t after = executor->schedule->lanes[lane].after[i];
    if (after != COLLECTIVE_NONE &&
        executor->lanes[after].state != COLLECTIVE_LANE_DONE) {
      return false;
    }
  }
  return true;
}

// A lane waits only for lower ones, so one walk upwards starts all that can.
static void start_waiting(collective_executor_t *executor) {
  for (int32_t lane = 0; lane < executor->schedule->lane_count; lane++) {
    collective_progress_t *progress = &executor->lanes[lane];
    if (progress->state == COLLECTIVE_LANE_WAITING && may_start(executor, lane)) {
      progress->state = COLLECTIVE_LANE_RUNNING;
      progress->step = executor->schedule->lanes[lane].first_step;
      advance(executor, lane);
    }
  }
}

static void move_on(collective_executor_t *executor, int32_t lane) {
  advance(executor, lane);
  if (executor->lanes[lane].state == COLLECTIVE_LANE_DONE && executor->lanes_left > 0) {
    start_waiting(executor);
  }
}

pod_status_t collective_executor_init(collective_executor_t *executor,
                                      const collective_schedule_t *schedule,
                                      const collective_buffers_t *buffers,
                                      collective_combine_fn_t combine,
                                      collective_call_t call) {
  *executor = (collective_executor_t){.schedule = schedule,
                                      .buffers = *buffers,
                                      .combine = combine,
                                      .call = call,
                                      .lanes_left = schedule->lane_count};
  if (schedule->lane_count == 0) {
    return NULL;
  }
  executor->lanes = calloc((size_t)schedule->lane_count, sizeof(*executor->lanes));
  if (executor->lanes == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "out of host memory");
  }
  start_waiting(executor);
  return NULL;
}

void collective_executor_deinit(collective_executor_t *executor) {
  free(executor->lanes);
  executor->lanes = NULL;
}

bool collective_executor_is_done(const collective_executor_t *executor) {
  return executor->lanes_left == 0;
}

static bool is_left(const collective_executor_t *executor, int32_t lane) {
  return executor->lanes[lane].state == COLLECTIVE_LANE_RUNNING &&
         step_of(executor, lane)->kind != COLLECTIVE_TRANSFER;
}

bool collective_executor_is_left(const collective_executor_t *executor) {
  for (int32_t lane = 0; lane < executor->schedule->lane_count; lane++) {
    if (is_left(executor, lane)) {
      return true;
    }
  }
  return false;
}

void collective_executor_go_on(collective_executor_t *executor) {
  for (int32_t lane = 0; lane < executor->schedule->lane_count; lane++) {
    if (is_left(executor, lane)) {
      move_on(executor, lane);
    }
  }
}

const collective_step_t *collective_executor_step(const collective_executor_t *executor,
                                                  int32_t lane) {
  const bool is_at_transfer =
      executor->lanes[lane].state == COLLECTIVE_LANE_RUNNING && !is_left(executor, lane);
  return is_at_transfer ? step_of(executor, lane) : NULL;
}

int64_t collective_executor_unsent(const collective_executor_t *executor, int32_t lane,
                                   const uint8_t **out_bytes) {
  const collective_step_t *step = collective_executor_step(executor, lane);
  if (step == NULL || step->send_to == COLLECTIVE_NONE) {
    return 0;
  }
  const int64_t sent_bytes = executor->lanes[lane].sent_bytes;
  *out_bytes = readable(executor, step->source_buffer) + step->source_offset + sent_bytes;
  return step->source_bytes - sent_bytes;
}

void collective_executor_sent(collective_executor_t *executor, int32_t lane,
                              int64_t size_bytes) {
  executor->lanes[lane].sent_bytes += size_bytes;
  move_on(executor, lane);
}

// Reduces from a payload that need not be aligned.
static void take_reduced(const collective_executor_t *executor,
                         const collective_step_t *step, int64_t offset,
                         const uint8_t *payload, int64_t size_bytes) {
  uint8_t *target =
      writable(executor, step->target_buffer) + step->target_offset + offset;
  const uint8_t *with =
      readable(executor, step->with_buffer) + step->with_offset + offset;
  if ((uintptr_t)payload % ALIGNMENT == 0) {
    reduce(executor, target, payload, with, size_bytes);
    return;
  }
  _Alignas(ALIGNMENT) uint8_t bounce[BOUNCE_BYTES];
  for (int64_t done = 0; done < size_bytes; done += BOUNCE_BYTES) {
    const int64_t left = size_bytes - done;
    const int64_t piece = left < BOUNCE_BYTES ? left : BOUNCE_BYTES;
    memcpy(bounce, payload + done, (size_t)piece);
    reduce(executor, target + done, bounce, with + done, piece);
  }
}

// What a frame is to a lane, by tag alone.
static collective_arrival_t judge(const collective_executor_t *executor, int32_t lane,
                                  int32_t tag) {
  if (lane < 0 || lane >= executor->schedule->lane_count) {
    return COLLECTIVE_ARRIVAL_WRONG;
  }
  switch (executor->lanes[lane].state) {
    case COLLECTIVE_LANE_WAITING:
      return COLLECTIVE_ARRIVAL_EARLY;
    case COLLECTIVE_LANE_DONE:
      return COLLECTIVE_ARRIVAL_WRONG;
    default:
      break;
  }
  if (is_left(executor, lane)) {
    return COLLECTIVE_ARRIVAL_EARLY;
  }
  const int32_t current = step_of(executor, lane)->tag;
  if (tag == current) {
    return COLLECTIVE_ARRIVAL_TAKEN;
  }
  return tag > current ? COLLECTIVE_ARRIVAL_EARLY : COLLECTIVE_ARRIVAL_WRONG;
}

collective_arrival_t collective_executor_receive(collective_executor_t *executor,
                                                 int32_t lane, int32_t tag,
                                                 int32_t source, int64_t offset,
                                                 const void *payload,
                                                 int64_t size_bytes) {
  const collective_arrival_t arrival = judge(executor, lane, tag);
  if (arrival != COLLECTIVE_ARRIVAL_TAKEN) {
    return arrival;
  }
  const collective_step_t *step = step_of(executor, lane);
  const int64_t received = executor->lanes[lane].received_bytes;
  const int64_t element_bytes = (int64_t)tensor_dtype_bytes(executor->schedule->dtype);
  if (step->receive_from != source || offset != received || size_bytes <= 0 ||
      size_bytes > step->target_bytes - received || size_bytes % element_bytes != 0) {
    return COLLECTIVE_ARRIVAL_WRONG;
  }
  if (step->reduces) {
    take_reduced(executor, step, offset, payload, size_bytes);
  } else {
    uint8_t *target = writable(executor, step->target_buffer);
    memcpy(target + step->target_offset + offset, payload, (size_t)size_bytes);
  }
  collective_executor_received(executor, lane, size_bytes);
  return COLLECTIVE_ARRIVAL_TAKEN;
}

uint8_t *collective_executor_place(const collective_executor_t *executor, int32_t lane,
                                   int64_t *out_size_bytes) {
  const collective_step_t *step = collective_executor_step(executor, lane);
  *out_size_bytes = 0;
  if (step == NULL || step->receive_from == COLLECTIVE_NONE || step->reduces) {
    return NULL;
  }
  const int64_t received = executor->lanes[lane].received_bytes;
  *out_size_bytes = step->target_bytes - received;
  return writable(executor, step->target_buffer) + step->target_offset + received;
}

void collective_executor_received(collective_executor_t *executor, int32_t lane,
                                  int64_t size_bytes) {
  executor->lanes[lane].received_bytes += size_bytes;
  move_on(executor, lane);
}
