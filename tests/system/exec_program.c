// A program for `podium exec`, as JAX would be one: it finds the plugin by the
// environment, and calls
//   turned, on device 0, once for each argument, which says how often its loop turns: it
//     takes its time as values say;
//   halves, on devices 0 and 1, as often: a product whose halves are summed by both.
// It waits for the results of each call. The argument "leave" ends the program at once,
// with a call under way that takes for ever.

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/pjrt/pjrt_api.h"

static const PJRT_Api *api;
static PJRT_Client *client;

static const char turned[] =
    "module @turned {\n"
    "  func.func public @main(%n: tensor<i32>) -> tensor<64x64xf32> {\n"
    "    %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %x = stablehlo.constant dense<0.01> : tensor<64x64xf32>\n"
    "    %0:2 = stablehlo.while(%i = %zero, %at = %x) : tensor<i32>, tensor<64x64xf32>\n"
    "     cond {\n"
    "      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    } do {\n"
    "      %j = stablehlo.add %i, %one : tensor<i32>\n"
    "      %p = stablehlo.dot_general %at, %at, contracting_dims = [1] x [0] : "
    "(tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
    "      stablehlo.return %j, %p : tensor<i32>, tensor<64x64xf32>\n"
    "    }\n"
    "    return %0#1 : tensor<64x64xf32>\n"
    "  }\n"
    "}\n";

static const char halves[] =
    "module @halves attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : "
    "i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func public @main(%n: tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>}) "
    "-> (tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {\n"
    "    %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>\n"
    "    %x = stablehlo.broadcast_in_dim %f, dims = [] {sdy.sharding = "
    "#sdy.sharding_per_value<[<@mesh, [{}, {\"x\"}]>]>} : (tensor<f32>) -> "
    "tensor<256x256xf32>\n"
    "    %y = stablehlo.broadcast_in_dim %f, dims = [] {sdy.sharding = "
    "#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>} : (tensor<f32>) -> "
    "tensor<256x256xf32>\n"
    "    %p = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : "
    "(tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>\n"
    "    return %p : tensor<256x256xf32>\n"
    "  }\n"
    "}\n";

static void ok(PJRT_Error *error) {
  if (error != NULL) {
    PJRT_Error_Message_Args text = {.struct_size = sizeof(text), .error = error};
    api->PJRT_Error_Message(&text);
    fprintf(stderr, "exec_program: %.*s\n", (int)text.message_size, text.message);
    exit(1);
  }
}

static void await(PJRT_Event *event) {
  PJRT_Event_Await_Args args = {.struct_size = sizeof(args), .event = event};
  PJRT_Event_Destroy_Args destroy = {.struct_size = sizeof(destroy), .event = event};
  ok(api->PJRT_Event_Await(&args));
  ok(api->PJRT_Event_Destroy(&destroy));
}

static void open_client(void) {
  const char *names = getenv("PJRT_NAMES_AND_LIBRARY_PATHS");
  const char *path = names == NULL ? NULL : strchr(names, ':');
  void *library = path == NULL ? NULL : dlopen(path + 1, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "exec_program: no plugin: %s\n", path == NULL ? "" : dlerror());
    exit(1);
  }
  const PJRT_Api *(*get)(void) = NULL;
  *(void **)&get = dlsym(library, "GetPjrtApi");
  api = get();
  PJRT_Client_Create_Args args = {.struct_size = sizeof(args)};
  ok(api->PJRT_Client_Create(&args));
  client = args.client;
}

// xla.CompileOptionsProto: one replica, on devices 0 to count - 1 of two.
static PJRT_LoadedExecutable *compile(const char *text, char count) {
  char options[] = {0x1a,  20,   0x20, 1,    0x28, count, 0x4a, 14, 0x08, 1, 0x10,
                    count, 0x1a, 3,    0x0a, 1,    0,     0x1a, 3,  0x0a, 1, 1};
  const PJRT_Program program = {.struct_size = sizeof(program),
                                .code = (char *)(uintptr_t)text,
                                .code_size = strlen(text),
                                .format = "mlir",
                                .format_size = 4};
  PJRT_Client_Compile_Args args = {.struct_size = sizeof(args),
                                   .client = client,
                                   .program = &program,
                                   .compile_options = options,
                                   .compile_options_size = sizeof(options)};
  if (count == 1) {  // Without the second device.
    options[1] -= 5;
    options[7] -= 5;
    args.compile_options_size -= 5;
  }
  ok(api->PJRT_Client_Compile(&args));
  return args.executable;
}

static PJRT_Buffer *put(int device, int value) {
  PJRT_Client_LookupDevice_Args found = {
      .struct_size = sizeof(found), .client = client, .id = device};
  ok(api->PJRT_Client_LookupDevice(&found));
  PJRT_Client_BufferFromHostBuffer_Args args = {
      .struct_size = sizeof(args),
      .client = client,
      .data = &value,
      .type = PJRT_Buffer_Type_S32,
      .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
      .device = found.device};
  ok(api->PJRT_Client_BufferFromHostBuffer(&args));
  await(args.done_with_host_buffer);
  return args.buffer;
}

static void destroy(PJRT_Buffer *buffer) {
  PJRT_Buffer_Destroy_Args args = {.struct_size = sizeof(args), .buffer = buffer};
  ok(api->PJRT_Buffer_Destroy(&args));
}

static void call(PJRT_LoadedExecutable *executable, int device_count, int value,
                 bool waits) {
  PJRT_Buffer *arguments[2], *results[2];
  PJRT_Buffer *const *lists[2];
  PJRT_Buffer **outputs[2];
  for (int d = 0; d < device_count; d++) {
    arguments[d] = put(d, value);
    lists[d] = &arguments[d];
    outputs[d] = &results[d];
  }
  PJRT_ExecuteOptions options = {.struct_size = sizeof(options)};
  PJRT_LoadedExecutable_Execute_Args args = {.struct_size = sizeof(args),
                                             .executable = executable,
                                             .options = &options,
                                             .argument_lists = lists,
                                             .num_devices = (size_t)device_count,
                                             .num_args = 1,
                                             .output_lists = outputs};
  ok(api->PJRT_LoadedExecutable_Execute(&args));
  for (int d = 0; waits && d < device_count; d++) {
    PJRT_Buffer_ReadyEvent_Args ready = {.struct_size = sizeof(ready),
                                         .buffer = results[d]};
    ok(api->PJRT_Buffer_ReadyEvent(&ready));
    await(ready.event);
    destroy(results[d]);
    destroy(arguments[d]);
  }
}

static void destroy_executable(PJRT_LoadedExecutable *executable) {
  PJRT_LoadedExecutable_Destroy_Args args = {.struct_size = sizeof(args),
                                             .executable = executable};
  ok(api->PJRT_LoadedExecutable_Destroy(&args));
}

int main(int argc, char **argv) {
  open_client();
  PJRT_LoadedExecutable *one = compile(turned, 1), *two = compile(halves, 2);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "leave") == 0) {
      call(one, 1, INT_MAX, false);
      return 0;
    }
    call(one, 1, (int)strtol(argv[i], NULL, 10), true);
    call(two, 2, i, true);
  }
  destroy_executable(one);
  destroy_executable(two);
  PJRT_Client_Destroy_Args args = {.struct_size = sizeof(args), .client = client};
  ok(api->PJRT_Client_Destroy(&args));
  printf("%d calls\n", argc - 1);
  return 0;
}
