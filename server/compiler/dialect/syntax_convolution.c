// dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], …}

#include <ctype.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/syntax_format.h"
#include "server/compiler/dialect/syntax_parts.h"

// --- dim_numbers ---

// [b, f, 0, 1], normalised. What the letters and numbers mean is checked when the
// attribute is read (attributes.h).
static pod_status_t parse_dims(mlir_parser_t *parser, pod_text_t *text) {
  POD_TRY(mlir_parser_expect(parser, "["));
  pod_text_add(text, "[");
  bool is_first = true;
  do {
    pod_text_add(text, is_first ? "" : ", ");
    is_first = false;
    if (mlir_parser_peek_integer(parser)) {
      int64_t value;
      POD_TRY(mlir_parser_i64(parser, &value));
      pod_text_printf(text, "%lld", (long long)value);
    } else {
      const char *word;
      POD_TRY(mlir_parser_identifier(parser, &word));
      pod_text_add(text, word);
    }
  } while (mlir_parser_accept(parser, ","));
  pod_text_add(text, "]");
  return mlir_parser_expect(parser, "]");
}

static pod_status_t parse_all_dims(mlir_parser_t *parser, pod_text_t *text) {
  POD_TRY(parse_dims(parser, text));
  POD_TRY(mlir_parser_expect(parser, "x"));
  pod_text_add(text, "x");
  POD_TRY(parse_dims(parser, text));
  POD_TRY(mlir_parser_expect(parser, "->"));
  pod_text_add(text, "->");
  return parse_dims(parser, text);
}

pod_status_t syntax_parse_conv(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_module_t *module = mlir_parser_module(parser);
  pod_text_t text = {0};
  pod_status_t status = parse_all_dims(parser, &text);
  if (status == NULL) {
    status = syntax_add_attr(parser, op, "dimension_numbers",
                             mlir_attr_dialect(module, "stablehlo.conv", text.bytes));
  }
  pod_text_deinit(&text);
  return status;
}

// 00 is read as 0, and would not come back.
static bool has_leading_zero(const char *body) {
  for (const char *c = body; *c != '\0'; c++) {
    if (*c == '0' && isdigit((unsigned char)c[1]) != 0 &&
        (c == body || isdigit((unsigned char)c[-1]) == 0)) {
      return true;
    }
  }
  return false;
}

bool syntax_print_conv(mlir_printer_t *printer, const mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "dimension_numbers");
  if (!mlir_attr_is(attr, MLIR_ATTR_DIALECT) || attr->body == NULL ||
      strcmp(attr->text, "stablehlo.conv") != 0 || attr->body[0] != '[' ||
      has_leading_zero(attr->body)) {
    return false;  // Also for `raw` ones.
  }
  mlir_module_t *scratch = mlir_module_create("");
  stablehlo_conv_t conv;
  const pod_status_t status = stablehlo_conv_dimensions(scratch, attr, &conv);
  const bool is_good = status == NULL;
  pod_status_free(status);
  mlir_module_destroy(scratch);
  if (is_good) {
    mlir_printer_printf(printer, "%s", attr->body);
  }
  return is_good;
}

// --- window ---

// [[0, 1], [2, 3]] as dense<…> : tensor<2x2xi64>
static pod_status_t parse_padding(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_module_t *module = mlir_parser_module(parser);
  int64_t values[2 * TENSOR_RANK_MAX];
  tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, (int64_t[]){0, 2});
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      int64_t count;
      int64_t *pair;
      POD_TRY(mlir_parser_i64_list(parser, &count, &pair));
      if (count != 2 || shape.dims[0] == TENSOR_RANK_MAX) {
        return mlir_parser_error(parser, "expected padding as [low, high] per dimension");
      }
      memcpy(&values[2 * shape.dims[0]], pair, 2 * sizeof(*pair));
      shape.dims[0]++;
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  return syntax_add_attr(parser, op, "padding",
                         mlir_attr_dense(module, &shape, values, false));
}

// A word or a number.
static pod_status_t parse_bool(mlir_parser_t *parser, bool *out) {
  int64_t value = mlir_parser_accept(parser, "true");
  if (value == 0 && !mlir_parser_accept(parser, "false")) {
    POD_TRY(mlir_parser_i64(parser, &value));
  }
  *out = value != 0;
  return NULL;
}

static pod_status_t parse_reversal(mlir_parser_t *parser, mlir_op_t *op) {
  bool values[TENSOR_RANK_MAX];
  int64_t count = 0;
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      if (count == TENSOR_RANK_MAX) {
        return mlir_parser_error(parser, "more than %d dimensions", TENSOR_RANK_MAX);
      }
      POD_TRY(parse_bool(parser, &values[count++]));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  return syntax_add_attr(parser, op, "window_reversal",
                         mlir_attr_bool_array(mlir_parser_module(parser), count, values));
}

