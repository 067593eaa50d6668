// The coordinator with fake workers and a client, all on one loop and over real sockets.
// The compiler is a fake too: whatever the text, the program takes f32[ROWS,4] with its
// rows over x of a 2x2 mesh and gives it back.

#include "server/coordinator/coordinator.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/wire/types.h"
#include "tests/unit/server/coordinator/client.h"
#include "tests/unit/server/coordinator/fake_worker.h"

enum { CHIPS = 4, ROWS = 8, ARRAY_BYTES = ROWS * 4 * 4, SHARD_BYTES = ARRAY_BYTES / 2 };

// --- The compiler ---

// A program of `rows` × 4 that gives its argument back, and its arena.
static compiler_result_t *make_program(int64_t rows) {
  pod_arena_t *arena = pod_arena_create();
  const mesh_axis_t axes[] = {{"x", 2}, {"y", 2}};
  const mesh_t *mesh;
  assert_null(mesh_make(arena, "mesh", 2, axes, NULL, &mesh));
  sharding_t *sharding = sharding_replicated(arena, mesh, 2, false);
  axis_ref_t *ref = pod_arena_alloc(arena, sizeof(*ref));
  *ref = (axis_ref_t){.axis = 0, .pre_size = 1, .size = 2};
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
  compiler_result_t *result = pod_arena_alloc(arena, sizeof(*result));
  *result = (compiler_result_t){.program = program, .partitioned_text = "partitioned"};
  return result;
}

static pod_status_t fake_compile(const char *text, int64_t length,
                                 const compiler_options_t *options,
                                 compiler_result_t **out_result) {
  if (strncmp(text, "bad", 3) == 0) {
    return pod_error(POD_INVALID_ARGUMENT, "%s:1:2: error: it is bad (%" PRId64 " bytes)",
                     options->file_name, length);
  }
  *out_result = make_program(strncmp(text, "large", 5) == 0 ? 2 * ROWS : ROWS);
  return NULL;
}

static void fake_destroy(compiler_result_t *result) {
  pod_arena_destroy(result->program->arena);
}

// --- The world ---

typedef struct world_t {
  rpc_loop_t *loop;
  coordinator_t *coordinator;
  fake_worker_t *workers[CHIPS];
  client_t *client;
} world_t;

static void world_start(world_t *world, int64_t timeout_ms) {
  *world = (world_t){0};
  assert_null(rpc_loop_create(&world->loop));
  coordinator_options_t options = {
      .listen = "127.0.0.1:0",
      .spec = chip_spec_find("v5e"),
      .heartbeat_ms = 20,
      .timeout_ms = timeout_ms,
      .compiler = {.compile = fake_compile, .destroy = fake_destroy}};
  assert_null(torus_parse("2x2", options.spec, &options.torus, NULL));
  assert_null(coordinator_create(world->loop, &options, &world->coordinator));
  world->client = client_create(world->loop, coordinator_address(world->coordinator));
}

static fake_worker_t *add_worker(world_t *world, int32_t wanted) {
  return fake_worker_start(world->loop, coordinator_address(world->coordinator), wanted);
}

static void world_stop(world_t *world) {
  client_destroy(world->client);
  for (int i = 0; i < CHIPS; i++) {
    fake_worker_kill(world->workers[i]);
  }
  coordinator_destroy(world->coordinator);
  rpc_loop_destroy(world->loop);
}

static bool has_chip(void *context) {
  const fake_worker_t *worker = context;
  return worker->chip >= 0 || worker->attach == NULL;
}

static bool is_refused(void *context) {
  return ((fake_worker_t *)context)->attach == NULL;
}

// Starts the worker of a chip and waits for its assignment.
static void join(world_t *world, int32_t chip) {
  world->workers[chip] = add_worker(world, chip);
  client_run(world->loop, has_chip, world->workers[chip]);
  assert_int_equal(world->workers[chip]->chip, chip);
}

// Asks until the pod is as ready as wanted.
static void wait_ready(world_t *world, bool wanted) {
  for (;;) {
    Podium__V1__Pod *pod = client_pod(world->client);
    const bool is_ready = pod->ready;
    podium__v1__pod__free_unpacked(pod, NULL);
    if (is_ready == wanted) {
      return;
    }
  }
}

