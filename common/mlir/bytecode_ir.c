// Operations, blocks and regions.
//
// A value's number counts the values that are defined from the start of the innermost
// isolated region on, an enclosing region's before those of the regions within: the
// values in sight are a stack. As in a text that the parser reads, a value is defined
// before it is used.
//
// Operations with the same properties share what was made of them: most of a large
// module's operations are alike.

#include <stdlib.h>
#include <string.h>

#include "common/mlir/bytecode_private.h"
#include "common/mlir/parser.h"

enum {
  HAS_ATTRS = 1 << 0,
  HAS_RESULTS = 1 << 1,
  HAS_OPERANDS = 1 << 2,
  HAS_SUCCESSORS = 1 << 3,
  HAS_REGIONS = 1 << 4,
  HAS_USE_ORDERS = 1 << 5,
  HAS_PROPERTIES = 1 << 6,
};

// An operation on its way.
typedef struct head_t {
  const mlir_bytecode_name_t *name;
  uint8_t mask;
  uint64_t location;    // Index of the attribute.
  uint64_t dictionary;  // 1 + index of the attribute; 0 without one.
  uint64_t properties;  // Index, when the mask says so.
} head_t;

// --- Values ---

static pod_status_t push_values(mlir_bytecode_t *reader, int64_t count) {
  // Each is a byte of the file at least.
  if (count > reader->length - reader->values.count) {
    return mlir_bytecode_error(reader, "a region of %lld values", (long long)count);
  }
  if (count == 0) {
    return NULL;
  }
  pod_list_reserve(&reader->values, (int32_t)count);
  memset(reader->values.items + reader->values.count, 0,
         (size_t)count * sizeof(mlir_value_t *));
  reader->values.count += (int32_t)count;
  return NULL;
}

static pod_status_t define(mlir_bytecode_t *reader, int32_t *next, mlir_value_t *value) {
  if (*next >= reader->values.count) {
    return mlir_bytecode_error(reader, "more values than the region should have");
  }
  reader->values.items[(*next)++] = value;
  return NULL;
}

static pod_status_t read_operands(mlir_bytecode_t *reader, mlir_op_t *op) {
  int64_t count;
  POD_TRY(mlir_bytecode_count(reader, &count));
  op->operands =
      pod_arena_array(reader->module->arena, (size_t)count, sizeof(*op->operands));
  op->operand_count = (int)count;
  for (int64_t i = 0; i < count; i++) {
    uint64_t index;
    POD_TRY(mlir_bytecode_varint(reader, &index));
    mlir_value_t *value = index < (uint64_t)(reader->values.count - reader->scope)
                              ? reader->values.items[(uint64_t)reader->scope + index]
                              : NULL;
    if (value == NULL) {
      return mlir_bytecode_error(reader, "'%s': value %llu is not defined here", op->name,
                                 (unsigned long long)index);
    }
    op->operands[i] = value;
  }
  return NULL;
}

static pod_status_t read_results(mlir_bytecode_t *reader, mlir_op_t *op) {
  int64_t count;
  const mlir_type_t **types;
  POD_TRY(mlir_bytecode_types(reader, &count, &types));
  mlir_op_set_result_types(reader->module, op, (int)count, types);
  return NULL;
}

// The order in which uses of a value were met by a pass: of no meaning here.
static pod_status_t skip_use_orders(mlir_bytecode_t *reader, int64_t value_count) {
  uint64_t count = 1, ignored;
  if (value_count > 1) {
    POD_TRY(mlir_bytecode_varint(reader, &count));
  }
  for (uint64_t i = 0; i < count; i++) {
    if (value_count > 1) {
      POD_TRY(mlir_bytecode_varint(reader, &ignored));
    }
    uint64_t word;
    POD_TRY(mlir_bytecode_varint(reader, &word));
    for (uint64_t use = 0; use < word >> 1; use++) {
      POD_TRY(mlir_bytecode_varint(reader, &ignored));
    }
  }
  return NULL;
}

// --- Attributes ---

