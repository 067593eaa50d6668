// What lies in VMEM, and when: XLA's memory space assignment
// (xla/service/memory_space_assignment) in small.
//
// First, what one kernel makes and others read soon stays there and never sees HBM: of
// all that compete for a moment, what saves most bytes for the room and the time it takes
// goes first. What lies in HBM and is read by several kernels competes too: the first
// loads it, and it stays until the last. Then, operands that lie in HBM are brought there
// ahead of kernels that would wait for them, while something runs that leaves HBM idle; a
// prefetch starts as late as that allows. Kernels keep room for the blocks that they load
// and write; loops keep what is used inside of them, what they carry from one turn to the
// next, and what no turn changes.
//
// What collectives, loops and branches read or make, and what the program returns, is in
// HBM.

#include <stdlib.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/chip/cost.h"
#include "server/chip/work.h"
#include "server/compiler/schedule/clusters.h"
#include "server/compiler/schedule/fuse.h"
#include "server/compiler/schedule/occupancy.h"

enum {
  KERNEL_BYTES = 16 << 20,  // XLA's scoped VMEM: what a kernel may take for its blocks.
  LOOK_BACK_MAX = 64,       // Steps that a prefetch may be ahead.
};

// How long a value is in use within the block that is looked at.
typedef struct life_t {
  int32_t block;        // That this is about.
  int32_t born;         // The step that makes it, or -1 when it comes from outside.
  int32_t first, last;  // The first and the last step that reads it.
  int64_t saved;        // Bytes of HBM traffic in all.
  bool is_needed_in_hbm;
  bool is_read_in_part;  // By some.
  // It comes from outside, and stays from the first step that reads it.
  bool stays_from_first;
} life_t;

typedef struct assigner_t {
  clusters_t *clusters;
  int64_t budget;
  life_t *lives;        // By value id.
  int64_t *inner_most;  // By cluster: what a loop or branch takes inside.
  int32_t at;           // The block.
  occupancy_t occupancy;
  int64_t *idle_ps;  // By step of the block: HBM time that nobody uses.
} assigner_t;

static const cluster_step_t *step_at(const assigner_t *assigner, int32_t step) {
  const clusters_t *clusters = assigner->clusters;
  return &clusters->steps[clusters->blocks.items[assigner->at].first_step + step];
}

static cluster_t *cluster_at(const assigner_t *assigner, int32_t step) {
  return &assigner->clusters->clusters[step_at(assigner, step)->cluster];
}

static life_t *life_of(const assigner_t *assigner, const mlir_value_t *value) {
  life_t *life = &assigner->lives[value->id];
  if (life->block != assigner->at) {
    *life = (life_t){.block = assigner->at, .born = -1, .first = -1, .last = -1};
  }
  return life;
}

// --- Lives ---

// Whatever is read by anything but a kernel of this block has to be in HBM.
static void need_in_hbm(const assigner_t *assigner, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    life_of(assigner, fuse_source(op->operands[i]))->is_needed_in_hbm = true;
  }
}

static void find_needs(const assigner_t *assigner) {
  const clusters_t *clusters = assigner->clusters;
  const mlir_block_t *block = clusters->blocks.items[assigner->at].block;
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    const int32_t at =
        op->id < clusters->op_count ? clusters->cluster_of[op->id] : CHIP_NONE;
    const bool is_kernel =
        at != CHIP_NONE && clusters->clusters[at].kind == CHIP_TASK_COMPUTE;
    if (op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE) {  // Written where it lies.
      life_of(assigner, fuse_source(op->operands[0]))->is_needed_in_hbm = true;
    }
    const bool is_users = op->kind == CHIP_OP_KERNEL;  // It brings its blocks itself.
    for (int i = 0; i < op->result_count && is_users; i++) {
      life_of(assigner, &op->results[i])->is_needed_in_hbm = true;
    }
    if ((at != CHIP_NONE && !is_kernel) || is_users) {
      need_in_hbm(assigner, op);
    }
    for (const mlir_op_t *inner = mlir_walk_first(op); inner != NULL && !is_kernel;
         inner = mlir_walk_next(op, inner)) {
      need_in_hbm(assigner, inner);
    }
  }
}