static void world_start_ready(world_t *world, int64_t timeout_ms) {
  world_start(world, timeout_ms);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    join(world, chip);
  }
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    fake_worker_report_links(world->workers[chip]);
  }
  client_open(world->client, true);
}

static void kill_worker(world_t *world, int32_t chip) {
  fake_worker_kill(world->workers[chip]);
  world->workers[chip] = NULL;
}

// A new worker at the place, and all links are reported once more.
static void rejoin(world_t *world, int32_t chip) {
  wait_ready(world, false);
  join(world, chip);
  for (int32_t i = 0; i < CHIPS; i++) {
    fake_worker_report_links(world->workers[i]);
  }
  wait_ready(world, true);
}

static void assert_refused(pod_status_t status, pod_code_t code, const char *part) {
  if (pod_status_code(status) != code ||
      strstr(pod_status_message(status), part) == NULL) {
    fail_msg("not %s with \"%s\": %s: %s", pod_code_name(code), part,
             pod_code_name(pod_status_code(status)), pod_status_message(status));
  }
  pod_status_free(status);
}

static uint64_t compile_text(world_t *world, const char *text) {
  Podium__V1__CompileResponse *response;
  assert_null(client_compile(world->client, text, false, &response));
  const uint64_t executable = response->executable;
  assert_int_not_equal(executable, 0);
  podium__v1__compile_response__free_unpacked(response, NULL);
  return executable;
}

static void fill(uint8_t *data, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes; i++) {
    data[i] = (uint8_t)(i * 7 + i / 251);
  }
}

static uint64_t put_argument(world_t *world, uint64_t executable) {
  uint8_t data[ARRAY_BYTES];
  fill(data, sizeof(data));
  Podium__V1__PutArrayRequest header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  header.executable = executable;
  uint64_t array = 0;
  assert_null(client_put(world->client, &header, data, sizeof(data), &array));
  return array;
}

static void assert_array(world_t *world, uint64_t array) {
  uint8_t expected[ARRAY_BYTES];
  fill(expected, sizeof(expected));
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

static void wait_arrays(world_t *world, int arrays) {
  client_run(world->loop, have_arrays, &(count_t){world, arrays});
}

// --- The pod ---

static void test_the_pod_is_ready_when_all_have_joined_and_all_links_are_up(
    void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    join(&world, chip);
  }
  Podium__V1__Pod *pod = client_pod(world.client);
  assert_false(pod->ready);
  assert_int_equal(pod->n_devices, CHIPS);
  assert_string_equal(pod->devices[3]->name,
                      "TpuDevice(id=3, process_index=0, coords=(1,1,0), core_on_chip=0)");
  assert_string_equal(pod->devices[3]->state, "joining");
  assert_string_equal(pod->devices[3]->address, world.workers[3]->address);
  assert_int_equal(pod->devices[3]->links, 2);
  assert_int_equal(pod->devices[3]->links_up, 0);
  podium__v1__pod__free_unpacked(pod, NULL);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    fake_worker_report_links(world.workers[chip]);
  }
  wait_ready(&world, true);
  int dials = 0;
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    dials += world.workers[chip]->dial_count;
  }
  assert_int_equal(dials, 4);
  world_stop(&world);
}

static void test_a_second_worker_for_one_place_is_refused_naming_both(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  join(&world, 2);
  fake_worker_t *second = add_worker(&world, 2);
  client_run(world.loop, is_refused, second);
  assert_int_equal(second->refused_code, POD_ALREADY_EXISTS);
  assert_non_null(strstr(second->refused, second->address));
  assert_non_null(strstr(second->refused, world.workers[2]->address));
  assert_non_null(strstr(second->refused, "chip 2 (0,1,0)"));
  fake_worker_kill(second);
  assert_non_null(world.workers[2]->attach);
  world_stop(&world);
}

static void test_a_silent_worker_is_lost_although_it_is_connected(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 400);
  world.workers[1]->is_silent = true;
  client_run(world.loop, is_refused, world.workers[1]);
  assert_int_equal(world.workers[1]->refused_code, POD_UNAVAILABLE);
  assert_non_null(strstr(world.workers[1]->refused, "400 ms"));
  for (int i = 0; i < CHIPS; i++) {
    assert_true(i == 1 || world.workers[i]->attach != NULL);
  }
  wait_ready(&world, false);
  world_stop(&world);
}

static bool has_left(void *context) {
  return ((fake_worker_t *)context)->attach == NULL;
}

