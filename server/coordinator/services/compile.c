// Compile: a module comes in pieces, goes to the compile thread, and the executable to
// the chips.
//
//   RECEIVING ──half-close──> WAITING ──compiled──> LOADING ──all chips have it──> over
//       │ └─────compiled before: compile_cache.h───────^                            ^
//       ├───────no text came, and its digest is not known: "needs_text"─────────────┤
//       └───────client gone, session over, error: over, when no work is left────────┘
//
// WAITING is for a compile_work_t, which several may wait for. A client with a long text
// asks by its digest first; until text comes there is no memory for it.
//
// With `only`, and for the chips that have no worker now, nothing is loaded; what runs
// the executable later loads it where it is missing. With `only` the program may be for
// another pod than this one.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/available_memory.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/digest/digest.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/compile_work.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/load.h"
#include "server/coordinator/services/describe.h"
#include "server/coordinator/services/request.h"
#include "server/wire/types.h"

#define TEXT_BYTES_MAX ((int64_t)256 << 20)       // Of one module.
#define TEXT_BYTES_ALL_MAX ((int64_t)1024 << 20)  // Of all that are under way.
enum { ARGUMENT_TYPES_MAX = 1 << 16 };
enum {
  HOST_CHECKED_BYTES = 16 << 20,  // Of a text, from where on the host may not have room.
  TEXT_COPIES = 3,
};

typedef enum compile_state_t {
  COMPILE_RECEIVING = 0,
  COMPILE_WAITING,
  COMPILE_LOADING,
  COMPILE_OVER,
} compile_state_t;

static const pod_state_t states[] = {
    [COMPILE_RECEIVING] = {"receiving", POD_TO(COMPILE_WAITING) |
                                            POD_TO(COMPILE_LOADING) |
                                            POD_TO(COMPILE_OVER)},
    [COMPILE_WAITING] = {"waiting", POD_TO(COMPILE_LOADING) | POD_TO(COMPILE_OVER)},
    [COMPILE_LOADING] = {"loading", POD_TO(COMPILE_OVER)},
    [COMPILE_OVER] = {"over", 0},
};

typedef struct compile_t {
  request_t request;  // First, so that the operation finds it.
  compile_waiter_t waiter;
  bool has_header;
  bool only;
  bool is_unwanted;  // Nobody waits for the result.
  bool has_digest;   // The client has said it: key.digest.
  bool is_cached;
  bool is_counted;     // Among those of its client that wait for the compiler.
  pod_arena_t *arena;  // Of the key.
  compile_key_t key;
  char *text;        // NULL: none has come.
  digest_t *digest;  // Of what has come.
  int64_t received_bytes;
  compiled_t *compiled;
  // While LOADING.
  store_executable_t *executable;
  load_t *load;
} compile_t;

static compile_t *compile_of(compile_waiter_t *waiter) {
  return (compile_t *)(void *)((char *)waiter - offsetof(compile_t, waiter));
}

static void drop_text(compile_t *compile) {
  if (compile->text != NULL) {
    compile->request.coordinator->compile_text_bytes -= compile->key.text_bytes;
    free(compile->text);
    compile->text = NULL;
  }
}

// Among the modules of its client that wait for the compiler.
static void count_no_more(compile_t *compile) {
  if (compile->is_counted) {
    compile->is_counted = false;
    account_give_back(compile->request.operation.session->account, ACCOUNT_COMPILES, 1);
  }
}

// Everything but the client's call ends here. Takes `status`; NULL: it has been answered.
static void end_compile(compile_t *compile, pod_status_t status) {
  request_move(&compile->request, COMPILE_OVER);
  if (status != NULL) {
    request_fail(&compile->request, status);
  }
  count_no_more(compile);
  drop_text(compile);
  digest_destroy(compile->digest);
  pod_arena_destroy(compile->arena);
  compiled_unuse(compile->compiled);
  request_end(&compile->request);
}

// --- RECEIVING ---

static pod_status_t find_kind(const char *name, const chip_spec_t **out_spec) {
  *out_spec = chip_spec_find(name);
  if (*out_spec != NULL) {
    return NULL;
  }
  pod_text_t kinds = {0};
  for (const chip_spec_t *const *at = chip_spec_all(); *at != NULL; at++) {
    pod_text_printf(&kinds, " %s", (*at)->name);
  }
  const pod_status_t status = pod_error(
      POD_INVALID_ARGUMENT, "there is no chip \"%s\"; there are%s", name, kinds.bytes);
  pod_text_deinit(&kinds);
  return status;
}

