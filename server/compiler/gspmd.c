#include "server/compiler/gspmd.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/tensor/sharding.h"
#include "server/chip/integer.h"
#include "server/compiler/attributes.h"
#include "server/compiler/gspmd_string.h"
#include "server/compiler/manual_call.h"
#include "server/compiler/replacements.h"
#include "server/compiler/walk.h"

static const char *const attr_name = "mhlo.sharding";

typedef struct gspmd_t {
  mlir_module_t *module;
  replacements_t replacements;
  int64_t device_count;  // 0: none named.
  bool is_used;          // Any annotation at all.
  // Where digits begin: divisors of device_count, rising, 1 and device_count among them.
  int cut_count;
  int64_t cuts[SHARDING_AXES_MAX + 1];
} gspmd_t;

// --- Reading ---

static pod_status_t parse_at(gspmd_t *gspmd, const mlir_op_t *op, const mlir_attr_t *attr,
                             gspmd_sharding_t *out) {
  if (!mlir_attr_is(attr, MLIR_ATTR_STRING)) {
    return mlir_op_error(gspmd->module, op, POD_INVALID_ARGUMENT,
                         "'mhlo.sharding' must be a string");
  }
  const pod_status_t status = gspmd_parse(attr->text, out);
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t placed = mlir_op_error(gspmd->module, op, pod_status_code(status),
                                            "%s", pod_status_message(status));
  pod_status_free(status);
  return placed;
}

// The target of a custom call; "" for other operations.
static const char *target_of(const mlir_op_t *op) {
  const mlir_attr_t *target = strcmp(op->name, "stablehlo.custom_call") == 0
                                  ? mlir_op_attr(op, "call_target_name")
                                  : NULL;
  return mlir_attr_is(target, MLIR_ATTR_STRING) ? target->text : "";
}

static bool is_call_of(const mlir_op_t *op, const char *target) {
  return op != NULL && op->operand_count == 1 && op->result_count == 1 &&
         strcmp(target_of(op), target) == 0;
}

// --- The mesh ---

static pod_status_t add_cut(gspmd_t *gspmd, const mlir_op_t *op, int64_t cut) {
  int at = 0;
  while (at < gspmd->cut_count && gspmd->cuts[at] < cut) {
    at++;
  }
  if (at < gspmd->cut_count && gspmd->cuts[at] == cut) {
    return NULL;
  }
  if (gspmd->cut_count > SHARDING_AXES_MAX || (at > 0 && cut % gspmd->cuts[at - 1]) ||
      (at < gspmd->cut_count && gspmd->cuts[at] % cut != 0)) {
    return mlir_op_error(gspmd->module, op, POD_UNIMPLEMENTED,
                         "its sharding and those before it are not over one mesh");
  }
  memmove(&gspmd->cuts[at + 1], &gspmd->cuts[at],
          (size_t)(gspmd->cut_count - at) * sizeof(gspmd->cuts[0]));
  gspmd->cuts[at] = cut;
  gspmd->cut_count++;
  return NULL;
}

static pod_status_t add_cuts(gspmd_t *gspmd, const mlir_op_t *op,
                             const gspmd_digits_t *digits) {
  for (int i = 0; i < digits->count; i++) {
    POD_TRY(add_cut(gspmd, op, digits->digits[i].pre));
    POD_TRY(add_cut(gspmd, op, digits->digits[i].pre * digits->digits[i].size));
  }
  return NULL;
}

static pod_status_t collect(gspmd_t *gspmd, const mlir_op_t *op,
                            const mlir_attr_t *attr) {
  gspmd_sharding_t sharding;
  gspmd->is_used = true;
  POD_TRY(parse_at(gspmd, op, attr, &sharding));
  if (sharding.device_count == 0) {
    return NULL;
  }
  if (gspmd->device_count != 0 && sharding.device_count != gspmd->device_count) {
    return mlir_op_error(gspmd->module, op, POD_INVALID_ARGUMENT,
                         "its sharding is over %" PRId64
                         " devices, the module's others are over %" PRId64,
                         sharding.device_count, gspmd->device_count);
  }
  gspmd->device_count = sharding.device_count;
  POD_TRY(add_cut(gspmd, op, 1));
  POD_TRY(add_cut(gspmd, op, sharding.device_count));
  for (int d = 0; d < sharding.rank; d++) {
    POD_TRY(add_cuts(gspmd, op, &sharding.dims[d]));
  }
  return add_cuts(gspmd, op, &sharding.manual);
}

