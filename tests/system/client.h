// libpodium in tests against real daemons: what must go well, what must fail and how.
//
// Threading: the test's main thread, but for must, which any thread of a test may call
// that is joined before the test ends.

#ifndef TESTS_SYSTEM_CLIENT_H_
#define TESTS_SYSTEM_CLIENT_H_

#include "client/lib/podium.h"
#include "tests/system/pod.h"

// Fails the test, with what it says, for anything but NULL.
void must(podium_status_t *status);

// Fails the test unless `status` has the code and the words; frees it.
void expect_error(podium_status_t *status, podium_code_t code, const char *words);

// A session with a pod whose chips are all there within SYSTEM_WAIT_MS; the caller's.
podium_session_t *connect_to(const system_pod_t *pod);

// HBM in use on all chips, as another session sees it.
int64_t hbm_used_of(const system_pod_t *pod);

#endif  // TESTS_SYSTEM_CLIENT_H_
