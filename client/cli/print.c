// Tables for people.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "common/base/text.h"

enum { ROWS_MAX = 20, NAME_WIDTH_MAX = 28 };

static void print_signature_rows(const char *title, int count,
                                 const podium_signature_t *signatures) {
  pod_arena_t *arena = pod_arena_create();
  for (int i = 0; i < count; i++) {
    printf("  %-9s %-12s %-22s sharded %-14s each chip %s\n", i == 0 ? title : "",
           signatures[i].name, cli_shape(arena, &signatures[i].shape),
           signatures[i].sharding, cli_shape(arena, &signatures[i].local_shape));
  }
  pod_arena_destroy(arena);
}

void cli_print_signatures(const podium_program_info_t *info) {
  printf("program %s\n", info->name);
  print_signature_rows("arguments", info->argument_count, info->arguments);
  print_signature_rows("results", info->result_count, info->results);
}

void cli_print_collectives(const podium_program_info_t *info) {
  if (info->collective_count == 0) {
    printf("collectives: none\n");
    return;
  }
  pod_arena_t *arena = pod_arena_create();
  printf("collectives (per chip, time predicted)\n");
  for (int i = 0; i < info->collective_count; i++) {
    const podium_collective_t *c = &info->collectives[i];
    const char *over =
        *c->axes == '\0'
            ? pod_arena_printf(arena, "%lld groups of %lld", (long long)c->group_count,
                               (long long)c->group_size)
            : pod_arena_printf(arena, "over %s (%lld)", c->axes,
                               (long long)c->group_size);
    printf("  %-18s %-16s %s -> %s  %s on ICI, %s%s%s%s%s\n", c->op, over,
           cli_shape(arena, &c->operand), cli_shape(arena, &c->result),
           cli_size(arena, c->ici_bytes), cli_time(arena, c->duration_ps),
           c->asynchronous ? ", overlapping" : "", c->in_loop ? ", each iteration" : "",
           c->inserted ? "" : ", written by the program",
           *c->source == '\0' ? "" : pod_arena_printf(arena, "  [%s]", c->source));
  }
  pod_arena_destroy(arena);
}

void cli_print_memory(const podium_program_info_t *info) {
  pod_arena_t *arena = pod_arena_create();
  printf(
      "HBM per chip: %s of %s (arguments %s, results %s, constants %s, temporaries %s)\n",
      cli_size(arena, info->hbm_peak_bytes), cli_size(arena, info->hbm_bytes),
      cli_size(arena, info->argument_bytes), cli_size(arena, info->result_bytes),
      cli_size(arena, info->constant_bytes), cli_size(arena, info->temp_bytes));
  pod_arena_destroy(arena);
}

static int by_duration(const void *left, const void *right) {
  const podium_instruction_total_t *a = left, *b = right;
  if (a->duration_ps != b->duration_ps) {
    return a->duration_ps < b->duration_ps ? 1 : -1;
  }
  return a->instruction - b->instruction;
}

static const podium_chip_profile_t *slowest(const podium_profile_t *profile) {
  const podium_chip_profile_t *chip = &profile->chips[0];
  for (int i = 1; i < profile->chip_count; i++) {
    if (profile->chips[i].end_ps > chip->end_ps) {
      chip = &profile->chips[i];
    }
  }
  return chip;
}

static void print_instructions(pod_arena_t *arena, const podium_program_info_t *info,
                               const podium_chip_profile_t *chip) {
  podium_instruction_total_t *rows = pod_arena_copy(
      arena, chip->totals, (size_t)chip->total_count * sizeof(*chip->totals));
  qsort(rows, (size_t)chip->total_count, sizeof(*rows), by_duration);
  printf("  %-28s %-20s %5s %12s %6s %6s %12s  %s\n", "instruction", "shape", "runs",
         "device", "share", "bound", "host", "source");
  int shown = 0;
  for (int i = 0; i < chip->total_count && shown < ROWS_MAX; i++) {
    const podium_instruction_total_t *row = &rows[i];
    if (row->run_count == 0 || row->instruction < 0 ||
        row->instruction >= info->instruction_count ||
        row->bound == PODIUM_BOUND_NONE) {  // Control, or free: its parts have rows.
      continue;
    }
    const podium_instruction_t *instruction = &info->instructions[row->instruction];
    printf(
        "  %-28.28s %-20s %5lld %12s %5.1f%% %6s %12s  %s\n", instruction->name,
        instruction->shape, (long long)row->run_count, cli_time(arena, row->duration_ps),
        chip->end_ps == 0 ? 0.0 : 100.0 * (double)row->duration_ps / (double)chip->end_ps,
        podium_bound_name(row->bound), cli_time(arena, row->host_ns * 1000),
        instruction->source);
    shown++;
  }
}

static void print_chips(pod_arena_t *arena, const podium_profile_t *profile,
                        const podium_pod_t *pod) {
  static const char *const directions[] = {"+x", "-x", "+y", "-y", "+z", "-z"};
  for (int i = 0; i < profile->chip_count; i++) {
    const podium_chip_profile_t *chip = &profile->chips[i];
    pod_text_t links = {0};
    for (int l = 0; l < chip->link_count; l++) {
      const podium_link_total_t *link = &chip->links[l];
      if (link->bytes_sent > 0 && link->direction >= 0 && link->direction < 6) {
        pod_text_printf(&links, "  %s %s", directions[link->direction],
                        cli_size(arena, link->bytes_sent));
      }
    }
    const char *coords = "";
    for (int d = 0; d < pod->device_count; d++) {
      if (pod->devices[d].id == chip->chip) {
        const int *at = pod->devices[d].coords;
        coords = pod_arena_printf(arena, "(%d,%d,%d)", at[0], at[1], at[2]);
      }
    }
    printf("  chip %-3d %-9s device %12s  host %12s  HBM peak %10s  sent%s\n", chip->chip,
           coords, cli_time(arena, chip->end_ps), cli_time(arena, chip->host_ns * 1000),
           cli_size(arena, chip->hbm_peak_bytes),
           links.bytes == NULL || links.length == 0 ? "  nothing" : links.bytes);
    pod_text_deinit(&links);
  }
}

void cli_print_profile(const podium_program_info_t *info, const podium_profile_t *profile,
                       const podium_pod_t *pod) {
  if (profile->chip_count == 0) {
    return;
  }
  pod_arena_t *arena = pod_arena_create();
  const podium_chip_profile_t *chip = slowest(profile);
  int64_t flop = 0;
  for (int i = 0; i < chip->total_count; i++) {
    flop += chip->totals[i].mxu_flop;
  }
  printf(
      "profile on %s %s: predicted device time %s, %.3f GFLOP per chip (host: measured "
      "here)\n",
      pod->topology, pod->chip_kind, cli_time(arena, chip->end_ps), (double)flop / 1e9);
  print_chips(arena, profile, pod);
  print_instructions(arena, info, chip);
  pod_arena_destroy(arena);
}
