// The clock while it runs: the classes of chips, the collectives in flight, the cores.
// Private to server/simulator.
//
//   core.c        the tasks of a class, one after another, until it has to wait
//   transfers.c   the collectives: lanes, steps, messages
//   routes.c      where messages go, and what a sender's step is at the receiver
//   direct.c      messages between neighbours whose link is free
//   windows.c     all of it by windows of time, where neighbours only meet
//   windows_lanes.c, windows_links.c   the lanes and the links then
//   rounds.c      all of it as far as it is sure what comes next, without a queue
//   rounds_lanes.c, rounds_links.c, rounds_bounds.c, rounds_plans.c   what it needs
//   dataflow.c    collectives that have their links to themselves, without events
//   periods.c     turns of loops that repeat, passed over
//   periods_state.c  how such a turn begins, written down
//   record.c      what is told afterwards
//   simulator.c   the loop over time, and what goes in and out

#ifndef SERVER_SIMULATOR_ENGINE_H_
#define SERVER_SIMULATOR_ENGINE_H_

#include "common/base/list.h"
#include "server/simulator/network.h"
#include "server/simulator/plans.h"
#include "server/simulator/queue.h"
#include "server/simulator/simulator.h"
#include "server/simulator/symmetry.h"

enum {
  // A share of HBM is a multiple of 1 / this; what collectives take together is no more
  // than half of it, since core, DMA and links are served in turn.
  SIMULATOR_SHARE_ONE = 1 << 20,
  SIMULATOR_SHARE_MAX = SIMULATOR_SHARE_ONE / 2,
  // A slowdown of a core is a multiple of 1 / this.
  SIMULATOR_FACTOR_ONE = 1 << 20,
  // Shapes of more peers do not keep their routes.
  SIMULATOR_ROUTES_MAX = 256,
  // Schedules of more lanes go by events.
  SIMULATOR_FLOW_LANES_MAX = 512,
};

// No time lies behind it: about 26 days.
#define SIMULATOR_TIME_MAX_PS (INT64_MAX / 4)

// Tasks begun, turns and messages of one run.
#define SIMULATOR_STEPS_MAX ((int64_t)1 << 32)

typedef enum simulator_kind_t {
  SIMULATOR_FLOW_END = 0,  // a = flow, b = version
  SIMULATOR_RECEIVED = 1,  // a = instance, b = class, c = step
  SIMULATOR_FLIGHT = 2,    // b = class: an asynchronous collective is under way.
  SIMULATOR_BEGIN = 3,     // a = instance, b = class: its lanes may start.
  SIMULATOR_LOCAL = 4,     // a = instance, b = class, c = lane: a local step is done.
  SIMULATOR_COPIES = 5,    // a = instance, b = class: HBM is done with it.
  SIMULATOR_TURN = 6,      // b = class: goes on behind a turn of a loop.
  SIMULATOR_DIRECT = 7,    // As RECEIVED; direct.c has sent it.
  SIMULATOR_SENT = 8,      // a = instance, b = class, c = lane: direct.c's has left.
} simulator_kind_t;

// A class in a plan.
typedef struct simulator_member_t {
  const simulator_shape_t *shape;
  const int32_t *target_steps;       // By step: the receiver's step, or -1.
  int32_t *peer_classes;             // By peer.
  simulator_route_t **routes;        // By peer; made when first needed; NULL: not kept.
  int32_t lane_offset, step_offset;  // Into an instance's lists.
  bool shares_peers;                 // Peers and routes are those of an earlier plan.
  int32_t *peer_links;  // By peer: the only link to it. NULL: not next to all of them.
} simulator_member_t;

typedef enum simulator_lane_state_t {
  SIMULATOR_LANE_WAITING = 0,
  SIMULATOR_LANE_RUNNING = 1,
  SIMULATOR_LANE_DONE = 2,
} simulator_lane_state_t;

typedef struct simulator_lane_run_t {
  int32_t step;  // Of the shape.
  uint8_t state;
  bool is_started;  // The step: its message is on its way or waits for the peer.
  bool is_sent;
  int64_t sent_ps;  // By direct.c: when the message has left; 0: it is not one of its.
} simulator_lane_run_t;

// The same by windows. Times that are not known are INT64_MAX.
typedef struct simulator_window_lane_t {
  int64_t next_ps;  // When its step is done, or may start.
  int64_t sent_ps;  // When the step's message has left.
  int64_t arrival;  // Of what a step that is started receives; 0: not known. windows.h.
  int32_t step;     // Of the shape.
  uint16_t early;   // Arrivals of later steps; from UINT16_MAX on nobody counts.
  uint8_t state;
  bool is_started;
} simulator_window_lane_t;

