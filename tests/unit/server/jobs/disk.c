// The functions of libc by their system calls.

// Fortified headers have bodies for some of these functions.
#undef _FORTIFY_SOURCE

#include "tests/unit/server/jobs/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/base/random.h"

enum { FDS = 1024, PATH_BYTES = 512, DIRTY_MAX = 64, OPS_MAX = 1024, SECTOR = 512 };

typedef struct change_t {  // A write, or with data NULL a truncation to `offset`.
  char *data;
  size_t size_bytes;
  off_t offset;
} change_t;

// A file with bytes that are not on the disk.
typedef struct dirty_t {
  ino_t inode;
  int fd;  // Of its own.
  char *image;
  size_t image_bytes;
  change_t *changes;
  int count;
} dirty_t;

typedef enum entry_kind_t { MADE, RENAMED, REMOVED } entry_kind_t;

typedef struct entry_op_t {  // A change of a folder that is not on the disk.
  entry_kind_t kind;
  char path[PATH_BYTES], from[PATH_BYTES], grave[PATH_BYTES];  // grave "": none
} entry_op_t;

static struct {
  char folder[PATH_BYTES], grave[PATH_BYTES];
  disk_luck_t luck;
  int at, steps;
  const char *last;
  int64_t room;  // On a full disk.
  pod_random_t random;
  char paths[FDS][PATH_BYTES];  // "": not of ours.
  dirty_t dirty[DIRTY_MAX];
  int dirty_count;
  entry_op_t ops[OPS_MAX];
  int op_count, grave_count;
} disk;

// --- What was not written is lost ---

static void die(void) {
  (void)kill(getpid(), SIGKILL);
  for (;;) {
    (void)pause();
  }
}

static void put(int fd, const void *data, size_t size_bytes, off_t offset) {
  if (syscall(SYS_pwrite64, fd, data, size_bytes, offset) != (long)size_bytes) {
    abort();
  }
}

static void lose_bytes(const dirty_t *dirty) {
  if (syscall(SYS_ftruncate, dirty->fd, 0) != 0) {
    abort();
  }
  put(dirty->fd, dirty->image, dirty->image_bytes, 0);
  for (int i = 0; i < dirty->count; i++) {
    const change_t *change = &dirty->changes[i];
    const uint64_t fate = pod_random_below(&disk.random, 4);
    if (fate == 0) {
      continue;
    }
    if (change->data == NULL) {
      (void)syscall(SYS_ftruncate, dirty->fd, change->offset);
      continue;
    }
    const size_t sectors = change->size_bytes / SECTOR;
    const size_t kept = fate == 1 && sectors > 0
                            ? (size_t)pod_random_below(&disk.random, sectors) * SECTOR
                            : change->size_bytes;
    put(dirty->fd, change->data, kept, change->offset);
  }
}

static void undo(const entry_op_t *op) {
  if (op->kind == MADE) {
    (void)syscall(SYS_unlinkat, AT_FDCWD, op->path, 0);
  } else if (op->kind == RENAMED) {
    (void)syscall(SYS_renameat, AT_FDCWD, op->path, AT_FDCWD, op->from);
  }
  if (op->grave[0] != '\0') {
    (void)syscall(SYS_renameat, AT_FDCWD, op->grave, AT_FDCWD, op->path);
  }
}

static void lose_power(void) {
  for (int i = 0; i < disk.dirty_count; i++) {
    lose_bytes(&disk.dirty[i]);
  }
  const int kept = (int)pod_random_below(&disk.random, (uint64_t)disk.op_count + 1);
  for (int i = disk.op_count; i-- > kept;) {
    undo(&disk.ops[i]);
  }
  die();
}

// --- What is not yet on the disk ---

static dirty_t *dirty_of(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) {
    abort();
  }
  for (int i = 0; i < disk.dirty_count; i++) {
    if (disk.dirty[i].inode == info.st_ino) {
      return &disk.dirty[i];
    }
  }
  if (disk.dirty_count == DIRTY_MAX) {
    abort();
  }
  dirty_t *dirty = &disk.dirty[disk.dirty_count++];
  char own[64];
  (void)snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
  *dirty = (dirty_t){.inode = info.st_ino,
                     .fd = (int)syscall(SYS_openat, AT_FDCWD, own, O_RDWR | O_CLOEXEC),
                     .image_bytes = (size_t)info.st_size,
                     .image = malloc((size_t)info.st_size + 1)};
  if (dirty->fd < 0 || pread(dirty->fd, dirty->image, dirty->image_bytes, 0) !=
                           (ssize_t)dirty->image_bytes) {
    abort();
  }
  return dirty;
}

