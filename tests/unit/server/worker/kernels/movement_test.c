// Kernels that move elements, against index arithmetic on every element.

#include "tests/unit/server/worker/kernels/kernel_case.h"

#include <stdio.h>

static const tensor_dtype_t dtypes[] = {TENSOR_S8,  TENSOR_BF16, TENSOR_F32,
                                        TENSOR_S64, TENSOR_C128, TENSOR_PRED};

// Where an element of the result comes from: a place in operand 0, or -1 for the element
// of operand 1.
typedef int64_t (*source_fn_t)(const kernel_case_t *c, const int64_t *index);

static const int64_t *values_of(const kernel_case_t *c, chip_attr_key_t key) {
  int32_t count;
  return chip_instruction_attr(&c->instruction, key, &count);
}

static void check(kernel_case_t *c, source_fn_t source) {
  assert_runs(c);
  const tensor_array_t *in = &c->arrays[c->operands[0]];
  const tensor_array_t *out = &c->arrays[c->results[0]];
  const size_t bytes = tensor_dtype_bytes(out->shape.dtype);
  const int64_t count = tensor_shape_elements(&out->shape);
  for (int64_t place = 0; place < count; place++) {
    int64_t index[TENSOR_RANK_MAX];
    index_of(&out->shape, place, index);
    const int64_t from = source(c, index);
    const void *expected =
        from < 0 ? element_of(&c->arrays[c->operands[1]], 0) : element_of(in, from);
    if (memcmp(element_of(out, place), expected, bytes) != 0) {
      pod_text_t text = {0};
      tensor_shape_print(&text, &in->shape);
      pod_text_add(&text, " to ");
      tensor_shape_print(&text, &out->shape);
      fail_msg("%s: element %lld is not element %lld", text.bytes, (long long)place,
               (long long)from);
    }
  }
  case_free(c);
}

static int64_t random_dim(pod_random_t *random) {
  static const int64_t dims[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31};
  return dims[pod_random_below(random, POD_COUNT_OF(dims))];
}

static void random_permutation(pod_random_t *random, int rank, int64_t *permutation) {
  for (int i = 0; i < rank; i++) {
    permutation[i] = i;
  }
  for (int i = rank - 1; i > 0; i--) {
    const int j = (int)pod_random_below(random, (uint64_t)i + 1);
    const int64_t swap = permutation[i];
    permutation[i] = permutation[j];
    permutation[j] = swap;
  }
}

// ----- transpose -----

static int64_t transposed(const kernel_case_t *c, const int64_t *index) {
  const tensor_shape_t *in = &c->arrays[c->operands[0]].shape;
  const int64_t *permutation = values_of(c, CHIP_ATTR_DIMENSIONS);
  int64_t from[TENSOR_RANK_MAX];
  for (int i = 0; i < in->rank; i++) {
    from[permutation[i]] = index[i];
  }
  return place_of(in, from);
}

static kernel_case_t *transpose_case(tensor_dtype_t dtype, int rank, const int64_t *dims,
                                     const int64_t *permutation) {
  kernel_case_t *c = case_make(CHIP_OP_TRANSPOSE);
  int64_t out_dims[TENSOR_RANK_MAX];
  for (int i = 0; i < rank; i++) {
    out_dims[i] = dims[permutation[i]];
  }
  case_operand(c, dtype, rank, dims, "random:1");
  case_result(c, dtype, rank, out_dims);
  case_attr(c, CHIP_ATTR_DIMENSIONS, rank, permutation);
  return c;
}

static void test_transpose_permutes_the_dimensions_of_random_shapes(void **state) {
  (void)state;
  pod_random_t random = {.state = 1};
  for (int trial = 0; trial < 300; trial++) {
    const int rank = (int)pod_random_below(&random, 5);
    int64_t dims[TENSOR_RANK_MAX], permutation[TENSOR_RANK_MAX];
    for (int i = 0; i < rank; i++) {
      dims[i] = random_dim(&random);
    }
    random_permutation(&random, rank, permutation);
    const tensor_dtype_t dtype = dtypes[pod_random_below(&random, POD_COUNT_OF(dtypes))];
    check(transpose_case(dtype, rank, dims, permutation), transposed);
  }
}

