// One round: every result of a kernel that is alive at the peak is looked at; those worth
// most are cloned before their first late reader, with the kernels before theirs whose
// results are gone by then, where that is still worth it.

#include "server/compiler/schedule/remat.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/chip/work.h"
#include "server/compiler/dialect/recomputed.h"
#include "server/compiler/schedule/fuse.h"

enum {
  PICKS_MAX = 4096,       // Of one round.
  MEMBERS_MAX = 64,       // That are computed again for one value.
  OPERANDS_MAX = 64,      // That they read.
  CHAIN_MAX = 8,          // Kernels that run again for one value.
  DEFER_MAX = 8,          // Times that a pick is put off for better ones.
  LATE_MAX = 16,          // Readers of one value that come late.
  SMALLEST_SHARE = 4096,  // A value below this part of what is missing is left alone.
  VIEWS_MAX = 16,         // Of one another.
  CHANGE_NEW = -1,
  CHANGE_GONE = -2,
  CHANGE_MOVED = -3,
};

typedef struct use_t {
  mlir_op_t *op;
  int32_t index, next;  // Chain of the value's uses; CHIP_NONE at the end.
} use_t;

typedef struct pick_t {
  double worth;  // Bytes saved for a picosecond.
  int64_t saved_bytes, duration_ps;
  int64_t held_bytes;  // Of what it is made from; INT64_MAX: that cannot be held.
  mlir_value_t *value;
  int32_t chain[CHAIN_MAX];  // Clusters that run again; the value's own first.
  int32_t chain_count;
  int32_t late_count;
  use_t late[LATE_MAX];
} pick_t;

typedef struct chooser_t {
  const clusters_t *clusters;
  const memory_t *memory;
  int32_t peak;
  int32_t *first_use;  // By value id: chain in `uses`.
  POD_LIST(use_t) uses;
  int32_t *first_time, *last_time;  // By op id, see memory_times.
  int32_t *alive_count;             // By class: variables that are alive at the peak.
  int32_t *last_of_class;           // By class: when its last variable dies.
  uint8_t *marks;                   // By variable, see mark_t.
  // Of the value that is looked at.
  mlir_op_t *members[MEMBERS_MAX];
  int32_t member_count;
  const mlir_value_t *operands[OPERANDS_MAX];
  int32_t operand_count;
  mlir_value_t **map;  // By value id, of before the round: what is cloned now.
  POD_LIST(mlir_op_t *) originals;  // Of what has been cloned.
} chooser_t;

typedef enum mark_t {
  MARK_TAKEN = 1,   // Will not live over the peak any more.
  MARK_NEEDED = 2,  // Something is made again from it.
} mark_t;

// --- Uses ---

static void find_uses(chooser_t *chooser) {
  const mlir_module_t *module = chooser->clusters->module;
  chooser->first_use =
      pod_alloc(((size_t)module->value_count + 1) * sizeof(*chooser->first_use));
  for (uint32_t i = 0; i < module->value_count; i++) {
    chooser->first_use[i] = CHIP_NONE;
  }
  const mlir_op_t *main = chooser->memory->lower.main;
  for (mlir_op_t *op = mlir_walk_first(main); op != NULL; op = mlir_walk_next(main, op)) {
    for (int i = 0; i < op->operand_count; i++) {
      const uint32_t id = op->operands[i]->id;
      const int32_t at = chooser->uses.count;
      *pod_list_add(&chooser->uses) = (use_t){op, i, chooser->first_use[id]};
      chooser->first_use[id] = at;
    }
  }
}

static bool is_in_kernel(const chooser_t *chooser, const mlir_op_t *op) {
  const lower_kernels_t *kernels = &chooser->memory->kernels;
  return op->id < kernels->op_count && kernels->kernel_of[op->id] != CHIP_NONE;
}

// A view that is nobody's: its readers read what it is a view of.
static bool is_free_view(const chooser_t *chooser, const mlir_op_t *op) {
  return op->kind == CHIP_OP_RESHAPE && !is_in_kernel(chooser, op);
}

// The operation of `block` that `op` is, or is inside of; NULL: it is elsewhere.
static const mlir_op_t *within(const mlir_block_t *block, const mlir_op_t *op) {
  while (op != NULL && op->block != block) {
    op = op->block == NULL ? NULL : op->block->region->op;
  }
  return op;
}