static void find_lives(const assigner_t *assigner) {
  const clusters_t *clusters = assigner->clusters;
  const cluster_block_t *block = &clusters->blocks.items[assigner->at];
  for (int32_t s = 0; s < block->step_count; s++) {
    const cluster_t *cluster = cluster_at(assigner, s);
    if (cluster->kind != CHIP_TASK_COMPUTE) {
      for (int i = 0; i < cluster->root->result_count; i++) {
        life_of(assigner, &cluster->root->results[i])->born = s;
      }
      continue;
    }
    for (int32_t i = 0; i < cluster->operand_count + cluster->result_count; i++) {
      const cluster_value_t *it = &clusters->values.items[cluster->first_value + i];
      life_t *life = life_of(assigner, it->value);
      life->saved = chip_work_plus(life->saved, it->bytes);
      if (i < cluster->operand_count) {
        life->first = life->first < 0 ? s : life->first;
        life->last = s;
        life->is_read_in_part =
            life->is_read_in_part || it->bytes != fuse_bytes(it->value);
      } else {
        life->born = s;
        // Its bytes are those of a larger array, which is written in place.
        life->is_needed_in_hbm =
            life->is_needed_in_hbm || it->bytes != fuse_bytes(it->value);
      }
    }
  }
}

// --- What stays ---

typedef struct candidate_t {
  double worth;
  const mlir_value_t *value;
  life_t life;
} candidate_t;

static int compare_candidates(const void *left, const void *right) {
  const candidate_t *a = left, *b = right;
  if (a->worth != b->worth) {
    return a->worth > b->worth ? -1 : 1;
  }
  return (a->value->id > b->value->id) - (a->value->id < b->value->id);
}

// An operand from outside that a kernel reads first and others read again: what the first
// one loads may stay for the others.
static bool is_read_again(const assigner_t *assigner, int32_t step,
                          const cluster_value_t *it, const bool *is_granted) {
  const life_t *life = life_of(assigner, it->value);
  return life->born < 0 && life->first == step && life->last > step &&
         !life->is_read_in_part && !life->is_needed_in_hbm && !is_granted[it->value->id];
}

static void add_read_again(assigner_t *assigner, int32_t step, const bool *is_granted,
                           candidate_t *candidates, int32_t *inout_count) {
  const cluster_t *cluster = cluster_at(assigner, step);
  for (int32_t i = 0; i < cluster->operand_count && cluster->kind == CHIP_TASK_COMPUTE;
       i++) {
    const cluster_value_t *it =
        &assigner->clusters->values.items[cluster->first_value + i];
    const int64_t bytes = fuse_bytes(it->value);
    if (bytes > 0 && bytes <= assigner->budget &&
        is_read_again(assigner, step, it, is_granted)) {
      life_t life = *life_of(assigner, it->value);
      life.born = step;
      life.stays_from_first = true;
      candidates[(*inout_count)++] = (candidate_t){
          (double)(life.saved - bytes) / (double)bytes / (double)(life.last - step + 1),
          it->value, life};
    }
  }
}

static candidate_t *find_candidates(assigner_t *assigner, const bool *is_granted,
                                    int32_t *out_count) {
  const clusters_t *clusters = assigner->clusters;
  const cluster_block_t *block = &clusters->blocks.items[assigner->at];
  int32_t room = 0;
  for (int32_t s = 0; s < block->step_count; s++) {
    room +=
        cluster_at(assigner, s)->result_count + cluster_at(assigner, s)->operand_count;
  }
  candidate_t *candidates = pod_alloc(((size_t)room + 1) * sizeof(*candidates));
  *out_count = 0;
  for (int32_t s = 0; s < block->step_count; s++) {
    const cluster_t *cluster = cluster_at(assigner, s);
    for (int32_t i = 0; i < cluster->result_count; i++) {
      const mlir_value_t *value =
          clusters->values.items[cluster->first_value + cluster->operand_count + i].value;
      const life_t *life = life_of(assigner, value);
      const int64_t bytes = fuse_bytes(value);
      if (life->born == s && life->last > s && !life->is_needed_in_hbm && bytes > 0 &&
          bytes <= assigner->budget) {
        candidates[(*out_count)++] = (candidate_t){
            (double)life->saved / (double)bytes / (double)(life->last - s + 1), value,
            *life};
      }
    }
    add_read_again(assigner, s, is_granted, candidates, out_count);
  }
  qsort(candidates, (size_t)*out_count, sizeof(*candidates), compare_candidates);
  return candidates;
}

