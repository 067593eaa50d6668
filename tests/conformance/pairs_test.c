// Programs in two variants that must compute the same: one for one chip, and one with
// shardings and manual computations for four to twelve, both run in this process with the
// same random arguments.
//
// usage: pairs_test FOLDER
//
// FOLDER has files NAME.whole.mlir and NAME.sharded.mlir. Floats are between -1 and 1,
// integers below 16. Results may differ by the order of sums and what follows from it;
// where that is much, no more than the whole program's own do when its arguments change
// in the last place.

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/random.h"
#include "server/compiler/dialect/syntax.h"
#include "tests/conformance/same_values.h"
#include "tests/differential/device.h"
#include "tests/differential/mesh.h"
#include "tests/differential/reference_scalar.h"
#include "tests/file.h"

enum {
  CHIPS_MAX = 12,
  PATH_BYTES = 4096,
  VALUES_MAX = 256,
  UNITS = 4096,
  INTEGERS = 16,
  TIMES = 16
};

typedef struct pairs_t {
  device_t *one;
  mesh_device_t *several[CHIPS_MAX + 1];  // By number of chips, those that were needed.
  int cases, failures, ill_conditioned;
} pairs_t;

// What @main takes and returns.
typedef struct surface_t {
  int argument_count, result_count;
  reference_value_t arguments[VALUES_MAX], results[VALUES_MAX];
} surface_t;

static void fill(reference_value_t *value, pod_random_t *random) {
  const tensor_dtype_t dtype = value->shape.dtype;
  char *to = value->data;
  for (int64_t i = 0; i < value->count; i++, to += tensor_dtype_bytes(dtype)) {
    if (tensor_dtype_is_float(dtype)) {
      const double unit = (double)pod_random_below(random, 1 << 20) / (1 << 20);
      tensor_element_from_double(dtype, 2 * unit - 1, to);
    } else {
      tensor_element_from_int64(dtype, (int64_t)pod_random_below(random, INTEGERS), to);
    }
  }
}

static void make_surface(mlir_module_t *module, pod_arena_t *arena, uint64_t seed,
                         surface_t *out) {
  const mlir_block_t *block = mlir_op_block(mlir_module_find_symbol(module, "main"), 0);
  pod_random_t random = {.state = seed};
  out->argument_count = block->argument_count;
  out->result_count = block->last->operand_count;
  POD_CHECK(out->argument_count <= VALUES_MAX && out->result_count <= VALUES_MAX);
  for (int i = 0; i < out->argument_count; i++) {
    out->arguments[i] = reference_make(arena, &block->arguments[i]->type->shape);
    fill(&out->arguments[i], &random);
  }
  for (int i = 0; i < out->result_count; i++) {
    out->results[i].shape = block->last->operands[i]->type->shape;
  }
}

// How many chips the text's mesh has: the product of what stands behind its equal signs.
static int64_t chips_of(const char *text) {
  const char *at = strstr(text, "sdy.mesh @");
  const char *end = at != NULL ? strchr(at, '\n') : NULL;
  int64_t count = 1;
  for (; at != NULL && at < end; at++) {
    if (at[0] == '"' && at[1] == '=') {
      count *= strtoll(at + 2, NULL, 10);
    }
  }
  return count;
}

static pod_status_t run_pair(pairs_t *pairs, const char *whole, const char *sharded,
                             pod_arena_t *arena, surface_t *surface,
                             reference_value_t *found) {
  POD_TRY(device_run(pairs->one, whole, (int64_t)strlen(whole), arena,
                     surface->argument_count, surface->arguments, surface->result_count,
                     surface->results));
  const int64_t chips = chips_of(sharded);
  POD_CHECK(chips <= CHIPS_MAX);
  if (pairs->several[chips] == NULL) {
    pairs->several[chips] = mesh_device_create((int32_t)chips);
  }
  return mesh_device_run(pairs->several[chips], sharded, (int64_t)strlen(sharded), arena,
                         surface->argument_count, surface->arguments,
                         surface->result_count, found);
}

static void report(pairs_t *pairs, const char *name, const char *message) {
  pairs->failures++;
  fprintf(stderr, "%s: %s\n", name, message);
}

// Changes every float by a unit of its last place, up or down.
static void nudge(surface_t *surface) {
  for (int i = 0; i < surface->argument_count; i++) {
    reference_value_t *value = &surface->arguments[i];
    float *data = (float *)(void *)value->data;
    for (int64_t j = 0; value->shape.dtype == TENSOR_F32 && j < value->count; j++) {
      data[j] = nextafterf(data[j], j % 2 == 0 ? 2.0F : -2.0F);
    }
  }
}

