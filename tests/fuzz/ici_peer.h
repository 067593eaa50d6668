// A neighbour of an ICI node in the hands of a fuzz target: over pipes in memory, in the
// same process, so that it can also have memory in common with the node. The node is chip
// 1 of three in a line; a peer is chip 0, which the node dials, or chip 2, which dials
// it.
//
// It says what it is told to, right or wrong, and takes a frame off the pipe only when it
// is told to look: what the node has to say then waits.
//
// Threading: one thread for all functions of a peer.

#ifndef TESTS_FUZZ_ICI_PEER_H_
#define TESTS_FUZZ_ICI_PEER_H_

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/ici/bell.h"
#include "server/ici/frame.h"
#include "server/ici/ici.h"
#include "server/ici/pipe.h"
#include "server/ici/proof.h"
#include "server/ici/ring.h"

enum { ICI_PEER_CHIPS = 3, ICI_PEER_NODE = 1 };

#define ICI_PEER_POD "fuzz"

typedef struct ici_peer_end_t {
  ici_node_t *node;
  int32_t chip;
  uint64_t epoch;
  ici_door_t *door;
  bool is_asked;   // The door; it has not answered.
  bool is_proven;  // On this pipe, perhaps: a right proof has been said.

  pthread_mutex_t lock;  // For what callbacks change:
  pthread_cond_t changed;
  ici_pipe_t *pipe;  // NULL: none.
  bool is_answered, is_sending, is_gone, is_armed;
  nng_msg *heard;

  ici_header_t last;  // The last frame that was looked at.
  int64_t frames;     // Between the greeting and now, those that are acknowledged.
  ici_hello_t theirs;
  bool shares;  // What follows is open.
  ici_shared_t bell, peer_bell;
  ici_ring_t incoming, outgoing;
} ici_peer_end_t;

// The secret of the links, of all in this process.
extern const uint8_t ici_peer_secret[ICI_SECRET_BYTES];

extern const torus_t ici_peer_torus;

// The carrier is to be started before, and the node told to dial ici_peer_url when chip
// is 0.
void ici_peer_init(ici_peer_end_t *peer, ici_node_t *node, int32_t chip);
void ici_peer_deinit(ici_peer_end_t *peer);

// Where chip 0 listens.
extern const char ici_peer_url[];

// Has a pipe, within `wait_us`. False: none yet, or one is there already.
bool ici_peer_connect(ici_peer_end_t *peer, int wait_us);

// Cuts it.
void ici_peer_cut(ici_peer_end_t *peer);

// Says a frame, whatever it is; waits until it has gone. False: the pipe is of no use.
bool ici_peer_send(ici_peer_end_t *peer, const uint8_t *frame, size_t size_bytes);
bool ici_peer_say(ici_peer_end_t *peer, const ici_header_t *header, const void *payload);

// Takes the next frame, if one comes within `wait_us`: its header becomes `last`, and the
// payload is copied as far as it fits. False: none.
bool ici_peer_look(ici_peer_end_t *peer, int wait_us, uint8_t *payload,
                   size_t payload_bytes_max);

// A header of this peer to the node.
ici_header_t ici_peer_header(const ici_peer_end_t *peer, ici_kind_t kind);

// Proves that it knows the secret. False: the node does not think so, or it has gone.
bool ici_peer_prove(ici_peer_end_t *peer);

// Shakes hands; `shares`: with memory in common, where the pipe allows it.
bool ici_peer_greet(ici_peer_end_t *peer, bool shares);

// The hello that is true.
ici_hello_t ici_peer_hello(ici_peer_end_t *peer, bool shares);

#endif  // TESTS_FUZZ_ICI_PEER_H_