// The pod to compile for: this one, or with `only` the one that is asked for.
static pod_status_t choose_pod(compile_t *compile,
                               const Podium__V1__CompileRequest *message) {
  const coordinator_options_t *options = &compile->request.coordinator->options;
  compile_key_t *key = &compile->key;
  key->spec = options->spec;
  key->torus = options->torus;
  if (*message->chip_kind == '\0' && *message->topology == '\0') {
    return NULL;
  }
  if (!message->only) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "only what is not loaded on the chips can be compiled for another "
                     "chip kind or topology than the pod's");
  }
  const chip_spec_t *spec = NULL;
  if (*message->chip_kind != '\0') {
    POD_TRY(find_kind(message->chip_kind, &spec));
  }
  pod_text_t own = {0};
  torus_print(&own, &options->torus);
  const char *topology = *message->topology != '\0' ? message->topology : own.bytes;
  pod_status_t status = torus_parse(topology, spec, &key->torus, &key->spec);
  if (status == NULL && key->spec == NULL) {  // Plain sizes: of the pod's kind.
    status = torus_parse(topology, options->spec, &key->torus, &key->spec);
  }
  pod_text_deinit(&own);
  return status;
}

static pod_status_t read_type(const Podium__V1__ArgumentType *message,
                              tensor_shape_t *out_shape) {
  const Podium__V1__Shape *shape = message->shape;
  if (shape == NULL || shape->dtype != PODIUM__V1__DTYPE__DTYPE_INVALID) {
    return wire_shape_unpack(shape, out_shape);
  }
  if (shape->n_dims > TENSOR_RANK_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "%zu dimensions, at most %d are possible",
                     shape->n_dims, TENSOR_RANK_MAX);
  }
  *out_shape = tensor_shape_make(TENSOR_INVALID, (int)shape->n_dims, shape->dims);
  return NULL;
}

static pod_status_t read_types(compile_t *compile,
                               const Podium__V1__CompileRequest *message) {
  const size_t count = message->n_argument_types;
  if (count > ARGUMENT_TYPES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "%zu types of arguments, at most %d can be",
                     count, (int)ARGUMENT_TYPES_MAX);
  }
  compiler_argument_type_t *types =
      pod_arena_array(compile->arena, count + 1, sizeof(*types));
  for (size_t i = 0; i < count; i++) {
    types[i].argument =
        pod_arena_strdup(compile->arena, message->argument_types[i]->argument);
    const Podium__V1__ArgumentType *type = message->argument_types[i];
    POD_TRY(pod_status_context(read_type(type, &types[i].shape),
                               "type %zu of the arguments", i));
    types[i].is_partial = type->partial;
    types[i].has_value = type->known_case == PODIUM__V1__ARGUMENT_TYPE__KNOWN_VALUE;
    types[i].value = types[i].has_value ? type->value : 0;
  }
  compile->key.argument_type_count = (int64_t)count;
  compile->key.argument_types = types;
  return NULL;
}

static pod_status_t read_order(compile_t *compile,
                               const Podium__V1__CompileRequest *message) {
  const size_t count = message->n_device_order;
  const int32_t chip_count = torus_chip_count(&compile->key.torus);
  if (count > (size_t)chip_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the order has %zu chips, the pod has %" PRId32, count, chip_count);
  }
  compile->key.device_order_count = (int64_t)count;
  compile->key.device_order = pod_arena_copy(compile->arena, message->device_order,
                                             count * sizeof(*message->device_order));
  return NULL;
}

// What a user writes is short; what is wrong with it is told with all of it.
static pod_status_t check_text(const char *what, const char *text) {
  enum { TEXT_MAX = 4096 };
  return strlen(text) <= TEXT_MAX
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT, "%s of %zu bytes; at most %d can be given",
                         what, strlen(text), (int)TEXT_MAX);
}

static pod_status_t read_given(compile_t *compile, const char *what, size_t count,
                               Podium__V1__GivenSharding *const *messages,
                               const compiler_given_spec_t **out_list) {
  if (count > CHIP_INTERFACES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "shardings of %zu %s are given, at most %d can be", count, what,
                     CHIP_INTERFACES_MAX);
  }
  compiler_given_spec_t *list = pod_arena_array(compile->arena, count + 1, sizeof(*list));
  for (size_t i = 0; i < count; i++) {
    POD_TRY(check_text("a name", messages[i]->name));
    POD_TRY(check_text("a sharding", messages[i]->spec));
    list[i].name = pod_arena_strdup(compile->arena, messages[i]->name);
    list[i].spec = pod_arena_strdup(compile->arena, messages[i]->spec);
  }
  *out_list = list;
  return NULL;
}