// Of a step.
enum {
  SIMULATOR_NOT_RECEIVED = 0,
  SIMULATOR_HAS_RECEIVED = 1,
  SIMULATOR_ARRIVAL_OFF = 2,  // Not received; the next SIMULATOR_DIRECT is not true.
};

typedef struct simulator_class_run_t {
  bool has_begun, is_done;
  int32_t parts_left;     // Lanes, and the copies.
  int32_t first_pending;  // Messages that wait for this class to begin, or -1.
  int64_t arrived_ps, done_ps;
  int64_t begin_ps;  // By windows: when it has begun or will; INT64_MAX: not known.
  int32_t event;     // In the class' events, or -1.
} simulator_class_run_t;

// A message whose receiver is not there yet.
typedef struct simulator_pending_t {
  int32_t class_index, lane, next;
} simulator_pending_t;

// One execution of a collective on all chips.
typedef struct simulator_instance_t {
  int32_t plan, task, sequence;
  int32_t done_count;
  int32_t begun_count;
  int32_t deferred_count;  // Classes that have begun at this picosecond.
  int32_t next;  // The next live instance of the task, or the next free one of the plan.
  simulator_class_run_t *classes;
  simulator_lane_run_t *lanes;
  uint8_t *received;  // By step of all classes.
  // By windows, instead of both.
  simulator_window_lane_t *window_lanes;
  int64_t *arrivals;  // By step of all classes: the early ones.
  int32_t arrival_count;
  int64_t last_begin_ps;
  POD_LIST(simulator_pending_t) pending;
  int32_t part;  // By rounds: where it goes on, or -1.
} simulator_instance_t;

typedef struct simulator_run_plan_t {
  simulator_member_t *members;  // By class.
  int32_t lane_total, step_total;
  int32_t first_free;  // Instance, or -1.
  // Messages go to neighbours only, over links that no message of others passes.
  bool has_own_links;
  int32_t steps_max;  // Of one class.
  // If direct.c sends its messages, else NULL: what all classes do alike.
  const simulator_shape_t *shape;
  const int32_t *target_steps;
  int32_t *directions;  // By peer.
  simulator_link_t sent[TORUS_DIRECTIONS];
  int64_t sent_bytes;
} simulator_run_plan_t;

typedef enum simulator_frame_kind_t {
  SIMULATOR_FRAME_PLAIN = 0,  // The entry or a branch.
  SIMULATOR_FRAME_CONDITION = 1,
  SIMULATOR_FRAME_BODY = 2,
} simulator_frame_kind_t;

typedef struct simulator_frame_t {
  simulator_frame_kind_t kind;
  int32_t computation;
  int32_t task, end;             // The next one and the last but one.
  int32_t owner;                 // The WHILE or BRANCH task, or CHIP_NONE.
  int64_t turns_left;            // With the one that is under way.
  int64_t start_ps, waiting_ps;  // When the owner began; what the core had waited then.
  int32_t event;
} simulator_frame_t;

typedef struct simulator_prefetch_t {
  int32_t task, event;
  int64_t start_ps, left_ps;
} simulator_prefetch_t;

// A stretch of time in which the core computed.
typedef struct simulator_stretch_t {
  int64_t start_ps, end_ps;
} simulator_stretch_t;

typedef enum simulator_pcie_t {
  SIMULATOR_TO_HOST = 0,
  SIMULATOR_FROM_HOST = 1,
  SIMULATOR_PCIE_DIRECTIONS = 2,
} simulator_pcie_t;

// HBM that a collective takes, evenly from a time to another one.
typedef struct simulator_load_t {
  int64_t from_ps, until_ps;
  int64_t share;  // In SIMULATOR_SHARE_ONE.
} simulator_load_t;

typedef enum simulator_core_state_t {
  SIMULATOR_CORE_RUNNING = 0,
  SIMULATOR_CORE_WAITING = 1,  // For `waits_for`, in task `waiting_task`.
  SIMULATOR_CORE_ENDED = 2,
} simulator_core_state_t;

