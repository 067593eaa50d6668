/* The bell of a node and the watch (server/ici/watch.h), for spin: ringers put frames and
 * ring, a compute thread runs collectives, a pump passes on what cannot wait. Nobody's nap
 * ends by itself here, so that whatever is left when nothing moves any more was forgotten.
 *
 * The memory is sequentially consistent, as the fences of watch.c make it for these
 * variables. A look takes one frame; a futex sleeps until its word is not the one seen.
 *
 * What must be found wrong (tests/model/check.py):
 *   OLD          as it was: one last look, and a pump that comes too late sleeps again
 *   NO_MISSED    the pump does not say that it came too late
 *   NO_RETRY     it says so, but does not try again before it sleeps
 *   ONE_LOOK     who leaves looks once
 *   LATE_IDLE    who leaves looks, and only then says that nobody does
 *   LATE_ASLEEP  the run looks, and only then says that it sleeps
 *   LATE_CLEAR   it forgets who called in vain after its last look
 *   EARLY_CALL   who leaves asks who was called in vain before it has freed the watch
 */

#ifdef OLD
#define NO_MISSED
#define ONE_LOOK
#endif

#define RUNS 2
#define FRAMES 2 /* To be passed on. */
#define LOOKS 2  /* After so many last looks the pump is to go on. */

mtype = { POLLING, ASLEEP, IDLE };

mtype state = IDLE;
byte run_word, pump_word;
bit held, run_wants, missed;
byte urgent;  /* Frames to be passed on that nobody has looked at. */
byte own;     /* Frames for the collective: one is what it waits for. */
byte ended;   /* Collectives. */

inline ring(is_urgent) {
  seen_state = state;
  if
  :: seen_state == ASLEEP ->
    atomic {
      if
      :: state == ASLEEP -> state = POLLING; run_word++
      :: else
      fi
    }
  :: seen_state == IDLE && is_urgent -> pump_word++
  :: else
  fi;
  seen_state = 0
}

/* True: something was there. The pump and who leaves do not take what is the run's. */
inline look(of_run) {
  moved = false;
  atomic {
    if
    :: urgent > 0 -> urgent--; moved = true
    :: else
    fi
  }
  atomic {
    if
    :: of_run && own > 0 && !has_own -> own--; has_own = true; moved = true
    :: else
    fi
  }
}

proctype passer(byte left) {
  mtype seen_state;
  do
  :: left > 0 -> urgent++; left--; ring(true)
  :: else -> break
  od
}

proctype peer(byte left) {
  mtype seen_state;
  do
  :: left > 0 -> own++; left--; ring(false)
  :: else -> break
  od
}

proctype collective() {
  byte seen, looks;
  bit moved, has_own;
  do
  :: ended == RUNS -> break
  :: else ->
    run_wants = true;
    atomic { held == 0 -> held = 1 };
    run_wants = false;
    state = POLLING;
    has_own = false;
    do
    :: has_own -> break
    :: else ->
      look(true);
      if
      :: moved
      :: else ->
        seen = run_word;
#ifdef LATE_ASLEEP
        look(true);
        state = ASLEEP;
#else
        state = ASLEEP;
        look(true);
#endif
        if
        :: moved
        :: else -> run_word != seen
        fi;
        seen = 0;
        state = POLLING
      fi
    od;
    looks = 0;
#ifdef LATE_IDLE
    do
    :: look(false);
      if
      :: moved && looks < LOOKS -> looks++
      :: else -> break
      fi
    od;
    state = IDLE;
#else
    state = IDLE;
    missed = false;
#ifdef ONE_LOOK
    look(false);
#else
    do
    :: looks == LOOKS -> break
    :: else ->
      look(false);
      if
      :: moved -> looks++
      :: else -> break
      fi
    od;
#endif
#endif
#ifdef LATE_CLEAR
    missed = false;
#endif
#ifdef EARLY_CALL
    if
    :: atomic { missed || looks == LOOKS -> missed = false }; pump_word++
    :: else
    fi;
    held = 0;
#else
    held = 0;
    if
    :: atomic { missed || looks == LOOKS -> missed = false }; pump_word++
    :: else
    fi;
#endif
    moved = false;
    looks = 0;
    ended++
  od
}

inline try_to_take() {
  atomic {
    if
    :: held == 0 -> held = 1; has_watch = true
    :: else -> has_watch = false
    fi
  }
}

proctype pump() {
  byte seen;
  bit moved, has_watch, has_own;
  do
  :: seen = pump_word;
    try_to_take();
#ifndef NO_MISSED
    if
    :: !has_watch ->
      missed = true;
#ifndef NO_RETRY
      try_to_take()
#endif
    :: else
    fi;
#endif
    if
    :: has_watch ->
      do
      :: run_wants -> break
      :: else ->
        look(false);
        if
        :: moved
        :: else -> break
        fi
      od;
      held = 0
    :: else
    fi;
end_asleep:
    pump_word != seen
  od
}

init {
  atomic {
    run passer(FRAMES);
    run peer(RUNS);
    run collective();
    run pump()
  };
  timeout;
  assert(ended == RUNS);
  assert(urgent == 0)
}
