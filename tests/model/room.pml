/* Who waits for room in a link, for spin. A frame of a ring cannot be passed on, and control
 * frames wait in the outbox (server/ici/route.c); a callback of nng makes room and calls
 * whoever waits. Nobody's nap ends by itself.
 *
 * What must be found wrong:
 *   OLD_STUCK   the pump says that a ring is stuck, and does not try once more
 *   OLD_OUTBOX  two try what is in the outbox at once
 */

byte room;       /* Free places in the link; two frames wait for them. */
bit stuck;       /* has_stuck_ring */
byte pump_word;
bit in_ring = 1; /* The frame that is to be passed on. */
byte outbox = 1; /* Control frames that wait. */
bit trying;      /* outbox_lock */

inline put() {
  atomic {
    if
    :: room > 0 -> room--; is_put = true
    :: else -> is_put = false
    fi
  }
}

inline empty_outbox() {
#ifndef OLD_OUTBOX
  atomic { trying == 0 -> trying = 1 };
#endif
  atomic {
    if
    :: outbox > 0 -> outbox--; has_frame = true
    :: else -> has_frame = false
    fi
  };
  if
  :: has_frame ->
    put();
    if
    :: is_put
    :: else -> outbox++
    fi
  :: else
  fi;
#ifndef OLD_OUTBOX
  trying = 0
#endif
}

/* A frame has gone: there is room. */
proctype sent() {
  bit is_put, has_frame;
  byte times = 2;
  do
  :: times > 0 ->
    times--;
    room++;
    empty_outbox();
    if
    :: stuck -> pump_word++
    :: else
    fi
  :: else -> break
  od
}

proctype pump() {
  byte seen;
  bit is_put;
  do
  :: seen = pump_word;
    stuck = false;
    if
    :: in_ring ->
      put();
#ifdef OLD_STUCK
      if
      :: is_put -> in_ring = 0
      :: else -> stuck = true
      fi
#else
      if
      :: is_put
      :: else -> stuck = true; put()
      fi;
      if
      :: is_put -> in_ring = 0
      :: else
      fi
#endif
    :: else
    fi;
end_asleep:
    pump_word != seen
  od
}

/* Who sends a control frame, has found no room and put it into the outbox: it tries. */
proctype sender() {
  bit is_put, has_frame;
  empty_outbox()
}

init {
  atomic {
    run sent();
    run pump();
    run sender()
  };
  timeout;
  assert(room == 0 || (in_ring == 0 && outbox == 0))
}
