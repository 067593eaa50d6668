// How jobs are compiled: from the header to the job, and from there to the compiler.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/coordinator/services/jobs_private.h"

static char *borrow(const char *text) {
  return (char *)(uintptr_t)text;
}

// Borrowed from the messages.
static job_sharding_t *borrow_list(size_t count,
                                   Podium__V1__GivenSharding *const *messages) {
  job_sharding_t *list = pod_alloc((count + 1) * sizeof(*list));
  for (size_t i = 0; i < count; i++) {
    list[i] = (job_sharding_t){messages[i]->name, messages[i]->spec};
  }
  return list;
}

// Every place of the slice once: what of them the slice has not is told here, as the
// compiler would tell it of chips that nobody has named.
static pod_status_t check_order(const int64_t *order, size_t count) {
  bool *is_used = pod_alloc(count + 1);
  pod_status_t status = NULL;
  for (size_t i = 0; i < count && status == NULL; i++) {
    if (order[i] < 0 || order[i] >= (int64_t)count) {
      status = pod_error(POD_INVALID_ARGUMENT,
                         "place %" PRId64
                         ": an order of %zu chips names the places 0 to %zu of the slice",
                         order[i], count, count - 1);
    } else if (is_used[order[i]]) {
      status = pod_error(POD_INVALID_ARGUMENT, "place %" PRId64 " stands in it twice",
                         order[i]);
    } else {
      is_used[order[i]] = true;
    }
  }
  free(is_used);
  return pod_status_context(status, "--device-order");
}

pod_status_t jobs_read_options(const Podium__V1__JobHeader *header,
                               job_options_t *out_options) {
  const size_t most = JOB_OPTIONS_BYTES_MAX;  // A sharding, and a place, is a byte.
  if (header->n_in_shardings > most || header->n_out_shardings > most ||
      header->n_device_order > most) {
    return pod_error(POD_INVALID_ARGUMENT, "more compile options than %zu bytes", most);
  }
  job_options_t options = {
      .algorithms = borrow(header->algorithms),
      .collectives = borrow(header->collectives),
      .mesh = borrow(header->mesh),
      .propagation = borrow(header->propagation),
      .donate = borrow(header->donate),
      .in_count = header->n_in_shardings,
      .in_shardings = borrow_list(header->n_in_shardings, header->in_shardings),
      .out_count = header->n_out_shardings,
      .out_shardings = borrow_list(header->n_out_shardings, header->out_shardings),
      .order_count = header->n_device_order,
      .order = header->device_order};
  pod_status_t status = job_options_check(&options);
  if (status == NULL) {
    status = check_order(options.order, options.order_count);
  }
  if (status == NULL) {
    job_options_deinit(out_options);
    job_options_copy(&options, out_options);
  }
  free(options.in_shardings);
  free(options.out_shardings);
  return status;
}

static const compiler_given_spec_t *given_list(pod_arena_t *arena,
                                               const job_sharding_t *from, size_t count) {
  compiler_given_spec_t *list = pod_arena_array(arena, count + 1, sizeof(*list));
  for (size_t i = 0; i < count; i++) {
    list[i].name = from[i].name;
    list[i].spec = from[i].spec;
  }
  return list;
}

void jobs_compile_with(pod_arena_t *arena, const job_options_t *options,
                       compile_key_t *key) {
  key->algorithms = options->algorithms;
  key->collectives = options->collectives;
  key->propagation = options->propagation;
  key->given.mesh = options->mesh;
  key->given.donated = options->donate;
  key->given.argument_count = (int64_t)options->in_count;
  key->given.arguments = given_list(arena, options->in_shardings, options->in_count);
  key->given.result_count = (int64_t)options->out_count;
  key->given.results = given_list(arena, options->out_shardings, options->out_count);
}

void jobs_order_chips(const job_options_t *options, int64_t *chips, size_t count) {
  if (options->order_count != count || count == 0) {
    return;
  }
  int64_t *box = pod_alloc(count * sizeof(*box));
  memcpy(box, chips, count * sizeof(*box));
  for (size_t i = 0; i < count; i++) {
    chips[i] = box[options->order[i]];
  }
  free(box);
}
