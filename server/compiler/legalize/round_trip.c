// Shardy's own serial form: custom calls @xla.sdy.* and dictionaries of strings in
// mhlo.frontend_attributes (shardy/round_trip_import in openxla/xla) become the
// operations and attributes that they stand for.

#include "server/compiler/legalize/round_trip.h"
#include "server/compiler/dialect/kinds.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/parser.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/rule.h"
#include "server/compiler/legalize/manual_call.h"

static const char *const frontend = "mhlo.frontend_attributes";

typedef struct importer_t {
  mlir_module_t *module;
  mlir_replacements_t replacements;
} importer_t;

static const mlir_attr_t *frontend_of(const mlir_attr_t *dictionary, const char *name) {
  if (!mlir_attr_is(dictionary, MLIR_ATTR_DICTIONARY)) {
    return NULL;
  }
  const mlir_attr_t *attr = mlir_attr_get(dictionary, name);
  return mlir_attr_is(attr, MLIR_ATTR_STRING) ? attr : NULL;
}

// What "xla.sdy.ShardingGroup" or "local_xla.sdy.…" names; NULL for other operations.
static const char *target_of(const mlir_op_t *op) {
  const mlir_attr_t *target =
      op->kind == KIND_CUSTOM_CALL ? mlir_op_attr(op, "call_target_name") : NULL;
  const char *text = mlir_attr_is(target, MLIR_ATTR_STRING) ? target->text : NULL;
  const char *at = text == NULL ? NULL : strstr(text, "xla.sdy.");
  return at == NULL ? NULL : at + strlen("xla.sdy.");
}

static bool is_call_of(const mlir_op_t *op, const char *target) {
  const char *name = op == NULL ? NULL : target_of(op);
  return name != NULL && strcmp(name, target) == 0;
}

// --- Attributes in strings ---

// The attribute that a string spells. Quotes in it may still be escaped.
static pod_status_t parse_string(importer_t *importer, const mlir_op_t *op,
                                 const mlir_attr_t *string, const mlir_attr_t **out) {
  pod_text_t text = {0};
  pod_text_add(&text, "module attributes {a = ");
  for (int64_t i = 0; i < string->length; i++) {
    const bool is_escape =
        string->text[i] == '\\' && i + 1 < string->length && string->text[i + 1] == '"';
    if (!is_escape) {
      pod_text_add_bytes(&text, string->text + i, 1);
    }
  }
  pod_text_add(&text, "} {}");
  mlir_module_t *parsed = NULL;
  pod_status_t status =
      mlir_parse("frontend attribute", text.bytes, (int64_t)text.length, NULL, &parsed);
  pod_text_deinit(&text);
  if (status == NULL && parsed->value_count > 0) {
    status = pod_error(POD_INVALID_ARGUMENT, "it holds operations");
  }
  if (status != NULL) {
    const pod_status_t placed =
        mlir_op_error(importer->module, op, POD_INVALID_ARGUMENT,
                      "has a frontend attribute of Shardy's that is none: %s",
                      pod_status_message(status));
    pod_status_free(status);
    mlir_module_destroy(parsed);
    return placed;
  }
  const mlir_op_t *copy = mlir_op_clone(importer->module, parsed->op, NULL);
  *out = mlir_op_attr(copy, "a");
  mlir_module_destroy(parsed);
  return NULL;
}

// Of an operation or, as its dictionary, of an argument; NULL in *out without one.
static pod_status_t read_attr(importer_t *importer, const mlir_op_t *op,
                              const mlir_attr_t *dictionary, const char *name,
                              const mlir_attr_t **out) {
  const mlir_attr_t *string = frontend_of(dictionary, name);
  *out = NULL;
  return string == NULL ? NULL : parse_string(importer, op, string, out);
}

// --- Meshes ---

