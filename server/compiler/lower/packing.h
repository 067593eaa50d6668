// Where things that live for a while go in one block of memory, so that no two that live
// at the same time overlap.
//
// The things are taken in the order in which they come to life and put at the lowest
// offset that is free (first fit); what has died is free again. For few things a second
// arrangement, largest first, is tried too, and the smaller block wins: best of the two
// at n² where n² is nothing.
//
// Cost: n·log n. Determinism: the same input gives the same offsets. Threading: pure.

#ifndef SERVER_COMPILER_LOWER_PACKING_H_
#define SERVER_COMPILER_LOWER_PACKING_H_

#include <stdint.h>

enum { PACKING_ALIGNMENT = 64 };

typedef struct packing_item_t {
  int32_t first, last;  // Alive from the first to the last moment, both included.
  int64_t size_bytes;   // >= 0.
  int64_t offset;       // Set by packing_arrange: a multiple of PACKING_ALIGNMENT.
} packing_item_t;

// Sets every offset and returns the size of the block; -1 when it exceeds int64.
int64_t packing_arrange(int32_t count, packing_item_t *items);

#endif  // SERVER_COMPILER_LOWER_PACKING_H_
