// Which operations become one kernel, as XLA's fusion for TPUs decides it as far as HLO
// dumps tell: the backwards walk of xla/service/instruction_fusion.cc, with products and
// reductions that also take what follows them element by element.
//
// The walk goes over a block from its end. An operation whose readers are all in one
// cluster joins it; one whose readers are in several is computed anew in each where that
// moves fewer bytes than writing and reading it; any other is the root of a cluster of
// its own. So no value leaves a cluster except its root's, and whatever a cluster needs
// is made before its root: contracting clusters cannot make a cycle.

#include "server/compiler/schedule/fuse.h"
#include "server/compiler/partition/partition.h"

#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"

// --- Uses ---

static void count_uses(fuser_t *fuser) {
  for (mlir_op_t *op = mlir_walk_first(fuser->main); op != NULL;
       op = mlir_walk_next(fuser->main, op)) {
    fuser->position[op->id] =
        op->previous == NULL ? 0 : fuser->position[op->previous->id] + 1;
    for (int i = 0; i < op->operand_count; i++) {
      fuser->use_first[op->operands[i]->id + 1]++;
    }
  }
  for (uint32_t i = 0; i < fuser->module->value_count; i++) {
    fuser->use_first[i + 1] += fuser->use_first[i];
  }
}

static void collect_uses(fuser_t *fuser) {
  const size_t value_count = fuser->module->value_count;
  fuser->use_first = pod_alloc((value_count + 1) * sizeof(*fuser->use_first));
  count_uses(fuser);
  fuser->uses =
      pod_alloc(((size_t)fuser->use_first[value_count] + 1) * sizeof(*fuser->uses));
  int32_t *next = pod_alloc((value_count + 1) * sizeof(*next));
  for (mlir_op_t *op = mlir_walk_first(fuser->main); op != NULL;
       op = mlir_walk_next(fuser->main, op)) {
    for (int i = 0; i < op->operand_count; i++) {
      const uint32_t id = op->operands[i]->id;
      fuser->uses[fuser->use_first[id] + next[id]++] = (fuse_use_t){op, i};
    }
  }
  free(next);
}

// --- Deadlines ---

static const mlir_block_t *block_of(const mlir_value_t *value) {
  return value->op != NULL ? value->op->block : value->block;
}

// A view of an argument that stays is copied anyway before it is written over.
static bool is_kept(const mlir_value_t *array, const donation_t *donation) {
  return donation != NULL && array->op == NULL &&
         donation->result_of[array->index] == CHIP_NONE;
}

// Whoever reads it behind `position`, in the block or further inside, keeps it anyway.
static bool is_read_behind(const fuser_t *fuser, const mlir_value_t *array,
                           int32_t position) {
  const mlir_block_t *block = block_of(array);
  for (int32_t u = fuser->use_first[array->id]; u < fuser->use_first[array->id + 1];
       u++) {
    const mlir_op_t *user = fuser->uses[u].op;
    while (user->block != block) {
      user = user->block->region->op;
    }
    if (fuser->position[user->id] > position) {
      return true;
    }
  }
  return false;
}

// `donation` is @main's; NULL for a loop's body.
static void note_overwrites(fuser_t *fuser, const mlir_block_t *block,
                            const donation_t *donation) {
  overwrites_list(block, donation, &fuser->overwrites);
  for (int32_t i = 0; i < fuser->overwrites.count; i++) {
    const overwrite_t *overwrite = &fuser->overwrites.items[i];
    const mlir_value_t *array = fuse_source(overwrite->array);
    const int32_t position = fuser->position[overwrite->op->id];
    if (block_of(array) == block && !is_kept(array, donation) &&
        position < fuser->written_at[array->id]) {
      fuser->written_at[array->id] = position;
    }
  }
  // The first alone: readers are gone through once, however many write over an array.
  for (int32_t i = 0; i < fuser->overwrites.count; i++) {
    const overwrite_t *overwrite = &fuser->overwrites.items[i];
    const mlir_value_t *array = fuse_source(overwrite->array);
    const int32_t position = fuser->position[overwrite->op->id];
    if (fuser->written_at[array->id] == position &&
        is_read_behind(fuser, array, position)) {
      fuser->written_at[array->id] = INT32_MAX;
    }
  }
}

