// The profile of an execution on a terminal: how long, what it was spent on, what bounds
// it. 100 columns.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/links.h"
#include "common/base/text.h"

enum { TASKS_SHOWN = 10, CLASSES_SHOWN = 8, BAR_CELLS = 50, TASK_NAME_WIDTH = 26 };

// --- Sums ---

// Work of all chips together, and of the class that ends last.
typedef struct sums_t {
  double flop, hbm_bytes;            // Of the pod.
  double chip_flop, chip_hbm_bytes;  // Of a chip of the slowest class.
  const podium_chip_class_t *slowest;
} sums_t;

static double hbm_bytes_of(const podium_task_t *task) {
  return (double)task->hbm_read_bytes + (double)task->hbm_written_bytes;
}

static sums_t sum_up(const podium_profile_t *profile) {
  sums_t sums = {.slowest = &profile->classes[0]};
  for (int i = 1; i < profile->class_count; i++) {
    if (profile->classes[i].end_ps > sums.slowest->end_ps) {
      sums.slowest = &profile->classes[i];
    }
  }
  for (int i = 0; i < profile->class_count; i++) {
    const podium_chip_class_t *class = &profile->classes[i];
    double flop = 0, hbm_bytes = 0;
    for (int t = 0; t < class->total_count; t++) {
      const podium_task_t *task = &profile->tasks[class->totals[t].task];
      const double runs = (double)class->totals[t].run_count;
      flop += runs * (double)task->mxu_flop;
      hbm_bytes += runs * hbm_bytes_of(task);
    }
    sums.flop += flop * class->chip_count;
    sums.hbm_bytes += hbm_bytes * class->chip_count;
    if (class == sums.slowest) {
      sums.chip_flop = flop;
      sums.chip_hbm_bytes = hbm_bytes;
    }
  }
  return sums;
}

static double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

// "1.07 G", of FLOP and the like.
static const char *with_prefix(pod_arena_t *arena, double value) {
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < sizeof(prefixes) / sizeof(prefixes[0])) {
    value /= 1000;
    prefix++;
  }
  const int digits = value >= 99.95 || value == 0 ? 0 : value >= 9.995 ? 1 : 2;
  return pod_arena_printf(arena, "%.*f %s", digits, value, prefixes[prefix]);
}

// --- The head ---

static void print_step(pod_arena_t *arena, const podium_profile_t *profile,
                       const sums_t *sums) {
  const double step_s = (double)profile->step_ps / 1e12;
  const double peak = profile->bf16_flop_per_s;
  const double rate = share(sums->flop, step_s * profile->chip_count);
  printf("profile of %s on %d %s chip%s, %s: predicted device time\n", profile->program,
         profile->chip_count, profile->chip_kind, profile->chip_count == 1 ? "" : "s",
         profile->topology_name);
  printf("  step       %-12s MFU %.1f%%: %sFLOP per chip, %sFLOP/s of %sFLOP/s\n",
         cli_time(arena, profile->step_ps), 100 * share(rate, peak),
         with_prefix(arena, sums->flop / profile->chip_count), with_prefix(arena, rate),
         with_prefix(arena, peak));
  if (sums->flop == 0) {
    const double bytes_per_s = share(sums->hbm_bytes, step_s * profile->chip_count);
    printf("  roofline   no products on the MXU; %sB/s of HBM, %.1f%% of %sB/s\n",
           with_prefix(arena, bytes_per_s),
           100 * share(bytes_per_s, profile->hbm_bytes_per_s),
           with_prefix(arena, profile->hbm_bytes_per_s));
  } else if (sums->hbm_bytes > 0) {
    const double intensity = sums->flop / sums->hbm_bytes;
    const double ridge = share(peak, profile->hbm_bytes_per_s);
    const double roof = intensity < ridge ? intensity * profile->hbm_bytes_per_s : peak;
    printf("  roofline   %.1f FLOP per byte of HBM, ridge at %.1f: ", intensity, ridge);
    printf("%.1f%% of the %s roof of %sFLOP/s\n", 100 * share(rate, roof),
           intensity < ridge ? "HBM" : "MXU", with_prefix(arena, roof));
  }
  const podium_chip_class_t *slowest = sums->slowest;
  printf("  exposed    %s waiting for links or DMA, %.1f%% of the step; ",
         cli_time(arena, slowest->waiting_ps),
         100 * share((double)slowest->waiting_ps, (double)profile->step_ps));
  printf("%s overlapped\n", cli_time(arena, slowest->overlapped_ps));
  printf("  HBM peak   %s of %s per chip (%.1f%%)\n",
         cli_size(arena, profile->hbm_peak_bytes), cli_size(arena, profile->hbm_bytes),
         100 * share((double)profile->hbm_peak_bytes, (double)profile->hbm_bytes));
  int64_t host_ns = 0;
  for (int i = 0; i < profile->host_count; i++) {
    host_ns = profile->hosts[i].host_ns > host_ns ? profile->hosts[i].host_ns : host_ns;
  }
  if (profile->host_count > 0) {
    printf("  host       %s measured here, on the slowest of %d\n",
           cli_time(arena, host_ns * 1000), profile->host_count);
  }
}

