// Statements are made once and kept; each is reset before its function returns.

#include "server/jobs/database.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/jobs/database_private.h"
#include "server/jobs/folder.h"

#define COLUMN_LIST                                                                      \
  "id, state, principal, submission, name, file_name, slice, traceparent, device_count," \
  " priority, retries, attempts, wants_profile, submitted_us, started_us, ended_us,"     \
  " code, message, after, module, profile, report, inputs, results"

#define COLUMNS_OF_2 ", given, failures, interruptions"
#define NEW_COLUMNS COLUMNS_OF_2 ", options"
#define DIGEST ", digest"

static const char *const queries[QUERY_COUNT] = {
    [QUERY_BEGIN] = "BEGIN IMMEDIATE",
    [QUERY_COMMIT] = "COMMIT",
    [QUERY_ROLLBACK] = "ROLLBACK",
    [QUERY_NEXT_ID] = "SELECT next_id FROM ids",
    [QUERY_TAKE_ID] = "UPDATE ids SET next_id = ?1 + 1 WHERE next_id <= ?1",
    [QUERY_SETTLE] = "UPDATE ids SET settled = settled + 1",
    [QUERY_INSERT] = "INSERT INTO jobs (" COLUMN_LIST NEW_COLUMNS DIGEST
                     ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"
                     " ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25,"
                     " ?26, ?27, ?28, ?29)",
    [QUERY_UPDATE] = "UPDATE jobs SET (" COLUMN_LIST NEW_COLUMNS DIGEST
                     ") = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
                     " ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26,"
                     " ?27, ?28, ?29)"
                     " WHERE id = ?1",
    [QUERY_DELETE] = "DELETE FROM jobs WHERE id = ?1",
    [QUERY_GET] = "SELECT " COLUMN_LIST NEW_COLUMNS DIGEST " FROM jobs WHERE id = ?1",
    [QUERY_FIND] =
        "SELECT id FROM jobs WHERE principal = ?1 AND submission = ?2 AND"
        " submission <> ''",
    [QUERY_EACH] = "SELECT " COLUMN_LIST NEW_COLUMNS DIGEST " FROM jobs ORDER BY id",
    [QUERY_ENDED] =
        "SELECT id FROM jobs WHERE state >= 2 AND ended_us < ?1"
        " ORDER BY id LIMIT ?2",
};

// Of a damaged database of an older version, by that.
static const char *const old_gets[DATABASE_VERSION] = {
    [1] = "SELECT " COLUMN_LIST ", '', 0, 0, ''" DIGEST " FROM jobs WHERE id = ?1",
    [2] = "SELECT " COLUMN_LIST COLUMNS_OF_2 ", ''" DIGEST " FROM jobs WHERE id = ?1",
};

#define COLUMNS_NEW_IN_2(before, after)                     \
  before "given TEXT NOT NULL DEFAULT ''" after before      \
         "failures INTEGER NOT NULL DEFAULT 0" after before \
         "interruptions INTEGER NOT NULL DEFAULT 0" after
#define COLUMNS_NEW_IN_3(before, after) before "options TEXT NOT NULL DEFAULT ''" after

// What makes the next version of an older one.
static const char *const upgrades[DATABASE_VERSION] = {
    [1] = COLUMNS_NEW_IN_2("ALTER TABLE jobs ADD COLUMN ", ";") "PRAGMA user_version = 2",
    [2] = COLUMNS_NEW_IN_3("ALTER TABLE jobs ADD COLUMN ", ";") "PRAGMA user_version = 3",
};

