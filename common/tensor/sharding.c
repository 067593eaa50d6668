// Sharding by mesh axes, as Shardy has it (https://github.com/openxla/shardy,
// docs/sharding_representation.md). A sub-axis "x":(m)k is a digit of the axis in mixed
// radix: pre-size m, size k.

#include "common/tensor/sharding.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"

// ----- meshes -----

static pod_status_t check_axes(const char *name, int axis_count, const mesh_axis_t *axes,
                               int64_t *out_device_count) {
  if (axis_count < 0 || axis_count > SHARDING_AXES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "mesh @%s has %d axes, at most %d are allowed",
                     name, axis_count, SHARDING_AXES_MAX);
  }
  int64_t devices = 1;
  for (int i = 0; i < axis_count; i++) {
    if (axes[i].size < 1) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "axis \"%s\" of mesh @%s has size %" PRId64
                       ", at least 1 is needed",
                       axes[i].name, name, axes[i].size);
    }
    for (int j = 0; j < i; j++) {
      if (strcmp(axes[i].name, axes[j].name) == 0) {
        return pod_error(POD_INVALID_ARGUMENT, "mesh @%s has two axes named \"%s\"", name,
                         axes[i].name);
      }
    }
    if (axes[i].size > SHARDING_DEVICES_MAX / devices) {
      return pod_error(POD_INVALID_ARGUMENT, "mesh @%s has more than %d devices", name,
                       SHARDING_DEVICES_MAX);
    }
    devices *= axes[i].size;
  }
  *out_device_count = devices;
  return NULL;
}

static pod_status_t find_id_limit(const char *name, int64_t count,
                                  const int64_t *device_ids, int64_t *out_limit) {
  *out_limit = 0;
  for (int64_t p = 0; p < count; p++) {
    if (device_ids[p] < 0 || device_ids[p] >= SHARDING_DEVICES_MAX) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "mesh @%s lists device %" PRId64 ", devices are 0 to %d", name,
                       device_ids[p], SHARDING_DEVICES_MAX - 1);
    }
    *out_limit = device_ids[p] >= *out_limit ? device_ids[p] + 1 : *out_limit;
  }
  return NULL;
}

// Fills positions[device_ids[p]] = p, the others with -1.
static pod_status_t invert(const char *name, int64_t count, const int64_t *device_ids,
                           int64_t limit, int64_t *positions) {
  for (int64_t i = 0; i < limit; i++) {
    positions[i] = -1;
  }
  for (int64_t p = 0; p < count; p++) {
    if (positions[device_ids[p]] >= 0) {
      return pod_error(POD_INVALID_ARGUMENT, "mesh @%s lists device %" PRId64 " twice",
                       name, device_ids[p]);
    }
    positions[device_ids[p]] = p;
  }
  return NULL;
}

pod_status_t mesh_make(pod_arena_t *arena, const char *name, int axis_count,
                       const mesh_axis_t *axes, const int64_t *device_ids,
                       const mesh_t **out_mesh) {
  int64_t device_count = 0;
  POD_TRY(check_axes(name, axis_count, axes, &device_count));
  mesh_t *mesh = pod_arena_alloc(arena, sizeof(*mesh));
  mesh->name = pod_arena_strdup(arena, name);
  mesh->axis_count = axis_count;
  mesh->device_count = device_count;
  for (int i = 0; i < axis_count; i++) {
    mesh->axes[i].name = pod_arena_strdup(arena, axes[i].name);
    mesh->axes[i].size = axes[i].size;
  }
  if (device_ids != NULL) {
    POD_TRY(find_id_limit(name, device_count, device_ids, &mesh->id_limit));
    int64_t *positions =
        pod_arena_array(arena, (size_t)mesh->id_limit, sizeof(*positions));
    POD_TRY(invert(name, device_count, device_ids, mesh->id_limit, positions));
    mesh->device_ids =
        pod_arena_copy(arena, device_ids, (size_t)device_count * sizeof(*device_ids));
    mesh->positions = positions;
  }
  *out_mesh = mesh;
  return NULL;
}

