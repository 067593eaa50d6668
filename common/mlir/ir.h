// MLIR in memory: operations with operands, results, attributes and regions. The parser
// makes it, the compiler's passes read and rewrite it, the printer writes it. Nothing
// here knows what an operation means.
//
// Ownership: everything lives in the arena of its mlir_module_t and dies with it. Types,
// attributes and strings are immutable once made and may be shared between operations;
// operations, blocks and regions belong to one parent.
// Threading: a module is used by one thread at a time.
// Names: operation, attribute and dialect names are interned per module: mlir_intern
// gives the same pointer for the same text, so names compare by pointer.

#ifndef COMMON_MLIR_IR_H_
#define COMMON_MLIR_IR_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/map.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/tensor/shape.h"

typedef struct mlir_module_t mlir_module_t;
typedef struct mlir_type_t mlir_type_t;
typedef struct mlir_attr_t mlir_attr_t;
typedef struct mlir_value_t mlir_value_t;
typedef struct mlir_op_t mlir_op_t;
typedef struct mlir_block_t mlir_block_t;
typedef struct mlir_region_t mlir_region_t;

// A byte offset into the module's source text, plus 1; 0 is "nowhere" (made by a pass).
// Of a module without text: the number of a location, plus 1 (mlir_module_t.places). Line
// and column are worked out only when a diagnostic needs them.
typedef uint32_t mlir_position_t;

// --- Types ---

typedef enum mlir_type_kind_t {
  // tensor<8x2048xbf16>, with static or dynamic sizes; scalars have rank 0.
  MLIR_TYPE_TENSOR = 0,
  MLIR_TYPE_SCALAR,  // i32, bf16, complex<f32> … as attributes use them: shape.dtype.
  MLIR_TYPE_INDEX,
  MLIR_TYPE_NONE,
  MLIR_TYPE_TOKEN,     // !stablehlo.token
  MLIR_TYPE_TUPLE,     // tuple<…>: inputs.
  MLIR_TYPE_FUNCTION,  // (inputs) -> (results)
  MLIR_TYPE_OPAQUE,    // Any other: `text`, e.g. !quant.uniform<…> or tensor<*xf32>.
} mlir_type_kind_t;

struct mlir_type_t {
  mlir_type_kind_t kind;
  tensor_shape_t shape;         // TENSOR and SCALAR.
  const mlir_attr_t *encoding;  // TENSOR: tensor<4xf32, #attr>; or NULL.
  int input_count, result_count;
  const mlir_type_t **inputs, **results;
  const char *text;  // OPAQUE: the source text.
  // Private to common/mlir: how deep it nests and how many nodes it has when written out.
  int32_t height;
  int64_t weight;
};

// --- Attributes ---

typedef enum mlir_attr_kind_t {
  MLIR_ATTR_UNIT = 0,
  MLIR_ATTR_BOOL,         // integer: 0 or 1.
  MLIR_ATTR_INTEGER,      // integer, type.
  MLIR_ATTR_FLOAT,        // real, type.
  MLIR_ATTR_STRING,       // text (unescaped, may hold NUL), length.
  MLIR_ATTR_SYMBOL,       // @a::@b: text is "a", elements the nested ones.
  MLIR_ATTR_TYPE,         // type.
  MLIR_ATTR_ARRAY,        // elements, count.
  MLIR_ATTR_DICTIONARY,   // entries, count.
  MLIR_ATTR_DENSE,        // dense<…> : type. data; is_splat: data holds one element.
  MLIR_ATTR_DENSE_ARRAY,  // array<i64: 1, 2>: integers for integer and i1 elements, reals
                          // for floats.
  MLIR_ATTR_DIALECT,  // #dialect.name<body>: text is "dialect.name", body what is between
                      // < and >. Also MLIR's own that have no kind here (affine_map<…>,
                      // and dense<…> : type of elements that are no dtype): without dot.
  MLIR_ATTR_LOCATION,  // loc(…): see mlir_location_t.
} mlir_attr_kind_t;

typedef struct mlir_named_attr_t {
  const char *name;  // Interned.
  const mlir_attr_t *value;
} mlir_named_attr_t;

typedef enum mlir_location_kind_t {
  MLIR_LOCATION_UNKNOWN = 0,
  MLIR_LOCATION_FILE,      // "file":line:column
  MLIR_LOCATION_NAME,      // "name"(child)
  MLIR_LOCATION_CALLSITE,  // callsite(child at caller)
  MLIR_LOCATION_FUSED,     // fused<metadata>[…]: elements.
} mlir_location_kind_t;

