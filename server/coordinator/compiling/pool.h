// Processes that compile: a module that crashes the compiler, eats memory or takes for
// ever costs its own compile only, and nothing of it stays in the coordinator.
//
//   coordinator ──control──> spawner ──fork──> compile server, one for each slot
//        └──────── jobs and answers (message.h) ──────┘
//
// The spawner is forked before the coordinator has a thread, a socket or a secret; it
// forks the servers when they are asked for, reaps them, and says how they ended. A
// server compiles one module after the other and is kept, because a warm one answers a
// small module in a fraction of a millisecond; after one that took much memory it ends,
// and the next is a new one. All of them end with the coordinator: by the end of their
// sockets, and by the kernel when it is killed.
//
// A spawner that has gone is started anew, now by running this program again (threads may
// have been started): at once, and after pauses that grow to 10 s when it goes again and
// again. What it took along is compiled by the next one, or is UNAVAILABLE.
//
// A server may have `memory_bytes` of address space beyond what it was born with
// (RLIMIT_AS); sanitizers reserve more than any limit, so that their builds have none.
//
// Threading: create before other threads, where the process may still fork; compile and
// stop on any thread; destroy when no compile is under way.
// Determinism: a program comes out as the compiler made it, byte by byte.

#ifndef SERVER_COORDINATOR_COMPILING_POOL_H_
#define SERVER_COORDINATOR_COMPILING_POOL_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/compiler/compiler.h"

typedef struct compile_pool_t compile_pool_t;

enum {
  COMPILE_POOL_SLOTS_MAX = 16,
  COMPILE_POOL_SECONDS = 600,  // Of one compile, unless said otherwise.
};

// What a compile may have unless said otherwise, of a host with so much memory.
int64_t compile_pool_memory_bytes(int64_t host_bytes, int32_t slot_count);

typedef pod_status_t compile_function_t(const char *text, int64_t length,
                                        const compiler_options_t *options,
                                        compiler_result_t **out_result);
typedef void compile_destroy_t(compiler_result_t *result);

typedef struct compile_pool_options_t {
  compile_function_t *compile;
  compile_destroy_t *destroy;
  const chip_spec_t *own_spec;  // A chip that is no row of chip/kinds.def; NULL: none.
                                // Borrowed for the life of the pool.
  int32_t slot_count;           // Compiles at a time, 1 to COMPILE_POOL_SLOTS_MAX.
  int64_t memory_bytes;         // Of one compile; 0: no limit.
  int64_t seconds;              // Of one compile; 0: no limit.
} compile_pool_options_t;

typedef struct compile_outcome_t {
  compiler_result_t *result;  // compiler_result_destroy
  uint8_t *packed;            // Its packed podium.v1.Program; free().
  size_t packed_bytes;
} compile_outcome_t;

// Begins main in every program that has a pool: returns at once, unless the program was
// started to be a spawner; then never.
#define COMPILE_SPAWNER_ARGUMENT "--be-the-compile-spawner"
void compile_spawner_main(int argc, char **argv, compile_function_t *compile,
                          compile_destroy_t *destroy);

// RESOURCE_EXHAUSTED: the system has no process for it.
POD_MUST_USE pod_status_t compile_pool_create(const compile_pool_options_t *options,
                                              compile_pool_t **out_pool);

// Accepts NULL.
void compile_pool_destroy(compile_pool_t *pool);

// As compiler_compile, and RESOURCE_EXHAUSTED for what took more memory or time than it
// may have, INTERNAL for what the compiler broke down over, CANCELLED after
// compile_pool_stop. Waits for a free slot. `owner` is what stop names it by;
// `is_unwanted`, or NULL, is true before stop is called, which may be too early to find
// the owner in a slot.
POD_MUST_USE pod_status_t compile_pool_compile(compile_pool_t *pool, const void *owner,
                                               const atomic_bool *is_unwanted,
                                               const char *text, int64_t length,
                                               const compiler_options_t *options,
                                               compile_outcome_t *out_outcome);

// Ends the compile of the owner at once, if it is under way; NULL: all that are.
void compile_pool_stop(compile_pool_t *pool, const void *owner);

#endif  // SERVER_COORDINATOR_COMPILING_POOL_H_
