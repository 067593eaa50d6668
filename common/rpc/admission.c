// The seats lie close together and are looked through as a whole: there are some thousand
// at most, and it is done once for each connection.

#include "common/rpc/admission.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/check.h"
#include "common/base/memory.h"

static rpc_origin_t origin_of_ipv6(const struct sockaddr_in6 *address) {
  const uint8_t *bytes = address->sin6_addr.s6_addr;
  rpc_origin_t origin = {.kind = AF_INET6};
  if (IN6_IS_ADDR_V4MAPPED(&address->sin6_addr)) {
    origin.kind = AF_INET;
    memcpy(origin.bytes, bytes + 12, 4);
  } else {
    memcpy(origin.bytes, bytes, sizeof(origin.bytes));
  }
  return origin;
}

rpc_origin_t rpc_origin_of(const rpc_address_t *peer, int fd) {
  rpc_origin_t origin = {.kind = (uint8_t)peer->socket.ss_family};
  if (origin.kind == AF_INET) {
    struct sockaddr_in ipv4;
    memcpy(&ipv4, &peer->socket, sizeof(ipv4));
    memcpy(origin.bytes, &ipv4.sin_addr, sizeof(ipv4.sin_addr));
  } else if (origin.kind == AF_INET6) {
    struct sockaddr_in6 ipv6;
    memcpy(&ipv6, &peer->socket, sizeof(ipv6));
    return origin_of_ipv6(&ipv6);
  } else {
    struct ucred credentials;
    socklen_t size = sizeof(credentials);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) {
      memcpy(origin.bytes, &credentials.uid, sizeof(credentials.uid));
    }
  }
  return origin;
}

static bool is_same(const rpc_origin_t *a, const rpc_origin_t *b) {
  return a->kind == b->kind && memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

void rpc_admission_init(rpc_admission_t *admission, size_t seats_max, size_t reserved,
                        size_t per_origin_max) {
  POD_CHECK(reserved <= seats_max);
  *admission = (rpc_admission_t){
      .seats = pod_alloc(seats_max * sizeof(rpc_seat_t)),
      .seats_max = seats_max,
      .reserved = reserved,
      .per_origin_max = per_origin_max,
  };
}

void rpc_admission_deinit(rpc_admission_t *admission) {
  free(admission->seats);
  *admission = (rpc_admission_t){0};
}

static bool is_counted_with_strangers(const rpc_seat_t *seat) {
  return !seat->is_own_user && seat->kept_count == 0;
}

// How early a seat has to be given up: the higher the earlier; 0 is never.
static int rank(const rpc_seat_t *seat, int64_t now_ms) {
  const int64_t age_ms = now_ms - seat->since_ms;
  if (seat->busy_count > 0 || seat->kept_count > 0) {
    return 0;
  }
  if (seat->was_busy) {
    return age_ms < RPC_IDLE_MS_MAX ? 1 : 3;
  }
  return age_ms < RPC_FRESH_MS_MAX ? 2 : 4;
}

// The seat that has to be given up first, of `origin` (NULL: of all), our own user's only
// if asked for and when there is no other.
static bool find_victim(const rpc_admission_t *admission, const rpc_origin_t *origin,
                        bool or_own_user, int64_t now_ms, size_t *out_victim) {
  const rpc_seat_t *victim = NULL;
  for (size_t i = 0; i < admission->count; i++) {
    const rpc_seat_t *seat = &admission->seats[i];
    const int seat_rank = rank(seat, now_ms);
    if (seat_rank == 0 || (seat->is_own_user && !or_own_user) ||
        (origin != NULL && !is_same(&seat->origin, origin))) {
      continue;
    }
    const int victim_rank = victim == NULL ? 0 : rank(victim, now_ms);
    const bool is_stranger = victim != NULL && victim->is_own_user && !seat->is_own_user;
    const bool is_worse = seat_rank > victim_rank ||
                          (seat_rank == victim_rank && seat->since_ms < victim->since_ms);
    if (victim == NULL || is_stranger ||
        (seat->is_own_user == victim->is_own_user && is_worse)) {
      victim = seat;
    }
  }
  if (victim == NULL) {
    return false;
  }
  *out_victim = (size_t)(victim - admission->seats);
  return true;
}

rpc_verdict_t rpc_admission_ask(const rpc_admission_t *admission, rpc_origin_t origin,
                                bool is_own_user, int64_t now_ms, size_t *out_victim) {
  size_t strangers = 0;
  size_t neighbours = 0;
  for (size_t i = 0; i < admission->count; i++) {
    const rpc_seat_t *seat = &admission->seats[i];
    if (is_counted_with_strangers(seat)) {
      strangers++;
      neighbours += is_same(&seat->origin, &origin) ? 1 : 0;
    }
  }
  const bool is_full = admission->count >= admission->seats_max;
  const bool origin_is_full = !is_own_user && neighbours >= admission->per_origin_max;
  const bool crowd_is_full =
      !is_own_user && strangers >= admission->seats_max - admission->reserved;
  if (!is_full && !origin_is_full && !crowd_is_full) {
    return RPC_ADMIT;
  }
  return find_victim(admission, origin_is_full ? &origin : NULL, is_own_user, now_ms,
                     out_victim)
             ? RPC_ADMIT_INSTEAD
             : RPC_REFUSE;
}

bool rpc_admission_find_unused(const rpc_admission_t *admission, int64_t now_ms,
                               size_t *out_victim) {
  return find_victim(admission, NULL, false, now_ms, out_victim);
}

size_t rpc_admission_take(rpc_admission_t *admission, void *owner, rpc_origin_t origin,
                          bool is_own_user, int64_t now_ms) {
  POD_CHECK(admission->count < admission->seats_max);
  admission->seats[admission->count] = (rpc_seat_t){
      .owner = owner, .origin = origin, .is_own_user = is_own_user, .since_ms = now_ms};
  return admission->count++;
}

void *rpc_admission_give_up(rpc_admission_t *admission, size_t seat) {
  POD_CHECK(seat < admission->count);
  admission->count--;
  if (seat == admission->count) {
    return NULL;
  }
  admission->seats[seat] = admission->seats[admission->count];
  return admission->seats[seat].owner;
}

void rpc_admission_begin(rpc_admission_t *admission, size_t seat) {
  admission->seats[seat].busy_count++;
  admission->seats[seat].was_busy = true;
}

void rpc_admission_end(rpc_admission_t *admission, size_t seat, int64_t now_ms) {
  admission->seats[seat].busy_count--;
  admission->seats[seat].since_ms = now_ms;
}

void rpc_admission_keep(rpc_admission_t *admission, size_t seat) {
  admission->seats[seat].kept_count++;
}

void rpc_admission_unkeep(rpc_admission_t *admission, size_t seat) {
  admission->seats[seat].kept_count--;
}
