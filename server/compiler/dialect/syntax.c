// The forms, and a table from operations to forms made of the rows' columns.

#include "server/compiler/dialect/syntax.h"

#include <string.h>

#include "common/mlir/jax_export.h"
#include "server/compiler/dialect/bytecode.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/syntax_format.h"
#include "server/compiler/dialect/syntax_parts.h"

// The forms that the columns `syntax` of operations.def and kinds.def name. The formats
// are those of StablehloOps.td and ChloOps.td of https://github.com/openxla/stablehlo and
// of ops.td of https://github.com/openxla/shardy. A form that no row names is a variable
// that is not used; a row that names none that is here does not compile.
#define FORMAT(form, format)                                                             \
  static const syntax_row_t syntax_##form = {{syntax_format_parse, syntax_format_print}, \
                                             format};
#define OWN(form, parse, print) \
  static const syntax_row_t syntax_##form = {{parse, print}, NULL};

// clang-format off
FORMAT(after_all, "%* {} :S")
FORMAT(binary, "% , % {} :S")
FORMAT(broadcast, "% , sizes = =broadcast_sizes:i64s {} :F")
FORMAT(broadcast_in_dim, "% , dims = =broadcast_dimensions:i64s {} :F")
FORMAT(broadcasting, "% , % {} :F")
FORMAT(broadcasting_select, "% , % , % {} :F")
OWN(check, syntax_parse_check, syntax_print_check)
FORMAT(chlo_binary, "% , % {} :A")
FORMAT(chlo_unary, "% {} :A")
FORMAT(cholesky, "% ?lower , lower = =lower:bool ? {} :S")
FORMAT(compare, "=comparison_direction:#comparison_direction , % , % ?compare_type , =compare_type:#comparison_type ? {} :F")
FORMAT(complex, "%* {} :Complex")
FORMAT(composite, "=name:str %* @regions {} :F")
FORMAT(concatenate, "%*, dim = =dimension:i64 {} :F")
OWN(constant, syntax_parse_constant, syntax_print_constant)
FORMAT(convolution, "( %* ) dim_numbers = @conv , window = { @window } {} :F")
FORMAT(custom_call, "@target ( %* ) {} :F")
FORMAT(dot, "% , % @precision {} :F")
FORMAT(dot_general, "% , % , @dot @precision {} :F")
FORMAT(dynamic_broadcast_in_dim, "% , % , dims = =broadcast_dimensions:i64s {} :F")
FORMAT(dynamic_iota, "% , dim = =iota_dimension:i64 {} :F")
FORMAT(dynamic_slice, "% , %*, sizes = =slice_sizes:i64s {} :F")
FORMAT(effect, "% {} :O")
FORMAT(einsum, "% , % , config = =einsum_config:str {} :F")
FORMAT(expect_serialized_eq, "% , probe_id = =probe_id:str ?iteration , iter = =iteration:i64 ? {} :O")
FORMAT(fft, "% , type = =fft_type:#fft_type , length = =fft_length:i64s {} :F")
FORMAT(functional, "% {} :F")
FORMAT(get_dimension_size, "% , dim = =dimension:i64 {} :F")
FORMAT(get_tuple_element, "% [ =index:i32 ] {} :F")
FORMAT(iota, "dim = =iota_dimension:i64 {} :R")
FORMAT(leaf, "{} :R")
OWN(manual_computation, syntax_parse_manual, syntax_print_manual)
OWN(named_computation, syntax_parse_named, syntax_print_named)
FORMAT(operands, "%* {} :F")
FORMAT(optimization_barrier, "{} @barrier")
FORMAT(pad, "% , % , low = =edge_padding_low:i64s , high = =edge_padding_high:i64s , interior = =interior_padding:i64s {} :F")
FORMAT(probe, "% , probe_id = =probe_id:str {} :S")
OWN(reduce, syntax_parse_reduce, syntax_print_reduce)
FORMAT(reduce_precision, "% , format = @format {} :S")
OWN(return, mlir_parser_terminator, mlir_printer_terminator)
FORMAT(reverse, "% , dims = =dimensions:i64s {} :S")
FORMAT(rng, "% , % , % , distribution = =rng_distribution:#rng_distribution {} :F")
FORMAT(rng_bit_generator, "% , algorithm = =rng_algorithm:#rng_algorithm {} :F")
OWN(scan, syntax_parse_scan, syntax_print_scan)
FORMAT(sdy_all_gather, "=gathering_axes:[sdy.list_of_axis_ref_lists] % out_sharding= =out_sharding:<sdy.sharding> {} :S")
FORMAT(sdy_all_reduce, "?reduction_op =reduction_op:!sum|max|min ? =reduction_axes:{sdy.axis_ref_list} % out_sharding= =out_sharding:<sdy.sharding> {} :S")
FORMAT(sdy_all_slice, "=slicing_axes:[sdy.list_of_axis_ref_lists] % out_sharding= =out_sharding:<sdy.sharding> {} :S")
FORMAT(sdy_all_to_all, "=params:[sdy.all_to_all_param_list] % out_sharding= =out_sharding:<sdy.sharding> {} :S")
FORMAT(sdy_collective_permute, "% out_sharding= =out_sharding:<sdy.sharding> {} :S")
FORMAT(sdy_data_flow_edge, "% ?sharding sharding= =sharding:<sdy.sharding> ? {} :S")
FORMAT(sdy_mesh, "=sym_name:@ = =mesh:<sdy.mesh> {} :0")
FORMAT(sdy_propagation_barrier, "% allowed_direction= =allowed_direction:!NONE|FORWARD|BACKWARD|BOTH {} :S")
FORMAT(sdy_reduce_scatter, "?reduction_op =reduction_op:!sum|max|min ? =reduce_scatter_axes:[sdy.list_of_axis_ref_lists] % out_sharding= =out_sharding:<sdy.sharding> {} :S")
FORMAT(sdy_replicated_to_unreduced, "=axes:{sdy.axis_ref_list} % out_sharding= =out_sharding:<sdy.sharding> {} :S")
FORMAT(sdy_sharded_to_unreduced, "=axes:[sdy.list_of_axis_ref_lists] % out_sharding= =out_sharding:<sdy.sharding> {} :S")
FORMAT(sdy_sharding, "% =sharding:<sdy.sharding> {} :S")
FORMAT(sdy_sharding_group, "% group_id= =group_id:i64 {} :O")
FORMAT(select, "%* {} :Select")
FORMAT(set_dimension_size, "% , % , dim = =dimension:i64 {} :F")
FORMAT(slice, "% @slice {} :F")
FORMAT(ternary, "% , % , % {} :S")
FORMAT(top_k, "( % , k = =k:i64 ?is_stable , is_stable = =is_stable:bool ? ) {} :A")
FORMAT(transpose, "% , dims = =permutation:i64s {} :F")
FORMAT(tuple, "%* {} :T")
FORMAT(unary, "% {} :S")
FORMAT(unary_einsum, "% , config = =einsum_config:str {} :F")
OWN(while, syntax_parse_while, syntax_print_while)
// clang-format on

