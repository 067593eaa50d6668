// The collective matmul (Wang et al.: Overlap Communication with Dependent Computation
// via Decomposition, ASPLOS 2023): a product and the collective that it waits for, or
// that waits for it, become a ring of smaller products, each behind the transfer of what
// the next one needs.
//
//   gathered:   y = dot(all_gather(x), w): x goes round; what is there is multiplied
//   contracted: the same, along the dimension that the product sums over
//   scattered:  y = reduce_scatter(dot(x, w)): sums go round, each chip adds its part
//
// In two directions, what goes round goes both ways: half of the steps, or half of the
// bytes a step. A product by parts of its rows is the same product; sums by parts add up
// in another order.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/collectives/rewrite.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/program/operations.h"

enum { RING_MAX = 32, VARIANTS = 2 };

typedef enum pattern_kind_t { GATHERED = 0, CONTRACTED, SCATTERED } pattern_kind_t;

// A product and its collective.
typedef struct pattern_t {
  pattern_kind_t kind;
  mlir_op_t *collective, *dot;
  int side;       // Of the product's operands: the gathered one, or the one to be cut.
  int64_t dim;    // Of that operand: gathered or cut.
  int64_t other;  // CONTRACTED: the dimension of the other operand; else the result's.
  int64_t group_count, group_size;
  const int64_t *ids;
} pattern_t;

typedef struct matmul_t {
  rewrite_t *rewrite;
  rewrite_uses_t uses;
  mlir_replacements_t replacements;
  const pattern_t *pattern;
  mlir_op_t *where;  // What is made comes before it.
  const char *why;
} matmul_t;

// --- Patterns ---

static int64_t index_in(const stablehlo_dims_t *dims, int64_t dim) {
  for (int64_t i = 0; i < dims->count; i++) {
    if (dims->values[i] == dim) {
      return i;
    }
  }
  return -1;
}

static bool is_free(const stablehlo_dot_t *dims, int side, int64_t dim) {
  return index_in(side == 0 ? &dims->lhs_batching : &dims->rhs_batching, dim) < 0 &&
         index_in(side == 0 ? &dims->lhs_contracting : &dims->rhs_contracting, dim) < 0;
}

// Where in the result a free dimension of an operand lies: batching dimensions come
// first, then lhs, then rhs.
static int64_t place_of(const mlir_op_t *dot, const stablehlo_dot_t *dims, int side,
                        int64_t dim) {
  int64_t place = dims->lhs_batching.count;
  for (int s = 0; s <= side; s++) {
    const int64_t end = s == side ? dim : rewrite_shape(dot->operands[s])->rank;
    for (int64_t d = 0; d < end; d++) {
      place += is_free(dims, s, d);
    }
  }
  return place;
}

static bool has_ring(const matmul_t *matmul, pattern_t *pattern) {
  return rewrite_groups(matmul->rewrite, pattern->collective, &pattern->group_count,
                        &pattern->group_size, &pattern->ids) &&
         pattern->group_size >= 2 && pattern->group_size <= RING_MAX;
}

static bool read_dims(const matmul_t *matmul, const mlir_op_t *dot,
                      stablehlo_dot_t *out) {
  pod_status_t status = stablehlo_dot_dimensions(
      matmul->rewrite->module, mlir_op_attr(dot, "dot_dimension_numbers"), out);
  const bool is_read = status == NULL;
  pod_status_free(status);
  return is_read;
}

static bool is_read_once(const matmul_t *matmul, const mlir_value_t *value) {
  return value->id < matmul->uses.value_count && matmul->uses.counts[value->id] == 1;
}

static bool find_gathered(const matmul_t *matmul, mlir_op_t *dot, pattern_t *pattern) {
  stablehlo_dot_t dims;
  if (!read_dims(matmul, dot, &dims) || dot->operands[0] == dot->operands[1]) {
    return false;
  }
  for (int side = 0; side < 2; side++) {
    mlir_op_t *gather = dot->operands[side]->op;
    if (gather == NULL || gather->kind != CHIP_OP_ALL_GATHER ||
        gather->operand_count != 1 || gather->block != dot->block ||
        !is_read_once(matmul, dot->operands[side])) {
      continue;
    }
    *pattern = (pattern_t){.collective = gather, .dot = dot, .side = side};
    pattern->dim = mlir_op_attr(gather, "all_gather_dim")->integer;
    const int64_t at =
        index_in(side == 0 ? &dims.lhs_contracting : &dims.rhs_contracting, pattern->dim);
    if (is_free(&dims, side, pattern->dim)) {
      pattern->other = place_of(dot, &dims, side, pattern->dim);
    } else if (at >= 0) {
      pattern->kind = CONTRACTED;
      pattern->other =
          (side == 0 ? &dims.rhs_contracting : &dims.lhs_contracting)->values[at];
    } else {
      continue;
    }
    if (has_ring(matmul, pattern)) {
      return true;
    }
  }
  return false;
}