int mesh_find_axis(const mesh_t *mesh, const char *name, size_t length) {
  for (int i = 0; i < mesh->axis_count; i++) {
    if (strlen(mesh->axes[i].name) == length &&
        memcmp(mesh->axes[i].name, name, length) == 0) {
      return i;
    }
  }
  return -1;
}

pod_status_t mesh_check_ids(const mesh_t *mesh, int64_t limit) {
  for (int64_t p = 0; p < mesh->device_count; p++) {
    if (mesh_device(mesh, p) >= limit) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "mesh @%s lists device %" PRId64 ", its devices are 0 to %" PRId64,
                       mesh->name, mesh_device(mesh, p), limit - 1);
    }
  }
  return NULL;
}

int64_t mesh_position(const mesh_t *mesh, int64_t device) {
  if (device < 0 || device >= mesh_id_limit(mesh)) {
    return -1;
  }
  return mesh->positions == NULL ? device : mesh->positions[device];
}

static int64_t position_of(const mesh_t *mesh, int64_t device) {
  const int64_t position = mesh_position(mesh, device);
  POD_CHECK(position >= 0);
  return position;
}

void mesh_coordinates(const mesh_t *mesh, int64_t device, int64_t *coordinates) {
  int64_t rest = position_of(mesh, device);
  for (int i = mesh->axis_count - 1; i >= 0; i--) {
    coordinates[i] = rest % mesh->axes[i].size;
    rest /= mesh->axes[i].size;
  }
}

int64_t mesh_device_at(const mesh_t *mesh, const int64_t *coordinates) {
  int64_t position = 0;
  for (int i = 0; i < mesh->axis_count; i++) {
    POD_CHECK(coordinates[i] >= 0 && coordinates[i] < mesh->axes[i].size);
    position = position * mesh->axes[i].size + coordinates[i];
  }
  return mesh_device(mesh, position);
}

// Mesh positions between two neighbours along an axis or sub-axis.
static int64_t position_stride(const mesh_t *mesh, axis_ref_t ref) {
  int64_t stride = mesh->axes[ref.axis].size / (ref.pre_size * ref.size);
  for (int i = ref.axis + 1; i < mesh->axis_count; i++) {
    stride *= mesh->axes[i].size;
  }
  return stride;
}

int64_t mesh_index_along(const mesh_t *mesh, int64_t device, axis_ref_t ref) {
  return position_of(mesh, device) / position_stride(mesh, ref) % ref.size;
}

// ----- lists of axes -----

int64_t axis_list_size(const axis_list_t *list) {
  int64_t size = 1;
  for (int i = 0; i < list->count; i++) {
    size *= list->refs[i].size;
  }
  return size;
}

int64_t axis_list_index(const mesh_t *mesh, const axis_list_t *list, int64_t device) {
  int64_t index = 0;
  for (int i = 0; i < list->count; i++) {
    index = index * list->refs[i].size + mesh_index_along(mesh, device, list->refs[i]);
  }
  return index;
}

int64_t *axis_list_groups(pod_arena_t *arena, const mesh_t *mesh, const axis_list_t *list,
                          int64_t *out_group_count, int64_t *out_group_size) {
  const int64_t group_size = axis_list_size(list);
  const int64_t group_count = mesh->device_count / group_size;
  POD_CHECK(group_count * group_size == mesh->device_count);
  // Member i of every group stands at the same distance from the group's first.
  int64_t *distances = pod_arena_array(arena, (size_t)group_size, sizeof(*distances));
  for (int64_t i = 0; i < group_size; i++) {
    int64_t rest = i;
    for (int r = list->count - 1; r >= 0; r--) {
      const axis_ref_t ref = list->refs[r];
      distances[i] += rest % ref.size * position_stride(mesh, ref);
      rest /= ref.size;
    }
  }
  int64_t *groups = pod_arena_array(arena, (size_t)mesh->device_count, sizeof(*groups));
  int64_t filled = 0;
  for (int64_t p = 0; p < mesh->device_count; p++) {
    if (axis_list_index(mesh, list, mesh_device(mesh, p)) != 0) {
      continue;
    }
    POD_CHECK(filled + group_size <= mesh->device_count);
    for (int64_t i = 0; i < group_size; i++) {
      groups[filled++] = mesh_device(mesh, p + distances[i]);
    }
  }
  *out_group_count = group_count;
  *out_group_size = group_size;
  return groups;
}

