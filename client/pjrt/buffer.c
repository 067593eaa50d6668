// Buffers: what one chip holds of an array, in its HBM or in the memory of its host.
//
// Bytes are dense and row-major everywhere, so a buffer has one layout. A caller's
// strides are undone before the bytes leave; a caller that wants another order gets the
// bytes first and then the order.

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "client/pjrt/plugin.h"
#include "client/pjrt/recording.h"
#include "client/pjrt/strides.h"
#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/tensor/tiles.h"

// --- Arrays ---

pjrt_array_t *pjrt_array_create(podium_array_t *array) {
  pjrt_array_t *counted = pod_alloc(sizeof(*counted));
  atomic_init(&counted->use_count, 1);
  counted->array = array;
  return counted;
}

static pjrt_array_t *pjrt_array_retain(pjrt_array_t *array) {
  atomic_fetch_add(&array->use_count, 1);
  return array;
}

void pjrt_array_release(pjrt_array_t *array) {
  if (array != NULL && atomic_fetch_sub(&array->use_count, 1) == 1) {
    podium_array_free(array->array);
    free(array);
  }
}

// --- Making and deleting ---

// What the chip has of it, as its HBM is counted: with the padding of its tiles.
static int64_t device_bytes(const podium_shape_t *shape) {
  const tensor_shape_t tensor =
      tensor_shape_make((tensor_dtype_t)shape->dtype, shape->rank, shape->dims);
  return tensor_tiled_bytes(&tensor);
}

static void count_bytes(const PJRT_Buffer *buffer, int64_t bytes) {
  PJRT_Device *device = buffer->memory->device;
  const long long now = atomic_fetch_add(&device->bytes_in_use, bytes) + bytes;
  long long peak = atomic_load(&device->peak_bytes_in_use);
  while (now > peak &&
         !atomic_compare_exchange_weak(&device->peak_bytes_in_use, &peak, now)) {
  }
  atomic_fetch_add(&device->allocation_count, bytes > 0);
  recording_add_change(buffer, bytes, now);
}

PJRT_Buffer *pjrt_buffer_create(PJRT_Memory *memory, const podium_shape_t *shape,
                                pjrt_array_t *array, future_t *ready) {
  PJRT_Buffer *buffer = pod_alloc(sizeof(*buffer));
  buffer->client = pjrt_client_retain(memory->device->client);
  buffer->memory = memory;
  buffer->shape = *shape;
  buffer->size_bytes = podium_shape_bytes(shape);
  buffer->ready = ready;
  buffer->array = array;
  pthread_mutex_init(&buffer->mutex, NULL);
  for (int i = 0; i < shape->rank; i++) {
    buffer->minor_to_major[i] = shape->rank - 1 - i;
  }
  if (memory->kind == PJRT_MEMORY_DEVICE) {
    count_bytes(buffer, device_bytes(shape));
  }
  return buffer;
}

void pjrt_buffer_delete(PJRT_Buffer *buffer, const char *by) {
  pthread_mutex_lock(&buffer->mutex);
  pjrt_array_t *array = buffer->array;
  const bool was_there = buffer->deleted_by == NULL;
  buffer->array = NULL;
  buffer->deleted_by = was_there ? by : buffer->deleted_by;
  pthread_mutex_unlock(&buffer->mutex);
  if (was_there && buffer->memory->kind == PJRT_MEMORY_DEVICE) {
    count_bytes(buffer, -device_bytes(&buffer->shape));
  }
  pjrt_array_release(array);
}

// With the lock.
static pod_status_t check_there(const PJRT_Buffer *buffer) {
  return buffer->deleted_by == NULL
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT, "the buffer has been deleted (%s)",
                         buffer->deleted_by);
}

PJRT_Error *buffer_destroy(PJRT_Buffer_Destroy_Args *args) {
  PJRT_Buffer *buffer = args->buffer;
  if (buffer != NULL) {
    pjrt_buffer_delete(buffer, "destroyed");
    future_release(buffer->ready);
    pthread_mutex_destroy(&buffer->mutex);
    pjrt_client_release(buffer->client);
    free(buffer);
  }
  return NULL;
}

