// The page that --report writes.

#ifndef CLIENT_CLI_REPORT_PAGE_H_
#define CLIENT_CLI_REPORT_PAGE_H_

#include "client/profile/report.h"
#include "common/base/status.h"

// RESOURCE_EXHAUSTED and the like when `path` cannot be written (output.h).
POD_MUST_USE pod_status_t cli_write_report(const char *path,
                                           const profile_report_t *report);

#endif  // CLIENT_CLI_REPORT_PAGE_H_
