// Shardy's attributes, by the codes of shardy/dialect/sdy/ir/bytecode.td of
// https://github.com/openxla/shardy.
//
// Attributes refer to those they consist of. Each is kept as its text without brackets,
// of which the text of the one around it is made; what stands in a program by itself is
// read by the parser as MLIR prints it.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/printer.h"
#include "server/compiler/dialect/bytecode_parts.h"

// The text of an attribute of ours that is referred to here.
static pod_status_t add_part(mlir_bytecode_t *reader, pod_text_t *text) {
  const mlir_attr_t *attr;
  POD_TRY(mlir_bytecode_attr(reader, &attr));
  if (attr->kind != MLIR_ATTR_DIALECT || strncmp(attr->text, "sdy.", 4) != 0) {
    return mlir_bytecode_error(reader, "expected an attribute of Shardy");
  }
  POD_TRY(mlir_bytecode_charge(reader, attr->length));
  pod_text_add_bytes(text, attr->body == NULL ? "" : attr->body, (size_t)attr->length);
  return NULL;
}

// A list of them between `open` and `close`; each between brackets of its own, if any.
static pod_status_t add_parts(mlir_bytecode_t *reader, pod_text_t *text, const char *open,
                              const char *each, const char *close) {
  int64_t count;
  POD_TRY(mlir_bytecode_count(reader, &count));
  pod_text_add(text, open);
  for (int64_t i = 0; i < count; i++) {
    pod_text_add(text, i > 0 ? ", " : "");
    pod_text_add_bytes(text, each, strlen(each) / 2);
    POD_TRY(add_part(reader, text));
    pod_text_add(text, each + strlen(each) / 2);
  }
  pod_text_add(text, close);
  return NULL;
}

// A list that is only written when it has something.
static pod_status_t add_axes(mlir_bytecode_t *reader, pod_text_t *text,
                             const char *open) {
  pod_text_t axes = {0};
  const pod_status_t status = add_parts(reader, &axes, "", "", "");
  if (status == NULL && axes.length > 0) {
    pod_text_printf(text, "%s{%s}", open, axes.bytes);
  }
  pod_text_deinit(&axes);
  return status;
}

// A string in quotes.
static pod_status_t add_string(mlir_bytecode_t *reader, pod_text_t *text) {
  const mlir_attr_t *attr;
  POD_TRY(mlir_bytecode_string_attr(reader, &attr));
  POD_TRY(mlir_bytecode_charge(reader, attr->length));
  mlir_attr_print(text, attr, 0);
  return NULL;
}

static pod_status_t add_i64(mlir_bytecode_t *reader, pod_text_t *text,
                            const char *before) {
  int64_t value;
  POD_TRY(mlir_bytecode_svarint(reader, &value));
  pod_text_add(text, before);
  pod_text_add_int(text, value);
  return NULL;
}

// --- Meshes and axes ---

static pod_status_t add_manual_axes(mlir_bytecode_t *reader, pod_text_t *text) {
  int64_t count;
  POD_TRY(mlir_bytecode_count(reader, &count));
  pod_text_add(text, "{");
  for (int64_t i = 0; i < count; i++) {
    const mlir_attr_t *axis;
    POD_TRY(mlir_bytecode_attr(reader, &axis));
    if (axis->kind != MLIR_ATTR_STRING) {
      return mlir_bytecode_error(reader, "expected the name of an axis");
    }
    POD_TRY(mlir_bytecode_charge(reader, axis->length));
    pod_text_add(text, i > 0 ? ", " : "");
    mlir_attr_print(text, axis, 0);
  }
  pod_text_add(text, "}");
  return NULL;
}

static pod_status_t add_mesh_axis(mlir_bytecode_t *reader, pod_text_t *text) {
  POD_TRY(add_string(reader, text));
  return add_i64(reader, text, "=");
}

static pod_status_t add_mesh(mlir_bytecode_t *reader, pod_text_t *text) {
  int64_t count, *ids;
  POD_TRY(add_parts(reader, text, "[", "", "]"));
  POD_TRY(mlir_bytecode_svarints(reader, &count, &ids));
  if (count > 0) {
    pod_text_add(text, ", device_ids=");
    bytecode_add_dims(text, count, ids);
  }
  return NULL;
}

static pod_status_t add_sub_axis(mlir_bytecode_t *reader, pod_text_t *text) {
  POD_TRY(add_i64(reader, text, "("));
  return add_i64(reader, text, ")");
}

static pod_status_t add_axis_ref(mlir_bytecode_t *reader, pod_text_t *text) {
  const mlir_attr_t *part;
  POD_TRY(add_string(reader, text));
  POD_TRY(mlir_bytecode_optional_attr(reader, &part));
  if (mlir_attr_is(part, MLIR_ATTR_DIALECT) && part->body != NULL) {
    POD_TRY(mlir_bytecode_charge(reader, part->length));
    pod_text_printf(text, ":%s", part->body);
  }
  return NULL;
}

