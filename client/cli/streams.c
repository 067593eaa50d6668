// Standard output is closed by hand at the end, by way of atexit(), because argp exits by
// itself after --help and because a full disk shows only when the last bytes are written.

#include "client/cli/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/interrupts.h"

static int flush_error;  // errno of the first flush of ours that failed.

// The error of a write that stdio made by itself is not known any more, but that nobody
// reads can be seen.
static bool has_no_reader(void) {
  struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

static void close_output(void) {
  cli_interrupts_pass();
  const bool is_lost = ferror(stdout) != 0;
  errno = 0;
  const bool has_failed = fclose(stdout) != 0;
  const int error = flush_error != 0 ? flush_error : errno;
  if (!is_lost && !has_failed) {
    return;
  }
  if (error == EPIPE || has_no_reader()) {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  fprintf(stderr, "podium: cannot write standard output: %s\n",
          error == 0 ? "not all of it was taken" : strerror(error));
  _exit(CLI_NOT_RUN);
}

void cli_streams_init(void) {
  // Opened the wrong way round: reading and writing fail with EBADF.
  static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int stream = 0; stream < 3; stream++) {
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", modes[stream]) != stream) {
      _exit(CLI_NOT_RUN);
    }
  }
  signal(SIGPIPE, SIG_IGN);
  (void)atexit(close_output);
}

bool cli_output_is_lost(void) {
  errno = 0;
  if (fflush(stdout) != 0 && flush_error == 0) {
    flush_error = errno;
  }
  return ferror(stdout) != 0;
}
