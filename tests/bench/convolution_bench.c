// Convolutions as a worker runs them, beside the best that oneDNN, called directly, has
// for the layer: over features last, features second and a layout of its own choice, with
// weights in its own form; what is not as the program has it is reordered in every run.
// The three convolutions of a layer are measured as JAX writes them: itself, the gradient
// by its input, the gradient by its kernel.
//
// Arrays lie as a worker's do, on huge pages. Runs alternate; medians of CPU time of this
// thread, so that other processes of the machine count little.
//
// Usage: convolution_bench [MILLISECONDS_PER_CASE [PART_OF_TITLE]]

#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/tensor/array.h"
#include "server/worker/host_memory.h"
#include "server/worker/kernels/kernel.h"
#include "server/worker/kernels/product/onednn.h"
#include "tests/bench/measure.h"

enum { SAMPLES_MAX = 101, SAMPLES_MIN = 3, CANDIDATES = 3, RANK_MAX = 3 };

typedef enum kind_t { FORWARD, BY_INPUT, BY_KERNEL, KINDS } kind_t;

// A layer: the same in every spatial dimension.
typedef struct layer_t {
  const char *title;
  tensor_dtype_t dtype;
  int rank;
  int64_t batch, groups, in, out;  // Features of all groups.
  int64_t size, kernel, stride, dilation, low, high;
  bool is_features_second;
  int kinds;  // How many of the three convolutions are measured.
} layer_t;

#define F32 TENSOR_F32
#define BF16 TENSOR_BF16

static const layer_t layers[] = {
    {"resnet 7x7 s2 3-64", F32, 2, 2, 1, 3, 64, 224, 7, 2, 1, 3, 3, false, 3},
    {"resnet 7x7 s2 3-64", BF16, 2, 2, 1, 3, 64, 224, 7, 2, 1, 3, 3, false, 3},
    {"resnet 3x3 64 56", F32, 2, 4, 1, 64, 64, 56, 3, 1, 1, 1, 1, false, 3},
    {"resnet 3x3 64 56", BF16, 2, 4, 1, 64, 64, 56, 3, 1, 1, 1, 1, false, 3},
    {"resnet 3x3 64 56, features second", F32, 2, 4, 1, 64, 64, 56, 3, 1, 1, 1, 1, true,
     3},
    {"resnet 3x3 64 56, features second", BF16, 2, 4, 1, 64, 64, 56, 3, 1, 1, 1, 1, true,
     3},
    {"resnet 3x3 s2 128 56", F32, 2, 4, 1, 128, 128, 56, 3, 2, 1, 1, 1, false, 3},
    {"resnet 3x3 s2 128 56", BF16, 2, 4, 1, 128, 128, 56, 3, 2, 1, 1, 1, false, 3},
    {"resnet 3x3 512 7", F32, 2, 4, 1, 512, 512, 7, 3, 1, 1, 1, 1, false, 3},
    {"resnet 3x3 512 7", BF16, 2, 4, 1, 512, 512, 7, 3, 1, 1, 1, 1, false, 3},
    {"resnet 1x1 256-64 56", F32, 2, 4, 1, 256, 64, 56, 1, 1, 1, 0, 0, false, 3},
    {"resnet 1x1 256-64 56", BF16, 2, 4, 1, 256, 64, 56, 1, 1, 1, 0, 0, false, 3},
    {"resnet 1x1 256-64 56, features second", F32, 2, 4, 1, 256, 64, 56, 1, 1, 1, 0, 0,
     true, 3},
    {"resnet 1x1 s2 256-512 56", F32, 2, 4, 1, 256, 512, 56, 1, 2, 1, 0, 0, false, 3},
    {"resnet 1x1 s2 256-512 56", BF16, 2, 4, 1, 256, 512, 56, 1, 2, 1, 0, 0, false, 3},
    {"mobilenet depthwise 144 56", F32, 2, 4, 144, 144, 144, 56, 3, 1, 1, 1, 1, false, 3},
    {"mobilenet depthwise 144 56", BF16, 2, 4, 144, 144, 144, 56, 3, 1, 1, 1, 1, false,
     3},
    {"mobilenet depthwise s2 144 56", F32, 2, 4, 144, 144, 144, 56, 3, 2, 1, 1, 1, false,
     3},
    {"resnext 32 groups 128 56", F32, 2, 2, 32, 128, 128, 56, 3, 1, 1, 1, 1, false, 3},
    {"dilated 3x3 64 56", F32, 2, 4, 1, 64, 64, 56, 3, 1, 2, 2, 2, false, 1},
    {"dilated 3x3 64 56", BF16, 2, 4, 1, 64, 64, 56, 3, 1, 2, 2, 2, false, 1},
    {"3d 3x3x3 32 16", F32, 3, 2, 1, 32, 32, 16, 3, 1, 1, 1, 1, false, 3},
    {"3d 3x3x3 32 16", BF16, 3, 2, 1, 32, 32, 16, 3, 1, 1, 1, 1, false, 3},
    {"causal 4 256 2048", F32, 1, 2, 1, 256, 256, 2048, 4, 1, 1, 3, 0, false, 3},
    {"causal 4 256 2048", BF16, 1, 2, 1, 256, 256, 2048, 4, 1, 1, 3, 0, false, 3},
    {"speech 11 s2 80 3000", F32, 1, 2, 1, 80, 80, 3000, 11, 2, 1, 5, 5, false, 3},
    {"speech 3 512 750", F32, 1, 2, 1, 512, 512, 750, 3, 1, 1, 1, 1, false, 3},
    {"causal depthwise 4 1024 2048", F32, 1, 1, 1024, 1024, 1024, 2048, 4, 1, 1, 3, 0,
     false, 3},
    {"causal depthwise 4 1024 2048", BF16, 1, 1, 1024, 1024, 1024, 2048, 4, 1, 1, 3, 0,
     false, 3},
    {"patches 16x16 s16 3-768", BF16, 2, 2, 1, 3, 768, 224, 16, 16, 1, 0, 0, false, 3},
    {"bytes 3x3 64 56", TENSOR_S8, 2, 4, 1, 64, 64, 56, 3, 1, 1, 1, 1, false, 1},
};