PJRT_Error *buffer_delete(PJRT_Buffer_Delete_Args *args) {
  pjrt_buffer_delete(args->buffer, "by its owner");
  return NULL;
}

PJRT_Error *buffer_is_deleted(PJRT_Buffer_IsDeleted_Args *args) {
  pthread_mutex_lock(&args->buffer->mutex);
  args->is_deleted = args->buffer->deleted_by != NULL;
  pthread_mutex_unlock(&args->buffer->mutex);
  return NULL;
}

// --- What it is ---

PJRT_Error *buffer_element_type(PJRT_Buffer_ElementType_Args *args) {
  args->type = pjrt_buffer_type_of(args->buffer->shape.dtype);
  return NULL;
}

PJRT_Error *buffer_dimensions(PJRT_Buffer_Dimensions_Args *args) {
  args->dims = args->buffer->shape.dims;
  args->num_dims = (size_t)args->buffer->shape.rank;
  return NULL;
}

PJRT_Error *buffer_unpadded_dimensions(PJRT_Buffer_UnpaddedDimensions_Args *args) {
  args->unpadded_dims = args->buffer->shape.dims;
  args->num_dims = (size_t)args->buffer->shape.rank;
  return NULL;
}

PJRT_Error *buffer_dynamic_dimension_indices(
    PJRT_Buffer_DynamicDimensionIndices_Args *args) {
  args->dynamic_dim_indices = NULL;
  args->num_dynamic_dims = 0;
  return NULL;
}

PJRT_Error *buffer_memory_layout(PJRT_Buffer_GetMemoryLayout_Args *args) {
  args->layout = (PJRT_Buffer_MemoryLayout){
      .struct_size = sizeof(args->layout),
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
      .tiled = {.struct_size = sizeof(args->layout.tiled),
                .minor_to_major = args->buffer->minor_to_major,
                .minor_to_major_size = (size_t)args->buffer->shape.rank}};
  return NULL;
}

PJRT_Error *buffer_size(PJRT_Buffer_OnDeviceSizeInBytes_Args *args) {
  args->on_device_size_in_bytes = (size_t)args->buffer->size_bytes;
  return NULL;
}

PJRT_Error *buffer_device(PJRT_Buffer_Device_Args *args) {
  args->device = args->buffer->memory->device;
  return NULL;
}

PJRT_Error *buffer_memory(PJRT_Buffer_Memory_Args *args) {
  args->memory = args->buffer->memory;
  return NULL;
}

PJRT_Error *buffer_is_on_cpu(PJRT_Buffer_IsOnCpu_Args *args) {
  args->is_on_cpu = false;
  return NULL;
}

// A name of the memory on the chip, by which JAX sees whether two arrays share it: unique
// and the same until it is freed, but no address of this process.
PJRT_Error *buffer_unsafe_pointer(PJRT_Buffer_UnsafePointer_Args *args) {
  enum { CHIP_BITS = 16 };
  PJRT_Buffer *buffer = args->buffer;
  pthread_mutex_lock(&buffer->mutex);
  const pod_status_t status = check_there(buffer);
  args->buffer_pointer = (uintptr_t)buffer->array << CHIP_BITS |
                         (uintptr_t)buffer->memory->device->description->id;
  pthread_mutex_unlock(&buffer->mutex);
  return pjrt_error(status);
}

PJRT_Error *buffer_ready_event(PJRT_Buffer_ReadyEvent_Args *args) {
  future_ask(args->buffer->ready);
  args->event = pjrt_event(args->buffer->ready);
  return NULL;
}

// --- From the host ---

// A put under way: what of the host's it needs, and who waits.
typedef struct put_t {
  void *copy;  // Owned; NULL: the caller's bytes are sent.
  future_t *ready, *done_with_host;
} put_t;

