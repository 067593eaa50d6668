// Arrays go to the chips and come back.

#include <stdlib.h>

#include "common/base/memory.h"
#include "tests/unit/server/coordinator/world.h"

static void test_a_put_array_is_sharded_and_comes_back_whole(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t array = world_put(&world, world_compile(&world, "f"));
  uint8_t data[ARRAY_BYTES];
  world_fill(data, sizeof(data));
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    const fake_array_t *shard = fake_worker_array(world.workers[chip], array);
    assert_non_null(shard);
    assert_int_equal(shard->size_bytes, SHARD_BYTES);
    // Device ids count the mesh row-major: x is the major axis.
    assert_memory_equal(shard->data, data + (chip / 2) * SHARD_BYTES, SHARD_BYTES);
  }
  world_assert_array(&world, array);
  world_stop(&world);
}

static void test_a_replicated_array_is_put_everywhere(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  uint8_t data[5 * 4];
  world_fill(data, sizeof(data));
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
  const uint64_t executable = world_compile(&world, "f");
  uint64_t result;
  assert_refused(client_execute(world.client, executable, array, &result),
                 POD_INVALID_ARGUMENT, "is f32[5]");
  assert_null(client_free_array(world.client, array));
  world_wait_arrays(&world, 0);
  assert_refused(client_free_array(world.client, array), POD_NOT_FOUND, "no array");
  world_stop(&world);
}

static void test_bytes_sent_must_be_the_bytes_announced(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  Podium__V1__PutArrayRequest header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  header.executable = world_compile(&world, "f");
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
  world_wait_arrays(&world, 0);
  world_stop(&world);
}

static bool has_put_bytes(void *context) {
  return ((fake_worker_t *)context)->put_bytes > 0;
}

static void test_a_client_that_goes_in_mid_put_leaves_nothing_behind(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  world_put(&world, executable);
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
  world_wait_arrays(&world, 0);
  client_open(world.client, true);
  world_assert_array(&world, world_put(&world, world_compile(&world, "f")));
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
  header.executable = world_compile(&world, "f");
  world.workers[1]->mode = FAKE_EXHAUSTED;
  uint8_t data[ARRAY_BYTES] = {0};
  uint64_t array;
  assert_refused(client_put(world.client, &header, data, sizeof(data), &array),
                 POD_RESOURCE_EXHAUSTED, "chip 1 (1,0,0) at ");
  world_wait_arrays(&world, 0);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_put_array_is_sharded_and_comes_back_whole),
      cmocka_unit_test(test_a_replicated_array_is_put_everywhere),
      cmocka_unit_test(test_bytes_sent_must_be_the_bytes_announced),
      cmocka_unit_test(test_a_client_that_goes_in_mid_put_leaves_nothing_behind),
      cmocka_unit_test(test_a_slow_worker_holds_the_client),
      cmocka_unit_test(test_what_does_not_fit_a_chip_is_its_error_with_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
