// Doubling until it does not fit, then halving what lies between. Every try is a whole
// compilation; what it says of its memory is what the simulation takes.

#include "client/cli/fit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/report.h"
#include "client/cli/run.h"
#include "client/cli/terminal.h"
#include "common/tensor/shape.h"

enum {
  SIZE_MAX_TRIED = 1 << 30,
  FIRST_MAX = 1 << 16,  // The largest size that is tried to find one that compiles.
  EACH_MAX = 64,        // So many in a row are each tried for one that the program takes.
};

typedef enum verdict_t { FITS, TOO_LARGE, NOT_TAKEN } verdict_t;

// "ARG3.0": argument 3, dimension 0; returns what follows, NULL when it is something
// else.
static const char *parse_place(const char *text, int *argument, int *dimension) {
  int length = 0;
  if (sscanf(text, "ARG%d.%d%n", argument, dimension, &length) != 2 || length == 0 ||
      *argument < 0 || *dimension < 0 || *dimension >= TENSOR_RANK_MAX) {
    return NULL;
  }
  return text + length;
}

error_t cli_fit_option(cli_fit_t *fit, const char *value, struct argp_state *state) {
  const char *at = strchr(value, '=');
  *fit = (cli_fit_t){.label = value, .label_length = at == NULL ? 0 : (int)(at - value)};
  bool is_good = fit->label_length > 0;
  while (is_good) {
    is_good = fit->count < CLI_FIT_MAX;
    at = is_good ? parse_place(at + 1, &fit->arguments[fit->count],
                               &fit->dimensions[fit->count])
                 : NULL;
    is_good = at != NULL && (*at == ',' || *at == '\0');
    fit->count++;
    if (is_good && *at == '\0') {
      return 0;
    }
  }
  argp_error(state,
             "--fit takes LABEL=ARGUMENT.DIMENSION, such as batch=ARG0.0 or "
             "batch=ARG0.0,ARG1.0, got '%s'",
             value);
  return 0;
}

// --- Tries ---

// For people, unless they want to be told nothing.
static POD_PRINTF(2, 3) void tell(const cli_run_t *run, const char *format, ...) {
  if (run->quiet) {
    return;
  }
  pod_text_t text = {0};
  va_list args;
  va_start(args, format);
  pod_text_vprintf(&text, format, args);
  va_end(args);
  cli_print_whole("%s", text.bytes);
  pod_text_deinit(&text);
}

// Sets the size in the list of types; what --shape says of other dimensions stands.
static void set_size(cli_run_t *run, int64_t size) {
  for (int i = 0; i < run->fit.count; i++) {
    char name[16];
    snprintf(name, sizeof(name), "%d", run->fit.arguments[i]);
    const int dimension = run->fit.dimensions[i];
    const tensor_shape_t none = {.dtype = TENSOR_INVALID};
    cli_shapes_add(&run->shapes, name, strlen(name), &none);
    for (int k = 0; k < run->shapes.types.count; k++) {
      podium_argument_type_t *type = &run->shapes.types.items[k];
      if (strcmp(type->argument, name) != 0) {
        continue;
      }
      while (type->shape.rank <= dimension) {
        type->partial = true;
        type->shape.dims[type->shape.rank++] = -1;
      }
      type->shape.dims[dimension] = size;
    }
  }
}

// The first line of a message, without what is not printed.
static int first_line(const char *message) {
  return (int)strcspn(message, "\n");
}

// The program says itself that it is not for this size, as by `b <= 1024` or `2*b` of
// jax.export.symbolic_shape.
static bool is_not_taken(const pod_status_t status) {
  const pod_code_t code = pod_status_code(status);
  return code == POD_INVALID_ARGUMENT || code == POD_UNIMPLEMENTED ||
         code == POD_FAILED_PRECONDITION;
}

// Compiles for a size. `out_fits`: whether it does; other errors are returned.
static pod_status_t try_size(cli_run_t *run, int64_t size, bool *out_fits) {
  set_size(run, size);
  const pod_status_t status = cli_run_compile(run);
  *out_fits = status == NULL;
  if (status == NULL) {
    const podium_program_info_t *info = podium_executable_info(run->executable);
    pod_arena_t *arena = pod_arena_create();
    tell(run, "  %.*s %" PRId64 ": fits, %s of %s\n", run->fit.label_length,
         run->fit.label, size, cli_size(arena, info->hbm_peak_bytes),
         cli_size(arena, info->hbm_bytes));
    pod_arena_destroy(arena);
    return NULL;
  }
  if (pod_status_code(status) != POD_RESOURCE_EXHAUSTED) {
    return status;
  }
  const char *message = pod_status_message(status);
  tell(run, "  %.*s %" PRId64 ": %.*s\n", run->fit.label_length, run->fit.label, size,
       first_line(message), message);
  pod_status_free(status);
  return NULL;
}

// The same once a size is known that the program takes.
static pod_status_t judge(cli_run_t *run, int64_t size, verdict_t *out_verdict) {
  bool does_fit;
  const pod_status_t status = try_size(run, size, &does_fit);
  if (status == NULL) {
    *out_verdict = does_fit ? FITS : TOO_LARGE;
    return NULL;
  }
  if (!is_not_taken(status)) {
    return status;
  }
  *out_verdict = NOT_TAKEN;
  pod_status_free(status);
  return NULL;
}

// In how many parts the dimension lies on the chips: sizes are multiples of that.
static int64_t parts_of(const cli_run_t *run) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  int64_t parts = 1;
  for (int i = 0; i < run->fit.count; i++) {
    const int argument = run->fit.arguments[i], dimension = run->fit.dimensions[i];
    if (argument >= info->argument_count) {
      continue;
    }
    const podium_signature_t *it = &info->arguments[argument];
    const int64_t local = it->local_shape.dims[dimension];
    const int64_t in_parts =
        local > 0 ? (it->shape.dims[dimension] + local - 1) / local : 1;
    parts = in_parts > parts ? in_parts : parts;
  }
  return parts;
}

