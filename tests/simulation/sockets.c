// Stream sockets between the processes of the machine. What is sent is a list of pieces
// on their way, each with the time at which it arrives; the reader sees those that have.
// Reads and writes are cut short now and then.
//
// A socket is freed with the run: there are few of them.

#include "tests/simulation/sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/check.h"
#include "tests/simulation/machine.h"
#include "tests/simulation/net.h"

enum {
  FD_BASE = 1 << 20,  // Beyond those of the kernel.
  SOCKETS_MAX = 1 << 16,
  PORT_FIRST = 20000,
  SHORT_ONCE_IN = 8,
  SYN_AGAIN_MS = 500,
  HELD_MS = 20,  // How soon a partition is tried again.
};

int __wrap_socket(int family, int type, int protocol);
int __wrap_bind(int fd, const struct sockaddr *address, socklen_t size);
int __wrap_listen(int fd, int backlog);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size);
int __wrap_getsockname(int fd, struct sockaddr *address, socklen_t *size);
int __wrap_getpeername(int fd, struct sockaddr *address, socklen_t *size);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size);
ssize_t __wrap_recv(int fd, void *buffer, size_t size, int flags);
ssize_t __wrap_readv(int fd, const struct iovec *parts, int count);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
int __wrap_shutdown(int fd, int how);
int __real_close(int fd);
int __wrap_close(int fd);

#define NEVER_NS (INT64_MAX / 2)

typedef struct piece_t {
  struct piece_t *next;
  int64_t arrives_ns;
  size_t size_bytes, taken_bytes;
  uint8_t bytes[];
} piece_t;

typedef struct address_t {
  struct sockaddr_storage socket;
  socklen_t size_bytes;
} address_t;

typedef struct sock_t sock_t;
struct sock_t {
  int fd;
  process_t *process;
  const void *waiter;
  address_t own, other;
  bool listens, is_connecting, is_connected, is_datagram;
  bool is_closed;  // By its process.
  bool is_shut;    // Sends no more.
  bool is_silent;  // Nothing passes any more.
  bool has_end;    // The other's end has arrived.
  int error;
  sock_t *peer;
  sock_t *accepted_first, *accepted_next;  // Of who listens: not yet taken.
  // On the way here, and here.
  piece_t *first, **last;
  int64_t last_arrives_ns;
  int64_t told_ns;     // What arrived by then its process was told of.
  size_t ahead_bytes;  // Sent by the peer and not read.
  event_t *arrival;
  bool end_is_coming;
  int64_t end_arrives_ns;
  net_connection_t *connection;  // Of both ends; in the one that listened.
};

static sock_t *sockets[SOCKETS_MAX];
static int socket_count;
static uint16_t next_port;

static sock_t *find(int fd) {
  const int at = fd - FD_BASE;
  return at < 0 || at >= socket_count ? NULL : sockets[at];
}

static sock_t *find_open(int fd) {
  sock_t *sock = find(fd);
  return sock == NULL || sock->is_closed ? NULL : sock;
}

static int failed(int error) {
  errno = error;
  return -1;
}

static void tell(const sock_t *sock) {
  if (sock != NULL && sock->waiter != NULL) {
    fiber_wake(sock->waiter, 1);
  }
}

static sock_t *make_socket(process_t *process) {
  POD_CHECK(socket_count < SOCKETS_MAX);
  sock_t *sock = machine_alloc(sizeof(*sock));
  *sock =
      (sock_t){.fd = FD_BASE + socket_count, .process = process, .last = &sock->first};
  sockets[socket_count++] = sock;
  return sock;
}

// --- Arrivals ---

static void drop_pieces(sock_t *sock) {
  while (sock->first != NULL) {
    piece_t *piece = sock->first;
    sock->first = piece->next;
    machine_free(piece);
  }
  sock->last = &sock->first;
  sock->ahead_bytes = 0;
}

static void reset(sock_t *sock, int error) {
  if (sock->is_closed || sock->error != 0) {
    return;
  }
  sock->error = error;
  sock->is_connecting = false;
  tell(sock);
}

static void on_arrival(void *context);