static bool find_scattered(const matmul_t *matmul, mlir_op_t *dot, pattern_t *pattern) {
  stablehlo_dot_t dims;
  mlir_op_t *reader = is_read_once(matmul, &dot->results[0])
                          ? matmul->uses.readers[dot->results[0].id]
                          : NULL;
  if (reader == NULL || reader->kind != CHIP_OP_REDUCE_SCATTER ||
      reader->block != dot->block || reader->operand_count != 1 ||
      compiler_reducer(reader) != CHIP_REDUCER_ADD || !read_dims(matmul, dot, &dims)) {
    return false;
  }
  *pattern = (pattern_t){.kind = SCATTERED, .collective = reader, .dot = dot};
  pattern->other = mlir_op_attr(reader, "scatter_dimension")->integer;
  for (int side = 0; side < 2; side++) {
    for (int64_t d = 0; d < rewrite_shape(dot->operands[side])->rank; d++) {
      if (is_free(&dims, side, d) && place_of(dot, &dims, side, d) == pattern->other) {
        pattern->side = side;
        pattern->dim = d;
        return has_ring(matmul, pattern);
      }
    }
  }
  return false;
}

static bool find_pattern(const matmul_t *matmul, mlir_op_t *dot, pattern_t *pattern) {
  return dot->kind == CHIP_OP_DOT_GENERAL &&
         (find_gathered(matmul, dot, pattern) || find_scattered(matmul, dot, pattern));
}

static bool have_equal_types(const mlir_op_t *a, const mlir_op_t *b) {
  for (int i = 0; i < a->operand_count; i++) {
    if (!mlir_type_equal(a->operands[i]->type, b->operands[i]->type)) {
      return false;
    }
  }
  return mlir_type_equal(a->results[0].type, b->results[0].type);
}

static bool are_alike(const pattern_t *a, const pattern_t *b) {
  return a->kind == b->kind && a->side == b->side && a->dim == b->dim &&
         a->other == b->other && have_equal_types(a->dot, b->dot) &&
         have_equal_types(a->collective, b->collective) &&
         rewrite_are_alike(a->collective, b->collective, false) &&
         mlir_attr_equal(mlir_op_attr(a->dot, "dot_dimension_numbers"),
                         mlir_op_attr(b->dot, "dot_dimension_numbers"));
}

// --- Making ---

static void set_i64s(matmul_t *matmul, mlir_op_t *op, const char *name, int64_t count,
                     const int64_t *values) {
  mlir_module_t *module = matmul->rewrite->module;
  mlir_op_set_attr(module, op, mlir_intern(module, name),
                   mlir_attr_i64_array(module, count, values));
}

// A scalar: of the chip at place `at` of its group, (at + shift) mod the group's size,
// times `scale`, plus `offset`.
static mlir_value_t *emit_start(matmul_t *matmul, int64_t shift, int64_t scale,
                                int64_t offset) {
  rewrite_t *rewrite = matmul->rewrite;
  const pattern_t *it = matmul->pattern;
  const int64_t limit = mesh_id_limit(rewrite->partitioned->mesh), one = 1;
  int32_t *starts = pod_alloc((size_t)limit * sizeof(*starts));
  for (int64_t i = 0; i < it->group_count * it->group_size; i++) {
    const int64_t at = (i % it->group_size + shift + it->group_size) % it->group_size;
    starts[it->ids[i]] = (int32_t)(at * scale + offset);
  }
  const tensor_shape_t table = tensor_shape_make(TENSOR_S32, 1, &limit);
  const tensor_shape_t entry = tensor_shape_make(TENSOR_S32, 1, &one);
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
  const tensor_shape_t id = tensor_shape_make(TENSOR_U32, 0, NULL);
  mlir_op_t *op;
  mlir_value_t *operands[2];
  operands[0] =
      rewrite_emit(rewrite, matmul->where, "stablehlo.constant", 0, NULL, &table, &op);
  mlir_op_set_attr(rewrite->module, op, mlir_intern(rewrite->module, "value"),
                   mlir_attr_dense(rewrite->module, &table, starts, false));
  free(starts);
  operands[1] = rewrite_emit(rewrite, matmul->where, chip_op_name(CHIP_OP_PARTITION_ID),
                             0, NULL, &id, NULL);
  mlir_value_t *cut = rewrite_emit(rewrite, matmul->where, "stablehlo.dynamic_slice", 2,
                                   operands, &entry, &op);
  set_i64s(matmul, op, "slice_sizes", 1, &one);
  return rewrite_reshape(rewrite, matmul->where, cut, &scalar);
}

