// Changes: each is one transaction on the database, and the books follow when it is
// there.

#include "server/jobs/job_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/jobs/folder.h"
#include "server/jobs/store_private.h"

enum { COLLECTED_AT_ONCE = 256 };

const job_store_recovery_t *job_store_recovery(const job_store_t *store) {
  return &store->recovery;
}

job_blobs_t *job_store_blobs(job_store_t *store) {
  return store->blobs;
}

job_store_usage_t job_store_usage(const job_store_t *store) {
  job_store_usage_t usage = job_books_usage(store->books);
  usage.free_bytes = job_folder_free_bytes(store->fd);
  return usage;
}

static int64_t now_us(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// --- Blobs ---

// Unlinks a blob that nobody names any more. What cannot be unlinked now is swept when
// the store is opened next.
static void drop_blob(job_store_t *store, const job_blob_t *blob) {
  ino_t inode;
  int64_t bytes;
  if (job_books_drop(store->books, blob, &inode) &&
      job_database_is_settled(store->database)) {
    const int64_t before_s = now_us() / 1000000 - JOB_BLOB_GRACE_S;
    pod_status_free(job_blob_unlink(store->blobs, blob, inode, before_s, &bytes));
  }
}

static void release_blob(void *user, const job_blob_t *blob) {
  job_store_t *store = user;
  job_books_release(store->books, blob);
  drop_blob(store, blob);
}

static void drop_one(void *user, const job_blob_t *blob) {
  drop_blob(user, blob);
}

static pod_status_t may_write(const job_store_t *store, int64_t size_bytes) {
  POD_TRY(job_books_may_write(store->books, store->folder, &store->limits, size_bytes));
  const int64_t free_bytes = job_folder_free_bytes(store->fd);
  if (free_bytes >= 0 && free_bytes - size_bytes < store->limits.free_bytes_min) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "the disk of %s is full: %" PRId64 " bytes are free, %" PRId64
                     " were to be written, and %" PRId64 " must remain",
                     store->folder, free_bytes, size_bytes, store->limits.free_bytes_min);
  }
  return NULL;
}

pod_status_t job_store_blob_create(job_store_t *store, job_blob_writer_t **out_writer) {
  return job_blob_create(store->blobs, out_writer);
}

pod_status_t job_store_blob_append(job_store_t *store, job_blob_writer_t *writer,
                                   const void *data, size_t size_bytes) {
  POD_TRY(may_write(store, (int64_t)size_bytes));
  POD_TRY(job_blob_append(writer, data, size_bytes));
  job_books_writing(store->books, (int64_t)size_bytes);
  return NULL;
}

pod_status_t job_store_blob_commit(job_store_t *store, job_blob_writer_t *writer,
                                   job_blob_t *out_blob) {
  job_books_writing(store->books, -job_blob_written(writer));
  job_blob_t blob;
  POD_TRY(job_blob_commit(writer, &blob));
  ino_t inode;
  POD_TRY(job_blob_inode(store->blobs, &blob, &inode));
  job_books_hold(store->books, &blob, inode);
  *out_blob = blob;
  return NULL;
}

void job_store_blob_abandon(job_store_t *store, job_blob_writer_t *writer) {
  if (writer != NULL) {
    job_books_writing(store->books, -job_blob_written(writer));
    job_blob_abandon(writer);
  }
}

void job_store_blob_release(job_store_t *store, const job_blob_t *blob) {
  release_blob(store, blob);
}

pod_status_t job_store_open_blob(job_store_t *store, const job_blob_t *blob,
                                 int *out_fd) {
  int fd;
  POD_TRY(job_blob_open(store->blobs, blob, &fd));
  const pod_status_t status = job_blob_check(fd, blob);
  if (status != NULL) {
    (void)close(fd);
    return pod_status_context(status, "%s", store->folder);
  }
  *out_fd = fd;
  return NULL;
}

typedef struct seeking_t {
  job_store_t *store;
  job_blob_t *found;  // With the inodes beside them.
  ino_t *inodes;
  size_t count;
  pod_status_t status;
} seeking_t;

static void seek_blob(void *user, const job_blob_t *blob) {
  seeking_t *seeking = user;
  ino_t inode;
  if (seeking->status == NULL) {
    seeking->status = job_blob_inode(seeking->store->blobs, blob, &inode);
    if (seeking->status == NULL) {
      seeking->found[seeking->count] = *blob;
      seeking->inodes[seeking->count++] = inode;
    }
  }
}

