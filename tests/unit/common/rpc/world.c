#include "world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

enum { WATCHDOG_MS = 60000 };

// --- The service ---

static void echo_on_message(rpc_call_t *call, const void *message, void *context) {
  const rpc_bytes_t *bytes = message;
  handler_t *handler = context;
  handler->message_count++;
  handler->byte_count += bytes->size_bytes;
  rpc_call_send_bytes(call, bytes->data, bytes->size_bytes);
  if (!rpc_call_is_writable(call)) {
    rpc_call_pause(call);
  }
  world_wake(handler->world);
}

static void resume_on_writable(rpc_call_t *call, void *context) {
  (void)context;
  rpc_call_resume(call);
}

static void finish_on_half_close(rpc_call_t *call, void *context) {
  handler_t *handler = context;
  handler->half_closed = true;
  rpc_call_finish(call, NULL);
}

static void unary_on_message(rpc_call_t *call, const void *message, void *context) {
  const rpc_bytes_t *bytes = message;
  handler_t *handler = context;
  handler->message_count++;
  rpc_call_send_bytes(call, bytes->data, bytes->size_bytes);
  rpc_call_finish(call, NULL);
}

static void count_on_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  handler_t *handler = context;
  handler->message_count++;
  handler->byte_count += ((const rpc_bytes_t *)message)->size_bytes;
  world_wake(handler->world);
}

static void count_on_half_close(rpc_call_t *call, void *context) {
  handler_t *handler = context;
  handler->half_closed = true;
  char text[32];
  const int length = snprintf(text, sizeof(text), "%zu", handler->byte_count);
  rpc_call_send_bytes(call, text, (size_t)length);
  rpc_call_finish(call, NULL);
}

static void produce_on_writable(rpc_call_t *call, void *context) {
  handler_t *handler = context;
  uint8_t *bytes = pod_alloc(handler->size_bytes);
  while (handler->left > 0 && rpc_call_is_writable(call)) {
    memset(bytes, (int)(handler->left & 0xff), handler->size_bytes);
    rpc_call_send_bytes(call, bytes, handler->size_bytes);
    handler->byte_count += handler->size_bytes;
    handler->left--;
  }
  free(bytes);
  if (handler->left == 0) {
    rpc_call_finish(call, NULL);
  }
  world_wake(handler->world);
}

static void produce_on_message(rpc_call_t *call, const void *message, void *context) {
  const rpc_bytes_t *bytes = message;
  handler_t *handler = context;
  char text[64] = "";
  memcpy(text, bytes->data, bytes->size_bytes < 63 ? bytes->size_bytes : 63);
  sscanf(text, "%" SCNu64 " %" SCNu64, &handler->left, &handler->size_bytes);
  produce_on_writable(call, context);
}

static void fail_on_message(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  const rpc_bytes_t *bytes = message;
  char text[256] = "";
  memcpy(text, bytes->data, bytes->size_bytes < 255 ? bytes->size_bytes : 255);
  char *rest = NULL;
  const long code = strtol(text, &rest, 10);
  rpc_call_finish(call, pod_error((pod_code_t)code, "%s", rest + 1));
}

static void headers_on_half_close(rpc_call_t *call, void *context) {
  (void)context;
  const rpc_metadata_t *say = rpc_call_peer_metadata(call, "say", false);
  const rpc_metadata_t *binary = rpc_call_peer_metadata(call, "say-bin", false);
  if (say != NULL) {
    const rpc_metadata_t said = {"said", say->value, say->size_bytes};
    rpc_call_add_metadata(call, &said, false);
  }
  if (binary != NULL) {
    const rpc_metadata_t said = {"said-bin", binary->value, binary->size_bytes};
    rpc_call_add_metadata(call, &said, true);
  }
  rpc_call_send_bytes(call, "", 0);
  rpc_call_finish(call, NULL);
}

static pod_status_t refuse_on_start(rpc_call_t *call, void *service, void **out_context) {
  (void)call;
  (void)service;
  (void)out_context;
  return pod_error(POD_PERMISSION_DENIED, "not for you");
}

static void note_end(rpc_call_t *call, pod_status_t status, void *context) {
  handler_t *handler = context;
  assert_ptr_equal(handler->call, call);
  assert_false(handler->ended);
  handler->ended = true;
  handler->code = pod_status_code(status);
  handler->call = NULL;
  pod_status_free(status);
  world_wake(handler->world);
}

