// The kernel's routing table knows which interface leads to the coordinator: a UDP socket
// that is connected there has its address, and nothing is sent.

#include "server/worker/own_host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/rpc/address.h"

enum { RETRY_S = 1 };

// The host of "HOST:PORT", "HOST" and "[IPv6]:PORT"; the brackets belong to it.
static size_t host_length(const char *address) {
  const char *bracket = strchr(address, ']');
  return bracket != NULL ? (size_t)(bracket - address) + 1 : strcspn(address, ":");
}

char *own_host_of(const char *address) {
  pod_text_t host = {0};
  pod_text_add_bytes(&host, address, host_length(address));
  return pod_text_take(&host);
}

pod_status_t own_host_toward(const char *coordinator, char **out_host) {
  if (strncmp(coordinator, "unix:", 5) == 0) {
    *out_host = pod_strdup("127.0.0.1");
    return NULL;
  }
  rpc_address_t there, here = {.size_bytes = sizeof(here.socket)};
  POD_TRY(rpc_address_resolve(coordinator, &there));
  const int probe = socket(there.socket.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool is_found =
      probe >= 0 &&
      connect(probe, (const struct sockaddr *)&there.socket, there.size_bytes) == 0 &&
      getsockname(probe, (struct sockaddr *)&here.socket, &here.size_bytes) == 0;
  const int error = errno;
  if (probe >= 0) {
    (void)close(probe);
  }
  if (!is_found) {
    return pod_error(POD_UNAVAILABLE,
                     "no interface of this host leads to the coordinator at %s: %s; "
                     "--listen names one",
                     coordinator, strerror(error));
  }
  char *address = rpc_address_format(&here);
  *out_host = own_host_of(address);
  free(address);
  return NULL;
}

pod_status_t own_host_wait_toward(const char *coordinator, char **out_host) {
  for (bool is_first = true;; is_first = false) {
    const pod_status_t status = own_host_toward(coordinator, out_host);
    if (pod_status_code(status) != POD_UNAVAILABLE) {
      return status;
    }
    // Loud once: it may be a mistake in the address.
    pod_log(is_first ? POD_LOG_INFO : POD_LOG_DEBUG, "waiting for the coordinator: %s",
            pod_status_message(status));
    pod_status_free(status);
    nanosleep(&(struct timespec){.tv_sec = RETRY_S}, NULL);
  }
}

bool own_host_is_wildcard(const char *address) {
  static const char *const wildcards[] = {"0.0.0.0", "[::]", "[0:0:0:0:0:0:0:0]", "*"};
  const size_t length = host_length(address);
  for (size_t i = 0; i < sizeof(wildcards) / sizeof(wildcards[0]); i++) {
    if (strlen(wildcards[i]) == length && memcmp(address, wildcards[i], length) == 0) {
      return true;
    }
  }
  return length == 0;
}

bool own_host_is_loopback(const char *address) {
  const size_t length = host_length(address);
  return strncmp(address, "127.", 4) == 0 || strncmp(address, "unix:", 5) == 0 ||
         (length == 5 && memcmp(address, "[::1]", 5) == 0) ||
         (length == 9 && memcmp(address, "localhost", 9) == 0);
}

char *own_host_replace(const char *address, const char *host) {
  pod_text_t text = {0};
  pod_text_printf(&text, "%s%s", host, address + host_length(address));
  return pod_text_take(&text);
}
