#include "tests/unit/server/collective/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"

const chip_op_t test_grouped_ops[TEST_GROUPED_OPS] = {
    CHIP_OP_ALL_REDUCE, CHIP_OP_ALL_GATHER, CHIP_OP_REDUCE_SCATTER, CHIP_OP_ALL_TO_ALL};

static int32_t element_of(const uint8_t *bytes, int64_t i) {
  return ((const int32_t *)(const void *)bytes)[i];
}

// What member `me` of a group must hold at element i, from copies of all inputs.
typedef struct expectation_t {
  const collective_request_t *request;
  const test_pod_t *pod;
  uint8_t **inputs;      // By chip.
  const int64_t *group;  // Chips.
  int32_t me;
} expectation_t;

static int32_t input_at(const expectation_t *e, int32_t member, int64_t i) {
  return element_of(e->inputs[e->group[member]], i);
}

static int32_t sum_at(const expectation_t *e, int64_t i) {
  uint32_t sum = 0;
  for (int32_t member = 0; member < e->request->group_size; member++) {
    sum += (uint32_t)input_at(e, member, i);
  }
  return (int32_t)sum;
}

static int32_t expected_at(const expectation_t *e, int64_t i) {
  const int64_t count = e->request->element_count;
  const int64_t block = count / e->request->group_size;
  switch (e->request->op) {
    case CHIP_OP_ALL_REDUCE:
      return sum_at(e, i);
    case CHIP_OP_ALL_GATHER:
      return input_at(e, (int32_t)(i / count), i % count);
    case CHIP_OP_REDUCE_SCATTER:
      return sum_at(e, e->me * block + i);
    default:
      return input_at(e, (int32_t)(i / block), e->me * block + i % block);
  }
}

static void check_outputs(const expectation_t *all) {
  expectation_t e = *all;
  for (int32_t g = 0; g < e.request->group_count; g++) {
    e.group = e.request->groups + (int64_t)g * e.request->group_size;
    for (e.me = 0; e.me < e.request->group_size; e.me++) {
      const test_chip_t *chip = &e.pod->chips[e.group[e.me]];
      const int64_t count = chip->schedule.output_bytes / 4;
      for (int64_t i = 0; i < count; i++) {
        if (element_of(chip->output, i) != expected_at(&e, i)) {
          fail_msg("chip %d, element %d is wrong", (int)e.group[e.me], (int)i);
        }
      }
    }
  }
}

static uint8_t **copy_inputs(const test_pod_t *pod) {
  uint8_t **inputs = calloc((size_t)pod->chip_count, sizeof(*inputs));
  for (int32_t id = 0; id < pod->chip_count; id++) {
    const size_t size = (size_t)pod->chips[id].schedule.input_bytes;
    inputs[id] = malloc(size + 1);
    if (size > 0) {
      memcpy(inputs[id], pod->chips[id].input, size);
    }
  }
  return inputs;
}

static void free_inputs(const test_pod_t *pod, uint8_t **inputs) {
  for (int32_t id = 0; id < pod->chip_count; id++) {
    free(inputs[id]);
  }
  free(inputs);
}

// False when the algorithm does not do this collective.
bool test_run(const test_scene_t *scene, const collective_request_t *request,
              bool in_place, bool is_queued, uint64_t seed) {
  test_pod_t pod;
  const pod_status_t status = test_pod_init(&pod, &scene->torus, request, in_place, seed);
  if (status != NULL) {
    assert_int_equal(pod_status_code(status), POD_UNIMPLEMENTED);
    pod_status_free(status);
    test_pod_deinit(&pod);
    return false;
  }
  uint8_t **inputs = copy_inputs(&pod);
  const bool is_done =
      is_queued ? test_pod_run_queued(&pod) : test_pod_run_unbuffered(&pod);
  if (!is_done) {
    print_error("%s, %s, %s, seed %llu: deadlock\n", scene->name,
                chip_op_name(request->op), collective_algorithm_name(request->algorithm),
                (unsigned long long)seed);
  }
  assert_true(is_done);
  const expectation_t expectation = {.request = request, .pod = &pod, .inputs = inputs};
  check_outputs(&expectation);
  free_inputs(&pod, inputs);
  test_pod_deinit(&pod);
  return true;
}

collective_request_t test_request_on(const test_scene_t *scene, chip_op_t op,
                                     int64_t block_elements) {
  const bool has_blocks = op == CHIP_OP_REDUCE_SCATTER || op == CHIP_OP_ALL_TO_ALL;
  return (collective_request_t){
      .op = op,
      .reducer = CHIP_REDUCER_ADD,
      .dtype = TENSOR_S32,
      .element_count = block_elements * (has_blocks ? scene->group_size : 1),
      .group_count = scene->group_count,
      .group_size = scene->group_size,
      .groups = scene->groups,
  };
}

int64_t test_busiest_link(const test_scene_t *scene, const collective_request_t *request,
                          int *out_links) {
  static int64_t loads[TEST_CHIPS_MAX * TORUS_DIRECTIONS];
  test_pod_t pod;
  assert_null(test_pod_plan(&pod, &scene->torus, request));
  test_pod_link_loads(&pod, loads);
  int64_t busiest = 0;
  *out_links = 0;
  for (int32_t i = 0; i < pod.chip_count * TORUS_DIRECTIONS; i++) {
    busiest = loads[i] > busiest ? loads[i] : busiest;
    *out_links += loads[i] > 0 ? 1 : 0;
  }
  test_pod_deinit(&pod);
  return busiest;
}
