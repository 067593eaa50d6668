// Tables for people.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "common/base/text.h"

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
  printf("collectives (per chip)\n");
  for (int i = 0; i < info->collective_count; i++) {
    const podium_collective_t *c = &info->collectives[i];
    const char *over =
        *c->axes == '\0'
            ? pod_arena_printf(arena, "%lld groups of %lld", (long long)c->group_count,
                               (long long)c->group_size)
            : pod_arena_printf(arena, "over %s (%lld)", c->axes,
                               (long long)c->group_size);
    printf("  %-18s %-16s %s -> %s  %s on ICI%s%s%s%s\n", c->op, over,
           cli_shape(arena, &c->operand), cli_shape(arena, &c->result),
           cli_size(arena, c->ici_bytes), c->asynchronous ? ", overlapping" : "",
           c->in_loop ? ", each iteration" : "",
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
