// Blobs by digest, principals by name.

#include "server/jobs/books.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/memory.h"

typedef struct entry_t {
  int64_t size_bytes;
  int64_t named;  // How often jobs do.
  int64_t held;   // Commits that no job names yet.
  ino_t inode;    // Of the file that was committed; 0: not looked at.
} entry_t;

typedef struct account_t {
  int64_t jobs, unfinished, bytes;
} account_t;

struct job_books_t {
  pod_map_t *entries, *accounts;
  int64_t jobs, unfinished, blob_bytes, writing_bytes;
};

job_books_t *job_books_create(void) {
  job_books_t *books = pod_alloc(sizeof(*books));
  *books = (job_books_t){.entries = pod_map_create(), .accounts = pod_map_create()};
  return books;
}

static void destroy_map(pod_map_t *map) {
  size_t position = 0;
  const char *key;
  for (void *value; pod_map_next(map, &position, &key, &value);) {
    free(value);
  }
  pod_map_destroy(map);
}

void job_books_destroy(job_books_t *books) {
  if (books != NULL) {
    destroy_map(books->entries);
    destroy_map(books->accounts);
    free(books);
  }
}

static void each_array(const job_array_t *arrays, size_t count,
                       void (*each)(void *user, const job_blob_t *blob), void *user) {
  for (size_t i = 0; i < count; i++) {
    each(user, &arrays[i].data);
  }
}

void job_each_blob(const job_t *job, void (*each)(void *user, const job_blob_t *blob),
                   void *user) {
  const job_blob_t *const own[] = {&job->module, &job->profile, &job->report};
  for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
    if (job_blob_is_some(own[i])) {
      each(user, own[i]);
    }
  }
  each_array(job->inputs, job->input_count, each, user);
  each_array(job->results, job->result_count, each, user);
}

static entry_t *find_entry(const job_books_t *books, const job_blob_t *blob) {
  return pod_map_get_n(books->entries, (const char *)blob->digest, sizeof(blob->digest));
}

static entry_t *make_entry(job_books_t *books, const job_blob_t *blob) {
  entry_t *entry = find_entry(books, blob);
  if (entry == NULL) {
    entry = pod_alloc(sizeof(*entry));
    entry->size_bytes = blob->size_bytes;
    pod_map_put_n(books->entries, (const char *)blob->digest, sizeof(blob->digest),
                  entry);
    books->blob_bytes += blob->size_bytes;
  }
  return entry;
}

typedef struct counting_t {
  job_books_t *books;
  int sign;
  int64_t bytes;
} counting_t;

static void count_blob(void *user, const job_blob_t *blob) {
  counting_t *counting = user;
  make_entry(counting->books, blob)->named += counting->sign;
  counting->bytes += blob->size_bytes;
}

static account_t *make_account(job_books_t *books, const char *principal) {
  account_t *account = pod_map_get(books->accounts, principal);
  if (account == NULL) {
    account = pod_alloc(sizeof(*account));
    pod_map_put(books->accounts, principal, account);
  }
  return account;
}

void job_books_count(job_books_t *books, const job_t *job, int sign) {
  counting_t counting = {.books = books, .sign = sign};
  job_each_blob(job, count_blob, &counting);
  account_t *account = make_account(books, job->principal);
  const int64_t unfinished = job_state_is_end(job->state) ? 0 : sign;
  account->jobs += sign;
  account->bytes += sign * counting.bytes;
  account->unfinished += unfinished;
  books->jobs += sign;
  books->unfinished += unfinished;
  if (account->jobs == 0) {
    free(pod_map_remove(books->accounts, job->principal));
  }
}

bool job_books_names(const job_books_t *books, const job_blob_t *blob) {
  return find_entry(books, blob) != NULL;
}

void job_books_hold(job_books_t *books, const job_blob_t *blob, ino_t inode) {
  entry_t *entry = make_entry(books, blob);
  entry->held++;
  entry->inode = inode;
}

void job_books_release(job_books_t *books, const job_blob_t *blob) {
  entry_t *entry = find_entry(books, blob);
  if (entry != NULL && entry->held > 0) {
    entry->held--;
  }
}

void job_books_found(job_books_t *books, const job_blob_t *blob, ino_t inode) {
  entry_t *entry = find_entry(books, blob);
  if (entry != NULL) {
    entry->inode = inode;
  }
}

bool job_books_drop(job_books_t *books, const job_blob_t *blob, ino_t *out_inode) {
  entry_t *entry = find_entry(books, blob);
  if (entry == NULL || entry->named > 0 || entry->held > 0) {
    return false;
  }
  *out_inode = entry->inode;
  books->blob_bytes -= entry->size_bytes;
  free(
      pod_map_remove_n(books->entries, (const char *)blob->digest, sizeof(blob->digest)));
  return true;
}

void job_books_writing(job_books_t *books, int64_t size_bytes) {
  books->writing_bytes += size_bytes;
}

static pod_status_t beyond(const char *whose, const char *what, int64_t has, int64_t more,
                           int64_t most) {
  return pod_error(POD_RESOURCE_EXHAUSTED,
                   "%s has %" PRId64 " %s of jobs and would have %" PRId64
                   " more, of at most %" PRId64
                   ": wait for jobs to end, or remove some that have",
                   whose, has, what, more, most);
}

pod_status_t job_books_may_write(const job_books_t *books, const char *folder,
                                 const job_store_limits_t *limits, int64_t size_bytes) {
  const int64_t has = books->blob_bytes + books->writing_bytes;
  return limits->bytes_max > 0 && size_bytes > limits->bytes_max - has
             ? beyond(folder, "bytes", has, size_bytes, limits->bytes_max)
             : NULL;
}

pod_status_t job_books_may_submit(const job_books_t *books,
                                  const job_store_limits_t *limits, const char *principal,
                                  int64_t size_bytes) {
  static const account_t none;
  const account_t *found = pod_map_get(books->accounts, principal);
  const account_t *account = found == NULL ? &none : found;
  if (limits->principal_jobs_max > 0 &&
      account->unfinished >= limits->principal_jobs_max) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "%" PRId64 " jobs of %s wait or run, of at most %" PRId64
                     ": wait for one to end, or cancel one",
                     account->unfinished, *principal == '\0' ? "this client" : principal,
                     limits->principal_jobs_max);
  }
  if (limits->principal_bytes_max > 0 &&
      size_bytes > limits->principal_bytes_max - account->bytes) {
    return beyond(*principal == '\0' ? "this client" : principal, "bytes", account->bytes,
                  size_bytes, limits->principal_bytes_max);
  }
  if (limits->jobs_max > 0 && books->jobs >= limits->jobs_max) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "%" PRId64 " jobs are kept, of at most %" PRId64
                     ": remove some that have ended",
                     books->jobs, limits->jobs_max);
  }
  return NULL;
}

job_store_usage_t job_books_usage(const job_books_t *books) {
  return (job_store_usage_t){.job_count = books->jobs,
                             .unfinished_count = books->unfinished,
                             .blob_count = (int64_t)pod_map_count(books->entries),
                             .blob_bytes = books->blob_bytes};
}
