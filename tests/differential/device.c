#include "tests/differential/device.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "server/compiler/compiler.h"
#include "server/worker/executor.h"
#include "tests/differential/mesh.h"

struct device_t {
  executor_t *executor;
  mesh_device_t *mesh;  // Instead.
  uint64_t executions;
};

static const torus_t one_chip = {.size = {1, 1, 1}};

device_t *device_create(void) {
  device_t *device = pod_alloc(sizeof(*device));
  device->executor = executor_create(
      &(executor_options_t){.spec = chip_spec_find("v5e"), .torus = one_chip});
  return device;
}

device_t *device_create_mesh(void) {
  device_t *device = pod_alloc(sizeof(*device));
  device->mesh = mesh_device_create(MESH_CHIPS);
  return device;
}

bool device_is_alone(const device_t *device) {
  return device->mesh == NULL;
}

int64_t device_bytes_sent(const device_t *device) {
  return device->mesh != NULL ? mesh_device_bytes_sent(device->mesh) : 0;
}

// About half of the arguments of half of the modules, for whichever result takes them.
static void donate_arguments(mlir_module_t *module, uint64_t seed) {
  pod_random_t random = {seed};
  if (pod_random_below(&random, 2) == 0) {
    return;
  }
  mlir_op_t *main = mlir_module_find_symbol(module, "main");
  const int count = mlir_op_block(main, 0)->argument_count;
  const mlir_named_attr_t mark = {mlir_intern(module, "jax.buffer_donor"),
                                  mlir_attr_bool(module, true)};
  const mlir_attr_t **attrs =
      pod_arena_array(module->arena, (size_t)count, sizeof(attrs[0]));
  for (int i = 0; i < count; i++) {
    attrs[i] = mlir_attr_dictionary(module, (int64_t)pod_random_below(&random, 2), &mark);
  }
  mlir_op_set_attr(module, main, mlir_intern(module, "arg_attrs"),
                   mlir_attr_array(module, count, attrs));
}

void device_prepare(const device_t *device, mlir_module_t *module, uint64_t seed) {
  if (device->mesh != NULL) {
    const mesh_shard_options_t options = {.chip_count = MESH_CHIPS, .is_manual = true};
    mesh_shard(module, &options, seed);
  } else {
    donate_arguments(module, seed);
  }
}

void device_destroy(device_t *device) {
  mesh_device_destroy(device->mesh);
  executor_destroy(device->executor);
  free(device);
}

// Memory as the executor wants it: aligned, and a place even for no elements. What is
// behind the end is seen by the sanitizers.
static void *aligned(size_t size_bytes) {
  void *memory = NULL;
  POD_CHECK(posix_memalign(&memory, 64, size_bytes > 0 ? size_bytes : 1) == 0);
  return memory;
}

// Every other execution consumes what is donated, the others keep it. Returns by argument
// whether its memory is a result's now.
static bool *hand_over(const device_t *device, const chip_program_t *program,
                       const void *const *inputs, void **outputs) {
  bool *is_consumed = pod_alloc((size_t)program->argument_count);
  for (int32_t i = 0; i < program->alias_count && device->executions % 2 == 0; i++) {
    const chip_alias_t *alias = &program->aliases[i];
    free(outputs[alias->result]);
    outputs[alias->result] = (void *)inputs[alias->argument];
    is_consumed[alias->argument] = true;
  }
  return is_consumed;
}

static pod_status_t run_program(device_t *device, chip_program_t *program,
                                int argument_count, const reference_value_t *arguments,
                                int result_count, reference_value_t *results) {
  POD_CHECK(program->argument_count == argument_count &&
            program->result_count == result_count);
  executable_t *executable;
  POD_TRY(executor_load(device->executor, program, &executable));
  const void **inputs = pod_alloc(sizeof(void *) * (size_t)(argument_count + 1));
  void **outputs = pod_alloc(sizeof(void *) * (size_t)(result_count + 1));
  for (int i = 0; i < argument_count; i++) {
    const size_t bytes = (size_t)tensor_shape_bytes(&arguments[i].shape);
    void *copy = aligned(bytes);
    memcpy(copy, arguments[i].data, bytes);
    inputs[i] = copy;
  }
  for (int i = 0; i < result_count; i++) {
    const size_t bytes = (size_t)tensor_shape_bytes(&results[i].shape);
    outputs[i] = aligned(bytes);
    memset(outputs[i], 0xa5, bytes);
  }
  bool *is_consumed = hand_over(device, program, inputs, outputs);
  chip_profile_t profile;
  chip_profile_init(&profile, program, 0);
  const executor_run_t run = {
      .execution = ++device->executions, .arguments = inputs, .results = outputs};
  const pod_status_t status = executor_run(executable, &run, &profile);
  chip_profile_deinit(&profile);
  for (int i = 0; i < argument_count; i++) {
    if (!is_consumed[i]) {
      // Arguments are read only.
      POD_CHECK(memcmp(inputs[i], arguments[i].data,
                       (size_t)tensor_shape_bytes(&arguments[i].shape)) == 0);
      free((void *)inputs[i]);
    }
  }
  for (int i = 0; i < result_count; i++) {
    memcpy(results[i].data, outputs[i], (size_t)tensor_shape_bytes(&results[i].shape));
    free(outputs[i]);
  }
  free(is_consumed);
  free(inputs);
  free(outputs);
  executor_unload(executable);
  return status;
}

pod_status_t device_run(device_t *device, const char *text, int64_t length,
                        pod_arena_t *arena, int argument_count,
                        const reference_value_t *arguments, int result_count,
                        reference_value_t *results) {
  if (device->mesh != NULL) {
    return mesh_device_run(device->mesh, text, length, arena, argument_count, arguments,
                           result_count, results);
  }
  for (int i = 0; i < result_count; i++) {
    results[i] = reference_make(arena, &results[i].shape);
  }
  const compiler_options_t options = {
      .file_name = "random.mlir", .spec = chip_spec_find("v5e"), .torus = one_chip};
  compiler_result_t *compiled;
  POD_TRY(compiler_compile(text, length, &options, &compiled));
  // The executor takes the program, and the result with it.
  return run_program(device, compiled->program, argument_count, arguments, result_count,
                     results);
}
