// The figures are the process's, under a mutex; the table is everybody's, in atomics.
// Small blocks are added up in atomics too, and looked at when they are many.
//
// A block is watched until the last of some pages spread over it is there (mincore).
// Small blocks are not watched: they are written as soon as they are there.

#include "server/worker/host_room.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/available_memory.h"
#include "common/base/clock.h"
#include "common/base/list.h"
#include "common/base/text.h"
#include "server/worker/host_ledger.h"

enum {
  SAMPLES = 64,
  SMALL_BUDGETED_BYTES = 1 << 20,  // Of small blocks between two looks at a budget.
  USED_BEFORE_MS = 1000,           // By then who has a used block has written it again.
};

#define RESERVE_BYTES_MAX ((int64_t)512 << 20)

typedef struct watched_t {
  const char *memory;
  int64_t size_bytes, promised_bytes;
  int64_t blind_until_ns;  // Its pages say nothing before.
} watched_t;

static struct {
  pthread_mutex_t mutex;
  bool is_open;
  char name[64];
  host_ledger_t ledger;
  int64_t budget_bytes;  // INT64_MAX: none is set.
  pod_available_memory_t host;
  int64_t read_at_ns;
  int64_t promised_bytes;
  POD_LIST(watched_t) watched;
} room = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// For small blocks, without the mutex.
static _Atomic int64_t held_bytes, small_bytes, small_most_bytes;

// --- Under the mutex ---

static void close_ledger(void) {
  host_ledger_close(&room.ledger, room.name);
}

static int64_t read_budget(void) {
  const char *text = getenv("PODIUM_HOST_MEMORY_BYTES");
  char *end = NULL;
  const long long value = text == NULL ? 0 : strtoll(text, &end, 10);
  return value > 0 && *end == '\0' ? value : INT64_MAX;
}

static void open_once(void) {
  if (!room.is_open) {
    room.is_open = true;
    const char *table = getenv("PODIUM_HOST_MEMORY_TABLE");
    if (room.name[0] == '\0' && table != NULL) {
      snprintf(room.name, sizeof(room.name), "/%s", table);
    } else if (room.name[0] == '\0') {
      snprintf(room.name, sizeof(room.name), "/podium-memory-%u", (unsigned)geteuid());
    }
    host_ledger_open(&room.ledger, room.name);
    room.budget_bytes = read_budget();
    small_most_bytes =
        room.budget_bytes == INT64_MAX ? HOST_ROOM_SMALL_BYTES : SMALL_BUDGETED_BYTES;
    atexit(close_ledger);
  }
}

static void publish(void) {
  host_ledger_row_t *row = &room.ledger.rows[room.ledger.own];
  row->held_bytes = atomic_load(&held_bytes);
  row->promised_bytes = room.promised_bytes;
}

// Of what was promised, what is still not there.
static int64_t missing_bytes(const watched_t *watched) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  const int64_t front = (int64_t)(-(uintptr_t)watched->memory % (uintptr_t)page);
  const char *first = watched->memory + front;
  const int64_t pages = (watched->size_bytes - front) / page;
  int64_t missing = 0;
  for (int64_t i = 0; i < SAMPLES; i++) {
    const int64_t at = (pages - 1) * i / (SAMPLES - 1);
    unsigned char is_there = 0;
    // A page that cannot be asked for counts as there: it is no promise of ours.
    const int error =
        mincore((void *)(uintptr_t)(first + at * page), (size_t)page, &is_there);
    missing += error == 0 && (is_there & 1) == 0;
  }
  return watched->size_bytes / SAMPLES * missing;
}

static void forget(int32_t index) {
  room.promised_bytes -= room.watched.items[index].promised_bytes;
  room.watched.items[index] = room.watched.items[--room.watched.count];
}

static void look_at_promises(int64_t now_ns) {
  for (int32_t i = room.watched.count - 1; i >= 0; i--) {
    watched_t *watched = &room.watched.items[i];
    if (now_ns < watched->blind_until_ns) {
      continue;
    }
    const int64_t missing = missing_bytes(watched);
    if (missing == 0) {
      forget(i);
    } else if (missing < watched->promised_bytes) {
      room.promised_bytes -= watched->promised_bytes - missing;
      watched->promised_bytes = missing;
    }
  }
  publish();
}

static int64_t reserve_bytes(void) {
  const int64_t share = room.host.total_bytes / 32;
  return share < RESERVE_BYTES_MAX ? share : RESERVE_BYTES_MAX;
}

// What is left when all promises are kept.
static int64_t left_bytes(bool looks_for_dead, host_room_use_t *out_use) {
  host_ledger_sum(&room.ledger, looks_for_dead, &out_use->held_bytes,
                  &out_use->promised_bytes, &out_use->process_count);
  const int64_t by_host =
      room.host.left_bytes - reserve_bytes() - out_use->promised_bytes;
  const int64_t by_budget = room.budget_bytes - out_use->held_bytes;
  return by_host < by_budget ? by_host : by_budget;
}

static void read_host(int64_t now_ns) {
  pod_available_memory_read("", &room.host);
  room.read_at_ns = now_ns;
}

