// The instructions of a region are copied with operands of their own, which are vectors
// instead of scalars. Buffers of the program that are the same bytes are the same lanes
// here, so that what the compiler computes in place or gives another type to stays what
// it was.

#include "server/worker/kernels/region/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/region/region.h"
#include "server/worker/kernels/storage.h"

enum { INSTRUCTIONS_MAX = 256, PLACES_MAX = 1024, NO_PLACE = -1 };

// The bytes that a buffer of the program is.
typedef struct place_t {
  chip_buffer_kind_t kind;
  int64_t at;
  size_t bytes;      // Of the largest element that is kept there.
  bool is_written;   // By a step.
  char *own;         // KERNEL_LANES elements.
  const char *data;  // These, or what a caller has elsewhere.
} place_t;

// A step is a kernel, or one of its loops where that is all that the kernel would run.
typedef struct step_t {
  kernel_fn_t kernel;
  kernel_args_t args;
  chip_instruction_t instruction;
  kernel_unary_fn_t unary;
  kernel_binary_fn_t binary;
  kernel_select_fn_t select;
} step_t;

struct kernel_lanes_t {
  const kernel_args_t *args;  // Of the instruction that has the region.
  int32_t computation;
  bool is_called;  // Lane by lane.
  size_t count;    // That the shapes have now.
  kernel_signature_t signature;
  int32_t parameter_places[KERNEL_VALUES_MAX], result_places[KERNEL_VALUES_MAX];
  chip_program_t program;  // Of which kernels see the buffers: the steps' operands.
  int32_t step_count, use_count, place_count;
  step_t *steps;
  chip_buffer_t *uses;  // An operand or result of a step each.
  int32_t *use_indexes, *use_places;
  const void **use_data;
  place_t *places;
  char *memory;
  char *carried;  // Results that would be written over before they are carried, or NULL.
};

// ----- which regions -----

static bool is_one_element(const chip_program_t *program, int32_t buffer) {
  return program->buffers[buffer].shape.rank <= 1 &&
         tensor_shape_elements(&program->buffers[buffer].shape) == 1;
}

static bool fits(const chip_program_t *program, const chip_instruction_t *instruction) {
  if (!chip_op_has((int)instruction->op, CHIP_TRAIT_LANEWISE) ||
      instruction->result_count != 1) {
    return false;
  }
  for (int32_t i = 0; i < instruction->operand_count; i++) {
    if (!is_one_element(program, instruction->operands[i])) {
      return false;
    }
  }
  return is_one_element(program, instruction->results[0]);
}

static int64_t at_of(const chip_buffer_t *buffer) {
  return buffer->kind == CHIP_BUFFER_TEMP ? buffer->offset : buffer->index;
}

static int32_t find_place(const kernel_lanes_t *lanes, const chip_buffer_t *buffer) {
  for (int32_t i = lanes->place_count - 1; i >= 0; i--) {
    if (lanes->places[i].kind == buffer->kind && lanes->places[i].at == at_of(buffer)) {
      return i;
    }
  }
  return NO_PLACE;
}

static int32_t take_place(kernel_lanes_t *lanes, const chip_buffer_t *buffer) {
  int32_t place = find_place(lanes, buffer);
  if (place == NO_PLACE) {
    place = lanes->place_count++;
    lanes->places[place] = (place_t){.kind = buffer->kind, .at = at_of(buffer)};
  }
  const size_t bytes = tensor_dtype_bytes(buffer->shape.dtype);
  if (lanes->places[place].bytes < bytes) {
    lanes->places[place].bytes = bytes;
  }
  return place;
}

// Of an operand that nothing before has written: a constant, or NO_PLACE for a value from
// outside of the region.
static int32_t place_of_operand(kernel_lanes_t *lanes, const chip_buffer_t *buffer) {
  const int32_t place = find_place(lanes, buffer);
  if (place != NO_PLACE || buffer->kind != CHIP_BUFFER_CONSTANT) {
    return place;
  }
  return take_place(lanes, buffer);
}

static void add_use(kernel_lanes_t *lanes, int32_t buffer, int32_t place) {
  const int32_t use = lanes->use_count++;
  const tensor_dtype_t dtype = lanes->args->program->buffers[buffer].shape.dtype;
  const int64_t dims[] = {KERNEL_LANES};
  lanes->uses[use].shape = tensor_shape_make(dtype, 1, dims);
  lanes->use_indexes[use] = use;
  lanes->use_places[use] = place;
}

