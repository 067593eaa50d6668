// Who comes makes a ring, hands it over and begins one transfer after the other; who
// listens finds each by its token. Both know then how many bytes follow, so that the ring
// needs nothing but its counters.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/shared/mover_private.h"

enum { NS_PER_MS = 1000000 };

// --- Making and closing ---

static shared_connection_t *add(shared_mover_t *mover, int socket) {
  shared_connection_t *connection = pod_alloc(sizeof(*connection));
  connection->socket = socket;
  connection->since_ns = pod_clock_now_ns();
  connection->next = &mover->connections;
  connection->previous = mover->connections.previous;
  connection->previous->next = connection->next->previous = connection;
  mover->connection_count++;
  return connection;
}

// It is closed at the next sweep. Takes `status`.
static void give_up(shared_connection_t *connection, pod_status_t status) {
  if (connection->end_reason != NULL) {
    pod_status_free(status);
  } else {
    connection->end_reason = status;
  }
}

static void end_waiting(shared_mover_t *mover, const char *path, pod_status_t reason) {
  for (shared_job_t *job = mover->jobs.next; job != &mover->jobs;) {
    shared_job_t *next = job->next;
    if (job->connection == NULL && job->path != NULL && strcmp(job->path, path) == 0) {
      shared_job_end(job, pod_status_copy(reason));
    }
    job = next;
  }
}

// What the other process has begun before it went, and nobody has looked at yet.
static void end_begun(shared_mover_t *mover, const shared_connection_t *connection) {
  for (int i = 0; i < connection->begun_count; i++) {
    shared_job_t *job = mover->jobs.next;
    while (job != &mover->jobs && (job->connection != NULL || job->path != NULL ||
                                   memcmp(job->transfer.token, connection->begun[i].token,
                                          SHARED_TOKEN_BYTES) != 0)) {
      job = job->next;
    }
    if (job != &mover->jobs) {
      shared_job_end(job, pod_status_copy(connection->end_reason));
    }
  }
}

static void close_connection(shared_mover_t *mover, shared_connection_t *connection) {
  pod_status_t reason = connection->end_reason;
  if (connection->job != NULL) {
    shared_job_end(connection->job, pod_status_copy(reason));
  } else if (connection->state == SHARED_GREETING && connection->path != NULL) {
    end_waiting(mover, connection->path, reason);
  }
  end_begun(mover, connection);
  pod_status_free(reason);
  connection->previous->next = connection->next;
  connection->next->previous = connection->previous;
  mover->connection_count--;
  shared_ring_unmap(&connection->ring);
  (void)close(connection->socket);
  free(connection->path);
  free(connection);
}

void shared_connections_sweep(shared_mover_t *mover, bool all) {
  for (shared_connection_t *at = mover->connections.next; at != &mover->connections;) {
    shared_connection_t *next = at->next;
    if (at->end_reason == NULL && (all || (at->job != NULL && at->job->is_cancelled))) {
      at->end_reason = pod_error(POD_CANCELLED, "the transfer was cancelled");
    }
    if (at->end_reason != NULL) {
      close_connection(mover, at);
    }
    at = next;
  }
}

void shared_connections_accept(shared_mover_t *mover) {
  const int socket = shared_socket_accept(mover->listener);
  if (socket >= 0 && mover->connection_count < SHARED_CONNECTIONS_MAX) {
    (void)add(mover, socket);
  } else if (socket >= 0) {
    (void)close(socket);  // Who comes hears of nothing but the end, and goes another way.
  }
}

static pod_status_t greet(shared_connection_t *connection) {
  int file;
  POD_TRY(shared_ring_create(&connection->ring, &file));
  const shared_message_t hello = {
      .word = SHARED_HELLO, .chunk_bytes = SHARED_CHUNK_BYTES, .chunks = SHARED_CHUNKS};
  const bool is_sent = shared_socket_send(connection->socket, hello, file);
  (void)close(file);
  return is_sent
             ? NULL
             : pod_error(POD_UNAVAILABLE, "%s closed the connection", connection->path);
}

static pod_status_t open_connection(shared_mover_t *mover, const char *path) {
  if (mover->connection_count >= SHARED_CONNECTIONS_MAX) {
    return pod_error(POD_UNAVAILABLE, "%d connections are open", SHARED_CONNECTIONS_MAX);
  }
  int socket;
  POD_TRY(shared_socket_connect(path, &socket));
  shared_connection_t *connection = add(mover, socket);
  connection->path = pod_strdup(path);
  const pod_status_t status = greet(connection);
  if (status != NULL) {
    give_up(connection, status);
  }
  return NULL;
}

// --- Transfers ---

static void become(shared_connection_t *connection, shared_state_t state) {
  connection->state = state;
  connection->since_ns = pod_clock_now_ns();
}

