// A strided copy: dimensions of one element are dropped, adjacent ones joined, and the
// rest matched with six patterns.

#include "server/worker/kernels/move.h"

#include <stdbool.h>
#include <string.h>

#include "server/worker/kernels/loops/loops.h"
#include "server/worker/kernels/stop.h"

// Between two looks at whether to stop.
enum { LEAF_ELEMENTS = 1 << 18, LEAF_BYTES = 1 << 21, LEAF_RUNS = 1 << 15 };
enum { SHORT_RUN_BYTES = 64 };

// A result this large does not stay in the caches.
enum { STREAMED_BYTES_MIN = 1 << 20 };

static unsigned size_index(size_t element_bytes) {
  return (unsigned)__builtin_ctzll(element_bytes);
}

void kernel_fill(size_t element_bytes, const void *element, void *out, size_t count) {
  const unsigned index = size_index(element_bytes);
  for (size_t done = 0; done < count && !kernel_is_stopped(); done += LEAF_ELEMENTS) {
    kernel_loops()->gather[index](element, 0, (char *)out + done * element_bytes,
                                  kernel_part(count, done, LEAF_ELEMENTS));
  }
}

// The source of a copy stays in the cache: blocks are doubled up to a size, and that much
// is copied from then on.
void kernel_replicate(void *out, size_t block_bytes, int64_t count) {
  enum { SOURCE_BYTES = 64 << 10 };
  const size_t total = block_bytes * (size_t)count;
  char *bytes = out;
  size_t done = block_bytes, source = block_bytes;
  while (done < total && !kernel_is_stopped()) {
    const size_t part = total - done < source ? total - done : source;
    memcpy(bytes + done, bytes, part);
    done += part;
    if (source < SOURCE_BYTES) {
      source = done;
    }
  }
}

// ----- a plan: what is left of a move when dimensions are dropped and joined -----

typedef enum pattern_t {
  RUNS,       // The last dimension is contiguous on both sides.
  TRANSPOSE,  // The last dimension is contiguous in `out`, `partner` in `in`.
  GATHER,     // The last dimension is contiguous in `out` only.
  REPEAT,     // The last dimension repeats elements of the one before it; `out` is dense.
  SCATTER,    // In `in` only.
  ELEMENTS,   // In neither.
} pattern_t;

typedef struct plan_t {
  kernel_move_t move;  // Strides in bytes from here on.
  pattern_t pattern;
  int partner;
  int depth;  // Dimensions before this one are walked one by one.
  // The dimension repeats what it stands before, and `out` is dense from it on.
  bool is_replica[TENSOR_RANK_MAX];
  bool is_streamed;  // Transpositions, past the caches.
  const kernel_loops_t *loops;
} plan_t;

// Drops dimensions of one element and joins those that continue one another.
static void simplify(const kernel_move_t *in, kernel_move_t *out) {
  out->element_bytes = in->element_bytes;
  out->rank = 0;
  for (int i = 0; i < in->rank; i++) {
    if (in->sizes[i] == 1) {
      continue;
    }
    const int last = out->rank - 1;
    if (last >= 0 && out->in_strides[last] == in->in_strides[i] * in->sizes[i] &&
        out->out_strides[last] == in->out_strides[i] * in->sizes[i]) {
      out->sizes[last] *= in->sizes[i];
      out->in_strides[last] = in->in_strides[i];
      out->out_strides[last] = in->out_strides[i];
      continue;
    }
    out->sizes[out->rank] = in->sizes[i];
    out->in_strides[out->rank] = in->in_strides[i];
    out->out_strides[out->rank] = in->out_strides[i];
    out->rank++;
  }
}

