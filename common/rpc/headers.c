// The metadata of a call, both ways.

#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/rpc/call.h"
#include "common/rpc/wire.h"

void rpc_headers_add(rpc_headers_t *headers, const char *key, size_t key_length,
                     const void *value, size_t value_length, bool trailing) {
  rpc_header_t *header = pod_alloc(sizeof(*header) + key_length + value_length + 2);
  header->trailing = trailing;
  header->key_length = key_length;
  header->value_length = value_length;
  header->key = (char *)(header + 1);
  header->value = header->key + key_length + 1;
  memcpy(header->key, key, key_length);
  if (value_length > 0) {
    memcpy(header->value, value, value_length);
  }
  if (headers->first == NULL) {
    headers->last = &headers->first;
  }
  *headers->last = header;
  headers->last = &header->next;
  headers->count++;
  headers->bytes += key_length + value_length + RPC_HEADER_COST;
}

void rpc_headers_clear(rpc_headers_t *headers) {
  while (headers->first != NULL) {
    rpc_header_t *header = headers->first;
    headers->first = header->next;
    free(header);
  }
  *headers = (rpc_headers_t){0};
}

pod_status_t rpc_headers_add_own(rpc_headers_t *headers, const rpc_metadata_t *metadata,
                                 bool trailing) {
  const size_t length = strlen(metadata->key);
  if (headers->count == RPC_METADATA_COUNT_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "more than %d metadata",
                     RPC_METADATA_COUNT_MAX);
  }
  if (headers->bytes + length + metadata->size_bytes / 3 * 4 > RPC_METADATA_BYTES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "metadata '%s' of %zu bytes exceeds the bound of %d bytes for all",
                     metadata->key, metadata->size_bytes, RPC_METADATA_BYTES_MAX);
  }
  if (nghttp2_check_header_name((const uint8_t *)metadata->key, length) == 0 ||
      metadata->key[0] == ':' || strncmp(metadata->key, "grpc-", 5) == 0) {
    return pod_error(POD_INVALID_ARGUMENT, "'%s' cannot be the key of metadata",
                     metadata->key);
  }
  if (rpc_key_is_binary(metadata->key, length)) {
    size_t text_length = 0;
    char *text = rpc_base64_encode(metadata->value, metadata->size_bytes, &text_length);
    rpc_headers_add(headers, metadata->key, length, text, text_length, trailing);
    free(text);
    return NULL;
  }
  const char *value = metadata->value;
  size_t size = metadata->size_bytes;
  for (; size > 0 && value[0] == ' '; size--) {
    value++;  // Spaces at the ends do not survive HTTP.
  }
  for (; size > 0 && value[size - 1] == ' '; size--) {
  }
  for (size_t i = 0; i < size; i++) {
    if (value[i] < 0x20 || value[i] > 0x7e) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "metadata '%s' holds a byte that is not printable ASCII; end its "
                       "key with -bin",
                       metadata->key);
    }
  }
  rpc_headers_add(headers, metadata->key, length, value, size, trailing);
  return NULL;
}

void rpc_headers_add_peer(rpc_headers_t *headers, const char *key, size_t key_length,
                          const char *value, size_t value_length, bool trailing) {
  if (!rpc_key_is_binary(key, key_length)) {
    rpc_headers_add(headers, key, key_length, value, value_length, trailing);
    return;
  }
  const char *end = value + value_length;
  for (;;) {
    const char *comma = memchr(value, ',', (size_t)(end - value));
    const size_t length = (size_t)((comma != NULL ? comma : end) - value);
    size_t size_bytes = 0;
    uint8_t *bytes = rpc_base64_decode(value, length, &size_bytes);
    if (bytes != NULL) {  // What is not base64 carries nothing.
      rpc_headers_add(headers, key, key_length, bytes, size_bytes, trailing);
      free(bytes);
    }
    if (comma == NULL) {
      return;
    }
    value = comma + 1;
  }
}
