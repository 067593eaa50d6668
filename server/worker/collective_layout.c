// A dimension that is not the outermost is brought outside by a blocked transposition of
// whole rows.

#include "server/worker/collective_layout.h"

#include <string.h>

#include "server/worker/kernels/stop.h"

collective_layout_t collective_layout_make(const tensor_shape_t *shape, int dimension,
                                           int64_t blocks) {
  collective_layout_t layout = {.outer = 1,
                                .blocks = blocks,
                                .inner_bytes = (int64_t)tensor_dtype_bytes(shape->dtype)};
  for (int i = 0; i < dimension; i++) {
    layout.outer *= shape->dims[i];
  }
  for (int i = dimension; i < shape->rank; i++) {
    layout.inner_bytes *= i == dimension ? shape->dims[i] / blocks : shape->dims[i];
  }
  return layout;
}

static collective_layout_t identity(const tensor_shape_t *shape) {
  return (collective_layout_t){
      .outer = 1, .blocks = 1, .inner_bytes = tensor_shape_bytes(shape)};
}

void collective_layouts_of(const chip_program_t *program,
                           const chip_instruction_t *instruction, int32_t index,
                           collective_layout_t *out_input,
                           collective_layout_t *out_output) {
  const tensor_shape_t *in = &program->buffers[instruction->operands[index]].shape;
  const tensor_shape_t *out = &program->buffers[instruction->results[index]].shape;
  const int64_t blocks = chip_instruction_attr_one(instruction, CHIP_ATTR_GROUP_SIZE, 1);
  const int dimension =
      (int)chip_instruction_attr_one(instruction, CHIP_ATTR_DIMENSION, 0);
  *out_input = identity(in);
  *out_output = identity(out);
  switch (instruction->op) {
    case CHIP_OP_ALL_GATHER:
      *out_output = collective_layout_make(out, dimension, blocks);
      return;
    case CHIP_OP_REDUCE_SCATTER:
      *out_input = collective_layout_make(in, dimension, blocks);
      return;
    case CHIP_OP_ALL_TO_ALL:
      *out_input = collective_layout_make(
          in, (int)chip_instruction_attr_one(instruction, CHIP_ATTR_SPLIT_DIMENSION, 0),
          blocks);
      *out_output = collective_layout_make(
          out, (int)chip_instruction_attr_one(instruction, CHIP_ATTR_CONCAT_DIMENSION, 0),
          blocks);
      return;
    default:
      return;
  }
}

bool collective_layout_is_identity(const collective_layout_t *layout) {
  return layout->outer == 1 || layout->blocks == 1 ||
         layout->outer * layout->inner_bytes == 0;
}

int64_t collective_layout_bytes(const collective_layout_t *layout) {
  return layout->outer * layout->blocks * layout->inner_bytes;
}

// Between two looks.
enum { PART_BYTES = 8 << 20, PART_PIECES = 1 << 15 };

// Some of the pieces of a block. Those of a constant small size are moved without a call
// each.
static void copy_some(uint8_t *to, int64_t to_stride, const uint8_t *from,
                      int64_t from_stride, int64_t count, int64_t piece_bytes) {
  for (int64_t i = 0; i < count; i++, to += to_stride, from += from_stride) {
    switch (piece_bytes) {
      case 2:
        memcpy(to, from, 2);
        break;
      case 4:
        memcpy(to, from, 4);
        break;
      case 8:
        memcpy(to, from, 8);
        break;
      case 16:
        memcpy(to, from, 16);
        break;
      default:
        kernel_copy_bytes(to, from, (size_t)piece_bytes);
    }
  }
}

// Copies one block: `outer` pieces that stand `from_stride` and `to_stride` apart.
static void copy_pieces(uint8_t *to, int64_t to_stride, const uint8_t *from,
                        int64_t from_stride, int64_t outer, int64_t piece_bytes) {
  const int64_t most =
      piece_bytes > PART_BYTES / PART_PIECES ? 1 + PART_BYTES / piece_bytes : PART_PIECES;
  for (int64_t i = 0; i < outer && !kernel_is_stopped(); i += most) {
    copy_some(to + i * to_stride, to_stride, from + i * from_stride, from_stride,
              outer - i < most ? outer - i : most, piece_bytes);
  }
}

void collective_pack(const collective_layout_t *layout, const void *array, void *packed) {
  const int64_t inner = layout->inner_bytes;
  if (collective_layout_is_identity(layout)) {
    kernel_copy_bytes(packed, array, (size_t)collective_layout_bytes(layout));
    return;
  }
  for (int64_t block = 0; block < layout->blocks; block++) {
    copy_pieces((uint8_t *)packed + block * layout->outer * inner, inner,
                (const uint8_t *)array + block * inner, layout->blocks * inner,
                layout->outer, inner);
  }
}

void collective_unpack(const collective_layout_t *layout, const void *packed,
                       void *array) {
  const int64_t inner = layout->inner_bytes;
  if (collective_layout_is_identity(layout)) {
    kernel_copy_bytes(array, packed, (size_t)collective_layout_bytes(layout));
    return;
  }
  for (int64_t block = 0; block < layout->blocks; block++) {
    copy_pieces((uint8_t *)array + block * inner, layout->blocks * inner,
                (const uint8_t *)packed + block * layout->outer * inner, inner,
                layout->outer, inner);
  }
}
