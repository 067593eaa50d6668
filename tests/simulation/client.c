// A client's main thread calls libpodium's functions that block; its loop runs on
// another. What an error may be is said with every call: that a host was away, or a time
// was over.

#include "tests/simulation/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/podium.h"
#include "tests/simulation/client_private.h"
#include "tests/simulation/pod.h"

enum {
  LATE_MS = 5000,  // How much later than that they may end.
  START_MS_MAX = 300,
  AGAIN_MS = 300,
  THINKING_MS_MAX = 40,  // Between two items, from the second round on.
  ANEW_MS = 200,
  CHAIN_MAX = 8,
  // After the last fault the pod must be of use again: a daemon is back within 8 s, and
  // keepalive finds what is silent in 40.
  AWAY_S = 15,
  SILENCE_S = 50,
};

static client_t clients[PLAN_CLIENTS_MAX + 1];

// --- Judging ---

void client_enter(client_t *client, const char *call, int64_t timeout_ms) {
  client->call = call;
  client->call_until_ns = machine_now_ns() + (timeout_ms + LATE_MS) * MS;
}

// What a client is told when a host has gone, with what it held.
static bool is_away(podium_code_t code, const char *message) {
  return code == PODIUM_UNAVAILABLE ||
         (code == PODIUM_DATA_LOSS && strstr(message, "put it again") != NULL) ||
         (code == PODIUM_NOT_FOUND && strstr(message, "no such session") != NULL);
}

// The checker has the chips for itself, but for what a client that fell silent holds
// until keepalive finds it.
static bool may_lack_memory(const client_t *client) {
  return client->plan->hbm_bytes > 0 &&
         (client->number >= 0 || plan_has_silence(client->plan));
}

bool client_went_well(const client_t *client, const char *call, podium_status_t *status,
                      int may) {
  const podium_code_t code = podium_status_code(status);
  const char *message = podium_status_message(status);
  may |= (may & MAY_BE_AWAY) != 0 && plan_has_silence(client->plan) ? MAY_BE_LATE : 0;
  const bool is_expected =
      code == PODIUM_OK || ((may & MAY_BE_AWAY) != 0 && is_away(code, message)) ||
      (code == PODIUM_RESOURCE_EXHAUSTED && may_lack_memory(client)) ||
      ((may & MAY_BE_LATE) != 0 && code == PODIUM_DEADLINE_EXCEEDED) ||
      ((may & MAY_BE_CANCELLED) != 0 && code == PODIUM_CANCELLED);
  machine_note((uint64_t)code);
  machine_trace("%s: %s: %s", call, podium_code_name(code), message);
  if (!is_expected || message[0] == '\0') {
    machine_fail("%s: %s may not end with %s: %s", client->process->name, call,
                 podium_code_name(code), message);
  }
  podium_status_free(status);
  return code == PODIUM_OK;
}

// The call that it was in has ended.
static bool went_well(client_t *client, podium_status_t *status, int may) {
  const char *call = client->call;
  client->call = NULL;
  return client_went_well(client, call, status, may);
}

void client_compare(const client_t *client, const char *what, const int32_t *got,
                    const int32_t *expected, int count) {
  for (int i = 0; i < count; i++) {
    if (got[i] != expected[i]) {
      machine_fail("%s: a wrong value: element %d of %s is %" PRId32 ", not %" PRId32,
                   client->process->name, i, what, got[i], expected[i]);
      return;
    }
  }
}

// --- Parts ---

static void leave(client_t *client) {
  memset((void *)client->executables, 0, sizeof(client->executables));
  podium_session_t *session = client->session;
  client->session = NULL;
  client_enter(client, "close", 0);
  podium_close(session);
  client->call = NULL;
}

bool client_need_session(client_t *client) {
  if (client->session != NULL) {
    return true;
  }
  const podium_connect_options_t options = {.timeout_ms = CALL_MS,
                                            .client_name = client->process->name};
  client_enter(client, "connect", CALL_MS);
  if (!went_well(client, podium_connect(POD_ADDRESS, &options, &client->session),
                 MAY_BE_AWAY)) {
    client->session = NULL;
    fiber_sleep(AGAIN_MS * MS);
    return false;
  }
  return true;
}

