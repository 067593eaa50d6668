// Folders that are ours alone.

#include "server/jobs/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

bool job_folder_is_full(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

static pod_status_t full(const char *path, int64_t size_bytes, int error) {
  struct statvfs info;
  const long long free_bytes =
      statvfs(path, &info) == 0 ? (long long)(info.f_bavail * info.f_frsize) : -1;
  if (free_bytes < 0) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "the disk of %s is full: %s", path,
                     strerror(error));
  }
  return pod_error(POD_RESOURCE_EXHAUSTED,
                   "the disk of %s is full: %lld bytes could not be written, %lld are "
                   "free (%s)",
                   path, (long long)size_bytes, free_bytes, strerror(error));
}

pod_status_t job_folder_error(int error, const char *path, int64_t size_bytes,
                              const char *what) {
  if (job_folder_is_full(error)) {
    return full(path, size_bytes, error);
  }
  const pod_code_t code = error == EIO                         ? POD_UNAVAILABLE
                          : error == EMFILE || error == ENFILE ? POD_RESOURCE_EXHAUSTED
                                                               : POD_FAILED_PRECONDITION;
  return pod_error(code, "cannot %s %s: %s", what, path, strerror(error));
}

int64_t job_folder_free_bytes(int fd) {
  struct statvfs info;
  return fstatvfs(fd, &info) == 0 ? (int64_t)(info.f_bavail * info.f_frsize) : -1;
}

static pod_status_t check_ours(int fd, const char *path) {
  struct stat info;
  if (fstat(fd, &info) != 0) {
    return job_folder_error(errno, path, 0, "look at");
  }
  if (info.st_uid != geteuid() || (info.st_mode & 077) != 0) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "%s must be a folder of user %lu that nobody else may enter; it is "
                     "of user %lu and has mode %04o",
                     path, (unsigned long)geteuid(), (unsigned long)info.st_uid,
                     (unsigned)info.st_mode & 07777);
  }
  return NULL;
}

pod_status_t job_folder_open(int at, const char *name, const char *path, bool is_made,
                             int *out_fd) {
  const int follow = at == AT_FDCWD ? 0 : O_NOFOLLOW;
  if (is_made && mkdirat(at, name, 0700) != 0 && errno != EEXIST) {
    return job_folder_error(errno, path, 0, "make the folder");
  }
  const int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow);
  if (fd < 0) {
    return job_folder_error(errno, path, 0, "open the folder");
  }
  const pod_status_t status = check_ours(fd, path);
  if (status != NULL) {
    (void)close(fd);
    return status;
  }
  *out_fd = fd;
  return NULL;
}

pod_status_t job_folder_sync(int fd, const char *path) {
  return fsync(fd) == 0 ? NULL : job_folder_error(errno, path, 0, "write the folder");
}

pod_status_t job_folder_each(int fd, const char *path,
                             pod_status_t (*each)(void *user, const char *name),
                             void *user) {
  const int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = copy < 0 ? NULL : fdopendir(copy);
  if (folder == NULL) {
    const int error = errno;
    if (copy >= 0) {
      (void)close(copy);
    }
    return job_folder_error(error, path, 0, "list");
  }
  pod_status_t status = NULL;
  errno = 0;
  for (const struct dirent *entry; status == NULL && (entry = readdir(folder)) != NULL;) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      status = each(user, entry->d_name);
    }
    errno = 0;
  }
  if (status == NULL && errno != 0) {
    status = job_folder_error(errno, path, 0, "list");
  }
  (void)closedir(folder);
  return status;
}
