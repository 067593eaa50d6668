#include "server/coordinator/same_program.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "proto/podium/v1/program.pb-c.h"
#include "server/coordinator/core/store.h"

// protobuf-c takes this very pointer for "not set", and frees any other.
static void forget(char **text) {
  if (*text != protobuf_c_empty_string) {
    free(*text);
    *text = (char *)(uintptr_t)protobuf_c_empty_string;
  }
}

// Packed again, without what is only for people. Owned.
static uint8_t *pack_bare(const compiled_t *compiled, size_t *out_bytes) {
  Podium__V1__Program *program =
      podium__v1__program__unpack(NULL, compiled->packed_bytes, compiled->packed);
  POD_CHECK(program != NULL);
  for (size_t i = 0; i < program->n_instructions; i++) {
    forget(&program->instructions[i]->name);
    forget(&program->instructions[i]->source);
  }
  for (size_t i = 0; i < program->n_computations; i++) {
    forget(&program->computations[i]->name);
  }
  for (size_t i = 0; i < program->n_arguments; i++) {
    forget(&program->arguments[i]->name);
  }
  for (size_t i = 0; i < program->n_results; i++) {
    forget(&program->results[i]->name);
  }
  *out_bytes = podium__v1__program__get_packed_size(program);
  uint8_t *bytes = pod_alloc(*out_bytes + 1);
  podium__v1__program__pack(program, bytes);
  podium__v1__program__free_unpacked(program, NULL);
  return bytes;
}

static bool is_same(const compiled_t *a, const compiled_t *b) {
  size_t a_bytes, b_bytes;
  uint8_t *bare_a = pack_bare(a, &a_bytes);
  uint8_t *bare_b = pack_bare(b, &b_bytes);
  const bool same = a_bytes == b_bytes && memcmp(bare_a, bare_b, a_bytes) == 0;
  free(bare_a);
  free(bare_b);
  return same;
}

bool same_program(void *executable, void *other) {
  const store_executable_t *a = executable;
  store_executable_t *b = other;
  if (a->compiled == b->compiled) {
    return true;
  }
  if (!is_same(a->compiled, b->compiled)) {
    return false;
  }
  compiled_t *own = b->compiled;
  b->compiled = compiled_use(a->compiled);
  compiled_unuse(own);
  return true;
}
