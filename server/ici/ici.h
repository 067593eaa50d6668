// The inter-chip links of one chip: a connection per torus link, between neighbours only.
// What goes further is passed on, hop by hop. Collectives are run over them from their
// schedules.
//
// Links:     the chip whose neighbour lies in direction +x (+y, +z) listens, the chip
//            that sees it in direction -x dials. A link is up when both have proven
//            that they know the secret of the links (proof.h) and shaken hands: same pod,
//            the chips that belong there, same version. Whoever does not, or talks
//            nonsense, loses its connection, nothing else.
// Transport: a pipe (pipe.h): nng's byte streams, over ipc://, tcp:// or tls+tcp://. When
// both ends are on one host
//            and allow it, short payloads and wake-ups travel in shared memory, long ones
//            are read by their receiver where they lie, and the pipe tells that the
//            other end lives.
// Deadlock:  frames are routed in dimension order and enter a ring only while a place
//            stays free in it (route.c has the argument); and what arrives for this chip
//            is always taken off the link at once, because senders send beforehand no
//            more than there is room kept for (collective.c).
// Threading: functions say which threads may call them. Callbacks come from threads of
//            the links; they must only enqueue and return.
// Errors:    UNAVAILABLE names the chip and the address that is gone.

#ifndef SERVER_ICI_ICI_H_
#define SERVER_ICI_ICI_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/chip/torus.h"
#include "server/collective/schedule.h"
#include "server/ici/executor.h"
#include "server/program/profile.h"

enum {
  ICI_POD_NAME_MAX = 63,
  ICI_URL_MAX = 127,
  ICI_SILENCE_MS = 30000,
  ICI_SECRET_BYTES = 32,
  ICI_RUNS_MAX = 16,  // Collectives of a chip under way; all but one of them are paused.
};

typedef struct ici_node_t ici_node_t;

typedef enum ici_link_state_t {
  ICI_LINK_ABSENT = 0,  // The torus has no link in this direction.
  ICI_LINK_DOWN = 1,
  ICI_LINK_UP = 2,
} ici_link_state_t;

typedef struct ici_link_event_t {
  torus_direction_t direction;
  int32_t peer;            // The neighbour's chip id.
  ici_link_state_t state;  // UP or DOWN.
  uint64_t peer_epoch;     // UP: the neighbour's. A restarted neighbour has another.
  const char *url;         // The address that was dialled or listened on.
  const char *reason;      // DOWN: why, a sentence. "" when UP.
} ici_link_event_t;

// Called on a thread of the links, one event at a time per link, never after
// ici_node_destroy has returned. The strings are borrowed for the call. Must not call
// back into the node.
typedef void (*ici_link_fn_t)(void *context, const ici_link_event_t *event);

struct ici_carrier_t;  // pipe.h

// In PEM: one's own certificate (and those between it and the authority), its key, and
// the authorities that must have signed the neighbours'.
typedef struct ici_tls_files_t {
  const char *certificate, *key, *ca;
} ici_tls_files_t;

typedef struct ici_node_config_t {
  const char *pod;  // Name or id of the pod, at most ICI_POD_NAME_MAX bytes.
  int32_t chip;
  torus_t torus;
  uint64_t epoch;  // Of this process at its place: higher than its predecessors'. > 0.
  // ICI_SECRET_BYTES that the pod's workers share and nobody else knows, copied: both
  // ends of a link prove it. NULL: zeros, which everybody knows.
  const uint8_t *link_secret;
  const char *ipc_directory;  // Listen on ipc:// sockets in it; NULL: do not.
  const char *tcp_host;       // Listen on tcp://HOST with a free port; NULL: do not.
  // Links between hosts are tls+tcp:// with them, at both ends, and no other. NULL:
  // plain.
  const ici_tls_files_t *tls;
  bool use_shared_memory;  // With neighbours on this host that allow it too.
  // For how long a tcp:// neighbour may be silent before the link is down; it says
  // something four times as often. 0: ICI_SILENCE_MS. >= 100.
  int32_t silence_ms;
  const struct ici_carrier_t *carrier;  // Of the links; NULL: nng.
  collective_combine_fn_t combine;      // NULL: no collective reduces.
  ici_link_fn_t on_link;                // May be NULL.
  void *context;
} ici_node_config_t;

// Listens for the neighbours in directions +x, +y, +z. Strings are copied.
// INVALID_ARGUMENT, UNAVAILABLE (cannot listen), RESOURCE_EXHAUSTED.
POD_MUST_USE pod_status_t ici_node_create(const ici_node_config_t *config,
                                          ici_node_t **out_node);