// Whether all blobs that the job names are there and found again after a power cut.
static pod_status_t secure_blobs(job_store_t *store, const job_t *job,
                                 seeking_t *seeking) {
  if (store->is_broken) {
    return pod_error(
        POD_UNAVAILABLE,
        "the disk of %s has failed to write: start the coordinator anew when "
        "it has been mended",
        store->folder);
  }
  const size_t count = 3 + job->input_count + job->result_count;
  *seeking = (seeking_t){.store = store,
                         .found = pod_grow(NULL, count, sizeof(*seeking->found)),
                         .inodes = pod_grow(NULL, count, sizeof(*seeking->inodes))};
  job_each_blob(job, seek_blob, seeking);
  POD_TRY(seeking->status);
  const pod_status_t status = job_blobs_sync(store->blobs);
  store->is_broken = status != NULL && pod_status_code(status) == POD_UNAVAILABLE;
  return status;
}

static void note_inodes(const seeking_t *seeking) {
  for (size_t i = 0; i < seeking->count; i++) {
    job_books_found(seeking->store->books, &seeking->found[i], seeking->inodes[i]);
  }
}

static void end_seeking(seeking_t *seeking) {
  free(seeking->found);
  free(seeking->inodes);
}

// --- Submitting ---

static void add_size(void *user, const job_blob_t *blob) {
  *(int64_t *)user += blob->size_bytes;
}

pod_status_t job_store_may_submit(job_store_t *store, const char *principal,
                                  int64_t size_bytes) {
  POD_TRY(job_books_may_submit(store->books, &store->limits, principal, size_bytes));
  return may_write(store, size_bytes);
}

pod_status_t job_store_find(job_store_t *store, const char *principal,
                            const char *submission, uint64_t *out_id) {
  return job_database_find(store->database, principal, submission, out_id);
}

// In one transaction: the id is taken, and the row written.
static pod_status_t insert(job_store_t *store, job_t *job) {
  POD_TRY(job_database_begin(store->database));
  uint64_t id = 0;
  pod_status_t status = job_database_next_id(store->database, &id);
  if (status == NULL) {
    job->id = id;
    record_t record;
    record_encode(job, &record);
    status = job_database_insert(store->database, &record);
    record_deinit(&record);
  }
  return job_database_end(store->database, status);
}

static pod_status_t accept(job_store_t *store, job_t *job) {
  POD_TRY(job_check(job));
  int64_t size_bytes = 0;
  job_each_blob(job, add_size, &size_bytes);
  POD_TRY(job_books_may_submit(store->books, &store->limits, job->principal, size_bytes));
  POD_TRY(may_write(store, 0));
  // So that what is accepted can also be ended when the disk is full.
  POD_TRY(job_store_make_reserve(store));
  seeking_t seeking = {.count = 0};
  pod_status_t status = secure_blobs(store, job, &seeking);
  if (status == NULL) {
    status = insert(store, job);
  }
  if (status == NULL) {
    job_books_count(store->books, job, 1);
    note_inodes(&seeking);
  }
  end_seeking(&seeking);
  return status;
}

static pod_status_t find_or_accept(job_store_t *store, job_t *job, bool *out_was_there) {
  *out_was_there = false;
  if (*job->submission != '\0') {
    uint64_t id;
    const pod_status_t status =
        job_store_find(store, job->principal, job->submission, &id);
    if (status == NULL) {
      job->id = id;
      *out_was_there = true;
      return NULL;
    }
    if (pod_status_code(status) != POD_NOT_FOUND) {
      return status;
    }
    pod_status_free(status);
  }
  return accept(store, job);
}

pod_status_t job_store_submit(job_store_t *store, job_t *job, bool *out_was_there) {
  job_t *record = job_copy(job);  // With texts where the caller has NULL.
  record->id = 0;
  record->state = JOB_QUEUED;
  record->attempts = record->failures = record->interruptions = 0;
  record->submitted_us = job->submitted_us != 0 ? job->submitted_us : now_us();
  const pod_status_t status = find_or_accept(store, record, out_was_there);
  if (status == NULL) {
    job->id = record->id;
    job->state = record->state;
    job->attempts = record->attempts;
    job->submitted_us = record->submitted_us;
  }
  job_each_blob(record, release_blob, store);
  job_destroy(record);
  return status;
}

// --- Changes of state ---

static pod_status_t load_job(job_store_t *store, uint64_t id, job_t **out_job) {
  record_t record;
  POD_TRY(job_database_get(store->database, id, &record));
  job_t *job = pod_alloc(sizeof(*job));
  job_store_decode(&record, job);
  record_deinit(&record);
  *out_job = job;
  return NULL;
}

