// A link of a node: its doors and its pipe, its rings, its queue, and the life it leads.
// Private to server/ici; node.h has the order of the locks.

#ifndef SERVER_ICI_LINK_H_
#define SERVER_ICI_LINK_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/ici/gate.h"
#include "server/ici/kept.h"
#include "server/ici/pipe.h"
#include "server/ici/ring.h"

enum {
  ICI_QUEUE_MAX = 8,  // Frames that wait in a link for the pipe to take them.
  ICI_DOORS_MAX = 2,  // Of a link: ipc and tcp.
  // Frames on a link that the neighbour has not dealt with, and after how many it says
  // so. So many wait at the receiver for room to be passed on; what comes is always read,
  // so that an ACK gets through whatever is stuck behind it.
  ICI_LINK_WINDOW = 24,
  ICI_LINK_ACK_EVERY = 8,
};

// Of a link; the picture is in session.c.
typedef enum ici_phase_t {
  ICI_PHASE_CLOSED = 0,  // No pipe; the keeper asks for one at `until_ns`.
  ICI_PHASE_WAITING,     // For a pipe.
  ICI_PHASE_GREETING,    // Connected.
  ICI_PHASE_UP,
  ICI_PHASE_LEAVING,  // BYE has been said; what still comes is dropped.
  ICI_PHASE_OVER,     // The keeper is to close the pipe.
} ici_phase_t;

struct ici_link_t {
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
  int failures;        // Times in a row that it did not get up.
  // What pipes come from; the keeper's. `is_asked`: and has not answered.
  ici_door_t *doors[ICI_DOORS_MAX];
  int door_count;
  bool is_asked[ICI_DOORS_MAX];
  ici_guest_t guests[ICI_GUESTS_MAX];  // Who has not proven that he belongs here.
  int64_t refusals, refused_told_ns;   // Since the log said so; when it did.
  ici_pipe_t *pipe;                    // From GREETING on.
  // The process at the other end, as the kernel says it; 0: it does not (tcp).
  int32_t peer_process;
  char open_url[ICI_URL_MAX + 1];  // That the door dials.
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

  // Received, in order, and not dealt with: the first is to be passed on and finds no
  // room. Under forward_lock; the count is also read by who receives, the only one who
  // adds.
  ici_kept_list_t blocked;
  atomic_int blocked_count;

  pthread_mutex_t ring_lock;  // For:
  ici_ring_t incoming;
  atomic_bool has_ring;  // Read without the lock by who looks for frames, most often.
};

// ---- link.c: pipes, and frames going out.

// Of the link's own pipe.
extern const ici_pipe_user_t ici_link_user;

// Where the link listens from now on: on a file of its own in `ipc_directory`, on a free
// port of `tcp_host`; either may be NULL. INVALID_ARGUMENT.
POD_MUST_USE pod_status_t ici_link_set_listen(ici_link_t *link, const char *ipc_directory,
                                              const char *tcp_host);

// Asks for a pipe, opening the doors where that has not been done: CLOSED to WAITING.
// Only at first and by the keeper.
POD_MUST_USE pod_status_t ici_link_open(ici_link_t *link);

// Destroys the pipe and what waits of it, and waits until nothing of it can call back any
// more; hangs up on who is at the gate. Only by the keeper.
void ici_link_close(ici_link_t *link);

// With the link's lock: asks the doors for as many pipes as the gate has places for,
// while the link waits for one.
void ici_link_ask(ici_link_t *link);

// Closes the doors, too, for good.
void ici_link_shut(ici_link_t *link);

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

// Asks the pipe for the next frame, if there is a pipe.
void ici_link_receive(ici_link_t *link);

// A frame that came over the pipe has been dealt with.
void ici_link_dealt(ici_link_t *link);

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

// ---- keeper.c: the thread that opens and closes pipes.

void *ici_keeper_run(void *context);

// A link's phase has changed; the keeper looks at once.
void ici_keeper_call(ici_node_t *node);

// ---- session.c: the life of a link.

// A pipe has come whose other end is proven to be the neighbour, in this epoch; says
// hello over it. False: it is not wanted, and stays the caller's.
bool ici_session_begin(ici_link_t *link, ici_pipe_t *pipe, uint64_t peer_epoch);

// The door has no pipe to give.
void ici_session_refused(ici_link_t *link);

// The pipe is of no use any more.
void ici_session_gone(ici_link_t *link);

// A message has come; it stays the caller's. True: it is a frame for the link that is up,
// and *out_header is it. Else it has been dealt with.
bool ici_session_receive(ici_link_t *link, const nng_msg *message,
                         ici_header_t *out_header);

// Whether a frame that came over the link can be true: the neighbour's own are of the
// epoch that it has proven, and this chip's own do not come back. Of a link that is up:
// the caller hears for it, or has its ring_lock.
bool ici_session_believes(const ici_link_t *link, const ici_header_t *header);

// The phase's time has passed; of a link that is up: gives a sign of life, or takes it
// down when none has come. Only by the keeper.
void ici_session_timeout(ici_link_t *link);

// Ends the session in good order, if there is one: says BYE, and closes when the other
// side has answered.
void ici_session_leave(ici_link_t *link, const char *reason);

// From now on `url` is dialled. A session that another address has led to ends in good
// order; one that this address leads to does not.
void ici_session_redirect(ici_link_t *link, const char *url);

// "link +x to chip 1 at ipc:///…"
void ici_link_describe(ici_link_t *link, char *text, size_t size_bytes);

#endif  // SERVER_ICI_LINK_H_
