// The memories that a program may name, as PJRT does: mhlo.memory_kind of arguments and
// results, and _xla_buffer_placement of annotate_device_placement.
//
// Threading: pure.

#ifndef SERVER_COMPILER_DIALECT_MEMORY_KIND_H_
#define SERVER_COMPILER_DIALECT_MEMORY_KIND_H_

#include <stdbool.h>

// For errors that say which there are.
#define COMPILER_MEMORY_KINDS "device, pinned_host and unpinned_host"

bool compiler_is_memory_kind(const char *kind);

// Whether it is one of the host's memory.
bool compiler_is_host_kind(const char *kind);

#endif  // SERVER_COMPILER_DIALECT_MEMORY_KIND_H_
