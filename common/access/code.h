// A code that stands for a token where a token must not be: in a link, which browsers
// remember and people pass on. It is good for one session of the page, within minutes.
//
// 16 hexadecimal digits of the second (Unix) in which it ends, 32 of a random number, and
// 64 of HMAC-SHA256 over both under the SHA-256 of the token (RFC 2104): who has the
// token makes it without asking, who has the token's digest checks it, and the code tells
// nothing of either.
//
// Threading: any.

#ifndef COMMON_ACCESS_CODE_H_
#define COMMON_ACCESS_CODE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/digest/digest.h"

enum {
  ACCESS_CODE_SECONDS = 600,
  ACCESS_CODE_BYTES = 16 + 32 + 64 + 1,  // With its NUL.
};

// `now_s`: the wall clock's, Unix.
void access_code_make(const char *token, int64_t now_s, char out_code[ACCESS_CODE_BYTES]);

// When it ends. False: it is no code, or none that can be good now: it has ended, or ends
// later than one of a clock that is nearly right does.
bool access_code_read(const char *code, int64_t now_s, int64_t *out_until_s);

// Whether it was made of the token of this digest; of a code that access_code_read took.
bool access_code_is_of(const char *code, const uint8_t token_digest[DIGEST_BYTES]);

#endif  // COMMON_ACCESS_CODE_H_
