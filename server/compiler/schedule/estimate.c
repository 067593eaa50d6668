// Blocks from the inside out: of a loop its turns, of a branch all that it might run.

#include <stdlib.h>

#include "common/base/memory.h"
#include "server/chip/work.h"
#include "server/compiler/dialect/counter.h"
#include "server/compiler/schedule/clusters.h"

enum { TURNS_UNKNOWN = 8 };

static int64_t turns_of(const mlir_op_t *op) {
  if (op->kind != CHIP_OP_WHILE) {
    return 1;
  }
  compiler_counter_t counter;
  return compiler_counter(op, &counter) ? counter.turn_count : TURNS_UNKNOWN;
}

// Of one run. The block's own estimate has every loop and branch at one turn without
// overlap.
static int64_t block_ps(const clusters_t *clusters, const cluster_block_t *block,
                        const int64_t *more_ps) {
  int64_t ps = block->ops == NULL ? 0 : block->scheduled_ps;
  for (int32_t i = 0; i < block->cluster_count; i++) {
    const int32_t at = block->first_cluster + i;
    ps = block->ops == NULL ? chip_work_plus(ps, clusters->clusters[at].duration_ps) : ps;
    ps = more_ps[at] > 0 ? chip_work_plus(ps, more_ps[at]) : ps + more_ps[at];
  }
  return ps;
}

int64_t clusters_estimate_ps(const clusters_t *clusters) {
  // By cluster: what its blocks take beside its duration.
  int64_t *more_ps = pod_alloc(((size_t)clusters->cluster_count + 1) * sizeof(*more_ps));
  for (int32_t i = 0; i < clusters->cluster_count; i++) {
    const cluster_t *cluster = &clusters->clusters[i];
    const bool is_control =
        cluster->kind == CHIP_TASK_WHILE || cluster->kind == CHIP_TASK_BRANCH;
    more_ps[i] = is_control ? -cluster->duration_ps : 0;
  }
  for (int32_t b = clusters->blocks.count - 1; b > 0; b--) {
    const cluster_block_t *block = &clusters->blocks.items[b];
    const mlir_op_t *holder = block->block->region->op;
    int64_t *more = &more_ps[clusters->cluster_of[holder->id]];
    *more = chip_work_plus(
        *more, chip_work_times(block_ps(clusters, block, more_ps), turns_of(holder)));
  }
  const int64_t ps = block_ps(clusters, &clusters->blocks.items[0], more_ps);
  free(more_ps);
  return ps;
}
