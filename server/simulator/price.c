// A program of one task, run by the clock; and what has been asked for, by the requests
// that the planner would see.
//
// Groups that are blocks of the torus, without gaps, keep to links of their own: no route
// between two chips of a block leaves it. When all groups are the same block but for
// where it lies, one of them is run by itself, on a torus of its size.

#include "server/simulator/price.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/simulator/simulator.h"

enum {
  TABLE_SIZE = 256,
  PAIRS_HASHED_MAX = 64,
};

// What a clock says that no longer counts in picoseconds.
#define ENDLESS_PS (INT64_MAX / 4)

// What was asked for; the requests own what they point to.
typedef struct entry_t {
  uint64_t hash;
  int32_t count;  // Operands.
  collective_request_t *requests;
  simulator_price_t price;
  struct entry_t *next;
} entry_t;

struct simulator_prices_t {
  const chip_spec_t *spec;
  const torus_t *torus;
  const mesh_t *mesh;
  pod_arena_t *arena;
  entry_t *table[TABLE_SIZE];
};

simulator_prices_t *simulator_prices_create(const chip_spec_t *spec, const torus_t *torus,
                                            const mesh_t *mesh) {
  pod_arena_t *arena = pod_arena_create();
  simulator_prices_t *prices = pod_arena_alloc(arena, sizeof(*prices));
  *prices =
      (simulator_prices_t){.spec = spec, .torus = torus, .mesh = mesh, .arena = arena};
  return prices;
}

void simulator_prices_destroy(simulator_prices_t *prices) {
  if (prices != NULL) {
    pod_arena_destroy(prices->arena);
  }
}

// --- The clock ---

static int64_t sent_by_all(const simulator_result_t *result) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < result->class_count; i++) {
    const simulator_chip_t *class = &result->classes[i];
    bytes += class->totals[0].ici_bytes * class->chip_count;
  }
  return bytes;
}

// Over the interfaces of all hosts.
static int64_t sent_between_slices(const simulator_result_t *result) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < result->class_count; i++) {
    const simulator_chip_t *class = &result->classes[i];
    bytes += class->links[SIMULATOR_DCN_OUT].bytes * class->chip_count;
  }
  return bytes;
}

// A block of chips along one axis.
typedef struct extent_t {
  int32_t first, count;
} extent_t;

// False when the coordinates have gaps, or when the shorter way between two of them might
// lead round the other side of an axis that closes.
static bool find_extent(const torus_t *torus, const int64_t *chips, int32_t count, int d,
                        extent_t *out_extent) {
  const int32_t size = torus->size[d];
  bool *is_used = pod_alloc((size_t)size);
  for (int32_t i = 0; i < count; i++) {
    is_used[torus_coords(torus, (int32_t)chips[i]).at[d]] = true;
  }
  *out_extent = (extent_t){0};
  int32_t starts = 0;
  for (int32_t at = 0; at < size; at++) {
    const bool follows = (at > 0 || torus->wraps[d]) && is_used[(at + size - 1) % size];
    out_extent->count += is_used[at];
    if (is_used[at] && !follows) {
      starts++;
      out_extent->first = at;
    }
  }
  free(is_used);
  const bool is_whole = out_extent->count == size;
  const bool may_go_round = torus->wraps[d] && 2 * (out_extent->count - 1) >= size;
  return is_whole || (starts == 1 && !may_go_round);
}

