// The text's digest first, the text when it is asked for.

#include <stdlib.h>
#include <string.h>

#include "client/lib/retry.h"
#include "common/base/memory.h"
#include "common/digest/digest.h"

// Of longer texts the digest is sent first: what has been compiled before then costs no
// upload, and a question and its answer cost less than sending so much.
enum { TEXT_AT_ONCE_BYTES = 64 << 10 };

typedef struct compile_t {
  lib_wait_t wait;
  // Told its end, in place of the wait, when a program is compiled again.
  lib_remade_fn_t remade;
  void *context;
  podium_session_t *session;
  const char *file_name;
  const char *text;
  size_t length, sent;
  const podium_compile_options_t *options;
  int64_t timeout_ms;
  bool has_digest;
  uint8_t digest[DIGEST_BYTES];
  bool is_question;                 // Only the digest is sent.
  bool needs_text;                  // The answer to it.
  podium_executable_t *executable;  // Filled when the response comes.
  bool has_response;
  bool differs;  // Compiled again, it is for other chips.
} compile_t;

static podium_signature_t *convert_signatures(pod_arena_t *arena, size_t count,
                                              Podium__V1__Signature **messages,
                                              const podium_compile_options_t *options) {
  podium_signature_t *signatures = pod_arena_array(arena, count, sizeof(*signatures));
  for (size_t i = 0; i < count; i++) {
    signatures[i] = (podium_signature_t){
        .name = pod_arena_strdup(arena, messages[i]->name),
        .shape = lib_shape(messages[i]->shape),
        .local_shape = lib_shape(messages[i]->local_shape),
        .memory_kind = pod_arena_strdup(arena, messages[i]->memory_kind),
        .sharding = lib_sharding_text(arena, messages[i]->sharding),
        .tiling = lib_tiling(arena, messages[i]->sharding, options),
    };
  }
  return signatures;
}

static podium_collective_t *convert_collectives(
    pod_arena_t *arena, const Podium__V1__CompileResponse *message) {
  podium_collective_t *collectives =
      pod_arena_array(arena, message->n_collectives, sizeof(*collectives));
  for (size_t i = 0; i < message->n_collectives; i++) {
    const Podium__V1__Collective *from = message->collectives[i];
    collectives[i] = (podium_collective_t){
        .op = pod_arena_strdup(arena, from->op),
        .name = pod_arena_strdup(arena, from->name),
        .source = pod_arena_strdup(arena, from->source),
        .axes = pod_arena_strdup(arena, from->axes),
        .mesh = pod_arena_strdup(arena, from->mesh),
        .operand = lib_shape(from->operand),
        .result = lib_shape(from->result),
        .group_count = from->group_count,
        .group_size = from->group_size,
        .ici_bytes = from->ici_bytes,
        .dcn_bytes = from->dcn_bytes,
        .link_bytes = from->link_bytes,
        .alone_ps = from->alone_ps,
        .because = pod_arena_strdup(arena, from->because),
        .in_loop = from->in_loop,
        .inserted = from->inserted,
        .asynchronous = from->asynchronous,
    };
  }
  return collectives;
}

static podium_instruction_t convert_instruction(pod_arena_t *arena,
                                                const Podium__V1__InstructionInfo *from) {
  return (podium_instruction_t){
      .name = pod_arena_strdup(arena, from->name),
      .op = pod_arena_strdup(arena, from->op),
      .shape = pod_arena_strdup(arena, from->shape),
      .source = pod_arena_strdup(arena, from->source),
      .is_collective = from->is_collective,
  };
}

static podium_instruction_t *convert_instructions(
    pod_arena_t *arena, const Podium__V1__CompileResponse *message) {
  podium_instruction_t *instructions =
      pod_arena_array(arena, message->n_instructions, sizeof(*instructions));
  for (size_t i = 0; i < message->n_instructions; i++) {
    instructions[i] = convert_instruction(arena, message->instructions[i]);
  }
  return instructions;
}

