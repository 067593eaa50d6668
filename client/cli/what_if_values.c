#include "client/cli/what_if.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 256, CONSTRAINTS_SHOWN = 12, OTHERS_SHOWN = 8 };

// The dimension of every axis in P("x", None, ("y", "z")); false: it lies over parts of
// axes, or is unreduced.
static bool read_spec(const search_t *search, const char *spec, signed char *out_dims) {
  if (strchr(spec, ':') != NULL || strstr(spec, "unreduced") != NULL) {
    return false;
  }
  memset(out_dims, -1, SEARCH_AXES_MAX);
  int dim = 0, depth = 0;
  for (const char *at = spec; *at != '\0'; at++) {
    depth += (*at == '(') - (*at == ')');
    dim += *at == ',' && depth == 1;
    for (int a = 0; *at == '"' && a < search->axis_count; a++) {
      const size_t length = strlen(search->axes[a]);
      if (strncmp(at + 1, search->axes[a], length) == 0 && at[1 + length] == '"') {
        out_dims[a] = (signed char)dim;
      }
    }
  }
  return true;
}

static bool is_alike(const what_if_value_t *a, const podium_value_t *b) {
  bool same = a->shape.rank == b->shape.rank && a->shape.dtype == b->shape.dtype &&
              strcmp(a->spec, b->spec) == 0;
  for (int d = 0; same && d < b->shape.rank; d++) {
    same = a->shape.dims[d] == b->shape.dims[d];
  }
  return same;
}

static int64_t bytes_of(const podium_shape_t *shape) {
  tensor_shape_t same = {.dtype = (tensor_dtype_t)shape->dtype, .rank = shape->rank};
  memcpy(same.dims, shape->dims, (size_t)shape->rank * sizeof(same.dims[0]));
  return tensor_shape_bytes(&same);
}

// Those that the value belongs to, or a new entry; NULL: it is not changed.
static what_if_value_t *find(const search_t *search, const podium_value_t *value,
                             what_if_value_t *list, int *count) {
  const bool is_constraint = strcmp(value->op, "sharding_constraint") == 0;
  for (int i = 0; i < *count; i++) {
    what_if_value_t *other = &list[i];
    if (other->is_constraint != is_constraint || !is_alike(other, value)) {
      continue;
    }
    if (strcmp(other->op, value->op) == 0 && strcmp(other->source, value->source) == 0) {
      return other;
    }
    if (!is_constraint) {
      return NULL;
    }
  }
  what_if_value_t made = {.is_constraint = is_constraint, .shape = value->shape};
  if (*count == VALUES_MAX || value->number == 0 || value->shape.rank == 0 ||
      !read_spec(search, value->spec, made.dims)) {
    return NULL;
  }
  made.op = pod_arena_strdup(search->arena, value->op);
  made.source = pod_arena_strdup(search->arena, value->source);
  made.spec = pod_arena_strdup(search->arena, value->spec);
  const char *what = is_constraint
                         ? "the constrained value"
                         : pod_arena_printf(search->arena, "the result of %s", made.op);
  made.name = *made.source == '\0'
                  ? what
                  : pod_arena_printf(search->arena, "%s at %s", what, made.source);
  list[*count] = made;
  return &list[(*count)++];
}

static int by_bytes(const void *left, const void *right) {
  const what_if_value_t *a = left, *b = right;
  if (a->is_constraint != b->is_constraint) {
    return a->is_constraint ? -1 : 1;
  }
  return a->bytes != b->bytes            ? (a->bytes < b->bytes ? 1 : -1)
         : a->numbers[0] < b->numbers[0] ? -1
                                         : 1;
}

int what_if_values(const search_t *search, const podium_program_info_t *info,
                   what_if_value_t **out_list) {
  what_if_value_t *list = pod_arena_array(search->arena, VALUES_MAX, sizeof(list[0]));
  const size_t room = (size_t)info->value_count + 1;
  int count = 0;
  for (int i = 0; i < info->value_count; i++) {
    const podium_value_t *value = &info->values[i];
    what_if_value_t *it = value->number == 0 ? NULL : find(search, value, list, &count);
    if (it == NULL) {
      continue;
    }
    if (it->numbers == NULL) {
      it->numbers = pod_arena_array(search->arena, room, sizeof(it->numbers[0]));
    }
    it->numbers[it->count++] = value->number;
    it->bytes += bytes_of(&value->shape);
  }
  qsort(list, (size_t)count, sizeof(list[0]), by_bytes);
  int kept = 0, constraints = 0, others = 0;
  for (int i = 0; i < count; i++) {
    int *of_its_kind = list[i].is_constraint ? &constraints : &others;
    if (*of_its_kind < (list[i].is_constraint ? CONSTRAINTS_SHOWN : OTHERS_SHOWN)) {
      ++*of_its_kind;
      list[kept++] = list[i];
    }
  }
  *out_list = list;
  return kept;
}
