#include "tests/unit/server/compiler/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/compiler/dialect/reducer.h"
#include "server/compiler/lower/lower.h"

enum { ITERATIONS = 2, CELL_BYTES = 64 };

typedef uint64_t symbol_t;

static symbol_t mix(symbol_t a, symbol_t b) {
  a = (a ^ b) * 0x9e3779b97f4a7c15u;
  return (a ^ (a >> 29)) * 0xbf58476d1ce4e5b9u;
}

static symbol_t mix_bytes(symbol_t symbol, const void *data, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes; i++) {
    symbol = mix(symbol, ((const unsigned char *)data)[i]);
  }
  return symbol;
}

// Values without elements are all the same.
static symbol_t seal(const tensor_shape_t *shape, symbol_t symbol) {
  return tensor_shape_elements(shape) == 0 ? 0 : symbol;
}

static symbol_t constant_symbol(const tensor_shape_t *shape, bool is_splat,
                                const void *data) {
  const bool is_one = is_splat || tensor_shape_elements(shape) == 1;
  const size_t bytes =
      is_one ? tensor_dtype_bytes(shape->dtype) : (size_t)tensor_shape_bytes(shape);
  return seal(shape, mix_bytes(1000 + shape->dtype, data, bytes));
}

static bool is_identity(int op) {
  return op == CHIP_OP_RESHAPE || op == CHIP_OP_COPY ||
         op == CHIP_OP_OPTIMIZATION_BARRIER;
}

static symbol_t argument_symbol(int index) {
  return mix(77, (symbol_t)index);
}

// What a reduction gives its region as argument `index`.
static symbol_t region_symbol(symbol_t operands, int index) {
  return mix(operands, 500 + (symbol_t)index);
}

// --- The module ---

typedef struct reference_t {
  symbol_t *symbols;  // By value id.
  symbol_t trace;     // Of the conditions met.
} reference_t;

static void run_block(reference_t *reference, const mlir_block_t *block);

static symbol_t operand_symbol(const reference_t *reference, const mlir_op_t *op, int i) {
  return reference->symbols[op->operands[i]->id];
}

static void run_while(reference_t *reference, const mlir_op_t *op) {
  const mlir_block_t *cond = mlir_op_block(op, 0), *body = mlir_op_block(op, 1);
  symbol_t *state = calloc((size_t)op->operand_count + 1, sizeof(*state));
  for (int i = 0; i < op->operand_count; i++) {
    state[i] = operand_symbol(reference, op, i);
  }
  for (int iteration = 0; iteration <= ITERATIONS; iteration++) {
    for (int i = 0; i < op->operand_count; i++) {
      reference->symbols[cond->arguments[i]->id] = state[i];
      reference->symbols[body->arguments[i]->id] = state[i];
    }
    run_block(reference, cond);
    reference->trace = mix(reference->trace, operand_symbol(reference, cond->last, 0));
    if (iteration == ITERATIONS) {
      break;
    }
    run_block(reference, body);
    for (int i = 0; i < op->operand_count; i++) {
      state[i] = operand_symbol(reference, body->last, i);
    }
  }
  for (int i = 0; i < op->operand_count; i++) {
    reference->symbols[op->results[i].id] = state[i];
  }
  free(state);
}

static void run_branches(reference_t *reference, const mlir_op_t *op) {
  const symbol_t index = operand_symbol(reference, op, 0);
  reference->trace = mix(reference->trace, index);
  const mlir_block_t *branch =
      mlir_op_block(op, (int)(index % (symbol_t)op->region_count));
  run_block(reference, branch);
  for (int i = 0; i < op->result_count; i++) {
    reference->symbols[op->results[i].id] = operand_symbol(reference, branch->last, i);
  }
}

