// podium chips: the kinds of chip, as the coordinator beside this program lists them. The
// client has no list of its own.

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/interrupts.h"
#include "client/cli/report.h"
#include "client/cli/terminal.h"
#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"

enum { LIST_BYTES_MAX = 16 << 20 };

// --- Asking ---

static pod_status_t cannot_ask(const char *program, const char *why) {
  return pod_error(POD_UNAVAILABLE, "%s --list-chips: %s", program, why);
}

static pod_status_t read_all(int end, const char *program, pod_text_t *text) {
  const int error = pod_text_add_to_end(text, end, LIST_BYTES_MAX);
  if (error == 0) {
    return NULL;
  }
  return cannot_ask(program, error == EFBIG ? "it does not stop" : strerror(error));
}

static pod_status_t ask(char *program, pod_text_t *text) {
  int ends[2];
  if (pipe(ends) != 0) {
    return cannot_ask(program, strerror(errno));
  }
  const pid_t pid = fork();
  if (pid == 0) {
    cli_interrupts_restore_in_child();
    char option[] = "--list-chips";
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(program, (char *[]){program, option, NULL});
    _exit(127);
  }
  close(ends[1]);
  pod_status_t status =
      pid < 0 ? cannot_ask(program, strerror(errno)) : read_all(ends[0], program, text);
  close(ends[0]);
  int result = 0;
  if (pid > 0 && waitpid(pid, &result, 0) == pid && result != 0 && status == NULL) {
    status = cannot_ask(program, "it did not start, or failed");
  }
  return status;
}

// Returns owned (cJSON_Delete).
static pod_status_t list_kinds(cJSON **out_list) {
  char *program = cli_sibling("podium-coordinator");
  pod_text_t text = {0};
  pod_status_t status = ask(program, &text);
  if (status == NULL) {
    *out_list = cJSON_ParseWithLength(text.bytes, text.length);
    if (!cJSON_IsArray(cJSON_GetObjectItem(*out_list, "kinds"))) {
      cJSON_Delete(*out_list);
      status = cannot_ask(program, "its answer is no list of kinds");
    }
  }
  pod_text_deinit(&text);
  free(program);
  return status;
}

// --- Printing ---

static const char *text_of(const cJSON *object, const char *name) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
  return text == NULL ? "" : text;
}

static const cJSON *figure_of(const cJSON *kind, const char *name) {
  const cJSON *figure;
  cJSON_ArrayForEach(figure, cJSON_GetObjectItem(kind, "figures")) {
    if (strcmp(text_of(figure, "name"), name) == 0) {
      return figure;
    }
  }
  return NULL;
}

// "4x4x8"; sizes of 1 at the end are no dimensions.
static const char *print_sizes(pod_arena_t *arena, const cJSON *sizes) {
  pod_text_t text = {0};
  const int count = cJSON_GetArraySize(sizes);
  for (int i = 0; i < count; i++) {
    const int size = (int)cJSON_GetArrayItem(sizes, i)->valuedouble;
    if (i < 2 || size != 1) {
      pod_text_printf(&text, "%s%d", i == 0 ? "" : "x", size);
    }
  }
  const char *copy = pod_arena_strdup(arena, text.bytes == NULL ? "" : text.bytes);
  pod_text_deinit(&text);
  return copy;
}

// "197 TFLOP/s", "16.0 GiB", "3.3 us", "0.915".
static const char *print_value(pod_arena_t *arena, const cJSON *figure) {
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  const cJSON *value = cJSON_GetObjectItem(figure, "value");
  const char *unit = text_of(figure, "unit");
  if (cJSON_IsArray(value)) {
    return print_sizes(arena, value);
  }
  if (cJSON_IsBool(value)) {
    return cJSON_IsTrue(value) ? "yes" : "no";
  }
  double number = value == NULL ? 0 : value->valuedouble;
  if (strcmp(unit, "B") == 0) {
    return cli_size(arena, (int64_t)number);
  }
  if (strcmp(unit, "ps") == 0) {
    return cli_time(arena, (int64_t)number);
  }
  if (strstr(unit, "/s") == NULL) {
    return pod_arena_printf(arena, "%.4g", number);
  }
  size_t prefix = 0;
  while (number >= 1000 && prefix + 1 < POD_COUNT_OF(prefixes)) {
    number /= 1000;
    prefix++;
  }
  return pod_arena_printf(arena, "%.4g %s%s", number, prefixes[prefix], unit);
}

