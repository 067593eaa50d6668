// Runs a schedule over the links: the executor says what to do, this file moves the
// bytes.
//
// Room. Frames must be taken off the links whatever state their receiver is in, and
// memory must stay bounded, so nobody sends what there is no room for:
//   - Short steps (ICI_EAGER_STEP_BYTES) are sent beforehand. For every other chip there
//     is room for ICI_EAGER_BYTES_MAX of them; CREDIT says what has been used. When the
//     room is taken, the sender sends a REQUEST and waits.
//   - Between processes of one host a longer step is not sent at all: a REQUEST says
//     where it lies, and is passed on from chip to chip as the bytes would be. The
//     receiver reads it there when it has come to the step, and its GRANT says that it
//     has. If it cannot read (another host behind the neighbour), it grants. What may be
//     read, and how that is proven, is in offered.c.
//   - Other longer steps are sent when the receiver has come to them: it says so with a
//     GRANT, for a window that moves on as the bytes are used. To a neighbour it does so
//     unasked; any other is asked by a REQUEST.
// A run that is paused (ici_pause_t) leaves the watch to others and keeps the rest: what
// comes for it goes to its inbox, as what comes by a socket always does, and that is
// taken before it looks at the rings again, where newer frames are.
//
// A GRANT is for a step at which its receiver stands, so what it lets through is used at
// once. A schedule runs to its end without any buffer between chips (schedule.h), so with
// grants alone it always moves on; sending beforehand only makes it faster.

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "server/ici/node.h"

enum {
  // How long to poll before sleeping: about what waking up costs.
  POLL_NS = 50 * 1000,
  YIELDS_PER_LOOK = 1,
};

typedef enum send_mode_t {
  SEND_UNDECIDED = 0,
  SEND_EAGER,
  SEND_GRANTED,  // Or waiting for the grant.
  SEND_OFFERED,  // To be read.
} send_mode_t;

typedef struct lane_t {
  int32_t step;  // That the rest is about; -1: none.
  send_mode_t mode;
  bool grants;       // The sender of the step waits for grants.
  int64_t may_send;  // Bytes of the step.
  int64_t granted;   // Bytes of the step that its sender may send.
  bool is_offered;   // The step can be read:
  ici_remote_t remote;
  const ici_witness_t *witness;
  uint64_t version;
  ici_kept_list_t kept;
} lane_t;

struct ici_run_t {
  ici_arrivals_t arrivals;
  ici_node_t *node;
  const ici_collective_t *collective;
  collective_executor_t executor;
  lane_t *lanes;
  uint64_t consent;              // To read its buffers; 0: nobody may.
  unsigned links_used;           // Bits by direction.
  unsigned losses[TORUS_LINKS];  // When the execution ran its first collective.
  unsigned changes_seen;
  bool is_away;    // Paused: others may have the watch.
  unsigned liars;  // Links, bits by direction, over which came what cannot be true.
  pod_status_t failure;
  int32_t told;  // Who heard last, in answer to a frame, that this chip has given up.
};

static void fail(ici_run_t *run, pod_status_t status) {
  if (run->failure == NULL) {
    run->failure = status;
  } else {
    pod_status_free(status);
  }
}

static ici_header_t header_of(const ici_run_t *run, ici_kind_t kind, int32_t destination,
                              int32_t lane, int32_t tag) {
  ici_header_t header = ici_node_header(run->node, kind, destination);
  header.execution = run->collective->execution;
  header.sequence = run->collective->sequence;
  header.lane = lane;
  header.tag = tag;
  return header;
}

// The link over which frames for `chip` go out; *out_is_neighbour: and come to it.
static ici_link_t *link_to(const ici_run_t *run, int32_t chip, bool *out_is_neighbour) {
  ici_node_t *node = run->node;
  const torus_direction_t direction = torus_next_hop(&node->torus, node->chip, chip);
  *out_is_neighbour = torus_neighbour(&node->torus, node->chip, direction) == chip;
  return &node->links[direction];
}

