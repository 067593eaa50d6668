// The text in which a user chooses, read into a table by operation; and marks of it.

#include "server/compiler/schedule/algorithms.h"

#include <string.h>

static const chip_op_t collectives[] = {CHIP_OP_ALL_REDUCE, CHIP_OP_ALL_GATHER,
                                        CHIP_OP_REDUCE_SCATTER, CHIP_OP_ALL_TO_ALL};

enum { COLLECTIVES = sizeof(collectives) / sizeof(collectives[0]) };

static bool is_same(const char *name, const char *text, size_t length) {
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

static pod_status_t bad(const char *what, const char *text, size_t length) {
  pod_text_t known = {0};
  for (int i = 0; i < COLLECTIVES; i++) {
    pod_text_printf(&known, " %s", chip_op_short_name(collectives[i]));
  }
  pod_text_add(&known, "; algorithms:");
  for (int i = COLLECTIVE_AUTO; i < COLLECTIVE_ALGORITHM_COUNT; i++) {
    pod_text_printf(&known, " %s", collective_algorithm_name((collective_algorithm_t)i));
  }
  const pod_status_t status =
      pod_error(POD_INVALID_ARGUMENT,
                "'%.*s' is no %s: write ALGORITHM or COLLECTIVE=ALGORITHM, separated by "
                "commas; collectives:%s",
                (int)length, text, what, known.bytes);
  pod_text_deinit(&known);
  return status;
}

static pod_status_t find_algorithm(const char *text, size_t length,
                                   collective_algorithm_t *out_algorithm) {
  for (int i = COLLECTIVE_AUTO; i < COLLECTIVE_ALGORITHM_COUNT; i++) {
    if (is_same(collective_algorithm_name((collective_algorithm_t)i), text, length)) {
      *out_algorithm = (collective_algorithm_t)i;
      return NULL;
    }
  }
  return bad("algorithm", text, length);
}

// "ring" or "all_reduce=ring".
static pod_status_t read_choice(const char *text, size_t length, algorithms_t *choices) {
  const char *equals = memchr(text, '=', length);
  const char *name = equals == NULL ? text : equals + 1;
  collective_algorithm_t algorithm = COLLECTIVE_AUTO;
  POD_TRY(find_algorithm(name, length - (size_t)(name - text), &algorithm));
  bool is_known = false;
  for (int i = 0; i < COLLECTIVES; i++) {
    const chip_op_t op = collectives[i];
    if (equals == NULL ||
        is_same(chip_op_short_name(op), text, (size_t)(equals - text))) {
      choices->of[op] = algorithm;
      is_known = true;
    }
  }
  return is_known ? NULL : bad("collective", text, (size_t)(equals - text));
}

static pod_status_t read_choices(const char *text, algorithms_t *choices) {
  for (;;) {
    const size_t length = strcspn(text, ",");
    POD_TRY(read_choice(text, length, choices));
    if (text[length] == '\0') {
      return NULL;
    }
    text += length + 1;
  }
}

static void mark(chip_program_t *program, chip_instruction_t *instruction,
                 collective_algorithm_t algorithm) {
  const int32_t count = instruction->attr_count;
  chip_attr_t *attrs =
      pod_arena_alloc(program->arena, ((size_t)count + 1) * sizeof(*attrs));
  int64_t *value = pod_arena_alloc(program->arena, sizeof(*value));
  *value = algorithm;
  if (count > 0) {
    memcpy(attrs, instruction->attrs, (size_t)count * sizeof(*attrs));
  }
  attrs[count] = (chip_attr_t){CHIP_ATTR_COLLECTIVE_ALGORITHM, 1, value};
  instruction->attrs = attrs;
  instruction->attr_count = count + 1;
}

pod_status_t algorithms_parse(const char *text, algorithms_t *out_algorithms) {
  algorithms_t algorithms = {0};
  if (text != NULL && *text != '\0') {
    POD_TRY(
        pod_status_context(read_choices(text, &algorithms), "the choice of algorithms"));
  }
  *out_algorithms = algorithms;
  return NULL;
}

void algorithms_apply(const algorithms_t *algorithms, chip_program_t *program) {
  for (int32_t i = 0; i < program->instruction_count; i++) {
    // The compiler owns what it is making.
    chip_instruction_t *instruction = (chip_instruction_t *)&program->instructions[i];
    const collective_algorithm_t algorithm = algorithms->of[instruction->op];
    if (algorithm != COLLECTIVE_AUTO) {
      mark(program, instruction, algorithm);
    }
  }
}
