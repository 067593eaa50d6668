// Each option is a name and a number, checked as it is read.

#include "client/cli/simulation.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// A number above 0, and nothing behind it.
static bool parse_factor(const char *text, double *out_factor) {
  char *end = NULL;
  errno = 0;
  *out_factor = strtod(text, &end);
  return end != text && *end == '\0' && errno == 0 && *out_factor > 0 &&
         *out_factor <= 1e6;
}

static bool parse_int(const char **at, int *out_value) {
  char *end = NULL;
  errno = 0;
  const long value = strtol(*at, &end, 10);
  if (end == *at || errno != 0 || value < 0 || value > INT_MAX) {
    return false;
  }
  *at = end;
  *out_value = (int)value;
  return true;
}

// "chip=3:1.5" or "3:1.5"
static bool parse_slow_chip(const char *text, podium_slow_chip_t *out_chip) {
  static const char prefix[] = "chip=";
  const char *at = text;
  if (strncmp(at, prefix, strlen(prefix)) == 0) {
    at += strlen(prefix);
  }
  return parse_int(&at, &out_chip->chip) && *at == ':' &&
         parse_factor(at + 1, &out_chip->factor);
}

// "(1,0)" or "(1,0,2)"
static bool parse_coords(const char **at, int coords[3]) {
  if (**at != '(') {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    (*at)++;
    if (!parse_int(at, &coords[i]) || (**at != ',' && **at != ')')) {
      return false;
    }
    if (**at == ')') {
      (*at)++;
      return true;
    }
  }
  return false;
}

// "(0,0)-(1,0):0.5" or "slice=1:(0,0)-(1,0):0.5": no link leaves its slice.
static bool parse_slow_link(const char *text, podium_slow_link_t *out_link) {
  static const char prefix[] = "slice=";
  const char *at = text;
  if (strncmp(at, prefix, strlen(prefix)) == 0) {
    at += strlen(prefix);
    if (!parse_int(&at, &out_link->slice_index) || *at++ != ':') {
      return false;
    }
  }
  if (!parse_coords(&at, out_link->from) || *at++ != '-' ||
      !parse_coords(&at, out_link->to)) {
    return false;
  }
  return *at == ':' && parse_factor(at + 1, &out_link->factor);
}

// "while.3=100" or "100". Cuts the text.
static bool parse_turns(char *text, podium_turns_t *out_turns) {
  char *number = text;
  char *equals = strrchr(text, '=');
  out_turns->instruction = NULL;
  if (equals != NULL) {
    *equals = '\0';
    number = equals + 1;
    out_turns->instruction = text;
  }
  char *end = NULL;
  errno = 0;
  out_turns->turns = strtoll(number, &end, 10);
  return end != number && *end == '\0' && errno == 0 && out_turns->turns >= 0;
}

static bool has_room(struct argp_state *state, const char *option, int count) {
  if (count == CLI_SLOW_MAX) {
    argp_error(state, "more than %d --%s", CLI_SLOW_MAX, option);
  }
  return count < CLI_SLOW_MAX;
}

error_t cli_simulation_option(cli_simulation_t *simulation, int key, char *value,
                              struct argp_state *state) {
  switch (key) {
    case CLI_KEY_SLOW: {
      podium_slow_chip_t chip = {0};
      if (!parse_slow_chip(value, &chip)) {
        argp_error(state, "--slow takes chip=ID:FACTOR, got '%s'", value);
      } else if (has_room(state, "slow", simulation->slow_chip_count)) {
        simulation->slow_chips[simulation->slow_chip_count++] = chip;
      }
      return 0;
    }
    case CLI_KEY_SLOW_LINK: {
      podium_slow_link_t link = {.factor = 0};
      if (!parse_slow_link(value, &link)) {
        argp_error(state, "--slow-link takes [slice=N:](X,Y)-(X,Y):FACTOR, got '%s'",
                   value);
      } else if (has_room(state, "slow-link", simulation->slow_link_count)) {
        simulation->slow_links[simulation->slow_link_count++] = link;
      }
      return 0;
    }
    case CLI_KEY_TURNS: {
      podium_turns_t turns = {0};
      if (!parse_turns(value, &turns)) {
        argp_error(state, "--turns takes LOOP=N or N, got '%s'", value);
      } else if (has_room(state, "turns", simulation->turns_count)) {
        simulation->turns[simulation->turns_count++] = turns;
      }
      return 0;
    }
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

podium_profile_options_t cli_simulation_options(const cli_simulation_t *simulation,
                                                int64_t timeout_ms, int64_t events_max) {
  return (podium_profile_options_t){.timeout_ms = timeout_ms,
                                    .events_max = events_max,
                                    .slow_chip_count = simulation->slow_chip_count,
                                    .slow_chips = simulation->slow_chips,
                                    .slow_link_count = simulation->slow_link_count,
                                    .slow_links = simulation->slow_links,
                                    .turns_count = simulation->turns_count,
                                    .turns = simulation->turns};
}
