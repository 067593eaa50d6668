// SOCK_SEQPACKET, so that a message is a packet and a file travels with one. The kernel
// says who is at the other end (SO_PEERCRED): only a process of the same user is.

#include "common/shared/socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAGIC = 0x706f6401, BACKLOG = 128 };  // "pod", and the version of what is said.

static pod_status_t make(const char *path, struct sockaddr_un *out_address,
                         int *out_socket) {
  *out_address = (struct sockaddr_un){.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof(out_address->sun_path)) {
    return pod_error(POD_UNAVAILABLE, "the path of a socket is too long: %s", path);
  }
  strcpy(out_address->sun_path, path);
  *out_socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return *out_socket < 0
             ? pod_error(POD_UNAVAILABLE, "no socket for %s: %s", path, strerror(errno))
             : NULL;
}

static bool is_own_user(int connected) {
  struct ucred peer;
  socklen_t size = sizeof(peer);
  return getsockopt(connected, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == geteuid();
}

pod_status_t shared_socket_listen(const char *path, int *out_socket) {
  struct sockaddr_un address;
  int made;
  POD_TRY(make(path, &address, &made));
  if (bind(made, (struct sockaddr *)&address, sizeof(address)) != 0 ||
      listen(made, BACKLOG) != 0) {
    const pod_status_t status =
        pod_error(POD_UNAVAILABLE, "cannot listen at %s: %s", path, strerror(errno));
    (void)close(made);
    return status;
  }
  *out_socket = made;
  return NULL;
}

pod_status_t shared_socket_connect(const char *path, int *out_socket) {
  struct sockaddr_un address;
  int made;
  POD_TRY(make(path, &address, &made));
  pod_status_t status = NULL;
  if (connect(made, (struct sockaddr *)&address, sizeof(address)) != 0) {
    status =
        pod_error(POD_UNAVAILABLE, "nobody answers at %s: %s", path, strerror(errno));
  } else if (!is_own_user(made)) {
    status = pod_error(POD_PERMISSION_DENIED, "%s is another user's", path);
  }
  if (status != NULL) {
    (void)close(made);
    return status;
  }
  *out_socket = made;
  return NULL;
}

int shared_socket_accept(int listener) {
  const int accepted = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (accepted >= 0 && !is_own_user(accepted)) {
    (void)close(accepted);
    return -1;
  }
  return accepted;
}

// A control message with one file, aligned as the kernel wants it.
typedef union control_t {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
} control_t;

bool shared_socket_send(int socket, shared_message_t message, int file) {
  message.magic = MAGIC;
  struct iovec part = {.iov_base = &message, .iov_len = sizeof(message)};
  struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
  control_t control = {0};
  if (file >= 0) {
    packet.msg_control = &control;
    packet.msg_controllen = sizeof(control);
    struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(file));
    memcpy(CMSG_DATA(header), &file, sizeof(file));
  }
  return sendmsg(socket, &packet, MSG_NOSIGNAL | MSG_DONTWAIT) ==
         (ssize_t)sizeof(message);
}

// There is room for one (CMSG_SPACE would have it for two); the kernel closes the others.
static int take_file(struct msghdr *packet) {
  const struct cmsghdr *header = CMSG_FIRSTHDR(packet);
  int file = -1;
  if (header != NULL && header->cmsg_level == SOL_SOCKET &&
      header->cmsg_type == SCM_RIGHTS && header->cmsg_len >= CMSG_LEN(sizeof(file))) {
    memcpy(&file, CMSG_DATA(header), sizeof(file));
  }
  return file;
}

shared_read_t shared_socket_read(int socket, shared_message_t *out_message,
                                 int *out_file) {
  struct iovec part = {.iov_base = out_message, .iov_len = sizeof(*out_message)};
  control_t control = {0};
  struct msghdr packet = {.msg_iov = &part,
                          .msg_iovlen = 1,
                          .msg_control = &control,
                          .msg_controllen = CMSG_LEN(sizeof(*out_file))};
  ssize_t got = recvmsg(socket, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0 && errno == ECONNRESET) {
    // Said once of who went without having read all; what he has sent is still there.
    got = recvmsg(socket, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  }
  *out_file = -1;
  if (got < 0) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? SHARED_READ_NOTHING
                                                                     : SHARED_READ_END;
  }
  *out_file = take_file(&packet);
  if (got == 0) {
    return SHARED_READ_END;
  }
  return got == (ssize_t)sizeof(*out_message) && (packet.msg_flags & MSG_TRUNC) == 0 &&
                 out_message->magic == MAGIC
             ? SHARED_READ_MESSAGE
             : SHARED_READ_WRONG;
}
