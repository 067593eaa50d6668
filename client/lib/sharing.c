// Every part is a transfer of the session's mover. Its end comes on the mover's thread
// and goes to the loop by a post; a sharing that is destroyed while posts are under way
// is freed by the last of them.

#include "client/lib/sharing.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/shared/host_identity.h"
#include "common/shared/mover.h"
#include "common/shared/prefault.h"
#include "common/tensor/box.h"

typedef struct part_t {
  lib_sharing_t *sharing;
  char *socket;
  uint8_t token[SHARED_TOKEN_BYTES];
  tensor_box_t box;
  bool is_under_way;
  uint64_t number;
  pod_status_t status;  // Its outcome, on its way to the loop.
} part_t;

struct lib_sharing_t {
  podium_session_t *session;
  uint8_t *data;
  int64_t size_bytes;
  bool sends;
  shared_prefault_t *prefault;  // Of `data`, when it is filled.
  bool is_destroyed;
  int under_way;  // Parts whose end is still to come to the loop.
  lib_sharing_fn_t done;
  void *context;
  int count;
  part_t parts[];
};

// A worker that has been reached.
struct lib_reached_t {
  lib_reached_t *next;
  char socket[];
};

// --- Whether ---

char *lib_sharing_host(void) {
  const char *wanted = getenv("PODIUM_SHARED_MEMORY");
  if (wanted != NULL && strcmp(wanted, "0") == 0) {
    return pod_strdup("");
  }
  pod_text_t text = {0};
  host_identity_print(&text);
  return pod_text_take(&text);
}

bool lib_sharing_is_wanted(const podium_session_t *session, int64_t size_bytes) {
  return size_bytes >= LIB_SHARED_BYTES_MIN && session->may_share &&
         !session->cannot_share;
}

void lib_sharing_give_up(podium_session_t *session, pod_status_t why) {
  if (!session->cannot_share) {
    pod_log(POD_LOG_DEBUG, "arrays go by gRPC: %s", pod_status_message(why));
  }
  session->cannot_share = true;
  pod_status_free(why);
}

static bool is_reached(const podium_session_t *session, const char *socket) {
  const lib_reached_t *at = session->reached;
  while (at != NULL && strcmp(at->socket, socket) != 0) {
    at = at->next;
  }
  return at != NULL;
}

static void add_reached(podium_session_t *session, const char *socket) {
  if (!is_reached(session, socket)) {
    lib_reached_t *reached = pod_alloc(sizeof(*reached) + strlen(socket) + 1);
    reached->next = session->reached;
    strcpy(reached->socket, socket);
    session->reached = reached;
  }
}

void lib_sharing_close(podium_session_t *session) {
  shared_mover_destroy(session->mover);
  session->mover = NULL;
  while (session->reached != NULL) {
    lib_reached_t *reached = session->reached;
    session->reached = reached->next;
    free(reached);
  }
}

// --- Making ---

static void free_sharing(lib_sharing_t *sharing) {
  for (int i = 0; i < sharing->count; i++) {
    free(sharing->parts[i].socket);
  }
  free(sharing);
}

static pod_status_t read_part(const Podium__V1__SharedPart *message,
                              const tensor_shape_t *shape, const tensor_shape_t *local,
                              part_t *part) {
  static const int64_t origin[TENSOR_RANK_MAX] = {0};
  if (message->token.len != sizeof(part->token) ||
      (message->n_starts != 0 && message->n_starts != (size_t)shape->rank)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "an offer to share memory with a token of %zu bytes and %zu numbers",
                     message->token.len, message->n_starts);
  }
  memcpy(part->token, message->token.data, sizeof(part->token));
  part->socket = pod_strdup(message->socket);
  return tensor_box_make(shape, local, message->n_starts == 0 ? origin : message->starts,
                         &part->box);
}

static pod_status_t read_parts(lib_sharing_t *sharing, const Podium__V1__Sharing *offer,
                               const tensor_shape_t *shape) {
  if (offer->local_shape == NULL || offer->local_shape->n_dims > TENSOR_RANK_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "an offer to share memory without a shape");
  }
  const podium_shape_t given = lib_shape(offer->local_shape);
  const tensor_shape_t local = lib_tensor_shape(&given);
  POD_TRY(tensor_shape_check(&local));
  for (size_t i = 0; i < offer->n_parts; i++) {
    part_t *part = &sharing->parts[sharing->count++];
    part->sharing = sharing;
    POD_TRY(read_part(offer->parts[i], shape, &local, part));
  }
  return NULL;
}