static void find_overwrites(fuser_t *fuser, const donation_t *donation) {
  for (uint32_t i = 0; i < fuser->module->value_count; i++) {
    fuser->written_at[i] = INT32_MAX;
  }
  note_overwrites(fuser, mlir_op_block(fuser->main, 0), donation);
  for (mlir_op_t *op = mlir_walk_first(fuser->main); op != NULL;
       op = mlir_walk_next(fuser->main, op)) {
    if (op->kind == CHIP_OP_WHILE) {
      note_overwrites(fuser, mlir_op_block(op, 1), NULL);
    }
  }
}

// What `value` is made of element by element, for one reader; NULL: of nothing alone.
static const mlir_value_t *made_of(const fuser_t *fuser, const mlir_value_t *value) {
  const mlir_op_t *op = value->op;
  const bool has_one_use =
      fuser->use_first[value->id + 1] - fuser->use_first[value->id] == 1;
  return op != NULL && has_one_use && op->operand_count == 1 && fuse_is_elementwise(op)
             ? fuse_source(op->operands[0])
             : NULL;
}

// A kernel behind it would keep all of an array, of which `op` makes something smaller,
// aside. Where that is not more than what a kernel more costs, there is none.
static int32_t deadline_of(const fuser_t *fuser, const mlir_op_t *op) {
  enum { STEPS_MAX = 8 };  // Element by element.
  int32_t deadline = INT32_MAX;
  for (int i = 0; i < op->operand_count && op->result_count == 1; i++) {
    const mlir_value_t *array = fuse_source(op->operands[i]);
    for (int step = 0; step < STEPS_MAX && array != NULL; step++) {
      const int32_t at = fuser->written_at[array->id];
      if (at < deadline && block_of(array) == op->block && at > fuser->position[op->id] &&
          fuse_bytes(&op->results[0]) + fuser->kernel_bytes < fuse_bytes(array)) {
        deadline = at;
      }
      array = made_of(fuser, array);
    }
  }
  return deadline;
}

bool fuse_is_in_time(const fuser_t *fuser, int32_t deadline, const mlir_op_t *root) {
  return fuser->position[root->id] <= deadline;
}

static bool are_in_time(const fuser_t *fuser, int32_t deadline,
                        const fuse_owners_t *owners) {
  for (int32_t i = 0; i < owners->count && deadline != INT32_MAX; i++) {
    if (!fuse_is_in_time(fuser, deadline,
                         fuser->drafts.items[owners->clusters[i]].root)) {
      return false;
    }
  }
  return true;
}

// --- Clusters ---

int32_t fuse_find(const fuser_t *fuser, int32_t at) {
  while (fuser->drafts.items[at].parent != at) {
    fuser->drafts.items[at].parent =
        fuser->drafts.items[fuser->drafts.items[at].parent].parent;
    at = fuser->drafts.items[at].parent;
  }
  return at;
}

bool fuse_is_in(const fuser_t *fuser, const mlir_op_t *op, int32_t at) {
  const fuse_owners_t *owners = &fuser->owners[op->id];
  for (int32_t i = 0; i < owners->count; i++) {
    if (fuse_find(fuser, owners->clusters[i]) == at) {
      return true;
    }
  }
  return false;
}

bool fuse_is_only_in(const fuser_t *fuser, const mlir_op_t *op, int32_t at) {
  const fuse_owners_t *owners = &fuser->owners[op->id];
  for (int32_t i = 0; i < owners->count; i++) {
    if (fuse_find(fuser, owners->clusters[i]) != at) {
      return false;
    }
  }
  return owners->count > 0;
}

static void start_cluster(fuser_t *fuser, mlir_op_t *op, chip_task_kind_t kind,
                          cluster_hero_t hero, bool is_alone) {
  const int32_t at = fuser->drafts.count;
  *pod_list_add(&fuser->drafts) = (fuse_draft_t){
      .root = op,
      .kind = kind,
      .hero = hero,
      .is_alone = is_alone,
      .parent = at,
      .member_count = 1,
      .elements = op->result_count == 0 ? 0 : fuse_elements(&op->results[0]),
      .deadline = deadline_of(fuser, op),
      .next_root = CHIP_NONE};
  if (hero == CLUSTER_HERO_REDUCE) {
    fuser->drafts.items[at].elements = fuse_elements(op->operands[0]);
  }
  fuser->owners[op->id] = (fuse_owners_t){1, {at}};
  fuser->keeps_elements[op->id] = true;
}