static void test_transpose_of_matrices_around_the_block_sizes(void **state) {
  (void)state;
  const int64_t sizes[] = {1, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 130};
  const int64_t swap[] = {1, 0};
  for (size_t t = 0; t < POD_COUNT_OF(dtypes); t++) {
    for (size_t i = 0; i < POD_COUNT_OF(sizes); i++) {
      for (size_t j = 0; j < POD_COUNT_OF(sizes); j++) {
        const int64_t dims[] = {sizes[i], sizes[j]};
        check(transpose_case(dtypes[t], 2, dims, swap), transposed);
      }
    }
  }
  const int64_t empty[] = {0, 5};
  check(transpose_case(TENSOR_F32, 2, empty, swap), transposed);
}

// Large results are written past the caches where their rows are aligned, and in pieces
// between which a raised flag is seen: the last ones are a few elements longer or
// shorter.
static void test_transpose_of_large_matrices(void **state) {
  (void)state;
  const struct {
    tensor_dtype_t dtype;
    int64_t rows, columns;
  } large[] = {
      {TENSOR_S8, 1024, 1100},  {TENSOR_BF16, 512, 1060}, {TENSOR_F32, 480, 560},
      {TENSOR_F32, 490, 543},   {TENSOR_S64, 352, 400},   {TENSOR_C128, 256, 260},
      {TENSOR_S8, 271, 8207},   {TENSOR_S8, 272, 8208},   {TENSOR_S8, 145, 16500},
      {TENSOR_BF16, 2, 262300}, {TENSOR_S64, 262300, 3},  {TENSOR_F32, 2200, 129}};
  const int64_t swap[] = {1, 0};
  for (size_t i = 0; i < POD_COUNT_OF(large); i++) {
    const int64_t dims[] = {large[i].rows, large[i].columns};
    check(transpose_case(large[i].dtype, 2, dims, swap), transposed);
  }
}

// ----- broadcast_in_dim -----

static int64_t broadcast(const kernel_case_t *c, const int64_t *index) {
  const tensor_shape_t *in = &c->arrays[c->operands[0]].shape;
  const int64_t *dimensions = values_of(c, CHIP_ATTR_DIMENSIONS);
  int64_t from[TENSOR_RANK_MAX];
  for (int i = 0; i < in->rank; i++) {
    from[i] = in->dims[i] == 1 ? 0 : index[dimensions[i]];
  }
  return place_of(in, from);
}

static void test_broadcast_repeats_along_the_other_dimensions(void **state) {
  (void)state;
  pod_random_t random = {.state = 2};
  for (int trial = 0; trial < 400; trial++) {
    const int rank = (int)pod_random_below(&random, 5);
    int64_t out_dims[TENSOR_RANK_MAX], order[TENSOR_RANK_MAX], in_dims[TENSOR_RANK_MAX];
    for (int i = 0; i < rank; i++) {
      out_dims[i] = random_dim(&random);
    }
    random_permutation(&random, rank, order);
    const int in_rank = (int)pod_random_below(&random, (uint64_t)rank + 1);
    for (int i = 0; i < in_rank; i++) {
      in_dims[i] = pod_random_below(&random, 4) == 0 ? 1 : out_dims[order[i]];
    }
    const tensor_dtype_t dtype = dtypes[pod_random_below(&random, POD_COUNT_OF(dtypes))];
    kernel_case_t *c = case_make(CHIP_OP_BROADCAST_IN_DIM);
    case_operand(c, dtype, in_rank, in_dims, "random:2");
    case_result(c, dtype, rank, out_dims);
    case_attr(c, CHIP_ATTR_DIMENSIONS, in_rank, order);
    check(c, broadcast);
  }
}

// ----- slice, reverse, dynamic_slice -----

