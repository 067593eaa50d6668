// Which function is @main, and which types its arguments have; the function's type is
// written anew from its body at the end.

#include "server/compiler/legalize/signature.h"
#include "server/compiler/dialect/kinds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/verify/shape.h"
#include "server/program/integer.h"
#include "server/program/program.h"

// --- Which function ---

static bool is_function(const mlir_op_t *op) {
  return op->kind == KIND_FUNC;
}

static bool is_private(const mlir_op_t *function) {
  const mlir_attr_t *visibility = mlir_op_attr(function, "sym_visibility");
  return mlir_attr_is(visibility, MLIR_ATTR_STRING) &&
         strcmp(visibility->text, "private") == 0;
}

// The only function, else the only one that is not private; NULL: there are several.
static mlir_op_t *only_function(const mlir_module_t *module) {
  mlir_op_t *any = NULL, *public = NULL;
  int count = 0, public_count = 0;
  const mlir_block_t *block = mlir_op_block(module->op, 0);
  for (mlir_op_t *op = block == NULL ? NULL : block->first; op != NULL; op = op->next) {
    if (is_function(op)) {
      count++;
      any = op;
      if (!is_private(op)) {
        public_count++;
        public = op;
      }
    }
  }
  return count == 1 ? any : public_count == 1 ? public : NULL;
}

mlir_op_t *signature_main(mlir_module_t *module) {
  mlir_op_t *main = mlir_module_find_symbol(module, "main");
  if (main == NULL) {
    main = only_function(module);
    if (main != NULL) {
      mlir_op_set_attr(module, main, mlir_intern(module, "sym_name"),
                       mlir_attr_string(module, "main"));
    }
  }
  const bool has_body = main != NULL && is_function(main) && main->region_count == 1 &&
                        mlir_op_block(main, 0) != NULL &&
                        mlir_op_block(main, 0)->last != NULL;
  return has_body ? main : NULL;
}

static pod_status_t check_count(const mlir_module_t *module, const mlir_op_t *main,
                                int64_t count, const char *what) {
  return count <= CHIP_INTERFACES_MAX
             ? NULL
             : mlir_op_error(
                   module, main, POD_INVALID_ARGUMENT,
                   "@main has %" PRId64
                   " %s; at most %d can be passed: bring them together in fewer, "
                   "larger arrays",
                   count, what, CHIP_INTERFACES_MAX);
}

pod_status_t signature_check_counts(mlir_module_t *module) {
  const mlir_op_t *main = signature_main(module);
  if (main == NULL) {
    return NULL;  // Said where it is needed.
  }
  const mlir_block_t *body = mlir_op_block(main, 0);
  POD_TRY(check_count(module, main, body->argument_count, "arguments"));
  return check_count(module, main, body->last->operand_count, "results");
}

// --- Which arguments ---

typedef struct arguments_t {
  mlir_module_t *module;
  const mlir_op_t *main;
  int count;
  mlir_value_t **values;
  mlir_op_t **constants;  // What stands for them, or NULL.
  pod_map_t *by_name;     // Pointers into `values`.
} arguments_t;

static void list_arguments(mlir_module_t *module, const mlir_op_t *main,
                           arguments_t *out) {
  const mlir_block_t *body = mlir_op_block(main, 0);
  const size_t count = (size_t)body->argument_count + 1;
  *out = (arguments_t){
      .module = module,
      .main = main,
      .values = pod_arena_array(module->arena, count, sizeof(out->values[0])),
      .constants = pod_arena_array(module->arena, count, sizeof(out->constants[0])),
      .by_name = pod_map_create()};
  for (int i = 0; i < body->argument_count; i++) {
    mlir_value_t *value = body->arguments[i];
    out->values[out->count] = value;
    if (value->name != NULL) {
      pod_map_put(out->by_name, value->name, &out->values[out->count]);
    }
    out->count++;
  }
}

static mlir_position_t position_of(const mlir_op_t *main, const mlir_value_t *argument) {
  return argument->position != 0 ? argument->position : main->position;
}

// By name, by number, or by the place of the type in the list.
static pod_status_t find_argument(const arguments_t *arguments, const char *name,
                                  int64_t place, int64_t *out_index) {
  if (*name == '\0') {
    *out_index = place;
  } else {
    mlir_value_t *const *named = pod_map_get(arguments->by_name, name);
    char *end = NULL;
    *out_index = strtoll(name, &end, 10);
    if (named != NULL) {
      *out_index = named - arguments->values;
    } else if (*end != '\0') {
      return mlir_op_error(arguments->module, arguments->main, POD_INVALID_ARGUMENT,
                           "has no argument '%s', of which a type is given", name);
    }
  }
  if (*out_index < 0 || *out_index >= arguments->count) {
    return mlir_op_error(arguments->module, arguments->main, POD_INVALID_ARGUMENT,
                         "has %d arguments; a type is given for argument %" PRId64,
                         arguments->count, *out_index);
  }
  return NULL;
}

