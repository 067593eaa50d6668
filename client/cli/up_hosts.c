// podium up --hosts: a pod on other machines, by ssh.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/hosts_keys.h"
#include "client/cli/hosts_pod.h"
#include "client/cli/interrupts.h"
#include "client/cli/local_pod.h"
#include "client/cli/report.h"
#include "client/cli/terminal.h"
#include "common/base/arena.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/text.h"

enum {
  CHIPS_OF_A_HOST = 4,
  MS_PER_S = 1000,
  NS_PER_MS = 1000000,
  ASK_MS = 10000,
  POLL_MS = 100,
  LET_END_MS = 5000,
  ASK_AGAIN_MS = 4000,  // Hosts that are missing, what they do.
  TOLD_MAX = 4,         // Hosts that the line of progress names.
};

typedef struct start_t {
  const cli_hosts_options_t *options;
  cli_pod_t *pod;
  cli_hosts_keys_t *keys;
  podium_session_t *session;
  cli_progress_t *progress;
  int32_t chips;  // Of each host.
  char *topology, *kind, *page;
  bool *has_answered;
  int64_t started_ns;
} start_t;

// --- Interrupts ---

// The pod that is being started, by its name; "": none. Guarded by the lock.
static char interrupted_name[128];

static void set_interruptible(const char *name) {
  cli_interrupts_hold();
  snprintf(interrupted_name, sizeof(interrupted_name), "%s", name);
  cli_interrupts_release();
}

// What machines are just being told is told whole, if that takes no longer than a moment:
// a script that comes later than the one that stops it would start what nobody stops.
static void let_calls_end(const launch_children_t *children) {
  const int64_t end_ns = pod_clock_now_ns() + (int64_t)LET_END_MS * NS_PER_MS;
  for (int i = 0; i < LAUNCH_PARALLEL_MAX; i++) {
    siginfo_t info = {0};
    while (children->pids[i] > 0 && pod_clock_now_ns() < end_ns &&
           waitid(P_PID, (id_t)children->pids[i], &info, WEXITED | WNOHANG | WNOWAIT) ==
               0 &&
           info.si_pid == 0) {
      nanosleep(&(struct timespec){.tv_nsec = (long)POLL_MS * NS_PER_MS}, NULL);
    }
    if (children->pids[i] > 0) {
      kill(children->pids[i], SIGKILL);
    }
  }
}

// On the thread of interrupts, from the state as it was saved last: what this process
// holds of the pod is another thread's.
void cli_hosts_interrupted(void) {
  if (*interrupted_name == '\0') {
    return;
  }
  let_calls_end(cli_hosts_children());
  cli_pod_t *pod;
  pod_status_t status = cli_pod_load(interrupted_name, &pod);
  if (status != NULL || pod->hosts == NULL) {
    char *folder = cli_pod_folder(interrupted_name);
    cli_remove_folder(folder);  // It had not begun.
    free(folder);
    pod_status_free(status);
    return;
  }
  fprintf(stderr, "podium: stopping what was started on %d hosts\n",
          pod->hosts->hosts.count);
  launch_children_t own = {.prepare_child = cli_interrupts_restore_in_child};
  pod->hosts->children = &own;
  status = cli_hosts_end(pod);
  if (status != NULL) {
    fprintf(stderr, "podium: %s\n", pod_status_message(status));
    pod_status_free(status);
  }
}

// --- Hosts ---

// "ann@tpu-1" is meant by itself and by "tpu-1".
static bool is_meant(const char *destination, const char *name) {
  const char *at = strrchr(destination, '@');
  return strcmp(destination, name) == 0 || (at != NULL && strcmp(at + 1, name) == 0);
}

static pod_status_t choose_coordinator(const char *name, launch_pod_t *hosts) {
  for (int32_t i = 0; name != NULL && i < hosts->hosts.count; i++) {
    if (is_meant(hosts->hosts.items[i].destination, name)) {
      hosts->coordinator = i;
      return NULL;
    }
  }
  return name == NULL ? NULL
                      : pod_error(POD_INVALID_ARGUMENT,
                                  "--coordinator: %s is none of the hosts", name);
}