// --- Which edges fuse ---

// Whether `producer` can be computed where operand `index` of `user` is read.
static bool is_fusible_edge(const fuser_t *fuser, const mlir_op_t *producer,
                            const fuse_use_t *use) {
  const mlir_op_t *user = use->op;
  const fuse_owners_t *owners = &fuser->owners[user->id];
  if (user->block != producer->block || owners->count == 0) {
    return false;
  }
  const fuse_draft_t *draft = &fuser->drafts.items[owners->clusters[0]];
  if (draft->is_alone) {
    return false;
  }
  const bool is_relayout = fuse_class(producer) == FUSE_RELAYOUT;
  switch (fuse_class(user)) {
    case FUSE_VIEW:
      return true;
    case FUSE_LOOP:
      return !is_relayout;
    case FUSE_REDUCE:
      return !is_relayout && use->index < user->operand_count / 2;
    case FUSE_UPDATE:
      return !is_relayout && use->index == 1;
    case FUSE_RELAYOUT:  // Free on the way into a product, and only there.
      return draft->hero == CLUSTER_HERO_PRODUCT && draft->root != user;
    case FUSE_PRODUCT:
      return producer->kind != CHIP_OP_CONCATENATE && producer->kind != CHIP_OP_PAD &&
             !fuse_is_transcendental(producer) &&
             !fuser->comes_from_product[producer->id];
    default:
      return false;
  }
}

// Whether what is read there is read element by element, so that a product or reduction
// can hand its results on as they come.
static bool keeps_elements(const fuser_t *fuser, const mlir_op_t *producer,
                           const fuse_use_t *use) {
  const mlir_op_t *user = use->op;
  if (!fuser->keeps_elements[user->id]) {
    return false;
  }
  switch (fuse_class(user)) {
    case FUSE_VIEW:
      return true;
    case FUSE_LOOP:
      return fuse_is_elementwise(user) && fuse_elements(user->operands[use->index]) ==
                                              fuse_elements(&user->results[0]);
    case FUSE_UPDATE:
      return use->index == 1;
    case FUSE_RELAYOUT:  // A product writes its result in any order.
      return fuse_class(producer) == FUSE_PRODUCT;
    default:
      return false;
  }
}

// The clusters that read any result of `op`, all through edges that fuse. False: some do
// not fuse, or there are too many. Heroes join a cluster only where elements are kept.
static bool collect_owners(const fuser_t *fuser, const mlir_op_t *op, bool is_hero,
                           fuse_owners_t *out_owners, bool *out_keeps) {
  *out_owners = (fuse_owners_t){0};
  *out_keeps = true;
  for (int r = 0; r < op->result_count; r++) {
    const uint32_t id = op->results[r].id;
    for (int32_t u = fuser->use_first[id]; u < fuser->use_first[id + 1]; u++) {
      const fuse_use_t *use = &fuser->uses[u];
      const bool keeps = keeps_elements(fuser, op, use);
      *out_keeps = *out_keeps && keeps;
      if (is_hero ? !keeps || fuser->owners[use->op->id].count != 1
                  : !is_fusible_edge(fuser, op, use)) {
        return false;
      }
      const fuse_owners_t *users = &fuser->owners[use->op->id];
      for (int32_t i = 0; i < users->count; i++) {
        int32_t k = 0;
        while (k < out_owners->count && out_owners->clusters[k] != users->clusters[i]) {
          k++;
        }
        if (k == FUSE_OWNERS_MAX) {
          return false;
        }
        out_owners->clusters[k] = users->clusters[i];
        out_owners->count += k == out_owners->count;
      }
    }
  }
  return out_owners->count > 0;
}

// What a kernel reads of an operand: a broadcast is made where it is read.
static int64_t bytes_read(const mlir_value_t *value) {
  value = fuse_source(value);
  while (!fuse_is_generated(value) && value->op != NULL &&
         value->op->kind == CHIP_OP_BROADCAST_IN_DIM) {
    value = fuse_source(value->op->operands[0]);
  }
  return fuse_is_generated(value) ? 0 : fuse_bytes(value);
}

