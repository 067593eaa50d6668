// HOST:PORT, [IPv6]:PORT and unix:PATH to socket addresses and back; names are resolved
// by the system.

#include "common/rpc/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum { LISTEN_BACKLOG = 1024, LOCAL_SEND_BUFFER_BYTES = 256 << 10 };

static const char unix_prefix[] = "unix:";

static bool is_port(const char *text) {
  const size_t length = strlen(text);
  if (length == 0 || length > 5 || strspn(text, "0123456789") != length) {
    return false;
  }
  return strtol(text, NULL, 10) <= 65535;
}

pod_status_t rpc_address_split(const char *text, rpc_host_port_t *out_parts) {
  const char *colon = strrchr(text, ':');
  const bool in_brackets = text[0] == '[';
  if (colon == NULL || colon == text || !is_port(colon + 1) ||
      (in_brackets && colon[-1] != ']') ||
      (!in_brackets && memchr(text, ':', (size_t)(colon - text)) != NULL)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "'%s' is no address; write HOST:PORT, [IPv6]:PORT or unix:PATH",
                     text);
  }
  const char *host = in_brackets ? text + 1 : text;
  const size_t length = (size_t)(colon - host) - (in_brackets ? 1 : 0);
  if (length == 0 || length >= sizeof(out_parts->host)) {
    return pod_error(POD_INVALID_ARGUMENT, "the host of '%s' has %zu characters", text,
                     length);
  }
  memcpy(out_parts->host, host, length);
  out_parts->host[length] = '\0';
  snprintf(out_parts->port, sizeof(out_parts->port), "%.5s", colon + 1);
  return NULL;
}

static pod_status_t parse_unix(const char *path, rpc_address_t *out_address) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const size_t length = strlen(path);
  if (length == 0 || length >= sizeof(address.sun_path)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the path of a unix socket has 1 to %zu bytes, '%s' has %zu",
                     sizeof(address.sun_path) - 1, path, length);
  }
  memcpy(address.sun_path, path, length);
  memcpy(&out_address->socket, &address, sizeof(address));
  out_address->size_bytes = sizeof(address);
  return NULL;
}

static bool parse_number(const rpc_host_port_t *parts, rpc_address_t *out_address) {
  const char *host = strcmp(parts->host, "localhost") == 0 ? "127.0.0.1" : parts->host;
  const in_port_t port = htons((uint16_t)strtol(parts->port, NULL, 10));
  struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = port};
  struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_port = port};
  if (inet_pton(AF_INET, host, &ipv4.sin_addr) == 1) {
    memcpy(&out_address->socket, &ipv4, sizeof(ipv4));
    out_address->size_bytes = sizeof(ipv4);
    return true;
  }
  if (inet_pton(AF_INET6, host, &ipv6.sin6_addr) == 1) {
    memcpy(&out_address->socket, &ipv6, sizeof(ipv6));
    out_address->size_bytes = sizeof(ipv6);
    return true;
  }
  return false;
}

pod_status_t rpc_address_parse(const char *text, bool *out_is_numeric,
                               rpc_address_t *out_address, rpc_host_port_t *out_parts) {
  *out_address = (rpc_address_t){0};
  if (strncmp(text, unix_prefix, sizeof(unix_prefix) - 1) == 0) {
    POD_TRY(parse_unix(text + sizeof(unix_prefix) - 1, out_address));
    *out_is_numeric = true;
    return NULL;
  }
  POD_TRY(rpc_address_split(text, out_parts));
  *out_is_numeric = parse_number(out_parts, out_address);
  return NULL;
}

pod_status_t rpc_address_resolve(const char *text, rpc_address_t *out_address) {
  rpc_host_port_t parts;
  bool is_numeric = false;
  POD_TRY(rpc_address_parse(text, &is_numeric, out_address, &parts));
  if (is_numeric) {
    return NULL;
  }
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  const int error = getaddrinfo(parts.host, parts.port, &hints, &found);
  if (error != 0) {
    return pod_error(POD_UNAVAILABLE, "cannot resolve %s: %s", text, gai_strerror(error));
  }
  memcpy(&out_address->socket, found->ai_addr, found->ai_addrlen);
  out_address->size_bytes = found->ai_addrlen;
  freeaddrinfo(found);
  return NULL;
}

char *rpc_address_format(const rpc_address_t *address) {
  char host[INET6_ADDRSTRLEN] = "";
  char text[sizeof(struct sockaddr_un) + sizeof(unix_prefix)] = "unknown";
  if (address->socket.ss_family == AF_INET) {
    struct sockaddr_in ipv4;
    memcpy(&ipv4, &address->socket, sizeof(ipv4));
    inet_ntop(AF_INET, &ipv4.sin_addr, host, sizeof(host));
    snprintf(text, sizeof(text), "%s:%u", host, ntohs(ipv4.sin_port));
  } else if (address->socket.ss_family == AF_INET6) {
    struct sockaddr_in6 ipv6;
    memcpy(&ipv6, &address->socket, sizeof(ipv6));
    inet_ntop(AF_INET6, &ipv6.sin6_addr, host, sizeof(host));
    snprintf(text, sizeof(text), "[%s]:%u", host, ntohs(ipv6.sin6_port));
  } else if (address->socket.ss_family == AF_UNIX) {
    struct sockaddr_un local;
    memcpy(&local, &address->socket, sizeof(local));
    snprintf(text, sizeof(text), "%s%.*s", unix_prefix, (int)sizeof(local.sun_path),
             local.sun_path);
  }
  return pod_strdup(text);
}

