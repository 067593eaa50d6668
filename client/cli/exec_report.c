// What the executables of a command did (podium exec): the lines that the plugin wrote
// (client/pjrt/usage.c), as two tables, or as JSON.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/report.h"
#include "client/cli/terminal.h"
#include "client/profile/sums.h"
#include "common/base/list.h"

typedef struct usage_t {
  char *name;
  long long calls, step_ps, waiting_ps, hbm_peak_bytes;
  long long host_wait_ns;                  // Of all calls.
  long long waits_ps[PROFILE_WAIT_COUNT];  // Of one.
  int collectives;
  double flop, flop_per_s;
} usage_t;

typedef POD_LIST(usage_t) usages_t;

static bool read_usage(char *line, usage_t *out) {
  char *tab = strchr(line, '\t');
  if (tab == NULL) {
    return false;
  }
  *tab = '\0';
  *out = (usage_t){.name = line};
  int length = 0;
  if (sscanf(tab + 1, "%lld\t%lld\t%lld\t%d\t%lld\t%lf\t%lf\t%lld%n", &out->calls,
             &out->step_ps, &out->waiting_ps, &out->collectives, &out->hbm_peak_bytes,
             &out->flop, &out->flop_per_s, &out->host_wait_ns, &length) != 8) {
    return false;
  }
  char *at = tab + 1 + length;
  for (int i = 0; i < PROFILE_WAIT_COUNT; i++) {
    out->waits_ps[i] = strtoll(at, &at, 10);
  }
  return true;
}

static double total_ps(const usage_t *usage) {
  return usage->step_ps < 0 ? -1 : (double)usage->step_ps * (double)usage->calls;
}

static int compare_totals(const void *a, const void *b) {
  const double x = total_ps(a);
  const double y = total_ps(b);
  return x == y  ? strcmp(((const usage_t *)a)->name, ((const usage_t *)b)->name)
         : x < y ? 1
                 : -1;
}

// JAX compiles small functions again for other places in the program: those that cost the
// same are one line.
static bool is_alike(const usage_t *a, const usage_t *b) {
  return strcmp(a->name, b->name) == 0 && a->step_ps == b->step_ps &&
         a->waiting_ps == b->waiting_ps && a->collectives == b->collectives &&
         a->hbm_peak_bytes == b->hbm_peak_bytes && a->flop == b->flop;
}

static void add_usage(usages_t *usages, const usage_t *usage) {
  for (int32_t i = 0; i < usages->count; i++) {
    if (is_alike(&usages->items[i], usage)) {
      usages->items[i].calls += usage->calls;
      usages->items[i].host_wait_ns += usage->host_wait_ns;
      return;
    }
  }
  *pod_list_add(usages) = *usage;
}

// Of the products that a chip executes; which of them the model needs no program tells.
static double hfu(const usage_t *usage) {
  const double most = (double)usage->step_ps * 1e-12 * usage->flop_per_s;
  return most <= 0 ? 0 : usage->flop / most;
}

static void print_usage(pod_arena_t *arena, const usage_t *usage) {
  if (usage->step_ps < 0) {
    cli_print("%10lld %12s %12s %12s %6s %11d %10s  %s\n", usage->calls, "?", "?", "?",
              "?", usage->collectives, cli_size(arena, usage->hbm_peak_bytes),
              usage->name);
    return;
  }
  cli_print("%10lld %12s %12s %12s %5.1f%% %11d %10s  %s\n", usage->calls,
            cli_time(arena, usage->step_ps), cli_time(arena, (int64_t)total_ps(usage)),
            cli_time(arena, usage->waiting_ps), 100 * hfu(usage), usage->collectives,
            cli_size(arena, usage->hbm_peak_bytes), usage->name);
}

// The second table: what the time was for.
static void print_waits(pod_arena_t *arena, const usage_t *usage) {
  for (int i = 0; i < PROFILE_WAIT_COUNT; i++) {
    if (usage->step_ps > 0) {
      cli_print("%6.1f%%",
                100 * profile_share((double)usage->waits_ps[i], (double)usage->step_ps));
    } else {
      cli_print("%7s", "?");
    }
  }
  cli_print(" %12s  %s\n", cli_time(arena, usage->host_wait_ns * 1000), usage->name);
}

static void print_tables(pod_arena_t *arena, const usages_t *usages) {
  cli_print(
      "predicted on the chips, by executable:\n%10s %12s %12s %12s %6s %11s %10s  %s\n",
      "calls", "time each", "in all", "waiting", "HFU", "collectives", "HBM peak",
      "executable");
  for (int32_t i = 0; i < usages->count; i++) {
    print_usage(arena, &usages->items[i]);
  }
  cli_print("what that time waited for, and the host for results (measured, in all):\n");
  for (int i = 0; i < PROFILE_WAIT_COUNT; i++) {
    cli_print("%7s", profile_wait_name((profile_wait_t)i));
  }
  cli_print(" %12s  %s\n", "host", "executable");
  for (int32_t i = 0; i < usages->count; i++) {
    print_waits(arena, &usages->items[i]);
  }
}

static void report_waits(cJSON *entry, const usage_t *usage) {
  cJSON *list = cJSON_AddArrayToObject(entry, "waited_for");
  for (int i = 0; i < PROFILE_WAIT_COUNT; i++) {
    cJSON *wait = cJSON_CreateObject();
    cJSON_AddStringToObject(wait, "name", profile_wait_name((profile_wait_t)i));
    cJSON_AddNumberToObject(wait, "duration_ps", (double)usage->waits_ps[i]);
    cJSON_AddItemToArray(list, wait);
  }
}

static void report_usage(cJSON *list, const usage_t *usage) {
  cJSON *entry = cJSON_CreateObject();
  cJSON_AddStringToObject(entry, "name", usage->name);
  cJSON_AddNumberToObject(entry, "calls", (double)usage->calls);
  if (usage->step_ps >= 0) {
    cJSON_AddNumberToObject(entry, "predicted_ps", (double)usage->step_ps);
    cJSON_AddNumberToObject(entry, "waiting_ps", (double)usage->waiting_ps);
    cJSON_AddNumberToObject(entry, "hfu", hfu(usage));
    report_waits(entry, usage);
  }
  cJSON_AddNumberToObject(entry, "host_wait_ns", (double)usage->host_wait_ns);
  cJSON_AddNumberToObject(entry, "collectives", usage->collectives);
  cJSON_AddNumberToObject(entry, "hbm_peak_bytes", (double)usage->hbm_peak_bytes);
  cJSON_AddItemToArray(list, entry);
}

static void show(const usages_t *usages) {
  pod_arena_t *arena = pod_arena_create();
  cJSON *list =
      cli_report() == NULL ? NULL : cJSON_AddArrayToObject(cli_report(), "executables");
  if (usages->count > 0) {
    print_tables(arena, usages);
  }
  for (int32_t i = 0; list != NULL && i < usages->count; i++) {
    report_usage(list, &usages->items[i]);
  }
  pod_arena_destroy(arena);
}

// Of a command that has loaded no plugin there is no file.
void cli_show_executables(const char *path) {
  char *text = NULL;
  size_t length;
  usages_t usages = {0};
  const pod_status_t status = cli_read_file(path, &text, &length);
  pod_status_free(status);
  if (status == NULL) {
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
      usage_t usage;
      if (read_usage(line, &usage)) {
        add_usage(&usages, &usage);
      }
    }
  }
  if (usages.count > 0) {
    qsort(usages.items, (size_t)usages.count, sizeof(usage_t), compare_totals);
  }
  show(&usages);
  pod_list_deinit(&usages);
  free(text);
}
