// What reads an array goes before what writes over it, where the order is free.
//
// A donated argument, the state of a loop and what an update changes give their memory to
// what follows from them. Whatever reads the old values later keeps them alive, and the
// new ones are made aside and copied; so that is done before, as XLA does it in loops
// (xla/service/loop_schedule_linearizer.h). Kernels take in what is cheap, so what reads
// such an array by way of slices or element by element goes along.
//
// Private to the compiler. Threading: pure. Cost: linear, times what is looked at around
// each operation that writes over an array: some hundreds.

#ifndef SERVER_COMPILER_SCHEDULE_READS_FIRST_H_
#define SERVER_COMPILER_SCHEDULE_READS_FIRST_H_

#include "common/base/status.h"
#include "server/compiler/partition/partition.h"

// Changes the order of operations only. Errors: those of donation_read.
POD_MUST_USE pod_status_t
schedule_put_reads_first(const compiler_partitioned_t *partitioned);

#endif  // SERVER_COMPILER_SCHEDULE_READS_FIRST_H_
