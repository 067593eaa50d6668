// The text's digest first, the text when it is asked for.

#include <stdlib.h>
#include <string.h>

#include "client/lib/executable.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/digest/digest.h"

// Of longer texts the digest is sent first: what has been compiled before then costs no
// upload, and a question and its answer cost less than sending so much.
enum { TEXT_AT_ONCE_BYTES = 64 << 10 };

typedef struct compile_t {
  lib_wait_t wait;
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
        .operand = lib_shape(from->operand),
        .result = lib_shape(from->result),
        .group_count = from->group_count,
        .group_size = from->group_size,
        .ici_bytes = from->ici_bytes,
        .in_loop = from->in_loop,
        .inserted = from->inserted,
        .asynchronous = from->asynchronous,
    };
  }
  return collectives;
}

static podium_instruction_t *convert_instructions(
    pod_arena_t *arena, const Podium__V1__CompileResponse *message) {
  podium_instruction_t *instructions =
      pod_arena_array(arena, message->n_instructions, sizeof(*instructions));
  for (size_t i = 0; i < message->n_instructions; i++) {
    const Podium__V1__InstructionInfo *from = message->instructions[i];
    instructions[i] = (podium_instruction_t){
        .name = pod_arena_strdup(arena, from->name),
        .op = pod_arena_strdup(arena, from->op),
        .shape = pod_arena_strdup(arena, from->shape),
        .source = pod_arena_strdup(arena, from->source),
        .is_collective = from->is_collective,
    };
  }
  return instructions;
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

static void list_own(const podium_session_t *session, pod_arena_t *arena,
                     podium_program_info_t *info) {
  int *own = pod_arena_array(arena, (size_t)info->device_count, sizeof(*own));
  for (int i = 0; i < info->device_count; i++) {
    own[info->own_count] = i;
    info->own_count += lib_owner(session, info->chips[i]) == session->member;
  }
  info->own = own;
}

static void on_compiled(rpc_call_t *call, const void *response, void *context) {
  (void)call;
  compile_t *compile = context;
  const Podium__V1__CompileResponse *message = response;
  podium_executable_t *executable = compile->executable;
  pod_arena_t *arena = executable->arena;
  compile->has_response = true;
  compile->needs_text = message->needs_text;
  if (message->needs_text) {
    return;
  }
  executable->handle.id = message->executable;
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
      .note_count = (int)message->n_notes,
      .notes = convert_notes(arena, message),
  };
  list_own(compile->session, arena, &executable->info);
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

static void on_compile_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  compile_t *compile = context;
  if (status == NULL && !compile->has_response) {
    status =
        pod_error(POD_INTERNAL, "the coordinator ended Compile without an executable");
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
    if (type->has_value) {
      message->known_case = PODIUM__V1__ARGUMENT_TYPE__KNOWN_VALUE;
      message->value = type->value;
    }
    request->argument_types[i] = message;
  }
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
  if (options->topology != NULL) {
    request->topology = (char *)(uintptr_t)options->topology;
  }
  set_types(arena, options, request);
}

static void start_compile(void *context) {
  compile_t *compile = context;
  const rpc_call_events_t events = {
      .on_message = on_compiled, .on_writable = send_more, .on_end = on_compile_end};
  rpc_call_t *call =
      rpc_call_start(compile->session->channel, "/podium.v1.Podium/Compile",
                     &podium__v1__compile_response__descriptor, &events, compile,
                     &(rpc_call_options_t){.timeout_ms = compile->timeout_ms});
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__CompileRequest request = PODIUM__V1__COMPILE_REQUEST__INIT;
  request.session = compile->session->id;
  request.file_name = (char *)(uintptr_t)compile->file_name;
  request.size_bytes = (int64_t)compile->length;
  if (compile->has_digest) {
    request.digest = (ProtobufCBinaryData){DIGEST_BYTES, compile->digest};
  }
  set_options(arena, compile->options, &request);
  rpc_call_send(call, &request.base);
  pod_arena_destroy(arena);
  if (compile->is_question || compile->length == 0) {
    rpc_call_half_close(call);
  }
  send_more(call, compile);
}

static pod_status_t check_options(const podium_compile_options_t *options) {
  if (!options->only && (options->chip_kind != NULL || options->topology != NULL)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a program is loaded on the pod's own chips: without `only`, "
                     "chip_kind and topology must be NULL");
  }
  POD_TRY(lib_check_list("types of arguments", options->argument_type_count,
                         options->argument_types));
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
static pod_status_t compile_module(compile_t *compile) {
  const int64_t started_ns = pod_clock_now_ns();
  const int64_t timeout_ms = compile->options->timeout_ms;
  POD_TRY(check_options(compile->options));
  compile->timeout_ms = timeout_ms;
  compile->has_digest = compile->length >= TEXT_AT_ONCE_BYTES;
  compile->needs_text = true;
  if (compile->has_digest) {
    digest_of(compile->text, compile->length, compile->digest);
    compile->is_question = true;
    POD_TRY(lib_wait_run(compile->session, &compile->wait, start_compile, compile));
  }
  if (!compile->needs_text) {
    return NULL;
  }
  if (timeout_ms > 0) {
    const int64_t left_ms = timeout_ms - (pod_clock_now_ns() - started_ns) / 1000000;
    compile->timeout_ms = left_ms > 1 ? left_ms : 1;
  }
  compile->is_question = false;
  compile->has_response = false;
  POD_TRY(lib_wait_run(compile->session, &compile->wait, start_compile, compile));
  return compile->needs_text
             ? pod_error(POD_INTERNAL, "the coordinator asks for a text that it was sent")
             : NULL;
}

static void free_executable(lib_handle_t *handle) {
  podium_executable_t *executable = (podium_executable_t *)handle;
  pod_arena_destroy(executable->arena);
  free(executable);
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
  lib_handle_add(session, &executable->handle, executable->handle.id, free_executable);
  *out_executable = executable;
  return NULL;
}

void podium_executable_free(podium_executable_t *executable) {
  if (executable != NULL) {
    lib_handle_remove(&executable->handle);
    lib_free_remote(executable->handle.session, 0, executable->handle.id);
    free_executable(&executable->handle);
  }
}

const podium_program_info_t *podium_executable_info(
    const podium_executable_t *executable) {
  return executable == NULL ? NULL : &executable->info;
}
