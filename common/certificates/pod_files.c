// Everything is made in memory first, and looked for in the folder, so that what is wrong
// is found before a file is written. Each file appears whole, by a rename.

#include "common/certificates/pod_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/list.h"
#include "common/certificates/certificate.h"
#include "common/digest/digest.h"

enum {
  DAY_S = 24 * 3600,
  CLOCK_SKEW_S = 3600,  // Of machines that are not set well.
  SECRETS_TEXT_BYTES = 1024,
  HOST_BYTES = 256,
  FILE_BYTES_MAX = 64 << 10,
  MODE_PUBLIC = 0644,
  MODE_SECRET = 0600,
};

// --- Files, before they are written ---

typedef struct new_file_t {
  char *path;
  char *text;
  mode_t mode;
} new_file_t;

typedef POD_LIST(new_file_t) new_files_t;

static void deinit_files(new_files_t *files) {
  for (int32_t i = 0; i < files->count; i++) {
    explicit_bzero(files->items[i].text, strlen(files->items[i].text));
    free(files->items[i].text);
    free(files->items[i].path);
  }
  pod_list_deinit(files);
}

static char *path_in(const char *folder, const char *name, const char *suffix) {
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/%s%s", folder, name, suffix);
  return pod_text_take(&path);
}

// Takes `path` and `text`.
static void add_file(new_files_t *files, char *path, char *text, mode_t mode) {
  *pod_list_add(files) = (new_file_t){path, text, mode};
}

static pod_status_t check_absent(const new_files_t *files) {
  struct stat info;
  for (int32_t i = 0; i < files->count; i++) {
    if (lstat(files->items[i].path, &info) == 0) {
      return pod_error(POD_ALREADY_EXISTS,
                       "%s is there already; say --force to make all anew, and what was "
                       "signed before is then worth nothing",
                       files->items[i].path);
    }
  }
  return NULL;
}

static pod_status_t make_folder(const char *folder) {
  struct stat info;
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
    return pod_error(POD_INVALID_ARGUMENT, "cannot make the folder %s: %s", folder,
                     strerror(errno));
  }
  if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
    return pod_error(POD_INVALID_ARGUMENT, "%s is no folder", folder);
  }
  const bool is_of_another = info.st_uid != geteuid() && info.st_uid != 0;
  if (is_of_another || (info.st_mode & S_IWOTH) != 0) {
    return pod_error(
        POD_FAILED_PRECONDITION,
        "the folder %s %s, who could put files of their own in the place of "
        "the pod's keys: name one that is not there, or take it from them",
        folder,
        is_of_another ? "belongs to another user" : "may be written by other users");
  }
  return NULL;
}

static bool write_all(int fd, const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    const ssize_t written = write(fd, text, left);
    if (written < 0 && errno != EINTR) {
      return false;
    }
    if (written > 0) {
      text += written;
      left -= (size_t)written;
    }
  }
  return true;
}

static pod_status_t write_file(const new_file_t *file) {
  pod_text_t name = {0};
  pod_text_printf(&name, "%s.new", file->path);
  char *temporary = pod_text_take(&name);
  (void)unlink(temporary);
  const int fd =
      open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE_SECRET);
  bool done = fd >= 0 && fchmod(fd, file->mode) == 0 && write_all(fd, file->text) &&
              fsync(fd) == 0;
  int error = errno;
  if (fd >= 0 && close(fd) != 0 && done) {
    done = false;
    error = errno;
  }
  if (done && rename(temporary, file->path) != 0) {
    done = false;
    error = errno;
  }
  if (!done) {
    (void)unlink(temporary);
  }
  free(temporary);
  return done ? NULL
              : pod_error(POD_INVALID_ARGUMENT, "cannot write %s: %s", file->path,
                          strerror(error));
}

static pod_status_t write_files(const pod_files_options_t *options,
                                const new_files_t *files, pod_text_t *out_paths) {
  if (!options->may_overwrite) {
    POD_TRY(check_absent(files));
  }
  POD_TRY(make_folder(options->folder));
  for (int32_t i = 0; i < files->count; i++) {
    POD_TRY(write_file(&files->items[i]));
    if (out_paths != NULL) {
      pod_text_printf(out_paths, "%s\n", files->items[i].path);
    }
  }
  return NULL;
}

