// The names of the factors are declared behind the mappings that use them: a name gets
// its number where it is met first, its size where it is declared.

#include "server/compiler/dialect/rule.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/parser.h"
#include "server/compiler/dialect/attributes_private.h"

enum { FACTORS_MAX = 256 };

typedef struct reader_t {
  mlir_parser_t *parser;
  pod_arena_t *arena;
  int count;
  rule_factor_t factors[FACTORS_MAX];
} reader_t;

// --- Names ---

// The factor whose name is the `length` bytes at `name`.
static pod_status_t factor_named(reader_t *reader, const char *name, size_t length,
                                 int *out_factor) {
  for (int i = 0; i < reader->count; i++) {
    if (strncmp(reader->factors[i].name, name, length) == 0 &&
        reader->factors[i].name[length] == '\0') {
      *out_factor = i;
      return NULL;
    }
  }
  if (reader->count == FACTORS_MAX) {
    return mlir_parser_error(reader->parser, "more than %d factors", FACTORS_MAX);
  }
  reader->factors[reader->count] = (rule_factor_t){
      .name = pod_arena_printf(reader->arena, "%.*s", (int)length, name), .size = -1};
  *out_factor = reader->count++;
  return NULL;
}

// A letter from i to z; behind the last ones come z_1, z_2, ….
static size_t name_length(const char *text) {
  if (text[0] < 'i' || text[0] > 'z') {
    return 0;
  }
  if (text[0] != 'z' || text[1] != '_') {
    return 1;
  }
  const size_t digits = strspn(text + 2, "0123456789");
  return digits == 0 ? 0 : 2 + digits;
}

// --- Mappings ---

// ij: the factors of a dimension, without anything between them.
static pod_status_t read_dim(reader_t *reader, rule_dim_t *dim) {
  const char *text;
  POD_TRY(mlir_parser_identifier(reader->parser, &text));
  int *factors = pod_arena_array(reader->arena, strlen(text), sizeof(*factors));
  while (*text != '\0') {
    const size_t length = name_length(text);
    if (length == 0) {
      return mlir_parser_error(reader->parser, "expected factors, i to z or z_1, z_2, …");
    }
    POD_TRY(factor_named(reader, text, length, &factors[dim->count++]));
    text += length;
  }
  dim->factors = factors;
  return NULL;
}

// [ij, k]
static pod_status_t read_tensor(reader_t *reader, rule_tensor_t *tensor) {
  rule_dim_t dims[TENSOR_RANK_MAX] = {0};
  POD_TRY(mlir_parser_expect(reader->parser, "["));
  if (!mlir_parser_accept(reader->parser, "]")) {
    do {
      if (tensor->rank == TENSOR_RANK_MAX) {
        return mlir_parser_error(reader->parser, "more than %d dimensions",
                                 TENSOR_RANK_MAX);
      }
      POD_TRY(read_dim(reader, &dims[tensor->rank++]));
    } while (mlir_parser_accept(reader->parser, ","));
    POD_TRY(mlir_parser_expect(reader->parser, "]"));
  }
  tensor->dims =
      pod_arena_copy(reader->arena, dims, (size_t)tensor->rank * sizeof(dims[0]));
  return NULL;
}

// ([i, k], [k, j]), for `count` tensors.
static pod_status_t read_tensors(reader_t *reader, const char *what, int count,
                                 const rule_tensor_t **out_tensors) {
  rule_tensor_t *tensors =
      pod_arena_array(reader->arena, (size_t)count, sizeof(*tensors));
  int found = 0;
  POD_TRY(mlir_parser_expect(reader->parser, "("));
  if (!mlir_parser_accept(reader->parser, ")")) {
    do {
      rule_tensor_t tensor = {0};
      POD_TRY(read_tensor(reader, &tensor));
      if (found < count) {
        tensors[found] = tensor;
      }
      found++;
    } while (mlir_parser_accept(reader->parser, ","));
    POD_TRY(mlir_parser_expect(reader->parser, ")"));
  }
  if (found != count) {
    return mlir_parser_error(reader->parser, "the rule has %d %ss, the operation %d",
                             found, what, count);
  }
  *out_tensors = tensors;
  return NULL;
}

// --- Sizes and kinds ---

static pod_status_t read_known_factor(reader_t *reader, int *out_factor) {
  const char *text;
  POD_TRY(mlir_parser_identifier(reader->parser, &text));
  const int before = reader->count;
  POD_TRY(factor_named(reader, text, strlen(text), out_factor));
  return reader->count == before
             ? NULL
             : mlir_parser_error(reader->parser, "no dimension has the factor %s", text);
}

// {i=8, j=16}
static pod_status_t read_sizes(reader_t *reader) {
  if (!mlir_parser_accept(reader->parser, "{")) {
    return NULL;
  }
  if (mlir_parser_accept(reader->parser, "}")) {
    return NULL;
  }
  do {
    int factor;
    int64_t size;
    POD_TRY(read_known_factor(reader, &factor));
    POD_TRY(mlir_parser_expect(reader->parser, "="));
    POD_TRY(mlir_parser_i64(reader->parser, &size));
    if (size < 0 || reader->factors[factor].size >= 0) {
      return mlir_parser_error(reader->parser, "expected one size of factor %s, >= 0",
                               reader->factors[factor].name);
    }
    reader->factors[factor].size = size;
  } while (mlir_parser_accept(reader->parser, ","));
  return mlir_parser_expect(reader->parser, "}");
}

