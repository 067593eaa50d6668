// Numbers are sorted by radix, the lowest digit first, or merged when they are few. A
// comparator is asked about many pairs at a time: the result of a merge is cut into
// segments, where they start in both runs is searched for (S. Odeh et al.: Merge Path,
// 2012), and all segments grow by one element per run of the lanes.

#include "server/worker/kernels/region/order.h"

#include "server/worker/kernels/region/collect.h"

#include <string.h>

#include "server/worker/kernels/loops/loops.h"
#include "server/worker/kernels/stop.h"

// ----- numbers -----

enum { FEW = 192, RUN = 8, DIGIT_BITS_MAX = 11, DIGITS_MAX = 8 };

typedef struct wide_t {
  uint64_t number, place;
} wide_t;

// Sorts of items by the part of them that is the number; the sorted items are returned,
// in one of the two arrays.
#define SORTS(name, type, number_of)                                                 \
  static void name##_runs(type *items, size_t count) {                               \
    for (size_t first = 0; first < count; first += RUN) {                            \
      const size_t end = count - first < RUN ? count : first + RUN;                  \
      for (size_t i = first + 1; i < end; i++) {                                     \
        const type moved = items[i];                                                 \
        size_t at = i;                                                               \
        for (; at > first && number_of(moved) < number_of(items[at - 1]); at--) {    \
          items[at] = items[at - 1];                                                 \
        }                                                                            \
        items[at] = moved;                                                           \
      }                                                                              \
    }                                                                                \
  }                                                                                  \
  static type *name##_merge(type *items, type *room, size_t count) {                 \
    name##_runs(items, count);                                                       \
    for (size_t width = RUN; width < count; width *= 2) {                            \
      for (size_t first = 0; first < count; first += 2 * width) {                    \
        const size_t middle = count - first < width ? count : first + width;         \
        const size_t end = count - first < 2 * width ? count : first + 2 * width;    \
        size_t a = first, b = middle;                                                \
        for (size_t i = first; i < end; i++) {                                       \
          const bool takes_right =                                                   \
              b < end && (a >= middle || number_of(items[b]) < number_of(items[a])); \
          room[i] = items[takes_right ? b++ : a++];                                  \
        }                                                                            \
      }                                                                              \
      type *const swapped = items;                                                   \
      items = room;                                                                  \
      room = swapped;                                                                \
    }                                                                                \
    return items;                                                                    \
  }                                                                                  \
  static type *name##_radix(type *items, type *room, size_t count, unsigned bits) {  \
    const unsigned digit_bits = count < 8192 ? 8 : DIGIT_BITS_MAX;                   \
    const size_t values = (size_t)1 << digit_bits;                                   \
    uint32_t starts[1 << DIGIT_BITS_MAX];                                            \
    for (unsigned shift = 0; shift < bits; shift += digit_bits) {                    \
      memset(starts, 0, values * sizeof(starts[0]));                                 \
      KERNEL_EACH(i, count) {                                                        \
        starts[number_of(items[i]) >> shift & (values - 1)]++;                       \
      }                                                                              \
      if (kernel_is_stopped() ||                                                     \
          starts[number_of(items[0]) >> shift & (values - 1)] == count) {            \
        continue;                                                                    \
      }                                                                              \
      uint32_t start = 0;                                                            \
      for (size_t value = 0; value < values; value++) {                              \
        const uint32_t here = starts[value];                                         \
        starts[value] = start;                                                       \
        start += here;                                                               \
      }                                                                              \
      KERNEL_EACH(i, count) {                                                        \
        room[starts[number_of(items[i]) >> shift & (values - 1)]++] = items[i];      \
      }                                                                              \
      type *const swapped = items;                                                   \
      items = room;                                                                  \
      room = swapped;                                                                \
    }                                                                                \
    return items;                                                                    \
  }                                                                                  \
  static type *name##_sort(type *items, type *room, size_t count, unsigned bits) {   \
    return count < FEW ? name##_merge(items, room, count)                            \
                       : name##_radix(items, room, count, bits);                     \
  }

#define PACKED_NUMBER(item) ((item) >> 32)
#define WIDE_NUMBER(item) ((item).number)
SORTS(packed, uint64_t, PACKED_NUMBER)
SORTS(wide, wide_t, WIDE_NUMBER)

