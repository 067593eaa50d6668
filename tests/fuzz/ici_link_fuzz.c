// Any sequence of what two neighbours of a chip can do once they have proven who they
// are, while the chip runs a collective: frames right and wrong over the pipe and in
// shared memory, memory offered that is theirs or not, shared memory scribbled over,
// frames not taken off the link, cuts, new connections in this epoch and the next, and
// what the chip itself is told. Whatever it is:
//   - nothing breaks, and no frame is lost count of;
//   - a collective ends with a result, or with one error that has a name, as soon as its
//     execution is aborted;
//   - with neighbours that behave, in a new epoch, collectives give right results.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "server/collective/schedule.h"
#include "server/ici/consent.h"
#include "server/ici/remote.h"
#include "tests/fuzz/ici_peer.h"
#include "tests/unit/server/ici/memory_carrier.h"

enum {
  OPERATIONS_MAX = 64,
  PAYLOAD_MAX = ICI_PAYLOAD_MAX,
  LATER_EPOCH = 1000,
  FIRST_EXECUTION = 100,
  BOUND_S = 20,  // Of everything that has to end. Far beyond what it takes.
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// ---- The input, byte by byte; zeros behind its end.

typedef struct input_t {
  const uint8_t *data;
  size_t size;
} input_t;

static uint8_t next(input_t *input) {
  if (input->size == 0) {
    return 0;
  }
  input->size--;
  return *input->data++;
}

// Numbers at which things end.
static int64_t telling(input_t *input) {
  static const int64_t numbers[] = {0,          1,         2,         3,
                                    7,          8,         32,        64,
                                    64 * 1024,  65537,     1 << 17,   1 << 18,
                                    1 << 21,    INT32_MAX, -1,        INT64_MAX,
                                    INT64_MIN,  4096,      (1 << 18), ICI_FRAME_MAX,
                                    UINT32_MAX, 100,       101,       1000,
                                    4,          5,         6,         9,
                                    16,         24,        120000,    160000};
  return numbers[next(input) % POD_COUNT_OF(numbers)];
}

// ---- Collectives.

static const int64_t everybody[] = {0, 1, 2};
static const int64_t along[] = {0, 1, 1, 2};

#define GROUP \
  .group_count = 1, .group_size = 3, .groups = everybody, .reducer = CHIP_REDUCER_ADD

static const collective_request_t menu[] = {
    {.op = CHIP_OP_ALL_GATHER, .dtype = TENSOR_U32, .element_count = 8, GROUP},
    {.op = CHIP_OP_ALL_GATHER, .dtype = TENSOR_U32, .element_count = 30000, GROUP},
    {.op = CHIP_OP_ALL_REDUCE, .dtype = TENSOR_U32, .element_count = 16, GROUP},
    {.op = CHIP_OP_ALL_REDUCE, .dtype = TENSOR_U32, .element_count = 60000, GROUP},
    {.op = CHIP_OP_REDUCE_SCATTER, .dtype = TENSOR_U32, .element_count = 24, GROUP},
    {.op = CHIP_OP_ALL_TO_ALL, .dtype = TENSOR_U32, .element_count = 60000, GROUP},
    {.op = CHIP_OP_COLLECTIVE_PERMUTE,
     .dtype = TENSOR_U32,
     .element_count = 1000,
     .pair_count = 2,
     .pairs = along},
    {.op = CHIP_OP_COLLECTIVE_PERMUTE,
     .dtype = TENSOR_U32,
     .element_count = 40000,
     .pair_count = 2,
     .pairs = along},
};

static void add(chip_reducer_t reducer, tensor_dtype_t dtype, void *target, const void *a,
                const void *b, int64_t count) {
  (void)reducer;
  (void)dtype;
  for (int64_t i = 0; i < count; i++) {
    ((uint32_t *)target)[i] = ((const uint32_t *)a)[i] + ((const uint32_t *)b)[i];
  }
}

static uint32_t value_of(int32_t chip, int64_t i) {
  return (uint32_t)(i * 8 + chip + 1);
}

// One chip's part of a collective, on a thread of its own.
typedef struct job_t {
  ici_node_t *node;
  int32_t chip;
  const collective_request_t *request;
  uint64_t execution;
  pod_arena_t *arena;
  collective_schedule_t schedule;
  uint32_t *input, *output;
  pod_status_t status;
  pthread_t thread;
} job_t;

static void *run_job(void *context) {
  job_t *job = context;
  void *scratch = pod_arena_alloc(job->arena, (size_t)job->schedule.scratch_bytes + 1);
  const ici_collective_t collective = {.schedule = &job->schedule,
                                       .buffers = {job->input, job->output, scratch},
                                       .execution = job->execution,
                                       .deadline_ns = INT64_MAX};
  job->status = ici_collective_run(job->node, &collective);
  return NULL;
}

static void start_job(job_t *job, ici_node_t *node, int32_t chip,
                      const collective_request_t *request, uint64_t execution) {
  *job = (job_t){.node = node,
                 .chip = chip,
                 .request = request,
                 .execution = execution,
                 .arena = pod_arena_create()};
  POD_CHECK(collective_plan(request, &ici_peer_torus, chip, job->arena, &job->schedule) ==
            NULL);
  job->input = pod_arena_alloc(job->arena, (size_t)job->schedule.input_bytes + 64);
  job->output = pod_arena_alloc(job->arena, (size_t)job->schedule.output_bytes + 64);
  for (int64_t i = 0; i < request->element_count; i++) {
    job->input[i] = value_of(chip, i);
  }
  POD_CHECK(pthread_create(&job->thread, NULL, run_job, job) == 0);
}

// In its bound, with a result or an error that says something.
static void join_job(job_t *job) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += BOUND_S;
  POD_CHECK(pthread_timedjoin_np(job->thread, NULL, &until) == 0);
  POD_CHECK(job->status == NULL ||
            (pod_status_code(job->status) > POD_OK &&
             (int)pod_status_code(job->status) < (int)POD_CODE_COUNT &&
             pod_status_message(job->status)[0] != '\0'));
  ici_node_end(job->node, job->execution);
}