// A collective that is under way at the peak keeps what it reads and writes.
static bool is_under_way(const chooser_t *chooser, const mlir_op_t *done) {
  const mlir_op_t *start = done->operands[0]->op;
  return start == NULL || chooser->first_time[start->id] < 0 ||
         (chooser->first_time[start->id] <= chooser->peak &&
          chooser->first_time[done->id] >= chooser->peak);
}

// Sorts the readers of `value`, a view of the pick's, into early and late ones. False:
// one of them holds it over the peak.
static bool sort_uses(const chooser_t *chooser, pick_t *pick, const mlir_value_t *value,
                      int depth) {
  const mlir_block_t *block = pick->value->op->block;
  for (int32_t u = chooser->first_use[value->id]; u != CHIP_NONE;
       u = chooser->uses.items[u].next) {
    const use_t *use = &chooser->uses.items[u];
    const mlir_op_t *at = within(block, use->op);
    if (at == NULL || at == block->last ||
        use->op == use->op->block->last) {  // Handed on.
      return false;
    }
    if (use->op->kind == CHIP_OP_ASYNC_DONE) {
      if (is_under_way(chooser, use->op)) {
        return false;
      }
      continue;
    }
    if (is_free_view(chooser, use->op)) {
      if (use->op->block != block || depth == VIEWS_MAX ||
          !sort_uses(chooser, pick, &use->op->results[0], depth + 1)) {
        return false;
      }
      continue;
    }
    if (chooser->first_time[at->id] < 0) {
      return false;
    }
    if (chooser->first_time[at->id] > chooser->peak) {
      if (pick->late_count == LATE_MAX) {
        return false;
      }
      pick->late[pick->late_count++] = *use;
    } else if (chooser->last_time[at->id] >= chooser->peak) {
      return false;
    }
  }
  return true;
}

// --- What it is made of ---

static bool is_repeatable(const mlir_op_t *op) {
  switch (fuse_class(op)) {
    case FUSE_VIEW:
    case FUSE_LOOP:
    case FUSE_RELAYOUT:
    case FUSE_REDUCE:
    case FUSE_PRODUCT:
      return true;
    default:
      return false;
  }
}

static bool is_member(const chooser_t *chooser, const mlir_op_t *op, int32_t cluster) {
  const cluster_t *it = &chooser->clusters->clusters[cluster];
  for (int32_t m = 0; m < it->member_count; m++) {
    if (chooser->clusters->members[it->first_member + m] == op) {
      return true;
    }
  }
  return false;
}

// What every reader makes for itself is made again too: constants, their broadcasts.
static bool is_copied(const chooser_t *chooser, const mlir_value_t *value,
                      const pick_t *pick) {
  if (value->op == NULL || value->op->block != pick->value->op->block) {
    return false;
  }
  for (int32_t i = 0; i < pick->chain_count; i++) {
    if (is_member(chooser, value->op, pick->chain[i])) {
      return true;
    }
  }
  return fuse_is_generated(value);
}

static bool add_operation(chooser_t *chooser, mlir_op_t *op) {
  for (int32_t i = 0; i < chooser->member_count; i++) {
    if (chooser->members[i] == op) {
      return true;
    }
  }
  if (chooser->member_count == MEMBERS_MAX) {
    return false;
  }
  chooser->members[chooser->member_count++] = op;
  return true;
}

static bool add_operand(chooser_t *chooser, const mlir_value_t *value) {
  for (int32_t i = 0; i < chooser->operand_count; i++) {
    if (chooser->operands[i] == value) {
      return true;
    }
  }
  if (chooser->operand_count == OPERANDS_MAX) {
    return false;
  }
  chooser->operands[chooser->operand_count++] = value;
  return true;
}

// The operations that make the value within the kernels of the chain, and what they read.
// The list of members is the queue of those to be looked at.
static bool find_members(chooser_t *chooser, const pick_t *pick) {
  chooser->member_count = chooser->operand_count = 0;
  bool fits = add_operation(chooser, pick->value->op);
  for (int32_t m = 0; m < chooser->member_count && fits; m++) {
    const mlir_op_t *op = chooser->members[m];
    if (m > 0 && fuse_is_generated(&op->results[0])) {
      // Its own operand is a scalar, or it has none.
    } else if (!is_repeatable(op)) {
      return false;
    }
    for (int i = 0; i < op->operand_count && fits; i++) {
      const mlir_value_t *operand = op->operands[i];
      fits = is_copied(chooser, operand, pick) ? add_operation(chooser, operand->op)
                                               : add_operand(chooser, operand);
    }
  }
  return fits;
}