// What is in VMEM is there when the kernel begins: of its first tiles less is waited for.
static void read_in_vmem(chip_work_t *work, const cluster_value_t *it) {
  const int64_t bytes = it->bytes;
  if (it->is_epilogue) {
    const int64_t beside = work->epilogue_bytes;
    work->epilogue_bytes = beside > bytes ? beside - bytes : 0;
  }
  const int64_t read = work->hbm_read_bytes;
  const int64_t left = read > bytes ? read - bytes : 0;
  work->first_bytes =
      left == 0 ? 0 : (int64_t)((double)work->first_bytes * (double)left / (double)read);
  work->hbm_read_bytes = left;
  work->vmem_bytes = chip_work_plus(work->vmem_bytes, bytes);
}

static void move_to_vmem(cluster_t *cluster, cluster_value_t *it, bool is_operand) {
  chip_work_t *work = &cluster->work;
  it->in_vmem = true;
  if (is_operand) {
    read_in_vmem(work, it);
    return;
  }
  work->hbm_written_bytes =
      work->hbm_written_bytes > it->bytes ? work->hbm_written_bytes - it->bytes : 0;
  work->vmem_bytes = chip_work_plus(work->vmem_bytes, it->bytes);
}

// Marks the kernels' operands and results among those that were granted.
static void move_granted(const assigner_t *assigner, const bool *is_granted) {
  clusters_t *clusters = assigner->clusters;
  const cluster_block_t *block = &clusters->blocks.items[assigner->at];
  for (int32_t s = 0; s < block->step_count; s++) {
    cluster_t *cluster = cluster_at(assigner, s);
    if (cluster->kind != CHIP_TASK_COMPUTE) {
      continue;
    }
    for (int32_t i = 0; i < cluster->operand_count + cluster->result_count; i++) {
      cluster_value_t *it = &clusters->values.items[cluster->first_value + i];
      const life_t *life = life_of(assigner, it->value);
      if (is_granted[it->value->id] && !(life->stays_from_first && s == life->first)) {
        move_to_vmem(cluster, it, i < cluster->operand_count);
      }
    }
  }
}

static void keep_values(assigner_t *assigner, bool *is_granted) {
  int32_t count;
  candidate_t *candidates = find_candidates(assigner, is_granted, &count);
  for (int32_t i = 0; i < count; i++) {
    const life_t *life = &candidates[i].life;
    const int64_t bytes = fuse_bytes(candidates[i].value);
    if (occupancy_most(&assigner->occupancy, life->born, life->last) <=
        assigner->budget - bytes) {
      occupancy_take(&assigner->occupancy, life->born, life->last, bytes);
      is_granted[candidates[i].value->id] = true;
      life_of(assigner, candidates[i].value)->stays_from_first = life->stays_from_first;
    }
  }
  free(candidates);
  move_granted(assigner, is_granted);
}

// What a kernel of the body makes of a carried value, and what kernels read of it, may
// stay for the whole loop. The way there and back at its ends is not counted.
static void keep_state(assigner_t *assigner, int index, bool *is_granted) {
  const clusters_t *clusters = assigner->clusters;
  const cluster_block_t *block = &clusters->blocks.items[assigner->at];
  const mlir_value_t *state = block->block->arguments[index];
  const mlir_value_t *next = fuse_source(block->block->last->operands[index]);
  const life_t old = *life_of(assigner, state), new = *life_of(assigner, next);
  const int64_t bytes = fuse_bytes(state);
  if (next == state && old.last >= 0 && !old.is_needed_in_hbm && !old.is_read_in_part &&
      bytes > 0 && bytes <= assigner->budget / 2 && !is_granted[state->id] &&
      occupancy_most(&assigner->occupancy, 0, block->step_count - 1) <=
          assigner->budget - bytes) {  // No turn changes it: it stays for all of them.
    occupancy_take(&assigner->occupancy, 0, block->step_count - 1, bytes);
    is_granted[state->id] = true;
    return;
  }
  if (next->op == NULL || new.born < 0 || old.last < 0 || old.is_needed_in_hbm ||
      new.is_needed_in_hbm || bytes > assigner->budget / 2 || is_granted[next->id] ||
      cluster_at(assigner, new.born)->kind != CHIP_TASK_COMPUTE) {
    return;
  }
  const int64_t room = old.last > new.born ? 2 * bytes : bytes;  // Not in place: twice.
  if (occupancy_most(&assigner->occupancy, 0, block->step_count - 1) <=
      assigner->budget - room) {
    occupancy_take(&assigner->occupancy, 0, block->step_count - 1, room);
    is_granted[state->id] = is_granted[next->id] = true;
  }
}

