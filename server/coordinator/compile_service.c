// Compile: a module comes in pieces, goes to the compile thread, and the executable to
// the chips.
//
//   RECEIVING ──half-close──> WAITING ──compiled──> LOADING ──all chips have it──> over
//       │ └─────compiled before: compile_cache.h───────^                            ^
//       └───────client gone, session over, error: over, when no work is left────────┘
//
// WAITING is for a compile_work_t, which several may wait for.
//
// With `only`, and for the chips that have no worker now, nothing is loaded; what runs
// the executable later loads it where it is missing. With `only` the program may be for
// another pod than this one.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/compile_work.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/describe.h"
#include "server/coordinator/load.h"

#define TEXT_BYTES_MAX ((int64_t)256 << 20)       // Of one module.
#define TEXT_BYTES_ALL_MAX ((int64_t)1024 << 20)  // Of all that are under way.

typedef enum compile_state_t {
  COMPILE_RECEIVING = 0,
  COMPILE_WAITING,
  COMPILE_LOADING,
  COMPILE_OVER,  // Waits for the client's call to end.
} compile_state_t;

typedef struct compile_t {
  request_t request;  // First, so that the operation finds it.
  compile_waiter_t waiter;
  compile_state_t state;
  bool has_header;
  bool only;
  bool is_unwanted;  // Nobody waits for the result.
  char *file_name, *algorithms;
  const chip_spec_t *spec;  // What it is compiled for.
  torus_t torus;
  char *text;
  int64_t size_bytes, received_bytes;
  compiled_t *compiled;
  // While LOADING.
  store_executable_t *executable;
  load_t *load;
} compile_t;

static compile_t *compile_of(compile_waiter_t *waiter) {
  return (compile_t *)(void *)((char *)waiter - offsetof(compile_t, waiter));
}

static void free_if_over(compile_t *compile) {
  if (compile->state == COMPILE_OVER && compile->request.client == NULL) {
    free(compile);
  }
}

// Everything but the client's call ends here. Takes `status`; NULL: it has been answered.
static void end_compile(compile_t *compile, pod_status_t status) {
  coordinator_t *coordinator = compile->request.coordinator;
  POD_CHECK(compile->state != COMPILE_OVER);
  compile->state = COMPILE_OVER;
  if (status != NULL) {
    request_fail(&compile->request, status);
  }
  if (compile->text != NULL) {
    coordinator->compile_text_bytes -= compile->size_bytes;
  }
  free(compile->text);
  free(compile->file_name);
  free(compile->algorithms);
  compiled_unuse(compile->compiled);
  request_end(&compile->request);
  free_if_over(compile);
}

// --- RECEIVING ---

static void stop_compile(store_operation_t *operation);

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
  compile->spec = options->spec;
  compile->torus = options->torus;
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
  pod_status_t status = torus_parse(topology, spec, &compile->torus, &compile->spec);
  if (status == NULL && compile->spec == NULL) {  // Plain sizes: of the pod's kind.
    status = torus_parse(topology, options->spec, &compile->torus, &compile->spec);
  }
  pod_text_deinit(&own);
  return status;
}

static pod_status_t read_header(compile_t *compile,
                                const Podium__V1__CompileRequest *message) {
  coordinator_t *coordinator = compile->request.coordinator;
  compile->has_header = true;
  POD_TRY(request_begin(&compile->request, message->session, stop_compile));
  if (message->size_bytes < 0 || message->size_bytes > TEXT_BYTES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a module may have 0 to %" PRId64 " bytes, %" PRId64
                     " were announced",
                     TEXT_BYTES_MAX, message->size_bytes);
  }
  if (coordinator->compile_text_bytes + message->size_bytes > TEXT_BYTES_ALL_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "modules of %" PRId64 " bytes are being compiled, and %" PRId64
                     " more would be over %" PRId64 ": try again later",
                     coordinator->compile_text_bytes, message->size_bytes,
                     TEXT_BYTES_ALL_MAX);
  }
  compile->text = malloc((size_t)message->size_bytes + 1);
  if (compile->text == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "no memory for a module of %" PRId64 " bytes", message->size_bytes);
  }
  compile->size_bytes = message->size_bytes;
  coordinator->compile_text_bytes += compile->size_bytes;
  compile->only = message->only;
  POD_TRY(choose_pod(compile, message));
  compile->file_name = pod_strdup(message->file_name);
  compile->algorithms = pod_strdup(message->algorithms);
  return NULL;
}

