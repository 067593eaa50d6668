// podium explain --shardings and --after: how the values of a program lie, and the
// program as a pass leaves it.

#include <string.h>

#include "client/cli/explain.h"
#include "client/cli/report.h"
#include "client/cli/terminal.h"

enum { COLUMNS = 5, WIDTH_MAX = 44 };

static void fill_row(pod_arena_t *arena, const podium_value_t *value,
                     const char *row[COLUMNS]) {
  const bool is_surface =
      strcmp(value->op, "argument") == 0 || strcmp(value->op, "result") == 0;
  row[0] = is_surface             ? value->name
           : *value->name == '\0' ? ""
                                  : pod_arena_printf(arena, "%%%s", value->name);
  row[1] = value->op;
  row[2] = cli_shape(arena, &value->shape);
  row[3] = value->spec;
  row[4] = cli_shape(arena, &value->local_shape);
}

void cli_values_print(pod_arena_t *arena, const podium_program_info_t *info) {
  static const char *const heads[COLUMNS] = {"value", "made by", "shape", "sharding",
                                             "each chip"};
  int widths[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) {
    widths[c] = (int)strlen(heads[c]);
  }
  for (int i = 0; i < info->value_count; i++) {
    const char *row[COLUMNS];
    fill_row(arena, &info->values[i], row);
    for (int c = 0; c < COLUMNS; c++) {
      const int length = (int)strlen(row[c]);
      widths[c] = length > widths[c] && length <= WIDTH_MAX ? length : widths[c];
    }
  }
  cli_print("program %s on %d chip%s, after propagation\n", info->name,
            info->device_count, info->device_count == 1 ? "" : "s");
  cli_print("  %-*s  %-*s  %-*s  %-*s  %-*s  source\n", widths[0], heads[0], widths[1],
            heads[1], widths[2], heads[2], widths[3], heads[3], widths[4], heads[4]);
  for (int i = 0; i < info->value_count; i++) {
    const char *row[COLUMNS];
    fill_row(arena, &info->values[i], row);
    const char *source = info->values[i].source;
    cli_print("  %-*s  %-*s  %-*s  %-*s  %-*s%s%s\n", widths[0], row[0], widths[1],
              row[1], widths[2], row[2], widths[3], row[3],
              *source == '\0' ? 0 : widths[4], row[4], *source == '\0' ? "" : "  ",
              source);
  }
}

void cli_values_report(pod_arena_t *arena, const podium_program_info_t *info) {
  cJSON *list = cJSON_AddArrayToObject(cli_report(), "values");
  for (int i = 0; i < info->value_count; i++) {
    const podium_value_t *value = &info->values[i];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", value->name);
    cJSON_AddStringToObject(object, "op", value->op);
    cJSON_AddStringToObject(object, "source", value->source);
    cJSON_AddStringToObject(object, "shape", cli_shape(arena, &value->shape));
    cJSON_AddStringToObject(object, "sharding", value->spec);
    cJSON_AddStringToObject(object, "local_shape", cli_shape(arena, &value->local_shape));
    cJSON_AddItemToArray(list, object);
  }
}
