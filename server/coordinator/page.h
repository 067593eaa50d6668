// The page: the pod as a browser shows it, at http://HOST:PORT/ (page/README.md).
//
// Who asks is known as callers of gRPC are (common/access): by a code of a token in the
// link that is opened (/?code=…, common/access/code.h), by a token there (/?token=…) or
// in `Authorization`, or by a certificate. A link is for a session of the page: a random
// cookie that only this server reads and no script sees. `read` sees the pod and how much
// goes on; `run` his own work, too; `administer` everybody's.
//
// Threading: the loop thread; files of reports are read by a thread of its own.
// Ownership: page_create returns owned (page_destroy).
// Errors: what the address has against it, and FAILED_PRECONDITION when other hosts would
// reach it in the clear and nobody has said that this is meant.

#ifndef SERVER_COORDINATOR_PAGE_H_
#define SERVER_COORDINATOR_PAGE_H_

#include "common/base/status.h"

typedef struct coordinator_t coordinator_t;
typedef struct page_t page_t;

// Of the coordinator's options: page_listen, page_hosts, page_credentials.
POD_MUST_USE pod_status_t page_create(coordinator_t *coordinator, page_t **out_page);

// "http://127.0.0.1:4712/". Borrowed.
const char *page_url(const page_t *page);

// Tokens were read again: who came by one shows it again.
void page_forget_tokens(page_t *page);

// How many look at it now, and how long the last and the longest look at the books took.
typedef struct page_figures_t {
  int readers;
  double last_s, longest_s;
} page_figures_t;

page_figures_t page_figures(const page_t *page);

// Accepts NULL.
void page_destroy(page_t *page);

#endif  // SERVER_COORDINATOR_PAGE_H_
