#include "server/coordinator/page/visitors.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/digest/digest.h"

#define NS_PER_S INT64_C(1000000000)

typedef struct visitor_t {
  uint8_t digest[DIGEST_BYTES];
  access_identity_t identity;
  int64_t used_ns;
  bool is_there;
} visitor_t;

typedef struct code_t {
  uint8_t digest[DIGEST_BYTES];
  int64_t until_s;  // From then on it is good for nothing. 0: there is none.
} code_t;

struct visitors_t {
  visitor_t at[VISITORS_MAX];
  code_t codes[VISITOR_CODES_MAX];
};

visitors_t *visitors_create(void) {
  return pod_alloc(sizeof(visitors_t));
}

void visitors_destroy(visitors_t *visitors) {
  free(visitors);
}

static bool has_ended(const visitor_t *visitor, int64_t now_ns) {
  return !visitor->is_there || now_ns - visitor->used_ns > VISITOR_SECONDS * NS_PER_S;
}

void visitors_add(visitors_t *visitors, const access_identity_t *identity, int64_t now_ns,
                  char out_cookie[ACCESS_TOKEN_TEXT_BYTES]) {
  visitor_t *free_one = &visitors->at[0];
  for (size_t i = 0; i < VISITORS_MAX && !has_ended(free_one, now_ns); i++) {
    visitor_t *visitor = &visitors->at[i];
    if (has_ended(visitor, now_ns) || visitor->used_ns < free_one->used_ns) {
      free_one = visitor;
    }
  }
  uint8_t random[ACCESS_SECRET_BYTES];
  digest_random(random, sizeof(random));
  access_print_hex(random, out_cookie);
  explicit_bzero(random, sizeof(random));
  digest_of(out_cookie, strlen(out_cookie), free_one->digest);
  free_one->identity = *identity;
  free_one->used_ns = now_ns;
  free_one->is_there = true;
}

bool visitors_take_code(visitors_t *visitors, const char *code, int64_t until_s,
                        int64_t now_s) {
  uint8_t digest[DIGEST_BYTES];
  digest_of(code, strlen(code), digest);
  code_t *free_one = NULL;
  for (size_t i = 0; i < VISITOR_CODES_MAX; i++) {
    code_t *at = &visitors->codes[i];
    if (at->until_s <= now_s) {
      free_one = at;
    } else if (digest_equal(at->digest, digest, sizeof(digest))) {
      return false;
    }
  }
  if (free_one == NULL) {
    return false;
  }
  memcpy(free_one->digest, digest, sizeof(digest));
  free_one->until_s = until_s;
  return true;
}

bool visitors_find(visitors_t *visitors, const char *cookie, int64_t now_ns,
                   access_identity_t *out_identity) {
  uint8_t digest[DIGEST_BYTES];
  digest_of(cookie, strlen(cookie), digest);
  for (size_t i = 0; i < VISITORS_MAX; i++) {
    visitor_t *visitor = &visitors->at[i];
    if (!has_ended(visitor, now_ns) &&
        digest_equal(visitor->digest, digest, sizeof(digest))) {
      visitor->used_ns = now_ns;
      *out_identity = visitor->identity;
      return true;
    }
  }
  return false;
}

bool visitors_is_by_token(const access_identity_t *identity) {
  return strncmp(identity->name, "token ", strlen("token ")) == 0;
}

void visitors_forget_tokens(visitors_t *visitors) {
  for (size_t i = 0; i < VISITORS_MAX; i++) {
    if (visitors_is_by_token(&visitors->at[i].identity)) {
      visitors->at[i].is_there = false;
    }
  }
}
