// What loop.c wants to know of a socket.

#ifndef TESTS_SIMULATION_SOCKETS_H_
#define TESTS_SIMULATION_SOCKETS_H_

enum {
  SIM_SOCKET_READABLE = 1,
  SIM_SOCKET_WRITABLE = 2,
  SIM_SOCKET_FAILED = 4,
};

int sim_socket_ready(int fd);

// Wakes who waits for `waiter` when that may have changed; NULL: nobody. A closed socket
// is left alone.
void sim_socket_watch(int fd, const void *waiter);

#endif  // TESTS_SIMULATION_SOCKETS_H_