static pod_status_t read_asked(compile_t *compile,
                               const Podium__V1__CompileRequest *message) {
  compile_key_t *key = &compile->key;
  POD_TRY(check_text("a mesh", message->mesh));
  POD_TRY(check_text("the name of a pass", message->after));
  key->given.mesh = pod_arena_strdup(compile->arena, message->mesh);
  POD_TRY(check_text("a list of donated arguments", message->donate));
  key->given.donated = pod_arena_strdup(compile->arena, message->donate);
  key->given.argument_count = (int64_t)message->n_in_shardings;
  key->given.result_count = (int64_t)message->n_out_shardings;
  key->given.value_count = (int64_t)message->n_inner_shardings;
  key->propagation = pod_arena_strdup(compile->arena, message->propagation);
  key->after = pod_arena_strdup(compile->arena, message->after);
  key->wants_values = message->value_shardings;
  key->ignores_hbm = message->ignore_hbm;
  key->estimates_only = message->estimate;
  if (message->estimate && !message->only) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "what is loaded is compiled by the clock of the pod: estimate goes "
                     "with `only`");
  }
  if (message->ignore_hbm && !message->only) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a program that is loaded has to fit the HBM: ignore_hbm goes "
                     "with `only`");
  }
  POD_TRY(read_given(compile, "arguments", message->n_in_shardings, message->in_shardings,
                     &key->given.arguments));
  POD_TRY(read_given(compile, "results", message->n_out_shardings, message->out_shardings,
                     &key->given.results));
  return read_given(compile, "values", message->n_inner_shardings,
                    message->inner_shardings, &key->given.values);
}

static pod_status_t read_digest(compile_t *compile, const ProtobufCBinaryData *digest) {
  if (digest->len != 0 && digest->len != DIGEST_BYTES) {
    return pod_error(POD_INVALID_ARGUMENT, "a SHA-256 has %d bytes, the digest has %zu",
                     (int)DIGEST_BYTES, digest->len);
  }
  compile->has_digest = digest->len > 0;
  if (compile->has_digest) {
    memcpy(compile->key.digest, digest->data, DIGEST_BYTES);
  }
  return NULL;
}

// Here, in the compile process and on the way between them.
static pod_status_t check_host(int64_t size_bytes) {
  if (size_bytes < HOST_CHECKED_BYTES) {
    return NULL;
  }
  pod_available_memory_t host;
  pod_available_memory_read("", &host);
  if (host.left_bytes / TEXT_COPIES >= size_bytes) {
    return NULL;
  }
  return pod_error(POD_RESOURCE_EXHAUSTED,
                   "a module of %" PRId64
                   " MiB does not fit the coordinator's host, which has %" PRId64
                   " MiB left: try again later, or pass large constants as arguments",
                   size_bytes >> 20, host.left_bytes >> 20);
}

static pod_status_t make_room(compile_t *compile) {
  coordinator_t *coordinator = compile->request.coordinator;
  const int64_t size_bytes = compile->key.text_bytes;
  if (coordinator->compile_text_bytes + size_bytes > TEXT_BYTES_ALL_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "modules of %" PRId64 " bytes are being compiled, and %" PRId64
                     " more would be over %" PRId64 ": try again later",
                     coordinator->compile_text_bytes, size_bytes, TEXT_BYTES_ALL_MAX);
  }
  POD_TRY(check_host(size_bytes));
  POD_TRY(request_take_memory(&compile->request, size_bytes));
  compile->text = malloc((size_t)size_bytes + 1);
  if (compile->text == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "no memory for a module of %" PRId64 " bytes", size_bytes);
  }
  coordinator->compile_text_bytes += size_bytes;
  compile->digest = digest_create();
  return NULL;
}

