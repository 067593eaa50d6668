// The constraints of the StableHLO specification, by its own numbers. A file
// constraints/OPERATION.mlir is a list of sections that lines of `// -----` separate:
//
//   // constraints: 6             The head: how many the specification gives the
//   operation,
//   // C5, C6-C8: quantized       and which of them have no section, with the reason.
//   // refused: why               No module with this operation is accepted.
//   // -----
//   // accepted: what             A module that fulfils all of them: it compiles.
//   …
//   // -----
//   // C3: the constraint         A module that breaks this one and no other: `I1` what
//   the …                             table of inputs demands, `T` what is implied
//   otherwise.
//     // expected-error@+1 {{part of the message}}
//     the operation at which the diagnostic must stand
//
// A line `// unimplemented` in a section: the code is UNIMPLEMENTED, not
// INVALID_ARGUMENT. A line `// topology: 2x2`: compiled for so many chips; for one
// otherwise. What runs is the front half of the pipeline, up to the program of one chip.
// Every section is a test, and so is every head.
//
// usage: conformance.constraints FILE.mlir…

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/compiler/pipeline.h"
#include "server/program/operations.h"
#include "tests/file.h"

enum { CONSTRAINTS_MAX = 64 };

// A file of sections.
typedef struct file_t {
  const char *path;
  char *text, *operation;
  size_t head_length;
  bool has_section[CONSTRAINTS_MAX + 1], is_accepted;
} file_t;

typedef struct section_t {
  file_t *file;
  char *name;    // Of the test: "all_gather_C3_2".
  char *text;    // Behind as many empty lines as stand before it.
  char *labels;  // "C3", "C1, C2", "I1", "accepted".
} section_t;

typedef struct suite_t {
  file_t *files;
  section_t *sections;
  struct CMUnitTest *tests;
  size_t file_count, section_count, test_count;
} suite_t;

static suite_t suite;

// --- Reading ---

static char *copy_of(const char *text, size_t length) {
  pod_text_t copy = {0};
  pod_text_add_bytes(&copy, text, length);
  return pod_text_take(&copy);
}

static const char *next_line(const char *at) {
  const char *end = strchr(at, '\n');
  return end == NULL ? at + strlen(at) : end + 1;
}

// The first line of `text` that holds `part`, or NULL.
static const char *find_line(const char *text, const char *part) {
  const char *found = strstr(text, part);
  while (found != NULL && found > text && found[-1] != '\n') {
    found--;
  }
  return found;
}

// "C1, C3-C5: …" marks 1, 3, 4 and 5; false for what does not begin so. *out_rest is what
// follows the colon.
static bool read_numbers(const char *at, bool *marks, const char **out_rest) {
  while (*at == 'C') {
    char *end;
    const long first = strtol(at + 1, &end, 10);
    long last = first;
    if (end[0] == '-' && end[1] == 'C') {
      last = strtol(end + 2, &end, 10);
    }
    if (first < 1 || last < first || last > CONSTRAINTS_MAX) {
      return false;
    }
    for (long i = first; i <= last; i++) {
      marks[i] = true;
    }
    at = end + strspn(end, ", ");
    if (*end == ':') {
      *out_rest = end + 1;
      return true;
    }
  }
  return false;
}

static void add_test(const char *name, CMUnitTestFunction run, void *state) {
  suite.tests = pod_grow(suite.tests, suite.test_count + 1, sizeof(struct CMUnitTest));
  suite.tests[suite.test_count++] =
      (struct CMUnitTest){.name = name, .test_func = run, .initial_state = state};
}

// "slice_C1_C2_3": of the third section that begins alike.
static char *name_section(const section_t *section) {
  int nth = 1;
  for (size_t i = 0; i < suite.section_count; i++) {
    nth += suite.sections[i].file == section->file &&
           strcmp(suite.sections[i].labels, section->labels) == 0;
  }
  pod_text_t name = {0};
  pod_text_printf(&name, "%s_", section->file->operation);
  for (const char *c = section->labels; *c != '\0'; c++) {
    if (*c != ' ') {
      pod_text_printf(&name, "%c", *c == ',' || *c == '-' ? '_' : *c);
    }
  }
  if (nth > 1) {
    pod_text_printf(&name, "_%d", nth);
  }
  return pod_text_take(&name);
}

