// Shortest paths over layouts, from both ends. A layout is a short string of atoms, and
// so few are ever open that the next one is found by looking at all.

#include "server/compiler/partition/reshard_search.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum {
  ATOMS_MAX = 16,
  DIMS_MAX = 8,
  WILD = ATOMS_MAX,  // WILD + a: any atom of the size that atom `a` has.
  NODES_MAX = 1024,
  EXPANDED_MAX = 400,
  SLOTS = 4096,  // A power of two, some times NODES_MAX.
};

// The atoms of every dimension, one behind the other.
typedef struct arrangement_t {
  uint8_t ends[DIMS_MAX];  // Of each dimension, in `atoms`.
  uint8_t atoms[ATOMS_MAX];
} arrangement_t;

typedef struct step_t {
  reshard_kind_t kind;
  uint8_t dim, to_dim, count;  // `count` atoms at the end of `dim`, or put there.
} step_t;

typedef struct node_t {
  arrangement_t at;
  double cost;  // Bytes, those for collectives included.
  double local_bytes;
  int steps;
  int parent;  // -1: an end.
  step_t step;
  bool is_closed;
} node_t;

typedef struct side_t {
  int count;
  node_t nodes[NODES_MAX];
  int16_t slots[SLOTS];  // By hash: index of the node + 1.
  // A permute of what is there is still to come: its bytes and the cost never sink.
  bool is_backward;
} side_t;

typedef struct search_t {
  const tensor_shape_t *shape;
  int rank;
  int atom_count;
  axis_ref_t atoms[ATOMS_MAX];
  bool is_wanted[ATOMS_MAX];  // The target has it.
  double total_bytes, start_bytes, limit;
  side_t forward, backward;
} search_t;

// --- Atoms ---

static bool add_cut(int64_t *cuts, int *count, int64_t cut) {
  int at = 0;
  while (at < *count && cuts[at] < cut) {
    at++;
  }
  if (at < *count && cuts[at] == cut) {
    return true;
  }
  if (*count == 2 * ATOMS_MAX) {
    return false;
  }
  memmove(&cuts[at + 1], &cuts[at], (size_t)(*count - at) * sizeof(cuts[0]));
  cuts[at] = cut;
  (*count)++;
  return true;
}

static bool add_atoms(search_t *search, int axis, int64_t start, int64_t end,
                      bool is_split) {
  if (end % start != 0) {
    return false;
  }
  int64_t left = end / start;
  for (int64_t factor = 2; left > 1;) {
    if (is_split && left % factor != 0) {
      factor++;
      continue;
    }
    if (search->atom_count == ATOMS_MAX) {
      return false;
    }
    const int64_t size = is_split ? factor : left;
    search->atoms[search->atom_count++] = (axis_ref_t){axis, start, size};
    start *= size;
    left /= size;
  }
  return true;
}

// The parts of an axis that one of the lists has.
static bool cut_axis(search_t *search, int axis, const axes_t *const *lists, int count,
                     bool is_split) {
  int64_t cuts[2 * ATOMS_MAX];
  int cut_count = 0;
  for (int l = 0; l < count; l++) {
    for (int i = 0; i < lists[l]->count; i++) {
      const axis_ref_t ref = lists[l]->refs[i];
      if (ref.axis == axis && (!add_cut(cuts, &cut_count, ref.pre_size) ||
                               !add_cut(cuts, &cut_count, ref.pre_size * ref.size))) {
        return false;
      }
    }
  }
  for (int c = 0; c + 1 < cut_count; c++) {
    const axis_ref_t part = {axis, cuts[c], cuts[c + 1] / cuts[c]};
    bool is_used = false;
    for (int l = 0; l < count; l++) {
      is_used = is_used || axes_overlap_ref(lists[l], part);
    }
    if (is_used && !add_atoms(search, axis, cuts[c], cuts[c + 1], is_split)) {
      return false;
    }
  }
  return true;
}

static bool cut_all(search_t *search, const axes_t *const *lists, int count,
                    bool is_split) {
  search->atom_count = 0;
  int axis_count = 0;
  for (int l = 0; l < count; l++) {
    for (int i = 0; i < lists[l]->count; i++) {
      axis_count =
          lists[l]->refs[i].axis >= axis_count ? lists[l]->refs[i].axis + 1 : axis_count;
    }
  }
  for (int axis = 0; axis < axis_count; axis++) {
    if (!cut_axis(search, axis, lists, count, is_split)) {
      return false;
    }
  }
  return true;
}

