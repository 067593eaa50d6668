// Where a ring or a line goes through a group of chips.
//
// A group that fills a block of the torus is walked from neighbour to neighbour. A block
// of at least two dimensions and an even number of chips has a way round (a Hamiltonian
// cycle of a grid graph): down the rows in a snake that leaves out the first column, and
// back up that column. In a 2x2 this is the physical ring 0, 1, 3, 2. Other groups follow
// their ids, and their hops are routed.

#include <stdlib.h>
#include <string.h>

#include "server/collective/plan.h"

typedef struct member_t {
  int32_t chip, member;
} member_t;

static int compare_chips(const void *a, const void *b) {
  const int32_t x = ((const member_t *)a)->chip;
  const int32_t y = ((const member_t *)b)->chip;
  return (x > y) - (x < y);
}

typedef struct block_t {
  int32_t low[TORUS_DIMENSIONS], extent[TORUS_DIMENSIONS];
  int32_t slice, core;
  int32_t volume;
} block_t;

// Whether all are in one slice and the same core of their chips: on one torus.
static bool are_on_one_torus(const torus_t *torus, const member_t *members,
                             int32_t size) {
  const torus_coords_t first = torus_coords(torus, members[0].chip);
  for (int32_t i = 1; i < size; i++) {
    const torus_coords_t at = torus_coords(torus, members[i].chip);
    if (at.slice != first.slice || at.core != first.core) {
      return false;
    }
  }
  return true;
}

static block_t bounding_block(const torus_t *torus, const member_t *members,
                              int32_t size) {
  const torus_coords_t first = torus_coords(torus, members[0].chip);
  block_t block = {.slice = first.slice, .core = first.core, .volume = 1};
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    int32_t low = INT32_MAX;
    int32_t high = 0;
    for (int32_t i = 0; i < size; i++) {
      const int32_t at = torus_coords(torus, members[i].chip).at[d];
      low = at < low ? at : low;
      high = at > high ? at : high;
    }
    block.low[d] = low;
    block.extent[d] = high - low + 1;
    block.volume *= block.extent[d];
  }
  return block;
}

// Place `index` of the snake through a grid of `rows` x `columns`.
static void snake(int32_t columns, int32_t index, int32_t *out_row, int32_t *out_column) {
  *out_row = index / columns;
  const int32_t along = index % columns;
  *out_column = *out_row % 2 == 0 ? along : columns - 1 - along;
}

// Place `index` of the way round a grid with an even number of rows.
static void way_round(int32_t rows, int32_t columns, int32_t index, int32_t *out_row,
                      int32_t *out_column) {
  if (index == 0) {
    *out_row = 0;
    *out_column = 0;
    return;
  }
  const int32_t snake_count = rows * (columns - 1);
  if (index <= snake_count) {
    snake(columns - 1, index - 1, out_row, out_column);
    *out_column += 1;
    return;
  }
  *out_row = rows - 1 - (index - snake_count - 1);
  *out_column = 0;
}

// A block seen as a grid: its rows lie along one dimension, its columns along a snake
// through the other two.
typedef struct grid_t {
  int row_dimension;
  int column_dimensions[2];  // The faster first.
  int32_t rows, columns;
} grid_t;

static grid_t grid_with_rows(const block_t *block, int row_dimension) {
  grid_t grid = {.row_dimension = row_dimension, .rows = block->extent[row_dimension]};
  int count = 0;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    if (d != row_dimension) {
      grid.column_dimensions[count++] = d;
    }
  }
  grid.columns = block->volume / grid.rows;
  return grid;
}

// Even rows and at least two columns, when there is such a view.
static bool grid_with_way_round(const block_t *block, grid_t *out_grid) {
  for (int d = TORUS_DIMENSIONS - 1; d >= 0; d--) {
    *out_grid = grid_with_rows(block, d);
    if (out_grid->rows % 2 == 0 && out_grid->columns >= 2) {
      return true;
    }
  }
  return false;
}

static int32_t chip_in_grid(const torus_t *torus, const block_t *block,
                            const grid_t *grid, int32_t row, int32_t column) {
  const int fast = grid->column_dimensions[0];
  const int slow = grid->column_dimensions[1];
  int32_t slow_at;
  int32_t fast_at;
  snake(block->extent[fast], column, &slow_at, &fast_at);
  torus_coords_t coords = {.slice = block->slice, .core = block->core};
  coords.at[grid->row_dimension] = block->low[grid->row_dimension] + row;
  coords.at[fast] = block->low[fast] + fast_at;
  coords.at[slow] = block->low[slow] + slow_at;
  return torus_chip_at(torus, coords);
}

static int32_t member_of(const member_t *members, int32_t size, int32_t chip) {
  const member_t key = {.chip = chip};
  const member_t *found =
      bsearch(&key, members, (size_t)size, sizeof(*members), compare_chips);
  return found->member;
}

// One dimension that the torus closes, wholly taken: the ring that it is.
static bool is_closed_axis(const torus_t *torus, const block_t *block) {
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    if (block->extent[d] == block->volume) {
      return block->volume == 2 ||
             (torus->wraps[d] && block->extent[d] == torus->size[d]);
    }
  }
  return false;
}

static void walk_block(const torus_t *torus, const block_t *block,
                       const member_t *members, collective_order_t *order) {
  grid_t grid;
  order->is_physical = true;
  const bool goes_round = grid_with_way_round(block, &grid);
  order->closes = goes_round || is_closed_axis(torus, block);
  if (!goes_round) {
    grid = grid_with_rows(block, TORUS_DIMENSIONS - 1);
  }
  for (int32_t i = 0; i < block->volume; i++) {
    int32_t row;
    int32_t column;
    if (goes_round) {
      way_round(grid.rows, grid.columns, i, &row, &column);
    } else {
      snake(grid.columns, i, &row, &column);
    }
    const int32_t chip = chip_in_grid(torus, block, &grid, row, column);
    order->order[i] = member_of(members, block->volume, chip);
  }
}

collective_order_t collective_order_find(const torus_t *torus, const int64_t *chips,
                                         int32_t size, pod_arena_t *arena) {
  collective_order_t order = {
      .order = pod_arena_array(arena, (size_t)size, sizeof(*order.order))};
  member_t *members = pod_arena_array(arena, (size_t)size, sizeof(*members));
  for (int32_t i = 0; i < size; i++) {
    members[i] = (member_t){.chip = (int32_t)chips[i], .member = i};
  }
  qsort(members, (size_t)size, sizeof(*members), compare_chips);
  const block_t block = bounding_block(torus, members, size);
  if (block.volume == size && are_on_one_torus(torus, members, size)) {
    walk_block(torus, &block, members, &order);
    return order;
  }
  for (int32_t i = 0; i < size; i++) {
    order.order[i] = members[i].member;
  }
  return order;
}
