// What a cluster demands of the chip: the operations of its members, and the bytes of
// what comes from outside and goes there. What stays inside costs no traffic.
//
// A member that only a part of is needed (a slice reads it) works and reads for that part
// only.

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "common/tensor/tiles.h"
#include "server/chip/cost.h"
#include "server/chip/work.h"
#include "server/compiler/dialect/recomputed.h"
#include "server/compiler/lower/lower.h"
#include "server/compiler/placement/placement.h"
#include "server/compiler/schedule/fuse.h"

typedef struct counter_t {
  const fuser_t *fuser;
  clusters_t *clusters;
  const int32_t *draft_of;  // By cluster: its draft.
  lower_t lower;            // For lower_attrs: module and mesh.
  pod_arena_t *arena;       // Of attributes.
  int64_t *needed;          // By op id: elements of its result that the cluster needs.
  int32_t *seen;            // By value id: its place in the cluster's list, + 1.
  bool *feeds;              // By op id: a product of the cluster needs it, or it is one.
} counter_t;

// --- Members ---

static void count_members(const fuser_t *fuser, clusters_t *clusters,
                          const int32_t *cluster_of_draft) {
  for (int32_t b = 0; b < clusters->blocks.count; b++) {
    for (const mlir_op_t *op = clusters->blocks.items[b].block->first; op != NULL;
         op = op->next) {
      const fuse_owners_t *owners = &fuser->owners[op->id];
      for (int32_t i = 0; i < owners->count; i++) {
        clusters->clusters[cluster_of_draft[owners->clusters[i]]].member_count++;
        clusters->member_count++;
      }
    }
  }
}

// Several owners may have become one since: an operation is listed once.
static void fill_members(const fuser_t *fuser, clusters_t *clusters,
                         const int32_t *cluster_of_draft) {
  count_members(fuser, clusters, cluster_of_draft);
  clusters->members =
      pod_alloc(((size_t)clusters->member_count + 1) * sizeof(*clusters->members));
  int32_t next = 0;
  for (int32_t c = 0; c < clusters->cluster_count; c++) {
    clusters->clusters[c].first_member = next;
    next += clusters->clusters[c].member_count;
    clusters->clusters[c].member_count = 0;
  }
  for (uint32_t i = 0; i < clusters->op_count; i++) {
    clusters->cluster_of[i] = CHIP_NONE;
  }
  for (int32_t b = 0; b < clusters->blocks.count; b++) {
    for (mlir_op_t *op = clusters->blocks.items[b].block->first; op != NULL;
         op = op->next) {
      const fuse_owners_t *owners = &fuser->owners[op->id];
      bool is_one = owners->count > 0;
      for (int32_t i = 0; i < owners->count; i++) {
        const int32_t at = cluster_of_draft[owners->clusters[i]];
        cluster_t *cluster = &clusters->clusters[at];
        is_one = is_one && at == cluster_of_draft[owners->clusters[0]];
        mlir_op_t **members = &clusters->members[cluster->first_member];
        if (cluster->member_count == 0 || members[cluster->member_count - 1] != op) {
          members[cluster->member_count++] = op;
        }
      }
      clusters->cluster_of[op->id] =
          is_one ? cluster_of_draft[owners->clusters[0]] : CHIP_NONE;
    }
  }
}

// --- Operations ---

enum { LONE_VALUES = 8 };  // That most operations do with.

// An operation as the instruction that it would be by itself.
typedef struct lone_t {
  chip_buffer_t few_buffers[LONE_VALUES];
  int32_t few_indexes[LONE_VALUES];
  chip_program_t program;
  chip_instruction_t instruction;
  chip_buffer_t *buffers;
  int32_t *indexes;
} lone_t;

static pod_status_t lone_init(counter_t *counter, const mlir_op_t *op, bool needs_attrs,
                              lone_t *lone) {
  const int count = op->operand_count + op->result_count;
  const bool is_small = count <= LONE_VALUES;
  lone->buffers =
      is_small ? lone->few_buffers : pod_alloc((size_t)count * sizeof(*lone->buffers));
  lone->indexes =
      is_small ? lone->few_indexes : pod_alloc((size_t)count * sizeof(*lone->indexes));
  for (int i = 0; i < count; i++) {
    const mlir_value_t *value =
        i < op->operand_count ? op->operands[i] : &op->results[i - op->operand_count];
    lone->buffers[i] = (chip_buffer_t){.shape = value->type->shape};
    lone->indexes[i] = i;
  }
  lone->program = (chip_program_t){.buffer_count = count, .buffers = lone->buffers};
  lone->instruction = (chip_instruction_t){.op = (chip_op_t)op->kind,
                                           .operand_count = op->operand_count,
                                           .operands = lone->indexes,
                                           .result_count = op->result_count,
                                           .results = lone->indexes + op->operand_count};
  if (!needs_attrs) {
    return NULL;
  }
  enum { ATTRS_BYTES_MAX = 1 << 20 };  // Groups of a large pod are long lists.
  if (pod_arena_used_bytes(counter->arena) > ATTRS_BYTES_MAX) {
    pod_arena_destroy(counter->arena);
    counter->arena = pod_arena_create();
  }
  return lower_attrs(&counter->lower, op, counter->arena, &lone->instruction.attr_count,
                     &lone->instruction.attrs);
}

