// What database.c and salvage.c share.

#ifndef SERVER_JOBS_DATABASE_PRIVATE_H_
#define SERVER_JOBS_DATABASE_PRIVATE_H_

#include <sqlite3.h>

#include "server/jobs/database.h"

// Version 1 had no given, failures, interruptions, version 2 no options; they are made
// the present one when they are opened.
enum { DATABASE_VERSION = 3, DATABASE_APPLICATION = 0x506f644a };  // "PodJ"

typedef enum database_query_t {
  QUERY_BEGIN,
  QUERY_COMMIT,
  QUERY_ROLLBACK,
  QUERY_NEXT_ID,
  QUERY_TAKE_ID,
  QUERY_SETTLE,
  QUERY_INSERT,
  QUERY_UPDATE,
  QUERY_DELETE,
  QUERY_GET,
  QUERY_FIND,
  QUERY_EACH,
  QUERY_ENDED,
  QUERY_COUNT
} database_query_t;

struct job_database_t {
  sqlite3 *handle;
  char *path;
  sqlite3_stmt *statements[QUERY_COUNT];  // Made when first used.
  bool is_unsettled;
  int old_version;  // Of a damaged one, which is only read; 0: the present one.
};

// FOLDER/jobs.NUMBER.sqlite. Returns owned.
char *job_database_path(const char *folder, int64_t number, const char *suffix);

// Opens a file with the settings of ours, without looking at what is in it.
POD_MUST_USE pod_status_t job_database_open_file(char *path, int flags,
                                                 job_database_t **out_database);

POD_MUST_USE pod_status_t job_database_run(job_database_t *database, const char *sql);

// The one number that the query gives; `otherwise` without a row.
POD_MUST_USE pod_status_t job_database_number(job_database_t *database, const char *sql,
                                              int64_t otherwise, int64_t *out);

// In a transaction: the tables and the marks of ours.
POD_MUST_USE pod_status_t job_database_make_tables(job_database_t *database);

// What SQLite's last error on this database is in our words.
POD_MUST_USE pod_status_t job_database_error(const job_database_t *database,
                                             const char *what);

#endif  // SERVER_JOBS_DATABASE_PRIVATE_H_
