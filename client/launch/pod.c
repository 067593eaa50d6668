#include "client/launch/pod.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

enum {
  TOLD_MAX = 8,      // Machines that an error names.
  SERVE_MS = 20000,  // Besides the time of ssh.
  STOP_MS = 25000,
  HANG_UP_MS = 2000,
  EXIT_OF_SSH = 255,        // Its own; others are the script's.
  CONTROL_FOLDER_MAX = 80,  // What a socket's path has room for, with what ssh adds.
};

void launch_pod_init(launch_pod_t *pod, launch_hosts_t *hosts, const char *tag) {
  *pod = (launch_pod_t){.hosts = *hosts, .tag = pod_strdup(tag)};
  *hosts = (launch_hosts_t){0};
  pod->machines = pod_alloc((size_t)pod->hosts.count * sizeof(*pod->machines));
}

static void forget(launch_machine_t *machine) {
  free(machine->program);
  free(machine->base);
  free(machine->address);
  free(machine->error);
  free(machine->output);
  *machine = (launch_machine_t){0};
}

void launch_pod_deinit(launch_pod_t *pod) {
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    forget(&pod->machines[i]);
  }
  free(pod->machines);
  launch_hosts_deinit(&pod->hosts);
  free(pod->tag);
  free(pod->ssh);
  free(pod->ssh_config);
  free(pod->control);
}

// --- ssh ---

typedef POD_LIST(char *) command_t;

static void add(command_t *command, const char *word) {
  *pod_list_add(command) = pod_strdup(word);
}

static void add_option(command_t *command, const char *name, long long value) {
  pod_text_t text = {0};
  pod_text_printf(&text, "-o%s=%lld", name, value);
  *pod_list_add(command) = pod_text_take(&text);
}

static void add_control(command_t *command, const launch_pod_t *pod, int32_t index) {
  if (pod->control == NULL || strlen(pod->control) > CONTROL_FOLDER_MAX) {
    return;
  }
  pod_text_t path = {0};
  pod_text_printf(&path, "-oControlPath=%s/ssh-%d", pod->control, index);
  *pod_list_add(command) = pod_text_take(&path);
  add(command, "-oControlMaster=auto");
  add(command, "-oControlPersist=20");  // A killed `podium up` leaves none for long.
}

// Of what is said twice ssh takes the first: the host's own options come before ours.
// `last` is what ssh does; NULL: a shell that reads what it shall do.
static char **command_of(const launch_pod_t *pod, int32_t index, const char *last) {
  enum { ALIVE_S = 5, ALIVE_COUNT = 3, MS_PER_S = 1000 };
  const launch_host_t *host = &pod->hosts.items[index];
  command_t command = {0};
  add(&command, pod->ssh == NULL ? "ssh" : pod->ssh);
  if (pod->ssh_config != NULL) {
    add(&command, "-F");
    add(&command, pod->ssh_config);
  }
  for (int32_t i = 0; i < host->options.count; i++) {
    add(&command, host->options.items[i]);
  }
  add(&command, "-T");
  add(&command, "-oBatchMode=yes");  // Nobody answers for many at once.
  add_option(&command, "ConnectTimeout", (pod->ssh_timeout_ms - 1) / MS_PER_S + 1);
  add_option(&command, "ServerAliveInterval", ALIVE_S);
  add_option(&command, "ServerAliveCountMax", ALIVE_COUNT);
  add_control(&command, pod, index);
  if (last != NULL) {
    add(&command, "-O");
    add(&command, last);
  }
  add(&command, "--");
  add(&command, host->destination);
  if (last == NULL) {
    add(&command, "exec sh -s");
  }
  *pod_list_add(&command) = NULL;
  return command.items;
}

char **launch_pod_command(const launch_pod_t *pod, int32_t index) {
  return command_of(pod, index, NULL);
}

void launch_command_free(char **command) {
  for (char **word = command; *word != NULL; word++) {
    free(*word);
  }
  free(command);
}

// --- Calls ---

// What stands last in a text that people read, without its newlines. Returns owned.
static char *last_line(const pod_text_t *text) {
  size_t end = text->length;
  while (end > 0 && (text->bytes[end - 1] == '\n' || text->bytes[end - 1] == '\r')) {
    end--;
  }
  size_t start = end;
  while (start > 0 && text->bytes[start - 1] != '\n') {
    start--;
  }
  pod_text_t line = {0};
  pod_text_add_bytes(&line, text->bytes == NULL ? "" : text->bytes + start, end - start);
  return pod_text_take(&line);
}

