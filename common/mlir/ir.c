// Operations and blocks are doubly linked lists in the module's arena; nothing is freed
// before the module. Types, attributes and names are interned, so that equality of
// pointers is equality.

#include "common/mlir/ir.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/walk.h"

// An interned text, and the kind of operations of that name once somebody asked.
typedef struct interned_t {
  int kind;
  char text[];
} interned_t;

enum { KIND_NOT_ASKED = -1 };

static void begin(mlir_module_t *module) {
  module->symbols = pod_map_create();
  module->op = mlir_op_create(module, "builtin.module", 0, NULL, 0, NULL, 1);
  mlir_block_create(module, &module->op->regions[0]);
}

mlir_module_t *mlir_module_create(const char *file_name) {
  pod_arena_t *arena = pod_arena_create();
  mlir_module_t *module = pod_arena_alloc(arena, sizeof(*module));
  module->arena = arena;
  module->file_name = pod_arena_strdup(arena, file_name);
  module->interned = pod_map_create();
  module->known_attrs = pod_map_create();
  module->tensor_types = pod_map_create();
  begin(module);
  return module;
}

mlir_module_t *mlir_module_create_beside(mlir_module_t *source) {
  mlir_module_t *module = pod_arena_copy(source->arena, source, sizeof(*source));
  module->is_beside = true;
  module->value_count = module->op_count = 0;
  begin(module);
  return module;
}

void mlir_module_destroy(mlir_module_t *module) {
  if (module == NULL) {
    return;
  }
  pod_map_destroy(module->symbols);
  if (module->is_beside) {
    return;  // The rest is its source's.
  }
  pod_map_destroy(module->interned);
  pod_map_destroy(module->known_attrs);
  pod_map_destroy(module->tensor_types);
  pod_arena_destroy(module->arena);  // The module itself lives in it.
}

const char *mlir_intern_n(mlir_module_t *module, const char *text, size_t length) {
  const char *known = pod_map_get_n(module->interned, text, length);
  if (known == NULL) {
    interned_t *made = pod_arena_alloc(module->arena, sizeof(interned_t) + length + 1);
    made->kind = KIND_NOT_ASKED;
    memcpy(made->text, text, length);
    pod_map_put_n(module->interned, made->text, length, made->text);
    known = made->text;
  }
  return known;
}

bool mlir_may_have(const mlir_module_t *module, const char *name) {
  return pod_map_get(module->interned, name) != NULL;
}

// Who asks by a literal, or by a name of another module, asks again by the same address:
// to compare is cheaper than to hash.
const char *mlir_intern(mlir_module_t *module, const char *text) {
  const uintptr_t address = (uintptr_t)text;
  const char **recent =
      &module->recent_names[(address ^ (address >> 5)) % MLIR_RECENT_NAMES];
  if (*recent == NULL || strcmp(*recent, text) != 0) {
    *recent = mlir_intern_n(module, text, strlen(text));
  }
  return *recent;
}

// Of an interned name.
static int kind_of(const mlir_module_t *module, const char *name) {
  if (module->kind_of == NULL) {
    return 0;
  }
  interned_t *interned = (interned_t *)(uintptr_t)(name - offsetof(interned_t, text));
  if (interned->kind == KIND_NOT_ASKED) {
    interned->kind = module->kind_of(name);
  }
  return interned->kind;
}

void mlir_module_set_kinds(mlir_module_t *module, int (*of)(const char *name)) {
  module->kind_of = of;
  for (mlir_op_t *op = module->op; op != NULL; op = mlir_walk_next(module->op, op)) {
    op->kind = kind_of(module, op->name);
  }
}

// --- Operations ---

static void init_value(mlir_module_t *module, mlir_value_t *value, mlir_op_t *op,
                       mlir_block_t *block, uint32_t index, const mlir_type_t *type) {
  value->type = type;
  value->op = op;
  value->block = block;
  value->index = index;
  value->id = module->value_count++;
}

void mlir_op_set_result_types(mlir_module_t *module, mlir_op_t *op, int count,
                              const mlir_type_t *const *types) {
  op->result_count = count;
  op->results = pod_arena_array(module->arena, (size_t)count, sizeof(mlir_value_t));
  for (int i = 0; i < count; i++) {
    init_value(module, &op->results[i], op, NULL, (uint32_t)i, types[i]);
  }
}

void mlir_op_rename(mlir_module_t *module, mlir_op_t *op, const char *name) {
  op->name = mlir_intern(module, name);
  op->kind = kind_of(module, op->name);
}

mlir_op_t *mlir_op_create(mlir_module_t *module, const char *name, int operand_count,
                          mlir_value_t *const *operands, int result_count,
                          const mlir_type_t *const *result_types, int region_count) {
  POD_CHECK(operand_count >= 0 && result_count >= 0 && region_count >= 0);
  mlir_op_t *op = pod_arena_alloc(module->arena, sizeof(*op));
  mlir_op_rename(module, op, name);
  op->id = module->op_count++;
  op->operand_count = operand_count;
  op->operands = pod_arena_copy(module->arena, operands,
                                (size_t)operand_count * sizeof(mlir_value_t *));
  mlir_op_set_result_types(module, op, result_count, result_types);
  op->region_count = region_count;
  op->regions =
      pod_arena_array(module->arena, (size_t)region_count, sizeof(mlir_region_t));
  for (int i = 0; i < region_count; i++) {
    op->regions[i].op = op;
  }
  return op;
}

static mlir_named_attr_t *find_attr(const mlir_op_t *op, const char *name) {
  for (int i = 0; i < op->attr_count; i++) {
    const char *own = op->attrs[i].name;
    if (own == name || (*own == *name && strcmp(own, name) == 0)) {
      return &op->attrs[i];
    }
  }
  return NULL;
}

