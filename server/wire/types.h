// Shapes, meshes and shardings between the C structs of common/tensor and podium.v1.
//
// Ownership: what a pack function returns lives in the arena and borrows the names, sizes
// and ids of what was packed: send or serialise it before either goes. What an unpack
// function returns lives in its arena and borrows nothing.
// Errors: unpacking trusts nothing: INVALID_ARGUMENT says what is wrong. The result has
// passed tensor_shape_check, mesh_make and sharding_check.
// Threading: pure.

#ifndef SERVER_WIRE_TYPES_H_
#define SERVER_WIRE_TYPES_H_

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/tensor/shape.h"
#include "common/tensor/sharding.h"
#include "proto/podium/v1/types.pb-c.h"

Podium__V1__Shape *wire_shape_pack(pod_arena_t *arena, const tensor_shape_t *shape);

// `message` may be NULL: a shape that is absent is an error.
POD_MUST_USE pod_status_t wire_shape_unpack(const Podium__V1__Shape *message,
                                            tensor_shape_t *out_shape);

Podium__V1__Mesh *wire_mesh_pack(pod_arena_t *arena, const mesh_t *mesh);

// `message` may be NULL: a mesh that is absent is an error.
POD_MUST_USE pod_status_t wire_mesh_unpack(const Podium__V1__Mesh *message,
                                           pod_arena_t *arena, const mesh_t **out_mesh);

// Closed dimensions with whole axes and sub-axes. Inside a program, where shardings are
// of its mesh, that is left out (`with_mesh` false).
Podium__V1__Sharding *wire_sharding_pack(pod_arena_t *arena, const sharding_t *sharding,
                                         bool with_mesh);

// Of an array of `shape`. When the message has no mesh it is `mesh`; NULL then makes that
// an error. No message, or one without dimensions, is replicated.
POD_MUST_USE pod_status_t wire_sharding_unpack(const Podium__V1__Sharding *message,
                                               pod_arena_t *arena, const mesh_t *mesh,
                                               const tensor_shape_t *shape,
                                               const sharding_t **out_sharding);

#endif  // SERVER_WIRE_TYPES_H_
