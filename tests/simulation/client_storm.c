// Many calls at a time, none of which waits: each lane puts, executes and fetches, and
// frees all of it at once, before anything of it is there.

#include <string.h>

#include "tests/simulation/client_private.h"

enum { LANES_MAX = 8 };

typedef struct storm_t storm_t;

typedef struct lane_t {
  storm_t *storm;
  int32_t values[PROGRAM_ARGUMENTS_MAX][PROGRAM_ELEMENTS];
  int32_t got[PROGRAM_ELEMENTS];
} lane_t;

struct storm_t {
  client_t *client;
  int program, left;  // Calls that have not been answered.
  bool is_well;
  lane_t lanes[LANES_MAX];
};

static void answered(storm_t *storm, const char *call, podium_status_t *status) {
  if (!client_went_well(storm->client, call, status, MAY_BE_AWAY)) {
    storm->is_well = false;
  }
  storm->left--;
  fiber_wake(storm, 1);
}

static void on_put(void *context, podium_status_t *status) {
  answered(context, "put_async", status);
}

static void on_executed(void *context, podium_status_t *status) {
  answered(context, "execute_async", status);
}

static void on_fetched(void *context, podium_status_t *status) {
  lane_t *lane = context;
  storm_t *storm = lane->storm;
  if (status == NULL) {
    int32_t expected[PROGRAM_ELEMENTS];
    const int32_t *values[] = {lane->values[0], lane->values[1]};
    programs[storm->program].expect(values, expected);
    client_compare(storm->client, programs[storm->program].name, lane->got, expected,
                   PROGRAM_ELEMENTS);
  }
  answered(storm, "fetch_async", status);
}

// True: it was begun, and will be answered. Takes `status`.
static bool is_begun(storm_t *storm, const char *call, podium_status_t *status) {
  if (!client_went_well(storm->client, call, status, MAY_BE_AWAY)) {
    storm->is_well = false;
    return false;
  }
  storm->left++;
  return true;
}

static void begin_lane(storm_t *storm, lane_t *lane) {
  client_t *client = storm->client;
  podium_array_t *arguments[PROGRAM_ARGUMENTS_MAX] = {0};
  podium_array_t *result = NULL;
  const int count = programs[storm->program].argument_count;
  bool is_well = true;
  lane->storm = storm;
  for (int i = 0; i < count; i++) {
    client_draw(lane->values[i], PROGRAM_ELEMENTS);
    const podium_layout_t layout = {.executable = client->executables[storm->program],
                                    .argument = i};
    is_well &=
        is_begun(storm, "put_async",
                 podium_put_async(client->session, &layout, lane->values[i],
                                  PROGRAM_BYTES, CALL_MS, on_put, storm, &arguments[i]));
  }
  const podium_execute_options_t options = {.timeout_ms = CALL_MS};
  is_well = is_well && is_begun(storm, "execute_async",
                                podium_execute_async(client->executables[storm->program],
                                                     count, arguments, &options, &result,
                                                     on_executed, storm, NULL));
  if (is_well) {
    (void)is_begun(storm, "fetch_async",
                   podium_fetch_async(result, -1, lane->got, PROGRAM_BYTES, CALL_MS,
                                      on_fetched, lane));
  }
  podium_array_free(result);
  for (int i = 0; i < count; i++) {
    podium_array_free(arguments[i]);
  }
}

bool client_storm(client_t *client, const plan_item_t *item) {
  static storm_t storms[PLAN_CLIENTS_MAX];
  if (!client_need_executable(client, item->program)) {
    return false;
  }
  storm_t *storm = &storms[client->number];
  memset(storm, 0, sizeof(*storm));
  storm->client = client;
  storm->program = item->program;
  storm->is_well = true;
  client_enter(client, "storm", 2 * CALL_MS);
  for (int i = 0; i < item->count && i < LANES_MAX; i++) {
    begin_lane(storm, &storm->lanes[i]);
  }
  while (storm->left > 0) {
    (void)fiber_wait(storm, -1);
  }
  client->call = NULL;
  return storm->is_well;
}
