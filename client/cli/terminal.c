// Cutting works on columns, not bytes: a character of UTF-8 takes one, an escape sequence
// none. The character that would stand in the last column is held until it is known
// whether the line goes on behind it. (What takes two columns, as Chinese characters do,
// is counted as one: sources may have such names, and are then cut a little late.)

#include "client/cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int cli_terminal_columns(void) {
  struct winsize size = {0};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
    return 0;
  }
  return size.ws_col;
}

bool cli_terminal_is_smart(void) {
  const char *term = getenv("TERM");
  return term != NULL && *term != '\0' && strcmp(term, "dumb") != 0;
}

// --- Colours ---

static bool wants_colors(void) {
  const char *no_color = getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && cli_terminal_is_smart() &&
         (no_color == NULL || *no_color == '\0');
}

const char *cli_color(const char *code) {
  static int is_colored = -1;
  if (is_colored < 0) {
    is_colored = wants_colors();
  }
  static char text[4][16];
  static int next = 0;
  if (!is_colored) {
    return "";
  }
  next = (next + 1) % 4;
  snprintf(text[next], sizeof(text[next]), "\033[%sm", code);
  return text[next];
}

// --- Cutting ---

static void hold(cli_cut_t *cut, const char *text, int bytes) {
  if (cut->held_bytes + bytes <= (int)sizeof(cut->held)) {
    memcpy(cut->held + cut->held_bytes, text, (size_t)bytes);
    cut->held_bytes += bytes;
  }
}

static void release_held(cli_cut_t *cut, pod_text_t *out) {
  pod_text_add_bytes(out, cut->held, (size_t)cut->held_bytes);
  cut->held_bytes = 0;
}

// How many bytes the character at `text` has: itself and what continues it.
static int character_bytes(const char *text) {
  int bytes = 1;
  while (bytes < 4 && ((unsigned char)text[bytes] & 0xC0) == 0x80) {
    bytes++;
  }
  return bytes;
}

static void put_character(cli_cut_t *cut, const char *text, int bytes, pod_text_t *out) {
  if (cut->is_over) {
    return;
  }
  if (cut->held_bytes > 0) {
    pod_text_add(out, "…");
    pod_text_add_bytes(out, cut->held + cut->character_bytes,
                       (size_t)(cut->held_bytes - cut->character_bytes));
    cut->held_bytes = 0;
    cut->is_over = true;
  } else if (cut->columns > 0 && cut->at == cut->columns - 1) {
    hold(cut, text, bytes);
    cut->character_bytes = bytes;
  } else {
    pod_text_add_bytes(out, text, (size_t)bytes);
    cut->at++;
  }
}

void cli_cut(cli_cut_t *cut, const char *text, pod_text_t *out) {
  while (*text != '\0') {
    const int bytes = character_bytes(text);
    if (*text == '\n') {
      release_held(cut, out);
      pod_text_add(out, "\n");
      *cut = (cli_cut_t){.columns = cut->columns};
    } else if (*text == '\033' || cut->is_escape) {
      if (cut->held_bytes > 0) {
        hold(cut, text, bytes);
      } else {
        pod_text_add_bytes(out, text, (size_t)bytes);
      }
      cut->is_escape = *text != 'm';
    } else {
      put_character(cut, text, bytes, out);
    }
    text += bytes;
  }
}

// --- Printing ---

static bool prints_nothing;

void cli_print_nothing(void) {
  prints_nothing = true;
}

void cli_print(const char *format, ...) {
  static cli_cut_t cut;  // Of the line that is being printed.
  if (prints_nothing) {
    return;
  }
  if (cut.at == 0) {  // A window may be resized between two lines.
    cut.columns = cli_terminal_columns();
  }
  pod_text_t text = {0}, seen = {0};
  va_list args;
  va_start(args, format);
  pod_text_vprintf(&text, format, args);
  va_end(args);
  if (text.length > 0) {
    cli_cut(&cut, text.bytes, &seen);
  }
  if (seen.length > 0) {
    fwrite(seen.bytes, 1, seen.length, stdout);
  }
  pod_text_deinit(&text);
  pod_text_deinit(&seen);
}

void cli_print_whole(const char *format, ...) {
  if (prints_nothing) {
    return;
  }
  va_list args;
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
}
