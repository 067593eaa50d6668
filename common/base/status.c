// OK is NULL, so that success costs nothing; an error is one block with its message
// behind it. Out of memory is a static error, which needs no memory.

#include "common/base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pod_status {
  pod_code_t code;
  const char *file;  // A __FILE__ literal.
  int line;
  char *message;  // In the same allocation, behind the struct.
};

// Static, so that running out of memory can be reported without memory.
static char out_of_memory_message[] = "out of host memory";
static struct pod_status out_of_memory = {
    .code = POD_RESOURCE_EXHAUSTED, .file = __FILE__, .message = out_of_memory_message};

static pod_status_t make(const char *file, int line, pod_code_t code, size_t length) {
  struct pod_status *status = malloc(sizeof(*status) + length + 1);
  if (status == NULL) {
    return &out_of_memory;
  }
  status->code = code;
  status->file = file;
  status->line = line;
  status->message = (char *)(status + 1);
  status->message[0] = '\0';
  return status;
}

pod_status_t pod_error_text(const char *file, int line, pod_code_t code,
                            const char *message) {
  const size_t length = strlen(message);
  const pod_status_t status = make(file, line, code, length);
  if (status != &out_of_memory) {
    memcpy(status->message, message, length + 1);
  }
  return status;
}

pod_status_t pod_error_at(const char *file, int line, pod_code_t code, const char *format,
                          ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, args);
  const pod_status_t status = make(file, line, code, length < 0 ? 0 : (size_t)length);
  if (status != &out_of_memory && length >= 0) {
    vsnprintf(status->message, (size_t)length + 1, format, again);
  }
  va_end(again);
  va_end(args);
  return status;
}

pod_status_t pod_status_context(pod_status_t status, const char *format, ...) {
  if (status == NULL || status == &out_of_memory) {
    return status;
  }
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, args);
  const size_t prefix = length < 0 ? 0 : (size_t)length;
  const size_t rest = strlen(status->message);
  const pod_status_t longer =
      make(status->file, status->line, status->code, prefix + 2 + rest);
  if (longer != &out_of_memory) {
    vsnprintf(longer->message, prefix + 1, format, again);
    memcpy(longer->message + prefix, ": ", 2);
    memcpy(longer->message + prefix + 2, status->message, rest + 1);
  }
  va_end(again);
  va_end(args);
  pod_status_free(status);
  return longer;
}

pod_status_t pod_status_copy(pod_status_t status) {
  if (status == NULL || status == &out_of_memory) {
    return status;
  }
  return pod_error_text(status->file, status->line, status->code, status->message);
}

pod_code_t pod_status_code(pod_status_t status) {
  return status == NULL ? POD_OK : status->code;
}

const char *pod_code_name(pod_code_t code) {
  static const char *const names[POD_CODE_COUNT] = {
      "OK",
      "CANCELLED",
      "UNKNOWN",
      "INVALID_ARGUMENT",
      "DEADLINE_EXCEEDED",
      "NOT_FOUND",
      "ALREADY_EXISTS",
      "PERMISSION_DENIED",
      "RESOURCE_EXHAUSTED",
      "FAILED_PRECONDITION",
      "ABORTED",
      "OUT_OF_RANGE",
      "UNIMPLEMENTED",
      "INTERNAL",
      "UNAVAILABLE",
      "DATA_LOSS",
      "UNAUTHENTICATED",
  };
  return (unsigned)code < POD_CODE_COUNT ? names[code] : "UNKNOWN";
}

const char *pod_status_message(pod_status_t status) {
  return status == NULL ? "ok" : status->message;
}

void pod_status_free(pod_status_t status) {
  if (status != &out_of_memory) {
    free(status);
  }
}