static void check_dnnl(dnnl_status_t status) {
  if (status != dnnl_success) {
    fprintf(stderr, "oneDNN: status %d\n", (int)status);
    exit(1);
  }
}

static int64_t places_of(const layer_t *l) {
  return (l->size + l->low + l->high - (l->kernel - 1) * l->dilation - 1) / l->stride + 1;
}

static tensor_dtype_t sum_dtype(const layer_t *l) {
  return l->dtype == TENSOR_S8 ? TENSOR_S32 : l->dtype;
}

// ----- ours -----

typedef struct ours_t {
  chip_program_t program;
  chip_buffer_t buffers[3];
  void *bytes[3];
  chip_attr_t attrs[12];
  int64_t values[12][2 + RANK_MAX];
  chip_instruction_t instruction;
  int32_t operands[2], results[1];
  void *cache;
  void (*cache_free)(void *cache);
} ours_t;

static void add_attr(ours_t *ours, chip_attr_key_t key, int count,
                     const int64_t *values) {
  const int at = ours->instruction.attr_count++;
  memcpy(ours->values[at], values, (size_t)count * sizeof(*values));
  ours->attrs[at] = (chip_attr_t){key, count, ours->values[at]};
}

static void add_same(ours_t *ours, chip_attr_key_t key, int count, int64_t value) {
  int64_t values[RANK_MAX];
  for (int d = 0; d < count; d++) {
    values[d] = value;
  }
  add_attr(ours, key, count, values);
}

// Activations are [batch, spatial, features] or [batch, features, spatial], kernels
// [spatial, in, out] or [out, in, spatial].
static void set_shapes(ours_t *ours, const layer_t *l, kind_t kind) {
  const bool is_second = l->is_features_second;
  const int rank = l->rank;
  int64_t arrays[3][2 + RANK_MAX];  // Input, kernel, output of the layer.
  arrays[0][0] = arrays[2][0] = l->batch;
  arrays[0][is_second ? 1 : 1 + rank] = l->in;
  arrays[2][is_second ? 1 : 1 + rank] = l->out;
  arrays[1][is_second ? 1 : rank] = l->in / l->groups;
  arrays[1][is_second ? 0 : 1 + rank] = l->out;
  for (int d = 0; d < rank; d++) {
    arrays[0][is_second ? 2 + d : 1 + d] = l->size;
    arrays[2][is_second ? 2 + d : 1 + d] = places_of(l);
    arrays[1][is_second ? 2 + d : d] = l->kernel;
  }
  static const int order[KINDS][3] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}};
  for (int i = 0; i < 3; i++) {
    const int which = order[kind][i];
    const tensor_dtype_t dtype =
        i == 2 || l->dtype != TENSOR_S8 ? sum_dtype(l) : l->dtype;
    ours->buffers[i].shape = tensor_shape_make(dtype, rank + 2, arrays[which]);
  }
}

