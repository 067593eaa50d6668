// What layers of models need besides: gather, scatter and convolution, straight from the
// specification.

#include <math.h>
#include <string.h>

#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/program/indexing.h"
#include "server/program/window.h"
#include "tests/sim/evaluator_parts.h"

// ---- Gather and scatter.

static bool has(const chip_dims_t *dims, int64_t d) {
  for (int32_t i = 0; i < dims->count; i++) {
    if (dims->values[i] == d) {
      return true;
    }
  }
  return false;
}

// Where the element `at` of a gather's result or a scatter's updates lies in the array,
// the start apart: *out_start gets that by dimension of the array. False: an index is not
// known.
static bool place_of(const chip_indexing_t *indexing, const evaluated_t *indices,
                     int64_t device, const tensor_shape_t *array,
                     const tensor_shape_t *shape, const int64_t *at, int64_t *out_start,
                     int64_t *out_offset) {
  int64_t batch[TENSOR_RANK_MAX], index[TENSOR_RANK_MAX];
  int batch_rank = 0, window = 0;
  for (int d = 0; d < shape->rank; d++) {
    if (!has(&indexing->window, d)) {
      batch[batch_rank++] = at[d];
    }
  }
  memset(out_start, 0, TENSOR_RANK_MAX * sizeof(out_start[0]));
  memset(out_offset, 0, TENSOR_RANK_MAX * sizeof(out_offset[0]));
  bool is_known = true;
  for (int32_t k = 0; k < indexing->index_map.count; k++) {
    for (int d = 0, b = 0; d < indices->shape.rank; d++) {
      index[d] = d == indexing->index_vector_dim ? k : batch[b++];
    }
    const double value = of_device(indices, device)[ravel(&indices->shape, index)];
    is_known = is_known && !isnan(value);
    out_start[indexing->index_map.values[k]] = isnan(value) ? 0 : (int64_t)value;
  }
  for (int32_t k = 0; k < indexing->array_batching.count; k++) {
    int64_t d = indexing->indices_batching.values[k];
    d -= d > indexing->index_vector_dim ? 1 : 0;
    out_start[indexing->array_batching.values[k]] = batch[d];
  }
  for (int d = 0; d < array->rank; d++) {
    if (!has(&indexing->dropped, d) && !has(&indexing->array_batching, d)) {
      out_offset[d] = at[indexing->window.values[window++]];
    }
  }
  return is_known;
}

void evaluator_run_gather(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const evaluated_t *array = operand(machine, op, 0), *indices = operand(machine, op, 1);
  chip_indexing_t indexing;
  int64_t count;
  const int64_t *sizes;
  POD_CHECK(stablehlo_indexing(machine->module, op, &indexing) == NULL);
  POD_CHECK(mlir_attr_as_i64s(machine->module, mlir_op_attr(op, "slice_sizes"), &count,
                              &sizes));
  for (int64_t device = 0; device < machine->devices; device++) {
    for (int64_t i = 0; i < result->elements; i++) {
      int64_t at[TENSOR_RANK_MAX], start[TENSOR_RANK_MAX], offset[TENSOR_RANK_MAX];
      unravel(&result->shape, i, at);
      const bool is_known = place_of(&indexing, indices, device, &array->shape,
                                     &result->shape, at, start, offset);
      for (int d = 0; d < array->shape.rank; d++) {
        const int64_t last = array->shape.dims[d] - sizes[d];
        start[d] = start[d] < 0 ? 0 : start[d] > last ? last : start[d];
        offset[d] += start[d];
      }
      of_device(result, device)[i] =
          is_known ? of_device(array, device)[ravel(&array->shape, offset)] : NAN;
    }
  }
}

