// podium: the command line.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "common/base/check.h"

static const cli_command_t commands[] = {
    {"run", "Run a StableHLO program on a pod and fetch its results", cli_run},
    {"simulate", "Tell how long a program takes on any pod, without running it",
     cli_simulate},
    {"compile", "Show the partitioned program, its collectives and its memory",
     cli_compile},
    {"check", "Run modules that check their own results", cli_check},
    {"up", "Start a local pod that stays", cli_up},
    {"down", "Stop a local pod", cli_down},
    {"status", "Show whether a pod is ready, and what its chips hold", cli_status},
    {"devices", "List a pod's devices as JAX names them", cli_devices},
};

static void print_help(FILE *stream) {
  fprintf(stream,
          "Usage: podium COMMAND [OPTION...]\n"
          "Run sharded StableHLO programs on a pod of simulated TPU chips.\n\n"
          "Commands:\n");
  for (size_t i = 0; i < POD_COUNT_OF(commands); i++) {
    fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
  }
  fprintf(stream,
          "\n`podium COMMAND --help` says more. A first run:\n"
          "  podium run program.mlir --chip v5e --topology 2x2\n");
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return CLI_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return CLI_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("podium %s\n", podium_version());
    return CLI_OK;
  }
  for (size_t i = 0; i < POD_COUNT_OF(commands); i++) {
    if (strcmp(argv[1], commands[i].name) == 0) {
      return commands[i].run(argc - 1, argv + 1);
    }
  }
  fprintf(stderr, "podium: no command '%s'; `podium --help` lists them\n", argv[1]);
  return CLI_USAGE;
}
