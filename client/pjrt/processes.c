// Several processes on one pod (jax.distributed): the caller says which of how many this
// is (node_id, num_nodes), and brings a key-value store that all of them reach.
//
// Process 0 finds or starts the pod, and names the group at random: a program that is run
// again on the same pod is another group. What it publishes is "GROUP ADDRESS", or "!"
// and why there is no pod.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "client/pjrt/plugin.h"
#include "common/base/memory.h"
#include "common/base/text.h"

enum {
  MEET_TIMEOUT_MS = 300000,  // As long as jax.distributed waits by default.
  KEY_BYTES = 32,
};

static const char no_pod = '!';  // Instead of a group: why there is no pod follows.

// Nothing can be put twice: the n-th clients of the processes meet under a key of their
// own.
static void print_key(char out_key[KEY_BYTES]) {
  static atomic_int count;
  snprintf(out_key, KEY_BYTES, "podium/pod/%d", atomic_fetch_add(&count, 1));
}

static int64_t int_option(const PJRT_Client_Create_Args *args, const char *name,
                          int64_t otherwise) {
  for (size_t i = 0; i < args->num_options; i++) {
    const PJRT_NamedValue *value = &args->create_options[i];
    if (value->type == PJRT_NamedValue_kInt64 && value->name_size == strlen(name) &&
        memcmp(value->name, name, value->name_size) == 0) {
      return value->int64_value;
    }
  }
  return otherwise;
}

// What the caller's store answers, as a status. Takes `error`.
static pod_status_t status_of(PJRT_Error *error, const char *what) {
  return pod_status_context((pod_status_t)error,
                            "the key-value store of the processes (%s)", what);
}

static PJRT_Error *callback_error(PJRT_Error_Code code, const char *message,
                                  size_t message_size) {
  return pjrt_error(pod_error((pod_code_t)code, "%.*s", (int)message_size, message));
}

static pod_status_t publish(const PJRT_Client_Create_Args *args, const char *value) {
  char key[KEY_BYTES];
  print_key(key);
  PJRT_CallbackError error = callback_error;
  PJRT_KeyValuePutCallback_Args put = {.struct_size = sizeof(put),
                                       .key = key,
                                       .key_size = strlen(key),
                                       .value = value,
                                       .value_size = strlen(value),
                                       .callback_error = &error,
                                       .user_arg = args->kv_put_user_arg};
  return status_of(args->kv_put_callback(&put), "put");
}

// Owned.
static pod_status_t learn(const PJRT_Client_Create_Args *args, char **out_value) {
  char key[KEY_BYTES];
  print_key(key);
  PJRT_CallbackError error = callback_error;
  PJRT_KeyValueGetCallback_Args get = {.struct_size = sizeof(get),
                                       .key = key,
                                       .key_size = strlen(key),
                                       .timeout_in_ms = MEET_TIMEOUT_MS,
                                       .callback_error = &error,
                                       .user_arg = args->kv_get_user_arg};
  POD_TRY(status_of(args->kv_get_callback(&get), "get"));
  pod_text_t text = {0};
  pod_text_add_bytes(&text, get.value, get.value_size);
  if (get.value_deleter_callback != NULL) {
    get.value_deleter_callback(get.value);
  }
  *out_value = pod_text_take(&text);
  return NULL;
}

static pod_status_t choose_group(char **out_group) {
  uint8_t bytes[16];
  if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
    return pod_error(POD_INTERNAL, "the system has no random numbers");
  }
  pod_text_t text = {0};
  for (size_t i = 0; i < sizeof(bytes); i++) {
    pod_text_printf(&text, "%02x", bytes[i]);
  }
  *out_group = pod_text_take(&text);
  return NULL;
}

// Also that there is none, for which the others would wait in vain.
static pod_status_t invite(const PJRT_Client_Create_Args *args,
                           pjrt_find_address_fn_t find_address, processes_t *processes) {
  pod_status_t status = choose_group(&processes->group);
  if (status == NULL) {
    status = find_address(args, &processes->address);
  }
  pod_text_t text = {0};
  if (status == NULL) {
    pod_text_printf(&text, "%s %s", processes->group, processes->address);
    status = publish(args, text.bytes);
  } else {
    pod_text_printf(&text, "%c%s", no_pod, pod_status_message(status));
    pod_status_free(publish(args, text.bytes));
  }
  pod_text_deinit(&text);
  return status;
}

static pod_status_t follow(const PJRT_Client_Create_Args *args, processes_t *processes) {
  char *value;
  POD_TRY(learn(args, &value));
  const size_t length = strcspn(value, " ");
  pod_status_t status = NULL;
  if (value[0] == no_pod) {
    status = pod_error(POD_UNAVAILABLE, "process 0 has no pod: %s", value + 1);
  } else if (value[length] == '\0') {
    status =
        pod_error(POD_INTERNAL, "process 0 has published \"%s\", which is no pod", value);
  }
  if (status != NULL) {
    free(value);
    return status;
  }
  processes->address = pod_strdup(value + length + 1);
  value[length] = '\0';
  processes->group = value;
  return NULL;
}

pod_status_t pjrt_processes_meet(const PJRT_Client_Create_Args *args,
                                 pjrt_find_address_fn_t find_address,
                                 processes_t *out_processes) {
  const int64_t count = int_option(args, "num_nodes", 1);
  const int64_t index = int_option(args, "node_id", 0);
  if (count < 1 || count > INT32_MAX || index < 0 || index >= count) {
    return pod_error(POD_INVALID_ARGUMENT, "node_id %lld of num_nodes %lld",
                     (long long)index, (long long)count);
  }
  processes_t processes = {.index = (int)index, .count = (int)count};
  pod_status_t status;
  if (count == 1) {
    status = find_address(args, &processes.address);
  } else if (args->kv_get_callback == NULL || args->kv_put_callback == NULL) {
    status = pod_error(POD_INVALID_ARGUMENT,
                       "%d processes need a key-value store to meet in, and the caller "
                       "brings none",
                       processes.count);
  } else if (index == 0) {
    status = invite(args, find_address, &processes);
  } else {
    status = follow(args, &processes);
  }
  if (status != NULL) {
    pjrt_processes_deinit(&processes);
    return status;
  }
  *out_processes = processes;
  return NULL;
}

void pjrt_processes_deinit(processes_t *processes) {
  free(processes->address);
  free(processes->group);
}

// Which processes live the coordinator of the pod knows by their sessions.
PJRT_Error *client_update_process_info(PJRT_Client_UpdateGlobalProcessInfo_Args *args) {
  (void)args;
  return NULL;
}
