// A page of counters, each on a cache line of its own, and the chunks behind it, in a
// sealed memfd. An end writes the one counter that is its own at the moment and keeps a
// copy of it; of the other counter it takes only what is possible.
//
// Who goes to sleep says so and looks at the counter again; who moves a counter does so
// before it looks whether the other end sleeps (Dekker 1965; all of it sequentially
// consistent), so that one of the two sees the other.

#include "common/shared/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, LINE_BYTES = 64 };

#define RING_BYTES (PAGE_BYTES + (size_t)SHARED_CHUNKS * SHARED_CHUNK_BYTES)

typedef struct word_t {
  _Alignas(LINE_BYTES) atomic_uint value;
} word_t;

struct shared_page_t {
  word_t filled, emptied;
  word_t sleeps[2];  // By end.
};

_Static_assert(sizeof(shared_page_t) <= PAGE_BYTES, "the counters fit their page");

static pod_status_t map(int file, bool is_second, shared_ring_t *out_ring) {
  void *memory =
      mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (memory == MAP_FAILED) {
    return pod_error(POD_UNAVAILABLE, "cannot map %zu shared bytes: %s", RING_BYTES,
                     strerror(errno));
  }
  *out_ring = (shared_ring_t){
      .page = memory, .chunks = (uint8_t *)memory + PAGE_BYTES, .is_second = is_second};
  return NULL;
}

pod_status_t shared_ring_create(shared_ring_t *out_ring, int *out_file) {
  const int file = memfd_create("podium-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) {
    return pod_error(POD_UNAVAILABLE, "no shared memory: %s", strerror(errno));
  }
  pod_status_t status = NULL;
  if (ftruncate(file, (off_t)RING_BYTES) != 0 ||
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    status = pod_error(POD_UNAVAILABLE, "no shared memory of %zu bytes: %s", RING_BYTES,
                       strerror(errno));
  }
  if (status == NULL) {
    status = map(file, false, out_ring);
  }
  if (status != NULL) {
    (void)close(file);
    return status;
  }
  *out_file = file;
  return NULL;
}

pod_status_t shared_ring_map(int file, shared_ring_t *out_ring) {
  struct stat info;
  struct statfs system;
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return pod_error(POD_PERMISSION_DENIED,
                     "the shared memory is not sealed against shrinking");
  }
  // Huge pages of hugetlbfs may not be there when they are touched.
  if (fstatfs(file, &system) != 0 || system.f_type != TMPFS_MAGIC) {
    return pod_error(POD_PERMISSION_DENIED, "the shared memory is none of memfd_create");
  }
  if (fstat(file, &info) != 0 || info.st_size != (off_t)RING_BYTES) {
    return pod_error(POD_PERMISSION_DENIED,
                     "the shared memory has not the %zu bytes of a ring", RING_BYTES);
  }
  return map(file, true, out_ring);
}

void shared_ring_unmap(shared_ring_t *ring) {
  if (ring->page != NULL) {
    (void)munmap(ring->page, RING_BYTES);
    ring->page = NULL;
  }
}

static uint8_t *chunk_at(const shared_ring_t *ring, uint32_t number) {
  return ring->chunks + (size_t)(number % SHARED_CHUNKS) * SHARED_CHUNK_BYTES;
}

static pod_status_t impossible(const char *what, uint32_t says, uint32_t knows) {
  return pod_error(
      POD_DATA_LOSS,
      "the other process says to have %s %u chunks of the ring more than it can", what,
      (unsigned)(says - knows));
}

pod_status_t shared_ring_to_fill(shared_ring_t *ring, uint8_t **out_chunk) {
  ring->fills = true;
  const uint32_t emptied = atomic_load(&ring->page->emptied.value);
  const uint32_t full = ring->filled - ring->emptied;
  if (emptied - ring->emptied > full) {
    return impossible("emptied", emptied, ring->filled);
  }
  ring->emptied = emptied;
  *out_chunk =
      ring->filled - emptied < SHARED_CHUNKS ? chunk_at(ring, ring->filled) : NULL;
  return NULL;
}

pod_status_t shared_ring_to_empty(shared_ring_t *ring, uint8_t **out_chunk) {
  const uint32_t filled = atomic_load(&ring->page->filled.value);
  if (filled - ring->emptied > SHARED_CHUNKS) {
    return impossible("filled", filled, ring->emptied + SHARED_CHUNKS);
  }
  ring->filled = filled;
  *out_chunk = filled != ring->emptied ? chunk_at(ring, ring->emptied) : NULL;
  return NULL;
}

static bool has_to_wake(const shared_ring_t *ring) {
  return atomic_exchange(&ring->page->sleeps[ring->is_second ? 0 : 1].value, 0) != 0;
}

bool shared_ring_filled(shared_ring_t *ring) {
  atomic_store(&ring->page->filled.value, ++ring->filled);
  return has_to_wake(ring);
}

bool shared_ring_emptied(shared_ring_t *ring) {
  atomic_store(&ring->page->emptied.value, ++ring->emptied);
  return has_to_wake(ring);
}

void shared_ring_begin_emptying(shared_ring_t *ring) {
  if (ring->fills) {
    ring->fills = false;
    ring->emptied = ring->filled;
  }
}

void shared_ring_sleep(shared_ring_t *ring, bool sleeps) {
  atomic_store(&ring->page->sleeps[ring->is_second ? 1 : 0].value, sleeps);
}