// ----- shardings -----

sharding_t *sharding_replicated(pod_arena_t *arena, const mesh_t *mesh, int rank,
                                bool is_open) {
  POD_CHECK(rank >= 0 && rank <= TENSOR_RANK_MAX);
  sharding_t *sharding = pod_arena_alloc(arena, sizeof(*sharding));
  sharding->mesh = mesh;
  sharding->rank = rank;
  sharding->dims = pod_arena_array(arena, (size_t)rank, sizeof(*sharding->dims));
  for (int i = 0; i < rank; i++) {
    sharding->dims[i].is_open = is_open;
  }
  return sharding;
}

static axis_list_t copy_list(pod_arena_t *arena, const axis_list_t *list) {
  const size_t size = (size_t)list->count * sizeof(*list->refs);
  return (axis_list_t){list->count, pod_arena_copy(arena, list->refs, size)};
}

sharding_t *sharding_copy(pod_arena_t *arena, const sharding_t *sharding) {
  sharding_t *copy = pod_arena_copy(arena, sharding, sizeof(*sharding));
  copy->dims = pod_arena_copy(arena, sharding->dims,
                              (size_t)sharding->rank * sizeof(*sharding->dims));
  for (int i = 0; i < sharding->rank; i++) {
    copy->dims[i].axes = copy_list(arena, &sharding->dims[i].axes);
  }
  copy->replicated = copy_list(arena, &sharding->replicated);
  copy->unreduced = copy_list(arena, &sharding->unreduced);
  return copy;
}

bool mesh_equal(const mesh_t *a, const mesh_t *b) {
  if (a == b) {
    return true;
  }
  if (a->axis_count != b->axis_count || a->device_count != b->device_count) {
    return false;
  }
  for (int i = 0; i < a->axis_count; i++) {
    if (a->axes[i].size != b->axes[i].size ||
        strcmp(a->axes[i].name, b->axes[i].name) != 0) {
      return false;
    }
  }
  for (int64_t p = 0; p < a->device_count; p++) {
    if (mesh_device(a, p) != mesh_device(b, p)) {
      return false;
    }
  }
  return true;
}

// The next reference that places anything: neighbouring parts of one axis are taken
// together, and what has one place is skipped. False at the end.
static bool next_merged(const axis_list_t *list, int *position, axis_ref_t *out_ref) {
  while (*position < list->count && list->refs[*position].size == 1) {
    (*position)++;
  }
  if (*position >= list->count) {
    return false;
  }
  axis_ref_t ref = list->refs[(*position)++];
  while (*position < list->count) {
    const axis_ref_t next = list->refs[*position];
    const bool continues =
        next.axis == ref.axis && next.pre_size == ref.pre_size * ref.size;
    if (!continues && next.size != 1) {
      break;
    }
    ref.size *= next.size;
    (*position)++;
  }
  *out_ref = ref;
  return true;
}

static bool same_places(const axis_list_t *a, const axis_list_t *b) {
  int at_a = 0, at_b = 0;
  for (;;) {
    axis_ref_t in_a, in_b;
    const bool has_a = next_merged(a, &at_a, &in_a);
    const bool has_b = next_merged(b, &at_b, &in_b);
    if (!has_a || !has_b) {
      return has_a == has_b;
    }
    if (in_a.axis != in_b.axis || in_a.pre_size != in_b.pre_size ||
        in_a.size != in_b.size) {
      return false;
    }
  }
}

