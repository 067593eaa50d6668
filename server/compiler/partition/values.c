// Propagation once more, for what the partitioner keeps to itself. Text with shardings is
// printed from the module itself, which has them only meanwhile.

#include "server/compiler/partition/values.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/list.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/printer.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/shardable.h"
#include "server/compiler/dialect/syntax.h"
#include "server/compiler/partition/partitioner.h"
#include "server/compiler/partition/propagate.h"

// Larger constants are left out of text for people.
enum { ELEMENTS_SHOWN_MAX = 64 };

typedef struct surveyor_t {
  mlir_module_t *module;
  const mlir_op_t *main;
  pod_arena_t *arena;
  propagation_t propagation;
  POD_LIST(compiler_value_t) values;
} surveyor_t;

static pod_status_t propagate(mlir_module_t *module, int64_t device_count,
                              pod_arena_t *scratch, surveyor_t *out) {
  const mlir_block_t *block = propagate_main_block(module);
  out->main = mlir_module_find_symbol(module, "main");
  if (block == NULL || block->last == NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "%s: the module has no function @main",
                     module->file_name);
  }
  out->module = module;
  shardings_t shardings;
  POD_TRY(shardings_open(module, scratch, device_count, &shardings));
  POD_TRY(propagate_shardings(&shardings, &out->propagation));
  if (!out->propagation.is_whole) {
    sums_propagate(&shardings, out->main, &out->propagation);
  }
  return NULL;
}

// --- As text ---

static void print_ref(pod_text_t *text, const mesh_t *mesh, axis_ref_t ref) {
  const mesh_axis_t *axis = &mesh->axes[ref.axis];
  if (ref.pre_size == 1 && ref.size == axis->size) {
    pod_text_printf(text, "\"%s\"", axis->name);
  } else {
    pod_text_printf(text, "\"%s:(%" PRId64 ")%" PRId64 "\"", axis->name, ref.pre_size,
                    ref.size);
  }
}

static void print_refs(pod_text_t *text, const mesh_t *mesh, const axis_list_t *axes) {
  for (int i = 0; i < axes->count; i++) {
    pod_text_add(text, i == 0 ? "" : ", ");
    print_ref(text, mesh, axes->refs[i]);
  }
}

void partition_print_spec(pod_text_t *text, const sharding_t *sharding) {
  pod_text_add(text, "P(");
  for (int d = 0; d < sharding->rank; d++) {
    const axis_list_t *axes = &sharding->dims[d].axes;
    pod_text_add(text, d == 0 ? "" : ", ");
    pod_text_add(text, axes->count == 0 ? "None" : axes->count > 1 ? "(" : "");
    print_refs(text, sharding->mesh, axes);
    pod_text_add(text, axes->count > 1 ? ")" : "");
  }
  if (sharding->unreduced.count > 0) {
    static const char *const reductions[] = {"", "max", "min"};
    pod_text_printf(text, "%sunreduced=%s{", sharding->rank == 0 ? "" : ", ",
                    reductions[sharding->reduction]);
    print_refs(text, sharding->mesh, &sharding->unreduced);
    pod_text_add(text, "}");
  }
  pod_text_add(text, ")");
}

// --- The list ---

static void add(surveyor_t *surveyor, const char *name, const char *op,
                const char *source, const tensor_shape_t *shape,
                const sharding_t *sharding, int64_t number) {
  pod_text_t spec = {0};
  partition_print_spec(&spec, sharding);
  compiler_value_t value = {.name = name == NULL ? "" : name,
                            .op = op,
                            .source = source,
                            .shape = *shape,
                            .local_shape = *shape,
                            .spec = spec.bytes,
                            .number = number};
  value.name = pod_arena_strdup(surveyor->arena, value.name);
  value.op = pod_arena_strdup(surveyor->arena, op);
  value.spec = pod_arena_strdup(surveyor->arena, spec.bytes);
  pod_text_deinit(&spec);
  sharding_local_shape(sharding, shape, &value.local_shape);
  *pod_list_add(&surveyor->values) = value;
}

static const char *short_name(const char *name) {
  const char *dot = strchr(name, '.');
  return dot == NULL ? name : dot + 1;
}

