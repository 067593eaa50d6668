// oneDNN's convolution primitive: descriptions of activations and weights, the choice
// among what it has, packing, running.

#include "server/worker/kernels/product/convolution_onednn.h"

#include <stdlib.h>
#include <string.h>

#include "server/worker/kernels/product/onednn.h"
#include "server/worker/kernels/scratch.h"

struct onednn_convolution_t {
  onednn_convolution_kind_t kind;
  dnnl_stream_t stream;
  dnnl_primitive_t primitive, reorder;  // No reorder: weights are taken as they lie.
  dnnl_memory_t source, weights, destination;
  dnnl_memory_t packed;  // Weights in oneDNN's form.
  size_t packed_bytes;
};

// What the primitive is made of.
typedef struct parts_t {
  dnnl_memory_desc_t source, weights, any_weights, destination;
} parts_t;

static pod_status_t describe_activation(const onednn_convolution_desc_t *desc,
                                        const int64_t *sizes, int64_t features,
                                        tensor_dtype_t dtype, dnnl_memory_desc_t *out) {
  dnnl_dims_t dims = {desc->batch, features}, strides;
  int64_t stride = desc->is_features_second ? 1 : features;
  for (int d = desc->rank - 1; d >= 0; d--) {
    dims[2 + d] = sizes[d];
    strides[2 + d] = stride;
    stride *= sizes[d];
  }
  strides[1] = desc->is_features_second ? stride : 1;
  strides[0] = desc->is_features_second ? stride * features : stride;
  TRY_DNNL("describe an activation",
           dnnl_memory_desc_init_by_strides(out, desc->rank + 2, dims,
                                            onednn_type_of(dtype), strides));
  return NULL;
}

static pod_status_t describe(const onednn_convolution_desc_t *desc, parts_t *out) {
  POD_TRY(describe_activation(desc, desc->source_sizes, desc->groups * desc->in_features,
                              desc->source_dtype, &out->source));
  POD_TRY(describe_activation(desc, desc->destination_sizes,
                              desc->groups * desc->out_features, desc->destination_dtype,
                              &out->destination));
  // Without groups the weights have no dimension for them.
  const int skipped = desc->groups == 1, rank = desc->rank + 3 - skipped;
  dnnl_dims_t dims = {desc->groups, desc->out_features, desc->in_features}, strides;
  memcpy(dims + 3, desc->kernel_sizes, (size_t)desc->rank * sizeof(dims[0]));
  memcpy(strides, desc->weights_strides, (size_t)(desc->rank + 3) * sizeof(strides[0]));
  const dnnl_data_type_t type = onednn_type_of(desc->weights_dtype);
  TRY_DNNL("describe weights",
           dnnl_memory_desc_init_by_strides(&out->weights, rank, dims + skipped, type,
                                            strides + skipped));
  TRY_DNNL("describe weights",
           dnnl_memory_desc_init_by_tag(&out->any_weights, rank, dims + skipped, type,
                                        dnnl_format_tag_any));
  return NULL;
}

static bool is_padded_and_strided_in_depth(const onednn_convolution_desc_t *desc) {
  return desc->rank == 3 && desc->strides[0] > 1 && desc->low[0] > 0;
}

static bool is_dilated_before_last(const onednn_convolution_desc_t *desc) {
  bool is_dilated = false;
  for (int d = 0; d + 1 < desc->rank; d++) {
    is_dilated |= desc->dilations[d] > 1;
  }
  return is_dilated;
}

