// Nodes in order of time become instructions; a move whose two sides share a buffer
// falls away; classes become buffers at their offsets.

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/lower/lower.h"
#include "server/compiler/lower/packing.h"
#include "server/compiler/partition/partition.h"

typedef struct emitter_t {
  lower_t *lower;
  pod_arena_t *arena;  // The program's.
  chip_program_t *program;
  chip_buffer_t *buffers;
  int32_t buffer_count;
  int32_t *latest_buffer;  // By class: the buffer made last, with the shape used last.
  int32_t *name_counts;    // By chip_op_t.
  // The location looked at last, and its text: neighbours often share it.
  const mlir_attr_t *location;
  const char *source;
} emitter_t;

// --- Places ---

packing_item_t *lower_class_items(const lower_t *lower) {
  packing_item_t *items = pod_alloc((size_t)lower->vars.count * sizeof(*items));
  for (int32_t i = 0; i < lower->vars.count; i++) {
    items[i].first = INT32_MAX;
    items[i].last = -1;
  }
  for (int32_t i = 0; i < lower->vars.count; i++) {
    const lower_var_t *var = &lower->vars.items[i];
    packing_item_t *item = &items[var->class];
    item->first = var->born / 2 < item->first ? var->born / 2 : item->first;
    item->last = var->dies / 2 > item->last ? var->dies / 2 : item->last;
    const bool counts = var->home == CHIP_BUFFER_TEMP && !var->is_host;
    if (counts && var->size_bytes > item->size_bytes) {
      item->size_bytes = var->size_bytes;
    }
  }
  return items;
}

// Those in the host's memory, behind the others in the block.
static void place_on_host(lower_t *lower) {
  packing_item_t *items = lower_class_items(lower);
  int32_t count = 0;
  int32_t *classes = pod_alloc((size_t)lower->vars.count * sizeof(*classes) + 1);
  for (int32_t i = 0; i < lower->vars.count; i++) {
    const lower_var_t *var = &lower->vars.items[i];
    if (var->class == i && var->is_host && var->home == CHIP_BUFFER_TEMP) {
      classes[count] = i;
      items[count] = items[i];
      items[count++].size_bytes = var->size_bytes;
    }
  }
  lower->host_temp_bytes = packing_arrange(count, items);
  for (int32_t i = 0; i < count; i++) {
    lower->class_offsets[classes[i]] = lower->temp_bytes + items[i].offset;
  }
  free(items);
  free(classes);
}

// What is alive at each time, summed from what comes to life and what dies.
static int64_t *sum_live(const lower_t *lower, int32_t count,
                         const packing_item_t *items) {
  int64_t *live = pod_alloc(((size_t)lower->time + 2) * sizeof(*live));
  for (int32_t i = 0; i < count; i++) {
    const int32_t last = items[i].last < lower->time ? items[i].last : lower->time;
    live[items[i].first] += items[i].size_bytes;
    live[last + 1] -= items[i].size_bytes;
  }
  for (int32_t time = 1; time <= lower->time; time++) {
    live[time] += live[time - 1];
  }
  return live;
}

pod_status_t lower_place(lower_t *lower) {
  packing_item_t *items = lower_class_items(lower);
  int32_t count = 0;  // The classes in front, so that packing sees only those.
  int32_t *classes = pod_alloc((size_t)lower->vars.count * sizeof(*classes));
  for (int32_t i = 0; i < lower->vars.count; i++) {
    if (lower->vars.items[i].class == i && items[i].size_bytes > 0) {
      classes[count] = i;
      items[count++] = items[i];
    }
  }
  lower->temp_bytes = packing_arrange(count, items);
  lower->class_offsets = pod_alloc((size_t)lower->vars.count * sizeof(int64_t));
  for (int32_t i = 0; i < count; i++) {
    lower->class_offsets[classes[i]] = items[i].offset;
  }
  if (lower->temp_bytes >= 0) {
    lower->live_bytes = sum_live(lower, count, items);
  }
  free(items);
  free(classes);
  if (lower->is_host != NULL && lower->temp_bytes >= 0) {
    place_on_host(lower);
  }
  if (lower->temp_bytes < 0 || lower->host_temp_bytes < 0) {
    return mlir_op_error(lower->module, lower->main, POD_RESOURCE_EXHAUSTED,
                         "its intermediate values do not fit into 2^63 bytes");
  }
  return NULL;
}

