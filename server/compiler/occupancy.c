// A segment tree: node 1 is everything, nodes 2i and 2i + 1 the halves of node i.

#include "server/compiler/occupancy.h"

#include <stdlib.h>

#include "common/base/memory.h"

void occupancy_init(occupancy_t *occupancy, int32_t count) {
  const size_t nodes = 4 * ((size_t)count + 1);
  *occupancy = (occupancy_t){.count = count,
                             .added = pod_alloc(nodes * sizeof(int64_t)),
                             .most = pod_alloc(nodes * sizeof(int64_t))};
}

void occupancy_deinit(occupancy_t *occupancy) {
  free(occupancy->added);
  free(occupancy->most);
}

typedef struct range_t {
  int32_t first, last;
} range_t;

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static void take(occupancy_t *occupancy, size_t node, range_t covers, range_t wanted,
                 int64_t bytes) {
  if (wanted.last < covers.first || covers.last < wanted.first) {
    return;
  }
  if (wanted.first <= covers.first && covers.last <= wanted.last) {
    occupancy->added[node] += bytes;
    occupancy->most[node] += bytes;
    return;
  }
  const int32_t middle = covers.first + (covers.last - covers.first) / 2;
  take(occupancy, 2 * node, (range_t){covers.first, middle}, wanted, bytes);
  take(occupancy, 2 * node + 1, (range_t){middle + 1, covers.last}, wanted, bytes);
  occupancy->most[node] = occupancy->added[node] + larger(occupancy->most[2 * node],
                                                          occupancy->most[2 * node + 1]);
}

static int64_t most(const occupancy_t *occupancy, size_t node, range_t covers,
                    range_t wanted) {
  if (wanted.last < covers.first || covers.last < wanted.first) {
    return 0;
  }
  if (wanted.first <= covers.first && covers.last <= wanted.last) {
    return occupancy->most[node];
  }
  const int32_t middle = covers.first + (covers.last - covers.first) / 2;
  return occupancy->added[node] +
         larger(
             most(occupancy, 2 * node, (range_t){covers.first, middle}, wanted),
             most(occupancy, 2 * node + 1, (range_t){middle + 1, covers.last}, wanted));
}

void occupancy_take(occupancy_t *occupancy, int32_t first, int32_t last, int64_t bytes) {
  take(occupancy, 1, (range_t){0, occupancy->count - 1}, (range_t){first, last}, bytes);
}

int64_t occupancy_most(const occupancy_t *occupancy, int32_t first, int32_t last) {
  return most(occupancy, 1, (range_t){0, occupancy->count - 1}, (range_t){first, last});
}
