// What clients and workers are told of transfers by shared memory.

#include <string.h>

#include "common/base/memory.h"
#include "tests/unit/server/coordinator/world.h"

enum { TOKEN_BYTES = 16, ROWS_OF_ALL = 8, BYTES = ROWS_OF_ALL * 4 };

// f32[8] on the chips named.
typedef struct header_t {
  int64_t dims[1];
  Podium__V1__Shape shape;
  Podium__V1__PutArrayRequest message;
} header_t;

static void header_init(header_t *header, const client_t *client, size_t chip_count,
                        int64_t *chips) {
  header->dims[0] = ROWS_OF_ALL;
  podium__v1__shape__init(&header->shape);
  header->shape.dtype = PODIUM__V1__DTYPE__DTYPE_F32;
  header->shape.n_dims = 1;
  header->shape.dims = header->dims;
  podium__v1__put_array_request__init(&header->message);
  header->message.session = client->session;
  header->message.shape = &header->shape;
  header->message.n_chips = chip_count;
  header->message.chips = chips;
}

static client_call_t *start_put(client_t *client, header_t *header) {
  client_call_t *call = client_start(client, "/podium.v1.Podium/PutArrayShared",
                                     &podium__v1__put_array_response__descriptor,
                                     &header->message.base, CLIENT_WAIT_MS);
  client_wait_messages(call, 1);
  assert_int_equal(call->message_count, 1);
  return call;
}

static const Podium__V1__PutArrayResponse *answer(const client_call_t *call, int index) {
  return (const Podium__V1__PutArrayResponse *)(const void *)call->messages[index];
}

static void send_shared(client_call_t *call, bool shared, uint8_t *data, size_t size) {
  Podium__V1__PutArrayRequest message = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  message.shared = shared;
  message.data.data = data;
  message.data.len = size;
  rpc_call_send(call->rpc, &message.base);
}

// A world whose second client is of the workers' host.
static client_t *start(world_t *world, const char *host) {
  world_start_ready(world, 60000);
  client_t *client = client_create(world->loop, coordinator_address(world->coordinator));
  client_open_from(client, host, true);
  return client;
}

static void stop(world_t *world, client_t *client) {
  client_close(client);
  client_destroy(client);
  world_stop(world);
}

static void test_both_sides_are_told_the_same_token_for_each_part(void **state) {
  (void)state;
  world_t world;
  client_t *client = start(&world, "here");
  int64_t chips[] = {3, 1};
  header_t header;
  header_init(&header, client, 2, chips);
  client_call_t *call = start_put(client, &header);
  const Podium__V1__Sharing *sharing = answer(call, 0)->sharing;
  assert_int_equal(sharing->n_parts, 2);
  assert_int_equal(sharing->local_shape->dims[0], ROWS_OF_ALL);
  send_shared(call, true, NULL, 0);
  rpc_call_half_close(call->rpc);
  assert_null(client_wait(call));
  const uint64_t array = answer(call, 1)->array;
  for (int i = 0; i < 2; i++) {
    const Podium__V1__SharedPart *part = sharing->parts[i];
    assert_string_equal(part->socket, "/here/transfer");
    const fake_array_t *shard = fake_worker_array(world.workers[chips[i]], array);
    assert_int_equal(shard->size_bytes, TOKEN_BYTES);
    assert_int_equal(part->token.len, TOKEN_BYTES);
    assert_memory_equal(shard->data, part->token.data, TOKEN_BYTES);
  }
  assert_memory_not_equal(sharing->parts[0]->token.data, sharing->parts[1]->token.data,
                          TOKEN_BYTES);
  client_free(call);
  stop(&world, client);
}

static void test_a_client_of_another_host_is_offered_nothing(void **state) {
  (void)state;
  static const char *const hosts[] = {"", "there"};
  for (int i = 0; i < 2; i++) {
    world_t world;
    client_t *client = start(&world, hosts[i]);
    header_t header;
    header_init(&header, client, 0, NULL);
    client_call_t *call = start_put(client, &header);
    assert_int_equal(answer(call, 0)->sharing->n_parts, 0);
    uint8_t data[BYTES];
    world_fill(data, sizeof(data));
    send_shared(call, false, data, sizeof(data));
    rpc_call_half_close(call->rpc);
    assert_null(client_wait(call));
    const uint64_t array = answer(call, 1)->array;
    for (int32_t chip = 0; chip < CHIPS; chip++) {
      assert_memory_equal(fake_worker_array(world.workers[chip], array)->data, data,
                          sizeof(data));
    }
    client_free(call);
    call = start_put(client, &header);
    send_shared(call, true, NULL, 0);
    assert_refused(client_wait(call), POD_FAILED_PRECONDITION, "was not offered");
    call->status = NULL;
    client_free(call);
    stop(&world, client);
  }
}

static void test_who_was_offered_may_send_data_but_not_both_or_nothing(void **state) {
  (void)state;
  world_t world;
  client_t *client = start(&world, "here");
  header_t header;
  header_init(&header, client, 0, NULL);
  uint8_t data[BYTES];
  world_fill(data, sizeof(data));
  client_call_t *call = start_put(client, &header);
  assert_int_equal(answer(call, 0)->sharing->n_parts, CHIPS);
  send_shared(call, false, data, sizeof(data));
  rpc_call_half_close(call->rpc);
  assert_null(client_wait(call));
  assert_memory_equal(fake_worker_array(world.workers[2], answer(call, 1)->array)->data,
                      data, sizeof(data));
  client_free(call);
  call = start_put(client, &header);
  send_shared(call, true, data, sizeof(data));
  assert_refused(client_wait(call), POD_INVALID_ARGUMENT, "by shared memory");
  call->status = NULL;
  client_free(call);
  call = start_put(client, &header);
  rpc_call_half_close(call->rpc);
  assert_refused(client_wait(call), POD_INVALID_ARGUMENT, "0 were sent");
  call->status = NULL;
  client_free(call);
  stop(&world, client);
}

static void test_a_fetch_is_offered_one_chip_for_each_shard(void **state) {
  (void)state;
  world_t world;
  client_t *client = start(&world, "here");
  header_t header;
  header_init(&header, client, 0, NULL);
  uint8_t data[BYTES];
  world_fill(data, sizeof(data));
  uint64_t array = 0;
  assert_null(client_put(client, &header.message, data, sizeof(data), &array));
  Podium__V1__FetchArrayRequest request = PODIUM__V1__FETCH_ARRAY_REQUEST__INIT;
  request.session = client->session;
  request.array = array;
  request.share = true;
  client_call_t *call = client_start(client, "/podium.v1.Podium/FetchArray",
                                     &podium__v1__fetch_array_response__descriptor,
                                     &request.base, CLIENT_WAIT_MS);
  rpc_call_half_close(call->rpc);
  assert_null(client_wait(call));
  assert_int_equal(call->message_count, 1);  // And no data.
  const Podium__V1__FetchArrayResponse *first =
      (const Podium__V1__FetchArrayResponse *)(const void *)call->messages[0];
  assert_int_equal(first->sharing->n_parts, 1);  // The whole is on each of the chips.
  assert_int_equal(first->sharing->parts[0]->token.len, TOKEN_BYTES);
  client_free(call);
  stop(&world, client);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_both_sides_are_told_the_same_token_for_each_part),
      cmocka_unit_test(test_a_client_of_another_host_is_offered_nothing),
      cmocka_unit_test(test_who_was_offered_may_send_data_but_not_both_or_nothing),
      cmocka_unit_test(test_a_fetch_is_offered_one_chip_for_each_shard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
