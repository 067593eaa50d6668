// What one client may have by default leaves something to others.

#include "server/coordinator/jobs_flags.h"

#include "server/daemon/number_flags.h"

enum {
  // Beyond the keys of the coordinator, of TLS and of the limits.
  KEY_FOLDER = 0x3000,
  KEY_BYTES,
  KEY_KEEP_HOURS,
  KEY_CLIENT_JOBS,
  KEY_CLIENT_BYTES,
};

#define MAX_NUMBER (INT64_MAX / 1000000000)

static const struct argp_option options[] = {
    {"jobs", KEY_FOLDER, "FOLDER", 0,
     "Keep jobs here, for this coordinator and the one that comes after it; the folder "
     "is "
     "made if there is none, and is its user's alone (without it there are no jobs)",
     0},
    {"jobs-bytes", KEY_BYTES, "BYTES", 0,
     "What the modules, inputs and results of all jobs may have; 0: what the disk has "
     "(0)",
     0},
    {"jobs-keep-hours", KEY_KEEP_HOURS, "HOURS", 0,
     "How long a job that has ended is kept; 0: until it is removed (168)", 0},
    {"client-jobs", KEY_CLIENT_JOBS, "N", 0,
     "Jobs of one client that have not ended; 0: no bound (1000)", 0},
    {"client-jobs-bytes", KEY_CLIENT_BYTES, "BYTES", 0,
     "Modules, inputs and results of one client's jobs; 0: no bound (0)", 0},
    {0},
};

coordinator_jobs_options_t jobs_flags_default(void) {
  return (coordinator_jobs_options_t){.client_jobs_max = COORDINATOR_CLIENT_JOBS,
                                      .keep_hours = COORDINATOR_JOBS_KEEP_HOURS};
}

static int64_t parse_number(struct argp_state *state, int key, const char *value) {
  return number_flag(state, number_flag_name(options, key), value, 0, MAX_NUMBER);
}

static error_t parse(int key, char *value, struct argp_state *state) {
  coordinator_jobs_options_t *jobs = state->input;
  switch (key) {
    case KEY_FOLDER:
      jobs->folder = value;
      return 0;
    case KEY_BYTES:
      jobs->bytes_max = parse_number(state, key, value);
      return 0;
    case KEY_KEEP_HOURS:
      jobs->keep_hours = parse_number(state, key, value);
      return 0;
    case KEY_CLIENT_JOBS:
      jobs->client_jobs_max = parse_number(state, key, value);
      return 0;
    case KEY_CLIENT_BYTES:
      jobs->client_bytes_max = parse_number(state, key, value);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp jobs_flags_argp = {.options = options, .parser = parse};
