#include "tests/unit/server/ici/line.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"

// ---- Plain sockets.

typedef struct address_t {
  struct sockaddr_storage storage;
  socklen_t size_bytes;
} address_t;

static address_t address_of(const char *url) {
  address_t address = {.size_bytes = 0};
  int port = 0;
  if (sscanf(url, "tcp://127.0.0.1:%d", &port) == 1) {
    const struct sockaddr_in in = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    memcpy(&address.storage, &in, sizeof(in));
    address.size_bytes = sizeof(in);
    return address;
  }
  struct sockaddr_un un = {.sun_family = AF_UNIX};
  snprintf(un.sun_path, sizeof(un.sun_path), "%s", url + strlen("ipc://"));
  memcpy(&address.storage, &un, sizeof(un));
  address.size_bytes = sizeof(un);
  return address;
}

int connect_plain(const char *url) {
  const address_t address = address_of(url);
  const int file = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  POD_CHECK(file >= 0);
  if (connect(file, (const struct sockaddr *)&address.storage, address.size_bytes) != 0) {
    close(file);
    return -1;
  }
  return file;
}

// ---- A line between two nodes that is cut after some bytes.

// False: it has ended.
static bool pass_on(int from, int to, int64_t *left) {
  uint8_t bytes[4096];
  const size_t wanted = *left < (int64_t)sizeof(bytes) ? (size_t)*left : sizeof(bytes);
  const ssize_t got = recv(from, bytes, wanted, MSG_DONTWAIT);
  if (got <= 0) {
    return got < 0 && errno == EAGAIN;
  }
  *left -= got;
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t some = send(to, bytes + sent, (size_t)(got - sent), MSG_NOSIGNAL);
    if (some < 0) {
      return false;
    }
    sent += some;
  }
  return *left > 0;
}

static void serve_connection(line_t *line, int near, int64_t left) {
  const int far = connect_plain(line->far);
  while (far >= 0 && left > 0 && !atomic_load(&line->stops) &&
         !atomic_exchange(&line->is_cut, false)) {
    struct pollfd files[] = {{.fd = near, .events = POLLIN},
                             {.fd = far, .events = POLLIN}};
    const bool is_silent = atomic_load(&line->is_silent);
    (void)poll(files, is_silent ? 0 : 2, 10);
    if (is_silent) {
      continue;
    }
    if ((files[0].revents != 0 && !pass_on(near, far, &left)) ||
        (files[1].revents != 0 && !pass_on(far, near, &left))) {
      break;
    }
  }
  if (far >= 0) {
    close(far);
  }
  close(near);
}

static void *serve_line(void *context) {
  line_t *line = context;
  while (!atomic_load(&line->stops)) {
    struct pollfd file = {.fd = line->listener, .events = POLLIN};
    if (poll(&file, 1, 10) <= 0) {
      continue;
    }
    const int near = accept4(line->listener, NULL, NULL, SOCK_CLOEXEC);
    if (near >= 0) {
      const int i = atomic_fetch_add(&line->connections, 1);
      serve_connection(line, near, i < line->cut_count ? line->cuts[i] : INT64_MAX);
    }
  }
  return NULL;
}

void line_start(line_t *line, const char *directory, const char *far, const int64_t *cuts,
                int cut_count) {
  *line = (line_t){.far = far, .cuts = cuts, .cut_count = cut_count};
  if (directory == NULL) {
    snprintf(line->url, sizeof(line->url), "tcp://127.0.0.1:0");
  } else {
    snprintf(line->url, sizeof(line->url), "ipc://%s/line.sock", directory);
  }
  address_t address = address_of(line->url);
  line->listener = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(
      bind(line->listener, (const struct sockaddr *)&address.storage, address.size_bytes),
      0);
  assert_int_equal(listen(line->listener, 16), 0);
  if (directory == NULL) {
    struct sockaddr_in in;
    socklen_t size_bytes = sizeof(in);
    getsockname(line->listener, (struct sockaddr *)&in, &size_bytes);
    snprintf(line->url, sizeof(line->url), "tcp://127.0.0.1:%d", ntohs(in.sin_port));
  }
  assert_int_equal(pthread_create(&line->thread, NULL, serve_line, line), 0);
}

void line_stop(line_t *line) {
  atomic_store(&line->stops, true);
  pthread_join(line->thread, NULL);
  close(line->listener);
  if (strncmp(line->url, "ipc://", 6) == 0) {
    unlink(line->url + strlen("ipc://"));
  }
}
