// What the dialects' encodings share. Not for others.
//
// Attributes of dialects are made as the text that MLIR prints of them, as the parser
// keeps them.

#ifndef SERVER_COMPILER_DIALECT_BYTECODE_PARTS_H_
#define SERVER_COMPILER_DIALECT_BYTECODE_PARTS_H_

#include "common/base/text.h"
#include "common/mlir/bytecode.h"
#include "common/mlir/printer.h"

// --- bytecode_parts.c ---

// "name = " behind a comma, unless it is the first; "[1, 2]"; both, unless there are
// none.
void bytecode_add_name(pod_text_t *text, const char *name);
void bytecode_add_dims(pod_text_t *text, int64_t count, const int64_t *dims);
void bytecode_add_dims_field(pod_text_t *text, const char *name, int64_t count,
                             const int64_t *dims);
// "name = attribute" alike, where the attribute stands next in the file.
POD_MUST_USE pod_status_t bytecode_add_attr(mlir_bytecode_t *reader, pod_text_t *text,
                                            const char *name);
// #name<text>; takes the text.
const mlir_attr_t *bytecode_take_attr(mlir_bytecode_t *reader, const char *name,
                                      pod_text_t *text);

// The place of an enumerator in `words`, which blanks part; `name` is the dialect's and
// the enumeration's: #stablehlo<precision HIGH>.
POD_MUST_USE pod_status_t bytecode_enum(mlir_bytecode_t *reader, const char *name,
                                        const char *words, const mlir_attr_t **out_attr);

// A structure whose fields follow each other. `fields` are parted by blanks, each with
// how it is encoded and written: `name=i` an integer, `z` one that is not written when it
// is 0, `d` a list that is not written when it is empty, `D` one that always is, `t` a
// type, `b` a boolean.
POD_MUST_USE pod_status_t bytecode_struct(mlir_bytecode_t *reader, const char *name,
                                          const char *fields,
                                          const mlir_attr_t **out_attr);

// The words of enumerations, in the order of their numbers.
#define BYTECODE_ACCURACIES "DEFAULT HIGHEST TOLERANCE"
#define BYTECODE_ALGORITHMS "DEFAULT THREE_FRY PHILOX"
#define BYTECODE_COMPARISONS "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED"
#define BYTECODE_DIRECTIONS "EQ NE GE GT LE LT"
#define BYTECODE_DISTRIBUTIONS "- UNIFORM NORMAL"
#define BYTECODE_FFTS "FFT IFFT RFFT IRFFT"
#define BYTECODE_PRECISIONS "DEFAULT HIGH HIGHEST"
#define BYTECODE_TRANSPOSES "TRANSPOSE_INVALID NO_TRANSPOSE TRANSPOSE ADJOINT"

// An attribute by its code: by words, by fields, by a function that adds the text between
// < and >, or by one that reads it.
typedef struct bytecode_attr_row_t {
  const char *name;   // Of what has words, fields or an `add`.
  const char *words;  // An enumeration; `-` where there is none.
  const char *fields;
  pod_status_t (*add)(mlir_bytecode_t *reader, pod_text_t *text);
  pod_status_t (*read)(mlir_bytecode_t *reader, const mlir_attr_t **out_attr);
} bytecode_attr_row_t;
// The code first.
POD_MUST_USE pod_status_t bytecode_attr_of_rows(mlir_bytecode_t *reader,
                                                const char *dialect,
                                                const bytecode_attr_row_t *rows,
                                                size_t count,
                                                const mlir_attr_t **out_attr);

// "(2)4" of two numbers; !stablehlo.future of a list of types.
POD_MUST_USE pod_status_t bytecode_add_sub_axis(mlir_bytecode_t *reader,
                                                pod_text_t *text);
POD_MUST_USE pod_status_t bytecode_future(mlir_bytecode_t *reader,
                                          const mlir_type_t **out_type);

// #stablehlo.bounds, .result_accuracy (a mode by reference).
POD_MUST_USE pod_status_t bytecode_bounds(mlir_bytecode_t *reader,
                                          const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t bytecode_accuracy(mlir_bytecode_t *reader,
                                            const mlir_attr_t **out_attr);
bool bytecode_is_exact(const mlir_attr_t *accuracy);

// #stablehlo.conv of the places of batch, feature and spatial dimensions.
typedef struct bytecode_conv_t {
  struct {
    int64_t first, second;  // Batch and feature; of the kernel input and output feature.
    int64_t spatial_count;
    const int64_t *spatial;
  } input, kernel, output;
} bytecode_conv_t;
POD_MUST_USE pod_status_t bytecode_make_conv(mlir_bytecode_t *reader,
                                             const bytecode_conv_t *conv,
                                             const mlir_attr_t **out_attr);

// --- bytecode_sdy.c, bytecode_stablehlo.c ---

extern const mlir_bytecode_dialect_t bytecode_sdy, bytecode_stablehlo, bytecode_chlo;
// Of an operation of these dialects.
const mlir_bytecode_op_t *bytecode_op_of_today(const char *name);

// --- bytecode_vhlo.c, bytecode_vhlo_attrs.c ---

extern const mlir_bytecode_dialect_t bytecode_vhlo;
const mlir_bytecode_op_t *bytecode_vhlo_op(const char *name);
POD_MUST_USE pod_status_t bytecode_vhlo_attr(mlir_bytecode_t *reader,
                                             const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t bytecode_vhlo_type(mlir_bytecode_t *reader,
                                             const mlir_type_t **out_type);

#endif  // SERVER_COMPILER_DIALECT_BYTECODE_PARTS_H_
