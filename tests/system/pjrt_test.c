// The plugin as a framework uses it, without one: loaded by dlopen, called through its
// table, with a local pod that it starts for this process.

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/pjrt/pjrt_api.h"

static const PJRT_Api *api;
static PJRT_Client *client;

static const char add_one[] =
    "module @add_one {\n"
    "  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "    %one = stablehlo.constant dense<1.0> : tensor<4xf32>\n"
    "    %y = stablehlo.add %x, %one : tensor<4xf32>\n"
    "    return %y : tensor<4xf32>\n"
    "  }\n"
    "}\n";

static const char sum_halves[] =
    "module @sum_halves attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 "
    ": i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, "
    "[{\"x\"}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %y = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = "
    "[0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
    "    return %y : tensor<f32>\n"
    "  }\n"
    "}\n";

// The mesh has the devices the other way round.
static const char gather_reversed[] =
    "module @gather_reversed attributes {mhlo.num_partitions = 2 : i32, "
    "mhlo.num_replicas = 1 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2], device_ids=[1, 0]>\n"
    "  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, "
    "[{\"x\"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {\n"
    "    return %x : tensor<4xf32>\n"
    "  }\n"
    "}\n";

// The result's mesh has the argument's devices in an order that no axes make.
static const char swapped[] =
    "module @swapped attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : "
    "i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=4]>\n"
    "  sdy.mesh @other = <[\"x\"=4], device_ids=[2, 0, 3, 1]>\n"
    "  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, "
    "[{\"x\"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@other, [{\"x\"}]>}) "
    "{\n"
    "    %y = stablehlo.negate %x : tensor<4xf32>\n"
    "    return %y : tensor<4xf32>\n"
    "  }\n"
    "}\n";

// Leaves its result in the host's memory.
static const char offload[] =
    "module @offload {\n"
    "  func.func public @main(%x: tensor<4xf32>) -> (tensor<4xf32> {mhlo.memory_kind = "
    "\"pinned_host\"}) {\n"
    "    %y = stablehlo.negate %x : tensor<4xf32>\n"
    "    return %y : tensor<4xf32>\n"
    "  }\n"
    "}\n";

// --- Calls ---

static PJRT_Error_Code take_code(PJRT_Error *error, char *message, size_t size) {
  if (error == NULL) {
    return PJRT_Error_Code_OK;
  }
  PJRT_Error_GetCode_Args code = {.struct_size = sizeof(code), .error = error};
  PJRT_Error_Message_Args text = {.struct_size = sizeof(text), .error = error};
  PJRT_Error_Destroy_Args destroy = {.struct_size = sizeof(destroy), .error = error};
  assert_null(api->PJRT_Error_GetCode(&code));
  api->PJRT_Error_Message(&text);
  snprintf(message, size, "%.*s", (int)text.message_size, text.message);
  api->PJRT_Error_Destroy(&destroy);
  return code.code;
}

static void expect(PJRT_Error_Code expected, const char *words, PJRT_Error *error) {
  char message[1024] = "";
  const PJRT_Error_Code code = take_code(error, message, sizeof(message));
  if (code != expected || strstr(message, words) == NULL) {
    fail_msg("code %d: %s", (int)code, message);
  }
}

static void ok(PJRT_Error *error) {
  expect(PJRT_Error_Code_OK, "", error);
}

static PJRT_Error *await(PJRT_Event *event) {
  PJRT_Event_Await_Args args = {.struct_size = sizeof(args), .event = event};
  PJRT_Event_Destroy_Args destroy = {.struct_size = sizeof(destroy), .event = event};
  PJRT_Error *error = api->PJRT_Event_Await(&args);
  ok(api->PJRT_Event_Destroy(&destroy));
  return error;
}

static PJRT_Device *device(int id) {
  PJRT_Client_LookupDevice_Args args = {
      .struct_size = sizeof(args), .client = client, .id = id};
  ok(api->PJRT_Client_LookupDevice(&args));
  return args.device;
}