static const char *argument_name(const surveyor_t *surveyor, const mlir_value_t *value) {
  const mlir_attr_t *scope = mlir_location_name(value->location);
  const bool has_name =
      value->name != NULL && (value->name[0] < '0' || value->name[0] > '9');
  return scope != NULL ? scope->text
         : has_name    ? value->name
                       : pod_arena_numbered(surveyor->arena, "arg", "", value->index);
}

// JAX's "result['loss']", which says where in what the function returns it stands.
static const char *result_name(const surveyor_t *surveyor, int i) {
  const mlir_attr_t *list = mlir_op_attr(surveyor->main, "res_attrs");
  const mlir_attr_t *entry =
      mlir_attr_is(list, MLIR_ATTR_ARRAY) && i < list->count ? list->elements[i] : NULL;
  const mlir_attr_t *info = mlir_attr_is(entry, MLIR_ATTR_DICTIONARY)
                                ? mlir_attr_get(entry, "jax.result_info")
                                : NULL;
  return mlir_attr_is(info, MLIR_ATTR_STRING) && *info->text != '\0'
             ? info->text
             : pod_arena_numbered(surveyor->arena, "result", "", (uint64_t)i);
}

static void add_op(surveyor_t *surveyor, const mlir_op_t *op, int64_t number) {
  for (int i = 0; i < op->result_count; i++) {
    const mlir_value_t *value = &op->results[i];
    const sharding_t *sharding = surveyor->propagation.values[value->id];
    if (sharding != NULL && value->type->kind == MLIR_TYPE_TENSOR) {
      const char *name = op->result_count == 1 || value->name == NULL
                             ? value->name
                             : pod_arena_printf(surveyor->arena, "%s#%d", value->name, i);
      add(surveyor, name, short_name(op->name),
          mlir_op_source_in(surveyor->arena, surveyor->module, op), &value->type->shape,
          sharding, number);
    }
  }
}

pod_status_t partition_list_values(mlir_module_t *module, int64_t device_count,
                                   pod_arena_t *arena, int32_t *out_count,
                                   const compiler_value_t **out_values) {
  pod_arena_t *scratch = pod_arena_create();
  surveyor_t surveyor = {.arena = arena};
  const pod_status_t status = propagate(module, device_count, scratch, &surveyor);
  if (status != NULL) {
    pod_arena_destroy(scratch);
    return status;
  }
  mlir_index_lines(module);
  const mlir_block_t *block = propagate_main_block(module);
  for (int i = 0; i < block->argument_count; i++) {
    add(&surveyor, argument_name(&surveyor, block->arguments[i]), "argument", "",
        &block->arguments[i]->type->shape, surveyor.propagation.arguments[i], 0);
  }
  const mlir_op_t *shardable = compiler_next_shardable(surveyor.main, NULL);
  int64_t number = 0;
  for (const mlir_op_t *op = mlir_walk_first(surveyor.main); op != NULL;
       op = mlir_walk_next(surveyor.main, op)) {
    const bool is_next = op == shardable;
    number += is_next ? 1 : 0;
    add_op(&surveyor, op, is_next ? number : 0);
    shardable = is_next ? compiler_next_shardable(surveyor.main, op) : shardable;
  }
  for (int i = 0; i < block->last->operand_count; i++) {
    add(&surveyor, result_name(&surveyor, i), "result", "",
        &block->last->operands[i]->type->shape, surveyor.propagation.results[i], 0);
  }
  *out_count = surveyor.values.count;
  *out_values = pod_arena_copy(arena, surveyor.values.items,
                               (size_t)surveyor.values.count * sizeof(compiler_value_t));
  pod_list_deinit(&surveyor.values);
  pod_arena_destroy(scratch);
  return NULL;
}

// --- The module ---

static const char sharding_attr[] = "sdy.sharding";

// Shardy has it on operations whose results all have a sharding, and have none yet.
static bool can_have(const surveyor_t *surveyor, const mlir_op_t *op) {
  bool can = op->result_count > 0 && !compiler_is_shardy(op->kind) &&
             mlir_op_attr(op, sharding_attr) == NULL;
  for (int i = 0; i < op->result_count && can; i++) {
    can = surveyor->propagation.values[op->results[i].id] != NULL;
  }
  return can;
}

