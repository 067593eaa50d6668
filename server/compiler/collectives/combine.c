// Small collectives of a kind become one with many operands: they then pay once for
// starting, and their steps' latencies run side by side. XLA's AllReduceCombiner,
// AllGatherCombiner and ReduceScatterCombiner do that up to 30 MiB or 256 of them (Xu et
// al.: GSPMD, 2021, and xla/debug_options_flags.cc); smaller bounds are tried where that
// much would hold back what overlaps.
//
// Members of a group must not wait for each other, through other groups neither. A key
// is what they have in common. By key, each member has a level: how many members are on
// the longest way to it. Ways between members go up, so that those of one level can be
// one without a circle; the next key counts its ways through the groups of this one.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/chip/work.h"
#include "server/compiler/collectives/rewrite.h"
#include "server/compiler/dialect/reducer.h"
#include "server/program/operations.h"

enum { MEMBERS_MAX = 256, KEYS_MAX = 32 };

static const int64_t bounds_bytes[] = {INT64_C(30) << 20, INT64_C(4) << 20, 256 << 10,
                                       32 << 10};

typedef struct member_t {
  mlir_op_t *op;
  int32_t key, level;
  int64_t bytes;  // Of the larger of operand and result.
  int32_t group;  // Among the key's; -1: alone.
} member_t;

typedef struct combiner_t {
  rewrite_t *rewrite;
  mlir_replacements_t replacements;
  int64_t bound_bytes;
  mlir_block_t *block;
  POD_LIST(member_t) members;  // Of the block, in its order.
  int32_t key_count;
  int32_t *levels;        // By op id.
  uint32_t level_count;   // Operations that there were.
  int32_t before, after;  // Collectives that became fewer.
} combiner_t;

// --- Which ---

// reduce_scatter has one operand: it takes several as rows of one array, when the pieces
// of each lie one behind the other.
static bool has_rows(const mlir_op_t *op) {
  const mlir_attr_t *dim = mlir_op_attr(op, "scatter_dimension");
  const tensor_shape_t *shape = rewrite_shape(op->operands[0]);
  for (int64_t d = 0; dim != NULL && d < dim->integer; d++) {
    if (shape->dims[d] != 1) {
      return false;
    }
  }
  return dim != NULL && tensor_shape_bytes(shape) > 0;
}

static bool is_candidate(const mlir_op_t *op) {
  switch (op->kind) {
    case CHIP_OP_ALL_REDUCE:
      return compiler_reducer(op) != CHIP_REDUCER_NONE;
    case CHIP_OP_REDUCE_SCATTER:
      return compiler_reducer(op) != CHIP_REDUCER_NONE && has_rows(op);
    case CHIP_OP_ALL_GATHER:
      return true;
    default:
      return false;
  }
}

static int64_t bytes_of(const mlir_op_t *op) {
  int64_t from = 0, to = 0;
  for (int i = 0; i < op->operand_count; i++) {
    from = chip_work_plus(from, tensor_shape_bytes(rewrite_shape(op->operands[i])));
    to = chip_work_plus(to, tensor_shape_bytes(rewrite_shape(&op->results[i])));
  }
  return from > to ? from : to;
}

static void find_members(combiner_t *combiner) {
  pod_list_clear(&combiner->members);
  combiner->key_count = 0;
  mlir_op_t *firsts[KEYS_MAX];
  for (mlir_op_t *op = combiner->block->first; op != NULL; op = op->next) {
    if (!is_candidate(op)) {
      continue;
    }
    const int64_t bytes = bytes_of(op);
    if (bytes > combiner->bound_bytes / 2) {
      continue;
    }
    int32_t key = 0;
    while (key < combiner->key_count && !rewrite_are_alike(firsts[key], op, true)) {
      key++;
    }
    if (key == KEYS_MAX) {
      continue;
    }
    if (key == combiner->key_count) {
      firsts[combiner->key_count++] = op;
    }
    *pod_list_add(&combiner->members) =
        (member_t){.op = op, .key = key, .bytes = bytes, .group = -1};
  }
}

// --- Levels ---

static void raise_level(const combiner_t *combiner, const mlir_value_t *value,
                        const bool *is_member, int32_t *level) {
  const mlir_op_t *dep = value->op;
  if (dep == NULL || dep->block != combiner->block || dep->id >= combiner->level_count) {
    return;
  }
  const int32_t at = combiner->levels[dep->id] + is_member[dep->id];
  *level = at > *level ? at : *level;
}