// Operands of an operation that starts at `start` along `dim` and at 0 along the others,
// from operands[count] on.
static int add_starts(matmul_t *matmul, mlir_value_t **operands, int count, int rank,
                      int64_t dim, mlir_value_t *start) {
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
  const int32_t zero = 0;
  mlir_value_t *none = rewrite_constant(matmul->rewrite, matmul->where, &scalar, &zero);
  for (int d = 0; d < rank; d++) {
    operands[count + d] = d == dim ? start : none;
  }
  return count + rank;
}

static mlir_value_t *emit_slice(matmul_t *matmul, mlir_value_t *value, int64_t dim,
                                int64_t size, mlir_value_t *start) {
  tensor_shape_t shape = *rewrite_shape(value);
  shape.dims[dim] = size;
  mlir_value_t *operands[1 + TENSOR_RANK_MAX] = {value};
  const int count = add_starts(matmul, operands, 1, shape.rank, dim, start);
  mlir_op_t *op;
  mlir_value_t *part =
      rewrite_emit(matmul->rewrite, matmul->where, "stablehlo.dynamic_slice", count,
                   operands, &shape, &op);
  set_i64s(matmul, op, "slice_sizes", shape.rank, shape.dims);
  return part;
}

static mlir_value_t *emit_update(matmul_t *matmul, mlir_value_t *into, mlir_value_t *part,
                                 int64_t dim, mlir_value_t *start) {
  const tensor_shape_t *shape = rewrite_shape(into);
  mlir_value_t *operands[2 + TENSOR_RANK_MAX] = {into, part};
  const int count = add_starts(matmul, operands, 2, shape->rank, dim, start);
  return rewrite_emit(matmul->rewrite, matmul->where, "stablehlo.dynamic_update_slice",
                      count, operands, shape, NULL);
}

static mlir_value_t *emit_two(matmul_t *matmul, const char *name, mlir_value_t *a,
                              mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  return rewrite_emit(matmul->rewrite, matmul->where, name, 2, operands, rewrite_shape(a),
                      NULL);
}

// The product of other operands; `size` is the result's along `dim`, where not negative.
static mlir_value_t *emit_dot(matmul_t *matmul, mlir_value_t *lhs, mlir_value_t *rhs,
                              int64_t dim, int64_t size) {
  const mlir_op_t *dot = matmul->pattern->dot;
  tensor_shape_t shape = *rewrite_shape(&dot->results[0]);
  if (dim >= 0) {
    shape.dims[dim] = size;
  }
  mlir_value_t *operands[] = {lhs, rhs};
  mlir_op_t *op;
  mlir_value_t *result =
      rewrite_emit(matmul->rewrite, matmul->where, dot->name, 2, operands, &shape, &op);
  op->position = dot->position;
  op->location = dot->location;
  for (int i = 0; i < dot->attr_count; i++) {
    mlir_op_add_attr(matmul->rewrite->module, op, dot->attrs[i].name,
                     dot->attrs[i].value);
  }
  return result;
}

