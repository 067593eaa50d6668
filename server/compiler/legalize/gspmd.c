// The device numbers of all shardings in the module are cut into common digits; each
// digit becomes an axis of one mesh, and every sharding a list of such axes. What cannot
// be digits of one mesh is UNIMPLEMENTED.

#include "server/compiler/legalize/gspmd.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "common/tensor/sharding.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/legalize/gspmd_private.h"

static const char *const attr_name = GSPMD_ATTR;

// --- Reading ---

pod_status_t gspmd_parse_at(gspmd_t *gspmd, const mlir_op_t *op, const mlir_attr_t *attr,
                            gspmd_sharding_t *out) {
  if (!mlir_attr_is(attr, MLIR_ATTR_STRING)) {
    return mlir_op_error(gspmd->module, op, POD_INVALID_ARGUMENT,
                         "'mhlo.sharding' must be a string");
  }
  const pod_status_t status = gspmd_read(attr->text, attr->length, out);
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
  const mlir_attr_t *target =
      op->kind == KIND_CUSTOM_CALL ? mlir_op_attr(op, "call_target_name") : NULL;
  return mlir_attr_is(target, MLIR_ATTR_STRING) ? target->text : "";
}

bool gspmd_is_call_of(const mlir_op_t *op, const char *target) {
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
  POD_TRY(gspmd_parse_at(gspmd, op, attr, &sharding));
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
  return mlir_attr_is(attr, MLIR_ATTR_STRING) && gspmd_is_tuple(attr->text, attr->length);
}