static int32_t buffer_of(emitter_t *emitter, int32_t index) {
  lower_var_t *vars = emitter->lower->vars.items;
  lower_var_t *var = &vars[vars[index].twin];
  if (var->buffer != CHIP_NONE) {
    return var->buffer;
  }
  // Variables of a class that have one shape share the entry, if they come in a row.
  const int32_t latest = emitter->latest_buffer[var->class];
  if (latest != CHIP_NONE &&
      tensor_shape_equal(&emitter->buffers[latest].shape, var->shape)) {
    var->buffer = latest;
    return latest;
  }
  var->buffer = emitter->buffer_count++;
  emitter->latest_buffer[var->class] = var->buffer;
  const bool is_temp = var->home == CHIP_BUFFER_TEMP;
  emitter->buffers[var->buffer] =
      (chip_buffer_t){.kind = var->home,
                      .index = is_temp ? 0 : var->home_index,
                      .offset = is_temp ? emitter->lower->class_offsets[var->class] : 0,
                      .shape = *var->shape,
                      .is_host = var->is_host};
  return var->buffer;
}

static const int32_t *buffers_of(emitter_t *emitter, int32_t refs, int32_t count) {
  int32_t *list = pod_arena_array(emitter->arena, (size_t)count, sizeof(*list));
  for (int32_t i = 0; i < count; i++) {
    list[i] = buffer_of(emitter, emitter->lower->refs.items[refs + i]);
  }
  return list;
}

// The caller's memory, also of those that lie in a result and are read there.
static const int32_t *argument_buffers(emitter_t *emitter,
                                       const lower_computation_t *main) {
  int32_t *list =
      pod_arena_array(emitter->arena, (size_t)main->parameter_count, sizeof(*list));
  for (int32_t i = 0; i < main->parameter_count; i++) {
    const int32_t var = emitter->lower->refs.items[main->refs + i];
    if (emitter->lower->donation.result_of[i] == CHIP_NONE) {
      list[i] = buffer_of(emitter, var);
      continue;
    }
    list[i] = emitter->buffer_count++;
    emitter->buffers[list[i]] =
        (chip_buffer_t){.kind = CHIP_BUFFER_ARGUMENT,
                        .index = i,
                        .shape = *emitter->lower->vars.items[var].shape,
                        .is_host = emitter->lower->vars.items[var].is_host};
  }
  return list;
}

// --- Instructions ---

// A move between two places that are one.
static bool has_fallen_away(const lower_t *lower, const lower_node_t *node) {
  return node->is_move && lower->vars.items[lower->refs.items[node->refs]].class ==
                              lower->vars.items[lower->refs.items[node->refs + 1]].class;
}

static const char *source_of(emitter_t *emitter, const mlir_op_t *op) {
  if (op->location == NULL && op->position == 0) {
    return "";
  }
  if (op->location == NULL || op->location != emitter->location) {
    emitter->location = op->location;
    emitter->source = mlir_op_source_in(emitter->arena, emitter->lower->module, op);
  }
  return emitter->source;
}

static pod_status_t emit_node(emitter_t *emitter, const lower_node_t *node,
                              chip_instruction_t *out) {
  const int32_t results = node->refs + node->operand_count,
                calls = results + node->result_count;
  *out = (chip_instruction_t){
      .op = node->op,
      .operand_count = node->operand_count,
      .result_count = node->result_count,
      .call_count = node->call_count,
      .operands = buffers_of(emitter, node->refs, node->operand_count),
      .results = buffers_of(emitter, results, node->result_count),
      .calls = pod_arena_copy(emitter->arena, &emitter->lower->refs.items[calls],
                              (size_t)node->call_count * sizeof(int32_t)),
      .name = pod_arena_numbered(emitter->arena, chip_op_short_name(node->op), ".",
                                 (uint64_t)emitter->name_counts[node->op]++),
      .source = source_of(emitter, node->source),
      .temp_live_bytes = emitter->lower->live_bytes[node->time]};
  if (node->is_move) {
    return NULL;
  }
  return lower_attrs(emitter->lower, node->source, emitter->arena, &out->attr_count,
                     &out->attrs);
}

