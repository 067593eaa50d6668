// A worker without a chip, for tests of the coordinator: serves podium.v1.Worker and
// attaches, on the loop of the test. It keeps arrays, and "executes" a program by giving
// its first argument back as its first result, or by what the test wants instead.
//
// Threading: the test's thread.

#ifndef TESTS_UNIT_SERVER_COORDINATOR_FAKE_WORKER_H_
#define TESTS_UNIT_SERVER_COORDINATOR_FAKE_WORKER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/rpc/rpc.h"

typedef struct fake_worker_t fake_worker_t;
typedef struct fake_call_t fake_call_t;

typedef enum fake_mode_t {
  FAKE_WELL = 0,
  FAKE_HANG,       // Executions end only when they are cancelled.
  FAKE_TOUCH,      // They fail with UNAVAILABLE: "the link to … is broken".
  FAKE_EXHAUSTED,  // They fail with RESOURCE_EXHAUSTED, as do puts.
  // They end when they go on after a pause; when every second one comes, the one before
  // it lacks room.
  FAKE_LACKING,
} fake_mode_t;

typedef struct fake_array_t {
  uint64_t id, session;
  uint8_t *data;
  size_t size_bytes;
} fake_array_t;

enum { FAKE_ARRAYS_MAX = 64 };

struct fake_worker_t {
  rpc_loop_t *loop;
  rpc_server_t *server;
  rpc_channel_t *channel;  // To the coordinator.
  rpc_call_t *attach;      // NULL when the coordinator has ended it.
  rpc_timer_t *heartbeat;
  char *address;
  const char *host;  // Its identity; borrowed.
  int32_t
      host_index;  // On a host that has all four chips and rank 0; -1: it stands alone.
  fake_mode_t mode;
  bool reads_no_puts;  // Puts are held: nothing of them is read.
  bool is_silent;      // No heartbeats.
  bool is_deaf;        // What is to be freed is neither done nor answered.

  // It obeys who shows this token, which it has given with its proof of no secret.
  uint8_t call_token[32];
  int refused_call_count;  // Calls without it.

  // What came.
  int32_t chip;  // -1 before the assignment.
  uint64_t epoch;
  int dial_count;
  int execute_count, executing_count, lacking_count, cancelled_count, load_count,
      unload_count, close_count, free_call_count;
  uint64_t executed[64];  // Ids of executions, in their order.
  size_t put_bytes;       // Of shards, all puts.
  size_t program_bytes;   // Of the last program.
  uint8_t argument_byte;  // The first byte of the last execution's argument.
  pod_code_t refused_code;
  char refused[512];  // Why the coordinator ended the membership.
  int array_count;
  fake_array_t arrays[FAKE_ARRAYS_MAX];
  fake_call_t *calls;  // All that are open.
};

// Attaches to the coordinator, wanting chip `wanted` of a 2x2 (-1: any).
fake_worker_t *fake_worker_start(rpc_loop_t *loop, const char *coordinator,
                                 int32_t wanted);

// The same on such a host, by its index there.
fake_worker_t *fake_worker_start_on_host(rpc_loop_t *loop, const char *coordinator,
                                         const char *host, int32_t index);

// Its connections break; it goes on at the same address, attached as before.
void fake_worker_cut(fake_worker_t *worker);

// A second Attach of the same address while the first is open, as of a worker that has
// lost its coordinator before that has noticed; `is_same`: it has the token of the first.
// What comes to the first does not matter any more.
void fake_worker_attach_again(fake_worker_t *worker, int32_t wanted, bool is_same);

// Goes away as a killed process does. Accepts NULL.
void fake_worker_kill(fake_worker_t *worker);

void fake_worker_report_link(fake_worker_t *worker, int direction, int32_t neighbour,
                             bool up);

// Reports all its links of a 2x2 as up.
void fake_worker_report_links(fake_worker_t *worker);

// Half-closes Attach: it wants to leave.
void fake_worker_leave(fake_worker_t *worker);

// Lets the puts that were held go on.
void fake_worker_read_puts(fake_worker_t *worker);

const fake_array_t *fake_worker_array(const fake_worker_t *worker, uint64_t id);

#endif  // TESTS_UNIT_SERVER_COORDINATOR_FAKE_WORKER_H_
