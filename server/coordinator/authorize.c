// The table of methods, and what a call shows of its caller.

#include "server/coordinator/authorize.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/log.h"

typedef struct method_role_t {
  const char *path;
  access_role_t role;
} method_role_t;

static const method_role_t method_roles[] = {
#define METHOD(path, role) {path, ACCESS_##role},
#include "server/coordinator/methods.def"
#undef METHOD
};

access_role_t authorize_role_of(const char *path) {
  for (size_t i = 0; i < POD_COUNT_OF(method_roles); i++) {
    if (strcmp(method_roles[i].path, path) == 0) {
      return method_roles[i].role;
    }
  }
  return ACCESS_ADMINISTER;
}

pod_status_t authorize_identify(const access_t *access, const rpc_call_t *call,
                                access_identity_t *out_identity) {
  const rpc_peer_t peer = rpc_call_peer(call);
  const rpc_metadata_t *shown = rpc_call_peer_metadata(call, "authorization", false);
  const access_caller_t caller = {
      .is_own_user = peer.is_own_user,
      .certificate_name = peer.certificate_name,
      .certificate_role = peer.certificate_role,
      .authorization = shown == NULL ? NULL : shown->value,
      .authorization_bytes = shown == NULL ? 0 : shown->size_bytes};
  return access_identify(access, &caller, out_identity);
}

pod_status_t authorize_call(rpc_call_t *call, const char *path, void *access) {
  const access_role_t role = authorize_role_of(path);
  if (role == ACCESS_OPEN) {
    return NULL;
  }
  access_identity_t identity;
  pod_status_t status = authorize_identify(access, call, &identity);
  if (status == NULL) {
    status = access_require(&identity, role, path);
  }
  if (status != NULL) {
    pod_log(POD_LOG_DEBUG, "a call of %s from %s is refused: %s", path,
            rpc_call_peer_address(call), pod_status_message(status));
  }
  return status;
}
