// Any sequence of frames from who connects to a chip's link, or is connected to by it,
// before it is known who that is: right ones, the same changed, and any. Nobody gets in
// who has not proven that he knows the secret, and the real neighbour does afterwards.

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "tests/fuzz/ici_peer.h"
#include "tests/unit/server/ici/memory_carrier.h"

enum { OPERATIONS_MAX = 32, LATER_EPOCH = 1000, BOUND_S = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

typedef struct world_t {
  ici_node_t *node;
  ici_peer_end_t ends[2];
  // What may be said again: nonces heard, a hello, a proof.
  uint8_t heard[ICI_HELLO_BYTES];
} world_t;

static ici_node_t *make_node(int32_t chip, uint64_t epoch) {
  const ici_node_config_t config = {.pod = ICI_PEER_POD,
                                    .chip = chip,
                                    .torus = ici_peer_torus,
                                    .epoch = epoch,
                                    .link_secret = ici_peer_secret,
                                    .ipc_directory = "/podium-fuzz-memory",
                                    .carrier = &memory_carrier};
  ici_node_t *node;
  POD_CHECK(ici_node_create(&config, &node) == NULL);
  return node;
}

// A frame of any kind with a payload that was heard, or of one byte; then changes.
static void say_any(world_t *world, ici_peer_end_t *end, input_t *input) {
  static const uint32_t sizes[] = {0, 1, ICI_NONCE_BYTES, ICI_HELLO_BYTES, 40000};
  static uint8_t frame[ICI_HEADER_BYTES + 40000];
  ici_header_t header =
      ici_peer_header(end, (ici_kind_t)(next(input) % (ICI_KIND_COUNT + 1)));
  header.payload_bytes = sizes[next(input) % POD_COUNT_OF(sizes)];
  memset(frame, next(input), sizeof(frame));
  ici_header_encode(&header, frame);
  if (header.payload_bytes <= sizeof(world->heard) && next(input) % 2 == 0) {
    memcpy(frame + ICI_HEADER_BYTES, world->heard, header.payload_bytes);
  }
  for (int count = next(input) % 4; count > 0; count--) {
    const uint8_t at = next(input);
    frame[at % (ICI_HEADER_BYTES + 40)] = next(input);
  }
  const size_t cut = next(input) % 8 == 0 ? next(input) : 0;
  const size_t size_bytes = ICI_HEADER_BYTES + header.payload_bytes;
  (void)ici_peer_send(end, frame, size_bytes - (cut < size_bytes ? cut : 0));
}

// Who knows the secret may say any hello.
static void say_hello(ici_peer_end_t *end, input_t *input) {
  uint8_t bytes[ICI_HELLO_BYTES];
  const uint8_t how = next(input);
  ici_hello_t hello = ici_peer_hello(end, (how & 1) != 0);
  ici_hello_encode(&hello, bytes);
  for (int count = how / 2 % 4; count > 0; count--) {
    const uint8_t at = next(input);
    bytes[at % ICI_HELLO_BYTES] = next(input);
  }
  ici_header_t header = ici_peer_header(end, ICI_HELLO);
  header.payload_bytes = sizeof(bytes);
  (void)ici_peer_say(end, &header, bytes);
  if ((how & 64) != 0) {
    header = ici_peer_header(end, ICI_WELCOME);
    header.flags = how >> 7;
    (void)ici_peer_say(end, &header, NULL);
  }
}

// Who has not proven himself on this pipe. The link of the pipe before may still be up
// until the node has noticed its end.
static bool has_no_link(const world_t *world, const ici_peer_end_t *end) {
  const torus_direction_t direction = end->chip == 0 ? 1 : 0;
  const int64_t until_ns = pod_clock_now_ns() + BOUND_S * (int64_t)1000000000;
  while (ici_node_link_state(world->node, direction) == ICI_LINK_UP) {
    if (pod_clock_now_ns() > until_ns) {
      return false;
    }
    usleep(1000);
  }
  return true;
}

static void operate(world_t *world, input_t *input) {
  const uint8_t operation = next(input);
  ici_peer_end_t *end = &world->ends[operation & 1];
  bool proves = false;
  switch (operation / 2 % 8) {
    case 0:
      ici_peer_cut(end);
      memory_carrier_pretend((operation & 32) != 0 ? 0 : (int32_t)getpid(),
                             (operation & 64) != 0);
      (void)ici_peer_connect(end, 20000);
      break;
    case 1:
      proves = end->pipe != NULL && ici_peer_prove(end);
      break;
    case 2:
      say_hello(end, input);
      break;
    case 3:
      ici_peer_cut(end);
      break;
    case 4:
    case 5:
      (void)ici_peer_look(end, 300, world->heard, sizeof(world->heard));
      break;
    case 6:
      ici_node_disconnect(world->node, operation & 1 ? 0 : 1);
      break;
    default:
      say_any(world, end, input);
      break;
  }
  POD_CHECK(end->is_proven || proves || has_no_link(world, end));
}

static void check_afterwards(world_t *world) {
  ici_node_t *nodes[ICI_PEER_CHIPS] = {make_node(0, LATER_EPOCH), world->node,
                                       make_node(2, LATER_EPOCH)};
  const int64_t until_ns = pod_clock_now_ns() + BOUND_S * (int64_t)1000000000;
  POD_CHECK(ici_node_dial(nodes[1], 1, ici_node_ipc_url(nodes[0], 0)) == NULL);
  POD_CHECK(ici_node_dial(nodes[2], 1, ici_node_ipc_url(nodes[1], 0)) == NULL);
  for (int32_t chip = 0; chip < ICI_PEER_CHIPS; chip++) {
    POD_CHECK(ici_node_wait_up(nodes[chip], until_ns) == NULL);
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
  world_t world = {.node = make_node(ICI_PEER_NODE, 1)};
  for (int i = 0; i < 2; i++) {
    ici_peer_init(&world.ends[i], world.node, 2 * i);
  }
  POD_CHECK(ici_node_dial(world.node, 1, ici_peer_url) == NULL);
  for (int i = 0; i < OPERATIONS_MAX && input.size > 0; i++) {
    operate(&world, &input);
  }
  for (int i = 0; i < 2; i++) {
    ici_peer_deinit(&world.ends[i]);
  }
  memory_carrier_pretend(0, false);
  check_afterwards(&world);
  ici_node_destroy(world.node);
  return 0;
}