// Why a call failed, as owned words; NULL: it did not.
static char *failure_of(const launch_call_t *call) {
  char *refusal = launch_refusal(call->output.bytes);
  if (refusal != NULL || (call->exit_status == 0 && !call->is_late)) {
    return refusal;
  }
  pod_text_t text = {0};
  char *said = last_line(&call->errors);
  if (call->is_late) {
    pod_text_printf(&text, "no answer by ssh within %lld s",
                    (long long)(call->timeout_ms / 1000));
  } else if (call->exit_status == EXIT_OF_SSH) {
    pod_text_printf(&text, "%s", *said == '\0' ? "ssh has lost the connection" : said);
  } else {
    pod_text_printf(&text, "its shell ended with status %d%s%s", call->exit_status,
                    *said == '\0' ? "" : ": ", said);
  }
  free(said);
  return pod_text_take(&text);
}

typedef struct round_t {
  launch_pod_t *pod;
  launch_call_t *calls;
  int32_t *hosts;  // By call.
} round_t;

static void on_ended(void *context, int32_t index) {
  const round_t *round = context;
  launch_pod_t *pod = round->pod;
  launch_call_t *call = &round->calls[index];
  launch_machine_t *machine = &pod->machines[round->hosts[index]];
  free(machine->error);
  free(machine->output);
  machine->error = failure_of(call);
  pod_text_add(&call->output, "");
  machine->output = pod_text_take(&call->output);
  if (pod->answered != NULL) {
    pod->answered(pod->context, round->hosts[index], machine->error);
  }
}

// Every machine that is wanted gets its script (by host), and is wanted no more.
static void call_all(launch_pod_t *pod, pod_text_t *scripts, int64_t timeout_ms) {
  const size_t most = (size_t)pod->hosts.count;
  round_t round = {.pod = pod,
                   .calls = pod_alloc(most * sizeof(launch_call_t)),
                   .hosts = pod_alloc(most * sizeof(int32_t))};
  char ***commands = pod_alloc(most * sizeof(*commands));
  int32_t count = 0;
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    if (!pod->machines[i].is_wanted) {
      continue;
    }
    pod->machines[i].is_wanted = false;
    commands[count] = command_of(pod, i, NULL);
    round.hosts[count] = i;
    round.calls[count] = (launch_call_t){.argv = commands[count],
                                         .input = scripts[i].bytes,
                                         .input_length = scripts[i].length,
                                         .timeout_ms = timeout_ms};
    count++;
  }
  launch_calls_run(round.calls, count, pod->children, on_ended, &round);
  for (int32_t i = 0; i < count; i++) {
    launch_call_deinit(&round.calls[i]);
    launch_command_free(commands[i]);
  }
  free(commands);
  free(round.hosts);
  free(round.calls);
}

static pod_text_t *make_scripts(const launch_pod_t *pod) {
  return pod_alloc((size_t)pod->hosts.count * sizeof(pod_text_t));
}

static void free_scripts(const launch_pod_t *pod, pod_text_t *scripts) {
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    if (scripts[i].bytes != NULL) {
      explicit_bzero(scripts[i].bytes, scripts[i].length);
    }
    pod_text_deinit(&scripts[i]);
  }
  free(scripts);
}

static void want_all(launch_pod_t *pod) {
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    pod->machines[i].is_wanted = true;
  }
}

// Names those that have failed.
static pod_status_t failures(const launch_pod_t *pod, pod_code_t code, const char *what) {
  int32_t count = 0;
  pod_text_t text = {0};
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    if (pod->machines[i].error != NULL && count++ < TOLD_MAX) {
      pod_text_printf(&text, "\n  %s: %s", pod->hosts.items[i].destination,
                      pod->machines[i].error);
    }
  }
  if (count == 0) {
    return NULL;
  }
  if (count > TOLD_MAX) {
    pod_text_printf(&text, "\n  and %d more", count - TOLD_MAX);
  }
  const pod_status_t status =
      pod_error(code, "%d of %d hosts %s:%s", count, pod->hosts.count, what, text.bytes);
  pod_text_deinit(&text);
  return status;
}

// --- Probe ---

static void fail_machine(launch_machine_t *machine, const char *first, const char *word,
                         const char *last) {
  pod_text_t text = {0};
  pod_text_printf(&text, "%s%s%s", first, word, last);
  free(machine->error);
  machine->error = pod_text_take(&text);
}