static pod_status_t gather_dictionary(mlir_bytecode_t *reader, uint64_t index) {
  const mlir_attr_t *dictionary;
  POD_TRY(mlir_bytecode_resolve_attr(reader, index, &dictionary));
  if (dictionary->kind != MLIR_ATTR_DICTIONARY) {
    return mlir_bytecode_error(reader, "expected a dictionary");
  }
  for (int64_t i = 0; i < dictionary->count; i++) {
    *pod_list_add(&reader->gathered) = dictionary->entries[i];
  }
  return NULL;
}

// The sizes of groups of operands, which follow from the types.
static pod_status_t skip_segments(mlir_bytecode_t *reader) {
  uint64_t word, ignored;
  const mlir_attr_t *attr;
  if (reader->version < MLIR_BYTECODE_SEGMENTS) {
    return mlir_bytecode_attr(reader, &attr);
  }
  // A list, or pairs of index and size in one number.
  POD_TRY(mlir_bytecode_varint(reader, &word));
  if (word & 1) {
    POD_TRY(mlir_bytecode_varint(reader, &ignored));
  }
  for (uint64_t i = 0; i < word >> 1; i++) {
    POD_TRY(mlir_bytecode_varint(reader, &ignored));
  }
  return NULL;
}

// The next word of the column `properties`, as far as the name goes.
static const char *next_word(const char **words, size_t *out_length) {
  const char *start = *words + strspn(*words, " ");
  *out_length = strcspn(start, " :");
  *words = start + strcspn(start, " ");
  return start;
}

static pod_status_t gather_property(mlir_bytecode_t *reader, const char *word,
                                    size_t length) {
  const mlir_attr_t *value;
  if (word[0] == '+') {
    return skip_segments(reader);
  }
  const bool is_optional = word[0] == '?';
  if (is_optional && reader->in.at == reader->in.end) {
    return NULL;  // Younger than the file.
  }
  if (is_optional) {
    POD_TRY(mlir_bytecode_optional_attr(reader, &value));
  } else {
    POD_TRY(mlir_bytecode_attr(reader, &value));
  }
  if (value != NULL) {
    const char *name =
        mlir_intern_n(reader->module, word + is_optional, length - is_optional);
    *pod_list_add(&reader->gathered) = (mlir_named_attr_t){name, value};
  }
  return NULL;
}

static pod_status_t gather_properties(mlir_bytecode_t *reader, const head_t *head) {
  const mlir_bytecode_op_t *row = head->name->row;
  if (!head->name->is_registered) {
    return gather_dictionary(reader, head->properties);
  }
  if (row == NULL || row->properties == NULL) {
    return mlir_bytecode_error(reader,
                               "how the properties of '%s' are encoded is not known here",
                               head->name->name);
  }
  const mlir_bytes_t outer = reader->in;
  reader->in = reader->properties[head->properties];
  size_t length;
  const char *words = row->properties;
  for (const char *word = next_word(&words, &length); length > 0;
       word = next_word(&words, &length)) {
    POD_TRY(gather_property(reader, word, length));
  }
  if (reader->in.at != reader->in.end) {
    return mlir_bytecode_error(reader, "bytes behind the last property of '%s'",
                               head->name->name);
  }
  reader->in = outer;
  return NULL;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const mlir_named_attr_t *)a)->name,
                ((const mlir_named_attr_t *)b)->name);
}

static pod_status_t gather(mlir_bytecode_t *reader, const head_t *head) {
  pod_list_clear(&reader->gathered);
  if (head->mask & HAS_PROPERTIES) {
    POD_TRY(gather_properties(reader, head));
  }
  if (head->dictionary != 0) {
    POD_TRY(gather_dictionary(reader, head->dictionary - 1));
  }
  const mlir_bytecode_op_t *row = head->name->row;
  if (row != NULL && row->upgrade != NULL) {
    POD_TRY(row->upgrade(reader, row, &reader->gathered));
  }
  const mlir_bytecode_attrs_t *attrs = &reader->gathered;
  if (attrs->count > 1) {
    qsort(attrs->items, (size_t)attrs->count, sizeof(*attrs->items), by_name);
  }
  for (int32_t i = 1; i < attrs->count; i++) {
    if (attrs->items[i].name == attrs->items[i - 1].name) {
      return mlir_bytecode_error(reader, "'%s': attribute '%s' is given twice",
                                 head->name->name, attrs->items[i].name);
    }
  }
  return NULL;
}