static torus_direction_t last_hop(const torus_t *torus, int32_t from, int32_t to) {
  torus_direction_t direction = -1;
  for (int32_t at = from; at != to; at = torus_neighbour(torus, at, direction)) {
    direction = torus_next_hop(torus, at, to);
  }
  return direction ^ 1;  // Seen from `to`.
}

// Longer steps that come from a neighbour over a socket are granted without being asked
// for. Both ends of a link know whether it is one.
static bool grants_unasked(const ici_run_t *run, const collective_step_t *step) {
  const ici_node_t *node = run->node;
  if (step->receive_from == COLLECTIVE_NONE ||
      step->target_bytes <= ICI_EAGER_STEP_BYTES) {
    return false;
  }
  const torus_direction_t direction =
      last_hop(&node->torus, step->receive_from, node->chip);
  return torus_neighbour(&node->torus, node->chip, direction) == step->receive_from &&
         !atomic_load(&node->links[direction].shares);
}

// The lane's own notes, about the step at which the executor stands.
static lane_t *lane_at_step(ici_run_t *run, int32_t index,
                            const collective_step_t *step) {
  lane_t *lane = &run->lanes[index];
  const int32_t at = run->executor.lanes[index].step;
  if (lane->step != at) {
    lane->step = at;
    lane->mode = SEND_UNDECIDED;
    lane->may_send = 0;
    lane->granted = 0;
    lane->is_offered = false;
    lane->grants = grants_unasked(run, step);
  }
  return lane;
}

// ---- Frames coming in.

static bool is_eager(const ici_header_t *header) {
  return (header->flags & ICI_FLAG_EAGER) != 0;
}

static void look_at_changes(ici_run_t *run);

// A link that was down meanwhile is the better reason.
static ici_offer_t confused(ici_run_t *run, const ici_header_t *header) {
  look_at_changes(run);
  fail(run,
       pod_error(POD_DATA_LOSS,
                 "chip %d sent %u bytes at %" PRId64 " of %" PRId64
                 " in lane %d under tag %d, which the schedule of chip %d does not "
                 "have there: the chips disagree about collective %u",
                 header->source, header->payload_bytes, header->offset, header->total,
                 header->lane, header->tag, run->node->chip, header->sequence));
  return ICI_OFFER_TAKEN;
}

// Whether a link somewhere on the way has lost what came before, and is up again.
static bool has_lost_some(const ici_run_t *run, const ici_header_t *header) {
  const collective_step_t *step = collective_executor_step(&run->executor, header->lane);
  return step != NULL && step->tag == header->tag &&
         step->receive_from == header->source &&
         header->offset > run->executor.lanes[header->lane].received_bytes;
}

static ici_offer_t lost(ici_run_t *run, const ici_header_t *header) {
  look_at_changes(run);
  fail(run, pod_error(POD_UNAVAILABLE,
                      "chip %d: of what chip %d sends, %" PRId64
                      " bytes were lost on the way: a link was down",
                      run->node->chip, header->source,
                      header->offset - run->executor.lanes[header->lane].received_bytes));
  return ICI_OFFER_TAKEN;
}

static ici_offer_t offer_data(ici_run_t *run, const ici_header_t *header,
                              const uint8_t *payload) {
  if (has_lost_some(run, header)) {
    return lost(run, header);
  }
  switch (collective_executor_receive(&run->executor, header->lane, header->tag,
                                      header->source, header->offset, payload,
                                      header->payload_bytes)) {
    case COLLECTIVE_ARRIVAL_TAKEN:
      return ICI_OFFER_TAKEN;
    case COLLECTIVE_ARRIVAL_EARLY:
      return ICI_OFFER_KEEP;
    default:
      return confused(run, header);
  }
}