// What the operand costs at the peak when it has to live until `late`; INT64_MAX: it
// cannot.
static int64_t bytes_held_by(const chooser_t *chooser, const mlir_value_t *operand,
                             int32_t late) {
  const lower_t *lower = &chooser->memory->lower;
  const int32_t at = lower->var_of[operand->id];
  if (at == CHIP_NONE || (chooser->marks[at] & MARK_TAKEN) != 0) {
    return INT64_MAX;
  }
  const lower_var_t *var = &lower->vars.items[at];
  if (var->dies == LOWER_FOREVER || var->dies / 2 >= late) {
    return 0;
  }
  const bool is_alive = var->born / 2 <= chooser->peak && chooser->peak <= var->dies / 2;
  const bool is_last = chooser->last_of_class[var->class] == var->dies;
  // Else nobody holds it, or another writes over it.
  return is_alive && is_last ? 0 : var->size_bytes;
}

static int64_t bytes_held(const chooser_t *chooser, int32_t late) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < chooser->operand_count; i++) {
    const int64_t more = bytes_held_by(chooser, chooser->operands[i], late);
    if (more == INT64_MAX) {
      return INT64_MAX;
    }
    bytes = chip_work_plus(bytes, more);
  }
  return bytes;
}

// --- Choosing ---

// The first time at which a late reader of the pick runs.
static int32_t late_time(const chooser_t *chooser, const pick_t *pick) {
  int32_t time = INT32_MAX;
  for (int32_t i = 0; i < pick->late_count; i++) {
    const mlir_op_t *at = within(pick->value->op->block, pick->late[i].op);
    time = chooser->first_time[at->id] < time ? chooser->first_time[at->id] : time;
  }
  return time;
}

// --- Chains ---

static int64_t value_bytes(const chooser_t *chooser, const pick_t *pick) {
  const lower_t *lower = &chooser->memory->lower;
  return lower->vars.items[lower->var_of[pick->value->id]].size_bytes;
}

static bool is_viable(const chooser_t *chooser, const pick_t *pick) {
  return pick->held_bytes < INT64_MAX &&
         pick->saved_bytes >= value_bytes(chooser, pick) / 2;
}

// What comes of the pick with its chain as it is. False: the chain cannot run again.
static bool weigh(chooser_t *chooser, pick_t *pick) {
  if (!find_members(chooser, pick)) {
    return false;
  }
  const int64_t size = value_bytes(chooser, pick);
  const int64_t held = bytes_held(chooser, late_time(chooser, pick));
  pick->held_bytes = held;
  pick->saved_bytes = held < size ? size - held : 0;
  pick->duration_ps = 0;
  for (int32_t i = 0; i < pick->chain_count; i++) {
    pick->duration_ps = chip_work_plus(
        pick->duration_ps, chooser->clusters->clusters[pick->chain[i]].duration_ps);
  }
  pick->worth = (double)pick->saved_bytes / (double)(pick->duration_ps + 1);
  return true;
}

// The kernel that made the operand, when it alone did and stands in the pick's block.
static int32_t maker_of(const chooser_t *chooser, const pick_t *pick,
                        const mlir_value_t *operand) {
  const clusters_t *clusters = chooser->clusters;
  const mlir_op_t *op = operand->op;
  if (op == NULL || op->block != pick->value->op->block || op->id >= clusters->op_count ||
      clusters->cluster_of[op->id] == CHIP_NONE) {
    return CHIP_NONE;
  }
  const int32_t at = clusters->cluster_of[op->id];
  for (int32_t i = 0; i < pick->chain_count; i++) {
    if (pick->chain[i] == at) {
      return CHIP_NONE;
    }
  }
  return clusters->clusters[at].kind == CHIP_TASK_COMPUTE ? at : CHIP_NONE;
}