// Whole where all have one size, else parts of prime size.
static bool make_atoms(search_t *search, const axes_t *from, const axes_t *to) {
  const axes_t *lists[2 * DIMS_MAX];
  for (int d = 0; d < search->rank; d++) {
    lists[2 * (ptrdiff_t)d] = &from[d];
    lists[2 * (ptrdiff_t)d + 1] = &to[d];
  }
  if (!cut_all(search, lists, 2 * search->rank, false)) {
    return false;
  }
  for (int a = 1; a < search->atom_count; a++) {
    if (search->atoms[a].size != search->atoms[0].size) {
      return cut_all(search, lists, 2 * search->rank, true);
    }
  }
  return true;
}

static int64_t size_of(const search_t *search, int atom) {
  return search->atoms[atom % ATOMS_MAX].size;
}

// --- Arrangements ---

static int start_of(const arrangement_t *at, int dim) {
  return dim == 0 ? 0 : at->ends[dim - 1];
}

static void insert(arrangement_t *at, int rank, int dim, const uint8_t *atoms,
                   int count) {
  const int end = at->ends[dim];
  memmove(&at->atoms[end + count], &at->atoms[end], (size_t)(at->ends[rank - 1] - end));
  memcpy(&at->atoms[end], atoms, (size_t)count);
  for (int d = dim; d < rank; d++) {
    at->ends[d] = (uint8_t)(at->ends[d] + count);
  }
}

static void take_last(arrangement_t *at, int rank, int dim, int count,
                      uint8_t *out_atoms) {
  const int end = at->ends[dim], last = at->ends[rank - 1];
  memcpy(out_atoms, &at->atoms[end - count], (size_t)count);
  memmove(&at->atoms[end - count], &at->atoms[end], (size_t)(last - end));
  memset(&at->atoms[last - count], 0, (size_t)count);
  for (int d = dim; d < rank; d++) {
    at->ends[d] = (uint8_t)(at->ends[d] - count);
  }
}

static bool has_atom(const arrangement_t *at, int rank, int atom) {
  return memchr(at->atoms, atom, at->ends[rank - 1]) != NULL;
}

static int64_t shards_of(const search_t *search, const arrangement_t *at, int dim) {
  int64_t shards = 1;
  for (int i = start_of(at, dim); i < at->ends[dim]; i++) {
    shards *= size_of(search, at->atoms[i]);
  }
  return shards;
}

// At the end of the dimension. False: there are too many.
static bool place_atoms(const search_t *search, axis_ref_t ref, int dim,
                        arrangement_t *out) {
  for (int a = 0; a < search->atom_count; a++) {
    if (!axis_ref_within(search->atoms[a], ref)) {
      continue;
    }
    if (out->ends[dim] == ATOMS_MAX) {
      return false;
    }
    out->atoms[out->ends[dim]++] = (uint8_t)a;
  }
  return true;
}

static bool arrange(const search_t *search, const axes_t *dims, arrangement_t *out) {
  memset(out, 0, sizeof(*out));
  for (int d = 0; d < search->rank; d++) {
    out->ends[d] = (uint8_t)start_of(out, d);
    for (int i = 0; i < dims[d].count; i++) {
      if (!place_atoms(search, dims[d].refs[i], d, out)) {
        return false;
      }
    }
    if (shards_of(search, out, d) != axes_size(&dims[d])) {
      return false;
    }
  }
  return true;
}

static axes_t axes_of(const search_t *search, const uint8_t *atoms, int count) {
  axes_t axes = {0};
  for (int i = 0; i < count; i++) {
    axes_append(&axes, search->atoms[atoms[i]]);
  }
  return axes;
}

// --- Nodes ---

static int16_t *slot_of(side_t *side, const arrangement_t *at) {
  uint32_t hash = 2166136261U;
  const uint8_t *bytes = (const uint8_t *)at;
  for (size_t i = 0; i < sizeof(*at); i++) {
    hash = (hash ^ bytes[i]) * 16777619U;
  }
  hash ^= hash >> 15;
  for (;; hash++) {
    int16_t *slot = &side->slots[hash % SLOTS];
    if (*slot == 0 || memcmp(&side->nodes[*slot - 1].at, at, sizeof(*at)) == 0) {
      return slot;
    }
  }
}

static bool is_less(double cost, int steps, double other_cost, int other_steps) {
  return cost < other_cost || (cost == other_cost && steps < other_steps);
}

