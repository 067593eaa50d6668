// The table of tokens, and the rules by which a caller is known.

#include "common/access/access.h"
#include "common/access/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/digest/digest.h"

typedef struct token_t {
  access_role_t role;
  bool is_own;  // Of our own user.
  char name[ACCESS_TOKEN_NAME_BYTES_MAX + 1];
  uint8_t digest[DIGEST_BYTES];
} token_t;

typedef struct loan_t {
  char name[ACCESS_NAME_BYTES_MAX];
  uint8_t digest[DIGEST_BYTES];
  uint64_t errand;
} loan_t;

struct access_t {
  POD_LIST(token_t) tokens;
  POD_LIST(loan_t) loans;
  bool is_open, has_open_workers;
  bool had_file_tokens;  // At some time.
};

static const char own_user[] = "the server's own user";

static const char *const role_names[ACCESS_ROLE_COUNT] = {"open", "read", "run",
                                                          "administer", "worker"};

const char *access_role_name(access_role_t role) {
  return role_names[role];
}

bool access_role_parse(const char *name, access_role_t *out_role) {
  for (int role = ACCESS_READ; role < ACCESS_ROLE_COUNT; role++) {
    if (strcmp(name, role_names[role]) == 0) {
      *out_role = (access_role_t)role;
      return true;
    }
  }
  return false;
}

access_t *access_create(void) {
  return pod_alloc(sizeof(access_t));
}

void access_destroy(access_t *access) {
  if (access != NULL) {
    pod_list_deinit(&access->tokens);
    pod_list_deinit(&access->loans);
    free(access);
  }
}

void access_open(access_t *access, bool has_open_workers) {
  access->is_open = true;
  access->has_open_workers = has_open_workers;
}

// --- Tokens ---

// All of the table is looked at, so that the time does not tell how far a guess came.
static const token_t *find_token(const access_t *access, const char *token,
                                 size_t token_bytes) {
  uint8_t digest[DIGEST_BYTES];
  digest_of(token, token_bytes, digest);
  const token_t *found = NULL;
  for (int32_t i = 0; i < access->tokens.count; i++) {
    const token_t *at = &access->tokens.items[i];
    found = digest_equal(at->digest, digest, sizeof(digest)) ? at : found;
  }
  return found;
}

static pod_status_t add_token(access_t *access, const token_t *made, const char *token) {
  const size_t token_bytes = strlen(token);
  if (token_bytes < ACCESS_TOKEN_BYTES_MIN || token_bytes > ACCESS_TOKEN_BYTES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the token of %s has %zu characters, and must have %d to %d; "
                     "`openssl rand -hex 32` makes a good one",
                     made->name, token_bytes, ACCESS_TOKEN_BYTES_MIN,
                     ACCESS_TOKEN_BYTES_MAX);
  }
  for (size_t i = 0; i < token_bytes; i++) {
    if (token[i] <= ' ' || token[i] > '~') {
      return pod_error(POD_INVALID_ARGUMENT,
                       "the token of %s has other characters than printable ASCII",
                       made->name);
    }
  }
  if (access->tokens.count >= ACCESS_TOKENS_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "there are more than %d tokens",
                     ACCESS_TOKENS_MAX);
  }
  const token_t *same = find_token(access, token, token_bytes);
  if (same != NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "%s and %s have the same token", same->name,
                     made->name);
  }
  token_t *added = pod_list_add(&access->tokens);
  *added = *made;
  digest_of(token, token_bytes, added->digest);
  return NULL;
}

static pod_status_t check_name(const access_t *access, const char *name) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";
  const size_t length = strlen(name);
  if (length == 0 || length > ACCESS_TOKEN_NAME_BYTES_MAX ||
      strspn(name, letters) != length) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a name has 1 to %d letters, digits or any of ._@-",
                     ACCESS_TOKEN_NAME_BYTES_MAX);
  }
  for (int32_t i = 0; i < access->tokens.count; i++) {
    if (strcmp(access->tokens.items[i].name, name) == 0) {
      return pod_error(POD_INVALID_ARGUMENT, "there are two tokens of the name %s", name);
    }
  }
  return NULL;
}

pod_status_t access_add_token(access_t *access, access_role_t role, const char *name,
                              const char *token) {
  POD_TRY(check_name(access, name));
  token_t made = {.role = role};
  snprintf(made.name, sizeof(made.name), "%s", name);
  return add_token(access, &made, token);
}