// onednn_sound_fn_t. What oneDNN 2.6.3 has wrong with AVX-512, found by some hundred
// thousand random convolutions: the gradient by the kernel reads outside of its operands
// where it is padded and strided in depth (mended upstream as "fix kd_loops for
// back_pad"), that of bf16 also where any dimension but the last is dilated; and weights
// of bytes in groups are packed with a wrong correction of the sums now and then. Its
// next choice is right.
static bool is_right(const void *context, const_dnnl_primitive_desc_t primitive) {
  const onednn_convolution_desc_t *desc = context;
  if (desc->kind == ONEDNN_BACKWARD_WEIGHTS && onednn_is_named(primitive, "jit")) {
    return !is_padded_and_strided_in_depth(desc) &&
           (desc->source_dtype != TENSOR_BF16 || !is_dilated_before_last(desc));
  }
  return !onednn_is_named(primitive, "x64:gemm_s8s8s32");
}

static dnnl_status_t find(const onednn_convolution_desc_t *desc, const parts_t *parts,
                          dnnl_primitive_desc_t *out_descriptor) {
  dnnl_dims_t strides, dilations, low, high;
  for (int d = 0; d < desc->rank; d++) {
    strides[d] = desc->strides[d];
    dilations[d] = desc->dilations[d] - 1;
    low[d] = desc->low[d];
    high[d] = desc->high[d];
  }
  dnnl_convolution_desc_t operation;
  dnnl_status_t status = dnnl_invalid_arguments;
  switch (desc->kind) {
    case ONEDNN_FORWARD:
      status = dnnl_dilated_convolution_forward_desc_init(
          &operation, dnnl_forward_inference, dnnl_convolution_direct, &parts->source,
          &parts->any_weights, NULL, &parts->destination, strides, dilations, low, high);
      break;
    case ONEDNN_BACKWARD_DATA:
      status = dnnl_dilated_convolution_backward_data_desc_init(
          &operation, dnnl_convolution_direct, &parts->source, &parts->any_weights,
          &parts->destination, strides, dilations, low, high);
      break;
    case ONEDNN_BACKWARD_WEIGHTS:
      status = dnnl_dilated_convolution_backward_weights_desc_init(
          &operation, dnnl_convolution_direct, &parts->source, &parts->any_weights, NULL,
          &parts->destination, strides, dilations, low, high);
      break;
  }
  return status != dnnl_success
             ? status
             : onednn_choose(&operation, is_right, desc, out_descriptor);
}

static pod_status_t make_primitive(const parts_t *parts,
                                   const_dnnl_primitive_desc_t descriptor,
                                   onednn_convolution_t *made) {
  TRY_DNNL("make a convolution", dnnl_primitive_create(&made->primitive, descriptor));
  POD_TRY(onednn_stream_create(&made->stream));
  const bool is_written = made->kind == ONEDNN_BACKWARD_WEIGHTS;
  const dnnl_memory_desc_t *packed = dnnl_primitive_desc_query_md(
      descriptor, is_written ? dnnl_query_diff_weights_md : dnnl_query_weights_md, 0);
  POD_TRY(onednn_memory_create(&parts->source, &made->source));
  POD_TRY(onednn_memory_create(&parts->weights, &made->weights));
  POD_TRY(onednn_memory_create(&parts->destination, &made->destination));
  if (!dnnl_memory_desc_equal(packed, &parts->weights)) {
    made->packed_bytes = dnnl_memory_desc_get_size(packed);
    POD_TRY(onednn_memory_create(packed, &made->packed));
    POD_TRY(onednn_reorder_create(is_written ? packed : &parts->weights,
                                  is_written ? &parts->weights : packed, &made->reorder));
  }
  return NULL;
}

