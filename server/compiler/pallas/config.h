// What a tpu_custom_call is configured with: the JSON in its backend_config, as JAX
// writes it (jax/_src/tpu_custom_call.py, CustomCallBackendConfig.to_json), with the
// kernel's module as base64 of MLIR bytecode.
//
// Members that are not known are skipped; of those that are, the last one counts.
// Ownership: everything is in the arena given. Threading: pure.
// Errors: INVALID_ARGUMENT with the offset of the byte in the text, or the member that is
// negative.

#ifndef SERVER_COMPILER_PALLAS_CONFIG_H_
#define SERVER_COMPILER_PALLAS_CONFIG_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/status.h"

typedef struct kernel_config_t {
  const uint8_t *body;  // NULL: there is none.
  int64_t body_bytes;
  // What the user says that the whole kernel costs (pallas_call(cost_estimate=…)). One of
  // zeros alone is none.
  bool has_estimate;
  int64_t flops, transcendentals, bytes_accessed, remote_bytes;
  bool has_communication;    // It sends to other chips, or waits for them.
  bool is_for_sparse_core;   // device_type is not that of a TensorCore.
  int64_t vmem_limit_bytes;  // 0: the default of the chip.
  int64_t scratch_bytes;     // internal_scratch_in_bytes: VMEM beside the kernel's own.
} kernel_config_t;

POD_MUST_USE pod_status_t kernel_config_read(pod_arena_t *arena, const char *text,
                                             int64_t length, kernel_config_t *out_config);

// Base64 (RFC 4648, padded, no white space). False when it is none.
bool kernel_base64_decode(pod_arena_t *arena, const char *text, int64_t length,
                          const uint8_t **out_bytes, int64_t *out_count);

#endif  // SERVER_COMPILER_PALLAS_CONFIG_H_
