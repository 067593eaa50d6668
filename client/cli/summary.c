// The profile of an execution on a terminal: how long, what it was spent on, what bounds
// it. 100 columns.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/links.h"
#include "client/cli/terminal.h"
#include "client/profile/sums.h"
#include "common/base/text.h"

enum {
  TASKS_SHOWN = 10,
  CLASSES_SHOWN = 8,
  SUMS_SHOWN = 6,
  BAR_CELLS = 50,
  TASK_NAME_WIDTH = 26
};

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

static void print_use(pod_arena_t *arena, const podium_profile_t *profile,
                      double model_flop) {
  if (model_flop > 0) {
    cli_print("  model      MFU %.1f%%: %sFLOP that the model needs\n",
              100 * profile_mfu(profile, model_flop), with_prefix(arena, model_flop));
  } else if (profile_mfu(profile, 0) >= 0) {
    cli_print("  model      MFU %.1f%%: %sFLOP without what is computed again\n",
              100 * profile_mfu(profile, 0),
              with_prefix(arena, profile_sums_of(profile).model_flop));
  } else {
    cli_print(
        "  HFU        products executed, also those computed again, of the bf16 peak; "
        "MFU: "
        "--model-flop\n");
  }
}

// How far the step may be off, and a line for each thing that this rests on.
static void print_range(pod_arena_t *arena, const podium_profile_t *profile) {
  if (profile->high_ps == 0) {
    return;
  }
  cli_print("  range      %s to %s\n", cli_time(arena, profile->low_ps),
            cli_time(arena, profile->high_ps));
  for (const char *at = profile->rests_on; *at != '\0';) {
    const size_t length = strcspn(at, ";");
    cli_print("             %.*s\n", (int)length, at);
    at += length;
    at += strspn(at, "; ");
  }
}