pod_status_t cli_hosts_read(const cli_hosts_options_t *options, const char *tag,
                            launch_pod_t **out_hosts) {
  char *text;
  size_t length;
  POD_TRY(cli_read_file(options->file, &text, &length));
  launch_hosts_t list = {0};
  pod_status_t status = launch_hosts_parse(options->file, text, &list);
  free(text);
  POD_TRY(status);
  launch_pod_t *hosts = pod_alloc(sizeof(*hosts));
  launch_pod_init(hosts, &list, tag);
  status = choose_coordinator(options->coordinator, hosts);
  if (status != NULL) {
    cli_hosts_free(hosts);
    return status;
  }
  hosts->ssh = options->ssh == NULL ? NULL : pod_strdup(options->ssh);
  hosts->ssh_config =
      options->ssh_config == NULL ? NULL : pod_strdup(options->ssh_config);
  hosts->ssh_timeout_ms = options->ssh_timeout_ms;
  hosts->children = cli_hosts_children();
  *out_hosts = hosts;
  return NULL;
}

// --- Steps ---

static char *folder_of_this_program(void) {
  char *path = cli_sibling("");
  path[strlen(path) - 1] = '\0';  // The slash.
  return path;
}

// Who has not answered yet, for the line of progress.
static void note_waiting(const start_t *start) {
  const launch_pod_t *hosts = start->pod->hosts;
  pod_text_t text = {0};
  int32_t count = 0;
  for (int32_t i = 0; i < hosts->hosts.count; i++) {
    if (!start->has_answered[i] && count++ < TOLD_MAX) {
      pod_text_printf(&text, "%s%s", count == 1 ? "for " : ", ",
                      hosts->hosts.items[i].destination);
    }
  }
  if (count > TOLD_MAX) {
    pod_text_printf(&text, " and %d more", count - TOLD_MAX);
  }
  pod_text_add(&text, "");
  cli_progress_note(start->progress, text.bytes);
  pod_text_deinit(&text);
}

static void on_answer(void *context, int32_t index, const char *error) {
  (void)error;
  const start_t *start = context;
  start->has_answered[index] = true;
  note_waiting(start);
}

static void begin_step(start_t *start, const char *what, bool is_for_all) {
  launch_pod_t *hosts = start->pod->hosts;
  for (int32_t i = 0; i < hosts->hosts.count; i++) {
    start->has_answered[i] = !is_for_all && i != hosts->coordinator;
  }
  cli_progress_step(start->progress, what, 0);
  note_waiting(start);
}

static pod_status_t probe(start_t *start) {
  begin_step(start, "reaching the hosts", true);
  char *folder = folder_of_this_program();
  const pod_status_t status =
      launch_pod_probe(start->pod->hosts, folder, podium_version());
  free(folder);
  return status;
}

// By which clients and workers reach it: its machine's, and the port that it has.
static char *address_of(const launch_pod_t *hosts, const char *listens) {
  const char *address = hosts->machines[hosts->coordinator].address;
  const char *port = strrchr(listens, ':');
  pod_text_t text = {0};
  pod_text_printf(&text, strchr(address, ':') == NULL ? "%s%s" : "[%s]%s", address,
                  port == NULL ? "" : port);
  return pod_text_take(&text);
}

static pod_status_t serve(start_t *start) {
  begin_step(start, "starting the coordinator", false);
  launch_start_t there;
  POD_TRY(cli_hosts_keys_serve(start->keys, start->options, start->topology, &there));
  char *listens;
  POD_TRY(launch_pod_serve(start->pod->hosts, &there, &listens));
  start->pod->address = address_of(start->pod->hosts, listens);
  free(listens);
  return cli_pod_save(start->pod);
}

static pod_status_t connect_to(start_t *start) {
  const cli_pod_t *pod = start->pod;
  cli_progress_step(start->progress, "calling the coordinator", 0);
  cli_progress_note(start->progress, "");
  pod_arena_t *arena = pod_arena_create();
  const podium_connect_options_t options = {
      .client_name = "podium up",
      .do_not_wait = true,
      .timeout_ms = start->options->ssh_timeout_ms,
      .tls_ca = pod_arena_printf(arena, "%s/keys/ca.crt", pod->folder),
      .tls_certificate = pod_arena_printf(arena, "%s/keys/administer.crt", pod->folder),
      .tls_key = pod_arena_printf(arena, "%s/keys/administer.key", pod->folder),
      .token_file = pod_arena_printf(arena, "%s/keys/" CLI_HOSTS_TOKEN, pod->folder)};
  pod_status_t status =
      cli_status_of(podium_connect(pod->address, &options, &start->session));
  pod_arena_destroy(arena);
  if (status != NULL && pod_status_code(status) == POD_UNAVAILABLE) {
    const pod_status_t told = pod_error(
        POD_UNAVAILABLE,
        "the coordinator runs on %s, and is not reached from here at %s. Does a firewall "
        "stand between? --port chooses a port that it lets through; address= in the "
        "host's line says another address: %s",
        pod->hosts->hosts.items[pod->hosts->coordinator].destination, pod->address,
        pod_status_message(status));
    pod_status_free(status);
    status = told;
  }
  return status;
}

