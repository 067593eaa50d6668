// Programs on the wire: chip_program_t and the bytes of a podium.v1.Program.
//
// Cost: packing needs the bytes and a tree of the same order beside the program;
// unpacking makes one copy, in the program's own arena.
// Determinism: the same program packs to the same bytes.
// Threading: pure.

#ifndef SERVER_WIRE_PROGRAM_H_
#define SERVER_WIRE_PROGRAM_H_

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/podium/v1/profile.pb-c.h"
#include "proto/podium/v1/program.pb-c.h"
#include "proto/podium/v1/types.pb-c.h"
#include "server/program/program.h"

// The largest packed program that is unpacked. Constants are most of a large one.
#define WIRE_PROGRAM_BYTES_MAX ((int64_t)1 << 30)

// Constants of this alignment or more can be lent to kernels where they lie in an
// unpacked program.
enum { WIRE_CONSTANT_ALIGNMENT = 64 };

// Returns the bytes owned (free()). RESOURCE_EXHAUSTED when they exceed
// WIRE_PROGRAM_BYTES_MAX or the host has no memory for them.
POD_MUST_USE pod_status_t wire_program_pack(const chip_program_t *program,
                                            uint8_t **out_bytes, size_t *out_size_bytes);

// Returns the program owned (chip_program_destroy), in an arena of its own; `bytes` may
// go. It has passed chip_program_check; constants have as many bytes as their shape and
// lie at WIRE_CONSTANT_ALIGNMENT. INVALID_ARGUMENT for anything that is no such program.
POD_MUST_USE pod_status_t wire_program_unpack(const void *bytes, size_t size_bytes,
                                              chip_program_t **out_program);

// Lives in the arena, borrows from the interface. Its sharding goes without its mesh when
// that is `mesh`, the program's.
Podium__V1__Interface *wire_interface_pack(pod_arena_t *arena,
                                           const chip_interface_t *interface,
                                           const mesh_t *mesh);

// Lives in the program's arena and borrows the message's name; the sharding is of the
// program's mesh.
POD_MUST_USE pod_status_t wire_interface_unpack(const Podium__V1__Interface *message,
                                                const chip_program_t *program,
                                                chip_interface_t *out);

// Lives in the arena.
Podium__V1__Alias *wire_alias_pack(pod_arena_t *arena, const chip_alias_t *alias);

// What readers of a profile need to know of an instruction. Lives in the arena, borrows
// from the program.
Podium__V1__InstructionInfo *wire_instruction_info_pack(pod_arena_t *arena,
                                                        const chip_program_t *program,
                                                        int32_t instruction);

#endif  // SERVER_WIRE_PROGRAM_H_
