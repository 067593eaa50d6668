// Clusters: the pieces in which a TPU does the program of one chip, over MLIR.
//
//   fuse.c           which operations are one kernel
//   fuse_merge.c     which kernels become one with several results
//   cluster_work.c   what each demands of the chip
//   schedule.c       in which order they go, and which collectives are asynchronous
//   estimate.c       what they take in that order
//   vmem.c           which operands and results stay in VMEM, what is prefetched
//   tasks.c          the tasks of the lowered program
//
// A cluster is a compute kernel (one operation, or a fusion), a collective, a loop or a
// branch. Operations that cost nothing of their own are in no cluster: constants, views,
// arithmetic of the scalar core, broadcasts that every reader makes for itself. Cheap
// producers may be in several: each reader computes them anew.
//
// A cluster stands where its root stands: all it needs is made before, all its results
// are needed only after.
//
// Private to the compiler. Threading: pure. Ownership: clusters_destroy frees everything.

#ifndef SERVER_COMPILER_SCHEDULE_CLUSTERS_H_
#define SERVER_COMPILER_SCHEDULE_CLUSTERS_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/list.h"
#include "common/mlir/ir.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/schedule/algorithms.h"
#include "server/program/program.h"
#include "server/program/task.h"
#include "server/simulator/price.h"

// What decides how a cluster works through its elements.
typedef enum cluster_hero_t {
  CLUSTER_HERO_NONE = 0,  // Elementwise.
  CLUSTER_HERO_REDUCE,
  CLUSTER_HERO_PRODUCT,
} cluster_hero_t;

// A value that a cluster takes from outside, or makes for others.
typedef struct cluster_value_t {
  const mlir_value_t *value;  // An operand: what it is a view of (through reshapes).
  int64_t bytes;              // Read or written, as it lies in HBM.
  bool is_epilogue;           // An operand: no product of the cluster needs it.
  bool in_vmem;               // Set by vmem.c.
} cluster_value_t;

typedef struct cluster_t {
  chip_task_kind_t kind;  // COMPUTE, COLLECTIVE, TRANSFER_START, WHILE or BRANCH.
  cluster_hero_t hero;
  mlir_op_t *root;
  // Ranges of clusters_t.members and clusters_t.values: operands, then results.
  int32_t first_member, member_count;
  int32_t first_value, operand_count, result_count;
  chip_work_t work;
  int64_t duration_ps;  // Of one run, estimated; of a loop: of one turn.
  // Of collectives and transfers: what tells links apart (equal for those that use the
  // same ones), and where an asynchronous one must be done (podium.async_done), or NULL.
  uint64_t links;
  mlir_op_t *done;
  bool has_collectives;  // Of loops and branches: somewhere inside.
} cluster_t;

// What the core does next in a block: a cluster, or the end of an asynchronous
// collective.
typedef struct cluster_step_t {
  int32_t cluster;
  bool is_done;
} cluster_step_t;

// An operand of a cluster that comes to VMEM while others work.
typedef struct cluster_prefetch_t {
  int32_t start_before;  // Cluster of the same block.
  int32_t cluster;       // That wants it; it waits for it.
  int64_t bytes;
} cluster_prefetch_t;

// A block that has a time of its own: of @main, of a loop, of a branch.
typedef struct cluster_block_t {
  mlir_block_t *block;
  int32_t first_cluster, cluster_count;  // In the order of the partitioned program.
  int32_t first_step, step_count;        // In the order in which they are done.
  // The operations in the order they had, when they have another now; or NULL.
  int32_t op_count;
  mlir_op_t **ops;
  int64_t scheduled_ps;  // What one run takes in that order, estimated.
} cluster_block_t;

typedef struct clusters_t {
  mlir_module_t *module;
  const compiler_partitioned_t *partitioned;
  const chip_spec_t *spec;
  const torus_t *torus;
  const algorithms_t *algorithms;
  simulator_prices_t *prices;
  int32_t cluster_count, member_count, step_count;
  POD_LIST(cluster_block_t) blocks;  // A block stands before those inside of it.
  cluster_t *clusters;
  mlir_op_t **members;  // Of each cluster in program order.
  POD_LIST(cluster_value_t) values;
  POD_LIST(cluster_prefetch_t) prefetches;  // In order of start_before.
  cluster_step_t *steps;
  // By op id: its only cluster; CHIP_NONE when it is in none or in several.
  int32_t *cluster_of;
  uint32_t op_count;  // Of the module when cluster_of was made.
} clusters_t;

// What the clock is asked by.
typedef struct clusters_clock_t {
  const chip_spec_t *spec;
  const torus_t *torus;
  const algorithms_t *algorithms;  // That collectives will run by.
  simulator_prices_t *prices;      // What they take.
} clusters_clock_t;

// fuse.c. Decides the clusters of the partitioned program and counts their work. Borrows
// what `clock` points to. UNIMPLEMENTED, at the operation: an algorithm that does not do
// this collective over these groups.
POD_MUST_USE pod_status_t clusters_create(const compiler_partitioned_t *partitioned,
                                          const clusters_clock_t *clock,
                                          clusters_t **out_clusters);

// schedule.c. Puts the operations of every block with collectives in an order in which
// these overlap with what is independent, and marks them: the collective has the
// attribute COMPILER_ASYNC_ATTR, and a podium.async_done stands where it must be done.
//
// `shares`: what waits to be read may fill that part of the HBM which arguments and
// results leave, 1/shares of it; more shares, less memory and less overlap.
void clusters_schedule(clusters_t *clusters, int64_t shares);

enum { CLUSTERS_SHARES = 2, CLUSTERS_SHARES_TIGHT = 64 };

// Back to the order of the partitioned program, without asynchronous collectives.
void clusters_unschedule(clusters_t *clusters);

// Whether any block has another order than that of the partitioned program.
bool clusters_is_scheduled(const clusters_t *clusters);

// estimate.c. What the program takes in the order in which it stands, loops with all of
// their turns: by the scheduler's clock, not that of the pod. A loop whose turns are not
// known is taken to turn a few times.
int64_t clusters_estimate_ps(const clusters_t *clusters);

// Lists the steps of every block, as its operations stand now. schedule.c has done it.
void clusters_list_steps(clusters_t *clusters);

// vmem.c. What stays in VMEM moves from the HBM traffic of the clusters' work to
// vmem_bytes; lists the prefetches. Once, when the steps will not change any more.
void clusters_assign_vmem(clusters_t *clusters);

// Accepts NULL.
void clusters_destroy(clusters_t *clusters);

#endif  // SERVER_COMPILER_SCHEDULE_CLUSTERS_H_