// The block is promised already: nothing less than 0 may be left. What was read a moment
// ago will do while there is plenty.
static int64_t look_for_room(host_room_use_t *out_use) {
  const int64_t now_ns = pod_clock_now_ns();
  const bool is_old = room.read_at_ns == 0 ||
                      now_ns - room.read_at_ns > (int64_t)HOST_ROOM_LOOK_MS * 1000000;
  int64_t left = INT64_MIN;
  if (!is_old) {
    left = left_bytes(false, out_use);
  }
  if (left < room.host.total_bytes / 8) {
    look_at_promises(now_ns);
    // Promises first: what is written between the two counts in both.
    (void)left_bytes(true, out_use);
    const int64_t promised = out_use->promised_bytes;
    read_host(now_ns);
    left = left_bytes(false, out_use);
    if (out_use->promised_bytes < promised) {
      left -= promised - out_use->promised_bytes;
    }
  }
  return left;
}

static pod_status_t refuse(int64_t size_bytes, int64_t left, const host_room_use_t *use) {
  pod_text_t text = {0};
  pod_text_add(&text, "the host has no room for ");
  pod_text_add_size(&text, (unsigned long long)size_bytes);
  pod_text_add(&text, ": ");
  const int64_t free_bytes = left + size_bytes;
  pod_text_add_size(&text, (unsigned long long)(free_bytes > 0 ? free_bytes : 0));
  pod_text_add(&text, " are left of ");
  const bool is_budget = room.budget_bytes < room.host.total_bytes;
  pod_text_add_size(
      &text, (unsigned long long)(is_budget ? room.budget_bytes : room.host.total_bytes));
  pod_text_add(&text, is_budget            ? " (PODIUM_HOST_MEMORY_BYTES)"
                      : room.host.is_group ? " (its control group's limit)"
                                           : "");
  pod_text_printf(&text, "; the %d workers here hold ", (int)use->process_count);
  pod_text_add_size(&text, (unsigned long long)(use->held_bytes - size_bytes));
  pod_text_add(&text, ", of which ");
  const int64_t promised = use->promised_bytes - size_bytes;
  pod_text_add_size(&text, (unsigned long long)(promised > 0 ? promised : 0));
  pod_text_add(&text,
               " are still to be written; the rest is other processes'. Free arrays, use "
               "smaller ones, or run the chips on more hosts or one with more memory");
  const pod_status_t status =
      pod_error_text(__FILE__, __LINE__, POD_RESOURCE_EXHAUSTED, text.bytes);
  pod_text_deinit(&text);
  return status;
}

// --- For all ---

static pod_status_t admit_slowly(int64_t size_bytes, int64_t promised_bytes) {
  pthread_mutex_lock(&room.mutex);
  open_once();
  atomic_store(&small_bytes, 0);
  atomic_fetch_add(&held_bytes, size_bytes);
  room.promised_bytes += promised_bytes;
  publish();
  host_room_use_t use;
  const int64_t left = look_for_room(&use);
  pod_status_t status = NULL;
  if (left < 0) {
    status = refuse(size_bytes, left, &use);
    atomic_fetch_sub(&held_bytes, size_bytes);
    room.promised_bytes -= promised_bytes;
    publish();
  }
  pthread_mutex_unlock(&room.mutex);
  return status;
}

void host_room_open(const char *table) {
  pthread_mutex_lock(&room.mutex);
  snprintf(room.name, sizeof(room.name), "%s", table);
  open_once();
  pthread_mutex_unlock(&room.mutex);
}

pod_status_t host_room_admit(int64_t size_bytes) {
  if (size_bytes >= HOST_ROOM_BLOCK_BYTES) {
    return admit_slowly(size_bytes, size_bytes);
  }
  const int64_t together = atomic_fetch_add(&small_bytes, size_bytes) + size_bytes;
  if (together >= atomic_load(&small_most_bytes)) {
    return admit_slowly(size_bytes, 0);
  }
  atomic_fetch_add(&held_bytes, size_bytes);
  return NULL;
}

void host_room_watch(const void *memory, int64_t size_bytes, bool is_used_before) {
  const int64_t blind_ns = is_used_before ? (int64_t)USED_BEFORE_MS * 1000000 : 0;
  pthread_mutex_lock(&room.mutex);
  *pod_list_add(&room.watched) =
      (watched_t){.memory = memory,
                  .size_bytes = size_bytes,
                  .promised_bytes = size_bytes,
                  .blind_until_ns = pod_clock_now_ns() + blind_ns};
  pthread_mutex_unlock(&room.mutex);
}

void host_room_fulfil(int64_t size_bytes) {
  if (size_bytes >= HOST_ROOM_BLOCK_BYTES) {
    pthread_mutex_lock(&room.mutex);
    room.promised_bytes -= size_bytes;
    publish();
    pthread_mutex_unlock(&room.mutex);
  }
}

void host_room_release(const void *memory, int64_t size_bytes) {
  atomic_fetch_sub(&held_bytes, size_bytes);
  if (size_bytes < HOST_ROOM_BLOCK_BYTES) {
    return;
  }
  pthread_mutex_lock(&room.mutex);
  if (memory == NULL) {
    room.promised_bytes -= size_bytes;
  }
  for (int32_t i = 0; memory != NULL && i < room.watched.count; i++) {
    if (room.watched.items[i].memory == memory) {
      forget(i);
      break;
    }
  }
  publish();
  pthread_mutex_unlock(&room.mutex);
}

void host_room_look(void) {
  pthread_mutex_lock(&room.mutex);
  if (room.is_open) {
    look_at_promises(pod_clock_now_ns());
  }
  pthread_mutex_unlock(&room.mutex);
}

host_room_use_t host_room_use(void) {
  host_room_use_t use;
  pthread_mutex_lock(&room.mutex);
  open_once();
  publish();
  (void)left_bytes(true, &use);
  pthread_mutex_unlock(&room.mutex);
  return use;
}
