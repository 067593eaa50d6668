// podium: the command line.

#include <stdio.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/interrupts.h"
#include "client/cli/jobs.h"
#include "client/cli/report.h"
#include "client/cli/streams.h"
#include "client/cli/suggest.h"
#include "client/cli/terminal.h"
#include "common/base/check.h"

static int show_version(int argc, char **argv);

static const cli_command_t commands[] = {
    {"run", "Run a StableHLO program on a pod and fetch its results", cli_run},
    {"simulate", "Tell how long a program takes on any pod, without running it",
     cli_simulate},
    {"compile", "Show the partitioned program, its collectives and its memory",
     cli_compile},
    {"explain", "Tell why every collective is there, what it costs, and what hides it",
     cli_explain},
    {"diff", "Tell what two programs cost on a pod, side by side", cli_diff},
    {"sharding", "Draw how arrays lie on the chips", cli_sharding},
    {"search", "Find the best shardings of a program, by predicted time", cli_search},
    {"exec", "Run a command whose JAX finds a pod, and tell what it would have taken",
     cli_exec},
    {"submit", "Hand a program to a pod as a job, which it keeps and runs", cli_submit},
    {"jobs", "List the jobs of a pod and what they wait for", cli_jobs},
    {"wait", "Wait until jobs have ended", cli_wait},
    {"result", "Print and write what a job has computed", cli_result},
    {"cancel", "Cancel jobs", cli_cancel},
    {"check", "Run modules that check their own results", cli_check},
    {"up", "Start a local pod that stays", cli_up},
    {"down", "Stop a local pod", cli_down},
    {"ls", "List the local pods and their state", cli_ls},
    {"status", "Show whether a pod is ready, and what its chips hold", cli_status},
    {"top", "Watch a pod: its chips, what they hold and run", cli_top},
    {"logs", "Show what the daemons of a pod say, by time", cli_logs},
    {"devices", "List a pod's devices as JAX names them", cli_devices},
    {"chips", "List the kinds of chip with their figures and sources", cli_chips},
    {"certificates", "Make the certificates, keys and tokens of a pod", cli_certificates},
    {"version", "Print the version; also --version and -V", show_version},
};

static void print_help(FILE *stream) {
  fprintf(stream,
          "Usage: podium COMMAND [OPTION...]\n"
          "Run sharded StableHLO programs on a pod of simulated TPU chips.\n\n"
          "Commands:\n");
  for (size_t i = 0; i < POD_COUNT_OF(commands); i++) {
    fprintf(stream, "  %-12s %s\n", commands[i].name, commands[i].summary);
  }
  fprintf(stream,
          "\n`podium help COMMAND` or `podium COMMAND --help` says more. A first run:\n"
          "  podium run program.mlir --chip v5e --topology 2x2\n\n"
          "Environment:\n"
          "  PODIUM_POD  the pod of commands that are given none: HOST:PORT or a name\n"
          "  NO_COLOR    no colours (nor with TERM=dumb)\n\n%s",
          cli_exit_codes);
}

static int show_version(int argc, char **argv) {
  static const struct argp argp = {.doc = "Print Podium's version."};
  cli_parse(&argp, argc, argv, NULL);
  cli_print("podium %s\n", podium_version());
  return CLI_OK;
}

static const cli_command_t *find(const char *name) {
  for (size_t i = 0; i < POD_COUNT_OF(commands); i++) {
    if (strcmp(name, commands[i].name) == 0) {
      return &commands[i];
    }
  }
  return NULL;
}

static int refuse(const char *name) {
  const char *names[POD_COUNT_OF(commands)];
  for (size_t i = 0; i < POD_COUNT_OF(commands); i++) {
    names[i] = commands[i].name;
  }
  const char *suggestion = cli_suggest(name, POD_COUNT_OF(commands), names);
  fprintf(stderr, "podium: no command '%s'", name);
  if (suggestion != NULL) {
    fprintf(stderr, "; did you mean %s?", suggestion);
  }
  fprintf(stderr, "%s `podium --help` lists them\n", suggestion == NULL ? ";" : "");
  return CLI_USAGE;
}

static bool is_one_of(const char *word, const char *const *words) {
  while (*words != NULL && strcmp(word, *words) != 0) {
    words++;
  }
  return *words != NULL;
}

// `podium help COMMAND` is `podium COMMAND --help`.
static int help(int argc, char **argv) {
  static char option[] = "--help";
  if (argc < 3) {
    print_help(stdout);
    return CLI_OK;
  }
  const cli_command_t *command = find(argv[2]);
  return command == NULL ? refuse(argv[2])
                         : command->run(2, (char *[]){argv[2], option, NULL});
}

int main(int argc, char **argv) {
  cli_streams_init();
  const pod_status_t status = cli_interrupts_init(cli_pods_end);
  if (status != NULL) {
    return cli_fail(status);
  }
  if (argc < 2) {
    print_help(stderr);
    return CLI_USAGE;
  }
  if (is_one_of(argv[1], (const char *const[]){"--help", "-h", "-?", "help", NULL})) {
    return help(argc, argv);
  }
  if (is_one_of(argv[1], (const char *const[]){"--version", "-V", NULL})) {
    return show_version(1, (char *[]){argv[1], NULL});
  }
  const cli_command_t *command = find(argv[1]);
  if (command == NULL) {
    return refuse(argv[1]);
  }
  const int exit_status = command->run(argc - 1, argv + 1);
  cli_report_finish(exit_status);
  return exit_status;
}
