// What the files that call oneDNN share: its engine, its names of element types, its
// errors as ours. oneDNN is known to files named *onednn* only.
//
// Threading: the chip's compute thread; oneDNN is kept from starting threads there.

#ifndef SERVER_WORKER_KERNELS_PRODUCT_ONEDNN_H_
#define SERVER_WORKER_KERNELS_PRODUCT_ONEDNN_H_

#include <dnnl.h>
#include <stdbool.h>

#include "common/base/status.h"
#include "common/tensor/dtype.h"

// The CPU, which lives as long as the process. Call it before anything of oneDNN in every
// create and run: it also keeps oneDNN to the calling thread.
POD_MUST_USE pod_status_t onednn_engine(dnnl_engine_t *out_engine);

pod_status_t onednn_failed(const char *what, dnnl_status_t status);

#define TRY_DNNL(what, call)               \
  do {                                     \
    const dnnl_status_t dnnl_ = (call);    \
    if (dnnl_ != dnnl_success) {           \
      return onednn_failed((what), dnnl_); \
    }                                      \
  } while (0)

// dnnl_data_type_undef for what oneDNN does not have.
dnnl_data_type_t onednn_type_of(tensor_dtype_t dtype);

// Whether the name of the code that oneDNN has chosen starts with `prefix`.
bool onednn_is_named(const_dnnl_primitive_desc_t primitive, const char *prefix);

// Whether what oneDNN has chosen computes this `context` rightly.
typedef bool (*onednn_sound_fn_t)(const void *context,
                                  const_dnnl_primitive_desc_t primitive);

// The first of oneDNN's codes for an operation that is sound; returns owned.
// dnnl_unimplemented when there is none.
dnnl_status_t onednn_choose(const_dnnl_op_desc_t operation, onednn_sound_fn_t is_sound,
                            const void *context, dnnl_primitive_desc_t *out_primitive);

// Packs `plain` as `packed`, or the other way round.
POD_MUST_USE pod_status_t onednn_reorder_create(const dnnl_memory_desc_t *from,
                                                const dnnl_memory_desc_t *to,
                                                dnnl_primitive_t *out_reorder);

// A memory that gets its bytes in every run.
POD_MUST_USE pod_status_t onednn_memory_create(const dnnl_memory_desc_t *desc,
                                               dnnl_memory_t *out_memory);

POD_MUST_USE pod_status_t onednn_stream_create(dnnl_stream_t *out_stream);

// oneDNN takes pointers to mutable bytes also for what it only reads.
void *onednn_reads(const void *bytes);

// Products of two numbers of a type between two looks at whether to stop: what takes 20
// ms on CPUs of the level that compute them well, and 50 on slower ones.
double onednn_products_max(tensor_dtype_t dtype);

#endif  // SERVER_WORKER_KERNELS_PRODUCT_ONEDNN_H_
