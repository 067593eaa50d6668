// The page's frame around the JSON. A Content-Security-Policy lets it run the code that
// is built in and nothing else, and lets it load nothing at all.

#include <ctype.h>
#include <string.h>

#include "common/base/json.h"
#include "common/report/report.h"
#include "common/report/web.h"

static const char format_begins[] = "{\"format\":\"podium.report/";

// In JSON "<" stands only within strings, where it can be written otherwise; with it no
// "</script" and no "<!--" is left, whoever wrote the JSON.
static void add_json(pod_text_t *out, const char *json, size_t length) {
  size_t from = 0;
  for (size_t i = 0; i < length; i++) {
    if (json[i] == '<') {
      pod_text_add_bytes(out, json + from, i - from);
      pod_text_add(out, "\\u003c");
      from = i + 1;
    }
  }
  pod_text_add_bytes(out, json + from, length - from);
}

static void add_head(pod_text_t *out) {
  pod_text_add(
      out,
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  pod_text_printf(
      out,
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'\">\n",
      report_script.hash, report_style.hash);
  pod_text_add(out, "<title>Podium report</title>\n<style>");
  pod_text_add_bytes(out, report_style.bytes, report_style.size_bytes);
  pod_text_add(out, "</style>\n</head>\n");
}

pod_status_t report_write_html(const char *json, size_t length, pod_text_t *out) {
  const size_t prefix = sizeof(format_begins) - 1;
  if (length < prefix || memcmp(json, format_begins, prefix) != 0) {
    return pod_error(POD_INVALID_ARGUMENT, "this is no report: it should begin with %s",
                     format_begins);
  }
  add_head(out);
  pod_text_add(out,
               "<body class=\"podium-report\">\n<div id=\"podium-report\">"
               "<noscript>This report is drawn by the JavaScript in it, which is "
               "switched off.</noscript></div>\n"
               "<script type=\"application/json\" id=\"podium-report-json\">");
  add_json(out, json, length);
  pod_text_add(out, "</script>\n<script>");
  pod_text_add_bytes(out, report_script.bytes, report_script.size_bytes);
  pod_text_add(out, "</script>\n</body>\n</html>\n");
  return NULL;
}