static const char *value_of(pod_arena_t *arena, const cJSON *kind, const char *name) {
  const cJSON *figure = figure_of(kind, name);
  return figure == NULL ? "-" : print_value(arena, figure);
}

static void print_kinds(const cJSON *kinds) {
  static const char *const columns[][2] = {
      {"cores", "cores_per_chip"},     {"HBM", "hbm_bytes"},
      {"HBM rate", "hbm_bytes_per_s"}, {"bf16", "bf16_flop_per_s"},
      {"VMEM", "vmem_bytes"},          {"ICI per link", "ici_bytes_per_s"},
      {"largest", "largest_slice"}};
  pod_arena_t *arena = pod_arena_create();
  cli_print("%-5s", "kind");
  for (size_t c = 0; c < POD_COUNT_OF(columns); c++) {
    cli_print("  %12s", columns[c][0]);
  }
  cli_print("  JAX\n");
  const cJSON *kind;
  cJSON_ArrayForEach(kind, kinds) {
    cli_print("%-5s", text_of(kind, "name"));
    for (size_t c = 0; c < POD_COUNT_OF(columns); c++) {
      cli_print("  %12s", value_of(arena, kind, columns[c][1]));
    }
    cli_print("  %s\n", text_of(kind, "device_kind"));
  }
  cli_print("`podium chips KIND` prints every figure of a kind and where it is from.\n");
  pod_arena_destroy(arena);
}

static void print_kind(const cJSON *kind) {
  pod_arena_t *arena = pod_arena_create();
  cli_print("%s: %s, accelerators %s-N\n", text_of(kind, "name"),
            text_of(kind, "device_kind"), text_of(kind, "accelerator"));
  const cJSON *figure;
  cJSON_ArrayForEach(figure, cJSON_GetObjectItem(kind, "figures")) {
    cli_print("  %-24s  %12s  %s\n  %-24s  %12s  from: %s\n", text_of(figure, "name"),
              print_value(arena, figure), text_of(figure, "says"), "", "",
              text_of(figure, "source"));
  }
  pod_arena_destroy(arena);
}

// --- The command ---

static error_t parse_kind(int key, char *value, struct argp_state *state) {
  const char **name = state->input;
  if (key == ARGP_KEY_ARG && state->arg_num == 0) {
    *name = value;
    return 0;
  }
  return ARGP_ERR_UNKNOWN;
}

static pod_status_t show(const char *name, const cJSON *list) {
  const cJSON *kinds = cJSON_GetObjectItem(list, "kinds"), *kind, *found = NULL;
  pod_text_t names = {0};
  cJSON_ArrayForEach(kind, kinds) {
    pod_text_printf(&names, " %s", text_of(kind, "name"));
    found = name != NULL && strcasecmp(text_of(kind, "name"), name) == 0 ? kind : found;
  }
  pod_status_t status = NULL;
  if (name != NULL && found == NULL) {
    status = pod_error(POD_NOT_FOUND, "there is no chip \"%.64s\"; there are%s", name,
                       names.bytes == NULL ? " none" : names.bytes);
  } else if (name != NULL) {
    print_kind(found);
  } else {
    print_kinds(kinds);
  }
  if (status == NULL && cli_report() != NULL) {
    cJSON *reported = cJSON_AddArrayToObject(cli_report(), "kinds");
    cJSON_ArrayForEach(kind, kinds) {
      if (found == NULL || found == kind) {
        cJSON_AddItemToArray(reported, cJSON_Duplicate(kind, true));
      }
    }
  }
  pod_text_deinit(&names);
  return status;
}

int cli_chips(int argc, char **argv) {
  static const struct argp argp = {
      .parser = parse_kind,
      .args_doc = "[KIND]",
      .doc =
          "List the kinds of chip that a pod can have, or all figures of one, each with "
          "its source. A chip of your own is described in a file of `name = value` lines "
          "with the same names, the first of which may be `base = KIND`, and is given as "
          "--chip FILE.\v"
          "Examples:\n  podium chips\n  podium chips v5p"};
  const char *name = NULL;
  cli_parse(&argp, argc, argv, &name);
  cJSON *list = NULL;
  pod_status_t status = list_kinds(&list);
  if (status == NULL) {
    status = show(name, list);
    cJSON_Delete(list);
  }
  return status == NULL ? CLI_OK : cli_fail(status);
}