typedef struct simulator_core_t {
  simulator_core_state_t state;
  int64_t now_ps;
  int64_t factor;  // In SIMULATOR_FACTOR_ONE.
  const chip_trace_t *trace;
  POD_LIST(simulator_frame_t) frames;
  chip_trace_cursor_t *cursors;  // By control slot.
  int32_t *sequences;            // By collective slot: executions begun.
  int32_t *open;                 // By collective slot: instance, or -1.
  int64_t *fetched_ps;           // By prefetch slot: when it arrived, or -1: not yet.
  int32_t waiting_task, waits_for, waiting_event;
  int64_t waiting_since_ps, cost_ps;
  // DMA, first in, first out.
  int32_t fetch_first;  // The oldest on its way.
  POD_LIST(simulator_prefetch_t) fetches;
  int64_t dma_since_ps;
  POD_LIST(simulator_load_t) loads;  // Of collectives; none ends before now_ps.
  // Between HBM and the host's memory, first in, first out in each direction.
  int64_t pcie_free_ps[SIMULATOR_PCIE_DIRECTIONS];
  int64_t *transferred_ps;  // By transfer slot: when the one begun last arrives.
  // Collectives in flight, in the order of time.
  int32_t flights, flights_ahead;
  int64_t flight_since_ps;  // Computing time at its beginning.
  int32_t stretch_first;    // The oldest that somebody will ask for.
  POD_LIST(simulator_stretch_t) stretches;
  int64_t stretched_ps;  // Sum of the stretches that have been dropped.
} simulator_core_t;

// What is kept of a class while it runs.
typedef struct simulator_log_t {
  POD_LIST(simulator_event_t) events;
  POD_LIST(simulator_message_t) messages;
} simulator_log_t;

// How much a class has told.
typedef struct simulator_log_counts_t {
  int64_t events, events_dropped, messages, messages_dropped;
} simulator_log_counts_t;

// What periods.c knows of the loops.
typedef struct simulator_periods_t simulator_periods_t;

// What windows.c has under way.
typedef struct simulator_windows_t simulator_windows_t;

// What rounds.c has under way.
typedef struct simulator_rounds_t simulator_rounds_t;

// What rounds_episodes.c has met.
typedef struct simulator_memory_t simulator_memory_t;

// Room for dataflow.c, kept from collective to collective.
typedef struct simulator_dataflow_t simulator_dataflow_t;

typedef struct simulator_engine_t {
  const chip_program_t *program;
  const simulator_options_t *options;
  simulator_plans_t plans;
  simulator_classes_t classes;
  int32_t running_count;  // Classes whose chips run the program.
  simulator_queue_t queue;
  simulator_network_t network;
  pod_arena_t *arena;
  simulator_run_plan_t *run_plans;
  POD_LIST(simulator_instance_t) instances;
  const int64_t *starts_ps;  // By chip: when its program starts; NULL: at 0.
  int64_t events_max;        // Kept per class.
  int32_t *slots;            // By task: of its kind's lists in the cores, or -1.
  int32_t collective_slots, prefetch_slots, control_slots, transfer_slots;
  int32_t *live;  // By collective slot: the first live instance, or -1.
  simulator_core_t *cores;
  const chip_cost_t *costs;
  bool has_flights;  // The program has a COLLECTIVE_START.
  POD_LIST(simulator_queue_event_t)
  deferred;  // a = instance, b = class: begun, not started.
  simulator_dataflow_t *dataflow;
  simulator_rounds_t *rounds;    // NULL: not by rounds.
  simulator_memory_t *memory;    // Of rounds; else it may be NULL.
  simulator_windows_t *windows;  // NULL: not by windows. If neither, by the queue.
  simulator_periods_t *periods;  // NULL: no loop has turned.
  int64_t turns_ended;           // Of the first class.
  int64_t now_ps;
  int64_t steps;
  pod_status_t status;  // The first error; the run ends.
  simulator_result_t *result;
  simulator_log_t *logs;  // By class.
} simulator_engine_t;

// ---- simulator.c

// The collective of `task` by itself, which its classes begin at `begins_ps`: when they
// have done it, and, *out_result, which links were busy meanwhile, by chip. By windows or
// by the queue.
POD_MUST_USE pod_status_t simulator_run_alone(simulator_engine_t *engine, int32_t task,
                                              const int64_t *begins_ps,
                                              int64_t *out_ends_ps,
                                              simulator_result_t **out_result);

// CANCELLED when the caller has set `is_cancelled`.
POD_MUST_USE pod_status_t simulator_check_wanted(const simulator_engine_t *engine);

// Of a simulated time beyond SIMULATOR_TIME_MAX_PS.
POD_MUST_USE pod_status_t simulator_too_long(void);

// ---- core.c

void simulator_cores_init(simulator_engine_t *engine);
void simulator_cores_deinit(simulator_engine_t *engine);

// Runs a class from its first task until it waits or ends.
void simulator_core_begin(simulator_engine_t *engine, int32_t class_index);

// The collective that was begun by `task` has arrived.
void simulator_core_arrived(simulator_engine_t *engine, int32_t class_index,
                            int32_t instance);

