#include "tests/unit/server/coordinator/world.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

// --- The compiler ---

// One instruction, a task of its own.
static void add_code(chip_program_t *program, const tensor_shape_t *local) {
  static const int32_t argument[] = {0}, result[] = {1}, members[] = {0};
  static const chip_instruction_t instruction = {.op = CHIP_OP_TANH,
                                                 .operand_count = 1,
                                                 .result_count = 1,
                                                 .operands = argument,
                                                 .results = result,
                                                 .name = "tanh.0",
                                                 .source = "f.py:1:1"};
  static const chip_computation_t computation = {.name = "main",
                                                 .parameter_count = 1,
                                                 .result_count = 1,
                                                 .parameters = argument,
                                                 .results = result,
                                                 .instruction_count = 1,
                                                 .task_count = 1};
  static const chip_task_t task = {
      .partner = CHIP_NONE,
      .member_count = 1,
      .name = "tanh.0",
      .work = {.vpu_op = 1000, .hbm_read_bytes = 4096, .hbm_written_bytes = 4096}};
  chip_buffer_t *buffers = pod_arena_array(program->arena, 2, sizeof(*buffers));
  buffers[0] = (chip_buffer_t){.kind = CHIP_BUFFER_ARGUMENT, .shape = *local};
  buffers[1] = (chip_buffer_t){.kind = CHIP_BUFFER_RESULT, .shape = *local};
  program->buffers = buffers;
  program->buffer_count = 2;
  program->instructions = &instruction;
  program->instruction_count = 1;
  program->computations = &computation;
  program->computation_count = 1;
  program->tasks = &task;
  program->task_count = 1;
  program->task_members = members;
  program->task_member_count = 1;
}

// A program of `rows` × 4 that gives its argument back, and its arena. Of a list of two
// chips each has half of the rows, of one chip it has all.
static compiler_result_t *make_program(int64_t rows, const compiler_options_t *options) {
  pod_arena_t *arena = pod_arena_create();
  const int64_t count = options->device_order_count;
  const int64_t parts = count == 1 ? 1 : 2;
  const mesh_axis_t axes[] = {{"x", parts}, {"y", count == 0 ? 2 : count / parts}};
  const mesh_t *mesh;
  assert_null(mesh_make(arena, "mesh", 2, axes, count == 0 ? NULL : options->device_order,
                        &mesh));
  sharding_t *sharding = sharding_replicated(arena, mesh, 2, false);
  axis_ref_t *ref = pod_arena_alloc(arena, sizeof(*ref));
  *ref = (axis_ref_t){.axis = 0, .pre_size = 1, .size = parts};
  sharding->dims[0].axes = (axis_list_t){.count = 1, .refs = ref};
  const int64_t dims[] = {rows, 4};
  chip_interface_t *interface = pod_arena_alloc(arena, sizeof(*interface));
  *interface = (chip_interface_t){.name = "arg0",
                                  .shape = tensor_shape_make(TENSOR_F32, 2, dims),
                                  .sharding = sharding};
  chip_program_t *program = pod_arena_alloc(arena, sizeof(*program));
  *program = (chip_program_t){.arena = arena,
                              .name = "jit_f",
                              .mesh = mesh,
                              .argument_count = 1,
                              .result_count = 1,
                              .arguments = interface,
                              .results = interface};
  const tensor_shape_t local =
      tensor_shape_make(TENSOR_F32, 2, (const int64_t[]){rows / parts, 4});
  add_code(program, &local);
  compiler_result_t *result = pod_arena_alloc(arena, sizeof(*result));
  static const char *const on_the_chip[] = {""};
  *result = (compiler_result_t){.program = program,
                                .partitioned_text = "partitioned",
                                .result_memory_kinds = on_the_chip};
  return result;
}

// Shared by the compile thread and the test.
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t released;
  bool is_held;
  int count;
} compiler = {.mutex = PTHREAD_MUTEX_INITIALIZER, .released = PTHREAD_COND_INITIALIZER};

static void set_held(bool is_held) {
  pthread_mutex_lock(&compiler.mutex);
  compiler.is_held = is_held;
  pthread_cond_broadcast(&compiler.released);
  pthread_mutex_unlock(&compiler.mutex);
}

