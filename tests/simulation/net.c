// Connections in a list, partitions as a matrix over processes.

#include "tests/simulation/net.h"

#include <string.h>

#include "common/base/check.h"

static net_options_t net;
static net_connection_t *connections;
static bool parted[MACHINE_PROCESSES_MAX][MACHINE_PROCESSES_MAX];

void net_reset(const net_options_t *options) {
  net = *options;
  connections = NULL;
  memset(parted, 0, sizeof(parted));
}

int64_t net_delay_ns(size_t size_bytes) {
  int64_t delay = machine_between(net.delay_ns_min, net.delay_ns_max) +
                  (int64_t)size_bytes * 1000 / net.bytes_per_us;
  if (net.spike_once_in > 0 && machine_once_in(net.spike_once_in)) {
    delay += machine_between(0, net.spike_ns_max);
  }
  return delay;
}

int64_t net_buffer_bytes(void) {
  return net.buffer_bytes;
}

void net_part(const process_t *a, const process_t *b) {
  parted[a->index][b->index] = parted[b->index][a->index] = true;
}

void net_heal(const process_t *a, const process_t *b) {
  parted[a->index][b->index] = parted[b->index][a->index] = false;
}

void net_heal_all(void) {
  memset(parted, 0, sizeof(parted));
}

bool net_is_parted(const process_t *a, const process_t *b) {
  return parted[a->index][b->index];
}

void net_open(net_connection_t *connection, process_t *a, process_t *b,
              void (*cut)(net_connection_t *, bool silently)) {
  *connection = (net_connection_t){
      .ends = {a, b}, .cut = cut, .next = connections, .is_open = true};
  if (connections != NULL) {
    connections->previous = connection;
  }
  connections = connection;
}

void net_close(net_connection_t *connection) {
  if (!connection->is_open) {
    return;
  }
  connection->is_open = false;
  if (connection->previous != NULL) {
    connection->previous->next = connection->next;
  } else {
    connections = connection->next;
  }
  if (connection->next != NULL) {
    connection->next->previous = connection->previous;
  }
}

bool net_cut_one(const process_t *of, bool silently) {
  net_connection_t *chosen = NULL;
  uint64_t seen = 0;
  for (net_connection_t *at = connections; at != NULL; at = at->next) {
    const bool fits = of == NULL || at->ends[0] == of || at->ends[1] == of;
    if (fits && machine_once_in(++seen)) {
      chosen = at;
    }
  }
  if (chosen == NULL) {
    return false;
  }
  machine_trace("network: %s between %s and %s", silently ? "silence" : "cut",
                chosen->ends[0]->name, chosen->ends[1]->name);
  net_close(chosen);
  chosen->cut(chosen, silently);
  return true;
}
