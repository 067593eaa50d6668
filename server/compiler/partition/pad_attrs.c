#include "server/compiler/partition/pad_attrs.h"

#include "common/base/check.h"
#include "server/compiler/dialect/attributes.h"
#include "server/program/operations.h"

bool pad_attrs_is_scan(const padder_t *padder, const mlir_op_t *op,
                       const tensor_shape_t *own, int dim) {
  chip_window_t window;
  if (dim < 0) {
    return false;
  }
  const pod_status_t status = stablehlo_window(padder->module, op, own->rank, &window);
  POD_CHECK(status == NULL);  // It is verified.
  const int64_t size = own->dims[dim];
  return window.sizes[dim] == size && window.strides[dim] == 1 &&
         window.base_dilations[dim] == 1 && window.window_dilations[dim] == 1 &&
         ((window.low[dim] == size - 1 && window.high[dim] == 0) ||
          (window.low[dim] == 0 && window.high[dim] == size - 1));
}

void pad_attrs_fit_window(chip_window_t *window, int dim, int64_t size, int64_t places) {
  const int64_t spread = (size - 1) * window->base_dilations[dim] + 1;
  const int64_t reach = (window->sizes[dim] - 1) * window->window_dilations[dim] + 1;
  window->high[dim] =
      (places - 1) * window->strides[dim] + reach - window->low[dim] - spread;
}

void pad_attrs_set_window(padder_t *padder, mlir_op_t *op, const chip_window_t *window) {
  pad_set_i64s(padder, op, "window_dimensions", window->rank, window->sizes);
  stablehlo_set_padding(padder->module, op, window);
}
