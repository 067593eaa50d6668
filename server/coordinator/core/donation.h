// What executions consume: the arrays given for arguments that a program donates (JAX's
// donate_argnums) are gone with the call that names them. Whoever uses them afterwards is
// told so (store_find_array); their handles stay until they are freed.
//
// An execution that fails before any chip has consumed its part gives them back. When
// that is not known, because a chip's call was cut off, it gives them back too: the chips
// themselves know what they have consumed, and say so.
//
// Threading: one thread at a time.

#ifndef SERVER_COORDINATOR_CORE_DONATION_H_
#define SERVER_COORDINATOR_CORE_DONATION_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/coordinator/core/store.h"

// The arrays given to an execution.
typedef struct donation_call_t {
  uint64_t execution;
  const store_executable_t *executable;  // Loadable.
  store_array_t *const *arrays;  // [argument], or [argument][chip] when `per_argument` is
  size_t per_argument;           // the count of chips.
  size_t kept_count;
  const int32_t *kept;  // Arguments by number that are not consumed.
} donation_call_t;

// Marks what the call consumes. INVALID_ARGUMENT, with nothing marked, when an array is
// donated twice, or donated and used as another argument, or when `kept` names an
// argument that does not exist.
POD_MUST_USE pod_status_t donation_take(const donation_call_t *call);

// It is over and nothing was consumed: they are there as before.
void donation_give_back(const donation_call_t *call);

// Whether somebody still reads what the call consumes.
bool donation_is_read(const donation_call_t *call);

#endif  // SERVER_COORDINATOR_CORE_DONATION_H_
