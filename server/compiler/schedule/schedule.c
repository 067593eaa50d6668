// The order of a block, and which of its collectives are asynchronous.
//
// List scheduling against an estimated clock. The core keeps the order of the program;
// collectives start as soon as what they send is there and their links are free; what
// waits for one that is not done lets the core do something later meanwhile. A collective
// is done where its first reader comes, or when the links can be given to the next.
//
// Collectives start in the order in which their readers come, so that weights are
// gathered one ahead of the products that use them. What makes memory grow (all_gather)
// is not started when much of it waits already. What the program has brought to the
// host's memory to make room comes back in the order in which it is read, and no more
// than two ahead.
//
// As XLA's latency hiding scheduler (xla/service/latency_hiding_scheduler.h) does, it
// lets only a few collectives of one kind be under way at once; unlike it, it goes
// forwards, and by default leaves the core's order as it is.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/heap.h"
#include "common/base/list.h"
#include "common/base/memory.h"
#include "server/chip/cost.h"
#include "server/chip/work.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/schedule/clusters.h"
#include "server/compiler/schedule/fuse.h"
#include "server/compiler/schedule/graph.h"

enum {
  UNDER_WAY_MAX = 8,        // Collectives at once.
  UNDER_WAY_OF_A_KIND = 2,  // Over the same links: one that moves, one that waits.
  TRANSFERS_MAX = 6,        // With the host, whose queue takes what comes.
  CANDIDATES_MAX = 8,       // Looked at for every start.
  RETURNS_MAX = 2,          // From the host's memory, not read yet.
  AHEAD_MAX = 256,          // Nodes that may be passed for the sake of a collective.
  LINK_KINDS = 256,
};

typedef struct state_t {
  int32_t pending;  // Dependencies that are not satisfied.
  bool is_satisfied, is_emitted;
  bool is_return, is_ready, is_let;  // See `returns`.
  int64_t finish_ps;                 // Of a collective that has started.
} state_t;

// An operation in its new place; NULL: where the collective of `node` must be done.
typedef struct place_t {
  mlir_op_t *op;
  int32_t node;
} place_t;

typedef struct scheduler_t {
  clusters_t *clusters;
  const schedule_graph_t *graph;
  state_t *states;
  pod_heap_t ready, feeders;  // Core nodes: all others, and those that feed a collective.
  pod_heap_t startable;       // Collectives.
  int32_t under_way_count;
  int32_t under_way[UNDER_WAY_MAX];
  int64_t links_free_ps[LINK_KINDS];
  int64_t now_ps;
  int64_t growth_bytes, growth_max;  // Of results that wait to be read.
  // Transfers to the device of what was brought to the host's memory before, in the order
  // of their readers: each is let start when those before it have been.
  int32_t return_count, next_return, returns_let;
  int32_t *returns;
  POD_LIST(place_t) places;
  int32_t *stack;  // Room for every edge and node.
  int32_t needed_for;
  POD_LIST(int32_t)
  needed;  // The collectives that core node `needed_for` waits for, in order.
} scheduler_t;

// --- Heaps ---

// By key; of equal ones the first of the program.
static void push_node(pod_heap_t *heap, int32_t key, int32_t node) {
  pod_heap_push(heap, (int64_t)key << 32 | (int64_t)node, (uintptr_t)node);
}

static int32_t pop_node(pod_heap_t *heap) {
  return (int32_t)pod_heap_pop(heap).item;
}

// The first node that has not been done yet, or CHIP_NONE.
static int32_t first_node(const scheduler_t *scheduler, pod_heap_t *heap) {
  while (pod_heap_count(heap) > 0) {
    const int32_t node = (int32_t)pod_heap_first(heap).item;
    if (!scheduler->states[node].is_emitted) {
      return node;
    }
    (void)pop_node(heap);
  }
  return CHIP_NONE;
}

// --- Places ---

static const schedule_node_t *node_at(const scheduler_t *scheduler, int32_t node) {
  return &scheduler->graph->nodes[node];
}

static cluster_t *cluster_at(const scheduler_t *scheduler, int32_t node) {
  return &scheduler->clusters->clusters[node_at(scheduler, node)->cluster];
}

