// The profile of all that a process does, for `podium exec --profile`: PODIUM_PROFILE
// names a folder, to which the process writes PID.xplane.pb when it ends.
//
// A child that the process forks has neither the recording's thread nor its sessions, and
// writes nothing of its parent's.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/pjrt/recording.h"
#include "common/base/text.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static recording_t *recording;  // NULL: nobody wants one.
static pid_t owner;

// What still runs when the process ends may never end, for want of the interpreter that
// it calls back.
enum { PATIENCE_MS = 2000 };

static const char *folder(void) {
  const char *path = getenv("PODIUM_PROFILE");
  return path == NULL || *path == '\0' ? NULL : path;
}

static void start(void) {
  if (folder() != NULL) {
    owner = getpid();
    recording = recording_start(XPLANE_STEPS_NUMBERED);
  }
}

void pjrt_run_profile_start(void) {
  pthread_once(&once, start);
}

static void write_file(const char *path, const uint8_t *bytes, size_t size) {
  FILE *file = fopen(path, "we");
  const bool is_written =
      file != NULL && fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
  if (!is_written) {
    fprintf(stderr, "podium: the profile was not written: %s: %s\n", path,
            strerror(errno));
  }
  if (file != NULL) {
    fclose(file);
  }
}

__attribute__((destructor)) static void write_profile(void) {
  if (recording == NULL || folder() == NULL || getpid() != owner) {
    return;
  }
  char host[256] = "podium";
  if (gethostname(host, sizeof(host) - 1) != 0) {
    snprintf(host, sizeof(host), "podium");
  }
  recording_give_up(recording, PATIENCE_MS);
  size_t size;
  uint8_t *bytes = recording_pack(recording, host, "/host:CPU", &size);
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/%lld.xplane.pb", folder(), (long long)owner);
  write_file(path.bytes, bytes, size);
  pod_text_deinit(&path);
  free(bytes);
  recording_destroy(recording);
  recording = NULL;
}