static void expect_arrival(sock_t *sock) {
  if (sock->arrival != NULL || sock->is_silent) {
    return;
  }
  int64_t at_ns = INT64_MAX;
  for (const piece_t *piece = sock->first; piece != NULL && at_ns == INT64_MAX;
       piece = piece->next) {
    at_ns = piece->arrives_ns > machine_now_ns() ? piece->arrives_ns : INT64_MAX;
  }
  if (at_ns == INT64_MAX && sock->end_is_coming) {
    at_ns = sock->end_arrives_ns;
  }
  if (at_ns != INT64_MAX) {
    sock->arrival = machine_at(at_ns, on_arrival, sock);
  }
}

// A partition holds everything back that has not arrived yet.
static void hold_back(sock_t *sock) {
  const int64_t by_ns = HELD_MS * MS;
  for (piece_t *piece = sock->first; piece != NULL; piece = piece->next) {
    if (piece->arrives_ns > sock->told_ns) {
      piece->arrives_ns += by_ns;
    }
  }
  sock->last_arrives_ns += by_ns;
  sock->end_arrives_ns += by_ns;
}

static void on_arrival(void *context) {
  sock_t *sock = context;
  sock->arrival = NULL;
  const sock_t *peer = sock->peer;
  if (peer != NULL && net_is_parted(sock->process, peer->process)) {
    hold_back(sock);
  } else if (sock->end_is_coming && sock->end_arrives_ns <= machine_now_ns()) {
    sock->end_is_coming = false;
    sock->has_end = true;
    tell(sock);
  } else if (sock->is_closed) {
    // Who has closed answers with a reset.
    drop_pieces(sock);
    if (sock->peer != NULL) {
      reset(sock->peer, ECONNRESET);
    }
  } else {
    machine_note(sock->ahead_bytes);
    sock->told_ns = machine_now_ns();
    tell(sock);
  }
  expect_arrival(sock);
}

static void send_end(sock_t *to) {
  if (to == NULL || to->is_silent || to->has_end) {
    return;
  }
  const int64_t at_ns = machine_now_ns() + net_delay_ns(0);
  to->end_is_coming = true;
  to->end_arrives_ns = at_ns > to->last_arrives_ns ? at_ns : to->last_arrives_ns + 1;
  expect_arrival(to);
}

static void on_reset(void *context) {
  sock_t *sock = context;
  if (sock->process->is_killed) {
    return;
  }
  reset(sock, ECONNRESET);
}

static void send_reset(sock_t *to) {
  if (to != NULL && !to->is_silent && !to->is_closed) {
    (void)machine_at(machine_now_ns() + net_delay_ns(0), on_reset, to);
  }
}

static sock_t *of_connection(const net_connection_t *connection) {
  for (int i = 0; i < socket_count; i++) {
    if (sockets[i]->connection == connection) {
      return sockets[i];
    }
  }
  return NULL;
}

// What has not arrived never does.
static void silence(sock_t *sock) {
  sock->is_silent = true;
  machine_cancel(sock->arrival);
  sock->arrival = NULL;
  for (piece_t *piece = sock->first; piece != NULL; piece = piece->next) {
    if (piece->arrives_ns > machine_now_ns()) {
      piece->arrives_ns = NEVER_NS;
    }
  }
}

static void on_cut(net_connection_t *connection, bool silently) {
  sock_t *sock = of_connection(connection);
  sock_t *ends[] = {sock, sock->peer};
  for (int i = 0; i < 2; i++) {
    if (silently) {
      silence(ends[i]);
    } else {
      send_reset(ends[i]);
    }
  }
}

static void close_sock(sock_t *sock, bool is_killed) {
  if (sock->is_closed) {
    return;
  }
  const bool has_unread = sock->first != NULL;
  sock->is_closed = true;
  sock->waiter = NULL;
  net_connection_t *connection =
      sock->connection != NULL ? sock->connection
                               : (sock->peer != NULL ? sock->peer->connection : NULL);
  if (connection != NULL) {
    net_close(connection);
  }
  for (sock_t *at = sock->accepted_first; at != NULL; at = at->accepted_next) {
    close_sock(at, is_killed);
  }
  sock_t *peer = sock->peer;
  if (peer == NULL || sock->is_silent) {
    return;
  }
  // As Linux does: a reset when something was left unread.
  if (has_unread || (is_killed && machine_once_in(2))) {
    send_reset(peer);
  } else if (!sock->is_shut) {
    send_end(peer);
  }
}