static void add_place(scheduler_t *scheduler, mlir_op_t *op, int32_t node) {
  *pod_list_add(&scheduler->places) = (place_t){op, node};
}

static void place_node(scheduler_t *scheduler, int32_t node) {
  const schedule_node_t *it = node_at(scheduler, node);
  scheduler->states[node].is_emitted = true;
  if (it->cluster == CHIP_NONE) {
    add_place(scheduler, it->op, node);
    return;
  }
  const clusters_t *clusters = scheduler->clusters;
  const cluster_t *cluster = &clusters->clusters[it->cluster];
  for (int32_t m = 0; m < cluster->member_count; m++) {
    mlir_op_t *member = clusters->members[cluster->first_member + m];
    if (clusters->cluster_of[member->id] == it->cluster) {
      add_place(scheduler, member, node);
    }
  }
}

// The node, and before it the free ones that it needs and that are not there yet: depth
// first, a node stays on the stack until what it needs has been placed.
static void emit(scheduler_t *scheduler, int32_t node) {
  const schedule_graph_t *graph = scheduler->graph;
  int32_t count = 0;
  scheduler->stack[count++] = node;
  while (count > 0) {
    const int32_t top = scheduler->stack[count - 1];
    const schedule_node_t *it = &graph->nodes[top];
    const int32_t before = count;
    for (int32_t d = it->dep_count - 1; d >= 0 && !scheduler->states[top].is_emitted;
         d--) {
      const int32_t dep = graph->deps[it->first_dep + d];
      if (graph->nodes[dep].kind == SCHEDULE_FREE && !scheduler->states[dep].is_emitted) {
        scheduler->stack[count++] = dep;
      }
    }
    if (count == before) {
      count--;
      if (!scheduler->states[top].is_emitted) {
        place_node(scheduler, top);
      }
    }
  }
}

// --- What becomes possible ---

static void let_returns(scheduler_t *scheduler) {
  while (scheduler->next_return < scheduler->return_count) {
    const int32_t node = scheduler->returns[scheduler->next_return];
    state_t *state = &scheduler->states[node];
    if (!state->is_let) {
      if (!state->is_ready || scheduler->returns_let >= RETURNS_MAX) {
        return;
      }
      state->is_let = true;
      scheduler->returns_let++;
      push_node(&scheduler->startable, node_at(scheduler, node)->needed_by, node);
    }
    scheduler->next_return++;
  }
}

static void become_ready(scheduler_t *scheduler, int32_t node) {
  const schedule_node_t *it = node_at(scheduler, node);
  if (scheduler->states[node].is_return) {
    scheduler->states[node].is_ready = true;
    let_returns(scheduler);
  } else if (it->kind == SCHEDULE_COLLECTIVE) {
    push_node(&scheduler->startable, it->needed_by, node);
  } else {
    push_node(it->feeds ? &scheduler->feeders : &scheduler->ready, node, node);
  }
}

// Nodes that wait for nothing else become ready; free ones are satisfied at once.
static void satisfy(scheduler_t *scheduler, int32_t node) {
  const schedule_graph_t *graph = scheduler->graph;
  int32_t count = 0;
  scheduler->stack[count++] = node;
  while (count > 0) {
    const int32_t at = scheduler->stack[--count];
    const schedule_node_t *it = &graph->nodes[at];
    scheduler->states[at].is_satisfied = true;
    for (int32_t u = 0; u < it->user_count; u++) {
      const int32_t user = graph->users[it->first_user + u];
      if (--scheduler->states[user].pending > 0) {
        continue;
      }
      if (graph->nodes[user].kind == SCHEDULE_FREE) {
        scheduler->stack[count++] = user;
      } else {
        become_ready(scheduler, user);
      }
    }
  }
}

// --- Collectives ---