static pod_status_t read_header(compile_t *compile,
                                const Podium__V1__CompileRequest *message) {
  compile->has_header = true;
  POD_TRY(request_begin(&compile->request, message->session));
  if (message->size_bytes < 0 || message->size_bytes > TEXT_BYTES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a module may have 0 to %" PRId64 " bytes, %" PRId64
                     " were announced",
                     TEXT_BYTES_MAX, message->size_bytes);
  }
  compile->key.text_bytes = message->size_bytes;
  compile->only = message->only;
  POD_TRY(choose_pod(compile, message));
  compile->key.file_name = pod_arena_strdup(compile->arena, message->file_name);
  compile->key.algorithms = pod_arena_strdup(compile->arena, message->algorithms);
  compile->key.collectives = pod_arena_strdup(compile->arena, message->collectives);
  POD_TRY(read_types(compile, message));
  POD_TRY(read_order(compile, message));
  POD_TRY(read_asked(compile, message));
  POD_TRY(read_digest(compile, &message->digest));
  // Who sends a digest may send no text.
  const bool has_text = !compile->has_digest || compile->key.text_bytes == 0;
  return has_text ? make_room(compile) : NULL;
}

static pod_status_t read_text(compile_t *compile, const ProtobufCBinaryData *piece) {
  const int64_t size_bytes = compile->key.text_bytes;
  if ((int64_t)piece->len > size_bytes - compile->received_bytes) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the module was announced with %" PRId64
                     " bytes, and at least %" PRId64 " were sent",
                     size_bytes, compile->received_bytes + (int64_t)piece->len);
  }
  if (piece->len > 0) {
    POD_TRY(compile->text == NULL ? make_room(compile) : NULL);
    memcpy(compile->text + compile->received_bytes, piece->data, piece->len);
    digest_add(compile->digest, piece->data, piece->len);
    compile->received_bytes += (int64_t)piece->len;
  }
  return NULL;
}

static void on_piece(request_t *request, const void *data) {
  compile_t *compile = (compile_t *)request;
  const Podium__V1__CompileRequest *message = data;
  pod_status_t status = compile->has_header ? NULL : read_header(compile, message);
  if (status == NULL) {
    status = read_text(compile, &message->text);
  }
  if (status != NULL) {
    end_compile(compile, status);
  }
}

// --- LOADING ---

static void reply(compile_t *compile) {
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__CompileResponse *response =
      describe_compile(arena, compile->executable->id, compile->compiled);
  response->cached = compile->is_cached;
  request_reply(&compile->request, &response->base);
  pod_arena_destroy(arena);
}

static void ask_for_text(compile_t *compile) {
  Podium__V1__CompileResponse response = PODIUM__V1__COMPILE_RESPONSE__INIT;
  response.needs_text = true;
  request_reply(&compile->request, &response.base);
  end_compile(compile, NULL);
}

static void loaded(void *context, pod_status_t status) {
  compile_t *compile = context;
  compile->load = NULL;
  if (status == NULL && compile->is_unwanted) {
    status = pod_error(POD_CANCELLED, "the caller has gone");
  }
  if (status == NULL) {
    reply(compile);
  } else {
    store_executable_drop(compile->executable);
  }
  store_executable_unuse(compile->executable);
  end_compile(compile, status);
}

static void log_compiled(const compile_t *compile) {
  const store_executable_t *executable = compile->executable;
  char traceparent[REQUEST_TRACEPARENT_BYTES];
  request_traceparent(compile->request.client, traceparent);
  pod_log_fields(POD_LOG_INFO,
                 POD_LOG_FIELDS({"event", .text = "compile"},
                                {"session", .number = (int64_t)executable->session->id},
                                {"client", .text = executable->session->client},
                                {"executable", .number = (int64_t)executable->id},
                                {"program", .text = executable->name},
                                {"duration_ns", .number = pod_clock_now_ns() -
                                                          compile->request.began_ns},
                                {"traceparent", .text = traceparent}),
                 "session %" PRIu64 " has compiled %s as executable %" PRIu64,
                 executable->session->id, executable->name, executable->id);
}

// From compile->compiled.
static void load_program(compile_t *compile) {
  coordinator_t *coordinator = compile->request.coordinator;
  const pod_status_t status = store_add_executable(
      compile->request.operation.session, compile->compiled->result->program,
      compile->compiled, !compile->only, &compile->executable);
  if (status != NULL) {
    end_compile(compile, status);
    return;
  }
  log_compiled(compile);
  store_executable_use(compile->executable);
  if (compile->only || !load_is_needed(coordinator, compile->executable)) {
    loaded(compile, NULL);
    return;
  }
  request_move(&compile->request, COMPILE_LOADING);
  compile->load = load_start(coordinator, compile->executable, loaded, compile);
}

static void compiled(compile_waiter_t *waiter, pod_status_t status, compiled_t *what) {
  compile_t *compile = compile_of(waiter);
  count_no_more(compile);
  if (status != NULL) {
    end_compile(compile, status);
  } else {
    compile->compiled = compiled_use(what);
    load_program(compile);
  }
}

