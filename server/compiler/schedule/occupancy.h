// How many bytes of a small memory are taken at every moment: takes ranges of time, tells
// the most that is taken within one.
//
// Cost: log n for each call over n moments. Threading: one thread at a time.

#ifndef SERVER_COMPILER_SCHEDULE_OCCUPANCY_H_
#define SERVER_COMPILER_SCHEDULE_OCCUPANCY_H_

#include <stddef.h>
#include <stdint.h>

typedef struct occupancy_node_t {
  int64_t added;  // To everything below it.
  int64_t most;   // Below it, `added` included.
} occupancy_node_t;

typedef struct occupancy_t {
  size_t leaf_count;        // At least one for every moment; a power of two.
  occupancy_node_t *nodes;  // A tree.
} occupancy_t;

void occupancy_init(occupancy_t *occupancy, int32_t count);
void occupancy_deinit(occupancy_t *occupancy);

// Takes `bytes` from moment `first` to `last`, both included; 0 <= first <= last < count.
void occupancy_take(occupancy_t *occupancy, int32_t first, int32_t last, int64_t bytes);

int64_t occupancy_most(const occupancy_t *occupancy, int32_t first, int32_t last);

#endif  // SERVER_COMPILER_SCHEDULE_OCCUPANCY_H_
