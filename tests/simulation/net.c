// Connections and partitions in lists: there are few of either.

#include "tests/simulation/net.h"

#include "common/base/check.h"

enum { PARTED_MAX = 256 };

static net_options_t net;
static net_connection_t *connections;

typedef struct pair_t {
  const process_t *a, *b;
} pair_t;

static pair_t parted[PARTED_MAX];
static int parted_count;

void net_reset(const net_options_t *options) {
  net = *options;
  connections = NULL;
  parted_count = 0;
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

static int find_pair(const process_t *a, const process_t *b) {
  int at = 0;
  while (at < parted_count && !(parted[at].a == a && parted[at].b == b) &&
         !(parted[at].a == b && parted[at].b == a)) {
    at++;
  }
  return at;
}

void net_part(const process_t *a, const process_t *b) {
  const int at = find_pair(a, b);
  if (at == parted_count) {
    POD_CHECK(parted_count < PARTED_MAX);
    parted[parted_count++] = (pair_t){a, b};
  }
}

void net_heal(const process_t *a, const process_t *b) {
  const int at = find_pair(a, b);
  if (at < parted_count) {
    parted[at] = parted[--parted_count];
  }
}

void net_heal_all(void) {
  parted_count = 0;
}

bool net_is_parted(const process_t *a, const process_t *b) {
  return find_pair(a, b) < parted_count;
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
