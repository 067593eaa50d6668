// Pods of daemons on this machine: started for one run, or left running with a state
// file.

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/text.h"

enum {
  START_TIMEOUT_MS = 10000,
  STOP_TIMEOUT_MS = 5000,
  POLL_NS = 1000000,
  LOG_LINES_SHOWN = 5,
  PROCESSES_MAX = 4097,
};

static void pause_briefly(void) {
  nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
}

static char *join(const char *folder, const char *name) {
  pod_text_t text = {0};
  pod_text_printf(&text, "%s/%s", folder, name);
  return pod_text_take(&text);
}

// The daemons stand beside this program, in the build tree as where they are installed.
static char *sibling(const char *name) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (length <= 0) {
    return pod_strdup(name);
  }
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  *slash = '\0';
  return join(path, name);
}

// The time a process started, in clock ticks since boot, tells it from another one that
// got its pid later. -1 when there is none.
static long long start_ticks(int64_t pid) {
  char path[64], text[1024];
  snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return -1;
  }
  const size_t length = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *field = strrchr(text, ')');  // The name may hold anything.
  long long ticks = -1;
  for (int i = 0; field != NULL && i < 20; i++) {
    field = strchr(field + 1, ' ');
  }
  if (field != NULL) {
    ticks = strtoll(field, NULL, 10);
  }
  return ticks;
}

static pod_status_t spawn(const cli_pod_options_t *options, const char *log_path,
                          char *const *argv, int64_t *out_pid) {
  const int log = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0) {
    return pod_error(POD_INTERNAL, "%s: %s", log_path, strerror(errno));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    // A group of its own: Ctrl-C reaches this program, which then stops the daemons in
    // order.
    setpgid(0, 0);
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
    execv(argv[0], argv);
    dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
  }
  close(log);
  if (pid < 0) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "cannot start %s: %s", argv[0],
                     strerror(errno));
  }
  *out_pid = pid;
  return NULL;
}

