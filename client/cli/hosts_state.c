// What is kept of a pod on other machines, and its end.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/hosts_keys.h"
#include "client/cli/hosts_pod.h"
#include "client/cli/interrupts.h"
#include "client/cli/local_pod.h"
#include "common/base/memory.h"
#include "common/base/text.h"

launch_children_t *cli_hosts_children(void) {
  static launch_children_t children = {.hold = cli_interrupts_hold,
                                       .release = cli_interrupts_release,
                                       .prepare_child = cli_interrupts_restore_in_child};
  return &children;
}

void cli_hosts_free(launch_pod_t *hosts) {
  if (hosts != NULL) {
    launch_pod_deinit(hosts);
    free(hosts);
  }
}

// --- State ---

static void add_text(cJSON *object, const char *name, const char *text) {
  if (text != NULL) {
    cJSON_AddStringToObject(object, name, text);
  }
}

static cJSON *state_of_host(const launch_host_t *host, const launch_machine_t *machine) {
  cJSON *object = cJSON_CreateObject();
  add_text(object, "destination", host->destination);
  cJSON *options = cJSON_AddArrayToObject(object, "options");
  for (int32_t i = 0; i < host->options.count; i++) {
    cJSON_AddItemToArray(options, cJSON_CreateString(host->options.items[i]));
  }
  add_text(object, "program", machine->program);
  add_text(object, "base", machine->base);
  add_text(object, "address", machine->address);
  return object;
}

cJSON *cli_hosts_state(const launch_pod_t *hosts) {
  cJSON *state = cJSON_CreateObject();
  add_text(state, "tag", hosts->tag);
  add_text(state, "ssh", hosts->ssh);
  add_text(state, "ssh_config", hosts->ssh_config);
  cJSON_AddNumberToObject(state, "ssh_timeout_ms", (double)hosts->ssh_timeout_ms);
  cJSON_AddNumberToObject(state, "coordinator", hosts->coordinator);
  cJSON *list = cJSON_AddArrayToObject(state, "list");
  for (int32_t i = 0; i < hosts->hosts.count; i++) {
    cJSON_AddItemToArray(list,
                         state_of_host(&hosts->hosts.items[i], &hosts->machines[i]));
  }
  return state;
}

static char *text_of(const cJSON *object, const char *name) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
  return text == NULL ? NULL : pod_strdup(text);
}

// The least for no number.
static int64_t number_of(const cJSON *object, const char *name, int64_t least,
                         int64_t most) {
  const cJSON *number = cJSON_GetObjectItem(object, name);
  const bool is_good = cJSON_IsNumber(number) && number->valuedouble >= (double)least &&
                       number->valuedouble <= (double)most;
  return is_good ? (int64_t)number->valuedouble : least;
}

static pod_status_t parse_host(const cJSON *object, int32_t rank, launch_host_t *host) {
  *host = (launch_host_t){.rank = rank, .destination = text_of(object, "destination")};
  const cJSON *options = cJSON_GetObjectItem(object, "options"), *option;
  cJSON_ArrayForEach(option, options) {
    if (cJSON_IsString(option)) {
      *pod_list_add(&host->options) = pod_strdup(option->valuestring);
    }
  }
  if (host->destination == NULL) {
    return pod_error(POD_DATA_LOSS, "a host has no name");
  }
  return launch_check_destination(host->destination);
}

