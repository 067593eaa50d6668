// The torus as text: planes of z, rows of y. Chips that cannot be told apart are drawn
// once, by a letter of their class.

#include "client/cli/links.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/terminal.h"
#include "common/base/text.h"

enum {
  COLUMNS = 98,        // That a drawing may take.
  DETAILED_CELL = 17,  // Columns of a chip and the link to the next one.
  COMPACT_CELL = 3,
  COMPACT_Y_MAX = 32,
  PLANES_SHOWN = 2,  // That differ.
};

static const char *const direction_names[PODIUM_LINK_COUNT] = {
    "+x", "-x", "+y", "-y", "+z", "-z", "die", "DCN out", "DCN in"};

enum { ICI_LINKS = PODIUM_LINK_DIE };

typedef struct map_t {
  const podium_profile_t *profile;
  int64_t busiest_ps;
  int busiest_count, used_count;
} map_t;

char cli_class_letter(int index) {
  return (char)(index < 26 ? 'A' + index : '#');
}

static int chip_at(const podium_profile_t *profile, int x, int y, int z) {
  // Of the first slice; what the cores of a chip share is core 0's.
  return profile->core_count *
         (x + profile->topology[0] * (y + profile->topology[1] * z));
}

static const podium_link_t *link_of(const podium_profile_t *profile, int chip,
                                    int direction) {
  return &profile->classes[profile->class_of_chip[chip]].links[direction];
}

static double use_of(const map_t *map, int chip, int direction) {
  const int64_t step_ps = map->profile->step_ps;
  return step_ps == 0
             ? 0
             : (double)link_of(map->profile, chip, direction)->busy_ps / (double)step_ps;
}

static bool is_busiest(const map_t *map, int chip, int direction) {
  return map->busiest_ps > 0 &&
         link_of(map->profile, chip, direction)->busy_ps == map->busiest_ps;
}

// When all links are alike, none is worth a mark.
static bool is_marked(const map_t *map, int chip, int direction) {
  return map->busiest_count < map->used_count && is_busiest(map, chip, direction);
}

// --- In detail: every direction in percent ---

// "17→", with * instead of the arrow's blank for the busiest.
static void print_percent(const map_t *map, int chip, int direction, const char *arrow) {
  const bool has_mark = is_marked(map, chip, direction);
  cli_print("%s%3.0f%s%s%s", has_mark ? cli_color("1;31") : "",
            100 * use_of(map, chip, direction), arrow, has_mark ? "*" : " ",
            has_mark ? cli_color("") : "");
}

// A row of chips and the links along x. An axis that wraps has one more link at its end.
static void print_chips(const map_t *map, int y, int z) {
  const podium_profile_t *profile = map->profile;
  const int width = profile->topology[0];
  cli_print("  ");
  for (int x = 0; x < width; x++) {
    const int chip = chip_at(profile, x, y, z);
    cli_print("[%4d]", chip);
    const bool wraps = profile->wraps[0] && width > 2;
    if (x + 1 < width || wraps) {
      const int next = chip_at(profile, (x + 1) % width, y, z);
      print_percent(map, chip, 0, "→");
      print_percent(map, next, 1, "←");
      cli_print("%s", x + 1 < width ? " " : "…");
    }
  }
  cli_print("\n");
}

// The links along y below a row, and those along z.
static void print_below(const map_t *map, int y, int z) {
  const podium_profile_t *profile = map->profile;
  const bool has_below =
      y + 1 < profile->topology[1] || (profile->wraps[1] && profile->topology[1] > 2);
  if (!has_below && profile->topology[2] == 1) {
    return;
  }
  const int below = (y + 1) % profile->topology[1];
  cli_print("  ");
  for (int x = 0; x < profile->topology[0]; x++) {
    const int chip = chip_at(profile, x, y, z);
    int columns = 10;
    if (has_below) {
      print_percent(map, chip, 2, "↓");
      print_percent(map, chip_at(profile, x, below, z), 3, "↑");
    } else {
      cli_print("%*s", columns, "");
    }
    if (profile->topology[2] > 1) {
      cli_print("z%3.0f%3.0f", 100 * use_of(map, chip, 4), 100 * use_of(map, chip, 5));
      columns += 7;
    }
    cli_print("%*s", DETAILED_CELL - columns, "");
  }
  cli_print("\n");
}

// --- Compact: a letter per chip, a digit per direction ---