static pod_status_t import_meshes(importer_t *importer) {
  mlir_module_t *module = importer->module;
  const mlir_attr_t *meshes;
  POD_TRY(read_attr(importer, module->op, mlir_op_attr(module->op, frontend),
                    "xla.sdy.meshes", &meshes));
  mlir_block_t *block = mlir_op_block(module->op, 0);
  if (!mlir_attr_is(meshes, MLIR_ATTR_DICTIONARY) || block == NULL ||
      block->first == NULL) {
    return NULL;
  }
  mlir_op_t *first = block->first;
  for (int64_t i = 0; i < meshes->count; i++) {
    if (mlir_module_find_symbol(module, meshes->entries[i].name) != NULL) {
      continue;
    }
    mlir_op_t *mesh =
        mlir_op_create(module, mlir_intern(module, "sdy.mesh"), 0, NULL, 0, NULL, 0);
    mesh->position = module->op->position;
    mlir_op_set_attr(module, mesh, mlir_intern(module, "sym_name"),
                     mlir_attr_string(module, meshes->entries[i].name));
    mlir_op_set_attr(module, mesh, mlir_intern(module, "mesh"), meshes->entries[i].value);
    mlir_block_insert_before(first, mesh);
  }
  return NULL;
}

// --- Functions ---

// arg_attrs or res_attrs with sdy.sharding where entry `index` shall have one.
static void set_sharding(importer_t *importer, mlir_op_t *function, const char *list_name,
                         int64_t count, int64_t index, const mlir_attr_t *sharding) {
  mlir_module_t *module = importer->module;
  const mlir_attr_t *list = mlir_op_attr(function, list_name);
  const mlir_attr_t **elements =
      pod_arena_array(module->arena, (size_t)count + 1, sizeof(elements[0]));
  for (int64_t i = 0; i < count; i++) {
    elements[i] = mlir_attr_is(list, MLIR_ATTR_ARRAY) && i < list->count
                      ? list->elements[i]
                      : mlir_attr_dictionary(module, 0, NULL);
  }
  const mlir_attr_t *old = elements[index];
  const int64_t old_count = mlir_attr_is(old, MLIR_ATTR_DICTIONARY) ? old->count : 0;
  mlir_named_attr_t *entries =
      pod_arena_array(module->arena, (size_t)old_count + 1, sizeof(entries[0]));
  int64_t kept = 0;
  for (int64_t i = 0; i < old_count; i++) {
    if (strcmp(old->entries[i].name, "sdy.sharding") != 0) {
      entries[kept++] = old->entries[i];
    }
  }
  entries[kept++] = (mlir_named_attr_t){mlir_intern(module, "sdy.sharding"), sharding};
  elements[index] = mlir_attr_dictionary(module, kept, entries);
  mlir_op_set_attr(module, function, mlir_intern(module, list_name),
                   mlir_attr_array(module, count, elements));
}

static pod_status_t import_list(importer_t *importer, mlir_op_t *function,
                                const char *list_name) {
  const mlir_attr_t *list = mlir_op_attr(function, list_name);
  for (int64_t i = 0; mlir_attr_is(list, MLIR_ATTR_ARRAY) && i < list->count; i++) {
    const mlir_attr_t *sharding;
    const mlir_attr_t *entry = list->elements[i];
    const mlir_attr_t *inner =
        mlir_attr_is(entry, MLIR_ATTR_DICTIONARY) ? mlir_attr_get(entry, frontend) : NULL;
    POD_TRY(read_attr(importer, function, inner, "xla.sdy.sharding", &sharding));
    if (sharding != NULL) {
      set_sharding(importer, function, list_name, list->count, i, sharding);
    }
  }
  return NULL;
}

// --- Rules ---