static void lone_deinit(lone_t *lone) {
  if (lone->buffers != lone->few_buffers) {
    free(lone->buffers);
    free(lone->indexes);
  }
}

// By its row of the table.
static pod_status_t member_work(counter_t *counter, const mlir_op_t *op,
                                chip_work_t *out_work) {
  lone_t lone;
  const bool needs_attrs = fuse_class(op) == FUSE_PRODUCT || fuse_class(op) == FUSE_ALONE;
  const pod_status_t status = lone_init(counter, op, needs_attrs, &lone);
  if (status == NULL) {
    *out_work =
        chip_instruction_work(counter->clusters->spec, &lone.program, &lone.instruction);
  }
  lone_deinit(&lone);
  return status;
}

// --- Time ---

// FNV-1a.
static uint64_t hash_list(uint64_t hash, const int64_t *values, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    hash = (hash ^ (uint64_t)values[i]) * 1099511628211u;
  }
  return hash;
}

// Collectives with the same first group or the same pairs use the same links.
static uint64_t links_of(const chip_instruction_t *instruction) {
  const uint64_t start = 14695981039346656037u;
  int32_t count;
  const int64_t *pairs =
      chip_instruction_attr(instruction, CHIP_ATTR_SOURCE_TARGET_PAIRS, &count);
  if (pairs != NULL) {
    return hash_list(start, pairs, count);
  }
  const int64_t *ids =
      chip_instruction_attr(instruction, CHIP_ATTR_REPLICA_GROUPS, &count);
  const int64_t size =
      chip_instruction_attr_one(instruction, CHIP_ATTR_GROUP_SIZE, count);
  return hash_list(start, ids, size < count ? size : count);
}

static pod_status_t at_root(const clusters_t *clusters, const cluster_t *cluster,
                            pod_status_t status) {
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t located =
      mlir_op_error(clusters->module, cluster->root, pod_status_code(status), "%s",
                    pod_status_message(status));
  pod_status_free(status);
  return located;
}

// What the core does for it, and what the clock of the pod says of its links.
static pod_status_t price_collective(counter_t *counter, cluster_t *cluster) {
  const clusters_t *clusters = counter->clusters;
  lone_t lone;
  pod_status_t status = lone_init(counter, cluster->root, true, &lone);
  if (status == NULL) {
    // A region that is no known reducer is called: its collective moves all operands.
    lone.instruction.call_count = cluster->root->region_count;
    simulator_price_t price = {0};
    cluster->links = links_of(&lone.instruction);
    status = at_root(
        clusters, cluster,
        simulator_prices_find(clusters->prices, &lone.program, &lone.instruction,
                              clusters->algorithms->of[lone.instruction.op], &price));
    cluster->duration_ps = chip_work_plus(price.duration_ps, clusters->spec->kernel_ps);
  }
  lone_deinit(&lone);
  return status;
}

// What is inside a loop or branch stands behind it.
static void estimate_control(clusters_t *clusters) {
  for (int32_t b = clusters->blocks.count - 1; b > 0; b--) {
    const cluster_block_t *block = &clusters->blocks.items[b];
    const int32_t at = clusters->cluster_of[block->block->region->op->id];
    cluster_t *outer = &clusters->clusters[at];
    for (int32_t i = 0; i < block->cluster_count; i++) {
      const cluster_t *inner = &clusters->clusters[block->first_cluster + i];
      outer->duration_ps = chip_work_plus(outer->duration_ps, inner->duration_ps);
      outer->has_collectives = outer->has_collectives || inner->has_collectives ||
                               inner->kind == CHIP_TASK_COLLECTIVE;
    }
  }
}

static int64_t part_of(int64_t amount, int64_t needed, int64_t elements) {
  return needed >= elements
             ? amount
             : (int64_t)((double)amount * (double)needed / (double)elements);
}