// Every chip gets what the one `step` places further round its group has.
static mlir_value_t *emit_shift(matmul_t *matmul, mlir_value_t *value, int64_t step) {
  rewrite_t *rewrite = matmul->rewrite;
  mlir_module_t *module = rewrite->module;
  const pattern_t *it = matmul->pattern;
  const int64_t n = it->group_size, count = it->group_count * n;
  int64_t *pairs = pod_alloc(2 * (size_t)count * sizeof(*pairs));
  for (int64_t i = 0; i < count; i++) {
    pairs[2 * i] = it->ids[i - i % n + (i % n + step + n) % n];
    pairs[2 * i + 1] = it->ids[i];
  }
  mlir_op_t *op;
  mlir_value_t *result =
      rewrite_emit(rewrite, matmul->where, chip_op_name(CHIP_OP_COLLECTIVE_PERMUTE), 1,
                   &value, rewrite_shape(value), &op);
  const tensor_shape_t shape =
      tensor_shape_make(TENSOR_S64, 2, (const int64_t[]){count, 2});
  mlir_op_set_attr(module, op, mlir_intern(module, "source_target_pairs"),
                   mlir_attr_dense(module, &shape, pairs, false));
  free(pairs);
  const mlir_attr_t *axes = mlir_op_attr(it->collective, COMPILER_AXES_ATTR);
  if (axes != NULL) {
    mlir_op_set_attr(module, op, mlir_intern(module, COMPILER_AXES_ATTR), axes);
  }
  op->position = it->collective->position;
  op->location = it->collective->location;
  rewrite_explain(rewrite, op, matmul->why, it->collective);
  return result;
}

// --- Rings ---

// What chunk of the operand that goes round adds to the result so far; NULL: nothing yet.
static mlir_value_t *add_chunk(matmul_t *matmul, mlir_value_t *sum, mlir_value_t *chunk,
                               int64_t shift) {
  const pattern_t *it = matmul->pattern;
  const int64_t piece = rewrite_shape(chunk)->dims[it->dim];
  mlir_value_t *other = it->dot->operands[1 - it->side];
  mlir_value_t *start = emit_start(matmul, shift, piece, 0);
  if (it->kind == CONTRACTED) {
    other = emit_slice(matmul, other, it->other, piece, start);
    mlir_value_t *part = it->side == 0 ? emit_dot(matmul, chunk, other, -1, 0)
                                       : emit_dot(matmul, other, chunk, -1, 0);
    return sum == NULL ? part : emit_two(matmul, chip_op_name(CHIP_OP_ADD), sum, part);
  }
  mlir_value_t *part = it->side == 0 ? emit_dot(matmul, chunk, other, it->other, piece)
                                     : emit_dot(matmul, other, chunk, it->other, piece);
  return emit_update(matmul, sum, part, it->other, start);
}

static mlir_value_t *ring_gathered(matmul_t *matmul, int directions) {
  static const uint8_t zero[16] = {0};
  const pattern_t *it = matmul->pattern;
  const int64_t n = it->group_size;
  mlir_value_t *forward = it->collective->operands[0], *backward = forward;
  mlir_value_t *sum = it->kind == CONTRACTED
                          ? NULL
                          : rewrite_constant(matmul->rewrite, matmul->where,
                                             rewrite_shape(&it->dot->results[0]), zero);
  mlir_value_t *own = forward;
  int64_t ahead = 0, behind = 0;
  // What is sent comes before the product that hides it.
  for (int64_t done = 0; done < n;) {
    mlir_value_t *now[2] = {done == 0 ? own : forward, backward};
    const int64_t shifts[2] = {ahead, -behind};
    const int has = done == 0 || directions == 1 || behind < ahead ? 1 : 2;
    done += has;
    if (done < n) {
      forward = emit_shift(matmul, forward, 1);
      ahead++;
    }
    if (directions == 2 && done + 1 < n) {
      backward = emit_shift(matmul, backward, -1);
      behind++;
    }
    for (int i = 0; i < has; i++) {
      sum = add_chunk(matmul, sum, now[i], shifts[i]);
    }
  }
  return sum;
}

// The part that this chip adds to what chip (at + shift) gets.
static mlir_value_t *part_for(matmul_t *matmul, int64_t shift, int64_t piece,
                              int64_t offset, int64_t size) {
  const pattern_t *it = matmul->pattern;
  mlir_value_t *operands[] = {it->dot->operands[0], it->dot->operands[1]};
  operands[it->side] = emit_slice(matmul, operands[it->side], it->dim, size,
                                  emit_start(matmul, shift, piece, offset));
  return emit_dot(matmul, operands[0], operands[1], it->other, size);
}

