// Sockets that do not wait, looked at in turn: the attackers need not be quick, but many.

#include "rpc_peers.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"

enum {
  FRAME_HEADER_BYTES = 9,
  DATA = 0,
  HEADERS = 1,
  END_STREAM = 1,
  END_HEADERS = 4,
  CONNECTS_PER_ROUND = 32,
  REST_US = 300,
  PROBE_PAUSE_US = 3000,
  PROBE_WAIT_MS = 5000,
  PROBES_MAX = 1 << 16,
  NS_PER_MS = 1000000,
};

static void rest(long us) {
  nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

// --- Frames ---

void peer_add_frame(pod_text_t *out, uint8_t type, uint8_t flags, uint32_t stream,
                    const void *payload, size_t size) {
  const uint8_t header[FRAME_HEADER_BYTES] = {(uint8_t)(size >> 16),
                                              (uint8_t)(size >> 8),
                                              (uint8_t)size,
                                              type,
                                              flags,
                                              (uint8_t)(stream >> 24),
                                              (uint8_t)(stream >> 16),
                                              (uint8_t)(stream >> 8),
                                              (uint8_t)stream};
  pod_text_add_bytes(out, header, sizeof(header));
  pod_text_add_bytes(out, payload, size);
}

void peer_add_request(pod_text_t *out, uint32_t stream, const char *path,
                      bool end_of_stream) {
  pod_text_t block = {0};
  // :method POST, :scheme http, :path, :authority a, te: trailers, content-type.
  pod_text_add_bytes(&block, "\x83\x86\4", 3);
  const char length = (char)strlen(path);
  pod_text_add_bytes(&block, &length, 1);
  pod_text_add(&block, path);
  static const char rest_of_block[] =
      "\1\1a\0\2te\10trailers\x0f\x10\x10"
      "application/grpc";
  pod_text_add_bytes(&block, rest_of_block, sizeof(rest_of_block) - 1);
  const uint8_t flags = END_HEADERS | (end_of_stream ? END_STREAM : 0);
  peer_add_frame(out, HEADERS, flags, stream, block.bytes, block.length);
  pod_text_deinit(&block);
}

void peer_add_message(pod_text_t *out, uint32_t stream, size_t size, bool end_of_stream) {
  uint8_t *message = pod_alloc(5 + size);
  message[1] = (uint8_t)(size >> 24);
  message[2] = (uint8_t)(size >> 16);
  message[3] = (uint8_t)(size >> 8);
  message[4] = (uint8_t)size;
  peer_add_frame(out, DATA, end_of_stream ? END_STREAM : 0, stream, message, 5 + size);
  free(message);
}

// --- Attackers ---

static int connect_to(in_port_t port, int flags) {
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons(port),
                                      .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 &&
      errno != EINPROGRESS) {
    close(fd);
    return -1;
  }
  return fd;
}

static void begin(const attack_t *attack, attacker_t *attacker, in_port_t port) {
  attacker->fd = connect_to(port, SOCK_NONBLOCK);
  pod_text_clear(&attacker->out);
  attacker->sent = 0;
  attacker->next_stream = 1;
  attacker->step = 0;
  attacker->next_ns = 0;
  if (attacker->fd >= 0 && attack->open != NULL) {
    attack->open(attacker);
  }
}

static void end(attacker_t *attacker) {
  close(attacker->fd);
  attacker->fd = -1;
}

static bool would_block(void) {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOTCONN;
}

// False when the server has closed the connection.
static bool hear(const attack_t *attack, const attacker_t *attacker) {
  static _Thread_local uint8_t dropped[65536];
  const int flags = MSG_DONTWAIT | (attack->is_deaf ? MSG_PEEK : 0);
  const ssize_t size =
      recv(attacker->fd, dropped, attack->is_deaf ? 1 : sizeof(dropped), flags);
  return size > 0 || (size < 0 && would_block());
}

