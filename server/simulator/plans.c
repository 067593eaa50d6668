// Schedules in the clock's form. A chip's is drafted, hashed and kept once per shape:
// peers are displacements, so that chips which do the same elsewhere share it.

#include "server/simulator/plans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/list.h"
#include "common/base/memory.h"
#include "server/collective/traffic.h"

__extension__ typedef unsigned __int128 wide_t;

#define PS_PER_S UINT64_C(1000000000000)
#define TIME_LIMIT_PS (INT64_MAX / 4)

int64_t simulator_transfer_ps(int64_t bytes, double bytes_per_s) {
  const int64_t rate = llround(bytes_per_s);
  if (bytes <= 0) {
    return 0;
  }
  if (rate <= 0) {
    return TIME_LIMIT_PS;
  }
  const wide_t work = (wide_t)(uint64_t)bytes * PS_PER_S;
  const wide_t time_ps = (work + (uint64_t)rate - 1) / (uint64_t)rate;
  return time_ps > (wide_t)TIME_LIMIT_PS ? TIME_LIMIT_PS : (int64_t)time_ps;
}

static bool closes(const torus_t *torus, int dimension) {
  return torus->wraps[dimension] && torus->size[dimension] > 2;
}

simulator_displacement_t simulator_displacement(const torus_t *torus, int32_t from,
                                                int32_t to) {
  const torus_coords_t a = torus_coords(torus, from);
  const torus_coords_t b = torus_coords(torus, to);
  simulator_displacement_t displacement;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    displacement.by[d] = b.at[d] - a.at[d];
    if (closes(torus, d) && displacement.by[d] < 0) {
      displacement.by[d] += torus->size[d];
    }
  }
  const int32_t slices = torus_slice_total(torus), cores = torus_core_total(torus);
  displacement.slices = (b.slice - a.slice + slices) % slices;
  displacement.cores = (b.core - a.core + cores) % cores;
  return displacement;
}

int32_t simulator_displaced(const torus_t *torus, int32_t chip,
                            simulator_displacement_t displacement) {
  torus_coords_t coords = torus_coords(torus, chip);
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    coords.at[d] += displacement.by[d];
    if (closes(torus, d)) {
      coords.at[d] %= torus->size[d];
    }
  }
  coords.slice = (coords.slice + displacement.slices) % torus_slice_total(torus);
  coords.core = (coords.core + displacement.cores) % torus_core_total(torus);
  return torus_contains(torus, coords) ? torus_chip_at(torus, coords) : -1;
}

// --- Shapes ---

// A shape being made: reused from chip to chip, copied when it is new.
typedef struct draft_t {
  simulator_shape_t shape;  // Its lists when it is done.
  POD_LIST(simulator_lane_t) lanes;
  POD_LIST(simulator_step_t) steps;
  POD_LIST(simulator_displacement_t) peers;
  POD_LIST(int32_t) peer_chips;  // By peer.
  int32_t *peer_of_chip;         // Index of the peer + 1; 0: none yet.
  collective_room_t room;
  int64_t sent_bytes, sent_ps;    // The last message's: most are alike.
  int64_t moved_bytes, moved_ps;  // To and from HBM, for it.
  int64_t breadth;                // Of the schedule.
  POD_LIST(int64_t) ends_ps;      // By lane: no earlier it ends.
} draft_t;

static void draft_clear(draft_t *draft) {
  for (int32_t i = 0; i < draft->peer_chips.count; i++) {
    draft->peer_of_chip[draft->peer_chips.items[i]] = 0;
  }
  pod_list_clear(&draft->lanes);
  pod_list_clear(&draft->ends_ps);
  pod_list_clear(&draft->steps);
  pod_list_clear(&draft->peers);
  pod_list_clear(&draft->peer_chips);
  draft->shape = (simulator_shape_t){0};
}

