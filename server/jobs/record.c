// Rows. An array is a line, "bf16 2 8 2048 DIGEST SIZE 4:name": the length stands before
// the name, which may have any character.

#include "server/jobs/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/digest/digest.h"

enum { DTYPE_BYTES_MAX = 32 };

bool record_is_text(record_column_t column) {
  enum { INTEGER, TEXT };
  static const bool is_text[] = {
#define RECORD_TYPE(column, type) (type) == TEXT,
      RECORD_COLUMNS(RECORD_TYPE)
#undef RECORD_TYPE
  };
  return is_text[column];
}

// --- Bounds ---

static pod_status_t check_text(const char *text, const char *what, size_t most) {
  const size_t length = text == NULL ? 0 : strlen(text);
  return length <= most
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT, "%s of a job has %zu bytes, at most %zu",
                         what, length, most);
}

static bool is_dtype(const char *dtype) {
  const size_t length = dtype == NULL ? 0 : strlen(dtype);
  return length >= 1 && length <= DTYPE_BYTES_MAX &&
         strspn(dtype,
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_<>") ==
             length;
}

pod_status_t job_arrays_check(const job_array_t *arrays, size_t count, const char *what) {
  if (count > JOB_ARRAYS_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "a job of %zu %ss, at most %d", count, what,
                     JOB_ARRAYS_MAX);
  }
  for (size_t i = 0; i < count; i++) {
    const job_array_t *array = &arrays[i];
    POD_TRY(check_text(array->name, "the name of an array", JOB_TEXT_BYTES_MAX));
    bool is_good = is_dtype(array->dtype) && array->rank >= 0 &&
                   array->rank <= JOB_RANK_MAX && array->data.size_bytes >= 0;
    for (int d = 0; is_good && d < array->rank; d++) {
      is_good = array->dims[d] >= 0;
    }
    if (!is_good || !job_blob_is_some(&array->data)) {
      return pod_error(POD_INVALID_ARGUMENT, "%s %zu of a job is no array", what, i);
    }
  }
  return NULL;
}

pod_status_t job_check(const job_t *job) {
  POD_TRY(check_text(job->principal, "the principal", JOB_TEXT_BYTES_MAX));
  POD_TRY(check_text(job->name, "the name", JOB_TEXT_BYTES_MAX));
  POD_TRY(check_text(job->file_name, "the file's name", JOB_TEXT_BYTES_MAX));
  POD_TRY(check_text(job->submission, "the submission's key", JOB_TEXT_BYTES_MAX));
  POD_TRY(check_text(job->slice, "the slice", JOB_TEXT_BYTES_MAX));
  POD_TRY(check_text(job->traceparent, "the traceparent", JOB_TEXT_BYTES_MAX));
  POD_TRY(check_text(job->given, "the slice that it has", JOB_TEXT_BYTES_MAX));
  POD_TRY(check_text(job->message, "the message", JOB_MESSAGE_BYTES_MAX));
  POD_TRY(job_arrays_check(job->inputs, job->input_count, "input"));
  POD_TRY(job_arrays_check(job->results, job->result_count, "result"));
  if (job->after_count > JOB_AFTER_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "a job after %zu others, at most %d",
                     job->after_count, JOB_AFTER_MAX);
  }
  for (size_t i = 0; i < job->after_count; i++) {
    if (job->after[i] < 1 || job->after[i] > INT64_MAX) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "after job %" PRIu64 ", which is no job's id", job->after[i]);
    }
  }
  if (job->retries < 0 || job->retries > JOB_RETRIES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "%d retries, 0 to %d can be had",
                     (int)job->retries, JOB_RETRIES_MAX);
  }
  POD_TRY(job_options_check(&job->options));
  if (!job_blob_is_some(&job->module) || job->module.size_bytes < 0) {
    return pod_error(POD_INVALID_ARGUMENT, "a job without a module");
  }
  return NULL;
}

// --- To cells ---

static void add_blob(pod_text_t *text, const job_blob_t *blob) {
  if (job_blob_is_some(blob)) {
    char name[2 * JOB_DIGEST_BYTES + 1];
    job_blob_name(blob, name);
    pod_text_printf(text, "%s %" PRId64, name, blob->size_bytes);
  }
}

