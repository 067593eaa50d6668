// "Did you mean": the word of a list that someone who mistyped may have meant.
//
// Threading: pure.

#ifndef CLIENT_CLI_SUGGEST_H_
#define CLIENT_CLI_SUGGEST_H_

// The first of `count` candidates (NULL ones are skipped) with the fewest edits from
// `word`, at most a third of its letters and at least one; NULL when none is near enough.
const char *cli_suggest(const char *word, int count, const char *const *candidates);

#endif  // CLIENT_CLI_SUGGEST_H_
