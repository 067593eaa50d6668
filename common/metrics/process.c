// What the kernel says of this process (proc(5)) and of its host's memory.

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common/base/available_memory.h"
#include "common/metrics/metrics.h"

typedef struct process_t {
  metric_t *cpu, *resident, *virtual_memory, *open_fds;
  metric_t *host_total, *host_available;
} process_t;

enum { STAT_BYTES = 1024, STAT_START_FIELD = 22, STAT_NAME_FIELD = 2 };

// In seconds since 1970; 0 when the kernel does not say.
static double start_time(void) {
  char line[STAT_BYTES];
  FILE *file = fopen("/proc/self/stat", "re");
  if (file == NULL) {
    return 0;
  }
  const bool is_read = fgets(line, sizeof(line), file) != NULL;
  fclose(file);
  // The program's name is in parentheses and may have any others in it.
  const char *at = is_read ? strrchr(line, ')') : NULL;
  for (int field = STAT_NAME_FIELD; at != NULL && field < STAT_START_FIELD; field++) {
    at = strchr(at + 1, ' ');
  }
  struct timespec wall, since_boot;
  if (at == NULL || clock_gettime(CLOCK_REALTIME, &wall) != 0 ||
      clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) {
    return 0;
  }
  const double boot = (double)(wall.tv_sec - since_boot.tv_sec) +
                      (double)(wall.tv_nsec - since_boot.tv_nsec) * 1e-9;
  return boot + strtod(at, NULL) / (double)sysconf(_SC_CLK_TCK);
}

static double count_fds(void) {
  DIR *folder = opendir("/proc/self/fd");
  double count = 0;
  if (folder == NULL) {
    return 0;
  }
  while (readdir(folder) != NULL) {
    count++;
  }
  closedir(folder);
  return count - 3;  // ".", ".." and the folder's own.
}

static double seconds(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void collect(void *context) {
  process_t *process = context;
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    metric_set(process->cpu, seconds(usage.ru_utime) + seconds(usage.ru_stime));
  }
  FILE *file = fopen("/proc/self/statm", "re");
  if (file != NULL) {
    char line[STAT_BYTES], *end = NULL;
    if (fgets(line, sizeof(line), file) != NULL) {
      const double page = (double)sysconf(_SC_PAGESIZE);
      metric_set(process->virtual_memory, page * strtod(line, &end));
      metric_set(process->resident, page * strtod(end, NULL));
    }
    fclose(file);
  }
  metric_set(process->open_fds, count_fds());
  pod_available_memory_t memory;
  pod_available_memory_read("", &memory);
  metric_set(process->host_total, (double)memory.total_bytes);
  metric_set(process->host_available, (double)memory.left_bytes);
}

void metrics_add_process(metrics_t *metrics, const char *daemon, const char *version) {
  metric_set(metrics_gauge(metrics, "podium_build_info", "1; the daemon and its version.",
                           METRIC_LABELS("daemon", daemon, "version", version)),
             1);
  metric_set(metrics_gauge(metrics, "process_start_time_seconds",
                           "Start of the process, in seconds since 1970.", NULL),
             start_time());
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    metric_set(metrics_gauge(metrics, "process_max_fds",
                             "File descriptors that the process may have.", NULL),
               (double)limit.rlim_cur);
  }
  process_t *process = metrics_own(metrics, sizeof(*process));
  process->cpu = metrics_counter(metrics, "process_cpu_seconds_total",
                                 "Processor time of the process.", NULL);
  process->resident = metrics_gauge(metrics, "process_resident_memory_bytes",
                                    "Memory of the process that is in RAM.", NULL);
  process->virtual_memory = metrics_gauge(metrics, "process_virtual_memory_bytes",
                                          "Address space of the process.", NULL);
  process->open_fds = metrics_gauge(metrics, "process_open_fds",
                                    "File descriptors that the process has.", NULL);
  process->host_total =
      metrics_gauge(metrics, "podium_host_memory_bytes",
                    "Memory that the process could have of its host.", NULL);
  process->host_available =
      metrics_gauge(metrics, "podium_host_memory_available_bytes",
                    "Memory of the host, or of the control group, that is left.", NULL);
  metrics_on_write(metrics, collect, process);
}