// Sets where the instructions of each computation start, and returns how many there are.
static int32_t count_instructions(const lower_t *lower,
                                  chip_computation_t *computations) {
  for (int32_t i = 0; i < lower->nodes.count; i++) {
    if (!has_fallen_away(lower, &lower->nodes.items[i])) {
      computations[lower->nodes.items[i].computation].instruction_count++;
    }
  }
  int32_t total = 0;
  for (int32_t i = 0; i < lower->computations.count; i++) {
    computations[i].first_instruction = total;
    total += computations[i].instruction_count;
  }
  return total;
}

static pod_status_t emit_instructions(emitter_t *emitter) {
  lower_t *lower = emitter->lower;
  const size_t computation_count = (size_t)lower->computations.count;
  chip_computation_t *computations =
      pod_arena_array(emitter->arena, computation_count, sizeof(*computations));
  const int32_t total = count_instructions(lower, computations);
  chip_instruction_t *instructions =
      pod_arena_array(emitter->arena, (size_t)total, sizeof(*instructions));
  lower->sources =
      pod_arena_array(lower->module->arena, (size_t)total, sizeof(*lower->sources));
  lower->node_of = pod_alloc((size_t)total * sizeof(*lower->node_of));
  int32_t *next = pod_arena_array(lower->module->arena, computation_count, sizeof(*next));
  for (size_t i = 0; i < computation_count; i++) {
    const lower_computation_t *from = &lower->computations.items[i];
    next[i] = computations[i].first_instruction;
    computations[i].name = pod_arena_strdup(emitter->arena, from->name);
    computations[i].parameter_count = from->parameter_count;
    computations[i].result_count = from->result_count;
    computations[i].parameters =
        i == 0 ? argument_buffers(emitter, from)
               : buffers_of(emitter, from->refs, from->parameter_count);
    computations[i].results =
        buffers_of(emitter, from->refs + from->parameter_count, from->result_count);
  }
  for (int32_t i = 0; i < lower->nodes.count; i++) {
    const lower_node_t *node = &lower->nodes.items[i];
    if (has_fallen_away(lower, node)) {
      continue;
    }
    const int32_t at = next[node->computation]++;
    lower->sources[at] = node->op == CHIP_OP_COPY ? NULL : node->source;
    lower->node_of[at] = i;
    POD_TRY(emit_node(emitter, node, &instructions[at]));
  }
  emitter->program->computations = computations;
  emitter->program->computation_count = lower->computations.count;
  emitter->program->instructions = instructions;
  emitter->program->instruction_count = total;
  return NULL;
}

// --- What the program has and takes ---

// Sums of sizes saturate: each fits, all together need not.
static void add_bytes(int64_t *sum, int64_t bytes) {
  if (__builtin_add_overflow(*sum, bytes, sum)) {
    *sum = INT64_MAX;
  }
}

static void emit_constants(emitter_t *emitter) {
  const lower_t *lower = emitter->lower;
  chip_constant_t *constants =
      pod_arena_array(emitter->arena, (size_t)lower->constants.count, sizeof(*constants));
  for (int32_t i = 0; i < lower->constants.count; i++) {
    const lower_constant_t *from = &lower->constants.items[i];
    const int64_t bytes = tensor_shape_bytes(from->shape);
    const int64_t element = (int64_t)tensor_dtype_bytes(from->shape->dtype);
    constants[i].shape = *from->shape;
    constants[i].is_splat = from->value->is_splat && bytes > element;
    constants[i].size_bytes = constants[i].is_splat ? element : bytes;
    constants[i].data = pod_arena_copy(emitter->arena, from->value->data,
                                       (size_t)constants[i].size_bytes);
    add_bytes(&emitter->program->constant_bytes, bytes);
  }
  emitter->program->constants = constants;
  emitter->program->constant_count = lower->constants.count;
}

