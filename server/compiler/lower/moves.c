// See moves.h.

#include "server/compiler/lower/moves.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "server/compiler/lower/vars.h"

lower_moves_t lower_moves_make(lower_t *lower, const mlir_op_t *op,
                               lower_wish_kind_t wish, int32_t count) {
  const size_t size = (size_t)count;
  int32_t *lists = pod_arena_array(lower->module->arena, 5 * size, sizeof(*lists));
  lower_moves_t moves = {.op = op,
                         .wish = wish,
                         .count = count,
                         .state = lists,
                         .source = lists + size,
                         .reads = lists + 2 * size,
                         .readers = lists + 3 * size,
                         .next = lists + 4 * size};
  for (int32_t i = 0; i < count; i++) {
    moves.reads[i] = moves.next[i] = CHIP_NONE;
  }
  return moves;
}

void lower_moves_note_read(lower_moves_t *moves, int32_t i, int32_t k) {
  if (moves->source[i] != CHIP_NONE && k >= 0 && k < moves->count && k != i &&
      moves->source[k] != CHIP_NONE) {
    moves->reads[i] = k;
    moves->readers[k]++;
  }
}

// Writes next[i]. What reads state[i] has gone before.
static void copy_next(lower_t *lower, lower_moves_t *moves, int32_t i) {
  moves->next[i] = lower_add_like(lower, moves->source[i]);
  lower_add_move(lower, CHIP_OP_COPY, moves->op, moves->next[i], moves->source[i],
                 moves->wish);
}

// The copy that reads state[at], where every copy left reads another's target: they form
// circles.
static int32_t reader_in_circle(const lower_moves_t *moves, int32_t at) {
  int32_t i = at;
  while (moves->reads[i] != at) {
    i = moves->reads[i];
  }
  return i;
}

// One that reads another's target goes before it, and of those that read one another in a
// circle one reads from aside.
static void order_moves(lower_t *lower, lower_moves_t *moves, int32_t *ready) {
  int32_t ready_count = 0, left = 0;
  for (int32_t i = 0; i < moves->count; i++) {
    left += moves->source[i] != CHIP_NONE;
    if (moves->source[i] != CHIP_NONE && moves->readers[i] == 0) {
      ready[ready_count++] = i;
    }
  }
  for (int32_t circle = 0; left > 0; left--) {
    if (ready_count == 0) {
      while (moves->source[circle] == CHIP_NONE || moves->next[circle] != CHIP_NONE) {
        circle++;
      }
      const int32_t aside = lower_add_like(lower, moves->state[circle]);
      lower_add_move(lower, CHIP_OP_COPY, moves->op, aside, moves->state[circle],
                     LOWER_WISH_VIEW);
      const int32_t reader = reader_in_circle(moves, circle);
      moves->source[reader] = aside;
      moves->reads[reader] = CHIP_NONE;
      ready[ready_count++] = circle;
    }
    const int32_t i = ready[--ready_count];
    copy_next(lower, moves, i);
    const int32_t read = moves->reads[i];
    if (read != CHIP_NONE && --moves->readers[read] == 0) {
      ready[ready_count++] = read;
    }
  }
}

void lower_moves_add(lower_t *lower, lower_moves_t *moves) {
  int32_t *ready = pod_alloc((size_t)moves->count * sizeof(*ready));
  order_moves(lower, moves, ready);
  free(ready);
}
