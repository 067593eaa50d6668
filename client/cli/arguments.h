// Values on a command line: --args '[dense<1> : tensor<2xi32>, dense<[1.0, 2.0]> :
// tensor<2xf32>]', as MLIR writes them.
//
// Threading: pure.

#ifndef CLIENT_CLI_ARGUMENTS_H_
#define CLIENT_CLI_ARGUMENTS_H_

#include "common/base/status.h"
#include "common/tensor/array.h"

typedef struct cli_arguments_t {
  int count;
  tensor_array_t *arrays;
} cli_arguments_t;

// INVALID_ARGUMENT for anything else than a list of dense<…> and their types. The caller
// frees what is made.
POD_MUST_USE pod_status_t cli_arguments_parse(const char *text,
                                              cli_arguments_t *out_arguments);
void cli_arguments_deinit(cli_arguments_t *arguments);

#endif  // CLIENT_CLI_ARGUMENTS_H_
