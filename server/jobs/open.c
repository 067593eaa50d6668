// Opening: lock, database, what was interrupted, what nobody names.

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/jobs/folder.h"
#include "server/jobs/store_private.h"

enum { RESERVE_BYTES = 4 << 20 };

// --- The lock ---

static pod_status_t held_by(const job_store_t *store) {
  char pid[32] = "";
  const ssize_t length = pread(store->lock, pid, sizeof(pid) - 1, 0);
  pid[length > 0 ? strspn(pid, "0123456789") : 0] = '\0';
  return pod_error(
      POD_FAILED_PRECONDITION,
      "another coordinator%s%s%s has the jobs in %s: end it, or name another "
      "folder",
      *pid == '\0' ? "" : " (process ", pid, *pid == '\0' ? "" : ")", store->folder);
}

// The lock is of the open file: no other part of this process can drop it by closing a
// descriptor of the same file, as it could a lock of the process.
static pod_status_t take_lock(job_store_t *store) {
  store->lock =
      openat(store->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (store->lock < 0) {
    return job_folder_error(errno, store->folder, 0, "lock");
  }
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(store->lock, F_OFD_SETLK, &whole) != 0) {
    return errno == EAGAIN || errno == EACCES
               ? held_by(store)
               : job_folder_error(errno, store->folder, 0, "lock");
  }
  char pid[32];
  const int length = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
  if (ftruncate(store->lock, 0) != 0 ||
      pwrite(store->lock, pid, (size_t)length, 0) != (ssize_t)length) {
    // Only who is refused would read it: a full disk must not keep a pod from its jobs.
  }
  return NULL;
}

// --- The reserve ---

