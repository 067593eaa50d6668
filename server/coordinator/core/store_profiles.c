// Profiles of executions: their parts as the workers sent them, and which way the loops
// of every chip went. A session keeps its last ones.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "server/coordinator/core/store.h"

store_profile_t *store_profile_create(compiled_t *compiled, int32_t chip_count,
                                      const int32_t *chips) {
  store_profile_t *profile = pod_alloc(sizeof(*profile));
  *profile = (store_profile_t){.use_count = 1, .compiled = compiled_use(compiled)};
  for (int32_t i = 0; i < chip_count; i++) {
    profile->chip_limit =
        chips[i] >= profile->chip_limit ? chips[i] + 1 : profile->chip_limit;
  }
  profile->traces = pod_alloc((size_t)profile->chip_limit * sizeof(*profile->traces));
  for (int32_t i = 0; i < chip_count && compiled != NULL; i++) {
    chip_trace_t *trace = pod_alloc(sizeof(*trace));
    chip_trace_init(trace, compiled->result->program);
    profile->traces[chips[i]] = trace;
  }
  return profile;
}

void store_profile_use(store_profile_t *profile) {
  profile->use_count++;
}

static void free_trace(chip_trace_t *trace) {
  if (trace != NULL) {
    chip_trace_deinit(trace);
    free(trace);
  }
}

// Whether a chip before this one has the very same.
static bool is_shared(const store_profile_t *profile, int32_t chip) {
  for (int32_t other = 0; other < chip; other++) {
    if (profile->traces[other] == profile->traces[chip]) {
      return true;
    }
  }
  return false;
}

void store_profile_unuse(store_profile_t *profile) {
  if (profile == NULL || --profile->use_count > 0) {
    return;
  }
  for (int32_t chip = profile->chip_limit - 1; chip >= 0; chip--) {
    if (!is_shared(profile, chip)) {
      free_trace(profile->traces[chip]);
    }
  }
  free(profile->traces);
  for (int32_t i = 0; i < profile->parts.count; i++) {
    free(profile->parts.items[i].data);
  }
  pod_list_deinit(&profile->parts);
  pod_status_free(profile->trace_status);
  compiled_unuse(profile->compiled);
  free(profile);
}

void store_profile_add_part(store_profile_t *profile, uint8_t *data, size_t size_bytes) {
  *pod_list_add(&profile->parts) =
      (store_bytes_t){.data = data, .size_bytes = size_bytes};
}

chip_trace_t *store_profile_trace(store_profile_t *profile, int32_t chip) {
  return chip >= 0 && chip < profile->chip_limit ? profile->traces[chip] : NULL;
}

void store_profile_share_traces(store_profile_t *profile) {
  for (int32_t chip = 1; chip < profile->chip_limit; chip++) {
    for (int32_t other = 0; other < chip; other++) {
      if (profile->traces[chip] != NULL && profile->traces[other] != NULL &&
          chip_trace_equal(profile->traces[chip], profile->traces[other])) {
        free_trace(profile->traces[chip]);
        profile->traces[chip] = profile->traces[other];
        break;
      }
    }
  }
}

void store_keep_profile(store_session_t *session, uint64_t execution,
                        store_profile_t *profile) {
  store_profile_t **place = &session->profiles[session->profile_next];
  session->profiled[session->profile_next] = execution;
  session->profile_next = (session->profile_next + 1) % STORE_PROFILES_KEPT;
  store_profile_unuse(*place);
  store_profile_use(profile);
  *place = profile;
}

pod_status_t store_find_profile(const store_session_t *session, uint64_t execution,
                                store_profile_t **out_profile) {
  for (int i = 0; i < STORE_PROFILES_KEPT; i++) {
    if (session->profiles[i] != NULL && session->profiled[i] == execution) {
      *out_profile = session->profiles[i];
      return NULL;
    }
  }
  return pod_error(POD_NOT_FOUND,
                   "session %" PRIu64 " has no profile of execution %" PRIu64
                   ": only those of its last %d executions are kept",
                   session->id, execution, STORE_PROFILES_KEPT);
}