// One kernel more, of those that made what would have to be held: the one after which
// least has to be. False: there is none.
static bool lengthen(chooser_t *chooser, pick_t *pick) {
  const int32_t late = late_time(chooser, pick);
  int32_t makers[OPERANDS_MAX];
  int32_t maker_count = 0;
  if (pick->chain_count == CHAIN_MAX || !find_members(chooser, pick)) {
    return false;
  }
  for (int32_t i = 0; i < chooser->operand_count; i++) {
    const mlir_value_t *operand = chooser->operands[i];
    const int32_t maker = maker_of(chooser, pick, operand);
    if (maker != CHIP_NONE && bytes_held_by(chooser, operand, late) > 0) {
      makers[maker_count++] = maker;
    }
  }
  pick_t best = {0};
  for (int32_t i = 0; i < maker_count; i++) {
    pick_t longer = *pick;
    longer.chain[longer.chain_count++] = makers[i];
    if (weigh(chooser, &longer) &&
        (best.chain_count == 0 || longer.held_bytes < best.held_bytes)) {
      best = longer;
    }
  }
  if (best.chain_count == 0) {
    return false;
  }
  *pick = best;
  return true;
}

// The chain that is worth most with what has been taken by now, of those that grow from
// the value's kernel.
static bool choose_chain(chooser_t *chooser, pick_t *pick) {
  pick_t longer = *pick;
  longer.chain_count = 1;
  bool is_any = false;
  for (bool is_one = weigh(chooser, &longer); is_one;
       is_one = longer.held_bytes > 0 && lengthen(chooser, &longer)) {
    if (is_viable(chooser, &longer) && (!is_any || longer.worth > pick->worth)) {
      *pick = longer;
      is_any = true;
    }
  }
  return is_any;
}

static bool consider(chooser_t *chooser, pick_t *pick, int64_t least_bytes) {
  const lower_t *lower = &chooser->memory->lower;
  const int32_t at = lower->var_of[pick->value->id];
  if (at == CHIP_NONE || pick->value->op == NULL) {
    return false;
  }
  const lower_var_t *var = &lower->vars.items[at];
  return var->home == CHIP_BUFFER_TEMP && var->size_bytes >= least_bytes &&
         var->born / 2 < chooser->peak && var->dies / 2 > chooser->peak &&
         chooser->alive_count[var->class] == 1 &&
         sort_uses(chooser, pick, pick->value, 0) && pick->late_count > 0 &&
         choose_chain(chooser, pick);
}

static int by_worth(const void *left, const void *right) {
  const pick_t *a = *(const pick_t *const *)left, *b = *(const pick_t *const *)right;
  if (a->worth != b->worth) {
    return a->worth > b->worth ? -1 : 1;
  }
  return (a->value->id > b->value->id) - (a->value->id < b->value->id);
}

typedef POD_LIST(pick_t *) picks_t;

static void find_picks(chooser_t *chooser, int64_t least_bytes, picks_t *picks) {
  const clusters_t *clusters = chooser->clusters;
  pick_t *pick = pod_alloc(sizeof(*pick));
  for (int32_t c = 0; c < clusters->cluster_count; c++) {
    const cluster_t *cluster = &clusters->clusters[c];
    if (cluster->kind != CHIP_TASK_COMPUTE) {
      continue;
    }
    for (int32_t r = 0; r < cluster->result_count; r++) {
      const mlir_value_t *value =
          clusters->values.items[cluster->first_value + cluster->operand_count + r].value;
      pick->value = &value->op->results[value->index];
      pick->chain[0] = c;
      pick->late_count = 0;
      if (consider(chooser, pick, least_bytes)) {
        *pod_list_add(picks) = pick;
        pick = pod_alloc(sizeof(*pick));
      }
    }
  }
  free(pick);
}

typedef enum taking_t {
  TAKING_DONE,
  TAKING_DEFERRED,  // It is worth less with those that were taken before it.
  TAKING_LOST,
} taking_t;

static taking_t take(chooser_t *chooser, pick_t *pick) {
  const lower_t *lower = &chooser->memory->lower;
  const int32_t at = lower->var_of[pick->value->id];
  const double worth = pick->worth;
  if ((chooser->marks[at] & MARK_NEEDED) != 0 || !choose_chain(chooser, pick)) {
    return TAKING_LOST;
  }
  if (pick->worth < worth) {
    return TAKING_DEFERRED;
  }
  (void)find_members(chooser, pick);
  chooser->marks[at] |= MARK_TAKEN;
  for (int32_t i = 0; i < chooser->operand_count; i++) {
    chooser->marks[lower->var_of[chooser->operands[i]->id]] |= MARK_NEEDED;
  }
  return TAKING_DONE;
}

