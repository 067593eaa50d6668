// The cost of single instructions, held against published measurements and against what
// padding must do.

#include "server/chip/cost.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/tensor/tiles.h"
#include "server/chip/product.h"
#include "server/chip/work.h"

// A program of one product [m,k] x [k,n].
static chip_cost_t product_cost(const char *kind, tensor_dtype_t dtype, int64_t m,
                                int64_t k, int64_t n, int64_t precision) {
  const chip_buffer_t buffers[] = {
      {.kind = CHIP_BUFFER_ARGUMENT,
       .shape = tensor_shape_make(dtype, 2, (int64_t[]){m, k})},
      {.kind = CHIP_BUFFER_ARGUMENT,
       .shape = tensor_shape_make(dtype, 2, (int64_t[]){k, n})},
      {.kind = CHIP_BUFFER_RESULT,
       .shape = tensor_shape_make(dtype, 2, (int64_t[]){m, n})},
  };
  const int64_t precisions[] = {precision, precision};
  const chip_attr_t attrs[] = {
      {CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, 1, (int64_t[]){1}},
      {CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, 1, (int64_t[]){0}},
      {CHIP_ATTR_PRECISION, 2, precisions},
  };
  const chip_instruction_t instruction = {.op = CHIP_OP_DOT_GENERAL,
                                          .operand_count = 2,
                                          .operands = (int32_t[]){0, 1},
                                          .result_count = 1,
                                          .results = (int32_t[]){2},
                                          .attr_count = 3,
                                          .attrs = attrs};
  const chip_program_t program = {.buffer_count = 3, .buffers = buffers};
  const chip_spec_t *spec = chip_spec_find(kind);
  const chip_work_t work = chip_instruction_work(spec, &program, &instruction);
  return chip_work_cost(spec, &work);
}

static chip_cost_t copy_cost(const char *kind, int64_t elements) {
  const tensor_shape_t shape = tensor_shape_make(TENSOR_BF16, 1, &elements);
  const chip_buffer_t buffers[] = {{.kind = CHIP_BUFFER_ARGUMENT, .shape = shape},
                                   {.kind = CHIP_BUFFER_RESULT, .shape = shape}};
  const chip_instruction_t instruction = {.op = CHIP_OP_COPY,
                                          .operand_count = 1,
                                          .operands = (int32_t[]){0},
                                          .result_count = 1,
                                          .results = (int32_t[]){1}};
  const chip_program_t program = {.buffer_count = 2, .buffers = buffers};
  const chip_work_t work =
      chip_instruction_work(chip_spec_find(kind), &program, &instruction);
  return chip_work_cost(chip_spec_find(kind), &work);
}

static void assert_near_us(chip_cost_t cost, double measured_us, double tolerance) {
  const double predicted_us = (double)cost.duration_ps / 1e6;
  const double error = predicted_us / measured_us - 1;
  if (error > tolerance || error < -tolerance) {
    fail_msg("predicted %.2f us, measured %.2f us", predicted_us, measured_us);
  }
}

// Of a module of it alone.
static chip_cost_t with_launch(const char *kind, chip_cost_t cost) {
  cost.duration_ps += chip_spec_find(kind)->launch_ps;
  return cost;
}

static void test_large_products_take_the_time_that_was_measured(void **state) {
  (void)state;
  // v6e, 8192³: 1328.76 us of device time. v5e, 16384³: 46953 us on the host, 105 of them
  // the call. v4: 36 ms.
  assert_near_us(product_cost("v6e", TENSOR_BF16, 8192, 8192, 8192, 0), 1328.76, 0.01);
  assert_near_us(product_cost("v5e", TENSOR_BF16, 16384, 16384, 16384, 0), 46848, 0.01);
  assert_near_us(product_cost("v4", TENSOR_BF16, 16384, 16384, 16384, 0), 36000, 0.02);
}

static void test_copies_and_matvecs_take_the_time_that_was_measured(void **state) {
  (void)state;
  const chip_cost_t matvec = product_cost("v5e", TENSOR_BF16, 1, 8192, 4096, 0);
  assert_int_equal(matvec.bound, CHIP_BOUND_HBM);
  assert_near_us(matvec, 90, 0.02);
  assert_near_us(with_launch("v6e", copy_cost("v6e", 16777216)), 49.36, 0.02);
  // Within a module, in a trace.
  assert_near_us(copy_cost("v5e", 2048 * 1024), 11.5, 0.05);
}

