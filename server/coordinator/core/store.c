// Sessions, their operations and their arrays: three maps by id, and a list of operations
// in each session. Handles are counted by use: dropping one only hides it until the last
// use ends.

#include "server/coordinator/core/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/id_map.h"
#include "common/base/memory.h"
#include "common/digest/digest.h"
#include "common/tensor/tiles.h"
#include "server/coordinator/core/store_private.h"

store_t *store_create(const store_events_t *events) {
  store_t *store = pod_alloc(sizeof(*store));
  store->events = *events;
  store->next_id = store->next_session = store->next_range = 1;
  store->sessions = pod_map_create();
  store->handles = pod_map_create();
  store->arrays = pod_map_create();
  store->executables = pod_map_create();
  return store;
}

uint64_t store_new_id(store_t *store) {
  return store->next_id++;
}

// --- Freeing ---

void store_array_count(store_array_t *array, bool has_hbm) {
  const array_layout_t *layout = array->layout;
  if (layout != NULL && !layout->is_host && array->has_hbm != has_hbm) {
    const int64_t size_bytes = tensor_tiled_bytes(&layout->local);
    array->has_hbm = has_hbm;
    account_add_hbm(array->session->account, layout->chip_count, layout->chips,
                    has_hbm ? size_bytes : -size_bytes);
  }
}

static void free_array(store_array_t *array) {
  store_array_count(array, false);
  array->session->array_count--;
  POD_CHECK(pod_id_map_remove(array->session->store->arrays, array->id) != NULL);
  array_layout_release(array->layout);
  pod_status_free(array->failure);
  free(array->donated_to);
  free(array->lost_reason);
  free(array->lost_chips);
  free(array);
}

static void free_session(store_session_t *session) {
  store_t *store = session->store;
  size_t position = 0;
  void *value;
  while (pod_id_map_next(store->arrays, &position, NULL, &value)) {
    store_array_t *array = value;
    if (array->session == session) {
      POD_CHECK(array->use_count == 0);
      free_array(array);
    }
  }
  position = 0;
  while (pod_id_map_next(store->executables, &position, NULL, &value)) {
    store_executable_t *executable = value;
    if (executable->session == session) {
      POD_CHECK(executable->use_count == 0);
      store_executable_free(executable);
    }
  }
  for (int i = 0; i < STORE_PROFILES_KEPT; i++) {
    store_profile_unuse(session->profiles[i]);
  }
  POD_CHECK(pod_id_map_remove(store->sessions, session->id) != NULL);
  POD_CHECK(pod_map_remove_n(store->handles, (const char *)session->handle,
                             sizeof(session->handle)) == session);
  account_give_back(session->account, ACCOUNT_SESSIONS, 1);
  account_unuse(session->account);
  free(session);
}

void store_destroy(store_t *store) {
  if (store == NULL) {
    return;
  }
  size_t position = 0;
  void *value;
  while (pod_id_map_next(store->sessions, &position, NULL, &value)) {
    POD_CHECK(((store_session_t *)value)->operation_count == 0);
    free_session(value);
  }
  pod_map_destroy(store->sessions);
  pod_map_destroy(store->handles);
  pod_map_destroy(store->arrays);
  pod_map_destroy(store->executables);
  free(store);
}

// --- Sessions ---

// A range goes round after eight million sessions; those that last so long keep theirs.
static uint64_t take_range(store_t *store) {
  enum { RANGES = 1 << 23 };
  for (;;) {
    const uint64_t first_id = store->next_range * STORE_SESSION_IDS;
    store->next_range = store->next_range % (RANGES - 1) + 1;
    bool is_taken = false;
    size_t position = 0;
    void *value;
    while (pod_id_map_next(store->sessions, &position, NULL, &value)) {
      is_taken |= ((const store_session_t *)value)->first_id == first_id;
    }
    if (!is_taken) {
      return first_id;
    }
  }
}

pod_status_t store_open_session(store_t *store, const char *principal, const char *client,
                                bool waits_for_pod, store_session_t **out_session) {
  if (pod_map_count(store->sessions) >= STORE_SESSIONS_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "there are %d sessions already, which is the most: end one first",
                     STORE_SESSIONS_MAX);
  }
  store_session_t *session = pod_alloc(sizeof(*session));
  session->id = store->next_session++;
  session->store = store;
  session->first_id = take_range(store);
  session->waits_for_pod = waits_for_pod;
  snprintf(session->client, sizeof(session->client), "%s", client);
  snprintf(session->principal, sizeof(session->principal), "%s", principal);
  digest_random(session->handle, sizeof(session->handle));
  pod_id_map_put(store->sessions, session->id, session);
  pod_map_put_n(store->handles, (const char *)session->handle, sizeof(session->handle),
                session);
  *out_session = session;
  return NULL;
}

