// MLIR text: whatever the bytes, the parser gives a module or an error. A module must be
// printed in both forms so that it is read back as the same program, and its attributes
// must be decoded or refused.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/parser.h"
#include "common/mlir/printer.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/syntax.h"
#include "tests/unit/common/mlir/same_module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The attributes are under test here; what they say does not matter.
static void decode_attr(mlir_module_t *module, const compiler_meshes_t *meshes,
                        const mlir_op_t *op, const mlir_attr_t *attr) {
  stablehlo_dot_t dot;
  stablehlo_gather_t gather;
  stablehlo_scatter_t scatter;
  stablehlo_conv_t conv;
  stablehlo_dot_algorithm_t algorithm;
  compiler_groups_t groups;
  int64_t first, second, precision[2];
  const int64_t *pairs;
  sharding_t **shardings;
  const mesh_t *mesh;
  int count, *axes;
  pod_arena_t *arena = module->arena;
  pod_status_free(stablehlo_dot_dimensions(module, attr, &dot));
  pod_status_free(stablehlo_gather_dimensions(module, attr, &gather));
  pod_status_free(stablehlo_scatter_dimensions(module, attr, &scatter));
  pod_status_free(stablehlo_conv_dimensions(module, attr, &conv));
  pod_status_free(stablehlo_dot_algorithm(module, attr, &algorithm));
  pod_status_free(stablehlo_precision(module, attr, precision));
  pod_status_free(stablehlo_channel_handle(module, attr, &first, &second));
  pod_status_free(stablehlo_source_target_pairs(module, attr, &first, &pairs));
  pod_status_free(compiler_parse_mesh(module, attr, "m", arena, &mesh));
  pod_status_free(compiler_parse_replica_groups(module, attr, meshes, arena, &groups));
  const pod_status_t status =
      compiler_parse_shardings(module, attr, meshes, arena, &first, &shardings);
  for (int64_t i = 0; status == NULL && i < first; i++) {
    sharding_t *again;
    const mlir_attr_t *made = compiler_make_sharding(module, shardings[i]);
    pod_status_free(compiler_parse_sharding(module, made, meshes, arena, &again));
  }
  pod_status_free(status);
  if (compiler_meshes_count(meshes) > 0) {
    pod_status_free(compiler_parse_manual_axes(
        module, attr, compiler_meshes_at(meshes, 0), arena, &count, &axes));
  }
  pod_status_free(mlir_op_error(module, op, POD_INTERNAL, "decoded"));
}

static void decode_op(mlir_module_t *module, const compiler_meshes_t *meshes,
                      const mlir_op_t *op) {
  int value;
  pod_status_free(stablehlo_comparison_direction(module, op, &value));
  pod_status_free(stablehlo_comparison_type(module, op, &value));
  POD_CHECK(mlir_op_source(module, op) != NULL);
  for (int i = 0; i < op->attr_count && i < 16; i++) {
    decode_attr(module, meshes, op, op->attrs[i].value);
  }
  for (int i = 0; i < op->region_count; i++) {
    for (mlir_block_t *block = op->regions[i].first; block != NULL; block = block->next) {
      for (const mlir_op_t *each = block->first; each != NULL; each = each->next) {
        decode_op(module, meshes, each);
      }
    }
  }
}

static void round_trip(const mlir_module_t *module, mlir_syntax_lookup_t lookup) {
  pod_text_t text = {0};
  mlir_print(&text, module,
             &(mlir_print_options_t){.lookup = lookup, .locations = lookup != NULL});
  mlir_module_t *again = NULL;
  const pod_status_t status =
      compiler_parse("again", text.bytes, (int64_t)text.length, &again);
  if (status != NULL) {
    fprintf(stderr, "%s\n%s\n", text.bytes, pod_status_message(status));
  }
  POD_CHECK(status == NULL);
  POD_CHECK(same_module(module, again, NULL));
  mlir_module_destroy(again);
  pod_text_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir_module_t *module = NULL;
  const pod_status_t status =
      compiler_parse("fuzz.mlir", (const char *)data, (int64_t)size, &module);
  if (status != NULL) {
    pod_status_free(status);
    return 0;
  }
  round_trip(module, compiler_syntax_lookup);
  round_trip(module, NULL);
  compiler_meshes_t *meshes = NULL;
  const pod_status_t collected = compiler_meshes_collect(module, module->arena, &meshes);
  if (collected == NULL) {
    decode_op(module, meshes, module->op);
  }
  pod_status_free(collected);
  mlir_module_destroy(module);
  return 0;
}
