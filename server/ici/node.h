// What a node is made of. Private to server/ici.
//
// Locks, in the order in which they may be taken together:
//   event_lock    a change of a link's state and the callback that reports it
//   progress      who looks at the incoming rings: the compute thread for the length of a
//                 collective, else the pump thread
//   ring_lock     a link's incoming ring (looking, replacing)
//   forward_lock  frames that wait to be passed on
//   link lock     a link's state, outgoing ring and queue
//   node lock     peers, kept frames, aborted and ended executions
// None is held while nng is called to start an operation, which may call back.

#ifndef SERVER_ICI_NODE_H_
#define SERVER_ICI_NODE_H_

#include <nng/nng.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/ici/bell.h"
#include "server/ici/frame.h"
#include "server/ici/ici.h"
#include "server/ici/remote.h"
#include "server/ici/ring.h"

enum {
  ICI_QUEUE_MAX = 8,  // Frames that wait in a link for nng to take them.
  // Frames on a link that the neighbour has not dealt with, and after how many it says
  // so. With ICI_RECEIVE_BUFFER beyond that (and a few ACKs), nng's own buffer at the
  // receiver is never full: what was read last stays there, as little as possible, when a
  // connection is taken down.
  ICI_LINK_WINDOW = 24,
  ICI_LINK_ACK_EVERY = 8,
  ICI_RECEIVE_BUFFER = 64,
  ICI_SPARE_MESSAGES_MAX = 16,
  ICI_BOUNCE_BYTES = 128 * 1024,  // Fits the second-level cache with what it is added to.
  ICI_ABORTED_MAX = 64,
  ICI_ENDED_MAX = 1024,
  ICI_HELLO_TIMEOUT_MS = 10000,
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
  ICI_KEPT_CONTROLS_MAX = 4 * COLLECTIVE_LANES_MAX,
  ICI_OUTBOX_MAX = 4 * COLLECTIVE_LANES_MAX,  // Control frames that wait for room.
};

#define ICI_NS_PER_MS ((int64_t)1000000)

// A frame that arrived and cannot be used yet. Owns the message.
typedef struct ici_kept_t {
  struct ici_kept_t *next;
  ici_header_t header;
  nng_msg *message;  // Header and payload.
} ici_kept_t;

typedef struct ici_kept_list_t {
  ici_kept_t *first, **end;  // `end` points at the NULL.
} ici_kept_list_t;

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

// Of a link's socket; the picture is in session.c.
typedef enum ici_phase_t {
  ICI_PHASE_CLOSED = 0,  // No socket; the keeper opens one at `until_ns`.
  ICI_PHASE_WAITING,     // Listens or dials.
  ICI_PHASE_GREETING,    // Connected.
  ICI_PHASE_UP,
  ICI_PHASE_LEAVING,  // BYE has been said; what still comes is dropped.
  ICI_PHASE_OVER,     // The keeper is to close the socket.
} ici_phase_t;

typedef struct ici_link_t {
  ici_node_t *node;
  torus_direction_t direction;
  int32_t peer;  // -1: no link.
  bool listens;
  char ipc_url[ICI_URL_MAX + 1], tcp_url[ICI_URL_MAX + 1];  // To listen on; "": do not.
  atomic_int state;                                         // ici_link_state_t
  atomic_uint losses;  // How often it went down: frames may have been lost.
  atomic_bool shares;  // Frames travel in the rings.
  atomic_bool is_tcp;  // The last connection is, or was.
  atomic_llong bytes_sent, frames_sent;

  pthread_mutex_t lock;  // For what follows.
  ici_phase_t phase;
  // When the phase has lasted long enough; UP: when to say something over tcp.
  int64_t until_ns;
  int64_t heard_ns;    // UP: when something came last.
  bool is_ack_wanted;  // Whatever there is to acknowledge: a sign of life.
  int idle_rounds;     // Sockets in a row to which nobody came.
  int failures;        // Connections in a row that did not get up.
  nng_socket socket;
  nng_aio *send_aio, *receive_aio;
  int pipe;  // Id of the connection, from GREETING on.
  char dial_url[ICI_URL_MAX + 1];
  bool got_hello, got_welcome, peer_shares;
  uint64_t peer_epoch;
  nng_msg *queue[ICI_QUEUE_MAX];
  int queue_first, queue_count;
  bool is_sending;
  // Frames of this session: queued and acknowledged; received and dealt with, and
  // acknowledged.
  int64_t put, put_acked, dealt, dealt_acked;
  ici_ring_t outgoing;
  ici_shared_t peer_bell;
  // Received, to be passed on, no room; nothing more is received. Also under
  // forward_lock.
  nng_msg *blocked;
  ici_header_t blocked_header;

  pthread_mutex_t ring_lock;  // For:
  ici_ring_t incoming;
} ici_link_t;