// The first group as a torus of its own, and its chips there. False when it is no block,
// or when another group is not the same one somewhere else.
static bool find_block(const torus_t *torus, const collective_request_t *request,
                       torus_t *out_torus, int64_t *out_chips) {
  const int32_t size = request->group_size;
  if (torus_core_total(torus) > 1) {
    return false;  // The other core's messages are on its links.
  }
  for (int32_t i = 1; i < size; i++) {
    if (torus_slice_of(torus, (int32_t)request->groups[i]) !=
        torus_slice_of(torus, (int32_t)request->groups[0])) {
      return false;
    }
  }
  out_torus->slice_count = 1;
  int64_t volume = 1;
  extent_t extents[TORUS_DIMENSIONS];
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    if (!find_extent(torus, request->groups, size, d, &extents[d])) {
      return false;
    }
    const bool is_whole = extents[d].count == torus->size[d];
    out_torus->size[d] = extents[d].count;
    out_torus->wraps[d] = is_whole && torus->wraps[d];
    volume *= extents[d].count;
  }
  for (int64_t g = 1; g < request->group_count && volume == size; g++) {
    volume = torus_is_moved(torus, request->groups, request->groups + g * size, size)
                 ? volume
                 : 0;
  }
  for (int32_t i = 0; i < size && volume == size; i++) {
    torus_coords_t at = torus_coords(torus, (int32_t)request->groups[i]);
    at.slice = 0;
    for (int d = 0; d < TORUS_DIMENSIONS; d++) {
      at.at[d] = (at.at[d] - extents[d].first + torus->size[d]) % torus->size[d];
    }
    out_chips[i] = torus_chip_at(out_torus, at);
  }
  return volume == size;
}

static int64_t chips_in(const collective_request_t *request) {
  const int64_t members = request->op == CHIP_OP_COLLECTIVE_PERMUTE
                              ? request->pair_count
                              : (int64_t)request->group_count * request->group_size;
  return members > 0 ? members : 1;
}

// Runs the instruction by itself on the chips of the mesh.
static pod_status_t run_on(const simulator_prices_t *prices,
                           const chip_program_t *program,
                           const chip_instruction_t *instruction, const torus_t *torus,
                           const mesh_t *mesh, simulator_result_t **out_result) {
  const chip_task_t task = {
      .kind = CHIP_TASK_COLLECTIVE, .partner = CHIP_NONE, .name = "collective"};
  const chip_computation_t computation = {
      .name = "main", .instruction_count = 1, .task_count = 1};
  const chip_program_t alone = {.mesh = mesh,
                                .buffer_count = program->buffer_count,
                                .buffers = program->buffers,
                                .instruction_count = 1,
                                .instructions = instruction,
                                .computation_count = 1,
                                .computations = &computation,
                                .task_count = 1,
                                .tasks = &task};
  const simulator_options_t options = {.spec = prices->spec, .torus = torus};
  return simulator_run(&alone, &options, out_result);
}

// Whether the planner takes the requests: it says what is wrong, without the clock's
// words around it.
static pod_status_t check(const simulator_prices_t *prices,
                          const collective_request_t *requests, int32_t count) {
  pod_arena_t *arena = pod_arena_create();
  pod_status_t status = NULL;
  for (int32_t i = 0; i < count && status == NULL; i++) {
    collective_planner_t *planner;
    collective_schedule_t schedule;
    status = collective_planner_create(&requests[i], prices->torus, arena, &planner);
    if (status == NULL && requests[i].group_count > 0) {
      status = collective_planner_plan(planner, (int32_t)requests[i].groups[0], arena,
                                       &schedule);
    }
  }
  pod_arena_destroy(arena);
  return status;
}

static int64_t most_on_a_link(const simulator_result_t *result) {
  int64_t most = 0;
  for (int32_t c = 0; c < result->class_count; c++) {
    for (int channel = 0; channel < TORUS_DIRECTIONS; channel++) {
      const int64_t bytes = result->classes[c].links[channel].bytes;
      most = bytes > most ? bytes : most;
    }
  }
  return most;
}

// The instruction with other attributes before its own: the first of a key counts.
typedef struct marked_t {
  chip_instruction_t instruction;
  int64_t algorithm, group_size;
  int64_t *chips;  // Of the only group.
  chip_attr_t *attrs;
} marked_t;

static void mark(marked_t *marked, chip_attr_key_t key, int32_t count,
                 const int64_t *values) {
  marked->attrs[marked->instruction.attr_count++] = (chip_attr_t){key, count, values};
}

enum { MARKS_MAX = 3 };

