// Shardings as HLO writes them: the devices of each tile in row-major order of the tiles,
// and, when a tile is on several, last dimensions for them: first those that hold the
// same, then those whose sum the tile is.

#include "client/pjrt/hlo_sharding.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "proto/xla/sharding.pb-c.h"

// How many parts each dimension is cut into; the last ones may be padding, so that sizes
// do not say it.
static void count_parts(const podium_signature_t *signature, int64_t device_count,
                        int64_t *out_counts) {
  for (int dim = 0; dim < signature->shape.rank; dim++) {
    out_counts[dim] = 1;
  }
  for (int64_t device = 0; device < device_count; device++) {
    int64_t parts[PODIUM_RANK_MAX];
    podium_signature_part(signature, device, parts);
    for (int dim = 0; dim < signature->shape.rank; dim++) {
      out_counts[dim] =
          parts[dim] + 1 > out_counts[dim] ? parts[dim] + 1 : out_counts[dim];
    }
  }
}

// The tile that the device holds, counted row-major.
static int64_t tile_of(const podium_signature_t *signature, const int64_t *counts,
                       int64_t device) {
  int64_t parts[PODIUM_RANK_MAX];
  int64_t tile = 0;
  podium_signature_part(signature, device, parts);
  for (int dim = 0; dim < signature->shape.rank; dim++) {
    tile = tile * counts[dim] + parts[dim];
  }
  return tile;
}

// Of the devices that hold the same, those of lower numbers come first.
static void place_devices(const podium_signature_t *signature, hlo_sharding_t *sharding) {
  const int64_t count = sharding->device_count, summands = sharding->summands;
  sharding->devices = pod_alloc((size_t)count * sizeof(*sharding->devices));
  int64_t *taken = pod_alloc((size_t)count * sizeof(*taken));
  for (int64_t device = 0; device < count; device++) {
    int64_t unused;
    const int64_t tile = tile_of(signature, sharding->dims, device);
    const int64_t summand = podium_signature_summand(signature, device, &unused);
    const int64_t held = tile * summands + summand;
    if (held >= 0 && held < count && taken[held] < sharding->copies) {
      const int64_t copy = taken[held]++;
      sharding->devices[(tile * sharding->copies + copy) * summands + summand] = device;
    }
  }
  free(taken);
}

hlo_sharding_t hlo_sharding_of(const podium_signature_t *signature,
                               int64_t device_count) {
  hlo_sharding_t sharding = {.device_count = device_count};
  int64_t tile_count = 1;
  count_parts(signature, device_count, sharding.dims);
  sharding.dim_count = signature->shape.rank;
  for (int dim = 0; dim < signature->shape.rank; dim++) {
    tile_count *= sharding.dims[dim];
  }
  (void)podium_signature_summand(signature, 0, &sharding.summands);
  sharding.copies = device_count / (tile_count * sharding.summands);
  if (tile_count == 1 && sharding.summands == 1) {
    return sharding;
  }
  if (sharding.copies > 1) {
    sharding.dims[sharding.dim_count++] = sharding.copies;
  }
  if (sharding.summands > 1) {
    sharding.dims[sharding.dim_count++] = sharding.summands;
  }
  place_devices(signature, &sharding);
  return sharding;
}

void hlo_sharding_deinit(hlo_sharding_t *sharding) {
  free(sharding->devices);
  sharding->devices = NULL;
}

static void add_list(pod_text_t *text, int64_t count, const int64_t *numbers) {
  for (int64_t i = 0; i < count; i++) {
    pod_text_printf(text, "%s%lld", i == 0 ? "" : ",", (long long)numbers[i]);
  }
}

void hlo_sharding_print(pod_text_t *text, const hlo_sharding_t *sharding) {
  if (sharding->devices == NULL) {
    pod_text_add(text, "{replicated}");
    return;
  }
  pod_text_add(text, "{devices=[");
  add_list(text, sharding->dim_count, sharding->dims);
  pod_text_add(text, "]");
  add_list(text, sharding->device_count, sharding->devices);
  const bool is_copied = sharding->copies > 1;
  if (sharding->summands > 1) {
    pod_text_printf(text, " last_tile_dims={%sunreduced}}",
                    is_copied ? "replicated, " : "");
  } else {
    pod_text_add(text, is_copied ? " last_tile_dim_replicate}" : "}");
  }
}

void *hlo_sharding_pack(const hlo_sharding_t *sharding, size_t *out_size) {
  Xla__OpSharding message = XLA__OP_SHARDING__INIT;
  Xla__OpSharding__Type last[2];
  message.type = XLA__OP_SHARDING__TYPE__REPLICATED;
  if (sharding->devices != NULL) {
    message.type = XLA__OP_SHARDING__TYPE__OTHER;
    message.n_tile_assignment_dimensions = (size_t)sharding->dim_count;
    message.tile_assignment_dimensions = (int64_t *)(uintptr_t)sharding->dims;
    message.n_tile_assignment_devices = (size_t)sharding->device_count;
    message.tile_assignment_devices = sharding->devices;
    message.replicate_on_last_tile_dim = sharding->copies > 1 && sharding->summands == 1;
    message.last_tile_dims = last;
    if (sharding->summands > 1) {
      last[message.n_last_tile_dims] = XLA__OP_SHARDING__TYPE__REPLICATED;
      message.n_last_tile_dims += sharding->copies > 1;
      last[message.n_last_tile_dims++] = XLA__OP_SHARDING__TYPE__UNREDUCED;
    }
  }
  *out_size = xla__op_sharding__get_packed_size(&message);
  uint8_t *bytes = pod_alloc(*out_size + 1);
  xla__op_sharding__pack(&message, bytes);
  return bytes;
}