static int64_t sliced(const kernel_case_t *c, const int64_t *index) {
  const tensor_shape_t *in = &c->arrays[c->operands[0]].shape;
  const int64_t *starts = values_of(c, CHIP_ATTR_START_INDICES);
  const int64_t *strides = values_of(c, CHIP_ATTR_STRIDES);
  int64_t from[TENSOR_RANK_MAX];
  for (int i = 0; i < in->rank; i++) {
    from[i] = starts[i] + index[i] * strides[i];
  }
  return place_of(in, from);
}

static void test_slice_takes_every_stride_th_element(void **state) {
  (void)state;
  pod_random_t random = {.state = 3};
  for (int trial = 0; trial < 300; trial++) {
    const int rank = (int)pod_random_below(&random, 4);
    int64_t dims[4], starts[4], limits[4], strides[4], out_dims[4];
    for (int i = 0; i < rank; i++) {
      dims[i] = random_dim(&random);
      starts[i] = (int64_t)pod_random_below(&random, (uint64_t)dims[i] + 1);
      limits[i] = starts[i] +
                  (int64_t)pod_random_below(&random, (uint64_t)(dims[i] - starts[i]) + 1);
      strides[i] = 1 + (int64_t)pod_random_below(&random, 3);
      out_dims[i] = (limits[i] - starts[i] + strides[i] - 1) / strides[i];
    }
    const tensor_dtype_t dtype = dtypes[pod_random_below(&random, POD_COUNT_OF(dtypes))];
    kernel_case_t *c = case_make(CHIP_OP_SLICE);
    case_operand(c, dtype, rank, dims, "random:3");
    case_result(c, dtype, rank, out_dims);
    case_attr(c, CHIP_ATTR_START_INDICES, rank, starts);
    case_attr(c, CHIP_ATTR_LIMIT_INDICES, rank, limits);
    case_attr(c, CHIP_ATTR_STRIDES, rank, strides);
    check(c, sliced);
  }
}

static int64_t reversed(const kernel_case_t *c, const int64_t *index) {
  const tensor_shape_t *in = &c->arrays[c->operands[0]].shape;
  int32_t count;
  const int64_t *dimensions =
      chip_instruction_attr(&c->instruction, CHIP_ATTR_DIMENSIONS, &count);
  int64_t from[TENSOR_RANK_MAX];
  memcpy(from, index, sizeof(from));
  for (int32_t i = 0; i < count; i++) {
    from[dimensions[i]] = in->dims[dimensions[i]] - 1 - index[dimensions[i]];
  }
  return place_of(in, from);
}

static void test_reverse_turns_some_dimensions_round(void **state) {
  (void)state;
  pod_random_t random = {.state = 4};
  for (int trial = 0; trial < 200; trial++) {
    const int rank = (int)pod_random_below(&random, 4);
    int64_t dims[4], order[4];
    for (int i = 0; i < rank; i++) {
      dims[i] = pod_random_below(&random, 20) == 0 ? 0 : random_dim(&random);
    }
    random_permutation(&random, rank, order);
    const tensor_dtype_t dtype = dtypes[pod_random_below(&random, POD_COUNT_OF(dtypes))];
    kernel_case_t *c = case_make(CHIP_OP_REVERSE);
    case_operand(c, dtype, rank, dims, "random:4");
    case_result(c, dtype, rank, dims);
    case_attr(c, CHIP_ATTR_DIMENSIONS, (int)pod_random_below(&random, (uint64_t)rank + 1),
              order);
    check(c, reversed);
  }
}

// Start indices are operands; they are clamped so that the slice fits.
static int64_t clamped_start(const kernel_case_t *c, int operand, int64_t last) {
  const tensor_array_t *array = &c->arrays[c->operands[operand]];
  const double start = number_of(array, 0);
  return start < 0 ? 0 : start > (double)last ? last : (int64_t)start;
}

