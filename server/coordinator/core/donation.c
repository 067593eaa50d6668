// An array knows which execution consumes it, and as which argument: two passes over the
// arguments find whatever is named twice.

#include "server/coordinator/core/donation.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/memory.h"

static const chip_program_t *program_of(const donation_call_t *call) {
  return call->executable->compiled->result->program;
}

static pod_status_t read_kept(const donation_call_t *call, bool **out_is_kept) {
  const store_executable_t *executable = call->executable;
  for (size_t i = 0; i < call->kept_count; i++) {
    if (call->kept[i] < 0 || call->kept[i] >= executable->argument_count) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "argument %" PRId32 " of %s is to be kept, which has %" PRId32,
                       call->kept[i], executable->name, executable->argument_count);
    }
  }
  *out_is_kept = pod_alloc((size_t)executable->argument_count * sizeof(bool));
  for (size_t i = 0; i < call->kept_count; i++) {
    (*out_is_kept)[call->kept[i]] = true;
  }
  return NULL;
}

static pod_status_t twice_error(const donation_call_t *call, const store_array_t *array,
                                int32_t argument, bool is_donated) {
  char *const *names = call->executable->argument_names;
  return pod_error(
      POD_INVALID_ARGUMENT,
      "attempt to %s: array %" PRIu64 " is argument %" PRId32
      " (%s), which '%s' donates, "
      "and argument %" PRId32 " (%s)%s; give a copy, or name the argument in `kept`",
      is_donated ? "donate the same buffer twice" : "use a donated buffer", array->id,
      array->donated_as, names[array->donated_as], call->executable->name, argument,
      names[argument], is_donated ? ", which it donates too" : "");
}

// Of one argument: on every chip the same array, or one for each.
static pod_status_t take_argument(const donation_call_t *call, int32_t argument) {
  store_array_t *const *arrays = &call->arrays[(size_t)argument * call->per_argument];
  for (size_t i = 0; i < call->per_argument; i++) {
    store_array_t *array = arrays[i];
    if (array->donated_to == NULL) {
      array->donated_to = pod_strdup(call->executable->name);
      array->donated_by = call->execution;
      array->donated_as = argument;
      store_array_count(array, false);
    } else if (array->donated_as != argument) {
      return twice_error(call, array, argument, true);
    }
  }
  return NULL;
}

// What is consumed as one argument must not be another one that stays.
static pod_status_t check_others(const donation_call_t *call) {
  for (int32_t argument = 0; argument < call->executable->argument_count; argument++) {
    store_array_t *const *arrays = &call->arrays[(size_t)argument * call->per_argument];
    for (size_t i = 0; i < call->per_argument; i++) {
      if (arrays[i]->donated_to != NULL && arrays[i]->donated_as != argument) {
        return twice_error(call, arrays[i], argument, false);
      }
    }
  }
  return NULL;
}

pod_status_t donation_take(const donation_call_t *call) {
  const chip_program_t *program = program_of(call);
  if (program->alias_count == 0 && call->kept_count == 0) {
    return NULL;
  }
  bool *is_kept = NULL;
  POD_TRY(read_kept(call, &is_kept));
  pod_status_t status = NULL;
  for (int32_t i = 0; i < program->alias_count && status == NULL; i++) {
    const int32_t argument = program->aliases[i].argument;
    status = is_kept[argument] ? NULL : take_argument(call, argument);
  }
  if (status == NULL) {
    status = check_others(call);
  }
  free(is_kept);
  if (status != NULL) {
    donation_give_back(call);
  }
  return status;
}

static bool is_taken(const donation_call_t *call, const store_array_t *array) {
  return array->donated_to != NULL && array->donated_by == call->execution;
}

void donation_give_back(const donation_call_t *call) {
  const size_t count = (size_t)call->executable->argument_count * call->per_argument;
  for (size_t i = 0; i < count; i++) {
    if (is_taken(call, call->arrays[i])) {
      free(call->arrays[i]->donated_to);
      call->arrays[i]->donated_to = NULL;
      store_array_count(call->arrays[i], true);
    }
  }
}

bool donation_is_read(const donation_call_t *call) {
  const size_t count = (size_t)call->executable->argument_count * call->per_argument;
  for (size_t i = 0; i < count; i++) {
    if (call->arrays[i]->reader_count > 0 && is_taken(call, call->arrays[i])) {
      return true;
    }
  }
  return false;
}
