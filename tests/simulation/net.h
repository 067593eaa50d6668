// The network between the processes: how long bytes take, who cannot reach whom, and
// which connections there are to be cut.
//
// Nothing is lost or reordered within a connection, as TCP has it: what a partition holds
// back comes when it heals. A connection ends by its ends, by a cut (both hear of a
// reset, each in its time), or silently (nothing passes any more, and nobody is told).

#ifndef TESTS_SIMULATION_NET_H_
#define TESTS_SIMULATION_NET_H_

#include "tests/simulation/machine.h"

typedef struct net_options_t {
  int64_t delay_ns_min, delay_ns_max;
  uint64_t spike_once_in;  // 0: never.
  int64_t spike_ns_max;
  int64_t bytes_per_us;
  int64_t buffer_bytes;  // That a sender may be ahead of the reader.
} net_options_t;

void net_reset(const net_options_t *options);

int64_t net_delay_ns(size_t size_bytes);
int64_t net_buffer_bytes(void);

// Both ways. Healed by net_heal, or all by net_heal_all.
void net_part(const process_t *a, const process_t *b);
void net_heal(const process_t *a, const process_t *b);
void net_heal_all(void);
bool net_is_parted(const process_t *a, const process_t *b);

// Embedded in what is a connection.
typedef struct net_connection_t {
  process_t *ends[2];
  void (*cut)(struct net_connection_t *connection, bool silently);
  struct net_connection_t *previous, *next;
  bool is_open;
} net_connection_t;

void net_open(net_connection_t *connection, process_t *a, process_t *b,
              void (*cut)(net_connection_t *, bool silently));
void net_close(net_connection_t *connection);

// One of those that there are, of `of` if that is not NULL. False: there is none.
bool net_cut_one(const process_t *of, bool silently);

#endif  // TESTS_SIMULATION_NET_H_