// A short run becomes one larger element where sizes and addresses allow, so that runs of
// 2, 4, 8 and 16 bytes are gathered, scattered and transposed as elements are.
static void widen(kernel_move_t *move, const void *in, const void *out) {
  const int last = move->rank - 1;
  if (move->rank < 2 || move->in_strides[last] != 1 || move->out_strides[last] != 1) {
    return;
  }
  const int64_t run = move->sizes[last];
  const size_t bytes = (size_t)run * move->element_bytes;
  if (run > 16 || bytes > 16 || (run & (run - 1)) != 0 || (uintptr_t)in % bytes != 0 ||
      (uintptr_t)out % bytes != 0) {
    return;
  }
  for (int i = 0; i < last; i++) {
    if (move->in_strides[i] % run != 0 || move->out_strides[i] % run != 0) {
      return;
    }
  }
  for (int i = 0; i < last; i++) {
    move->in_strides[i] /= run;
    move->out_strides[i] /= run;
  }
  move->element_bytes = bytes;
  move->rank = last;
}

static void choose_pattern(plan_t *plan) {
  const kernel_move_t *move = &plan->move;
  const int last = move->rank - 1;
  plan->depth = last;
  if (move->out_strides[last] != 1) {
    plan->pattern = move->in_strides[last] == 1 ? SCATTER : ELEMENTS;
    return;
  }
  if (move->in_strides[last] == 1) {
    plan->pattern = RUNS;
    plan->depth = last > 0 ? last - 1 : 0;
    return;
  }
  plan->pattern = GATHER;
  if (last > 0 && move->in_strides[last] == 0 &&
      move->out_strides[last - 1] == move->sizes[last]) {
    plan->pattern = REPEAT;
    plan->depth = last - 1;
  }
  for (int i = 0; i < last && move->in_strides[last] > 1; i++) {
    if (move->in_strides[i] == 1) {
      plan->pattern = TRANSPOSE;
      plan->partner = i;
    }
  }
}

// Dimensions of stride 0 in front of a dense block of `out` are filled by repeating it. A
// transposition writes the dimensions behind its partner piece by piece, so that there is
// no block to repeat among them.
static void find_replicas(plan_t *plan) {
  const kernel_move_t *move = &plan->move;
  const int end = plan->pattern == TRANSPOSE ? plan->partner : plan->depth;
  int64_t dense = 1;
  for (int i = move->rank - 1; i >= 0; i--) {
    plan->is_replica[i] =
        dense > 0 && move->in_strides[i] == 0 && move->out_strides[i] == dense && i < end;
    dense = move->out_strides[i] == dense ? dense * move->sizes[i] : -1;
  }
}

static int64_t moved_bytes(const kernel_move_t *move) {
  int64_t bytes = (int64_t)move->element_bytes;
  for (int i = 0; i < move->rank; i++) {
    bytes *= move->sizes[i];
  }
  return bytes;
}

static void strides_in_bytes(kernel_move_t *move) {
  for (int i = 0; i < move->rank; i++) {
    move->in_strides[i] *= (int64_t)move->element_bytes;
    move->out_strides[i] *= (int64_t)move->element_bytes;
  }
}

// ----- running it -----

// memcpy for short runs without a call: two copies that overlap.
static inline void copy_run(char *out, const char *in, size_t size) {
  if (size > LEAF_BYTES) {
    kernel_copy_bytes(out, in, size);
  } else if (size > SHORT_RUN_BYTES) {
    memcpy(out, in, size);
  } else if (size >= 32) {
    memcpy(out, in, 32);
    memcpy(out + size - 32, in + size - 32, 32);
  } else if (size >= 16) {
    memcpy(out, in, 16);
    memcpy(out + size - 16, in + size - 16, 16);
  } else if (size >= 8) {
    memcpy(out, in, 8);
    memcpy(out + size - 8, in + size - 8, 8);
  } else {
    for (size_t i = 0; i < size; i++) {
      out[i] = in[i];
    }
  }
}

#define COPY_RUNS(bytes)                                       \
  case bytes:                                                  \
    for (int64_t i = 0; i < count; i++) {                      \
      memcpy(out + i * out_stride, in + i * in_stride, bytes); \
    }                                                          \
    return true;

