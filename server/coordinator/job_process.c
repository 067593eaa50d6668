// posix_spawn on a thread, which then reads until the runner's output ends, and reaps it.
// What it has to say is posted to the loop; the last post frees the attempt.

#include "server/coordinator/job_process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/jobs/orders.h"

extern char **environ;

struct job_attempt_t {
  rpc_loop_t *loop;
  job_attempt_events_t events;
  char *orders, *log_path;
  pthread_t thread;
  pthread_mutex_t mutex;  // For pid and is_unwanted.
  pid_t pid;              // 0: it does not run, or is reaped.
  bool is_unwanted;       // Killed before it was there.
  bool is_abandoned;      // The loop's own: nothing is told any more.
  bool is_joined;
  pod_status_t end;
};

// --- To the loop ---

typedef struct told_line_t {
  job_attempt_t *attempt;
  char *line;
} told_line_t;

static void deliver_line(void *context) {
  told_line_t *told = context;
  if (!told->attempt->is_abandoned) {
    told->attempt->events.on_line(told->attempt->events.context, told->line);
  }
  free(told->line);
  free(told);
}

static void deliver_end(void *context) {
  job_attempt_t *attempt = context;
  if (!attempt->is_joined) {
    pthread_join(attempt->thread, NULL);
  }
  if (attempt->is_abandoned) {
    pod_status_free(attempt->end);
  } else {
    attempt->events.on_end(attempt->events.context, attempt->end);
  }
  pthread_mutex_destroy(&attempt->mutex);
  free(attempt->orders);
  free(attempt->log_path);
  free(attempt);
}

// --- The thread ---

static char *find_program(void) {
  static const char name[] = "podium-job";
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(name));
  if (length > 0) {
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
      memcpy(slash + 1, name, sizeof(name));
      if (access(path, X_OK) == 0) {
        return pod_strdup(path);
      }
    }
  }
  return pod_strdup(name);
}

// The runner is told all it needs; PODIUM_* are the coordinator's own.
static char **make_environment(void) {
  size_t count = 0;
  while (environ[count] != NULL) {
    count++;
  }
  char **list = pod_alloc((count + 1) * sizeof(char *));
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (strncmp(environ[i], "PODIUM_", 7) != 0) {
      list[kept++] = environ[i];
    }
  }
  return list;
}

typedef struct pipes_t {
  int input[2], output[2], log;
} pipes_t;

static void close_all(const int *fds, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (fds[i] >= 0) {
      close(fds[i]);
    }
  }
}

static pod_status_t open_pipes(const char *log_path, pipes_t *pipes) {
  *pipes = (pipes_t){{-1, -1}, {-1, -1}, -1};
  pipes->log =
      open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (pipes->log < 0) {
    return pod_error(POD_UNAVAILABLE, "the job's log %s cannot be opened: %s", log_path,
                     strerror(errno));
  }
  if (pipe2(pipes->input, O_CLOEXEC) != 0 || pipe2(pipes->output, O_CLOEXEC) != 0) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no pipe for the job's runner: %s",
                     strerror(errno));
  }
  return NULL;
}

static int spawn(const pipes_t *pipes, pid_t *out_pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, usual;
  sigemptyset(&none);
  sigfillset(&usual);
  POD_CHECK(posix_spawn_file_actions_init(&actions) == 0);
  POD_CHECK(posix_spawnattr_init(&attributes) == 0);
  posix_spawn_file_actions_adddup2(&actions, pipes->input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes->output[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes->log, STDERR_FILENO);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  // A group of its own: Ctrl-C at a terminal is the coordinator's to obey.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                            POSIX_SPAWN_SETPGROUP);
  char *program = find_program();
  char *argv[] = {"podium-job", NULL};
  char **environment = make_environment();
  const int error =
      posix_spawnp(out_pid, program, &actions, &attributes, argv, environment);
  free(environment);
  free(program);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

// Whoever kills finds it from now on.
static void remember(job_attempt_t *attempt, pid_t pid) {
  pthread_mutex_lock(&attempt->mutex);
  attempt->pid = pid;
  if (attempt->is_unwanted) {
    kill(pid, SIGKILL);
  }
  pthread_mutex_unlock(&attempt->mutex);
}

static bool write_all(int fd, const char *bytes) {
  size_t left = strlen(bytes);
  while (left > 0) {
    const ssize_t size = write(fd, bytes, left);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size <= 0) {
      return false;
    }
    bytes += size;
    left -= (size_t)size;
  }
  return true;
}

// Until it says no more, or more than it may.
static void read_lines(job_attempt_t *attempt, int fd) {
  FILE *file = fdopen(fd, "r");
  POD_CHECK(file != NULL);
  char *line = NULL;
  size_t room = 0;
  for (;;) {
    const ssize_t length = getline(&line, &room, file);
    if (length <= 0 || length > JOB_LINE_BYTES_MAX || line[length - 1] != '\n') {
      break;
    }
    line[length - 1] = '\0';
    told_line_t *told = pod_alloc(sizeof(*told));
    *told = (told_line_t){.attempt = attempt, .line = pod_strdup(line)};
    rpc_loop_post(attempt->loop, deliver_line, told);
  }
  free(line);
  fclose(file);
}

static pod_status_t describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int number = WTERMSIG(wait_status);
    // SIGKILL is what the kernel sends when memory is short: another time it may not be.
    return number == SIGKILL
               ? pod_error(
                     POD_UNAVAILABLE,
                     "the job's runner was killed (SIGKILL): by somebody on the "
                     "coordinator's host, or by the kernel because memory was short")
               : pod_error(POD_INTERNAL, "the job's runner ended by signal %d (%s)",
                           number, strsignal(number));
  }
  return WEXITSTATUS(wait_status) == 0
             ? NULL
             : pod_error(POD_INTERNAL,
                         "the job's runner ended with status %d: its log may say why",
                         WEXITSTATUS(wait_status));
}

