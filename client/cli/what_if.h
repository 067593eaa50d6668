// Values within a program whose sharding `podium explain --what-if` changes: what a
// constraint there says, and the largest that none is put on.
//
// Threading: the main thread. Ownership: all is in the search's arena.

#ifndef CLIENT_CLI_WHAT_IF_H_
#define CLIENT_CLI_WHAT_IF_H_

#include "client/cli/search.h"

// Values that one line of the source makes, of one shape and lying alike: those of layers
// that repeat.
typedef struct what_if_value_t {
  const char *
      name;  // "the constrained value at model.py:52", "the result of tanh at model.py:7"
  bool is_constraint;
  podium_shape_t shape;
  signed char dims[SEARCH_AXES_MAX];
  const char *op, *source, *spec;
  int64_t bytes;  // Of all of them.
  int count;
  int64_t *numbers;  // podium_value_t's.
} what_if_value_t;

// Constraints, then others, each the largest first; of several values of one shape that
// lie alike, and that no constraint is put on, those that the first line makes: a
// constraint there spreads to the others. In `*out_list`.
int what_if_values(const search_t *search, const podium_program_info_t *info,
                   what_if_value_t **out_list);

#endif  // CLIENT_CLI_WHAT_IF_H_
