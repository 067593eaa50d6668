#include "tests/system/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/system/pod.h"

static char folder[] = "/tmp/podium-cli-XXXXXX";

int cli_make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL || setenv("XDG_RUNTIME_DIR", folder, 1) != 0 ||
         setenv("TMPDIR", folder, 1) != 0 || setenv("dir", folder, 1) != 0 ||
         setenv("podium", SYSTEM_BIN_FOLDER "/podium", 1) != 0;
}

int cli_remove_folder(void **state) {
  (void)state;
  char command[CLI_PATH_SIZE];
  snprintf(command, sizeof(command), "rm -rf %s", folder);
  return system(command);
}

const char *cli_folder(void) {
  return folder;
}

const char *cli_in_folder(const char *name, char path[CLI_PATH_SIZE]) {
  snprintf(path, CLI_PATH_SIZE, "%s/%s", folder, name);
  return path;
}

const char *cli_write_file(const char *name, const char *text, char path[CLI_PATH_SIZE]) {
  FILE *file = fopen(cli_in_folder(name, path), "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  return path;
}

static void check(int status, char *output, int exit_status,
                  const char *const *expected) {
  for (int i = 0; expected != NULL && expected[i] != NULL; i++) {
    if (strstr(output, expected[i]) == NULL) {
      fail_msg("'%s' is not in:\n%s", expected[i], output);
    }
  }
  if (status != exit_status) {
    fail_msg("exit status %d, expected %d:\n%s", status, exit_status, output);
  }
  free(output);
}

void cli_check_run(const char *const *args, int exit_status,
                   const char *const *expected) {
  char *output;
  const int status = system_run("podium", args, &output);
  check(status, output, exit_status, expected);
}

void cli_check_shell(const char *line, int exit_status, const char *const *expected) {
  char *output;
  const int status = system_run("/bin/sh", ARGS("-c", line), &output);
  check(status, output, exit_status, expected);
}