// Its pid is nobody else's before it is reaped.
static pod_status_t reap(job_attempt_t *attempt, pid_t pid) {
  siginfo_t info;
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  pthread_mutex_lock(&attempt->mutex);
  attempt->pid = 0;
  pthread_mutex_unlock(&attempt->mutex);
  int wait_status = 0;
  while (waitpid(pid, &wait_status, 0) < 0) {
    if (errno != EINTR) {
      return pod_error(POD_INTERNAL, "the job's runner cannot be waited for: %s",
                       strerror(errno));
    }
  }
  return describe_end(wait_status);
}

static pod_status_t run(job_attempt_t *attempt) {
  pipes_t pipes;
  pid_t pid = 0;
  pod_status_t status = open_pipes(attempt->log_path, &pipes);
  if (status == NULL) {
    const int error = spawn(&pipes, &pid);
    if (error != 0) {
      status = pod_error(POD_FAILED_PRECONDITION,
                         "podium-job, which runs jobs, cannot be started: %s",
                         strerror(error));
    }
  }
  if (status != NULL) {
    close_all((int[]){pipes.input[0], pipes.input[1], pipes.output[0], pipes.output[1],
                      pipes.log},
              5);
    return status;
  }
  close_all((int[]){pipes.input[0], pipes.output[1], pipes.log}, 3);
  remember(attempt, pid);
  (void)write_all(pipes.input[1], attempt->orders);  // If it has gone, its end tells.
  explicit_bzero(attempt->orders, strlen(attempt->orders));
  read_lines(attempt, pipes.output[0]);
  // Its output may have ended before it: what says no more is of no use.
  pthread_mutex_lock(&attempt->mutex);
  siginfo_t info = {0};
  const bool has_ended =
      waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
      info.si_pid == pid;
  pthread_mutex_unlock(&attempt->mutex);
  if (!has_ended) {
    close(pipes.input[1]);  // It ends itself by this.
    pipes.input[1] = -1;
  }
  status = reap(attempt, pid);
  close_all(&pipes.input[1], 1);
  return status;
}

static void *run_thread(void *context) {
  job_attempt_t *attempt = context;
  attempt->end = run(attempt);
  rpc_loop_post(attempt->loop, deliver_end, attempt);
  return NULL;
}

// --- From the loop ---

static job_attempt_t *start(rpc_loop_t *loop, const char *orders, const char *log_path,
                            const job_attempt_events_t *events) {
  job_attempt_t *attempt = pod_alloc(sizeof(*attempt));
  *attempt = (job_attempt_t){.loop = loop,
                             .events = *events,
                             .orders = pod_strdup(orders),
                             .log_path = pod_strdup(log_path)};
  POD_CHECK(pthread_mutex_init(&attempt->mutex, NULL) == 0);
  const int error = pthread_create(&attempt->thread, NULL, run_thread, attempt);
  if (error != 0) {
    attempt->is_joined = true;
    attempt->end =
        pod_error(POD_UNAVAILABLE, "no thread for the job's runner: %s", strerror(error));
    rpc_loop_post(loop, deliver_end, attempt);
  }
  return attempt;
}

static void kill_attempt(job_attempt_t *attempt) {
  pthread_mutex_lock(&attempt->mutex);
  attempt->is_unwanted = true;
  if (attempt->pid > 0) {
    kill(attempt->pid, SIGKILL);
  }
  pthread_mutex_unlock(&attempt->mutex);
}

static void abandon(job_attempt_t *attempt) {
  kill_attempt(attempt);
  attempt->is_abandoned = true;
  if (!attempt->is_joined) {
    attempt->is_joined = true;
    pthread_join(attempt->thread, NULL);
  }
}

const coordinator_runner_t job_process_runner = {
    .start = start, .kill = kill_attempt, .abandon = abandon};