static void hear_offer(ici_run_t *run, lane_t *lane, const collective_step_t *step,
                       const ici_header_t *header, const uint8_t *payload) {
  ici_remote_decode(payload, &lane->remote);
  if (lane->remote.size_bytes != step->target_bytes) {
    confused(run, header);
    return;
  }
  lane->version = (uint64_t)header->offset;
  switch (ici_offered_check(run->node, header, &lane->remote, &lane->witness)) {
    case ICI_OFFERED_HERE:
      lane->is_offered = true;
      return;
    case ICI_OFFERED_ELSEWHERE:
      lane->grants = true;
      return;
    case ICI_OFFERED_PAST:
      return;
    default:
      run->liars |= 1u << (header->via - 1);
      fail(run, pod_error(POD_DATA_LOSS,
                          "chip %d offers memory of process %d, which has not offered it",
                          header->source, lane->remote.process));
      return;
  }
}

static void hear_request(ici_run_t *run, lane_t *lane, const collective_step_t *step,
                         const ici_header_t *header, const uint8_t *payload) {
  if (step->receive_from != header->source || lane->granted > 0) {
    return;  // It has been granted in the meantime.
  }
  if (header->payload_bytes == ICI_REMOTE_BYTES) {
    hear_offer(run, lane, step, header, payload);
    return;
  }
  lane->grants = true;
}

static void hear_grant(ici_run_t *run, lane_t *lane, const collective_step_t *step,
                       const ici_header_t *header) {
  if (step->send_to != header->source || lane->mode == SEND_EAGER) {
    return;
  }
  if ((header->flags & ICI_FLAG_READ) == 0) {
    if (lane->mode == SEND_OFFERED) {
      ici_node_not_read_by(run->node, header->source);
    }
    lane->mode = SEND_GRANTED;
    lane->may_send = header->offset > lane->may_send ? header->offset : lane->may_send;
  } else if (lane->mode == SEND_OFFERED) {
    lane->mode = SEND_GRANTED;  // And sent.
    collective_executor_sent(&run->executor, header->lane, step->source_bytes);
  }
}

// GRANT and REQUEST: about a step that the lane is at, will come to, or has left.
static ici_offer_t offer_control(ici_run_t *run, const ici_header_t *header,
                                 const uint8_t *payload) {
  const collective_step_t *step = collective_executor_step(&run->executor, header->lane);
  if (step == NULL) {
    const bool is_done = run->executor.lanes[header->lane].state == COLLECTIVE_LANE_DONE;
    return is_done ? ICI_OFFER_TAKEN : ICI_OFFER_KEEP;
  }
  if (header->tag != step->tag) {
    return header->tag > step->tag ? ICI_OFFER_KEEP : ICI_OFFER_TAKEN;
  }
  lane_t *lane = lane_at_step(run, header->lane, step);
  if (header->kind == ICI_REQUEST) {
    hear_request(run, lane, step, header, payload);
  } else {
    hear_grant(run, lane, step, header);
  }
  return ICI_OFFER_TAKEN;
}

static ici_offer_t offer(ici_run_t *run, const ici_header_t *header,
                         const uint8_t *payload) {
  if (header->lane >= run->executor.schedule->lane_count) {
    return confused(run, header);
  }
  return header->kind == ICI_DATA ? offer_data(run, header, payload)
                                  : offer_control(run, header, payload);
}

// Offers again what was early, in the order in which it came, until nothing of it is
// taken.
static bool offer_kept(ici_run_t *run, int32_t index) {
  ici_kept_list_t *list = &run->lanes[index].kept;
  bool found = false;
  for (ici_kept_t **at = &list->first; *at != NULL && run->failure == NULL;) {
    if (offer(run, &(*at)->header, ici_kept_payload(*at)) != ICI_OFFER_TAKEN) {
      at = &(*at)->next;
      continue;
    }
    ici_kept_t *kept = ici_kept_remove(list, at);
    if (is_eager(&kept->header)) {
      ici_node_account(run->node, kept->header.source, 0, ici_eager_cost(&kept->header));
    }
    ici_kept_free(run->node, kept);
    found = true;
    at = &list->first;
  }
  return found;
}