static void test_a_small_product_costs_what_starting_it_costs(void **state) {
  (void)state;
  const chip_cost_t cost = product_cost("v7x", TENSOR_BF16, 128, 128, 128, 0);
  assert_int_equal(cost.bound, CHIP_BOUND_FIXED);
  assert_near_us(with_launch("v7x", cost), 1.62, 0.1);
}

static void test_a_product_is_padded_to_the_array_but_its_flops_are_not(void **state) {
  (void)state;
  const chip_cost_t odd = product_cost("v5e", TENSOR_BF16, 4096, 4097, 4096, 0);
  const chip_cost_t even = product_cost("v5e", TENSOR_BF16, 4096, 4224, 4096, 0);
  assert_int_equal(odd.mxu_flop, 2 * (int64_t)4096 * 4096 * 4097);
  assert_int_equal(odd.mxu_ps, even.mxu_ps);
  // By hand: 1 of 128 rows streams 128, k = 129 takes two tiles of 128, n = 1 of 128.
  const chip_cost_t tiny = product_cost("v4", TENSOR_BF16, 2, 129, 2, 0);
  const double busy_flop = 2.0 * 128 * 256 * 128;
  assert_int_equal(tiny.mxu_ps, (int64_t)ceil(busy_flop / 275e12 / 0.8885 * 1e12));
  // On v6e the array is 256 wide.
  const chip_cost_t wide = product_cost("v6e", TENSOR_BF16, 2, 129, 2, 0);
  assert_int_equal(wide.mxu_ps,
                   (int64_t)ceil(2.0 * 256 * 256 * 256 / 918e12 / 0.905 * 1e12));
}

static void test_f32_products_take_one_three_or_six_passes_by_precision(void **state) {
  (void)state;
  const int64_t one = product_cost("v5e", TENSOR_F32, 8192, 8192, 8192, 0).mxu_ps;
  const int64_t three = product_cost("v5e", TENSOR_F32, 8192, 8192, 8192, 1).mxu_ps;
  const int64_t six = product_cost("v5e", TENSOR_F32, 8192, 8192, 8192, 2).mxu_ps;
  assert_in_range(three, 3 * one - 3, 3 * one + 3);
  assert_in_range(six, 6 * one - 6, 6 * one + 6);
}

static void test_8_bit_products_have_a_rate_of_their_own_where_there_is_one(
    void **state) {
  (void)state;
  const int64_t n = 8192;
  const double v6e = (double)product_cost("v6e", TENSOR_S8, n, n, n, 0).mxu_ps /
                     (double)product_cost("v6e", TENSOR_BF16, n, n, n, 0).mxu_ps;
  assert_true(v6e > 0.499 && v6e < 0.501);
  assert_int_equal(product_cost("v2", TENSOR_S8, n, n, n, 0).mxu_ps,
                   product_cost("v2", TENSOR_BF16, n, n, n, 0).mxu_ps);
  const double v7x = (double)product_cost("v7x", TENSOR_F8E4M3FN, n, n, n, 0).mxu_ps /
                     (double)product_cost("v7x", TENSOR_BF16, n, n, n, 0).mxu_ps;
  assert_true(v7x > 0.499 && v7x < 0.501);
  assert_int_equal(product_cost("v6e", TENSOR_F8E5M2, n, n, n, 0).mxu_ps,
                   product_cost("v6e", TENSOR_BF16, n, n, n, 0).mxu_ps);
  assert_int_equal(product_cost("v6e", TENSOR_S32, n, n, n, 0).mxu_ps, 0);
}

// The MXU of a v2 would need 374 us to take the matrix in; 209.2 were measured.
static void test_a_matvec_is_multiplied_and_reduced_by_the_vpu(void **state) {
  (void)state;
  const chip_cost_t cost = product_cost("v2c", TENSOR_BF16, 1, 8192, 4096, 0);
  assert_int_equal(cost.bound, CHIP_BOUND_HBM);
  assert_int_equal(cost.mxu_ps, 0);
  assert_int_equal(cost.mxu_flop, 2 * 4096 * 8192);
  assert_near_us(cost, 209.2, 0.01);
}