// Computed anew by each of `count` clusters, or once, written and read by each: which
// moves fewer bytes?
static bool pays_to_repeat(const mlir_op_t *op, int32_t count) {
  if (fuse_is_transcendental(op)) {
    return false;
  }
  enum { UNIT = 256 };  // Bytes; so that nothing below overflows.
  const bool is_part = op->kind == CHIP_OP_SLICE || op->kind == CHIP_OP_DYNAMIC_SLICE;
  const int64_t size = fuse_bytes(&op->results[0]) / UNIT;
  int64_t reads = 0;
  for (int i = 0; i < op->operand_count && reads <= 3 * size; i++) {
    const mlir_value_t *operand = op->operands[i];
    reads += fuse_is_generated(operand) ? 0 : is_part ? size : bytes_read(operand) / UNIT;
  }
  return (count - 1) * reads <= (count + 1) * size;
}

// --- The walk ---

static void join(fuser_t *fuser, const mlir_op_t *op, const fuse_owners_t *owners,
                 bool keeps) {
  const int32_t deadline = deadline_of(fuser, op);
  fuser->owners[op->id] = *owners;
  fuser->keeps_elements[op->id] = keeps;
  for (int32_t i = 0; i < owners->count; i++) {
    fuse_draft_t *draft = &fuser->drafts.items[owners->clusters[i]];
    draft->member_count++;
    draft->deadline = deadline < draft->deadline ? deadline : draft->deadline;
  }
}

static bool has_room(const fuser_t *fuser, const fuse_owners_t *owners) {
  for (int32_t i = 0; i < owners->count; i++) {
    if (fuser->drafts.items[owners->clusters[i]].member_count >= FUSE_MEMBERS_MAX) {
      return false;
    }
  }
  return true;
}

// What comes out of a product element by element, up to an operation, as long as only
// these operations read it.
enum { WAY_MAX = 32 };

typedef struct fuse_way_t {
  int32_t count;
  const mlir_op_t *ops[WAY_MAX];
} fuse_way_t;

static bool is_on_way(const fuse_way_t *way, const mlir_op_t *op) {
  for (int32_t i = 0; i < way->count; i++) {
    if (way->ops[i] == op) {
      return true;
    }
  }
  return false;
}

static bool is_read_on_way(const fuser_t *fuser, const fuse_way_t *way,
                           const mlir_op_t *op) {
  for (int r = 0; r < op->result_count; r++) {
    const uint32_t id = op->results[r].id;
    for (int32_t u = fuser->use_first[id]; u < fuser->use_first[id + 1]; u++) {
      if (!is_on_way(way, fuser->uses[u].op)) {
        return false;
      }
    }
  }
  return true;
}

static bool has_owner(const fuse_owners_t *owners, const fuse_owners_t *of) {
  for (int32_t i = 0; i < of->count; i++) {
    for (int32_t k = 0; k < owners->count; k++) {
      if (of->clusters[i] == owners->clusters[k]) {
        return true;
      }
    }
  }
  return false;
}

// Whether it is in HBM anyway: for what does not go on element by element, or for the
// clusters themselves.
static bool is_kept_anyway(const fuser_t *fuser, const mlir_op_t *op,
                           const fuse_owners_t *owners) {
  for (int r = 0; r < op->result_count; r++) {
    const uint32_t id = op->results[r].id;
    for (int32_t u = fuser->use_first[id]; u < fuser->use_first[id + 1]; u++) {
      const mlir_op_t *reader = fuser->uses[u].op;
      const fuse_class_t class = fuse_class(reader);
      if ((class != FUSE_VIEW && class != FUSE_LOOP) ||
          has_owner(owners, &fuser->owners[reader->id])) {
        return true;
      }
    }
  }
  return false;
}