static pod_status_t count_expansion(mlir_bytecode_t *reader,
                                    const mlir_named_attr_t *attrs, int count) {
  for (int i = 0; i < count; i++) {
    const mlir_attr_t *value = attrs[i].value;
    POD_TRY(
        mlir_bytecode_charge(reader, value->kind == MLIR_ATTR_DENSE ? 1 : value->weight));
  }
  return NULL;
}

// The entry of the operations that may have the same attributes.
static mlir_bytecode_known_t *known_of(mlir_bytecode_t *reader, const head_t *head) {
  const int64_t name = head->name - reader->names.items;
  return &reader->known[head->mask & HAS_PROPERTIES && head->name->is_registered
                            ? (int64_t)head->properties
                            : reader->property_count + name];
}

static pod_status_t read_attrs(mlir_bytecode_t *reader, const head_t *head,
                               mlir_op_t *op) {
  if (head->dictionary == 0 && !(head->mask & HAS_PROPERTIES) &&
      (head->name->row == NULL || head->name->row->upgrade == NULL)) {
    return NULL;
  }
  mlir_bytecode_known_t *known = known_of(reader, head);
  const bool is_unregistered =
      (head->mask & HAS_PROPERTIES) != 0 && !head->name->is_registered;
  if (known->name != head->name || known->dictionary != head->dictionary ||
      is_unregistered) {
    POD_TRY(gather(reader, head));
    const mlir_bytecode_attrs_t *attrs = &reader->gathered;
    known->name = head->name;
    known->dictionary = head->dictionary;
    known->count = attrs->count;
    known->attrs = pod_arena_copy(reader->module->arena, attrs->items,
                                  (size_t)attrs->count * sizeof(*attrs->items));
  }
  POD_TRY(count_expansion(reader, known->attrs, known->count));
  op->attrs = pod_arena_copy(reader->module->arena, known->attrs,
                             (size_t)known->count * sizeof(*known->attrs));
  op->attr_count = op->attr_capacity = known->count;
  return NULL;
}

// --- Operations ---

static pod_status_t read_location(mlir_bytecode_t *reader, uint64_t index,
                                  const mlir_attr_t **out_location) {
  POD_TRY(mlir_bytecode_resolve_attr(reader, index, out_location));
  if ((*out_location)->kind != MLIR_ATTR_LOCATION) {
    return mlir_bytecode_error(reader, "expected a location");
  }
  reader->module->places[index] = *out_location;
  return NULL;
}

static pod_status_t read_head(mlir_bytecode_t *reader, head_t *out_head) {
  *out_head = (head_t){0};
  uint64_t name;
  POD_TRY(mlir_bytecode_varint(reader, &name));
  if (name >= (uint64_t)reader->names.count) {
    return mlir_bytecode_error(reader, "name %llu of %d", (unsigned long long)name,
                               reader->names.count);
  }
  out_head->name = &reader->names.items[name];
  POD_TRY(mlir_bytecode_byte(reader, &out_head->mask));
  POD_TRY(mlir_bytecode_varint(reader, &out_head->location));
  if (out_head->mask & HAS_ATTRS) {
    POD_TRY(mlir_bytecode_varint(reader, &out_head->dictionary));
    if (++out_head->dictionary == 0) {
      return mlir_bytecode_error(reader, "no such dictionary");
    }
  }
  if (out_head->mask & HAS_PROPERTIES) {
    POD_TRY(mlir_bytecode_varint(reader, &out_head->properties));
    if (out_head->name->is_registered &&
        out_head->properties >= (uint64_t)reader->property_count) {
      return mlir_bytecode_error(reader, "properties %llu of %lld",
                                 (unsigned long long)out_head->properties,
                                 (long long)reader->property_count);
    }
  }
  return NULL;
}

static const char *name_in(const mlir_block_t *block, const mlir_bytecode_name_t *name) {
  const mlir_op_t *parent = block->region->op;
  return name->to != name->to_in_func && strcmp(parent->name, "func.func") == 0
             ? name->to_in_func
             : name->to;
}

