// Forms that build regions or have a grammar of their own: constant, reduce, while, scan.

#include <string.h>

#include "common/base/check.h"
#include "server/compiler/dialect/syntax_format.h"
#include "server/compiler/dialect/syntax_parts.h"

// --- constant {…} dense<…> : type ---

pod_status_t syntax_parse_constant(mlir_parser_t *parser, mlir_op_t *op) {
  if (mlir_parser_peek(parser, "(")) {
    return mlir_parser_generic(parser, op);
  }
  POD_TRY(mlir_parser_attr_dict(parser, op));
  const mlir_position_t position = mlir_parser_position(parser);
  const mlir_attr_t *value;
  POD_TRY(mlir_parser_attr(parser, &value));
  if (value->kind != MLIR_ATTR_DENSE) {
    return mlir_parser_error_at(parser, position,
                                value->type == NULL
                                    ? "expected dense<…> and its type"
                                    : "constants of this type are not supported");
  }
  POD_TRY(syntax_add_attr(parser, op, "value", value));
  return mlir_parser_set_results(parser, op, 1, &value->type);
}

bool syntax_print_constant(mlir_printer_t *printer, const mlir_op_t *op) {
  static const char *const hidden[] = {"value", NULL};
  const mlir_attr_t *value = mlir_op_attr(op, "value");
  if (!mlir_attr_is(value, MLIR_ATTR_DENSE) || op->result_count != 1 ||
      op->operand_count + op->region_count > 0 ||
      !mlir_type_equal(value->type, op->results[0].type)) {
    return false;
  }
  mlir_printer_attr_dict(printer, op, hidden);
  mlir_printer_add(printer, " ");
  mlir_printer_attr(printer, value);
  return true;
}

// --- reduce(%a init: %b), … ---

