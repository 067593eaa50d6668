// The region becomes a graph of values, equal ones being the same node, and the graph is
// matched:
//
//   order  = strict | or(strict, and(equal, order)) | select(equal, order, strict)
//          | select(unequal, strict, order)
//   strict = compare LT or GT (f(left), f(right))
//
// where f is any elementwise function: the left and the right one have the same form.

#include "server/worker/kernels/region/comparator.h"

#include <string.h>

#include "common/base/check.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/loops/loops.h"

enum { NODES_MAX = 256, OPERANDS_MAX = 3, NO_NODE = -1, BUDGET = 2000 };

typedef enum node_kind_t { NODE_PARAMETER, NODE_CONSTANT, NODE_OPERATION } node_kind_t;

typedef struct node_t {
  node_kind_t kind;
  int32_t index;  // Of the parameter, constant or instruction of the region.
  tensor_dtype_t dtype;
  int32_t operand_count, operands[OPERANDS_MAX];  // Nodes.
} node_t;

// The bytes that buffers of the program are, and the value that they have now.
typedef struct holder_t {
  chip_buffer_kind_t kind;
  int64_t at;
  int32_t node;
} holder_t;

typedef struct graph_t {
  const chip_program_t *program;
  const chip_computation_t *region;
  int32_t node_count, holder_count, budget;
  node_t nodes[NODES_MAX];
  holder_t holders[NODES_MAX];
} graph_t;

static const chip_instruction_t *instruction_of(const graph_t *graph,
                                                const node_t *node) {
  return &graph->program->instructions[graph->region->first_instruction + node->index];
}

// ----- the graph -----

static bool same_attrs(const chip_instruction_t *a, const chip_instruction_t *b) {
  if (a->attr_count != b->attr_count) {
    return false;
  }
  for (int32_t i = 0; i < a->attr_count; i++) {
    const chip_attr_t *x = &a->attrs[i], *y = &b->attrs[i];
    if (x->key != y->key || x->count != y->count ||
        (x->count > 0 &&
         memcmp(x->values, y->values, (size_t)x->count * sizeof(*x->values)) != 0)) {
      return false;
    }
  }
  return true;
}

static bool same_operation(const graph_t *graph, const node_t *a, const node_t *b) {
  const chip_instruction_t *x = instruction_of(graph, a), *y = instruction_of(graph, b);
  return x->op == y->op && a->operand_count == b->operand_count && same_attrs(x, y);
}

static bool same_constant(const graph_t *graph, int32_t a, int32_t b) {
  const chip_constant_t *x = &graph->program->constants[a];
  const chip_constant_t *y = &graph->program->constants[b];
  const size_t bytes = tensor_dtype_bytes(x->shape.dtype);
  return a == b || (bytes == tensor_dtype_bytes(y->shape.dtype) &&
                    memcmp(x->data, y->data, bytes) == 0);
}

static bool same_node(const graph_t *graph, const node_t *a, const node_t *b) {
  if (a->kind != b->kind || a->dtype != b->dtype) {
    return false;
  }
  if (a->kind == NODE_PARAMETER) {
    return a->index == b->index;
  }
  if (a->kind == NODE_CONSTANT) {
    return same_constant(graph, a->index, b->index);
  }
  return same_operation(graph, a, b) &&
         memcmp(a->operands, b->operands, sizeof(a->operands)) == 0;
}

static int32_t add_node(graph_t *graph, const node_t *node) {
  for (int32_t i = 0; i < graph->node_count; i++) {
    if (same_node(graph, &graph->nodes[i], node)) {
      return i;
    }
  }
  if (graph->node_count == NODES_MAX) {
    return NO_NODE;
  }
  graph->nodes[graph->node_count] = *node;
  return graph->node_count++;
}

static int64_t at_of(const chip_buffer_t *buffer) {
  return buffer->kind == CHIP_BUFFER_TEMP ? buffer->offset : buffer->index;
}

static int32_t value_of(graph_t *graph, int32_t index) {
  const chip_buffer_t *buffer = &graph->program->buffers[index];
  for (int32_t i = 0; i < graph->holder_count; i++) {
    const holder_t *holder = &graph->holders[i];
    if (holder->kind == buffer->kind && holder->at == at_of(buffer)) {
      return holder->node;
    }
  }
  if (buffer->kind != CHIP_BUFFER_CONSTANT) {
    return NO_NODE;
  }
  const node_t node = {
      .kind = NODE_CONSTANT, .index = buffer->index, .dtype = buffer->shape.dtype};
  return add_node(graph, &node);
}

