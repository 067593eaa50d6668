// Fibers: a stack is made by ucontext and switched by setjmp, which asks no kernel. A
// slice of a fiber lasts until it waits; which of those that can run is next, and how
// long a slice takes, is drawn from the seed.
//
// Every fiber has a copy of the program's thread-local variables: they are swapped with
// the stacks, so that the product's _Thread_local means what it means on real threads.

#include "tests/simulation/machine.h"

#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "common/base/check.h"
#include "common/base/random.h"

enum {
  SLICE_NS_MAX = 2000,
  STACK_BYTES = 512 << 10,
  STACKS_KEPT_MAX = 64,
  FAILURE_BYTES = 2048,
  BUCKETS = 256,
  PAUSED_ONCE_IN = 16,
};

struct event_t {
  int64_t at_ns;
  uint64_t order;
  int32_t slot;
  event_fn_t fn;
  void *context;
};

typedef enum fiber_state_t {
  FIBER_READY = 0,
  FIBER_WAITING,
  FIBER_ENDED,
} fiber_state_t;

struct fiber_t {
  jmp_buf place;
  bool has_begun;
  process_t *process;
  uint64_t id;
  fiber_state_t state;
  bool is_released, is_listed;
  const void *waits_for;
  bool was_woken;
  event_t *timeout;
  fiber_fn_t fn;
  void *argument, *result;
  uint8_t *stack;
  size_t stack_bytes;
  uint8_t *locals;  // The thread-local variables while it does not run.
  void *slots[FIBER_SLOTS];
  int keeps_memory;
  fiber_t *previous, *next;  // In `fibers`.
  fiber_t *previous_waiting, *next_waiting;
};

typedef struct machine_t {
  pod_random_t random;
  int64_t now_ns;
  uint64_t hash, slices, event_count, fiber_count;
  bool is_halted;
  uint64_t interrupted_once_in;
  int64_t pause_ns_max;
  char failure[FAILURE_BYTES];
  event_t **events;
  int32_t event_room, events_left;
  fiber_t *fibers;  // All.
  fiber_t **ready;
  int32_t ready_room, ready_count;
  fiber_t *current;
  jmp_buf scheduler;
  fiber_t *waiting[BUCKETS];  // By a hash of what they wait for.
  process_t *processes[MACHINE_PROCESSES_MAX];
  int process_count;
  void (*destructors[FIBER_SLOTS])(void *);
} machine_t;

bool machine_is_traced;
static machine_t machine;

// --- Thread-local variables ---

static uint8_t *locals_at;
static const void *locals_image;
static size_t locals_image_bytes, locals_bytes;

static int find_locals(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  (void)context;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type == PT_TLS) {
      locals_at = info->dlpi_tls_data;
      locals_bytes = header->p_memsz;
      locals_image = (const void *)(info->dlpi_addr + header->p_vaddr);
      locals_image_bytes = header->p_filesz;
    }
  }
  return 1;  // The first is the program itself.
}

static uint8_t *new_locals(void) {
  uint8_t *locals = machine_alloc(locals_bytes + 1);
  memcpy(locals, locals_image, locals_image_bytes);
  return locals;
}

// --- Chance ---

// As pod_random_below, without its division where numbers are small, as most are.
uint64_t machine_below(uint64_t bound) {
  const uint64_t drawn = pod_random_next(&machine.random);
  return bound <= UINT32_MAX ? (drawn >> 32) * bound >> 32 : drawn % bound;
}

int64_t machine_between(int64_t least, int64_t most) {
  return least + (int64_t)machine_below((uint64_t)(most - least) + 1);
}

bool machine_once_in(uint64_t of) {
  return machine_below(of) == 0;
}

void machine_note(uint64_t what) {
  machine.hash = (machine.hash ^ what) * UINT64_C(0x100000001b3);
  machine.hash ^= machine.hash >> 29;
}

uint64_t machine_hash(void) {
  return machine.hash;
}

uint64_t machine_slices(void) {
  return machine.slices;
}

int64_t machine_now_ns(void) {
  return machine.now_ns;
}

// --- Telling ---

