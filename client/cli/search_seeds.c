// The schemes that are published, on every mesh, as far as the program has what they
// need: data parallel, fully sharded (FSDP, Rajbhandari et al. 2020), tensor parallel
// (Megatron, Shoeybi et al. 2019), and 2D weight-stationary (Pope et al. 2022), alone and
// beside one another.

#include <string.h>

#include "client/cli/search.h"

// From schemes that a first look has longer than this, compared with the best, the search
// does not go on.
static const double START_MOST = 2;

typedef enum scheme_t {
  SCHEME_NONE,
  SCHEME_DATA,    // Data sharded, state whole.
  SCHEME_FULL,    // Data sharded, and the state too.
  SCHEME_TENSOR,  // State sharded where data are not.
  SCHEME_EMBED,   // State and data sharded by a dimension that both have.
  SCHEME_COUNT,
} scheme_t;

static const char *const scheme_names[SCHEME_COUNT] = {
    "", "data parallel", "FSDP", "tensor parallel", "weight-stationary"};

// --- One axis at a time ---

// Adds the axis to all that the spread shards, unless something is in its way.
static bool add_spread(const search_t *search, search_plan_t *plan, int axis,
                       const search_spread_t *spread) {
  for (int g = 0; g < search->group_count; g++) {
    const signed char dim = spread->dims[g];
    if (dim >= 0 &&
        (plan->dims[g][axis] >= 0 || !search_may_shard(search, plan, g, axis, dim))) {
      return false;
    }
  }
  for (int g = 0; g < search->group_count; g++) {
    if (spread->dims[g] >= 0) {
      plan->dims[g][axis] = spread->dims[g];
    }
  }
  return true;
}

// The state that the axis does not shard yet, by its largest dimension that can be.
static bool shard_state(const search_t *search, search_plan_t *plan, int axis) {
  bool any = false;
  for (int g = 0; g < search->group_count; g++) {
    const podium_shape_t *shape = &search->groups[g].shape;
    int best = -1;
    for (int d = 0; d < shape->rank; d++) {
      bool is_free = search_may_shard(search, plan, g, axis, d);
      for (int a = 0; a < plan->axis_count; a++) {
        is_free = is_free && plan->dims[g][a] != d;
      }
      if (is_free && (best < 0 || shape->dims[d] > shape->dims[best])) {
        best = d;
      }
    }
    if (search->groups[g].is_state && plan->dims[g][axis] < 0 && best >= 0) {
      plan->dims[g][axis] = (signed char)best;
      any = true;
    }
  }
  return any;
}

// The `which`-th spread of data alone, or of data and state.
static bool add_data(const search_t *search, search_plan_t *plan, int axis, int which,
                     bool has_state) {
  for (int s = 0; s < search->spread_count; s++) {
    const search_spread_t *spread = &search->spreads[s];
    if (spread->has_data && spread->has_state == has_state && which-- == 0) {
      return add_spread(search, plan, axis, spread);
    }
  }
  return false;
}

static bool add_tensor(const search_t *search, search_plan_t *plan, int axis) {
  bool any = false;
  for (int s = 0; s < search->spread_count; s++) {
    const search_spread_t *spread = &search->spreads[s];
    any = (spread->has_state && !spread->has_data &&
           add_spread(search, plan, axis, spread)) ||
          any;
  }
  return any;
}

static bool apply(const search_t *search, search_plan_t *plan, int axis, scheme_t scheme,
                  int which) {
  if (scheme != SCHEME_NONE && plan->sizes[axis] == 1) {
    return false;
  }
  switch (scheme) {
    case SCHEME_DATA:
      return add_data(search, plan, axis, which, false);
    case SCHEME_FULL:
      return add_data(search, plan, axis, which, false) &&
             shard_state(search, plan, axis);
    case SCHEME_TENSOR:
      return which == 0 && add_tensor(search, plan, axis);
    case SCHEME_EMBED:
      return add_data(search, plan, axis, which, true);
    case SCHEME_NONE:
    case SCHEME_COUNT:
      break;
  }
  return true;
}

// --- All of a mesh ---

static search_plan_t plan_on(int axis_count, const int64_t *sizes) {
  search_plan_t plan = {.axis_count = axis_count};
  memset(plan.dims, -1, sizeof(plan.dims));
  for (int a = 0; a < axis_count; a++) {
    plan.sizes[a] = sizes[a];
  }
  return plan;
}

