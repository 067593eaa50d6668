// The reducers of collectives, by the loops of the operations that they are. Long arrays
// are combined in pieces that are too short to be stopped. Truth values are brought to 0
// and 1 first: any byte but 0 counts as true, whatever a client has sent.

#include "server/worker/kernels/combine.h"

#include "common/base/check.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

static void combine_preds(kernel_binary_fn_t loop, uint8_t *target, const uint8_t *a,
                          const uint8_t *b, size_t count) {
  const kernel_unary_fn_t truth = kernel_loops()->convert[TENSOR_U8][TENSOR_PRED];
  uint8_t true_a[KERNEL_BLOCK], true_b[KERNEL_BLOCK];
  for (size_t done = 0; done < count; done += KERNEL_BLOCK) {
    const size_t part = kernel_part(count, done, KERNEL_BLOCK);
    truth(a + done, true_a, part);
    truth(b + done, true_b, part);
    loop(true_a, true_b, target + done, part);
  }
}

void kernel_combine_arrays(chip_reducer_t reducer, tensor_dtype_t dtype, void *target,
                           const void *a, const void *b, int64_t count) {
  POD_CHECK(chip_reducer_is_for(reducer, dtype));
  const kernel_binary_fn_t loop = kernel_binary_of(chip_reducer_op(reducer), dtype);
  POD_CHECK(loop != NULL);
  if (dtype == TENSOR_PRED) {
    combine_preds(loop, target, a, b, (size_t)count);
    return;
  }
  const size_t bytes = tensor_dtype_bytes(dtype);
  for (size_t done = 0; done < (size_t)count; done += KERNEL_STOP_ELEMENTS) {
    kernel_binary_elements(loop, dtype, (const char *)a + done * bytes,
                           (const char *)b + done * bytes, (char *)target + done * bytes,
                           kernel_part((size_t)count, done, KERNEL_STOP_ELEMENTS));
  }
}
