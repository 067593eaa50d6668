// The passes in their order, and what they hand on to one another. Private to the
// compiler.
//
// Threading: pure.

#ifndef SERVER_COMPILER_PIPELINE_H_
#define SERVER_COMPILER_PIPELINE_H_

#include "server/compiler/compiler.h"
#include "server/compiler/lower/lower.h"
#include "server/compiler/pallas/pallas.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/schedule/clusters.h"

typedef struct pipeline_t {
  const char *text;
  int64_t length;
  const compiler_options_t *options;
  mlir_module_t *module;               // From parse on.
  compiler_partitioned_t partitioned;  // From partition on.
  given_notes_t given_notes;           // From given on.
  int64_t declared_device_count;       // From devices on; 0: the module says nothing.
  int64_t device_count;                // From devices on: of the program.
  int64_t device_order_count;          // From devices on: the user's, or a slice's.
  const int64_t *device_order;         // The same; in the module's arena.
  algorithms_t algorithms;             // From clock on: what the user chose.
  simulator_prices_t *prices;          // From clock on.
  clusters_t *clusters;                // From fuse on.
  kernel_notes_t kernel_notes;
  const char *after_text;          // What options->after asks for; in the module's arena.
  int32_t value_count;             // From propagate on, as options->wants_values.
  const compiler_value_t *values;  // In the module's arena.
  const char *fit_note;            // From fit on; in the module's arena, or NULL.
  chip_program_t *program;         // From lower on.
  lower_notes_t notes;             // From lower on.
  compiler_result_t *result;       // From report on; in the program's arena.
} pipeline_t;

// What there is to read of the program when a pass has run.
typedef enum pipeline_shown_t {
  PIPELINE_SAME = 0,     // What it was, or no text any more.
  PIPELINE_MODULE,       // pipeline->module.
  PIPELINE_PROPAGATED,   // The module with the sharding of every value.
  PIPELINE_PARTITIONED,  // pipeline->partitioned.
} pipeline_shown_t;

// A step of the compilation.
typedef struct pipeline_pass_t {
  const char *name;
  pod_status_t (*run)(pipeline_t *pipeline);
  pipeline_shown_t shown;
} pipeline_pass_t;

// `count` passes, in order.
const pipeline_pass_t *pipeline_passes(int *out_count);

// Runs all of them; stops at the first error.
POD_MUST_USE pod_status_t pipeline_run(pipeline_t *pipeline);

// Only the passes between the partitioned program's simplification and the report: from
// `partitioned` and `options` to `program` and its tasks.
POD_MUST_USE pod_status_t pipeline_run_back_end(pipeline_t *pipeline);

// Frees the modules, and the program unless it has been taken (set to NULL).
void pipeline_deinit(pipeline_t *pipeline);

#endif  // SERVER_COMPILER_PIPELINE_H_
