// The edit distance counts insertions, deletions, replacements and swaps of neighbours
// (optimal string alignment, Damerau 1964), row by row with three rows kept.

#include "client/cli/suggest.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 63 };  // Nobody mistypes a longer one.

static int least(int a, int b, int c) {
  const int smaller = a < b ? a : b;
  return smaller < c ? smaller : c;
}

static int edits_between(const char *a, int a_length, const char *b, int b_length) {
  int rows[3][WORD_MAX + 1];
  for (int j = 0; j <= b_length; j++) {
    rows[0][j] = j;
  }
  for (int i = 1; i <= a_length; i++) {
    int *row = rows[i % 3];
    const int *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (int j = 1; j <= b_length; j++) {
      row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap && two_above[j - 2] + 1 < row[j]) {
        row[j] = two_above[j - 2] + 1;
      }
    }
  }
  return rows[a_length % 3][b_length];
}

const char *cli_suggest(const char *word, int count, const char *const *candidates) {
  const int length = (int)strnlen(word, WORD_MAX + 1);
  if (length == 0 || length > WORD_MAX) {
    return NULL;
  }
  int fewest = length < 6 ? 2 : length / 3 + 1;  // One more than are allowed.
  const char *best = NULL;
  for (int i = 0; i < count; i++) {
    const int other = candidates[i] == NULL ? 0 : (int)strnlen(candidates[i], WORD_MAX);
    const int edits =
        other == 0 ? fewest : edits_between(word, length, candidates[i], other);
    if (edits < fewest) {
      fewest = edits;
      best = candidates[i];
    }
  }
  return best;
}
