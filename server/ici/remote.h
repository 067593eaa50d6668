// The memory of another process of this host, read where it lies: one copy from the
// sender's buffer to the receiver's, whatever buffers they are (process_vm_readv, as the
// MPI libraries do it under the name of CMA). It asks for the rights of a debugger: the
// same user, and where Yama is strict a word of who is read, for one reader. What may be
// read is decided before (offered.c).
//
// Threading: any.

#ifndef SERVER_ICI_REMOTE_H_
#define SERVER_ICI_REMOTE_H_

#include <stdbool.h>
#include <stdint.h>

typedef struct ici_remote_t {
  uint64_t host;  // ici_shared_host of who offers.
  int32_t process;
  int32_t file;  // Under which it has its consent open (consent.h).
  uint64_t address;
  int64_t size_bytes;
} ici_remote_t;

enum { ICI_REMOTE_BYTES = 32 };

void ici_remote_encode(const ici_remote_t *remote, uint8_t bytes[ICI_REMOTE_BYTES]);

// Anything goes: what is nonsense cannot be read.
void ici_remote_decode(const uint8_t bytes[ICI_REMOTE_BYTES], ici_remote_t *out_remote);

// Where Yama is strict: `process`, and no other, may read this process from now on; 0:
// nobody.
void ici_remote_allow(int32_t process);

typedef enum ici_remote_read_t {
  ICI_REMOTE_READ = 0,
  ICI_REMOTE_FORBIDDEN = 1,  // Not here, or not by us.
  ICI_REMOTE_GONE = 2,       // The process has ended.
  ICI_REMOTE_BAD = 3,        // There is no such memory.
} ici_remote_read_t;

// Copies `size_bytes` from `offset` on to `target`, which is undefined unless READ.
ici_remote_read_t ici_remote_read(const ici_remote_t *remote, int64_t offset,
                                  void *target, int64_t size_bytes);

#endif  // SERVER_ICI_REMOTE_H_