// The shape, which borrows the draft's lists.
static simulator_shape_t *draft_end(draft_t *draft) {
  simulator_shape_t *shape = &draft->shape;
  shape->lane_count = draft->lanes.count;
  shape->lanes = draft->lanes.items;
  shape->step_count = draft->steps.count;
  shape->steps = draft->steps.items;
  shape->peer_count = draft->peers.count;
  shape->peers = draft->peers.items;
  return shape;
}

static void draft_deinit(draft_t *draft) {
  pod_list_deinit(&draft->lanes);
  pod_list_deinit(&draft->ends_ps);
  pod_list_deinit(&draft->steps);
  pod_list_deinit(&draft->peers);
  pod_list_deinit(&draft->peer_chips);
  free(draft->peer_of_chip);
  collective_room_deinit(&draft->room);
}

static int32_t draft_peer(draft_t *draft, const torus_t *torus, int32_t chip,
                          int32_t peer) {
  if (peer == COLLECTIVE_NONE) {
    return -1;
  }
  if (draft->peer_of_chip[peer] != 0) {
    return draft->peer_of_chip[peer] - 1;
  }
  *pod_list_add(&draft->peers) = simulator_displacement(torus, chip, peer);
  *pod_list_add(&draft->peer_chips) = peer;
  draft->peer_of_chip[peer] = draft->peers.count;
  return draft->peers.count - 1;
}

static int64_t hbm_ps(const chip_spec_t *spec, int64_t bytes) {
  return simulator_transfer_ps(bytes, spec->hbm_bytes_per_s * spec->hbm_fraction);
}

// The message of a step: as long as the link takes for it, or HBM for all that the chip
// sends and receives meanwhile.
static int64_t message_ps(draft_t *draft, const chip_spec_t *spec,
                          const collective_step_t *step) {
  if (step->source_bytes != draft->sent_bytes) {
    draft->sent_bytes = step->source_bytes;
    draft->sent_ps = simulator_transfer_ps(step->source_bytes, spec->ici_bytes_per_s);
  }
  const int64_t bytes = collective_step_hbm_bytes(step);
  if (bytes != draft->moved_bytes) {
    draft->moved_bytes = bytes;
    draft->moved_ps = hbm_ps(spec, draft->breadth * bytes);
  }
  return draft->sent_ps > draft->moved_ps ? draft->sent_ps : draft->moved_ps;
}

static void draft_step(draft_t *draft, const chip_spec_t *spec, const torus_t *torus,
                       int32_t chip, const collective_step_t *step) {
  simulator_shape_t *shape = &draft->shape;
  simulator_step_t made = {
      .tag = step->tag, .lane = draft->lanes.count, .send_peer = -1, .receive_peer = -1};
  if (step->kind == COLLECTIVE_TRANSFER) {
    made.send_peer = draft_peer(draft, torus, chip, step->send_to);
    made.receive_peer = draft_peer(draft, torus, chip, step->receive_from);
    if (step->send_to != COLLECTIVE_NONE) {
      made.send_bytes = step->source_bytes;
      made.send_ps = message_ps(draft, spec, step);
    }
    shape->has_transfers = true;
  } else if (step->kind == COLLECTIVE_REORDER) {
    return;
  } else {
    made.is_local = true;
    made.local_ps = hbm_ps(spec, collective_step_hbm_bytes(step));
    const bool reads_operand =
        step->kind == COLLECTIVE_COPY && step->source_buffer == COLLECTIVE_INPUT;
    if (reads_operand || step->kind == COLLECTIVE_ZERO) {
      return;
    }
  }
  *pod_list_add(&draft->steps) = made;
}

static int64_t summed(int64_t a, int64_t b) {
  return a + b < TIME_LIMIT_PS ? a + b : TIME_LIMIT_PS;
}

// When a lane ends at the earliest, counted from the beginning.
static int64_t end_of(const draft_t *draft, const simulator_lane_t *lane) {
  int64_t start_ps = 0, taken_ps = 0;
  for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
    const int64_t after_ps =
        lane->after[a] < 0 ? 0 : draft->ends_ps.items[lane->after[a]];
    start_ps = after_ps > start_ps ? after_ps : start_ps;
  }
  for (int32_t s = 0; s < lane->step_count; s++) {
    const simulator_step_t *step = &draft->steps.items[lane->first_step + s];
    taken_ps = summed(taken_ps, step->send_ps + step->local_ps);
  }
  return summed(start_ps, taken_ps);
}

