// A file is looked at once it is open, so that what was looked at is what is read.

#include "common/access/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/memory.h"

static pod_status_t check_mode(const char *path, const struct stat *info) {
  if (!S_ISREG(info->st_mode)) {
    return pod_error(POD_INVALID_ARGUMENT, "%s is no file", path);
  }
  if (info->st_uid != geteuid() && info->st_uid != 0) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "%s is of user %lu, who can change it; it must be of user %lu or of "
                     "root",
                     path, (unsigned long)info->st_uid, (unsigned long)geteuid());
  }
  if ((info->st_mode & (S_IRWXO | S_IWGRP)) != 0) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "others may read or change %s (its mode is %04o), which holds "
                     "secrets: chmod 600 %s",
                     path, (unsigned)info->st_mode & 07777, path);
  }
  return NULL;
}

static pod_status_t read_open(const char *path, int file, char **out_text,
                              size_t *out_length) {
  struct stat info;
  if (fstat(file, &info) != 0) {
    return pod_error(POD_INVALID_ARGUMENT, "%s: %s", path, strerror(errno));
  }
  POD_TRY(check_mode(path, &info));
  if (info.st_size > ACCESS_FILE_BYTES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "%s has more than %d bytes", path,
                     ACCESS_FILE_BYTES_MAX);
  }
  char *text = pod_alloc((size_t)info.st_size + 1);
  size_t length = 0;
  while (length < (size_t)info.st_size) {
    const ssize_t got = read(file, text + length, (size_t)info.st_size - length);
    if (got < 0) {
      const int error = errno;
      access_forget(text);
      return pod_error(POD_INVALID_ARGUMENT, "%s: %s", path, strerror(error));
    }
    if (got == 0) {
      break;
    }
    length += (size_t)got;
  }
  text[length] = '\0';
  *out_text = text;
  *out_length = length;
  return NULL;
}

pod_status_t access_read_file(const char *path, char **out_text, size_t *out_length) {
  // A pipe that nobody writes must not hold us up before it is refused.
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) {
    return pod_error(errno == ENOENT ? POD_NOT_FOUND : POD_INVALID_ARGUMENT, "%s: %s",
                     path, strerror(errno));
  }
  const pod_status_t status = read_open(path, file, out_text, out_length);
  (void)close(file);
  return status;
}

pod_status_t access_read_line(const char *path, char **out_line) {
  char *text;
  size_t length;
  POD_TRY(access_read_file(path, &text, &length));
  const size_t end = strcspn(text, "\r\n");
  if (end == 0 || strspn(text + end, "\r\n") != length - end) {
    access_forget(text);
    return pod_error(POD_INVALID_ARGUMENT, "%s must have one line, and nothing else",
                     path);
  }
  text[end] = '\0';
  *out_line = text;
  return NULL;
}

void access_forget(char *text) {
  if (text != NULL) {
    explicit_bzero(text, strlen(text));
    free(text);
  }
}

pod_status_t access_make_private(const char *path) {
  struct stat info;
  if (mkdir(path, 0700) != 0 && errno != EEXIST) {
    return pod_error(POD_FAILED_PRECONDITION, "cannot make the folder %s: %s", path,
                     strerror(errno));
  }
  if (lstat(path, &info) != 0) {
    return pod_error(POD_FAILED_PRECONDITION, "cannot look at %s: %s", path,
                     strerror(errno));
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 077) != 0) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "%s must be a folder of user %lu that nobody else may enter; remove "
                     "it or set XDG_RUNTIME_DIR",
                     path, (unsigned long)geteuid());
  }
  return NULL;
}
