// Executables of sessions: what of a program outlives its compiling, on which chips it
// is loaded, and whether arrays suit its arguments.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/id_map.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/coordinator/core/store_private.h"

static void destroy_executable(store_executable_t *executable) {
  for (int32_t i = 0; i < executable->argument_count; i++) {
    array_layout_release(executable->arguments[i]);
    free(executable->argument_names[i]);
  }
  for (int32_t i = 0; i < executable->result_count; i++) {
    array_layout_release(executable->results[i]);
  }
  free(executable->arguments);
  free(executable->argument_names);
  free(executable->results);
  free(executable->name);
  compiled_unuse(executable->compiled);
  free(executable->chips);
  free(executable->own);
  free(executable->own_index);
  free(executable->loaded_epochs);
  free(executable);
}

void store_executable_free(store_executable_t *executable) {
  executable->session->executable_count--;
  account_give_back(executable->session->account, ACCOUNT_PROGRAM_BYTES,
                    executable->counted_bytes);
  POD_CHECK(pod_id_map_remove(executable->session->store->executables, executable->id) !=
            NULL);
  destroy_executable(executable);
}

static pod_status_t copy_interfaces(const chip_interface_t *interfaces, int32_t count,
                                    array_layout_t **layouts, int32_t *out_done) {
  for (int32_t i = 0; i < count; i++) {
    POD_TRY(
        array_layout_create(&interfaces[i].shape, interfaces[i].sharding, &layouts[i]));
    layouts[i]->is_host = interfaces[i].is_host;
    *out_done = i + 1;
  }
  return NULL;
}

static pod_status_t fill_executable(store_executable_t *executable,
                                    const chip_program_t *program) {
  const size_t argument_count = (size_t)program->argument_count;
  executable->arguments = pod_alloc(argument_count * sizeof(array_layout_t *));
  executable->argument_names = pod_alloc(argument_count * sizeof(char *));
  executable->results =
      pod_alloc((size_t)program->result_count * sizeof(array_layout_t *));
  executable->chip_count = (int32_t)program->mesh->device_count;
  executable->chips =
      pod_alloc((size_t)executable->chip_count * sizeof(*executable->chips));
  for (int32_t i = 0; i < executable->chip_count; i++) {
    executable->chips[i] = (int32_t)mesh_device(program->mesh, i);
  }
  executable->loaded_epochs =
      pod_alloc((size_t)executable->chip_count * sizeof(*executable->loaded_epochs));
  executable->name = pod_strdup(program->name);
  if (!executable->is_loadable) {
    return NULL;
  }
  POD_TRY(copy_interfaces(program->arguments, program->argument_count,
                          executable->arguments, &executable->argument_count));
  for (size_t i = 0; i < argument_count; i++) {
    executable->argument_names[i] = pod_strdup(program->arguments[i].name);
  }
  return copy_interfaces(program->results, program->result_count, executable->results,
                         &executable->result_count);
}

static bool has_loops(const chip_program_t *program) {
  for (int32_t i = 0; i < program->instruction_count; i++) {
    if (program->instructions[i].op == CHIP_OP_WHILE) {
      return true;
    }
  }
  return false;
}

static void list_own(store_executable_t *executable, const store_session_t *session) {
  const size_t count = (size_t)executable->chip_count;
  executable->own = pod_alloc(count * sizeof(*executable->own));
  executable->own_index = pod_alloc(count * sizeof(*executable->own_index));
  for (int32_t i = 0; i < executable->chip_count; i++) {
    const bool is_own = store_owns_chip(session, executable->chips[i]);
    executable->own_index[i] = is_own ? executable->own_count : -1;
    executable->own[executable->own_count] = i;
    executable->own_count += is_own;
  }
}

pod_status_t store_add_executable(store_session_t *session, const chip_program_t *program,
                                  compiled_t *compiled, bool is_loadable,
                                  store_executable_t **out_executable) {
  store_executable_t *executable = pod_alloc(sizeof(*executable));
  executable->compiled = compiled_use(compiled);
  executable->counted_bytes = compiled_size_bytes(compiled);
  executable->is_loadable = is_loadable;
  pod_status_t status = fill_executable(executable, program);
  if (status == NULL && session->executable_count >= STORE_EXECUTABLES_MAX) {
    status = pod_error(POD_RESOURCE_EXHAUSTED,
                       "session %" PRIu64
                       " has %d executables already, which is the most: free some",
                       session->id, STORE_EXECUTABLES_MAX);
  }
  if (status == NULL) {
    status =
        account_take(session->account, ACCOUNT_PROGRAM_BYTES, executable->counted_bytes);
  }
  if (status != NULL) {
    destroy_executable(executable);
    return status;
  }
  list_own(executable, session);
  executable->has_loops = has_loops(program);
  executable->id = store_new_id(session->store);
  executable->session = session;
  session->executable_count++;
  pod_id_map_put(session->store->executables, executable->id, executable);
  *out_executable = executable;
  return NULL;
}

