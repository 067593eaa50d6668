// What is open is in a table, by descriptor. SQLite opens its files by itself: a database
// of a killed process is closed as if its process had died, with its log left behind.

#include "tests/simulation/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum {
  FDS_MAX = 1 << 12,
  DATABASES_MAX = 16,
  LOCKED_NS = 20000,
  DELAYED_ONCE_IN = 4,
  WALKED_FDS = 16
};

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __real_close(int fd);
DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __real_renameat(int from, const char *path, int to, const char *new_path);
int __wrap_renameat(int from, const char *path, int to, const char *new_path);
int __real_unlinkat(int folder, const char *path, int flags);
int __wrap_unlinkat(int folder, const char *path, int flags);
ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);
int __wrap_fstatvfs(int fd, struct statvfs *out_info);
char *__wrap_realpath(const char *path, char *out_path);
int __real_sqlite3_open_v2(const char *path, sqlite3 **out_handle, int flags,
                           const char *vfs);
int __wrap_sqlite3_open_v2(const char *path, sqlite3 **out_handle, int flags,
                           const char *vfs);
int __real_sqlite3_close(sqlite3 *handle);
int __wrap_sqlite3_close(sqlite3 *handle);
int __real_sqlite3_exec(sqlite3 *handle, const char *text,
                        int (*row)(void *, int, char **, char **), void *context,
                        char **out_error);
int __wrap_sqlite3_exec(sqlite3 *handle, const char *text,
                        int (*row)(void *, int, char **, char **), void *context,
                        char **out_error);
int __real_sqlite3_step(sqlite3_stmt *statement);
int __wrap_sqlite3_step(sqlite3_stmt *statement);

static int owners[FDS_MAX];  // Processes; 0: nobody's.

static struct database_t {
  sqlite3 *handle;  // NULL: free.
  int process;
} databases[DATABASES_MAX];

static char folder_path[64];

static int64_t delay_ns_max;

static struct awaited_t {
  int count, process;
  void (*fn)(process_t *process);
} awaited;

// --- Descriptors ---

static int own(int fd) {
  const process_t *process = process_current();
  if (fd >= 0 && process != NULL) {
    POD_CHECK(fd < FDS_MAX);
    owners[fd] = process->index;
  }
  return fd;
}

void files_closed(int fd) {
  if (fd >= 0 && fd < FDS_MAX) {
    owners[fd] = 0;
  }
}

static mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? (mode_t)va_arg(arguments, int) : 0;
}

int __wrap_open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return own(__real_open(path, flags, mode));
}

int __wrap_openat(int folder, const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return own(__real_openat(folder, path, flags, mode));
}

// It is closed within libc, and never held across a wait.
DIR *__wrap_fdopendir(int fd) {
  DIR *folder = __real_fdopendir(fd);
  if (folder != NULL) {
    files_closed(fd);
  }
  return folder;
}

// --- The disk ---

static void arrive(void *context) {
  (void)context;
  process_t *process = process_at(awaited.process);
  if (process != NULL && awaited.fn != NULL) {
    awaited.fn(process);
  }
}

static void wait_for_disk(void) {
  if (fiber_current() != NULL && !fiber_keeps_memory()) {
    if (awaited.count > 0 && --awaited.count == 0) {
      awaited.process = process_current()->index;
      (void)machine_at(machine_now_ns(), arrive, NULL);
    }
    if (delay_ns_max > 0 && machine_once_in(DELAYED_ONCE_IN)) {
      fiber_sleep(machine_between(0, delay_ns_max));
    } else {
      fiber_pause();
    }
  }
}

int __wrap_fsync(int fd) {
  wait_for_disk();
  const int result = __real_fsync(fd);
  wait_for_disk();
  return result;
}

int __wrap_fdatasync(int fd) {
  wait_for_disk();
  return __real_fdatasync(fd);
}

int __wrap_renameat(int from, const char *path, int to, const char *new_path) {
  wait_for_disk();
  const int result = __real_renameat(from, path, to, new_path);
  wait_for_disk();
  return result;
}

int __wrap_unlinkat(int folder, const char *path, int flags) {
  wait_for_disk();
  return __real_unlinkat(folder, path, flags);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size) {
  wait_for_disk();
  return __real_write(fd, bytes, size);
}

// Who has it is another fiber.
int __wrap_flock(int fd, int how) {
  int result;
  while ((result = __real_flock(fd, how | LOCK_NB)) != 0 && errno == EWOULDBLOCK &&
         (how & LOCK_NB) == 0 && fiber_current() != NULL) {
    fiber_sleep(LOCKED_NS);
  }
  return result;
}

