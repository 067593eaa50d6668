// Pods of this machine, through the program `podium` that is installed with the plugin:
// it starts the daemons and stops them when this process has ended, however it ends
// (`podium up --until-exit`), so that neither a fork, an exit in the middle of work nor a
// signal leaves anything behind.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/pjrt/plugin.h"
#include "common/base/memory.h"
#include "common/base/text.h"

// --- Where the program is ---

static bool try_beside(const char *folder, size_t length, const char *tail,
                       char **out_path) {
  pod_text_t text = {0};
  pod_text_printf(&text, "%.*s/%s", (int)length, folder, tail);
  char *path = pod_text_take(&text);
  if (access(path, X_OK) == 0) {
    *out_path = path;
    return true;
  }
  free(path);
  return false;
}

// Beside the plugin (a wheel), in PREFIX/bin beside PREFIX/lib or
// PREFIX/lib/ARCHITECTURE, or in PATH.
static char *find_program(void) {
  static const char *const places[] = {"podium", "bin/podium", "../bin/podium",
                                       "../../bin/podium"};
  Dl_info info;
  char *path = NULL;
  if (dladdr((void *)(uintptr_t)GetPjrtApi, &info) != 0 && info.dli_fname != NULL) {
    const char *slash = strrchr(info.dli_fname, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - info.dli_fname);
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
      if (slash != NULL && try_beside(info.dli_fname, length, places[i], &path)) {
        return path;
      }
    }
  }
  return pod_strdup("podium");
}

// --- Running it ---

enum { OUTPUT_BYTES_MAX = 1 << 20 };  // A line, and its errors.

typedef struct run_t {
  pod_text_t output, errors;
  int ends[2][2];  // Pipes of its standard output and its standard error.
} run_t;

// A group of its own, so that Ctrl-C is this program's alone, with signals as they are by
// default.
static int spawn(char *const *argv, const run_t *run, pid_t *out_pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, run->ends[0][1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, run->ends[1][1], STDERR_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(out_pid, argv[0], &actions, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// What it said in its own name, without the name.
static pod_status_t failed(char *const *argv, const run_t *run) {
  static const char name[] = "podium: ";
  const char *words = run->errors.bytes == NULL ? "" : run->errors.bytes;
  const char *found = strstr(words, name);
  words = found == NULL ? words : found + strlen(name);
  const size_t length = strlen(words);
  return pod_error(POD_UNAVAILABLE,
                   "no pod: `%s %s` said: %.*s; PODIUM_POD=HOST:PORT names a pod that "
                   "runs",
                   argv[0], argv[1],
                   (int)length - (length > 0 && words[length - 1] == '\n'), words);
}

// Its one line of output. Owned.
static pod_status_t run_to_line(char *const *argv, run_t *run, char **out_line) {
  pid_t pid;
  const int error = spawn(argv, run, &pid);
  close(run->ends[0][1]);
  close(run->ends[1][1]);
  if (error != 0) {
    return pod_error(POD_UNAVAILABLE,
                     "no pod: cannot run %s, which is installed with this plugin: %s; "
                     "PODIUM_POD=HOST:PORT names a pod that runs",
                     argv[0], strerror(error));
  }
  (void)pod_text_add_to_end(&run->output, run->ends[0][0], OUTPUT_BYTES_MAX);
  (void)pod_text_add_to_end(&run->errors, run->ends[1][0], OUTPUT_BYTES_MAX);
  int status;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const size_t length = run->output.length == 0 ? 0 : strcspn(run->output.bytes, "\n");
  if (length == 0) {
    return failed(argv, run);
  }
  *out_line = pod_text_take(&run->output);
  (*out_line)[length] = '\0';
  return NULL;
}

static pod_status_t run(char *const *argv, char **out_line) {
  run_t run = {0};
  if (pipe2(run.ends[0], O_CLOEXEC) != 0) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no pipe: %s", strerror(errno));
  }
  if (pipe2(run.ends[1], O_CLOEXEC) != 0) {
    const pod_status_t status =
        pod_error(POD_RESOURCE_EXHAUSTED, "no pipe: %s", strerror(errno));
    close(run.ends[0][0]);
    close(run.ends[0][1]);
    return status;
  }
  const pod_status_t status = run_to_line(argv, &run, out_line);
  close(run.ends[0][0]);
  close(run.ends[1][0]);
  pod_text_deinit(&run.output);
  pod_text_deinit(&run.errors);
  return status;
}

pod_status_t pjrt_local_pod_start(const char *chip_kind, const char *topology,
                                  bool has_workers, char **out_address) {
  static atomic_int count;
  char name[64], pid[32];
  snprintf(pid, sizeof(pid), "%d", (int)getpid());
  snprintf(name, sizeof(name), "process-%d-%d", (int)getpid(),
           atomic_fetch_add(&count, 1));
  char *program = find_program();
  char *argv[] = {program,        "up",
                  "--until-exit", pid,
                  "--name",       name,
                  "--topology",   topology == NULL ? "2x2" : (char *)(uintptr_t)topology,
                  NULL,           NULL,
                  NULL,           NULL};
  int argc = 8;
  if (!has_workers) {
    argv[argc++] = "--no-workers";
  }
  if (chip_kind != NULL) {
    argv[argc++] = "--chip";
    argv[argc++] = (char *)(uintptr_t)chip_kind;
  }
  const pod_status_t status = run(argv, out_address);
  free(program);
  return status;
}

pod_status_t pjrt_local_pod_find(const char *name, char **out_address) {
  char *program = find_program();
  char *const argv[] = {program, "ls", (char *)(uintptr_t)name, NULL};
  const pod_status_t status = run(argv, out_address);
  free(program);
  return status;
}