// --- WAITING ---

// By its key: ready to be loaded, or being compiled already. False: neither.
static bool find_compiled(compile_t *compile) {
  coordinator_t *coordinator = compile->request.coordinator;
  compile->waiter.done = compiled;
  compile->compiled = compiled_use(
      compile_cache_find(coordinator->compile_cache, &compile->key, !compile->only));
  if (compile->compiled != NULL) {
    drop_text(compile);
    compile->is_cached = true;
    load_program(compile);
    return true;
  }
  if (compile_work_join(coordinator, &compile->key, !compile->only, &compile->waiter)) {
    drop_text(compile);
    request_move(&compile->request, COMPILE_WAITING);
    return true;
  }
  return false;
}

// The text is what its digest says.
static pod_status_t finish_digest(compile_t *compile) {
  uint8_t found[DIGEST_BYTES];
  digest_finish(compile->digest, found);
  pod_status_t status = NULL;
  if (compile->has_digest && memcmp(found, compile->key.digest, DIGEST_BYTES) != 0) {
    pod_text_t said = {0}, is = {0};
    digest_print(&said, compile->key.digest);
    digest_print(&is, found);
    status = pod_error(POD_INVALID_ARGUMENT,
                       "the digest is of another text: %s was sent, the text has %s",
                       said.bytes, is.bytes);
    pod_text_deinit(&said);
    pod_text_deinit(&is);
  }
  memcpy(compile->key.digest, found, DIGEST_BYTES);
  return status;
}

static pod_status_t find_or_compile(compile_t *compile) {
  compile->text[compile->key.text_bytes] = '\0';
  POD_TRY(finish_digest(compile));
  if (!find_compiled(compile)) {
    POD_TRY(
        account_take(compile->request.operation.session->account, ACCOUNT_COMPILES, 1));
    compile->is_counted = true;
    POD_TRY(compile_work_start(compile->request.coordinator, &compile->key, compile->text,
                               !compile->only, compile->request.operation.session,
                               &compile->waiter));
    compile->text = NULL;
    request_move(&compile->request, COMPILE_WAITING);
  }
  return NULL;
}

static void on_half_close(request_t *request) {
  compile_t *compile = (compile_t *)request;
  pod_status_t status = NULL;
  if (!compile->has_header) {
    status = pod_error(POD_INVALID_ARGUMENT, "Compile without a header");
  } else if (compile->text == NULL) {
    if (!find_compiled(compile)) {
      ask_for_text(compile);
    }
    return;
  } else if (compile->received_bytes != compile->key.text_bytes) {
    status = pod_error(POD_INVALID_ARGUMENT,
                       "the module was announced with %" PRId64 " bytes, %" PRId64
                       " were sent",
                       compile->key.text_bytes, compile->received_bytes);
  } else {
    status = find_or_compile(compile);
  }
  if (status != NULL) {
    end_compile(compile, status);
  }
}

// --- Giving up ---

// Takes `status`.
static void give_up(compile_t *compile, pod_status_t status) {
  switch ((compile_state_t)pod_state_of(&compile->request.machine)) {
    case COMPILE_RECEIVING:
      end_compile(compile, status);
      return;
    case COMPILE_WAITING:
      compile_work_leave(&compile->waiter);
      end_compile(compile, status);
      return;
    case COMPILE_LOADING:
      load_cancel(compile->load, pod_status_copy(status));
      break;
    case COMPILE_OVER:
      pod_status_free(status);
      return;
  }
  compile->is_unwanted = true;
  request_fail(&compile->request, status);
}

static void stop(request_t *request, pod_status_t status) {
  give_up((compile_t *)request, status);
}

static void on_start(request_t *request) {
  ((compile_t *)request)->arena = pod_arena_create();
}

static const request_kind_t kind = {.name = "Compile",
                                    .operation = OPERATION_COMPILE,
                                    .size_bytes = sizeof(compile_t),
                                    .states = states,
                                    .state_count = POD_COUNT_OF(states),
                                    .on_start = on_start,
                                    .on_message = on_piece,
                                    .on_half_close = on_half_close,
                                    .stop = stop};

static pod_status_t start(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&kind, client, service, out_context);
}

rpc_method_t compile_method(void) {
  return request_method("/podium.v1.Podium/Compile",
                        &podium__v1__compile_request__descriptor,
                        &podium__v1__compile_response__descriptor, start);
}
