// The extents of the last two dimensions, rounded up to tiles; all products saturate.

#include "server/chip/tiles.h"

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

int64_t chip_tiled_bytes(const tensor_shape_t *shape) {
  const int64_t bits = (int64_t)tensor_dtype_device_bits(shape->dtype);
  if (shape->rank == 0) {
    return (bits + 7) / 8;
  }
  const int64_t packing = bits >= 32 ? 1 : 32 / bits;
  int64_t elements = round_up(shape->dims[shape->rank - 1], CHIP_LANES);
  if (shape->rank >= 2) {
    const int64_t size = shape->dims[shape->rank - 2];
    elements =
        times(elements, round_up(size, sublanes_for(size, CHIP_SUBLANES * packing)));
  }
  for (int d = 0; d + 2 < shape->rank; d++) {
    elements = times(elements, shape->dims[d]);
  }
  return bits % 8 == 0 ? times(elements, bits / 8) : times(elements, bits) / 8;
}