void store_session_set_host(store_session_t *session, const char *host) {
  if (strlen(host) < sizeof(session->host)) {
    strcpy(session->host, host);
  }
}

pod_status_t store_enter_session(const store_t *store, const void *handle,
                                 size_t handle_bytes, const char *principal,
                                 store_session_t **out_session) {
  store_session_t *session = handle_bytes == STORE_HANDLE_BYTES
                                 ? pod_map_get_n(store->handles, handle, handle_bytes)
                                 : NULL;
  if (session == NULL || session->is_closing ||
      strcmp(session->principal, principal) != 0) {
    return pod_error(POD_NOT_FOUND,
                     "there is no such session: it lives as long as the OpenSession call "
                     "that began it, and is that caller's alone");
  }
  *out_session = session;
  return NULL;
}

void store_session_set_account(store_session_t *session, account_t *account) {
  session->account = account;
}

pod_status_t store_find_session(const store_t *store, uint64_t id,
                                store_session_t **out_session) {
  store_session_t *session = pod_id_map_get(store->sessions, id);
  if (session == NULL || session->is_closing) {
    return pod_error(POD_NOT_FOUND,
                     "there is no session %" PRIu64
                     ": it lives as long as the OpenSession call that began it",
                     id);
  }
  *out_session = session;
  return NULL;
}

// Stopping one may end others, so that the walk begins anew each time.
static void stop_operations(store_session_t *session) {
  for (store_operation_t *at = session->operations; at != NULL;) {
    if (at->is_stopping) {
      at = at->next;
      continue;
    }
    at->is_stopping = true;
    at->stop(at);
    at = session->operations;
  }
}

static void end_session(store_session_t *session) {
  const store_events_t events = session->store->events;
  const uint64_t id = session->id;
  free_session(session);
  events.session_gone(events.context, id);
}

void store_close_session(store_session_t *session) {
  POD_CHECK(!session->is_closing);
  // Its own operation: the last of the others must not end the session under our feet.
  session->operation_count++;
  session->is_closing = true;
  stop_operations(session);
  if (--session->operation_count == 0) {
    end_session(session);
  }
}

bool store_owns_chip(const store_session_t *session, int32_t chip) {
  return session->group == NULL || gang_owner(session->group, chip) == session->member;
}

int32_t store_session_count(const store_t *store) {
  return (int32_t)pod_map_count(store->sessions);
}

int32_t store_operation_count(const store_t *store) {
  int32_t count = 0;
  size_t position = 0;
  void *value;
  while (pod_id_map_next(store->sessions, &position, NULL, &value)) {
    count += ((store_session_t *)value)->operation_count;
  }
  return count;
}

static void begin(store_session_t *session, store_operation_t *operation,
                  void (*stop)(store_operation_t *), bool is_queued) {
  *operation = (store_operation_t){.session = session,
                                   .next = session->operations,
                                   .is_queued = is_queued,
                                   .stop = stop};
  if (session->operations != NULL) {
    session->operations->previous = operation;
  }
  session->operations = operation;
  session->operation_count++;
  session->queued_count += is_queued;
}

pod_status_t store_operation_begin(store_session_t *session, store_operation_t *operation,
                                   void (*stop)(store_operation_t *)) {
  POD_CHECK(!session->is_closing);
  if (session->operation_count - session->queued_count >= STORE_OPERATIONS_MAX) {
    return pod_error(
        POD_RESOURCE_EXHAUSTED,
        "session %" PRIu64
        " has %d calls under way already, which is the most: let one end first",
        session->id, STORE_OPERATIONS_MAX);
  }
  begin(session, operation, stop, false);
  return NULL;
}

pod_status_t store_operation_queue(store_session_t *session, store_operation_t *operation,
                                   void (*stop)(store_operation_t *)) {
  POD_CHECK(!session->is_closing);
  if (session->queued_count >= STORE_QUEUED_MAX) {
    return pod_error(
        POD_RESOURCE_EXHAUSTED,
        "session %" PRIu64
        " has %d executions that have not ended, which is the most: let some "
        "end first",
        session->id, STORE_QUEUED_MAX);
  }
  begin(session, operation, stop, true);
  return NULL;
}