// --- Changing the module ---

static void note_change(remat_t *remat, remat_change_t change) {
  *pod_list_add(&remat->changes) = change;
}

static void clone_before(remat_t *remat, chooser_t *chooser, mlir_op_t *op,
                         mlir_op_t *where) {
  mlir_op_t *copy = mlir_op_clone(chooser->clusters->module, op, chooser->map);
  compiler_mark_recomputed(chooser->clusters->module, copy);
  mlir_block_insert_before(where, copy);
  note_change(remat, (remat_change_t){.op = copy, .index = CHANGE_NEW});
  *pod_list_add(&chooser->originals) = op;
}

// What takes the place of `value`, a view of the pick's, for late readers.
static mlir_value_t *renewed(remat_t *remat, chooser_t *chooser,
                             const mlir_value_t *value, mlir_op_t *where) {
  if (chooser->map[value->id] == NULL) {
    (void)renewed(remat, chooser, value->op->operands[0], where);
    clone_before(remat, chooser, value->op, where);
  }
  return chooser->map[value->id];
}

// By op id: its place in its block.
static int32_t *find_places(const chooser_t *chooser) {
  const mlir_op_t *main = chooser->memory->lower.main;
  int32_t *places =
      pod_alloc(((size_t)chooser->clusters->module->op_count + 1) * sizeof(*places));
  int32_t next = 0;
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    places[op->id] = next++;
  }
  return places;
}

// By op id: what is made within kernels alone.
static bool *find_inner(const clusters_t *clusters) {
  bool *inner = pod_alloc((size_t)clusters->op_count + 1);
  for (uint32_t i = 0; i < clusters->op_count; i++) {
    const int32_t at = clusters->cluster_of[i];
    inner[i] = at != CHIP_NONE && clusters->clusters[at].kind == CHIP_TASK_COMPUTE;
  }
  for (int32_t c = 0; c < clusters->cluster_count; c++) {
    const cluster_t *cluster = &clusters->clusters[c];
    inner[cluster->root->id] = false;
    for (int32_t r = 0; r < cluster->result_count; r++) {
      const int32_t at = cluster->first_value + cluster->operand_count + r;
      inner[clusters->values.items[at].value->op->id] = false;
    }
  }
  return inner;
}

// The root of the first kernel that makes the operation for itself.
static mlir_op_t *anchor_of(const chooser_t *chooser, mlir_op_t **anchors,
                            const int32_t *places, const mlir_op_t *op) {
  mlir_op_t *anchor = NULL;
  for (int r = 0; r < op->result_count; r++) {
    for (int32_t u = chooser->first_use[op->results[r].id]; u != CHIP_NONE;
         u = chooser->uses.items[u].next) {
      const mlir_op_t *user = within(op->block, chooser->uses.items[u].op);
      if (user == NULL) {
        return NULL;
      }
      mlir_op_t *at = anchors[user->id];
      anchor = anchor == NULL || places[at->id] < places[anchor->id] ? at : anchor;
    }
  }
  return anchor;
}

// What a kernel makes for itself goes where it runs. In the program it may stand long
// before, as the derivative of an activation does: what it reads would be made again
// there, and nothing would be saved.
static void sink_inner(remat_t *remat, const chooser_t *chooser) {
  const clusters_t *clusters = chooser->clusters;
  bool *inner = find_inner(clusters);
  int32_t *places = find_places(chooser);
  mlir_op_t **anchors = pod_alloc(((size_t)clusters->op_count + 1) * sizeof(*anchors));
  POD_LIST(mlir_op_t *) moved = {0};
  for (int32_t b = 0; b < clusters->blocks.count; b++) {
    const mlir_block_t *block = clusters->blocks.items[b].block;
    for (mlir_op_t *op = block->last; op != NULL; op = op->previous) {
      mlir_op_t *anchor = inner[op->id] ? anchor_of(chooser, anchors, places, op) : NULL;
      anchors[op->id] = anchor == NULL ? op : anchor;
    }
    pod_list_clear(&moved);
    for (mlir_op_t *op = block->first; op != NULL; op = op->next) {
      if (anchors[op->id] != op) {
        *pod_list_add(&moved) = op;
      }
    }
    for (int32_t i = 0; i < moved.count; i++) {
      mlir_op_t *op = moved.items[i];
      note_change(remat,
                  (remat_change_t){.op = op, .index = CHANGE_MOVED, .next = op->next});
      mlir_op_unlink(op);
      mlir_block_insert_before(anchors[op->id], op);
    }
  }
  pod_list_deinit(&moved);
  free(anchors);
  free(places);
  free(inner);
}

