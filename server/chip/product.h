// The tiles in which a product is loaded, multiplied and stored.
//
// A kernel for a product keeps a tile of the result, m by n, and adds to it what tiles of
// the operands, m by k and k by n, give; while it multiplies two it loads the next two.
// At its beginning it waits for the first pair, at its end for the last tile of the
// result to be stored. As a compiler does, the tile is chosen that takes least time:
//
//   mxu = FLOP / rate                   what the array is busy for
//   hbm = (lhs · n/tile + rhs · m/tile + result) / rate   an operand comes again for
//   every
//                                       tile of the other's length
//   beside = (a step's operands + the result tile's part of the epilogue) / rate
//            - mxu / steps, no more than that part takes, for each tile of the result
//   time = max(mxu + first + last + beside, hbm + mxu / steps, steps · dma_latency)
//
// among tiles of powers of two times the array's size whose two pairs of operands, two
// results, two of what the epilogue reads and sums in f32 fit the VMEM that kernels have
// (kernel_vmem_bytes). The last term: a step waits for a DMA that was begun one step
// before it. That holds for what the epilogue reads beside the result too (a residual,
// what a gradient is added to): its block changes with the result's, so that it is
// fetched in the last step before, and a large one does not hide behind that. Sources:
// the structure is that of Pallas' matrix product (jax.readthedocs.io, pallas/tpu/matmul)
// and of window_config in HLO dumps; there are no constants of its own.
//
// Cost: some hundred tiles are looked at. Threading: pure.

#ifndef SERVER_CHIP_PRODUCT_H_
#define SERVER_CHIP_PRODUCT_H_

#include <stdint.h>

#include "server/chip/spec.h"

typedef struct chip_product_t {
  int64_t batch, m, n, k;
  double left_bytes, right_bytes, result_bytes;  // Of an element.
  double epilogue_bytes;  // Of an element of the result: what is read beside it.
  int64_t busy_flop;      // Of all, at the bf16 rate: chip_work_t.mxu_busy_flop.
} chip_product_t;

typedef struct chip_tile_t {
  int64_t m, n, k;
  int64_t steps;        // Pairs of tiles that are multiplied, one after another.
  int64_t results;      // Tiles of the result.
  int64_t first_bytes;  // Of the operands, before anything can be multiplied.
  int64_t last_bytes;   // Of the result, when all has been multiplied.
} chip_tile_t;

// Extents and busy_flop > 0.
chip_tile_t chip_product_tile(const chip_spec_t *spec, const chip_product_t *product);

#endif  // SERVER_CHIP_PRODUCT_H_