static void convert_peak(pod_arena_t *arena, const Podium__V1__Peak *message,
                         podium_program_info_t *info) {
  if (message == NULL || message->at == NULL) {
    return;
  }
  podium_peak_t *peaks = pod_arena_array(arena, message->n_buffers, sizeof(*peaks));
  for (size_t i = 0; i < message->n_buffers; i++) {
    const Podium__V1__InstructionInfo *writer = message->buffers[i]->writer;
    peaks[i].size_bytes = message->buffers[i]->size_bytes;
    peaks[i].writer = writer != NULL ? convert_instruction(arena, writer)
                                     : (podium_instruction_t){"", "", "", "", false};
  }
  info->peaks = peaks;
  info->peak_count = (int)message->n_buffers;
  info->peak_bytes = message->size_bytes;
  info->peak_at = convert_instruction(arena, message->at);
}

static const podium_alias_t *convert_aliases(pod_arena_t *arena,
                                             const Podium__V1__CompileResponse *message) {
  podium_alias_t *aliases = pod_arena_array(arena, message->n_aliases, sizeof(*aliases));
  for (size_t i = 0; i < message->n_aliases; i++) {
    aliases[i] = (podium_alias_t){.argument = message->aliases[i]->argument,
                                  .result = message->aliases[i]->result};
  }
  return aliases;
}

static const char *const *convert_notes(pod_arena_t *arena,
                                        const Podium__V1__CompileResponse *message) {
  const char **notes = pod_arena_array(arena, message->n_notes, sizeof(*notes));
  for (size_t i = 0; i < message->n_notes; i++) {
    notes[i] = pod_arena_strdup(arena, message->notes[i]);
  }
  return notes;
}

static void convert_values(pod_arena_t *arena, const Podium__V1__CompileResponse *message,
                           podium_program_info_t *info) {
  podium_value_t *values = pod_arena_array(arena, message->n_values, sizeof(*values));
  for (size_t i = 0; i < message->n_values; i++) {
    const Podium__V1__ValueSharding *from = message->values[i];
    values[i] = (podium_value_t){.name = pod_arena_strdup(arena, from->name),
                                 .op = pod_arena_strdup(arena, from->op),
                                 .source = pod_arena_strdup(arena, from->source),
                                 .shape = lib_shape(from->shape),
                                 .local_shape = lib_shape(from->local_shape),
                                 .spec = pod_arena_strdup(arena, from->spec),
                                 .number = from->number};
  }
  info->values = values;
  info->value_count = (int)message->n_values;
  info->after_text = pod_arena_strdup(arena, message->after_text);
}

static void list_own(const podium_session_t *session, pod_arena_t *arena,
                     podium_program_info_t *info) {
  int *own = pod_arena_array(arena, (size_t)info->device_count, sizeof(*own));
  for (int i = 0; i < info->device_count; i++) {
    own[info->own_count] = i;
    info->own_count += lib_owner(session, info->chips[i]) == session->member;
  }
  info->own = own;
}

static void convert(compile_t *compile, const Podium__V1__CompileResponse *message) {
  podium_executable_t *executable = compile->executable;
  pod_arena_t *arena = executable->arena;
  const Podium__V1__MemoryAnalysis *memory = message->memory;
  executable->info = (podium_program_info_t){
      .name = pod_arena_strdup(arena, message->name),
      .argument_count = (int)message->n_arguments,
      .result_count = (int)message->n_results,
      .device_count = (int)message->n_chips,
      .collective_count = (int)message->n_collectives,
      .instruction_count = (int)message->n_instructions,
      .arguments = convert_signatures(arena, message->n_arguments, message->arguments,
                                      compile->options),
      .results = convert_signatures(arena, message->n_results, message->results,
                                    compile->options),
      .inspection_count = (int)message->n_inspections,
      .inspections = convert_signatures(arena, message->n_inspections,
                                        message->inspections, compile->options),
      .collectives = convert_collectives(arena, message),
      .instructions = convert_instructions(arena, message),
      .partitioned_text = pod_arena_strdup(arena, message->partitioned_text),
      .hbm_peak_bytes = message->hbm_peak_bytes,
      .estimated_ps = message->estimated_ps,
      .argument_bytes = message->argument_bytes,
      .result_bytes = message->result_bytes,
      .constant_bytes = message->constant_bytes,
      .temp_bytes = message->temp_bytes,
      .hbm_bytes = message->hbm_bytes,
      .cached = message->cached,
      .chips = pod_arena_copy(arena, message->chips,
                              message->n_chips * sizeof(*message->chips)),
      .alias_count = (int)message->n_aliases,
      .aliases = convert_aliases(arena, message),
      .alias_bytes = message->alias_bytes,
      .host_argument_bytes = memory == NULL ? 0 : memory->host_argument_bytes,
      .host_result_bytes = memory == NULL ? 0 : memory->host_output_bytes,
      .host_alias_bytes = memory == NULL ? 0 : memory->host_alias_bytes,
      .host_temp_bytes = memory == NULL ? 0 : memory->host_temporary_bytes,
      .note_count = (int)message->n_notes,
      .notes = convert_notes(arena, message),
  };
  convert_peak(arena, message->peak, &executable->info);
  convert_values(arena, message, &executable->info);
  list_own(compile->session, arena, &executable->info);
}

