// The bell of a node: what wakes the thread that has to look at the links. It lies in
// memory that neighbours on the same host can map, so that ringing it is an atomic load
// when somebody is looking anyway, and one system call when not.
//
// The looker is the compute thread while it runs a collective (it polls, then sleeps on
// `run_word`), and the pump thread of the node otherwise (it sleeps on `pump_word`),
// which is only called for what cannot wait: frames to pass on, and full rings. watch.h
// has the protocol.
//
// Threading: ici_bell_ring from any thread of any process; the rest as they say.

#ifndef SERVER_ICI_BELL_H_
#define SERVER_ICI_BELL_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/ici/frame.h"

enum {
  ICI_BELL_POLLING = 0,  // Somebody looks.
  ICI_BELL_ASLEEP = 1,   // The compute thread sleeps in a collective.
  ICI_BELL_IDLE = 2,     // No collective runs here.
};

typedef struct ici_bell_t {
  uint8_t token[ICI_TOKEN_BYTES];
  _Alignas(64) _Atomic uint32_t state;
  _Alignas(64) _Atomic uint32_t run_word;
  _Alignas(64) _Atomic uint32_t pump_word;
} ici_bell_t;

// Something has been put where the bell's owner looks. `is_urgent`: it cannot wait for
// the next collective.
void ici_bell_ring(ici_bell_t *bell, bool is_urgent);

// Wakes the pump whatever the state.
void ici_bell_call_pump(ici_bell_t *bell);

// Wakes both sleepers whatever the state, to end or abort something.
void ici_bell_alarm(ici_bell_t *bell);

// Sleeps until `word` is no longer `seen`, or `timeout_ns` (not negative) have passed, or
// for no reason.
void ici_bell_sleep(_Atomic uint32_t *word, uint32_t seen, int64_t timeout_ns);

#endif  // SERVER_ICI_BELL_H_
