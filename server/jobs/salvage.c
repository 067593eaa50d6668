// What can be read of a damaged database. Every id up to the highest that is known is
// looked up by itself, so that a spoilt page costs the rows on it and no others.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/jobs/database_private.h"
#include "server/jobs/folder.h"

// Ids behind the highest that was found might have been given to jobs that are lost.
enum { IDS_SKIPPED = 10000, IDS_MAX = 16 << 20 };

// The highest id that the database still tells of; as many as are tried when it does not.
static int64_t last_id(job_database_t *damaged) {
  static const char *const sources[] = {"SELECT next_id - 1 FROM ids",
                                        "SELECT max(id) FROM jobs"};
  int64_t last = 0;
  for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
    int64_t found = 0;
    const pod_status_t status = job_database_number(damaged, sources[i], 0, &found);
    last = status == NULL && found > last ? found : last;
    pod_status_free(status);
  }
  return last > 0 && last < IDS_MAX ? last : IDS_MAX / 16;
}

static bool has_column(job_database_t *damaged, const char *query) {
  int64_t ignored;
  const pod_status_t status = job_database_number(damaged, query, 0, &ignored);
  const bool has = status == NULL;
  pod_status_free(status);
  return has;
}

static pod_status_t take_over(job_database_t *damaged, job_database_t *to,
                              int64_t *out_taken, int64_t *out_lost) {
  int64_t ignored;
  POD_TRY(job_database_number(damaged, "SELECT id FROM jobs LIMIT 0", 0, &ignored));
  damaged->old_version = !has_column(damaged, "SELECT given FROM jobs LIMIT 0")     ? 1
                         : !has_column(damaged, "SELECT options FROM jobs LIMIT 0") ? 2
                                                                                    : 0;
  const int64_t last = last_id(damaged);
  int64_t highest = 0;
  for (int64_t id = 1; id <= last; id++) {
    record_t record;
    pod_status_t status = job_database_get(damaged, (uint64_t)id, &record);
    if (status == NULL) {
      // A row on a damaged page may tell another id than it stands under.
      record.cells[RECORD_id].number = id;
      status = job_database_insert(to, &record);
      record_deinit(&record);
      if (status != NULL && pod_status_code(status) != POD_DATA_LOSS) {
        return status;
      }
      *out_taken += status == NULL;
      highest = status == NULL ? id : highest;
    }
    *out_lost += status != NULL && pod_status_code(status) != POD_NOT_FOUND;
    pod_status_free(status);
  }
  if (*out_taken == 0) {
    return pod_error(POD_DATA_LOSS, "no record can be read");
  }
  pod_text_t sql = {0};
  pod_text_printf(&sql, "UPDATE ids SET next_id = %lld",
                  (long long)highest + IDS_SKIPPED);
  const pod_status_t status = job_database_run(to, sql.bytes);
  pod_text_deinit(&sql);
  return status;
}

static pod_status_t fill(job_database_t *damaged, job_database_t *to, int64_t *out_taken,
                         int64_t *out_lost) {
  POD_TRY(
      job_database_run(to, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL"));
  POD_TRY(job_database_begin(to));
  pod_status_t status = job_database_make_tables(to);
  if (status == NULL) {
    status = take_over(damaged, to, out_taken, out_lost);
  }
  return job_database_end(to, status);
}

// The new one is written under another name, in one transaction.
static pod_status_t write_new(const char *path, const char *partial, int fd,
                              int64_t *out_taken, int64_t *out_lost) {
  const char *name = strrchr(partial, '/') + 1;
  if (unlinkat(fd, name, 0) != 0 && errno != ENOENT) {
    return job_folder_error(errno, partial, 0, "remove");
  }
  const int file =
      openat(fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) {
    return job_folder_error(errno, partial, 0, "make");
  }
  (void)close(file);
  job_database_t *damaged = NULL, *to = NULL;
  pod_status_t status =
      job_database_open_file(pod_strdup(path), SQLITE_OPEN_READWRITE, &damaged);
  if (status == NULL) {
    (void)sqlite3_db_config(damaged->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    status = job_database_open_file(pod_strdup(partial), SQLITE_OPEN_READWRITE, &to);
  }
  if (status == NULL) {
    status = fill(damaged, to, out_taken, out_lost);
  }
  job_database_close(damaged);
  job_database_close(to);
  return status;
}

pod_status_t job_database_salvage(const char *folder, int fd, int64_t number,
                                  int64_t *out_taken, int64_t *out_lost) {
  char *path = job_database_path(folder, number, "");
  char *next = job_database_path(folder, number + 1, "");
  char *partial = job_database_path(folder, number + 1, ".partial");
  *out_taken = *out_lost = 0;
  pod_status_t status = write_new(path, partial, fd, out_taken, out_lost);
  if (status == NULL && rename(partial, next) != 0) {
    status = job_folder_error(errno, next, 0, "make");
  }
  if (status == NULL) {
    status = job_folder_sync(fd, folder);
  } else {
    (void)unlink(partial);
  }
  free(path);
  free(next);
  free(partial);
  return pod_status_context(status, "taking over what can be read of damaged jobs");
}
