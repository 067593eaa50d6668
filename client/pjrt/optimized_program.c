// The partitioned program as a module that XLA's importer reads: JAX asks an executable
// for it, to show it and to learn how arguments and results are sharded.
//
// The text is libpodium's, with two attributes more on the module
// (mhlo.spmd_parameters_shardings, mhlo.spmd_output_sharding) and without those of
// dialect "podium", which no one else knows. Shardings are written as HLO does: the
// devices of each tile in row-major order of the tiles, and, when a tile is on several, a
// last dimension for them.

#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"
#include "common/base/memory.h"
#include "common/base/text.h"

// How many parts dimension `dim` is cut into.
static int64_t parts_of(const podium_signature_t *signature, int dim) {
  const int64_t local = signature->local_shape.dims[dim];
  return local == 0 ? 1 : signature->shape.dims[dim] / local;
}

// The tile that the device holds, counted row-major.
static int64_t tile_of(const podium_signature_t *signature, int64_t device) {
  int64_t parts[PODIUM_RANK_MAX];
  int64_t tile = 0;
  podium_signature_part(signature, device, parts);
  for (int dim = 0; dim < signature->shape.rank; dim++) {
    tile = tile * parts_of(signature, dim) + parts[dim];
  }
  return tile;
}

static void add_devices(pod_text_t *text, const podium_signature_t *signature,
                        int64_t device_count, int64_t tile_count) {
  const char *comma = "";
  for (int64_t tile = 0; tile < tile_count; tile++) {
    for (int64_t device = 0; device < device_count; device++) {
      if (tile_of(signature, device) == tile) {
        pod_text_printf(text, "%s%lld", comma, (long long)device);
        comma = ",";
      }
    }
  }
}

static void add_sharding(pod_text_t *text, const podium_signature_t *signature,
                         int64_t device_count) {
  int64_t tile_count = 1;
  for (int dim = 0; dim < signature->shape.rank; dim++) {
    tile_count *= parts_of(signature, dim);
  }
  if (tile_count == 1) {
    pod_text_add(text, "{replicated}");
    return;
  }
  pod_text_add(text, "{devices=[");
  for (int dim = 0; dim < signature->shape.rank; dim++) {
    pod_text_printf(text, "%s%lld", dim == 0 ? "" : ",",
                    (long long)parts_of(signature, dim));
  }
  const int64_t copies = device_count / tile_count;
  if (copies > 1) {
    pod_text_printf(text, ",%lld", (long long)copies);
  }
  pod_text_add(text, "]");
  add_devices(text, signature, device_count, tile_count);
  pod_text_add(text, copies > 1 ? " last_tile_dim_replicate}" : "}");
}

static void add_attributes(pod_text_t *text, const podium_program_info_t *info,
                           int64_t device_count) {
  pod_text_add(text, "mhlo.spmd_parameters_shardings = [");
  for (int i = 0; i < info->argument_count; i++) {
    pod_text_add(text, i == 0 ? "\"" : ", \"");
    add_sharding(text, &info->arguments[i], device_count);
    pod_text_add(text, "\"");
  }
  pod_text_add(text, "], mhlo.spmd_output_sharding = \"");
  const bool is_tuple = info->result_count != 1;
  pod_text_add(text, is_tuple ? "{" : "");
  for (int i = 0; i < info->result_count; i++) {
    pod_text_add(text, i == 0 ? "" : ", ");
    add_sharding(text, &info->results[i], device_count);
  }
  pod_text_add(text, is_tuple ? "}\"" : "\"");
}

// Without ` {podium.NAME = …}` and `, podium.NAME = "…"`.
static void add_without_ours(pod_text_t *text, const char *from) {
  static const char ours[] = " {podium.";
  for (const char *at; (at = strstr(from, ours)) != NULL;) {
    const char *end = strchr(at, '}');
    pod_text_add_bytes(text, from, (size_t)(at - from));
    from = end == NULL ? at + strlen(at) : end + 1;
  }
  pod_text_add(text, from);
}

char *pjrt_optimized_program(const podium_program_info_t *info, int64_t device_count) {
  static const char attributes[] = "attributes {";
  pod_text_t text = {0};
  const char *module = info->partitioned_text;
  const char *line_end = module + strcspn(module, "\n");
  const char *at = strstr(module, attributes);
  const bool has_attributes = at != NULL && at < line_end;
  const char *split = has_attributes ? at + strlen(attributes) : strchr(module, '{');
  if (split == NULL) {
    return pod_strdup(module);
  }
  pod_text_add_bytes(&text, module, (size_t)(split - module));
  pod_text_add(&text, has_attributes ? "" : attributes);
  if (info->result_count > 0) {
    add_attributes(&text, info, device_count);
    pod_text_add(&text, has_attributes ? ", " : "} ");
  } else if (!has_attributes) {
    pod_text_add(&text, "} ");
  }
  add_without_ours(&text, split);
  return pod_text_take(&text);
}