// --- Certificates ---

static pod_status_t check_days(int days) {
  return days > 0 && days <= POD_FILES_DAYS_MAX
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT,
                         "certificates are valid for 1 to %d days, not %d",
                         POD_FILES_DAYS_MAX, days);
}

static void add_pair(new_files_t *files, const char *folder, const char *name,
                     certificate_t *certificate) {
  add_file(files, path_in(folder, name, ".crt"), certificate->certificate_pem,
           MODE_PUBLIC);
  add_file(files, path_in(folder, name, ".key"), certificate->key_pem, MODE_SECRET);
  *certificate = (certificate_t){0};
}

static pod_status_t add_certificate(new_files_t *files, const char *folder,
                                    const certificate_t *authority,
                                    certificate_request_t request) {
  certificate_t certificate = {0};
  request.begins_s = time(NULL) - CLOCK_SKEW_S;
  request.ends_s += time(NULL);
  POD_TRY(certificate_issue(&request, authority, &certificate));
  add_pair(files, folder, request.name, &certificate);
  return NULL;
}

static pod_status_t make_authority(int days, certificate_t *out_authority) {
  char name[CERTIFICATE_NAME_BYTES_MAX + 1];
  uint8_t random[4];
  digest_random(random, sizeof(random));
  // A name of its own, so that two pods' authorities can be told apart.
  snprintf(name, sizeof(name), "Podium pod %02x%02x%02x%02x", random[0], random[1],
           random[2], random[3]);
  const int authority_days =
      days > POD_FILES_AUTHORITY_DAYS ? days : POD_FILES_AUTHORITY_DAYS;
  const certificate_request_t request = {
      .name = name,
      .is_authority = true,
      .begins_s = time(NULL) - CLOCK_SKEW_S,
      .ends_s = time(NULL) + (int64_t)authority_days * DAY_S};
  return certificate_issue(&request, NULL, out_authority);
}

// --- Secrets ---

static void add_random(pod_text_t *text) {
  uint8_t bytes[DIGEST_BYTES];
  digest_random(bytes, sizeof(bytes));
  digest_print(text, bytes);
  explicit_bzero(bytes, sizeof(bytes));
}

static const char *const client_roles[] = {"read", "run", "administer"};

static void add_secrets(new_files_t *files, const char *folder) {
  pod_text_t secret = {0}, tokens = {0};
  pod_text_reserve(&secret, SECRETS_TEXT_BYTES);  // Growing would leave copies behind.
  add_random(&secret);
  pod_text_add(&secret, "\n");
  pod_text_reserve(&tokens, SECRETS_TEXT_BYTES);
  pod_text_add(&tokens,
               "# ROLE NAME TOKEN; give each client one, and add lines for more\n");
  for (size_t i = 0; i < POD_COUNT_OF(client_roles); i++) {
    pod_text_printf(&tokens, "%s %s ", client_roles[i], client_roles[i]);
    add_random(&tokens);
    pod_text_add(&tokens, "\n");
  }
  add_file(files, path_in(folder, "pod.secret", ""), pod_text_take(&secret), MODE_SECRET);
  add_file(files, path_in(folder, "tokens", ""), pod_text_take(&tokens), MODE_SECRET);
}

// --- All of them ---

typedef POD_LIST(const char *) hosts_t;

static void add_host(hosts_t *hosts, const char *host) {
  for (int32_t i = 0; i < hosts->count; i++) {
    if (strcmp(hosts->items[i], host) == 0) {
      return;
    }
  }
  *pod_list_add(hosts) = host;
}

