// A comma is due before a value unless something has just begun; the flag says so, and no
// stack is needed.

#include "common/base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One character that may not stand for itself. Returns the bytes of `text` that were
// dealt with; 0: it may.
static size_t add_special(pod_text_t *out, const unsigned char *text, size_t left) {
  const unsigned char byte = text[0];
  if (byte == '"' || byte == '\\') {
    pod_text_printf(out, "\\%c", byte);
    return 1;
  }
  if (byte < 0x20 || byte == 0x7f || byte == '<' || byte == '>' || byte == '&') {
    pod_text_printf(out, "\\u%04x", byte);
    return 1;
  }
  // U+2028 and U+2029 end lines in JavaScript.
  if (left >= 3 && byte == 0xe2 && text[1] == 0x80 &&
      (text[2] == 0xa8 || text[2] == 0xa9)) {
    pod_text_printf(out, "\\u20%02x", text[2] - 0x80);
    return 3;
  }
  return 0;
}

static void add_quoted(pod_text_t *out, const char *value) {
  const unsigned char *text = (const unsigned char *)value;
  const size_t length = strlen(value);
  pod_text_add(out, "\"");
  for (size_t i = 0; i < length;) {
    size_t done = add_special(out, text + i, length - i);
    if (done == 0) {
      done = pod_utf8_length(value + i, length - i);
      if (done > 0) {
        pod_text_add_bytes(out, value + i, done);
      } else {
        pod_text_add(out, "\xef\xbf\xbd");
        done = 1;
      }
    }
    i += done;
  }
  pod_text_add(out, "\"");
}

static void begin_value(pod_json_t *json, const char *name) {
  if (json->needs_comma) {
    pod_text_add(json->text, ",");
  }
  if (name != NULL) {
    add_quoted(json->text, name);
    pod_text_add(json->text, ":");
  }
  json->needs_comma = true;
}

static void begin(pod_json_t *json, const char *name, const char *bracket) {
  begin_value(json, name);
  pod_text_add(json->text, bracket);
  json->needs_comma = false;
}

static void end(pod_json_t *json, const char *bracket) {
  pod_text_add(json->text, bracket);
  json->needs_comma = true;
}

void pod_json_begin_object(pod_json_t *json, const char *name) {
  begin(json, name, "{");
}

void pod_json_end_object(pod_json_t *json) {
  end(json, "}");
}

void pod_json_begin_list(pod_json_t *json, const char *name) {
  begin(json, name, "[");
}

void pod_json_end_list(pod_json_t *json) {
  end(json, "]");
}

void pod_json_add_text(pod_json_t *json, const char *name, const char *value) {
  if (value == NULL) {
    pod_json_add_null(json, name);
    return;
  }
  begin_value(json, name);
  add_quoted(json->text, value);
}

void pod_json_add_int(pod_json_t *json, const char *name, int64_t value) {
  begin_value(json, name);
  pod_text_add_int(json->text, value);
}

void pod_json_add_double(pod_json_t *json, const char *name, double value) {
  if (!isfinite(value)) {
    pod_json_add_null(json, name);
    return;
  }
  char digits[40];
  for (int precision = 15; precision <= 17; precision++) {
    snprintf(digits, sizeof(digits), "%.*g", precision, value);
    if (strtod(digits, NULL) == value) {
      break;
    }
  }
  // Where the locale has another point.
  for (char *at = digits; *at != '\0'; at++) {
    *at = *at == ',' ? '.' : *at;
  }
  begin_value(json, name);
  pod_text_add(json->text, digits);
}

void pod_json_add_bool(pod_json_t *json, const char *name, bool value) {
  begin_value(json, name);
  pod_text_add(json->text, value ? "true" : "false");
}

void pod_json_add_null(pod_json_t *json, const char *name) {
  begin_value(json, name);
  pod_text_add(json->text, "null");
}

void pod_json_add_raw(pod_json_t *json, const char *name, const char *value,
                      size_t length) {
  begin_value(json, name);
  pod_text_add_bytes(json->text, value, length);
}