static void draft_lane(draft_t *draft, const simulator_lane_t *lane) {
  simulator_shape_t *shape = &draft->shape;
  for (int32_t s = 0; s + 1 < lane->step_count; s++) {
    simulator_step_t *step = &draft->steps.items[lane->first_step + s];
    step->is_sent_on = !step->is_local && !step[1].is_local;
  }
  const int64_t end_ps = end_of(draft, lane);
  *pod_list_add(&draft->ends_ps) = end_ps;
  *pod_list_add(&draft->lanes) = *lane;
  shape->span_ps = end_ps > shape->span_ps ? end_ps : shape->span_ps;
}

// Adds the lanes of a schedule behind those that are there: the operands of one
// instruction run side by side.
static void draft_schedule(draft_t *draft, const chip_spec_t *spec, const torus_t *torus,
                           int32_t chip, const collective_schedule_t *schedule) {
  simulator_shape_t *shape = &draft->shape;
  const int32_t first_lane = draft->lanes.count;
  int64_t bytes = 0;
  draft->breadth = collective_breadth(schedule);
  draft->moved_bytes = -1;
  for (int32_t i = 0; i < schedule->lane_count; i++) {
    const collective_lane_t *from = &schedule->lanes[i];
    simulator_lane_t lane = {.first_step = draft->steps.count};
    for (int32_t s = 0; s < from->step_count; s++) {
      const collective_step_t *step = &schedule->steps[from->first_step + s];
      draft_step(draft, spec, torus, chip, step);
      bytes += collective_step_hbm_bytes(step);
    }
    lane.step_count = draft->steps.count - lane.first_step;
    for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
      const bool waits = from->after[a] != COLLECTIVE_NONE;
      lane.after[a] = waits ? first_lane + from->after[a] : -1;
      shape->has_after |= waits;
    }
    draft_lane(draft, &lane);
  }
  shape->hbm_ps = summed(shape->hbm_ps, hbm_ps(spec, bytes));
}

static uint64_t hashed(uint64_t hash, const void *data, size_t size_bytes) {
  const uint8_t *bytes = data;
  for (size_t i = 0; i + 4 <= size_bytes; i += 4) {
    uint32_t word;
    memcpy(&word, bytes + i, sizeof(word));
    hash = simulator_mix(hash, word);
  }
  return hash;
}

static uint64_t hash_of(const simulator_shape_t *shape) {
  uint64_t hash = hashed((uint64_t)shape->hbm_ps, shape->peers,
                         (size_t)shape->peer_count * sizeof(*shape->peers));
  hash = hashed(hash, shape->lanes, (size_t)shape->lane_count * sizeof(*shape->lanes));
  for (int32_t i = 0; i < shape->step_count; i++) {
    const simulator_step_t *step = &shape->steps[i];
    hash = simulator_mix(hash, (uint64_t)step->send_bytes);
    const uint32_t peers =
        (uint32_t)(step->send_peer + 1) * 31 + (uint32_t)(step->receive_peer + 1);
    hash = simulator_mix(
        hash, (uint64_t)step->local_ps ^ ((uint64_t)peers << 32) ^ (uint32_t)step->tag);
  }
  return hash;
}

static bool same_steps(const simulator_shape_t *a, const simulator_shape_t *b) {
  for (int32_t i = 0; i < a->step_count; i++) {
    const simulator_step_t *x = &a->steps[i];
    const simulator_step_t *y = &b->steps[i];
    if (x->send_bytes != y->send_bytes || x->send_ps != y->send_ps ||
        x->local_ps != y->local_ps || x->tag != y->tag || x->send_peer != y->send_peer ||
        x->receive_peer != y->receive_peer || x->is_local != y->is_local) {
      return false;
    }
  }
  return true;
}