pod_status_t job_store_get(job_store_t *store, uint64_t id, job_t **out_job) {
  return load_job(store, id, out_job);
}

typedef struct write_t {
  const job_t *job;  // NULL: the row goes.
  uint64_t id;
} write_t;

static pod_status_t write_once(job_store_t *store, const write_t *change) {
  POD_TRY(job_database_begin(store->database));
  pod_status_t status;
  if (change->job == NULL) {
    status = job_database_delete(store->database, change->id);
  } else {
    record_t record;
    record_encode(change->job, &record);
    status = job_database_update(store->database, &record);
    record_deinit(&record);
  }
  return job_database_end(store->database, status);
}

// On a full disk the reserve is given up for it.
static pod_status_t write_change(job_store_t *store, const write_t *change) {
  const pod_status_t status = write_once(store, change);
  if (pod_status_code(status) != POD_RESOURCE_EXHAUSTED ||
      !job_store_give_reserve(store)) {
    return status;
  }
  pod_status_free(status);
  return write_once(store, change);
}

// Takes `changed`; `old` is what stands in the books.
static pod_status_t replace(job_store_t *store, const job_t *old, job_t *changed) {
  const pod_status_t status =
      write_change(store, &(write_t){.job = changed, .id = old->id});
  if (status == NULL) {
    job_books_count(store->books, changed, 1);
    job_books_count(store->books, old, -1);
  }
  job_destroy(changed);
  return status;
}

static void set_message(job_t *job, const char *message) {
  pod_text_t text = {0};
  const size_t length = message == NULL ? 0 : strlen(message);
  size_t kept = length < JOB_MESSAGE_BYTES_MAX ? length : JOB_MESSAGE_BYTES_MAX;
  while (kept < length && kept > 0 && ((unsigned char)message[kept] & 0xc0) == 0x80) {
    kept--;  // No character is cut in two.
  }
  pod_text_add_bytes(&text, message == NULL ? "" : message, kept);
  free(job->message);
  job->message = pod_text_take(&text);
}

static pod_status_t wrong_state(const job_t *job, const char *what) {
  return pod_error(POD_FAILED_PRECONDITION, "job %" PRIu64 " is %s, and cannot be %s",
                   job->id, job_state_name(job->state), what);
}

pod_status_t job_store_start(job_store_t *store, uint64_t id, const char *given,
                             int64_t started_us) {
  job_t *old;
  POD_TRY(load_job(store, id, &old));
  pod_status_t status = old->state == JOB_QUEUED ? NULL : wrong_state(old, "started");
  if (status == NULL) {
    job_t *changed = job_copy(old);
    changed->state = JOB_RUNNING;
    changed->attempts += changed->attempts < INT32_MAX;
    changed->started_us = started_us;
    free(changed->given);
    changed->given = pod_strdup(given);
    set_message(changed, "");
    status = replace(store, old, changed);
  }
  job_destroy(old);
  return status;
}

pod_status_t job_store_requeue(job_store_t *store, uint64_t id, const char *message,
                               bool is_failure) {
  job_t *old;
  POD_TRY(load_job(store, id, &old));
  pod_status_t status =
      old->state == JOB_RUNNING ? NULL : wrong_state(old, "queued again");
  if (status == NULL) {
    job_t *changed = job_copy(old);
    changed->state = JOB_QUEUED;
    changed->failures += is_failure && changed->failures < INT32_MAX;
    set_message(changed, message);
    status = replace(store, old, changed);
  }
  job_destroy(old);
  return status;
}

static pod_status_t may_end(const job_t *job, const job_end_t *end) {
  if (!job_state_is_end(end->state)) {
    return pod_error(POD_INVALID_ARGUMENT, "a job does not end as %s",
                     job_state_name(end->state));
  }
  if (job_state_is_end(job->state) ||
      (end->state == JOB_SUCCEEDED && job->state != JOB_RUNNING)) {
    return wrong_state(job, job_state_name(end->state));
  }
  return job_arrays_check(end->results, end->result_count, "result");
}

static job_t *ended_job(const job_t *old, const job_end_t *end) {
  job_t borrowed = *old;
  borrowed.result_count = end->result_count;
  borrowed.results = (job_array_t *)end->results;
  job_t *job = job_copy(&borrowed);
  job->state = end->state;
  job->code = end->code;
  job->profile = end->profile;
  job->report = end->report;
  job->ended_us = end->ended_us;
  set_message(job, end->message);
  return job;
}

