// The task list of a program (server/program/task.h), from its clusters and instructions.
//
// A cluster is a task at the place of its root; what lowering had to copy is a task too.
// Arithmetic of the scalar core is none, nor are regions over scalars (reducers): their
// computations have no tasks.
//
// Private to the compiler. Threading: pure. Cost: linear. Ownership: what is made is in
// the program's arena.

#ifndef SERVER_COMPILER_SCHEDULE_TASKS_H_
#define SERVER_COMPILER_SCHEDULE_TASKS_H_

#include "server/compiler/schedule/clusters.h"
#include "server/program/program.h"

// Sets the program's tasks and the ranges of its computations. `sources`: by instruction,
// see lower_with_notes.
void tasks_emit(const clusters_t *clusters, const mlir_op_t *const *sources,
                chip_program_t *program);

#endif  // SERVER_COMPILER_SCHEDULE_TASKS_H_