static pod_status_t system_error(const char *what, const rpc_address_t *address) {
  const int error = errno;
  char *text = rpc_address_format(address);
  const pod_status_t status =
      pod_error(POD_UNAVAILABLE, "cannot %s %s: %s", what, text, strerror(error));
  free(text);
  return status;
}

// A daemon that was killed leaves its socket's file behind, and bind would fail on it.
static void clear_stale_file(const rpc_address_t *address) {
  struct sockaddr_un local;
  memcpy(&local, &address->socket, sizeof(local));
  struct stat info;
  if (stat(local.sun_path, &info) != 0 || !S_ISSOCK(info.st_mode)) {
    return;
  }
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    return;
  }
  if (connect(fd, (const struct sockaddr *)&local, sizeof(local)) != 0 &&
      errno == ECONNREFUSED) {
    unlink(local.sun_path);
  }
  close(fd);
}

pod_status_t rpc_address_listen(const rpc_address_t *address, int *out_fd) {
  const int family = address->socket.ss_family;
  if (family == AF_UNIX) {
    clear_stale_file(address);
  }
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    return system_error("open a socket for", address);
  }
  const int on = 1;
  if (family != AF_UNIX) {
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  }
  if (bind(fd, (const struct sockaddr *)&address->socket, address->size_bytes) != 0 ||
      listen(fd, LISTEN_BACKLOG) != 0) {
    const pod_status_t status = system_error("listen on", address);
    close(fd);
    return status;
  }
  *out_fd = fd;
  return NULL;
}

pod_status_t rpc_address_connect(const rpc_address_t *address, int *out_fd) {
  const int fd =
      socket(address->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    return system_error("open a socket for", address);
  }
  if (connect(fd, (const struct sockaddr *)&address->socket, address->size_bytes) != 0 &&
      errno != EINPROGRESS) {
    const pod_status_t status = system_error("connect to", address);
    close(fd);
    return status;
  }
  *out_fd = fd;
  return NULL;
}

// As the name of the shortcut has it; 0 when the address is no loopback address.
static int print_loopback(const rpc_address_t *address, char *out, size_t size) {
  struct sockaddr_in ipv4;
  struct sockaddr_in6 ipv6;
  if (address->socket.ss_family == AF_INET) {
    memcpy(&ipv4, &address->socket, sizeof(ipv4));
    uint32_t host = ntohl(ipv4.sin_addr.s_addr);
    host = host == INADDR_ANY ? INADDR_LOOPBACK : host;
    return host >> 24 == IN_LOOPBACKNET
               ? snprintf(out, size, "podium-rpc/%08x:%u", host, ntohs(ipv4.sin_port))
               : 0;
  }
  if (address->socket.ss_family == AF_INET6) {
    memcpy(&ipv6, &address->socket, sizeof(ipv6));
    return IN6_IS_ADDR_LOOPBACK(&ipv6.sin6_addr) ||
                   IN6_IS_ADDR_UNSPECIFIED(&ipv6.sin6_addr)
               ? snprintf(out, size, "podium-rpc/::1:%u", ntohs(ipv6.sin6_port))
               : 0;
  }
  return 0;
}

bool rpc_address_shortcut(const rpc_address_t *address, rpc_address_t *out_shortcut) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  // Behind a NUL: a name, and no file.
  const int length =
      print_loopback(address, name.sun_path + 1, sizeof(name.sun_path) - 1);
  *out_shortcut =
      (rpc_address_t){.size_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                                                1 + (size_t)length)};
  memcpy(&out_shortcut->socket, &name, sizeof(name));
  return length > 0;
}

bool rpc_address_is_own_user(int fd) {
  struct ucred peer;
  socklen_t size = sizeof(peer);
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == geteuid();
}

// Whether both ends of a connection are on this host.
static bool is_local(int fd) {
  rpc_address_t own = {.size_bytes = sizeof(own.socket)};
  rpc_address_t peer = {.size_bytes = sizeof(peer.socket)};
  struct sockaddr_in ipv4[2];
  struct sockaddr_in6 ipv6[2];
  if (getsockname(fd, (struct sockaddr *)&own.socket, &own.size_bytes) != 0 ||
      getpeername(fd, (struct sockaddr *)&peer.socket, &peer.size_bytes) != 0 ||
      own.socket.ss_family != peer.socket.ss_family) {
    return false;
  }
  if (own.socket.ss_family == AF_UNIX) {
    return true;
  }
  if (own.socket.ss_family == AF_INET) {
    memcpy(&ipv4[0], &own.socket, sizeof(ipv4[0]));
    memcpy(&ipv4[1], &peer.socket, sizeof(ipv4[1]));
    return ipv4[0].sin_addr.s_addr == ipv4[1].sin_addr.s_addr;
  }
  if (own.socket.ss_family == AF_INET6) {
    memcpy(&ipv6[0], &own.socket, sizeof(ipv6[0]));
    memcpy(&ipv6[1], &peer.socket, sizeof(ipv6[1]));
    return memcmp(&ipv6[0].sin6_addr, &ipv6[1].sin6_addr, sizeof(struct in6_addr)) == 0;
  }
  return false;
}

void rpc_address_tune(int fd) {
  // Fails on a unix socket, which has no delay to switch off.
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (is_local(fd)) {
    // Without a network in between, more in flight does not go faster: it only falls out
    // of the processor's caches, which halves the rate of large messages.
    const int bytes = LOCAL_SEND_BUFFER_BYTES;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
  }
}
