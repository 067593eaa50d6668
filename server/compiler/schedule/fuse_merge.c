// Clusters of several results: one pass over the same elements makes what several
// clusters would have read them for (the moments of an optimizer and its new weights, the
// mean and the mean square of a row).
//
// A cluster is merged into a later one, and then stands where that one stands. Nobody may
// need its results before; so all it needs is still made before it, and contracting
// clusters still makes no cycle.

#include "server/compiler/schedule/fuse.h"

// Whether every reader of the result of `op` is in cluster `into` only, or comes after
// it.
static bool has_time_until(const fuser_t *fuser, const mlir_op_t *op, int32_t into) {
  const mlir_op_t *target = fuser->drafts.items[into].root;
  for (int r = 0; r < op->result_count; r++) {
    const uint32_t id = op->results[r].id;
    for (int32_t u = fuser->use_first[id]; u < fuser->use_first[id + 1]; u++) {
      const mlir_op_t *user = fuser->uses[u].op;
      while (user->block != op->block) {  // Inside of a loop or branch.
        user = user->block->region->op;
      }
      if (!fuse_is_only_in(fuser, user, into) &&
          fuser->position[user->id] <= fuser->position[target->id]) {
        return false;
      }
    }
  }
  return true;
}

// All results of cluster `from`, those of what was merged into it too.
static bool can_wait(const fuser_t *fuser, int32_t from, int32_t into) {
  for (int32_t at = from; at != CHIP_NONE; at = fuser->drafts.items[at].next_root) {
    if (!has_time_until(fuser, fuser->drafts.items[at].root, into)) {
      return false;
    }
  }
  return true;
}

// Looking at the readers of a cluster again and again must not take forever.
static bool has_few_readers(const fuser_t *fuser, int32_t from) {
  enum { READERS_MAX = 64 };
  int32_t count = 0;
  for (int32_t at = from; at != CHIP_NONE && count <= READERS_MAX;
       at = fuser->drafts.items[at].next_root) {
    const mlir_op_t *root = fuser->drafts.items[at].root;
    for (int r = 0; r < root->result_count; r++) {
      const uint32_t id = root->results[r].id;
      count += fuser->use_first[id + 1] - fuser->use_first[id];
    }
  }
  return count <= READERS_MAX;
}

static bool is_mergeable(const fuse_draft_t *draft) {
  return draft->kind == CHIP_TASK_COMPUTE && !draft->is_alone &&
         draft->hero != CLUSTER_HERO_PRODUCT && fuse_class(draft->root) != FUSE_UPDATE &&
         fuse_class(draft->root) != FUSE_RELAYOUT;
}

// How a result of one cluster is read in another.
typedef enum reading_t {
  READS_NOTHING = 0,
  READS_IN_STEP,  // As the elements come: one pass makes and reads them.
  READS_ANYHOW,   // The second cannot start before the first is through.
} reading_t;

static reading_t reading_of_use(const fuser_t *fuser, int64_t elements,
                                const fuse_use_t *use, int32_t into) {
  const mlir_op_t *user = use->op;
  if (!fuse_is_in(fuser, user, into)) {
    return READS_NOTHING;
  }
  const fuse_class_t class = fuse_class(user);
  const bool is_all = elements == fuser->drafts.items[into].elements;
  const bool is_reduced = class == FUSE_REDUCE && use->index < user->operand_count / 2;
  const bool is_elementwise = class == FUSE_LOOP && fuse_is_elementwise(user) &&
                              fuse_elements(&user->results[0]) == elements;
  return is_all && (is_reduced || is_elementwise) ? READS_IN_STEP : READS_ANYHOW;
}

static reading_t reading_of(const fuser_t *fuser, int32_t from, int32_t into) {
  reading_t worst = READS_NOTHING;
  for (int32_t at = from; at != CHIP_NONE; at = fuser->drafts.items[at].next_root) {
    const mlir_op_t *root = fuser->drafts.items[at].root;
    for (int r = 0; r < root->result_count; r++) {
      const uint32_t id = root->results[r].id;
      const int64_t elements = fuse_elements(&root->results[r]);
      for (int32_t u = fuser->use_first[id]; u < fuser->use_first[id + 1]; u++) {
        const reading_t it = reading_of_use(fuser, elements, &fuser->uses[u], into);
        worst = it > worst ? it : worst;
      }
    }
  }
  return worst;
}

