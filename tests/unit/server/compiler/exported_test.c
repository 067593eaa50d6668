// Modules that others exported: the project's programs, and StableHLO's test data where
// they lie beside the project (PODIUM_STABLEHLO_TESTDATA names the folder). Each is
// parsed, printed in both forms, and read back.

#include <dirent.h>

#include "server/compiler/syntax.h"
#include "tests/file.h"
#include "tests/unit/common/mlir/text.h"

enum { PATH_BYTES = 4096 };

static int is_module(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length > 5 && strcmp(entry->d_name + length - 5, ".mlir") == 0;
}

static void round_trip_file(const char *folder, const char *name) {
  char path[PATH_BYTES];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  pod_text_t text = {0};
  assert_true(read_file(path, &text));
  mlir_module_t *module = NULL;
  expect_ok(mlir_parse(path, text.bytes, (int64_t)text.length, compiler_syntax_lookup,
                       &module));
  pod_text_deinit(&text);
  expect_round_trip(compiler_syntax_lookup, module);
  mlir_module_destroy(module);
}

// How many there were; -1 when there is no such folder.
static int round_trip_folder(const char *folder) {
  struct dirent **entries = NULL;
  const int count = scandir(folder, &entries, is_module, alphasort);
  for (int i = 0; i < count; i++) {
    round_trip_file(folder, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  return count;
}

static const char *folder_of(const char *variable) {
  const char *folder = getenv(variable);
  return folder == NULL ? "" : folder;
}

static void test_the_programs_of_the_project_come_back_as_they_were(void **state) {
  (void)state;
  const char *folder = folder_of("PODIUM_PROGRAMS");
  const int count = round_trip_folder(folder);
  if (count <= 0) {
    print_message("skipped: no modules in '%s' (PODIUM_PROGRAMS)\n", folder);
    skip();
  }
}

static void test_the_test_data_of_stablehlo_come_back_as_they_were(void **state) {
  (void)state;
  const char *folder = folder_of("PODIUM_STABLEHLO_TESTDATA");
  const int count = round_trip_folder(folder);
  if (count <= 0) {
    print_message("skipped: no modules in '%s' (PODIUM_STABLEHLO_TESTDATA)\n", folder);
    skip();
  }
  print_message("%d modules\n", count);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_programs_of_the_project_come_back_as_they_were),
      cmocka_unit_test(test_the_test_data_of_stablehlo_come_back_as_they_were),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
