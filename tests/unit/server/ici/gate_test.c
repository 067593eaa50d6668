// Two threads find at the same time that a guest has proven that he belongs here: the one
// that heard him, and the one that has sent the answer. The second comes when the first
// has admitted him and his place has been somebody else's, who has gone.

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "server/ici/node.h"
#include "tests/unit/server/ici/introduce.h"
#include "tests/unit/server/ici/pod.h"

static ici_node_t *listener;
static atomic_bool is_held, is_released;

void __real_ici_message_give(ici_node_t *node, nng_msg *message);
void __wrap_ici_message_give(ici_node_t *node, nng_msg *message);

// Who has heard the neighbour's proof waits here, with no lock, before he goes on.
void __wrap_ici_message_give(ici_node_t *node, nng_msg *message) {
  ici_header_t header;
  const pod_status_t status =
      ici_header_decode(nng_msg_body(message), nng_msg_len(message), 2, &header);
  if (status == NULL && node == listener && header.kind == ICI_PROOF &&
      header.source == 1) {
    atomic_store(&is_held, true);
    const int64_t until_ns = deadline();
    while (!atomic_load(&is_released) && pod_clock_now_ns() < until_ns) {
      (void)usleep(100);
    }
  }
  pod_status_free(status);
  __real_ici_message_give(node, message);
}

static bool place_is(ici_link_t *link, bool is_admitted) {
  pthread_mutex_lock(&link->lock);
  const ici_guest_t guest = link->guests[0];
  pthread_mutex_unlock(&link->lock);
  // One that was dropped leaves nothing; one that was admitted leaves who he was.
  return guest.state == ICI_GUEST_NONE && (guest.link != NULL) == is_admitted;
}

static void wait_for_place(ici_link_t *link, bool is_admitted) {
  const int64_t until_ns = deadline();
  while (!place_is(link, is_admitted)) {
    assert_true(pod_clock_now_ns() < until_ns);
    (void)usleep(100);
  }
}

static void test_a_guest_is_admitted_once_whoever_has_his_place_then(void **state) {
  (void)state;
  pod_t pod = {.torus = pair, .chip_count = 2};
  pod.nodes[0] = listener = make_node(&pod, 0, WAY_TCP);
  pod.nodes[1] = make_node(&pod, 1, WAY_TCP);
  const char *url = ici_node_tcp_url(pod.nodes[0], 0);
  assert_ok(ici_node_dial(pod.nodes[1], 1, url));
  ici_link_t *link = &listener->links[0];
  const int64_t until_ns = deadline();
  while (!atomic_load(&is_held)) {
    assert_true(pod_clock_now_ns() < until_ns);
    (void)usleep(100);
  }
  wait_for_place(link, true);
  const int stranger = connect_tcp(url);
  assert_true(stranger >= 0);
  wait_for_place(link, false);
  atomic_store(&is_released, true);
  assert_ok(ici_node_wait_up(pod.nodes[0], deadline()));
  assert_ok(ici_node_wait_up(pod.nodes[1], deadline()));
  close(stranger);
  ici_node_destroy(pod.nodes[0]);
  ici_node_destroy(pod.nodes[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_guest_is_admitted_once_whoever_has_his_place_then),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
