// --fit LABEL=ARG0.0,ARG1.0: the largest size of some dimensions of arguments, all the
// same, with which the program fits the HBM.

#ifndef CLIENT_CLI_FIT_H_
#define CLIENT_CLI_FIT_H_

#include <argp.h>
#include <stdint.h>

enum { CLI_FIT_MAX = 64 };

typedef struct cli_fit_t {
  const char *label;  // "batch"; NULL: the option is not there.
  int label_length;
  int count;
  int arguments[CLI_FIT_MAX], dimensions[CLI_FIT_MAX];
} cli_fit_t;

// Takes the value of --fit. One that is none is a usage error.
error_t cli_fit_option(cli_fit_t *fit, const char *value, struct argp_state *state);

#endif  // CLIENT_CLI_FIT_H_
