// Pods of daemons on this machine: their processes and their folders. What is kept of one
// that stays is in pod_state.c.

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/hosts_pod.h"
#include "client/cli/interrupts.h"
#include "client/cli/local_pod.h"
#include "client/cli/status.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/base/text.h"

enum {
  START_TIMEOUT_MS = 10000,
  STOP_TIMEOUT_MS = 5000,
  INTERRUPTED_PATIENCE_MS = 40,
  INTERRUPTED_TIMEOUT_MS = 500,  // The user has gone: what runs is for nobody.
  POLL_NS = 1000000,
  LOG_LINES_SHOWN = 5,
};

static void pause_briefly(void) {
  nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
}

char *cli_path(const char *folder, const char *name) {
  pod_text_t text = {0};
  pod_text_printf(&text, "%s/%s", folder, name);
  return pod_text_take(&text);
}

char *cli_sibling(const char *name) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (length <= 0) {
    return pod_strdup(name);
  }
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  *slash = '\0';
  return cli_path(path, name);
}

// Pods that end with this process; guarded by the lock of interrupts.h.
static cli_pod_t *ours;

void cli_pod_outlives(cli_pod_t *pod) {
  cli_pod_t **at = &ours;
  while (*at != NULL && *at != pod) {
    at = &(*at)->next;
  }
  if (*at != NULL) {
    *at = pod->next;
    pod->next = NULL;
  }
}

pod_status_t cli_make_temporary(const char *name, char **out_folder) {
  const char *parent = getenv("TMPDIR");
  parent = parent == NULL || *parent == '\0' ? "/tmp" : parent;
  char *folder = cli_path(parent, name);
  if (mkdtemp(folder) == NULL) {
    const pod_status_t status =
        pod_error(POD_PERMISSION_DENIED,
                  "no temporary folder can be made in %s: %s; TMPDIR names another place",
                  parent, strerror(errno));
    free(folder);
    return status;
  }
  *out_folder = folder;
  return NULL;
}

static pod_status_t make_folder(const char *wanted, char **out_folder) {
  if (wanted == NULL) {
    return cli_make_temporary("podium-run-XXXXXX", out_folder);
  }
  if (mkdir(wanted, 0700) != 0 && errno != EEXIST) {
    return pod_error(POD_PERMISSION_DENIED, "%s: %s", wanted, strerror(errno));
  }
  *out_folder = pod_strdup(wanted);
  return NULL;
}

// Daemons that end with this process put their sockets below the pod's folder, so that
// they go with it whatever happens. Returns owned: the list and its first entry.
static char **environment_of(const cli_pod_options_t *options, const cli_pod_t *pod) {
  static const char name[] = "XDG_RUNTIME_DIR=";
  size_t count = 0;
  while (environ[count] != NULL) {
    count++;
  }
  char **list = pod_alloc((count + 2) * sizeof(*list));
  pod_text_t own = {0};
  pod_text_printf(&own, "%s%s", name, pod->folder);
  size_t kept = 0;
  list[kept++] = pod_text_take(&own);
  for (size_t i = 0; i < count; i++) {
    if (options->stays || strncmp(environ[i], name, strlen(name)) != 0) {
      list[kept++] = environ[i];
    }
  }
  return list;
}

static void become(const cli_pod_options_t *options, pid_t parent, int log,
                   char *const *argv, char *const *environment) {
  // A group of its own: Ctrl-C reaches this program, which then stops the daemons in
  // order.
  setpgid(0, 0);
  cli_interrupts_restore_in_child();
  if (options->stays) {
    setsid();
  } else {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      _exit(1);
    }
  }
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execve(argv[0], argv, environment);
  dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
  _exit(127);
}

// Adds the process to the pod.
static pod_status_t spawn(const cli_pod_options_t *options, cli_pod_t *pod,
                          const char *log_name, char *const *argv) {
  char *log_path = cli_path(pod->folder, log_name);
  const int log = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0) {
    const pod_status_t status =
        pod_error(POD_INTERNAL, "%s: %s", log_path, strerror(errno));
    free(log_path);
    return status;
  }
  free(log_path);
  char **environment = environment_of(options, pod);
  const pid_t parent = getpid();
  cli_interrupts_hold();
  const pid_t pid = fork();
  if (pid == 0) {
    become(options, parent, log, argv, options->stays ? environment + 1 : environment);
  }
  const int error = errno;
  if (pid > 0) {
    *pod_list_add(&pod->pids) = pid;
  }
  cli_interrupts_release();
  free(environment[0]);
  free(environment);
  close(log);
  return pid > 0 ? NULL
                 : pod_error(POD_RESOURCE_EXHAUSTED, "cannot start %s: %s", argv[0],
                             strerror(error));
}