typedef struct ici_run_t ici_run_t;

typedef struct ici_aborted_t {
  uint64_t execution;
  pod_status_t status;
} ici_aborted_t;

struct ici_node_t {
  char pod[ICI_POD_NAME_MAX + 1];
  int32_t chip, chip_count;
  torus_t torus;
  uint64_t epoch;
  bool use_shared_memory;
  int64_t silence_ns;
  uint64_t host;
  ici_link_fn_t on_link;
  void *context;
  ici_link_t links[TORUS_DIRECTIONS];
  ici_shared_t bell_memory;
  ici_bell_t *bell;
  pthread_t pump, keeper;
  bool has_pump, has_keeper;
  atomic_bool goes;  // Says goodbye: begins no session any more.
  atomic_bool stops, run_wants;
  atomic_int waiting;    // Frames in the outbox and blocked ones.
  atomic_long messages;  // In the node's hands, spare ones apart.
  int64_t eager_bytes;   // Room kept for one chip.

  pthread_mutex_t event_lock;
  pthread_mutex_t progress;
  pthread_mutex_t forward_lock;
  atomic_bool has_stuck_ring;  // The first frame of some ring waits to be passed on.
  atomic_uint changes;  // Of links and aborts: a running collective looks when it moves.

  pthread_mutex_t lock;  // For what follows.
  pthread_cond_t link_changed;
  pthread_cond_t keeper_wanted;
  bool keeper_called;
  ici_peer_t *peers;  // By chip.
  ici_run_t *run;     // The collective that runs, when there is one.
  uint8_t *bounce;    // Of the compute thread: what is read to be reduced.
  uint64_t run_execution;
  uint32_t run_sequence;
  unsigned losses_seen[TORUS_DIRECTIONS];  // When the execution ran its first collective.
  ici_kept_list_t inbox;                   // For the collective that runs.
  ici_kept_list_t kept;                    // For others to come.
  ici_kept_list_t outbox;                  // Control frames that wait for room.
  int outbox_count;
  ici_aborted_t aborted[ICI_ABORTED_MAX];
  int aborted_count;
  uint64_t ended[ICI_ENDED_MAX];
  int ended_count, ended_next;
  nng_msg *spare[ICI_SPARE_MESSAGES_MAX];
  int spare_count;
};

// ---- message.c: messages of nng, reused.

// A message of `size_bytes`, contents undefined. NULL: out of host memory.
nng_msg *ici_message_take(ici_node_t *node, size_t size_bytes);

// Header and payload in a message. NULL: out of host memory.
nng_msg *ici_message_make(ici_node_t *node, const ici_header_t *header,
                          const void *payload);

// A message came from nng, went to nng for good. Every message that is in the node's
// hands is counted, so that a lost one is found out when the node ends.
void ici_message_got(ici_node_t *node);
void ici_message_gone(ici_node_t *node);

// Takes the message and frees it. Needs no lock.
void ici_message_free(ici_node_t *node, nng_msg *message);

// Takes the message back for reuse.
void ici_message_give(ici_node_t *node, nng_msg *message);

void ici_kept_init(ici_kept_list_t *list);
void ici_kept_push(ici_kept_list_t *list, ici_kept_t *kept);
// Removes and returns *link, which is `first` or a `next` of the list.
ici_kept_t *ici_kept_remove(ici_kept_list_t *list, ici_kept_t **link);
ici_kept_t *ici_kept_make(const ici_header_t *header, nng_msg *message);
void ici_kept_free(ici_node_t *node, ici_kept_t *kept);
const uint8_t *ici_kept_payload(const ici_kept_t *kept);

// ---- link.c: sockets, and frames going out.

// Where the link listens from now on: on a file of its own in `ipc_directory`, on a free
// port of `tcp_host`; either may be NULL. INVALID_ARGUMENT.
POD_MUST_USE pod_status_t ici_link_set_listen(ici_link_t *link, const char *ipc_directory,
                                              const char *tcp_host);