static void keep_states(assigner_t *assigner, bool *is_granted) {
  const mlir_block_t *block = assigner->clusters->blocks.items[assigner->at].block;
  const mlir_op_t *loop = block->region->op;
  if (loop->kind != CHIP_OP_WHILE || block != mlir_op_block(loop, 1)) {
    return;
  }
  for (int i = 0; i < block->argument_count; i++) {
    keep_state(assigner, i, is_granted);
  }
}

// --- What is brought ---

static chip_cost_t cost_of(const assigner_t *assigner, const chip_work_t *work) {
  return chip_work_cost(assigner->clusters->spec, work);
}

// The HBM time that a step leaves to others. While the core waits for a collective that
// is not asynchronous it leaves all; of one that is nobody knows how long it waits.
static int64_t idle_of(const assigner_t *assigner, int32_t step) {
  const cluster_t *cluster = cluster_at(assigner, step);
  if (step_at(assigner, step)->is_done || cluster->done != NULL) {
    return 0;
  }
  if (cluster->kind == CHIP_TASK_COLLECTIVE) {
    return cluster->duration_ps;
  }
  if (cluster->kind != CHIP_TASK_COMPUTE) {
    return 0;
  }
  const chip_cost_t cost = cost_of(assigner, &cluster->work);
  return cost.duration_ps > cost.hbm_ps ? cost.duration_ps - cost.hbm_ps : 0;
}

// The latest step from which on HBM is idle for `needed_ps` before `step`; -1: none is
// near enough.
static int32_t find_start(const assigner_t *assigner, int32_t step, int32_t born,
                          int64_t needed_ps) {
  const int32_t earliest =
      step - LOOK_BACK_MAX > born + 1 ? step - LOOK_BACK_MAX : born + 1;
  int64_t idle_ps = 0;
  for (int32_t s = step - 1; s >= earliest && s >= 0; s--) {
    idle_ps = chip_work_plus(idle_ps, assigner->idle_ps[s]);
    if (idle_ps >= needed_ps && !step_at(assigner, s)->is_done) {
      return s;
    }
  }
  return -1;
}

static void use_idle(assigner_t *assigner, int32_t first, int32_t end,
                     int64_t needed_ps) {
  for (int32_t s = end - 1; s >= first && needed_ps > 0; s--) {
    const int64_t part =
        assigner->idle_ps[s] < needed_ps ? assigner->idle_ps[s] : needed_ps;
    assigner->idle_ps[s] -= part;
    needed_ps -= part;
  }
}

static void add_prefetch(clusters_t *clusters, cluster_prefetch_t prefetch) {
  *pod_list_add(&clusters->prefetches) = prefetch;
}

static void try_prefetch(assigner_t *assigner, int32_t step, cluster_value_t *it) {
  clusters_t *clusters = assigner->clusters;
  cluster_t *cluster = cluster_at(assigner, step);
  const int64_t bytes = it->bytes;
  if (it->in_vmem || bytes != fuse_bytes(it->value) || bytes > assigner->budget) {
    return;
  }
  chip_work_t without = cluster->work;
  read_in_vmem(&without, it);
  const int64_t gain_ps = cost_of(assigner, &cluster->work).duration_ps -
                          cost_of(assigner, &without).duration_ps;
  const chip_work_t transfer = {.hbm_read_bytes = bytes};
  const int64_t transfer_ps =
      chip_work_plus(cost_of(assigner, &transfer).hbm_ps, clusters->spec->dma_latency_ps);
  if (gain_ps <= clusters->spec->dma_latency_ps) {
    return;
  }
  const int32_t born = life_of(assigner, it->value)->born;
  const int32_t start = find_start(assigner, step, born, transfer_ps);
  if (start < 0 ||
      occupancy_most(&assigner->occupancy, start, step) > assigner->budget - bytes) {
    return;
  }
  occupancy_take(&assigner->occupancy, start, step, bytes);
  use_idle(assigner, start, step, transfer_ps);
  move_to_vmem(cluster, it, true);
  assigner->idle_ps[step] = idle_of(assigner, step);
  add_prefetch(clusters, (cluster_prefetch_t){step_at(assigner, start)->cluster,
                                              step_at(assigner, step)->cluster, bytes});
}

