// MADV_POPULATE_WRITE (Linux 5.14), a huge page at a time, so that it can be stopped in
// between and whoever comes behind is not held up for long.

#include "common/shared/prefault.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/base/memory.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { HUGE_PAGE_BYTES = 2 << 20, PREFAULT_BYTES_MIN = 4 << 20 };

struct shared_prefault_t {
  pthread_t thread;
  atomic_bool ends;
  uintptr_t first, end;  // Whole huge pages.
};

static void *run(void *context) {
  shared_prefault_t *prefault = context;
  for (uintptr_t at = prefault->first;
       at < prefault->end && !atomic_load(&prefault->ends); at += HUGE_PAGE_BYTES) {
    if (madvise((void *)at, HUGE_PAGE_BYTES, MADV_POPULATE_WRITE) != 0) {
      break;
    }
  }
  return NULL;
}

shared_prefault_t *shared_prefault_begin(void *memory, int64_t size_bytes) {
  if (size_bytes < PREFAULT_BYTES_MIN) {
    return NULL;
  }
  const uintptr_t page = HUGE_PAGE_BYTES;
  shared_prefault_t *prefault = pod_alloc(sizeof(*prefault));
  prefault->first = ((uintptr_t)memory + page - 1) / page * page;
  prefault->end = ((uintptr_t)memory + (uintptr_t)size_bytes) / page * page;
  (void)madvise((void *)prefault->first, prefault->end - prefault->first, MADV_HUGEPAGE);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&prefault->thread, NULL, run, prefault);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error != 0) {
    free(prefault);
    return NULL;
  }
  return prefault;
}

void shared_prefault_end(shared_prefault_t *prefault) {
  if (prefault != NULL) {
    atomic_store(&prefault->ends, true);
    pthread_join(prefault->thread, NULL);
    free(prefault);
  }
}
