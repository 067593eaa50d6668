// Blocks of elements transposed in vector registers. For the files that are compiled once
// per instruction set.

#ifndef SERVER_WORKER_KERNELS_LOOPS_BLOCKS_H_
#define SERVER_WORKER_KERNELS_LOOPS_BLOCKS_H_

#include <stdint.h>
#include <string.h>

// Rows and columns of a block of elements of 1, 2, 4 and 8 bytes.
enum { BLOCK_1 = 16, BLOCK_2 = 8, BLOCK_4 = 8, BLOCK_8 = 4 };

#define LOW_4 0, 4, 1, 5
#define HIGH_4 2, 6, 3, 7
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31

// N x N elements in N vectors: interleaving the first half of the rows with the second,
// log2(N) times, transposes them. Rows are `in_stride` and `out_stride` elements apart.
#define BLOCK_TRANSPOSE(bytes, type, n, stages)                                         \
  typedef type vector_##bytes __attribute__((vector_size(bytes * n)));                  \
  static inline void block_##bytes(const void *in, int64_t in_stride, void *out,        \
                                   int64_t out_stride) {                                \
    vector_##bytes rows[n], mixed[n];                                                   \
    for (int i = 0; i < n; i++) {                                                       \
      memcpy(&rows[i], (const type *)in + i * in_stride, sizeof(rows[i]));              \
    }                                                                                   \
    for (int stage = 0; stage < stages; stage++) {                                      \
      for (int i = 0; i < n / 2; i++) {                                                 \
        mixed[2 * i] = __builtin_shufflevector(rows[i], rows[i + n / 2], LOW_##n);      \
        mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + n / 2], HIGH_##n); \
      }                                                                                 \
      for (int i = 0; i < n; i++) {                                                     \
        rows[i] = mixed[i];                                                             \
      }                                                                                 \
    }                                                                                   \
    for (int i = 0; i < n; i++) {                                                       \
      memcpy((type *)out + i * out_stride, &rows[i], sizeof(rows[i]));                  \
    }                                                                                   \
  }

BLOCK_TRANSPOSE(1, uint8_t, 16, 4)
BLOCK_TRANSPOSE(2, uint16_t, 8, 3)
BLOCK_TRANSPOSE(4, uint32_t, 8, 3)
BLOCK_TRANSPOSE(8, uint64_t, 4, 2)

#endif  // SERVER_WORKER_KERNELS_LOOPS_BLOCKS_H_