// From the smallest to the largest, on every kind: never faster for more, the fixed cost
// at one end, the rate of what bounds it at the other.
static void test_costs_grow_with_size_from_the_fixed_cost_to_the_rate(void **state) {
  (void)state;
  for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
    const chip_spec_t *spec = *row;
    int64_t product_before = 0, copy_before = 0;
    for (int64_t size = 8; size <= 32768; size *= 2) {
      const int64_t product =
          product_cost(spec->name, TENSOR_BF16, size, size, size, 0).duration_ps;
      const int64_t copy = copy_cost(spec->name, size * size).duration_ps;
      assert_true(product >= product_before && copy >= copy_before);
      product_before = product;
      copy_before = copy;
    }
    const chip_cost_t small = product_cost(spec->name, TENSOR_BF16, 8, 8, 8, 0);
    assert_int_equal(small.bound, CHIP_BOUND_FIXED);
    assert_in_range(small.duration_ps, spec->kernel_ps, 2 * spec->kernel_ps);
    const double flop = 2.0 * 32768 * 32768 * 32768;
    const double rate = flop / (double)product_before * 1e12;
    assert_true(rate > 0.99 * spec->mxu_fraction * spec->bf16_flop_per_s);
    assert_true(rate < spec->bf16_flop_per_s);
    const double bytes = 4.0 * 32768 * 32768;
    const double copied = bytes / (double)copy_before * 1e12;
    assert_true(copied > 0.84 * spec->hbm_bytes_per_s);
    assert_true(copied < spec->hbm_fraction * spec->hbm_bytes_per_s);
  }
}

static chip_cost_t work_cost(const char *kind, chip_work_t work) {
  return chip_work_cost(chip_spec_find(kind), &work);
}

static void test_memory_and_core_hide_behind_each_other_but_for_a_latency(void **state) {
  (void)state;
  const chip_spec_t *spec = chip_spec_find("v5e");
  const int64_t large = (int64_t)1 << 30;
  const int64_t ops = 1000000000000;
  const chip_cost_t memory = work_cost("v5e", (chip_work_t){.hbm_read_bytes = large});
  const chip_cost_t core = work_cost("v5e", (chip_work_t){.vpu_op = ops});
  const chip_cost_t both =
      work_cost("v5e", (chip_work_t){.hbm_read_bytes = large, .vpu_op = ops});
  assert_int_equal(both.bound, CHIP_BOUND_VPU);
  // As many pieces as latencies fit in; the first is loaded with nothing beside.
  const double pieces = (double)core.vpu_ps / (double)spec->dma_latency_ps;
  const double exposed = (double)memory.hbm_ps / pieces;
  assert_true(llabs(both.duration_ps - core.duration_ps - (int64_t)exposed) <= 1);
  assert_true(exposed < (double)spec->dma_latency_ps);
  // What is one piece does not overlap at all.
  const chip_work_t small = {.hbm_read_bytes = 65536, .vpu_op = 1 << 20};
  const chip_cost_t one = work_cost("v5e", small);
  assert_int_equal(one.duration_ps, spec->kernel_ps + one.hbm_ps + one.vpu_ps);
}

// The ends of a product of bf16[n,n]: what it takes besides the MXU.
static double ends_us(const char *kind, int64_t n) {
  const chip_spec_t *spec = chip_spec_find(kind);
  const chip_cost_t cost = product_cost(kind, TENSOR_BF16, n, n, n, 0);
  return (double)(cost.duration_ps - cost.mxu_ps - spec->kernel_ps) / 1e6;
}

static void test_a_product_exposes_its_first_tiles_and_its_last(void **state) {
  (void)state;
  for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
    const chip_spec_t *spec = *row;
    const double rate = spec->hbm_bytes_per_s * spec->hbm_fraction;
    for (int64_t n = 256; n <= 16384; n *= 2) {
      const chip_product_t product = {.batch = 1,
                                      .m = n,
                                      .n = n,
                                      .k = n,
                                      .left_bytes = 2,
                                      .right_bytes = 2,
                                      .result_bytes = 2,
                                      .busy_flop = 2 * n * n * n};
      const chip_tile_t tile = chip_product_tile(spec, &product);
      const int64_t pairs = (tile.m + tile.n) * tile.k * 2;
      assert_true(2 * pairs + 2 * tile.m * tile.n * 2 <= spec->kernel_vmem_bytes);
      assert_int_equal(tile.first_bytes, pairs);
      assert_int_equal(tile.last_bytes, tile.m * tile.n * 2);
      assert_int_equal(tile.steps, n / tile.m * (n / tile.n) * (n / tile.k));
      const double ends = (double)(tile.first_bytes + tile.last_bytes) / rate * 1e6;
      if (n >= 4096) {  // The MXU bounds it.
        assert_true(fabs(ends_us(spec->name, n) / ends - 1) < 0.01);
        // A larger product is loaded in no smaller tiles than its steps hide.
        assert_true((double)tile.steps * (double)spec->dma_latency_ps <=
                    (double)product_cost(spec->name, TENSOR_BF16, n, n, n, 0).mxu_ps);
      }
    }
  }
}

