#include "server/coordinator/page/reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/coordinator/job_queue.h"

struct reports_t {
  job_queue_t *queue;
};

typedef struct reading_t {
  queue_job_t job;                // First, so that the job finds it.
  rpc_http_exchange_t *exchange;  // NULL: nobody waits any more.
  int fd;
  int error;
  pod_text_t text;
} reading_t;

static void run(queue_job_t *job) {
  reading_t *reading = (reading_t *)job;
  reading->error = pod_text_add_to_end(&reading->text, reading->fd, REPORT_BYTES_MAX);
}

static void done(queue_job_t *job) {
  reading_t *reading = (reading_t *)job;
  if (reading->exchange != NULL && reading->error == 0 && reading->text.length > 0) {
    rpc_http_answer(reading->exchange,
                    &(http_answer_t){.content_type = "application/json",
                                     .body = reading->text.bytes,
                                     .body_bytes = reading->text.length});
  } else if (reading->exchange != NULL) {
    rpc_http_say(reading->exchange, 503, "the report cannot be read");
  }
  close(reading->fd);
  pod_text_deinit(&reading->text);
  free(reading);
}

static void on_gone(void *context) {
  ((reading_t *)context)->exchange = NULL;
}

pod_status_t reports_create(rpc_loop_t *loop, reports_t **out_reports) {
  reports_t *reports = pod_alloc(sizeof(*reports));
  const pod_status_t status = job_queue_create(loop, "reports", 1, &reports->queue);
  if (status != NULL) {
    free(reports);
    return status;
  }
  *out_reports = reports;
  return NULL;
}

void reports_destroy(reports_t *reports) {
  if (reports != NULL) {
    job_queue_destroy(reports->queue);
    free(reports);
  }
}

void reports_answer(reports_t *reports, rpc_http_exchange_t *exchange, int fd,
                    int64_t size_bytes) {
  if (size_bytes > REPORT_BYTES_MAX) {
    close(fd);
    rpc_http_say(exchange, 413, "the report is larger than the page shows");
    return;
  }
  reading_t *reading = pod_alloc(sizeof(*reading));
  reading->job.run = run;
  reading->job.done = done;
  reading->exchange = exchange;
  reading->fd = fd;
  const pod_status_t status = job_queue_add(reports->queue, &reading->job);
  if (status != NULL) {
    rpc_http_say(exchange, 503, pod_status_message(status));
    pod_status_free(status);
    close(fd);
    free(reading);
    return;
  }
  rpc_http_hold(exchange, on_gone, reading);
}
