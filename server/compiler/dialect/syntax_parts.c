// Each part has a function that parses it and one that prints it; the printer reads back
// what it would print, and falls back to the generic form when that is not the same.

#include "server/compiler/dialect/syntax_parts.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/syntax_format.h"

// --- Enumerators ---

static int dialect_length(const mlir_op_t *op) {
  const char *dot = strchr(op->name, '.');
  return dot == NULL ? 0 : (int)(dot - op->name);
}

const mlir_attr_t *syntax_make_enum(mlir_module_t *module, const mlir_op_t *op,
                                    const char *name, const char *word) {
  return mlir_attr_dialect(
      module,
      pod_arena_printf(module->arena, "%.*s.%s", dialect_length(op), op->name, name),
      word);
}

const char *syntax_enum_word(const mlir_op_t *op, const mlir_attr_t *attr,
                             const char *name) {
  const size_t length = (size_t)dialect_length(op);
  if (attr->kind != MLIR_ATTR_DIALECT || attr->body == NULL ||
      strncmp(attr->text, op->name, length) != 0 || attr->text[length] != '.' ||
      strcmp(attr->text + length + 1, name) != 0) {
    return NULL;
  }
  // What is no word could not be read back.
  for (const char *c = attr->body; *c != '\0'; c++) {
    if ((*c < 'A' || *c > 'Z') && *c != '_' && (*c < '0' || *c > '9')) {
      return NULL;
    }
  }
  return attr->body[0] == '\0' || (attr->body[0] >= '0' && attr->body[0] <= '9')
             ? NULL
             : attr->body;
}

// --- @slice: [start:limit:stride, …] ---

// start:limit or start:limit:stride.
static pod_status_t parse_range(mlir_parser_t *parser, int64_t *out_start,
                                int64_t *out_limit, int64_t *out_stride) {
  POD_TRY(mlir_parser_i64(parser, out_start));
  POD_TRY(mlir_parser_expect(parser, ":"));
  POD_TRY(mlir_parser_i64(parser, out_limit));
  *out_stride = 1;
  return mlir_parser_accept(parser, ":") ? mlir_parser_i64(parser, out_stride) : NULL;
}

static pod_status_t parse_slice(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_module_t *module = mlir_parser_module(parser);
  int64_t starts[TENSOR_RANK_MAX], limits[TENSOR_RANK_MAX], strides[TENSOR_RANK_MAX];
  int rank = 0;
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      if (rank == TENSOR_RANK_MAX) {
        return mlir_parser_error(parser, "more than %d dimensions", TENSOR_RANK_MAX);
      }
      POD_TRY(parse_range(parser, &starts[rank], &limits[rank], &strides[rank]));
      rank++;
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  POD_TRY(syntax_add_attr(parser, op, "start_indices",
                          mlir_attr_i64_array(module, rank, starts)));
  POD_TRY(syntax_add_attr(parser, op, "limit_indices",
                          mlir_attr_i64_array(module, rank, limits)));
  return syntax_add_attr(parser, op, "strides",
                         mlir_attr_i64_array(module, rank, strides));
}

static const mlir_attr_t *i64_array(const mlir_op_t *op, const char *name) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  return mlir_attr_is(attr, MLIR_ATTR_DENSE_ARRAY) &&
                 attr->type->shape.dtype == TENSOR_S64
             ? attr
             : NULL;
}

static bool print_slice(mlir_printer_t *printer, const mlir_op_t *op) {
  const mlir_attr_t *starts = i64_array(op, "start_indices");
  const mlir_attr_t *limits = i64_array(op, "limit_indices");
  const mlir_attr_t *strides = i64_array(op, "strides");
  if (starts == NULL || limits == NULL || strides == NULL ||
      starts->count != limits->count || starts->count != strides->count ||
      starts->count > TENSOR_RANK_MAX) {
    return false;
  }
  mlir_printer_add(printer, "[");
  for (int64_t i = 0; i < starts->count; i++) {
    mlir_printer_add(printer, i > 0 ? ", " : "");
    mlir_printer_add_int(printer, starts->integers[i]);
    mlir_printer_add(printer, ":");
    mlir_printer_add_int(printer, limits->integers[i]);
    if (strides->integers[i] != 1) {
      mlir_printer_printf(printer, ":%lld", (long long)strides->integers[i]);
    }
  }
  mlir_printer_add(printer, "]");
  return true;
}

