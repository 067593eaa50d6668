// Reads Mosaic's module and finds the grid, the blocks and the scratch of its kernel.

#include <stdlib.h>
#include <string.h>

#include "common/mlir/bytecode.h"
#include "common/tensor/tiles.h"
#include "server/chip/work.h"
#include "server/compiler/pallas/kernel_private.h"

#define BAD(...) pod_error(POD_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct reader_t {
  pod_arena_t *arena;
  kernel_t *kernel;
  code_builder_t builder;
  const mlir_op_t *function;
  const mlir_block_t *body;
} reader_t;

static const mlir_op_t *find_function(const reader_t *reader, const char *name) {
  const mlir_block_t *block = mlir_op_block(reader->kernel->module->op, 0);
  for (const mlir_op_t *op = block == NULL ? NULL : block->first; op != NULL;
       op = op->next) {
    const mlir_attr_t *symbol = mlir_op_attr(op, "sym_name");
    if (op->kind == KERNEL_OP_FUNC && op->region_count == 1 &&
        mlir_op_block(op, 0) != NULL && mlir_attr_is(symbol, MLIR_ATTR_STRING) &&
        (name == NULL || strcmp(symbol->text, name) == 0)) {
      return op;
    }
  }
  return NULL;
}

static int64_t integer_of(const mlir_op_t *op, const char *name) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  return mlir_attr_is(attr, MLIR_ATTR_INTEGER) ? attr->integer : 0;
}

static pod_status_t read_grid(const reader_t *reader) {
  kernel_t *kernel = reader->kernel;
  const mlir_attr_t *bounds = mlir_op_attr(reader->function, "iteration_bounds");
  if (!mlir_attr_is(bounds, MLIR_ATTR_DENSE_ARRAY)) {
    return NULL;  // One step.
  }
  if (bounds->count > KERNEL_DIMS_MAX) {
    return BAD("its grid has %lld dimensions; at most %d", (long long)bounds->count,
               KERNEL_DIMS_MAX);
  }
  kernel->dim_count = (int)bounds->count;
  const mlir_attr_t *semantics = mlir_op_attr(reader->function, "dimension_semantics");
  for (int d = 0; d < kernel->dim_count; d++) {
    const int64_t size = bounds->integers[d];
    if (size < 0 && size != INT64_MIN) {
      return BAD("dimension %d of its grid has %lld steps", d, (long long)size);
    }
    kernel->dims[d] = size < 0 ? -1 : size;
    kernel->dynamic_count += size < 0;
    const mlir_attr_t *semantic =
        mlir_attr_is(semantics, MLIR_ATTR_ARRAY) && d < semantics->count
            ? semantics->elements[d]
            : NULL;
    if (size != 0 && size != 1 && mlir_attr_is(semantic, MLIR_ATTR_DIALECT) &&
        semantic->body != NULL && strstr(semantic->body, "parallel") != NULL) {
      kernel->has_parallel_dimension = true;
    }
  }
  return NULL;
}

// Of a function from indexes and prefetched arrays to the place of a block.
static pod_status_t read_transform(reader_t *reader, const mlir_attr_t *params,
                                   kernel_window_t *window) {
  const mlir_attr_t *symbol = mlir_attr_get(params, "transform_indices");
  if (!mlir_attr_is(symbol, MLIR_ATTR_SYMBOL)) {
    return NULL;
  }
  const mlir_op_t *function = find_function(reader, symbol->text);
  if (function == NULL) {
    return BAD("it has no function @%s, by which a block moves", symbol->text);
  }
  const mlir_block_t *block = mlir_op_block(function, 0);
  if (block->argument_count < reader->kernel->dim_count) {
    return BAD("@%s takes %d indexes of a grid of %d dimensions", symbol->text,
               block->argument_count, reader->kernel->dim_count);
  }
  window->transform = code_build(&reader->builder, block);
  reader->kernel->node_count += window->transform->node_count;
  return NULL;
}

static int buffers_of(const mlir_attr_t *params) {
  const mlir_attr_t *mode = mlir_attr_get(params, "pipeline_mode");
  return mlir_attr_is(mode, MLIR_ATTR_DIALECT) && mode->body != NULL &&
                 strcmp(mode->body, "synchronous") == 0
             ? 1
             : 2;
}

