// See client.h.

#include "tests/system/client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/system/pod.h"

void must(podium_status_t *status) {
  if (status != NULL) {
    print_error("%s: %s\n", podium_code_name(podium_status_code(status)),
                podium_status_message(status));
    system_pod_show_latest();
  }
  assert_null(status);
}

void expect_error(podium_status_t *status, podium_code_t code, const char *words) {
  assert_non_null(status);
  if (podium_status_code(status) != code ||
      strstr(podium_status_message(status), words) == NULL) {
    fail_msg("%s: %s; expected %s and '%s'", podium_code_name(podium_status_code(status)),
             podium_status_message(status), podium_code_name(code), words);
  }
  podium_status_free(status);
}

podium_session_t *connect_to(const system_pod_t *pod) {
  podium_session_t *session = NULL;
  must(podium_connect(system_pod_address(pod),
                      &(podium_connect_options_t){.timeout_ms = SYSTEM_WAIT_MS},
                      &session));
  return session;
}

int64_t hbm_used_of(const system_pod_t *pod) {
  podium_session_t *session = NULL;
  podium_pod_t *info = NULL;
  must(podium_connect(system_pod_address(pod),
                      &(podium_connect_options_t){.do_not_wait = true}, &session));
  must(podium_pod(session, SYSTEM_WAIT_MS, &info));
  int64_t used = 0;
  for (int i = 0; i < info->device_count; i++) {
    used += info->devices[i].hbm_used_bytes;
  }
  podium_pod_free(info);
  podium_close(session);
  return used;
}