static bool set_value(graph_t *graph, int32_t index, int32_t node) {
  const chip_buffer_t *buffer = &graph->program->buffers[index];
  int32_t at = 0;
  while (at < graph->holder_count && (graph->holders[at].kind != buffer->kind ||
                                      graph->holders[at].at != at_of(buffer))) {
    at++;
  }
  if (at == NODES_MAX || node == NO_NODE) {
    return false;
  }
  graph->holders[at] = (holder_t){buffer->kind, at_of(buffer), node};
  graph->holder_count += at == graph->holder_count;
  return true;
}

static bool graph_init(graph_t *graph, const chip_program_t *program,
                       const chip_computation_t *region) {
  *graph = (graph_t){.program = program, .region = region, .budget = BUDGET};
  for (int32_t i = 0; i < region->parameter_count; i++) {
    const int32_t buffer = region->parameters[i];
    const node_t node = {.kind = NODE_PARAMETER,
                         .index = i,
                         .dtype = program->buffers[buffer].shape.dtype};
    if (!set_value(graph, buffer, add_node(graph, &node))) {
      return false;
    }
  }
  for (int32_t i = 0; i < region->instruction_count; i++) {
    const chip_instruction_t *instruction =
        &program->instructions[region->first_instruction + i];
    if (instruction->operand_count > OPERANDS_MAX || instruction->result_count != 1 ||
        instruction->call_count > 0) {
      return false;
    }
    node_t node = {.kind = NODE_OPERATION,
                   .index = i,
                   .dtype = program->buffers[instruction->results[0]].shape.dtype,
                   .operand_count = instruction->operand_count};
    for (int32_t k = 0; k < instruction->operand_count; k++) {
      node.operands[k] = value_of(graph, instruction->operands[k]);
      if (node.operands[k] == NO_NODE) {
        return false;
      }
    }
    if (!set_value(graph, instruction->results[0], add_node(graph, &node))) {
      return false;
    }
  }
  return true;
}

// ----- matching -----

// Whether `right` is to the elements of the right place what `left` is to those of the
// left one.
static bool is_mirrored(graph_t *graph, int32_t left, int32_t right) {
  const node_t *a = &graph->nodes[left], *b = &graph->nodes[right];
  if (graph->budget-- <= 0 || a->kind != b->kind || a->dtype != b->dtype) {
    return false;
  }
  if (a->kind == NODE_PARAMETER) {
    return a->index % 2 == 0 && b->index == a->index + 1;
  }
  if (a->kind == NODE_CONSTANT) {
    return left == right;
  }
  if (!same_operation(graph, a, b)) {
    return false;
  }
  for (int32_t i = 0; i < a->operand_count; i++) {
    if (!is_mirrored(graph, a->operands[i], b->operands[i])) {
      return false;
    }
  }
  return true;
}

static bool is_operation(const graph_t *graph, int32_t node, chip_op_t op) {
  return graph->nodes[node].kind == NODE_OPERATION &&
         instruction_of(graph, &graph->nodes[node])->op == op;
}

static bool is_comparison(const graph_t *graph, int32_t node,
                          chip_comparison_t direction) {
  return is_operation(graph, node, CHIP_OP_COMPARE) &&
         chip_instruction_attr_one(instruction_of(graph, &graph->nodes[node]),
                                   CHIP_ATTR_COMPARISON_DIRECTION,
                                   CHIP_COMPARISON_EQ) == direction;
}

static bool is_total_order(const graph_t *graph, int32_t comparison) {
  return chip_instruction_attr_one(instruction_of(graph, &graph->nodes[comparison]),
                                   CHIP_ATTR_COMPARE_TYPE,
                                   CHIP_COMPARE_BY_DTYPE) == CHIP_COMPARE_TOTAL_ORDER;
}

