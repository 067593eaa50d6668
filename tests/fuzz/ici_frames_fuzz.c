// Any bytes as an ICI frame: a header and, where it is one, a HELLO. What is accepted is
// within its bounds and is the same again when it is encoded and decoded.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "server/ici/frame.h"

enum { CHIPS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_header(const uint8_t *data, size_t size) {
  ici_header_t header;
  const pod_status_t status = ici_header_decode(data, size, CHIPS, &header);
  if (status != NULL) {
    pod_status_free(status);
    return;
  }
  POD_CHECK(header.kind >= ICI_KNOCK && header.kind < ICI_KIND_COUNT);
  POD_CHECK(header.source >= 0 && header.source < CHIPS);
  POD_CHECK(header.destination >= 0 && header.destination < CHIPS);
  POD_CHECK(header.payload_bytes <= ICI_PAYLOAD_MAX);
  POD_CHECK(header.payload_bytes + (size_t)ICI_HEADER_BYTES == size);
  uint8_t bytes[ICI_HEADER_BYTES], again_bytes[ICI_HEADER_BYTES];
  ici_header_encode(&header, bytes);
  ici_header_t again;
  POD_CHECK(ici_header_decode(bytes, size, CHIPS, &again) == NULL);
  ici_header_encode(&again, again_bytes);
  POD_CHECK(memcmp(bytes, again_bytes, sizeof(bytes)) == 0);
}

static void check_hello(const uint8_t *data, size_t size) {
  ici_hello_t hello;
  const pod_status_t status = ici_hello_decode(data, size, &hello);
  if (status != NULL) {
    pod_status_free(status);
    return;
  }
  POD_CHECK(memchr(hello.pod, '\0', sizeof(hello.pod)) != NULL);
  uint8_t bytes[ICI_HELLO_BYTES];
  ici_hello_encode(&hello, bytes);
  ici_hello_t again;
  POD_CHECK(ici_hello_decode(bytes, sizeof(bytes), &again) == NULL);
  pod_status_free(ici_hello_check(&hello, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_header(data, size);
  check_hello(data, size);
  if (size > ICI_HEADER_BYTES) {
    check_hello(data + ICI_HEADER_BYTES, size - ICI_HEADER_BYTES);
  }
  return 0;
}