static void on_put_done(void *context, podium_status_t *status) {
  put_t put = *(put_t *)context;
  free(context);
  free(put.copy);
  const pod_status_t ended = pjrt_status(status);
  future_set(put.done_with_host, pod_status_copy(ended));
  future_set(put.ready, ended);
}

// On the chip of `memory`, or its host. Takes `copy`, which is `data` or NULL; the
// futures are counted.
static pod_status_t put_array(PJRT_Memory *memory, const podium_shape_t *shape,
                              const void *data, void *copy, future_t **out_done,
                              future_t **out_ready, pjrt_array_t **out_array) {
  const int64_t chip = memory->device->description->id;
  const podium_layout_t layout = {.shape = *shape,
                                  .chips = &chip,
                                  .chip_count = 1,
                                  .is_host = memory->kind != PJRT_MEMORY_DEVICE};
  put_t *put = pod_alloc(sizeof(*put));
  *put =
      (put_t){.copy = copy, .ready = future_create(), .done_with_host = future_create()};
  future_t *ready = put->ready;
  future_t *done = put->done_with_host;
  podium_array_t *array;
  podium_status_t *status =
      podium_put_async(memory->device->client->session, &layout, data,
                       (size_t)podium_shape_bytes(shape), 0, on_put_done, put, &array);
  if (status != NULL) {
    const pod_status_t copied = pod_status_copy(pjrt_status(status));
    on_put_done(put, status);
    future_release(ready);
    future_release(done);
    return copied;
  }
  *out_array = pjrt_array_create(array);
  *out_ready = ready;
  *out_done = done;
  return NULL;
}

static pod_status_t put(PJRT_Memory *memory, const podium_shape_t *shape,
                        const void *data, void *copy, future_t **out_done,
                        PJRT_Buffer **out_buffer) {
  future_t *ready = NULL;
  pjrt_array_t *array = NULL;
  POD_TRY(put_array(memory, shape, data, copy, out_done, &ready, &array));
  *out_buffer = pjrt_buffer_create(memory, shape, array, ready);
  return NULL;
}

static pod_status_t shape_of(PJRT_Buffer_Type type, const int64_t *dims, size_t rank,
                             podium_shape_t *out_shape) {
  if (rank > PODIUM_RANK_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "an array of rank %zu: at most %d", rank,
                     PODIUM_RANK_MAX);
  }
  *out_shape = (podium_shape_t){.dtype = pjrt_dtype_of(type), .rank = (int)rank};
  if (out_shape->dtype == PODIUM_DTYPE_INVALID) {
    return pod_error(POD_UNIMPLEMENTED, "chips have no arrays of PJRT's type %d",
                     (int)type);
  }
  for (size_t i = 0; i < rank; i++) {
    out_shape->dims[i] = dims[i];
  }
  return podium_shape_bytes(out_shape) < 0
             ? pod_error(POD_INVALID_ARGUMENT, "the sizes of an array are no sizes")
             : NULL;
}

