// Peers of a gRPC server that speak HTTP/2 by hand: attackers, many at a time, and a
// probe that measures what the server does for others meanwhile.
//
// Threading: each function's data belongs to one thread.
// Errors: what goes wrong at the server is counted, not reported: it is what is measured.

#ifndef TESTS_ATTACK_RPC_PEERS_H_
#define TESTS_ATTACK_RPC_PEERS_H_

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

// Every connection begins with these.
#define PEER_PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define PEER_SETTINGS "\0\0\0\4\0\0\0\0\0"

// A frame with its header.
void peer_add_frame(pod_text_t *out, uint8_t type, uint8_t flags, uint32_t stream,
                    const void *payload, size_t size);

// The HEADERS of a gRPC request, as gRPC's own clients send them.
void peer_add_request(pod_text_t *out, uint32_t stream, const char *path,
                      bool end_of_stream);

// A DATA frame with one message of `size` bytes.
void peer_add_message(pod_text_t *out, uint32_t stream, size_t size, bool end_of_stream);

// --- Attackers ---

typedef struct attacker_t {
  int fd;          // -1: to be connected.
  pod_text_t out;  // What is still to be sent, from `sent` on.
  size_t sent;
  uint32_t next_stream;  // Odd.
  uint64_t step;         // Times `more` was called.
  int64_t next_ns;       // When it may be called again.
} attacker_t;

typedef struct attack_t {
  const char *name;
  int connections;
  uint32_t interval_ms;  // Between two calls of `more` for a connection; 0: none.
  bool is_deaf;          // Reads nothing.
  void (*open)(attacker_t *attacker);  // Adds what a connection begins with.
  void (*more)(attacker_t *attacker);  // Adds what it goes on with.
} attack_t;

typedef struct attack_result_t {
  uint64_t connections, bytes;
} attack_result_t;

// Attacks the server at `port` of 127.0.0.1 until `stop`. Connections that the server
// closes are opened again.
attack_result_t attack_run(const attack_t *attack, in_port_t port, atomic_bool *stop);

// --- Others ---

typedef struct probe_result_t {
  uint64_t calls, failures;
  double p50_ms, p99_ms, most_ms;
} probe_result_t;

typedef struct probe_results_t {
  probe_result_t same;   // Calls of one connection that is there all the time.
  probe_result_t fresh;  // Calls of a new connection each, with its greeting.
} probe_results_t;

// Calls `path` for so long, every few milliseconds.
probe_results_t probe_run(in_port_t port, const char *path, int64_t duration_ns);

#endif  // TESTS_ATTACK_RPC_PEERS_H_
