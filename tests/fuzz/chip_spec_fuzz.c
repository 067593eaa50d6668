// Descriptions of chips: any bytes are read or refused, and what is read is printed and
// read back the same.

#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "server/chip/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  chip_spec_t *spec;
  const pod_status_t status =
      chip_spec_parse("fuzz.chip", (const char *)data, size, &spec);
  if (status != NULL) {
    pod_status_free(status);
    return 0;
  }
  pod_text_t first = {0}, second = {0};
  chip_spec_print(&first, spec);
  chip_spec_t *again;
  POD_CHECK(chip_spec_parse("again.chip", first.bytes, first.length, &again) == NULL);
  chip_spec_print(&second, again);
  POD_CHECK(strcmp(first.bytes, second.bytes) == 0);
  pod_text_deinit(&first);
  pod_text_deinit(&second);
  chip_spec_destroy(again);
  chip_spec_destroy(spec);
  return 0;
}