static const char schema[] =
    "CREATE TABLE jobs (id INTEGER PRIMARY KEY, state INTEGER NOT NULL,"
    " principal TEXT NOT NULL, submission TEXT NOT NULL, name TEXT NOT NULL,"
    " file_name TEXT NOT NULL, slice TEXT NOT NULL, traceparent TEXT NOT NULL,"
    " device_count INTEGER NOT NULL, priority INTEGER NOT NULL,"
    " retries INTEGER NOT NULL, attempts INTEGER NOT NULL,"
    " wants_profile INTEGER NOT NULL, submitted_us INTEGER NOT NULL,"
    " started_us INTEGER NOT NULL, ended_us INTEGER NOT NULL, code INTEGER NOT NULL,"
    " message TEXT NOT NULL, after TEXT NOT NULL, module TEXT NOT NULL,"
    " profile TEXT NOT NULL, report TEXT NOT NULL, inputs TEXT NOT NULL,"
    " results TEXT NOT NULL, digest BLOB NOT NULL" COLUMNS_NEW_IN_2(", ", "")
        COLUMNS_NEW_IN_3(", ", "") ");"
    "CREATE UNIQUE INDEX jobs_by_submission ON jobs (principal, submission)"
    " WHERE submission <> '';"
    "CREATE TABLE ids (next_id INTEGER NOT NULL, settled INTEGER NOT NULL);"
    "INSERT INTO ids VALUES (1, 0);";

// --- Errors ---

static pod_code_t code_of(int error) {
  switch (error & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_READONLY:  // By what its header says: the file itself is ours.
    case SQLITE_ERROR:     // A table is missing: our statements are right.
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_FORMAT:
      return POD_DATA_LOSS;
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return POD_RESOURCE_EXHAUSTED;
    case SQLITE_IOERR:
      return POD_UNAVAILABLE;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return POD_FAILED_PRECONDITION;
    default:
      return POD_INTERNAL;
  }
}

pod_status_t job_database_error(const job_database_t *database, const char *what) {
  const int error = sqlite3_extended_errcode(database->handle);
  const int system = sqlite3_system_errno(database->handle);
  const int kind = error & 0xff;
  if (kind == SQLITE_FULL ||
      ((kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN) && job_folder_is_full(system))) {
    return job_folder_error(ENOSPC, database->path, 4096, what);
  }
  if (kind == SQLITE_CANTOPEN && system == EIO) {
    return job_folder_error(EIO, database->path, 0, what);
  }
  const char *hint = kind == SQLITE_BUSY ? " (another process has it open)"
                     : error == SQLITE_CANTOPEN_SYMLINK
                         ? " (a symbolic link is in its place)"
                         : "";
  return pod_error(code_of(error), "cannot %s %s: %s%s%s%s", what, database->path,
                   sqlite3_errmsg(database->handle), system != 0 ? ": " : "",
                   system != 0 ? strerror(system) : "", hint);
}

// --- Statements ---

static pod_status_t prepare(job_database_t *database, database_query_t query,
                            sqlite3_stmt **out_statement) {
  sqlite3_stmt **statement = &database->statements[query];
  const char *text = database->old_version != 0 && query == QUERY_GET
                         ? old_gets[database->old_version]
                         : queries[query];
  if (*statement == NULL &&
      sqlite3_prepare_v3(database->handle, text, -1, SQLITE_PREPARE_PERSISTENT, statement,
                         NULL) != SQLITE_OK) {
    return job_database_error(database, "use");
  }
  *out_statement = *statement;
  return NULL;
}

// Runs a statement that gives no row, and resets it.
static pod_status_t finish(job_database_t *database, sqlite3_stmt *statement) {
  const int result = sqlite3_step(statement);
  const pod_status_t status = result == SQLITE_DONE || result == SQLITE_ROW
                                  ? NULL
                                  : job_database_error(database, "write");
  (void)sqlite3_reset(statement);
  (void)sqlite3_clear_bindings(statement);
  return status;
}

static pod_status_t run_query(job_database_t *database, database_query_t query) {
  sqlite3_stmt *statement = NULL;
  POD_TRY(prepare(database, query, &statement));
  return finish(database, statement);
}

pod_status_t job_database_run(job_database_t *database, const char *sql) {
  return sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK
             ? NULL
             : job_database_error(database, "open");
}

