// A blocked matrix product on AMX tiles (K. Goto, R. van de Geijn: Anatomy of High-
// Performance Matrix Multiplication, 2008): both operands are packed, sums stay in tile
// registers for the depth of a panel.

#include "server/worker/kernels/product/dot_tiles.h"

#include "server/worker/kernels/scratch.h"

#if defined(KERNEL_HAS_TILES)

#include "server/worker/kernels/cpu.h"
#include "server/worker/kernels/loops/tiles.h"
#include "server/worker/kernels/stop.h"

static bool is_byte(tensor_dtype_t dtype) {
  return dtype == TENSOR_S8 || dtype == TENSOR_U8;
}

bool tiles_have_types(tensor_dtype_t a, tensor_dtype_t b, tensor_dtype_t c) {
  const bool is_bf16 =
      a == TENSOR_BF16 && b == TENSOR_BF16 && (c == TENSOR_BF16 || c == TENSOR_F32);
  if (!is_bf16 && !(is_byte(a) && is_byte(b) && c == TENSOR_S32)) {
    return false;
  }
  return kernel_cpu() >= KERNEL_CPU_AMX;
}

// ----- products -----

// Blocks. Of the left operand some rows lie packed with all of their depth, as many as
// the caches take; of the right one a panel. Sums stay in registers for a panel's depth,
// and between panels lie one step after the other.
enum { ROW_TILES_MAX = 32, LEFT_BYTES_MAX = 4 << 20, STEP_BYTES = 4 * TILE_BYTES };

typedef struct blocks_t {
  const tiles_matmul_t *matmul;
  tiles_kind_t kind;
  size_t element_bytes, out_bytes;
  size_t depth;          // Of the product, in tiles.
  size_t row_tiles_max;  // Of a block of the left operand.
  size_t panel_columns, panel_depth;
  // The block of the left operand, packed or as it lies.
  size_t first_row, row_count;
  const char *left;
  size_t left_row_step, left_depth_step, left_step;
  // The panel that is being multiplied.
  size_t first_column, tile_columns, first_depth;
  char *panel, *sums;
} blocks_t;

