// Addresses as they are written.

#include "common/access/place.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

bool access_is_local(const char *address) {
  if (strncmp(address, "unix:", 5) == 0) {
    return true;
  }
  const bool in_brackets = address[0] == '[';
  const char *host = in_brackets ? address + 1 : address;
  const size_t length = strcspn(host, in_brackets ? "]" : ":");
  char text[INET6_ADDRSTRLEN + 1];
  if (length >= sizeof(text)) {
    return false;
  }
  memcpy(text, host, length);
  text[length] = '\0';
  struct in_addr ipv4;
  struct in6_addr ipv6;
  if (in_brackets) {
    return inet_pton(AF_INET6, text, &ipv6) == 1 && IN6_IS_ADDR_LOOPBACK(&ipv6);
  }
  return strcmp(text, "localhost") == 0 || (inet_pton(AF_INET, text, &ipv4) == 1 &&
                                            ntohl(ipv4.s_addr) >> 24 == IN_LOOPBACKNET);
}

const char *access_port(const char *address) {
  const char *colon = strrchr(address, ':');
  return strncmp(address, "unix:", 5) == 0 || colon == NULL ? "" : colon + 1;
}

pod_status_t access_check_listen(const char *what, const char *address, bool is_encrypted,
                                 bool is_insecure) {
  if (is_encrypted || is_insecure || access_is_local(address)) {
    return NULL;
  }
  return pod_error(
      POD_FAILED_PRECONDITION,
      "%s at %s could be reached from other hosts, and everything would go in "
      "the clear: give it a certificate (--tls-certificate, --tls-key; "
      "`podium certificates` makes them), listen on 127.0.0.1, or say --insecure",
      what, address);
}

pod_status_t access_check_metrics(const char *address, bool is_insecure) {
  if (is_insecure || access_is_local(address)) {
    return NULL;
  }
  return pod_error(POD_FAILED_PRECONDITION,
                   "--metrics-listen %s could be reached from other hosts, in the clear "
                   "and by anybody: listen on 127.0.0.1 and have it scraped there, or "
                   "say --insecure",
                   address);
}