// --- Engines ---

// Eighths of a cell.
static void print_bar(double part) {
  static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  part = part < 0 ? 0 : part > 1 ? 1 : part;
  const int filled = (int)(part * BAR_CELLS * 8 + 0.5);
  for (int i = 0; i < filled / 8; i++) {
    printf("█");
  }
  printf("%s", eighths[filled % 8]);
  for (int i = filled / 8 + (filled % 8 > 0); i < BAR_CELLS; i++) {
    printf("·");
  }
}

static void print_engine(pod_arena_t *arena, const char *name, const char *color,
                         int64_t busy_ps, int64_t step_ps) {
  const double part = share((double)busy_ps, (double)step_ps);
  printf("  %-5s%s", name, cli_color(color));
  print_bar(part);
  printf("%s %10s %5.1f%%\n", cli_color(""), cli_time(arena, busy_ps), 100 * part);
}

static void print_engines(pod_arena_t *arena, const podium_profile_t *profile,
                          const podium_chip_class_t *class) {
  printf("engines of chip %d, busy during the step\n", class->representative);
  print_engine(arena, "MXU", "32", class->mxu_ps, profile->step_ps);
  print_engine(arena, "VPU", "36", class->vpu_ps, profile->step_ps);
  print_engine(arena, "HBM", "34", class->hbm_ps, profile->step_ps);
  if (class->dma_ps > 0) {
    print_engine(arena, "DMA", "34", class->dma_ps, profile->step_ps);
  }
  print_engine(arena, "ICI", "35", class->ici_ps, profile->step_ps);
  const int64_t idle_ps = profile->step_ps - class->compute_ps;
  print_engine(arena, "idle", "31", idle_ps > 0 ? idle_ps : 0, profile->step_ps);
}

// --- Tasks ---

static int by_duration(const void *left, const void *right) {
  const podium_task_total_t *a = left, *b = right;
  if (a->duration_ps != b->duration_ps) {
    return a->duration_ps < b->duration_ps ? 1 : -1;
  }
  return (a->task > b->task) - (a->task < b->task);
}

// Loops and branches last as long as what is in them, which has rows of its own.
static bool is_control(const podium_task_t *task) {
  return task->kind == PODIUM_TASK_WHILE || task->kind == PODIUM_TASK_BRANCH;
}

// Bytes over HBM, or over the links for what only sends.
static const char *bytes_of(pod_arena_t *arena, const podium_task_t *task,
                            const podium_task_total_t *total) {
  const double bytes = hbm_bytes_of(task) * (double)total->run_count;
  return bytes == 0 ? "-" : pod_arena_printf(arena, "%sB", with_prefix(arena, bytes));
}

// The last `width` columns of a text that is longer: the place in a file matters more
// than its folders.
static const char *end_of(pod_arena_t *arena, const char *text, size_t width) {
  const size_t length = strlen(text);
  return length <= width ? text
                         : pod_arena_printf(arena, "…%s", text + length - (width - 1));
}

// "fusion.3 dot_general", "copy.1 ×100".
static const char *name_of(pod_arena_t *arena, const podium_task_t *task,
                           int64_t run_count) {
  const bool has_op = strncmp(task->name, task->op, strlen(task->op)) == 0;
  const char *name = has_op || *task->op == '\0'
                         ? task->name
                         : pod_arena_printf(arena, "%s %s", task->name, task->op);
  return run_count == 1 ? name
                        : pod_arena_printf(arena, "%.*s ×%" PRId64, TASK_NAME_WIDTH - 7,
                                           name, run_count);
}