// --- @dot: batching_dims = [0] x [0], contracting_dims = [2] x [1] ---

static pod_status_t parse_dims_pair(mlir_parser_t *parser, stablehlo_dims_t *lhs,
                                    stablehlo_dims_t *rhs) {
  int64_t *values;
  POD_TRY(mlir_parser_expect(parser, "="));
  POD_TRY(mlir_parser_i64_list(parser, &lhs->count, &values));
  lhs->values = values;
  POD_TRY(mlir_parser_expect(parser, "x"));
  POD_TRY(mlir_parser_i64_list(parser, &rhs->count, &values));
  rhs->values = values;
  return NULL;
}

static pod_status_t parse_dot(mlir_parser_t *parser, mlir_op_t *op) {
  stablehlo_dot_t dot = {0};
  if (mlir_parser_accept(parser, "batching_dims")) {
    POD_TRY(parse_dims_pair(parser, &dot.lhs_batching, &dot.rhs_batching));
    POD_TRY(mlir_parser_expect(parser, ","));
  }
  POD_TRY(mlir_parser_expect(parser, "contracting_dims"));
  POD_TRY(parse_dims_pair(parser, &dot.lhs_contracting, &dot.rhs_contracting));
  return syntax_add_attr(parser, op, "dot_dimension_numbers",
                         stablehlo_make_dot(mlir_parser_module(parser), &dot));
}

static void print_dims(mlir_printer_t *printer, const stablehlo_dims_t *dims) {
  mlir_printer_add(printer, "[");
  for (int64_t i = 0; i < dims->count; i++) {
    mlir_printer_add(printer, i > 0 ? ", " : "");
    mlir_printer_add_int(printer, dims->values[i]);
  }
  mlir_printer_add(printer, "]");
}

// Reads what it prints, so that only what is well-formed is printed short.
static bool read_dot(mlir_module_t *module, const mlir_attr_t *attr,
                     stablehlo_dot_t *dot) {
  const pod_status_t status = stablehlo_dot_dimensions(module, attr, dot);
  const bool is_good = status == NULL;
  pod_status_free(status);
  return is_good;
}

static bool print_dot(mlir_printer_t *printer, const mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "dot_dimension_numbers");
  mlir_module_t *scratch = mlir_printer_scratch(printer);
  stablehlo_dot_t dot;
  // Fields that are written out though they are empty would be lost.
  const bool is_good = read_dot(scratch, attr, &dot) &&
                       mlir_attr_equal(attr, stablehlo_make_dot(scratch, &dot));
  if (is_good) {
    if (dot.lhs_batching.count + dot.rhs_batching.count > 0) {
      mlir_printer_add(printer, "batching_dims = ");
      print_dims(printer, &dot.lhs_batching);
      mlir_printer_add(printer, " x ");
      print_dims(printer, &dot.rhs_batching);
      mlir_printer_add(printer, ", ");
    }
    mlir_printer_add(printer, "contracting_dims = ");
    print_dims(printer, &dot.lhs_contracting);
    mlir_printer_add(printer, " x ");
    print_dims(printer, &dot.rhs_contracting);
  }
  return is_good;
}

// --- @precision: , precision = [DEFAULT, HIGH], algorithm = <…> ---

static pod_status_t parse_precision_list(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_module_t *module = mlir_parser_module(parser);
  const mlir_attr_t *elements[2];
  int64_t count = 0;
  POD_TRY(mlir_parser_expect(parser, "="));
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      const char *word;
      if (count == 2) {
        return mlir_parser_error(parser, "expected two precisions");
      }
      POD_TRY(mlir_parser_identifier(parser, &word));
      elements[count++] = syntax_make_enum(module, op, "precision", word);
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  return syntax_add_attr(parser, op, "precision_config",
                         mlir_attr_array(module, count, elements));
}