static PJRT_Buffer *put_with(PJRT_HostBufferSemantics semantics, int chip,
                             const float *values, int64_t count, const int64_t *stride) {
  PJRT_Client_BufferFromHostBuffer_Args args = {.struct_size = sizeof(args),
                                                .client = client,
                                                .data = values,
                                                .type = PJRT_Buffer_Type_F32,
                                                .dims = &count,
                                                .num_dims = 1,
                                                .byte_strides = stride,
                                                .num_byte_strides = stride != NULL,
                                                .host_buffer_semantics = semantics,
                                                .device = device(chip)};
  ok(api->PJRT_Client_BufferFromHostBuffer(&args));
  ok(await(args.done_with_host_buffer));
  return args.buffer;
}

static PJRT_Buffer *put(int chip, const float *values, int64_t count,
                        const int64_t *stride) {
  return put_with(PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes, chip, values,
                  count, stride);
}

static PJRT_Error *fetch(PJRT_Buffer *buffer, float *values, size_t size) {
  PJRT_Buffer_ToHostBuffer_Args args = {
      .struct_size = sizeof(args), .src = buffer, .dst = values, .dst_size = size};
  PJRT_Error *error = api->PJRT_Buffer_ToHostBuffer(&args);
  return error != NULL ? error : await(args.event);
}

static void destroy_buffer(PJRT_Buffer *buffer) {
  PJRT_Buffer_Destroy_Args args = {.struct_size = sizeof(args), .buffer = buffer};
  ok(api->PJRT_Buffer_Destroy(&args));
}

// xla.CompileOptionsProto: executable_build_options (3) with num_replicas (4),
// num_partitions (5) and device_assignment (9).
static size_t write_options(int count, const int *devices, char *out) {
  char assignment[256];
  int length = 0;
  assignment[length++] = 0x08;  // replica_count
  assignment[length++] = 1;
  assignment[length++] = 0x10;  // computation_count
  assignment[length++] = (char)count;
  for (int i = 0; i < count; i++) {
    const char entry[] = {0x1a, 3, 0x0a, 1, (char)devices[i]};
    memcpy(assignment + length, entry, sizeof(entry));
    length += (int)sizeof(entry);
  }
  const char head[] = {0x1a, (char)(length + 6), 0x20, 1,
                       0x28, (char)count,        0x4a, (char)length};
  memcpy(out, head, sizeof(head));
  memcpy(out + sizeof(head), assignment, (size_t)length);
  return sizeof(head) + (size_t)length;
}

static PJRT_Error *compile(const char *text, int count, const int *devices,
                           PJRT_LoadedExecutable **out) {
  char options[512];
  const PJRT_Program program = {.struct_size = sizeof(program),
                                .code = (char *)(uintptr_t)text,
                                .code_size = strlen(text),
                                .format = "mlir",
                                .format_size = 4};
  PJRT_Client_Compile_Args args = {
      .struct_size = sizeof(args),
      .client = client,
      .program = &program,
      .compile_options = options,
      .compile_options_size = write_options(count, devices, options)};
  PJRT_Error *error = api->PJRT_Client_Compile(&args);
  *out = args.executable;
  return error;
}

static void destroy_executable(PJRT_LoadedExecutable *executable) {
  PJRT_LoadedExecutable_Destroy_Args args = {.struct_size = sizeof(args),
                                             .executable = executable};
  ok(api->PJRT_LoadedExecutable_Destroy(&args));
}

// One argument and one result per device.
static PJRT_Error *execute(PJRT_LoadedExecutable *executable, size_t device_count,
                           PJRT_Buffer **arguments, PJRT_Buffer **results) {
  PJRT_Buffer *const *lists[4];
  PJRT_Buffer **outputs[4];
  for (size_t i = 0; i < device_count; i++) {
    lists[i] = &arguments[i];
    outputs[i] = &results[i];
  }
  PJRT_ExecuteOptions options = {.struct_size = sizeof(options)};
  PJRT_LoadedExecutable_Execute_Args args = {.struct_size = sizeof(args),
                                             .executable = executable,
                                             .options = &options,
                                             .argument_lists = lists,
                                             .num_devices = device_count,
                                             .num_args = 1,
                                             .output_lists = outputs};
  return api->PJRT_LoadedExecutable_Execute(&args);
}

// --- Tests ---

