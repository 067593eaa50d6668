// Whole files, for tests and benchmarks.

#ifndef TESTS_FILE_H_
#define TESTS_FILE_H_

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/text.h"

// Appends the file's bytes to `text`; false when it cannot be opened.
static inline bool read_file(const char *path, pod_text_t *text) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return false;
  }
  char block[4096];
  size_t count;
  pod_text_add(text, "");
  while ((count = fread(block, 1, sizeof(block), file)) > 0) {
    pod_text_add_bytes(text, block, count);
  }
  fclose(file);
  return true;
}

// The same for a file that must be there; ends the process when it is not. Returns owned.
static inline char *read_text(const char *path) {
  pod_text_t text = {0};
  if (!read_file(path, &text)) {
    fprintf(stderr, "cannot open %s\n", path);
    exit(2);
  }
  return pod_text_take(&text);
}

#endif  // TESTS_FILE_H_
