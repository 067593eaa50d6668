// What the tests of the command line share: a folder for files, and runs of `podium`
// whose output and exit status are checked.
//
// Threading: the test's main thread.

#ifndef TESTS_SYSTEM_CLI_H_
#define TESTS_SYSTEM_CLI_H_

enum { CLI_PATH_SIZE = 256 };

// Group fixtures: a folder under /tmp that is also XDG_RUNTIME_DIR and TMPDIR of what is
// run, and is removed with all that is in it.
int cli_make_folder(void **state);
int cli_remove_folder(void **state);
const char *cli_folder(void);

const char *cli_in_folder(const char *name, char path[CLI_PATH_SIZE]);

// Both return `path`.
const char *cli_write_file(const char *name, const char *text, char path[CLI_PATH_SIZE]);

// Runs `podium ARGS`, checks the exit status and that each of `expected` is printed. Both
// lists end with NULL; `expected` may be NULL.
void cli_check_run(const char *const *args, int exit_status, const char *const *expected);

// The same for a line of sh, in which $podium is the program and $dir the folder.
void cli_check_shell(const char *line, int exit_status, const char *const *expected);

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif  // TESTS_SYSTEM_CLI_H_
