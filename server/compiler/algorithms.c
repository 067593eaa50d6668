#include "server/compiler/algorithms.h"

#include <string.h>

#include "common/mlir/diagnostic.h"
#include "server/collective/schedule.h"

// By operation; AUTO where the planner chooses.
typedef struct choices_t {
  collective_algorithm_t of[CHIP_OP_COUNT];
} choices_t;

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
static pod_status_t read_choice(const char *text, size_t length, choices_t *choices) {
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

static pod_status_t read_choices(const char *text, choices_t *choices) {
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

// Every chip's schedule is made alike: one tells whether the algorithm does it.
static pod_status_t try_plan(const compiler_options_t *options,
                             const chip_program_t *program,
                             const chip_instruction_t *instruction) {
  pod_arena_t *arena = pod_arena_create();
  pod_status_t status = NULL;
  for (int32_t i = 0; i < instruction->operand_count && status == NULL; i++) {
    collective_request_t request;
    collective_schedule_t schedule;
    collective_request_of(program, instruction, i, &request);
    request.spec = options->spec;
    status = collective_plan(&request, &options->torus, (int32_t)request.groups[0], arena,
                             &schedule);
  }
  pod_arena_destroy(arena);
  return status;
}

static pod_status_t at_source(const mlir_module_t *module, const mlir_op_t *source,
                              pod_status_t status) {
  if (status == NULL || source == NULL) {
    return status;
  }
  const pod_status_t located = mlir_op_error(module, source, pod_status_code(status),
                                             "%s", pod_status_message(status));
  pod_status_free(status);
  return located;
}

pod_status_t algorithms_apply(const compiler_options_t *options,
                              const mlir_module_t *module,
                              const mlir_op_t *const *sources, chip_program_t *program) {
  if (options->algorithms == NULL || *options->algorithms == '\0') {
    return NULL;
  }
  choices_t choices = {0};
  POD_TRY(pod_status_context(read_choices(options->algorithms, &choices),
                             "the choice of algorithms"));
  for (int32_t i = 0; i < program->instruction_count; i++) {
    // The compiler owns what it is making.
    chip_instruction_t *instruction = (chip_instruction_t *)&program->instructions[i];
    const collective_algorithm_t algorithm = choices.of[instruction->op];
    if (algorithm != COLLECTIVE_AUTO) {
      mark(program, instruction, algorithm);
      POD_TRY(at_source(module, sources[i], try_plan(options, program, instruction)));
    }
  }
  return NULL;
}
