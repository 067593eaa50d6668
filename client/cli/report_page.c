// What a report says and how it looks is common/report's; here is only the file.

#include "client/cli/report_page.h"

#include "client/cli/output.h"
#include "common/report/report.h"

pod_status_t cli_write_report(const char *path, const profile_report_t *report) {
  pod_text_t json = {0}, page = {0};
  profile_report_json(report, &json);
  pod_status_t status = report_write_html(json.bytes, json.length, &page);
  cli_output_t *output;
  if (status == NULL) {
    status = cli_output_open(path, false, &output);
  }
  if (status == NULL) {
    cli_output_write(output, page.bytes, page.length);
    status = cli_output_close(output);
  }
  pod_text_deinit(&json);
  pod_text_deinit(&page);
  return status;
}
