// How many chips a program needs, from its text alone, before there is a pod: the
// largest mesh that a sharding or manual computation refers to, or the partitions in the
// module's head, or the cells of interpreter.run_parallel. A scan for words; the
// compiler judges.

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "common/base/check.h"
#include "common/mlir/bytecode.h"

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

// The devices of the mesh whose axes stand at `at`: ["x"=2, "y"=4]
static int64_t devices_of(const char *at) {
  int64_t chips = 1;
  for (const char *axis = at + 1; *axis == '"';) {
    const char *end = strchr(axis + 1, '"');
    if (end == NULL || end[1] != '=') {
      break;
    }
    chips = times(chips, end + 2);
    axis = end + 2 + strspn(end + 2, "0123456789");
    axis += strspn(axis, ", ");
  }
  return chips;
}

static bool is_name(char c) {
  return c != '\0' && (isalnum((unsigned char)c) || strchr("_.$-", c) != NULL);
}

// The name of the mesh that is declared with axes at `axes`: before them in
// `sdy.mesh @mesh = <[…`, behind them in `{mesh = #sdy.mesh<[…]>, sym_name = "mesh"}`.
// NULL for a mesh that a sharding has written out.
static const char *name_of(const char *text, const char *axes, size_t *out_length) {
  static const char *const generic = "sdy.mesh", *const symbol = "sym_name = \"";
  const size_t before = (size_t)(axes - text) - 1;
  const char *name = NULL;
  if (before > 2 && strncmp(axes - 3, "= <", 3) == 0) {
    const char *end = axes - 3;
    while (end > text && end[-1] == ' ') {
      end--;
    }
    for (name = end; name > text && is_name(name[-1]);) {
      name--;
    }
    *out_length = (size_t)(end - name);
  } else if (before >= strlen(generic) &&
             strncmp(axes - 1 - strlen(generic), generic, strlen(generic)) == 0) {
    const char *line_end = axes + strcspn(axes, "\n");
    name = strstr(axes, symbol);
    name = name != NULL && name < line_end ? name + strlen(symbol) : "";
    *out_length = strcspn(name, "\"");
  }
  return name;
}

// Whether @name stands anywhere but where the mesh is declared.
static bool is_used(const char *text, const char *name, size_t length) {
  for (const char *at = text; (at = strchr(at, '@')) != NULL; at++) {
    if (at + 1 != name && strncmp(at + 1, name, length) == 0 &&
        !is_name(at[1 + length])) {
      return true;
    }
  }
  return false;
}

// The largest mesh that shardings are over: <["x"=2, "y"=4]> stands nowhere but in
// meshes.
static int64_t meshes_of(const char *text) {
  int64_t most = 1;
  for (const char *at = text; (at = strstr(at, "<[\"")) != NULL; at++) {
    size_t length = 0;
    const char *name = name_of(text, at + 1, &length);
    const int64_t chips = devices_of(at + 1);
    if (chips > most && (name == NULL || is_used(text, name, length))) {
      most = chips;
    }
  }
  return most;
}

// The attributes at the head of a module in bytecode; JAX writes them always.
static int64_t chips_of_bytecode(const char *bytes, size_t length) {
  static const char *const names[] = {"mhlo.num_partitions", "mhlo.num_replicas"};
  mlir_module_t *module = NULL;
  const pod_status_t status =
      mlir_read_bytecode_head("", bytes, (int64_t)length, &module);
  int64_t chips = 1;
  for (size_t i = 0; status == NULL && i < POD_COUNT_OF(names); i++) {
    const mlir_attr_t *count = mlir_op_attr(module->op, names[i]);
    if (mlir_attr_is(count, MLIR_ATTR_INTEGER) && count->integer >= 1 &&
        count->integer <= CHIPS_MAX / chips) {
      chips *= count->integer;
    }
  }
  pod_status_free(status);
  mlir_module_destroy(module);
  return chips;
}

int64_t cli_chips_of(const char *text, size_t length) {
  return mlir_is_bytecode(text, (int64_t)length) ? chips_of_bytecode(text, length)
                                                 : cli_chips_for(text);
}

int64_t cli_chips_for(const char *text) {
  const int64_t cells = cells_of(text);
  const int64_t head = attributes_of(text);
  if (cells > 0 || head > 1) {
    return cells > 0 ? cells : head;
  }
  return meshes_of(text);
}
