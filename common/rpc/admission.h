// Which connections a server holds: who is let in when there are many, and who has to go
// for it. Plain decisions over a table of seats; server.c carries them out.
//
// A connection is kept (a call of it asked for that: a worker's Attach), busy (a handler
// has got a message of a call that still runs), idle (it was busy before) or fresh (never
// yet). Only idle and fresh ones may have to go: first who has been fresh for more than a
// second, then who has been idle for more than ten, then the other fresh ones, then the
// other idle ones, the longest first; who connects and does nothing thus loses its seat
// to those who do something.
//
// Seats of our own user (by a unix socket) and kept ones are not counted with the
// others', who may take all but the reserve: a crowd of strangers leaves room for workers
// and for whoever comes to see what is wrong. Strangers never drive out our own user.
//
// Cost: a look at every seat, of some dozens of bytes each, for every connection.
// Threading: one thread at a time.
// Ownership: the owners of seats are the caller's.

#ifndef COMMON_RPC_ADMISSION_H_
#define COMMON_RPC_ADMISSION_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/rpc/address.h"

enum { RPC_FRESH_MS_MAX = 1000, RPC_IDLE_MS_MAX = 10000 };

// Where connections come from, as far as they are counted together: an IPv4 address, the
// first half of an IPv6 address (what one network gives to one customer), a user id.
typedef struct rpc_origin_t {
  uint8_t kind;  // An address family.
  uint8_t bytes[8];
} rpc_origin_t;

typedef struct rpc_seat_t {
  void *owner;
  rpc_origin_t origin;
  bool is_own_user;
  bool was_busy;
  uint32_t busy_count, kept_count;  // Calls.
  int64_t since_ms;                 // When it became fresh or idle.
} rpc_seat_t;

typedef struct rpc_admission_t {
  rpc_seat_t *seats;
  size_t count;
  size_t seats_max, reserved, per_origin_max;
} rpc_admission_t;

typedef enum rpc_verdict_t {
  RPC_ADMIT = 0,
  RPC_ADMIT_INSTEAD,  // Once the victim has gone.
  RPC_REFUSE,
} rpc_verdict_t;

// `peer` as accept4 has it; `fd` for the user id behind a unix socket.
rpc_origin_t rpc_origin_of(const rpc_address_t *peer, int fd);

// `reserved` is at most `seats_max`.
void rpc_admission_init(rpc_admission_t *admission, size_t seats_max, size_t reserved,
                        size_t per_origin_max);

void rpc_admission_deinit(rpc_admission_t *admission);

// What to do with somebody who connects now. *out_victim is the seat that has to be given
// up first, for RPC_ADMIT_INSTEAD.
rpc_verdict_t rpc_admission_ask(const rpc_admission_t *admission, rpc_origin_t origin,
                                bool is_own_user, int64_t now_ms, size_t *out_victim);

// Who has to go when there is no room for anything, or false: the longest unused of all
// but our own user's.
bool rpc_admission_find_unused(const rpc_admission_t *admission, int64_t now_ms,
                               size_t *out_victim);

// Returns the seat. There must be one.
size_t rpc_admission_take(rpc_admission_t *admission, void *owner, rpc_origin_t origin,
                          bool is_own_user, int64_t now_ms);

// Returns whose seat is now `seat`, or NULL: the last one moves there.
void *rpc_admission_give_up(rpc_admission_t *admission, size_t seat);

// A call begins to count for the seat, or has ended.
void rpc_admission_begin(rpc_admission_t *admission, size_t seat);
void rpc_admission_end(rpc_admission_t *admission, size_t seat, int64_t now_ms);

// While such a call runs, the connection is kept.
void rpc_admission_keep(rpc_admission_t *admission, size_t seat);
void rpc_admission_unkeep(rpc_admission_t *admission, size_t seat);

#endif  // COMMON_RPC_ADMISSION_H_
