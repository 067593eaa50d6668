// Bump allocation in a chain of blocks that double up to a bound; beyond it blocks are
// mapped, in huge pages where the kernel has them. Freeing is of the whole chain. Every
// block is handed out zeroed.

#include "common/base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum {
  ALIGNMENT = 16,
  FIRST_BLOCK_BYTES = 4096,
  LARGEST_BLOCK_BYTES = 1 << 20,
  // An arena that has filled blocks of that size goes on with mapped ones of huge pages.
  MAPPED_BLOCK_BYTES = 4 << 20,
  HUGE_PAGE_BYTES = 2 << 20,
};

typedef struct block_t {
  struct block_t *older;
  size_t mapped_bytes;  // 0: from the heap.
  alignas(ALIGNMENT) char bytes[];
} block_t;

// The leak checker looks for pointers in the heap only.
#ifdef __SANITIZE_ADDRESS__
enum { MAPS = 0 };
#else
enum { MAPS = 1 };
#endif

struct pod_arena_t {
  block_t *newest;
  char *next, *end;  // The free part of the block being filled.
  size_t block_bytes;
  size_t used_bytes;
};

pod_arena_t *pod_arena_create(void) {
  pod_arena_t *arena = calloc(1, sizeof(*arena));
  if (arena == NULL) {
    pod_memory_exhausted(sizeof(*arena));
  }
  arena->block_bytes = FIRST_BLOCK_BYTES;
  arena->next = arena->end = (char *)arena;  // No room, but a place for what is empty.
  return arena;
}

void pod_arena_destroy(pod_arena_t *arena) {
  if (arena == NULL) {
    return;
  }
  for (block_t *block = arena->newest; block != NULL;) {
    block_t *older = block->older;
    if (block->mapped_bytes > 0) {
      munmap(block, block->mapped_bytes);
    } else {
      free(block);
    }
    block = older;
  }
  free(arena);
}

// What a large compile fills is walked over and over: huge pages save it the faults and
// most of the misses of the TLB. NULL: there is no such memory.
static block_t *map_block(void) {
  const size_t spare = MAPPED_BLOCK_BYTES + HUGE_PAGE_BYTES;
  char *start = mmap(NULL, spare, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    return NULL;
  }
  const size_t front = -(uintptr_t)start % HUGE_PAGE_BYTES;
  if (front > 0) {
    munmap(start, front);
  }
  munmap(start + front + MAPPED_BLOCK_BYTES, HUGE_PAGE_BYTES - front);
  block_t *block = (block_t *)(void *)(start + front);
#ifdef MADV_HUGEPAGE
  madvise(block, MAPPED_BLOCK_BYTES, MADV_HUGEPAGE);  // A hint: may be refused.
#endif
  block->mapped_bytes = MAPPED_BLOCK_BYTES;
  return block;
}

static block_t *heap_block(size_t size_bytes) {
  // calloc gives fresh zero pages, so a large block costs nothing until it is touched.
  block_t *block = calloc(1, sizeof(block_t) + size_bytes);
  if (block == NULL) {
    pod_memory_exhausted(size_bytes);
  }
  return block;
}

static char *add_block(pod_arena_t *arena, block_t *block) {
  block->older = arena->newest;
  arena->newest = block;
  return block->bytes;
}

static void fill_next_block(pod_arena_t *arena) {
  block_t *block = arena->used_bytes < MAPPED_BLOCK_BYTES || !MAPS ? NULL : map_block();
  const size_t bytes =
      block != NULL ? MAPPED_BLOCK_BYTES - sizeof(*block) : arena->block_bytes;
  arena->next = add_block(arena, block != NULL ? block : heap_block(bytes));
  arena->end = arena->next + bytes;
  if (arena->block_bytes < LARGEST_BLOCK_BYTES) {
    arena->block_bytes *= 2;
  }
}

static void *alloc_elsewhere(pod_arena_t *arena, size_t size) {
  if (size > arena->block_bytes / 2) {
    return add_block(arena, heap_block(size));
  }
  fill_next_block(arena);
  void *memory = arena->next;
  arena->next += size;
  return memory;
}

void *pod_arena_alloc(pod_arena_t *arena, size_t size_bytes) {
  POD_CHECK(size_bytes <= SIZE_MAX / 2);
  const size_t size = (size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  arena->used_bytes += size;
  char *memory = arena->next;
  if (size > (size_t)(arena->end - memory)) {
    return alloc_elsewhere(arena, size);
  }
  arena->next = memory + size;
  return memory;
}

void *pod_arena_copy(pod_arena_t *arena, const void *data, size_t size_bytes) {
  void *copy = pod_arena_alloc(arena, size_bytes);
  if (size_bytes > 0) {
    memcpy(copy, data, size_bytes);
  }
  return copy;
}

char *pod_arena_text(pod_arena_t *arena, const char *text, size_t length) {
  char *copy = pod_arena_alloc(arena, length + 1);
  if (length > 0) {
    memcpy(copy, text, length);
  }
  return copy;
}

char *pod_arena_strdup(pod_arena_t *arena, const char *text) {
  return pod_arena_text(arena, text, strlen(text));
}

char *pod_arena_numbered(pod_arena_t *arena, const char *prefix, const char *separator,
                         uint64_t number) {
  char digits[24];
  char *at = digits + sizeof(digits);
  do {
    *--at = (char)('0' + number % 10);
    number /= 10;
  } while (number != 0);
  const size_t count = (size_t)(digits + sizeof(digits) - at),
               prefix_length = strlen(prefix), separator_length = strlen(separator);
  char *text = pod_arena_alloc(arena, prefix_length + separator_length + count + 1);
  memcpy(text, prefix, prefix_length);
  memcpy(text + prefix_length, separator, separator_length);
  memcpy(text + prefix_length + separator_length, at, count);
  return text;
}

char *pod_arena_printf(pod_arena_t *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  char shorter[128];  // Most texts are, and are then formatted once.
  const int length = vsnprintf(shorter, sizeof(shorter), format, args);
  POD_CHECK(length >= 0);
  char *text = pod_arena_alloc(arena, (size_t)length + 1);
  if ((size_t)length < sizeof(shorter)) {
    memcpy(text, shorter, (size_t)length);
  } else {
    vsnprintf(text, (size_t)length + 1, format, again);
  }
  va_end(again);
  va_end(args);
  return text;
}

size_t pod_arena_used_bytes(const pod_arena_t *arena) {
  return arena->used_bytes;
}