static void find_levels(combiner_t *combiner, int32_t key) {
  combiner->level_count = combiner->rewrite->module->op_count;
  combiner->levels = pod_alloc((size_t)combiner->level_count * sizeof(int32_t));
  bool *is_member = pod_alloc((size_t)combiner->level_count);
  for (int32_t i = 0; i < combiner->members.count; i++) {
    is_member[combiner->members.items[i].op->id] = combiner->members.items[i].key == key;
  }
  for (const mlir_op_t *op = combiner->block->first; op != NULL; op = op->next) {
    int32_t *level = &combiner->levels[op->id];
    for (int i = 0; i < op->operand_count; i++) {
      raise_level(combiner, op->operands[i], is_member, level);
    }
    for (const mlir_op_t *inner = mlir_walk_first(op); inner != NULL;
         inner = mlir_walk_next(op, inner)) {
      for (int i = 0; i < inner->operand_count; i++) {
        raise_level(combiner, inner->operands[i], is_member, level);
      }
    }
  }
  for (int32_t i = 0; i < combiner->members.count; i++) {
    member_t *member = &combiner->members.items[i];
    member->level = combiner->levels[member->op->id];
  }
  free(is_member);
  free(combiner->levels);
}

// --- Groups ---

typedef struct group_t {
  int32_t level, count;
  int64_t bytes;
  mlir_op_t *made;  // The one in the place of all; NULL until its time.
} group_t;
typedef POD_LIST(group_t) groups_t;

// Those of a level, in their order, up to the bound. At most one group of a level is
// open.
static void form_groups(combiner_t *combiner, int32_t key, groups_t *groups) {
  for (int32_t i = 0; i < combiner->members.count; i++) {
    member_t *member = &combiner->members.items[i];
    if (member->key != key) {
      continue;
    }
    int32_t at = groups->count - 1;
    while (at >= 0 && groups->items[at].level != member->level) {
      at--;
    }
    const bool has_room =
        at >= 0 && groups->items[at].bytes + member->bytes <= combiner->bound_bytes &&
        groups->items[at].count < MEMBERS_MAX;
    if (!has_room) {
      at = groups->count;
      *pod_list_add(groups) = (group_t){.level = member->level};
    }
    groups->items[at].count++;
    groups->items[at].bytes += member->bytes;
    member->group = at;
  }
}

// --- One in the place of several ---

static mlir_op_t *make_variadic(combiner_t *combiner, mlir_op_t *const *ops,
                                int32_t count, mlir_op_t *where) {
  rewrite_t *rewrite = combiner->rewrite;
  int operand_count = 0;
  for (int32_t i = 0; i < count; i++) {
    operand_count += ops[i]->operand_count;
  }
  mlir_value_t **operands = pod_alloc((size_t)operand_count * sizeof(*operands));
  const mlir_type_t **types = pod_alloc((size_t)operand_count * sizeof(*types));
  for (int32_t i = 0, at = 0; i < count; i++) {
    for (int k = 0; k < ops[i]->operand_count; k++, at++) {
      operands[at] = ops[i]->operands[k];
      types[at] = ops[i]->results[k].type;
    }
  }
  mlir_op_t *made =
      rewrite_collective(rewrite, ops[0], operand_count, operands, operand_count, types);
  mlir_block_insert_before(where, made);
  for (int32_t i = 0, at = 0; i < count; i++) {
    for (int k = 0; k < ops[i]->operand_count; k++, at++) {
      mlir_replacements_put(&combiner->replacements, &ops[i]->results[k],
                            &made->results[at]);
    }
  }
  free((void *)operands);
  free((void *)types);
  return made;
}

static int64_t pieces_of(const mlir_op_t *op) {
  const int64_t dim = mlir_op_attr(op, "scatter_dimension")->integer;
  return rewrite_shape(op->operands[0])->dims[dim] /
         rewrite_shape(&op->results[0])->dims[dim];
}

static int64_t elements_of(const tensor_shape_t *shape) {
  int64_t count = 1;
  for (int d = 0; d < shape->rank; d++) {
    count *= shape->dims[d];
  }
  return count;
}

static void set_i64s(rewrite_t *rewrite, mlir_op_t *op, const char *name, int64_t count,
                     const int64_t *values) {
  mlir_op_set_attr(rewrite->module, op, mlir_intern(rewrite->module, name),
                   mlir_attr_i64_array(rewrite->module, count, values));
}

static void set_i64(rewrite_t *rewrite, mlir_op_t *op, const char *name, int64_t value) {
  mlir_op_set_attr(rewrite->module, op, mlir_intern(rewrite->module, name),
                   mlir_attr_integer(rewrite->module, value, TENSOR_S64));
}