void kernel_order_by_numbers(const uint64_t *numbers, unsigned bits, uint32_t *order,
                             size_t count, uint64_t *room) {
  if (count < 2) {
    return;
  }
  if (bits <= 32) {
    KERNEL_EACH(i, count) {
      room[i] = numbers[order[i]] << 32 | order[i];
    }
    const uint64_t *sorted = packed_sort(room, room + count, count, bits);
    KERNEL_EACH(i, count) {
      order[i] = (uint32_t)sorted[i];
    }
    return;
  }
  wide_t *items = (wide_t *)(void *)room;
  KERNEL_EACH(i, count) {
    items[i] = (wide_t){numbers[order[i]], order[i]};
  }
  const wide_t *sorted = wide_sort(items, items + count, count, bits);
  KERNEL_EACH(i, count) {
    order[i] = (uint32_t)sorted[i].place;
  }
}

// ----- a comparator -----

// Pairs that the lanes compare: whether the element at left[i] comes before that at
// right[i].
typedef struct pairs_t {
  const kernel_compared_t *compared;
  size_t count;
  uint32_t left[KERNEL_LANES], right[KERNEL_LANES];
} pairs_t;

KERNEL_COLLECT(collect, uint32_t)

static pod_status_t compare(pairs_t *pairs, const uint8_t **out_is_before) {
  const kernel_compared_t *compared = pairs->compared;
  for (int32_t i = 0; i < compared->count; i++) {
    collect(compared->bytes[i], compared->rows[i], pairs->left, pairs->count,
            kernel_lanes_parameter(compared->lanes, 2 * i));
    collect(compared->bytes[i], compared->rows[i], pairs->right, pairs->count,
            kernel_lanes_parameter(compared->lanes, 2 * i + 1));
  }
  POD_TRY(kernel_lanes_run(compared->lanes, pairs->count));
  *out_is_before = kernel_lanes_result(compared->lanes, 0);
  return NULL;
}

// A part of the result of a merge, and how far it has come. Runs are [first, middle) and
// [middle, end) of the order so far; the segment makes those of the result from `at` on.
typedef struct segment_t {
  uint32_t first, middle, end;
  uint32_t at;
  uint32_t a, a_end, b, b_end;
  uint32_t low, high;  // Of the search for `a`, counted from `first`.
} segment_t;

typedef struct merge_t {
  const uint32_t *from;
  uint32_t *to;
  size_t segment_count;
  segment_t segments[KERNEL_LANES];
  uint32_t asking[KERNEL_LANES];  // The segments whose pairs are compared.
  pairs_t pairs;
} merge_t;

static void search_start(segment_t *segment) {
  const uint32_t done = segment->at - segment->first;
  const uint32_t left = segment->middle - segment->first;
  const uint32_t right = segment->end - segment->middle;
  segment->low = done > right ? done - right : 0;
  segment->high = done < left ? done : left;
}

// How many elements of the left run come before each segment: as many as come before
// what of the right run is left.
static pod_status_t search(merge_t *merge) {
  for (size_t i = 0; i < merge->segment_count; i++) {
    search_start(&merge->segments[i]);
  }
  while (!kernel_is_stopped()) {
    pairs_t *pairs = &merge->pairs;
    pairs->count = 0;
    for (size_t i = 0; i < merge->segment_count; i++) {
      const segment_t *segment = &merge->segments[i];
      if (segment->low < segment->high) {
        const uint32_t middle = segment->low + (segment->high - segment->low) / 2;
        const uint32_t other = segment->at - segment->first - 1 - middle;
        pairs->left[pairs->count] = merge->from[segment->middle + other];
        pairs->right[pairs->count] = merge->from[segment->first + middle];
        merge->asking[pairs->count++] = (uint32_t)i;
      }
    }
    if (pairs->count == 0) {
      return NULL;
    }
    const uint8_t *is_before;
    POD_TRY(compare(pairs, &is_before));
    for (size_t i = 0; i < pairs->count; i++) {
      segment_t *segment = &merge->segments[merge->asking[i]];
      const uint32_t middle = segment->low + (segment->high - segment->low) / 2;
      if (is_before[i] != 0) {
        segment->high = middle;
      } else {
        segment->low = middle + 1;
      }
    }
  }
  return NULL;
}