static void add_section(file_t *file, const char *start, size_t length) {
  static const char comment[] = "// ";
  const char *label = start + strspn(start, "\n");
  label += strncmp(label, comment, strlen(comment)) == 0 ? strlen(comment) : 0;
  section_t section = {.file = file, .labels = copy_of(label, strcspn(label, ":\n"))};
  section.name = name_section(&section);
  const char *rest;
  (void)read_numbers(label, file->has_section, &rest);
  file->is_accepted = file->is_accepted || strcmp(section.labels, "accepted") == 0;
  pod_text_t text = {0};
  for (const char *c = file->text; c < start; c++) {
    if (*c == '\n') {
      pod_text_add(&text, "\n");
    }
  }
  pod_text_add_bytes(&text, start, length);
  section.text = pod_text_take(&text);
  suite.sections = pod_grow(suite.sections, suite.section_count + 1, sizeof(section_t));
  suite.sections[suite.section_count++] = section;
}

static void read_sections(file_t *file) {
  static const char separator[] = "// -----\n";
  const char *at = file->text;
  for (bool is_head = true; at != NULL; is_head = false) {
    const char *end = strstr(at, separator);
    const size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
    if (is_head) {
      file->head_length = length;
    } else {
      add_section(file, at, length);
    }
    at = end == NULL ? NULL : end + strlen(separator);
  }
}

// --- A section ---

static pod_status_t compile(const section_t *section) {
  static const char topology[] = "// topology: ";
  const char *slash = strrchr(section->file->path, '/');
  compiler_options_t options = {
      .file_name = slash == NULL ? section->file->path : slash + 1,
      .spec = chip_spec_find("v5e")};
  const char *line = strstr(section->text, topology);
  char *sizes = line == NULL ? copy_of("1x1", 3)
                             : copy_of(line + strlen(topology),
                                       strcspn(line + strlen(topology), "\n"));
  const chip_spec_t *spec;
  pod_status_t status = torus_parse(sizes, options.spec, &options.torus, &spec);
  free(sizes);
  pipeline_t pipeline = {.text = section->text,
                         .length = (int64_t)strlen(section->text),
                         .options = &options};
  int count;
  const pipeline_pass_t *passes = pipeline_passes(&count);
  for (int i = 0; i < count && status == NULL && strcmp(passes[i].name, "fuse") != 0;
       i++) {
    status = passes[i].run(&pipeline);
  }
  pipeline_deinit(&pipeline);
  return status;
}

// What "// expected-error@+1 {{text}}" of a section says.
typedef struct expected_t {
  long line;
  char *text;  // Owned.
  pod_code_t code;
} expected_t;

static bool read_expected(const section_t *section, expected_t *out_expected) {
  static const char marker[] = "// expected-error@";
  const char *at = strstr(section->text, marker);
  const char *open = at == NULL ? NULL : strstr(at, "{{");
  const char *close = open == NULL ? NULL : strstr(open, "}}");
  if (close == NULL || close > next_line(at)) {
    return false;
  }
  long line = 1;
  for (const char *c = section->text; c < at; c++) {
    line += *c == '\n';
  }
  out_expected->line = line + strtol(at + strlen(marker), NULL, 10);
  out_expected->text = copy_of(open + 2, (size_t)(close - open - 2));
  out_expected->code = find_line(section->text, "// unimplemented\n") == NULL
                           ? POD_INVALID_ARGUMENT
                           : POD_UNIMPLEMENTED;
  return true;
}

static bool is_as_expected(pod_status_t status, const expected_t *expected) {
  if (status == NULL) {
    return false;
  }
  const char *message = pod_status_message(status);
  const char *colon = strchr(message, ':');
  return pod_status_code(status) == expected->code && colon != NULL &&
         strtol(colon + 1, NULL, 10) == expected->line &&
         strstr(message, expected->text) != NULL;
}

static void test_section(void **state) {
  const section_t *section = *state;
  const bool is_accepted = strcmp(section->labels, "accepted") == 0;
  expected_t expected = {0};
  if (!is_accepted && !read_expected(section, &expected)) {
    fail_msg("%s: no line '// expected-error@+1 {{text}}'", section->file->path);
  }
  const pod_status_t status = compile(section);
  const char *code = status == NULL ? "no error" : pod_code_name(pod_status_code(status));
  const char *message = status == NULL ? "" : pod_status_message(status);
  if (is_accepted && status != NULL) {
    fail_msg("%s: %s", code, message);
  }
  if (!is_accepted && !is_as_expected(status, &expected)) {
    fail_msg("%s: %s\nexpected %s in line %ld: %s", code, message,
             pod_code_name(expected.code), expected.line, expected.text);
  }
  free(expected.text);
  pod_status_free(status);
}

// --- A head ---