// Dictionaries of arguments or results of a function.
static pod_status_t collect_list(gspmd_t *gspmd, const mlir_op_t *op, const char *name) {
  const mlir_attr_t *list = mlir_op_attr(op, name);
  for (int64_t i = 0; mlir_attr_is(list, MLIR_ATTR_ARRAY) && i < list->count; i++) {
    const mlir_attr_t *entry = list->elements[i];
    const mlir_attr_t *attr = mlir_attr_is(entry, MLIR_ATTR_DICTIONARY)
                                  ? mlir_attr_get(entry, attr_name)
                                  : NULL;
    if (attr != NULL) {
      POD_TRY(collect(gspmd, op, attr));
    }
  }
  return NULL;
}

// A tuple of shardings is a hint about an operation of several results.
static bool is_tuple(const mlir_attr_t *attr) {
  return mlir_attr_is(attr, MLIR_ATTR_STRING) && strncmp(attr->text, "{{", 2) == 0;
}

static pod_status_t collect_all(gspmd_t *gspmd) {
  const mlir_op_t *root = gspmd->module->op;
  const char *const func = mlir_intern(gspmd->module, "func.func"), *const mesh =
                                                                        mlir_intern(
                                                                            gspmd->module,
                                                                            "sdy.mesh");
  for (mlir_op_t *op = walk_first(root); op != NULL; op = walk_next(root, op)) {
    const mlir_attr_t *attr = mlir_op_attr(op, attr_name);
    if (op->name == func) {
      POD_TRY(collect_list(gspmd, op, "arg_attrs"));
      POD_TRY(collect_list(gspmd, op, "res_attrs"));
    } else if (op->name == mesh) {
      gspmd->is_used = false;
      return NULL;
    } else if (attr != NULL && !is_tuple(attr)) {
      POD_TRY(collect(gspmd, op, attr));
    }
  }
  // Manual computations need a mesh where no string names devices.
  const mlir_attr_t *count = mlir_op_attr(root, "mhlo.num_partitions");
  if (gspmd->device_count == 0 && mlir_attr_is(count, MLIR_ATTR_INTEGER) &&
      count->integer > 1 && count->integer <= SHARDING_DEVICES_MAX) {
    gspmd->device_count = count->integer;
    POD_TRY(add_cut(gspmd, root, 1));
    POD_TRY(add_cut(gspmd, root, gspmd->device_count));
  }
  return NULL;
}

static void emit_mesh(gspmd_t *gspmd) {
  mlir_module_t *module = gspmd->module;
  mlir_op_t *op =
      mlir_op_create(module, mlir_intern(module, "sdy.mesh"), 0, NULL, 0, NULL, 0);
  pod_text_t text = {0};
  pod_text_add(&text, "[");
  for (int i = 0; i + 1 < gspmd->cut_count; i++) {
    pod_text_printf(&text, "%s\"axis_%d\"=%" PRId64, i > 0 ? ", " : "", i,
                    gspmd->cuts[i + 1] / gspmd->cuts[i]);
  }
  pod_text_add(&text, "]");
  mlir_op_set_attr(module, op, mlir_intern(module, "sym_name"),
                   mlir_attr_string(module, "gspmd_mesh"));
  mlir_op_set_attr(module, op, mlir_intern(module, "mesh"),
                   mlir_attr_dialect(module, "sdy.mesh", text.bytes));
  pod_text_deinit(&text);
  mlir_block_insert_before(mlir_op_block(module->op, 0)->first, op);
}

// --- Shardings ---

static void print_axes(pod_text_t *text, const gspmd_t *gspmd,
                       const gspmd_digits_t *digits) {
  bool is_first = true;
  pod_text_add(text, "{");
  for (int i = 0; i < digits->count; i++) {
    const gspmd_digit_t digit = digits->digits[i];
    for (int axis = 0; axis + 1 < gspmd->cut_count; axis++) {
      if (gspmd->cuts[axis] >= digit.pre && gspmd->cuts[axis] < digit.pre * digit.size) {
        pod_text_printf(text, "%s\"axis_%d\"", is_first ? "" : ", ", axis);
        is_first = false;
      }
    }
  }
}

