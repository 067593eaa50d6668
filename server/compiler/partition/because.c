// Sentences about the operation at hand, which wants a value otherwise than it lies, and
// about the operation that made it so. They name no argument, so that those of layers
// that repeat are equal.

#include <string.h>

#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/partitioner.h"

enum { PASSED_ON_MAX = 64 };  // How far back summands are followed.

void partition_print_axes(pod_text_t *text, const mesh_t *mesh, const axes_t *axes) {
  for (int i = 0; i < axes->count; i++) {
    const axis_ref_t ref = axes->refs[i];
    const mesh_axis_t *axis = &mesh->axes[ref.axis];
    pod_text_printf(text, "%s%s", i == 0 ? "" : ",", axis->name);
    if (ref.size != axis->size) {
      pod_text_printf(text, ":(%lld)%lld", (long long)ref.pre_size, (long long)ref.size);
    }
  }
}

// "[{x}, {}]", "whole", "whole and not reduced over y".
static void print_layout(pod_text_t *text, const mesh_t *mesh, const layout_t *layout) {
  bool is_whole = true;
  for (int d = 0; d < layout->rank; d++) {
    is_whole = is_whole && layout->dims[d].count == 0;
  }
  pod_text_add(text, is_whole ? "whole" : "[");
  for (int d = 0; d < layout->rank && !is_whole; d++) {
    pod_text_add(text, d == 0 ? "{" : ", {");
    partition_print_axes(text, mesh, &layout->dims[d]);
    pod_text_add(text, "}");
  }
  pod_text_add(text, is_whole ? "" : "]");
  if (layout->unreduced.count > 0) {
    pod_text_add(text, " and not reduced over ");
    partition_print_axes(text, mesh, &layout->unreduced);
  }
}

// "dot_general at model.py:41:7"
static void print_op(const partitioner_t *partitioner, pod_text_t *text,
                     const mlir_op_t *op) {
  const char *dot = strchr(op->name, '.');
  const bool is_constraint =
      op->kind == KIND_SDY_SHARDING_CONSTRAINT || op->kind == KIND_SDY_RESHARD;
  pod_text_add(text, is_constraint ? "the constraint" : dot == NULL ? op->name : dot + 1);
  const char *source = mlir_op_source(partitioner->source, op);
  if (*source != '\0') {
    pod_text_printf(text, " at %s", source);
  }
}

// --- What is there ---

// The operand and dimension of what `choice` works on that an axis of `axes` shards.
static bool find_sharded(const mlir_op_t *op, const choice_t *choice, const axes_t *axes,
                         int *out_operand, int *out_dim) {
  for (int i = 0; i < op->operand_count; i++) {
    for (int d = 0; d < choice->operands[i]->rank; d++) {
      if (axes_overlap(&choice->operands[i]->dims[d], axes)) {
        *out_operand = i;
        *out_dim = d;
        return true;
      }
    }
  }
  return false;
}

// The operand of which `op` passes summands on.
static const mlir_value_t *find_summands(const mlir_op_t *op, const choice_t *choice,
                                         const axes_t *axes) {
  for (int i = 0; i < op->operand_count; i++) {
    if (axes_overlap(&choice->operands[i]->unreduced, axes)) {
      return op->operands[i];
    }
  }
  return NULL;
}

static void print_value(const partitioner_t *partitioner, pod_text_t *text,
                        const mlir_value_t *value) {
  if (value->op != NULL) {
    pod_text_add(text, "the result of ");
    print_op(partitioner, text, value->op);
    return;
  }
  const mlir_op_t *holder = value->block->region->op;
  if (holder->kind == KIND_FUNC) {
    pod_text_add(text, "an argument of @main");
    return;
  }
  pod_text_add(text, "what is carried into ");
  print_op(partitioner, text, holder);
}

