// Nothing here waits for the end of a stream: a master of ssh's that stays may hold one
// open. A call has ended when its process has.

#include "client/launch/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"

enum { NS_PER_MS = 1000000, TICK_MS = 10, EXIT_NOT_FOUND = 127, EXIT_SIGNAL = 128 };
enum { INPUT, OUTPUT, ERRORS, STREAMS };

static void hold(const launch_children_t *children) {
  if (children->hold != NULL) {
    children->hold();
  }
}

static void release(const launch_children_t *children) {
  if (children->release != NULL) {
    children->release();
  }
}

static void close_file(int *file) {
  if (*file >= 0) {
    (void)close(*file);
    *file = -1;
  }
}

// --- One process ---

// All ends that it opened, or none.
static bool open_pipes(int ends[STREAMS][2]) {
  for (int i = 0; i < STREAMS; i++) {
    if (pipe2(ends[i], O_CLOEXEC) != 0) {
      while (--i >= 0) {
        (void)close(ends[i][0]);
        (void)close(ends[i][1]);
      }
      return false;
    }
  }
  return true;
}

static void become(char *const *argv, const launch_children_t *children, pid_t parent,
                   int ends[STREAMS][2]) {
  if (children->prepare_child != NULL) {
    children->prepare_child();
  }
  (void)setpgid(0, 0);  // A terminal's Ctrl-C is for us, who stop in order.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(EXIT_FAILURE);
  }
  dup2(ends[INPUT][0], STDIN_FILENO);
  dup2(ends[OUTPUT][1], STDOUT_FILENO);
  dup2(ends[ERRORS][1], STDERR_FILENO);
  execvp(argv[0], argv);
  dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
  _exit(EXIT_NOT_FOUND);
}

// Our ends go to `files`. -1 when there is no process to be had.
static pid_t start_process(char *const *argv, launch_children_t *children,
                           int files[STREAMS]) {
  int ends[STREAMS][2];
  if (!open_pipes(ends)) {
    return -1;
  }
  const pid_t parent = getpid();
  hold(children);
  const pid_t pid = fork();
  if (pid == 0) {
    become(argv, children, parent, ends);
  }
  for (int i = 0; pid > 0 && i < LAUNCH_PARALLEL_MAX; i++) {
    if (children->pids[i] == 0) {
      children->pids[i] = pid;
      break;
    }
  }
  release(children);
  for (int i = 0; i < STREAMS; i++) {
    const int ours = i == INPUT ? 1 : 0;
    (void)close(ends[i][1 - ours]);
    files[i] = ends[i][ours];
    (void)fcntl(files[i], F_SETFL, O_NONBLOCK);
    if (pid < 0) {
      close_file(&files[i]);
    }
  }
  return pid;
}

// Whether it has ended; then it is forgotten.
static bool reap(pid_t pid, launch_children_t *children, int *out_status) {
  hold(children);
  const bool has_ended = waitpid(pid, out_status, WNOHANG) == pid;
  for (int i = 0; has_ended && i < LAUNCH_PARALLEL_MAX; i++) {
    children->pids[i] = children->pids[i] == pid ? 0 : children->pids[i];
  }
  release(children);
  return has_ended;
}

// --- Calls ---

static void start_call(launch_call_t *call, launch_children_t *children) {
  call->end_ns = pod_clock_now_ns() + call->timeout_ms * NS_PER_MS;
  call->pid = start_process(call->argv, children, call->files);
  if (call->pid < 0) {
    pod_text_printf(&call->errors, "no process: %s", strerror(errno));
    call->exit_status = EXIT_NOT_FOUND;
    call->has_ended = true;
  }
}

static void write_input(launch_call_t *call) {
  while (call->files[INPUT] >= 0 && call->written < call->input_length) {
    const ssize_t done = write(call->files[INPUT], call->input + call->written,
                               call->input_length - call->written);
    if (done < 0 && (errno == EAGAIN || errno == EINTR)) {
      return;
    }
    if (done < 0) {
      break;  // It does not want to know more.
    }
    call->written += (size_t)done;
  }
  close_file(&call->files[INPUT]);
}

static void read_stream(launch_call_t *call, int which) {
  pod_text_t *text = which == OUTPUT ? &call->output : &call->errors;
  char bytes[4096];
  ssize_t got;
  while (call->files[which] >= 0 &&
         (got = read(call->files[which], bytes, sizeof(bytes))) != -1) {
    if (got == 0) {
      close_file(&call->files[which]);
    } else if (text->length + (size_t)got <= LAUNCH_OUTPUT_MAX) {
      pod_text_add_bytes(text, bytes, (size_t)got);
    }
  }
}

static void end_call(launch_call_t *call, int status) {
  read_stream(call, OUTPUT);
  read_stream(call, ERRORS);
  for (int i = 0; i < STREAMS; i++) {
    close_file(&call->files[i]);
  }
  call->exit_status =
      WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
  call->has_ended = true;
}

static void serve_call(launch_call_t *call, launch_children_t *children) {
  write_input(call);
  read_stream(call, OUTPUT);
  read_stream(call, ERRORS);
  if (!call->is_late && pod_clock_now_ns() > call->end_ns) {
    call->is_late = true;
    kill(call->pid, SIGKILL);
    kill(-call->pid, SIGKILL);  // A ProxyCommand, say; there once it has its group.
  }
  int status;
  if (reap(call->pid, children, &status)) {
    end_call(call, status);
  }
}

// Until one of them can go on, or a moment has passed: ends of processes are asked for.
static void wait_for_any(launch_call_t *const *running, int32_t count) {
  struct pollfd files[LAUNCH_PARALLEL_MAX * STREAMS];
  nfds_t watched = 0;
  for (int32_t i = 0; i < count; i++) {
    for (int k = 0; k < STREAMS; k++) {
      if (running[i]->files[k] >= 0) {
        files[watched++] = (struct pollfd){.fd = running[i]->files[k],
                                           .events = k == INPUT ? POLLOUT : POLLIN};
      }
    }
  }
  (void)poll(files, watched, TICK_MS);
}

void launch_calls_run(launch_call_t *calls, int32_t count, launch_children_t *children,
                      void (*ended)(void *context, int32_t index), void *context) {
  launch_call_t *running[LAUNCH_PARALLEL_MAX];
  int32_t running_count = 0, next = 0;
  while (running_count > 0 || next < count) {
    while (next < count && running_count < LAUNCH_PARALLEL_MAX) {
      start_call(&calls[next], children);
      running[running_count++] = &calls[next++];
    }
    wait_for_any(running, running_count);
    for (int32_t i = 0; i < running_count; i++) {
      launch_call_t *call = running[i];
      if (!call->has_ended) {
        serve_call(call, children);
      }
      if (call->has_ended) {
        running[i--] = running[--running_count];
        if (ended != NULL) {
          ended(context, (int32_t)(call - calls));
        }
      }
    }
  }
}

pid_t launch_stream_start(char *const *argv, const char *input,
                          launch_children_t *children, int out_files[2]) {
  int files[STREAMS];
  const pid_t pid = start_process(argv, children, files);
  if (pid < 0) {
    return -1;
  }
  const size_t length = strlen(input);
  if (write(files[INPUT], input, length) != (ssize_t)length) {
    kill(pid, SIGKILL);  // Its streams end, which the reader is told.
  }
  close_file(&files[INPUT]);
  out_files[0] = files[OUTPUT];
  out_files[1] = files[ERRORS];
  return pid;
}

void launch_call_deinit(launch_call_t *call) {
  pod_text_deinit(&call->output);
  pod_text_deinit(&call->errors);
}