static pod_status_t read_parts(mlir_bytecode_t *reader, const head_t *head,
                               mlir_op_t *op) {
  POD_TRY(read_location(reader, head->location, &op->location));
  op->position = (mlir_position_t)head->location + 1;
  POD_TRY(read_attrs(reader, head, op));
  if (head->mask & HAS_RESULTS) {
    POD_TRY(read_results(reader, op));
  }
  if (head->mask & HAS_OPERANDS) {
    POD_TRY(read_operands(reader, op));
  }
  if (head->mask & HAS_SUCCESSORS) {
    return mlir_bytecode_error(reader, "'%s': branches between blocks are not supported",
                               op->name);
  }
  return reader->version >= MLIR_BYTECODE_USE_ORDERS && (head->mask & HAS_USE_ORDERS)
             ? skip_use_orders(reader, op->result_count)
             : NULL;
}

static pod_status_t read_regions(mlir_bytecode_t *reader, mlir_op_t *op);

// Where an operation of a versioned dialect meets one of another, a cast stands between
// the types of the two, which are the same by now.
static bool is_mere_cast(const mlir_op_t *op) {
  if (strcmp(op->name, "builtin.unrealized_conversion_cast") != 0 ||
      op->operand_count != op->result_count || op->attr_count > 0) {
    return false;
  }
  for (int i = 0; i < op->result_count; i++) {
    if (!mlir_type_equal(op->operands[i]->type, op->results[i].type)) {
      return false;
    }
  }
  return true;
}

static pod_status_t read_op(mlir_bytecode_t *reader, mlir_block_t *block,
                            int32_t *next_value) {
  head_t head;
  POD_TRY(read_head(reader, &head));
  mlir_op_t *op =
      mlir_op_create(reader->module, name_in(block, head.name), 0, NULL, 0, NULL, 0);
  POD_TRY(read_parts(reader, &head, op));
  const bool is_cast = is_mere_cast(op);
  if (!is_cast) {
    mlir_block_append(block, op);
  }
  for (int i = 0; i < op->result_count; i++) {
    POD_TRY(define(reader, next_value, is_cast ? op->operands[i] : &op->results[i]));
  }
  return head.mask & HAS_REGIONS ? read_regions(reader, op) : NULL;
}

// --- Blocks and regions ---

static pod_status_t read_argument(mlir_bytecode_t *reader, mlir_block_t *block,
                                  int32_t *next_value) {
  uint64_t word, location = 0;
  const mlir_type_t *type;
  bool has_location = true;
  if (reader->version >= MLIR_BYTECODE_ELIDED_LOCATIONS) {
    POD_TRY(mlir_bytecode_varint(reader, &word));
    has_location = word & 1;
    POD_TRY(mlir_bytecode_resolve_type(reader, word >> 1, &type));
  } else {
    POD_TRY(mlir_bytecode_type(reader, &type));
  }
  mlir_value_t *value = mlir_block_add_argument(reader->module, block, type);
  value->location = reader->unknown_location;
  if (has_location) {
    POD_TRY(mlir_bytecode_varint(reader, &location));
    POD_TRY(read_location(reader, location, &value->location));
    value->position = (mlir_position_t)location + 1;
  }
  return define(reader, next_value, value);
}

static pod_status_t read_block(mlir_bytecode_t *reader, mlir_block_t *block,
                               int32_t *next_value) {
  uint64_t word;
  POD_TRY(mlir_bytecode_varint(reader, &word));
  if (word & 1) {
    int64_t count;
    uint8_t has_orders = 0;
    POD_TRY(mlir_bytecode_count(reader, &count));
    for (int64_t i = 0; i < count; i++) {
      POD_TRY(read_argument(reader, block, next_value));
    }
    if (reader->version >= MLIR_BYTECODE_USE_ORDERS) {
      POD_TRY(mlir_bytecode_byte(reader, &has_orders));
    }
    if (has_orders) {
      POD_TRY(skip_use_orders(reader, count));
    }
  }
  for (uint64_t i = 0; i < word >> 1; i++) {
    POD_TRY(read_op(reader, block, next_value));
  }
  return NULL;
}

static pod_status_t read_region(mlir_bytecode_t *reader, mlir_region_t *region) {
  int64_t block_count, value_count;
  POD_TRY(mlir_bytecode_count(reader, &block_count));
  if (block_count == 0) {
    return NULL;
  }
  POD_TRY(mlir_bytecode_count(reader, &value_count));
  int32_t next_value = reader->values.count;
  const int32_t base = next_value;
  POD_TRY(push_values(reader, value_count));
  for (int64_t i = 0; i < block_count; i++) {
    mlir_block_t *block = mlir_block_create(reader->module, region);
    POD_TRY(read_block(reader, block, &next_value));
  }
  reader->values.count = base;
  return NULL;
}

