#include "common/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/base/check.h"

extern char **environ;

// Copies beyond all places that the child will have, so that none is written over before
// it was taken. Returns an errno.
static int lift(const pod_child_t *child, int *lifted) {
  const int above = POD_CHILD_FIRST_FILE + POD_CHILD_FILES_MAX;
  for (size_t i = 0; i < child->file_count; i++) {
    lifted[i] = fcntl(child->files[i], F_DUPFD_CLOEXEC, above);
    if (lifted[i] < 0) {
      return errno;
    }
  }
  return 0;
}

static int add_standard(posix_spawn_file_actions_t *actions, int file, int place) {
  return file < 0
             ? posix_spawn_file_actions_addopen(actions, place, "/dev/null", O_RDWR, 0)
             : posix_spawn_file_actions_adddup2(actions, file, place);
}

static int add_files(posix_spawn_file_actions_t *actions, const pod_child_t *child,
                     const int *lifted) {
  int error = add_standard(actions, child->input, STDIN_FILENO);
  if (error == 0) {
    error = add_standard(actions, child->output, STDOUT_FILENO);
  }
  for (size_t i = 0; error == 0 && i < child->file_count; i++) {
    error = posix_spawn_file_actions_adddup2(actions, lifted[i],
                                             POD_CHILD_FIRST_FILE + (int)i);
  }
  return error != 0 ? error
                    : posix_spawn_file_actions_addclosefrom_np(
                          actions, POD_CHILD_FIRST_FILE + (int)child->file_count);
}

static int start(const pod_child_t *child, const int *lifted, pid_t *out_pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  int error = add_files(&actions, child, lifted);
  if (error == 0) {
    error = posix_spawn(out_pid, child->path, &actions, &attributes,
                        (char *const *)(uintptr_t)child->arguments, environ);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

pod_status_t pod_child_start(const pod_child_t *child, pid_t *out_pid) {
  POD_CHECK(child->file_count <= POD_CHILD_FILES_MAX);
  int lifted[POD_CHILD_FILES_MAX];
  memset(lifted, -1, sizeof(lifted));
  int error = lift(child, lifted);
  if (error == 0) {
    error = start(child, lifted, out_pid);
  }
  for (size_t i = 0; i < child->file_count; i++) {
    if (lifted[i] >= 0) {
      close(lifted[i]);
    }
  }
  if (error == 0) {
    return NULL;
  }
  const bool is_short =
      error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
  return pod_error(is_short ? POD_RESOURCE_EXHAUSTED : POD_UNAVAILABLE,
                   "%s cannot be started: %s", child->path, strerror(error));
}

void pod_child_end_with(pid_t parent, int signal) {
  prctl(PR_SET_PDEATHSIG, signal);
  if (getppid() != parent) {
    raise(signal);
  }
}
