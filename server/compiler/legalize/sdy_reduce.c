// sdy.all_reduce of an argument of @main.
//
// Axes that are still to be reduced are part of how a value lies, so that an all_reduce
// behind what made the value so is a reshard. Nothing has made an argument so, unless its
// sharding says that it is: what the chips hold of it is added up as it is.

#include <string.h>

#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/legalize/expander.h"

// An argument of @main that no sharding leaves unreduced.
static pod_status_t is_whole_argument(expander_t *expander,
                                      const compiler_meshes_t *meshes, bool *out_is) {
  mlir_module_t *module = expander->module;
  const mlir_value_t *value = expander->op->operands[0];
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  *out_is = value->op == NULL && value->block->region->op == main;
  const mlir_attr_t *attr = *out_is ? mlir_attr_get_at(mlir_op_attr(main, "arg_attrs"),
                                                       value->index, "sdy.sharding")
                                    : NULL;
  if (attr != NULL) {
    sharding_t *sharding;
    POD_TRY(compiler_parse_sharding(module, attr, meshes, module->arena, &sharding));
    *out_is = sharding->unreduced.count == 0;
  }
  return NULL;
}

// The axes as a sharding leaves them unreduced.
static pod_status_t read_axes(expander_t *expander, const compiler_meshes_t *meshes,
                              const mesh_t *mesh, sharding_t **out) {
  mlir_module_t *module = expander->module;
  const mlir_attr_t *axes = mlir_op_attr(expander->op, "reduction_axes");
  const char *body = axes == NULL || axes->body == NULL ? "" : axes->body;
  const bool has_braces = strchr(body, '{') != NULL;
  const char *text =
      pod_arena_printf(module->arena, "@%s, [], unreduced=%s%s%s", mesh->name,
                       has_braces ? "" : "{", body, has_braces ? "" : "}");
  return compiler_parse_sharding(module, mlir_attr_dialect(module, "sdy.sharding", text),
                                 meshes, module->arena, out);
}

static chip_reducer_t reducer_of(const mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "reduction_op");
  const char *word = attr == NULL         ? ""
                     : attr->text != NULL ? attr->text
                     : attr->body != NULL ? attr->body
                                          : "";
  return strstr(word, "max") != NULL   ? CHIP_REDUCER_MAXIMUM
         : strstr(word, "min") != NULL ? CHIP_REDUCER_MINIMUM
                                       : CHIP_REDUCER_ADD;
}

// stablehlo.all_reduce among the devices that differ along the axes alone.
static mlir_value_t *emit_all_reduce(expander_t *expander, mlir_op_t *before,
                                     const mesh_t *mesh, const axis_list_t *axes) {
  mlir_module_t *module = expander->module;
  mlir_value_t *operand = expander->op->operands[0];
  int64_t dims[2];
  const int64_t *groups = axis_list_groups(module->arena, mesh, axes, &dims[0], &dims[1]);
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, dims);
  mlir_op_t *all = mlir_op_create(module, mlir_intern(module, "stablehlo.all_reduce"), 1,
                                  &operand, 1, &operand->type, 1);
  all->position = expander->op->position;
  all->location = expander->op->location;
  mlir_block_insert_before(before, all);
  expand_set_attr(expander, all, "replica_groups",
                  mlir_attr_dense(module, &shape, groups, false));
  expand_set_attr(
      expander, all, "channel_handle",
      mlir_attr_dialect(module, "stablehlo.channel_handle", "handle = 1, type = 1"));
  expand_set_attr(expander, all, "use_global_device_ids", mlir_attr_unit(module));
  compiler_build_reducer(module, all, reducer_of(expander->op),
                         operand->type->shape.dtype);
  return &all->results[0];
}

pod_status_t expand_sdy_all_reduce(expander_t *expander, mlir_value_t **out_results) {
  POD_TRY(expand_reshard(expander, out_results));
  mlir_module_t *module = expander->module;
  compiler_meshes_t *meshes;
  POD_TRY(compiler_meshes_collect(module, module->arena, &meshes));
  bool is_whole;
  POD_TRY(is_whole_argument(expander, meshes, &is_whole));
  sharding_t *wanted;
  POD_TRY(compiler_parse_sharding(module, mlir_op_attr(expander->op, "out_sharding"),
                                  meshes, module->arena, &wanted));
  if (!is_whole || wanted->mesh->axis_count == 0 || wanted->mesh->name[0] == '\0') {
    return NULL;
  }
  sharding_t *axes;
  POD_TRY(read_axes(expander, meshes, wanted->mesh, &axes));
  mlir_op_t *reshard = out_results[0]->op;
  reshard->operands[0] = emit_all_reduce(expander, reshard, axes->mesh, &axes->unreduced);
  return NULL;
}