static void test_a_worker_that_wants_to_leave_goes_in_peace(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  fake_worker_leave(world.workers[3]);
  client_run(world.loop, has_left, world.workers[3]);
  assert_int_equal(world.workers[3]->refused_code, POD_OK);
  wait_ready(&world, false);
  world_stop(&world);
}

static void test_a_session_that_waits_begins_when_the_pod_is_ready(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  client_t *waiting = client_create(world.loop, coordinator_address(world.coordinator));
  Podium__V1__OpenSessionRequest request = PODIUM__V1__OPEN_SESSION_REQUEST__INIT;
  request.wait_for_pod = true;
  client_call_t *call =
      client_start(waiting, "/podium.v1.Podium/OpenSession",
                   &podium__v1__session_event__descriptor, &request.base, 0);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    join(&world, chip);
  }
  client_open(world.client, false);
  assert_int_equal(call->message_count, 0);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    fake_worker_report_links(world.workers[chip]);
  }
  client_wait_messages(call, 1);
  const void *message = call->messages[0];
  assert_true(((const Podium__V1__SessionEvent *)message)->pod->ready);
  client_destroy(waiting);
  client_free(call);
  world_stop(&world);
}

// --- Arrays ---

static void test_a_put_array_is_sharded_and_comes_back_whole(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t array = put_argument(&world, compile_text(&world, "f"));
  uint8_t data[ARRAY_BYTES];
  fill(data, sizeof(data));
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    const fake_array_t *shard = fake_worker_array(world.workers[chip], array);
    assert_non_null(shard);
    assert_int_equal(shard->size_bytes, SHARD_BYTES);
    // Device ids count the mesh row-major: x is the major axis.
    assert_memory_equal(shard->data, data + (chip / 2) * SHARD_BYTES, SHARD_BYTES);
  }
  assert_array(&world, array);
  world_stop(&world);
}

static void test_a_replicated_array_is_put_everywhere(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  uint8_t data[5 * 4];
  fill(data, sizeof(data));
  Podium__V1__Shape shape = PODIUM__V1__SHAPE__INIT;
  int64_t dims[] = {5};
  shape.dtype = PODIUM__V1__DTYPE__DTYPE_F32;
  shape.dims = dims;
  shape.n_dims = 1;
  Podium__V1__PutArrayRequest header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  header.shape = &shape;
  uint64_t array = 0;
  assert_null(client_put(world.client, &header, data, sizeof(data), &array));
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    assert_memory_equal(fake_worker_array(world.workers[chip], array)->data, data,
                        sizeof(data));
  }
  const uint64_t executable = compile_text(&world, "f");
  uint64_t result;
  assert_refused(client_execute(world.client, executable, array, &result),
                 POD_INVALID_ARGUMENT, "is f32[5]");
  assert_null(client_free_array(world.client, array));
  wait_arrays(&world, 0);
  assert_refused(client_free_array(world.client, array), POD_NOT_FOUND, "no array");
  world_stop(&world);
}

static void test_bytes_sent_must_be_the_bytes_announced(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  Podium__V1__PutArrayRequest header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  header.executable = compile_text(&world, "f");
  uint8_t data[ARRAY_BYTES + 1] = {0};
  uint64_t array = 0;
  assert_refused(client_put(world.client, &header, data, ARRAY_BYTES - 1, &array),
                 POD_INVALID_ARGUMENT, "f32[8,4] has 128 bytes, 127 were sent");
  assert_refused(client_put(world.client, &header, data, ARRAY_BYTES + 1, &array),
                 POD_INVALID_ARGUMENT, "128 bytes, at least 129 were sent");
  assert_refused(client_put(world.client, &header, NULL, 0, &array), POD_INVALID_ARGUMENT,
                 "128 bytes, 0 were sent");
  header.argument = 1;
  assert_refused(client_put(world.client, &header, data, ARRAY_BYTES, &array),
                 POD_INVALID_ARGUMENT, "there is no argument 1");
  wait_arrays(&world, 0);
  world_stop(&world);
}

static bool has_put_bytes(void *context) {
  return ((fake_worker_t *)context)->put_bytes > 0;
}