static bool same_shape(const simulator_shape_t *a, const simulator_shape_t *b) {
  return a->hash == b->hash && a->lane_count == b->lane_count &&
         a->step_count == b->step_count && a->peer_count == b->peer_count &&
         a->hbm_ps == b->hbm_ps && a->span_ps == b->span_ps &&
         (a->lane_count == 0 ||
          memcmp(a->lanes, b->lanes, (size_t)a->lane_count * sizeof(*a->lanes)) == 0) &&
         (a->peer_count == 0 ||
          memcmp(a->peers, b->peers, (size_t)a->peer_count * sizeof(*a->peers)) == 0) &&
         same_steps(a, b);
}

bool simulator_shape_has_peers_of(const simulator_shape_t *a,
                                  const simulator_shape_t *b) {
  return a == b ||
         (a->peer_count == b->peer_count &&
          (a->peer_count == 0 ||
           memcmp(a->peers, b->peers, (size_t)a->peer_count * sizeof(*a->peers)) == 0));
}

static uint32_t shape_slot(const simulator_plans_t *plans,
                           const simulator_shape_t *shape) {
  uint32_t slot = (uint32_t)(shape->hash >> 32) & (plans->shape_table_size - 1);
  while (plans->shape_table[slot] != 0 &&
         !same_shape(plans->shapes.items[plans->shape_table[slot] - 1], shape)) {
    slot = (slot + 1) & (plans->shape_table_size - 1);
  }
  return slot;
}

static void shape_table_grow(simulator_plans_t *plans) {
  free(plans->shape_table);
  plans->shape_table_size =
      plans->shape_table_size == 0 ? 64 : 2 * plans->shape_table_size;
  plans->shape_table = pod_alloc(plans->shape_table_size * sizeof(*plans->shape_table));
  for (int32_t i = 0; i < plans->shapes.count; i++) {
    plans->shape_table[shape_slot(plans, plans->shapes.items[i])] = i + 1;
  }
}

static int32_t keep_shape(simulator_plans_t *plans, simulator_shape_t *draft) {
  draft->hash = hash_of(draft);
  if (2 * (uint32_t)plans->shapes.count >= plans->shape_table_size) {
    shape_table_grow(plans);
  }
  const uint32_t slot = shape_slot(plans, draft);
  if (plans->shape_table[slot] != 0) {
    return plans->shape_table[slot] - 1;
  }
  simulator_shape_t *kept = pod_arena_copy(plans->arena, draft, sizeof(*draft));
  kept->lanes = pod_arena_copy(plans->arena, draft->lanes,
                               (size_t)draft->lane_count * sizeof(*draft->lanes));
  kept->steps = pod_arena_copy(plans->arena, draft->steps,
                               (size_t)draft->step_count * sizeof(*draft->steps));
  kept->peers = pod_arena_copy(plans->arena, draft->peers,
                               (size_t)draft->peer_count * sizeof(*draft->peers));
  *pod_list_add(&plans->shapes) = kept;
  plans->shape_table[slot] = plans->shapes.count;
  return plans->shapes.count - 1;
}

// --- Requests ---

// What the operands of one instruction are planned by.
typedef struct planners_t {
  pod_arena_t *arena;
  int32_t count;
  collective_request_t *requests;
  collective_planner_t **planners;
} planners_t;

static pod_status_t planners_init(planners_t *planners, const chip_program_t *program,
                                  const chip_instruction_t *instruction,
                                  const chip_spec_t *spec, const torus_t *torus) {
  const size_t count = (size_t)instruction->operand_count + 1;
  pod_arena_t *arena = pod_arena_create();
  *planners = (planners_t){
      .arena = arena,
      .count = instruction->operand_count,
      .requests = pod_arena_array(arena, count, sizeof(*planners->requests)),
      .planners = pod_arena_array(arena, count, sizeof(planners->planners[0]))};
  for (int32_t i = 0; i < planners->count; i++) {
    collective_request_of_transfer(program, instruction, i, &planners->requests[i]);
    planners->requests[i].spec = spec;
    POD_TRY(collective_planner_create(&planners->requests[i], torus, arena,
                                      &planners->planners[i]));
  }
  return NULL;
}

