// A segment tree: node 1 is everything, nodes 2i and 2i + 1 the halves of node i, and the
// moments are the leaves from `leaf_count` on. Ranges are walked from their ends upwards.

#include "server/compiler/schedule/occupancy.h"

#include <stdlib.h>

#include "common/base/memory.h"

void occupancy_init(occupancy_t *occupancy, int32_t count) {
  size_t leaf_count = 1;
  while (leaf_count < (size_t)count) {
    leaf_count *= 2;
  }
  *occupancy =
      (occupancy_t){.leaf_count = leaf_count,
                    .nodes = pod_alloc(2 * leaf_count * sizeof(occupancy_node_t))};
}

void occupancy_deinit(occupancy_t *occupancy) {
  free(occupancy->nodes);
}

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static void add(occupancy_t *occupancy, size_t node, int64_t bytes) {
  occupancy->nodes[node].added += bytes;
  occupancy->nodes[node].most += bytes;
}

// The nodes above `node` say what those below them do.
static void mend(occupancy_t *occupancy, size_t node) {
  occupancy_node_t *nodes = occupancy->nodes;
  for (node /= 2; node > 0; node /= 2) {
    nodes[node].most =
        nodes[node].added + larger(nodes[2 * node].most, nodes[2 * node + 1].most);
  }
}

void occupancy_take(occupancy_t *occupancy, int32_t first, int32_t last, int64_t bytes) {
  const size_t low = occupancy->leaf_count + (size_t)first,
               high = occupancy->leaf_count + (size_t)last;
  for (size_t left = low, right = high + 1; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) {
      add(occupancy, left++, bytes);
    }
    if (right % 2 == 1) {
      add(occupancy, --right, bytes);
    }
  }
  mend(occupancy, low);
  if (high != low) {
    mend(occupancy, high);
  }
}

int64_t occupancy_most(const occupancy_t *occupancy, int32_t first, int32_t last) {
  const occupancy_node_t *nodes = occupancy->nodes;
  size_t left = occupancy->leaf_count + (size_t)first,
         right = occupancy->leaf_count + (size_t)last;
  // What is most at and to the right of `left`, and at and to the left of `right`, below
  // the node at which the two ways meet.
  int64_t of_left = nodes[left].most, of_right = nodes[right].most;
  while (left / 2 != right / 2) {
    if (left % 2 == 0) {
      of_left = larger(of_left, nodes[left + 1].most);
    }
    if (right % 2 == 1) {
      of_right = larger(of_right, nodes[right - 1].most);
    }
    left /= 2;
    right /= 2;
    of_left += nodes[left].added;
    of_right += nodes[right].added;
  }
  int64_t most = larger(of_left, of_right);
  for (left /= 2; left > 0; left /= 2) {
    most += nodes[left].added;
  }
  return most;
}
