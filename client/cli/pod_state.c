// What is kept of a pod that stays (podium up): FOLDER/pod.json with its address and its
// processes, below a folder that is the user's alone.

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/hosts_pod.h"
#include "client/cli/interrupts.h"
#include "client/cli/local_pod.h"
#include "common/base/memory.h"
#include "common/base/text.h"

enum { POD_NAME_MAX = 64 };

// A name becomes a part of a path, and the folder is removed with the pod.
pod_status_t cli_pod_check_name(const char *name) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  const size_t length = strlen(name);
  if (length == 0 || length > POD_NAME_MAX || strspn(name, letters) != length) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "'%.100s' is no name of a pod: up to %d letters, digits, '.', '_' "
                     "and '-'",
                     name, POD_NAME_MAX);
  }
  return NULL;
}

// XDG_RUNTIME_DIR/podium, or /tmp/podium-UID.
static char *runtime_folder(void) {
  pod_text_t text = {0};
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  if (runtime != NULL && *runtime == '/') {
    pod_text_printf(&text, "%s/podium", runtime);
  } else {
    pod_text_printf(&text, "/tmp/podium-%u", (unsigned)getuid());
  }
  return pod_text_take(&text);
}

// In /tmp anyone could have made it before us, with a state that leads elsewhere.
static pod_status_t check_private(const char *folder) {
  struct stat info;
  if (lstat(folder, &info) != 0) {
    return pod_error(POD_PERMISSION_DENIED,
                     "no folder can be made at %s: %s; XDG_RUNTIME_DIR names another "
                     "place",
                     folder, strerror(errno));
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != getuid() || (info.st_mode & 022) != 0) {
    return pod_error(POD_PERMISSION_DENIED,
                     "%s must be a folder of yours in which nobody else may write; "
                     "remove it, or set XDG_RUNTIME_DIR",
                     folder);
  }
  return NULL;
}

char *cli_pod_folder(const char *name) {
  char *runtime = runtime_folder();
  pod_text_t text = {0};
  pod_text_printf(&text, "%s/pod-%s", runtime, name);
  free(runtime);
  return pod_text_take(&text);
}

static bool is_same_file(int descriptor, const char *path) {
  struct stat open_file, named;
  return fstat(descriptor, &open_file) == 0 && lstat(path, &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

// The folder, made where it is not there and locked. -1, and the error, when another
// process holds it.
static pod_status_t lock_folder(const char *name, const char *folder, int *out_lock) {
  char *runtime = runtime_folder();
  (void)mkdir(runtime, 0700);
  pod_status_t status = check_private(runtime);
  free(runtime);
  POD_TRY(status);
  int lock = -1;
  while (lock < 0) {
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
      return pod_error(POD_PERMISSION_DENIED, "%s: %s", folder, strerror(errno));
    }
    lock = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (lock < 0 && errno != ENOENT) {
      return pod_error(POD_PERMISSION_DENIED, "%s: %s", folder, strerror(errno));
    }
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
      (void)close(lock);
      return pod_error(POD_ALREADY_EXISTS, "another `podium up` is starting the pod '%s'",
                       name);
    }
    if (lock >= 0 && !is_same_file(lock, folder)) {
      (void)close(lock);  // A `podium down` has removed it meanwhile.
      lock = -1;
    }
  }
  *out_lock = lock;
  return NULL;
}

static bool is_alive(const cli_pod_t *pod) {
  return pod->hosts != NULL ? pod->is_up : pod->pids.items[0] > 0;
}

// Whoever holds the lock looks at the state and may replace it.
pod_status_t cli_pod_claim(const char *name, int *out_lock) {
  POD_TRY(cli_pod_check_name(name));
  char *folder = cli_pod_folder(name);
  pod_status_t status = lock_folder(name, folder, out_lock);
  cli_pod_t *old = NULL;
  if (status == NULL) {
    pod_status_free(cli_pod_load(name, &old));
  }
  if (old != NULL && is_alive(old)) {
    status = pod_error(POD_ALREADY_EXISTS,
                       "the pod '%s' is up at %s; `podium down %s` stops it", name,
                       old->address, name);
    (void)close(*out_lock);
    cli_pod_free(old);
  } else if (old != NULL) {
    (void)close(*out_lock);
    status = cli_pod_end(old);  // With its folder.
    if (status == NULL) {
      status = lock_folder(name, folder, out_lock);
    }
  }
  free(folder);
  return status;
}

long long cli_process_start(int64_t pid) {
  char path[64], text[1024];
  snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return -1;
  }
  const size_t length = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *field = strrchr(text, ')');  // The name may hold anything.
  if (field != NULL && strchr("ZXx", field[field[1] == ' ' ? 2 : 0]) != NULL) {
    return -1;
  }
  long long ticks = -1;
  for (int i = 0; field != NULL && i < 20; i++) {
    field = strchr(field + 1, ' ');
  }
  if (field != NULL) {
    ticks = strtoll(field, NULL, 10);
  }
  return ticks;
}

static cJSON *state_of(const cli_pod_t *pod) {
  cJSON *state = cJSON_CreateObject();
  cJSON_AddStringToObject(state, "address", pod->address == NULL ? "" : pod->address);
  if (pod->hosts != NULL) {
    cJSON_AddBoolToObject(state, "is_up", pod->is_up);
    cJSON_AddItemToObject(state, "hosts", cli_hosts_state(pod->hosts));
    return state;
  }
  cJSON *processes = cJSON_AddArrayToObject(state, "processes");
  for (int i = 0; i < pod->pids.count; i++) {
    cJSON *process = cJSON_CreateObject();
    cJSON_AddNumberToObject(process, "pid", (double)pod->pids.items[i]);
    cJSON_AddNumberToObject(process, "start_ticks",
                            (double)cli_process_start(pod->pids.items[i]));
    cJSON_AddItemToArray(processes, process);
  }
  return state;
}