void world_hold_compiler(void) {
  set_held(true);
}

void world_release_compiler(void) {
  set_held(false);
}

int world_compile_count(void) {
  pthread_mutex_lock(&compiler.mutex);
  const int count = compiler.count;
  pthread_mutex_unlock(&compiler.mutex);
  return count;
}

static bool has_compiled(void *context) {
  return world_compile_count() >= *(const int *)context;
}

void world_wait_compiles(const world_t *world, int count) {
  client_run(world->loop, has_compiled, &count);
}

static pod_status_t fake_compile(const char *text, int64_t length,
                                 const compiler_options_t *options,
                                 compiler_result_t **out_result) {
  pthread_mutex_lock(&compiler.mutex);
  compiler.count++;
  while (compiler.is_held && strncmp(text, "slow", 4) == 0) {
    pthread_cond_wait(&compiler.released, &compiler.mutex);
  }
  pthread_mutex_unlock(&compiler.mutex);
  if (strncmp(text, "bad", 3) == 0 || strncmp(text, "slowbad", 7) == 0) {
    return pod_error(POD_INVALID_ARGUMENT, "%s:1:2: error: it is bad (%" PRId64 " bytes)",
                     options->file_name, length);
  }
  *out_result = make_program(strncmp(text, "large", 5) == 0 ? 2 * ROWS : ROWS, options);
  return NULL;
}

static void fake_destroy(compiler_result_t *result) {
  pod_arena_destroy(result->program->arena);
}

// --- The world ---

static const coordinator_jobs_options_t *kept_jobs;

void world_keep_jobs(const coordinator_jobs_options_t *jobs) {
  kept_jobs = jobs;
}

void world_start(world_t *world, int64_t timeout_ms) {
  *world = (world_t){0};
  compiler.is_held = false;
  compiler.count = 0;
  assert_null(rpc_loop_create(&world->loop));
  coordinator_options_t options = {
      .listen = "127.0.0.1:0",
      .spec = chip_spec_find("v5e"),
      .heartbeat_ms = 20,
      .timeout_ms = timeout_ms,
      .compiler = {.compile = fake_compile, .destroy = fake_destroy}};
  assert_null(torus_parse("2x2", options.spec, &options.torus, NULL));
  if (kept_jobs != NULL) {
    options.jobs = *kept_jobs;
  }
  assert_null(coordinator_create(world->loop, &options, &world->coordinator));
  world->client = client_create(world->loop, coordinator_address(world->coordinator));
}

fake_worker_t *world_add_worker(world_t *world, int32_t wanted) {
  return fake_worker_start(world->loop, coordinator_address(world->coordinator), wanted);
}

void world_stop(world_t *world) {
  client_destroy(world->client);
  for (int i = 0; i < CHIPS; i++) {
    // The coordinator has shown in every call the token that it was given.
    assert_true(world->workers[i] == NULL || world->workers[i]->refused_call_count == 0);
    fake_worker_kill(world->workers[i]);
  }
  coordinator_destroy(world->coordinator);
  rpc_loop_destroy(world->loop);
}

static bool has_chip(void *context) {
  const fake_worker_t *worker = context;
  return worker->chip >= 0 || worker->attach == NULL;
}

bool world_is_refused(void *context) {
  return ((fake_worker_t *)context)->attach == NULL;
}

// Starts the worker of a chip and waits for its assignment.
void world_join(world_t *world, int32_t chip) {
  world->workers[chip] = world_add_worker(world, chip);
  client_run(world->loop, has_chip, world->workers[chip]);
  assert_int_equal(world->workers[chip]->chip, chip);
}

// Asks until the pod is as ready as wanted.
void world_wait_ready(world_t *world, bool wanted) {
  for (;;) {
    Podium__V1__Pod *pod = client_pod(world->client);
    const bool is_ready = pod->ready;
    podium__v1__pod__free_unpacked(pod, NULL);
    if (is_ready == wanted) {
      return;
    }
  }
}

void world_start_ready(world_t *world, int64_t timeout_ms) {
  world_start(world, timeout_ms);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    world_join(world, chip);
  }
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    fake_worker_report_links(world->workers[chip]);
  }
  client_open(world->client, true);
}