static void free_job(job_t *job) {
  pod_status_free(job->status);
  pod_arena_destroy(job->arena);
}

// ---- The world: chip 1, and its two neighbours.

typedef struct neighbour_t {
  ici_peer_end_t end;
  pod_arena_t *arena;  // Of its part of the collective that runs.
  collective_schedule_t schedule;
  int32_t sent, granted;  // Steps that it has sent, or let the node send.
  ici_consent_t consent;
  uint64_t version;
  bool has_consent;
} neighbour_t;

typedef struct world_t {
  ici_node_t *node;
  neighbour_t neighbours[2];  // Chip 0 and chip 2.
  bool runs;
  job_t job;
  uint64_t execution;
} world_t;

static uint8_t payload[PAYLOAD_MAX];
static uint8_t memory[1 << 20];  // That neighbours offer.

static ici_node_t *make_node(int32_t chip, uint64_t epoch) {
  const ici_node_config_t config = {.pod = ICI_PEER_POD,
                                    .chip = chip,
                                    .torus = ici_peer_torus,
                                    .epoch = epoch,
                                    .link_secret = ici_peer_secret,
                                    .ipc_directory = "/podium-fuzz-memory",
                                    .use_shared_memory = true,
                                    .silence_ms = 100,
                                    .carrier = &memory_carrier,
                                    .combine = add};
  ici_node_t *node;
  POD_CHECK(ici_node_create(&config, &node) == NULL);
  return node;
}

static void forget_part(neighbour_t *neighbour) {
  if (neighbour->arena != NULL) {
    pod_arena_destroy(neighbour->arena);
    neighbour->arena = NULL;
  }
}

static void drop_consent(neighbour_t *neighbour) {
  if (neighbour->has_consent) {
    ici_consent_close(&neighbour->consent);
    neighbour->has_consent = false;
  }
}