static void take_job(shared_connection_t *connection, shared_job_t *job) {
  connection->job = job;
  job->connection = connection;
  become(connection, SHARED_BUSY);
  if (!job->transfer.sends) {
    shared_ring_begin_emptying(&connection->ring);
  }
}

static void end_job(shared_connection_t *connection) {
  shared_job_t *job = connection->job;
  connection->job = NULL;
  become(connection, SHARED_IDLE);
  shared_job_end(job, NULL);
}

static shared_connection_t *find(const shared_mover_t *mover, const char *path) {
  for (shared_connection_t *at = mover->connections.next; at != &mover->connections;
       at = at->next) {
    if (at->path != NULL && at->end_reason == NULL && strcmp(at->path, path) == 0) {
      return at;
    }
  }
  return NULL;
}

static void begin_at(shared_connection_t *connection, shared_job_t *job) {
  shared_message_t begin = {.word = SHARED_BEGIN,
                            .size_bytes = job->transfer.size_bytes,
                            .sends = job->transfer.sends};
  memcpy(begin.token, job->transfer.token, sizeof(begin.token));
  if (job->transfer.size_bytes == 0) {
    shared_job_end(job, NULL);
    return;
  }
  take_job(connection, job);
  if (!shared_socket_send(connection->socket, begin, -1)) {
    give_up(connection,
            pod_error(POD_UNAVAILABLE, "%s closed the connection", connection->path));
  }
}

// One of ours that waits to go somewhere.
static void send_on_its_way(shared_mover_t *mover, shared_job_t *job) {
  shared_connection_t *connection = find(mover, job->path);
  if (connection != NULL && connection->state == SHARED_IDLE) {
    begin_at(connection, job);
  } else if (connection == NULL) {
    const pod_status_t status = open_connection(mover, job->path);
    if (status != NULL) {
      shared_job_end(job, status);
    }
  }
}

static void check_begun(shared_connection_t *connection, shared_job_t *job) {
  const shared_message_t begun = connection->begun[0];
  connection->begun_count--;
  memmove(connection->begun, connection->begun + 1,
          (size_t)connection->begun_count * sizeof(begun));
  take_job(connection, job);
  if (begun.size_bytes != job->transfer.size_bytes ||
      (begun.sends != 0) == job->transfer.sends) {
    give_up(connection,
            pod_error(POD_DATA_LOSS,
                      "%lld bytes are to be moved, the other process "
                      "speaks of %lld, or of the other way",
                      (long long)job->transfer.size_bytes, (long long)begun.size_bytes));
  }
}

// One that somebody has come for, if he has.
static void meet(shared_mover_t *mover, shared_job_t *job) {
  for (shared_connection_t *at = mover->connections.next; at != &mover->connections;
       at = at->next) {
    if (at->state == SHARED_IDLE && at->begun_count > 0 && at->end_reason == NULL &&
        memcmp(at->begun[0].token, job->transfer.token, SHARED_TOKEN_BYTES) == 0) {
      check_begun(at, job);
      return;
    }
  }
}

void shared_connections_begin(shared_mover_t *mover) {
  for (shared_job_t *job = mover->jobs.next; job != &mover->jobs;) {
    shared_job_t *next = job->next;
    if (job->connection == NULL && job->path != NULL) {
      send_on_its_way(mover, job);
    } else if (job->connection == NULL) {
      meet(mover, job);
    }
    job = next;
  }
}

// --- Steps ---

static pod_status_t next_chunk(shared_connection_t *connection, uint8_t **out_chunk) {
  return connection->job->transfer.sends
             ? shared_ring_to_fill(&connection->ring, out_chunk)
             : shared_ring_to_empty(&connection->ring, out_chunk);
}

static void ring_bell(const shared_connection_t *connection) {
  // One that cannot be sent finds others before it.
  (void)shared_socket_send(connection->socket, (shared_message_t){.word = SHARED_BELL},
                           -1);
}

bool shared_connection_step(shared_mover_t *mover, shared_connection_t *connection) {
  shared_job_t *job = connection->job;
  if (connection->state != SHARED_BUSY || connection->end_reason != NULL ||
      job->is_cancelled) {
    return false;
  }
  uint8_t *chunk;
  const pod_status_t status = next_chunk(connection, &chunk);
  if (status != NULL || chunk == NULL) {
    if (status != NULL) {
      give_up(connection, status);
    }
    return false;
  }
  const shared_transfer_t *transfer = &job->transfer;
  const int64_t left = transfer->size_bytes - job->moved_bytes;
  const int64_t bytes = left < SHARED_CHUNK_BYTES ? left : SHARED_CHUNK_BYTES;
  mover->copying = job;
  pthread_mutex_unlock(&mover->mutex);
  transfer->copy(transfer->context, job->moved_bytes, chunk, (size_t)bytes);
  pthread_mutex_lock(&mover->mutex);
  mover->copying = NULL;
  if (job->is_cancelled) {
    pthread_cond_broadcast(&mover->copied);
    return true;
  }
  const bool sleeps = transfer->sends ? shared_ring_filled(&connection->ring)
                                      : shared_ring_emptied(&connection->ring);
  if (sleeps) {
    ring_bell(connection);
  }
  job->moved_bytes += bytes;
  connection->since_ns = pod_clock_now_ns();
  if (job->moved_bytes == transfer->size_bytes) {
    end_job(connection);
  }
  return true;
}