static void note_change(int fd, const void *data, size_t size_bytes, off_t offset) {
  dirty_t *dirty = dirty_of(fd);
  dirty->changes = realloc(dirty->changes, sizeof(change_t) * (size_t)(dirty->count + 1));
  change_t *change = &dirty->changes[dirty->count++];
  *change = (change_t){.offset = offset, .size_bytes = size_bytes};
  if (data != NULL) {
    change->data = malloc(size_bytes + 1);
    memcpy(change->data, data, size_bytes);
  }
}

static void note_sync(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) {
    abort();
  }
  for (int i = 0; i < disk.dirty_count; i++) {
    dirty_t *dirty = &disk.dirty[i];
    if (dirty->inode == info.st_ino) {
      for (int c = 0; c < dirty->count; c++) {
        free(dirty->changes[c].data);
      }
      free(dirty->changes);
      free(dirty->image);
      (void)syscall(SYS_close, dirty->fd);
      *dirty = disk.dirty[--disk.dirty_count];
      return;
    }
  }
}

static bool is_in(const char *folder, const char *path) {
  const size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && path[length] == '/' &&
         strchr(path + length + 1, '/') == NULL;
}

static void note_folder_sync(const char *folder) {
  int kept = 0;
  for (int i = 0; i < disk.op_count; i++) {
    if (!is_in(folder, disk.ops[i].path)) {
      disk.ops[kept++] = disk.ops[i];
    }
  }
  disk.op_count = kept;
}

// Keeps what is at `path` findable; out "" when nothing is there.
static void bury(const char *path, char out[PATH_BYTES]) {
  (void)snprintf(out, PATH_BYTES, "%.400s/%d", disk.grave, disk.grave_count++);
  if (syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, out, 0) != 0) {
    out[0] = '\0';
  }
}

static entry_op_t *add_op(entry_kind_t kind, const char *path) {
  if (disk.op_count == OPS_MAX) {
    abort();
  }
  entry_op_t *op = &disk.ops[disk.op_count++];
  op->kind = kind;
  op->from[0] = op->grave[0] = '\0';
  (void)snprintf(op->path, PATH_BYTES, "%s", path);
  return op;
}

// --- Steps ---

static bool is_ours(const char *path) {
  const size_t length = strlen(disk.folder);
  return length > 0 && strncmp(path, disk.folder, length) == 0 &&
         (path[length] == '/' || path[length] == '\0');
}

static bool fd_is_ours(int fd) {
  return fd >= 0 && fd < FDS && disk.paths[fd][0] != '\0';
}

// Whether the step is to be done; errno says why not. `size_bytes` -1: needs no room.
static bool may(const char *what, int64_t size_bytes) {
  disk.steps++;
  disk.last = what;
  const bool is_now = disk.steps == disk.at;
  if (is_now && disk.luck == DISK_KILL) {
    die();
  }
  if (is_now && disk.luck == DISK_POWER) {
    lose_power();
  }
  if (is_now && disk.luck == DISK_ERROR) {
    errno = EIO;
    return false;
  }
  if (disk.luck == DISK_FULL && disk.steps >= disk.at && size_bytes >= 0) {
    if (size_bytes > disk.room) {
      errno = ENOSPC;
      return false;
    }
    disk.room -= size_bytes;
  }
  return true;
}

static long done(long result) {
  if (disk.luck == DISK_TORN && disk.steps == disk.at) {
    die();
  }
  return result;
}

static bool is_torn_now(void) {
  return disk.luck == DISK_TORN && disk.steps == disk.at;
}

static void absolute(int at, const char *path, char out[PATH_BYTES]) {
  if (path[0] == '/' || at == AT_FDCWD) {
    (void)snprintf(out, PATH_BYTES, "%s", path);
  } else if (fd_is_ours(at)) {
    (void)snprintf(out, PATH_BYTES, strcmp(path, ".") == 0 ? "%.*s%.0s" : "%.*s/%s",
                   PATH_BYTES / 2, disk.paths[at], path);
  } else {
    out[0] = '\0';
  }
}

