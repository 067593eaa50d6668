// The main functions of the daemons, without arguments and signals; the compiler is the
// real one, but what it made of a text is kept, and it takes a time drawn from the seed.

#include "tests/simulation/pod.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/rpc/loop.h"
#include "server/chip/spec.h"
#include "server/compiler/compiler.h"
#include "server/coordinator/coordinator.h"
#include "server/worker/worker.h"
#include "tests/simulation/files.h"
#include "tests/simulation/net.h"
#include "tests/simulation/runners.h"

enum {
  HEARTBEAT_MS = 500,
  TIMEOUT_MS = 3000,
  GRACE_MS = 3000,
  COMPILE_MS_MAX = 300,
  COMPILED_MAX = 512,
  ORDER_MAX = 4,
  AGAIN_MS = 500,  // What has ended by itself.
};

struct daemon_t {
  int number;
  process_t *process;
  rpc_loop_t *loop;
  coordinator_t *coordinator;
  worker_t *worker;
  int64_t pause_ns;
  bool is_told;  // To end.
  event_t *restart;
};

static struct pod_state_t {
  int x, y, count;
  bool is_spread, is_ending, has_jobs;
  int64_t hbm_bytes;
  torus_t torus;
  const chip_spec_t *spec;
  daemon_t daemons[POD_DAEMONS_MAX];
} pod;

// --- The compiler ---

typedef struct kept_compile_t {
  char *text;
  int x, y;  // Of the pod.
  int64_t order_count, order[ORDER_MAX];
  compiler_result_t *result;
} kept_compile_t;

static kept_compile_t kept[COMPILED_MAX];
static int kept_count;

static bool is_kept(const kept_compile_t *compiled, const char *text,
                    const compiler_options_t *options) {
  return compiled->x == pod.x && compiled->y == pod.y &&
         compiled->order_count == options->device_order_count &&
         memcmp(compiled->order, options->device_order,
                (size_t)compiled->order_count * sizeof(compiled->order[0])) == 0 &&
         strcmp(compiled->text, text) == 0;
}

static void keep_result(const char *text, const compiler_options_t *options,
                        compiler_result_t *result) {
  kept_compile_t *compiled = &kept[kept_count++];
  POD_CHECK(options->device_order_count <= ORDER_MAX);
  *compiled = (kept_compile_t){.text = pod_strdup(text),
                               .x = pod.x,
                               .y = pod.y,
                               .order_count = options->device_order_count,
                               .result = result};
  for (int64_t i = 0; i < compiled->order_count; i++) {
    compiled->order[i] = options->device_order[i];
  }
}

static pod_status_t compile(const char *text, int64_t length,
                            const compiler_options_t *options,
                            compiler_result_t **out_result) {
  fiber_sleep(machine_between(0, COMPILE_MS_MAX) * MS);
  for (int i = 0; i < kept_count; i++) {
    if (is_kept(&kept[i], text, options)) {
      *out_result = kept[i].result;
      return NULL;
    }
  }
  POD_CHECK(kept_count < COMPILED_MAX);
  fiber_keep_memory(1);
  pod_status_t status = compiler_compile(text, length, options, out_result);
  if (status == NULL) {
    keep_result(text, options, *out_result);
  }
  fiber_keep_memory(-1);
  return status;
}

static void keep(compiler_result_t *result) {
  (void)result;
}

// --- The daemons ---

static void stop_loop(void *context) {
  daemon_t *daemon = context;
  rpc_loop_stop(daemon->loop);
}

static void *coordinator_main(void *context) {
  daemon_t *daemon = context;
  rpc_loop_t *loop = NULL;
  POD_CHECK(rpc_loop_create(&loop) == NULL);
  const coordinator_options_t options = {
      .listen = POD_ADDRESS,
      .spec = pod.spec,
      .torus = pod.torus,
      .hbm_bytes = pod.hbm_bytes,
      .heartbeat_ms = HEARTBEAT_MS,
      .timeout_ms = TIMEOUT_MS,
      .compiler = {.compile = compile, .destroy = keep},
      .jobs = {.folder = pod.has_jobs ? FILES_JOBS : NULL, .runner = &runners}};
  coordinator_t *coordinator = NULL;
  pod_status_t status = coordinator_create(loop, &options, &coordinator);
  if (status != NULL) {
    machine_fail("the coordinator does not start: %s", pod_status_message(status));
    return NULL;
  }
  daemon->loop = loop;
  daemon->coordinator = coordinator;
  rpc_loop_run(loop);
  daemon->loop = NULL;
  coordinator_destroy(coordinator);
  rpc_loop_destroy(loop);
  return NULL;
}

static void worker_ended(pod_status_t status, void *context) {
  daemon_t *daemon = context;
  if (status != NULL) {
    machine_trace("ended: %s", pod_status_message(status));
    pod_status_free(status);
  }
  rpc_loop_stop(daemon->loop);
}

static void *worker_main(void *context) {
  daemon_t *daemon = context;
  rpc_loop_t *loop = NULL;
  POD_CHECK(rpc_loop_create(&loop) == NULL);
  const worker_options_t options = {.coordinator = POD_ADDRESS,
                                    .ici_host = pod.is_spread ? "127.0.0.1" : NULL,
                                    .version = "simulated"};
  worker_t *worker = NULL;
  daemon->loop = loop;
  pod_status_t status = worker_create(loop, &options, worker_ended, daemon, &worker);
  if (status == NULL) {
    status = worker_start(worker);
  }
  if (status != NULL) {
    machine_fail("a worker does not start: %s", pod_status_message(status));
    return NULL;
  }
  daemon->worker = worker;
  rpc_loop_run(loop);
  daemon->loop = NULL;
  worker_destroy(worker);
  rpc_loop_destroy(loop);
  return NULL;
}

