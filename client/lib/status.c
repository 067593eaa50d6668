// The public names of statuses, dtypes and shapes; the internal ones are hidden in the
// library.

#include <stdio.h>

#include "client/lib/session.h"

podium_code_t podium_status_code(const podium_status_t *status) {
  return (podium_code_t)pod_status_code((pod_status_t)(uintptr_t)status);
}

const char *podium_code_name(podium_code_t code) {
  return pod_code_name((pod_code_t)code);
}

const char *podium_status_message(const podium_status_t *status) {
  return pod_status_message((pod_status_t)(uintptr_t)status);
}

void podium_status_free(podium_status_t *status) {
  pod_status_free((pod_status_t)status);
}

static bool is_shape(const podium_shape_t *shape) {
  return shape != NULL && shape->rank >= 0 && shape->rank <= PODIUM_RANK_MAX;
}

int64_t podium_shape_bytes(const podium_shape_t *shape) {
  if (!is_shape(shape)) {
    return -1;
  }
  const tensor_shape_t tensor = lib_tensor_shape(shape);
  const pod_status_t status = tensor_shape_check(&tensor);
  if (status != NULL) {
    pod_status_free(status);
    return -1;
  }
  return tensor_shape_bytes(&tensor);
}

void podium_shape_print(const podium_shape_t *shape, char *text, size_t size) {
  if (text == NULL || size == 0) {
    return;
  }
  if (!is_shape(shape)) {
    snprintf(text, size, "?");
    return;
  }
  const tensor_shape_t tensor = lib_tensor_shape(shape);
  pod_text_t printed = {0};
  tensor_shape_print(&printed, &tensor);
  snprintf(text, size, "%s", printed.bytes);
  pod_text_deinit(&printed);
}

const char *podium_bound_name(podium_bound_t bound) {
  static const char *const names[] = {"-", "MXU", "VPU", "HBM", "ICI", "fixed"};
  return (unsigned)bound < sizeof(names) / sizeof(names[0]) ? names[bound] : "?";
}

const char *podium_version(void) {
  return PODIUM_VERSION;
}
