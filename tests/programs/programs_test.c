// The programs of tests/programs on pods of separate daemons, their values checked
// against the reference.
//
// What the clock tells of an execution is what it tells of the program alone.
//
// Every element of the small variants is checked; of the large ones a seeded sample. The
// programs of the field at their full size are compiled by unit.server.compiler.programs.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/lib/podium.h"
#include "common/base/random.h"
#include "common/tensor/array.h"
#include "tests/file.h"
#include "tests/programs/reference.h"
#include "tests/system/pod.h"

enum { SAMPLE_COUNT = 2000, TIMEOUT_MS = 120000, EXECUTIONS = 100 };

static void must(podium_status_t *status) {
  if (status != NULL) {
    print_error("%s: %s\n", podium_code_name(podium_status_code(status)),
                podium_status_message(status));
  }
  assert_null(status);
}

static void must_internal(pod_status_t status) {
  if (status != NULL) {
    print_error("%s\n", pod_status_message(status));
  }
  assert_null(status);
}

static tensor_shape_t tensor_of(const podium_shape_t *shape) {
  return tensor_shape_make((tensor_dtype_t)shape->dtype, shape->rank, shape->dims);
}

// Random values; routing (integers) is in [0, number of experts).
static void make_argument(const reference_inputs_t *inputs, int index,
                          tensor_array_t *array, reference_array_t *reference) {
  pod_random_t random = {.state = (uint64_t)index + 17};
  const int64_t count = tensor_shape_elements(&array->shape);
  const size_t bytes = tensor_dtype_bytes(array->shape.dtype);
  const bool is_integer = tensor_dtype_is_integer(array->shape.dtype);
  const int64_t experts = inputs->arguments[0].dims[0];
  reference->rank = array->shape.rank;
  memcpy(reference->dims, array->shape.dims, sizeof(reference->dims));
  reference->values = malloc((size_t)count * sizeof(double));
  for (int64_t i = 0; i < count; i++) {
    char *element = (char *)array->data + (size_t)i * bytes;
    if (is_integer) {
      tensor_element_from_int64(array->shape.dtype,
                                (int64_t)pod_random_below(&random, (uint64_t)experts),
                                element);
    } else {
      tensor_element_from_double(array->shape.dtype, 2 * pod_random_uniform(&random) - 1,
                                 element);
    }
    reference->values[i] = tensor_element_as_double(array->shape.dtype, element);
  }
}

static void put_arguments(podium_session_t *session, podium_executable_t *executable,
                          reference_inputs_t *inputs, podium_array_t **out_arguments) {
  const podium_program_info_t *info = podium_executable_info(executable);
  for (int i = 0; i < info->argument_count; i++) {
    tensor_array_t array;
    const tensor_shape_t shape = tensor_of(&info->arguments[i].shape);
    must_internal(tensor_array_init(&array, &shape));
    make_argument(inputs, i, &array, &inputs->arguments[i]);
    must(podium_put(session, &(podium_layout_t){.executable = executable, .argument = i},
                    array.data, (size_t)tensor_shape_bytes(&shape), TIMEOUT_MS,
                    &out_arguments[i]));
    tensor_array_deinit(&array);
  }
}

static void free_inputs(const reference_inputs_t *inputs) {
  for (int i = 0; i < REFERENCE_ARGUMENTS_MAX; i++) {
    free(inputs->arguments[i].values);
  }
}

static void check_values(const reference_program_t *program, const char *path,
                         const reference_inputs_t *inputs, const tensor_array_t *result,
                         bool is_sample) {
  const tensor_shape_t *shape = &result->shape;
  const int64_t count = tensor_shape_elements(shape);
  const int64_t checks = is_sample && count > SAMPLE_COUNT ? SAMPLE_COUNT : count;
  const double tolerance =
      shape->dtype == TENSOR_BF16 ? program->tolerance_bf16 : program->tolerance_f32;
  pod_random_t random = {.state = 99};
  double scale = 0, largest = 0;
  for (int64_t check = 0; check < checks; check++) {
    const int64_t element =
        checks == count ? check : (int64_t)pod_random_below(&random, (uint64_t)count);
    int64_t index[TENSOR_RANK_MAX];
    int64_t rest = element;
    for (int d = shape->rank - 1; d >= 0; d--) {
      index[d] = rest % shape->dims[d];
      rest /= shape->dims[d];
    }
    const double expected = program->element(inputs, index);
    const double actual = tensor_element_as_double(
        shape->dtype,
        (const char *)result->data + (size_t)element * tensor_dtype_bytes(shape->dtype));
    const double difference = expected > actual ? expected - actual : actual - expected;
    largest = difference > largest || difference != difference ? difference : largest;
    const double magnitude = expected < 0 ? -expected : expected;
    scale = magnitude > scale ? magnitude : scale;
  }
  if (!(largest <= tolerance * scale)) {
    fail_msg("%s: difference %g of %g, tolerance %g", path, largest, scale, tolerance);
  }
}