static void set_numbers(ours_t *ours, const layer_t *l, kind_t kind) {
  const bool is_second = l->is_features_second;
  const int rank = l->rank;
  int64_t activation[2 + RANK_MAX] = {0, is_second ? 1 : 1 + rank}, swapped[2 + RANK_MAX];
  int64_t kernel[2 + RANK_MAX] = {is_second ? 1 : rank, is_second ? 0 : 1 + rank};
  int64_t turned[2 + RANK_MAX];
  for (int d = 0; d < rank; d++) {
    activation[2 + d] = is_second ? 2 + d : 1 + d;
    kernel[2 + d] = is_second ? 2 + d : d;
  }
  memcpy(swapped, activation, sizeof(swapped));
  memcpy(turned, kernel, sizeof(turned));
  swapped[0] = activation[1];
  swapped[1] = activation[0];
  // The gradient by the input contracts the kernel's other features; of grouped layers
  // JAX rearranges the kernel before, which costs the same for any.
  if (l->groups == 1) {
    turned[0] = kernel[1];
    turned[1] = kernel[0];
  }
  add_attr(ours, CHIP_ATTR_INPUT_DIMS, 2 + rank,
           kind == BY_KERNEL ? swapped : activation);
  add_attr(ours, CHIP_ATTR_KERNEL_DIMS, 2 + rank,
           kind == FORWARD    ? kernel
           : kind == BY_INPUT ? turned
                              : activation);
  add_attr(ours, CHIP_ATTR_OUTPUT_DIMS, 2 + rank,
           kind == BY_KERNEL ? kernel : activation);
}

// Input features of a group come first in the result of the gradient by the kernel.
static void set_windows(ours_t *ours, const layer_t *l, kind_t kind) {
  const int64_t extent = (l->kernel - 1) * l->dilation + 1, places = places_of(l);
  const int64_t dilated = (places - 1) * l->stride + 1;
  const int rank = l->rank;
  const bool is_forward = kind == FORWARD, is_by_input = kind == BY_INPUT;
  const int64_t low = is_by_input ? extent - 1 - l->low : l->low;
  const int64_t high = is_forward    ? l->high
                       : is_by_input ? l->size + extent - 1 - dilated - low
                                     : dilated + extent - 1 - l->size - l->low;
  add_same(ours, CHIP_ATTR_STRIDES, rank,
           is_forward    ? l->stride
           : is_by_input ? 1
                         : l->dilation);
  add_same(ours, CHIP_ATTR_BASE_DILATIONS, rank, is_by_input ? l->stride : 1);
  add_same(ours, CHIP_ATTR_WINDOW_DILATIONS, rank,
           kind == BY_KERNEL ? l->stride : l->dilation);
  add_same(ours, CHIP_ATTR_EDGE_PADDING_LOW, rank, low);
  add_same(ours, CHIP_ATTR_EDGE_PADDING_HIGH, rank, high);
  add_same(ours, CHIP_ATTR_WINDOW_REVERSAL, rank, is_by_input);
  add_same(ours, CHIP_ATTR_FEATURE_GROUP_COUNT, 1, kind == BY_KERNEL ? 1 : l->groups);
  add_same(ours, CHIP_ATTR_BATCH_GROUP_COUNT, 1, kind == BY_KERNEL ? l->groups : 1);
}

static ours_t *ours_make(const layer_t *l, kind_t kind) {
  ours_t *ours = calloc(1, sizeof(*ours));
  POD_CHECK(ours != NULL);
  set_shapes(ours, l, kind);
  for (int i = 0; i < 3; i++) {
    tensor_array_t array = {.shape = ours->buffers[i].shape};
    measure_check(host_memory_alloc(tensor_shape_bytes(&array.shape), &array.data));
    measure_check(tensor_fill(i == 2 ? "zeros" : "random:1", &array));
    ours->bytes[i] = array.data;
  }
  ours->operands[1] = 1;
  ours->results[0] = 2;
  ours->program.buffers = ours->buffers;
  ours->instruction = (chip_instruction_t){.op = CHIP_OP_CONVOLUTION,
                                           .operand_count = 2,
                                           .result_count = 1,
                                           .operands = ours->operands,
                                           .results = ours->results,
                                           .attrs = ours->attrs,
                                           .name = "convolution.1"};
  set_numbers(ours, l, kind);
  set_windows(ours, l, kind);
  return ours;
}