// The operands as matrices of a row for each chip, side by side.
static mlir_op_t *make_rows(combiner_t *combiner, mlir_op_t *const *ops, int32_t count,
                            mlir_op_t *where) {
  rewrite_t *rewrite = combiner->rewrite;
  const tensor_dtype_t dtype = rewrite_shape(ops[0]->operands[0])->dtype;
  const int64_t pieces = pieces_of(ops[0]);
  mlir_value_t **rows = pod_alloc((size_t)count * sizeof(*rows));
  int64_t width = 0;
  for (int32_t i = 0; i < count; i++) {
    const int64_t own = elements_of(rewrite_shape(&ops[i]->results[0]));
    const tensor_shape_t shape =
        tensor_shape_make(dtype, 2, (const int64_t[]){pieces, own});
    rows[i] = rewrite_reshape(rewrite, where, ops[i]->operands[0], &shape);
    width += own;
  }
  const tensor_shape_t whole =
      tensor_shape_make(dtype, 2, (const int64_t[]){pieces, width});
  const tensor_shape_t row = tensor_shape_make(dtype, 2, (const int64_t[]){1, width});
  mlir_op_t *join;
  mlir_value_t *joined =
      rewrite_emit(rewrite, where, "stablehlo.concatenate", count, rows, &whole, &join);
  set_i64(rewrite, join, "dimension", 1);
  const mlir_type_t *type = mlir_type_tensor(rewrite->module, &row);
  mlir_op_t *made = rewrite_collective(rewrite, ops[0], 1, &joined, 1, &type);
  set_i64(rewrite, made, "scatter_dimension", 0);
  mlir_block_insert_before(where, made);
  mlir_value_t *all = &made->results[0];
  int64_t at = 0;
  for (int32_t i = 0; i < count; i++) {
    const tensor_shape_t *result = rewrite_shape(&ops[i]->results[0]);
    const int64_t own = elements_of(result);
    const tensor_shape_t part = tensor_shape_make(dtype, 2, (const int64_t[]){1, own});
    mlir_op_t *slice;
    mlir_value_t *piece =
        rewrite_emit(rewrite, where, "stablehlo.slice", 1, &all, &part, &slice);
    set_i64s(rewrite, slice, "start_indices", 2, (const int64_t[]){0, at});
    set_i64s(rewrite, slice, "limit_indices", 2, (const int64_t[]){1, at + own});
    set_i64s(rewrite, slice, "strides", 2, (const int64_t[]){1, 1});
    at += own;
    mlir_replacements_put(&combiner->replacements, &ops[i]->results[0],
                          rewrite_reshape(rewrite, where, piece, result));
  }
  free((void *)rows);
  return made;
}

static mlir_op_t *make_one(combiner_t *combiner, int32_t key, int32_t group,
                           mlir_op_t *where) {
  rewrite_t *rewrite = combiner->rewrite;
  mlir_op_t *ops[MEMBERS_MAX] = {0};
  int32_t count = 0;
  for (int32_t i = 0; i < combiner->members.count; i++) {
    const member_t *member = &combiner->members.items[i];
    if (member->key == key && member->group == group) {
      rewrite_touch(rewrite, member->op);
      ops[count++] = member->op;
    }
  }
  mlir_op_t *made = ops[0]->kind == CHIP_OP_REDUCE_SCATTER
                        ? make_rows(combiner, ops, count, where)
                        : make_variadic(combiner, ops, count, where);
  char why[64];
  snprintf(why, sizeof(why), "with %d more in one", count - 1);
  rewrite_explain(rewrite, made, why, ops[0]);
  combiner->before += count;
  combiner->after++;
  return made;
}

// --- The order ---

typedef struct order_t {
  combiner_t *combiner;
  int32_t key;
  groups_t groups;
  int32_t *group_of;     // By op id, of members of groups; -1: none.
  bool *is_missing;      // By op id: of the block, and not yet in its new place.
  int32_t *waiting_for;  // By group: members that have not come by.
  uint32_t op_count;
  POD_LIST(mlir_op_t *) waiting;
} order_t;

static bool has_come(const order_t *order, const mlir_value_t *value) {
  const mlir_op_t *dep = value->op;
  return dep == NULL || dep->id >= order->op_count || !order->is_missing[dep->id];
}

static bool is_ready(const order_t *order, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    if (!has_come(order, op->operands[i])) {
      return false;
    }
  }
  for (const mlir_op_t *inner = mlir_walk_first(op); inner != NULL;
       inner = mlir_walk_next(op, inner)) {
    for (int i = 0; i < inner->operand_count; i++) {
      // What is made inside is not of this block.
      if (!has_come(order, inner->operands[i])) {
        return false;
      }
    }
  }
  return true;
}