static void add_arrays(pod_text_t *text, const job_array_t *arrays, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const job_array_t *array = &arrays[i];
    const char *name = array->name == NULL ? "" : array->name;
    pod_text_printf(text, "%s %d ", array->dtype, array->rank);
    for (int d = 0; d < array->rank; d++) {
      pod_text_printf(text, "%" PRId64 " ", array->dims[d]);
    }
    add_blob(text, &array->data);
    pod_text_printf(text, " %zu:%s\n", strlen(name), name);
  }
}

static void set_text(record_t *record, record_column_t column, const char *text) {
  record_cell_t *cell = &record->cells[column];
  cell->text = pod_strdup(text == NULL ? "" : text);
  cell->length = strlen(cell->text);
}

static void take_text(record_t *record, record_column_t column, pod_text_t *text) {
  record_cell_t *cell = &record->cells[column];
  cell->length = text->length;
  cell->text = pod_text_take(text);
}

static void set_blob(record_t *record, record_column_t column, const job_blob_t *blob) {
  pod_text_t text = {0};
  add_blob(&text, blob);
  take_text(record, column, &text);
}

static void set_arrays(record_t *record, record_column_t column,
                       const job_array_t *arrays, size_t count) {
  pod_text_t text = {0};
  add_arrays(&text, arrays, count);
  take_text(record, column, &text);
}

static bool is_empty_behind(const record_t *record, record_column_t last) {
  for (int i = (int)last + 1; i < RECORD_COLUMN_COUNT; i++) {
    if (record->cells[i].number != 0 || record->cells[i].length > 0) {
      return false;
    }
  }
  return true;
}

// As many as the first version had that could hold what the row has.
static int digested_columns(const record_t *record) {
  return is_empty_behind(record, RECORD_LAST_OF_1)   ? RECORD_LAST_OF_1 + 1
         : is_empty_behind(record, RECORD_LAST_OF_2) ? RECORD_LAST_OF_2 + 1
                                                     : (int)RECORD_COLUMN_COUNT;
}

static void digest_record(const record_t *record, uint8_t out[JOB_DIGEST_BYTES]) {
  digest_t *digest = digest_create();
  const int count = digested_columns(record);
  for (int i = 0; i < count; i++) {
    const record_cell_t *cell = &record->cells[i];
    const bool is_text = cell->text != NULL;
    const uint64_t number = is_text ? (uint64_t)cell->length : (uint64_t)cell->number;
    uint8_t head[9] = {is_text ? 't' : 'n'};
    for (int b = 0; b < 8; b++) {
      head[1 + b] = (uint8_t)(number >> 8 * b);
    }
    digest_add(digest, head, sizeof(head));
    digest_add(digest, cell->text, is_text ? cell->length : 0);
  }
  digest_finish(digest, out);
  digest_destroy(digest);
}

// The columns that are numbers in the job too, with their types there.
#define NUMBERS(X)          \
  X(id, uint64_t)           \
  X(state, job_state_t)     \
  X(device_count, int32_t)  \
  X(priority, int32_t)      \
  X(retries, int32_t)       \
  X(attempts, int32_t)      \
  X(failures, int32_t)      \
  X(interruptions, int32_t) \
  X(wants_profile, bool)    \
  X(submitted_us, int64_t)  \
  X(started_us, int64_t)    \
  X(ended_us, int64_t)      \
  X(code, int32_t)

#define TEXTS(X) \
  X(principal)   \
  X(submission)  \
  X(name)        \
  X(file_name)   \
  X(slice)       \
  X(traceparent) \
  X(message)     \
  X(given)

void record_encode(const job_t *job, record_t *out) {
  record_t record = {.digest = {0}};
#define SET_NUMBER(field, type) record.cells[RECORD_##field].number = (int64_t)job->field;
  NUMBERS(SET_NUMBER)
#undef SET_NUMBER
#define SET_TEXT(field) set_text(&record, RECORD_##field, job->field);
  TEXTS(SET_TEXT)
#undef SET_TEXT
  pod_text_t after = {0};
  for (size_t i = 0; i < job->after_count; i++) {
    pod_text_printf(&after, "%" PRIu64 " ", job->after[i]);
  }
  take_text(&record, RECORD_after, &after);
  set_blob(&record, RECORD_module, &job->module);
  set_blob(&record, RECORD_profile, &job->profile);
  set_blob(&record, RECORD_report, &job->report);
  set_arrays(&record, RECORD_inputs, job->inputs, job->input_count);
  set_arrays(&record, RECORD_results, job->results, job->result_count);
  pod_text_t options = {0};
  job_options_print(&job->options, &options);
  take_text(&record, RECORD_options, &options);
  digest_record(&record, record.digest);
  *out = record;
}