// --- What comes by the socket ---

static pod_status_t on_hello(shared_connection_t *connection,
                             const shared_message_t *message, int file) {
  if (connection->path != NULL || connection->state != SHARED_GREETING || file < 0) {
    return pod_error(POD_DATA_LOSS, "a greeting that is none");
  }
  if (message->chunk_bytes != SHARED_CHUNK_BYTES || message->chunks != SHARED_CHUNKS) {
    return pod_error(POD_UNAVAILABLE, "a ring of %u chunks of %u bytes",
                     (unsigned)message->chunks, (unsigned)message->chunk_bytes);
  }
  POD_TRY(shared_ring_map(file, &connection->ring));
  become(connection, SHARED_IDLE);
  // Who has gone meanwhile has perhaps begun something: what comes next says so.
  (void)shared_socket_send(connection->socket, (shared_message_t){.word = SHARED_WELCOME},
                           -1);
  return NULL;
}

static pod_status_t on_begin(shared_connection_t *connection,
                             const shared_message_t *message) {
  if (connection->path != NULL || connection->state == SHARED_GREETING ||
      connection->begun_count == SHARED_BEGUN_MAX) {
    return pod_error(POD_DATA_LOSS, "a transfer that must not begin now");
  }
  connection->begun[connection->begun_count++] = *message;
  if (connection->state == SHARED_IDLE && connection->begun_count == 1) {
    become(connection, SHARED_IDLE);
  }
  return NULL;
}

static pod_status_t on_message(shared_connection_t *connection,
                               const shared_message_t *message, int file) {
  switch (message->word) {
    case SHARED_HELLO:
      return on_hello(connection, message, file);
    case SHARED_WELCOME:
      if (connection->path == NULL || connection->state != SHARED_GREETING) {
        return pod_error(POD_DATA_LOSS, "a welcome that nobody has asked for");
      }
      become(connection, SHARED_IDLE);
      return NULL;
    case SHARED_BEGIN:
      return on_begin(connection, message);
    case SHARED_BELL:
      return NULL;
    default:
      return pod_error(POD_DATA_LOSS, "a message of unknown kind %u",
                       (unsigned)message->word);
  }
}

static pod_status_t gone(const shared_connection_t *connection) {
  return pod_error(POD_UNAVAILABLE, "%s%s the connection by which bytes were shared",
                   connection->path == NULL ? "the client" : connection->path,
                   connection->path == NULL ? " closed" : " has closed");
}

void shared_connection_read(shared_mover_t *mover, shared_connection_t *connection) {
  (void)mover;
  while (connection->end_reason == NULL) {
    shared_message_t message;
    int file;
    const shared_read_t got = shared_socket_read(connection->socket, &message, &file);
    pod_status_t status = NULL;
    if (got == SHARED_READ_MESSAGE) {
      status = on_message(connection, &message, file);
    } else if (got == SHARED_READ_END) {
      status = gone(connection);
    } else if (got == SHARED_READ_WRONG) {
      status = pod_error(POD_DATA_LOSS, "the other process sent what is no message");
    }
    if (file >= 0) {
      (void)close(file);
    }
    if (status != NULL) {
      give_up(connection, status);
    }
    if (got == SHARED_READ_NOTHING) {
      return;
    }
  }
}

// --- Deadlines ---

void shared_connection_check_time(shared_mover_t *mover, shared_connection_t *connection,
                                  int64_t now_ns) {
  const shared_mover_options_t *options = &mover->options;
  const int64_t waited_ms = (now_ns - connection->since_ns) / NS_PER_MS;
  const bool is_ours = connection->path != NULL;
  if (connection->state == SHARED_BUSY && waited_ms > options->stall_ms) {
    give_up(connection,
            pod_error(POD_DEADLINE_EXCEEDED,
                      "nothing has moved for %lld ms: the other process stands still",
                      (long long)options->stall_ms));
  } else if ((connection->state == SHARED_GREETING || connection->begun_count > 0) &&
             connection->state != SHARED_BUSY && waited_ms > options->greet_ms) {
    give_up(connection, pod_error(POD_UNAVAILABLE, "no answer within %lld ms",
                                  (long long)options->greet_ms));
  } else if (connection->state == SHARED_IDLE && is_ours &&
             waited_ms > options->idle_ms) {
    give_up(connection, pod_error(POD_CANCELLED, "it was idle"));
  }
}
