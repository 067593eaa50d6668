// Times and medians for the benchmarks of kernels.

#include "tests/bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/base/check.h"

void measure_check(pod_status_t status) {
  if (status != NULL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    exit(1);
  }
}

int64_t measure_cpu_ns(void) {
  struct timespec now;
  POD_CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

double measure_median(int64_t *times, int count) {
  qsort(times, (size_t)count, sizeof(*times), by_value);
  return (double)times[count / 2];
}

void measure_run(const kernel_args_t *args) {
  measure_check(kernel_run(kernel_find(args->instruction->op), args));
}
