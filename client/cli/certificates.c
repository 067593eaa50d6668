// podium certificates: what the daemons and users of a pod prove themselves with.

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/report.h"
#include "client/cli/terminal.h"
#include "common/base/check.h"
#include "common/certificates/pod_files.h"

enum {
  HOSTS_MAX = 256,
  DAYS_DEFAULT = 365,
  KEY_HOST = 0x100,
  KEY_DAYS,
  KEY_FORCE,
  KEY_ADD,
  KEY_ROLE,
};

typedef struct certificates_t {
  pod_files_options_t files;
  const char *hosts[HOSTS_MAX];
  const char *add, *role;
} certificates_t;

static void check_together(const certificates_t *certificates, struct argp_state *state) {
  if (certificates->files.folder == NULL) {
    argp_error(state, "DIR is missing: the folder for the files");
  }
  if ((certificates->add == NULL) != (certificates->role == NULL)) {
    argp_error(state, "--add and --role are given together");
  }
}

static error_t parse(int key, char *value, struct argp_state *state) {
  certificates_t *certificates = state->input;
  pod_files_options_t *files = &certificates->files;
  int64_t days;
  switch (key) {
    case KEY_HOST:
      if (files->host_count == HOSTS_MAX) {
        argp_error(state, "a certificate is for %d hosts at most", HOSTS_MAX);
      }
      certificates->hosts[files->host_count++] = value;
      return 0;
    case KEY_DAYS:
      if (!cli_read_number(value, 1, POD_FILES_DAYS_MAX, &days)) {
        argp_error(state, "--days needs a number from 1 to %d, not \"%s\"",
                   POD_FILES_DAYS_MAX, value);
      }
      files->days = (int)days;
      return 0;
    case KEY_FORCE:
      files->may_overwrite = true;
      return 0;
    case KEY_ADD:
      certificates->add = value;
      return 0;
    case KEY_ROLE:
      certificates->role = value;
      return 0;
    case ARGP_KEY_ARG:
      if (state->arg_num != 0) {
        return ARGP_ERR_UNKNOWN;
      }
      files->folder = value;
      return 0;
    case ARGP_KEY_END:
      check_together(certificates, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static void show(char *paths) {
  cJSON *files =
      cli_report() != NULL ? cJSON_AddArrayToObject(cli_report(), "files") : NULL;
  char *rest = NULL;
  for (char *path = strtok_r(paths, "\n", &rest); path != NULL;
       path = strtok_r(NULL, "\n", &rest)) {
    cli_print("%s\n", path);
    if (files != NULL) {
      cJSON_AddItemToArray(files, cJSON_CreateString(path));
    }
  }
}

int cli_certificates(int argc, char **argv) {
  certificates_t certificates = {.files = {.days = DAYS_DEFAULT}};
  certificates.files.hosts = certificates.hosts;
  static const struct argp_option options[] = {
      {"host", KEY_HOST, "NAME|IP", 0,
       "A machine that daemons run on; may be given several times. This machine's name, "
       "localhost, 127.0.0.1 and ::1 need not be",
       0},
      {"days", KEY_DAYS, "N", 0, "How long certificates are valid (365)", 0},
      {"force", KEY_FORCE, NULL, 0,
       "Overwrite what is there: a new authority, to which nothing old is known", 0},
      {"add", KEY_ADD, "NAME", 0,
       "Only one more certificate, NAME.crt, by the authority that is in DIR: with "
       "--host "
       "for a daemon on those hosts, without for a client",
       0},
      {"role", KEY_ROLE, "ROLE", 0,
       "What --add makes may do: read, run, administer, worker or coordinator", 0},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "DIR",
      .doc =
          "Make the files with which a pod's daemons and users prove who they are: its "
          "own "
          "authority (ca), certificates and keys for coordinator, worker and clients "
          "that "
          "may read, run or administer, the secret that workers prove (pod.secret), and "
          "tokens for clients without a certificate.\v"
          "Example:\n"
          "  podium certificates keys --host tpu-1.example --host 10.0.0.2\n"
          "  podium-coordinator --listen 0.0.0.0:7400 --tls-certificate "
          "keys/coordinator.crt \\\n"
          "    --tls-key keys/coordinator.key --tls-ca keys/ca.crt --tokens-file "
          "keys/tokens\n"
          "  podium run prog.mlir --pod tpu-1.example:7400 --tls-ca keys/ca.crt \\\n"
          "    --tls-certificate keys/run.crt --tls-key keys/run.key\n\n"
          "Give each machine its own files only, and keep ca.key where nobody else reads "
          "it:\nwho has it can be anybody."};
  cli_parse(&argp, argc, argv, &certificates);
  pod_text_t paths = {0};
  const pod_status_t status = certificates.add != NULL
                                  ? pod_files_add(&certificates.files, certificates.add,
                                                  certificates.role, &paths)
                                  : pod_files_write(&certificates.files, &paths);
  if (status == NULL) {
    show(paths.bytes);
  }
  pod_text_deinit(&paths);
  return status == NULL ? CLI_OK : cli_fail(status);
}