// --- Names ---

static bool is_same(const address_t *a, const address_t *b) {
  if (a->socket.ss_family != b->socket.ss_family) {
    return false;
  }
  if (a->socket.ss_family == AF_INET) {
    const struct sockaddr_in *x = (const void *)&a->socket;
    const struct sockaddr_in *y = (const void *)&b->socket;
    return x->sin_port == y->sin_port && x->sin_addr.s_addr == y->sin_addr.s_addr;
  }
  return a->size_bytes == b->size_bytes &&
         memcmp(&a->socket, &b->socket, a->size_bytes) == 0;
}

static sock_t *find_listener(const address_t *address) {
  for (int i = 0; i < socket_count; i++) {
    if (sockets[i]->listens && !sockets[i]->is_closed &&
        is_same(&sockets[i]->own, address)) {
      return sockets[i];
    }
  }
  return NULL;
}

static address_t read_address(const struct sockaddr *address, socklen_t size) {
  address_t read = {.size_bytes = size};
  memcpy(&read.socket, address, size);
  return read;
}

static void write_address(const address_t *from, struct sockaddr *address,
                          socklen_t *size) {
  if (address != NULL) {
    memcpy(address, &from->socket, *size < from->size_bytes ? *size : from->size_bytes);
    *size = from->size_bytes;
  }
}

// Of a client: the host that it talks to, and a port of its own.
static address_t ephemeral(const address_t *toward) {
  address_t own = *toward;
  if (own.socket.ss_family == AF_INET) {
    struct sockaddr_in *inet = (void *)&own.socket;
    inet->sin_port = htons(next_port++);
  } else {
    own.size_bytes = sizeof(sa_family_t);
  }
  return own;
}

// --- Making and connecting ---

int __wrap_socket(int family, int type, int protocol) {
  (void)family;
  (void)protocol;
  sock_t *sock = make_socket(process_current());
  sock->is_datagram = (type & SOCK_DGRAM) != 0 && (type & SOCK_STREAM) == 0;
  return sock->fd;
}

int __wrap_bind(int fd, const struct sockaddr *address, socklen_t size) {
  sock_t *sock = find_open(fd);
  sock->own = read_address(address, size);
  struct sockaddr_in *inet = (void *)&sock->own.socket;
  if (sock->own.socket.ss_family == AF_INET && inet->sin_port == 0) {
    inet->sin_port = htons(next_port++);
  }
  return find_listener(&sock->own) != NULL ? failed(EADDRINUSE) : 0;
}

int __wrap_listen(int fd, int backlog) {
  (void)backlog;
  find_open(fd)->listens = true;
  return 0;
}

static void on_connected(void *context) {
  sock_t *sock = context;
  if (!sock->is_closed && sock->error == 0 && sock->is_connecting) {
    sock->is_connecting = false;
    sock->is_connected = true;
    tell(sock);
  }
}

static void on_refused(void *context) {
  reset(context, ECONNREFUSED);
}

static sock_t *meet(sock_t *client, sock_t *listener) {
  sock_t *server = make_socket(listener->process);
  server->own = listener->own;
  server->other = client->own;
  server->is_connected = true;
  server->peer = client;
  client->peer = server;
  sock_t **end = &listener->accepted_first;
  while (*end != NULL) {
    end = &(*end)->accepted_next;
  }
  *end = server;
  server->connection = machine_alloc(sizeof(*server->connection));
  net_open(server->connection, client->process, server->process, on_cut);
  tell(listener);
  return server;
}