// Another pod may have come back in the place of the one that was lost.
static bool is_same(const podium_executable_t *executable,
                    const Podium__V1__CompileResponse *message) {
  const podium_program_info_t *info = &executable->info;
  const size_t bytes = message->n_chips * sizeof(*message->chips);
  return message->n_chips == (size_t)info->device_count &&
         message->n_arguments == (size_t)info->argument_count &&
         message->n_results == (size_t)info->result_count &&
         (bytes == 0 || memcmp(message->chips, info->chips, bytes) == 0);
}

static void on_compiled(rpc_call_t *call, const void *response, void *context) {
  (void)call;
  compile_t *compile = context;
  const Podium__V1__CompileResponse *message = response;
  podium_executable_t *executable = compile->executable;
  compile->has_response = true;
  compile->needs_text = message->needs_text;
  if (message->needs_text) {
    return;
  }
  atomic_store(&executable->handle.id, message->executable);
  if (compile->remade != NULL) {
    compile->differs = !is_same(executable, message);
    return;
  }
  convert(compile, message);
}

static void send_more(rpc_call_t *call, void *context) {
  compile_t *compile = context;
  if (compile->is_question) {
    return;
  }
  while (compile->sent < compile->length && rpc_call_is_writable(call)) {
    const size_t left = compile->length - compile->sent;
    Podium__V1__CompileRequest request = PODIUM__V1__COMPILE_REQUEST__INIT;
    request.text.data = (uint8_t *)(uintptr_t)compile->text + compile->sent;
    request.text.len = left < LIB_CHUNK_BYTES ? left : LIB_CHUNK_BYTES;
    rpc_call_send(call, &request.base);
    compile->sent += request.text.len;
    if (compile->sent == compile->length) {
      rpc_call_half_close(call);
    }
  }
}

static void end_again(compile_t *compile, pod_status_t status);

static void on_compile_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  compile_t *compile = context;
  status = lib_call_status(compile->session, status);
  if (status == NULL && !compile->has_response) {
    status =
        pod_error(POD_INTERNAL, "the coordinator ended Compile without an executable");
  }
  if (compile->remade != NULL) {
    end_again(compile, status);
    return;
  }
  lib_module_t *module = compile->executable->module;
  if (module != NULL && status == NULL && !compile->needs_text) {
    module->is_held = true;
    module->next = compile->session->programs;
    compile->session->programs = compile->executable;
  }
  lib_wait_finish(&compile->wait, status);
}

// Borrows from the options; the lists are in the arena.
static void set_types(pod_arena_t *arena, const podium_compile_options_t *options,
                      Podium__V1__CompileRequest *request) {
  const size_t count = (size_t)options->argument_type_count;
  request->n_argument_types = count;
  request->argument_types =
      pod_arena_array(arena, count, sizeof(*request->argument_types));
  for (size_t i = 0; i < count; i++) {
    const podium_argument_type_t *type = &options->argument_types[i];
    Podium__V1__ArgumentType *message = pod_arena_alloc(arena, sizeof(*message));
    podium__v1__argument_type__init(message);
    if (type->argument != NULL) {
      message->argument = (char *)(uintptr_t)type->argument;
    }
    message->shape = pod_arena_alloc(arena, sizeof(*message->shape));
    lib_shape_message(&type->shape, message->shape);
    message->partial = type->partial;
    if (type->has_value) {
      message->known_case = PODIUM__V1__ARGUMENT_TYPE__KNOWN_VALUE;
      message->value = type->value;
    }
    request->argument_types[i] = message;
  }
}

