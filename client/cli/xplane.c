// The profile as a folder that TensorBoard's profile plugin and XProf read:
// DIR/plugins/profile/TIME/HOST.xplane.pb and HOST.trace.json.gz.
//
// Chips of a class are one plane, that of the chip that stands for them.

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/output.h"
#include "client/profile/xplane.h"
#include "common/base/memory.h"
#include "common/base/text.h"

enum { PLANES_MAX = 256 };

// --- Files ---

// Makes the folder and those above it.
static pod_status_t make_folders(const char *path) {
  char *copy = pod_strdup(path);
  pod_status_t status = NULL;
  for (char *at = copy + 1; status == NULL; at++) {
    if (*at != '/' && *at != '\0') {
      continue;
    }
    const char kept = *at;
    *at = '\0';
    if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
      status = pod_error(POD_INVALID_ARGUMENT, "%s: %s", copy, strerror(errno));
    }
    *at = kept;
    if (kept == '\0') {
      break;
    }
  }
  free(copy);
  return status;
}

pod_status_t cli_make_run_folder(const char *folder, pod_text_t *path) {
  pod_text_printf(path, "%s/plugins/profile", folder);
  POD_TRY(make_folders(path->bytes));
  char when[32];
  struct tm local;
  const time_t now = time(NULL);
  localtime_r(&now, &local);
  strftime(when, sizeof(when), "%Y_%m_%d_%H_%M_%S", &local);
  const size_t length = path->length;
  for (int i = 0; i < 1000; i++) {
    path->length = length;
    pod_text_printf(path, "/%s", when);
    if (i > 0) {
      pod_text_printf(path, "_%d", i);
    }
    if (mkdir(path->bytes, 0777) == 0) {
      return NULL;
    }
    if (errno != EEXIST) {
      break;
    }
  }
  return pod_error(POD_INVALID_ARGUMENT, "%s: %s", path->bytes, strerror(errno));
}

// The nearest folder that is there takes files: those below it can be made.
pod_status_t cli_check_folder(const char *option, const char *folder) {
  char *path = pod_strdup(folder);
  struct stat info;
  while (stat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR) &&
         strrchr(path, '/') != NULL && strrchr(path, '/') != path) {
    *strrchr(path, '/') = '\0';
  }
  const char *nearest = stat(path, &info) == 0 ? path : *path == '/' ? "/" : ".";
  pod_status_t status = NULL;
  if (stat(nearest, &info) == 0 && !S_ISDIR(info.st_mode)) {
    errno = ENOTDIR;
    status = pod_error(POD_INVALID_ARGUMENT, "%s: cannot write %s: %s", option, folder,
                       strerror(errno));
  } else if (access(nearest, W_OK | X_OK) != 0) {
    status = pod_error(POD_PERMISSION_DENIED, "%s: cannot write %s: %s", option, folder,
                       strerror(errno));
  }
  free(path);
  return status;
}

static pod_status_t write_bytes(const char *path, const uint8_t *bytes, size_t size) {
  cli_output_t *output;
  pod_status_t status = cli_output_open(path, false, &output);
  if (status == NULL) {
    cli_output_write(output, bytes, size);
    status = cli_output_close(output);
  }
  return status;
}

static pod_status_t write_space(const char *path, const char *host,
                                const podium_program_info_t *info,
                                const podium_profile_t *profile) {
  xplane_space_t *space = xplane_create(0, INT64_MAX, XPLANE_STEPS_NUMBERED);
  const int64_t program = xplane_add_program(space, info, profile);
  const int count = profile->class_count < PLANES_MAX ? profile->class_count : PLANES_MAX;
  for (int i = 0; i < count; i++) {
    const xplane_execution_t execution = {.program = program,
                                          .profile = profile,
                                          .chip = profile->classes[i].representative,
                                          .run = 1,
                                          .link = XPLANE_NO_LINK};
    xplane_add_execution(space, &execution);
  }
  size_t size;
  uint8_t *bytes = xplane_pack(space, host, "/host:CPU", &size);
  const pod_status_t status = write_bytes(path, bytes, size);
  free(bytes);
  xplane_destroy(space);
  return status;
}

void cli_host_name(char host[CLI_HOST_BYTES]) {
  memset(host, 0, CLI_HOST_BYTES);
  if (gethostname(host, CLI_HOST_BYTES - 1) != 0 || *host == '\0' ||
      strchr(host, '/') != NULL) {
    snprintf(host, CLI_HOST_BYTES, "podium");
  }
}

pod_status_t cli_write_xplane(const char *folder, const podium_program_info_t *info,
                              const podium_profile_t *profile) {
  char host[CLI_HOST_BYTES];
  cli_host_name(host);
  pod_text_t path = {0};
  pod_status_t status = cli_make_run_folder(folder, &path);
  const size_t length = path.length;
  if (status == NULL) {
    pod_text_printf(&path, "/%s.xplane.pb", host);
    status = write_space(path.bytes, host, info, profile);
  }
  if (status == NULL) {
    path.length = length;
    pod_text_printf(&path, "/%s.trace.json.gz", host);
    status = cli_write_trace(path.bytes, true, info, profile);
  }
  pod_text_deinit(&path);
  return status;
}
