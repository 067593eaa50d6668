// A channel, as the files of this module see it.
//
//            connect, call                  SETTINGS came
//     IDLE ───────────────► CONNECTING ───────────────────► READY
//      ▲                     │      ▲                         │
//      │      the attempt    │      │ backoff over            │ lost, or GOAWAY
//      │      failed         ▼      │                         │
//      │                     FAILED ┘                         │
//      └──────────────────────────────────────────────────────┘

#ifndef COMMON_RPC_CHANNEL_H_
#define COMMON_RPC_CHANNEL_H_

#include "common/rpc/connection.h"

enum {
  RPC_BACKOFF_MS_MIN = 100,
  RPC_BACKOFF_MS_MAX = 5000,
};

// As given to rpc_channel_create. Borrowed.
const char *rpc_channel_address(const rpc_channel_t *channel);

// What goes out as "authorization" with every call; NULL: nothing. Borrowed.
const char *rpc_channel_authorization(const rpc_channel_t *channel);

// Likewise as "traceparent".
const char *rpc_channel_traceparent(const rpc_channel_t *channel);

// Uses a socket that is connected already: for tests and fuzzing. Takes `fd`.
POD_MUST_USE pod_status_t rpc_channel_adopt(rpc_channel_t *channel, int fd);

#endif  // COMMON_RPC_CHANNEL_H_