static void end_run(world_t *world) {
  if (world->runs) {
    ici_node_abort(world->node, world->execution, pod_error(POD_CANCELLED, "enough"));
    join_job(&world->job);
    free_job(&world->job);
    world->runs = false;
    forget_part(&world->neighbours[0]);
    forget_part(&world->neighbours[1]);
  }
}

static void begin_run(world_t *world, input_t *input) {
  end_run(world);
  const collective_request_t *request = &menu[next(input) % POD_COUNT_OF(menu)];
  world->execution++;
  for (int i = 0; i < 2; i++) {
    neighbour_t *neighbour = &world->neighbours[i];
    neighbour->arena = pod_arena_create();
    neighbour->sent = neighbour->granted = 0;
    POD_CHECK(collective_plan(request, &ici_peer_torus, neighbour->end.chip,
                              neighbour->arena, &neighbour->schedule) == NULL);
  }
  start_job(&world->job, world->node, ICI_PEER_NODE, request, world->execution);
  world->runs = true;
}

static void join(neighbour_t *neighbour, input_t *input) {
  const uint8_t how = next(input);
  ici_peer_end_t *end = &neighbour->end;
  if (end->pipe != NULL) {
    ici_peer_cut(end);
  }
  drop_consent(neighbour);
  end->epoch += (how & 2) != 0 ? 1 : 0;
  memory_carrier_pretend((how & 4) != 0 ? 0 : (int32_t)getpid(), (how & 8) != 0);
  if (ici_peer_connect(end, 50000) && ici_peer_prove(end)) {
    (void)ici_peer_greet(end, (how & 1) == 0);
  }
}

// ---- What a neighbour can do.

static const collective_step_t *next_step(const neighbour_t *neighbour, int32_t skipped,
                                          bool sends, int32_t *out_lane) {
  const collective_schedule_t *schedule = &neighbour->schedule;
  for (int32_t l = 0; neighbour->arena != NULL && l < schedule->lane_count; l++) {
    const collective_lane_t *lane = &schedule->lanes[l];
    for (int32_t s = lane->first_step; s < lane->first_step + lane->step_count; s++) {
      const collective_step_t *step = &schedule->steps[s];
      const int32_t other = sends ? step->send_to : step->receive_from;
      if (other == ICI_PEER_NODE && skipped-- == 0) {
        *out_lane = l;
        return step;
      }
    }
  }
  return NULL;
}

// Of the run and, where there is one, of the next step between the two.
static ici_header_t right_header(const world_t *world, const neighbour_t *neighbour,
                                 ici_kind_t kind, bool sends) {
  ici_header_t header = ici_peer_header(&neighbour->end, kind);
  header.execution = world->execution;
  const collective_step_t *step = next_step(
      neighbour, sends ? neighbour->sent : neighbour->granted, sends, &header.lane);
  if (step != NULL) {
    header.tag = step->tag;
    header.total = sends ? step->source_bytes : step->target_bytes;
  }
  return header;
}

static void tweak(ici_header_t *header, input_t *input) {
  for (int count = next(input) % 4; count > 0; count--) {
    const uint8_t field = next(input) % 12;
    const int64_t value = telling(input);
    switch (field) {
      case 0:
        header->source = (int32_t)value;
        break;
      case 1:
        header->destination = (int32_t)value;
        break;
      case 2:
        header->epoch += (uint64_t)value;
        break;
      case 3:
        header->execution += (uint64_t)value;
        break;
      case 4:
        header->sequence = (uint32_t)value;
        break;
      case 5:
        header->lane = (int32_t)value;
        break;
      case 6:
        header->tag = (int32_t)value;
        break;
      case 7:
        header->offset = value;
        break;
      case 8:
        header->total = value;
        break;
      case 9:
        header->payload_bytes = (uint32_t)value;
        break;
      case 10:
        header->hops = (uint32_t)value;
        break;
      default:
        header->flags = (uint16_t)value;
        break;
    }
  }
}