pod_status_t job_store_make_reserve(job_store_t *store) {
  if (faccessat(store->fd, "reserve", F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    return NULL;
  }
  const int file = openat(store->fd, "reserve",
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) {
    return job_folder_error(errno, store->folder, RESERVE_BYTES, "write to");
  }
  const int error = posix_fallocate(file, 0, RESERVE_BYTES);
  (void)close(file);
  if (error != 0) {
    (void)unlinkat(store->fd, "reserve", 0);
    return job_folder_error(error, store->folder, RESERVE_BYTES, "write to");
  }
  return NULL;
}

bool job_store_give_reserve(job_store_t *store) {
  return unlinkat(store->fd, "reserve", 0) == 0;
}

// --- What is in it ---

void job_store_decode(const record_t *record, job_t *out_job) {
  const pod_status_t status = record_decode(record, out_job);
  if (status != NULL) {
    record_decode_damaged(record, pod_status_message(status), out_job);
    pod_status_free(status);
  }
}

typedef struct id_list_t {
  uint64_t *items;
  size_t count, room;
} id_list_t;

static void add_id(id_list_t *list, uint64_t id) {
  if (list->count == list->room) {
    list->room = list->room == 0 ? 64 : 2 * list->room;
    list->items = pod_grow(list->items, list->room, sizeof(*list->items));
  }
  list->items[list->count++] = id;
}

typedef struct loading_t {
  job_store_t *store;
  id_list_t changed;  // Were RUNNING, or are damaged.
} loading_t;

// A RUNNING one has lost its coordinator: it is queued again, unless it has had enough of
// them.
static void interrupt(job_t *job) {
  job->interruptions += job->interruptions < INT32_MAX;
  free(job->message);
  if (job->interruptions <= JOB_INTERRUPTIONS_MAX + job->retries) {
    job->state = JOB_QUEUED;
    job->message = pod_strdup("the coordinator was started anew while it ran");
    return;
  }
  pod_text_t text = {0};
  pod_text_printf(&text,
                  "the coordinator died during %" PRId32
                  " of its attempts, and may have died of it: it is not tried again",
                  job->interruptions);
  job->state = JOB_FAILED;
  job->code = POD_ABORTED;
  job->message = pod_text_take(&text);
}

static pod_status_t load_record(void *user, const record_t *record) {
  loading_t *loading = user;
  job_store_t *store = loading->store;
  job_t job;
  const pod_status_t damage = record_decode(record, &job);
  if (damage != NULL) {
    record_decode_damaged(record, pod_status_message(damage), &job);
    store->recovery.damaged_count++;
  }
  if (damage != NULL || job.state == JOB_RUNNING) {
    add_id(&loading->changed, job.id);
  }
  if (damage == NULL && job.state == JOB_RUNNING) {
    interrupt(&job);
    store->recovery.requeued_count += job.state == JOB_QUEUED;
  }
  pod_status_free(damage);
  job_books_count(store->books, &job, 1);
  job_deinit(&job);
  return NULL;
}

// Writes a damaged record anew as what it now is, and a RUNNING one as what it has
// become.
static pod_status_t mend(job_store_t *store, uint64_t id) {
  record_t record;
  POD_TRY(job_database_get(store->database, id, &record));
  job_t job;
  job_store_decode(&record, &job);
  record_deinit(&record);
  if (job.state == JOB_RUNNING) {
    interrupt(&job);
  }
  if (job_state_is_end(job.state) && job.ended_us == 0) {
    job.ended_us = (int64_t)time(NULL) * 1000000;  // From when on it is kept.
  }
  record_encode(&job, &record);
  const pod_status_t status = job_database_update(store->database, &record);
  record_deinit(&record);
  job_deinit(&job);
  return status;
}

static pod_status_t mend_all(job_store_t *store, const id_list_t *changed) {
  if (changed->count == 0) {
    return NULL;
  }
  POD_TRY(job_database_begin(store->database));
  pod_status_t status = NULL;
  for (size_t i = 0; i < changed->count && status == NULL; i++) {
    status = mend(store, changed->items[i]);
  }
  return job_database_end(store->database, status);
}

static pod_status_t mend_with_reserve(job_store_t *store, const id_list_t *changed) {
  const pod_status_t status = mend_all(store, changed);
  if (pod_status_code(status) != POD_RESOURCE_EXHAUSTED ||
      !job_store_give_reserve(store)) {
    return status;
  }
  pod_status_free(status);
  return mend_all(store, changed);
}

static pod_status_t load(job_store_t *store) {
  loading_t loading = {.store = store};
  pod_status_t status = job_database_each(store->database, load_record, &loading);
  if (status == NULL) {
    status = mend_with_reserve(store, &loading.changed);
  }
  free(loading.changed.items);
  return status;
}

static pod_status_t visit_blob(void *user, const job_blob_t *blob, ino_t inode) {
  job_store_t *store = user;
  if (job_books_names(store->books, blob)) {
    job_books_found(store->books, blob, inode);
    return NULL;
  }
  if (store->recovery.damaged_count > 0) {
    return NULL;  // It may be of a record that cannot be read.
  }
  int64_t bytes;
  POD_TRY(job_blob_unlink(store->blobs, blob, inode, 0, &bytes));
  store->recovery.swept_count++;
  store->recovery.swept_bytes += bytes;
  return NULL;
}

static pod_status_t sweep(job_store_t *store) {
  POD_TRY(job_blobs_sweep_partial(store->blobs, &store->recovery.swept_count,
                                  &store->recovery.swept_bytes));
  return job_blobs_each(store->blobs, visit_blob, store);
}

// --- The database ---

static pod_status_t count_blob(void *user, const job_blob_t *blob, ino_t inode) {
  (void)blob;
  (void)inode;
  ++*(int64_t *)user;
  return NULL;
}

// A database without tables, where blobs are, has lost its jobs.
static pod_status_t make_database(job_store_t *store) {
  int64_t count = 0;
  POD_TRY(job_blobs_each(store->blobs, count_blob, &count));
  if (count > 0) {
    return pod_error(POD_DATA_LOSS,
                     "the database of jobs in %s is empty, yet there are %" PRId64
                     " blobs: it was truncated or removed; put it back, or move the "
                     "folder away",
                     store->folder, count);
  }
  return job_database_make(store->database, store->fd);
}

static void tell_damage(job_store_t *store, int64_t number, int64_t taken, int64_t lost,
                        const char *why) {
  pod_text_t text = {0};
  pod_text_printf(&text,
                  "%s/jobs.%" PRId64 ".sqlite is damaged (%s); %" PRId64
                  " records were taken over into jobs.%" PRId64
                  ".sqlite, at least %" PRId64 " could not be read",
                  store->folder, number, why, taken, number + 1, lost);
  free(store->recovery.damage);
  store->recovery.damage = pod_text_take(&text);
  store->recovery.damaged_count += lost > 0 ? lost : 1;  // So that no blob is swept.
}

static pod_status_t salvage(job_store_t *store, int64_t number, pod_status_t damage,
                            bool *out_is_new) {
  int64_t taken, lost;
  pod_status_t status =
      job_database_salvage(store->folder, store->fd, number, &taken, &lost);
  if (status == NULL) {
    tell_damage(store, number, taken, lost, pod_status_message(damage));
    status = job_database_open(store->folder, store->fd, number + 1, &store->database,
                               out_is_new);
  } else if (pod_status_code(status) == POD_DATA_LOSS) {
    pod_status_free(status);
    return pod_status_context(
        damage,
        "the jobs in %s cannot be read; put back a copy of the database, or move the "
        "folder away",
        store->folder);
  }
  pod_status_free(damage);
  return status;
}

static pod_status_t open_database(job_store_t *store) {
  int64_t number;
  POD_TRY(job_database_newest(store->folder, store->fd, &number));
  number = number > 0 ? number : 1;
  bool is_new = false;
  pod_status_t status =
      job_database_open(store->folder, store->fd, number, &store->database, &is_new);
  if (pod_status_code(status) == POD_RESOURCE_EXHAUSTED &&
      job_store_give_reserve(store)) {
    pod_status_free(status);
    status =
        job_database_open(store->folder, store->fd, number, &store->database, &is_new);
  }
  if (pod_status_code(status) == POD_DATA_LOSS) {
    status = salvage(store, number, status, &is_new);
  }
  POD_TRY(status);
  return is_new ? make_database(store) : NULL;
}

// --- All of it ---

static pod_status_t open_folder(const char *folder, job_store_t *store) {
  POD_TRY(job_folder_open(AT_FDCWD, folder, folder, true, &store->fd));
  // SQLite follows no link in the path, which is fine for what is ours.
  store->folder = realpath(folder, NULL);
  if (store->folder == NULL) {
    return job_folder_error(errno, folder, 0, "open the folder");
  }
  POD_TRY(take_lock(store));
  int logs;
  POD_TRY(job_folder_open(store->fd, "logs", "the folder of logs", true, &logs));
  (void)close(logs);
  return job_blobs_open_at(store->fd, store->folder, true, &store->blobs);
}

static pod_status_t open_store(const char *folder, job_store_t *store) {
  POD_TRY(open_folder(folder, store));
  POD_TRY(open_database(store));
  POD_TRY(load(store));
  POD_TRY(sweep(store));
  // Without room for it the store can still be read, and takes no jobs.
  pod_status_free(job_store_make_reserve(store));
  return job_folder_sync(store->fd, store->folder);
}

pod_status_t job_store_open(const char *folder, const job_store_limits_t *limits,
                            job_store_t **out_store) {
  job_store_t *store = pod_alloc(sizeof(*store));
  *store =
      (job_store_t){.fd = -1, .lock = -1, .limits = *limits, .books = job_books_create()};
  store->recovery.damage = pod_strdup("");
  const pod_status_t status = open_store(folder, store);
  if (status != NULL) {
    job_store_close(store);
    return status;
  }
  *out_store = store;
  return NULL;
}

void job_store_close(job_store_t *store) {
  if (store == NULL) {
    return;
  }
  job_database_close(store->database);
  job_blobs_close(store->blobs);
  job_books_destroy(store->books);
  if (store->lock >= 0) {
    (void)close(store->lock);
  }
  if (store->fd >= 0) {
    (void)close(store->fd);
  }
  free(store->recovery.damage);
  free(store->folder);
  free(store);
}
