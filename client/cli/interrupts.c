// sigwait() on a thread of its own instead of handlers: cleaning up waits for processes
// and removes folders, which no handler may do.

#include "client/cli/interrupts.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/output_file.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sigset_t waited_for, before;
static void (*clean_up_all)(void);

void cli_interrupts_hold(void) {
  pthread_mutex_lock(&mutex);
}

void cli_interrupts_release(void) {
  pthread_mutex_unlock(&mutex);
}

void cli_interrupts_pass(void) {
  cli_interrupts_hold();
  cli_interrupts_release();
}

void cli_interrupts_restore_in_child(void) {
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  signal(SIGPIPE, SIG_DFL);
}

static _Atomic int64_t forwarded_to[CLI_FORWARDED_MAX];  // 0: nobody.

static void replace_child(int64_t old, int64_t child) {
  for (size_t i = 0; i < POD_COUNT_OF(forwarded_to); i++) {
    if (forwarded_to[i] == old) {
      forwarded_to[i] = child;
      return;
    }
  }
}

void cli_interrupts_forward(int64_t child) {
  replace_child(0, child);
}

void cli_interrupts_forward_no_more(int64_t child) {
  replace_child(child, 0);
}

// False: nobody has taken it.
static bool forward(int number) {
  const bool is_key = number == SIGINT || number == SIGQUIT;
  bool is_any = false;
  for (size_t i = 0; i < POD_COUNT_OF(forwarded_to); i++) {
    const int64_t child = forwarded_to[i];
    if (child != 0 && !(is_key && isatty(STDIN_FILENO))) {
      kill((pid_t)child, number);
    }
    is_any |= child != 0;
  }
  return is_any;
}

static void *wait_for_one(void *context) {
  (void)context;
  int number;
  while (sigwait(&waited_for, &number) != 0 || forward(number)) {
  }
  cli_interrupts_hold();
  if (isatty(STDERR_FILENO)) {
    (void)!write(STDERR_FILENO, "\n", 1);  // Behind the line of progress, and ^C.
  }
  clean_up_all();
  pod_output_files_remove();
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  signal(number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  raise(number);
  return NULL;
}

pod_status_t cli_interrupts_init(void (*clean_up)(void)) {
  clean_up_all = clean_up;
  sigemptyset(&waited_for);
  bool is_any = false;
  for (size_t i = 0; i < POD_COUNT_OF(signals); i++) {
    struct sigaction now;
    if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
      sigaddset(&waited_for, signals[i]);
      is_any = true;
    }
  }
  pthread_sigmask(SIG_BLOCK, &waited_for, &before);
  pthread_t thread;
  if (is_any && pthread_create(&thread, NULL, wait_for_one, NULL) != 0) {
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pod_error(POD_RESOURCE_EXHAUSTED, "no thread that waits for signals");
  }
  if (is_any) {
    pthread_detach(thread);
  }
  return NULL;
}
