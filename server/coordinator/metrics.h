// What the coordinator tells of itself at /metrics (README.md lists the series).
// Threading: the loop thread.

#ifndef SERVER_COORDINATOR_METRICS_H_
#define SERVER_COORDINATOR_METRICS_H_

#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"

typedef struct coordinator_t coordinator_t;
typedef struct coordinator_metrics_t coordinator_metrics_t;

// What clients ask for and is counted; the others are short and change nothing.
typedef enum coordinator_operation_t {
  OPERATION_OTHER = 0,  // Not counted.
  OPERATION_EXECUTE,
  OPERATION_COMPILE,
  OPERATION_PUT,
  OPERATION_FETCH,
  OPERATION_PROFILE,
  OPERATION_SIMULATE,
  OPERATION_COUNT,
} coordinator_operation_t;

// Returns owned. The coordinator's parts are there when it is written.
coordinator_metrics_t *coordinator_metrics_create(coordinator_t *coordinator);

// Accepts NULL.
void coordinator_metrics_destroy(coordinator_metrics_t *metrics);

void coordinator_metrics_started(coordinator_metrics_t *metrics,
                                 coordinator_operation_t operation);

// `size_bytes` of the array that was put or fetched.
void coordinator_metrics_ended(coordinator_metrics_t *metrics,
                               coordinator_operation_t operation, pod_code_t code,
                               int64_t took_ns, int64_t size_bytes);

// How many have ended well, and otherwise; the bytes of those that were put or fetched.
typedef struct coordinator_ended_t {
  int64_t well, failed, bytes;
} coordinator_ended_t;
coordinator_ended_t coordinator_metrics_count(const coordinator_metrics_t *metrics,
                                              coordinator_operation_t operation);

// A job was started, so long after it was submitted; one has ended (a job_state_t) after
// it ran for so long, -1: it did not run.
void coordinator_metrics_job_started(coordinator_metrics_t *metrics, int64_t waited_us);
void coordinator_metrics_job_ended(coordinator_metrics_t *metrics, int state,
                                   int64_t ran_us);

void coordinator_metrics_write(coordinator_metrics_t *metrics, pod_text_t *text);

#endif  // SERVER_COORDINATOR_METRICS_H_