static bool is_shifted_right(chip_op_t op) {
  return op == CHIP_OP_SHIFT_RIGHT_LOGICAL || op == CHIP_OP_SHIFT_RIGHT_ARITHMETIC;
}

static kernel_binary_fn_t loop_of_compare(const chip_instruction_t *instruction,
                                          tensor_dtype_t dtype) {
  const int64_t direction = chip_instruction_attr_one(
      instruction, CHIP_ATTR_COMPARISON_DIRECTION, CHIP_COMPARISON_EQ);
  const int64_t type = chip_instruction_attr_one(instruction, CHIP_ATTR_COMPARE_TYPE,
                                                 CHIP_COMPARE_BY_DTYPE);
  if (direction < 0 || direction >= KERNEL_DIRECTIONS ||
      (tensor_dtype_is_float(dtype) && type == CHIP_COMPARE_TOTAL_ORDER)) {
    return NULL;
  }
  return kernel_loops()->compare[direction][dtype];
}

// On elements as they are stored, where a loop computes just what the kernel does.
static void find_loop(const chip_buffer_t *buffers, step_t *step) {
  const chip_instruction_t *instruction = &step->instruction;
  const tensor_dtype_t from = buffers[instruction->operands[0]].shape.dtype;
  const tensor_dtype_t to = buffers[instruction->results[0]].shape.dtype;
  if (step->kernel == kernel_compare) {
    step->binary = loop_of_compare(instruction, from);
  } else if (step->kernel == kernel_binary && !is_shifted_right(instruction->op)) {
    const kernel_binary_fn_t loop = kernel_binary_of(instruction->op, to);
    step->binary = kernel_is_computed_as_stored(to) || to == TENSOR_PRED
                       ? loop
                       : kernel_stored_loop(loop, to);
  } else if (step->kernel == kernel_unary && kernel_is_computed_as_stored(from) &&
             kernel_is_computed_as_stored(to)) {
    step->unary = kernel_unary_loop(instruction->op, from);
  } else if (step->kernel == kernel_select) {
    step->select = kernel_loops()->select[kernel_size_index(to)];
  }
}

// False when an operand comes from elsewhere.
static bool add_step(kernel_lanes_t *lanes, const chip_instruction_t *instruction) {
  const chip_buffer_t *buffers = lanes->args->program->buffers;
  step_t *step = &lanes->steps[lanes->step_count++];
  const int32_t first = lanes->use_count;
  for (int32_t i = 0; i < instruction->operand_count; i++) {
    const int32_t buffer = instruction->operands[i];
    const int32_t place = place_of_operand(lanes, &buffers[buffer]);
    if (place == NO_PLACE) {
      return false;
    }
    add_use(lanes, buffer, place);
  }
  const int32_t written = take_place(lanes, &buffers[instruction->results[0]]);
  lanes->places[written].is_written = true;
  add_use(lanes, instruction->results[0], written);
  step->instruction = *instruction;
  step->instruction.operands = &lanes->use_indexes[first];
  step->instruction.results = &lanes->use_indexes[first + instruction->operand_count];
  step->kernel = instruction->op == CHIP_OP_BROADCAST_IN_DIM
                     ? kernel_copy
                     : kernel_find(instruction->op);
  step->args = (kernel_args_t){
      .program = &lanes->program,
      .instruction = &step->instruction,
      .operands = &lanes->use_data[first],
      .results = (void *const *)&lanes->use_data[first + instruction->operand_count]};
  find_loop(lanes->uses, step);
  return true;
}

// ----- memory -----

static pod_status_t no_memory(const kernel_args_t *args) {
  return pod_error(POD_RESOURCE_EXHAUSTED, "%s: no host memory for a region",
                   args->instruction->name);
}

