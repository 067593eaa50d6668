// The plugin's table. Whatever is not implemented is an UNIMPLEMENTED error with the
// function's name; a null pointer would be called by some framework.

#include <string.h>

#include "client/pjrt/plugin.h"
#include "client/pjrt/profiler_api.h"

// The portable artifacts that JAX sends are of this version of StableHLO or older;
// without it JAX goes back to one of twelve weeks ago.
static const int64_t stablehlo_version[3] = {1, 16, 0};
static const int64_t stablehlo_oldest[3] = {0, 9, 0};

PJRT_Error *plugin_initialize(PJRT_Plugin_Initialize_Args *args) {
  (void)args;
  return NULL;
}

PJRT_Error *plugin_attributes(PJRT_Plugin_Attributes_Args *args) {
#define VERSION(NAME, LIST)                                                              \
  {                                                                                      \
    .struct_size = sizeof(PJRT_NamedValue), .name = NAME, .name_size = sizeof(NAME) - 1, \
    .type = PJRT_NamedValue_kInt64List, .int64_array_value = LIST, .value_size = 3       \
  }
  static const PJRT_NamedValue attributes[] = {
      VERSION("stablehlo_current_version", stablehlo_version),
      VERSION("stablehlo_minimum_version", stablehlo_oldest),
  };
#undef VERSION
  args->attributes = attributes;
  args->num_attributes = sizeof(attributes) / sizeof(*attributes);
  return NULL;
}

#define IMPLEMENTED(NAME, FUNCTION)
#define UNIMPLEMENTED(NAME)                         \
  static PJRT_Error *no_##NAME(NAME##_Args *args) { \
    (void)args;                                     \
    return pjrt_unimplemented(#NAME);               \
  }
#include "client/pjrt/functions.def"
#undef IMPLEMENTED
#undef UNIMPLEMENTED

static PJRT_Api api = {
    .struct_size = sizeof(PJRT_Api),
    .pjrt_api_version = {.struct_size = sizeof(PJRT_Api_Version),
                         .major_version = PJRT_API_MAJOR,
                         .minor_version = PJRT_API_MINOR},
#define IMPLEMENTED(NAME, FUNCTION) .NAME = FUNCTION,
#define UNIMPLEMENTED(NAME) .NAME = no_##NAME,
#include "client/pjrt/functions.def"
#undef IMPLEMENTED
#undef UNIMPLEMENTED
};

__attribute__((constructor)) static void link_extensions(void) {
  api.extension_start = &pjrt_layouts_extension.base;
  pjrt_layouts_extension.base.next = &pjrt_memory_descriptions_extension.base;
  pjrt_memory_descriptions_extension.base.next = &pjrt_profiler_extension.base;
}

const PJRT_Api *GetPjrtApi(void) {
  return &api;
}