pod_status_t lib_sharing_create(podium_session_t *session,
                                const Podium__V1__Sharing *offer,
                                const podium_shape_t *shape, void *data, bool sends,
                                lib_sharing_t **out_sharing) {
  if (offer == NULL || offer->n_parts == 0) {
    *out_sharing = NULL;
    return NULL;
  }
  if (session->mover == NULL) {
    POD_TRY(shared_mover_create(NULL, &session->mover));
  }
  lib_sharing_t *sharing =
      pod_alloc(sizeof(*sharing) + offer->n_parts * sizeof(*sharing->parts));
  sharing->session = session;
  sharing->data = data;
  sharing->sends = sends;
  const tensor_shape_t whole = lib_tensor_shape(shape);
  sharing->size_bytes = tensor_shape_bytes(&whole);
  const pod_status_t status = read_parts(sharing, offer, &whole);
  if (status != NULL) {
    free_sharing(sharing);
    return status;
  }
  *out_sharing = sharing;
  return NULL;
}

// --- Moving ---

static void copy(void *context, int64_t offset, void *chunk, size_t bytes) {
  const part_t *part = context;
  if (part->sharing->sends) {
    tensor_box_read(&part->box, part->sharing->data, offset, chunk, bytes);
  } else {
    tensor_box_write(&part->box, part->sharing->data, offset, chunk, bytes);
  }
}

// The first failure is told at once, success with the last part.
static void report(void *context) {
  part_t *part = context;
  lib_sharing_t *sharing = part->sharing;
  const pod_status_t status = part->status;
  part->status = NULL;
  part->is_under_way = false;
  sharing->under_way--;
  if (status == NULL && !sharing->is_destroyed) {
    add_reached(sharing->session, part->socket);
  }
  const lib_sharing_fn_t done = sharing->done;
  if (sharing->is_destroyed) {
    pod_status_free(status);
    if (sharing->under_way == 0) {
      free_sharing(sharing);
    }
  } else if (done != NULL && (status != NULL || sharing->under_way == 0)) {
    sharing->done = NULL;
    done(sharing->context, status);
  } else {
    pod_status_free(status);
  }
}

static void on_part_end(void *context, pod_status_t status) {
  part_t *part = context;
  part->status = status;
  rpc_loop_post(part->sharing->session->loop, report, part);
}

static void start_part(part_t *part, int64_t size_bytes) {
  shared_transfer_t transfer = {.sends = part->sharing->sends,
                                .size_bytes = size_bytes,
                                .copy = copy,
                                .done = on_part_end,
                                .context = part};
  memcpy(transfer.token, part->token, sizeof(transfer.token));
  part->is_under_way = true;
  part->sharing->under_way++;
  part->number =
      shared_mover_start(part->sharing->session->mover, part->socket, &transfer);
}

bool lib_sharing_connect(lib_sharing_t *sharing, lib_sharing_fn_t ready, void *context) {
  sharing->done = ready;
  sharing->context = context;
  for (int i = 0; i < sharing->count; i++) {
    if (!is_reached(sharing->session, sharing->parts[i].socket)) {
      start_part(&sharing->parts[i], 0);
    }
  }
  return sharing->under_way == 0;
}

void lib_sharing_start(lib_sharing_t *sharing, lib_sharing_fn_t done, void *context) {
  sharing->done = done;
  sharing->context = context;
  if (!sharing->sends) {
    sharing->prefault = shared_prefault_begin(sharing->data, sharing->size_bytes);
  }
  for (int i = 0; i < sharing->count; i++) {
    start_part(&sharing->parts[i], sharing->parts[i].box.size_bytes);
  }
}

void lib_sharing_destroy(lib_sharing_t *sharing) {
  if (sharing == NULL) {
    return;
  }
  sharing->is_destroyed = true;
  shared_prefault_end(sharing->prefault);
  sharing->prefault = NULL;
  for (int i = 0; i < sharing->count; i++) {
    const part_t *part = &sharing->parts[i];
    if (part->is_under_way &&
        shared_mover_cancel(sharing->session->mover, part->number)) {
      sharing->under_way--;
    }
  }
  if (sharing->under_way == 0) {
    free_sharing(sharing);
  }
}
