// Messages borrow the books' texts and live in the caller's arena; lists are cut where
// they would not fit a message of gRPC's default size.

#include "server/coordinator/services/describe.h"

#include <string.h>

#include "common/base/text.h"
#include "server/wire/program.h"
#include "server/wire/types.h"

// Clients take messages of 4 MiB at least by default.
enum {
  RESPONSE_BYTES_MAX = (4 << 20) - (64 << 10),
  // What one instruction takes at the least: its name, its operation and its shape. More
  // of them than could fit are not made in the first place, which would hold up the loop.
  INSTRUCTION_BYTES_MIN = 24,
};

// protobuf-c has no const; nothing here is written through these.
static char *borrow(const char *text) {
  return (char *)(uintptr_t)text;
}

static char *take_text(pod_arena_t *arena, pod_text_t *text) {
  char *copy = pod_arena_text(arena, text->length > 0 ? text->bytes : "", text->length);
  pod_text_deinit(text);
  return copy;
}

static Podium__V1__Device *describe_device(pod_arena_t *arena, const places_t *places,
                                           int32_t chip) {
  const place_t *place = &places->at[chip];
  Podium__V1__Device *device = pod_arena_alloc(arena, sizeof(*device));
  podium__v1__device__init(device);
  const torus_coords_t coords = torus_coords(&places->torus, chip);
  pod_text_t name = {0};
  torus_print_device(&name, &places->torus, places_process(places, chip), chip);
  device->id = chip;
  device->name = take_text(arena, &name);
  device->coords = pod_arena_copy(arena, coords.at, sizeof(coords.at));
  device->n_coords = TORUS_DIMENSIONS;
  device->process_index = places_process(places, chip);
  device->address = borrow(place->address != NULL ? place->address : "");
  device->pid = place->pid;
  device->hbm_used_bytes = place->hbm_used_bytes;
  device->state = borrow(pod_state_name(&place->machine));
  if (place->lost_reason != NULL && place_state(place) != PLACE_READY) {
    device->reason = place->lost_reason;
  }
  places_count_links(places, chip, &device->links, &device->links_up);
  return device;
}

Podium__V1__Pod *describe_pod(pod_arena_t *arena, const coordinator_t *coordinator) {
  const places_t *places = registry_places(coordinator->registry);
  const coordinator_options_t *options = &coordinator->options;
  Podium__V1__Pod *pod = pod_arena_alloc(arena, sizeof(*pod));
  podium__v1__pod__init(pod);
  pod_text_t topology = {0};
  torus_print(&topology, &options->torus);
  pod->id = coordinator->pod_id;
  pod->chip_kind = borrow(options->spec->name);
  pod->device_kind = borrow(options->spec->device_kind);
  pod->topology = pod_arena_copy(arena, options->torus.size, sizeof(options->torus.size));
  pod->n_topology = TORUS_DIMENSIONS;
  pod->topology_name = take_text(arena, &topology);
  pod->ready = places_are_ready(places);
  pod->n_devices = (size_t)places->count;
  pod->devices = pod_arena_array(arena, pod->n_devices, sizeof(*pod->devices));
  for (int32_t chip = 0; chip < places->count; chip++) {
    pod->devices[chip] = describe_device(arena, places, chip);
  }
  pod->session_count = store_session_count(coordinator->store);
  pod->version = borrow(PODIUM_VERSION);
  pod->hbm_bytes =
      options->hbm_bytes != 0 ? options->hbm_bytes : options->spec->hbm_bytes;
  return pod;
}

// --- Compiles ---

static Podium__V1__Signature **describe_interfaces(pod_arena_t *arena,
                                                   const chip_interface_t *interfaces,
                                                   int32_t count) {
  Podium__V1__Signature **list = pod_arena_array(arena, (size_t)count, sizeof(*list));
  for (int32_t i = 0; i < count; i++) {
    const chip_interface_t *interface = &interfaces[i];
    Podium__V1__Signature *signature = pod_arena_alloc(arena, sizeof(*signature));
    podium__v1__signature__init(signature);
    signature->name = borrow(interface->name);
    signature->shape = wire_shape_pack(arena, &interface->shape);
    signature->sharding = wire_sharding_pack(arena, interface->sharding, true);
    tensor_shape_t *local = pod_arena_alloc(arena, sizeof(*local));
    // It divides: the store has made a layout of it, or nothing was loaded.
    const pod_status_t status =
        sharding_local_shape(interface->sharding, &interface->shape, local);
    if (status == NULL) {
      signature->local_shape = wire_shape_pack(arena, local);
    }
    pod_status_free(status);
    list[i] = signature;
  }
  return list;
}

static Podium__V1__Collective *describe_collective(pod_arena_t *arena,
                                                   const compiler_collective_t *from) {
  Podium__V1__Collective *to = pod_arena_alloc(arena, sizeof(*to));
  podium__v1__collective__init(to);
  to->op = borrow(chip_op_short_name(from->op));
  to->name = borrow(from->name);
  to->source = borrow(from->source);
  to->operand = wire_shape_pack(arena, &from->operand);
  to->result = wire_shape_pack(arena, &from->result);
  to->axes = borrow(from->axes);
  to->group_count = from->group_count;
  to->group_size = from->group_size;
  to->ici_bytes = from->ici_bytes;
  to->in_loop = from->in_loop;
  to->inserted = from->inserted;
  to->asynchronous = from->is_async;
  return to;
}

