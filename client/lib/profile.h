// Puts a profile together from the parts in which it comes.
//
// Threading: one thread at a time. Ownership: the profile lives in the builder's arena.

#ifndef CLIENT_LIB_PROFILE_H_
#define CLIENT_LIB_PROFILE_H_

#include <stdbool.h>

#include "client/lib/podium.h"
#include "common/base/arena.h"
#include "common/base/status.h"
#include "proto/podium/v1/profile.pb-c.h"

// A list that grows in an arena.
typedef struct lib_list_t {
  void *items;
  int count, capacity;
} lib_list_t;

typedef struct lib_class_t {
  podium_chip_class_t info;
  bool is_there;
  lib_list_t totals, events, messages;
} lib_class_t;

typedef struct lib_host_t {
  podium_host_profile_t info;
  lib_list_t totals, events;
} lib_host_t;

typedef struct lib_profile_builder_t {
  pod_arena_t *arena;
  bool has_header;
  podium_profile_t profile;
  podium_task_t *tasks;
  int tasks_there;
  lib_class_t *classes;  // By index.
  lib_host_t **hosts;    // By chip; NULL: nothing was measured.
} lib_profile_builder_t;

// INTERNAL when the part is of no profile: indexes out of range, a header missing.
POD_MUST_USE pod_status_t lib_profile_add(lib_profile_builder_t *builder,
                                          const Podium__V1__ProfilePart *part);

// All has come. The profile is in the arena. INTERNAL when something is missing.
POD_MUST_USE pod_status_t lib_profile_finish(lib_profile_builder_t *builder,
                                             podium_profile_t **out_profile);

// The same, for podium_profile_free, which ends the arena too.
POD_MUST_USE pod_status_t lib_profile_give(lib_profile_builder_t *builder,
                                           podium_profile_t **out_profile);

// As podium_profile, in the parts in which it comes: `part` is told the bytes of each
// podium.v1.ProfilePart, on the library's thread.
POD_MUST_USE podium_status_t *lib_profile_parts(
    podium_execution_t *execution, const podium_profile_options_t *options,
    void (*part)(void *context, const void *packed, size_t size_bytes), void *context);

#endif  // CLIENT_LIB_PROFILE_H_
