// An explanation for people and for --json.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/explain.h"
#include "client/cli/report.h"
#include "client/cli/terminal.h"
#include "client/profile/collectives.h"
#include "client/profile/sums.h"
#include "common/tensor/shape.h"

// --- Text ---

static const char *over(pod_arena_t *arena, const podium_collective_t *it) {
  return *it->axes == '\0'
             ? pod_arena_printf(arena, "%lld groups of %lld", (long long)it->group_count,
                                (long long)it->group_size)
             : pod_arena_printf(arena, "over %s (%lld)", cli_axes(arena, it),
                                (long long)it->group_size);
}

static void print_head(pod_arena_t *arena, const cli_explained_t *row) {
  const podium_collective_t *it = row->it;
  const char *times =
      row->count > 1 ? pod_arena_printf(arena, " \303\227%d", row->count) : "";
  cli_print("  %s%s %s%s%s%s\n", it->op, times, over(arena, it),
            it->in_loop ? ", each iteration" : "",
            it->inserted ? "" : ", written by the program",
            *it->source == '\0' ? "" : pod_arena_printf(arena, "  [%s]", it->source));
}

static void print_bytes(pod_arena_t *arena, const cli_explained_t *row) {
  const podium_collective_t *it = row->it;
  cli_print("    %s -> %s: %s on ICI by each chip%s, %s on the busiest link%s\n",
            cli_shape(arena, &it->operand), cli_shape(arena, &it->result),
            cli_size(arena, it->ici_bytes),
            it->dcn_bytes == 0 ? ""
                               : pod_arena_printf(arena, ", %s to other slices",
                                                  cli_size(arena, it->dcn_bytes)),
            cli_size(arena, it->link_bytes), row->count > 1 ? ", each" : "");
}

static const char *behind(pod_arena_t *arena, const cli_explanation_t *explanation,
                          const cli_explained_t *row) {
  const char *text =
      profile_behind_text(arena, explanation->info, row->behind, row->behind_more);
  return text == NULL ? "" : text;
}

static void print_times(pod_arena_t *arena, const cli_explanation_t *explanation,
                        const cli_explained_t *row) {
  if (row->run_count == 0) {
    if (row->it->alone_ps > 0) {
      cli_print("    %s each by itself\n", cli_time(arena, row->it->alone_ps));
    }
    return;
  }
  const int64_t hidden_ps = row->flight_ps - row->exposed_ps;
  const char *each =
      row->run_count == 1
          ? ""
          : pod_arena_printf(arena, " (%" PRId64 " times %s)", row->run_count,
                             cli_time(arena, row->flight_ps / row->run_count));
  if (hidden_ps == 0) {
    cli_print("    %s%s, none of it hidden\n", cli_time(arena, row->flight_ps), each);
    return;
  }
  cli_print("    %s%s, %s (%.0f %%) hidden%s%s\n", cli_time(arena, row->flight_ps), each,
            hidden_ps == row->flight_ps ? "all" : cli_time(arena, hidden_ps),
            100 * profile_share((double)hidden_ps, (double)row->flight_ps),
            row->behind == NULL ? "" : " behind ", behind(arena, explanation, row));
}

// --- What every chip has whole ---

static int64_t bytes_of(const podium_shape_t *shape) {
  const tensor_shape_t same =
      tensor_shape_make((tensor_dtype_t)shape->dtype, shape->rank, shape->dims);
  return tensor_shape_bytes(&same);
}

static bool is_whole(const podium_signature_t *signature) {
  for (int d = 0; d < signature->shape.rank; d++) {
    if (signature->shape.dims[d] != signature->local_shape.dims[d]) {
      return false;
    }
  }
  return true;
}

static int by_size(const void *left, const void *right) {
  const podium_signature_t *const *a = left, *const *b = right;
  const int64_t size_a = bytes_of(&(*a)->shape), size_b = bytes_of(&(*b)->shape);
  return size_a != size_b ? (size_a < size_b ? 1 : -1) : (*a < *b ? -1 : *a > *b);
}

// The arguments that no axis shards, largest first; none of a program for one device.
static int find_whole(pod_arena_t *arena, const podium_program_info_t *info,
                      const podium_signature_t ***out_list) {
  const podium_signature_t **list =
      pod_arena_array(arena, (size_t)info->argument_count + 1, sizeof(list[0]));
  int count = 0;
  for (int i = 0; i < info->argument_count && info->device_count > 1; i++) {
    if (info->arguments[i].shape.rank > 0 && is_whole(&info->arguments[i])) {
      list[count++] = &info->arguments[i];
    }
  }
  qsort(list, (size_t)count, sizeof(list[0]), by_size);
  *out_list = list;
  return count;
}