Podium__V1__GivenSharding **lib_given_shardings(pod_arena_t *arena, int count,
                                                const podium_given_sharding_t *from) {
  Podium__V1__GivenSharding **list =
      pod_arena_array(arena, (size_t)count, sizeof(list[0]));
  for (int i = 0; i < count; i++) {
    list[i] = pod_arena_alloc(arena, sizeof(*list[i]));
    podium__v1__given_sharding__init(list[i]);
    list[i]->name = (char *)(uintptr_t)from[i].name;
    list[i]->spec = (char *)(uintptr_t)from[i].spec;
  }
  return list;
}

static void set_asked(pod_arena_t *arena, const podium_compile_options_t *options,
                      Podium__V1__CompileRequest *request) {
  if (options->mesh != NULL) {
    request->mesh = (char *)(uintptr_t)options->mesh;
  }
  if (options->propagation != NULL) {
    request->propagation = (char *)(uintptr_t)options->propagation;
  }
  if (options->donate != NULL) {
    request->donate = (char *)(uintptr_t)options->donate;
  }
  if (options->after != NULL) {
    request->after = (char *)(uintptr_t)options->after;
  }
  request->value_shardings = options->wants_values;
  request->ignore_hbm = options->ignore_hbm;
  request->estimate = options->estimate;
  request->n_in_shardings = (size_t)options->in_sharding_count;
  request->in_shardings =
      lib_given_shardings(arena, options->in_sharding_count, options->in_shardings);
  request->n_out_shardings = (size_t)options->out_sharding_count;
  request->out_shardings =
      lib_given_shardings(arena, options->out_sharding_count, options->out_shardings);
  request->n_inner_shardings = (size_t)options->inner_sharding_count;
  request->inner_shardings =
      lib_given_shardings(arena, options->inner_sharding_count, options->inner_shardings);
}

static void set_options(pod_arena_t *arena, const podium_compile_options_t *options,
                        Podium__V1__CompileRequest *request) {
  request->only = options->only;
  if (options->chip_kind != NULL) {
    request->chip_kind = (char *)(uintptr_t)options->chip_kind;
  }
  request->n_device_order = (size_t)options->device_order_count;
  request->device_order = (int64_t *)(uintptr_t)options->device_order;
  if (options->algorithms != NULL) {
    request->algorithms = (char *)(uintptr_t)options->algorithms;
  }
  if (options->collectives != NULL) {
    request->collectives = (char *)(uintptr_t)options->collectives;
  }
  if (options->topology != NULL) {
    request->topology = (char *)(uintptr_t)options->topology;
  }
  set_types(arena, options, request);
  set_asked(arena, options, request);
}

// All of the first message but the session. Borrows from the compile and the arena.
static Podium__V1__CompileRequest make_header(compile_t *compile, pod_arena_t *arena) {
  Podium__V1__CompileRequest request = PODIUM__V1__COMPILE_REQUEST__INIT;
  request.file_name = (char *)(uintptr_t)compile->file_name;
  request.size_bytes = (int64_t)compile->length;
  if (compile->has_digest) {
    request.digest = (ProtobufCBinaryData){DIGEST_BYTES, compile->digest};
  }
  set_options(arena, compile->options, &request);
  return request;
}

static void send_header(compile_t *compile, rpc_call_t *call) {
  const lib_module_t *module = compile->executable->module;
  if (module != NULL) {
    Podium__V1__CompileRequest *kept =
        podium__v1__compile_request__unpack(NULL, module->header_bytes, module->header);
    const ProtobufCBinaryData none = kept->session;
    kept->session = compile->session->id;
    rpc_call_send(call, &kept->base);
    kept->session = none;
    podium__v1__compile_request__free_unpacked(kept, NULL);
    return;
  }
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__CompileRequest request = make_header(compile, arena);
  request.session = compile->session->id;
  rpc_call_send(call, &request.base);
  pod_arena_destroy(arena);
}

