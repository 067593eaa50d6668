// What every command prints and parses alike: errors, the exit status, options of the
// pod.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/interrupts.h"
#include "client/cli/report.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/mlir/bytecode.h"

enum { FILE_BYTES_MAX = 256 << 20 };

const char cli_exit_codes[] =
    "Exit status:\n"
    "  0  it went well\n"
    "  1  it ran, and a check, an expected result or the state of a pod is not as it "
    "should be\n"
    "  2  the command line is wrong\n"
    "  3  it could not be done; the error says why\n";

int cli_fail(pod_status_t status) {
  cli_interrupts_pass();
  fprintf(stderr, "podium: %s: %s\n", pod_code_name(pod_status_code(status)),
          pod_status_message(status));
  cli_report_error(status);
  pod_status_free(status);
  return CLI_NOT_RUN;
}

pod_status_t cli_status_of(podium_status_t *status) {
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t ours = pod_error((pod_code_t)podium_status_code(status), "%s",
                                      podium_status_message(status));
  podium_status_free(status);
  return ours;
}

int cli_fail_client(podium_status_t *status) {
  return cli_fail(cli_status_of(status));
}

pod_status_t cli_read_file(const char *path, char **out_text, size_t *out_length) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
  if (file == NULL) {
    return pod_error(POD_NOT_FOUND, "%s: %s", path, strerror(errno));
  }
  pod_text_t text = {0};
  char chunk[1 << 16];
  size_t got;
  while (text.length <= FILE_BYTES_MAX &&
         (got = fread(chunk, 1, sizeof(chunk), file)) > 0) {
    pod_text_add_bytes(&text, chunk, got);
  }
  const bool failed = ferror(file) != 0;
  const int error = errno;
  if (file != stdin) {
    fclose(file);
  }
  if (failed || text.length > FILE_BYTES_MAX) {
    pod_text_deinit(&text);
    return failed ? pod_error(POD_INVALID_ARGUMENT, "%s: %s", path, strerror(error))
                  : pod_error(POD_RESOURCE_EXHAUSTED,
                              "%s is larger than %d MiB, the most that a module may have",
                              path, FILE_BYTES_MAX >> 20);
  }
  *out_length = text.length;
  *out_text = pod_text_take(&text);
  return NULL;
}

bool cli_read_seconds(const char *text, int64_t *out_ms) {
  enum { SECONDS_MAX = 1000000000 };
  char *end = NULL;
  const double seconds = strtod(text, &end);
  if (end == text || *end != '\0' || !(seconds > 0) || !(seconds <= SECONDS_MAX)) {
    return false;
  }
  const int64_t ms = (int64_t)(1000 * seconds);
  *out_ms = ms > 0 ? ms : 1;
  return true;
}

bool cli_read_number(const char *text, int64_t least, int64_t most, int64_t *out_number) {
  char *end = NULL;
  errno = 0;
  const long long number = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || number < least || number > most) {
    return false;
  }
  *out_number = number;
  return true;
}

bool cli_is_blank(const char *text) {
  for (;;) {
    text += strspn(text, " \t\r\n");
    if (strncmp(text, "//", 2) != 0) {
      return *text == '\0';
    }
    text += strcspn(text, "\n");
  }
}

pod_status_t cli_check_module(const char *path, const char *text, size_t length) {
  const bool is_artifact = mlir_is_bytecode(text, (int64_t)length);
  const char *nul = memchr(text, '\0', length);
  if (nul != NULL && !is_artifact) {
    return pod_error(
        POD_INVALID_ARGUMENT,
        "%s is no text: byte %zu is NUL. A module is StableHLO as text, MLIR bytecode "
        "(a portable artifact), or what jax.export's serialize() writes",
        path, (size_t)(nul - text));
  }
  if (nul == NULL && cli_is_blank(text)) {
    return pod_error(POD_INVALID_ARGUMENT, "%s holds no module: it is %s", path,
                     length == 0 ? "empty" : "all white space and comments");
  }
  return NULL;
}

const char *cli_size(pod_arena_t *arena, int64_t bytes) {
  pod_text_t text = {0};
  pod_text_add_size(&text, (unsigned long long)bytes);
  const char *copy = pod_arena_strdup(arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

const char *cli_time(pod_arena_t *arena, int64_t picoseconds) {
  pod_text_t text = {0};
  pod_text_add_time(&text, picoseconds);
  const char *copy = pod_arena_strdup(arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

const char *cli_axes(pod_arena_t *arena, const podium_collective_t *collective) {
  return *collective->mesh == '\0'
             ? collective->axes
             : pod_arena_printf(arena, "%s of @%s", collective->axes, collective->mesh);
}

const char *cli_shape(pod_arena_t *arena, const podium_shape_t *shape) {
  char text[512];
  podium_shape_print(shape, text, sizeof(text));
  return pod_arena_strdup(arena, text);
}

char *cli_topology_for(int64_t chips) {
  int64_t x = 1;
  for (int64_t i = 1; i * i <= chips; i++) {
    x = chips % i == 0 ? i : x;
  }
  pod_text_t text = {0};
  pod_text_printf(&text, "%lldx%lld", (long long)x, (long long)(chips / x));
  return pod_text_take(&text);
}
