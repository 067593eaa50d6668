// What the compiler tells people about a program: its collectives, and over which axes of
// the mesh they run.
//
// Threading: pure. Ownership: in the program's arena.

#ifndef SERVER_COMPILER_REPORT_H_
#define SERVER_COMPILER_REPORT_H_

#include "common/mlir/ir.h"
#include "server/compiler/compiler.h"
#include "server/compiler/partition/partition.h"
#include "server/simulator/price.h"

// `partitioned` knows why collectives are there.
// `sources[i]` is the operation that instruction i comes from; NULL for copies.
POD_MUST_USE pod_status_t report_collectives(
    simulator_prices_t *prices, const chip_program_t *program,
    const compiler_partitioned_t *partitioned, const mlir_op_t *const *sources,
    int32_t *out_count, const compiler_collective_t **out_collectives);

// The mesh axes, major to minor, along which groups of devices differ: "y", "x,y",
// "x:(1)2" for a part of an axis, as Shardy writes it; "" when they follow no axes.
// `ids` holds every device once, in groups of `group_size`.
const char *report_axes(pod_arena_t *arena, const mesh_t *mesh, int64_t group_size,
                        const int64_t *ids);

#endif  // SERVER_COMPILER_REPORT_H_
