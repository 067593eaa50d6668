// The box's dimensions from minor to major: as long as they are whole in the global array
// they belong to the run; behind that each is a loop with a stride. A place in the stream
// is a mixed-radix number of the loops' counts.

#include "common/tensor/box.h"

#include <inttypes.h>
#include <string.h>

static pod_status_t check(const tensor_shape_t *global, const tensor_shape_t *local,
                          const int64_t *starts) {
  if (global->rank != local->rank || global->dtype != local->dtype) {
    return pod_error(POD_INVALID_ARGUMENT, "a part of another rank or type");
  }
  for (int i = 0; i < global->rank; i++) {
    if (starts[i] < 0 || local->dims[i] > global->dims[i] ||
        starts[i] > global->dims[i] - local->dims[i]) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "dimension %d of %" PRId64 " elements has not those from %" PRId64
                       " on, %" PRId64 " of them",
                       i, global->dims[i], starts[i], local->dims[i]);
    }
  }
  return NULL;
}

pod_status_t tensor_box_make(const tensor_shape_t *global, const tensor_shape_t *local,
                             const int64_t *starts, tensor_box_t *out_box) {
  POD_TRY(check(global, local, starts));
  tensor_box_t box = {.size_bytes = tensor_shape_bytes(local),
                      .run_bytes = (int64_t)tensor_dtype_bytes(global->dtype)};
  int64_t stride = box.run_bytes;
  bool is_run = true;
  int loops = 0;
  for (int i = global->rank - 1; i >= 0; i--) {
    box.first_bytes += starts[i] * stride;
    if (is_run) {
      box.run_bytes *= local->dims[i];
    } else if (local->dims[i] != 1) {
      box.counts[loops] = local->dims[i];
      box.strides_bytes[loops++] = stride;
    }
    is_run = is_run && local->dims[i] == global->dims[i];
    stride *= global->dims[i];
  }
  for (int i = 0; i < loops / 2; i++) {
    const int64_t count = box.counts[i], step = box.strides_bytes[i];
    box.counts[i] = box.counts[loops - 1 - i];
    box.strides_bytes[i] = box.strides_bytes[loops - 1 - i];
    box.counts[loops - 1 - i] = count;
    box.strides_bytes[loops - 1 - i] = step;
  }
  box.rank = loops;
  *out_box = box;
  return NULL;
}

// Where the run lies in the global array.
static int64_t run_at(const tensor_box_t *box, int64_t run) {
  int64_t at = box->first_bytes;
  for (int i = box->rank - 1; i >= 0; i--) {
    at += run % box->counts[i] * box->strides_bytes[i];
    run /= box->counts[i];
  }
  return at;
}

static void copy(const tensor_box_t *box, uint8_t *global, int64_t offset_bytes,
                 uint8_t *bytes, size_t size_bytes, bool reads) {
  while (size_bytes > 0) {
    const int64_t into = offset_bytes % box->run_bytes;
    uint8_t *place = global + run_at(box, offset_bytes / box->run_bytes) + into;
    const size_t left = (size_t)(box->run_bytes - into);
    const size_t step = left < size_bytes ? left : size_bytes;
    memcpy(reads ? bytes : place, reads ? place : bytes, step);
    bytes += step;
    offset_bytes += (int64_t)step;
    size_bytes -= step;
  }
}

void tensor_box_read(const tensor_box_t *box, const void *global, int64_t offset_bytes,
                     void *bytes, size_t size_bytes) {
  copy(box, (uint8_t *)(uintptr_t)global, offset_bytes, bytes, size_bytes, true);
}

void tensor_box_write(const tensor_box_t *box, void *global, int64_t offset_bytes,
                      const void *bytes, size_t size_bytes) {
  copy(box, global, offset_bytes, (uint8_t *)(uintptr_t)bytes, size_bytes, false);
}
