// Threads, locks and clocks, on fibers. A lock's first word is whether it is held; who
// waits for something waits for its address. Now and then a thread is interrupted where
// it takes a lock.

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/log.h"
#include "tests/simulation/machine.h"

enum {
  YIELD_SHORT_ONCE_IN = 4,
  YIELD_SHORT_NS_MAX = 5000,
  YIELD_LONG_NS_MAX = 60000,
  PROCESS_ID = 4711,  // Everybody's: libpodium keeps it for good.
};

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          fiber_fn_t fn, void *argument);
int __wrap_pthread_join(pthread_t thread, void **out_result);
int __wrap_pthread_timedjoin_np(pthread_t thread, void **out_result,
                                const struct timespec *until);
int __wrap_pthread_detach(pthread_t thread);
pthread_t __wrap_pthread_self(void);
int __wrap_pthread_getcpuclockid(pthread_t thread, clockid_t *out_clock);
int __wrap_pthread_setname_np(pthread_t thread, const char *name);
int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *out_set);
int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void),
                          void (*child)(void));
int __real_pthread_once(pthread_once_t *once, void (*fn)(void));
int __wrap_pthread_once(pthread_once_t *once, void (*fn)(void));
int __wrap_pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
void *__wrap_pthread_getspecific(pthread_key_t key);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex,
                              const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_cond_init(pthread_cond_t *condition,
                             const pthread_condattr_t *attributes);
int __wrap_pthread_cond_destroy(pthread_cond_t *condition);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *until);
int __wrap_pthread_cond_signal(pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition);
int __wrap_sem_init(sem_t *semaphore, int shared, unsigned value);
int __wrap_sem_destroy(sem_t *semaphore);
int __wrap_sem_post(sem_t *semaphore);
int __wrap_sem_wait(sem_t *semaphore);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __wrap_sched_yield(void);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *out_left);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out_now);
pid_t __wrap_getpid(void);
ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned flags);
void __wrap_pod_log(pod_log_level_t level, const char *format, ...);
void __wrap_pod_log_fields(pod_log_level_t level, const pod_log_field_t *fields,
                           const char *format, ...);

// --- Threads ---

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          fiber_fn_t fn, void *argument) {
  size_t stack_bytes = 0;
  if (attributes != NULL) {
    pthread_attr_getstacksize(attributes, &stack_bytes);
  }
  *thread = (pthread_t)fiber_spawn(process_current(), fn, argument, stack_bytes);
  return 0;
}

int __wrap_pthread_join(pthread_t thread, void **out_result) {
  fiber_t *fiber = (fiber_t *)thread;
  while (!fiber_has_ended(fiber)) {
    (void)fiber_wait(fiber, -1);
  }
  if (out_result != NULL) {
    *out_result = fiber_result(fiber);
  }
  fiber_release(fiber);
  return 0;
}

static int64_t ns_of(const struct timespec *time) {
  return (int64_t)time->tv_sec * SECOND + time->tv_nsec;
}

static int64_t ns_until(const struct timespec *until) {
  const int64_t left = ns_of(until) - machine_now_ns();
  return left > 0 ? left : 0;
}

int __wrap_pthread_timedjoin_np(pthread_t thread, void **out_result,
                                const struct timespec *until) {
  while (!fiber_has_ended((fiber_t *)thread)) {
    if (!fiber_wait((fiber_t *)thread, ns_until(until)) &&
        !fiber_has_ended((fiber_t *)thread)) {
      return ETIMEDOUT;
    }
  }
  return __wrap_pthread_join(thread, out_result);
}

int __wrap_pthread_detach(pthread_t thread) {
  fiber_release((fiber_t *)thread);
  return 0;
}

pthread_t __wrap_pthread_self(void) {
  return (pthread_t)fiber_current();
}

// All clocks are one.
int __wrap_pthread_getcpuclockid(pthread_t thread, clockid_t *out_clock) {
  (void)thread;
  *out_clock = CLOCK_MONOTONIC;
  return 0;
}

int __wrap_pthread_setname_np(pthread_t thread, const char *name) {
  (void)thread;
  (void)name;
  return 0;
}

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *out_set) {
  (void)how;
  (void)set;
  (void)out_set;
  return 0;
}

int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void),
                          void (*child)(void)) {
  (void)prepare;
  (void)parent;
  (void)child;
  return 0;
}

// What is made once is made for the program, whatever becomes of the process.
int __wrap_pthread_once(pthread_once_t *once, void (*fn)(void)) {
  fiber_keep_memory(1);
  const int error = __real_pthread_once(once, fn);
  fiber_keep_memory(-1);
  return error;
}

int __wrap_pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  static int count;
  fiber_key_destructor(count, destructor);
  *key = (pthread_key_t)count++;
  return 0;
}

void *__wrap_pthread_getspecific(pthread_key_t key) {
  return *fiber_slot((int)key);
}

int __wrap_pthread_setspecific(pthread_key_t key, const void *value) {
  *fiber_slot((int)key) = (void *)(uintptr_t)value;
  return 0;
}

// --- Locks ---