static pod_status_t allocate_tables(kernel_lanes_t *lanes, size_t steps, size_t uses,
                                    size_t places) {
  lanes->steps = calloc(steps + 1, sizeof(*lanes->steps));
  lanes->uses = calloc(uses + 1, sizeof(*lanes->uses));
  lanes->use_indexes = calloc(uses + 1, sizeof(*lanes->use_indexes));
  lanes->use_places = calloc(uses + 1, sizeof(*lanes->use_places));
  lanes->use_data = calloc(uses + 1, sizeof(*lanes->use_data));
  lanes->places = calloc(places + 1, sizeof(*lanes->places));
  const bool is_complete = lanes->steps != NULL && lanes->uses != NULL &&
                           lanes->use_indexes != NULL && lanes->use_places != NULL &&
                           lanes->use_data != NULL && lanes->places != NULL;
  lanes->program.buffers = lanes->uses;
  return is_complete ? NULL : no_memory(lanes->args);
}

static pod_status_t allocate_lanes(kernel_lanes_t *lanes) {
  size_t bytes = 0;
  for (int32_t i = 0; i < lanes->place_count; i++) {
    bytes += lanes->places[i].bytes * KERNEL_LANES;
  }
  lanes->memory = aligned_alloc(64, bytes > 0 ? bytes : 64);
  if (lanes->memory == NULL) {
    return no_memory(lanes->args);
  }
  memset(lanes->memory, 0, bytes);
  char *data = lanes->memory;
  for (int32_t i = 0; i < lanes->place_count; i++) {
    place_t *place = &lanes->places[i];
    place->data = place->own = data;
    data += place->bytes * KERNEL_LANES;
    if (place->kind == CHIP_BUFFER_CONSTANT) {
      kernel_fill(place->bytes, lanes->args->program->constants[place->at].data,
                  place->own, KERNEL_LANES);
    }
  }
  for (int32_t i = 0; i < lanes->use_count; i++) {
    lanes->use_data[i] = lanes->places[lanes->use_places[i]].data;
  }
  return NULL;
}

void kernel_lanes_destroy(kernel_lanes_t *lanes) {
  if (lanes == NULL) {
    return;
  }
  free(lanes->carried);
  free(lanes->memory);
  free(lanes->places);
  free(lanes->use_data);
  free(lanes->use_places);
  free(lanes->use_indexes);
  free(lanes->uses);
  free(lanes->steps);
  free(lanes);
}

// ----- making -----

static kernel_lanes_t *make_lanes(const kernel_args_t *args, int32_t call) {
  kernel_lanes_t *lanes = calloc(1, sizeof(*lanes));
  if (lanes != NULL) {
    lanes->args = args;
    lanes->computation = args->instruction->calls[call];
    lanes->count = KERNEL_LANES;
  }
  return lanes;
}

// Whether the steps could be made; some may have been when not.
static pod_status_t make_steps(kernel_lanes_t *lanes, int32_t instruction_count,
                               bool *out_fits) {
  const chip_program_t *program = lanes->args->program;
  const chip_computation_t *region = &program->computations[lanes->computation];
  *out_fits = false;
  if (instruction_count > INSTRUCTIONS_MAX ||
      region->parameter_count > KERNEL_VALUES_MAX ||
      region->result_count > KERNEL_VALUES_MAX) {
    return NULL;
  }
  const chip_instruction_t *first = &program->instructions[region->first_instruction];
  size_t uses = 0;
  for (int32_t i = 0; i < instruction_count; i++) {
    uses += (size_t)first[i].operand_count + 1;
    if (!fits(program, &first[i]) || uses > PLACES_MAX) {
      return NULL;
    }
  }
  POD_TRY(allocate_tables(
      lanes, (size_t)instruction_count, uses,
      uses + (size_t)region->parameter_count + (size_t)region->result_count));
  for (int32_t i = 0; i < region->parameter_count; i++) {
    const int32_t buffer = region->parameters[i];
    if (!is_one_element(program, buffer)) {
      return NULL;
    }
    lanes->parameter_places[i] = take_place(lanes, &program->buffers[buffer]);
  }
  for (int32_t i = 0; i < instruction_count; i++) {
    if (!add_step(lanes, &first[i])) {
      return NULL;
    }
  }
  *out_fits = true;
  return NULL;
}

