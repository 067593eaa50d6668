// One attempt to connect: the name is resolved on a thread of libuv's, a socket connects
// without blocking, an alarm bounds both. What is left frees itself when libuv has let
// go of it.

#include "common/rpc/attempt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/rpc/address.h"
#include "common/rpc/loop_internal.h"

struct rpc_attempt_t {
  rpc_alarm_t alarm;  // First, so that the alarm finds its attempt.
  rpc_task_t begin;
  rpc_loop_t *loop;
  char *address;
  rpc_attempt_fn_t done;  // NULL once it has run or must not run any more.
  void *context;
  uv_getaddrinfo_t request;
  bool resolving;
  struct addrinfo *found, *candidate;
  uv_poll_t poll;
  bool polling;
  int fd;
  pod_status_t failure;  // Of the last candidate.
};

static void free_attempt(rpc_attempt_t *attempt) {
  pod_status_free(attempt->failure);
  uv_freeaddrinfo(attempt->found);
  free(attempt->address);
  free(attempt);
}

static void on_poll_closed(uv_handle_t *handle) {
  free_attempt(handle->data);
}

// Frees what is left, as soon as libuv has let go of it.
static void retire(rpc_attempt_t *attempt) {
  attempt->done = NULL;
  rpc_alarm_cancel(attempt->loop, &attempt->alarm);
  rpc_task_cancel(&attempt->begin);
  if (attempt->polling) {
    uv_poll_stop(&attempt->poll);
    uv_close((uv_handle_t *)&attempt->poll, on_poll_closed);
  } else if (attempt->resolving) {
    uv_cancel((uv_req_t *)&attempt->request);  // Its callback retires it again.
  } else {
    free_attempt(attempt);
  }
}

static void end(rpc_attempt_t *attempt, int fd, pod_status_t status) {
  const rpc_attempt_fn_t done = attempt->done;
  void *context = attempt->context;
  retire(attempt);
  done(fd, status, context);
}

void rpc_attempt_cancel(rpc_attempt_t *attempt) {
  if (attempt != NULL) {
    if (attempt->fd >= 0) {
      close(attempt->fd);
    }
    retire(attempt);
  }
}

static pod_status_t failure(const rpc_attempt_t *attempt, const char *why) {
  return pod_error(POD_UNAVAILABLE, "cannot connect to %s: %s", attempt->address, why);
}

static void try_next(rpc_attempt_t *attempt);

// Connecting to a port of our own range that nobody listens on can, rarely, reach
// ourselves.
static bool is_own_reflection(int fd) {
  rpc_address_t own = {.size_bytes = sizeof(own.socket)};
  rpc_address_t peer = {.size_bytes = sizeof(peer.socket)};
  return getsockname(fd, (struct sockaddr *)&own.socket, &own.size_bytes) == 0 &&
         getpeername(fd, (struct sockaddr *)&peer.socket, &peer.size_bytes) == 0 &&
         own.socket.ss_family != AF_UNIX && own.size_bytes == peer.size_bytes &&
         memcmp(&own.socket, &peer.socket, own.size_bytes) == 0;
}

static void note_failure(rpc_attempt_t *attempt, pod_status_t status) {
  pod_status_free(attempt->failure);
  attempt->failure = status;
}

static void on_poll_closed_try_next(uv_handle_t *handle) {
  rpc_attempt_t *attempt = handle->data;
  attempt->polling = false;
  if (attempt->done == NULL) {
    free_attempt(attempt);
  } else {
    try_next(attempt);
  }
}

// -1 when there is none, or somebody else's.
static int connect_shortcut(const rpc_address_t *address) {
  rpc_address_t shortcut;
  int fd = -1;
  if (!rpc_address_shortcut(address, &shortcut)) {
    return -1;
  }
  const pod_status_t status = rpc_address_connect(&shortcut, &fd);
  if (status != NULL) {
    pod_status_free(status);
    return -1;
  }
  if (!rpc_address_is_own_user(fd)) {
    close(fd);
    return -1;
  }
  return fd;
}

// A server that came between the two attempts has a shortcut by now; by TCP it would not
// know its own user. Returns `fd`, or what takes its place.
static int prefer_shortcut(int fd) {
  rpc_address_t peer = {.size_bytes = sizeof(peer.socket)};
  if (getpeername(fd, (struct sockaddr *)&peer.socket, &peer.size_bytes) != 0) {
    return fd;
  }
  const int near = connect_shortcut(&peer);
  if (near < 0) {
    return fd;
  }
  close(fd);
  return near;
}