// How many chips each host runs: what its line says, else its share.
static pod_status_t share_chips(start_t *start) {
  podium_pod_t *info;
  POD_TRY(cli_status_of(podium_pod(start->session, ASK_MS, &info)));
  const launch_hosts_t *hosts = &start->pod->hosts->hosts;
  const int32_t chips = hosts->items[0].chips;
  const int32_t wanted = info->device_count;
  pod_status_t status = NULL;
  if (chips != 0 && chips * hosts->count != wanted) {
    status = pod_error(POD_INVALID_ARGUMENT,
                       "%d hosts of %d chips have %d chips, and a torus of %s has %d",
                       hosts->count, chips, chips * hosts->count, info->topology, wanted);
  } else if (wanted % hosts->count != 0) {
    status = pod_error(POD_INVALID_ARGUMENT,
                       "the %d chips of %s are not to be shared evenly by %d hosts",
                       wanted, info->topology, hosts->count);
  }
  start->chips = wanted / hosts->count;
  free(start->kind);
  start->kind = pod_strdup(info->chip_kind);
  podium_pod_free(info);
  return status;
}

static pod_status_t start_hosts(start_t *start) {
  begin_step(start, "starting the hosts", true);
  launch_pod_t *hosts = start->pod->hosts;
  launch_start_t *starts = pod_alloc((size_t)hosts->hosts.count * sizeof(*starts));
  pod_status_t status = NULL;
  for (int32_t i = 0; i < hosts->hosts.count && status == NULL; i++) {
    status = cli_hosts_keys_host(start->keys, i, start->pod->address, start->chips,
                                 &starts[i]);
  }
  if (status == NULL) {
    status = launch_pod_start_hosts(hosts, starts);
  }
  free(starts);
  return status;
}

// --- Readiness ---

// Chips of each host that have joined, by the process index that its rank gives them.
static void count_chips(const podium_pod_t *info, int32_t hosts, int32_t *out_joined) {
  memset(out_joined, 0, (size_t)hosts * sizeof(*out_joined));
  for (int i = 0; i < info->device_count; i++) {
    const podium_device_t *device = &info->devices[i];
    const char *field = strstr(device->name, "process_index=");
    const long rank = field == NULL ? -1 : strtol(strchr(field, '=') + 1, NULL, 10);
    const bool is_there =
        strcmp(device->state, "ready") == 0 || strcmp(device->state, "joining") == 0;
    if (is_there && rank >= 0 && rank < hosts) {
      out_joined[rank]++;
    }
  }
}

// "for tpu-3 (0 of 4 chips), tpu-4 (2 of 4 chips)"
static void note_missing(const start_t *start, const int32_t *joined) {
  const launch_pod_t *hosts = start->pod->hosts;
  pod_text_t text = {0};
  int32_t count = 0;
  for (int32_t i = 0; i < hosts->hosts.count; i++) {
    if (joined[i] < start->chips && count++ < TOLD_MAX) {
      const char *why = hosts->machines[i].error;
      pod_text_printf(&text, "%s%s (%d of %d chips)%s%s", count == 1 ? "for " : ", ",
                      hosts->hosts.items[i].destination, joined[i], start->chips,
                      why == NULL || *why == '\0' ? "" : ": ", why == NULL ? "" : why);
    }
  }
  if (count > TOLD_MAX) {
    pod_text_printf(&text, " and %d more", count - TOLD_MAX);
  }
  if (count == 0) {
    pod_text_add(&text, "for links between the chips");
  }
  cli_progress_note(start->progress, text.bytes);
  pod_text_deinit(&text);
}

// Why hosts that are missing are: all that have ended, or at the end all.
static pod_status_t ask_missing(const start_t *start, const int32_t *joined,
                                bool is_over) {
  launch_pod_t *hosts = start->pod->hosts;
  for (int32_t i = 0; i < hosts->hosts.count; i++) {
    hosts->machines[i].is_wanted = joined[i] < start->chips;
  }
  launch_pod_ask(hosts);
  pod_text_t text = {0};
  bool has_ended = false;
  for (int32_t i = 0; i < hosts->hosts.count; i++) {
    if (joined[i] < start->chips) {
      const char *why = hosts->machines[i].error;
      has_ended |= why != NULL && strstr(why, "has ended") != NULL;
      pod_text_printf(&text, "\n  %s: %d of %d chips have joined%s%s",
                      hosts->hosts.items[i].destination, joined[i], start->chips,
                      why == NULL || *why == '\0' ? "" : "; ", why == NULL ? "" : why);
    }
  }
  pod_status_t status = NULL;
  if (has_ended || is_over) {
    status =
        pod_error(has_ended ? POD_FAILED_PRECONDITION : POD_DEADLINE_EXCEEDED,
                  "the pod does not become ready%s:%s", has_ended ? "" : " in time",
                  text.length == 0 ? "\n  chips are there, links between them are not"
                                   : text.bytes);
  }
  pod_text_deinit(&text);
  return status;
}

