// The token of a coordinator on this machine, in a file that only its own user can read:
// stock clients that come by TCP send it, and nobody has to be told it. The file is named
// after the port ("token-7400"; after the host too where that is not 127.0.0.1:
// "token-[::1]-7400"), in a folder of mode 0700: $XDG_RUNTIME_DIR/podium or
// /tmp/podium-UID.
//
// Threading: any.
// Ownership: texts are returned owned (access_forget for tokens, free() for paths).

#ifndef COMMON_ACCESS_LOCAL_TOKEN_H_
#define COMMON_ACCESS_LOCAL_TOKEN_H_

#include <stdbool.h>

#include "common/base/status.h"

// Of the server at `address`, made anew with mode 0600. FAILED_PRECONDITION when there is
// no folder that is ours alone.
POD_MUST_USE pod_status_t access_write_local_token(const char *address, const char *token,
                                                   char **out_path);

// The token of the server at this address, when it is on this machine and our user's;
// NULL: there is none. The newest, when there are several.
char *access_find_local_token(const char *address);

// What a client shows to the server at `address`, or NULL: of `token_file`, of the file
// that PODIUM_TOKEN_FILE names, PODIUM_TOKEN itself, or of the server's own file, in this
// order; what is NULL or "" is left out. FAILED_PRECONDITION when a token that somebody
// gave would go to another host in the clear.
POD_MUST_USE pod_status_t access_client_token(const char *address, const char *token_file,
                                              bool is_encrypted, char **out_token);

#endif  // COMMON_ACCESS_LOCAL_TOKEN_H_