// Steps once; *out_has_row. The caller resets.
static pod_status_t step(job_database_t *database, sqlite3_stmt *statement,
                         bool *out_has_row) {
  const int result = sqlite3_step(statement);
  *out_has_row = result == SQLITE_ROW;
  return result == SQLITE_ROW || result == SQLITE_DONE
             ? NULL
             : job_database_error(database, "read");
}

pod_status_t job_database_number(job_database_t *database, const char *sql,
                                 int64_t otherwise, int64_t *out) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL) != SQLITE_OK) {
    return job_database_error(database, "read");
  }
  bool has_row;
  const pod_status_t status = step(database, statement, &has_row);
  if (status == NULL) {
    *out = has_row ? sqlite3_column_int64(statement, 0) : otherwise;
  }
  (void)sqlite3_finalize(statement);
  return status;
}

// --- Opening ---

char *job_database_path(const char *folder, int64_t number, const char *suffix) {
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/jobs.%" PRId64 ".sqlite%s", folder, number, suffix);
  return pod_text_take(&path);
}

pod_status_t job_database_open_file(char *path, int flags,
                                    job_database_t **out_database) {
  job_database_t *database = pod_alloc(sizeof(*database));
  *database = (job_database_t){.path = path};
  pod_status_t status = NULL;
  if (sqlite3_open_v2(
          path, &database->handle,
          flags | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX,
          NULL) != SQLITE_OK) {
    status = database->handle != NULL
                 ? job_database_error(database, "open")
                 : pod_error(POD_RESOURCE_EXHAUSTED, "no memory to open %s", path);
  }
  if (status == NULL) {
    // What a spoilt or planted file could make SQLite do is forbidden.
    (void)sqlite3_db_config(database->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(database->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(database->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(database->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    (void)sqlite3_limit(database->handle, SQLITE_LIMIT_ATTACHED, 0);
    status = job_database_run(database,
                              "PRAGMA locking_mode = EXCLUSIVE; PRAGMA mmap_size = 0;"
                              "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;");
  }
  if (status != NULL) {
    job_database_close(database);
    return status;
  }
  *out_database = database;
  return NULL;
}

// *out_old_version: 0 for one that is new, or of this version.
static pod_status_t check_marks(job_database_t *database, bool *out_is_new,
                                int64_t *out_old_version) {
  int64_t version, application, tables;
  POD_TRY(job_database_number(database, "PRAGMA user_version", 0, &version));
  *out_old_version = version >= 1 && version < DATABASE_VERSION ? version : 0;
  POD_TRY(job_database_number(database, "PRAGMA application_id", 0, &application));
  POD_TRY(
      job_database_number(database, "SELECT count(*) FROM sqlite_schema", 0, &tables));
  *out_is_new = tables == 0 && version == 0 && application == 0;
  if (!*out_is_new && application != DATABASE_APPLICATION) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "%s is not Podium's: another program made it, or its header is "
                     "damaged",
                     database->path);
  }
  if (!*out_is_new && version != DATABASE_VERSION && *out_old_version == 0) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "%s has version %lld, this Podium knows %d: another Podium made it, "
                     "and its jobs are its own; run them there, or name another folder",
                     database->path, (long long)version, DATABASE_VERSION);
  }
  return NULL;
}

static pod_status_t check_integrity(job_database_t *database) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(database->handle, "PRAGMA integrity_check(1)", -1, &statement,
                         NULL) != SQLITE_OK) {
    return job_database_error(database, "check");
  }
  bool has_row;
  pod_status_t status = step(database, statement, &has_row);
  const char *found = status == NULL && has_row
                          ? (const char *)sqlite3_column_text(statement, 0)
                          : "nothing";
  if (status == NULL && (found == NULL || strcmp(found, "ok") != 0)) {
    status = pod_error(POD_DATA_LOSS, "%s is damaged: %s", database->path,
                       found == NULL ? "no memory" : found);
  }
  (void)sqlite3_finalize(statement);
  return status;
}

