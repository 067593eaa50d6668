// For each operation that writes over an array ("the writer"): what stands behind it, has
// the array or what cheaply comes of it as operand, and does not depend on the writer,
// moves before it with all it needs. When one reader cannot, the array must be kept
// anyway, and all stay where they are.

#include "server/compiler/schedule/reads_first.h"

#include <stdlib.h>

#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/lower/donation.h"
#include "server/compiler/schedule/fuse.h"
#include "server/compiler/schedule/overwrites.h"

enum { NEAR_MAX = 512 };  // Operations that are looked at on each side of a writer.

// What an operation is to the writer of the present round.
typedef enum role_t {
  ROLE_NONE = 0,
  ROLE_FOLLOWS,  // It depends on it.
  ROLE_BEHIND,   // It stands behind it.
  ROLE_MOVES,    // It does, and will move.
} role_t;

typedef struct mark_t {
  int32_t round;
  role_t role;
  bool is_cheap_view;  // The array by way of slices and the like.
  bool is_kernel;      // A reduction or product that moves, or what its kernel takes in.
} mark_t;

typedef struct reads_t {
  const mlir_block_t *block;
  mark_t *marks;         // By op id.
  int32_t *position;     // By op id: in its block, when it had its first order.
  int32_t *last_reader;  // By value id: the position of the last of its block.
  int32_t round;
  overwrites_t writers;
  POD_LIST(mlir_op_t *) needs;
} reads_t;

static mark_t *mark_of(const reads_t *reads, const mlir_op_t *op) {
  mark_t *mark = &reads->marks[op->id];
  if (mark->round != reads->round) {
    *mark = (mark_t){.round = reads->round};
  }
  return mark;
}

// --- What may move ---

static bool is_cheap(const mlir_op_t *op) {
  const fuse_class_t fuse = fuse_class(op);
  return op->region_count == 0 && op->result_count == 1 &&
         (fuse == FUSE_LOOP || fuse == FUSE_VIEW || fuse == FUSE_RELAYOUT);
}

// Without effects and without a time of its own beside the core, and no larger than the
// array.
static bool may_move(const mlir_op_t *op, const mlir_value_t *array) {
  const fuse_class_t fuse = fuse_class(op);
  const bool is_plain =
      is_cheap(op) || fuse == FUSE_REDUCE || fuse == FUSE_PRODUCT ||
      (fuse == FUSE_FREE && op->region_count == 0 &&
       (fuse_is_elementwise(op) || op->kind == CHIP_OP_CONSTANT ||
        op->kind == CHIP_OP_IOTA || op->kind == CHIP_OP_SLICE ||
        op->kind == CHIP_OP_BROADCAST_IN_DIM || op->kind == CHIP_OP_DYNAMIC_SLICE));
  if (!is_plain || chip_op_has(op->kind, CHIP_TRAIT_CHECKS)) {
    return false;
  }
  for (int i = 0; i < op->result_count; i++) {
    if (op->results[i].type->kind != MLIR_TYPE_TENSOR ||
        fuse_bytes(&op->results[i]) > fuse_bytes(array)) {
      return false;
    }
  }
  return true;
}

// --- Walks over operands, those inside of regions included ---

typedef bool operand_test_t(reads_t *reads, const mlir_value_t *operand,
                            const mlir_value_t *array);

static bool any_operand(reads_t *reads, const mlir_op_t *op, const mlir_value_t *array,
                        operand_test_t *test) {
  for (int i = 0; i < op->operand_count; i++) {
    if (test(reads, op->operands[i], array)) {
      return true;
    }
  }
  for (const mlir_op_t *inner = mlir_walk_first(op); inner != NULL;
       inner = mlir_walk_next(op, inner)) {
    for (int i = 0; i < inner->operand_count; i++) {
      if (test(reads, inner->operands[i], array)) {
        return true;
      }
    }
  }
  return false;
}

static bool is_of_block(const reads_t *reads, const mlir_value_t *value) {
  return value->op != NULL && value->op->block == reads->block;
}

static bool is_array(reads_t *reads, const mlir_value_t *operand,
                     const mlir_value_t *array) {
  (void)reads;
  return operand == array;
}

static bool is_view(reads_t *reads, const mlir_value_t *operand,
                    const mlir_value_t *array) {
  return operand == array ||
         (is_of_block(reads, operand) && mark_of(reads, operand->op)->is_cheap_view);
}

static bool is_kernel(reads_t *reads, const mlir_value_t *operand,
                      const mlir_value_t *array) {
  (void)array;
  return is_of_block(reads, operand) && mark_of(reads, operand->op)->is_kernel;
}

static bool has_role(const reads_t *reads, const mlir_value_t *operand, role_t role) {
  return is_of_block(reads, operand) && mark_of(reads, operand->op)->role == role;
}

static bool follows(reads_t *reads, const mlir_value_t *operand,
                    const mlir_value_t *array) {
  (void)array;
  return has_role(reads, operand, ROLE_FOLLOWS);
}

// A need that has not been listed.
static bool list_need(reads_t *reads, const mlir_value_t *operand,
                      const mlir_value_t *array) {
  (void)array;
  if (has_role(reads, operand, ROLE_BEHIND)) {
    mark_of(reads, operand->op)->role = ROLE_MOVES;
    *pod_list_add(&reads->needs) = operand->op;
  }
  return false;
}

// --- One writer ---