struct mlir_attr_t {
  mlir_attr_kind_t kind;
  mlir_position_t position;
  const mlir_type_t *type;
  int64_t integer;  // A u64 keeps its bits.
  double real;
  const char *text;
  int64_t length;  // Of text, body or data, in bytes.
  int64_t count;   // Of elements, entries, integers, reals, or of elements in `data`.
  const mlir_attr_t **elements;
  const mlir_named_attr_t *entries;
  const int64_t *integers;
  const double *reals;
  const void *data;  // DENSE: host representation (dtype.h), row-major; 16-byte aligned.
  bool is_splat;
  const char *body;  // DIALECT: a NUL-terminated copy; NULL when there are no <>.
  mlir_position_t body_position;  // DIALECT: where `body` starts in the source.
  // LOCATION: text is the file or name, integer line, length column.
  mlir_location_kind_t location_kind;
  union {
    struct {
      const mlir_attr_t *location_child, *location_caller;  // LOCATION
    };
    struct {
      // DIALECT: what its dialect has read in `body`, see mlir_attr_set_decoded; or NULL.
      const void *decoded;
      const pod_arena_t *arena;  // Private to common/mlir: where it lies.
    };
  };
  // Private to common/mlir: see mlir_type_t; `is_spaced`: #dialect<name body>.
  int32_t height;
  int64_t weight;
  bool is_spaced;
  bool is_pending;  // LOCATION: an alias that is defined further down.
};

// --- Operations ---

struct mlir_value_t {
  const mlir_type_t *type;
  mlir_op_t *op;        // The operation whose result it is, or NULL for a block argument.
  mlir_block_t *block;  // The block whose argument it is, or NULL.
  uint32_t index;       // Among the op's results or the block's arguments.
  uint32_t id;  // Dense in the module: [0, mlir_module_t.value_count). For side tables.
  // Source spelling without %, e.g. "arg0" or "4"; NULL if made by a pass.
  const char *name;
  const mlir_attr_t *location;  // Block arguments; or NULL.
  mlir_position_t position;     // Block arguments: where its name stands.
};

struct mlir_op_t {
  const char *name;  // Interned, e.g. "stablehlo.add".
  int kind;          // What the module's kind_of says of its name; 0 without one.
  uint32_t id;       // Dense in the module: [0, mlir_module_t.op_count).
  int operand_count, result_count, attr_count, region_count;
  int attr_capacity;  // Private to common/mlir.
  mlir_value_t **operands;
  mlir_value_t *results;     // An array of result_count.
  mlir_named_attr_t *attrs;  // In source order (inherent ones of a pretty form first).
  mlir_region_t *regions;
  mlir_block_t *block;  // The parent; NULL for the module's op.
  mlir_op_t *previous, *next;
  mlir_position_t position;
  const mlir_attr_t *location;  // A LOCATION attribute, aliases resolved; or NULL.
};

struct mlir_block_t {
  mlir_region_t *region;
  int argument_count;
  int argument_capacity;  // Private to common/mlir.
  mlir_value_t **arguments;
  mlir_op_t *first, *last;
  mlir_block_t *next;
  const char *label;  // Source spelling without ^; NULL if it had none.
};

struct mlir_region_t {
  mlir_op_t *op;        // The parent.
  mlir_block_t *first;  // NULL for an empty region.
  mlir_block_t *last;
};

enum { MLIR_RECENT_NAMES = 64 };  // A power of two.

struct mlir_module_t {
  pod_arena_t *arena;
  const char *file_name;  // For diagnostics.
  const char *source;  // The text parsed, owned copy or borrowed; NULL if made by a pass.
  int64_t source_length;
  // Read from bytecode: where the program says its operations come from; an entry may be
  // NULL. Otherwise NULL.
  const mlir_attr_t **places;
  int64_t place_count;
  // Whoever goes through operations may say where it is: errors without a position, as at
  // attributes that many operations share, are told there. 0: nowhere.
  mlir_position_t place_in_hand;
  // Where the lines of the source begin, once mlir_index_lines has been called.
  const uint32_t *line_starts;
  int64_t line_count;
  mlir_op_t *op;  // builtin.module
  uint32_t value_count, op_count;
  pod_map_t *interned;
  int (*kind_of)(const char *name);  // See mlir_module_set_kinds; or NULL.
  // Private to common/mlir.
  bool is_beside;  // Arena, names and types are another module's.
  pod_map_t *symbols, *tensor_types, *known_attrs;
  bool has_token_types;                         // One has been made.
  const char *recent_names[MLIR_RECENT_NAMES];  // By the address they were asked for by.
  const mlir_type_t *scalar_types[TENSOR_DTYPE_COUNT];
};

