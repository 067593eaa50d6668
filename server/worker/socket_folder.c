// A live worker holds the lock (flock) of its folder, and the kernel drops it with the
// process: a folder whose lock can be had is a dead worker's. A folder is made, locked
// and judged only under the lock of the folder above, so none is taken for dead before
// its owner has locked it.
//
// A folder in /tmp itself has none above that would be ours: whoever makes one looks,
// once it is locked, whether it has been taken for dead in between, and makes another
// then. Names in /tmp are anybody's to choose: what is swept is opened without following
// a link, is our user's own and nobody else's to enter, and is emptied by its descriptor.

#include "server/worker/socket_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"

#define PREFIX "worker-"

enum {
  RUNTIME_PATH_MAX = 56,  // The address of a unix socket has 107 bytes at most.
  LONE_DIGITS = 6,
  LONE_NAME_BYTES = 64,
  LONE_TRIES_MAX = 8,
};

#define TEMPORARY "/tmp"

struct socket_folder_t {
  char *path;
  int lock;  // Of the folder itself; the kernel drops it with the process.
};

static pod_status_t cannot(const char *what, const char *path) {
  return pod_error(POD_FAILED_PRECONDITION, "cannot %s %s: %s", what, path,
                   strerror(errno));
}

// Made with mode 0700, or found as a folder that is ours alone.
static pod_status_t make_private(const char *path) {
  struct stat info;
  if (mkdir(path, 0700) != 0 && errno != EEXIST) {
    return cannot("make the folder", path);
  }
  if (lstat(path, &info) != 0) {
    return cannot("look at", path);
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != getuid() || (info.st_mode & 077) != 0) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "%s must be a folder of user %lu that nobody else may enter; remove "
                     "it or set XDG_RUNTIME_DIR",
                     path, (unsigned long)getuid());
  }
  return NULL;
}

// Without following links: what is entered by name may be another folder by now.
static int open_folder(const char *path) {
  return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Takes `file`, the open folder.
static void empty_folder(int file) {
  DIR *folder = fdopendir(file);
  if (folder == NULL) {
    (void)close(file);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      (void)unlinkat(dirfd(folder), entry->d_name, 0);
    }
  }
  (void)closedir(folder);
}

// The caller has its lock, by `lock`, which stays his.
static void remove_folder(const char *path, int lock) {
  const int file = openat(lock, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file >= 0) {
    empty_folder(file);
  }
  (void)rmdir(path);  // Of a link or of what is not empty nothing.
}

static int open_locked(const char *path) {
  const int folder = open_folder(path);
  if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0) {
    (void)close(folder);
    return -1;
  }
  return folder;
}

// Removes what was left by workers that could not do it themselves.
static void remove_dead(const char *parent) {
  DIR *folder = opendir(parent);
  if (folder == NULL) {
    return;
  }
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0) {
      continue;
    }
    pod_text_t path = {0};
    pod_text_printf(&path, "%s/%s", parent, entry->d_name);
    const int lock = open_locked(path.bytes);
    if (lock >= 0) {
      remove_folder(path.bytes, lock);
      (void)close(lock);
    }
    pod_text_deinit(&path);
  }
  (void)closedir(folder);
}

// The lock of the parent is held meanwhile, so that nobody takes a folder for dead
// between its making and its locking.
static pod_status_t make_below(const char *parent, socket_folder_t **out_folder) {
  const int parent_lock = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent_lock < 0 || flock(parent_lock, LOCK_EX) != 0) {
    const pod_status_t status = cannot("lock", parent);
    if (parent_lock >= 0) {
      (void)close(parent_lock);
    }
    return status;
  }
  remove_dead(parent);
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/" PREFIX "XXXXXX", parent);
  pod_status_t status = NULL;
  int lock = -1;
  if (mkdtemp(path.bytes) == NULL) {
    status = cannot("make the folder", path.bytes);
  } else if ((lock = open_locked(path.bytes)) < 0) {
    status = cannot("lock", path.bytes);
    (void)rmdir(path.bytes);
  } else {
    socket_folder_t *folder = pod_alloc(sizeof(*folder));
    *folder = (socket_folder_t){.path = pod_text_take(&path), .lock = lock};
    *out_folder = folder;
  }
  pod_text_deinit(&path);
  (void)close(parent_lock);
  return status;
}