static pod_status_t collect_all(gspmd_t *gspmd) {
  const mlir_op_t *root = gspmd->module->op;
  for (mlir_op_t *op = mlir_walk_first(root); op != NULL; op = mlir_walk_next(root, op)) {
    const mlir_attr_t *attr = mlir_op_attr(op, attr_name);
    if (op->kind == KIND_FUNC) {
      POD_TRY(collect_list(gspmd, op, "arg_attrs"));
      POD_TRY(collect_list(gspmd, op, "res_attrs"));
    } else if (op->kind == KIND_SDY_MESH) {
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

uint32_t gspmd_axes(const gspmd_t *gspmd, const gspmd_digits_t *digits) {
  uint32_t axes = 0;
  for (int i = 0; i < digits->count; i++) {
    const gspmd_digit_t digit = digits->digits[i];
    for (int axis = 0; axis + 1 < gspmd->cut_count; axis++) {
      const int64_t cut = gspmd->cuts[axis];
      axes |= (uint32_t)(cut >= digit.pre && cut < digit.pre * digit.size) << axis;
    }
  }
  return axes;
}

// Major to minor. Returns whether there is any.
static bool print_axes(pod_text_t *text, const gspmd_t *gspmd,
                       const gspmd_digits_t *digits) {
  bool any = false;
  for (int i = 0; i < digits->count; i++) {
    const gspmd_digits_t one = {.count = 1, .digits = {digits->digits[i]}};
    const uint32_t axes = gspmd_axes(gspmd, &one);
    for (int axis = 0; axis + 1 < gspmd->cut_count; axis++) {
      if ((axes >> axis & 1) != 0) {
        pod_text_printf(text, "%s\"axis_%d\"", any ? ", " : "", axis);
        any = true;
      }
    }
  }
  return any;
}

// `@mesh, [{"axis_0"}, {?}]` for an array of `rank`; bit d of `open`: what else divides
// dimension d is left to propagation.
static void print_sharding(pod_text_t *text, const gspmd_t *gspmd,
                           const gspmd_sharding_t *sharding, int rank, uint32_t open) {
  static const gspmd_digits_t none = {0};
  pod_text_add(text, "@gspmd_mesh, [");
  for (int d = 0; d < rank; d++) {
    pod_text_add(text, d > 0 ? ", {" : "{");
    const bool any =
        print_axes(text, gspmd, d < sharding->rank ? &sharding->dims[d] : &none);
    pod_text_add(text, (open >> d & 1) == 0 ? "}" : any ? ", ?}" : "?}");
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

// NULL for a value that is manual or of which nothing is known, or where there is no
// mesh.
static pod_status_t translate(gspmd_t *gspmd, const mlir_op_t *op,
                              const mlir_attr_t *attr, const mlir_type_t *type,
                              uint32_t open, const mlir_attr_t **out) {
  gspmd_sharding_t sharding;
  *out = NULL;
  POD_TRY(gspmd_parse_at(gspmd, op, attr, &sharding));
  POD_TRY(check_rank(gspmd, op, &sharding, type));
  if (sharding.is_manual || sharding.is_unknown || gspmd->device_count == 0) {
    return NULL;
  }
  pod_text_t text = {0};
  print_sharding(&text, gspmd, &sharding, type->shape.rank, open);
  *out = mlir_attr_dialect(gspmd->module, "sdy.sharding", text.bytes);
  pod_text_deinit(&text);
  return NULL;
}

// `entry` with its GSPMD sharding of a value of `type` as Shardy's, or without it where
// it says nothing.
static pod_status_t translate_dictionary(gspmd_t *gspmd, mlir_op_t *op,
                                         const mlir_attr_t *entry,
                                         const mlir_type_t *type,
                                         const mlir_attr_t **out) {
  mlir_module_t *module = gspmd->module;
  mlir_named_attr_t *named =
      pod_arena_array(module->arena, (size_t)entry->count, sizeof(named[0]));
  int64_t count = 0;
  for (int64_t j = 0; j < entry->count; j++) {
    const mlir_attr_t *value = entry->entries[j].value;
    named[count] = entry->entries[j];
    if (strcmp(entry->entries[j].name, attr_name) == 0) {
      POD_TRY(translate(gspmd, op, value, type, 0, &value));
      named[count] = (mlir_named_attr_t){mlir_intern(module, "sdy.sharding"), value};
    }
    count += value != NULL;
  }
  *out = mlir_attr_dictionary(module, count, named);
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
    POD_TRY(translate_dictionary(gspmd, op, entry, types[i], &entries[i]));
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

bool gspmd_types_agree(const mlir_type_t *a, const mlir_type_t *b) {
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

// shard_as: the value is in a group.
static pod_status_t translate_group(gspmd_t *gspmd, mlir_op_t *op, mlir_value_t *value) {
  mlir_module_t *module = gspmd->module;
  gspmd_sharding_t sharding;
  POD_TRY(gspmd_parse_at(gspmd, op, mlir_op_attr(op, attr_name), &sharding));
  if (sharding.is_grouped && gspmd->device_count > 0) {
    mlir_op_t *group = mlir_op_create(module, mlir_intern(module, "sdy.sharding_group"),
                                      1, &value, 0, NULL, 0);
    group->position = op->position;
    group->location = op->location;
    mlir_op_set_attr(module, group, mlir_intern(module, "group_id"),
                     mlir_attr_integer(module, sharding.group_id, TENSOR_S64));
    mlir_block_insert_before(op, group);
  }
  return NULL;
}

pod_status_t gspmd_translate(gspmd_t *gspmd, const mlir_op_t *op, const mlir_type_t *type,
                             const mlir_attr_t **out) {
  return translate(gspmd, op, mlir_op_attr(op, attr_name), type, open_dims(op), out);
}

// Whether it leaves all to propagation, as JAX writes it of every value in a manual
// computation over some of the axes.
static bool says_nothing(gspmd_t *gspmd, const mlir_op_t *op) {
  gspmd_sharding_t sharding;
  const pod_status_t status =
      gspmd_parse_at(gspmd, op, mlir_op_attr(op, attr_name), &sharding);
  bool nothing = status == NULL && sharding.manual.count > 0;
  pod_status_free(status);
  for (int d = 0; nothing && d < sharding.rank; d++) {
    nothing = (open_dims(op) >> d & 1) != 0 && sharding.dims[d].count == 0;
  }
  return nothing;
}

static pod_status_t translate_constraint(gspmd_t *gspmd, mlir_op_t *op) {
  const mlir_attr_t *sharding;
  if (!gspmd_types_agree(op->operands[0]->type, op->results[0].type)) {
    return mlir_op_error(gspmd->module, op, POD_INVALID_ARGUMENT,
                         "its operand and its result have different types");
  }
  POD_TRY(gspmd_translate(gspmd, op, op->results[0].type, &sharding));
  mlir_value_t *by = op->operands[0];
  if (sharding != NULL && !says_nothing(gspmd, op)) {
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
  POD_TRY(translate_group(gspmd, op, by));
  mlir_replacements_put(&gspmd->replacements, &op->results[0], by);
  mlir_op_unlink(op);
  return NULL;
}

// --- The walk ---

// Where there is a mesh, manual computations have taken the place of what makes shards
// and whole arrays of each other; on one device they are the same.
static pod_status_t drop_shape_change(gspmd_t *gspmd, mlir_op_t *op) {
  if (!gspmd_types_agree(op->operands[0]->type, op->results[0].type)) {
    return mlir_op_error(gspmd->module, op, POD_INVALID_ARGUMENT,
                         "its operand and its result have different types on one device");
  }
  mlir_replacements_put(&gspmd->replacements, &op->results[0], op->operands[0]);
  mlir_op_unlink(op);
  return NULL;
}

static pod_status_t translate_op(gspmd_t *gspmd, mlir_op_t *op) {
  if (op->kind == KIND_FUNC) {
    return translate_function(gspmd, op);
  }
  const mlir_attr_t *attr = mlir_op_attr(op, attr_name);
  if (attr == NULL) {
    return NULL;
  }
  if (gspmd_is_call_of(op, "Sharding")) {
    return translate_constraint(gspmd, op);
  }
  if (gspmd_is_call_of(op, "SPMDFullToShardShape") ||
      gspmd_is_call_of(op, "SPMDShardToFullShape")) {
    return drop_shape_change(gspmd, op);
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
  pod_status_t status = gspmd.device_count > 0 ? gspmd_form_manual(&gspmd) : NULL;
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL && status == NULL;
       op = next) {
    mlir_replacements_apply(&gspmd.replacements, op);
    next = mlir_walk_next(module->op, op);
    status = translate_op(&gspmd, op);
  }
  mlir_replacements_deinit(&gspmd.replacements);
  return status;
}
