// Accounting by reservation: bytes are taken from the capacity before memory is, and
// given back with the last reference.

#include "server/worker/hbm.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/id_map.h"
#include "common/base/memory.h"
#include "common/tensor/tiles.h"
#include "server/worker/host_memory.h"

struct hbm_t {
  int32_t chip;
  int64_t capacity_bytes, used_bytes, peak_bytes;
  int64_t host_used_bytes, host_peak_bytes;
  pod_map_t *arrays;
  int32_t donated_count;  // Of those in the table, ids without an array.
};

hbm_t *hbm_create(int32_t chip, int64_t capacity_bytes) {
  hbm_t *hbm = pod_alloc(sizeof(*hbm));
  *hbm =
      (hbm_t){.chip = chip, .capacity_bytes = capacity_bytes, .arrays = pod_map_create()};
  return hbm;
}

void hbm_destroy(hbm_t *hbm) {
  if (hbm == NULL) {
    return;
  }
  size_t position = 0;
  const char *key;
  void *array;
  while (pod_map_next(hbm->arrays, &position, &key, &array)) {
    hbm_array_release(array);
  }
  POD_CHECK(hbm->used_bytes == 0 && hbm->host_used_bytes == 0);
  pod_map_destroy(hbm->arrays);
  free(hbm);
}

int64_t hbm_capacity_bytes(const hbm_t *hbm) {
  return hbm->capacity_bytes;
}

int64_t hbm_used_bytes(const hbm_t *hbm) {
  return hbm->used_bytes;
}

int64_t hbm_peak_bytes(const hbm_t *hbm) {
  return hbm->peak_bytes;
}

int64_t hbm_host_used_bytes(const hbm_t *hbm) {
  return hbm->host_used_bytes;
}

int64_t hbm_host_peak_bytes(const hbm_t *hbm) {
  return hbm->host_peak_bytes;
}

void hbm_host_reserve(hbm_t *hbm, int64_t size_bytes) {
  hbm->host_used_bytes += size_bytes;
  if (hbm->host_used_bytes > hbm->host_peak_bytes) {
    hbm->host_peak_bytes = hbm->host_used_bytes;
  }
}

void hbm_host_release(hbm_t *hbm, int64_t size_bytes) {
  POD_CHECK(size_bytes <= hbm->host_used_bytes);
  hbm->host_used_bytes -= size_bytes;
}

int32_t hbm_array_count(const hbm_t *hbm) {
  return (int32_t)pod_map_count(hbm->arrays) - hbm->donated_count;
}

pod_status_t hbm_reserve(hbm_t *hbm, int64_t size_bytes, const char *what) {
  const int64_t free_bytes = hbm->capacity_bytes - hbm->used_bytes;
  if (size_bytes > free_bytes) {
    pod_text_t text = {0};
    pod_text_printf(&text, "%s needs ", what);
    pod_text_add_size(&text, (unsigned long long)size_bytes);
    pod_text_printf(&text, " of HBM, chip %d has ", hbm->chip);
    pod_text_add_size(&text, (unsigned long long)hbm->capacity_bytes);
    pod_text_add(&text, " of which ");
    pod_text_add_size(&text, (unsigned long long)free_bytes);
    pod_text_add(&text, " are free");
    const pod_status_t status =
        pod_error_text(__FILE__, __LINE__, POD_RESOURCE_EXHAUSTED, text.bytes);
    pod_text_deinit(&text);
    return status;
  }
  hbm->used_bytes += size_bytes;
  if (hbm->used_bytes > hbm->peak_bytes) {
    hbm->peak_bytes = hbm->used_bytes;
  }
  return NULL;
}

void hbm_release(hbm_t *hbm, int64_t size_bytes) {
  POD_CHECK(size_bytes <= hbm->used_bytes);
  hbm->used_bytes -= size_bytes;
}

static pod_status_t check_new(const hbm_t *hbm, uint64_t id) {
  if (pod_id_map_get(hbm->arrays, id) != NULL) {
    return pod_error(POD_ALREADY_EXISTS, "array %" PRIu64 " is on chip %d already", id,
                     hbm->chip);
  }
  return NULL;
}

// "array 7 (f32[8])"
static void print_array(pod_text_t *text, uint64_t id, const tensor_shape_t *shape) {
  pod_text_printf(text, "array %" PRIu64 " (", id);
  tensor_shape_print(text, shape);
  pod_text_add(text, ")");
}

// Reserves and allocates. What it is for is printed only when there is no room.
static pod_status_t allocate(hbm_t *hbm, uint64_t id, const tensor_shape_t *shape,
                             void **out_data) {
  const int64_t hbm_bytes = tensor_tiled_bytes(shape);
  const bool fits = hbm_bytes <= hbm->capacity_bytes - hbm->used_bytes;
  if (fits) {
    POD_TRY(hbm_reserve(hbm, hbm_bytes, ""));
    pod_status_t status = host_memory_alloc(tensor_shape_bytes(shape), out_data);
    if (status == NULL) {
      return NULL;
    }
    hbm_release(hbm, hbm_bytes);
    pod_text_t what = {0};
    print_array(&what, id, shape);
    status = pod_status_context(status, "chip %d: %s", hbm->chip, what.bytes);
    pod_text_deinit(&what);
    return status;
  }
  pod_text_t what = {0};
  print_array(&what, id, shape);
  const pod_status_t status = hbm_reserve(hbm, hbm_bytes, what.bytes);
  pod_text_deinit(&what);
  return status;
}

