// Whether two executables do the same, so that the chips of one can run with those of the
// other: the same instructions on the same mesh. Where the text says that an operation
// comes from (paths, lines) and what values are called does not count: processes of one
// program may differ in that.
//
// Cost: nothing when both come of one compile; else a pass over the packed programs,
// once: what is found to be the same shares what was compiled from then on. Threading:
// the loop thread.

#ifndef SERVER_COORDINATOR_SAME_PROGRAM_H_
#define SERVER_COORDINATOR_SAME_PROGRAM_H_

#include <stdbool.h>

// Both are loadable store_executable_t; a gang_same_fn_t.
bool same_program(void *executable, void *other);

#endif  // SERVER_COORDINATOR_SAME_PROGRAM_H_