static int *word_of(void *lock) {
  return lock;
}

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex,
                              const pthread_mutexattr_t *attributes) {
  (void)attributes;
  *word_of(mutex) = 0;
  return 0;
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex) {
  POD_CHECK(*word_of(mutex) == 0);
  return 0;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (fiber_current() == NULL) {
    POD_CHECK(*word_of(mutex) == 0);
  } else if (!fiber_keeps_memory()) {
    // Not in what is done once for all runs, which would make the first one another.
    fiber_interrupt();
  }
  while (*word_of(mutex) != 0) {
    (void)fiber_wait(mutex, -1);
  }
  *word_of(mutex) = 1;
  return 0;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex) {
  if (*word_of(mutex) != 0) {
    return EBUSY;
  }
  *word_of(mutex) = 1;
  return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
  POD_CHECK(*word_of(mutex) == 1);
  *word_of(mutex) = 0;
  fiber_wake(mutex, 1);
  return 0;
}

int __wrap_pthread_cond_init(pthread_cond_t *condition,
                             const pthread_condattr_t *attributes) {
  (void)condition;
  (void)attributes;
  return 0;
}

int __wrap_pthread_cond_destroy(pthread_cond_t *condition) {
  (void)condition;
  return 0;
}

static bool wait_for(pthread_cond_t *condition, pthread_mutex_t *mutex,
                     int64_t timeout_ns) {
  (void)__wrap_pthread_mutex_unlock(mutex);
  const bool was_woken = fiber_wait(condition, timeout_ns);
  while (*word_of(mutex) != 0) {
    (void)fiber_wait(mutex, -1);
  }
  *word_of(mutex) = 1;
  return was_woken;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  (void)wait_for(condition, mutex, -1);
  return 0;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *until) {
  return wait_for(condition, mutex, ns_until(until)) ? 0 : ETIMEDOUT;
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition) {
  fiber_wake(condition, 1);
  return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition) {
  fiber_wake(condition, INT32_MAX);
  return 0;
}

int __wrap_sem_init(sem_t *semaphore, int shared, unsigned value) {
  (void)shared;
  *word_of(semaphore) = (int)value;
  return 0;
}

int __wrap_sem_destroy(sem_t *semaphore) {
  (void)semaphore;
  return 0;
}

int __wrap_sem_post(sem_t *semaphore) {
  ++*word_of(semaphore);
  fiber_wake(semaphore, 1);
  return 0;
}

int __wrap_sem_wait(sem_t *semaphore) {
  while (*word_of(semaphore) == 0) {
    (void)fiber_wait(semaphore, -1);
  }
  --*word_of(semaphore);
  return 0;
}

// --- The kernel's sleep on a word ---

static long futex(_Atomic uint32_t *word, int operation, uint32_t value,
                  const struct timespec *timeout) {
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAKE) {
    fiber_wake(word, (int)value);
    return 1;
  }
  if (atomic_load(word) == value) {
    (void)fiber_wait(word, timeout == NULL ? -1 : ns_of(timeout));
  }
  return 0;
}

long __wrap_syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long result = -1;
  if (number == SYS_futex) {
    _Atomic uint32_t *word = va_arg(arguments, _Atomic uint32_t *);
    const int operation = va_arg(arguments, int);
    const uint32_t value = va_arg(arguments, uint32_t);
    result = futex(word, operation, value, va_arg(arguments, const struct timespec *));
  } else {  // What the kernels ask of the processor.
    const long first = va_arg(arguments, long);
    const long second = va_arg(arguments, long);
    result = __real_syscall(number, first, second);
  }
  va_end(arguments);
  return result;
}

// Whoever yields spins: mostly the others have the processor for a while.
int __wrap_sched_yield(void) {
  fiber_sleep(machine_between(100, machine_once_in(YIELD_SHORT_ONCE_IN)
                                       ? YIELD_SHORT_NS_MAX
                                       : YIELD_LONG_NS_MAX));
  return 0;
}

// --- Time, chance, telling ---

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *out_left) {
  (void)out_left;
  fiber_sleep(ns_of(wanted));
  return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *out_now) {
  (void)clock;
  const int64_t now_ns = machine_now_ns();
  *out_now = (struct timespec){.tv_sec = now_ns / SECOND, .tv_nsec = now_ns % SECOND};
  return 0;
}

pid_t __wrap_getpid(void) {
  return PROCESS_ID;
}

ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned flags) {
  (void)flags;
  uint8_t *bytes = buffer;
  for (size_t i = 0; i < size; i++) {
    bytes[i] = (uint8_t)machine_below(256);
  }
  return (ssize_t)size;
}

static void trace_line(pod_log_level_t level, const char *format, va_list arguments) {
  static const char *const names[] = {"debug", "info", "warning", "ERROR", ""};
  char line[1024];
  vsnprintf(line, sizeof(line), format, arguments);
  machine_trace("%s: %s", names[level], line);
}

void __wrap_pod_log(pod_log_level_t level, const char *format, ...) {
  if (machine_is_traced) {
    va_list arguments;
    va_start(arguments, format);
    trace_line(level, format, arguments);
    va_end(arguments);
  }
}

void __wrap_pod_log_fields(pod_log_level_t level, const pod_log_field_t *fields,
                           const char *format, ...) {
  (void)fields;
  if (machine_is_traced) {
    va_list arguments;
    va_start(arguments, format);
    trace_line(level, format, arguments);
    va_end(arguments);
  }
}
