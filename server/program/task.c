// Names of the enumerators.

#include "server/program/task.h"

const char *chip_task_kind_name(chip_task_kind_t kind) {
  static const char *const names[] = {
      [CHIP_TASK_COMPUTE] = "compute",
      [CHIP_TASK_COLLECTIVE] = "collective",
      [CHIP_TASK_COLLECTIVE_START] = "collective start",
      [CHIP_TASK_COLLECTIVE_DONE] = "collective done",
      [CHIP_TASK_PREFETCH_START] = "prefetch start",
      [CHIP_TASK_PREFETCH_DONE] = "prefetch done",
      [CHIP_TASK_WHILE] = "while",
      [CHIP_TASK_BRANCH] = "branch",
      [CHIP_TASK_TRANSFER_START] = "transfer start",
      [CHIP_TASK_TRANSFER_DONE] = "transfer done",
  };
  return (unsigned)kind <= CHIP_TASK_TRANSFER_DONE ? names[kind] : "unknown";
}
