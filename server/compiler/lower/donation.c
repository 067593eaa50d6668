// Marks that name a result first, donors after them: a donor must not take what another
// argument was promised. Donors by shape before donors by size, so that one of another
// shape takes only what nobody fits.

#include "server/compiler/lower/donation.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/tensor/tiles.h"
#include "server/compiler/placement/placement.h"
#include "server/program/program.h"

typedef struct reader_t {
  mlir_module_t *module;
  const mlir_op_t *main;
  const mlir_block_t *block;
  const mlir_attr_t *marks;  // arg_attrs, or NULL.
  donation_t *donation;
} reader_t;

static const mlir_attr_t *mark_of(const reader_t *reader, int32_t argument,
                                  const char *name) {
  const mlir_attr_t *marks = reader->marks;
  return mlir_attr_is(marks, MLIR_ATTR_ARRAY) && argument < marks->count &&
                 mlir_attr_is(marks->elements[argument], MLIR_ATTR_DICTIONARY)
             ? mlir_attr_get(marks->elements[argument], name)
             : NULL;
}

static const tensor_shape_t *argument_shape(const reader_t *reader, int32_t argument) {
  return &reader->block->arguments[argument]->type->shape;
}

static const tensor_shape_t *result_shape(const reader_t *reader, int32_t result) {
  return &reader->block->last->operands[result]->type->shape;
}

static bool is_host_argument(const reader_t *reader, int32_t argument) {
  return placement_is_marked(reader->main, "arg_attrs", argument);
}

static bool is_host_result(const reader_t *reader, int32_t result) {
  return placement_is_marked(reader->main, "res_attrs", result);
}

static void alias(const reader_t *reader, int32_t argument, int32_t result) {
  reader->donation->result_of[argument] = result;
  reader->donation->argument_of[result] = argument;
  reader->donation->alias_count++;
}

// Takes the text.
static void add_note(const reader_t *reader, int32_t argument, pod_text_t *why) {
  const char *name = reader->block->arguments[argument]->name;
  donation_t *donation = reader->donation;
  donation->notes[donation->note_count++] = pod_arena_printf(
      reader->module->arena, "the donation of argument %" PRId32 "%s%s%s is not used: %s",
      argument, name == NULL ? "" : " (", name == NULL ? "" : name,
      name == NULL ? "" : ")", why->bytes);
  pod_text_deinit(why);
}

// --- tf.aliasing_output ---

static void note_other_shape(const reader_t *reader, int32_t argument, int32_t result) {
  pod_text_t why = {0};
  pod_text_add(&why, "its part on a chip is ");
  tensor_shape_print(&why, argument_shape(reader, argument));
  pod_text_printf(&why, ", that of result %" PRId32 " is ", result);
  tensor_shape_print(&why, result_shape(reader, result));
  add_note(reader, argument, &why);
}

static void note_other_memory(const reader_t *reader, int32_t argument, int32_t result) {
  const bool is_host = is_host_argument(reader, argument);
  pod_text_t why = {0};
  pod_text_printf(&why, "it lies in %s memory, result %" PRId32 " in %s",
                  is_host ? "the host's" : "the device's", result,
                  is_host ? "the device's" : "the host's");
  add_note(reader, argument, &why);
}

// `from` says so, in messages.
static pod_status_t add_alias(const reader_t *reader, int32_t argument, int32_t result,
                              const char *from) {
  const int32_t other = reader->donation->argument_of[result];
  if (other == argument) {
    return NULL;  // Said twice.
  }
  if (other != CHIP_NONE) {
    return mlir_op_error(reader->module, reader->main, POD_INVALID_ARGUMENT,
                         "arguments %" PRId32 " and %" PRId32 " both have %s = %" PRId32
                         ": a result can have the memory of one",
                         other, argument, from, result);
  }
  if (reader->donation->result_of[argument] != CHIP_NONE) {
    return mlir_op_error(reader->module, reader->main, POD_INVALID_ARGUMENT,
                         "argument %" PRId32 " is to lie in the results %" PRId32
                         " and %" PRId32 ": it can have the memory of one",
                         argument, reader->donation->result_of[argument], result);
  }
  if (is_host_argument(reader, argument) != is_host_result(reader, result)) {
    note_other_memory(reader, argument, result);
  } else if (tensor_shape_equal(argument_shape(reader, argument),
                                result_shape(reader, result))) {
    alias(reader, argument, result);
  } else {
    note_other_shape(reader, argument, result);
  }
  return NULL;
}

