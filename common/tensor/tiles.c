// The extents of the two minor dimensions, rounded up to tiles; all products saturate.

#include "common/tensor/tiles.h"

static int64_t times(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t round_up(int64_t value, int64_t unit) {
  int64_t rounded;
  return __builtin_add_overflow(value, unit - 1, &rounded) ? INT64_MAX
                                                           : rounded / unit * unit;
}

// The smallest power of two that holds `size`, but not more than a whole tile.
static int64_t sublanes_for(int64_t size, int64_t tile) {
  int64_t sublanes = 1;
  while (sublanes < size && sublanes < tile) {
    sublanes *= 2;
  }
  return sublanes;
}

// Elements with padding when dimension `lanes` is the most minor one and `sublanes` the
// next; -1: there is no such dimension.
static int64_t padded_elements(const tensor_shape_t *shape, int64_t bits, int lanes,
                               int sublanes) {
  const int64_t packing = bits >= 32 ? 1 : 32 / bits;
  int64_t elements = 1;
  for (int d = 0; d < shape->rank; d++) {
    int64_t size = shape->dims[d];
    if (d == lanes) {
      size = round_up(size, TENSOR_LANES);
    } else if (d == sublanes) {
      size = round_up(size, sublanes_for(size, TENSOR_SUBLANES * packing));
    }
    elements = times(elements, size);
  }
  return elements;
}

tensor_layout_t tensor_layout(const tensor_shape_t *shape) {
  const int64_t bits = (int64_t)tensor_dtype_device_bits(shape->dtype);
  tensor_layout_t best = {.lanes = shape->rank - 1, .sublanes = shape->rank - 2};
  int64_t least = padded_elements(shape, bits, best.lanes, best.sublanes);
  for (int lanes = shape->rank - 1; lanes >= 0; lanes--) {
    for (int sublanes = shape->rank - 1; sublanes >= 0; sublanes--) {
      const int64_t elements =
          lanes == sublanes ? INT64_MAX : padded_elements(shape, bits, lanes, sublanes);
      if (elements < least) {
        least = elements;
        best = (tensor_layout_t){lanes, sublanes};
      }
    }
  }
  return best;
}

int64_t tensor_tiled_bytes(const tensor_shape_t *shape) {
  const int64_t bits = (int64_t)tensor_dtype_device_bits(shape->dtype);
  if (shape->rank == 0) {
    return (bits + 7) / 8;
  }
  const tensor_layout_t layout = tensor_layout(shape);
  const int64_t elements = padded_elements(shape, bits, layout.lanes, layout.sublanes);
  return bits % 8 == 0 ? times(elements, bits / 8) : times(elements, bits) / 8;
}

// The dimensions from the most minor on, as XLA prints a layout.
void tensor_layout_print(pod_text_t *text, const tensor_shape_t *shape) {
  if (shape->rank == 0) {
    return;
  }
  const tensor_layout_t layout = tensor_layout(shape);
  const int64_t bits = (int64_t)tensor_dtype_device_bits(shape->dtype);
  const int64_t packing = bits >= 32 ? 1 : 32 / bits;
  pod_text_printf(text, "{%d", layout.lanes);
  if (layout.sublanes >= 0) {
    pod_text_printf(text, ",%d", layout.sublanes);
  }
  for (int d = shape->rank - 1; d >= 0; d--) {
    if (d != layout.lanes && d != layout.sublanes) {
      pod_text_printf(text, ",%d", d);
    }
  }
  if (layout.sublanes < 0) {
    pod_text_printf(text, ":T(%d)}", (int)TENSOR_LANES);
    return;
  }
  const int64_t sublanes =
      sublanes_for(shape->dims[layout.sublanes], TENSOR_SUBLANES * packing);
  pod_text_printf(text, ":T(%lld,%d)}", (long long)sublanes, (int)TENSOR_LANES);
}