// Returns the bytes sent, -1 when the server has closed the connection.
static ssize_t say(const attack_t *attack, attacker_t *attacker, int64_t now_ns) {
  if (attacker->sent == attacker->out.length) {
    pod_text_clear(&attacker->out);
    attacker->sent = 0;
    if (attack->more == NULL || now_ns < attacker->next_ns) {
      return 0;
    }
    attacker->next_ns = now_ns + (int64_t)attack->interval_ms * NS_PER_MS;
    attack->more(attacker);
    attacker->step++;
  }
  const ssize_t size =
      send(attacker->fd, attacker->out.bytes + attacker->sent,
           attacker->out.length - attacker->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (size < 0) {
    return would_block() ? 0 : -1;
  }
  attacker->sent += (size_t)size;
  return size;
}

attack_result_t attack_run(const attack_t *attack, in_port_t port, atomic_bool *stop) {
  attack_result_t result = {0};
  attacker_t *attackers = pod_alloc((size_t)attack->connections * sizeof(*attackers));
  for (int i = 0; i < attack->connections; i++) {
    attackers[i].fd = -1;
  }
  while (!atomic_load(stop)) {
    int connects = 0;
    uint64_t bytes = 0;
    for (int i = 0; i < attack->connections && !atomic_load(stop); i++) {
      attacker_t *attacker = &attackers[i];
      if (attacker->fd < 0) {
        if (connects++ < CONNECTS_PER_ROUND) {
          begin(attack, attacker, port);
          result.connections++;
        }
        continue;
      }
      const ssize_t sent = say(attack, attacker, pod_clock_now_ns());
      bytes += sent > 0 ? (uint64_t)sent : 0;
      if (sent < 0 || !hear(attack, attacker)) {
        end(attacker);
      }
    }
    result.bytes += bytes;
    if (bytes == 0) {
      rest(REST_US);
    }
  }
  for (int i = 0; i < attack->connections; i++) {
    if (attackers[i].fd >= 0) {
      end(&attackers[i]);
    }
    pod_text_deinit(&attackers[i].out);
  }
  free(attackers);
  return result;
}

// --- Others ---

typedef struct wire_t {
  int fd;
  uint8_t bytes[1 << 16];
  size_t size;
  uint32_t next_stream;
} wire_t;

// Takes the frames that are there; true when one of them ends `stream`.
static bool take_end(wire_t *wire, uint32_t stream) {
  bool is_end = false;
  size_t at = 0;
  while (wire->size - at >= FRAME_HEADER_BYTES) {
    const uint8_t *header = wire->bytes + at;
    const size_t length =
        (size_t)header[0] << 16 | (size_t)header[1] << 8 | (size_t)header[2];
    const uint32_t id = ((uint32_t)header[5] << 24 | (uint32_t)header[6] << 16 |
                         (uint32_t)header[7] << 8 | (uint32_t)header[8]) &
                        0x7fffffffu;
    if (wire->size - at < FRAME_HEADER_BYTES + length) {
      break;
    }
    is_end |= header[3] == HEADERS && (header[4] & END_STREAM) != 0 && id == stream;
    at += FRAME_HEADER_BYTES + length;
  }
  memmove(wire->bytes, wire->bytes + at, wire->size - at);
  wire->size -= at;
  return is_end;
}

// One unary call. False when it did not end well within PROBE_WAIT_MS.
static bool call(wire_t *wire, const char *path, bool greets) {
  pod_text_t out = {0};
  const uint32_t stream = wire->next_stream;
  wire->next_stream += 2;
  if (greets) {
    pod_text_add_bytes(&out, PEER_PREFACE PEER_SETTINGS,
                       sizeof(PEER_PREFACE PEER_SETTINGS) - 1);
  }
  peer_add_request(&out, stream, path, false);
  peer_add_message(&out, stream, 8, true);
  bool is_well =
      send(wire->fd, out.bytes, out.length, MSG_NOSIGNAL) == (ssize_t)out.length;
  pod_text_deinit(&out);
  while (is_well) {
    struct pollfd readable = {.fd = wire->fd, .events = POLLIN};
    if (poll(&readable, 1, PROBE_WAIT_MS) != 1) {
      return false;
    }
    const ssize_t size =
        recv(wire->fd, wire->bytes + wire->size, sizeof(wire->bytes) - wire->size, 0);
    is_well = size > 0;
    wire->size += is_well ? (size_t)size : 0;
    if (is_well && take_end(wire, stream)) {
      return true;
    }
  }
  return false;
}

typedef struct times_t {
  double ms[PROBES_MAX];
  size_t count;
  uint64_t calls, failures;
} times_t;

static void note(times_t *times, int64_t start_ns, bool is_well) {
  times->calls++;
  times->failures += is_well ? 0 : 1;
  if (times->count < PROBES_MAX) {
    times->ms[times->count++] = (double)(pod_clock_now_ns() - start_ns) / NS_PER_MS;
  }
}

static int compare(const void *a, const void *b) {
  const double left = *(const double *)a;
  const double right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static probe_result_t sum_up(times_t *times) {
  probe_result_t result = {.calls = times->calls, .failures = times->failures};
  if (times->count > 0) {
    qsort(times->ms, times->count, sizeof(times->ms[0]), compare);
    result.p50_ms = times->ms[times->count / 2];
    result.p99_ms = times->ms[times->count * 99 / 100];
    result.most_ms = times->ms[times->count - 1];
  }
  free(times);
  return result;
}

static wire_t *open_wire(in_port_t port) {
  wire_t *wire = pod_alloc(sizeof(*wire));
  wire->next_stream = 1;
  wire->fd = connect_to(port, 0);
  return wire;
}

static void close_wire(wire_t *wire) {
  close(wire->fd);
  free(wire);
}

probe_results_t probe_run(in_port_t port, const char *path, int64_t duration_ns) {
  times_t *same = pod_alloc(sizeof(*same));
  times_t *fresh = pod_alloc(sizeof(*fresh));
  wire_t *lasting = open_wire(port);
  const int64_t end_ns = pod_clock_now_ns() + duration_ns;
  int64_t start_ns;
  while ((start_ns = pod_clock_now_ns()) < end_ns) {
    const bool is_well = call(lasting, path, lasting->next_stream == 1);
    note(same, start_ns, is_well);
    if (!is_well) {
      close_wire(lasting);
      lasting = open_wire(port);
    }
    start_ns = pod_clock_now_ns();
    wire_t *wire = open_wire(port);
    note(fresh, start_ns, call(wire, path, true));
    close_wire(wire);
    rest(PROBE_PAUSE_US);
  }
  close_wire(lasting);
  return (probe_results_t){.same = sum_up(same), .fresh = sum_up(fresh)};
}
