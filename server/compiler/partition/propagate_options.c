#include "server/compiler/partition/propagate_options.h"

#include <string.h>

static bool is_word(const char *text, size_t length, const char *word) {
  return strlen(word) == length && strncmp(text, word, length) == 0;
}

pod_status_t propagation_options_parse(const char *words,
                                       propagation_options_t *out_options) {
  *out_options = (propagation_options_t){0};
  for (const char *at = words; at != NULL && *at != '\0';) {
    const size_t length = strcspn(at, ",");
    const bool is_first = at == words;
    if (is_first && is_word(at, length, "shardy")) {
      out_options->is_exact = true;
    } else if (!is_first && is_word(at, length, "priorities")) {
      out_options->is_alone = true;
    } else if (!is_first && is_word(at, length, "aggressive")) {
      out_options->is_alone = out_options->is_aggressive = true;
    } else if (!is_first && is_word(at, length, "basic")) {
      out_options->is_alone = out_options->is_basic = true;
    } else if (!is_first && is_word(at, length, "conservative")) {
      out_options->is_conservative = true;
    } else {
      return pod_error(POD_INVALID_ARGUMENT,
                       "'%s' is no way to propagate shardings: there is shardy, with "
                       ",priorities, ,aggressive or ,basic and ,conservative behind it",
                       words);
    }
    at += length + (at[length] == ',');
  }
  return NULL;
}
