// grpc.health.v1.Health. A Watch ends when its caller ends it, or with the server.

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/rpc/server.h"
#include "proto/grpc/health/v1/health.pb-c.h"

enum { REQUEST_BYTES_MAX = 512 };  // The name of a service.

struct rpc_watcher_t {
  rpc_watcher_t *previous, *next;
  rpc_server_t *server;
  rpc_call_t *call;
  char *service_name;  // NULL until the request is there.
};

typedef Grpc__Health__V1__HealthCheckRequest health_request_t;
typedef Grpc__Health__V1__HealthCheckResponse health_response_t;

static health_response_t answer(const rpc_service_t *service) {
  health_response_t response = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
  if (service == NULL) {
    response.status =
        GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN;
  } else if (service->is_serving) {
    response.status = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING;
  } else {
    response.status =
        GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING;
  }
  return response;
}

static void check_on_message(rpc_call_t *call, const void *message, void *context) {
  const health_request_t *request = message;
  const rpc_service_t *service = rpc_server_find_service(context, request->service);
  if (service == NULL) {
    rpc_call_finish(call,
                    pod_error(POD_NOT_FOUND, "no service '%s' here", request->service));
    return;
  }
  const health_response_t response = answer(service);
  rpc_call_reply(call, &response.base);
}

static pod_status_t watch_on_start(rpc_call_t *call, void *service, void **out_context) {
  rpc_server_t *server = service;
  rpc_watcher_t *watcher = pod_alloc(sizeof(*watcher));
  watcher->server = server;
  watcher->call = call;
  watcher->next = server->watchers;
  if (watcher->next != NULL) {
    watcher->next->previous = watcher;
  }
  server->watchers = watcher;
  *out_context = watcher;
  return NULL;
}

static void watch_on_message(rpc_call_t *call, const void *message, void *context) {
  rpc_watcher_t *watcher = context;
  const health_request_t *request = message;
  free(watcher->service_name);
  watcher->service_name = pod_strdup(request->service);
  const health_response_t response =
      answer(rpc_server_find_service(watcher->server, request->service));
  rpc_call_send(call, &response.base);
}

static void watch_on_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  rpc_watcher_t *watcher = context;
  pod_status_free(status);
  if (watcher->previous != NULL) {
    watcher->previous->next = watcher->next;
  } else {
    watcher->server->watchers = watcher->next;
  }
  if (watcher->next != NULL) {
    watcher->next->previous = watcher->previous;
  }
  free(watcher->service_name);
  free(watcher);
}

void rpc_health_tell_watchers(rpc_server_t *server, const rpc_service_t *service) {
  const health_response_t response = answer(service);
  for (rpc_watcher_t *watcher = server->watchers; watcher != NULL;
       watcher = watcher->next) {
    // One that does not read must not make us keep a queue for it.
    if (watcher->service_name != NULL &&
        strcmp(watcher->service_name, service->name) == 0 &&
        rpc_call_is_writable(watcher->call)) {
      rpc_call_send(watcher->call, &response.base);
    }
  }
}

void rpc_health_end_watches(rpc_server_t *server) {
  for (rpc_watcher_t *watcher = server->watchers; watcher != NULL;
       watcher = watcher->next) {
    rpc_call_finish(watcher->call, pod_error(POD_UNAVAILABLE, "the server shuts down"));
  }
}

void rpc_health_add(rpc_server_t *server) {
  static const rpc_method_t methods[] = {
      {.path = "/grpc.health.v1.Health/Check",
       .request = &grpc__health__v1__health_check_request__descriptor,
       .response = &grpc__health__v1__health_check_response__descriptor,
       .events = {.on_message = check_on_message},
       .one_request = true,
       .is_idle = true,
       .message_bytes_max = REQUEST_BYTES_MAX},
      {.path = "/grpc.health.v1.Health/Watch",
       .request = &grpc__health__v1__health_check_request__descriptor,
       .response = &grpc__health__v1__health_check_response__descriptor,
       .events = {.on_message = watch_on_message, .on_end = watch_on_end},
       .one_request = true,
       .is_idle = true,
       .message_bytes_max = REQUEST_BYTES_MAX,
       .on_start = watch_on_start},
      {0},
  };
  rpc_server_add_service(server, "grpc.health.v1.Health", methods, server);
}
