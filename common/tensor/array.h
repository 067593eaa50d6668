// A host array: shape and dense row-major bytes. And the files (.npy) and generators it
// comes from.
//
// Threading: one thread at a time.
// Ownership: an array owns its bytes.

#ifndef COMMON_TENSOR_ARRAY_H_
#define COMMON_TENSOR_ARRAY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/tensor/shape.h"

typedef struct tensor_array_t {
  tensor_shape_t shape;
  void *data;  // tensor_shape_bytes(&shape) bytes, 64-byte aligned.
} tensor_array_t;

// Uninitialised bytes. RESOURCE_EXHAUSTED with the size when the host has no memory for
// it, or beyond 512 GiB. INVALID_ARGUMENT as tensor_shape_check.
POD_MUST_USE pod_status_t tensor_array_init(tensor_array_t *array,
                                            const tensor_shape_t *shape);

// Accepts a zeroed array.
void tensor_array_deinit(tensor_array_t *array);

// Reads NumPy's .npy (format 1.0, 2.0, 3.0; little- or big-endian, C or Fortran order;
// both are turned into dense row-major little-endian). Types NumPy has no name for travel
// as ml_dtypes writes them: bf16 as "V2" or "bfloat16", types of a byte as "V1";
// `expected` (may be NULL) says what a void type is (a void of two bytes is bf16 without
// it), and what shape and dtype the file must have. INVALID_ARGUMENT
// names the file, what it holds and what was expected; the data announced must be exactly
// what the file holds, which is checked before anything is allocated. NOT_FOUND and
// PERMISSION_DENIED as the system says.
POD_MUST_USE pod_status_t tensor_npy_read(const char *path,
                                          const tensor_shape_t *expected,
                                          tensor_array_t *out_array);

// What tensor_npy_read would refuse before it reads an element, without reading any.
POD_MUST_USE pod_status_t tensor_npy_check(const char *path,
                                           const tensor_shape_t *expected);

// What the file's header says, without its elements; the dtype is TENSOR_INVALID where
// NumPy has no name for it. The sizes are as they stand there: nothing is allocated.
POD_MUST_USE pod_status_t tensor_npy_shape(const char *path, tensor_shape_t *out_shape);

// tensor_npy_read from memory; `name` stands for the file in messages.
POD_MUST_USE pod_status_t tensor_npy_parse(const char *name, const void *bytes,
                                           size_t size_bytes,
                                           const tensor_shape_t *expected,
                                           tensor_array_t *out_array);

// Writes format 1.0; bf16 as "<V2", as ml_dtypes does. Replaces a file as a whole,
// follows links and writes to devices as they are (common/base/output_file.h).
POD_MUST_USE pod_status_t tensor_npy_write(const char *path, const tensor_array_t *array);

// What stands before the elements in such a file; a multiple of 64 bytes.
void tensor_npy_print_header(pod_text_t *text, const tensor_shape_t *shape);

// Fills by a generator: "zeros", "ones", "iota" (0, 1, 2, … in row-major order, wrapped
// to the dtype), "random:SEED" (floats uniform in [-1, 1), integers uniform in [0, 8),
// pred 0 or 1, the same for a seed everywhere), "const:VALUE". INVALID_ARGUMENT lists
// what there is.
//
// A random float takes one number of common/base/random.h (a complex element two), of
// which the highest b bits make an integer n: (n - 2^(b-1)) / 2^(b-1), where b is what
// the type can hold without rounding (54 for f64, 25 for f32, 12 for f16, 9 for bf16).
// f8E8M0FNU has neither sign nor zero: its values are 0.25, 0.5 and 1.
POD_MUST_USE pod_status_t tensor_fill(const char *generator, tensor_array_t *array);

// Whether `text` is meant for tensor_fill, not for a file: the name of a generator,
// though its seed or value may be wrong.
bool tensor_is_generator(const char *text);

#endif  // COMMON_TENSOR_ARRAY_H_