// The blobs of the end alone are new.
static pod_status_t end_job(job_store_t *store, const job_t *old, const job_end_t *end,
                            const job_t *news) {
  seeking_t seeking = {.count = 0};
  pod_status_t status = NULL;
  if (end->result_count > 0 || job_blob_is_some(&end->profile) ||
      job_blob_is_some(&end->report)) {
    status = secure_blobs(store, news, &seeking);
  }
  if (status == NULL) {
    status = replace(store, old, ended_job(old, end));
  }
  if (status == NULL) {
    note_inodes(&seeking);
  }
  end_seeking(&seeking);
  return status;
}

pod_status_t job_store_finish(job_store_t *store, uint64_t id, const job_end_t *end) {
  const job_t news = {.result_count = end->result_count,
                      .results = (job_array_t *)end->results,
                      .profile = end->profile,
                      .report = end->report};
  job_t *old = NULL;
  pod_status_t status = load_job(store, id, &old);
  if (status == NULL) {
    status = may_end(old, end);
  }
  if (status == NULL) {
    status = end_job(store, old, end, &news);
  }
  job_each_blob(&news, release_blob, store);
  job_destroy(old);
  return status;
}

pod_status_t job_store_cancel(job_store_t *store, uint64_t id, const char *message,
                              int64_t ended_us) {
  return job_store_finish(store, id,
                          &(job_end_t){.state = JOB_CANCELLED,
                                       .code = POD_CANCELLED,
                                       .message = message,
                                       .ended_us = ended_us});
}

pod_status_t job_store_remove(job_store_t *store, uint64_t id) {
  job_t *job;
  POD_TRY(load_job(store, id, &job));
  pod_status_t status =
      job_state_is_end(job->state) ? NULL : wrong_state(job, "removed: cancel it first");
  if (status == NULL) {
    status = write_change(store, &(write_t){.id = id});
  }
  if (status == NULL) {
    job_books_count(store->books, job, -1);
    job_each_blob(job, drop_one, store);
  }
  job_destroy(job);
  return status;
}

// --- All of them ---

typedef struct walk_t {
  void (*each)(void *user, job_t *job);
  void *user;
} walk_t;

static pod_status_t visit_record(void *user, const record_t *record) {
  const walk_t *walk = user;
  job_t *job = pod_alloc(sizeof(*job));
  job_store_decode(record, job);
  walk->each(walk->user, job);
  return NULL;
}

pod_status_t job_store_each(job_store_t *store, void (*each)(void *user, job_t *job),
                            void *user) {
  return job_database_each(store->database, visit_record,
                           &(walk_t){.each = each, .user = user});
}

typedef struct collecting_t {
  job_store_t *store;
  int64_t before_s;
} collecting_t;

static pod_status_t collect_blob(void *user, const job_blob_t *blob, ino_t inode) {
  (void)inode;
  const collecting_t *collecting = user;
  int64_t bytes;
  return job_books_names(collecting->store->books, blob)
             ? NULL
             : job_blob_unlink(collecting->store->blobs, blob, 0, collecting->before_s,
                               &bytes);
}

static pod_status_t collect_jobs(job_store_t *store, int64_t before_us,
                                 void (*removed)(void *user, uint64_t id), void *user) {
  for (size_t count = COLLECTED_AT_ONCE; count == COLLECTED_AT_ONCE;) {
    uint64_t ids[COLLECTED_AT_ONCE];
    POD_TRY(
        job_database_ended(store->database, before_us, COLLECTED_AT_ONCE, ids, &count));
    for (size_t i = 0; i < count; i++) {
      POD_TRY(job_store_remove(store, ids[i]));
      if (removed != NULL) {
        removed(user, ids[i]);
      }
    }
  }
  return NULL;
}

pod_status_t job_store_collect(job_store_t *store, int64_t at_us,
                               void (*removed)(void *user, uint64_t id), void *user) {
  if (store->limits.keep_s > 0) {
    POD_TRY(collect_jobs(store, at_us - store->limits.keep_s * 1000000, removed, user));
  }
  if (store->recovery.damaged_count == 0) {
    collecting_t collecting = {.store = store,
                               .before_s = at_us / 1000000 - JOB_BLOB_GRACE_S};
    POD_TRY(job_blobs_each(store->blobs, collect_blob, &collecting));
  }
  return job_database_checkpoint(store->database);
}
