#include "tests/unit/server/collective/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"

const chip_op_t test_grouped_ops[TEST_GROUPED_OPS] = {
    CHIP_OP_ALL_REDUCE, CHIP_OP_ALL_GATHER, CHIP_OP_REDUCE_SCATTER, CHIP_OP_ALL_TO_ALL};

// What the members of a group must hold, from copies of all inputs.
typedef struct expectation_t {
  const collective_request_t *request;
  const test_pod_t *pod;
  uint8_t **inputs;      // By chip.
  const int64_t *group;  // Chips.
  uint32_t *sums;        // Of the group's inputs, element by element.
} expectation_t;

static void add_up(const expectation_t *e) {
  const int64_t count = e->request->element_count;
  memset(e->sums, 0, (size_t)count * sizeof(*e->sums));
  for (int32_t member = 0; member < e->request->group_size; member++) {
    const uint32_t *input = (const uint32_t *)(const void *)e->inputs[e->group[member]];
    for (int64_t i = 0; i < count; i++) {
      e->sums[i] += input[i];
    }
  }
}

static void assert_block(const uint8_t *output, const void *expected, int64_t elements,
                         int64_t chip, int64_t first) {
  if (elements == 0 || memcmp(output, expected, (size_t)elements * 4) == 0) {
    return;
  }
  for (int64_t i = 0; i < elements; i++) {
    if (memcmp(output + i * 4, (const uint8_t *)expected + i * 4, 4) != 0) {
      fail_msg("chip %d, element %d is wrong", (int)chip, (int)(first + i));
    }
  }
}

static void check_output(const expectation_t *e, int32_t me) {
  const int64_t chip = e->group[me];
  const test_chip_t *it = &e->pod->chips[chip];
  const bool gathers = e->request->op == CHIP_OP_ALL_GATHER;
  const int64_t count = e->request->element_count;
  const int64_t block = gathers ? count : count / e->request->group_size;
  switch (e->request->op) {
    case CHIP_OP_ALL_REDUCE:
      assert_int_equal(it->schedule.output_bytes, count * 4);
      assert_block(it->output, e->sums, count, chip, 0);
      break;
    case CHIP_OP_REDUCE_SCATTER:
      assert_int_equal(it->schedule.output_bytes, block * 4);
      assert_block(it->output, e->sums + me * block, block, chip, 0);
      break;
    default:  // A block of every member.
      assert_int_equal(it->schedule.output_bytes, block * 4 * e->request->group_size);
      for (int32_t from = 0; from < e->request->group_size; from++) {
        const uint8_t *input = e->inputs[e->group[from]] + (gathers ? 0 : me * block * 4);
        assert_block(it->output + from * block * 4, input, block, chip, from * block);
      }
  }
}

static void check_outputs(const expectation_t *all) {
  expectation_t e = *all;
  const collective_request_t *request = e.request;
  e.sums = malloc((size_t)request->element_count * sizeof(*e.sums) + 1);
  for (int32_t g = 0; g < request->group_count; g++) {
    e.group = request->groups + (int64_t)g * request->group_size;
    if (request->op == CHIP_OP_ALL_REDUCE || request->op == CHIP_OP_REDUCE_SCATTER) {
      add_up(&e);
    }
    for (int32_t me = 0; me < request->group_size; me++) {
      check_output(&e, me);
    }
  }
  free(e.sums);
}

// Executors do not write to their inputs; only what is reduced in place is copied.
static uint8_t **keep_inputs(const test_pod_t *pod, bool in_place) {
  uint8_t **inputs = calloc((size_t)pod->chip_count, sizeof(*inputs));
  for (int32_t id = 0; id < pod->chip_count; id++) {
    const size_t size = (size_t)pod->chips[id].schedule.input_bytes;
    inputs[id] = in_place ? malloc(size + 1) : pod->chips[id].input;
    if (in_place && size > 0) {
      memcpy(inputs[id], pod->chips[id].input, size);
    }
  }
  return inputs;
}

static void free_inputs(const test_pod_t *pod, bool in_place, uint8_t **inputs) {
  for (int32_t id = 0; id < pod->chip_count && in_place; id++) {
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
  uint8_t **inputs = keep_inputs(&pod, in_place);
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
  free_inputs(&pod, in_place, inputs);
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
