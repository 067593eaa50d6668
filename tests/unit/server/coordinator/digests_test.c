// A client asks by a digest, and sends the text only where it is needed.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/digest/digest.h"
#include "server/coordinator/core/compile_cache.h"
#include "tests/unit/server/coordinator/world.h"

typedef struct ask_t {
  const char *text;  // The digest is this one's.
  const char *sent;  // NULL: no text goes with it.
  const char *file_name, *algorithms;
  bool only;
  size_t type_count;
  Podium__V1__ArgumentType **types;
} ask_t;

static client_call_t *start(client_t *client, const ask_t *ask) {
  uint8_t digest[DIGEST_BYTES];
  digest_of(ask->text, strlen(ask->text), digest);
  Podium__V1__CompileRequest request = PODIUM__V1__COMPILE_REQUEST__INIT;
  request.session = client->session;
  request.file_name =
      (char *)(uintptr_t)(ask->file_name == NULL ? "test.mlir" : ask->file_name);
  request.algorithms =
      (char *)(uintptr_t)(ask->algorithms == NULL ? "" : ask->algorithms);
  request.only = ask->only;
  request.size_bytes = (int64_t)strlen(ask->sent == NULL ? ask->text : ask->sent);
  request.digest = (ProtobufCBinaryData){sizeof(digest), digest};
  request.n_argument_types = ask->type_count;
  request.argument_types = ask->types;
  if (ask->sent != NULL) {
    request.text.data = (uint8_t *)(uintptr_t)ask->sent;
    request.text.len = strlen(ask->sent);
  }
  client_call_t *call =
      client_start(client, "/podium.v1.Podium/Compile",
                   &podium__v1__compile_response__descriptor, &request.base, 0);
  rpc_call_half_close(call->rpc);
  return call;
}

typedef enum answer_t { NEEDS_TEXT, COMPILED, CACHED } answer_t;

static answer_t answer_of(client_call_t *call) {
  const pod_status_t status = client_wait(call);
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
  const void *message = call->messages[0];
  const Podium__V1__CompileResponse *response = message;
  assert_int_equal(response->needs_text, response->executable == 0);
  const answer_t answer = response->needs_text ? NEEDS_TEXT
                          : response->cached   ? CACHED
                                               : COMPILED;
  client_free(call);
  return answer;
}

static answer_t ask(const world_t *world, const ask_t *what) {
  return answer_of(start(world->client, what));
}

static void start_world(world_t *world) {
  world_start(world, 60000);
  client_open(world->client, false);
}

static void test_a_text_is_asked_for_once(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  assert_int_equal(ask(&world, &(ask_t){.text = "f"}), NEEDS_TEXT);
  assert_int_equal(world_compile_count(), 0);
  assert_int_equal(ask(&world, &(ask_t){.text = "f", .sent = "f"}), COMPILED);
  assert_int_equal(ask(&world, &(ask_t){.text = "f"}), CACHED);
  assert_int_equal(ask(&world, &(ask_t){.text = "f", .sent = "f"}), CACHED);
  assert_int_equal(world_compile_count(), 1);
  assert_int_equal(ask(&world, &(ask_t){.text = "g"}), NEEDS_TEXT);
  world_stop(&world);
}

static void test_clients_without_digests_and_with_them_share_what_is_compiled(
    void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  world_compile(&world, "f");
  assert_int_equal(ask(&world, &(ask_t){.text = "f"}), CACHED);
  assert_int_equal(ask(&world, &(ask_t){.text = "g", .sent = "g"}), COMPILED);
  world_compile(&world, "g");
  assert_int_equal(world_compile_count(), 2);
  world_stop(&world);
}

static void test_other_options_are_another_program(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  Podium__V1__Shape shape = PODIUM__V1__SHAPE__INIT;
  int64_t dims[] = {4, 8};
  shape.n_dims = 2;
  shape.dims = dims;
  Podium__V1__ArgumentType type = PODIUM__V1__ARGUMENT_TYPE__INIT;
  type.argument = (char *)(uintptr_t) "x";
  type.shape = &shape;
  Podium__V1__ArgumentType *types[] = {&type};
  assert_int_equal(ask(&world, &(ask_t){.text = "f", .sent = "f"}), COMPILED);
  const ask_t others[] = {{.text = "f", .file_name = "g.mlir"},
                          {.text = "f", .algorithms = "ring"},
                          {.text = "f", .type_count = 1, .types = types}};
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
    assert_int_equal(ask(&world, &others[i]), NEEDS_TEXT);
    ask_t with_text = others[i];
    with_text.sent = "f";
    assert_int_equal(ask(&world, &with_text), COMPILED);
    assert_int_equal(ask(&world, &others[i]), CACHED);
  }
  dims[0] = 5;
  assert_int_equal(ask(&world, &others[2]), NEEDS_TEXT);
  world_stop(&world);
}

static void test_what_was_only_looked_at_is_asked_for_to_be_loaded(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  assert_int_equal(ask(&world, &(ask_t){.text = "f", .sent = "f", .only = true}),
                   COMPILED);
  assert_int_equal(ask(&world, &(ask_t){.text = "f", .only = true}), CACHED);
  assert_int_equal(ask(&world, &(ask_t){.text = "f"}), NEEDS_TEXT);
  world_stop(&world);
}

