#include "server/compiler/syntax.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "server/compiler/syntax_format.h"
#include "server/compiler/syntax_parts.h"

#define FORMAT(name, format) \
  { {syntax_format_parse, syntax_format_print}, name, format }
#define OWN(name, parse, print) \
  { {parse, print}, name, NULL }

// Sorted by name, as strcmp sorts. The formats are those of StablehloOps.td and
// ChloOps.td of https://github.com/openxla/stablehlo and of ops.td of
// https://github.com/openxla/shardy. An operation that is not here has only the generic
// form.
static const syntax_row_t rows[] = {
    // clang-format off
    OWN("check.expect_almost_eq", syntax_parse_check, syntax_print_check),
    OWN("check.expect_almost_eq_const", syntax_parse_check, syntax_print_check),
    OWN("check.expect_close", syntax_parse_check, syntax_print_check),
    OWN("check.expect_eq", syntax_parse_check, syntax_print_check),
    OWN("check.expect_eq_const", syntax_parse_check, syntax_print_check),
    FORMAT("check.expect_serialized_eq", "% , probe_id = =probe_id:str ?iteration , iter = =iteration:i64 ? {} :O"),
    FORMAT("chlo._asin_acos_kernel", "% {} :A"),
    FORMAT("chlo.acos", "% {} :A"),
    FORMAT("chlo.acosh", "% {} :A"),
    FORMAT("chlo.asin", "% {} :A"),
    FORMAT("chlo.asinh", "% {} :A"),
    FORMAT("chlo.atan", "% {} :A"),
    FORMAT("chlo.atanh", "% {} :A"),
    FORMAT("chlo.bessel_i1e", "% {} :A"),
    FORMAT("chlo.broadcast_add", "% , % {} :F"),
    FORMAT("chlo.broadcast_and", "% , % {} :F"),
    FORMAT("chlo.broadcast_atan2", "% , % {} :F"),
    FORMAT("chlo.broadcast_compare", "% , % {} :F"),
    FORMAT("chlo.broadcast_complex", "% , % {} :F"),
    FORMAT("chlo.broadcast_divide", "% , % {} :F"),
    FORMAT("chlo.broadcast_maximum", "% , % {} :F"),
    FORMAT("chlo.broadcast_minimum", "% , % {} :F"),
    FORMAT("chlo.broadcast_multiply", "% , % {} :F"),
    FORMAT("chlo.broadcast_next_after", "% , % {} :F"),
    FORMAT("chlo.broadcast_or", "% , % {} :F"),
    FORMAT("chlo.broadcast_polygamma", "% , % {} :F"),
    FORMAT("chlo.broadcast_power", "% , % {} :F"),
    FORMAT("chlo.broadcast_remainder", "% , % {} :F"),
    FORMAT("chlo.broadcast_select", "% , % , % {} :F"),
    FORMAT("chlo.broadcast_shift_left", "% , % {} :F"),
    FORMAT("chlo.broadcast_shift_right_arithmetic", "% , % {} :F"),
    FORMAT("chlo.broadcast_shift_right_logical", "% , % {} :F"),
    FORMAT("chlo.broadcast_subtract", "% , % {} :F"),
    FORMAT("chlo.broadcast_xor", "% , % {} :F"),
    FORMAT("chlo.broadcast_zeta", "% , % {} :F"),
    FORMAT("chlo.conj", "% {} :A"),
    OWN("chlo.constant", syntax_parse_constant, syntax_print_constant),
    FORMAT("chlo.cosh", "% {} :A"),
    FORMAT("chlo.digamma", "% {} :A"),
    FORMAT("chlo.erf", "% {} :A"),
    FORMAT("chlo.erf_inv", "% {} :A"),
    FORMAT("chlo.erfc", "% {} :A"),
    FORMAT("chlo.is_inf", "% {} :A"),
    FORMAT("chlo.is_neg_inf", "% {} :A"),
    FORMAT("chlo.is_pos_inf", "% {} :A"),
    FORMAT("chlo.lgamma", "% {} :A"),
    FORMAT("chlo.mulhi", "% , % {} :A"),
    FORMAT("chlo.next_after", "% , % {} :A"),
    FORMAT("chlo.polygamma", "% , % {} :A"),
    OWN("chlo.scan", syntax_parse_scan, syntax_print_scan),
    FORMAT("chlo.sinh", "% {} :A"),
    FORMAT("chlo.square", "% {} :A"),
    FORMAT("chlo.tan", "% {} :A"),
    FORMAT("chlo.top_k", "( % , k = =k:i64 ?is_stable , is_stable = =is_stable:bool ? ) {} :A"),
    FORMAT("chlo.zeta", "% , % {} :A"),
    FORMAT("interpreter.print", "% {} :O"),
    FORMAT("interpreter.probe", "% , probe_id = =probe_id:str {} :S"),
    FORMAT("sdy.all_gather", "=gathering_axes:[sdy.list_of_axis_ref_lists] % out_sharding= =out_sharding:<sdy.sharding> {} :S"),
    FORMAT("sdy.all_reduce", "?reduction_op =reduction_op:!sum|max|min ? =reduction_axes:{sdy.axis_ref_list} % out_sharding= =out_sharding:<sdy.sharding> {} :S"),
    FORMAT("sdy.all_slice", "=slicing_axes:[sdy.list_of_axis_ref_lists] % out_sharding= =out_sharding:<sdy.sharding> {} :S"),
    FORMAT("sdy.all_to_all", "=params:[sdy.all_to_all_param_list] % out_sharding= =out_sharding:<sdy.sharding> {} :S"),
    FORMAT("sdy.collective_permute", "% out_sharding= =out_sharding:<sdy.sharding> {} :S"),
    OWN("sdy.constant", syntax_parse_constant, syntax_print_constant),
    FORMAT("sdy.data_flow_edge", "% ?sharding sharding= =sharding:<sdy.sharding> ? {} :S"),
    FORMAT("sdy.func_data_flow_edge", "% {} :S"),
    OWN("sdy.manual_computation", syntax_parse_manual, syntax_print_manual),
    FORMAT("sdy.mesh", "=sym_name:@ = =mesh:<sdy.mesh> {} :0"),
    OWN("sdy.named_computation", syntax_parse_named, syntax_print_named),
    FORMAT("sdy.propagation_barrier", "% allowed_direction= =allowed_direction:!NONE|FORWARD|BACKWARD|BOTH {} :S"),
    FORMAT("sdy.reduce_scatter", "?reduction_op =reduction_op:!sum|max|min ? =reduce_scatter_axes:[sdy.list_of_axis_ref_lists] % out_sharding= =out_sharding:<sdy.sharding> {} :S"),
    FORMAT("sdy.replicated_to_unreduced", "=axes:{sdy.axis_ref_list} % out_sharding= =out_sharding:<sdy.sharding> {} :S"),
    FORMAT("sdy.reshard", "% =sharding:<sdy.sharding> {} :S"),
    OWN("sdy.return", mlir_parser_terminator, mlir_printer_terminator),
    FORMAT("sdy.sharded_to_unreduced", "=axes:[sdy.list_of_axis_ref_lists] % out_sharding= =out_sharding:<sdy.sharding> {} :S"),
    FORMAT("sdy.sharding_constraint", "% =sharding:<sdy.sharding> {} :S"),
    FORMAT("sdy.sharding_group", "% group_id= =group_id:i64 {} :O"),
    FORMAT("stablehlo.abs", "% {} :S"),
    FORMAT("stablehlo.add", "% , % {} :S"),
    FORMAT("stablehlo.after_all", "%* {} :S"),
    FORMAT("stablehlo.and", "% , % {} :S"),
    FORMAT("stablehlo.atan2", "% , % {} :S"),
    FORMAT("stablehlo.bitcast_convert", "%* {} :F"),
    FORMAT("stablehlo.broadcast", "% , sizes = =broadcast_sizes:i64s {} :F"),
    FORMAT("stablehlo.broadcast_in_dim", "% , dims = =broadcast_dimensions:i64s {} :F"),
    FORMAT("stablehlo.cbrt", "% {} :S"),
    FORMAT("stablehlo.ceil", "% {} :S"),
    FORMAT("stablehlo.cholesky", "% ?lower , lower = =lower:bool ? {} :S"),
    FORMAT("stablehlo.clamp", "% , % , % {} :S"),
    FORMAT("stablehlo.compare", "=comparison_direction:#comparison_direction , % , % ?compare_type , =compare_type:#comparison_type ? {} :F"),
    FORMAT("stablehlo.complex", "%* {} :Complex"),
    FORMAT("stablehlo.composite", "=name:str %* @regions {} :F"),
    FORMAT("stablehlo.concatenate", "%*, dim = =dimension:i64 {} :F"),
    OWN("stablehlo.constant", syntax_parse_constant, syntax_print_constant),
    FORMAT("stablehlo.convert", "% {} :S"),
    FORMAT("stablehlo.convolution", "( %* ) dim_numbers = @conv , window = { @window } {} :F"),
    FORMAT("stablehlo.copy", "% {} :S"),
    FORMAT("stablehlo.cosine", "% {} :S"),
    FORMAT("stablehlo.count_leading_zeros", "% {} :S"),
    FORMAT("stablehlo.create_token", "{} :R"),
    FORMAT("stablehlo.custom_call", "@target ( %* ) {} :F"),
    FORMAT("stablehlo.divide", "% , % {} :S"),
    FORMAT("stablehlo.dot", "% , % @precision {} :F"),
    FORMAT("stablehlo.dot_general", "% , % , @dot @precision {} :F"),
    FORMAT("stablehlo.dynamic_broadcast_in_dim", "% , % , dims = =broadcast_dimensions:i64s {} :F"),
    FORMAT("stablehlo.dynamic_iota", "% , dim = =iota_dimension:i64 {} :F"),
    FORMAT("stablehlo.dynamic_pad", "%* {} :F"),
    FORMAT("stablehlo.dynamic_reshape", "%* {} :F"),
    FORMAT("stablehlo.dynamic_slice", "% , %*, sizes = =slice_sizes:i64s {} :F"),
    FORMAT("stablehlo.dynamic_update_slice", "%* {} :F"),
    FORMAT("stablehlo.einsum", "% , % , config = =einsum_config:str {} :F"),
    FORMAT("stablehlo.erf", "% {} :S"),
    FORMAT("stablehlo.erf_inv", "% {} :S"),
    FORMAT("stablehlo.exponential", "% {} :S"),
    FORMAT("stablehlo.exponential_minus_one", "% {} :S"),
    FORMAT("stablehlo.fft", "% , type = =fft_type:#fft_type , length = =fft_length:i64s {} :F"),
    FORMAT("stablehlo.floor", "% {} :S"),
    FORMAT("stablehlo.get_dimension_size", "% , dim = =dimension:i64 {} :F"),
    FORMAT("stablehlo.get_tuple_element", "% [ =index:i32 ] {} :F"),
    FORMAT("stablehlo.imag", "% {} :S"),
    FORMAT("stablehlo.iota", "dim = =iota_dimension:i64 {} :R"),
    FORMAT("stablehlo.is_finite", "% {} :F"),
    FORMAT("stablehlo.log", "% {} :S"),
    FORMAT("stablehlo.log_plus_one", "% {} :S"),
    FORMAT("stablehlo.logistic", "% {} :S"),
    FORMAT("stablehlo.maximum", "% , % {} :S"),
    FORMAT("stablehlo.minimum", "% , % {} :S"),
    FORMAT("stablehlo.multiply", "% , % {} :S"),
    FORMAT("stablehlo.negate", "% {} :S"),
    FORMAT("stablehlo.not", "% {} :S"),
    FORMAT("stablehlo.optimization_barrier", "{} @barrier"),
    FORMAT("stablehlo.or", "% , % {} :S"),
    FORMAT("stablehlo.pad", "% , % , low = =edge_padding_low:i64s , high = =edge_padding_high:i64s , interior = =interior_padding:i64s {} :F"),
    FORMAT("stablehlo.partition_id", "{} :R"),
    FORMAT("stablehlo.popcnt", "% {} :S"),
    FORMAT("stablehlo.power", "% , % {} :S"),
    FORMAT("stablehlo.real", "% {} :S"),
    FORMAT("stablehlo.real_dynamic_slice", "%* {} :F"),
    OWN("stablehlo.reduce", syntax_parse_reduce, syntax_print_reduce),
    FORMAT("stablehlo.reduce_precision", "% , format = @format {} :S"),
    FORMAT("stablehlo.remainder", "% , % {} :S"),
    FORMAT("stablehlo.replica_id", "{} :R"),
    FORMAT("stablehlo.reshape", "%* {} :F"),
    OWN("stablehlo.return", mlir_parser_terminator, mlir_printer_terminator),
    FORMAT("stablehlo.reverse", "% , dims = =dimensions:i64s {} :S"),
    FORMAT("stablehlo.rng", "% , % , % , distribution = =rng_distribution:#rng_distribution {} :F"),
    FORMAT("stablehlo.rng_bit_generator", "% , algorithm = =rng_algorithm:#rng_algorithm {} :F"),
    FORMAT("stablehlo.round_nearest_afz", "% {} :S"),
    FORMAT("stablehlo.round_nearest_even", "% {} :S"),
    FORMAT("stablehlo.rsqrt", "% {} :S"),
    FORMAT("stablehlo.select", "%* {} :Select"),
    FORMAT("stablehlo.set_dimension_size", "% , % , dim = =dimension:i64 {} :F"),
    FORMAT("stablehlo.shift_left", "% , % {} :S"),
    FORMAT("stablehlo.shift_right_arithmetic", "% , % {} :S"),
    FORMAT("stablehlo.shift_right_logical", "% , % {} :S"),
    FORMAT("stablehlo.sign", "% {} :S"),
    FORMAT("stablehlo.sine", "% {} :S"),
    FORMAT("stablehlo.slice", "% @slice {} :F"),
    FORMAT("stablehlo.sqrt", "% {} :S"),
    FORMAT("stablehlo.subtract", "% , % {} :S"),
    FORMAT("stablehlo.tan", "% {} :S"),
    FORMAT("stablehlo.tanh", "% {} :S"),
    FORMAT("stablehlo.transpose", "% , dims = =permutation:i64s {} :F"),
    FORMAT("stablehlo.tuple", "%* {} :T"),
    FORMAT("stablehlo.unary_einsum", "% , config = =einsum_config:str {} :F"),
    FORMAT("stablehlo.uniform_dequantize", "% {} :S"),
    FORMAT("stablehlo.uniform_quantize", "% {} :S"),
    OWN("stablehlo.while", syntax_parse_while, syntax_print_while),
    FORMAT("stablehlo.xor", "% , % {} :S"),
    // clang-format on
};

static int compare_name(const void *name, const void *row) {
  return strcmp(name, ((const syntax_row_t *)row)->name);
}

const mlir_syntax_t *compiler_syntax_lookup(const char *name) {
  // MHLO writes its operations as StableHLO does.
  char stablehlo_name[64];
  if (strncmp(name, "mhlo.", 5) == 0 && strlen(name) < 48) {
    memcpy(stablehlo_name, "stablehlo.", 10);
    memcpy(stablehlo_name + 10, name + 5, strlen(name + 5) + 1);
    name = stablehlo_name;
  }
  const syntax_row_t *row =
      bsearch(name, rows, POD_COUNT_OF(rows), sizeof(rows[0]), compare_name);
  return row == NULL ? NULL : &row->syntax;
}

const char *syntax_row_name(size_t index) {
  return index < POD_COUNT_OF(rows) ? rows[index].name : NULL;
}
