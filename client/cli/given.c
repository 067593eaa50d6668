// What they mean is the compiler's to say; here they are only taken apart.

#include "client/cli/given.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/text.h"

enum { DEVICES_MAX = 1 << 16, GIVEN_MAX = 1 << 16 };

// Two texts in one piece of memory, the name first.
static podium_given_sharding_t make(const char *value, const char *equals) {
  const size_t name_length = (size_t)(equals - value);
  char *texts = pod_strdup(value);
  texts[name_length] = '\0';
  return (podium_given_sharding_t){texts, texts + name_length + 1};
}

// "0,1,3,2"; whether these are chips of the pod, and as many as the program needs, is the
// compiler's to say.
static error_t parse_device_order(cli_given_t *given, const char *value,
                                  struct argp_state *state) {
  enum { ORDER_MAX = 1 << 20 };
  pod_list_clear(&given->device_order);
  for (const char *at = value; at != NULL; at = *at == ',' ? at + 1 : NULL) {
    char *end = NULL;
    const long long id = strtoll(at, &end, 10);
    const bool is_number = *at >= '0' && *at <= '9' && (*end == ',' || *end == '\0');
    if (!is_number || given->device_order.count == ORDER_MAX) {
      argp_error(state, "--device-order takes chips, such as 3 or 0,1,3,2, got '%s'",
                 value);
      return EINVAL;
    }
    *pod_list_add(&given->device_order) = id;
    at = end;
  }
  return 0;
}

// "cache,3", or "all", which is a word only where nothing else is named. Which arguments
// there are is the compiler's to say.
static bool is_donated_list(const char *list) {
  for (const char *at = list;; at++) {
    const size_t length = strcspn(at, ",");
    const bool is_all = length == 3 && memcmp(at, "all", length) == 0;
    if (length == 0 || (is_all && strcmp(list, "all") != 0)) {
      return false;
    }
    at += length;
    if (*at == '\0') {
      return true;
    }
  }
}

static error_t parse_donated(cli_given_t *given, const char *value,
                             struct argp_state *state) {
  pod_text_t text = {0};
  pod_text_printf(&text, "%s%s%s", given->donate == NULL ? "" : given->donate,
                  given->donate == NULL ? "" : ",", value);
  free(given->donate);
  given->donate = pod_text_take(&text);
  if (!is_donated_list(given->donate)) {
    argp_error(state,
               "--donate takes arguments by name or number, such as cache,3, or all "
               "alone, got '%s'",
               given->donate);
    return EINVAL;
  }
  return 0;
}

error_t cli_given_option(cli_given_t *given, int key, const char *value,
                         struct argp_state *state) {
  if (key == CLI_KEY_MESH) {
    given->mesh = value;
    return 0;
  }
  if (key == CLI_KEY_PROPAGATION) {
    given->propagation = value;
    return 0;
  }
  if (key == CLI_KEY_ALGORITHM) {
    given->algorithms = value;
    return 0;
  }
  if (key == CLI_KEY_COLLECTIVES) {
    given->collectives = value;
    return 0;
  }
  if (key == CLI_KEY_DEVICE_ORDER) {
    return parse_device_order(given, value, state);
  }
  if (key == CLI_KEY_DONATE) {
    return parse_donated(given, value, state);
  }
  const bool is_in = key == CLI_KEY_IN_SHARDING;
  if (!is_in && key != CLI_KEY_OUT_SHARDING) {
    return ARGP_ERR_UNKNOWN;
  }
  const char *equals = strchr(value, '=');
  if (equals == NULL || equals == value || given->in.count == GIVEN_MAX ||
      given->out.count == GIVEN_MAX) {
    argp_error(state, "--%s takes NAME=SPEC, such as %s='P(\"x\", None)', got '%s'",
               is_in ? "in-sharding" : "out-sharding", is_in ? "x" : "0", value);
    return EINVAL;
  }
  if (is_in) {
    *pod_list_add(&given->in) = make(value, equals);
  } else {
    *pod_list_add(&given->out) = make(value, equals);
  }
  return 0;
}

int64_t cli_given_devices(const cli_given_t *given) {
  int64_t devices = 1;
  for (const char *at = given->mesh; at != NULL && (at = strchr(at, '=')) != NULL; at++) {
    const long long size = strtoll(at + 1, NULL, 10);
    if (size < 1 || size > DEVICES_MAX / devices) {
      return 1;
    }
    devices *= size;
  }
  return devices;
}

// Both structures have the same members for it.
#define FILL(given, options)                                     \
  do {                                                           \
    (options)->mesh = (given)->mesh;                             \
    (options)->propagation = (given)->propagation;               \
    (options)->donate = (given)->donate;                         \
    (options)->algorithms = (given)->algorithms;                 \
    (options)->collectives = (given)->collectives;               \
    (options)->in_sharding_count = (given)->in.count;            \
    (options)->in_shardings = (given)->in.items;                 \
    (options)->out_sharding_count = (given)->out.count;          \
    (options)->out_shardings = (given)->out.items;               \
    (options)->device_order_count = (given)->device_order.count; \
    (options)->device_order = (given)->device_order.items;       \
  } while (0)

void cli_given_fill(const cli_given_t *given, podium_compile_options_t *options) {
  FILL(given, options);
  options->inner_sharding_count = given->inner_count;
  options->inner_shardings = given->inner;
}

void cli_given_fill_job(const cli_given_t *given, podium_job_options_t *options) {
  FILL(given, options);
}

static void release(podium_given_sharding_t *items, int count) {
  for (int i = 0; i < count; i++) {
    free((void *)(uintptr_t)items[i].name);
  }
}

void cli_given_deinit(cli_given_t *given) {
  free(given->donate);
  release(given->in.items, given->in.count);
  release(given->out.items, given->out.count);
  pod_list_deinit(&given->in);
  pod_list_deinit(&given->out);
  pod_list_deinit(&given->device_order);
}