static symbol_t run_region(reference_t *reference, const mlir_op_t *op, symbol_t symbol) {
  const mlir_block_t *block = mlir_op_block(op, 0);
  for (int i = 0; i < block->argument_count; i++) {
    reference->symbols[block->arguments[i]->id] = region_symbol(symbol, i);
  }
  run_block(reference, block);
  for (int i = 0; i < block->last->operand_count; i++) {
    symbol = mix(symbol, operand_symbol(reference, block->last, i));
  }
  return symbol;
}

static bool has_region(const mlir_op_t *op) {
  return op->region_count == 1 && compiler_reducer(op) == CHIP_REDUCER_NONE;
}

// select(p, x, x) is x.
static bool has_no_choice(const reference_t *reference, const mlir_op_t *op) {
  return op->kind == CHIP_OP_SELECT &&
         operand_symbol(reference, op, 1) == operand_symbol(reference, op, 2);
}

static void run_op(reference_t *reference, const mlir_op_t *op) {
  symbol_t symbol = (symbol_t)op->kind;
  for (int i = 0; i < op->operand_count; i++) {
    symbol = mix(symbol, operand_symbol(reference, op, i));
  }
  const bool may_call =
      op->kind == CHIP_OP_REDUCE || chip_op_is_collective((chip_op_t)op->kind);
  if (may_call && has_region(op)) {
    symbol = run_region(reference, op, symbol);
  }
  for (int i = 0; i < op->result_count; i++) {
    symbol_t result = mix(symbol, (symbol_t)i);
    if (op->kind == CHIP_OP_CONSTANT) {
      const mlir_attr_t *value = mlir_op_attr(op, "value");
      result = constant_symbol(&op->results[i].type->shape, value->is_splat, value->data);
    } else if (is_identity(op->kind)) {
      result = operand_symbol(reference, op, i);
    } else if (has_no_choice(reference, op)) {
      result = operand_symbol(reference, op, 1);
    }
    reference->symbols[op->results[i].id] = seal(&op->results[i].type->shape, result);
  }
}

static void run_block(reference_t *reference, const mlir_block_t *block) {
  for (const mlir_op_t *op = block->first; op != block->last; op = op->next) {
    if (op->kind == CHIP_OP_WHILE) {
      run_while(reference, op);
    } else if (op->kind == CHIP_OP_IF || op->kind == CHIP_OP_CASE) {
      run_branches(reference, op);
    } else {
      run_op(reference, op);
    }
  }
}

// --- The program ---

// What lies in 64 bytes: a part of a symbol.
typedef struct cell_t {
  symbol_t symbol;
  int64_t part;
  bool is_written;
} cell_t;

typedef struct machine_t {
  const chip_program_t *program;
  cell_t *cells;      // The block of temporaries.
  symbol_t *results;  // By index; 0 until written.
  bool *has_result;
  symbol_t trace;
  const char *at;  // The instruction that runs.
} machine_t;

static int64_t cells_of(const chip_buffer_t *buffer) {
  return (tensor_shape_bytes(&buffer->shape) + CELL_BYTES - 1) / CELL_BYTES;
}

static symbol_t read_buffer(const machine_t *machine, int32_t index) {
  const chip_buffer_t *buffer = &machine->program->buffers[index];
  const int64_t count = cells_of(buffer);
  if (count == 0) {
    return 0;
  }
  if (buffer->kind == CHIP_BUFFER_ARGUMENT) {
    for (int32_t i = 0; i < machine->program->alias_count; i++) {
      // What lies there may be the result by now.
      assert_int_not_equal(machine->program->aliases[i].argument, buffer->index);
    }
    return argument_symbol(buffer->index);
  }
  if (buffer->kind == CHIP_BUFFER_CONSTANT) {
    const chip_constant_t *constant = &machine->program->constants[buffer->index];
    return constant_symbol(&constant->shape, constant->is_splat, constant->data);
  }
  if (buffer->kind == CHIP_BUFFER_RESULT) {
    if (!machine->has_result[buffer->index]) {
      fail_msg("%s reads result %d before it is written", machine->at, buffer->index);
    }
    return machine->results[buffer->index];
  }
  const cell_t *cells = &machine->cells[buffer->offset / CELL_BYTES];
  for (int64_t i = 0; i < count; i++) {
    if (!cells[i].is_written || cells[i].symbol != cells[0].symbol ||
        cells[i].part != i) {
      fail_msg("%s reads buffer %d, of which a part was overwritten or never written",
               machine->at, index);
    }
  }
  return cells[0].symbol;
}

