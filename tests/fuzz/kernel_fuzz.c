// Kernels of Pallas: the JSON of their configuration, which begins with '{', and else
// Mosaic's module. Whatever the bytes, there is work that is not negative or an error.

#include <stddef.h>
#include <stdint.h>

#include "common/base/check.h"
#include "server/compiler/pallas/kernel_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_work(const chip_work_t *work) {
  POD_CHECK(work->mxu_flop >= 0 && work->mxu_busy_flop >= 0 && work->vpu_op >= 0);
  POD_CHECK(work->hbm_read_bytes >= 0 && work->hbm_written_bytes >= 0);
  POD_CHECK(work->vmem_bytes >= 0 && work->grid_steps >= 0 && work->grid_ps >= 0);
}

// A call with as many values as the kernel has; the first operands are constants.
static void follow(pod_arena_t *arena, const kernel_t *kernel,
                   const kernel_config_t *config) {
  static const int32_t numbers[16] = {3, 1, 2, 0, 1, 5, 2};
  const int count = kernel->dynamic_count + kernel->prefetch_count + kernel->window_count;
  tensor_shape_t *shapes = pod_arena_array(arena, (size_t)count, sizeof(*shapes));
  kernel_memory_t *constants = pod_arena_array(arena, (size_t)count, sizeof(*constants));
  for (int i = 0; i < count; i++) {
    shapes[i] = tensor_shape_make(TENSOR_F32, 2, (const int64_t[]){8, 128});
    if (i < kernel->dynamic_count) {
      constants[i] = (kernel_memory_t){.shape = tensor_shape_make(TENSOR_S32, 0, NULL),
                                       .data = numbers};
    } else if (i == kernel->dynamic_count) {
      constants[i] = (kernel_memory_t){
          .shape = tensor_shape_make(TENSOR_S32, 1, (const int64_t[]){16}),
          .data = numbers};
    }
  }
  const int results = kernel->window_count > 0 ? 1 : 0;
  const kernel_call_t call = {.spec = chip_spec_find("v5p"),
                              .operand_count = count - results,
                              .result_count = results,
                              .operands = shapes,
                              .results = shapes,
                              .constants = constants};
  chip_work_t work = {0};
  const pod_status_t status = kernel_follow(kernel, &call, config, &work);
  if (status == NULL) {
    check_work(&work);
  }
  pod_status_free(status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pod_arena_t *arena = pod_arena_create();
  kernel_config_t config = {.body = data, .body_bytes = (int64_t)size};
  pod_status_t status = NULL;
  if (size > 0 && data[0] == '{') {
    status = kernel_config_read(arena, (const char *)data, (int64_t)size, &config);
  }
  kernel_t *kernel = NULL;
  if (status == NULL) {
    status = kernel_read(arena, chip_spec_find("v5p"), &config, &kernel);
  }
  if (status == NULL) {
    POD_CHECK(kernel_vmem_bytes(kernel) >= 0);
    follow(arena, kernel, &config);
    kernel_destroy(kernel);
  }
  pod_status_free(status);
  pod_arena_destroy(arena);
  return 0;
}