void record_deinit(record_t *record) {
  for (int i = 0; i < RECORD_COLUMN_COUNT; i++) {
    free(record->cells[i].text);
    record->cells[i].text = NULL;
  }
}

// --- And back ---

// What is left of a cell.
typedef struct reader_t {
  const char *at, *end;
  bool is_bad;
} reader_t;

static reader_t read_cell(const record_t *record, record_column_t column) {
  const record_cell_t *cell = &record->cells[column];
  return (reader_t){.at = cell->text, .end = cell->text + cell->length};
}

static bool is_done(const reader_t *reader) {
  return reader->is_bad || reader->at == reader->end;
}

// The bytes up to `separator`, which is skipped.
static size_t read_word(reader_t *reader, char separator, size_t most,
                        const char **out_word) {
  const size_t rest = (size_t)(reader->end - reader->at);
  const char *stop = reader->is_bad ? NULL : memchr(reader->at, separator, rest);
  if (stop == NULL || (size_t)(stop - reader->at) > most) {
    reader->is_bad = true;
    *out_word = "";
    return 0;
  }
  *out_word = reader->at;
  reader->at = stop + 1;
  return (size_t)(stop - *out_word);
}

static int64_t read_number(reader_t *reader, char separator, int64_t most) {
  const char *word;
  const size_t length = read_word(reader, separator, 19, &word);
  int64_t number = 0;
  reader->is_bad = reader->is_bad || length == 0;
  for (size_t i = 0; i < length; i++) {
    const bool is_digit = word[i] >= '0' && word[i] <= '9';
    if (!is_digit || __builtin_mul_overflow(number, 10, &number) ||
        __builtin_add_overflow(number, word[i] - '0', &number)) {
      reader->is_bad = true;
      return 0;
    }
  }
  reader->is_bad = reader->is_bad || number > most;
  return reader->is_bad ? 0 : number;
}

static char *copy_word(const char *word, size_t length) {
  pod_text_t text = {0};
  pod_text_add_bytes(&text, word, length);
  return pod_text_take(&text);
}

static void read_blob(reader_t *reader, char separator, job_blob_t *out) {
  const char *word;
  const size_t digits = 2 * (size_t)JOB_DIGEST_BYTES;
  const size_t length = read_word(reader, ' ', digits, &word);
  char *name = copy_word(word, length);
  job_blob_t blob = {.size_bytes = 0};
  reader->is_bad = reader->is_bad || length != digits || !job_blob_parse(name, &blob);
  free(name);
  blob.size_bytes = read_number(reader, separator, INT64_MAX);
  *out = blob;
}

static void read_array(reader_t *reader, job_array_t *out) {
  const char *word;
  const size_t length = read_word(reader, ' ', DTYPE_BYTES_MAX, &word);
  *out = (job_array_t){.dtype = copy_word(word, length)};
  out->rank = (int)read_number(reader, ' ', JOB_RANK_MAX);
  for (int d = 0; d < out->rank; d++) {
    out->dims[d] = read_number(reader, ' ', INT64_MAX);
  }
  read_blob(reader, ' ', &out->data);
  const size_t name_length = (size_t)read_number(reader, ':', JOB_TEXT_BYTES_MAX);
  if (!reader->is_bad && (size_t)(reader->end - reader->at) > name_length &&
      reader->at[name_length] == '\n') {
    out->name = copy_word(reader->at, name_length);
    reader->at += name_length + 1;
    return;
  }
  reader->is_bad = true;
  out->name = pod_strdup("");
}

static bool read_arrays(const record_t *record, record_column_t column,
                        job_array_t **out_arrays, size_t *out_count) {
  reader_t reader = read_cell(record, column);
  while (!is_done(&reader) && *out_count < JOB_ARRAYS_MAX) {
    if ((*out_count & (*out_count - 1)) == 0) {  // Room doubles.
      const size_t room = *out_count == 0 ? 1 : 2 * *out_count;
      *out_arrays = pod_grow(*out_arrays, room, sizeof(**out_arrays));
    }
    read_array(&reader, &(*out_arrays)[(*out_count)++]);
  }
  return !reader.is_bad && is_done(&reader);
}

