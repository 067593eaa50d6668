// What the benchmarks of kernels measure with: CPU time of the calling thread, so that
// other processes of the machine count little, and medians of it.
//
// Errors: a benchmark says what failed and ends with status 1.

#ifndef TESTS_BENCH_MEASURE_H_
#define TESTS_BENCH_MEASURE_H_

#include <stdint.h>

#include "common/base/status.h"
#include "server/worker/kernels/kernel.h"

// Takes the status.
void measure_check(pod_status_t status);

int64_t measure_cpu_ns(void);

// Of `count` > 0 times, which are put in order.
double measure_median(int64_t *times, int count);

// The kernel of the instruction, as the executor calls it.
void measure_run(const kernel_args_t *args);

#endif  // TESTS_BENCH_MEASURE_H_