static void test_no_function_is_a_null_pointer(void **state) {
  (void)state;
  const void *const *functions = (const void *const *)&api->PJRT_Error_Destroy;
  const size_t count =
      (sizeof(*api) - offsetof(PJRT_Api, PJRT_Error_Destroy)) / sizeof(*functions);
  assert_int_equal(api->struct_size, sizeof(*api));
  for (size_t i = 0; i < count; i++) {
    assert_non_null(functions[i]);
  }
  PJRT_Client_DmaMap_Args args = {.struct_size = sizeof(args)};
  expect(PJRT_Error_Code_UNIMPLEMENTED, "PJRT_Client_DmaMap",
         api->PJRT_Client_DmaMap(&args));
}

static void test_devices_are_tpu_chips_with_coordinates(void **state) {
  (void)state;
  PJRT_Client_Devices_Args devices = {.struct_size = sizeof(devices), .client = client};
  ok(api->PJRT_Client_Devices(&devices));
  assert_int_equal(devices.num_devices, 4);
  PJRT_Device_GetDescription_Args get = {.struct_size = sizeof(get),
                                         .device = devices.devices[3]};
  ok(api->PJRT_Device_GetDescription(&get));
  PJRT_DeviceDescription_Kind_Args kind = {.struct_size = sizeof(kind),
                                           .device_description = get.device_description};
  ok(api->PJRT_DeviceDescription_Kind(&kind));
  assert_memory_equal(kind.device_kind, "TPU v5 lite", kind.device_kind_size);
  PJRT_DeviceDescription_Attributes_Args attributes = {
      .struct_size = sizeof(attributes), .device_description = get.device_description};
  ok(api->PJRT_DeviceDescription_Attributes(&attributes));
  assert_memory_equal(attributes.attributes[0].name, "coords", 6);
  assert_int_equal(attributes.attributes[0].int64_array_value[0], 1);
  assert_int_equal(attributes.attributes[0].int64_array_value[1], 1);
  PJRT_Client_LookupDevice_Args none = {
      .struct_size = sizeof(none), .client = client, .id = 4};
  expect(PJRT_Error_Code_INVALID_ARGUMENT, "the pod has 4",
         api->PJRT_Client_LookupDevice(&none));
}

static void test_a_buffer_comes_back_also_from_strided_bytes(void **state) {
  (void)state;
  const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const int64_t stride = 2 * sizeof(float);
  float back[4] = {0};
  PJRT_Buffer *buffer = put(2, values, 4, &stride);
  ok(fetch(buffer, back, sizeof(back)));
  assert_memory_equal(back, ((float[]){1, 3, 5, 7}), sizeof(back));
  expect(PJRT_Error_Code_INVALID_ARGUMENT, "16 bytes", fetch(buffer, back, 8));
  PJRT_Buffer_Delete_Args delete = {.struct_size = sizeof(delete), .buffer = buffer};
  ok(api->PJRT_Buffer_Delete(&delete));
  expect(PJRT_Error_Code_INVALID_ARGUMENT, "deleted", fetch(buffer, back, sizeof(back)));
  destroy_buffer(buffer);
}

static void test_bytes_that_are_lent_for_the_call_may_change_after_it(void **state) {
  (void)state;
  static const int64_t counts[] = {16, 100000, 1 << 20};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
    const size_t count = (size_t)counts[i];
    float *values = malloc(count * sizeof(*values));
    float *back = malloc(count * sizeof(*back));
    for (size_t j = 0; j < count; j++) {
      values[j] = (float)j;
    }
    PJRT_Buffer *buffer = put_with(PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, 0,
                                   values, counts[i], NULL);
    memset(values, 0xff, count * sizeof(*values));
    ok(fetch(buffer, back, count * sizeof(*back)));
    for (size_t j = 0; j < count; j++) {
      assert_true(back[j] == (float)j);
    }
    destroy_buffer(buffer);
    free(values);
    free(back);
  }
}

