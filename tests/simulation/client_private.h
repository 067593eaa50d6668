// What the files of a client share.

#ifndef TESTS_SIMULATION_CLIENT_PRIVATE_H_
#define TESTS_SIMULATION_CLIENT_PRIVATE_H_

#include <stdbool.h>
#include <stdint.h>

#include "client/lib/podium.h"
#include "tests/simulation/client.h"
#include "tests/simulation/machine.h"
#include "tests/simulation/pod.h"
#include "tests/simulation/programs.h"

enum {
  CALL_MS = 20000,       // What calls are given.
  MAY_BE_AWAY = 1,       // A host is, or its connection, with what it held.
  MAY_BE_LATE = 2,       // DEADLINE_EXCEEDED.
  MAY_BE_CANCELLED = 4,  // By us.
};

typedef struct client_t {
  const plan_t *plan;
  int number;  // -1: the checker.
  process_t *process;
  int next_item;
  bool is_done, has_work, is_again;
  int64_t faults_end_ns;
  // The call that it is in.
  const char *call;
  int64_t call_until_ns;
  // Of its process.
  podium_session_t *session;
  podium_executable_t *executables[PROGRAM_COUNT];
} client_t;

// A call begins, which must have ended some seconds after its time.
void client_enter(client_t *client, const char *call, int64_t timeout_ms);

// True: it went well. What it may end with else is said by MAY_BE_. Takes `status`.
bool client_went_well(const client_t *client, const char *call, podium_status_t *status,
                      int may);

// Fails the run when a value is wrong.
void client_compare(const client_t *client, const char *what, const int32_t *got,
                    const int32_t *expected, int count);

void client_draw(int32_t *values, int count);

// False: there is none; it has been tried.
bool client_need_session(client_t *client);
bool client_need_executable(client_t *client, int program);

// What the plan says; false: the session is of no use any more.
bool client_storm(client_t *client, const plan_item_t *item);
bool client_move_large(client_t *client, const plan_item_t *item);
bool client_ask_for_times(client_t *client, const plan_item_t *item);
bool client_work_in_group(client_t *client, const plan_item_t *item);
bool client_work_with_jobs(client_t *client, const plan_item_t *item);

// A run begins; a client's process is gone.
void client_group_reset(void);
void client_group_left(int number);
void client_jobs_reset(void);

// Of the checker: every job that was told of is there, and ends as it may.
bool client_check_jobs(client_t *client);

#endif  // TESTS_SIMULATION_CLIENT_PRIVATE_H_
