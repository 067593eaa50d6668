// podium-job: one attempt at a job. The coordinator starts it, gives it its orders on
// standard input and hears from it on standard output; its log is standard error.
//
// It never outlives the coordinator: the kernel kills it when the coordinator dies, and
// it ends when its input does.

#include <argp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/log.h"
#include "server/jobs/runner/runner.h"

static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;

static void tell(void *context, const job_told_t *told) {
  (void)context;
  pod_text_t line = {0};
  job_told_print(told, &line);
  pthread_mutex_lock(&telling);
  if (fwrite(line.bytes, 1, line.length, stdout) != line.length || fflush(stdout) != 0) {
    _exit(EXIT_FAILURE);  // Nobody hears it any more.
  }
  pthread_mutex_unlock(&telling);
  pod_text_deinit(&line);
}

static pod_status_t read_orders(job_orders_t *orders) {
  char *line = NULL;
  size_t room = 0;
  bool is_all = false;
  pod_status_t status = NULL;
  while (status == NULL && !is_all) {
    const ssize_t length = getline(&line, &room, stdin);
    if (length <= 0 || length > JOB_LINE_BYTES_MAX || line[length - 1] != '\n') {
      status = pod_error(POD_INVALID_ARGUMENT,
                         "podium-job is started by podium-coordinator, which gives it "
                         "its orders on standard input");
    } else {
      line[length - 1] = '\0';
      status = job_orders_read(line, orders, &is_all);
    }
  }
  if (line != NULL) {
    explicit_bzero(line, room);
  }
  free(line);
  return status;
}

// Nothing more comes: what is waited for is the end.
static void *watch_input(void *context) {
  (void)context;
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  _exit(EXIT_FAILURE);
}

static void die_with_the_coordinator(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pthread_t thread;
  POD_CHECK(pthread_create(&thread, NULL, watch_input, NULL) == 0);
  pthread_detach(thread);
}

// What libpodium finds in the environment. Not that which others may read: setenv of a
// running process is its own.
static void take_identity(const job_orders_t *orders) {
  if (orders->token != NULL && *orders->token != '\0') {
    POD_CHECK(setenv("PODIUM_TOKEN", orders->token, 1) == 0);
  }
  (void)unsetenv("TRACEPARENT");  // The coordinator's own.
  if (orders->traceparent != NULL && *orders->traceparent != '\0') {
    POD_CHECK(setenv("TRACEPARENT", orders->traceparent, 1) == 0);
  }
}

static const struct argp argp = {
    .doc =
        "Runs one attempt at a job of a pod of simulated TPU chips. podium-coordinator "
        "starts it, tells it by standard input what to do, and hears from it by "
        "standard output: it is not for people."};

int main(int argc, char **argv) {
  // Set, not defined: with hidden visibility libc would not see a definition of ours.
  argp_program_version = "podium-job " PODIUM_VERSION;
  argp_parse(&argp, argc, argv, 0, NULL, NULL);
  signal(SIGPIPE, SIG_IGN);
  pod_log_init("job", POD_LOG_INFO);
  setvbuf(stdin, NULL, _IONBF, 0);
  job_orders_t orders = {0};
  pod_status_t status = read_orders(&orders);
  if (status == NULL) {
    die_with_the_coordinator();
    take_identity(&orders);
    pod_log(POD_LOG_INFO, "attempt %d at job %llu \"%s\", on %zu chip%s", orders.attempt,
            (unsigned long long)orders.id, orders.name, orders.chip_count,
            orders.chip_count == 1 ? "" : "s");
    status = runner_run(&(runner_t){.orders = &orders, .tell = tell});
  }
  if (status != NULL) {
    pod_log(POD_LOG_ERROR, "%s: %s", pod_code_name(pod_status_code(status)),
            pod_status_message(status));
    tell(NULL, &(job_told_t){.word = JOB_WORD_FAILED,
                             .code = (int32_t)pod_status_code(status),
                             .text = (char *)(uintptr_t)pod_status_message(status)});
    pod_status_free(status);
  } else {
    pod_log(POD_LOG_INFO, "done");
    tell(NULL, &(job_told_t){.word = JOB_WORD_DONE});
  }
  job_orders_deinit(&orders);
  return EXIT_SUCCESS;
}