static int open_path(int at, const char *path, int flags, mode_t mode) {
  char full[PATH_BYTES];
  absolute(at, path, full);
  const bool ours = is_ours(full);
  struct stat info;
  const bool is_made = ours && (flags & O_CREAT) != 0 && lstat(full, &info) != 0;
  if (is_made && !may("open", 4096)) {
    return -1;
  }
  const int fd = (int)syscall(SYS_openat, at, path, flags, mode);
  if (fd >= 0 && fd < FDS) {
    (void)snprintf(disk.paths[fd], PATH_BYTES, "%s", ours ? full : "");
  }
  if (is_made && fd >= 0) {
    (void)add_op(MADE, full);
    (void)done(0);
  }
  return fd;
}

static mode_t mode_of(int flags, va_list args) {
  return (flags & O_CREAT) != 0 ? (mode_t)va_arg(args, unsigned) : 0;
}

#define SHOWN __attribute__((visibility("default")))

#define DEFINE_OPEN(name)                           \
  SHOWN int name(const char *path, int flags, ...); \
  int name(const char *path, int flags, ...) {      \
    va_list args;                                   \
    va_start(args, flags);                          \
    const mode_t mode = mode_of(flags, args);       \
    va_end(args);                                   \
    return open_path(AT_FDCWD, path, flags, mode);  \
  }
#define DEFINE_OPENAT(name)                                 \
  SHOWN int name(int at, const char *path, int flags, ...); \
  int name(int at, const char *path, int flags, ...) {      \
    va_list args;                                           \
    va_start(args, flags);                                  \
    const mode_t mode = mode_of(flags, args);               \
    va_end(args);                                           \
    return open_path(at, path, flags, mode);                \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

// What fortified headers call where no mode is given.
SHOWN int fortified_openat(int at, const char *path, int flags) __asm__("__openat_2");
int fortified_openat(int at, const char *path, int flags) {
  return open_path(at, path, flags, 0);
}

SHOWN int fortified_open(const char *path, int flags) __asm__("__open_2");
int fortified_open(const char *path, int flags) {
  return open_path(AT_FDCWD, path, flags, 0);
}

SHOWN int close(int fd);
int close(int fd) {
  if (fd_is_ours(fd)) {
    disk.paths[fd][0] = '\0';
  }
  return (int)syscall(SYS_close, fd);
}

static ssize_t write_at(int fd, const void *data, size_t size_bytes, off_t offset) {
  if (!may("write", (int64_t)size_bytes)) {
    return -1;
  }
  const size_t now = is_torn_now() ? size_bytes / 2 : size_bytes;
  note_change(fd, data, now, offset);
  return done(syscall(SYS_pwrite64, fd, data, now, offset));
}

SHOWN ssize_t write(int fd, const void *data, size_t size_bytes);
ssize_t write(int fd, const void *data, size_t size_bytes) {
  if (!fd_is_ours(fd)) {
    return syscall(SYS_write, fd, data, size_bytes);
  }
  const off_t offset = lseek(fd, 0, SEEK_CUR);
  const ssize_t put_bytes = write_at(fd, data, size_bytes, offset);
  if (put_bytes > 0) {
    (void)lseek(fd, offset + put_bytes, SEEK_SET);
  }
  return put_bytes;
}

#define DEFINE_PWRITE(name)                                                      \
  SHOWN ssize_t name(int fd, const void *data, size_t size_bytes, off_t offset); \
  ssize_t name(int fd, const void *data, size_t size_bytes, off_t offset) {      \
    return fd_is_ours(fd) ? write_at(fd, data, size_bytes, offset)               \
                          : syscall(SYS_pwrite64, fd, data, size_bytes, offset); \
  }
DEFINE_PWRITE(pwrite)
DEFINE_PWRITE(pwrite64)

// The memory's file system has nothing to wait for.
static int sync_file(int fd, const char *what) {
  if (!fd_is_ours(fd)) {
    return 0;
  }
  if (!may(what, -1)) {
    return -1;
  }
  struct stat info;
  if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    note_folder_sync(disk.paths[fd]);
  } else {
    note_sync(fd);
  }
  return (int)done(0);
}

