// The table is data, so that it can be read beside the picture, and the check is here
// once. After dqlite's sm.h, which does the same for Raft.

#include "common/base/state_machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/log.h"

enum { STATES_MAX = 32 };

void pod_state_machine_init(pod_state_machine_t *machine, const char *name, uint64_t id,
                            const pod_state_t *states, int state_count, int first) {
  POD_CHECK(state_count > 0 && state_count <= STATES_MAX);
  POD_CHECK(first >= 0 && first < state_count);
  *machine = (pod_state_machine_t){.name = name,
                                   .id = id,
                                   .states = states,
                                   .state_count = (uint8_t)state_count,
                                   .state = (uint8_t)first};
}

const char *pod_state_name(const pod_state_machine_t *machine) {
  return machine->states[machine->state].name;
}

bool pod_state_machine_may_move(const pod_state_machine_t *machine, unsigned state) {
  POD_CHECK(state < machine->state_count);
  return (machine->states[machine->state].next & POD_TO(state)) != 0;
}

void pod_state_machine_move(pod_state_machine_t *machine, unsigned state) {
  if (!pod_state_machine_may_move(machine, state)) {
    fprintf(stderr, "%s %" PRIu64 ": no move from %s to %s\n", machine->name, machine->id,
            pod_state_name(machine), machine->states[state].name);
    abort();
  }
  pod_log(POD_LOG_DEBUG, "%s %" PRIu64 ": %s -> %s", machine->name, machine->id,
          pod_state_name(machine), machine->states[state].name);
  machine->state = (uint8_t)state;
}
