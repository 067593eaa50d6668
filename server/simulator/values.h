// What is known of the values of a program without running it: small arrays that follow
// from constants, iota and the chip's number. Buffers share memory, so knowledge is kept
// by address: what is written is known or forgotten, whichever buffer it was.
//
// Threading: one thread. Ownership: deinit frees all; pointers are good until the next
// write.

#ifndef SERVER_SIMULATOR_VALUES_H_
#define SERVER_SIMULATOR_VALUES_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/list.h"
#include "server/program/program.h"

enum { SIMULATOR_VALUE_ELEMENTS_MAX = 1024 };

typedef struct simulator_value_t {
  int64_t address, size_bytes;
  bool depends_on_chip;
  uint8_t *data;
} simulator_value_t;

typedef struct simulator_values_t {
  const chip_program_t *program;
  int32_t chip;
  int64_t *addresses;                 // By buffer; constants and arguments have none: -1.
  POD_LIST(simulator_value_t) known;  // By address; they do not overlap.
} simulator_values_t;

void simulator_values_init(simulator_values_t *values, const chip_program_t *program,
                           int32_t chip);
void simulator_values_deinit(simulator_values_t *values);

// Forgets all, for another chip.
void simulator_values_reset(simulator_values_t *values, int32_t chip);

// The bytes of a buffer, one element for a constant that is a splat. NULL: not known.
const uint8_t *simulator_values_get(const simulator_values_t *values, int32_t buffer,
                                    bool *out_is_splat, bool *out_depends_on_chip);

// `data`: as many bytes as the buffer has; NULL: they are not known any more.
void simulator_values_set(simulator_values_t *values, int32_t buffer, const uint8_t *data,
                          bool depends_on_chip);

void simulator_values_copy(simulator_values_t *values, int32_t from, int32_t to);

// What an instruction without control writes: known when all it needs is.
void simulator_values_run(simulator_values_t *values,
                          const chip_instruction_t *instruction);

#endif  // SERVER_SIMULATOR_VALUES_H_
