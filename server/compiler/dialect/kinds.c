// Names of operations by number, and back. The map of names is filled by the first who
// asks and only read from then on.

#include "server/compiler/dialect/kinds.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "common/base/map.h"

static const char *const names[KIND_COUNT] = {
#define KIND(id, name, syntax) [KIND_##id] = name,
#include "server/compiler/dialect/kinds.def"
};

static pod_map_t *kinds;
static pthread_once_t kinds_filled = PTHREAD_ONCE_INIT;

static void fill_kinds(void) {
  kinds = pod_map_create();
  for (int kind = CHIP_OP_INVALID + 1; kind < KIND_COUNT; kind++) {
    pod_map_put(kinds, compiler_kind_name(kind), (void *)(intptr_t)kind);
  }
}

int compiler_kind_find(const char *name) {
  pthread_once(&kinds_filled, fill_kinds);
  return (int)(intptr_t)pod_map_get(kinds, name);
}

const char *compiler_kind_name(int kind) {
  return kind >= CHIP_OP_COUNT && kind < KIND_COUNT ? names[kind]
                                                    : chip_op_name((chip_op_t)kind);
}

void compiler_set_kinds(mlir_module_t *module) {
  mlir_module_set_kinds(module, compiler_kind_find);
}

bool compiler_is_shardy(int kind) {
  return kind >= CHIP_OP_COUNT && kind < KIND_COUNT &&
         strncmp(names[kind], "sdy.", strlen("sdy.")) == 0;
}

bool compiler_may_have_shardy(const mlir_module_t *module) {
  bool may = mlir_may_have(module, "sdy.sharding");
  for (int kind = CHIP_OP_COUNT; kind < KIND_COUNT && !may; kind++) {
    may = compiler_is_shardy(kind) && mlir_may_have(module, names[kind]);
  }
  return may;
}
