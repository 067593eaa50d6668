// The interpreter: one function per kind of node.

#include "server/compiler/pallas/machine.h"

#include "server/chip/work.h"

static machine_slot_t *slot_of(machine_t *machine, const mlir_value_t *value) {
  return &machine->slots[value->id];
}

void kernel_machine_set(machine_t *machine, const mlir_value_t *value, int64_t number) {
  *slot_of(machine, value) = (machine_slot_t){.is_known = true, .value = number};
}

static void forget(machine_t *machine, const mlir_value_t *value) {
  *slot_of(machine, value) = (machine_slot_t){0};
}

// The low bits with their sign; of one bit 0 and 1.
static int64_t wrap(int64_t value, int bits) {
  if (bits == 1) {
    return value & 1;
  }
  return bits >= 64 || bits <= 0
             ? value
             : (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

static uint64_t low_bits(int64_t value, int bits) {
  return bits >= 64 || bits <= 0 ? (uint64_t)value
                                 : (uint64_t)value & (((uint64_t)1 << bits) - 1);
}

// --- Integers ---

// By arith's numbers: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge.
static bool compare(int64_t predicate, int64_t a, int64_t b) {
  const uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (predicate) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    case 5:
      return a >= b;
    case 6:
      return x < y;
    case 7:
      return x <= y;
    case 8:
      return x > y;
    default:
      return x >= y;
  }
}

// False where there is no result: a division by 0, or of the least by -1.
static bool divide(kernel_op_t op, int64_t a, int64_t b, int bits, int64_t *out) {
  if (b == 0 || (a == INT64_MIN && b == -1)) {
    return false;
  }
  const uint64_t x = low_bits(a, bits), y = low_bits(b, bits);
  const int64_t quotient = a / b, rest = a % b;
  switch ((int)op) {
    case KERNEL_OP_DIVUI:
      *out = (int64_t)(x / y);
      return true;
    case KERNEL_OP_REMUI:
      *out = (int64_t)(x % y);
      return true;
    case KERNEL_OP_REMSI:
      *out = rest;
      return true;
    case KERNEL_OP_FLOORDIVSI:
      *out = quotient - (rest != 0 && (rest < 0) != (b < 0));
      return true;
    case KERNEL_OP_CEILDIVSI:
      *out = quotient + (rest != 0 && (rest < 0) == (b < 0));
      return true;
    default:
      *out = quotient;
      return true;
  }
}

static bool shift(kernel_op_t op, int64_t a, int64_t b, int bits, int64_t *out) {
  if (b < 0 || b >= bits || bits > 64) {
    return false;
  }
  *out = op == KERNEL_OP_SHLI    ? (int64_t)((uint64_t)a << b)
         : op == KERNEL_OP_SHRSI ? a >> b
                                 : (int64_t)(low_bits(a, bits) >> b);
  return true;
}

static bool binary(const code_node_t *node, int64_t a, int64_t b, int64_t *out) {
  const uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch ((int)node->op) {
    case KERNEL_OP_ADDI:
      *out = (int64_t)(x + y);
      return true;
    case KERNEL_OP_SUBI:
      *out = (int64_t)(x - y);
      return true;
    case KERNEL_OP_MULI:
      *out = (int64_t)(x * y);
      return true;
    case KERNEL_OP_MINSI:
      *out = a < b ? a : b;
      return true;
    case KERNEL_OP_MAXSI:
      *out = a > b ? a : b;
      return true;
    case KERNEL_OP_MINUI:
      *out = x < y ? a : b;
      return true;
    case KERNEL_OP_MAXUI:
      *out = x > y ? a : b;
      return true;
    case KERNEL_OP_ANDI:
      *out = a & b;
      return true;
    case KERNEL_OP_ORI:
      *out = a | b;
      return true;
    case KERNEL_OP_XORI:
      *out = a ^ b;
      return true;
    case KERNEL_OP_CMPI:
      *out = compare(node->attribute, a, b);
      return true;
    case KERNEL_OP_SHLI:
    case KERNEL_OP_SHRSI:
    case KERNEL_OP_SHRUI:
      return shift(node->op, a, b, node->bits, out);
    case KERNEL_OP_DIVSI:
    case KERNEL_OP_DIVUI:
    case KERNEL_OP_FLOORDIVSI:
    case KERNEL_OP_CEILDIVSI:
    case KERNEL_OP_REMSI:
    case KERNEL_OP_REMUI:
      return divide(node->op, a, b, node->bits, out);
    default:
      return false;
  }
}

// A conversion of a known integer.
static bool unary(const code_node_t *node, int64_t a, int64_t *out) {
  const mlir_type_t *from = node->at->operands[0]->type;
  switch ((int)node->op) {
    case KERNEL_OP_EXTUI:
    case KERNEL_OP_INDEX_CASTUI:
      *out = from->kind == MLIR_TYPE_SCALAR && from->shape.dtype != TENSOR_PRED
                 ? (int64_t)low_bits(a, (int)tensor_dtype_device_bits(from->shape.dtype))
                 : a;
      return true;
    case KERNEL_OP_EXTSI:  // Of i1 a true is -1.
      *out = from->kind == MLIR_TYPE_SCALAR && from->shape.dtype == TENSOR_PRED ? -a : a;
      return true;
    case KERNEL_OP_TRUNCI:
    case KERNEL_OP_INDEX_CAST:
    case KERNEL_OP_ASSUME:
      *out = a;
      return true;
    default:
      return false;
  }
}

// Of a memref whose contents are known, at indexes that are.
static bool load(machine_t *machine, const mlir_op_t *op, int64_t *out) {
  const kernel_memory_t *memory =
      op->operand_count > 0 ? slot_of(machine, op->operands[0])->memory : NULL;
  if (memory == NULL || op->operand_count != 1 + memory->shape.rank) {
    return false;
  }
  int64_t at = 0;
  for (int d = 0; d < memory->shape.rank; d++) {
    const machine_slot_t *index = slot_of(machine, op->operands[1 + d]);
    if (!index->is_known || index->value < 0 || index->value >= memory->shape.dims[d]) {
      return false;
    }
    at = at * memory->shape.dims[d] + index->value;
  }
  const size_t bytes = tensor_dtype_bytes(memory->shape.dtype);
  *out = tensor_element_as_int64(
      memory->shape.dtype,
      (const char *)memory->data + (memory->is_splat ? 0 : (size_t)at * bytes));
  return true;
}

static bool select_value(machine_t *machine, const mlir_op_t *op, int64_t *out) {
  const machine_slot_t *which = slot_of(machine, op->operands[0]);
  if (!which->is_known) {
    return false;
  }
  const machine_slot_t *chosen =
      slot_of(machine, op->operands[which->value != 0 ? 1 : 2]);
  *out = chosen->value;
  return chosen->is_known;
}

static void run_integer(machine_t *machine, const code_node_t *node) {
  const mlir_op_t *op = node->at;
  int64_t value = node->attribute;
  bool is_known = node->op == KERNEL_OP_CONSTANT;
  if (node->op == KERNEL_OP_SCALAR_LOAD) {
    is_known = load(machine, op, &value);
  } else if (node->op == KERNEL_OP_SELECT && op->operand_count == 3) {
    is_known = select_value(machine, op, &value);
  } else if (op->operand_count == 2) {
    const machine_slot_t *a = slot_of(machine, op->operands[0]),
                         *b = slot_of(machine, op->operands[1]);
    is_known = a->is_known && b->is_known && binary(node, a->value, b->value, &value);
  } else if (op->operand_count == 1) {
    const machine_slot_t *a = slot_of(machine, op->operands[0]);
    is_known = a->is_known && unary(node, a->value, &value);
  }
  *slot_of(machine, &op->results[0]) =
      (machine_slot_t){.is_known = is_known, .value = wrap(value, node->bits)};
}

// --- Control ---

static void forget_results(machine_t *machine, const mlir_op_t *op) {
  for (int i = 0; i < op->result_count; i++) {
    forget(machine, &op->results[i]);
  }
}

// What a block gives, from its operand `first` on, becomes `values` or `results`; all at
// once, because they may change places. More than some are forgotten.
static void hand_on(machine_t *machine, const code_block_t *from, int first, int count,
                    mlir_value_t *const *values, mlir_value_t *results) {
  enum { HANDED_MAX = 64 };
  machine_slot_t handed[HANDED_MAX] = {{0}};
  const int given = from == NULL || from->end == NULL ? 0 : from->end->operand_count;
  for (int i = 0; i < count && i < HANDED_MAX && first + i < given; i++) {
    handed[i] = *slot_of(machine, from->end->operands[first + i]);
  }
  for (int i = 0; i < count; i++) {
    const mlir_value_t *to = values != NULL ? values[i] : &results[i];
    *slot_of(machine, to) = i < HANDED_MAX ? handed[i] : (machine_slot_t){0};
  }
}

static void run_if(machine_t *machine, const code_node_t *node, chip_grid_step_t *sum) {
  const mlir_op_t *op = node->at;
  const machine_slot_t *condition =
      op->operand_count > 0 ? slot_of(machine, op->operands[0]) : NULL;
  if (condition != NULL && condition->is_known) {
    const code_block_t *taken = node->regions[condition->value != 0 ? 0 : 1];
    kernel_machine_run(machine, taken, sum);
    hand_on(machine, taken, 0, op->result_count, NULL, op->results);
    return;
  }
  chip_grid_step_t work[2] = {{0}, {0}};
  for (int r = 0; r < 2; r++) {
    kernel_machine_run(machine, node->regions[r], &work[r]);
  }
  const bool is_second = chip_grid_core_ps(machine->grid, &work[1]) >
                         chip_grid_core_ps(machine->grid, &work[0]);
  kernel_work_add(sum, &work[is_second ? 1 : 0], 1);
  forget_results(machine, op);
}

// One turn of a loop that may have any number of them.
static void run_open(machine_t *machine, const code_block_t *body,
                     chip_grid_step_t *sum) {
  chip_grid_step_t turn = {0};
  kernel_machine_run(machine, body, &turn);
  machine->is_open = true;
  machine->open_bytes = chip_work_plus(
      machine->open_bytes, chip_work_plus(turn.read_bytes, turn.written_bytes));
  kernel_work_add(sum, &turn, machine->open_turns);
}

static void forget_arguments(machine_t *machine, const code_block_t *block) {
  for (int i = 0; block != NULL && i < block->at->argument_count; i++) {
    forget(machine, block->at->arguments[i]);
  }
}

// (from, to, step, carried…): a body of (index, carried…).
static void run_for(machine_t *machine, const code_node_t *node, chip_grid_step_t *sum) {
  const mlir_op_t *op = node->at;
  const code_block_t *body = node->regions[0];
  if (op->operand_count < 3 || body == NULL || body->at->argument_count < 1) {
    return;
  }
  machine_slot_t *bounds[3];
  bool is_known = true;
  for (int i = 0; i < 3; i++) {
    bounds[i] = slot_of(machine, op->operands[i]);
    is_known = is_known && bounds[i]->is_known;
  }
  const int carried = op->operand_count - 3 < body->at->argument_count - 1
                          ? op->operand_count - 3
                          : body->at->argument_count - 1;
  if (!is_known || bounds[2]->value <= 0) {
    forget_arguments(machine, body);
    run_open(machine, body, sum);
    forget_results(machine, op);
    return;
  }
  const int64_t from = bounds[0]->value, to = bounds[1]->value, step = bounds[2]->value;
  for (int i = 0; i < carried; i++) {
    *slot_of(machine, body->at->arguments[1 + i]) =
        *slot_of(machine, op->operands[3 + i]);
  }
  if (body->node_count == 0) {  // Every turn is like the first.
    const uint64_t length = to > from ? (uint64_t)to - (uint64_t)from : 0;
    const uint64_t turns = length / (uint64_t)step + (length % (uint64_t)step != 0);
    kernel_work_add(sum, &body->work, turns > INT64_MAX ? INT64_MAX : (int64_t)turns);
    forget_results(machine, op);
    return;
  }
  for (int64_t at = from; at < to && machine->budget >= 0;) {
    kernel_machine_set(machine, body->at->arguments[0], at);
    kernel_machine_run(machine, body, sum);
    hand_on(machine, body, 0, carried, body->at->arguments + 1, NULL);
    if (__builtin_add_overflow(at, step, &at)) {
      break;
    }
  }
  for (int i = 0; i < op->result_count; i++) {
    if (i < carried) {
      *slot_of(machine, &op->results[i]) = *slot_of(machine, body->at->arguments[1 + i]);
    } else {
      forget(machine, &op->results[i]);
    }
  }
}

// Before: (carried…) -> condition(go on, values…); after: (values…) -> carried….
static void run_while(machine_t *machine, const code_node_t *node,
                      chip_grid_step_t *sum) {
  const mlir_op_t *op = node->at;
  const code_block_t *before = node->regions[0], *after = node->regions[1];
  if (before == NULL || after == NULL || before->end == NULL ||
      before->end->operand_count < 1 || before->at->argument_count > op->operand_count) {
    return;
  }
  for (int i = 0; i < before->at->argument_count; i++) {
    *slot_of(machine, before->at->arguments[i]) = *slot_of(machine, op->operands[i]);
  }
  while (machine->budget >= 0) {
    kernel_machine_run(machine, before, sum);
    const machine_slot_t go_on = *slot_of(machine, before->end->operands[0]);
    if (!go_on.is_known) {
      forget_arguments(machine, after);
      run_open(machine, after, sum);
      forget_results(machine, op);
      return;
    }
    if (go_on.value == 0) {
      break;
    }
    hand_on(machine, before, 1, after->at->argument_count, after->at->arguments, NULL);
    kernel_machine_run(machine, after, sum);
    hand_on(machine, after, 0, before->at->argument_count, before->at->arguments, NULL);
  }
  hand_on(machine, before, 1, op->result_count, NULL, op->results);
}

void kernel_machine_run(machine_t *machine, const code_block_t *block,
                        chip_grid_step_t *sum) {
  if (block == NULL) {
    return;
  }
  kernel_work_add(sum, &block->work, 1);
  machine->budget--;
  for (int32_t i = 0; i < block->node_count && machine->budget >= 0; i++) {
    const code_node_t *node = &block->nodes[i];
    machine->budget--;
    switch ((int)node->op) {
      case KERNEL_OP_IF:
        run_if(machine, node, sum);
        break;
      case KERNEL_OP_FOR:
        run_for(machine, node, sum);
        break;
      case KERNEL_OP_WHILE:
        run_while(machine, node, sum);
        break;
      case KERNEL_OP_REGION:
        kernel_machine_run(machine, node->regions[0], sum);
        hand_on(machine, node->regions[0], 0, node->at->result_count, NULL,
                node->at->results);
        break;
      case KERNEL_OP_FUNC:
        break;  // Within a body it is only said, not called.
      default:
        run_integer(machine, node);
        break;
    }
  }
}
