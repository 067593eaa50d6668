#include "server/compiler/dialect/memory_kind.h"

#include <string.h>

bool compiler_is_host_kind(const char *kind) {
  return strcmp(kind, "pinned_host") == 0 || strcmp(kind, "unpinned_host") == 0;
}

bool compiler_is_memory_kind(const char *kind) {
  return strcmp(kind, "device") == 0 || compiler_is_host_kind(kind);
}
