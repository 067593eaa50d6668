// StableHLO text in, an executable for a mesh of chips out.
//
// pipeline.c is the list of passes: parse, verify, inline calls, propagate shardings,
// partition, optimise, lower (order, buffers), check against the chip.
//
// Cost: linear in the module.
// Determinism: the same text and options give the same program, byte by byte.
// Threading: pure; may run on any thread, several at once.
// Ownership: everything returned lives in the result and is freed by
// compiler_result_destroy.
// Errors: INVALID_ARGUMENT with file:line:column and a caret for what is wrong with the
// module; UNIMPLEMENTED, likewise, for what is not supported yet; RESOURCE_EXHAUSTED with
// the numbers when the program does not fit the chip's HBM; FAILED_PRECONDITION when the
// mesh does not match the pod.

#ifndef SERVER_COMPILER_COMPILER_H_
#define SERVER_COMPILER_COMPILER_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/chip/cost.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/compiler/legalize/given.h"
#include "server/compiler/legalize/signature.h"
#include "server/compiler/partition/values.h"
#include "server/program/program.h"

typedef struct compiler_options_t {
  const char *file_name;    // For diagnostics; borrowed for the call.
  const chip_spec_t *spec;  // The pod's chips.
  int64_t hbm_bytes;        // Of a chip, for programs; 0: what the kind leaves them.
  // How collectives run (schedule/algorithms.h). NULL or "": the cheapest way. Borrowed
  // for the call.
  const char *algorithms;
  // Which collectives give way to others (collectives/collectives.h): "off", or
  // "combine=off,scatter=on". NULL or "": where the clock says that it saves time.
  // Borrowed for the call.
  const char *collectives;
  // Of arguments whose types the module leaves open; of others they are checked.
  // Borrowed for the call.
  int64_t argument_type_count;
  const compiler_argument_type_t *argument_types;
  // The chips that run the program, by its device: distinct ones of the torus, as many as
  // the program has devices; a program that says nothing of devices is for as many as are
  // listed. 0: it is for all chips, as they are numbered, and one for fewer devices for
  // the first slice of the torus that has as many (chip/slice.h), or where no box has
  // so many for the first chips. Borrowed for the call.
  int64_t device_order_count;
  const int64_t *device_order;
  torus_t torus;  // The pod.
  // Shardings from outside, which take the place of the module's; borrowed for the call.
  compiler_given_t given;
  // How shardings are propagated (partition/propagate_options.h). NULL or "": as the
  // module says, or this compiler's own way. Borrowed for the call.
  const char *propagation;
  // What else to tell. NULL or "": nothing; else the program as the pass of this name
  // leaves it (INVALID_ARGUMENT lists the names). Borrowed for the call.
  const char *after;
  bool wants_values;  // How the program's values lie.
  // What does not fit the chip's HBM or its host's memory is no error: the result says
  // what it needs.
  bool ignores_hbm;
  // Decides by the scheduler's estimate where the clock of the pod would have the last
  // word: faster, above all for large pods, and not what will run.
  bool estimates_only;
} compiler_options_t;

// A collective of the partitioned program, for people.
typedef struct compiler_collective_t {
  chip_op_t op;
  const char *name;                // The instruction's.
  const char *source;              // "train.py:12:7" or "".
  tensor_shape_t operand, result;  // Local, of the first operand and result.
  // Mesh axes it runs over, "y" or "x,y"; "" when its groups follow no axes.
  const char *axes;
  const char *mesh;  // Whose axes, where the program has several meshes; else "".
  int64_t group_count, group_size;
  int64_t ici_bytes;  // Sent by each chip,
  int64_t dcn_bytes;  // and to other slices.
  // Of one run: on the link that carries most, forwarded ones too; and how long it takes
  // when nothing else is on the links, without what the core does for it (0: too long to
  // tell).
  int64_t link_bytes, alone_ps;
  // Why the partitioner put it in, a sentence; "" when it did not.
  const char *because;
  bool in_loop;   // Runs once per iteration of a while.
  bool inserted;  // By the partitioner; false: the user wrote it.
  bool is_async;  // Overlaps with what follows.
} compiler_collective_t;

typedef struct compiler_result_t {
  chip_program_t *program;
  const char *partitioned_text;  // StableHLO, SPMD.
  int32_t collective_count;
  const compiler_collective_t *collectives;
  // Arguments + results + constants + temporaries of one chip, what is donated once.
  int64_t hbm_peak_bytes;
  int64_t estimated_ps;  // A step as the scheduler counts (schedule/clusters.h).
  // For how many devices the module says that it is; 0: it says nothing, or has no mesh
  // and is for one.
  int64_t declared_device_count;
  int32_t note_count;
  // For people, one line each: donations that are not used; what was done to fit the HBM.
  const char *const *notes;
  // By result: the memory that the module wants it in (mhlo.memory_kind), "pinned_host",
  // or "", which is the chip's. The caller moves it there.
  const char *const *result_memory_kinds;
  // The values whose shardings the module asks for, by a custom call of @InspectSharding
  // (jax.debug.inspect_array_sharding), in the order of the program. The name is the
  // call's backend_config, as hexadecimal digits.
  int32_t inspection_count;
  const chip_interface_t *inspections;
  const char *after_text;  // What options->after asks for; NULL: nothing.
  int32_t value_count;     // With options->wants_values.
  const compiler_value_t *values;
} compiler_result_t;

POD_MUST_USE pod_status_t compiler_compile(const char *text, int64_t length,
                                           const compiler_options_t *options,
                                           compiler_result_t **out_result);

// Accepts NULL. The program is freed with it.
void compiler_result_destroy(compiler_result_t *result);

#endif  // SERVER_COMPILER_COMPILER_H_
