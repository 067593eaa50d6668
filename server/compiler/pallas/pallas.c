// The pass over a partitioned module: each kernel's configuration becomes its work.

#include "server/compiler/pallas/pallas.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "common/tensor/tiles.h"
#include "server/chip/work.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/rule.h"
#include "server/compiler/pallas/kernel.h"
#include "server/program/program.h"

#define CONFIG "backend_config"

// A call as it was met last, so that those of the layers of a model are followed once.
typedef struct known_call_t {
  const mlir_attr_t *config;
  const kernel_memory_t *constants;
  const tensor_shape_t *shapes;
  int operand_count, result_count;
  chip_work_t work;
  struct known_call_t *next;
} known_call_t;

typedef struct timer_t {
  mlir_module_t *module;
  const chip_spec_t *spec;
  pod_arena_t *arena;
  known_call_t *known;
  kernel_notes_t *notes;
} timer_t;

// --- Operands that are constants ---

// Where a value comes from that nothing on the way changes: barriers, loops that carry it
// on as it is.
static const mlir_op_t *source_of(const mlir_value_t *value) {
  enum { WAY_MAX = 64 };
  for (int way = 0; way < WAY_MAX; way++) {
    if (value->op != NULL) {
      if (value->op->kind != CHIP_OP_OPTIMIZATION_BARRIER) {
        return value->op;
      }
      value = value->op->operands[value->index];
      continue;
    }
    const mlir_op_t *loop = value->block->region->op;
    if (loop->kind != CHIP_OP_WHILE || loop->region_count != 2) {
      return NULL;
    }
    const mlir_block_t *body = mlir_op_block(loop, 1);
    if (body->arguments[value->index] != value ||
        body->last->operands[value->index] != value) {
      return NULL;
    }
    value = loop->operands[value->index];
  }
  return NULL;
}

static kernel_memory_t constant_of(const mlir_value_t *value) {
  const mlir_op_t *op = source_of(value);
  const mlir_attr_t *data =
      op != NULL && op->kind == CHIP_OP_CONSTANT ? mlir_op_attr(op, "value") : NULL;
  const tensor_shape_t *shape = &value->type->shape;
  const bool is_integer =
      shape->dtype == TENSOR_PRED || tensor_dtype_is_integer(shape->dtype);
  return mlir_attr_is(data, MLIR_ATTR_DENSE) && is_integer
             ? (kernel_memory_t){.shape = *shape,
                                 .data = data->data,
                                 .is_splat = data->is_splat}
             : (kernel_memory_t){0};
}

// --- One call ---

static void print_mib(pod_text_t *text, int64_t bytes) {
  pod_text_printf(text, "%.2fM", (double)bytes / (1 << 20));
}

static pod_status_t check_vmem(const timer_t *timer, const kernel_t *kernel,
                               const kernel_config_t *config) {
  const chip_spec_t *spec = timer->spec;
  const int64_t limit =
      config->vmem_limit_bytes > 0 ? config->vmem_limit_bytes : spec->kernel_vmem_bytes;
  const int64_t bytes = kernel_vmem_bytes(kernel) + config->scratch_bytes;
  if (bytes <= limit && limit <= spec->vmem_bytes) {
    return NULL;
  }
  pod_text_t text = {0};
  if (limit > spec->vmem_bytes) {
    pod_text_add(&text, "it asks for a limit of ");
    print_mib(&text, limit);
    pod_text_printf(&text, " of VMEM; a %s has ", spec->name);
    print_mib(&text, spec->vmem_bytes);
  } else {
    pod_text_add(&text,
                 "ran out of memory in memory space vmem: scoped allocation with "
                 "size ");
    print_mib(&text, bytes);
    pod_text_add(&text, " and limit ");
    print_mib(&text, limit);
    pod_text_add(&text, " exceeded scoped vmem limit by ");
    print_mib(&text, bytes - limit);
    pod_text_printf(&text,
                    "; smaller blocks or scratch, or a vmem_limit_bytes of up to ");
    print_mib(&text, spec->vmem_bytes);
    pod_text_printf(&text, " (%s)", spec->name);
  }
  const pod_status_t status = pod_error(POD_RESOURCE_EXHAUSTED, "%s", text.bytes);
  pod_text_deinit(&text);
  return status;
}

// Why only the user's estimate counts; NULL when the kernel can be followed.
static const char *why_estimated(const kernel_config_t *config) {
  return config->is_for_sparse_core ? "it runs on the SparseCore"
         : config->has_communication
             ? "it sends to other chips by itself (remote DMA, semaphores)"
             : NULL;
}

static const char *why_noted(const kernel_config_t *config) {
  return config->is_for_sparse_core
             ? "its cost_estimate, as it runs on the SparseCore"
             : "its cost_estimate, as it sends to other chips by itself";
}

