// Who has a session of the page: cookies and what their bearers may do. Of a cookie only
// its SHA-256 is kept.
//
// Threading: one thread at a time.
// Ownership: visitors_create returns owned (visitors_destroy).

#ifndef SERVER_COORDINATOR_PAGE_VISITORS_H_
#define SERVER_COORDINATOR_PAGE_VISITORS_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/access/access.h"
#include "common/access/secret.h"

enum {
  VISITORS_MAX = 256,               // When all are taken the one goes that came first.
  VISITOR_CODES_MAX = 1024,         // That were taken and could still be shown.
  VISITOR_SECONDS = 7 * 24 * 3600,  // How long a session lasts after its last use.
};

typedef struct visitors_t visitors_t;

visitors_t *visitors_create(void);

// Accepts NULL.
void visitors_destroy(visitors_t *visitors);

// A new session; its cookie's value is written to `out_cookie`.
void visitors_add(visitors_t *visitors, const access_identity_t *identity, int64_t now_ns,
                  char out_cookie[ACCESS_TOKEN_TEXT_BYTES]);

// A code of a link (common/access/code.h) that is good until then, Unix seconds. False:
// it was taken before, or too many are remembered.
bool visitors_take_code(visitors_t *visitors, const char *code, int64_t until_s,
                        int64_t now_s);

// False: nobody has this cookie, or not any more.
bool visitors_find(visitors_t *visitors, const char *cookie, int64_t now_ns,
                   access_identity_t *out_identity);

// Ends the sessions of those who came by a token of a file, which may not be in it any
// more. The coordinator's own user stays.
void visitors_forget_tokens(visitors_t *visitors);

// Whether that is how he came.
bool visitors_is_by_token(const access_identity_t *identity);

#endif  // SERVER_COORDINATOR_PAGE_VISITORS_H_
