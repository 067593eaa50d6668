// The profiler extension of the PJRT C API, version 1, and the plugin profiler that it
// names, declared anew: types and functions in order, as the official headers
// (xla/pjrt/c/pjrt_c_api_profiler_extension.h, xla/backends/profiler/plugin/
// profiler_c_api.h) have them. tests/jax/header_test.py compares the two.
//
// Contract, as the official header says it: the profile is asked for after `stop` by two
// calls of `collect_data` with the same arguments; the first has no buffer and is told
// the size, the second one gives a buffer of that size. The first may be told as well
// where the profiler has the bytes, which stay until it is destroyed.

#ifndef CLIENT_PJRT_PROFILER_API_H_
#define CLIENT_PJRT_PROFILER_API_H_

#include "client/pjrt/pjrt_api.h"

typedef struct PLUGIN_Profiler PLUGIN_Profiler;
typedef struct PLUGIN_Profiler_Error PLUGIN_Profiler_Error;

// clang-format off
typedef struct PLUGIN_Profiler_Error_Destroy_Args {
  size_t struct_size; void *priv; PLUGIN_Profiler_Error *error;
} PLUGIN_Profiler_Error_Destroy_Args;
typedef void PLUGIN_Profiler_Error_Destroy(PLUGIN_Profiler_Error_Destroy_Args *args);

typedef struct PLUGIN_Profiler_Error_Message_Args {
  size_t struct_size; void *priv; const PLUGIN_Profiler_Error *error; const char *message; size_t message_size;
} PLUGIN_Profiler_Error_Message_Args;
typedef void PLUGIN_Profiler_Error_Message(PLUGIN_Profiler_Error_Message_Args *args);

typedef struct PLUGIN_Profiler_Error_GetCode_Args {
  size_t struct_size; void *priv; const PLUGIN_Profiler_Error *error; int code;
} PLUGIN_Profiler_Error_GetCode_Args;
typedef PLUGIN_Profiler_Error *PLUGIN_Profiler_Error_GetCode(PLUGIN_Profiler_Error_GetCode_Args *args);

typedef struct PLUGIN_Profiler_Create_Args {
  size_t struct_size; const char *options; size_t options_size; PLUGIN_Profiler *profiler;
} PLUGIN_Profiler_Create_Args;
typedef PLUGIN_Profiler_Error *PLUGIN_Profiler_Create(PLUGIN_Profiler_Create_Args *args);

typedef struct PLUGIN_Profiler_Destroy_Args {
  size_t struct_size; PLUGIN_Profiler *profiler;
} PLUGIN_Profiler_Destroy_Args;
typedef PLUGIN_Profiler_Error *PLUGIN_Profiler_Destroy(PLUGIN_Profiler_Destroy_Args *args);

typedef struct PLUGIN_Profiler_Start_Args {
  size_t struct_size; PLUGIN_Profiler *profiler;
} PLUGIN_Profiler_Start_Args;
typedef PLUGIN_Profiler_Error *PLUGIN_Profiler_Start(PLUGIN_Profiler_Start_Args *args);

typedef struct PLUGIN_Profiler_Stop_Args {
  size_t struct_size; PLUGIN_Profiler *profiler;
} PLUGIN_Profiler_Stop_Args;
typedef PLUGIN_Profiler_Error *PLUGIN_Profiler_Stop(PLUGIN_Profiler_Stop_Args *args);

typedef struct PLUGIN_Profiler_CollectData_Args {
  size_t struct_size; PLUGIN_Profiler *profiler; uint8_t *buffer; size_t buffer_size_in_bytes;
} PLUGIN_Profiler_CollectData_Args;
typedef PLUGIN_Profiler_Error *PLUGIN_Profiler_CollectData(PLUGIN_Profiler_CollectData_Args *args);

typedef struct PLUGIN_Profiler_Api {
  size_t struct_size; void *priv;
  PLUGIN_Profiler_Error_Destroy *error_destroy;
  PLUGIN_Profiler_Error_Message *error_message;
  PLUGIN_Profiler_Error_GetCode *error_get_code;
  PLUGIN_Profiler_Create *create;
  PLUGIN_Profiler_Destroy *destroy;
  PLUGIN_Profiler_Start *start;
  PLUGIN_Profiler_Stop *stop;
  PLUGIN_Profiler_CollectData *collect_data;
} PLUGIN_Profiler_Api;

typedef struct PJRT_Profiler_Extension {
  PJRT_Extension_Base base; PLUGIN_Profiler_Api *profiler_api; int64_t traceme_context_id;
} PJRT_Profiler_Extension;
// clang-format on

// What this plugin has of it (profiler.c).
extern PJRT_Profiler_Extension pjrt_profiler_extension;

#endif  // CLIENT_PJRT_PROFILER_API_H_