static void test_what_had_to_make_room_is_asked_for_again(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  assert_int_equal(ask(&world, &(ask_t){.text = "f", .sent = "f"}), COMPILED);
  for (int i = 0; i < COMPILE_CACHE_ENTRIES_MAX; i++) {
    char text[16];
    snprintf(text, sizeof(text), "f%d", i);
    assert_int_equal(ask(&world, &(ask_t){.text = text, .sent = text}), COMPILED);
  }
  assert_int_equal(ask(&world, &(ask_t){.text = "f"}), NEEDS_TEXT);
  assert_int_equal(ask(&world, &(ask_t){.text = "f", .sent = "f"}), COMPILED);
  assert_int_equal(ask(&world, &(ask_t){.text = "f"}), CACHED);
  world_stop(&world);
}

static void test_the_digest_of_another_text_is_refused(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  assert_int_equal(ask(&world, &(ask_t){.text = "f", .sent = "f"}), COMPILED);
  client_call_t *call = start(world.client, &(ask_t){.text = "f", .sent = "g"});
  assert_refused(pod_status_copy(client_wait(call)), POD_INVALID_ARGUMENT,
                 "the digest is of another text: "
                 "252f10c83610ebca1a059c0bae8255eba2f95be4d1d7bcfa89d7248a82d9f111 was "
                 "sent, the text has "
                 "cd0aa9856147b6c5b4ff2b7dfee5da20aa38253099ef1b4a64aced233c9afe29");
  client_free(call);
  assert_int_equal(ask(&world, &(ask_t){.text = "g"}), NEEDS_TEXT);
  assert_int_equal(world_compile_count(), 1);
  world_stop(&world);
}

static void test_a_digest_of_another_length_is_refused(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  uint8_t digest[DIGEST_BYTES + 1] = {0};
  for (size_t length = 1; length <= sizeof(digest); length += DIGEST_BYTES) {
    Podium__V1__CompileRequest request = PODIUM__V1__COMPILE_REQUEST__INIT;
    request.session = world.client->session;
    request.size_bytes = 5;
    request.digest = (ProtobufCBinaryData){length, digest};
    client_call_t *call =
        client_start(world.client, "/podium.v1.Podium/Compile",
                     &podium__v1__compile_response__descriptor, &request.base, 0);
    assert_refused(pod_status_copy(client_wait(call)), POD_INVALID_ARGUMENT,
                   "a SHA-256 has 32 bytes");
    client_free(call);
  }
  world_stop(&world);
}

static void test_a_part_of_the_text_is_no_question(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  uint8_t digest[DIGEST_BYTES] = {0};
  Podium__V1__CompileRequest request = PODIUM__V1__COMPILE_REQUEST__INIT;
  request.session = world.client->session;
  request.size_bytes = 5;
  request.digest = (ProtobufCBinaryData){sizeof(digest), digest};
  request.text.data = digest;
  request.text.len = 3;
  client_call_t *call =
      client_start(world.client, "/podium.v1.Podium/Compile",
                   &podium__v1__compile_response__descriptor, &request.base, 0);
  rpc_call_half_close(call->rpc);
  assert_refused(pod_status_copy(client_wait(call)), POD_INVALID_ARGUMENT,
                 "announced with 5 bytes, 3 were sent");
  client_free(call);
  world_stop(&world);
}

static void test_who_asks_for_what_is_being_compiled_waits_for_it(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  world_hold_compiler();
  client_call_t *first = start(world.client, &(ask_t){.text = "slow", .sent = "slow"});
  world_wait_compiles(&world, 1);
  client_call_t *second = start(world.client, &(ask_t){.text = "slow"});
  podium__v1__pod__free_unpacked(client_pod(world.client), NULL);  // It has arrived.
  assert_false(second->is_over);
  world_release_compiler();
  assert_int_equal(answer_of(first), COMPILED);
  assert_int_equal(answer_of(second), COMPILED);
  assert_int_equal(world_compile_count(), 1);
  world_stop(&world);
}

static void test_who_asks_for_what_is_refused_is_told_why(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  world_hold_compiler();
  client_call_t *calls[] = {
      start(world.client, &(ask_t){.text = "slowbad", .sent = "slowbad"}), NULL};
  world_wait_compiles(&world, 1);
  calls[1] = start(world.client, &(ask_t){.text = "slowbad"});
  podium__v1__pod__free_unpacked(client_pod(world.client), NULL);
  world_release_compiler();
  for (int i = 0; i < 2; i++) {
    assert_refused(pod_status_copy(client_wait(calls[i])), POD_INVALID_ARGUMENT, "bad");
    client_free(calls[i]);
  }
  assert_int_equal(ask(&world, &(ask_t){.text = "slowbad"}), NEEDS_TEXT);
  world_stop(&world);
}

static void test_a_question_counts_as_a_call_of_its_session(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  world_compile(&world, "f");
  world.client->handle[7] ^= 1;
  client_call_t *call = start(world.client, &(ask_t){.text = "f"});
  assert_refused(pod_status_copy(client_wait(call)), POD_NOT_FOUND, "session");
  client_free(call);
  world.client->handle[7] ^= 1;
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_text_is_asked_for_once),
      cmocka_unit_test(test_clients_without_digests_and_with_them_share_what_is_compiled),
      cmocka_unit_test(test_other_options_are_another_program),
      cmocka_unit_test(test_what_was_only_looked_at_is_asked_for_to_be_loaded),
      cmocka_unit_test(test_what_had_to_make_room_is_asked_for_again),
      cmocka_unit_test(test_the_digest_of_another_text_is_refused),
      cmocka_unit_test(test_a_digest_of_another_length_is_refused),
      cmocka_unit_test(test_a_part_of_the_text_is_no_question),
      cmocka_unit_test(test_who_asks_for_what_is_being_compiled_waits_for_it),
      cmocka_unit_test(test_who_asks_for_what_is_refused_is_told_why),
      cmocka_unit_test(test_a_question_counts_as_a_call_of_its_session),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
