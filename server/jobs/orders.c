// Words, one after the other; numbers are checked against the bounds of job.h.

#include "server/jobs/orders.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum { CHIPS_MAX = 1 << 16, CODE_MAX = POD_CODE_COUNT - 1 };

// --- Words ---

static void add_word(pod_text_t *text, const char *word) {
  pod_text_add(text, " ");
  if (word == NULL || *word == '\0') {
    pod_text_add(text, "%-");
    return;
  }
  for (const char *at = word; *at != '\0'; at++) {
    if (*at > ' ' && *at <= '~' && *at != '%') {
      pod_text_printf(text, "%c", *at);
    } else {
      pod_text_printf(text, "%%%02x", (unsigned)(unsigned char)*at);
    }
  }
}

static int hex_of(char digit) {
  return digit >= '0' && digit <= '9'   ? digit - '0'
         : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                        : -1;
}

// In place.
static bool unescape(char *word) {
  char *to = word;
  if (strcmp(word, "%-") == 0) {
    *word = '\0';
    return true;
  }
  for (const char *at = word; *at != '\0'; at++, to++) {
    *to = *at;
    if (*at == '%') {
      const int high = hex_of(at[1]), low = high < 0 ? -1 : hex_of(at[2]);
      if (low < 0 || high + low == 0) {
        return false;
      }
      *to = (char)(high * 16 + low);
      at += 2;
    }
  }
  *to = '\0';
  return true;
}

// The words of a line, taken one after the other; has_failed stays.
typedef struct words_t {
  char *rest;
  bool has_failed;
} words_t;

static char *take_word(words_t *words) {
  char *word = strsep(&words->rest, " ");
  if (word == NULL || !unescape(word)) {
    words->has_failed = true;
    return "";  // Nobody writes to it.
  }
  return word;
}

static char *take_text(words_t *words) {
  return pod_strdup(take_word(words));
}

static int64_t take_number(words_t *words, int64_t most) {
  const char *word = take_word(words);
  char *end = NULL;
  errno = 0;
  const long long value = strtoll(word, &end, 10);
  if (errno != 0 || end == word || *end != '\0' || value < 0 || value > most) {
    words->has_failed = true;
    return 0;
  }
  return value;
}

static void add_blob(pod_text_t *text, const job_blob_t *blob) {
  char name[2 * JOB_DIGEST_BYTES + 1];
  job_blob_name(blob, name);
  pod_text_printf(text, " %s %" PRId64, name, blob->size_bytes);
}

static job_blob_t take_blob(words_t *words) {
  job_blob_t blob = {.size_bytes = 0};
  const char *name = take_word(words);
  if (!job_blob_parse(name, &blob)) {
    words->has_failed = true;
  }
  blob.size_bytes = take_number(words, INT64_MAX);
  return blob;
}

static void add_array(pod_text_t *text, const job_array_t *array) {
  add_word(text, array->name);
  add_word(text, array->dtype);
  add_blob(text, &array->data);
  pod_text_printf(text, " %d", array->rank);
  for (int d = 0; d < array->rank; d++) {
    pod_text_printf(text, " %" PRId64, array->dims[d]);
  }
}

static job_array_t take_array(words_t *words) {
  job_array_t array = {.name = take_text(words), .dtype = take_text(words)};
  array.data = take_blob(words);
  array.rank = (int)take_number(words, JOB_RANK_MAX);
  for (int d = 0; d < array.rank; d++) {
    array.dims[d] = take_number(words, INT64_MAX);
  }
  return array;
}

static pod_status_t end_of(const words_t *words, const char *word) {
  if (!words->has_failed && words->rest == NULL) {
    return NULL;
  }
  return pod_error(POD_INVALID_ARGUMENT, "a line `%.32s` that is not understood", word);
}

// --- Orders ---

void job_orders_print(const job_orders_t *orders, pod_text_t *text) {
  pod_text_printf(text, "job %" PRIu64 " %" PRId32 " %d\n", orders->id, orders->attempt,
                  orders->wants_profile ? 1 : 0);
  const struct {
    const char *key, *value;
  } texts[] = {{"address", orders->address}, {"token", orders->token},
               {"folder", orders->folder},   {"name", orders->name},
               {"file", orders->file_name},  {"traceparent", orders->traceparent}};
  for (size_t i = 0; i < POD_COUNT_OF(texts); i++) {
    pod_text_add(text, texts[i].key);
    add_word(text, texts[i].value);
    pod_text_add(text, "\n");
  }
  pod_text_add(text, "module");
  add_blob(text, &orders->module);
  pod_text_add(text, "\n");
  for (size_t i = 0; i < orders->input_count; i++) {
    pod_text_add(text, "input");
    add_array(text, &orders->inputs[i]);
    pod_text_add(text, "\n");
  }
  pod_text_t options = {0};
  job_options_print(&orders->options, &options);
  if (options.length > 0) {
    pod_text_add(text, "options");
    add_word(text, options.bytes);
    pod_text_add(text, "\n");
  }
  pod_text_deinit(&options);
  for (size_t i = 0; i < orders->chip_count; i++) {
    pod_text_printf(text, "chip %" PRId64 "\n", orders->chips[i]);
  }
  pod_text_add(text, "run\n");
}

