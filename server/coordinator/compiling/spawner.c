// A question is a message of the control socket, which keeps their bounds; the answer to
// SPAWN carries the descriptor. What the first spawner inherits a later one is told in a
// message before all questions, and one more with the chip that is no row of ours.

#include "server/coordinator/compiling/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/child.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/coordinator/compiling/server.h"

typedef struct question_t {
  enum { SPAWN = 1, REAP = 2 } what;
  pid_t pid;  // REAP: whom.
} question_t;

typedef struct reply_t {
  int error;  // An errno; 0: none.
  pid_t pid;
  spawner_end_t end;
} reply_t;

// To a spawner that has inherited nothing.
typedef struct beginning_t {
  int32_t slot_count;
  int64_t memory_bytes, seconds;
  bool has_own_spec;  // Its description follows.
} beginning_t;

typedef union descriptor_t {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
} descriptor_t;

// --- In the spawner ---

static void reply(int control, const reply_t *text, int fd) {
  descriptor_t descriptor = {0};
  struct iovec vector = {(void *)(uintptr_t)text, sizeof(*text)};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  if (fd >= 0) {
    message.msg_control = &descriptor;
    message.msg_controllen = sizeof(descriptor);
    descriptor.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)),
                                         .cmsg_level = SOL_SOCKET,
                                         .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&descriptor.header), &fd, sizeof(fd));
  }
  if (sendmsg(control, &message, MSG_NOSIGNAL) < 0) {
    _exit(EXIT_SUCCESS);  // The coordinator has gone.
  }
}

static void spawn(const compile_pool_options_t *options, int control) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    reply(control, &(reply_t){.error = errno}, -1);
    return;
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    close(control);
    close(ends[0]);
    pod_child_end_with(parent, SIGKILL);
    prctl(PR_SET_NAME, "podium-compile");
    compile_server_run(options, ends[1]);
  }
  const reply_t told = {.error = pid < 0 ? errno : 0, .pid = pid};
  close(ends[1]);
  reply(control, &told, pid < 0 ? -1 : ends[0]);
  close(ends[0]);
}

// Waits for the end of the server; ends when the coordinator does.
static void wait_near(int control, pid_t pid) {
  struct pollfd ends[] = {{.fd = pidfd_open(pid, 0), .events = POLLIN},
                          {.fd = control, .events = 0}};
  while (ends[0].fd >= 0 && poll(ends, 2, -1) < 0 && errno == EINTR) {
  }
  if ((ends[1].revents & POLLHUP) != 0) {
    _exit(EXIT_SUCCESS);
  }
  if (ends[0].fd >= 0) {
    close(ends[0].fd);
  }
}

static void reap(int control, pid_t pid) {
  reply_t told = {.pid = pid};
  wait_near(control, pid);
  struct rusage usage = {0};
  while (wait4(pid, &told.end.wait_status, 0, &usage) < 0) {
    if (errno != EINTR) {
      told.error = errno;
      break;
    }
  }
  told.end.peak_bytes = (int64_t)usage.ru_maxrss * 1024;
  reply(control, &told, -1);
}

// Nothing of the coordinator's is kept but standard error. A signal to the group is the
// coordinator's to obey: it may let compiles end.
static void leave_the_coordinator(int *control) {
  const int kept = 3;
  if (*control != kept) {
    dup2(*control, kept);
    *control = kept;
  }
  close_range(kept + 1, ~0U, 0);
  const int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    close(null);
  }
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_NAME, "podium-spawner");
}

static _Noreturn void run(const compile_pool_options_t *options, int control) {
  leave_the_coordinator(&control);
  for (;;) {
    question_t question;
    const ssize_t size = recv(control, &question, sizeof(question), 0);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size != (ssize_t)sizeof(question)) {
      _exit(EXIT_SUCCESS);  // Its servers end with it.
    }
    if (question.what == SPAWN) {
      spawn(options, control);
    } else {
      reap(control, question.pid);
    }
  }
}

// What is sent before the first question. False: it is not for us.
static bool hear_beginning(int control, compile_pool_options_t *options) {
  beginning_t beginning;
  if (recv(control, &beginning, sizeof(beginning), 0) != (ssize_t)sizeof(beginning)) {
    return false;
  }
  options->slot_count = beginning.slot_count;
  options->memory_bytes = beginning.memory_bytes;
  options->seconds = beginning.seconds;
  if (!beginning.has_own_spec) {
    return true;
  }
  char *text = pod_alloc(CHIP_SPEC_TEXT_MAX);
  chip_spec_t *spec = NULL;
  const ssize_t size_bytes = recv(control, text, CHIP_SPEC_TEXT_MAX, 0);
  const pod_status_t status =
      size_bytes > 0 ? chip_spec_parse("its chip", text, (size_t)size_bytes, &spec)
                     : pod_error(POD_UNAVAILABLE, "nothing came");
  options->own_spec = spec;
  pod_status_free(status);
  free(text);
  return spec != NULL;
}