// Runs of a size that the compiler knows.
static bool copy_short_runs(const char *in, int64_t in_stride, char *out,
                            int64_t out_stride, int64_t count, size_t size) {
  switch (size) {
    COPY_RUNS(1)
    COPY_RUNS(2)
    COPY_RUNS(3)
    COPY_RUNS(4)
    COPY_RUNS(5)
    COPY_RUNS(6)
    COPY_RUNS(7)
    COPY_RUNS(8)
    COPY_RUNS(9)
    COPY_RUNS(10)
    COPY_RUNS(12)
    COPY_RUNS(14)
    COPY_RUNS(16)
    COPY_RUNS(18)
    COPY_RUNS(20)
    COPY_RUNS(24)
    COPY_RUNS(28)
    COPY_RUNS(32)
    COPY_RUNS(48)
    COPY_RUNS(64)
    default:
      return false;
  }
}

static void copy_runs(const plan_t *plan, const char *in, char *out) {
  const kernel_move_t *move = &plan->move;
  const int last = move->rank - 1;
  const size_t size = (size_t)move->sizes[last] * move->element_bytes;
  if (last == 0) {
    kernel_copy_bytes(out, in, size);
    return;
  }
  const int64_t in_stride = move->in_strides[last - 1];
  const int64_t out_stride = move->out_strides[last - 1];
  const int64_t runs = move->sizes[last - 1];
  const int64_t most =
      size <= SHORT_RUN_BYTES ? LEAF_RUNS : 1 + (int64_t)(LEAF_BYTES / size);
  for (int64_t i = 0; i < runs && !kernel_is_stopped(); i += most) {
    const int64_t count = runs - i < most ? runs - i : most;
    const char *from = in + i * in_stride;
    char *to = out + i * out_stride;
    if (copy_short_runs(from, in_stride, to, out_stride, count, size)) {
      continue;
    }
    for (int64_t run = 0; run < count; run++) {
      copy_run(to + run * out_stride, from + run * in_stride, size);
    }
  }
}

// The next piece of a dimension; one that no block of a transposition fits in goes along
// with the piece before it.
static int64_t piece_of(int64_t size, int64_t done, int64_t most) {
  enum { BLOCK_MAX = 16 };
  return size - done < most + BLOCK_MAX ? size - done : most;
}

// A transposition in pieces that take milliseconds: bands of rows, as the loop itself
// walks, so that it reads and writes in the order it would without them. The edges of
// pieces are those of tiles of any element.
static void transpose_leaf(const plan_t *plan, int64_t in_stride, int64_t out_stride,
                           int64_t rows, int64_t columns, const char *in, char *out) {
  enum { TILE = 128, WIDTH_MIN = 1 << 13 };
  const int64_t element = (int64_t)plan->move.element_bytes;
  const int64_t few = LEAF_ELEMENTS / rows / TILE * TILE;
  const int64_t width = few < WIDTH_MIN ? WIDTH_MIN : few;
  const int64_t many = LEAF_ELEMENTS / (columns < width ? columns : width) / TILE * TILE;
  const int64_t height = many < TILE ? TILE : many;
  int64_t piece_rows, piece_columns;
  for (int64_t i = 0; i < rows; i += piece_rows) {
    piece_rows = piece_of(rows, i, height);
    for (int64_t j = 0; j < columns && !kernel_is_stopped(); j += piece_columns) {
      piece_columns = piece_of(columns, j, width);
      plan->loops->transpose[size_index(plan->move.element_bytes)](
          in + (i * in_stride + j) * element, in_stride,
          out + (j * out_stride + i) * element, out_stride, piece_rows, piece_columns,
          plan->is_streamed);
    }
  }
}

// The last dimension of a pattern that walks along it, a piece of it.
static void copy_piece(const plan_t *plan, const char *in, char *out, int64_t size) {
  const kernel_move_t *move = &plan->move;
  const int last = move->rank - 1;
  const int64_t element = (int64_t)move->element_bytes;
  const int64_t in_stride = move->in_strides[last] / element;
  const int64_t out_stride = move->out_strides[last] / element;
  const unsigned index = size_index(move->element_bytes);
  if (plan->pattern == GATHER) {
    plan->loops->gather[index](in, in_stride, out, (size_t)size);
  } else if (plan->pattern == SCATTER) {
    plan->loops->scatter[index](in, out, out_stride, (size_t)size);
  } else {
    for (int64_t i = 0; i < size; i++) {
      memcpy(out + i * out_stride * element, in + i * in_stride * element,
             move->element_bytes);
    }
  }
}

