#include "server/daemon/number_flags.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

int64_t number_flag(struct argp_state *state, const char *name, const char *text,
                    int64_t least, int64_t most) {
  char *end = NULL;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (errno == 0 && end != text && *end == '\0' && value >= least && value <= most) {
    return value;
  }
  if (most == INT64_MAX) {
    argp_error(state, "--%s needs a number of at least %" PRId64 ", not \"%s\"", name,
               least, text);
  } else {
    argp_error(state, "--%s needs a number of %" PRId64 " to %" PRId64 ", not \"%s\"",
               name, least, most, text);
  }
  return least;
}

const char *number_flag_name(const struct argp_option *options, int key) {
  while (options->name != NULL && options->key != key) {
    options++;
  }
  return options->name == NULL ? "?" : options->name;
}