// Closes everything; no collective may be running (abort it and let it return first).
// Accepts NULL.
void ici_node_destroy(ici_node_t *node);

// Reads the files of its TLS again: links that come up from now on show the new
// certificate, and believe the new authorities. After an error, INVALID_ARGUMENT, all is
// as it was. Without TLS nothing happens.
POD_MUST_USE pod_status_t ici_node_renew_tls(ici_node_t *node);

// Where the neighbour in `direction` can dial: "ipc:///…", "tcp://10.0.0.1:40123" or
// "tls+tcp://10.0.0.1:40123". NULL
// when this side dials, or does not listen in that way. Borrowed from the node. Any
// thread.
const char *ici_node_ipc_url(const ici_node_t *node, torus_direction_t direction);
const char *ici_node_tcp_url(const ici_node_t *node, torus_direction_t direction);

// Dials the neighbour in a direction in which it listens (-x, -y, -z), and again whenever
// the connection is lost, until another URL is given. The same URL again does nothing.
// Any thread. INVALID_ARGUMENT: no such link, a direction in which this side listens, no
// URL of the two kinds.
POD_MUST_USE pod_status_t ici_node_dial(ici_node_t *node, torus_direction_t direction,
                                        const char *url);

// Closes the connection in a direction, if there is one, when its other end is known to
// be gone though nobody said so (a silent host): a restarted neighbour can then take its
// place. Listening and dialling go on. Any thread.
void ici_node_disconnect(ici_node_t *node, torus_direction_t direction);

// Any thread.
ici_link_state_t ici_node_link_state(ici_node_t *node, torus_direction_t direction);

// Waits until every link of the torus is up. DEADLINE_EXCEEDED names those that are not.
// `deadline_ns` is on pod_clock_now_ns. Any thread.
POD_MUST_USE pod_status_t ici_node_wait_up(ici_node_t *node, int64_t deadline_ns);

// How a collective makes way for another execution of its chip. While it is paused, what
// comes for it is taken in, what it offers may be read, and its buffers stay as they are.
typedef struct ici_pause_t {
  bool (*is_wanted)(void *context);  // A look; ici_node_wake after it has changed.
  // Blocks the thread, of which another one may run collectives meanwhile. False: it is
  // not to go on but to end, and others may still run.
  bool (*wait)(void *context);
  void *context;
} ici_pause_t;

typedef struct ici_collective_t {
  const collective_schedule_t *schedule;  // Planned for this chip on this torus.
  collective_buffers_t buffers;
  // Which collective of which execution: the same on all chips of the group; the sequence
  // rises within an execution. Executions are told apart by id alone: an id is never used
  // again.
  uint64_t execution;
  uint32_t sequence;
  int64_t deadline_ns;       // On pod_clock_now_ns; INT64_MAX for none.
  const ici_pause_t *pause;  // Borrowed; NULL: it is never paused.
} ici_collective_t;

// Carries the collective out and returns when this chip's part is done: OUTPUT is
// complete and INPUT may be reused. One thread at a time (the chip's compute thread), and
// those whose collectives are paused: ICI_RUNS_MAX in all, of different executions.
// UNAVAILABLE as soon as a link that it needs is down; DEADLINE_EXCEEDED; DATA_LOSS when
// peers disagree about the schedule; the status given to ici_node_abort. After an error
// OUTPUT is undefined and the execution is over: call ici_node_end.
POD_MUST_USE pod_status_t ici_collective_run(ici_node_t *node,
                                             const ici_collective_t *collective);

// This chip is told about the execution: what other chips say about it counts from now
// on, until ici_node_end. To be called when an execution has to wait for its turn;
// ici_collective_run does it, too. Any thread.
void ici_node_begin(ici_node_t *node, uint64_t execution);

// What a pause of the collective that runs says has changed. Any thread.
void ici_node_wake(ici_node_t *node);

// Wakes the execution's collective, if one is running, and fails those that it would
// still start, with a copy of `status` (takes it). Any thread. Ended by ici_node_end.
void ici_node_abort(ici_node_t *node, uint64_t execution, pod_status_t status);

// The execution is over on this chip, whether it ran or not: frames kept for it are
// dropped, now and when they come later. Call it for every execution that this chip was
// told about. Any thread, but not while a collective of that execution runs.
void ici_node_end(ici_node_t *node, uint64_t execution);

// What has gone out over each link since the node was made, what was passed on for others
// included: payload bytes and frames with payload. Any thread.
void ici_node_totals(ici_node_t *node, chip_link_total_t out_totals[TORUS_LINKS]);

#endif  // SERVER_ICI_ICI_H_
