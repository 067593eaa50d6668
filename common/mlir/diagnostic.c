// file:line:column, the message, the source line and a caret, as compilers print them.
// What is shown of a line, a name or an attribute is a window of bounded width.

#include "common/mlir/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

// A line of the source may be a constant of megabytes: what is shown is a window. So may
// a name, or an attribute that a message cites.
enum { WINDOW_BEFORE = 80, WINDOW_AFTER = 60, MESSAGE_BYTES_MAX = 1 << 12 };

void mlir_index_lines(mlir_module_t *module) {
  if (module->source == NULL || module->line_starts != NULL) {
    return;
  }
  const char *end = module->source + module->source_length;
  int64_t count = 1;
  for (const char *at = module->source; at < end; at++, count++) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (at == NULL) {
      break;
    }
  }
  uint32_t *starts = pod_arena_array(module->arena, (size_t)count, sizeof(*starts));
  const char *at = module->source;
  for (int64_t i = 1; i < count; i++) {
    at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    starts[i] = (uint32_t)(at - module->source);
  }
  module->line_starts = starts;
  module->line_count = count;
}

static void find_line(const mlir_module_t *module, uint32_t offset, int *out_line,
                      int *out_column) {
  int64_t low = 0, high = module->line_count;  // The line is in [low, high).
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (module->line_starts[middle] <= offset) {
      low = middle;
    } else {
      high = middle;
    }
  }
  *out_line = (int)low + 1;
  *out_column = (int)(offset - module->line_starts[low]) + 1;
}

// A location's depth is bounded by the parser.
const mlir_attr_t *mlir_location_file(const mlir_attr_t *location) {
  if (!mlir_attr_is(location, MLIR_ATTR_LOCATION)) {
    return NULL;
  }
  switch (location->location_kind) {
    case MLIR_LOCATION_FILE:
      return location;
    case MLIR_LOCATION_NAME:
      return mlir_location_file(location->location_child);
    case MLIR_LOCATION_CALLSITE: {
      const mlir_attr_t *found = mlir_location_file(location->location_child);
      return found != NULL ? found : mlir_location_file(location->location_caller);
    }
    case MLIR_LOCATION_FUSED:
      return location->count == 0 ? NULL : mlir_location_file(location->elements[0]);
    case MLIR_LOCATION_UNKNOWN:
      return NULL;
  }
  return NULL;
}

// The location that a position of a module without text stands for.
static const mlir_attr_t *place_of(const mlir_module_t *module,
                                   mlir_position_t position) {
  return position == 0 || module->source != NULL || position > module->place_count
             ? NULL
             : mlir_location_file(module->places[position - 1]);
}

void mlir_line_and_column(const mlir_module_t *module, mlir_position_t position,
                          int *out_line, int *out_column) {
  *out_line = *out_column = 0;
  const mlir_attr_t *place = place_of(module, position);
  if (place != NULL) {
    *out_line = (int)place->integer;
    *out_column = (int)place->length;
    return;
  }
  if (position != 0 && module->line_starts != NULL) {
    find_line(module, position - 1, out_line, out_column);
    return;
  }
  if (position == 0 || module->source == NULL ||
      (int64_t)position - 1 > module->source_length) {
    return;
  }
  const char *at = module->source + (position - 1);
  const char *line_start = module->source;
  int line = 1;
  for (const char *newline = module->source;
       (newline = memchr(newline, '\n', (size_t)(at - newline))) != NULL;) {
    line_start = ++newline;
    line++;
  }
  *out_line = line;
  *out_column = (int)(at - line_start) + 1;
}

static void add_window(pod_text_t *text, const char *bytes, int64_t length) {
  for (int64_t i = 0; i < length; i++) {
    const unsigned char byte = (unsigned char)bytes[i];
    const char shown =
        byte == '\t' ? ' ' : (byte < ' ' || byte == 127 ? '?' : (char)byte);
    pod_text_add_bytes(text, &shown, 1);
  }
}

