// The files of the processes: real ones, in a folder of the run. What a process has
// written stays when it is killed, as a kernel has it; its descriptors go, and so do its
// locks. Where the calls wait for a disk time may pass, others run, or the process be
// killed.

#ifndef TESTS_SIMULATION_FILES_H_
#define TESTS_SIMULATION_FILES_H_

#include "tests/simulation/machine.h"

// The coordinator's, relative to the working directory.
#define FILES_JOBS "jobs"

// A folder in memory for this program and its children, of which each enters one of its
// own, so that names are the same wherever it runs. files_leave removes it.
void files_make(void);
void files_enter(void);
void files_leave(void);

// How long the disk takes now and then; 0: no time, but others may run first.
void files_set_delay(int64_t ns_max);

// The process that comes to the disk as the `count`th from now on is handed to `fn`, from
// an event, before it goes on. 0: none.
void files_await(int count, void (*fn)(process_t *process));

// How many descriptors and databases a process has open.
int files_held(int process);

#endif  // TESTS_SIMULATION_FILES_H_
