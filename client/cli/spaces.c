// Reads the folder, then writes what the user's name asks for.

#include "client/cli/spaces.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/local_pod.h"
#include "client/cli/output.h"
#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/base/text.h"

typedef POD_LIST(cli_space_t) spaces_t;

static const char SUFFIX[] = ".xplane.pb";

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name), end_length = strlen(end);
  return length > end_length && strcmp(name + length - end_length, end) == 0;
}

static bool is_zipped(const char *path) {
  return ends_with(path, ".json.gz");
}

static bool is_trace(const char *path) {
  return ends_with(path, ".json") || is_zipped(path);
}

pod_status_t cli_check_profile(const char *path) {
  if (!is_trace(path)) {
    return cli_check_folder("--profile", path);
  }
  const char *slash = strrchr(path, '/');
  char *folder = slash == NULL ? pod_strdup(".") : pod_strdup(path);
  if (slash != NULL) {
    folder[slash == path ? 1 : slash - path] = '\0';
  }
  pod_status_t status = NULL;
  if (access(folder, W_OK | X_OK) != 0) {
    status = pod_error(POD_INVALID_ARGUMENT, "--profile: cannot write %s: %s", path,
                       strerror(errno));
  }
  free(folder);
  return status;
}

// --- Reading ---

static pod_status_t read_folder(const char *folder, spaces_t *spaces) {
  DIR *entries = opendir(folder);
  if (entries == NULL) {
    return pod_error(POD_NOT_FOUND, "%s: %s", folder, strerror(errno));
  }
  pod_status_t status = NULL;
  for (struct dirent *entry; status == NULL && (entry = readdir(entries)) != NULL;) {
    if (!ends_with(entry->d_name, SUFFIX)) {
      continue;
    }
    cli_space_t space = {0};
    char *path = cli_path(folder, entry->d_name);
    status = cli_read_file(path, &space.bytes, &space.size);
    if (status == NULL) {
      space.process = pod_strdup(entry->d_name);
      space.process[strlen(space.process) - strlen(SUFFIX)] = '\0';
      *pod_list_add(spaces) = space;
      unlink(path);
    }
    free(path);
  }
  closedir(entries);
  return status;
}

static int by_process(const void *left, const void *right) {
  return strcmp(((const cli_space_t *)left)->process,
                ((const cli_space_t *)right)->process);
}

// --- Writing ---

static pod_status_t write_space(const char *run, const char *host,
                                const cli_space_t *space, bool is_only) {
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/%s%s%s%s", run, host, is_only ? "" : "_",
                  is_only ? "" : space->process, SUFFIX);
  cli_output_t *output;
  pod_status_t status = cli_output_open(path.bytes, false, &output);
  if (status == NULL) {
    cli_output_write(output, space->bytes, space->size);
    status = cli_output_close(output);
  }
  pod_text_deinit(&path);
  return status;
}

static pod_status_t write_folder(const char *folder, const spaces_t *spaces) {
  pod_text_t run = {0}, trace = {0};
  char host[CLI_HOST_BYTES];
  cli_host_name(host);
  pod_status_t status = cli_make_run_folder(folder, &run);
  for (int32_t i = 0; status == NULL && i < spaces->count; i++) {
    status = write_space(run.bytes, host, &spaces->items[i], spaces->count == 1);
  }
  if (status == NULL) {
    pod_text_printf(&trace, "%s/%s.trace.json.gz", run.bytes, host);
    status = cli_write_space_trace(trace.bytes, true, spaces->items, spaces->count);
  }
  pod_text_deinit(&run);
  pod_text_deinit(&trace);
  return status;
}

pod_status_t cli_collect_profile(const char *folder, const char *path) {
  spaces_t spaces = {0};
  pod_status_t status = read_folder(folder, &spaces);
  if (status == NULL && spaces.count == 0) {
    status = pod_error(POD_NOT_FOUND,
                       "%s was not written: the command has loaded no plugin, or was "
                       "killed",
                       path);
  }
  if (status == NULL) {
    qsort(spaces.items, (size_t)spaces.count, sizeof(cli_space_t), by_process);
    status = is_trace(path) ? cli_write_space_trace(path, is_zipped(path), spaces.items,
                                                    spaces.count)
                            : write_folder(path, &spaces);
  }
  for (int32_t i = 0; i < spaces.count; i++) {
    free(spaces.items[i].process);
    free(spaces.items[i].bytes);
  }
  pod_list_deinit(&spaces);
  return status;
}
