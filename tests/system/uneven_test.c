// Arrays whose dimensions their axes do not divide: what is put comes back, a chip's part
// ends in padding, and a program computes with it as if there were none.

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/lib/podium.h"
#include "tests/system/client.h"

enum { TIMEOUT_MS = 120000 };

static const podium_mesh_axis_t axes[] = {{"x", 2}, {"y", 2}};

static float *make_numbers(int64_t count) {
  float *numbers = malloc((size_t)count * sizeof(*numbers));
  assert_non_null(numbers);
  for (int64_t i = 0; i < count; i++) {
    numbers[i] = (float)(i % 1000 + 1);
  }
  return numbers;
}

// A dimension that is cut in `pieces`.
static int64_t part_of(int64_t size, int64_t pieces) {
  return (size + pieces - 1) / pieces;
}

typedef struct ending_t {
  sem_t has_ended;
  podium_status_t *status;
} ending_t;

static void on_end(void *context, podium_status_t *status) {
  ending_t *ending = context;
  ending->status = status;
  sem_post(&ending->has_ended);
}

static void fetch_part(podium_array_t *array, int chip, void *data, size_t size) {
  ending_t ending = {.status = NULL};
  sem_init(&ending.has_ended, 0, 0);
  must(podium_fetch_async(array, chip, data, size, TIMEOUT_MS, on_end, &ending));
  while (sem_wait(&ending.has_ended) != 0) {
  }
  sem_destroy(&ending.has_ended);
  must(ending.status);
}

// What chip `chip` has of `rows` by `columns` in tiles by x and y: zeros behind the end.
static void expect_tile(podium_array_t *array, int chip, int64_t rows, int64_t columns,
                        const float *numbers) {
  const podium_shape_t *local = podium_array_local_shape(array);
  assert_int_equal(local->dims[0], part_of(rows, 2));
  assert_int_equal(local->dims[1], part_of(columns, 2));
  const int64_t height = local->dims[0], width = local->dims[1];
  const size_t size = (size_t)(height * width) * sizeof(float);
  float *tile = malloc(size);
  assert_non_null(tile);
  fetch_part(array, chip, tile, size);
  for (int64_t i = 0; i < height * width; i++) {
    const int64_t row = chip / 2 * height + i / width;
    const int64_t column = chip % 2 * width + i % width;
    const bool is_there = row < rows && column < columns;
    assert_true(tile[i] == (is_there ? numbers[row * columns + column] : 0));
  }
  free(tile);
}

static void check_tiles(podium_session_t *session, int64_t rows, int64_t columns) {
  static const char *const spec[] = {"x", "y"};
  const podium_sharding_t sharding = {
      .axis_count = 2, .axes = axes, .rank = 2, .spec = spec};
  const podium_layout_t layout = {
      .shape = {.dtype = PODIUM_F32, .rank = 2, .dims = {rows, columns}},
      .sharding = &sharding};
  const size_t size = (size_t)(rows * columns) * sizeof(float);
  float *numbers = make_numbers(rows * columns), *back = calloc(1, size);
  podium_array_t *array = NULL;
  must(podium_put(session, &layout, numbers, size, TIMEOUT_MS, &array));
  must(podium_fetch(array, back, size, TIMEOUT_MS));
  assert_memory_equal(back, numbers, size);
  for (int chip = 0; chip < 4; chip++) {
    expect_tile(array, chip, rows, columns, numbers);
  }
  podium_array_free(array);
  free(numbers);
  free(back);
}

static void test_parts_end_in_padding(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "2x2"});
  podium_session_t *session = connect_to(pod);
  // The last ones are more than a worker's queue holds.
  static const int64_t sizes[][2] = {{7, 5}, {1, 1}, {1, 6}, {3, 1001}, {2047, 2049}};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    check_tiles(session, sizes[i][0], sizes[i][1]);
  }
  podium_close(session);
  system_pod_stop(pod);
}

// Two of the four parts are nothing but padding, of megabytes.
static void test_a_chip_may_have_nothing_but_padding(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "2x2"});
  podium_session_t *session = connect_to(pod);
  static const char *const spec[] = {"x,y", NULL};
  const podium_sharding_t sharding = {
      .axis_count = 2, .axes = axes, .rank = 2, .spec = spec};
  const int64_t columns = 2 << 20;
  const podium_layout_t layout = {
      .shape = {.dtype = PODIUM_F32, .rank = 2, .dims = {2, columns}},
      .sharding = &sharding};
  const size_t row = (size_t)columns * sizeof(float);
  float *numbers = make_numbers(2 * columns), *back = calloc(2, row);
  podium_array_t *array = NULL;
  must(podium_put(session, &layout, numbers, 2 * row, TIMEOUT_MS, &array));
  must(podium_fetch(array, back, 2 * row, TIMEOUT_MS));
  assert_memory_equal(back, numbers, 2 * row);
  fetch_part(array, 3, back, row);
  for (int64_t i = 0; i < columns; i++) {
    assert_true(back[i] == 0);
  }
  podium_close(session);
  system_pod_stop(pod);
  free(numbers);
  free(back);
}

// The first result's padding is infinite: 1 / 0. The second program must not see it.
static const char *const module_text =
    "module @jit_f {\n"
    "  sdy.mesh @mesh = <[\"x\"=4]>\n"
    "  func.func public @main(%a: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, "
    "[{\"x\"}]>}) -> (tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, "
    "tensor<f32>) {\n"
    "    %one = stablehlo.constant dense<1.0> : tensor<7xf32>\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %0 = stablehlo.divide %one, %a : tensor<7xf32>\n"
    "    %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = "
    "[0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>\n"
    "    return %0, %1 : tensor<7xf32>, tensor<f32>\n"
    "  }\n"
    "}\n";

static void test_a_program_does_not_see_padding(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "2x2"});
  podium_session_t *session = connect_to(pod);
  podium_executable_t *executable = NULL;
  must(podium_compile(session, "uneven.mlir", module_text, strlen(module_text), NULL,
                      &executable));
  const podium_program_info_t *info = podium_executable_info(executable);
  assert_int_equal(info->arguments[0].shape.dims[0], 7);
  assert_int_equal(info->arguments[0].local_shape.dims[0], 2);
  const float numbers[] = {1, 2, 4, 8, 16, 32, 64};
  float sum = 0, back[7];
  podium_array_t *argument = NULL, *first[2], *second[2];
  must(podium_put(session, &(podium_layout_t){.executable = executable}, numbers,
                  sizeof(numbers), TIMEOUT_MS, &argument));
  must(podium_execute(executable, 1, &argument, NULL, first, NULL));
  must(podium_execute(executable, 1, first, NULL, second, NULL));
  must(podium_fetch(second[0], back, sizeof(back), TIMEOUT_MS));
  assert_memory_equal(back, numbers, sizeof(numbers));
  must(podium_fetch(second[1], &sum, sizeof(sum), TIMEOUT_MS));
  assert_true(sum == 127.0F / 64);
  podium_close(session);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts_end_in_padding),
      cmocka_unit_test(test_a_chip_may_have_nothing_but_padding),
      cmocka_unit_test(test_a_program_does_not_see_padding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
