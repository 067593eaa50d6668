// What server reflection serves: the descriptor of every .proto file under proto/, as
// protoc wrote it. The tables are generated at build time (embed_descriptors.py).
//
// Threading: constant data.

#ifndef PROTO_DESCRIPTORS_H_
#define PROTO_DESCRIPTORS_H_

#include <stddef.h>
#include <stdint.h>

typedef struct proto_file_t {
  const char *name;     // "podium/v1/podium.proto"
  const uint8_t *data;  // A serialized google.protobuf.FileDescriptorProto.
  size_t size_bytes;
  const size_t *imports;  // Indices into proto_files.
  size_t import_count;
} proto_file_t;

typedef struct proto_symbol_t {
  const char
      *name;  // "podium.v1.Podium.Compile": services, methods, messages, enums, fields.
  size_t file_index;
} proto_symbol_t;

extern const proto_file_t proto_files[];  // A file comes after what it imports.
extern const size_t proto_file_count;
extern const proto_symbol_t proto_symbols[];  // Sorted by name (strcmp).
extern const size_t proto_symbol_count;

#endif  // PROTO_DESCRIPTORS_H_
