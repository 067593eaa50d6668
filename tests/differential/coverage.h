// What random modules hold: operations, and the element types that they are applied to,
// against all that the compiler knows and the specification admits.
//
// Threading: pure.

#ifndef TESTS_DIFFERENTIAL_COVERAGE_H_
#define TESTS_DIFFERENTIAL_COVERAGE_H_

#include <stdint.h>

#include "common/base/text.h"
#include "common/mlir/ir.h"

enum { COVERAGE_OPS_MAX = 512 };

typedef struct coverage_entry_t {
  const char *name;  // Borrowed from the tables of coverage.c and the compiler.
  uint64_t count;
  uint64_t operands[3], result;  // Bit 1 << dtype for every element type met.
} coverage_entry_t;

typedef struct coverage_t {
  int count;
  coverage_entry_t entries[COVERAGE_OPS_MAX];
} coverage_t;

// All operations and custom calls ("@target") there are.
void coverage_init(coverage_t *coverage);

// Counts the operations of a module. What is not known is reported.
void coverage_add(coverage_t *coverage, const mlir_module_t *module, pod_text_t *report);

// A line for every operation that was never met, for every element type that the
// specification admits and that was not met, and for every exception that is none.
void coverage_report(const coverage_t *coverage, pod_text_t *report);

#endif  // TESTS_DIFFERENTIAL_COVERAGE_H_