// `@mesh, [{"axis_0"}, {?}]` for an array of `rank`; bit d of `open`: dimension d is left
// to propagation.
static void print_sharding(pod_text_t *text, const gspmd_t *gspmd,
                           const gspmd_sharding_t *sharding, int rank, uint32_t open) {
  static const gspmd_digits_t none = {0};
  pod_text_add(text, "@gspmd_mesh, [");
  for (int d = 0; d < rank; d++) {
    const bool is_open = (open >> d & 1) != 0;
    const gspmd_digits_t *digits =
        d < sharding->rank && !is_open ? &sharding->dims[d] : &none;
    pod_text_add(text, d > 0 ? ", " : "");
    print_axes(text, gspmd, digits);
    pod_text_add(text, is_open ? "?}" : "}");
  }
  pod_text_add(text, "]");
}

static pod_status_t check_rank(gspmd_t *gspmd, const mlir_op_t *op,
                               const gspmd_sharding_t *sharding,
                               const mlir_type_t *type) {
  if (type->kind != MLIR_TYPE_TENSOR ||
      (sharding->device_count > 0 && sharding->rank != type->shape.rank)) {
    return mlir_op_error(gspmd->module, op, POD_INVALID_ARGUMENT,
                         "its sharding has %d dimensions, what it is for has %d",
                         sharding->rank,
                         type->kind == MLIR_TYPE_TENSOR ? type->shape.rank : 0);
  }
  return NULL;
}

// NULL for a value that is manual, or where there is no mesh.
static pod_status_t translate(gspmd_t *gspmd, const mlir_op_t *op,
                              const mlir_attr_t *attr, const mlir_type_t *type,
                              uint32_t open, const mlir_attr_t **out) {
  gspmd_sharding_t sharding;
  *out = NULL;
  POD_TRY(parse_at(gspmd, op, attr, &sharding));
  POD_TRY(check_rank(gspmd, op, &sharding, type));
  if (sharding.is_manual || sharding.manual.count > 0 || gspmd->device_count == 0) {
    return NULL;
  }
  pod_text_t text = {0};
  print_sharding(&text, gspmd, &sharding, type->shape.rank, open);
  *out = mlir_attr_dialect(gspmd->module, "sdy.sharding", text.bytes);
  pod_text_deinit(&text);
  return NULL;
}

// The dictionaries of a function's arguments or results.
static pod_status_t translate_list(gspmd_t *gspmd, mlir_op_t *op, const char *name,
                                   int type_count, const mlir_type_t *const *types) {
  mlir_module_t *module = gspmd->module;
  const mlir_attr_t *list = mlir_op_attr(op, name);
  if (!mlir_attr_is(list, MLIR_ATTR_ARRAY) || list->count > type_count) {
    return NULL;
  }
  const mlir_attr_t **entries =
      pod_arena_array(module->arena, (size_t)list->count, sizeof(entries[0]));
  for (int64_t i = 0; i < list->count; i++) {
    const mlir_attr_t *entry = entries[i] = list->elements[i];
    if (!mlir_attr_is(entry, MLIR_ATTR_DICTIONARY) ||
        mlir_attr_get(entry, attr_name) == NULL) {
      continue;
    }
    mlir_named_attr_t *named =
        pod_arena_array(module->arena, (size_t)entry->count, sizeof(named[0]));
    int64_t count = 0;
    for (int64_t j = 0; j < entry->count; j++) {
      const mlir_attr_t *value = entry->entries[j].value;
      named[count] = entry->entries[j];
      if (strcmp(entry->entries[j].name, attr_name) == 0) {
        POD_TRY(translate(gspmd, op, value, types[i], 0, &value));
        named[count] = (mlir_named_attr_t){mlir_intern(module, "sdy.sharding"), value};
      }
      count += value != NULL;
    }
    entries[i] = mlir_attr_dictionary(module, count, named);
  }
  mlir_op_set_attr(module, op, mlir_intern(module, name),
                   mlir_attr_array(module, list->count, entries));
  return NULL;
}

static pod_status_t translate_function(gspmd_t *gspmd, mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "function_type");
  if (!mlir_attr_is(attr, MLIR_ATTR_TYPE) || attr->type->kind != MLIR_TYPE_FUNCTION) {
    return NULL;
  }
  const mlir_type_t *type = attr->type;
  POD_TRY(translate_list(gspmd, op, "arg_attrs", type->input_count, type->inputs));
  return translate_list(gspmd, op, "res_attrs", type->result_count, type->results);
}