// --- Which types ---

// "4x9xf32", or "4x9" without a dtype.
static void print_given(pod_text_t *text, const tensor_shape_t *shape) {
  for (int d = 0; d < shape->rank; d++) {
    pod_text_add(text, d == 0 ? "" : "x");
    if (shape->dims[d] == TENSOR_DYNAMIC) {
      pod_text_add(text, "?");
    } else {
      pod_text_printf(text, "%" PRId64, shape->dims[d]);
    }
  }
  if (shape->dtype != TENSOR_INVALID) {
    pod_text_printf(text, "%s%s", shape->rank == 0 ? "" : "x",
                    tensor_dtype_mlir_name(shape->dtype));
  } else if (shape->rank == 0) {
    pod_text_add(text, "a scalar");
  }
}

// What is wrong with `given` for an argument of type `own`; false: nothing.
static bool explain(pod_text_t *text, const tensor_shape_t *own,
                    const tensor_shape_t *given) {
  if (given->rank != own->rank) {
    pod_text_printf(text, "it must have %d dimensions", own->rank);
    return true;
  }
  if (given->dtype != TENSOR_INVALID && given->dtype != own->dtype) {
    pod_text_printf(text, "its elements must be %s", tensor_dtype_mlir_name(own->dtype));
    return true;
  }
  for (int d = 0; d < own->rank; d++) {
    if (given->dims[d] < 0 && given->dims[d] != own->dims[d]) {
      pod_text_printf(text, "dimension %d must not be negative", d);
      return true;
    }
    if (own->dims[d] != TENSOR_DYNAMIC && own->dims[d] != given->dims[d]) {
      pod_text_printf(text,
                      "dimension %d must be %" PRId64
                      ", which the module was made for: export it with symbolic sizes "
                      "(jax.export.symbolic_shape) to choose others",
                      d, own->dims[d]);
      return true;
    }
  }
  return false;
}

// What is not given of `shape` is the module's own.
static tensor_shape_t completed(const tensor_shape_t *own, const tensor_shape_t *given) {
  tensor_shape_t shape = *given;
  for (int d = 0; d < own->rank; d++) {
    if (d >= given->rank || given->dims[d] == -1) {
      shape.dims[d] = own->dims[d];
    }
  }
  shape.rank = given->rank > own->rank ? given->rank : own->rank;
  return shape;
}

static pod_status_t set_type(const arguments_t *arguments, int64_t index,
                             const compiler_argument_type_t *type) {
  mlir_module_t *module = arguments->module;
  mlir_value_t *argument = arguments->values[index];
  const mlir_position_t position = position_of(arguments->main, argument);
  if (argument->type->kind != MLIR_TYPE_TENSOR) {
    return mlir_error_at(module, position, POD_INVALID_ARGUMENT,
                         "argument %" PRId64 " is no tensor; no type can be given for it",
                         index);
  }
  const tensor_shape_t *own = &argument->type->shape;
  const tensor_shape_t shape =
      type->is_partial ? completed(own, &type->shape) : type->shape;
  const tensor_shape_t *given = &shape;
  pod_text_t what = {0}, why = {0};
  print_given(&what, given);
  pod_status_t status = NULL;
  if (explain(&why, own, given)) {
    status = mlir_error_at(module, position, POD_INVALID_ARGUMENT,
                           "argument %" PRId64 " is %s; %s was given; %s", index,
                           shape_text(module, own), what.bytes, why.bytes);
  } else if (!tensor_shape_is_static(own)) {
    const tensor_shape_t known = tensor_shape_make(own->dtype, own->rank, given->dims);
    status = tensor_shape_is_static(&known) ? tensor_shape_check(&known) : NULL;
    if (status == NULL) {
      argument->type = mlir_type_tensor(module, &known);
    } else {
      const pod_status_t placed =
          mlir_error_at(module, position, POD_INVALID_ARGUMENT,
                        "argument %" PRId64 " is %s; %s was given; %s", index,
                        shape_text(module, own), what.bytes, pod_status_message(status));
      pod_status_free(status);
      status = placed;
    }
  }
  pod_text_deinit(&what);
  pod_text_deinit(&why);
  return status;
}

