#include "tests/simulation/limit.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

static struct itimerval once_in(int64_t ms) {
  return (struct itimerval){
      .it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000}};
}

void limit_start(const limit_t *limit) {
  const struct itimerval processor = once_in(limit->processor_ms);
  const struct itimerval real = once_in(limit->real_ms);
  (void)setitimer(ITIMER_PROF, &processor, NULL);
  (void)setitimer(ITIMER_REAL, &real, NULL);
}

void limit_stop(void) {
  limit_start(&(limit_t){0});
}

void limit_print(const limit_t *limit, int signal, char *text, size_t size) {
  if (signal == SIGPROF) {
    snprintf(text, size, "it has not ended within %.1f s of processor time",
             (double)limit->processor_ms / 1e3);
  } else if (signal == SIGALRM) {
    snprintf(text, size, "it has not ended within %.1f s, most of which it waited",
             (double)limit->real_ms / 1e3);
  } else {
    snprintf(text, size, "it crashed (%s)", strsignal(signal));
  }
}
