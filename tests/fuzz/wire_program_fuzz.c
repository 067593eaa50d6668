// Any bytes as a packed podium.v1.Program: a status, or a program that passes the check.

#include <stddef.h>
#include <stdint.h>

#include "common/base/check.h"
#include "server/wire/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  chip_program_t *program = NULL;
  const pod_status_t status = wire_program_unpack(data, size, &program);
  if (status == NULL) {
    const pod_status_t again = chip_program_check(program);
    POD_CHECK(again == NULL);
    pod_text_t text = {0};
    chip_program_print(&text, program);
    pod_text_deinit(&text);
  }
  pod_status_free(status);
  chip_program_destroy(program);
  return 0;
}