static void print_task(pod_arena_t *arena, const podium_profile_t *profile,
                       const podium_task_total_t *total) {
  enum { SOURCE_WIDTH = 14 };
  const podium_task_t *task = &profile->tasks[total->task];
  const double runs = (double)total->run_count;
  const double flop = runs * (double)task->mxu_flop;
  const char *name = name_of(arena, task, total->run_count);
  const char *mxu =
      flop == 0
          ? "-"
          : pod_arena_printf(arena, "%.1f%%",
                             100 * share(flop, profile->bf16_flop_per_s *
                                                   (double)total->duration_ps / 1e12));
  // printf counts bytes, the sign is two of them.
  const int width = TASK_NAME_WIDTH + (total->run_count == 1 ? 0 : 1);
  printf("  %-*.*s%11s%11s %5.1f%%%7s%8s%7s %-5s %s\n", width, width, name,
         cli_time(arena, total->start_ps), cli_time(arena, total->duration_ps),
         100 * share((double)total->duration_ps, (double)profile->step_ps),
         flop == 0 ? "-" : with_prefix(arena, flop), bytes_of(arena, task, total), mxu,
         podium_bound_name(total->bound), end_of(arena, task->source, SOURCE_WIDTH));
}

static void print_tasks(pod_arena_t *arena, const podium_profile_t *profile,
                        const podium_chip_class_t *class) {
  podium_task_total_t *rows = pod_arena_copy(
      arena, class->totals, (size_t) class->total_count * sizeof(*class->totals));
  qsort(rows, (size_t) class->total_count, sizeof(*rows), by_duration);
  printf("  %-*s%11s%11s %6s%7s%8s%7s %-5s %s\n", TASK_NAME_WIDTH,
         pod_arena_printf(arena, "dearest on chip %d", class->representative), "start",
         "duration", "share", "FLOP", "HBM", "MXU", "bound", "source");
  int shown = 0;
  for (int i = 0; i < class->total_count && shown < TASKS_SHOWN; i++) {
    if (!is_control(&profile->tasks[rows[i].task]) && rows[i].duration_ps > 0) {
      print_task(arena, profile, &rows[i]);
      shown++;
    }
  }
}

// --- Classes ---

static void print_classes(pod_arena_t *arena, const podium_profile_t *profile) {
  if (profile->class_count == 1) {
    return;
  }
  printf("  %-22s%8s%12s%12s%12s%12s%12s\n", "classes of chips", "chips", "end",
         "computing", "waiting", "overlapped", "sent");
  for (int i = 0; i < profile->class_count && i < CLASSES_SHOWN; i++) {
    const podium_chip_class_t *class = &profile->classes[i];
    int64_t sent = 0;
    for (int d = 0; d < 6; d++) {
      sent += class->links[d].bytes;
    }
    const char *name = pod_arena_printf(arena, "%c: like chip %d", cli_class_letter(i),
                                        class->representative);
    printf("  %-22s%8d%12s%12s%12s%12s%12s\n", name, class->chip_count,
           cli_time(arena, class->end_ps), cli_time(arena, class->compute_ps),
           cli_time(arena, class->waiting_ps), cli_time(arena, class->overlapped_ps),
           cli_size(arena, sent));
  }
  if (profile->class_count > CLASSES_SHOWN) {
    printf("  … and %d more\n", profile->class_count - CLASSES_SHOWN);
  }
}

// --- The whole ---

const char *cli_color(const char *code) {
  static int is_colored = -1;
  if (is_colored < 0) {
    is_colored = isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL;
  }
  static char text[4][16];
  static int next = 0;
  if (!is_colored) {
    return "";
  }
  next = (next + 1) % 4;
  snprintf(text[next], sizeof(text[next]), "\033[%sm", code);
  return text[next];
}

void cli_print_profile(const podium_profile_t *profile) {
  if (profile->class_count == 0) {
    return;
  }
  pod_arena_t *arena = pod_arena_create();
  const sums_t sums = sum_up(profile);
  print_step(arena, profile, &sums);
  print_engines(arena, profile, sums.slowest);
  print_tasks(arena, profile, sums.slowest);
  print_classes(arena, profile);
  cli_print_links(profile);
  pod_arena_destroy(arena);
}
