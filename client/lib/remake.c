// What a session had on the pod is made again, one thing after the other: programs first,
// then what was put and what was executed, in the order in which it was asked for.

#include <stdlib.h>
#include <string.h>

#include "client/lib/retry.h"
#include "common/base/memory.h"

typedef struct step_t {
  podium_executable_t *executable;  // One of these; counted.
  lib_origin_t *origin;
  lib_run_t *run;
  uint64_t sequence;
} step_t;

struct lib_remake_t {
  podium_session_t *session;
  POD_LIST(step_t) steps;
  int next;
  int programs, arrays, executions;
  lib_remade_fn_t done;
  void *context;
  bool is_under_way;   // A step.
  rpc_timer_t *timer;  // So that no step begins inside the end of another.
};

// --- The plan ---

static void plan_program(lib_remake_t *remake, podium_executable_t *executable) {
  lib_module_t *module = executable->module;
  if (executable->handle.id != 0 || module->is_planned || module->error != NULL) {
    return;
  }
  module->is_planned = true;
  atomic_fetch_add(&executable->count, 1);
  remake->programs++;
  *pod_list_add(&remake->steps) = (step_t){.executable = executable};
}

static void plan_run(lib_remake_t *remake, lib_run_t *run);

static pod_status_t why_gone(const lib_origin_t *origin) {
  char shape[256];
  podium_shape_print(&origin->shape, shape, sizeof(shape));
  const char *why =
      origin->source != NULL && origin->source->why_not != NULL ? origin->source->why_not
      : origin->source != NULL ? "not all of it had been read from its source"
      : origin->run != NULL
          ? "it is the result of an execution with callbacks, which is not made twice"
          : "it came of too many executions, one from another: fetch such arrays from "
            "time to time, and put them again (podium_connect_options_t.remake_depth)";
  return pod_error(
      POD_DATA_LOSS,
      "the array, %s, was lost with the pod at %s, and cannot be made again: "
      "%s",
      shape, origin->session->address, why);
}

// Arrays that an operation is going to make, parked as it is, are not looked at; those
// that cannot be made again stay what they are, unless everything is gone.
static void plan(lib_remake_t *remake, lib_origin_t *origin) {
  if (origin->is_planned || origin->error != NULL || !origin->is_made) {
    return;
  }
  origin->is_planned = true;
  if (!lib_origin_can_be_made(origin)) {
    if (origin->id == 0) {
      lib_origin_fail(origin, why_gone(origin));
    }
    return;
  }
  lib_free_now(remake->session, origin->id, 0);
  origin->id = 0;
  if (origin->source == NULL) {
    plan_run(remake, origin->run);
    return;
  }
  if (origin->source->executable != NULL) {
    plan_program(remake, origin->source->executable);
  }
  remake->arrays++;
  lib_origin_retain(origin);
  *pod_list_add(&remake->steps) =
      (step_t){.origin = origin, .sequence = origin->sequence};
}

// No deeper than chains of executions may be.
static void plan_run(lib_remake_t *remake, lib_run_t *run) {
  if (run->is_planned) {
    return;
  }
  run->is_planned = true;
  plan_program(remake, run->executable);
  for (size_t i = 0; i < run->argument_count; i++) {
    plan(remake, run->arguments[i]);
  }
  remake->executions++;
  atomic_fetch_add(&run->count, 1);
  *pod_list_add(&remake->steps) = (step_t){.run = run, .sequence = run->sequence};
}

// What an operation that waits is going to use.
static void plan_parked(lib_remake_t *remake, const lib_op_t *op) {
  if (op->origin != NULL) {
    plan(remake, op->origin);
    if (op->origin->source != NULL && op->origin->source->executable != NULL) {
      plan_program(remake, op->origin->source->executable);
    }
  }
  for (size_t i = 0; op->run != NULL && i < op->run->argument_count; i++) {
    plan(remake, op->run->arguments[i]);
  }
  if (op->run != NULL) {
    plan_program(remake, op->run->executable);
  }
}