// What was kept comes before what comes.
static ici_offer_t offer_in_order(ici_run_t *run, const ici_header_t *header,
                                  const uint8_t *payload) {
  if (header->lane < run->executor.schedule->lane_count &&
      run->lanes[header->lane].kept.first != NULL) {
    offer_kept(run, header->lane);
  }
  return offer(run, header, payload);
}

void ici_run_keep(ici_run_t *run, ici_kept_t *kept) {
  ici_kept_push(&run->lanes[kept->header.lane].kept, kept);
}

static void drop(ici_run_t *run, ici_kept_t *kept) {
  if (run->failure != NULL && kept->header.source != run->told) {
    run->told = kept->header.source;
    ici_node_tell_given_up(run->node, &kept->header);
  }
  if (is_eager(&kept->header)) {
    ici_node_account(run->node, kept->header.source, 0, ici_eager_cost(&kept->header));
  }
  ici_kept_free(run->node, kept);
}

// Empties the inbox, which the threads of nng fill, and the pump while it is paused.
// True: there was something.
static bool take_inbox(ici_run_t *run) {
  ici_kept_t *first = ici_node_arrived(run->node, &run->arrivals).first;
  for (ici_kept_t *kept = first; kept != NULL;) {
    ici_kept_t *next = kept->next;
    if (run->failure != NULL ||
        offer_in_order(run, &kept->header, ici_kept_payload(kept)) == ICI_OFFER_TAKEN) {
      drop(run, kept);
    } else {
      ici_run_keep(run, kept);
    }
    kept = next;
  }
  return first != NULL;
}

ici_offer_t ici_run_offer(ici_run_t *run, const ici_header_t *header,
                          const uint8_t *payload) {
  const bool is_mine = header->execution == run->collective->execution &&
                       header->sequence == run->collective->sequence &&
                       header->kind >= ICI_DATA && header->kind <= ICI_REQUEST;
  if (!is_mine || run->failure != NULL ||
      !ici_node_knows(run->node, header->source, header->epoch)) {
    return ICI_OFFER_FOREIGN;
  }
  // The first frame of a chip not heard of before goes round by the inbox: it is not to
  // be overtaken.
  take_inbox(run);
  const ici_offer_t outcome = offer_in_order(run, header, payload);
  if (is_eager(header)) {
    const int64_t cost = ici_eager_cost(header);
    ici_node_account(run->node, header->source, cost,
                     outcome == ICI_OFFER_TAKEN ? cost : 0);
  }
  return outcome;
}

// ---- Frames going out.

// Asks for a grant, or offers the step to be read if it is a longer one that begins its
// way in shared memory.
static void request(ici_run_t *run, int32_t index, lane_t *lane,
                    const collective_step_t *step, bool shares) {
  ici_node_t *node = run->node;
  ici_header_t header = header_of(run, ICI_REQUEST, step->send_to, index, step->tag);
  header.total = step->source_bytes;
  uint8_t payload[ICI_REMOTE_BYTES];
  if (shares && run->consent != 0 && step->source_bytes > ICI_EAGER_STEP_BYTES &&
      ici_node_is_read_by(node, step->send_to)) {
    const uint8_t *bytes;
    (void)collective_executor_unsent(&run->executor, index, &bytes);
    const ici_remote_t remote = {.host = node->host,
                                 .process = (int32_t)getpid(),
                                 .file = node->consent.file,
                                 .address = (uintptr_t)bytes,
                                 .size_bytes = step->source_bytes};
    ici_remote_encode(&remote, payload);
    header.offset = (int64_t)run->consent;
    header.payload_bytes = ICI_REMOTE_BYTES;
    lane->mode = SEND_OFFERED;
  }
  ici_route_send_surely(node, &header, payload);
}

// Decides how the step is to be sent when it is new.
static void decide(ici_run_t *run, int32_t index, lane_t *lane,
                   const collective_step_t *step) {
  if (lane->mode != SEND_UNDECIDED) {
    return;
  }
  lane->mode = SEND_GRANTED;
  bool is_neighbour;
  const bool shares = atomic_load(&link_to(run, step->send_to, &is_neighbour)->shares);
  if (step->source_bytes > ICI_EAGER_STEP_BYTES) {
    if (shares || !is_neighbour) {
      request(run, index, lane, step, shares);
    }
    return;
  }
  if (ici_node_reserve(run->node, step->send_to,
                       step->source_bytes + ICI_FRAME_COST_BYTES)) {
    lane->mode = SEND_EAGER;
    lane->may_send = step->source_bytes;
    return;
  }
  request(run, index, lane, step, shares);
}

