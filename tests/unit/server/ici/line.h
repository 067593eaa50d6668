// A line between two nodes that a test can cut or silence: a proxy of plain sockets.

#ifndef TESTS_UNIT_SERVER_ICI_LINE_H_
#define TESTS_UNIT_SERVER_ICI_LINE_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct line_t {
  char url[128];    // Dial it.
  const char *far;  // Where it leads.
  int listener;
  const int64_t *cuts;  // By connection: after how many bytes, both ways together.
  int cut_count;
  atomic_int connections;
  atomic_bool is_cut, is_silent, stops;
  pthread_t thread;
} line_t;

// A plain connection to an ipc:// or tcp:// address. -1: nobody listens just now.
int connect_plain(const char *url);

// In `directory`, or over tcp when it is NULL. Borrows `far` and `cuts`.
void line_start(line_t *line, const char *directory, const char *far, const int64_t *cuts,
                int cut_count);
void line_stop(line_t *line);

#endif  // TESTS_UNIT_SERVER_ICI_LINE_H_
