// Which integers matter, and the blocks without the rest.

#include "server/compiler/pallas/code.h"

#include <stdlib.h>

#include "common/base/list.h"
#include "common/mlir/walk.h"

typedef POD_LIST(const mlir_value_t *) values_t;

static void need(code_builder_t *builder, values_t *open, const mlir_value_t *value) {
  if (!builder->is_needed[value->id] && kernel_is_integer(value->type)) {
    builder->is_needed[value->id] = true;
    *pod_list_add(open) = value;
  }
}

// How often control runs, which way it goes, and what leaves a block.
static void need_roots(code_builder_t *builder, values_t *open) {
  for (const mlir_op_t *op = mlir_walk_first(builder->module->op); op != NULL;
       op = mlir_walk_next(builder->module->op, op)) {
    const kernel_kind_t kind = kernel_kind_of(op->kind);
    for (int i = 0; i < op->operand_count; i++) {
      builder->use_counts[op->operands[i]->id]++;
      if (kind == KERNEL_KIND_CONTROL || kind == KERNEL_KIND_ENDS) {
        need(builder, open, op->operands[i]);
      }
    }
  }
}

void code_builder_init(code_builder_t *builder, const chip_spec_t *spec,
                       const mlir_module_t *module, pod_arena_t *arena) {
  *builder = (code_builder_t){
      .spec = spec,
      .module = module,
      .arena = arena,
      .use_counts = pod_arena_array(arena, module->value_count, sizeof(uint32_t)),
      .is_needed = pod_arena_array(arena, module->value_count, sizeof(bool)),
      .stages = pod_arena_array(arena, module->value_count, sizeof(int32_t))};
  values_t open = {0};
  need_roots(builder, &open);
  while (open.count > 0) {
    const mlir_value_t *value = open.items[--open.count];
    for (int i = 0; value->op != NULL && i < value->op->operand_count; i++) {
      need(builder, &open, value->op->operands[i]);
    }
  }
  pod_list_deinit(&open);
}

static int bits_of(const mlir_type_t *type) {
  return type->kind == MLIR_TYPE_INDEX ? 64
         : type->shape.dtype == TENSOR_PRED
             ? 1
             : (int)tensor_dtype_device_bits(type->shape.dtype);
}

static bool is_node(const code_builder_t *builder, const mlir_op_t *op) {
  if (kernel_kind_of(op->kind) == KERNEL_KIND_CONTROL) {
    return true;
  }
  return op->result_count == 1 && kernel_is_integer(op->results[0].type) &&
         builder->is_needed[op->results[0].id];
}

static void build_node(code_builder_t *builder, const mlir_op_t *op, code_node_t *node) {
  const bool is_integer = op->result_count > 0 && kernel_is_integer(op->results[0].type);
  *node = (code_node_t){.op = (kernel_op_t)op->kind,
                        .at = op,
                        .bits = is_integer ? bits_of(op->results[0].type) : 0};
  const mlir_attr_t *attribute =
      mlir_op_attr(op, op->kind == KERNEL_OP_CMPI ? "predicate" : "value");
  if (mlir_attr_is(attribute, MLIR_ATTR_INTEGER) ||
      mlir_attr_is(attribute, MLIR_ATTR_BOOL)) {
    node->attribute = attribute->integer;
  }
  for (int r = 0; r < op->region_count && r < 2; r++) {
    node->regions[r] = code_build(builder, mlir_op_block(op, r));
  }
}

// Through values alone: what goes by a memory is taken to be independent.
static int32_t stages_of(const code_builder_t *builder, const mlir_op_t *op) {
  int32_t stages = 0;
  for (int i = 0; i < op->operand_count; i++) {
    const mlir_op_t *from = op->operands[i]->op;
    const int32_t before = builder->stages[op->operands[i]->id];
    if (from != NULL && from->block == op->block && before > stages) {
      stages = before;
    }
  }
  const kernel_kind_t kind = kernel_kind_of(op->kind);
  const bool is_stage = kind == KERNEL_KIND_PRODUCT || kind == KERNEL_KIND_REDUCES;
  return stages + (is_stage && op->result_count == 1 &&
                   builder->use_counts[op->results[0].id] > 0);
}

static void count_stages(const code_builder_t *builder, const mlir_op_t *op,
                         chip_grid_step_t *work) {
  const int32_t stages = stages_of(builder, op);
  for (int i = 0; i < op->result_count; i++) {
    builder->stages[op->results[i].id] = stages;
  }
  work->stages = stages > work->stages ? stages : work->stages;
}

code_block_t *code_build(code_builder_t *builder, const mlir_block_t *block) {
  if (block == NULL) {
    return NULL;
  }
  code_block_t *code = pod_arena_alloc(builder->arena, sizeof(*code));
  code->at = block;
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    code->node_count += is_node(builder, op);
  }
  code->nodes =
      pod_arena_array(builder->arena, (size_t)code->node_count, sizeof(*code->nodes));
  int32_t made = 0;
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    count_stages(builder, op, &code->work);
    if (is_node(builder, op)) {
      build_node(builder, op, &code->nodes[made++]);
    } else {
      const chip_grid_step_t work =
          kernel_work_of(builder->spec, op, builder->use_counts);
      kernel_work_add(&code->work, &work, 1);
    }
  }
  if (block->last != NULL && kernel_kind_of(block->last->kind) == KERNEL_KIND_ENDS) {
    code->end = block->last;
  }
  return code;
}
