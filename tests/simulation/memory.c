// The heap, by process: what a process has allocated is known, so that it goes when the
// process is killed, and is missed when it ends by itself.
//
// A table from address to process, with open addressing (linear probing, deletion by
// shifting back). Memory of the simulation itself and of libraries is not in it.

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/simulation/machine.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_reallocarray(void *memory, size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_reallocarray(void *memory, size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

typedef struct owned_t {
  void *memory;  // NULL: free.
  int process;
} owned_t;

static owned_t *table;
static size_t room, used;

static size_t home_of(const void *memory) {
  return (size_t)(((uintptr_t)memory >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
         (room - 1);
}

static void insert(void *memory, int process) {
  size_t at = home_of(memory);
  while (table[at].memory != NULL) {
    at = (at + 1) & (room - 1);
  }
  table[at] = (owned_t){memory, process};
}

static void grow(void) {
  owned_t *old = table;
  const size_t old_room = room;
  room = room == 0 ? 1 << 14 : 2 * room;
  table = __real_calloc(room, sizeof(*table));
  POD_CHECK(table != NULL);
  for (size_t i = 0; i < old_room; i++) {
    if (old[i].memory != NULL) {
      insert(old[i].memory, old[i].process);
    }
  }
  __real_free(old);
}

static void *owned(void *memory) {
  const process_t *process = process_current();
  if (memory != NULL && process != NULL && !fiber_keeps_memory()) {
    if (2 * used >= room) {
      grow();
    }
    insert(memory, process->index);
    used++;
  }
  return memory;
}

static void disown(const void *memory) {
  if (memory == NULL || used == 0) {
    return;
  }
  size_t at = home_of(memory);
  while (table[at].memory != memory) {
    if (table[at].memory == NULL) {
      return;
    }
    at = (at + 1) & (room - 1);
  }
  used--;
  for (size_t next = at;;) {  // Fill the gap with what had to go past it.
    next = (next + 1) & (room - 1);
    if (table[next].memory == NULL) {
      break;
    }
    if (((next - home_of(table[next].memory)) & (room - 1)) >=
        ((next - at) & (room - 1))) {
      table[at] = table[next];
      at = next;
    }
  }
  table[at].memory = NULL;
}

void *__wrap_malloc(size_t size) {
  return owned(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
  return owned(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size) {
  disown(memory);
  return owned(__real_realloc(memory, size));
}

void *__wrap_reallocarray(void *memory, size_t count, size_t size) {
  disown(memory);
  return owned(__real_reallocarray(memory, count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return owned(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory) {
  disown(memory);
  __real_free(memory);
}

void *machine_alloc(size_t size_bytes) {
  void *memory = __real_calloc(1, size_bytes);
  POD_CHECK(memory != NULL);
  return memory;
}

void machine_free(void *memory) {
  __real_free(memory);
}

void memory_reset(void) {
  for (size_t i = 0; i < room; i++) {
    POD_CHECK(table[i].memory == NULL);  // All processes have been killed.
  }
}

// What fills the gap of one that has gone may be the process' too: the place is looked at
// again.
void memory_kill(int process) {
  for (size_t i = 0; i < room; i++) {
    while (table[i].memory != NULL && table[i].process == process) {
      void *memory = table[i].memory;
      disown(memory);
      __real_free(memory);
    }
  }
}

size_t memory_held(int process, int *out_blocks) {
  size_t size_bytes = 0;
  *out_blocks = 0;
  for (size_t i = 0; i < room; i++) {
    if (table[i].memory != NULL && table[i].process == process) {
      size_bytes += malloc_usable_size(table[i].memory);
      (*out_blocks)++;
    }
  }
  return size_bytes;
}
