#include "server/coordinator/core/losses.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

void losses_deinit(losses_t *losses) {
  for (size_t i = 0; i < LOSSES_MAX; i++) {
    free(losses->at[i].why);
  }
  *losses = (losses_t){0};
}

static loss_t *slot(losses_t *losses, uint64_t id) {
  return &losses->at[(id - 1) % LOSSES_MAX];
}

void losses_add(losses_t *losses, int32_t chip, int32_t neighbour, int64_t now_us,
                const char *why) {
  const uint64_t id = ++losses->count;
  losses->changes++;
  loss_t *loss = slot(losses, id);
  free(loss->why);
  size_t length = strnlen(why, LOSS_TEXT_BYTES_MAX);
  // Not in the middle of a character.
  const bool is_cut = length == LOSS_TEXT_BYTES_MAX;
  while (is_cut && length > 0 && ((unsigned char)why[length] & 0xc0) == 0x80) {
    length--;
  }
  *loss = (loss_t){.id = id,
                   .kind = neighbour < 0 ? LOSS_CHIP : LOSS_LINK,
                   .chip = chip,
                   .neighbour = neighbour,
                   .at_us = now_us,
                   .why = pod_alloc(length + 1)};
  memcpy(loss->why, why, length);
}

static bool is_of(const loss_t *loss, int32_t chip, int32_t neighbour) {
  return (loss->chip == chip && loss->neighbour == neighbour) ||
         (neighbour >= 0 && loss->chip == neighbour && loss->neighbour == chip);
}

void losses_back(losses_t *losses, int32_t chip, int32_t neighbour, int64_t now_us) {
  for (size_t i = 0; i < losses_kept(losses); i++) {
    loss_t *loss = slot(losses, losses->count - i);
    if (loss->back_us == 0 && is_of(loss, chip, neighbour)) {
      loss->back_us = now_us;
      losses->changes++;
      return;
    }
  }
}

size_t losses_kept(const losses_t *losses) {
  return losses->count < LOSSES_MAX ? (size_t)losses->count : LOSSES_MAX;
}

const loss_t *losses_recent(const losses_t *losses, size_t index) {
  return &losses->at[(losses->count - 1 - index) % LOSSES_MAX];
}