static pod_status_t parse_algorithm(mlir_parser_t *parser, mlir_op_t *op) {
  const mlir_attr_t *algorithm;
  POD_TRY(mlir_parser_expect(parser, "algorithm"));
  POD_TRY(mlir_parser_expect(parser, "="));
  POD_TRY(mlir_parser_body(parser, "stablehlo.dot_algorithm", false, &algorithm));
  return syntax_add_attr(parser, op, "algorithm", algorithm);
}

static pod_status_t parse_precision(mlir_parser_t *parser, mlir_op_t *op) {
  if (!mlir_parser_accept(parser, ",")) {
    return NULL;
  }
  if (mlir_parser_accept(parser, "precision")) {
    POD_TRY(parse_precision_list(parser, op));
    if (!mlir_parser_accept(parser, ",")) {
      return NULL;
    }
  }
  return parse_algorithm(parser, op);
}

static bool print_precision(mlir_printer_t *printer, const mlir_op_t *op) {
  const mlir_attr_t *config = mlir_op_attr(op, "precision_config");
  const mlir_attr_t *algorithm = mlir_op_attr(op, "algorithm");
  if (config != NULL && (config->kind != MLIR_ATTR_ARRAY || config->count > 2)) {
    return false;
  }
  if (config != NULL) {
    mlir_printer_add(printer, ", precision = [");
    for (int64_t i = 0; i < config->count; i++) {
      const char *word = syntax_enum_word(op, config->elements[i], "precision");
      if (word == NULL) {
        return false;
      }
      mlir_printer_printf(printer, "%s%s", i > 0 ? ", " : "", word);
    }
    mlir_printer_add(printer, "]");
  }
  if (algorithm == NULL) {
    return true;
  }
  if (algorithm->kind != MLIR_ATTR_DIALECT || algorithm->body == NULL ||
      strcmp(algorithm->text, "stablehlo.dot_algorithm") != 0) {
    return false;
  }
  mlir_printer_printf(printer, ", algorithm = <%s>", algorithm->body);
  return true;
}

// --- @format: e5m10 ---

static bool read_bits(const char **at, int64_t *out) {
  int64_t value = 0;
  const char *start = *at;
  while (**at >= '0' && **at <= '9' && *at - start < 6) {
    value = 10 * value + (*(*at)++ - '0');
  }
  *out = value;
  return *at > start;
}

static pod_status_t parse_format(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_module_t *module = mlir_parser_module(parser);
  const mlir_position_t position = mlir_parser_position(parser);
  const char *word;
  int64_t exponent, mantissa;
  POD_TRY(mlir_parser_identifier(parser, &word));
  const char *at = word + 1;
  if (*word != 'e' || !read_bits(&at, &exponent) || *at++ != 'm' ||
      !read_bits(&at, &mantissa) || *at != '\0') {
    return mlir_parser_error_at(parser, position, "expected a format as e5m10");
  }
  POD_TRY(syntax_add_attr(parser, op, "exponent_bits",
                          mlir_attr_integer(module, exponent, TENSOR_S32)));
  return syntax_add_attr(parser, op, "mantissa_bits",
                         mlir_attr_integer(module, mantissa, TENSOR_S32));
}

static bool is_bits(const mlir_attr_t *attr) {
  return mlir_attr_is(attr, MLIR_ATTR_INTEGER) && attr->type->shape.dtype == TENSOR_S32 &&
         attr->integer >= 0 && attr->integer < 1000000;
}

static bool print_format(mlir_printer_t *printer, const mlir_op_t *op) {
  const mlir_attr_t *exponent = mlir_op_attr(op, "exponent_bits");
  const mlir_attr_t *mantissa = mlir_op_attr(op, "mantissa_bits");
  if (!is_bits(exponent) || !is_bits(mantissa)) {
    return false;
  }
  mlir_printer_printf(printer, "e%lldm%lld", (long long)exponent->integer,
                      (long long)mantissa->integer);
  return true;
}

// --- @target: @name of a custom call ---

