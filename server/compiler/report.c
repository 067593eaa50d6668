// A collective's groups are turned back into mesh axes: the members of the first group
// lie along digits of the device number in mixed radix; which digits vary names the
// axes, and every other group has to be a translate of the first.

#include "server/compiler/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/compiler/dialect/attributes.h"

// --- Axes of groups ---

// How the members of the first group lie along an axis: at `count` places, `stride`
// apart. False when they are not evenly apart.
static bool places_along(const mesh_t *mesh, int axis, int64_t group_size,
                         const int64_t *ids, int64_t *out_count, int64_t *out_stride) {
  const axis_ref_t whole = {axis, 1, mesh->axes[axis].size};
  unsigned char *is_used = pod_alloc((size_t)whole.size);
  *out_count = 0;
  for (int64_t i = 0; i < group_size; i++) {
    const int64_t at = mesh_index_along(mesh, ids[i], whole);
    *out_count += !is_used[at];
    is_used[at] = 1;
  }
  int64_t last = -1;
  bool is_even = true;
  *out_stride = 0;
  for (int64_t at = 0; at < whole.size; at++) {
    if (!is_used[at]) {
      continue;
    }
    if (last >= 0) {
      is_even = is_even && (*out_stride == 0 || *out_stride == at - last);
      *out_stride = at - last;
    }
    last = at;
  }
  free(is_used);
  return is_even;
}

// The axes and parts of axes along which the first group varies.
static bool guess_axes(const mesh_t *mesh, int64_t group_size, const int64_t *ids,
                       axis_ref_t *refs, int *out_count) {
  *out_count = 0;
  for (int axis = 0; axis < mesh->axis_count; axis++) {
    int64_t count, stride;
    if (!places_along(mesh, axis, group_size, ids, &count, &stride)) {
      return false;
    }
    if (count <= 1) {
      continue;
    }
    const int64_t size = mesh->axes[axis].size;
    if (size % (count * stride) != 0) {
      return false;
    }
    refs[(*out_count)++] = (axis_ref_t){axis, size / (count * stride), count};
  }
  return true;
}

// Whether the devices of each group are those that differ only along `list`.
static bool are_groups_of(pod_arena_t *arena, const mesh_t *mesh, const axis_list_t *list,
                          int64_t group_size, const int64_t *ids) {
  int64_t count, size;
  const int64_t *expected = axis_list_groups(arena, mesh, list, &count, &size);
  if (size != group_size) {
    return false;
  }
  int64_t *group_of = pod_alloc((size_t)mesh_id_limit(mesh) * sizeof(*group_of));
  for (int64_t i = 0; i < mesh->device_count; i++) {
    group_of[expected[i]] = i / size;
  }
  bool is_same = true;
  for (int64_t i = 0; i < mesh->device_count; i++) {
    const int64_t first = ids[i - i % group_size];
    is_same = is_same && group_of[ids[i]] == group_of[first];
  }
  free(group_of);
  return is_same;
}

static const char *print_axes(pod_arena_t *arena, const mesh_t *mesh, int count,
                              const axis_ref_t *refs) {
  pod_text_t text = {0};
  for (int i = 0; i < count; i++) {
    const mesh_axis_t *axis = &mesh->axes[refs[i].axis];
    pod_text_printf(&text, "%s%s", i == 0 ? "" : ",", axis->name);
    if (refs[i].size != axis->size) {
      pod_text_printf(&text, ":(%" PRId64 ")%" PRId64, refs[i].pre_size, refs[i].size);
    }
  }
  const char *copy = pod_arena_strdup(arena, text.bytes == NULL ? "" : text.bytes);
  pod_text_deinit(&text);
  return copy;
}

const char *report_axes(pod_arena_t *arena, const mesh_t *mesh, int64_t group_size,
                        const int64_t *ids) {
  axis_ref_t refs[SHARDING_AXES_MAX];
  int count;
  if (!guess_axes(mesh, group_size, ids, refs, &count)) {
    return "";
  }
  const axis_list_t list = {count, refs};
  return are_groups_of(arena, mesh, &list, group_size, ids)
             ? print_axes(arena, mesh, count, refs)
             : "";
}

// A permutation runs over the axes along which any of its pairs differs.
static const char *permute_axes(pod_arena_t *arena, const mesh_t *mesh, int32_t count,
                                const int64_t *pairs, int64_t *out_size) {
  axis_ref_t refs[SHARDING_AXES_MAX];
  int ref_count = 0;
  *out_size = 1;
  for (int axis = 0; axis < mesh->axis_count; axis++) {
    const axis_ref_t whole = {axis, 1, mesh->axes[axis].size};
    for (int32_t i = 0; i + 1 < count; i += 2) {
      if (mesh_index_along(mesh, pairs[i], whole) !=
          mesh_index_along(mesh, pairs[i + 1], whole)) {
        refs[ref_count++] = whole;
        *out_size *= whole.size;
        break;
      }
    }
  }
  return print_axes(arena, mesh, ref_count, refs);
}