pod_status_t access_add_own_token(access_t *access, const char *token) {
  token_t made = {.role = ACCESS_ADMINISTER, .is_own = true};
  snprintf(made.name, sizeof(made.name), "%s", own_user);
  return add_token(access, &made, token);
}

int access_token_count(const access_t *access) {
  int count = 0;
  for (int32_t i = 0; i < access->tokens.count; i++) {
    count += access->tokens.items[i].is_own ? 0 : 1;
  }
  return count;
}

pod_status_t access_reload_tokens(access_t *access, const char *path) {
  access_t fresh = {
      .is_open = access->is_open,
      .has_open_workers = access->has_open_workers,
      .had_file_tokens = access->had_file_tokens || access_token_count(access) > 0};
  memcpy(&fresh.loans, &access->loans, sizeof(fresh.loans));  // They go on.
  for (int32_t i = 0; i < access->tokens.count; i++) {
    if (access->tokens.items[i].is_own) {
      *(token_t *)pod_list_add(&fresh.tokens) = access->tokens.items[i];
    }
  }
  const pod_status_t status = access_load_tokens(&fresh, path);
  if (status != NULL) {
    pod_list_deinit(&fresh.tokens);
    return status;
  }
  pod_list_deinit(&access->tokens);
  *access = fresh;
  return NULL;
}

// --- Loans ---

static int32_t find_loan(const access_t *access, const char *token, size_t token_bytes) {
  uint8_t digest[DIGEST_BYTES];
  digest_of(token, token_bytes, digest);
  int32_t found = -1;
  for (int32_t i = 0; i < access->loans.count; i++) {
    const bool is_it =
        digest_equal(access->loans.items[i].digest, digest, sizeof(digest));
    found = is_it ? i : found;
  }
  return found;
}

void access_lend(access_t *access, const char *name, const char *token, uint64_t errand) {
  loan_t *loan = pod_list_add(&access->loans);
  *loan = (loan_t){.errand = errand};
  snprintf(loan->name, sizeof(loan->name), "%s", name);
  digest_of(token, strlen(token), loan->digest);
}

void access_end_loan(access_t *access, const char *token) {
  const int32_t at = find_loan(access, token, strlen(token));
  if (at >= 0) {
    access->loans.items[at] = access->loans.items[--access->loans.count];
  }
}

// --- Callers ---

const char *access_bearer(const char *authorization, size_t size_bytes,
                          size_t *out_token_bytes) {
  static const char scheme[] = "bearer ";
  const size_t scheme_bytes = sizeof(scheme) - 1;
  if (authorization == NULL || size_bytes <= scheme_bytes ||
      strncasecmp(authorization, scheme, scheme_bytes) != 0) {
    return NULL;
  }
  *out_token_bytes = size_bytes - scheme_bytes;
  return authorization + scheme_bytes;
}

static unsigned roles_of(access_role_t role) {
  if (role == ACCESS_WORKER) {
    return 1U << ACCESS_WORKER;
  }
  unsigned roles = 0;
  for (unsigned at = ACCESS_READ; at <= (unsigned)role; at++) {
    roles |= 1U << at;
  }
  return roles;
}

static void set_identity(access_identity_t *identity, unsigned roles, const char *kind,
                         const char *name) {
  identity->roles = roles;
  identity->errand = 0;
  snprintf(identity->name, sizeof(identity->name), "%s%s", kind, name);
}

static pod_status_t unknown_caller(bool has_token) {
  if (has_token) {
    return pod_error(POD_UNAUTHENTICATED,
                     "the token is not one that this server knows; it may be of a pod "
                     "that has ended, or of another one");
  }
  return pod_error(
      POD_UNAUTHENTICATED,
      "this server does not know who calls: come as its own user on its own host, with a "
      "client certificate, or with a token (`authorization: Bearer TOKEN`; podium and "
      "libpodium take --token-file or PODIUM_TOKEN_FILE)");
}

// What is known of nobody in particular.
static unsigned open_roles(const access_t *access) {
  if (!access->is_open) {
    return 0;
  }
  const bool has_tokens = access->had_file_tokens || access_token_count(access) > 0;
  return (has_tokens ? 0 : roles_of(ACCESS_ADMINISTER)) |
         (access->has_open_workers ? roles_of(ACCESS_WORKER) : 0);
}

