// The whole text: aliases, then one module. Recursive descent with one token of look-
// ahead; the parts are in parser_op.c, parser_attr.c, parser_type.c.

#include "common/mlir/parser.h"

#include <stdlib.h>
#include <string.h>

#include "common/mlir/diagnostic.h"
#include "common/mlir/parser_private.h"

// The end of the text is a NUL, which the parser meets instead of looking for the end.
static pod_status_t check_bytes(mlir_module_t *module) {
  const char *nul = memchr(module->source, '\0', (size_t)module->source_length);
  return nul == NULL ? NULL
                     : mlir_error_at(module, (mlir_position_t)(nul - module->source) + 1,
                                     POD_INVALID_ARGUMENT, "a NUL byte: this is no text");
}

static void state_deinit(mlir_parse_state_t *state) {
  mlir_scope_deinit(&state->scope);
  pod_map_destroy(state->attr_aliases);
  pod_map_destroy(state->type_aliases);
  pod_map_destroy(state->resources);
  pod_map_destroy(state->op_names);
  pod_list_deinit(&state->operand_positions);
}

static bool starts_with(const char *text, int64_t length, const char *prefix) {
  const size_t prefix_length = strlen(prefix);
  return (size_t)length >= prefix_length && memcmp(text, prefix, prefix_length) == 0;
}

// Other forms of a program that people have at hand are told by their names.
static pod_status_t refuse_other_formats(const char *file_name, const char *text,
                                         int64_t length) {
  if (starts_with(text, length, "ML\xefR")) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s is MLIR bytecode where MLIR text is needed: "
                     "jax.export.deserialize(...).mlir_module(), or "
                     "`stablehlo-translate --deserialize FILE`, prints it",
                     file_name);
  }
  if (starts_with(text, length, "HloModule")) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s is HLO text; StableHLO text is needed: "
                     "jax.jit(f).lower(...).as_text() prints it (without "
                     "dialect=\"hlo\")",
                     file_name);
  }
  return NULL;
}

pod_status_t mlir_parse(const char *file_name, const char *text, int64_t length,
                        mlir_syntax_lookup_t lookup, mlir_module_t **out_module) {
  return mlir_parse_kinds(file_name, text, length, lookup, NULL, out_module);
}

pod_status_t mlir_parse_kinds(const char *file_name, const char *text, int64_t length,
                              mlir_syntax_lookup_t lookup,
                              int (*kind_of)(const char *name),
                              mlir_module_t **out_module) {
  if (length < 0 || length >= INT32_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "%s: %lld bytes of text; at most 2 GiB",
                     file_name, (long long)length);
  }
  POD_TRY(refuse_other_formats(file_name, text, length));
  mlir_module_t *module = mlir_module_create(file_name);
  mlir_module_set_kinds(module, kind_of);
  char *source = pod_arena_text(module->arena, text, (size_t)length);
  module->source = source;
  module->source_length = length;
  mlir_parse_state_t state = {
      .lookup = lookup,
      .attr_aliases = pod_map_create(),
      .type_aliases = pod_map_create(),
      .resources = pod_map_create(),
      .op_names = pod_map_create(),
      .expansion_max = MLIR_EXPANSION_BASE + MLIR_EXPANSION_PER_BYTE * length};
  if (state.expansion_max > MLIR_EXPANSION_MAX) {
    state.expansion_max = MLIR_EXPANSION_MAX;
  }
  mlir_parser_t parser = {.module = module,
                          .begin = source,
                          .at = source,
                          .end = source + length,
                          .origin = 1,
                          .state = &state};
  pod_status_t status = check_bytes(module);
  if (status == NULL) {
    mlir_lex_skip(&parser);
    status = mlir_parse_top(&parser);
  }
  state_deinit(&state);
  if (status != NULL) {
    mlir_module_destroy(module);
    return status;
  }
  *out_module = module;
  return NULL;
}

mlir_parser_t *mlir_parser_for_body(mlir_module_t *module, const mlir_attr_t *attr) {
  mlir_parser_t *parser = pod_arena_alloc(module->arena, sizeof(*parser));
  parser->module = module;
  parser->begin = parser->at = attr->body == NULL ? "" : attr->body;
  parser->end = parser->begin + (attr->body == NULL ? 0 : attr->length);
  parser->origin = attr->body_position;
  mlir_lex_skip(parser);
  return parser;
}