// The first mesh whose axes make the groups; of a permute that with the fewest devices
// along the axes that it crosses.
static void name_axes(pod_arena_t *arena, const compiler_partitioned_t *partitioned,
                      const chip_instruction_t *instruction,
                      compiler_collective_t *collective) {
  const bool is_permute = instruction->op == CHIP_OP_COLLECTIVE_PERMUTE;
  const chip_attr_key_t attr =
      is_permute ? CHIP_ATTR_SOURCE_TARGET_PAIRS : CHIP_ATTR_REPLICA_GROUPS;
  int32_t count;
  const int64_t *ids = chip_instruction_attr(instruction, attr, &count);
  const int64_t group_size =
      chip_instruction_attr_one(instruction, CHIP_ATTR_GROUP_SIZE, 1);
  *collective = (compiler_collective_t){.axes = "", .mesh = "", .group_size = group_size};
  for (int32_t i = 0; i < partitioned->mesh_count; i++) {
    const mesh_t *mesh = partitioned->meshes[i];
    int64_t size = group_size;
    const char *axes = is_permute ? permute_axes(arena, mesh, count, ids, &size)
                                  : report_axes(arena, mesh, group_size, ids);
    if (*axes == '\0' || (*collective->axes != '\0' && size >= collective->group_size)) {
      continue;
    }
    collective->axes = axes;
    collective->group_size = size;
    collective->mesh =
        partitioned->mesh_count > 1 ? pod_arena_strdup(arena, mesh->name) : "";
  }
  collective->group_count = partitioned->mesh->device_count / collective->group_size;
}

// --- The list ---

// Which computations run once per iteration of a loop. Callers stand before what they
// call.
static bool *find_loops(const chip_program_t *program) {
  bool *is_in_loop = pod_alloc((size_t)program->computation_count * sizeof(*is_in_loop));
  for (int32_t i = 0; i < program->computation_count; i++) {
    const chip_computation_t *computation = &program->computations[i];
    for (int32_t k = 0; k < computation->instruction_count; k++) {
      const chip_instruction_t *instruction =
          &program->instructions[computation->first_instruction + k];
      for (int32_t c = 0; c < instruction->call_count; c++) {
        is_in_loop[instruction->calls[c]] =
            is_in_loop[i] || instruction->op == CHIP_OP_WHILE;
      }
    }
  }
  return is_in_loop;
}

// Found by the channel: whatever has become of a collective since, that one it keeps.
static const char *because_of(const compiler_partitioned_t *partitioned,
                              const chip_program_t *program, const mlir_op_t *source) {
  int64_t channel = 0, type;
  if (source == NULL || mlir_op_attr(source, "channel_handle") == NULL) {
    return "";
  }
  pod_status_t status = stablehlo_channel_handle(
      partitioned->module, mlir_op_attr(source, "channel_handle"), &channel, &type);
  const int64_t i = channel - partitioned->first_channel - 1;
  const bool is_known = status == NULL && i >= 0 && i < partitioned->reason_count;
  pod_status_free(status);
  return is_known ? pod_arena_strdup(program->arena, partitioned->reasons[i]) : "";
}

static pod_status_t describe(simulator_prices_t *prices, const chip_program_t *program,
                             const compiler_partitioned_t *partitioned,
                             const chip_instruction_t *instruction,
                             const mlir_op_t *source, compiler_collective_t *out_it) {
  simulator_price_t price = {0};
  POD_TRY(simulator_prices_find(prices, program, instruction, COLLECTIVE_AUTO, &price));
  compiler_collective_t it;
  name_axes(program->arena, partitioned, instruction, &it);
  it.op = instruction->op;
  it.name = instruction->name;
  it.source = instruction->source;
  it.operand = program->buffers[instruction->operands[0]].shape;
  it.result = program->buffers[instruction->results[0]].shape;
  it.ici_bytes = price.sent_bytes - price.dcn_bytes;
  it.dcn_bytes = price.dcn_bytes;
  it.link_bytes = price.link_bytes;
  it.alone_ps = price.is_endless ? 0 : price.duration_ps;
  it.because = because_of(partitioned, program, source);
  it.inserted = source != NULL && mlir_op_attr(source, COMPILER_AXES_ATTR) != NULL;
  it.is_async = source != NULL && mlir_op_attr(source, COMPILER_ASYNC_ATTR) != NULL;
  *out_it = it;
  return NULL;
}

pod_status_t report_collectives(simulator_prices_t *prices, const chip_program_t *program,
                                const compiler_partitioned_t *partitioned,
                                const mlir_op_t *const *sources, int32_t *out_count,
                                const compiler_collective_t **out_collectives) {
  int32_t count = 0;
  for (int32_t i = 0; i < program->instruction_count; i++) {
    count += chip_op_is_collective(program->instructions[i].op);
  }
  compiler_collective_t *list =
      pod_arena_array(program->arena, (size_t)count, sizeof(*list));
  bool *is_in_loop = find_loops(program);
  pod_status_t status = NULL;
  int32_t at = 0;
  for (int32_t c = 0; c < program->computation_count && status == NULL; c++) {
    const chip_computation_t *computation = &program->computations[c];
    for (int32_t k = 0; k < computation->instruction_count && status == NULL; k++) {
      const int32_t index = computation->first_instruction + k;
      if (chip_op_is_collective(program->instructions[index].op)) {
        status = describe(prices, program, partitioned, &program->instructions[index],
                          sources[index], &list[at]);
        list[at++].in_loop = is_in_loop[c];
      }
    }
  }
  free(is_in_loop);
  *out_count = count;
  *out_collectives = list;
  return status;
}
