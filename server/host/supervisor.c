// SIGCHLD by the loop, waitpid by pid: other children are not ours to reap.

#include "server/host/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/host/restart.h"

enum { EXIT_NOT_FOUND = 127, NS_PER_MS = 1000000, EXIT_SIGNAL = 128 };

typedef struct daemon_t {
  supervisor_t *supervisor;
  int32_t index;
  pid_t pid;           // 0: does not run.
  rpc_timer_t *pause;  // Until the next start.
  bool is_given_up;
  restart_t restart;
} daemon_t;

struct supervisor_t {
  supervisor_options_t options;
  rpc_signal_t *child_ended;
  rpc_timer_t *patience;  // While it stops.
  daemon_t *daemons;
  bool is_stopping, has_ended;
  int exit_status;
};

static int64_t now_ms(void) {
  return pod_clock_now_ns() / NS_PER_MS;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

// "podium-worker 3"
static char *name_of(const daemon_t *daemon) {
  const supervisor_options_t *options = &daemon->supervisor->options;
  pod_text_t text = {0};
  pod_text_add(&text, base_name(options->argv[0]));
  if (options->is_numbered) {
    pod_text_printf(&text, " %" PRId32, daemon->index);
  }
  return pod_text_take(&text);
}

static int open_log(const daemon_t *daemon) {
  const supervisor_options_t *options = &daemon->supervisor->options;
  if (options->log_folder == NULL) {
    return STDERR_FILENO;
  }
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/%s", options->log_folder, options->log_name);
  if (options->is_numbered) {
    pod_text_printf(&path, "-%" PRId32, daemon->index);
  }
  pod_text_add(&path, ".log");
  const int log =
      open(path.bytes, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (log < 0) {
    pod_log(POD_LOG_ERROR, "%s: %s", path.bytes, strerror(errno));
  }
  pod_text_deinit(&path);
  return log;
}

// In the child, where all signals are held. The loop's handlers would take what is meant
// for the daemon, and tell the supervisor of it.
static void become(char *const *argv, int log, pid_t parent, const sigset_t *mask) {
  for (int i = 1; i < NSIG; i++) {
    struct sigaction action;
    if (sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
        action.sa_handler != SIG_IGN) {
      (void)signal(i, SIG_DFL);
    }
  }
  (void)signal(SIGHUP, SIG_IGN);  // Until it listens to it: it reads its files anyway.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) {
    _exit(EXIT_FAILURE);
  }
  setpgid(0, 0);  // Ctrl-C is for the supervisor, who ends them in order.
  sigprocmask(SIG_SETMASK, mask, NULL);
  dup2(log, STDERR_FILENO);
  execv(argv[0], argv);
  dprintf(STDERR_FILENO, "podium-host: %s: %s\n", argv[0], strerror(errno));
  _exit(EXIT_NOT_FOUND);
}

// The options' with one more at the end, which may be NULL. Returns owned: the list.
static char **arguments_of(const supervisor_options_t *options, char *more) {
  size_t count = 0;
  while (options->argv[count] != NULL) {
    count++;
  }
  char **argv = pod_alloc((count + 2) * sizeof(*argv));
  memcpy(argv, options->argv, count * sizeof(*argv));
  argv[count] = more;
  return argv;
}

static void check_ended(supervisor_t *supervisor) {
  bool has_ended = !supervisor->has_ended;
  for (int32_t i = 0; i < supervisor->options.count; i++) {
    const daemon_t *daemon = &supervisor->daemons[i];
    has_ended &= daemon->pid == 0 && (daemon->is_given_up || supervisor->is_stopping);
  }
  if (has_ended) {
    supervisor->has_ended = true;
    supervisor->options.ended(supervisor->exit_status, supervisor->options.context);
  }
}

static void on_ended(daemon_t *daemon, bool is_error, int exit_status);

static void start(void *context) {
  daemon_t *daemon = context;
  supervisor_t *supervisor = daemon->supervisor;
  const supervisor_options_t *options = &supervisor->options;
  const bool is_first = daemon->restart.starts == 0;
  restart_started(&daemon->restart, now_ms());
  char *more =
      options->argument_of_start == NULL
          ? NULL
          : options->argument_of_start(daemon->index, is_first, options->context);
  char **argv = arguments_of(options, more);
  const int log = open_log(daemon);
  const pid_t parent = getpid();
  sigset_t all, mask;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &mask);
  const pid_t pid = log < 0 ? -1 : fork();
  if (pid == 0) {
    become(argv, log, parent, &mask);
  }
  const int error = errno;
  sigprocmask(SIG_SETMASK, &mask, NULL);
  if (log > STDERR_FILENO) {
    close(log);
  }
  free(argv);
  free(more);
  if (pid > 0) {
    daemon->pid = pid;
    return;
  }
  pod_log(POD_LOG_ERROR, "cannot start %s: %s", options->argv[0], strerror(error));
  on_ended(daemon, false, EXIT_FAILURE);
}