static handler_t *add_handler(rpc_call_t *call, void *service, const char *path) {
  world_t *world = service;
  handler_t *handler = pod_alloc(sizeof(*handler));
  handler->world = world;
  handler->call = call;
  handler->path = path;
  handler->next = world->handlers;
  world->handlers = handler;
  world->handler_count++;
  world_wake(world);
  return handler;
}

#define START_FUNCTION(name, path)                                                \
  static pod_status_t name(rpc_call_t *call, void *service, void **out_context) { \
    *out_context = add_handler(call, service, path);                              \
    return NULL;                                                                  \
  }
START_FUNCTION(echo_on_start, "/test/Echo")
START_FUNCTION(unary_on_start, "/test/Unary")
START_FUNCTION(one_on_start, "/test/One")
START_FUNCTION(count_on_start, "/test/Count")
START_FUNCTION(short_on_start, "/test/Short")
START_FUNCTION(produce_on_start, "/test/Produce")
START_FUNCTION(fail_on_start, "/test/Fail")
START_FUNCTION(hang_on_start, "/test/Hang")
START_FUNCTION(headers_on_start, "/test/Headers")

static pod_status_t pause_on_start(rpc_call_t *call, void *service, void **out_context) {
  *out_context = add_handler(call, service, "/test/Pause");
  rpc_call_pause(call);
  return NULL;
}

const rpc_method_t world_methods[] = {
    {.path = "/test/Echo",
     .events = {.on_message = echo_on_message,
                .on_half_close = finish_on_half_close,
                .on_writable = resume_on_writable,
                .on_end = note_end},
     .on_start = echo_on_start},
    {.path = "/test/Unary",
     .events = {.on_message = unary_on_message, .on_end = note_end},
     .on_start = unary_on_start},
    {.path = "/test/One",
     .events = {.on_message = unary_on_message, .on_end = note_end},
     .one_request = true,
     .on_start = one_on_start},
    {.path = "/test/Count",
     .events = {.on_message = count_on_message,
                .on_half_close = count_on_half_close,
                .on_end = note_end},
     .on_start = count_on_start},
    {.path = "/test/Short",
     .events = {.on_message = count_on_message,
                .on_half_close = count_on_half_close,
                .on_end = note_end},
     .message_bytes_max = 100,
     .on_start = short_on_start},
    {.path = "/test/Produce",
     .events = {.on_message = produce_on_message,
                .on_writable = produce_on_writable,
                .on_end = note_end},
     .on_start = produce_on_start},
    {.path = "/test/Fail",
     .events = {.on_message = fail_on_message, .on_end = note_end},
     .on_start = fail_on_start},
    {.path = "/test/Hang",
     .events = {.on_message = count_on_message, .on_end = note_end},
     .on_start = hang_on_start},
    {.path = "/test/Pause",
     .events = {.on_message = count_on_message,
                .on_half_close = count_on_half_close,
                .on_end = note_end},
     .on_start = pause_on_start},
    {.path = "/test/Refuse", .events = {.on_end = note_end}, .on_start = refuse_on_start},
    {.path = "/test/Headers",
     .events = {.on_half_close = headers_on_half_close, .on_end = note_end},
     .on_start = headers_on_start},
    {0},
};

// --- The world ---

static void note_state(rpc_channel_t *channel, rpc_channel_state_t state,
                       pod_status_t why, void *context) {
  (void)channel;
  world_t *world = context;
  if (world->state_count < sizeof(world->states) / sizeof(world->states[0])) {
    world->states[world->state_count++] = state;
  }
  assert_true((why != NULL) == (state == RPC_CHANNEL_FAILED));
  if (why != NULL) {
    world->failed_code = pod_status_code(why);
  }
  world_wake(world);
}

static void bark(void *context) {
  (void)context;
  fail_msg("nothing happened for %d ms", WATCHDOG_MS);
}

void world_start(world_t *world, const char *address, const rpc_server_options_t *server,
                 const rpc_channel_options_t *channel) {
  *world = (world_t){0};
  assert_null(rpc_loop_create(&world->loop));
  assert_null(rpc_server_create(world->loop, server, &world->server));
  rpc_server_add_service(world->server, "test", world_methods, world);
  assert_null(rpc_server_listen(world->server, address != NULL ? address : "127.0.0.1:0",
                                &world->address));
  rpc_channel_options_t options = {0};
  if (channel != NULL) {
    options = *channel;
  }
  options.on_state = note_state;
  options.context = world;
  assert_null(rpc_channel_create(world->loop, world->address, &options, &world->channel));
  world->watchdog = rpc_timer_create(world->loop, bark, NULL);
}

