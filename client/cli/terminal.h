// What the commands print for people: tables on standard output, each line cut to the
// terminal's width, colours where they are wanted.
//
// A file or a pipe gets whole lines without colours. TERM=dumb and NO_COLOR (any value
// but the empty one, https://no-color.org) turn colours off, TERM=dumb the progress line
// too.
//
// Threading: the main thread.

#ifndef CLIENT_CLI_TERMINAL_H_
#define CLIENT_CLI_TERMINAL_H_

#include <stdbool.h>

#include "common/base/status.h"
#include "common/base/text.h"

// Columns of the terminal that standard output is; 0: it is none, or of unknown width.
int cli_terminal_columns(void);

// Whether the terminal knows escape sequences: TERM is there and is not "dumb".
bool cli_terminal_is_smart(void);

// printf to standard output, but for --json, which prints no tables. What goes beyond the
// terminal's last column is left out, with "…" in its place.
POD_PRINTF(1, 2) void cli_print(const char *format, ...);

// The same, uncut: for what is no table.
POD_PRINTF(1, 2) void cli_print_whole(const char *format, ...);

// Prints nothing more: standard output is for one JSON object (report.h).
void cli_print_nothing(void);

// "\033[32m" on a terminal, else nothing. "" ends a colour. Valid until the fourth next.
const char *cli_color(const char *code);

// --- What cli_print does to a text, for a terminal of any width ---

typedef struct cli_cut_t {
  int columns;  // 0: nothing is cut.
  int at;       // Columns that the line has taken.
  // The character for the last column, which "…" may have to replace, and the escape
  // sequences behind it.
  char held[64];
  int character_bytes, held_bytes;
  bool is_escape, is_over;
} cli_cut_t;

// Appends to `out` what of `text` is to be seen. A line may come in pieces.
void cli_cut(cli_cut_t *cut, const char *text, pod_text_t *out);

#endif  // CLIENT_CLI_TERMINAL_H_
