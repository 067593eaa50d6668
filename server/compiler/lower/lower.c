// The steps in their order.

#include "server/compiler/lower/lower.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/placement/placement.h"

// As program.h says: elementwise operations, copies, and what dynamic_update_slice and
// scatter update.
bool lower_works_in_place(chip_op_t op, int index) {
  return chip_op_has((int)op, CHIP_TRAIT_IN_PLACE) ||
         (index == 0 && chip_op_has((int)op, CHIP_TRAIT_UPDATES));
}

void lower_deinit(lower_t *lower) {
  free(lower->var_of);
  free(lower->is_host);
  pod_list_deinit(&lower->vars);
  pod_list_deinit(&lower->nodes);
  pod_list_deinit(&lower->refs);
  pod_list_deinit(&lower->computations);
  pod_list_deinit(&lower->scopes);
  pod_list_deinit(&lower->captures);
  pod_list_deinit(&lower->wishes);
  pod_list_deinit(&lower->constants);
  free(lower->class_offsets);
  free(lower->live_bytes);
  free(lower->node_of);
  pod_map_destroy(lower->constant_indexes);
}

static pod_status_t start(const compiler_partitioned_t *partitioned, lower_t *lower) {
  mlir_module_t *module = partitioned->module;
  *lower = (lower_t){.partitioned = partitioned,
                     .module = module,
                     .main = mlir_module_find_symbol(module, "main")};
  if (lower->main == NULL) {
    return mlir_error_at(module, 0, POD_INVALID_ARGUMENT,
                         "the module has no function @main");
  }
  POD_TRY(donation_read(module, lower->main, &lower->donation));
  lower->constant_indexes = pod_map_create();
  lower->var_of = pod_alloc(module->value_count * sizeof(*lower->var_of));
  for (uint32_t i = 0; i < module->value_count; i++) {
    lower->var_of[i] = CHIP_NONE;
  }
  lower->is_host = placement_find(module);
  return NULL;
}

pod_status_t lower_kernels(const compiler_partitioned_t *partitioned,
                           const lower_kernels_t *kernels, lower_t *out_lower) {
  POD_TRY(start(partitioned, out_lower));
  out_lower->kernels = kernels;
  pod_status_t status = lower_linearize(out_lower);
  if (status == NULL) {
    lower_coalesce(out_lower);
    status = lower_place(out_lower);
  }
  if (status != NULL) {
    lower_deinit(out_lower);
  }
  return status;
}

pod_status_t lower_with_notes(const compiler_partitioned_t *partitioned,
                              chip_program_t **out_program, lower_notes_t *out_notes) {
  lower_t lower;
  POD_TRY(start(partitioned, &lower));
  pod_status_t status = lower_linearize(&lower);
  if (status == NULL) {
    lower_coalesce(&lower);
    status = lower_emit(&lower, out_program);
  }
  if (status == NULL) {
    *out_notes =
        (lower_notes_t){lower.sources, lower.donation.note_count, lower.donation.notes};
  }
  lower_deinit(&lower);
  return status;
}

pod_status_t compiler_lower(const compiler_partitioned_t *partitioned,
                            chip_program_t **out_program) {
  lower_notes_t notes;
  return lower_with_notes(partitioned, out_program, &notes);
}