static pod_status_t parse_target(mlir_parser_t *parser, mlir_op_t *op) {
  const char *name;
  POD_TRY(mlir_parser_symbol(parser, &name));
  return syntax_add_attr(parser, op, "call_target_name",
                         mlir_attr_string(mlir_parser_module(parser), name));
}

static bool print_target(mlir_printer_t *printer, const mlir_op_t *op) {
  const mlir_attr_t *target = mlir_op_attr(op, "call_target_name");
  if (!mlir_attr_is(target, MLIR_ATTR_STRING) ||
      strlen(target->text) != (size_t)target->length) {
    return false;
  }
  mlir_printer_symbol(printer, target->text);
  return true;
}

// --- @barrier: %a, %b : types, or () ---

static pod_status_t parse_barrier(mlir_parser_t *parser, mlir_op_t *op) {
  if (mlir_parser_accept(parser, "(")) {
    POD_TRY(mlir_parser_expect(parser, ")"));
    return mlir_parser_set_results(parser, op, 0, NULL);
  }
  POD_TRY(mlir_parser_operand(parser, op));
  while (mlir_parser_accept(parser, ",")) {
    POD_TRY(mlir_parser_operand(parser, op));
  }
  int count;
  const mlir_type_t *const *types;
  POD_TRY(mlir_parser_expect(parser, ":"));
  POD_TRY(mlir_parser_type_list(parser, &count, &types));
  POD_TRY(mlir_parser_check_operands(parser, op, count, types));
  return mlir_parser_set_results(parser, op, count, types);
}

static bool print_barrier(mlir_printer_t *printer, const mlir_op_t *op) {
  if (op->operand_count != op->result_count) {
    return false;
  }
  if (op->operand_count == 0) {
    mlir_printer_add(printer, "()");
    return true;
  }
  mlir_printer_operands(printer, op);
  for (int i = 0; i < op->operand_count; i++) {
    if (!mlir_type_equal(op->operands[i]->type, op->results[i].type)) {
      return false;
    }
    mlir_printer_add(printer, i == 0 ? " : " : ", ");
    mlir_printer_type(printer, op->results[i].type);
  }
  return true;
}

// --- @regions: ({ … }, { … }), or nothing ---

static pod_status_t parse_regions(mlir_parser_t *parser, mlir_op_t *op) {
  if (!mlir_parser_accept(parser, "(")) {
    return NULL;
  }
  do {
    POD_TRY(mlir_parser_region(parser, op, 0, NULL));
  } while (mlir_parser_accept(parser, ","));
  return mlir_parser_expect(parser, ")");
}

static bool print_regions(mlir_printer_t *printer, const mlir_op_t *op) {
  for (int i = 0; i < op->region_count; i++) {
    mlir_printer_add(printer, i == 0 ? "(" : ", ");
    mlir_printer_region(printer, &op->regions[i], false);
  }
  mlir_printer_add(printer, op->region_count > 0 ? ")" : "");
  return true;
}

// --- All of them ---

const syntax_part_t *syntax_part(const char *name) {
  static const syntax_part_t parts[] = {
      {"slice", parse_slice, print_slice, {"start_indices", "limit_indices", "strides"}},
      {"dot", parse_dot, print_dot, {"dot_dimension_numbers"}},
      {"precision", parse_precision, print_precision, {"precision_config", "algorithm"}},
      {"format", parse_format, print_format, {"exponent_bits", "mantissa_bits"}},
      {"target", parse_target, print_target, {"call_target_name"}},
      {"barrier", parse_barrier, print_barrier, {NULL}},
      {"regions", parse_regions, print_regions, {NULL}},
      {"conv", syntax_parse_conv, syntax_print_conv, {"dimension_numbers"}},
      {"window",
       syntax_parse_window,
       syntax_print_window,
       {"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"}},
  };
  for (size_t i = 0; i < POD_COUNT_OF(parts); i++) {
    if (strcmp(parts[i].name, name) == 0) {
      return &parts[i];
    }
  }
  POD_CHECK(false && "no such part");
  return NULL;
}
