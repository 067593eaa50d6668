// Files of reports, read by a thread of its own and answered with: a slow disk holds up
// nobody.
//
// Threading: the loop thread.
// Ownership: reports_create returns owned (reports_destroy, after the server of its
// exchanges).

#ifndef SERVER_COORDINATOR_PAGE_REPORTS_H_
#define SERVER_COORDINATOR_PAGE_REPORTS_H_

#include <stdint.h>

#include "common/base/status.h"
#include "common/rpc/http.h"
#include "common/rpc/loop.h"

enum { REPORT_BYTES_MAX = 64 << 20 };

typedef struct reports_t reports_t;

POD_MUST_USE pod_status_t reports_create(rpc_loop_t *loop, reports_t **out_reports);

// Accepts NULL.
void reports_destroy(reports_t *reports);

// Takes `fd`.
void reports_answer(reports_t *reports, rpc_http_exchange_t *exchange, int fd,
                    int64_t size_bytes);

#endif  // SERVER_COORDINATOR_PAGE_REPORTS_H_
