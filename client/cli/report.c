// A tree of cJSON that is printed once, at the end.

#include "client/cli/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "client/cli/terminal.h"
#include "client/lib/podium.h"

static cJSON *report;

void cli_report_start(const char *command) {
  if (report != NULL) {
    return;  // --json twice.
  }
  report = cJSON_CreateObject();
  cJSON_AddStringToObject(report, "command", command);
  cJSON_AddStringToObject(report, "version", podium_version());
  cli_print_nothing();
}

cJSON *cli_report(void) {
  return report;
}

void cli_report_error(pod_status_t status) {
  if (report == NULL || cJSON_GetObjectItem(report, "error") != NULL) {
    return;  // The first error is the cause.
  }
  cJSON *error = cJSON_AddObjectToObject(report, "error");
  cJSON_AddStringToObject(error, "code", pod_code_name(pod_status_code(status)));
  cJSON_AddStringToObject(error, "message", pod_status_message(status));
}

void cli_report_finish(int exit_status) {
  if (report == NULL) {
    return;
  }
  cJSON_AddNumberToObject(report, "exit_status", exit_status);
  char *text = cJSON_Print(report);
  puts(text);
  free(text);
  cJSON_Delete(report);
  report = NULL;
}