static pod_status_t wait_until_ready(start_t *start) {
  const int32_t count = start->pod->hosts->hosts.count;
  int32_t *joined = pod_alloc((size_t)count * sizeof(*joined));
  const int64_t end_ns = pod_clock_now_ns() + start->options->timeout_ms * NS_PER_MS;
  int64_t ask_ns = pod_clock_now_ns() + (int64_t)ASK_AGAIN_MS * NS_PER_MS;
  cli_progress_step(start->progress, "waiting for the chips", 0);
  pod_status_t status = NULL;
  for (bool is_ready = false; !is_ready && status == NULL;) {
    podium_pod_t *info;
    status = cli_status_of(podium_pod(start->session, ASK_MS, &info));
    if (status != NULL) {
      break;
    }
    is_ready = info->ready;
    count_chips(info, count, joined);
    free(start->page);
    start->page = pod_strdup(info->page);
    podium_pod_free(info);
    const int64_t now_ns = pod_clock_now_ns();
    if (!is_ready && (now_ns > ask_ns || now_ns > end_ns)) {
      status = ask_missing(start, joined, now_ns > end_ns);
      ask_ns = pod_clock_now_ns() + (int64_t)ASK_AGAIN_MS * NS_PER_MS;
    }
    if (!is_ready && status == NULL) {
      note_missing(start, joined);
      nanosleep(&(struct timespec){.tv_nsec = (long)POLL_MS * NS_PER_MS}, NULL);
    }
  }
  free(joined);
  return status;
}

// --- The whole ---

static pod_status_t start_all(start_t *start) {
  POD_TRY(probe(start));
  POD_TRY(cli_pod_save(start->pod));  // From now on there is something to be ended.
  POD_TRY(cli_hosts_keys_make(start->pod->hosts, start->pod->folder, &start->keys));
  POD_TRY(serve(start));
  POD_TRY(connect_to(start));
  POD_TRY(share_chips(start));
  POD_TRY(start_hosts(start));
  POD_TRY(wait_until_ready(start));
  start->pod->is_up = true;
  return cli_pod_save(start->pod);
}

static void tell(const start_t *start) {
  const cli_pod_t *pod = start->pod;
  const char *name = start->options->name;
  cli_print("%s\n", pod->address);
  if (cli_report() != NULL) {
    cJSON_AddStringToObject(cli_report(), "name", name);
    cJSON_AddStringToObject(cli_report(), "address", pod->address);
    cJSON_AddStringToObject(cli_report(), "chip_kind", start->kind);
    cJSON_AddStringToObject(cli_report(), "topology", start->topology);
    cJSON_AddStringToObject(cli_report(), "folder", pod->folder);
    cJSON_AddStringToObject(cli_report(), "page", start->page);
  }
  fprintf(stderr,
          "pod '%s': %s %s on %d hosts ready after %.2f s; `podium run … --pod %s` runs "
          "on it, `podium down %s` ends it. Keys for others: %s/keys\n",
          name, start->topology, start->kind, pod->hosts->hosts.count,
          (double)(pod_clock_now_ns() - start->started_ns) / 1e9, name, name,
          pod->folder);
  if (*start->page != '\0') {
    fprintf(stderr,
            "see it in a browser, by a link that is for you alone: %s (the browser knows "
            "the pod's certificate once it has %s/keys/ca.crt)\n",
            start->page, pod->folder);
  }
}

// Without a topology: four chips on each host, or as many as their lines say.
static char *topology_of(const cli_hosts_options_t *options,
                         const launch_hosts_t *hosts) {
  const int32_t chips = hosts->items[0].chips;
  return options->topology != NULL
             ? pod_strdup(options->topology)
             : cli_topology_for((int64_t)hosts->count *
                                (chips == 0 ? CHIPS_OF_A_HOST : chips));
}

