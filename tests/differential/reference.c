#include "tests/differential/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

extern const reference_row_t reference_elementwise_rows[];
extern const reference_row_t reference_indexing_rows[];
extern const reference_row_t reference_ragged_rows[];
extern const reference_row_t reference_random_rows[];
extern const reference_row_t reference_chlo_rows[];
extern const reference_row_t reference_control_rows[];
extern const reference_row_t reference_custom_rows[];
extern const reference_row_t reference_linear_rows[];
extern const reference_row_t reference_window_rows[];
extern const reference_row_t reference_contraction_rows[];
extern const reference_row_t reference_movement_rows[];

// All operations, group by group.
static const reference_row_t *const groups[] = {
    // clang-format off
    reference_chlo_rows,
    reference_contraction_rows,
    reference_control_rows,
    reference_custom_rows,
    reference_elementwise_rows,
    reference_indexing_rows,
    reference_ragged_rows,
    reference_random_rows,
    reference_linear_rows,
    reference_movement_rows,
    reference_window_rows,
    // clang-format on
};

static const reference_row_t *find_row(const char *name) {
  for (size_t i = 0; i < POD_COUNT_OF(groups); i++) {
    for (const reference_row_t *row = groups[i]; row->name != NULL; row++) {
      if (strcmp(row->name, name) == 0) {
        return row;
      }
    }
  }
  return NULL;
}

bool reference_knows(const char *name) {
  return find_row(name) != NULL;
}

// --- Values ---

reference_value_t reference_make(pod_arena_t *arena, const tensor_shape_t *shape) {
  reference_value_t value = {.shape = *shape, .count = tensor_shape_elements(shape)};
  value.data = pod_arena_alloc(arena, (size_t)tensor_shape_bytes(shape));
  return value;
}

const reference_value_t *reference_operand(reference_t *machine, const mlir_op_t *op,
                                           int index) {
  POD_CHECK(index < op->operand_count);
  return &machine->values[op->operands[index]->id];
}

reference_value_t *reference_result(reference_t *machine, const mlir_op_t *op,
                                    int index) {
  reference_value_t *value = &machine->values[op->results[index].id];
  *value = reference_make(machine->arena, &op->results[index].type->shape);
  return value;
}

void reference_copy(reference_value_t *to, int64_t at, const reference_value_t *from,
                    int64_t from_at) {
  POD_CHECK(to->shape.dtype == from->shape.dtype && at >= 0 && at < to->count &&
            from_at >= 0 && from_at < from->count);
  const size_t bytes = tensor_dtype_bytes(to->shape.dtype);
  memcpy(to->data + (size_t)at * bytes, from->data + (size_t)from_at * bytes, bytes);
}

int64_t reference_index(const reference_value_t *value, int64_t at) {
  POD_CHECK(at >= 0 && at < value->count && tensor_dtype_is_integer(value->shape.dtype));
  const size_t bytes = tensor_dtype_bytes(value->shape.dtype);
  const int64_t index =
      tensor_element_as_int64(value->shape.dtype, value->data + (size_t)at * bytes);
  return value->shape.dtype == TENSOR_U64 && index < 0 ? INT64_MAX : index;
}

// --- Indexes ---

void reference_unravel(const tensor_shape_t *shape, int64_t flat, int64_t *out_index) {
  for (int d = shape->rank - 1; d >= 0; d--) {
    out_index[d] = flat % shape->dims[d];
    flat /= shape->dims[d];
  }
}

bool reference_is_inside(const tensor_shape_t *shape, const int64_t *index) {
  for (int d = 0; d < shape->rank; d++) {
    if (index[d] < 0 || index[d] >= shape->dims[d]) {
      return false;
    }
  }
  return true;
}

int64_t reference_ravel(const tensor_shape_t *shape, const int64_t *index) {
  POD_CHECK(reference_is_inside(shape, index));
  int64_t flat = 0;
  for (int d = 0; d < shape->rank; d++) {
    flat = flat * shape->dims[d] + index[d];
  }
  return flat;
}

// --- Attributes ---

const int64_t *reference_list(reference_t *machine, const mlir_op_t *op, const char *name,
                              int64_t *out_count) {
  int64_t count = 0;
  const int64_t *values = NULL;
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  if (attr != NULL) {
    POD_CHECK(mlir_attr_as_i64s(machine->module, attr, &count, &values));
  }
  if (out_count != NULL) {
    *out_count = count;
  }
  return values;
}