static bool is_continuation(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

// The source line and a caret under the position.
static void add_source(pod_text_t *text, const mlir_module_t *module,
                       mlir_position_t position, int column) {
  const char *at = module->source + (position - 1);
  const char *source_end = module->source + module->source_length;
  const char *start = at - (column - 1);
  const char *end = memchr(at, '\n', (size_t)(source_end - at));
  end = end == NULL ? source_end : end;
  const bool cut_before = at - start > WINDOW_BEFORE;
  const bool cut_after = end - at > WINDOW_AFTER;
  start = cut_before ? at - WINDOW_BEFORE : start;
  end = cut_after ? at + WINDOW_AFTER : end;
  while (cut_before && start < at && is_continuation(*start)) {
    start++;
  }
  while (cut_after && end > at && is_continuation(*end)) {
    end--;
  }
  pod_text_add(text, cut_before ? "\n  ..." : "\n  ");
  add_window(text, start, end - start);
  pod_text_add(text, cut_after ? "...\n  " : "\n  ");
  pod_text_add(text, cut_before ? "   " : "");
  for (const char *c = start; c < at; c++) {
    pod_text_add(text, is_continuation(*c) ? "" : " ");
  }
  pod_text_add(text, "^");
}

// What is formatted, as far as people read.
static void add_clipped(pod_text_t *text, const char *format, va_list args) {
  char message[MESSAGE_BYTES_MAX];
  const int length = vsnprintf(message, sizeof(message), format, args);
  size_t kept = length < 0 ? 0 : (size_t)length;
  if (kept >= sizeof(message)) {
    kept = sizeof(message) - 1;
    // Not in the middle of a character.
    while (kept > 0 && is_continuation(message[kept - 1])) {
      kept--;
    }
    kept -= kept > 0 && ((unsigned char)message[kept - 1] & 0x80) != 0;
    pod_text_add_bytes(text, message, kept);
    pod_text_add(text, "...");
  } else {
    pod_text_add_bytes(text, message, kept);
  }
}

POD_PRINTF(2, 3)
static void add_part(pod_text_t *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add_clipped(text, format, args);
  va_end(args);
}

static pod_status_t make_error(const mlir_module_t *module, mlir_position_t position,
                               pod_code_t code, const char *op_name, const char *format,
                               va_list args) {
  if (position == 0 && module->places != NULL) {
    position = module->place_in_hand;
  }
  int line, column;
  mlir_line_and_column(module, position, &line, &column);
  pod_text_t text = {0};
  pod_text_add(&text, module->file_name);
  const mlir_attr_t *place = place_of(module, position);
  if (place != NULL) {
    pod_text_printf(&text, ": %s", place->text);
  }
  if (line > 0) {
    pod_text_printf(&text, ":%d:%d", line, column);
  }
  pod_text_add(&text, ": ");
  if (op_name != NULL) {
    add_part(&text, "'%s'", op_name);
    pod_text_add(&text, ": ");
  }
  add_clipped(&text, format, args);
  if (line > 0 && module->source != NULL) {
    add_source(&text, module, position, column);
  }
  const pod_status_t status = pod_error_text(__FILE__, __LINE__, code, text.bytes);
  pod_text_deinit(&text);
  return status;
}

pod_status_t mlir_verror_at(const mlir_module_t *module, mlir_position_t position,
                            pod_code_t code, const char *format, va_list args) {
  return make_error(module, position, code, NULL, format, args);
}

pod_status_t mlir_error_at(const mlir_module_t *module, mlir_position_t position,
                           pod_code_t code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const pod_status_t status = make_error(module, position, code, NULL, format, args);
  va_end(args);
  return status;
}

pod_status_t mlir_op_error(const mlir_module_t *module, const mlir_op_t *op,
                           pod_code_t code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const pod_status_t status =
      make_error(module, op->position, code, op->name, format, args);
  va_end(args);
  return status;
}

const mlir_attr_t *mlir_location_name(const mlir_attr_t *location) {
  while (mlir_attr_is(location, MLIR_ATTR_LOCATION) &&
         location->location_kind != MLIR_LOCATION_NAME) {
    if (location->location_kind == MLIR_LOCATION_FUSED && location->count > 0) {
      location = location->elements[0];
    } else {
      location = location->location_child;
    }
  }
  return mlir_attr_is(location, MLIR_ATTR_LOCATION) ? location : NULL;
}

// "file:3:7", made from its end.
static const char *place_text(pod_arena_t *arena, const char *file, int64_t line,
                              int64_t column) {
  char text[48];
  char *at = text + sizeof(text);
  const uint64_t numbers[] = {(uint64_t)column, (uint64_t)line};
  for (int i = 0; i < 2; i++) {
    uint64_t rest = numbers[i];
    do {
      *--at = (char)('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    *--at = ':';
  }
  const size_t length = strlen(file), behind = (size_t)(text + sizeof(text) - at);
  char *place = pod_arena_alloc(arena, length + behind + 1);
  memcpy(place, file, length);
  memcpy(place + length, at, behind);
  return place;
}

const char *mlir_op_source_in(pod_arena_t *arena, const mlir_module_t *module,
                              const mlir_op_t *op) {
  const mlir_attr_t *file = mlir_location_file(op->location);
  if (file != NULL) {
    return place_text(arena, file->text, file->integer, file->length);
  }
  const mlir_attr_t *name = mlir_location_name(op->location);
  if (name != NULL || op->position == 0 || module->line_starts == NULL) {
    return name == NULL ? "" : pod_arena_strdup(arena, name->text);
  }
  int line, column;
  mlir_line_and_column(module, op->position, &line, &column);
  return place_text(arena, module->file_name, line, column);
}

const char *mlir_op_source(mlir_module_t *module, const mlir_op_t *op) {
  return mlir_op_source_in(module->arena, module, op);
}
