#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "common/base/memory.h"
#include "common/base/text.h"

void cli_parse(const struct argp *argp, int argc, char **argv, void *input) {
  // argp names the program by argv[0] in its usage lines.
  pod_text_t name = {0};
  pod_text_printf(&name, "podium %s", argv[0]);
  argv[0] = name.bytes;
  argp_err_exit_status = CLI_USAGE;
  argp_parse(argp, argc, argv, 0, NULL, input);
  argv[0] = "podium";
  pod_text_deinit(&name);
}

int cli_fail(pod_status_t status) {
  fprintf(stderr, "podium: %s: %s\n", pod_code_name(pod_status_code(status)),
          pod_status_message(status));
  pod_status_free(status);
  return CLI_FAILED;
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
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (file == NULL) {
    return pod_error(POD_NOT_FOUND, "%s: %s", path, strerror(errno));
  }
  pod_text_t text = {0};
  char chunk[1 << 16];
  size_t got;
  while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0) {
    pod_text_add_bytes(&text, chunk, got);
  }
  const bool failed = ferror(file) != 0;
  const int error = errno;
  if (file != stdin) {
    fclose(file);
  }
  if (failed) {
    pod_text_deinit(&text);
    return pod_error(POD_INVALID_ARGUMENT, "%s: %s", path, strerror(error));
  }
  *out_length = text.length;
  *out_text = pod_text_take(&text);
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
  const double value = (double)picoseconds;
  if (value >= 1e12) {
    return pod_arena_printf(arena, "%.3f s", value / 1e12);
  }
  if (value >= 1e9) {
    return pod_arena_printf(arena, "%.3f ms", value / 1e9);
  }
  if (value >= 1e6) {
    return pod_arena_printf(arena, "%.2f us", value / 1e6);
  }
  return pod_arena_printf(arena, "%.1f ns", value / 1e3);
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