int64_t reference_integer(const mlir_op_t *op, const char *name, int64_t otherwise) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  return attr != NULL ? attr->integer : otherwise;
}

const char *reference_word(reference_t *machine, const mlir_op_t *op, const char *name,
                           const char *otherwise) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  if (attr == NULL) {
    return otherwise;
  }
  // #stablehlo<fft_type RFFT> has the word behind the name, #stablehlo.x<RFFT> alone.
  const char *body = attr->kind == MLIR_ATTR_DIALECT ? attr->body : attr->text;
  const char *space = strrchr(body, ' ');
  return pod_arena_strdup(machine->arena, space != NULL ? space + 1 : body);
}

int reference_field(const mlir_op_t *op, const char *name, const char *field,
                    int64_t *out_values) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  if (attr == NULL) {
    return -1;
  }
  const size_t length = strlen(field);
  const char *at = attr->body;
  do {
    at = strstr(at, field);
    if (at == NULL) {
      return -1;
    }
    at += length;
  } while (strncmp(at, " = ", 3) != 0 ||
           (at - length > attr->body && strchr(" ,<", at[-(long)length - 1]) == NULL));
  at += 3;
  const bool is_list = *at == '[';
  at += is_list ? 1 : 0;
  int count = 0;
  while (*at != ']' && *at != '\0') {
    char *end;
    POD_CHECK(count < TENSOR_RANK_MAX);
    out_values[count++] = strtoll(at, &end, 10);
    POD_CHECK(end != at);
    if (!is_list) {
      break;
    }
    at = end + strspn(end, ", ");
  }
  return count;
}

// --- Running ---

void reference_run_as(reference_t *machine, const mlir_op_t *op, const char *name) {
  const reference_row_t *row = find_row(name);
  if (row == NULL) {
    fprintf(stderr, "the reference has no row for %s\n", name);
  }
  POD_CHECK(row != NULL);
  mlir_op_t renamed = *op;
  renamed.name = name;
  row->run(machine, &renamed);
}

static void run_op(reference_t *machine, const mlir_op_t *op) {
  const mlir_attr_t *target = mlir_op_attr(op, "call_target_name");
  reference_run_as(
      machine, op,
      target != NULL ? pod_arena_printf(machine->arena, "@%s", target->text) : op->name);
}

reference_value_t reference_promote(pod_arena_t *arena, const reference_value_t *value,
                                    tensor_dtype_t dtype) {
  if (value->shape.dtype == dtype) {
    return *value;
  }
  tensor_shape_t shape = value->shape;
  shape.dtype = dtype;
  reference_value_t result = reference_make(arena, &shape);
  for (int64_t i = 0; i < result.count; i++) {
    reference_store(&result, i, reference_convert(reference_load(value, i), dtype));
  }
  return result;
}

void reference_block(reference_t *machine, const mlir_block_t *block,
                     const reference_value_t *arguments, reference_value_t *out_results) {
  for (int i = 0; i < block->argument_count; i++) {
    const mlir_type_t *type = block->arguments[i]->type;
    machine->values[block->arguments[i]->id] =
        type->kind == MLIR_TYPE_TENSOR
            ? reference_promote(machine->arena, &arguments[i], type->shape.dtype)
            : arguments[i];
  }
  const mlir_op_t *op = block->first;
  for (; op->next != NULL; op = op->next) {
    run_op(machine, op);
  }
  for (int i = 0; i < op->operand_count; i++) {
    out_results[i] = *reference_operand(machine, op, i);
  }
}

const mlir_block_t *reference_function(reference_t *machine, const char *name) {
  const mlir_op_t *function = mlir_module_find_symbol(machine->module, name);
  POD_CHECK(function != NULL);
  return mlir_op_block(function, 0);
}

void reference_run(mlir_module_t *module, pod_arena_t *arena,
                   const reference_value_t *arguments, reference_value_t *out_results,
                   reference_t *out_machine) {
  reference_t machine = {.module = module, .arena = arena};
  machine.values = pod_arena_array(arena, module->value_count, sizeof(machine.values[0]));
  reference_block(&machine, reference_function(&machine, "main"), arguments, out_results);
  if (out_machine != NULL) {
    *out_machine = machine;
  }
}
