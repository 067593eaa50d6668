// Any bytes as an ICI frame: a header and, where it is one, a HELLO. What is accepted is
// within its bounds and is the same again when it is encoded and decoded. And any frames
// as what a neighbour says once it has shaken hands, over a pipe in memory: the node
// stays whole, whatever becomes of the link.

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/log.h"
#include "server/ici/frame.h"
#include "server/ici/ici.h"
#include "tests/unit/server/ici/memory_carrier.h"

enum { CHIPS = 8, FRAMES_MAX = 32, CHANGES_MAX = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_header(const uint8_t *data, size_t size) {
  ici_header_t header;
  const pod_status_t status = ici_header_decode(data, size, CHIPS, &header);
  if (status != NULL) {
    pod_status_free(status);
    return;
  }
  POD_CHECK(header.kind >= ICI_HELLO && header.kind < ICI_KIND_COUNT);
  POD_CHECK(header.source >= 0 && header.source < CHIPS);
  POD_CHECK(header.destination >= 0 && header.destination < CHIPS);
  POD_CHECK(header.payload_bytes <= ICI_PAYLOAD_MAX);
  POD_CHECK(header.payload_bytes + (size_t)ICI_HEADER_BYTES == size);
  uint8_t bytes[ICI_HEADER_BYTES], again_bytes[ICI_HEADER_BYTES];
  ici_header_encode(&header, bytes);
  ici_header_t again;
  POD_CHECK(ici_header_decode(bytes, size, CHIPS, &again) == NULL);
  ici_header_encode(&again, again_bytes);
  POD_CHECK(memcmp(bytes, again_bytes, sizeof(bytes)) == 0);
}

static void check_hello(const uint8_t *data, size_t size) {
  ici_hello_t hello;
  const pod_status_t status = ici_hello_decode(data, size, &hello);
  if (status != NULL) {
    pod_status_free(status);
    return;
  }
  POD_CHECK(memchr(hello.pod, '\0', sizeof(hello.pod)) != NULL);
  uint8_t bytes[ICI_HELLO_BYTES];
  ici_hello_encode(&hello, bytes);
  ici_hello_t again;
  POD_CHECK(ici_hello_decode(bytes, sizeof(bytes), &again) == NULL);
  pod_status_free(ici_hello_check(&hello, &again));
}

// ---- A neighbour.

static const torus_t line = {.size = {CHIPS, 1, 1}};

// Chip 2 beside the node, which is chip 1. Everything under the lock.
typedef struct neighbour_t {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  ici_pipe_t *pipe;
  bool is_answered, is_sending, is_gone;
  int heard;
} neighbour_t;

static neighbour_t neighbour = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                .changed = PTHREAD_COND_INITIALIZER};

static void unlock_and_tell(void) {
  pthread_cond_broadcast(&neighbour.changed);
  pthread_mutex_unlock(&neighbour.lock);
}

static void on_connected(void *context, ici_door_t *door, ici_pipe_t *pipe) {
  (void)context;
  (void)door;
  pthread_mutex_lock(&neighbour.lock);
  neighbour.pipe = pipe;
  neighbour.is_answered = true;
  unlock_and_tell();
}

static void on_sent(void *context, bool is_sent) {
  (void)context;
  pthread_mutex_lock(&neighbour.lock);
  neighbour.is_sending = false;
  neighbour.is_gone |= !is_sent;
  unlock_and_tell();
}

static void on_received(void *context, nng_msg *message) {
  (void)context;
  pthread_mutex_lock(&neighbour.lock);
  neighbour.is_gone |= message == NULL;
  neighbour.heard++;
  if (message != NULL) {
    nng_msg_free(message);
    memory_carrier.receive(neighbour.pipe);
  }
  unlock_and_tell();
}

static nng_msg *take(void *context, size_t size_bytes) {
  (void)context;
  nng_msg *message;
  POD_CHECK(nng_msg_alloc(&message, size_bytes) == 0);
  return message;
}

static void give(void *context, nng_msg *message) {
  (void)context;
  nng_msg_free(message);
}

static const ici_pipe_user_t user = {.connected = on_connected,
                                     .sent = on_sent,
                                     .received = on_received,
                                     .take = take,
                                     .give = give};

// Sends a frame and waits until it has gone. False: the link is gone.
static bool say(const uint8_t *frame, size_t size_bytes) {
  nng_msg *message = take(NULL, size_bytes);
  memcpy(nng_msg_body(message), frame, size_bytes);
  pthread_mutex_lock(&neighbour.lock);
  neighbour.is_sending = true;
  memory_carrier.send(neighbour.pipe, message);
  while (neighbour.is_sending) {
    pthread_cond_wait(&neighbour.changed, &neighbour.lock);
  }
  const bool is_there = !neighbour.is_gone;
  pthread_mutex_unlock(&neighbour.lock);
  return is_there;
}

