// Sums over a profile: of the pod, of a chip, and of a chip's tasks by operation and by
// source line. What the summary (summary.c) and --json (report_profile.c) tell alike.
//
// HFU and MFU, as the field has them (PaLM, arXiv:2204.02311, appendix B): HFU, hardware
// FLOPs utilisation, counts the FLOP of all products that the chips execute, those that
// are computed again (rematerialised) or by several chips (replicated) too, but not the
// padding of the MXU; MFU, model FLOPs utilisation, counts those that the model needs:
// what --model-flop says, else what is executed without what is computed again, where the
// module names its operations as JAX does ("rematted_computation"). Both are shares of
// the nominal bf16 peak.
//
// Threading: pure.

#ifndef CLIENT_PROFILE_SUMS_H_
#define CLIENT_PROFILE_SUMS_H_

#include <stdbool.h>
#include <stdint.h>

#include "client/lib/podium.h"
#include "common/base/arena.h"

typedef struct profile_sums_t {
  double flop;                         // Of products, executed by all chips.
  double busy_flop;                    // The same with the MXU's padding and passes.
  double model_flop;                   // Without what is computed again; -1: not known.
  double hbm_bytes;                    // Of all chips.
  double hfu;                          // 0 to 1.
  const podium_chip_class_t *slowest;  // The class that ends last.
} profile_sums_t;

// Chips that ran the program; the others of the pod only pass messages on. At least 1.
int profile_chips_running(const podium_profile_t *profile);

// The profile has a class.
profile_sums_t profile_sums_of(const podium_profile_t *profile);

// `model_flop` of the whole step on all chips that run it. 0: those of the sums; -1 when
// they are not known.
double profile_mfu(const podium_profile_t *profile, double model_flop);

// part / whole; 0 when there is no whole.
double profile_share(double part, double whole);

double profile_task_hbm_bytes(const podium_task_t *task);

// Loops and branches last as long as what is in them, which has totals of its own.
bool profile_task_is_control(const podium_task_t *task);

// What a task is there for: "dot_general" also of a fusion whose root is an add.
// `info` knows the instructions.
const char *profile_task_operation(const podium_program_info_t *info,
                                   const podium_task_t *task);

// "fusion.3 dot_general"; "dot_general.1" says it already.
const char *profile_task_title(pod_arena_t *arena, const podium_program_info_t *info,
                               const podium_task_t *task);

// "train.py:12" of "train.py:12:7"; "" as it is.
const char *profile_source_line(pod_arena_t *arena, const char *source);

// What the core of a chip spent its time for: the engine that bounds a task, or, while it
// waits, what it waits for.
typedef enum profile_wait_t {
  PROFILE_WAIT_MXU,
  PROFILE_WAIT_VPU,
  PROFILE_WAIT_HBM,
  PROFILE_WAIT_ICI,    // Collectives that nothing hides.
  PROFILE_WAIT_DMA,    // Prefetches that nothing hides.
  PROFILE_WAIT_PCIE,   // Transfers from and to the host's memory that nothing hides.
  PROFILE_WAIT_FIXED,  // What takes its time whatever its size.
  PROFILE_WAIT_COUNT,
} profile_wait_t;

// "MXU". A literal.
const char *profile_wait_name(profile_wait_t wait);

// Picoseconds by profile_wait_t; together the time that the core ran the program.
void profile_waits_of(const podium_profile_t *profile, const podium_chip_class_t *class,
                      int64_t out_ps[PROFILE_WAIT_COUNT]);

// What a task took its time for, by name: "MXU"; of one that mostly waits for a queue,
// the queue: "DMA", "PCIe". A literal.
const char *profile_total_bound(const podium_profile_t *profile,
                                const podium_task_total_t *total);

typedef struct profile_sum_t {
  const char *name;
  int task_count;
  int64_t run_count, duration_ps, waiting_ps, ici_bytes;
  double flop, hbm_bytes;
} profile_sum_t;

typedef enum profile_sum_key_t {
  PROFILE_BY_OPERATION,
  PROFILE_BY_SOURCE
} profile_sum_key_t;

// The tasks of a class summed, longest first; without those that take no time.
profile_sum_t *profile_sum_tasks(pod_arena_t *arena, const podium_program_info_t *info,
                                 const podium_profile_t *profile,
                                 const podium_chip_class_t *class, profile_sum_key_t key,
                                 int *out_count);

#endif  // CLIENT_PROFILE_SUMS_H_