// From `op` back to the product that it comes out of: what only these operations read,
// and what others read as well. Whether the product itself is read by them alone.
static bool find_way(const fuser_t *fuser, const mlir_op_t *op, fuse_way_t *out_way,
                     fuse_way_t *out_outside) {
  *out_way = (fuse_way_t){.count = 1, .ops = {op}};
  bool grows = true;
  while (grows) {
    grows = false;
    out_outside->count = 0;
    for (int32_t i = 0; i < out_way->count; i++) {
      for (int k = 0; k < out_way->ops[i]->operand_count; k++) {
        const mlir_op_t *maker = out_way->ops[i]->operands[k]->op;
        if (maker == NULL || !fuser->comes_from_product[maker->id] ||
            is_on_way(out_way, maker) || is_on_way(out_outside, maker)) {
          continue;
        }
        const bool is_inside =
            out_way->count < WAY_MAX && is_read_on_way(fuser, out_way, maker);
        if (is_inside && fuse_class(maker) == FUSE_PRODUCT) {
          return true;
        }
        fuse_way_t *to = is_inside ? out_way : out_outside;
        if (to->count < WAY_MAX) {
          to->ops[to->count++] = maker;
        }
        grows = grows || is_inside;
      }
    }
  }
  return false;
}

// Whether `op`, which comes out of a product, is better a result of the product's kernel
// than made where it is read, of other results that are kept for that.
static bool ends_product(const fuser_t *fuser, const mlir_op_t *op,
                         const fuse_owners_t *owners) {
  fuse_way_t way, outside;
  if (find_way(fuser, op, &way, &outside)) {
    return true;
  }
  int64_t left = fuse_bytes(&op->results[0]);
  for (int32_t i = 0; i < outside.count; i++) {
    const bool is_kept = is_kept_anyway(fuser, outside.ops[i], owners);
    left -= is_kept ? 0 : fuse_bytes(&outside.ops[i]->results[0]);
    if (left < 0) {
      return true;
    }
  }
  return false;
}

// A kernel has one product. What comes out of another one element by element ends that
// one: a sum of products is added up product by product.
static bool ends_another_product(const fuser_t *fuser, const mlir_op_t *op,
                                 const fuse_owners_t *owners, bool keeps) {
  bool has_product = false;
  for (int32_t i = 0; i < owners->count; i++) {
    has_product = has_product ||
                  fuser->drafts.items[owners->clusters[i]].hero == CLUSTER_HERO_PRODUCT;
  }
  return has_product && keeps && fuser->comes_from_product[op->id] &&
         ends_product(fuser, op, owners);
}

static void visit_loop(fuser_t *fuser, mlir_op_t *op) {
  fuse_owners_t owners;
  bool keeps;
  if (collect_owners(fuser, op, false, &owners, &keeps) && has_room(fuser, &owners) &&
      !ends_another_product(fuser, op, &owners, keeps) &&
      are_in_time(fuser, deadline_of(fuser, op), &owners) &&
      (owners.count == 1 || pays_to_repeat(op, owners.count))) {
    join(fuser, op, &owners, keeps && owners.count == 1);
    return;
  }
  start_cluster(fuser, op, CHIP_TASK_COMPUTE, CLUSTER_HERO_NONE, false);
}

// A view joins its readers, or is nobody's.
static void visit_view(fuser_t *fuser, const mlir_op_t *op) {
  fuse_owners_t owners;
  bool keeps;
  if (collect_owners(fuser, op, false, &owners, &keeps) && has_room(fuser, &owners)) {
    join(fuser, op, &owners, keeps && owners.count == 1);
  }
}

// A product that would have to wait for a collective, only because what follows it needs
// that, stays by itself: it is what the collective can overlap with.
static void visit_hero(fuser_t *fuser, mlir_op_t *op, cluster_hero_t hero) {
  fuse_owners_t owners;
  bool keeps;
  if (collect_owners(fuser, op, true, &owners, &keeps) && owners.count == 1 &&
      has_room(fuser, &owners)) {
    fuse_draft_t *draft = &fuser->drafts.items[owners.clusters[0]];
    if (draft->hero == CLUSTER_HERO_NONE && !draft->is_alone &&
        are_in_time(fuser, deadline_of(fuser, op), &owners) &&
        fuser->level[draft->root->id] <= fuser->level[op->id]) {
      join(fuser, op, &owners, false);
      draft->hero = hero;
      draft->elements = hero == CLUSTER_HERO_REDUCE ? fuse_elements(op->operands[0]) : 0;
      return;
    }
  }
  start_cluster(fuser, op, CHIP_TASK_COMPUTE, hero, false);
}

