// The programs of tests/programs at their full size: each compiles, fits the chip, and
// has the collectives that its source speaks of.

#include "server/compiler/compiler.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/server/compiler/sound_tasks.h"
#include "tests/unit/server/compiler/text.h"

static compiler_result_t *compile_program(const char *name, const char *kind) {
  const bool is_v4 = strcmp(kind, "v4") == 0;
  const char *topology = strstr(name, ".2x4.") != NULL ? "2x4"
                         : strstr(name, ".1.") != NULL ? "1x1"
                                                       : "2x2";
  compiler_options_t options = {.file_name = name, .spec = chip_spec_find(kind)};
  const chip_spec_t *spec;
  assert_ok(torus_parse(is_v4 ? "2x2x1" : topology, options.spec, &options.torus, &spec));
  char path[512];
  snprintf(path, sizeof(path), "%s/%s", POD_PROGRAMS, name);
  char *text = read_text(path);
  compiler_result_t *result = NULL;
  const pod_status_t status =
      compiler_compile(text, (int64_t)strlen(text), &options, &result);
  free(text);
  if (status != NULL) {
    fail_msg("%s: %s", name, pod_status_message(status));
  }
  return result;
}

static void test_every_program_compiles_at_its_full_size(void **state) {
  (void)state;
  DIR *folder = opendir(POD_PROGRAMS);
  assert_non_null(folder);
  int count = 0;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot == NULL || strcmp(dot, ".mlir") != 0 ||
        strstr(entry->d_name, ".small.") != NULL) {
      continue;
    }
    compiler_result_t *result = compile_program(entry->d_name, "v5e");
    const compiler_options_t limits = {.spec = chip_spec_find("v5e")};
    assert_true(result->hbm_peak_bytes <= limits.spec->hbm_bytes);
    check_tasks(result->program);
    compiler_result_destroy(result);
    count++;
  }
  closedir(folder);
  assert_true(count >= 65);
}

// Kinds of collective, in the order in which a chip meets them, by their first letters.
static void check_collectives(const char *name, const char *kind, const char *expected) {
  compiler_result_t *result = compile_program(name, kind);
  char found[32] = "";
  for (int i = 0; i < result->collective_count && i + 1 < (int)sizeof(found); i++) {
    const int op = (int)result->collectives[i].op;
    found[i] = op == CHIP_OP_ALL_GATHER           ? 'g'
               : op == CHIP_OP_REDUCE_SCATTER     ? 's'
               : op == CHIP_OP_ALL_REDUCE         ? 'r'
               : op == CHIP_OP_COLLECTIVE_PERMUTE ? 'p'
                                                  : '?';
    found[i + 1] = '\0';
  }
  if (strcmp(found, expected) != 0) {
    fail_msg("%s has the collectives %s, not %s", name, found, expected);
  }
  compiler_result_destroy(result);
}

static void test_the_programs_of_the_field_have_their_collectives(void **state) {
  (void)state;
  static const struct {
    const char *name, *kind, *collectives;
  } cases[] = {
      {"matmul_allgather.4.mlir", "v5e", "g"},
      {"matmul_allgather.4ring.mlir", "v5e", "g"},
      {"matmul_allgather_overlapped.4.mlir", "v5e", "ppp"},
      {"matmul_allgather_overlapped_bidi.4ring.mlir", "v5e", "pppppp"},
      {"matmul_allgather_overlapped_bidi_padded.4.mlir", "v5e", "pppppp"},
      {"matmul_allgather_first.2x4.mlir", "v5e", "g"},
      {"matmul_contracting_whole.2x4.mlir", "v5e", ""},
      {"collective_matmul_unrolled.2x4.mlir", "v5e", "ppp"},
      {"collective_matmul_bidi.2x4.mlir", "v5e", "pppppp"},
      {"matmul_allreduce.2x4.mlir", "v5e", "r"},
      {"collective_matmul_allreduce.2x4.mlir", "v5e", "r"},
      {"collective_matmul_allreduce_bidi.2x4.mlir", "v5e", "ppppppg"},
      {"matmul_psumscatter.2x4.mlir", "v5e", "s"},
      {"collective_matmul_psumscatter.2x4.mlir", "v5e", "ppp"},
      {"transformer_block.2x4.mlir", "v5e", "gs"},
      {"transformer_block_overlapped.2x4.mlir", "v5e", "pppppp"},
      {"transformer_block_overlapped_bidi.2x4.mlir", "v5e", "pppppppppppp"},
      {"layerwise_matmul.4.mlir", "v4", "gggg"},
      {"layerwise_matmul_shard_map.4.mlir", "v4", "gggg"},
      {"matmul_large.2x2.mlir", "v5e", ""},
      {"matmul_large_gathered.2x2.mlir", "v5e", "gg"},
      {"sin.1.mlir", "v5e", ""},
      {"sin.2x2.mlir", "v5e", ""},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    check_collectives(cases[i].name, cases[i].kind, cases[i].collectives);
  }
}

static void test_a_mesh_in_ring_order_gathers_in_ring_order(void **state) {
  (void)state;
  compiler_result_t *result = compile_program("matmul_allgather.4ring.mlir", "v5e");
  pod_text_t listing = {0};
  chip_program_print(&listing, result->program);
  if (strstr(listing.bytes, "replica_groups=[0,1,3,2]") == NULL) {
    fail_msg("no group in ring order in\n%s", listing.bytes);
  }
  pod_text_deinit(&listing);
  compiler_result_destroy(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_program_compiles_at_its_full_size),
      cmocka_unit_test(test_the_programs_of_the_field_have_their_collectives),
      cmocka_unit_test(test_a_mesh_in_ring_order_gathers_in_ring_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