static void test_a_client_that_goes_in_mid_put_leaves_nothing_behind(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = compile_text(&world, "f");
  put_argument(&world, executable);
  Podium__V1__PutArrayRequest header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  int64_t dims[] = {1 << 20};
  Podium__V1__Shape shape = PODIUM__V1__SHAPE__INIT;
  shape.dtype = PODIUM__V1__DTYPE__DTYPE_F32;
  shape.dims = dims;
  shape.n_dims = 1;
  header.shape = &shape;
  header.session = world.client->session;
  header.data.len = 1 << 20;
  header.data.data = pod_alloc(header.data.len);
  client_call_t *call =
      client_start(world.client, "/podium.v1.Podium/PutArray",
                   &podium__v1__put_array_response__descriptor, &header.base, 0);
  free(header.data.data);
  world.workers[0]->put_bytes = 0;
  client_run(world.loop, has_put_bytes, world.workers[0]);
  client_t *gone = world.client;
  client_destroy(gone);
  client_free(call);
  world.client = client_create(world.loop, coordinator_address(world.coordinator));
  wait_arrays(&world, 0);
  client_open(world.client, true);
  assert_array(&world, put_argument(&world, compile_text(&world, "f")));
  world_stop(&world);
}

// What a slow worker has not read yet is nowhere: the client is held.
static void test_a_slow_worker_holds_the_client(void **state) {
  (void)state;
  enum { SIZE = 64 << 20, HELD_MAX = 24 << 20 };
  world_t world;
  world_start_ready(&world, 60000);
  world.workers[2]->reads_no_puts = true;
  Podium__V1__PutArrayRequest header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  int64_t dims[] = {SIZE};
  Podium__V1__Shape shape = PODIUM__V1__SHAPE__INIT;
  shape.dtype = PODIUM__V1__DTYPE__DTYPE_U8;
  shape.dims = dims;
  shape.n_dims = 1;
  header.shape = &shape;
  header.session = world.client->session;
  client_call_t *call =
      client_start(world.client, "/podium.v1.Podium/PutArray",
                   &podium__v1__put_array_response__descriptor, &header.base, 0);
  Podium__V1__PutArrayRequest piece = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  piece.data.len = 1 << 20;
  piece.data.data = pod_alloc(piece.data.len);
  size_t sent = 0;
  for (int idle = 0; sent < SIZE; idle++) {
    if (rpc_call_is_writable(call->rpc)) {
      rpc_call_send(call->rpc, &piece.base);
      sent += piece.data.len;
      idle = 0;
    }
    if (idle == 20) {  // So many rounds of asking have moved nothing.
      if (world.workers[2]->reads_no_puts) {
        assert_true(sent < HELD_MAX);
        assert_true(world.workers[0]->put_bytes < HELD_MAX);
        fake_worker_read_puts(world.workers[2]);
      }
      idle = 0;
    }
    podium__v1__pod__free_unpacked(client_pod(world.client), NULL);
  }
  free(piece.data.data);
  rpc_call_half_close(call->rpc);
  assert_null(client_wait(call));
  client_free(call);
  assert_int_equal(world.workers[2]->put_bytes, SIZE);
  world_stop(&world);
}

static void test_what_does_not_fit_a_chip_is_its_error_with_its_name(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  Podium__V1__PutArrayRequest header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  header.executable = compile_text(&world, "f");
  world.workers[1]->mode = FAKE_EXHAUSTED;
  uint8_t data[ARRAY_BYTES] = {0};
  uint64_t array;
  assert_refused(client_put(world.client, &header, data, sizeof(data), &array),
                 POD_RESOURCE_EXHAUSTED, "chip 1 (1,0,0) at ");
  wait_arrays(&world, 0);
  world_stop(&world);
}

// --- Programs ---

static void test_a_bad_module_gets_the_compiler_s_diagnostic_unchanged(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  client_open(world.client, false);
  Podium__V1__CompileResponse *response;
  const pod_status_t status = client_compile(world.client, "bad", false, &response);
  assert_string_equal(pod_status_message(status),
                      "test.mlir:1:2: error: it is bad (3 bytes)");
  assert_refused(status, POD_INVALID_ARGUMENT, "bad");
  world_stop(&world);
}

