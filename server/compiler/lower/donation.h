// Donation: which arguments of @main give their memory to which results.
//
// JAX marks an argument of @main with `tf.aliasing_output = N : i32`, whose memory is
// then result N's (in a module that was HLO `mhlo.input_output_alias` says so of all), or
// with `jax.buffer_donor = true`, whose memory may become that of any result. A donor
// gets the first result that is free and has its local shape, else, when all of those are
// given away, the first that has as many bytes. A mark that cannot be followed (the parts
// on a chip differ, no result is left) leaves a note, not an error, as JAX has it.
//
// Ownership: everything is in the module's arena. Threading: pure. Errors:
// INVALID_ARGUMENT for marks that make no sense: a result that does not exist or is given
// to two arguments.

#ifndef SERVER_COMPILER_LOWER_DONATION_H_
#define SERVER_COMPILER_LOWER_DONATION_H_

#include <stdint.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"

typedef struct donation_t {
  int32_t *result_of;    // By argument; CHIP_NONE when it is not donated.
  int32_t *argument_of;  // By result; CHIP_NONE when it has memory of its own.
  int32_t alias_count;
  int32_t note_count;
  const char **notes;  // For people: why a donation is not used.
} donation_t;

// Of the partitioned module's @main, whose types are those of one chip.
POD_MUST_USE pod_status_t donation_read(mlir_module_t *module, const mlir_op_t *main,
                                        donation_t *out_donation);

#endif  // SERVER_COMPILER_LOWER_DONATION_H_
