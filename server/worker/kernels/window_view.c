// What all windows of a block see at one place of the window is a strided slice of the
// operand (im2col by columns).

#include "server/worker/kernels/window_view.h"

#include <string.h>

#include "server/worker/kernels/loops/loops.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/windows.h"

static bool has_windows(const chip_window_t *window, int d) {
  return window->sizes[d] != 1 || window->strides[d] != 1 ||
         window->base_dilations[d] != 1 || window->low[d] != 0 || window->high[d] != 0;
}

kernel_window_view_t kernel_window_view_make(const chip_window_t *window,
                                             const tensor_shape_t *in,
                                             const tensor_shape_t *out) {
  kernel_window_view_t view = {
      .window = window, .in = in, .out = out, .run = 1, .row = 1};
  tensor_shape_strides(in, view.strides);
  for (int d = out->rank - 1; d > 0 && !has_windows(window, d); d--) {
    view.run *= out->dims[d];
    view.windowed = d - 1;
  }
  if (view.run == 1) {
    view.windowed = out->rank > 0 ? out->rank - 1 : 0;
  }
  view.row = out->rank > 0 ? view.run * out->dims[view.windowed] : 1;
  return view;
}

size_t kernel_window_view_block(const kernel_window_view_t *view, int64_t first,
                                size_t most) {
  const int64_t limit = (int64_t)most, at = first % view->row;
  int64_t unit = 1, left = view->run - at % view->run;
  if (at == 0 && view->row <= limit) {
    unit = view->row;
    left = (tensor_shape_elements(view->out) - first) / unit;
  } else if (view->run <= limit) {
    unit = view->run;
    left = (view->row - at) / unit;
  }
  return (size_t)(unit * (left < limit / unit ? left : limit / unit));
}

// Elements [skip, skip + length) of the runs of `places` windows, from the one at
// `place` on, in a row, which are seen at place `w` of the windowed dimension. Those of
// the windows [first, end) of the part do not lie before or behind the row.
typedef struct part_t {
  int64_t place, places, skip, length, w, first, end;
  size_t bytes;  // Of an element.
} part_t;

static void find_inside(const kernel_window_view_t *view, part_t *part) {
  const int d = view->windowed;
  const int64_t stride = view->window->strides[d];
  const int64_t shift =
      view->window->low[d] - part->w * view->window->window_dilations[d];
  const int64_t span = (view->in->dims[d] - 1) * view->window->base_dilations[d];
  // 0 <= o * stride - shift <= span
  int64_t first = shift <= 0 ? 0 : (shift + stride - 1) / stride;
  int64_t end = span + shift < 0 ? 0 : (span + shift) / stride + 1;
  first = first > part->place ? first - part->place : 0;
  end = end > part->place ? end - part->place : 0;
  part->end = end < part->places ? end : part->places;
  part->first = first < part->end ? first : part->end;
}

static const char *run_of(const kernel_window_view_t *view, const char *row,
                          const part_t *part, int64_t place) {
  const int64_t at =
      chip_window_element(view->window, view->windowed, part->place + place, part->w);
  return row + (size_t)(at * view->run + part->skip) * part->bytes;
}

// A dilated row has gaps between its elements.
static void fetch_dilated(const kernel_window_view_t *view, const char *row,
                          const void *initial, const part_t *part, char *to) {
  const size_t length = (size_t)part->length;
  for (int64_t i = 0; i < part->places; i++, to += length * part->bytes) {
    const int64_t at =
        chip_window_element(view->window, view->windowed, part->place + i, part->w);
    if (at >= 0 && at < view->in->dims[view->windowed]) {
      memcpy(to, run_of(view, row, part, i), length * part->bytes);
    } else {
      kernel_fill(part->bytes, initial, to, length);
    }
  }
}

static void fetch_inside(const kernel_window_view_t *view, const char *row,
                         const part_t *part, char *to) {
  const char *from = run_of(view, row, part, part->first);
  const int64_t places = part->end - part->first;
  const int64_t stride = view->window->strides[view->windowed];
  if (part->length == view->run && stride == 1) {
    memcpy(to, from, (size_t)(places * part->length) * part->bytes);
  } else if (view->run == 1) {
    kernel_loops()->gather[__builtin_ctzll(part->bytes)](from, stride, to,
                                                         (size_t)places);
  } else {
    const kernel_move_t move = {.element_bytes = part->bytes,
                                .rank = 2,
                                .sizes = {places, part->length},
                                .in_strides = {stride * view->run, 1},
                                .out_strides = {part->length, 1}};
    kernel_move(&move, from, to);
  }
}