// Puts `op` before the end of the block, or makes its group there when it is the last of
// it. False: it has to wait.
static bool place(order_t *order, mlir_op_t *op) {
  if (!is_ready(order, op)) {
    return false;
  }
  mlir_block_t *block = order->combiner->block;
  const int32_t group = order->group_of[op->id];
  mlir_op_unlink(op);
  if (group < 0) {
    mlir_block_insert_before(block->last, op);
    order->is_missing[op->id] = false;
    return true;
  }
  if (--order->waiting_for[group] == 0) {
    (void)make_one(order->combiner, order->key, group, block->last);
    for (int32_t i = 0; i < order->combiner->members.count; i++) {
      const member_t *member = &order->combiner->members.items[i];
      if (member->key == order->key && member->group == group) {
        order->is_missing[member->op->id] = false;
      }
    }
  }
  return true;
}

static void place_waiting(order_t *order) {
  for (bool is_any = true; is_any;) {
    is_any = false;
    int32_t kept = 0;
    for (int32_t i = 0; i < order->waiting.count; i++) {
      mlir_op_t *op = order->waiting.items[i];
      if (place(order, op)) {
        is_any = true;
      } else {
        order->waiting.items[kept++] = op;
      }
    }
    order->waiting.count = kept;
  }
}

// In the order of the program, but that what needs a group comes behind it.
static void reorder(order_t *order) {
  mlir_block_t *block = order->combiner->block;
  mlir_op_t *end = block->last;
  POD_LIST(mlir_op_t *) ops = {0};
  for (mlir_op_t *op = block->first; op != end; op = op->next) {
    *pod_list_add(&ops) = op;
    order->is_missing[op->id] = true;
  }
  for (int32_t i = 0; i < ops.count; i++) {
    mlir_op_t *next = ops.items[i];
    const bool may_free = order->group_of[next->id] >= 0;
    if (!place(order, next)) {
      *pod_list_add(&order->waiting) = next;
    } else if (may_free && order->waiting.count > 0) {
      place_waiting(order);
    }
  }
  place_waiting(order);
  pod_list_deinit(&ops);
}

static void combine_key(combiner_t *combiner, int32_t key) {
  find_levels(combiner, key);
  order_t order = {.combiner = combiner, .key = key};
  form_groups(combiner, key, &order.groups);
  order.op_count = combiner->rewrite->module->op_count;
  order.is_missing = pod_alloc((size_t)order.op_count);
  order.group_of = pod_alloc((size_t)order.op_count * sizeof(int32_t));
  order.waiting_for = pod_alloc(((size_t)order.groups.count + 1) * sizeof(int32_t));
  memset(order.group_of, 0xff, (size_t)order.op_count * sizeof(int32_t));
  bool is_any = false;
  for (int32_t i = 0; i < combiner->members.count; i++) {
    member_t *member = &combiner->members.items[i];
    if (member->key != key) {
      continue;
    }
    if (order.groups.items[member->group].count < 2) {
      member->group = -1;
      continue;
    }
    order.group_of[member->op->id] = member->group;
    order.waiting_for[member->group]++;
    is_any = true;
  }
  if (is_any) {
    reorder(&order);
    for (mlir_op_t *op = mlir_walk_first(combiner->block->region->op); op != NULL;
         op = mlir_walk_next(combiner->block->region->op, op)) {
      mlir_replacements_apply(&combiner->replacements, op);
    }
  }
  free(order.is_missing);
  free(order.group_of);
  free(order.waiting_for);
  pod_list_deinit(&order.waiting);
  pod_list_deinit(&order.groups);
}

static void combine_block(combiner_t *combiner, mlir_block_t *block) {
  combiner->block = block;
  find_members(combiner);
  for (int32_t key = 0; key < combiner->key_count; key++) {
    combine_key(combiner, key);
  }
}

rewrite_outcome_t rewrite_combine(rewrite_t *rewrite, int site) {
  if (site >= (int)(sizeof(bounds_bytes) / sizeof(bounds_bytes[0]))) {
    return REWRITE_NO_SITE;
  }
  combiner_t combiner = {.rewrite = rewrite, .bound_bytes = bounds_bytes[site]};
  combine_block(&combiner, mlir_op_block(rewrite->main, 0));
  for (mlir_op_t *op = mlir_walk_first(rewrite->main); op != NULL;
       op = mlir_walk_next(rewrite->main, op)) {
    for (int r = 0; r < op->region_count && chip_op_has(op->kind, CHIP_TRAIT_CONTROL);
         r++) {
      combine_block(&combiner, mlir_op_block(op, r));
    }
  }
  mlir_replacements_deinit(&combiner.replacements);
  pod_list_deinit(&combiner.members);
  if (combiner.before == 0) {
    return REWRITE_NOTHING;
  }
  char text[128];
  snprintf(text, sizeof(text), "%d collectives become %d of up to %lld KiB",
           combiner.before, combiner.after, (long long)(combiner.bound_bytes >> 10));
  rewrite->summary = pod_arena_strdup(rewrite->module->arena, text);
  return REWRITE_DONE;
}