// --- Making ---

// An empty module with one block. Returns owned.
mlir_module_t *mlir_module_create(const char *file_name);

// The same for what a pass makes of `source`, which must outlive it: names, types,
// attributes and the text are the source's; operations and values are its own. Only one
// thread may use the two.
mlir_module_t *mlir_module_create_beside(mlir_module_t *source);

// Accepts NULL.
void mlir_module_destroy(mlir_module_t *module);

// From now on operations have the kind that `kind_of` says of their name: those that
// there are, and those to be made. It is asked once for a name.
void mlir_module_set_kinds(mlir_module_t *module, int (*kind_of)(const char *name));

const char *mlir_intern(mlir_module_t *module, const char *text);
const char *mlir_intern_n(mlir_module_t *module, const char *text, size_t length);

// False: no operation and no attribute of the module has that name. A pass asks this
// before it walks the whole module for what most modules do not have.
bool mlir_may_have(const mlir_module_t *module, const char *name);

const mlir_type_t *mlir_type_tensor(mlir_module_t *module, const tensor_shape_t *shape);
const mlir_type_t *mlir_type_function(mlir_module_t *module, int input_count,
                                      const mlir_type_t *const *inputs, int result_count,
                                      const mlir_type_t *const *results);
const mlir_type_t *mlir_type_scalar(mlir_module_t *module, tensor_dtype_t dtype);
// Whether a value of the module may be a token.
static inline bool mlir_may_have_tokens(const mlir_module_t *module) {
  return module->has_token_types;
}
// INDEX, NONE or TOKEN.
const mlir_type_t *mlir_type_simple(mlir_module_t *module, mlir_type_kind_t kind);
const mlir_type_t *mlir_type_tuple(mlir_module_t *module, int count,
                                   const mlir_type_t *const *types);
bool mlir_type_equal(const mlir_type_t *a, const mlir_type_t *b);
// "tensor<8x2048xbf16>", "(tensor<f32>) -> tensor<f32>".
void mlir_type_print(pod_text_t *text, const mlir_type_t *type);

const mlir_attr_t *mlir_attr_unit(mlir_module_t *module);
const mlir_attr_t *mlir_attr_bool(mlir_module_t *module, bool value);
// `bits`-wide signless integer, e.g. 64.
const mlir_attr_t *mlir_attr_integer(mlir_module_t *module, int64_t value,
                                     tensor_dtype_t dtype);
const mlir_attr_t *mlir_attr_float(mlir_module_t *module, double value,
                                   tensor_dtype_t dtype);
const mlir_attr_t *mlir_attr_string(mlir_module_t *module, const char *text);
const mlir_attr_t *mlir_attr_type(mlir_module_t *module, const mlir_type_t *type);
const mlir_attr_t *mlir_attr_symbol(mlir_module_t *module, const char *text);
const mlir_attr_t *mlir_attr_i64_array(mlir_module_t *module, int64_t count,
                                       const int64_t *values);  // array<i64: …>
// Elements of any integer type: array<i32: …>.
const mlir_attr_t *mlir_attr_integer_array(mlir_module_t *module, tensor_dtype_t dtype,
                                           int64_t count, const int64_t *values);
const mlir_attr_t *mlir_attr_bool_array(mlir_module_t *module, int64_t count,
                                        const bool *values);  // array<i1: …>
// dense<…>: `data` is copied; one element when `is_splat`. Becomes a splat when all
// elements are alike.
const mlir_attr_t *mlir_attr_dense(mlir_module_t *module, const tensor_shape_t *shape,
                                   const void *data, bool is_splat);
const mlir_attr_t *mlir_attr_dialect(mlir_module_t *module, const char *name,
                                     const char *body);  // body NULL: no <>
// What was remembered last under a key, or NULL: for attributes that many operations have
// alike. The key starts with what kind of attribute it means.
const mlir_attr_t *mlir_attr_known(const mlir_module_t *module, const void *key,
                                   size_t key_bytes);
void mlir_attr_remember(mlir_module_t *module, const void *key, size_t key_bytes,
                        const mlir_attr_t *attr);
