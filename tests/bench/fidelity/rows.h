// Tables of measurements: files of comma-separated values, whose first line names the
// columns; a field in quotes may hold commas.

#ifndef TESTS_BENCH_FIDELITY_ROWS_H_
#define TESTS_BENCH_FIDELITY_ROWS_H_

#include <stdint.h>

// The whole file, NUL-terminated; free() it. NULL when it cannot be read.
char *rows_read_file(const char *path, int64_t *out_length);

// Takes a line apart, in place, into at most `count_max` fields; what follows the last is
// left out. Returns how many. A quote within quotes is doubled.
int rows_split(char *line, int count_max, char **out_fields);

#endif  // TESTS_BENCH_FIDELITY_ROWS_H_