// SQLite would make the file readable to others as far as the umask lets it, and says of
// a log for which there is no room only that it cannot be opened.
static pod_status_t make_file(int fd, const char *path) {
  const int file = openat(fd, strrchr(path, '/') + 1,
                          O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0) {
    return job_folder_error(errno, path, 0, "open");
  }
  (void)close(file);
  return NULL;
}

// In one transaction.
static pod_status_t make_new(job_database_t *database, int64_t version) {
  POD_TRY(job_database_begin(database));
  pod_status_t status = NULL;
  for (; version < DATABASE_VERSION && status == NULL; version++) {
    status = job_database_run(database, upgrades[version]);
  }
  return job_database_end(database, status);
}

pod_status_t job_database_open(const char *folder, int fd, int64_t number,
                               job_database_t **out_database, bool *out_is_new) {
  char *path = job_database_path(folder, number, "");
  char *log = job_database_path(folder, number, "-wal");
  pod_status_t status = make_file(fd, path);
  if (status == NULL) {
    status = make_file(fd, log);
  }
  free(log);
  if (status != NULL) {
    free(path);
    return status;
  }
  job_database_t *database;
  POD_TRY(job_database_open_file(path, SQLITE_OPEN_READWRITE, &database));
  bool is_new = false;
  int64_t old_version = 0;
  status = check_marks(database, &is_new, &old_version);
  if (status == NULL && !is_new) {
    status = check_integrity(database);
  }
  if (status == NULL) {
    // The log's room is kept, for a start on a full disk.
    int is_kept = 1;
    (void)sqlite3_file_control(database->handle, NULL, SQLITE_FCNTL_PERSIST_WAL,
                               &is_kept);
    // A write, so that what cannot be written is known now.
    status = job_database_run(database,
                              "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                              "BEGIN IMMEDIATE; COMMIT;");
  }
  if (status == NULL && old_version != 0) {
    status = make_new(database, old_version);
  }
  if (status != NULL) {
    (void)sqlite3_db_config(database->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    job_database_close(database);
    return status;
  }
  *out_database = database;
  *out_is_new = is_new;
  return NULL;
}

void job_database_close(job_database_t *database) {
  if (database == NULL) {
    return;
  }
  for (int i = 0; i < QUERY_COUNT; i++) {
    (void)sqlite3_finalize(database->statements[i]);
  }
  (void)sqlite3_close(database->handle);
  free(database->path);
  free(database);
}

pod_status_t job_database_make_tables(job_database_t *database) {
  POD_TRY(job_database_run(database, schema));
  pod_text_t marks = {0};
  pod_text_printf(&marks, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                  DATABASE_APPLICATION, DATABASE_VERSION);
  const pod_status_t status = job_database_run(database, marks.bytes);
  pod_text_deinit(&marks);
  return status;
}

pod_status_t job_database_make(job_database_t *database, int folder_fd) {
  POD_TRY(job_database_begin(database));
  POD_TRY(job_database_end(database, job_database_make_tables(database)));
  POD_TRY(job_database_run(database, "PRAGMA wal_checkpoint(FULL)"));
  return job_folder_sync(folder_fd, database->path);
}

static pod_status_t look_at_name(void *user, const char *name) {
  int64_t *newest = user;
  char *end = NULL;
  if (strncmp(name, "jobs.", 5) == 0 && name[5] >= '1' && name[5] <= '9') {
    errno = 0;
    const long long number = strtoll(name + 5, &end, 10);
    if (errno == 0 && strcmp(end, ".sqlite") == 0 && number > *newest) {
      *newest = number;
    }
  }
  return NULL;
}

pod_status_t job_database_newest(const char *folder, int fd, int64_t *out_number) {
  *out_number = 0;
  return job_folder_each(fd, folder, look_at_name, out_number);
}

// --- Transactions and rows ---

pod_status_t job_database_begin(job_database_t *database) {
  return run_query(database, QUERY_BEGIN);
}

static void roll_back(job_database_t *database) {
  if (sqlite3_get_autocommit(database->handle) == 0) {
    pod_status_free(run_query(database, QUERY_ROLLBACK));
  }
}

// A commit whose fsync failed may stand in the log all the same, and would come to life
// when it is read at the next start. The next commit is written over it; it must change a
// byte, for SQLite writes nothing else.
static void settle(job_database_t *database) {
  pod_status_t status = run_query(database, QUERY_BEGIN);
  if (status == NULL) {
    status = run_query(database, QUERY_SETTLE);
  }
  if (status == NULL) {
    status = run_query(database, QUERY_COMMIT);
  }
  database->is_unsettled = status != NULL;
  roll_back(database);
  pod_status_free(status);
}

pod_status_t job_database_end(job_database_t *database, pod_status_t status) {
  const bool is_tried = status == NULL;
  if (is_tried) {
    status = run_query(database, QUERY_COMMIT);
  }
  roll_back(database);
  if (is_tried && status == NULL) {
    database->is_unsettled = false;
  } else if (is_tried && pod_status_code(status) != POD_RESOURCE_EXHAUSTED) {
    settle(database);
  }
  return status;
}

bool job_database_is_settled(const job_database_t *database) {
  return !database->is_unsettled;
}

pod_status_t job_database_next_id(job_database_t *database, uint64_t *out_id) {
  sqlite3_stmt *statement = NULL;
  POD_TRY(prepare(database, QUERY_NEXT_ID, &statement));
  bool has_row;
  pod_status_t status = step(database, statement, &has_row);
  const int64_t id = status == NULL && has_row ? sqlite3_column_int64(statement, 0) : 0;
  (void)sqlite3_reset(statement);
  if (status == NULL && (id < 1 || id == INT64_MAX)) {
    status = pod_error(POD_DATA_LOSS, "%s is damaged: the next job would have id %lld",
                       database->path, (long long)id);
  }
  *out_id = (uint64_t)id;
  return status;
}

static pod_status_t write_record(job_database_t *database, database_query_t query,
                                 const record_t *record) {
  sqlite3_stmt *statement = NULL;
  POD_TRY(prepare(database, query, &statement));
  for (int i = 0; i < RECORD_COLUMN_COUNT; i++) {
    const record_cell_t *cell = &record->cells[i];
    if (cell->text != NULL) {
      (void)sqlite3_bind_text64(statement, i + 1, cell->text, cell->length, SQLITE_STATIC,
                                SQLITE_UTF8);
    } else {
      (void)sqlite3_bind_int64(statement, i + 1, cell->number);
    }
  }
  (void)sqlite3_bind_blob(statement, RECORD_COLUMN_COUNT + 1, record->digest,
                          sizeof(record->digest), SQLITE_STATIC);
  return finish(database, statement);
}

pod_status_t job_database_insert(job_database_t *database, const record_t *record) {
  sqlite3_stmt *statement = NULL;
  POD_TRY(prepare(database, QUERY_TAKE_ID, &statement));
  (void)sqlite3_bind_int64(statement, 1, record->cells[RECORD_id].number);
  POD_TRY(finish(database, statement));
  return write_record(database, QUERY_INSERT, record);
}

pod_status_t job_database_update(job_database_t *database, const record_t *record) {
  return write_record(database, QUERY_UPDATE, record);
}

pod_status_t job_database_delete(job_database_t *database, uint64_t id) {
  sqlite3_stmt *statement = NULL;
  POD_TRY(prepare(database, QUERY_DELETE, &statement));
  (void)sqlite3_bind_int64(statement, 1, (int64_t)id);
  return finish(database, statement);
}

static void read_row(sqlite3_stmt *statement, record_t *out) {
  record_t record = {.digest = {0}};
  for (int i = 0; i < RECORD_COLUMN_COUNT; i++) {
    record_cell_t *cell = &record.cells[i];
    if (sqlite3_column_type(statement, i) == SQLITE_TEXT) {
      const unsigned char *text = sqlite3_column_text(statement, i);
      pod_text_t copy = {0};
      pod_text_add_bytes(&copy, text, (size_t)sqlite3_column_bytes(statement, i));
      cell->length = copy.length;
      cell->text = pod_text_take(&copy);
    } else {
      cell->number = sqlite3_column_int64(statement, i);
    }
  }
  const void *digest = sqlite3_column_blob(statement, RECORD_COLUMN_COUNT);
  if (digest != NULL &&
      sqlite3_column_bytes(statement, RECORD_COLUMN_COUNT) == JOB_DIGEST_BYTES) {
    memcpy(record.digest, digest, JOB_DIGEST_BYTES);
  }
  *out = record;
}

pod_status_t job_database_get(job_database_t *database, uint64_t id, record_t *out) {
  sqlite3_stmt *statement = NULL;
  POD_TRY(prepare(database, QUERY_GET, &statement));
  (void)sqlite3_bind_int64(statement, 1, (int64_t)id);
  bool has_row;
  pod_status_t status = step(database, statement, &has_row);
  if (status == NULL && has_row) {
    read_row(statement, out);
  } else if (status == NULL) {
    status = pod_error(POD_NOT_FOUND, "no job %" PRIu64, id);
  }
  (void)sqlite3_reset(statement);
  return status;
}

pod_status_t job_database_find(job_database_t *database, const char *principal,
                               const char *submission, uint64_t *out_id) {
  sqlite3_stmt *statement = NULL;
  POD_TRY(prepare(database, QUERY_FIND, &statement));
  (void)sqlite3_bind_text(statement, 1, principal, -1, SQLITE_STATIC);
  (void)sqlite3_bind_text(statement, 2, submission, -1, SQLITE_STATIC);
  bool has_row;
  pod_status_t status = step(database, statement, &has_row);
  if (status == NULL && has_row) {
    *out_id = (uint64_t)sqlite3_column_int64(statement, 0);
  } else if (status == NULL) {
    status = pod_error(POD_NOT_FOUND, "no job was submitted as '%s'", submission);
  }
  (void)sqlite3_reset(statement);
  (void)sqlite3_clear_bindings(statement);
  return status;
}

pod_status_t job_database_each(job_database_t *database,
                               pod_status_t (*each)(void *user, const record_t *record),
                               void *user) {
  sqlite3_stmt *statement = NULL;
  POD_TRY(prepare(database, QUERY_EACH, &statement));
  pod_status_t status = NULL;
  bool has_row = true;
  while (status == NULL && has_row) {
    status = step(database, statement, &has_row);
    if (status == NULL && has_row) {
      record_t record;
      read_row(statement, &record);
      status = each(user, &record);
      record_deinit(&record);
    }
  }
  (void)sqlite3_reset(statement);
  return status;
}

pod_status_t job_database_ended(job_database_t *database, int64_t before_us, size_t room,
                                uint64_t *out_ids, size_t *out_count) {
  sqlite3_stmt *statement = NULL;
  POD_TRY(prepare(database, QUERY_ENDED, &statement));
  (void)sqlite3_bind_int64(statement, 1, before_us);
  (void)sqlite3_bind_int64(statement, 2, (int64_t)room);
  pod_status_t status = NULL;
  bool has_row = true;
  size_t count = 0;
  while (status == NULL && has_row && count < room) {
    status = step(database, statement, &has_row);
    if (status == NULL && has_row) {
      out_ids[count++] = (uint64_t)sqlite3_column_int64(statement, 0);
    }
  }
  (void)sqlite3_reset(statement);
  *out_count = count;
  return status;
}

pod_status_t job_database_checkpoint(job_database_t *database) {
  return job_database_run(database, "PRAGMA wal_checkpoint(PASSIVE)");
}
