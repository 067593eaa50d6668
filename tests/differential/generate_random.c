// Generators of random bits.

#include "tests/differential/generate_region.h"

static void generate_rng_bits(generate_t *g, const char *name) {
  static const char *const algorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
  static const tensor_dtype_t dtypes[] = {TENSOR_U8,  TENSOR_U16, TENSOR_U32, TENSOR_U64,
                                          TENSOR_S8,  TENSOR_S16, TENSOR_S32, TENSOR_S64,
                                          TENSOR_U32, TENSOR_U64};
  const int algorithm = generate_below(g, 3);
  const int64_t words = algorithm == 2 && generate_chance(g, 50) ? 3 : 2;
  const tensor_shape_t results[] = {tensor_shape_make(TENSOR_U64, 1, &words),
                                    generate_shape(g, dtypes[generate_below(g, 10)], 0)};
  mlir_value_t *state =
      generate_operand(g, &results[0], GENERATE_BITS, GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 1, &state, 2, results, 0);
  generate_enum(g, op, "rng_algorithm", "rng_algorithm", algorithms[algorithm]);
  generate_keep(g, op, 0, GENERATE_BITS, 0);
  generate_keep(g, op, 1, GENERATE_BITS, 0);
}

const generate_row_t generate_random_rows[] = {
    {"stablehlo.rng_bit_generator", generate_rng_bits},
    {NULL, NULL},
};