// Each segment ends where the next one of the same merge starts. An inconsistent
// comparator may say that it starts where it cannot; it is moved to where it can.
static void set_bounds(merge_t *merge) {
  for (size_t i = 0; i < merge->segment_count; i++) {
    segment_t *segment = &merge->segments[i];
    segment->a = segment->first + segment->low;
    segment_t *before = i > 0 ? segment - 1 : NULL;
    if (before != NULL && before->first == segment->first) {
      const uint32_t most = before->a + (segment->at - before->at);
      segment->a = segment->a < before->a ? before->a : segment->a;
      segment->a = segment->a > most ? most : segment->a;
    }
    segment->b =
        segment->middle + (segment->at - segment->first) - (segment->a - segment->first);
    segment->a_end = segment->middle;
    segment->b_end = segment->end;
    if (before != NULL && before->first == segment->first) {
      before->a_end = segment->a;
      before->b_end = segment->b;
    }
  }
}

static pod_status_t grow(merge_t *merge) {
  for (bool is_done = false; !is_done && !kernel_is_stopped();) {
    pairs_t *pairs = &merge->pairs;
    pairs->count = 0;
    for (size_t i = 0; i < merge->segment_count; i++) {
      const segment_t *segment = &merge->segments[i];
      if (segment->a < segment->a_end && segment->b < segment->b_end) {
        pairs->left[pairs->count] = merge->from[segment->b];
        pairs->right[pairs->count] = merge->from[segment->a];
        merge->asking[pairs->count++] = (uint32_t)i;
      }
    }
    is_done = pairs->count == 0;
    if (is_done) {
      break;
    }
    const uint8_t *is_before;
    POD_TRY(compare(pairs, &is_before));
    for (size_t i = 0; i < pairs->count; i++) {
      segment_t *segment = &merge->segments[merge->asking[i]];
      uint32_t *taken = is_before[i] != 0 ? &segment->b : &segment->a;
      merge->to[segment->at++] = merge->from[(*taken)++];
    }
  }
  for (size_t i = 0; i < merge->segment_count; i++) {
    segment_t *segment = &merge->segments[i];
    while (segment->a < segment->a_end) {
      merge->to[segment->at++] = merge->from[segment->a++];
    }
    while (segment->b < segment->b_end) {
      merge->to[segment->at++] = merge->from[segment->b++];
    }
  }
  return NULL;
}

static pod_status_t merge_segments(merge_t *merge) {
  POD_TRY(search(merge));
  set_bounds(merge);
  POD_TRY(grow(merge));
  merge->segment_count = 0;
  return NULL;
}

// All runs of `width` elements are merged with their neighbours. A merge has at most
// KERNEL_LANES segments, so that a pair of runs is never spread over two batches.
static pod_status_t merge_runs(merge_t *merge, size_t width, size_t count) {
  size_t length = (count + KERNEL_LANES / 2 - 1) / (KERNEL_LANES / 2);
  length = length < 16 ? 16 : length;
  for (size_t first = 0; first < count && !kernel_is_stopped(); first += 2 * width) {
    const size_t middle = count - first < width ? count : first + width;
    const size_t end = count - first < 2 * width ? count : first + 2 * width;
    const size_t needed = (end - first + length - 1) / length;
    if (merge->segment_count + needed > KERNEL_LANES) {
      POD_TRY(merge_segments(merge));
    }
    for (size_t at = first; at < end; at += length) {
      merge->segments[merge->segment_count++] = (segment_t){.first = (uint32_t)first,
                                                            .middle = (uint32_t)middle,
                                                            .end = (uint32_t)end,
                                                            .at = (uint32_t)at};
    }
  }
  return merge_segments(merge);
}

pod_status_t kernel_order_by_comparator(const kernel_compared_t *compared, size_t count,
                                        uint32_t *order, uint32_t *room) {
  merge_t merge = {.pairs = {.compared = compared}};
  for (size_t i = 0; i < count; i++) {
    order[i] = (uint32_t)i;
  }
  uint32_t *from = order, *to = room;
  for (size_t width = 1; width < count && !kernel_is_stopped(); width *= 2) {
    merge.from = from;
    merge.to = to;
    POD_TRY(merge_runs(&merge, width, count));
    uint32_t *const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != order) {
    memcpy(order, from, count * sizeof(*order));
  }
  return NULL;
}