static void marked_init(marked_t *marked, const chip_instruction_t *instruction,
                        const collective_request_t *request) {
  const size_t count = (size_t)instruction->attr_count;
  *marked = (marked_t){
      .instruction = *instruction,
      .algorithm = request->algorithm,
      .group_size = request->group_size,
      .chips = pod_alloc(((size_t)request->group_size + 1) * sizeof(*marked->chips)),
      .attrs = pod_alloc((MARKS_MAX + count) * sizeof(*marked->attrs))};
  marked->instruction.name = marked->instruction.source = "";
  marked->instruction.attrs = marked->attrs;
  marked->instruction.attr_count = 0;
  mark(marked, CHIP_ATTR_COLLECTIVE_ALGORITHM, 1, &marked->algorithm);
}

static void marked_end(marked_t *marked, const chip_instruction_t *instruction) {
  for (int32_t i = 0; i < instruction->attr_count; i++) {
    mark(marked, instruction->attrs[i].key, instruction->attrs[i].count,
         instruction->attrs[i].values);
  }
}

static pod_status_t run_alone(const simulator_prices_t *prices,
                              const chip_program_t *program,
                              const chip_instruction_t *instruction,
                              const collective_request_t *request,
                              simulator_price_t *out_price) {
  marked_t marked;
  marked_init(&marked, instruction, request);
  torus_t torus = *prices->torus;
  const mesh_t block = {.device_count = request->group_size};
  const mesh_t *mesh = prices->mesh;
  int64_t taking_part = chips_in(request);
  if (request->group_count > 0 &&
      find_block(prices->torus, request, &torus, marked.chips)) {
    mesh = &block;
    taking_part = request->group_size;
    mark(&marked, CHIP_ATTR_REPLICA_GROUPS, request->group_size, marked.chips);
    mark(&marked, CHIP_ATTR_GROUP_SIZE, 1, &marked.group_size);
  } else {
    torus = *prices->torus;
  }
  marked_end(&marked, instruction);
  simulator_result_t *result = NULL;
  const pod_status_t status =
      run_on(prices, program, &marked.instruction, &torus, mesh, &result);
  if (status == NULL) {
    *out_price = (simulator_price_t){
        .duration_ps =
            result->step_ps - prices->spec->launch_ps - prices->spec->kernel_ps,
        .sent_bytes = (sent_by_all(result) + taking_part - 1) / taking_part,
        .dcn_bytes = (sent_between_slices(result) + taking_part - 1) / taking_part,
        .link_bytes = most_on_a_link(result)};
  }
  simulator_result_destroy(result);
  free(marked.chips);
  free(marked.attrs);
  return status;
}

static pod_status_t find_price(const simulator_prices_t *prices,
                               const chip_program_t *program,
                               const chip_instruction_t *instruction,
                               const collective_request_t *requests,
                               simulator_price_t *out_price) {
  const pod_status_t status =
      run_alone(prices, program, instruction, &requests[0], out_price);
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t plain = check(prices, requests, instruction->operand_count);
  if (plain == NULL && pod_status_code(status) != POD_OUT_OF_RANGE) {
    return status;
  }
  pod_status_free(status);
  *out_price = (simulator_price_t){.duration_ps = ENDLESS_PS, .is_endless = true};
  return plain;
}

// --- What is remembered ---

static uint64_t mix(uint64_t hash, uint64_t value) {  // FNV-1a, by words.
  return (hash ^ value) * UINT64_C(1099511628211);
}

static int64_t group_ids(const collective_request_t *request) {
  return (int64_t)request->group_count * request->group_size;
}

static uint64_t hash_of(const collective_request_t *requests, int32_t count) {
  const collective_request_t *first = &requests[0];
  uint64_t hash = mix(UINT64_C(14695981039346656037), first->op);
  hash = mix(mix(hash, first->algorithm), (uint64_t)first->group_size);
  for (int32_t i = 0; i < count; i++) {
    hash = mix(mix(hash, requests[i].dtype), (uint64_t)requests[i].element_count);
  }
  // The first group, or pairs, tell nearly all apart; the comparison looks at the rest.
  for (int32_t i = 0; i < first->group_size && group_ids(first) > 0; i++) {
    hash = mix(hash, (uint64_t)first->groups[i]);
  }
  for (int32_t i = 0; i < 2 * first->pair_count && i < PAIRS_HASHED_MAX; i++) {
    hash = mix(hash, (uint64_t)first->pairs[i]);
  }
  return hash ^ hash >> 32;
}