static size_t packed_size(const Podium__V1__CompileResponse *response) {
  return podium__v1__compile_response__get_packed_size(response);
}

static void leave_text_out(pod_arena_t *arena, size_t size_bytes,
                           Podium__V1__CompileResponse *response) {
  response->partitioned_text = pod_arena_printf(
      arena,
      "// left out: this answer would have %zu bytes, more than the %d of a message\n",
      size_bytes, RESPONSE_BYTES_MAX);
}

static void describe_instructions(pod_arena_t *arena, const chip_program_t *program,
                                  Podium__V1__CompileResponse *response) {
  const size_t count = (size_t)program->instruction_count;
  if (count <= RESPONSE_BYTES_MAX / INSTRUCTION_BYTES_MIN) {
    response->n_instructions = count;
    response->instructions =
        pod_arena_array(arena, count, sizeof(*response->instructions));
    for (size_t i = 0; i < count; i++) {
      response->instructions[i] = wire_instruction_info_pack(arena, program, (int32_t)i);
    }
  }
}

static void bound_response(pod_arena_t *arena, Podium__V1__CompileResponse *response) {
  const size_t text_bytes = strlen(response->partitioned_text);
  if (text_bytes > RESPONSE_BYTES_MAX) {
    leave_text_out(arena, text_bytes, response);
  }
  const size_t size_bytes = packed_size(response);
  if (size_bytes <= RESPONSE_BYTES_MAX) {
    return;
  }
  leave_text_out(arena, size_bytes, response);
  if (packed_size(response) > RESPONSE_BYTES_MAX) {
    response->n_instructions = 0;
  }
  if (packed_size(response) > RESPONSE_BYTES_MAX) {
    response->n_collectives = 0;
  }
  if (packed_size(response) > RESPONSE_BYTES_MAX) {
    response->n_notes = 0;
  }
}

static void describe_donation(pod_arena_t *arena, const compiler_result_t *result,
                              Podium__V1__CompileResponse *response) {
  const chip_program_t *program = result->program;
  response->n_aliases = (size_t)program->alias_count;
  response->aliases =
      pod_arena_array(arena, response->n_aliases, sizeof(*response->aliases));
  for (int32_t i = 0; i < program->alias_count; i++) {
    response->aliases[i] = wire_alias_pack(arena, &program->aliases[i]);
  }
  response->alias_bytes = program->alias_bytes;
  response->n_notes = (size_t)result->note_count;
  response->notes = pod_arena_array(arena, response->n_notes, sizeof(char *));
  for (int32_t i = 0; i < result->note_count; i++) {
    response->notes[i] = borrow(result->notes[i]);
  }
}

Podium__V1__CompileResponse *describe_compile(pod_arena_t *arena, uint64_t executable,
                                              const compiled_t *compiled) {
  const compiler_result_t *result = compiled->result;
  const chip_program_t *program = result->program;
  Podium__V1__CompileResponse *response = pod_arena_alloc(arena, sizeof(*response));
  podium__v1__compile_response__init(response);
  response->executable = executable;
  response->name = borrow(program->name);
  response->n_arguments = (size_t)program->argument_count;
  response->arguments =
      describe_interfaces(arena, program->arguments, program->argument_count);
  response->n_results = (size_t)program->result_count;
  response->results = describe_interfaces(arena, program->results, program->result_count);
  for (int32_t i = 0; i < program->result_count; i++) {
    response->results[i]->memory_kind = borrow(result->result_memory_kinds[i]);
  }
  response->n_inspections = (size_t)result->inspection_count;
  response->inspections =
      describe_interfaces(arena, result->inspections, result->inspection_count);
  response->partitioned_text = borrow(result->partitioned_text);
  response->n_collectives = (size_t)result->collective_count;
  response->collectives =
      pod_arena_array(arena, response->n_collectives, sizeof(*response->collectives));
  for (int32_t i = 0; i < result->collective_count; i++) {
    response->collectives[i] = describe_collective(arena, &result->collectives[i]);
  }
  describe_instructions(arena, program, response);
  response->hbm_peak_bytes = result->hbm_peak_bytes;
  response->argument_bytes = program->argument_bytes;
  response->result_bytes = program->result_bytes;
  response->constant_bytes = program->constant_bytes;
  response->temp_bytes = program->temp_bytes;
  response->hbm_bytes = compiled->hbm_bytes;
  response->device_count = (int32_t)program->mesh->device_count;
  response->n_chips = (size_t)program->mesh->device_count;
  response->chips = pod_arena_array(arena, response->n_chips, sizeof(*response->chips));
  for (int32_t i = 0; i < response->device_count; i++) {
    response->chips[i] = mesh_device(program->mesh, i);
  }
  describe_donation(arena, result, response);
  bound_response(arena, response);
  return response;
}
