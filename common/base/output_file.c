// Output files by way of a neighbour that is renamed: rename(2) replaces a name in one
// step, within a file system, hence the neighbour and not a file in /tmp. What stands at
// the end of symbolic links is looked for by hand, because rename would replace the link
// itself.

#include "common/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/base/text.h"

enum { LINKS_MAX = 40 };  // As many as the kernel follows.

typedef enum place_kind_t {
  PLACE_REPLACED,    // A regular file or nothing: by a neighbour.
  PLACE_DEVICE,      // As it is: devices, FIFOs.
  PLACE_DESCRIPTOR,  // A file that this process has open.
} place_kind_t;

typedef struct place_t {
  place_kind_t kind;
  char *target;    // Without symbolic links at its end; owned.
  int descriptor;  // PLACE_DESCRIPTOR.
  mode_t mode;     // Of the file that is replaced; 0: there is none.
} place_t;

struct pod_output_file_t {
  char *path;  // As the user wrote it.
  place_t place;
  char *partial;  // PLACE_REPLACED: where the bytes go first.
  int descriptor;
  pod_output_file_t *next;  // Of those with a `partial`.
};

static pthread_mutex_t unfinished_mutex = PTHREAD_MUTEX_INITIALIZER;
static pod_output_file_t *unfinished;
static bool are_removed;

static pod_status_t system_error(const char *path, const char *what) {
  const int error = errno;
  const pod_code_t code = error == ENOENT                      ? POD_NOT_FOUND
                          : error == EACCES || error == EROFS  ? POD_PERMISSION_DENIED
                          : error == ENOSPC || error == EDQUOT ? POD_RESOURCE_EXHAUSTED
                                                               : POD_INVALID_ARGUMENT;
  return pod_error(code, "cannot %s %s: %s", what, path, strerror(error));
}

// The number N of /proc/self/fd/N and /dev/fd/N; -1 for other paths.
static int descriptor_of(const char *path) {
  static const char *const folders[] = {"/proc/self/fd/", "/dev/fd/"};
  for (int i = 0; i < 2; i++) {
    const size_t length = strlen(folders[i]);
    char *end = NULL;
    if (strncmp(path, folders[i], length) == 0 && path[length] >= '0' &&
        path[length] <= '9') {
      const long number = strtol(path + length, &end, 10);
      return *end == '\0' && number <= INT_MAX ? (int)number : -1;
    }
  }
  return -1;
}

// The folder of `path` with its slash; "" without one. Returns owned.
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  pod_text_t folder = {0};
  pod_text_add_bytes(&folder, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
  return pod_text_take(&folder);
}

// One step along a symbolic link: the path that it names. Returns owned.
static char *follow(const char *link, const char *text) {
  char *folder = folder_of(link);
  pod_text_t path = {0};
  pod_text_printf(&path, "%s%s", text[0] == '/' ? "" : folder, text);
  free(folder);
  return pod_text_take(&path);
}

// Follows `path` to where no symbolic link stands any more, or to a descriptor.
static pod_status_t follow_links(const char *path, char **out_target) {
  char *target = pod_strdup(path);
  for (int i = 0; i <= LINKS_MAX; i++) {
    char text[PATH_MAX];
    const ssize_t length =
        descriptor_of(target) >= 0 ? -1 : readlink(target, text, sizeof(text) - 1);
    if (length < 0) {
      *out_target = target;
      return NULL;
    }
    text[length] = '\0';
    char *next = follow(target, text);
    free(target);
    target = next;
  }
  free(target);
  errno = ELOOP;
  return system_error(path, "write");
}

static pod_status_t look_at(const char *path, place_t *place) {
  struct stat info;
  place->descriptor = descriptor_of(place->target);
  if (place->descriptor >= 0) {
    place->kind = PLACE_DESCRIPTOR;
    const int flags = fcntl(place->descriptor, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) {
      errno = EBADF;
    }
    return flags < 0 || (flags & O_ACCMODE) == O_RDONLY ? system_error(path, "write")
                                                        : NULL;
  }
  if (stat(place->target, &info) != 0) {
    place->kind = PLACE_REPLACED;
    return errno == ENOENT ? NULL : system_error(path, "write");
  }
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return system_error(path, "write");
  }
  place->kind = S_ISREG(info.st_mode) ? PLACE_REPLACED : PLACE_DEVICE;
  place->mode = info.st_mode & 07777;
  return access(place->target, W_OK) != 0 ? system_error(path, "write") : NULL;
}

