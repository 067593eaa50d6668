// The ways are tried in their order; the module is changed and changed back.

#include "server/compiler/schedule/fit.h"

#include "server/chip/work.h"
#include "server/compiler/schedule/fuse.h"
#include "server/compiler/schedule/memory.h"
#include "server/compiler/schedule/remat.h"

enum {
  ROUNDS_MAX = 16,  // Of rematerialisation.
  STALE_MAX = 3,    // Rounds in a row that win nothing.
};

typedef struct fitter_t {
  const compiler_partitioned_t *partitioned;
  const clusters_clock_t *clock;
  clusters_t **clusters;
  remat_t remat;
} fitter_t;

// Whether everything fits side by side: then nothing has to be counted.
static bool fits_side_by_side(const clusters_t *clusters) {
  const mlir_block_t *block = clusters->blocks.items[0].block;
  int64_t bytes = 0;
  for (int i = 0; i < block->argument_count; i++) {
    bytes = chip_work_plus(bytes, fuse_bytes(block->arguments[i]));
  }
  for (int i = 0; i < block->last->operand_count; i++) {
    bytes = chip_work_plus(bytes, fuse_bytes(block->last->operands[i]));
  }
  for (int32_t b = 0; b < clusters->blocks.count; b++) {
    block = clusters->blocks.items[b].block;
    for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
      for (int r = 0; r < op->result_count; r++) {
        // A value and the copy that a loop, branch or result may need of it.
        bytes = chip_work_plus(bytes, fuse_bytes(&op->results[r]));
        bytes = chip_work_plus(bytes, fuse_bytes(&op->results[r]));
      }
    }
    for (int i = 0; i < block->argument_count && b > 0; i++) {
      bytes = chip_work_plus(bytes, fuse_bytes(block->arguments[i]));
    }
  }
  return bytes <= chip_spec_hbm_usable_bytes(clusters->spec) / 2;
}

static pod_status_t measure(const fitter_t *fitter, int64_t *out_excess) {
  memory_t memory;
  POD_TRY(memory_count(*fitter->clusters, &memory));
  *out_excess = chip_memory_hbm_bytes(&memory.total) -
                chip_spec_hbm_usable_bytes(fitter->clock->spec);
  memory_deinit(&memory);
  return NULL;
}

static void order(const fitter_t *fitter, bool overlaps) {
  if (clusters_is_scheduled(*fitter->clusters)) {
    clusters_unschedule(*fitter->clusters);
  }
  if (overlaps) {
    clusters_schedule(*fitter->clusters, CLUSTERS_SHARES_TIGHT);
  } else {
    clusters_list_steps(*fitter->clusters);
  }
}

static pod_status_t remake(const fitter_t *fitter, bool overlaps) {
  clusters_destroy(*fitter->clusters);
  *fitter->clusters = NULL;
  POD_TRY(clusters_create(fitter->partitioned, fitter->clock, fitter->clusters));
  order(fitter, overlaps);
  return NULL;
}

// One round. `io_excess`: what is missing, before and after; INT64_MAX after: no value is
// worth being made again.
static pod_status_t shrink(fitter_t *fitter, bool overlaps, int64_t *io_excess) {
  memory_t memory;
  POD_TRY(memory_count(*fitter->clusters, &memory));
  const bool is_won =
      remat_shrink(&fitter->remat, *fitter->clusters, &memory, *io_excess);
  memory_deinit(&memory);
  if (!is_won) {
    *io_excess = INT64_MAX;
    return NULL;
  }
  POD_TRY(remake(fitter, overlaps));
  return measure(fitter, io_excess);
}

static pod_status_t make_again(fitter_t *fitter, bool overlaps, bool *out_fits) {
  int64_t excess;
  POD_TRY(measure(fitter, &excess));
  int64_t best = excess;
  int stale = 0;
  for (int round = 0; round < ROUNDS_MAX && excess > 0 && stale < STALE_MAX; round++) {
    POD_TRY(shrink(fitter, overlaps, &excess));
    if (excess == INT64_MAX) {
      break;
    }
    stale = excess < best ? 0 : stale + 1;
    best = excess < best ? excess : best;
  }
  *out_fits = excess <= 0;
  return NULL;
}

static pod_status_t take_back(fitter_t *fitter, bool overlaps) {
  if (clusters_is_scheduled(*fitter->clusters)) {
    clusters_unschedule(*fitter->clusters);
  }
  if (fitter->remat.changes.count == 0) {
    order(fitter, overlaps);
    return NULL;
  }
  remat_undo(&fitter->remat);
  return remake(fitter, overlaps);
}

// --- What is told ---

static const char *note_of(const fitter_t *fitter, int64_t excess, bool overlaps) {
  const remat_t *remat = &fitter->remat;
  pod_arena_t *arena = fitter->partitioned->module->arena;
  pod_text_t text = {0};
  pod_text_add(&text, "the schedule needs ");
  pod_text_add_size(&text, (unsigned long long)excess);
  pod_text_add(&text, " more HBM than there is:");
  if (remat->value_count > 0) {
    const bool is_one = remat->value_count == 1;
    pod_text_printf(&text, " %d %s computed again where %s read late, ",
                    remat->value_count, is_one ? "result is" : "results are",
                    is_one ? "it is" : "they are");
    pod_text_add_time(&text, remat->duration_ps);
    pod_text_add(&text, " of kernels");
  }
  if (!overlaps) {
    pod_text_add(&text, remat->value_count > 0 ? ", and collectives do not overlap"
                                               : " collectives do not overlap");
  }
  if (remat->value_count == 0 && overlaps) {
    pod_text_add(&text, " fewer collectives start ahead of their readers");
  }
  const char *note = pod_arena_strdup(arena, text.bytes);
  pod_text_deinit(&text);
  return note;
}

static pod_status_t try_ways(fitter_t *fitter, bool *out_overlaps, bool *out_fits) {
  int64_t excess;
  *out_overlaps = true;
  if (clusters_is_scheduled(*fitter->clusters)) {
    order(fitter, true);
    POD_TRY(measure(fitter, &excess));
    if (excess <= 0) {
      *out_fits = true;
      return NULL;
    }
  }
  const bool could_overlap = clusters_is_scheduled(*fitter->clusters);
  POD_TRY(make_again(fitter, true, out_fits));
  if (*out_fits || !could_overlap) {
    return NULL;
  }
  *out_overlaps = false;
  POD_TRY(take_back(fitter, false));
  POD_TRY(measure(fitter, &excess));
  *out_fits = excess <= 0;
  return *out_fits ? NULL : make_again(fitter, false, out_fits);
}

pod_status_t fit_hbm(const compiler_partitioned_t *partitioned,
                     const clusters_clock_t *clock, clusters_t **clusters,
                     const char **out_note) {
  *out_note = NULL;
  fitter_t fitter = {.partitioned = partitioned, .clock = clock, .clusters = clusters};
  if (fits_side_by_side(*clusters)) {
    return NULL;
  }
  int64_t excess;
  POD_TRY(measure(&fitter, &excess));
  if (excess <= 0) {
    return NULL;
  }
  bool overlaps, fits = false;
  pod_status_t status = try_ways(&fitter, &overlaps, &fits);
  if (status == NULL && fits) {
    *out_note = note_of(&fitter, excess, overlaps);
  } else if (status == NULL) {
    status = take_back(&fitter, false);
  }
  remat_deinit(&fitter.remat);
  return status;
}
