// Beside the tests of kernels that are run with PODIUM_CPU, too: where that asks for all
// that this CPU has, or more, the test would be the one without it again.

#include <stdio.h>
#include <stdlib.h>

#include "server/worker/kernels/cpu.h"

static void __attribute__((constructor)) end_if_own(void) {
  if (getenv("PODIUM_CPU") != NULL && kernel_cpu() == kernel_cpu_own()) {
    printf("%s is what this CPU has: see the test without PODIUM_CPU\n",
           kernel_cpu_name(kernel_cpu()));
    exit(0);
  }
}