// Tenths of the step, rounded down; a link that carried nothing is a blank.
static void print_digit(const map_t *map, int chip, int direction) {
  const double use = use_of(map, chip, direction);
  const int tenths = (int)(10 * use);
  const bool has_mark = is_marked(map, chip, direction);
  cli_print("%s%c%s", has_mark ? cli_color("1;31") : "",
            link_of(map->profile, chip, direction)->messages == 0 ? ' '
            : tenths > 9                                          ? '9'
                                                                  : (char)('0' + tenths),
            has_mark ? cli_color("") : "");
}

// A row looks like the one before when its chips, and those below, are of the same
// classes.
static bool is_row_like(const podium_profile_t *profile, int y, int other, int z) {
  const int height = profile->topology[1];
  const size_t bytes = (size_t)profile->topology[0] * sizeof(*profile->class_of_chip);
  const int *classes = profile->class_of_chip;
  return memcmp(classes + chip_at(profile, 0, y, z),
                classes + chip_at(profile, 0, other, z), bytes) == 0 &&
         memcmp(classes + chip_at(profile, 0, (y + 1) % height, z),
                classes + chip_at(profile, 0, (other + 1) % height, z), bytes) == 0;
}

static void print_compact_row(const map_t *map, int y, int z) {
  const podium_profile_t *profile = map->profile;
  const int width = profile->topology[0], height = profile->topology[1];
  cli_print("  ");
  for (int x = 0; x < width; x++) {
    const int chip = chip_at(profile, x, y, z);
    cli_print("%c", cli_class_letter(profile->class_of_chip[chip]));
    if (x + 1 < width || profile->wraps[0]) {
      print_digit(map, chip, 0);
      print_digit(map, chip_at(profile, (x + 1) % width, y, z), 1);
    }
  }
  cli_print("\n");
  if (y + 1 == height && !profile->wraps[1]) {
    return;
  }
  cli_print("  ");
  for (int x = 0; x < width; x++) {
    print_digit(map, chip_at(profile, x, y, z), 2);
    print_digit(map, chip_at(profile, x, (y + 1) % height, z), 3);
    cli_print(" ");
  }
  cli_print("\n");
}

static void print_compact(const map_t *map, int z) {
  const int height = map->profile->topology[1];
  for (int y = 0; y < height;) {
    print_compact_row(map, y, z);
    int next = y + 1;
    // The last row has no links below unless the axis wraps.
    const int last = map->profile->wraps[1] ? height : height - 1;
    while (next < last && is_row_like(map->profile, next, y, z)) {
      next++;
    }
    if (next - y == 2) {
      print_compact_row(map, y + 1, z);
    } else if (next - y > 2) {
      cli_print("  … %d more rows like it\n", next - y - 1);
    }
    y = next;
  }
}

// --- The whole ---

// A plane looks like another when its chips are of the same classes.
static bool is_like(const podium_profile_t *profile, int z, int other) {
  const size_t count = (size_t)profile->topology[0] * (size_t)profile->topology[1];
  return memcmp(profile->class_of_chip + (size_t)z * count,
                profile->class_of_chip + (size_t)other * count,
                count * sizeof(*profile->class_of_chip)) == 0;
}

static double busiest_along_z(const map_t *map, int z) {
  double busiest = 0;
  for (int y = 0; y < map->profile->topology[1]; y++) {
    for (int x = 0; x < map->profile->topology[0]; x++) {
      for (int direction = 4; direction < 6; direction++) {
        const double use = use_of(map, chip_at(map->profile, x, y, z), direction);
        busiest = use > busiest ? use : busiest;
      }
    }
  }
  return busiest;
}

static void print_plane(const map_t *map, int z, bool is_detailed) {
  const podium_profile_t *profile = map->profile;
  if (profile->topology[2] > 1) {
    int alike = 0;
    for (int other = 0; other < profile->topology[2]; other++) {
      alike += is_like(profile, z, other);
    }
    cli_print("  z = %d%s; links along z up to %.0f%% busy\n", z,
              alike > 1 ? ", and planes like it" : "", 100 * busiest_along_z(map, z));
  }
  if (!is_detailed) {
    print_compact(map, z);
    return;
  }
  for (int y = 0; y < profile->topology[1]; y++) {
    print_chips(map, y, z);
    print_below(map, y, z);
  }
}

