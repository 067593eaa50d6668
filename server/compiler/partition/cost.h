// What a way to bring values where they are wanted costs, in one unit for all that the
// partitioner compares: the bytes that a chip receives, and for each collective those
// that it could have received in the time that a collective takes beside its bytes. Where
// no pod is known that is nothing, and bytes decide.
//
// Threading: pure.

#ifndef SERVER_COMPILER_PARTITION_COST_H_
#define SERVER_COMPILER_PARTITION_COST_H_

typedef struct partition_cost_t {
  double bytes;
  double start_bytes;  // In place of the time beside them.
} partition_cost_t;

static inline void partition_cost_add(partition_cost_t *cost,
                                      const partition_cost_t *more, double times) {
  cost->bytes += more->bytes * times;
  cost->start_bytes += more->start_bytes * times;
}

// Below zero: `a` is cheaper; of what costs the same, that of fewer bytes. 0: neither.
static inline int partition_cost_compare(const partition_cost_t *a,
                                         const partition_cost_t *b) {
  const double x = a->bytes + a->start_bytes, y = b->bytes + b->start_bytes;
  if (x != y) {
    return x < y ? -1 : 1;
  }
  return a->bytes == b->bytes ? 0 : a->bytes < b->bytes ? -1 : 1;
}

#endif  // SERVER_COMPILER_PARTITION_COST_H_
