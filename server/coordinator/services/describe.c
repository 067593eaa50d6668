// Messages borrow the books' texts and live in the caller's arena; lists are cut where
// they would not fit a message of gRPC's default size.

#include "server/coordinator/services/describe.h"

#include <string.h>

#include "common/base/text.h"
#include "server/coordinator/metrics.h"
#include "server/coordinator/services/execution.h"
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
  device->slice_index = coords.slice;
  device->core_on_chip = coords.core;
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

// Of each chip the client whose execution it was given first.
static void describe_running(const coordinator_t *coordinator, Podium__V1__Pod *pod) {
  for (const execution_t *at = coordinator->first_running; at != NULL; at = at->next) {
    const store_executable_t *executable = at->executable;
    for (int32_t i = 0; i < executable->chip_count; i++) {
      Podium__V1__Device *device = pod->devices[executable->chips[i]];
      if (*device->running == '\0') {
        device->running = borrow(executable->session->client);
      }
    }
  }
}

static Podium__V1__Load *describe_load(pod_arena_t *arena,
                                       const coordinator_t *coordinator) {
  Podium__V1__Load *load = pod_arena_alloc(arena, sizeof(*load));
  podium__v1__load__init(load);
  const coordinator_metrics_t *metrics = coordinator->metrics;
  const coordinator_ended_t executions =
      coordinator_metrics_count(metrics, OPERATION_EXECUTE);
  load->executions_waiting = executions_count_waiting(coordinator);
  load->executions_running = coordinator->running_count;
  load->executions_ended = executions.well;
  load->executions_failed = executions.failed;
  load->compiles_ended = coordinator_metrics_count(metrics, OPERATION_COMPILE).well;
  load->put_bytes = coordinator_metrics_count(metrics, OPERATION_PUT).bytes;
  load->fetched_bytes = coordinator_metrics_count(metrics, OPERATION_FETCH).bytes;
  return load;
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
  pod->slice_count = torus_slice_total(&options->torus);
  pod->core_count = torus_core_total(&options->torus);
  pod->topology_name = take_text(arena, &topology);
  pod->ready = places_are_ready(places);
  pod->n_devices = (size_t)places->count;
  pod->devices = pod_arena_array(arena, pod->n_devices, sizeof(*pod->devices));
  for (int32_t chip = 0; chip < places->count; chip++) {
    pod->devices[chip] = describe_device(arena, places, chip);
  }
  describe_running(coordinator, pod);
  pod->load = describe_load(arena, coordinator);
  pod->session_count = store_session_count(coordinator->store);
  pod->version = borrow(PODIUM_VERSION);
  pod->page = borrow(coordinator->page != NULL ? page_url(coordinator->page) : "");
  pod->hbm_bytes = options->hbm_bytes != 0 ? options->hbm_bytes
                                           : chip_spec_hbm_usable_bytes(options->spec);
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
    sharding_local_shape(interface->sharding, &interface->shape, local);
    signature->local_shape = wire_shape_pack(arena, local);
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
  to->mesh = borrow(from->mesh);
  to->group_count = from->group_count;
  to->group_size = from->group_size;
  to->ici_bytes = from->ici_bytes;
  to->dcn_bytes = from->dcn_bytes;
  to->link_bytes = from->link_bytes;
  to->alone_ps = from->alone_ps;
  to->because = borrow(from->because);
  to->in_loop = from->in_loop;
  to->inserted = from->inserted;
  to->asynchronous = from->is_async;
  return to;
}