static pod_status_t read_text(compile_t *compile, const ProtobufCBinaryData *piece) {
  if ((int64_t)piece->len > compile->size_bytes - compile->received_bytes) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the module was announced with %" PRId64
                     " bytes, and at least %" PRId64 " were sent",
                     compile->size_bytes, compile->received_bytes + (int64_t)piece->len);
  }
  if (piece->len > 0) {
    memcpy(compile->text + compile->received_bytes, piece->data, piece->len);
    compile->received_bytes += (int64_t)piece->len;
  }
  return NULL;
}

static void compile_message(rpc_call_t *client, const void *data, void *context) {
  (void)client;
  compile_t *compile = context;
  const Podium__V1__CompileRequest *message = data;
  if (compile->state != COMPILE_RECEIVING) {
    return;
  }
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
  request_reply(
      &compile->request,
      &describe_compile(arena, compile->executable->id, compile->compiled)->base);
  pod_arena_destroy(arena);
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
  pod_log(POD_LOG_INFO, "session %" PRIu64 " has compiled %s as executable %" PRIu64,
          compile->executable->session->id, compile->executable->name,
          compile->executable->id);
  store_executable_use(compile->executable);
  if (compile->only || !load_is_needed(coordinator, compile->executable)) {
    loaded(compile, NULL);
    return;
  }
  compile->state = COMPILE_LOADING;
  compile->load = load_start(coordinator, compile->executable, loaded, compile);
}

static compile_key_t key_of(const compile_t *compile) {
  return (compile_key_t){.text = compile->text,
                         .text_bytes = compile->size_bytes,
                         .file_name = compile->file_name,
                         .algorithms = compile->algorithms,
                         .spec = compile->spec,
                         .torus = compile->torus};
}

static void compiled(compile_waiter_t *waiter, pod_status_t status, compiled_t *what) {
  compile_t *compile = compile_of(waiter);
  if (status != NULL) {
    end_compile(compile, status);
  } else {
    compile->compiled = compiled_use(what);
    load_program(compile);
  }
}

// --- WAITING ---

// Ready to be loaded, or on its way to the compiler.
static pod_status_t find_or_compile(compile_t *compile) {
  coordinator_t *coordinator = compile->request.coordinator;
  const compile_key_t key = key_of(compile);
  compile->compiled =
      compiled_use(compile_cache_find(coordinator->compile_cache, &key, !compile->only));
  if (compile->compiled != NULL) {
    load_program(compile);
    return NULL;
  }
  compile->waiter.done = compiled;
  POD_TRY(compile_work_join(coordinator, &key, compile->text, !compile->only,
                            &compile->waiter));
  compile->text = NULL;
  compile->state = COMPILE_WAITING;
  return NULL;
}

static void compile_half_close(rpc_call_t *client, void *context) {
  (void)client;
  compile_t *compile = context;
  if (compile->state != COMPILE_RECEIVING) {
    return;
  }
  pod_status_t status = NULL;
  if (!compile->has_header) {
    status = pod_error(POD_INVALID_ARGUMENT, "Compile without a header");
  } else if (compile->received_bytes != compile->size_bytes) {
    status = pod_error(POD_INVALID_ARGUMENT,
                       "the module was announced with %" PRId64 " bytes, %" PRId64
                       " were sent",
                       compile->size_bytes, compile->received_bytes);
  } else {
    compile->text[compile->size_bytes] = '\0';
    status = find_or_compile(compile);
  }
  if (status != NULL) {
    end_compile(compile, status);
  }
}

// --- Giving up ---

// Takes `status`.
static void give_up(compile_t *compile, pod_status_t status) {
  switch (compile->state) {
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

static void stop_compile(store_operation_t *operation) {
  give_up((compile_t *)operation, request_stop_reason((const request_t *)operation));
}

static void compile_end(rpc_call_t *client, pod_status_t status, void *context) {
  (void)client;
  compile_t *compile = context;
  compile->request.client = NULL;
  if (compile->state == COMPILE_OVER) {
    pod_status_free(status);
    free_if_over(compile);
    return;
  }
  give_up(compile, status != NULL ? status : pod_error(POD_CANCELLED, "answered"));
}

static pod_status_t compile_start(rpc_call_t *client, void *service, void **out_context) {
  compile_t *compile = pod_alloc(sizeof(*compile));
  compile->request.coordinator = service;
  compile->request.client = client;
  *out_context = compile;
  return NULL;
}

rpc_method_t compile_method(void) {
  return (rpc_method_t){.path = "/podium.v1.Podium/Compile",
                        .request = &podium__v1__compile_request__descriptor,
                        .response = &podium__v1__compile_response__descriptor,
                        .events = {.on_message = compile_message,
                                   .on_half_close = compile_half_close,
                                   .on_end = compile_end},
                        .on_start = compile_start};
}
