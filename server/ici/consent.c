// The version of an offer is odd while its ranges are offered. They are written only
// while it is even, so who finds the same odd number before and after has read what was
// offered: a sequence lock (Lameter 2005, "Effective synchronization on Linux/NUMA
// systems") whose writer announces the end beforehand. A version says in its low bits
// which offer of the page it is of: how often it was made, its place, and whether it
// stands.

#include "server/ici/consent.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/check.h"
#include "server/ici/ici.h"

enum {
  SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE,
  PAGE_BYTES = 4096,
  PLACE_SHIFT = 1,
  COUNT_SHIFT = 5,
};

#define MAGIC 0x31544e4553434950u  // "PICSENT1"

_Static_assert(ICI_CONSENT_OFFERS_MAX == 1 << (COUNT_SHIFT - PLACE_SHIFT), "its bits");

typedef struct offer_t {
  _Atomic uint64_t version;
  struct {
    _Atomic uint64_t start, size_bytes;
  } ranges[ICI_CONSENT_RANGES_MAX];
} offer_t;

struct ici_consent_page_t {
  uint64_t magic;
  char pod[ICI_POD_NAME_MAX + 1];
  int32_t chip;
  uint64_t epoch;
  offer_t offers[ICI_CONSENT_OFFERS_MAX];
};
_Static_assert(sizeof(ici_consent_page_t) <= PAGE_BYTES, "it must fit a page");

pod_status_t ici_consent_create(const ici_owner_t *owner, ici_consent_t *out_consent) {
  void *memory = MAP_FAILED;
  const int file = memfd_create("podium-ici-consent", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0 && ftruncate(file, PAGE_BYTES) == 0) {
    memory = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  // This mapping stays writable; no other can be made.
  if (memory == MAP_FAILED || fcntl(file, F_ADD_SEALS, SEALS | F_SEAL_SEAL) != 0) {
    const pod_status_t status = pod_error(
        POD_UNAVAILABLE, "cannot make a sealed page of memory: %s", strerror(errno));
    if (memory != MAP_FAILED) {
      munmap(memory, PAGE_BYTES);
    }
    if (file >= 0) {
      close(file);
    }
    return status;
  }
  ici_consent_page_t *page = memory;
  page->magic = MAGIC;
  snprintf(page->pod, sizeof(page->pod), "%s", owner->pod);
  page->chip = owner->chip;
  page->epoch = owner->epoch;
  *out_consent = (ici_consent_t){.page = page, .file = file};
  return NULL;
}

// One that does not stand; its place when there is none: ICI_CONSENT_OFFERS_MAX.
static uint64_t free_place(const ici_consent_page_t *page) {
  uint64_t place = 0;
  while (place < ICI_CONSENT_OFFERS_MAX &&
         (atomic_load(&page->offers[place].version) & 1) != 0) {
    place++;
  }
  return place;
}

static const offer_t *offer_of(const ici_consent_page_t *page, uint64_t version) {
  return &page->offers[version >> PLACE_SHIFT & (ICI_CONSENT_OFFERS_MAX - 1)];
}

uint64_t ici_consent_give(ici_consent_t *consent, const ici_range_t *ranges, int count) {
  ici_consent_page_t *page = consent->page;
  POD_CHECK(count <= ICI_CONSENT_RANGES_MAX);
  const uint64_t place = page == NULL ? ICI_CONSENT_OFFERS_MAX : free_place(page);
  if (place == ICI_CONSENT_OFFERS_MAX) {
    return 0;
  }
  offer_t *offer = &page->offers[place];
  for (int i = 0; i < ICI_CONSENT_RANGES_MAX; i++) {
    const ici_range_t range = i < count ? ranges[i] : (ici_range_t){NULL, 0};
    atomic_store_explicit(&offer->ranges[i].start, (uintptr_t)range.start,
                          memory_order_relaxed);
    atomic_store_explicit(&offer->ranges[i].size_bytes, (uint64_t)range.size_bytes,
                          memory_order_relaxed);
  }
  const uint64_t version = atomic_load(&offer->version) | place << PLACE_SHIFT | 1;
  atomic_store(&offer->version, version);
  return version;
}

void ici_consent_take_back(ici_consent_t *consent, uint64_t version) {
  if (consent->page != NULL && (version & 1) != 0) {
    offer_t *offer = (offer_t *)(uintptr_t)offer_of(consent->page, version);
    uint64_t standing = version;
    const uint64_t next = ((version >> COUNT_SHIFT) + 1) << COUNT_SHIFT;
    (void)atomic_compare_exchange_strong(&offer->version, &standing, next);
    atomic_thread_fence(memory_order_seq_cst);
  }
}

void ici_consent_close(ici_consent_t *consent) {
  if (consent->page != NULL) {
    for (int i = 0; i < ICI_CONSENT_OFFERS_MAX; i++) {  // Who has mapped it keeps it.
      ici_consent_take_back(consent, atomic_load(&consent->page->offers[i].version));
    }
    munmap(consent->page, PAGE_BYTES);
    close(consent->file);
  }
  *consent = (ici_consent_t){.file = -1};
}

// ---- The reader's side.

static pod_status_t map_page(int32_t process, int32_t file, ici_witness_t *witness) {
  char path[64];
  struct stat stat;
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", process, file);
  const int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) {
    const bool is_denied = errno == EACCES || errno == EPERM;
    return pod_error(is_denied ? POD_PERMISSION_DENIED : POD_NOT_FOUND,
                     "cannot open %s: %s", path, strerror(errno));
  }
  const int seals = fcntl(opened, F_GET_SEALS);
  const bool is_page = seals >= 0 && (seals & SEALS) == SEALS &&
                       fstat(opened, &stat) == 0 && stat.st_size == PAGE_BYTES &&
                       stat.st_uid == geteuid();
  void *memory =
      is_page ? mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, opened, 0) : MAP_FAILED;
  close(opened);
  if (memory == MAP_FAILED) {
    return pod_error(is_page ? POD_RESOURCE_EXHAUSTED : POD_DATA_LOSS,
                     "%s is not a page that offers memory", path);
  }
  witness->page = memory;
  return NULL;
}

