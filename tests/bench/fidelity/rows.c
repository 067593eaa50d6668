#include "tests/bench/fidelity/rows.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"

enum { FILE_BYTES_MAX = 1 << 20 };

char *rows_read_file(const char *path, int64_t *out_length) {
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return NULL;
  }
  char *bytes = calloc(1, FILE_BYTES_MAX + 1);
  POD_CHECK(bytes != NULL);
  const size_t length = fread(bytes, 1, FILE_BYTES_MAX, file);
  fclose(file);
  bytes[length] = '\0';
  *out_length = (int64_t)length;
  return bytes;
}

// Ends the field at its closing quote. Returns what follows.
static char *unquote(char *at) {
  char *to = at;
  while (*at != '\0' && (at[0] != '"' || at[1] == '"')) {
    at += at[0] == '"';
    *to++ = *at++;
  }
  at += *at == '"';
  if (to < at) {
    *to = '\0';
  }
  return at;
}

int rows_split(char *line, int count_max, char **out_fields) {
  int count = 0;
  char *at = line;
  line[strcspn(line, "\r\n")] = '\0';
  while (count < count_max) {
    const bool is_quoted = *at == '"';
    at += is_quoted;
    out_fields[count++] = at;
    at = is_quoted ? unquote(at) : at + strcspn(at, ",");
    if (*at != ',') {
      *at = '\0';
      break;
    }
    *at++ = '\0';
  }
  return count;
}
