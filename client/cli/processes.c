// Each process is told who it is by environment variables: by the ones that programs read
// themselves, and by those of Open MPI's mpirun, by which jax.distributed.initialize()
// finds out without arguments.

#include "client/cli/processes.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/cli/interrupts.h"
#include "common/base/clock.h"
#include "common/base/text.h"

enum {
  EXIT_NOT_FOUND = 127,  // The command could not be started, as shells say it.
  EXIT_SIGNAL = 128,
  END_MS = 10000,
  NS_PER_MS = 1000000,
};

typedef struct running_t {
  pid_t pids[CLI_PROCESSES_MAX];  // 0: has ended.
  struct pollfd ends[CLI_PROCESSES_MAX];
  int count, open_count;
  int exit;        // Of the first that failed.
  int64_t end_ns;  // When the others are ended.
  int end_signal;
} running_t;

// A port of this machine that nobody had a moment ago: process 0 will listen on it.
static pod_status_t choose_port(int *out_port) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof(address);
  const bool is_bound = file >= 0 &&
                        bind(file, (struct sockaddr *)&address, sizeof(address)) == 0 &&
                        getsockname(file, (struct sockaddr *)&address, &size) == 0;
  const int error = errno;
  if (file >= 0) {
    close(file);
  }
  if (!is_bound) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no port to meet at: %s", strerror(error));
  }
  *out_port = ntohs(address.sin_port);
  return NULL;
}

static void set_number(const char *name, int number) {
  char text[16];
  snprintf(text, sizeof(text), "%d", number);
  setenv(name, text, 1);
}

static void set_environment(int process, int count, int port) {
  char address[32];
  snprintf(address, sizeof(address), "127.0.0.1:%d", port);
  setenv("JAX_COORDINATOR_ADDRESS", address, 1);
  set_number("JAX_NUM_PROCESSES", count);
  set_number("JAX_PROCESS_ID", process);
  setenv("OMPI_MCA_orte_hnp_uri", "0.0;tcp://127.0.0.1:0", 1);
  set_number("OMPI_COMM_WORLD_SIZE", count);
  set_number("OMPI_COMM_WORLD_RANK", process);
  set_number("OMPI_COMM_WORLD_LOCAL_RANK", process);
}

static pod_status_t start(const cli_processes_t *processes, int index, int port,
                          running_t *running) {
  cli_interrupts_hold();
  const pid_t pid = fork();
  if (pid == 0) {
    cli_interrupts_restore_in_child();
    processes->prepare(processes->context, index);
    if (processes->count > 1) {
      set_environment(index, processes->count, port);
    }
    execvp(processes->command[0], processes->command);
    fprintf(stderr, "podium: %s: %s\n", processes->command[0], strerror(errno));
    _exit(EXIT_NOT_FOUND);
  }
  cli_interrupts_release();
  const int file = pid < 0 ? -1 : pidfd_open(pid, 0);
  if (file < 0) {
    const pod_status_t status =
        pod_error(POD_RESOURCE_EXHAUSTED, "no process: %s", strerror(errno));
    if (pid > 0) {
      kill(pid, SIGKILL);
      waitpid(pid, NULL, 0);
    }
    return status;
  }
  cli_interrupts_forward(pid);
  running->pids[index] = pid;
  running->ends[index] = (struct pollfd){.fd = file, .events = POLLIN};
  running->count = index + 1;
  running->open_count++;
  return NULL;
}

static void signal_all(const running_t *running, int number) {
  for (int i = 0; i < running->count; i++) {
    if (running->pids[i] != 0) {
      kill(running->pids[i], number);
    }
  }
}

static void end_later(running_t *running, int number) {
  running->end_ns = pod_clock_now_ns() + (int64_t)END_MS * NS_PER_MS;
  running->end_signal = number;
}

static void reap(running_t *running, int index) {
  cli_interrupts_forward_no_more(running->pids[index]);
  int status;
  while (waitpid(running->pids[index], &status, 0) < 0 && errno == EINTR) {
  }
  running->pids[index] = 0;
  close(running->ends[index].fd);
  running->ends[index].fd = -1;  // poll passes it over.
  running->open_count--;
  const int exit =
      WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
  if (exit != 0 && running->exit == 0) {
    running->exit = exit;
    end_later(running, SIGTERM);
  }
}

static void wait_for_all(running_t *running) {
  while (running->open_count > 0) {
    int timeout_ms = -1;
    if (running->end_signal != 0) {
      const int64_t left_ns = running->end_ns - pod_clock_now_ns();
      timeout_ms = left_ns <= 0 ? 0 : (int)(left_ns / NS_PER_MS) + 1;
    }
    const int ready = poll(running->ends, (nfds_t)running->count, timeout_ms);
    for (int i = 0; ready > 0 && i < running->count; i++) {
      if (running->pids[i] != 0 && running->ends[i].revents != 0) {
        reap(running, i);
      }
    }
    if (ready == 0) {
      signal_all(running, running->end_signal);
      end_later(running, SIGKILL);
    }
  }
}

pod_status_t cli_processes_run(const cli_processes_t *processes, int *out_exit) {
  int port = 0;
  if (processes->count > 1) {
    POD_TRY(choose_port(&port));
  }
  running_t running = {0};
  pod_status_t status = NULL;
  for (int i = 0; i < processes->count && status == NULL; i++) {
    status = start(processes, i, port, &running);
  }
  if (status != NULL) {
    signal_all(&running, SIGKILL);
  }
  wait_for_all(&running);
  *out_exit = running.exit;
  return status;
}