// backend_config = "unspecified_dims=[0,1]"
static uint32_t open_dims(const mlir_op_t *op) {
  static const char *const key = "unspecified_dims=[";
  const mlir_attr_t *config = mlir_op_attr(op, "backend_config");
  const char *at =
      mlir_attr_is(config, MLIR_ATTR_STRING) ? strstr(config->text, key) : NULL;
  uint32_t open = 0;
  unsigned dim = 0;
  for (at = at == NULL ? "" : at + strlen(key); *at != '\0' && *at != ']'; at++) {
    const bool is_digit = *at >= '0' && *at <= '9';
    dim = is_digit && dim < TENSOR_RANK_MAX ? 10 * dim + (unsigned)(*at - '0') : 0;
    if (is_digit && (at[1] < '0' || at[1] > '9') && dim < TENSOR_RANK_MAX) {
      open |= 1U << dim;
      dim = 0;
    }
  }
  return open;
}

// Sizes that are open on one side count as the other's.
static bool types_agree(const mlir_type_t *a, const mlir_type_t *b) {
  if (a->kind != MLIR_TYPE_TENSOR || b->kind != MLIR_TYPE_TENSOR) {
    return mlir_type_equal(a, b);
  }
  bool agree = a->shape.rank == b->shape.rank && a->shape.dtype == b->shape.dtype;
  for (int d = 0; agree && d < a->shape.rank; d++) {
    agree = a->shape.dims[d] == b->shape.dims[d] || a->shape.dims[d] == TENSOR_DYNAMIC ||
            b->shape.dims[d] == TENSOR_DYNAMIC;
  }
  return agree;
}

// Of a shard it says nothing; the type of its operand is then that of the whole already.
static pod_status_t translate_constraint(gspmd_t *gspmd, mlir_op_t *op) {
  const mlir_op_t *source = op->operands[0]->op;
  const bool is_shard =
      source != NULL && strcmp(source->name, "sdy.manual_computation") == 0;
  const mlir_attr_t *sharding;
  if (!is_shard && !types_agree(op->operands[0]->type, op->results[0].type)) {
    return mlir_op_error(gspmd->module, op, POD_INVALID_ARGUMENT,
                         "its operand and its result have different types");
  }
  POD_TRY(translate(gspmd, op, mlir_op_attr(op, attr_name), op->results[0].type,
                    open_dims(op), &sharding));
  mlir_value_t *by = op->operands[0];
  if (sharding != NULL) {
    mlir_op_t *constraint = mlir_op_create(
        gspmd->module, mlir_intern(gspmd->module, "sdy.sharding_constraint"), 1,
        op->operands, 1, &op->results[0].type, 0);
    constraint->position = op->position;
    constraint->location = op->location;
    mlir_op_set_attr(gspmd->module, constraint, mlir_intern(gspmd->module, "sharding"),
                     sharding);
    mlir_block_insert_before(op, constraint);
    by = &constraint->results[0];
    by->name = op->results[0].name;
  }
  replacements_put(&gspmd->replacements, &op->results[0], by);
  mlir_op_unlink(op);
  return NULL;
}

// --- Manual computations ---

// What turns result `value` of a call back into a whole array; through @Sharding
// {manual}.
static mlir_op_t *find_back(const mlir_op_t *call, const mlir_value_t *value) {
  for (mlir_op_t *op = call->next; op != NULL; op = op->next) {
    if (op->operand_count == 1 && op->operands[0] == value) {
      if (is_call_of(op, "Sharding")) {
        value = &op->results[0];
      } else if (is_call_of(op, "SPMDShardToFullShape")) {
        return op;
      }
    }
  }
  return NULL;
}

// {"axis_0", "axis_1"}: what the string on SPMDFullToShardShape says is manual.
static pod_status_t manual_axes(gspmd_t *gspmd, const mlir_op_t *op,
                                const mlir_attr_t **out) {
  gspmd_sharding_t sharding;
  POD_TRY(parse_at(gspmd, op, mlir_op_attr(op, attr_name), &sharding));
  gspmd_digits_t digits = sharding.manual;
  if (sharding.is_manual) {
    digits = (gspmd_digits_t){.count = gspmd->device_count > 1,
                              .digits = {{1, gspmd->device_count}}};
  }
  pod_text_t text = {0};
  print_axes(&text, gspmd, &digits);
  pod_text_add(&text, "}");
  *out = mlir_attr_dialect(gspmd->module, "sdy.manual_axes", text.bytes);
  pod_text_deinit(&text);
  return NULL;
}

