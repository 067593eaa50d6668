// The list is short and is searched from its start: a command line holds a few dozen.

#include "client/cli/bindings.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

static bool is_named(const cli_binding_t *binding, const char *name) {
  return strlen(name) == (size_t)binding->name_length &&
         memcmp(name, binding->name, (size_t)binding->name_length) == 0;
}

static const cli_binding_t *find_same_name(const cli_bindings_t *bindings,
                                           const cli_binding_t *wanted) {
  for (int i = 0; i < bindings->list.count; i++) {
    const cli_binding_t *other = &bindings->list.items[i];
    if (other->name_length == wanted->name_length &&
        memcmp(other->name, wanted->name, (size_t)wanted->name_length) == 0) {
      return other;
    }
  }
  return NULL;
}

error_t cli_bindings_option(cli_bindings_t *bindings, const char *text,
                            struct argp_state *state) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0') {
    argp_error(state, "--%s takes NAME=VALUE, got '%s'", bindings->option, text);
    return 0;
  }
  const cli_binding_t binding = {.name = text,
                                 .name_length = (int)(equals - text),
                                 .value = equals + 1,
                                 .index = -1};
  const cli_binding_t *other = find_same_name(bindings, &binding);
  if (other != NULL) {
    argp_error(state, "--%s is given twice for '%.*s': '%s' and '%s'", bindings->option,
               binding.name_length, binding.name, other->value, binding.value);
  } else if (bindings->list.count == CLI_BINDINGS_MAX) {
    argp_error(state, "more than %d --%s", CLI_BINDINGS_MAX, bindings->option);
  } else {
    *pod_list_add(&bindings->list) = binding;
  }
  return 0;
}

static int find_index(const cli_binding_t *binding, int count,
                      const podium_signature_t *signatures) {
  for (int i = 0; i < count; i++) {
    if (is_named(binding, signatures[i].name)) {
      return i;
    }
  }
  for (int i = 0; i < count; i++) {
    char number[16];
    snprintf(number, sizeof(number), "%d", i);
    if (is_named(binding, number)) {
      return i;
    }
  }
  return -1;
}

static pod_status_t no_such(const cli_binding_t *binding, const char *what, int count,
                            const podium_signature_t *signatures) {
  pod_text_t names = {0};
  for (int i = 0; i < count; i++) {
    pod_text_printf(&names, "%s%s", i == 0 ? "" : ", ", signatures[i].name);
  }
  const pod_status_t status =
      pod_error(POD_INVALID_ARGUMENT, "the program has no %s '%.*s', only: %s", what,
                binding->name_length, binding->name, count == 0 ? "none" : names.bytes);
  pod_text_deinit(&names);
  return status;
}

pod_status_t cli_bindings_resolve(cli_bindings_t *bindings, const char *what, int count,
                                  const podium_signature_t *signatures) {
  for (int i = 0; i < bindings->list.count; i++) {
    cli_binding_t *binding = &bindings->list.items[i];
    binding->index = find_index(binding, count, signatures);
    if (binding->index < 0) {
      return no_such(binding, what, count, signatures);
    }
    for (int before = 0; before < i; before++) {
      if (bindings->list.items[before].index == binding->index) {
        return pod_error(POD_INVALID_ARGUMENT,
                         "--%s is given twice for %s %s: as '%.*s' and as '%.*s'",
                         bindings->option, what, signatures[binding->index].name,
                         bindings->list.items[before].name_length,
                         bindings->list.items[before].name, binding->name_length,
                         binding->name);
      }
    }
  }
  return NULL;
}

const char *cli_bindings_value(const cli_bindings_t *bindings, int index) {
  for (int i = 0; i < bindings->list.count; i++) {
    if (bindings->list.items[i].index == index) {
      return bindings->list.items[i].value;
    }
  }
  return NULL;
}

void cli_bindings_deinit(cli_bindings_t *bindings) {
  pod_list_deinit(&bindings->list);
}
