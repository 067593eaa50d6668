#include "tests/system/pod.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "tests/file.h"

enum { PATH_SIZE = 512, ARGV_MAX = 2 * SYSTEM_ARGS_MAX, POLL_NS = 2000000 };

struct system_pod_t {
  system_pod_options_t options;
  char folder[64];
  char address[128];
  int reserved;  // Holds the port while no coordinator listens; -1: none.
  pid_t coordinator;
  int worker_count;
  pid_t workers[SYSTEM_WORKERS_MAX];  // 0 once reaped.
};

static void pause_briefly(void) {
  nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
}

static int64_t deadline_ns(void) {
  return pod_clock_now_ns() + (int64_t)SYSTEM_WAIT_MS * 1000000;
}

// "" for a file that is not there (yet).
static char *read_if_there(const char *path) {
  pod_text_t text = {0};
  read_file(path, &text);
  return pod_text_take(&text);
}

static void log_path(const system_pod_t *pod, int index, char path[PATH_SIZE]) {
  if (index < 0) {
    snprintf(path, PATH_SIZE, "%s/coordinator.log", pod->folder);
  } else {
    snprintf(path, PATH_SIZE, "%s/worker-%d.log", pod->folder, index);
  }
}

char *system_pod_log(const system_pod_t *pod, int index) {
  char path[PATH_SIZE];
  log_path(pod, index, path);
  return read_if_there(path);
}

// The pod that was started last and still runs.
static const system_pod_t *latest;

static void show_logs(const system_pod_t *pod) {
  for (int i = -1; i < pod->worker_count; i++) {
    char *log = system_pod_log(pod, i);
    // print_error() cuts long texts.
    fprintf(stderr, "--- %s %d\n%s", i < 0 ? "coordinator" : "worker", i, log);
    free(log);
  }
}

void system_pod_show_latest(void) {
  if (latest != NULL) {
    show_logs(latest);
  }
}

void system_pod_fail(const system_pod_t *pod, const char *what) {
  show_logs(pod);
  fail_msg("%s", what);
}

static int network = -1;

void system_set_network(int file) {
  network = file;
}

static pid_t spawn(const char *log, const char *const *argv) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      _exit(1);
    }
    if (network >= 0 && setns(network, CLONE_NEWNET) != 0) {
      _exit(1);
    }
    const int output = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
  }
  return pid;
}

// Reaps `pid` and returns its status; kills it when it has not ended by the deadline, and
// then returns -1.
static int reap(pid_t pid) {
  const int64_t deadline = deadline_ns();
  int status;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (pod_clock_now_ns() > deadline) {
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      return -1;
    }
    pause_briefly();
  }
  return status;
}

static void append(const char **argv, int *count, const char *const *args) {
  for (int i = 0; args != NULL && args[i] != NULL; i++) {
    assert_true(*count < ARGV_MAX);
    argv[(*count)++] = args[i];
  }
}

static void read_address(system_pod_t *pod, const char *port_file) {
  const int64_t deadline = deadline_ns();
  while (pod->address[0] == '\0') {
    char *text = read_if_there(port_file);
    snprintf(pod->address, sizeof(pod->address), "%.*s", (int)strcspn(text, "\n"), text);
    free(text);
    if (pod->address[0] == '\0' && (pod_clock_now_ns() > deadline ||
                                    waitpid(pod->coordinator, NULL, WNOHANG) != 0)) {
      system_pod_fail(pod, "the coordinator did not start");
    }
    pause_briefly();
  }
}