// An update whose place is not known could be anywhere: then nothing is known, unless it
// changes nothing.
void evaluator_run_scatter(machine_t *machine, const mlir_op_t *op) {
  POD_CHECK(op->operand_count == 3);
  evaluated_t *result = make_result(machine, op, 0);
  const evaluated_t *array = operand(machine, op, 0), *indices = operand(machine, op, 1);
  const evaluated_t *updates = operand(machine, op, 2);
  const mlir_block_t *combiner = mlir_op_block(op, 0);
  const bool adds = combiner->first->kind == CHIP_OP_ADD;
  POD_CHECK(adds || combiner->first == combiner->last);
  chip_indexing_t indexing;
  POD_CHECK(stablehlo_indexing(machine->module, op, &indexing) == NULL);
  memcpy(result->data, array->data,
         (size_t)(machine->devices * result->elements) * sizeof(double));
  for (int64_t device = 0; device < machine->devices; device++) {
    double *data = of_device(result, device);
    for (int64_t i = 0; i < updates->elements; i++) {
      int64_t at[TENSOR_RANK_MAX], start[TENSOR_RANK_MAX], offset[TENSOR_RANK_MAX];
      unravel(&updates->shape, i, at);
      const bool is_known = place_of(&indexing, indices, device, &array->shape,
                                     &updates->shape, at, start, offset);
      bool is_inside = true;
      for (int d = 0; d < array->shape.rank; d++) {
        offset[d] += start[d];
        is_inside = is_inside && offset[d] >= 0 && offset[d] < array->shape.dims[d];
      }
      const double update = of_device(updates, device)[i];
      const bool is_nothing = adds && update == 0;
      for (int64_t j = 0; j < result->elements && !is_known && !is_nothing; j++) {
        data[j] = NAN;
      }
      if (is_inside && is_known) {
        double *to = &data[ravel(&array->shape, offset)];
        *to = adds ? *to + update : update;
      }
    }
  }
}

// ---- Convolution.

// The place in the input along one spatial dimension that the tap sees for that output;
// -1: it is padding.
static int64_t input_place(const chip_window_t *window, int d, int64_t out, int64_t tap,
                           int64_t size) {
  tap = window->is_reversed[d] ? window->sizes[d] - 1 - tap : tap;
  const int64_t at =
      out * window->strides[d] + tap * window->window_dilations[d] - window->low[d];
  return at < 0 || at % window->base_dilations[d] != 0 ||
                 at / window->base_dilations[d] >= size
             ? -1
             : at / window->base_dilations[d];
}

// The input's element for an element of the output and one of the kernel. False: there is
// none.
static bool input_index(const chip_convolution_t *convolution,
                        const tensor_shape_t *input, const tensor_shape_t *kernel,
                        const tensor_shape_t *output, const int64_t *out,
                        const int64_t *tap, int64_t *in) {
  const int64_t out_feature = out[convolution->output[1]];
  const int64_t groups = convolution->feature_group_count;
  const int64_t batches = convolution->batch_group_count;
  const int64_t features = output->dims[convolution->output[1]];
  if (tap[convolution->kernel[1]] != out_feature) {
    return false;
  }
  in[convolution->input[0]] =
      out[convolution->output[0]] +
      out_feature / (features / batches) * (input->dims[convolution->input[0]] / batches);
  in[convolution->input[1]] =
      tap[convolution->kernel[0]] +
      out_feature / (features / groups) * kernel->dims[convolution->kernel[0]];
  for (int d = 0; d < convolution->window.rank; d++) {
    const int64_t place = input_place(
        &convolution->window, d, out[convolution->output[2 + d]],
        tap[convolution->kernel[2 + d]], input->dims[convolution->input[2 + d]]);
    if (place < 0) {
      return false;
    }
    in[convolution->input[2 + d]] = place;
  }
  return true;
}

void evaluator_run_convolution(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const evaluated_t *input = operand(machine, op, 0), *kernel = operand(machine, op, 1);
  chip_convolution_t convolution;
  POD_CHECK(stablehlo_convolution(machine->module, op, &kernel->shape, &convolution) ==
            NULL);
  for (int64_t i = 0; i < result->elements; i++) {
    int64_t out[TENSOR_RANK_MAX], tap[TENSOR_RANK_MAX], in[TENSOR_RANK_MAX];
    unravel(&result->shape, i, out);
    for (int64_t j = 0; j < kernel->elements; j++) {
      unravel(&kernel->shape, j, tap);
      if (!input_index(&convolution, &input->shape, &kernel->shape, &result->shape, out,
                       tap, in)) {
        continue;
      }
      const int64_t from = ravel(&input->shape, in);
      for (int64_t device = 0; device < machine->devices; device++) {
        of_device(result, device)[i] +=
            of_device(input, device)[from] * of_device(kernel, device)[j];
      }
    }
  }
}
