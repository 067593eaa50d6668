// The stage "collectives": other collectives in place of those of the partitioned
// program, with the same values: where the clock says that the step takes less time.
//
// Threading: pure. Cost: a copy of the program, fused and scheduled, for every rewrite
// that finds something to do; a bounded number of them. Determinism: as the compiler.
// Ownership: borrows what the clock points to. Errors: those of clusters_create.

#ifndef SERVER_COMPILER_COLLECTIVES_COLLECTIVES_H_
#define SERVER_COMPILER_COLLECTIVES_COLLECTIVES_H_

#include "common/base/status.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/schedule/clusters.h"

// In the order in which they are tried.
typedef enum collectives_kind_t {
#define REWRITE(id, name, run, usual) COLLECTIVES_##id,
#include "server/compiler/collectives/rewrites.def"
#undef REWRITE
  COLLECTIVES_COUNT,
} collectives_kind_t;

typedef enum collectives_choice_t {
  COLLECTIVES_USUAL = 0,  // As rewrites.def has it.
  COLLECTIVES_AUTO,       // Where the clock says that it saves time.
  COLLECTIVES_ON,         // Wherever it is possible.
  COLLECTIVES_OFF,
} collectives_choice_t;

typedef struct collectives_choices_t {
  collectives_choice_t of[COLLECTIVES_COUNT];
  bool estimates_only;  // The clock of the pod is not asked.
} collectives_choices_t;

// Reads "off", for all, or "combine=off,scatter=on", with the names of rewrites.def; NULL
// or "": as usual. INVALID_ARGUMENT: a text that names no rewrite or choice.
POD_MUST_USE pod_status_t collectives_parse(const char *text,
                                            collectives_choices_t *out_choices);

// Rewrites the program and adds to its reasons and notes. The module may be another one
// then, made beside the old one's source.
POD_MUST_USE pod_status_t compiler_rewrite_collectives(
    compiler_partitioned_t *partitioned, const clusters_clock_t *clock,
    const collectives_choices_t *choices);

#endif  // SERVER_COMPILER_COLLECTIVES_COLLECTIVES_H_