static void fail_by_link(ici_run_t *run, ici_link_t *link) {
  char text[2 * ICI_URL_MAX];
  ici_link_describe(link, text, sizeof(text));
  fail(run,
       pod_error(POD_UNAVAILABLE, "chip %d: %s is down, or was", run->node->chip, text));
}

// Sends what may be sent of the lane's step. True: something went.
static bool send_some(ici_run_t *run, int32_t index, lane_t *lane,
                      const collective_step_t *step) {
  const uint8_t *bytes;
  int64_t left = collective_executor_unsent(&run->executor, index, &bytes);
  if (left == 0) {
    return false;
  }
  decide(run, index, lane, step);
  bool is_neighbour;
  ici_link_t *link = link_to(run, step->send_to, &is_neighbour);
  const int64_t piece_bytes = ici_link_piece_bytes(link);
  int64_t sent = run->executor.lanes[index].sent_bytes;
  const int64_t limit =
      lane->may_send < step->source_bytes ? lane->may_send : step->source_bytes;
  const int64_t first = sent;
  while (sent < limit) {
    ici_header_t header = header_of(run, ICI_DATA, step->send_to, index, step->tag);
    const int64_t piece = limit - sent < piece_bytes ? limit - sent : piece_bytes;
    header.flags = lane->mode == SEND_EAGER ? ICI_FLAG_EAGER : 0;
    header.offset = sent;
    header.total = step->source_bytes;
    header.payload_bytes = (uint32_t)piece;
    const ici_put_t outcome = ici_link_put(link, &header, bytes, 1);
    if (outcome == ICI_PUT_DOWN) {
      fail_by_link(run, link);
    }
    if (outcome != ICI_PUT_DONE) {
      break;
    }
    sent += piece;
    bytes += piece;
    collective_executor_sent(&run->executor, index, piece);
  }
  return sent > first;
}

// Lets the sender of the lane's step go on.
static void grant_some(ici_run_t *run, int32_t index, lane_t *lane,
                       const collective_step_t *step) {
  const int64_t received = run->executor.lanes[index].received_bytes;
  if (!lane->grants || lane->granted >= step->target_bytes ||
      lane->granted - received > ICI_WINDOW_BYTES / 2) {
    return;
  }
  const int64_t ahead = received + ICI_WINDOW_BYTES;
  lane->granted = ahead < step->target_bytes ? ahead : step->target_bytes;
  ici_header_t grant = header_of(run, ICI_GRANT, step->receive_from, index, step->tag);
  grant.offset = lane->granted;
  grant.total = step->target_bytes;
  ici_route_send_surely(run->node, &grant, NULL);
}

// Looks whether the execution was aborted or a link that is needed is gone.
static void look_at_changes(ici_run_t *run) {
  ici_node_t *node = run->node;
  const unsigned changes = atomic_load(&node->changes);
  if (changes == run->changes_seen) {
    return;
  }
  run->changes_seen = changes;
  const pod_status_t status = ici_node_aborted(node, run->collective->execution);
  if (status != NULL) {
    fail(run, status);
    return;
  }
  for (int d = 0; d < TORUS_LINKS; d++) {
    ici_link_t *link = &node->links[d];
    // A link that was down and is up again has lost what was on it.
    if ((run->links_used & 1u << d) != 0 &&
        (atomic_load(&link->state) != ICI_LINK_UP ||
         atomic_load(&link->losses) != run->losses[d])) {
      fail_by_link(run, link);
      return;
    }
  }
}