static void prefetch_operands(assigner_t *assigner) {
  clusters_t *clusters = assigner->clusters;
  const cluster_block_t *block = &clusters->blocks.items[assigner->at];
  assigner->idle_ps =
      pod_alloc(((size_t)block->step_count + 1) * sizeof(*assigner->idle_ps));
  for (int32_t s = 0; s < block->step_count; s++) {
    assigner->idle_ps[s] = idle_of(assigner, s);
  }
  for (int32_t s = 1; s < block->step_count; s++) {
    const cluster_t *cluster = cluster_at(assigner, s);
    for (int32_t i = 0; i < cluster->operand_count; i++) {
      if (cluster->kind == CHIP_TASK_COMPUTE && cluster->root->kind != CHIP_OP_KERNEL) {
        try_prefetch(assigner, s, &clusters->values.items[cluster->first_value + i]);
      }
    }
  }
  free(assigner->idle_ps);
}

// --- Blocks ---

static void assign_block(assigner_t *assigner, bool *is_granted) {
  clusters_t *clusters = assigner->clusters;
  const cluster_block_t *block = &clusters->blocks.items[assigner->at];
  if (block->step_count == 0) {
    return;
  }
  occupancy_init(&assigner->occupancy, block->step_count);
  for (int32_t s = 0; s < block->step_count; s++) {
    occupancy_take(&assigner->occupancy, s, s,
                   assigner->inner_most[step_at(assigner, s)->cluster]);
  }
  find_needs(assigner);
  find_lives(assigner);
  keep_states(assigner, is_granted);
  need_in_hbm(assigner, block->block->last);
  keep_values(assigner, is_granted);
  prefetch_operands(assigner);
  if (assigner->at > 0) {
    const int64_t most = occupancy_most(&assigner->occupancy, 0, block->step_count - 1);
    int64_t *outer =
        &assigner->inner_most[clusters->cluster_of[block->block->region->op->id]];
    *outer = most > *outer ? most : *outer;
  }
  occupancy_deinit(&assigner->occupancy);
}

static int compare_prefetches(const void *left, const void *right) {
  const cluster_prefetch_t *a = left, *b = right;
  if (a->start_before != b->start_before) {
    return a->start_before < b->start_before ? -1 : 1;
  }
  if (a->cluster != b->cluster) {
    return a->cluster < b->cluster ? -1 : 1;
  }
  return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

void clusters_assign_vmem(clusters_t *clusters) {
  const int64_t vmem_bytes = clusters->spec->vmem_bytes;
  const int64_t kernel_bytes =
      KERNEL_BYTES < vmem_bytes / 2 ? KERNEL_BYTES : vmem_bytes / 2;
  const size_t value_count = clusters->module->value_count;
  assigner_t assigner = {
      .clusters = clusters,
      .budget = vmem_bytes - kernel_bytes,
      .lives = pod_alloc((value_count + 1) * sizeof(life_t)),
      .inner_most = pod_alloc(((size_t)clusters->cluster_count + 1) * sizeof(int64_t))};
  for (size_t i = 0; i < value_count; i++) {
    assigner.lives[i].block = CHIP_NONE;
  }
  bool *is_granted = pod_alloc(value_count + 1);
  for (int32_t b = clusters->blocks.count - 1; b >= 0; b--) {  // Inner ones first.
    assigner.at = b;
    assign_block(&assigner, is_granted);
  }
  if (clusters->prefetches.count > 1) {
    qsort(clusters->prefetches.items, (size_t)clusters->prefetches.count,
          sizeof(cluster_prefetch_t), compare_prefetches);
  }
  free(assigner.lives);
  free(assigner.inner_most);
  free(is_granted);
}