pod_status_t cli_hosts_parse_state(const cJSON *state, const char *folder,
                                   launch_pod_t **out_hosts) {
  enum { TIMEOUT_MAX_MS = 1000000 };
  const cJSON *list = cJSON_GetObjectItem(state, "list");
  const char *tag = cJSON_GetStringValue(cJSON_GetObjectItem(state, "tag"));
  const int count = cJSON_GetArraySize(list);
  if (tag == NULL || count < 1 || count > LAUNCH_HOSTS_MAX) {
    return pod_error(POD_DATA_LOSS, "%s/pod.json is no state of a pod; remove it",
                     folder);
  }
  launch_hosts_t hosts = {0};
  for (int i = 0; i < count; i++) {
    const pod_status_t status =
        parse_host(cJSON_GetArrayItem(list, i), i, pod_list_add(&hosts));
    if (status != NULL) {
      launch_hosts_deinit(&hosts);
      return status;
    }
  }
  launch_pod_t *pod = pod_alloc(sizeof(*pod));
  launch_pod_init(pod, &hosts, tag);
  for (int i = 0; i < count; i++) {
    const cJSON *object = cJSON_GetArrayItem(list, i);
    pod->machines[i] = (launch_machine_t){.program = text_of(object, "program"),
                                          .base = text_of(object, "base"),
                                          .address = text_of(object, "address")};
  }
  pod->ssh = text_of(state, "ssh");
  pod->ssh_config = text_of(state, "ssh_config");
  pod->ssh_timeout_ms = number_of(state, "ssh_timeout_ms", 1000, TIMEOUT_MAX_MS);
  pod->coordinator = (int32_t)number_of(state, "coordinator", 0, count - 1);
  pod->control = pod_strdup(folder);
  pod->children = cli_hosts_children();
  *out_hosts = pod;
  return NULL;
}

// --- Keys ---

static void set_unless_given(const char *variable, const cli_pod_t *pod,
                             const char *file) {
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/keys/%s", pod->folder, file);
  setenv(variable, path.bytes, 1);
  pod_text_deinit(&path);
}

void cli_hosts_use_keys(const cli_pod_t *pod) {
  if (cli_connection_is_given()) {
    return;
  }
  set_unless_given("PODIUM_TLS_CA", pod, "ca.crt");
  set_unless_given("PODIUM_TLS_CERTIFICATE", pod, "administer.crt");
  set_unless_given("PODIUM_TLS_KEY", pod, "administer.key");
  pod_text_t token = {0};
  pod_text_printf(&token, "%s/keys/" CLI_HOSTS_TOKEN, pod->folder);
  if (access(token.bytes, F_OK) == 0) {  // Pods of an earlier podium have none.
    set_unless_given("PODIUM_TOKEN_FILE", pod, CLI_HOSTS_TOKEN);
  }
  pod_text_deinit(&token);
}

// --- The end ---

static pod_status_t what_is_left(const launch_pod_t *hosts, int32_t left) {
  enum { TOLD_MAX = 8 };
  pod_text_t text = {0};
  int32_t told = 0;
  for (int32_t i = 0; i < hosts->hosts.count && told < TOLD_MAX; i++) {
    if (hosts->machines[i].error != NULL) {
      pod_text_printf(&text, "\n  %s: %s", hosts->hosts.items[i].destination,
                      hosts->machines[i].error);
      told++;
    }
  }
  const pod_status_t status =
      pod_error(POD_UNAVAILABLE,
                "the daemons of %d of %d hosts may still run; the others have ended. "
                "`podium down` again, when these can be reached, ends them too:%s",
                left, hosts->hosts.count, text.bytes);
  pod_text_deinit(&text);
  return status;
}

pod_status_t cli_hosts_end(cli_pod_t *pod) {
  const int32_t left = launch_pod_stop(pod->hosts);
  pod_status_t status = NULL;
  if (left > 0) {
    status = what_is_left(pod->hosts, left);
    pod->is_up = false;
    pod_status_free(cli_pod_save(pod));
  } else {
    // First: whoever follows its logs by these connections then knows why they end.
    char *state = cli_path(pod->folder, "pod.json");
    (void)unlink(state);
    free(state);
  }
  launch_pod_hang_up(pod->hosts);
  if (left == 0) {
    cli_remove_folder(pod->folder);
  }
  cli_pod_free(pod);
  return status;
}

pod_status_t cli_pod_end(cli_pod_t *pod) {
  if (pod->hosts != NULL) {
    return cli_hosts_end(pod);
  }
  cli_pod_stop(pod);
  return NULL;
}