static void test_a_program_runs_on_the_device_it_is_compiled_for(void **state) {
  (void)state;
  PJRT_LoadedExecutable *executable;
  ok(compile(add_one, 1, (int[]){3}, &executable));
  const float values[4] = {1, 2, 3, 4};
  float back[4];
  PJRT_Buffer *argument = put(3, values, 4, NULL);
  PJRT_Buffer *result;
  ok(execute(executable, 1, &argument, &result));
  ok(fetch(result, back, sizeof(back)));
  assert_memory_equal(back, ((float[]){2, 3, 4, 5}), sizeof(back));
  PJRT_Buffer_Device_Args where = {.struct_size = sizeof(where), .buffer = result};
  ok(api->PJRT_Buffer_Device(&where));
  assert_ptr_equal(where.device, device(3));
  PJRT_Buffer *elsewhere = put(1, values, 4, NULL);
  expect(PJRT_Error_Code_INVALID_ARGUMENT, "wanted on TPU_3",
         execute(executable, 1, &elsewhere, &result));
  destroy_buffer(elsewhere);
  destroy_buffer(result);
  destroy_buffer(argument);
  destroy_executable(executable);
}

static void test_a_thousand_calls_are_dispatched_without_waiting(void **state) {
  (void)state;
  PJRT_LoadedExecutable *executable;
  ok(compile(add_one, 1, (int[]){0}, &executable));
  const float values[4] = {0};
  float back[4];
  PJRT_Buffer *buffer = put(0, values, 4, NULL);
  for (int i = 0; i < 1000; i++) {
    PJRT_Buffer *next;
    ok(execute(executable, 1, &buffer, &next));
    destroy_buffer(buffer);
    buffer = next;
  }
  ok(fetch(buffer, back, sizeof(back)));
  assert_memory_equal(back, ((float[]){1000, 1000, 1000, 1000}), sizeof(back));
  destroy_buffer(buffer);
  destroy_executable(executable);
}

static void test_shards_go_to_devices_in_any_order(void **state) {
  (void)state;
  PJRT_LoadedExecutable *executable;
  ok(compile(sum_halves, 2, (int[]){3, 1}, &executable));
  PJRT_Buffer *arguments[2] = {put(3, (float[]){1, 2}, 2, NULL),
                               put(1, (float[]){30, 40}, 2, NULL)};
  PJRT_Buffer *results[2];
  ok(execute(executable, 2, arguments, results));
  for (int i = 0; i < 2; i++) {
    float sum;
    ok(fetch(results[i], &sum, sizeof(sum)));
    assert_true(sum == 73);
    destroy_buffer(results[i]);
    destroy_buffer(arguments[i]);
  }
  destroy_executable(executable);
}

static uintptr_t pointer_of(PJRT_Buffer *buffer) {
  PJRT_Buffer_UnsafePointer_Args args = {.struct_size = sizeof(args), .buffer = buffer};
  ok(api->PJRT_Buffer_UnsafePointer(&args));
  return args.buffer_pointer;
}

static void test_a_pointer_names_the_memory_of_a_buffer(void **state) {
  (void)state;
  const float values[4] = {1, 2, 3, 4};
  PJRT_Buffer *one = put(0, values, 4, NULL);
  PJRT_Buffer *other = put(0, values, 4, NULL);
  assert_int_equal(pointer_of(one), pointer_of(one));
  assert_int_not_equal(pointer_of(one), pointer_of(other));
  PJRT_Buffer_Delete_Args delete = {.struct_size = sizeof(delete), .buffer = one};
  ok(api->PJRT_Buffer_Delete(&delete));
  PJRT_Buffer_UnsafePointer_Args args = {.struct_size = sizeof(args), .buffer = one};
  expect(PJRT_Error_Code_INVALID_ARGUMENT, "deleted",
         api->PJRT_Buffer_UnsafePointer(&args));
  destroy_buffer(one);
  destroy_buffer(other);
}

// JAX keeps one for every operation that is called by itself, for each of its shapes.
static void test_thousands_of_executables_are_kept(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  static PJRT_LoadedExecutable *kept[COUNT];
  for (int i = 0; i < COUNT; i++) {
    ok(compile(add_one, 1, (int[]){0}, &kept[i]));
  }
  for (int i = 0; i < COUNT; i++) {
    destroy_executable(kept[i]);
  }
}

static void test_shards_go_to_the_devices_of_a_mesh_in_its_order(void **state) {
  (void)state;
  PJRT_LoadedExecutable *executable;
  ok(compile(gather_reversed, 2, (int[]){2, 3}, &executable));
  PJRT_Buffer *parts[] = {put(2, (float[]){3, 4}, 2, NULL),
                          put(3, (float[]){1, 2}, 2, NULL)};
  PJRT_Buffer *whole[2];
  ok(execute(executable, 2, parts, whole));
  for (int d = 0; d < 2; d++) {
    float values[4];
    ok(fetch(whole[d], values, sizeof(values)));
    for (int i = 0; i < 4; i++) {
      assert_float_equal(values[i], i + 1, 0);
    }
    destroy_buffer(parts[d]);
    destroy_buffer(whole[d]);
  }
  destroy_executable(executable);
}

