// What several commands tell of a pod.

#ifndef CLIENT_CLI_STATUS_H_
#define CLIENT_CLI_STATUS_H_

#include <cjson/cJSON.h>

#include "client/lib/podium.h"

// As `podium status --json` has it.
void cli_report_pod(cJSON *object, const podium_pod_t *pod);

// The terminal as it was before `podium top`. With the lock of interrupts.h.
void cli_top_interrupted(void);

#endif  // CLIENT_CLI_STATUS_H_
