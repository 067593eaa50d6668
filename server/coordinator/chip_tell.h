// What is to be freed on a chip is told until the worker has answered: a connection that
// breaks meanwhile, perhaps long after it fell silent, does not make a worker lost, and
// what it holds for nobody would stay there for as long as it lives.
//
//   told ──answer──────────────────────────> forgotten
//    ^  └──connection lost, no answer──> waits ──the worker is lost──> forgotten
//    └──────the worker says that it lives────┘
//
// To be told twice does no harm: numbers of what is freed are never used again.
//
// Threading: the loop thread.
// Ownership: by chip, of the registry.

#ifndef SERVER_COORDINATOR_CHIP_TELL_H_
#define SERVER_COORDINATOR_CHIP_TELL_H_

#include "common/base/status.h"
#include "common/rpc/rpc.h"

typedef struct chip_tell_t chip_tell_t;

// Of one worker; zeroed to begin with.
typedef struct chip_tells_t {
  chip_tell_t *first;
} chip_tells_t;

// Packs the request of a unary call to `path`, a literal, and begins to tell it.
void chip_tells_add(chip_tells_t *tells, rpc_channel_t *channel, const char *path,
                    const ProtobufCMessage *request);

// Tells again what was not answered.
void chip_tells_again(chip_tells_t *tells, rpc_channel_t *channel);

// The worker is gone: what is under way ends with its channel.
void chip_tells_forget(chip_tells_t *tells);

#endif  // SERVER_COORDINATOR_CHIP_TELL_H_
