// A socket whose last bytes still wait: it is shut down for writing, read until the peer
// closes or the time is over, and closed then, so that no RST overtakes them (RFC 1122,
// 4.2.2.13).

#include "common/rpc/linger.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/rpc/loop_internal.h"

struct rpc_linger_t {
  rpc_alarm_t alarm;  // First, so that the alarm finds it.
  uv_poll_t poll;
  rpc_loop_t *loop;
  rpc_linger_t *previous, *next;
  int fd;
};

static void free_linger(uv_handle_t *handle) {
  free(handle->data);
}

static void end(rpc_linger_t *linger) {
  rpc_loop_t *loop = linger->loop;
  rpc_alarm_cancel(loop, &linger->alarm);
  if (linger->previous != NULL) {
    linger->previous->next = linger->next;
  } else {
    loop->lingering = linger->next;
  }
  if (linger->next != NULL) {
    linger->next->previous = linger->previous;
  }
  loop->lingering_count--;
  uv_poll_stop(&linger->poll);
  close(linger->fd);
  uv_close((uv_handle_t *)&linger->poll, free_linger);
}

static void on_alarm(rpc_alarm_t *alarm) {
  end((rpc_linger_t *)alarm);
}

static void on_readable(uv_poll_t *poll, int status, int events) {
  (void)events;
  rpc_linger_t *linger = poll->data;
  rpc_loop_t *loop = linger->loop;
  rpc_loop_awake(loop);
  if (status < 0 ||
      recv(linger->fd, loop->scratch, sizeof(loop->scratch), MSG_DONTWAIT) <= 0) {
    end(linger);
  }
}

void rpc_linger_start(rpc_loop_t *loop, int fd) {
  if (loop->lingering_count >= RPC_LINGERING_MAX) {
    close(fd);
    return;
  }
  rpc_linger_t *linger = pod_alloc(sizeof(*linger));
  linger->loop = loop;
  linger->fd = fd;
  linger->alarm.fn = on_alarm;
  linger->poll.data = linger;
  if (shutdown(fd, SHUT_WR) != 0 || uv_poll_init(&loop->uv, &linger->poll, fd) != 0) {
    close(fd);
    free(linger);
    return;
  }
  linger->next = loop->lingering;
  if (linger->next != NULL) {
    linger->next->previous = linger;
  }
  loop->lingering = linger;
  loop->lingering_count++;
  rpc_alarm_set_in_ms(loop, &linger->alarm, RPC_LINGER_MS);
  uv_poll_start(&linger->poll, UV_READABLE, on_readable);
}

void rpc_linger_end_all(rpc_loop_t *loop) {
  while (loop->lingering != NULL) {
    end(loop->lingering);
  }
}