// Room for all, whatever there is.
int __wrap_fstatvfs(int fd, struct statvfs *out_info) {
  (void)fd;
  *out_info = (struct statvfs){
      .f_bsize = 4096, .f_frsize = 4096, .f_blocks = 1 << 24, .f_bavail = 1 << 24};
  return 0;
}

// Names stay relative: they are part of what is said, and the same in every run.
char *__wrap_realpath(const char *path, char *out_path) {
  POD_CHECK(out_path == NULL);
  return pod_strdup(path);
}

// --- Databases ---

int __wrap_sqlite3_open_v2(const char *path, sqlite3 **out_handle, int flags,
                           const char *vfs) {
  const int result = __real_sqlite3_open_v2(path, out_handle, flags, vfs);
  const process_t *process = process_current();
  if (*out_handle != NULL && process != NULL) {
    int at = 0;
    while (databases[at].handle != NULL) {
      at++;
      POD_CHECK(at < DATABASES_MAX);
    }
    databases[at] = (struct database_t){*out_handle, process->index};
  }
  return result;
}

int __wrap_sqlite3_close(sqlite3 *handle) {
  for (int i = 0; i < DATABASES_MAX; i++) {
    if (databases[i].handle == handle) {
      databases[i].handle = NULL;
    }
  }
  return __real_sqlite3_close(handle);
}

int __wrap_sqlite3_exec(sqlite3 *handle, const char *text,
                        int (*row)(void *, int, char **, char **), void *context,
                        char **out_error) {
  wait_for_disk();
  const int result = __real_sqlite3_exec(handle, text, row, context, out_error);
  wait_for_disk();
  return result;
}

int __wrap_sqlite3_step(sqlite3_stmt *statement) {
  wait_for_disk();
  const int result = __real_sqlite3_step(statement);
  if (result == SQLITE_DONE) {
    wait_for_disk();
  }
  return result;
}

// What was not committed is in no log yet; what was is read from it by the next.
static void drop_database(struct database_t *database) {
  sqlite3_stmt *statement;
  while ((statement = sqlite3_next_stmt(database->handle, NULL)) != NULL) {
    (void)sqlite3_finalize(statement);
  }
  (void)sqlite3_db_config(database->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  POD_CHECK(__real_sqlite3_close(database->handle) == SQLITE_OK);
  database->handle = NULL;
}

void files_set_delay(int64_t ns_max) {
  delay_ns_max = ns_max;
}

void files_await(int count, void (*fn)(process_t *process)) {
  awaited = (struct awaited_t){.count = count, .fn = fn};
}

// --- Life ---

int files_held(int process) {
  int count = 0;
  for (int i = 0; i < FDS_MAX; i++) {
    count += owners[i] == process;
  }
  for (int i = 0; i < DATABASES_MAX; i++) {
    count += databases[i].handle != NULL && databases[i].process == process;
  }
  return count;
}

void files_kill(int process) {
  for (int i = 0; i < DATABASES_MAX; i++) {
    if (databases[i].handle != NULL && databases[i].process == process) {
      drop_database(&databases[i]);
    }
  }
  for (int i = 0; i < FDS_MAX; i++) {
    if (owners[i] == process) {
      owners[i] = 0;
      (void)__real_close(i);
    }
  }
}

static int remove_one(const char *path, const struct stat *info, int kind,
                      struct FTW *at) {
  (void)info;
  (void)kind;
  (void)at;
  return remove(path);
}

void files_reset(void) {
  awaited = (struct awaited_t){.count = 0};
  (void)nftw(FILES_JOBS, remove_one, WALKED_FDS, FTW_DEPTH | FTW_PHYS);
}

void files_make(void) {
  static const char *const places[] = {"/dev/shm", "/tmp"};
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    snprintf(folder_path, sizeof(folder_path), "%s/podium-simulation-XXXXXX", places[i]);
    if (mkdtemp(folder_path) != NULL) {
      return;
    }
  }
  perror(folder_path);
  exit(2);
}

void files_enter(void) {
  char own[] = "run-XXXXXX";
  if (chdir(folder_path) != 0 || mkdtemp(own) == NULL || chdir(own) != 0) {
    perror(folder_path);
    exit(2);
  }
}

void files_leave(void) {
  (void)nftw(folder_path, remove_one, WALKED_FDS, FTW_DEPTH | FTW_PHYS);
}
