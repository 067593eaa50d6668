// A small world for the tests of calls: one loop that runs a server and a channel to it
// over a real loopback socket, a service that does one plain thing per method, and
// records of what happened.
//
// Messages are raw bytes. The methods:
//   /test/Echo     answers every message with itself and OK at the half-close
//   /test/Unary    answers the first message with itself, then OK
//   /test/One      likewise, and takes exactly one message
//   /test/Count    answers the half-close with the number of bytes received, as text
//   /test/Produce  "COUNT SIZE": sends so many messages of so many bytes, as fast as it
//   may /test/Fail     "CODE TEXT": ends with that status /test/Hang     takes everything
//   and never answers /test/Pause    is paused from the start /test/Refuse   is refused
//   in on_start /test/Headers  gives the metadata "say" back as "said" (initial) and
//   "said-bin" (trailing)

#ifndef TESTS_UNIT_COMMON_RPC_WORLD_H_
#define TESTS_UNIT_COMMON_RPC_WORLD_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/rpc/rpc.h"

typedef struct world_t world_t;

// The server's side of a call. Kept in the world when it has ended.
typedef struct handler_t handler_t;
struct handler_t {
  handler_t *next;
  world_t *world;
  rpc_call_t *call;  // NULL after on_end.
  const char *path;
  size_t message_count, byte_count;
  uint64_t left, size_bytes;  // Produce.
  bool half_closed, ended;
  pod_code_t code;
};

struct world_t {
  rpc_loop_t *loop;
  rpc_server_t *server;
  rpc_channel_t *channel;
  char *address;
  rpc_timer_t *watchdog;
  handler_t *handlers;  // The newest first.
  size_t handler_count;
  rpc_channel_state_t states[64];  // As on_state told them.
  size_t state_count;
  pod_code_t failed_code;  // Of the last FAILED.
};

// The client's side of a call.
typedef struct caller_t {
  world_t *world;
  rpc_call_t *call;  // NULL after on_end.
  size_t header_count, message_count, byte_count, writable_count;
  uint8_t last[64];  // The beginning of the last message.
  size_t last_bytes;
  bool pause_at_message;
  int end_count;
  pod_code_t code;
  char message[256];
  char said[64], said_binary[64];
  uint64_t left, size_bytes;  // What send_all still has to send.
  bool half_close_at_end;
} caller_t;

extern const rpc_method_t world_methods[];

// `server` and `channel` may be NULL; `address` NULL is 127.0.0.1:0.
void world_start(world_t *world, const char *address, const rpc_server_options_t *server,
                 const rpc_channel_options_t *channel);

// Ends what is left. Safe when the test has destroyed parts and set them to NULL.
void world_stop(world_t *world);

// Runs the loop until `condition` (checked after every callback) holds; fails the test
// after 60 s.
void world_run_until(world_t *world, bool (*condition)(const void *context),
                     const void *context);

// To be called where something happened that a condition may ask for.
void world_wake(world_t *world);

void call_start(caller_t *caller, world_t *world, const char *path,
                const rpc_call_options_t *options);

// A message with the text, without its NUL.
void call_say(caller_t *caller, const char *text);

// Sends `count` messages of `size_bytes` whenever the call is writable, then half-closes
// when asked to.
void call_send_all(caller_t *caller, uint64_t count, uint64_t size_bytes,
                   bool half_close);

// Runs until on_end.
void call_finish(caller_t *caller);

bool call_has_ended(const void *caller);

// The newest handler of that method; NULL when there is none.
handler_t *find_handler(const world_t *world, const char *path);

#endif  // TESTS_UNIT_COMMON_RPC_WORLD_H_
