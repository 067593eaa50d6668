// Who looks at the links of a node: one at a time has the watch. The compute thread takes
// it for the length of a collective; the pump thread has it for the length of a look,
// when it is called for what cannot wait.
//
//   state of the bell       who has the watch         what a ring does
//
//        IDLE               nobody, or the pump       urgent: calls the pump
//      ^   │                                          else: nothing, it waits for a run
//      │   │ enter: takes the watch, whoever has it
//      │   v
//      │ POLLING            the run                   nothing: the run looks
//      │   │  ^
//      │   │  │ awake, or rung: the ringer moves it
//      │   v  │
//      │ ASLEEP             the run                   wakes the run
//      │
//      └─ leave: IDLE first, then the last looks, then the watch is free; and who called
//         the pump during these looks has called in vain, so it is called again.
//
// A wake-up is lost where one relies on another to look who has looked already. It is not
// here, because each of the following is written before what it is paired with is read,
// on both sides, with a fence between:
//
//   who has something:  puts it            then reads the state
//   the run:            writes ASLEEP      then looks, then sleeps
//   the run:            writes IDLE        then looks until nothing is there, then leaves
//   the pump:           writes "missed"    then tries to take the watch again, then
//   sleeps the run:            frees the watch    then reads "missed", and calls the pump
//   if so
//
// tests/model/bell.pml is this, checked exhaustively; what it was before, too, and found
// wrong. Nobody relies on it alone: no sleep is longer than a nap.
//
// Threading: as the functions say.

#ifndef SERVER_ICI_WATCH_H_
#define SERVER_ICI_WATCH_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/ici/bell.h"

enum {
  ICI_NAP_MS = 250,        // Of a run.
  ICI_PUMP_NAP_MS = 1000,  // Of the pump: every idle worker of a host has one.
};

typedef struct ici_watch_t {
  ici_bell_t *bell;
  atomic_llong nap_ns, pump_nap_ns;
  pthread_mutex_t held;     // By who has the watch.
  atomic_bool run_wants;    // The pump is to make way.
  atomic_bool pump_missed;  // It was called while the run had the watch.
  atomic_bool ends;
} ici_watch_t;

// One look at everything. True: something has moved, and there may be more.
typedef bool (*ici_look_fn_t)(void *context);

// Borrows the bell, whose state becomes IDLE.
void ici_watch_init(ici_watch_t *watch, ici_bell_t *bell);

// Nobody uses it any more. Accepts what is zero.
void ici_watch_deinit(ici_watch_t *watch);

// The compute thread takes the watch. What was there before is to be looked at by it.
void ici_watch_enter(ici_watch_t *watch);

// The compute thread, which has the watch, sleeps until something comes, for a nap and
// for `timeout_ns` at most. Looks once before, and does not sleep when that is true.
void ici_watch_sleep(ici_watch_t *watch, ici_look_fn_t look, void *context,
                     int64_t timeout_ns);

// The compute thread gives the watch back. `look` is called as the pump would call it.
void ici_watch_leave(ici_watch_t *watch, ici_look_fn_t look, void *context);

// A round of the pump thread: takes the watch if it is free, looks until nothing is
// there, and sleeps until it is called, for a nap at most. False: the watch ends.
bool ici_watch_pump(ici_watch_t *watch, ici_look_fn_t look, void *context);

// The pump's next round is its last. Any thread.
void ici_watch_end(ici_watch_t *watch);

#endif  // SERVER_ICI_WATCH_H_