// A residual that is read beside the result comes within one step of its product: where
// the steps are long it hides, where the array outruns HBM it does not, and in VMEM it
// costs nothing.
static void test_an_epilogues_operand_hides_behind_one_step_only(void **state) {
  (void)state;
  const chip_spec_t *spec = chip_spec_find("v6e");
  chip_work_t work = {.mxu_flop = (int64_t)1 << 40,
                      .mxu_busy_flop = (int64_t)1 << 40,
                      .hbm_read_bytes = 384 << 20,
                      .hbm_written_bytes = 128 << 20,
                      .tile_steps = 512,
                      .first_bytes = 2 << 20,
                      .last_bytes = 1 << 20,
                      .result_tiles = 128};
  const chip_cost_t without = work_cost("v6e", work);
  const int64_t step_ps = without.mxu_ps / work.tile_steps;
  assert_true(step_ps > chip_hbm_ps(spec, work.first_bytes, 0));
  work.epilogue_bytes = 8 << 20;  // 64 KiB a tile.
  assert_int_equal(work_cost("v6e", work).duration_ps, without.duration_ps);
  work.epilogue_bytes = 256 << 20;
  const int64_t tile_ps = chip_hbm_ps(spec, 2 << 20, 0);
  const int64_t late_ps = chip_hbm_ps(spec, work.first_bytes, 0) + tile_ps - step_ps;
  assert_true(late_ps > 0 && late_ps < tile_ps);
  assert_int_equal(work_cost("v6e", work).duration_ps,
                   without.duration_ps + late_ps * work.result_tiles);
  // Each tile leaves room for it: what a compiler chooses then has smaller ones.
  chip_product_t product = {.batch = 1,
                            .m = 8192,
                            .n = 8192,
                            .k = 8192,
                            .left_bytes = 2,
                            .right_bytes = 2,
                            .result_bytes = 4,
                            .busy_flop = (int64_t)1 << 40};
  for (product.epilogue_bytes = 0; product.epilogue_bytes <= 16;
       product.epilogue_bytes += 4) {
    const chip_tile_t tile = chip_product_tile(spec, &product);
    const double room = 2 * (double)((tile.m + tile.n) * tile.k * 2) +
                        2 * (double)(tile.m * tile.n) * (4 + product.epilogue_bytes);
    assert_true(room <= (double)spec->kernel_vmem_bytes);
    assert_int_equal(tile.results, 8192 / tile.m * (8192 / tile.n));
  }
}

// With its operands in VMEM and its result there it waits for nothing.
static void test_what_was_prefetched_is_not_waited_for(void **state) {
  (void)state;
  const chip_spec_t *spec = chip_spec_find("v6e");
  chip_work_t work = {.mxu_flop = (int64_t)1 << 37,
                      .mxu_busy_flop = (int64_t)1 << 37,
                      .hbm_read_bytes = 64 << 20,
                      .hbm_written_bytes = 32 << 20,
                      .tile_steps = 64,
                      .first_bytes = 2 << 20,
                      .last_bytes = 1 << 20};
  const chip_cost_t far = work_cost("v6e", work);
  work.hbm_read_bytes = work.first_bytes = 0;
  const chip_cost_t half = work_cost("v6e", work);
  work.hbm_written_bytes = 0;
  const chip_cost_t near = work_cost("v6e", work);
  assert_true(far.duration_ps > half.duration_ps && half.duration_ps > near.duration_ps);
  assert_int_equal(near.duration_ps, near.mxu_ps + spec->kernel_ps);
}

