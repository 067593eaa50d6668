// Offline dynamic storage allocation, first fit: intervals in the order of their
// beginning get the lowest offset that is free. Free ranges are a treap by offset
// (Seidel and Aragon, 1996) in which every subtree knows its largest range, so that the
// first one that fits is found in O(log n).

#include "server/compiler/lower/packing.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/base/random.h"

// Up to this many items the quadratic arrangement is tried too.
enum { FEW_ITEMS = 2048, NONE = -1 };

// The free ranges, in a treap (Seidel and Aragon 1996, "Randomized search trees") by
// offset; `largest` of a subtree finds the first one that fits.
typedef struct range_t {
  int64_t offset, size_bytes, largest;
  uint64_t priority;
  int32_t left, right;
} range_t;

typedef struct free_ranges_t {
  POD_LIST(range_t) nodes;
  int32_t root, spare;  // `spare` chains unused nodes by `left`.
  pod_random_t random;  // Seeded alike for every run.
} free_ranges_t;

static void update(free_ranges_t *ranges, int32_t at) {
  range_t *node = &ranges->nodes.items[at];
  node->largest = node->size_bytes;
  const int32_t children[] = {node->left, node->right};
  for (int i = 0; i < 2; i++) {
    if (children[i] != NONE && ranges->nodes.items[children[i]].largest > node->largest) {
      node->largest = ranges->nodes.items[children[i]].largest;
    }
  }
}

// Splits into offsets below `offset` and the rest.
static void split(free_ranges_t *ranges, int32_t at, int64_t offset, int32_t *out_below,
                  int32_t *out_rest) {
  if (at == NONE) {
    *out_below = *out_rest = NONE;
    return;
  }
  range_t *node = &ranges->nodes.items[at];
  if (node->offset < offset) {
    split(ranges, node->right, offset, &node->right, out_rest);
    *out_below = at;
  } else {
    split(ranges, node->left, offset, out_below, &node->left);
    *out_rest = at;
  }
  update(ranges, at);
}

// All offsets of `a` are below those of `b`.
static int32_t join(free_ranges_t *ranges, int32_t a, int32_t b) {
  if (a == NONE || b == NONE) {
    return a == NONE ? b : a;
  }
  if (ranges->nodes.items[a].priority > ranges->nodes.items[b].priority) {
    ranges->nodes.items[a].right = join(ranges, ranges->nodes.items[a].right, b);
    update(ranges, a);
    return a;
  }
  ranges->nodes.items[b].left = join(ranges, a, ranges->nodes.items[b].left);
  update(ranges, b);
  return b;
}

static int32_t new_node(free_ranges_t *ranges, int64_t offset, int64_t size_bytes) {
  int32_t at = ranges->spare;
  if (at != NONE) {
    ranges->spare = ranges->nodes.items[at].left;
  } else {
    at = ranges->nodes.count;
    (void)pod_list_add(&ranges->nodes);
  }
  ranges->nodes.items[at] = (range_t){
      offset, size_bytes, size_bytes, pod_random_next(&ranges->random), NONE, NONE};
  return at;
}

static void drop_node(free_ranges_t *ranges, int32_t at) {
  ranges->nodes.items[at].left = ranges->spare;
  ranges->spare = at;
}

// The outermost range of a subtree on one side.
static int32_t edge(const free_ranges_t *ranges, int32_t at, bool leftmost) {
  while (at != NONE) {
    const int32_t next =
        leftmost ? ranges->nodes.items[at].left : ranges->nodes.items[at].right;
    if (next == NONE) {
      break;
    }
    at = next;
  }
  return at;
}

// Gives a range back; neighbours that touch it become one with it.
static void give(free_ranges_t *ranges, int64_t offset, int64_t size_bytes) {
  int32_t below, above, rest;
  split(ranges, ranges->root, offset, &below, &above);
  const int32_t before = edge(ranges, below, false);
  if (before != NONE &&
      ranges->nodes.items[before].offset + ranges->nodes.items[before].size_bytes ==
          offset) {
    offset = ranges->nodes.items[before].offset;
    size_bytes += ranges->nodes.items[before].size_bytes;
    split(ranges, below, offset, &below, &rest);
    drop_node(ranges, rest);
  }
  const int32_t after = edge(ranges, above, true);
  if (after != NONE && ranges->nodes.items[after].offset == offset + size_bytes) {
    size_bytes += ranges->nodes.items[after].size_bytes;
    split(ranges, above, ranges->nodes.items[after].offset + 1, &rest, &above);
    drop_node(ranges, rest);
  }
  ranges->root =
      join(ranges, join(ranges, below, new_node(ranges, offset, size_bytes)), above);
}

// The lowest range that fits, cut to what is left of it.
static int64_t take(free_ranges_t *ranges, int64_t size_bytes) {
  int32_t at = ranges->root;
  for (;;) {
    const range_t *node = &ranges->nodes.items[at];
    if (node->left != NONE && ranges->nodes.items[node->left].largest >= size_bytes) {
      at = node->left;
    } else if (node->size_bytes >= size_bytes) {
      break;
    } else {
      at = node->right;  // There is one: the block has no end.
    }
  }
  const range_t found = ranges->nodes.items[at];
  int32_t below, above, middle;
  split(ranges, ranges->root, found.offset, &below, &above);
  split(ranges, above, found.offset + 1, &middle, &above);
  drop_node(ranges, middle);
  if (found.size_bytes > size_bytes) {
    middle = new_node(ranges, found.offset + size_bytes, found.size_bytes - size_bytes);
    below = join(ranges, below, middle);
  }
  ranges->root = join(ranges, below, above);
  return found.offset;
}