bool client_need_executable(client_t *client, int program) {
  if (!client_need_session(client)) {
    return false;
  }
  if (client->executables[program] != NULL) {
    return true;
  }
  char *text = programs[program].text(client->plan->x, client->plan->y);
  const podium_compile_options_t options = {.timeout_ms = CALL_MS};
  client_enter(client, "compile", CALL_MS);
  const bool is_well =
      went_well(client,
                podium_compile(client->session, programs[program].name, text,
                               strlen(text), &options, &client->executables[program]),
                MAY_BE_AWAY);
  free(text);
  if (!is_well) {
    client->executables[program] = NULL;
  }
  return is_well;
}

typedef struct arguments_t {
  int count;
  int32_t values[PROGRAM_ARGUMENTS_MAX][PROGRAM_ELEMENTS];
  podium_array_t *arrays[PROGRAM_ARGUMENTS_MAX];
} arguments_t;

void client_draw(int32_t *values, int count) {
  for (int i = 0; i < count; i++) {
    values[i] = (int32_t)machine_between(-1000000, 1000000);
  }
}

static void free_arguments(arguments_t *arguments) {
  for (int i = 0; i < arguments->count; i++) {
    podium_array_free(arguments->arrays[i]);
  }
}

static bool put_one(client_t *client, int program, arguments_t *arguments, int i) {
  const podium_layout_t layout = {.executable = client->executables[program],
                                  .argument = i};
  client_enter(client, "put", CALL_MS);
  return went_well(client,
                   podium_put(client->session, &layout, arguments->values[i],
                              PROGRAM_BYTES, CALL_MS, &arguments->arrays[i]),
                   MAY_BE_AWAY);
}

static bool put_arguments(client_t *client, int program, arguments_t *arguments) {
  arguments->count = 0;
  for (int i = 0; i < programs[program].argument_count; i++) {
    client_draw(arguments->values[i], PROGRAM_ELEMENTS);
    if (!put_one(client, program, arguments, i)) {
      free_arguments(arguments);
      return false;
    }
    arguments->count++;
  }
  return true;
}

static void expect(int program, const arguments_t *arguments, int32_t *out_result) {
  const int32_t *values[PROGRAM_ARGUMENTS_MAX] = {arguments->values[0],
                                                  arguments->values[1]};
  programs[program].expect(values, out_result);
}

static bool fetch(client_t *client, podium_array_t *array, int32_t *out_values, int may) {
  client_enter(client, "fetch", CALL_MS);
  return went_well(client, podium_fetch(array, out_values, PROGRAM_BYTES, CALL_MS), may);
}

// --- What the plan says. False: the session is of no use any more. ---

static bool execute(client_t *client, int program, int64_t timeout_ms, int may) {
  arguments_t arguments;
  if (!client_need_executable(client, program) ||
      !put_arguments(client, program, &arguments)) {
    return false;
  }
  podium_array_t *result = NULL;
  const podium_execute_options_t options = {.timeout_ms = timeout_ms};
  client_enter(client, "execute", timeout_ms);
  bool is_well = went_well(client,
                           podium_execute(client->executables[program], arguments.count,
                                          arguments.arrays, &options, &result, NULL),
                           may);
  const bool is_executed = is_well;
  if (is_executed) {
    int32_t got[PROGRAM_ELEMENTS];
    int32_t expected[PROGRAM_ELEMENTS];
    expect(program, &arguments, expected);
    is_well = fetch(client, result, got, may);
    if (is_well) {
      client_compare(client, programs[program].name, got, expected, PROGRAM_ELEMENTS);
    }
    podium_array_free(result);
  }
  free_arguments(&arguments);
  return is_well || (may & MAY_BE_LATE) != 0;
}

static bool chain(client_t *client, const plan_item_t *item) {
  arguments_t arguments;
  const int program = item->program;
  if (!client_need_executable(client, program) ||
      !put_arguments(client, program, &arguments)) {
    return false;
  }
  podium_array_t *results[CHAIN_MAX] = {0};
  int count = 0;
  int32_t expected[PROGRAM_ELEMENTS];
  bool is_well = true;
  const podium_execute_options_t options = {.timeout_ms = CALL_MS};
  while (count < item->count && is_well) {
    podium_array_t *inputs[PROGRAM_ARGUMENTS_MAX] = {
        count == 0 ? arguments.arrays[0] : results[count - 1], arguments.arrays[1]};
    client_enter(client, "execute_async", CALL_MS);
    is_well = went_well(
        client,
        podium_execute_async(client->executables[program], arguments.count, inputs,
                             &options, &results[count], NULL, NULL, NULL),
        MAY_BE_AWAY);
    if (is_well) {
      count++;
      expect(program, &arguments, expected);
      memcpy(arguments.values[0], expected, sizeof(expected));
    }
  }
  for (int i = 0; i + 1 < count; i++) {
    podium_array_free(results[i]);
  }
  if (count > 0) {
    int32_t got[PROGRAM_ELEMENTS];
    if (fetch(client, results[count - 1], got, MAY_BE_AWAY)) {
      client_compare(client, programs[program].name, got, expected, PROGRAM_ELEMENTS);
    } else {
      is_well = false;
    }
    podium_array_free(results[count - 1]);
  }
  free_arguments(&arguments);
  return is_well;
}

