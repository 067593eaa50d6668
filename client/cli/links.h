// The links of a pod, as the torus is drawn: for every plane of z a grid of chips, and
// between neighbours how busy the link was, in each direction.

#ifndef CLIENT_CLI_LINKS_H_
#define CLIENT_CLI_LINKS_H_

#include "client/lib/podium.h"

// A name of a class in drawings: A, B, …, and # for those that have none.
char cli_class_letter(int index);

void cli_print_links(const podium_profile_t *profile);

#endif  // CLIENT_CLI_LINKS_H_
