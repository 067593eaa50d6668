// Ringing is a fence, a load and, when somebody sleeps, a futex: the Linux kernel's
// sleep on a word of memory, here shared between processes. The protocol is in watch.h.

#include "server/ici/bell.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wake(_Atomic uint32_t *word) {
  atomic_fetch_add(word, 1);
  syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void ici_bell_ring(ici_bell_t *bell, bool is_urgent) {
  // Pairs with the owner's store of the state before its last look: one of the two sees
  // what the other has written.
  atomic_thread_fence(memory_order_seq_cst);
  uint32_t state = atomic_load_explicit(&bell->state, memory_order_relaxed);
  if (state == ICI_BELL_ASLEEP &&
      atomic_compare_exchange_strong(&bell->state, &state, ICI_BELL_POLLING)) {
    wake(&bell->run_word);
  } else if (state == ICI_BELL_IDLE && is_urgent) {
    wake(&bell->pump_word);
  }
}

void ici_bell_call_pump(ici_bell_t *bell) {
  wake(&bell->pump_word);
}

void ici_bell_alarm(ici_bell_t *bell) {
  wake(&bell->run_word);
  wake(&bell->pump_word);
}

void ici_bell_sleep(_Atomic uint32_t *word, uint32_t seen, int64_t timeout_ns) {
  const struct timespec timeout = {.tv_sec = timeout_ns / 1000000000,
                                   .tv_nsec = timeout_ns % 1000000000};
  syscall(SYS_futex, word, FUTEX_WAIT, seen, &timeout, NULL, 0);
}