static bool cancel(client_t *client, const plan_item_t *item) {
  arguments_t arguments;
  const int program = item->program;
  if (!client_need_executable(client, program) ||
      !put_arguments(client, program, &arguments)) {
    return false;
  }
  podium_array_t *result = NULL;
  podium_execution_t *execution = NULL;
  const podium_execute_options_t options = {.timeout_ms = CALL_MS};
  client_enter(client, "execute_async", CALL_MS);
  bool is_well = went_well(
      client,
      podium_execute_async(client->executables[program], arguments.count,
                           arguments.arrays, &options, &result, NULL, NULL, &execution),
      MAY_BE_AWAY);
  if (is_well) {
    fiber_sleep(item->wait_ns);
    podium_execution_cancel(execution);
    int32_t got[PROGRAM_ELEMENTS];
    int32_t expected[PROGRAM_ELEMENTS];
    expect(program, &arguments, expected);
    // The result is there, or has the error of the execution.
    if (fetch(client, result, got, MAY_BE_AWAY | MAY_BE_CANCELLED)) {
      client_compare(client, programs[program].name, got, expected, PROGRAM_ELEMENTS);
    }
    podium_execution_free(execution);
    podium_array_free(result);
  }
  free_arguments(&arguments);
  return is_well;
}

static bool put(client_t *client, const plan_item_t *item) {
  arguments_t arguments;
  const bool is_well = client_need_executable(client, item->program) &&
                       put_arguments(client, item->program, &arguments);
  if (is_well) {
    free_arguments(&arguments);
  }
  return is_well;
}

static bool run_item(client_t *client, const plan_item_t *item) {
  machine_trace("does %s %s", plan_kind_name(item->kind), programs[item->program].name);
  switch (item->kind) {
    case PLAN_EXECUTE:
      return execute(client, item->program, CALL_MS, MAY_BE_AWAY);
    case PLAN_CHAIN:
      return chain(client, item);
    case PLAN_CANCEL:
      return cancel(client, item);
    case PLAN_DEADLINE:
      return execute(client, item->program, 1 + item->wait_ns / MS,
                     MAY_BE_AWAY | MAY_BE_LATE);
    case PLAN_PUT:
      return put(client, item);
    case PLAN_STORM:
      return client_storm(client, item);
    case PLAN_LARGE:
      return client_move_large(client, item);
    case PLAN_TIMES:
      return client_ask_for_times(client, item);
    case PLAN_GROUP:
      return client_work_in_group(client, item);
    case PLAN_SUBMIT:
    case PLAN_RESUBMIT:
    case PLAN_AWAIT:
    case PLAN_CANCEL_JOB:
      return client_work_with_jobs(client, item);
    case PLAN_RECONNECT:
      return false;
    default:
      fiber_sleep(item->wait_ns);
      return true;
  }
}

// Once through its part of the plan, and again as long as there are faults.
static bool goes_on(client_t *client) {
  const plan_t *plan = client->plan;
  if (client->next_item == plan->item_count && client->has_work &&
      machine_now_ns() < client->faults_end_ns) {
    client->next_item = 0;
    client->is_again = true;
  }
  return client->next_item < plan->item_count;
}

static void *client_main(void *context) {
  client_t *client = context;
  const plan_t *plan = client->plan;
  while (goes_on(client)) {
    const plan_item_t *item = &plan->items[client->next_item++];
    if (plan_is_fault(item) || item->is_left_out || item->client != client->number) {
      continue;
    }
    client->has_work = true;
    if (client->is_again) {
      fiber_sleep(machine_between(0, THINKING_MS_MAX) * MS);
    }
    if (!run_item(client, item)) {
      leave(client);
    }
  }
  leave(client);
  client->is_done = true;
  return NULL;
}

// --- The checker ---