static void reach(const search_t *search, side_t *side, const arrangement_t *at,
                  double cost, int parent, step_t step) {
  int64_t shards[DIMS_MAX];
  for (int d = 0; d < search->rank; d++) {
    shards[d] = shards_of(search, at, d);
    if (search->shape->dims[d] % shards[d] != 0) {
      return;
    }
  }
  const int steps =
      parent < 0 ? 0 : side->nodes[parent].steps + (step.kind != RESHARD_SLICE);
  double local_bytes = search->total_bytes;
  for (int d = 0; d < search->rank; d++) {
    local_bytes /= (double)shards[d];
  }
  if (cost + (side->is_backward ? local_bytes + search->start_bytes : 0) >
      search->limit) {
    return;
  }
  int16_t *slot = slot_of(side, at);
  if (*slot == 0) {
    if (side->count == NODES_MAX) {
      return;
    }
    *slot = (int16_t)(side->count + 1);
    node_t *node = &side->nodes[side->count++];
    *node = (node_t){.at = *at, .cost = cost, .steps = steps, .parent = parent};
    node->step = step;
    node->local_bytes = local_bytes;
    return;
  }
  node_t *node = &side->nodes[*slot - 1];
  if (!node->is_closed && is_less(cost, steps, node->cost, node->steps)) {
    node->cost = cost;
    node->steps = steps;
    node->parent = parent;
    node->step = step;
  }
}

static int nearest(const side_t *side) {
  int best = -1;
  for (int i = 0; i < side->count; i++) {
    const node_t *node = &side->nodes[i];
    if (!node->is_closed &&
        (best < 0 || is_less(node->cost, node->steps, side->nodes[best].cost,
                             side->nodes[best].steps))) {
      best = i;
    }
  }
  return best;
}

static int64_t size_of_last(const search_t *search, const arrangement_t *at, int dim,
                            int count) {
  int64_t size = 1;
  for (int i = at->ends[dim] - count; i < at->ends[dim]; i++) {
    size *= size_of(search, at->atoms[i]);
  }
  return size;
}

// All_to_alls are the same there and back.
static void exchange(const search_t *search, side_t *side, int index, bool is_back) {
  const arrangement_t from = side->nodes[index].at;
  for (int dim = 0; dim < search->rank; dim++) {
    for (int count = 1; count <= from.ends[dim] - start_of(&from, dim); count++) {
      const double n = (double)size_of_last(search, &from, dim, count);
      const double bytes =
          side->nodes[index].local_bytes * (n - 1) / n + search->start_bytes;
      for (int to = 0; to < search->rank; to++) {
        if (to == dim) {
          continue;
        }
        arrangement_t at = from;
        uint8_t moved[ATOMS_MAX];
        take_last(&at, search->rank, dim, count, moved);
        insert(&at, search->rank, to, moved, count);
        const step_t step = {RESHARD_ALL_TO_ALL, (uint8_t)(is_back ? to : dim),
                             (uint8_t)(is_back ? dim : to), (uint8_t)count};
        reach(search, side, &at, side->nodes[index].cost + bytes, index, step);
      }
    }
  }
}

static void lead_on(const search_t *search, side_t *side, int index) {
  const arrangement_t from = side->nodes[index].at;
  const double cost = side->nodes[index].cost;
  for (int dim = 0; dim < search->rank; dim++) {
    for (int atom = 0; atom < search->atom_count; atom++) {
      if (search->is_wanted[atom] && !has_atom(&from, search->rank, atom)) {
        arrangement_t at = from;
        const uint8_t gained = (uint8_t)atom;
        insert(&at, search->rank, dim, &gained, 1);
        const step_t step = {RESHARD_SLICE, (uint8_t)dim, (uint8_t)dim, 1};
        reach(search, side, &at, cost, index, step);
      }
    }
    for (int count = 1; count <= from.ends[dim] - start_of(&from, dim); count++) {
      const double n = (double)size_of_last(search, &from, dim, count);
      arrangement_t at = from;
      uint8_t gone[ATOMS_MAX];
      take_last(&at, search->rank, dim, count, gone);
      const step_t step = {RESHARD_ALL_GATHER, (uint8_t)dim, (uint8_t)dim,
                           (uint8_t)count};
      const double bytes = side->nodes[index].local_bytes * (n - 1);
      reach(search, side, &at, cost + bytes + search->start_bytes, index, step);
    }
  }
  exchange(search, side, index, false);
}