// In the ring if there is one, else over the pipe. `size_bytes` of payload go, whatever
// the header says.
static bool say(neighbour_t *neighbour, const ici_header_t *header, uint32_t size_bytes,
                bool in_ring) {
  ici_peer_end_t *end = &neighbour->end;
  if (in_ring && end->shares && header->payload_bytes == size_bytes) {
    const ici_ring_put_t put = ici_ring_put(&end->outgoing, header, payload, 0);
    ici_bell_ring(end->peer_bell.memory, true);
    return put == ICI_RING_PUT;
  }
  uint8_t *frame = pod_alloc(ICI_HEADER_BYTES + (size_t)size_bytes);
  ici_header_encode(header, frame);
  memcpy(frame + ICI_HEADER_BYTES, payload, size_bytes);
  const bool is_said = ici_peer_send(end, frame, ICI_HEADER_BYTES + size_bytes);
  free(frame);
  return is_said;
}

static void say_any(world_t *world, neighbour_t *neighbour, input_t *input) {
  const uint8_t kind = next(input) % (ICI_KIND_COUNT + 1);
  const uint8_t how = next(input);
  static const uint32_t sizes[] = {0, 4, ICI_REMOTE_BYTES, 100, 4000, 65536, PAYLOAD_MAX};
  const uint32_t size_bytes = sizes[next(input) % POD_COUNT_OF(sizes)];
  ici_header_t header = right_header(world, neighbour, (ici_kind_t)kind, (how & 1) == 0);
  header.payload_bytes = size_bytes;
  header.flags = how >> 4;
  tweak(&header, input);
  memset(payload, next(input), size_bytes);
  (void)say(neighbour, &header, size_bytes, (how & 2) != 0);
}

// What its part of the collective says next.
static void say_step(world_t *world, neighbour_t *neighbour, input_t *input) {
  const uint8_t how = next(input);
  ici_header_t header = right_header(world, neighbour, ICI_DATA, true);
  if (header.total == 0) {
    return;
  }
  memset(payload, 0, sizeof(payload));
  header.flags = header.total <= 64 * 1024 ? ICI_FLAG_EAGER : 0;
  for (int64_t at = 0; at < header.total; at += header.payload_bytes) {
    const int64_t left = header.total - at;
    const int64_t piece = (how & 1) != 0 ? 32 * 1024 : PAYLOAD_MAX;
    header.offset = at;
    header.payload_bytes = (uint32_t)(left < piece ? left : piece);
    if (!say(neighbour, &header, header.payload_bytes, (how & 2) != 0)) {
      return;
    }
  }
  neighbour->sent++;
}

static void grant_step(world_t *world, neighbour_t *neighbour, input_t *input) {
  const uint8_t how = next(input);
  ici_header_t header = right_header(world, neighbour, ICI_GRANT, false);
  header.offset = (how & 1) != 0 ? header.total / 2 : header.total;
  header.flags = (how & 4) != 0 ? ICI_FLAG_READ : 0;
  if (header.total > 0 && say(neighbour, &header, 0, (how & 2) != 0)) {
    neighbour->granted += (how & 1) == 0 ? 1 : 0;
  }
}

// Memory of this process, which is the neighbour's as well as the node's: in a consent or
// not, in time or not, named rightly or not.
static void offer_step(world_t *world, neighbour_t *neighbour, input_t *input) {
  const uint8_t how = next(input);
  ici_peer_end_t *end = &neighbour->end;
  const ici_owner_t owner = {.pod = ICI_PEER_POD, .chip = end->chip, .epoch = end->epoch};
  if (!neighbour->has_consent &&
      ici_consent_create(&owner, &neighbour->consent) == NULL) {
    neighbour->has_consent = true;
  }
  ici_header_t header = right_header(world, neighbour, ICI_REQUEST, true);
  if (!neighbour->has_consent || header.total > (int64_t)sizeof(memory)) {
    return;
  }
  const ici_range_t range = {memory, header.total};
  ici_consent_take_back(&neighbour->consent, neighbour->version);
  neighbour->version = ici_consent_give(&neighbour->consent, &range, 1);
  const ici_remote_t remote = {.host = ici_shared_host() + ((how & 1) != 0 ? 1 : 0),
                               .process = (int32_t)getpid() + ((how & 2) != 0 ? 1 : 0),
                               .file = neighbour->consent.file + ((how & 4) != 0 ? 1 : 0),
                               .address = (uintptr_t)memory + ((how & 8) != 0 ? 64 : 0),
                               .size_bytes = header.total + ((how & 16) != 0 ? 4 : 0)};
  header.offset = (int64_t)(neighbour->version + ((how & 32) != 0 ? 2 : 0));
  header.payload_bytes = ICI_REMOTE_BYTES;
  ici_remote_encode(&remote, payload);
  if (say(neighbour, &header, ICI_REMOTE_BYTES, (how & 64) == 0)) {
    neighbour->sent++;
  }
  if ((how & 128) != 0) {
    ici_consent_take_back(&neighbour->consent, neighbour->version);
  }
}

