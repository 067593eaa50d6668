// A server, as the files of this module see it.

#ifndef COMMON_RPC_SERVER_H_
#define COMMON_RPC_SERVER_H_

#include "common/base/log.h"
#include "common/base/map.h"
#include "common/rpc/address.h"
#include "common/rpc/admission.h"
#include "common/rpc/connection.h"

enum {
  RPC_STREAMS_DEFAULT = 1024,
  RPC_CONNECTIONS_DEFAULT = 1024,
  RPC_CONNECTIONS_PER_PEER_DEFAULT = 256,
};

typedef struct rpc_listener_t rpc_listener_t;
typedef struct rpc_service_t rpc_service_t;
typedef struct rpc_watcher_t rpc_watcher_t;

// A service by name, for health and reflection.
struct rpc_service_t {
  rpc_service_t *next;
  bool is_listed;  // Has methods; health alone may know a name without.
  bool is_serving;
  char name[];
};

struct rpc_server_t {
  rpc_endpoint_t endpoint;  // First, so that the endpoint finds its server.
  rpc_listener_t *listeners;
  rpc_connection_t *connections;
  rpc_admission_t admission;
  rpc_server_counts_t counts;  // But `open`.
  // Lines that whoever connects can bring about.
  pod_log_limit_t full_limit, accept_limit;
  rpc_authorize_fn_t authorize;  // NULL: every call is allowed.
  void *authorize_context;
  pod_map_t *methods;       // From path to rpc_entry_t.
  rpc_service_t *services;  // The first is "", the whole server.
  rpc_watcher_t *watchers;  // Calls of Health.Watch.
  bool shutting_down;
  rpc_alarm_t grace;
  rpc_task_t done_task;
  rpc_fn_t done;
  void *done_context;
};

// A message of the call has come to its handler: from now on, until rpc_server_end_call,
// its connection is busy. Ignored when it counts already.
void rpc_server_begin_call(rpc_call_t *call);

// The call leaves its connection. Ignored when it does not count.
void rpc_server_end_call(rpc_call_t *call);

// One more that ended so. Codes that are none (a handler may hand on what a peer has
// said) count as UNKNOWN.
void rpc_server_count(uint64_t counts[POD_CODE_COUNT], pod_status_t status);

// NULL when unknown.
rpc_service_t *rpc_server_find_service(const rpc_server_t *server, const char *name);

// Serves a socket that is connected already: for tests and fuzzing. Takes `fd`.
POD_MUST_USE pod_status_t rpc_server_adopt(rpc_server_t *server, int fd);

// health.c and reflection.c: the services that every server has.
void rpc_health_add(rpc_server_t *server);
void rpc_health_tell_watchers(rpc_server_t *server, const rpc_service_t *service);
void rpc_health_end_watches(rpc_server_t *server);
void rpc_reflection_add(rpc_server_t *server);

#endif  // COMMON_RPC_SERVER_H_
