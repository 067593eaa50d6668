// Whether a process notices that nng does not end connections any more.

#include "server/ici/transport.h"

#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LONG_MS = 60000, SHORT_MS = 200 };

typedef struct gate_t {
  atomic_bool holds, is_held;
} gate_t;

// nng calls it on the thread that takes connections down.
static void hold(nng_pipe pipe, nng_pipe_ev event, void *context) {
  (void)pipe;
  (void)event;
  gate_t *gate = context;
  atomic_store(&gate->is_held, true);
  while (atomic_load(&gate->holds)) {
    sched_yield();
  }
}

static void test_connections_end(void **state) {
  (void)state;
  for (int i = 0; i < 20; i++) {
    assert_true(ici_transport_works(LONG_MS));
  }
}

static void test_connections_that_do_not_end_are_noticed(void **state) {
  (void)state;
  static gate_t gate;
  atomic_store(&gate.holds, true);
  nng_socket here, there;
  assert_int_equal(nng_pair0_open(&here), 0);
  assert_int_equal(nng_pair0_open(&there), 0);
  assert_int_equal(nng_pipe_notify(here, NNG_PIPE_EV_REM_POST, hold, &gate), 0);
  assert_int_equal(nng_listen(here, "inproc://held", NULL, 0), 0);
  nng_dialer dialer;
  assert_int_equal(nng_dial(there, "inproc://held", &dialer, 0), 0);
  nng_dialer_close(dialer);
  while (!atomic_load(&gate.is_held)) {
    sched_yield();
  }
  assert_false(ici_transport_works(SHORT_MS));
  atomic_store(&gate.holds, false);
  assert_true(ici_transport_works(LONG_MS));
  nng_close(there);
  nng_close(here);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_connections_end),
      cmocka_unit_test(test_connections_that_do_not_end_are_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