// The event of an asynchronous collective's beginning.
void simulator_core_flight(simulator_engine_t *engine, int32_t class_index);

// Nothing of the class happens before the clock's time any more.
void simulator_core_bring(simulator_engine_t *engine, int32_t class_index);

// It goes on behind a turn of a loop.
void simulator_core_turn(simulator_engine_t *engine, int32_t class_index);

// ---- transfers.c

void simulator_transfers_deinit(simulator_engine_t *engine);

// All that begins at this picosecond has begun: starts the lanes.
void simulator_transfers_start(simulator_engine_t *engine);

// The class comes to a collective at `at_ps`. Returns the instance.
int32_t simulator_transfers_arrive(simulator_engine_t *engine, int32_t class_index,
                                   int32_t task, int64_t at_ps, int32_t event);

void simulator_transfers_begin(simulator_engine_t *engine, int32_t instance,
                               int32_t class_index);
void simulator_transfers_end(simulator_engine_t *engine, int32_t flow, uint32_t version);
void simulator_transfers_received(simulator_engine_t *engine, int32_t instance,
                                  int32_t class_index, int32_t step);
void simulator_transfers_local(simulator_engine_t *engine, int32_t instance,
                               int32_t class_index, int32_t lane);
void simulator_transfers_sent(simulator_engine_t *engine, int32_t instance,
                              int32_t class_index, int32_t lane);
void simulator_transfers_copied(simulator_engine_t *engine, int32_t instance,
                                int32_t class_index);

// A part of the collective, a lane or the copies, is done on a class.
void simulator_transfers_part_done(simulator_engine_t *engine, int32_t instance,
                                   int32_t class_index);

// When a step has received a message that was on its links from `start_ps` to `end_ps`:
// with its last byte; or, when it is sent on by the next step, with the first piece, but
// not before the link is free. A piece is what is under way in a hop's latency: smaller
// ones would leave the link idle.
static inline int64_t simulator_arrival_ps(bool is_sent_on, int64_t start_ps,
                                           int64_t end_ps, int64_t latency_ps) {
  const int64_t whole_ps = end_ps + latency_ps;
  const int64_t piece_ps = start_ps + 2 * latency_ps;
  if (!is_sent_on || piece_ps >= whole_ps) {
    return whole_ps;
  }
  return piece_ps > end_ps ? piece_ps : end_ps;
}

// That of a step.
int64_t simulator_received_ps(const simulator_step_t *step, int64_t start_ps,
                              int64_t end_ps, int64_t latency_ps);

// ---- routes.c

// Links the members of all plans to each other.
POD_MUST_USE pod_status_t simulator_routes_init(simulator_engine_t *engine);
void simulator_routes_deinit(simulator_engine_t *engine);

// The route of a message; *out_is_owned: the caller's to free.
simulator_route_t *simulator_route(const simulator_engine_t *engine,
                                   simulator_member_t *member, int32_t class_index,
                                   int32_t peer, bool *out_is_owned);

// ---- direct.c

// Finds the plans whose messages it sends.
void simulator_direct_init(simulator_engine_t *engine);

// Starts the message of a lane's step. False: its link is not free.
bool simulator_direct_start(simulator_engine_t *engine, int32_t instance,
                            int32_t class_index, simulator_lane_run_t *run);

// Another message comes onto the link: one that direct.c has on it shares with it.
void simulator_direct_yield(simulator_engine_t *engine, int32_t link);

void simulator_direct_arrive(simulator_engine_t *engine, int32_t instance,
                             int32_t class_index, int32_t step);

// An event comes soon: what it will touch is brought into the cache. Beside a straggler
// the state of thousands of chips does not fit there, and events come in no order that
// the processor could guess.
void simulator_direct_expect(const simulator_engine_t *engine,
                             const simulator_queue_event_t *event);

// The class has done its part of instance `index` by events.
void simulator_direct_done(simulator_engine_t *engine, int32_t index,
                           int32_t class_index);

// ---- windows.c

// Decides whether all goes by windows.
void simulator_windows_init(simulator_engine_t *engine);
void simulator_windows_deinit(simulator_engine_t *engine);

// Runs all to its end, instead of the events in the queue.
POD_MUST_USE pod_status_t simulator_windows_run(simulator_engine_t *engine);

// An event of the class event.b comes, by windows or in the queue.
void simulator_schedule(simulator_engine_t *engine, int64_t time_ps,
                        simulator_queue_event_t event);

// An instance gets its arrivals, and is through with them.
void simulator_windows_open(simulator_engine_t *engine, simulator_instance_t *instance);
void simulator_windows_close(simulator_engine_t *engine, simulator_instance_t *instance);

