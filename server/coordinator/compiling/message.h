// What a coordinator and a process that compiles for it say to one another: jobs and
// answers, as frames over a socket.
//
//   job     header, podium.v1.CompilerJob, the module's text
//   answer  header, podium.v1.CompilerAnswer, the packed podium.v1.Program (or nothing)
//
// Cost: packing needs the bytes and a tree of the same order; unpacking makes one copy,
// in the program's own arena.
// Determinism: a result that has gone through an answer packs to the same bytes.
// Threading: pure, but for the two that use a socket.

#ifndef SERVER_COORDINATOR_COMPILING_MESSAGE_H_
#define SERVER_COORDINATOR_COMPILING_MESSAGE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "server/compiler/compiler.h"

typedef struct compile_frame_t {
  uint8_t *head;  // free()
  size_t head_bytes;
  uint8_t *body;  // free(); a NUL is behind it.
  size_t body_bytes;
  bool is_last;  // Who sends it ends behind it.
} compile_frame_t;

void compile_frame_deinit(compile_frame_t *frame);

// By when a frame must have gone or come: CLOCK_MONOTONIC in ms; COMPILE_NO_DEADLINE.
#define COMPILE_NO_DEADLINE INT64_MAX

int64_t compile_now_ms(void);

// `body` may be NULL when it has no bytes. UNAVAILABLE: the other end has gone;
// DEADLINE_EXCEEDED.
POD_MUST_USE pod_status_t compile_frame_send(int fd, int64_t deadline_ms,
                                             const compile_frame_t *frame);

// The same errors, and RESOURCE_EXHAUSTED when there is no memory for it. The caller
// deinits the frame, after an error too.
POD_MUST_USE pod_status_t compile_frame_receive(int fd, int64_t deadline_ms,
                                                compile_frame_t *out_frame);

// The job's head; free().
uint8_t *compile_job_pack(const compiler_options_t *options, size_t *out_size_bytes);

// Everything lives in the arena. `own_spec` is the chip that is no row of ours; NULL:
// there is none. INTERNAL when the bytes are no job.
POD_MUST_USE pod_status_t compile_job_unpack(pod_arena_t *arena, const void *bytes,
                                             size_t size_bytes,
                                             const chip_spec_t *own_spec,
                                             compiler_options_t *out_options);

// The whole answer. `status` is borrowed; on success NULL, and then `result` is packed.
// RESOURCE_EXHAUSTED as wire_program_pack says it.
POD_MUST_USE pod_status_t compile_answer_pack(pod_status_t status,
                                              const compiler_result_t *result,
                                              compile_frame_t *out_frame);

// The compiler's status, or its result, which lives in the program's arena (destroyed by
// compiler_result_destroy). INTERNAL when the frame is no answer.
POD_MUST_USE pod_status_t compile_answer_unpack(const compile_frame_t *frame,
                                                compiler_result_t **out_result);

#endif  // SERVER_COORDINATOR_COMPILING_MESSAGE_H_