// True once the process has ended (and is reaped, if it was a child; *out_status is then
// waitpid's, else 0).
static bool has_ended(int64_t pid, int *out_status) {
  *out_status = 0;
  const pid_t reaped = waitpid((pid_t)pid, out_status, WNOHANG);
  return reaped == pid || (reaped < 0 && cli_process_start(pid) < 0);
}

enum { LOG_NAME_SIZE = 32 };

static const char *name_of_log(int index, char name[LOG_NAME_SIZE]) {
  snprintf(name, LOG_NAME_SIZE, index == 0 ? "coordinator.log" : "worker-%d.log",
           index - 1);
  return name;
}

static char *read_log(const cli_pod_t *pod, int index) {
  char name[LOG_NAME_SIZE], *log = NULL;
  char *path = cli_path(pod->folder, name_of_log(index, name));
  size_t length;
  const pod_status_t status = cli_read_file(path, &log, &length);
  free(path);
  pod_status_free(status);
  return status == NULL ? log : pod_strdup("");
}

// "INVALID_ARGUMENT: there is no chip…" as a status.
static pod_status_t parse_words(const char *words, size_t length) {
  pod_text_t message = {0};
  pod_code_t code = POD_UNAVAILABLE;
  for (int i = 0; i < POD_CODE_COUNT; i++) {
    const char *name = pod_code_name((pod_code_t)i);
    const size_t name_length = strlen(name);
    if (strncmp(words, name, name_length) == 0 &&
        strncmp(words + name_length, ": ", 2) == 0 && length > name_length + 2) {
      code = (pod_code_t)i;
      words += name_length + 2;
      length -= name_length + 2;
      break;
    }
  }
  pod_text_add_bytes(&message, words, length);
  const pod_status_t status = pod_error_text(__FILE__, __LINE__, code, message.bytes);
  pod_text_deinit(&message);
  return status;
}

// Why a daemon has ended: what it said last in its own name, which is what the user must
// know. NULL when it has said nothing.
static pod_status_t last_words(const cli_pod_t *pod, int index) {
  const char *name = index == 0 ? "podium-coordinator: " : "podium-worker: ";
  char *log = read_log(pod, index);
  const char *found = NULL;
  for (const char *at = log; (at = strstr(at, name)) != NULL; at++) {
    if (at == log || at[-1] == '\n') {
      found = at + strlen(name);
    }
  }
  pod_status_t status = NULL;
  if (found != NULL && *found != '\0') {
    const size_t length = strlen(found);
    status = parse_words(found, length - (found[length - 1] == '\n'));
  }
  free(log);
  return status;
}

// The daemon's reason, once it has ended.
static pod_status_t check_alive(cli_pod_t *pod, int index) {
  cli_interrupts_hold();
  int status = 0;
  const bool is_gone =
      pod->pids.items[index] > 0 && has_ended(pod->pids.items[index], &status);
  pod->pids.items[index] = is_gone ? 0 : pod->pids.items[index];
  cli_interrupts_release();
  if (!is_gone) {
    return NULL;
  }
  const pod_status_t words = last_words(pod, index);
  if (words != NULL) {
    return words;
  }
  char name[LOG_NAME_SIZE], how[64] = "has ended";
  if (WIFSIGNALED(status)) {
    snprintf(how, sizeof(how), "was killed by signal %d (%s)", WTERMSIG(status),
             strsignal(WTERMSIG(status)));
  }
  char *log = read_log(pod, index);
  const size_t length = strlen(log);
  const pod_status_t told =
      pod_error(POD_UNAVAILABLE, "a daemon of the pod %s%s%s%s%.*s", how,
                length == 0 ? "" : "; its ", length == 0 ? "" : name_of_log(index, name),
                length == 0 ? "" : ":\n",
                (int)length - (length > 0 && log[length - 1] == '\n'), log);
  free(log);
  return told;
}

