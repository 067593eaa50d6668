// The task list of a program (server/chip/task.h): its instructions in the pieces in
// which a TPU would do them.
//
// An instruction is one task; a loop or branch is a task too, and what it calls has tasks
// of its own. Arithmetic over single integers and predicates is what the scalar core does
// beside the others: it is no task. Regions over scalars (reducers) have none.
//
// Private to the compiler. Threading: pure. Cost: linear. Ownership: what is made is in
// the program's arena.

#ifndef SERVER_COMPILER_TASKS_H_
#define SERVER_COMPILER_TASKS_H_

#include "server/chip/program.h"
#include "server/chip/spec.h"

// Sets the program's tasks and the ranges of its computations.
void tasks_emit(const chip_spec_t *spec, chip_program_t *program);

#endif  // SERVER_COMPILER_TASKS_H_
