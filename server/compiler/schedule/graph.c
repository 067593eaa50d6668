// Edges from producers to consumers among the clusters of a block, and from what reads a
// buffer to what overwrites it.

#include "server/compiler/schedule/graph.h"

#include <stdlib.h>

#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/mlir/walk.h"

typedef struct edge_t {
  int32_t user, dep;
} edge_t;

typedef struct builder_t {
  const clusters_t *clusters;
  const mlir_block_t *block;
  schedule_graph_t *graph;
  int32_t *node_of;  // By op id, of operations of the block.
  POD_LIST(edge_t) edges;
} builder_t;

static int32_t cluster_of(const clusters_t *clusters, const mlir_op_t *op) {
  return op->id < clusters->op_count ? clusters->cluster_of[op->id] : CHIP_NONE;
}

// A collective that the core has to carry out itself is its work like any kernel; a
// transfer with the host never is.
static bool is_beside_core(const clusters_t *clusters, const cluster_t *cluster) {
  const chip_op_t op = (chip_op_t)cluster->root->kind;
  if (cluster->kind == CHIP_TASK_TRANSFER_START) {
    return true;
  }
  return cluster->kind == CHIP_TASK_COLLECTIVE &&
         (clusters->spec->overlaps_reductions ||
          (op != CHIP_OP_ALL_REDUCE && op != CHIP_OP_REDUCE_SCATTER));
}

// A cluster's node stands where its root stands.
static void add_nodes(builder_t *builder) {
  const clusters_t *clusters = builder->clusters;
  schedule_graph_t *graph = builder->graph;
  for (mlir_op_t *op = builder->block->first; op != builder->block->last; op = op->next) {
    const int32_t at = cluster_of(clusters, op);
    if (at != CHIP_NONE && clusters->clusters[at].root != op) {
      continue;
    }
    schedule_node_t *node = &graph->nodes[graph->node_count];
    *node = (schedule_node_t){.op = op, .cluster = at, .needed_by = INT32_MAX};
    builder->node_of[op->id] = graph->node_count++;
    if (at == CHIP_NONE) {
      continue;
    }
    const cluster_t *cluster = &clusters->clusters[at];
    node->kind = is_beside_core(clusters, cluster) ? SCHEDULE_COLLECTIVE : SCHEDULE_CORE;
    graph->collective_count += node->kind == SCHEDULE_COLLECTIVE;
    for (int32_t m = 0; m < cluster->member_count; m++) {
      const mlir_op_t *member = clusters->members[cluster->first_member + m];
      if (cluster_of(clusters, member) == at) {
        builder->node_of[member->id] = builder->node_of[op->id];
      }
    }
  }
}

static void add_edge(builder_t *builder, int32_t user, const mlir_value_t *value) {
  if (value->op == NULL || value->op->block != builder->block) {
    return;
  }
  const int32_t dep = builder->node_of[value->op->id];
  schedule_graph_t *graph = builder->graph;
  if (dep == user) {
    return;
  }
  *pod_list_add(&builder->edges) = (edge_t){user, dep};
  graph->nodes[user].dep_count++;
  graph->nodes[dep].user_count++;
}

// What is inside of an operation reads for it.
static void add_edges(builder_t *builder) {
  for (mlir_op_t *op = builder->block->first; op != builder->block->last; op = op->next) {
    const int32_t user = builder->node_of[op->id];
    for (int i = 0; i < op->operand_count; i++) {
      add_edge(builder, user, op->operands[i]);
    }
    for (const mlir_op_t *inner = mlir_walk_first(op); inner != NULL;
         inner = mlir_walk_next(op, inner)) {
      for (int i = 0; i < inner->operand_count; i++) {
        add_edge(builder, user, inner->operands[i]);
      }
    }
  }
}

static void sort_edges(builder_t *builder) {
  schedule_graph_t *graph = builder->graph;
  graph->edge_count = builder->edges.count;
  int32_t next_dep = 0, next_user = 0;
  for (int32_t i = 0; i < graph->node_count; i++) {
    schedule_node_t *node = &graph->nodes[i];
    node->first_dep = next_dep;
    node->first_user = next_user;
    next_dep += node->dep_count;
    next_user += node->user_count;
    node->dep_count = node->user_count = 0;
  }
  graph->deps = pod_alloc(((size_t)graph->edge_count + 1) * sizeof(*graph->deps));
  graph->users = pod_alloc(((size_t)graph->edge_count + 1) * sizeof(*graph->users));
  for (int32_t i = 0; i < graph->edge_count; i++) {
    const edge_t edge = builder->edges.items[i];
    schedule_node_t *user = &graph->nodes[edge.user], *dep = &graph->nodes[edge.dep];
    graph->deps[user->first_dep + user->dep_count++] = edge.dep;
    graph->users[dep->first_user + dep->user_count++] = edge.user;
  }
}

// Users come later, so going backwards meets them first.
static void mark_needs(schedule_graph_t *graph) {
  for (int32_t i = graph->node_count - 1; i >= 0; i--) {
    schedule_node_t *node = &graph->nodes[i];
    for (int32_t u = 0; u < node->user_count; u++) {
      const int32_t at = graph->users[node->first_user + u];
      const schedule_node_t *user = &graph->nodes[at];
      const int32_t needed_by = user->kind == SCHEDULE_CORE ? at : user->needed_by;
      node->needed_by = needed_by < node->needed_by ? needed_by : node->needed_by;
      node->feeds = node->feeds || user->kind == SCHEDULE_COLLECTIVE ||
                    (user->kind == SCHEDULE_FREE && user->feeds);
    }
  }
}

void schedule_graph_init(schedule_graph_t *graph, const clusters_t *clusters,
                         const cluster_block_t *block, int32_t *node_of) {
  *graph = (schedule_graph_t){0};
  size_t op_count = 0;
  for (const mlir_op_t *op = block->block->first; op != NULL; op = op->next) {
    op_count++;
  }
  graph->nodes = pod_alloc((op_count + 1) * sizeof(*graph->nodes));
  builder_t builder = {
      .clusters = clusters, .block = block->block, .graph = graph, .node_of = node_of};
  add_nodes(&builder);
  add_edges(&builder);
  sort_edges(&builder);
  mark_needs(graph);
  pod_list_deinit(&builder.edges);
}

void schedule_graph_deinit(schedule_graph_t *graph) {
  free(graph->nodes);
  free(graph->deps);
  free(graph->users);
}