static const mlir_attr_t *list_shardings(gspmd_t *gspmd, int count,
                                         const mlir_attr_t *const *shardings,
                                         mlir_value_t *const *values) {
  static const gspmd_sharding_t replicated = {0};
  pod_text_t text = {0};
  pod_text_add(&text, "[");
  for (int i = 0; i < count; i++) {
    pod_text_add(&text, i > 0 ? ", <" : "<");
    if (shardings[i] != NULL) {
      pod_text_add(&text, shardings[i]->body);
    } else {
      print_sharding(&text, gspmd, &replicated, values[i]->type->shape.rank, 0);
    }
    pod_text_add(&text, ">");
  }
  pod_text_add(&text, "]");
  const mlir_attr_t *attr =
      mlir_attr_dialect(gspmd->module, "sdy.sharding_per_value", text.bytes);
  pod_text_deinit(&text);
  return attr;
}

typedef struct manual_t {
  mlir_value_t **inputs;  // Whole.
  const mlir_attr_t **in_shardings;
  mlir_op_t **backs;  // SPMDShardToFullShape of each result.
  mlir_value_t **outputs;
  const mlir_attr_t **out_shardings;
  const mlir_type_t **types;  // Of the whole results.
  const mlir_attr_t *axes;
} manual_t;

// Beside the shards a call may take the values of symbolic sizes: scalar integers, which
// are no shards.
static bool is_size(const mlir_value_t *value) {
  return value->type->kind == MLIR_TYPE_TENSOR && value->type->shape.rank == 0 &&
         chip_is_integral(value->type->shape.dtype) &&
         !is_call_of(value->op, "SPMDFullToShardShape");
}

static pod_status_t read_manual(gspmd_t *gspmd, const mlir_op_t *call, manual_t *out) {
  pod_arena_t *arena = gspmd->module->arena;
  const size_t operands = (size_t)call->operand_count;
  const size_t results = (size_t)call->result_count;
  manual_t manual = {.inputs = pod_arena_array(arena, operands, sizeof(void *)),
                     .in_shardings = pod_arena_array(arena, operands, sizeof(void *)),
                     .backs = pod_arena_array(arena, results, sizeof(void *)),
                     .outputs = pod_arena_array(arena, results, sizeof(void *)),
                     .out_shardings = pod_arena_array(arena, results, sizeof(void *)),
                     .types = pod_arena_array(arena, results, sizeof(void *))};
  for (int i = 0; i < call->operand_count; i++) {
    const mlir_op_t *op = call->operands[i]->op;
    if (is_size(call->operands[i])) {
      manual.inputs[i] = call->operands[i];
      continue;
    }
    if (!is_call_of(op, "SPMDFullToShardShape")) {
      return mlir_op_error(gspmd->module, call, POD_UNIMPLEMENTED,
                           "operand %d is no shard (SPMDFullToShardShape); others are",
                           i);
    }
    POD_TRY(manual_axes(gspmd, op, &manual.axes));
    manual.inputs[i] = op->operands[0];
    const mlir_op_t *source = op->operands[0]->op;
    if (source != NULL && strcmp(source->name, "sdy.sharding_constraint") == 0) {
      manual.in_shardings[i] = mlir_op_attr(source, "sharding");
    }
  }
  for (int i = 0; i < call->result_count; i++) {
    mlir_op_t *back = manual.backs[i] = find_back(call, &call->results[i]);
    if (back == NULL) {
      return mlir_op_error(gspmd->module, call, POD_UNIMPLEMENTED,
                           "result %d is a shard that no SPMDShardToFullShape of this "
                           "block makes whole",
                           i);
    }
    manual.outputs[i] = &back->results[0];
    manual.types[i] = back->results[0].type;
    POD_TRY(translate(gspmd, back, mlir_op_attr(back, attr_name), manual.types[i], 0,
                      &manual.out_shardings[i]));
  }
  *out = manual;
  return NULL;
}