static void sort_members(chooser_t *chooser, const int32_t *places) {
  for (int32_t i = 1; i < chooser->member_count; i++) {
    mlir_op_t *op = chooser->members[i];
    int32_t to = i;
    for (; to > 0 && places[chooser->members[to - 1]->id] > places[op->id]; to--) {
      chooser->members[to] = chooser->members[to - 1];
    }
    chooser->members[to] = op;
  }
}

static mlir_op_t *first_late(const pick_t *pick, const int32_t *places) {
  const mlir_op_t *first = NULL;
  for (int32_t i = 0; i < pick->late_count; i++) {
    const mlir_op_t *at = within(pick->value->op->block, pick->late[i].op);
    if (first == NULL || places[at->id] < places[first->id]) {
      first = at;
    }
  }
  return (mlir_op_t *)(uintptr_t)first;
}

static void apply(remat_t *remat, chooser_t *chooser, const pick_t *pick,
                  const int32_t *places) {
  mlir_op_t *where = first_late(pick, places);
  const int32_t first_original = chooser->originals.count;
  (void)find_members(chooser, pick);
  sort_members(chooser, places);
  for (int32_t m = 0; m < chooser->member_count; m++) {
    clone_before(remat, chooser, chooser->members[m], where);
  }
  for (int32_t i = 0; i < pick->late_count; i++) {
    const use_t *use = &pick->late[i];
    mlir_value_t *old = use->op->operands[use->index];
    note_change(remat, (remat_change_t){.op = use->op, .index = use->index, .old = old});
    use->op->operands[use->index] = renewed(remat, chooser, old, where);
  }
  for (int32_t i = first_original; i < chooser->originals.count; i++) {
    const mlir_op_t *op = chooser->originals.items[i];
    for (int r = 0; r < op->result_count; r++) {
      chooser->map[op->results[r].id] = NULL;
    }
  }
  remat->value_count++;
  remat->saved_bytes = chip_work_plus(remat->saved_bytes, pick->saved_bytes);
  remat->duration_ps = chip_work_plus(remat->duration_ps, pick->duration_ps);
}

// --- What nobody reads any more ---

static void drop(remat_t *remat, int32_t *use_count, mlir_op_t *op) {
  for (int r = 0; r < op->result_count; r++) {
    if (use_count[op->results[r].id] > 0) {
      return;
    }
  }
  note_change(remat, (remat_change_t){.op = op, .index = CHANGE_GONE, .next = op->next});
  mlir_op_unlink(op);
  for (int i = 0; i < op->operand_count; i++) {
    use_count[op->operands[i]->id]--;
  }
}

// The originals of what has been made anew, from the last to the first.
static void drop_dead(remat_t *remat, const chooser_t *chooser) {
  const mlir_op_t *main = chooser->memory->lower.main;
  int32_t *use_count = pod_alloc(((size_t)chooser->clusters->module->value_count + 1) *
                                 sizeof(*use_count));
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    for (int i = 0; i < op->operand_count; i++) {
      use_count[op->operands[i]->id]++;
    }
  }
  for (int32_t i = chooser->originals.count - 1; i >= 0; i--) {
    mlir_op_t *op = chooser->originals.items[i];
    if (op->block != NULL) {
      drop(remat, use_count, op);
    }
  }
  free(use_count);
}

// --- The round ---

