// A profile in the report: what the summary shows, unrounded, and all of it.

#include "client/cli/cli.h"
#include "client/cli/report.h"
#include "client/profile/sums.h"

static void add_count(cJSON *object, const char *key, int64_t value) {
  cJSON_AddNumberToObject(object, key, (double)value);
}

static void add_known(cJSON *object, const char *key, bool is_known, double value) {
  if (is_known) {
    cJSON_AddNumberToObject(object, key, value);
  } else {
    cJSON_AddNullToObject(object, key);
  }
}

static void add_head(cJSON *object, const podium_profile_t *profile, double model_flop) {
  const profile_sums_t sums = profile_sums_of(profile);
  cJSON_AddStringToObject(object, "chip_kind", profile->chip_kind);
  cJSON_AddStringToObject(object, "topology", profile->topology_name);
  const int running = profile_chips_running(profile);
  cJSON_AddNumberToObject(object, "chips", profile->chip_count);
  cJSON_AddNumberToObject(object, "chips_running", running);
  add_count(object, "step_ps", profile->step_ps);
  add_count(object, "low_ps", profile->low_ps);
  add_count(object, "high_ps", profile->high_ps);
  cJSON_AddStringToObject(object, "rests_on", profile->rests_on);
  cJSON_AddNumberToObject(object, "hfu", sums.hfu);
  const double mfu = profile_mfu(profile, model_flop);
  add_known(object, "mfu", mfu >= 0, mfu);
  cJSON_AddNumberToObject(object, "dispatch_ps", (double)profile->dispatch_ps);
  cJSON_AddNumberToObject(object, "flop_per_chip", sums.flop / running);
  cJSON_AddNumberToObject(object, "busy_flop_per_chip", sums.busy_flop / running);
  cJSON_AddNumberToObject(object, "hbm_traffic_bytes_per_chip", sums.hbm_bytes / running);
  cJSON_AddNumberToObject(object, "bf16_flop_per_s", profile->bf16_flop_per_s);
  cJSON_AddNumberToObject(object, "hbm_bytes_per_s", profile->hbm_bytes_per_s);
  cJSON_AddNumberToObject(object, "ici_bytes_per_s", profile->ici_bytes_per_s);
  add_count(object, "hbm_peak_bytes", profile->hbm_peak_bytes);
  add_count(object, "hbm_bytes", profile->hbm_bytes);
  int64_t host_ns = 0;
  for (int i = 0; i < profile->host_count; i++) {
    host_ns = profile->hosts[i].host_ns > host_ns ? profile->hosts[i].host_ns : host_ns;
  }
  add_known(object, "host_ns", profile->host_count > 0, (double)host_ns);
}

static const char *backing_name(podium_backing_t backing) {
  switch (backing) {
    case PODIUM_BACKING_NONE:
      return "nothing";
    case PODIUM_BACKING_MEASURED:
      return "measured";
    case PODIUM_BACKING_RELATIVES:
      return "other kinds";
    case PODIUM_BACKING_GUESS:
      break;
  }
  return "guess";
}

static void add_links(cJSON *object, const podium_chip_class_t *class) {
  static const char *const names[] = {"+x", "-x",  "+y",      "-y",    "+z",
                                      "-z", "die", "dcn out", "dcn in"};
  cJSON *links = cJSON_AddArrayToObject(object, "links");
  for (int direction = 0; direction < PODIUM_LINK_COUNT; direction++) {
    const podium_link_t *from = &class->links[direction];
    if (from->messages > 0) {
      cJSON *link = cJSON_CreateObject();
      cJSON_AddStringToObject(link, "direction", names[direction]);
      add_count(link, "bytes", from->bytes);
      add_count(link, "busy_ps", from->busy_ps);
      add_count(link, "messages", from->messages);
      cJSON_AddItemToArray(links, link);
    }
  }
}