// What the machine has said of itself.
static void read_probe(const launch_host_t *host, launch_machine_t *machine,
                       const char *version) {
  machine->program = launch_said(machine->output, "program");
  machine->base = launch_said(machine->output, "base");
  machine->address = launch_said(machine->output, "address");
  char *there = launch_said(machine->output, "version");
  const char *number = there == NULL ? NULL : strrchr(there, ' ');
  if (machine->program == NULL || machine->base == NULL || machine->base[0] != '/' ||
      machine->address == NULL || number == NULL) {
    fail_machine(machine, "it did not say what it was asked for: ", machine->output, "");
  } else if (strcmp(number + 1, version) != 0) {
    pod_text_t text = {0};
    pod_text_printf(&text, "%s, and this is podium %s", there, version);
    fail_machine(machine, machine->program, " there is ", text.bytes);
    pod_text_deinit(&text);
  } else if (host->address != NULL) {
    free(machine->address);
    machine->address = pod_strdup(host->address);
  }
  free(there);
}

static bool is_loopback(const char *address) {
  return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 ||
         strcmp(address, "localhost") == 0;
}

// One that ssh reached by loopback has another address for the other machines.
static void check_addresses(launch_pod_t *pod) {
  int32_t far = 0;
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    far += pod->machines[i].error == NULL && !is_loopback(pod->machines[i].address);
  }
  for (int32_t i = 0; i < pod->hosts.count && far > 0; i++) {
    launch_machine_t *machine = &pod->machines[i];
    if (machine->error == NULL && is_loopback(machine->address)) {
      fail_machine(machine, "ssh reaches it at ", machine->address,
                   ", where the other hosts do not; say address= in its line");
    }
  }
}

pod_status_t launch_pod_probe(launch_pod_t *pod, const char *own_folder,
                              const char *version) {
  pod_text_t *scripts = make_scripts(pod);
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    launch_script_probe(&scripts[i], pod->hosts.items[i].folder_of_programs, own_folder);
  }
  want_all(pod);
  call_all(pod, scripts, pod->ssh_timeout_ms);
  free_scripts(pod, scripts);
  POD_TRY(failures(pod, POD_UNAVAILABLE, "cannot be used"));
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    read_probe(&pod->hosts.items[i], &pod->machines[i], version);
  }
  check_addresses(pod);
  return failures(pod, POD_FAILED_PRECONDITION, "cannot be used");
}

// --- Start ---

char *launch_pod_folder(const launch_pod_t *pod, int32_t index, bool is_coordinator) {
  const launch_machine_t *machine = &pod->machines[index];
  if (machine->base == NULL) {
    return NULL;
  }
  pod_text_t text = {0};
  pod_text_printf(&text, "%s/host-%s-", machine->base, pod->tag);
  if (is_coordinator) {
    pod_text_add(&text, "coordinator");
  } else {
    pod_text_printf(&text, "%d", pod->hosts.items[index].rank);
  }
  return pod_text_take(&text);
}

static pod_status_t write_start(const launch_pod_t *pod, int32_t index,
                                const launch_start_t *start, pod_text_t *script) {
  launch_start_t there = *start;
  char *folder = launch_pod_folder(pod, index, start->serves);
  there.folder = folder;
  there.program = pod->machines[index].program;
  const pod_status_t status = launch_script_start(script, &there);
  free(folder);
  return status;
}

pod_status_t launch_pod_serve(launch_pod_t *pod, const launch_start_t *start,
                              char **out_address) {
  pod_text_t *scripts = make_scripts(pod);
  pod_status_t status =
      write_start(pod, pod->coordinator, start, &scripts[pod->coordinator]);
  if (status == NULL) {
    launch_machine_t *machine = &pod->machines[pod->coordinator];
    machine->is_wanted = true;
    call_all(pod, scripts, pod->ssh_timeout_ms + SERVE_MS);
    char *address = launch_said(machine->output, "address");
    if (address == NULL && machine->error == NULL) {
      fail_machine(machine, "it did not say where it listens", "", "");
    }
    if (machine->error != NULL) {
      free(address);
      status = pod_error(POD_UNAVAILABLE, "the coordinator does not start on %s: %s",
                         pod->hosts.items[pod->coordinator].destination, machine->error);
    } else {
      *out_address = address;
    }
  }
  free_scripts(pod, scripts);
  return status;
}

