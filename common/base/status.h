// Errors that carry a code, a sentence for the reader, and the place they were made.
//
// A status is NULL when all went well. Any other status is a heap object with one owner:
// the receiver must return it, hand it on, or free it. A dropped error is therefore a
// leak, and the leak check of every test run finds it.
//
// Codes are the canonical gRPC codes, so a status crosses the wire unchanged.
//
// Threading: a status may move between threads but is never shared.

#ifndef COMMON_BASE_STATUS_H_
#define COMMON_BASE_STATUS_H_

typedef enum pod_code_t {
  POD_OK = 0,
  POD_CANCELLED = 1,         // The caller asked for the work to stop.
  POD_UNKNOWN = 2,           // A foreign peer gave no better code.
  POD_INVALID_ARGUMENT = 3,  // Wrong whatever the state of the system; do not retry.
  POD_DEADLINE_EXCEEDED = 4,
  POD_NOT_FOUND = 5,
  POD_ALREADY_EXISTS = 6,
  POD_PERMISSION_DENIED = 7,
  POD_RESOURCE_EXHAUSTED = 8,   // Out of HBM, of chips, of host memory.
  POD_FAILED_PRECONDITION = 9,  // Not in this state; retry only after changing it.
  POD_ABORTED = 10,
  POD_OUT_OF_RANGE = 11,
  POD_UNIMPLEMENTED = 12,
  POD_INTERNAL = 13,     // A broken invariant of ours.
  POD_UNAVAILABLE = 14,  // A peer is away; retry with backoff.
  POD_DATA_LOSS = 15,    // Bytes arrived wrong or out of order.
  POD_UNAUTHENTICATED = 16,
} pod_code_t;

enum { POD_CODE_COUNT = 17 };

typedef struct pod_status *pod_status_t;

#define POD_MUST_USE __attribute__((warn_unused_result))
#define POD_PRINTF(text_at, args_at) __attribute__((format(printf, text_at, args_at)))

// Makes an error at the calling line: pod_error(POD_NOT_FOUND, "no chip %u", id).
#define pod_error(code, ...) pod_error_at(__FILE__, __LINE__, (code), __VA_ARGS__)

// Returns from the calling function when `expr` is an error. Only for functions that hold
// nothing to release at that point; the others use `goto cleanup`.
#define POD_TRY(expr)                        \
  do {                                       \
    const pod_status_t try_status_ = (expr); \
    if (try_status_ != NULL) {               \
      return try_status_;                    \
    }                                        \
  } while (0)

// Never fails: when memory runs out it returns a shared RESOURCE_EXHAUSTED status, which
// pod_status_free ignores.
POD_MUST_USE POD_PRINTF(4, 5) pod_status_t
    pod_error_at(const char *file, int line, pod_code_t code, const char *format, ...);

// The same with a ready sentence of any length; `message` is copied.
POD_MUST_USE pod_status_t pod_error_text(const char *file, int line, pod_code_t code,
                                         const char *message);

// Puts "what: " before the message, once per layer that knows more. Takes `status`; NULL
// stays NULL.
POD_MUST_USE POD_PRINTF(2, 3) pod_status_t
    pod_status_context(pod_status_t status, const char *format, ...);

// Returns owned.
POD_MUST_USE pod_status_t pod_status_copy(pod_status_t status);

pod_code_t pod_status_code(pod_status_t status);

// "RESOURCE_EXHAUSTED"; "UNKNOWN" for a number that is no code. A literal.
const char *pod_code_name(pod_code_t code);

// Borrowed: valid until `status` is freed. Never NULL.
const char *pod_status_message(pod_status_t status);

// Accepts NULL.
void pod_status_free(pod_status_t status);

#endif  // COMMON_BASE_STATUS_H_