static int64_t dynamically_sliced(const kernel_case_t *c, const int64_t *index) {
  const tensor_shape_t *in = &c->arrays[c->operands[0]].shape;
  const tensor_shape_t *out = &c->arrays[c->results[0]].shape;
  int64_t from[TENSOR_RANK_MAX];
  for (int i = 0; i < in->rank; i++) {
    from[i] = clamped_start(c, 1 + i, in->dims[i] - out->dims[i]) + index[i];
  }
  return place_of(in, from);
}

static void add_start(kernel_case_t *c, pod_random_t *random) {
  static const tensor_dtype_t types[] = {TENSOR_S32, TENSOR_S64, TENSOR_U64, TENSOR_S8,
                                         TENSOR_U32};
  const tensor_dtype_t dtype = types[pod_random_below(random, POD_COUNT_OF(types))];
  tensor_array_t *start = case_operand(c, dtype, 0, NULL, "zeros");
  const int64_t value = pod_random_below(random, 8) == 0
                            ? -1  // The largest number of an unsigned type.
                            : (int64_t)pod_random_below(random, 40) - 4;
  tensor_element_from_int64(dtype, value, start->data);
}

static void test_dynamic_slice_clamps_its_start(void **state) {
  (void)state;
  pod_random_t random = {.state = 5};
  for (int trial = 0; trial < 300; trial++) {
    const int rank = (int)pod_random_below(&random, 4);
    int64_t dims[4], sizes[4];
    for (int i = 0; i < rank; i++) {
      dims[i] = random_dim(&random);
      sizes[i] = (int64_t)pod_random_below(&random, (uint64_t)dims[i] + 1);
    }
    const tensor_dtype_t dtype = dtypes[pod_random_below(&random, POD_COUNT_OF(dtypes))];
    kernel_case_t *c = case_make(CHIP_OP_DYNAMIC_SLICE);
    case_operand(c, dtype, rank, dims, "random:5");
    for (int i = 0; i < rank; i++) {
      add_start(c, &random);
    }
    case_result(c, dtype, rank, sizes);
    case_attr(c, CHIP_ATTR_SLICE_SIZES, rank, sizes);
    check(c, dynamically_sliced);
  }
}

static void check_update(kernel_case_t *c, const tensor_array_t *before,
                         const void *after) {
  const tensor_array_t *update = &c->arrays[c->operands[1]];
  const tensor_shape_t *shape = &before->shape;
  const size_t bytes = tensor_dtype_bytes(shape->dtype);
  for (int64_t place = 0; place < tensor_shape_elements(shape); place++) {
    int64_t index[TENSOR_RANK_MAX];
    index_of(shape, place, index);
    bool is_inside = true;
    for (int i = 0; i < shape->rank; i++) {
      index[i] -= clamped_start(c, 2 + i, shape->dims[i] - update->shape.dims[i]);
      is_inside = is_inside && index[i] >= 0 && index[i] < update->shape.dims[i];
    }
    const void *expected = is_inside ? element_of(update, place_of(&update->shape, index))
                                     : element_of(before, place);
    assert_memory_equal((const char *)after + place * (int64_t)bytes, expected, bytes);
  }
}

static void test_dynamic_update_slice_writes_into_a_copy_or_in_place(void **state) {
  (void)state;
  pod_random_t random = {.state = 6};
  for (int trial = 0; trial < 300; trial++) {
    const int rank = (int)pod_random_below(&random, 4);
    int64_t dims[4], sizes[4];
    for (int i = 0; i < rank; i++) {
      dims[i] = random_dim(&random);
      sizes[i] = (int64_t)pod_random_below(&random, (uint64_t)dims[i] + 1);
    }
    const tensor_dtype_t dtype = dtypes[pod_random_below(&random, POD_COUNT_OF(dtypes))];
    kernel_case_t *c = case_make(CHIP_OP_DYNAMIC_UPDATE_SLICE);
    const tensor_array_t *in = case_operand(c, dtype, rank, dims, "random:6");
    case_operand(c, dtype, rank, sizes, "random:7");
    for (int i = 0; i < rank; i++) {
      add_start(c, &random);
    }
    const tensor_array_t *out = case_result(c, dtype, rank, dims);
    tensor_array_t before = {0};
    assert_null(tensor_array_init(&before, &in->shape));
    memcpy(before.data, in->data, (size_t)tensor_shape_bytes(&in->shape));
    const bool is_in_place = trial % 2 == 0;
    assert_null(case_run_at(c, is_in_place));
    check_update(c, &before, is_in_place ? in->data : out->data);
    tensor_array_deinit(&before);
    case_free(c);
  }
}

