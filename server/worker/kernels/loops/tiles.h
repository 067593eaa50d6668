// The inner loops of products by AMX: packing into tiles, multiplying tiles, writing
// sums. They are compiled for CPUs that have it; dot_tiles.c asks first and knows the
// blocks.
//
// A tile is 16 rows of 64 bytes. k is taken in words of 4 bytes, 2 of bf16 or 4 bytes
// that follow one another along k. Tiles of the left operand are 16 lines (rows of a) by
// 16 words, those of the right one 16 words by 16 lines (columns of b). What lies outside
// an operand is 0 in its tiles.
//
// Threading: pure; tile registers are the calling thread's, from configure to release.

#ifndef SERVER_WORKER_KERNELS_LOOPS_TILES_H_
#define SERVER_WORKER_KERNELS_LOOPS_TILES_H_

#include <stdbool.h>
#include <stddef.h>

enum { TILE_LINES = 16, TILE_ROW_BYTES = 64, TILE_BYTES = 1024 };

// Lines of an operand: rows of the left, columns of the right one. Elements of a line
// follow one another, or else the lines do so.
typedef struct tiles_source_t {
  const char *bytes;
  size_t element_bytes;  // 1 or 2.
  size_t lines, depth;   // Elements of a line.
  size_t stride;         // In bytes: of lines, or of the elements of a line.
  bool is_line_contiguous;
} tiles_source_t;

// Packs `depth` elements from `first` of all lines, a multiple of a tile's. Tile (i, p)
// of lines and depth goes to out + i * line_step + p * TILE_BYTES.
void tiles_pack(const tiles_source_t *source, size_t first, size_t depth, bool is_left,
                size_t line_step, char *out);

typedef enum tiles_kind_t {
  TILES_BF16,
  TILES_S8_S8,
  TILES_S8_U8,
  TILES_U8_S8,
  TILES_U8_U8,
} tiles_kind_t;

// Tiles of the left operand have `rows` rows, 1 to 16.
void tiles_configure(size_t rows);
void tiles_release(void);

// One step of a product: `rows` by `columns` tiles of sums, 1 by 1 to 4 or 2 by 1 or 2,
// that follow one another row by row.
typedef struct tiles_step_t {
  tiles_kind_t kind;
  // The first tiles; those of b are packed. In bytes: from a row of a tile of a to the
  // next row, to the next tile along the depth, to the tile of the next 16 lines.
  const char *a, *b;
  size_t a_row_step, a_depth_step, a_step, b_step;
  size_t depth;  // In tiles.
  size_t rows, columns;
  bool adds;  // To what the sums are already.
} tiles_step_t;

void tiles_multiply(const tiles_step_t *step, char *sums);

// Writes rows x columns sums of a step, elements not tiles, to a matrix with rows
// `stride` bytes apart: rounded to bf16, or the 32 bits as they are.
void tiles_write_bf16(const char *sums, size_t tile_columns, size_t rows, size_t columns,
                      char *out, size_t stride);
void tiles_write_words(const char *sums, size_t tile_columns, size_t rows, size_t columns,
                       char *out, size_t stride);

#endif  // SERVER_WORKER_KERNELS_LOOPS_TILES_H_