static void test_a_program_runs_on_all_chips_and_leaves_a_profile(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = compile_text(&world, "f");
  const uint64_t array = put_argument(&world, executable);
  client_call_t *call = client_start_execute(world.client, executable, array, 0);
  assert_null(client_wait(call));
  const void *message = call->messages[0];
  const Podium__V1__ExecuteResponse *response = message;
  assert_int_equal(response->host_ns, 1003);
  assert_int_equal(response->end_ps, 2000);
  assert_array(&world, response->results[0]);
  Podium__V1__GetProfileRequest request = PODIUM__V1__GET_PROFILE_REQUEST__INIT;
  request.session = world.client->session;
  request.execution = response->execution;
  client_call_t *profile =
      client_start(world.client, "/podium.v1.Podium/GetProfile",
                   &podium__v1__chip_profile__descriptor, &request.base, 0);
  rpc_call_half_close(profile->rpc);
  assert_null(client_wait(profile));
  assert_int_equal(profile->message_count, CHIPS);
  for (int i = 0; i < CHIPS; i++) {
    const void *chip = profile->messages[i];
    assert_int_equal(((const Podium__V1__ChipProfile *)chip)->chip, i);
    assert_int_equal(world.workers[i]->load_count, 1);
    assert_true(world.workers[i]->program_bytes > 0);
  }
  client_free(profile);
  client_free(call);
  world_stop(&world);
}

static void test_compiling_needs_no_pod_and_running_loads_where_it_is_missing(
    void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  client_open(world.client, false);
  Podium__V1__CompileResponse *response;
  assert_null(client_compile(world.client, "f", true, &response));
  assert_int_equal(response->executable, 0);
  assert_string_equal(response->partitioned_text, "partitioned");
  assert_string_equal(response->arguments[0]->name, "arg0");
  assert_int_equal(response->arguments[0]->local_shape->dims[0], ROWS / 2);
  podium__v1__compile_response__free_unpacked(response, NULL);
  const uint64_t executable = compile_text(&world, "f");
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    join(&world, chip);
    assert_int_equal(world.workers[chip]->load_count, 0);
  }
  const uint64_t array = put_argument(&world, executable);
  uint64_t result;
  assert_refused(client_execute(world.client, executable, array, &result),
                 POD_UNAVAILABLE, "the pod is not ready: chip 0 (0,0,0) at ");
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    fake_worker_report_links(world.workers[chip]);
  }
  wait_ready(&world, true);
  assert_null(client_execute(world.client, executable, array, &result));
  assert_array(&world, result);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    assert_int_equal(world.workers[chip]->load_count, 1);
  }
  world_stop(&world);
}

static void test_arguments_of_another_shape_are_refused_with_both(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t small = compile_text(&world, "f"), large = compile_text(&world, "large");
  const uint64_t array = put_argument(&world, small);
  uint64_t result;
  const pod_status_t status = client_execute(world.client, large, array, &result);
  assert_non_null(strstr(pod_status_message(status), "f32[16,4]"));
  assert_refused(status, POD_INVALID_ARGUMENT, "f32[8,4]");
  assert_refused(client_execute(world.client, array, array, &result), POD_NOT_FOUND,
                 "no executable");
  assert_refused(client_execute(world.client, small, small, &result), POD_NOT_FOUND,
                 "no array");
  world_stop(&world);
}

static void set_modes(world_t *world, fake_mode_t mode) {
  for (int i = 0; i < CHIPS; i++) {
    if (world->workers[i] != NULL) {
      world->workers[i]->mode = mode;
    }
  }
}

static bool all_execute(void *context) {
  const world_t *world = context;
  for (int i = 0; i < CHIPS; i++) {
    if (world->workers[i]->executing_count == 0) {
      return false;
    }
  }
  return true;
}

static bool none_executes(void *context) {
  const world_t *world = context;
  for (int i = 0; i < CHIPS; i++) {
    if (world->workers[i] != NULL && world->workers[i]->executing_count > 0) {
      return false;
    }
  }
  return true;
}