pod_status_t launch_pod_start_hosts(launch_pod_t *pod, const launch_start_t *starts) {
  pod_text_t *scripts = make_scripts(pod);
  pod_status_t status = NULL;
  for (int32_t i = 0; i < pod->hosts.count && status == NULL; i++) {
    status = write_start(pod, i, &starts[i], &scripts[i]);
  }
  if (status == NULL) {
    want_all(pod);
    call_all(pod, scripts, pod->ssh_timeout_ms + SERVE_MS);
    status = failures(pod, POD_UNAVAILABLE, "do not start");
  }
  free_scripts(pod, scripts);
  return status;
}

// --- Ask ---

void launch_pod_ask(launch_pod_t *pod) {
  pod_text_t *scripts = make_scripts(pod);
  bool *is_asked = pod_alloc((size_t)pod->hosts.count * sizeof(*is_asked));
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    char *folder = launch_pod_folder(pod, i, false);
    is_asked[i] = pod->machines[i].is_wanted;
    launch_script_ask(&scripts[i], folder == NULL ? "" : folder);
    free(folder);
  }
  call_all(pod, scripts, pod->ssh_timeout_ms);
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    launch_machine_t *machine = &pod->machines[i];
    if (!is_asked[i] || machine->error != NULL) {
      continue;
    }
    char *state = launch_said(machine->output, "state");
    char *words = launch_said(machine->output, "words");
    if (state != NULL && strcmp(state, "runs") == 0) {
      machine->error = words == NULL ? pod_strdup("") : pod_strdup(words);
    } else {
      fail_machine(machine, "its podium-host has ended",
                   words == NULL || *words == '\0' ? "" : ": ",
                   words == NULL ? "" : words);
    }
    free(state);
    free(words);
  }
  free(is_asked);
  free_scripts(pod, scripts);
}

// --- Stop ---

// The coordinator is not asked to end on a machine that has just not answered.
static void stop_on(launch_pod_t *pod, bool is_coordinator) {
  pod_text_t *scripts = make_scripts(pod);
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    launch_machine_t *machine = &pod->machines[i];
    if (is_coordinator && (i != pod->coordinator || machine->error != NULL)) {
      continue;
    }
    char *folder = launch_pod_folder(pod, i, is_coordinator);
    if (folder != NULL) {
      launch_script_stop(&scripts[i], folder);
      machine->is_wanted = true;
    }
    free(folder);
  }
  call_all(pod, scripts, pod->ssh_timeout_ms + STOP_MS);
  free_scripts(pod, scripts);
}

int32_t launch_pod_stop(launch_pod_t *pod) {
  stop_on(pod, false);
  stop_on(pod, true);
  int32_t left = 0;
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    launch_machine_t *machine = &pod->machines[i];
    if (machine->base != NULL && machine->error != NULL) {
      left++;
    } else {
      forget(machine);
    }
  }
  return left;
}

pod_status_t launch_pod_sweep(launch_pod_t *pod, const char *name, int32_t *out_stopped) {
  pod_text_t *scripts = make_scripts(pod);
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    launch_script_sweep(&scripts[i], name);
  }
  want_all(pod);
  call_all(pod, scripts, pod->ssh_timeout_ms + STOP_MS);
  free_scripts(pod, scripts);
  int32_t stopped = 0;
  for (int32_t i = 0; i < pod->hosts.count; i++) {
    char *count = launch_said(pod->machines[i].output, "stopped");
    stopped += count == NULL ? 0 : (int32_t)strtol(count, NULL, 10);
    free(count);
  }
  *out_stopped = stopped;
  return failures(pod, POD_UNAVAILABLE, "may still run something");
}

void launch_pod_hang_up(launch_pod_t *pod) {
  if (pod->control == NULL) {
    return;
  }
  const size_t count = (size_t)pod->hosts.count;
  launch_call_t *calls = pod_alloc(count * sizeof(*calls));
  char ***commands = pod_alloc(count * sizeof(*commands));
  for (size_t i = 0; i < count; i++) {
    commands[i] = command_of(pod, (int32_t)i, "exit");
    calls[i] = (launch_call_t){.argv = commands[i], .timeout_ms = HANG_UP_MS};
  }
  launch_calls_run(calls, (int32_t)count, pod->children, NULL, NULL);
  for (size_t i = 0; i < count; i++) {
    launch_call_deinit(&calls[i]);
    launch_command_free(commands[i]);
  }
  free(commands);
  free(calls);
}