// Why parts of `value` have to be reduced over `axes`, from where they began.
static void print_summands(const partitioner_t *partitioner, pod_text_t *text,
                           const mlir_value_t *value, const axes_t *axes) {
  for (int passed = 0; passed < PASSED_ON_MAX; passed++) {
    const mlir_op_t *op = value->op;
    const choice_t *choice = partitioner->states[value->id].choice;
    int operand, dim;
    if (op == NULL || choice == NULL) {
      break;
    }
    if (find_sharded(op, choice, axes, &operand, &dim)) {
      const char *what = op->kind == CHIP_OP_DOT_GENERAL ? "contracting "
                         : op->kind == CHIP_OP_REDUCE    ? "reduced "
                                                         : "";
      pod_text_printf(text, "the %sdimension %d of operand %d of ", what, dim, operand);
      print_op(partitioner, text, op);
      pod_text_add(text, " is sharded over ");
      partition_print_axes(text, partitioner->mesh, axes);
      pod_text_add(text, ", and its result is wanted ");
      return;
    }
    const mlir_value_t *summands = find_summands(op, choice, axes);
    if (summands == NULL) {
      break;
    }
    value = summands;
  }
  pod_text_add(text, "the parts of ");
  print_value(partitioner, text, value);
  pod_text_add(text, " along ");
  partition_print_axes(text, partitioner->mesh, axes);
  pod_text_add(text, " are summands, and their sum is wanted ");
}

// --- What is wanted ---

static int operand_of(const mlir_op_t *op, const mlir_value_t *value) {
  for (int i = 0; i < op->operand_count; i++) {
    if (op->operands[i] == value) {
      return i;
    }
  }
  return -1;
}

static void print_user(const partitioner_t *partitioner, pod_text_t *text,
                       const mlir_value_t *value) {
  const mlir_op_t *user = partitioner->user;
  const bool returns = user->result_count == 0 && user->next == NULL;
  const mlir_op_t *holder = returns ? user->block->region->op : user;
  const int operand = operand_of(user, value);
  if (returns && holder->kind == KIND_FUNC) {
    pod_text_add(text, "as a result of @main");
  } else if (returns) {
    pod_text_add(text, "as what is returned within ");
    print_op(partitioner, text, holder);
  } else if (operand >= 0 && user->kind != KIND_SDY_SHARDING_CONSTRAINT &&
             user->kind != KIND_SDY_RESHARD) {
    pod_text_printf(text, "as operand %d of ", operand);
    print_op(partitioner, text, user);
  } else {
    pod_text_add(text, "by ");
    print_op(partitioner, text, user);
  }
}

// Why the user wants it so, as far as that can be said.
static void print_wish(partitioner_t *partitioner, pod_text_t *text,
                       const mlir_value_t *value) {
  const mlir_op_t *user = partitioner->user;
  if (user->result_count == 0 || user->region_count > 0 || operand_of(user, value) < 0 ||
      user->kind == KIND_SDY_SHARDING_CONSTRAINT || user->kind == KIND_SDY_RESHARD) {
    return;
  }
  if (compiler_is_row(user->kind) && compiler_factors_rule(user->kind) == NULL) {
    pod_text_add(text, ", which every chip computes whole");
  } else if (value_is_tensor(&user->results[0])) {
    pod_text_add(text, ", whose result is to lie ");
    print_layout(text, partitioner->mesh,
                 partition_value_layout(partitioner, &user->results[0]));
  }
}

// Takes the text; what is there already is not repeated.
static void add_note(partitioner_t *partitioner, pod_text_t *text) {
  bool is_known = partitioner->notes.count >= PARTITION_NOTES_MAX;
  for (int i = 0; i < partitioner->notes.count; i++) {
    is_known = is_known || strcmp(partitioner->notes.items[i], text->bytes) == 0;
  }
  if (!is_known) {
    *pod_list_add(&partitioner->notes) =
        pod_arena_strdup(partitioner->module->arena, text->bytes);
  }
  pod_text_deinit(text);
}