static void test_a_mesh_may_have_its_devices_in_any_order(void **state) {
  (void)state;
  PJRT_LoadedExecutable *executable;
  ok(compile(swapped, 4, (int[]){1, 0, 3, 2}, &executable));
  const int devices[] = {1, 0, 3, 2};
  const float expected[] = {-2, -4, -1, -3};  // What the program's device d has.
  PJRT_Buffer *parts[4], *results[4];
  for (int d = 0; d < 4; d++) {
    parts[d] = put(devices[d], (float[]){(float)(d + 1)}, 1, NULL);
  }
  ok(execute(executable, 4, parts, results));
  for (int d = 0; d < 4; d++) {
    float value;
    ok(fetch(results[d], &value, sizeof(value)));
    assert_true(value == expected[d]);
    destroy_buffer(parts[d]);
    destroy_buffer(results[d]);
  }
  destroy_executable(executable);
}

static void expect_kind(PJRT_Buffer *buffer, const char *kind) {
  PJRT_Buffer_Memory_Args memory = {.struct_size = sizeof(memory), .buffer = buffer};
  ok(api->PJRT_Buffer_Memory(&memory));
  PJRT_Memory_Kind_Args args = {.struct_size = sizeof(args), .memory = memory.memory};
  ok(api->PJRT_Memory_Kind(&args));
  assert_int_equal(args.kind_size, strlen(kind));
  assert_memory_equal(args.kind, kind, args.kind_size);
}

static void test_results_go_to_the_memory_that_is_wanted_and_arguments_come(
    void **state) {
  (void)state;
  PJRT_LoadedExecutable *executable;
  ok(compile(offload, 1, (int[]){1}, &executable));
  PJRT_Buffer *argument = put(1, (float[]){1, 2, 3, 4}, 4, NULL);
  PJRT_Buffer *once, *twice, *dropped;
  ok(execute(executable, 1, &argument, &once));
  ok(execute(executable, 1, &once, &twice));
  ok(execute(executable, 1, &twice, &dropped));
  destroy_buffer(dropped);  // While its bytes are on their way.
  expect_kind(argument, "device");
  expect_kind(once, "pinned_host");
  float values[4];
  ok(fetch(once, values, sizeof(values)));
  assert_true(values[0] == -1 && values[3] == -4);
  ok(fetch(twice, values, sizeof(values)));
  assert_true(values[0] == 1 && values[3] == 4);
  destroy_buffer(argument);
  destroy_buffer(once);
  destroy_buffer(twice);
  destroy_executable(executable);
}

// What a call of @InspectSharding is configured with (xla/python/inspect_sharding.h).
typedef struct inspect_args_t {
  char *sharding;
  size_t sharding_size;
  const char *error;
  void *scratch;
  void (*free_error)(struct inspect_args_t *args);
} inspect_args_t;

typedef struct inspect_t {
  void (*call)(void *data, inspect_args_t *args);
  void *data;
} inspect_t;

typedef struct inspected_t {
  char bytes[64];
  size_t size;
  const char *error;
} inspected_t;

static void on_inspect(void *data, inspect_args_t *args) {
  inspected_t *inspected = data;
  assert_true(args->sharding_size <= sizeof(inspected->bytes));
  memcpy(inspected->bytes, args->sharding, args->sharding_size);
  inspected->size = args->sharding_size;
  args->error = inspected->error;
}