static void chooser_init(chooser_t *chooser, const clusters_t *clusters,
                         const memory_t *memory) {
  const lower_t *lower = &memory->lower;
  *chooser =
      (chooser_t){.clusters = clusters, .memory = memory, .peak = memory->peak_time};
  find_uses(chooser);
  const size_t count = (size_t)lower->vars.count + 1;
  chooser->map =
      pod_alloc(((size_t)clusters->module->value_count + 1) * sizeof(*chooser->map));
  memory_times(memory, clusters, &chooser->first_time, &chooser->last_time);
  chooser->alive_count = pod_alloc(count * sizeof(*chooser->alive_count));
  chooser->last_of_class = pod_alloc(count * sizeof(*chooser->last_of_class));
  chooser->marks = pod_alloc(count);
  for (int32_t i = 0; i < lower->vars.count; i++) {
    const lower_var_t *var = &lower->vars.items[i];
    chooser->alive_count[var->class] +=
        var->born / 2 <= chooser->peak && chooser->peak <= var->dies / 2;
    if (var->dies > chooser->last_of_class[var->class]) {
      chooser->last_of_class[var->class] = var->dies;
    }
  }
}

static void chooser_deinit(chooser_t *chooser) {
  free(chooser->map);
  pod_list_deinit(&chooser->originals);
  free(chooser->first_use);
  pod_list_deinit(&chooser->uses);
  free(chooser->first_time);
  free(chooser->last_time);
  free(chooser->alive_count);
  free(chooser->last_of_class);
  free(chooser->marks);
}

static void sort_picks(picks_t *picks) {
  if (picks->count > 1) {
    qsort(picks->items, (size_t)picks->count, sizeof(*picks->items), by_worth);
  }
}

// The first of the picks that are enough, of those that hold together.
static int32_t take_picks(chooser_t *chooser, picks_t *picks, int64_t excess_bytes) {
  int64_t saved_bytes = 0;
  picks_t taken = {0};
  for (int pass = 0; pass <= DEFER_MAX && picks->count > 0; pass++) {
    int32_t deferred = 0;
    sort_picks(picks);
    for (int32_t i = 0; i < picks->count; i++) {
      pick_t *pick = picks->items[i];
      const taking_t taking = saved_bytes < excess_bytes && taken.count < PICKS_MAX
                                  ? take(chooser, pick)
                                  : TAKING_LOST;
      if (taking == TAKING_DONE) {
        saved_bytes = chip_work_plus(saved_bytes, pick->saved_bytes);
        *pod_list_add(&taken) = pick;
      } else if (taking == TAKING_DEFERRED) {
        picks->items[deferred++] = pick;
      } else {
        free(pick);
      }
    }
    picks->count = deferred;
  }
  for (int32_t i = 0; i < picks->count; i++) {
    free(picks->items[i]);
  }
  pod_list_deinit(picks);
  *picks = taken;
  return taken.count;
}

bool remat_shrink(remat_t *remat, clusters_t *clusters, const memory_t *memory,
                  int64_t excess_bytes) {
  if (memory->peak_time == CHIP_NONE) {
    return false;
  }
  chooser_t chooser;
  chooser_init(&chooser, clusters, memory);
  picks_t picks = {0};
  find_picks(&chooser, excess_bytes / SMALLEST_SHARE + 1, &picks);
  const bool is_won = take_picks(&chooser, &picks, excess_bytes) > 0;
  if (is_won) {
    clusters_unschedule(clusters);
    sink_inner(remat, &chooser);
    int32_t *places = find_places(&chooser);
    for (int32_t i = 0; i < picks.count; i++) {
      apply(remat, &chooser, picks.items[i], places);
    }
    drop_dead(remat, &chooser);
    free(places);
  }
  for (int32_t i = 0; i < picks.count; i++) {
    free(picks.items[i]);
  }
  pod_list_deinit(&picks);
  chooser_deinit(&chooser);
  return is_won;
}

void remat_undo(remat_t *remat) {
  for (int32_t i = remat->changes.count - 1; i >= 0; i--) {
    const remat_change_t *change = &remat->changes.items[i];
    if (change->index >= 0) {
      change->op->operands[change->index] = change->old;
      continue;
    }
    if (change->index != CHANGE_GONE) {
      mlir_op_unlink(change->op);
    }
    if (change->index != CHANGE_NEW) {
      mlir_block_insert_before(change->next, change->op);
    }
  }
  remat_deinit(remat);
}

void remat_deinit(remat_t *remat) {
  pod_list_deinit(&remat->changes);
  *remat = (remat_t){0};
}
