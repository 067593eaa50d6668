// What a test says to a node in a neighbour's place: frames over a plain socket, and the
// proof that begins a link. For the tests of server/ici.

#ifndef TESTS_UNIT_SERVER_ICI_INTRODUCE_H_
#define TESTS_UNIT_SERVER_ICI_INTRODUCE_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/ici/frame.h"
#include "server/ici/proof.h"

// Who says it, to whom, and with which secret (NULL: zeros).
typedef struct stranger_t {
  const char *pod;
  int32_t chip, peer;
  torus_direction_t direction;  // Seen from `chip`, who dials.
  uint64_t epoch;
  ici_transport_t transport;
  const uint8_t *secret;
} stranger_t;

// A frame behind its length. False: the other end has gone.
bool send_frame(int file, const ici_header_t *header, const void *payload);

// The next frame; payloads are at most `payload_bytes_max` bytes. False: the other end
// has gone, or says nothing for the socket's time.
bool receive_frame(int file, ici_header_t *out_header, void *payload,
                   uint32_t payload_bytes_max);

// The dialer's first frames. Writes the nonces into the proof that is to be made.
bool send_knock(int file, ici_proof_t *proof);
bool receive_challenge(int file, ici_proof_t *proof);
bool send_proof(int file, const stranger_t *stranger, const ici_proof_t *proof);

// All of it: proves, and looks at the listener's proof. False: somewhere it was hung up
// on, or the listener has not proven himself.
bool introduce(int file, const stranger_t *stranger);

// Connects to a tcp:// address and becomes the neighbour there, without shared memory.
// Returns the socket, over which frames may follow; -1: it was hung up on.
int join_as_neighbour(const char *url, const stranger_t *stranger, const torus_t *torus);

// A connection to a tcp:// address, on which nothing waits for longer than 30 s, or than
// `wait_ms`. -1: there is none.
int connect_tcp(const char *url);
int connect_tcp_within(const char *url, int wait_ms);

#endif  // TESTS_UNIT_SERVER_ICI_INTRODUCE_H_