static pod_status_t make_daemons_and_clients(const pod_files_options_t *options,
                                             const certificate_t *authority,
                                             new_files_t *files) {
  static const char *const daemons[] = {"coordinator", "worker"};
  static const char *const own[] = {"localhost", "127.0.0.1", "::1"};
  char machine[HOST_BYTES] = "";
  hosts_t hosts = {0};
  for (size_t i = 0; i < options->host_count; i++) {
    add_host(&hosts, options->hosts[i]);
  }
  for (size_t i = 0; i < POD_COUNT_OF(own); i++) {
    add_host(&hosts, own[i]);
  }
  if (gethostname(machine, sizeof(machine) - 1) == 0 && *machine != '\0') {
    add_host(&hosts, machine);
  }
  pod_status_t status = NULL;
  const int64_t ends_s = (int64_t)options->days * DAY_S;
  for (size_t i = 0; status == NULL && i < POD_COUNT_OF(daemons); i++) {
    status = add_certificate(files, options->folder, authority,
                             (certificate_request_t){.name = daemons[i],
                                                     .role = daemons[i],
                                                     .hosts = hosts.items,
                                                     .host_count = (size_t)hosts.count,
                                                     .ends_s = ends_s});
  }
  for (size_t i = 0; status == NULL && i < POD_COUNT_OF(client_roles); i++) {
    status = add_certificate(
        files, options->folder, authority,
        (certificate_request_t){
            .name = client_roles[i], .role = client_roles[i], .ends_s = ends_s});
  }
  pod_list_deinit(&hosts);
  return status;
}

pod_status_t pod_files_write(const pod_files_options_t *options, pod_text_t *out_paths) {
  POD_TRY(check_days(options->days));
  certificate_t authority = {0};
  POD_TRY(make_authority(options->days, &authority));
  new_files_t files = {0};
  pod_status_t status = make_daemons_and_clients(options, &authority, &files);
  if (status == NULL) {
    add_secrets(&files, options->folder);
    add_pair(&files, options->folder, "ca", &authority);
    status = write_files(options, &files, out_paths);
  }
  certificate_deinit(&authority);
  deinit_files(&files);
  return status;
}

// --- One more ---

static pod_status_t read_file(const char *folder, const char *name, char **out_text) {
  char *path = path_in(folder, name, "");
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  pod_text_t text = {0};
  const int error = fd < 0 ? errno : pod_text_add_to_end(&text, fd, FILE_BYTES_MAX);
  if (fd >= 0) {
    close(fd);
  }
  pod_status_t status = NULL;
  if (error != 0) {
    pod_text_deinit(&text);
    status = pod_error(error == ENOENT ? POD_NOT_FOUND : POD_INVALID_ARGUMENT,
                       "cannot read the pod's authority, %s: %s", path, strerror(error));
  } else {
    *out_text = pod_text_take(&text);
  }
  free(path);
  return status;
}

static pod_status_t check_name(const char *name, const char *role) {
  static const char *const roles[] = {"read", "run", "administer", "worker",
                                      "coordinator"};
  static const char allowed[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_@";
  const size_t length = strlen(name);
  if (length == 0 || strspn(name, allowed) != length || name[0] == '.' ||
      strcmp(name, "ca") == 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "'%s' can be no certificate's name: letters, digits and .-_@ make "
                     "one, and 'ca' is the authority's",
                     name);
  }
  for (size_t i = 0; i < POD_COUNT_OF(roles); i++) {
    if (strcmp(role, roles[i]) == 0) {
      return NULL;
    }
  }
  return pod_error(POD_INVALID_ARGUMENT,
                   "there is no role '%s'; there are read, run, administer, worker and "
                   "coordinator",
                   role);
}

pod_status_t pod_files_add(const pod_files_options_t *options, const char *name,
                           const char *role, pod_text_t *out_paths) {
  POD_TRY(check_days(options->days));
  POD_TRY(check_name(name, role));
  certificate_t authority = {0};
  pod_status_t status = read_file(options->folder, "ca.crt", &authority.certificate_pem);
  if (status == NULL) {
    status = read_file(options->folder, "ca.key", &authority.key_pem);
  }
  new_files_t files = {0};
  if (status == NULL) {
    status = add_certificate(
        &files, options->folder, &authority,
        (certificate_request_t){.name = name,
                                .role = role,
                                .hosts = options->hosts,
                                .host_count = options->host_count,
                                .ends_s = (int64_t)options->days * DAY_S});
  }
  if (status == NULL) {
    status = write_files(options, &files, out_paths);
  }
  certificate_deinit(&authority);
  deinit_files(&files);
  return status;
}