void world_stop(world_t *world) {
  rpc_channel_destroy(world->channel);
  rpc_server_destroy(world->server);
  rpc_timer_destroy(world->watchdog);
  rpc_loop_destroy(world->loop);
  while (world->handlers != NULL) {
    handler_t *handler = world->handlers;
    world->handlers = handler->next;
    assert_true(handler->ended);
    free(handler);
  }
  free(world->address);
}

void world_run_until(world_t *world, bool (*condition)(const void *context),
                     const void *context) {
  rpc_timer_start(world->watchdog, WATCHDOG_MS, 0);
  while (!condition(context)) {
    rpc_loop_run(world->loop);
  }
  rpc_timer_stop(world->watchdog);
}

void world_wake(world_t *world) {
  rpc_loop_stop(world->loop);
}

handler_t *find_handler(const world_t *world, const char *path) {
  handler_t *handler = world->handlers;
  while (handler != NULL && strcmp(handler->path, path) != 0) {
    handler = handler->next;
  }
  return handler;
}

// --- The caller ---

static void copy_metadata(const rpc_call_t *call, const char *key, bool trailing,
                          char out_text[64]) {
  const rpc_metadata_t *metadata = rpc_call_peer_metadata(call, key, trailing);
  if (metadata != NULL && metadata->size_bytes < 64) {
    memcpy(out_text, metadata->value, metadata->size_bytes);
    out_text[metadata->size_bytes] = '\0';
  }
}

static void caller_on_headers(rpc_call_t *call, void *context) {
  caller_t *caller = context;
  caller->header_count++;
  copy_metadata(call, "said", false, caller->said);
  world_wake(caller->world);
}

static void caller_on_message(rpc_call_t *call, const void *message, void *context) {
  caller_t *caller = context;
  const rpc_bytes_t *bytes = message;
  assert_int_equal(caller->end_count, 0);
  caller->message_count++;
  caller->byte_count += bytes->size_bytes;
  caller->last_bytes = bytes->size_bytes;
  memcpy(caller->last, bytes->data,
         bytes->size_bytes < sizeof(caller->last) ? bytes->size_bytes
                                                  : sizeof(caller->last));
  if (caller->pause_at_message) {
    rpc_call_pause(call);
  }
  world_wake(caller->world);
}

static void caller_go_on(caller_t *caller) {
  if (caller->left == 0) {
    return;
  }
  uint8_t *bytes = pod_alloc(caller->size_bytes);
  while (caller->left > 0 && rpc_call_is_writable(caller->call)) {
    rpc_call_send_bytes(caller->call, bytes, caller->size_bytes);
    caller->left--;
  }
  free(bytes);
  if (caller->left == 0 && caller->half_close_at_end) {
    rpc_call_half_close(caller->call);
  }
}

static void caller_on_writable(rpc_call_t *call, void *context) {
  (void)call;
  caller_t *caller = context;
  caller->writable_count++;
  caller_go_on(caller);
  world_wake(caller->world);
}

static void caller_on_end(rpc_call_t *call, pod_status_t status, void *context) {
  caller_t *caller = context;
  assert_ptr_equal(caller->call, call);
  caller->end_count++;
  caller->code = pod_status_code(status);
  snprintf(caller->message, sizeof(caller->message), "%s", pod_status_message(status));
  copy_metadata(call, "said-bin", true, caller->said_binary);
  caller->call = NULL;
  pod_status_free(status);
  world_wake(caller->world);
}

void call_start(caller_t *caller, world_t *world, const char *path,
                const rpc_call_options_t *options) {
  static const rpc_call_events_t events = {.on_headers = caller_on_headers,
                                           .on_message = caller_on_message,
                                           .on_writable = caller_on_writable,
                                           .on_end = caller_on_end};
  *caller = (caller_t){.world = world};
  caller->call = rpc_call_start(world->channel, path, NULL, &events, caller, options);
}

void call_say(caller_t *caller, const char *text) {
  rpc_call_send_bytes(caller->call, text, strlen(text));
}

void call_send_all(caller_t *caller, uint64_t count, uint64_t size_bytes,
                   bool half_close) {
  caller->left = count;
  caller->size_bytes = size_bytes;
  caller->half_close_at_end = half_close;
  caller_go_on(caller);
}

bool call_has_ended(const void *caller) {
  return ((const caller_t *)caller)->end_count > 0;
}

void call_finish(caller_t *caller) {
  world_run_until(caller->world, call_has_ended, caller);
  assert_int_equal(caller->end_count, 1);
}