static void print_whole(pod_arena_t *arena, const podium_program_info_t *info) {
  enum { SHOWN_MAX = 8 };
  const podium_signature_t **list;
  const int count = find_whole(arena, info, &list);
  int64_t bytes = 0;
  for (int i = 0; i < count; i++) {
    bytes += bytes_of(&list[i]->shape);
  }
  if (count > 0) {
    cli_print("replicated: %d of %d arguments, %s on every chip\n", count,
              info->argument_count, cli_size(arena, bytes));
  }
  for (int i = 0; i < count && i < SHOWN_MAX; i++) {
    cli_print("  %-12s %-22s %s, sharded %s\n", list[i]->name,
              cli_shape(arena, &list[i]->shape),
              cli_size(arena, bytes_of(&list[i]->shape)), list[i]->sharding);
  }
  if (count > SHOWN_MAX) {
    cli_print("  and %d smaller ones\n", count - SHOWN_MAX);
  }
}

static void print_step(pod_arena_t *arena, const cli_explanation_t *explanation) {
  const cli_measures_t *measures = &explanation->measures;
  if (explanation->profile == NULL) {
    cli_print_whole("no times: %s\n", measures->unknown);
    return;
  }
  const int64_t step_ps = measures->values[CLI_STEP];
  const int64_t exposed_ps = measures->values[CLI_EXPOSED];
  cli_print("step %s, %s (%.0f %%) of it waiting for links; a chip sends %s\n",
            cli_time(arena, step_ps), cli_time(arena, exposed_ps),
            100 * profile_share((double)exposed_ps, (double)step_ps),
            cli_size(arena, measures->values[CLI_ICI_BYTES]));
}

void cli_explain_print(pod_arena_t *arena, const cli_explanation_t *explanation) {
  const podium_program_info_t *info = explanation->info;
  cli_print("program %s on %d chip%s\n", info->name, info->device_count,
            info->device_count == 1 ? "" : "s");
  cli_print(explanation->count == 0 ? "collectives: none\n"
                                    : "collectives, what is waited for longest first\n");
  for (int i = 0; i < explanation->count; i++) {
    const cli_explained_t *row = &explanation->list[i];
    print_head(arena, row);
    print_bytes(arena, row);
    print_times(arena, explanation, row);
    if (*row->it->because != '\0') {
      cli_print_whole("    because %s\n", row->it->because);
    }
  }
  print_whole(arena, info);
  cli_print_memory(info);
  print_step(arena, explanation);
}

// --- JSON ---

static void add_row(pod_arena_t *arena, cJSON *list, const cli_explanation_t *explanation,
                    const cli_explained_t *row) {
  const podium_collective_t *it = row->it;
  const bool is_timed = explanation->profile != NULL;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", it->op);
  cJSON_AddStringToObject(object, "axes", it->axes);
  cJSON_AddStringToObject(object, "mesh", it->mesh);
  cJSON_AddStringToObject(object, "source", it->source);
  cJSON_AddStringToObject(object, "because", it->because);
  cJSON_AddNumberToObject(object, "count", row->count);
  cJSON_AddNumberToObject(object, "runs", (double)row->run_count);
  cJSON_AddNumberToObject(object, "ici_bytes", (double)it->ici_bytes);
  cJSON_AddNumberToObject(object, "link_bytes", (double)it->link_bytes);
  cJSON_AddNumberToObject(object, "alone_ps", (double)it->alone_ps);
  if (is_timed) {
    cJSON_AddNumberToObject(object, "flight_ps", (double)row->flight_ps);
    cJSON_AddNumberToObject(object, "exposed_ps", (double)row->exposed_ps);
  } else {
    cJSON_AddNullToObject(object, "flight_ps");
    cJSON_AddNullToObject(object, "exposed_ps");
  }
  cJSON_AddStringToObject(object, "behind", behind(arena, explanation, row));
  cJSON_AddItemToArray(list, object);
}

cJSON *cli_measures_json(const cli_measures_t *measures) {
  cJSON *object = cJSON_CreateObject();
  for (int m = 0; m < CLI_MEASURE_COUNT; m++) {
    const char *name = cli_measure_name((cli_measure_t)m);
    if (measures->values[m] < 0) {
      cJSON_AddNullToObject(object, name);
    } else {
      cJSON_AddNumberToObject(object, name, (double)measures->values[m]);
    }
  }
  return object;
}

void cli_measures_report(const char *key, const cli_measures_t *measures) {
  if (cli_report() != NULL) {
    cJSON_AddItemToObject(cli_report(), key, cli_measures_json(measures));
  }
}

void cli_explain_report(pod_arena_t *arena, const cli_explanation_t *explanation) {
  cJSON *list = cJSON_AddArrayToObject(cli_report(), "explained");
  for (int i = 0; i < explanation->count; i++) {
    add_row(arena, list, explanation, &explanation->list[i]);
  }
  const podium_signature_t **whole;
  const int count = find_whole(arena, explanation->info, &whole);
  cJSON *replicated = cJSON_AddArrayToObject(cli_report(), "replicated");
  for (int i = 0; i < count; i++) {
    cJSON_AddItemToArray(replicated, cJSON_CreateString(whole[i]->name));
  }
  cli_measures_report("measures", &explanation->measures);
}
