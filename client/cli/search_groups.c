// Which arguments go together, and which dimensions. Roles are read from the list of
// arguments alone: pytrees repeat the same shapes for every layer, and for parameters
// and what an optimizer keeps for them. Dimensions are asked of propagation.

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/search.h"
#include "common/tensor/shape.h"

// Arguments below this part of all bytes are left to propagation.
static const double part_min = 0.002;

// Padding may be at most this part of a dimension: 1/8.
enum { PADDING_MOST = 8 };

static bool has_same_dims(const podium_shape_t *a, const podium_shape_t *b) {
  bool same = a->rank == b->rank;
  for (int d = 0; d < a->rank && same; d++) {
    same = a->dims[d] == b->dims[d];
  }
  return same;
}

static int64_t bytes_of(const podium_shape_t *shape) {
  const tensor_shape_t same =
      tensor_shape_make((tensor_dtype_t)shape->dtype, shape->rank, shape->dims);
  return tensor_shape_bytes(&same);
}

// --- Results ---

// Results that come in the shapes of as many arguments in a row take their place:
// parameters, or gradients of them, which are wanted as the parameters lie.
static void tie_results(search_t *search) {
  for (int first = 0; first < search->result_count; first++) {
    if (search->argument_of[first] >= 0) {
      continue;
    }
    int best = -1, best_length = 0;
    for (int i = 0; i < search->argument_count; i++) {
      int length = 0;
      while (first + length < search->result_count &&
             i + length < search->argument_count &&
             search->argument_of[first + length] < 0 &&
             search->result_shapes[first + length].rank > 0 &&
             has_same_dims(&search->result_shapes[first + length],
                           &search->shapes[i + length])) {
        length++;
      }
      if (length > best_length) {
        best = i;
        best_length = length;
      }
    }
    // One alone may be by chance: an activation that comes out as it went in.
    for (int k = 0; k < best_length && best_length > 1; k++) {
      search->argument_of[first + k] = best + k;
    }
  }
}

// --- Groups ---

static int find_root(const int *parents, int i) {
  while (parents[i] != i) {
    i = parents[i];
  }
  return i;
}

static void join(int *parents, int a, int b) {
  const int left = find_root(parents, a), right = find_root(parents, b);
  parents[left > right ? left : right] = left < right ? left : right;
}

// Whether `period` arguments from `first` on come again right behind.
static bool is_repeated(const search_t *search, int first, int period) {
  bool differs = false;
  for (int k = 0; k < period; k++) {
    if (!has_same_dims(&search->shapes[first + k], &search->shapes[first + period + k])) {
      return false;
    }
    differs =
        differs || !has_same_dims(&search->shapes[first], &search->shapes[first + k]);
  }
  return differs;  // A row of equal shapes says nothing of roles.
}

static void join_repeated(const search_t *search, int *parents) {
  for (int period = 2; 2 * period <= search->argument_count; period++) {
    for (int first = 0; first + 2 * period <= search->argument_count; first++) {
      for (int k = 0; is_repeated(search, first, period) && k < period; k++) {
        join(parents, first + k, first + period + k);
      }
    }
  }
}

// "p['layers'][0]['w']" and "p['layers'][1]['w']": the same but for numbers.
static bool is_same_name(const char *a, const char *b) {
  bool has_word = false;
  while (*a != '\0' && *b != '\0') {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      a += strspn(a, "0123456789");
      b += strspn(b, "0123456789");
    } else if (*a++ != *b++) {
      return false;
    }
    has_word = has_word || *a == '[' || *a == '.';
  }
  return has_word && *a == *b;
}

// What an optimizer keeps has the names of the parameters behind one of its own:
// "state['first']['layers']['w']" and "state['weights']['layers']['w']".
static bool is_same_behind(const char *a, const char *b) {
  const char *left = strchr(a, ']'), *right = strchr(b, ']');
  const char *second = left == NULL ? NULL : strchr(left + 1, ']');
  return right != NULL && second != NULL && strchr(second + 1, ']') != NULL &&
         is_same_name(left, right);
}

static bool is_tied(const search_t *search, int argument) {
  for (int r = 0; r < search->result_count; r++) {
    if (search->argument_of[r] == argument) {
      return true;
    }
  }
  return false;
}

static void join_named(const search_t *search, int *parents) {
  for (int i = 0; i < search->argument_count; i++) {
    for (int k = i + 1; k < search->argument_count; k++) {
      if (has_same_dims(&search->shapes[i], &search->shapes[k]) &&
          (is_same_name(search->names[i], search->names[k]) ||
           (is_same_behind(search->names[i], search->names[k]) && is_tied(search, i) &&
            is_tied(search, k)))) {
        join(parents, i, k);
      }
    }
  }
}