static const token_t *shown_token(const access_t *access, const access_caller_t *caller,
                                  bool *out_is_shown) {
  size_t token_bytes = 0;
  const char *token =
      access_bearer(caller->authorization, caller->authorization_bytes, &token_bytes);
  *out_is_shown = token != NULL;
  return token == NULL || token_bytes > ACCESS_TOKEN_BYTES_MAX ||
                 access->tokens.count == 0
             ? NULL
             : find_token(access, token, token_bytes);
}

// False when the caller shows no token that is lent.
static bool identify_by_loan(const access_t *access, const access_caller_t *caller,
                             access_identity_t *out_identity) {
  size_t token_bytes = 0;
  const char *token =
      access_bearer(caller->authorization, caller->authorization_bytes, &token_bytes);
  if (token == NULL || token_bytes > ACCESS_TOKEN_BYTES_MAX || access->loans.count == 0) {
    return false;
  }
  const int32_t loan = find_loan(access, token, token_bytes);
  if (loan < 0) {
    return false;
  }
  out_identity->is_anybody = false;
  set_identity(out_identity, roles_of(ACCESS_RUN), "", access->loans.items[loan].name);
  out_identity->errand = access->loans.items[loan].errand;
  return true;
}

pod_status_t access_identify(const access_t *access, const access_caller_t *caller,
                             access_identity_t *out_identity) {
  if (identify_by_loan(access, caller, out_identity)) {
    return NULL;
  }
  bool has_token;
  const token_t *known = shown_token(access, caller, &has_token);
  access_role_t role = ACCESS_OPEN;
  out_identity->is_anybody = false;
  if (known != NULL && !known->is_own) {
    set_identity(out_identity, roles_of(known->role), "token ", known->name);
  } else if (known != NULL || caller->is_own_user) {
    set_identity(out_identity, roles_of(ACCESS_ADMINISTER) | roles_of(ACCESS_WORKER), "",
                 own_user);
  } else if (caller->certificate_role != NULL &&
             access_role_parse(caller->certificate_role, &role)) {
    set_identity(out_identity, roles_of(role), "certificate ",
                 caller->certificate_name != NULL ? caller->certificate_name : "");
  } else if (open_roles(access) != 0) {
    set_identity(out_identity, open_roles(access), "", "anybody");
    out_identity->is_anybody = true;
  } else {
    return unknown_caller(has_token);
  }
  return NULL;
}

bool access_allows(const access_identity_t *identity, access_role_t role) {
  return role == ACCESS_OPEN || (identity->roles & 1U << role) != 0;
}

static void set_known(access_identity_t *identity, const token_t *known) {
  identity->is_anybody = false;
  if (known->is_own) {
    set_identity(identity, roles_of(ACCESS_ADMINISTER) | roles_of(ACCESS_WORKER), "",
                 own_user);
  } else {
    set_identity(identity, roles_of(known->role), "token ", known->name);
  }
}

pod_status_t access_identify_code(const access_t *access, const char *code, int64_t now_s,
                                  access_identity_t *out_identity, int64_t *out_until_s) {
  const token_t *known = NULL;
  int64_t until_s = 0;
  const bool is_code = access_code_read(code, now_s, &until_s);
  for (int32_t i = 0; is_code && i < access->tokens.count; i++) {
    const token_t *at = &access->tokens.items[i];
    known = access_code_is_of(code, at->digest) ? at : known;
  }
  if (known == NULL) {
    return pod_error(POD_UNAUTHENTICATED,
                     "the link is too old, or of another pod: `podium status` shows one");
  }
  set_known(out_identity, known);
  *out_until_s = until_s;
  return NULL;
}

static const char *highest_role(const access_identity_t *identity) {
  for (int role = ACCESS_WORKER; role >= ACCESS_READ; role--) {
    if ((identity->roles & 1U << role) != 0) {
      return role_names[role];
    }
  }
  return "no role";
}

pod_status_t access_require(const access_identity_t *identity, access_role_t role,
                            const char *what) {
  if (access_allows(identity, role)) {
    return NULL;
  }
  if (identity->is_anybody) {
    return unknown_caller(false);
  }
  return pod_error(POD_PERMISSION_DENIED, "%s needs the role %s; %s has %s", what,
                   role_names[role], identity->name, highest_role(identity));
}
