// The files of web/ as the build has put them into the program: for report_write_html,
// and for servers that serve them as they are.

#ifndef COMMON_REPORT_WEB_H_
#define COMMON_REPORT_WEB_H_

#include <stddef.h>

typedef struct report_asset_t {
  const char *bytes;  // NUL-terminated.
  size_t size_bytes;
  const char *hash;  // "sha256-…", for a Content-Security-Policy.
} report_asset_t;

extern const report_asset_t report_script, report_style;

#endif  // COMMON_REPORT_WEB_H_
