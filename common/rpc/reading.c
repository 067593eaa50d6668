// The way of bytes from a connection's socket to nghttp2: straight into the message that
// is being received where its length is known, through TLS where there is some.

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "common/rpc/connection.h"
#include "common/rpc/tls.h"

// With a message as the first target of a read, what follows it is a frame header and
// little that has to be copied.
enum { TAIL_BYTES = 4 << 10 };

// False when the connection is gone.
static bool parse_run(rpc_connection_t *connection, const uint8_t *data,
                      size_t size_bytes) {
  const ssize_t parsed = nghttp2_session_mem_recv(connection->session, data, size_bytes);
  if (parsed < 0) {
    // nghttp2 may have a GOAWAY to say why.
    rpc_connection_write_last(connection);
    const char *why = parsed == NGHTTP2_ERR_CALLBACK_FAILURE
                          ? "its headers or idle frames come to more than may be read"
                          : nghttp2_strerror((int)parsed);
    rpc_connection_end(connection, rpc_connection_lost(connection, why), true);
    return false;
  }
  return true;
}

static bool parse(rpc_connection_t *connection, const uint8_t *data, size_t size_bytes) {
  if (!connection->endpoint->is_server) {
    return parse_run(connection, data, size_bytes);
  }
  while (size_bytes > 0) {
    const uint8_t *run = NULL;
    const size_t run_bytes =
        rpc_idle_reset_next(&connection->idle_reset, &data, &size_bytes, &run);
    if (run_bytes > 0 && !parse_run(connection, run, run_bytes)) {
      return false;
    }
  }
  return true;
}

// Where the message that is arriving goes on; NULL when that is too little to be read by
// itself.
static uint8_t *message_target(rpc_connection_t *connection, size_t *out_size_bytes) {
  const rpc_call_t *call = connection->data_call;
  size_t room = 0;
  uint8_t *target = NULL;
  if (call != NULL && connection->data_left > 0 && call->state == RPC_CALL_OPEN) {
    target = rpc_inbox_target(&connection->data_call->inbox, &room);
  }
  *out_size_bytes = room < connection->data_left ? room : connection->data_left;
  return target;
}

// What a read of the socket says that has read nothing, as rpc_connection_read does.
static ssize_t end_read(rpc_connection_t *connection, ssize_t received) {
  if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    return 0;
  }
  const char *why = received == 0 ? "the peer closed it" : strerror(errno);
  rpc_connection_end(connection, rpc_connection_lost(connection, why), false);
  return -1;
}

static const char needs_tls[] =
    "it speaks TLS, and we were given no CA (--tls-ca) to "
    "believe it by";

// The first bytes of who was to speak plain HTTP/2. False when the connection is gone.
static bool check_first_bytes(rpc_connection_t *connection, size_t size_bytes) {
  connection->heard = true;
  if (!rpc_tls_is_spoken(connection->loop->scratch, size_bytes)) {
    return true;
  }
  const char *why = connection->endpoint->is_server
                        ? "it speaks TLS, and this port has no certificate"
                        : needs_tls;
  rpc_connection_end(connection, rpc_connection_lost(connection, why), false);
  return false;
}

static void fail_tls(rpc_connection_t *connection) {
  rpc_connection_end(
      connection,
      pod_error(POD_UNAVAILABLE, "no TLS with %s: %s", rpc_connection_address(connection),
                rpc_tls_failure(connection->tls)),
      true);
}

// The handshake is over, and the peer known.
static void note_tls_peer(rpc_connection_t *connection) {
  rpc_block_t *peer = rpc_tls_peer(connection->tls, connection->peer);
  rpc_block_release(connection->peer);
  connection->peer = peer;
}

// What was fed to TLS, decrypted and parsed. False when the connection is gone.
static bool parse_encrypted(rpc_connection_t *connection) {
  uint8_t record[RPC_TLS_RECORD_BYTES];
  for (;;) {
    size_t size_bytes = 0;
    uint8_t *target = message_target(connection, &size_bytes);
    if (target == NULL) {
      target = record;
      size_bytes = sizeof(record);
    }
    switch (rpc_tls_read(connection->tls, target, size_bytes, &size_bytes)) {
      case RPC_TLS_BYTES:
        if (!parse(connection, target, size_bytes)) {
          return false;
        }
        break;
      case RPC_TLS_SHAKEN:
        note_tls_peer(connection);
        break;
      case RPC_TLS_USED_UP:
        return true;
      case RPC_TLS_CLOSED:
        end_read(connection, 0);
        return false;
      case RPC_TLS_FAILED:
        fail_tls(connection);
        return false;
    }
  }
}

static ssize_t read_encrypted(rpc_connection_t *connection, bool *out_filled) {
  uint8_t *scratch = connection->loop->scratch;
  const ssize_t received = recv(connection->fd, scratch, connection->read_bytes, 0);
  if (received <= 0) {
    return end_read(connection, received);
  }
  *out_filled = (size_t)received == connection->read_bytes;
  rpc_tls_feed(connection->tls, scratch, (size_t)received);
  return parse_encrypted(connection) ? received : -1;
}

ssize_t rpc_connection_read(rpc_connection_t *connection, bool *out_filled) {
  if (connection->tls != NULL) {
    return read_encrypted(connection, out_filled);
  }
  rpc_loop_t *loop = connection->loop;
  struct iovec parts[2];
  int count = 0;
  size_t direct = 0;
  uint8_t *target = message_target(connection, &direct);
  if (target != NULL) {
    parts[count++] = (struct iovec){target, direct};
  } else {
    direct = 0;
  }
  parts[count++] =
      (struct iovec){loop->scratch, direct > 0 ? TAIL_BYTES : connection->read_bytes};
  const ssize_t received = readv(connection->fd, parts, count);
  if (received <= 0) {
    return end_read(connection, received);
  }
  if (!connection->heard && !check_first_bytes(connection, (size_t)received)) {
    return -1;
  }
  size_t left = (size_t)received;
  *out_filled = left == direct + parts[count - 1].iov_len;
  for (int i = 0; i < count && left > 0; i++) {
    const size_t size = left < parts[i].iov_len ? left : parts[i].iov_len;
    if (!parse(connection, parts[i].iov_base, size)) {
      return -1;
    }
    left -= size;
  }
  return received;
}
