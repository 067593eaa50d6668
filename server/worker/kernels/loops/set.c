// The loops of one instruction set, put together.

#include "server/worker/kernels/loops/isa.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

extern const kernel_loops_t KERNEL_ISA_NAME(kernel_loops);

const kernel_loops_t KERNEL_ISA_NAME(kernel_loops) = {
    .name = TEXT(KERNEL_ISA),
    .integer_unary = &KERNEL_ISA_NAME(kernel_integer_unary),
    .float_unary = &KERNEL_ISA_NAME(kernel_float_unary),
    .math_unary = &KERNEL_ISA_NAME(kernel_math_unary),
    .integer_binary = &KERNEL_ISA_NAME(kernel_integer_binary),
    .float_binary = &KERNEL_ISA_NAME(kernel_float_binary),
    .math_binary = &KERNEL_ISA_NAME(kernel_math_binary),
    .narrow_unary = &KERNEL_ISA_NAME(kernel_narrow_unary),
    .narrow_binary = &KERNEL_ISA_NAME(kernel_narrow_binary),
    .compare = KERNEL_ISA_NAME(kernel_compare),
    .total_order_key = KERNEL_ISA_NAME(kernel_total_order),
    .convert = KERNEL_ISA_NAME(kernel_convert),
    .to_odd_f32 = KERNEL_ISA_NAME(kernel_to_odd),
    .bf16_to_f32 = KERNEL_ISA_NAME(kernel_bf16_to_f32),
    .f32_to_bf16 = KERNEL_ISA_NAME(kernel_f32_to_bf16),
    .f16_to_f32 = KERNEL_ISA_NAME(kernel_f16_to_f32),
    .f32_to_f16 = KERNEL_ISA_NAME(kernel_f32_to_f16),
    .reduce = KERNEL_ISA_NAME(kernel_reduce),
    .bf16_reducers = KERNEL_ISA_NAME(kernel_bf16_reducers),
    .f16_reducers = KERNEL_ISA_NAME(kernel_f16_reducers),
    .reduce_precision = KERNEL_ISA_NAME(kernel_precision),
    .select = KERNEL_ISA_NAME(kernel_select),
    .transpose = KERNEL_ISA_NAME(kernel_transpose),
    .gather = KERNEL_ISA_NAME(kernel_gather),
    .scatter = KERNEL_ISA_NAME(kernel_scatter),
    .repeat = KERNEL_ISA_NAME(kernel_repeat),
    .matmul = KERNEL_ISA_NAME(kernel_matmul),
    .skinny_rows = KERNEL_ISA_NAME(kernel_skinny_rows),
    .skinny_columns = KERNEL_ISA_NAME(kernel_skinny_columns),
    .panel_rows = KERNEL_ISA_NAME(kernel_panel_rows),
    .panel_workspace = KERNEL_ISA_NAME(kernel_panel_workspace),
    .tiny = KERNEL_ISA_NAME(kernel_tiny),
};