static void test_a_copy_streams_slower_than_what_only_reads(void **state) {
  (void)state;
  const chip_work_t read = {.hbm_read_bytes = 2000000000};
  const chip_work_t copy = {.hbm_read_bytes = 1000000000,
                            .hbm_written_bytes = 1000000000};
  const double ratio =
      (double)work_cost("v4", copy).hbm_ps / (double)work_cost("v4", read).hbm_ps;
  assert_true(ratio > 1.0459 && ratio < 1.0461);
}

static void test_what_lies_in_vmem_does_not_wait_for_hbm(void **state) {
  (void)state;
  const chip_cost_t near = work_cost("v5e", (chip_work_t){.vmem_bytes = 64 << 20});
  const chip_cost_t far = work_cost("v5e", (chip_work_t){.hbm_read_bytes = 64 << 20});
  assert_int_equal(near.hbm_ps, 0);
  assert_true(near.duration_ps * 10 < far.duration_ps);
}

static void test_costs_saturate(void **state) {
  (void)state;
  const chip_work_t endless = {.mxu_flop = INT64_MAX,
                               .mxu_busy_flop = INT64_MAX,
                               .vpu_op = INT64_MAX,
                               .hbm_read_bytes = INT64_MAX,
                               .hbm_written_bytes = INT64_MAX,
                               .vmem_bytes = INT64_MAX};
  for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
    chip_spec_t slow = **row;
    slow.hbm_bytes_per_s = slow.vpu_op_per_s = 1e6;
    const chip_cost_t cost = chip_work_cost(&slow, &endless);
    assert_true(cost.duration_ps == CHIP_COST_MAX_PS && cost.hbm_bytes == INT64_MAX);
    assert_true(cost.hbm_ps == CHIP_COST_MAX_PS && cost.vpu_ps == CHIP_COST_MAX_PS);
  }
}

// One operation of f32[rows,columns].
static chip_work_t unary_work(chip_op_t op, tensor_dtype_t dtype, int64_t rows,
                              int64_t columns) {
  const tensor_shape_t shape = tensor_shape_make(dtype, 2, (int64_t[]){rows, columns});
  const chip_buffer_t buffers[] = {{.shape = shape}, {.shape = shape}};
  const chip_instruction_t instruction = {.op = op,
                                          .operand_count = 1,
                                          .operands = (int32_t[]){0},
                                          .result_count = 1,
                                          .results = (int32_t[]){1}};
  const chip_program_t program = {.buffer_count = 2, .buffers = buffers};
  return chip_instruction_work(chip_spec_find("v5e"), &program, &instruction);
}

static void test_functions_cost_what_their_expansion_does(void **state) {
  (void)state;
  assert_int_equal(unary_work(CHIP_OP_NEGATE, TENSOR_F32, 8, 128).vpu_op, 1024);
  assert_int_equal(unary_work(CHIP_OP_TANH, TENSOR_F32, 8, 128).vpu_op, 8 * 1024);
  assert_int_equal(unary_work(CHIP_OP_NEGATE, TENSOR_S64, 8, 128).vpu_op, 4 * 1024);
  const int64_t sine = unary_work(CHIP_OP_SINE, TENSOR_F32, 8, 128).vpu_op;
  assert_true(sine > 4 * unary_work(CHIP_OP_EXPONENTIAL, TENSOR_F32, 8, 128).vpu_op);
}

static int64_t reduce_ops(int64_t rows, int64_t columns, int64_t dim) {
  const chip_buffer_t buffers[] = {
      {.shape = tensor_shape_make(TENSOR_F32, 2, (int64_t[]){rows, columns})},
      {.shape = tensor_shape_make(TENSOR_F32, 0, NULL)},
      {.shape = tensor_shape_make(TENSOR_F32, 1, (int64_t[]){dim == 0 ? columns : rows})},
  };
  const chip_attr_t attrs[] = {{CHIP_ATTR_DIMENSIONS, 1, &dim}};
  const chip_instruction_t instruction = {.op = CHIP_OP_REDUCE,
                                          .operand_count = 2,
                                          .operands = (int32_t[]){0, 1},
                                          .result_count = 1,
                                          .results = (int32_t[]){2},
                                          .attr_count = 1,
                                          .attrs = attrs};
  const chip_program_t program = {.buffer_count = 3, .buffers = buffers};
  return chip_instruction_work(chip_spec_find("v5e"), &program, &instruction).vpu_op;
}