// A port of the kernel's choice that nobody else gets meanwhile: a coordinator that is
// started again needs the one that it had, and other tests' daemons look for free ports
// all the time. A bound socket that does not listen keeps it from them, and does not keep
// it from who asks for this very port. Writes the address, and returns the socket.
static int reserve_port(char address[static 32]) {
  struct sockaddr_in name = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size_bytes = sizeof(name);
  const int on = 1;
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(file >= 0);
  assert_int_equal(setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
  assert_int_equal(bind(file, (const struct sockaddr *)&name, sizeof(name)), 0);
  assert_int_equal(getsockname(file, (struct sockaddr *)&name, &size_bytes), 0);
  snprintf(address, 32, "127.0.0.1:%d", ntohs(name.sin_port));
  return file;
}

static void start_coordinator(system_pod_t *pod, const char *listen) {
  char log[PATH_SIZE], port_file[PATH_SIZE];
  log_path(pod, -1, log);
  snprintf(port_file, sizeof(port_file), "%s/address", pod->folder);
  const char *argv[ARGV_MAX + 1] = {
      SYSTEM_BIN_FOLDER "/podium-coordinator",
      "--listen",
      listen,
      "--port-file",
      port_file,
      "--chip",
      pod->options.chip == NULL ? "v5e" : pod->options.chip,
      "--topology",
      pod->options.topology == NULL ? "2x2" : pod->options.topology,
  };
  int count = 9;
  append(argv, &count, pod->options.coordinator_args);
  pod->coordinator = spawn(log, argv);
  read_address(pod, port_file);
}

static int chips_of(const char *topology) {
  int count = 1;
  for (const char *next = topology; *next != '\0';) {
    char *end;
    count *= (int)strtol(next, &end, 10);
    next = end + (*end == 'x');
    assert_true(end != next || *end == '\0');
  }
  return count;
}

system_pod_t *system_pod_start(const system_pod_options_t *options) {
  system_pod_t *pod = pod_alloc(sizeof(*pod));
  pod->options = *options;
  snprintf(pod->folder, sizeof(pod->folder), "/tmp/podium-test-XXXXXX");
  assert_non_null(mkdtemp(pod->folder));
  latest = pod;
  char address[32];
  const bool is_own = options->listen == NULL && network < 0;
  pod->reserved = is_own ? reserve_port(address) : -1;
  const char *listen = options->listen == NULL ? "127.0.0.1:0" : options->listen;
  start_coordinator(pod, is_own ? address : listen);
  int workers = options->workers;
  if (workers == 0) {
    workers = chips_of(options->topology == NULL ? "2x2" : options->topology);
  }
  for (int i = 0; i < workers; i++) {
    system_pod_add_worker(pod, NULL);
  }
  return pod;
}

int system_pod_add_worker(system_pod_t *pod, const char *const *args) {
  assert_true(pod->worker_count < SYSTEM_WORKERS_MAX);
  const int index = pod->worker_count++;
  char log[PATH_SIZE];
  log_path(pod, index, log);
  const char *argv[ARGV_MAX + 1] = {SYSTEM_BIN_FOLDER "/podium-worker", "--coordinator",
                                    pod->address};
  int count = 3;
  append(argv, &count, pod->options.worker_args);
  append(argv, &count, args);
  pod->workers[index] = spawn(log, argv);
  return index;
}

static void remove_folder(const char *folder) {
  DIR *listing = opendir(folder);
  const struct dirent *entry;
  while (listing != NULL && (entry = readdir(listing)) != NULL) {
    if (entry->d_name[0] != '.') {
      char path[PATH_SIZE];
      snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
      unlink(path);
    }
  }
  if (listing != NULL) {
    closedir(listing);
  }
  rmdir(folder);
}

static void terminate(pid_t pid) {
  if (pid > 0) {
    // One that a test has stopped must wake to hear the other. Not the other way round:
    // the leak sanitizer stops its process on the way out, and this would undo it for
    // ever.
    kill(pid, SIGCONT);
    kill(pid, SIGTERM);
  }
}

void system_pod_stop(system_pod_t *pod) {
  for (int i = 0; i < pod->worker_count; i++) {
    terminate(pod->workers[i]);
  }
  int bad = 0;
  for (int i = 0; i < pod->worker_count; i++) {
    if (pod->workers[i] > 0) {
      const int status = reap(pod->workers[i]);
      pod->workers[i] = 0;
      if (status != 0) {
        print_error("worker %d ended with status 0x%x\n", i, (unsigned)status);
        bad++;
      }
    }
  }
  if (pod->coordinator > 0) {
    terminate(pod->coordinator);
    const int status = reap(pod->coordinator);
    if (status != 0) {
      print_error("the coordinator ended with status 0x%x\n", (unsigned)status);
      bad++;
    }
  }
  if (bad > 0) {
    system_pod_fail(pod, "a daemon did not exit with 0 on SIGTERM");
  }
  if (pod->reserved >= 0) {
    close(pod->reserved);
  }
  remove_folder(pod->folder);
  if (latest == pod) {
    latest = NULL;
  }
  free(pod);
}

const char *system_pod_address(const system_pod_t *pod) {
  return pod->address;
}

const char *system_pod_folder(const system_pod_t *pod) {
  return pod->folder;
}

pid_t system_pod_coordinator(const system_pod_t *pod) {
  return pod->coordinator;
}

int system_pod_worker_count(const system_pod_t *pod) {
  return pod->worker_count;
}

pid_t system_pod_worker(const system_pod_t *pod, int index) {
  return pod->workers[index];
}

static int signal_process(pid_t *pid, int signal_number) {
  assert_true(*pid > 0);
  assert_int_equal(kill(*pid, signal_number), 0);
  if (signal_number != SIGKILL && signal_number != SIGTERM) {
    return 0;
  }
  const int status = reap(*pid);
  *pid = 0;
  return status;
}

int system_pod_signal_worker(system_pod_t *pod, int index, int signal_number) {
  return signal_process(&pod->workers[index], signal_number);
}

int system_pod_signal_coordinator(system_pod_t *pod, int signal_number) {
  return signal_process(&pod->coordinator, signal_number);
}

void system_pod_restart_coordinator(system_pod_t *pod) {
  char listen[sizeof(pod->address)], port_file[PATH_SIZE];
  snprintf(listen, sizeof(listen), "%s", pod->address);
  snprintf(port_file, sizeof(port_file), "%s/address", pod->folder);
  unlink(port_file);
  pod->address[0] = '\0';
  start_coordinator(pod, listen);
}

int system_pod_wait_worker(system_pod_t *pod, int index) {
  const int status = reap(pod->workers[index]);
  pod->workers[index] = 0;
  return status;
}

int system_run(const char *name, const char *const *args, char **out_output) {
  char path[PATH_SIZE], log[] = "/tmp/podium-output-XXXXXX";
  snprintf(path, sizeof(path), "%s%s", name[0] == '/' ? "" : SYSTEM_BIN_FOLDER "/", name);
  const int file = mkstemp(log);
  assert_true(file >= 0);
  close(file);
  const char *argv[ARGV_MAX + 1] = {path};
  int count = 1;
  append(argv, &count, args);
  const int status = reap(spawn(log, argv));
  char *output = read_if_there(log);
  unlink(log);
  if (out_output != NULL) {
    *out_output = output;
  } else {
    free(output);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
