// What the page is told of the pod, as JSON: compact, for it goes out twice a second.
// README.md has the format.
//
// Cost: of the pod, some 0.2 µs for each link; of the others by what they list, which is
// bounded.
// Threading: the loop thread.

#ifndef SERVER_COORDINATOR_PAGE_VIEW_H_
#define SERVER_COORDINATOR_PAGE_VIEW_H_

#include <stdint.h>

#include "common/access/access.h"
#include "common/base/text.h"

typedef struct coordinator_t coordinator_t;

enum {
  VIEW_EXECUTIONS_MAX = 64,
  VIEW_JOBS_MAX = 200,   // The newest of those that one may see.
  VIEW_TEXT_MAX = 2000,  // Of a text that somebody else has chosen.
};

// A string with its quotes.
void view_add_string(pod_text_t *text, const char *string);

// What stays as it is: kind, torus, who looks and what he may.
void view_write_static(pod_text_t *text, const coordinator_t *coordinator,
                       const access_identity_t *identity);

// Chips and links.
void view_write_pod(pod_text_t *text, const coordinator_t *coordinator, int64_t now_ns);

// One chip with all that is known of it.
void view_write_chip(pod_text_t *text, const coordinator_t *coordinator, int32_t chip,
                     int64_t now_ns);

// Executions that run, those that `identity` may see by name.
void view_write_work(pod_text_t *text, const coordinator_t *coordinator,
                     const access_identity_t *identity, int64_t now_ns);

// Jobs, likewise.
void view_write_jobs(pod_text_t *text, const coordinator_t *coordinator,
                     const access_identity_t *identity);

void view_write_losses(pod_text_t *text, const coordinator_t *coordinator);

// Microseconds since 1970.
int64_t view_unix_us(void);

#endif  // SERVER_COORDINATOR_PAGE_VIEW_H_