// Every number that the specification gives has a section, or a reason why not.
static void test_head(void **state) {
  const file_t *file = *state;
  static const char constraints[] = "// constraints: ", refused[] = "// refused: ";
  bool is_left_out[CONSTRAINTS_MAX + 1] = {false};
  bool is_refused = false;
  long count = -1;
  for (const char *line = file->text; line < file->text + file->head_length;
       line = next_line(line)) {
    const char *reason;
    if (strncmp(line, constraints, strlen(constraints)) == 0) {
      count = strtol(line + strlen(constraints), NULL, 10);
    } else if (strncmp(line, refused, strlen(refused)) == 0) {
      is_refused = true;
    } else if (strncmp(line, "// C", 4) == 0 &&
               (!read_numbers(line + 3, is_left_out, &reason) ||
                strcspn(reason, "\n") <= strspn(reason, " "))) {
      fail_msg("%s: no reason: %.*s", file->path, (int)strcspn(line, "\n"), line);
    }
  }
  if (count < 0 || count > CONSTRAINTS_MAX) {
    fail_msg("%s: does not begin with '%s…'", file->path, constraints);
  }
  for (long i = 1; i <= CONSTRAINTS_MAX; i++) {
    const bool is_there = file->has_section[i] || is_left_out[i];
    if (is_there != (i <= count)) {
      fail_msg("%s: C%ld %s", file->path, i,
               is_there ? "is none of the specification's"
                        : "has neither a section nor a reason why not");
    }
    if (file->has_section[i] && is_left_out[i]) {
      fail_msg("%s: C%ld has a section and is left out", file->path, i);
    }
  }
  if (file->is_accepted == is_refused) {
    fail_msg("%s: %s", file->path,
             is_refused ? "is refused and has a section that is accepted"
                        : "has no section that is accepted");
  }
}

// --- All files ---

// What the specification has besides the rows of the table: other passes take it away.
static const char *const others[] = {
    "after_all",
    "async_done",
    "async_start",
    "batch_norm_grad",
    "batch_norm_inference",
    "batch_norm_training",
    "collective_broadcast",
    "collective_reduce",
    "composite",
    "custom_call",
    "dynamic_broadcast_in_dim",
    "dynamic_conv",
    "dynamic_gather",
    "dynamic_iota",
    "dynamic_pad",
    "dynamic_reshape",
    "get_dimension_size",
    "get_tuple_element",
    "infeed",
    "outfeed",
    "recv",
    "rng",
    "send",
    "tuple",
    "uniform_dequantize",
    "uniform_quantize",
};

static bool has_file(const char *operation) {
  for (size_t i = 0; i < suite.file_count; i++) {
    if (strcmp(suite.files[i].operation, operation) == 0) {
      return true;
    }
  }
  return false;
}

static void check_has_file(const char *operation) {
  if (!has_file(operation)) {
    fail_msg("there is no constraints/%s.mlir", operation);
  }
}

static void every_operation_has_a_file(void **state) {
  (void)state;
  static const char dialect[] = "stablehlo.";
  for (int kind = CHIP_OP_INVALID + 1; kind < CHIP_OP_COUNT; kind++) {
    const char *name = chip_op_name((chip_op_t)kind);
    if (name != NULL && strncmp(name, dialect, strlen(dialect)) == 0 &&
        kind != CHIP_OP_RETURN) {
      check_has_file(name + strlen(dialect));
    }
  }
  for (size_t i = 0; i < POD_COUNT_OF(others); i++) {
    check_has_file(others[i]);
  }
}

static void read_files(int count, char **paths) {
  suite.files = pod_alloc((size_t)count * sizeof(file_t));
  suite.file_count = (size_t)count;
  for (int i = 0; i < count; i++) {
    const char *slash = strrchr(paths[i], '/');
    const char *name = slash == NULL ? paths[i] : slash + 1;
    suite.files[i] = (file_t){.path = paths[i],
                              .text = read_text(paths[i]),
                              .operation = copy_of(name, strcspn(name, "."))};
    read_sections(&suite.files[i]);
  }
}

static void free_suite(void) {
  for (size_t i = 0; i < suite.file_count; i++) {
    free(suite.files[i].text);
    free(suite.files[i].operation);
  }
  for (size_t i = 0; i < suite.section_count; i++) {
    free(suite.sections[i].name);
    free(suite.sections[i].text);
    free(suite.sections[i].labels);
  }
  free(suite.files);
  free(suite.sections);
  free(suite.tests);
}

int main(int argc, char **argv) {
  read_files(argc - 1, argv + 1);
  for (size_t i = 0; i < suite.file_count; i++) {
    add_test(suite.files[i].operation, test_head, &suite.files[i]);
  }
  for (size_t i = 0; i < suite.section_count; i++) {
    add_test(suite.sections[i].name, test_section, &suite.sections[i]);
  }
  add_test("every_operation_has_a_file", every_operation_has_a_file, NULL);
  const int failed =
      _cmocka_run_group_tests("constraints", suite.tests, suite.test_count, NULL, NULL);
  free_suite();
  return failed == 0 ? 0 : 1;
}
