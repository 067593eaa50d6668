// What the walk of linear.c adds to the lists of lower.h: variables with their lives,
// nodes, references, wishes. Everything happens at lower->time, in lower->scope.
//
// Ownership: the lists are lower's. Threading: one thread for a lower_t.

#ifndef SERVER_COMPILER_LOWER_VARS_H_
#define SERVER_COMPILER_LOWER_VARS_H_

#include "server/compiler/lower/lower.h"

// --- The lists ---

// Returns the variable's index. It lives from the present time on; `shape` is borrowed.
int32_t lower_add_var(lower_t *lower, const tensor_shape_t *shape);

// One more of that shape, in the same memory: HBM or the host's.
int32_t lower_add_like(lower_t *lower, int32_t var);

void lower_add_ref(lower_t *lower, int32_t ref);

// Its references are those that are added next. Borrowed until another one is added.
lower_node_t *lower_add_node(lower_t *lower, chip_op_t op, const mlir_op_t *source);

void lower_add_wish(lower_t *lower, lower_wish_kind_t kind, int32_t a, int32_t b);

// The first one is called `name`, the others name.1 and so on. Returns its index.
int32_t lower_add_computation(lower_t *lower, const char *name);

// target = source, at a time of its own.
void lower_add_move(lower_t *lower, chip_op_t op, const mlir_op_t *source_op,
                    int32_t target, int32_t source, lower_wish_kind_t wish);

// --- Lives ---

void lower_live_until(lower_t *lower, int32_t var, int32_t half_time);

// A reading at the present time. Every scope between here and where the variable was made
// captures it. `in_place`: what is made at this time may lie where it lies.
void lower_read_var(lower_t *lower, int32_t var, bool in_place);

// Returns the scope's index.
int32_t lower_enter_scope(lower_t *lower);

// What the scope has read from outside lives up to the present time.
void lower_leave_scope(lower_t *lower);

// --- Values ---

// The constant of that content; equal ones are one.
int32_t lower_constant_var(lower_t *lower, const mlir_op_t *op);

// Of a value that has one.
int32_t lower_var_of(const lower_t *lower, const mlir_value_t *value);

// Whether it lies in the host's memory.
bool lower_is_host(const lower_t *lower, const mlir_value_t *value);

// A new variable, the value's from now on.
int32_t lower_add_result(lower_t *lower, const mlir_value_t *value);

#endif  // SERVER_COMPILER_LOWER_VARS_H_
