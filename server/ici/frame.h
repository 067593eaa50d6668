// The frames that travel over a link: a fixed little-endian header, then the payload.
//
// A link begins with proofs (proof.h), then HELLO both ways, answered by WELCOME both
// ways; all else comes after. Everything read here comes from outside: it is checked
// before it is believed.
//
// Threading: pure.

#ifndef SERVER_ICI_FRAME_H_
#define SERVER_ICI_FRAME_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/chip/torus.h"
#include "server/ici/ici.h"

enum {
  ICI_VERSION = 4,
  ICI_HEADER_BYTES = 80,
  // A multiple of every element's size. Long enough for full speed, short enough that a
  // few of them fit the second-level cache.
  ICI_PAYLOAD_MAX = 256 * 1024,
  ICI_FRAME_MAX = ICI_HEADER_BYTES + ICI_PAYLOAD_MAX,
  ICI_HOPS_MAX = TORUS_CHIPS_MAX,
  ICI_TEXT_MAX = 1024,
  ICI_TOKEN_BYTES = 16,
};

#define ICI_MAGIC 0x31494349u  // "ICI1"

typedef enum ici_kind_t {
  ICI_KNOCK = 1,  // proof.h has these three.
  ICI_CHALLENGE = 2,
  ICI_PROOF = 3,
  ICI_HELLO = 4,
  ICI_WELCOME = 5,
  ICI_DATA = 6,   // A piece of a step's source.
  ICI_GRANT = 7,  // Receiver to sender: send the step up to byte `offset`.
  // Sender to receiver: grant the step. With a payload (remote.h): or read it there.
  ICI_REQUEST = 8,
  // Receiver to sender: `offset` bytes sent beforehand are used up so far.
  ICI_CREDIT = 9,
  ICI_ABANDON = 10,  // The sender has given up the execution: `tag` is the code, the
                     // payload the message.
  // Of a link, not of a route: the neighbour has dealt with `offset` frames.
  ICI_ACK = 11,
  ICI_BYE = 12,  // Of a link: nothing more comes; answered by BYE, then the connection is
                 // closed.
  ICI_KIND_COUNT = 13,
} ici_kind_t;

enum {
  ICI_FLAG_EAGER = 1,  // DATA: sent beforehand, counted against the room kept.
  ICI_FLAG_READ = 2,   // GRANT: not needed any more, the step has been read.
};

typedef struct ici_header_t {
  uint8_t kind;
  uint16_t flags;
  int32_t source, destination;  // Chips.
  uint64_t epoch;               // The source's.
  uint64_t execution;
  uint32_t sequence;
  int32_t lane, tag;
  // DATA: where in the step, and the step's size. REQUEST with a payload: the number of
  // the consent.
  int64_t offset, total;
  uint32_t payload_bytes;
  uint32_t hops;  // Links crossed so far.
  // Not sent: 1 + the direction of the link out of whose shared memory it came; 0: it
  // came over a socket.
  uint8_t via;
} ici_header_t;

void ici_header_encode(const ici_header_t *header, uint8_t bytes[ICI_HEADER_BYTES]);

// `size_bytes` is the whole frame's size. DATA_LOSS says what is wrong. `chip_count`
// bounds source and destination.
POD_MUST_USE pod_status_t ici_header_decode(const uint8_t *bytes, size_t size_bytes,
                                            int32_t chip_count, ici_header_t *out_header);

// The payload of HELLO.
typedef struct ici_hello_t {
  char pod[ICI_POD_NAME_MAX + 1];
  int32_t from, to;             // Chips.
  torus_direction_t direction;  // Seen from the sender.
  torus_t torus;
  uint64_t epoch;
  // What is offered in shared memory; process 0: nothing. The files are those that this
  // process has open under these numbers, in this boot of the host and PID namespace.
  uint64_t host;  // Different on different hosts and in different PID namespaces.
  int32_t process, bell_file, ring_file;
  uint8_t token[ICI_TOKEN_BYTES];  // Stands at the start of both.
} ici_hello_t;

enum { ICI_HELLO_BYTES = 160 };

void ici_hello_encode(const ici_hello_t *hello, uint8_t bytes[ICI_HELLO_BYTES]);

// DATA_LOSS.
POD_MUST_USE pod_status_t ici_hello_decode(const uint8_t *bytes, size_t size_bytes,
                                           ici_hello_t *out_hello);

// Whether the one who says `hello` belongs at the other end of a link of the one who
// would say `own`. FAILED_PRECONDITION says what differs.
POD_MUST_USE pod_status_t ici_hello_check(const ici_hello_t *own,
                                          const ici_hello_t *hello);

#endif  // SERVER_ICI_FRAME_H_
