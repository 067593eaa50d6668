// A peer of an HTTP/2 connection that an input speaks for: the input chooses frames,
// mostly well-formed ones, by few bytes each, so that its mutations stay a conversation.
//
// Threading: one thread.

#ifndef TESTS_FUZZ_GRPC_PEER_H_
#define TESTS_FUZZ_GRPC_PEER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"
#include "common/rpc/loop.h"

typedef struct peer_t {
  const uint8_t *data;  // What is left of the input.
  size_t size;
  rpc_loop_t *loop;
  int fd;
  bool is_client;    // What it plays.
  bool is_deaf;      // Reads nothing for now.
  bool is_shut;      // Has shut its side.
  uint32_t streams;  // Opened by it so far.
  unsigned naps;     // Times it has waited.
} peer_t;

// The next byte of the input; 0 behind its end.
uint8_t peer_byte(peer_t *peer);

// Two of them.
uint32_t peer_short(peer_t *peer);

// Sends and lets the loop turn; in pieces when the input wants it.
void peer_say(peer_t *peer, const void *bytes, size_t size);

void peer_turn(peer_t *peer);

// Does one thing that either side of a connection may do. `stream` is one that the input
// has chosen.
void peer_act(peer_t *peer, uint32_t stream);

// HEADERS of a block that the input chooses out of `fields` (pairs of name and value, as
// HPACK literals or indexes, each without more), whole or in parts.
typedef struct peer_field_t {
  const char *bytes;
  size_t size;
} peer_field_t;

#define PEER_FIELD(text) \
  { text, sizeof(text) - 1 }

// `usual` fields first, mostly; then some of `others`.
void peer_say_headers(peer_t *peer, uint32_t stream, const peer_field_t *usual,
                      size_t usual_count, const peer_field_t *others, size_t other_count);

#endif  // TESTS_FUZZ_GRPC_PEER_H_