// ----- concatenate -----

static void test_concatenate_puts_operands_one_behind_the_other(void **state) {
  (void)state;
  pod_random_t random = {.state = 7};
  for (int trial = 0; trial < 200; trial++) {
    const int rank = 1 + (int)pod_random_below(&random, 3);
    const int dim = (int)pod_random_below(&random, (uint64_t)rank);
    int64_t dims[4];
    for (int i = 0; i < rank; i++) {
      dims[i] = random_dim(&random);
    }
    const tensor_dtype_t dtype = dtypes[pod_random_below(&random, POD_COUNT_OF(dtypes))];
    kernel_case_t *c = case_make(CHIP_OP_CONCATENATE);
    const int operands = 1 + (int)pod_random_below(&random, 4);
    int64_t total = 0;
    for (int i = 0; i < operands; i++) {
      char generator[32];
      snprintf(generator, sizeof(generator), "random:%d", trial * 10 + i);
      dims[dim] = (int64_t)pod_random_below(&random, 6);
      total += dims[dim];
      case_operand(c, dtype, rank, dims, generator);
    }
    dims[dim] = total;
    const tensor_array_t *out = case_result(c, dtype, rank, dims);
    case_attr_one(c, CHIP_ATTR_DIMENSION, dim);
    assert_runs(c);
    for (int64_t place = 0; place < tensor_shape_elements(&out->shape); place++) {
      int64_t index[TENSOR_RANK_MAX];
      index_of(&out->shape, place, index);
      int operand = 0;
      while (index[dim] >= c->arrays[operand].shape.dims[dim]) {
        index[dim] -= c->arrays[operand++].shape.dims[dim];
      }
      const tensor_array_t *in = &c->arrays[operand];
      assert_memory_equal(element_of(out, place),
                          element_of(in, place_of(&in->shape, index)),
                          tensor_dtype_bytes(dtype));
    }
    case_free(c);
  }
}

// ----- pad -----

static int64_t padded(const kernel_case_t *c, const int64_t *index) {
  const tensor_shape_t *in = &c->arrays[c->operands[0]].shape;
  const int64_t *low = values_of(c, CHIP_ATTR_EDGE_PADDING_LOW);
  const int64_t *interior = values_of(c, CHIP_ATTR_INTERIOR_PADDING);
  int64_t from[TENSOR_RANK_MAX];
  for (int i = 0; i < in->rank; i++) {
    const int64_t at = index[i] - low[i], step = interior[i] + 1;
    if (at < 0 || at % step != 0 || at / step >= in->dims[i]) {
      return -1;
    }
    from[i] = at / step;
  }
  return place_of(in, from);
}