static bool match_strict(graph_t *graph, int32_t node, kernel_key_t *out_key) {
  const bool is_above = is_comparison(graph, node, CHIP_COMPARISON_GT);
  if (!is_above && !is_comparison(graph, node, CHIP_COMPARISON_LT)) {
    return false;
  }
  const node_t *comparison = &graph->nodes[node];
  const bool is_in_order =
      is_mirrored(graph, comparison->operands[0], comparison->operands[1]);
  if (!is_in_order &&
      !is_mirrored(graph, comparison->operands[1], comparison->operands[0])) {
    return false;
  }
  const int32_t left = comparison->operands[is_in_order ? 0 : 1];
  const node_t *value = &graph->nodes[left];
  if (tensor_dtype_is_complex(value->dtype)) {
    return false;
  }
  *out_key = (kernel_key_t){
      .operand = value->kind == NODE_PARAMETER ? value->index / 2 : -1,
      .instruction_count = comparison->index,
      .buffer = instruction_of(graph, comparison)->operands[is_in_order ? 0 : 1],
      .dtype = value->dtype,
      .is_total_order =
          tensor_dtype_is_float(value->dtype) && is_total_order(graph, node),
      .descends = is_above == is_in_order};
  return true;
}

// Whether `node` says that the values compared by `strict` are equal (or are not).
static bool compares_same(const graph_t *graph, int32_t node, int32_t strict,
                          chip_comparison_t direction) {
  if (!is_comparison(graph, node, direction)) {
    return false;
  }
  const int32_t *x = graph->nodes[node].operands, *y = graph->nodes[strict].operands;
  return ((x[0] == y[0] && x[1] == y[1]) || (x[0] == y[1] && x[1] == y[0])) &&
         is_total_order(graph, node) == is_total_order(graph, strict);
}

// What decides first, and what does where that is equal (NO_NODE: nothing).
typedef struct split_t {
  int32_t strict, rest;
} split_t;

static split_t split_or(const graph_t *graph, int32_t node) {
  for (int i = 0; i < 2; i++) {
    const int32_t strict = graph->nodes[node].operands[i];
    const int32_t both = graph->nodes[node].operands[1 - i];
    if (!is_operation(graph, strict, CHIP_OP_COMPARE) ||
        !is_operation(graph, both, CHIP_OP_AND)) {
      continue;
    }
    for (int k = 0; k < 2; k++) {
      const int32_t equal = graph->nodes[both].operands[k];
      if (compares_same(graph, equal, strict, CHIP_COMPARISON_EQ)) {
        return (split_t){strict, graph->nodes[both].operands[1 - k]};
      }
    }
  }
  return (split_t){node, NO_NODE};
}

static split_t split_select(const graph_t *graph, int32_t node) {
  const int32_t *operands = graph->nodes[node].operands;
  if (is_operation(graph, operands[2], CHIP_OP_COMPARE) &&
      compares_same(graph, operands[0], operands[2], CHIP_COMPARISON_EQ)) {
    return (split_t){operands[2], operands[1]};
  }
  if (is_operation(graph, operands[1], CHIP_OP_COMPARE) &&
      compares_same(graph, operands[0], operands[1], CHIP_COMPARISON_NE)) {
    return (split_t){operands[1], operands[2]};
  }
  return (split_t){node, NO_NODE};
}

int kernel_comparator_keys(const kernel_args_t *args,
                           kernel_key_t out_keys[KERNEL_KEYS_MAX]) {
  if (args->program->computations == NULL || args->instruction->call_count < 1) {
    return 0;
  }
  const chip_computation_t *region =
      &args->program->computations[args->instruction->calls[0]];
  graph_t graph;
  if (region->result_count != 1 || !graph_init(&graph, args->program, region)) {
    return 0;
  }
  int32_t node = value_of(&graph, region->results[0]);
  for (int count = 0; count < KERNEL_KEYS_MAX && node != NO_NODE; count++) {
    split_t split = {node, NO_NODE};
    if (is_operation(&graph, node, CHIP_OP_OR)) {
      split = split_or(&graph, node);
    } else if (is_operation(&graph, node, CHIP_OP_SELECT)) {
      split = split_select(&graph, node);
    }
    if (!match_strict(&graph, split.strict, &out_keys[count])) {
      return 0;
    }
    node = split.rest;
    if (node == NO_NODE) {
      return count + 1;
    }
  }
  return 0;
}

// ----- numbers -----

#define INTEGERS(name, type, flip)                                      \
  static void name(const void *in_bytes, size_t count, uint64_t *out) { \
    const type *in = in_bytes;                                          \
    for (size_t i = 0; i < count; i++) {                                \
      out[i] = (type)(in[i] ^ (type)(flip));                            \
    }                                                                   \
  }

