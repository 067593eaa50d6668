// Lines, one for each option that is set.

#include "server/jobs/options.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum { TEXT_COUNT = 5, NUMBER_DIGITS_MAX = 9 };

// As users write them: what is wrong with one is told by this name.
static const char *const text_names[TEXT_COUNT] = {"algorithm", "collectives", "mesh",
                                                   "propagation", "donate"};

static void list_texts(job_options_t *options, char **out[TEXT_COUNT]) {
  char **const texts[TEXT_COUNT] = {&options->algorithms, &options->collectives,
                                    &options->mesh, &options->propagation,
                                    &options->donate};
  memcpy(out, texts, sizeof(texts));
}

static void list_values(const job_options_t *options, const char *out[TEXT_COUNT]) {
  const char *const texts[TEXT_COUNT] = {options->algorithms, options->collectives,
                                         options->mesh, options->propagation,
                                         options->donate};
  for (int i = 0; i < TEXT_COUNT; i++) {
    out[i] = texts[i] == NULL ? "" : texts[i];
  }
}

static char *copy_text(const char *text) {
  return pod_strdup(text == NULL ? "" : text);
}

static job_sharding_t *copy_shardings(const job_sharding_t *from, size_t count) {
  job_sharding_t *to = count == 0 ? NULL : pod_grow(NULL, count, sizeof(*to));
  for (size_t i = 0; i < count; i++) {
    to[i] = (job_sharding_t){copy_text(from[i].name), copy_text(from[i].spec)};
  }
  return to;
}

static void free_shardings(job_sharding_t *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(list[i].name);
    free(list[i].spec);
  }
  free(list);
}

void job_options_copy(const job_options_t *from, job_options_t *to) {
  *to = *from;
  char **texts[TEXT_COUNT];
  list_texts(to, texts);
  for (int i = 0; i < TEXT_COUNT; i++) {
    *texts[i] = copy_text(*texts[i]);
  }
  to->in_shardings = copy_shardings(from->in_shardings, from->in_count);
  to->out_shardings = copy_shardings(from->out_shardings, from->out_count);
  to->order = NULL;
  if (from->order_count > 0) {
    to->order = pod_grow(NULL, from->order_count, sizeof(*to->order));
    memcpy(to->order, from->order, from->order_count * sizeof(*to->order));
  }
}

void job_options_deinit(job_options_t *options) {
  char **texts[TEXT_COUNT];
  list_texts(options, texts);
  for (int i = 0; i < TEXT_COUNT; i++) {
    free(*texts[i]);
  }
  free_shardings(options->in_shardings, options->in_count);
  free_shardings(options->out_shardings, options->out_count);
  free(options->order);
  *options = (job_options_t){.mesh = NULL};
}

// --- To text ---

static void add_text(pod_text_t *text, const char *value) {
  pod_text_printf(text, " %zu:%s", strlen(value), value);
}

static void add_shardings(pod_text_t *text, const char *key, const job_sharding_t *list,
                          size_t count) {
  for (size_t i = 0; i < count; i++) {
    pod_text_add(text, key);
    add_text(text, list[i].name == NULL ? "" : list[i].name);
    add_text(text, list[i].spec == NULL ? "" : list[i].spec);
    pod_text_add(text, "\n");
  }
}

void job_options_print(const job_options_t *options, pod_text_t *text) {
  const char *values[TEXT_COUNT];
  list_values(options, values);
  for (int i = 0; i < TEXT_COUNT; i++) {
    if (*values[i] != '\0') {
      pod_text_add(text, text_names[i]);
      add_text(text, values[i]);
      pod_text_add(text, "\n");
    }
  }
  add_shardings(text, "in-sharding", options->in_shardings, options->in_count);
  add_shardings(text, "out-sharding", options->out_shardings, options->out_count);
  if (options->order_count > 0) {
    pod_text_add(text, "device-order");
    for (size_t i = 0; i < options->order_count; i++) {
      pod_text_printf(text, " %" PRId64, options->order[i]);
    }
    pod_text_add(text, "\n");
  }
}

// --- And back ---

// What is left of the text.
typedef struct reader_t {
  const char *at;
  bool is_bad;
} reader_t;

static bool take(reader_t *reader, const char *what) {
  const size_t length = strlen(what);
  if (reader->is_bad || strncmp(reader->at, what, length) != 0) {
    return false;
  }
  reader->at += length;
  return true;
}

static void expect(reader_t *reader, const char *what) {
  reader->is_bad = !take(reader, what) || reader->is_bad;
}