static void test_pad_adds_and_cuts_at_the_edges_and_between(void **state) {
  (void)state;
  pod_random_t random = {.state = 8};
  for (int trial = 0; trial < 600; trial++) {
    const int rank = (int)pod_random_below(&random, 4);
    int64_t dims[4], low[4], high[4], interior[4], out_dims[4];
    for (int i = 0; i < rank; i++) {
      dims[i] = pod_random_below(&random, 10) == 0 ? 0 : random_dim(&random);
      interior[i] =
          pod_random_below(&random, 2) == 0 ? 0 : (int64_t)pod_random_below(&random, 3);
      const int64_t spread = dims[i] + (dims[i] > 0 ? (dims[i] - 1) * interior[i] : 0);
      low[i] = (int64_t)pod_random_below(&random, 7) - 3;
      high[i] = (int64_t)pod_random_below(&random, 7) - 3;
      if (spread + low[i] + high[i] < 0) {
        low[i] = high[i] = 0;
      }
      out_dims[i] = spread + low[i] + high[i];
    }
    const tensor_dtype_t dtype = dtypes[pod_random_below(&random, POD_COUNT_OF(dtypes))];
    kernel_case_t *c = case_make(CHIP_OP_PAD);
    case_operand(c, dtype, rank, dims, "random:8");
    case_operand(c, dtype, 0, NULL, "ones");
    case_result(c, dtype, rank, out_dims);
    case_attr(c, CHIP_ATTR_EDGE_PADDING_LOW, rank, low);
    case_attr(c, CHIP_ATTR_EDGE_PADDING_HIGH, rank, high);
    case_attr(c, CHIP_ATTR_INTERIOR_PADDING, rank, interior);
    check(c, padded);
  }
}

// ----- iota, reshape, copy -----

static void test_iota_counts_along_its_dimension_in_every_type(void **state) {
  (void)state;
  const int64_t dims[] = {3, 700, 5};
  for (int i = TENSOR_S2; i < TENSOR_DTYPE_COUNT; i++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)i;
    for (int dim = 0; dim < 3; dim++) {
      kernel_case_t *c = case_make(CHIP_OP_IOTA);
      const tensor_array_t *out = case_result(c, dtype, 3, dims);
      case_attr_one(c, CHIP_ATTR_DIMENSION, dim);
      assert_runs(c);
      for (int64_t place = 0; place < tensor_shape_elements(&out->shape); place++) {
        int64_t index[TENSOR_RANK_MAX];
        char expected[16];
        index_of(&out->shape, place, index);
        tensor_element_from_int64(dtype, index[dim], expected);
        assert_memory_equal(element_of(out, place), expected, tensor_dtype_bytes(dtype));
      }
      case_free(c);
    }
  }
}

static void test_reshape_and_copy_keep_the_bytes(void **state) {
  (void)state;
  const chip_op_t ops[] = {CHIP_OP_RESHAPE, CHIP_OP_COPY};
  const int64_t dims[] = {6, 5};
  for (size_t i = 0; i < POD_COUNT_OF(ops); i++) {
    kernel_case_t *c = case_make(ops[i]);
    const tensor_array_t *in = case_operand(c, TENSOR_F32, 2, dims, "random:9");
    const tensor_array_t *out = case_result(c, TENSOR_F32, 2, dims);
    assert_runs(c);
    assert_memory_equal(out->data, in->data, 120);
    assert_null(case_run_at(c, true));
    assert_memory_equal(out->data, in->data, 120);
    case_free(c);
  }
}

// ----- short pieces -----

// Rows of a few elements, more of them than fit in a block.
static void test_equal_short_pieces_are_concatenated(void **state) {
  (void)state;
  enum { ROWS = 4999 };
  static const tensor_dtype_t types[] = {TENSOR_S8, TENSOR_BF16, TENSOR_F32, TENSOR_C64,
                                         TENSOR_C128};
  static const int counts[] = {2, 3, 5, 8, 17, 40};
  for (size_t i = 0; i < POD_COUNT_OF(types) * POD_COUNT_OF(counts) * 4; i++) {
    const tensor_dtype_t dtype = types[i % POD_COUNT_OF(types)];
    const int count = counts[i / POD_COUNT_OF(types) % POD_COUNT_OF(counts)];
    const int64_t part = 1 + (int64_t)(i / (POD_COUNT_OF(types) * POD_COUNT_OF(counts)));
    const int64_t dims[] = {ROWS, part}, joined_dims[] = {ROWS, part * count};
    kernel_case_t *c = case_make(CHIP_OP_CONCATENATE);
    for (int k = 0; k < count; k++) {
      case_operand(c, dtype, 2, dims, k % 2 == 0 ? "random:1" : "random:2");
    }
    const tensor_array_t *out = case_result(c, dtype, 2, joined_dims);
    case_attr_one(c, CHIP_ATTR_DIMENSION, 1);
    assert_runs(c);
    for (int64_t at = 0; at < ROWS * count; at++) {
      assert_memory_equal(element_of(out, at * part),
                          element_of(&c->arrays[at % count], at / count * part),
                          (size_t)part * tensor_dtype_bytes(dtype));
    }
    case_free(c);
  }
}