static int by_bytes(const void *left, const void *right) {
  const search_group_t *a = left, *b = right;
  if (a->bytes != b->bytes) {
    return a->bytes < b->bytes ? 1 : -1;
  }
  return a->members[0] - b->members[0];
}

static bool is_state(const search_t *search, const search_group_t *group) {
  for (int r = 0; r < search->result_count; r++) {
    for (int m = 0; m < group->count; m++) {
      if (search->argument_of[r] == group->members[m]) {
        return true;
      }
    }
  }
  return false;
}

// The user says how it lies.
static bool is_given(const search_t *search, int argument) {
  char number[16], plain[24];
  snprintf(number, sizeof(number), "%d", argument);
  snprintf(plain, sizeof(plain), "arg%d", argument);
  for (int i = 0; i < search->run->given.in.count; i++) {
    const char *name = search->run->given.in.items[i].name;
    if (strcmp(name, number) == 0 || strcmp(name, plain) == 0 ||
        strcmp(name, search->names[argument]) == 0) {
      return true;
    }
  }
  return false;
}

static search_group_t collect(search_t *search, const int *parents, int root) {
  search_group_t group = {.name = search->names[root], .shape = search->shapes[root]};
  int *members =
      pod_arena_array(search->arena, (size_t)search->argument_count, sizeof(members[0]));
  for (int i = 0; i < search->argument_count; i++) {
    if (find_root(parents, i) == root && !is_given(search, i)) {
      members[group.count++] = i;
      group.bytes += bytes_of(&search->shapes[i]);
    }
  }
  group.members = members;
  group.is_state = is_state(search, &group);
  return group;
}

void search_find_groups(search_t *search) {
  tie_results(search);
  const size_t count = (size_t)search->argument_count + 1;
  int *parents = pod_arena_array(search->arena, count, sizeof(parents[0]));
  search_group_t *all = pod_arena_array(search->arena, count, sizeof(all[0]));
  search->group_of = pod_arena_array(search->arena, count, sizeof(int));
  for (int i = 0; i < search->argument_count; i++) {
    parents[i] = i;
    search->group_of[i] = -1;
  }
  join_repeated(search, parents);
  join_named(search, parents);
  int found = 0;
  int64_t bytes = 0;
  for (int i = 0; i < search->argument_count; i++) {
    bytes += bytes_of(&search->shapes[i]);
    if (parents[i] == i && search->shapes[i].rank > 0 && !is_given(search, i)) {
      all[found++] = collect(search, parents, i);
    }
  }
  qsort(all, (size_t)found, sizeof(all[0]), by_bytes);
  for (int g = 0; g < found && search->group_count < SEARCH_GROUPS_MAX; g++) {
    if ((double)all[g].bytes >= part_min * (double)bytes) {
      for (int m = 0; m < all[g].count; m++) {
        search->group_of[all[g].members[m]] = search->group_count;
      }
      search->groups[search->group_count++] = all[g];
    }
  }
  for (int i = 0; i < search->argument_count; i++) {
    search->small_count += search->group_of[i] < 0;
  }
}

// --- Dimensions ---

bool search_is_even_enough(int64_t size, int64_t parts) {
  const int64_t padding = (parts - size % parts) % parts;
  return padding == 0 || (size >= parts && padding * PADDING_MOST <= size);
}

bool search_may_shard(const search_t *search, const search_plan_t *plan, int group,
                      int axis, int dim) {
  const search_group_t *it = &search->groups[group];
  int64_t parts = plan->sizes[axis];
  for (int a = 0; a < plan->axis_count; a++) {
    parts *= a != axis && plan->dims[group][a] == dim ? plan->sizes[a] : 1;
  }
  for (int m = 0; m < it->count; m++) {
    if (!search_is_even_enough(search->shapes[it->members[m]].dims[dim], parts)) {
      return false;
    }
  }
  return true;
}

static bool is_known(const search_t *search, int group, int dim) {
  for (int s = 0; s < search->spread_count; s++) {
    if (search->spreads[s].dims[group] == dim) {
      return true;
    }
  }
  return false;
}

pod_status_t search_find_spreads(search_t *search) {
  for (int g = 0; g < search->group_count; g++) {
    for (int d = 0; d < search->groups[g].shape.rank; d++) {
      if (!search_is_even_enough(search->groups[g].shape.dims[d],
                                 search->probe_mesh.sizes[search->probe_axis]) ||
          is_known(search, g, d) || search->spread_count == SEARCH_SPREADS_MAX ||
          search->device_count < 2) {
        continue;
      }
      search_spread_t spread;
      bool is_good;
      POD_TRY(search_probe(search, g, d, &spread, &is_good));
      if (is_good && spread.dims[g] == d) {
        search->spreads[search->spread_count++] = spread;
      }
    }
  }
  return NULL;
}