static int compare(const void *left, const void *right) {
  const step_t *a = left, *b = right;
  return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

// Nothing of it is on the pod any more.
static void forget(podium_session_t *session) {
  for (podium_executable_t *at = session->programs; at != NULL; at = at->module->next) {
    atomic_store(&at->handle.id, 0);
  }
  for (lib_origin_t *at = session->origins; at != NULL; at = at->next) {
    at->id = 0;
  }
}

// The list grows at its front, by other threads, and shrinks on this one only.
static lib_origin_t *first_origin(podium_session_t *session) {
  pthread_mutex_lock(&session->mutex);
  lib_origin_t *first = session->origins;
  pthread_mutex_unlock(&session->mutex);
  return first;
}

static void plan_all(lib_remake_t *remake, const lib_op_t *parked) {
  podium_session_t *session = remake->session;
  for (podium_executable_t *at = session->programs; at != NULL; at = at->module->next) {
    if (at->module->is_held) {
      plan_program(remake, at);
    }
  }
  for (lib_origin_t *at = first_origin(session); at != NULL; at = at->next) {
    if (at->is_held && !at->is_consumed) {
      plan(remake, at);
    }
  }
  for (const lib_op_t *op = parked->next; op != parked; op = op->next) {
    plan_parked(remake, op);
  }
  if (remake->steps.count > 0) {
    qsort(remake->steps.items, (size_t)remake->steps.count, sizeof(step_t), compare);
  }
}

// The marks are of this plan only.
static void unmark(lib_remake_t *remake) {
  for (lib_origin_t *at = first_origin(remake->session); at != NULL; at = at->next) {
    at->is_planned = false;
  }
  for (int i = 0; i < remake->steps.count; i++) {
    const step_t *step = &remake->steps.items[i];
    if (step->run != NULL) {
      step->run->is_planned = false;
    } else if (step->executable != NULL) {
      step->executable->module->is_planned = false;
    }
  }
}

// --- The steps ---

// Takes `status`: why the step could not be made, and nobody is to try again.
static void fail_step(const step_t *step, pod_status_t status) {
  if (step->executable != NULL) {
    step->executable->module->error = status;
    return;
  }
  const char *message = pod_status_message(status);
  const pod_status_t lost =
      pod_error(POD_DATA_LOSS, "an array was lost with the pod, and could not be %s: %s",
                step->run != NULL ? "computed again" : "put again", message);
  pod_status_free(status);
  if (step->run != NULL) {
    lib_run_failed(step->run, lost);
    pod_status_free(lost);
  } else {
    lib_origin_fail(step->origin, lost);
  }
}

static void on_step(void *context, pod_status_t status) {
  lib_remake_t *remake = context;
  if (remake->done == NULL) {  // Nobody waits any more; this was the last of it.
    pod_status_free(status);
    lib_remake_destroy(remake);
    return;
  }
  const step_t *step = &remake->steps.items[remake->next];
  if (status != NULL && lib_is_loss(status)) {
    const lib_remade_fn_t done = remake->done;
    remake->is_under_way = false;
    done(remake->context, status);
    return;
  }
  if (status != NULL) {
    fail_step(step, status);
  }
  remake->is_under_way = false;
  remake->next++;
  rpc_timer_start(remake->timer, 0, 0);
}

static void next_step(void *context) {
  lib_remake_t *remake = context;
  if (remake->next == remake->steps.count) {
    remake->done(remake->context, NULL);
    return;
  }
  const step_t *step = &remake->steps.items[remake->next];
  remake->is_under_way = true;
  if (step->executable != NULL) {
    lib_compile_again(step->executable, on_step, remake);
  } else if (step->origin != NULL) {
    lib_put_again(step->origin, on_step, remake);
  } else {
    lib_run_again(step->run, on_step, remake);
  }
}

lib_remake_t *lib_remake_start(podium_session_t *session, bool is_new,
                               const lib_op_t *parked, lib_remade_fn_t done,
                               void *context) {
  lib_remake_t *remake = pod_alloc(sizeof(*remake));
  remake->session = session;
  remake->done = done;
  remake->context = context;
  if (is_new) {
    forget(session);
  }
  plan_all(remake, parked);
  unmark(remake);
  remake->timer = rpc_timer_create(session->loop, next_step, remake);
  rpc_timer_start(remake->timer, 0, 0);
  return remake;
}

static void print_count(pod_text_t *text, int count, const char *what) {
  if (count > 0) {
    pod_text_printf(text, "%s%d %s%s", text->length > 0 ? ", " : "", count, what,
                    count == 1 ? "" : "s");
  }
}

void lib_remake_print(const lib_remake_t *remake, pod_text_t *text) {
  pod_text_t counts = {0};
  print_count(&counts, remake->programs, "program");
  print_count(&counts, remake->arrays, "array");
  print_count(&counts, remake->executions, "execution");
  pod_text_printf(text, "%s", counts.length == 0 ? "nothing" : counts.bytes);
  pod_text_deinit(&counts);
}

void lib_remake_free_unheld(podium_session_t *session) {
  for (lib_origin_t *at = first_origin(session); at != NULL; at = at->next) {
    if (!at->is_held && at->id != 0) {
      lib_free_now(session, at->id, 0);
      at->id = 0;
    }
  }
  for (podium_executable_t *at = session->programs; at != NULL; at = at->module->next) {
    if (!at->module->is_held && at->handle.id != 0) {
      lib_free_now(session, 0, at->handle.id);
      atomic_store(&at->handle.id, 0);
    }
  }
}

void lib_remake_destroy(lib_remake_t *remake) {
  if (remake == NULL) {
    return;
  }
  rpc_timer_destroy(remake->timer);
  remake->timer = NULL;
  remake->done = NULL;
  if (remake->is_under_way) {
    remake->is_under_way = false;
    return;  // Its step frees it.
  }
  for (int i = 0; i < remake->steps.count; i++) {
    const step_t *step = &remake->steps.items[i];
    lib_executable_release(step->executable);
    lib_origin_release(step->origin);
    lib_run_release(step->run);
  }
  pod_list_deinit(&remake->steps);
  free(remake);
}