static int64_t aligned(int64_t size_bytes) {
  return (size_bytes + PACKING_ALIGNMENT - 1) / PACKING_ALIGNMENT * PACKING_ALIGNMENT;
}

// Items by some order, for qsort: the comparison needs the items.
typedef struct entry_t {
  int64_t key, second;
  int32_t index;
} entry_t;

static int compare_entries(const void *left, const void *right) {
  const entry_t *a = left, *b = right;
  if (a->key != b->key) {
    return a->key < b->key ? -1 : 1;
  }
  if (a->second != b->second) {
    return a->second < b->second ? -1 : 1;
  }
  return (a->index > b->index) - (a->index < b->index);
}

static entry_t *sorted(int32_t count, const packing_item_t *items,
                       int64_t (*key)(const packing_item_t *item),
                       int64_t (*second)(const packing_item_t *item)) {
  entry_t *entries = pod_alloc((size_t)count * sizeof(*entries));
  for (int32_t i = 0; i < count; i++) {
    entries[i] = (entry_t){key(&items[i]), second(&items[i]), i};
  }
  qsort(entries, (size_t)count, sizeof(*entries), compare_entries);
  return entries;
}

static int64_t by_first(const packing_item_t *item) {
  return item->first;
}

static int64_t by_last(const packing_item_t *item) {
  return item->last;
}

static int64_t by_size_down(const packing_item_t *item) {
  return -item->size_bytes;
}

// In order of time. Of those that come at once, the large ones first.
static int64_t arrange_in_time(int32_t count, const packing_item_t *items,
                               int64_t *offsets) {
  entry_t *births = sorted(count, items, by_first, by_size_down);
  entry_t *deaths = sorted(count, items, by_last, by_first);
  free_ranges_t ranges = {.root = NONE, .spare = NONE};
  ranges.root = new_node(&ranges, 0, INT64_MAX);
  int64_t total = 0;
  int32_t dead = 0;
  for (int32_t i = 0; i < count; i++) {
    const packing_item_t *item = &items[births[i].index];
    for (; dead < count && items[deaths[dead].index].last < item->first; dead++) {
      const int32_t at = deaths[dead].index;
      if (items[at].size_bytes > 0) {
        give(&ranges, offsets[at], aligned(items[at].size_bytes));
      }
    }
    if (item->size_bytes > 0) {
      const int64_t offset = take(&ranges, aligned(item->size_bytes));
      offsets[births[i].index] = offset;
      const int64_t end = offset + aligned(item->size_bytes);
      total = end > total ? end : total;
    }
  }
  free(births);
  free(deaths);
  pod_list_deinit(&ranges.nodes);
  return total;
}

// Largest first, each at the lowest offset where nothing placed before lives at its time.
static int64_t arrange_by_size(int32_t count, const packing_item_t *items,
                               int64_t *offsets) {
  entry_t *order = sorted(count, items, by_size_down, by_first);
  entry_t *placed = pod_alloc((size_t)count * sizeof(*placed));  // By offset.
  int32_t placed_count = 0;
  int64_t total = 0;
  for (int32_t i = 0; i < count; i++) {
    const int32_t at = order[i].index;
    const packing_item_t *item = &items[at];
    if (item->size_bytes == 0) {
      continue;
    }
    int64_t offset = 0;
    for (int32_t k = 0; k < placed_count; k++) {
      const packing_item_t *other = &items[placed[k].index];
      if (other->last < item->first || other->first > item->last) {
        continue;
      }
      if (placed[k].key - offset >= aligned(item->size_bytes)) {
        break;
      }
      const int64_t end = placed[k].key + aligned(other->size_bytes);
      offset = end > offset ? end : offset;
    }
    offsets[at] = offset;
    const int64_t end = offset + aligned(item->size_bytes);
    total = end > total ? end : total;
    int32_t to = placed_count++;
    for (; to > 0 && placed[to - 1].key > offset; to--) {
      placed[to] = placed[to - 1];
    }
    placed[to] = (entry_t){.key = offset, .index = at};
  }
  free(order);
  free(placed);
  return total;
}

// Everything side by side must be a number, so that no sum can overflow.
static bool fits(int32_t count, const packing_item_t *items) {
  int64_t sum = 0;
  for (int32_t i = 0; i < count; i++) {
    if (items[i].size_bytes > INT64_MAX / 4 ||
        __builtin_add_overflow(sum, aligned(items[i].size_bytes), &sum) ||
        sum > INT64_MAX / 2) {
      return false;
    }
  }
  return true;
}

int64_t packing_arrange(int32_t count, packing_item_t *items) {
  if (!fits(count, items)) {
    return -1;
  }
  int64_t *offsets = pod_alloc((size_t)count * sizeof(*offsets));
  int64_t total = arrange_in_time(count, items, offsets);
  if (count <= FEW_ITEMS) {
    int64_t *others = pod_alloc((size_t)count * sizeof(*others));
    const int64_t other_total = arrange_by_size(count, items, others);
    if (other_total < total) {
      total = other_total;
      int64_t *swap = offsets;
      offsets = others;
      others = swap;
    }
    free(others);
  }
  for (int32_t i = 0; i < count; i++) {
    items[i].offset = items[i].size_bytes > 0 ? offsets[i] : 0;
  }
  free(offsets);
  return total;
}