// --- Known values ---

// A constant that will stand for the argument.
static mlir_op_t *make_constant(mlir_module_t *module, const mlir_value_t *argument,
                                const void *element) {
  mlir_op_t *constant =
      mlir_op_create(module, "stablehlo.constant", 0, NULL, 1, &argument->type, 0);
  constant->position = argument->position;
  constant->location = argument->location;
  mlir_op_set_attr(module, constant, mlir_intern(module, "value"),
                   mlir_attr_dense(module, &argument->type->shape, element, true));
  return constant;
}

// The values stand wherever the arguments stood, and before all else it is checked that
// they are equal.
static void put_values(const arguments_t *arguments) {
  mlir_replacements_t replacements = {0};
  bool any = false;
  for (int i = 0; i < arguments->count; i++) {
    if (arguments->constants[i] != NULL) {
      any = true;
      mlir_replacements_put(&replacements, arguments->values[i],
                            &arguments->constants[i]->results[0]);
    }
  }
  for (mlir_op_t *op = mlir_walk_first(arguments->main); any && op != NULL;
       op = mlir_walk_next(arguments->main, op)) {
    mlir_replacements_apply(&replacements, op);
  }
  mlir_replacements_deinit(&replacements);
  mlir_op_t *first = mlir_op_block(arguments->main, 0)->first;
  for (int i = 0; i < arguments->count; i++) {
    mlir_op_t *constant = arguments->constants[i];
    if (constant != NULL) {
      mlir_value_t *sides[] = {arguments->values[i], &constant->results[0]};
      mlir_op_t *check =
          mlir_op_create(arguments->module, "check.expect_eq", 2, sides, 0, NULL, 0);
      check->position = constant->position;
      check->location = constant->location;
      mlir_block_insert_before(first, constant);
      mlir_block_insert_before(first, check);
    }
  }
}

static pod_status_t set_value(const arguments_t *arguments, int64_t index,
                              int64_t value) {
  mlir_value_t *argument = arguments->values[index];
  const tensor_shape_t *shape = &argument->type->shape;
  const bool is_integer = shape->rank == 0 && chip_is_integral(shape->dtype);
  char element[16] = {0};
  if (is_integer) {
    tensor_element_from_int64(shape->dtype, value, element);
  }
  if (!is_integer || tensor_element_as_int64(shape->dtype, element) != value) {
    return mlir_error_at(arguments->module, position_of(arguments->main, argument),
                         POD_INVALID_ARGUMENT,
                         "argument %" PRId64 " is %s, which cannot be %" PRId64, index,
                         shape_text(arguments->module, shape), value);
  }
  arguments->constants[index] = make_constant(arguments->module, argument, element);
  return NULL;
}

// The sizes that a partial type says take the place of those that another has.
static void add_sizes(compiler_argument_type_t *type,
                      const compiler_argument_type_t *partial) {
  for (int d = 0; d < partial->shape.rank; d++) {
    while (type->shape.rank <= d) {
      type->shape.dims[type->shape.rank++] = -1;
    }
    if (partial->shape.dims[d] != -1) {
      type->shape.dims[d] = partial->shape.dims[d];
    }
  }
}

static pod_status_t set_types(const arguments_t *arguments, int64_t count,
                              const compiler_argument_type_t *types) {
  pod_arena_t *arena = arguments->module->arena;
  const size_t room = (size_t)arguments->count + 1;
  bool *is_given = pod_arena_array(arena, room, sizeof(is_given[0]));
  compiler_argument_type_t *given = pod_arena_array(arena, room, sizeof(given[0]));
  for (int64_t i = 0; i < count; i++) {
    int64_t index = 0;
    POD_TRY(find_argument(arguments, types[i].argument, i, &index));
    if (!is_given[index]) {
      given[index] = types[i];
    } else if (types[i].is_partial) {
      add_sizes(&given[index], &types[i]);
    } else {
      return mlir_error_at(
          arguments->module, position_of(arguments->main, arguments->values[index]),
          POD_INVALID_ARGUMENT, "two types are given for argument %" PRId64, index);
    }
    is_given[index] = true;
  }
  for (int64_t i = 0; i < arguments->count; i++) {
    POD_TRY(is_given[i] ? set_type(arguments, i, &given[i]) : NULL);
    POD_TRY(is_given[i] && given[i].has_value ? set_value(arguments, i, given[i].value)
                                              : NULL);
  }
  return NULL;
}