// What a read that went wrong means. Who has ended is known soon by its links; and who
// has given up, and may have reused its memory, has said so before.
static void cannot_read(ici_run_t *run, lane_t *lane, const collective_step_t *step,
                        int64_t received_bytes, ici_remote_read_t outcome) {
  lane->is_offered = false;
  if (outcome == ICI_REMOTE_FORBIDDEN && received_bytes == 0) {
    lane->grants = true;
    return;
  }
  if (outcome == ICI_REMOTE_GONE) {
    return;
  }
  const int32_t source = step->receive_from;
  (void)ici_route_rings(run->node, run);
  look_at_changes(run);
  fail(run,
       pod_error(POD_UNAVAILABLE, "chip %d: what chip %d offered cannot be read any more",
                 run->node->chip, source));
}

// Reads the next piece of a step that is offered, or all that is left of it.
static bool read_piece(ici_run_t *run, int32_t index, lane_t *lane,
                       const collective_step_t *step) {
  const int64_t at = run->executor.lanes[index].received_bytes;
  int64_t size_bytes = step->target_bytes - at;
  uint8_t *place = step->reduces
                       ? NULL
                       : collective_executor_place(&run->executor, index, &size_bytes);
  if (place == NULL) {
    place = run->node->bounce;
    size_bytes = size_bytes < ICI_BOUNCE_BYTES ? size_bytes : ICI_BOUNCE_BYTES;
  }
  ici_remote_read_t outcome = ici_remote_read(&lane->remote, at, place, size_bytes);
  if (outcome == ICI_REMOTE_READ && at + size_bytes == step->target_bytes &&
      !ici_witness_holds(lane->witness, lane->version)) {
    outcome = ICI_REMOTE_BAD;
  }
  if (outcome != ICI_REMOTE_READ) {
    cannot_read(run, lane, step, at, outcome);
    return false;
  }
  if (at + size_bytes == step->target_bytes) {
    ici_header_t header = header_of(run, ICI_GRANT, step->receive_from, index, step->tag);
    header.flags = ICI_FLAG_READ;
    ici_route_send_surely(run->node, &header, NULL);
    lane->is_offered = false;
  }
  if (step->reduces) {
    (void)collective_executor_receive(&run->executor, index, step->tag,
                                      step->receive_from, at, place, size_bytes);
  } else {
    collective_executor_received(&run->executor, index, size_bytes);
  }
  return true;
}

// True: the step has been read.
static bool read_some(ici_run_t *run, int32_t index, lane_t *lane,
                      const collective_step_t *step) {
  bool has_read = false;
  while (lane->is_offered && read_piece(run, index, lane, step)) {
    has_read = true;
  }
  return has_read;
}

// Does what can be done for a lane now. True: it has moved.
static bool serve_lane(ici_run_t *run, int32_t index) {
  bool moved = false;
  while (run->failure == NULL) {
    const collective_step_t *step = collective_executor_step(&run->executor, index);
    if (step == NULL) {
      return moved;
    }
    lane_t *lane = lane_at_step(run, index, step);
    grant_some(run, index, lane, step);
    if (!send_some(run, index, lane, step) && !read_some(run, index, lane, step) &&
        !offer_kept(run, index)) {
      return moved;
    }
    moved = true;
  }
  return moved;
}

static bool serve_lanes(ici_run_t *run) {
  bool moved = false;
  for (int32_t i = 0; i < run->executor.schedule->lane_count; i++) {
    moved |= serve_lane(run, i);
  }
  return moved;
}

// ---- Waiting.

static bool is_to_pause(const ici_run_t *run) {
  const ici_pause_t *pause = run->collective->pause;
  return pause != NULL && pause->is_wanted(pause->context);
}

// One look at everything. True: something has moved.
static bool look(ici_run_t *run) {
  bool moved = ici_route_rings(run->node, run);
  moved |= take_inbox(run);
  if (atomic_load(&run->node->waiting) > 0) {
    ici_route_blocked(run->node);
  }
  if (moved) {
    serve_lanes(run);
  }
  look_at_changes(run);
  return moved || run->failure != NULL || collective_executor_is_done(&run->executor);
}