static bool is_same_list(const int64_t *a, const int64_t *b, int64_t count) {
  return a == b || count == 0 || memcmp(a, b, (size_t)count * sizeof(*a)) == 0;
}

static bool is_same(const collective_request_t *a, const collective_request_t *b) {
  return a->op == b->op && a->reducer == b->reducer && a->dtype == b->dtype &&
         a->algorithm == b->algorithm && a->element_count == b->element_count &&
         a->group_size == b->group_size && a->group_count == b->group_count &&
         a->pair_count == b->pair_count &&
         is_same_list(a->groups, b->groups, group_ids(a)) &&
         is_same_list(a->pairs, b->pairs, 2 * (int64_t)a->pair_count);
}

static bool is_entry(const entry_t *entry, uint64_t hash,
                     const collective_request_t *requests, int32_t count) {
  bool is_equal = entry->hash == hash && entry->count == count;
  for (int32_t i = 0; i < count && is_equal; i++) {
    is_equal = is_same(&entry->requests[i], &requests[i]);
  }
  return is_equal;
}

static void remember(simulator_prices_t *prices, uint64_t hash,
                     const collective_request_t *requests, int32_t count,
                     simulator_price_t price) {
  pod_arena_t *arena = prices->arena;
  const collective_request_t *first = &requests[0];
  const int64_t *groups = pod_arena_copy(
      arena, first->groups, (size_t)group_ids(first) * sizeof(*first->groups));
  const int64_t *pairs = pod_arena_copy(
      arena, first->pairs, 2 * (size_t)first->pair_count * sizeof(*first->pairs));
  entry_t *entry = pod_arena_alloc(arena, sizeof(*entry));
  entry_t **chain = &prices->table[hash % TABLE_SIZE];
  *entry = (entry_t){
      .hash = hash,
      .count = count,
      .requests = pod_arena_copy(arena, requests, (size_t)count * sizeof(*requests)),
      .price = price,
      .next = *chain};
  for (int32_t i = 0; i < count; i++) {  // Those of one instruction share them.
    entry->requests[i].groups = groups;
    entry->requests[i].pairs = pairs;
  }
  *chain = entry;
}

static pod_status_t find_or_ask(simulator_prices_t *prices, const chip_program_t *program,
                                const chip_instruction_t *instruction,
                                const collective_request_t *requests,
                                simulator_price_t *out_price) {
  const int32_t count = instruction->operand_count;
  const uint64_t hash = hash_of(requests, count);
  for (const entry_t *it = prices->table[hash % TABLE_SIZE]; it != NULL; it = it->next) {
    if (is_entry(it, hash, requests, count)) {
      *out_price = it->price;
      return NULL;
    }
  }
  simulator_price_t price;
  POD_TRY(find_price(prices, program, instruction, requests, &price));
  remember(prices, hash, requests, count, price);
  *out_price = price;
  return NULL;
}

pod_status_t simulator_prices_find(simulator_prices_t *prices,
                                   const chip_program_t *program,
                                   const chip_instruction_t *instruction,
                                   collective_algorithm_t algorithm,
                                   simulator_price_t *out_price) {
  const int32_t count = instruction->operand_count;
  if (count == 0) {
    *out_price = (simulator_price_t){0};
    return NULL;
  }
  collective_request_t *requests = pod_alloc((size_t)count * sizeof(*requests));
  for (int32_t i = 0; i < count; i++) {
    collective_request_of_transfer(program, instruction, i, &requests[i]);
    requests[i].spec = prices->spec;
    requests[i].algorithm =
        algorithm == COLLECTIVE_AUTO ? requests[i].algorithm : algorithm;
  }
  const pod_status_t status =
      find_or_ask(prices, program, instruction, requests, out_price);
  free(requests);
  return status;
}
