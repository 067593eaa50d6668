// Arrays go to the chips and come back.

#include <stdlib.h>
#include <string.h>

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

// f32[4,2], rows over an axis of two devices.
typedef struct rows_t {
  int64_t dims[2];
  Podium__V1__Shape shape;
  Podium__V1__MeshAxis axis, *axes[1];
  Podium__V1__Mesh mesh;
  Podium__V1__AxisRef ref, *refs[1];
  Podium__V1__DimSharding rows, columns, *dimensions[2];
  Podium__V1__Sharding sharding;
  Podium__V1__PutArrayRequest header;
} rows_t;

static void rows_init(rows_t *it, size_t chip_count, int64_t *chips) {
  it->dims[0] = 4;
  it->dims[1] = 2;
  podium__v1__shape__init(&it->shape);
  it->shape.dtype = PODIUM__V1__DTYPE__DTYPE_F32;
  it->shape.n_dims = 2;
  it->shape.dims = it->dims;
  podium__v1__mesh_axis__init(&it->axis);
  it->axis.name = "x";
  it->axis.size = 2;
  it->axes[0] = &it->axis;
  podium__v1__mesh__init(&it->mesh);
  it->mesh.n_axes = 1;
  it->mesh.axes = it->axes;
  podium__v1__axis_ref__init(&it->ref);
  it->ref.axis = "x";
  it->refs[0] = &it->ref;
  podium__v1__dim_sharding__init(&it->rows);
  podium__v1__dim_sharding__init(&it->columns);
  it->rows.n_axes = 1;
  it->rows.axes = it->refs;
  it->dimensions[0] = &it->rows;
  it->dimensions[1] = &it->columns;
  podium__v1__sharding__init(&it->sharding);
  it->sharding.mesh = &it->mesh;
  it->sharding.n_dims = 2;
  it->sharding.dims = it->dimensions;
  podium__v1__put_array_request__init(&it->header);
  it->header.shape = &it->shape;
  it->header.sharding = &it->sharding;
  it->header.n_chips = chip_count;
  it->header.chips = chips;
}

static void test_an_array_is_put_on_the_chips_named_and_nowhere_else(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  uint8_t data[4 * 2 * 4];
  world_fill(data, sizeof(data));
  int64_t chips[] = {3, 1};
  rows_t rows;
  rows_init(&rows, 2, chips);
  uint64_t cut = 0, whole = 0;
  assert_null(client_put(world.client, &rows.header, data, sizeof(data), &cut));
  rows.header.sharding = NULL;
  assert_null(client_put(world.client, &rows.header, data, sizeof(data), &whole));
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    const fake_array_t *shard = fake_worker_array(world.workers[chip], cut);
    const fake_array_t *copy = fake_worker_array(world.workers[chip], whole);
    assert_int_equal(shard != NULL, chip == 1 || chip == 3);
    assert_int_equal(copy != NULL, chip == 1 || chip == 3);
    if (shard != NULL) {  // The first rows are on the first chip named.
      assert_memory_equal(shard->data, data + (chip == 3 ? 0 : 16), 16);
      assert_memory_equal(copy->data, data, sizeof(data));
    }
  }
  const uint64_t arrays[] = {cut, whole};
  for (int i = 0; i < 2; i++) {
    pod_text_t back = {0};
    assert_null(client_fetch(world.client, arrays[i], &back));
    assert_int_equal(back.length, sizeof(data));
    assert_memory_equal(back.bytes, data, sizeof(data));
    pod_text_deinit(&back);
    assert_null(client_free_array(world.client, arrays[i]));
  }
  world_wait_arrays(&world, 0);
  world_stop(&world);
}

static void test_chips_that_cannot_hold_an_array_are_refused(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  uint8_t data[4 * 2 * 4] = {0};
  const struct {
    size_t count;
    int64_t chips[CHIPS + 1];
    const char *why;
  } cases[] = {
      {2, {1, 1}, "is to be on chip 1 twice: name each chip once"},
      {2, {0, 4}, "is to be on chip 4, the pod has the chips 0 to 3"},
      {2, {-1, 0}, "is to be on chip -1, the pod has the chips 0 to 3"},
      {2, {INT64_MAX, 0}, "is to be on chip 9223372036854775807, the pod has"},
      {1, {2}, "on 1 chips, its sharding's mesh has 2 devices: name a chip for each"},
      {4, {0, 1, 2, 3}, "on 4 chips, its sharding's mesh has 2 devices"},
      {5, {0, 1, 2, 3, 4}, "on 5 chips, the pod has 4"},
  };
  uint64_t array;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    int64_t chips[CHIPS + 1];
    memcpy(chips, cases[i].chips, sizeof(chips));
    rows_t rows;
    rows_init(&rows, cases[i].count, chips);
    assert_refused(client_put(world.client, &rows.header, data, sizeof(data), &array),
                   POD_INVALID_ARGUMENT, cases[i].why);
  }
  int64_t ids[] = {3, 4};
  rows_t rows;
  rows_init(&rows, 0, NULL);
  rows.mesh.n_device_ids = 2;
  rows.mesh.device_ids = ids;
  assert_refused(client_put(world.client, &rows.header, data, sizeof(data), &array),
                 POD_INVALID_ARGUMENT, "lists device 4, its devices are 0 to 3");
  ids[1] = 2;
  rows.header.n_chips = 2;
  rows.header.chips = ids;
  assert_refused(client_put(world.client, &rows.header, data, sizeof(data), &array),
                 POD_INVALID_ARGUMENT, "given twice");
  rows.header.sharding = NULL;
  rows.header.executable = world_compile(&world, "f");
  assert_refused(client_put(world.client, &rows.header, data, sizeof(data), &array),
                 POD_INVALID_ARGUMENT, "lies on the executable's chips");
  world_wait_arrays(&world, 0);
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
      cmocka_unit_test(test_an_array_is_put_on_the_chips_named_and_nowhere_else),
      cmocka_unit_test(test_chips_that_cannot_hold_an_array_are_refused),
      cmocka_unit_test(test_bytes_sent_must_be_the_bytes_announced),
      cmocka_unit_test(test_a_client_that_goes_in_mid_put_leaves_nothing_behind),
      cmocka_unit_test(test_a_slow_worker_holds_the_client),
      cmocka_unit_test(test_what_does_not_fit_a_chip_is_its_error_with_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
