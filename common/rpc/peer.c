// Only what the kernel says of a socket is believed here: the user id that a unix socket
// was connected with, and the address that TCP has answered.

#include "common/rpc/peer.h"

#include <netinet/in.h>
#include <string.h>

#include "common/base/check.h"
#include "common/rpc/address.h"

static bool is_loopback_address(const rpc_address_t *address) {
  struct sockaddr_in ipv4;
  struct sockaddr_in6 ipv6;
  if (address->socket.ss_family == AF_INET) {
    memcpy(&ipv4, &address->socket, sizeof(ipv4));
    return ntohl(ipv4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  if (address->socket.ss_family != AF_INET6) {
    return false;
  }
  memcpy(&ipv6, &address->socket, sizeof(ipv6));
  return IN6_IS_ADDR_LOOPBACK(&ipv6.sin6_addr) ||
         (IN6_IS_ADDR_V4MAPPED(&ipv6.sin6_addr) &&
          ipv6.sin6_addr.s6_addr[12] == IN_LOOPBACKNET);
}

rpc_block_t *rpc_peer_of_socket(rpc_pool_t *pool, int fd) {
  rpc_peer_t peer = {0};
  rpc_address_t address = {.size_bytes = sizeof(address.socket)};
  if (getpeername(fd, (struct sockaddr *)&address.socket, &address.size_bytes) == 0) {
    const bool is_unix = address.socket.ss_family == AF_UNIX;
    peer.is_loopback = is_unix || is_loopback_address(&address);
    peer.is_own_user = is_unix && rpc_address_is_own_user(fd);
  }
  rpc_block_t *block = rpc_block_create(pool, sizeof(peer));
  POD_CHECK(block != NULL);
  memcpy(block->data, &peer, sizeof(peer));
  return block;
}

// Copies `text` to `place`, which is moved behind it.
static const char *put_text(uint8_t **place, const char *text) {
  if (text == NULL) {
    return NULL;
  }
  const size_t size_bytes = strlen(text) + 1;
  char *copy = memcpy(*place, text, size_bytes);
  *place += size_bytes;
  return copy;
}

rpc_block_t *rpc_peer_with_certificate(rpc_pool_t *pool, const rpc_block_t *peer,
                                       const char *name, const char *role) {
  rpc_peer_t known;
  memcpy(&known, peer->data, sizeof(known));
  const size_t text_bytes =
      (name != NULL ? strlen(name) + 1 : 0) + (role != NULL ? strlen(role) + 1 : 0);
  rpc_block_t *block = rpc_block_create(pool, sizeof(known) + text_bytes);
  POD_CHECK(block != NULL);
  uint8_t *place = block->data + sizeof(known);
  known.is_encrypted = true;
  known.certificate_name = put_text(&place, name);
  known.certificate_role = put_text(&place, role);
  memcpy(block->data, &known, sizeof(known));
  return block;
}