// The commutative operations of two operands, which the short form may apply.
static bool is_commutative(const char *name) {
  static const char *const names[] = {"add", "multiply", "maximum", "minimum",
                                      "and", "or",       "xor"};
  const char *dot = strchr(name, '.');
  for (size_t i = 0; dot != NULL && i < POD_COUNT_OF(names); i++) {
    if (strcmp(dot + 1, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

static bool same_dialect(const char *a, const char *b) {
  const size_t length = strcspn(a, ".");
  return length == strcspn(b, ".") && memcmp(a, b, length) == 0;
}

// The inputs come first among the operands, their initial values behind them.
static pod_status_t parse_reduce_operands(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_operand_t *inits = NULL;
  int count = 0, capacity = 0;
  pod_arena_t *arena = mlir_parser_module(parser)->arena;
  do {
    mlir_operand_t init;
    POD_TRY(mlir_parser_expect(parser, "("));
    POD_TRY(mlir_parser_operand(parser, op));
    POD_TRY(mlir_parser_expect(parser, "init"));
    POD_TRY(mlir_parser_expect(parser, ":"));
    POD_TRY(mlir_parser_value(parser, &init));
    POD_TRY(mlir_parser_expect(parser, ")"));
    if (count == capacity) {
      capacity = 2 * capacity + 4;
      mlir_operand_t *grown = pod_arena_array(arena, (size_t)capacity, sizeof(*grown));
      if (count > 0) {
        memcpy(grown, inits, (size_t)count * sizeof(*grown));
      }
      inits = grown;
    }
    inits[count++] = init;
  } while (mlir_parser_accept(parser, ","));
  for (int i = 0; i < count; i++) {
    mlir_parser_add_operand(parser, op, inits[i]);
  }
  return NULL;
}

// across dimensions = [0] {…} : (types) -> types
static pod_status_t parse_reduce_tail(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_module_t *module = mlir_parser_module(parser);
  int64_t count;
  int64_t *dimensions;
  POD_TRY(mlir_parser_expect(parser, "across"));
  POD_TRY(mlir_parser_expect(parser, "dimensions"));
  POD_TRY(mlir_parser_expect(parser, "="));
  POD_TRY(mlir_parser_i64_list(parser, &count, &dimensions));
  POD_TRY(syntax_add_attr(parser, op, "dimensions",
                          mlir_attr_i64_array(module, count, dimensions)));
  POD_TRY(mlir_parser_attr_dict(parser, op));
  POD_TRY(mlir_parser_expect(parser, ":"));
  return mlir_parser_functional_type(parser, op);
}

// ^bb0(%a, %b): %c = applied %a, %b; return %c
static pod_status_t build_reducer(mlir_parser_t *parser, mlir_op_t *op,
                                  const char *applied) {
  mlir_module_t *module = mlir_parser_module(parser);
  const mlir_type_t *input = op->operands[0]->type;
  if (op->operand_count != 2 || input->kind != MLIR_TYPE_TENSOR) {
    return mlir_parser_error_at(parser, op->position,
                                "the form with 'applies' reduces one tensor");
  }
  const tensor_shape_t shape = tensor_shape_make(input->shape.dtype, 0, NULL);
  const mlir_type_t *scalar = mlir_type_tensor(module, &shape);
  mlir_block_t *block = mlir_block_create(module, mlir_parser_add_region(parser, op));
  mlir_value_t *arguments[2];
  for (int i = 0; i < 2; i++) {
    arguments[i] = mlir_block_add_argument(module, block, scalar);
  }
  mlir_op_t *inner = mlir_op_create(module, applied, 2, arguments, 1, &scalar, 0);
  mlir_value_t *result = &inner->results[0];
  const char *return_name = pod_arena_printf(module->arena, "%.*s.return",
                                             (int)strcspn(op->name, "."), op->name);
  mlir_op_t *end = mlir_op_create(module, return_name, 1, &result, 0, NULL, 0);
  inner->position = end->position = op->position;
  mlir_block_append(block, inner);
  mlir_block_append(block, end);
  return NULL;
}

// reducer(%a: type, %b: type) (%c: type, %d: type) { … }: in the block the first of all
// pairs come before the second.
static pod_status_t parse_reducer(mlir_parser_t *parser, mlir_op_t *op) {
  const int pairs = op->operand_count / 2;
  pod_arena_t *arena = mlir_parser_module(parser)->arena;
  mlir_region_argument_t *arguments =
      pod_arena_array(arena, 2 * (size_t)pairs, sizeof(*arguments));
  POD_TRY(mlir_parser_expect(parser, "reducer"));
  for (int i = 0; i < pairs; i++) {
    POD_TRY(mlir_parser_expect(parser, "("));
    POD_TRY(mlir_parser_region_argument(parser, true, &arguments[i]));
    POD_TRY(mlir_parser_expect(parser, ","));
    POD_TRY(mlir_parser_region_argument(parser, true, &arguments[pairs + i]));
    POD_TRY(mlir_parser_expect(parser, ")"));
  }
  return mlir_parser_region(parser, op, 2 * pairs, arguments);
}

pod_status_t syntax_parse_reduce(mlir_parser_t *parser, mlir_op_t *op) {
  POD_TRY(parse_reduce_operands(parser, op));
  if (!mlir_parser_accept(parser, "applies")) {
    POD_TRY(parse_reduce_tail(parser, op));
    return parse_reducer(parser, op);
  }
  const mlir_position_t position = mlir_parser_position(parser);
  const char *applied;
  POD_TRY(mlir_parser_identifier(parser, &applied));
  if (!is_commutative(applied) || !same_dialect(applied, op->name)) {
    return mlir_parser_error_at(parser, position,
                                "expected a commutative operation of two operands, as "
                                "stablehlo.add");
  }
  POD_TRY(parse_reduce_tail(parser, op));
  return build_reducer(parser, op, applied);
}

// The block that `applies` stands for.
static const mlir_op_t *applied_op(const mlir_op_t *op) {
  const mlir_block_t *block = mlir_op_block(op, 0);
  const mlir_op_t *inner = block->first;
  const mlir_op_t *end = block->last;
  if (op->operand_count != 2 || block->argument_count != 2 || inner == NULL ||
      inner->next != end || inner == end || inner->operand_count != 2 ||
      inner->result_count != 1 || inner->attr_count > 0 || inner->region_count > 0 ||
      !is_commutative(inner->name) || !same_dialect(inner->name, op->name)) {
    return NULL;
  }
  const mlir_type_t *type = inner->results[0].type;
  const mlir_type_t *input = op->operands[0]->type;
  const bool fits =
      inner->operands[0] == block->arguments[0] &&
      inner->operands[1] == block->arguments[1] &&
      mlir_type_equal(block->arguments[0]->type, type) &&
      mlir_type_equal(block->arguments[1]->type, type) &&
      type->kind == MLIR_TYPE_TENSOR && type->encoding == NULL && type->shape.rank == 0 &&
      input->kind == MLIR_TYPE_TENSOR && input->shape.dtype == type->shape.dtype &&
      same_dialect(end->name, op->name) &&
      strcmp(end->name + strcspn(end->name, "."), ".return") == 0 &&
      end->operand_count == 1 && end->operands[0] == &inner->results[0] &&
      end->attr_count == 0 && end->result_count == 0 && end->region_count == 0;
  return fits ? inner : NULL;
}

static bool is_regular_reduce(const mlir_op_t *op) {
  if (op->operand_count < 2 || op->operand_count % 2 != 0 || op->region_count != 1) {
    return false;
  }
  const mlir_block_t *block = mlir_op_block(op, 0);
  return block != NULL && block->next == NULL &&
         block->argument_count == op->operand_count;
}

bool syntax_print_reduce(mlir_printer_t *printer, const mlir_op_t *op) {
  static const char *const hidden[] = {"dimensions", NULL};
  if (!is_regular_reduce(op)) {
    return false;
  }
  const int pairs = op->operand_count / 2;
  for (int i = 0; i < pairs; i++) {
    mlir_printer_add(printer, i > 0 ? ", (" : "(");
    mlir_printer_value(printer, op->operands[i]);
    mlir_printer_add(printer, " init: ");
    mlir_printer_value(printer, op->operands[pairs + i]);
    mlir_printer_add(printer, ")");
  }
  const mlir_op_t *applied = applied_op(op);
  if (applied != NULL) {
    mlir_printer_printf(printer, " applies %s", applied->name);
  }
  mlir_printer_add(printer, " across dimensions = ");
  if (!syntax_print_i64s(printer, mlir_op_attr(op, "dimensions"))) {
    return false;
  }
  mlir_printer_attr_dict(printer, op, hidden);
  mlir_printer_add(printer, " : ");
  mlir_printer_functional_type(printer, op);
  if (applied != NULL) {
    return true;
  }
  const mlir_block_t *block = mlir_op_block(op, 0);
  mlir_printer_newline(printer);
  mlir_printer_add(printer, " reducer");
  for (int i = 0; i < pairs; i++) {
    mlir_printer_add(printer, "(");
    mlir_printer_block_argument(printer, block->arguments[i]);
    mlir_printer_add(printer, ", ");
    mlir_printer_block_argument(printer, block->arguments[pairs + i]);
    mlir_printer_add(printer, ") ");
  }
  mlir_printer_region(printer, &op->regions[0], true);
  return true;
}

// --- while(%a = %b, …) : types attributes {…} cond { … } do { … } ---

static pod_status_t parse_while_state(mlir_parser_t *parser, mlir_op_t *op,
                                      mlir_region_argument_t **out_arguments) {
  pod_arena_t *arena = mlir_parser_module(parser)->arena;
  mlir_region_argument_t *arguments = NULL;
  int capacity = 0;
  POD_TRY(mlir_parser_expect(parser, "("));
  while (!mlir_parser_accept(parser, ")")) {
    const int count = op->operand_count;
    if (count == capacity) {
      capacity = 2 * capacity + 4;
      mlir_region_argument_t *grown =
          pod_arena_array(arena, (size_t)capacity, sizeof(*grown));
      if (count > 0) {
        memcpy(grown, arguments, (size_t)count * sizeof(*grown));
      }
      arguments = grown;
    }
    POD_TRY(mlir_parser_region_argument(parser, false, &arguments[count]));
    POD_TRY(mlir_parser_expect(parser, "="));
    POD_TRY(mlir_parser_operand(parser, op));
    if (!mlir_parser_accept(parser, ",")) {
      POD_TRY(mlir_parser_expect(parser, ")"));
      break;
    }
  }
  *out_arguments = arguments;
  return NULL;
}

pod_status_t syntax_parse_while(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_region_argument_t *arguments;
  POD_TRY(parse_while_state(parser, op, &arguments));
  int count = 0;
  const mlir_type_t *const *types = NULL;
  if (op->operand_count > 0) {
    POD_TRY(mlir_parser_expect(parser, ":"));
    POD_TRY(mlir_parser_type_list(parser, &count, &types));
  }
  POD_TRY(mlir_parser_check_operands(parser, op, count, types));
  POD_TRY(mlir_parser_set_results(parser, op, count, types));
  for (int i = 0; i < count; i++) {
    arguments[i].type = types[i];
  }
  if (mlir_parser_accept(parser, "attributes")) {
    POD_TRY(mlir_parser_attr_dict(parser, op));
  }
  POD_TRY(mlir_parser_expect(parser, "cond"));
  POD_TRY(mlir_parser_region(parser, op, count, arguments));
  POD_TRY(mlir_parser_expect(parser, "do"));
  return mlir_parser_region(parser, op, count, arguments);
}

static bool is_loop_region(const mlir_op_t *op, int region) {
  const mlir_block_t *block = mlir_op_block(op, region);
  if (block == NULL || block->next != NULL ||
      block->argument_count != op->operand_count) {
    return false;
  }
  for (int i = 0; i < op->operand_count; i++) {
    if (!mlir_type_equal(block->arguments[i]->type, op->operands[i]->type)) {
      return false;
    }
  }
  return true;
}

static bool is_regular_while(const mlir_op_t *op) {
  bool fits = op->region_count == 2 && op->operand_count == op->result_count &&
              is_loop_region(op, 0) && is_loop_region(op, 1);
  for (int i = 0; fits && i < op->operand_count; i++) {
    fits = mlir_type_equal(op->operands[i]->type, op->results[i].type);
  }
  return fits;
}

bool syntax_print_while(mlir_printer_t *printer, const mlir_op_t *op) {
  if (!is_regular_while(op)) {
    return false;
  }
  const mlir_block_t *cond = mlir_op_block(op, 0);
  mlir_printer_add(printer, "(");
  for (int i = 0; i < op->operand_count; i++) {
    mlir_printer_add(printer, i > 0 ? ", " : "");
    mlir_printer_value(printer, cond->arguments[i]);
    mlir_printer_add(printer, " = ");
    mlir_printer_value(printer, op->operands[i]);
  }
  mlir_printer_add(printer, ")");
  for (int i = 0; i < op->operand_count; i++) {
    mlir_printer_add(printer, i == 0 ? " : " : ", ");
    mlir_printer_type(printer, op->operands[i]->type);
  }
  mlir_printer_attr_dict_with(printer, "attributes ", op, NULL);
  mlir_printer_newline(printer);
  mlir_printer_add(printer, "cond ");
  mlir_printer_region(printer, &op->regions[0], true);
  mlir_printer_add(printer, " do ");
  mlir_printer_region(printer, &op->regions[1], true);
  return true;
}

// --- chlo.scan(%a) inits(%b) dimension=0 attributes {…} { … } : (types) -> types ---

static void add_segments(mlir_module_t *module, mlir_op_t *op, const char *name,
                         int64_t first, int64_t second) {
  const int64_t sizes[] = {first, second};
  mlir_op_set_attr(module, op, name,
                   mlir_attr_integer_array(module, TENSOR_S32, 2, sizes));
}

pod_status_t syntax_parse_scan(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_module_t *module = mlir_parser_module(parser);
  int64_t dimension;
  POD_TRY(mlir_parser_expect(parser, "("));
  POD_TRY(mlir_parser_operands(parser, op));
  POD_TRY(mlir_parser_expect(parser, ")"));
  const int inputs = op->operand_count;
  POD_TRY(mlir_parser_expect(parser, "inits"));
  POD_TRY(mlir_parser_expect(parser, "("));
  POD_TRY(mlir_parser_operands(parser, op));
  POD_TRY(mlir_parser_expect(parser, ")"));
  const int carries = op->operand_count - inputs;
  POD_TRY(mlir_parser_expect(parser, "dimension"));
  POD_TRY(mlir_parser_expect(parser, "="));
  POD_TRY(mlir_parser_i64(parser, &dimension));
  POD_TRY(syntax_add_attr(parser, op, "dimension",
                          mlir_attr_integer(module, dimension, TENSOR_S64)));
  if (mlir_parser_accept(parser, "attributes")) {
    POD_TRY(mlir_parser_attr_dict(parser, op));
  }
  POD_TRY(mlir_parser_region(parser, op, 0, NULL));
  POD_TRY(mlir_parser_expect(parser, ":"));
  POD_TRY(mlir_parser_functional_type(parser, op));
  if (op->result_count < carries) {
    return mlir_parser_error_at(parser, op->position,
                                "has %d initial values, but %d results", carries,
                                op->result_count);
  }
  add_segments(module, op, "operandSegmentSizes", inputs, carries);
  add_segments(module, op, "resultSegmentSizes", op->result_count - carries, carries);
  return NULL;
}

// Two sizes whose sum is `total`.
static bool read_segments(const mlir_op_t *op, const char *name, int total,
                          int64_t *out_first) {
  const mlir_attr_t *sizes = mlir_op_attr(op, name);
  if (!mlir_attr_is(sizes, MLIR_ATTR_DENSE_ARRAY) ||
      sizes->type->shape.dtype != TENSOR_S32 || sizes->count != 2 ||
      sizes->integers[0] < 0 || sizes->integers[1] < 0 ||
      sizes->integers[0] + sizes->integers[1] != total) {
    return false;
  }
  *out_first = sizes->integers[0];
  return true;
}

bool syntax_print_scan(mlir_printer_t *printer, const mlir_op_t *op) {
  static const char *const hidden[] = {"dimension", "operandSegmentSizes",
                                       "resultSegmentSizes", NULL};
  const mlir_attr_t *dimension = mlir_op_attr(op, "dimension");
  int64_t inputs, outputs;
  if (op->region_count != 1 || !mlir_attr_is(dimension, MLIR_ATTR_INTEGER) ||
      dimension->type->shape.dtype != TENSOR_S64 ||
      !read_segments(op, "operandSegmentSizes", op->operand_count, &inputs) ||
      !read_segments(op, "resultSegmentSizes", op->result_count, &outputs) ||
      op->operand_count - inputs != op->result_count - outputs) {
    return false;
  }
  mlir_printer_add(printer, "(");
  for (int i = 0; i < op->operand_count; i++) {
    mlir_printer_printf(printer, i == inputs ? ") inits (" : (i > 0 ? ", " : ""));
    mlir_printer_value(printer, op->operands[i]);
  }
  mlir_printer_add(printer, inputs == op->operand_count ? ") inits ()" : ")");
  mlir_printer_printf(printer, " dimension=%lld", (long long)dimension->integer);
  mlir_printer_attr_dict_with(printer, "attributes ", op, hidden);
  mlir_printer_add(printer, " ");
  mlir_printer_region(printer, &op->regions[0], false);
  mlir_printer_add(printer, " : ");
  mlir_printer_functional_type(printer, op);
  return true;
}