static void on_connected(uv_poll_t *poll, int status, int events) {
  (void)events;
  rpc_attempt_t *attempt = poll->data;
  rpc_loop_awake(attempt->loop);
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(attempt->fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0 && status < 0) {
    error = -status;
  }
  if (error == 0 && is_own_reflection(attempt->fd)) {
    error = ECONNREFUSED;
  }
  const int fd = attempt->fd;
  attempt->fd = -1;
  if (error == 0) {
    uv_poll_stop(poll);
    end(attempt, prefer_shortcut(fd), NULL);
    return;
  }
  note_failure(attempt, failure(attempt, strerror(error)));
  uv_poll_stop(poll);
  close(fd);
  uv_close((uv_handle_t *)poll, on_poll_closed_try_next);
}

// False when it has failed. A connection may be there at once, and the attempt ended.
static bool try_address(rpc_attempt_t *attempt, const rpc_address_t *address) {
  const int near = connect_shortcut(address);
  if (near >= 0) {
    end(attempt, near, NULL);
    return true;
  }
  const pod_status_t status = rpc_address_connect(address, &attempt->fd);
  if (status != NULL) {
    note_failure(attempt, status);
    return false;
  }
  if (uv_poll_init(&attempt->loop->uv, &attempt->poll, attempt->fd) != 0) {
    close(attempt->fd);
    attempt->fd = -1;
    note_failure(attempt, failure(attempt, "cannot poll the socket"));
    return false;
  }
  attempt->polling = true;
  attempt->poll.data = attempt;
  uv_poll_start(&attempt->poll, UV_WRITABLE, on_connected);
  return true;
}

static void try_next(rpc_attempt_t *attempt) {
  while (attempt->candidate != NULL) {
    const struct addrinfo *candidate = attempt->candidate;
    attempt->candidate = candidate->ai_next;
    rpc_address_t address = {.size_bytes = candidate->ai_addrlen};
    memcpy(&address.socket, candidate->ai_addr, candidate->ai_addrlen);
    if (try_address(attempt, &address)) {
      return;
    }
  }
  pod_status_t status = attempt->failure;
  attempt->failure = NULL;
  if (status == NULL) {
    status = failure(attempt, "the name has no address");
  }
  end(attempt, -1, status);
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *found) {
  rpc_attempt_t *attempt = request->data;
  rpc_loop_awake(attempt->loop);
  attempt->resolving = false;
  attempt->found = attempt->candidate = found;
  if (attempt->done == NULL) {
    free_attempt(attempt);
  } else if (status != 0) {
    end(attempt, -1, failure(attempt, uv_strerror(status)));
  } else {
    try_next(attempt);
  }
}

static void begin(rpc_task_t *task) {
  rpc_attempt_t *attempt =
      (rpc_attempt_t *)(void *)((char *)task - offsetof(rpc_attempt_t, begin));
  rpc_address_t address;
  rpc_host_port_t parts;
  bool is_numeric = false;
  const pod_status_t status =
      rpc_address_parse(attempt->address, &is_numeric, &address, &parts);
  if (status != NULL) {
    end(attempt, -1, status);
    return;
  }
  if (is_numeric) {
    if (!try_address(attempt, &address)) {
      try_next(attempt);
    }
    return;
  }
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  attempt->request.data = attempt;
  attempt->resolving = true;
  const int error = uv_getaddrinfo(&attempt->loop->uv, &attempt->request, on_resolved,
                                   parts.host, parts.port, &hints);
  if (error != 0) {
    attempt->resolving = false;
    end(attempt, -1, failure(attempt, uv_strerror(error)));
  }
}

static void on_timeout(rpc_alarm_t *alarm) {
  rpc_attempt_t *attempt = (rpc_attempt_t *)alarm;
  if (attempt->fd >= 0) {
    close(attempt->fd);
    attempt->fd = -1;
  }
  end(attempt, -1, failure(attempt, "no answer within the time allowed"));
}

rpc_attempt_t *rpc_attempt_start(rpc_loop_t *loop, const char *address,
                                 uint64_t timeout_ms, rpc_attempt_fn_t done,
                                 void *context) {
  rpc_attempt_t *attempt = pod_alloc(sizeof(*attempt));
  attempt->alarm.fn = on_timeout;
  attempt->begin.fn = begin;
  attempt->loop = loop;
  attempt->address = pod_strdup(address);
  attempt->done = done;
  attempt->context = context;
  attempt->fd = -1;
  rpc_alarm_set_in_ms(loop, &attempt->alarm, timeout_ms);
  rpc_task_queue(loop, RPC_PHASE_FLUSH, &attempt->begin);
  return attempt;
}
