// What the files of the pass share. Private to gspmd*.c.

#ifndef SERVER_COMPILER_LEGALIZE_GSPMD_PRIVATE_H_
#define SERVER_COMPILER_LEGALIZE_GSPMD_PRIVATE_H_

#include "common/base/text.h"
#include "common/mlir/replacements.h"
#include "common/tensor/sharding.h"
#include "server/compiler/legalize/gspmd_string.h"

#define GSPMD_ATTR "mhlo.sharding"

typedef struct gspmd_t {
  mlir_module_t *module;
  mlir_replacements_t replacements;
  int64_t device_count;  // 0: none named.
  bool is_used;          // Any annotation at all.
  // Where digits begin: divisors of device_count, rising, 1 and device_count among them.
  int cut_count;
  int64_t cuts[SHARDING_AXES_MAX + 1];
} gspmd_t;

// Whether it is a custom call of that target with one operand and one result.
bool gspmd_is_call_of(const mlir_op_t *op, const char *target);

POD_MUST_USE pod_status_t gspmd_parse_at(gspmd_t *gspmd, const mlir_op_t *op,
                                         const mlir_attr_t *attr, gspmd_sharding_t *out);

// The axes that digits are; bit i for the mesh's axis i.
uint32_t gspmd_axes(const gspmd_t *gspmd, const gspmd_digits_t *digits);

// The #sdy.sharding of what the operation's string says of a value of `type`, with the
// dimensions open that its backend_config leaves unspecified. NULL for a value that is
// manual or of which nothing is known, or where there is no mesh.
POD_MUST_USE pod_status_t gspmd_translate(gspmd_t *gspmd, const mlir_op_t *op,
                                          const mlir_type_t *type,
                                          const mlir_attr_t **out);

// Sizes that are open on one side count as the other's.
bool gspmd_types_agree(const mlir_type_t *a, const mlir_type_t *b);

// gspmd_manual.c: everything between @SPMDFullToShardShape and @SPMDShardToFullShape
// becomes manual computations; needs a mesh. The strings in them are as they were.
POD_MUST_USE pod_status_t gspmd_form_manual(gspmd_t *gspmd);

#endif  // SERVER_COMPILER_LEGALIZE_GSPMD_PRIVATE_H_