static void test_a_reduction_ends_with_steps_within_registers(void **state) {
  (void)state;
  assert_int_equal(reduce_ops(64, 4096, 1), 64 * 4096 + 64 * 128 * 7);
  assert_int_equal(reduce_ops(64, 4096, 0), 64 * 4096 + 4096 * 8 * 3);
}

static void test_arrays_are_padded_to_tiles_in_hbm(void **state) {
  (void)state;
  const struct {
    tensor_dtype_t dtype;
    int rank;
    int64_t dims[3];
    int64_t bytes;
  } cases[] = {
      {TENSOR_F32, 0, {0}, 4},
      {TENSOR_F32, 2, {8, 128}, 4096},
      {TENSOR_F32, 2, {9, 129}, 16 * 256 * 4},
      {TENSOR_BF16, 2, {16, 128}, 4096},
      {TENSOR_BF16, 2, {17, 128}, 8192},
      {TENSOR_S8, 2, {33, 128}, 64 * 128},
      {TENSOR_F32, 2, {1, 128}, 512},
      {TENSOR_F32, 2, {3, 100}, 4 * 128 * 4},
      {TENSOR_F32, 3, {5, 8, 128}, 5 * 4096},
      {TENSOR_F32, 1, {100}, 512},
      {TENSOR_F32, 2, {0, 128}, 0},
      {TENSOR_F32, 3, {INT64_MAX, 128, 128}, INT64_MAX},
      // The layout that needs the least padding, as TPUs choose theirs.
      {TENSOR_F32, 2, {4096, 1}, 4096 * 4},
      {TENSOR_F32, 3, {1024, 245, 64}, 1024 * 245 * 64 * 4},
      {TENSOR_S32, 3, {8388608, 8, 4}, (int64_t)8388608 * 8 * 4 * 4},
      {TENSOR_F32, 3, {32, 28672, 32}, (int64_t)32 * 28672 * 32 * 4},
  };
  for (size_t i = 0; i < POD_COUNT_OF(cases); i++) {
    const tensor_shape_t shape =
        tensor_shape_make(cases[i].dtype, cases[i].rank, cases[i].dims);
    assert_int_equal(tensor_tiled_bytes(&shape), cases[i].bytes);
  }
}

static void test_layouts_are_printed_as_xla_prints_them(void **state) {
  (void)state;
  const struct {
    tensor_dtype_t dtype;
    int rank;
    int64_t dims[3];
    const char *layout;
  } cases[] = {
      {TENSOR_F32, 0, {0}, ""},
      {TENSOR_F32, 1, {100}, "{0:T(128)}"},
      {TENSOR_F32, 2, {4096, 1}, "{0,1:T(1,128)}"},
      {TENSOR_F32, 3, {1024, 245, 64}, "{0,2,1:T(8,128)}"},
      {TENSOR_BF16, 3, {4, 64, 128}, "{2,1,0:T(16,128)}"},
      {TENSOR_S32, 3, {8388608, 8, 4}, "{0,2,1:T(4,128)}"},
  };
  for (size_t i = 0; i < POD_COUNT_OF(cases); i++) {
    const tensor_shape_t shape =
        tensor_shape_make(cases[i].dtype, cases[i].rank, cases[i].dims);
    pod_text_t text = {0};
    tensor_layout_print(&text, &shape);
    assert_string_equal(text.bytes == NULL ? "" : text.bytes, cases[i].layout);
    pod_text_deinit(&text);
  }
}

// Of [batch, m, n] f32; LU has two more results, whose bytes are left out.
static chip_work_t decomposition_work(chip_op_t op, int64_t batch, int64_t m, int64_t n) {
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 3, (int64_t[]){batch, m, n});
  const tensor_shape_t vectors =
      tensor_shape_make(TENSOR_F32, 2, (int64_t[]){batch, m < n ? m : n});
  const chip_buffer_t buffers[] = {{.kind = CHIP_BUFFER_ARGUMENT, .shape = shape},
                                   {.kind = CHIP_BUFFER_ARGUMENT, .shape = vectors},
                                   {.kind = CHIP_BUFFER_RESULT, .shape = shape}};
  const chip_instruction_t instruction = {.op = op,
                                          .operand_count = 2,
                                          .operands = (int32_t[]){0, 1},
                                          .result_count = 1,
                                          .results = (int32_t[]){2}};
  const chip_program_t program = {.buffer_count = 3, .buffers = buffers};
  return chip_instruction_work(chip_spec_find("v5e"), &program, &instruction);
}