static const mlir_attr_t *list_with(const surveyor_t *surveyor, const char *name,
                                    int count, const sharding_t *const *shardings) {
  mlir_module_t *module = surveyor->module;
  const mlir_attr_t *list = mlir_op_attr(surveyor->main, name);
  const mlir_attr_t **elements =
      pod_arena_array(module->arena, (size_t)count + 1, sizeof(elements[0]));
  for (int i = 0; i < count; i++) {
    const mlir_attr_t *old =
        mlir_attr_is(list, MLIR_ATTR_ARRAY) && i < list->count ? list->elements[i] : NULL;
    const int64_t old_count = mlir_attr_is(old, MLIR_ATTR_DICTIONARY) ? old->count : 0;
    mlir_named_attr_t *entries =
        pod_arena_array(module->arena, (size_t)old_count + 1, sizeof(entries[0]));
    int64_t kept = 0;
    for (int64_t k = 0; k < old_count; k++) {
      if (strcmp(old->entries[k].name, sharding_attr) != 0) {
        entries[kept++] = old->entries[k];
      }
    }
    entries[kept++] = (mlir_named_attr_t){mlir_intern(module, sharding_attr),
                                          compiler_make_sharding(module, shardings[i])};
    elements[i] = mlir_attr_dictionary(module, kept, entries);
  }
  return mlir_attr_array(module, count, elements);
}

static const mlir_attr_t *shardings_of(const surveyor_t *surveyor, const mlir_op_t *op) {
  const sharding_t **list =
      pod_arena_array(surveyor->module->arena, (size_t)op->result_count, sizeof(list[0]));
  for (int i = 0; i < op->result_count; i++) {
    list[i] = surveyor->propagation.values[op->results[i].id];
  }
  return compiler_make_shardings(surveyor->module, op->result_count, list);
}

static void restore(mlir_module_t *module, mlir_op_t *op, const char *name,
                    const mlir_attr_t *old) {
  if (old == NULL) {
    mlir_op_remove_attr(op, name);
  } else {
    mlir_op_set_attr(module, op, name, old);
  }
}

static void print_with(surveyor_t *surveyor, pod_text_t *text) {
  mlir_module_t *module = surveyor->module;
  const mlir_block_t *block = propagate_main_block(module);
  mlir_op_t *main = (mlir_op_t *)(uintptr_t)surveyor->main;
  const mlir_attr_t *old_arguments = mlir_op_attr(main, "arg_attrs");
  const mlir_attr_t *old_results = mlir_op_attr(main, "res_attrs");
  const char *arguments = mlir_intern(module, "arg_attrs");
  const char *results = mlir_intern(module, "res_attrs");
  mlir_op_set_attr(module, main, arguments,
                   list_with(surveyor, arguments, block->argument_count,
                             surveyor->propagation.arguments));
  mlir_op_set_attr(module, main, results,
                   list_with(surveyor, results, block->last->operand_count,
                             surveyor->propagation.results));
  POD_LIST(mlir_op_t *) changed = {0};
  for (mlir_op_t *op = mlir_walk_first(main); op != NULL; op = mlir_walk_next(main, op)) {
    if (can_have(surveyor, op)) {
      mlir_op_set_attr(module, op, mlir_intern(module, sharding_attr),
                       shardings_of(surveyor, op));
      *pod_list_add(&changed) = op;
    }
  }
  mlir_print(text, module,
             &(mlir_print_options_t){.lookup = compiler_syntax_lookup,
                                     .elide_elements = ELEMENTS_SHOWN_MAX,
                                     .names = true});
  for (int i = 0; i < changed.count; i++) {
    mlir_op_remove_attr(changed.items[i], sharding_attr);
  }
  pod_list_deinit(&changed);
  restore(module, main, arguments, old_arguments);
  restore(module, main, results, old_results);
}

pod_status_t partition_print_propagated(mlir_module_t *module, int64_t device_count,
                                        pod_text_t *text) {
  pod_arena_t *scratch = pod_arena_create();
  surveyor_t surveyor = {0};
  const pod_status_t status = propagate(module, device_count, scratch, &surveyor);
  if (status == NULL) {
    print_with(&surveyor, text);
  }
  pod_arena_destroy(scratch);
  return status;
}
