// What a compile server does with its life. Threading: its own process.

#ifndef SERVER_COORDINATOR_COMPILING_SERVER_H_
#define SERVER_COORDINATOR_COMPILING_SERVER_H_

#include "server/coordinator/compiling/pool.h"

enum {
  COMPILE_EXIT_OUT_OF_MEMORY = 77,  // The process had no more memory to have.
};

// Answers the jobs of the socket until it ends, then exits.
_Noreturn void compile_server_run(const compile_pool_options_t *options, int fd);

#endif  // SERVER_COORDINATOR_COMPILING_SERVER_H_