void store_operation_end(store_operation_t *operation) {
  store_session_t *session = operation->session;
  if (operation->previous != NULL) {
    operation->previous->next = operation->next;
  } else {
    session->operations = operation->next;
  }
  if (operation->next != NULL) {
    operation->next->previous = operation->previous;
  }
  session->queued_count -= operation->is_queued;
  if (--session->operation_count == 0 && session->is_closing) {
    end_session(session);
  }
}

void store_stop_operations(store_t *store) {
  size_t position = 0;
  void *value;
  while (pod_id_map_next(store->sessions, &position, NULL, &value)) {
    stop_operations(value);
  }
}

// --- Arrays ---

pod_status_t store_check_room(const store_session_t *session, size_t count) {
  if (count > (size_t)(STORE_ARRAYS_MAX - session->array_count)) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "session %" PRIu64 " has %" PRId32
                     " arrays and may have %d; %zu more are too many: free some",
                     session->id, session->array_count, STORE_ARRAYS_MAX, count);
  }
  return NULL;
}

pod_status_t store_check_hbm(const store_session_t *session,
                             const array_layout_t *layout) {
  return layout->is_host
             ? NULL
             : account_check_hbm(session->account, layout->chip_count, layout->chips,
                                 tensor_tiled_bytes(&layout->local));
}

store_array_t *store_add_array(store_session_t *session, uint64_t id,
                               array_layout_t *layout) {
  store_array_t *array = pod_alloc(sizeof(*array));
  array->id = id;
  array->session = session;
  array->layout = layout == NULL ? NULL : array_layout_retain(layout);
  session->array_count++;
  pod_id_map_put(session->store->arrays, id, array);
  store_array_count(array, true);
  return array;
}

store_array_t *store_add_pending(store_session_t *session, uint64_t id,
                                 array_layout_t *layout) {
  store_array_t *array = store_add_array(session, id, layout);
  array->state = STORE_ARRAY_PENDING;
  return array;
}

void store_add_failed(store_session_t *session, uint64_t id, pod_status_t failure) {
  store_array_t *array = store_add_array(session, id, NULL);
  array->state = STORE_ARRAY_FAILED;
  array->failure = failure;
}

pod_status_t store_check_new_id(const store_session_t *session, uint64_t id) {
  if (id < session->first_id || id - session->first_id >= STORE_SESSION_IDS) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the id %" PRIu64 " is not one that session %" PRIu64
                     " may choose, which are %" PRIu64 " to %" PRIu64,
                     id, session->id, session->first_id,
                     session->first_id + STORE_SESSION_IDS - 1);
  }
  if (pod_id_map_get(session->store->arrays, id) != NULL) {
    return pod_error(POD_ALREADY_EXISTS,
                     "session %" PRIu64 " has an array %" PRIu64 " already", session->id,
                     id);
  }
  return NULL;
}

store_array_t *store_declared_array(const store_session_t *session, uint64_t id) {
  store_array_t *array = pod_id_map_get(session->store->arrays, id);
  return array != NULL && array->session == session && array->is_declared ? array : NULL;
}

pod_status_t store_check_declared(const store_session_t *session, uint64_t id) {
  const store_array_t *array = pod_id_map_get(session->store->arrays, id);
  return array != NULL && array->session == session && array->state == STORE_ARRAY_FAILED
             ? pod_status_copy(array->failure)
             : NULL;
}

pod_status_t store_find_handle(const store_session_t *session, uint64_t id,
                               store_array_t **out_array) {
  store_array_t *array = pod_id_map_get(session->store->arrays, id);
  if (array == NULL || array->session != session || array->is_dropped) {
    return pod_error(POD_NOT_FOUND, "session %" PRIu64 " has no array %" PRIu64,
                     session->id, id);
  }
  *out_array = array;
  return NULL;
}

pod_status_t store_find_array(const store_session_t *session, uint64_t id,
                              store_array_t **out_array) {
  store_array_t *array;
  POD_TRY(store_find_handle(session, id, &array));
  if (array->donated_to != NULL) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "array %" PRIu64
                     " was donated to an execution of '%s': Array has been deleted",
                     id, array->donated_to);
  }
  *out_array = array;
  return NULL;
}

pod_status_t store_check_whole(const store_array_t *array) {
  if (array->state == STORE_ARRAY_FAILED) {
    return pod_status_copy(array->failure);
  }
  if (array->lost_reason != NULL) {
    return pod_error(POD_DATA_LOSS,
                     "array %" PRIu64 " has lost its part on %s; put it again", array->id,
                     array->lost_reason);
  }
  return NULL;
}