static bool try_merge(fuser_t *fuser, int32_t from, int32_t into) {
  fuse_draft_t *a = &fuser->drafts.items[from], *b = &fuser->drafts.items[into];
  if (from == into || !is_mergeable(a) || !is_mergeable(b) ||
      a->elements != b->elements ||
      a->member_count + b->member_count > FUSE_MEMBERS_MAX ||
      fuser->position[a->root->id] >= fuser->position[b->root->id] ||
      !has_few_readers(fuser, from) || reading_of(fuser, from, into) == READS_ANYHOW ||
      !fuse_is_in_time(fuser, a->deadline, b->root) || !can_wait(fuser, from, into)) {
    return false;
  }
  a->parent = into;
  b->member_count += a->member_count;
  b->deadline = a->deadline < b->deadline ? a->deadline : b->deadline;
  b->hero = a->hero == CLUSTER_HERO_REDUCE ? CLUSTER_HERO_REDUCE : b->hero;
  int32_t last = from;
  while (fuser->drafts.items[last].next_root != CHIP_NONE) {
    last = fuser->drafts.items[last].next_root;
  }
  fuser->drafts.items[last].next_root = b->next_root;
  b->next_root = from;
  return true;
}

// The cluster alone of its first reader in program order, or CHIP_NONE.
static int32_t first_reader(const fuser_t *fuser, const mlir_op_t *root) {
  const mlir_op_t *first = NULL;
  const uint32_t id = root->results[0].id;
  for (int32_t u = fuser->use_first[id]; u < fuser->use_first[id + 1]; u++) {
    const mlir_op_t *user = fuser->uses[u].op;
    if (user->block == root->block &&
        (first == NULL || fuser->position[user->id] < fuser->position[first->id])) {
      first = user;
    }
  }
  if (first == NULL || fuser->owners[first->id].count != 1) {
    return CHIP_NONE;
  }
  return fuse_find(fuser, fuser->owners[first->id].clusters[0]);
}

// A cluster into the one that reads its result, though others need the result too.
static void merge_into_readers(fuser_t *fuser, int32_t first) {
  for (int32_t at = first; at < fuser->drafts.count; at++) {  // Drafts go backwards.
    const fuse_draft_t *draft = &fuser->drafts.items[at];
    if (!is_mergeable(draft) || draft->root->result_count != 1) {
      continue;
    }
    const int32_t into = first_reader(fuser, draft->root);
    if (into != CHIP_NONE) {
      (void)try_merge(fuser, at, into);
    }
  }
}

// The last few clusters that read a value, in the order in which they stand.
typedef struct recent_t {
  int32_t count;
  int32_t clusters[4];
} recent_t;

// A cluster that reads what recent ones have read takes them in.
static void merge_recent(fuser_t *fuser, recent_t *recent, int32_t at) {
  enum { LENGTH = sizeof(recent->clusters) / sizeof(recent->clusters[0]) };
  int32_t kept = 0;
  for (int32_t i = 0; i < recent->count; i++) {
    const int32_t other = recent->clusters[i];
    if (other != at && !try_merge(fuser, other, at)) {
      recent->clusters[kept++] = other;
    }
  }
  if (kept == LENGTH) {
    for (int32_t i = 1; i < LENGTH; i++) {
      recent->clusters[i - 1] = recent->clusters[i];
    }
    kept--;
  }
  recent->clusters[kept] = at;
  recent->count = kept + 1;
}

// Clusters that read the same value, the earlier into the later.
static void merge_readers(fuser_t *fuser, const mlir_value_t *value) {
  const uint32_t id = value->id;
  const int64_t elements = fuse_elements(value);
  if (elements <= 1 || fuse_is_generated(value)) {
    return;
  }
  recent_t recent = {0};
  for (int32_t u = fuser->use_first[id]; u < fuser->use_first[id + 1]; u++) {
    const mlir_op_t *user = fuser->uses[u].op;
    const fuse_owners_t *owners = &fuser->owners[user->id];
    for (int32_t i = 0; i < owners->count; i++) {
      const int32_t at = fuse_find(fuser, owners->clusters[i]);
      if (fuser->drafts.items[at].elements == elements &&
          (recent.count == 0 ||
           fuser->drafts.items[recent.clusters[0]].root->block == user->block)) {
        merge_recent(fuser, &recent, at);
      }
    }
  }
}

void fuse_merge(fuser_t *fuser, const mlir_block_t *block, int32_t first) {
  merge_into_readers(fuser, first);
  for (int i = 0; i < block->argument_count; i++) {
    merge_readers(fuser, block->arguments[i]);
  }
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    for (int r = 0; r < op->result_count; r++) {
      merge_readers(fuser, &op->results[r]);
    }
  }
}