// Infinite where only one is a NaN.
static double distance(const reference_value_t *a, const reference_value_t *b) {
  double largest = 0;
  for (int64_t i = 0; i < a->count; i++) {
    const double x = reference_load(a, i).real, y = reference_load(b, i).real;
    largest = isnan(x) != isnan(y) ? INFINITY : fmax(largest, fabs(x - y));
  }
  return largest;
}

// Whether a result moves as far by itself; the arguments stay nudged.
static bool is_ill_conditioned(pairs_t *pairs, const char *whole, pod_arena_t *arena,
                               surface_t *surface, const reference_value_t *found,
                               int result) {
  reference_value_t *nudged = pod_arena_array(arena, VALUES_MAX, sizeof(*nudged));
  memcpy(nudged, surface->results, sizeof(surface->results));
  nudge(surface);
  pod_status_t status = device_run(pairs->one, whole, (int64_t)strlen(whole), arena,
                                   surface->argument_count, surface->arguments,
                                   surface->result_count, nudged);
  const double moved = distance(&surface->results[result], &nudged[result]);
  const bool is_ill =
      status == NULL && isfinite(moved) &&
      distance(&surface->results[result], &found[result]) <= TIMES * moved;
  pod_status_free(status);
  return is_ill;
}

static void compare(pairs_t *pairs, const char *name, const char *whole,
                    pod_arena_t *arena, surface_t *surface,
                    const reference_value_t *found) {
  for (int i = 0; i < surface->result_count; i++) {
    const int64_t at = same_values(&surface->results[i], &found[i], UNITS);
    if (at < 0) {
      continue;
    }
    if (is_ill_conditioned(pairs, whole, arena, surface, found, i)) {
      pairs->ill_conditioned++;
    } else {
      char message[128];
      snprintf(message, sizeof(message), "result %d, element %lld: %.9g, not %.9g", i,
               (long long)at, reference_load(&found[i], at).real,
               reference_load(&surface->results[i], at).real);
      report(pairs, name, message);
    }
    return;
  }
}

static void try_pair(pairs_t *pairs, const char *folder, const char *name) {
  char path[PATH_BYTES];
  snprintf(path, sizeof(path), "%s/%s.whole.mlir", folder, name);
  char *whole = read_text(path);
  snprintf(path, sizeof(path), "%s/%s.sharded.mlir", folder, name);
  char *sharded = read_text(path);
  pod_arena_t *arena = pod_arena_create();
  surface_t *surface = pod_arena_array(arena, 1, sizeof(*surface));
  reference_value_t *found = pod_arena_array(arena, VALUES_MAX, sizeof(*found));
  mlir_module_t *module = NULL;
  pod_status_t status = compiler_parse(path, whole, (int64_t)strlen(whole), &module);
  pairs->cases++;
  if (status == NULL) {
    make_surface(module, arena, (uint64_t)pairs->cases, surface);
    memcpy(found, surface->results, sizeof(surface->results));
    status = run_pair(pairs, whole, sharded, arena, surface, found);
  }
  if (status != NULL) {
    report(pairs, name, pod_status_message(status));
    pod_status_free(status);
  } else {
    compare(pairs, name, whole, arena, surface, found);
  }
  mlir_module_destroy(module);
  pod_arena_destroy(arena);
  free(whole);
  free(sharded);
}

static int is_whole(const struct dirent *entry) {
  return strstr(entry->d_name, ".whole.mlir") != NULL;
}

static void try_folder(pairs_t *pairs, const char *folder) {
  struct dirent **entries = NULL;
  const int count = scandir(folder, &entries, is_whole, alphasort);
  for (int i = 0; i < count; i++) {
    *strstr(entries[i]->d_name, ".whole.mlir") = '\0';
    try_pair(pairs, folder, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: pairs_test FOLDER\n");
    return EXIT_FAILURE;
  }
  pod_log_init("pairs", POD_LOG_ERROR);
  pairs_t pairs = {.one = device_create()};
  try_folder(&pairs, argv[1]);
  int64_t sent_bytes = 0;
  for (int i = 0; i <= CHIPS_MAX; i++) {
    sent_bytes += pairs.several[i] == NULL ? 0 : mesh_device_bytes_sent(pairs.several[i]);
    mesh_device_destroy(pairs.several[i]);
  }
  printf("%d pairs, %d failures, %d ill-conditioned, %lld bytes between chips\n",
         pairs.cases, pairs.failures, pairs.ill_conditioned, (long long)sent_bytes);
  device_destroy(pairs.one);
  return pairs.failures > 0 || sent_bytes == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