static pod_status_t try_pair(search_t *search, const search_plan_t *mesh,
                             const int axes[2], const scheme_t schemes[2], int which) {
  search_plan_t plan = *mesh;
  pod_text_t label = {0};
  for (int i = 0; i < 2; i++) {
    if (schemes[i] == SCHEME_NONE) {
      continue;
    }
    if (!apply(search, &plan, axes[i], schemes[i], i == 0 ? which : 0)) {
      pod_text_deinit(&label);
      return NULL;
    }
    pod_text_printf(&label, "%s%s over %s", label.length == 0 ? "" : ", ",
                    scheme_names[schemes[i]], search->axes[axes[i]]);
  }
  const char *text =
      pod_arena_strdup(search->arena, label.length == 0 ? "replicated" : label.bytes);
  pod_text_deinit(&label);
  search_trial_t *trial;
  const double bar_ps =
      search->best == NULL ? 0 : START_MOST * (double)search->best->estimated_ps;
  return search_try(search, &plan, text, bar_ps, &trial);
}

// The axis that has all devices; -1: there are several.
static int axis_alone(const search_plan_t *mesh) {
  int alone = -1;
  for (int a = 0; a < mesh->axis_count; a++) {
    if (mesh->sizes[a] > 1) {
      if (alone >= 0) {
        return -1;
      }
      alone = a;
    }
  }
  return alone;
}

static pod_status_t try_alone(search_t *search, const search_plan_t *mesh, int axis) {
  static const scheme_t singles[] = {SCHEME_NONE, SCHEME_DATA, SCHEME_FULL, SCHEME_TENSOR,
                                     SCHEME_EMBED};
  enum { WAYS = 3 };
  for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]); i++) {
    for (int which = 0; which < (singles[i] == SCHEME_NONE ? 1 : WAYS); which++) {
      POD_TRY(try_pair(search, mesh, (const int[]){axis, axis},
                       (const scheme_t[]){singles[i], SCHEME_NONE}, which));
    }
  }
  return NULL;
}

// What two axes do, in the order in which one is applied after the other: state takes
// what tensor parallelism leaves.
static pod_status_t try_both(search_t *search, const search_plan_t *mesh, int first,
                             int second) {
  static const scheme_t pairs[][2] = {
      {SCHEME_TENSOR, SCHEME_DATA},   {SCHEME_TENSOR, SCHEME_FULL},
      {SCHEME_TENSOR, SCHEME_EMBED},  {SCHEME_DATA, SCHEME_DATA},
      {SCHEME_FULL, SCHEME_FULL},     {SCHEME_DATA, SCHEME_FULL},
      {SCHEME_TENSOR, SCHEME_TENSOR}, {SCHEME_NONE, SCHEME_NONE},
      {SCHEME_DATA, SCHEME_NONE},     {SCHEME_FULL, SCHEME_NONE},
      {SCHEME_TENSOR, SCHEME_NONE},   {SCHEME_EMBED, SCHEME_NONE}};
  for (size_t i = 0; first != second && i < sizeof(pairs) / sizeof(pairs[0]); i++) {
    POD_TRY(try_pair(search, mesh, (const int[]){first, second}, pairs[i], 0));
  }
  return NULL;
}

static pod_status_t try_mesh(search_t *search, const search_plan_t *mesh) {
  const int alone = axis_alone(mesh);
  if (alone >= 0) {
    POD_TRY(try_alone(search, mesh, alone));
  }
  for (int first = 0; first < mesh->axis_count; first++) {
    for (int second = 0; second < mesh->axis_count; second++) {
      POD_TRY(try_both(search, mesh, first, second));
    }
  }
  return NULL;
}

// Meshes of one axis and of two, all sizes that make the pod; with --mesh that one.
static int list_meshes(const search_t *search, search_plan_t *meshes) {
  int count = 0;
  const int64_t devices = search->device_count;
  if (search->run->given.mesh != NULL || search->is_fixed) {
    meshes[count++] = plan_on(search->axis_count, search->own_sizes);
    return count;
  }
  if (search->axis_count == 3) {
    meshes[count++] = plan_on(3, search->own_sizes);
    return count;
  }
  if (search->axis_count == 2 && search->own_sizes[0] * search->own_sizes[1] == devices &&
      (search->own_sizes[0] == 1 || search->own_sizes[1] == 1)) {
    meshes[count++] = plan_on(2, search->own_sizes);
  }
  if (search->axis_count < 2) {
    meshes[count++] = plan_on(1, &devices);
  }
  for (int64_t size = 2; size * 2 <= devices && count < SEARCH_MESHES_MAX; size++) {
    if (devices % size == 0) {
      const int64_t sizes[] = {size, devices / size};
      meshes[count++] = plan_on(2, sizes);
    }
  }
  return count;
}

pod_status_t search_try_seeds(search_t *search) {
  search_plan_t *meshes =
      pod_arena_array(search->arena, SEARCH_MESHES_MAX, sizeof(meshes[0]));
  const int count = list_meshes(search, meshes);
  for (int i = 0; i < count; i++) {
    POD_TRY(try_mesh(search, &meshes[i]));
  }
  return NULL;
}
