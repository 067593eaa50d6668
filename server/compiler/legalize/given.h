// What comes from outside of the module: a mesh, and how arguments and results of @main
// lie on it, as jax.jit's in_shardings and out_shardings say it, which takes the place of
// what the module says; and which arguments are donated, as donate_argnums does, beside
// those that the module donates.
//
// Threading: pure. Ownership: texts are borrowed; what is made lives in the module.
// Errors: INVALID_ARGUMENT with the name, the shape and the axis that is wrong.

#ifndef SERVER_COMPILER_LEGALIZE_GIVEN_H_
#define SERVER_COMPILER_LEGALIZE_GIVEN_H_

#include <stdint.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "common/tensor/sharding.h"

// Of an argument or a result.
typedef struct compiler_given_spec_t {
  // "x" of %x, the name that JAX has for it ("params['w']"), "arg0" and "result0", which
  // stand for what has no name, or its number.
  const char *name;
  const char *spec;  // A PartitionSpec: P("x", None), P(("x", "y")), P().
} compiler_given_spec_t;

typedef struct compiler_given_t {
  const char *mesh;  // "x=2,y=4"; NULL or "": the module's own.
  int64_t argument_count, result_count, value_count;
  const compiler_given_spec_t *arguments, *results;
  const compiler_given_spec_t *values;  // Within @main, by number (given_values.h).
  // Arguments by name or number, "cache,3", or "all"; NULL or "": the module's own.
  const char *donated;
} compiler_given_t;

enum { GIVEN_NOTES_MAX = 16 };

// What of the module gave way, one line each, in its arena.
typedef struct given_notes_t {
  int32_t count;
  const char *texts[GIVEN_NOTES_MAX];
} given_notes_t;

// Puts them into the module, which is inlined. A mesh of the module over axes of the same
// names gets the sizes of the one that is given; one over others stays what it is.
POD_MUST_USE pod_status_t given_apply(mlir_module_t *module,
                                      const compiler_given_t *given,
                                      given_notes_t *out_notes);

// "x=2,y=4", in the arena.
POD_MUST_USE pod_status_t given_parse_mesh(pod_arena_t *arena, const char *text,
                                           const mesh_t **out_mesh);

// P("x", None), P(("x", "y"), None), PartitionSpec("x"), P(): entries that are missing at
// the end are None; UNCONSTRAINED is open to propagation. In the arena.
POD_MUST_USE pod_status_t given_parse_spec(pod_arena_t *arena, const mesh_t *mesh,
                                           const char *text, int rank,
                                           sharding_t **out_sharding);

#endif  // SERVER_COMPILER_LEGALIZE_GIVEN_H_