pod_status_t onednn_convolution_create(const onednn_convolution_desc_t *desc,
                                       onednn_convolution_t **out_convolution) {
  dnnl_engine_t engine;
  POD_TRY(onednn_engine(&engine));
  parts_t parts;
  POD_TRY(describe(desc, &parts));
  dnnl_primitive_desc_t descriptor = NULL;
  const dnnl_status_t found = find(desc, &parts, &descriptor);
  if (found == dnnl_unimplemented || found == dnnl_invalid_arguments) {
    *out_convolution = NULL;
    return NULL;
  }
  TRY_DNNL("find a convolution", found);
  onednn_convolution_t *made = NULL;
  pod_status_t status = NULL;
  if (!onednn_is_named(descriptor, "ref")) {
    made = calloc(1, sizeof(*made));
    if (made == NULL) {
      status = pod_error(POD_RESOURCE_EXHAUSTED, "no host memory for a convolution");
    } else {
      made->kind = desc->kind;
      status = make_primitive(&parts, descriptor, made);
    }
  }
  dnnl_primitive_desc_destroy(descriptor);
  if (status != NULL) {
    onednn_convolution_destroy(made);
    return status;
  }
  *out_convolution = made;
  return NULL;
}

void onednn_convolution_destroy(onednn_convolution_t *convolution) {
  if (convolution == NULL) {
    return;
  }
  dnnl_primitive_destroy(convolution->primitive);
  dnnl_primitive_destroy(convolution->reorder);
  dnnl_memory_destroy(convolution->source);
  dnnl_memory_destroy(convolution->weights);
  dnnl_memory_destroy(convolution->destination);
  dnnl_memory_destroy(convolution->packed);
  dnnl_stream_destroy(convolution->stream);
  free(convolution);
}

static pod_status_t reorder(const onednn_convolution_t *c, dnnl_memory_t from,
                            dnnl_memory_t to) {
  const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  TRY_DNNL("pack weights", dnnl_primitive_execute(c->reorder, c->stream, 2, args));
  return NULL;
}

static pod_status_t set_bytes(onednn_convolution_t *c, void *const bytes[3]) {
  const dnnl_memory_t memories[3] = {c->source, c->weights, c->destination};
  for (int i = 0; i < 3; i++) {
    TRY_DNNL("set memory", dnnl_memory_set_data_handle(memories[i], bytes[i]));
  }
  if (c->packed != NULL) {
    void *packed = NULL;
    POD_TRY(kernel_scratch(KERNEL_SLOT_PACKED, c->packed_bytes, &packed));
    TRY_DNNL("set memory", dnnl_memory_set_data_handle(c->packed, packed));
  }
  return NULL;
}

pod_status_t onednn_convolution_run(onednn_convolution_t *convolution, const void *first,
                                    const void *second, void *result) {
  // DNNL_ARG of source, weights, destination, by kind.
  static const int names[][3] = {
      [ONEDNN_FORWARD] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
      [ONEDNN_BACKWARD_DATA] = {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
      [ONEDNN_BACKWARD_WEIGHTS] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS,
                                   DNNL_ARG_DIFF_DST},
  };
  onednn_convolution_t *c = convolution;
  void *const a = onednn_reads(first), *const b = onednn_reads(second);
  void *const bytes[3] = {
      c->kind == ONEDNN_BACKWARD_DATA ? result : a,
      c->kind == ONEDNN_BACKWARD_WEIGHTS ? result
      : c->kind == ONEDNN_FORWARD        ? b
                                         : a,
      c->kind == ONEDNN_FORWARD ? result : b,
  };
  dnnl_engine_t engine;
  POD_TRY(onednn_engine(&engine));
  POD_TRY(set_bytes(c, bytes));
  const bool is_written = c->kind == ONEDNN_BACKWARD_WEIGHTS;
  if (c->reorder != NULL && !is_written) {
    POD_TRY(reorder(c, c->weights, c->packed));
  }
  const dnnl_exec_arg_t args[] = {{names[c->kind][0], c->source},
                                  {names[c->kind][1], c->packed ? c->packed : c->weights},
                                  {names[c->kind][2], c->destination}};
  TRY_DNNL("convolve", dnnl_primitive_execute(c->primitive, c->stream, 3, args));
  if (c->reorder != NULL && is_written) {
    POD_TRY(reorder(c, c->packed, c->weights));
  }
  TRY_DNNL("convolve", dnnl_stream_wait(c->stream));
  return NULL;
}
