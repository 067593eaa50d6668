// What a machine is told by `ssh HOST sh -s`: POSIX shell on its standard input, with the
// files that its daemons need in it. So nothing that is secret stands in a command line
// or an environment, there or here.
//
// Each script says what it found in lines on its standard output, "podium WORD VALUE",
// and why it could not in one, "podium-error WORDS".
//
// Threading: pure.

#ifndef CLIENT_LAUNCH_SCRIPT_H_
#define CLIENT_LAUNCH_SCRIPT_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"

// Appends 'it'\''s': one word for the shell, whatever is in it.
void launch_quote(pod_text_t *text, const char *word);

// Finds podium-host: in `folder` when there is one, else in PATH, else in
// `other_folder`. Says "program PATH", "version WORDS", "base FOLDER" (the user's own,
// for pods; made when it is not there) and "address IP", by which we reached it.
void launch_script_probe(pod_text_t *script, const char *folder,
                         const char *other_folder);

typedef struct launch_file_t {
  const char *name;
  const char *text;  // Ends with a newline.
} launch_file_t;

typedef struct launch_start_t {
  const char *folder;  // Made; must not be there.
  const char *program;
  const char *const *arguments;  // NULL-terminated.
  int file_count;
  const launch_file_t *files;  // Written to the folder, mode 0600.
  bool serves;  // Waits until FOLDER/address is there and says "address HOST:PORT".
} launch_start_t;

// Starts podium-host, which stays: FOLDER/pid tells it apart, FOLDER/host.log is its log.
// INVALID_ARGUMENT for a file that cannot stand in a script.
POD_MUST_USE pod_status_t launch_script_start(pod_text_t *script,
                                              const launch_start_t *start);

// Whether what was started there runs: "state runs|ended|gone", and "words …", what its
// daemons said last that was no good news.
void launch_script_ask(pod_text_t *script, const char *folder);

// Ends what was started there: SIGTERM, SIGKILL after 15 s; removes the folder. Does
// nothing when there is none, but for one that is still to be made: its start will find
// that it has been ended. `folder` may be a pattern of which only the last part has
// '*' or '?'. Says "stopped N", of folders.
void launch_script_stop(pod_text_t *script, const char *folder);

// The same for all folders of pods of this name, whoever started them: those that end in
// the eight digits and the rank of a pod's tag.
void launch_script_sweep(pod_text_t *script, const char *name);

// Says all logs of the folder: "==> NAME <==" before the lines of each file, of which the
// last `lines` (-1: all); then, when it `follows`, what comes. Ends with its standard
// output's reader.
void launch_script_logs(pod_text_t *script, const char *folder, int64_t lines,
                        bool follows);

// The value of the first line "podium WORD VALUE" of an output. Returns owned; NULL
// without one.
char *launch_said(const char *output, const char *word);

// What stands behind "podium-error ". Returns owned; NULL without one.
char *launch_refusal(const char *output);

#endif  // CLIENT_LAUNCH_SCRIPT_H_
