// What each row of the table of operations demands of an instruction: arities,
// attributes, and the agreement of shapes without which a kernel would leave its memory.
// Private to server/chip.

#ifndef SERVER_PROGRAM_RULES_H_
#define SERVER_PROGRAM_RULES_H_

#include "server/program/program.h"

// The indexes of the instruction have been checked. INVALID_ARGUMENT.
POD_MUST_USE pod_status_t chip_instruction_check(const chip_program_t *program,
                                                 const chip_instruction_t *instruction);

#endif  // SERVER_PROGRAM_RULES_H_