static void check_same_times(const char *path, const podium_profile_t *a,
                             const podium_profile_t *b) {
  if (a->step_ps != b->step_ps) {
    fail_msg("%s: %lld ps, then %lld ps", path, (long long)a->step_ps,
             (long long)b->step_ps);
  }
  assert_int_equal(a->chip_count, b->chip_count);
  assert_int_equal(a->task_count, b->task_count);
  for (int chip = 0; chip < a->chip_count; chip++) {
    const podium_chip_class_t *in_a = &a->classes[a->class_of_chip[chip]];
    const podium_chip_class_t *in_b = &b->classes[b->class_of_chip[chip]];
    assert_int_equal(in_a->end_ps, in_b->end_ps);
    assert_int_equal(in_a->waiting_ps, in_b->waiting_ps);
    assert_int_equal(in_a->overlapped_ps, in_b->overlapped_ps);
    assert_memory_equal(in_a->links, in_b->links, sizeof(in_a->links));
    assert_int_equal(in_a->total_count, in_b->total_count);
    for (int i = 0; i < in_a->total_count; i++) {
      assert_int_equal(in_a->totals[i].task, in_b->totals[i].task);
      assert_int_equal(in_a->totals[i].run_count, in_b->totals[i].run_count);
      assert_int_equal(in_a->totals[i].start_ps, in_b->totals[i].start_ps);
      assert_int_equal(in_a->totals[i].duration_ps, in_b->totals[i].duration_ps);
    }
  }
}

// What the clock tells of the execution and of the program that nobody has run.
static void check_times(const char *path, podium_executable_t *executable,
                        podium_execution_t *execution) {
  podium_profile_t *told, *simulated;
  must(podium_profile(execution, NULL, &told));
  must(podium_simulate(executable, NULL, &simulated));
  assert_true(told->step_ps > 0);
  check_same_times(path, told, simulated);
  podium_profile_free(told);
  podium_profile_free(simulated);
}

static void run_one(podium_session_t *session, const reference_program_t *program,
                    const char *mesh, bool is_small) {
  char path[512];
  snprintf(path, sizeof(path), "%s/%s.%s%s.mlir", PROGRAMS_FOLDER, program->name, mesh,
           is_small ? ".small" : "");
  char *text = read_text(path);
  podium_executable_t *executable = NULL;
  must(podium_compile(session, path, text, strlen(text), NULL, &executable));
  free(text);
  const podium_program_info_t *info = podium_executable_info(executable);
  assert_in_range(info->argument_count, 1, REFERENCE_ARGUMENTS_MAX);
  assert_int_equal(info->result_count, 1);
  const bool has_two_axes = mesh[1] == 'x';
  reference_inputs_t inputs = {.mesh_x = has_two_axes ? mesh[0] - '0' : 0,
                               .mesh_y = has_two_axes ? mesh[2] - '0' : 0,
                               .argument_count = info->argument_count};
  podium_array_t *arguments[REFERENCE_ARGUMENTS_MAX] = {NULL};
  put_arguments(session, executable, &inputs, arguments);
  podium_array_t *result = NULL;
  podium_execution_t *execution = NULL;
  must(podium_execute(executable, info->argument_count, arguments,
                      &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS}, &result,
                      &execution));
  check_times(path, executable, execution);
  podium_execution_free(execution);
  tensor_array_t values;
  const tensor_shape_t shape = tensor_of(&info->results[0].shape);
  must_internal(tensor_array_init(&values, &shape));
  must(podium_fetch(result, values.data, (size_t)tensor_shape_bytes(&shape), TIMEOUT_MS));
  check_values(program, path, &inputs, &values, !is_small);
  tensor_array_deinit(&values);
  for (int i = 0; i < info->argument_count; i++) {
    podium_array_free(arguments[i]);
  }
  free_inputs(&inputs);
  podium_array_free(result);
  podium_executable_free(executable);
}

enum { MESH_COUNT = 5 };

static const struct {
  int mesh;
  const char *name, *topology;
} meshes[MESH_COUNT] = {{REFERENCE_2X2, "2x2", "2x2"},
                        {REFERENCE_4, "4", "2x2"},
                        {REFERENCE_4RING, "4ring", "2x2"},
                        {REFERENCE_2X4, "2x4", "2x4"},
                        {REFERENCE_1, "1", "1x1"}};

// The programs on all meshes that a pod of this topology carries.
static void run_all(const char *topology, bool is_small) {
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = topology});
  podium_session_t *session = NULL;
  must(podium_connect(system_pod_address(pod), NULL, &session));
  for (const reference_program_t *program = reference_programs; program->name != NULL;
       program++) {
    const int wanted = is_small ? program->meshes : program->large;
    for (int i = 0; i < MESH_COUNT; i++) {
      if ((wanted & meshes[i].mesh) != 0 && strcmp(meshes[i].topology, topology) == 0) {
        run_one(session, program, meshes[i].name, is_small);
      }
    }
  }
  podium_close(session);
  system_pod_stop(pod);
}

