// What clients must not send, or may though it is unusual, and what a server of
// common/rpc has to make of it: the cases of h2spec
// (https://github.com/summerwind/h2spec) and of gRPC's bad clients (test/core/bad_client)
// that apply, and some of our own.
//
// Where nghttp2, which remembers no closed streams, ignores what h2spec wants refused,
// the name says so: RFC 9113, 5.1, has it that frames may still arrive then.
//
// A case sends a greeting and its frames, and names everything the server says, but for
// SETTINGS and WINDOW_UPDATE, in order and parted by spaces:
//
//   status:STREAM:CODE   the end of a call, with its gRPC code
//   http:STREAM:STATUS   an answer to what is no gRPC request
//   headers:STREAM  data:STREAM:BYTES  reset:STREAM:ERROR  pong:PAYLOAD  ack
//   goaway:ERROR
//   closed               the connection; else
//   alive                a PING after it all is answered

#ifndef TESTS_UNIT_COMMON_RPC_HTTP2_CASES_H_
#define TESTS_UNIT_COMMON_RPC_HTTP2_CASES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP2_FRAMES_MAX = 6 };

typedef struct http2_frame_t {
  uint8_t type, flags;
  uint32_t stream;  // With the reserved bit.
  const char *payload;
  size_t size;       // Of the payload that is sent ...
  size_t announced;  // ... and that the frame's header tells.
} http2_frame_t;

typedef struct http2_case_t {
  const char *name;                        // Where it is from, and what it does.
  http2_frame_t frames[HTTP2_FRAMES_MAX];  // Up to the first without a payload.
  const char *expected;
  const char *greeting;  // NULL: preface and SETTINGS.
  size_t greeting_size;
} http2_case_t;

extern const http2_case_t http2_cases[];
extern const size_t http2_case_count;

#endif  // TESTS_UNIT_COMMON_RPC_HTTP2_CASES_H_
