#include "server/compiler/partition/reshard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/random.h"

// A mesh x=2 y=2 z=4 and layouts written "xy|z" : dimension 0 over x then y, 1 over z.
// "a" and "b" are the two halves of z, major and minor; what follows "+" is
// unreduced, what follows "^" in the way of a maximum.
typedef struct world_t {
  pod_arena_t *arena;
  const mesh_t *mesh;
  layouts_t layouts;
} world_t;

static int start(void **state) {
  world_t *world = test_malloc(sizeof(*world));
  world->arena = pod_arena_create();
  const mesh_axis_t axes[] = {{"x", 2}, {"y", 2}, {"z", 4}};
  if (mesh_make(world->arena, "mesh", 3, axes, NULL, &world->mesh) != NULL) {
    return 1;
  }
  layouts_init(&world->layouts, world->arena, world->mesh);
  *state = world;
  return 0;
}

static int stop(void **state) {
  world_t *world = *state;
  layouts_deinit(&world->layouts);
  pod_arena_destroy(world->arena);
  test_free(world);
  return 0;
}

static axis_ref_t named(char name) {
  switch (name) {
    case 'x':
      return (axis_ref_t){0, 1, 2};
    case 'y':
      return (axis_ref_t){1, 1, 2};
    case 'z':
      return (axis_ref_t){2, 1, 4};
    case 'a':
      return (axis_ref_t){2, 1, 2};
    default:
      return (axis_ref_t){2, 2, 2};
  }
}

static const layout_t *layout(world_t *world, const char *text) {
  axes_t dims[TENSOR_RANK_MAX], unreduced = {0};
  memset(dims, 0, sizeof(dims));
  int rank = 1;
  bool is_unreduced = false;
  chip_reducer_t reducer = CHIP_REDUCER_ADD;
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '|') {
      rank++;
    } else if (*at == '+' || *at == '^') {
      is_unreduced = true;
      reducer = *at == '^' ? CHIP_REDUCER_MAXIMUM : CHIP_REDUCER_ADD;
    } else {
      axes_append(is_unreduced ? &unreduced : &dims[rank - 1], named(*at));
    }
  }
  return layouts_get(&world->layouts, rank, dims, &unreduced, reducer);
}

static tensor_shape_t shape_of(const layout_t *of) {
  int64_t dims[TENSOR_RANK_MAX];
  for (int d = 0; d < of->rank; d++) {
    dims[d] = 64;
  }
  return tensor_shape_make(TENSOR_F32, of->rank, dims);
}

static void print_axes(const world_t *world, pod_text_t *text, const axes_t *axes) {
  for (int i = 0; i < axes->count; i++) {
    const axis_ref_t ref = axes->refs[i];
    pod_text_add(text, world->mesh->axes[ref.axis].name);
    if (ref.size != world->mesh->axes[ref.axis].size) {
      pod_text_printf(text, "(%d)%d", (int)ref.pre_size, (int)ref.size);
    }
  }
}

// "gather 0 x; slice 1 y; …"
static void check_plan(world_t *world, const char *from, const char *to,
                       const char *expected) {
  static const char *const names[] = {"slice",   "reduce", "scatter", "all_to_all",
                                      "permute", "gather", "place",   "keep_first"};
  reshard_plan_t plan;
  const tensor_shape_t shape = shape_of(layout(world, from));
  reshard_plan(&world->layouts, &shape, layout(world, from), layout(world, to), &plan);
  pod_text_t text = {0};
  pod_text_add(&text, "");
  for (int i = 0; i < plan.count; i++) {
    const reshard_step_t *step = &plan.steps[i];
    pod_text_printf(&text, "%s%s", i == 0 ? "" : "; ", names[step->kind]);
    if (step->kind == RESHARD_ALL_TO_ALL) {
      pod_text_printf(&text, " %d>%d", step->dim, step->to_dim);
    } else if (step->kind != RESHARD_PERMUTE && step->kind != RESHARD_ALL_REDUCE &&
               step->kind != RESHARD_KEEP_FIRST) {
      pod_text_printf(&text, " %d", step->dim);
    }
    pod_text_add(&text, step->axes.count > 0 ? " " : "");
    print_axes(world, &text, &step->axes);
  }
  assert_string_equal(text.bytes, expected);
  pod_text_deinit(&text);
}

static void test_axes_nobody_has_are_cut_without_communication(void **state) {
  check_plan(*state, "|", "x|", "slice 0 x");
  check_plan(*state, "x|", "xy|z", "slice 0 y; slice 1 z");
}

static void test_axes_that_go_are_gathered(void **state) {
  check_plan(*state, "x|y", "|y", "gather 0 x");
  check_plan(*state, "xy|", "x|", "gather 0 y");
  check_plan(*state, "xy|z", "|", "gather 0 xy; gather 1 z");
}

static void test_an_axis_moves_to_another_dimension_by_all_to_all(void **state) {
  check_plan(*state, "x|", "|x", "all_to_all 0>1 x");
  check_plan(*state, "xz|y", "x|yz", "all_to_all 0>1 z");
  check_plan(*state, "xy||", "|y|x", "all_to_all 0>1 y; all_to_all 0>2 x");
}

// Of small arrays, one collective of more bytes takes less time than two.
static void test_what_a_collective_takes_beside_its_bytes_counts(void **state) {
  world_t *world = *state;
  world->layouts.start_bytes = 1e6;
  check_plan(world, "xy||", "|y|x", "gather 0 xy; slice 1 y; slice 2 x");
  world->layouts.start_bytes = 1;
  check_plan(world, "xy||", "|y|x", "all_to_all 0>1 y; all_to_all 0>2 x");
  world->layouts.start_bytes = 0;
}