static void on_ended(daemon_t *daemon, bool is_error, int exit_status) {
  supervisor_t *supervisor = daemon->supervisor;
  daemon->pid = 0;
  if (!supervisor->is_stopping) {
    const int64_t pause_ms = restart_ended(&daemon->restart, now_ms(), is_error,
                                           supervisor->options.restarts_max);
    char *name = name_of(daemon);
    if (pause_ms >= 0) {
      pod_log(POD_LOG_WARNING, "%s is started again in %" PRId64 " ms", name, pause_ms);
      rpc_timer_start(daemon->pause, (uint64_t)pause_ms, 0);
    } else {
      pod_log(
          POD_LOG_ERROR, "%s is not started again: %s", name,
          daemon->restart.starts == 1 ? "it refused at once" : "it has ended too often");
      daemon->is_given_up = true;
      supervisor->exit_status =
          supervisor->exit_status == 0 ? exit_status : supervisor->exit_status;
    }
    free(name);
  }
  check_ended(supervisor);
}

static void reap(daemon_t *daemon) {
  int status;
  if (daemon->pid == 0 || waitpid(daemon->pid, &status, WNOHANG) != daemon->pid) {
    return;
  }
  const bool is_killed = WIFSIGNALED(status);
  const int exit_status =
      is_killed ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
  if (!daemon->supervisor->is_stopping) {
    char *name = name_of(daemon);
    pod_log(POD_LOG_WARNING, "%s (process %d) %s %d", name, daemon->pid,
            is_killed ? "was killed by signal" : "ended with status",
            is_killed ? WTERMSIG(status) : exit_status);
    free(name);
  }
  // One that ended well was asked to by somebody else: it is wanted again all the same.
  on_ended(daemon, !is_killed && exit_status != 0, exit_status == 0 ? 1 : exit_status);
}

static void on_child(void *context) {
  supervisor_t *supervisor = context;
  for (int32_t i = 0; i < supervisor->options.count; i++) {
    reap(&supervisor->daemons[i]);
  }
}

static void signal_all(const supervisor_t *supervisor, int number) {
  for (int32_t i = 0; i < supervisor->options.count; i++) {
    if (supervisor->daemons[i].pid != 0) {
      kill(supervisor->daemons[i].pid, number);
    }
  }
}

static void on_impatience(void *context) {
  const supervisor_t *supervisor = context;
  pod_log(POD_LOG_WARNING, "what has not ended is killed");
  signal_all(supervisor, SIGKILL);
}

void supervisor_stop(supervisor_t *supervisor) {
  signal_all(supervisor, supervisor->is_stopping ? SIGKILL : SIGTERM);
  if (supervisor->is_stopping) {
    return;
  }
  supervisor->is_stopping = true;
  for (int32_t i = 0; i < supervisor->options.count; i++) {
    rpc_timer_stop(supervisor->daemons[i].pause);
  }
  rpc_timer_start(supervisor->patience, SUPERVISOR_STOP_MS, 0);
  check_ended(supervisor);
}

void supervisor_hang_up(supervisor_t *supervisor) {
  signal_all(supervisor, SIGHUP);
}

pod_status_t supervisor_create(rpc_loop_t *loop, const supervisor_options_t *options,
                               supervisor_t **out_supervisor) {
  supervisor_t *supervisor = pod_alloc(sizeof(*supervisor));
  supervisor->options = *options;
  pod_status_t status =
      rpc_signal_create(loop, SIGCHLD, on_child, supervisor, &supervisor->child_ended);
  if (status != NULL) {
    free(supervisor);
    return status;
  }
  supervisor->patience = rpc_timer_create(loop, on_impatience, supervisor);
  supervisor->daemons = pod_alloc((size_t)options->count * sizeof(daemon_t));
  for (int32_t i = 0; i < options->count; i++) {
    daemon_t *daemon = &supervisor->daemons[i];
    *daemon = (daemon_t){.supervisor = supervisor, .index = i};
    daemon->pause = rpc_timer_create(loop, start, daemon);
    rpc_timer_start(daemon->pause, 0, 0);
  }
  *out_supervisor = supervisor;
  return NULL;
}

void supervisor_destroy(supervisor_t *supervisor) {
  if (supervisor == NULL) {
    return;
  }
  for (int32_t i = 0; i < supervisor->options.count; i++) {
    rpc_timer_destroy(supervisor->daemons[i].pause);
  }
  rpc_timer_destroy(supervisor->patience);
  rpc_signal_destroy(supervisor->child_ended);
  free(supervisor->daemons);
  free(supervisor);
}

pid_t supervisor_pid(const supervisor_t *supervisor, int32_t index) {
  return supervisor->daemons[index].pid;
}

int32_t supervisor_starts(const supervisor_t *supervisor, int32_t index) {
  return supervisor->daemons[index].restart.starts;
}

bool supervisor_has_given_up(const supervisor_t *supervisor, int32_t index) {
  return supervisor->daemons[index].is_given_up;
}
