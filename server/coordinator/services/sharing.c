// A token is as good as a key: 128 bits of the kernel's random numbers, for one part of
// one transfer.

#include "server/coordinator/services/sharing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/memory.h"
#include "server/coordinator/core/places.h"
#include "server/wire/types.h"

enum { TOKEN_BYTES = 16 };

typedef struct part_t {
  int32_t chip;
  const char *socket;  // The place's, which may be lost: for sharing_pack at once.
  uint8_t token[TOKEN_BYTES];
} part_t;

struct sharing_t {
  const array_layout_t *layout;
  int32_t count;
  part_t parts[];
};

static bool is_on(const place_t *place, const char *host) {
  return host[0] != '\0' && place_is_taken(place) && place->transfer_socket[0] != '\0' &&
         strcmp(place->host, host) == 0;
}

bool sharing_is_possible(const registry_t *registry, const char *host) {
  const places_t *places = registry_places(registry);
  for (int32_t chip = 0; chip < places->count; chip++) {
    if (is_on(&places->at[chip], host)) {
      return true;
    }
  }
  return false;
}

sharing_t *sharing_create(const registry_t *registry, const char *host,
                          const array_layout_t *layout, int32_t count,
                          const int32_t *chips) {
  const places_t *places = registry_places(registry);
  if (tensor_shape_bytes(&layout->local) == 0 ||
      !sharding_divides(layout->sharding, &layout->shape)) {
    return NULL;
  }
  for (int32_t i = 0; i < count; i++) {
    if (!is_on(&places->at[chips[i]], host)) {
      return NULL;
    }
  }
  sharing_t *sharing = pod_alloc(sizeof(*sharing) + (size_t)count * sizeof(part_t));
  sharing->layout = layout;
  sharing->count = count;
  for (int32_t i = 0; i < count; i++) {
    part_t *part = &sharing->parts[i];
    part->chip = chips[i];
    part->socket = places->at[chips[i]].transfer_socket;
    if (getrandom(part->token, sizeof(part->token), 0) != (ssize_t)sizeof(part->token)) {
      free(sharing);
      return NULL;
    }
  }
  return sharing;
}

void sharing_destroy(sharing_t *sharing) {
  free(sharing);
}

static Podium__V1__SharedPart *pack_part(pod_arena_t *arena, const array_layout_t *layout,
                                         part_t *part) {
  Podium__V1__SharedPart *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__shared_part__init(message);
  message->socket = (char *)(uintptr_t)part->socket;
  message->token.data = part->token;
  message->token.len = sizeof(part->token);
  message->n_starts = (size_t)layout->shape.rank;
  message->starts =
      pod_arena_alloc(arena, message->n_starts * sizeof(*message->starts) + 1);
  for (int i = 0; i < layout->shape.rank; i++) {
    const sharding_t *sharding = layout->sharding;
    message->starts[i] =
        layout->local.dims[i] *
        axis_list_index(sharding->mesh, &sharding->dims[i].axes, part->chip);
  }
  return message;
}

Podium__V1__Sharing *sharing_pack(pod_arena_t *arena, const sharing_t *sharing) {
  Podium__V1__Sharing *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__sharing__init(message);
  if (sharing != NULL) {
    message->n_parts = (size_t)sharing->count;
    message->parts = pod_arena_alloc(arena, message->n_parts * sizeof(*message->parts));
    message->local_shape = wire_shape_pack(arena, &sharing->layout->local);
    for (int32_t i = 0; i < sharing->count; i++) {
      message->parts[i] =
          pack_part(arena, sharing->layout, (part_t *)(uintptr_t)&sharing->parts[i]);
    }
  }
  return message;
}

ProtobufCBinaryData sharing_token(const sharing_t *sharing, int32_t index) {
  if (sharing == NULL) {
    return (ProtobufCBinaryData){0};
  }
  return (ProtobufCBinaryData){.len = TOKEN_BYTES,
                               .data = (uint8_t *)(uintptr_t)sharing->parts[index].token};
}