void partition_note_whole(partitioner_t *partitioner, const mlir_op_t *op) {
  double moved_bytes = 0;
  double whole_bytes = 0;
  for (int i = 0; i < op->operand_count; i++) {
    if (value_is_tensor(op->operands[i])) {
      const tensor_shape_t *shape = value_shape(op->operands[i]);
      moved_bytes +=
          partition_value_cost(partitioner, op->operands[i],
                               layouts_replicated(&partitioner->layouts, shape->rank))
              .bytes;
      whole_bytes += (double)tensor_shape_bytes(shape);
    }
  }
  if (moved_bytes == 0) {
    return;
  }
  pod_text_t text = {0};
  print_op(partitioner, &text, op);
  pod_text_printf(&text,
                  " is computed whole on every chip, since nothing says how it could be "
                  "sharded: its operands, %.0f bytes, are gathered for it",
                  whole_bytes);
  add_note(partitioner, &text);
}

// Whether an operation has to have the dimension whole: it is not that it is sharded
// otherwise.
static bool needs_whole(const choice_t *choice, int operand, int dim) {
  const factor_list_t *list = &choice->factors->operands[operand].dims[dim];
  bool moves = list->count == 0;
  for (int i = 0; i < list->count; i++) {
    const factor_kind_t kind = choice->factors->factors[list->factors[i]].kind;
    moves = moves || (kind != FACTOR_PASS && kind != FACTOR_REDUCTION);
  }
  return moves && choice->operands[operand]->dims[dim].count == 0;
}

void partition_note_gathered(partitioner_t *partitioner, const mlir_op_t *op,
                             const choice_t *choice) {
  for (int i = 0; i < op->operand_count; i++) {
    const version_t *version = partitioner->states[op->operands[i]->id].versions;
    if (version == NULL || version->layout == choice->operands[i] ||
        choice->operands[i]->rank == 0) {
      continue;
    }
    const reshard_plan_t *plan = partition_value_plan(
        partitioner, value_shape(op->operands[i]), version->layout, choice->operands[i]);
    for (int s = 0; s < plan->count; s++) {
      const reshard_step_t *step = &plan->steps[s];
      if (step->kind != RESHARD_ALL_GATHER || !needs_whole(choice, i, step->dim)) {
        continue;
      }
      pod_text_t text = {0};
      print_op(partitioner, &text, op);
      pod_text_printf(&text,
                      " needs dimension %d of operand %d whole on every chip: it is "
                      "gathered over ",
                      step->dim, i);
      partition_print_axes(&text, partitioner->mesh, &step->axes);
      pod_text_printf(&text, ", %.0f bytes", plan->cost.bytes);
      add_note(partitioner, &text);
    }
  }
}

const char *partition_because(partitioner_t *partitioner, const mlir_value_t *value,
                              const layout_t *from, const layout_t *to,
                              const axes_t *reduced) {
  pod_text_t text = {0};
  if (reduced != NULL) {
    print_summands(partitioner, &text, value, reduced);
  } else {
    print_value(partitioner, &text, value);
    pod_text_add(&text, " lies ");
    print_layout(&text, partitioner->mesh, from);
    pod_text_add(&text, " and is wanted ");
  }
  print_layout(&text, partitioner->mesh, to);
  if (partitioner->user != NULL) {
    pod_text_add(&text, " ");
    print_user(partitioner, &text, value);
    print_wish(partitioner, &text, value);
  }
  const char *copy = pod_arena_strdup(partitioner->module->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

const char *partition_because_moved(partitioner_t *partitioner, const mlir_op_t *op,
                                    const axes_t *axes) {
  pod_text_t text = {0};
  print_op(partitioner, &text, op);
  pod_text_add(&text, " moves elements along a dimension that is sharded over ");
  partition_print_axes(&text, partitioner->mesh, axes);
  pod_text_add(&text, ", and needs some that other chips hold");
  const char *copy = pod_arena_strdup(partitioner->module->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}