static pod_status_t make_pod(const cli_hosts_options_t *options, cli_pod_t **out_pod) {
  unsigned random;
  if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
    return pod_error(POD_INTERNAL, "no random numbers");
  }
  pod_text_t tag = {0};
  pod_text_printf(&tag, "%s-%08x", options->name, random);
  launch_pod_t *hosts;
  const pod_status_t status = cli_hosts_read(options, tag.bytes, &hosts);
  pod_text_deinit(&tag);
  POD_TRY(status);
  cli_pod_t *pod = pod_alloc(sizeof(*pod));
  pod->hosts = hosts;
  pod->folder = cli_pod_folder(options->name);
  hosts->control = pod_strdup(pod->folder);
  *out_pod = pod;
  return NULL;
}

// Ends what was started; what cannot be ended is told with the reason for it.
static pod_status_t undo(start_t *start, pod_status_t status) {
  cli_progress_step(start->progress, "stopping what was started", 0);
  cli_progress_note(start->progress, "");
  start->pod->hosts->answered = NULL;
  const pod_status_t left = cli_hosts_end(start->pod);
  if (left == NULL) {
    return status;
  }
  const pod_status_t both =
      pod_error(pod_status_code(status), "%s\n%s", pod_status_message(status),
                pod_status_message(left));
  pod_status_free(status);
  pod_status_free(left);
  return both;
}

static pod_status_t run(start_t *start) {
  pod_status_t status = make_pod(start->options, &start->pod);
  if (status != NULL) {
    char *folder = cli_pod_folder(start->options->name);
    cli_remove_folder(folder);  // Which was claimed.
    free(folder);
    return status;
  }
  launch_pod_t *hosts = start->pod->hosts;
  start->has_answered = pod_alloc((size_t)hosts->hosts.count * sizeof(bool));
  start->topology = topology_of(start->options, &hosts->hosts);
  hosts->answered = on_answer;
  hosts->context = start;
  start->progress = cli_progress_start(false);
  set_interruptible(start->options->name);
  status = start_all(start);
  podium_close(start->session);
  if (status == NULL) {
    set_interruptible("");
    cli_progress_stop(start->progress);
    tell(start);
    cli_pod_free(start->pod);
  } else {
    status = undo(start, status);
    set_interruptible("");
    cli_progress_stop(start->progress);
  }
  return status;
}

int cli_up_hosts(const cli_hosts_options_t *options) {
  start_t start = {.options = options, .started_ns = pod_clock_now_ns()};
  int lock;
  pod_status_t status = cli_pod_claim(options->name, &lock);
  if (status == NULL) {
    status = run(&start);
    (void)close(lock);
  }
  cli_hosts_keys_free(start.keys);
  free(start.topology);
  free(start.kind);
  free(start.page);
  free(start.has_answered);
  return status == NULL ? CLI_OK : cli_fail(status);
}

// --- down ---

typedef struct ending_t {
  cli_progress_t *progress;
  const launch_pod_t *hosts;
} ending_t;

// Hosts answer twice at most; who has not is not known here, but how many have.
static void on_ended(void *context, int32_t index, const char *error) {
  const ending_t *ending = context;
  pod_text_t text = {0};
  pod_text_printf(&text, "for others than %s%s%s",
                  ending->hosts->hosts.items[index].destination,
                  error == NULL ? "" : ": ", error == NULL ? "" : error);
  cli_progress_note(ending->progress, text.bytes);
  pod_text_deinit(&text);
}

pod_status_t cli_hosts_end_shown(cli_pod_t *pod) {
  ending_t ending = {.progress = cli_progress_start(false), .hosts = pod->hosts};
  pod->hosts->answered = on_ended;
  pod->hosts->context = &ending;
  cli_progress_step(ending.progress, "stopping the pod", 0);
  const pod_status_t status = cli_hosts_end(pod);
  cli_progress_stop(ending.progress);
  return status;
}

int cli_down_hosts(const cli_hosts_options_t *options) {
  launch_pod_t *hosts;
  pod_status_t status = cli_pod_check_name(options->name);
  if (status == NULL) {
    status = cli_hosts_read(options, "", &hosts);
  }
  if (status != NULL) {
    return cli_fail(status);
  }
  int32_t stopped;
  status = launch_pod_sweep(hosts, options->name, &stopped);
  cli_hosts_free(hosts);
  if (status != NULL) {
    (void)cli_fail(status);
    return CLI_FAILED;
  }
  cli_print("%d part(s) of pods '%s' ended\n", stopped, options->name);
  if (cli_report() != NULL) {
    cJSON_AddStringToObject(cli_report(), "name", options->name);
  }
  return CLI_OK;
}