static pod_status_t read_alias(const reader_t *reader, int32_t argument,
                               const mlir_attr_t *mark) {
  const int32_t result_count = reader->block->last->operand_count;
  if (!mlir_attr_is(mark, MLIR_ATTR_INTEGER) || mark->integer < 0 ||
      mark->integer >= result_count) {
    return mlir_op_error(reader->module, reader->main, POD_INVALID_ARGUMENT,
                         "tf.aliasing_output of argument %" PRId32
                         " must be the number of one of the %" PRId32 " results",
                         argument, result_count);
  }
  return add_alias(reader, argument, (int32_t)mark->integer, "tf.aliasing_output");
}

static pod_status_t read_aliases(const reader_t *reader) {
  for (int32_t i = 0; i < reader->block->argument_count; i++) {
    const mlir_attr_t *mark = mark_of(reader, i, "tf.aliasing_output");
    if (mark != NULL) {
      POD_TRY(read_alias(reader, i, mark));
    }
  }
  return NULL;
}

// --- mhlo.input_output_alias ---

static const mlir_attr_t *entry_of(const mlir_attr_t *dictionary, const char *name) {
  return mlir_attr_is(dictionary, MLIR_ATTR_DICTIONARY) ? mlir_attr_get(dictionary, name)
                                                        : NULL;
}

// The single number of a list, `otherwise` of an empty one; -1 of anything else.
static int64_t one_of(mlir_module_t *module, const mlir_attr_t *list, int64_t otherwise) {
  int64_t count;
  const int64_t *values;
  if (list == NULL || !mlir_attr_as_i64s(module, list, &count, &values) || count > 1) {
    return -1;
  }
  return count == 1 ? values[0] : otherwise;
}

// A module that was HLO: {alias = {kind, parameter_index, parameter_number},
// output_index}. Arguments are no tuples here, and results are one.
static pod_status_t read_entry(const reader_t *reader, const mlir_attr_t *entry) {
  enum { IS_EMPTY = -2 };
  const mlir_attr_t *from = entry_of(entry, "alias");
  const mlir_attr_t *number = entry_of(from, "parameter_number");
  const int64_t result = one_of(reader->module, entry_of(entry, "output_index"), 0);
  const int64_t inside =
      one_of(reader->module, entry_of(from, "parameter_index"), IS_EMPTY);
  if (!mlir_attr_is(number, MLIR_ATTR_INTEGER) || number->integer < 0 ||
      number->integer >= reader->block->argument_count || inside != IS_EMPTY ||
      result < 0 || result >= reader->block->last->operand_count) {
    return mlir_op_error(
        reader->module, reader->main, POD_INVALID_ARGUMENT,
        "an entry of the module's mhlo.input_output_alias names no argument "
        "(parameter_number, of %" PRId32 ") and result (output_index, of %" PRId32 ")",
        (int32_t)reader->block->argument_count,
        (int32_t)reader->block->last->operand_count);
  }
  return add_alias(reader, (int32_t)number->integer, (int32_t)result,
                   "mhlo.input_output_alias");
}

static pod_status_t read_entries(const reader_t *reader) {
  const mlir_attr_t *list = mlir_op_attr(reader->module->op, "mhlo.input_output_alias");
  for (int64_t i = 0; mlir_attr_is(list, MLIR_ATTR_ARRAY) && i < list->count; i++) {
    POD_TRY(read_entry(reader, list->elements[i]));
  }
  return NULL;
}

// --- jax.buffer_donor ---

static bool is_donor(const reader_t *reader, int32_t argument) {
  const mlir_attr_t *mark = mark_of(reader, argument, "jax.buffer_donor");
  return mlir_attr_is(mark, MLIR_ATTR_BOOL) && mark->integer != 0 &&
         mark_of(reader, argument, "tf.aliasing_output") == NULL &&
         reader->donation->result_of[argument] == CHIP_NONE;
}

// What has the same key may lie in the same memory.
typedef void (*key_fn_t)(pod_text_t *text, const tensor_shape_t *shape);

