// Every pair of chips that may talk is routed, both ways: what is sent is acknowledged. A
// collective like the one before it is not routed again.

#include "server/coordinator/core/footprint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

// Pairs that are routed for one program: a tenth of a second's work.
#define PAIRS_MAX ((int64_t)1 << 21)

typedef struct walk_t {
  const torus_t *torus;
  uint16_t *footprint;
  int64_t pairs;
} walk_t;

static void route(walk_t *walk, int32_t from, int32_t to) {
  for (int32_t at = from; at != to;) {
    const torus_direction_t direction = torus_next_hop(walk->torus, at, to);
    walk->footprint[at] |= (uint16_t)(1 << direction);
    at = torus_neighbour(walk->torus, at, direction);
    walk->footprint[at] |= at == to ? 0 : FOOTPRINT_PASSES;
  }
}

static bool route_groups(walk_t *walk, const int64_t *ids, int32_t count, int64_t size) {
  walk->pairs += count * (size - 1);
  if (walk->pairs > PAIRS_MAX) {
    return false;
  }
  for (int64_t first = 0; size > 0 && first + size <= count; first += size) {
    for (int64_t i = first; i < first + size; i++) {
      for (int64_t j = first; j < first + size; j++) {
        route(walk, (int32_t)ids[i], (int32_t)ids[j]);
      }
    }
  }
  return true;
}

static bool route_pairs(walk_t *walk, const int64_t *ids, int32_t count) {
  walk->pairs += count;
  for (int32_t i = 0; i + 1 < count && walk->pairs <= PAIRS_MAX; i += 2) {
    route(walk, (int32_t)ids[i], (int32_t)ids[i + 1]);
    route(walk, (int32_t)ids[i + 1], (int32_t)ids[i]);
  }
  return walk->pairs <= PAIRS_MAX;
}

typedef struct talk_t {
  const int64_t *ids;
  int32_t count;
  int64_t size;  // Of a group; 0: pairs.
} talk_t;

static talk_t talk_of(const chip_instruction_t *instruction) {
  talk_t talk = {0};
  if (instruction->op == CHIP_OP_COLLECTIVE_PERMUTE) {
    talk.ids =
        chip_instruction_attr(instruction, CHIP_ATTR_SOURCE_TARGET_PAIRS, &talk.count);
  } else if (chip_op_is_collective(instruction->op)) {
    talk.ids = chip_instruction_attr(instruction, CHIP_ATTR_REPLICA_GROUPS, &talk.count);
    talk.size = chip_instruction_attr_one(instruction, CHIP_ATTR_GROUP_SIZE, talk.count);
  }
  return talk;
}

static bool is_same(const talk_t *a, const talk_t *b) {
  return a->count == b->count && a->size == b->size &&
         (a->ids == b->ids ||
          memcmp(a->ids, b->ids, (size_t)a->count * sizeof(*a->ids)) == 0);
}

static bool route_program(walk_t *walk, const chip_program_t *program) {
  talk_t last = {0};
  for (int32_t i = 0; i < program->instruction_count; i++) {
    const talk_t talk = talk_of(&program->instructions[i]);
    if (talk.count == 0 || is_same(&talk, &last)) {
      continue;
    }
    last = talk;
    if (talk.size > 0 ? !route_groups(walk, talk.ids, talk.count, talk.size)
                      : !route_pairs(walk, talk.ids, talk.count)) {
      return false;
    }
  }
  return true;
}

uint16_t *footprint_of(const chip_program_t *program, const torus_t *torus) {
  const int32_t chips = torus_chip_count(torus);
  if (program->mesh->device_count >= chips) {
    return NULL;
  }
  walk_t walk = {.torus = torus,
                 .footprint = pod_alloc((size_t)chips * sizeof(*walk.footprint))};
  for (int64_t p = 0; p < program->mesh->device_count; p++) {
    walk.footprint[mesh_device(program->mesh, p)] = FOOTPRINT_RUNS;
  }
  if (!route_program(&walk, program)) {
    free(walk.footprint);
    return NULL;
  }
  return walk.footprint;
}

bool footprint_has(const uint16_t *footprint, int32_t chip) {
  return footprint == NULL || footprint[chip] != 0;
}

// --- Whether it is there ---

static void print_chip(pod_text_t *text, const places_t *places, int32_t chip) {
  pod_text_add(text, text->length == 0 ? "" : "; ");
  places_print_state(text, places, chip);
}

static void print_links(pod_text_t *text, const places_t *places, int32_t chip,
                        uint16_t directions) {
  for (int d = 0; d < TORUS_LINKS; d++) {
    if ((directions & 1 << d) != 0 && !places_link_is_up(places, chip, d)) {
      pod_text_printf(
          text, "%sthe link from chip %" PRId32 " to chip %" PRId32 " is down",
          text->length == 0 ? "" : "; ", chip, places->at[chip].links[d].neighbour);
      return;  // One is enough to know why.
    }
  }
}

static pod_status_t check_whole(const places_t *places) {
  if (places_are_ready(places)) {
    return NULL;
  }
  pod_text_t text = {0};
  places_print_missing(&text, places);
  const pod_status_t status =
      pod_error(POD_UNAVAILABLE, "the pod is not ready: %s", text.bytes);
  pod_text_deinit(&text);
  return status;
}

pod_status_t footprint_check(const uint16_t *footprint, const places_t *places,
                             const char *program) {
  if (footprint == NULL) {
    return check_whole(places);
  }
  pod_text_t text = {0};
  int32_t named = 0;
  for (int32_t chip = 0; chip < places->count && named < PLACE_MISSING_NAMED_MAX;
       chip++) {
    const size_t before = text.length;
    if (footprint[chip] != 0 && !places_is_serving(places, chip)) {
      print_chip(&text, places, chip);
    } else {
      print_links(&text, places, chip, footprint[chip]);
    }
    named += text.length > before;
  }
  const pod_status_t status =
      named == 0 ? NULL
                 : pod_error(POD_UNAVAILABLE, "what %s needs of the pod is not ready: %s",
                             program, text.bytes);
  pod_text_deinit(&text);
  return status;
}
