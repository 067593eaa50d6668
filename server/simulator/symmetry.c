// Colour refinement (Weisfeiler and Leman 1968; Paige and Tarjan 1987, "Three partition
// refinement algorithms", has a faster one): colours are hashed with those of the
// neighbours, round by round, until their number no longer grows.

#include "server/simulator/symmetry.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/simulator/channels.h"

// 128 bits, so that two chips of different history do not get one colour by chance.
typedef struct colour_t {
  uint64_t a, b;
} colour_t;

static colour_t mixed(colour_t colour, uint64_t value) {
  return (colour_t){simulator_mix(colour.a, value),
                    simulator_mix(colour.b + UINT64_C(0x632be59bd9b4e019), ~value)};
}

typedef struct refinement_t {
  const simulator_plans_t *plans;
  bool *repeats;  // By plan: its chips have the peers that they have in another one.
  int32_t chip_count;
  int32_t *colours;   // By chip: numbers, in the order of their lowest chips.
  colour_t *found;    // By chip: what it meets, in an order of its own.
  colour_t *crossed;  // By chip: whose messages cross its links; a sum, in no order.
} refinement_t;

typedef struct ranked_t {
  colour_t colour;
  int32_t chip;
} ranked_t;

static int compare_ranked(const void *x, const void *y) {
  const ranked_t *a = x;
  const ranked_t *b = y;
  if (a->colour.a != b->colour.a) {
    return a->colour.a < b->colour.a ? -1 : 1;
  }
  if (a->colour.b != b->colour.b) {
    return a->colour.b < b->colour.b ? -1 : 1;
  }
  return (a->chip > b->chip) - (a->chip < b->chip);
}

// Numbers the distinct colours by their lowest chips. Returns how many there are.
static int32_t number_colours(const colour_t *colours, int32_t chip_count,
                              int32_t *out_numbers) {
  ranked_t *ranked = pod_alloc((size_t)chip_count * sizeof(*ranked));
  for (int32_t i = 0; i < chip_count; i++) {
    ranked[i] = (ranked_t){colours[i], i};
  }
  qsort(ranked, (size_t)chip_count, sizeof(*ranked), compare_ranked);
  // First by lowest chip of the colour, then by the order in which these appear.
  for (int32_t i = 0, first = 0; i < chip_count; i++) {
    if (i > 0 && (ranked[i].colour.a != ranked[first].colour.a ||
                  ranked[i].colour.b != ranked[first].colour.b)) {
      first = i;
    }
    out_numbers[ranked[i].chip] = ranked[first].chip;
  }
  free(ranked);
  int32_t count = 0;
  for (int32_t i = 0; i < chip_count; i++) {
    // A lowest chip comes before all others of its colour and has its number by then.
    out_numbers[i] = out_numbers[i] == i ? count++ : out_numbers[out_numbers[i]];
  }
  return count;
}

// The messages of `chip` over one displacement: it and the chips on the way meet.
static void meet(refinement_t *r, int32_t chip, simulator_displacement_t displacement) {
  const torus_t *torus = r->plans->torus;
  const int32_t peer = simulator_displaced(torus, chip, displacement);
  const uint64_t own = (uint64_t)r->colours[chip];
  simulator_way_t way = simulator_way(torus, r->plans->spec, chip, peer);
  simulator_crossing_t at;
  for (uint64_t hop = 0; simulator_way_next(&way, &at); hop++) {
    colour_t crossing =
        mixed((colour_t){own, own}, hop * SIMULATOR_CHANNELS + (uint64_t)at.channel);
    for (int d = 0; d < TORUS_DIMENSIONS; d++) {
      crossing = mixed(crossing, (uint64_t)(uint32_t)displacement.by[d]);
    }
    crossing = mixed(crossing, (uint64_t)(uint32_t)displacement.slices << 32 |
                                   (uint32_t)displacement.cores);
    r->crossed[at.chip].a += crossing.a;
    r->crossed[at.chip].b += crossing.b;
    r->found[chip] = mixed(r->found[chip], (uint64_t)r->colours[at.chip]);
  }
  r->found[chip] = mixed(r->found[chip], (uint64_t)r->colours[peer]);
}

// Splits the colours by what their chips meet. Returns how many there are then.
static int32_t refine(refinement_t *r) {
  for (int32_t i = 0; i < r->chip_count; i++) {
    r->found[i] = mixed((colour_t){0}, (uint64_t)r->colours[i]);
    r->crossed[i] = (colour_t){0};
  }
  for (int32_t plan = 0; plan < r->plans->plan_count; plan++) {
    for (int32_t chip = 0; chip < r->chip_count && !r->repeats[plan]; chip++) {
      const simulator_shape_t *shape =
          r->plans->runs[chip] ? simulator_plans_shape(r->plans, plan, chip) : NULL;
      for (int32_t i = 0; shape != NULL && i < shape->peer_count; i++) {
        meet(r, chip, shape->peers[i]);
      }
    }
  }
  for (int32_t i = 0; i < r->chip_count; i++) {
    r->found[i] = mixed(mixed(r->found[i], r->crossed[i].a), r->crossed[i].b);
  }
  return number_colours(r->found, r->chip_count, r->colours);
}