// Operations that have only the generic form.
static const syntax_row_t syntax_none = {{NULL, NULL}, NULL};

static const syntax_row_t *const rows[KIND_COUNT] = {
    [CHIP_OP_INVALID] = &syntax_none,
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = &syntax_##syntax,
#include "server/program/operations.def"
#undef OPERATION
#define KIND(id, name, syntax) [KIND_##id] = &syntax_##syntax,
#include "server/compiler/dialect/kinds.def"
};

const mlir_syntax_t *compiler_syntax_lookup(const char *name) {
  // MHLO writes its operations as StableHLO does.
  char stablehlo_name[64];
  if (strncmp(name, "mhlo.", 5) == 0 && strlen(name) < 48) {
    memcpy(stablehlo_name, "stablehlo.", 10);
    memcpy(stablehlo_name + 10, name + 5, strlen(name + 5) + 1);
    name = stablehlo_name;
  }
  const syntax_row_t *row = rows[compiler_kind_find(name)];
  return row->syntax.parse == NULL ? NULL : &row->syntax;
}

pod_status_t compiler_parse(const char *file_name, const char *text, int64_t length,
                            mlir_module_t **out_module) {
  const void *bytecode = text;
  if (mlir_is_jax_export(text, length)) {
    POD_TRY(mlir_jax_export_module(file_name, text, length, 0, &bytecode, &length));
  }
  if (mlir_is_bytecode(bytecode, length)) {
    return mlir_read_bytecode(file_name, bytecode, length, &compiler_bytecode_dialects,
                              compiler_kind_find, out_module);
  }
  return mlir_parse_kinds(file_name, text, length, compiler_syntax_lookup,
                          compiler_kind_find, out_module);
}