// NULL in place of `row` where the row itself is padding.
static void fetch_part(const kernel_window_view_t *view, const char *row,
                       const void *initial, const part_t *part, char *to) {
  if (row == NULL) {
    kernel_fill(part->bytes, initial, to, (size_t)(part->places * part->length));
    return;
  }
  if (view->window->base_dilations[view->windowed] != 1) {
    fetch_dilated(view, row, initial, part, to);
    return;
  }
  const size_t run_bytes = (size_t)part->length * part->bytes;
  if (part->first > 0) {
    kernel_fill(part->bytes, initial, to, (size_t)(part->first * part->length));
  }
  if (part->first < part->end) {
    fetch_inside(view, row, part, to + (size_t)part->first * run_bytes);
  }
  if (part->end < part->places) {
    kernel_fill(part->bytes, initial, to + (size_t)part->end * run_bytes,
                (size_t)((part->places - part->end) * part->length));
  }
}

// Whether the windows of a part see elements that lie side by side.
static bool lies_dense(const kernel_window_view_t *view, const part_t *part) {
  return view->window->base_dilations[view->windowed] == 1 && part->first == 0 &&
         part->end == part->places &&
         (part->places == 1 ||
          (view->window->strides[view->windowed] == 1 && part->length == view->run));
}

static part_t part_of(const kernel_window_view_t *view, int64_t w, int64_t first,
                      int64_t count) {
  const int64_t at = first % view->row;
  part_t part = {.w = w, .bytes = tensor_dtype_bytes(view->in->dtype)};
  if (count >= view->row) {
    part.places = view->row / view->run;
    part.length = view->run;
  } else if (at % view->run == 0 && count % view->run == 0) {
    part.place = at / view->run;
    part.places = count / view->run;
    part.length = view->run;
  } else {
    part.place = at / view->run;
    part.places = 1;
    part.skip = at % view->run;
    part.length = count;
  }
  find_inside(view, &part);
  return part;
}

// The row of the operand for index `at` of dimension `d`, `base` the offset of those
// before it; NULL in the padding.
static const char *row_at(const kernel_window_view_t *view, const void *data, int d,
                          int64_t base, int64_t at, size_t bytes) {
  return base < 0 || at < 0 || at >= view->in->dims[d]
             ? NULL
             : (const char *)data + (size_t)(base + at * view->strides[d]) * bytes;
}

const void *kernel_window_view_fetch(const kernel_window_view_t *view, const void *data,
                                     const void *initial, const int64_t *w, int64_t first,
                                     size_t count, void *buffer) {
  if (view->out->rank == 0) {
    return data;
  }
  const part_t part = part_of(view, w[view->windowed], first, (int64_t)count);
  const size_t part_bytes = (size_t)(part.places * part.length) * part.bytes;
  if (view->windowed == 0) {
    if (lies_dense(view, &part)) {
      return run_of(view, data, &part, 0);
    }
    fetch_part(view, data, initial, &part, buffer);
    return buffer;
  }
  const int outer = view->windowed - 1;  // Rows follow one another in it.
  int64_t o[TENSOR_RANK_MAX] = {0}, index = first / view->row;
  for (int d = outer; d >= 0; d--) {
    o[d] = index % view->out->dims[d];
    index /= view->out->dims[d];
  }
  int64_t rows = count < (size_t)view->row ? 1 : (int64_t)count / view->row;
  const bool is_alone = rows == 1;
  for (char *to = buffer; rows > 0; kernel_next_index(outer, view->out->dims, o)) {
    const int64_t base =
        kernel_window_offset(view->window, outer, view->in, view->strides, o, w);
    for (; o[outer] < view->out->dims[outer] && rows > 0; o[outer]++, rows--) {
      const int64_t at = chip_window_element(view->window, outer, o[outer], w[outer]);
      const char *row = row_at(view, data, outer, base, at, part.bytes);
      if (is_alone && row != NULL && lies_dense(view, &part)) {
        return run_of(view, row, &part, 0);
      }
      fetch_part(view, row, initial, &part, to);
      to += part_bytes;
    }
    o[outer] = 0;
  }
  return buffer;
}
