// The JSON of a tpu_custom_call: one walk through the text, the members that matter taken
// by their path. Strings among them have no escapes; others are skipped with theirs.

#include "server/compiler/pallas/config.h"

#include <stdlib.h>
#include <string.h>

enum {
  DEPTH_MAX = 32,
  PATH_MAX_BYTES = 128,
  NUMBER_MAX_BYTES = 32,
};

typedef struct walk_t {
  const char *start, *at, *end;
  pod_arena_t *arena;
  kernel_config_t *config;
  char path[PATH_MAX_BYTES];  // "custom_call_config.cost_estimate.flops"
  int depth;
} walk_t;

static pod_status_t bad(const walk_t *walk, const char *what) {
  return pod_error(POD_INVALID_ARGUMENT, "the kernel's configuration %s at byte %lld",
                   what, (long long)(walk->at - walk->start));
}

static void skip_blanks(walk_t *walk) {
  while (walk->at < walk->end && *walk->at != '\0' &&
         strchr(" \t\r\n", *walk->at) != NULL) {
    walk->at++;
  }
}

static bool accept(walk_t *walk, char wanted) {
  skip_blanks(walk);
  if (walk->at == walk->end || *walk->at != wanted) {
    return false;
  }
  walk->at++;
  return true;
}

// What stands between two quotes, escapes and all.
static pod_status_t read_string(walk_t *walk, const char **out_text,
                                int64_t *out_length) {
  if (!accept(walk, '"')) {
    return bad(walk, "lacks a string");
  }
  *out_text = walk->at;
  while (walk->at < walk->end && *walk->at != '"') {
    walk->at += *walk->at == '\\' && walk->end - walk->at > 1 ? 2 : 1;
  }
  if (walk->at >= walk->end) {
    return bad(walk, "ends within a string");
  }
  *out_length = walk->at - *out_text;
  walk->at++;
  return NULL;
}

// --- Base64 ---

static int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') {
    return c - 'A';
  }
  if (c >= 'a' && c <= 'z') {
    return c - 'a' + 26;
  }
  if (c >= '0' && c <= '9') {
    return c - '0' + 52;
  }
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool kernel_base64_decode(pod_arena_t *arena, const char *text, int64_t length,
                          const uint8_t **out_bytes, int64_t *out_count) {
  if (length % 4 != 0) {
    return false;
  }
  int64_t digits = length;
  while (digits > 0 && length - digits < 2 && text[digits - 1] == '=') {
    digits--;
  }
  const int64_t count = digits * 3 / 4;
  uint8_t *bytes = pod_arena_alloc(arena, (size_t)count + 1);
  uint32_t word = 0;
  int64_t made = 0;
  for (int64_t i = 0; i < digits; i++) {
    const int digit = digit_of(text[i]);
    if (digit < 0) {
      return false;
    }
    word = word << 6 | (uint32_t)digit;
    if (i % 4 != 0) {
      bytes[made++] = (uint8_t)(word >> (6 - i % 4 * 2));
    }
  }
  *out_bytes = bytes;
  *out_count = count;
  return true;
}

// --- Members ---

typedef struct number_row_t {
  const char *path;
  int64_t *to;
} number_row_t;

static pod_status_t take_text(walk_t *walk, const char *text, int64_t length) {
  kernel_config_t *config = walk->config;
  if (strcmp(walk->path, ".custom_call_config.body") == 0) {
    if (!kernel_base64_decode(walk->arena, text, length, &config->body,
                              &config->body_bytes)) {
      return bad(walk, "has a body that is no base64");
    }
  } else if (strcmp(walk->path, ".device_type") == 0) {
    static const char tensor_core[] = "DEVICE_TYPE_TENSORCORE";
    config->is_for_sparse_core = length != (int64_t)strlen(tensor_core) ||
                                 memcmp(text, tensor_core, (size_t)length) != 0;
  }
  return NULL;
}

// `digits` are the number as it is written.
static pod_status_t take_number(walk_t *walk, const char *digits, double number) {
  kernel_config_t *config = walk->config;
  const number_row_t rows[] = {
      {".custom_call_config.cost_estimate.flops", &config->flops},
      {".custom_call_config.cost_estimate.transcendentals", &config->transcendentals},
      {".custom_call_config.cost_estimate.bytes_accessed", &config->bytes_accessed},
      {".custom_call_config.cost_estimate.remote_bytes_transferred",
       &config->remote_bytes},
      {".custom_call_config.internal_scratch_in_bytes", &config->scratch_bytes},
      {".scoped_memory_configs[].size", &config->vmem_limit_bytes},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    if (strcmp(walk->path, rows[i].path) != 0) {
      continue;
    }
    if (number < 0) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "%s of the kernel's configuration must be 0 or more, got %s",
                       rows[i].path + 1, digits);
    }
    *rows[i].to = number < 9e18 ? (int64_t)number : INT64_MAX;
  }
  return NULL;
}

