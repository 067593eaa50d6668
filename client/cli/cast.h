// .npy files of another dtype than what is wanted, for --cast: NumPy has no bf16, so that
// values for a bf16 argument often lie in files of f32.
//
// Threading: pure but for the file.

#ifndef CLIENT_CLI_CAST_H_
#define CLIENT_CLI_CAST_H_

#include "common/base/status.h"
#include "common/tensor/array.h"

// Whether the file has this shape, and a dtype that can be converted: floats and integers
// to floats, integers to integers. Reads no element.
POD_MUST_USE pod_status_t cli_cast_check(const char *path, const tensor_shape_t *shape);

// The file's values as the dtype of `shape`, rounded to the nearest, ties to even.
// OUT_OF_RANGE names an integer that an integer dtype does not hold.
POD_MUST_USE pod_status_t cli_cast_read(const char *path, const tensor_shape_t *shape,
                                        tensor_array_t *out_array);

#endif  // CLIENT_CLI_CAST_H_