static mlir_value_t *ring_scattered(matmul_t *matmul, int directions) {
  const pattern_t *it = matmul->pattern;
  const int64_t n = it->group_size;
  const int64_t piece = rewrite_shape(&it->collective->results[0])->dims[it->other];
  const int64_t size = piece / directions;
  mlir_value_t *sums[2] = {NULL, NULL};
  for (int64_t k = 0; k < n; k++) {
    mlir_value_t *come[2] = {NULL, NULL};
    for (int i = 0; i < directions && k > 0; i++) {
      come[i] = emit_shift(matmul, sums[i], i == 0 ? -1 : 1);
    }
    for (int i = 0; i < directions; i++) {
      const int64_t shift = i == 0 ? n - 1 - k : -(n - 1 - k);
      mlir_value_t *part = part_for(matmul, shift, piece, i * size, size);
      sums[i] =
          k == 0 ? part : emit_two(matmul, chip_op_name(CHIP_OP_ADD), come[i], part);
    }
  }
  if (directions == 1) {
    return sums[0];
  }
  mlir_op_t *join;
  mlir_value_t *both =
      rewrite_emit(matmul->rewrite, matmul->where, "stablehlo.concatenate", 2, sums,
                   rewrite_shape(&it->collective->results[0]), &join);
  mlir_op_set_attr(matmul->rewrite->module, join,
                   mlir_intern(matmul->rewrite->module, "dimension"),
                   mlir_attr_integer(matmul->rewrite->module, it->other, TENSOR_S64));
  return both;
}

static bool has_two_directions(const pattern_t *it) {
  return it->group_size > 2 &&
         (it->kind != SCATTERED ||
          rewrite_shape(&it->collective->results[0])->dims[it->other] % 2 == 0);
}

static void decompose(matmul_t *matmul, const pattern_t *pattern, int directions) {
  matmul->pattern = pattern;
  rewrite_touch(matmul->rewrite, pattern->collective);
  const bool scatters = pattern->kind == SCATTERED;
  matmul->where = scatters ? pattern->collective : pattern->dot;
  mlir_value_t *result =
      scatters ? ring_scattered(matmul, directions) : ring_gathered(matmul, directions);
  mlir_replacements_put(&matmul->replacements, &matmul->where->results[0], result);
}

// The patterns that are like the one of kind `wanted`, counted as they come.
static int find_kind(const matmul_t *matmul, int wanted, pattern_t **out_list) {
  POD_LIST(pattern_t) firsts = {0};
  POD_LIST(pattern_t) found = {0};
  for (mlir_op_t *op = mlir_walk_first(matmul->rewrite->main); op != NULL;
       op = mlir_walk_next(matmul->rewrite->main, op)) {
    pattern_t pattern;
    if (!find_pattern(matmul, op, &pattern)) {
      continue;
    }
    int kind = 0;
    while (kind < firsts.count && !are_alike(&firsts.items[kind], &pattern)) {
      kind++;
    }
    if (kind == firsts.count) {
      *pod_list_add(&firsts) = pattern;
    }
    if (kind == wanted) {
      *pod_list_add(&found) = pattern;
    }
  }
  pod_list_deinit(&firsts);
  *out_list = found.items;
  return found.count;
}

rewrite_outcome_t rewrite_matmul(rewrite_t *rewrite, int site) {
  static const char *const kinds[] = {"a ring of products in place of an all_gather",
                                      "a ring of products in place of an all_gather",
                                      "a ring of products in place of a reduce_scatter"};
  rewrite->variants = VARIANTS;
  matmul_t matmul = {.rewrite = rewrite};
  rewrite_uses_init(&matmul.uses, rewrite);
  pattern_t *list;
  const int count = find_kind(&matmul, site / VARIANTS, &list);
  const int directions = VARIANTS - site % VARIANTS;
  const bool is_possible = count > 0 && (directions == 1 || has_two_directions(&list[0]));
  if (is_possible) {
    char why[128];
    snprintf(why, sizeof(why), "%s, in %s", kinds[list[0].kind],
             directions == 2 ? "two directions" : "one direction");
    matmul.why = why;
    for (int i = 0; i < count; i++) {
      decompose(&matmul, &list[i], directions);
    }
    rewrite_replace(rewrite, &matmul.replacements);
    char text[160];
    snprintf(text, sizeof(text), "%d times %s", count, why);
    rewrite->summary = pod_arena_strdup(rewrite->module->arena, text);
  }
  mlir_replacements_deinit(&matmul.replacements);
  rewrite_uses_deinit(&matmul.uses);
  free(list);
  return count == 0 ? REWRITE_NO_SITE : is_possible ? REWRITE_DONE : REWRITE_NOTHING;
}