// Over what both can write: the ring's words, a record, the node's bell.
static void scribble(neighbour_t *neighbour, input_t *input) {
  ici_peer_end_t *end = &neighbour->end;
  const uint8_t where = next(input);
  const size_t at = (size_t)next(input) * 8;
  const int64_t value = telling(input);
  if (!end->shares) {
    return;
  }
  uint8_t *place = end->outgoing.shared.memory;
  size_t size_bytes = end->outgoing.shared.size_bytes;
  if (where % 4 == 1) {
    place += 4096;
    size_bytes -= 4096;
  } else if (where % 4 == 2) {
    place = end->peer_bell.memory;
    size_bytes = end->peer_bell.size_bytes;
  }
  memcpy(place + at % (size_bytes - sizeof(value)), &value, sizeof(value));
  ici_bell_ring(end->peer_bell.memory, true);
}

static void look(neighbour_t *neighbour, input_t *input) {
  const uint8_t count = next(input) % 16;
  for (int i = 0; i <= count && ici_peer_look(&neighbour->end, 200, NULL, 0); i++) {
  }
  ici_header_t header;
  const uint8_t *bytes;
  while (neighbour->end.shares && ici_ring_look(&neighbour->end.incoming, ICI_PEER_CHIPS,
                                                &header, &bytes) == ICI_RING_FRAME) {
    (void)ici_ring_drop(&neighbour->end.incoming, header.payload_bytes);
  }
}

static void acknowledge(neighbour_t *neighbour, input_t *input) {
  ici_header_t header = ici_peer_header(&neighbour->end, ICI_ACK);
  header.offset = neighbour->end.frames;
  if (next(input) % 4 == 3) {
    header.offset = telling(input);
  }
  (void)ici_peer_say(&neighbour->end, &header, NULL);
}

static void tell_node(world_t *world, input_t *input) {
  const uint8_t what = next(input);
  const uint64_t execution = world->execution + what / 8 % 4;
  switch (what % 8) {
    case 0:
      ici_node_disconnect(world->node, (torus_direction_t)(what / 8 % 2));
      break;
    case 1:
      ici_node_abort(world->node, execution, pod_error(POD_ABORTED, "told to"));
      break;
    case 2:
      ici_node_begin(world->node, execution + 1);
      break;
    case 3:
      ici_node_end(world->node, execution + 1);
      break;
    case 4:
      (void)usleep(200U * (what / 8U));
      break;
    default:
      end_run(world);
      break;
  }
}

static void operate(world_t *world, input_t *input) {
  const uint8_t operation = next(input);
  neighbour_t *neighbour = &world->neighbours[operation & 1];
  switch (operation / 2 % 12) {
    case 0:
      begin_run(world, input);
      break;
    case 1:
      join(neighbour, input);
      break;
    case 2:
    case 3:
      say_any(world, neighbour, input);
      break;
    case 4:
    case 5:
      say_step(world, neighbour, input);
      break;
    case 6:
      grant_step(world, neighbour, input);
      break;
    case 7:
      offer_step(world, neighbour, input);
      break;
    case 8:
      scribble(neighbour, input);
      break;
    case 9:
      look(neighbour, input);
      break;
    case 10:
      acknowledge(neighbour, input);
      break;
    default:
      tell_node(world, input);
      break;
  }
}