static void test_a_killed_worker_fails_what_ran_by_its_name_and_the_rest_goes_on(
    void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = compile_text(&world, "f");
  const uint64_t array = put_argument(&world, executable);
  set_modes(&world, FAKE_HANG);
  client_call_t *call = client_start_execute(world.client, executable, array, 0);
  client_run(world.loop, all_execute, &world);
  char address[64];
  snprintf(address, sizeof(address), "lost chip 2 (0,1,0) at %s",
           world.workers[2]->address);
  kill_worker(&world, 2);
  client_wait(call);
  assert_refused(call->status, POD_UNAVAILABLE, address);
  call->status = NULL;
  client_free(call);
  client_run(world.loop, none_executes, &world);
  assert_int_equal(world.workers[0]->cancelled_count, 1);
  set_modes(&world, FAKE_WELL);
  uint64_t result;
  assert_refused(client_execute(world.client, executable, array, &result), POD_DATA_LOSS,
                 "chip 2 (0,1,0)");
  rejoin(&world, 2);
  assert_int_equal(world.workers[2]->epoch, 2);
  assert_refused(client_execute(world.client, executable, array, &result), POD_DATA_LOSS,
                 "put it again");
  assert_array(&world, array);  // Chip 3 has the rows of chip 2 too.
  const uint64_t again = put_argument(&world, executable);
  assert_null(client_execute(world.client, executable, again, &result));
  assert_array(&world, result);
  assert_int_equal(world.workers[2]->load_count, 1);
  assert_int_equal(world.workers[0]->load_count, 1);
  world_stop(&world);
}

static void test_a_dead_worker_is_named_rather_than_who_missed_it(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 300);
  const uint64_t executable = compile_text(&world, "f");
  const uint64_t array = put_argument(&world, executable);
  set_modes(&world, FAKE_HANG);
  world.workers[0]->mode = FAKE_TOUCH;
  world.workers[1]->is_silent = true;
  client_call_t *call = client_start_execute(world.client, executable, array, 0);
  client_run(world.loop, none_executes, &world);
  kill_worker(&world, 1);
  client_wait(call);
  assert_refused(call->status, POD_UNAVAILABLE, "lost chip 1 (1,0,0)");
  call->status = NULL;
  client_free(call);
  world_stop(&world);
}

static void test_a_broken_link_between_living_workers_is_told_as_it_is(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = compile_text(&world, "f");
  const uint64_t array = put_argument(&world, executable);
  set_modes(&world, FAKE_HANG);
  world.workers[3]->mode = FAKE_TOUCH;
  uint64_t result;
  const pod_status_t status = client_execute(world.client, executable, array, &result);
  assert_non_null(strstr(pod_status_message(status), "chip 3 (1,1,0) at "));
  assert_refused(status, POD_UNAVAILABLE, "a link is broken");
  set_modes(&world, FAKE_WELL);
  assert_null(client_execute(world.client, executable, array, &result));
  world_stop(&world);
}

static void test_a_deadline_and_a_cancel_stop_the_chips(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = compile_text(&world, "f");
  const uint64_t array = put_argument(&world, executable);
  set_modes(&world, FAKE_HANG);
  client_call_t *call = client_start_execute(world.client, executable, array, 100);
  assert_int_equal(pod_status_code(client_wait(call)), POD_DEADLINE_EXCEEDED);
  client_free(call);
  client_run(world.loop, none_executes, &world);
  call = client_start_execute(world.client, executable, array, 0);
  client_run(world.loop, all_execute, &world);
  rpc_call_cancel(call->rpc);
  assert_int_equal(pod_status_code(client_wait(call)), POD_CANCELLED);
  client_free(call);
  client_run(world.loop, none_executes, &world);
  set_modes(&world, FAKE_WELL);
  uint64_t result;
  assert_null(client_execute(world.client, executable, array, &result));
  world_stop(&world);
}

static void test_all_chips_see_the_executions_in_one_order(void **state) {
  (void)state;
  enum { CALLS = 12 };
  world_t world;
  world_start_ready(&world, 60000);
  client_t *second = client_create(world.loop, coordinator_address(world.coordinator));
  client_t *first = world.client;
  uint64_t executables[2], arrays[2];
  client_t *clients[2] = {first, second};
  client_open(second, true);
  for (int i = 0; i < 2; i++) {
    world.client = clients[i];
    executables[i] = compile_text(&world, "f");
    arrays[i] = put_argument(&world, executables[i]);
  }
  world.client = first;
  client_call_t *calls[CALLS];
  for (int i = 0; i < CALLS; i++) {
    calls[i] = client_start_execute(clients[i % 2], executables[i % 2], arrays[i % 2], 0);
  }
  for (int i = 0; i < CALLS; i++) {
    assert_null(client_wait(calls[i]));
    client_free(calls[i]);
  }
  for (int chip = 1; chip < CHIPS; chip++) {
    assert_int_equal(world.workers[chip]->execute_count, CALLS);
    assert_memory_equal(world.workers[chip]->executed, world.workers[0]->executed,
                        CALLS * sizeof(uint64_t));
  }
  client_destroy(second);
  wait_arrays(&world, 1 + CALLS / 2);
  world_stop(&world);
}

