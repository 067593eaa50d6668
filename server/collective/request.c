// What a request must be, and how one is read from an instruction.

#include <inttypes.h>

#include "server/collective/plan.h"

#define BAD(...) pod_error(POD_INVALID_ARGUMENT, __VA_ARGS__)

bool collective_has_blocks_in_input(chip_op_t op) {
  return op == CHIP_OP_REDUCE_SCATTER || op == CHIP_OP_ALL_TO_ALL;
}

static bool needs_reducer(chip_op_t op) {
  return op == CHIP_OP_ALL_REDUCE || op == CHIP_OP_REDUCE_SCATTER;
}

static pod_status_t check_sizes(const collective_request_t *request) {
  const int64_t element_bytes = (int64_t)tensor_dtype_bytes(request->dtype);
  const bool is_permute = request->op == CHIP_OP_COLLECTIVE_PERMUTE;
  const int64_t members = is_permute ? 1 : request->group_size;
  if (element_bytes == 0 || request->element_count < 0 ||
      request->element_count > COLLECTIVE_BYTES_MAX / element_bytes / members) {
    return BAD("a collective over %" PRId64 " elements of %s", request->element_count,
               tensor_dtype_name(request->dtype));
  }
  if (collective_has_blocks_in_input(request->op) &&
      request->element_count % members != 0) {
    return BAD("%s: %" PRId64 " elements do not divide over %" PRId64 " chips",
               chip_op_name(request->op), request->element_count, members);
  }
  return NULL;
}

static pod_status_t check_ids(const int64_t *ids, int64_t count, const torus_t *torus) {
  const int32_t chips = torus_chip_count(torus);
  for (int64_t i = 0; i < count; i++) {
    if (ids[i] < 0 || ids[i] >= chips) {
      return BAD("chip %" PRId64 " of a pod of %d chips", ids[i], chips);
    }
  }
  return NULL;
}

pod_status_t collective_request_check(const collective_request_t *request,
                                      const torus_t *torus) {
  if (!chip_op_is_collective(request->op)) {
    return BAD("%s is no collective", chip_op_name(request->op));
  }
  if ((unsigned)request->algorithm >= COLLECTIVE_ALGORITHM_COUNT) {
    return BAD("algorithm %d is unknown", (int)request->algorithm);
  }
  if (request->op == CHIP_OP_COLLECTIVE_PERMUTE) {
    if (request->pair_count < 0 || request->pair_count > TORUS_CHIPS_MAX) {
      return BAD("%d source-target pairs", request->pair_count);
    }
    POD_TRY(check_sizes(request));
    return check_ids(request->pairs, 2 * (int64_t)request->pair_count, torus);
  }
  if (request->group_count < 1 || request->group_size < 1 ||
      (int64_t)request->group_count * request->group_size > torus_chip_count(torus)) {
    return BAD("%d groups of %d chips on a pod of %d", request->group_count,
               request->group_size, torus_chip_count(torus));
  }
  POD_TRY(check_ids(request->groups, (int64_t)request->group_count * request->group_size,
                    torus));
  POD_TRY(check_sizes(request));
  if (!needs_reducer(request->op)) {
    return NULL;
  }
  if (request->reducer == CHIP_REDUCER_NONE) {
    return pod_error(POD_UNIMPLEMENTED, "%s with a region that is no known reducer",
                     chip_op_name(request->op));
  }
  return chip_reducer_is_for(request->reducer, request->dtype)
             ? NULL
             : BAD("%s: reducer %d does not exist for %s", chip_op_name(request->op),
                   (int)request->reducer, tensor_dtype_name(request->dtype));
}

void collective_request_of_transfer(const chip_program_t *program,
                                    const chip_instruction_t *instruction, int32_t index,
                                    collective_request_t *out_request) {
  collective_request_of(program, instruction, index, out_request);
  if (needs_reducer(instruction->op) && out_request->reducer == CHIP_REDUCER_NONE &&
      instruction->call_count > 0) {
    out_request->op = instruction->op == CHIP_OP_REDUCE_SCATTER ? CHIP_OP_ALL_TO_ALL
                                                                : CHIP_OP_ALL_GATHER;
  }
}

void collective_request_of(const chip_program_t *program,
                           const chip_instruction_t *instruction, int32_t index,
                           collective_request_t *out_request) {
  const tensor_shape_t *shape = &program->buffers[instruction->operands[index]].shape;
  *out_request = (collective_request_t){
      .op = instruction->op,
      .reducer = (chip_reducer_t)chip_instruction_attr_one(instruction, CHIP_ATTR_REDUCER,
                                                           CHIP_REDUCER_NONE),
      .dtype = shape->dtype,
      .element_count = tensor_shape_elements(shape),
      .algorithm = (collective_algorithm_t)chip_instruction_attr_one(
          instruction, CHIP_ATTR_COLLECTIVE_ALGORITHM, COLLECTIVE_AUTO),
  };
  int32_t count;
  out_request->pairs =
      chip_instruction_attr(instruction, CHIP_ATTR_SOURCE_TARGET_PAIRS, &count);
  out_request->pair_count = count / 2;
  out_request->groups =
      chip_instruction_attr(instruction, CHIP_ATTR_REPLICA_GROUPS, &count);
  if (count > 0) {
    out_request->group_size =
        (int32_t)chip_instruction_attr_one(instruction, CHIP_ATTR_GROUP_SIZE, count);
    out_request->group_count = count / out_request->group_size;
  }
}