static pod_status_t create_in(const char *parent, socket_folder_t **out_folder) {
  POD_TRY(make_private(parent));
  return make_below(parent, out_folder);
}

// "podium-UID-" and what mkdtemp makes of six X.
static bool is_lone_name(const char *name) {
  char prefix[LONE_NAME_BYTES];
  const int length =
      snprintf(prefix, sizeof(prefix), "podium-%lu-", (unsigned long)getuid());
  return strncmp(name, prefix, (size_t)length) == 0 &&
         strlen(name + length) == LONE_DIGITS;
}

static bool is_ours_alone(int folder) {
  struct stat info;
  return fstat(folder, &info) == 0 && info.st_uid == getuid() &&
         (info.st_mode & 077) == 0;
}

// Removes what lone workers left that could not do it themselves.
static void sweep(const char *parent) {
  DIR *folder = opendir(parent);
  if (folder == NULL) {
    return;
  }
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (!is_lone_name(entry->d_name)) {
      continue;
    }
    pod_text_t path = {0};
    pod_text_printf(&path, "%s/%s", parent, entry->d_name);
    const int lock = open_locked(path.bytes);
    if (lock >= 0 && is_ours_alone(lock)) {
      remove_folder(path.bytes, lock);
    }
    if (lock >= 0) {
      (void)close(lock);
    }
    pod_text_deinit(&path);
  }
  (void)closedir(folder);
}

// -1: another has taken it for dead before it was locked.
static int lock_lone(const char *path) {
  struct stat info;
  const int lock = open_locked(path);
  if (lock >= 0 && (fstat(lock, &info) != 0 || info.st_nlink == 0)) {
    (void)close(lock);
    return -1;
  }
  return lock;
}

// Without a folder above, where a dead worker's would be found: any user can take that
// one's name in /tmp, and must not stop us by it.
static pod_status_t create_alone(const char *parent, socket_folder_t **out_folder) {
  for (int tries = 1;; tries++) {
    pod_text_t path = {0};
    pod_text_printf(&path, "%s/podium-%lu-XXXXXX", parent, (unsigned long)getuid());
    pod_status_t status = NULL;
    int lock = -1;
    if (mkdtemp(path.bytes) == NULL) {
      status = cannot("make the folder", path.bytes);
    } else if ((lock = lock_lone(path.bytes)) < 0 && tries == LONE_TRIES_MAX) {
      status = cannot("lock", path.bytes);
    } else if (lock >= 0) {
      socket_folder_t *folder = pod_alloc(sizeof(*folder));
      *folder = (socket_folder_t){.path = pod_text_take(&path), .lock = lock};
      *out_folder = folder;
    }
    pod_text_deinit(&path);
    if (status != NULL || lock >= 0) {
      return status;
    }
  }
}

pod_status_t socket_folder_create(socket_folder_t **out_folder) {
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  pod_text_t parent = {0};
  pod_status_t status = NULL;
  bool is_made = false;
  // A variable left over from another user or a login that has ended must not stop us.
  if (runtime != NULL && runtime[0] == '/' && strlen(runtime) <= RUNTIME_PATH_MAX) {
    pod_text_printf(&parent, "%s/podium", runtime);
    status = create_in(parent.bytes, out_folder);
    is_made = status == NULL;
    pod_status_free(status);
    pod_text_clear(&parent);
  }
  if (!is_made) {
    pod_text_printf(&parent, "/tmp/podium-%lu", (unsigned long)getuid());
    status = create_in(parent.bytes, out_folder);
    is_made = status == NULL;
    if (!is_made) {
      pod_log(POD_LOG_WARNING, "a folder in /tmp itself has the sockets, for %s",
              pod_status_message(status));
      pod_status_free(status);
    }
  }
  pod_text_deinit(&parent);
  sweep(TEMPORARY);
  return is_made ? NULL : create_alone(TEMPORARY, out_folder);
}

void socket_folder_destroy(socket_folder_t *folder) {
  if (folder != NULL) {
    remove_folder(folder->path, folder->lock);
    (void)close(folder->lock);
    free(folder->path);
    free(folder);
  }
}

const char *socket_folder_path(const socket_folder_t *folder) {
  return folder->path;
}
