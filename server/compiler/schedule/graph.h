// What depends on what in one block, cluster by cluster: what the scheduler works on.
//
// Private to schedule*.c. Threading: pure. Cost: linear in the operations and operands,
// those inside of loops once per level of nesting.

#ifndef SERVER_COMPILER_SCHEDULE_GRAPH_H_
#define SERVER_COMPILER_SCHEDULE_GRAPH_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/compiler/schedule/clusters.h"

typedef enum schedule_kind_t {
  SCHEDULE_FREE = 0,    // Takes no time: is done right before what needs it.
  SCHEDULE_CORE,        // A kernel, loop or branch: the core is busy with it.
  SCHEDULE_COLLECTIVE,  // And transfers with the host: the core need not wait.
} schedule_kind_t;

typedef struct schedule_node_t {
  schedule_kind_t kind;
  int32_t cluster;  // CHIP_NONE: free.
  mlir_op_t *op;    // The root, or the free operation.
  // Ranges of graph.deps and graph.users: nodes, perhaps several times.
  int32_t first_dep, dep_count, first_user, user_count;
  int32_t needed_by;  // The first core node that waits for it, or INT32_MAX.
  bool feeds;         // A collective, directly.
} schedule_node_t;

// Nodes are in program order, so that dependencies come first. The end of the block is
// none.
typedef struct schedule_graph_t {
  int32_t node_count, edge_count, collective_count;
  schedule_node_t *nodes;
  int32_t *deps, *users;
} schedule_graph_t;

// `node_of`: room by op id, to work with; what it held does not matter.
void schedule_graph_init(schedule_graph_t *graph, const clusters_t *clusters,
                         const cluster_block_t *block, int32_t *node_of);

void schedule_graph_deinit(schedule_graph_t *graph);

#endif  // SERVER_COMPILER_SCHEDULE_GRAPH_H_