static int64_t later_of(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// The core does nothing for it: DMA over the host's bus.
static bool is_transfer(const scheduler_t *scheduler, int32_t node) {
  return cluster_at(scheduler, node)->kind == CHIP_TASK_TRANSFER_START;
}

// By how much memory grows until the result has been read.
static int64_t growth_of(const scheduler_t *scheduler, int32_t node) {
  const chip_work_t *work = &cluster_at(scheduler, node)->work;
  const int64_t growth = work->hbm_written_bytes - work->hbm_read_bytes;
  return growth > 0 ? growth : 0;
}

static int64_t *links_of(scheduler_t *scheduler, int32_t node) {
  return &scheduler->links_free_ps[cluster_at(scheduler, node)->links % LINK_KINDS];
}

static void start(scheduler_t *scheduler, int32_t node) {
  emit(scheduler, node);
  if (scheduler->states[node].is_return && !scheduler->states[node].is_let) {
    scheduler->states[node].is_let = true;  // Its reader cannot wait.
    scheduler->returns_let++;
  }
  int64_t *free_ps = links_of(scheduler, node);
  scheduler->states[node].finish_ps = chip_work_plus(
      later_of(scheduler->now_ps, *free_ps), cluster_at(scheduler, node)->duration_ps);
  *free_ps = scheduler->states[node].finish_ps;
  scheduler->growth_bytes =
      chip_work_plus(scheduler->growth_bytes, growth_of(scheduler, node));
  if (!is_transfer(scheduler, node)) {
    scheduler->now_ps = chip_work_plus(
        scheduler->now_ps,
        chip_async_start_ps(scheduler->clusters->spec,
                            (chip_op_t)cluster_at(scheduler, node)->root->kind));
  }
  POD_CHECK(scheduler->under_way_count < UNDER_WAY_MAX);
  scheduler->under_way[scheduler->under_way_count++] = node;
}

static void finish(scheduler_t *scheduler, int32_t index) {
  const int32_t node = scheduler->under_way[index];
  add_place(scheduler, NULL, node);
  scheduler->now_ps = later_of(scheduler->now_ps, scheduler->states[node].finish_ps);
  if (!is_transfer(scheduler, node)) {
    scheduler->now_ps = chip_work_plus(
        scheduler->now_ps,
        chip_async_done_ps(scheduler->clusters->spec,
                           (chip_op_t)cluster_at(scheduler, node)->root->kind));
  }
  scheduler->growth_bytes -= growth_of(scheduler, node);
  scheduler->under_way_count--;
  memmove(&scheduler->under_way[index], &scheduler->under_way[index + 1],
          (size_t)(scheduler->under_way_count - index) * sizeof(int32_t));
  satisfy(scheduler, node);
  if (scheduler->states[node].is_return) {
    scheduler->returns_let--;
    let_returns(scheduler);
  }
}

// The one that is done first, of equals the one that started first.
static int32_t earliest(const scheduler_t *scheduler) {
  int32_t best = 0;
  for (int32_t i = 1; i < scheduler->under_way_count; i++) {
    if (scheduler->states[scheduler->under_way[i]].finish_ps <
        scheduler->states[scheduler->under_way[best]].finish_ps) {
      best = i;
    }
  }
  return best;
}

static bool has_finished(const scheduler_t *scheduler, int32_t node) {
  return scheduler->states[node].finish_ps <= scheduler->now_ps;
}

// Makes room for another: what has arrived and does not hold memory back is done now.
static void retire(scheduler_t *scheduler) {
  for (int32_t i = 0; i < scheduler->under_way_count;) {
    const int32_t node = scheduler->under_way[i];
    if (has_finished(scheduler, node) && growth_of(scheduler, node) == 0) {
      finish(scheduler, i);
    } else {
      i++;
    }
  }
}

static bool has_room(const scheduler_t *scheduler, int32_t node) {
  const uint64_t links = cluster_at(scheduler, node)->links;
  int32_t alike = 0;
  for (int32_t i = 0; i < scheduler->under_way_count; i++) {
    alike += cluster_at(scheduler, scheduler->under_way[i])->links == links;
  }
  const bool has_links =
      is_transfer(scheduler, node)
          ? scheduler->under_way_count < TRANSFERS_MAX
          : scheduler->under_way_count < UNDER_WAY_MAX && alike < UNDER_WAY_OF_A_KIND;
  return has_links && chip_work_plus(scheduler->growth_bytes,
                                     growth_of(scheduler, node)) <= scheduler->growth_max;
}

// Starts what may start now, of the first few that wait.
static void start_collectives(scheduler_t *scheduler) {
  int32_t kept[CANDIDATES_MAX];
  int32_t kept_count = 0;
  while (kept_count < CANDIDATES_MAX &&
         first_node(scheduler, &scheduler->startable) != CHIP_NONE) {
    const int32_t node = pop_node(&scheduler->startable);
    if (!is_transfer(scheduler, node) && *links_of(scheduler, node) > scheduler->now_ps) {
      kept[kept_count++] = node;
      continue;
    }
    if (!has_room(scheduler, node)) {
      retire(scheduler);
    }
    if (has_room(scheduler, node)) {
      start(scheduler, node);
    } else {
      kept[kept_count++] = node;
    }
  }
  for (int32_t i = 0; i < kept_count; i++) {
    push_node(&scheduler->startable, node_at(scheduler, kept[i])->needed_by, kept[i]);
  }
}

// --- The core ---

static void run(scheduler_t *scheduler, int32_t node) {
  if (cluster_at(scheduler, node)->has_collectives) {
    for (int32_t i = 0;
         i < scheduler->under_way_count;) {  // They would meet those inside.
      if (is_transfer(scheduler, scheduler->under_way[i])) {
        i++;
      } else {
        finish(scheduler, i);
      }
    }
  }
  emit(scheduler, node);
  scheduler->now_ps =
      chip_work_plus(scheduler->now_ps, cluster_at(scheduler, node)->duration_ps);
  satisfy(scheduler, node);
}

static int compare_nodes(const void *left, const void *right) {
  const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
  return (a > b) - (a < b);
}

// The collectives between what is satisfied and `node`. Nodes before them are, or are
// free.
static void find_needed(scheduler_t *scheduler, int32_t node) {
  const schedule_graph_t *graph = scheduler->graph;
  scheduler->needed_for = node;
  pod_list_clear(&scheduler->needed);
  int32_t count = 0;
  scheduler->stack[count++] = node;
  while (count > 0) {
    const schedule_node_t *it = &graph->nodes[scheduler->stack[--count]];
    for (int32_t d = 0; d < it->dep_count; d++) {
      const int32_t dep = graph->deps[it->first_dep + d];
      state_t *state = &scheduler->states[dep];
      if (state->is_satisfied || state->pending < 0) {
        continue;
      }
      state->pending -= graph->edge_count + 1;  // Seen.
      scheduler->stack[count++] = dep;
      *pod_list_add(&scheduler->needed) = dep;
    }
  }
  int32_t kept = 0;
  for (int32_t i = 0; i < scheduler->needed.count; i++) {
    const int32_t at = scheduler->needed.items[i];
    scheduler->states[at].pending += graph->edge_count + 1;
    if (graph->nodes[at].kind == SCHEDULE_COLLECTIVE) {
      scheduler->needed.items[kept++] = at;
    }
  }
  scheduler->needed.count = kept;
  if (kept > 1) {
    qsort(scheduler->needed.items, (size_t)kept, sizeof(*scheduler->needed.items),
          compare_nodes);
  }
}

// The first collective that `node` waits for; it can start, if it has not.
static int32_t first_needed(scheduler_t *scheduler, int32_t node) {
  if (scheduler->needed_for != node) {
    find_needed(scheduler, node);
  }
  int32_t done = 0;
  while (done < scheduler->needed.count &&
         scheduler->states[scheduler->needed.items[done]].is_satisfied) {
    done++;
  }
  POD_CHECK(done < scheduler->needed.count);
  scheduler->needed.count -= done;
  memmove(scheduler->needed.items, scheduler->needed.items + done,
          (size_t)scheduler->needed.count * sizeof(int32_t));
  return scheduler->needed.items[0];
}

// Something else to do while the core would wait, the earliest in the program.
static int32_t filler(scheduler_t *scheduler) {
  const int32_t a = first_node(scheduler, &scheduler->ready),
                b = first_node(scheduler, &scheduler->feeders);
  return a == CHIP_NONE || (b != CHIP_NONE && b < a) ? b : a;
}

static void make_room(scheduler_t *scheduler) {
  if (scheduler->under_way_count == UNDER_WAY_MAX) {
    finish(scheduler, earliest(scheduler));
  }
}

// One step towards `node`, the next of the program, which waits for a collective.
static void advance(scheduler_t *scheduler, int32_t node) {
  const int32_t needed = first_needed(scheduler, node);
  if (!scheduler->states[needed].is_emitted) {
    make_room(scheduler);
    start(scheduler, needed);
    return;
  }
  for (int32_t i = 0; i < scheduler->under_way_count; i++) {
    if (scheduler->under_way[i] == needed && has_finished(scheduler, needed)) {
      finish(scheduler, i);
      return;
    }
  }
  const int32_t first = earliest(scheduler);
  const int32_t other = filler(scheduler);
  if (other != CHIP_NONE && !has_finished(scheduler, scheduler->under_way[first]) &&
      other - node <= AHEAD_MAX) {
    run(scheduler, other);
  } else {
    finish(scheduler, first);
  }
}

static void run_core(scheduler_t *scheduler) {
  for (int32_t node = 0; node < scheduler->graph->node_count;) {
    if (node_at(scheduler, node)->kind != SCHEDULE_CORE ||
        scheduler->states[node].is_emitted) {
      node++;
      continue;
    }
    start_collectives(scheduler);
    if (scheduler->states[node].pending > 0) {
      advance(scheduler, node);
      continue;
    }
    const int32_t feeder = first_node(scheduler, &scheduler->feeders);
    const bool yields = feeder != CHIP_NONE && !node_at(scheduler, node)->feeds &&
                        feeder - node <= AHEAD_MAX;
    run(scheduler, yields ? feeder : node);
  }
}

// Collectives that no kernel reads; then what nothing needed so far.
static void run_rest(scheduler_t *scheduler) {
  for (;;) {
    start_collectives(scheduler);
    if (scheduler->under_way_count > 0) {
      finish(scheduler, earliest(scheduler));
    } else if (first_node(scheduler, &scheduler->startable) != CHIP_NONE) {
      start(scheduler, pop_node(&scheduler->startable));
    } else {
      break;
    }
  }
  for (int32_t i = 0; i < scheduler->graph->node_count; i++) {
    if (!scheduler->states[i].is_emitted) {
      emit(scheduler, i);
    }
  }
}

static void start_all(scheduler_t *scheduler) {
  const schedule_graph_t *graph = scheduler->graph;
  for (int32_t i = 0; i < graph->node_count; i++) {
    scheduler->states[i].pending = graph->nodes[i].dep_count;
  }
  for (int32_t i = 0; i < graph->node_count; i++) {
    if (graph->nodes[i].dep_count > 0) {
      continue;
    }
    if (graph->nodes[i].kind == SCHEDULE_FREE) {
      satisfy(scheduler, i);
    } else {
      become_ready(scheduler, i);
    }
  }
}

// --- The new order ---

// A collective overlaps with something when a kernel or another collective stands between
// its start and its end.
static bool *find_async(const scheduler_t *scheduler) {
  const schedule_graph_t *graph = scheduler->graph;
  bool *is_async = pod_alloc((size_t)graph->node_count + 1);
  int32_t *started = pod_alloc(((size_t)graph->node_count + 1) * sizeof(*started));
  int32_t tasks = 0;
  for (int32_t i = 0; i < scheduler->places.count; i++) {
    const place_t *place = &scheduler->places.items[i];
    const schedule_node_t *node = &graph->nodes[place->node];
    if (place->op == NULL) {
      is_async[place->node] = tasks > started[place->node];
    } else if (node->cluster != CHIP_NONE && node->op == place->op) {
      started[place->node] = ++tasks;
    }
  }
  free(started);
  return is_async;
}

// What it waits for, and what must stay as it is until then. An update is written where
// its first operand lies, which is gone.
static mlir_op_t *make_done(clusters_t *clusters, cluster_t *cluster) {
  mlir_module_t *module = clusters->module;
  mlir_op_t *op = cluster->root;
  const int gone = op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE;
  mlir_op_set_attr(module, op, mlir_intern(module, COMPILER_ASYNC_ATTR),
                   mlir_attr_unit(module));
  const int count = op->result_count + op->operand_count - gone;
  mlir_value_t **operands = pod_alloc((size_t)count * sizeof(mlir_value_t *));
  for (int i = 0; i < count; i++) {
    operands[i] = i < op->result_count ? &op->results[i]
                                       : op->operands[i - op->result_count + gone];
  }
  mlir_op_t *done = mlir_op_create(module, chip_op_name(CHIP_OP_ASYNC_DONE), count,
                                   operands, 0, NULL, 0);
  free(operands);
  done->position = op->position;
  done->location = op->location;
  cluster->done = done;
  return done;
}

static void move_to_end(mlir_block_t *block, mlir_op_t *op) {
  if (op->block != NULL) {
    mlir_op_unlink(op);
  }
  mlir_block_append(block, op);
}

static void keep_order(cluster_block_t *block) {
  for (mlir_op_t *op = block->block->first; op != NULL; op = op->next) {
    block->op_count++;
  }
  block->ops = pod_alloc((size_t)block->op_count * sizeof(*block->ops));
  int32_t at = 0;
  for (mlir_op_t *op = block->block->first; op != NULL; op = op->next) {
    block->ops[at++] = op;
  }
}

static void apply(scheduler_t *scheduler, cluster_block_t *block) {
  keep_order(block);
  bool *is_async = find_async(scheduler);
  mlir_op_t *end = block->block->last;
  for (int32_t i = 0; i < scheduler->places.count; i++) {
    const place_t *place = &scheduler->places.items[i];
    if (place->op != NULL) {
      move_to_end(block->block, place->op);
    } else if (is_async[place->node]) {
      move_to_end(block->block,
                  make_done(scheduler->clusters, cluster_at(scheduler, place->node)));
    }
  }
  move_to_end(block->block, end);
  free(is_async);
}

// --- All blocks ---

static bool is_return(const schedule_node_t *node) {
  if (node->kind != SCHEDULE_COLLECTIVE || node->op->kind != CHIP_OP_TO_DEVICE) {
    return false;
  }
  const mlir_op_t *maker = node->op->operands[0]->op;
  while (maker != NULL && fuse_class(maker) == FUSE_VIEW) {
    maker = maker->operands[0]->op;
  }
  return maker != NULL && maker->block == node->op->block &&
         maker->kind == CHIP_OP_TO_HOST;
}

// By who reads it first; of equals in the order of the program.
static void find_returns(scheduler_t *scheduler) {
  const schedule_graph_t *graph = scheduler->graph;
  pod_heap_t heap = {0};
  for (int32_t i = 0; i < graph->node_count; i++) {
    if (is_return(&graph->nodes[i])) {
      scheduler->states[i].is_return = true;
      push_node(&heap, graph->nodes[i].needed_by, i);
      scheduler->return_count++;
    }
  }
  scheduler->returns =
      pod_alloc(((size_t)scheduler->return_count + 1) * sizeof(*scheduler->returns));
  for (int32_t i = 0; i < scheduler->return_count; i++) {
    scheduler->returns[i] = pop_node(&heap);
  }
  pod_heap_deinit(&heap);
}

static void schedule_block(clusters_t *clusters, cluster_block_t *block, int32_t *node_of,
                           int64_t growth_max) {
  schedule_graph_t graph;
  schedule_graph_init(&graph, clusters, block, node_of);
  const size_t room = (size_t)graph.node_count + 1;
  scheduler_t scheduler = {.clusters = clusters,
                           .graph = &graph,
                           .growth_max = growth_max,
                           .needed_for = CHIP_NONE};
  scheduler.states = pod_alloc(room * sizeof(*scheduler.states));
  scheduler.stack = pod_alloc((room + (size_t)graph.edge_count) * sizeof(int32_t));
  find_returns(&scheduler);
  start_all(&scheduler);
  run_core(&scheduler);
  run_rest(&scheduler);
  block->scheduled_ps = scheduler.now_ps;
  apply(&scheduler, block);
  free(scheduler.states);
  free(scheduler.returns);
  pod_heap_deinit(&scheduler.ready);
  pod_heap_deinit(&scheduler.feeders);
  pod_heap_deinit(&scheduler.startable);
  free(scheduler.stack);
  pod_list_deinit(&scheduler.places);
  pod_list_deinit(&scheduler.needed);
  schedule_graph_deinit(&graph);
}

static bool has_own_collectives(const clusters_t *clusters,
                                const cluster_block_t *block) {
  for (int32_t i = 0; i < block->cluster_count; i++) {
    const chip_task_kind_t kind = clusters->clusters[block->first_cluster + i].kind;
    if (kind == CHIP_TASK_COLLECTIVE || kind == CHIP_TASK_TRANSFER_START) {
      return true;
    }
  }
  return false;
}

// What may wait to be read.
static int64_t growth_max(const clusters_t *clusters, int64_t shares) {
  const mlir_block_t *block = clusters->blocks.items[0].block;
  int64_t taken = 0;
  for (int i = 0; i < block->argument_count; i++) {
    taken = chip_work_plus(taken, fuse_bytes(block->arguments[i]));
  }
  for (int i = 0; i < block->last->operand_count; i++) {
    taken = chip_work_plus(taken, fuse_bytes(block->last->operands[i]));
  }
  const int64_t left = chip_spec_hbm_usable_bytes(clusters->spec) - taken;
  return left > 0 ? left / shares : 0;
}

void clusters_schedule(clusters_t *clusters, int64_t shares) {
  for (int32_t i = 0; i < clusters->cluster_count;
       i++) {  // What a user may have written.
    mlir_op_remove_attr(clusters->clusters[i].root, COMPILER_ASYNC_ATTR);
  }
  const int64_t bytes = growth_max(clusters, shares);
  int32_t *node_of = pod_alloc(((size_t)clusters->op_count + 1) * sizeof(*node_of));
  for (int32_t b = 0; b < clusters->blocks.count; b++) {
    cluster_block_t *block = &clusters->blocks.items[b];
    if (has_own_collectives(clusters, block)) {
      schedule_block(clusters, block, node_of, bytes);
    }
  }
  free(node_of);
  clusters_list_steps(clusters);
}

void clusters_unschedule(clusters_t *clusters) {
  for (int32_t i = 0; i < clusters->cluster_count; i++) {
    cluster_t *cluster = &clusters->clusters[i];
    if (cluster->done != NULL) {
      mlir_op_unlink(cluster->done);
      mlir_op_remove_attr(cluster->root, COMPILER_ASYNC_ATTR);
      cluster->done = NULL;
    }
  }
  for (int32_t b = 0; b < clusters->blocks.count; b++) {
    cluster_block_t *block = &clusters->blocks.items[b];
    for (int32_t i = 0; i < block->op_count; i++) {
      move_to_end(block->block, block->ops[i]);
    }
    free(block->ops);
    block->ops = NULL;
    block->op_count = 0;
  }
  clusters_list_steps(clusters);
}

bool clusters_is_scheduled(const clusters_t *clusters) {
  for (int32_t b = 0; b < clusters->blocks.count; b++) {
    if (clusters->blocks.items[b].ops != NULL) {
      return true;
    }
  }
  return false;
}

static void add_step(clusters_t *clusters, cluster_block_t *block, int32_t cluster,
                     bool is_done) {
  clusters->steps[clusters->step_count++] = (cluster_step_t){cluster, is_done};
  block->step_count++;
}

void clusters_list_steps(clusters_t *clusters) {
  free(clusters->steps);
  clusters->steps =
      pod_alloc((2 * (size_t)clusters->cluster_count + 1) * sizeof(*clusters->steps));
  clusters->step_count = 0;
  for (int32_t b = 0; b < clusters->blocks.count; b++) {
    cluster_block_t *block = &clusters->blocks.items[b];
    block->first_step = clusters->step_count;
    block->step_count = 0;
    for (const mlir_op_t *op = block->block->first; op != NULL; op = op->next) {
      const bool is_done = op->kind == CHIP_OP_ASYNC_DONE;
      const mlir_op_t *of = is_done ? op->operands[0]->op : op;
      const int32_t at = of != NULL && of->id < clusters->op_count
                             ? clusters->cluster_of[of->id]
                             : CHIP_NONE;
      if (at != CHIP_NONE && (is_done ? clusters->clusters[at].done == op
                                      : clusters->clusters[at].root == op)) {
        add_step(clusters, block, at, is_done);
      }
    }
  }
}