static void visit(fuser_t *fuser, mlir_op_t *op) {
  switch (fuse_class(op)) {
    case FUSE_FREE:
      return;
    case FUSE_VIEW:
      visit_view(fuser, op);
      return;
    case FUSE_LOOP:
    case FUSE_RELAYOUT:
      visit_loop(fuser, op);
      return;
    case FUSE_REDUCE:
      visit_hero(fuser, op, CLUSTER_HERO_REDUCE);
      return;
    case FUSE_PRODUCT:
      visit_hero(fuser, op, CLUSTER_HERO_PRODUCT);
      return;
    case FUSE_UPDATE:
      start_cluster(fuser, op, CHIP_TASK_COMPUTE, CLUSTER_HERO_NONE, false);
      return;
    case FUSE_ALONE:
      start_cluster(fuser, op, CHIP_TASK_COMPUTE, CLUSTER_HERO_NONE, true);
      return;
    case FUSE_COLLECTIVE:
      start_cluster(fuser, op, CHIP_TASK_COLLECTIVE, CLUSTER_HERO_NONE, true);
      return;
    case FUSE_TRANSFER:
      start_cluster(fuser, op, CHIP_TASK_TRANSFER_START, CLUSTER_HERO_NONE, true);
      return;
    case FUSE_CONTROL:
      start_cluster(fuser, op,
                    op->kind == CHIP_OP_WHILE ? CHIP_TASK_WHILE : CHIP_TASK_BRANCH,
                    CLUSTER_HERO_NONE, true);
      return;
  }
}

// What comes out of a product element by element is better finished there than begun in
// the next one.
static void mark_products(fuser_t *fuser, const mlir_block_t *block) {
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    const fuse_class_t class = fuse_class(op);
    bool *marked = &fuser->comes_from_product[op->id];
    *marked = class == FUSE_PRODUCT;
    const bool passes =
        class == FUSE_VIEW || (class == FUSE_LOOP && fuse_is_elementwise(op));
    for (int i = 0; i < op->operand_count && passes && !*marked; i++) {
      const mlir_op_t *maker = op->operands[i]->op;
      *marked = maker != NULL && fuser->comes_from_product[maker->id] &&
                fuse_elements(op->operands[i]) == fuse_elements(&op->results[0]);
    }
  }
}

// The core need not wait for it.
static bool is_awaited(fuse_class_t class) {
  return class == FUSE_COLLECTIVE || class == FUSE_TRANSFER;
}

static void find_levels(fuser_t *fuser, const mlir_block_t *block) {
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    int32_t level = 0;
    for (int i = 0; i < op->operand_count; i++) {
      const mlir_op_t *maker = op->operands[i]->op;
      if (maker != NULL && maker->block == block && fuser->level[maker->id] > level) {
        level = fuser->level[maker->id];
      }
    }
    fuser->level[op->id] = level + is_awaited(fuse_class(op));
  }
}

// --- The result ---

static void add_block(clusters_t *clusters, mlir_block_t *block) {
  *pod_list_add(&clusters->blocks) = (cluster_block_t){.block = block};
}

// A block that has no operation but its end has no cluster, yet is there.
static void fuse_block(fuser_t *fuser, clusters_t *clusters, int32_t index) {
  const mlir_block_t *block = clusters->blocks.items[index].block;
  const int32_t first = fuser->drafts.count;
  mark_products(fuser, block);
  find_levels(fuser, block);
  for (mlir_op_t *op = block->last; op != NULL; op = op->previous) {
    visit(fuser, op);
    if (fuse_class(op) == FUSE_CONTROL) {
      for (int r = 0; r < op->region_count; r++) {
        add_block(clusters, mlir_op_block(op, r));
      }
    }
  }
  fuse_merge(fuser, block, first);
}

