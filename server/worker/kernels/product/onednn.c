// The one engine, the level of instructions, and small calls whose errors become ours.

#include "server/worker/kernels/product/onednn.h"

#include <pthread.h>
#include <string.h>

#include "server/worker/kernels/cpu.h"
#include "server/worker/kernels/stop.h"

// Of libgomp, which oneDNN is linked with; it holds for the calling thread. Its threads
// spin while they wait, and with several workers on a host they starve one another.
void omp_set_num_threads(int count);

static pthread_once_t engine_once = PTHREAD_ONCE_INIT;
static dnnl_engine_t engine;  // NULL when it failed.

// oneDNN chooses by the CPU as it is unless it is told; it listens only before its first
// choice.
static void set_level(void) {
  static const dnnl_cpu_isa_t levels[KERNEL_CPU_COUNT] = {
      [KERNEL_CPU_BASELINE] = dnnl_cpu_isa_sse41,
      [KERNEL_CPU_AVX2] = dnnl_cpu_isa_avx2,
      [KERNEL_CPU_AVX512] = dnnl_cpu_isa_avx512_core,
      [KERNEL_CPU_AVX512_VNNI] = dnnl_cpu_isa_avx512_core_vnni,
      [KERNEL_CPU_AVX512_BF16] = dnnl_cpu_isa_avx512_core_bf16,
      [KERNEL_CPU_AMX] = dnnl_cpu_isa_all,
  };
#if defined(__x86_64__)
  (void)dnnl_set_max_cpu_isa(levels[kernel_cpu()]);
#else
  (void)levels;
#endif
}

// Each of its primitives is kept by who uses it (kernel_args_t.cache). oneDNN keeps the
// last 1024 besides, some 60 KiB each, long after their programs are gone.
enum { PRIMITIVES_KEPT = 32 };

static void make_engine(void) {
  set_level();
  (void)dnnl_set_primitive_cache_capacity(PRIMITIVES_KEPT);
  if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) {
    engine = NULL;
  }
}

pod_status_t onednn_engine(dnnl_engine_t *out_engine) {
  omp_set_num_threads(1);
  if (pthread_once(&engine_once, make_engine) != 0 || engine == NULL) {
    return pod_error(POD_INTERNAL, "oneDNN finds no CPU to compute on");
  }
  *out_engine = engine;
  return NULL;
}

pod_status_t onednn_failed(const char *what, dnnl_status_t status) {
  const pod_code_t code =
      status == dnnl_out_of_memory ? POD_RESOURCE_EXHAUSTED : POD_INTERNAL;
  return pod_error(code, "oneDNN could not %s (status %d)", what, (int)status);
}

dnnl_data_type_t onednn_type_of(tensor_dtype_t dtype) {
  switch (dtype) {
    case TENSOR_F32:
      return dnnl_f32;
    case TENSOR_BF16:
      return dnnl_bf16;
    case TENSOR_S8:
      return dnnl_s8;
    case TENSOR_U8:
      return dnnl_u8;
    case TENSOR_S32:
      return dnnl_s32;
    default:
      return dnnl_data_type_undef;
  }
}

double onednn_products_max(tensor_dtype_t dtype) {
  const kernel_cpu_t cpu = kernel_cpu();
  if (dtype == TENSOR_BF16) {
    return KERNEL_STOP_PRODUCTS * (cpu >= KERNEL_CPU_AMX           ? 8
                                   : cpu >= KERNEL_CPU_AVX512_BF16 ? 4
                                                                   : 1);
  }
  return KERNEL_STOP_PRODUCTS * (cpu >= KERNEL_CPU_AVX512 ? 2 : 1);
}

bool onednn_is_named(const_dnnl_primitive_desc_t primitive, const char *prefix) {
  const char *name = "";
  const dnnl_status_t status =
      dnnl_primitive_desc_query(primitive, dnnl_query_impl_info_str, 0, &name);
  return status == dnnl_success && strncmp(name, prefix, strlen(prefix)) == 0;
}

dnnl_status_t onednn_choose(const_dnnl_op_desc_t operation, onednn_sound_fn_t is_sound,
                            const void *context, dnnl_primitive_desc_t *out_primitive) {
  dnnl_primitive_desc_iterator_t choices;
  dnnl_status_t status =
      dnnl_primitive_desc_iterator_create(&choices, operation, NULL, engine, NULL);
  while (status == dnnl_success) {
    dnnl_primitive_desc_t choice = dnnl_primitive_desc_iterator_fetch(choices);
    if (choice == NULL) {
      status = dnnl_out_of_memory;
    } else if (is_sound(context, choice)) {
      *out_primitive = choice;
      break;
    } else {
      dnnl_primitive_desc_destroy(choice);
      status = dnnl_primitive_desc_iterator_next(choices);
    }
  }
  if (status == dnnl_unimplemented || status == dnnl_invalid_arguments) {
    return status;  // There is no iterator then.
  }
  dnnl_primitive_desc_iterator_destroy(choices);
  return status == dnnl_iterator_ends ? dnnl_unimplemented : status;
}

pod_status_t onednn_reorder_create(const dnnl_memory_desc_t *from,
                                   const dnnl_memory_desc_t *to,
                                   dnnl_primitive_t *out_reorder) {
  dnnl_primitive_desc_t descriptor = NULL;
  TRY_DNNL("describe packing", dnnl_reorder_primitive_desc_create(
                                   &descriptor, from, engine, to, engine, NULL));
  const dnnl_status_t status = dnnl_primitive_create(out_reorder, descriptor);
  dnnl_primitive_desc_destroy(descriptor);
  TRY_DNNL("make packing", status);
  return NULL;
}

pod_status_t onednn_memory_create(const dnnl_memory_desc_t *desc,
                                  dnnl_memory_t *out_memory) {
  TRY_DNNL("make memory", dnnl_memory_create(out_memory, desc, engine, DNNL_MEMORY_NONE));
  return NULL;
}

pod_status_t onednn_stream_create(dnnl_stream_t *out_stream) {
  TRY_DNNL("make a stream",
           dnnl_stream_create(out_stream, engine, dnnl_stream_default_flags));
  return NULL;
}

void *onednn_reads(const void *bytes) {
  union {
    const void *in;
    void *out;
  } pointer = {.in = bytes};
  return pointer.out;
}