// Keeps a copy of what a DIALECT attribute's body says with it, of a type that follows
// from the attribute's name, when the attribute is the module's or made beside it; an
// attribute of another module is left alone. It says the same before and after.
void mlir_attr_set_decoded(mlir_module_t *module, const mlir_attr_t *attr,
                           const void *decoded, size_t size_bytes);
const mlir_attr_t *mlir_attr_dictionary(mlir_module_t *module, int64_t count,
                                        const mlir_named_attr_t *entries);
const mlir_attr_t *mlir_attr_array(mlir_module_t *module, int64_t count,
                                   const mlir_attr_t *const *elements);

// The same meaning: dictionaries in any order of their entries, bodies of DIALECT but for
// white space, locations and positions not looked at. dense<[1, 1]> equals dense<1>: the
// parser makes both a splat.
bool mlir_attr_equal(const mlir_attr_t *a, const mlir_attr_t *b);

// The entry of a DICTIONARY, or NULL. `name` need not be interned.
const mlir_attr_t *mlir_attr_get(const mlir_attr_t *dictionary, const char *name);

// The same of the DICTIONARY at `index` of an ARRAY, as arg_attrs and res_attrs are one;
// NULL, too, where there is none.
const mlir_attr_t *mlir_attr_get_at(const mlir_attr_t *list, int64_t index,
                                    const char *name);

// An operation not yet in a block, with room for `region_count` empty regions. Operands
// and result types are copied; attributes start empty.
mlir_op_t *mlir_op_create(mlir_module_t *module, const char *name, int operand_count,
                          mlir_value_t *const *operands, int result_count,
                          const mlir_type_t *const *result_types, int region_count);

// Makes it another operation: name and kind.
void mlir_op_rename(mlir_module_t *module, mlir_op_t *op, const char *name);

// Gives an operation its results (once, before any of them is used).
void mlir_op_set_result_types(mlir_module_t *module, mlir_op_t *op, int count,
                              const mlir_type_t *const *types);

// Appends without looking whether the name is there. `name` is interned.
void mlir_op_add_attr(mlir_module_t *module, mlir_op_t *op, const char *name,
                      const mlir_attr_t *value);

// Replaces an attribute of that name, or appends it.
void mlir_op_set_attr(mlir_module_t *module, mlir_op_t *op, const char *name,
                      const mlir_attr_t *value);
void mlir_op_remove_attr(mlir_op_t *op, const char *name);

// NULL when absent. `name` need not be interned.
const mlir_attr_t *mlir_op_attr(const mlir_op_t *op, const char *name);

// A new block at the end of a region.
mlir_block_t *mlir_block_create(mlir_module_t *module, mlir_region_t *region);
mlir_value_t *mlir_block_add_argument(mlir_module_t *module, mlir_block_t *block,
                                      const mlir_type_t *type);

void mlir_block_append(mlir_block_t *block, mlir_op_t *op);
void mlir_block_insert_before(mlir_op_t *where, mlir_op_t *op);
// Takes it out of its block; it stays usable.
void mlir_op_unlink(mlir_op_t *op);

// Deep copy of `op` (regions too; types and attributes when `module` is neither the op's
// nor made beside it, and may outlive it), not yet in a block. `value_map[old value id]`
// gives the new value of an operand; an entry of NULL keeps the old one. The copy's
// results and block arguments are entered. `value_map` has source value_count entries.
// Positions do not go where types and attributes are copied.
mlir_op_t *mlir_op_clone(mlir_module_t *module, const mlir_op_t *op,
                         mlir_value_t **value_map);

// The op of the module's symbol table with sym_name `name`, or NULL.
mlir_op_t *mlir_module_find_symbol(const mlir_module_t *module, const char *name);

static inline mlir_block_t *mlir_op_block(const mlir_op_t *op, int region) {
  return op->regions[region].first;
}

// A name: `stablehlo.add` is "stablehlo.add".
static inline bool mlir_attr_is(const mlir_attr_t *attr, mlir_attr_kind_t kind) {
  return attr != NULL && attr->kind == kind;
}

// Reads i64 lists in any of the forms MLIR has for them: array<i64: …>, array<i1: …>,
// dense<…> : tensor<nxi64> (splat expanded), [1, 2] of integers. The values are in the
// module's arena. False when `attr` is NULL or something else.
bool mlir_attr_as_i64s(mlir_module_t *module, const mlir_attr_t *attr, int64_t *out_count,
                       const int64_t **out_values);

#endif  // COMMON_MLIR_IR_H_