// The arguments of a function are known by these names to those who give it their values.
static void name_arguments(mlir_bytecode_t *reader, const mlir_op_t *op) {
  const mlir_block_t *entry = mlir_op_block(op, 0);
  for (int i = 0; entry != NULL && i < entry->argument_count; i++) {
    entry->arguments[i]->name =
        pod_arena_numbered(reader->module->arena, "arg", "", (uint64_t)i);
  }
}

static pod_status_t read_all_regions(mlir_bytecode_t *reader, mlir_op_t *op) {
  for (int i = 0; i < op->region_count; i++) {
    POD_TRY(read_region(reader, &op->regions[i]));
  }
  if (op->region_count > 0 && strcmp(op->name, "func.func") == 0) {
    name_arguments(reader, op);
  }
  return NULL;
}

// Isolated regions see nothing of what is around them, and have a section of their own.
static pod_status_t read_isolated(mlir_bytecode_t *reader, mlir_op_t *op) {
  const int32_t outer_scope = reader->scope;
  reader->scope = reader->values.count;
  if (reader->version < MLIR_BYTECODE_ISOLATED_SECTIONS) {
    POD_TRY(read_all_regions(reader, op));
  } else {
    mlir_section_t id;
    mlir_bytes_t bytes;
    POD_TRY(mlir_bytecode_section(reader, &id, &bytes));
    if (id != MLIR_SECTION_IR) {
      return mlir_bytecode_error(reader, "expected a section of operations");
    }
    const mlir_bytes_t outer = reader->in;
    reader->in = bytes;
    POD_TRY(read_all_regions(reader, op));
    reader->in = outer;
  }
  reader->scope = outer_scope;
  return NULL;
}

static pod_status_t read_regions(mlir_bytecode_t *reader, mlir_op_t *op) {
  uint64_t word;
  POD_TRY(mlir_bytecode_varint(reader, &word));
  if (word >> 1 > (uint64_t)(reader->in.end - reader->in.at)) {
    return mlir_bytecode_error(reader, "more regions than bytes");
  }
  if (++reader->region_depth > MLIR_DEPTH_MAX) {
    return mlir_bytecode_error(reader, "nested more than %d levels deep", MLIR_DEPTH_MAX);
  }
  op->region_count = (int)(word >> 1);
  op->regions = pod_arena_array(reader->module->arena, (size_t)op->region_count,
                                sizeof(*op->regions));
  for (int i = 0; i < op->region_count; i++) {
    op->regions[i].op = op;
  }
  POD_TRY(word & 1 ? read_isolated(reader, op) : read_all_regions(reader, op));
  reader->region_depth--;
  return NULL;
}

// One block with one operation, which is the module.
pod_status_t mlir_bytecode_read_ir(mlir_bytecode_t *reader) {
  mlir_module_t *module = reader->module;
  module->places =
      pod_arena_array(module->arena, (size_t)reader->attr_count, sizeof(*module->places));
  module->place_count = reader->attr_count;
  reader->in = reader->sections[MLIR_SECTION_IR];
  uint64_t word;
  head_t head;
  POD_TRY(mlir_bytecode_varint(reader, &word));
  POD_TRY(read_head(reader, &head));
  if (word != 2 || strcmp(head.name->name, "builtin.module") != 0) {
    return mlir_bytecode_error(reader, "expected one module, 'builtin.module'");
  }
  POD_TRY(read_parts(reader, &head, module->op));
  if (reader->only_head) {
    return NULL;
  }
  if (head.mask & HAS_REGIONS) {
    POD_TRY(read_regions(reader, module->op));
  }
  if (module->op->region_count != 1) {
    return mlir_bytecode_error(reader, "a module has one region");
  }
  if (module->op->regions[0].first == NULL) {
    mlir_block_create(module, &module->op->regions[0]);
  }
  return reader->in.at == reader->in.end
             ? NULL
             : mlir_bytecode_error(reader, "bytes behind the module");
}
