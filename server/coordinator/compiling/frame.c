// Whole frames over a socket that may block, by a deadline.

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "server/coordinator/compiling/message.h"

// Nothing that is sent comes near it: text is bounded by Compile, programs by
// server/wire.
#define FRAME_BYTES_MAX ((uint64_t)4 << 30)

enum { FRAME_MAGIC = 0x50434d50 };

typedef struct frame_header_t {
  uint64_t magic, head_bytes, body_bytes, is_last;
} frame_header_t;

int64_t compile_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void compile_frame_deinit(compile_frame_t *frame) {
  free(frame->head);
  free(frame->body);
  *frame = (compile_frame_t){0};
}

// Until the socket is readable or writable.
static pod_status_t await(int fd, short what, int64_t deadline_ms) {
  for (;;) {
    int timeout_ms = -1;
    if (deadline_ms != COMPILE_NO_DEADLINE) {
      const int64_t left_ms = deadline_ms - compile_now_ms();
      timeout_ms = left_ms < 0 ? 0 : left_ms > 60000 ? 60000 : (int)left_ms;
    }
    struct pollfd wanted = {.fd = fd, .events = what};
    const int ready = poll(&wanted, 1, timeout_ms);
    if (ready > 0) {
      return NULL;
    }
    if (ready < 0 && errno != EINTR) {
      return pod_error(POD_UNAVAILABLE, "poll: %s", strerror(errno));
    }
    if (deadline_ms != COMPILE_NO_DEADLINE && compile_now_ms() >= deadline_ms) {
      return pod_error(POD_DEADLINE_EXCEEDED, "its time is over");
    }
  }
}

static pod_status_t send_all(int fd, int64_t deadline_ms, const void *data,
                             size_t size_bytes) {
  const char *at = data;
  while (size_bytes > 0) {
    const ssize_t sent = send(fd, at, size_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      at += sent;
      size_bytes -= (size_t)sent;
    } else if (errno == EAGAIN) {
      POD_TRY(await(fd, POLLOUT, deadline_ms));
    } else if (errno != EINTR) {
      return pod_error(POD_UNAVAILABLE, "send: %s", strerror(errno));
    }
  }
  return NULL;
}

static pod_status_t receive_all(int fd, int64_t deadline_ms, void *data,
                                size_t size_bytes) {
  char *at = data;
  while (size_bytes > 0) {
    const ssize_t received = recv(fd, at, size_bytes, MSG_DONTWAIT);
    if (received > 0) {
      at += received;
      size_bytes -= (size_t)received;
    } else if (received == 0) {
      return pod_error(POD_UNAVAILABLE, "the other end has gone");
    } else if (errno == EAGAIN) {
      POD_TRY(await(fd, POLLIN, deadline_ms));
    } else if (errno != EINTR) {
      return pod_error(POD_UNAVAILABLE, "recv: %s", strerror(errno));
    }
  }
  return NULL;
}

pod_status_t compile_frame_send(int fd, int64_t deadline_ms,
                                const compile_frame_t *frame) {
  const frame_header_t header = {FRAME_MAGIC, frame->head_bytes, frame->body_bytes,
                                 frame->is_last};
  POD_TRY(send_all(fd, deadline_ms, &header, sizeof(header)));
  POD_TRY(send_all(fd, deadline_ms, frame->head, frame->head_bytes));
  return send_all(fd, deadline_ms, frame->body, frame->body_bytes);
}

static pod_status_t receive_part(int fd, int64_t deadline_ms, uint64_t size_bytes,
                                 uint8_t **out_bytes) {
  uint8_t *bytes = malloc((size_t)size_bytes + 1);
  if (bytes == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "host memory: %llu bytes of a compiled program do not fit",
                     (unsigned long long)size_bytes);
  }
  *out_bytes = bytes;
  bytes[size_bytes] = '\0';
  return receive_all(fd, deadline_ms, bytes, (size_t)size_bytes);
}

pod_status_t compile_frame_receive(int fd, int64_t deadline_ms,
                                   compile_frame_t *out_frame) {
  *out_frame = (compile_frame_t){0};
  frame_header_t header;
  POD_TRY(receive_all(fd, deadline_ms, &header, sizeof(header)));
  if (header.magic != FRAME_MAGIC || header.head_bytes > FRAME_BYTES_MAX ||
      header.body_bytes > FRAME_BYTES_MAX) {
    return pod_error(POD_INTERNAL, "what came is no frame");
  }
  out_frame->head_bytes = (size_t)header.head_bytes;
  out_frame->body_bytes = (size_t)header.body_bytes;
  out_frame->is_last = header.is_last != 0;
  POD_TRY(receive_part(fd, deadline_ms, header.head_bytes, &out_frame->head));
  return receive_part(fd, deadline_ms, header.body_bytes, &out_frame->body);
}
