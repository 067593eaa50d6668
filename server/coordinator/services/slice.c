// FindSlice: where a program that is smaller than the pod may run at once. What jobs have
// is theirs; sessions share their chips by turns, so that of what jobs leave the box is
// taken on which nothing runs, if there is one.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/core/slices.h"
#include "server/coordinator/jobs.h"
#include "server/coordinator/services/execution.h"
#include "server/coordinator/services/request.h"

typedef struct finder_t {
  const coordinator_t *coordinator;
  const torus_t *torus;
  slice_wish_t wish;
  bool *is_taken, *is_lost;  // By chip.
  uint16_t *links_down;
  bool is_shared;
  torus_slice_t slice;
} finder_t;

static void mark_executions(finder_t *finder) {
  for (const execution_t *at = finder->coordinator->first_running; at != NULL;
       at = at->next) {
    for (int32_t i = 0; i < at->executable->chip_count; i++) {
      finder->is_taken[at->executable->chips[i]] = true;
    }
  }
}

static void look_at_pod(finder_t *finder) {
  const places_t *places = registry_places(finder->coordinator->registry);
  for (int32_t chip = 0; chip < places->count; chip++) {
    finder->is_lost[chip] = !places_is_serving(places, chip);
    finder->links_down[chip] = places_links_down(places, chip);
  }
}

static bool find(finder_t *finder, const slices_missing_t *missing) {
  return slices_find(finder->torus, finder->is_taken, missing, &finder->wish,
                     &finder->slice);
}

static pod_status_t refuse(const finder_t *finder, bool is_missing, const char *size) {
  return is_missing
             ? pod_error(POD_UNAVAILABLE,
                         "there is no slice of %s without missing chips and links: wait "
                         "until the pod is ready (`podium status`)",
                         size)
             : pod_error(POD_RESOURCE_EXHAUSTED,
                         "jobs have so many of the %" PRId32
                         " chips that no slice of %s is left: `podium submit` waits for "
                         "one",
                         torus_chip_count(finder->torus), size);
}

static pod_status_t find_any(finder_t *finder, const char *size, bool of_empty_pod) {
  if (of_empty_pod) {
    return find(finder, NULL) ? NULL : refuse(finder, false, size);
  }
  look_at_pod(finder);
  const slices_missing_t missing = {.chips = finder->is_lost,
                                    .links = finder->links_down};
  jobs_mark_chips(finder->coordinator->jobs, finder->is_taken);
  mark_executions(finder);
  if (find(finder, &missing)) {
    return NULL;
  }
  finder->is_shared = true;
  const size_t count = (size_t)torus_chip_count(finder->torus);
  memset(finder->is_taken, 0, count);
  jobs_mark_chips(finder->coordinator->jobs, finder->is_taken);
  if (find(finder, &missing)) {
    return NULL;
  }
  memset(finder->is_taken, 0, count);
  return refuse(finder, !find(finder, &missing), size);
}

static void reply(request_t *request, const finder_t *finder) {
  Podium__V1__FindSliceResponse response = PODIUM__V1__FIND_SLICE_RESPONSE__INIT;
  pod_text_t size = {0};
  torus_slice_print_size(&size, finder->slice.size);
  response.size = size.bytes;
  response.n_origin = TORUS_DIMENSIONS;
  response.origin = (int32_t *)(uintptr_t)finder->slice.origin;
  response.n_chips = (size_t)torus_slice_count(&finder->slice);
  response.chips = pod_alloc(response.n_chips * sizeof(*response.chips));
  torus_slice_chips(finder->torus, &finder->slice, response.chips);
  response.shared = finder->is_shared;
  request_reply(request, &response.base);
  free(response.chips);
  pod_text_deinit(&size);
}

static void on_find(request_t *request, const void *message) {
  const Podium__V1__FindSliceRequest *wanted = message;
  const torus_t *torus = &request->coordinator->options.torus;
  const size_t count = (size_t)torus_chip_count(torus);
  finder_t finder = {.coordinator = request->coordinator,
                     .torus = torus,
                     .is_taken = pod_alloc(count),
                     .is_lost = pod_alloc(count),
                     .links_down = pod_alloc(count * sizeof(uint16_t))};
  pod_status_t status =
      *wanted->size == '\0'
          ? pod_error(POD_INVALID_ARGUMENT, "a slice is a size as 2x2 or 2x2x4, not \"\"")
          : slices_wish(torus, wanted->size, 0, &finder.wish);
  if (status == NULL) {
    status = find_any(&finder, wanted->size, wanted->of_empty_pod);
  }
  if (status == NULL) {
    reply(request, &finder);
  }
  free(finder.is_taken);
  free(finder.is_lost);
  free(finder.links_down);
  request_end_unary(request, status);
}

static const request_kind_t kind = REQUEST_UNARY("FindSlice", on_find);

static pod_status_t start(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&kind, client, service, out_context);
}

rpc_method_t slice_method(void) {
  rpc_method_t method = request_method_of_one(
      "/podium.v1.Podium/FindSlice", &podium__v1__find_slice_request__descriptor,
      &podium__v1__find_slice_response__descriptor, start);
  method.message_bytes_max = REQUEST_SMALL_BYTES_MAX;
  return method;
}