static void ours_run(ours_t *ours) {
  const void *const operands[] = {ours->bytes[0], ours->bytes[1]};
  void *const results[] = {ours->bytes[2]};
  const kernel_args_t args = {.program = &ours->program,
                              .instruction = &ours->instruction,
                              .operands = operands,
                              .results = results,
                              .cache = &ours->cache,
                              .cache_free = &ours->cache_free};
  measure_run(&args);
}

static void ours_free(ours_t *ours) {
  if (ours->cache != NULL) {
    ours->cache_free(ours->cache);
  }
  for (int i = 0; i < 3; i++) {
    host_memory_free(ours->bytes[i], tensor_shape_bytes(&ours->buffers[i].shape));
  }
  free(ours);
}

// ----- oneDNN -----

static dnnl_engine_t engine;
static dnnl_stream_t stream;

// Input, kernel and output of the layer; `own` in the primitive's form, `plain` as the
// program has it, the same without a reorder.
typedef struct direct_t {
  dnnl_primitive_t primitive, reorders[3];
  dnnl_memory_t own[3], plain[3];
  int names[3], result;
} direct_t;

static dnnl_data_type_t type_of(tensor_dtype_t dtype) {
  return dtype == TENSOR_BF16  ? dnnl_bf16
         : dtype == TENSOR_S8  ? dnnl_s8
         : dtype == TENSOR_S32 ? dnnl_s32
                               : dnnl_f32;
}

static dnnl_memory_desc_t describe(int rank, const int64_t *dims, tensor_dtype_t dtype,
                                   dnnl_format_tag_t tag) {
  dnnl_memory_desc_t desc;
  check_dnnl(dnnl_memory_desc_init_by_tag(&desc, rank, dims, type_of(dtype), tag));
  return desc;
}

static dnnl_format_tag_t activation_tag(int rank, bool is_second) {
  static const dnnl_format_tag_t last[] = {dnnl_nwc, dnnl_nhwc, dnnl_ndhwc};
  static const dnnl_format_tag_t second[] = {dnnl_ncw, dnnl_nchw, dnnl_ncdhw};
  return is_second ? second[rank - 1] : last[rank - 1];
}

static dnnl_format_tag_t kernel_tag(const layer_t *l) {
  static const dnnl_format_tag_t last[2][3] = {{dnnl_wio, dnnl_hwio, dnnl_dhwio},
                                               {dnnl_wigo, dnnl_hwigo, dnnl_dhwigo}};
  static const dnnl_format_tag_t second[2][3] = {{dnnl_oiw, dnnl_oihw, dnnl_oidhw},
                                                 {dnnl_goiw, dnnl_goihw, dnnl_goidhw}};
  const int grouped = l->groups > 1, at = l->rank - 1;
  return l->is_features_second ? second[grouped][at] : last[grouped][at];
}

static dnnl_status_t find(const layer_t *l, kind_t kind, const dnnl_memory_desc_t *descs,
                          dnnl_primitive_desc_t *out) {
  dnnl_dims_t strides, dilations, low, high;
  for (int d = 0; d < l->rank; d++) {
    strides[d] = l->stride;
    dilations[d] = l->dilation - 1;
    low[d] = l->low;
    high[d] = l->high;
  }
  dnnl_convolution_desc_t desc;
  if (kind == FORWARD) {
    check_dnnl(dnnl_dilated_convolution_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_convolution_direct, &descs[0], &descs[1],
        NULL, &descs[2], strides, dilations, low, high));
  } else if (kind == BY_INPUT) {
    check_dnnl(dnnl_dilated_convolution_backward_data_desc_init(
        &desc, dnnl_convolution_direct, &descs[0], &descs[1], &descs[2], strides,
        dilations, low, high));
  } else {
    check_dnnl(dnnl_dilated_convolution_backward_weights_desc_init(
        &desc, dnnl_convolution_direct, &descs[0], &descs[1], NULL, &descs[2], strides,
        dilations, low, high));
  }
  return dnnl_primitive_desc_create(out, &desc, NULL, engine, NULL);
}