// Products of one kernel follow each other: the first one's operands are waited for, and
// the last one's result.
static void add_tiles(chip_work_t *sum, const chip_work_t *work) {
  if (work->tile_steps > 0) {
    sum->first_bytes = sum->tile_steps > 0 ? sum->first_bytes : work->first_bytes;
    sum->last_bytes = work->last_bytes;
    sum->tile_steps = chip_work_plus(sum->tile_steps, work->tile_steps);
  }
}

static void count_recomputed(const mlir_op_t *op, int64_t flop, chip_work_t *sum) {
  const recomputed_t recomputed = compiler_recomputed(op);
  if (recomputed == RECOMPUTED_UNKNOWN || sum->recomputed_flop < 0) {
    sum->recomputed_flop = -1;
  } else if (recomputed == RECOMPUTED_YES) {
    sum->recomputed_flop = chip_work_plus(sum->recomputed_flop, flop);
  }
}

static pod_status_t count_operations(counter_t *counter, cluster_t *cluster) {
  for (int32_t m = 0; m < cluster->member_count; m++) {
    const mlir_op_t *op = counter->clusters->members[cluster->first_member + m];
    const fuse_class_t class = fuse_class(op);
    if (class == FUSE_VIEW || (class == FUSE_LOOP && !fuse_is_elementwise(op))) {
      continue;
    }
    chip_work_t work = {0};
    POD_TRY(member_work(counter, op, &work));
    const int64_t vpu_op =
        part_of(work.vpu_op, counter->needed[op->id], fuse_elements(&op->results[0]));
    cluster->work.mxu_flop = chip_work_plus(cluster->work.mxu_flop, work.mxu_flop);
    cluster->work.mxu_busy_flop =
        chip_work_plus(cluster->work.mxu_busy_flop, work.mxu_busy_flop);
    if (work.mxu_flop > 0) {
      count_recomputed(op, work.mxu_flop, &cluster->work);
    }
    cluster->work.vpu_op = chip_work_plus(cluster->work.vpu_op, vpu_op);
    cluster->work.host_bytes = chip_work_plus(cluster->work.host_bytes, work.host_bytes);
    cluster->work.serial_steps =
        chip_work_plus(cluster->work.serial_steps, work.serial_steps);
    add_tiles(&cluster->work, &work);
    cluster->work.grid_steps = chip_work_plus(cluster->work.grid_steps, work.grid_steps);
    cluster->work.grid_ps = chip_work_plus(cluster->work.grid_ps, work.grid_ps);
    cluster->work.vmem_bytes = chip_work_plus(cluster->work.vmem_bytes, work.vmem_bytes);
    if (class == FUSE_ALONE) {
      cluster->work.hbm_read_bytes = work.hbm_read_bytes;
      cluster->work.hbm_written_bytes = work.hbm_written_bytes;
    }
  }
  return NULL;
}

// --- Traffic ---

static cluster_value_t *add_value(clusters_t *clusters, const mlir_value_t *value,
                                  int64_t bytes) {
  cluster_value_t *it = pod_list_add(&clusters->values);
  *it = (cluster_value_t){.value = value, .bytes = bytes};
  return it;
}

static bool is_part_read(const mlir_op_t *op, int index) {
  return index == 0 && (op->kind == CHIP_OP_SLICE || op->kind == CHIP_OP_DYNAMIC_SLICE);
}

