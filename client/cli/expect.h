// What a program is measured by, and what --expect of `podium explain` expects of that:
//
//   all_gather<=2,all_to_all==0,peak_hbm<=12GiB,step<=3ms
//
// Threading: pure.

#ifndef CLIENT_CLI_EXPECT_H_
#define CLIENT_CLI_EXPECT_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/status.h"

typedef enum cli_measure_t {
  // Collectives of a kind, as often as they stand in what one chip runs: one in a loop
  // counts once.
  CLI_ALL_GATHER,
  CLI_ALL_REDUCE,
  CLI_REDUCE_SCATTER,
  CLI_ALL_TO_ALL,
  CLI_COLLECTIVE_PERMUTE,
  CLI_COLLECTIVES,  // Of any kind.
  CLI_PEAK_HBM,     // Bytes of a chip.
  // Of a step, of the chip that sends most: over ICI, and to other slices.
  CLI_ICI_BYTES,
  CLI_LINK_BYTES,  // On the link that carries most.
  CLI_STEP,        // Picoseconds, as all below.
  CLI_IN_FLIGHT,   // Of all collectives, as if they came one after the other.
  CLI_EXPOSED,     // Of the slowest chip, waiting for links.
  CLI_MEASURE_COUNT,
} cli_measure_t;

typedef enum cli_unit_t { CLI_UNIT_NONE, CLI_UNIT_BYTES, CLI_UNIT_TIME } cli_unit_t;

typedef struct cli_measures_t {
  int64_t values[CLI_MEASURE_COUNT];  // -1: not known.
  const char *unknown;                // Why; NULL: all are known.
} cli_measures_t;

// "peak_hbm". A literal.
const char *cli_measure_name(cli_measure_t measure);
cli_unit_t cli_measure_unit(cli_measure_t measure);

// "12.5 GiB", "3 ms", "4" of a value; in the arena.
const char *cli_measure_text(pod_arena_t *arena, cli_measure_t measure, int64_t value);

typedef enum cli_relation_t {
  CLI_AT_MOST,
  CLI_BELOW,
  CLI_EQUAL,
  CLI_UNEQUAL,
  CLI_AT_LEAST,
  CLI_ABOVE,
} cli_relation_t;

enum { CLI_EXPECTATIONS_MAX = 64, CLI_EXPECTATION_BYTES = 64 };

typedef struct cli_expectation_t {
  cli_measure_t measure;
  cli_relation_t relation;
  int64_t value;
  char text[CLI_EXPECTATION_BYTES];  // As it was written, without spaces.
} cli_expectation_t;

typedef struct cli_expectations_t {
  int count;
  cli_expectation_t list[CLI_EXPECTATIONS_MAX];
} cli_expectations_t;

// Adds what `text` expects: measures with one of <=, <, ==, !=, >=, > and a number, with
// commas between. Bytes have a unit (B, KB, MB, GB, TB of 1000, KiB, MiB, GiB, TiB of
// 1024) or none, times have one (ps, ns, us, ms, s), counts are whole numbers. A measure
// may be expected to be several things. INVALID_ARGUMENT says which part is wrong, and
// then nothing is added.
POD_MUST_USE pod_status_t cli_expect_parse(const char *text,
                                           cli_expectations_t *expectations);

// Whether it holds; what is not known does not.
bool cli_expect_holds(const cli_expectation_t *expectation,
                      const cli_measures_t *measures);

// "is 3, 1 more": what there is, and how far that is from what is expected; in the arena.
const char *cli_expect_difference(pod_arena_t *arena,
                                  const cli_expectation_t *expectation,
                                  const cli_measures_t *measures);

#endif  // CLIENT_CLI_EXPECT_H_
