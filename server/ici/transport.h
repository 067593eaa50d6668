// Whether the sockets below the links still work.
//
// nng 1.5.2 forgets the end of a receive when a connection closes between two parts of a
// message (ipc.c and tcp.c of its transports: nni_aio_begin() fails there without a
// callback). Its one thread that takes connections down then waits for ever: no loss of
// a link is told any more, no socket closes. Only a new process helps.

#ifndef SERVER_ICI_TRANSPORT_H_
#define SERVER_ICI_TRANSPORT_H_

#include <stdbool.h>

// Makes a connection inside of this process and waits for its end. False: it has not
// ended after `timeout_ms`, and a thread and two sockets are left behind. Any thread.
bool ici_transport_works(int timeout_ms);

#endif  // SERVER_ICI_TRANSPORT_H_