static void lead_back(const search_t *search, side_t *side, int index) {
  const arrangement_t from = side->nodes[index].at;
  const double cost = side->nodes[index].cost;
  for (int dim = 0; dim < search->rank; dim++) {
    if (from.ends[dim] > start_of(&from, dim) &&
        from.atoms[from.ends[dim] - 1] < ATOMS_MAX) {
      arrangement_t at = from;
      uint8_t gone;
      take_last(&at, search->rank, dim, 1, &gone);
      const step_t step = {RESHARD_SLICE, (uint8_t)dim, (uint8_t)dim, 1};
      reach(search, side, &at, cost, index, step);
    }
    for (int atom = 0; atom < search->atom_count; atom++) {
      bool is_new = from.ends[search->rank - 1] < search->atom_count;
      for (int other = 0; other < atom; other++) {
        is_new = is_new && size_of(search, other) != size_of(search, atom);
      }
      if (is_new) {
        arrangement_t at = from;
        const uint8_t wild = (uint8_t)(WILD + atom);
        insert(&at, search->rank, dim, &wild, 1);
        const double n = (double)size_of(search, atom);
        const double bytes = side->nodes[index].local_bytes / n * (n - 1);
        const step_t step = {RESHARD_ALL_GATHER, (uint8_t)dim, (uint8_t)dim, 1};
        reach(search, side, &at, cost + bytes + search->start_bytes, index, step);
      }
    }
  }
  exchange(search, side, index, true);
}

// --- Ways ---

static void push(reshard_way_t *way, reshard_kind_t kind, int dim, int to_dim,
                 const axes_t *axes) {
  reshard_move_t *last = way->count == 0 ? NULL : &way->moves[way->count - 1];
  if (last != NULL && last->kind == kind && last->dim == dim &&
      (kind == RESHARD_SLICE || kind == RESHARD_ALL_GATHER)) {
    // Gathered before the one at hand: stood behind it.
    axes_t joined = kind == RESHARD_SLICE ? last->axes : *axes;
    axes_append_all(&joined, kind == RESHARD_SLICE ? axes : &last->axes);
    last->axes = joined;
    return;
  }
  POD_CHECK(way->count < RESHARD_STEPS_MAX);
  way->moves[way->count++] = (reshard_move_t){kind, dim, to_dim, *axes};
}

static void write_forward(const search_t *search, int index, reshard_way_t *way) {
  const node_t *node = &search->forward.nodes[index];
  if (node->parent < 0) {
    return;
  }
  write_forward(search, node->parent, way);
  const arrangement_t *before = &search->forward.nodes[node->parent].at;
  const step_t step = node->step;
  const arrangement_t *holder = step.kind == RESHARD_SLICE ? &node->at : before;
  const axes_t axes =
      axes_of(search, &holder->atoms[holder->ends[step.dim] - step.count], step.count);
  push(way, step.kind, step.dim, step.to_dim, &axes);
}

// An atom that may have the place of `wild` in `at`: not wanted, not there, as large; one
// that `from` has in dimension `dim`, or in any (-1). -1: there is none.
static int find_named(const search_t *search, const arrangement_t *from,
                      const arrangement_t *at, int wild, int dim) {
  const int last = from->ends[dim < 0 ? search->rank - 1 : dim];
  for (int j = dim < 0 ? 0 : start_of(from, dim); j < last; j++) {
    const int atom = from->atoms[j];
    if (!search->is_wanted[atom] && !has_atom(at, search->rank, atom) &&
        size_of(search, atom) == size_of(search, wild)) {
      return atom;
    }
  }
  return -1;
}

// Names the atoms that nothing has named: those of `from` that are not wanted, where they
// stand as far as possible. False when there are too few.
static bool name_wild(const search_t *search, const arrangement_t *from,
                      arrangement_t *at) {
  for (int round = 0; round < 2; round++) {
    for (int d = 0; d < search->rank; d++) {
      for (int i = start_of(at, d); i < at->ends[d]; i++) {
        const int wild = at->atoms[i];
        const int found =
            wild < WILD ? wild : find_named(search, from, at, wild, round == 0 ? d : -1);
        if (found < 0 && round == 1) {
          return false;
        }
        at->atoms[i] = (uint8_t)(found < 0 ? wild : found);
      }
    }
  }
  return true;
}

