// A state machine that checks and traces its moves. The owner draws the picture, writes
// the table, and has one of these per object:
//
//   static const pod_state_t states[] = {
//       [DOOR_OPEN] = {"open", POD_TO(DOOR_SHUT)},
//       [DOOR_SHUT] = {"shut", POD_TO(DOOR_OPEN) | POD_TO(DOOR_GONE)},
//       [DOOR_GONE] = {"gone", 0}};
//   pod_state_machine_t door;
//   pod_state_machine_init(&door, "door", id, states, POD_COUNT_OF(states), DOOR_SHUT);
//   pod_state_machine_move(&door, DOOR_OPEN);
//
// A move that the table does not have is a bug of ours and stops the process with the
// machine's name and both states. Moves are logged at the level "debug".
//
// Threading: whoever owns the object.

#ifndef COMMON_BASE_STATE_MACHINE_H_
#define COMMON_BASE_STATE_MACHINE_H_

#include <stdbool.h>
#include <stdint.h>

// A state, by its number in the table: at most 32.
typedef struct pod_state_t {
  const char *name;
  uint32_t next;  // The states that may follow: POD_TO(a) | POD_TO(b).
} pod_state_t;

#define POD_TO(state) (UINT32_C(1) << (state))

typedef struct pod_state_machine_t {
  const char *name;           // Borrowed: what the trace calls it.
  uint64_t id;                // Which one of its kind.
  const pod_state_t *states;  // Borrowed.
  uint8_t state_count, state;
} pod_state_machine_t;

// A machine of `state_count` states that stands at `first`.
void pod_state_machine_init(pod_state_machine_t *machine, const char *name, uint64_t id,
                            const pod_state_t *states, int state_count, int first);

static inline int pod_state_of(const pod_state_machine_t *machine) {
  return machine->state;
}

const char *pod_state_name(const pod_state_machine_t *machine);

// Whether the table has a move to `state`.
bool pod_state_machine_may_move(const pod_state_machine_t *machine, unsigned state);

void pod_state_machine_move(pod_state_machine_t *machine, unsigned state);

#endif  // COMMON_BASE_STATE_MACHINE_H_