static int64_t at_most(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// Elements of operand `index` that are needed for `needed` elements of the result.
static int64_t needed_of(const mlir_op_t *op, int index, int64_t needed) {
  const int64_t all = fuse_elements(op->operands[index]);
  if (fuse_is_elementwise(op) || op->kind == CHIP_OP_RESHAPE || is_part_read(op, index) ||
      op->kind == CHIP_OP_BROADCAST_IN_DIM || op->kind == CHIP_OP_TRANSPOSE) {
    return at_most(all, needed);
  }
  return all;
}

// Bytes of the operand from outside that this member takes.
static int64_t bytes_taken(const counter_t *counter, const mlir_op_t *op, int index,
                           const mlir_value_t *source) {
  if (fuse_is_generated(source) ||
      (op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE && index == 0)) {
    return 0;  // Made on the spot; written in place.
  }
  const int64_t whole = fuse_bytes(source);
  if (is_part_read(op, index) &&
      counter->needed[op->id] >= fuse_elements(&op->results[0])) {
    return at_most(whole, fuse_bytes(&op->results[0]));
  }
  return part_of(whole, needed_of(op, index, counter->needed[op->id]),
                 fuse_elements(op->operands[index]));
}

static void add_operand(counter_t *counter, cluster_t *cluster, const mlir_op_t *op,
                        int index, int32_t draft) {
  const mlir_value_t *value = op->operands[index];
  if (value->op != NULL && fuse_is_in(counter->fuser, value->op, draft)) {
    int64_t *needed = &counter->needed[value->op->id];
    const int64_t more = needed_of(op, index, counter->needed[op->id]);
    *needed = more > *needed ? more : *needed;
    counter->feeds[value->op->id] =
        counter->feeds[value->op->id] || counter->feeds[op->id];
    return;
  }
  const mlir_value_t *source = fuse_source(value);
  const bool is_scalar = source->type->shape.rank == 0;  // In the scalar core's memory.
  const int64_t bytes = is_scalar ? 0 : bytes_taken(counter, op, index, source);
  if (bytes == 0) {
    return;
  }
  int32_t *seen = &counter->seen[source->id];
  if (*seen > cluster->first_value) {
    cluster_value_t *it = &counter->clusters->values.items[*seen - 1];
    it->bytes = at_most(fuse_bytes(source), chip_work_plus(it->bytes, bytes));
    it->is_epilogue = it->is_epilogue && !counter->feeds[op->id];
    return;
  }
  add_value(counter->clusters, source, bytes)->is_epilogue = !counter->feeds[op->id];
  *seen = counter->clusters->values.count;
  cluster->operand_count++;
}

// Whether others need it. What is computed anew in several clusters leaves none.
static bool leaves(const counter_t *counter, const mlir_value_t *value, int32_t draft) {
  const fuser_t *fuser = counter->fuser;
  if (!fuse_is_only_in(fuser, value->op, draft)) {
    return false;
  }
  for (int32_t u = fuser->use_first[value->id]; u < fuser->use_first[value->id + 1];
       u++) {
    if (!fuse_is_in(fuser, fuser->uses[u].op, draft)) {
      return true;
    }
  }
  return false;
}

static void add_result(counter_t *counter, cluster_t *cluster,
                       const mlir_value_t *value) {
  const bool is_update = value->op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE;
  add_value(counter->clusters, value,
            fuse_bytes(is_update ? value->op->operands[1] : value));
  cluster->result_count++;
}

// The members from the last to the first, so that what is needed of each is known before
// its operands are looked at; then the results.
static void list_values(counter_t *counter, cluster_t *cluster, int32_t draft) {
  clusters_t *clusters = counter->clusters;
  mlir_op_t *const *members = &clusters->members[cluster->first_member];
  cluster->first_value = clusters->values.count;
  for (int32_t m = 0; m < cluster->member_count; m++) {
    counter->needed[members[m]->id] = 0;
    counter->feeds[members[m]->id] = fuse_class(members[m]) == FUSE_PRODUCT;
  }
  for (int32_t m = cluster->member_count - 1; m >= 0; m--) {
    const mlir_op_t *op = members[m];
    for (int r = 0; r < op->result_count; r++) {
      if (leaves(counter, &op->results[r], draft)) {
        counter->needed[op->id] = fuse_elements(&op->results[r]);
      }
    }
    for (int i = 0; i < op->operand_count; i++) {
      add_operand(counter, cluster, op, i, draft);
    }
  }
  for (int32_t m = 0; m < cluster->member_count; m++) {
    for (int r = 0; r < members[m]->result_count; r++) {
      if (leaves(counter, &members[m]->results[r], draft)) {
        add_result(counter, cluster, &members[m]->results[r]);
      }
    }
  }
}

static void sum_traffic(const clusters_t *clusters, cluster_t *cluster) {
  for (int32_t i = 0; i < cluster->operand_count + cluster->result_count; i++) {
    const cluster_value_t *it = &clusters->values.items[cluster->first_value + i];
    int64_t *sum = i < cluster->operand_count ? &cluster->work.hbm_read_bytes
                                              : &cluster->work.hbm_written_bytes;
    *sum = chip_work_plus(*sum, it->bytes);
  }
}

// A product alone in its kernel whose epilogue reads arrays: its tiles leave room for
// them.
static pod_status_t count_epilogue(counter_t *counter, cluster_t *cluster) {
  clusters_t *clusters = counter->clusters;
  const mlir_op_t *product = NULL;
  for (int32_t m = 0; m < cluster->member_count; m++) {
    const mlir_op_t *op = clusters->members[cluster->first_member + m];
    if (fuse_class(op) == FUSE_PRODUCT) {
      if (product != NULL) {
        return NULL;
      }
      product = op;
    }
  }
  int64_t bytes = 0;
  for (int32_t i = 0; i < cluster->operand_count; i++) {
    const cluster_value_t *it = &clusters->values.items[cluster->first_value + i];
    bytes = chip_work_plus(bytes, it->is_epilogue ? it->bytes : 0);
  }
  if (product == NULL || bytes == 0 || cluster->work.tile_steps == 0) {
    return NULL;
  }
  lone_t lone;
  const pod_status_t status = lone_init(counter, product, true, &lone);
  if (status == NULL) {
    const chip_work_t work = chip_instruction_work_beside(clusters->spec, &lone.program,
                                                          &lone.instruction, bytes);
    cluster->work.tile_steps = work.tile_steps;
    cluster->work.first_bytes = work.first_bytes;
    cluster->work.last_bytes = work.last_bytes;
    cluster->work.result_tiles = work.result_tiles;
    cluster->work.epilogue_bytes = bytes;
  }
  lone_deinit(&lone);
  return status;
}

enum { LINKS_TO_HOST = 1, LINKS_FROM_HOST = 2 };

// Arrays lie on the host as they lie in HBM, in tiles: these move.
static void price_transfer(const clusters_t *clusters, cluster_t *cluster) {
  const bool is_to_host = placement_is_to_host(cluster->root);
  const int64_t bytes = fuse_bytes(placement_moved(cluster->root));
  cluster->links = is_to_host ? LINKS_TO_HOST : LINKS_FROM_HOST;
  cluster->work = (chip_work_t){.host_bytes = bytes,
                                .hbm_read_bytes = is_to_host ? bytes : 0,
                                .hbm_written_bytes = is_to_host ? 0 : bytes};
  cluster->duration_ps =
      chip_work_plus(chip_work_cost(clusters->spec, &cluster->work).host_ps,
                     clusters->spec->pcie_latency_ps);
}

static pod_status_t count_cluster(counter_t *counter, int32_t index) {
  clusters_t *clusters = counter->clusters;
  cluster_t *cluster = &clusters->clusters[index];
  if (cluster->kind == CHIP_TASK_TRANSFER_START) {
    price_transfer(clusters, cluster);
    return NULL;
  }
  if (cluster->kind == CHIP_TASK_WHILE || cluster->kind == CHIP_TASK_BRANCH) {
    return NULL;
  }
  list_values(counter, cluster, counter->draft_of[index]);
  if (cluster->kind == CHIP_TASK_COMPUTE) {
    POD_TRY(count_operations(counter, cluster));
    POD_TRY(count_epilogue(counter, cluster));
  }
  if (cluster->member_count != 1 || fuse_class(cluster->root) != FUSE_ALONE) {
    sum_traffic(clusters, cluster);
  }
  if (cluster->kind == CHIP_TASK_COLLECTIVE) {
    return price_collective(counter, cluster);
  }
  cluster->duration_ps = chip_work_cost(clusters->spec, &cluster->work).duration_ps;
  return NULL;
}

pod_status_t fuse_count_work(const fuser_t *fuser, clusters_t *clusters,
                             const int32_t *cluster_of_draft) {
  clusters->cluster_of =
      pod_alloc(((size_t)clusters->op_count + 1) * sizeof(*clusters->cluster_of));
  fill_members(fuser, clusters, cluster_of_draft);
  int32_t *draft_of =
      pod_alloc(((size_t)clusters->cluster_count + 1) * sizeof(*draft_of));
  for (int32_t i = 0; i < fuser->drafts.count; i++) {
    if (fuse_find(fuser, i) == i) {
      draft_of[cluster_of_draft[i]] = i;
    }
  }
  counter_t counter = {
      .fuser = fuser,
      .clusters = clusters,
      .draft_of = draft_of,
      .lower = {.module = clusters->module, .partitioned = clusters->partitioned},
      .arena = pod_arena_create(),
      .needed = pod_alloc((size_t)clusters->op_count * sizeof(int64_t)),
      .seen = pod_alloc((size_t)clusters->module->value_count * sizeof(int32_t)),
      .feeds = pod_alloc((size_t)clusters->op_count + 1)};
  pod_status_t status = NULL;
  for (int32_t i = 0; i < clusters->cluster_count && status == NULL; i++) {
    status = count_cluster(&counter, i);
  }
  estimate_control(clusters);
  pod_arena_destroy(counter.arena);
  free(counter.needed);
  free(counter.feeds);
  free(counter.seen);
  free(draft_of);
  return status;
}
