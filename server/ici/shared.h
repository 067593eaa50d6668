// Memory that two processes of one host share: files without a name (memfd), sealed in
// size, so that whoever maps one cannot be made to fall off its end. The other side opens
// it through /proc, which asks for the rights of a debugger: the same user.
//
// Threading: pure, but for the files.

#ifndef SERVER_ICI_SHARED_H_
#define SERVER_ICI_SHARED_H_

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/ici/frame.h"

typedef struct ici_shared_t {
  void *memory;  // NULL: none. Begins with the token.
  size_t size_bytes;
  int file;  // -1 on the side that opened it.
} ici_shared_t;

// Zeroed but for the token. RESOURCE_EXHAUSTED.
POD_MUST_USE pod_status_t ici_shared_create(size_t size_bytes,
                                            const uint8_t token[ICI_TOKEN_BYTES],
                                            ici_shared_t *out_shared);

// Maps what process `process` has open as `file`. UNAVAILABLE: not there, not ours to
// open, another size or token.
POD_MUST_USE pod_status_t ici_shared_open(int32_t process, int32_t file,
                                          size_t size_bytes,
                                          const uint8_t token[ICI_TOKEN_BYTES],
                                          ici_shared_t *out_shared);

// Accepts what is empty, and leaves it empty.
void ici_shared_close(ici_shared_t *shared);

// Equal for processes that can name each other: same boot of one host, same PID and
// network namespaces. 0 when that cannot be told.
uint64_t ici_shared_host(void);

// Numbers that nobody else guesses.
void ici_shared_token(uint8_t token[ICI_TOKEN_BYTES]);

#endif  // SERVER_ICI_SHARED_H_