static bool read_after(const record_t *record, job_t *job) {
  reader_t reader = read_cell(record, RECORD_after);
  job->after = is_done(&reader) ? NULL : pod_grow(NULL, JOB_AFTER_MAX, sizeof(uint64_t));
  while (!is_done(&reader) && job->after_count < JOB_AFTER_MAX) {
    job->after[job->after_count++] = (uint64_t)read_number(&reader, ' ', INT64_MAX);
  }
  return !reader.is_bad && is_done(&reader);
}

static bool read_only_blob(const record_t *record, record_column_t column,
                           job_blob_t *out) {
  // The separator behind the size is the cell's NUL.
  reader_t reader = read_cell(record, column);
  *out = (job_blob_t){.size_bytes = 0};
  if (is_done(&reader)) {
    return true;
  }
  reader.end++;
  read_blob(&reader, '\0', out);
  return !reader.is_bad && is_done(&reader);
}

static bool read_options(const record_t *record, job_t *job) {
  const pod_status_t status =
      job_options_read(record->cells[RECORD_options].text, &job->options);
  const bool is_read = status == NULL;
  pod_status_free(status);
  return is_read;
}

static bool has_all_cells(const record_t *record) {
  for (int i = 0; i < RECORD_COLUMN_COUNT; i++) {
    const record_cell_t *cell = &record->cells[i];
    if ((cell->text != NULL) != record_is_text((record_column_t)i) ||
        (cell->text != NULL && strlen(cell->text) != cell->length)) {
      return false;
    }
  }
  return true;
}

static bool decode(const record_t *record, job_t *job) {
  const int64_t state = record->cells[RECORD_state].number;
  if (state < 0 || state >= JOB_STATE_COUNT || record->cells[RECORD_id].number < 1) {
    return false;
  }
#define GET_NUMBER(field, type) job->field = (type)record->cells[RECORD_##field].number;
  NUMBERS(GET_NUMBER)
#undef GET_NUMBER
#define GET_TEXT(field) job->field = pod_strdup(record->cells[RECORD_##field].text);
  TEXTS(GET_TEXT)
#undef GET_TEXT
  return read_options(record, job) && read_after(record, job) &&
         read_only_blob(record, RECORD_module, &job->module) &&
         read_only_blob(record, RECORD_profile, &job->profile) &&
         read_only_blob(record, RECORD_report, &job->report) &&
         read_arrays(record, RECORD_inputs, &job->inputs, &job->input_count) &&
         read_arrays(record, RECORD_results, &job->results, &job->result_count);
}

pod_status_t record_decode(const record_t *record, job_t *out_job) {
  if (!has_all_cells(record)) {
    return pod_error(POD_DATA_LOSS, "the record has the wrong columns");
  }
  uint8_t digest[JOB_DIGEST_BYTES];
  digest_record(record, digest);
  if (memcmp(digest, record->digest, sizeof(digest)) != 0) {
    return pod_error(POD_DATA_LOSS, "the record is not what was written");
  }
  job_t job = {.id = 0};
  if (!decode(record, &job)) {
    job_deinit(&job);
    return pod_error(POD_DATA_LOSS, "the record makes no sense");
  }
  *out_job = job;
  return NULL;
}

void record_decode_damaged(const record_t *record, const char *why, job_t *out_job) {
  const job_t empty = {.id = (uint64_t)record->cells[RECORD_id].number,
                       .state = JOB_FAILED,
                       .code = POD_DATA_LOSS};
  job_t *job = job_copy(&empty);
  const record_cell_t *principal = &record->cells[RECORD_principal];
  if (principal->text != NULL && principal->length <= JOB_TEXT_BYTES_MAX) {
    free(job->principal);
    job->principal = pod_strdup(principal->text);
  }
  pod_text_t message = {0};
  pod_text_printf(&message, "what was stored of this job is damaged: %s", why);
  free(job->message);
  job->message = pod_text_take(&message);
  *out_job = *job;
  free(job);
}