// At once and whole: who is killed meanwhile leaves the one before.
static pod_status_t write_state(const char *folder, const char *text) {
  char *path = cli_path(folder, "pod.json"), *made = cli_path(folder, "pod.json.new");
  FILE *file = fopen(made, "we");
  pod_status_t status = NULL;
  if (file == NULL || fputs(text, file) < 0) {
    status = pod_error(POD_INTERNAL, "%s: %s", made, strerror(errno));
  }
  if (file != NULL && fclose(file) != 0 && status == NULL) {
    status = pod_error(POD_INTERNAL, "%s: %s", made, strerror(errno));
  }
  if (status == NULL && rename(made, path) != 0) {
    status = pod_error(POD_INTERNAL, "%s: %s", path, strerror(errno));
  }
  free(path);
  free(made);
  return status;
}

pod_status_t cli_pod_save(cli_pod_t *pod) {
  cJSON *state = state_of(pod);
  char *text = cJSON_Print(state);
  cJSON_Delete(state);
  const pod_status_t status = write_state(pod->folder, text);
  free(text);
  if (status == NULL && pod->hosts == NULL) {
    cli_interrupts_hold();
    cli_pod_outlives(pod);  // From now on it outlives this process.
    cli_interrupts_release();
  }
  return status;
}

static pod_status_t parse_state(const char *path, const cJSON *state, cli_pod_t *pod) {
  const cJSON *address = cJSON_GetObjectItem(state, "address");
  const cJSON *processes = cJSON_GetObjectItem(state, "processes");
  const cJSON *hosts = cJSON_GetObjectItem(state, "hosts");
  if (cJSON_IsString(address) && hosts != NULL) {
    pod->address = pod_strdup(address->valuestring);
    pod->is_up = cJSON_IsTrue(cJSON_GetObjectItem(state, "is_up"));
    return cli_hosts_parse_state(hosts, pod->folder, &pod->hosts);
  }
  const int count = cJSON_GetArraySize(processes);
  if (!cJSON_IsString(address) || count < 1 || count > CLI_POD_PROCESSES_MAX) {
    return pod_error(POD_DATA_LOSS, "%s is no state of a pod; remove it", path);
  }
  pod->address = pod_strdup(address->valuestring);
  for (int i = 0; i < count; i++) {
    const cJSON *process = cJSON_GetArrayItem(processes, i);
    const cJSON *pid = cJSON_GetObjectItem(process, "pid");
    const cJSON *ticks = cJSON_GetObjectItem(process, "start_ticks");
    // A pid that has gone to another process is not ours to signal.
    const bool is_ours =
        cJSON_IsNumber(pid) && cJSON_IsNumber(ticks) && pid->valuedouble > 1 &&
        cli_process_start((int64_t)pid->valuedouble) == (long long)ticks->valuedouble;
    *pod_list_add(&pod->pids) = is_ours ? (int64_t)pid->valuedouble : 0;
  }
  return NULL;
}

pod_status_t cli_pod_load(const char *name, cli_pod_t **out_pod) {
  POD_TRY(cli_pod_check_name(name));
  char *runtime = runtime_folder(), *folder = cli_pod_folder(name);
  char *path = cli_path(folder, "pod.json");
  char *text;
  size_t length;
  struct stat info;
  pod_status_t status = lstat(runtime, &info) == 0 ? check_private(runtime) : NULL;
  free(runtime);
  if (status != NULL) {
    free(path);
    free(folder);
    return status;
  }
  status = cli_read_file(path, &text, &length);
  if (status != NULL) {
    pod_status_free(status);
    status =
        pod_error(POD_NOT_FOUND, "no local pod '%s' is up; `podium up` starts one", name);
    free(folder);
  } else {
    cJSON *state = cJSON_ParseWithLength(text, length);
    cli_pod_t *pod = pod_alloc(sizeof(*pod));
    pod->folder = folder;
    status = parse_state(path, state, pod);
    cJSON_Delete(state);
    free(text);
    if (status == NULL) {
      *out_pod = pod;
    } else {
      cli_pod_free(pod);
    }
  }
  free(path);
  return status;
}

const char *cli_pod_default(void) {
  const char *pod = getenv("PODIUM_POD");
  return pod == NULL || *pod == '\0' ? NULL : pod;
}

pod_status_t cli_pod_address(const char *text, char **out_address) {
  if (strchr(text, ':') != NULL) {
    *out_address = pod_strdup(text);
    return NULL;
  }
  cli_pod_t *pod;
  POD_TRY(cli_pod_load(text, &pod));
  pod_status_t status = NULL;
  if (*pod->address == '\0') {
    status = pod_error(POD_UNAVAILABLE,
                       "the pod '%s' has no coordinator: `podium up` was stopped, or is "
                       "starting it; `podium down %s` clears it away",
                       text, text);
  } else {
    *out_address = pod_strdup(pod->address);
    if (pod->hosts != NULL) {
      cli_hosts_use_keys(pod);
    }
  }
  cli_pod_free(pod);
  return status;
}