INTEGERS(unsigned_8, uint8_t, 0)
INTEGERS(unsigned_16, uint16_t, 0)
INTEGERS(unsigned_32, uint32_t, 0)
INTEGERS(unsigned_64, uint64_t, 0)
INTEGERS(signed_8, uint8_t, UINT8_C(1) << 7)
INTEGERS(signed_16, uint16_t, UINT16_C(1) << 15)
INTEGERS(signed_32, uint32_t, UINT32_C(1) << 31)
INTEGERS(signed_64, uint64_t, UINT64_C(1) << 63)

// Bits of floats ordered as their values: negative ones are turned around. By IEEE 754
// -0 is 0, and NaN (above `infinity`) has no place.
#define FLOATS(name, type, infinity)                                        \
  static bool name(const void *in_bytes, size_t count, bool is_total_order, \
                   uint64_t *out) {                                         \
    const type sign = (type)((type)1 << (sizeof(type) * 8 - 1));            \
    const type *in = in_bytes;                                              \
    type nans = 0;                                                          \
    if (is_total_order) {                                                   \
      for (size_t i = 0; i < count; i++) {                                  \
        out[i] = (type)((in[i] & sign) != 0 ? ~in[i] : in[i] | sign);       \
      }                                                                     \
      return true;                                                          \
    }                                                                       \
    for (size_t i = 0; i < count; i++) {                                    \
      const type bits = in[i] == sign ? (type)0 : in[i];                    \
      nans = (type)(nans | ((bits & (type)~sign) > (type)(infinity)));      \
      out[i] = (type)((bits & sign) != 0 ? ~bits : bits | sign);            \
    }                                                                       \
    return nans == 0;                                                       \
  }

FLOATS(float_bf16, uint16_t, 0x7f80)
FLOATS(float_f16, uint16_t, 0x7c00)
FLOATS(float_f32, uint32_t, 0x7f800000)
FLOATS(float_f64, uint64_t, UINT64_C(0x7ff0000000000000))

// Floats of a byte by their values, as comparisons of them are: the bits of some have no
// sign, or have a NaN in the place of -0.
static bool float_small(tensor_dtype_t dtype, const uint8_t *in, size_t count,
                        bool is_total, uint64_t *out) {
  for (size_t i = 0; i < count; i++) {
    const double value = tensor_element_as_double(dtype, &in[i]);
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if (!float_f64(&bits, 1, is_total, &out[i])) {
      return false;
    }
  }
  return true;
}

bool kernel_key_numbers(const kernel_key_t *key, const void *in, size_t count,
                        uint64_t *out_numbers, unsigned *out_bits) {
  typedef void (*integers_fn_t)(const void *in, size_t count, uint64_t *out);
  static const integers_fn_t integers[2][4] = {
      {unsigned_8, unsigned_16, unsigned_32, unsigned_64},
      {signed_8, signed_16, signed_32, signed_64}};
  const tensor_dtype_t dtype = key->dtype;
  const size_t bytes = tensor_dtype_bytes(dtype);
  const bool is_total = key->is_total_order;
  unsigned bits = (unsigned)bytes * 8;
  bool is_ordered = true;
  if (!tensor_dtype_is_float(dtype)) {
    integers[tensor_dtype_is_signed(dtype)][__builtin_ctzll(bytes)](in, count,
                                                                    out_numbers);
  } else if (dtype == TENSOR_BF16) {
    is_ordered = float_bf16(in, count, is_total, out_numbers);
  } else if (dtype == TENSOR_F16) {
    is_ordered = float_f16(in, count, is_total, out_numbers);
  } else if (dtype == TENSOR_F32) {
    is_ordered = float_f32(in, count, is_total, out_numbers);
  } else if (dtype == TENSOR_F64) {
    is_ordered = float_f64(in, count, is_total, out_numbers);
  } else {
    is_ordered = float_small(dtype, in, count, is_total, out_numbers);
    bits = 64;
  }
  if (key->descends) {
    const uint64_t mask = UINT64_MAX >> (64 - bits);
    for (size_t i = 0; i < count; i++) {
      out_numbers[i] = ~out_numbers[i] & mask;
    }
  }
  *out_bits = bits;
  return is_ordered;
}