// ={i, j}
static pod_status_t read_kind(reader_t *reader, rule_factor_kind_t kind) {
  POD_TRY(mlir_parser_expect(reader->parser, "="));
  POD_TRY(mlir_parser_expect(reader->parser, "{"));
  do {
    int index;
    POD_TRY(read_known_factor(reader, &index));
    rule_factor_t *factor = &reader->factors[index];
    if (kind == RULE_FACTOR_PASS) {
      factor->is_blocked = true;
    } else if (factor->kind != RULE_FACTOR_PASS) {
      return mlir_parser_error(reader->parser, "factor %s is of two kinds", factor->name);
    } else {
      factor->kind = kind;
    }
  } while (mlir_parser_accept(reader->parser, ","));
  return mlir_parser_expect(reader->parser, "}");
}

// reduction={k} need_replication={l}, custom
static pod_status_t read_kinds(reader_t *reader) {
  static const struct {
    const char *name;
    rule_factor_kind_t kind;
  } kinds[] = {{"reduction", RULE_FACTOR_REDUCTION},
               {"need_replication", RULE_FACTOR_REPLICATION},
               {"permutation", RULE_FACTOR_PERMUTATION},
               {"blocked_propagation", RULE_FACTOR_PASS}};
  for (size_t i = 0; i < POD_COUNT_OF(kinds); i++) {
    if (mlir_parser_accept(reader->parser, kinds[i].name)) {
      POD_TRY(read_kind(reader, kinds[i].kind));
    }
  }
  return mlir_parser_accept(reader->parser, ",")
             ? mlir_parser_expect(reader->parser, "custom")
             : NULL;
}

// --- Whether it fits the operation ---

static pod_status_t check_dim(const reader_t *reader, mlir_module_t *module,
                              const mlir_op_t *op, const char *what, int index, int d,
                              const rule_dim_t *dim, int64_t size) {
  int64_t product = 1;
  for (int i = 0; i < dim->count; i++) {
    const rule_factor_t *factor = &reader->factors[dim->factors[i]];
    if (factor->size < 0) {
      return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                           "'" COMPILER_RULE_ATTR "' says no size of factor %s",
                           factor->name);
    }
    if (factor->kind == RULE_FACTOR_REDUCTION && strcmp(what, "result") == 0) {
      return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                           "'" COMPILER_RULE_ATTR
                           "' reduces factor %s, and result %d has it",
                           factor->name, index);
    }
    if (__builtin_mul_overflow(product, factor->size, &product)) {
      product = -1;
      break;
    }
  }
  // A factor by itself may be smaller or larger than its dimension, as that of a padded
  // one is.
  return dim->count < 2 || product == size
             ? NULL
             : mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                             "'" COMPILER_RULE_ATTR
                             "': the factors of dimension %d of %s %d do not make its "
                             "size, %" PRId64,
                             d, what, index, size);
}

static pod_status_t check_tensor(const reader_t *reader, mlir_module_t *module,
                                 const mlir_op_t *op, const char *what, int index,
                                 const rule_tensor_t *tensor, const mlir_type_t *type) {
  const int rank = type->kind == MLIR_TYPE_TENSOR ? type->shape.rank : 0;
  if (tensor->rank != rank) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                         "'" COMPILER_RULE_ATTR
                         "' has %d dimensions for %s %d, which has %d",
                         tensor->rank, what, index, rank);
  }
  for (int d = 0; d < rank; d++) {
    POD_TRY(check_dim(reader, module, op, what, index, d, &tensor->dims[d],
                      type->shape.dims[d]));
  }
  return NULL;
}

static pod_status_t read_rule(reader_t *reader, mlir_module_t *module,
                              const mlir_op_t *op, compiler_rule_t *rule) {
  POD_TRY(attribute_open(module, mlir_op_attr(op, COMPILER_RULE_ATTR), "op_sharding_rule",
                         &reader->parser));
  POD_TRY(read_tensors(reader, "operand", op->operand_count, &rule->operands));
  POD_TRY(mlir_parser_expect(reader->parser, "->"));
  POD_TRY(read_tensors(reader, "result", op->result_count, &rule->results));
  POD_TRY(read_sizes(reader));
  POD_TRY(read_kinds(reader));
  return attribute_close(reader->parser);
}

pod_status_t compiler_parse_rule(mlir_module_t *module, const mlir_op_t *op,
                                 const compiler_rule_t **out_rule) {
  reader_t reader = {.arena = module->arena};
  compiler_rule_t *rule = pod_arena_alloc(module->arena, sizeof(*rule));
  rule->operand_count = op->operand_count;
  rule->result_count = op->result_count;
  POD_TRY(read_rule(&reader, module, op, rule));
  for (int i = 0; i < op->operand_count; i++) {
    POD_TRY(check_tensor(&reader, module, op, "operand", i, &rule->operands[i],
                         op->operands[i]->type));
  }
  for (int i = 0; i < op->result_count; i++) {
    POD_TRY(check_tensor(&reader, module, op, "result", i, &rule->results[i],
                         op->results[i].type));
  }
  rule->factor_count = reader.count;
  rule->factors = pod_arena_copy(module->arena, reader.factors,
                                 (size_t)reader.count * sizeof(reader.factors[0]));
  *out_rule = rule;
  return NULL;
}