// Room in a link rings the bell as well: what can be sent is looked at, too.
static bool look_and_serve(void *context) {
  ici_run_t *run = context;
  return look(run) || serve_lanes(run) || is_to_pause(run);
}

static void wait_a_while(ici_run_t *run) {
  const int64_t start_ns = pod_clock_now_ns();
  int64_t now_ns = start_ns;
  while (now_ns - start_ns < POLL_NS) {
    sched_yield();
    if (look_and_serve(run)) {
      return;
    }
    now_ns = pod_clock_now_ns();
  }
  const int64_t deadline_ns = run->collective->deadline_ns;
  if (now_ns >= deadline_ns) {
    fail(run,
         pod_error(POD_DEADLINE_EXCEEDED, "collective %u of chip %d did not end in time",
                   run->collective->sequence, run->node->chip));
    return;
  }
  ici_watch_sleep(&run->node->watch, look_and_serve, run, deadline_ns - now_ns);
}

// ---- Beginning and end.

static unsigned links_of(const ici_node_t *node, const collective_schedule_t *schedule) {
  unsigned used = 0;
  int32_t last_to = COLLECTIVE_NONE;
  int32_t last_from = COLLECTIVE_NONE;
  for (int32_t i = 0; i < schedule->step_count; i++) {
    const collective_step_t *step = &schedule->steps[i];
    if (step->send_to != COLLECTIVE_NONE && step->send_to != last_to) {
      last_to = step->send_to;
      used |= 1u << torus_next_hop(&node->torus, node->chip, last_to);
    }
    if (step->receive_from != COLLECTIVE_NONE && step->receive_from != last_from) {
      last_from = step->receive_from;
      used |= 1u << last_hop(&node->torus, last_from, node->chip);
    }
  }
  return used;
}

static pod_status_t prepare(ici_run_t *run) {
  const collective_schedule_t *schedule = run->collective->schedule;
  run->lanes = calloc((size_t)schedule->lane_count + 1, sizeof(*run->lanes));
  if (run->lanes == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "out of host memory");
  }
  for (int32_t i = 0; i < schedule->lane_count; i++) {
    run->lanes[i].step = -1;
    ici_kept_init(&run->lanes[i].kept);
  }
  run->links_used = links_of(run->node, schedule);
  run->changes_seen = atomic_load(&run->node->changes) - 1;  // Look at once.
  collective_call_t call = {0};
  if (run->collective->pause != NULL) {
    call = (collective_call_t){run->collective->pause->is_wanted,
                               run->collective->pause->context};
  }
  return collective_executor_init(&run->executor, schedule, &run->collective->buffers,
                                  run->node->combine, call);
}

// Whoever waits for this chip shall not wait in vain.
static void abandon(ici_run_t *run) {
  ici_node_t *node = run->node;
  const collective_schedule_t *schedule = run->collective->schedule;
  const char *message = pod_status_message(run->failure);
  const size_t length = strlen(message);
  ici_header_t header = header_of(run, ICI_ABANDON, node->chip, 0, 0);
  header.tag = (int32_t)pod_status_code(run->failure);
  header.payload_bytes = (uint32_t)(length < ICI_TEXT_MAX ? length : ICI_TEXT_MAX);
  uint8_t *is_told = calloc((size_t)node->chip_count, 1);
  for (int32_t i = 0; i < 2 * schedule->step_count && is_told != NULL; i++) {
    const collective_step_t *step = &schedule->steps[i / 2];
    const int32_t peer = i % 2 == 0 ? step->send_to : step->receive_from;
    if (peer != COLLECTIVE_NONE && is_told[peer] == 0) {
      is_told[peer] = 1;
      header.destination = peer;
      ici_route_send_surely(node, &header, message);
    }
  }
  free(is_told);
}

static void drop_liars(ici_run_t *run) {
  for (int d = 0; d < TORUS_LINKS; d++) {
    if ((run->liars & 1u << d) != 0) {
      ici_session_leave(&run->node->links[d], "it offers memory that is not its own");
    }
  }
}

