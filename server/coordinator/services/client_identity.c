// Connections of one client come from many ports of one address.

#include "server/coordinator/services/client_identity.h"

#include <string.h>

#include "common/base/text.h"

// "10.0.0.7" of "10.0.0.7:4711", "[::1]" of "[::1]:4711"; what has no port as it is.
static int host_length(const char *address) {
  const char *colon = strrchr(address, ':');
  const char *bracket = strrchr(address, ']');
  const bool has_port = colon != NULL && (bracket == NULL || colon > bracket) &&
                        strncmp(address, "unix", 4) != 0;
  return (int)(has_port ? colon - address : (long)strlen(address));
}

char *client_identity(const rpc_call_t *call, const char *caller) {
  pod_text_t text = {0};
  pod_text_add(&text, caller);
  if (strcmp(caller, "anybody") == 0) {
    const char *address = rpc_call_peer_address(call);
    pod_text_printf(&text, " at %.*s", host_length(address), address);
  }
  return pod_text_take(&text);
}