// Opens a socket that listens or dials: CLOSED to WAITING. On an error the socket is to
// be closed nevertheless. Only at first and by the keeper.
POD_MUST_USE pod_status_t ici_link_open(ici_link_t *link);

// Closes the socket and waits until nothing of it can call back any more. Only by the
// keeper.
void ici_link_close(ici_link_t *link);

POD_MUST_USE pod_status_t ici_link_dial(ici_link_t *link, const char *url);

typedef enum ici_put_t {
  ICI_PUT_DONE = 0,
  ICI_PUT_FULL = 1,  // The bell will ring when there is room.
  ICI_PUT_DOWN = 2,
} ici_put_t;

// Hands a frame to the link, copying the payload. `spare`: how many more frames must
// still fit behind it, 0 for one that goes straight on in its ring of the torus, 1 for
// one that enters it.
ici_put_t ici_link_put(ici_link_t *link, const ici_header_t *header, const void *payload,
                       int spare);

// The same with a message that was received, which it takes when DONE.
ici_put_t ici_link_put_message(ici_link_t *link, const ici_header_t *header,
                               nng_msg *message, int spare);

// The last message has been dealt with: asks for the next one. From the link's callback,
// or under forward_lock in the name of a `blocked` message.
void ici_link_receive(ici_link_t *link);

// The neighbour has dealt with `count` frames of this session.
void ici_link_acked(ici_link_t *link, int64_t count);

// Puts a message into the queue whatever the link's state: for handshakes. Takes it. To
// be followed by ici_link_kick.
void ici_link_push(ici_link_t *link, nng_msg *message);

// Lets the queue move on. Call without the link's lock.
void ici_link_kick(ici_link_t *link);

// Throws away what is queued. The caller holds the link's lock.
void ici_link_clear(ici_link_t *link);

// The longest payload to cut own messages into.
int64_t ici_link_piece_bytes(const ici_link_t *link);

// ---- keeper.c: the thread that opens and closes sockets.

void *ici_keeper_run(void *node);

// A link's phase has changed; the keeper looks at once.
void ici_keeper_call(ici_node_t *node);

// Opens a link's socket for the first time.
POD_MUST_USE pod_status_t ici_keeper_open(ici_link_t *link);

// ---- session.c: the life of a socket.

// A connection is about to be made; says hello. False: it is not wanted; close it.
bool ici_session_begin(ici_link_t *link, nng_pipe pipe);

// A connection is gone.
void ici_session_gone(ici_link_t *link, nng_pipe pipe);

// A message has come; it stays the caller's. True: it is a frame for the link that is up,
// and *out_header is it. Else it has been dealt with.
bool ici_session_receive(ici_link_t *link, const nng_msg *message,
                         ici_header_t *out_header);

// The phase's time has passed; of a link that is up: gives a sign of life, or takes it
// down when none has come. Only by the keeper.
void ici_session_timeout(ici_link_t *link);

// Ends the session in good order, if there is one: says BYE, and closes when the other
// side has answered.
void ici_session_leave(ici_link_t *link, const char *reason);

// ---- route.c: what becomes of a frame that arrived.

// A frame came over `link`. Takes the message, unless it returns false: then it must wait
// to be passed on, and nothing more may be received before (`blocked` holds it).
bool ici_route_message(ici_link_t *link, const ici_header_t *header, nng_msg *message);

// Looks at all incoming rings once and handles what is there; `run` gets its frames
// directly. The caller has `progress`. True: there was something.
bool ici_route_rings(ici_node_t *node, ici_run_t *run);

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

// Whether `epoch` is the one that was last heard from `chip`.
bool ici_node_knows(ici_node_t *node, int32_t chip, uint64_t epoch);

// Why the execution may not go on: a copy of the reason it was aborted with, or that it
// has ended. NULL: it may.
pod_status_t ici_node_aborted(ici_node_t *node, uint64_t execution);

// The collective that runs from now on (NULL: none any more). Returns what was kept for
// it.
ici_kept_list_t ici_node_set_run(ici_node_t *node, ici_run_t *run,
                                 const ici_collective_t *collective);

static inline int64_t ici_eager_cost(const ici_header_t *header) {
  return (int64_t)header->payload_bytes + ICI_FRAME_COST_BYTES;
}

// The links have changed: running collectives and waiters look again.
void ici_node_changed(ici_node_t *node);

// "link +x to chip 1 at ipc:///…"
void ici_link_describe(ici_link_t *link, char *text, size_t size_bytes);

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
