// NAME=VALUE of --input, --output and --expect: what a user says of a program's arguments
// or results, by name or by number.
//
// Threading: one thread. Ownership: the list is its own; names and values are borrowed
// from the command line.

#ifndef CLIENT_CLI_BINDINGS_H_
#define CLIENT_CLI_BINDINGS_H_

#include <argp.h>
#include <stddef.h>

#include "client/lib/podium.h"
#include "common/base/list.h"
#include "common/base/status.h"

enum { CLI_BINDINGS_MAX = 4096 };

typedef struct cli_binding_t {
  const char *name;
  int name_length;
  const char *value;
  int index;  // Of the argument or result, once resolved.
} cli_binding_t;

typedef struct cli_bindings_t {
  const char *option;  // "input", for messages.
  POD_LIST(cli_binding_t) list;
} cli_bindings_t;

// Takes the value of the option. One that is none, or a name given before, is a usage
// error.
error_t cli_bindings_option(cli_bindings_t *bindings, const char *text,
                            struct argp_state *state);

// Finds what each name or number stands for; a name goes before a number.
// INVALID_ARGUMENT for one that is none, with those that are there, and for two of the
// same; `what` is "argument" or "result".
POD_MUST_USE pod_status_t cli_bindings_resolve(cli_bindings_t *bindings, const char *what,
                                               int count,
                                               const podium_signature_t *signatures);

// After cli_bindings_resolve: the value for an argument or result; NULL: none.
const char *cli_bindings_value(const cli_bindings_t *bindings, int index);

void cli_bindings_deinit(cli_bindings_t *bindings);

#endif  // CLIENT_CLI_BINDINGS_H_