// How a custom call can be cut, and how its results lie.
static pod_status_t import_rule(importer_t *importer, mlir_op_t *op) {
  static const struct {
    const char *frontend, *name;
  } rows[] = {{"xla.sdy.sharding_rule", COMPILER_RULE_ATTR},
              {"xla.sdy.sharding", "sdy.sharding"}};
  for (size_t i = 0; i < POD_COUNT_OF(rows); i++) {
    const mlir_attr_t *attr;
    POD_TRY(read_attr(importer, op, mlir_op_attr(op, frontend), rows[i].frontend, &attr));
    if (attr != NULL && mlir_op_attr(op, rows[i].name) == NULL) {
      mlir_op_set_attr(importer->module, op, mlir_intern(importer->module, rows[i].name),
                       attr);
    }
  }
  return NULL;
}

// --- Constraints and results ---

static pod_status_t import_constraint(importer_t *importer, mlir_op_t *op) {
  mlir_module_t *module = importer->module;
  const mlir_attr_t *sharding;
  if (op->operand_count != 1 || op->result_count != 1) {
    return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                         "takes and gives several values; one is supported");
  }
  POD_TRY(
      read_attr(importer, op, mlir_op_attr(op, frontend), "xla.sdy.sharding", &sharding));
  if (sharding == NULL) {
    return NULL;
  }
  // What is only returned gives the result its sharding.
  mlir_op_t *end = op->block->last;
  for (int i = 0; i < end->operand_count && end->kind == KIND_FUNC_RETURN &&
                  is_call_of(op, "FuncResultSharding");
       i++) {
    if (end->operands[i] == &op->results[0]) {
      set_sharding(importer, walk_parent(end), "res_attrs", end->operand_count, i,
                   sharding);
    }
  }
  const mlir_type_t *type = op->results[0].type;
  mlir_op_t *constraint =
      mlir_op_create(module, mlir_intern(module, "sdy.sharding_constraint"), 1,
                     op->operands, 1, &type, 0);
  constraint->position = op->position;
  constraint->location = op->location;
  constraint->results[0].name = op->results[0].name;
  mlir_op_set_attr(module, constraint, mlir_intern(module, "sharding"), sharding);
  mlir_block_insert_before(op, constraint);
  mlir_replacements_put(&importer->replacements, &op->results[0],
                        &constraint->results[0]);
  mlir_op_unlink(op);
  return NULL;
}

// --- Manual computations ---

static bool is_body_call(const mlir_op_t *op) {
  const mlir_attr_t *callee = op->kind == KIND_CALL ? mlir_op_attr(op, "callee") : NULL;
  return mlir_attr_is(callee, MLIR_ATTR_SYMBOL) &&
         strstr(callee->text, "xla.sdy.manual_computation_body") != NULL;
}

// The custom call that makes whole what the body returns, or NULL.
static mlir_op_t *find_back(const mlir_op_t *call) {
  for (mlir_op_t *op = call->next; op != NULL; op = op->next) {
    if (op->operand_count > 0 && op->operands[0]->op == call &&
        is_call_of(op, "LocalToGlobalShape")) {
      return op;
    }
  }
  return NULL;
}

// An attribute of the call, or of the custom call before or behind it.
static pod_status_t manual_attr(importer_t *importer, const mlir_op_t *call,
                                const mlir_op_t *other, const char *name,
                                const mlir_attr_t **out) {
  POD_TRY(read_attr(importer, call, mlir_op_attr(call, frontend), name, out));
  if (*out == NULL && other != NULL) {
    POD_TRY(read_attr(importer, other, mlir_op_attr(other, frontend), name, out));
  }
  return NULL;
}

static pod_status_t check_ends(importer_t *importer, const mlir_op_t *call,
                               const mlir_op_t *before, const mlir_op_t *back) {
  bool fits = before == NULL ? call->operand_count == 0
                             : before->operand_count == call->operand_count &&
                                   before->result_count == call->operand_count;
  for (int i = 0; fits && i < call->operand_count; i++) {
    fits = call->operands[i] == &before->results[i];
  }
  fits = fits && (back == NULL ? call->result_count == 0
                               : back->operand_count == call->result_count &&
                                     back->result_count == call->result_count);
  for (int i = 0; fits && i < call->result_count; i++) {
    fits = back->operands[i] == &call->results[i];
  }
  return fits
             ? NULL
             : mlir_op_error(importer->module, call, POD_UNIMPLEMENTED,
                             "a manual computation must take what one "
                             "@xla.sdy.GlobalToLocalShape gives, all of it in order, and "
                             "give all that one @xla.sdy.LocalToGlobalShape takes");
}