// The values that the whole region returns.
static bool find_results(kernel_lanes_t *lanes) {
  const chip_program_t *program = lanes->args->program;
  const chip_computation_t *region = &program->computations[lanes->computation];
  for (int32_t i = 0; i < region->result_count; i++) {
    const int32_t place = place_of_operand(lanes, &program->buffers[region->results[i]]);
    if (place == NO_PLACE) {
      return false;
    }
    lanes->result_places[i] = place;
  }
  return true;
}

// Results that are copied to the parameters of the same index one after the other: room
// for all of them when a later one lies where an earlier one goes.
static pod_status_t allocate_carried(kernel_lanes_t *lanes, int32_t result_count) {
  for (int32_t i = 0; i < result_count; i++) {
    for (int32_t j = i + 1; j < result_count; j++) {
      if (lanes->carried == NULL &&
          lanes->result_places[j] == lanes->parameter_places[i]) {
        lanes->carried =
            malloc((size_t)result_count * KERNEL_LANES * KERNEL_ELEMENT_BYTES);
        if (lanes->carried == NULL) {
          return no_memory(lanes->args);
        }
      }
    }
  }
  return NULL;
}

// Places for the parameters and the results only.
static pod_status_t make_called(const kernel_args_t *args, int32_t call,
                                const kernel_signature_t *signature,
                                kernel_lanes_t **out_lanes) {
  kernel_lanes_t *lanes = make_lanes(args, call);
  if (lanes == NULL) {
    return no_memory(args);
  }
  lanes->is_called = true;
  lanes->signature = *signature;
  const int32_t values = signature->parameter_count + signature->result_count;
  pod_status_t status = allocate_tables(lanes, 0, 0, (size_t)values);
  if (status == NULL) {
    lanes->place_count = values;
    for (int32_t i = 0; i < values; i++) {
      const int32_t result = i - signature->parameter_count;
      const tensor_dtype_t dtype =
          result < 0 ? signature->parameters[i] : signature->results[result];
      lanes->places[i] = (place_t){.bytes = tensor_dtype_bytes(dtype)};
      *(result < 0 ? &lanes->parameter_places[i] : &lanes->result_places[result]) = i;
    }
    status = allocate_lanes(lanes);
  }
  if (status != NULL) {
    kernel_lanes_destroy(lanes);
    return status;
  }
  *out_lanes = lanes;
  return NULL;
}

// NULL in *out_lanes when the instructions are not elementwise.
static pod_status_t make_part(const kernel_args_t *args, int32_t call,
                              int32_t instruction_count, bool has_results,
                              kernel_lanes_t **out_lanes) {
  *out_lanes = NULL;
  if (args->program->computations == NULL || call >= args->instruction->call_count) {
    return NULL;
  }
  kernel_lanes_t *lanes = make_lanes(args, call);
  if (lanes == NULL) {
    return no_memory(args);
  }
  bool is_fit = false;
  pod_status_t status = make_steps(lanes, instruction_count, &is_fit);
  is_fit = is_fit && (!has_results || find_results(lanes));
  if (status == NULL && is_fit) {
    status = allocate_lanes(lanes);
  }
  if (status == NULL && is_fit && has_results) {
    const int32_t computation = lanes->computation;
    status =
        allocate_carried(lanes, args->program->computations[computation].result_count);
  }
  if (status != NULL || !is_fit) {
    kernel_lanes_destroy(lanes);
    return status;
  }
  *out_lanes = lanes;
  return NULL;
}

pod_status_t kernel_lanes_create_part(const kernel_args_t *args, int32_t call,
                                      int32_t instruction_count,
                                      kernel_lanes_t **out_lanes) {
  return make_part(args, call, instruction_count, false, out_lanes);
}

pod_status_t kernel_lanes_create(const kernel_args_t *args, int32_t call,
                                 const kernel_signature_t *signature,
                                 kernel_lanes_t **out_lanes) {
  kernel_lanes_t *lanes = NULL;
  if (args->program->computations != NULL && call < args->instruction->call_count) {
    const chip_computation_t *region =
        &args->program->computations[args->instruction->calls[call]];
    POD_TRY(make_part(args, call, region->instruction_count, true, &lanes));
  }
  if (lanes == NULL) {
    if (args->call == NULL || call >= args->instruction->call_count) {
      return pod_error(POD_UNIMPLEMENTED, "%s: there is no way to run its region",
                       args->instruction->name);
    }
    POD_TRY(make_called(args, call, signature, &lanes));
  }
  *out_lanes = lanes;
  return NULL;
}

