// The numbers on a daemon's command line.
//
// Threading: any one thread.

#ifndef SERVER_DAEMON_NUMBER_FLAGS_H_
#define SERVER_DAEMON_NUMBER_FLAGS_H_

#include <argp.h>
#include <stdint.h>

// The whole decimal number that is `text`; anything else, and what is not from `least` to
// `most`, ends the program with the usage and "--NAME needs a number …". INT64_MAX of
// `most` stands for no bound.
int64_t number_flag(struct argp_state *state, const char *name, const char *text,
                    int64_t least, int64_t most);

// The name of an option by its key, for number_flag; "?" for none of `options`.
const char *number_flag_name(const struct argp_option *options, int key);

#endif  // SERVER_DAEMON_NUMBER_FLAGS_H_
