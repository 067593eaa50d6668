// process_vm_readv with its outcomes sorted. The encoding is 32 bytes, little-endian.

#include "server/ici/remote.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

static void put(uint8_t *bytes, uint64_t value) {
  for (int i = 0; i < 8; i++) {
    bytes[i] = (uint8_t)(value >> 8 * i);
  }
}

static uint64_t take(const uint8_t *bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) {
    value |= (uint64_t)bytes[i] << 8 * i;
  }
  return value;
}

void ici_remote_encode(const ici_remote_t *remote, uint8_t bytes[ICI_REMOTE_BYTES]) {
  put(bytes, remote->host);
  put(bytes + 8,
      (uint64_t)(uint32_t)remote->process | (uint64_t)(uint32_t)remote->file << 32);
  put(bytes + 16, remote->address);
  put(bytes + 24, (uint64_t)remote->size_bytes);
}

void ici_remote_decode(const uint8_t bytes[ICI_REMOTE_BYTES], ici_remote_t *out_remote) {
  *out_remote = (ici_remote_t){.host = take(bytes),
                               .process = (int32_t)(uint32_t)take(bytes + 8),
                               .file = (int32_t)(uint32_t)(take(bytes + 8) >> 32),
                               .address = take(bytes + 16),
                               .size_bytes = (int64_t)take(bytes + 24)};
}

void ici_remote_allow(int32_t process) {
  // Fails where there is no Yama, and no word needed.
  (void)prctl(PR_SET_PTRACER, (unsigned long)process, 0, 0, 0);
}

static ici_remote_read_t outcome_of(int error) {
  switch (error) {
    case ESRCH:
      return ICI_REMOTE_GONE;
    case EFAULT:
    case EINVAL:
      return ICI_REMOTE_BAD;
    default:
      return ICI_REMOTE_FORBIDDEN;
  }
}

ici_remote_read_t ici_remote_read(const ici_remote_t *remote, int64_t offset,
                                  void *target, int64_t size_bytes) {
  if (remote->process <= 0) {
    return ICI_REMOTE_FORBIDDEN;
  }
  for (int64_t done = 0; done < size_bytes;) {
    const struct iovec here = {.iov_base = (uint8_t *)target + done,
                               .iov_len = (size_t)(size_bytes - done)};
    const struct iovec there = {
        .iov_base = (void *)(uintptr_t)(remote->address + (uint64_t)(offset + done)),
        .iov_len = here.iov_len};
    const ssize_t got = process_vm_readv(remote->process, &here, 1, &there, 1, 0);
    if (got <= 0) {
      return got == 0 ? ICI_REMOTE_BAD : outcome_of(errno);
    }
    done += got;
  }
  return ICI_REMOTE_READ;
}
