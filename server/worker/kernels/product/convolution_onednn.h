// Convolutions by oneDNN: forward, and the two that are the gradients of one. Activations
// lie with features last, which it computes fastest but for a few, or second; weights lie
// anyhow and are packed in every run.
//
// Threading: create and run on the chip's compute thread.

#ifndef SERVER_WORKER_KERNELS_PRODUCT_CONVOLUTION_ONEDNN_H_
#define SERVER_WORKER_KERNELS_PRODUCT_CONVOLUTION_ONEDNN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/tensor/dtype.h"

enum { ONEDNN_SPATIAL_MAX = 3 };

// What is computed from the other two: destination, source or weights of a convolution.
typedef enum onednn_convolution_kind_t {
  ONEDNN_FORWARD,
  ONEDNN_BACKWARD_DATA,
  ONEDNN_BACKWARD_WEIGHTS,
} onednn_convolution_kind_t;

// destination[n, o, g·out + j] = sum over i and k of
//   source[n, o·stride + k·dilation − low, g·in + i] · weights[g, j, i, k]
// Source [batch, source_sizes, groups·in] and destination [batch, destination_sizes,
// groups·out] are dense, or [batch, features, sizes] both; strides of the weights are in
// elements: groups, out, in, then spatial. high is what the sizes come to with low.
typedef struct onednn_convolution_desc_t {
  onednn_convolution_kind_t kind;
  int rank;  // Spatial: 1 to ONEDNN_SPATIAL_MAX.
  tensor_dtype_t source_dtype, weights_dtype, destination_dtype;
  bool is_features_second;
  int64_t batch, groups, in_features, out_features;
  int64_t source_sizes[ONEDNN_SPATIAL_MAX], kernel_sizes[ONEDNN_SPATIAL_MAX];
  int64_t destination_sizes[ONEDNN_SPATIAL_MAX];
  int64_t strides[ONEDNN_SPATIAL_MAX], dilations[ONEDNN_SPATIAL_MAX];
  int64_t low[ONEDNN_SPATIAL_MAX], high[ONEDNN_SPATIAL_MAX];
  int64_t weights_strides[3 + ONEDNN_SPATIAL_MAX];
} onednn_convolution_desc_t;

typedef struct onednn_convolution_t onednn_convolution_t;

// Returns owned; *out_convolution is NULL when oneDNN has none, or only its slow
// reference.
POD_MUST_USE pod_status_t onednn_convolution_create(
    const onednn_convolution_desc_t *desc, onednn_convolution_t **out_convolution);

// Accepts NULL.
void onednn_convolution_destroy(onednn_convolution_t *convolution);

// Whether every window sees an element of the source, and every place of the kernel is
// over one at some time. oneDNN's code for bytes jumps to nowhere where a window has
// nothing but padding.
bool onednn_convolution_is_all_seen(const onednn_convolution_desc_t *desc);

// Whether it takes so long that it has to be run in pieces, so that it can be stopped;
// and whether that can be done. Features lie last then.
bool onednn_convolution_is_long(const onednn_convolution_desc_t *desc);
bool onednn_convolution_can_be_cut(const onednn_convolution_desc_t *desc);

// As onednn_convolution_run, in pieces: it looks at whether to stop between two. False in
// *out_is_found when oneDNN has no fast code for one of them.
POD_MUST_USE pod_status_t
onednn_convolution_run_pieces(const onednn_convolution_desc_t *desc, const void *first,
                              const void *second, void *result, bool *out_is_found);

// The operands in the order source, weights, destination without the one computed.
POD_MUST_USE pod_status_t onednn_convolution_run(onednn_convolution_t *convolution,
                                                 const void *first, const void *second,
                                                 void *result);

#endif  // SERVER_WORKER_KERNELS_PRODUCT_CONVOLUTION_ONEDNN_H_