static pod_status_t time_call(const timer_t *timer, pod_arena_t *arena,
                              const mlir_attr_t *text, const kernel_call_t *call,
                              chip_work_t *out_work) {
  kernel_config_t config;
  POD_TRY(kernel_config_read(arena, text->text, text->length, &config));
  const char *why = why_estimated(&config);
  if (why != NULL && !config.has_estimate) {
    return pod_error(POD_UNIMPLEMENTED,
                     "%s: say what it costs with pallas_call(..., "
                     "cost_estimate=pl.CostEstimate(...)) for it to be timed",
                     why);
  }
  if (why != NULL) {
    *out_work = kernel_estimate(call, &config, 1);
    *call->rests_on = why_noted(&config);
    return NULL;
  }
  kernel_t *kernel;
  POD_TRY(kernel_read(arena, timer->spec, &config, &kernel));
  pod_status_t status = check_vmem(timer, kernel, &config);
  if (status == NULL) {
    status = kernel_follow(kernel, call, &config, out_work);
  }
  kernel_destroy(kernel);
  return status;
}

// --- All calls ---

static const known_call_t *find_known(const timer_t *timer, const known_call_t *call) {
  const int count = call->operand_count + call->result_count;
  for (const known_call_t *at = timer->known; at != NULL; at = at->next) {
    bool is_same = at->config == call->config &&
                   at->operand_count == call->operand_count &&
                   at->result_count == call->result_count;
    for (int i = 0; is_same && i < count; i++) {
      is_same =
          tensor_shape_equal(&at->shapes[i], &call->shapes[i]) &&
          (i >= call->operand_count || at->constants[i].data == call->constants[i].data);
    }
    if (is_same) {
      return at;
    }
  }
  return NULL;
}

static pod_status_t take_tensor(const mlir_value_t *value, tensor_shape_t *shape) {
  if (value->type->kind != MLIR_TYPE_TENSOR ||
      !tensor_shape_is_static(&value->type->shape)) {
    return pod_error(POD_INVALID_ARGUMENT, "takes and gives arrays of known sizes");
  }
  *shape = value->type->shape;
  return NULL;
}

// Of a custom call of another name nothing is known but its arrays.
static bool is_opaque(const mlir_op_t *op) {
  return mlir_op_attr(op, CONFIG) == NULL && mlir_op_attr(op, "call_target_name") != NULL;
}

static pod_status_t describe(const timer_t *timer, const mlir_op_t *op,
                             known_call_t *call) {
  const size_t count = (size_t)op->operand_count + (size_t)op->result_count;
  tensor_shape_t *shapes = pod_arena_array(timer->arena, count, sizeof(*shapes));
  kernel_memory_t *constants =
      pod_arena_array(timer->arena, (size_t)op->operand_count, sizeof(*constants));
  *call = (known_call_t){.config = mlir_op_attr(op, CONFIG),
                         .constants = constants,
                         .shapes = shapes,
                         .operand_count = op->operand_count,
                         .result_count = op->result_count};
  if (is_opaque(op)) {
    call->config = mlir_op_attr(op, "call_target_name");
  } else if (!mlir_attr_is(call->config, MLIR_ATTR_STRING)) {
    return pod_error(POD_INVALID_ARGUMENT, "lacks its configuration, '" CONFIG "'");
  }
  for (int i = 0; i < op->operand_count; i++) {
    POD_TRY(take_tensor(op->operands[i], &shapes[i]));
    constants[i] = constant_of(op->operands[i]);
  }
  for (int i = 0; i < op->result_count; i++) {
    POD_TRY(take_tensor(&op->results[i], &shapes[op->operand_count + i]));
  }
  return NULL;
}

static int64_t bytes_of_arrays(const known_call_t *call) {
  int64_t bytes = 0;
  for (int i = 0; i < call->operand_count + call->result_count; i++) {
    bytes = chip_work_plus(bytes, tensor_tiled_bytes(&call->shapes[i]));
  }
  return bytes;
}

static void note(timer_t *timer, const mlir_op_t *op, const char *rests_on) {
  kernel_notes_t *notes = timer->notes;
  if (rests_on == NULL || notes->count == KERNEL_NOTES_MAX) {
    return;
  }
  const mlir_attr_t *name =
      mlir_op_attr(op, is_opaque(op) ? "call_target_name" : "kernel_name");
  const char *source = mlir_op_source(timer->module, op);
  const bool has_source = source != NULL && source[0] != '\0';
  notes->texts[notes->count++] =
      pod_arena_printf(timer->module->arena, "the time of %s '%s'%s%s rests on %s",
                       is_opaque(op) ? "custom call" : "Pallas kernel",
                       mlir_attr_is(name, MLIR_ATTR_STRING) ? name->text : "",
                       has_source ? " of " : "", has_source ? source : "", rests_on);
}

