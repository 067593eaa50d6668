// What a node is made of. Private to server/ici.
//
// Locks, in the order in which they may be taken together:
//   event_lock    a change of a link's state and the callback that reports it
//   the watch     who looks at the incoming rings (watch.h)
//   ring_lock     a link's incoming ring (looking, replacing)
//   forward_lock  frames that wait to be passed on
//   outbox_lock   who tries to send what is in the outbox: the others wait, and then try
//   link lock     a link's state, outgoing ring and queue
//   node lock     peers, kept frames, aborted and ended executions
// A pipe's operations are started under the link's lock: they call back later. None is
// held while a pipe or a door is destroyed, which waits for callbacks.
//
// kept.h has messages and lists of them, link.h a link, watch.h who looks, consent.h who
// may read; here is what they belong to, and what becomes of frames that arrive.

#ifndef SERVER_ICI_NODE_H_
#define SERVER_ICI_NODE_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/ici/bell.h"
#include "server/ici/consent.h"
#include "server/ici/executions.h"
#include "server/ici/frame.h"
#include "server/ici/ici.h"
#include "server/ici/kept.h"
#include "server/ici/link.h"
#include "server/ici/remote.h"
#include "server/ici/ring.h"
#include "server/ici/tls.h"
#include "server/ici/watch.h"

enum {
  ICI_SPARE_MESSAGES_MAX = 16,
  ICI_BOUNCE_BYTES = 128 * 1024,  // Fits the second-level cache with what it is added to.
  ICI_HELLO_TIMEOUT_MS = 10000,
  ICI_RETRY_MS = 50,  // When nothing can be opened.
  ICI_BYE_TIMEOUT_MS = 1000,
  ICI_CLOSE_TIMEOUT_S = 5,
  // What a short step may be sent without asking, and what is counted for a frame of any
  // size besides its payload.
  ICI_EAGER_STEP_BYTES = 64 * 1024,
  ICI_FRAME_COST_BYTES = 256,
  // Room kept for what one chip sends beforehand. All together is bounded by
  // ICI_EAGER_TOTAL_BYTES, but never less than one short step per chip.
  ICI_EAGER_BYTES_MAX = 1024 * 1024,
  ICI_EAGER_TOTAL_BYTES = 64 * 1024 * 1024,
  // How far a sender may be ahead of the receiver in a step that was granted.
  ICI_WINDOW_BYTES = 1024 * 1024,
  // Control frames kept for collectives to come, per chip.
  ICI_KEPT_CONTROLS_MAX = (2 * ICI_RUNS_MAX + 2) * COLLECTIVE_LANES_MAX,
  ICI_WITNESSES_MAX = 256,  // Processes whose memory is read: a file and a page each.
  // Control frames that wait for room.
  ICI_OUTBOX_MAX = (2 * ICI_RUNS_MAX + 2) * COLLECTIVE_LANES_MAX,
};

#define ICI_NS_PER_MS ((int64_t)1000000)

// What this chip knows of another one that it exchanges frames with.
typedef struct ici_peer_t {
  uint64_t epoch;  // 0: never heard of.
  // Bytes sent beforehand, counted from the start of the epoch: to the peer, of which it
  // has used `credited`; from the peer, of which this chip has used `used` and told it so
  // up to `reported`.
  int64_t sent, credited, received, used, reported;
  int32_t kept_controls;
  bool cannot_read;  // What lies in this process.
} ici_peer_t;

typedef struct ici_run_t ici_run_t;

// Where frames wait for a collective under way, running or paused. Of a run; under the
// node's lock. What comes for it there is bounded as what is kept is: by the room kept
// for what is sent beforehand, and by what it has granted.
typedef struct ici_arrivals_t {
  struct ici_arrivals_t *next;
  uint64_t execution;
  uint32_t sequence;
  ici_kept_list_t inbox;
} ici_arrivals_t;

struct ici_node_t {
  char pod[ICI_POD_NAME_MAX + 1];
  int32_t chip, chip_count;
  torus_t torus;
  uint64_t epoch;
  uint8_t link_secret[ICI_SECRET_BYTES];
  ici_tls_t *tls;  // NULL: none.
  bool use_shared_memory;
  int64_t silence_ns;
  uint64_t host;
  const ici_carrier_t *carrier;
  collective_combine_fn_t combine;
  ici_link_fn_t on_link;
  void *context;
  ici_link_t links[TORUS_LINKS];
  ici_shared_t bell_memory;
  ici_bell_t *bell;
  pthread_t pump, keeper;
  bool has_pump, has_keeper;
  atomic_bool goes;  // Says goodbye: begins no session any more.
  atomic_bool stops;
  atomic_int waiting;    // Frames in the outbox and blocked ones.
  atomic_long messages;  // In the node's hands, spare ones apart.
  int64_t eager_bytes;   // Room kept for one chip.

  pthread_mutex_t event_lock;
  ici_link_t *reader;  // Whose other end may read this process; under event_lock.
  ici_watch_t watch;
  pthread_mutex_t forward_lock;
  pthread_mutex_t outbox_lock;
  // The first frame of some ring may wait to be passed on: who makes room calls the pump.
  atomic_bool has_stuck_ring;
  atomic_uint changes;  // Of links and aborts: a running collective looks when it moves.