static tiles_kind_t kind_of(const tiles_matmul_t *matmul) {
  if (matmul->a_dtype == TENSOR_BF16) {
    return TILES_BF16;
  }
  if (matmul->a_dtype == TENSOR_S8) {
    return matmul->b_dtype == TENSOR_S8 ? TILES_S8_S8 : TILES_S8_U8;
  }
  return matmul->b_dtype == TENSOR_S8 ? TILES_U8_S8 : TILES_U8_U8;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static size_t tiles_of(size_t count, size_t per_tile) {
  return (count + per_tile - 1) / per_tile;
}

// `lines` lines of an operand from `first` on, whose lines and elements of lines are that
// far apart.
static tiles_source_t source_of(const blocks_t *blocks, const void *bytes, size_t first,
                                size_t lines, int64_t line_stride,
                                int64_t element_stride) {
  const size_t size = blocks->element_bytes;
  const bool is_contiguous = element_stride == 1;
  return (tiles_source_t){
      .bytes = (const char *)bytes + first * (size_t)line_stride * size,
      .element_bytes = size,
      .lines = lines,
      .depth = (size_t)blocks->matmul->k,
      .stride = (size_t)(is_contiguous ? line_stride : element_stride) * size,
      .is_line_contiguous = is_contiguous,
  };
}

// Between the tiles of two lines; not a power of two, so that they do not meet in one set
// of a cache.
static size_t step_of(size_t depth) {
  return depth * TILE_BYTES + TILE_ROW_BYTES;
}

// A step whose sums are complete: they are written while the next one is multiplied.
typedef struct finished_t {
  const char *sums;
  size_t row, column, tile_rows, tile_columns;
} finished_t;

static void write_sums(const blocks_t *blocks, const finished_t *finished, char *c) {
  if (finished->sums == NULL) {
    return;
  }
  const size_t n = (size_t)blocks->matmul->n;
  const size_t first_row = blocks->first_row + finished->row * TILE_LINES;
  const size_t first_column = blocks->first_column + finished->column * TILE_LINES;
  const size_t rows = least(finished->tile_rows * TILE_LINES,
                            blocks->row_count - finished->row * TILE_LINES);
  const size_t columns = least(finished->tile_columns * TILE_LINES, n - first_column);
  char *out = c + (first_row * n + first_column) * blocks->out_bytes;
  (blocks->out_bytes == 2 ? tiles_write_bf16 : tiles_write_words)(
      finished->sums, finished->tile_columns, rows, columns, out, n * blocks->out_bytes);
}

// `depth` tiles from the panel's first on. Sums of one panel only are written at once and
// take turns in two places.
static void multiply_panel(const blocks_t *blocks, size_t depth, char *c) {
  const bool is_last = blocks->first_depth + depth == blocks->depth;
  const bool is_only = depth == blocks->depth;
  const size_t row_tiles = tiles_of(blocks->row_count, TILE_LINES);
  const size_t widest = row_tiles == 1 ? 4 : 2;
  tiles_step_t step = {.kind = blocks->kind,
                       .a_row_step = blocks->left_row_step,
                       .a_depth_step = blocks->left_depth_step,
                       .a_step = blocks->left_step,
                       .b_step = step_of(depth),
                       .depth = depth,
                       .adds = blocks->first_depth > 0};
  finished_t finished = {0};
  size_t place = 0;
  for (size_t i = 0; i < row_tiles; i += step.rows) {
    step.rows = row_tiles - i >= 2 ? 2 : 1;
    step.a = blocks->left + i * step.a_step + blocks->first_depth * step.a_depth_step;
    for (size_t j = 0; j < blocks->tile_columns; j += step.columns) {
      const size_t left = blocks->tile_columns - j;
      step.columns = left >= widest ? widest : left >= 2 ? 2 : 1;
      step.b = blocks->panel + j * step.b_step;
      char *sums = blocks->sums + place * TILE_BYTES;
      tiles_multiply(&step, sums);
      write_sums(blocks, &finished, c);
      if (is_last) {
        finished = (finished_t){sums, i, j, step.rows, step.columns};
      }
      place = is_only ? 4 - place : place + step.rows * step.columns;
    }
  }
  write_sums(blocks, &finished, c);
}

static void multiply_rows(blocks_t *blocks, const void *b, char *c) {
  const tiles_matmul_t *matmul = blocks->matmul;
  const size_t n = (size_t)matmul->n, k = (size_t)matmul->k;
  const size_t per_tile = TILE_ROW_BYTES / blocks->element_bytes;
  const size_t width = blocks->panel_columns * TILE_LINES;
  for (size_t j = 0; j < n; j += width) {
    const size_t columns = least(width, n - j);
    const tiles_source_t source =
        source_of(blocks, b, j, columns, matmul->b_strides[1], matmul->b_strides[0]);
    blocks->first_column = j;
    blocks->tile_columns = tiles_of(columns, TILE_LINES);
    for (size_t p = 0; p < blocks->depth && !kernel_is_stopped();
         p += blocks->panel_depth) {
      const size_t depth = least(blocks->panel_depth, blocks->depth - p);
      blocks->first_depth = p;
      tiles_pack(&source, p * per_tile, least(depth * per_tile, k - p * per_tile), false,
                 step_of(depth), blocks->panel);
      multiply_panel(blocks, depth, c);
    }
  }
}

// Rows that are whole tiles and are needed for a few columns only are read where they
// lie.
static bool is_left_in_place(const blocks_t *blocks) {
  enum { COLUMNS_MAX = 128, ROW_BYTES_MAX = 2048 };
  const tiles_matmul_t *matmul = blocks->matmul;
  const size_t row_bytes = (size_t)matmul->a_strides[0] * blocks->element_bytes;
  return matmul->a_strides[1] == 1 && matmul->m % TILE_LINES == 0 &&
         (size_t)matmul->k * blocks->element_bytes % TILE_ROW_BYTES == 0 &&
         matmul->n <= COLUMNS_MAX && row_bytes <= ROW_BYTES_MAX;
}

static void take_rows(blocks_t *blocks, const void *a, size_t first, char *packed) {
  const tiles_matmul_t *matmul = blocks->matmul;
  blocks->first_row = first;
  blocks->row_count =
      least(blocks->row_tiles_max * TILE_LINES, (size_t)matmul->m - first);
  const tiles_source_t source = source_of(blocks, a, first, blocks->row_count,
                                          matmul->a_strides[0], matmul->a_strides[1]);
  if (is_left_in_place(blocks)) {
    blocks->left = source.bytes;
    blocks->left_row_step = source.stride;
    blocks->left_depth_step = TILE_ROW_BYTES;
    blocks->left_step = TILE_LINES * source.stride;
    return;
  }
  blocks->left = packed;
  blocks->left_row_step = TILE_ROW_BYTES;
  blocks->left_depth_step = TILE_BYTES;
  blocks->left_step = step_of(blocks->depth);
  tiles_pack(&source, 0, (size_t)matmul->k, true, blocks->left_step, packed);
}

// A matrix that is used for a few rows only comes from memory, which likes long runs.
// With many rows the panel and the rows should fit into the second-level cache together.
static void choose_blocks(blocks_t *blocks) {
  const tiles_matmul_t *matmul = blocks->matmul;
  const bool is_by_column = matmul->b_strides[0] == 1;
  blocks->panel_depth = is_by_column ? 16 : 8;
  blocks->panel_columns = is_by_column || matmul->m > 128 ? 16 : matmul->m > 64 ? 32 : 64;
  blocks->depth = tiles_of((size_t)matmul->k, TILE_ROW_BYTES / blocks->element_bytes);
  const size_t fitting = LEFT_BYTES_MAX / step_of(blocks->depth) / 2 * 2;
  const size_t row_tiles = least(tiles_of((size_t)matmul->m, TILE_LINES), ROW_TILES_MAX);
  blocks->row_tiles_max = least(row_tiles, fitting < 2 ? 2 : fitting);
}

pod_status_t tiles_matmul_run(const tiles_matmul_t *matmul, const void *a, const void *b,
                              void *c) {
  const size_t m = (size_t)matmul->m;
  blocks_t blocks = {.matmul = matmul,
                     .kind = kind_of(matmul),
                     .element_bytes = tensor_dtype_bytes(matmul->a_dtype),
                     .out_bytes = tensor_dtype_bytes(matmul->c_dtype)};
  choose_blocks(&blocks);
  const size_t left_bytes = blocks.row_tiles_max * step_of(blocks.depth);
  const size_t panel_bytes = blocks.panel_columns * step_of(blocks.panel_depth);
  const size_t sums_bytes =
      blocks.row_tiles_max * blocks.panel_columns * TILE_BYTES + 2 * STEP_BYTES;
  void *memory = NULL;
  POD_TRY(
      kernel_scratch(KERNEL_SLOT_PACKED, left_bytes + panel_bytes + sums_bytes, &memory));
  blocks.panel = memory;
  blocks.sums = blocks.panel + panel_bytes;
  tiles_configure(least(m, TILE_LINES));
  for (size_t row = 0; row < m && !kernel_is_stopped();
       row += blocks.row_tiles_max * TILE_LINES) {
    take_rows(&blocks, a, row, blocks.sums + sums_bytes);
    multiply_rows(&blocks, b, c);
  }
  tiles_release();
  return NULL;
}

#else

bool tiles_have_types(tensor_dtype_t a, tensor_dtype_t b, tensor_dtype_t c) {
  (void)a;
  (void)b;
  (void)c;
  return false;
}

pod_status_t tiles_matmul_run(const tiles_matmul_t *matmul, const void *a, const void *b,
                              void *c) {
  (void)matmul;
  (void)a;
  (void)b;
  (void)c;
  return pod_error(POD_INTERNAL, "a product by tiles on a CPU that has none");
}

#endif