static void describe_asked(pod_arena_t *arena, const compiler_result_t *result,
                           Podium__V1__CompileResponse *response) {
  response->after_text = borrow(result->after_text == NULL ? "" : result->after_text);
  const size_t count = (size_t)result->value_count;
  response->n_values = count;
  response->values = pod_arena_array(arena, count, sizeof(*response->values));
  for (size_t i = 0; i < count; i++) {
    const compiler_value_t *from = &result->values[i];
    Podium__V1__ValueSharding *to = pod_arena_alloc(arena, sizeof(*to));
    podium__v1__value_sharding__init(to);
    to->name = borrow(from->name);
    to->op = borrow(from->op);
    to->source = borrow(from->source);
    to->shape = wire_shape_pack(arena, &from->shape);
    to->local_shape = wire_shape_pack(arena, &from->local_shape);
    to->spec = borrow(from->spec);
    to->number = from->number;
    response->values[i] = to;
  }
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
    response->n_values = 0;
    response->after_text = borrow("");
  }
  if (packed_size(response) > RESPONSE_BYTES_MAX) {
    response->n_instructions = 0;
  }
  if (packed_size(response) > RESPONSE_BYTES_MAX) {
    response->n_collectives = 0;
  }
  if (packed_size(response) > RESPONSE_BYTES_MAX) {
    response->n_notes = 0;
  }
  if (packed_size(response) > RESPONSE_BYTES_MAX) {
    response->peak = NULL;
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
  response->n_notes = (size_t)result->note_count;
  response->notes = pod_arena_array(arena, response->n_notes, sizeof(char *));
  for (int32_t i = 0; i < result->note_count; i++) {
    response->notes[i] = borrow(result->notes[i]);
  }
}

static void describe_memory(pod_arena_t *arena, const chip_program_t *program,
                            Podium__V1__CompileResponse *response) {
  const chip_memory_t memory = chip_program_memory(program);
  Podium__V1__MemoryAnalysis *analysis = pod_arena_alloc(arena, sizeof(*analysis));
  podium__v1__memory_analysis__init(analysis);
  response->argument_bytes = analysis->argument_bytes = memory.argument_bytes;
  response->result_bytes = analysis->output_bytes = memory.output_bytes;
  response->alias_bytes = analysis->alias_bytes = memory.alias_bytes;
  response->constant_bytes = analysis->code_bytes = memory.code_bytes;
  response->temp_bytes = analysis->temporary_bytes = memory.temp_bytes;
  analysis->peak_bytes = response->hbm_peak_bytes;
  analysis->host_argument_bytes = program->host_argument_bytes;
  analysis->host_output_bytes = program->host_result_bytes;
  analysis->host_alias_bytes = program->host_alias_bytes;
  analysis->host_temporary_bytes = program->host_temp_bytes;
  response->memory = analysis;
}

static Podium__V1__Peak *describe_peak(pod_arena_t *arena,
                                       const chip_program_t *program) {
  // What is compiled by hand, in tests, has none, and 0 there.
  if (program->peak_count == 0) {
    return NULL;
  }
  Podium__V1__Peak *peak = pod_arena_alloc(arena, sizeof(*peak));
  podium__v1__peak__init(peak);
  const int32_t at = program->peak_instruction;
  peak->at = wire_instruction_info_pack(arena, program, at);
  peak->size_bytes = program->instructions[at].temp_live_bytes;
  peak->n_buffers = (size_t)program->peak_count;
  peak->buffers = pod_arena_array(arena, peak->n_buffers, sizeof(*peak->buffers));
  for (size_t i = 0; i < peak->n_buffers; i++) {
    Podium__V1__PeakBuffer *buffer = pod_arena_alloc(arena, sizeof(*buffer));
    podium__v1__peak_buffer__init(buffer);
    buffer->size_bytes = program->peaks[i].size_bytes;
    if (program->peaks[i].instruction != CHIP_NONE) {
      buffer->writer =
          wire_instruction_info_pack(arena, program, program->peaks[i].instruction);
    }
    peak->buffers[i] = buffer;
  }
  return peak;
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
  response->estimated_ps = result->estimated_ps;
  describe_memory(arena, program, response);
  response->hbm_bytes = compiled->hbm_bytes;
  response->device_count = (int32_t)program->mesh->device_count;
  response->n_chips = (size_t)program->mesh->device_count;
  response->chips = pod_arena_array(arena, response->n_chips, sizeof(*response->chips));
  for (int32_t i = 0; i < response->device_count; i++) {
    response->chips[i] = mesh_device(program->mesh, i);
  }
  describe_donation(arena, result, response);
  response->peak = describe_peak(arena, program);
  describe_asked(arena, result, response);
  bound_response(arena, response);
  return response;
}