// Clusters in the order of their roots, block after block.
static int32_t *finish_clusters(const fuser_t *fuser, clusters_t *clusters) {
  int32_t *cluster_of_draft =
      pod_alloc(((size_t)fuser->drafts.count + 1) * sizeof(*cluster_of_draft));
  clusters->clusters =
      pod_alloc(((size_t)fuser->drafts.count + 1) * sizeof(*clusters->clusters));
  for (int32_t b = 0; b < clusters->blocks.count; b++) {
    cluster_block_t *block = &clusters->blocks.items[b];
    block->first_cluster = clusters->cluster_count;
    for (mlir_op_t *op = block->block->first; op != NULL; op = op->next) {
      const fuse_owners_t *owners = &fuser->owners[op->id];
      if (owners->count != 1 || fuser->drafts.items[owners->clusters[0]].root != op ||
          fuser->drafts.items[owners->clusters[0]].parent != owners->clusters[0]) {
        continue;
      }
      const fuse_draft_t *draft = &fuser->drafts.items[owners->clusters[0]];
      cluster_of_draft[owners->clusters[0]] = clusters->cluster_count;
      clusters->clusters[clusters->cluster_count++] =
          (cluster_t){.kind = draft->kind, .hero = draft->hero, .root = op};
    }
    block->cluster_count = clusters->cluster_count - block->first_cluster;
  }
  for (int32_t i = 0; i < fuser->drafts.count; i++) {
    cluster_of_draft[i] = cluster_of_draft[fuse_find(fuser, i)];
  }
  return cluster_of_draft;
}

static void deinit(fuser_t *fuser) {
  free(fuser->use_first);
  free(fuser->uses);
  free(fuser->position);
  free(fuser->written_at);
  pod_list_deinit(&fuser->overwrites);
  free(fuser->owners);
  free(fuser->keeps_elements);
  free(fuser->comes_from_product);
  free(fuser->level);
  pod_list_deinit(&fuser->drafts);
}

static void init(fuser_t *fuser, const donation_t *donation) {
  const size_t op_count = fuser->module->op_count;
  fuser->position = pod_alloc(op_count * sizeof(*fuser->position));
  fuser->owners = pod_alloc(op_count * sizeof(*fuser->owners));
  fuser->keeps_elements = pod_alloc(op_count);
  fuser->comes_from_product = pod_alloc(op_count);
  fuser->level = pod_alloc(op_count * sizeof(*fuser->level));
  fuser->written_at = pod_alloc(fuser->module->value_count * sizeof(*fuser->written_at));
  collect_uses(fuser);
  find_overwrites(fuser, donation);
}

pod_status_t clusters_create(const compiler_partitioned_t *partitioned,
                             const clusters_clock_t *clock, clusters_t **out_clusters) {
  mlir_module_t *module = partitioned->module;
  fuser_t fuser = {.module = module, .main = mlir_module_find_symbol(module, "main")};
  if (fuser.main == NULL || mlir_op_block(fuser.main, 0) == NULL) {
    return mlir_error_at(module, 0, POD_INVALID_ARGUMENT,
                         "the module has no function @main");
  }
  donation_t donation;
  POD_TRY(donation_read(module, fuser.main, &donation));
  fuser.kernel_bytes =
      (int64_t)((double)clock->spec->kernel_ps * 1e-12 * clock->spec->hbm_bytes_per_s);
  clusters_t *clusters = pod_alloc(sizeof(*clusters));
  *clusters = (clusters_t){.module = module,
                           .partitioned = partitioned,
                           .spec = clock->spec,
                           .torus = clock->torus,
                           .algorithms = clock->algorithms,
                           .prices = clock->prices,
                           .op_count = module->op_count};
  init(&fuser, &donation);
  add_block(clusters, mlir_op_block(fuser.main, 0));
  for (int32_t b = 0; b < clusters->blocks.count; b++) {
    fuse_block(&fuser, clusters, b);
  }
  int32_t *cluster_of_draft = finish_clusters(&fuser, clusters);
  const pod_status_t status = fuse_count_work(&fuser, clusters, cluster_of_draft);
  free(cluster_of_draft);
  deinit(&fuser);
  if (status != NULL) {
    clusters_destroy(clusters);
    return status;
  }
  *out_clusters = clusters;
  return NULL;
}

void clusters_destroy(clusters_t *clusters) {
  if (clusters == NULL) {
    return;
  }
  for (int32_t b = 0; b < clusters->blocks.count; b++) {
    free(clusters->blocks.items[b].ops);
  }
  free(clusters->steps);
  pod_list_deinit(&clusters->blocks);
  free(clusters->clusters);
  free(clusters->members);
  pod_list_deinit(&clusters->values);
  pod_list_deinit(&clusters->prefetches);
  free(clusters->cluster_of);
  free(clusters);
}