// --- Life ---

static void on_ended(process_t *process, void *context);

static void start(void *context) {
  daemon_t *daemon = context;
  char name[MACHINE_NAME_MAX];
  if (daemon->number == 0) {
    snprintf(name, sizeof(name), "coordinator");
  } else {
    snprintf(name, sizeof(name), "worker%d", daemon->number);
  }
  daemon->restart = NULL;
  daemon->pause_ns = 0;
  daemon->process = process_create(name, pod.is_spread ? daemon->number : 0);
  daemon->process->ended = on_ended;
  daemon->process->context = daemon;
  daemon->loop = NULL;
  daemon->coordinator = NULL;
  daemon->worker = NULL;
  daemon->is_told = false;
  fiber_t *fiber = fiber_spawn(
      daemon->process, daemon->number == 0 ? coordinator_main : worker_main, daemon, 0);
  fiber_release(fiber);
  machine_trace("%s starts", name);
}

static void start_anew(daemon_t *daemon) {
  daemon->process = NULL;
  if (!pod.is_ending) {
    daemon->restart = machine_at(machine_now_ns() + daemon->pause_ns, start, daemon);
  }
}

static void on_ended(process_t *process, void *context) {
  int blocks = 0;
  const size_t held = memory_held(process->index, &blocks);
  if (held > 0 || files_held(process->index) > 0) {
    machine_fail("%s has ended and left %zu bytes in %d blocks, %d open files",
                 process->name, held, blocks, files_held(process->index));
  }
  if (runners_count(process) > 0) {
    machine_fail("%s has ended and left a job's runner behind", process->name);
  }
  machine_trace("%s has ended", process->name);
  daemon_t *daemon = context;
  daemon->pause_ns = daemon->pause_ns > 0 ? daemon->pause_ns : AGAIN_MS * MS;
  start_anew(daemon);
}

void pod_start(int x, int y, bool is_spread, int64_t hbm_bytes, bool has_jobs) {
  memset(&pod, 0, sizeof(pod));
  pod.x = x;
  pod.y = y;
  pod.is_spread = is_spread;
  pod.hbm_bytes = hbm_bytes;
  pod.has_jobs = has_jobs;
  pod.count = 1 + x * y;
  pod.spec = chip_spec_find("v5e");
  char text[32];
  snprintf(text, sizeof(text), "%dx%d", x, y);
  POD_CHECK(torus_parse(text, pod.spec, &pod.torus, NULL) == NULL);
  for (int i = 0; i < pod.count; i++) {
    pod.daemons[i].number = i;
    pod.daemons[i].restart = machine_at(machine_now_ns() + machine_between(0, 200) * MS,
                                        start, &pod.daemons[i]);
  }
}

int pod_daemon_count(void) {
  return pod.count;
}

int pod_size_x(void) {
  return pod.x;
}

int pod_size_y(void) {
  return pod.y;
}

process_t *pod_process(int daemon) {
  return pod.daemons[daemon].process;
}

void pod_kill(int number, int64_t pause_ns) {
  daemon_t *daemon = &pod.daemons[number];
  if (daemon->process == NULL) {
    return;
  }
  machine_trace("%s is killed", daemon->process->name);
  process_kill(daemon->process);
  runners_orphan(daemon->process);
  daemon->pause_ns = pause_ns;
  start_anew(daemon);
}

static void drain(void *context) {
  daemon_t *daemon = context;
  if (daemon->loop == NULL) {
    return;  // It is over already, and what was posted goes with the loop.
  }
  if (daemon->coordinator != NULL) {
    coordinator_drain(daemon->coordinator, GRACE_MS, stop_loop, daemon);
  } else if (daemon->worker != NULL) {
    worker_drain(daemon->worker);
  }
}

static void *deliver_signal(void *context) {
  daemon_t *daemon = context;
  if (daemon->loop != NULL) {
    rpc_loop_post(daemon->loop, drain, daemon);
  }
  return NULL;
}

void pod_terminate(int number, int64_t pause_ns) {
  daemon_t *daemon = &pod.daemons[number];
  if (daemon->process == NULL || daemon->loop == NULL || daemon->is_told ||
      (daemon->coordinator == NULL && daemon->worker == NULL)) {
    pod_kill(number, pause_ns);  // It has no handler yet, or leaves at a second signal.
    return;
  }
  daemon->is_told = true;
  machine_trace("%s is told to end", daemon->process->name);
  daemon->pause_ns = pause_ns;
  fiber_release(fiber_spawn(daemon->process, deliver_signal, daemon, 0));
}

void pod_shut_down(void) {
  pod.is_ending = true;
  for (int i = 0; i < pod.count; i++) {
    machine_cancel(pod.daemons[i].restart);
    pod.daemons[i].restart = NULL;
    pod_terminate(i, 0);
  }
}

bool pod_has_ended(void) {
  for (int i = 0; i < pod.count; i++) {
    if (pod.daemons[i].process != NULL) {
      return false;
    }
  }
  return true;
}