// Whether every part of `a` is covered by the parts of `b`: the order of a sum does not
// count.
static bool covered(const mesh_t *mesh, const axis_list_t *a, const axis_list_t *b) {
  for (int64_t p = 0; p < mesh->device_count; p++) {
    const int64_t device = mesh_device(mesh, p);
    bool is_first_in_b = true;
    for (int i = 0; i < b->count; i++) {
      is_first_in_b &= mesh_index_along(mesh, device, b->refs[i]) == 0;
    }
    if (!is_first_in_b) {
      continue;
    }
    for (int i = 0; i < a->count; i++) {
      if (mesh_index_along(mesh, device, a->refs[i]) != 0) {
        return false;
      }
    }
  }
  return true;
}

bool sharding_equivalent(const sharding_t *a, const sharding_t *b) {
  if (a->rank != b->rank || !mesh_equal(a->mesh, b->mesh)) {
    return false;
  }
  for (int i = 0; i < a->rank; i++) {
    if (!same_places(&a->dims[i].axes, &b->dims[i].axes)) {
      return false;
    }
  }
  if (a->unreduced.count == 0 && b->unreduced.count == 0) {
    return true;
  }
  return a->reduction == b->reduction && covered(a->mesh, &a->unreduced, &b->unreduced) &&
         covered(a->mesh, &b->unreduced, &a->unreduced);
}

bool sharding_is_replicated(const sharding_t *sharding) {
  for (int i = 0; i < sharding->rank; i++) {
    if (axis_list_size(&sharding->dims[i].axes) != 1) {
      return false;
    }
  }
  return axis_list_size(&sharding->unreduced) == 1;
}

// Two parts of one axis can stand in one sharding when they are digits of one mixed-radix
// number: the minor one's pre_size is a multiple of what the major one ends with.
static bool overlap(axis_ref_t a, axis_ref_t b) {
  if (a.axis != b.axis) {
    return false;
  }
  if (a.pre_size > b.pre_size || (a.pre_size == b.pre_size && a.size > b.size)) {
    const axis_ref_t swap = a;
    a = b;
    b = swap;
  }
  if (a.pre_size == b.pre_size) {
    return a.size == b.size || a.size > 1;
  }
  return b.pre_size % (a.pre_size * a.size) != 0;
}

typedef struct used_axes_t {
  int count;
  axis_ref_t refs[4 * SHARDING_AXES_MAX];
} used_axes_t;

static pod_status_t check_ref(const mesh_t *mesh, axis_ref_t ref) {
  if (ref.axis < 0 || ref.axis >= mesh->axis_count) {
    return pod_error(POD_INVALID_ARGUMENT, "mesh @%s has no axis number %d", mesh->name,
                     ref.axis);
  }
  const mesh_axis_t *axis = &mesh->axes[ref.axis];
  if (ref.pre_size < 1 || ref.size < 1 || ref.pre_size > axis->size ||
      ref.size > axis->size / ref.pre_size ||
      axis->size % (ref.pre_size * ref.size) != 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "\"%s\":(%" PRId64 ")%" PRId64
                     " is no part of the axis: its size %" PRId64 " does not divide so",
                     axis->name, ref.pre_size, ref.size, axis->size);
  }
  return NULL;
}

static pod_status_t check_list(const mesh_t *mesh, const axis_list_t *list,
                               used_axes_t *used) {
  for (int i = 0; i < list->count; i++) {
    const axis_ref_t ref = list->refs[i];
    POD_TRY(check_ref(mesh, ref));
    for (int j = 0; j < used->count; j++) {
      if (overlap(ref, used->refs[j])) {
        return pod_error(POD_INVALID_ARGUMENT, "axis \"%s\" is used twice",
                         mesh->axes[ref.axis].name);
      }
    }
    if (used->count == (int)POD_COUNT_OF(used->refs)) {
      return pod_error(POD_INVALID_ARGUMENT, "a sharding names more than %d axes",
                       used->count);
    }
    used->refs[used->count++] = ref;
  }
  return NULL;
}

