// What --json prints: one object on standard output when the command has ended, described
// in README.md. While there is one, tables are not printed.
//
// Every command adds what it knows at the place where it would print it: the functions
// here do nothing when --json was not given, and cli_report() is then NULL.
//
// Threading: the main thread.

#ifndef CLIENT_CLI_REPORT_H_
#define CLIENT_CLI_REPORT_H_

#include <cjson/cJSON.h>

#include "client/lib/podium.h"
#include "common/base/status.h"

// From now on standard output is the report's.
void cli_report_start(const char *command);

// The object, to add to; NULL without --json.
cJSON *cli_report(void);

// Notes why the command failed; borrows the status.
void cli_report_error(pod_status_t status);

// "program": what was compiled.
void cli_report_program(const podium_program_info_t *info);

// "profile"; `model_flop` as of cli_print_profile.
void cli_report_profile(const podium_program_info_t *info,
                        const podium_profile_t *profile, double model_flop);

// Prints the object with the exit status, if there is one, and ends it.
void cli_report_finish(int exit_status);

#endif  // CLIENT_CLI_REPORT_H_