static void test_short_pieces_are_concatenated_and_padded(void **state) {
  (void)state;
  enum { ROWS = 5003, PIECES = 7 };
  static const tensor_dtype_t types[] = {TENSOR_S8, TENSOR_BF16, TENSOR_F32, TENSOR_C64};
  for (size_t d = 0; d < POD_COUNT_OF(types); d++) {
    const size_t bytes = tensor_dtype_bytes(types[d]);
    kernel_case_t *joined = case_make(CHIP_OP_CONCATENATE);
    int64_t width = 0;
    for (int i = 0; i < PIECES; i++) {
      const int64_t dims[] = {ROWS, i % 4};
      case_operand(joined, types[d], 2, dims, i % 2 == 0 ? "random:1" : "random:2");
      width += i % 4;
    }
    const int64_t dims[] = {ROWS, width}, padded_dims[] = {ROWS, width + 3};
    const tensor_array_t *out = case_result(joined, types[d], 2, dims);
    case_attr_one(joined, CHIP_ATTR_DIMENSION, 1);
    assert_runs(joined);
    for (int64_t row = 0; row < ROWS; row++) {
      int64_t at = row * width;
      for (int i = 0; i < PIECES; at += i % 4, i++) {
        assert_memory_equal(element_of(out, at),
                            element_of(&joined->arrays[i], row * (i % 4)),
                            (size_t)(i % 4) * bytes);
      }
    }
    kernel_case_t *padded = case_make(CHIP_OP_PAD);
    const tensor_array_t *in = case_operand(padded, types[d], 2, dims, "random:3");
    const tensor_array_t *value = case_operand(padded, types[d], 0, NULL, "random:4");
    const tensor_array_t *wide = case_result(padded, types[d], 2, padded_dims);
    case_attr(padded, CHIP_ATTR_EDGE_PADDING_LOW, 2, (const int64_t[]){0, 2});
    case_attr(padded, CHIP_ATTR_INTERIOR_PADDING, 2, (const int64_t[]){0, 0});
    assert_runs(padded);
    for (int64_t i = 0; i < ROWS * (width + 3); i++) {
      const int64_t row = i / (width + 3), column = i % (width + 3) - 2;
      assert_memory_equal(element_of(wide, i),
                          column < 0 || column >= width
                              ? element_of(value, 0)
                              : element_of(in, row * width + column),
                          bytes);
    }
    case_free(joined);
    case_free(padded);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_transpose_permutes_the_dimensions_of_random_shapes),
      cmocka_unit_test(test_transpose_of_matrices_around_the_block_sizes),
      cmocka_unit_test(test_transpose_of_large_matrices),
      cmocka_unit_test(test_broadcast_repeats_along_the_other_dimensions),
      cmocka_unit_test(test_slice_takes_every_stride_th_element),
      cmocka_unit_test(test_reverse_turns_some_dimensions_round),
      cmocka_unit_test(test_dynamic_slice_clamps_its_start),
      cmocka_unit_test(test_dynamic_update_slice_writes_into_a_copy_or_in_place),
      cmocka_unit_test(test_concatenate_puts_operands_one_behind_the_other),
      cmocka_unit_test(test_pad_adds_and_cuts_at_the_edges_and_between),
      cmocka_unit_test(test_iota_counts_along_its_dimension_in_every_type),
      cmocka_unit_test(test_equal_short_pieces_are_concatenated),
      cmocka_unit_test(test_short_pieces_are_concatenated_and_padded),
      cmocka_unit_test(test_reshape_and_copy_keep_the_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