static size_t make_frame(ici_kind_t kind, const void *payload, size_t payload_bytes,
                         uint8_t *frame) {
  const ici_header_t header = {.kind = (uint8_t)kind,
                               .source = 2,
                               .destination = 1,
                               .epoch = 5,
                               .execution = 1,
                               .total = (int64_t)payload_bytes,
                               .payload_bytes = (uint32_t)payload_bytes};
  ici_header_encode(&header, frame);
  if (payload_bytes > 0) {
    memcpy(frame + ICI_HEADER_BYTES, payload, payload_bytes);
  }
  return ICI_HEADER_BYTES + payload_bytes;
}

static bool greet(void) {
  uint8_t bytes[ICI_HELLO_BYTES];
  uint8_t frame[ICI_HEADER_BYTES + ICI_HELLO_BYTES];
  const ici_hello_t hello = {
      .pod = "fuzz", .from = 2, .to = 1, .direction = 1, .torus = line, .epoch = 5};
  ici_hello_encode(&hello, bytes);
  if (!say(frame, make_frame(ICI_HELLO, bytes, sizeof(bytes), frame)) ||
      !say(frame, make_frame(ICI_WELCOME, NULL, 0, frame))) {
    return false;
  }
  pthread_mutex_lock(&neighbour.lock);
  while (neighbour.heard < 2 && !neighbour.is_gone) {
    pthread_cond_wait(&neighbour.changed, &neighbour.lock);
  }
  const bool is_there = !neighbour.is_gone;
  pthread_mutex_unlock(&neighbour.lock);
  return is_there;
}

// A frame of this kind, some bytes of it changed: kind, size, changes (place, value),
// payload. Returns how much of the input it took.
static size_t next_frame(const uint8_t *data, size_t size, uint8_t *frame,
                         size_t *out_bytes) {
  uint8_t input[2 + 1 + 2 * CHANGES_MAX + UINT8_MAX] = {0};
  const size_t taken = size < sizeof(input) ? size : sizeof(input);
  memcpy(input, data, taken);
  const size_t payload_bytes = input[1];
  const size_t changes = input[2] % (CHANGES_MAX + 1);
  const size_t payload_at = 3 + 2 * changes;
  *out_bytes =
      make_frame((ici_kind_t)(input[0] % 12), input + payload_at, payload_bytes, frame);
  for (size_t i = 0; i < changes; i++) {
    frame[input[3 + 2 * i] % ICI_HEADER_BYTES] = input[4 + 2 * i];
  }
  const size_t used = payload_at + payload_bytes;
  return used < taken ? used : taken;
}

static void say_frames(const uint8_t *data, size_t size) {
  uint8_t frame[ICI_HEADER_BYTES + UINT8_MAX];
  bool is_there = greet();
  for (int i = 0; i < FRAMES_MAX && size > 0 && is_there; i++) {
    size_t frame_bytes;
    const size_t used = next_frame(data, size, frame, &frame_bytes);
    data += used;
    size -= used;
    is_there = say(frame, frame_bytes);
  }
}

// One node for all inputs: what one leaves behind must not hurt the next.
static const char *start_node(void) {
  static ici_node_t *node;
  if (node == NULL) {
    const ici_node_config_t config = {.pod = "fuzz",
                                      .chip = 1,
                                      .torus = line,
                                      .epoch = 1,
                                      .ipc_directory = "/podium-fuzz-memory",
                                      .carrier = &memory_carrier};
    pod_log_init("fuzz", POD_LOG_NONE);
    memory_carrier_start();
    POD_CHECK(ici_node_create(&config, &node) == NULL);
  }
  return ici_node_ipc_url(node, 0);
}

static void check_session(const uint8_t *data, size_t size) {
  ici_door_t *door;
  POD_CHECK(memory_carrier.dial(start_node(), &user, NULL, &door) == NULL);
  pthread_mutex_lock(&neighbour.lock);
  neighbour.pipe = NULL;
  neighbour.is_answered = neighbour.is_gone = false;
  neighbour.heard = 0;
  memory_carrier.next(door);
  while (!neighbour.is_answered) {
    pthread_cond_wait(&neighbour.changed, &neighbour.lock);
  }
  POD_CHECK(neighbour.pipe != NULL);
  memory_carrier.receive(neighbour.pipe);
  pthread_mutex_unlock(&neighbour.lock);
  say_frames(data, size);
  memory_carrier.destroy_pipe(neighbour.pipe);
  memory_carrier.destroy_door(door);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_header(data, size);
  check_hello(data, size);
  if (size > ICI_HEADER_BYTES) {
    check_hello(data + ICI_HEADER_BYTES, size - ICI_HEADER_BYTES);
  }
  check_session(data, size);
  return 0;
}