static void test_every_program_gives_the_references_values_on_one_chip(void **state) {
  (void)state;
  run_all("1x1", true);
}

static void test_every_program_gives_the_references_values_on_2x2_chips(void **state) {
  (void)state;
  run_all("2x2", true);
}

static void test_every_program_gives_the_references_values_on_2x4_chips(void **state) {
  (void)state;
  run_all("2x4", true);
}

static void simulate_one(podium_session_t *session, const reference_program_t *program,
                         const char *mesh, const char *topology) {
  // As its source runs it.
  const bool is_v4 = strncmp(program->name, "layerwise", strlen("layerwise")) == 0;
  char path[512];
  snprintf(path, sizeof(path), "%s/%s.%s.mlir", PROGRAMS_FOLDER, program->name, mesh);
  char *text = read_text(path);
  const podium_compile_options_t options = {.only = true,
                                            .chip_kind = is_v4 ? "v4" : "v5e",
                                            .topology = is_v4 ? "2x2x1" : topology};
  podium_executable_t *executable = NULL;
  must(podium_compile(session, path, text, strlen(text), &options, &executable));
  free(text);
  podium_profile_t *first = NULL, *each = NULL;
  must(podium_simulate(executable, NULL, &first));
  assert_true(first->step_ps > 0);
  const podium_profile_options_t without = {.ignores_symmetry = true};
  must(podium_simulate(executable, &without, &each));
  assert_int_equal(first->step_ps, each->step_ps);
  podium_profile_free(first);
  podium_profile_free(each);
  podium_executable_free(executable);
}

static void test_every_program_is_simulated_at_its_full_size_without_a_worker(
    void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.workers = -1});
  podium_session_t *session = NULL;
  must(podium_connect(system_pod_address(pod),
                      &(podium_connect_options_t){.do_not_wait = true}, &session));
  for (const reference_program_t *program = reference_programs; program->name != NULL;
       program++) {
    for (int i = 0; i < MESH_COUNT; i++) {
      if ((program->meshes & meshes[i].mesh) != 0) {
        simulate_one(session, program, meshes[i].name, meshes[i].topology);
      }
    }
  }
  podium_close(session);
  system_pod_stop(pod);
}

// Whatever the sockets and the scheduler of the host do.
static void test_the_time_of_a_hundred_executions_is_one(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "2x2"});
  podium_session_t *session = NULL;
  must(podium_connect(system_pod_address(pod), NULL, &session));
  char *text = read_text(PROGRAMS_FOLDER "/moe_all_to_all.2x2.small.mlir");
  podium_executable_t *executable = NULL;
  must(podium_compile(session, "moe", text, strlen(text), NULL, &executable));
  free(text);
  const podium_program_info_t *info = podium_executable_info(executable);
  podium_array_t *arguments[REFERENCE_ARGUMENTS_MAX] = {NULL};
  reference_inputs_t inputs = {0};
  put_arguments(session, executable, &inputs, arguments);
  free_inputs(&inputs);
  podium_profile_t *first = NULL;
  for (int run = 0; run < EXECUTIONS; run++) {
    podium_array_t *result = NULL;
    podium_execution_t *execution = NULL;
    must(podium_execute(executable, info->argument_count, arguments,
                        &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS}, &result,
                        &execution));
    podium_profile_t *again;
    must(podium_profile(execution, NULL, &again));
    if (first == NULL) {
      first = again;
    } else {
      check_same_times("moe_all_to_all.2x2.small.mlir", first, again);
      podium_profile_free(again);
    }
    podium_execution_free(execution);
    podium_array_free(result);
  }
  podium_profile_free(first);
  for (int i = 0; i < info->argument_count; i++) {
    podium_array_free(arguments[i]);
  }
  podium_executable_free(executable);
  podium_close(session);
  system_pod_stop(pod);
}

// The sanitizers make the kernels tens of times slower; the sizes are checked without
// them.
#if !defined(__SANITIZE_ADDRESS__)
static void test_large_arrays_have_the_references_values_on_2x2_chips(void **state) {
  (void)state;
  run_all("2x2", false);
}

static void test_large_arrays_have_the_references_values_on_2x4_chips(void **state) {
  (void)state;
  run_all("2x4", false);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_program_gives_the_references_values_on_one_chip),
    cmocka_unit_test(test_every_program_gives_the_references_values_on_2x2_chips),
    cmocka_unit_test(test_every_program_gives_the_references_values_on_2x4_chips),
    cmocka_unit_test(test_every_program_is_simulated_at_its_full_size_without_a_worker),
    cmocka_unit_test(test_the_time_of_a_hundred_executions_is_one),
#if !defined(__SANITIZE_ADDRESS__)
    cmocka_unit_test(test_large_arrays_have_the_references_values_on_2x2_chips),
    cmocka_unit_test(test_large_arrays_have_the_references_values_on_2x4_chips),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
