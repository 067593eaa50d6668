// Keeps the failure of the highest rank that came first; see the header for the ranks.

#include "server/coordinator/core/fanout.h"

#include <stddef.h>

#include "common/base/check.h"

void fanout_begin(fanout_t *fanout, int32_t chip_count) {
  *fanout = (fanout_t){.open_count = chip_count};
}

void fanout_deinit(fanout_t *fanout) {
  pod_status_free(fanout->cause);
  fanout->cause = NULL;
}

static fanout_rank_t rank_of(const fanout_t *fanout, pod_status_t status, bool is_lost) {
  if (is_lost) {
    return FANOUT_LOST;
  }
  switch (pod_status_code(status)) {
    case POD_CANCELLED:
      return fanout->is_stopping ? FANOUT_ECHO : FANOUT_STOPPED;
    case POD_UNAVAILABLE:
    case POD_ABORTED:
      return FANOUT_TOUCH;
    default:
      return FANOUT_WORK;
  }
}

static void keep_worst(fanout_t *fanout, fanout_rank_t rank, pod_status_t status) {
  if (rank <= fanout->rank) {
    pod_status_free(status);
    return;
  }
  pod_status_free(fanout->cause);
  fanout->rank = rank;
  fanout->cause = status;
}

bool fanout_stop(fanout_t *fanout, fanout_rank_t rank, pod_status_t status) {
  keep_worst(fanout, rank, status);
  const bool is_first = !fanout->is_stopping;
  fanout->is_stopping = true;
  return is_first && fanout->open_count > 0;
}

bool fanout_ended(fanout_t *fanout, pod_status_t status, bool is_lost) {
  POD_CHECK(fanout->open_count > 0);
  fanout->open_count--;
  if (status == NULL) {
    return false;
  }
  return fanout_stop(fanout, rank_of(fanout, status, is_lost), status);
}

void fanout_blame(fanout_t *fanout, pod_status_t status) {
  keep_worst(fanout, FANOUT_LOST, status);
}

bool fanout_is_over(const fanout_t *fanout) {
  return fanout->open_count == 0;
}

bool fanout_may_learn_more(const fanout_t *fanout) {
  return fanout->rank == FANOUT_TOUCH || fanout->rank == FANOUT_STOPPED;
}

pod_status_t fanout_take(fanout_t *fanout) {
  pod_status_t cause = fanout->cause;
  fanout->cause = NULL;
  if (fanout->rank == FANOUT_STOPPED && pod_status_code(cause) == POD_CANCELLED) {
    const pod_status_t stopped =
        pod_error(POD_UNAVAILABLE, "%s", pod_status_message(cause));
    pod_status_free(cause);
    cause = stopped;
  }
  return cause;
}