static char **find_text(job_orders_t *orders, const char *key) {
  const struct {
    const char *key;
    char **value;
  } texts[] = {{"address", &orders->address}, {"token", &orders->token},
               {"folder", &orders->folder},   {"name", &orders->name},
               {"file", &orders->file_name},  {"traceparent", &orders->traceparent}};
  for (size_t i = 0; i < POD_COUNT_OF(texts); i++) {
    if (strcmp(texts[i].key, key) == 0) {
      return texts[i].value;
    }
  }
  return NULL;
}

// Room for one more of a list that grows by doubling.
static void *grow(void *list, size_t count, size_t item_bytes) {
  if ((count & (count - 1)) == 0) {
    void *larger = realloc(list, (count == 0 ? 1 : 2 * count) * item_bytes);
    POD_CHECK(larger != NULL);
    return larger;
  }
  return list;
}

pod_status_t job_orders_read(char *line, job_orders_t *orders, bool *out_is_all) {
  words_t words = {.rest = line};
  const char *key = take_word(&words);
  char **text = find_text(orders, key);
  *out_is_all = strcmp(key, "run") == 0;
  if (text != NULL) {
    free(*text);
    *text = take_text(&words);
  } else if (strcmp(key, "job") == 0) {
    orders->id = (uint64_t)take_number(&words, INT64_MAX);
    orders->attempt = (int32_t)take_number(&words, INT32_MAX);
    orders->wants_profile = take_number(&words, 1) == 1;
  } else if (strcmp(key, "module") == 0) {
    orders->module = take_blob(&words);
  } else if (strcmp(key, "input") == 0 && orders->input_count < JOB_ARRAYS_MAX) {
    orders->inputs = grow(orders->inputs, orders->input_count, sizeof(*orders->inputs));
    orders->inputs[orders->input_count++] = take_array(&words);
  } else if (strcmp(key, "chip") == 0 && orders->chip_count < CHIPS_MAX) {
    orders->chips = grow(orders->chips, orders->chip_count, sizeof(*orders->chips));
    orders->chips[orders->chip_count++] = take_number(&words, CHIPS_MAX);
  } else if (strcmp(key, "options") == 0) {
    job_options_deinit(&orders->options);
    const char *word = take_word(&words);
    if (!words.has_failed) {
      POD_TRY(job_options_read(word, &orders->options));
    }
  } else if (!*out_is_all) {
    words.has_failed = true;
  }
  return end_of(&words, key);
}

void job_orders_deinit(job_orders_t *orders) {
  free(orders->address);
  free(orders->token);
  free(orders->folder);
  free(orders->name);
  free(orders->file_name);
  free(orders->traceparent);
  job_arrays_destroy(orders->inputs, orders->input_count);
  free(orders->chips);
  job_options_deinit(&orders->options);
  *orders = (job_orders_t){0};
}

// --- What the runner tells ---

static const char *const words_of[] = {
    [JOB_WORD_PROGRESS] = "progress", [JOB_WORD_RESULT] = "result",
    [JOB_WORD_PROFILE] = "profile",   [JOB_WORD_REPORT] = "report",
    [JOB_WORD_DONE] = "done",         [JOB_WORD_FAILED] = "failed"};

void job_told_print(const job_told_t *told, pod_text_t *text) {
  pod_text_add(text, words_of[told->word]);
  switch (told->word) {
    case JOB_WORD_FAILED:
      pod_text_printf(text, " %" PRId32, told->code);
      add_word(text, told->text);
      break;
    case JOB_WORD_PROGRESS:
      add_word(text, told->text);
      break;
    case JOB_WORD_RESULT:
      add_array(text, &told->array);
      break;
    case JOB_WORD_PROFILE:
    case JOB_WORD_REPORT:
      add_blob(text, &told->blob);
      break;
    case JOB_WORD_DONE:
      break;
  }
  pod_text_add(text, "\n");
}

pod_status_t job_told_read(char *line, job_told_t *out_told) {
  words_t words = {.rest = line};
  const char *key = take_word(&words);
  size_t word = 0;
  while (word < POD_COUNT_OF(words_of) && strcmp(words_of[word], key) != 0) {
    word++;
  }
  job_told_t told = {.word = (job_word_t)word};
  switch (word) {
    case JOB_WORD_FAILED:
      told.code = (int32_t)take_number(&words, CODE_MAX);
      told.text = take_text(&words);
      words.has_failed |= told.code == POD_OK;
      break;
    case JOB_WORD_PROGRESS:
      told.text = take_text(&words);
      break;
    case JOB_WORD_RESULT:
      told.array = take_array(&words);
      break;
    case JOB_WORD_PROFILE:
    case JOB_WORD_REPORT:
      told.blob = take_blob(&words);
      break;
    case JOB_WORD_DONE:
      break;
    default:
      words.has_failed = true;
      break;
  }
  const pod_status_t status = end_of(&words, key);
  if (status != NULL) {
    job_told_deinit(&told);
    return status;
  }
  *out_told = told;
  return NULL;
}

void job_told_deinit(job_told_t *told) {
  free(told->text);
  free(told->array.name);
  free(told->array.dtype);
  *told = (job_told_t){.word = told->word};
}
