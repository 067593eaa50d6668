// Compiling is running the pipeline and keeping its result.

#include "server/compiler/compiler.h"

#include "server/compiler/pipeline.h"

pod_status_t compiler_compile(const char *text, int64_t length,
                              const compiler_options_t *options,
                              compiler_result_t **out_result) {
  chip_spec_t sized = *options->spec;
  compiler_options_t own = *options;
  if (options->hbm_bytes > 0) {
    sized.hbm_bytes = options->hbm_bytes + sized.hbm_reserved_bytes;
    own.spec = &sized;
  }
  pipeline_t pipeline = {.text = text, .length = length, .options = &own};
  const pod_status_t status = pipeline_run(&pipeline);
  if (status == NULL) {
    *out_result = pipeline.result;
    pipeline.program = NULL;  // The result has it now.
  }
  pipeline_deinit(&pipeline);
  return status;
}

void compiler_result_destroy(compiler_result_t *result) {
  if (result != NULL) {
    chip_program_destroy(result->program);  // The result lives in its arena.
  }
}