static void make_memory(direct_t *direct, int i, const dnnl_memory_desc_t *own,
                        const dnnl_memory_desc_t *plain, void *bytes) {
  check_dnnl(dnnl_memory_create(&direct->plain[i], plain, engine, bytes));
  if (dnnl_memory_desc_equal(own, plain)) {
    direct->own[i] = direct->plain[i];
    return;
  }
  check_dnnl(dnnl_memory_create(&direct->own[i], own, engine, DNNL_MEMORY_ALLOCATE));
  const bool is_result = i == direct->result;
  dnnl_primitive_desc_t reorder;
  check_dnnl(dnnl_reorder_primitive_desc_create(&reorder, is_result ? own : plain, engine,
                                                is_result ? plain : own, engine, NULL));
  check_dnnl(dnnl_primitive_create(&direct->reorders[i], reorder));
  check_dnnl(dnnl_primitive_desc_destroy(reorder));
}

// Candidate 0: features last; 1: features second; 2: what it chooses itself.
static bool direct_make(const layer_t *l, kind_t kind, const ours_t *ours, int candidate,
                        direct_t *out) {
  const int rank = l->rank, is_grouped = l->groups > 1;
  int64_t dims[3][3 + RANK_MAX] = {{l->batch, l->in}, {l->groups}, {l->batch, l->out}};
  dims[1][is_grouped] = l->out / l->groups;
  dims[1][1 + is_grouped] = l->in / l->groups;
  for (int d = 0; d < rank; d++) {
    dims[0][2 + d] = l->size;
    dims[1][2 + is_grouped + d] = l->kernel;
    dims[2][2 + d] = places_of(l);
  }
  const dnnl_format_tag_t plain = activation_tag(rank, l->is_features_second);
  const dnnl_format_tag_t tag =
      candidate == 2 ? dnnl_format_tag_any : activation_tag(rank, candidate == 1);
  const tensor_dtype_t types[3] = {l->dtype, l->dtype, sum_dtype(l)};
  dnnl_memory_desc_t descs[3], plains[3];
  for (int i = 0; i < 3; i++) {
    const int count = rank + 2 + (i == 1 ? is_grouped : 0);
    descs[i] = describe(count, dims[i], types[i], i == 1 ? dnnl_format_tag_any : tag);
    plains[i] = describe(count, dims[i], types[i], i == 1 ? kernel_tag(l) : plain);
  }
  dnnl_primitive_desc_t descriptor;
  if (find(l, kind, descs, &descriptor) != dnnl_success) {
    return false;
  }
  static const int names[KINDS][3] = {
      {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
      {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
      {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST}};
  static const int results[KINDS] = {2, 0, 1};
  static const int places[KINDS][3] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}};
  *out = (direct_t){.result = results[kind]};
  check_dnnl(dnnl_primitive_create(&out->primitive, descriptor));
  for (int i = 0; i < 3; i++) {
    out->names[i] = names[kind][i];
    make_memory(
        out, i,
        dnnl_primitive_desc_query_md(descriptor, dnnl_query_exec_arg_md, names[kind][i]),
        &plains[i], ours->bytes[places[kind][i]]);
  }
  check_dnnl(dnnl_primitive_desc_destroy(descriptor));
  return true;
}

static void reorder(const direct_t *direct, int i) {
  const bool is_result = i == direct->result;
  const dnnl_exec_arg_t args[] = {
      {DNNL_ARG_FROM, is_result ? direct->own[i] : direct->plain[i]},
      {DNNL_ARG_TO, is_result ? direct->plain[i] : direct->own[i]}};
  if (direct->reorders[i] != NULL) {
    check_dnnl(dnnl_primitive_execute(direct->reorders[i], stream, 2, args));
  }
}

static void direct_run(const direct_t *direct) {
  dnnl_exec_arg_t args[3];
  for (int i = 0; i < 3; i++) {
    args[i] = (dnnl_exec_arg_t){direct->names[i], direct->own[i]};
    if (i != direct->result) {
      reorder(direct, i);
    }
  }
  check_dnnl(dnnl_primitive_execute(direct->primitive, stream, 3, args));
  reorder(direct, direct->result);
  check_dnnl(dnnl_stream_wait(stream));
}

