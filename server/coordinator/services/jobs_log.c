// ReadJobLog: the logs of a job's attempts, one after the other, a piece at a time from
// the disk's thread; a log that still grows is looked at again with the jobs' tick.
//
//   NEW ──> READING ──piece──> WAITING (for the client, or for more) ──> READING … ──>
//   OVER

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "server/coordinator/services/jobs_private.h"

enum { PIECE_BYTES = 64 << 10 };

typedef enum log_state_t {
  LOG_NEW = 0,
  LOG_READING,
  LOG_WAITING,
  LOG_OVER,
  LOG_COUNT
} log_state_t;

static const pod_state_t states[LOG_COUNT] = {
    [LOG_NEW] = {"new", POD_TO(LOG_WAITING) | POD_TO(LOG_OVER)},
    [LOG_READING] = {"reading", POD_TO(LOG_WAITING) | POD_TO(LOG_OVER)},
    [LOG_WAITING] = {"waiting", POD_TO(LOG_READING) | POD_TO(LOG_OVER)},
    [LOG_OVER] = {"over", 0}};

struct job_log_t {
  request_t request;
  disk_work_t work;
  job_log_t *next;
  uint64_t id;
  bool follows;
  bool is_unwanted;  // While READING.
  bool was_at_end;   // The last piece was empty.
  bool has_ended;    // The job had, before the piece was read.
  int32_t attempt;   // From 1.
  int32_t last_attempt;
  int64_t offset;
  char *path;
  char piece[PIECE_BYTES];
  ssize_t piece_bytes;  // -1: there is no such log.
};

static void end_log(job_log_t *log, pod_status_t status) {
  for (job_log_t **at = &jobs_of(&log->request)->logs; *at != NULL; at = &(*at)->next) {
    if (*at == log) {
      *at = log->next;
      break;
    }
  }
  free(log->path);
  request_move(&log->request, LOG_OVER);
  request_fail(&log->request, status);
  request_end(&log->request);
}

static void run(disk_work_t *work) {
  job_log_t *log = (job_log_t *)(void *)((char *)work - offsetof(job_log_t, work));
  const int fd = open(log->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  log->piece_bytes = -1;
  if (fd >= 0) {
    log->piece_bytes = pread(fd, log->piece, sizeof(log->piece), log->offset);
    close(fd);
  }
}

static void go_on(job_log_t *log);

static void done(disk_work_t *work) {
  job_log_t *log = (job_log_t *)(void *)((char *)work - offsetof(job_log_t, work));
  if (log->is_unwanted) {
    end_log(log, pod_error(POD_CANCELLED, "the caller has gone"));
    return;
  }
  log->was_at_end = log->piece_bytes <= 0;
  if (log->piece_bytes > 0) {
    Podium__V1__JobLog message = PODIUM__V1__JOB_LOG__INIT;
    message.attempt = log->attempt;
    message.data.data = (uint8_t *)log->piece;
    message.data.len = (size_t)log->piece_bytes;
    rpc_call_send(log->request.client, &message.base);
    log->offset += log->piece_bytes;
  }
  request_move(&log->request, LOG_WAITING);
  if (!log->was_at_end) {
    go_on(log);
    return;
  }
  if (log->attempt < log->last_attempt) {
    log->attempt++;
    log->offset = 0;
    log->was_at_end = false;
    go_on(log);
  } else if (log->has_ended || !log->follows) {
    end_log(log, NULL);
  }
}

// Reads the next piece when the client takes it.
static void go_on(job_log_t *log) {
  jobs_t *jobs = jobs_of(&log->request);
  const job_entry_t *entry = jobs_find(jobs, log->id);
  if (!request_is(&log->request, LOG_WAITING) ||
      !rpc_call_is_writable(log->request.client)) {
    return;
  }
  if (entry == NULL) {
    end_log(log, NULL);
    return;
  }
  log->last_attempt = entry->job->attempts;
  log->has_ended = job_phase(entry) == JOB_PHASE_ENDED;
  if (log->last_attempt == 0) {
    if (log->has_ended || !log->follows) {
      end_log(log, NULL);
    }
    return;
  }
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/logs/%" PRIu64 ".%" PRId32 ".log", jobs->folder, log->id,
                  log->attempt);
  free(log->path);
  log->path = pod_text_take(&path);
  log->work = (disk_work_t){.run = run, .done = done};
  request_move(&log->request, LOG_READING);
  job_disk_do(jobs->disk, &log->work);
}

void jobs_logs_look(jobs_t *jobs) {
  for (job_log_t *at = jobs->logs; at != NULL;) {
    job_log_t *next = at->next;
    go_on(at);
    at = next;
  }
}

static void stop(request_t *request, pod_status_t status) {
  job_log_t *log = (job_log_t *)request;
  if (request_is(request, LOG_READING)) {
    log->is_unwanted = true;
    request_fail(request, status);
  } else {
    end_log(log, status);
  }
}

void jobs_logs_close(jobs_t *jobs) {
  for (job_log_t *at = jobs->logs; at != NULL;) {
    job_log_t *next = at->next;
    stop(&at->request, pod_error(POD_UNAVAILABLE, "the coordinator is going down"));
    at = next;
  }
}

static void on_message(request_t *request, const void *message) {
  job_log_t *log = (job_log_t *)request;
  const Podium__V1__ReadJobLogRequest *wanted = message;
  jobs_t *jobs = jobs_of(request);
  access_identity_t caller;
  job_entry_t *entry;
  pod_status_t status = jobs_identify(request, &caller);
  if (status == NULL) {
    status = jobs_enter(jobs, &caller, wanted->id, &entry);
  }
  if (status != NULL) {
    end_log(log, status);
    return;
  }
  log->id = wanted->id;
  log->follows = wanted->follow;
  log->attempt = 1;
  log->next = jobs->logs;
  jobs->logs = log;
  request_move(request, LOG_WAITING);
  go_on(log);
}

static void on_writable(request_t *request) {
  go_on((job_log_t *)request);
}

static const request_kind_t kind = {.name = "ReadJobLog",
                                    .size_bytes = sizeof(job_log_t),
                                    .states = states,
                                    .state_count = LOG_COUNT,
                                    .on_message = on_message,
                                    .on_writable = on_writable,
                                    .stop = stop};

pod_status_t jobs_start_log(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&kind, client, service, out_context);
}
