// What the daemons of a pod on other machines are told: files and flags.

#include "client/cli/hosts_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/local_pod.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/certificates/pod_files.h"

enum { DAYS = 365, FILES_MAX = 8, ARGUMENTS_MAX = 48 };

struct cli_hosts_keys_t {
  const launch_pod_t *hosts;
  char *folder;
  pod_arena_t *arena;  // Of all that is told.
};

static const char *text_in(pod_arena_t *arena, const char *folder, const char *name) {
  return pod_arena_printf(arena, "%s/%s", folder, name);
}

// A host's own certificate: of a machine that is lost, the others' keys are not.
static pod_status_t make_worker_key(const cli_hosts_keys_t *keys, int32_t index) {
  const char *address = keys->hosts->machines[index].address;
  const pod_files_options_t options = {
      .folder = keys->folder, .hosts = &address, .host_count = 1, .days = DAYS};
  return pod_files_add(&options, pod_arena_printf(keys->arena, "host-%d", index),
                       "worker", NULL);
}

// The token of who administers, by itself: by it links to the page are made.
static pod_status_t write_token(const cli_hosts_keys_t *keys) {
  char *text;
  size_t length;
  POD_TRY(cli_read_file(text_in(keys->arena, keys->folder, "tokens"), &text, &length));
  static const char line[] = "\nadminister administer ";
  const char *found = strstr(text, line);
  const char *token = found == NULL ? "" : found + strlen(line);
  const char *path = text_in(keys->arena, keys->folder, CLI_HOSTS_TOKEN);
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const size_t size = strcspn(token, "\n");
  const bool is_written = file >= 0 && size > 0 &&
                          write(file, token, size) == (ssize_t)size &&
                          write(file, "\n", 1) == 1;
  const int error = errno;
  if (file >= 0) {
    (void)close(file);
  }
  explicit_bzero(text, length);
  free(text);
  return is_written
             ? NULL
             : pod_error(POD_INTERNAL, "%s cannot be written: %s", path, strerror(error));
}

pod_status_t cli_hosts_keys_make(const launch_pod_t *hosts, const char *folder,
                                 cli_hosts_keys_t **out_keys) {
  cli_hosts_keys_t *keys = pod_alloc(sizeof(*keys));
  keys->hosts = hosts;
  keys->folder = cli_path(folder, "keys");
  keys->arena = pod_arena_create();
  const char *address = hosts->machines[hosts->coordinator].address;
  const pod_files_options_t options = {
      .folder = keys->folder, .hosts = &address, .host_count = 1, .days = DAYS};
  pod_status_t status = pod_files_write(&options, NULL);
  for (int32_t i = 0; i < hosts->hosts.count && status == NULL; i++) {
    status = make_worker_key(keys, i);
  }
  if (status == NULL) {
    status = write_token(keys);
  }
  if (status != NULL) {
    cli_hosts_keys_free(keys);
    return status;
  }
  *out_keys = keys;
  return NULL;
}

void cli_hosts_keys_free(cli_hosts_keys_t *keys) {
  if (keys != NULL) {
    free(keys->folder);
    pod_arena_destroy(keys->arena);
    free(keys);
  }
}

// --- Starts ---

typedef struct made_t {
  cli_hosts_keys_t *keys;
  const char *there;  // The folder on the machine.
  launch_file_t *files;
  const char **arguments;
  int file_count, argument_count;
} made_t;

static made_t begin(cli_hosts_keys_t *keys, const char *there) {
  return (made_t){
      .keys = keys,
      .there = there,
      .files = pod_arena_alloc(keys->arena, FILES_MAX * sizeof(launch_file_t)),
      .arguments = pod_arena_alloc(keys->arena, ARGUMENTS_MAX * sizeof(char *))};
}

static void argue(made_t *made, const char *argument) {
  made->arguments[made->argument_count++] = argument;
  made->arguments[made->argument_count] = NULL;
}

static void argue_two(made_t *made, const char *option, const char *value) {
  argue(made, option);
  argue(made, value);
}

// The text of a file here goes to `name` there, of which `option` (NULL: none) is told.
static pod_status_t send_text(made_t *made, const char *path, const char *name,
                              const char *option) {
  char *text;
  size_t length;
  POD_TRY(cli_read_file(path, &text, &length));
  pod_arena_t *arena = made->keys->arena;
  const bool is_ended = length > 0 && text[length - 1] == '\n';
  made->files[made->file_count++] = (launch_file_t){
      .name = name, .text = pod_arena_printf(arena, "%s%s", text, is_ended ? "" : "\n")};
  explicit_bzero(text, length);
  free(text);
  if (option != NULL) {
    argue_two(made, option, text_in(arena, made->there, name));
  }
  return NULL;
}

