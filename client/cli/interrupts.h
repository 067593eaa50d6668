// Ending by SIGINT, SIGTERM, SIGHUP or SIGQUIT, at any moment, without leaving anything
// behind.
//
// A thread waits for these signals. When one comes it takes the lock that guards what
// must be cleaned up, cleans up, and ends the process by the same signal, so that whoever
// waits for it sees why. It never gives the lock back: what the other threads were about
// to do under it does not happen any more. Signals that were ignored when the process
// started (nohup) stay ignored.
//
// Threading: cli_interrupts_init on the main thread, before there are others, which then
// have the signals blocked. The rest from any thread.

#ifndef CLIENT_CLI_INTERRUPTS_H_
#define CLIENT_CLI_INTERRUPTS_H_

#include <stdint.h>

#include "common/base/status.h"

// `clean_up` is called on the thread, with the lock held, at most once.
POD_MUST_USE pod_status_t cli_interrupts_init(void (*clean_up)(void));

// The lock: whoever makes, or takes away, what `clean_up` cleans up holds it. Not
// recursive.
void cli_interrupts_hold(void);
void cli_interrupts_release(void);

// Does not return once an interrupt is being handled: what would be said now, that a
// daemon has gone, say, is its consequence and no news.
void cli_interrupts_pass(void);

// From now on the signals are the children's: passed on to them, but for those of a
// terminal's keys, which they get themselves. Ours again when there is none any more.
enum { CLI_FORWARDED_MAX = 64 };
void cli_interrupts_forward(int64_t child);
void cli_interrupts_forward_no_more(int64_t child);

// In a child, between fork and exec: it has the signals as this process was given them.
void cli_interrupts_restore_in_child(void);

#endif  // CLIENT_CLI_INTERRUPTS_H_