static void mark_views(reads_t *reads, const overwrite_t *writer) {
  mlir_op_t *first = writer->op;
  for (int i = 0; i < NEAR_MAX && first->previous != NULL; i++) {
    first = first->previous;
  }
  for (mlir_op_t *op = first; op != writer->op; op = op->next) {
    mark_of(reads, op)->is_cheap_view =
        is_cheap(op) && any_operand(reads, op, writer->array, is_view);
  }
}

// `op` and what it needs are to move; false: they cannot, and nothing has changed.
static bool take(reads_t *reads, mlir_op_t *op, const mlir_value_t *array) {
  if (mark_of(reads, op)->role != ROLE_BEHIND) {
    return true;  // It does already.
  }
  reads->needs.count = 0;
  mark_of(reads, op)->role = ROLE_MOVES;
  *pod_list_add(&reads->needs) = op;
  bool can_move = true;
  for (int i = 0; i < reads->needs.count; i++) {
    can_move = can_move && may_move(reads->needs.items[i], array);
    (void)any_operand(reads, reads->needs.items[i], array, list_need);
  }
  for (int i = 0; i < reads->needs.count && !can_move; i++) {
    mark_of(reads, reads->needs.items[i])->role = ROLE_BEHIND;
  }
  return can_move;
}

// Decides what moves; false: a reader cannot.
static bool mark_movers(reads_t *reads, const overwrite_t *writer, bool *out_any) {
  const mlir_value_t *array = writer->array;
  mark_of(reads, writer->op)->role = ROLE_FOLLOWS;
  int count = 0;
  for (mlir_op_t *op = writer->op->next; op != reads->block->last && count++ < NEAR_MAX;
       op = op->next) {
    mark_t *mark = mark_of(reads, op);
    const bool reads_it = any_operand(reads, op, array, is_array);
    bool moves = false;
    if (any_operand(reads, op, array, follows)) {
      mark->role = ROLE_FOLLOWS;
    } else {
      mark->role = ROLE_BEHIND;
      const bool reads_view = any_operand(reads, op, array, is_view);
      const bool joins = is_cheap(op) && any_operand(reads, op, array, is_kernel);
      mark->is_cheap_view = reads_view && is_cheap(op);
      moves = (reads_view || joins) && take(reads, op, array);
      mark->is_kernel = moves && (joins || !is_cheap(op));
    }
    if (reads_it && !moves) {
      return false;
    }
    *out_any = *out_any || moves;
  }
  return true;
}

static void move_reads(reads_t *reads, const overwrite_t *writer) {
  const int32_t last = reads->last_reader[writer->array->id];
  if (last - reads->position[writer->op->id] > NEAR_MAX) {
    return;
  }
  reads->round++;
  mark_views(reads, writer);
  bool any = false;
  if (!mark_movers(reads, writer, &any) || !any) {
    return;
  }
  mlir_op_t *next;
  int count = 0;
  for (mlir_op_t *op = writer->op->next; op != NULL && count++ < NEAR_MAX; op = next) {
    next = op->next;
    if (mark_of(reads, op)->role == ROLE_MOVES) {
      mlir_op_unlink(op);
      mlir_block_insert_before(writer->op, op);
    }
  }
}

// --- Blocks ---

// The block's end is far away: what it returns is kept.
static void note_positions(reads_t *reads) {
  int32_t position = 0;
  for (mlir_op_t *op = reads->block->first; op != NULL; op = op->next) {
    reads->position[op->id] = position;
    const int32_t at = op == reads->block->last ? INT32_MAX / 2 : position;
    for (int i = 0; i < op->operand_count; i++) {
      reads->last_reader[op->operands[i]->id] = at;
    }
    for (const mlir_op_t *inner = mlir_walk_first(op); inner != NULL;
         inner = mlir_walk_next(op, inner)) {
      for (int i = 0; i < inner->operand_count; i++) {
        reads->last_reader[inner->operands[i]->id] = at;
      }
    }
    position++;
  }
}

// `donation` is @main's; NULL for a loop's body.
static void order_block(reads_t *reads, mlir_block_t *block, const donation_t *donation) {
  reads->block = block;
  overwrites_list(block, donation, &reads->writers);
  if (reads->writers.count > 0) {
    note_positions(reads);
  }
  for (int i = 0; i < reads->writers.count; i++) {
    move_reads(reads, &reads->writers.items[i]);
  }
}

pod_status_t schedule_put_reads_first(const compiler_partitioned_t *partitioned) {
  mlir_module_t *module = partitioned->module;
  mlir_op_t *main = mlir_module_find_symbol(module, "main");
  if (main == NULL) {
    return NULL;  // For lowering to tell.
  }
  donation_t donation;
  POD_TRY(donation_read(module, main, &donation));
  const size_t ops = (size_t)module->op_count + 1;
  const size_t values = (size_t)module->value_count + 1;
  reads_t reads = {.marks = pod_alloc(ops * sizeof(*reads.marks)),
                   .position = pod_alloc(ops * sizeof(*reads.position)),
                   .last_reader = pod_alloc(values * sizeof(*reads.last_reader))};
  order_block(&reads, mlir_op_block(main, 0), &donation);
  for (mlir_op_t *op = mlir_walk_first(main); op != NULL; op = mlir_walk_next(main, op)) {
    if (op->kind == CHIP_OP_WHILE) {
      order_block(&reads, mlir_op_block(op, 1), NULL);
    }
  }
  free(reads.marks);
  free(reads.position);
  free(reads.last_reader);
  pod_list_deinit(&reads.writers);
  pod_list_deinit(&reads.needs);
  return NULL;
}
