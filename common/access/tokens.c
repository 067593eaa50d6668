// The file of tokens.

#include <stdlib.h>
#include <string.h>

#include "common/access/access.h"
#include "common/access/file.h"

enum { FIELDS = 3 };

// Cuts a line into its words, in place; how many there are, at most one too many.
static int cut(char *line, char *words[FIELDS + 1]) {
  int count = 0;
  char *rest = NULL;
  for (char *word = strtok_r(line, " \t\r", &rest); word != NULL && count <= FIELDS;
       word = strtok_r(NULL, " \t\r", &rest)) {
    words[count++] = word;
  }
  return count;
}

static pod_status_t add_line(access_t *access, char *line) {
  char *words[FIELDS + 1];
  const int count = cut(line, words);
  if (count == 0 || words[0][0] == '#') {
    return NULL;
  }
  // What stands in the wrong place may be a token: it is not printed.
  access_role_t role;
  if (count != FIELDS) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a line is ROLE NAME TOKEN, and has %d words%s", count,
                     count > FIELDS ? " or more" : "");
  }
  if (!access_role_parse(words[0], &role) || role == ACCESS_WORKER) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the first word must be read, run or administer (workers prove the "
                     "pod's secret, or have certificates)");
  }
  return access_add_token(access, role, words[1], words[2]);
}

pod_status_t access_parse_tokens(access_t *access, const char *path, const char *text,
                                 size_t length) {
  if (memchr(text, '\0', length) != NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "%s: it is no text", path);
  }
  int number = 1;
  for (const char *at = text, *const end = text + length; at < end; number++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *stop = newline != NULL ? newline : end;
    char *line = strndup(at, (size_t)(stop - at));
    const pod_status_t status = add_line(access, line);
    access_forget(line);
    POD_TRY(pod_status_context(status, "%s:%d", path, number));
    at = stop + 1;
  }
  return NULL;
}

pod_status_t access_load_tokens(access_t *access, const char *path) {
  char *text;
  size_t length;
  POD_TRY(access_read_file(path, &text, &length));
  const pod_status_t status = access_parse_tokens(access, path, text, length);
  access_forget(text);
  return status;
}
