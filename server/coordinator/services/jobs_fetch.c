// FetchResult: a blob's bytes, a piece at a time from the disk's thread, as fast as the
// client takes them. They are compared with their digest on the way, so that a client
// that has got all of it with OK has got what was stored.
//
//   NEW ──> READING ──piece──> WAITING (for the client) ──> READING … ──> OVER

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/digest/digest.h"
#include "common/tensor/dtype.h"
#include "server/coordinator/services/jobs_private.h"

enum { PIECE_BYTES = 1 << 20 };

typedef enum fetch_state_t {
  FETCH_NEW = 0,
  FETCH_READING,
  FETCH_WAITING,
  FETCH_OVER,
  FETCH_COUNT
} fetch_state_t;

static const pod_state_t states[FETCH_COUNT] = {
    [FETCH_NEW] = {"new", POD_TO(FETCH_READING) | POD_TO(FETCH_OVER)},
    [FETCH_READING] = {"reading", POD_TO(FETCH_WAITING) | POD_TO(FETCH_OVER)},
    [FETCH_WAITING] = {"waiting", POD_TO(FETCH_READING) | POD_TO(FETCH_OVER)},
    [FETCH_OVER] = {"over", 0}};

typedef struct job_fetch_t {
  request_t request;
  disk_work_t work;
  job_blobs_t *blobs;
  job_blob_t blob;
  int fd;  // -1: not open.
  bool is_unwanted;
  int64_t offset;
  digest_t *digest;  // Of a fetch from the beginning.
  uint8_t *piece;
  size_t piece_bytes;
  pod_status_t status;
} job_fetch_t;

// Takes `status`; NULL: all of it went out.
static void end_fetch(job_fetch_t *fetch, pod_status_t status) {
  if (fetch->fd >= 0) {
    close(fetch->fd);
  }
  free(fetch->piece);
  digest_destroy(fetch->digest);
  request_move(&fetch->request, FETCH_OVER);
  request_fail(&fetch->request, status);
  request_end(&fetch->request);
}

// Of the next piece; none is longer than the first.
static size_t piece_bytes(const job_fetch_t *fetch) {
  const int64_t left = fetch->blob.size_bytes - fetch->offset;
  return left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
}

// --- On the disk's thread ---

static pod_status_t read_piece(job_fetch_t *fetch) {
  const size_t wanted = piece_bytes(fetch);
  fetch->piece_bytes = 0;
  if (fetch->fd < 0) {
    POD_TRY(job_blob_open(fetch->blobs, &fetch->blob, &fetch->fd));
  }
  while (fetch->piece_bytes < wanted) {
    const ssize_t size =
        pread(fetch->fd, fetch->piece + fetch->piece_bytes, wanted - fetch->piece_bytes,
              fetch->offset + (int64_t)fetch->piece_bytes);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size <= 0) {
      return pod_error(POD_DATA_LOSS, "the result cannot be read: %s",
                       size == 0 ? "its file is too short" : strerror(errno));
    }
    fetch->piece_bytes += (size_t)size;
  }
  if (fetch->digest != NULL) {
    digest_add(fetch->digest, fetch->piece, fetch->piece_bytes);
  }
  return NULL;
}

static void run(disk_work_t *work) {
  job_fetch_t *fetch =
      (job_fetch_t *)(void *)((char *)work - offsetof(job_fetch_t, work));
  fetch->status = read_piece(fetch);
}

// --- Pieces ---

static pod_status_t check_digest(job_fetch_t *fetch) {
  uint8_t found[DIGEST_BYTES];
  if (fetch->digest == NULL) {
    return NULL;
  }
  digest_finish(fetch->digest, found);
  return memcmp(found, fetch->blob.digest, sizeof(found)) == 0
             ? NULL
             : pod_error(POD_DATA_LOSS,
                         "what was read is not what was stored: the disk of the "
                         "coordinator's jobs is damaged");
}

static void go_on(job_fetch_t *fetch);

static void done(disk_work_t *work) {
  job_fetch_t *fetch =
      (job_fetch_t *)(void *)((char *)work - offsetof(job_fetch_t, work));
  pod_status_t status = fetch->status;
  fetch->status = NULL;
  if (fetch->is_unwanted || status != NULL) {
    end_fetch(fetch,
              status != NULL ? status : pod_error(POD_CANCELLED, "the caller has gone"));
    return;
  }
  Podium__V1__FetchResultResponse response = PODIUM__V1__FETCH_RESULT_RESPONSE__INIT;
  response.data.data = fetch->piece;
  response.data.len = fetch->piece_bytes;
  rpc_call_send(fetch->request.client, &response.base);
  fetch->offset += (int64_t)fetch->piece_bytes;
  if (fetch->offset >= fetch->blob.size_bytes) {
    end_fetch(fetch, check_digest(fetch));
    return;
  }
  request_move(&fetch->request, FETCH_WAITING);
  go_on(fetch);
}

static void read_next(job_fetch_t *fetch) {
  fetch->work = (disk_work_t){.run = run, .done = done};
  request_move(&fetch->request, FETCH_READING);
  job_disk_do(jobs_of(&fetch->request)->disk, &fetch->work);
}

