// Arrays of many messages, and what a program would take.

#include <stdlib.h>

#include "tests/simulation/client_private.h"

enum { COLUMNS = 1024, ROWS_UNIT = 16, HOPS = 2 };

static bool went_well(client_t *client, podium_status_t *status) {
  const char *call = client->call;
  client->call = NULL;
  return client_went_well(client, call, status, MAY_BE_AWAY);
}

// There and back, sharded over all chips.
static bool there_and_back(client_t *client, int rows, const int32_t *values,
                           int32_t *out_got) {
  const plan_t *plan = client->plan;
  const podium_mesh_axis_t axes[] = {{"x", plan->x}, {"y", plan->y}};
  const char *const spec[] = {"x", "y"};
  const podium_sharding_t sharding = {
      .axis_count = 2, .axes = axes, .rank = 2, .spec = spec};
  const podium_layout_t layout = {
      .shape = {.dtype = PODIUM_S32, .rank = 2, .dims = {rows, COLUMNS}},
      .sharding = &sharding};
  const size_t size = (size_t)rows * COLUMNS * sizeof(*values);
  podium_array_t *array = NULL;
  client_enter(client, "put of a large array", CALL_MS);
  if (!went_well(client,
                 podium_put(client->session, &layout, values, size, CALL_MS, &array))) {
    return false;
  }
  client_enter(client, "fetch of a large array", CALL_MS);
  const bool is_well = went_well(client, podium_fetch(array, out_got, size, CALL_MS));
  if (is_well) {
    client_compare(client, "a large array", out_got, values, rows * COLUMNS);
  }
  podium_array_free(array);
  return is_well;
}

bool client_move_large(client_t *client, const plan_item_t *item) {
  if (!client_need_session(client)) {
    return false;
  }
  const int rows = ROWS_UNIT * item->count;
  const size_t size = (size_t)rows * COLUMNS * sizeof(int32_t);
  int32_t *values = malloc(size);
  int32_t *got = calloc(1, size);
  client_draw(values, rows * COLUMNS);
  const bool is_well = there_and_back(client, rows, values, got);
  free(values);
  free(got);
  return is_well;
}

bool client_ask_for_times(client_t *client, const plan_item_t *item) {
  if (!client_need_executable(client, item->program)) {
    return false;
  }
  podium_profile_t *profile = NULL;
  const podium_profile_options_t options = {.timeout_ms = CALL_MS};
  client_enter(client, "simulate", CALL_MS);
  const bool is_well = went_well(
      client, podium_simulate(client->executables[item->program], &options, &profile));
  if (is_well) {
    machine_note((uint64_t)profile->step_ps);
    if (profile->step_ps <= 0) {
      machine_fail("%s: a program that takes no time", client->process->name);
    }
    podium_profile_free(profile);
  }
  return is_well;
}
