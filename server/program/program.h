// What the compiler hands to the workers: one program for all chips (SPMD), as lists of
// instructions over buffers. This is the contract between compiler and worker, which know
// nothing else of each other; it travels as podium.v1.Program (server/wire).
//
// Execution: a computation runs its instructions in order. An instruction reads its
// operands' buffers and writes its results' buffers. Buffers do not overlap while they
// are live, except that a result may be the very buffer of an operand when the row's
// kernel works in place (elementwise, copy, reshape, dynamic_update_slice, scatter) and
// the operand is dead after.
//
// WHILE has no operands. calls[0] is the condition (one pred result), calls[1] the body.
// The loop's state is in the body's parameter buffers, which are the condition's
// parameters and the instruction's results too; the compiler copies the initial values
// there before. After the body results[i] is copied to parameters[i] unless it is the
// same buffer; a body result is never another parameter's buffer.
//
// IF and CASE take the pred or the s32 index as operand 0. calls[i] is branch i, without
// parameters (it reads outer buffers directly); its results are copied to the
// instruction's results.
//
// REDUCE names the reducers that are known by CHIP_ATTR_REDUCER; for another calls[0] is
// the scalar region.
//
// Memory: an argument is a whole buffer of the caller's; results are buffers of their
// own, made by the worker before the execution; constants are shared by all executions;
// the rest is one block of temp_bytes and host_temp_bytes, in which TEMP buffers have an
// offset (64-byte aligned).
//
// Donation: an argument of `aliases` lies where its result lies. When the execution
// starts the result's buffer holds the argument; the argument's own buffer is a parameter
// of the entry and nothing else, instructions read and write the result's. The caller
// either gives the argument's memory to the result, and then the argument is gone, or has
// the executor copy it into other memory first. Ownership: everything is in the program's
// arena. Immutable once built, so any thread may read it.
//
// Sizes are host bytes (tensor/dtype.h) unless a name says hbm; those of chip_memory_t
// and temp_live_bytes of what a compiler made are in HBM.

#ifndef SERVER_PROGRAM_PROGRAM_H_
#define SERVER_PROGRAM_PROGRAM_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/tensor/shape.h"
#include "common/tensor/sharding.h"
#include "server/program/operations.h"
#include "server/program/task.h"

enum {
  CHIP_BUFFERS_MAX = 1 << 24,
  CHIP_INTERFACES_MAX = 1 << 16,  // Arguments, and results: what a session can hold.
  CHIP_INSTRUCTIONS_MAX = 1 << 22,
  CHIP_COMPUTATIONS_MAX = 1 << 16,
  CHIP_CALL_DEPTH_MAX = 256,
  CHIP_NONE = -1,
  CHIP_BUFFER_ALIGNMENT = 64,  // Of temporaries, in bytes.
};

typedef enum chip_buffer_kind_t {
  CHIP_BUFFER_TEMP = 0,  // `offset` into the block of temporaries.
  CHIP_BUFFER_ARGUMENT,  // `index` of the argument. Read only.
  CHIP_BUFFER_RESULT,    // `index` of the result.
  CHIP_BUFFER_CONSTANT,  // `index` of the constant. Read only.
} chip_buffer_kind_t;

typedef struct chip_buffer_t {
  chip_buffer_kind_t kind;
  int32_t index;
  int64_t offset;
  // Local (per chip). Several buffers may be the same bytes as different types: what
  // reshapes an argument, say, is a buffer of that argument too.
  tensor_shape_t shape;
  bool is_host;  // In the host's memory, not in HBM. A worker's copy does not say.
} chip_buffer_t;

// A constant of the program. A splat holds one element and is expanded by the worker.
typedef struct chip_constant_t {
  tensor_shape_t shape;
  bool is_splat;
  int64_t size_bytes;
  const void *data;
} chip_constant_t;

