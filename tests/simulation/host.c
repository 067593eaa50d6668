// What processes find of their host: that it shares no memory with others, has room for
// all, and an empty folder for sockets.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/ici/consent.h"
#include "server/ici/shared.h"
#include "server/worker/host_room.h"
#include "server/worker/socket_folder.h"
#include "tests/simulation/machine.h"

enum { ALIGNMENT = 64 };

pod_status_t __wrap_ici_shared_create(size_t size_bytes,
                                      const uint8_t token[ICI_TOKEN_BYTES],
                                      ici_shared_t *out_shared);
void __wrap_ici_shared_close(ici_shared_t *shared);
uint64_t __wrap_ici_shared_host(void);
pod_status_t __wrap_ici_consent_create(const ici_owner_t *owner,
                                       ici_consent_t *out_consent);
void __wrap_host_identity_print(pod_text_t *text);
pod_status_t __wrap_socket_folder_create(socket_folder_t **out_folder);
void __wrap_socket_folder_destroy(socket_folder_t *folder);
const char *__wrap_socket_folder_path(const socket_folder_t *folder);

pod_status_t __wrap_ici_shared_create(size_t size_bytes,
                                      const uint8_t token[ICI_TOKEN_BYTES],
                                      ici_shared_t *out_shared) {
  const size_t size = (size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  *out_shared = (ici_shared_t){
      .memory = aligned_alloc(ALIGNMENT, size), .size_bytes = size_bytes, .file = -1};
  POD_CHECK(out_shared->memory != NULL);
  memset(out_shared->memory, 0, size);
  memcpy(out_shared->memory, token, ICI_TOKEN_BYTES);
  return NULL;
}

void __wrap_ici_shared_close(ici_shared_t *shared) {
  free(shared->memory);
  *shared = (ici_shared_t){.file = -1};
}

uint64_t __wrap_ici_shared_host(void) {
  return 0;
}

pod_status_t __wrap_ici_consent_create(const ici_owner_t *owner,
                                       ici_consent_t *out_consent) {
  (void)owner;
  (void)out_consent;
  return pod_error(POD_UNAVAILABLE, "no memory is shared here");
}

void __wrap_host_identity_print(pod_text_t *text) {
  pod_text_printf(text, "host-%d", process_current()->host);
}

struct socket_folder_t {
  char path[32];
};

pod_status_t __wrap_socket_folder_create(socket_folder_t **out_folder) {
  socket_folder_t *folder = pod_alloc(sizeof(*folder));
  snprintf(folder->path, sizeof(folder->path), "/sim/%d", process_current()->index);
  *out_folder = folder;
  return NULL;
}

void __wrap_socket_folder_destroy(socket_folder_t *folder) {
  free(folder);
}

const char *__wrap_socket_folder_path(const socket_folder_t *folder) {
  return folder->path;
}

// --- Room: as much as is asked for, whatever the machine that this runs on has ---

void __wrap_host_room_open(const char *table);
pod_status_t __wrap_host_room_admit(int64_t size_bytes);
void __wrap_host_room_watch(const void *memory, int64_t size_bytes, bool is_used_before);
void __wrap_host_room_fulfil(int64_t size_bytes);
void __wrap_host_room_release(const void *memory, int64_t size_bytes);
void __wrap_host_room_look(void);

void __wrap_host_room_open(const char *table) {
  (void)table;
}

pod_status_t __wrap_host_room_admit(int64_t size_bytes) {
  (void)size_bytes;
  return NULL;
}

void __wrap_host_room_watch(const void *memory, int64_t size_bytes, bool is_used_before) {
  (void)memory;
  (void)size_bytes;
  (void)is_used_before;
}

void __wrap_host_room_fulfil(int64_t size_bytes) {
  (void)size_bytes;
}

void __wrap_host_room_release(const void *memory, int64_t size_bytes) {
  (void)memory;
  (void)size_bytes;
}

void __wrap_host_room_look(void) {
}
