// Writes JSON (RFC 8259) to a text, value by value, in the order of the calls.
//
//   pod_json_t json = {.text = &text};
//   pod_json_begin_object(&json, NULL);
//   pod_json_add_text(&json, "name", name);
//   pod_json_end_object(&json);
//
// What it writes may stand within HTML as it is: "<", ">" and "&" of texts are escaped,
// so that no text can end the element or begin another one; so are U+2028 and U+2029, and
// control characters. Bytes that are no UTF-8 become U+FFFD.
//
// `name` is the key, of an object's member; NULL in a list and for the whole value. Keys
// are escaped as texts are.
//
// Determinism: the same calls, the same bytes, in every locale.
// Threading: one thread at a time. Errors: none; that what begins ends is up to the
// caller.

#ifndef COMMON_BASE_JSON_H_
#define COMMON_BASE_JSON_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

typedef struct pod_json_t {
  pod_text_t *text;  // Borrowed.
  bool needs_comma;
} pod_json_t;

void pod_json_begin_object(pod_json_t *json, const char *name);
void pod_json_end_object(pod_json_t *json);
void pod_json_begin_list(pod_json_t *json, const char *name);
void pod_json_end_list(pod_json_t *json);

// NULL is written as null.
void pod_json_add_text(pod_json_t *json, const char *name, const char *value);
// Exact here; readers whose numbers are doubles have 53 bits of it.
void pod_json_add_int(pod_json_t *json, const char *name, int64_t value);
// The shortest of 15 to 17 digits that is read back as the same number; null for what is
// not finite.
void pod_json_add_double(pod_json_t *json, const char *name, double value);
void pod_json_add_bool(pod_json_t *json, const char *name, bool value);
void pod_json_add_null(pod_json_t *json, const char *name);

// `value`, which is JSON already.
void pod_json_add_raw(pod_json_t *json, const char *name, const char *value,
                      size_t length);

#endif  // COMMON_BASE_JSON_H_
