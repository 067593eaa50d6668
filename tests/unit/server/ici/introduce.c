#include "tests/unit/server/ici/introduce.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/digest/digest.h"

enum { CHIPS = TORUS_CHIPS_MAX };

static const uint8_t zeros[ICI_SECRET_BYTES];

static bool send_all(int file, const void *bytes, size_t size_bytes) {
  return send(file, bytes, size_bytes, MSG_NOSIGNAL) == (ssize_t)size_bytes;
}

bool send_frame(int file, const ici_header_t *header, const void *payload) {
  uint8_t bytes[4 + ICI_HEADER_BYTES];
  const uint32_t length = ICI_HEADER_BYTES + header->payload_bytes;
  memcpy(bytes, &length, 4);
  ici_header_encode(header, bytes + 4);
  return send_all(file, bytes, sizeof(bytes)) &&
         (header->payload_bytes == 0 || send_all(file, payload, header->payload_bytes));
}

static bool receive_all(int file, void *bytes, size_t size_bytes) {
  return recv(file, bytes, size_bytes, MSG_WAITALL) == (ssize_t)size_bytes;
}

bool receive_frame(int file, ici_header_t *out_header, void *payload,
                   uint32_t payload_bytes_max) {
  uint32_t length;
  uint8_t bytes[ICI_HEADER_BYTES];
  if (!receive_all(file, &length, 4) || !receive_all(file, bytes, sizeof(bytes))) {
    return false;
  }
  const pod_status_t status = ici_header_decode(bytes, length, CHIPS, out_header);
  if (status != NULL) {
    pod_status_free(status);
    return false;
  }
  return out_header->payload_bytes == 0 ||
         (out_header->payload_bytes <= payload_bytes_max &&
          receive_all(file, payload, out_header->payload_bytes));
}

bool send_knock(int file, ici_proof_t *proof) {
  const ici_header_t header = {.kind = ICI_KNOCK, .payload_bytes = ICI_NONCE_BYTES};
  digest_random(proof->dialer_nonce, ICI_NONCE_BYTES);
  return send_frame(file, &header, proof->dialer_nonce);
}

bool receive_challenge(int file, ici_proof_t *proof) {
  ici_header_t header;
  return receive_frame(file, &header, proof->listener_nonce, ICI_NONCE_BYTES) &&
         header.kind == ICI_CHALLENGE && header.payload_bytes == ICI_NONCE_BYTES &&
         header.source == 0 && header.destination == 0 && header.epoch == 0;
}

static ici_proof_t proof_of(const stranger_t *stranger) {
  return (ici_proof_t){.pod = stranger->pod,
                       .is_dialer = true,
                       .from = stranger->chip,
                       .to = stranger->peer,
                       .direction = stranger->direction,
                       .transport = stranger->transport,
                       .epoch = stranger->epoch};
}

static const uint8_t *secret_of(const stranger_t *stranger) {
  return stranger->secret != NULL ? stranger->secret : zeros;
}

bool send_proof(int file, const stranger_t *stranger, const ici_proof_t *nonces) {
  ici_proof_t proof = proof_of(stranger);
  memcpy(proof.dialer_nonce, nonces->dialer_nonce, ICI_NONCE_BYTES);
  memcpy(proof.listener_nonce, nonces->listener_nonce, ICI_NONCE_BYTES);
  uint8_t mac[ICI_PROOF_BYTES];
  ici_proof_make(secret_of(stranger), &proof, mac);
  const ici_header_t header = {.kind = ICI_PROOF,
                               .source = stranger->chip,
                               .destination = stranger->peer,
                               .epoch = stranger->epoch,
                               .payload_bytes = sizeof(mac)};
  return send_frame(file, &header, mac);
}

static bool receive_proof(int file, const stranger_t *stranger,
                          const ici_proof_t *nonces) {
  ici_header_t header;
  uint8_t mac[ICI_PROOF_BYTES];
  if (!receive_frame(file, &header, mac, sizeof(mac)) || header.kind != ICI_PROOF) {
    return false;
  }
  ici_proof_t proof = *nonces;
  proof.pod = stranger->pod;
  proof.is_dialer = false;
  proof.from = stranger->peer;
  proof.to = stranger->chip;
  proof.direction = stranger->direction ^ 1;
  proof.transport = stranger->transport;
  proof.epoch = header.epoch;
  proof.peer_epoch = stranger->epoch;
  return ici_proof_holds(secret_of(stranger), &proof, mac);
}

bool introduce(int file, const stranger_t *stranger) {
  ici_proof_t nonces = {.pod = stranger->pod};
  return send_knock(file, &nonces) && receive_challenge(file, &nonces) &&
         send_proof(file, stranger, &nonces) && receive_proof(file, stranger, &nonces);
}

int connect_tcp(const char *url) {
  return connect_tcp_within(url, 30000);
}

int connect_tcp_within(const char *url, int wait_ms) {
  const struct timeval timeout = {.tv_sec = wait_ms / 1000,
                                  .tv_usec = wait_ms % 1000 * 1000};
  int port = 0;
  if (sscanf(url, "tcp://127.0.0.1:%d", &port) != 1) {
    return -1;
  }
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)port),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) != 0 ||
      setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) != 0 ||
      connect(file, (const struct sockaddr *)&address, sizeof(address)) != 0) {
    close(file);
    return -1;
  }
  return file;
}

static ici_header_t header_of(const stranger_t *stranger, ici_kind_t kind) {
  return (ici_header_t){.kind = (uint8_t)kind,
                        .source = stranger->chip,
                        .destination = stranger->peer,
                        .epoch = stranger->epoch};
}

static bool greet(int file, const stranger_t *stranger, const torus_t *torus) {
  ici_header_t heard;
  uint8_t bytes[ICI_HELLO_BYTES];
  ici_hello_t hello = {.from = stranger->chip,
                       .to = stranger->peer,
                       .direction = stranger->direction,
                       .torus = *torus,
                       .epoch = stranger->epoch};
  snprintf(hello.pod, sizeof(hello.pod), "%s", stranger->pod);
  if (!receive_frame(file, &heard, bytes, sizeof(bytes)) || heard.kind != ICI_HELLO) {
    return false;
  }
  ici_hello_encode(&hello, bytes);
  ici_header_t header = header_of(stranger, ICI_HELLO);
  header.payload_bytes = sizeof(bytes);
  const ici_header_t welcome = header_of(stranger, ICI_WELCOME);
  return send_frame(file, &header, bytes) &&
         receive_frame(file, &heard, bytes, sizeof(bytes)) && heard.kind == ICI_WELCOME &&
         send_frame(file, &welcome, NULL);
}

int join_as_neighbour(const char *url, const stranger_t *stranger, const torus_t *torus) {
  const int file = connect_tcp(url);
  if (file >= 0 && introduce(file, stranger) && greet(file, stranger, torus)) {
    return file;
  }
  if (file >= 0) {
    close(file);
  }
  return -1;
}