pod_status_t hbm_array_create(hbm_t *hbm, uint64_t id, uint64_t session,
                              const tensor_shape_t *shape, hbm_array_t **out_array) {
  POD_TRY(check_new(hbm, id));
  void *data = NULL;
  POD_TRY(allocate(hbm, id, shape, &data));
  hbm_array_t *array = pod_alloc(sizeof(*array));
  *array = (hbm_array_t){.id = id,
                         .session = session,
                         .shape = *shape,
                         .data = data,
                         .hbm_bytes = tensor_tiled_bytes(shape),
                         .hbm = hbm,
                         .count = 1};
  *out_array = array;
  return NULL;
}

pod_status_t hbm_array_create_on_host(hbm_t *hbm, uint64_t id, uint64_t session,
                                      const tensor_shape_t *shape,
                                      hbm_array_t **out_array) {
  POD_TRY(check_new(hbm, id));
  void *data = NULL;
  POD_TRY(pod_status_context(host_memory_alloc(tensor_shape_bytes(shape), &data),
                             "array %" PRIu64 " in the host's memory of chip %d", id,
                             hbm->chip));
  hbm_array_t *array = pod_alloc(sizeof(*array));
  *array = (hbm_array_t){.id = id,
                         .session = session,
                         .shape = *shape,
                         .data = data,
                         .hbm_bytes = tensor_tiled_bytes(shape),
                         .is_host = true,
                         .hbm = hbm,
                         .count = 1};
  hbm_host_reserve(hbm, array->hbm_bytes);
  *out_array = array;
  return NULL;
}

void hbm_array_retain(hbm_array_t *array) {
  array->count++;
}

void hbm_array_release(hbm_array_t *array) {
  if (array == NULL || --array->count > 0) {
    return;
  }
  if (array->is_host) {
    hbm_host_release(array->hbm, array->hbm_bytes);
  } else {
    hbm_release(array->hbm, array->hbm_bytes);
  }
  if (array->data != NULL) {
    host_memory_free(array->data, tensor_shape_bytes(&array->shape));
  }
  free(array->donated_to);
  free(array);
}

bool hbm_array_is_sole(const hbm_array_t *array) {
  return array->count - array->is_published == 1;
}

hbm_array_t *hbm_array_hand_over(hbm_array_t *from, uint64_t id, uint64_t session,
                                 const tensor_shape_t *shape) {
  POD_CHECK(hbm_array_is_sole(from) && from->data != NULL &&
            tensor_shape_bytes(shape) == tensor_shape_bytes(&from->shape));
  hbm_array_t *array = pod_alloc(sizeof(*array));
  *array = (hbm_array_t){.id = id,
                         .session = session,
                         .shape = *shape,
                         .data = from->data,
                         .hbm_bytes = from->hbm_bytes,
                         .is_host = from->is_host,
                         .hbm = from->hbm,
                         .count = 1};
  from->data = NULL;
  from->hbm_bytes = 0;
  return array;
}

void hbm_array_donate(hbm_t *hbm, uint64_t id, const char *program) {
  const hbm_array_t *array = pod_id_map_get(hbm->arrays, id);
  if (array == NULL || array->donated_to != NULL) {
    return;
  }
  hbm_array_t *gone = pod_alloc(sizeof(*gone));
  *gone = (hbm_array_t){.id = id,
                        .session = array->session,
                        .hbm = hbm,
                        .count = 1,
                        .is_published = true,
                        .donated_to = pod_strdup(program)};
  hbm_array_forget(hbm, id);
  pod_id_map_put(hbm->arrays, id, gone);
  hbm->donated_count++;
}

pod_status_t hbm_array_publish(hbm_array_t *array) {
  POD_TRY(check_new(array->hbm, array->id));
  hbm_array_retain(array);
  array->is_published = true;
  pod_id_map_put(array->hbm->arrays, array->id, array);
  return NULL;
}

pod_status_t hbm_array_find(const hbm_t *hbm, uint64_t id, hbm_array_t **out_array) {
  hbm_array_t *array = pod_id_map_get(hbm->arrays, id);
  if (array == NULL) {
    return pod_error(POD_NOT_FOUND, "array %" PRIu64 " is not on chip %d", id, hbm->chip);
  }
  if (array->donated_to != NULL) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "array %" PRIu64
                     " was donated to an execution of '%s': Array has been deleted",
                     id, array->donated_to);
  }
  *out_array = array;
  return NULL;
}

void hbm_array_forget(hbm_t *hbm, uint64_t id) {
  hbm_array_t *array = pod_id_map_remove(hbm->arrays, id);
  if (array != NULL) {
    array->is_published = false;
    hbm->donated_count -= array->donated_to != NULL;
    hbm_array_release(array);
  }
}

void hbm_session_forget(hbm_t *hbm, uint64_t session) {
  size_t position = 0;
  const char *key;
  void *value;
  while (pod_map_next(hbm->arrays, &position, &key, &value)) {
    hbm_array_t *array = value;
    if (array->session == session) {
      hbm_array_forget(hbm, array->id);
    }
  }
}
