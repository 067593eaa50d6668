// What an instruction costs the hardware: work counted exactly, time by a roofline.
//
// Formulas: time = max(MXU FLOP / peak, VPU operations / rate, HBM bytes / bandwidth) +
// fixed cost; a collective's time is its bytes over the links it can use, plus hops.
// Picoseconds in int64. Threading: pure.

#ifndef SERVER_CHIP_COST_H_
#define SERVER_CHIP_COST_H_

#include <stdint.h>

#include "server/chip/program.h"
#include "server/chip/spec.h"
#include "server/chip/task.h"
#include "server/chip/torus.h"

typedef enum chip_bound_t {
  CHIP_BOUND_NONE = 0,
  CHIP_BOUND_MXU = 1,
  CHIP_BOUND_VPU = 2,
  CHIP_BOUND_HBM = 3,
  CHIP_BOUND_ICI = 4,
  CHIP_BOUND_FIXED = 5,
} chip_bound_t;

typedef struct chip_cost_t {
  int64_t mxu_flop;   // 2·m·n·k per product.
  int64_t vpu_op;     // Elementwise operations.
  int64_t hbm_bytes;  // Read and written.
  int64_t ici_bytes;  // Sent by this chip, over all its links.
  int64_t duration_ps;
  chip_bound_t bound;
  int64_t mxu_ps, vpu_ps, hbm_ps;  // How long each engine is busy; they overlap.
} chip_cost_t;

// Of one run of a task's work on the core; what its collective takes on the links is the
// simulator's.
chip_cost_t chip_work_cost(const chip_spec_t *spec, const chip_work_t *work);

// Of one run of an instruction, called computations not included.
chip_cost_t chip_instruction_cost(const chip_spec_t *spec, const torus_t *torus,
                                  const chip_program_t *program,
                                  const chip_instruction_t *instruction);

// "MXU", "HBM", …
const char *chip_bound_name(chip_bound_t bound);

#endif  // SERVER_CHIP_COST_H_