static pod_status_t check_owner(const ici_witness_t *witness, const ici_owner_t *owner) {
  const ici_consent_page_t *page = witness->page;
  if (page->magic != MAGIC || memchr(page->pod, '\0', sizeof(page->pod)) == NULL ||
      strcmp(page->pod, owner->pod) != 0 || page->chip != owner->chip ||
      page->epoch != owner->epoch) {
    return pod_error(POD_DATA_LOSS,
                     "process %d does not offer memory as chip %d of pod '%s'",
                     witness->process, owner->chip, owner->pod);
  }
  return NULL;
}

pod_status_t ici_witness_open(int32_t process, int32_t file, const ici_owner_t *owner,
                              ici_witness_t *out_witness) {
  if (process <= 0 || file < 0) {
    return pod_error(POD_DATA_LOSS, "no process has the number %d, or no file %d",
                     process, file);
  }
  // The process first: if its number is another's meanwhile, the page is not there.
  ici_witness_t witness = {
      .process = process, .process_file = pidfd_open(process, 0), .epoch = owner->epoch};
  if (witness.process_file < 0) {
    return pod_error(errno == ESRCH ? POD_NOT_FOUND : POD_RESOURCE_EXHAUSTED,
                     "cannot open process %d: %s", process, strerror(errno));
  }
  pod_status_t status = map_page(process, file, &witness);
  if (status == NULL) {
    status = check_owner(&witness, owner);
  }
  if (status != NULL) {
    ici_witness_close(&witness);
    return status;
  }
  *out_witness = witness;
  return NULL;
}

static bool is_within(uint64_t address, uint64_t size_bytes, uint64_t start,
                      uint64_t range_bytes) {
  return address >= start && size_bytes <= range_bytes &&
         address - start <= range_bytes - size_bytes;
}

ici_cover_t ici_witness_covers(const ici_witness_t *witness, uint64_t address,
                               int64_t size_bytes, uint64_t version) {
  const offer_t *offer = offer_of(witness->page, version);
  if ((version & 1) == 0 || size_bytes <= 0) {
    return ICI_COVER_NOT;
  }
  if (atomic_load(&offer->version) != version) {
    return ICI_COVER_PAST;
  }
  bool is_covered = false;
  for (int i = 0; i < ICI_CONSENT_RANGES_MAX; i++) {
    const uint64_t start =
        atomic_load_explicit(&offer->ranges[i].start, memory_order_relaxed);
    const uint64_t range_bytes =
        atomic_load_explicit(&offer->ranges[i].size_bytes, memory_order_relaxed);
    is_covered |= is_within(address, (uint64_t)size_bytes, start, range_bytes);
  }
  if (!ici_witness_holds(witness, version)) {
    return ICI_COVER_PAST;
  }
  return is_covered ? ICI_COVER_ALL : ICI_COVER_NOT;
}

bool ici_witness_holds(const ici_witness_t *witness, uint64_t version) {
  atomic_thread_fence(memory_order_seq_cst);
  struct pollfd process = {.fd = witness->process_file, .events = POLLIN};
  return (version & 1) != 0 &&
         atomic_load(&offer_of(witness->page, version)->version) == version &&
         poll(&process, 1, 0) == 0;
}

void ici_witness_close(ici_witness_t *witness) {
  if (witness->page != NULL) {
    munmap((void *)(uintptr_t)witness->page, PAGE_BYTES);
  }
  if (witness->process > 0) {
    close(witness->process_file);
  }
  *witness = (ici_witness_t){.process = 0};
}
