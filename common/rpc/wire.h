// The texts of gRPC's headers, as
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md defines them. Plain
// functions of their arguments.
//
// Threading: any.
// Ownership: what is returned owned is freed with free().

#ifndef COMMON_RPC_WIRE_H_
#define COMMON_RPC_WIRE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

enum { RPC_TIMEOUT_TEXT_BYTES = 12 };

// "application/grpc", "application/grpc+proto"; no "application/grpcx".
bool rpc_content_type_is_grpc(const char *text, size_t length);

// "100m" -> 100000000. False for what is not 1 to 8 digits and a unit; what int64
// cannot hold becomes INT64_MAX.
bool rpc_timeout_parse(const char *text, size_t length, int64_t *out_ns);

// The finest unit in which `timeout_ns` (> 0) fits 8 digits, rounded up. Returns the
// length.
size_t rpc_timeout_format(int64_t timeout_ns, char out_text[RPC_TIMEOUT_TEXT_BYTES]);

// Printable ASCII stands for itself, '%', spaces at the ends and any other byte become
// %XX. The result holds at most `size_max` bytes; a longer one is cut between characters
// and ends with "...". Returns owned.
char *rpc_percent_encode(const char *text, size_t size_max);

// What is not a valid escape is kept as it stands, %00 too. Returns owned.
char *rpc_percent_decode(const char *text, size_t length);

// Without padding. Returns owned; *out_length excludes the NUL.
char *rpc_base64_encode(const void *data, size_t size_bytes, size_t *out_length);

// With or without padding. NULL when the text is not base64. Returns owned.
uint8_t *rpc_base64_decode(const char *text, size_t length, size_t *out_size_bytes);

// Whether the value of a key travels as base64.
bool rpc_key_is_binary(const char *key, size_t length);

// "0" to "16"; anything else is UNKNOWN.
pod_code_t rpc_code_parse(const char *text, size_t length);

// For a response without grpc-status:
// https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md.
pod_code_t rpc_code_of_http_status(int http_status);

// For a stream that ended with RST_STREAM ("Errors" in PROTOCOL-HTTP2).
pod_code_t rpc_code_of_http2_error(uint32_t http2_error);

#endif  // COMMON_RPC_WIRE_H_