static void add_class(cJSON *list, const podium_chip_class_t *class) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "representative", class->representative);
  cJSON_AddNumberToObject(object, "chips", class->chip_count);
  add_count(object, "end_ps", class->end_ps);
  add_count(object, "compute_ps", class->compute_ps);
  add_count(object, "waiting_ps", class->waiting_ps);
  add_count(object, "overlapped_ps", class->overlapped_ps);
  add_count(object, "mxu_ps", class->mxu_ps);
  add_count(object, "vpu_ps", class->vpu_ps);
  add_count(object, "hbm_ps", class->hbm_ps);
  add_count(object, "dma_ps", class->dma_ps);
  add_count(object, "ici_ps", class->ici_ps);
  add_links(object, class);
  cJSON_AddItemToArray(list, object);
}

static void add_task(cJSON *list, const podium_program_info_t *info,
                     const podium_task_t *task, const podium_task_total_t *total) {
  const double runs = (double)total->run_count;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", task->name);
  cJSON_AddStringToObject(object, "op", profile_task_operation(info, task));
  cJSON_AddStringToObject(object, "shape", task->shape);
  cJSON_AddStringToObject(object, "source", task->source);
  cJSON_AddStringToObject(object, "bound", podium_bound_name(total->bound));
  add_count(object, "runs", total->run_count);
  add_count(object, "start_ps", total->start_ps);
  add_count(object, "duration_ps", total->duration_ps);
  add_count(object, "low_ps", task->low_ps);
  add_count(object, "high_ps", task->high_ps);
  cJSON_AddStringToObject(object, "rests_on", backing_name(task->backing));
  add_count(object, "waiting_ps", total->waiting_ps);
  cJSON_AddNumberToObject(object, "flop", runs * (double)task->mxu_flop);
  cJSON_AddNumberToObject(object, "hbm_bytes", runs * profile_task_hbm_bytes(task));
  add_count(object, "ici_bytes", total->ici_bytes);
  cJSON_AddItemToArray(list, object);
}

static void add_sums(cJSON *profile_object, const char *key_name,
                     const podium_program_info_t *info, const podium_profile_t *profile,
                     const podium_chip_class_t *class, profile_sum_key_t key) {
  pod_arena_t *arena = pod_arena_create();
  int count;
  const profile_sum_t *sums = profile_sum_tasks(arena, info, profile, class, key, &count);
  cJSON *list = cJSON_AddArrayToObject(profile_object, key_name);
  for (int i = 0; i < count; i++) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", sums[i].name);
    cJSON_AddNumberToObject(object, "tasks", sums[i].task_count);
    add_count(object, "runs", sums[i].run_count);
    add_count(object, "duration_ps", sums[i].duration_ps);
    add_count(object, "waiting_ps", sums[i].waiting_ps);
    cJSON_AddNumberToObject(object, "flop", sums[i].flop);
    cJSON_AddNumberToObject(object, "hbm_bytes", sums[i].hbm_bytes);
    add_count(object, "ici_bytes", sums[i].ici_bytes);
    cJSON_AddItemToArray(list, object);
  }
  pod_arena_destroy(arena);
}

void cli_report_profile(const podium_program_info_t *info,
                        const podium_profile_t *profile, double model_flop) {
  if (cli_report() == NULL || profile->class_count == 0) {
    return;
  }
  cJSON *object = cJSON_AddObjectToObject(cli_report(), "profile");
  add_head(object, profile, model_flop);
  cJSON *classes = cJSON_AddArrayToObject(object, "classes");
  for (int i = 0; i < profile->class_count; i++) {
    add_class(classes, &profile->classes[i]);
  }
  const podium_chip_class_t *slowest = profile_sums_of(profile).slowest;
  add_sums(object, "by_operation", info, profile, slowest, PROFILE_BY_OPERATION);
  add_sums(object, "by_source", info, profile, slowest, PROFILE_BY_SOURCE);
  cJSON *tasks = cJSON_AddArrayToObject(object, "tasks");
  for (int i = 0; i < slowest->total_count; i++) {
    const podium_task_total_t *total = &slowest->totals[i];
    add_task(tasks, info, &profile->tasks[total->task], total);
  }
}