static pod_status_t translate_call(gspmd_t *gspmd, mlir_op_t *call) {
  mlir_module_t *module = gspmd->module;
  manual_t manual = {0};
  POD_TRY(read_manual(gspmd, call, &manual));
  if (gspmd->device_count == 0) {  // One device: its shards are whole.
    for (int i = 0; i < call->operand_count; i++) {
      call->operands[i] = manual.inputs[i];
    }
    return NULL;
  }
  mlir_op_t *op = manual_call(module, call, manual.inputs, manual.types);
  mlir_op_set_attr(
      module, op, mlir_intern(module, "in_shardings"),
      list_shardings(gspmd, call->operand_count, manual.in_shardings, manual.inputs));
  mlir_op_set_attr(
      module, op, mlir_intern(module, "out_shardings"),
      list_shardings(gspmd, call->result_count, manual.out_shardings, manual.outputs));
  mlir_op_set_attr(module, op, mlir_intern(module, "manual_axes"), manual.axes);
  for (int i = 0; i < call->result_count; i++) {
    replacements_put(&gspmd->replacements, &call->results[i], &op->results[i]);
  }
  mlir_op_unlink(call);
  return NULL;
}

// --- The walk ---

static bool takes_shards(const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    if (is_call_of(op->operands[i]->op, "SPMDFullToShardShape")) {
      return true;
    }
  }
  return false;
}

// The shard is made by the manual computation, which has become of the call.
static pod_status_t translate_back(gspmd_t *gspmd, mlir_op_t *op) {
  const mlir_op_t *source = op->operands[0]->op;
  if (!types_agree(op->operands[0]->type, op->results[0].type) ||
      (gspmd->device_count > 0 &&
       (source == NULL || strcmp(source->name, "sdy.manual_computation") != 0))) {
    return mlir_op_error(gspmd->module, op, POD_UNIMPLEMENTED,
                         "its operand is no result of a call on shards "
                         "(SPMDFullToShardShape)");
  }
  replacements_put(&gspmd->replacements, &op->results[0], op->operands[0]);
  mlir_op_unlink(op);
  return NULL;
}

static pod_status_t translate_op(gspmd_t *gspmd, mlir_op_t *op) {
  if (strcmp(op->name, "func.func") == 0) {
    return translate_function(gspmd, op);
  }
  if (strcmp(op->name, "func.call") == 0) {
    return takes_shards(op) ? translate_call(gspmd, op) : NULL;
  }
  if (takes_shards(op)) {
    return mlir_op_error(gspmd->module, op, POD_UNIMPLEMENTED,
                         "takes a shard (SPMDFullToShardShape) outside of a function "
                         "that is called on shards");
  }
  const mlir_attr_t *attr = mlir_op_attr(op, attr_name);
  if (attr == NULL) {
    return NULL;
  }
  if (is_call_of(op, "Sharding")) {
    return translate_constraint(gspmd, op);
  }
  if (is_call_of(op, "SPMDFullToShardShape")) {
    mlir_op_unlink(op);  // The call that takes the shard finds it.
    return NULL;
  }
  if (is_call_of(op, "SPMDShardToFullShape")) {
    return translate_back(gspmd, op);
  }
  if (op->result_count == 1 && !is_tuple(attr)) {
    POD_TRY(translate(gspmd, op, attr, op->results[0].type, 0, &attr));
    if (attr != NULL) {
      mlir_op_set_attr(gspmd->module, op, mlir_intern(gspmd->module, "sdy.sharding"),
                       attr);
    }
  }
  mlir_op_remove_attr(op, attr_name);
  return NULL;
}

pod_status_t gspmd_expand(mlir_module_t *module) {
  if (!mlir_may_have(module, attr_name)) {
    return NULL;
  }
  gspmd_t gspmd = {.module = module};
  POD_TRY(collect_all(&gspmd));
  if (!gspmd.is_used) {
    return NULL;
  }
  if (gspmd.device_count > 1) {
    emit_mesh(&gspmd);
  } else {
    gspmd.device_count = 0;
  }
  pod_status_t status = NULL;
  mlir_op_t *next;
  for (mlir_op_t *op = walk_first(module->op); op != NULL && status == NULL; op = next) {
    replacements_apply(&gspmd.replacements, op);
    next = walk_next(module->op, op);
    status = translate_op(&gspmd, op);
  }
  replacements_deinit(&gspmd.replacements);
  return status;
}
