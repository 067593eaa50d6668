// One job after the other, on a thread with a stack for deep modules.

#include "server/coordinator/compiling/server.h"

#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/memory.h"
#include "server/coordinator/compiling/message.h"

enum {
  // The compiler recurses with the nesting of the module, within bounds of its own.
  STACK_BYTES = 64 << 20,
  // After a compile that took so much the process is given back as a whole.
  KEPT_PEAK_BYTES = 256 << 20,
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LIMITS_MEMORY = 0 };
#else
enum { LIMITS_MEMORY = 1 };
#endif

typedef struct server_t {
  const compile_pool_options_t *options;
  int fd;
} server_t;

static int64_t peak_bytes(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss * 1024 : 0;
}

// Takes `status`; destroys the result.
static pod_status_t answer(const server_t *server, pod_status_t status,
                           compiler_result_t *result) {
  compile_frame_t frame;
  const pod_status_t unpacked = compile_answer_pack(status, result, &frame);
  if (unpacked != NULL) {  // It is an answer too.
    pod_status_free(status);
    status = unpacked;
    const pod_status_t again = compile_answer_pack(status, NULL, &frame);
    pod_status_free(again);
  }
  pod_status_free(status);
  if (result != NULL) {
    server->options->destroy(result);
  }
  frame.is_last = peak_bytes() > KEPT_PEAK_BYTES;
  pod_status_t sent = compile_frame_send(server->fd, COMPILE_NO_DEADLINE, &frame);
  if (sent == NULL && frame.is_last) {
    sent = pod_error(POD_CANCELLED, "a new process goes on");
  }
  compile_frame_deinit(&frame);
  return sent;
}

static pod_status_t serve_job(const server_t *server) {
  compile_frame_t job;
  pod_status_t status = compile_frame_receive(server->fd, COMPILE_NO_DEADLINE, &job);
  if (status != NULL) {
    compile_frame_deinit(&job);
    return status;
  }
  pod_arena_t *arena = pod_arena_create();
  compiler_options_t options;
  compiler_result_t *result = NULL;
  status = compile_job_unpack(arena, job.head, job.head_bytes, server->options->own_spec,
                              &options);
  if (status == NULL) {
    status = server->options->compile((const char *)job.body, (int64_t)job.body_bytes,
                                      &options, &result);
  }
  status = answer(server, status, result);
  pod_arena_destroy(arena);
  compile_frame_deinit(&job);
  return status;
}

static void *serve(void *context) {
  const server_t *server = context;
  pod_status_t status = NULL;
  while (status == NULL) {
    status = serve_job(server);
  }
  _exit(EXIT_SUCCESS);
}

// --- Limits ---

static void stop_for_memory(size_t size_bytes) {
  (void)size_bytes;
  _exit(COMPILE_EXIT_OUT_OF_MEMORY);
}

// Address space, which is what the kernel can bound for a process by itself: what this
// one has already, its stack and the rest.
static void limit_memory(int64_t memory_bytes) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (file != NULL) {
    if (fscanf(file, "%ld", &pages) != 1) {
      pages = 0;
    }
    fclose(file);
  }
  const rlim_t own_bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
  const struct rlimit limit = {own_bytes + STACK_BYTES + (rlim_t)memory_bytes,
                               own_bytes + STACK_BYTES + (rlim_t)memory_bytes};
  setrlimit(RLIMIT_AS, &limit);
}

// When the host runs out of memory this process is to go before any other of the pod.
static void offer_to_oom_killer(void) {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd >= 0) {
    const ssize_t written = write(fd, "500", 3);
    (void)written;  // Refused: the kernel chooses as it likes.
    close(fd);
  }
}

void compile_server_run(const compile_pool_options_t *options, int fd) {
  static server_t server;
  server = (server_t){.options = options, .fd = fd};
  mallopt(M_ARENA_MAX, 1);  // An arena of the thread's own would reserve 64 MiB.
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);  // Of gigabytes, for the writing of which all wait.
  offer_to_oom_killer();
  pod_memory_on_exhausted(stop_for_memory);
  if (LIMITS_MEMORY && options->memory_bytes > 0) {
    limit_memory(options->memory_bytes);
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, serve, &server) != 0) {
    _exit(COMPILE_EXIT_OUT_OF_MEMORY);
  }
  pthread_join(thread, NULL);
  _exit(EXIT_FAILURE);  // The thread exits for the process.
}