// A result that is an argument has its type now.
static const mlir_type_t *returned_type(const mlir_type_t *declared,
                                        const mlir_type_t *returned) {
  const bool is_known = declared->kind == MLIR_TYPE_TENSOR &&
                        returned->kind == MLIR_TYPE_TENSOR &&
                        declared->shape.dtype == returned->shape.dtype &&
                        declared->shape.rank == returned->shape.rank &&
                        !tensor_shape_is_static(&declared->shape) &&
                        tensor_shape_is_static(&returned->shape);
  return is_known ? returned : declared;
}

static void update_type(mlir_module_t *module, mlir_op_t *main) {
  const mlir_attr_t *attr = mlir_op_attr(main, "function_type");
  const mlir_block_t *body = mlir_op_block(main, 0);
  const mlir_op_t *end = body->last;
  if (!mlir_attr_is(attr, MLIR_ATTR_TYPE) || attr->type->kind != MLIR_TYPE_FUNCTION ||
      attr->type->input_count != body->argument_count ||
      attr->type->result_count != end->operand_count) {
    return;  // For the verifier.
  }
  const mlir_type_t **types = pod_arena_array(
      module->arena, (size_t)body->argument_count + (size_t)end->operand_count + 1,
      sizeof(types[0]));
  const mlir_type_t **results = types + body->argument_count;
  for (int i = 0; i < body->argument_count; i++) {
    types[i] = body->arguments[i]->type;
  }
  for (int i = 0; i < end->operand_count; i++) {
    results[i] = returned_type(attr->type->results[i], end->operands[i]->type);
  }
  mlir_op_set_attr(
      module, main, mlir_intern(module, "function_type"),
      mlir_attr_type(module, mlir_type_function(module, body->argument_count, types,
                                                end->operand_count, results)));
}

pod_status_t signature_set_arguments(mlir_module_t *module, int64_t count,
                                     const compiler_argument_type_t *types) {
  mlir_op_t *main = count > 0 ? signature_main(module) : NULL;
  if (main == NULL) {
    return NULL;  // Without @main the verifier says so.
  }
  arguments_t arguments;
  list_arguments(module, main, &arguments);
  const pod_status_t status = set_types(&arguments, count, types);
  pod_map_destroy(arguments.by_name);
  POD_TRY(status);
  put_values(&arguments);
  update_type(module, main);
  return NULL;
}

pod_status_t signature_check_arguments(mlir_module_t *module, const mlir_op_t *main) {
  const mlir_block_t *body = mlir_op_block(main, 0);
  for (int i = 0; i < body->argument_count; i++) {
    const mlir_value_t *argument = body->arguments[i];
    if (argument->type->kind == MLIR_TYPE_TENSOR &&
        !tensor_shape_is_static(&argument->type->shape)) {
      return mlir_error_at(
          module, position_of(main, argument), POD_UNIMPLEMENTED,
          "argument %d is %s; only tensors of static sizes are supported: say what is "
          "passed (argument_types of Compile and libpodium, --shape %d=SIZES of podium), "
          "or export the function for concrete sizes",
          i, shape_text(module, &argument->type->shape), i);
    }
  }
  return NULL;
}

bool signature_has_dimensions(const mlir_op_t *main) {
  const mlir_attr_t *list = mlir_op_attr(main, "arg_attrs");
  for (int64_t i = 0; mlir_attr_is(list, MLIR_ATTR_ARRAY) && i < list->count; i++) {
    if (mlir_attr_is(list->elements[i], MLIR_ATTR_DICTIONARY) &&
        mlir_attr_get(list->elements[i], "jax.global_constant") != NULL) {
      return true;
    }
  }
  return false;
}

void signature_update(mlir_module_t *module, mlir_op_t *main) {
  const mlir_block_t *body = mlir_op_block(main, 0);
  const size_t inputs = (size_t)body->argument_count;
  const size_t results = (size_t)body->last->operand_count;
  const mlir_type_t **types =
      pod_arena_array(module->arena, inputs + results + 1, sizeof(types[0]));
  for (size_t i = 0; i < inputs; i++) {
    types[i] = body->arguments[i]->type;
  }
  for (size_t i = 0; i < results; i++) {
    types[inputs + i] = body->last->operands[i]->type;
  }
  mlir_op_set_attr(
      module, main, mlir_intern(module, "function_type"),
      mlir_attr_type(module, mlir_type_function(module, (int)inputs, types, (int)results,
                                                types + inputs)));
}