static pod_status_t add_axis_list(mlir_bytecode_t *reader, pod_text_t *text) {
  return add_parts(reader, text, "{", "", "}");
}

static pod_status_t add_list_of_lists(mlir_bytecode_t *reader, pod_text_t *text) {
  return add_parts(reader, text, "[", "", "]");
}

static pod_status_t add_all_to_all_param(mlir_bytecode_t *reader, pod_text_t *text) {
  POD_TRY(add_parts(reader, text, "{", "", "}"));
  POD_TRY(add_i64(reader, text, ": "));
  return add_i64(reader, text, "->");
}

// --- Shardings ---

// {"x", ?}p1
static pod_status_t add_dim_sharding(mlir_bytecode_t *reader, pod_text_t *text) {
  uint8_t is_closed;
  uint64_t priority;
  POD_TRY(add_parts(reader, text, "{", "", ""));
  POD_TRY(mlir_bytecode_byte(reader, &is_closed));
  POD_TRY(mlir_bytecode_varint(reader, &priority));
  if (!is_closed) {
    pod_text_add(text, text->length > 1 ? ", ?" : "?");
  }
  pod_text_add(text, "}");
  if (priority & 1) {
    pod_text_printf(text, "p%llu", (unsigned long long)(priority >> 1));
  }
  return NULL;
}

// The mesh by its name or in full, the dimensions, the replicated axes.
static pod_status_t add_sharding(mlir_bytecode_t *reader, pod_text_t *text) {
  const mlir_attr_t *mesh;
  POD_TRY(mlir_bytecode_attr(reader, &mesh));
  if (mesh->kind == MLIR_ATTR_SYMBOL) {
    mlir_attr_print(text, mesh, 0);
  } else if (mesh->kind == MLIR_ATTR_DIALECT && mesh->body != NULL) {
    POD_TRY(mlir_bytecode_charge(reader, mesh->length));
    pod_text_printf(text, "mesh<%s>", mesh->body);
  } else {
    return mlir_bytecode_error(reader, "expected a mesh or its name");
  }
  POD_TRY(add_parts(reader, text, ", [", "", "]"));
  return add_axes(reader, text, ", replicated=");
}

static pod_status_t add_unreduced_sharding(mlir_bytecode_t *reader, pod_text_t *text) {
  POD_TRY(add_sharding(reader, text));
  return add_axes(reader, text, ", unreduced=");
}

// The reduction stands behind the axes, and is written before them.
static pod_status_t add_reduced_sharding(mlir_bytecode_t *reader, pod_text_t *text) {
  static const char *const reductions[] = {"", "max", "min"};
  pod_text_t axes = {0};
  int64_t reduction = 0;
  POD_TRY(add_sharding(reader, text));
  pod_status_t status = add_parts(reader, &axes, "", "", "");
  status = status == NULL ? mlir_bytecode_svarint(reader, &reduction) : status;
  if (status == NULL &&
      (reduction < 0 || reduction >= (int64_t)POD_COUNT_OF(reductions))) {
    status =
        mlir_bytecode_error(reader, "reduction %lld is unknown", (long long)reduction);
  }
  if (status == NULL) {
    pod_text_printf(text, ", unreduced=%s{%s}", reductions[reduction], axes.bytes);
  }
  pod_text_deinit(&axes);
  return status;
}

static pod_status_t add_per_value(mlir_bytecode_t *reader, pod_text_t *text) {
  return add_parts(reader, text, "[", "<>", "]");
}

// --- Rules ---

// Factors are called i, j, …, z, z_1, z_2, …
static void add_factor(pod_text_t *text, int64_t factor) {
  enum { LETTERS = 'z' - 'i' + 1 };
  if (factor >= 0 && factor < LETTERS) {
    pod_text_add_bytes(text, &"ijklmnopqrstuvwxyz"[factor], 1);
  } else {
    pod_text_add(text, "z_");
    pod_text_add_int(text, (int64_t)((uint64_t)factor - LETTERS + 1));
  }
}

static pod_status_t add_dim_mapping(mlir_bytecode_t *reader, pod_text_t *text) {
  int64_t count, *factors;
  POD_TRY(mlir_bytecode_svarints(reader, &count, &factors));
  for (int64_t i = 0; i < count; i++) {
    add_factor(text, factors[i]);
  }
  return NULL;
}

static pod_status_t add_tensor_mapping(mlir_bytecode_t *reader, pod_text_t *text) {
  return add_parts(reader, text, "[", "", "]");
}