static void key_by_bytes(pod_text_t *text, const tensor_shape_t *shape) {
  const size_t bits = tensor_dtype_device_bits(shape->dtype);
  pod_text_printf(text, "%" PRId64 " %" PRId64 " %zu", tensor_shape_bytes(shape),
                  tensor_tiled_bytes(shape),
                  bits % 8 == 0 ? 8 : bits);  // chip_may_alias.
}

// The free results of each key in their order: the first by key, `next` after it.
typedef struct queues_t {
  key_fn_t key;
  pod_text_t text;
  pod_map_t *first;  // Number + 1.
  int32_t *next;     // By result, number + 1.
} queues_t;

static void set_key(queues_t *queues, const tensor_shape_t *shape, bool is_host) {
  pod_text_clear(&queues->text);
  pod_text_add(&queues->text, is_host ? "host " : "");
  queues->key(&queues->text, shape);
}

static void fill_queues(const reader_t *reader, queues_t *queues) {
  for (int32_t r = reader->block->last->operand_count - 1; r >= 0; r--) {
    if (reader->donation->argument_of[r] == CHIP_NONE) {
      set_key(queues, result_shape(reader, r), is_host_result(reader, r));
      const char *key = queues->text.bytes;
      queues->next[r] =
          (int32_t)(intptr_t)pod_map_get_n(queues->first, key, queues->text.length);
      pod_map_put_n(queues->first, key, queues->text.length, (void *)(intptr_t)(r + 1));
    }
  }
}

static void take_first(const reader_t *reader, queues_t *queues, int32_t argument) {
  set_key(queues, argument_shape(reader, argument), is_host_argument(reader, argument));
  const char *key = queues->text.bytes;
  const int32_t result =
      (int32_t)(intptr_t)pod_map_get_n(queues->first, key, queues->text.length) - 1;
  if (result == CHIP_NONE) {
    return;
  }
  alias(reader, argument, result);
  const int32_t next = queues->next[result];
  if (next == 0) {
    (void)pod_map_remove_n(queues->first, key, queues->text.length);
  } else {
    pod_map_put_n(queues->first, key, queues->text.length, (void *)(intptr_t)next);
  }
}

static void pair_donors(const reader_t *reader, key_fn_t key) {
  queues_t queues = {
      .key = key,
      .first = pod_map_create(),
      .next = pod_alloc((size_t)reader->block->last->operand_count * sizeof(int32_t))};
  bool is_filled = false;
  for (int32_t i = 0; i < reader->block->argument_count; i++) {
    if (is_donor(reader, i)) {
      if (!is_filled) {
        fill_queues(reader, &queues);
        is_filled = true;
      }
      take_first(reader, &queues, i);
    }
  }
  pod_text_deinit(&queues.text);
  pod_map_destroy(queues.first);
  free(queues.next);
}

static void note_donors(const reader_t *reader) {
  for (int32_t i = 0; i < reader->block->argument_count; i++) {
    if (is_donor(reader, i)) {
      pod_text_t why = {0};
      pod_text_add(&why, "no result is left that has the bytes of its part on a chip, ");
      tensor_shape_print(&why, argument_shape(reader, i));
      add_note(reader, i, &why);
    }
  }
}

pod_status_t donation_read(mlir_module_t *module, const mlir_op_t *main,
                           donation_t *out_donation) {
  const mlir_block_t *block = mlir_op_block(main, 0);
  const size_t arguments = (size_t)block->argument_count;
  const size_t results = (size_t)block->last->operand_count;
  *out_donation = (donation_t){
      .result_of = pod_arena_array(module->arena, arguments, sizeof(int32_t)),
      .argument_of = pod_arena_array(module->arena, results, sizeof(int32_t)),
      .notes = pod_arena_array(module->arena, arguments, sizeof(char *))};
  for (size_t i = 0; i < arguments; i++) {
    out_donation->result_of[i] = CHIP_NONE;
  }
  for (size_t i = 0; i < results; i++) {
    out_donation->argument_of[i] = CHIP_NONE;
  }
  const reader_t reader = {.module = module,
                           .main = main,
                           .block = block,
                           .marks = mlir_op_attr(main, "arg_attrs"),
                           .donation = out_donation};
  POD_TRY(read_aliases(&reader));
  POD_TRY(read_entries(&reader));
  pair_donors(&reader, tensor_shape_print);
  pair_donors(&reader, key_by_bytes);
  note_donors(&reader);
  return NULL;
}