static void print_planes(const map_t *map, bool is_detailed) {
  const int most = is_detailed ? PLANES_SHOWN : 1;
  int shown = 0;
  for (int z = 0; z < map->profile->topology[2]; z++) {
    bool is_new = true;
    for (int other = 0; other < z && is_new; other++) {
      is_new = !is_like(map->profile, z, other);
    }
    if (is_new && shown++ < most) {
      print_plane(map, z, is_detailed);
    }
  }
  if (shown > most) {
    cli_print("  … and %d more planes that differ\n", shown - most);
  }
}

static void print_busiest(const map_t *map) {
  const podium_profile_t *profile = map->profile;
  pod_arena_t *arena = pod_arena_create();
  for (int chip = 0; chip < profile->chip_count; chip++) {
    for (int direction = 0; direction < 6; direction++) {
      if (!is_busiest(map, chip, direction)) {
        continue;
      }
      const podium_link_t *link = link_of(profile, chip, direction);
      cli_print("  busiest%s: %s of chip %d, %s in %" PRId64
                " message%s, %s (%.1f%% of the step)",
                is_marked(map, chip, direction) ? " *" : "", direction_names[direction],
                chip, cli_size(arena, link->bytes), link->messages,
                link->messages == 1 ? "" : "s", cli_time(arena, link->busy_ps),
                100 * use_of(map, chip, direction));
      if (map->busiest_count > 1) {
        cli_print(", and %d like it", map->busiest_count - 1);
      }
      cli_print("\n");
      pod_arena_destroy(arena);
      return;
    }
  }
  pod_arena_destroy(arena);
}

// What a host sends and takes between slices, and what goes over dies.
static void print_others(const podium_profile_t *profile) {
  pod_arena_t *arena = pod_arena_create();
  for (int direction = ICI_LINKS; direction < PODIUM_LINK_COUNT; direction++) {
    int busiest = 0;
    for (int i = 1; i < profile->class_count; i++) {
      const podium_chip_class_t *classes = profile->classes;
      busiest =
          classes[i].links[direction].busy_ps > classes[busiest].links[direction].busy_ps
              ? i
              : busiest;
    }
    const podium_link_t *link = &profile->classes[busiest].links[direction];
    if (link->messages > 0) {
      cli_print(
          "  %-7s  %s in %" PRId64 " message%s, %s (%.1f%% of the step), of %s %d\n",
          direction_names[direction], cli_size(arena, link->bytes), link->messages,
          link->messages == 1 ? "" : "s", cli_time(arena, link->busy_ps),
          profile->step_ps == 0 ? 0
                                : 100 * (double)link->busy_ps / (double)profile->step_ps,
          direction == PODIUM_LINK_DIE ? "chip" : "the host of chip",
          profile->classes[busiest].representative);
    }
  }
  pod_arena_destroy(arena);
}

void cli_print_links(const podium_profile_t *profile) {
  map_t map = {.profile = profile};
  for (int chip = 0; chip < profile->chip_count; chip++) {
    for (int direction = 0; direction < 6; direction++) {
      const int64_t busy_ps = link_of(profile, chip, direction)->busy_ps;
      if (busy_ps > map.busiest_ps) {
        map.busiest_ps = busy_ps;
        map.busiest_count = 0;
      }
      map.busiest_count += busy_ps > 0 && busy_ps == map.busiest_ps;
      map.used_count += busy_ps > 0;
    }
  }
  if (map.busiest_ps == 0) {
    cli_print("links: nothing was sent%s\n", profile->slice_count > 1 ? " over ICI" : "");
    print_others(profile);
    return;
  }
  const int64_t chips = (int64_t)profile->topology[0] * profile->topology[1] *
                        profile->topology[2] * profile->slice_count * profile->core_count;
  const int columns = profile->topology[0] + (profile->wraps[0] ? 1 : 0);
  const bool is_detailed =
      columns * DETAILED_CELL <= COLUMNS && profile->topology[1] <= 8;
  const bool is_drawn = chips == profile->chip_count &&
                        (is_detailed || (profile->topology[0] * COMPACT_CELL <= COLUMNS &&
                                         profile->topology[1] <= COMPACT_Y_MAX));
  if (is_drawn) {
    cli_print("links%s, busy in %s of the step per direction%s\n",
              profile->slice_count > 1 ? " of slice 0" : "",
              is_detailed ? "percent" : "tenths",
              is_detailed && profile->topology[2] > 1 ? "; z: up, down" : "");
    print_planes(&map, is_detailed);
  } else {
    cli_print("links (the torus is too wide to be drawn)\n");
  }
  print_busiest(&map);
  print_others(profile);
}