static void write_buffer(machine_t *machine, int32_t index, symbol_t symbol) {
  const chip_buffer_t *buffer = &machine->program->buffers[index];
  assert_true(buffer->kind == CHIP_BUFFER_TEMP || buffer->kind == CHIP_BUFFER_RESULT);
  if (buffer->kind == CHIP_BUFFER_RESULT) {
    machine->results[buffer->index] = symbol;
    machine->has_result[buffer->index] = true;
    return;
  }
  cell_t *cells = &machine->cells[buffer->offset / CELL_BYTES];
  for (int64_t i = 0; i < cells_of(buffer); i++) {
    cells[i] = (cell_t){symbol, i, true};
  }
}

static bool overlap(const chip_buffer_t *a, const chip_buffer_t *b) {
  if (a->kind != b->kind || cells_of(a) == 0 || cells_of(b) == 0) {
    return false;
  }
  if (a->kind != CHIP_BUFFER_TEMP) {
    return a->index == b->index;
  }
  return a->offset < b->offset + CELL_BYTES * cells_of(b) &&
         b->offset < a->offset + CELL_BYTES * cells_of(a);
}

// Results may lie on operands only as program.h allows.
static void check_aliases(const machine_t *machine,
                          const chip_instruction_t *instruction) {
  const chip_buffer_t *buffers = machine->program->buffers;
  for (int32_t r = 0; r < instruction->result_count; r++) {
    const chip_buffer_t *result = &buffers[instruction->results[r]];
    for (int32_t i = 0; i < instruction->operand_count; i++) {
      const chip_buffer_t *operand = &buffers[instruction->operands[i]];
      const bool in_place =
          lower_works_in_place(instruction->op, i) || instruction->op == CHIP_OP_RESHAPE;
      if (overlap(operand, result) &&
          (!in_place || operand->offset != result->offset ||
           tensor_shape_bytes(&operand->shape) != tensor_shape_bytes(&result->shape))) {
        fail_msg("%s writes over its operand %d", machine->at, i);
      }
    }
    for (int32_t k = 0; k < r; k++) {
      assert_false(overlap(&buffers[instruction->results[k]], result));
    }
  }
}

static void run_computation(machine_t *machine, int32_t index);

static void run_loop(machine_t *machine, const chip_instruction_t *instruction) {
  const chip_computation_t *cond = &machine->program->computations[instruction->calls[0]];
  const chip_computation_t *body = &machine->program->computations[instruction->calls[1]];
  for (int iteration = 0; iteration <= ITERATIONS; iteration++) {
    run_computation(machine, instruction->calls[0]);
    machine->trace = mix(machine->trace, read_buffer(machine, cond->results[0]));
    if (iteration == ITERATIONS) {
      break;
    }
    run_computation(machine, instruction->calls[1]);
    for (int32_t i = 0; i < body->result_count; i++) {
      if (body->results[i] != body->parameters[i]) {
        write_buffer(machine, body->parameters[i],
                     read_buffer(machine, body->results[i]));
      }
    }
  }
}

static void run_branch(machine_t *machine, const chip_instruction_t *instruction) {
  const symbol_t index = read_buffer(machine, instruction->operands[0]);
  machine->trace = mix(machine->trace, index);
  const int32_t call = instruction->calls[index % (symbol_t)instruction->call_count];
  const chip_computation_t *branch = &machine->program->computations[call];
  run_computation(machine, call);
  for (int32_t i = 0; i < branch->result_count; i++) {
    write_buffer(machine, instruction->results[i],
                 read_buffer(machine, branch->results[i]));
  }
}

