// Byte i of the file is locked by whoever has row i: an OFD lock, which belongs to the
// open file and so to this process, whatever pid namespace it is in.

#include "server/worker/host_ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TABLE_BYTES = HOST_LEDGER_ROWS * sizeof(host_ledger_row_t) };

static host_ledger_row_t alone;

static bool lock_row(int fd, int32_t row) {
  struct flock lock = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = row, .l_len = 1};
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static bool is_locked(int fd, int32_t row) {
  struct flock lock = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = row, .l_len = 1};
  return fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

// Nobody else may write to it, and it has a name still.
static bool is_sound(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
         (info.st_mode & 077) == 0 && info.st_nlink == 1;
}

static bool take_row(host_ledger_t *ledger) {
  for (int32_t row = 0; row < HOST_LEDGER_ROWS; row++) {
    if (lock_row(ledger->fd, row)) {
      ledger->own = row;
      atomic_store(&ledger->rows[row].held_bytes, 0);
      atomic_store(&ledger->rows[row].promised_bytes, 0);
      return true;
    }
  }
  return false;
}

static bool try_open(host_ledger_t *ledger, const char *name) {
  ledger->fd = shm_open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (ledger->fd < 0) {
    return false;
  }
  void *rows = MAP_FAILED;
  if (is_sound(ledger->fd) && ftruncate(ledger->fd, TABLE_BYTES) == 0) {
    rows = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ledger->fd, 0);
  }
  ledger->rows = rows;
  if (rows != MAP_FAILED && take_row(ledger) && is_sound(ledger->fd)) {
    return true;
  }
  if (rows != MAP_FAILED) {
    munmap(rows, TABLE_BYTES);
  }
  close(ledger->fd);
  return false;
}

void host_ledger_open(host_ledger_t *ledger, const char *name) {
  enum { TRIES = 3 };  // The last one who left may just have removed it.
  for (int i = 0; i < TRIES; i++) {
    if (try_open(ledger, name)) {
      return;
    }
  }
  *ledger = (host_ledger_t){.fd = -1, .rows = &alone};
}

void host_ledger_close(host_ledger_t *ledger, const char *name) {
  if (ledger->fd < 0) {
    return;
  }
  atomic_store(&ledger->rows[ledger->own].held_bytes, 0);
  atomic_store(&ledger->rows[ledger->own].promised_bytes, 0);
  bool is_last = true;
  for (int32_t row = 0; row < HOST_LEDGER_ROWS && is_last; row++) {
    is_last = row == ledger->own || !is_locked(ledger->fd, row);
  }
  if (is_last) {
    shm_unlink(
        name);  // Who opens it at this moment sees that it has no name, and begins anew.
  }
  munmap(ledger->rows, TABLE_BYTES);
  close(ledger->fd);
  *ledger = (host_ledger_t){.fd = -1, .rows = &alone};
}

void host_ledger_sum(host_ledger_t *ledger, bool looks_for_dead, int64_t *out_held_bytes,
                     int64_t *out_promised_bytes, int32_t *out_processes) {
  const int32_t count = ledger->fd < 0 ? 1 : HOST_LEDGER_ROWS;
  *out_held_bytes = *out_promised_bytes = 0;
  *out_processes = 0;
  for (int32_t i = 0; i < count; i++) {
    host_ledger_row_t *row = &ledger->rows[i];
    const int64_t held_bytes = atomic_load(&row->held_bytes);
    if (held_bytes == 0 && i != ledger->own) {
      continue;
    }
    if (looks_for_dead && i != ledger->own && !is_locked(ledger->fd, i)) {
      atomic_store(&row->held_bytes, 0);
      atomic_store(&row->promised_bytes, 0);
      continue;
    }
    *out_held_bytes += held_bytes;
    *out_promised_bytes += atomic_load(&row->promised_bytes);
    *out_processes += 1;
  }
}
