// What it costs to take a small job for good: a module of 2 KiB and an input of 4 KiB
// written to the disk, and the job into the books; beside it a bare write and fsync of as
// much, which is what the disk asks for.
//
//   jobs_bench [FOLDER]    FOLDER is made, and must not be there; default jobs_bench.d

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "server/jobs/job_store.h"

enum { COUNT = 300, MODULE_BYTES = 2048, INPUT_BYTES = 4096 };

static void check(pod_status_t status) {
  if (status != NULL) {
    (void)fprintf(stderr, "%s\n", pod_status_message(status));
    exit(1);
  }
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void print(const char *what, int64_t *times) {
  qsort(times, COUNT, sizeof(*times), compare);
  (void)printf("%-28s p50 %7.2f ms  p90 %7.2f ms  p99 %7.2f ms\n", what,
               (double)times[COUNT / 2] / 1e6, (double)times[COUNT * 9 / 10] / 1e6,
               (double)times[COUNT * 99 / 100] / 1e6);
}

// Bytes that no other job has.
static job_blob_t put(job_store_t *store, size_t size_bytes, int number) {
  char bytes[INPUT_BYTES] = {0};
  (void)snprintf(bytes, sizeof(bytes), "%d of %zu", number, size_bytes);
  job_blob_writer_t *writer;
  job_blob_t blob;
  check(job_store_blob_create(store, &writer));
  check(job_store_blob_append(store, writer, bytes, size_bytes));
  check(job_store_blob_commit(store, writer, &blob));
  return blob;
}

static int64_t submit(job_store_t *store, int number) {
  const int64_t begun = pod_clock_now_ns();
  job_array_t input = {.name = "x", .dtype = "f32", .rank = 1, .dims = {1024}};
  job_t job = {.principal = "bench", .input_count = 1, .inputs = &input};
  job.module = put(store, MODULE_BYTES, number);
  input.data = put(store, INPUT_BYTES, number);
  bool was_there;
  check(job_store_submit(store, &job, &was_there));
  return pod_clock_now_ns() - begun;
}

static int64_t run(job_store_t *store, uint64_t id) {
  const int64_t begun = pod_clock_now_ns();
  check(job_store_start(store, id, "", 1));
  check(job_store_finish(store, id, &(job_end_t){.state = JOB_SUCCEEDED, .ended_us = 1}));
  return pod_clock_now_ns() - begun;
}

static int64_t write_and_sync(int fd) {
  const char bytes[INPUT_BYTES] = {0};
  const int64_t begun = pod_clock_now_ns();
  POD_CHECK(write(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes) && fsync(fd) == 0);
  return pod_clock_now_ns() - begun;
}

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : "jobs_bench.d";
  char file[4096];
  (void)snprintf(file, sizeof(file), "%s/bare", folder);
  job_store_t *store;
  check(job_store_open(folder, &(job_store_limits_t){.keep_s = 0}, &store));
  static int64_t times[COUNT];
  for (int i = 0; i < COUNT; i++) {
    times[i] = submit(store, i);
  }
  print("submit (6 KiB, 4 fsyncs)", times);
  for (int i = 0; i < COUNT; i++) {
    times[i] = run(store, (uint64_t)i + 1);
  }
  print("start and finish (2 fsyncs)", times);
  const int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  for (int i = 0; i < COUNT; i++) {
    times[i] = write_and_sync(fd);
  }
  print("bare 4 KiB and fsync", times);
  (void)close(fd);
  job_store_close(store);
  const int64_t begun = pod_clock_now_ns();
  check(job_store_open(folder, &(job_store_limits_t){.keep_s = 0}, &store));
  (void)printf("%-28s %11.2f ms\n", "open with 300 jobs",
               (double)(pod_clock_now_ns() - begun) / 1e6);
  job_store_close(store);
  return 0;
}
