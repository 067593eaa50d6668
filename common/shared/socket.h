// Unix sockets between the processes that share a ring, and the packets on them. On the
// socket there is only what begins something or wakes somebody; bytes go by the ring.
//
// Threading: any; nothing here waits.

#ifndef COMMON_SHARED_SOCKET_H_
#define COMMON_SHARED_SOCKET_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/shared/mover.h"

typedef enum shared_word_t {
  SHARED_HELLO = 1,  // Of who comes, with the ring.
  SHARED_WELCOME,    // The answer.
  SHARED_BEGIN,      // Of who comes: the token of a transfer.
  SHARED_BELL,       // Wake up and look at the ring.
} shared_word_t;

// A packet on the socket.
typedef struct shared_message_t {
  uint32_t magic, word;
  uint32_t chunk_bytes, chunks;  // HELLO: the ring's.
  uint8_t token[SHARED_TOKEN_BYTES];
  int64_t size_bytes;
  uint32_t sends;  // BEGIN: who comes sends.
  uint32_t zero;
} shared_message_t;

// What a read has brought.
typedef enum shared_read_t {
  SHARED_READ_MESSAGE = 0,
  SHARED_READ_NOTHING,  // For now.
  SHARED_READ_END,      // The other process has gone.
  SHARED_READ_WRONG,    // What came is no message.
} shared_read_t;

// An open socket; the caller closes it. UNAVAILABLE, PERMISSION_DENIED for another user.
POD_MUST_USE pod_status_t shared_socket_listen(const char *path, int *out_socket);
POD_MUST_USE pod_status_t shared_socket_connect(const char *path, int *out_socket);

// -1: nobody is there, or somebody who must not.
int shared_socket_accept(int listener);

// `file` goes with it; -1: none. False: it could not be sent.
bool shared_socket_send(int socket, shared_message_t message, int file);

// *out_file is the caller's, or -1.
shared_read_t shared_socket_read(int socket, shared_message_t *out_message,
                                 int *out_file);

#endif  // COMMON_SHARED_SOCKET_H_