// ----- running -----

static void set_data(kernel_lanes_t *lanes, int32_t which, const char *data) {
  place_t *place = &lanes->places[which];
  if (place->data == data) {
    return;
  }
  place->data = data;
  for (int32_t i = 0; i < lanes->use_count; i++) {
    if (lanes->use_places[i] == which) {
      lanes->use_data[i] = data;
    }
  }
}

void *kernel_lanes_parameter(kernel_lanes_t *lanes, int32_t index) {
  const int32_t place = lanes->parameter_places[index];
  set_data(lanes, place, lanes->places[place].own);
  return lanes->places[place].own;
}

void kernel_lanes_lend(kernel_lanes_t *lanes, int32_t index, const void *elements,
                       size_t count) {
  const int32_t which = lanes->parameter_places[index];
  const place_t *place = &lanes->places[which];
  if (!place->is_written) {
    set_data(lanes, which, elements);
    return;
  }
  if (elements != place->own) {
    memcpy(place->own, elements, count * place->bytes);
  }
}

void kernel_lanes_carry(kernel_lanes_t *lanes, int32_t result_count, size_t count) {
  for (int32_t i = 0; i < result_count && lanes->carried != NULL; i++) {
    memcpy(lanes->carried + (size_t)i * KERNEL_LANES * KERNEL_ELEMENT_BYTES,
           kernel_lanes_result(lanes, i),
           count * lanes->places[lanes->result_places[i]].bytes);
  }
  for (int32_t i = 0; i < result_count; i++) {
    const char *result =
        lanes->carried != NULL
            ? lanes->carried + (size_t)i * KERNEL_LANES * KERNEL_ELEMENT_BYTES
            : kernel_lanes_result(lanes, i);
    char *parameter = kernel_lanes_parameter(lanes, i);
    if (parameter != result) {
      memcpy(parameter, result, count * lanes->places[lanes->parameter_places[i]].bytes);
    }
  }
}

const void *kernel_lanes_result(const kernel_lanes_t *lanes, int32_t index) {
  return lanes->places[lanes->result_places[index]].data;
}

const void *kernel_lanes_buffer(const kernel_lanes_t *lanes, int32_t buffer) {
  const int32_t place = find_place(lanes, &lanes->args->program->buffers[buffer]);
  POD_CHECK(place != NO_PLACE);
  return lanes->places[place].data;
}

static pod_status_t call_lanes(kernel_lanes_t *lanes, size_t count) {
  const kernel_signature_t *signature = &lanes->signature;
  const void *inputs[KERNEL_VALUES_MAX];
  void *outputs[KERNEL_VALUES_MAX];
  for (size_t lane = 0; lane < count; lane++) {
    for (int32_t i = 0; i < signature->parameter_count; i++) {
      const place_t *place = &lanes->places[lanes->parameter_places[i]];
      inputs[i] = place->data + lane * place->bytes;
    }
    for (int32_t i = 0; i < signature->result_count; i++) {
      const place_t *place = &lanes->places[lanes->result_places[i]];
      outputs[i] = place->own + lane * place->bytes;
    }
    POD_TRY(lanes->args->call(lanes->args, lanes->computation, inputs, outputs));
  }
  return NULL;
}

pod_status_t kernel_lanes_run(kernel_lanes_t *lanes, size_t count) {
  if (lanes->is_called) {
    return call_lanes(lanes, count);
  }
  if (lanes->count != count) {
    for (int32_t i = 0; i < lanes->use_count; i++) {
      lanes->uses[i].shape.dims[0] = (int64_t)count;
    }
    lanes->count = count;
  }
  for (int32_t i = 0; i < lanes->step_count; i++) {
    const step_t *step = &lanes->steps[i];
    const void *const *in = step->args.operands;
    void *out = step->args.results[0];
    if (step->binary != NULL) {
      step->binary(in[0], in[1], out, count);
    } else if (step->select != NULL) {
      step->select(in[0], in[1], in[2], out, count);
    } else if (step->unary != NULL) {
      step->unary(in[0], out, count);
    } else {
      POD_TRY(step->kernel(&step->args));
    }
  }
  return NULL;
}
