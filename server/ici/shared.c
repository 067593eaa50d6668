// memfd_create, sealed before it is shown; the other side opens /proc/PID/fd/N and
// checks size, seals and a token.

#include "server/ici/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/check.h"

static pod_status_t map(ici_shared_t *shared) {
  void *memory =
      mmap(NULL, shared->size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared->file, 0);
  if (memory == MAP_FAILED) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "cannot map %zu bytes of shared memory: %s",
                     shared->size_bytes, strerror(errno));
  }
  shared->memory = memory;
  return NULL;
}

pod_status_t ici_shared_create(size_t size_bytes, const uint8_t token[ICI_TOKEN_BYTES],
                               ici_shared_t *out_shared) {
  ici_shared_t shared = {.size_bytes = size_bytes};
  shared.file = memfd_create("podium-ici", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (shared.file < 0 || ftruncate(shared.file, (off_t)size_bytes) != 0 ||
      fcntl(shared.file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    const pod_status_t status =
        pod_error(POD_RESOURCE_EXHAUSTED, "cannot make %zu bytes of shared memory: %s",
                  size_bytes, strerror(errno));
    ici_shared_close(&shared);
    return status;
  }
  const pod_status_t status = map(&shared);
  if (status != NULL) {
    ici_shared_close(&shared);
    return status;
  }
  memcpy(shared.memory, token, ICI_TOKEN_BYTES);
  *out_shared = shared;
  return NULL;
}

static bool is_sealed(int file, size_t size_bytes) {
  struct stat stat;
  const int seals = fcntl(file, F_GET_SEALS);
  const int wanted = F_SEAL_SHRINK | F_SEAL_GROW;
  return seals >= 0 && (seals & wanted) == wanted && fstat(file, &stat) == 0 &&
         stat.st_size == (off_t)size_bytes;
}

pod_status_t ici_shared_open(int32_t process, int32_t file, size_t size_bytes,
                             const uint8_t token[ICI_TOKEN_BYTES],
                             ici_shared_t *out_shared) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", process, file);
  ici_shared_t shared = {.size_bytes = size_bytes,
                         .file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)};
  if (shared.file < 0) {
    return pod_error(POD_UNAVAILABLE, "cannot open %s: %s", path, strerror(errno));
  }
  if (!is_sealed(shared.file, size_bytes)) {
    ici_shared_close(&shared);
    return pod_error(POD_UNAVAILABLE, "%s is not the shared memory that was announced",
                     path);
  }
  pod_status_t status = map(&shared);
  if (status == NULL && memcmp(shared.memory, token, ICI_TOKEN_BYTES) != 0) {
    status = pod_error(POD_UNAVAILABLE, "%s has another token", path);
  }
  close(shared.file);
  shared.file = -1;
  if (status != NULL) {
    ici_shared_close(&shared);
    return status;
  }
  *out_shared = shared;
  return NULL;
}

void ici_shared_close(ici_shared_t *shared) {
  if (shared->memory != NULL) {
    munmap(shared->memory, shared->size_bytes);
  }
  if (shared->file >= 0) {
    close(shared->file);
  }
  *shared = (ici_shared_t){.file = -1};
}

uint64_t ici_shared_host(void) {
  char boot[64] = {0};
  struct stat processes;
  struct stat network;
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t length = file < 0 ? -1 : read(file, boot, sizeof(boot) - 1);
  if (file >= 0) {
    close(file);
  }
  if (length <= 0 || stat("/proc/self/ns/pid", &processes) != 0 ||
      stat("/proc/self/ns/net", &network) != 0) {
    return 0;
  }
  uint64_t hash = 14695981039346656037u;  // FNV-1a.
  for (const char *c = boot; *c != '\0'; c++) {
    hash = (hash ^ (uint8_t)*c) * 1099511628211u;
  }
  hash = (hash ^ (uint64_t)processes.st_ino) * 1099511628211u;
  hash = (hash ^ (uint64_t)network.st_ino) * 1099511628211u;
  return hash == 0 ? 1 : hash;
}

void ici_shared_token(uint8_t token[ICI_TOKEN_BYTES]) {
  POD_CHECK(getrandom(token, ICI_TOKEN_BYTES, 0) == ICI_TOKEN_BYTES);
}
