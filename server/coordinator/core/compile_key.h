// All that a compiled program depends on, by which it is known: what was compiled once is
// found by its key, not by its text.
//
// The text stands in it by its SHA-256 (common/digest). The file's name counts, because
// the sources that a profile shows have it. The chip kind counts by identity: a spec is
// immutable and lives as long as the coordinator.
//
// Threading: pure. Ownership: everything in a key is borrowed; compile_key_copy makes one
// that lives in an arena.

#ifndef SERVER_COORDINATOR_CORE_COMPILE_KEY_H_
#define SERVER_COORDINATOR_CORE_COMPILE_KEY_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/digest/digest.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/compiler/compiler.h"

typedef struct compile_key_t {
  uint8_t digest[DIGEST_BYTES];  // Of the text.
  int64_t text_bytes;
  const char *file_name, *algorithms, *collectives;
  int64_t argument_type_count;
  const compiler_argument_type_t *argument_types;
  int64_t device_order_count;
  const int64_t *device_order;
  compiler_given_t given;
  const char *propagation;  // "": as the module says.
  const char *after;        // "": nothing is asked for.
  bool wants_values, ignores_hbm, estimates_only;
  const chip_spec_t *spec;
  torus_t torus;
} compile_key_t;

bool compile_key_equal(const compile_key_t *a, const compile_key_t *b);

// Its names and lists are in the arena.
compile_key_t compile_key_copy(pod_arena_t *arena, const compile_key_t *key);

#endif  // SERVER_COORDINATOR_CORE_COMPILE_KEY_H_