const mlir_attr_t *mlir_op_attr(const mlir_op_t *op, const char *name) {
  const mlir_named_attr_t *entry = find_attr(op, name);
  return entry == NULL ? NULL : entry->value;
}

void mlir_op_add_attr(mlir_module_t *module, mlir_op_t *op, const char *name,
                      const mlir_attr_t *value) {
  if (op->attr_count >= op->attr_capacity) {
    POD_CHECK(op->attr_count < INT_MAX / 2);
    const int capacity = op->attr_count < 2 ? 4 : 2 * op->attr_count;
    mlir_named_attr_t *grown =
        pod_arena_array(module->arena, (size_t)capacity, sizeof(*grown));
    if (op->attr_count > 0) {
      memcpy(grown, op->attrs, (size_t)op->attr_count * sizeof(*grown));
    }
    op->attrs = grown;
    op->attr_capacity = capacity;
  }
  op->attrs[op->attr_count++] = (mlir_named_attr_t){name, value};
}

void mlir_op_set_attr(mlir_module_t *module, mlir_op_t *op, const char *name,
                      const mlir_attr_t *value) {
  POD_CHECK(value != NULL);
  mlir_named_attr_t *entry = find_attr(op, name);
  if (entry != NULL) {
    entry->value = value;
  } else {
    mlir_op_add_attr(module, op, mlir_intern(module, name), value);
  }
}

void mlir_op_remove_attr(mlir_op_t *op, const char *name) {
  mlir_named_attr_t *entry = find_attr(op, name);
  if (entry == NULL) {
    return;
  }
  const mlir_named_attr_t *end = op->attrs + op->attr_count;
  memmove(entry, entry + 1, (size_t)(end - (entry + 1)) * sizeof(*entry));
  op->attr_count--;
}

// --- Blocks ---

mlir_block_t *mlir_block_create(mlir_module_t *module, mlir_region_t *region) {
  mlir_block_t *block = pod_arena_alloc(module->arena, sizeof(*block));
  block->region = region;
  if (region->first == NULL) {
    region->first = block;
  } else {
    // A pass may have built the chain by hand; then `last` is behind.
    mlir_block_t *last = region->last != NULL ? region->last : region->first;
    while (last->next != NULL) {
      last = last->next;
    }
    last->next = block;
  }
  region->last = block;
  return block;
}

mlir_value_t *mlir_block_add_argument(mlir_module_t *module, mlir_block_t *block,
                                      const mlir_type_t *type) {
  if (block->argument_count >= block->argument_capacity) {
    POD_CHECK(block->argument_count < INT_MAX / 2);
    const int capacity = block->argument_count < 2 ? 4 : 2 * block->argument_count;
    mlir_value_t **grown =
        pod_arena_array(module->arena, (size_t)capacity, sizeof(*grown));
    if (block->argument_count > 0) {
      memcpy(grown, block->arguments, (size_t)block->argument_count * sizeof(*grown));
    }
    block->arguments = grown;
    block->argument_capacity = capacity;
  }
  mlir_value_t *value = pod_arena_alloc(module->arena, sizeof(*value));
  init_value(module, value, NULL, block, (uint32_t)block->argument_count, type);
  block->arguments[block->argument_count++] = value;
  return value;
}

void mlir_block_append(mlir_block_t *block, mlir_op_t *op) {
  POD_CHECK(op->block == NULL);
  op->block = block;
  op->previous = block->last;
  op->next = NULL;
  if (block->last == NULL) {
    block->first = op;
  } else {
    block->last->next = op;
  }
  block->last = op;
}

void mlir_block_insert_before(mlir_op_t *where, mlir_op_t *op) {
  POD_CHECK(op->block == NULL && where->block != NULL);
  op->block = where->block;
  op->next = where;
  op->previous = where->previous;
  if (where->previous == NULL) {
    where->block->first = op;
  } else {
    where->previous->next = op;
  }
  where->previous = op;
}

void mlir_op_unlink(mlir_op_t *op) {
  mlir_block_t *block = op->block;
  if (block == NULL) {
    return;
  }
  if (op->previous == NULL) {
    block->first = op->next;
  } else {
    op->previous->next = op->next;
  }
  if (op->next == NULL) {
    block->last = op->previous;
  } else {
    op->next->previous = op->previous;
  }
  op->block = NULL;
  op->previous = op->next = NULL;
}

// --- Symbols ---

static const char *symbol_name(const mlir_op_t *op) {
  const mlir_attr_t *name = mlir_op_attr(op, "sym_name");
  return mlir_attr_is(name, MLIR_ATTR_STRING) ? name->text : NULL;
}

// The map remembers what was found; an entry counts only while the op still stands in the
// module under that name, so that passes may move and rename functions freely.
mlir_op_t *mlir_module_find_symbol(const mlir_module_t *module, const char *name) {
  const mlir_block_t *block = module->op->regions[0].first;
  mlir_op_t *known = pod_map_get(module->symbols, name);
  if (known != NULL && known->block == block && symbol_name(known) != NULL &&
      strcmp(symbol_name(known), name) == 0) {
    return known;
  }
  mlir_op_t *found = NULL;
  for (mlir_op_t *op = block == NULL ? NULL : block->first; op != NULL; op = op->next) {
    const char *here = symbol_name(op);
    if (here == NULL) {
      continue;
    }
    pod_map_put(module->symbols, here, op);
    if (found == NULL && strcmp(here, name) == 0) {
      found = op;
    }
  }
  return found;
}