static void on_syn(void *context) {
  sock_t *client = context;
  if (client->is_closed || client->process->is_killed) {
    return;
  }
  sock_t *listener = find_listener(&client->other);
  if (listener == NULL) {
    (void)machine_at(machine_now_ns() + net_delay_ns(0), on_refused, client);
  } else if (net_is_parted(client->process, listener->process)) {
    (void)machine_at(machine_now_ns() + SYN_AGAIN_MS * MS, on_syn, client);
  } else {
    (void)meet(client, listener);
    (void)machine_at(machine_now_ns() + net_delay_ns(0), on_connected, client);
  }
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size) {
  sock_t *sock = find_open(fd);
  sock->other = read_address(address, size);
  sock->own = ephemeral(&sock->other);
  if (sock->is_datagram) {
    return 0;
  }
  if (address->sa_family == AF_UNIX) {
    sock_t *listener = find_listener(&sock->other);
    if (listener == NULL) {
      return failed(ECONNREFUSED);
    }
    (void)meet(sock, listener);
    sock->is_connected = true;
    return 0;
  }
  sock->is_connecting = true;
  (void)machine_at(machine_now_ns() + net_delay_ns(0), on_syn, sock);
  return failed(EINPROGRESS);
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags) {
  (void)flags;
  sock_t *listener = find_open(fd);
  sock_t *taken = listener->accepted_first;
  if (taken == NULL) {
    return failed(EAGAIN);
  }
  listener->accepted_first = taken->accepted_next;
  taken->accepted_next = NULL;
  write_address(&taken->other, address, size);
  return taken->fd;
}

int __wrap_getsockname(int fd, struct sockaddr *address, socklen_t *size) {
  write_address(&find_open(fd)->own, address, size);
  return 0;
}

int __wrap_getpeername(int fd, struct sockaddr *address, socklen_t *size) {
  write_address(&find_open(fd)->other, address, size);
  return 0;
}

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size) {
  sock_t *sock = find_open(fd);
  if (level == SOL_SOCKET && name == SO_ERROR) {
    const int error = sock->error;
    memcpy(value, &error, sizeof(error));
    return 0;
  }
  if (level == SOL_SOCKET && name == SO_PEERCRED && sock->peer != NULL) {
    const struct ucred peer = {
        .pid = sock->peer->process->index, .uid = geteuid(), .gid = getegid()};
    memcpy(value, &peer, sizeof(peer));
    *size = sizeof(peer);
    return 0;
  }
  return failed(ENOPROTOOPT);
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size) {
  (void)fd;
  (void)level;
  (void)name;
  (void)value;
  (void)size;
  return 0;
}

// --- Bytes ---

static size_t arrived_bytes(const sock_t *sock) {
  size_t bytes = 0;
  for (const piece_t *piece = sock->first;
       piece != NULL && piece->arrives_ns <= machine_now_ns(); piece = piece->next) {
    bytes += piece->size_bytes - piece->taken_bytes;
  }
  return bytes;
}

static size_t take(sock_t *sock, uint8_t *out, size_t size) {
  size_t taken = 0;
  while (taken < size && sock->first != NULL &&
         sock->first->arrives_ns <= machine_now_ns()) {
    piece_t *piece = sock->first;
    size_t bytes = piece->size_bytes - piece->taken_bytes;
    bytes = bytes < size - taken ? bytes : size - taken;
    memcpy(out + taken, piece->bytes + piece->taken_bytes, bytes);
    taken += bytes;
    piece->taken_bytes += bytes;
    if (piece->taken_bytes == piece->size_bytes) {
      sock->first = piece->next;
      if (sock->first == NULL) {
        sock->last = &sock->first;
      }
      machine_free(piece);
    }
  }
  sock->ahead_bytes -= taken;
  return taken;
}

ssize_t __wrap_readv(int fd, const struct iovec *parts, int count) {
  sock_t *sock = find_open(fd);
  const size_t arrived = arrived_bytes(sock);
  if (arrived == 0) {
    if (sock->error != 0) {
      return failed(sock->error);
    }
    return sock->has_end ? 0 : failed(EAGAIN);
  }
  size_t left = arrived;
  if (machine_once_in(SHORT_ONCE_IN)) {
    left = 1 + machine_below(arrived);
  }
  size_t taken = 0;
  for (int i = 0; i < count && left > 0; i++) {
    const size_t bytes =
        take(sock, parts[i].iov_base, parts[i].iov_len < left ? parts[i].iov_len : left);
    taken += bytes;
    left -= bytes;
  }
  tell(sock->peer);
  return (ssize_t)taken;
}