static bool check_pod(client_t *client, int sessions) {
  podium_pod_t *pod = NULL;
  client_enter(client, "pod", CALL_MS);
  if (!went_well(client, podium_pod(client->session, CALL_MS, &pod), MAY_BE_AWAY)) {
    return false;
  }
  bool is_clean = pod->session_count == sessions;
  machine_trace("the pod has %d sessions", pod->session_count);
  for (int i = 0; i < pod->device_count; i++) {
    machine_trace("chip %d: %s, %" PRId64 " bytes used", i, pod->devices[i].state,
                  pod->devices[i].hbm_used_bytes);
    is_clean &= pod->devices[i].hbm_used_bytes == 0;
  }
  podium_pod_free(pod);
  return is_clean;
}

// Everything of the clients is gone, every program gives what it should.
static bool check(client_t *client) {
  bool is_well = client_check_jobs(client);
  for (int program = 0; is_well && program < PROGRAM_COUNT; program++) {
    is_well = execute(client, program, CALL_MS, MAY_BE_AWAY);
  }
  leave(client);
  if (!is_well) {
    return false;
  }
  fiber_sleep(2 * SECOND);  // For heartbeats to tell what they hold.
  is_well = client_need_session(client) && check_pod(client, 1);
  leave(client);
  return is_well;
}

// What was not told of is found out within this time, and a killed daemon is back.
static int64_t patience_ns(const plan_t *plan) {
  return (plan_has_silence(plan) ? SILENCE_S : AWAY_S) * SECOND;
}

static void *checker_main(void *context) {
  client_t *client = context;
  const int64_t patient_until_ns = machine_now_ns() + patience_ns(client->plan);
  for (;;) {
    const int64_t start_ns = machine_now_ns();
    if (check(client)) {
      client->is_done = true;
      return NULL;
    }
    if (start_ns > patient_until_ns) {
      machine_fail(
          "the pod is of no use though nothing disturbs it, or holds what nobody "
          "uses any more");
      return NULL;
    }
    fiber_sleep(SECOND);
  }
}

// --- Life ---

static void on_ended(process_t *process, void *context) {
  (void)context;
  int blocks = 0;
  const size_t held = memory_held(process->index, &blocks);
  if (held > 0) {
    machine_fail("%s has ended and left %zu bytes in %d blocks", process->name, held,
                 blocks);
  }
}

static void start(void *context) {
  client_t *client = context;
  char name[MACHINE_NAME_MAX];
  snprintf(name, sizeof(name), client->number < 0 ? "checker" : "client%d",
           client->number);
  client->process = process_create(name, 100 + client->number);
  client->process->ended = on_ended;
  client->session = NULL;
  client->call = NULL;
  memset((void *)client->executables, 0, sizeof(client->executables));
  fiber_release(fiber_spawn(client->process,
                            client->number < 0 ? checker_main : client_main, client, 0));
}

void clients_start(const plan_t *plan) {
  memset(clients, 0, sizeof(clients));
  client_group_reset();
  client_jobs_reset();
  for (int i = 0; i <= PLAN_CLIENTS_MAX; i++) {
    const bool is_used = i < plan->client_count;
    clients[i] = (client_t){.plan = plan,
                            .number = i,
                            .faults_end_ns = machine_now_ns() + plan->faults_end_ns,
                            .is_done = !is_used};
    if (is_used) {
      (void)machine_at(machine_now_ns() + machine_between(0, START_MS_MAX) * MS, start,
                       &clients[i]);
    }
  }
}

bool clients_are_done(void) {
  for (int i = 0; i <= PLAN_CLIENTS_MAX; i++) {
    if (!clients[i].is_done ||
        (clients[i].process != NULL && clients[i].process->fiber_count > 0)) {
      return false;
    }
  }
  return true;
}

void clients_check_bounds(void) {
  for (int i = 0; i <= PLAN_CLIENTS_MAX; i++) {
    const client_t *client = &clients[i];
    if (client->call != NULL && machine_now_ns() > client->call_until_ns) {
      machine_fail("%s: %s has not ended within its bound", client->process->name,
                   client->call);
    }
  }
}

process_t *clients_process(int number) {
  process_t *process = clients[number].process;
  return process == NULL || process->is_killed ? NULL : process;
}

void clients_kill(int number) {
  client_t *client = &clients[number];
  if (client->is_done || client->process == NULL || client->process->is_killed) {
    return;
  }
  machine_trace("%s is killed", client->process->name);
  process_kill(client->process);
  client_group_left(number);
  client->call = NULL;
  (void)machine_at(machine_now_ns() + ANEW_MS * MS, start, client);
}

void clients_start_checker(void) {
  client_t *checker = &clients[PLAN_CLIENTS_MAX];
  checker->number = -1;
  checker->is_done = false;
  start(checker);
}