// Never NULL, also for an empty array; contents undefined. Much is on huge pages: to take
// small ones from the kernel is several times dearer than to fill them.
static void *alloc_bytes(int64_t size) {
  enum { HUGE_PAGE_BYTES = 2 << 20 };
  if (size < HUGE_PAGE_BYTES) {
    return pod_alloc(size > 0 ? (size_t)size : 1);
  }
  const size_t rounded =
      ((size_t)size + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
  void *bytes = aligned_alloc(HUGE_PAGE_BYTES, rounded);
  POD_CHECK(bytes != NULL);
  (void)madvise(bytes, rounded, MADV_HUGEPAGE);  // A wish.
  return bytes;
}

pod_status_t pjrt_buffer_use(PJRT_Buffer *buffer, pjrt_array_t **out_array) {
  pthread_mutex_lock(&buffer->mutex);
  const pod_status_t status = check_there(buffer);
  if (status == NULL) {
    *out_array = pjrt_array_retain(buffer->array);
  }
  pthread_mutex_unlock(&buffer->mutex);
  return status;
}

// A dense copy of what the caller has. Owned.
static void *copy_dense(const PJRT_Client_BufferFromHostBuffer_Args *args,
                        const podium_shape_t *shape) {
  const int64_t size = podium_shape_bytes(shape);
  void *copy = alloc_bytes(size);
  if (args->num_byte_strides == 0) {
    memcpy(copy, args->data, (size_t)size);
  } else {
    strides_pack(shape, args->byte_strides, args->data, copy);
  }
  return copy;
}

// Bytes that are lent for the call only are sent before it returns, when they are so many
// that to copy them takes as long; but not in a callback, which holds up who sends them.
static bool is_sent_at_once(const PJRT_Client_BufferFromHostBuffer_Args *args,
                            const podium_shape_t *shape) {
  enum { AT_ONCE_BYTES_MIN = 1 << 20 };
  return args->host_buffer_semantics ==
             PJRT_HostBufferSemantics_kImmutableOnlyDuringCall &&
         podium_shape_bytes(shape) >= AT_ONCE_BYTES_MIN && !future_is_calling_back();
}

PJRT_Error *client_buffer_from_host_buffer(PJRT_Client_BufferFromHostBuffer_Args *args) {
  podium_shape_t shape;
  PJRT_TRY(shape_of(args->type, args->dims, args->num_dims, &shape));
  PJRT_Memory *memory = args->memory != NULL
                            ? args->memory
                            : args->device->memory_pointers[PJRT_MEMORY_DEVICE];
  const bool is_dense =
      args->num_byte_strides == 0 || strides_are_dense(&shape, args->byte_strides);
  const bool is_sent = is_sent_at_once(args, &shape);
  const bool must_copy =
      !is_dense || (!is_sent && args->host_buffer_semantics ==
                                    PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
  void *copy = must_copy ? copy_dense(args, &shape) : NULL;
  future_t *done;
  PJRT_TRY(
      put(memory, &shape, copy == NULL ? args->data : copy, copy, &done, &args->buffer));
  if (!must_copy && is_sent) {
    pod_status_free(future_wait(done));  // The buffer's own event tells it.
  }
  args->done_with_host_buffer = must_copy ? pjrt_event_done(NULL) : pjrt_event(done);
  future_release(done);
  return NULL;
}

// --- To the host ---

// A fetch under way.
typedef struct fetch_t {
  pjrt_array_t *array;
  future_t *done;
  podium_shape_t shape;
  // Where the caller wants it otherwise than it comes: `bytes` are then ours.
  void *bytes, *target;
  int64_t offset, size;  // A part of it; size -1: all, by `strides`.
  int64_t strides[PODIUM_RANK_MAX];
} fetch_t;

static void on_fetch_done(void *context, podium_status_t *status) {
  fetch_t *fetch = context;
  if (status == NULL && fetch->target != NULL && fetch->size >= 0) {
    memcpy(fetch->target, (char *)fetch->bytes + fetch->offset, (size_t)fetch->size);
  } else if (status == NULL && fetch->target != NULL) {
    strides_unpack(&fetch->shape, fetch->strides, fetch->bytes, fetch->target);
  }
  if (fetch->target != NULL) {
    free(fetch->bytes);
  }
  pjrt_array_release(fetch->array);
  future_t *done = fetch->done;
  free(fetch);
  future_set(done, pjrt_status(status));
}

// Takes `fetch`, whose bytes and targets are set. `out_done` is counted.
static pod_status_t start_fetch(PJRT_Buffer *buffer, fetch_t *fetch,
                                future_t **out_done) {
  fetch->shape = buffer->shape;
  fetch->done = future_create();
  *out_done = fetch->done;
  pod_status_t status = pjrt_buffer_use(buffer, &fetch->array);
  if (status == NULL) {
    status = pjrt_status(podium_fetch_async(
        fetch->array->array, buffer->memory->device->description->id, fetch->bytes,
        (size_t)buffer->size_bytes, 0, on_fetch_done, fetch));
  }
  if (status != NULL) {
    on_fetch_done(fetch, (podium_status_t *)status);
  }
  return NULL;
}

PJRT_Error *buffer_to_host_buffer(PJRT_Buffer_ToHostBuffer_Args *args) {
  PJRT_Buffer *buffer = args->src;
  if (args->dst == NULL) {
    args->dst_size = (size_t)buffer->size_bytes;
    return NULL;
  }
  if (args->dst_size < (size_t)buffer->size_bytes) {
    return pjrt_error(pod_error(POD_INVALID_ARGUMENT,
                                "the buffer has %lld bytes, there is room for %zu",
                                (long long)buffer->size_bytes, args->dst_size));
  }
  future_ask(buffer->ready);
  fetch_t *fetch = pod_alloc(sizeof(*fetch));
  fetch->size = -1;
  fetch->bytes = args->dst;
  if (args->host_layout != NULL) {
    const pod_status_t status =
        strides_of_layout(&buffer->shape, args->host_layout, fetch->strides);
    if (status != NULL) {
      free(fetch);
      return pjrt_error(status);
    }
    if (!strides_are_dense(&buffer->shape, fetch->strides)) {
      fetch->target = args->dst;
      fetch->bytes = alloc_bytes(buffer->size_bytes);
    }
  }
  future_t *done;
  PJRT_TRY(start_fetch(buffer, fetch, &done));
  args->event = pjrt_event(done);
  future_release(done);
  return NULL;
}

PJRT_Error *buffer_copy_raw_to_host(PJRT_Buffer_CopyRawToHost_Args *args) {
  PJRT_Buffer *buffer = args->buffer;
  if (args->offset < 0 || args->transfer_size < 0 ||
      args->offset > buffer->size_bytes - args->transfer_size) {
    return pjrt_error(
        pod_error(POD_INVALID_ARGUMENT, "bytes %lld to %lld of a buffer that has %lld",
                  (long long)args->offset, (long long)args->offset + args->transfer_size,
                  (long long)buffer->size_bytes));
  }
  fetch_t *fetch = pod_alloc(sizeof(*fetch));
  fetch->offset = args->offset;
  fetch->size = args->transfer_size;
  fetch->target = args->dst;
  fetch->bytes = alloc_bytes(buffer->size_bytes);
  future_t *done;
  PJRT_TRY(start_fetch(buffer, fetch, &done));
  args->event = pjrt_event(done);
  future_release(done);
  return NULL;
}

// --- To another device or memory ---

// By way of the host. The bytes must have come before they can go, so this waits.
static pod_status_t copy_to(PJRT_Buffer *buffer, PJRT_Memory *memory,
                            PJRT_Buffer **out_buffer) {
  fetch_t *fetch = pod_alloc(sizeof(*fetch));
  void *bytes = alloc_bytes(buffer->size_bytes);
  fetch->size = -1;
  fetch->bytes = bytes;
  future_t *done = NULL;
  pod_status_t status = start_fetch(buffer, fetch, &done);
  if (status == NULL) {
    status = future_wait(done);
    future_release(done);
  }
  if (status != NULL) {
    free(bytes);
    return status;
  }
  POD_TRY(put(memory, &buffer->shape, bytes, bytes, &done, out_buffer));
  future_release(done);
  return NULL;
}

PJRT_Error *buffer_copy_to_device(PJRT_Buffer_CopyToDevice_Args *args) {
  return pjrt_error(copy_to(args->buffer,
                            args->dst_device->memory_pointers[PJRT_MEMORY_DEVICE],
                            &args->dst_buffer));
}

PJRT_Error *buffer_copy_to_memory(PJRT_Buffer_CopyToMemory_Args *args) {
  return pjrt_error(copy_to(args->buffer, args->dst_memory, &args->dst_buffer));
}
