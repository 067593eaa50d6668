// Small jobs.

#include "tests/unit/server/jobs/world.h"

#include <dirent.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/base/text.h"

void world_path(char out[WORLD_PATH_MAX]) {
  static int count;
  struct stat info;
  const char *base = stat("/dev/shm", &info) == 0 ? "/dev/shm" : "/tmp";
  (void)snprintf(out, WORLD_PATH_MAX, "%s/podium-jobs-%ld-%d", base, (long)getpid(),
                 count++);
  world_remove(out);
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *at) {
  (void)info;
  (void)type;
  (void)at;
  return remove(path);
}

void world_remove(const char *path) {
  (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void world_copy(const char *from, const char *to) {
  world_remove(to);
  char command[3 * WORLD_PATH_MAX];
  (void)snprintf(command, sizeof(command), "cp -a '%s' '%s'", from, to);
  if (system(command) != 0) {
    (void)fprintf(stderr, "%s failed\n", command);
    abort();
  }
}

void world_must(pod_status_t status) {
  if (status != NULL) {
    (void)fprintf(stderr, "%s: %s\n", pod_code_name(pod_status_code(status)),
                  pod_status_message(status));
    abort();
  }
}

job_store_t *world_open(const char *path) {
  job_store_t *store;
  world_must(job_store_open(path, &(job_store_limits_t){.keep_s = 0}, &store));
  return store;
}

void world_bytes(uint64_t seed, size_t size_bytes, char *out) {
  pod_random_t random = {seed};
  for (size_t i = 0; i < size_bytes; i++) {
    out[i] = (char)pod_random_next(&random);
  }
}

pod_status_t world_blob(job_store_t *store, uint64_t seed, size_t size_bytes,
                        job_blob_t *out_blob) {
  job_blob_writer_t *writer;
  POD_TRY(job_store_blob_create(store, &writer));
  char *bytes = malloc(size_bytes + 1);
  world_bytes(seed, size_bytes, bytes);
  const size_t half = size_bytes / 2;
  pod_status_t status = job_store_blob_append(store, writer, bytes, half);
  if (status == NULL) {
    status = job_store_blob_append(store, writer, bytes + half, size_bytes - half);
  }
  free(bytes);
  if (status != NULL) {
    job_store_blob_abandon(store, writer);
    return status;
  }
  return job_store_blob_commit(store, writer, out_blob);
}

static pod_status_t make_array(job_store_t *store, uint64_t seed, const char *name,
                               job_array_t *out) {
  *out = (job_array_t){.rank = 1, .dims = {(int64_t)(seed % 5) * 100}};
  POD_TRY(world_blob(store, seed, (size_t)out->dims[0] * 2, &out->data));
  out->name = pod_strdup(name);
  out->dtype = pod_strdup("bf16");
  return NULL;
}

pod_status_t world_job(job_store_t *store, uint64_t seed, size_t input_count,
                       const char *principal, const char *submission, job_t **out_job) {
  job_t *job = job_create();
  free(job->principal);
  free(job->submission);
  job->principal = pod_strdup(principal);
  job->submission = pod_strdup(submission);
  job->priority = (int32_t)(seed % 7) - 3;
  job->retries = 2;
  if (seed % 3 != 1) {  // Others are compiled as they are.
    free(job->options.mesh);
    job->options.mesh = pod_strdup("x=2,y=2");
    job->options.in_shardings = pod_grow(NULL, 1, sizeof(job_sharding_t));
    job->options.in_shardings[0] =
        (job_sharding_t){pod_strdup("0"), pod_strdup("P('x')")};
    job->options.in_count = 1;
  }
  job->after_count = seed % 3;
  job->after = pod_grow(NULL, 3, sizeof(*job->after));
  for (size_t i = 0; i < job->after_count; i++) {
    job->after[i] = i + 1;
  }
  pod_status_t status = world_blob(store, seed, 100 + seed % 50, &job->module);
  job->inputs = pod_grow(NULL, input_count + 1, sizeof(*job->inputs));
  for (size_t i = 0; i < input_count && status == NULL; i++) {
    status = make_array(store, seed + 1000 * (i + 1), "In: a b\n", &job->inputs[i]);
    job->input_count += status == NULL;
  }
  if (status != NULL) {
    job_destroy(job);
    return status;
  }
  *out_job = job;
  return NULL;
}

pod_status_t world_submit(job_store_t *store, uint64_t seed, const char *submission,
                          uint64_t *out_id) {
  job_t *job;
  POD_TRY(world_job(store, seed, 1 + seed % 2, "alice", submission, &job));
  bool was_there;
  const pod_status_t status = job_store_submit(store, job, &was_there);
  *out_id = job->id;
  job_destroy(job);
  return status;
}

pod_status_t world_finish(job_store_t *store, uint64_t id, uint64_t seed) {
  job_array_t results[2] = {{.rank = 0}, {.rank = 0}};
  job_end_t end = {.state = JOB_SUCCEEDED,
                   .message = "",
                   .result_count = 2,
                   .results = results,
                   .ended_us = 77};
  pod_status_t status = world_blob(store, seed + 5, 300, &end.report);
  for (size_t i = 0; i < 2 && status == NULL; i++) {
    status = make_array(store, seed + 5000 + i, "result", &results[i]);
  }
  if (status == NULL) {
    status = job_store_finish(store, id, &end);
  }
  for (size_t i = 0; i < 2; i++) {
    free(results[i].name);
    free(results[i].dtype);
  }
  return status;
}

static void check_blob(void *user, const job_blob_t *blob) {
  int fd;
  world_must(job_store_open_blob(user, blob, &fd));
  (void)close(fd);
}

static void check_arrays(job_store_t *store, const job_array_t *arrays, size_t count) {
  for (size_t i = 0; i < count; i++) {
    check_blob(store, &arrays[i].data);
  }
}

void world_check_blobs(job_store_t *store, const job_t *job) {
  const job_blob_t *const own[] = {&job->module, &job->profile, &job->report};
  for (size_t i = 0; i < 3; i++) {
    if (job_blob_is_some(own[i])) {
      check_blob(store, own[i]);
    }
  }
  check_arrays(store, job->inputs, job->input_count);
  check_arrays(store, job->results, job->result_count);
}

static void print_blob(pod_text_t *text, const job_blob_t *blob) {
  char name[2 * JOB_DIGEST_BYTES + 1];
  job_blob_name(blob, name);
  pod_text_printf(text, " %.8s:%" PRId64, name, blob->size_bytes);
}

static void print_arrays(pod_text_t *text, const job_array_t *arrays, size_t count) {
  for (size_t i = 0; i < count; i++) {
    pod_text_printf(text, " [%s %s %d %" PRId64, arrays[i].name, arrays[i].dtype,
                    arrays[i].rank, arrays[i].dims[0]);
    print_blob(text, &arrays[i].data);
    pod_text_add(text, "]");
  }
}

char *world_print(const job_t *job) {
  pod_text_t text = {0};
  pod_text_printf(&text, "%" PRIu64 " %s %s '%s' '%s' %s %d %d %d/%d/%d %d '%s' %d '%s'",
                  job->id, job_state_name(job->state), job->principal, job->name,
                  job->submission, job->slice, job->device_count, job->priority,
                  job->attempts, job->failures, job->retries, job->code, job->message,
                  job->wants_profile, job->given);
  job_options_print(&job->options, &text);
  for (size_t i = 0; i < job->after_count; i++) {
    pod_text_printf(&text, " >%" PRIu64, job->after[i]);
  }
  print_blob(&text, &job->module);
  print_blob(&text, &job->profile);
  print_blob(&text, &job->report);
  print_arrays(&text, job->inputs, job->input_count);
  pod_text_add(&text, " ->");
  print_arrays(&text, job->results, job->result_count);
  return pod_text_take(&text);
}

int world_count(const char *path, const char *name) {
  char folder[2 * WORLD_PATH_MAX];
  (void)snprintf(folder, sizeof(folder), "%s/%s", path, name);
  DIR *files = opendir(folder);
  int count = -2;  // Without "." and "..".
  while (files != NULL && readdir(files) != NULL) {
    count++;
  }
  if (files != NULL) {
    (void)closedir(files);
  }
  return count;
}
