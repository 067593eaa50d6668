// What a process lets others of its host read in its memory, in words that only it can
// have written: a page of shared memory that says whose it is and which ranges may be
// read now. It is sealed, so that nobody but its maker can write it
// (F_SEAL_FUTURE_WRITE); and a reader finds it among the open files of the process whose
// memory it is. So whoever names a process and an address in a frame, names either memory
// that this very process offers, as this chip of this pod, or nothing.
//
// A reader asks before it reads whether the range is offered, and afterwards whether it
// still is: what it read in between was meant for it.
//
// Threading: the page's maker gives and takes back on one thread at a time; a witness is
// for one thread at a time.
// Ownership: create and open return owned, close releases.

#ifndef SERVER_ICI_CONSENT_H_
#define SERVER_ICI_CONSENT_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

enum {
  ICI_CONSENT_RANGES_MAX = 4,
  ICI_CONSENT_OFFERS_MAX = 16,  // At a time: of collectives under way (ICI_RUNS_MAX).
};

typedef struct ici_consent_page_t ici_consent_page_t;

typedef struct ici_range_t {
  const void *start;
  int64_t size_bytes;
} ici_range_t;

// Whose memory it is.
typedef struct ici_owner_t {
  const char *pod;
  int32_t chip;
  uint64_t epoch;
} ici_owner_t;

typedef struct ici_consent_t {
  ici_consent_page_t *page;  // NULL: none.
  int file;
} ici_consent_t;

// UNAVAILABLE: not on this kernel; nothing can be read then.
POD_MUST_USE pod_status_t ici_consent_create(const ici_owner_t *owner,
                                             ici_consent_t *out_consent);

// The ranges may be read until they are taken back. Returns the number of this offer,
// which is odd and never used again; 0: there are as many as can be, or there is no page.
uint64_t ici_consent_give(ici_consent_t *consent, const ici_range_t *ranges, int count);

// The offer of that number may not be read any more: who has read since cannot mistake it
// for what was offered. To be called before the memory is used for anything else. Ignores
// 0.
void ici_consent_take_back(ici_consent_t *consent, uint64_t version);

void ici_consent_close(ici_consent_t *consent);

// ---- The reader's side.

typedef struct ici_witness_t {
  const ici_consent_page_t *page;  // NULL: none.
  int32_t process;
  int process_file;  // A pidfd: the process, not who gets its number later.
  uint64_t epoch;    // Of the owner.
} ici_witness_t;

// Opens the page that `process` has open as `file`. PERMISSION_DENIED: we may not look;
// NOT_FOUND: no such process or file (any more); RESOURCE_EXHAUSTED; DATA_LOSS: that is
// no such page, or another owner's.
POD_MUST_USE pod_status_t ici_witness_open(int32_t process, int32_t file,
                                           const ici_owner_t *owner,
                                           ici_witness_t *out_witness);

typedef enum ici_cover_t {
  ICI_COVER_ALL = 0,
  ICI_COVER_NOT = 1,   // It was never in that offer.
  ICI_COVER_PAST = 2,  // The offer is over: who made it has given up, or is gone.
} ici_cover_t;

// Whether all of the range is in the offer `version`, and that still stands.
ici_cover_t ici_witness_covers(const ici_witness_t *witness, uint64_t address,
                               int64_t size_bytes, uint64_t version);

// Whether the offer still stands, by a process that still is.
bool ici_witness_holds(const ici_witness_t *witness, uint64_t version);

// Accepts what is zero.
void ici_witness_close(ici_witness_t *witness);

#endif  // SERVER_ICI_CONSENT_H_