static int64_t bytes_of(const mlir_type_t *type) {
  tensor_shape_t shape;
  return kernel_shape_of(type, &shape) ? tensor_tiled_bytes(&shape) : 0;
}

static pod_status_t read_windows(reader_t *reader) {
  kernel_t *kernel = reader->kernel;
  const mlir_attr_t *params = mlir_op_attr(reader->function, "window_params");
  const int64_t scratch = integer_of(reader->function, "scratch_operands");
  const int64_t prefetched = integer_of(reader->function, "scalar_prefetch");
  const int64_t arguments = reader->body->argument_count;
  if (scratch < 0 || prefetched < 0 || scratch > arguments || prefetched > arguments ||
      kernel->dim_count + prefetched + scratch > arguments) {
    return BAD(
        "its body has %lld arguments: too few for %d indexes, %lld prefetched "
        "arrays and %lld of scratch",
        (long long)arguments, kernel->dim_count, (long long)prefetched,
        (long long)scratch);
  }
  kernel->prefetch_count = (int)prefetched;
  kernel->window_count = (int)(arguments - scratch - prefetched) - kernel->dim_count;
  kernel->windows = pod_arena_array(reader->arena, (size_t)kernel->window_count,
                                    sizeof(*kernel->windows));
  const int first = kernel->dim_count + kernel->prefetch_count;
  for (int i = 0; i < kernel->window_count; i++) {
    const mlir_type_t *type = reader->body->arguments[first + i]->type;
    kernel_window_t *window = &kernel->windows[i];
    *window = (kernel_window_t){
        .space = kernel_space_of(type), .bytes = bytes_of(type), .buffers = 1};
    if (!mlir_attr_is(params, MLIR_ATTR_ARRAY) || i >= params->count ||
        !mlir_attr_is(params->elements[i], MLIR_ATTR_DICTIONARY)) {
      continue;
    }
    POD_TRY(read_transform(reader, params->elements[i], window));
    window->buffers = window->transform == NULL ? 1 : buffers_of(params->elements[i]);
  }
  for (int64_t i = arguments - scratch; i < arguments; i++) {
    const mlir_type_t *type = reader->body->arguments[i]->type;
    if (kernel_space_of(type) == KERNEL_SPACE_VMEM) {
      kernel->scratch_bytes = chip_work_plus(kernel->scratch_bytes, bytes_of(type));
    }
  }
  return NULL;
}

static pod_status_t read_all(reader_t *reader, const chip_spec_t *spec) {
  kernel_t *kernel = reader->kernel;
  reader->function = find_function(reader, NULL);
  if (reader->function == NULL) {
    return BAD("its module has no function");
  }
  reader->body = mlir_op_block(reader->function, 0);
  code_builder_init(&reader->builder, spec, kernel->module, reader->arena);
  POD_TRY(read_grid(reader));
  POD_TRY(read_windows(reader));
  kernel->body = code_build(&reader->builder, reader->body);
  kernel->node_count += kernel->body->node_count;
  return NULL;
}

pod_status_t kernel_read(pod_arena_t *arena, const chip_spec_t *spec,
                         const kernel_config_t *config, kernel_t **out_kernel) {
  reader_t reader = {.arena = arena, .kernel = pod_arena_alloc(arena, sizeof(kernel_t))};
  kernel_t *kernel = reader.kernel;
  if (config->body == NULL) {
    return BAD("its configuration has no body");
  }
  POD_TRY(mlir_read_bytecode("the kernel's module", config->body, config->body_bytes,
                             NULL, kernel_op_of, &kernel->module));
  const pod_status_t status = read_all(&reader, spec);
  if (status != NULL) {
    kernel_destroy(kernel);
    return status;
  }
  *out_kernel = kernel;
  return NULL;
}

void kernel_destroy(kernel_t *kernel) {
  if (kernel != NULL) {
    mlir_module_destroy(kernel->module);
    kernel->module = NULL;
  }
}

int64_t kernel_vmem_bytes(const kernel_t *kernel) {
  int64_t bytes = kernel->scratch_bytes;
  for (int i = 0; i < kernel->window_count; i++) {
    const kernel_window_t *window = &kernel->windows[i];
    if (window->space == KERNEL_SPACE_VMEM) {
      bytes = chip_work_plus(bytes, chip_work_times(window->bytes, window->buffers));
    }
  }
  return bytes;
}