static pod_status_t wait_for_address(cli_pod_t *pod, const char *port_file) {
  const int64_t deadline = pod_clock_now_ns() + (int64_t)START_TIMEOUT_MS * 1000000;
  while (pod_clock_now_ns() < deadline) {
    char text[256];
    FILE *file = fopen(port_file, "re");
    if (file != NULL) {
      const bool got = fgets(text, sizeof(text), file) != NULL;
      fclose(file);
      if (got) {
        text[strcspn(text, "\n")] = '\0';
        pod->address = pod_strdup(text);
        return NULL;
      }
    }
    POD_TRY(check_alive(pod, 0));
    pause_briefly();
  }
  return pod_error(POD_UNAVAILABLE, "the coordinator did not start within %d ms",
                   START_TIMEOUT_MS);
}

typedef POD_LIST(char *) arguments_t;

static void add_arguments(arguments_t *list, const char *const *arguments) {
  for (; *arguments != NULL; arguments++) {
    *pod_list_add(list) = (char *)(uintptr_t)*arguments;
  }
}

#define ADD(list, ...) add_arguments(list, (const char *const[]){__VA_ARGS__, NULL})

// Ends the list, starts the process, and frees the list and its first entry.
static pod_status_t spawn_list(const cli_pod_options_t *options, cli_pod_t *pod,
                               const char *log_name, arguments_t *list) {
  *pod_list_add(list) = NULL;
  const pod_status_t status = spawn(options, pod, log_name, list->items);
  free(list->items[0]);
  pod_list_deinit(list);
  return status;
}

static const char host_log[] = "host.log";

// A pod that stays has podium-host to start its daemons again when they end.
static pod_status_t start_coordinator(const cli_pod_options_t *options, cli_pod_t *pod) {
  char name[LOG_NAME_SIZE];
  char *port_file = cli_path(pod->folder, "address");
  char *jobs = cli_path(pod->folder, "jobs");
  arguments_t list = {0};
  *pod_list_add(&list) =
      cli_sibling(options->stays ? "podium-host" : "podium-coordinator");
  if (options->stays) {
    ADD(&list, "--serve", "--log-folder", pod->folder, "--");
  }
  ADD(&list, "--listen", "127.0.0.1:0", "--port-file", port_file, "--topology",
      options->topology);
  if (options->jobs != NULL || options->stays) {
    ADD(&list, "--jobs", options->jobs != NULL ? options->jobs : jobs);
  }
  if (options->chip != NULL) {
    ADD(&list, "--chip", options->chip);
  }
  if (options->stays) {
    ADD(&list, "--page-listen", "127.0.0.1:0");
  }
  if (options->execution_seconds != NULL) {
    ADD(&list, "--max-execution-seconds", options->execution_seconds);
  }
  pod_status_t status =
      spawn_list(options, pod, options->stays ? host_log : name_of_log(0, name), &list);
  if (status == NULL) {
    status = wait_for_address(pod, port_file);
  }
  free(jobs);
  free(port_file);
  return status;
}

static pod_status_t start_host(const cli_pod_options_t *options, int count,
                               cli_pod_t *pod) {
  char chips[16];
  snprintf(chips, sizeof(chips), "%d", count);
  arguments_t list = {0};
  *pod_list_add(&list) = cli_sibling("podium-host");
  ADD(&list, "--coordinator", pod->address, "--chips", chips, "--log-folder",
      pod->folder);
  return spawn_list(options, pod, host_log, &list);
}

static pod_status_t start_workers(const cli_pod_options_t *options, int count,
                                  cli_pod_t *pod) {
  if (count >= CLI_POD_PROCESSES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s has %d chips, and each would be a process; at most %d can run "
                     "here. `podium simulate` needs none",
                     options->topology, count, CLI_POD_PROCESSES_MAX - 1);
  }
  cli_interrupts_hold();
  pod_list_reserve(&pod->pids, count);
  cli_interrupts_release();
  if (options->stays) {
    return start_host(options, count, pod);
  }
  pod_status_t status = NULL;
  for (int i = 1; i <= count && status == NULL; i++) {
    char name[LOG_NAME_SIZE];
    arguments_t list = {0};
    *pod_list_add(&list) = cli_sibling("podium-worker");
    ADD(&list, "--coordinator", pod->address);
    status = spawn_list(options, pod, name_of_log(i, name), &list);
  }
  return status;
}

