// What carries a link between two chips: a pipe with two ends, over which frames go whole
// and in order, or not at all. Behind a few functions, so that tests can put memory where
// production has sockets.
//
// A door is where pipes come from: it listens or dials, and gives one pipe for every time
// that it is asked. A pipe sends one frame at a time and receives one at a time.
//
// Threading: callbacks come from threads of the carrier, never within the call that asked
//            for them, one of a kind at a time. `close_pipe` is for any thread while the
//            pipe is; `destroy_pipe` and `destroy_door` wait for callbacks under way, and
//            none comes after them: not from a callback, and without locks that one
//            takes.
// Ownership: messages travel with their calls; what a pipe could not send, or had
// received
//            half, it gives back with `give`.

#ifndef SERVER_ICI_PIPE_H_
#define SERVER_ICI_PIPE_H_

#include <nng/nng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

// An end of a connection; carriers begin their own structs with it.
typedef struct ici_pipe_user_t ici_pipe_user_t;

typedef struct ici_pipe_t {
  // Who is called, at first as the door says. The user may change the three while nothing
  // is asked for or within a callback, `frame_bytes_max` (longer frames are nonsense)
  // before it receives.
  const ici_pipe_user_t *user;
  void *context;
  size_t frame_bytes_max;
  // The process at the other end, as the kernel says it; 0: it does not, or says that it
  // is another user's.
  int32_t process;
  bool is_tcp, is_encrypted;
} ici_pipe_t;

struct ici_tls_t;  // tls.h

typedef struct ici_door_t ici_door_t;

// Of who uses pipes; `context` is the door's or the pipe's.
struct ici_pipe_user_t {
  // The door was asked, and here is a pipe, the callee's from now on; NULL: nobody was
  // there, or not in time.
  void (*connected)(void *context, ici_door_t *door, ici_pipe_t *pipe);
  // The frame has gone (and the message been given back), or the pipe is of no use.
  void (*sent)(void *context, bool is_sent);
  // A frame, owned by the callee; NULL: the other end is gone, or talks nonsense.
  void (*received)(void *context, nng_msg *message);
  // A message of `size_bytes` to receive into, or NULL; and back.
  nng_msg *(*take)(void *context, size_t size_bytes);
  void (*give)(void *context, nng_msg *message);
};

typedef struct ici_carrier_t {
  // Listens at `url`, where it is tls+tcp:// with `tls`, which is needed then; *out_port
  // is the port where that is one. UNAVAILABLE, RESOURCE_EXHAUSTED.
  pod_status_t (*listen)(const char *url, struct ici_tls_t *tls,
                         const ici_pipe_user_t *user, void *context,
                         ici_door_t **out_door, int *out_port);
  pod_status_t (*dial)(const char *url, struct ici_tls_t *tls,
                       const ici_pipe_user_t *user, void *context, ici_door_t **out_door);
  // Asks for a pipe; not again before the answer.
  void (*next)(ici_door_t *door);
  void (*destroy_door)(ici_door_t *door);
  // Not again before `sent`. Takes the message: a whole frame.
  void (*send)(ici_pipe_t *pipe, nng_msg *message);
  // Not again before `received`. What is encrypted goes on shaking hands while a frame is
  // waited for.
  void (*receive)(ici_pipe_t *pipe);
  // Nothing moves any more; what was asked for is answered.
  void (*close_pipe)(ici_pipe_t *pipe);
  void (*destroy_pipe)(ici_pipe_t *pipe);
} ici_carrier_t;

// Over nng's byte streams: ipc://, tcp:// and tls+tcp://. A frame goes behind its length,
// 4 bytes little-endian.
extern const ici_carrier_t ici_stream_carrier;

#endif  // SERVER_ICI_PIPE_H_