SHOWN int fsync(int fd);
int fsync(int fd) {
  return sync_file(fd, "fsync");
}

SHOWN int fdatasync(int fd);
int fdatasync(int fd) {
  return sync_file(fd, "fdatasync");
}

static int truncate_to(int fd, off_t size_bytes) {
  if (fd_is_ours(fd)) {
    if (!may("ftruncate", -1)) {
      return -1;
    }
    note_change(fd, NULL, 0, size_bytes);
  }
  return (int)done(syscall(SYS_ftruncate, fd, size_bytes));
}

#define DEFINE_FTRUNCATE(name)              \
  SHOWN int name(int fd, off_t size_bytes); \
  int name(int fd, off_t size_bytes) {      \
    return truncate_to(fd, size_bytes);     \
  }
DEFINE_FTRUNCATE(ftruncate)
DEFINE_FTRUNCATE(ftruncate64)

SHOWN int posix_fallocate(int fd, off_t offset, off_t size_bytes);
int posix_fallocate(int fd, off_t offset, off_t size_bytes) {
  (void)offset;
  if (fd_is_ours(fd) && !may("fallocate", size_bytes)) {
    return errno;
  }
  // What it makes is zeros, which no copy is needed of: only its size is of interest.
  return done(syscall(SYS_ftruncate, fd, (off_t)1)) == 0 ? 0 : errno;
}

static int rename_path(int from_at, const char *from, int to_at, const char *to) {
  char old[PATH_BYTES], new[PATH_BYTES];
  absolute(from_at, from, old);
  absolute(to_at, to, new);
  if (is_ours(new)) {
    if (!may("rename", -1)) {
      return -1;
    }
    entry_op_t *op = add_op(RENAMED, new);
    (void)snprintf(op->from, PATH_BYTES, "%s", old);
    bury(new, op->grave);
  }
  return (int)done(syscall(SYS_renameat, from_at, from, to_at, to));
}

SHOWN int rename(const char *from, const char *to);
int rename(const char *from, const char *to) {
  return rename_path(AT_FDCWD, from, AT_FDCWD, to);
}

SHOWN int renameat(int from_at, const char *from, int to_at, const char *to);
int renameat(int from_at, const char *from, int to_at, const char *to) {
  return rename_path(from_at, from, to_at, to);
}

static int unlink_path(int at, const char *path, int flags) {
  char full[PATH_BYTES];
  absolute(at, path, full);
  struct stat info;
  if (is_ours(full) && lstat(full, &info) == 0) {
    if (!may("unlink", -1)) {
      return -1;
    }
    bury(full, add_op(REMOVED, full)->grave);
    if (strstr(full, "/reserve") != NULL) {
      disk.room = 4 << 20;
    }
  }
  return (int)done(syscall(SYS_unlinkat, at, path, flags));
}

SHOWN int unlink(const char *path);
int unlink(const char *path) {
  return unlink_path(AT_FDCWD, path, 0);
}

SHOWN int unlinkat(int at, const char *path, int flags);
int unlinkat(int at, const char *path, int flags) {
  return unlink_path(at, path, flags);
}

SHOWN int mkdirat(int at, const char *path, mode_t mode);
int mkdirat(int at, const char *path, mode_t mode) {
  char full[PATH_BYTES];
  absolute(at, path, full);
  struct stat info;
  if (is_ours(full) && lstat(full, &info) != 0 && !may("mkdir", 4096)) {
    return -1;
  }
  return (int)done(syscall(SYS_mkdirat, at, path, mode));
}

void disk_arm(const char *folder, const char *grave, disk_luck_t luck, int step,
              uint64_t seed) {
  memset(&disk, 0, sizeof(disk));
  (void)snprintf(disk.folder, PATH_BYTES, "%s", folder);
  (void)snprintf(disk.grave, PATH_BYTES, "%s", grave);
  disk.luck = luck;
  disk.at = step;
  disk.random = (pod_random_t){seed * 1000003 + (uint64_t)step};
  disk.last = "nothing";
}

void disk_mend(void) {
  disk.luck = DISK_GOOD;
}

int disk_steps(void) {
  return disk.steps;
}

const char *disk_last(void) {
  return disk.last;
}