// The mesh and the sharding in the program's arena. `mesh` is another one than the
// program's, or NULL.
static pod_status_t copy_sharding(emitter_t *emitter, const sharding_t *sharding,
                                  const mesh_t *mesh, const sharding_t **out) {
  sharding_t *copy = sharding_copy(emitter->arena, sharding);
  copy->mesh = emitter->program->mesh;
  if (mesh != NULL) {
    POD_TRY(mesh_make(emitter->arena, copy->mesh->name, mesh->axis_count,
                      copy->mesh->axes, mesh->device_ids, &copy->mesh));
  }
  *out = copy;
  return NULL;
}

// `name`, with underscores behind it when another argument or result has it already.
static const char *take_name(emitter_t *emitter, pod_map_t *taken, const char *name) {
  while (pod_map_get(taken, name) != NULL) {
    name = pod_arena_printf(emitter->arena, "%s_", name);
  }
  pod_map_put(taken, name, taken);
  return pod_arena_strdup(emitter->arena, name);
}

static const char *argument_name(emitter_t *emitter, pod_map_t *taken,
                                 const mlir_value_t *value, int32_t i) {
  const bool has_name =
      value->name != NULL && (value->name[0] < '0' || value->name[0] > '9');
  return take_name(emitter, taken,
                   has_name ? value->name
                            : pod_arena_numbered(emitter->arena, "arg", "", (uint64_t)i));
}

// JAX says where in the function's result a value stands: "result", "result[1]",
// "result['loss']", older versions without the first word. A key that is a word makes a
// name.
static const char *key_of(const mlir_attr_t *info, int *out_length) {
  const char *text = mlir_attr_is(info, MLIR_ATTR_STRING) ? info->text : "";
  const char *open = strstr(text, "['");
  const char *close = open == NULL ? NULL : strstr(open + 2, "']");
  if (close == NULL || close[2] != '\0' || close == open + 2) {
    return NULL;
  }
  for (const char *at = open + 2; at < close; at++) {
    if (!isalnum((unsigned char)*at) && *at != '_') {
      return NULL;
    }
  }
  *out_length = (int)(close - open - 2);
  return open + 2;
}

static const char *result_name(emitter_t *emitter, pod_map_t *taken, int32_t i) {
  const mlir_attr_t *attrs = mlir_op_attr(emitter->lower->main, "res_attrs");
  const char *key = NULL;
  int length = 0;
  if (mlir_attr_is(attrs, MLIR_ATTR_ARRAY) && i < attrs->count &&
      mlir_attr_is(attrs->elements[i], MLIR_ATTR_DICTIONARY)) {
    key = key_of(mlir_attr_get(attrs->elements[i], "jax.result_info"), &length);
  }
  return take_name(emitter, taken,
                   key != NULL ? pod_arena_text(emitter->arena, key, (size_t)length)
                               : pod_arena_printf(emitter->arena, "result%" PRId32, i));
}

static bool is_on_host(const lower_t *lower, const mlir_value_t *value) {
  return lower->is_host != NULL && lower->is_host[value->id];
}

static pod_status_t emit_interface(emitter_t *emitter) {
  const compiler_partitioned_t *from = emitter->lower->partitioned;
  chip_program_t *program = emitter->program;
  const mlir_op_t *main = emitter->lower->main;
  const mlir_block_t *block = mlir_op_block(main, 0);
  program->argument_count = from->argument_count;
  program->result_count = from->result_count;
  chip_interface_t *arguments =
      pod_arena_array(emitter->arena, (size_t)from->argument_count, sizeof(*arguments));
  chip_interface_t *results =
      pod_arena_array(emitter->arena, (size_t)from->result_count, sizeof(*results));
  pod_map_t *taken = pod_map_create();
  for (int32_t i = 0; i < from->argument_count; i++) {
    const mlir_value_t *value = block->arguments[i];
    arguments[i].name = argument_name(emitter, taken, value, i);
    arguments[i].shape = from->argument_shapes[i];
    arguments[i].is_host = is_on_host(emitter->lower, value);
    add_bytes(
        arguments[i].is_host ? &program->host_argument_bytes : &program->argument_bytes,
        tensor_shape_bytes(&value->type->shape));
  }
  pod_map_destroy(taken);
  taken = pod_map_create();
  for (int32_t i = 0; i < from->result_count; i++) {
    results[i].name = result_name(emitter, taken, i);
    results[i].shape = from->result_shapes[i];
    const mlir_value_t *value = block->last->operands[i];
    results[i].is_host = is_on_host(emitter->lower, value);
    add_bytes(results[i].is_host ? &program->host_result_bytes : &program->result_bytes,
              tensor_shape_bytes(&value->type->shape));
  }
  pod_map_destroy(taken);
  program->arguments = arguments;
  program->results = results;
  for (int32_t i = 0; i < from->argument_count; i++) {
    const mesh_t *mesh = from->argument_meshes == NULL ? NULL : from->argument_meshes[i];
    POD_TRY(copy_sharding(emitter, from->argument_shardings[i], mesh,
                          &arguments[i].sharding));
  }
  for (int32_t i = 0; i < from->result_count; i++) {
    const mesh_t *mesh = from->result_meshes == NULL ? NULL : from->result_meshes[i];
    POD_TRY(
        copy_sharding(emitter, from->result_shardings[i], mesh, &results[i].sharding));
  }
  return NULL;
}