static pod_status_t add_factors(mlir_bytecode_t *reader, pod_text_t *text,
                                const char *name) {
  int64_t count, *factors;
  POD_TRY(mlir_bytecode_svarints(reader, &count, &factors));
  for (int64_t i = 0; i < count; i++) {
    pod_text_printf(text, i == 0 ? " %s={" : ", ", name);
    add_factor(text, factors[i]);
  }
  pod_text_add(text, count > 0 ? "}" : "");
  return NULL;
}

// ([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}, custom
static pod_status_t add_rule(mlir_bytecode_t *reader, pod_text_t *text) {
  static const char *const kinds[] = {"reduction", "need_replication", "permutation",
                                      "blocked_propagation"};
  int64_t count, *sizes;
  uint8_t is_custom;
  POD_TRY(mlir_bytecode_svarints(reader, &count, &sizes));
  POD_TRY(add_parts(reader, text, "(", "", ")->"));
  POD_TRY(add_parts(reader, text, "(", "", ")"));
  for (int64_t i = 0; i < count; i++) {
    pod_text_add(text, i == 0 ? " {" : ", ");
    add_factor(text, i);
    pod_text_printf(text, "=%lld", (long long)sizes[i]);
  }
  pod_text_add(text, count > 0 ? "}" : "");
  for (size_t i = 0; i < POD_COUNT_OF(kinds); i++) {
    POD_TRY(add_factors(reader, text, kinds[i]));
  }
  POD_TRY(mlir_bytecode_byte(reader, &is_custom));
  pod_text_add(text, is_custom ? ", custom" : "");
  return NULL;
}

// --- All of them ---

static const struct {
  const char *name;
  pod_status_t (*add)(mlir_bytecode_t *reader, pod_text_t *text);
  // How it is written by itself: before and behind its text; NULL: it never is.
  const char *before, *behind;
} rows[] = {
    {"sdy.manual_axes", add_manual_axes, "#sdy<manual_axes", ">"},
    {"sdy.mesh_axis", add_mesh_axis, NULL, NULL},
    {"sdy.mesh", add_mesh, "#sdy.mesh<", ">"},
    {"sdy.sub_axis_info", add_sub_axis, NULL, NULL},
    {"sdy.axis_ref", add_axis_ref, NULL, NULL},
    {"sdy.dimension_sharding", add_dim_sharding, NULL, NULL},
    {"sdy.sharding", add_sharding, "#sdy.sharding<", ">"},
    {"sdy.sharding_per_value", add_per_value, "#sdy.sharding_per_value<", ">"},
    {"sdy.dim_mapping", add_dim_mapping, NULL, NULL},
    {"sdy.tensor_mapping", add_tensor_mapping, NULL, NULL},
    {"sdy.op_sharding_rule", add_rule, "#sdy.op_sharding_rule<", ">"},
    {"sdy.axis_ref_list", add_axis_list, "#sdy<axis_ref_list", ">"},
    {"sdy.list_of_axis_ref_lists", add_list_of_lists, "#sdy<list_of_axis_ref_lists", ">"},
    {"sdy.all_to_all_param", add_all_to_all_param, NULL, NULL},
    {"sdy.all_to_all_param_list", add_list_of_lists, "#sdy<all_to_all_param_list", ">"},
    {"sdy.sharding", add_unreduced_sharding, "#sdy.sharding<", ">"},
    {"sdy.sharding_per_value", add_per_value, "#sdy.sharding_per_value<", ">"},
    {"sdy.sharding", add_reduced_sharding, "#sdy.sharding<", ">"},
};

static pod_status_t read_as_text(mlir_bytecode_t *reader, const char *before,
                                 const char *behind, const char *text,
                                 const mlir_attr_t **out_attr) {
  pod_text_t whole = {0};
  pod_text_add(&whole, before);
  pod_text_add(&whole, text);
  pod_text_add(&whole, behind);
  const pod_status_t status = mlir_bytecode_parse_attr(reader, whole.bytes, out_attr);
  pod_text_deinit(&whole);
  return status;
}

static pod_status_t read_attr(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  uint64_t code;
  POD_TRY(mlir_bytecode_varint(reader, &code));
  if (code >= POD_COUNT_OF(rows)) {
    return mlir_bytecode_error(reader, "sdy attribute %llu is not known here",
                               (unsigned long long)code);
  }
  pod_text_t text = {0};
  pod_text_add(&text, "");
  pod_status_t status = rows[code].add(reader, &text);
  if (status == NULL && rows[code].before != NULL) {
    status =
        read_as_text(reader, rows[code].before, rows[code].behind, text.bytes, out_attr);
  } else if (status == NULL) {
    *out_attr =
        mlir_attr_dialect(mlir_bytecode_module(reader), rows[code].name, text.bytes);
  }
  pod_text_deinit(&text);
  return status;
}

const mlir_bytecode_dialect_t bytecode_sdy = {"sdy", read_attr, NULL};
