// jax.debug.inspect_array_sharding: a custom call of @InspectSharding is configured with
// a function and its data, as they lie in memory, and the compiler calls it with the
// sharding of the call's operand (jaxlib/custom_call_sharding.cc, xla/python/
// inspect_sharding.h). Our compiler is another process: it tells the shardings, and the
// functions are called here, before the compilation returns.
//
// Only what stands in the module that this process has compiled is called: nobody else
// can name a function of it.

#include <stdlib.h>
#include <string.h>

#include "client/pjrt/hlo_sharding.h"
#include "client/pjrt/plugin.h"
#include "common/base/memory.h"

typedef struct inspect_args_t {
  char *sharding;  // A serialized xla.OpSharding.
  size_t sharding_size;
  const char *error;  // Set by the callback.
  void *error_scratch;
  void (*free_error)(struct inspect_args_t *args);
} inspect_args_t;

typedef struct inspect_callback_t {
  void (*call)(void *data, inspect_args_t *args);
  void *data;
} inspect_callback_t;

static int digit_of(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// False: it is no function and its data.
static bool read_callback(const char *hex,
                          unsigned char bytes[sizeof(inspect_callback_t)]) {
  if (strlen(hex) != 2 * sizeof(inspect_callback_t)) {
    return false;
  }
  for (size_t i = 0; i < sizeof(inspect_callback_t); i++) {
    const int high = digit_of(hex[2 * i]), low = digit_of(hex[2 * i + 1]);
    if (high < 0 || low < 0) {
      return false;
    }
    bytes[i] = (unsigned char)(high << 4 | low);
  }
  return true;
}

// As bytecode has the bytes, or as text does: "\7F". Returns how many stand for one; 0:
// none. A backslash begins what the text has for one, too.
static size_t match_byte(const char *at, const char *end, unsigned char byte) {
  const int to_lower = 'a' - 'A';  // Leaves digits what they are.
  if (*at == '\\' && end - at > 2 && digit_of((char)(at[1] | to_lower)) == byte >> 4 &&
      digit_of((char)(at[2] | to_lower)) == (byte & 15)) {
    return 3;
  }
  return (unsigned char)*at == byte ? 1 : 0;
}

static bool stands_in(const unsigned char *bytes, size_t size, const char *module,
                      size_t module_size) {
  const char *end = module + module_size;
  for (const char *start = module; start < end; start++) {
    const char *at = start;
    size_t matched = 0;
    for (size_t step = 1; matched < size && at < end && step > 0; at += step) {
      step = match_byte(at, end, bytes[matched]);
      matched += step > 0;
    }
    if (matched == size) {
      return true;
    }
  }
  return false;
}

static pod_status_t tell(const podium_signature_t *value, int64_t device_count,
                         const inspect_callback_t *callback) {
  hlo_sharding_t sharding = hlo_sharding_of(value, device_count);
  inspect_args_t args = {0};
  args.sharding = hlo_sharding_pack(&sharding, &args.sharding_size);
  hlo_sharding_deinit(&sharding);
  callback->call(callback->data, &args);
  pod_status_t status = NULL;
  if (args.error != NULL) {
    status =
        pod_error(POD_INTERNAL, "the callback that inspects a sharding: %s", args.error);
    if (args.free_error != NULL) {
      args.free_error(&args);
    }
  }
  free(args.sharding);
  return status;
}

pod_status_t pjrt_inspections_tell(const PJRT_Executable *executable) {
  const podium_program_info_t *info = executable->info;
  for (int i = 0; i < info->inspection_count; i++) {
    union {
      unsigned char bytes[sizeof(inspect_callback_t)];
      inspect_callback_t callback;
    } tag;
    if (read_callback(info->inspections[i].name, tag.bytes) &&
        stands_in(tag.bytes, sizeof(tag.bytes), executable->module,
                  executable->module_size)) {
      POD_TRY(
          tell(&info->inspections[i], executable->options.device_count, &tag.callback));
    }
  }
  return NULL;
}
