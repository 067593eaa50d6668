// A client of a coordinator for tests, in C, on common/rpc itself: calls that wait for
// their end by running the loop, and calls that are left under way. Every wait has a
// deadline, after which the cmocka test fails.
//
// Threading: the test's thread, which runs the loop.

#ifndef TESTS_UNIT_SERVER_COORDINATOR_CLIENT_H_
#define TESTS_UNIT_SERVER_COORDINATOR_CLIENT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"
#include "common/rpc/rpc.h"
#include "proto/podium/v1/podium.pb-c.h"

enum { CLIENT_WAIT_MS = 60000, CLIENT_MESSAGES_MAX = 64 };

typedef struct client_t {
  rpc_loop_t *loop;
  rpc_channel_t *channel;
  ProtobufCBinaryData session;  // In `handle`; may be pointed elsewhere.
  uint8_t handle[16];
  struct client_call_t *session_call;
} client_t;

// A call under way, and what came of it.
typedef struct client_call_t {
  client_t *client;
  rpc_call_t *rpc;  // NULL after the end.
  const ProtobufCMessageDescriptor *response;
  int message_count;
  ProtobufCMessage *messages[CLIENT_MESSAGES_MAX];  // The first ones, owned.
  pod_text_t data;                                  // Of FetchArray, one after the other.
  bool is_over;
  pod_status_t status;  // Owned.
} client_call_t;

// Runs the loop until `is_done(context)`.
void client_run(rpc_loop_t *loop, bool (*is_done)(void *context), void *context);

client_t *client_create(rpc_loop_t *loop, const char *address);

// One that shows this token.
client_t *client_create_with_token(rpc_loop_t *loop, const char *address,
                                   const char *token);

// Ends the session too, as a client that goes away does. Accepts NULL.
void client_destroy(client_t *client);

client_call_t *client_start(client_t *client, const char *path,
                            const ProtobufCMessageDescriptor *response,
                            const ProtobufCMessage *request, int64_t timeout_ms);

// Until it has ended; returns its status, borrowed from the call.
pod_status_t client_wait(client_call_t *call);

// Until `count` messages have come, or it has ended.
void client_wait_messages(client_call_t *call, int count);

void client_free(client_call_t *call);

// One request, one response, which is returned owned in *out_response
// (protobuf_c_message_free_unpacked); NULL on error. Takes nothing, returns owned.
pod_status_t client_unary(client_t *client, const char *path,
                          const ProtobufCMessage *request,
                          const ProtobufCMessageDescriptor *response, int64_t timeout_ms,
                          void *out_response);

// --- The calls of podium.v1.Podium ---

void client_open(client_t *client, bool wait_for_pod);
// The same for a client of that host; the fake workers are of "here".
void client_open_from(client_t *client, const char *host, bool wait_for_pod);
void client_close(client_t *client);

client_call_t *client_start_compile(client_t *client, const char *text, bool only);
pod_status_t client_compile(client_t *client, const char *text, bool only,
                            Podium__V1__CompileResponse **out_response);

// `header` has the shape and how it lies; session and data are filled in. Sends
// `size_bytes`, however many the shape has.
pod_status_t client_put(client_t *client, const Podium__V1__PutArrayRequest *header,
                        const void *data, size_t size_bytes, uint64_t *out_array);

client_call_t *client_start_execute(client_t *client, uint64_t executable,
                                    uint64_t argument, int64_t timeout_ms);

// One argument, one result.
pod_status_t client_execute(client_t *client, uint64_t executable, uint64_t argument,
                            uint64_t *out_result);

// Appends the bytes to `out_data`.
pod_status_t client_fetch(client_t *client, uint64_t array, pod_text_t *out_data);

pod_status_t client_free_array(client_t *client, uint64_t array);

// Owned (podium__v1__pod__free_unpacked).
Podium__V1__Pod *client_pod(client_t *client);

#endif  // TESTS_UNIT_SERVER_COORDINATOR_CLIENT_H_
