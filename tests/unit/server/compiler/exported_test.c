// Modules as they were exported, each parsed, printed in both forms, and read back.
//
// usage: exported_test FOLDER | --stablehlo
//
// FOLDER has modules of the project. StableHLO's own test data are not part of it: the
// environment's PODIUM_STABLEHLO_TESTDATA names their folder, and without it the test
// says that it did not run.

#include <dirent.h>

#include "server/compiler/dialect/syntax.h"
#include "tests/file.h"
#include "tests/unit/common/mlir/text.h"

enum { PATH_BYTES = 4096, SKIPPED = 77 /* ctest's SKIP_RETURN_CODE */ };

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
  expect_ok(compiler_parse(path, text.bytes, (int64_t)text.length, &module));
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

static void test_every_module_comes_back_as_it_was(void **state) {
  const char *folder = *state;
  const int count = round_trip_folder(folder);
  if (count <= 0) {
    fail_msg("no modules in '%s'", folder);
  }
  print_message("%d modules of %s\n", count, folder);
}

int main(int argc, char **argv) {
  const bool is_stablehlo = argc == 2 && strcmp(argv[1], "--stablehlo") == 0;
  if (argc != 2) {
    print_error("usage: exported_test FOLDER | --stablehlo\n");
    return EXIT_FAILURE;
  }
  const char *folder = is_stablehlo ? getenv("PODIUM_STABLEHLO_TESTDATA") : argv[1];
  if (folder == NULL || *folder == '\0') {
    print_message(
        "skipped: PODIUM_STABLEHLO_TESTDATA does not name the folder of "
        "StableHLO's exported test modules\n");
    return SKIPPED;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_every_module_comes_back_as_it_was, (void *)folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