// Every element of the dimension before the last, as often as that has elements.
static void repeat_leaf(const plan_t *plan, const char *in, char *out) {
  const kernel_move_t *move = &plan->move;
  const int last = move->rank - 1;
  const int64_t element = (int64_t)move->element_bytes;
  const int64_t repeats = move->sizes[last], count = move->sizes[last - 1];
  const int64_t stride = move->in_strides[last - 1] / element;
  if (repeats > LEAF_ELEMENTS) {
    for (int64_t i = 0; i < count && !kernel_is_stopped(); i++) {
      kernel_fill(move->element_bytes, in + i * stride * element,
                  out + i * repeats * element, (size_t)repeats);
    }
    return;
  }
  const int64_t most = LEAF_ELEMENTS / repeats;
  for (int64_t i = 0; i < count && !kernel_is_stopped(); i += most) {
    plan->loops->repeat[size_index(move->element_bytes)](
        in + i * stride * element, stride, out + i * repeats * element,
        (size_t)(count - i < most ? count - i : most), (size_t)repeats);
  }
}

static void copy_leaf(const plan_t *plan, const char *in, char *out) {
  const kernel_move_t *move = &plan->move;
  const int last = move->rank - 1;
  const int64_t element = (int64_t)move->element_bytes;
  const int64_t size = move->sizes[last];
  const int64_t in_stride = move->in_strides[last] / element;
  const int64_t out_stride = move->out_strides[last] / element;
  switch (plan->pattern) {
    case RUNS:
      copy_runs(plan, in, out);
      return;
    case TRANSPOSE:
      transpose_leaf(plan, in_stride, move->out_strides[plan->partner] / element, size,
                     move->sizes[plan->partner], in, out);
      return;
    case REPEAT:
      repeat_leaf(plan, in, out);
      return;
    case GATHER:
    case SCATTER:
    case ELEMENTS:
      for (int64_t i = 0; i < size && !kernel_is_stopped(); i += LEAF_ELEMENTS) {
        copy_piece(plan, in + i * in_stride * element, out + i * out_stride * element,
                   size - i < LEAF_ELEMENTS ? size - i : LEAF_ELEMENTS);
      }
      return;
  }
}

// Depth of recursion: at most TENSOR_RANK_MAX.
static void copy_from(const plan_t *plan, int dim, const char *in, char *out) {
  const kernel_move_t *move = &plan->move;
  if (dim >= plan->depth) {
    copy_leaf(plan, in, out);
  } else if (plan->pattern == TRANSPOSE && dim == plan->partner) {
    copy_from(plan, dim + 1, in, out);
  } else if (plan->is_replica[dim]) {
    copy_from(plan, dim + 1, in, out);
    kernel_replicate(out, (size_t)move->out_strides[dim], move->sizes[dim]);
  } else {
    for (int64_t i = 0; i < move->sizes[dim] && !kernel_is_stopped(); i++) {
      copy_from(plan, dim + 1, in + i * move->in_strides[dim],
                out + i * move->out_strides[dim]);
    }
  }
}

void kernel_move(const kernel_move_t *move, const void *in, void *out) {
  for (int i = 0; i < move->rank; i++) {
    if (move->sizes[i] == 0) {
      return;
    }
  }
  plan_t plan = {.partner = -1, .loops = kernel_loops()};
  simplify(move, &plan.move);
  widen(&plan.move, in, out);
  if (plan.move.rank == 0) {
    memcpy(out, in, plan.move.element_bytes);
    return;
  }
  choose_pattern(&plan);
  plan.is_streamed = moved_bytes(&plan.move) >= STREAMED_BYTES_MIN;
  find_replicas(&plan);
  strides_in_bytes(&plan.move);
  copy_from(&plan, 0, in, out);
}
