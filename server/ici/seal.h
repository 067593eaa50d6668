// TLS on one connection of a link: between the bytes of the socket and those of frames.
//
//   socket ─► ici_seal_fed ─► ici_seal_open ─► frames
//   socket ◄── ici_seal_output ◄── ici_seal_close ◄── frames
//
// The handshake happens inside: ici_seal_start begins it, ici_seal_open moves it on, and
// what it has to say goes out with the output. Whoever is at the other end has shown his
// certificate and been believed before a byte of a frame goes either way.
//
// Cost: a record of up to 16 KiB is encrypted in 3 to 5 µs where the processor has AES,
//       and copied twice on each side, within the caches. Memory grows with what comes:
//       some 20 KiB until the other end has been believed, 0.7 MiB at most.
// Threading: one at a time. The output that was asked for stays where it is until it is
//            said to have gone, whatever else is done.
// Errors: what breaks a connection is logged, once a minute for all connections.

#ifndef SERVER_ICI_SEAL_H_
#define SERVER_ICI_SEAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/ici/tls.h"

enum {
  // Encrypted at a time: it stays in the caches, and is sent by one system call.
  ICI_SEAL_BATCH_BYTES = 128 << 10,
};

typedef struct ici_seal_t ici_seal_t;

// NULL when memory runs out.
ici_seal_t *ici_seal_create(ici_tls_t *tls, bool is_server);

// Accepts NULL.
void ici_seal_destroy(ici_seal_t *seal);

// A client speaks first; nothing the second time. False: broken.
bool ici_seal_start(ici_seal_t *seal);

// The handshake is over and the other end believed.
bool ici_seal_is_ready(const ici_seal_t *seal);

// Where bytes of the socket are to be put, when all that was fed has been opened.
uint8_t *ici_seal_input(ici_seal_t *seal, size_t *out_capacity);
void ici_seal_fed(ici_seal_t *seal, size_t size_bytes);

// Whether there may be something to open without more bytes.
bool ici_seal_has_input(const ici_seal_t *seal);

typedef enum ici_seal_opened_t {
  ICI_SEAL_BYTES = 0,  // At least one.
  ICI_SEAL_USED_UP,    // Nothing without more bytes; there may be output.
  ICI_SEAL_BROKEN,     // Or ended; there may be output, to say why.
} ici_seal_opened_t;

ici_seal_opened_t ici_seal_open(ici_seal_t *seal, uint8_t *out_data, size_t capacity,
                                size_t *out_size_bytes);

// Adds it to the output, encrypted; when ready. False: broken.
bool ici_seal_close(ici_seal_t *seal, const uint8_t *data, size_t size_bytes);

// What the socket is to be given next; NULL: nothing.
const uint8_t *ici_seal_output(ici_seal_t *seal, size_t *out_size_bytes);

// So much of the output has gone.
void ici_seal_sent(ici_seal_t *seal, size_t size_bytes);

#endif  // SERVER_ICI_SEAL_H_