static pod_status_t import_manual(importer_t *importer, mlir_op_t *call) {
  static const char *const names[] = {"in_shardings", "out_shardings", "manual_axes"};
  mlir_module_t *module = importer->module;
  mlir_op_t *before = call->operand_count > 0 ? call->operands[0]->op : NULL;
  before = is_call_of(before, "GlobalToLocalShape") ? before : NULL;
  mlir_op_t *back = find_back(call);
  POD_TRY(check_ends(importer, call, before, back));
  const size_t count = (size_t)call->result_count;
  const mlir_type_t **types = pod_arena_array(module->arena, count + 1, sizeof(types[0]));
  for (int i = 0; i < call->result_count; i++) {
    types[i] = back->results[i].type;
  }
  mlir_op_t *manual =
      manual_call(module, call, before == NULL ? NULL : before->operands, types);
  for (int i = 0; i < 3; i++) {
    char name[32] = "xla.sdy.";
    strcat(name, names[i]);
    const mlir_attr_t *attr;
    POD_TRY(manual_attr(importer, call, i == 1 ? back : before, name, &attr));
    if (attr == NULL && i == 2 && back != NULL) {
      POD_TRY(manual_attr(importer, call, back, name, &attr));
    }
    if (attr == NULL) {
      attr = i == 2 ? mlir_attr_dialect(module, "sdy.manual_axes", "{}")
                    : mlir_attr_dialect(module, "sdy.sharding_per_value", "[]");
    }
    mlir_op_set_attr(module, manual, mlir_intern(module, names[i]), attr);
  }
  for (int i = 0; i < call->result_count; i++) {
    mlir_replacements_put(&importer->replacements, &back->results[i],
                          &manual->results[i]);
  }
  mlir_op_unlink(call);
  if (before != NULL) {
    mlir_op_unlink(before);
  }
  return NULL;
}

// --- The walk ---

// What propagation is told of, and no value depends on: the operation of Shardy's, its
// attribute, and the string that spells it.
typedef struct hint_t {
  const char *target, *op_name, *attr_name, *string_name;
} hint_t;

static const hint_t *find_hint(const char *target) {
  static const hint_t hints[] = {
      {"PropagationBarrier", "sdy.propagation_barrier", "allowed_direction",
       "xla.sdy.allowed_direction"},
      {"ShardingGroup", "sdy.sharding_group", "group_id", "xla.sdy.sharding_group_id"},
  };
  for (size_t i = 0; i < POD_COUNT_OF(hints); i++) {
    if (strcmp(target, hints[i].target) == 0) {
      return &hints[i];
    }
  }
  return NULL;
}

// A group has no result, though some exporters give it an empty tuple.
static pod_status_t import_hint(importer_t *importer, mlir_op_t *op, const hint_t *hint) {
  mlir_module_t *module = importer->module;
  const bool is_group = strcmp(hint->op_name, "sdy.sharding_group") == 0;
  const mlir_attr_t *attr;
  POD_TRY(read_attr(importer, op, mlir_op_attr(op, frontend), hint->string_name, &attr));
  if (attr == NULL || op->operand_count != 1 || op->result_count > 1 ||
      (op->result_count == 0 && !is_group)) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                         "expected one operand and the frontend attribute '%s'",
                         hint->string_name);
  }
  const mlir_type_t *type = op->operands[0]->type;
  mlir_op_t *made = mlir_op_create(module, mlir_intern(module, hint->op_name), 1,
                                   op->operands, is_group ? 0 : 1, &type, 0);
  made->position = op->position;
  made->location = op->location;
  mlir_op_set_attr(module, made, mlir_intern(module, hint->attr_name), attr);
  mlir_block_insert_before(op, made);
  if (op->result_count == 1) {
    mlir_replacements_put(&importer->replacements, &op->results[0],
                          is_group ? op->operands[0] : &made->results[0]);
  }
  mlir_op_unlink(op);
  return NULL;
}

