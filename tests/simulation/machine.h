// A machine that is all simulated: processes with threads (fibers of one real thread), a
// clock, and events to come. What happens next is drawn from a seed, so that a run can be
// repeated exactly.
//
// The product's code runs on it unchanged: the linker hands its calls of threads, locks,
// sockets, clocks and memory to threads.c, sockets.c and memory.c (`wraps.txt`), and
// loop.c is the libuv that it finds.
//
// Time:      passes by events only, and a little with every slice that a fiber runs.
// Threading: one real thread. "Of a fiber" below: to be called from a fiber; the rest
// from
//            events and outside of the run too.
// Ownership: a process and all that it holds lives until it is killed or the machine
// ends.

#ifndef TESTS_SIMULATION_MACHINE_H_
#define TESTS_SIMULATION_MACHINE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MS ((int64_t)1000000)
#define SECOND ((int64_t)1000000000)

enum {
  MACHINE_PROCESSES_MAX = 2048,
  MACHINE_NAME_MAX = 24,
};

typedef struct fiber_t fiber_t;
typedef struct event_t event_t;

typedef struct process_t {
  int index;  // From 1 on; never used again in a run.
  int host;
  char name[MACHINE_NAME_MAX];
  bool is_killed;
  bool is_stopped;  // SIGSTOP.
  int fiber_count;
  void *carrier;  // Of links.c.
  // When its last fiber has returned; not when it is killed.
  void (*ended)(struct process_t *process, void *context);
  void *context;
} process_t;

typedef void (*event_fn_t)(void *context);

// --- The machine ---

// Begins a run; what is left of the one before is dropped.
void machine_reset(uint64_t seed);

// Until the time has come, or machine_halt. False: nothing can ever happen any more.
bool machine_run(int64_t until_ns);
void machine_halt(void);

int64_t machine_now_ns(void);

// A thread is interrupted once in `once_in` times that it takes a lock, and then may not
// run for so long; 0: others only run before it.
void machine_set_pauses(uint64_t once_in, int64_t ns_max);

// Uniform, from the seed. [0, bound).
uint64_t machine_below(uint64_t bound);
// [least, most].
int64_t machine_between(int64_t least, int64_t most);
// True once in `of`.
bool machine_once_in(uint64_t of);

// What the run has done so far, in one number: the same in every repetition.
void machine_note(uint64_t what);
uint64_t machine_hash(void);
uint64_t machine_slices(void);

// Prints lines to stderr: what happens, when, in which process.
extern bool machine_is_traced;
__attribute__((format(printf, 1, 2))) void machine_trace(const char *format, ...);

// The first failure of a run ends it.
__attribute__((format(printf, 1, 2))) void machine_fail(const char *format, ...);
const char *machine_failure(void);  // NULL: none.

// --- Events ---

// Returns what machine_cancel takes until it has happened.
event_t *machine_at(int64_t at_ns, event_fn_t fn, void *context);
void machine_cancel(event_t *event);

// --- Processes ---

process_t *process_create(const char *name, int host);

// As SIGKILL: none of its fibers runs again, its sockets break, its memory goes.
void process_kill(process_t *process);

// As SIGSTOP and SIGCONT.
void process_stop(process_t *process);
void process_continue(process_t *process);

process_t *process_at(int index);
process_t *process_current(void);  // NULL outside of fibers.

// --- Fibers ---

typedef void *(*fiber_fn_t)(void *argument);

fiber_t *fiber_spawn(process_t *process, fiber_fn_t fn, void *argument,
                     size_t stack_bytes);
fiber_t *fiber_current(void);

// Of a fiber. Waits until the address is woken; false after `timeout_ns` (-1: none).
bool fiber_wait(const void *address, int64_t timeout_ns);
void fiber_wake(const void *address, int count);
void fiber_sleep(int64_t ns);
void fiber_yield(void);
// As fiber_yield, and now and then for longer.
void fiber_pause(void);
// The same as often as the run's threads are interrupted.
void fiber_interrupt(void);

// Whether it has returned; who joins it or lets it go frees it.
bool fiber_has_ended(const fiber_t *fiber);
void fiber_release(fiber_t *fiber);
void *fiber_result(const fiber_t *fiber);

enum { FIBER_SLOTS = 8 };
void **fiber_slot(int key);  // pthread_getspecific's.
void fiber_key_destructor(int key, void (*destructor)(void *));

// What the fiber allocates from +1 to -1 is the program's, and stays when the process
// goes.
void fiber_keep_memory(int by);
bool fiber_keeps_memory(void);

// --- Memory (memory.c) ---

// What the simulation itself allocates: of no process.
void *machine_alloc(size_t size_bytes);
void machine_free(void *memory);

void memory_reset(void);
void memory_kill(int process);
// Bytes that a process has allocated and not freed, and how many blocks.
size_t memory_held(int process, int *out_blocks);

// --- Sockets (sockets.c) ---

void sockets_reset(void);
void sockets_kill(process_t *process);

// --- Files (files.c) ---

void files_reset(void);
void files_kill(int process);
// A descriptor of the kernel's is closed.
void files_closed(int fd);

// --- Links (links.c) ---

void links_reset(void);
void links_kill(const process_t *process);

#endif  // TESTS_SIMULATION_MACHINE_H_