// The class will begin the collective at `begin_ps`.
void simulator_windows_arrive(simulator_engine_t *engine, int32_t index,
                              int32_t class_index, int64_t begin_ps);

// The channels have been busy up to now as they say. Nothing, if not by windows.
void simulator_windows_bring(simulator_engine_t *engine, int64_t now_ps);

// ---- rounds.c

// Decides whether all goes by rounds, once the cores are there.
void simulator_rounds_init(simulator_engine_t *engine);
void simulator_rounds_deinit(simulator_engine_t *engine);

// Runs all to its end. *out_is_done: false when it cannot be done so, or,
// *out_is_mistaken, has to be begun anew with the same memory; the engine has no use any
// more then.
POD_MUST_USE pod_status_t simulator_rounds_run(simulator_engine_t *engine,
                                               bool *out_is_done, bool *out_is_mistaken);

// Collectives that have been followed (rounds_episodes.c), of runs of one program with
// the same options.
simulator_memory_t *simulator_memory_create(bool looks_up);
void simulator_memory_destroy(simulator_memory_t *memory);

// The class will begin the collective at `begin_ps`.
void simulator_rounds_arrive(simulator_engine_t *engine, int32_t index,
                             int32_t class_index, int64_t begin_ps);

// An event of the class comes.
void simulator_rounds_schedule(simulator_engine_t *engine, int64_t time_ps,
                               simulator_queue_event_t event);

// ---- dataflow.c

// Runs a collective that all classes begin at `now_ps`, as the events would, if each of
// its messages finds its link free. False: one does not, and nothing has been done. The
// ends of the classes come as SIMULATOR_COPIES.
bool simulator_dataflow_run(simulator_engine_t *engine, int32_t instance);
void simulator_dataflow_destroy(simulator_dataflow_t *dataflow);

// ---- periods.c

// All that happens at `now_ps` has happened. If a turn of a loop has begun as one before
// it, goes on behind the turns that repeat.
void simulator_periods_look(simulator_engine_t *engine);
void simulator_periods_deinit(simulator_engine_t *engine);

// ---- record.c

// Makes the result, with its classes.
void simulator_record_init(simulator_engine_t *engine);

// Frees what is not the result's.
void simulator_record_deinit(simulator_engine_t *engine);

// A run of a task begins; its total does not count it yet. Returns the event's index, or
// -1 when it is dropped.
int32_t simulator_record_event(simulator_engine_t *engine, int32_t class_index,
                               int32_t task, int64_t start_ps);
void simulator_record_duration(simulator_engine_t *engine, int32_t class_index,
                               int32_t event, int64_t duration_ps);
void simulator_record_flight(simulator_engine_t *engine, int32_t class_index,
                             int32_t event, int64_t flight_ps);
void simulator_record_message(simulator_engine_t *engine, int32_t class_index,
                              const simulator_message_t *message);
void simulator_record_flow(simulator_engine_t *engine, const simulator_flow_t *flow,
                           int32_t task);

simulator_log_counts_t simulator_record_counts(const simulator_engine_t *engine,
                                               int32_t class_index);

// What a class has told since it stood at `since` comes `times` times again, each time
// `period_ps` later.
void simulator_record_repeat(simulator_engine_t *engine, int32_t class_index,
                             const simulator_log_counts_t *since, int64_t times,
                             int64_t period_ps);

// What a class has told of messages goes back to `counts`.
void simulator_record_undo_messages(simulator_engine_t *engine, int32_t class_index,
                                    const simulator_log_counts_t *counts);

// Moves all into the result.
void simulator_record_finish(simulator_engine_t *engine);

static inline simulator_total_t *simulator_total(simulator_engine_t *engine,
                                                 int32_t class_index, int32_t task) {
  return &engine->result->classes[class_index].totals[task];
}

// A duration on a core that may be slowed.
static inline int64_t simulator_scaled(const simulator_core_t *core, int64_t ps) {
  if (core->factor == SIMULATOR_FACTOR_ONE) {
    return ps;
  }
  const simulator_work_t scaled =
      (simulator_work_t)(uint64_t)ps * (simulator_work_t)(uint64_t)core->factor;
  const simulator_work_t rounded =
      (scaled + SIMULATOR_FACTOR_ONE / 2) / SIMULATOR_FACTOR_ONE;
  return rounded > (simulator_work_t)SIMULATOR_TIME_MAX_PS ? SIMULATOR_TIME_MAX_PS
                                                           : (int64_t)rounded;
}

#endif  // SERVER_SIMULATOR_ENGINE_H_
