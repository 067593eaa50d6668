// The coordinator: the daemon in the middle of a pod. Serves podium.v1.Podium to clients
// and podium.v1.Registry to workers.
//
//   OpenSession       session_service.c     the books: store.h
//   Compile           compile_service.c     in processes of their own: compiling/pool.h
//   PutArray          put_service.c         slices while it streams; holds a few MiB
//   Execute           execute_service.c     one at a time, first come first served
//   FetchArray        fetch_service.c       likewise assembles while it streams
//   GetProfile, Simulate   profile_service.c   on a thread: simulation.h
//   Attach            registry.h            the pod's state: places.h
//
// Threading: the loop thread, but for the compiler.
// Ownership: see each function.
// Errors: create reports an address it cannot, or may not, listen on.

#ifndef SERVER_COORDINATOR_COORDINATOR_H_
#define SERVER_COORDINATOR_COORDINATOR_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/access/access.h"
#include "common/access/secret.h"
#include "common/base/status.h"
#include "common/rpc/credentials.h"
#include "common/rpc/loop.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/compiler/compiler.h"
#include "server/coordinator/compiling/pool.h"
#include "server/coordinator/core/accounts.h"

typedef struct coordinator_t coordinator_t;

// The compiler as the coordinator calls it (server/compiler/compiler.h); tests put
// another in its place. Both are called on the compile thread, destroy on the loop's too.
typedef struct coordinator_compiler_t {
  pod_status_t (*compile)(const char *text, int64_t length,
                          const compiler_options_t *options,
                          compiler_result_t **out_result);
  void (*destroy)(compiler_result_t *result);
} coordinator_compiler_t;

enum {
  COORDINATOR_HEARTBEAT_MS = 1000,
  COORDINATOR_TIMEOUT_MS = 10000,
  COORDINATOR_GRACE_MS = 10000,
};

// The jobs that it keeps.
typedef struct coordinator_jobs_options_t {
  const char *folder;        // NULL: it keeps none. Borrowed for the call.
  int64_t bytes_max;         // Of all modules, inputs and results; 0: no bound.
  int64_t client_jobs_max;   // Of one client that have not ended; 0: no bound.
  int64_t client_bytes_max;  // Of the jobs of one client; 0: no bound.
  int64_t keep_hours;        // Of those that have ended; 0: until they are removed.
  // Where their runners come from; NULL: podium-job, as processes. Borrowed.
  const struct coordinator_runner_t *runner;
} coordinator_jobs_options_t;

enum { COORDINATOR_CLIENT_JOBS = 1000, COORDINATOR_JOBS_KEEP_HOURS = 168 };

typedef struct coordinator_options_t {
  const char *listen;  // "127.0.0.1:0". Borrowed for the call.
  // Where /metrics is served, in the clear and to whoever asks; NULL: nowhere. Borrowed
  // for the call.
  const char *metrics_listen;
  // Where the page is (page.h), by TLS when there are credentials of
  // rpc_credentials_for_pages; NULL: nowhere. `page_hosts` (NULL: none) are names, parted
  // by commas, by which browsers reach it besides the host's own. All borrowed for the
  // life of the coordinator.
  const char *page_listen, *page_hosts;
  const rpc_credentials_t *page_credentials;
  const chip_spec_t *spec;  // Borrowed for the life of the coordinator.
  torus_t torus;
  int64_t hbm_bytes;              // Of a chip; 0: the kind's.
  int64_t heartbeat_ms;           // What workers are told to keep to.
  int64_t timeout_ms;             // The silence after which a worker is lost.
  int64_t execution_seconds_max;  // How long an execution may run; 0: for ever.
  account_limits_t limits;        // Of each client. Zero: none.
  coordinator_compiler_t compiler;
  // Who may call; borrowed for the life of the coordinator. NULL: processes of its own
  // user that come by a unix socket, as podium's clients on its host do, and nobody else.
  access_t *access;
  coordinator_jobs_options_t jobs;
  // What workers prove that are not known otherwise, and what is proven to them; copied.
  // NULL: there is none.
  const access_secret_t *secret;
  bool is_insecure;  // It may listen where others reach it in the clear.
  // For TLS on its port and in its calls to workers; borrowed for the life of the
  // coordinator. NULL: plain.
  const rpc_credentials_t *port_credentials, *worker_credentials;
  // Where modules are compiled, as many at a time as it has slots; NULL: by
  // `compiler.compile`, on a thread of this process. Borrowed for the life of the
  // coordinator.
  compile_pool_t *compile_pool;
  int32_t compile_slots;
} coordinator_options_t;

POD_MUST_USE pod_status_t coordinator_create(rpc_loop_t *loop,
                                             const coordinator_options_t *options,
                                             coordinator_t **out_coordinator);

// "127.0.0.1:4711". Borrowed.
const char *coordinator_address(const coordinator_t *coordinator);

// Where /metrics is; NULL: nowhere. Borrowed.
const char *coordinator_metrics_address(const coordinator_t *coordinator);

// In place of the secret that it has: what workers prove that come from now on. Those
// that are attached stay.
void coordinator_set_secret(coordinator_t *coordinator, const access_secret_t *secret);

// Tokens were read again: sessions of the page that began with one are over.
void coordinator_forget_visitors(coordinator_t *coordinator);

// Where the page is, "http://127.0.0.1:4712/"; NULL: nowhere. Borrowed.
const char *coordinator_page_url(const coordinator_t *coordinator);

// Takes no new work, lets what runs finish, then ends sessions and memberships and calls
// `done` from the loop. After `grace_ms` it does not wait any longer. Once.
void coordinator_drain(coordinator_t *coordinator, int64_t grace_ms, rpc_fn_t done,
                       void *context);

// Whether coordinator_destroy would have to wait for the compiler or a simulation.
bool coordinator_is_compiling(const coordinator_t *coordinator);

// Ends what is left at once. Waits for a compile or a
// simulation that is running. Accepts NULL.
void coordinator_destroy(coordinator_t *coordinator);

#endif  // SERVER_COORDINATOR_COORDINATOR_H_