void world_kill_worker(world_t *world, int32_t chip) {
  fake_worker_kill(world->workers[chip]);
  world->workers[chip] = NULL;
}

// A new worker at the place, and all links are reported once more.
void world_rejoin(world_t *world, int32_t chip) {
  world_wait_ready(world, false);
  world_join(world, chip);
  for (int32_t i = 0; i < CHIPS; i++) {
    fake_worker_report_links(world->workers[i]);
  }
  world_wait_ready(world, true);
}

void assert_refused(pod_status_t status, pod_code_t code, const char *part) {
  if (pod_status_code(status) != code ||
      strstr(pod_status_message(status), part) == NULL) {
    fail_msg("not %s with \"%s\": %s: %s", pod_code_name(code), part,
             pod_code_name(pod_status_code(status)), pod_status_message(status));
  }
  pod_status_free(status);
}

uint64_t world_compile_on(world_t *world, size_t count, const int64_t *chips) {
  Podium__V1__CompileRequest request = PODIUM__V1__COMPILE_REQUEST__INIT;
  request.session = world->client->session;
  request.file_name = (char *)(uintptr_t) "test.mlir";
  request.size_bytes = 1;
  request.text.data = (uint8_t *)(uintptr_t) "f";
  request.text.len = 1;
  request.n_device_order = count;
  request.device_order = (int64_t *)(uintptr_t)chips;
  client_call_t *call =
      client_start(world->client, "/podium.v1.Podium/Compile",
                   &podium__v1__compile_response__descriptor, &request.base, 0);
  rpc_call_half_close(call->rpc);
  assert_null(client_wait(call));
  const void *message = call->messages[0];
  const Podium__V1__CompileResponse *response = message;
  const uint64_t executable = response->executable;
  assert_int_equal(response->n_chips, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(response->chips[i], chips[i]);
  }
  client_free(call);
  return executable;
}

uint64_t world_compile(world_t *world, const char *text) {
  Podium__V1__CompileResponse *response;
  assert_null(client_compile(world->client, text, false, &response));
  const uint64_t executable = response->executable;
  assert_int_not_equal(executable, 0);
  podium__v1__compile_response__free_unpacked(response, NULL);
  return executable;
}

void world_fill(uint8_t *data, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes; i++) {
    data[i] = (uint8_t)(i * 7 + i / 251);
  }
}

uint64_t world_put(world_t *world, uint64_t executable) {
  uint8_t data[ARRAY_BYTES];
  world_fill(data, sizeof(data));
  Podium__V1__PutArrayRequest header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  header.executable = executable;
  uint64_t array = 0;
  assert_null(client_put(world->client, &header, data, sizeof(data), &array));
  return array;
}

void world_assert_array(world_t *world, uint64_t array) {
  uint8_t expected[ARRAY_BYTES];
  world_fill(expected, sizeof(expected));
  pod_text_t data = {0};
  assert_null(client_fetch(world->client, array, &data));
  assert_int_equal(data.length, sizeof(expected));
  assert_memory_equal(data.bytes, expected, sizeof(expected));
  pod_text_deinit(&data);
}

typedef struct count_t {
  world_t *world;
  int arrays;  // That each living worker shall have.
} count_t;

static bool have_arrays(void *context) {
  const count_t *count = context;
  for (int i = 0; i < CHIPS; i++) {
    const fake_worker_t *worker = count->world->workers[i];
    if (worker != NULL && worker->array_count != count->arrays) {
      return false;
    }
  }
  return true;
}

void world_wait_arrays(world_t *world, int arrays) {
  client_run(world->loop, have_arrays, &(count_t){world, arrays});
}

void world_set_modes(world_t *world, fake_mode_t mode) {
  for (int i = 0; i < CHIPS; i++) {
    if (world->workers[i] != NULL) {
      world->workers[i]->mode = mode;
    }
  }
}

bool world_all_execute(void *context) {
  const world_t *world = context;
  for (int i = 0; i < CHIPS; i++) {
    if (world->workers[i]->executing_count == 0) {
      return false;
    }
  }
  return true;
}

bool world_none_executes(void *context) {
  const world_t *world = context;
  for (int i = 0; i < CHIPS; i++) {
    if (world->workers[i] != NULL && world->workers[i]->executing_count > 0) {
      return false;
    }
  }
  return true;
}
