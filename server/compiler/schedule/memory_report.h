// The report of a program that does not fit the chip's HBM, in the form in which XLA for
// TPUs gives it, and what may be done about it.
//
// Private to the compiler. Threading: pure.

#ifndef SERVER_COMPILER_SCHEDULE_MEMORY_REPORT_H_
#define SERVER_COMPILER_SCHEDULE_MEMORY_REPORT_H_

#include "common/base/text.h"
#include "server/chip/spec.h"
#include "server/compiler/schedule/memory.h"

// `name`: the program's. At most some 8 KiB.
void memory_report(pod_text_t *text, const memory_t *memory, const chip_spec_t *spec,
                   const char *name);

#endif  // SERVER_COMPILER_SCHEDULE_MEMORY_REPORT_H_
