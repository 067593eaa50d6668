// A report (common/report) of a program and its profile as libpodium has them.
//
//   pod_text_t json = {0};
//   profile_report_json(&(profile_report_t){.made_by = "job", .file = "step.mlir",
//                                           .info = info, .profile = profile}, &json);
//
// The profile should have events (podium_profile_options_t.events_max =
// PROFILE_REPORT_EVENTS), or the timelines are empty.
//
// Threading: pure. Ownership: everything is borrowed for the call. Errors: none.

#ifndef CLIENT_PROFILE_REPORT_H_
#define CLIENT_PROFILE_REPORT_H_

#include "client/lib/podium.h"
#include "common/base/text.h"

enum { PROFILE_REPORT_EVENTS = 1 << 20 };

typedef struct profile_report_t {
  const char *made_by;  // "run", "simulate", "compile", "explain", "job".
  const char *file;     // Of the module; "" or NULL: it has no name.
  const podium_program_info_t *info;
  const podium_profile_t *profile;  // NULL: `no_times` says why there is none.
  const char *no_times;
} profile_report_t;

// Adds the report.json to `out`.
void profile_report_json(const profile_report_t *report, pod_text_t *out);

#endif  // CLIENT_PROFILE_REPORT_H_