static pod_status_t send_key(made_t *made, const char *key, const char *name,
                             const char *option) {
  return send_text(made, text_in(made->keys->arena, made->keys->folder, key), name,
                   option);
}

// Both kinds of daemon: who they are, whom they believe.
static pod_status_t identify(made_t *made, const char *certificate, const char *key) {
  POD_TRY(send_key(made, certificate, "daemon.crt", "--tls-certificate"));
  POD_TRY(send_key(made, key, "daemon.key", "--tls-key"));
  POD_TRY(send_key(made, "ca.crt", "ca.crt", "--tls-ca"));
  argue_two(made, "--tls-client-ca", text_in(made->keys->arena, made->there, "ca.crt"));
  return send_key(made, "pod.secret", "pod.secret", "--secret-file");
}

static launch_start_t end(const made_t *made, bool serves) {
  return (launch_start_t){.arguments = made->arguments,
                          .file_count = made->file_count,
                          .files = made->files,
                          .serves = serves};
}

static bool is_file(const char *chip) {
  return strchr(chip, '/') != NULL || strchr(chip, '.') != NULL;
}

pod_status_t cli_hosts_keys_serve(cli_hosts_keys_t *keys,
                                  const cli_hosts_options_t *options,
                                  const char *topology, launch_start_t *out_start) {
  pod_arena_t *arena = keys->arena;
  const launch_pod_t *hosts = keys->hosts;
  char *folder = launch_pod_folder(hosts, hosts->coordinator, true);
  const char *there = pod_arena_strdup(arena, folder);
  free(folder);
  made_t made = begin(keys, there);
  argue_two(&made, "--serve", "--log-folder");
  argue_two(&made, there, "--");
  const bool is_v6 = strchr(hosts->machines[hosts->coordinator].address, ':') != NULL;
  argue_two(&made, "--listen",
            pod_arena_printf(arena, "%s:%lld", is_v6 ? "[::]" : "0.0.0.0",
                             (long long)options->port));
  argue_two(&made, "--port-file", text_in(arena, there, "address"));
  // By TLS, as the services; browsers know it by the address that clients have.
  argue_two(&made, "--page-listen", is_v6 ? "[::]:0" : "0.0.0.0:0");
  argue_two(&made, "--page-host",
            pod_arena_printf(arena, is_v6 ? "[%s]" : "%s",
                             hosts->machines[hosts->coordinator].address));
  argue_two(&made, "--topology", topology);
  if (options->chip != NULL && is_file(options->chip)) {
    POD_TRY(send_text(&made, options->chip, "chip", "--chip"));
  } else if (options->chip != NULL) {
    argue_two(&made, "--chip", options->chip);
  }
  if (options->execution_seconds != NULL) {
    argue_two(&made, "--max-execution-seconds", options->execution_seconds);
  }
  argue_two(&made, "--jobs",
            options->jobs != NULL ? options->jobs : text_in(arena, there, "jobs"));
  POD_TRY(identify(&made, "coordinator.crt", "coordinator.key"));
  POD_TRY(send_key(&made, "tokens", "tokens", "--tokens-file"));
  *out_start = end(&made, true);
  return NULL;
}

pod_status_t cli_hosts_keys_host(cli_hosts_keys_t *keys, int32_t index,
                                 const char *coordinator, int32_t chips,
                                 launch_start_t *out_start) {
  pod_arena_t *arena = keys->arena;
  const launch_host_t *host = &keys->hosts->hosts.items[index];
  char *folder = launch_pod_folder(keys->hosts, index, false);
  const char *there = pod_arena_strdup(arena, folder);
  free(folder);
  made_t made = begin(keys, there);
  argue_two(&made, "--coordinator", coordinator);
  argue_two(&made, "--chips", pod_arena_printf(arena, "%d", chips));
  argue_two(&made, "--rank", pod_arena_printf(arena, "%d", host->rank));
  argue_two(&made, "--log-folder", there);
  argue(&made, "--");
  if (host->address != NULL) {
    argue_two(
        &made, "--listen",
        pod_arena_printf(arena, strchr(host->address, ':') == NULL ? "%s:0" : "[%s]:0",
                         host->address));
  }
  POD_TRY(identify(&made, pod_arena_printf(arena, "host-%d.crt", index),
                   pod_arena_printf(arena, "host-%d.key", index)));
  *out_start = end(&made, false);
  return NULL;
}