static int joined(const podium_pod_t *pod) {
  int count = 0;
  for (int i = 0; i < pod->device_count; i++) {
    const char *state = pod->devices[i].state;
    count += strcmp(state, "joining") == 0 || strcmp(state, "ready") == 0;
  }
  return count;
}

// Of the first chip that was lost, else how many are there.
static pod_status_t not_ready(const podium_pod_t *pod) {
  for (int i = 0; i < pod->device_count; i++) {
    if (*pod->devices[i].reason != '\0') {
      return pod_error(POD_DEADLINE_EXCEEDED, "the pod does not become ready: lost %s",
                       pod->devices[i].reason);
    }
  }
  return pod_error(POD_DEADLINE_EXCEEDED,
                   "the pod is not ready in time: %d of %d chips have joined",
                   joined(pod), pod->device_count);
}

static void note_chips(const cli_pod_options_t *options, int there, int all) {
  pod_text_t text = {0};
  if (there < all) {
    pod_text_printf(&text, "for %d of %d chips", all - there, all);
  } else {
    pod_text_add(&text, "for links between the chips");
  }
  cli_progress_note(options->progress, text.bytes);
  pod_text_deinit(&text);
}

// As long as some still come: a machine may take its time to start hundreds of processes.
static pod_status_t wait_for_workers(const cli_pod_options_t *options, cli_pod_t *pod,
                                     podium_session_t *session) {
  const int64_t end = pod_clock_now_ns() + options->timeout_ms * 1000000;
  int64_t deadline = 0;
  for (int most = -1;;) {
    podium_pod_t *now;
    POD_TRY(cli_status_of(podium_pod(session, START_TIMEOUT_MS, &now)));
    const bool is_ready = now->ready;
    const int count = joined(now), all = now->device_count;
    const bool is_over = options->timeout_ms > 0 && pod_clock_now_ns() > end;
    const bool is_stuck = count <= most && pod_clock_now_ns() > deadline;
    const pod_status_t late = !is_ready && (is_over || is_stuck) ? not_ready(now) : NULL;
    podium_pod_free(now);
    if (is_ready) {
      cli_progress_note(options->progress, "");
      return NULL;
    }
    POD_TRY(late);
    for (int i = 0; i < pod->pids.count; i++) {
      POD_TRY(check_alive(pod, i));
    }
    if (count > most) {
      note_chips(options, count, all);
      most = count;
      deadline = pod_clock_now_ns() + (int64_t)START_TIMEOUT_MS * 1000000;
    }
    pause_briefly();
  }
}

// The coordinator knows how many chips a topology has.
static pod_status_t start_all(const cli_pod_options_t *options, cli_pod_t *pod) {
  POD_TRY(start_coordinator(options, pod));
  if (options->has_no_workers) {
    return NULL;
  }
  podium_session_t *session;
  podium_pod_t *info;
  const podium_connect_options_t ask = {.client_name = "podium", .do_not_wait = true};
  POD_TRY(cli_status_of(podium_connect(pod->address, &ask, &session)));
  pod_status_t status = cli_status_of(podium_pod(session, START_TIMEOUT_MS, &info));
  if (status == NULL) {
    const int count = info->device_count;
    podium_pod_free(info);
    status = start_workers(options, count, pod);
  }
  if (status == NULL) {
    status = wait_for_workers(options, pod, session);
  }
  podium_close(session);
  return status;
}

pod_status_t cli_pod_start(const cli_pod_options_t *options, cli_pod_t **out_pod) {
  cli_pod_t *pod = pod_alloc(sizeof(*pod));
  pod_list_reserve(&pod->pids, 1);
  cli_interrupts_hold();
  pod_status_t status = make_folder(options->folder, &pod->folder);
  if (status == NULL) {
    pod->next = ours;
    ours = pod;
  }
  cli_interrupts_release();
  if (status != NULL) {
    cli_pod_free(pod);
    return status;
  }
  status = start_all(options, pod);
  if (status != NULL) {
    status = cli_pod_explain(pod, status);
    cli_pod_stop(pod);
    return status;
  }
  *out_pod = pod;
  return NULL;
}

