// What a chip holds: arrays by id, within the capacity of its HBM.
//
// Everything that takes HBM (arrays, constants of loaded programs, temporaries and
// results of an execution) is reserved before it is used, so that what does not fit fails
// with the numbers before anything runs. Sizes are those of tensor/tiles.h, padding
// included, as the compiler counts them: the bytes that really lie here are others.
//
// Threading: one thread at a time (the loop thread); the bytes of an array may be used by
// another thread as long as the array is retained.
// Ownership: an array is counted: whoever retains it releases it. The table holds one
// count from hbm_array_publish to hbm_array_forget.
// Errors: RESOURCE_EXHAUSTED with the chip, what is needed and what is free; also when
// the host's memory is short, which the message then says.

#ifndef SERVER_WORKER_HBM_H_
#define SERVER_WORKER_HBM_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/tensor/shape.h"

typedef struct hbm_t hbm_t;

typedef struct hbm_array_t {
  uint64_t id, session;
  tensor_shape_t shape;  // Local.
  void *data;            // tensor_shape_bytes(&shape) bytes, host_memory.h.
  int64_t hbm_bytes;     // Of the memory that it is counted in.
  bool is_host;  // Counted as memory of the chip's host, which has no capacity here.
  bool is_bad;   // The execution that was to fill it failed. The compute thread's.
  // Private to hbm.c.
  hbm_t *hbm;
  int32_t count;
  bool is_published;
  char *donated_to;  // The program, of an id whose array is gone; NULL: it is there.
} hbm_array_t;

// Returns owned. `capacity_bytes` > 0; `chip` is for messages.
hbm_t *hbm_create(int32_t chip, int64_t capacity_bytes);

// Releases the table's arrays; everything else must have been released before. Accepts
// NULL.
void hbm_destroy(hbm_t *hbm);

int64_t hbm_capacity_bytes(const hbm_t *hbm);
int64_t hbm_used_bytes(const hbm_t *hbm);
int64_t hbm_peak_bytes(const hbm_t *hbm);   // The most that was ever used.
int32_t hbm_array_count(const hbm_t *hbm);  // Of the table.
// Of arrays and temporaries in the host's memory, and the most that ever was.
int64_t hbm_host_used_bytes(const hbm_t *hbm);
int64_t hbm_host_peak_bytes(const hbm_t *hbm);
void hbm_host_reserve(hbm_t *hbm, int64_t size_bytes);
void hbm_host_release(hbm_t *hbm, int64_t size_bytes);

// Takes `size_bytes` >= 0 of the capacity; `what` names it in the message: "array 7
// (bf16[8,2048])".
POD_MUST_USE pod_status_t hbm_reserve(hbm_t *hbm, int64_t size_bytes, const char *what);
void hbm_release(hbm_t *hbm, int64_t size_bytes);

// Reserves HBM and host memory; contents undefined. The array is not in the table yet.
// ALREADY_EXISTS when the id is.
POD_MUST_USE pod_status_t hbm_array_create(hbm_t *hbm, uint64_t id, uint64_t session,
                                           const tensor_shape_t *shape,
                                           hbm_array_t **out_array);

// The same of an array in the host's memory: no HBM is reserved.
POD_MUST_USE pod_status_t hbm_array_create_on_host(hbm_t *hbm, uint64_t id,
                                                   uint64_t session,
                                                   const tensor_shape_t *shape,
                                                   hbm_array_t **out_array);

void hbm_array_retain(hbm_array_t *array);

// Frees it at the last release. Accepts NULL.
void hbm_array_release(hbm_array_t *array);

// Whether nobody holds it but the caller, who retains it once, and the table.
bool hbm_array_is_sole(const hbm_array_t *array);

// A new array, not in the table yet, in the memory of a sole one, which has none from
// then on. `shape` has as many bytes (chip_may_alias).
hbm_array_t *hbm_array_hand_over(hbm_array_t *from, uint64_t id, uint64_t session,
                                 const tensor_shape_t *shape);

// Takes it out of the table as hbm_array_forget does, but the id stays until it is
// forgotten: whoever looks for it is told FAILED_PRECONDITION with the program that it
// was donated to.
void hbm_array_donate(hbm_t *hbm, uint64_t id, const char *program);

// Puts it into the table, which retains it. ALREADY_EXISTS when the id has been taken
// since.
POD_MUST_USE pod_status_t hbm_array_publish(hbm_array_t *array);

// Borrowed. NOT_FOUND names the chip, FAILED_PRECONDITION who has consumed it.
POD_MUST_USE pod_status_t hbm_array_find(const hbm_t *hbm, uint64_t id,
                                         hbm_array_t **out_array);

// Takes it out of the table. An id that is not there is ignored.
void hbm_array_forget(hbm_t *hbm, uint64_t id);

// Takes all arrays of a session out of the table.
void hbm_session_forget(hbm_t *hbm, uint64_t session);

#endif  // SERVER_WORKER_HBM_H_