static pod_status_t import_call(importer_t *importer, mlir_op_t *op, const char *target) {
  if (strcmp(target, "FuncResultSharding") == 0) {
    return import_constraint(importer, op);
  }
  const hint_t *hint = find_hint(target);
  if (hint != NULL) {
    return import_hint(importer, op, hint);
  }
  if (strcmp(target, "LocalToGlobalShape") == 0) {
    // The manual computation, which has become of the call, gives the whole values.
    for (int i = 0; i < op->result_count; i++) {
      if (mlir_replacements_resolve(&importer->replacements, &op->results[i]) ==
          &op->results[i]) {
        return mlir_op_error(importer->module, op, POD_UNIMPLEMENTED,
                             "takes what is no result of a manual computation");
      }
    }
    mlir_op_unlink(op);
  }
  return NULL;  // GlobalToLocalShape goes with the call that takes its results.
}

// The local values on both sides of a body are gone with it.
static pod_status_t check_operands(importer_t *importer, const mlir_op_t *op) {
  if (is_call_of(op, "LocalToGlobalShape")) {
    return NULL;
  }
  for (int i = 0; i < op->operand_count; i++) {
    if (op->operands[i]->op != NULL && op->operands[i]->op->block == NULL) {
      return mlir_op_error(
          importer->module, op, POD_INVALID_ARGUMENT,
          "operand %d is local to a manual computation: only its body and "
          "@xla.sdy.LocalToGlobalShape may take it",
          i);
    }
  }
  return NULL;
}

static pod_status_t import_op(importer_t *importer, mlir_op_t *op) {
  if (op->kind == KIND_FUNC) {
    POD_TRY(import_list(importer, op, "arg_attrs"));
    return import_list(importer, op, "res_attrs");
  }
  if (is_body_call(op)) {
    return import_manual(importer, op);
  }
  const char *target = target_of(op);
  if (target != NULL) {
    return import_call(importer, op, target);
  }
  const mlir_attr_t *name = mlir_op_attr(op, "call_target_name");
  const bool is_constraint = op->kind == KIND_CUSTOM_CALL &&
                             mlir_attr_is(name, MLIR_ATTR_STRING) &&
                             strcmp(name->text, "Sharding") == 0;
  if (is_constraint) {
    return import_constraint(importer, op);
  }
  return op->kind == KIND_CUSTOM_CALL ? import_rule(importer, op) : NULL;
}

// Whether an operation may be something of Shardy's.
static bool may_be_ours(const mlir_op_t *op) {
  return op->kind == KIND_FUNC || op->kind == KIND_CALL || op->kind == KIND_CUSTOM_CALL;
}

static bool is_used(const mlir_module_t *module) {
  if (frontend_of(mlir_op_attr(module->op, frontend), "xla.sdy.meshes") != NULL) {
    return true;
  }
  for (const mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    if (may_be_ours(op) && target_of(op) != NULL) {
      return true;
    }
  }
  return false;
}

pod_status_t round_trip_import(mlir_module_t *module) {
  if (!is_used(module)) {
    return NULL;
  }
  importer_t importer = {.module = module};
  pod_status_t status = import_meshes(&importer);
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL && status == NULL;
       op = next) {
    mlir_replacements_apply(&importer.replacements, op);
    next = mlir_walk_next(module->op, op);
    status = check_operands(&importer, op);
    if (status == NULL && may_be_ours(op)) {
      status = import_op(&importer, op);
    }
  }
  mlir_replacements_deinit(&importer.replacements);
  return status;
}
