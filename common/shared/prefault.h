// Pages of memory that is about to be filled, taken from the kernel on a thread of their
// own while the bytes are on their way: to clear a page takes as long as to copy one.
//
// Ownership: the memory must be there, and may be read and written meanwhile, until
// shared_prefault_end. Its contents stay.
// Errors: none; what cannot be taken beforehand is taken when it is touched.
// Threading: any thread; a prefault is used by one at a time.

#ifndef COMMON_SHARED_PREFAULT_H_
#define COMMON_SHARED_PREFAULT_H_

#include <stdint.h>

typedef struct shared_prefault_t shared_prefault_t;

// Also wishes for huge pages. NULL: the memory is too small to be worth a thread, or
// there is none.
shared_prefault_t *shared_prefault_begin(void *memory, int64_t size_bytes);

// Waits for the pages that are being taken at the moment, 2 MiB at most. Accepts NULL.
void shared_prefault_end(shared_prefault_t *prefault);

#endif  // COMMON_SHARED_PREFAULT_H_