// Attributes of instructions: integer lists under StableHLO's names. Numbers are on the
// wire.
typedef enum chip_attr_key_t {
  CHIP_ATTR_INVALID = 0,
  // dims of transpose (permutation), reverse, broadcast_in_dim, reduce.
  CHIP_ATTR_DIMENSIONS = 1,
  CHIP_ATTR_DIMENSION = 2,  // iota, concatenate; all_gather_dim, scatter_dimension.
  CHIP_ATTR_START_INDICES = 3,
  CHIP_ATTR_LIMIT_INDICES = 4,  // rng_bit_generator of a part: the sizes of the whole.
  CHIP_ATTR_STRIDES = 5,
  CHIP_ATTR_SLICE_SIZES = 6,
  CHIP_ATTR_EDGE_PADDING_LOW = 7,
  CHIP_ATTR_EDGE_PADDING_HIGH = 8,
  CHIP_ATTR_INTERIOR_PADDING = 9,
  CHIP_ATTR_LHS_BATCHING_DIMENSIONS = 10,
  CHIP_ATTR_RHS_BATCHING_DIMENSIONS = 11,
  CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS = 12,
  CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS = 13,
  CHIP_ATTR_PRECISION = 14,             // Two of chip_precision_t: lhs, rhs.
  CHIP_ATTR_COMPARISON_DIRECTION = 15,  // One chip_comparison_t.
  CHIP_ATTR_COMPARE_TYPE = 16,          // One chip_compare_type_t.
  CHIP_ATTR_REDUCER = 17,  // One chip_reducer_t; reduce, all_reduce, reduce_scatter.
  CHIP_ATTR_REPLICA_GROUPS = 18,  // Flat list of device ids, in groups of GROUP_SIZE.
  CHIP_ATTR_GROUP_SIZE = 19,
  CHIP_ATTR_SOURCE_TARGET_PAIRS = 20,  // source, target, source, target …
  CHIP_ATTR_SPLIT_DIMENSION = 21,      // all_to_all.
  CHIP_ATTR_CONCAT_DIMENSION = 22,
  CHIP_ATTR_SPLIT_COUNT = 23,
  CHIP_ATTR_CHANNEL = 24,
  // gather and scatter, see indexing.h.
  CHIP_ATTR_WINDOW_DIMS = 25,
  CHIP_ATTR_DROPPED_DIMS = 26,
  CHIP_ATTR_ARRAY_BATCHING_DIMS = 27,
  CHIP_ATTR_INDICES_BATCHING_DIMS = 28,
  CHIP_ATTR_INDEX_MAP = 29,
  CHIP_ATTR_INDEX_VECTOR_DIM = 30,
  // reduce_window, select_and_scatter, convolution, see window.h.
  CHIP_ATTR_WINDOW_DIMENSIONS = 31,
  CHIP_ATTR_BASE_DILATIONS = 32,
  CHIP_ATTR_WINDOW_DILATIONS = 33,
  CHIP_ATTR_WINDOW_REVERSAL = 34,
  CHIP_ATTR_INPUT_DIMS = 35,
  CHIP_ATTR_KERNEL_DIMS = 36,
  CHIP_ATTR_OUTPUT_DIMS = 37,
  CHIP_ATTR_FEATURE_GROUP_COUNT = 38,
  CHIP_ATTR_BATCH_GROUP_COUNT = 39,
  CHIP_ATTR_EXPONENT_BITS = 40,  // reduce_precision.
  CHIP_ATTR_MANTISSA_BITS = 41,
  CHIP_ATTR_FFT_TYPE = 42,  // One chip_fft_t.
  CHIP_ATTR_FFT_LENGTH = 43,
  CHIP_ATTR_LEFT_SIDE = 44,  // triangular_solve; LOWER of cholesky too.
  CHIP_ATTR_LOWER = 45,
  CHIP_ATTR_UNIT_DIAGONAL = 46,
  CHIP_ATTR_TRANSPOSE_A = 47,    // One chip_transpose_t.
  CHIP_ATTR_RNG_ALGORITHM = 48,  // One chip_rng_algorithm_t.
  CHIP_ATTR_TOLERANCE = 49,      // expect_almost_eq: the bits of a double.
  CHIP_ATTR_ULP_MIN = 50,        // expect_close.
  CHIP_ATTR_ULP_MAX = 51,
  // collective_algorithm_t, of a collective whose algorithm the user chose.
  CHIP_ATTR_COLLECTIVE_ALGORITHM = 52,
  CHIP_ATTR_SORTED = 53,  // eigh: eigenvalues in ascending order.
  // host_send, host_recv: every chip of the program does it, not the first for all.
  CHIP_ATTR_EACH_DEVICE = 54,
  CHIP_ATTR_KERNEL_WORK = 55,  // kernel: by chip_kernel_work_t.
  CHIP_ATTR_KEY_COUNT,
} chip_attr_key_t;

// What the compiler has found that a kernel of the user's demands of its chip: fields of
// chip_work_t.
typedef enum chip_kernel_work_t {
  CHIP_KERNEL_MXU_FLOP = 0,
  CHIP_KERNEL_MXU_BUSY_FLOP = 1,
  CHIP_KERNEL_VPU_OP = 2,
  CHIP_KERNEL_HBM_READ_BYTES = 3,
  CHIP_KERNEL_HBM_WRITTEN_BYTES = 4,
  CHIP_KERNEL_VMEM_BYTES = 5,
  CHIP_KERNEL_GRID_STEPS = 6,
  CHIP_KERNEL_GRID_PS = 7,
  CHIP_KERNEL_WORK_COUNT,
} chip_kernel_work_t;