// The smallest size, of large ones the smallest power of two, with which the program
// compiles at all; the error of the first when there is none.
static pod_status_t find_first(cli_run_t *run, int64_t *out_size, bool *out_fits) {
  pod_status_t first = NULL;
  for (int64_t size = 1; size <= FIRST_MAX;
       size = size < EACH_MAX ? size + 1 : size * 2) {
    const pod_status_t status = try_size(run, size, out_fits);
    if (status == NULL) {
      pod_status_free(first);
      *out_size = size;
      return NULL;
    }
    // What the module says of its sizes no other size mends.
    const bool may_change = is_not_taken(status);
    if (first == NULL) {
      first = status;
    } else {
      pod_status_free(status);
    }
    if (!may_change || strstr(pod_status_message(first), "symbolic_shape") != NULL) {
      break;
    }
  }
  return first;
}

// Why the size does not fit, or is not taken, at length.
static pod_status_t tell_limit(cli_run_t *run, int64_t size) {
  set_size(run, size);
  const pod_status_t status = cli_run_compile(run);
  if (pod_status_code(status) == POD_RESOURCE_EXHAUSTED || is_not_taken(status)) {
    tell(run, "what limits it: with %" PRId64 "\n%s\n", size, pod_status_message(status));
    pod_status_free(status);
    return NULL;
  }
  return status;
}

// What is known: `fits` does, `fails` does not or is not taken, and `too_large`, if not
// 0, is the smallest that is known not to fit.
typedef struct bounds_t {
  int64_t fits, fails, too_large;
  bool has_not_taken;
} bounds_t;

static pod_status_t move_bounds(cli_run_t *run, int64_t size, bounds_t *bounds) {
  verdict_t verdict;
  POD_TRY(judge(run, size, &verdict));
  *(verdict == FITS ? &bounds->fits : &bounds->fails) = size;
  bounds->too_large = verdict == TOO_LARGE ? size : bounds->too_large;
  bounds->has_not_taken |= verdict == NOT_TAKEN;
  return NULL;
}

// What lies behind sizes that are not taken, such as the next multiple of 3.
static pod_status_t try_next_ones(cli_run_t *run, int64_t step, bounds_t *bounds) {
  int64_t size = bounds->fits + step;
  for (int i = 0; i < EACH_MAX && (bounds->too_large == 0 || size < bounds->too_large);
       i++) {
    const int64_t before = bounds->fits;
    POD_TRY(move_bounds(run, size, bounds));
    i = bounds->fits == before ? i : 0;
    size += step;
  }
  return NULL;
}

static pod_status_t narrow(cli_run_t *run, int64_t step, bounds_t *bounds) {
  while (bounds->fails - bounds->fits > step) {
    const int64_t middle =
        bounds->fits + (bounds->fails - bounds->fits) / step / 2 * step;
    POD_TRY(move_bounds(run, middle, bounds));
  }
  if (bounds->has_not_taken) {
    POD_TRY(try_next_ones(run, step, bounds));
  }
  bounds->fails = bounds->too_large != 0 ? bounds->too_large : bounds->fits + step;
  return NULL;
}

pod_status_t cli_run_fit(cli_run_t *run) {
  const cli_fit_t *fit = &run->fit;
  int64_t size;
  bool does_fit;
  tell(run, "the largest %.*s that fits\n", fit->label_length, fit->label);
  POD_TRY(find_first(run, &size, &does_fit));
  if (!does_fit) {
    POD_TRY(tell_limit(run, size));
    return pod_error(POD_RESOURCE_EXHAUSTED, "no %.*s fits: %" PRId64 " is too much",
                     fit->label_length, fit->label, size);
  }
  bounds_t bounds = {.fits = size};
  // A size that all chips have a part of shows in how many parts it lies.
  const podium_program_info_t *info = podium_executable_info(run->executable);
  int64_t next = size * (info->device_count > 1 ? info->device_count : 2);
  int64_t step = 1;
  while (bounds.fails == 0 && next <= SIZE_MAX_TRIED) {
    POD_TRY(move_bounds(run, next, &bounds));
    if (bounds.fails == 0) {
      step = parts_of(run);
      next *= 2;
    }
  }
  if (bounds.fails == 0) {
    tell(run, "nothing limits it up to %" PRId64 "\n", bounds.fits);
  } else {
    step = bounds.fits % step == 0 && bounds.fails % step == 0 ? step : 1;
    POD_TRY(narrow(run, step, &bounds));
    POD_TRY(tell_limit(run, bounds.fails));
  }
  set_size(run, bounds.fits);
  POD_TRY(cli_run_compile(run));
  pod_arena_t *arena = pod_arena_create();
  info = podium_executable_info(run->executable);
  tell(run, "answer: %.*s %" PRId64 ", HBM peak %s of %s\n", fit->label_length,
       fit->label, bounds.fits, cli_size(arena, info->hbm_peak_bytes),
       cli_size(arena, info->hbm_bytes));
  if (cli_report() != NULL) {
    cJSON *report = cJSON_AddObjectToObject(cli_report(), "fit");
    cJSON_AddStringToObject(report, "label",
                            pod_arena_text(arena, fit->label, (size_t)fit->label_length));
    cJSON_AddNumberToObject(report, "size", (double)bounds.fits);
    cJSON_AddNumberToObject(report, "hbm_peak_bytes", (double)info->hbm_peak_bytes);
  }
  pod_arena_destroy(arena);
  return NULL;
}