static pod_status_t find_work(timer_t *timer, const mlir_op_t *op,
                              chip_work_t *out_work) {
  known_call_t *call = pod_arena_alloc(timer->arena, sizeof(*call));
  POD_TRY(describe(timer, op, call));
  const known_call_t *known = find_known(timer, call);
  if (known != NULL) {
    *out_work = known->work;
    return NULL;
  }
  const char *rests_on = NULL;
  const kernel_call_t asked = {.spec = timer->spec,
                               .operand_count = call->operand_count,
                               .result_count = call->result_count,
                               .operands = call->shapes,
                               .results = call->shapes + call->operand_count,
                               .constants = call->constants,
                               .rests_on = &rests_on};
  if (is_opaque(op)) {
    const kernel_config_t config = {.bytes_accessed = bytes_of_arrays(call)};
    call->work = kernel_estimate(&asked, &config, 1);
    rests_on = "the bytes of its arrays alone, as what it computes is not in the module";
  } else {
    pod_arena_t *arena = pod_arena_create();
    const pod_status_t status =
        time_call(timer, arena, call->config, &asked, &call->work);
    pod_arena_destroy(arena);
    POD_TRY(status);
  }
  note(timer, op, rests_on);
  call->next = timer->known;
  timer->known = call;
  *out_work = call->work;
  return NULL;
}

// Where the user wrote the kernel, beside the place in the module.
static pod_status_t at_kernel(const timer_t *timer, const mlir_op_t *op,
                              pod_status_t status) {
  const mlir_attr_t *name = mlir_op_attr(op, "kernel_name");
  const char *source = mlir_op_source(timer->module, op);
  const pod_status_t located = mlir_op_error(
      timer->module, op, pod_status_code(status), "Pallas kernel '%s'%s%s: %s",
      mlir_attr_is(name, MLIR_ATTR_STRING) ? name->text : "",
      source == NULL || source[0] == '\0' ? "" : " of ", source == NULL ? "" : source,
      pod_status_message(status));
  pod_status_free(status);
  return located;
}

// A kernel that its sharding rule cut: its grid is that of whole arrays, of which each
// chip does its part.
static void take_part(timer_t *timer, const mlir_op_t *op, chip_work_t *work) {
  const mlir_attr_t *shards = mlir_op_attr(op, KERNEL_SHARDS_ATTR);
  if (!mlir_attr_is(shards, MLIR_ATTR_INTEGER) || is_opaque(op)) {
    return;
  }
  const int64_t count = shards->integer;
  *work = (chip_work_t){.mxu_flop = work->mxu_flop / count,
                        .mxu_busy_flop = work->mxu_busy_flop / count,
                        .vpu_op = work->vpu_op / count,
                        .hbm_read_bytes = work->hbm_read_bytes / count,
                        .hbm_written_bytes = work->hbm_written_bytes / count,
                        .vmem_bytes = work->vmem_bytes / count,
                        .grid_steps = work->grid_steps / count,
                        .grid_ps = work->grid_ps / count};
  note(timer, op,
       pod_arena_printf(timer->module->arena,
                        "its grid for whole arrays, of which each of %" PRId64
                        " chips does its part",
                        count));
}

static pod_status_t time_kernel(timer_t *timer, mlir_op_t *op) {
  chip_work_t work = {0};
  const pod_status_t status = find_work(timer, op, &work);
  if (status != NULL) {
    return at_kernel(timer, op, status);
  }
  take_part(timer, op, &work);
  const int64_t values[CHIP_KERNEL_WORK_COUNT] = {
      [CHIP_KERNEL_MXU_FLOP] = work.mxu_flop,
      [CHIP_KERNEL_MXU_BUSY_FLOP] = work.mxu_busy_flop,
      [CHIP_KERNEL_VPU_OP] = work.vpu_op,
      [CHIP_KERNEL_HBM_READ_BYTES] = work.hbm_read_bytes,
      [CHIP_KERNEL_HBM_WRITTEN_BYTES] = work.hbm_written_bytes,
      [CHIP_KERNEL_VMEM_BYTES] = work.vmem_bytes,
      [CHIP_KERNEL_GRID_STEPS] = work.grid_steps,
      [CHIP_KERNEL_GRID_PS] = work.grid_ps,
  };
  mlir_op_set_attr(timer->module, op, "work",
                   mlir_attr_i64_array(timer->module, CHIP_KERNEL_WORK_COUNT, values));
  mlir_op_remove_attr(op, CONFIG);
  mlir_op_remove_attr(op, KERNEL_SHARDS_ATTR);
  return NULL;
}

pod_status_t compiler_time_kernels(mlir_module_t *module, const chip_spec_t *spec,
                                   kernel_notes_t *out_notes) {
  timer_t timer = {
      .module = module, .spec = spec, .arena = pod_arena_create(), .notes = out_notes};
  pod_status_t status = NULL;
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL && status == NULL;
       op = mlir_walk_next(module->op, op)) {
    if (op->kind == CHIP_OP_KERNEL) {
      status = time_kernel(&timer, op);
    }
  }
  pod_arena_destroy(timer.arena);
  return status;
}