pod_status_t sharding_check(const sharding_t *sharding, const tensor_shape_t *shape) {
  if (sharding->rank != shape->rank) {
    pod_text_t text = {0};
    tensor_shape_print(&text, shape);
    const pod_status_t status =
        pod_error(POD_INVALID_ARGUMENT, "a sharding of %d dimensions on %s of rank %d",
                  sharding->rank, text.bytes, shape->rank);
    pod_text_deinit(&text);
    return status;
  }
  used_axes_t used = {0};
  for (int i = 0; i < sharding->rank; i++) {
    POD_TRY(pod_status_context(check_list(sharding->mesh, &sharding->dims[i].axes, &used),
                               "dimension %d", i));
  }
  POD_TRY(pod_status_context(check_list(sharding->mesh, &sharding->replicated, &used),
                             "replicated axes"));
  return pod_status_context(check_list(sharding->mesh, &sharding->unreduced, &used),
                            "unreduced axes");
}

static void print_list(pod_text_t *text, const mesh_t *mesh, const axis_list_t *list) {
  for (int i = 0; i < list->count; i++) {
    const axis_ref_t ref = list->refs[i];
    const mesh_axis_t *axis = &mesh->axes[ref.axis];
    pod_text_printf(text, "%s\"%s\"", i == 0 ? "" : ", ", axis->name);
    if (ref.pre_size != 1 || ref.size != axis->size) {
      pod_text_printf(text, ":(%" PRId64 ")%" PRId64, ref.pre_size, ref.size);
    }
  }
}

void sharding_local_shape(const sharding_t *sharding, const tensor_shape_t *global,
                          tensor_shape_t *out_local) {
  POD_CHECK(sharding->rank == global->rank);
  tensor_shape_t local = *global;
  for (int i = 0; i < global->rank; i++) {
    local.dims[i] =
        sharding_part(global->dims[i], axis_list_size(&sharding->dims[i].axes));
  }
  *out_local = local;
}

bool sharding_divides(const sharding_t *sharding, const tensor_shape_t *global) {
  for (int i = 0; i < global->rank; i++) {
    if (global->dims[i] % axis_list_size(&sharding->dims[i].axes) != 0) {
      return false;
    }
  }
  return true;
}

void sharding_shard_start(const sharding_t *sharding, const tensor_shape_t *global,
                          int64_t device, int64_t start[TENSOR_RANK_MAX]) {
  for (int i = 0; i < global->rank; i++) {
    const axis_list_t *axes = &sharding->dims[i].axes;
    const int64_t local = sharding_part(global->dims[i], axis_list_size(axes));
    start[i] = axis_list_index(sharding->mesh, axes, device) * local;
  }
}

static void print_dim(pod_text_t *text, const mesh_t *mesh, const dim_sharding_t *dim) {
  pod_text_add(text, "{");
  print_list(text, mesh, &dim->axes);
  if (dim->is_open) {
    pod_text_add(text, dim->axes.count == 0 ? "?" : ", ?");
  }
  pod_text_add(text, "}");
  if (dim->priority != 0) {
    pod_text_printf(text, "p%d", dim->priority);
  }
}

void sharding_print(pod_text_t *text, const sharding_t *sharding) {
  pod_text_printf(text, "<@%s, [", sharding->mesh->name);
  for (int i = 0; i < sharding->rank; i++) {
    pod_text_add(text, i == 0 ? "" : ", ");
    print_dim(text, sharding->mesh, &sharding->dims[i]);
  }
  pod_text_add(text, "]");
  if (sharding->replicated.count > 0) {
    pod_text_add(text, ", replicated={");
    print_list(text, sharding->mesh, &sharding->replicated);
    pod_text_add(text, "}");
  }
  if (sharding->unreduced.count > 0) {
    static const char *const reductions[] = {"", "max", "min"};
    pod_text_printf(text, ", unreduced=%s{", reductions[sharding->reduction]);
    print_list(text, sharding->mesh, &sharding->unreduced);
    pod_text_add(text, "}");
  }
  pod_text_add(text, ">");
}