static pod_status_t parse_list(mlir_parser_t *parser, mlir_op_t *op, const char *name) {
  int64_t count;
  int64_t *values;
  POD_TRY(mlir_parser_i64_list(parser, &count, &values));
  return syntax_add_attr(parser, op, name,
                         mlir_attr_i64_array(mlir_parser_module(parser), count, values));
}

static const char *const list_names[][2] = {{"stride", "window_strides"},
                                            {"lhs_dilate", "lhs_dilation"},
                                            {"rhs_dilate", "rhs_dilation"}};

static pod_status_t parse_entry(mlir_parser_t *parser, mlir_op_t *op) {
  const mlir_position_t position = mlir_parser_position(parser);
  const char *word;
  POD_TRY(mlir_parser_identifier(parser, &word));
  POD_TRY(mlir_parser_expect(parser, "="));
  if (strcmp(word, "pad") == 0) {
    return parse_padding(parser, op);
  }
  if (strcmp(word, "reverse") == 0) {
    return parse_reversal(parser, op);
  }
  for (size_t i = 0; i < POD_COUNT_OF(list_names); i++) {
    if (strcmp(word, list_names[i][0]) == 0) {
      return parse_list(parser, op, list_names[i][1]);
    }
  }
  return mlir_parser_error_at(parser, position,
                              "expected stride, pad, lhs_dilate, rhs_dilate or reverse");
}

pod_status_t syntax_parse_window(mlir_parser_t *parser, mlir_op_t *op) {
  if (!mlir_parser_peek_identifier(parser)) {
    return NULL;
  }
  do {
    POD_TRY(parse_entry(parser, op));
  } while (mlir_parser_accept(parser, ","));
  return NULL;
}

static bool print_list(mlir_printer_t *printer, const mlir_op_t *op, const char *word,
                       const char *name, const char **separator) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  if (attr == NULL) {
    return true;
  }
  mlir_printer_printf(printer, "%s%s = ", *separator, word);
  *separator = ", ";
  return syntax_print_i64s(printer, attr);
}

static bool print_padding(mlir_printer_t *printer, const mlir_op_t *op,
                          const char **separator) {
  const mlir_attr_t *attr = mlir_op_attr(op, "padding");
  if (attr == NULL) {
    return true;
  }
  if (attr->kind != MLIR_ATTR_DENSE || attr->type->shape.dtype != TENSOR_S64 ||
      attr->type->shape.rank != 2 || attr->type->shape.dims[1] != 2 ||
      attr->type->shape.dims[0] > TENSOR_RANK_MAX) {
    return false;
  }
  const int64_t *values = attr->data;
  mlir_printer_printf(printer, "%spad = [", *separator);
  *separator = ", ";
  for (int64_t i = 0; i < attr->type->shape.dims[0]; i++) {
    mlir_printer_printf(printer, "%s[%lld, %lld]", i > 0 ? ", " : "",
                        (long long)values[attr->is_splat ? 0 : 2 * i],
                        (long long)values[attr->is_splat ? 0 : 2 * i + 1]);
  }
  mlir_printer_add(printer, "]");
  return true;
}

static bool print_reversal(mlir_printer_t *printer, const mlir_op_t *op,
                           const char **separator) {
  const mlir_attr_t *attr = mlir_op_attr(op, "window_reversal");
  if (attr == NULL) {
    return true;
  }
  if (attr->kind != MLIR_ATTR_DENSE_ARRAY || attr->type->shape.dtype != TENSOR_PRED ||
      attr->count > TENSOR_RANK_MAX) {
    return false;
  }
  mlir_printer_printf(printer, "%sreverse = [", *separator);
  for (int64_t i = 0; i < attr->count; i++) {
    mlir_printer_printf(printer, "%s%d", i > 0 ? ", " : "", attr->integers[i] != 0);
  }
  mlir_printer_add(printer, "]");
  return true;
}

bool syntax_print_window(mlir_printer_t *printer, const mlir_op_t *op) {
  const char *separator = "";
  return print_list(printer, op, "stride", "window_strides", &separator) &&
         print_padding(printer, op, &separator) &&
         print_list(printer, op, "lhs_dilate", "lhs_dilation", &separator) &&
         print_list(printer, op, "rhs_dilate", "rhs_dilation", &separator) &&
         print_reversal(printer, op, &separator);
}