static symbol_t operands_symbol(const machine_t *machine,
                                const chip_instruction_t *instruction) {
  symbol_t symbol = (symbol_t)instruction->op;
  for (int32_t i = 0; i < instruction->operand_count; i++) {
    symbol = mix(symbol, read_buffer(machine, instruction->operands[i]));
  }
  return symbol;
}

// The kernel reads the operands and writes results while the region runs again and again.
static symbol_t call_region(machine_t *machine, const chip_instruction_t *instruction,
                            symbol_t operands) {
  const chip_computation_t *region =
      &machine->program->computations[instruction->calls[0]];
  symbol_t symbol = operands;
  for (int run = 0; run < 2; run++) {
    for (int32_t i = 0; i < instruction->result_count; i++) {
      write_buffer(machine, instruction->results[i], 4711);
    }
    for (int32_t i = 0; i < region->parameter_count; i++) {
      write_buffer(machine, region->parameters[i], region_symbol(operands, i));
    }
    run_computation(machine, instruction->calls[0]);
    symbol = operands;
    for (int32_t i = 0; i < region->result_count; i++) {
      symbol = mix(symbol, read_buffer(machine, region->results[i]));
    }
    assert_int_equal(operands_symbol(machine, instruction), operands);
  }
  return symbol;
}

static void run_instruction(machine_t *machine, const chip_instruction_t *instruction) {
  machine->at = instruction->name;
  if (instruction->op != CHIP_OP_IF && instruction->op != CHIP_OP_CASE) {
    check_aliases(machine, instruction);  // Those two have read their operand by then.
  }
  if (instruction->op == CHIP_OP_WHILE) {
    run_loop(machine, instruction);
    return;
  }
  if (instruction->op == CHIP_OP_IF || instruction->op == CHIP_OP_CASE) {
    run_branch(machine, instruction);
    return;
  }
  symbol_t symbol = operands_symbol(machine, instruction);
  if (instruction->call_count > 0) {
    symbol = call_region(machine, instruction, symbol);
  }
  const bool has_choice = instruction->op != CHIP_OP_SELECT ||
                          read_buffer(machine, instruction->operands[1]) !=
                              read_buffer(machine, instruction->operands[2]);
  const int32_t which = has_choice ? 0 : 1;
  const symbol_t same = instruction->operand_count > 0
                            ? read_buffer(machine, instruction->operands[which])
                            : 0;
  for (int32_t i = 0; i < instruction->result_count; i++) {
    const tensor_shape_t *shape =
        &machine->program->buffers[instruction->results[i]].shape;
    write_buffer(machine, instruction->results[i],
                 is_identity((int)instruction->op) || !has_choice
                     ? same
                     : seal(shape, mix(symbol, (symbol_t)i)));
  }
}

static void run_computation(machine_t *machine, int32_t index) {
  const chip_computation_t *computation = &machine->program->computations[index];
  for (int32_t i = 0; i < computation->instruction_count; i++) {
    run_instruction(machine,
                    &machine->program->instructions[computation->first_instruction + i]);
  }
}

// --- Both ---

static void check_names(const chip_program_t *program) {
  pod_map_t *names = pod_map_create();
  for (int32_t i = 0; i < program->instruction_count; i++) {
    if (pod_map_get(names, program->instructions[i].name) != NULL) {
      fail_msg("two instructions are called %s", program->instructions[i].name);
    }
    pod_map_put(names, program->instructions[i].name, names);
  }
  pod_map_destroy(names);
}

