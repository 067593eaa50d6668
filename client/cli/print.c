// Tables for people.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/terminal.h"
#include "common/base/text.h"

static void print_signature_rows(const char *title, int count,
                                 const podium_signature_t *signatures) {
  pod_arena_t *arena = pod_arena_create();
  for (int i = 0; i < count; i++) {
    cli_print("  %-9s %-12s %-22s sharded %-14s each chip %s\n", i == 0 ? title : "",
              signatures[i].name, cli_shape(arena, &signatures[i].shape),
              signatures[i].sharding, cli_shape(arena, &signatures[i].local_shape));
  }
  pod_arena_destroy(arena);
}

void cli_print_signatures(const podium_program_info_t *info) {
  cli_print("program %s\n", info->name);
  print_signature_rows("arguments", info->argument_count, info->arguments);
  print_signature_rows("results", info->result_count, info->results);
}

// --- Collectives: those that differ in nothing but their place are one line ---

typedef struct line_t {
  const char *head, *body, *tail;  // Around the count, and "each".
  const char *source;
  int order;  // Of the first one.
  int count, source_count;
} line_t;

static int by_text(const void *left, const void *right) {
  const line_t *a = left, *b = right;
  int order = strcmp(a->head, b->head);
  order = order != 0 ? order : strcmp(a->body, b->body);
  order = order != 0 ? order : strcmp(a->tail, b->tail);
  order = order != 0 ? order : strcmp(a->source, b->source);
  return order != 0 ? order : a->order - b->order;
}

static int by_order(const void *left, const void *right) {
  return ((const line_t *)left)->order - ((const line_t *)right)->order;
}

static line_t line_of(pod_arena_t *arena, const podium_collective_t *c, int order) {
  const char *over =
      *c->axes == '\0'
          ? pod_arena_printf(arena, "%lld groups of %lld", (long long)c->group_count,
                             (long long)c->group_size)
          : pod_arena_printf(arena, "over %s (%lld)", cli_axes(arena, c),
                             (long long)c->group_size);
  const char *body = pod_arena_printf(
      arena, "%s -> %s  %s on ICI%s", cli_shape(arena, &c->operand),
      cli_shape(arena, &c->result), cli_size(arena, c->ici_bytes),
      c->dcn_bytes == 0 ? ""
                        : pod_arena_printf(arena, ", %s to other slices",
                                           cli_size(arena, c->dcn_bytes)));
  const char *tail =
      pod_arena_printf(arena, "%s%s%s", c->asynchronous ? ", overlapping" : "",
                       c->in_loop ? ", each iteration" : "",
                       c->inserted ? "" : ", written by the program");
  return (line_t){.head = pod_arena_printf(arena, "%-18s %s", c->op, over),
                  .body = body,
                  .tail = tail,
                  .source = c->source,
                  .order = order,
                  .count = 1,
                  .source_count = 1};
}

// Lines of equal text become one, which stands where the first of them stood and names
// its source. Returns how many are left.
static int merge(line_t *lines, int count) {
  if (count == 0) {
    return 0;
  }
  qsort(lines, (size_t)count, sizeof(*lines), by_text);
  int merged = 0;
  const char *last_source = lines[0].source;
  for (int i = 1; i < count; i++) {
    line_t *line = &lines[merged];
    const line_t *next = &lines[i];
    if (strcmp(line->head, next->head) != 0 || strcmp(line->body, next->body) != 0 ||
        strcmp(line->tail, next->tail) != 0) {
      lines[++merged] = *next;
      last_source = next->source;
      continue;
    }
    line->count++;
    line->source_count += strcmp(last_source, next->source) != 0;
    last_source = next->source;
    if (next->order < line->order) {
      line->order = next->order;
      line->source = next->source;
    }
  }
  qsort(lines, (size_t)merged + 1, sizeof(*lines), by_order);
  return merged + 1;
}

static void print_line(pod_arena_t *arena, const line_t *line) {
  enum { HEAD_WIDTH = 35 };
  const char *head = line->head;
  const char *source = "";
  int width = HEAD_WIDTH;
  if (line->count > 1) {
    head = pod_arena_printf(arena, "%s ×%d", line->head, line->count);
    width++;  // printf counts bytes, the sign is two of them.
  }
  if (line->source_count > 1) {
    source = pod_arena_printf(arena, "  [%s and %d more places]", line->source,
                              line->source_count - 1);
  } else if (*line->source != '\0') {
    source = pod_arena_printf(arena, "  [%s]", line->source);
  }
  cli_print("  %-*s %s%s%s%s\n", width, head, line->body, line->count > 1 ? " each" : "",
            line->tail, source);
}

void cli_print_collectives(const podium_program_info_t *info) {
  if (info->collective_count == 0) {
    cli_print("collectives: none\n");
    return;
  }
  pod_arena_t *arena = pod_arena_create();
  line_t *lines = pod_arena_array(arena, (size_t)info->collective_count, sizeof(*lines));
  for (int i = 0; i < info->collective_count; i++) {
    lines[i] = line_of(arena, &info->collectives[i], i);
  }
  const int count = merge(lines, info->collective_count);
  cli_print("collectives (per chip)\n");
  for (int i = 0; i < count; i++) {
    print_line(arena, &lines[i]);
  }
  pod_arena_destroy(arena);
}

void cli_print_memory(const podium_program_info_t *info) {
  pod_arena_t *arena = pod_arena_create();
  const char *donated = info->alias_bytes == 0
                            ? ""
                            : pod_arena_printf(arena, " of which %s in donated arguments",
                                               cli_size(arena, info->alias_bytes));
  cli_print(
      "HBM per chip: %s of %s (arguments %s, results %s%s, constants %s, temporaries "
      "%s)\n",
      cli_size(arena, info->hbm_peak_bytes), cli_size(arena, info->hbm_bytes),
      cli_size(arena, info->argument_bytes), cli_size(arena, info->result_bytes), donated,
      cli_size(arena, info->constant_bytes), cli_size(arena, info->temp_bytes));
  if (info->host_argument_bytes + info->host_result_bytes + info->host_temp_bytes > 0) {
    cli_print(
        "host's memory per chip: arguments %s, results %s (%s of them donated), "
        "temporaries %s\n",
        cli_size(arena, info->host_argument_bytes),
        cli_size(arena, info->host_result_bytes), cli_size(arena, info->host_alias_bytes),
        cli_size(arena, info->host_temp_bytes));
  }
  for (int i = 0; i < info->note_count; i++) {
    cli_print("note: %s\n", info->notes[i]);
  }
  pod_arena_destroy(arena);
}