static void test_axes_that_change_places_are_permuted(void **state) {
  check_plan(*state, "x|y", "y|x", "permute");
  check_plan(*state, "xy|", "yx|", "permute");
  check_plan(*state, "x", "y", "permute");
  check_plan(*state, "z", "xy", "permute");
}

static void test_a_permutation_spares_gathering_more_than_it_takes(void **state) {
  check_plan(*state, "xy|", "y|", "permute; gather 0 x");
}

static void test_partial_results_are_scattered_where_they_are_wanted(void **state) {
  check_plan(*state, "|+y", "|", "reduce y");
  check_plan(*state, "|+y", "y|", "scatter 0 y");
  check_plan(*state, "x|+y", "xy|", "scatter 0 y");
  check_plan(*state, "|+xy", "|y", "scatter 1 y; reduce x");
  check_plan(*state, "|+x", "y|x", "slice 0 y; scatter 1 x");
  check_plan(*state, "x|+y", "|", "reduce y; gather 0 x");
}

static void test_parts_of_axes_move_like_axes(void **state) {
  check_plan(*state, "z|", "a|b", "all_to_all 0>1 z(2)2");
  check_plan(*state, "a|b", "z|", "all_to_all 1>0 z(2)2");
  check_plan(*state, "a|", "z|", "slice 0 z(2)2");
  check_plan(*state, "z|", "a|", "gather 0 z(2)2");
  check_plan(*state, "b|", "a|", "permute");
}

static void test_what_both_have_unreduced_stays(void **state) {
  check_plan(*state, "|+x", "|+x", "");
  check_plan(*state, "|+xy", "|+x", "reduce y");
  check_plan(*state, "|+xy", "y|+x", "scatter 0 y");
  check_plan(*state, "y|+x", "|y+x", "all_to_all 0>1 y");
}

static void test_a_value_becomes_a_sum_without_communication(void **state) {
  check_plan(*state, "|", "|+x", "keep_first x");
  check_plan(*state, "x|", "|+x", "place 0 x");
  check_plan(*state, "yx|", "y|+x", "place 0 x");
  check_plan(*state, "xy|", "|+x", "gather 0 xy; keep_first x");
}

static void test_parts_of_a_maximum_stay_those_of_one(void **state) {
  check_plan(*state, "|^xy", "|^x", "reduce y");
  check_plan(*state, "|^x", "x|", "scatter 0 x");
  check_plan(*state, "x|", "|^x", "place 0 x");
  check_plan(*state, "|^x", "|+x", "reduce x; keep_first x");
}

static void test_what_is_cut_first_moves_less(void **state) {
  check_plan(*state, "|a", "z|", "slice 1 z(2)2; all_to_all 1>0 z");
  check_plan(*state, "|x", "xy|a", "slice 0 yz(1)2; permute");
}

static void test_a_way_around_may_move_less(void **state) {
  check_plan(*state, "z|yx", "xyz|", "permute; all_to_all 1>0 z");
  check_plan(*state, "yz|", "|y", "all_to_all 0>1 yz; gather 1 z");
}

// Any layout can be reached from any other, in a bounded number of steps.
static void test_every_pair_of_layouts_has_a_plan(void **state) {
  world_t *world = *state;
  pod_random_t random = {.state = 7};
  for (int trial = 0; trial < 3000; trial++) {
    const layout_t *ends[2];
    for (int end = 0; end < 2; end++) {
      axes_t dims[3], unreduced = {0};
      memset(dims, 0, sizeof(dims));
      char names[] = "xyab";
      for (int i = 0; i < 4; i++) {
        const int j = i + (int)pod_random_below(&random, (uint64_t)(4 - i));
        const char name = names[j];
        names[j] = names[i];
        names[i] = name;
        const int place = (int)pod_random_below(&random, 5);
        if (place < 3) {
          axes_append(&dims[place], named(name));
        } else if (place == 3) {
          axes_append(&unreduced, named(name));
        }
      }
      const chip_reducer_t reducer =
          trial % 3 == end ? CHIP_REDUCER_MAXIMUM : CHIP_REDUCER_ADD;
      ends[end] = layouts_get(&world->layouts, 3, dims, &unreduced, reducer);
    }
    const tensor_shape_t shape = shape_of(ends[0]);
    reshard_plan_t plan;
    reshard_plan(&world->layouts, &shape, ends[0], ends[1], &plan);
    assert_true(plan.count <= 12);
    const layout_t *arrived =
        plan.count == 0 ? ends[0] : plan.steps[plan.count - 1].after;
    assert_ptr_equal(arrived, ends[1]);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
  const struct CMUnitTest tests[] = {
      TEST(test_axes_nobody_has_are_cut_without_communication),
      TEST(test_axes_that_go_are_gathered),
      TEST(test_an_axis_moves_to_another_dimension_by_all_to_all),
      TEST(test_what_a_collective_takes_beside_its_bytes_counts),
      TEST(test_axes_that_change_places_are_permuted),
      TEST(test_a_permutation_spares_gathering_more_than_it_takes),
      TEST(test_partial_results_are_scattered_where_they_are_wanted),
      TEST(test_parts_of_axes_move_like_axes),
      TEST(test_what_both_have_unreduced_stays),
      TEST(test_parts_of_a_maximum_stay_those_of_one),
      TEST(test_a_value_becomes_a_sum_without_communication),
      TEST(test_what_is_cut_first_moves_less),
      TEST(test_a_way_around_may_move_less),
      TEST(test_every_pair_of_layouts_has_a_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