// ---- Neighbours that behave.

static void check_result(const job_t *job) {
  if (job->status != NULL) {
    fprintf(stderr, "%s\n", pod_status_message(job->status));
  }
  POD_CHECK(job->status == NULL);
  const int64_t count = job->request->element_count;
  for (int64_t i = 0; i < count; i++) {
    if (job->request->op == CHIP_OP_ALL_GATHER) {
      for (int32_t chip = 0; chip < ICI_PEER_CHIPS; chip++) {
        POD_CHECK(job->output[chip * count + i] == value_of(chip, i));
      }
    } else {
      POD_CHECK(job->output[i] == value_of(0, i) + value_of(1, i) + value_of(2, i));
    }
  }
}

// The links of the pipes before may be up until the node has noticed their end, and what
// waits for a link to be up is not to take them for new ones.
static void wait_down(world_t *world) {
  const int64_t until_ns = pod_clock_now_ns() + BOUND_S * (int64_t)1000000000;
  for (torus_direction_t direction = 0; direction < 2; direction++) {
    while (ici_node_link_state(world->node, direction) == ICI_LINK_UP) {
      POD_CHECK(pod_clock_now_ns() < until_ns);
      (void)usleep(1000);
    }
  }
}

static void check_afterwards(world_t *world) {
  wait_down(world);
  ici_node_t *nodes[ICI_PEER_CHIPS] = {make_node(0, LATER_EPOCH), world->node,
                                       make_node(2, LATER_EPOCH)};
  const int64_t until_ns = pod_clock_now_ns() + BOUND_S * (int64_t)1000000000;
  POD_CHECK(ici_node_dial(nodes[1], 1, ici_node_ipc_url(nodes[0], 0)) == NULL);
  POD_CHECK(ici_node_dial(nodes[2], 1, ici_node_ipc_url(nodes[1], 0)) == NULL);
  for (int32_t chip = 0; chip < ICI_PEER_CHIPS; chip++) {
    POD_CHECK(ici_node_wait_up(nodes[chip], until_ns) == NULL);
  }
  for (size_t i = 1; i < 3; i++) {
    job_t jobs[ICI_PEER_CHIPS];
    for (int32_t chip = 0; chip < ICI_PEER_CHIPS; chip++) {
      start_job(&jobs[chip], nodes[chip], chip, &menu[i], world->execution + 10 + i);
    }
    for (int32_t chip = 0; chip < ICI_PEER_CHIPS; chip++) {
      join_job(&jobs[chip]);
      check_result(&jobs[chip]);
      free_job(&jobs[chip]);
    }
  }
  ici_node_destroy(nodes[0]);
  ici_node_destroy(nodes[2]);
}

static void start_once(void) {
  static bool is_started;
  if (!is_started) {
    pod_log_init("fuzz", POD_LOG_NONE);
    memory_carrier_start();
    is_started = true;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  start_once();
  input_t input = {data, size};
  world_t world = {.node = make_node(ICI_PEER_NODE, 1), .execution = FIRST_EXECUTION};
  for (int i = 0; i < 2; i++) {
    ici_peer_init(&world.neighbours[i].end, world.node, 2 * i);
  }
  POD_CHECK(ici_node_dial(world.node, 1, ici_peer_url) == NULL);
  join(&world.neighbours[0], &input);
  join(&world.neighbours[1], &input);
  for (int i = 0; i < OPERATIONS_MAX && input.size > 0; i++) {
    operate(&world, &input);
  }
  end_run(&world);
  for (int i = 0; i < 2; i++) {
    drop_consent(&world.neighbours[i]);
    ici_peer_deinit(&world.neighbours[i].end);
  }
  memory_carrier_pretend((int32_t)getpid(), false);
  check_afterwards(&world);
  ici_node_destroy(world.node);
  return 0;
}
