// Common subexpressions by value numbering in one walk (Cocke and Schwartz, 1970), with
// scopes: what an inner block computed is not seen outside.

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/simplify/simplify.h"
#include "server/program/operations.h"

// An open hash table of operations.
struct simplify_seen_t {
  mlir_op_t **slots;
  uint64_t *hashes;
  size_t slot_count, used;  // slot_count is a power of two.
};

enum { FIRST_SLOT_COUNT = 256 };

simplify_seen_t *simplify_seen_create(void) {
  simplify_seen_t *seen = pod_alloc(sizeof(*seen));
  seen->slot_count = FIRST_SLOT_COUNT;
  seen->slots = pod_alloc(seen->slot_count * sizeof(*seen->slots));
  seen->hashes = pod_alloc(seen->slot_count * sizeof(*seen->hashes));
  return seen;
}

void simplify_seen_destroy(simplify_seen_t *seen) {
  free(seen->slots);
  free(seen->hashes);
  free(seen);
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

static uint64_t mix_bytes(uint64_t hash, const void *data, size_t size_bytes) {
  const unsigned char *bytes = data;
  for (; size_bytes >= sizeof(uint64_t); size_bytes -= sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    hash = mix(hash, word);
    bytes += sizeof(word);
  }
  if (size_bytes == 0) {
    return hash;
  }
  uint64_t rest = size_bytes;
  memcpy(&rest, bytes, size_bytes);
  return mix(hash, rest);
}

// Equal attributes have equal hashes; what is nested is left to the comparison.
static uint64_t hash_attr(uint64_t hash, const mlir_attr_t *attr) {
  hash = mix(hash, (uint64_t)attr->kind);
  switch (attr->kind) {
    case MLIR_ATTR_BOOL:
    case MLIR_ATTR_INTEGER:
      return mix(hash, (uint64_t)attr->integer);
    case MLIR_ATTR_DENSE:
      return mix_bytes(hash, attr->data, (size_t)attr->length);
    case MLIR_ATTR_DENSE_ARRAY:
      return attr->integers == NULL
                 ? hash
                 : mix_bytes(hash, attr->integers,
                             (size_t)attr->count * sizeof(*attr->integers));
    case MLIR_ATTR_DIALECT:
      return attr->body == NULL ? hash : mix_bytes(hash, attr->body, strlen(attr->body));
    default:
      return mix(hash, (uint64_t)attr->count);
  }
}

// Which channel a collective uses does not change what it computes.
static bool is_ignored(const char *name) {
  return *name == 'c' && strcmp(name, "channel_handle") == 0;
}

static uint64_t hash_op(const mlir_op_t *op) {
  uint64_t hash = (uint64_t)op->kind;
  for (int i = 0; i < op->operand_count; i++) {
    hash = mix(hash, op->operands[i]->id);
  }
  for (int i = 0; i < op->result_count; i++) {
    const tensor_shape_t *shape = &op->results[i].type->shape;
    hash = mix(hash, (uint64_t)shape->dtype);
    hash = mix_bytes(hash, shape->dims, (size_t)shape->rank * sizeof(*shape->dims));
  }
  for (int i = 0; i < op->attr_count; i++) {
    if (!is_ignored(op->attrs[i].name)) {
      hash = hash_attr(hash, op->attrs[i].value);
    }
  }
  return hash;
}

static bool has_equal_attrs(const mlir_op_t *a, const mlir_op_t *b) {
  int i = 0, k = 0;
  for (;;) {
    while (i < a->attr_count && is_ignored(a->attrs[i].name)) {
      i++;
    }
    while (k < b->attr_count && is_ignored(b->attrs[k].name)) {
      k++;
    }
    if (i == a->attr_count || k == b->attr_count) {
      return i == a->attr_count && k == b->attr_count;
    }
    if (a->attrs[i].name != b->attrs[k].name ||
        !mlir_attr_equal(a->attrs[i].value, b->attrs[k].value)) {
      return false;
    }
    i++;
    k++;
  }
}

static bool computes_same(const mlir_op_t *a, const mlir_op_t *b) {
  if (a->name != b->name || a->operand_count != b->operand_count ||
      a->result_count != b->result_count || a->region_count != b->region_count) {
    return false;
  }
  for (int i = 0; i < a->operand_count; i++) {
    if (a->operands[i] != b->operands[i]) {
      return false;
    }
  }
  for (int i = 0; i < a->result_count; i++) {
    if (!mlir_type_equal(a->results[i].type, b->results[i].type)) {
      return false;
    }
  }
  return has_equal_attrs(a, b) &&
         (a->region_count == 0 || compiler_reducer(a) == compiler_reducer(b));
}

// Who moves an array to the device twice wants it there twice, and not in between.
static bool is_candidate(const mlir_op_t *op) {
  if (!compiler_is_row(op->kind) || op->result_count == 0 || simplify_has_effect(op) ||
      op->kind == CHIP_OP_TO_DEVICE) {
    return false;
  }
  return op->region_count == 0 || compiler_reducer(op) != CHIP_REDUCER_NONE;
}

// Loops and branches see what is defined around them; the scalar region of a reduction
// stays closed.
static bool is_open(const mlir_op_t *op) {
  return chip_op_has(op->kind, CHIP_TRAIT_CONTROL);
}

// `earlier` comes before `op` in the walk, so that it is visible when its block is one of
// those around `op`.
static bool is_visible(const mlir_op_t *earlier, const mlir_op_t *op) {
  for (const mlir_op_t *at = op; at != NULL && at->block != NULL; at = walk_parent(at)) {
    if (at->block == earlier->block) {
      return true;
    }
    if (!is_open(walk_parent(at))) {
      return false;
    }
  }
  return false;
}

static void grow(simplify_seen_t *seen) {
  simplify_seen_t larger = {.slot_count = 2 * seen->slot_count, .used = seen->used};
  larger.slots = pod_alloc(larger.slot_count * sizeof(*larger.slots));
  larger.hashes = pod_alloc(larger.slot_count * sizeof(*larger.hashes));
  for (size_t i = 0; i < seen->slot_count; i++) {
    if (seen->slots[i] != NULL) {
      size_t slot = seen->hashes[i] & (larger.slot_count - 1);
      while (larger.slots[slot] != NULL) {
        slot = (slot + 1) & (larger.slot_count - 1);
      }
      larger.slots[slot] = seen->slots[i];
      larger.hashes[slot] = seen->hashes[i];
    }
  }
  free(seen->slots);
  free(seen->hashes);
  *seen = larger;
}

mlir_op_t *simplify_seen_find(simplify_seen_t *seen, mlir_op_t *op) {
  if (!is_candidate(op)) {
    return NULL;
  }
  if (2 * seen->used >= seen->slot_count) {
    grow(seen);
  }
  const uint64_t hash = hash_op(op);
  size_t slot = hash & (seen->slot_count - 1);
  for (; seen->slots[slot] != NULL; slot = (slot + 1) & (seen->slot_count - 1)) {
    mlir_op_t *earlier = seen->slots[slot];
    if (seen->hashes[slot] == hash && computes_same(earlier, op)) {
      if (is_visible(earlier, op)) {
        return earlier;
      }
      seen->slots[slot] = op;  // The walk has left the earlier one's block for good.
      return NULL;
    }
  }
  seen->slots[slot] = op;
  seen->hashes[slot] = hash;
  seen->used++;
  return NULL;
}