static int64_t read_number(reader_t *reader) {
  int64_t number = 0;
  int digits = 0;
  while (!reader->is_bad && *reader->at >= '0' && *reader->at <= '9' &&
         digits <= NUMBER_DIGITS_MAX) {
    number = 10 * number + (*reader->at - '0');
    reader->at++;
    digits++;
  }
  reader->is_bad = reader->is_bad || digits == 0 || digits > NUMBER_DIGITS_MAX;
  return reader->is_bad ? 0 : number;
}

// Owned, also when it is bad.
static char *read_text(reader_t *reader) {
  expect(reader, " ");
  const size_t length = (size_t)read_number(reader);
  expect(reader, ":");
  if (reader->is_bad || strnlen(reader->at, length) != length) {
    reader->is_bad = true;
    return pod_strdup("");
  }
  pod_text_t text = {0};
  pod_text_add_bytes(&text, reader->at, length);
  reader->at += length;
  return pod_text_take(&text);
}

// Room for one more of a list that grows by doubling.
static void *grow(void *list, size_t count, size_t item_bytes) {
  return (count & (count - 1)) == 0
             ? pod_grow(list, count == 0 ? 1 : 2 * count, item_bytes)
             : list;
}

static void read_sharding(reader_t *reader, job_sharding_t **list, size_t *count) {
  *list = grow(*list, *count, sizeof(**list));
  job_sharding_t *sharding = &(*list)[(*count)++];
  sharding->name = read_text(reader);
  sharding->spec = read_text(reader);
}

static bool read_named_text(reader_t *reader, job_options_t *options) {
  char **texts[TEXT_COUNT];
  list_texts(options, texts);
  for (int i = 0; i < TEXT_COUNT; i++) {
    const size_t length = strlen(text_names[i]);
    if (strncmp(reader->at, text_names[i], length) == 0 && reader->at[length] == ' ') {
      reader->at += length;
      free(*texts[i]);
      *texts[i] = read_text(reader);
      return true;
    }
  }
  return false;
}

static void read_line(reader_t *reader, job_options_t *options) {
  if (read_named_text(reader, options)) {
    // It is taken.
  } else if (take(reader, "in-sharding")) {
    read_sharding(reader, &options->in_shardings, &options->in_count);
  } else if (take(reader, "out-sharding")) {
    read_sharding(reader, &options->out_shardings, &options->out_count);
  } else if (take(reader, "device-order")) {
    while (!reader->is_bad && *reader->at == ' ') {
      expect(reader, " ");
      options->order = grow(options->order, options->order_count, sizeof(int64_t));
      options->order[options->order_count++] = read_number(reader);
    }
  } else {
    reader->is_bad = true;
  }
  expect(reader, "\n");
}

pod_status_t job_options_read(const char *text, job_options_t *out_options) {
  job_options_t options;
  job_options_copy(&(job_options_t){.mesh = NULL}, &options);
  reader_t reader = {.at = text};
  while (!reader.is_bad && *reader.at != '\0') {
    read_line(&reader, &options);
  }
  if (reader.is_bad) {
    job_options_deinit(&options);
    return pod_error(POD_INVALID_ARGUMENT,
                     "compile options of a job that are not understood");
  }
  *out_options = options;
  return NULL;
}

// --- Bounds ---

static pod_status_t check_text(const char *option, const char *text) {
  const size_t length = text == NULL ? 0 : strlen(text);
  return length <= JOB_OPTION_BYTES_MAX
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT, "--%s has %zu bytes, at most %d can be",
                         option, length, (int)JOB_OPTION_BYTES_MAX);
}

static pod_status_t check_shardings(const char *option, const job_sharding_t *list,
                                    size_t count) {
  for (size_t i = 0; i < count; i++) {
    POD_TRY(check_text(option, list[i].name));
    POD_TRY(check_text(option, list[i].spec));
  }
  return NULL;
}

// Whether it is an order of its places is told with the slice, in services/jobs_options.
pod_status_t job_options_check(const job_options_t *options) {
  const char *values[TEXT_COUNT];
  list_values(options, values);
  for (int i = 0; i < TEXT_COUNT; i++) {
    POD_TRY(check_text(text_names[i], values[i]));
  }
  POD_TRY(check_shardings("in-sharding", options->in_shardings, options->in_count));
  POD_TRY(check_shardings("out-sharding", options->out_shardings, options->out_count));
  pod_text_t text = {0};
  job_options_print(options, &text);
  const size_t length = text.length;
  pod_text_deinit(&text);
  return length <= JOB_OPTIONS_BYTES_MAX
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT,
                         "the compile options of a job have %zu bytes, at most %d can be",
                         length, (int)JOB_OPTIONS_BYTES_MAX);
}
