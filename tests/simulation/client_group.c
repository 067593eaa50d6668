// Clients 0 and 1 as processes of one program (podium_connect_options_t.group): each owns
// half of the chips, puts its parts, and has the result of all.
//
// A group that one of them has left is of no use: the next one has another name.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "tests/simulation/client_private.h"

enum {
  MEMBERS = 2,
  GROUP_MS = 4000,
  MEET_MS = 3000,
  CHIPS_MAX = 4,
  MAY = MAY_BE_AWAY | MAY_BE_LATE
};

static struct {
  int generation;  // Of the last group.
  bool is_here[MEMBERS];
} group;

// Of a client in a group.
typedef struct member_t {
  client_t *client;
  podium_session_t *session;
  podium_executable_t *executable;
  const podium_program_info_t *info;
  podium_array_t *parts[CHIPS_MAX];
  podium_array_t *result;
} member_t;

static bool went_well(client_t *client, podium_status_t *status) {
  const char *call = client->call;
  client->call = NULL;
  return client_went_well(client, call, status, MAY);
}

void client_group_reset(void) {
  memset(&group, 0, sizeof(group));
}

void client_group_left(int number) {
  if (number >= 0 && number < MEMBERS) {
    group.is_here[number] = false;
  }
}

// Waits for the other one, for a while. Returns the group that both join; 0: none.
static int meet(const client_t *client) {
  const int other = 1 - client->number;
  if (group.is_here[other]) {
    group.is_here[other] = false;
    group.generation++;
    fiber_wake(&group, 1);
    return group.generation;
  }
  group.is_here[client->number] = true;
  const bool is_met = fiber_wait(&group, MEET_MS * MS);
  group.is_here[client->number] = false;
  return is_met ? group.generation : 0;
}

static bool join(member_t *member, int generation) {
  char name[32];
  client_t *client = member->client;
  snprintf(name, sizeof(name), "group-%d", generation);
  const podium_connect_options_t options = {.timeout_ms = GROUP_MS,
                                            .client_name = client->process->name,
                                            .group = name,
                                            .process = client->number,
                                            .process_count = MEMBERS};
  client_enter(client, "connect to a group", GROUP_MS);
  return went_well(client, podium_connect(POD_ADDRESS, &options, &member->session));
}

// Twice the rows, which lie over the chips, gathered.
static bool compile(member_t *member) {
  client_t *client = member->client;
  const int chips = client->plan->x * client->plan->y;
  pod_text_t text = {0};
  pod_text_printf(
      &text,
      "module @gather attributes {mhlo.num_partitions = %d : i32} {\n"
      "  sdy.mesh @mesh = <[\"x\"=%d]>\n"
      "  func.func public @main(%%x: tensor<8x16xi32> {sdy.sharding = "
      "#sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> (tensor<8x16xi32> {sdy.sharding = "
      "#sdy.sharding<@mesh, [{}, {}]>}) {\n"
      "    %%y = stablehlo.add %%x, %%x : tensor<8x16xi32>\n"
      "    return %%y : tensor<8x16xi32>\n  }\n}\n",
      chips, chips);
  const podium_compile_options_t options = {.timeout_ms = GROUP_MS};
  client_enter(client, "compile in a group", GROUP_MS);
  const bool is_well = went_well(
      client, podium_compile(member->session, "gather", text.bytes, strlen(text.bytes),
                             &options, &member->executable));
  pod_text_deinit(&text);
  if (is_well) {
    member->info = podium_executable_info(member->executable);
  }
  return is_well;
}

static int32_t value_of(int round, int row) {
  return 1000 * (round + 1) + row;
}

static bool put_parts(member_t *member, int round) {
  const podium_program_info_t *info = member->info;
  const podium_shape_t shape = info->arguments[0].local_shape;
  const int rows = (int)shape.dims[0];
  for (int i = 0; i < info->own_count; i++) {
    int32_t values[PROGRAM_ELEMENTS];
    for (int at = 0; at < rows * PROGRAM_COLUMNS; at++) {
      values[at] = value_of(round, info->own[i] * rows + at / PROGRAM_COLUMNS);
    }
    const int64_t chip = info->chips[info->own[i]];
    const podium_layout_t layout = {.shape = shape, .chips = &chip, .chip_count = 1};
    client_enter(member->client, "put in a group", GROUP_MS);
    if (!went_well(member->client,
                   podium_put(member->session, &layout, values,
                              (size_t)(rows * PROGRAM_COLUMNS) * sizeof(*values),
                              GROUP_MS, &member->parts[i]))) {
      return false;
    }
  }
  return true;
}

static void on_fetched(void *context, podium_status_t *status) {
  void **answer = context;
  answer[0] = status;
  answer[1] = answer;
  fiber_wake(context, 1);
}

static bool check_result(member_t *member, int round) {
  int32_t expected[PROGRAM_ELEMENTS];
  for (int at = 0; at < PROGRAM_ELEMENTS; at++) {
    expected[at] = 2 * value_of(round, at / PROGRAM_COLUMNS);
  }
  for (int i = 0; i < member->info->own_count; i++) {
    int32_t got[PROGRAM_ELEMENTS];
    void *answer[2] = {NULL, NULL};
    client_enter(member->client, "fetch in a group", GROUP_MS);
    podium_status_t *status =
        podium_fetch_async(member->result, member->info->chips[member->info->own[i]], got,
                           PROGRAM_BYTES, GROUP_MS, on_fetched, (void *)answer);
    while (status == NULL && answer[1] == NULL) {
      (void)fiber_wait((void *)answer, -1);
    }
    if (!went_well(member->client, status != NULL ? status : answer[0])) {
      return false;
    }
    client_compare(member->client, "gather", got, expected, PROGRAM_ELEMENTS);
  }
  return true;
}

static void free_arrays(member_t *member) {
  for (int i = 0; i < CHIPS_MAX; i++) {
    podium_array_free(member->parts[i]);
    member->parts[i] = NULL;
  }
  podium_array_free(member->result);
  member->result = NULL;
}

static bool run_round(member_t *member, int round) {
  if (!put_parts(member, round)) {
    return false;
  }
  const podium_execute_options_t options = {.timeout_ms = GROUP_MS,
                                            .arguments_by_chip = true};
  client_enter(member->client, "execute in a group", GROUP_MS);
  return went_well(member->client, podium_execute(member->executable, 1, member->parts,
                                                  &options, &member->result, NULL)) &&
         check_result(member, round);
}

bool client_work_in_group(client_t *client, const plan_item_t *item) {
  if (client->number >= MEMBERS || client->plan->client_count < MEMBERS) {
    return true;
  }
  const int generation = meet(client);
  if (generation == 0) {
    return true;
  }
  member_t member = {.client = client};
  bool is_well = join(&member, generation) && compile(&member);
  for (int round = 0; is_well && round < item->count; round++) {
    is_well = run_round(&member, round);
    free_arrays(&member);
  }
  free_arrays(&member);
  client_enter(client, "close of a group's session", 0);
  podium_close(member.session);
  client->call = NULL;
  return true;
}