static int32_t first_colours(refinement_t *r, const simulator_marks_t *marks) {
  for (int32_t i = 0; i < r->chip_count; i++) {
    colour_t colour = mixed((colour_t){0}, marks->of_chip[i]);
    const bool runs = r->plans->runs[i];
    colour = mixed(colour, runs);
    for (int32_t plan = 0; plan < r->plans->plan_count && runs; plan++) {
      colour = mixed(colour, (uint64_t)r->plans->plans[plan].shape_of_chip[i]);
    }
    r->found[i] = colour;
  }
  return number_colours(r->found, r->chip_count, r->colours);
}

static bool has_same_peers(const simulator_plans_t *plans, int32_t a, int32_t b) {
  for (int32_t chip = 0; chip < plans->chip_count; chip++) {
    if (plans->runs[chip] &&
        !simulator_shape_has_peers_of(simulator_plans_shape(plans, a, chip),
                                      simulator_plans_shape(plans, b, chip))) {
      return false;
    }
  }
  return true;
}

static void find_repeats(refinement_t *r) {
  for (int32_t plan = 0; plan < r->plans->plan_count; plan++) {
    for (int32_t before = 0; before < plan && !r->repeats[plan]; before++) {
      r->repeats[plan] = !r->repeats[before] && has_same_peers(r->plans, before, plan);
    }
  }
}

static bool is_wanted(const simulator_plans_t *plans) {
  return plans->is_cancelled == NULL ||
         !atomic_load_explicit(plans->is_cancelled, memory_order_relaxed);
}

static int32_t partition(const simulator_plans_t *plans, const simulator_marks_t *marks,
                         int32_t chip_count, int32_t *out_colours) {
  refinement_t r = {.plans = plans,
                    .chip_count = chip_count,
                    .colours = out_colours,
                    .found = pod_alloc((size_t)chip_count * sizeof(*r.found)),
                    .crossed = pod_alloc((size_t)chip_count * sizeof(*r.crossed))};
  r.repeats = pod_alloc((size_t)plans->plan_count + 1);
  find_repeats(&r);
  int32_t count = first_colours(&r, marks);
  for (int32_t before = 0;
       count != before && count > 1 && count < chip_count && is_wanted(plans);) {
    before = count;
    count = refine(&r);
  }
  free(r.repeats);
  free(r.found);
  free(r.crossed);
  return count;
}

// Classes that run the program get the lowest numbers; the order stays otherwise.
static void put_running_first(simulator_classes_t *classes, const bool *runs) {
  bool *is_running = pod_alloc((size_t)classes->class_count * sizeof(*is_running));
  int32_t *numbers = pod_alloc((size_t)classes->class_count * sizeof(*numbers));
  for (int32_t i = 0; i < classes->chip_count; i++) {
    is_running[classes->class_of_chip[i]] = runs[i];
  }
  for (int32_t i = 0; i < classes->class_count; i++) {
    classes->running_count += is_running[i];
  }
  int32_t running = 0, idle = classes->running_count;
  for (int32_t i = 0; i < classes->class_count; i++) {
    numbers[i] = is_running[i] ? running++ : idle++;
  }
  for (int32_t i = 0; i < classes->chip_count; i++) {
    classes->class_of_chip[i] = numbers[classes->class_of_chip[i]];
  }
  free(is_running);
  free(numbers);
}

void simulator_classes_init(simulator_classes_t *classes, const simulator_plans_t *plans,
                            const simulator_marks_t *marks, bool ignores_symmetry) {
  const int32_t chips = torus_chip_count(plans->torus);
  *classes = (simulator_classes_t){
      .chip_count = chips,
      .class_of_chip = pod_alloc((size_t)chips * sizeof(int32_t)),
      .representatives = pod_alloc((size_t)chips * sizeof(int32_t)),
      .sizes = pod_alloc((size_t)chips * sizeof(int32_t)),
  };
  if (ignores_symmetry) {
    classes->class_count = chips;
    for (int32_t i = 0; i < chips; i++) {
      classes->class_of_chip[i] = i;
    }
  } else {
    classes->class_count = partition(plans, marks, chips, classes->class_of_chip);
  }
  put_running_first(classes, plans->runs);
  for (int32_t i = chips - 1; i >= 0; i--) {
    classes->representatives[classes->class_of_chip[i]] = i;
    classes->sizes[classes->class_of_chip[i]]++;
  }
}

void simulator_classes_deinit(simulator_classes_t *classes) {
  free(classes->class_of_chip);
  free(classes->representatives);
  free(classes->sizes);
  *classes = (simulator_classes_t){0};
}