ssize_t __wrap_recv(int fd, void *buffer, size_t size, int flags) {
  (void)flags;
  const struct iovec part = {.iov_base = buffer, .iov_len = size};
  return __wrap_readv(fd, &part, 1);
}

static size_t room_of(const sock_t *sock) {
  if (sock->peer == NULL || (size_t)net_buffer_bytes() <= sock->peer->ahead_bytes) {
    return 0;
  }
  return (size_t)net_buffer_bytes() - sock->peer->ahead_bytes;
}

static void put(sock_t *to, const struct msghdr *message, size_t size) {
  piece_t *piece = machine_alloc(sizeof(*piece) + size);
  piece->size_bytes = size;
  size_t copied = 0;
  for (size_t i = 0; i < message->msg_iovlen && copied < size; i++) {
    const struct iovec *part = &message->msg_iov[i];
    const size_t bytes = part->iov_len < size - copied ? part->iov_len : size - copied;
    memcpy(piece->bytes + copied, part->iov_base, bytes);
    copied += bytes;
  }
  for (size_t i = 0; i < copied; i += 1 + copied / 64) {
    machine_note(piece->bytes[i]);
  }
  const int64_t at_ns = to->is_silent ? NEVER_NS : machine_now_ns() + net_delay_ns(size);
  piece->arrives_ns = at_ns > to->last_arrives_ns ? at_ns : to->last_arrives_ns + 1;
  to->last_arrives_ns = piece->arrives_ns;
  to->ahead_bytes += size;
  *to->last = piece;
  to->last = &piece->next;
  expect_arrival(to);
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags) {
  (void)flags;
  sock_t *sock = find_open(fd);
  if (sock->error != 0 || sock->is_shut || sock->peer == NULL) {
    return failed(sock->error != 0 ? sock->error : EPIPE);
  }
  size_t wanted = 0;
  for (size_t i = 0; i < message->msg_iovlen; i++) {
    wanted += message->msg_iov[i].iov_len;
  }
  size_t size = room_of(sock);
  size = size < wanted ? size : wanted;
  if (size == 0) {
    return wanted == 0 ? 0 : failed(EAGAIN);
  }
  if (machine_once_in(SHORT_ONCE_IN)) {
    size = 1 + machine_below(size);
  }
  put(sock->peer, message, size);
  return (ssize_t)size;
}

int __wrap_shutdown(int fd, int how) {
  sock_t *sock = find_open(fd);
  if (sock->peer == NULL || sock->error != 0) {
    return failed(ENOTCONN);
  }
  if (how != SHUT_RD && !sock->is_shut) {
    sock->is_shut = true;
    send_end(sock->peer);
  }
  return 0;
}

int __wrap_close(int fd) {
  sock_t *sock = find_open(fd);
  if (sock == NULL) {
    files_closed(fd);
    return fd >= FD_BASE ? failed(EBADF) : __real_close(fd);
  }
  close_sock(sock, false);
  return 0;
}

// --- For the loop and the machine ---

int sim_socket_ready(int fd) {
  const sock_t *sock = find_open(fd);
  if (sock == NULL) {
    return 0;
  }
  if (sock->listens) {
    return sock->accepted_first != NULL ? SIM_SOCKET_READABLE : 0;
  }
  if (sock->error != 0) {
    return SIM_SOCKET_FAILED;
  }
  if (!sock->is_connected) {
    return 0;
  }
  const bool is_readable = sock->has_end || arrived_bytes(sock) > 0;
  return (is_readable ? SIM_SOCKET_READABLE : 0) |
         (room_of(sock) > 0 ? SIM_SOCKET_WRITABLE : 0);
}

void sim_socket_watch(int fd, const void *waiter) {
  sock_t *sock = find_open(fd);
  if (sock != NULL) {
    sock->waiter = waiter;
  }
}

void sockets_kill(process_t *process) {
  for (int i = 0; i < socket_count; i++) {
    if (sockets[i]->process == process) {
      close_sock(sockets[i], true);
    }
  }
}

void sockets_reset(void) {
  for (int i = 0; i < socket_count; i++) {
    drop_pieces(sockets[i]);
    machine_free(sockets[i]->connection);
    machine_free(sockets[i]);
  }
  socket_count = 0;
  next_port = PORT_FIRST;
}
