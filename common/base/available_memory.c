// MemAvailable, then every group from the process's own up to the root: each may have a
// limit, and what a group's page cache could give back is not counted as used.

#include "common/base/available_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 1024 };

// The number behind `key` at the beginning of a line, or -1.
static int64_t read_key(const char *path, const char *key) {
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return -1;
  }
  char line[256];
  int64_t value = -1;
  const size_t length = strlen(key);
  while (value < 0 && fgets(line, sizeof(line), file) != NULL) {
    if (strncmp(line, key, length) == 0) {
      value = strtoll(line + length, NULL, 10);
    }
  }
  fclose(file);
  return value;
}

// The number that a file is, or -1: "max" too.
static int64_t read_number(const char *folder, const char *name) {
  char path[PATH_BYTES];
  const int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE *file = length < (int)sizeof(path) ? fopen(path, "re") : NULL;
  int64_t value = -1;
  if (file != NULL && fscanf(file, "%" SCNd64, &value) != 1) {
    value = -1;
  }
  if (file != NULL) {
    fclose(file);
  }
  return value;
}

typedef struct group_files_t {
  const char *limit, *usage, *cache;  // Names of files, and the key in memory.stat.
} group_files_t;

static void look_at_group(const char *folder, const group_files_t *files,
                          pod_available_memory_t *out) {
  const int64_t limit = read_number(folder, files->limit);
  const int64_t usage = read_number(folder, files->usage);
  if (limit < 0 || usage < 0 || limit >= out->total_bytes + (int64_t)(1 << 20)) {
    return;  // No limit, or one that is above what there is.
  }
  char path[PATH_BYTES];
  const int length = snprintf(path, sizeof(path), "%s/memory.stat", folder);
  const int64_t cache =
      length < (int)sizeof(path) ? read_key(path, files->cache) : (int64_t)-1;
  int64_t left = limit - usage + (cache > 0 ? cache : 0);
  left = left < 0 ? 0 : left > limit ? limit : left;
  out->total_bytes = limit < out->total_bytes ? limit : out->total_bytes;
  if (left < out->left_bytes) {
    out->left_bytes = left;
    out->is_group = true;
  }
}

// From `folder` (which is `mount` and the group's path) up to the mount.
static void look_at_groups(const char *mount, const char *group,
                           const group_files_t *files, pod_available_memory_t *out) {
  char folder[PATH_BYTES];
  const int length = snprintf(folder, sizeof(folder), "%s%s", mount,
                              strcmp(group, "/") == 0 ? "" : group);
  if (length >= (int)sizeof(folder)) {
    return;
  }
  const size_t least = strlen(mount);
  for (;;) {
    look_at_group(folder, files, out);
    char *slash = strrchr(folder, '/');
    if (slash == NULL || (size_t)(slash - folder) < least) {
      return;
    }
    *slash = '\0';
  }
}

// A line of /proc/self/cgroup: "0::/user.slice", "4:memory:/user.slice".
static void look_at_line(const char *root, char *line, pod_available_memory_t *out) {
  static const group_files_t unified = {"memory.max", "memory.current", "inactive_file "};
  static const group_files_t legacy = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                       "total_inactive_file "};
  line[strcspn(line, "\n")] = '\0';
  char *kind = strchr(line, ':');
  char *group = kind == NULL ? NULL : strchr(kind + 1, ':');
  if (group == NULL) {
    return;
  }
  *group++ = '\0';
  kind++;
  char mount[PATH_BYTES];
  if (*kind == '\0') {
    snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup", root);
    look_at_groups(mount, group, &unified, out);
    snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup/unified", root);
    look_at_groups(mount, group, &unified, out);
  } else if (strstr(kind, "memory") != NULL) {
    snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup/memory", root);
    look_at_groups(mount, group, &legacy, out);
    look_at_group(mount, &legacy, out);  // In a container the group's path is outside it.
  }
}

void pod_available_memory_read(const char *root, pod_available_memory_t *out) {
  char path[PATH_BYTES];
  snprintf(path, sizeof(path), "%s/proc/meminfo", root);
  const int64_t total_kb = read_key(path, "MemTotal:");
  const int64_t left_kb = read_key(path, "MemAvailable:");
  *out = (pod_available_memory_t){
      .total_bytes = total_kb < 0 ? INT64_MAX - (1 << 20) : total_kb * 1024,
      .left_bytes = left_kb < 0 ? INT64_MAX : left_kb * 1024};
  snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return;
  }
  char line[PATH_BYTES];
  while (fgets(line, sizeof(line), file) != NULL) {
    look_at_line(root, line, out);
  }
  fclose(file);
}