static void print_step(pod_arena_t *arena, const podium_profile_t *profile,
                       const profile_sums_t *sums, double model_flop) {
  const double step_s = (double)profile->step_ps / 1e12;
  const double peak = profile->bf16_flop_per_s;
  const int chips = profile_chips_running(profile);
  const double rate = profile_share(sums->flop, step_s * chips);
  cli_print("profile of %s on %s%d %s chip%s, %s: predicted device time\n",
            profile->program,
            chips == profile->chip_count ? "" : pod_arena_printf(arena, "%d of ", chips),
            profile->chip_count, profile->chip_kind, profile->chip_count == 1 ? "" : "s",
            profile->topology_name);
  cli_print("  step       %-12s HFU %.1f%%: %sFLOP per chip, %sFLOP/s of %sFLOP/s\n",
            cli_time(arena, profile->step_ps), 100 * sums->hfu,
            with_prefix(arena, sums->flop / chips), with_prefix(arena, rate),
            with_prefix(arena, peak));
  print_range(arena, profile);
  print_use(arena, profile, model_flop);
  if (profile->dispatch_ps > 0) {
    cli_print(
        "  dispatch   %-12s for a call that waits for its result: predicted, beside "
        "the step\n",
        cli_time(arena, profile->dispatch_ps));
  }
  if (sums->flop == 0) {
    const double bytes_per_s = profile_share(sums->hbm_bytes, step_s * chips);
    cli_print("  roofline   no products on the MXU; %sB/s of HBM, %.1f%% of %sB/s\n",
              with_prefix(arena, bytes_per_s),
              100 * profile_share(bytes_per_s, profile->hbm_bytes_per_s),
              with_prefix(arena, profile->hbm_bytes_per_s));
  } else if (sums->hbm_bytes > 0) {
    const double intensity = sums->flop / sums->hbm_bytes;
    const double ridge = profile_share(peak, profile->hbm_bytes_per_s);
    const double roof = intensity < ridge ? intensity * profile->hbm_bytes_per_s : peak;
    cli_print("  roofline   %.1f FLOP per byte of HBM, ridge at %.1f: ", intensity,
              ridge);
    cli_print("%.1f%% of the %s roof of %sFLOP/s\n", 100 * profile_share(rate, roof),
              intensity < ridge ? "HBM" : "MXU", with_prefix(arena, roof));
  }
  const podium_chip_class_t *slowest = sums->slowest;
  cli_print("  exposed    %s waiting for links or DMA, %.1f%% of the step; ",
            cli_time(arena, slowest->waiting_ps),
            100 * profile_share((double)slowest->waiting_ps, (double)profile->step_ps));
  cli_print("%s overlapped\n", cli_time(arena, slowest->overlapped_ps));
  cli_print(
      "  HBM peak   %s of %s per chip (%.1f%%)\n",
      cli_size(arena, profile->hbm_peak_bytes), cli_size(arena, profile->hbm_bytes),
      100 * profile_share((double)profile->hbm_peak_bytes, (double)profile->hbm_bytes));
  int64_t host_ns = 0;
  for (int i = 0; i < profile->host_count; i++) {
    host_ns = profile->hosts[i].host_ns > host_ns ? profile->hosts[i].host_ns : host_ns;
  }
  if (profile->host_count > 0) {
    cli_print("  host       %s measured here, on the slowest of %d\n",
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
    cli_print("█");
  }
  cli_print("%s", eighths[filled % 8]);
  for (int i = filled / 8 + (filled % 8 > 0); i < BAR_CELLS; i++) {
    cli_print("·");
  }
}

static void print_engine(pod_arena_t *arena, const char *name, const char *color,
                         int64_t busy_ps, int64_t step_ps) {
  const double part = profile_share((double)busy_ps, (double)step_ps);
  cli_print("  %-5s%s", name, cli_color(color));
  print_bar(part);
  cli_print("%s %10s %5.1f%%\n", cli_color(""), cli_time(arena, busy_ps), 100 * part);
}

static void print_engines(pod_arena_t *arena, const podium_profile_t *profile,
                          const podium_chip_class_t *class) {
  cli_print("engines of chip %d, busy during the step\n", class->representative);
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

// Bytes over HBM, or over the links for what only sends.
static const char *bytes_of(pod_arena_t *arena, const podium_task_t *task,
                            const podium_task_total_t *total) {
  const double bytes = profile_task_hbm_bytes(task) * (double)total->run_count;
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
static const char *name_of(pod_arena_t *arena, const podium_program_info_t *info,
                           const podium_task_t *task, int64_t run_count) {
  const char *name = profile_task_title(arena, info, task);
  return run_count == 1 ? name
                        : pod_arena_printf(arena, "%.*s ×%" PRId64, TASK_NAME_WIDTH - 7,
                                           name, run_count);
}

static void print_task(pod_arena_t *arena, const podium_program_info_t *info,
                       const podium_profile_t *profile,
                       const podium_task_total_t *total) {
  enum { SOURCE_WIDTH = 14 };
  const podium_task_t *task = &profile->tasks[total->task];
  const double runs = (double)total->run_count;
  const double flop = runs * (double)task->mxu_flop;
  const char *name = name_of(arena, info, task, total->run_count);
  const char *mxu =
      flop == 0 ? "-"
                : pod_arena_printf(
                      arena, "%.1f%%",
                      100 * profile_share(flop, profile->bf16_flop_per_s *
                                                    (double)total->duration_ps / 1e12));
  // printf counts bytes, the sign is two of them.
  const int width = TASK_NAME_WIDTH + (total->run_count == 1 ? 0 : 1);
  cli_print("  %-*.*s%11s%11s %5.1f%%%7s%8s%7s %-5s %s\n", width, width, name,
            cli_time(arena, total->start_ps), cli_time(arena, total->duration_ps),
            100 * profile_share((double)total->duration_ps, (double)profile->step_ps),
            flop == 0 ? "-" : with_prefix(arena, flop), bytes_of(arena, task, total), mxu,
            profile_total_bound(profile, total),
            end_of(arena, task->source, SOURCE_WIDTH));
}

static void print_tasks(pod_arena_t *arena, const podium_program_info_t *info,
                        const podium_profile_t *profile,
                        const podium_chip_class_t *class) {
  podium_task_total_t *rows = pod_arena_copy(
      arena, class->totals, (size_t) class->total_count * sizeof(*class->totals));
  qsort(rows, (size_t) class->total_count, sizeof(*rows), by_duration);
  cli_print("  %-*s%11s%11s %6s%7s%8s%7s %-5s %s\n", TASK_NAME_WIDTH,
            pod_arena_printf(arena, "dearest on chip %d", class->representative), "start",
            "duration", "share", "FLOP", "HBM", "MXU", "bound", "source");
  int shown = 0;
  for (int i = 0; i < class->total_count && shown < TASKS_SHOWN; i++) {
    if (!profile_task_is_control(&profile->tasks[rows[i].task]) &&
        rows[i].duration_ps > 0) {
      print_task(arena, info, profile, &rows[i]);
      shown++;
    }
  }
}

// --- Sums by operation and by source ---

static void print_sum(pod_arena_t *arena, const podium_profile_t *profile,
                      const profile_sum_t *sum) {
  const char *name = *sum->name == '\0' ? "(no source)" : sum->name;
  const char *waits = sum->waiting_ps == 0 ? "-" : cli_time(arena, sum->waiting_ps);
  const char *hbm =
      sum->hbm_bytes == 0
          ? "-"
          : pod_arena_printf(arena, "%sB", with_prefix(arena, sum->hbm_bytes));
  const char *ici = sum->ici_bytes == 0 ? "-" : cli_size(arena, sum->ici_bytes);
  // printf counts bytes, "…" is three of them.
  const char *shown = end_of(arena, name, TASK_NAME_WIDTH);
  const int width = TASK_NAME_WIDTH + (shown == name ? 0 : 2);
  cli_print("  %-*s%8" PRId64 "%11s %5.1f%%%11s%8s%9s%11s\n", width, shown,
            sum->run_count, cli_time(arena, sum->duration_ps),
            100 * profile_share((double)sum->duration_ps, (double)profile->step_ps),
            waits, sum->flop == 0 ? "-" : with_prefix(arena, sum->flop), hbm, ici);
}

// Nothing where every task has a name of its own: the list above has it all.
static void print_sums(pod_arena_t *arena, const podium_program_info_t *info,
                       const podium_profile_t *profile, const podium_chip_class_t *class,
                       profile_sum_key_t key, const char *title) {
  int count;
  const profile_sum_t *sums = profile_sum_tasks(arena, info, profile, class, key, &count);
  int task_count = 0;
  for (int i = 0; i < count; i++) {
    task_count += sums[i].task_count;
  }
  if (task_count == count || count == 1) {
    return;
  }
  cli_print("  %-*s%8s%11s %6s%11s%8s%9s%11s\n", TASK_NAME_WIDTH, title, "runs",
            "duration", "share", "waiting", "FLOP", "HBM", "sent");
  for (int i = 0; i < count && i < SUMS_SHOWN; i++) {
    print_sum(arena, profile, &sums[i]);
  }
  if (count > SUMS_SHOWN) {
    cli_print("  … and %d more\n", count - SUMS_SHOWN);
  }
}

// --- Classes ---

static void print_classes(pod_arena_t *arena, const podium_profile_t *profile) {
  if (profile->class_count == 1) {
    return;
  }
  cli_print("  %-22s%8s%12s%12s%12s%12s%12s\n", "classes of chips", "chips", "end",
            "computing", "waiting", "overlapped", "sent");
  for (int i = 0; i < profile->class_count && i < CLASSES_SHOWN; i++) {
    const podium_chip_class_t *class = &profile->classes[i];
    int64_t sent = 0;
    for (int d = 0; d < 6; d++) {
      sent += class->links[d].bytes;
    }
    const char *name = pod_arena_printf(arena, "%c: like chip %d", cli_class_letter(i),
                                        class->representative);
    cli_print("  %-22s%8d%12s%12s%12s%12s%12s\n", name, class->chip_count,
              cli_time(arena, class->end_ps), cli_time(arena, class->compute_ps),
              cli_time(arena, class->waiting_ps), cli_time(arena, class->overlapped_ps),
              cli_size(arena, sent));
  }
  if (profile->class_count > CLASSES_SHOWN) {
    cli_print("  … and %d more\n", profile->class_count - CLASSES_SHOWN);
  }
}

// --- The whole ---

void cli_print_profile(const podium_program_info_t *info, const podium_profile_t *profile,
                       double model_flop) {
  if (profile->class_count == 0) {
    return;
  }
  pod_arena_t *arena = pod_arena_create();
  const profile_sums_t sums = profile_sums_of(profile);
  const podium_chip_class_t *slowest = sums.slowest;
  print_step(arena, profile, &sums, model_flop);
  print_engines(arena, profile, slowest);
  print_tasks(arena, info, profile, slowest);
  print_sums(arena, info, profile, slowest, PROFILE_BY_OPERATION, "by operation");
  print_sums(arena, info, profile, slowest, PROFILE_BY_SOURCE, "by source line");
  print_classes(arena, profile);
  cli_print_links(profile);
  pod_arena_destroy(arena);
}
