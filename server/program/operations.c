// Rows by number are an array, by name a hash table made at the first look-up.

#include "server/program/operations.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

static const char *const names[CHIP_OP_COUNT] = {
    [CHIP_OP_INVALID] = "invalid",
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = name,
#include "server/program/operations.def"
#undef OPERATION
};

// The words of the column `traits`, and those of `cost` that say more.
enum {
  none = 0,
  ELEMENTWISE = CHIP_TRAIT_ELEMENTWISE | CHIP_TRAIT_IN_PLACE | CHIP_TRAIT_LANEWISE,
  COMMUTATIVE = CHIP_TRAIT_COMMUTATIVE,
  IN_PLACE = CHIP_TRAIT_IN_PLACE,
  UPDATES = CHIP_TRAIT_UPDATES,
  MOVES = CHIP_TRAIT_MOVES,
  LANEWISE = CHIP_TRAIT_LANEWISE,
  CONTROL = CHIP_TRAIT_CONTROL,
  CHECKS = CHIP_TRAIT_CHECKS,
  COST_none = 0,
  COST_elementwise = 0,
  COST_transcendental = CHIP_TRAIT_TRANSCENDENTAL,
  COST_movement = 0,
  COST_scatter = 0,
  COST_update = 0,
  COST_reduce = 0,
  COST_dot_general = 0,
  COST_convolution = 0,
  COST_qr = 0,
  COST_householder_product = 0,
  COST_lu = 0,
  COST_eigh = 0,
  COST_host = 0,
  COST_transfer = 0,
  COST_kernel = 0,
  COST_collective = CHIP_TRAIT_COLLECTIVE,
};

const uint16_t chip_op_traits[CHIP_OP_COUNT] = {
    [CHIP_OP_INVALID] = 0,
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = (traits) | COST_##cost,
#include "server/program/operations.def"
#undef OPERATION
};

const char *chip_op_name(chip_op_t op) {
  return (unsigned)op < CHIP_OP_COUNT ? names[op] : names[CHIP_OP_INVALID];
}

const char *chip_op_short_name(chip_op_t op) {
  const char *name = chip_op_name(op);
  const char *dot = strchr(name, '.');
  return dot == NULL ? name : dot + 1;
}

// An open hash table of the rows, filled by the first look-up: a parser asks for every
// operation of a module, and the table has to stay cheap when it has hundreds of rows.
enum { SLOT_COUNT = 1024 };
_Static_assert(CHIP_OP_COUNT < SLOT_COUNT / 2,
               "the hash table of operations is too full");

static uint16_t slots[SLOT_COUNT];
static pthread_once_t slots_filled = PTHREAD_ONCE_INIT;

// FNV-1a (Fowler, Noll, Vo).
static uint32_t hash_of(const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name != '\0'; name++) {
    hash = (hash ^ (uint8_t)*name) * 16777619u;
  }
  return hash;
}

static void fill_slots(void) {
  for (unsigned op = CHIP_OP_INVALID + 1; op < CHIP_OP_COUNT; op++) {
    uint32_t slot = hash_of(names[op]) % SLOT_COUNT;
    while (slots[slot] != CHIP_OP_INVALID) {
      slot = (slot + 1) % SLOT_COUNT;
    }
    slots[slot] = (uint16_t)op;
  }
}

chip_op_t chip_op_find(const char *name) {
  pthread_once(&slots_filled, fill_slots);
  for (uint32_t slot = hash_of(name) % SLOT_COUNT; slots[slot] != CHIP_OP_INVALID;
       slot = (slot + 1) % SLOT_COUNT) {
    if (strcmp(names[slots[slot]], name) == 0) {
      return (chip_op_t)slots[slot];
    }
  }
  return CHIP_OP_INVALID;
}