static int remove_entry(const char *path, const struct stat *info, int kind,
                        struct FTW *place) {
  (void)info;
  (void)kind;
  (void)place;
  (void)remove(path);
  return 0;
}

void cli_remove_folder(const char *folder) {
  enum { DESCRIPTORS = 16 };
  (void)nftw(folder, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

// Workers first: their leaving is then no loss in the coordinator's log. A coordinator
// without workers that is still there after `patience_ms` is asked a second time, upon
// which it leaves what it simulates. Workers would leave their sockets behind.
static void stop_processes(cli_pod_t *pod, int64_t patience_ms, int64_t timeout_ms) {
  for (int i = pod->pids.count - 1; i >= 0; i--) {
    if (pod->pids.items[i] > 0) {
      kill((pid_t)pod->pids.items[i], SIGTERM);
    }
  }
  const bool is_alone = pod->pids.count == 1;
  const int64_t start = pod_clock_now_ns();
  const int64_t deadline = start + timeout_ms * 1000000;
  for (int i = pod->pids.count - 1; i >= 0; i--) {
    bool killed = false, is_asked_again = false;
    int status;
    while (pod->pids.items[i] > 0 && !has_ended(pod->pids.items[i], &status)) {
      if (is_alone && !is_asked_again &&
          pod_clock_now_ns() > start + patience_ms * 1000000) {
        kill((pid_t)pod->pids.items[i], SIGTERM);
        is_asked_again = true;
      }
      if (pod_clock_now_ns() > deadline && !killed) {
        kill((pid_t)pod->pids.items[i], SIGKILL);
        killed = true;
      }
      pause_briefly();
    }
    pod->pids.items[i] = 0;
  }
  cli_remove_folder(pod->folder);
}

void cli_pod_stop(cli_pod_t *pod) {
  if (pod == NULL) {
    return;
  }
  cli_interrupts_hold();
  cli_pod_outlives(pod);
  stop_processes(pod, STOP_TIMEOUT_MS, STOP_TIMEOUT_MS);
  cli_interrupts_release();
  cli_pod_free(pod);
}

void cli_pods_end(void) {
  cli_top_interrupted();
  cli_hosts_interrupted();
  for (cli_pod_t *pod = ours; pod != NULL; pod = pod->next) {
    stop_processes(pod, INTERRUPTED_PATIENCE_MS, INTERRUPTED_TIMEOUT_MS);
  }
}

void cli_pod_free(cli_pod_t *pod) {
  if (pod != NULL) {
    free(pod->address);
    free(pod->folder);
    pod_list_deinit(&pod->pids);
    cli_hosts_free(pod->hosts);
    free(pod);
  }
}

static void add_last_lines(pod_text_t *text, const cli_pod_t *pod, int index) {
  char name[LOG_NAME_SIZE];
  char *log = read_log(pod, index);
  int lines = 0;
  const size_t length = strlen(log);
  size_t start = length;
  while (start > 0 && lines <= LOG_LINES_SHOWN) {
    lines += log[--start] == '\n';
  }
  start += lines > LOG_LINES_SHOWN;
  if (length > 0) {
    pod_text_printf(text, "\n%s:\n%s", name_of_log(index, name), log + start);
    if (text->bytes[text->length - 1] == '\n') {
      text->bytes[--text->length] = '\0';
    }
  }
  free(log);
}

// One that has given its reason needs no log beside it.
pod_status_t cli_pod_explain(cli_pod_t *pod, pod_status_t status) {
  for (int i = 0; i < pod->pids.count; i++) {
    if (pod->pids.items[i] == 0) {
      return status;
    }
    const pod_status_t reason = check_alive(pod, i);
    if (reason != NULL) {
      pod_status_free(status);
      return reason;
    }
  }
  pod_text_t text = {0};
  pod_text_add(&text, pod_status_message(status));
  add_last_lines(&text, pod, 0);
  if (pod->pids.count > 1) {
    add_last_lines(&text, pod, 1);
  }
  const pod_status_t explained =
      pod_error_text(__FILE__, __LINE__, pod_status_code(status), text.bytes);
  pod_text_deinit(&text);
  pod_status_free(status);
  return explained;
}
