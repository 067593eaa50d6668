// Records in the memory.

#include "server/jobs/job.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

bool job_state_is_end(job_state_t state) {
  return state == JOB_SUCCEEDED || state == JOB_FAILED || state == JOB_CANCELLED;
}

const char *job_state_name(job_state_t state) {
  static const char *const names[] = {"queued", "running", "succeeded", "failed",
                                      "cancelled"};
  POD_CHECK((size_t)state < POD_COUNT_OF(names));
  return names[state];
}

bool job_blob_is_some(const job_blob_t *blob) {
  static const uint8_t zeros[JOB_DIGEST_BYTES];
  return blob->size_bytes != 0 || memcmp(blob->digest, zeros, sizeof(zeros)) != 0;
}

bool job_blob_equal(const job_blob_t *a, const job_blob_t *b) {
  return a->size_bytes == b->size_bytes &&
         memcmp(a->digest, b->digest, sizeof(a->digest)) == 0;
}

void job_blob_name(const job_blob_t *blob, char out[2 * JOB_DIGEST_BYTES + 1]) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < JOB_DIGEST_BYTES; i++) {
    out[2 * i] = digits[blob->digest[i] >> 4];
    out[2 * i + 1] = digits[blob->digest[i] & 15];
  }
  out[2 * (size_t)JOB_DIGEST_BYTES] = '\0';
}

static int value_of(char digit) {
  return digit >= '0' && digit <= '9'   ? digit - '0'
         : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                        : -1;
}

bool job_blob_parse(const char *name, job_blob_t *out_blob) {
  uint8_t digest[JOB_DIGEST_BYTES];
  for (size_t i = 0; i < JOB_DIGEST_BYTES; i++) {
    const int high = value_of(name[2 * i]);
    const int low = high < 0 ? -1 : value_of(name[2 * i + 1]);
    if (low < 0) {
      return false;
    }
    digest[i] = (uint8_t)(16 * high + low);
  }
  if (name[2 * (size_t)JOB_DIGEST_BYTES] != '\0') {
    return false;
  }
  memcpy(out_blob->digest, digest, sizeof(digest));
  return true;
}

static char *copy_text(const char *text) {
  return pod_strdup(text == NULL ? "" : text);
}

void job_array_copy(const job_array_t *from, job_array_t *to) {
  *to = *from;
  to->name = copy_text(from->name);
  to->dtype = copy_text(from->dtype);
}

static job_array_t *copy_arrays(const job_array_t *from, size_t count) {
  job_array_t *to = count == 0 ? NULL : pod_grow(NULL, count, sizeof(*to));
  for (size_t i = 0; i < count; i++) {
    job_array_copy(&from[i], &to[i]);
  }
  return to;
}

void job_arrays_destroy(job_array_t *arrays, size_t count) {
  for (size_t i = 0; i < count && arrays != NULL; i++) {
    free(arrays[i].name);
    free(arrays[i].dtype);
  }
  free(arrays);
}

// Every text of the job, so that none is forgotten.
enum { TEXT_COUNT = 8 };
static void list_texts(job_t *job, char **out[TEXT_COUNT]) {
  char **const texts[TEXT_COUNT] = {&job->principal,  &job->name,    &job->file_name,
                                    &job->slice,      &job->message, &job->traceparent,
                                    &job->submission, &job->given};
  memcpy(out, texts, sizeof(texts));
}

job_t *job_create(void) {
  return job_copy(&(job_t){.id = 0});
}

job_t *job_copy(const job_t *job) {
  job_t *copy = pod_alloc(sizeof(*copy));
  *copy = *job;
  char **texts[TEXT_COUNT];
  list_texts(copy, texts);
  for (int i = 0; i < TEXT_COUNT; i++) {
    *texts[i] = copy_text(*texts[i]);
  }
  copy->inputs = copy_arrays(job->inputs, job->input_count);
  copy->results = copy_arrays(job->results, job->result_count);
  job_options_copy(&job->options, &copy->options);
  copy->after = NULL;
  if (job->after_count > 0) {
    copy->after = pod_grow(NULL, job->after_count, sizeof(*copy->after));
    memcpy(copy->after, job->after, job->after_count * sizeof(*copy->after));
  }
  return copy;
}

void job_deinit(job_t *job) {
  char **texts[TEXT_COUNT];
  list_texts(job, texts);
  for (int i = 0; i < TEXT_COUNT; i++) {
    free(*texts[i]);
  }
  job_arrays_destroy(job->inputs, job->input_count);
  job_arrays_destroy(job->results, job->result_count);
  free(job->after);
  job_options_deinit(&job->options);
  *job = (job_t){.id = 0};
}

void job_destroy(job_t *job) {
  if (job != NULL) {
    job_deinit(job);
    free(job);
  }
}