// From the backward node on, with the atoms that it begins with named.
static void write_backward(const search_t *search, int index, arrangement_t at,
                           reshard_way_t *way) {
  for (const node_t *node = &search->backward.nodes[index]; node->parent >= 0;
       node = &search->backward.nodes[node->parent]) {
    const step_t step = node->step;
    uint8_t atoms[ATOMS_MAX];
    if (step.kind == RESHARD_SLICE) {
      const arrangement_t *after = &search->backward.nodes[node->parent].at;
      memcpy(atoms, &after->atoms[after->ends[step.dim] - step.count], step.count);
      insert(&at, search->rank, step.dim, atoms, step.count);
    } else {
      take_last(&at, search->rank, step.dim, step.count, atoms);
      if (step.kind == RESHARD_ALL_TO_ALL) {
        insert(&at, search->rank, step.to_dim, atoms, step.count);
      }
    }
    const axes_t axes = axes_of(search, atoms, step.count);
    push(way, step.kind, step.dim, step.to_dim, &axes);
  }
}

static bool is_alike(const search_t *search, const arrangement_t *a,
                     const arrangement_t *b) {
  for (int d = 0; d < search->rank; d++) {
    if (shards_of(search, a, d) != shards_of(search, b, d)) {
      return false;
    }
  }
  return true;
}

// The cheapest way over a permute of what forward node `index` has.
static void join(search_t *search, int index, reshard_way_t *best, int *best_steps,
                 bool *found) {
  const node_t *node = &search->forward.nodes[index];
  for (int b = 0; b < search->backward.count; b++) {
    const node_t *other = &search->backward.nodes[b];
    const double cost =
        node->cost + node->local_bytes + search->start_bytes + other->cost;
    const int steps = node->steps + other->steps + 1;
    if (cost >= search->limit &&
        (!*found || cost > search->limit || steps >= *best_steps)) {
      continue;
    }
    arrangement_t at = other->at;
    if (!is_alike(search, &node->at, &at) || !name_wild(search, &node->at, &at)) {
      continue;
    }
    best->count = 0;
    write_forward(search, index, best);
    const axes_t none = {0};
    push(best, RESHARD_PERMUTE, 0, 0, &none);
    for (int d = 0; d < search->rank; d++) {
      const int start = start_of(&at, d);
      best->permuted[d] = axes_of(search, &at.atoms[start], at.ends[d] - start);
    }
    write_backward(search, b, at, best);
    search->limit = cost;
    *best_steps = steps;
    *found = true;
  }
}

static bool run(search_t *search, const arrangement_t *to, reshard_way_t *out_way) {
  for (int i = 0; i < EXPANDED_MAX; i++) {
    const int index = nearest(&search->backward);
    if (index < 0) {
      break;
    }
    search->backward.nodes[index].is_closed = true;
    lead_back(search, &search->backward, index);
  }
  bool found = false;
  int steps = 0;
  for (int i = 0; i < EXPANDED_MAX; i++) {
    const int index = nearest(&search->forward);
    if (index < 0 || search->forward.nodes[index].cost >= search->limit) {
      break;
    }
    search->forward.nodes[index].is_closed = true;
    if (memcmp(&search->forward.nodes[index].at, to, sizeof(*to)) == 0) {
      out_way->count = 0;
      write_forward(search, index, out_way);
      return true;
    }
    join(search, index, out_way, &steps, &found);
    lead_on(search, &search->forward, index);
  }
  return found;
}

bool reshard_search(const tensor_shape_t *shape, const axes_t *from, const axes_t *to,
                    const axes_t *kept, double start_bytes, double limit,
                    reshard_way_t *out_way) {
  if (shape->rank > DIMS_MAX || shape->rank == 0) {
    return false;
  }
  search_t *search = pod_grow(NULL, 1, sizeof(*search));
  memset(search, 0, sizeof(*search));
  search->shape = shape;
  search->rank = shape->rank;
  search->limit = limit;
  search->start_bytes = start_bytes;
  arrangement_t start, end;
  bool found = make_atoms(search, from, to) && arrange(search, from, &start) &&
               arrange(search, to, &end);
  if (found) {
    search->total_bytes = (double)tensor_dtype_bytes(shape->dtype);
    for (int d = 0; d < shape->rank; d++) {
      search->total_bytes *= (double)shape->dims[d];
    }
    for (int a = 0; a < search->atom_count; a++) {
      search->is_wanted[a] =
          has_atom(&end, search->rank, a) && !axes_overlap_ref(kept, search->atoms[a]);
    }
    const step_t none = {0};
    search->backward.is_backward = true;
    reach(search, &search->forward, &start, 0, -1, none);
    reach(search, &search->backward, &end, 0, -1, none);
    found = run(search, &end, out_way);
  }
  free(search);
  return found;
}
