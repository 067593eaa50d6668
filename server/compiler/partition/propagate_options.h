// How shardings are propagated, where that is not this compiler's own way.
//
// Threading: pure.

#ifndef SERVER_COMPILER_PARTITION_PROPAGATE_OPTIONS_H_
#define SERVER_COMPILER_PARTITION_PROPAGATE_OPTIONS_H_

#include <stdbool.h>

#include "common/base/status.h"

// Of the module: the words below.
#define PROPAGATION_ATTR "podium.propagation"

typedef struct propagation_options_t {
  // As Shardy does it: axes spread whether they divide a dimension or not, and a
  // broadcast that repeats nothing is a broadcast.
  bool is_exact;
  // One of Shardy's passes alone, without what comes before it: constants have one
  // sharding for all uses, and a constraint says nothing of its operand.
  bool is_alone;
  // Without the order of the kinds of operations; without a choice where factors want the
  // same axes, too.
  bool is_aggressive, is_basic;
  // Shardy's conservative mode: no parts of axes spread, nothing along dimensions whose
  // elements move.
  bool is_conservative;
} propagation_options_t;

// "", or NULL: this compiler's own way. "shardy": as Shardy's propagation pipeline; with
// one of ",priorities", ",aggressive" and ",basic" behind it as that pass alone; with
// ",conservative" in that mode. INVALID_ARGUMENT says which words there are.
POD_MUST_USE pod_status_t propagation_options_parse(const char *words,
                                                    propagation_options_t *out_options);

#endif  // SERVER_COMPILER_PARTITION_PROPAGATE_OPTIONS_H_
