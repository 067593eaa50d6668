// Neither the folder nor the file is trusted by its name: both have to be ours.

#include "common/access/local_token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/access/file.h"
#include "common/access/place.h"
#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"

enum { FOLDERS = 2, TOKEN_FILE_BYTES_MAX = 512 };

// The folders that it may be in, the better one first; NULL where there is none.
static void list_folders(char *out[FOLDERS]) {
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  pod_text_t text = {0};
  out[0] = NULL;
  if (runtime != NULL && runtime[0] == '/') {
    pod_text_printf(&text, "%s/podium", runtime);
    out[0] = pod_text_take(&text);
  }
  pod_text_printf(&text, "/tmp/podium-%lu", (unsigned long)geteuid());
  out[1] = pod_text_take(&text);
}

// "token-7400" at 127.0.0.1, and with the host where it is another one: on the same port
// of another address there may be another user's server, whom ours is not to be shown.
static char *path_in(const char *folder, const char *address) {
  static const char *const usual[] = {"127.0.0.1", "0.0.0.0", "localhost"};
  const char *port = access_port(address);
  const size_t length = port > address ? (size_t)(port - address) - 1 : 0;
  bool is_usual = false;
  for (size_t i = 0; i < POD_COUNT_OF(usual); i++) {
    is_usual |= strlen(usual[i]) == length && memcmp(address, usual[i], length) == 0;
  }
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/token-", folder);
  if (!is_usual) {
    const bool is_all = length == 4 && memcmp(address, "[::]", length) == 0;
    pod_text_add_bytes(&path, is_all ? "[::1]" : address, is_all ? 5 : length);
    pod_text_add(&path, "-");
  }
  pod_text_add(&path, port);
  return pod_text_take(&path);
}

static bool write_all(int file, const char *token) {
  char line[TOKEN_FILE_BYTES_MAX + 2];
  const int length = snprintf(line, sizeof(line), "%s\n", token);
  const bool is_written =
      length < (int)sizeof(line) && write(file, line, (size_t)length) == length;
  explicit_bzero(line, sizeof(line));
  return is_written;
}

static pod_status_t write_in(const char *folder, const char *address, const char *token,
                             char **out_path) {
  POD_TRY(access_make_private(folder));
  char *path = path_in(folder, address);
  // Of a server that was killed, whose port is ours now.
  (void)unlink(path);
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  const bool is_written = file >= 0 && write_all(file, token);
  const int error = errno;
  if (file >= 0) {
    (void)close(file);
  }
  if (!is_written) {
    const pod_status_t status =
        pod_error(POD_FAILED_PRECONDITION, "cannot write the token to %s: %s", path,
                  strerror(error));
    if (file >= 0) {
      (void)unlink(path);
    }
    free(path);
    return status;
  }
  *out_path = path;
  return NULL;
}

pod_status_t access_write_local_token(const char *address, const char *token,
                                      char **out_path) {
  char *folders[FOLDERS];
  list_folders(folders);
  pod_status_t status = pod_error(POD_FAILED_PRECONDITION, "no folder");
  // A variable left over from another user or a login that has ended must not stop us.
  for (int i = 0; i < FOLDERS && status != NULL; i++) {
    if (folders[i] != NULL) {
      pod_status_free(status);
      status = write_in(folders[i], address, token, out_path);
    }
  }
  for (int i = 0; i < FOLDERS; i++) {
    free(folders[i]);
  }
  return status;
}

static bool is_ours(const struct stat *info, mode_t kind) {
  return (info->st_mode & S_IFMT) == kind && info->st_uid == geteuid() &&
         (info->st_mode & 077) == 0;
}

// The token, and when it was written; NULL when there is none that can be believed.
static char *read_in(const char *folder, const char *address,
                     struct timespec *out_written) {
  struct stat info;
  if (lstat(folder, &info) != 0 || !is_ours(&info, S_IFDIR)) {
    return NULL;
  }
  char *path = path_in(folder, address);
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  free(path);
  if (file < 0) {
    return NULL;
  }
  char line[TOKEN_FILE_BYTES_MAX + 1] = "";
  const bool is_good = fstat(file, &info) == 0 && is_ours(&info, S_IFREG) &&
                       read(file, line, sizeof(line) - 1) > 0;
  (void)close(file);
  line[strcspn(line, "\r\n")] = '\0';
  char *token = is_good && line[0] != '\0' ? pod_strdup(line) : NULL;
  explicit_bzero(line, sizeof(line));
  *out_written = info.st_mtim;
  return token;
}

static bool is_later(struct timespec a, struct timespec b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

char *access_find_local_token(const char *address) {
  if (!access_is_local(address) || access_port(address)[0] == '\0') {
    return NULL;
  }
  char *folders[FOLDERS];
  list_folders(folders);
  char *token = NULL;
  struct timespec written = {0};
  for (int i = 0; i < FOLDERS; i++) {
    struct timespec at;
    char *found = folders[i] == NULL ? NULL : read_in(folders[i], address, &at);
    if (found != NULL && (token == NULL || is_later(at, written))) {
      access_forget(token);
      token = found;
      written = at;
    } else {
      access_forget(found);
    }
    free(folders[i]);
  }
  return token;
}

static bool is_set(const char *text) {
  return text != NULL && text[0] != '\0';
}

static pod_status_t given_token(const char *token_file, char **out_token) {
  const char *named = getenv("PODIUM_TOKEN_FILE");
  const char *itself = getenv("PODIUM_TOKEN");
  if (is_set(token_file)) {
    return access_read_line(token_file, out_token);
  }
  if (is_set(named)) {
    return pod_status_context(access_read_line(named, out_token), "PODIUM_TOKEN_FILE");
  }
  *out_token = is_set(itself) ? pod_strdup(itself) : NULL;
  return NULL;
}

pod_status_t access_client_token(const char *address, const char *token_file,
                                 bool is_encrypted, char **out_token) {
  char *token;
  POD_TRY(given_token(token_file, &token));
  if (token != NULL && !is_encrypted && !access_is_local(address)) {
    access_forget(token);
    return pod_error(
        POD_FAILED_PRECONDITION,
        "the token would go to %s in the clear: connect with TLS (--tls-ca), or "
        "without a token",
        address);
  }
  *out_token = token != NULL ? token : access_find_local_token(address);
  return NULL;
}
