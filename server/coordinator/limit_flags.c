// What one client may have leaves something of every bound of the coordinator to others.

#include "server/coordinator/limit_flags.h"

#include "server/daemon/number_flags.h"

enum {
  // Beyond the keys of the coordinator and of TLS.
  KEY_EXECUTION_SECONDS = 0x2000,
  KEY_SESSIONS,
  KEY_EXECUTIONS,
  KEY_COMPILES,
  KEY_MEMORY,
  KEY_PROGRAMS,
  KEY_HBM,
};

// Seconds become nanoseconds.
#define LIMIT_MAX (INT64_MAX / 1000000000)

static const struct argp_option options[] = {
    {"max-execution-seconds", KEY_EXECUTION_SECONDS, "S", 0,
     "How long an execution may run; 0: for ever (3600)", 0},
    {"client-sessions", KEY_SESSIONS, "N", 0,
     "Sessions that one client may have; 0: as many as there can be (192)", 0},
    {"client-executions", KEY_EXECUTIONS, "N", 0,
     "Executions of one client that have not ended; 0: no bound (131072)", 0},
    {"client-compiles", KEY_COMPILES, "N", 0,
     "Modules of one client that wait for the compiler; 0: no bound (48)", 0},
    {"client-memory-bytes", KEY_MEMORY, "BYTES", 0,
     "The coordinator's memory that is held for one client: modules, puts, fetches and "
     "profiles under way; 0: no bound (805306368)",
     0},
    {"client-program-bytes", KEY_PROGRAMS, "BYTES", 0,
     "Compiled programs that the coordinator keeps for the executables of one client; 0: "
     "no bound (2147483648)",
     0},
    {"client-hbm-bytes", KEY_HBM, "BYTES", 0,
     "Arrays of one client on a chip; 0: as much as the chip has (0)", 0},
    {0},
};

limit_flags_t limit_flags_default(void) {
  return (limit_flags_t){
      .of_client = {.most = {[ACCOUNT_SESSIONS] = 192,
                             [ACCOUNT_EXECUTIONS] = 131072,
                             [ACCOUNT_COMPILES] = 48,
                             [ACCOUNT_HOST_BYTES] = INT64_C(768) << 20,
                             [ACCOUNT_PROGRAM_BYTES] = INT64_C(2) << 30}},
      .execution_seconds = 3600};
}

// Where the number goes.
static int64_t *target_of(limit_flags_t *flags, int key) {
  switch (key) {
    case KEY_EXECUTION_SECONDS:
      return &flags->execution_seconds;
    case KEY_SESSIONS:
      return &flags->of_client.most[ACCOUNT_SESSIONS];
    case KEY_EXECUTIONS:
      return &flags->of_client.most[ACCOUNT_EXECUTIONS];
    case KEY_COMPILES:
      return &flags->of_client.most[ACCOUNT_COMPILES];
    case KEY_MEMORY:
      return &flags->of_client.most[ACCOUNT_HOST_BYTES];
    case KEY_PROGRAMS:
      return &flags->of_client.most[ACCOUNT_PROGRAM_BYTES];
    case KEY_HBM:
      return &flags->of_client.hbm_bytes;
    default:
      return NULL;
  }
}

static error_t parse(int key, char *value, struct argp_state *state) {
  int64_t *target = target_of(state->input, key);
  if (target == NULL) {
    return ARGP_ERR_UNKNOWN;
  }
  *target = number_flag(state, number_flag_name(options, key), value, 0, LIMIT_MAX);
  return 0;
}

const struct argp limit_flags_argp = {.options = options, .parser = parse};