pod_status_t store_find_executable(const store_session_t *session, uint64_t id,
                                   store_executable_t **out_executable) {
  store_executable_t *executable = pod_id_map_get(session->store->executables, id);
  if (executable == NULL || executable->session != session || executable->is_dropped) {
    return pod_error(POD_NOT_FOUND, "session %" PRIu64 " has no executable %" PRIu64,
                     session->id, id);
  }
  *out_executable = executable;
  return NULL;
}

pod_status_t store_check_loadable(const store_executable_t *executable) {
  if (!executable->is_loadable) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "executable %" PRIu64
                     " (%s) was compiled only to be looked at and simulated: compile it "
                     "without `only` to run it",
                     executable->id, executable->name);
  }
  return NULL;
}

void store_executable_use(store_executable_t *executable) {
  executable->use_count++;
}

static void let_executable_go(store_executable_t *executable) {
  const store_session_t *session = executable->session;
  if (!executable->is_dropped || executable->use_count > 0) {
    return;
  }
  const store_events_t events = session->store->events;
  const bool is_on_chips = !session->is_closing && executable->is_loadable;
  const uint64_t id = executable->id;
  const int32_t chip_count = executable->chip_count;
  int32_t *chips = executable->chips;
  executable->chips = NULL;
  store_executable_free(executable);
  if (is_on_chips) {
    events.executable_gone(events.context, id, chip_count, chips);
  }
  free(chips);
}

void store_executable_unuse(store_executable_t *executable) {
  POD_CHECK(executable->use_count > 0);
  executable->use_count--;
  let_executable_go(executable);
}

void store_executable_drop(store_executable_t *executable) {
  executable->is_dropped = true;
  let_executable_go(executable);
}

static pod_status_t mismatch(const store_executable_t *executable, size_t index,
                             const store_array_t *array) {
  pod_text_t text = {0};
  array_layout_print(&text, executable->arguments[index]);
  pod_text_printf(&text, ", array %" PRIu64 " is ", array->id);
  array_layout_print(&text, array->layout);
  const pod_status_t status =
      pod_error(POD_INVALID_ARGUMENT, "argument %zu (%s) of %s is %s", index,
                executable->argument_names[index], executable->name, text.bytes);
  pod_text_deinit(&text);
  return status;
}

// What uses a failed array fails with the very same error, however long the chain.
static pod_status_t check_argument(const store_executable_t *executable, size_t index,
                                   const store_array_t *array) {
  if (array->state == STORE_ARRAY_FAILED) {
    return pod_status_copy(array->failure);
  }
  if (!array_layout_equal(executable->arguments[index], array->layout)) {
    return mismatch(executable, index, array);
  }
  return pod_status_context(store_check_whole(array), "argument %zu (%s) of %s", index,
                            executable->argument_names[index], executable->name);
}

// `device` is a position of the program's mesh.
static pod_status_t check_part(const store_executable_t *executable, size_t index,
                               int32_t device, const store_array_t *array) {
  const array_layout_t *wanted = executable->arguments[index];
  if (array->state == STORE_ARRAY_FAILED) {
    return pod_status_copy(array->failure);
  }
  if (!tensor_shape_equal(&wanted->local, &array->layout->local)) {
    return mismatch(executable, index, array);
  }
  if (wanted->chip_count != executable->chip_count) {
    return pod_error(POD_UNIMPLEMENTED,
                     "argument %zu (%s) of %s lies on %" PRId32 " of its %" PRId32
                     " chips: it cannot be given by chip",
                     index, executable->argument_names[index], executable->name,
                     wanted->chip_count, executable->chip_count);
  }
  const int32_t chip = executable->chips[device];
  const int32_t part = array_layout_find(array->layout, chip);
  if (part < 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "argument %zu (%s) of %s on chip %" PRId32 ": array %" PRIu64
                     " has no part there",
                     index, executable->argument_names[index], executable->name, chip,
                     array->id);
  }
  if (array->lost_chips != NULL && array->lost_chips[part]) {
    return pod_status_context(store_check_whole(array),
                              "argument %zu (%s) of %s on chip %" PRId32, index,
                              executable->argument_names[index], executable->name, chip);
  }
  return NULL;
}

pod_status_t store_check_arguments(const store_executable_t *executable, bool by_chip,
                                   size_t count, store_array_t *const *arrays) {
  const size_t chips = by_chip ? (size_t)executable->own_count : 1;
  if (count != (size_t)executable->argument_count * chips) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s takes %" PRId32 " arguments%s, %zu were given", executable->name,
                     executable->argument_count,
                     !by_chip ? ""
                     : executable->own_count == executable->chip_count
                         ? " on each of its chips"
                         : " on each of its chips that are the process's own",
                     count);
  }
  for (size_t i = 0; i < count; i++) {
    POD_TRY(by_chip
                ? check_part(executable, i / chips, executable->own[i % chips], arrays[i])
                : check_argument(executable, i, arrays[i]));
  }
  return NULL;
}