static void start_compile(void *context) {
  compile_t *compile = context;
  const rpc_call_events_t events = {
      .on_message = on_compiled, .on_writable = send_more, .on_end = on_compile_end};
  rpc_call_t *call =
      rpc_call_start(compile->session->channel, "/podium.v1.Podium/Compile",
                     &podium__v1__compile_response__descriptor, &events, compile,
                     &(rpc_call_options_t){.timeout_ms = compile->timeout_ms});
  send_header(compile, call);
  if (compile->is_question || compile->length == 0) {
    rpc_call_half_close(call);
  }
  send_more(call, compile);
}

pod_status_t lib_check_given(const char *what, int count,
                             const podium_given_sharding_t *list) {
  POD_TRY(lib_check_list(what, count, list));
  for (int i = 0; i < count; i++) {
    if (list[i].name == NULL || list[i].spec == NULL) {
      return pod_error(POD_INVALID_ARGUMENT, "a sharding that is given has no %s",
                       list[i].name == NULL ? "name" : "spec");
    }
  }
  return NULL;
}

static pod_status_t check_options(const podium_compile_options_t *options) {
  if (!options->only && (options->chip_kind != NULL || options->topology != NULL)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a program is loaded on the pod's own chips: without `only`, "
                     "chip_kind and topology must be NULL");
  }
  POD_TRY(lib_check_list("types of arguments", options->argument_type_count,
                         options->argument_types));
  POD_TRY(lib_check_given("shardings of arguments", options->in_sharding_count,
                          options->in_shardings));
  POD_TRY(lib_check_given("shardings of results", options->out_sharding_count,
                          options->out_shardings));
  POD_TRY(lib_check_given("shardings of values", options->inner_sharding_count,
                          options->inner_shardings));
  for (int i = 0; i < options->argument_type_count; i++) {
    const int rank = options->argument_types[i].shape.rank;
    if (rank < 0 || rank > PODIUM_RANK_MAX) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "type %d of the arguments has %d dimensions; 0 to %d are possible",
                       i, rank, (int)PODIUM_RANK_MAX);
    }
  }
  return NULL;
}

// Asks by the digest, where that is worth it, then sends the text where it is needed.
static pod_status_t ask_once(compile_t *compile, int64_t deadline_ns) {
  compile->needs_text = true;
  for (int i = compile->has_digest ? 0 : 1; i < 2 && compile->needs_text; i++) {
    const int64_t left_ms = lib_left_ms(deadline_ns);
    compile->timeout_ms = left_ms < 0 ? 1 : left_ms;
    compile->is_question = i == 0;
    compile->has_response = false;
    compile->sent = 0;
    POD_TRY(lib_wait_run(compile->session, &compile->wait, start_compile, compile));
  }
  return compile->needs_text
             ? pod_error(POD_INTERNAL, "the coordinator asks for a text that it was sent")
             : NULL;
}

static void keep_module(compile_t *compile) {
  lib_module_t *module = pod_alloc(sizeof(*module));
  pod_arena_t *arena = pod_arena_create();
  const Podium__V1__CompileRequest request = make_header(compile, arena);
  module->header_bytes = podium__v1__compile_request__get_packed_size(&request);
  module->header = pod_alloc(module->header_bytes);
  podium__v1__compile_request__pack(&request, module->header);
  module->length = compile->length;
  module->text = pod_alloc(compile->length);
  memcpy(module->text, compile->text, compile->length);
  compile->executable->module = module;
  pod_arena_destroy(arena);
}

static pod_status_t compile_module(compile_t *compile) {
  podium_session_t *session = compile->session;
  const int64_t deadline_ns = lib_deadline_in(compile->options->timeout_ms);
  POD_TRY(check_options(compile->options));
  compile->has_digest = compile->length >= TEXT_AT_ONCE_BYTES;
  if (compile->has_digest) {
    digest_of(compile->text, compile->length, compile->digest);
  }
  if (session->retry != NULL) {
    keep_module(compile);
  }
  int attempts = 0;
  pod_status_t status;
  POD_TRY(lib_retry_wait(session, deadline_ns));
  do {
    status = ask_once(compile, deadline_ns);
  } while (lib_retry_again(session, &attempts, deadline_ns, &status));
  return status;
}