static void test_decompositions_wait_for_each_of_their_turns(void **state) {
  (void)state;
  static const chip_op_t ops[] = {CHIP_OP_QR, CHIP_OP_LU, CHIP_OP_EIGH,
                                  CHIP_OP_HOUSEHOLDER_PRODUCT};
  static const double thirds[] = {4, 2, 0, 4};  // FLOP over n³/3; Jacobi's are open.
  const chip_spec_t *spec = chip_spec_find("v5e");
  for (size_t i = 0; i < POD_COUNT_OF(ops); i++) {
    const chip_work_t work = decomposition_work(ops[i], 1, 1024, 1024);
    const double flop = (double)work.mxu_flop + (double)work.vpu_op;
    const double expected = thirds[i] * 1024.0 * 1024 * 1024 / 3;
    assert_true(thirds[i] == 0 || fabs(flop / expected - 1) < 1e-6);
    // A small one takes nothing but its turns; a batch goes through the same.
    const chip_work_t small = decomposition_work(ops[i], 1, 64, 64);
    const chip_cost_t cost = work_cost("v5e", small);
    assert_int_equal(cost.bound, CHIP_BOUND_FIXED);
    assert_true(cost.duration_ps >= (small.serial_steps + 1) * spec->kernel_ps);
    assert_int_equal(decomposition_work(ops[i], 8, 64, 64).serial_steps,
                     small.serial_steps);
    assert_int_equal(decomposition_work(ops[i], 1, 0, 0).serial_steps, 0);
    assert_int_equal(decomposition_work(ops[i], 0, 8, 8).serial_steps, 0);
  }
  assert_int_equal(decomposition_work(CHIP_OP_LU, 1, 64, 64).serial_steps, 4 * 64);
}

static void test_a_transfer_with_the_host_takes_its_bytes_over_pci_express(void **state) {
  (void)state;
  const chip_spec_t *spec = chip_spec_find("v5e");
  // At v5e's 15 GB/s, however fast the HBM is.
  const chip_work_t work = {.host_bytes = 15000000000, .hbm_read_bytes = 15000000000};
  const chip_cost_t cost = chip_work_cost(spec, &work);
  assert_true(cost.duration_ps >= INT64_C(1000000000000));
  assert_true(cost.duration_ps < INT64_C(1000100000000));
  assert_int_equal(cost.bound, CHIP_BOUND_FIXED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_large_products_take_the_time_that_was_measured),
      cmocka_unit_test(test_copies_and_matvecs_take_the_time_that_was_measured),
      cmocka_unit_test(test_a_small_product_costs_what_starting_it_costs),
      cmocka_unit_test(test_a_product_is_padded_to_the_array_but_its_flops_are_not),
      cmocka_unit_test(test_f32_products_take_one_three_or_six_passes_by_precision),
      cmocka_unit_test(test_8_bit_products_have_a_rate_of_their_own_where_there_is_one),
      cmocka_unit_test(test_a_matvec_is_multiplied_and_reduced_by_the_vpu),
      cmocka_unit_test(test_costs_grow_with_size_from_the_fixed_cost_to_the_rate),
      cmocka_unit_test(test_memory_and_core_hide_behind_each_other_but_for_a_latency),
      cmocka_unit_test(test_a_product_exposes_its_first_tiles_and_its_last),
      cmocka_unit_test(test_an_epilogues_operand_hides_behind_one_step_only),
      cmocka_unit_test(test_what_was_prefetched_is_not_waited_for),
      cmocka_unit_test(test_a_copy_streams_slower_than_what_only_reads),
      cmocka_unit_test(test_what_lies_in_vmem_does_not_wait_for_hbm),
      cmocka_unit_test(test_costs_saturate),
      cmocka_unit_test(test_functions_cost_what_their_expansion_does),
      cmocka_unit_test(test_a_reduction_ends_with_steps_within_registers),
      cmocka_unit_test(test_arrays_are_padded_to_tiles_in_hbm),
      cmocka_unit_test(test_layouts_are_printed_as_xla_prints_them),
      cmocka_unit_test(test_decompositions_wait_for_each_of_their_turns),
      cmocka_unit_test(test_a_transfer_with_the_host_takes_its_bytes_over_pci_express),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
