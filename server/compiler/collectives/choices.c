// The text in which a user chooses, read into a table by rewrite.

#include <string.h>

#include "common/base/text.h"
#include "server/compiler/collectives/collectives.h"

static const char *const names[] = {
#define REWRITE(id, name, run, usual) [COLLECTIVES_##id] = name,
#include "server/compiler/collectives/rewrites.def"
#undef REWRITE
};

static const char *const choice_names[] = {[COLLECTIVES_USUAL] = "usual",
                                           [COLLECTIVES_AUTO] = "auto",
                                           [COLLECTIVES_ON] = "on",
                                           [COLLECTIVES_OFF] = "off"};

static bool is_same(const char *name, const char *text, size_t length) {
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

static pod_status_t bad(const char *what, const char *text, size_t length) {
  pod_text_t known = {0};
  for (int i = 0; i < COLLECTIVES_COUNT; i++) {
    pod_text_printf(&known, " %s", names[i]);
  }
  const pod_status_t status =
      pod_error(POD_INVALID_ARGUMENT,
                "'%.*s' is no %s of collectives: write usual, auto, on or off, "
                "or REWRITE=usual|auto|on|off, separated by commas; rewrites:%s",
                (int)length, text, what, known.bytes);
  pod_text_deinit(&known);
  return status;
}

// "off" or "combine=off".
static pod_status_t read_choice(const char *text, size_t length,
                                collectives_choices_t *choices) {
  const char *equals = memchr(text, '=', length);
  const char *word = equals == NULL ? text : equals + 1;
  const size_t word_length = length - (size_t)(word - text);
  int choice = COLLECTIVES_USUAL;
  while (choice <= COLLECTIVES_OFF && !is_same(choice_names[choice], word, word_length)) {
    choice++;
  }
  if (choice > COLLECTIVES_OFF) {
    return bad("choice", word, word_length);
  }
  bool is_known = false;
  for (int i = 0; i < COLLECTIVES_COUNT; i++) {
    if (equals == NULL || is_same(names[i], text, (size_t)(equals - text))) {
      choices->of[i] = (collectives_choice_t)choice;
      is_known = true;
    }
  }
  return is_known ? NULL : bad("rewrite", text, (size_t)(equals - text));
}

pod_status_t collectives_parse(const char *text, collectives_choices_t *out_choices) {
  collectives_choices_t choices = {0};
  while (text != NULL && *text != '\0') {
    const size_t length = strcspn(text, ",");
    POD_TRY(read_choice(text, length, &choices));
    text += text[length] == '\0' ? length : length + 1;
  }
  *out_choices = choices;
  return NULL;
}
