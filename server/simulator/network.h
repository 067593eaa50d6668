// The links of the torus and the messages on them.
//
// A message occupies every link of its route from its start until its last byte has left
// the source. Each link shares its rate evenly between its messages; a message moves at
// the narrowest share on its route. Whenever a share changes, the work left is settled
// and the end is found anew.
//
// Arithmetic: a full rate is SIMULATOR_FULL_RATE per picosecond; work is what a full rate
// does in its time. Settling subtracts whole numbers and rounds nothing, and shares are
// looked at only when all that happens at one picosecond has happened: the result does
// not depend on the order of events of the same time.
//
// Cost: of a change, the messages on the links it touches. Threading: one thread.

#ifndef SERVER_SIMULATOR_NETWORK_H_
#define SERVER_SIMULATOR_NETWORK_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/list.h"
#include "server/chip/torus.h"
#include "server/simulator/channels.h"
#include "server/simulator/queue.h"

// Divisible by 1 … 16, so that small shares are exact.
#define SIMULATOR_FULL_RATE ((int64_t)720720 << 20)

__extension__ typedef unsigned __int128 simulator_work_t;

// `from` and `to` of the message as the chip that has the link sees them.
typedef struct simulator_hop_t {
  int32_t link;  // class · SIMULATOR_CHANNELS + channel
  int32_t from, to;
} simulator_hop_t;

typedef struct simulator_route_t {
  int32_t hop_count;
  int64_t latency_ps;
  simulator_hop_t hops[];
} simulator_route_t;

typedef struct simulator_flow_t {
  const simulator_route_t *route;
  bool is_active, is_dirty;
  bool owns_route;   // Freed with the flow.
  uint32_t version;  // Of its end event; older ones are stale.
  simulator_work_t left;
  int64_t full_ps;  // Alone on full links.
  int64_t rate;     // In SIMULATOR_FULL_RATE; 0: not looked at yet.
  int64_t settled_ps, start_ps;
  int64_t bytes;
  bool is_counted;  // Somebody else adds it to the bytes and messages of its links.
  bool is_resumed;  // A part of it has gone before.
  int32_t instance, class_index, step;  // Whose it is; the network does not look at them.
} simulator_flow_t;

typedef struct simulator_channel_t {
  int64_t rate;  // In SIMULATOR_FULL_RATE.
  bool is_dirty, was_busy;
  POD_LIST(int32_t) flows;  // One entry per crossing.
  int64_t busy_since_ps, busy_ps;
  int64_t bytes, messages;
} simulator_channel_t;

// The only message on a link, whose end is known (direct.c).
typedef struct simulator_direct_t {
  int64_t start_ps, end_ps;  // Of the last one; from its end on the link is free.
  int64_t busy_ps;           // Not yet in the channel's.
  int64_t rate;              // The channel's.
  int32_t crossing_count;    // Of the channel.
  int32_t peer_class;        // At the end of the link.
  int32_t instance, step;    // Whose it is.
  bool is_used;              // Some plan sends over it.
} simulator_direct_t;

// When any link of a class is busy.
typedef struct simulator_any_t {
  int64_t until_ps;   // So far it has been counted.
  int64_t direct_ps;  // So long there are direct messages.
  int64_t busy_ps;
  int32_t busy_links;  // With other messages.
} simulator_any_t;

typedef struct simulator_network_t {
  simulator_queue_t *queue;
  uint32_t end_event;  // Kind of event: a = flow, b = its version.
  int32_t channel_count;
  simulator_channel_t *channels;
  POD_LIST(simulator_flow_t) flows;
  POD_LIST(int32_t) free_flows;
  int32_t dirty_count;
  int32_t *dirty;  // Channels.
  POD_LIST(int32_t) dirty_flows;
  simulator_direct_t *direct;  // By channel.
  simulator_any_t *any;        // By class.
} simulator_network_t;

// `rates`: by link, in SIMULATOR_FULL_RATE, > 0. The queue is borrowed.
void simulator_network_init(simulator_network_t *network, int32_t class_count,
                            const int64_t *rates, simulator_queue_t *queue,
                            uint32_t end_event);
void simulator_network_deinit(simulator_network_t *network);

// Puts a message on its links; its end comes as an event after the next settle. Takes
// `flow` with route, full_ps, bytes and whose it is.
void simulator_network_start(simulator_network_t *network, const simulator_flow_t *flow,
                             int64_t now_ps);

// A direct message has come onto its link.
void simulator_network_direct(simulator_network_t *network, int32_t link, int64_t now_ps);

// What is left of a direct message goes on as `flow`.
void simulator_network_resume(simulator_network_t *network, int32_t link,
                              const simulator_flow_t *flow, int64_t now_ps);

// When any link was busy is counted up to now. Within what is counted at once, links only
// become free: all direct messages have begun before.
static inline void simulator_network_bring_any(simulator_any_t *any, int64_t now_ps) {
  int64_t end_ps = now_ps;
  if (any->busy_links == 0 && any->direct_ps < now_ps) {
    end_ps = any->direct_ps;
  }
  if (end_ps > any->until_ps) {
    any->busy_ps += end_ps - any->until_ps;
  }
  any->until_ps = now_ps;
}

// All sums are those up to now; what direct messages will yet be busy is counted already.
void simulator_network_bring(simulator_network_t *network, int64_t now_ps);

// How long a message takes alone on a link of a rate.
int64_t simulator_network_alone(int64_t full_ps, int64_t rate);

// The end event of a flow has come. NULL: it is stale. Otherwise the flow is off its
// links; the pointer is good until the next start.
const simulator_flow_t *simulator_network_end(simulator_network_t *network, int32_t flow,
                                              uint32_t version);

// All that happens at `now_ps` so far has been told: finds the rates anew. True: there
// was something to do.
bool simulator_network_settle(simulator_network_t *network, int64_t now_ps);

#endif  // SERVER_SIMULATOR_NETWORK_H_