static void emit_aliases(emitter_t *emitter) {
  const donation_t *donation = &emitter->lower->donation;
  const mlir_block_t *block = mlir_op_block(emitter->lower->main, 0);
  chip_program_t *program = emitter->program;
  chip_alias_t *aliases =
      pod_arena_array(emitter->arena, (size_t)donation->alias_count, sizeof(*aliases));
  int32_t count = 0;
  for (int32_t i = 0; i < block->argument_count; i++) {
    if (donation->result_of[i] != CHIP_NONE) {
      aliases[count++] = (chip_alias_t){i, donation->result_of[i]};
      add_bytes(program->arguments[i].is_host ? &program->host_alias_bytes
                                              : &program->alias_bytes,
                tensor_shape_bytes(&block->arguments[i]->type->shape));
    }
  }
  program->alias_count = count;
  program->aliases = aliases;
}

static pod_status_t emit_program(emitter_t *emitter) {
  lower_t *lower = emitter->lower;
  chip_program_t *program = emitter->program;
  const mesh_t *mesh = lower->partitioned->mesh;
  POD_TRY(mesh_make(emitter->arena, mesh->name, mesh->axis_count, mesh->axes,
                    mesh->device_ids, &program->mesh));
  const mlir_attr_t *name = mlir_op_attr(lower->module->op, "sym_name");
  program->name = pod_arena_strdup(
      emitter->arena, mlir_attr_is(name, MLIR_ATTR_STRING) ? name->text : "main");
  emit_constants(emitter);
  POD_TRY(emit_interface(emitter));
  emit_aliases(emitter);
  POD_TRY(lower_place(lower));
  program->temp_bytes = lower->temp_bytes;
  program->host_temp_bytes = lower->host_temp_bytes;
  POD_TRY(emit_instructions(emitter));
  lower_find_peak(lower, program);
  program->buffers =
      pod_arena_copy(emitter->arena, emitter->buffers,
                     (size_t)emitter->buffer_count * sizeof(*emitter->buffers));
  program->buffer_count = emitter->buffer_count;
  return NULL;
}

pod_status_t lower_emit(lower_t *lower, chip_program_t **out_program) {
  emitter_t emitter = {.lower = lower, .arena = pod_arena_create(), .source = ""};
  emitter.program = pod_arena_alloc(emitter.arena, sizeof(*emitter.program));
  emitter.program->arena = emitter.arena;
  const int32_t buffers_max = lower->vars.count + lower->donation.alias_count;
  emitter.buffers = pod_alloc((size_t)buffers_max * sizeof(*emitter.buffers));
  emitter.latest_buffer =
      pod_alloc((size_t)lower->vars.count * sizeof(*emitter.latest_buffer));
  emitter.name_counts = pod_alloc(CHIP_OP_COUNT * sizeof(*emitter.name_counts));
  for (int32_t i = 0; i < lower->vars.count; i++) {
    emitter.latest_buffer[i] = CHIP_NONE;
    lower->vars.items[i].buffer = CHIP_NONE;
  }
  const pod_status_t status = emit_program(&emitter);
  free(emitter.buffers);
  free(emitter.latest_buffer);
  free(emitter.name_counts);
  if (status != NULL) {
    pod_arena_destroy(emitter.arena);
    return status;
  }
  *out_program = emitter.program;
  return NULL;
}