// *out_is_alike: all chips of the group do what this one does.
static pod_status_t plan_chip(const planners_t *planners, const chip_spec_t *spec,
                              const torus_t *torus, int32_t chip, draft_t *draft,
                              bool *out_is_alike) {
  *out_is_alike = planners->count > 0;
  for (int32_t i = 0; i < planners->count; i++) {
    collective_schedule_t schedule;
    POD_TRY(
        collective_planner_look(planners->planners[i], chip, &draft->room, &schedule));
    draft_schedule(draft, spec, torus, chip, &schedule);
    *out_is_alike &= schedule.claims.alike_chips;
  }
  return NULL;
}

static bool has_alike_groups(const planners_t *planners) {
  for (int32_t i = 0; i < planners->count; i++) {
    if (!collective_planner_has_alike_groups(planners->planners[i])) {
      return false;
    }
  }
  return true;
}

static bool has_chip(const planners_t *planners, int32_t chip) {
  for (int32_t i = 0; i < planners->count; i++) {
    if (!collective_planner_has(planners->planners[i], chip)) {
      return false;
    }
  }
  return true;
}

static pod_status_t check_wanted(const simulator_plans_t *plans) {
  return plans->is_cancelled != NULL &&
                 atomic_load_explicit(plans->is_cancelled, memory_order_relaxed)
             ? pod_error(POD_CANCELLED, "the simulation was given up")
             : NULL;
}

static pod_status_t plan_all_chips(simulator_plans_t *plans,
                                   const chip_program_t *program,
                                   const chip_instruction_t *instruction,
                                   const chip_spec_t *spec, int32_t *shape_of_chip) {
  draft_t draft = {.peer_of_chip = pod_alloc((size_t)torus_chip_count(plans->torus) *
                                             sizeof(*draft.peer_of_chip))};
  planners_t planners;
  int32_t alike = -1;  // The shape of all chips, once it is known.
  pod_status_t status =
      planners_init(&planners, program, instruction, spec, plans->torus);
  for (int32_t chip = 0; chip < plans->chip_count && status == NULL; chip++) {
    if (!plans->runs[chip]) {
      continue;
    }
    if (alike >= 0 && has_chip(&planners, chip)) {
      shape_of_chip[chip] = alike;
      continue;
    }
    bool is_alike = false;
    draft_clear(&draft);
    status = check_wanted(plans);
    if (status != NULL) {
      break;
    }
    status = plan_chip(&planners, spec, plans->torus, chip, &draft, &is_alike);
    if (status == NULL) {
      shape_of_chip[chip] = keep_shape(plans, draft_end(&draft));
      alike = is_alike && has_alike_groups(&planners) ? shape_of_chip[chip] : -1;
    }
  }
  pod_arena_destroy(planners.arena);
  draft_deinit(&draft);
  return pod_status_context(status, "%s (%s)", instruction->name, instruction->source);
}

static bool same_attr(const chip_instruction_t *a, const chip_instruction_t *b,
                      chip_attr_key_t key) {
  int32_t a_count;
  int32_t b_count;
  const int64_t *x = chip_instruction_attr(a, key, &a_count);
  const int64_t *y = chip_instruction_attr(b, key, &b_count);
  return a_count == b_count &&
         (x == y || a_count == 0 || memcmp(x, y, (size_t)a_count * sizeof(*x)) == 0);
}

