// A world for tests: a coordinator, fake workers and a client, all on one loop and over
// real sockets. The compiler is a fake too: whatever the text, the program takes
// f32[ROWS,4] with its rows over x of a 2x2 mesh (2x1 and 1x1 for two chips or one) and
// gives it back; "bad…" and "slowbad…"
// are refused, "large…" has twice the rows.
//
// Threading: the test's thread.

#ifndef TESTS_UNIT_SERVER_COORDINATOR_WORLD_H_
#define TESTS_UNIT_SERVER_COORDINATOR_WORLD_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/coordinator/coordinator.h"
#include "tests/unit/server/coordinator/client.h"
#include "tests/unit/server/coordinator/fake_worker.h"

enum { CHIPS = 4, ROWS = 8, ARRAY_BYTES = ROWS * 4 * 4, SHARD_BYTES = ARRAY_BYTES / 2 };

typedef struct world_t {
  rpc_loop_t *loop;
  coordinator_t *coordinator;     // NULL when the test has destroyed it.
  fake_worker_t *workers[CHIPS];  // By chip; NULL: none now.
  client_t *client;
} world_t;

// Without workers and session. Heartbeats come every 20 ms.
void world_start(world_t *world, int64_t timeout_ms);

// The coordinators of worlds that start from now on keep jobs; NULL: they do not, as at
// first. Borrowed.
void world_keep_jobs(const coordinator_jobs_options_t *jobs);

// With all workers, all links up and a session.
void world_start_ready(world_t *world, int64_t timeout_ms);

void world_stop(world_t *world);

// A worker that belongs to the test.
fake_worker_t *world_add_worker(world_t *world, int32_t wanted);

// Starts the worker of a chip and waits for its assignment.
void world_join(world_t *world, int32_t chip);

void world_kill_worker(world_t *world, int32_t chip);

// A new worker at the place of one that was lost; all links are up again.
void world_rejoin(world_t *world, int32_t chip);

void world_wait_ready(world_t *world, bool wanted);

// For client_run, with a fake_worker_t: its membership has ended.
bool world_is_refused(void *context);

void world_set_modes(world_t *world, fake_mode_t mode);

// For client_run, with the world.
bool world_all_execute(void *context);
bool world_none_executes(void *context);

// Takes `status`.
void assert_refused(pod_status_t status, pod_code_t code, const char *part);

uint64_t world_compile(world_t *world, const char *text);

// For the chips listed; the program needs no links.
uint64_t world_compile_on(world_t *world, size_t count, const int64_t *chips);

// From now on the compiler does not get done with a text "slow…" until it is released.
void world_hold_compiler(void);
void world_release_compiler(void);

// Until the compiler has begun so many modules since the world began.
void world_wait_compiles(const world_t *world, int count);

// How often the compiler was called since the world began.
int world_compile_count(void);

void world_fill(uint8_t *data, size_t size_bytes);

// ARRAY_BYTES of world_fill as the argument of an executable.
uint64_t world_put(world_t *world, uint64_t executable);

// Fetches it and finds what world_put has put.
void world_assert_array(world_t *world, uint64_t array);

// Until each living worker has so many arrays.
void world_wait_arrays(world_t *world, int arrays);

#endif  // TESTS_UNIT_SERVER_COORDINATOR_WORLD_H_