typedef enum chip_precision_t {
  CHIP_PRECISION_DEFAULT = 0,
  CHIP_PRECISION_HIGH = 1,
  CHIP_PRECISION_HIGHEST = 2,
} chip_precision_t;

typedef enum chip_comparison_t {
  CHIP_COMPARISON_EQ = 0,
  CHIP_COMPARISON_NE = 1,
  CHIP_COMPARISON_GE = 2,
  CHIP_COMPARISON_GT = 3,
  CHIP_COMPARISON_LE = 4,
  CHIP_COMPARISON_LT = 5,
} chip_comparison_t;

typedef enum chip_compare_type_t {
  CHIP_COMPARE_BY_DTYPE = 0,  // FLOAT, SIGNED, UNSIGNED follow from the element type.
  CHIP_COMPARE_TOTAL_ORDER = 1,
} chip_compare_type_t;

typedef enum chip_reducer_t {
  CHIP_REDUCER_NONE = 0,  // Some other region: calls[0].
  CHIP_REDUCER_ADD = 1,
  CHIP_REDUCER_MULTIPLY = 2,
  CHIP_REDUCER_MAXIMUM = 3,
  CHIP_REDUCER_MINIMUM = 4,
  CHIP_REDUCER_AND = 5,
  CHIP_REDUCER_OR = 6,
  CHIP_REDUCER_XOR = 7,
} chip_reducer_t;

typedef enum chip_fft_t {
  CHIP_FFT_FFT = 0,
  CHIP_FFT_IFFT = 1,
  CHIP_FFT_RFFT = 2,
  CHIP_FFT_IRFFT = 3,
} chip_fft_t;

typedef enum chip_transpose_t {
  CHIP_TRANSPOSE_NO = 0,
  CHIP_TRANSPOSE_YES = 1,
  CHIP_TRANSPOSE_ADJOINT = 2,
} chip_transpose_t;

typedef enum chip_rng_algorithm_t {
  CHIP_RNG_DEFAULT = 0,
  CHIP_RNG_THREE_FRY = 1,
  CHIP_RNG_PHILOX = 2,
} chip_rng_algorithm_t;

typedef struct chip_attr_t {
  chip_attr_key_t key;
  int32_t count;
  const int64_t *values;
} chip_attr_t;

typedef struct chip_instruction_t {
  chip_op_t op;
  int32_t operand_count, result_count, attr_count, call_count;
  const int32_t *operands;  // Indexes of buffers.
  const int32_t *results;
  const chip_attr_t *attrs;
  const int32_t *calls;  // Indexes of computations.
  const char *name;      // Unique in the program: "dot_general.3". For profiles.
  const char *source;    // Where the user wrote it, "train.py:12:7", or "".
  // Of the temporaries that are alive while it runs. For profiles; a worker's copy of the
  // program has none.
  int64_t temp_live_bytes;
} chip_instruction_t;

typedef struct chip_computation_t {
  const char *name;
  int32_t parameter_count, result_count;
  const int32_t *parameters;  // Indexes of buffers.
  const int32_t *results;
  int32_t first_instruction, instruction_count;  // A range of program->instructions.
  int32_t first_task, task_count;                // A range of program->tasks.
} chip_computation_t;

// An argument or result of the whole program.
typedef struct chip_interface_t {
  const char *name;      // "arg0", or the name the program gives; results "result0", or
                         // the key that jax.result_info gives.
  tensor_shape_t shape;  // Global.
  // Never NULL; how the shards lie. Its mesh is the program's, or one of the same devices
  // in another order.
  const sharding_t *sharding;
  bool is_host;  // It lies in the host's memory, not in HBM.
} chip_interface_t;

// The result takes the argument's memory.
typedef struct chip_alias_t {
  int32_t argument, result;
} chip_alias_t;

// A temporary that is alive when most of their bytes are.
typedef struct chip_peak_t {
  int32_t
      instruction;  // That wrote it last; CHIP_NONE: none, as of a region's arguments.
  int64_t size_bytes;
} chip_peak_t;

enum { CHIP_PEAK_MAX = 48 };

// What the modelled chip has in its HBM, as XLA's memory_analysis() counts: arrays with
// the padding of their tiles, buffers between kernels instead of between operations.
typedef struct chip_memory_t {
  bool is_counted;  // False: of programs made by hand; the sizes of the host stand.
  int64_t argument_bytes, output_bytes;
  int64_t alias_bytes;  // Of the outputs, what lies in donated arguments.
  int64_t temp_bytes;   // The block of everything between.
  int64_t code_bytes;   // Constants of more than one value.
} chip_memory_t;