static void finish(ici_run_t *run) {
  for (int32_t i = 0; run->lanes != NULL && i < run->collective->schedule->lane_count;
       i++) {
    while (run->lanes[i].kept.first != NULL) {
      drop(run, ici_kept_remove(&run->lanes[i].kept, &run->lanes[i].kept.first));
    }
  }
  free(run->lanes);
  collective_executor_deinit(&run->executor);
}

static void take_consent_back(const ici_run_t *run) {
  pthread_mutex_lock(&run->node->lock);
  ici_consent_take_back(&run->node->consent, run->consent);
  pthread_mutex_unlock(&run->node->lock);
}

// The watch goes back to the pump, if the run has it.
static void leave(ici_run_t *run) {
  ici_node_t *node = run->node;
  ici_kept_t *kept = ici_node_close(node, &run->arrivals).first;
  take_consent_back(run);
  while (kept != NULL) {
    ici_kept_t *next = kept->next;
    drop(run, kept);
    kept = next;
  }
  if (!run->is_away) {
    ici_watch_leave(&node->watch, ici_route_look, node);
  }
}

static void offer_buffers(ici_run_t *run) {
  const collective_schedule_t *schedule = run->collective->schedule;
  const collective_buffers_t *buffers = &run->collective->buffers;
  const ici_range_t ranges[] = {{buffers->input, schedule->input_bytes},
                                {buffers->output, schedule->output_bytes},
                                {buffers->scratch, schedule->scratch_bytes}};
  pthread_mutex_lock(&run->node->lock);
  run->consent = ici_consent_give(&run->node->consent, ranges, POD_COUNT_OF(ranges));
  pthread_mutex_unlock(&run->node->lock);
}

static void enter(ici_run_t *run) {
  ici_node_t *node = run->node;
  ici_watch_enter(&node->watch);
  offer_buffers(run);
  ici_kept_list_t kept =
      ici_node_open(node, &run->arrivals, run->collective, run->losses);
  while (kept.first != NULL) {
    ici_kept_t *first = ici_kept_remove(&kept, &kept.first);
    if (first->header.lane < run->collective->schedule->lane_count) {
      ici_run_keep(run, first);
    } else {
      confused(run, &first->header);
      drop(run, first);
    }
  }
}

// Others have the links meanwhile. One that is to end does not come back to them.
static void pause_run(ici_run_t *run) {
  ici_node_t *node = run->node;
  const ici_pause_t *pause = run->collective->pause;
  ici_watch_leave(&node->watch, ici_route_look, node);
  run->is_away = true;
  const bool goes_on = pause->wait(pause->context);
  if (goes_on) {
    ici_watch_enter(&node->watch);
    run->is_away = false;
    (void)take_inbox(run);
  }
  run->changes_seen = atomic_load(&node->changes) - 1;
  look_at_changes(run);
  if (!goes_on) {
    fail(run, pod_error(POD_CANCELLED, "the execution was cancelled"));
  }
}

static void work_off(ici_run_t *run) {
  look_at_changes(run);
  serve_lanes(run);
  while (run->failure == NULL && !collective_executor_is_done(&run->executor)) {
    if (is_to_pause(run)) {
      pause_run(run);
      serve_lanes(run);
    } else if (collective_executor_is_left(&run->executor)) {
      collective_executor_go_on(&run->executor);
      serve_lanes(run);
    } else if (!look(run)) {
      wait_a_while(run);
    }
  }
}

pod_status_t ici_collective_run(ici_node_t *node, const ici_collective_t *collective) {
  ici_run_t run = {.node = node, .collective = collective, .told = node->chip};
  pod_status_t status = prepare(&run);
  if (status != NULL) {
    finish(&run);
    return status;
  }
  enter(&run);
  work_off(&run);
  status = run.failure;
  if (status != NULL) {
    ici_node_give_up(node, collective->execution, status);
    abandon(&run);
    drop_liars(&run);
  }
  leave(&run);
  finish(&run);
  return status;
}
