// What an instruction demands of a chip, whatever the chip's rates: operations of the
// MXU and the VPU, and bytes of HBM. Counted exactly from shapes and attributes.
//
// Counts: a product is 2·m·n·k useful FLOP; the MXU is busy for more, see
//         chip_work_t.mxu_busy_flop. An operand that is only partly used (slice,
//         dynamic_slice) is read for that part; dynamic_update_slice writes its update in
//         place; a reshape is the same bytes. Bytes are those of tiles.h. Everything
//         saturates at INT64_MAX.
// Threading: pure.

#ifndef SERVER_CHIP_WORK_H_
#define SERVER_CHIP_WORK_H_

#include "server/chip/spec.h"
#include "server/program/program.h"
#include "server/program/task.h"

// Of one run of an instruction that is a task of its own, its operands and results in
// HBM; called computations not included. Zero for what costs a chip nothing: control flow
// itself, constants, reshapes.
chip_work_t chip_instruction_work(const chip_spec_t *spec, const chip_program_t *program,
                                  const chip_instruction_t *instruction);

// The same of a product that reads so many bytes beside its result: its tiles leave room
// for them. The bytes themselves are not added to hbm_read_bytes.
chip_work_t chip_instruction_work_beside(const chip_spec_t *spec,
                                         const chip_program_t *program,
                                         const chip_instruction_t *instruction,
                                         int64_t epilogue_bytes);

// Operations on f32 lanes that an elementwise operation takes for an element: its row's.
int64_t chip_lane_ops(chip_op_t op, tensor_dtype_t dtype);

// [batch, m, k] by [batch, k, n], in so many passes of the MXU.
typedef struct chip_mxu_product_t {
  int64_t batch, m, n, k, passes;
  tensor_dtype_t lhs, rhs;
} chip_mxu_product_t;

// What the MXU is occupied for (chip_work_t.mxu_busy_flop); 0: it has no such product.
int64_t chip_mxu_busy_flop(const chip_spec_t *spec, const chip_mxu_product_t *product);

// a + b and a · b of counts, none negative; they saturate.
int64_t chip_work_plus(int64_t a, int64_t b);
int64_t chip_work_times(int64_t a, int64_t b);

#endif  // SERVER_CHIP_WORK_H_
