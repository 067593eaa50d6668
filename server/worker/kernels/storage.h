// Element types that nothing computes in are stored only: bf16, f16 and the smaller
// floats are computed in f32 and rounded once per operation, s2 and s4 in s8, u2 and u4
// in u8, pred in u8. Kernels bring them to their compute type block by block, so that
// what lies in between stays in the first-level cache.
//
// Threading: pure; any thread.

#ifndef SERVER_WORKER_KERNELS_STORAGE_H_
#define SERVER_WORKER_KERNELS_STORAGE_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/tensor/dtype.h"

// Elements of a block, and the bytes of a block of the largest compute type.
enum { KERNEL_BLOCK = 1024, KERNEL_BLOCK_BYTES = 16 * KERNEL_BLOCK };

// The type that `dtype` is computed in; itself for a compute type.
tensor_dtype_t kernel_compute_dtype(tensor_dtype_t dtype);

// Whether elements are computed as they are stored.
bool kernel_is_computed_as_stored(tensor_dtype_t dtype);

// `count` elements in the compute type: `in` itself when they are so already, otherwise
// written to `scratch`, which has room for them.
const void *kernel_decode(tensor_dtype_t dtype, const void *in, size_t count,
                          void *scratch);

// The reverse, rounding to nearest even and keeping the low bits of integers. `out` may
// be `computed` only for computed-as-stored types.
void kernel_encode(tensor_dtype_t dtype, const void *computed, size_t count, void *out);

// Any element type to any other, as kernel_convert does. No overlap, unless `out` is `in`
// and the types have the same size.
void kernel_convert_elements(tensor_dtype_t from, const void *in, tensor_dtype_t to,
                             void *out, size_t count);

// log2 of the bytes of an element: the index into tables by size.
unsigned kernel_size_index(tensor_dtype_t dtype);

#endif  // SERVER_WORKER_KERNELS_STORAGE_H_