static void print_line(const char *kind, const char *format, va_list arguments) {
  const process_t *process = process_current();
  fprintf(stderr, "%12.6f %-14s %s", (double)machine.now_ns / 1e9,
          process == NULL ? "-" : process->name, kind);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
}

void machine_trace(const char *format, ...) {
  if (!machine_is_traced) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  print_line("", format, arguments);
  va_end(arguments);
}

void machine_fail(const char *format, ...) {
  if (machine.failure[0] != '\0') {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(machine.failure, sizeof(machine.failure), format, arguments);
  va_end(arguments);
  machine_trace("FAILED: %s", machine.failure);
  machine.is_halted = true;
}

const char *machine_failure(void) {
  return machine.failure[0] == '\0' ? NULL : machine.failure;
}

// --- Events: a heap by time, then by the order in which they were made ---

static bool is_before(const event_t *a, const event_t *b) {
  return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void place(int32_t at, event_t *event) {
  machine.events[at] = event;
  event->slot = at;
}

static void rise(int32_t at, event_t *event) {
  while (at > 0 && is_before(event, machine.events[(at - 1) / 2])) {
    place(at, machine.events[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  place(at, event);
}

static void sink(int32_t at, event_t *event) {
  for (int32_t child; (child = 2 * at + 1) < machine.events_left; at = child) {
    if (child + 1 < machine.events_left &&
        is_before(machine.events[child + 1], machine.events[child])) {
      child++;
    }
    if (!is_before(machine.events[child], event)) {
      break;
    }
    place(at, machine.events[child]);
  }
  place(at, event);
}

static void *grown(void *items, int32_t *room, int32_t count, size_t item_bytes) {
  if (count < *room) {
    return items;
  }
  const int32_t wanted = *room == 0 ? 64 : 2 * *room;
  uint8_t *more = machine_alloc((size_t)wanted * item_bytes);
  if (items != NULL) {
    memcpy(more, items, (size_t)*room * item_bytes);
    machine_free(items);
  }
  *room = wanted;
  return more;
}

event_t *machine_at(int64_t at_ns, event_fn_t fn, void *context) {
  event_t *event = machine_alloc(sizeof(*event));
  *event = (event_t){.at_ns = at_ns < machine.now_ns ? machine.now_ns : at_ns,
                     .order = machine.event_count++,
                     .fn = fn,
                     .context = context};
  machine.events = grown(machine.events, &machine.event_room, machine.events_left,
                         sizeof(*machine.events));
  rise(machine.events_left++, event);
  return event;
}

static void take_out(event_t *event) {
  const int32_t at = event->slot;
  event_t *last = machine.events[--machine.events_left];
  if (last == event) {
    return;
  }
  if (at > 0 && is_before(last, machine.events[(at - 1) / 2])) {
    rise(at, last);
  } else {
    sink(at, last);
  }
}

void machine_cancel(event_t *event) {
  if (event != NULL) {
    take_out(event);
    machine_free(event);
  }
}

static void fire_first(void) {
  event_t *event = machine.events[0];
  take_out(event);
  if (event->at_ns > machine.now_ns) {
    machine.now_ns = event->at_ns;
  }
  const event_fn_t fn = event->fn;
  void *context = event->context;
  machine_free(event);
  fn(context);
}

// --- Stacks ---

static uint8_t *kept_stacks[STACKS_KEPT_MAX];
static int kept_stack_count;

static uint8_t *take_stack(size_t size_bytes) {
  if (size_bytes == STACK_BYTES && kept_stack_count > 0) {
    return kept_stacks[--kept_stack_count];
  }
  uint8_t *stack = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  POD_CHECK(stack != MAP_FAILED);
  POD_CHECK(mprotect(stack, 4096, PROT_NONE) == 0);  // Who overflows it faults.
  return stack;
}

static void give_stack(uint8_t *stack, size_t size_bytes) {
  if (size_bytes == STACK_BYTES && kept_stack_count < STACKS_KEPT_MAX) {
    kept_stacks[kept_stack_count++] = stack;
  } else {
    munmap(stack, size_bytes);
  }
}

// --- Fibers ---

static void make_ready(fiber_t *fiber) {
  fiber->state = FIBER_READY;
  if (fiber->is_listed || fiber->process->is_stopped) {
    return;
  }
  fiber->is_listed = true;
  machine.ready = grown(machine.ready, &machine.ready_room, machine.ready_count,
                        sizeof(*machine.ready));
  machine.ready[machine.ready_count++] = fiber;
}

static void unlist(fiber_t *fiber) {
  for (int32_t i = 0; fiber->is_listed && i < machine.ready_count; i++) {
    if (machine.ready[i] == fiber) {
      machine.ready[i] = machine.ready[--machine.ready_count];
      fiber->is_listed = false;
    }
  }
}

static fiber_t **bucket_of(const void *address) {
  return &machine.waiting[((uintptr_t)address >> 3) * 31 % BUCKETS];
}

static void begin_waiting(fiber_t *fiber, const void *address) {
  fiber_t **bucket = bucket_of(address);
  fiber->waits_for = address;
  fiber->previous_waiting = NULL;
  fiber->next_waiting = *bucket;
  if (*bucket != NULL) {
    (*bucket)->previous_waiting = fiber;
  }
  *bucket = fiber;
}

static void end_waiting(fiber_t *fiber) {
  if (fiber->waits_for == NULL) {
    return;
  }
  if (fiber->previous_waiting != NULL) {
    fiber->previous_waiting->next_waiting = fiber->next_waiting;
  } else {
    *bucket_of(fiber->waits_for) = fiber->next_waiting;
  }
  if (fiber->next_waiting != NULL) {
    fiber->next_waiting->previous_waiting = fiber->previous_waiting;
  }
  fiber->waits_for = NULL;
}

static void free_fiber(fiber_t *fiber) {
  machine_cancel(fiber->timeout);
  end_waiting(fiber);
  unlist(fiber);
  if (fiber->previous != NULL) {
    fiber->previous->next = fiber->next;
  } else {
    machine.fibers = fiber->next;
  }
  if (fiber->next != NULL) {
    fiber->next->previous = fiber->previous;
  }
  if (fiber->stack != NULL) {
    give_stack(fiber->stack, fiber->stack_bytes);
  }
  machine_free(fiber->locals);
  machine_free(fiber);
}

static void run_destructors(fiber_t *fiber) {
  for (int key = 0; key < FIBER_SLOTS; key++) {
    void *value = fiber->slots[key];
    fiber->slots[key] = NULL;
    if (value != NULL && machine.destructors[key] != NULL) {
      machine.destructors[key](value);
    }
  }
}

static void switch_away(fiber_t *fiber) {
  memcpy(fiber->locals, locals_at, locals_bytes);
  if (_setjmp(fiber->place) == 0) {
    _longjmp(machine.scheduler, 1);
  }
}

static void fiber_main(void);

// The first time on its stack.
static void begin(fiber_t *fiber) {
  static ucontext_t here, there;
  fiber->has_begun = true;
  POD_CHECK(getcontext(&there) == 0);
  there.uc_stack.ss_sp = fiber->stack;
  there.uc_stack.ss_size = fiber->stack_bytes;
  there.uc_link = NULL;
  makecontext(&there, fiber_main, 0);
  POD_CHECK(swapcontext(&here, &there) == 0);
}

static void switch_to(fiber_t *fiber) {
  memcpy(locals_at, fiber->locals, locals_bytes);
  if (_setjmp(machine.scheduler) == 0) {
    if (fiber->has_begun) {
      _longjmp(fiber->place, 1);
    }
    begin(fiber);
  }
}

static void fiber_main(void) {
  fiber_t *fiber = machine.current;
  fiber->result = fiber->fn(fiber->argument);
  run_destructors(fiber);
  fiber->state = FIBER_ENDED;
  fiber_wake(fiber, INT32_MAX);
  switch_away(fiber);
}

fiber_t *fiber_spawn(process_t *process, fiber_fn_t fn, void *argument,
                     size_t stack_bytes) {
  fiber_t *fiber = machine_alloc(sizeof(*fiber));
  *fiber = (fiber_t){.process = process,
                     .id = ++machine.fiber_count,
                     .fn = fn,
                     .argument = argument,
                     .locals = new_locals(),
                     .next = machine.fibers};
  if (fiber->next != NULL) {
    fiber->next->previous = fiber;
  }
  machine.fibers = fiber;
  fiber->stack_bytes = stack_bytes > STACK_BYTES ? stack_bytes : STACK_BYTES;
  fiber->stack = take_stack(fiber->stack_bytes);
  process->fiber_count++;
  make_ready(fiber);
  return fiber;
}

fiber_t *fiber_current(void) {
  return machine.current;
}

static void on_timeout(void *context) {
  fiber_t *fiber = context;
  fiber->timeout = NULL;
  fiber->was_woken = false;
  end_waiting(fiber);
  make_ready(fiber);
}

bool fiber_wait(const void *address, int64_t timeout_ns) {
  fiber_t *fiber = machine.current;
  POD_CHECK(fiber != NULL);
  begin_waiting(fiber, address);
  fiber->was_woken = true;
  fiber->state = FIBER_WAITING;
  if (timeout_ns >= 0) {
    const int64_t left = INT64_MAX - machine.now_ns;
    fiber->timeout = machine_at(machine.now_ns + (timeout_ns < left ? timeout_ns : left),
                                on_timeout, fiber);
  }
  switch_away(fiber);
  return fiber->was_woken;
}

// Whom a wake finds first is no promise of a kernel's.
void fiber_wake(const void *address, int count) {
  for (; count > 0; count--) {
    fiber_t *found = NULL;
    uint64_t seen = 0;
    for (fiber_t *fiber = *bucket_of(address); fiber != NULL;
         fiber = fiber->next_waiting) {
      if (fiber->waits_for == address && machine_once_in(++seen)) {
        found = fiber;
      }
    }
    if (found == NULL) {
      return;
    }
    machine_cancel(found->timeout);
    found->timeout = NULL;
    end_waiting(found);
    make_ready(found);
  }
}

void fiber_sleep(int64_t ns) {
  (void)fiber_wait(&machine, ns);
}

void fiber_yield(void) {
  make_ready(machine.current);
  switch_away(machine.current);
}

void machine_set_pauses(uint64_t once_in, int64_t ns_max) {
  machine.interrupted_once_in = once_in;
  machine.pause_ns_max = ns_max;
}

void fiber_pause(void) {
  if (machine.pause_ns_max > 0 && machine_once_in(PAUSED_ONCE_IN)) {
    fiber_sleep(machine_between(0, machine.pause_ns_max));
  } else {
    fiber_yield();
  }
}

void fiber_interrupt(void) {
  if (machine_once_in(machine.interrupted_once_in)) {
    fiber_pause();
  }
}

bool fiber_has_ended(const fiber_t *fiber) {
  return fiber->state == FIBER_ENDED;
}

void *fiber_result(const fiber_t *fiber) {
  return fiber->result;
}

void fiber_release(fiber_t *fiber) {
  if (fiber->state == FIBER_ENDED && fiber != machine.current && fiber->stack == NULL) {
    free_fiber(fiber);
  } else {
    fiber->is_released = true;
  }
}

void **fiber_slot(int key) {
  static void *outside[FIBER_SLOTS];
  POD_CHECK(key >= 0 && key < FIBER_SLOTS);
  return machine.current == NULL ? &outside[key] : &machine.current->slots[key];
}

void fiber_key_destructor(int key, void (*destructor)(void *)) {
  POD_CHECK(key >= 0 && key < FIBER_SLOTS);
  machine.destructors[key] = destructor;
}

void fiber_keep_memory(int by) {
  if (machine.current != NULL) {
    machine.current->keeps_memory += by;
  }
}

bool fiber_keeps_memory(void) {
  return machine.current == NULL || machine.current->keeps_memory > 0;
}

static void after_end(fiber_t *fiber) {
  process_t *process = fiber->process;
  give_stack(fiber->stack, fiber->stack_bytes);
  fiber->stack = NULL;
  if (fiber->is_released) {
    free_fiber(fiber);
  }
  if (--process->fiber_count == 0 && process->ended != NULL) {
    process->ended(process, process->context);
  }
}

static void run_slice(void) {
  const int32_t at = (int32_t)machine_below((uint64_t)machine.ready_count);
  fiber_t *fiber = machine.ready[at];
  machine.ready[at] = machine.ready[--machine.ready_count];
  fiber->is_listed = false;
  machine.slices++;
  machine_note(fiber->id);
  machine_note((uint64_t)machine.now_ns);
  machine.current = fiber;
  switch_to(fiber);
  machine.current = NULL;
  machine.now_ns += machine_between(100, SLICE_NS_MAX);
  if (fiber->state == FIBER_ENDED) {
    after_end(fiber);
  }
}

bool machine_run(int64_t until_ns) {
  uint8_t *outside = new_locals();
  memcpy(outside, locals_at, locals_bytes);
  bool goes_on = true;
  while (!machine.is_halted && machine.now_ns < until_ns) {
    const bool is_due =
        machine.events_left > 0 && machine.events[0]->at_ns <= machine.now_ns;
    if (!is_due && machine.ready_count > 0) {
      run_slice();
    } else if (machine.events_left > 0 &&
               (is_due || machine.events[0]->at_ns < until_ns)) {
      fire_first();
    } else {
      goes_on = machine.events_left > 0;
      machine.now_ns = until_ns;
    }
  }
  memcpy(locals_at, outside, locals_bytes);
  machine_free(outside);
  return goes_on;
}

void machine_halt(void) {
  machine.is_halted = true;
}

// --- Processes ---

process_t *process_create(const char *name, int host) {
  POD_CHECK(machine.process_count < MACHINE_PROCESSES_MAX - 1);
  process_t *process = machine_alloc(sizeof(*process));
  *process = (process_t){.index = ++machine.process_count, .host = host};
  snprintf(process->name, sizeof(process->name), "%s", name);
  machine.processes[process->index] = process;
  return process;
}

process_t *process_at(int index) {
  return index <= 0 || index > machine.process_count ? NULL : machine.processes[index];
}

process_t *process_current(void) {
  return machine.current == NULL ? NULL : machine.current->process;
}

void process_kill(process_t *process) {
  POD_CHECK(machine.current == NULL);
  if (process->is_killed) {
    return;
  }
  process->is_killed = true;
  for (fiber_t *fiber = machine.fibers, *next; fiber != NULL; fiber = next) {
    next = fiber->next;
    if (fiber->process == process) {
      free_fiber(fiber);
    }
  }
  process->fiber_count = 0;
  sockets_kill(process);
  links_kill(process);
  files_kill(process->index);
  memory_kill(process->index);
}

void process_stop(process_t *process) {
  process->is_stopped = true;
  for (fiber_t *fiber = machine.fibers; fiber != NULL; fiber = fiber->next) {
    if (fiber->process == process) {
      unlist(fiber);
    }
  }
}

void process_continue(process_t *process) {
  process->is_stopped = false;
  for (fiber_t *fiber = machine.fibers; fiber != NULL; fiber = fiber->next) {
    if (fiber->process == process && fiber->state == FIBER_READY) {
      make_ready(fiber);
    }
  }
}

// --- A run ---

void machine_reset(uint64_t seed) {
  if (locals_at == NULL) {
    dl_iterate_phdr(find_locals, NULL);
    POD_CHECK(locals_at != NULL);
  }
  for (int i = 1; i <= machine.process_count; i++) {
    process_kill(machine.processes[i]);
    machine_free(machine.processes[i]);
  }
  sockets_reset();
  links_reset();
  files_reset();
  while (machine.events_left > 0) {
    machine_cancel(machine.events[0]);
  }
  memory_reset();
  machine.random = (pod_random_t){seed};
  machine.now_ns = 1000 * SECOND;
  machine.hash = UINT64_C(0xcbf29ce484222325);
  machine.slices = machine.event_count = machine.fiber_count = 0;
  machine.process_count = 0;
  machine.is_halted = false;
  machine.failure[0] = '\0';
}