// True once the process has ended (and is reaped, if it was a child).
static bool has_ended(int64_t pid) {
  if (waitpid((pid_t)pid, NULL, WNOHANG) == pid) {
    return true;
  }
  return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static pod_status_t wait_for_address(cli_pod_t *pod, const char *port_file) {
  const int64_t deadline = pod_clock_now_ns() + (int64_t)START_TIMEOUT_MS * 1000000;
  while (pod_clock_now_ns() < deadline) {
    char text[256];
    FILE *file = fopen(port_file, "r");
    if (file != NULL) {
      const bool got = fgets(text, sizeof(text), file) != NULL;
      fclose(file);
      if (got) {
        text[strcspn(text, "\n")] = '\0';
        pod->address = pod_strdup(text);
        return NULL;
      }
    }
    if (has_ended(pod->pids[0])) {
      pod->pids[0] = 0;
      return pod_error(POD_UNAVAILABLE, "the coordinator did not start");
    }
    pause_briefly();
  }
  return pod_error(POD_UNAVAILABLE, "the coordinator did not start within %d ms",
                   START_TIMEOUT_MS);
}

// Chips of "2x2x4", or the number behind the dash of "v5litepod-4"; the coordinator knows
// better, and says how many workers it wants when they attach in vain.
static int64_t chip_count(const char *topology) {
  const char *dash = strrchr(topology, '-');
  if (dash != NULL) {
    static const char *const count_cores[] = {"v2", "v3", "v4", "v5p", "tpu7x", "v7x"};
    const size_t length = (size_t)(dash - topology);
    const int64_t count = strtoll(dash + 1, NULL, 10);
    for (size_t i = 0; i < POD_COUNT_OF(count_cores); i++) {
      if (strlen(count_cores[i]) == length &&
          strncasecmp(count_cores[i], topology, length) == 0) {
        return count / 2;
      }
    }
    return count;
  }
  int64_t count = 1;
  for (const char *next = topology; *next != '\0' && *next != '_';) {  // "_twisted"
    char *end;
    const long long size = strtoll(next, &end, 10);
    if (end == next || size < 1 || count > PROCESSES_MAX) {
      return 0;
    }
    count *= size;
    next = end + (*end == 'x');
  }
  return count;
}

static pod_status_t start_all(const cli_pod_options_t *options, int64_t workers,
                              cli_pod_t *pod) {
  char *coordinator = sibling("podium-coordinator");
  char *worker = sibling("podium-worker");
  char *port_file = join(pod->folder, "address");
  char *log = join(pod->folder, "coordinator.log");
  char *const coordinator_argv[] = {coordinator,
                                    "--listen",
                                    "127.0.0.1:0",
                                    "--topology",
                                    (char *)(uintptr_t)options->topology,
                                    "--port-file",
                                    port_file,
                                    options->chip == NULL ? NULL : "--chip",
                                    (char *)(uintptr_t)options->chip,
                                    NULL};
  pod_status_t status = spawn(options, log, coordinator_argv, &pod->pids[0]);
  if (status == NULL) {
    pod->process_count = 1;
    status = wait_for_address(pod, port_file);
  }
  for (int64_t i = 0; i < workers && status == NULL; i++) {
    char name[64];
    snprintf(name, sizeof(name), "worker-%lld.log", (long long)i);
    free(log);
    log = join(pod->folder, name);
    char *const worker_argv[] = {worker, "--coordinator", pod->address, NULL};
    status = spawn(options, log, worker_argv, &pod->pids[1 + i]);
    pod->process_count += status == NULL;
  }
  free(log);
  free(port_file);
  free(worker);
  free(coordinator);
  return status;
}

pod_status_t cli_pod_start(const cli_pod_options_t *options, cli_pod_t **out_pod) {
  const int64_t workers = options->has_no_workers ? 0 : chip_count(options->topology);
  if (!options->has_no_workers && (workers < 1 || workers >= PROCESSES_MAX)) {
    return pod_error(
        POD_INVALID_ARGUMENT,
        "topology '%s': sizes like 2x2 or 2x2x4, or an accelerator name like "
        "v5litepod-4, of at most %d chips",
        options->topology, PROCESSES_MAX - 1);
  }
  cli_pod_t *pod = pod_alloc(sizeof(*pod));
  pod->pids = pod_alloc((size_t)(workers + 1) * sizeof(*pod->pids));
  pod->folder = pod_strdup(options->folder);
  const pod_status_t status = start_all(options, workers, pod);
  if (status != NULL) {
    const pod_status_t explained = cli_pod_explain(pod, status);
    cli_pod_stop(pod);
    return explained;
  }
  *out_pod = pod;
  return NULL;
}

static void remove_folder(const char *folder) {
  DIR *listing = opendir(folder);
  if (listing == NULL) {
    return;
  }
  const struct dirent *entry;
  while ((entry = readdir(listing)) != NULL) {
    if (entry->d_name[0] != '.') {
      char *path = join(folder, entry->d_name);
      unlink(path);
      free(path);
    }
  }
  closedir(listing);
  rmdir(folder);
}

void cli_pod_stop(cli_pod_t *pod) {
  if (pod == NULL) {
    return;
  }
  // Workers first: their leaving is then no loss in the coordinator's log.
  for (int i = pod->process_count - 1; i >= 0; i--) {
    if (pod->pids[i] > 0) {
      kill((pid_t)pod->pids[i], SIGTERM);
    }
  }
  const int64_t deadline = pod_clock_now_ns() + (int64_t)STOP_TIMEOUT_MS * 1000000;
  for (int i = pod->process_count - 1; i >= 0; i--) {
    bool killed = false;
    while (pod->pids[i] > 0 && !has_ended(pod->pids[i])) {
      if (pod_clock_now_ns() > deadline && !killed) {
        kill((pid_t)pod->pids[i], SIGKILL);
        killed = true;
      }
      pause_briefly();
    }
    pod->pids[i] = 0;
  }
  remove_folder(pod->folder);
  cli_pod_free(pod);
}

void cli_pod_free(cli_pod_t *pod) {
  if (pod != NULL) {
    free(pod->address);
    free(pod->folder);
    free(pod->pids);
    free(pod);
  }
}

static void add_last_lines(pod_text_t *text, const char *folder, const char *name) {
  char *path = join(folder, name);
  char *log;
  size_t length;
  const pod_status_t status = cli_read_file(path, &log, &length);
  free(path);
  if (status != NULL) {
    pod_status_free(status);
    return;
  }
  int lines = 0;
  size_t start = length;
  while (start > 0 && lines <= LOG_LINES_SHOWN) {
    lines += log[--start] == '\n';
  }
  start += lines > LOG_LINES_SHOWN;
  if (length > 0) {
    pod_text_printf(text, "\n%s:\n%s", name, log + start);
    if (text->bytes[text->length - 1] == '\n') {
      text->bytes[--text->length] = '\0';
    }
  }
  free(log);
}

pod_status_t cli_pod_explain(const cli_pod_t *pod, pod_status_t status) {
  pod_text_t text = {0};
  pod_text_add(&text, pod_status_message(status));
  add_last_lines(&text, pod->folder, "coordinator.log");
  add_last_lines(&text, pod->folder, "worker-0.log");
  const pod_status_t explained =
      pod_error_text(__FILE__, __LINE__, pod_status_code(status), text.bytes);
  pod_text_deinit(&text);
  pod_status_free(status);
  return explained;
}

// --- The state of a pod that stays ---

char *cli_pod_folder(const char *name) {
  pod_text_t text = {0};
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  if (runtime != NULL && *runtime == '/') {
    pod_text_printf(&text, "%s/podium", runtime);
  } else {
    pod_text_printf(&text, "/tmp/podium-%u", (unsigned)getuid());
  }
  mkdir(text.bytes, 0700);
  pod_text_printf(&text, "/pod-%s", name);
  return pod_text_take(&text);
}

pod_status_t cli_pod_save(const cli_pod_t *pod) {
  cJSON *state = cJSON_CreateObject();
  cJSON_AddStringToObject(state, "address", pod->address);
  cJSON *processes = cJSON_AddArrayToObject(state, "processes");
  for (int i = 0; i < pod->process_count; i++) {
    cJSON *process = cJSON_CreateObject();
    cJSON_AddNumberToObject(process, "pid", (double)pod->pids[i]);
    cJSON_AddNumberToObject(process, "start_ticks", (double)start_ticks(pod->pids[i]));
    cJSON_AddItemToArray(processes, process);
  }
  char *text = cJSON_Print(state);
  cJSON_Delete(state);
  char *path = join(pod->folder, "pod.json");
  FILE *file = fopen(path, "w");
  pod_status_t status = NULL;
  if (file == NULL || fputs(text, file) < 0) {
    status = pod_error(POD_INTERNAL, "%s: %s", path, strerror(errno));
  }
  if (file != NULL && fclose(file) != 0 && status == NULL) {
    status = pod_error(POD_INTERNAL, "%s: %s", path, strerror(errno));
  }
  free(path);
  free(text);
  return status;
}

static pod_status_t parse_state(const char *path, const cJSON *state, cli_pod_t *pod) {
  const cJSON *address = cJSON_GetObjectItem(state, "address");
  const cJSON *processes = cJSON_GetObjectItem(state, "processes");
  const int count = cJSON_GetArraySize(processes);
  if (!cJSON_IsString(address) || count < 1 || count > PROCESSES_MAX) {
    return pod_error(POD_DATA_LOSS, "%s is no state of a pod; remove it", path);
  }
  pod->address = pod_strdup(address->valuestring);
  pod->process_count = count;
  pod->pids = pod_alloc((size_t)count * sizeof(*pod->pids));
  for (int i = 0; i < count; i++) {
    const cJSON *process = cJSON_GetArrayItem(processes, i);
    const cJSON *pid = cJSON_GetObjectItem(process, "pid");
    const cJSON *ticks = cJSON_GetObjectItem(process, "start_ticks");
    // A pid that has gone to another process is not ours to signal.
    if (cJSON_IsNumber(pid) && cJSON_IsNumber(ticks) && pid->valuedouble > 1 &&
        start_ticks((int64_t)pid->valuedouble) == (long long)ticks->valuedouble) {
      pod->pids[i] = (int64_t)pid->valuedouble;
    }
  }
  return NULL;
}

pod_status_t cli_pod_load(const char *name, cli_pod_t **out_pod) {
  char *folder = cli_pod_folder(name);
  char *path = join(folder, "pod.json");
  char *text;
  size_t length;
  pod_status_t status = cli_read_file(path, &text, &length);
  if (status != NULL) {
    pod_status_free(status);
    status =
        pod_error(POD_NOT_FOUND, "no local pod '%s' is up; `podium up` starts one", name);
    free(folder);
  } else {
    cJSON *state = cJSON_ParseWithLength(text, length);
    cli_pod_t *pod = pod_alloc(sizeof(*pod));
    pod->folder = folder;
    status = parse_state(path, state, pod);
    cJSON_Delete(state);
    free(text);
    if (status == NULL) {
      *out_pod = pod;
    } else {
      cli_pod_free(pod);
    }
  }
  free(path);
  return status;
}

pod_status_t cli_pod_address(const char *text, char **out_address) {
  if (strchr(text, ':') != NULL) {
    *out_address = pod_strdup(text);
    return NULL;
  }
  cli_pod_t *pod;
  POD_TRY(cli_pod_load(text, &pod));
  *out_address = pod_strdup(pod->address);
  cli_pod_free(pod);
  return NULL;
}
