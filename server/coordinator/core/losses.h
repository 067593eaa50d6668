// What the pod has lost, when and why: the last LOSSES_MAX, in a ring.
//
// Threading: pure; one thread at a time.
// Ownership: the ring owns its texts.

#ifndef SERVER_COORDINATOR_CORE_LOSSES_H_
#define SERVER_COORDINATOR_CORE_LOSSES_H_

#include <stddef.h>
#include <stdint.h>

enum { LOSSES_MAX = 256, LOSS_TEXT_BYTES_MAX = 512 };

typedef enum loss_kind_t {
  LOSS_CHIP = 0,
  LOSS_LINK,
  LOSS_KIND_COUNT,
} loss_kind_t;

typedef struct loss_t {
  uint64_t id;  // From 1, each one more.
  loss_kind_t kind;
  int32_t chip;       // Or one end of the link ...
  int32_t neighbour;  // ... and the other; -1 of a chip.
  int64_t at_us;      // Unix
  int64_t back_us;    // When it was there again; 0: it is not.
  char *why;
} loss_t;

typedef struct losses_t {
  uint64_t count;    // Ever.
  uint64_t changes;  // Grows with whatever changes here.
  loss_t at[LOSSES_MAX];
} losses_t;

// Zero it to start.
void losses_deinit(losses_t *losses);

// `why` is copied, up to LOSS_TEXT_BYTES_MAX. `neighbour` -1: a chip.
void losses_add(losses_t *losses, int32_t chip, int32_t neighbour, int64_t now_us,
                const char *why);

// The chip, or the link between the two, is there again.
void losses_back(losses_t *losses, int32_t chip, int32_t neighbour, int64_t now_us);

// How many are kept, and of these the one that is `index` before the last.
size_t losses_kept(const losses_t *losses);
const loss_t *losses_recent(const losses_t *losses, size_t index);

#endif  // SERVER_COORDINATOR_CORE_LOSSES_H_
