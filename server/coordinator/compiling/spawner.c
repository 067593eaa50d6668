// A question is a message of the control socket, which keeps their bounds; the answer to
// SPAWN carries the descriptor.

#include "server/coordinator/compiling/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Dies with `parent`, also when that has died before it was asked.
static void end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(EXIT_SUCCESS);
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
    end_with_parent(parent);
    prctl(PR_SET_NAME, "podium-compile");
    compile_server_run(options, ends[1]);
  }
  const reply_t told = {.error = pid < 0 ? errno : 0, .pid = pid};
  close(ends[1]);
  reply(control, &told, pid < 0 ? -1 : ends[0]);
  close(ends[0]);
}

static void reap(int control, pid_t pid) {
  reply_t told = {.pid = pid};
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
    end_with_parent(parent);
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

void spawner_stop(spawner_t *spawner) {
  close(spawner->control);
  // It may be waiting for a server.
  kill(spawner->pid, SIGKILL);
  while (waitpid(spawner->pid, NULL, 0) < 0 && errno == EINTR) {
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
    return pod_error(POD_UNAVAILABLE,
                     "the process that starts compiles has gone, so that nothing can be "
                     "compiled any more: start the coordinator again");
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
  *out_end = told.end;
  return NULL;
}
