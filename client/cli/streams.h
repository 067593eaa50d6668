// The three standard streams, as a command line must treat them: output that is lost is
// an error.
//
// Threading: the main thread.

#ifndef CLIENT_CLI_STREAMS_H_
#define CLIENT_CLI_STREAMS_H_

#include <stdbool.h>

// First of all. Puts something in the place of streams that are closed, so that no socket
// takes their numbers (writing to it then fails as to a closed one); ignores SIGPIPE, so
// that a reader that has gone is an error of a write; and checks standard output whenever
// the process exits: when not all could be written, it says why and the exit status is
// CLI_NOT_RUN. A reader that has gone ends the process by SIGPIPE, without a word, as is
// customary.
void cli_streams_init(void);

// Flushes standard output. Whether it takes no more: work whose only purpose is to print
// may stop.
bool cli_output_is_lost(void);

#endif  // CLIENT_CLI_STREAMS_H_