static pod_status_t read_word(walk_t *walk) {
  const char *start = walk->at;
  while (walk->at < walk->end && *walk->at >= 'a' && *walk->at <= 'z') {
    walk->at++;
  }
  const size_t length = (size_t)(walk->at - start);
  const bool is_true = length == 4 && memcmp(start, "true", 4) == 0;
  if (!is_true && !(length == 5 && memcmp(start, "false", 5) == 0) &&
      !(length == 4 && memcmp(start, "null", 4) == 0)) {
    return bad(walk, "has no value");
  }
  if (strcmp(walk->path, ".custom_call_config.has_communication") == 0) {
    walk->config->has_communication = is_true;
  }
  return NULL;
}

static pod_status_t read_number(walk_t *walk) {
  char digits[NUMBER_MAX_BYTES];
  size_t length = 0;
  while (walk->at < walk->end && *walk->at != '\0' &&
         strchr("+-.0123456789eE", *walk->at) != NULL) {
    if (length + 1 == sizeof(digits)) {
      return bad(walk, "has too long a number");
    }
    digits[length++] = *walk->at++;
  }
  digits[length] = '\0';
  char *behind;
  const double number = strtod(digits, &behind);
  if (length == 0 || *behind != '\0') {
    return bad(walk, "has no value");
  }
  return take_number(walk, digits, number);
}

static pod_status_t read_value(walk_t *walk);

// Behind the path so far; what is too deep or too long for it is no member of ours.
static void enter(walk_t *walk, const char *separator, const char *name, int64_t length) {
  const size_t before = strlen(walk->path);
  const size_t more = strlen(separator) + (size_t)length;
  const bool fits = length < PATH_MAX_BYTES && before + more + 1 < sizeof(walk->path);
  if (fits) {
    memcpy(walk->path + before, separator, strlen(separator));
    memcpy(walk->path + before + strlen(separator), name, (size_t)length);
    walk->path[before + more] = '\0';
  } else {
    walk->path[0] = '\0';  // Matches nothing, until the next member.
  }
}

static pod_status_t read_member(walk_t *walk) {
  const char *name;
  int64_t length;
  POD_TRY(read_string(walk, &name, &length));
  if (!accept(walk, ':')) {
    return bad(walk, "lacks a ':'");
  }
  char kept[PATH_MAX_BYTES];
  memcpy(kept, walk->path, sizeof(kept));
  enter(walk, ".", name, length);
  const pod_status_t status = read_value(walk);
  memcpy(walk->path, kept, sizeof(kept));
  return status;
}

static pod_status_t read_list(walk_t *walk, char end,
                              pod_status_t (*read)(walk_t *walk)) {
  walk->at++;
  if (accept(walk, end)) {
    return NULL;
  }
  do {
    POD_TRY(read(walk));
  } while (accept(walk, ','));
  return accept(walk, end) ? NULL : bad(walk, "lacks the end of a list");
}

static pod_status_t read_nested(walk_t *walk) {
  if (*walk->at == '{') {
    return read_list(walk, '}', read_member);
  }
  char kept[PATH_MAX_BYTES];
  memcpy(kept, walk->path, sizeof(kept));
  enter(walk, "[]", "", 0);
  const pod_status_t status = read_list(walk, ']', read_value);
  memcpy(walk->path, kept, sizeof(kept));
  return status;
}

static pod_status_t read_value(walk_t *walk) {
  skip_blanks(walk);
  if (walk->at == walk->end) {
    return bad(walk, "ends too early");
  }
  if (*walk->at == '{' || *walk->at == '[') {
    if (++walk->depth > DEPTH_MAX) {
      return bad(walk, "nests too deep");
    }
    POD_TRY(read_nested(walk));
    walk->depth--;
    return NULL;
  }
  if (*walk->at == '"') {
    const char *text;
    int64_t length;
    POD_TRY(read_string(walk, &text, &length));
    return take_text(walk, text, length);
  }
  return *walk->at >= 'a' && *walk->at <= 'z' ? read_word(walk) : read_number(walk);
}

pod_status_t kernel_config_read(pod_arena_t *arena, const char *text, int64_t length,
                                kernel_config_t *out_config) {
  *out_config = (kernel_config_t){0};
  walk_t walk = {.start = text,
                 .at = text,
                 .end = text + length,
                 .arena = arena,
                 .config = out_config};
  POD_TRY(read_value(&walk));
  // No kernel is for nothing: who says so says nothing.
  out_config->has_estimate = out_config->flops > 0 || out_config->transcendentals > 0 ||
                             out_config->bytes_accessed > 0 ||
                             out_config->remote_bytes > 0;
  skip_blanks(&walk);
  return walk.at == walk.end ? NULL : bad(&walk, "goes on behind its end");
}
