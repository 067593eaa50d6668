// The event loop: everything of Podium that waits for a socket, a timer or a signal waits
// here. A thin cover over libuv, so that no other module sees it.
//
// Threading: a loop belongs to the thread that runs rpc_loop_run ("the loop thread").
// Only rpc_loop_post, rpc_loop_stop and rpc_loop_enter may be called from other threads;
// everything that takes a loop, timer, server, channel or call is for the loop thread (or
// any one thread before the loop runs).
// Callbacks: run on the loop thread, never inside the call that asked for them.
// Ownership: what a create function returns is owned by the caller and must be destroyed
// before its loop is. Destroy functions accept NULL.

#ifndef COMMON_RPC_LOOP_H_
#define COMMON_RPC_LOOP_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

typedef struct rpc_loop_t rpc_loop_t;
typedef struct rpc_timer_t rpc_timer_t;
typedef struct rpc_signal_t rpc_signal_t;

typedef void (*rpc_fn_t)(void *context);

POD_MUST_USE pod_status_t rpc_loop_create(rpc_loop_t **out_loop);

// Runs what is still posted, closes what is still open of the loop's own, frees it.
// Servers, channels, timers and signals must be destroyed before.
void rpc_loop_destroy(rpc_loop_t *loop);

// Returns after rpc_loop_stop. May be run again.
void rpc_loop_run(rpc_loop_t *loop);

// Any thread.
void rpc_loop_stop(rpc_loop_t *loop);

// Runs `fn(context)` on the loop thread, in the order of the posts. Any thread, also the
// loop's own. Never dropped: what is still posted at rpc_loop_destroy is run there.
void rpc_loop_post(rpc_loop_t *loop, rpc_fn_t fn, void *context);

// For a thread that has something to send and would have to wake the loop for it. True:
// the loop sleeps, nothing is posted, and until rpc_loop_leave this thread is in its
// place: what belongs to the loop thread is this one's, but only timers may be touched
// and messages sent on calls that are open. False: post it instead. Never waits.
bool rpc_loop_enter(rpc_loop_t *loop);

// Writes what was sent, as far as that needs no waiting; the loop does the rest.
void rpc_loop_leave(rpc_loop_t *loop);

rpc_timer_t *rpc_timer_create(rpc_loop_t *loop, rpc_fn_t fn, void *context);

// Fires after `delay_ms`, then every `repeat_ms` (0: once). Restarts a running timer.
void rpc_timer_start(rpc_timer_t *timer, uint64_t delay_ms, uint64_t repeat_ms);

void rpc_timer_stop(rpc_timer_t *timer);

// May be called from the timer's own callback.
void rpc_timer_destroy(rpc_timer_t *timer);

// Calls `fn` for every arrival of `signal_number` (SIGTERM, SIGINT, ...).
POD_MUST_USE pod_status_t rpc_signal_create(rpc_loop_t *loop, int signal_number,
                                            rpc_fn_t fn, void *context,
                                            rpc_signal_t **out_signal);

void rpc_signal_destroy(rpc_signal_t *signal);

#endif  // COMMON_RPC_LOOP_H_