static void note_done(void *context) {
  *(bool *)context = true;
}

static bool is_set(void *context) {
  return *(bool *)context;
}

static void test_draining_lets_what_runs_finish(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = compile_text(&world, "f");
  const uint64_t array = put_argument(&world, executable);
  bool is_done = false;
  client_call_t *call = client_start_execute(world.client, executable, array, 0);
  set_modes(&world, FAKE_WELL);
  while (world.workers[0]->execute_count == 0) {
    podium__v1__pod__free_unpacked(client_pod(world.client), NULL);
  }
  coordinator_drain(world.coordinator, 30000, note_done, &is_done);
  assert_null(client_wait(call));
  client_free(call);
  client_run(world.loop, is_set, &is_done);
  assert_true(client_wait(world.client->session_call) != NULL);
  client_run(world.loop, is_refused, world.workers[0]);
  world_stop(&world);
}

static void test_draining_stops_what_runs_after_the_grace(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = compile_text(&world, "f");
  const uint64_t array = put_argument(&world, executable);
  set_modes(&world, FAKE_HANG);
  client_call_t *call = client_start_execute(world.client, executable, array, 0);
  client_run(world.loop, all_execute, &world);
  bool is_done = false;
  coordinator_drain(world.coordinator, 50, note_done, &is_done);
  client_run(world.loop, is_set, &is_done);
  assert_int_equal(pod_status_code(client_wait(call)), POD_UNAVAILABLE);
  client_free(call);
  world_stop(&world);
}

static void test_destroying_ends_whatever_is_under_way(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = compile_text(&world, "f");
  const uint64_t array = put_argument(&world, executable);
  set_modes(&world, FAKE_HANG);
  client_call_t *running = client_start_execute(world.client, executable, array, 0);
  client_call_t *waiting = client_start_execute(world.client, executable, array, 0);
  client_run(world.loop, all_execute, &world);
  coordinator_destroy(world.coordinator);
  world.coordinator = NULL;
  client_wait(running);
  client_wait(waiting);
  client_free(running);
  client_free(waiting);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_pod_is_ready_when_all_have_joined_and_all_links_are_up),
      cmocka_unit_test(test_a_second_worker_for_one_place_is_refused_naming_both),
      cmocka_unit_test(test_a_silent_worker_is_lost_although_it_is_connected),
      cmocka_unit_test(test_a_worker_that_wants_to_leave_goes_in_peace),
      cmocka_unit_test(test_a_session_that_waits_begins_when_the_pod_is_ready),
      cmocka_unit_test(test_a_put_array_is_sharded_and_comes_back_whole),
      cmocka_unit_test(test_a_replicated_array_is_put_everywhere),
      cmocka_unit_test(test_bytes_sent_must_be_the_bytes_announced),
      cmocka_unit_test(test_a_client_that_goes_in_mid_put_leaves_nothing_behind),
      cmocka_unit_test(test_a_slow_worker_holds_the_client),
      cmocka_unit_test(test_what_does_not_fit_a_chip_is_its_error_with_its_name),
      cmocka_unit_test(test_a_bad_module_gets_the_compiler_s_diagnostic_unchanged),
      cmocka_unit_test(test_a_program_runs_on_all_chips_and_leaves_a_profile),
      cmocka_unit_test(test_compiling_needs_no_pod_and_running_loads_where_it_is_missing),
      cmocka_unit_test(test_arguments_of_another_shape_are_refused_with_both),
      cmocka_unit_test(
          test_a_killed_worker_fails_what_ran_by_its_name_and_the_rest_goes_on),
      cmocka_unit_test(test_a_dead_worker_is_named_rather_than_who_missed_it),
      cmocka_unit_test(test_a_broken_link_between_living_workers_is_told_as_it_is),
      cmocka_unit_test(test_a_deadline_and_a_cancel_stop_the_chips),
      cmocka_unit_test(test_all_chips_see_the_executions_in_one_order),
      cmocka_unit_test(test_draining_lets_what_runs_finish),
      cmocka_unit_test(test_draining_stops_what_runs_after_the_grace),
      cmocka_unit_test(test_destroying_ends_whatever_is_under_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
