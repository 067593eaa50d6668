// Messages decoded in reused memory, their large fields in place, are what protobuf-c
// makes of them.

#include "common/rpc/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"
#include "common/base/random.h"
#include "proto/podium/v1/podium.pb-c.h"

static const ProtobufCMessageDescriptor *const put =
    &podium__v1__put_array_request__descriptor;

typedef struct {
  rpc_pool_t *pool;
  rpc_decoder_t *decoder;
} world_t;

static void world_start(world_t *world) {
  world->pool = rpc_pool_create();
  world->decoder = rpc_decoder_create(world->pool);
}

static void world_stop(world_t *world) {
  rpc_decoder_destroy(world->decoder);
  rpc_pool_destroy(world->pool);
}

// Both decoders agree on whether it is a message and, packed again, on which.
static void expect_like_protobuf_c(world_t *world, const uint8_t *data, size_t size) {
  ProtobufCMessage *expected = protobuf_c_message_unpack(put, NULL, size, data);
  const ProtobufCMessage *decoded = rpc_decode(world->decoder, put, data, size);
  assert_int_equal(decoded != NULL, expected != NULL);
  if (expected != NULL) {
    const size_t packed_size = protobuf_c_message_get_packed_size(expected);
    assert_int_equal(protobuf_c_message_get_packed_size(decoded), packed_size);
    uint8_t *a = pod_alloc(packed_size);
    uint8_t *b = pod_alloc(packed_size);
    protobuf_c_message_pack(expected, a);
    protobuf_c_message_pack(decoded, b);
    assert_memory_equal(a, b, packed_size);
    free(a);
    free(b);
    protobuf_c_message_free_unpacked(expected, NULL);
  }
  rpc_decoder_release(world->decoder);
}

// A packed request with `size` bytes of data; returns owned.
static uint8_t *pack(size_t size, size_t *out_size) {
  Podium__V1__PutArrayRequest request = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  request.executable = 1234567;
  request.argument = -3;
  request.data.len = size;
  request.data.data = pod_alloc(size);
  for (size_t i = 0; i < size; i++) {
    request.data.data[i] = (uint8_t)(i * 31);
  }
  uint8_t *bytes = pod_alloc(protobuf_c_message_get_packed_size(&request.base) + 64);
  *out_size = protobuf_c_message_pack(&request.base, bytes);
  free(request.data.data);
  return bytes;
}

static void test_messages_of_all_sizes_decode_as_protobuf_c_does(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  for (size_t size = 0; size < 3000000; size = size * 3 + 1) {
    size_t packed_size = 0;
    uint8_t *packed = pack(size, &packed_size);
    expect_like_protobuf_c(&world, packed, packed_size);
    free(packed);
  }
  world_stop(&world);
}

static void test_a_large_field_is_not_copied(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  size_t size = 0;
  uint8_t *packed = pack(100000, &size);
  const Podium__V1__PutArrayRequest *request =
      (const Podium__V1__PutArrayRequest *)(const void *)rpc_decode(world.decoder, put,
                                                                    packed, size);
  assert_non_null(request);
  assert_int_equal(request->data.len, 100000);
  assert_ptr_equal(request->data.data, packed + size - 100000);
  rpc_decoder_release(world.decoder);
  free(packed);
  world_stop(&world);
}

static void test_a_field_sent_twice_and_fields_on_either_side_decode_alike(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  size_t size = 0;
  uint8_t *packed = pack(20000, &size);
  uint8_t *twice = pod_alloc(2 * size + 8);
  memcpy(twice, packed, size);
  twice[size] = 8 << 3;  // array = 5, behind the data.
  twice[size + 1] = 5;
  expect_like_protobuf_c(&world, twice, size + 2);
  memcpy(twice + size, packed, size);
  expect_like_protobuf_c(&world, twice, 2 * size);
  const uint8_t small[] = {6 << 3 | 2, 1, 'x'};  // The data again, and small.
  memcpy(twice + size, small, sizeof(small));
  expect_like_protobuf_c(&world, twice, size + sizeof(small));
  memmove(twice + sizeof(small), packed, size);
  memcpy(twice, small, sizeof(small));
  expect_like_protobuf_c(&world, twice, size + sizeof(small));
  free(twice);
  free(packed);
  world_stop(&world);
}

static void test_damaged_messages_are_judged_alike(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  size_t size = 0;
  uint8_t *packed = pack(20000, &size);
  uint8_t *damaged = pod_alloc(size);
  pod_random_t random = {.state = 9};
  for (int i = 0; i < 5000; i++) {
    memcpy(damaged, packed, size);
    for (int j = 0; j < 3; j++) {
      // Mostly among the tags and lengths.
      damaged[pod_random_below(&random, i % 2 == 0 ? 16 : size)] =
          (uint8_t)pod_random_next(&random);
    }
    expect_like_protobuf_c(&world, damaged, size - pod_random_below(&random, 3));
  }
  free(damaged);
  free(packed);
  world_stop(&world);
}

static void test_a_message_that_unpacks_to_far_more_is_refused(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  // Empty devices: two bytes on the wire, more than a hundred unpacked.
  const size_t size = 2 << 20;
  uint8_t *bytes = pod_alloc(size);
  for (size_t i = 0; i < size; i += 2) {
    bytes[i] = 6 << 3 | 2;
  }
  assert_null(rpc_decode(world.decoder, &podium__v1__pod__descriptor, bytes, size));
  rpc_decoder_release(world.decoder);
  assert_non_null(rpc_decode(world.decoder, &podium__v1__pod__descriptor, bytes, 2000));
  rpc_decoder_release(world.decoder);
  free(bytes);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_messages_of_all_sizes_decode_as_protobuf_c_does),
      cmocka_unit_test(test_a_large_field_is_not_copied),
      cmocka_unit_test(test_a_field_sent_twice_and_fields_on_either_side_decode_alike),
      cmocka_unit_test(test_damaged_messages_are_judged_alike),
      cmocka_unit_test(test_a_message_that_unpacks_to_far_more_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