// The same transfers: as the planner sees it.
static bool same_collective(const chip_program_t *program, const chip_instruction_t *a,
                            const chip_instruction_t *b) {
  if (a->op != b->op || a->operand_count != b->operand_count ||
      (a->call_count > 0) != (b->call_count > 0)) {
    return false;
  }
  for (int32_t i = 0; i < a->operand_count; i++) {
    const tensor_shape_t *x = &program->buffers[a->operands[i]].shape;
    const tensor_shape_t *y = &program->buffers[b->operands[i]].shape;
    if (x->dtype != y->dtype || tensor_shape_elements(x) != tensor_shape_elements(y)) {
      return false;
    }
  }
  return same_attr(a, b, CHIP_ATTR_COLLECTIVE_ALGORITHM) &&
         same_attr(a, b, CHIP_ATTR_REDUCER) && same_attr(a, b, CHIP_ATTR_GROUP_SIZE) &&
         same_attr(a, b, CHIP_ATTR_REPLICA_GROUPS) &&
         same_attr(a, b, CHIP_ATTR_SOURCE_TARGET_PAIRS);
}

static bool is_collective_task(const chip_task_t *task) {
  return task->kind == CHIP_TASK_COLLECTIVE || task->kind == CHIP_TASK_COLLECTIVE_START;
}

static pod_status_t plan_program(simulator_plans_t *plans, const chip_program_t *program,
                                 const chip_spec_t *spec) {
  // The first instruction of each plan: a program has few distinct collectives.
  int32_t *firsts =
      pod_arena_array(plans->arena, (size_t)program->task_count + 1, sizeof(*firsts));
  plans->plans = pod_arena_array(plans->arena, (size_t)program->task_count + 1,
                                 sizeof(*plans->plans));
  for (int32_t t = 0; t < program->task_count; t++) {
    const int32_t index = program->tasks[t].instruction;
    if (!is_collective_task(&program->tasks[t]) ||
        plans->plan_of_instruction[index] >= 0) {
      continue;
    }
    const chip_instruction_t *instruction = &program->instructions[index];
    int32_t plan = 0;
    while (plan < plans->plan_count &&
           !same_collective(program, &program->instructions[firsts[plan]], instruction)) {
      plan++;
    }
    if (plan == plans->plan_count) {
      firsts[plan] = index;
      plans->plans[plan].shape_of_chip =
          pod_arena_array(plans->arena, (size_t)plans->chip_count + 1, sizeof(int32_t));
      POD_TRY(plan_all_chips(plans, program, instruction, spec,
                             plans->plans[plan].shape_of_chip));
      plans->plan_count++;
    }
    plans->plan_of_instruction[index] = plan;
  }
  return NULL;
}

pod_status_t simulator_plans_init(simulator_plans_t *plans, const chip_program_t *program,
                                  const chip_spec_t *spec, const torus_t *torus,
                                  const atomic_bool *is_cancelled) {
  *plans = (simulator_plans_t){.is_cancelled = is_cancelled,
                               .arena = pod_arena_create(),
                               .spec = spec,
                               .torus = torus,
                               .chip_count = torus_chip_count(torus)};
  plans->runs =
      pod_arena_array(plans->arena, (size_t)plans->chip_count, sizeof(*plans->runs));
  for (int32_t i = 0; i < plans->chip_count; i++) {
    plans->runs[i] = program->mesh == NULL || mesh_position(program->mesh, i) >= 0;
  }
  plans->plan_of_instruction =
      pod_arena_array(plans->arena, (size_t)program->instruction_count + 1,
                      sizeof(*plans->plan_of_instruction));
  for (int32_t i = 0; i < program->instruction_count; i++) {
    plans->plan_of_instruction[i] = -1;
  }
  const pod_status_t status = plan_program(plans, program, spec);
  if (status != NULL) {
    simulator_plans_deinit(plans);
  }
  return status;
}

void simulator_plans_deinit(simulator_plans_t *plans) {
  pod_arena_destroy(plans->arena);
  pod_list_deinit(&plans->shapes);
  free(plans->shape_table);
  *plans = (simulator_plans_t){0};
}

const simulator_shape_t *simulator_plans_shape(const simulator_plans_t *plans,
                                               int32_t plan, int32_t chip) {
  return plans->shapes.items[plans->plans[plan].shape_of_chip[chip]];
}