  pthread_mutex_t lock;  // For what follows.
  pthread_cond_t link_changed;
  pthread_cond_t keeper_wanted;
  bool keeper_called;
  ici_peer_t *peers;         // By chip.
  ici_arrivals_t *arrivals;  // Of the collectives under way.
  ici_consent_t consent;     // To what these send. Under the lock.
  ici_witness_t *witnesses;  // By chip; of who has the watch.
  int witness_count;
  uint8_t *bounce;         // Of the compute thread: what is read to be reduced.
  ici_kept_list_t kept;    // For collectives to come.
  ici_kept_list_t outbox;  // Control frames that wait for room.
  int outbox_count;
  ici_executions_t executions;
  nng_msg *spare[ICI_SPARE_MESSAGES_MAX];
  int spare_count;
};

// ---- route.c: what becomes of a frame that arrived.

// A frame came over the pipe of `link`. Takes the message.
void ici_route_message(ici_link_t *link, const ici_header_t *header, nng_msg *message);

// Drops what waits to be passed on from `link`.
void ici_route_drop_blocked(ici_link_t *link);

// Looks at all incoming rings once and handles what is there; `run` gets its frames
// directly. The caller has the watch. True: there was something.
bool ici_route_rings(ici_node_t *node, ici_run_t *run);

// Of a node in which nothing runs: one look at everything. The caller has the watch.
bool ici_route_look(void *node);

// Tries again to pass on what was blocked.
void ici_route_blocked(ici_node_t *node);

// Sends a control frame of this chip, as soon as there is room. It is lost only with the
// link.
void ici_route_send_surely(ici_node_t *node, const ici_header_t *header,
                           const void *payload);

// ---- node.c

// A frame for this chip that no running collective took directly. Takes the message.
void ici_node_take(ici_node_t *node, const ici_header_t *header, nng_msg *message);

// Header fields of a frame of this chip.
ici_header_t ici_node_header(const ici_node_t *node, ici_kind_t kind,
                             int32_t destination);

// Of what `chip` sent beforehand, some came and some has been used; tells it now and
// then. The caller does not hold the node's or a link's lock.
void ici_node_account(ici_node_t *node, int32_t chip, int64_t received_bytes,
                      int64_t used_bytes);

// Takes room at `chip` for something to be sent beforehand. False: there is none.
bool ici_node_reserve(ici_node_t *node, int32_t chip, int64_t cost_bytes);

// Whether `chip` can read what lies in this process; that it cannot.
bool ici_node_is_read_by(ici_node_t *node, int32_t chip);
void ici_node_not_read_by(ici_node_t *node, int32_t chip);

// The neighbour `chip` has proven that it is in this epoch: what was left of an earlier
// one goes. FAILED_PRECONDITION: a later one has been heard of.
POD_MUST_USE pod_status_t ici_node_meet(ici_node_t *node, int32_t chip, uint64_t epoch);

// Of a frame for an execution that this chip has given up: its source was perhaps told
// about the execution late, and has not heard of that; it hears it now.
void ici_node_tell_given_up(ici_node_t *node, const ici_header_t *frame);

// This chip gives the execution up.
void ici_node_give_up(ici_node_t *node, uint64_t execution, pod_status_t reason);

// Whether `epoch` is the one that was last heard from `chip`.
bool ici_node_knows(ici_node_t *node, int32_t chip, uint64_t epoch);

// Why the execution may not go on: a copy of the reason it was aborted with, or that it
// has ended. NULL: it may.
pod_status_t ici_node_aborted(ici_node_t *node, uint64_t execution);

// The collective is under way from now on. Returns what was kept for it, and what had
// been lost on the links when its execution ran its first one.
ici_kept_list_t ici_node_open(ici_node_t *node, ici_arrivals_t *arrivals,
                              const ici_collective_t *collective,
                              unsigned out_losses[TORUS_LINKS]);

// What has come for it since the last time.
ici_kept_list_t ici_node_arrived(ici_node_t *node, ici_arrivals_t *arrivals);

// It is not under way any more. Returns what nobody has taken.
ici_kept_list_t ici_node_close(ici_node_t *node, ici_arrivals_t *arrivals);

static inline int64_t ici_eager_cost(const ici_header_t *header) {
  return (int64_t)header->payload_bytes + ICI_FRAME_COST_BYTES;
}

// The links have changed: running collectives and waiters look again.
void ici_node_changed(ici_node_t *node);

// ---- offered.c: memory that other chips offer.

typedef enum ici_offered_t {
  ICI_OFFERED_HERE = 0,
  ICI_OFFERED_ELSEWHERE = 1,  // Not for us to read: to be granted.
  ICI_OFFERED_FALSE = 2,      // It is not the sender's to offer.
  ICI_OFFERED_PAST = 3,       // Who offered it has given up or is gone, and that is told.
} ici_offered_t;

// Judges the REQUEST with `header`; the caller has the watch. HERE: *out_witness,
// borrowed until the next call for the same chip, says whether it holds.
ici_offered_t ici_offered_check(ici_node_t *node, const ici_header_t *header,
                                const ici_remote_t *remote,
                                const ici_witness_t **out_witness);

// ---- collective.c

// What became of a frame offered to a running collective.
typedef enum ici_offer_t {
  ICI_OFFER_TAKEN = 0,
  ICI_OFFER_KEEP = 1,     // For later; keep it with ici_run_keep.
  ICI_OFFER_FOREIGN = 2,  // Not this collective's.
} ici_offer_t;

ici_offer_t ici_run_offer(ici_run_t *run, const ici_header_t *header,
                          const uint8_t *payload);
void ici_run_keep(ici_run_t *run, ici_kept_t *kept);

#endif  // SERVER_ICI_NODE_H_