void replay_compare(const mlir_module_t *module, const chip_program_t *program) {
  check_names(program);
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  const mlir_block_t *block = mlir_op_block(main, 0);
  reference_t reference = {calloc(module->value_count, sizeof(symbol_t)), 0};
  for (int i = 0; i < block->argument_count; i++) {
    reference.symbols[block->arguments[i]->id] =
        seal(&block->arguments[i]->type->shape, argument_symbol(i));
  }
  run_block(&reference, block);
  machine_t machine = {.program = program, .at = "the program"};
  machine.cells =
      calloc((size_t)(program->temp_bytes / CELL_BYTES) + 1, sizeof(*machine.cells));
  machine.results = calloc((size_t)program->result_count + 1, sizeof(symbol_t));
  machine.has_result = calloc((size_t)program->result_count + 1, sizeof(bool));
  for (int32_t i = 0; i < program->alias_count; i++) {
    const chip_alias_t *alias = &program->aliases[i];
    const mlir_value_t *argument = block->arguments[alias->argument];
    machine.results[alias->result] =
        seal(&argument->type->shape, argument_symbol(alias->argument));
    machine.has_result[alias->result] = true;
  }
  run_computation(&machine, program->entry);
  assert_int_equal(machine.trace, reference.trace);
  const chip_computation_t *entry = &program->computations[program->entry];
  for (int32_t i = 0; i < program->result_count; i++) {
    const chip_buffer_t *buffer = &program->buffers[entry->results[i]];
    assert_int_equal(buffer->kind, CHIP_BUFFER_RESULT);
    assert_int_equal(buffer->index, i);
    machine.at = "the end";
    if (read_buffer(&machine, entry->results[i]) !=
        operand_symbol(&reference, block->last, i)) {
      fail_msg("result %d is wrong", i);
    }
  }
  free(reference.symbols);
  free(machine.cells);
  free(machine.results);
  free(machine.has_result);
}

uint64_t *replay_module(const mlir_module_t *module) {
  const mlir_block_t *block = mlir_op_block(mlir_module_find_symbol(module, "main"), 0);
  reference_t reference = {calloc(module->value_count, sizeof(symbol_t)), 0};
  for (int i = 0; i < block->argument_count; i++) {
    reference.symbols[block->arguments[i]->id] =
        seal(&block->arguments[i]->type->shape, argument_symbol(i));
  }
  run_block(&reference, block);
  uint64_t *results = calloc((size_t)block->last->operand_count + 1, sizeof(*results));
  for (int i = 0; i < block->last->operand_count; i++) {
    results[i] = operand_symbol(&reference, block->last, i);
  }
  free(reference.symbols);
  return results;
}

compiler_partitioned_t replay_unsharded(mlir_module_t *module) {
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  const mlir_block_t *block = mlir_op_block(main, 0);
  pod_arena_t *arena = module->arena;
  compiler_partitioned_t it = {.module = module,
                               .arena = arena,
                               .argument_count = block->argument_count,
                               .result_count = block->last->operand_count};
  if (mesh_make(arena, "mesh", 0, NULL, NULL, &it.mesh) != NULL) {
    fail_msg("no mesh");
  }
  const size_t arguments = (size_t)it.argument_count, results = (size_t)it.result_count;
  it.argument_shardings = pod_arena_array(arena, arguments, sizeof(sharding_t *));
  it.result_shardings = pod_arena_array(arena, results, sizeof(sharding_t *));
  it.argument_shapes = pod_arena_array(arena, arguments, sizeof(tensor_shape_t));
  it.result_shapes = pod_arena_array(arena, results, sizeof(tensor_shape_t));
  for (size_t i = 0; i < arguments; i++) {
    it.argument_shapes[i] = block->arguments[i]->type->shape;
    it.argument_shardings[i] =
        sharding_replicated(arena, it.mesh, it.argument_shapes[i].rank, false);
  }
  for (size_t i = 0; i < results; i++) {
    it.result_shapes[i] = block->last->operands[i]->type->shape;
    it.result_shardings[i] =
        sharding_replicated(arena, it.mesh, it.result_shapes[i].rank, false);
  }
  return it;
}
