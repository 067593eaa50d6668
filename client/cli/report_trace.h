// A report (report.json of common/report) as a Chrome trace, which Perfetto and
// chrome://tracing open: for jobs, of which the report is what is kept.

#ifndef CLIENT_CLI_REPORT_TRACE_H_
#define CLIENT_CLI_REPORT_TRACE_H_

#include <stddef.h>

#include "common/base/status.h"

// A process for each class of chips that has a timeline: the core, what is in flight
// beside it, the HBM in use. FAILED_PRECONDITION when the report has no times,
// INVALID_ARGUMENT when it is none; RESOURCE_EXHAUSTED and the like when `path` cannot
// be written (output.h).
POD_MUST_USE pod_status_t cli_write_report_trace(const char *path, const char *json,
                                                 size_t json_bytes);

#endif  // CLIENT_CLI_REPORT_TRACE_H_