static PJRT_Error *compile_inspection(inspected_t *inspected,
                                      PJRT_LoadedExecutable **out) {
  const inspect_t callback = {.call = on_inspect, .data = inspected};
  unsigned char bytes[sizeof(callback)];
  memcpy(bytes, &callback, sizeof(callback));
  char config[3 * sizeof(callback) + 1];
  for (size_t i = 0; i < sizeof(callback); i++) {
    snprintf(config + 3 * i, 4, "\\%02X", bytes[i]);
  }
  char text[1024];
  snprintf(text, sizeof(text),
           "module @inspected attributes {mhlo.num_partitions = 2 : i32} {\n"
           "  sdy.mesh @mesh = <[\"x\"=2]>\n"
           "  func.func public @main(%%x: tensor<4xf32> {sdy.sharding = "
           "#sdy.sharding<@mesh, [{\"x\"}]>}) -> tensor<4xf32> {\n"
           "    %%y = stablehlo.negate %%x : tensor<4xf32>\n"
           "    %%z = stablehlo.custom_call @InspectSharding(%%y) {backend_config = "
           "\"%s\", has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>\n"
           "    return %%y : tensor<4xf32>\n"
           "  }\n"
           "}\n",
           config);
  return compile(text, 2, (int[]){0, 1}, out);
}

static void check_inspection(inspected_t *inspected) {
  PJRT_LoadedExecutable *executable;
  *inspected = (inspected_t){.size = 0};
  ok(compile_inspection(inspected, &executable));
  destroy_executable(executable);
  // xla.OpSharding: type (1) OTHER, dimensions (3) [2], devices (4) [0, 1].
  const char expected[] = {0x08, 3, 0x1a, 1, 2, 0x22, 2, 0, 1};
  assert_int_equal(inspected->size, sizeof(expected));
  assert_memory_equal(inspected->bytes, expected, sizeof(expected));
  inspected->error = "not this one";
  expect(PJRT_Error_Code_INTERNAL, "not this one",
         compile_inspection(inspected, &executable));
}

static void test_who_inspects_a_sharding_is_called_when_it_is_known(void **state) {
  (void)state;
  check_inspection(&(inspected_t){.size = 0});
}

// Its address has a byte that the module's text begins escapes with.
static void test_who_inspects_may_lie_where_a_backslash_is_in_the_address(void **state) {
  (void)state;
  enum { WINDOW = 1 << 16 };
  char *room = malloc(2 * WINDOW);
  assert_non_null(room);
  const uintptr_t start = (uintptr_t)room;
  const uintptr_t wanted = (start & ~(uintptr_t)(WINDOW - 1)) + ('\\' << 8);
  check_inspection((inspected_t *)(room + (wanted - start) % WINDOW));
  free(room);
}

static void test_bad_programs_and_bytes_are_errors(void **state) {
  (void)state;
  PJRT_LoadedExecutable *executable;
  expect(PJRT_Error_Code_INVALID_ARGUMENT, "<jax>:1",
         compile("modul", 1, (int[]){0}, &executable));
  expect(PJRT_Error_Code_INVALID_ARGUMENT, "",
         compile(add_one, 1, (int[]){9}, &executable));
  PJRT_Executable_DeserializeAndLoad_Args load = {.struct_size = sizeof(load),
                                                  .client = client,
                                                  .serialized_executable = "nothing",
                                                  .serialized_executable_size = 7};
  expect(PJRT_Error_Code_INVALID_ARGUMENT, "no executable of Podium",
         api->PJRT_Executable_DeserializeAndLoad(&load));
}

static void test_an_executable_is_serialized_and_loaded_again(void **state) {
  (void)state;
  PJRT_LoadedExecutable *executable;
  ok(compile(add_one, 1, (int[]){2}, &executable));
  PJRT_LoadedExecutable_GetExecutable_Args get = {.struct_size = sizeof(get),
                                                  .loaded_executable = executable};
  ok(api->PJRT_LoadedExecutable_GetExecutable(&get));
  PJRT_Executable_Serialize_Args serialize = {.struct_size = sizeof(serialize),
                                              .executable = get.executable};
  ok(api->PJRT_Executable_Serialize(&serialize));
  PJRT_Executable_DeserializeAndLoad_Args load = {
      .struct_size = sizeof(load),
      .client = client,
      .serialized_executable = serialize.serialized_bytes,
      .serialized_executable_size = serialize.serialized_bytes_size};
  ok(api->PJRT_Executable_DeserializeAndLoad(&load));
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  float back[4];
  PJRT_Buffer *argument = put(2, (float[]){5, 6, 7, 8}, 4, NULL);
  PJRT_Buffer *result;
  ok(execute(load.loaded_executable, 1, &argument, &result));
  ok(fetch(result, back, sizeof(back)));
  assert_memory_equal(back, ((float[]){6, 7, 8, 9}), sizeof(back));
  PJRT_Executable_Destroy_Args destroy = {.struct_size = sizeof(destroy),
                                          .executable = get.executable};
  ok(api->PJRT_Executable_Destroy(&destroy));
  destroy_buffer(result);
  destroy_buffer(argument);
  destroy_executable(load.loaded_executable);
  destroy_executable(executable);
}