static pod_status_t find_place(const char *path, place_t *out_place) {
  place_t place = {.descriptor = -1};
  if (*path == '\0' || path[strlen(path) - 1] == '/') {
    return pod_error(POD_INVALID_ARGUMENT, "'%s' names no file", path);
  }
  POD_TRY(follow_links(path, &place.target));
  const pod_status_t status = look_at(path, &place);
  if (status != NULL) {
    free(place.target);
    return status;
  }
  *out_place = place;
  return NULL;
}

pod_status_t pod_output_file_check(const char *path) {
  place_t place;
  POD_TRY(find_place(path, &place));
  pod_status_t status = NULL;
  if (place.kind == PLACE_REPLACED) {
    char *folder = folder_of(place.target);
    if (access(*folder == '\0' ? "." : folder, W_OK | X_OK) != 0) {
      status = system_error(path, "write");
    }
    free(folder);
  }
  free(place.target);
  return status;
}

static void add_unfinished(pod_output_file_t *file) {
  pthread_mutex_lock(&unfinished_mutex);
  file->next = unfinished;
  unfinished = file;
  pthread_mutex_unlock(&unfinished_mutex);
}

static void drop_unfinished(pod_output_file_t *file) {
  pthread_mutex_lock(&unfinished_mutex);
  pod_output_file_t **at = &unfinished;
  while (*at != NULL && *at != file) {
    at = &(*at)->next;
  }
  if (*at != NULL) {
    *at = file->next;
  }
  pthread_mutex_unlock(&unfinished_mutex);
}

// Made while the list is held, so that no file of this process is on the disk without
// being in the list.
static int make_partial(pod_output_file_t *file) {
  static unsigned count;
  char *folder = folder_of(file->place.target);
  pod_text_t name = {0};
  pthread_mutex_lock(&unfinished_mutex);
  pod_text_printf(&name, "%s.podium-%ld-%u.partial", folder, (long)getpid(), count++);
  file->partial = pod_text_take(&name);
  const int made =
      are_removed ? -1
                  : open(file->partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const int error = are_removed ? EINTR : errno;
  pthread_mutex_unlock(&unfinished_mutex);
  free(folder);
  errno = error;
  return made;
}

static int open_place(pod_output_file_t *file) {
  switch (file->place.kind) {
    case PLACE_DESCRIPTOR:
      return fcntl(file->place.descriptor, F_DUPFD_CLOEXEC, 3);
    case PLACE_DEVICE:
      return open(file->place.target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    default:
      return make_partial(file);
  }
}

static void free_file(pod_output_file_t *file) {
  free(file->path);
  free(file->place.target);
  free(file->partial);
  free(file);
}

pod_status_t pod_output_file_open(const char *path, pod_output_file_t **out_file) {
  place_t place;
  POD_TRY(find_place(path, &place));
  pod_output_file_t *file = pod_alloc(sizeof(*file));
  *file = (pod_output_file_t){.path = pod_strdup(path), .place = place};
  add_unfinished(file);
  file->descriptor = open_place(file);
  if (file->descriptor < 0) {
    const pod_status_t status = system_error(path, "write");
    drop_unfinished(file);
    free_file(file);
    return status;
  }
  if (place.kind == PLACE_REPLACED && place.mode != 0) {
    (void)fchmod(file->descriptor, place.mode);
  }
  *out_file = file;
  return NULL;
}

int pod_output_file_descriptor(const pod_output_file_t *file) {
  return file->descriptor;
}

pod_status_t pod_output_file_write(pod_output_file_t *file, const void *bytes,
                                   size_t size_bytes) {
  for (size_t done = 0; done < size_bytes;) {
    const ssize_t put =
        write(file->descriptor, (const char *)bytes + done, size_bytes - done);
    if (put < 0 && errno != EINTR) {
      return system_error(file->path, "write");
    }
    done += put < 0 ? 0 : (size_t)put;
  }
  return NULL;
}

pod_status_t pod_output_file_close(pod_output_file_t *file, pod_status_t failed) {
  pod_status_t status = failed;
  if (close(file->descriptor) != 0 && status == NULL) {
    status = system_error(file->path, "write");
  }
  if (file->partial != NULL && status == NULL &&
      rename(file->partial, file->place.target) != 0) {
    status = system_error(file->path, "write");
  }
  if (file->partial != NULL && status != NULL) {
    (void)unlink(file->partial);
  }
  drop_unfinished(file);
  free_file(file);
  return status;
}

void pod_output_files_remove(void) {
  pthread_mutex_lock(&unfinished_mutex);
  are_removed = true;
  for (const pod_output_file_t *file = unfinished; file != NULL; file = file->next) {
    if (file->partial != NULL) {
      (void)unlink(file->partial);
    }
  }
  pthread_mutex_unlock(&unfinished_mutex);
}
