#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "common/base/check.h"

enum { CHIPS_MAX = 4096 };  // A number beyond is the coordinator's to refuse.

static int64_t times(int64_t chips, const char *number) {
  const long long count = strtoll(number, NULL, 10);
  return count < 1 || count > CHIPS_MAX / chips ? chips : chips * count;
}

// The cells of the grid that interpreter.run_parallel runs programs on; 0 without one.
static int64_t cells_of(const char *text) {
  const char *run = strstr(text, "interpreter.run_parallel");
  const char *programs = run == NULL ? NULL : strstr(run, "programs");
  const char *at = programs == NULL ? NULL : strchr(programs, '[');
  int64_t cells = 0;
  for (int depth = 0; at != NULL && *at != '\0'; at++) {
    depth += (*at == '[') - (*at == ']');
    cells += *at == '@';
    if (depth == 0) {
      break;
    }
  }
  return cells;
}

// What JAX writes at the head of a module.
static int64_t attributes_of(const char *text) {
  static const char *const keys[] = {"mhlo.num_partitions = ", "mhlo.num_replicas = "};
  int64_t chips = 1;
  for (size_t i = 0; i < POD_COUNT_OF(keys); i++) {
    const char *found = strstr(text, keys[i]);
    chips = found == NULL ? chips : times(chips, found + strlen(keys[i]));
  }
  return chips;
}

// The largest mesh: <["x"=2, "y"=4]> stands nowhere else.
static int64_t meshes_of(const char *text) {
  int64_t most = 1;
  for (const char *at = text; (at = strstr(at, "<[\"")) != NULL; at++) {
    int64_t chips = 1;
    for (const char *axis = at + 2; *axis == '"';) {
      const char *end = strchr(axis + 1, '"');
      if (end == NULL || end[1] != '=') {
        break;
      }
      chips = times(chips, end + 2);
      axis = end + 2 + strspn(end + 2, "0123456789");
      axis += strspn(axis, ", ");
    }
    most = chips > most ? chips : most;
  }
  return most;
}

int64_t cli_chips_for(const char *text) {
  const int64_t cells = cells_of(text);
  const int64_t head = attributes_of(text);
  if (cells > 0 || head > 1) {
    return cells > 0 ? cells : head;
  }
  return meshes_of(text);
}