// A child has a pod of its own and is killed; the pod's folder goes with it.
static void test_a_killed_process_leaves_no_pod(void **state) {
  (void)state;
  const pid_t child = fork();
  if (child == 0) {
    PJRT_Client_Create_Args create = {.struct_size = sizeof(create)};
    _exit(api->PJRT_Client_Create(&create) == NULL ? (raise(SIGKILL), 1) : 2);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  char command[256];
  snprintf(command, sizeof(command), "%s/podium ls | grep -q process-%d-", BIN_FOLDER,
           (int)child);
  bool is_gone = false;
  for (int i = 0; i < 200 && !is_gone; i++) {
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    is_gone = system(command) != 0;
  }
  assert_true(is_gone);
}

static void test_no_pod_is_an_error_that_says_what_to_do(void **state) {
  (void)state;
  const PJRT_NamedValue option = {.struct_size = sizeof(option),
                                  .name = "topology",
                                  .name_size = 8,
                                  .type = PJRT_NamedValue_kString,
                                  .string_value = "7x",
                                  .value_size = 2};
  PJRT_Client_Create_Args create = {
      .struct_size = sizeof(create), .create_options = &option, .num_options = 1};
  expect(PJRT_Error_Code_UNAVAILABLE, "PODIUM_POD", api->PJRT_Client_Create(&create));
}

static int open_client(void **state) {
  (void)state;
  setenv("PODIUM_CHIP", "v5e", 1);
  setenv("PODIUM_TOPOLOGY", "2x2", 1);
  unsetenv("PODIUM_POD");
  void *library = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    print_error("%s\n", dlerror());
    return -1;
  }
  // dlsym's own way around ISO C, which knows no function at an object's address.
  const PJRT_Api *(*get)(void);
  *(void **)&get = dlsym(library, "GetPjrtApi");
  api = get();
  PJRT_Client_Create_Args create = {.struct_size = sizeof(create)};
  ok(api->PJRT_Client_Create(&create));
  client = create.client;
  return 0;
}

static int close_client(void **state) {
  (void)state;
  PJRT_Client_Destroy_Args destroy = {.struct_size = sizeof(destroy), .client = client};
  ok(api->PJRT_Client_Destroy(&destroy));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_function_is_a_null_pointer),
      cmocka_unit_test(test_devices_are_tpu_chips_with_coordinates),
      cmocka_unit_test(test_a_buffer_comes_back_also_from_strided_bytes),
      cmocka_unit_test(test_bytes_that_are_lent_for_the_call_may_change_after_it),
      cmocka_unit_test(test_a_program_runs_on_the_device_it_is_compiled_for),
      cmocka_unit_test(test_a_thousand_calls_are_dispatched_without_waiting),
      cmocka_unit_test(test_shards_go_to_devices_in_any_order),
      cmocka_unit_test(test_a_pointer_names_the_memory_of_a_buffer),
      cmocka_unit_test(test_thousands_of_executables_are_kept),
      cmocka_unit_test(test_shards_go_to_the_devices_of_a_mesh_in_its_order),
      cmocka_unit_test(test_a_mesh_may_have_its_devices_in_any_order),
      cmocka_unit_test(test_results_go_to_the_memory_that_is_wanted_and_arguments_come),
      cmocka_unit_test(test_who_inspects_a_sharding_is_called_when_it_is_known),
      cmocka_unit_test(test_who_inspects_may_lie_where_a_backslash_is_in_the_address),
      cmocka_unit_test(test_bad_programs_and_bytes_are_errors),
      cmocka_unit_test(test_an_executable_is_serialized_and_loaded_again),
      cmocka_unit_test(test_a_killed_process_leaves_no_pod),
      cmocka_unit_test(test_no_pod_is_an_error_that_says_what_to_do),
  };
  return cmocka_run_group_tests(tests, open_client, close_client);
}