static void direct_free(direct_t *direct) {
  dnnl_primitive_destroy(direct->primitive);
  for (int i = 0; i < 3; i++) {
    if (direct->own[i] != direct->plain[i]) {
      dnnl_memory_destroy(direct->own[i]);
    }
    dnnl_memory_destroy(direct->plain[i]);
    dnnl_primitive_destroy(direct->reorders[i]);
  }
}

// ----- measuring -----

static int64_t time_run(ours_t *ours, const direct_t *direct) {
  const int64_t start = measure_cpu_ns();
  if (ours != NULL) {
    ours_run(ours);
  } else {
    direct_run(direct);
  }
  return measure_cpu_ns() - start;
}

// The fastest candidate of three runs each; -1 when oneDNN has none.
static int find_best(const layer_t *l, kind_t kind, const ours_t *ours,
                     direct_t *out_best) {
  int best = -1;
  int64_t best_ns = 0;
  for (int i = 0; i < CANDIDATES; i++) {
    direct_t direct;
    if (!direct_make(l, kind, ours, i, &direct)) {
      continue;
    }
    int64_t ns = time_run(NULL, &direct);
    for (int run = 0; run < 2; run++) {
      const int64_t again = time_run(NULL, &direct);
      ns = again < ns ? again : ns;
    }
    if (best < 0 || ns < best_ns) {
      if (best >= 0) {
        direct_free(out_best);
      }
      best = i;
      best_ns = ns;
      *out_best = direct;
    } else {
      direct_free(&direct);
    }
  }
  return best;
}

static void measure(const layer_t *l, kind_t kind, int64_t budget_ns) {
  static const char *const names[CANDIDATES] = {"last", "second", "own"};
  static const char *const kinds[KINDS] = {"forward", "by input", "by kernel"};
  ours_t *ours = ours_make(l, kind);
  direct_t direct;
  ours_run(ours);
  const int best = find_best(l, kind, ours, &direct);
  const bool has_rival = best >= 0;  // None for bf16 below AVX-512.
  int64_t ours_ns[SAMPLES_MAX], direct_ns[SAMPLES_MAX];
  const int64_t start = measure_cpu_ns();
  int samples = 0;
  while (samples < SAMPLES_MAX &&
         (samples < SAMPLES_MIN || measure_cpu_ns() - start < budget_ns)) {
    ours_ns[samples] = time_run(ours, NULL);
    direct_ns[samples++] = has_rival ? time_run(NULL, &direct) : 0;
  }
  double operations = 2.0 * (double)(l->batch * l->in * l->out / l->groups);
  for (int d = 0; d < l->rank; d++) {
    operations *= (double)(places_of(l) * l->kernel);
  }
  const double own = measure_median(ours_ns, samples),
               rival = measure_median(direct_ns, samples);
  printf("%-4s %-38s %-9s %10.0f ", tensor_dtype_name(l->dtype), l->title, kinds[kind],
         own * 1e-3);
  if (has_rival) {
    printf("%10.0f %8.1f %8.1f  %-6s %5.2f\n", rival * 1e-3, operations / own,
           operations / rival, names[best], rival / own);
    direct_free(&direct);
  } else {
    printf("%10s %8.1f %8s\n", "-", operations / own, "-");
  }
  fflush(stdout);
  ours_free(ours);
}

int main(int argc, char **argv) {
  const int64_t budget_ns = (argc > 1 ? atoi(argv[1]) : 200) * (int64_t)1000000;
  measure_check(
      onednn_engine(&engine));  // On the worker's terms: one thread, PODIUM_CPU.
  check_dnnl(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  printf("%-53s %10s %10s %8s %8s  %-6s %5s\n", "medians of alternating runs",
         "kernel us", "oneDNN us", "GFLOP/s", "GFLOP/s", "layout", "ratio");
  for (size_t i = 0; i < POD_COUNT_OF(layers); i++) {
    for (int kind = 0; kind < layers[i].kinds; kind++) {
      if (argc < 3 || strstr(layers[i].title, argv[2]) != NULL) {
        measure(&layers[i], (kind_t)kind, budget_ns);
      }
    }
  }
  dnnl_stream_destroy(stream);
  return 0;
}
