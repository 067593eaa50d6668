#include "server/compiler/legalize/given_values.h"

#include <ctype.h>
#include <stdlib.h>

#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/shardable.h"

static pod_status_t find(const mlir_op_t *main, const char *name, mlir_op_t **out_op) {
  char *end = NULL;
  const long long number = isdigit((unsigned char)*name) ? strtoll(name, &end, 10) : 0;
  mlir_op_t *op = NULL;
  long long at = 0;
  while (number > 0 && *end == '\0' && at < number &&
         (op = compiler_next_shardable(main, op)) != NULL) {
    at++;
  }
  *out_op = op;
  return op != NULL ? NULL
                    : pod_error(POD_INVALID_ARGUMENT,
                                "there is no value '%s', whose sharding is given: values "
                                "have the numbers that value_shardings tells",
                                name);
}

static void constrain(mlir_module_t *module, const mlir_op_t *main, mlir_op_t *op,
                      const mlir_attr_t *sharding) {
  const char *name = mlir_intern(module, "sharding");
  if (op->kind == KIND_SDY_SHARDING_CONSTRAINT) {
    mlir_op_set_attr(module, op, name, sharding);
    return;
  }
  mlir_value_t *value = &op->results[0];
  mlir_op_t *constraint =
      mlir_op_create(module, mlir_intern(module, "sdy.sharding_constraint"), 1, &value, 1,
                     &value->type, 0);
  constraint->kind = KIND_SDY_SHARDING_CONSTRAINT;
  constraint->position = op->position;
  constraint->location = op->location;
  mlir_op_set_attr(module, constraint, name, sharding);
  for (mlir_op_t *user = mlir_walk_first(main); user != NULL;
       user = mlir_walk_next(main, user)) {
    for (int i = 0; i < user->operand_count; i++) {
      if (user->operands[i] == value) {
        user->operands[i] = &constraint->results[0];
      }
    }
  }
  mlir_block_insert_before(op->next, constraint);
}

pod_status_t given_values_apply(mlir_module_t *module, const mlir_op_t *main,
                                const mesh_t *mesh, const compiler_given_t *given) {
  mlir_op_t **ops =
      pod_arena_array(module->arena, (size_t)given->value_count + 1, sizeof(ops[0]));
  for (int64_t i = 0; i < given->value_count; i++) {  // Before any is added.
    POD_TRY(find(main, given->values[i].name, &ops[i]));
  }
  for (int64_t i = 0; i < given->value_count; i++) {
    const tensor_shape_t *shape = &ops[i]->results[0].type->shape;
    sharding_t *sharding = NULL;
    pod_status_t status = given_parse_spec(module->arena, mesh, given->values[i].spec,
                                           shape->rank, &sharding);
    status = status == NULL ? sharding_check(sharding, shape) : status;
    POD_TRY(pod_status_context(status, "value %s cannot lie %s", given->values[i].name,
                               given->values[i].spec));
    constrain(module, main, ops[i], compiler_make_sharding(module, sharding));
  }
  return NULL;
}