// --- Again, for a session that was opened anew ---

static void end_again(compile_t *compile, pod_status_t status) {
  podium_executable_t *executable = compile->executable;
  if (status == NULL && compile->needs_text && compile->is_question) {
    compile->is_question = false;
    compile->has_response = false;
    start_compile(compile);
    return;
  }
  if (status == NULL && compile->differs) {
    status = pod_error(POD_FAILED_PRECONDITION,
                       "'%s' was compiled for another pod than the one that has come "
                       "back: compile it again, and put its arrays again",
                       executable->info.name);
  }
  const lib_remade_fn_t remade = compile->remade;
  void *context = compile->context;
  free(compile);
  lib_executable_release(executable);
  remade(context, status);
}

void lib_compile_again(podium_executable_t *executable, lib_remade_fn_t done,
                       void *context) {
  const lib_module_t *module = executable->module;
  compile_t *compile = pod_alloc(sizeof(*compile));
  atomic_fetch_add(&executable->count, 1);
  *compile = (compile_t){.remade = done,
                         .context = context,
                         .session = executable->handle.session,
                         .text = module->text,
                         .length = module->length,
                         .is_question = module->length >= TEXT_AT_ONCE_BYTES,
                         .executable = executable};
  start_compile(compile);
}

// --- Handles ---

static void unlink_module(podium_executable_t *executable) {
  podium_executable_t **at = &executable->handle.session->programs;
  while (*at != NULL && *at != executable) {
    at = &(*at)->module->next;
  }
  if (*at != NULL) {
    *at = executable->module->next;
  }
}

void lib_executable_release(podium_executable_t *executable) {
  if (executable == NULL || atomic_fetch_sub(&executable->count, 1) > 1) {
    return;
  }
  if (executable->module != NULL) {
    unlink_module(executable);
    pod_status_free(executable->module->error);
    free(executable->module->text);
    free(executable->module->header);
    free(executable->module);
  }
  pod_arena_destroy(executable->arena);
  free(executable);
}

static void free_executable(lib_handle_t *handle) {
  lib_executable_release((podium_executable_t *)handle);
}

// In its place among the calls that use it. What may be run again keeps the program.
static void start_free(void *context) {
  podium_executable_t *executable = context;
  executable->module->is_held = false;
  if (lib_retry_is_steady(executable->handle.session)) {
    lib_free_now(executable->handle.session, 0, executable->handle.id);
    atomic_store(&executable->handle.id, 0);
  }
  lib_executable_release(executable);
}

podium_status_t *podium_compile(podium_session_t *session, const char *file_name,
                                const char *text, size_t length,
                                const podium_compile_options_t *given,
                                podium_executable_t **out_executable) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(out_executable);
  const podium_compile_options_t *options = LIB_OPTIONS(podium_compile_options_t, given);
  if (length > 0) {
    LIB_REQUIRE(text);
  }
  podium_executable_t *executable = pod_alloc(sizeof(*executable));
  executable->arena = pod_arena_create();
  executable->handle.session = session;
  atomic_init(&executable->count, 1);
  compile_t compile = {.session = session,
                       .file_name = file_name == NULL ? "" : file_name,
                       .text = text,
                       .length = length,
                       .options = options,
                       .executable = executable};
  const pod_status_t status = compile_module(&compile);
  if (status != NULL) {
    free_executable(&executable->handle);
    return lib_status(status);
  }
  lib_handle_add(session, &executable->handle, free_executable);
  *out_executable = executable;
  return NULL;
}

void podium_executable_free(podium_executable_t *executable) {
  if (executable == NULL) {
    return;
  }
  podium_session_t *session = executable->handle.session;
  lib_handle_remove(&executable->handle);
  if (session->retry != NULL && !lib_is_forked(session)) {
    lib_dispatch_run(session, 0, start_free, executable);
  } else {
    lib_free_remote(session, 0, executable->handle.id);
    free_executable(&executable->handle);
  }
}

const podium_program_info_t *podium_executable_info(
    const podium_executable_t *executable) {
  return executable == NULL ? NULL : &executable->info;
}