static void go_on(job_fetch_t *fetch) {
  if (request_is(&fetch->request, FETCH_WAITING) &&
      rpc_call_is_writable(fetch->request.client)) {
    read_next(fetch);
  }
}

// --- The request ---

static pod_status_t choose(const job_t *job, const Podium__V1__FetchResultRequest *wanted,
                           const job_array_t **out_array, job_blob_t *out_blob) {
  *out_array = NULL;
  if (job->state != JOB_SUCCEEDED) {
    return pod_error(
        POD_FAILED_PRECONDITION, "job %" PRIu64 " has no results: it is %s%s%s", job->id,
        job_state_name(job->state), *job->message != '\0' ? ": " : "", job->message);
  }
  const bool is_profile =
      wanted->what_case == PODIUM__V1__FETCH_RESULT_REQUEST__WHAT_PROFILE;
  if (is_profile || wanted->what_case == PODIUM__V1__FETCH_RESULT_REQUEST__WHAT_REPORT) {
    *out_blob = is_profile ? job->profile : job->report;
    return out_blob->size_bytes > 0
               ? NULL
               : pod_error(POD_NOT_FOUND,
                           "job %" PRIu64 " has no %s: submit it with a profile", job->id,
                           is_profile ? "profile" : "report");
  }
  const int32_t index = wanted->what_case == PODIUM__V1__FETCH_RESULT_REQUEST__WHAT_INDEX
                            ? wanted->index
                            : 0;
  if (index < 0 || (size_t)index >= job->result_count) {
    return pod_error(POD_NOT_FOUND,
                     "job %" PRIu64 " has %zu results, not number %" PRId32, job->id,
                     job->result_count, index);
  }
  *out_array = &job->results[index];
  *out_blob = job->results[index].data;
  return NULL;
}

static void send_header(job_fetch_t *fetch, const job_array_t *array) {
  Podium__V1__FetchResultResponse response = PODIUM__V1__FETCH_RESULT_RESPONSE__INIT;
  Podium__V1__JobArray header = PODIUM__V1__JOB_ARRAY__INIT;
  Podium__V1__Shape shape = PODIUM__V1__SHAPE__INIT;
  response.size_bytes = fetch->blob.size_bytes;
  if (array != NULL) {
    header.name = array->name;
    header.shape = &shape;
    shape.dtype =
        (Podium__V1__DType)tensor_dtype_parse(array->dtype, strlen(array->dtype));
    shape.n_dims = (size_t)array->rank;
    shape.dims = (int64_t *)(uintptr_t)array->dims;
    response.array = &header;
  }
  rpc_call_send(fetch->request.client, &response.base);
}

static pod_status_t begin(job_fetch_t *fetch,
                          const Podium__V1__FetchResultRequest *wanted) {
  jobs_t *jobs = jobs_of(&fetch->request);
  access_identity_t caller;
  job_entry_t *entry;
  const job_array_t *array;
  POD_TRY(jobs_identify(&fetch->request, &caller));
  POD_TRY(jobs_enter(jobs, &caller, wanted->id, &entry));
  POD_TRY(choose(entry->job, wanted, &array, &fetch->blob));
  if (wanted->offset < 0 || wanted->offset > fetch->blob.size_bytes) {
    return pod_error(POD_OUT_OF_RANGE, "it has %" PRId64 " bytes, not a byte %" PRId64,
                     fetch->blob.size_bytes, wanted->offset);
  }
  fetch->blobs = job_store_blobs(jobs->store);
  fetch->offset = wanted->offset;
  fetch->digest = wanted->offset == 0 ? digest_create() : NULL;
  fetch->piece = pod_alloc(piece_bytes(fetch));
  send_header(fetch, array);
  return NULL;
}

static void on_message(request_t *request, const void *message) {
  job_fetch_t *fetch = (job_fetch_t *)request;
  const pod_status_t status = begin(fetch, message);
  if (status != NULL) {
    end_fetch(fetch, status);
  } else if (fetch->offset == fetch->blob.size_bytes) {
    end_fetch(fetch, NULL);
  } else {
    read_next(fetch);
  }
}

static void on_start(request_t *request) {
  ((job_fetch_t *)request)->fd = -1;
}

static void on_writable(request_t *request) {
  go_on((job_fetch_t *)request);
}

static void stop(request_t *request, pod_status_t status) {
  job_fetch_t *fetch = (job_fetch_t *)request;
  if (request_is(request, FETCH_READING)) {
    fetch->is_unwanted = true;
    request_fail(request, status);
  } else {
    end_fetch(fetch, status);
  }
}

static const request_kind_t kind = {.name = "FetchResult",
                                    .size_bytes = sizeof(job_fetch_t),
                                    .states = states,
                                    .state_count = FETCH_COUNT,
                                    .on_start = on_start,
                                    .on_message = on_message,
                                    .on_writable = on_writable,
                                    .stop = stop};

pod_status_t jobs_start_fetch(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&kind, client, service, out_context);
}