void store_array_use(store_array_t *array) {
  array->use_count++;
}

// The chips free it as soon as nothing that they have yet to be given needs it; the books
// keep it until the last use ends.
static void let_array_go(store_array_t *array) {
  const store_session_t *session = array->session;
  const bool is_made = array->state != STORE_ARRAY_PENDING;
  if (!array->is_dropped || array->use_count > array->flight_count ||
      !(is_made || array->is_under_way)) {
    return;
  }
  const store_events_t events = session->store->events;
  const bool in_turn = array->flight_count > 0 || !is_made;
  const bool is_on_chips =
      array->state != STORE_ARRAY_FAILED && !array->is_gone && !session->is_closing;
  const uint64_t id = array->id;
  array->is_gone = true;
  if (is_made && array->use_count == 0) {
    free_array(array);
  }
  if (is_on_chips) {  // Else the chips free all of the session in one go.
    events.array_gone(events.context, id, in_turn);
  }
}

void store_array_fly(store_array_t *array) {
  array->flight_count++;
  let_array_go(array);
}

void store_array_land(store_array_t *array) {
  POD_CHECK(array->flight_count > 0);
  array->flight_count--;
}

void store_array_unuse(store_array_t *array) {
  POD_CHECK(array->use_count > 0);
  array->use_count--;
  let_array_go(array);
}

void store_array_drop(store_array_t *array) {
  array->is_dropped = true;
  let_array_go(array);
}

static void wake_all(store_array_t *array) {
  // In the order in which they came. A waiter may leave while others wake.
  store_waiter_t *first = NULL;
  while (array->waiters != NULL) {
    store_waiter_t *waiter = array->waiters;
    array->waiters = waiter->next;
    waiter->next = first;
    first = waiter;
  }
  array->waiters = first;
  while (array->waiters != NULL) {
    store_waiter_t *waiter = array->waiters;
    array->waiters = waiter->next;
    waiter->array = NULL;
    waiter->wake(waiter);
  }
}

static void resolve(store_array_t *array, store_array_state_t state) {
  POD_CHECK(array->state == STORE_ARRAY_PENDING);
  array->state = state;
  store_array_use(array);
  wake_all(array);
  store_array_unuse(array);
}

void store_array_ready(store_array_t *array) {
  resolve(array, STORE_ARRAY_READY);
}

void store_array_fail(store_array_t *array, pod_status_t failure) {
  const store_events_t events = array->session->store->events;
  array->failure = failure;
  store_array_count(array, false);
  if (!array->session->is_closing && !array->is_declared && !array->is_gone) {
    array->is_gone = true;
    events.array_gone(events.context, array->id, array->is_under_way);
  }
  resolve(array, STORE_ARRAY_FAILED);
}

void store_array_await(store_array_t *array, store_waiter_t *waiter,
                       void (*wake)(store_waiter_t *waiter)) {
  POD_CHECK(array->state == STORE_ARRAY_PENDING && waiter->array == NULL);
  *waiter = (store_waiter_t){.array = array, .next = array->waiters, .wake = wake};
  array->waiters = waiter;
}

void store_array_leave(store_waiter_t *waiter) {
  if (waiter->array == NULL) {
    return;
  }
  store_waiter_t **at = &waiter->array->waiters;
  while (*at != waiter) {
    at = &(*at)->next;
  }
  *at = waiter->next;
  waiter->array = NULL;
}

void store_lose_chip(store_t *store, int32_t chip, const char *reason) {
  size_t position = 0;
  void *value;
  while (pod_id_map_next(store->arrays, &position, NULL, &value)) {
    store_array_t *array = value;
    // What is being made hears of the loss where it is made.
    const int32_t index =
        array->state == STORE_ARRAY_READY ? array_layout_find(array->layout, chip) : -1;
    if (index < 0) {
      continue;
    }
    if (array->lost_reason == NULL) {
      array->lost_reason = pod_strdup(reason);
      array->lost_chips =
          pod_alloc((size_t)array->layout->chip_count * sizeof(*array->lost_chips));
    }
    array->lost_chips[index] = true;
  }
  position = 0;
  while (pod_id_map_next(store->executables, &position, NULL, &value)) {
    store_executable_t *executable = value;
    for (int32_t i = 0; i < executable->chip_count; i++) {
      if (executable->chips[i] == chip) {
        executable->loaded_epochs[i] = 0;
      }
    }
  }
}