typedef struct chip_program_t {
  pod_arena_t *arena;  // Owns everything, this struct too.
  const char *name;    // "jit_f"
  const mesh_t *mesh;  // Its devices are the chips that run it.
  int32_t argument_count, result_count, constant_count, buffer_count, instruction_count,
      computation_count;
  const chip_interface_t *arguments, *results;
  // Of donated arguments, by argument: none and no result twice, and chip_may_alias.
  int32_t alias_count;
  const chip_alias_t *aliases;
  const chip_constant_t *constants;
  const chip_buffer_t *buffers;
  const chip_instruction_t *instructions;
  const chip_computation_t *computations;  // [entry] has the arguments as parameters.
  int32_t entry;
  // For the clock; a worker's copy of the program has none.
  int32_t task_count, task_member_count;
  const chip_task_t *tasks;
  const int32_t *task_members;
  // For reports; a worker's copy has none. The first instruction with the largest
  // temp_live_bytes (CHIP_NONE: there are no temporaries), and the largest of what is
  // alive then, the largest first.
  int32_t peak_instruction, peak_count;
  const chip_peak_t *peaks;
  int64_t temp_bytes;
  int64_t argument_bytes, result_bytes, constant_bytes;  // Per chip.
  int64_t alias_bytes;  // Of the results, what lies in donated arguments.
  chip_memory_t memory;
  // Of a chip's arrays in its host's memory, which none of the above counts. The
  // temporaries among them lie behind temp_bytes in the same block.
  int64_t host_argument_bytes, host_result_bytes, host_alias_bytes, host_temp_bytes;
} chip_program_t;

// Frees the program with its arena. Accepts NULL.
void chip_program_destroy(chip_program_t *program);

// Everything an index of a program from elsewhere could break: ranges, arities, buffers
// within temp_bytes, computations without cycles, attributes present that the rows need.
// A worker calls it on what it receives. INVALID_ARGUMENT names the instruction.
POD_MUST_USE pod_status_t chip_program_check(const chip_program_t *program);

// The values of an attribute, or NULL when it is absent (count 0).
const int64_t *chip_instruction_attr(const chip_instruction_t *instruction,
                                     chip_attr_key_t key, int32_t *out_count);

// The single value of an attribute, or `otherwise`.
int64_t chip_instruction_attr_one(const chip_instruction_t *instruction,
                                  chip_attr_key_t key, int64_t otherwise);

// Why a kernel of the user's does not run, and what to do: UNIMPLEMENTED, with the place
// where the user wrote it. Owned by the caller.
POD_MUST_USE pod_status_t chip_kernel_refusal(const chip_instruction_t *kernel);

// The first of a program; CHIP_NONE: it has none.
int32_t chip_program_first_kernel(const chip_program_t *program);

// Whether arrays of these local shapes can lie in the same memory: as many bytes on the
// host and, with the padding of their tiles, in HBM.
bool chip_may_alias(const tensor_shape_t *argument, const tensor_shape_t *result);

// Everything that one chip holds at the most: arguments, results, constants and
// temporaries, what is donated once. Saturates.
int64_t chip_program_hbm_bytes(const chip_program_t *program);

int64_t chip_memory_hbm_bytes(const chip_memory_t *memory);

// As counted when it was compiled; of programs made by hand, in tests, the sizes of the
// host.
chip_memory_t chip_program_memory(const chip_program_t *program);

// Of that the temporaries.
int64_t chip_program_hbm_temp_bytes(const chip_program_t *program);

// Bits of an element as bitcast_convert counts them: those in HBM, but 1 for pred.
static inline unsigned chip_bitcast_bits(tensor_dtype_t dtype) {
  return dtype == TENSOR_PRED ? 1 : tensor_dtype_device_bits(dtype);
}

// The operation that a known reducer is; CHIP_OP_INVALID for CHIP_REDUCER_NONE and what
// is none.
chip_op_t chip_reducer_op(chip_reducer_t reducer);

// Whether a known reducer exists for an element type: not, for instance, the xor of
// floats.
bool chip_reducer_is_for(chip_reducer_t reducer, tensor_dtype_t dtype);

// Likewise in the host's memory.
int64_t chip_program_host_bytes(const chip_program_t *program);

// A listing for people: one line per instruction, with shapes and buffers.
void chip_program_print(pod_text_t *text, const chip_program_t *program);

// The same of the tasks: one line per task, with its members and its work.
void chip_program_print_tasks(pod_text_t *text, const chip_program_t *program);

#endif  // SERVER_PROGRAM_PROGRAM_H_