void compile_spawner_main(int argc, char **argv, compile_function_t *compile,
                          compile_destroy_t *destroy) {
  if (argc != 2 || strcmp(argv[1], COMPILE_SPAWNER_ARGUMENT) != 0) {
    return;
  }
  compile_pool_options_t options = {.compile = compile, .destroy = destroy};
  if (!hear_beginning(POD_CHILD_FIRST_FILE, &options)) {
    _exit(EXIT_FAILURE);
  }
  run(&options, POD_CHILD_FIRST_FILE);
}

// --- In the coordinator ---

pod_status_t spawner_start(const compile_pool_options_t *options,
                           spawner_t *out_spawner) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no socket for the compile processes: %s",
                     strerror(errno));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    pod_child_end_with(parent, SIGKILL);
    run(options, ends[1]);
  }
  const int error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "the process of the compiles cannot be started: %s",
                     strerror(error));
  }
  *out_spawner = (spawner_t){.pid = pid, .control = ends[0]};
  return NULL;
}

static bool tell_beginning(int control, const compile_pool_options_t *options) {
  const beginning_t beginning = {.slot_count = options->slot_count,
                                 .memory_bytes = options->memory_bytes,
                                 .seconds = options->seconds,
                                 .has_own_spec = options->own_spec != NULL};
  bool is_told = send(control, &beginning, sizeof(beginning), MSG_NOSIGNAL) ==
                 (ssize_t)sizeof(beginning);
  if (is_told && options->own_spec != NULL) {
    pod_text_t text = {0};
    chip_spec_print(&text, options->own_spec);
    is_told =
        send(control, text.bytes, text.length, MSG_NOSIGNAL) == (ssize_t)text.length;
    pod_text_deinit(&text);
  }
  return is_told;
}

pod_status_t spawner_start_again(const compile_pool_options_t *options,
                                 spawner_t *out_spawner) {
  static const char *const arguments[] = {"podium-spawner", COMPILE_SPAWNER_ARGUMENT,
                                          NULL};
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no socket for the compile processes: %s",
                     strerror(errno));
  }
  spawner_t spawner = {.control = ends[0]};
  pod_status_t status = pod_child_start(&(pod_child_t){.path = POD_CHILD_SELF,
                                                       .arguments = arguments,
                                                       .input = -1,
                                                       .output = -1,
                                                       .files = &ends[1],
                                                       .file_count = 1},
                                        &spawner.pid);
  close(ends[1]);
  if (status == NULL && !tell_beginning(ends[0], options)) {
    status = pod_error(POD_UNAVAILABLE, "it does not listen");
  }
  if (status != NULL) {
    spawner_stop(&spawner, NULL);
    return pod_status_context(status, "the process of the compiles");
  }
  *out_spawner = spawner;
  return NULL;
}

void spawner_stop(spawner_t *spawner, int *out_wait_status) {
  int wait_status = 0;
  if (spawner->control >= 0) {
    close(spawner->control);
  }
  if (spawner->pid > 0) {
    kill(spawner->pid, SIGKILL);  // It may be waiting for a server.
    while (waitpid(spawner->pid, &wait_status, 0) < 0 && errno == EINTR) {
    }
  }
  *spawner = (spawner_t){.control = -1};
  if (out_wait_status != NULL) {
    *out_wait_status = wait_status;
  }
}

// *out_fd is -1 when none came.
static pod_status_t ask(spawner_t *spawner, const question_t *question, reply_t *out,
                        int *out_fd) {
  descriptor_t descriptor = {0};
  struct iovec vector = {out, sizeof(*out)};
  struct msghdr message = {.msg_iov = &vector,
                           .msg_iovlen = 1,
                           .msg_control = &descriptor,
                           .msg_controllen = sizeof(descriptor)};
  *out_fd = -1;
  ssize_t size = send(spawner->control, question, sizeof(*question), MSG_NOSIGNAL);
  if (size == (ssize_t)sizeof(*question)) {
    do {
      size = recvmsg(spawner->control, &message, MSG_CMSG_CLOEXEC);
    } while (size < 0 && errno == EINTR);
  }
  if (size != (ssize_t)sizeof(*out)) {
    return pod_error(POD_UNAVAILABLE, "the process that starts compiles has gone");
  }
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header != NULL && header->cmsg_type == SCM_RIGHTS) {
    memcpy(out_fd, CMSG_DATA(header), sizeof(*out_fd));
  }
  return NULL;
}

pod_status_t spawner_spawn(spawner_t *spawner, pid_t *out_pid, int *out_fd) {
  reply_t told;
  POD_TRY(ask(spawner, &(question_t){.what = SPAWN}, &told, out_fd));
  if (told.error != 0 || *out_fd < 0) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "a compile process cannot be started: %s",
                     strerror(told.error));
  }
  *out_pid = told.pid;
  return NULL;
}

pod_status_t spawner_reap(spawner_t *spawner, pid_t pid, spawner_end_t *out_end) {
  reply_t told;
  int fd;
  POD_TRY(ask(spawner, &(question_t){.what = REAP, .pid = pid}, &told, &fd));
  if (told.error != 0) {
    return pod_error(POD_UNAVAILABLE, "process %ld is not the spawner's", (long)pid);
  }
  *out_end = told.end;
  return NULL;
}
